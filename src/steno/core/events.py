"""What happened, as typed values for one callback.

One name each. No event carries what was said: only numbers, positions and
reasons.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from steno.core.log import Commit, Why
from steno.core.message import Value


class Event(Value, frozen=True):
    name: ClassVar[str]


class Started(Event, frozen=True):
    """A compaction begins."""

    name = "context_budget.compaction.started"
    why: Why
    load: int
    goal: int
    usable: int


class Committed(Event, frozen=True):
    """A commit landed: from `before` to `after` tokens."""

    name = "context_budget.compaction.committed"
    number: int
    why: Why
    before: int
    after: int
    goal: int
    fits: bool
    by: tuple[str, ...]
    """The rungs whose edits are in it, in the order they ran."""
    covered: int
    """Positions that are newly or again covered."""
    blocks: int
    """Blocks shown in short."""
    boundary: int
    """The position from which on the view is verbatim."""

    @classmethod
    def of(cls, commit: Commit, boundary: int) -> Committed:
        return cls(
            number=commit.number,
            why=commit.why,
            before=commit.before,
            after=commit.after,
            goal=commit.goal,
            fits=commit.fits,
            by=tuple(dict.fromkeys(edit.by for edit in commit.edits)),
            covered=sum(len(edit.span) for edit in commit.edits if edit.block is None),
            blocks=sum(edit.block is not None for edit in commit.edits),
            boundary=boundary,
        )


class Skipped(Event, frozen=True):
    """There was pressure or a wish, and no commit: why."""

    name = "context_budget.compaction.skipped"
    reason: str
    load: int


class Failed(Event, frozen=True):
    """A compaction raised; the agent goes on with the view it had."""

    name = "context_budget.compaction.failed"
    reason: str
    where: str = ""
    """Module and line that raised, e.g. `steno.facts.rules:88`; empty if it is not known."""


class SafetyNet(Event, frozen=True):
    """The agent compacts by itself, but did not in time: the system stepped in."""

    name = "context_budget.compaction.safety_net"
    load: int
    usable: int


class Overflow(Event, frozen=True):
    """What is left is still over the goal: what may not be compacted is too big."""

    name = "context_budget.compaction.overflow"
    load: int
    fixed: int
    goal: int
    usable: int


class Learned(Event, frozen=True):
    """A provider refused a request as too long: the window is smaller than was thought."""

    name = "context_budget.window.learned"
    window: int
    before: int
    """What the window was thought to be."""
    load: int
    """Of the request that was refused, by our count."""
    told: bool
    """The provider named the window; else it is taken to be smaller by a share."""


class Waited(Event, frozen=True):
    """Pressure is hard, and the agent waited for a writer's draft."""

    name = "context_budget.compaction.waited"
    seconds: float
    landed: bool
    """It came in time; else what must be landed lands without a writer."""


class Unpriced(Event, frozen=True):
    """Whether compacting pays cannot be told, so it is done as if it did; said once."""

    name = "context_budget.economy.unpriced"
    reason: str


OnEvent = Callable[[Event], None]


def ignore_event(event: Event) -> None:
    """The callback of who does not listen."""
