"""Everything of one session: messages and commits, two append-only sequences.

A log is a value: adding a message, committing and forking each return a new log that shares the
old part. Nothing is deleted or rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

import msgspec

from steno.core.errors import BadEdit, NotHere, Stale
from steno.core.message import Block, Message, Span, Value
from steno.core.model import ModelCall, Usage
from steno.core.summary import Summary
from steno.core.tape import Tape

Why = Literal["soft", "hard", "asked", "arrival", "resent", "hide", "undo", "edit"]
COMPACTS = frozenset[Why](("soft", "hard", "asked"))
"""Reasons of commits that compact the view."""
COVERS_NOTHING = frozenset[Why](("arrival", "hide"))
"""Reasons of commits that cover no message: they change single results, or hide single pages."""
WITHOUT_PRESSURE = COVERS_NOTHING | frozenset[Why](("resent",))
"""Reasons of commits that answer no pressure, and so do not delay the next one that does."""


class Edit(Value, gc=False, tag="edit"):
    """Show these messages instead of a span, or of one block of it; no messages hides it."""

    span: Span
    shows: tuple[Message, ...]
    by: str
    """Name of the rung that proposed it."""
    block: int | None = None
    level: int = 0
    tokens: int | None = None
    """Raw tokens of what it shows, by the commit's meter; None until they are counted."""
    summary: Summary | None = None
    """The summary as a value, if this edit shows one; `shows` is its rendering."""

    @property
    def place(self) -> str:
        if self.block is None:
            return str(self.span)
        return f"{self.span.start}.{self.block}"

    @property
    def without_tokens(self) -> Edit:
        """This edit without its tokens, which another meter counted."""
        if self.tokens is None:
            return self
        return msgspec.structs.replace(self, tokens=None)

    @property
    def blocks(self) -> tuple[Block, ...]:
        if len(self.shows) == 1:
            return self.shows[0].blocks
        return tuple(block for message in self.shows for block in message.blocks)


class Finding(Value):
    """What a check found wrong with a proposal, or with a writer's text for it."""

    check: str
    what: str
    by: str
    """Name of the rung whose proposal it was."""
    place: str = ""


class Proposal(Value):
    """Edits that are legal only together; checks accept or drop all of them."""

    edits: tuple[Edit, ...]
    by: str
    findings: tuple[Finding, ...] = ()
    """What the rung itself found; reported even if the edits are dropped."""
    keeps: tuple[Span, ...] = ()
    """What it leaves as it is on purpose, though it could cover it."""


class FactCounts(Value):
    """Where the facts of one kind ended up."""

    kind: str
    retained: int = 0
    """Still in the view, word for word."""
    recallable: int = 0
    """Covered, and the model has a tool to read them and is told where they are."""
    lost: int = 0
    """Covered, and nothing in the view says where they are."""
    hidden: int = 0
    """Covered and kept in the log, but the model has no tool to read them."""


class FactReport(Value):
    """What became of the facts in the newly covered messages."""

    kinds: tuple[FactCounts, ...] = ()

    @property
    def retained(self) -> int:
        return sum(counts.retained for counts in self.kinds)

    @property
    def recallable(self) -> int:
        return sum(counts.recallable for counts in self.kinds)

    @property
    def lost(self) -> int:
        return sum(counts.lost for counts in self.kinds)

    @property
    def hidden(self) -> int:
        return sum(counts.hidden for counts in self.kinds)


_STORED_AS = {"constraints_before": "rules_before", "constraints_after": "rules_after"}


