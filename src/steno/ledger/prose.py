"""Whether what a writer wrote rests on what was said.

Each line is held to its sources: it must cite some of them, may name nothing
that none of them has, and may give no orders, because what a tool said must not
come back as a rule. A line that fails is removed and counted. How a
reply is read into lines, and who was asked, is not known here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from steno.core.message import Call, Message, user
from steno.ledger import constraint
from steno.ledger.atom import atoms, quoted
from steno.ledger.language import Language
from steno.ledger.order import bids, gives_orders, speaks_for_a_person
from steno.ledger.sections import Line, Sections
from steno.ledger.tongues import TONGUES
from steno.ledger.tongues.tongue import words_of
from steno.ledger.voice import pieces
from steno.ledger.words import Words, flat

LINE_MOST = 300
"""Characters of a line."""
CITES_MOST = 24
"""Places that one line may name; one that rests on everything rests on nothing."""
STEM = 5
WISHED, BIDDEN, DECIDED = 0.5, 0.5, 0.3
"""How much of a person's wish, of what is to be done and of a decision must be in the words it cites."""
SPOKEN_ONLY = ("DECISIONS", "NEXT")
"""What a tool alone cannot say: somebody must have decided or planned it."""

CITES = "prose_cites_what_is_covered"
NAMES = "prose_names_what_was_said"
ORDERS = "prose_gives_no_orders"

_NUMBER = re.compile(r"\d+(?:[.,:'’_]\d+)*")
_GROUPED = re.compile(r"[,'’_](?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W\d_]+")
_INSIDE = re.compile(r"(?<=[\w,;)\]\"'’] )[A-Z]\w+|\b[A-Z]{2,}\b")
_SUBJECT = re.compile(r"(?:^|[.!?:] )([A-Z]\w+) (?:is|was|were|are|has|had|will|can|does|did|and|or)\b")
_PARTS = re.compile(r"[-/]")
_PLAIN_PARTS = re.compile(r"[A-Za-z]+(?:[-/][A-Za-z]+)+")
_JOINING = words_of(
    "a an and at based built by co cross de down end fast first fly follow for full half "
    "hand hard high in level "
    "like line long low multi new non of off old on one only open or order out over own "
    "per post pre re read real "
    "run running second self set short side single so step sub the third through time to "
    "two type up user well "
    "wide word write"
)
"""Of what common words are joined by a hyphen: end-to-end names nothing."""
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_SAYING = frozenset().union(*(tongue.empty for tongue in TONGUES)) | words_of(
    "user users person assistant asked asks asking wants wanted wish wishes said says "
    "told tells decided decides decision "
    "requested requests request prefers preferred approved approves allowed confirmed "
    "agreed chose insisted expects "
    "ordered instructed required requires needs needed has had did does been was were "
    "will would next then now first "
    "because instead nutzer benutzer möchte will wollte entschieden beschlossen "
    "utilisateur veut voulait décidé demandé "
    "usuario quiere quería decidió pidió"
)
"""Words that say who wants or decides, and not what."""
_NOBODY = words_of(
    "a all and another any both each either everything he here however i if it many most "
    "neither no nobody none "
    "nothing one only others our she so some that the their there these they this those "
    "user assistant we what "
    "which you analysis attempts bug bugs build builds calls change changes checks code "
    "command commands data "
    "details error errors failure failures file files findings fix fixes issue issues "
    "lines logs messages names "
    "numbers options output parts progress questions reading reason results rows run runs "
    "steps task tasks test "
    "testing tests values work"
)
"""Words that begin a report without being a name."""


@dataclass(frozen=True)
class Sources:
    """What some lines may rest on: messages by their positions, and words whose messages are not here."""

    messages: Mapping[int, Message]
    more: str = ""

    @cached_property
    def text(self) -> str:
        return f"{Words(self.messages.values()).text} {flat(self.more)}".lower()

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
    def spoken(self) -> str:
        """All that a person or the assistant said, what was called included."""
        return _flat(words for message in self.messages.values() for words in _spoken(message))

    def spoken_at(self, cites: Iterable[int]) -> str:
        return _flat(words for at in cites for words in _spoken(self.messages[at]))

    def typed_at(self, cites: Iterable[int]) -> str:
        """What a person said there."""
        return _flat(words for at in cites for words in _by(self.messages[at], ("person",)))


def _flat(words: Iterable[str]) -> str:
    return flat(" ".join(words)).lower()


