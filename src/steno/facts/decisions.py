"""Decisions of a person or the assistant, and the reasons given for them.

"We'll use SQLite because …", "decided to …", "going with X instead of Y since …". What an
agent is about to do ("I'll use grep") counts only with a reason or an alternative beside
it. A question, a condition or a report of another's wish decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from steno.core.message import Message
from steno.facts.authorship import split_by_author
from steno.facts.fact import Fact, Trust
from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.sentences import Cues

DECISIONS_MOST = 16
"""Kept of one message."""
LEAD_MOST = 20
"""Characters before a choice in a sentence that is about it."""

_FIRM = Cues.joined(lambda language: language.decisions.firm)
_OF_A_PERSON = Cues.joined(lambda language: language.decisions.of_a_person)
_WITH_REASON = Cues.joined(lambda language: language.decisions.with_reason)
_REASON = re.compile(rf"(?:{in_every_language(lambda cues: cues.decisions.reason)}).*", re.I | re.S)
_INSTEAD = re.compile(in_every_language(lambda cues: cues.decisions.instead), re.I)
_NOT_DECIDED = re.compile(
    r"[?？]\W*$"
    rf"|^\W*(?:{in_every_language(lambda cues: cues.decisions.undecided_after)})\b"
    rf"|{in_every_language(lambda cues: cues.decisions.undecided)}",
    re.I,
)
_CONCLUDES = tuple(word for language in LANGUAGES for word in language.decisions.concludes)


def read_decisions(message: Message) -> Iterator[Fact]:
    """The decisions that a person or the assistant states in a message."""
    kept = 0
    for piece in split_by_author(message):
        if piece.trust not in ("person", "assistant") or not piece.prose:
            continue
        for sentence, reason in _decision_sentences(piece.text, piece.trust):
            yield Fact("decision", sentence, piece.trust, piece.block, "", reason)
            kept += 1
            if kept == DECISIONS_MOST:
                return


def _decision_sentences(text: str, trust: Trust) -> Iterator[tuple[str, str]]:
    """Yield each sentence that decides, and the reason it gives."""
    seen: set[str] = set()
    second = _WITH_REASON
    if trust == "person":
        second = _OF_A_PERSON
    for cues in (_FIRM, second):
        for sentence, found in cues.sentences(text):
            if sentence in seen or _NOT_DECIDED.search(sentence):
                continue
            reason = _REASON.search(sentence)
            if cues is _WITH_REASON:
                argued = reason or _INSTEAD.search(sentence)
                if not argued or not _states_choice(sentence, found[0]):
                    continue
            seen.add(sentence)
            # The pattern runs to the end: a reason that comes first would swallow the choice.
            if reason and reason.start():
                yield sentence, reason[0].strip()
            else:
                yield sentence, ""


def _states_choice(sentence: str, cue: str) -> bool:
    """Return whether a sentence states a choice, rather than mention one in passing."""
    before = sentence[: sentence.lower().find(cue.lower())].lower()
    return len(before) <= LEAD_MOST or before.rstrip().endswith(_CONCLUDES)