class Survival(Value, rename=_STORED_AS):
    """How many constraints and open loops a view showed, before a compaction and after it."""

    constraints_before: int = 0
    constraints_after: int = 0
    loops_before: int = 0
    loops_after: int = 0

    @property
    def constraints_rate(self) -> float:
        """Share of the constraints that stayed; 1 if there were none."""
        return _rate(self.constraints_before, self.constraints_after)

    @property
    def loops_rate(self) -> float:
        """Share of the open loops that stayed; 1 if there were none."""
        return _rate(self.loops_before, self.loops_after)

    @classmethod
    def over(cls, commits: Iterable[Commit]) -> Survival:
        """Return the sums over all commits that counted: of each, what stayed of what was there."""
        counted = [commit.survival for commit in commits if commit.survival is not None]
        return cls(
            sum(each.constraints_before for each in counted),
            sum(min(each.constraints_before, each.constraints_after) for each in counted),
            sum(each.loops_before for each in counted),
            sum(min(each.loops_before, each.loops_after) for each in counted),
        )


def _rate(before: int, after: int) -> float:
    if not before:
        return 1.0
    return min(1.0, after / before)


class Commit(Value, tag="commit"):
    """Edits accepted together, with the numbers that justify them."""

    base: int
    """How many commits there were when it was drafted; its number once it has landed."""
    at: int
    """How many messages there were when it was drafted."""
    why: Why
    edits: tuple[Edit, ...] = ()
    before: int = 0
    after: int = 0
    goal: int = 0
    """The load to come down to."""
    usable: int = 0
    fits: bool = True
    findings: tuple[Finding, ...] = ()
    reverts: int | None = None
    meter: str = ""
    """Name of the meter that counted the tokens."""
    report: FactReport | None = None
    """What became of the facts in what it covers; None if it covers nothing."""
    asked: tuple[ModelCall, ...] = ()
    """Every call of a writer made for it."""
    landed: int = 0
    """How many messages there were when it landed: `at` or more."""
    survival: Survival | None = None
    """Counts before and after; None if it read no facts or answers no pressure."""
    reason: str = ""
    """Why the agent asked for it, in its words; empty if it did not."""
    focus: str = ""
    """What it was to keep above all."""
    author: str = ""
    """Who made it by hand; empty if no person did."""

    @property
    def number(self) -> int:
        return self.base

    @property
    def system_usage(self) -> Usage:
        """Tokens of the calls made for it that are booked under `system`."""
        return system_usage(self.asked)

    @property
    def writers(self) -> tuple[str, ...]:
        """Names of the models whose lines are in it; none if all of it was computed."""
        told = (edit.summary for edit in self.edits if edit.summary is not None)
        sections = (section for summary in told for section in summary.sections)
        if not any(line.written for section in sections for line in section.lines):
            return ()
        return tuple(dict.fromkeys(call.by for call in self.asked if not call.reason))

    @property
    def summary_text(self) -> str:
        """What the model reads in place of what it covers; empty if it wrote no summary."""
        texts = [
            message.text
            for edit in self.edits
            if edit.summary is not None
            for message in edit.shows
        ]
        return "\n\n".join(texts)


def system_usage(calls: Iterable[ModelCall]) -> Usage:
    """Return the tokens of the calls that are booked under `system`."""
    booked = (call.usage for call in calls if call.category == "system")
    return sum(booked, Usage())


class CompactionState(Value):
    """How far a session is compacted; a reopened one goes on from here."""

    compactions: int = 0
    """Commits under pressure or on request that stand."""
    turns_archived: int = 0
    """Messages of users and the assistant that are told in a summary, or not at all."""
    summary_tokens: int = 0
    """Tokens of the summaries that are shown, as the meter counted them."""
    usage: Usage = Usage()
    """Tokens of all calls that are booked under `system`, also those of commits undone."""


