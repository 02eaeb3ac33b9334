"""Measure how much is found again, on public questions and on what real agents used again.

    python -m bench recall DATA [--cache FOLDER] [--only PART] [--questions N]

LongMemEval: each question is asked, unchanged, of a session of some 115,000 tokens that holds its
evidence among other conversations; a gold turn is one that is marked as holding the answer. BEAM:
conversations of some 146,000 tokens, with gold as its authors cite it. The questions are split in
two halves by a hash: constants were chosen on `choose`, and are reported on `report`.

The agent's question: for each distant use in real sessions (a path or name, a region of a file,
the output of a failed command, a decision) the query that the agent would write from its own next
words; gold are the messages that hold it. What is used after the same words, or failed by the same
command, is one question, because its words cannot tell which is meant. It is asked when the agent
used it: of the session up to there, by an agent that sees the last `FAR` characters, as the uses
are counted. The query for a region names the file that the agent is about to touch, also if it
reads it: without that, half of the queries ("Let me fix it.") could have meant any file. A call and
its result are one hit. Tokens to read are those of the hits up to the gold, at most of `TOOL_HITS`.

After `default` has kept a session within 16,000 tokens, turn by turn: for how many questions a
gold turn is still shown word for word, or is among the hits of the agent's own `recall(question)`.

FOLDER keeps the sessions and their index, so that a second run costs seconds. `--without` switches
parts of the ranking off (`PARTS`), to see what each is worth.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import steno
from bench.ground import arguments
from bench.plain import conversations, openai
from bench.recall_scale import measure_scale
from steno.core.message import Message
from steno.core.store import session_names
from steno.facts.ledger import facts_of
from steno.lab.recorded import RecordedSession
from steno.providers import decode_messages, get_wire
from steno.recall import hits, rank
from steno.recall.chunks import searchable_text
from steno.recall.query import Hit, Query
from steno.recall.recall import Recall
from steno.recall.terms import query_terms
from steno.session.agent_tools.definitions import RecallArguments
from steno.store.sqlite import SQLiteStore

HAYSTACK = 115_000
COMPACTED = 16_000
FAR = 64_000
"""Characters between a use and the last message that held it: half of a 32k window."""
USES_MOST = 6
"""Uses of one kind that a session is asked for."""
HALVES = ("choose", "report")
TOOL_HITS = RecallArguments().most
"""Hits that the agent's tool shows."""
WORDS_MOST = 30
"""Words of an agent's query."""

SETUP = json.dumps({"window": 1_000_000})

Json = dict[str, Any]


def _as_scored(scored: Any, *_: Any) -> list[Any]:
    return list(scored)


PARTS: dict[str, tuple[Any, str, Any]] = {
    "speaker": (rank, "SPEAKER_WEIGHT", 1.0),
    "standing": (rank, "STANDING", ()),
    "quotes": (rank, "QUOTED_WEIGHT", 1.0),
    "seen": (hits, "lower_seen", _as_scored),
    "files": (rank, "FILE_WEIGHT", 1.0),
    "recalls": (rank, "COPY_WEIGHT", 1.0),
    "repeats": (rank, "_repeated_last", _as_scored),
    "pairs": (hits, "find_pairs", lambda *_: {}),
}
"""Parts of the ranking: where each stands, and its value when it is switched off."""


@dataclass(frozen=True)
class Asked:
    """A question to a session, and the positions that answer it."""

    session: str
    text: str
    kind: str
    gold: frozenset[int]
    sessions: tuple[str, ...] = ()
    """The conversation that each position belongs to, if there are several in one session."""
    evidence: frozenset[str] = frozenset()
    before: int = sys.maxsize
    """The messages before this position are searched: the rest had not been said yet."""
    in_view: int = sys.maxsize
    """Who asks sees the messages from this position on."""

    @property
    def half(self) -> str:
        return HALVES[int(sha256(self.text.encode()).hexdigest(), 16) % 2]


