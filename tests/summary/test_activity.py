"""What the agent did, in one line a stretch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from steno.core.message import Call, Result, Text
from steno.summary.activity import (
    Deed,
    DeedTotals,
    call_deeds,
    error_lines,
    outcome_of,
    short_name,
    tell_deeds,
)
from tests.support.promises import proves


def call(name: str, **arguments: Any) -> Call:
    return Call("c", name, json.dumps(arguments))


def tell(deeds: Sequence[Deed], most: int = 12) -> str:
    return tell_deeds(DeedTotals.of(deeds), most)


def result(text: str, *, error: bool = False) -> Result:
    return Result("c", (Text(text),), error=error)


@proves("summary.replies")
@pytest.mark.parametrize(
    ("made", "deed"),
    [
        (call("Read", file_path="src/pay.py"), Deed(3, "read", "src/pay.py")),
        (call("view_file", path="src/pay.py"), Deed(3, "read", "src/pay.py")),
        (
            call("Edit", file_path="src/pay.py", old_string="a", new_string="b"),
            Deed(3, "edited", "src/pay.py"),
        ),
        (call("Write", file_path="src/pay.py", content="a"), Deed(3, "wrote", "src/pay.py")),
        (call("Bash", command="make test"), Deed(3, "ran", "make test", "ok")),
        (
            call("shell", command=["bash", "-lc", "make test"]),
            Deed(3, "ran", "make test", "ok"),
        ),
        (call("ponder"), Deed(3, "called", "ponder")),
    ],
)
def test_a_call_is_described_by_its_action(made: Call, deed: Deed) -> None:
    (done,) = call_deeds(3, made, result("ok"))
    assert done == deed


@proves("summary.replies")
def test_a_search_is_described_by_its_query() -> None:
    (deed,) = call_deeds(3, call("Grep", pattern="def total", path="src"), result("src/pay.py"))
    assert deed.verb == "searched" and "def total" in deed.what


@proves("summary.replies")
def test_a_relative_path_is_shown_in_full_if_it_fits() -> None:
    read = [Deed(3, "read", "packages/core/src/pay.ts"), Deed(5, "read", "/srv/app/web/src/tax.ts")]
    assert tell(read, 12) == "read packages/core/src/pay.ts, src/tax.ts"
    assert tell(read, 5) == "read src/pay.ts, src/tax.ts"


@proves("summary.replies")
def test_a_failed_call_is_marked_as_failed() -> None:
    (deed,) = call_deeds(3, call("Read", file_path="src/no.py"), result("no such file", error=True))
    assert deed.what == "src/no.py (failed: no such file)"
    later = [Deed(n, "read", f"src/file{n}.py") for n in range(1, 40)]
    line = tell_deeds(DeedTotals.of([deed, *later]))
    assert "src/no.py (failed: no such file), src/file28.py" in line and "file27.py" not in line
    assert "src/file39.py, and 27 more" in line
    (run,) = call_deeds(3, call("Bash", command="make"), None)
    assert run.outcome == "no result yet"


@proves("summary.replies")
@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("", "no output"),
        ("one\ntwo\n\n", "two"),
        ("E   ValueError: bad rate\nsee the log", "E   ValueError: bad rate"),
        ("Exit code 1\nModuleNotFoundError: no rates", "ModuleNotFoundError: no rates"),
        ("error: no rule\nmake: stopped", "error: no rule"),
    ],
)
def test_a_command_ends_with_the_line_that_says_how(text: str, ended: str) -> None:
    assert outcome_of(result(text)) == ended


@proves("summary.replies")
def test_a_test_run_says_whether_it_passed() -> None:
    failed = outcome_of(result("test_a FAILED\n===== 1 failed, 3 passed in 0.2s ====="))
    passed = outcome_of(result("===== 4 passed in 0.2s ====="))
    assert "1 failed" in failed and "4 passed" in passed


@proves("summary.replies")
def test_an_action_line_names_files_once_and_commands_with_outcomes() -> None:
    deeds = [
        Deed(1, "read", "/srv/app/src/pay.py"),
        Deed(2, "edited", "/srv/app/src/pay.py"),
        Deed(3, "edited", "/srv/app/src/pay.py"),
        Deed(4, "ran", "make test", "2 failed"),
        Deed(5, "read", "/srv/app/src/rate.py"),
        Deed(6, "ran", "make test", "all passed"),
        Deed(7, "ran", "git status", "clean"),
        Deed(8, "called", "ponder"),
    ]
    assert tell(deeds) == (
        "read src/pay.py, src/rate.py; edited src/pay.py ×2; "
        "ran `make test` ×2: 2 failed, later all passed; ran `git status`: clean; called ponder"
    )


@proves("summary.replies")
def test_where_there_are_many_the_newest_are_named_and_the_others_counted() -> None:
    deeds = [Deed(n, "read", f"src/part_{n}.py") for n in range(9)]
    newest = ", ".join(f"src/part_{n}.py" for n in range(4, 9))
    assert tell(deeds, 5) == f"read {newest}, and 4 more"


@proves("summary.replies")
def test_a_brief_line_names_the_last_of_each_kind() -> None:
    deeds = [Deed(n, "read", f"src/part_{n}.py") for n in range(9)]
    deeds += [Deed(n, "edited", f"src/part_{n}.py") for n in (3, 5)]
    deeds.append(Deed(11, "ran", "git commit -am x", "[main 1a2b3c4d] Mend the rates"))
    assert tell(deeds, 2) == (
        "read src/part_7.py, src/part_8.py, and 7 more; edited src/part_3.py, src/part_5.py; "
        "ran `git commit -am x`: [main 1a2b3c4d] Mend the rates"
    )
    runs = [Deed(n, "ran", f"make part_{n} " + "x" * 200, "y" * 200) for n in range(9)]
    assert len(tell(runs, 1)) < 120 < len(tell(runs, 3))


def test_a_path_is_known_by_its_last_two_parts() -> None:
    assert short_name("/srv/app/src/pay.py") == "src/pay.py"
    assert short_name("pay.py") == "pay.py"
    assert short_name("C:\\srv\\app\\pay.py") == "app/pay.py"
    assert short_name("two words/and more") == "two words/and more"


def test_repeated_error_lines_are_shown_once() -> None:
    text = "fine\nerror: a\nerror: a\nfatal: b\nerror: c"
    assert error_lines(text, 2) == ["error: a", "fatal: b"]
    assert error_lines("all good", 2) == []


@proves("summary.replies")
def test_what_failed_says_more_than_that_something_did() -> None:
    text = "pay.py:3: error: unused name\n[lint] ERROR task failed\nexit code 1"
    assert outcome_of(result(text)) == "pay.py:3: error: unused name"


@proves("summary.replies")
def test_an_unknown_tool_is_shown_with_its_arguments() -> None:
    made = call("tracker_make", body="long\ntext", title="Faster export", team="Pay")
    assert call_deeds(3, made, None) == [Deed(3, "called", "tracker_make (Faster export)")]


@proves("summary.replies")
def test_updating_a_task_list_is_not_listed_as_an_action() -> None:
    todos = [{"content": "Read", "status": "completed"}]
    assert call_deeds(3, call("TodoWrite", todos=todos), None) == []
    assert call_deeds(3, call("TaskUpdate", taskId="2", status="completed"), None) == []


@proves("summary.replies")
@pytest.mark.parametrize(
    ("command", "text", "outcome"),
    [
        ("git log --oneline", "1a2b One\n2b3c Two\n3c4d Three", "1a2b One … (3 lines)"),
        ("git status", "clean", "clean"),
        ("git commit -m x", "[main 1a2b3c4] Faster\n 2 files changed", "[main 1a2b3c4] Faster"),
        (
            "git commit -m x && git push",
            "[main 1a2b3c4] Faster\n 2 files changed\n   0a..1a  main -> main",
            "[main 1a2b3c4] Faster; 0a..1a  main -> main",
        ),
        ("npm run build", "done\n> web@1.2.2 build", "done"),
        ("make", "Chunk ID: 1a\nWall time: 0.1 seconds\nOutput:\n", "no output"),
    ],
)
def test_an_outcome_is_what_says_most(command: str, text: str, outcome: str) -> None:
    (ran,) = call_deeds(3, call("Bash", command=command), result(text))
    assert ran.outcome == outcome


@proves("summary.replies")
def test_a_task_that_ran_tests_in_the_background_is_a_run() -> None:
    made = call("TaskOutput", task_id="b1")
    done = call_deeds(3, made, result("=== 3 passed in 0.1s ==="))
    assert [deed.verb for deed in done] == ["ran"] and "3 passed" in done[0].outcome
