"""What happened, as typed values for one callback.

Each event has one name, and says in which session, for which agent and in which turn. No
event carries words of the conversation: only numbers, positions and reasons. A reason may
be the one that the agent gave for compacting, or what a check of the caller's found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from steno.core.log import Commit, Survival, Why
from steno.core.message import Value
from steno.core.model import Usage
from steno.core.word_tables import word_tuple


class Event(Value, kw_only=True):
    name: ClassVar[str]
    session: str = ""
    """Name of the session."""
    user: str = ""
    """Name of the user whose session it is, if it has one."""
    agent: str = ""
    """Name of the agent, if the session was told one."""
    iteration: int = 0
    """Turn of the run in which it happened, from 1 on; 0 outside a run of `steno.agent`."""

    level: ClassVar[str] = "DEBUG"
    """Name of the level at which the session logs it."""

    def figures(self) -> str:
        """Return its fields for a line of a log, without those of every event."""
        names = [name for name in self.__struct_fields__ if name not in Event.__struct_fields__]
        return " ".join(f"{name}={getattr(self, name)!r}" for name in names)


class Started(Event):
    """A compaction begins."""

    name = "context_budget.compaction.started"
    why: Why
    load: int
    goal: int
    usable: int


class Committed(Event):
    """A commit landed: from `before` to `after` tokens."""

    name = "context_budget.compaction.committed"
    level = "INFO"
    number: int
    why: Why
    before: int
    after: int
    goal: int
    fits: bool
    by: tuple[str, ...]
    """The rungs whose edits are in it, in the order they ran."""
    covered: int
    """Number of positions that it covers."""
    blocks: int
    """Number of blocks that it shortens."""
    boundary: int
    """The first position from which the view is verbatim."""
    reason: str = ""
    """Why the agent asked for it; empty if it did not."""
    calls: int = 0
    """Calls of a writer made for it, booked under `system`."""
    usage: Usage = Usage()
    """Tokens of those calls."""
    survival: Survival | None = None
    """Constraints and open loops that the model can read, before and after."""
    writer: str = ""
    """The models whose words are in it; empty if all of it was computed."""

    @classmethod
    def of(cls, commit: Commit, boundary: int) -> Committed:
        same = word_tuple("number why before after goal fits reason survival")
        return cls(
            **{name: getattr(commit, name) for name in same},
            by=tuple(dict.fromkeys(edit.by for edit in commit.edits)),
            covered=sum(len(edit.span) for edit in commit.edits if edit.block is None),
            blocks=sum(edit.block is not None for edit in commit.edits),
            boundary=boundary,
            calls=sum(call.made and call.category == "system" for call in commit.asked),
            usage=commit.system_usage,
            writer=", ".join(commit.writers),
        )


class Skipped(Event):
    """There was pressure or a request, but no commit."""

    name = "context_budget.compaction.skipped"
    reason: str
    load: int


class Failed(Event):
    """A compaction raised; the last rung then lands in its place, without reading facts."""

    name = "context_budget.compaction.failed"
    level = "WARNING"
    reason: str
    where: str = ""
    """Module and line that raised, e.g. `steno.facts.errors:88`; empty if it is not known."""


class SafetyNet(Event):
    """The agent should compact by itself but did not in time, so the system did."""

    name = "context_budget.compaction.safety_net"
    level = "WARNING"
    load: int
    usable: int


class Overflow(Event):
    """The load is still over the goal: the part that may not be compacted is too big."""

    name = "context_budget.compaction.overflow"
    level = "WARNING"
    load: int
    fixed: int
    """Load of system prompt, tools, pins and tail."""
    goal: int
    usable: int
    window: int = 0
    preamble: int = 0
    """Load of system prompt, tools and the block of constraints."""
    words: int = 0
    """Load of what a person said last."""


class Learned(Event):
    """A provider refused a request as too long: the window is smaller than assumed."""

    name = "context_budget.window.learned"
    window: int
    before: int
    """The window assumed before."""
    load: int
    """Load of the refused request, by our count."""
    told: bool
    """Whether the provider named the window; else it is lowered by a share."""


class Waited(Event):
    """The agent waited for a writer's draft under hard pressure."""

    name = "context_budget.compaction.waited"
    seconds: float
    landed: bool
    """Whether it came in time; else a commit without a writer landed."""


class ProviderEdited(Event):
    """The provider changed a request before the model read it: cleared, compacted or dropped."""

    name = "context_budget.provider.edited"
    level = "INFO"
    kind: str
    """What it did, as the provider names it."""
    count: int
    """Tool uses or turns that it concerns; 0 if the provider does not say."""
    tokens: int
    """Tokens that it took out, or read for a compaction; 0 if the provider does not say."""


class CacheMissed(Event):
    """The provider says why it could not use its cache for a request."""

    name = "context_budget.cache.missed"
    level = "INFO"
    reason: str
    tokens: int
    """Tokens that were not read from the cache, about."""


class WriterCalled(Event):
    """A writer was asked, once; it answered, or `error` says what kept it from that."""

    name = "context_budget.writer.called"
    model: str
    seconds: float
    usage: Usage = Usage()
    error: str = ""


class Recalled(Event):
    """The session was searched."""

    name = "context_budget.recall.searched"
    seconds: float
    hits: int
    complete: bool
    """Whether all that was to be searched was."""


class RunStarted(Event):
    """An agent begins a run, or resumes one."""

    name = "agent.run.started"
    model: str


class ModelReplied(Event):
    """The agent's model has replied, or failed with `error`."""

    name = "agent.model.replied"
    seconds: float
    usage: Usage = Usage()
    compacted: bool = False
    """Whether the request was a compacted view."""
    error: str = ""


class ToolsRan(Event):
    """The tools that a reply called have run, side by side."""

    name = "agent.tools.ran"
    tools: tuple[str, ...]
    seconds: float


class RunFinished(Event):
    """An agent's run is over; an empty outcome is an error that the caller got."""

    name = "agent.run.finished"
    outcome: str
    turns: int


class Billed(Event):
    """A request was answered: what it showed, left out and cost."""

    name = "context_budget.request.billed"
    model: str
    shown: int
    """Tokens that went out, as Steno counts them."""
    spared: int
    """Tokens that were left out of it."""
    usage: Usage
    """What the provider reported."""
    estimated: bool
    """Whether it reported nothing, so that `usage` is Steno's count."""
    spent: float | None
    """Dollars; None if the model has no known price."""
    saved: float | None
    """What the spared tokens would have cost as cached input."""


class PolicyMissing(Event):
    """A session was opened without its policy, which has code of the caller's and is not stored.

    It goes on under the default policy.
    """

    name = "context_budget.policy.missing"
    level = "WARNING"
    reason: str


OnEvent = Callable[[Event], None]


def ignore_event(event: Event) -> None:
    """Do nothing: the default callback."""
