"""Find what of a session holds beyond it, behind one gate.

A memory outlives the session in which its source can be seen, so the gate is narrow. A sentence is
learned only from a message of one short plain paragraph: no line break, quotation, colon, code or
address, and no word about a text that it shows; or if it says "remember that …". Everything before
it must be talk to the assistant: the first person, a request, a question, a constraint. What
follows any other sentence may be a text that this one introduces. Where an assistant works with
tools, people speak of the work: of facts only those that a later one would replace are learned
(name, home, job, what is used), or that they ask to remember. An assistant's reasoned decisions and
notes are its own, unless they give orders or speak for a person.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import takewhile

from steno.core.message import Message, Value
from steno.core.store import GONE_MEMORY
from steno.facts.authorship import split_by_author
from steno.facts.languages import closest_languages
from steno.facts.ledger import Ledger
from steno.facts.requests import asks_something, begins_with_imperative, speaks_for_a_person
from steno.facts.sentences import sentences
from steno.facts.standing import binds
from steno.facts.text import flatten
from steno.memory.cues import Tables, memory_cue
from steno.memory.traits import (
    FORGET,
    is_replaceable,
    own_clauses,
    subject_of,
    topic_words,
    trait_kind,
)

WORDS_MOST = 400
"""Characters of a memory, at most; a longer text is a document."""
NOTES_MOST = 600
PARAGRAPH_MOST = 600
"""Characters of a message that is learned from."""

_MARKS = re.compile(
    r"[\n\r\x0b\x0c\x85\u2028\u2029\"“”„«»「」『』>|=`<{}]|[:：](?!\d)|(?<!\w)['‘](?=[^\W\d])(?!cause)|\w@\w|\w://|\bwww\."
)
"""What a plain paragraph does not hold."""
_TITLE = re.compile(
    r"[\"“'‘](?!(?:I|My|We)\b)(?:[A-Z\d&][\w’'.-]*[:,!?]? (?:[a-z]{1,3} ){0,2}){0,9}"
    r"[A-Z\d][\w’'.-]*[!?]?[\"”'’](?!\w)"
)
"""The title of a book or a film in quotation marks: it is a name, not a quotation."""
_ORDER_AT = re.compile(r"(?:^|[:：\]])\W*+(?<!`)")
"""Where an order may begin within a sentence: at its start, or after a label."""


class MemoryCandidate(Value):
    """Something to remember, or to forget."""

    kind: str
    """constraint, preference, fact, decision, note, or `GONE_MEMORY`."""
    words: str
    trust: str
    position: int
    key: str
    """What it is about."""


def extract_memories(ledger: Ledger, start: int = 0) -> list[MemoryCandidate]:
    """Return all candidates from a position on, in their order."""
    decided: dict[int, list[str]] = {}
    for position, fact in ledger.decisions:
        # Without a reason, no one can tell later whether a decision still holds.
        if position >= start and fact.note and is_storable(fact.words):
            decided.setdefault(position, []).append(flatten(fact.words))
    found: list[MemoryCandidate] = []
    works = _works(ledger.messages)
    for position in range(start, len(ledger.messages)):
        message = ledger.messages[position]
        decisions = decided.get(position, [])
        if message.role == "assistant":
            kept = [words for words in decisions if not claims_authority(words)]
            found += [_candidate("decision", words, "assistant", position) for words in kept]
        for words, tables in learnable_sentences(message):
            kind = trait_kind(words, tables) or ("decision" if flatten(words) in decisions else "")
            if kind and not (works and kind == "fact" and not is_replaceable(words, tables)):
                found.append(_candidate(kind, words, "person", position))
    return found


def _works(messages: Iterable[Message]) -> bool:
    """Return whether an assistant calls tools more often than it only speaks."""
    replies = [bool(message.calls) for message in messages if message.role == "assistant"]
    return sum(replies) * 2 > len(replies)


def extract_notes(notes: Iterable[tuple[int, str]]) -> Iterator[MemoryCandidate]:
    """Yield an assistant's notes with their positions; notes that give orders are left out."""
    for position, text in notes:
        words = flatten(text)
        if len(words) <= NOTES_MOST and not claims_authority(words):
            yield _candidate("note", words, "assistant", position)


def _candidate(kind: str, words: str, trust: str, position: int) -> MemoryCandidate:
    said = flatten(words)
    if kind == FORGET:
        return MemoryCandidate(GONE_MEMORY, said, trust, position, topic_words(said))
    return MemoryCandidate(kind, said, trust, position, subject_of(said))


def learnable_sentences(message: Message) -> Iterator[tuple[str, Tables]]:
    """Yield the sentences of a message that pass the gate, each with its languages."""
    if message.role != "user" or message.by != "caller":
        return
    pieces = [piece for piece in split_by_author(message) if piece.text.strip()]
    # Tags and lines in brackets are a program's; code and quoted lines are texts that are shown.
    own = list(takewhile(lambda piece: piece.prose or piece.text.lstrip()[0] in "<[", pieces))
    text = "".join(piece.text for piece in own if piece.trust == "person").strip()
    tables = closest_languages(text)
    plain = len(own) == len(pieces) and is_plain(text, tables)
    if not plain and not memory_cue("remember", tables).search(text):
        return
    for start, stop in sentences(text):
        words = text[start:stop]
        if not is_storable(words):
            return
        explicit = memory_cue("remember", tables).match(words) is not None
        if plain or explicit:
            yield words, tables
        if not _is_talk(words, tables):
            return


def _is_talk(words: str, tables: Tables) -> bool:
    """Return whether a sentence speaks to the assistant, and points at no text that follows."""
    if memory_cue("points", tables).search(words):
        return False
    if words.endswith(("!", "！")) or asks_something(words):
        return True
    return next(own_clauses(words, tables), None) is not None or trait_kind(words, tables) != ""


def is_plain(text: str, tables: Tables) -> bool:
    """Return whether a text is one short paragraph without a mark or a word of another's text."""
    if len(text) > PARAGRAPH_MOST:
        return False
    said = memory_cue("remember", tables).sub("", _TITLE.sub("", text))
    return not _MARKS.search(said) and not memory_cue("relays", tables).search(said)


def claims_authority(words: str) -> bool:
    """Return whether words give orders or speak for a person: an assistant may not keep them."""
    # As a reader sees them: letters of other widths as usual ones, marks without width gone.
    seen = unicodedata.normalize("NFKC", words)
    seen = "".join(char for char in seen if unicodedata.category(char) != "Cf")
    if binds(seen) or speaks_for_a_person(seen):
        return True
    for start, stop in sentences(seen):
        for at in _ORDER_AT.finditer(seen[start:stop]):
            said = seen[start + at.end() : stop]
            if begins_with_imperative(said) or memory_cue("orders").match(said):
                return True
    return False


def classify_memory(words: str) -> tuple[str, str]:
    """Return the kind of a person's sentence (constraint, preference or fact) and its subject."""
    kind = trait_kind(words, closest_languages(words))
    return kind if kind not in ("", FORGET) else "fact", subject_of(words)


def is_storable(words: str) -> bool:
    """Return whether words are short enough and can be stored as UTF-8."""
    return len(words) <= WORDS_MOST and not any("\ud800" <= char <= "\udfff" for char in words)
