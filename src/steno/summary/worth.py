"""How likely names and lines of a log are to be needed again.

Five things build on each other: who used a name, how often and how long ago (`Mention`); how rare
words are in a session (`Rarity`, TF-IDF); the measured rates (`MeasuredScorer`), counted on real
sessions as the share of names and lines that came back in a later call; all names in the order of
their worth (`RankedNames`); and which results show a file that was edited since (`FileHistory`).
`LogWorth` puts them together. All are left folds over messages, so a longer log costs what is new
in it. A scorer is anything with `name` and `line`; the policy chooses which one is used.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from math import log, sqrt
from typing import Literal, Protocol

from steno.core.draft import Draft
from steno.core.message import Call, Message, Result, Text, Thinking
from steno.core.tape import Tape
from steno.facts.artifacts import call_touches
from steno.facts.identifiers import find_identifiers
from steno.facts.ledger import Entry, Ledger
from steno.facts.text import SearchableText

KEPT_MOST = 16_384
SOURCES = ("person", "called", "told", "read", "returned")
"""Who used a name, the strongest sign first; a file that was read comes before other results."""


@lru_cache(maxsize=KEPT_MOST)
def names_in(message: Message) -> tuple[tuple[str, int], ...]:
    """Return the names of a message, each with the rank of its best source in it."""
    ranks: dict[str, int] = {}
    for block in message.blocks:
        for name, rank in _names_of_block(block, message):
            if rank < ranks.get(name, len(SOURCES)):
                ranks[name] = rank
    return tuple(ranks.items())


def _names_of_block(block: object, message: Message) -> list[tuple[str, int]]:
    match block:
        case Text(text):
            rank = 0 if message.role == "user" else 2
        case Thinking(text):
            rank = 2
        case Call(_, name, arguments):
            text, rank = f"{name} {arguments}", 1
        case Result():
            text, rank = block.text, 4
        case _:
            return []
    return [(name, rank) for name in find_identifiers(text)]


@dataclass(slots=True)
class Mention:
    """A name over a whole log."""

    times: int
    """Messages that hold it."""
    last: int
    rank: int
    order: int
    """How many names were said before it."""


Mentions = Mapping[str, Mention]


def count_mentions(
    before: Mentions, messages: Iterable[tuple[int, Message]], read: Container[int]
) -> dict[str, Mention]:
    """Return every name, with those of later messages; `read` are positions that show a file."""
    found = dict(before)
    start = None
    for at, message in messages:
        start = at if start is None else start
        for name, rank in names_in(message):
            rank = 3 if rank == 4 and at in read else rank
            mention = found.get(name)
            if mention is None:
                found[name] = Mention(1, at, rank, len(found))
            elif mention.last < start:
                # An earlier fold may still hold the old value, so it is not changed in place.
                found[name] = Mention(mention.times + 1, at, min(mention.rank, rank), mention.order)
            else:
                mention.times += 1
                mention.last = at
                mention.rank = min(mention.rank, rank)
    return found


# Latin words of three letters and more, names with digits; pairs of characters in scripts without
# spaces.
_TERM = re.compile(r"[a-z0-9_à-öø-ÿ]{3,40}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_SPACELESS = "\u3040"


def term_counts(text: str) -> Counter[str]:
    """Count each term of a text."""
    counted = Counter(_TERM.findall(text.lower()))
    for run in [term for term in counted if term[0] >= _SPACELESS]:
        times = counted.pop(run)
        for at in range(max(1, len(run) - 1)):
            counted[run[at : at + 2]] += times
    return counted


@dataclass(frozen=True, slots=True)
class Rarity:
    """In how many of the texts read so far each term stands."""

    texts: int = 0
    holding: Mapping[str, int] = field(default_factory=dict)

    def plus(self, texts: Iterable[str]) -> Rarity:
        """Return the counts with more texts read."""
        holding = Counter(self.holding)
        read = self.texts
        for text in texts:
            holding.update(term_counts(text).keys())
            read += 1
        return Rarity(read, dict(holding))

    def of(self, term: str) -> float:
        """Return zero for a term of every text, and more the fewer texts have it."""
        return log((1 + self.texts) / (1 + self.holding.get(term, 0)))

    def score(self, text: str) -> float:
        """Return how much a text says that others do not, divided by the root of its terms."""
        counted = term_counts(text)
        if not counted:
            return 0.0
        return sum((1 + log(times)) * self.of(term) for term, times in counted.items()) / sqrt(
            len(counted)
        )


@dataclass(frozen=True, slots=True)
class RarityScorer:
    """Worth by rarity: a line's score, and a name's rarest term."""

    rarity: Rarity

    @classmethod
    def of(cls, messages: Sequence[Message]) -> RarityScorer:
        return cls(Rarity().plus(SearchableText((message,)).text for message in messages))

    def name(self, name: str) -> float:
        return max(map(self.rarity.of, term_counts(name)), default=0.0)

    def line(self, place: tuple[int, int], line: str) -> float:
        return self.rarity.score(line)


NAMES = (0.12, 0.06, 0.035, 0.024, 0.006)
"""Worth of a name by who used it, in the order of `SOURCES`."""
OFTEN = 1.8
"""Factor for a name in more than one message."""
FAR = 0.35
"""Factor for what was last said more than a window and a quarter ago."""
WINDOWS_FAR = 1.25
ADDRESS, RELATIVE = 0.2, 0.6
LINE_READ, LINE_TYPED, LINE_OTHER = 0.02, 0.03, 0.003
REMARK = 0.5
"""Factor for a comment, which is quoted half as often as code."""
SOUGHT, SOUGHT_LINE, FOCUS_LEAST = 4.0, 0.1, 3
"""For the focus of a request: a factor, a bonus for lines, and letters of a word that counts."""
COUNTS = 24
"""Characters from which a line says something by itself."""
EDITED = (1.0, 0.4, 0.25, 0.2)
"""Factors by edits since a file was read: it will be read again before the next edit."""
READ_AGAIN, IN_PART, NAMED, BUSY = 0.1, 0.5, 3.0, 0.5
Place = tuple[int, int]
"""A position, and the index of a block."""
_WORD = re.compile(r"[\w./-]+")
_REMARKS = ("//", "#", "*", "/*", '"""', "--", "<!--")


