"""What fills the window again right after each compaction.

If the same large thing comes in after every compaction (a file that is read whole again, a
listing, a re-sent manual), compacting does not help: it only costs. Owns finding such a
thing; what is done about it is the compactor's decision.
"""

from __future__ import annotations

from collections.abc import Sequence

from steno.core.log import COMPACTS, Commit, Finding
from steno.core.message import Message, Result, Value
from steno.core.view import View

REFILL_SHARE = 0.5
"""Share of what came since a compaction from which on one message refills the window."""
LOOK_BACK = 64
"""Messages before a result in which its call is looked for."""


class Refill(Value):
    """A message that came in again after a compaction and is most of what is new."""

    position: int
    what: str
    """Name of the tool whose result it is, or the role of its speaker."""
    tokens: int
    times: int
    """Times in a row that it came, this one included."""

    @property
    def reason(self) -> str:
        return (
            f"the same {self.what} message of {self.tokens:,} tokens at [{self.position}] filled "
            f"the window {self.times} times in a row"
        )

    def finding(self) -> Finding:
        return Finding("window_is_not_refilled", self.reason, self.what, str(self.position))


def find_refill(commits: Sequence[Commit], view: View) -> Refill | None:
    """Return what filled the window again since the newest compaction, if the same did before."""
    starts = [0, *(commit.at for commit in commits if commit.why in COMPACTS)]
    stops = [*starts[1:], len(view.messages)]
    intervals = list(zip(starts, stops, strict=True))
    newest = _heaviest(view, *intervals[-1])
    if newest is None:
        return None
    position, tokens = newest
    key = _key(view.messages, position)
    times = 1
    for start, stop in reversed(intervals[:-1]):
        before = _heaviest(view, start, stop)
        if before is None or _key(view.messages, before[0]) != key:
            break
        times += 1
    if times == 1:
        return None
    return Refill(position, key[0], tokens, times)


def _heaviest(view: View, start: int, stop: int) -> tuple[int, int] | None:
    """Return the message that is most of an interval, and its tokens; None if none is."""
    weights = [sum(each) for each in view.weights[start:stop]]
    if not weights:
        return None
    most = max(weights)
    if most < REFILL_SHARE * sum(weights):
        return None
    return start + weights.index(most), most


def _key(messages: Sequence[Message], position: int) -> tuple[str, str]:
    """Return what tells whether two messages are the same thing: the call, or the words."""
    message = messages[position]
    results = [block for block in message.blocks if isinstance(block, Result)]
    if not results:
        return message.role, message.text
    ids = {result.call for result in results}
    for at in range(position - 1, max(-1, position - LOOK_BACK), -1):
        for call in messages[at].calls:
            if call.id in ids:
                return call.name, call.arguments
    return message.role, results[0].text
