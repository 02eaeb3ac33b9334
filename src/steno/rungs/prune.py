"""Prune: hide a block that a later one stands for, and say where it is to be seen.

That is the same result again, nearly the same, a file or a question that was read again later,
a plan that a newer one replaced. The newest copy always stays. A result still answers its call:
the short line in its place names the block that shows its words. Which block stands for which is
decided by `repeated`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.fence import Fence
from steno.core.log import Edit, Proposal
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Role, Span, Text, Value
from steno.core.rung import Rung
from steno.facts.errors import has_failed
from steno.facts.vocabulary import KNOWN_TOOLS, Vocabulary, decode_arguments
from steno.rungs.repeated import (
    Passage,
    Place,
    Repeat,
    RepeatKind,
    Subject,
    find_repeats,
    subject_of_call,
)

_NOTE_TEXTS: dict[RepeatKind, str] = {
    "same": "the same as {by}, {where}",
    "like": "all of it is in {by}, {where}",
    "newer": "{by}, {where}, is newer",
}
_ORDER: tuple[RepeatKind, ...] = ("same", "like", "newer")
_PLACE = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
_COUNT = re.compile(r"[0-9]{1,12}")


class Prune(Rung, tag="prune"):
    """Under pressure: hide what later blocks stand for, oldest first, until the draft fits."""

    least: int = 60
    """Tokens below which a block is left alone."""
    share: float = 0.9
    """Share of its lines that a near copy must have."""
    keep: int = 600
    """Characters of the lines that a near copy lacks, at most; those stay."""
    tools: Vocabulary = KNOWN_TOOLS

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        blocks = {block.place: block for block in _blocks(draft)}
        notes = _notes(blocks.values())
        proposals: list[Proposal] = []
        saved = 0
        for repeat in find_repeats(list(self._passages(blocks.values())), self.share, self.keep):
            # Each hidden block changes the provider's cached prefix: no more of them than needed.
            if saved >= draft.excess:
                break
            changed = list(self._notes_for(repeat, blocks, notes))
            edits = tuple(blocks[note.place].edit_showing(note, self.label) for note in changed)
            gain = -sum(map(draft.view.weigh_edit, edits))
            for block in (blocks[note.place] for note in changed):
                gain += block.tokens if block.is_whole else draft.view.meter.block(block.shown)
            # A note may be longer than a small block; hiding that would cost tokens.
            if gain > 0:
                saved += gain
                proposals.append(Proposal(edits, self.label))
        return tuple(proposals)

    def _passages(self, blocks: Iterable[_Block]) -> Iterator[Passage]:
        """Yield what is shown with all its words and is worth comparing."""
        blocks = list(blocks)
        calls = {block.shown.id: block for block in blocks if isinstance(block.shown, Call)}
        answers = {
            block.shown.call: block.shown for block in blocks if isinstance(block.shown, Result)
        }
        for block in blocks:
            # What is already shortened cannot stand for the whole, nor be compared with it.
            if block.tokens < self.least or not block.is_whole:
                continue
            if isinstance(block.shown, Call):
                about = subject_of_call(block.shown, self.tools)
                # A file that it writes whole, or a plan.
                text = about.writes or block.shown.arguments
                if about.writes or about.plan:
                    answer = answers.get(block.shown.id)
                    failed = answer is not None and has_failed(answer)
                    yield Passage(block.place, text, about, True, failed, block.free)
                continue
            call = calls.get(block.shown.call)
            about = Subject("")
            if call is not None and isinstance(call.said, Call):
                about = subject_of_call(call.said, self.tools).of_result
            yield Passage(
                block.place, block.shown.text, about, flagged=block.shown.error, free=block.free
            )

    def _notes_for(
        self, repeat: Repeat, blocks: Mapping[Place, _Block], notes: Mapping[Place, list[PruneNote]]
    ) -> Iterator[PruneNote]:
        """Yield the note for what is hidden, and earlier notes that must now lead past it."""
        hidden = blocks[repeat.passage.place]
        size = hidden.tokens, hidden.characters
        note = PruneNote(hidden.place, repeat.how, repeat.by.place, *size, repeat.lacks)
        yield note
        for earlier in notes.get(hidden.place, ()):
            # A reader follows one note, not a chain: earlier ones lead to the block that is shown.
            onward = earlier.redirect(note)
            if sum(len(line) + 1 for line in onward.lacks) <= self.keep:
                yield onward


class PruneNote(Value):
    """The short line in the place of a block."""

    place: Place
    how: RepeatKind
    by: Place
    """The block that stands for it."""
    tokens: int
    characters: int
    lacks: tuple[str, ...] = ()
    """Its lines that are not there."""

    def __str__(self) -> str:
        at, by = (f"{position}.{block}" for position, block in (self.place, self.by))
        label = {"kind": "pruned", "at": at, self.how: by}
        label |= {"tokens": str(self.tokens), "characters": str(self.characters)}
        where = ("below", "above")[self.leads_up]
        text = _NOTE_TEXTS[self.how].format(by=by, where=where)
        if self.lacks:
            text += ", but for these lines"
        return str(Fence(label, "\n".join((f"[{text}]", *self.lacks))))

    @classmethod
    def parse(cls, text: str, place: Place) -> PruneNote | None:
        """Return our note on this very block, also from a list that came back, or None."""
        fence = Fence.parse(text)
        how = next((how for how in _ORDER if fence and how in fence.label), None)
        if fence is None or how is None or fence.label.get("kind") != "pruned":
            return None
        by = _PLACE.fullmatch(fence.label[how])
        counts = [fence.label.get(key, "") for key in ("tokens", "characters")]
        if by is None or not all(map(_COUNT.fullmatch, counts)):
            return None
        tokens, characters = map(int, counts)
        lacks = tuple(fence.body.split("\n")[1:])
        note = cls(place, how, (int(by[1]), int(by[2])), tokens, characters, lacks)
        # A text that we would not write like this is not ours.
        if str(note) == text:
            return note
        return None

    def redirect(self, named: PruneNote) -> PruneNote:
        """Return this note led on from a block that is hidden now: it lacks what either lacks."""
        # The weaker claim of the two: "the same" and then "newer" is only "newer".
        how = max(self.how, named.how, key=_ORDER.index)
        return replace(
            self, how=how, by=named.by, lacks=tuple(dict.fromkeys((*self.lacks, *named.lacks)))
        )

    @property
    def leads_up(self) -> bool:
        """Whether it stands for a copy that came later: `Arrive` writes those."""
        return self.by < self.place


class _Block(Value):
    """A call or a result, and how it is shown."""

    place: Place
    role: Role
    said: Block
    shown: Call | Result
    tokens: int
    """Of it as said."""
    free: bool
    """Neither pinned nor of the tail."""

    @property
    def is_whole(self) -> bool:
        """Tell whether it is shown with all its words, and is text alone."""
        match self.shown, self.said:
            case Call(_, _, arguments), Call(_, _, said):
                return arguments == said
            case Result(_, content), Result(_, all_of_it):
                return (
                    content == all_of_it
                    and all(isinstance(part, Text) for part in content)
                    and not self.note
                )
        return False

    @property
    def characters(self) -> int:
        if isinstance(self.shown, Call):
            return len(self.shown.arguments)
        return len(self.shown.text)

    @property
    def note(self) -> PruneNote | None:
        """Return the note that stands in its place, if any."""
        if isinstance(self.shown, Result):
            return PruneNote.parse(self.shown.text, self.place)
        if "<steno-" not in self.shown.arguments:
            return None
        for value in _parse_arguments(self.shown).values():
            note = PruneNote.parse(value, self.place) if isinstance(value, str) else None
            if note is not None:
                return note
        return None

    def edit_showing(self, note: PruneNote | None, by: str) -> Edit:
        """Return the edit that shows a note instead; without one, all words of a result."""
        position, at = self.place
        match self.shown:
            case Result(call, _, error):
                content: tuple[Text | Media | Opaque, ...] = (Text(str(note)),)
                if note is None and isinstance(self.said, Result):
                    content = self.said.content
                block: Block = Result(call, content, error)
            case Call(id, name) if note is not None and isinstance(self.said, Call):
                block = Call(id, name, _short_arguments(self.said, note))
        return Edit(
            Span(position, position + 1), (Message(self.role, (block,), by="steno"),), by, block=at
        )


def show_newest_copies(draft: Draft) -> Draft:
    """Return the draft in which a result that may leave the view is not what copies lead up to.

    The newest copy is shown whole, and the others lead down to it: as if all had been whole.
    """
    blocks = {block.place: block for block in _blocks(draft)}
    copies: dict[Place, list[_Block]] = {}
    for block in blocks.values():
        note = block.note
        if note is not None and note.leads_up and not note.lacks:
            copies.setdefault(note.by, []).append(block)
    edits: list[Edit] = []
    for place, (*others, newest) in copies.items():
        first = blocks.get(place)
        if first is None or not first.free or not first.is_whole or newest.shown == newest.said:
            continue
        edits.append(newest.edit_showing(None, Prune().label))
        for block in (first, *others):
            note = PruneNote(block.place, "same", newest.place, first.tokens, first.characters)
            edits.append(block.edit_showing(note, Prune().label))
    if not edits:
        return draft
    return draft.accept(Proposal(tuple(edits), Prune().label))


def _blocks(draft: Draft) -> Iterator[_Block]:
    """Yield all calls and results that the view shows, oldest first."""
    for item in draft.view.items:
        if item.main is None:
            continue
        position = item.span.start
        role = item.shows[item.main].role
        free = draft.may_cover(item)
        said = draft.view.messages[position].blocks
        for at, tokens, shown in draft.view.blocks(item):
            if len(shown) == 1 and isinstance(shown[0], Call | Result):
                yield _Block((position, at), role, said[at], shown[0], tokens, free)


def _notes(blocks: Iterable[_Block]) -> dict[Place, list[PruneNote]]:
    """Return the notes that may still be changed, by the block they name."""
    notes: dict[Place, list[PruneNote]] = {}
    for block in blocks:
        note = block.note if block.free else None
        if note:
            notes.setdefault(note.by, []).append(note)
    return notes


def _short_arguments(plan: Call, note: PruneNote) -> str:
    """Return a plan's arguments with a note for its lists or text, or for an earlier note."""
    short: dict[str, object] = {}
    for key, value in _parse_arguments(plan).items():
        earlier = isinstance(value, str) and PruneNote.parse(value, note.place)
        # The other arguments are short, and a provider checks them against the tool's schema.
        if earlier or isinstance(value, list) or key == "plan":
            value = str(note)
        short[key] = value
    return json.dumps(short, ensure_ascii=False, separators=(",", ":"))


def _parse_arguments(call: Call) -> dict[str, object]:
    read = decode_arguments(call.arguments)
    return read if isinstance(read, dict) else {}
