"""How a list that is sent again matches the messages already known of it.

Pure: it compares keys and knows no session. A list extends what is known, or has
lost a stretch of it (the caller keeps a sliding window of its own), or has another
past from some message on. The newest known message may come back without a
reminder that was put on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

RUN_LEAST = 2
"""Known messages that must follow in a row before a gap in front of them is believed."""

Replaces = Callable[[int], bool]
"""Whether the list's message at this index is the newest known one without its reminder."""


@dataclass(frozen=True)
class Alignment:
    """A list is `kept` known messages, then those from `resumes` to the end, then new ones."""

    kept: int
    resumes: int
    known: int
    """How many messages were known."""
    replaced: bool = False
    """The newest known message came back without its reminder."""
    written: bool = False
    """The list was compared with the one that was written back, not with the caller's own."""
    lead: tuple[int, int] | None = None
    """How many system messages head the list that is known and this one, if they differ."""

    @property
    def forks(self) -> bool:
        """Whether the list holds nothing of what is known after `kept`."""
        return self.resumes == self.known and self.kept < self.known

    @property
    def extends(self) -> bool:
        """Whether the list begins with everything that is known."""
        return self.kept == self.known

    @property
    def old(self) -> int:
        """How many messages of the list are known."""
        before, now = self.lead or (0, 0)
        return self.kept + self.known - self.resumes + now - before

    @property
    def rank(self) -> tuple[bool, int]:
        """The order of alignments: any other before a fork, then the one with most known."""
        return not self.forks, self.old


def align_lists(
    known: Sequence[bytes], keys: Sequence[bytes], replaces: Replaces, *, gaps: bool
) -> Alignment:
    """Match the keys of a list with those known; `gaps` allows a lost stretch."""
    kept = common_length(known, keys)
    if kept == len(known):
        return Alignment(kept, kept, kept)
    # A harness takes a reminder off when the list goes on, so something must follow.
    if kept == len(known) - 1 and kept + 1 < len(keys) and replaces(kept):
        return Alignment(kept + 1, len(known), len(known), replaced=True)
    if gaps:
        found = _align_with_gap(known, keys, kept, replaces)
        if found is not None:
            return found
    return Alignment(kept, len(known), len(known))


def _align_with_gap(
    known: Sequence[bytes], keys: Sequence[bytes], kept: int, replaces: Replaces
) -> Alignment | None:
    """Match a list that lost a stretch after `kept` and goes on up to the newest known message."""
    if kept >= len(keys):
        return None
    # From the front, so that as little as possible counts as lost.
    for resumes in range(kept + 1, len(known) - RUN_LEAST + 1):
        if known[resumes] != keys[kept]:
            continue
        run = common_length(known[resumes:], keys[kept:])
        left = len(known) - resumes - run
        if left == 0:
            return Alignment(kept, resumes, len(known))
        goes_on = kept + run + 1 < len(keys)
        if left == 1 and run >= RUN_LEAST - 1 and goes_on and replaces(kept + run):
            return Alignment(kept, resumes, len(known), replaced=True)
    return None


def common_length(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """Return how many keys both begin with."""
    most = min(len(one), len(other))
    # Comparing slices is one call; nearly every list extends the one before it.
    if one[:most] == other[:most]:
        return most
    return next(at for at in range(most) if one[at] != other[at])
