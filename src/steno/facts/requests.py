"""What a person asks for: questions and requests, and calling them off.

Every message of a person asks for something, unless it only thanks or calls off. Of a
long message the sentences that ask are kept, else its first. What is left for later ("TODO: …",
"we still need to …") no reply closes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from steno.core.message import Message, Text
from steno.facts.authorship import AuthoredText
from steno.facts.fact import Fact
from steno.facts.languages import closest_languages, cue, holds, rows_pattern
from steno.facts.sentences import clip_sentence, cued_sentences, sentences

ASKS_MOST = 4
"""Sentences kept of one message."""
ASKED_MOST = 400
"""Characters kept of one message, beyond its first asking sentence."""
SHORT = 120
"""Characters up to which a message can be mere thanks, call off, or be an answer."""
ANSWER = "answer"
"""The key of a message so short that it may answer what the assistant asked last."""

_QUESTION = re.compile(r"(?:[?？]|[吗呢])\W*$")
_COMMAND = re.compile(r"<command-name>(/[\w:.-]{1,80})</command-name>")


@cache
def _repeated(name: str) -> re.Pattern[str]:
    """Return a pattern for one or more words of a cue."""
    return re.compile(rf"(?:\W*(?:{rows_pattern(name)})(?![\w-]))+\W*", re.I)


def read_requests(message: Message, pieces: list[AuthoredText]) -> Iterator[Fact]:
    """Yield what a person asks in this message, or takes back."""
    own = [
        piece for piece in pieces if piece.trust == "person" and piece.prose and piece.text.strip()
    ]
    whole = "".join(piece.text for piece in own).strip()
    if not own:
        for at, command in slash_commands(message):
            yield Fact("open", command, "person", at, "", "ask")
        return
    if is_pleasantry(whole) and not _repeated("go").fullmatch(whole):
        yield Fact("close", whole, "person", own[0].block, note="ask")
        return
    off = _off().match(whole)
    if off is not None:
        yield Fact("close", off[0].strip(), "person", own[0].block, note="ask")
        # Hardly a word beside those that call off: nothing new is asked.
        if len(whole) - off.end() < len(off[0]) and len(whole) <= SHORT:
            return
    left = [
        (words, piece.block) for piece in own for words, _ in cued_sentences(piece.text, "later")
    ]
    for words, block in left[:ASKS_MOST]:
        yield Fact("open", words, "person", block, "", "later")
    key = ANSWER if len(whole) <= SHORT else ""
    for words, block in _asking_sentences(own):
        if (words, block) not in left:
            yield Fact("open", words, "person", block, key, "ask")


def is_pleasantry(whole: str) -> bool:
    """Tell whether a message of a person only thanks or praises."""
    return len(whole) <= SHORT and _repeated("thanks").fullmatch(whole) is not None


@cache
def _off() -> re.Pattern[str]:
    return re.compile(
        r"\W{0,8}(?>(?:no|oh|ok|okay|actually|wait|sorry|hm+|ach|ah|nein|non)[,.! ]+)*"
        rf"(?:{rows_pattern('off')})"
        r"(?=\W*$|\s*[,.;!:—–-]|[，。！]| (?:for now|and|then|und|et|y)\b)",
        re.I,
    )


def _asking_sentences(own: list[AuthoredText]) -> list[tuple[str, int]]:
    """Return the sentences that ask, bounded; without any, the first that says something."""
    first: list[tuple[str, int]] = []
    kept: list[tuple[str, int]] = []
    for words, block in _said_sentences(own):
        clipped = (clip_sentence(words), block)
        first = first or [clipped]
        if not asks_something(words):
            continue
        length = sum(len(one) for one, _ in kept) + len(clipped[0])
        if kept and (len(kept) == ASKS_MOST or length > ASKED_MOST):
            break
        kept.append(clipped)
    return kept or first


def _said_sentences(own: list[AuthoredText]) -> Iterator[tuple[str, int]]:
    """Yield the sentences with a letter or a digit in them, each with its block."""
    for piece in own:
        for start, stop in sentences(piece.text):
            words = piece.text[start:stop]
            if any(map(str.isalnum, words)):
                yield words, piece.block


def asks_something(sentence: str) -> bool:
    """Tell whether a sentence has the form of a request or a question."""
    return _QUESTION.search(sentence) is not None or holds("asks", sentence)


def slash_commands(message: Message) -> Iterator[tuple[int, str]]:
    """Yield the slash command that a person typed, and its block; a program wrote the tags."""
    for at, block in enumerate(message.blocks):
        # A program's own commands (`/exit`) put the name first and want no answer.
        if isinstance(block, Text) and block.text.lstrip().startswith("<command-message>"):
            found = _COMMAND.search(block.text)
            if found is not None:
                yield at, found[1]


def begins_with_imperative(sentence: str) -> bool:
    """Tell whether a sentence begins with what to do."""
    return cue("bids", closest_languages(sentence)).begins(sentence.strip().lower())


def gives_orders(sentence: str) -> bool:
    """Tell whether a sentence orders its reader about."""
    return holds("orders", sentence)


def speaks_for_a_person(sentence: str) -> bool:
    """Tell whether a sentence says what a person wants or decided."""
    return holds("for_user", sentence)