class Scorer(Protocol):
    """Rates how likely something is to be needed again."""

    def name(self, name: str) -> float: ...

    def line(self, place: Place, line: str) -> float: ...


@dataclass(frozen=True)
class ShownFile:
    """A result that showed a file, and what was done to the file since."""

    edits: int
    read_again: bool
    in_part: bool
    named: bool
    """A person named the file."""
    busy: bool
    """Other files beside it were edited."""


class FileLookup(Protocol):
    """Knows what became of the files that results showed."""

    def get(self, place: Place, /) -> ShownFile | None: ...


def name_worth(name: str, mention: Mention, *, near: bool) -> float:
    """Return a name's worth by the measured rates; `near` if it was said recently."""
    worth = NAMES[mention.rank]
    if mention.times > 1:
        worth *= OFTEN
    if not near:
        worth *= FAR
    if "://" in name:
        return worth * ADDRESS
    if "/" in name and not name.startswith("/"):
        return worth * RELATIVE
    return worth


@dataclass(frozen=True)
class MeasuredScorer:
    """The measured rates."""

    mentions: Mentions
    files: FileLookup
    typed: frozenset[int]
    """Positions of what users said."""
    recent: int
    """The position from which on nothing is far."""

    def name(self, name: str) -> float:
        mention = self.mentions.get(name)
        if mention is None:
            return 0.0
        return name_worth(name, mention, near=mention.last >= self.recent)

    def line(self, place: Place, line: str) -> float:
        bare = line.strip()
        if len(bare) < COUNTS:
            return 0.0
        worth = self._block(place)
        if bare.startswith(_REMARKS):
            worth *= REMARK
        return worth

    def _block(self, place: Place) -> float:
        """Return the worth of a line of this block."""
        far = FAR
        if place[0] >= self.recent:
            far = 1.0
        file = self.files.get(place)
        if file is None:
            if place[0] in self.typed:
                return far * LINE_TYPED
            return far * LINE_OTHER
        worth = LINE_READ * EDITED[min(file.edits, len(EDITED) - 1)] * far
        if file.read_again:
            worth *= READ_AGAIN
        if file.in_part:
            worth *= IN_PART
        if file.named:
            worth *= NAMED
        if file.busy:
            worth *= BUSY
        return worth


@dataclass(frozen=True)
class FocusedScorer:
    """Another scorer's rating, and much more for what a request asked to keep."""

    scorer: Scorer
    words: frozenset[str]

    @classmethod
    def on(cls, scorer: Scorer, focus: str) -> Scorer:
        words = frozenset(word for word in _WORD.findall(focus.lower()) if len(word) >= FOCUS_LEAST)
        if words:
            return cls(scorer, words)
        return scorer

    def name(self, name: str) -> float:
        worth = self.scorer.name(name)
        if self._matches_focus(name):
            worth *= SOUGHT
        return worth

    def line(self, place: Place, line: str) -> float:
        worth = self.scorer.line(place, line)
        if self._matches_focus(line):
            return worth * SOUGHT + SOUGHT_LINE
        return worth

    def _matches_focus(self, text: str) -> bool:
        lower = text.lower()
        return any(word in lower for word in self.words)


