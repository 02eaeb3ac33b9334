"""Arrive: new results lose what repeats before they are sent, and nothing else changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steno import Policy, Session
from steno.rungs import Arrive, Intake
from tests.support.promises import proves

Json = dict[str, Any]
LOG = "\n".join(
    f"{n * 7919 % 997} of request {chr(97 + n % 26)}{n % 7} was served" for n in range(90)
)


def call(key: str, name: str = "bash", **arguments: str) -> Json:
    use = {"type": "tool_use", "id": key, "name": name, "input": arguments}
    return {"role": "assistant", "content": [use]}


def result(key: str, text: Any, *, error: bool = False) -> Json:
    block = {"type": "tool_result", "tool_use_id": key, "content": text, "is_error": error}
    return {"role": "user", "content": [block]}


def session(rung: Arrive | None = None, window: int = 200_000, **options: Any) -> Session:
    policy = Policy(every_round=(rung or Arrive(), Intake()))
    tools = [{"name": "recall", "input_schema": {"type": "object"}}]
    held = Session(wire="anthropic", window=window, policy=policy, tools=tools, **options)
    held.add({"role": "user", "content": "Find out why request q5 fails."})
    return held


def shown(held: Session, position: int) -> str:
    return str(held.messages()[position]["content"][0]["content"])


def ran(held: Session, key: str, text: Any, name: str = "bash", **arguments: str) -> str:
    """Add a call and its result; return what is shown for the result."""
    held.add(call(key, name, **(arguments or {"command": f"make {key}"})))
    held.add(result(key, text))
    return shown(held, -1)


@proves("view.extends")
def test_a_copy_of_a_whole_result_points_to_it_and_nothing_sent_changes() -> None:
    held = session()
    ran(held, "a", LOG)
    before = held.messages()

    for key in "bcde":
        assert "[the same as 2.0, above]" in ran(held, key, LOG)

    assert held.messages()[: len(before)] == before
    assert held.view.raw < held.view.weights[2][0] * 2
    assert held.open("10.0") is not None
    held.undo()
    assert LOG in shown(held, -1)


def test_a_copy_of_a_result_that_left_the_view_is_shown_whole() -> None:
    held = session()
    ran(held, "a", LOG)
    held.add({"role": "assistant", "content": "Nothing there."})
    held.add({"role": "user", "content": "Look again."})
    held.compact()

    assert LOG in ran(held, "b", LOG)


def test_under_pressure_the_newest_copy_is_the_one_that_is_whole() -> None:
    held = session(window=30_000)
    ran(held, "a", LOG)
    for n in range(8):
        ran(held, f"n{n}", f"{n} " + " ".join(f"word{n}_{m}" for m in range(300)))
    assert "above" in ran(held, "z", LOG)

    commit = held.compact()

    assert commit is not None and commit.after < commit.before
    assert LOG in shown(held, -1) and "above]" not in str(held.messages())


def test_a_compaction_that_gains_nothing_does_not_move_a_copy() -> None:
    held = session()
    ran(held, "a", LOG)
    ran(held, "b", LOG)

    held.add({"role": "user", "content": "Go on."})
    for _ in range(3):
        held.compact()

    for commit in held.log.commits:
        assert commit.after < commit.before


@pytest.mark.parametrize(
    ("text", "says", "left_out"),
    [
        ("\n".join(["start", *["still waiting for the port"] * 200, "up"]), "up", "equal lines"),
        (
            "\n".join(
                f"\x1b[32mok\x1b[0m \x1b[1m{n}\x1b[0m case {chr(97 + n % 26)}" for n in range(90)
            ),
            "ok 7 case h",
            "terminal codes",
        ),
        ("\r".join(f"Receiving objects: {n}% ({n}/100)" for n in range(101)), "100%", "progress"),
        (f"logo: {'iVBORw0KGgo' * 900} end", "[… 9,500 characters …]", "without a blank"),
    ],
    ids=["equal", "codes", "progress", "base64"],
)
def test_what_repeats_inside_a_result_is_folded_and_said(
    text: str, says: str, left_out: str
) -> None:
    held = session()

    short = ran(held, "a", text)

    assert says in short and left_out in short.partition("[left out: ")[2]
    assert held.view.at(2).tokens < sum(held.view.weights[2]) * 0.75


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        "\n".join(f"{n},{n * 31},{n % 17}" for n in range(400)),
        "\n".join(f"epoch {n} loss {1 / (n + 1):.4f} val {n * 731 % 97}" for n in range(60)),
        "\n".join(f"-rw-r--r-- 1 u u {n * 991} Nov 1{n % 10} file{n}.bin" for n in range(40)),
        json.dumps({f"k{n}": n * 7919 for n in range(900)}, separators=(",", ":")),
        "\r\n".join(f"{n * 7919 % 997}.{n}" for n in range(400)),
        "一" * 9_000,
        "\r".join(f"line {chr(97 + n)} of an old file" for n in range(26)) * 9,
    ],
    ids=["log", "table", "training", "files", "json", "windows", "prose", "lines"],
)
def test_what_says_something_new_in_each_line_stays(text: str) -> None:
    assert ran(session(), "a", text) == text


EQUAL = "\n".join(["    pass"] * 400)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("Read", {"file_path": "/a/b.py"}), ("bash", {"command": "cat b.py"}), ("db", {"q": "x"})],
)
def test_files_and_tools_that_are_named_are_neither_folded_nor_cut(
    name: str, arguments: dict[str, str]
) -> None:
    held = session(Arrive(over=300, never=("d*",)))

    assert EQUAL in ran(held, "a", [{"type": "text", "text": EQUAL}], name, **arguments).replace(
        "\\n", "\n"
    )
    again = ran(held, "b", [{"type": "text", "text": EQUAL}], name, **arguments)
    assert ("above" in again) == (name != "db")


def test_failures_pins_and_pictures_stay() -> None:
    held = session(pins=(4,))
    failed = "\n".join(["E   assert 1 == 2"] * 60)
    held.add(call("a", command="make"), result("a", failed, error=True))
    held.add(call("b", command="make x"), result("b", EQUAL))
    picture = {"type": "image", "source": {"type": "url", "url": "https://x.test/a.png"}}
    held.add(call("c", command="make y"), result("c", [{"type": "text", "text": EQUAL}, picture]))

    assert not held.log.commits


def test_what_a_reply_has_followed_is_left_alone() -> None:
    past = [call("a", command="make"), result("a", EQUAL), call("b", command="make")]
    held = session()
    held.add(*past, result("b", "done"), {"role": "assistant", "content": "It is done."})

    assert not held.log.commits


def test_a_large_result_shows_its_ends_its_errors_and_what_the_request_names() -> None:
    lines = [f"{chr(97 + n % 26)}{n % 11} served {n * 7919 % 99991} times" for n in range(3_000)]
    lines[1_500] = "error: connection to the database was lost"
    lines[2_000] = "request q5 was routed to nowhere"
    text = "\n".join(lines)

    short = ran(session(Arrive(over=1_000)), "a", text)

    assert lines[0] in short and lines[-1] in short
    assert lines[1_500] in short and lines[2_000] in short
    assert len(short) < 6_000


def test_only_named_tools_are_touched_and_nothing_is_cut_that_cannot_be_read_again() -> None:
    held = session(Arrive(only=("web*",)))
    assert EQUAL in ran(held, "a", EQUAL, "bash")
    assert "399 more equal lines" in ran(held, "b", EQUAL.upper(), "web_fetch")

    plain = Session(wire="anthropic", window=200_000, policy=Policy(every_round=(Arrive(),)))
    assert EQUAL in ran(plain, "a", EQUAL)
