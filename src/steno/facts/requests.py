"""What a person asks for: questions, requests, go-aheads, and calling them off.

Every message of a person asks for something, unless it only thanks or calls off. Of a
long message the sentences that ask are kept, else its first. Only words that a person
typed count; a pasted log asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from steno.core.message import Message, Text
from steno.facts.authorship import AuthoredText
from steno.facts.fact import Fact
from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.languages.cues import any_of
from steno.facts.languages.phrases import Phrases
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.sentences import clip_sentence, sentences

ASKS_MOST = 4
"""Sentences kept of one message."""
ASKED_MOST = 400
"""Characters kept of one message, beyond its first asking sentence."""
SHORT = 120
"""Characters up to which a message can be a mere go-ahead or thanks."""
GO = "go"
"""The key of a go-ahead: it takes up what was offered."""
NOD = "nod"
"""The key of approval: it takes up what was offered, and else asks for nothing."""
DENIAL = "no"
"""The key of words that do not agree that the last request is done."""

_QUESTION = lazy_pattern(
    rf"(?:[?？]|{in_every_language(lambda cues: any_of(*cues.question_ends))})\W*$"
)
_ASKS = Phrases(*(language.requests.asks for language in LANGUAGES))
_VERBS = lazy_pattern(rf"\W*(?:{in_every_language(lambda cues: cues.requests.verbs)})\b", re.I)
_GO = lazy_pattern(
    rf"(?:\W*(?:{in_every_language(lambda cues: cues.requests.go)})(?![\w-]))+"
    r"(?=\W*$|\s*[,.;:!—–，。]"
    rf"|\s+(?:{in_every_language(lambda cues: cues.requests.go_then)})\b)",
    re.I,
)
_NOD = lazy_pattern(
    rf"(?:\W*(?:{in_every_language(lambda cues: cues.requests.nod)})(?![\w-]))+\W*", re.I
)
# Atomic: "no" is a word of two languages, and would be tried in both ways each time it is said.
# Go-aheads and thanks are told apart by what follows them, so there no word is in two languages.
_OFF = lazy_pattern(
    rf"\W*(?>(?:{in_every_language(lambda cues: cues.requests.off_after)})[,.!\s]+)*"
    rf"(?:{in_every_language(lambda cues: cues.requests.off)})"
    r"(?=\W*$|\s*[,.;!:—–-]|[，。！]"
    rf"|\s+(?:{in_every_language(lambda cues: cues.requests.off_then)})\b)",
    re.I,
)
_THANKS = lazy_pattern(
    rf"(?:\W*(?:{in_every_language(lambda cues: cues.requests.thanks)})(?!\w))+\W*", re.I
)
_THANKING = lazy_pattern(in_every_language(lambda cues: cues.requests.thanking), re.I)
_COMPLAINS = lazy_pattern(in_every_language(lambda cues: cues.requests.complains), re.I)
_DENIES = lazy_pattern(
    rf"\W*(?:{in_every_language(lambda cues: cues.requests.denies)})(?!\w)", re.I
)
_COMMAND = lazy_pattern(r"<command-name>(/[\w:.-]{1,80})</command-name>")


def goes_ahead(words: str) -> bool:
    """Tell whether a person's words begin by taking up what was offered."""
    return _GO.match(words.strip()) is not None


def only_goes_ahead(words: str) -> bool:
    """Tell whether a person's words take up what was offered, and say no more."""
    agreed = _GO.match(words.strip())
    return agreed is not None and not any(map(str.isalnum, words.strip()[agreed.end() :]))


def read_requests(message: Message, pieces: list[AuthoredText]) -> Iterator[Fact]:
    """Yield what a person asks in this message, or takes back."""
    own = [
        piece for piece in pieces if piece.trust == "person" and piece.prose and piece.text.strip()
    ]
    whole = "".join(piece.text for piece in own).strip() if own else ""
    if not own:
        for at, command in slash_commands(message):
            yield Fact("open", command, "person", at, "", "ask")
        return
    if len(whole) <= SHORT and _THANKS.fullmatch(whole) and not _GO.fullmatch(whole):
        if is_thanks(whole):
            yield Fact("close", whole, "person", own[0].block, note="ask")
        return
    off = _OFF.match(whole)
    if off is not None:
        yield Fact("close", off[0].strip(), "person", own[0].block, note="ask")
        # Hardly a word beside those that call off: nothing new is asked.
        if len(whole) - off.end() < len(off[0]) and len(whole) <= SHORT:
            return
    for words, block in _asking_sentences(own):
        yield Fact("open", words, "person", block, _consent_kind(whole), "ask")


def is_thanks(words: str) -> bool:
    """Tell whether a person who asks for nothing thanks."""
    return _THANKING.search(words) is not None


def complains(words: str) -> bool:
    """Tell whether words say of the last request that it is not done."""
    return _COMPLAINS.search(words) is not None


def _consent_kind(whole: str) -> str:
    if _DENIES.match(whole) or complains(whole[:ASKED_MOST]):
        return DENIAL
    if len(whole) > SHORT or not _GO.match(whole):
        return ""
    if _NOD.fullmatch(whole):
        return NOD
    return GO


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
    asks = (
        _VERBS.match(sentence) is not None
        or _QUESTION.search(sentence) is not None
        or _ASKS.found_in(sentence.lower())
    )
    return asks and not _OFF.fullmatch(sentence)


def slash_commands(message: Message) -> Iterator[tuple[int, str]]:
    """Yield the slash command that a person typed, and its block; a program wrote the tags."""
    for at, block in enumerate(message.blocks):
        # A program's own commands (`/exit`) put the name first and want no answer.
        if isinstance(block, Text) and block.text.lstrip().startswith("<command-message>"):
            found = _COMMAND.search(block.text)
            if found is not None:
                yield at, found[1]
