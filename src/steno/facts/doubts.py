"""Where the assistant doubts: hedge, reconsideration, uncertainty, self-verification, correction.

A doubt is the speaker doubting, not the word: "check the file", "wait for the build", and
words in code or quotation marks do not count. The words kept are the whole sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from steno.core.message import Message
from steno.facts.authorship import split_by_author
from steno.facts.fact import Fact
from steno.facts.languages import LanguageCues, in_every_language
from steno.facts.languages.cues import StemmedCue
from steno.facts.sentences import Cues

DOUBTS_MOST = 32
"""Kept of one message."""


def _doubt_cues(cue: Callable[[LanguageCues], StemmedCue]) -> Cues:
    """Join the cues of one kind; the group `start` holds those that must begin a clause."""
    stems = in_every_language(lambda language: cue(language).stems)
    phrases = in_every_language(lambda language: cue(language).phrases)
    openings = in_every_language(lambda language: cue(language).openings)
    if openings:
        phrases = rf"{phrases}|\b(?P<start>{openings})"
    return Cues.of(stems, phrases)


# In this order, so that what fills the limit of a message is corrections before hedges.
_CUES = {
    "correction": _doubt_cues(lambda language: language.doubts.correction),
    "reconsideration": _doubt_cues(lambda language: language.doubts.reconsideration),
    "uncertainty": _doubt_cues(lambda language: language.doubts.uncertainty),
    "self-verification": _doubt_cues(lambda language: language.doubts.verification),
    "hedge": _doubt_cues(lambda language: language.doubts.hedge),
}
_BEGINS = re.compile(r"(?:^|[.!?…—–:;,(\n。！？]|[.!?]\s?[)\"”]?)[\s*_#>-]*$")


def read_doubts(message: Message) -> Iterator[Fact]:
    """Yield the doubts of an assistant's message and thinking, one per kind and sentence."""
    if message.role != "assistant":
        return
    kept = 0
    for piece in split_by_author(message):
        if piece.trust != "assistant" or not piece.prose:
            continue
        for kind, sentence, cue in _find_doubts(piece.text):
            yield Fact("marker", sentence, "assistant", piece.block, cue, kind)
            kept += 1
            if kept == DOUBTS_MOST:
                return


def _find_doubts(text: str) -> Iterator[tuple[str, str, str]]:
    for kind, cues in _CUES.items():
        for sentence, found in cues.sentences(text):
            if not found.groupdict().get("start") or _begins_clause(text, found.start()):
                yield kind, sentence, found[0].lower()


def _begins_clause(text: str, at: int) -> bool:
    """Tell whether a clause begins here."""
    return _BEGINS.search(text, max(0, at - 8), at) is not None
