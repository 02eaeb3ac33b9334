"""Everything ever said in one session: messages, and commits numbered apart.

A log is a value: saying something, committing and forking each give a new one,
and share what is old. Nothing is ever deleted or rewritten. What a commit's
edits look like to a model is the view's business.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

import msgspec

from steno.core.errors import BadEdit, NotHere, Stale
from steno.core.message import Block, Message, Span, Value
from steno.core.model import ModelCall
from steno.core.summary import Summary
from steno.core.tape import Tape

Why = Literal["soft", "hard", "asked", "arrival", "resent", "hide", "undo"]


class Edit(Value, frozen=True, gc=False, tag="edit"):
    """For this span (or this block of its one message), show these messages. None at all hides it."""

    span: Span
    shows: tuple[Message, ...]
    by: str
    """The rung that proposed it."""
    block: int | None = None
    level: int = 0
    tokens: int | None = None
    """Raw tokens of what it shows, by the commit's meter; None until somebody weighed it."""
    summary: Summary | None = None
    """The summary as a value, if this edit shows one; `shows` is its rendering."""

    @property
    def place(self) -> str:
        if self.block is None:
            return str(self.span)
        return f"{self.span.start}.{self.block}"

    @property
    def blocks(self) -> tuple[Block, ...]:
        if len(self.shows) == 1:
            return self.shows[0].blocks
        return tuple(block for message in self.shows for block in message.blocks)


class Finding(Value, frozen=True):
    """One way a proposal, or what a writer wrote for it, did not pass a check."""

    check: str
    what: str
    by: str
    """The rung whose proposal it was."""
    place: str = ""


class Proposal(Value, frozen=True):
    """Edits that are legal only together; checks accept or drop them whole."""

    edits: tuple[Edit, ...]
    by: str
    findings: tuple[Finding, ...] = ()
    """What the rung itself found on the way: they are told whatever becomes of the edits."""


class FactCounts(Value, frozen=True):
    """Where the facts of one kind ended up."""

    kind: str
    retained: int = 0
    """Still said, word for word."""
    recallable: int = 0
    """Covered, and something shown says where to open them."""
    lost: int = 0


class FactReport(Value, frozen=True):
    """What became of the facts of everything newly covered."""

    kinds: tuple[FactCounts, ...] = ()

    @property
    def retained(self) -> int:
        return sum(kept.retained for kept in self.kinds)

    @property
    def recallable(self) -> int:
        return sum(kept.recallable for kept in self.kinds)

    @property
    def lost(self) -> int:
        return sum(kept.lost for kept in self.kinds)


class AnswerCounts(Value, frozen=True):
    """How many questions of one kind were asked of a view, and how many it answers."""

    kind: str
    asked: int = 0
    visible: int = 0
    """The words of the answer stand in the view."""
    recalled: int = 0
    """They do not, but come with one search for the question."""


class Probe(Value, frozen=True):
    """What a view still answers of what only the covered part can answer."""

    kinds: tuple[AnswerCounts, ...] = ()
    untried: int = 0
    """Not visible, and not searched for: nobody could, or the time was up."""

    @property
    def asked(self) -> int:
        return sum(each.asked for each in self.kinds)

    @property
    def visible(self) -> int:
        return sum(each.visible for each in self.kinds)

    @property
    def recalled(self) -> int:
        return sum(each.recalled for each in self.kinds)


class Commit(Value, frozen=True, tag="commit"):
    """Edits accepted together, with the numbers that justify them."""

    base: int
    """How many commits it was drafted on; where it lands, this is its number."""
    at: int
    """How many messages it saw."""
    why: Why
    edits: tuple[Edit, ...] = ()
    before: int = 0
    after: int = 0
    goal: int = 0
    usable: int = 0
    fits: bool = True
    findings: tuple[Finding, ...] = ()
    reverts: int | None = None
    meter: str = ""
    """Who counted the tokens."""
    report: FactReport | None = None
    """What became of the facts of what it covers; None where nothing was covered."""
    asked: tuple[ModelCall, ...] = ()
    """Every call of a writer that was made for it, booked under the category `system`."""
    probe: Probe | None = None
    """What the view still answers; None where the policy does not ask."""
    landed: int = 0
    """How many messages there were when it landed: at least those it saw."""

    @property
    def number(self) -> int:
        return self.base


@dataclass(frozen=True)
class Log:
    messages: Tape[Message] = field(default_factory=Tape)
    commits: Tape[Commit] = field(default_factory=Tape)

    def with_messages(self, messages: Iterable[Message]) -> Log:
        return replace(self, messages=self.messages.plus(messages))

    def with_commit(self, commit: Commit) -> Log:
        if commit.base != len(self.commits):
            raise Stale(commit.base, len(self.commits))
        if commit.at > len(self.messages):
            raise BadEdit(
                f"the commit saw {commit.at} messages, the log holds {len(self.messages)}"
            )
        if commit.reverts is not None and commit.reverts != self.newest:
            raise BadEdit(
                f"only the newest live commit can be undone: {self.newest}, not {commit.reverts}"
            )
        # One that comes from a store has landed before, and says when.
        landed = msgspec.structs.replace(commit, landed=commit.landed or len(self.messages))
        return replace(self, commits=self.commits.plus((landed,)))

    def fork(self, at: int) -> Log:
        """The log as it stood when it held `at` messages."""
        if not 0 <= at <= len(self.messages):
            raise NotHere(f"cannot fork at {at}: the log holds positions 0 to {len(self.messages)}")
        if (
            0 < at < len(self.messages)
            and self.messages[at - 1].role == self.messages[at].role == "absent"
        ):
            raise NotHere(
                f"cannot fork at {at}: its words were covered before this list was handed in"
            )
        kept = next(
            (n for n, commit in enumerate(self.commits) if commit.at > at), len(self.commits)
        )
        return Log(self.messages.upto(at), self.commits.upto(kept))

    @property
    def live(self) -> tuple[Commit, ...]:
        """The commits that stand: each undo takes the newest one down."""
        standing: list[Commit] = []
        for commit in self.commits:
            if commit.reverts is None:
                standing.append(commit)
            else:
                standing = [each for each in standing if each.number != commit.reverts]
        return tuple(standing)

    @property
    def newest(self) -> int | None:
        """The newest standing commit that can be taken down: not what came in a resent list, nor what is put away.

        A page or a note that was put away shows nothing whether older commits stand or not.
        """
        kept = ("resent", "hide")
        return next(
            (commit.number for commit in reversed(self.live) if commit.why not in kept), None
        )

    def undo(self) -> Commit:
        """The commit that takes the newest live one down."""
        if self.newest is None:
            raise BadEdit("there is nothing to undo: no commit stands")
        return Commit(
            base=len(self.commits), at=len(self.messages), why="undo", reverts=self.newest
        )

    def open(self, span: Span) -> list[Message]:
        """What was said there, word for word."""
        if not 0 <= span.start < span.stop <= len(self.messages):
            raise NotHere(
                f"{span} is not in this log, which holds {len(self.messages)} messages from 0 on"
            )
        found = self.messages[span.start : span.stop]
        absent = [span.start + n for n, message in enumerate(found) if message.role == "absent"]
        if absent:
            where = Span(absent[0], absent[-1] + 1)
            raise NotHere(
                f"{where} was covered before this list was handed in; open it where it was first said"
            )
        return found
