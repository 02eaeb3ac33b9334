"""Whether something that was used was visible, one recall away, or lost.

A name is visible in a line that tells something; a bare list of names does not. Everything
else is visible if it stands in one message in one piece, whatever its indents and line
numbers. It makes no difference who wrote the message, the session or a policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steno.core.message import Message, Span
from steno.lab.interval import Interval, session_interval
from steno.lab.request import ReplayPart, ReplayRequest
from steno.lab.uses import RecordedUse

USES_LEAST = 3
"""Uses of a session below which its share is chance; unless no session has more."""


@dataclass(frozen=True)
class Tally:
    """How many things were used, and how many were visible or recallable."""

    all: int = 0
    visible: int = 0
    recallable: int = 0

    @property
    def lost(self) -> int:
        return self.all - self.visible - self.recallable

    @property
    def share(self) -> float | None:
        """Share that was visible; None if nothing was used."""
        if self.all:
            return self.visible / self.all
        return None

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.all + other.all, self.visible + other.visible, self.recallable + other.recallable
        )


def mean_visible(tallies: Sequence[Tally]) -> Interval | None:
    """Return the mean share that was visible, over sessions; None if nothing was used."""
    return _mean_share([(tally.visible, tally.all) for tally in tallies])


def mean_loss(tallies: Sequence[Tally]) -> Interval | None:
    return _mean_share([(tally.lost, tally.all) for tally in tallies])


def _mean_share(counts: Sequence[tuple[int, int]]) -> Interval | None:
    """Return the mean of shares, each a part and its whole."""
    # A share of each session, not of all uses: a long one must not count for ten short ones.
    shares = [part / whole for part, whole in counts if whole >= USES_LEAST]
    if not shares:
        shares = [part / whole for part, whole in counts if whole]
    return session_interval({str(at): [share] for at, share in enumerate(shares)})


class UseFinder:
    """Looks for things in the newest request; one that continues the last costs what is new."""

    def __init__(self, messages: Sequence[Message] = ()) -> None:
        self.messages = messages
        """The recorded messages: something is looked for first where it was said."""
        self.parts: tuple[ReplayPart, ...] = ()
        self.part_of: dict[int, ReplayPart] = {}
        """Parts by the id of their message."""
        self.runs: set[str] = set()
        self.pointers: Sequence[Span] = ()

    def update(self, request: ReplayRequest) -> UseFinder:
        """Take the next request."""
        parts = tuple(request.parts)
        read = len(self.parts)
        # The request does not continue the last one, so nothing that was read can be kept.
        if parts[:read] != self.parts:
            self.runs = set()
            self.part_of = {}
            read = 0
        for part in parts[read:]:
            self.runs |= part.runs
            self.part_of[id(part.message)] = part
        self.parts, self.pointers = parts, request.pointers
        return self

    def find(self, use: RecordedUse) -> Tally:
        """Return where something ended up."""
        if self._shows(use):
            return Tally(1, 1)
        for span in self.pointers:
            if any(at in span for at in use.holders):
                return Tally(1, 0, 1)
        return Tally(1)

    def _shows(self, use: RecordedUse) -> bool:
        # Many runs are looked for at once, so they are held together.
        if use.measure == "reads":
            return use.text in self.runs
        for at in use.holders:
            if at < len(self.messages):
                part = self.part_of.get(id(self.messages[at]))
                if part is not None and part_shows(part, use):
                    return True
        return any(part_shows(part, use) for part in reversed(self.parts))


def part_shows(part: ReplayPart, use: RecordedUse) -> bool:
    """Return whether something that was used stands in a message."""
    match use.measure:
        case "reads":
            return use.text in part.runs
        case "names":
            return use.text in part.telling
        case _:
            return use.text in part.plain
