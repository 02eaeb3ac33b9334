"""What is remembered of real talk without a model: precision and recall, on labelled sentences.

    python -m bench memory [DATA] [--show]

`labels/memory.jsonl` has a key for each sentence, not its words: the sentences are read from the
data. A sentence is labelled `yes` if it tells something of the person's life that may be wanted in
another session, `no` if not, `either` if readers may differ; those do not count. The same is asked
of LongMemEval: for how many of its users a sentence of the turn that answers their question is
kept, and whether a session that begins with the question is offered it, among the memories of some
32 other sessions.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from bench.ground import arguments
from bench.recall import long_mem_eval
from steno.core.message import user_message
from steno.core.store import GONE_MEMORY, Memory
from steno.facts.authorship import split_by_author
from steno.facts.ledger import Ledger
from steno.facts.sentences import sentences
from steno.memory.extract import extract_memories
from steno.memory.offer import OFFER_MOST, render_offer

LABELS = Path(__file__).parent / "labels" / "memory.jsonl"
CHATS, WORK = ("longmemeval", "beam_100k"), ("sessions", "compacted", "sessions_codex")
SHORTEST, LONGEST = 8, 400


def key(sentence: str) -> str:
    return blake2b(sentence.encode(), digest_size=8).hexdigest()


@cache
def is_kept(sentence: str) -> bool:
    """Return whether a session remembers this sentence of its user."""
    found = extract_memories(Ledger.of((user_message(sentence),)))
    return any(candidate.kind != GONE_MEMORY for candidate in found)


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences that a person typed."""
    for piece in split_by_author(user_message(text)):
        if piece.trust == "person" and piece.prose:
            for start, stop in sentences(piece.text):
                sentence = piece.text[start:stop].strip()
                if SHORTEST <= len(sentence) <= LONGEST:
                    yield sentence


def conversations(data: Path, name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(data / f"{name}.jsonl.gz") as lines:
        yield from map(json.loads, lines)


def typed(data: Path, name: str) -> Iterator[str]:
    for row in conversations(data, name):
        for message in row["messages"]:
            # In sessions of agents a mark says that the message is not a person's.
            if message["role"] == "user" and (name in CHATS or not message.get("meta")):
                yield from sentences_of(message["content"])


def score_labels(data: Path, show: bool) -> None:
    labels = {row["key"]: row for row in map(json.loads, LABELS.read_text().splitlines())}
    found = {key(text): text for name in (*CHATS, *WORK) for text in typed(data, name)}
    for part in ("dev", "second", "third", "fourth", "fifth", "sixth", "seventh"):
        counts: Counter[tuple[str, bool]] = Counter()
        for name, row in labels.items():
            if row["set"] != part or row["label"] == "either" or name not in found:
                continue
            kept = is_kept(found[name])
            counts[row["label"], kept] += 1
            if show and kept != (row["label"] == "yes"):
                print("  wrong" if kept else "  missed", found[name][:150])
        right, wrong, missed = counts["yes", True], counts["no", True], counts["yes", False]
        precision, recall = right / (right + wrong), right / (right + missed)
        count = sum(counts.values())
        print(f"{part:8} {count:4} sentences: precision {precision:.2f}, recall {recall:.2f}")


def score_users(data: Path) -> None:
    users, found = Counter[str](), Counter[str]()
    for row in conversations(data, "longmemeval"):
        gold = [
            message["content"]
            for message in row["messages"]
            if message["role"] == "user" and (message.get("meta") or {}).get("has_answer")
        ]
        if not gold:
            continue
        kinds = ["users"]
        if "would prefer" in str(row["labels"].get("answer")):
            kinds.append("preferences")
        users.update(kinds)
        if any(map(memories_of, gold)):
            found.update(kinds)
    for kind, count in users.items():
        print(
            f"LongMemEval, {kind}: a sentence of the gold turn is kept for {found[kind]} of {count}"
        )


@cache
def memories_of(text: str) -> tuple[tuple[str, str], ...]:
    """Return kind and words of what a session remembers of a message."""
    found = extract_memories(Ledger.of((user_message(text),)))
    return tuple((each.kind, each.words) for each in found if each.kind != GONE_MEMORY)


def score_offers(data: Path) -> None:
    """Ask whether what answers a question is offered to the session that begins with it."""
    users = asked_for = unasked = 0
    for asked, messages in long_mem_eval(data / "longmemeval.jsonl.gz"):
        known: list[Memory] = []
        for position, message in enumerate(messages):
            if message["role"] == "user":
                for kind, words in memories_of(message["content"]):
                    known.append(Memory(len(known) + 1, kind, words, "person", position=position))
        gold = {memory.id for memory in known if memory.position in asked.gold}
        if gold:
            users += 1
            asked_for += not gold.isdisjoint(render_offer(known, asked.text, OFFER_MOST, tokens)[1])
            unasked += not gold.isdisjoint(render_offer(known, "", OFFER_MOST, tokens)[1])
    print(
        f"LongMemEval: of {users} users a session is offered what answers its first question for "
        f"{asked_for}; if it began with no question, for {unasked}"
    )


def tokens(text: str) -> int:
    return len(text) // 4


def main() -> None:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--show", action="store_true", help="print what was wrong or missed")
    given = parser.parse_args()
    data = Path(given.data)
    score_labels(data, given.show)
    score_users(data)
    score_offers(data)
    work = {text for name in WORK for text in typed(data, name)}
    print(f"coding sessions: {sum(map(is_kept, work))} of {len(work)} sentences are kept")
