"""How a list that was sent again lies on what is known of its past.

Pure. A list extends what is known, or has lost a stretch of it (a caller with a
sliding window of its own), or tells another past from some message on. The
newest known message may come back otherwise once, in a list that goes on: what
lived only on it, a reminder, is gone. The longest common run decides before anything is called new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

RUN_LEAST = 2
"""Messages that must lie in a row before a gap in front of them is believed."""

Replaces = Callable[[int], bool]
"""Whether the message at this index of the list is the newest known one, told otherwise."""


@dataclass(frozen=True)
class Alignment:
    """`kept` known messages from the start, then those from `resumes` to the end; the rest of the list is new."""

    kept: int
    resumes: int
    known: int
    replaced: bool = False
    """The newest known one is told otherwise."""

    @property
    def forks(self) -> bool:
        """What is known beyond `kept` is not in the list at all: its past is another from there on."""
        return self.resumes == self.known and self.kept < self.known

    @property
    def extends(self) -> bool:
        """All that is known is in the list, and the rest comes after it."""
        return self.kept == self.known

    @property
    def old(self) -> int:
        """How many messages of the list are known."""
        return self.kept + self.known - self.resumes

    @property
    def rank(self) -> tuple[bool, int]:
        return not self.forks, self.old


def align_lists(known: Sequence[bytes], told: Sequence[bytes], replaces: Replaces) -> Alignment:
    """The best way to lay `told` on `known`."""
    kept = _common_length(known, told)
    if kept == len(known):
        return Alignment(kept, kept, kept)
    if kept == len(known) - 1 and kept + 1 < len(told) and replaces(kept):
        return Alignment(kept + 1, len(known), len(known), replaced=True)
    return _align_with_gap(known, told, kept, replaces) or Alignment(kept, len(known), len(known))


def _align_with_gap(
    known: Sequence[bytes], told: Sequence[bytes], kept: int, replaces: Replaces
) -> Alignment | None:
    """A stretch after `kept` is gone, and the rest lies in a row up to the newest known message."""
    if kept >= len(told):
        return None
    for resumes in range(kept + 1, len(known) - RUN_LEAST + 1):
        if known[resumes] != told[kept]:
            continue
        run = _common_length(known[resumes:], told[kept:])
        left = len(known) - resumes - run
        replaced = (
            left == 1
            and run >= RUN_LEAST - 1
            and kept + run + 1 < len(told)
            and replaces(kept + run)
        )
        if left == 0 or replaced:
            return Alignment(kept, resumes, len(known), replaced)
    return None


def _common_length(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """How long both say the same."""
    most = min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    return next(at for at in range(most) if one[at] != other[at])
