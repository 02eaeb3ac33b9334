"""Asking a writer about what is covered: in chunks that fit its window, then merging what came back.

Owns how the asks of one compaction are cut, put and heard, round by round: a map
over chunks, then as many merges as it takes until all lines fit. The
words of a prompt are `prompt`'s, what may be believed of a reply is said by
`ledger/prose`. However large the span, no ask is over the writer's window: where
the asks do not suffice for all words, each result is sent in a shorter excerpt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from steno.core.ask import Ask, Asks, Replies, Rounds
from steno.core.draft import Draft
from steno.core.log import Finding
from steno.core.message import Message
from steno.core.model import Complexity
from steno.ledger.language import Language, language_typed
from steno.ledger.prose import Sources
from steno.ledger.sections import Line
from steno.steps.earlier import Earlier
from steno.steps.hearing import Heard, Judge, Leaf
from steno.steps.prompt import Brief, noted, schema
from steno.steps.spoken import AROUND, Chunk, Scroll

SAFE = 0.85
"""Of a writer's window that is used: its tokens are counted by another's meter."""
SHORTEST = 200
"""Tokens of room under which a prompt says too little to be worth asking."""
OUTLINED = 80
"""Characters of each message in an ask that shares the agent's prefix."""
NOTES = 0.33
"""Of the room, for notes on what came before."""
READS = "the_writer_reads_what_is_covered"


@dataclass(frozen=True)
class Manner:
    """How a policy wants a writer asked."""

    prose: int
    thinking: bool
    complexity: Complexity
    share_prefix: bool


