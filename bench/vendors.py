"""Compare what Steno leaves of a session with the summary that the vendor's own model wrote.

For every real compaction in the data, Steno compacts what the vendor's model was given, without
a model, into no more characters than the vendor took. Of both contexts, and of a sliding window
of that size, we ask what still stands there:

  typed         messages of up to 1,500 characters that people typed: word for word
  constraints   sentences of people that say what must or must not be done
  decisions     sentences of people or of the assistant that say what was chosen
  files         paths that calls named: the path, or its last part

A constraint or a decision stands there if four fifths of its words are in one line: vendors
paraphrase. Case, quotes and white space make no difference. Files may be named by their last part.
The cues below are this benchmark's own; Steno does not know them.
"""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import steno
from bench.ground import arguments, tell, verdict, wide
from bench.handover import POLICY, SPARE, recorded_session
from bench.plain import Row
from steno.core.message import Message
from steno.lab.handover import sliding_context, steno_context
from steno.lab.interval import session_interval
from steno.lab.recorded import RecordedSession
from steno.lab.text import typed_words

PATHS = ("file_path", "path", "notebook_path", "filename")
KINDS = ("typed", "constraints", "files", "decisions")
WANTED = {"typed": 0.90, "constraints": 0.90, "files": 0.95}
CONTEXTS = ("vendor", "steno", "sliding")
TYPED_MOST = 1_500
SENTENCE = range(15, 400)
"""Characters of a sentence that can be a constraint or a decision."""
ALIKE = 0.8
"""Share of the words of a sentence that must be in one line."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w{3,}")
_LOOSE = re.compile(r"[\s*_`\"'“”‘’]+")
_CONSTRAINT = re.compile(
    r"\b(?:must|never|always|only|don['’]?t|do not|should(?:n['’]?t| not)?|shall|avoid|ensure|"
    r"make sure|need to|have to|has to|no longer|without|instead of|not allowed|required?)\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decid\w+|go with|going with|chose|choose|option \w+|instead of|rather than|"
    r"let['’]?s (?:use|go|do|keep|make|not|just)|we(?:['’]ll| will) (?:use|keep|go)|"
    r"prefer|agreed?|approach)\b",
    re.IGNORECASE,
)

Counts = tuple[int, int]
"""What stands there, of how many."""


@dataclass(frozen=True)
class Compaction:
    """What a vendor's model was given, and what it made of it."""

    name: str
    before: list[dict[str, Any]]
    summary: str


@dataclass
class Tallies:
    """Counts by context and kind, one for each compaction."""

    counts: dict[tuple[str, str], list[Counts]] = field(default_factory=dict)
    sizes: dict[str, list[int]] = field(default_factory=dict)

    def add(self, context: str, text: str, wanted: Wanted) -> None:
        page = Page(text)
        self.sizes.setdefault(context, []).append(len(text))
        for kind in KINDS:
            found = getattr(wanted, kind)
            seen = sum(getattr(page, f"has_{kind}")(each) for each in found)
            self.counts.setdefault((context, kind), []).append((seen, len(found)))


@dataclass(frozen=True)
class Wanted:
    """What should stand in a context."""

    typed: list[str]
    constraints: list[str]
    files: list[str]
    decisions: list[str]

    @classmethod
    def of(cls, recorded: RecordedSession) -> Wanted:
        typed = [words for each in recorded.messages if (words := typed_words(each)) is not None]
        short = [words for words in typed if len(words) <= TYPED_MOST]
        replies = [each.text for each in recorded.messages if each.role == "assistant"]
        return cls(
            typed=short,
            constraints=[each for each in sentences(short) if _CONSTRAINT.search(each)],
            files=sorted(set(_touched(recorded.messages))),
            decisions=[each for each in sentences(short + replies) if _DECISION.search(each)],
        )


class Page:
    """A context to look for things in."""

    def __init__(self, text: str) -> None:
        self.whole = loose(text)
        self.names = text
        self.lines = [set(words_in(line)) for line in text.split("\n")]

    def has_typed(self, words: str) -> bool:
        return loose(words) in self.whole

    def has_constraints(self, sentence: str) -> bool:
        wanted = set(words_in(sentence))
        return any(len(wanted & line) >= ALIKE * len(wanted) for line in self.lines)

    has_decisions = has_constraints

    def has_files(self, path: str) -> bool:
        return path.rpartition("/")[2] in self.names


