"""Ask a writer about what is covered: in chunks that fit its window, then merge the answers.

Owns how the asks of one compaction are cut, sent and read, round by round: a map over chunks,
then as many merges as it takes until all lines fit. No ask is larger than the writer's window,
however long the span: if there are too few asks for all words, each result is sent in a shorter
excerpt. What stays in the view is shown too, marked, so that a writer knows how things went on
and repeats nothing. The words of a prompt are in `prompt`; which lines of a reply hold is
decided by `verify`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from steno.core.draft import Draft
from steno.core.effects import Ask, Asks, Replies, Rounds
from steno.core.log import Finding
from steno.core.message import Message
from steno.core.model import Complexity
from steno.core.summary import SummaryLine
from steno.facts.languages.detect import Language, language_of_user
from steno.summary.plan import WRITTEN_LINE_TOKENS, KeptWords
from steno.summary.previous import PreviousSummaries
from steno.summary.render import format_positions, render_line
from steno.writer.material import PROMPT_FENCE_TOKENS, Material, MaterialChunk
from steno.writer.prompt import (
    PromptBrief,
    PromptKind,
    kept_fence,
    left_out_note,
    numbered_notes,
    reply_schema,
)
from steno.writer.replies import ChunkNotes, ReplyChecker, WriterNotes
from steno.writer.session_words import SessionWords
from steno.writer.verify import Sources

SAFE_SHARE = 0.85
"""Share of a writer's window to use, because our meter may count less than its own."""
MIN_ROOM = 200
"""Tokens of room below which an ask is not worth its cost."""
OUTLINE_CHARACTERS = 80
"""Characters of each message in an ask that shares the agent's prefix."""
NOTES_SHARE = 0.33
"""Share of the room for notes on what came before."""
KEPT_SHARE = 0.15
"""Share of a writer's window for the lines that stay in the view anyway."""
FORM_TIMES, FORM_TOKENS = 1.5, 150
"""Tokens of a reply for each token of its lines, and besides: citations, JSON, headings."""
TERSE_BELOW = 6_000
"""Tokens of a writer's window below which its instructions are short."""
LEAST_PROSE = 30
"""Tokens of lines below which an answer is cut off in its form."""
READS_CHECK = "the_writer_reads_what_is_covered"


@dataclass(frozen=True)
class AskOptions:
    """How a policy wants a writer asked."""

    prose: int
    """Tokens of lines in an answer, without their citations."""
    thinking: bool
    complexity: Complexity
    share_prefix: bool


