"""The writer of a session: which model writes summaries, and what it may cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from steno.core.arguments import check_fields
from steno.core.effects import DEFAULT_LIMITS, Limits, Model
from steno.core.errors import BadInput
from steno.meters import find_model
from steno.models import model_name, resolve_model
from steno.models.registry import is_hosted
from steno.models.retry import (
    DEFAULT_RETRY,
    RetryingWriter,
    RetryPolicy,
    with_retries,
)
from steno.models.spend import DEFAULT_SPEND, Spend

WriterModel = Model | str | Sequence[Model | str] | None
"""A model, its name, or several of either, best first; None for none."""


@dataclass(frozen=True)
class Writer:
    """The model that writes summaries, and what it may cost.

    model: an object with `answer(ask)`, a name such as "openai:gpt-5-mini", or a list of them,
        best first. None is the agent's own model where there is one, as in a researcher.
    retry: how often and how long a model is asked again after a failure.
    spend: what all models of this writer together may cost in one session.
    limits: what one compaction may cost in seconds, asks and tokens.
    seconds: time of one compaction, in place of that in `limits`.
    """

    model: WriterModel = None
    retry: RetryPolicy = DEFAULT_RETRY
    spend: Spend = DEFAULT_SPEND
    limits: Limits = DEFAULT_LIMITS
    seconds: float | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if isinstance(self.model, Writer):
            raise BadInput("a Writer takes a model, not another Writer")

    @classmethod
    def of(cls, given: AnyWriter) -> Writer:
        """Return the value of the option `writer`."""
        if isinstance(given, Writer):
            return given
        return cls(given)

    @property
    def bounds(self) -> Limits:
        """What one compaction may cost."""
        if self.seconds is None:
            return self.limits
        return msgspec.structs.replace(self.limits, seconds=self.seconds)

    def open(self) -> Model | None:
        """Return the model that retries, or several that stand in for each other."""
        if self.model is None or isinstance(self.model, RetryingWriter):
            return self.model
        listed: Sequence[Any] = [self.model]
        if isinstance(self.model, list | tuple):
            listed = self.model
        return with_retries([writer_of(model) for model in listed], self.retry, self.spend)


AnyWriter = Writer | WriterModel
"""What the option `writer` takes."""


def writer_of(given: Any) -> Model:
    """Return the writer of this name, or the object itself."""
    model = resolve_model(given, window=_known_window(given))
    if not callable(getattr(model, "answer", None)):
        raise BadInput(
            f"writer= takes a name or an object with answer(ask), got {type(model).__name__}"
        )
    return cast(Model, model)


def _known_window(given: Any) -> int | None:
    """Return the window of a provider's own model; a local server may give it less."""
    if not isinstance(given, str) or not is_hosted(given):
        return None
    known = find_model(model_name(given))
    if known is None:
        return None
    return known.window
