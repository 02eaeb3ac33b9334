"""Measure what can still be answered after a session was held to 16,000 tokens.

    python bench/probe.py DATA [--questions N] [--sessions N] [--beam N]

Each conversation is replayed message by message under `default`; questions are asked at its end.
The peers, in the same run: a sliding window of the same size alone, and one with the same recall.
*Known questions* are LongMemEval's, each in a haystack of some 115,000 tokens (as
`bench/recall.py` builds it), and BEAM's. *Made questions* come from the facts of real coding
sessions; only those are asked whose answer was said more than a window before the end, so that the
set is the same for all. They are about what Steno itself looks for, and so favour it; they are
reported apart. A question is answered if the words of the answer are in what is shown, or in the
five messages that one recall returns. Evidence: a message that holds the answer is shown as it was
said, or is among those five. No model is asked.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ground import tell, wide
from plain import data_folder, recorded_sessions
from recall import Json, long_mem_eval_rows, read
from steno.checks.answerable import questions_about
from steno.checks.questions import Question
from steno.core.message import Message
from steno.facts.ledger import Ledger
from steno.lab.baselines import SlidingWindow
from steno.lab.bill import ReplaySetting
from steno.lab.ours import StenoPolicy
from steno.lab.policies import start_policy
from steno.lab.probe import (
    AnswerRate,
    QuestionGroup,
    RoundTrip,
    VisibleText,
    answer_rates,
    probe_question,
    questions_in_row,
)
from steno.lab.recorded import RecordedSession
from steno.lab.text import CHARACTERS_PER_TOKEN
from steno.providers import decode_messages, get_wire
from steno.session.recall import PROBE_HITS

WINDOW = 16_000
SEARCH_SECONDS = 600.0
NONE: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True)
class Asking:
    """A conversation, and the questions at its end."""

    tale: RecordedSession
    questions: Sequence[Question]


def lived(asking: Asking, group: QuestionGroup) -> Iterator[tuple[str, RoundTrip]]:
    """Ask every question under every policy."""
    ours = start_policy("default", asking.tale, ReplaySetting(WINDOW))
    assert isinstance(ours, StenoPolicy)
    sliding = SlidingWindow(WINDOW)
    with ours.session as session:
        for message in asking.tale.messages:
            if message.role == "assistant":
                ours.request(), sliding.request()
            ours.add(message), sliding.add(message)
        ours.request()
        sight, slid = VisibleText.of(session.view), _slid(sliding, asking.tale.messages)
        for question in asking.questions:
            found = session._parts.recall.search_question(question, PROBE_HITS, SEARCH_SECONDS)
            yield "default, one recall", probe_question(question, group, sight, found)
            yield "sliding, the same recall", probe_question(question, group, slid, found)
            yield "sliding", probe_question(question, group, slid, NONE)


def _slid(sliding: SlidingWindow, messages: Sequence[Message]) -> VisibleText:
    parts = sliding.request().parts
    first = len(messages) - len(parts)
    return VisibleText({first + number: part.text for number, part in enumerate(parts)})


def haystacks(path: Path, most: int) -> list[Asking]:
    """Yield every n-th question of LongMemEval, so that all kinds keep their shares."""
    rows = list(long_mem_eval_rows(path))
    step = max(1, len(rows) // most)
    return [_asking(row["id"], said, row) for row, said in rows[::step][:most]]


def beam(path: Path, most: int) -> list[Asking]:
    return [_asking(row["id"], row["messages"], row) for row in read(path)[:most]]


def _asking(name: str, said: list[Json], row: Json) -> Asking:
    plain = [{"role": message["role"], "content": message["content"]} for message in said]
    tale = RecordedSession(name, tuple(decode_messages(get_wire("openai"), plain)), wire="openai")
    return Asking(tale, questions_in_row(row, len(said), name).questions)


def sessions(path: Path, most: int) -> list[Asking]:
    return [Asking(tale, list(_distant(tale))) for tale in recorded_sessions(path)[:most]]


def _distant(tale: RecordedSession) -> Iterator[Question]:
    """Return the questions whose answer was said only more than a window before the end."""
    begins, size = [], 0
    for text in tale.texts:
        begins.append(size)
        size += len(text)
    for question in questions_about(Ledger.of(tale.messages)):
        if all(size - begins[at] > WINDOW * CHARACTERS_PER_TOKEN for at in question.positions):
            yield question


def measure(console: Console, title: str, group: QuestionGroup, askings: Sequence[Asking]) -> None:
    began = time.perf_counter()
    trips: dict[str, list[RoundTrip]] = {}
    for asking in askings:
        for policy, trip in lived(asking, group):
            trips.setdefault(policy, []).append(trip)
    told = (
        f"{title}: {len(askings)} conversations, "
        f"{sum(len(asking.questions) for asking in askings)} questions"
    )
    table = Table(title=f"{told}, {time.perf_counter() - began:.0f} s", title_justify="left")
    columns = ("policy", "kind", "asked", "visible", "recalled", "not", "answered")
    for column in (*columns, "evidence") if group == "known" else columns:
        table.add_column(column, justify="left" if column in ("policy", "kind") else "right")
    for policy, ours in trips.items():
        for rate in answer_rates(ours, group):
            table.add_row(
                policy,
                *_cells(rate)[: len(table.columns) - 1],
                style="bold" if rate.kind == "all" else None,
            )
        table.add_section()
    console.print(table)


def _cells(rate: AnswerRate) -> list[str]:
    counts = [f"{rate.counts.get(state, 0):,}" for state in ("visible", "recalled", "missing")]
    shares = [
        "–" if share is None else f"{share:.3f}" for share in (rate.share, rate.evidence_share)
    ]
    return [rate.kind, f"{rate.asked_count:,}", *counts, *shares]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?")
    parser.add_argument("--questions", type=int, default=120, help="of LongMemEval's 247, evenly")
    parser.add_argument("--beam", type=int, default=5, help="of BEAM's 20 conversations")
    parser.add_argument("--sessions", type=int, default=54, help="coding sessions")
    given = parser.parse_args()
    folder = data_folder(given.data)
    console = wide()
    tell(
        console,
        f"{folder.name}/longmemeval.jsonl.gz, beam_100k.jsonl.gz and "
        f"sessions.jsonl.gz; window {WINDOW:,}",
    )
    known = haystacks(folder / "longmemeval.jsonl.gz", given.questions) if given.questions else []
    for title, group, askings in (
        ("LongMemEval, known questions", "known", known),
        (
            "BEAM, known questions",
            "known",
            beam(folder / "beam_100k.jsonl.gz", given.beam) if given.beam else [],
        ),
        (
            "coding sessions, made questions",
            "ledger",
            sessions(folder / "sessions.jsonl.gz", given.sessions),
        ),
    ):
        if askings:
            measure(console, title, group, askings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
