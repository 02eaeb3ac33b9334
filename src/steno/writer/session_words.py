"""All words of a session, to hold a writer's line against.

Owns what counts as known: a name, a number or a word that stands somewhere in the session, and
how much of a line is among some words. What follows for a line is decided by `verify`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from steno.core.message import Call, Message, Value
from steno.core.word_tables import words_of
from steno.facts.artifacts import find_identifiers, quoted_names
from steno.facts.authorship import split_by_author
from steno.facts.languages.detect import Language
from steno.facts.requests import begins_with_imperative, gives_orders, speaks_for_a_person
from steno.facts.sentences import sentences
from steno.facts.text import flatten, message_text

STEM = 5
"""Letters of a word that stand for all its forms."""
DIGITS_OF_A_NAME = 5
"""Digits from which on a number names something; a smaller one may have been computed."""
NOUNS_CAPITALIZED = ("German",)
"""Languages in which a capital letter does not make a name."""

# After a word it would be code: `args[0]`.
CITATION = re.compile(r"(?<![\w\])])\[\s*(?P<cites>\d{1,9}(?:\s*[-–,;]\s*\d{1,9})*)\s*\]")
WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_NUMBER = re.compile(r"\d+(?:[.,:'’_]\d+)*")
_GROUPED = re.compile(r"[,'’_](?=\d{3}(?!\d))")
_CAPITALIZED = re.compile(r"(?<=[\w,;)\]\"'’] )[A-Z]\w+|\b[A-Z]{2,}\b")
"""A word with a capital letter inside a sentence."""
_LINE_NUMBER = re.compile(r"(\.[A-Za-z]\w*):\d+(?:[-–:]\d+)*")
"""The line behind a file's name, as in `state.go:42`: tools write it in many ways."""
_NO_NAME = re.compile(r"`[^`\n]{61,}`|`[^`\n]`")
_COMMIT = re.compile(r"(?i)\bcommit\w*\b[^.\n]{0,30}?\b([0-9a-f]{7,40})\b")
"""The hash of a commit that a line speaks of."""
_PARTS = re.compile(r"[^\w]+")
_COMPOUND = re.compile(r"[A-Za-z]+(?:[-/][A-Za-z]+)+")
_JOINING = words_of("co cross end high low multi non only own per post pre re self side sub wide")
"""Parts of compound words, beside those that the session holds."""
_EMPTY_WORDS = words_of(
    "about after again all also always and any are asked asking asks assistant because been before "
    "being but can could decided decision did does each for from had has have into its may more "
    "must need needed needs never next not now only other out over person please request requested "
    "requests required said says shall should some than that the their them then there these they "
    "this those told under use used user users wanted wants was were what when where which will "
    "wish wishes with would you your "
    "alle auf aus benutzer bitte das dass dem den der des die durch ein eine einem einen einer für "
    "hat ich immer ist kein keine mit möchte nach nicht nie noch nur nutzer oder sich sie sind "
    "soll und von vor war werden will wird wurde zum zur "
    "aucun avec ces cette dans des doit elle est les leur mais ont par pas plus pour que qui sans "
    "ses son sont sur tous toujours une utilisateur veut vous "
    "con cada como debe del esta este están las los más nada nunca para pero por porque que quiere "
    "ser siempre sin son sus todo todos una usuario"
)
"""Words that carry no meaning of their own, or only report that something was said."""


class SessionWords(Value, dict=True):
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
        """The telling words of each sentence of a tool that gives orders or speaks for a person."""
        orders: set[str] = set()
        for message in self.messages:
            for text in _texts_by(message, ("tool",)):
                said = (text[start:stop].strip("#*>-/ \t") for start, stop in sentences(text))
                orders.update(filter(_is_order, said))
        return list(map(telling_stems, orders))

    @cached_property
    def tool_citations(self) -> str:
        """The lines of tools that name positions as if they cited the session, without these."""
        texts = (text for message in self.messages for text in _texts_by(message, ("tool",)))
        lines = (line for text in texts if "[" in text for line in text.split("\n"))
        return flatten_lower(CITATION.sub(" ", line) for line in lines if CITATION.search(line))