NAME_MOST = 160
"""Characters of a name; longer ones are left to search."""

RankKey = tuple[float, int, str]
"""A name's worth for its length, negated; how many names came before it; the name."""


class RankedNames:
    """Names in an order that is made only as far as it is read."""

    def __init__(self, names: Iterable[str]) -> None:
        self._rest = iter(names)
        self._found: list[str] = []

    def first(self, most: int, unless: Collection[str]) -> list[str]:
        """Return the first names that are not in `unless`."""
        while True:
            found = [name for name in self._found if name not in unless][:most]
            more = [] if len(found) == most else list(islice(self._rest, most))
            if not more:
                return found
            self._found += more


def rank_far_names(
    before: tuple[RankKey, ...], mentions: Mentions, said: Iterable[str]
) -> tuple[RankKey, ...]:
    """Return all names ordered by their worth when far; `said` are those said since `before`."""
    new = {name for name in said if len(name) <= NAME_MOST}
    keys = [key for key in before if key[2] not in new]
    keys += sorted(_rank_key(name, mentions[name], near=False) for name in new)
    keys.sort()  # two runs that are in order already
    return tuple(keys)


def merge_near_names(keys: Iterable[RankKey], near: Mentions) -> Iterator[str]:
    """Yield the names by their worth: the near ones merged into the far ones."""
    waiting = iter(
        sorted(
            _rank_key(name, mention, near=True)
            for name, mention in near.items()
            if len(name) <= NAME_MOST
        )
    )
    held = next(waiting, None)
    for key in keys:
        if key[2] in near:
            continue
        while held is not None and held < key:
            yield held[2]
            held = next(waiting, None)
        yield key[2]
    if held is not None:
        yield held[2]
        yield from (name for _, _, name in waiting)


def rank_by_scorer(scorer: Scorer, mentions: Mentions) -> list[str]:
    """Return the names in the order that a scorer gives them."""
    names = [name for name in mentions if len(name) <= NAME_MOST]
    return sorted(names, key=lambda name: -scorer.name(name) / (len(name) + 2))


def _rank_key(name: str, mention: Mention, *, near: bool) -> RankKey:
    return -name_worth(name, mention, near=near) / (len(name) + 2), mention.order, name


CHANGES = ("edited", "written", "created")
BUSY_FROM = 2
_IN_PART = re.compile(r'"(?:offset|limit|start_line|end_line|view_range|line_start|lines)"')


@dataclass(frozen=True)
class FileRead:
    """A result that shows a file."""

    path: str
    in_part: bool


@dataclass(frozen=True)
class FileReads:
    """The results so far that show a file."""

    calls: Mapping[str | None, Call] = field(default_factory=dict)
    """Every call, by its id, so that a result finds its own."""
    places: Mapping[Place, FileRead] = field(default_factory=dict)
    whole: Mapping[str, int] = field(default_factory=dict)
    """Where each file was last read from beginning to end."""
    positions: frozenset[int] = frozenset()


def fold_reads(old: FileReads, entries: Sequence[Entry], at: int) -> FileReads:
    """Fold the results that show a file."""
    calls = dict(old.calls)
    new = {
        place: read
        for position, (message, _) in enumerate(entries, start=at)
        for place, read in _reads_in(message, position, calls)
    }
    whole = {read.path: position for (position, _), read in new.items() if not read.in_part}
    return FileReads(
        calls,
        {**old.places, **new},
        {**old.whole, **whole},
        old.positions.union(position for position, _ in new),
    )


def _reads_in(
    message: Message, position: int, calls: dict[str | None, Call]
) -> Iterator[tuple[Place, FileRead]]:
    """Yield what a message shows of files, and note its calls for later results."""
    for block, result in enumerate(message.blocks):
        call = calls.get(result.call) if isinstance(result, Result) else None
        done = call_touches(call) if call else ()
        paths = [touch.key for touch in done if touch.action == "read"]
        if call and len(paths) == 1 and all(touch.action == "read" for touch in done):
            yield (position, block), FileRead(paths[0], _IN_PART.search(call.arguments) is not None)
    calls.update((call.id, call) for call in message.calls)


@dataclass(frozen=True)
class TypedText:
    """What users typed; no results."""

    positions: frozenset[int] = frozenset()
    texts: tuple[str, ...] = ()


