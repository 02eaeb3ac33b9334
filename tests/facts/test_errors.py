"""Errors: which lines are one, which call met it, and whether it was overcome."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steno.core.fence import Fence
from steno.core.message import Call, Message, Result, Text, user_message
from steno.facts import errors
from steno.facts.failures import Failure, Failures

TRACE = """Traceback (most recent call last):
  File "/w/app.py", line 3, in <module>
    main()
KeyError: 'port'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/w/app.py", line 9, in <module>
    raise ConfigError("no port") from None
app.ConfigError: no port
"""


def result(text: str, *, failed: bool = False, id: str | None = "c1") -> Message:
    return Message("tool", (Result(id, (Text(text),), failed),))


def lines(text: str, *, failed: bool = False) -> list[str]:
    return [fact.words for fact in errors.read_errors(result(text, failed=failed))]


def run(*steps: tuple[str, Any, str]) -> list[Failure]:
    """What stands after these calls with their results.

    A result that begins with `!` is flagged.
    """
    said: list[Message] = []
    for number, (name, arguments, text) in enumerate(steps):
        said.append(Message("assistant", (Call(f"c{number}", name, json.dumps(arguments)),)))
        said.append(result(text.removeprefix("!"), failed=text.startswith("!"), id=f"c{number}"))
    facts = ((at, message, list(errors.read_errors(message))) for at, message in enumerate(said))
    return list(Failures().plus(facts).failed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TRACE, ["app.ConfigError: no port"]),
        (
            "error[E0308]: mismatched types\n --> src/main.rs:4:5\nerror: could not compile `x`",
            None,
        ),
        ("npm ERR! missing script: build\nnpm ERR! code 1", None),
        ("fatal: not a git repository", None),
        ("bash: line 1: gofoo: command not found", None),
        ("thread 'main' panicked at src/main.rs:2:5:\nboom", None),
        ("panic: nil map\n\ngoroutine 1 [running]:", None),
        ("src/a.ts(3,7): error TS2322: Type 'string' is not assignable.", None),
        ("src/a.c:3:7: error: expected ';'", None),
        ("make: *** [Makefile:3: test] Error 2", None),
        ("FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed in 0.1s", None),
        (
            "=== RUN TestA\n--- FAIL: TestA (0.00s)\nFAIL\texample.org/a\t0.1s",
            ["--- FAIL: TestA (0.00s)"],
        ),
        ("rm: cannot remove 'a': Permission denied", None),
        ("curl: (7) Failed to connect", None),
        ("[lint] ERROR task failed", None),
        ("CONFLICT (content): Merge conflict in a.py", None),
        ('{"error": "no such user"}', None),
        ("Error: user not found", None),
        ("ValueError: seat 4 is taken", None),
    ],
)
def test_programs_say_when_they_fail(text, expected):
    found = lines(text)

    assert found[:1] == (expected or [text.split("\n")[0]])


@pytest.mark.parametrize(
    "text",
    [
        'src/a.go:12:\treturn fmt.Errorf("error: %w", err)\nsrc/a.go:30:\tif err != nil {',
        "    12→\terror: string\n    13→FAILED tests/x.py::y",
        "-\traise ValueError('x')\n+    except KeyError: pass",
        'def check():\n    raise ValueError("error: no")\n',
        "Handles errors and failures gracefully.",
        '{"error": null, "items": []}',
        '{"errors": [], "ok": true}',
        "0 errors, 0 warnings",
        "12 passed, 0 failed",
        "error: All providers failed\n 30 pass\n 0 fail\nRan 30 tests.",
        "Process exited with code 0\nOutput:\nfine",
        "",
    ],
)
def test_text_about_errors_is_no_error(text):
    assert lines(text) == []


@pytest.mark.parametrize(
    ("text", "note", "words"),
    [
        ("Exit code 2\nsomething odd\nit cannot go on\nbye", "exit 2", "it cannot go on"),
        ("Exit code 1\nmain.go:4:2: undefined: x", "exit 1", "main.go:4:2: undefined: x"),
        ("all is odd\n\nCommand exited with code 3", "exit 3", "all is odd"),
        (
            "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 4\nOutput:\nodd",
            "exit 4",
            "odd",
        ),
        ('{"output": "odd\\n", "metadata": {"exit_code": 5}}', "exit 5", "odd"),
        ("<returncode>6</returncode>\n<output>\nodd end", "exit 6", "odd end"),
        ("odd\n[The command completed with exit code 7.]", "exit 7", "odd"),
        (
            "<tool_use_error>File does not exist.</tool_use_error>",
            "flagged",
            "File does not exist.",
        ),
        ("Exit code 1", "exit 1", "Exit code 1"),
    ],
)
def test_an_exit_code_is_kept_with_the_likeliest_line(text, note, words):
    (fact,) = errors.read_errors(result(text))

    assert (fact.note, fact.words, fact.key, fact.trust) == (note, words, "c1", "tool")


def test_a_flagged_result_is_an_error_whatever_it_says():
    assert lines("Found 2 matches.\nBe more specific.", failed=True) == ["Found 2 matches."]
    assert [fact.note for fact in errors.read_errors(result("Found 2 matches.", failed=True))] == [
        "flagged"
    ]


def test_a_line_is_exact_and_bounded():
    (words,) = lines("Exit code 1\nerror: " + "x" * 5_000)

    assert words == "error: " + "x" * (errors.LINE_MOST - len("error: "))
    assert (
        len(list(errors.read_errors(result("\n".join(f"--- FAIL: Test{n}" for n in range(900))))))
        == errors.LINES_MOST
    )


def test_only_results_state_errors():
    own = user_message(str(Fence({"kind": "trace"}, "fatal: not a git repository")), by="steno")

    for said in (user_message(f"It breaks:\n\n{TRACE}"), own):
        assert list(errors.read_errors(said)) == []


def test_a_call_is_named_with_its_error_and_a_later_success_overcomes_it():
    failed, quiet = run(
        ("Bash", {"command": "cd /w && make test 2>&1 | tail -5"}, "FAILED tests/a.py::b - boom"),
        ("Bash", {"command": "make lint"}, "Exit code 1\nerror: bad style"),
        ("Bash", {"command": "make fmt && make test"}, "ok"),
    )

    assert (failed.call.words, failed.position, failed.overcome) == (
        "cd /w && make test 2>&1 | tail -5",
        1,
        5,
    )
    assert (quiet.fact.words, quiet.fact.note) == ("error: bad style", "exit 1")
    assert quiet.overcome is None


def sh(command: str, text: str) -> tuple[str, Any, str]:
    return "Bash", {"command": command}, text


def look(typed: str, text: str) -> tuple[str, Any, str]:
    return "write_stdin", {"session_id": 7, "chars": typed}, text


def edit(path: str) -> tuple[str, Any, str]:
    return "Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, "done"


NO_MODULE = sh("npm test", "Error: Cannot find module 'left-pad'\nnpm ERR! Test failed.")
NO_KEY = sh("python run.py", "Traceback (most recent call last):\n  File \"run.py\"\nKeyError: 'a'")
UNDEFINED = sh("go build ./...", "Exit code 1\n./store/log.go:12:3: undefined: Open")
CONFLICT = sh("git merge dev", "Exit code 1\nCONFLICT (content): Merge conflict in src/pay.py")
MISSED = ("Edit", {"file_path": "/w/a.py"}, "!String to replace not found.")
STOPPED = sh("git rebase main", f"error: could not apply 1a2b3c4... Rates\n{CONFLICT[2]}")
MYPY = sh("mypy src", "Exit code 1\nsrc/pay.py:3: error: no attribute rate")
PASSED = "=== 3 passed in 0.1s ==="
FAILED = sh("pytest pkg1", "FAILED pkg1/tests/test_a.py::test_x - AssertionError\n1 failed in 1s")
REJECTED = sh("git push origin main", "error: failed to push some refs")
ENDED = "Exit code: 0\nWall time: 0.9 seconds\nOutput:\n"
RUNNING = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n"
CHECK = sh("make check", "Exit code: 2\nWall time: 0.9 seconds\nOutput:\nerror: bad style")
BOX = '{"chunk_id":"1","output":"","session_id":7,"wall_time_seconds":1.0}'
UNUSED = sh("mise run check 2>&1 | tail -9", "[lint] a.go:3:1: unused\n[lint] ERROR task failed")
QUOTED = 'git add a.go; git commit -m "Keep a && b" 2>&1 | tail -3'


@pytest.mark.parametrize(
    "steps",
    [
        [NO_MODULE, sh("npm install left-pad && npx jest", "Tests: 4 passed, 4 total")],
        [NO_KEY, sh("cd /w && python3 run.py --all", "processed 12 rows")],
        [NO_KEY, sh("uv run python3.11 run.py | tail -3", "processed 12 rows")],
        [UNDEFINED, sh("go build ./... && go vet ./...", "")],
        [CONFLICT, sh("git add -A && git commit -m 'Merge'", "[main 1a2b3c4] Merge")],
        [CONFLICT, sh("git rebase --continue", "Successfully rebased")],
        [CONFLICT, sh("git merge --continue", "[main 1a2b3c4] Merge branch 'dev'")],
        [STOPPED, sh("git -c core.editor=true rebase --continue", "Successfully rebased")],
        [STOPPED, sh("git cherry-pick --abort", "")],
        [MISSED, sh("cd /w && sed -i s/a/b/ a.py", "")],
        [MYPY, sh("mypy --version && mypy src", "mypy 1.2\nSuccess")],
        [FAILED, sh("pytest -q -n 4", "5 passed")],
        [sh("pytest -k 'a or b'", FAILED[2]), sh("pytest -k 'a or b' -q", PASSED)],
        [sh("./run_tests.sh", "Exit code 1\nerror: boom"), sh("./run_tests.sh", PASSED)],
        [
            sh("pnpm check-types", "a.ts(3,1): error TS2304: no name"),
            sh("pnpm check-types", "> tsc"),
        ],
        [REJECTED, sh("git push --force-with-lease", "main -> main")],
        [sh("git commit -m 'One'", "Exit code 1\nhook failed"), sh("git commit -m 'Two'", "ok")],
        [sh("pip install x", "Exit code 1\nerror: no network"), sh("pip3 install x", "done")],
        [
            sh(QUOTED, "error: hook failed"),
            sh("git add a.go; git commit -F m.txt", "[main 1a2b3c4] x"),
        ],
        [CHECK, sh("make check", f"{ENDED}All checks passed!")],
        [UNUSED, sh(UNUSED[1]["command"], "[lint] 0 issues.\n[test:ci] ok  \tx/pay\t1.2s")],
        [CHECK, sh("cd /w && make check 2>&1", f"{ENDED}\n> b@0.0.1 check /w\n> tsc --noEmit\n")],
        [CHECK, sh("make check", f"{ENDED}src/a.ts:3:1: warning: unused name")],
        [CHECK, sh("make check", f"{ENDED}error: expected, and caught")],
        [FAILED, sh("pytest pkg1", RUNNING), look("", RUNNING), look("", f"{ENDED}{PASSED}")],
        [FAILED, sh("pytest pkg1", BOX), look("", f"{ENDED}{PASSED}")],
        [
            sh("npm run check", "Checked 9 files in 6ms. No fixes applied.\nFound 1 error."),
            sh("npm run check", "> check\n\nChecked 9 files in 6ms. No fixes applied.\n"),
        ],
    ],
)
def test_an_error_is_overcome_when_the_same_thing_works_however_it_is_spelt(steps: Any) -> None:
    found = run(*steps)
    assert found and all(failure.overcome == len(steps) * 2 - 1 for failure in found)


@pytest.mark.parametrize(
    "steps",
    [
        [NO_MODULE, sh("pytest", PASSED)],
        [NO_KEY, sh("python other.py", "done")],
        [sh("cd web && make", "Exit code 2\nerror: no rule"), sh("cd api && make", "done")],
        [NO_KEY, sh("python -c 'print(1)'", "1")],
        [UNDEFINED, sh("go build ./cmd", "")],
        [UNDEFINED, sh("go build ./... | head", "./store/log.go:12:3: undefined: Open")],
        [UNDEFINED, sh("npm run build", "done")],
        [CONFLICT, edit("/w/src/pay.py")],
        [CONFLICT, sh("pytest", PASSED)],
        [STOPPED, sh("git merge-base main dev", "1a2b3c4")],
        [MISSED, sh("cat /w/a.py", "a"), sh("sed -i s/a/b/ /w/b.py", "")],
        [MISSED, sh("git commit -am x", "[main 1a2b3c4] x")],
        [MYPY, sh("git commit -am x", "[main 1a2b3c4] x")],
        [MYPY, sh("mypy --version", "mypy 1.2.3")],
        [MYPY, sh("mypy src --help", "usage: mypy")],
        [sh("pnpm check", "error: boom"), sh("pnpm check", "src/a.ts:3:1: unused name")],
        [sh("pnpm check", "error: boom"), sh("pnpm check > log", "")],
        [sh("pnpm check", "error: boom"), sh("pnpm check", "still running after 120 s")],
        [sh("pnpm check", "error: boom"), sh("pnpm check", RUNNING)],
        [sh("pnpm check", "error: boom"), sh("pnpm check", BOX)],
        [CHECK, sh("make check", RUNNING), sh("make fmt", f"{ENDED}done")],
        [CHECK, sh("make check", RUNNING), look("q", f"{RUNNING}bye")],
        [CHECK, sh("make check | tail -3", f"{ENDED}bye")],
        [CHECK, sh("make check > log", ENDED)],
        [CHECK, sh("make check &", ENDED)],
        [CHECK, sh("make check || true", f"{ENDED}bye")],
        [CHECK, sh("make check; git status", f"{ENDED}bye")],
        [CHECK, sh("make check --dry-run", f"{ENDED}tsc --noEmit")],
        [MYPY, edit("src/pay.py"), sh("pytest -q", "5 passed")],
        [REJECTED, sh("git push --dry-run origin main", "Everything up-to-date")],
        [
            sh("cd /w/a && git merge dev", CONFLICT[2]),
            sh("cd /w/b && git commit -am x", "[main 1a2b3c4] x"),
        ],
    ],
)
def test_an_error_stands_while_nothing_shows_that_it_is_over(steps: Any) -> None:
    assert run(*steps)[0].overcome is None


@pytest.mark.parametrize(
    "steps",
    [
        [FAILED, sh("pytest pkg1 -k 'not test_x'", "=== 9 passed, 1 deselected in 1s ===")],
        [FAILED, sh("pytest pkg1 -m 'not slow'", PASSED)],
        [FAILED, sh("pytest pkg1 --ignore=pkg1/tests", PASSED)],
        [FAILED, sh("pytest pkg1 --collect-only", "10 tests collected in 0.1s")],
        [FAILED, sh("pytest pkg1", "collected 0 items\n\nno tests ran in 0.01s")],
        [FAILED, sh("pytest pkg1", "1 skipped in 0.01s")],
        [FAILED, sh("pytest pkg2", PASSED)],
        [FAILED, sh("ruff check .", "All checks passed!")],
        [sh("make test", FAILED[2]), sh("make test", "1 skipped in 0.01s")],
        [sh("make test", FAILED[2]), sh("make test", f"{ENDED}1 failed in 0.01s")],
    ],
)
def test_a_run_that_leaves_out_what_failed_proves_nothing(steps: Any) -> None:
    assert run(*steps)[0].overcome is None


def test_an_edit_that_lands_overcomes_the_one_that_did_not():
    (missed,) = run(
        ("Edit", {"file_path": "/w/a.py"}, "!String to replace not found."),
        ("Edit", {"file_path": "/w/b.py"}, "done"),
        ("Read", {"file_path": "/w/a.py"}, "text"),
        ("Write", {"file_path": "/w/a.py"}, "done"),
    )

    assert (missed.call.tool, missed.call.words, missed.overcome) == ("Edit", "/w/a.py", 7)


def test_what_a_call_shows_is_not_its_own_failure():
    log = "\n".join(["10:00 start", "FAILED tests/a.py::b - boom", "10:01 end", "a", "b", "c"])

    assert (
        run(("Read", {"file_path": "ci.log"}, log), ("Bash", {"command": "cat ci.log | head"}, log))
        == []
    )
    assert run(("Bash", {"command": "grep -r x src"}, "!Exit code 1")) == []
    assert len(run(("Bash", {"command": "make"}, log))) == 1


def test_errors_that_a_command_printed_are_no_failure_if_it_ended_well():
    log = f"{ENDED}start\nerror: no route, trying again\nend"

    assert run(sh("make && ./serve.sh", log)) == []
    # The exit code is that of another program.
    assert len(run(sh("./serve.sh; git status", log), sh("./serve.sh | tail", log))) == 2


def test_a_run_that_fails_in_the_background_is_named_by_its_command():
    (failed,) = run((*CHECK[:2], RUNNING), look("", CHECK[2]))

    assert (failed.call.words, failed.call.position, failed.position) == ("make check", 0, 3)


def test_what_the_user_declined_has_neither_failed_nor_succeeded():
    (failed,) = run(
        ("Bash", {"command": "make"}, "Exit code 2\nerror: no rule"),
        ("Bash", {"command": "make"}, "!The user doesn't want to proceed with this."),
    )

    assert failed.overcome is None


def test_results_without_ids_are_joined_in_order():
    calls = Message("assistant", (Call(None, "get_seat", "{}"), Call(None, "get_meal", "{}")))
    said = [
        calls,
        result("fine", id=None),
        result("Error: no meal", id=None),
        result("Error: whose?", id=None),
    ]

    facts = ((at, message, list(errors.read_errors(message))) for at, message in enumerate(said))
    found = Failures().plus(facts).failed

    assert [failed.call.tool if failed.call else None for failed in found] == ["get_meal", None]


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["ok", "Error: x", "Exit code 1"]))),
    st.data(),
)
def test_a_fold_may_stop_anywhere(steps, data):
    said: list[Message] = []
    for name, text in steps:
        said += [Message("assistant", (Call(name, name, "{}"),)), result(text, id=name)]
    stated = [(at, message, list(errors.read_errors(message))) for at, message in enumerate(said)]
    cut = data.draw(st.integers(0, len(stated)))

    assert Failures().plus(stated[:cut]).plus(stated[cut:]) == Failures().plus(stated)


@pytest.mark.slow
@given(st.text(alphabet=st.sampled_from('error: FAILED::\n\t 12<>{}"[]/.Exit code')), st.booleans())
def test_an_error_is_a_piece_of_what_was_said(text, failed):
    for fact in errors.read_errors(result(text, failed=failed)):
        assert fact.words in text and len(fact.words) <= errors.LINE_MOST


def test_no_text_is_slow():
    began = time.process_time()
    texts = (
        "\n" * 100_000,
        "error " * 20_000,
        "a." * 50_000 + "Error",
        "<error>" + " " * 100_000,
        "x:1" * 30_000 + " fail",
        "Command: " + "a\nDirectory" * 10_000,
        "Output:" + "\nError: (none)" * 10_000,
    )
    for text in texts:
        list(errors.read_errors(result(text, failed=True)))
        list(errors.read_errors(result(f"{text}\nerror: x\n0 fail")))
    assert time.process_time() - began < 3