def _is_order(sentence: str) -> bool:
    return (
        begins_with_imperative(sentence) or gives_orders(sentence) or speaks_for_a_person(sentence)
    )


def flatten_lower(words: Iterable[str]) -> str:
    return flatten(" ".join(words)).lower()


def _texts_by(message: Message, authors: Sequence[str]) -> Iterator[str]:
    return (piece.text for piece in split_by_author(message) if piece.trust in authors)


def spoken_texts(message: Message) -> Iterator[str]:
    """Yield what a person or the assistant says in a message, calls included."""
    yield from _texts_by(message, ("person", "assistant", "system"))
    yield from (
        f"{block.name} {block.arguments}" for block in message.blocks if isinstance(block, Call)
    )


def share_among(telling: set[str], said: set[str]) -> float:
    """Return how much of a line's telling words is among others, from 0 to 1."""
    if telling and said:
        return len(telling & said) / len(telling)
    return float(bool(said))


def telling_stems(text: str) -> set[str]:
    """Return the stems of the words that carry meaning; of Chinese, each pair of characters."""
    words = set(WORD.findall(text.lower()))
    runs = [run for word in words for run in _HAN.findall(word)]
    pairs = {run[at : at + 2] for run in runs for at in range(len(run) - 1)}
    return pairs | {
        word[:STEM]
        for word in words
        if len(word) > 2 and word not in _EMPTY_WORDS and not _HAN.search(word)
    }


def check_names(text: str, session: SessionWords, speech: Language) -> Iterator[str]:
    """Yield for each name and number of a line: known, unsure, or invented."""
    names = names_in(text)
    for name in names:
        yield _check_name(flatten(name).lower(), session)
    rest = _LINE_NUMBER.sub(r"\1", text)
    for name in sorted(names, key=len, reverse=True):
        rest = rest.replace(name, " ")
    for number in map(_plain_number, _NUMBER.findall(rest)):
        if number in session.numbers:
            yield "known"
        elif sum(map(str.isdigit, number)) >= DIGITS_OF_A_NAME:
            yield "invented"
        else:
            yield "unsure"
    if speech.name not in NOUNS_CAPITALIZED:
        for found in _CAPITALIZED.findall(rest):
            words = WORD.findall(found.lower())
            yield _known_if(session.words.issuperset(words))


def names_in(text: str) -> list[str]:
    """Return the names of a line: identifiers, quoted names, hashes of commits."""
    text = _LINE_NUMBER.sub(r"\1", text)
    # A quotation too long or too short for a name would shift the pairs of quotes after it.
    return [*find_identifiers(text), *quoted_names(_NO_NAME.sub(" ", text)), *_COMMIT.findall(text)]


def _check_name(name: str, session: SessionWords) -> str:
    """Tell how well a name is known: as it is, by its parts, or not at all."""
    if name in session.text:
        return "known"
    if " " in name or "(" in name:
        # A phrase, or a call with other arguments: its names are looked at one by one.
        return _known_if(session.words.issuperset(WORD.findall(name)))
    sides = name.split("/")
    alike = len({"." in side for side in sides}) == 1
    if len(sides) > 1 and alike and all(side and side in session.text for side in sides):
        # Two names with a stroke between them, as in `state.go/session.go`.
        return "known"
    if _COMPOUND.fullmatch(name):
        # Plain words joined together, as in `read-only`.
        return _known_if(all(w in session.words or w in _JOINING for w in WORD.findall(name)))
    parts = [part for part in _PARTS.split(name) if part]
    if all(part in session.text for part in parts):
        return "unsure"
    return "invented"


def _known_if(is_known: bool) -> str:
    if is_known:
        return "known"
    return "unsure"


def _plain_number(number: str) -> str:
    return _GROUPED.sub("", number)