@dataclass(frozen=True)
class Log:
    messages: Tape[Message] = field(default_factory=Tape)
    commits: Tape[Commit] = field(default_factory=Tape)

    def with_messages(self, messages: Iterable[Message]) -> Log:
        return Log(self.messages.plus(messages), self.commits)

    def with_commit(self, commit: Commit) -> Log:
        if commit.base != len(self.commits):
            raise Stale(commit.base, len(self.commits))
        if commit.at > len(self.messages):
            raise BadEdit(
                f"the commit saw {commit.at} messages, the log holds {len(self.messages)}"
            )
        # Newer commits were drafted on what an older one shows, so only the newest can go.
        if commit.reverts is not None and commit.reverts != self.newest:
            raise BadEdit(
                f"only the newest live commit can be undone: {self.newest}, not {commit.reverts}"
            )
        # One that comes from a store has landed before, and says when.
        landed = msgspec.structs.replace(commit, landed=commit.landed or len(self.messages))
        return replace(self, commits=self.commits.plus((landed,)))

    def fork(self, at: int) -> Log:
        """Return the log as it stood when it held `at` messages."""
        if not 0 <= at <= len(self.messages):
            raise NotHere(f"cannot fork at {at}: the log holds positions 0 to {len(self.messages)}")
        if (
            0 < at < len(self.messages)
            and self.messages[at - 1].role == self.messages[at].role == "absent"
        ):
            raise NotHere(
                f"cannot fork at {at}: its words were covered before this list was handed in"
            )
        # The first commit that saw more messages goes, and all after it, which were drafted on it.
        kept = next(
            (n for n, commit in enumerate(self.commits) if commit.at > at), len(self.commits)
        )
        return Log(self.messages.upto(at), self.commits.upto(kept))

    @property
    def tokens_spared(self) -> int:
        """Tokens that the view is smaller by than all that was said, by the standing commits."""
        # "resent" hides what the caller itself no longer sends.
        commits = (commit for commit in self.live if commit.why != "resent")
        return sum(commit.before - commit.after for commit in commits)

    @property
    def live(self) -> tuple[Commit, ...]:
        """Return the commits that stand: each undo reverts one."""
        standing: list[Commit] = []
        for commit in self.commits:
            if commit.reverts is None:
                standing.append(commit)
            else:
                standing = [kept for kept in standing if kept.number != commit.reverts]
        return tuple(standing)

    @property
    def newest(self) -> int | None:
        """Return the number of the newest commit that `undo` can revert.

        Commits that came in a resent list, and those that hide a page or a note, stay.
        """
        for commit in reversed(self.live):
            if commit.why not in ("resent", "hide"):
                return commit.number
        return None

    @property
    def compaction(self) -> CompactionState:
        """Return how often it was compacted, how many turns are archived, and in how much."""
        commits = self.live
        standing: list[Edit] = []
        for commit in commits:
            new = [edit for edit in commit.edits if edit.block is None]
            standing = [
                edit for edit in standing if not any(edit.span.is_within(one.span) for one in new)
            ]
            standing += new
        hiding = [edit for edit in standing if edit.summary is not None or not edit.shows]
        positions = {at for edit in hiding for at in range(edit.span.start, edit.span.stop)}
        said = [self.messages[at] for at in positions]
        turns = [one for one in said if one.role in ("user", "assistant") and not one.only_results]
        return CompactionState(
            compactions=sum(commit.why in COMPACTS for commit in commits),
            turns_archived=len(turns),
            summary_tokens=sum(edit.tokens or 0 for edit in hiding if edit.summary is not None),
            usage=system_usage(call for commit in self.commits for call in commit.asked),
        )

    def undo(self) -> Commit:
        """Return a commit that reverts the newest one."""
        if self.newest is None:
            raise BadEdit("there is nothing to undo: no commit stands")
        return Commit(
            base=len(self.commits), at=len(self.messages), why="undo", reverts=self.newest
        )

    def open(self, span: Span) -> list[Message]:
        """Return the original messages of a span."""
        if not 0 <= span.start < span.stop <= len(self.messages):
            count = f"{len(self.messages)} message" + "s" * (len(self.messages) != 1)
            raise NotHere(f"{span} is not in this log, which holds {count} from 0 on")
        found = self.messages[span.start : span.stop]
        absent = [span.start + n for n, message in enumerate(found) if message.role == "absent"]
        if absent:
            where = Span(absent[0], absent[-1] + 1)
            raise NotHere(
                f"{where} is not here: this file or list was compacted before; "
                "open it in the original"
            )
        return found
