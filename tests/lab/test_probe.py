"""Round trips: what only the covered part can answer is asked, and answered from the view or
with one recall.
"""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest

from steno import Policy, Session
from steno.checks.questions import (
    AnswerTexts,
    Question,
    hidden_questions,
    questions_about,
)
from steno.core.view import View
from steno.facts.ledger import Ledger
from steno.lab.probe import (
    VisibleText,
    answer_rates,
    probe_question,
)
from tests.support.command_line import Run, refused
from tests.support.promises import proves

WINDOW = 4_000
FILLER = (
    "The weather over the harbour stays as it was, and nobody in the office says a word about it. "
)


def call(id: str, name: str, **arguments: str) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": id, "type": "function", "function": function}],
        }
    ]


def result(id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": text}


def worked(turns: int = 30) -> list[dict[str, Any]]:
    """An agent's work of our own making: a constraint, a change, a failure, a decision, a loop.

    And then much else.
    """
    talk: list[dict[str, Any]] = [
        {
            "role": "user",
            "content": "Never push to the release branch. Please repair the invoice totals.",
        },
        *call("a", "edit_file", path="finch/billing/totals.py", old="round(x)", new="x"),
        result("a", "edited"),
        *call("b", "run", command="pytest -q tests/test_totals.py"),
        result(
            "b",
            "exit code 1\nFAILED tests/test_totals.py::test_pennies - AssertionError: 3 != "
            "4\n1 failed in 0.1s",
        ),
        {
            "role": "assistant",
            "content": "We decided to use Decimal because floats lose a penny on long invoices.",
        },
        {
            "role": "user",
            "content": "Fine. Later you must also tell the bookkeeper about the new totals.",
        },
    ]
    for n in range(turns):
        talk += [
            {"role": "user", "content": f"Note {n}: {FILLER * 6}"},
            {"role": "assistant", "content": f"Noted, {n}."},
        ]
    return talk


def compacted(
    policy: Policy | None = None, window: int = WINDOW, turns: int = 30, **how: Any
) -> Session:
    session = Session(wire="openai", window=window, policy=policy or Policy(moment="now"), **how)
    session.add(*worked(turns))
    session.messages()
    assert session.log.commits
    return session


def kinds(session: Session) -> set[str]:
    return {question.kind for question in questions_about(Ledger.of(session.log.messages))}


@proves("probe.questions")
def test_facts_become_questions_that_know_their_answers() -> None:
    with compacted() as session:
        made = {
            question.kind: question for question in questions_about(Ledger.of(session.log.messages))
        }
    assert set(made) >= {"changed", "failed", "ruled", "decided"}
    assert made["changed"].text == "Which totals.py was changed?"
    assert made["changed"].answers[0] == "finch/billing/totals.py" and made[
        "changed"
    ].positions == (1,)
    assert (
        "pytest -q tests/test_totals.py" in made["failed"].text
        and "3 != 4" in made["failed"].answers[0]
    )
    assert made["decided"].text == "Why was this decided: We decided to use Decimal?"
    assert made["decided"].answers == ("because floats lose a penny on long invoices.",)
    assert all(
        "branch" not in question.text or question.kind == "ruled" for question in made.values()
    )


def covered_questions(view: View) -> list[Question]:
    return hidden_questions(view, Ledger.of(view.messages))


@proves("probe.questions")
def test_only_what_the_covered_part_alone_says_is_asked() -> None:
    with Session(wire="openai", window=1_000_000) as whole:
        whole.add(*worked())
        assert covered_questions(whole.view) == []
    with compacted() as session:
        asks = covered_questions(session.view)
        assert asks and all(session.view.at(at).is_edited for each in asks for at in each.positions)
        answer = asks[0].answers[0]
        session.add({"role": "user", "content": f"By the way: {answer}"})
        assert answer not in [each.answers[0] for each in covered_questions(session.view)]


@proves("probe.questions")
def test_an_answer_is_recognised_by_its_words_and_no_half_of_one() -> None:
    text = AnswerTexts.of(
        [
            "It was `Src/Auth/session.py`,\n  line 4.",
            "我们决定用机器学习模型",
            "ends here",
            "begins",
        ]
    )
    assert (
        text.contains("src/auth/session.py")
        and text.contains("SESSION.PY line 4")
        and text.contains("机器学习")
    )
    assert (
        not text.contains("auth/session.p")
        and not text.contains("here begins")
        and not text.contains("")
        and not text.contains("!")
    )


@pytest.mark.slow
def test_asking_a_view_costs_little() -> None:
    with compacted(window=24_000, turns=250) as session:
        ledger = Ledger.of(session.log.messages)
        hidden_questions(session.view, ledger)
        spent = []
        for _ in range(5):
            began = time.process_time()
            hidden_questions(session.view, ledger)
            spent.append(time.process_time() - began)
    assert min(spent) < 0.25


def sight(*told: str, **said: str) -> VisibleText:
    return VisibleText({int(at.removeprefix("at")): text for at, text in said.items()}, told)


@proves("probe.rates")
def test_a_question_is_visible_recalled_or_missing_and_its_evidence_apart() -> None:
    question = Question("why", "Which colour?", ("deep blue",), (3,))
    shown = probe_question(question, "known", sight("a summary: Deep  blue."), [])
    found = probe_question(question, "known", sight("nothing"), [(3, "we painted it deep blue")])
    gone = probe_question(question, "known", sight(at1="blue, and deep"), [(1, "no")])
    here = probe_question(question, "known", sight(at3="the sea's colour"), [])
    assert [(each.state, each.evidence) for each in (shown, found, gone, here)] == [
        ("visible", "missing"),
        ("recalled", "recalled"),
        ("missing", "missing"),
        ("missing", "visible"),
    ]
    [each, total] = answer_rates([shown, found, gone, here], "known")
    assert (each.kind, total.kind) == ("why", "all") and total.share == 0.5
    assert total.as_dict()["evidence"] == {"visible": 1, "recalled": 1, "missing": 2}
    assert answer_rates([shown], "ledger") == []


@proves("probe.rates")
def test_an_answer_too_short_to_mean_anything_counts_only_where_it_was_said() -> None:
    question = Question("count", "How many?", ("2",), (5,))
    assert (
        probe_question(question, "known", sight("2 of them", at1="2"), [(1, "2")]).state
        == "missing"
    )
    assert probe_question(question, "known", sight(at5="I have 2 cats"), []).state == "visible"
    assert probe_question(question, "known", sight(), [(5, "I have 2 cats")]).state == "recalled"
    nowhere = Question("count", "How many?", ("2",))
    assert probe_question(nowhere, "known", sight("2 of them"), []).state == "visible"


def lines(path: Path, *rows: Any) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.slow
@proves("probe.command")
def test_the_command_says_it_in_a_table_and_as_json(run: Run, tmp_path: Path) -> None:
    file = lines(tmp_path / "work.jsonl", *worked())
    mine = lines(
        tmp_path / "mine.jsonl",
        {"question": "Why is Decimal used?", "answer": "floats lose a penny", "positions": [5]},
        {"question": "Who is the queen?", "answer": "nobody said so", "kind": "unknown"},
    )
    told = run("probe", file, "--window", WINDOW, "--questions", mine)
    assert told.code == 0 and "Made from the session" in told.out and "Known questions" in told.out
    made = run("probe", file, "--window", WINDOW, "--questions", mine, "--json").json
    assert made["covered"] > 0 and made["ledger"][-1]["asked"] == sum(
        rate["asked"] for rate in made["ledger"][:-1]
    )
    known = {row["question"]: row for row in made["questions"] if row["group"] == "known"}
    assert known["Why is Decimal used?"]["state"] in ("visible", "recalled")
    assert known["Who is the queen?"]["state"] == "missing" and made["known"][-1]["answered"] == 0.5
    assert run("probe", file, "--window", WINDOW, "--questions", mine, "--least", "0.9").code == 1
    assert run("probe", file, "--window", WINDOW, "--least", "0.9").code == 0
    assert "Nothing is covered" in run("probe", file).out


@proves("probe.command")
def test_the_command_reads_the_forms_of_public_benchmarks(run: Run, tmp_path: Path) -> None:
    said = [{"role": message["role"], "content": message["content"]} for message in worked()[5:]]
    marked = [
        message | {"meta": {"id": 100 + at, "has_answer": at == 0}}
        for at, message in enumerate(said)
    ]
    one = {"id": "one", "source": "ours", "messages": marked}
    labels = {"question": "Why Decimal?", "answer": "floats lose a penny", "type": "reasons"}
    asked_once = lines(tmp_path / "once.jsonl.gz", one | {"labels": labels})
    made = run("probe", asked_once, "-s", "one", "-w", WINDOW, "-q", asked_once, "--json").json
    assert made["known"][0]["kind"] == "reasons" and made["known"][0]["evidence"] is not None
    by_kind = {
        "extraction": [
            {
                "question": "Why Decimal?",
                "answer": 4,
                "source_chat_ids": {"first": [100], "more": [101]},
            }
        ],
        "following": [
            {"question": "Tell me more.", "instruction_being_tested": "tell the bookkeeper"}
        ],
        "abstention": [{"question": "How old is she?", "ideal_response": "it does not say"}],
    }
    other = one | {"id": "two", "labels": {"extraction": [{"question": "?", "answer": "?"}]}}
    several = lines(tmp_path / "several.jsonl", one | {"labels": by_kind}, other)
    made = run("probe", several, "-s", "one", "-w", WINDOW, "-q", several, "--json").json
    assert [rate["kind"] for rate in made["known"]] == ["extraction", "following", "all"] and made[
        "left_out"
    ] == 1
    assert made["questions"][-2]["positions"] == [0, 1] and made["questions"][-2]["answers"] == [
        "4"
    ]
    plain = lines(
        tmp_path / "flat.jsonl",
        {"question": "Why?", "answer": ["penny", "pence"], "question_type": "x"},
    )
    assert (
        run("probe", several, "-s", "one", "-w", WINDOW, "-q", plain, "--json").json["known"][0][
            "kind"
        ]
        == "x"
    )


@proves("probe.command")
@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("not json", "line 1: not JSON"),
        ("[1]", "line 1: expected an object"),
        ('{"question": "Why?"}', 'no "answer"'),
        ('{"question": " ", "answer": "x"}', "no text"),
        ('{"question": "Why?", "answer": ""}', 'no "answer"'),
        ('{"question": "Why?", "answer": "x", "positions": [9999]}', "positions are whole numbers"),
        ('{"question": "Why?", "answer": "x", "positions": "0"}', "positions are whole numbers"),
        ('{"text": "x"}', "asks nothing"),
    ],
)
def test_a_wrong_file_of_questions_is_refused_in_one_line(
    run: Run, tmp_path: Path, row: str, says: str
) -> None:
    file = lines(tmp_path / "work.jsonl", *worked())
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(row + "\n")
    refused(run("probe", file, "-w", WINDOW, "-q", wrong), says)


@proves("probe.command")
def test_a_missing_file_of_questions_is_refused(run: Run, tmp_path: Path) -> None:
    file = lines(tmp_path / "work.jsonl", *worked())
    refused(run("probe", file, "-w", WINDOW, "-q", tmp_path / "none.jsonl"), "no such file")