@dataclass(frozen=True)
class SummaryAsks:
    """The asks of one compaction."""

    draft: Draft
    messages: Mapping[int, Message]
    """Messages that are covered and no writer has read yet."""
    previous: PreviousSummaries
    kept: KeptWords
    options: AskOptions

    @cached_property
    def language(self) -> Language:
        return language_of_user(reversed(self.draft.view.messages))

    @cached_property
    def checker(self) -> ReplyChecker:
        return ReplyChecker(self.language, self.prose, self._count)

    @cached_property
    def prose(self) -> int:
        """Return the tokens of lines that one answer may hold."""
        most = ((self.draft.writer_window or 0) // 4 - FORM_TOKENS) / FORM_TIMES
        return max(LEAST_PROSE, min(self.options.prose, int(most)))

    @cached_property
    def max_tokens(self) -> int:
        """Return the tokens that an answer may take, its form and citations included."""
        return int(self.prose * FORM_TIMES) + FORM_TOKENS

    @cached_property
    def brief(self) -> PromptBrief:
        terse = (self.draft.writer_window or 0) < TERSE_BELOW
        return PromptBrief(str(self.language), self.draft.focus, self.prose, terse=terse)

    @cached_property
    def kept_block(self) -> tuple[str, ...]:
        """Return the fence with the lines that stay, rules first, as many as there is room for."""
        left = (self.draft.writer_window or 0) * KEPT_SHARE
        rows: list[str] = []
        for row in self.kept.lines.split("\n"):
            left -= self._count(row) + 1
            if left < 0:
                break
            rows.append(row)
        if not any(rows):
            return ()
        return (kept_fence("\n".join(rows)),)

    @cached_property
    def room(self) -> int:
        """Return the tokens of material in one ask, by the session's meter."""
        window = (self.draft.writer_window or 0) * SAFE_SHARE - self.max_tokens
        whole = int(window / max(1.0, self.draft.view.meter.ratio))
        fresh = self._count(self.brief.instructions("fresh", update=True))
        merge = self._count(self.brief.instructions("merge", update=True))
        form = self._count(reply_schema(update=True)) + PROMPT_FENCE_TOKENS
        return whole - max(fresh, merge) - form - sum(map(self._count, self.kept_block))

    @cached_property
    def asks_left(self) -> int:
        """Return how many asks may still be sent."""
        limits = self.draft.limits
        return max(0, min(limits.asks, limits.tokens // self.max_tokens) - len(self.draft.asked))

    @cached_property
    def notes(self) -> list[tuple[str, SummaryLine]]:
        """Return a writer's earlier lines, as many as an update can show."""
        kept: list[tuple[str, SummaryLine]] = []
        left = self.room * NOTES_SHARE
        for name, line in ChunkNotes(self.previous.written).lines:
            left -= self._count(render_line(line)) + 4
            if left < 0:
                break
            kept.append((name, line))
        return kept

    @cached_property
    def shared_ask(self) -> Ask | None:
        """Return the one ask that continues the agent's own request, if that fits the window."""
        if not self.options.share_prefix or self.draft.request is None:
            return None
        if self.draft.view.mending.open:
            # Nothing but its result may follow an open call: providers refuse a question there.
            return None
        system = self._instructions("shared", update=bool(self.notes))
        outline = str(self.outline)
        prompt = "\n\n".join((system, *self.kept_block, *self._notes_block(), outline))
        ask = self._build_ask("", prompt, update=bool(self.notes))
        load = self.draft.before + self.draft.view.meter.load(
            self._count(prompt) + self._count(ask.schema or "")
        )
        # Then the material is sent in chunks: a provider refuses a request over its window.
        if load + self.max_tokens + PROMPT_FENCE_TOKENS > (self.draft.writer_window or 0):
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
    def outline(self) -> MaterialChunk:
        """Return the first words of each message that goes, for a writer that has read them."""
        return self._hidden_material.outline(OUTLINE_CHARACTERS)

    @cached_property
    def _hidden_material(self) -> Material:
        hidden = tuple(self.messages.items())
        return Material(hidden, self.options.thinking, self._count, self.kept.messages)

    @cached_property
    def material(self) -> Material:
        """Return what goes, and between it what stays; in an update only what came since."""
        said = self.draft.view.messages
        first = min(self.messages, default=0) if self.notes else 0
        kept = {at: said[at] for at in self.kept.messages if at >= first}
        shown = sorted((kept | dict(self.messages)).items())
        return Material(shown, self.options.thinking, self._count, self.kept.messages)

    @cached_property
    def chunks_and_dropped(self) -> tuple[tuple[MaterialChunk, ...], tuple[int, ...]]:
        """Return the chunks, and the positions that found no place in them."""
        if self.shared_ask is not None:
            return (self.outline,), ()
        notes = self._count(numbered_notes(self.notes)) if self.notes else 0
        room = self.room - notes
        if room < MIN_ROOM or not self.asks_left:
            return (), tuple(self.messages)
        most = self._max_chunks(room)
        chunks, dropped = self.material.chunks(room, most)
        if dropped:
            # What stays gives way to what goes.
            chunks, dropped = self._hidden_material.chunks(room, most)
        telling = (chunk for chunk in chunks if self._hidden_in(chunk))
        return tuple(telling), tuple(at for at in dropped if at in self.messages)

    def _hidden_in(self, chunk: MaterialChunk) -> list[int]:
        return [at for at in chunk.positions if at in self.messages]

    def _max_chunks(self, room: int) -> int:
        """Return how many chunks leave enough asks for merging them."""
        fan = max(2, room // self.max_tokens)
        # As many as possible: the fewer chunks, the more of the past is left out of each.
        for most in range(self.asks_left, 1, -1):
            asks, rest = most, most
            while rest > 1:
                rest = -(-rest // fan)
                asks += rest
            if asks <= self.asks_left:
                return most
        return 1

    def next_asks(self, rounds: Rounds) -> Asks:
        """Return what to ask after these rounds; nothing if all has been read."""
        if not rounds:
            return self._first_asks()
        spent = sum(map(len, rounds))
        groups = self._merge_groups(self.read_rounds(rounds).parts)
        asks = tuple(self._ask_to_merge(group) for group in groups if len(group) > 1)
        if len(asks) <= self.asks_left - spent:
            return asks
        return ()

    def _first_asks(self) -> Asks:
        if self.shared_ask is not None:
            if self.asks_left:
                return (self.shared_ask,)
            return ()
        chunks, dropped = self.chunks_and_dropped
        asks: list[Ask] = []
        for chunk in chunks:
            # Told once, in the first ask: it is one gap, however many chunks there are.
            missing = () if asks else dropped
            asks.append(self._ask_about(chunk, missing, last=chunk is chunks[-1]))
        return tuple(asks)

    def _ask_about(self, chunk: MaterialChunk, missing: Sequence[int], *, last: bool) -> Ask:
        """Return the ask about a chunk; the newest one updates the notes of earlier summaries."""
        update = last and bool(self.notes)
        parts = [*self.kept_block]
        if update:
            parts += self._notes_block()
        parts.append(str(chunk))
        if missing:
            parts.append(left_out_note(format_positions(missing)))
        instructions = self._instructions("fresh", update=update)
        return self._build_ask(instructions, "\n\n".join(parts), update=update)

    def _ask_to_merge(self, group: Sequence[ChunkNotes]) -> Ask:
        lines = [line for part in group for line in part.lines]
        prompt = "\n\n".join((*self.kept_block, numbered_notes(lines)))
        return self._build_ask(self._instructions("merge"), prompt)

    def _instructions(self, kind: PromptKind, *, update: bool = False) -> str:
        noted = self._lines_size(self.notes) if update else 0
        return replace(self.brief, noted=noted).instructions(kind, update=update)

    def _notes_block(self) -> tuple[str, ...]:
        if self.notes:
            return (numbered_notes(self.notes),)
        return ()

    def _build_ask(self, system: str, prompt: str, *, update: bool = False) -> Ask:
        return Ask(
            prompt,
            self.max_tokens,
            system or None,
            purpose="summarize",
            schema=reply_schema(update=update),
            complexity=self.options.complexity,
        )

    def _merge_groups(self, parts: Sequence[ChunkNotes]) -> list[list[ChunkNotes]]:
        """Return neighbouring parts to merge; each part alone if all fit as they are."""
        sizes = [self._lines_size(part.lines) for part in parts]
        # Merging costs an ask and loses words: only if all the lines together are too long.
        if sum(sizes) <= self.options.prose or len(parts) == 1:
            return [[part] for part in parts]
        groups: list[list[ChunkNotes]] = []
        left = 0
        for part, size in zip(parts, sizes, strict=True):
            if size > left or not groups:
                groups.append([])
                left = self.room
            groups[-1].append(part)
            left -= size
        return groups

    def read_rounds(self, rounds: Rounds) -> WriterNotes:
        """Return what came of these rounds."""
        if not rounds:
            return WriterNotes()
        notes = self._read_first_round(rounds[0])
        for replies in rounds[1:]:
            notes = self._read_merge_round(notes, replies)
        return notes

    def _read_first_round(self, replies: Replies) -> WriterNotes:
        trouble: Counter[str] = Counter()
        removed: Counter[str] = Counter()
        parts: list[ChunkNotes] = []
        read: set[int] = set()
        gone: frozenset[SummaryLine] = frozenset()
        chunks, _ = self.chunks_and_dropped
        for at, (chunk, reply) in enumerate(zip(chunks, replies, strict=True)):
            sources = self._sources(chunk.positions, update=at == len(chunks) - 1)
            hidden = self._hidden_in(chunk)
            replaced = sum(sum(self.draft.view.weights[position]) for position in hidden)
            found = self.checker.check_reply(reply, sources, replaced, removed)
            if isinstance(found, str):
                trouble[found] += 1
                continue
            parts.append(ChunkNotes(self.checker.fit_lines(found.sections)))
            read.update(hidden)
            if at == len(chunks) - 1:
                gone = frozenset(
                    self.notes[n - 1][1] for n in found.gone if 0 < n <= len(self.notes)
                )
        return WriterNotes(tuple(parts), frozenset(read), gone, trouble, removed)

    def _read_merge_round(self, notes: WriterNotes, replies: Replies) -> WriterNotes:
        trouble, removed = Counter(notes.trouble), Counter(notes.removed)
        waiting = iter(replies)
        parts: list[ChunkNotes] = []
        for group in self._merge_groups(notes.parts):
            if len(group) == 1:
                parts += group
                continue
            lines = [line for part in group for _, line in part.lines]
            sources = self._sources(tuple({at for line in lines for at in line.cites}))
            found = self.checker.check_reply(
                next(waiting), sources, self._count("\n".join(map(render_line, lines))), removed
            )
            if isinstance(found, str):
                # They stay as they are, as many as one answer could have said.
                trouble[found] += 1
                parts.append(ChunkNotes(self.checker.fit_lines(WriterNotes(tuple(group)).sections)))
            else:
                parts.append(ChunkNotes(self.checker.fit_lines(found.sections)))
        return WriterNotes(tuple(parts), notes.read, notes.gone, trouble, removed)

    def _sources(self, positions: Iterable[int], *, update: bool = False) -> Sources:
        """Return what lines may rest on; in an update also what the earlier notes rest on."""
        noted = {at for _, line in self.notes for at in line.cites} if update else set()
        said = self.draft.view.messages
        held = {at: said[at] for at in sorted({*positions, *noted})}
        return Sources(held, self.session_words)

    @cached_property
    def session_words(self) -> SessionWords:
        return SessionWords(self.draft.view.messages, self.previous.unlogged_text)

    def _lines_size(self, lines: Sequence[tuple[str, SummaryLine]]) -> int:
        """Return the tokens of lines without their citations."""
        return sum(self._count(line.text) + WRITTEN_LINE_TOKENS for _, line in lines)

    def _count(self, text: str) -> int:
        return self.draft.view.meter.count(text)

    def findings(self, notes: WriterNotes, by: str) -> tuple[Finding, ...]:
        """Return what a commit reports of the asks; nothing is quoted."""
        chunks, dropped = self.chunks_and_dropped
        found = list(notes.findings(by))
        if dropped and chunks:
            what = f"the oldest {len(dropped)} messages found no place in {len(chunks)} asks"
            found.append(Finding(READS_CHECK, what, by))
        elif dropped:
            room = f"a window of {self.draft.writer_window:,} tokens and {self.asks_left} asks"
            found.append(Finding(READS_CHECK, f"{room} are too little to tell anything", by))
        return tuple(found)