@dataclass
class Tally:
    """How often the gold is among the first hits."""

    asked: int = 0
    first: int = 0
    any5: int = 0
    all10: int = 0
    sessions: int = 0
    sessions5: int = 0
    sessions10: int = 0
    any20: int = 0
    read: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def count(self, asked: Asked, hits: Sequence[Hit]) -> None:
        found = [set(hit.positions) for hit in hits]
        if asked.evidence:
            self.sessions += 1
            names = list(dict.fromkeys(asked.sessions[hit.position] for hit in hits))
            self.sessions5 += bool(asked.evidence & set(names[:5]))
            self.sessions10 += bool(asked.evidence & set(names[:10]))
        if not asked.gold:
            return
        self.asked += 1
        self.first += bool(asked.gold & _either(found[:1]))
        self.any5 += bool(asked.gold & _either(found[:5]))
        self.all10 += asked.gold <= _either(found[:10])
        self.any20 += bool(asked.gold & _either(found[:TOOL_HITS]))
        spent = 0
        for hit in hits[:TOOL_HITS]:
            spent += len(hit.snippet) // 4
            if asked.gold & set(hit.positions):
                break
        self.read.append(spent)

    def line(self, name: str) -> str:
        count = max(1, self.asked)
        read = sorted(self.read)[len(self.read) // 2] if self.read else 0
        line = (
            f"{name:<44} {self.asked:4}  any@1 {self.first / count:.3f}  any@5 "
            f"{self.any5 / count:.3f}  all@10 {self.all10 / count:.3f}  "
            f"any@{TOOL_HITS} {self.any20 / count:.3f}  read {read:5}"
        )
        if self.sessions:
            line += (
                f"  session R@5 {self.sessions5 / self.sessions:.3f}"
                f" R@10 {self.sessions10 / self.sessions:.3f}"
            )
        if self.times:
            line += f"  {1e3 * sorted(self.times)[len(self.times) // 2]:.0f} ms p50"
        return line


def read(path: Path) -> list[Json]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _meta(message: Json, key: str) -> Any:
    return (message.get("meta") or {}).get(key)


def long_mem_eval_rows(path: Path) -> Iterator[tuple[Json, list[Json]]]:
    """Rows with their haystacks, as the published anchor builds them: same order, same seed.

    Own messages first.
    """
    rows = read(path)
    sessions: dict[str, list[Json]] = {}
    for row in rows:
        for message in row["messages"]:
            sessions.setdefault(_meta(message, "session"), []).append(message)
    dice = random.Random(7)
    for row in rows:
        own = {_meta(message, "session") for message in row["messages"]}
        others = [name for name in sessions if name not in own]
        dice.shuffle(others)
        said, size = list(row["messages"]), _size(row["messages"])
        for name in others:
            if size >= HAYSTACK:
                break
            said += sessions[name]
            size += _size(sessions[name])
        yield row, said


def _timestamp(date: str) -> float:
    """Return the time of LongMemEval's `2023/04/10 (Mon) 17:50`."""
    return datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").timestamp()


def _size(messages: list[Json]) -> int:
    return sum(len(message["content"]) for message in messages) // 4


def long_mem_eval(path: Path) -> Iterator[tuple[Asked, list[Json]]]:
    for number, (row, said) in enumerate(long_mem_eval_rows(path)):
        gold = [at for at, message in enumerate(row["messages"]) if _meta(message, "has_answer")]
        labels = row["labels"]
        asked = Asked(
            f"longmemeval-{number}",
            labels["question"],
            labels["type"],
            frozenset(gold),
            tuple(_meta(message, "session") for message in said),
            frozenset(labels["evidence_sessions"]),
        )
        yield asked, said


def beam(path: Path) -> Iterator[tuple[Asked, list[Json]]]:
    for number, row in enumerate(read(path)):
        positions = {_meta(message, "id"): at for at, message in enumerate(row["messages"])}
        for kind, asked in row["labels"].items():
            for each in asked if kind != "abstention" else ():
                cited = _numbers(each.get("source_chat_ids", []))
                gold = frozenset(positions[cite] for cite in cited if cite in positions)
                if gold:
                    yield Asked(f"beam-{number}", each["question"], kind, gold), row["messages"]


def _numbers(value: Any) -> list[int]:
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return [number for part in parts for number in _numbers(part)]
    return [value] if isinstance(value, int) else []


def agents_questions(path: Path) -> Iterator[tuple[Asked, list[Json]]]:
    """Yield what agents would have asked, from what they used again."""
    for number, talk in enumerate(conversations(path)):
        plain = openai(talk.rows).messages
        messages = decode_messages(get_wire("openai"), plain)
        session = RecordedSession(str(number), messages)
        for kind, at, query, gold in _distant_uses(session):
            said = frozenset(holder for holder in gold if holder < at)
            seen = _first_in_view(session.texts, at)
            yield Asked(f"agent-{number}", query, kind, said, before=at, in_view=seen), plain


def _first_in_view(texts: Sequence[str], at: int) -> int:
    """Return the first of the messages before `at` that are not distant from it."""
    first, size = at, 0
    while first > 0 and size + len(texts[first - 1]) <= FAR:
        first -= 1
        size += len(texts[first])
    return first


Use = tuple[str, int, str, frozenset[int]]
"""Kind, position, query and gold."""


def _distant_uses(session: RecordedSession) -> Iterator[Use]:
    found: dict[str, list[Use]] = defaultdict(list)
    kinds = {"names": "name", "edits": "region", "reads": "region"}
    for uses in session.uses.values():
        for use in uses:
            kind = kinds.get(use.measure)
            if kind and use.far is not None and use.far > FAR:
                at, words = _own_words(session.messages, use.at, use.text)
                gold = frozenset(holder for holder in use.holders if holder < at)
                if words and gold:
                    found[kind].append((kind, at, words, gold))
    found["error"] = list(_errors(session))
    found["decision"] = list(_decisions(session))
    for uses_of_kind in found.values():
        by_query: dict[str, list[Use]] = defaultdict(list)
        for each in uses_of_kind:
            by_query[each[2]].append(each)
        merged = [
            (same[0][0], min(each[1] for each in same), query, _either([each[3] for each in same]))
            for query, same in by_query.items()
        ]
        chosen = sorted(merged, key=lambda each: sha256(each[2].encode()).digest())
        yield from islice(chosen, USES_MOST)


def _either(sets: Sequence[Set[int]]) -> frozenset[int]:
    return frozenset().union(*sets)


def _own_words(messages: Sequence[Message], at: int, used: str) -> tuple[int, str]:
    """Return where and what the agent said as it made the call, without what it asks for.

    The name of the file that it is about to touch stays, for a region.
    """
    said = messages[at].text
    spoken = at
    for before in range(at - 1, max(-1, at - 4), -1):
        if said or messages[before].role == "user":
            break
        if messages[before].role == "assistant":
            said = messages[before].text
            spoken = before
    file = ""
    answered = {result.call for result in messages[at].results}
    calls = [call for each in messages[max(0, at - 8) : at + 1] for call in each.calls]
    for call in messages[at].calls or [call for call in calls if call.id in answered]:
        path = re.search(r'"(?:file_)?path"\s*:\s*"([^"]+)"', call.arguments)
        if path and path[1] not in used:
            file = path[1].rsplit("/", 1)[-1]
    words = " ".join(said.replace(used, " ").split()[:WORDS_MOST])
    if len(query_terms(words)) < 3:
        return at, ""
    return spoken, f"{words} {file}".strip()


def _errors(session: RecordedSession) -> Iterator[Use]:
    """Yield failed commands by their command: gold is the result that says what failed."""
    calls = {call.id: call for message in session.messages for call in message.calls}
    end = sum(map(len, session.texts))
    begin = 0
    for at, message in enumerate(session.messages):
        begin += len(session.texts[at])
        for result in message.results:
            call = calls.get(result.call or "")
            failed = [fact for fact in facts_of(message) if fact.kind == "error"]
            if call is not None and failed and end - begin > FAR:
                command = searchable_text(call).split("\n", 1)[-1]
                words = " ".join(command.split()[:WORDS_MOST])
                query = f"error of {words}"
                yield "error", len(session.messages), query, frozenset({at})


def _decisions(session: RecordedSession) -> Iterator[Use]:
    """Yield decisions that a later reply takes up: its sentence is the query."""
    begins = [0]
    for text in session.texts:
        begins.append(begins[-1] + len(text))
    replies = [
        (at, sentence)
        for at, message in enumerate(session.messages)
        if message.role == "assistant"
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", message.text)
        if len(sentence) > 30
    ]
    terms = {sentence: frozenset(query_terms(sentence)) for _, sentence in replies}
    for at, message in enumerate(session.messages):
        for fact in facts_of(message):
            if fact.kind != "decision":
                continue
            wanted = frozenset(query_terms(fact.words))
            later = [
                (len(wanted & terms[sentence]), -where, sentence)
                for where, sentence in replies
                if where > at and begins[where] - begins[at] > FAR
            ]
            if later and max(later)[0] >= 4:
                _, where, sentence = max(later)
                yield "decision", -where, sentence, frozenset({at})


def fill(store: SQLiteStore, name: str, messages: Sequence[Json]) -> None:
    plain = [{key: value for key, value in each.items() if key != "meta"} for each in messages]
    store.create(name, "openai", SETUP, user="bench")
    dates = [_meta(each, "date") for each in messages]
    # BEAM's dates have another form, and its questions none.
    times = [_timestamp(date) for date in dates if date and "/" in date]
    if len(times) < len(messages):
        times = []
    store.append(name, decode_messages(get_wire("openai"), plain), times=times)


@dataclass
class Asker:
    """Asks questions of sessions in a store, each of which is filled and indexed first."""

    store: SQLiteStore

    def __post_init__(self) -> None:
        self._known = set(session_names(self.store))

    def recall_of(self, session: str, messages: Sequence[Json], upto: int = sys.maxsize) -> Recall:
        """Return what searches a session, or a fork that has only its first messages."""
        if session not in self._known:
            fill(self.store, session, messages)
            self._known.add(session)
        wire = get_wire("openai")
        reads = lambda info: lambda raw: wire.decode(json.loads(raw), raw, "")  # noqa: E731
        name = session
        if upto < len(messages):
            name = f"{session}-{upto}"
        if name not in self._known:
            self.store.create(name, "openai", SETUP, user="bench", parent=session, fork=upto)
            self._known.add(name)
        recall = Recall(self.store, name, reads)
        recall.fill()
        return recall


def find_hits(recall: Recall, asked: Asked, most: int) -> tuple[Hit, ...]:
    query = Query.of(asked.text, most=most, seconds=600)
    if asked.in_view < asked.before:
        query = replace(query, seen=frozenset(range(asked.in_view, asked.before)))
    return recall.find(query).hits


def measure(
    what: str, questions: Sequence[tuple[Asked, list[Json]]], folder: Path
) -> dict[str, Tally]:
    """Ask every question, and print the figures of both halves."""
    store = SQLiteStore(folder / f"{what}.db", durable=False)
    asker = Asker(store)
    tallies: dict[str, Tally] = defaultdict(Tally)
    for asked, messages in questions:
        recall = asker.recall_of(asked.session, messages, asked.before)
        began = time.perf_counter()
        hits = find_hits(recall, asked, most=100)
        spent = time.perf_counter() - began
        for name in (asked.half, f"{asked.half}: {asked.kind}"):
            tallies[name].count(asked, hits)
            tallies[name].times.append(spent)
    store.close()
    print(f"\n{what}: {len(questions)} questions")
    for name in sorted(tallies):
        print(tallies[name].line(name))
    return tallies


@dataclass
class Reach:
    """How many questions the view answers, alone or with one recall."""

    asked: int = 0
    shown: int = 0
    came: int = 0
    whole: int = 0

    def count(self, gold: frozenset[int], shown: set[int], found: set[int]) -> None:
        self.asked += 1
        self.shown += bool(gold & shown)
        self.came += bool(gold & (shown | found))
        self.whole += gold <= shown | found

    def line(self, name: str) -> str:
        shares = [number / max(1, self.asked) for number in (self.shown, self.came, self.whole)]
        return (
            f"{name:<44} {self.asked:4}  shown {shares[0]:.3f}  or found {shares[1]:.3f}"
            f"  all gold shown or found {shares[2]:.3f}"
        )


def compacted(questions: Sequence[tuple[Asked, list[Json]]], folder: Path) -> dict[str, Reach]:
    """Print for how many questions a gold turn is shown or found, once `default` has compacted."""
    store = SQLiteStore(folder / "longmemeval.db", durable=False)
    asker = Asker(store)
    reached: dict[str, Reach] = defaultdict(Reach)
    for asked, messages in questions:
        if not asked.gold:
            continue
        shown = "\n".join(_view_after(messages))
        visible = {at for at in asked.gold if messages[at]["content"] in shown}
        hits = find_hits(asker.recall_of(asked.session, messages), asked, RecallArguments().most)
        for name in (asked.half, f"{asked.half}: {asked.kind}"):
            reached[name].count(asked.gold, visible, {hit.position for hit in hits})
    store.close()
    print(f"\nafter `default` at {COMPACTED:,}")
    for name in sorted(reached):
        print(reached[name].line(name))
    return reached


def _view_after(messages: Sequence[Json]) -> list[str]:
    """Return the texts that a session shows, which was asked for its view before every turn."""
    with steno.Session(wire="openai", window=COMPACTED) as session:
        for each in messages:
            if each["role"] == "user":
                session.messages()
            session.add({"role": each["role"], "content": each["content"]})
        return [str(message.get("content")) for message in session.messages()]


def main() -> int:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--cache", type=Path, help="folder that keeps sessions and indexes")
    parser.add_argument("--questions", type=int, default=None)
    parser.add_argument("--only", choices=("longmemeval", "beam", "agent", "compacted"))
    parser.add_argument("--without", choices=PARTS, nargs="+", default=())
    parser.add_argument(
        "--scale", type=Path, metavar="FOLDER", help="time searches in large stores"
    )
    parser.add_argument("--messages", type=int, default=1_000_000, help="of --scale")
    given = parser.parse_args()
    if given.scale is not None:
        return measure_scale(given.scale, given.messages)
    for part in given.without:
        setattr(*PARTS[part])
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.cache or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        parts = {
            "longmemeval": lambda: long_mem_eval(given.data / "longmemeval.jsonl.gz"),
            "beam": lambda: beam(given.data / "beam_100k.jsonl.gz"),
            "agent": lambda: agents_questions(given.data / "sessions.jsonl.gz"),
        }
        for part, questions in parts.items():
            if given.only in (None, part):
                measure(part, list(islice(questions(), given.questions)), folder)
        if given.only in (None, "compacted"):
            compacted(list(islice(parts["longmemeval"](), given.questions)), folder)
    return 0