def _by(message: Message, authors: Container[str]) -> Iterator[str]:
    return (piece.text for piece in pieces(message) if piece.trust in authors)


def _spoken(message: Message) -> Iterator[str]:
    yield from _by(message, ("person", "assistant", "system"))
    yield from (f"{block.name} {block.arguments}" for block in message.blocks if isinstance(block, Call))


def checked(sections: Sections, sources: Sources, speech: Language) -> tuple[Sections, Counter[str]]:
    """The lines that hold, and how many did not, by the check that each failed first."""
    failed: Counter[str] = Counter()
    held: Sections = {}
    for name, lines in sections.items():
        for line in lines:
            cites = tuple(at for at in line.cites if at in sources.messages)
            failed[CITES] += len(cites) < len(line.cites) and bool(cites)
            kept = Line(_short(line.text), cites[:CITES_MOST], written=True)
            check = next(_failing(name, kept, sources, speech), None)
            if check is None:
                held.setdefault(name, []).append(kept)
            else:
                failed[check] += 1
    return held, +failed


def _short(text: str) -> str:
    said = flat(text)
    return said if len(said) <= LINE_MOST else said[: LINE_MOST - 1] + "…"


def _failing(name: str, line: Line, sources: Sources, speech: Language) -> Iterator[str]:
    if not line.cites or not line.text:
        yield CITES
    elif _orders(line.text) or not _may_say(name, line, sources):
        yield ORDERS
    elif any(not known for known in _known(line.text, sources, speech)):
        yield NAMES


def _orders(text: str) -> bool:
    """It tells the reader what to do, reads like a rule, or imitates our fences."""
    return "steno-" in text or gives_orders(text) or any(True for _ in constraint.read(user(text)))


def _may_say(name: str, line: Line, sources: Sources) -> bool:
    """Plans, decisions, bids and a person's wishes rest on who can have them: in their "
    "words, names and all."""
    names = [flat(each).lower() for each in (*atoms(line.text), *quoted(line.text))]
    if speaks_for_a_person(line.text):
        typed = sources.typed_at(line.cites)
        return _shares(line.text, typed) >= WISHED and all(each in typed for each in names)
    if name not in SPOKEN_ONLY and not bids(line.text):
        return True
    least = BIDDEN if bids(line.text) else DECIDED
    if _shares(line.text, sources.spoken_at(line.cites)) < least:
        return False
    return all(each in sources.spoken or _joins(each, sources) for each in names)


def _shares(text: str, said: str) -> float:
    """How much of what a line tells is in some words, from 0 to 1; nothing is in none."""
    telling = _telling(text)
    known = _telling(said)
    return len(telling & known) / len(telling) if telling and said else float(bool(said))


def _telling(text: str) -> set[str]:
    """The stems of the words by which a line tells something; of Chinese, each two characters."""
    words = _WORD.findall(text.lower())
    pairs = {run[at : at + 2] for word in words for run in _HAN.findall(word) for at in range(len(run) - 1)}
    return pairs | {word[:STEM] for word in words if len(word) > 2 and word not in _SAYING and not _HAN.search(word)}


def _known(text: str, sources: Sources, speech: Language) -> Iterator[bool]:
    """For each name and number of a line, whether a source has it."""
    names = [*atoms(text), *quoted(text)]
    for name in names:
        yield flat(name).lower() in sources.text or _joins(name, sources)
    rest = text
    for name in sorted(names, key=len, reverse=True):
        rest = rest.replace(name, " ")
    for number in _NUMBER.findall(rest):
        yield _plain_number(number) in sources.numbers
    if speech.name != "German":  # where every noun has a capital
        yield from (word.lower() in sources.words or word.lower() in _NOBODY for word in _capitals(rest))
        yield from (_stands(word.lower(), sources) for word in _SUBJECT.findall(rest))


def _capitals(text: str) -> Sequence[str]:
    return [word for found in _INSIDE.findall(text) for word in _WORD.findall(found)]


def _stands(word: str, sources: Sources) -> bool:
    """A word that begins a sentence: of a common one some form is found, of a name none."""
    return word in _NOBODY or word[:STEM] in sources.stems or word.removesuffix("s") in sources.words


def _joins(name: str, sources: Sources) -> bool:
    """Plain words that were joined, all of them known."""
    if not _PLAIN_PARTS.fullmatch(name):
        return False
    return all(part in sources.words or part in _JOINING for part in _PARTS.split(name.lower()))


def _plain_number(number: str) -> str:
    return _GROUPED.sub("", number)
