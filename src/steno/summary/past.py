"""The past that a view tells: the parts that may be covered, and what is shown of them so far.

Owns the values that those who share the room out have in common. Who gets how much of it is
decided by `compose`, `people_words` and `agent_words`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property

import msgspec

from steno.core.draft import Draft
from steno.core.message import Call, Span, Value
from steno.core.tape import Tape
from steno.facts.ledger import Ledger
from steno.facts.tasks import plan_in
from steno.summary.activity import Deed
from steno.summary.shorten import ViewPart
from steno.summary.story import Story, WordTokens, fold_story
from steno.summary.worth import Scoring

SMALL_ROOM = 6_000
"""Tokens of room below which the agent's words and notes come before text of files."""
LINE_HEAD = 6
"""Tokens before a line: its position and who spoke."""


class Request(Value):
    """A stretch of the log that begins with a person's words."""

    start: int
    stop: int
    typed: bool
    """Whether a person spoke at its start; the first stretch may begin with anything."""
    count: int = 1
    """How many requests are told in one line here."""


class Choice(msgspec.Struct):
    """What is shown of the messages that may be covered, by position."""

    whole: set[int] = msgspec.field(default_factory=set)
    """Messages that stay as they are."""
    cut: dict[int, str] = msgspec.field(default_factory=dict)
    """Messages that stay in their place with this text."""
    told: dict[int, str] = msgspec.field(default_factory=dict)
    """What is told of hidden messages, one text a position."""
    folded: range = range(0)
    """Positions at which requests are told together instead of staying in their place."""
    names: int = 12
    """Things of one kind that a line of deeds names."""
    deeds_since: int = 0
    """Position from which on deeds are told: before it there is no room for them."""
    deeds_cut: int = 0
    """Tokens of the first line of deeds that is told, if it is cut."""


class Past:
    """Parts of a draft, the room for them, and what is chosen."""

    def __init__(
        self,
        draft: Draft,
        parts: Sequence[ViewPart],
        room: float,
        *,
        in_place: bool = True,
        scoring: Scoring = "likely",
        beside: float = 0,
        told_by_writer: frozenset[int] = frozenset(),
    ) -> None:
        self.draft = draft
        self.parts = parts
        self.room = room
        self.in_place = in_place
        self.scoring: Scoring = scoring
        self.beside = beside
        """Tokens of a writer's lines, besides the room: they tell where the steps led."""
        self.told_by_writer = told_by_writer
        """Positions of the agent's words that a writer's lines tell, so that nothing else need."""
        self.count: Callable[[str], int] = draft.view.meter.count
        self.messages = draft.view.messages
        self.story: Story = self.messages.fold(fold_story)
        # Lists: they are looked through for each reply and each request.
        self.typed = list(self.story.typed)
        """Where people spoke in the whole log."""
        self._said = list(self.story.said)
        self.start = parts[0].span.start
        self.stop = parts[-1].span.stop
        self.choice = Choice()
        self.reserved = 0.0
        """Tokens of the room that constraints and a writer's lines take."""
        self.reused: frozenset[int] = frozenset()
        """Indices of parts that already show what is told of them."""
        self.reused_spans: tuple[Span, ...] = ()
        """Their spans, in order."""
        self.reused_positions: frozenset[int] = frozenset()

    def with_room(self, room: float) -> Past:
        """Return the same past with another room and nothing chosen; what was read of it stays."""
        other = copy(self)
        other.room = room
        other.choice = Choice()
        other.reused = other.reused_positions = frozenset()
        other.reused_spans = ()
        return other

    @property
    def is_small(self) -> bool:
        return self.room < SMALL_ROOM

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger.of(self.messages)

    @cached_property
    def alone(self) -> set[int]:
        """Positions whose message is a part of its own and is not covered."""
        return {
            part.span.start
            for part in self.parts
            if len(part.span) == 1 and part.items[0].main is not None
        }

    def said_in(self, start: int, stop: int) -> list[int]:
        """Return where the assistant spoke between two positions, where that is told anew."""
        said = self._said
        places = said[bisect_left(said, start) : bisect_left(said, stop)]
        return [
            at for at in places if at not in self.reused_positions and at not in self.told_by_writer
        ]

    def newest_plan(self) -> dict[int, str]:
        """Return the newest plan that the agent handed over, with its words, if it is told here."""
        if self.story.plan is None:
            return {}
        at, block = self.story.plan
        if not self.start <= at < self.stop or at in self.reused_positions:
            return {}
        message = self.messages[at]
        call = message.blocks[block]
        assert isinstance(call, Call)
        return {at: f"{message.text}\n{plan_in(call)}".strip()}

    def first_deed(self, start: int, stop: int) -> Deed | None:
        """Return what was done first between two positions."""
        return next(iter(self.story.deeds_in(start, stop)), None)

    def tokens(self, at: int) -> int:
        return self.draft.view.meter.overheads.message + sum(self.draft.view.weights[at])

    def words_tokens(self, at: int) -> int:
        """Return the tokens of the words of a message."""
        counted = self._word_tokens[at]
        if counted >= 0:
            return counted
        # A message whose words are one block has been weighed when it came.
        return self.draft.view.weights[at][-1 - counted]

    @cached_property
    def _word_tokens(self) -> Tape[int]:
        return self.messages.fold(WordTokens(self.count, self.draft.view.meter.name))
