"""Does the view change what the model does next? Asked of the model itself, now and then.

Of the requests that went out as a view, every nth is also sent as it came, twice, after its
client has its answer. The two whole ones tell how often a model differs from itself: the
floor, without which the other figure says nothing. What comes back is compared and dropped.
Each run costs two whole requests.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from steno.providers.shared.surface import Reply, Surface
from steno.proxy.compaction import item_in
from steno.proxy.outgoing import Outgoing

AskAgain = Callable[[Outgoing], Awaitable[Reply]]
"""Sends a request as it came, and returns the reply; raises if it is refused."""
WORDS = "words"


class ShadowRuns:
    """Decides which requests are sent once more as they came, and compares."""

    def __init__(self, every: int) -> None:
        """Take every nth request that went out as a view; 0 takes none."""
        self._every = every
        self._seen = 0

    def takes(self, sent: Outgoing, reply: Reply) -> bool:
        """Tell whether this request, whose reply has come, is to be sent again."""
        # The bytes alone do not tell: a tool may be offered, or a secret taken out.
        if not self._every or sent.request is None or not sent.hidden:
            return False
        if not reply.whole or (sent.offer is not None and sent.offer.stages):
            return False
        # The provider cannot open what stands for the past.
        if any(map(item_in, sent.request.messages)):
            return False
        self._seen += 1
        return self._seen % self._every == 0

    async def run(self, ask: AskAgain, sent: Outgoing, reply: Reply) -> dict[str, int]:
        """Return what to count: the run, and which of its replies act alike."""
        # One after the other: a list that is refused once need not be sent twice.
        whole = [await ask(sent), await ask(sent)]
        action, *floor = (next_action(sent.surface, one) for one in (reply, *whole))
        same, alike = action == floor[0], floor[0] == floor[1]
        return {"shadow_runs": 1, "shadow_same": int(same), "shadow_floor": int(alike)}


def next_action(surface: Surface, reply: Reply) -> str:
    """Return what a reply does: its calls with their arguments, or that it speaks."""
    calls = []
    for call in surface.calls(reply.messages):
        arguments = call.arguments
        if isinstance(arguments, str):
            # One model writes blanks where the other does not.
            with suppress(msgspec.DecodeError):
                arguments = msgspec.json.decode(arguments)
        calls.append(msgspec.json.encode([call.name, arguments], order="sorted").decode())
    return "\n".join(sorted(calls)) or WORDS
