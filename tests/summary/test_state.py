"""Where the work stands, as far as the log shows it."""

from __future__ import annotations

from steno.core.message import Message, Result, Text, user_message
from steno.core.tape import Tape
from steno.facts.ledger import Ledger
from steno.summary.state import state_lines
from steno.summary.story import fold_story
from tests.summary.test_story import calls, edit, ran
from tests.support.promises import proves


def state_of(*messages: Message) -> list[str]:
    tape = Tape(messages)
    return list(state_lines(Ledger.of(tape), tape.fold(fold_story), tape))


@proves("summary.state")
def test_nothing_done_is_nothing_told() -> None:
    assert state_of(user_message("Make it faster.")) == []


@proves("summary.state")
def test_tasks_come_first_those_to_do_with_their_place_those_done_counted() -> None:
    todos = [
        {"content": "Read", "status": "completed"},
        {"content": "Write", "status": "in_progress"},
        {"content": "Test", "status": "pending"},
    ]
    lines = state_of(calls("a", "TodoWrite", todos=todos), *ran("b", "ls", "src"))
    assert lines[:3] == [
        "- task, in progress: Write [0]",
        "- task, pending: Test [0]",
        "- tasks done (1 of 3): Read",
    ]
    assert lines[3] == "- last command [1] `ls`: src"


@proves("summary.state")
def test_changes_without_a_passing_test_are_named_with_their_place() -> None:
    lines = state_of(*edit("a", "src/pay.py"), *edit("b", "src/rate.py"))
    assert lines == ["- changed, and no test passed since: src/pay.py [0]; src/rate.py [2]"]
    tested = state_of(*edit("a", "src/pay.py"), *ran("t", "pytest", "=== 3 passed in 0.1s ==="))
    assert len(tested) == 1 and tested[0].startswith("- last test run [2] `pytest`: ")


@proves("summary.state")
def test_an_error_stands_with_its_command_until_it_is_overcome() -> None:
    failing = ran("a", "python export.py", "Exit code 1\nValueError: no rate for GB")
    lines = state_of(*failing)
    assert any(
        line.startswith("- not resolved [1] `python export.py`: ") and "no rate for GB" in line
        for line in lines
    )
    after = state_of(*failing, *ran("b", "python export.py", "exported 3 rows"))
    assert not any("not resolved" in line for line in after)


@proves("summary.state")
def test_the_last_commit_is_told_beside_the_last_command() -> None:
    lines = state_of(
        *ran("b", "git commit -m 'Faster'", "[main 1a2b3c4] Faster"), *ran("c", "ls", "src")
    )
    assert lines == [
        "- last command [2] `ls`: src",
        "- last commit [0] `git commit -m 'Faster'`: [main 1a2b3c4] Faster",
    ]


@proves("summary.state")
def test_a_task_that_nobody_has_begun_can_be_told_by_its_first_words() -> None:
    todos = [{"content": "Test " + "every rate " * 40, "status": "pending"}]
    tape = Tape([calls("a", "TodoWrite", todos=todos)])
    story = tape.fold(fold_story)
    (whole,) = state_lines(Ledger.of(tape), story, tape)
    (short,) = state_lines(Ledger.of(tape), story, tape, brief=True)
    assert len(short) < 140 < len(whole)


@proves("summary.state")
def test_the_folder_of_several_changed_files_is_said_once() -> None:
    (line,) = state_of(*edit("a", "/srv/app/src/pay.py"), *edit("b", "/srv/app/src/lib/rate.py"))
    assert line == (
        "- changed, and no test passed since (under /srv/app/src/): pay.py [0]; lib/rate.py [2]"
    )


@proves("summary.state")
def test_a_command_from_before_the_newest_request_is_not_told() -> None:
    lines = state_of(*ran("b", "ls", "src"), user_message("Now make it faster."))
    assert lines == []


@proves("summary.state")
def test_a_look_that_found_nothing_is_no_error_that_stands() -> None:
    call = calls("a", "Read", file_path="src/no.py")
    answer = Message("tool", (Result("a", (Text("File does not exist."),), error=True),))
    assert state_of(call, answer) == []


@proves("summary.state")
def test_the_end_of_a_chain_that_goes_well_settles_the_chain() -> None:
    failing = ran("a", "make fmt && make lint", "Exit code 1\nerror: pay.py: unused name")
    assert any("not resolved" in line for line in state_of(*failing))
    assert not any(
        "not resolved" in line for line in state_of(*failing, *ran("b", "make lint", "0 issues"))
    )
    assert any("not resolved" in line for line in state_of(*failing, *ran("b", "make fmt", "done")))
