"""Correct a session's meter by what the provider itself counts.

Meters count without asking anybody, and reported usage corrects them after each request.
Where a request must fit before the first report, or is never reported, `ExactCount` asks
the provider's own endpoint. The same request is asked once; calls and seconds are bounded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from steno.core.errors import BadInput
from steno.providers import json_text
from steno.providers.shared.model import SdkModel
from steno.session.session import Session

SECONDS = 5.0
KEPT_MOST = 256
"""Counts that are remembered."""


class ExactCount:
    """Asks a provider to count requests.

    model: of `steno.models`, for instance `steno.models.Anthropic("claude-opus-5")`.
    calls: how often the provider may be asked in all; then no more is known.
    seconds: how long one answer may take.
    """

    def __init__(self, model: Any, *, calls: int = 1_000, seconds: float = SECONDS) -> None:
        if not isinstance(model, SdkModel):
            raise BadInput(f"ExactCount takes a model of steno.models, got {type(model).__name__}")
        self._model, self._seconds = model, seconds
        self.calls_left = calls
        self._known: dict[bytes, int] = {}

    def of(self, request: Mapping[str, Any]) -> int | None:
        """Return the provider's count of a request; None if it does not say."""
        key = hashlib.blake2b(json_text(request).encode("utf-8", "replace")).digest()
        if key in self._known:
            return self._known[key]
        if self.calls_left < 1:
            return None
        self.calls_left -= 1
        count = self._model.count_tokens(request, self._seconds)
        if count is not None:
            if len(self._known) >= KEPT_MOST:
                self._known.pop(next(iter(self._known)))
            self._known[key] = count
        return count

    def window(self) -> int | None:
        """Return the model's window as the provider names it; None if it does not."""
        if self.calls_left < 1:
            return None
        self.calls_left -= 1
        return self._model.live_window(self._seconds)

    def correct(self, session: Session) -> int | None:
        """Count what the session would send now, and correct its meter by that."""
        count = self.of(session.request())
        if count is not None:
            session.host.calibrate(count)
        return count