def fold_typed_text(before: TypedText | None, entries: Sequence[Entry], at: int) -> TypedText:
    """Fold what users typed."""
    old = before or TypedText()
    new = {
        position: message.text
        for position, (message, _) in enumerate(entries, start=at)
        if message.role == "user" and not message.only_results
    }
    return TypedText(old.positions.union(new), (*old.texts, *new.values()))


def fold_folder_changes(
    before: Counter[str] | None, entries: Sequence[Entry], at: int
) -> Counter[str]:
    """Fold how often something in a folder was changed."""
    changed = (
        posixpath.dirname(fact.key)
        for _, facts in entries
        for fact in facts
        if fact.kind == "artifact" and fact.note in CHANGES
    )
    return Counter(before or ()) + Counter(changed)


class FileHistory:
    """What became of each file that a result shows."""

    def __init__(self, ledger: Ledger, shown: FileReads) -> None:
        self._things = ledger.artifacts_by_key
        self._reads = shown
        self._folders = ledger.entries.fold(fold_folder_changes)
        self._words = "\n".join(ledger.entries.fold(fold_typed_text).texts)
        self._shown: dict[Place, ShownFile] = {}
        self._named: dict[str, bool] = {}

    def get(self, place: Place) -> ShownFile | None:
        read = self._reads.places.get(place)
        if read is None:
            return None
        if place not in self._shown:
            self._shown[place] = self._status_of(place[0], read)
        return self._shown[place]

    def _status_of(self, position: int, read: FileRead) -> ShownFile:
        thing = self._things.get(read.path)
        edits = 0
        if thing is not None:
            edits = sum(action in CHANGES and at > position for action, at in thing.actions)
        return ShownFile(
            edits=edits,
            read_again=self._reads.whole.get(read.path, -1) > position,
            in_part=read.in_part,
            named=self._is_named(posixpath.basename(read.path)),
            busy=self._folders[posixpath.dirname(read.path)] >= BUSY_FROM,
        )

    def _is_named(self, name: str) -> bool:
        if name not in self._named:
            self._named[name] = name in self._words
        return self._named[name]


Scoring = Literal["likely", "rarity"]
"""What decides worth: the measured rates, or how rare words are in this session."""


@dataclass(frozen=True)
class LogWorth:
    """The facts, names and files of a log, and what they are worth."""

    messages: Tape[Message]
    recent: int
    focus: str = ""
    scoring: Scoring = "likely"

    @classmethod
    def of(cls, draft: Draft, scoring: Scoring) -> LogWorth:
        """Return the worth of a draft's messages, with regard to its window and its focus."""
        return cls(draft.view.messages, _recent_start(draft), draft.focus, scoring)

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger.of(self.messages)

    @cached_property
    def scorer(self) -> Scorer:
        if self.scoring == "rarity":
            return FocusedScorer.on(RarityScorer.of(self.messages), self.focus)
        positions = self.ledger.entries.fold(fold_typed_text).positions
        files = FileHistory(self.ledger, self._name_index.reads)
        return FocusedScorer.on(
            MeasuredScorer(self.mentions, files, positions, self.recent), self.focus
        )

    @property
    def mentions(self) -> Mentions:
        return self._name_index.mentions

    @cached_property
    def ranked_names(self) -> RankedNames:
        """Return the names, the most useful for their length first."""
        if isinstance(self.scorer, FocusedScorer):
            return RankedNames(rank_by_scorer(self.scorer, self.mentions))
        near = {
            name: self.mentions[name]
            for each in self.messages[self.recent :]
            for name, _ in names_in(each)
        }
        return RankedNames(merge_near_names(self._name_index.far, near))

    @cached_property
    def _name_index(self) -> _NameIndex:
        return self.ledger.entries.fold(_fold_names)


@dataclass(frozen=True)
class _NameIndex:
    """Every name of a log, and the files that were read."""

    reads: FileReads = field(default_factory=FileReads)
    mentions: Mentions = field(default_factory=dict)
    far: tuple[RankKey, ...] = ()


def _fold_names(before: _NameIndex | None, entries: Sequence[Entry], at: int) -> _NameIndex:
    old = before or _NameIndex()
    shown = fold_reads(old.reads, entries, at)
    mentions = count_mentions(
        old.mentions, ((at + n, message) for n, (message, _) in enumerate(entries)), shown.positions
    )
    said = (name for message, _ in entries for name, _ in names_in(message))
    return _NameIndex(shown, mentions, rank_far_names(old.far, mentions, said))


def _recent_start(draft: Draft) -> int:
    """Return the position from which nothing is far: a window and a quarter back."""
    left = WINDOWS_FAR * draft.budget.window
    for item in reversed(draft.view.arrivals):
        left -= item.tokens
        if left < 0:
            return item.span.start
    return 0