def loose(text: str) -> str:
    """Return a text without case, quotes, marks and white space of any length."""
    return _LOOSE.sub(" ", text).strip().casefold()


def words_in(text: str) -> list[str]:
    return _WORD.findall(loose(text))


def sentences(texts: list[str]) -> Iterator[str]:
    for text in texts:
        for sentence in _SENTENCE_END.split(text):
            if len(sentence) in SENTENCE and len(words_in(sentence)) > 2:
                yield sentence


def _touched(messages: tuple[Message, ...] | Any) -> Iterator[str]:
    for message in messages:
        for call in message.calls:
            try:
                read: Any = json.loads(call.arguments)
            except ValueError:
                continue
            if isinstance(read, dict):
                named = [read.get(key) for key in PATHS]
                yield from (path for path in named if isinstance(path, str) and "/" in path)


def compactions(path: Path) -> Iterator[Compaction]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            read = json.loads(line)
            start = 0
            for at, row in enumerate(read["messages"]):
                if not is_summary(row):
                    continue
                before = [each for each in read["messages"][start:at] if each["role"] != "meta"]
                yield Compaction(f"{read['id']}@{at}", before, row["content"])
                start = at


def is_summary(row: Row) -> bool:
    kind = (row.get("meta") or {}).get("kind")
    return kind in ("compact_summary", "compaction") and bool(row["content"])


def main() -> int:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--every", type=int, default=1, help="only every so many compactions")
    asked = parser.parse_args()
    folder = asked.data
    console = wide()
    tell(console, f"{folder.name}/compacted.jsonl.gz")
    tallies = Tallies()
    longer = 0
    start = time.process_time()
    for each in list(compactions(folder / "compacted.jsonl.gz"))[:: asked.every]:
        recorded = recorded_session(each.name, each.before)
        size = len(each.summary)
        wanted = Wanted.of(recorded)
        made = steno_text(recorded, size)
        longer += len(made) > size
        tallies.add("vendor", each.summary, wanted)
        tallies.add("steno", made, wanted)
        tallies.add("sliding", sliding_context(recorded, size // 4).text, wanted)
    took = time.process_time() - start
    shares = _show(console, tallies)
    console.print(f"Steno's context was longer {longer} times; {took:.0f} s of CPU in all")
    return verdict(console, [*_missed(shares), *[f"{longer} are longer"] * (longer > 0)])


def steno_text(recorded: RecordedSession, characters: int) -> str:
    """Return what Steno shows in no more than so many characters, if it can."""
    limit = int(characters / 4 * SPARE)
    for _ in range(4):
        made = steno_context(recorded, limit, POLICY, reserve=0, meter=steno.chars_per_four())
        if len(made.text) <= characters:
            break
        limit = int(limit * 0.97 * characters / len(made.text))
    return made.text


def _show(console: Console, tallies: Tallies) -> dict[tuple[str, str], float]:
    """Print the table; return the pooled shares."""
    count = len(tallies.sizes["vendor"])
    table = Table(
        title=f"{count} compactions: pooled share, mean by compaction (95 % interval)",
        title_justify="left",
    )
    table.add_column("context")
    for name in (*KINDS, "tokens"):
        table.add_column(name, justify="right")
    shares = {}
    for context in CONTEXTS:
        cells = []
        for kind in KINDS:
            counts = tallies.counts[context, kind]
            shares[context, kind] = sum(a for a, _ in counts) / max(1, sum(b for _, b in counts))
            by_compaction = {str(at): [a / b] for at, (a, b) in enumerate(counts) if b}
            interval = session_interval(by_compaction)
            cells.append(f"{shares[context, kind]:.2f}, {interval}")
        tokens = sum(tallies.sizes[context]) // count // 4
        table.add_row(context, *cells, f"{tokens:,}")
    console.print(table)
    totals = {kind: sum(whole for _, whole in tallies.counts["vendor", kind]) for kind in KINDS}
    counted = ", ".join(f"{kind} {totals[kind]:,}" for kind in KINDS)
    console.print(f"looked for: {counted}")
    return shares


def _missed(shares: dict[tuple[str, str], float]) -> Iterator[str]:
    for kind, least in WANTED.items():
        if shares["steno", kind] < least:
            yield f"{kind} {shares['steno', kind]:.2f}, wanted {least:.2f}"
    ours, theirs = shares["steno", "decisions"], shares["vendor", "decisions"]
    if ours <= theirs:
        yield f"decisions {ours:.2f}, the vendor's {theirs:.2f}"
