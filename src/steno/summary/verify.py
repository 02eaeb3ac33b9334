"""Whether the lines of a summary rest on what was said.

A writer's line must cite its sources, may name nothing that none of them has, and may give no
orders, because what a tool said must not come back as a rule. A line that fails is removed and
counted. How a reply is read into lines is the business of `replies`.

An earlier summary that came back in a list speaks of messages that are not in the log. Anyone
who can write a whole message can write one that looks like ours, so its lines are carried on
word for word but marked, unless the messages they cite are here and say so in other than a
tool's words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from steno.core.item import Item
from steno.core.message import Call, Message
from steno.core.summary import Sections, SummaryLine
from steno.core.view import View
from steno.facts.authorship import split_by_author
from steno.facts.identifiers import find_identifiers, quoted_names
from steno.facts.imperatives import begins_with_imperative, instructs_reader, speaks_for_a_person
from steno.facts.languages import LANGUAGES, words_in_every_language
from steno.facts.languages.cues import HAN, han_pairs
from steno.facts.languages.detect import Language
from steno.facts.text import SearchableText, flatten
from steno.summary.sections import ENDED_PREFIX, LIFTED_PREFIX, PINNED_SECTIONS

LINE_MOST = 300
"""Characters of a line; longer ones are cut."""
CITES_MOST = 24
"""Positions that one line may cite."""
STEM = 5
"""Letters of a word that stand for all its forms."""
WISHED, BIDDEN, DECIDED = 0.5, 0.5, 0.3
"""Share of a wish, of an instruction and of a decision that must be in the cited words."""
SPOKEN_ONLY = ("DECISIONS", "NEXT")
"""Sections that a tool's words cannot support: a person or the assistant must have said it."""

CITES_CHECK = "prose_cites_what_is_covered"
NAMES_CHECK = "prose_names_what_was_said"
ORDERS_CHECK = "prose_gives_no_orders"

_NUMBER = re.compile(r"\d+(?:[.,:'’_]\d+)*")
_GROUPED = re.compile(r"[,'’_](?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W\d_]+")
_INSIDE = re.compile(r"(?<=[\w,;)\]\"'’] )[A-Z]\w+|\b[A-Z]{2,}\b")
_SUBJECT = re.compile(
    r"(?:^|[.!?:] )([A-Z]\w+) (?:is|was|were|are|has|had|will|can|does|did|and|or)\b"
)
_PARTS = re.compile(r"[-/]")
_PLAIN_PARTS = re.compile(r"[A-Za-z]+(?:[-/][A-Za-z]+)+")
_JOINING = words_in_every_language(lambda cues: cues.reports.joining)
_SPEECH_WORDS = words_in_every_language(lambda cues: cues.empty | cues.reports.speech)
_COMMON_OPENERS = words_in_every_language(lambda cues: cues.reports.openers)
_CAPITALIZED = frozenset(cues.name for cues in LANGUAGES if cues.capitalizes_nouns)


@dataclass(frozen=True)
class Sources:
    """What lines may rest on."""

    messages: Mapping[int, Message]
    """By their positions."""
    more: str = ""
    """What an earlier summary says of messages that are not in the log."""

    @cached_property
    def text(self) -> str:
        return f"{SearchableText(self.messages.values()).text} {flatten(self.more)}".lower()

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(word[:STEM] for word in self.words)

    @cached_property
    def numbers(self) -> frozenset[str]:
        found = set(map(_plain_number, _NUMBER.findall(self.text)))
        found |= {part for number in found for part in re.split(r"[.,:]", number)}
        return frozenset(found | {str(position) for position in self.messages})

    @cached_property
    def spoken_text(self) -> str:
        """Return all that a person or the assistant said, calls included."""
        return _flatten_lower(
            words for message in self.messages.values() for words in _spoken_texts(message)
        )

    def spoken_text_at(self, cites: Iterable[int]) -> str:
        return _flatten_lower(words for at in cites for words in _spoken_texts(self.messages[at]))

    def typed_text_at(self, cites: Iterable[int]) -> str:
        """Return what a person typed there."""
        return _flatten_lower(
            words for at in cites for words in _texts_by(self.messages[at], ("person",))
        )


def _flatten_lower(words: Iterable[str]) -> str:
    return flatten(" ".join(words)).lower()


def _texts_by(message: Message, authors: Container[str]) -> Iterator[str]:
    return (piece.text for piece in split_by_author(message) if piece.trust in authors)


def _spoken_texts(message: Message) -> Iterator[str]:
    yield from _texts_by(message, ("person", "assistant", "system"))
    yield from (
        f"{block.name} {block.arguments}" for block in message.blocks if isinstance(block, Call)
    )


def verify_lines(
    sections: Sections, sources: Sources, speech: Language
) -> tuple[Sections, Counter[str]]:
    """Return the lines that hold, and how many did not, by the first check that each failed."""
    failed: Counter[str] = Counter()
    held: Sections = {}
    for name, lines in sections.items():
        for line in lines:
            cites = tuple(at for at in line.cites if at in sources.messages)
            failed[CITES_CHECK] += len(cites) < len(line.cites) and bool(cites)
            kept = SummaryLine(_shorten_line(line.text), cites[:CITES_MOST], written=True)
            check = next(_find_faults(name, kept, sources, speech), None)
            if check is None:
                held.setdefault(name, []).append(kept)
            else:
                failed[check] += 1
    return held, +failed