@dataclass(frozen=True)
class Asking:
    """The asks of one compaction."""

    draft: Draft
    messages: Mapping[int, Message]
    """What is covered and no writer has read yet."""
    earlier: Earlier
    manner: Manner

    @cached_property
    def speech(self) -> Language:
        return language_typed(reversed(self.draft.view.messages))

    @cached_property
    def judge(self) -> Judge:
        return Judge(self.speech, self.manner.prose, self._count)

    @cached_property
    def max_tokens(self) -> int:
        return max(1, min(self.manner.prose, (self.draft.writer or 0) // 4))

    @cached_property
    def brief(self) -> Brief:
        return Brief(str(self.speech), self.draft.focus, self.max_tokens)

    @cached_property
    def room(self) -> int:
        """Tokens of material in one ask, by the session's meter."""
        whole = ((self.draft.writer or 0) * SAFE - self.max_tokens) / max(1.0, self.draft.view.meter.ratio)
        words = max(self._count(self.brief.system(kind, update=True)) for kind in ("fresh", "merge"))
        return int(whole) - words - self._count(schema(update=True)) - AROUND

    @cached_property
    def left(self) -> int:
        """Asks that may still be put."""
        limits = self.draft.limits
        return max(0, min(limits.asks, limits.tokens // self.max_tokens) - len(self.draft.asked))

    @cached_property
    def notes(self) -> list[tuple[str, Line]]:
        """A writer's earlier lines, as many as an update can show."""
        kept: list[tuple[str, Line]] = []
        left = self.room * NOTES
        for each in Leaf(self.earlier.written).lines:
            left -= self._count(str(each[1])) + 4
            if left < 0:
                break
            kept.append(each)
        return kept

    @cached_property
    def shared(self) -> Ask | None:
        """The one ask that goes on from the agent's own request, where that is whole and fits the writer's window."""
        if not self.manner.share_prefix or self.draft.request is None:
            return None
        if self.draft.view.mending.open:
            # Nothing but its result may follow an open call: no provider would take our question there.
            return None
        system = self.brief.system("shared", update=bool(self.notes))
        prompt = "\n\n".join((system, *self._noted(), str(self.scroll.outline(OUTLINED))))
        ask = self._ask("", prompt, update=bool(self.notes))
        load = self.draft.before + self.draft.view.meter.load(self._count(prompt) + self._count(ask.schema or ""))
        if load + self.max_tokens + AROUND > (self.draft.writer or 0):
            return None
        return Ask(
            prompt,
            self.max_tokens,
            purpose=ask.purpose,
            schema=ask.schema,
            complexity=ask.complexity,
            after=self.draft.request(),
        )

    @cached_property
    def scroll(self) -> Scroll:
        return Scroll(tuple(self.messages.items()), self.manner.thinking, self.draft.view.meter.count)

    @cached_property
    def cut(self) -> tuple[tuple[Chunk, ...], int]:
        """The chunks, and how many messages found no place in them."""
        if self.shared is not None:
            return (self.scroll.outline(OUTLINED),), 0
        notes = self._count(noted(self.notes)) if self.notes else 0
        room = self.room - notes
        if room < SHORTEST or not self.left:
            return (), len(self.messages)
        return self.scroll.chunks(room, self._chunks_most(room))

    def _chunks_most(self, room: int) -> int:
        """As many as leave asks for merging them."""
        fan = max(2, room // self.max_tokens)
        for most in range(self.left, 1, -1):
            asks, rest = most, most
            while rest > 1:
                rest = -(-rest // fan)
                asks += rest
            if asks <= self.left:
                return most
        return 1

    def next(self, rounds: Rounds) -> Asks:
        """What to ask after these rounds; nothing where all is told."""
        if not rounds:
            return self._first()
        spent = sum(map(len, rounds))
        groups = self._groups(self.heard(rounds).leaves)
        asks = tuple(self._merging(group) for group in groups if len(group) > 1)
        return asks if len(asks) <= self.left - spent else ()

    def _first(self) -> Asks:
        if self.shared is not None:
            return (self.shared,) if self.left else ()
        chunks, _ = self.cut
        return tuple(self._telling(chunk, at == len(chunks) - 1) for at, chunk in enumerate(chunks))

    def _telling(self, chunk: Chunk, last: bool) -> Ask:
        """The newest part is told as an update of what was told before."""
        update = last and bool(self.notes)
        material = "\n\n".join((*(self._noted() if update else ()), str(chunk)))
        return self._ask(self.brief.system("fresh", update=update), material, update=update)

    def _merging(self, group: Sequence[Leaf]) -> Ask:
        lines = [line for leaf in group for line in leaf.lines]
        return self._ask(self.brief.system("merge"), noted(lines))

    def _noted(self) -> tuple[str, ...]:
        return (noted(self.notes),) if self.notes else ()

    def _ask(self, system: str, prompt: str, *, update: bool = False) -> Ask:
        return Ask(
            prompt,
            self.max_tokens,
            system or None,
            purpose="summarize",
            schema=schema(update=update),
            complexity=self.manner.complexity,
        )

    def _groups(self, leaves: Sequence[Leaf]) -> list[list[Leaf]]:
        """Neighbouring leaves that are merged together; each alone where all of them fit as they are."""
        sizes = [self._size(leaf.lines) for leaf in leaves]
        if sum(sizes) <= self.manner.prose:
            return [[leaf] for leaf in leaves]
        groups: list[list[Leaf]] = []
        left = 0
        for leaf, size in zip(leaves, sizes, strict=True):
            if size > left or not groups:
                groups.append([])
                left = self.room
            groups[-1].append(leaf)
            left -= size
        return groups

    def heard(self, rounds: Rounds) -> Heard:
        """What these rounds came to."""
        if not rounds:
            return Heard()
        heard = self._mapped(rounds[0])
        for replies in rounds[1:]:
            heard = self._merged(heard, replies)
        return heard

    def _mapped(self, replies: Replies) -> Heard:
        trouble: Counter[str] = Counter()
        removed: Counter[str] = Counter()
        leaves: list[Leaf] = []
        told: set[int] = set()
        gone: frozenset[Line] = frozenset()
        chunks, _ = self.cut
        for at, (chunk, reply) in enumerate(zip(chunks, replies, strict=True)):
            sources = self._sources(chunk.positions, update=at == len(chunks) - 1)
            replaced = sum(sum(self.draft.view.weights[position]) for position in chunk.positions)
            found = self.judge.read(reply, sources, replaced, removed)
            if isinstance(found, str):
                trouble[found] += 1
                continue
            leaves.append(Leaf(self.judge.bounded(found.sections)))
            told.update(chunk.positions)
            if at == len(chunks) - 1:
                gone = frozenset(self.notes[n - 1][1] for n in found.gone if 0 < n <= len(self.notes))
        return Heard(tuple(leaves), frozenset(told), gone, trouble, removed)

    def _merged(self, heard: Heard, replies: Replies) -> Heard:
        trouble, removed = Counter(heard.trouble), Counter(heard.removed)
        waiting = iter(replies)
        leaves: list[Leaf] = []
        for group in self._groups(heard.leaves):
            if len(group) == 1:
                leaves += group
                continue
            lines = [line for leaf in group for _, line in leaf.lines]
            sources = self._sources(tuple({at for line in lines for at in line.cites}))
            found = self.judge.read(next(waiting), sources, self._count("\n".join(map(str, lines))), removed)
            if isinstance(found, str):
                # They stay as they are, as many as one answer could have said.
                trouble[found] += 1
                leaves.append(Leaf(self.judge.bounded(Heard(tuple(group)).sections)))
            else:
                leaves.append(Leaf(self.judge.bounded(found.sections)))
        return Heard(tuple(leaves), heard.told, heard.gone, trouble, removed)

    def _sources(self, positions: Iterable[int], *, update: bool = False) -> Sources:
        """What lines about these positions may rest on; an update also on what the notes rest on."""
        noted = {at for _, line in self.notes for at in line.cites} if update else set()
        said = self.draft.view.messages
        held = {at: said[at] for at in sorted({*positions, *noted})}
        return Sources(held, self.earlier.words if noted else "")

    def _size(self, lines: Sequence[tuple[str, Line]]) -> int:
        return sum(self._count(str(line)) + 8 for _, line in lines)

    def _count(self, text: str) -> int:
        return self.draft.view.meter.count(text)

    def findings(self, heard: Heard, by: str) -> tuple[Finding, ...]:
        """What a commit should say of the asking; nothing is quoted."""
        chunks, dropped = self.cut
        found = list(heard.findings(by))
        if dropped and chunks:
            found.append(Finding(READS, f"the oldest {dropped} messages found no place in {len(chunks)} asks", by))
        elif dropped:
            what = f"a window of {self.draft.writer:,} tokens and {self.left} asks are too little to tell anything"
            found.append(Finding(READS, what, by))
        return tuple(found)
