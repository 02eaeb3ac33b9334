"""All words of a session, to hold a writer's line against.

Owns what counts as known: a name, a number or a word that stands somewhere in the session, and
how much of a line is among some words. What follows for a line is decided by `verify`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from steno.core.message import Call, Message
from steno.facts.authorship import split_by_author
from steno.facts.identifiers import find_identifiers, quoted_names
from steno.facts.imperatives import begins_with_imperative, gives_orders
from steno.facts.languages import LANGUAGES, words_in_every_language
from steno.facts.languages.cues import HAN, han_pairs
from steno.facts.languages.detect import Language
from steno.facts.text import flatten, message_text

STEM = 5
"""Letters of a word that stand for all its forms."""
DIGITS_OF_A_NAME = 5
"""Digits from which on a number names something; a smaller one may have been computed."""

_NUMBER = re.compile(r"\d+(?:[.,:'’_]\d+)*")
_GROUPED = re.compile(r"[,'’_](?=\d{3}(?!\d))")
WORD = re.compile(r"[^\W\d_]+")
_INSIDE = re.compile(r"(?<=[\w,;)\]\"'’] )[A-Z]\w+|\b[A-Z]{2,}\b")
_SUBJECT = re.compile(
    r"(?:^|[.!?:] )([A-Z]\w+) (?:is|was|were|are|has|had|will|can|does|did|and|or)\b"
)
_PLACE = re.compile(r"[^\s:]+\.\w+:\d+(?:[-–:]\d+)*")
_NO_NAME = re.compile(r"`[^`\n]{61,}`|`[^`\n]`")
_COMMIT = re.compile(r"(?i)\bcommit\w*\b[^.\n]{0,30}?\b([0-9a-f]{7,40})\b")
"""The hash of a commit that a line speaks of."""
_PARTS = re.compile(r"[^\w]+")
_COMPOUND = re.compile(r"[A-Za-z]+(?:[-/][A-Za-z]+)+")
_JOINING = words_in_every_language(lambda cues: cues.reports.joining)
_SPEECH_WORDS = words_in_every_language(lambda cues: cues.empty | cues.reports.speech)
_COMMON_OPENERS = words_in_every_language(lambda cues: cues.reports.openers)
_CAPITALIZED = frozenset(cues.name for cues in LANGUAGES if cues.capitalizes_nouns)


@dataclass(frozen=True)
class SessionWords:
    """All that was said in a session: what is not in it does not exist."""

    messages: Sequence[Message]
    more: str = ""
    """What an earlier summary says of messages that are not in the log."""

    @cached_property
    def text(self) -> str:
        texts = (message_text(message) for message in self.messages)
        return flatten_lower((*texts, self.more))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(WORD.findall(self.text))

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(word[:STEM] for word in self.words)

    @cached_property
    def numbers(self) -> frozenset[str]:
        found = set(map(_plain_number, _NUMBER.findall(self.text)))
        found |= {part for number in found for part in re.split(r"[.,:]", number)}
        return frozenset(found | set(map(str, range(len(self.messages)))))

    @cached_property
    def spoken_text(self) -> str:
        """All that a person or the assistant said, calls included."""
        return flatten_lower(words for message in self.messages for words in spoken_texts(message))

    @cached_property
    def spoken_stems(self) -> set[str]:
        return telling_stems(self.spoken_text)

    @cached_property
    def tool_orders(self) -> list[set[str]]:
        """The telling words of every sentence in a tool's text that gives an order."""
        found: list[set[str]] = []
        for message in self.messages:
            for text in texts_by(message, ("tool",)):
                rows = (row.strip(" \t-*>#") for row in text.splitlines())
                found += [telling_stems(row) for row in rows if _is_order(row)]
        return found


def _is_order(row: str) -> bool:
    return begins_with_imperative(row) or gives_orders(row)


def flatten_lower(words: Iterable[str]) -> str:
    return flatten(" ".join(words)).lower()