def _shorten_line(text: str) -> str:
    said = flatten(text)
    if len(said) <= LINE_MOST:
        return said
    return said[: LINE_MOST - 1] + "…"


def _find_faults(name: str, line: SummaryLine, sources: Sources, speech: Language) -> Iterator[str]:
    if not line.cites or not line.text:
        yield CITES_CHECK
    elif instructs_reader(line.text) or not _may_say(name, line, sources):
        yield ORDERS_CHECK
    elif any(not known for known in _check_names(line.text, sources, speech)):
        yield NAMES_CHECK


def _may_say(name: str, line: SummaryLine, sources: Sources) -> bool:
    """Tell whether the cited words of those who can wish, plan or decide support a line.

    A tool's words never do; and every name of the line must be in those words.
    """
    names = [
        flatten(name).lower() for name in (*find_identifiers(line.text), *quoted_names(line.text))
    ]
    if speaks_for_a_person(line.text):
        typed = sources.typed_text_at(line.cites)
        return _overlap(line.text, typed) >= WISHED and all(each in typed for each in names)
    if name not in SPOKEN_ONLY and not begins_with_imperative(line.text):
        return True
    least = BIDDEN if begins_with_imperative(line.text) else DECIDED
    if _overlap(line.text, sources.spoken_text_at(line.cites)) < least:
        return False
    return all(each in sources.spoken_text or _joins_known_words(each, sources) for each in names)


def _overlap(text: str, said: str) -> float:
    """Return how much of a line is in a text, from 0 to 1."""
    telling = _telling_stems(text)
    known = _telling_stems(said)
    if telling and said:
        return len(telling & known) / len(telling)
    return float(bool(said))


def _telling_stems(text: str) -> set[str]:
    """Return the stems of the words that carry meaning; of Chinese, each pair of characters."""
    words = _WORD.findall(text.lower())
    pairs = {pair for word in words for pair in han_pairs(word)}
    return pairs | {
        word[:STEM]
        for word in words
        if len(word) > 2 and word not in _SPEECH_WORDS and not HAN.search(word)
    }


def _check_names(text: str, sources: Sources, speech: Language) -> Iterator[bool]:
    """Yield for each name and number of a line whether a source has it."""
    names = [*find_identifiers(text), *quoted_names(text)]
    for name in names:
        yield flatten(name).lower() in sources.text or _joins_known_words(name, sources)
    rest = text
    for name in sorted(names, key=len, reverse=True):
        rest = rest.replace(name, " ")
    for number in _NUMBER.findall(rest):
        yield _plain_number(number) in sources.numbers
    if speech.name not in _CAPITALIZED:
        yield from (
            word.lower() in sources.words or word.lower() in _COMMON_OPENERS
            for word in _capitalized_words(rest)
        )
        yield from (_is_known_subject(word.lower(), sources) for word in _SUBJECT.findall(rest))


def _capitalized_words(text: str) -> Sequence[str]:
    return [word for found in _INSIDE.findall(text) for word in _WORD.findall(found)]


def _is_known_subject(word: str, sources: Sources) -> bool:
    """Tell whether a word that begins a sentence is common, or in a source in some form."""
    return (
        word in _COMMON_OPENERS
        or word[:STEM] in sources.stems
        or word.removesuffix("s") in sources.words
    )


def _joins_known_words(name: str, sources: Sources) -> bool:
    """Tell whether a name is plain words joined together, all of them known."""
    if not _PLAIN_PARTS.fullmatch(name):
        return False
    return all(part in sources.words or part in _JOINING for part in _PARTS.split(name.lower()))


def _plain_number(number: str) -> str:
    return _GROUPED.sub("", number)


def stated_lines(view: View, item: Item) -> Sections:
    """Return the lines of an item's summary, marked if what it stands for is not in the log."""
    if item.summary is None:
        return {}
    if view.messages[item.span.start].role == "absent":
        return mark_unverified(item.summary.lines(), view.messages)
    return item.summary.lines()


def mark_unverified(sections: Sections, messages: Sequence[Message]) -> Sections:
    """Return the sections with every line marked that no message of the log supports."""
    return {
        name: [_mark_line(name, line, messages) for line in lines]
        for name, lines in sections.items()
    }


def _mark_line(name: str, line: SummaryLine, messages: Sequence[Message]) -> SummaryLine:
    if line.written or (name in PINNED_SECTIONS and _is_supported_by_log(line, messages)):
        return line
    return msgspec.structs.replace(line, hearsay=True)


def _is_supported_by_log(line: SummaryLine, messages: Sequence[Message]) -> bool:
    if not all(at < len(messages) and messages[at].role != "absent" for at in line.cites):
        return False
    words = line.text.removeprefix(LIFTED_PREFIX).removeprefix(ENDED_PREFIX)
    found = (
        piece.text
        for at in line.cites
        for piece in split_by_author(messages[at])
        if piece.trust != "tool"
    )
    return words in flatten(" ".join(found))
