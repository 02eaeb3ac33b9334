"""Transcripts as the commands hold them: which conversation, whose messages, which model.

Reading and writing the formats is `steno.transcript`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from steno.core.error import BadInput, UnknownModel
from steno.core.log import Log
from steno.core.resent import resent
from steno.core.wire import Wire
from steno.meters import known
from steno.service.commands.source import Held, held, listed
from steno.session.setup import Told
from steno.transcript import Aside, Entry, Read, Transcript, conversations, opened
from steno.wire import chosen, decoded

_MODEL = re.compile(r'"model"\s*:\s*"([^"]+)"')
_ID = re.compile(r'"id"\s*:\s*"([^"\\]+)"')
PIECES_MOST = 2_000
"""How far back a model's name is looked for."""


@dataclass(frozen=True)
class Conversation:
    """The pieces of one conversation of a file."""

    name: str
    number: int
    pieces: list[Read]

    @property
    def entries(self) -> list[Entry]:
        return [piece for piece in self.pieces if isinstance(piece, Entry)]

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(piece.warning for piece in self.pieces if isinstance(piece, Aside) and piece.warning)

    @property
    def model(self) -> str | None:
        """The newest model that the file names and whose window is known."""
        for piece in islice(reversed(self.pieces), PIECES_MOST):
            for line in piece.lines:
                name = _MODEL.search(line)
                if name and _is_known(name[1]):
                    return name[1]
        return None

    def told(self, told: Told) -> Told:
        """The limits that were said; where none were, those of the model that the file names."""
        return told if told.window or told.model else told.over(model=self.model)

    def log(self, wire: Wire) -> Log:
        return resent(decoded(wire, [entry.message for entry in self.entries]))

    def held(self, transcript: Transcript, told: Told, wire: str | None = None) -> Held:
        way = chosen(wire or transcript.format.wire)
        log = self.log(way)
        texts = {at: entry.lines for at, entry in zip(_starts(log), self.entries, strict=True)}
        told = self.told(told)
        return held(self.name, transcript.format.name, way, log, told, texts=texts, warnings=self.warnings)


def _starts(log: Log) -> list[int]:
    """The position of each entry: one whose words are elsewhere stands for several, or there is none at all."""
    inside = {
        at
        for commit in log.commits
        for edit in commit.edits
        for at in range(edit.span.start + bool(edit.shows), edit.span.stop)
    }
    return [at for at in range(len(log.messages)) if at not in inside]


def _is_known(model: str) -> bool:
    try:
        return known(model).window > 0
    except UnknownModel:
        return False


def each(
    transcript: Transcript, pieces: Iterable[Read] | None = None, *, whole: bool = False
) -> Iterator[Conversation]:
    """The conversations of a file, one at a time; what stands before the first belongs to it.

    Asides are held only where the file is to be written again: they may be most of it.
    """
    many = transcript.format.many
    number = 0
    before: list[Read] = []
    read = transcript if pieces is None else pieces
    for found in conversations(transcript.format, read if whole else filter(_matters, read)):
        if many and not before and not any(piece.part == "head" for piece in found):
            before = found
            continue
        name = _name(found) or str(number) if many else stem(transcript.path)
        yield Conversation(name, number, before + found)
        before = []
        number += 1
    if before:
        yield Conversation(stem(transcript.path), number, before)


def _matters(piece: Read) -> bool:
    """It is said, warned of, begins a conversation or may name the model."""
    if isinstance(piece, Entry) or piece.part != "row" or piece.warning:
        return True
    return any(_MODEL.search(line) for line in piece.lines)


def _name(pieces: Sequence[Read]) -> str | None:
    head = next((piece.lines[0] for piece in pieces if piece.part == "head"), "")
    found = _ID.search(head)
    return found[1] if found else None


def stem(path: Path) -> str:
    """A file's name without what says its kind."""
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name


def filed(path: Path, name: str | None, told: Told, wire: str | None = None) -> Held:
    """The conversation of a transcript that is meant: by its name, its number, or as the only one."""
    transcript = opened(path)
    if name is None:
        found = list(islice(each(transcript), 2))
        if len(found) > 1:
            names = [conversation.name for conversation in islice(each(transcript), 11)]
            raise BadInput(f"{path} holds several conversations, say --session: {listed(names)}")
        if not found or not found[0].entries:
            raise BadInput(f"{path} holds no message")
        return found[0].held(transcript, told, wire)
    names = []
    for conversation in each(transcript):
        if name in (conversation.name, str(conversation.number)):
            return conversation.held(transcript, told, wire)
        names.append(conversation.name)
    raise BadInput(f"no conversation of {path} is named {name!r}; there are: {listed(names)}")