def texts_by(message: Message, authors: Container[str]) -> Iterator[str]:
    return (piece.text for piece in split_by_author(message) if piece.trust in authors)


def spoken_texts(message: Message) -> Iterator[str]:
    yield from texts_by(message, ("person", "assistant", "system"))
    yield from (
        f"{block.name} {block.arguments}" for block in message.blocks if isinstance(block, Call)
    )


def share_among(text: str, said: set[str]) -> float:
    """Return how much of a line is among some words, from 0 to 1."""
    telling = telling_stems(text)
    if telling and said:
        return len(telling & said) / len(telling)
    return float(bool(said))


def telling_stems(text: str) -> set[str]:
    """Return the stems of the words that carry meaning; of Chinese, each pair of characters."""
    words = set(WORD.findall(text.lower()))
    pairs = {pair for word in words for pair in han_pairs(word)}
    return pairs | {
        word[:STEM]
        for word in words
        if len(word) > 2 and word not in _SPEECH_WORDS and not HAN.search(word)
    }


def check_names(text: str, session: SessionWords, speech: Language) -> Iterator[str]:
    """Yield for each name and number of a line: known, unsure, or invented."""
    names = names_in(text)
    for name in names:
        yield _check_name(flatten(name).lower(), session)
    rest = text
    for name in sorted(names, key=len, reverse=True):
        rest = rest.replace(name, " ")
    for number in map(_plain_number, _NUMBER.findall(rest)):
        if number in session.numbers:
            yield "known"
        elif sum(map(str.isdigit, number)) >= DIGITS_OF_A_NAME:
            yield "invented"
        else:
            yield "unsure"
    if speech.name not in _CAPITALIZED:
        for word in map(str.lower, _capitalized_words(rest)):
            yield "known" if word in session.words or word in _COMMON_OPENERS else "unsure"
        for word in map(str.lower, _SUBJECT.findall(rest)):
            yield "known" if _is_known_subject(word, session) else "unsure"


def names_in(text: str) -> list[str]:
    # A quotation too long or too short for a name would shift the pairs of quotes after it.
    return [*find_identifiers(text), *quoted_names(_NO_NAME.sub(" ", text)), *_COMMIT.findall(text)]


def _check_name(name: str, session: SessionWords) -> str:
    """Tell how well a name is known: as it is, by its parts, or not at all."""
    if name in session.text or _joins_known_words(name, session):
        return "known"
    if " " in name or "(" in name:
        # A phrase, or a call with other arguments: its names are looked at one by one.
        words = WORD.findall(name)
        return "known" if all(word in session.words for word in words) else "unsure"
    if _PLACE.fullmatch(name):
        # A line of a file, as in `state.go:42`: tools write it in many ways.
        name = name.partition(":")[0]
        return _check_name(name, session)
    sides = name.split("/")
    alike = len({"." in side for side in sides}) == 1
    if len(sides) > 1 and alike and all(side and side in session.text for side in sides):
        # Two names with a stroke between them, as in `state.go/session.go`.
        return "known"
    parts = [part for part in _PARTS.split(name) if part]
    if _COMPOUND.fullmatch(name) or all(part in session.text for part in parts):
        return "unsure"
    return "invented"


def _capitalized_words(text: str) -> Sequence[str]:
    return [word for found in _INSIDE.findall(text) for word in WORD.findall(found)]


def _is_known_subject(word: str, session: SessionWords) -> bool:
    """Tell whether a word that begins a sentence is common, or was said in some form."""
    return (
        word in _COMMON_OPENERS
        or word[:STEM] in session.stems
        or word.removesuffix("s") in session.words
    )


def _joins_known_words(name: str, session: SessionWords) -> bool:
    """Tell whether a name is plain words joined together, all of them known."""
    if not _COMPOUND.fullmatch(name):
        return False
    parts = re.split(r"[-/]", name.lower())
    return all(part in session.words or part in _JOINING for part in parts)


def _plain_number(number: str) -> str:
    return _GROUPED.sub("", number)
