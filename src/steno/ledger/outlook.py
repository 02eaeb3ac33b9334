"""What a log looks like to who must choose from it: its ledger, its names, its files, and their worth.

Owns putting those together, once for a compaction; each of them has its own
module. Everything here is a function of messages and two numbers.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from steno.core.message import Call, Message, Result
from steno.ledger.artifact import touched
from steno.ledger.ledger import Ledger
from steno.ledger.rarity import Rare
from steno.ledger.said import Mention, mentions
from steno.ledger.worth import Focused, Likely, Place, Scorer, Shown

CHANGES = ("edited", "written", "created")
BUSY_FROM = 2
Scoring = Literal["likely", "rarity"]
"""By what worth is told: the measured rates, or how rare the words are in this session."""
_IN_PART = re.compile(r'"(?:offset|limit|start_line|end_line|view_range|line_start|lines)"')


@dataclass(frozen=True)
class Read:
    """A result that shows a file."""

    path: str
    in_part: bool


@dataclass(frozen=True)
class Outlook:
    messages: Sequence[Message]
    recent: int
    focus: str = ""
    scoring: Scoring = "likely"

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger.of(self.messages)

    @cached_property
    def reads(self) -> dict[Place, Read]:
        """The results that show a file."""
        return dict(_reads(self.messages))

    @cached_property
    def mentions(self) -> dict[str, Mention]:
        return mentions(self.messages, {position for position, _ in self.reads})

    @cached_property
    def likely(self) -> Scorer:
        if self.scoring == "rarity":
            return Focused.on(Rare.of(self.messages), self.focus)
        typed = frozenset(
            at for at, message in enumerate(self.messages) if message.role == "user" and not message.only_results
        )
        return Focused.on(Likely(self.mentions, self._files(typed), typed, self.recent), self.focus)

    def _files(self, typed: frozenset[int]) -> dict[Place, Shown]:
        actions = {thing.key: thing.actions for thing in self.ledger.touched}
        folders = Counter(
            posixpath.dirname(path) for path, done in actions.items() for action, _ in done if action in CHANGES
        )
        words = "\n".join(self.messages[at].text for at in typed)
        whole = {read.path: at for (at, _), read in self.reads.items() if not read.in_part}
        return {
            place: Shown(
                edits=sum(action in CHANGES for action, when in actions.get(read.path, ()) if when > place[0]),
                read_again=whole.get(read.path, -1) > place[0],
                in_part=read.in_part,
                named=posixpath.basename(read.path) in words,
                busy=folders[posixpath.dirname(read.path)] >= BUSY_FROM,
            )
            for place, read in self.reads.items()
        }


def _reads(messages: Sequence[Message]) -> Iterator[tuple[Place, Read]]:
    waiting: dict[str | None, Call] = {}
    for at, message in enumerate(messages):
        for block, result in enumerate(message.blocks):
            call = waiting.get(result.call) if isinstance(result, Result) else None
            done = touched(call) if call else ()
            paths = [touch.key for touch in done if touch.action == "read"]
            if call and len(paths) == 1 and all(touch.action == "read" for touch in done):
                yield (at, block), Read(paths[0], _IN_PART.search(call.arguments) is not None)
        waiting |= {call.id: call for call in message.calls}
