"""Ask a writer about what is covered: in chunks that fit its window, then merge the answers.

Owns how the asks of one compaction are cut, sent and read, round by round: a map over chunks, then
as many merges as it takes until all lines fit. No ask is larger than the writer's window, however
long the span: if there are too few asks for all words, each result is sent in a shorter excerpt.
What stays in the view is shown too, marked, so that a writer knows how things went on and repeats
nothing. The words of a prompt are in `prompt`; which lines of a reply hold is decided by `verify`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import msgspec

from steno.core.draft import Draft
from steno.core.effects import Ask, Asks, Replies, Rounds
from steno.core.fence import Fence
from steno.core.log import Finding
from steno.core.message import Message
from steno.core.model import Complexity
from steno.core.summary import Sections, SummaryLine
from steno.facts.languages.detect import Language, language_of_user
from steno.summary.plan import WRITTEN_LINE_TOKENS, KeptWords, fit_written
from steno.summary.read_back import PreviousSummaries
from steno.summary.render import format_positions, render_line
from steno.summary.story import fold_story
from steno.writer.material import PROMPT_FENCE_TOKENS, Material, MaterialChunk
from steno.writer.prompt import (
    PromptBrief,
    PromptKind,
    left_out_note,
    numbered_notes,
    reply_schema,
)
from steno.writer.replies import SECTION_ORDER, IsShort, WriterNotes, check_reply, named_lines
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
class SummaryAsks:
    """The asks of one compaction."""

    draft: Draft
    messages: Mapping[int, Message]
    """Messages that are covered and no writer has read yet."""
    previous: PreviousSummaries
    kept: KeptWords
    lines_most: int
    """Tokens of lines in an answer, without their citations."""
    thinking: bool
    complexity: Complexity
    share_prefix: bool

    @cached_property
    def window(self) -> int:
        return self.draft.writer_window or 0

    @cached_property
    def language(self) -> Language:
        return language_of_user(reversed(self.draft.view.messages))

    @cached_property
    def prose(self) -> int:
        """Return the tokens of lines that one answer may hold."""
        most = (self.window // 4 - FORM_TOKENS) / FORM_TIMES
        return max(LEAST_PROSE, min(self.lines_most, int(most)))

    @cached_property
    def max_tokens(self) -> int:
        """Return the tokens that an answer may take, its form and citations included."""
        return int(self.prose * FORM_TIMES) + FORM_TOKENS

    @cached_property
    def brief(self) -> PromptBrief:
        terse = self.window < TERSE_BELOW
        return PromptBrief(str(self.language), self.draft.focus, self.prose, terse=terse)

    @cached_property
    def kept_block(self) -> str:
        """Return the fence with the lines that stay, constraints first, as many as have room."""
        rows = self.kept.lines.split("\n")
        sizes = accumulate(self._count(row) + 1 for row in rows)
        lines = "\n".join(rows[: sum(size <= self.window * KEPT_SHARE for size in sizes)])
        return str(Fence({"kind": "kept"}, lines)) if lines.strip() else ""

    @cached_property
    def room(self) -> int:
        """Return the tokens of material in one ask, by the session's meter."""
        window = self.window * SAFE_SHARE - self.max_tokens
        whole = int(window / max(1.0, self.draft.view.meter.ratio))
        fresh = self._count(self.brief.instructions("fresh", update=True))
        merge = self._count(self.brief.instructions("merge", update=True))
        form = self._count(reply_schema(update=True)) + PROMPT_FENCE_TOKENS
        return whole - max(fresh, merge) - form - self._count(self.kept_block)

    @cached_property
    def asks_left(self) -> int:
        """Return how many asks may still be sent."""
        limits = self.draft.limits
        return max(0, min(limits.asks, limits.tokens // self.max_tokens) - len(self.draft.asked))

    @cached_property
    def notes(self) -> list[tuple[str, SummaryLine]]:
        """Return a writer's earlier lines, as many as an update can show."""
        lines = named_lines(self.previous.written)
        sizes = accumulate(self._count(render_line(line)) + 4 for _, line in lines)
        return lines[: sum(size <= self.room * NOTES_SHARE for size in sizes)]

    @cached_property
    def notes_block(self) -> str:
        return numbered_notes(self.notes)

    @cached_property
    def shared_ask(self) -> Ask | None:
        """Return the one ask that continues the agent's own request, if that fits the window."""
        if not self.share_prefix or self.draft.request is None:
            return None
        if self.draft.view.mending.open:
            # Nothing but its result may follow an open call: providers refuse a question there.
            return None
        update = bool(self.notes)
        system = self._instructions("shared", update=update)
        prompt = _joined(system, self.kept_block, self.notes_block, str(self.outline))
        ask = self._build_ask("", prompt, update=update)
        load = self.draft.before + self.draft.view.meter.load(
            self._count(prompt) + self._count(ask.schema or "")
        )
        # Then the material is sent in chunks: a provider refuses a request over its window.
        if load + self.max_tokens + PROMPT_FENCE_TOKENS > self.window:
            return None
        return msgspec.structs.replace(ask, after=self.draft.request())

    @cached_property
    def outline(self) -> MaterialChunk:
        """Return the first words of each message that goes, for a writer that has read them."""
        return self._material(self.messages).outline(OUTLINE_CHARACTERS)

    def _material(self, messages: Mapping[int, Message]) -> Material:
        shown = sorted(messages.items())
        return Material(shown, self.thinking, self._count, self.kept.messages)

    def _with_kept(self) -> dict[int, Message]:
        """Return what goes, and between it what stays; in an update only what came since."""
        said = self.draft.view.messages
        first = 0
        if self.notes:
            first = min(self.messages, default=0)
        return {at: said[at] for at in self.kept.messages if at >= first} | dict(self.messages)

    @cached_property
    def chunks_and_dropped(self) -> tuple[tuple[MaterialChunk, ...], tuple[int, ...]]:
        """Return the chunks, and the positions that found no place in them."""
        if self.shared_ask is not None:
            return (self.outline,), ()
        room = self.room - self._count(self.notes_block)
        if room < MIN_ROOM or not self.asks_left:
            return (), tuple(self.messages)
        most = self._max_chunks(room)
        chunks, dropped = self._material(self._with_kept()).chunks(room, most)
        if dropped:
            # What stays gives way to what goes.
            chunks, dropped = self._material(self.messages).chunks(room, most)
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
        if len(asks) > self.asks_left - spent:
            return ()
        return asks

    def _first_asks(self) -> Asks:
        if self.shared_ask is None:
            return tuple(map(self._ask_about, self.chunks_and_dropped[0]))
        if self.asks_left:
            return (self.shared_ask,)
        return ()

    def _ask_about(self, chunk: MaterialChunk) -> Ask:
        """Return the ask about a chunk; the newest one updates the notes of earlier summaries."""
        chunks, dropped = self.chunks_and_dropped
        update = chunk is chunks[-1] and bool(self.notes)
        notes = left_out = ""
        if update:
            notes = self.notes_block
        # Told once, in the first ask: it is one gap, however many chunks there are.
        if dropped and chunk is chunks[0]:
            left_out = left_out_note(format_positions(dropped))
        prompt = _joined(self.kept_block, notes, str(chunk), left_out)
        return self._build_ask(self._instructions("fresh", update=update), prompt, update=update)

    def _ask_to_merge(self, group: Sequence[Sections]) -> Ask:
        lines = [line for part in group for line in named_lines(part)]
        prompt = _joined(self.kept_block, numbered_notes(lines))
        return self._build_ask(self._instructions("merge"), prompt)

    def _instructions(self, kind: PromptKind, *, update: bool = False) -> str:
        brief = replace(self.brief, noted=self._lines_size(self.notes))
        return brief.instructions(kind, update=update)

    def _build_ask(self, system: str, prompt: str, *, update: bool = False) -> Ask:
        return Ask(
            prompt,
            self.max_tokens,
            system or None,
            purpose="summarize",
            schema=reply_schema(update=update),
            complexity=self.complexity,
        )

    def _merge_groups(self, parts: Sequence[Sections]) -> list[list[Sections]]:
        """Return neighbouring parts to merge; each part alone if all fit as they are."""
        sizes = [self._lines_size(named_lines(part)) for part in parts]
        # Merging costs an ask and loses words: only if all the lines together are too long.
        if sum(sizes) <= self.lines_most or len(parts) == 1:
            return [[part] for part in parts]
        groups: list[list[Sections]] = []
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
        parts: list[Sections] = []
        read: set[int] = set()
        gone: frozenset[SummaryLine] = frozenset()
        chunks, _ = self.chunks_and_dropped
        for chunk, reply in zip(chunks, replies, strict=True):
            is_last = chunk is chunks[-1]
            hidden = self._hidden_in(chunk)
            sources = self._sources(chunk.positions, update=is_last)
            is_short = self._shorter_than(sum(sum(self.draft.view.weights[at]) for at in hidden))
            found = check_reply(reply, sources, self.language, is_short, removed)
            if isinstance(found, str):
                trouble[found] += 1
                continue
            parts.append(self._fitted(found.sections))
            read.update(hidden)
            if is_last:
                numbers = [n for n in found.gone if 0 < n <= len(self.notes)]
                gone = frozenset(self.notes[n - 1][1] for n in numbers)
        return WriterNotes(tuple(parts), frozenset(read), gone, trouble, removed)

    def _read_merge_round(self, notes: WriterNotes, replies: Replies) -> WriterNotes:
        trouble, removed = Counter(notes.trouble), Counter(notes.removed)
        waiting = iter(replies)
        parts: list[Sections] = []
        for group in self._merge_groups(notes.parts):
            if len(group) == 1:
                parts += group
                continue
            lines = [line for part in group for _, line in named_lines(part)]
            sources = self._sources({at for line in lines for at in line.cites})
            is_short = self._shorter_than(self._count("\n".join(map(render_line, lines))))
            found = check_reply(next(waiting), sources, self.language, is_short, removed)
            if isinstance(found, str):
                # They stay as they are, as many as one answer could have said.
                trouble[found] += 1
                parts.append(self._fitted(WriterNotes(tuple(group)).sections))
            else:
                parts.append(self._fitted(found.sections))
        return WriterNotes(tuple(parts), notes.read, notes.gone, trouble, removed)

    def _shorter_than(self, tokens: int) -> IsShort:
        return lambda text: self._count(text) < tokens

    def _fitted(self, sections: Sections) -> Sections:
        """Return as many lines as one answer may hold, in turn from each section."""
        ordered = {name: sections[name] for name in SECTION_ORDER if name in sections}
        return fit_written(ordered, self.prose, self._count)

    def _sources(self, positions: Iterable[int], *, update: bool = False) -> Sources:
        """Return what lines may rest on; in an update also what the earlier notes rest on."""
        shown = set(positions)
        if update:
            shown.update(at for _, line in self.notes for at in line.cites)
        said = self.draft.view.messages
        held = {at: said[at] for at in sorted(shown)}
        relayed = said.fold(fold_story).relayed
        answers = {at: words for at, words in relayed if at in held and words.startswith("USER, ")}
        return Sources(held, self.session_words, answers)

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
        if not dropped:
            return tuple(notes.findings(by))
        what = f"the oldest {len(dropped)} messages found no place in {len(chunks)} asks"
        if not chunks:
            room = f"a window of {self.window:,} tokens and {self.asks_left} asks"
            what = f"{room} are too little to tell anything"
        return (*notes.findings(by), Finding(READS_CHECK, what, by))


def _joined(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))
