"""Times in questions: which days they mean, and that what was said then comes first."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from steno.core.message import Message, Text
from steno.recall.dates import asked_times
from steno.recall.query import Query
from steno.recall.recall import Recall
from steno.store.in_process import MemoryStore
from tests.support.promises import proves

NOW = datetime(2026, 11, 16, 12).timestamp()  # a Monday


def days(query: str) -> list[str]:
    """Return the first and last day of each time in a query, without the year if it is 2026."""
    spans: list[str] = []
    for asked in asked_times(query, NOW):
        ends = (datetime.fromtimestamp(at) for at in (asked.since, asked.until - 1))
        first, last = (day.strftime("%Y-%m-%d").removeprefix("2026-") for day in ends)
        spans.append(first if first == last else f"{first} to {last}")
    return spans


@proves("recall.dates")
@pytest.mark.parametrize(
    ("query", "span"),
    [
        ("what did I say last week?", "11-09 to 11-15"),
        ("the trips of the past month", "10-17 to 11-16"),
        ("a couple of weeks ago", "10-30 to 11-05"),
        ("the plan from last Friday", "11-13"),
        ("in March", "03-01 to 03-31"),
        ("in December", "2025-12-01 to 2025-12-31"),
        ("on March 3rd", "03-03"),
        ("on 3 May 2025", "2025-05-03"),
        ("vor zwei Tagen", "11-13 to 11-15"),
        ("was war letzten Monat?", "10-01 to 10-31"),
        ("am 3. Oktober", "10-03"),
        ("am 3.10.2026", "10-03"),
        ("la semaine dernière", "11-09 to 11-15"),
        ("qu'avons-nous dit hier ?", "11-15"),
        ("hace dos días", "11-13 to 11-15"),
        ("el viernes pasado", "11-13"),
        ("los últimos tres meses", "08-18 to 11-16"),
        ("上周说了什么", "11-09 to 11-15"),
        ("3月3日", "03-03"),
        ("parser on frıday", "11-13"),
        ("last ſunday", "11-15"),
        ("in auguſt", "08-01 to 08-31"),
        ("two dayſ ago", "11-13 to 11-15"),
    ],
)
def test_a_time_is_read_in_five_languages(query: str, span: str) -> None:
    assert days(query) == [span]


@pytest.mark.parametrize(
    "query", ["may I go?", "was steht hier?", "2026-02-30", "99999 days", "at last", "2月30日"]
)
def test_other_words_are_no_time(query: str) -> None:
    assert days(query) == []


@pytest.mark.parametrize("now", [1e12, float("nan"), float("-inf")])
def test_a_clock_beyond_the_calendar_reads_no_time(now: float) -> None:
    assert asked_times("last week", now) == []


def ask(query: str) -> list[int]:
    """Return the positions found in a talk of October, last week and today."""
    store = MemoryStore()
    store.create("talk", "openai", "{}")
    said = (
        ("The invoice of Acme is open.", datetime(2026, 10, 5, 9)),
        ("The invoice of Acme is open again.", datetime(2026, 11, 10, 9)),
        ("The invoice of Acme is open as before.", datetime(2026, 11, 16, 9)),
    )
    store.append(
        "talk",
        [Message("user", (Text(text),)) for text, _ in said],
        times=[when.timestamp() for _, when in said],
    )
    recall = Recall(store, "talk", lambda _: lambda raw: Message("user", (Text(raw),)))
    found = recall.find(replace(Query.of(query), asked=NOW))
    return [hit.position for hit in found.hits]


@proves("recall.dates")
def test_what_was_said_then_comes_first_and_nothing_is_hidden() -> None:
    assert ask("the Acme invoice in October")[0] == 0
    assert ask("the Acme invoice of last week")[0] == 1
    assert sorted(ask("the Acme invoice of last week")) == [0, 1, 2]


@proves("recall.dates")
def test_a_question_for_a_time_alone_lists_what_was_said_then() -> None:
    assert ask("What did we discuss last week?") == [1]
    assert ask("Was haben wir im Oktober gesagt?") == [0]
