"""What a log tells: who spoke, what the calls did, where the work stands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steno.core.message import Call, Message, Result, Span, Text, user_message
from steno.core.tape import Tape
from steno.summary.activity import Deed, DeedTotals
from steno.summary.story import Story, fold_story


def calls(id: str, name: str, **arguments: Any) -> Message:
    return Message("assistant", (Call(id, name, json.dumps(arguments)),))


def result(id: str, text: str, *, error: bool = False) -> Message:
    return Message("tool", (Result(id, (Text(text),), error=error),))


def edit(id: str, path: str) -> list[Message]:
    made = calls(id, "Edit", file_path=path, old_string="a", new_string="b")
    return [made, result(id, "ok")]


def ran(id: str, command: str, text: str) -> list[Message]:
    return [calls(id, "Bash", command=command), result(id, text)]


def story_of(*messages: Message) -> Story:
    return Tape(messages).fold(fold_story)


def test_people_speak_where_they_typed_and_nowhere_else() -> None:
    story = story_of(
        user_message("<system-reminder>Be brief.</system-reminder>"),
        user_message("Make it faster."),
        Message("assistant", (Text("Yes."),)),
        user_message("Go on."),
    )
    assert list(story.typed) == [1, 3]


def test_an_action_is_listed_at_its_results_position() -> None:
    messages = (
        calls("a", "Read", file_path="src/pay.py"),
        calls("b", "Bash", command="make"),
        result("b", "done"),
        result("a", "text"),
    )
    story = story_of(*messages)
    assert story.deeds_in(0, 3) == [Deed(1, "ran", "make", "done")]
    assert story.deeds_in(3, 4) == [Deed(0, "read", "src/pay.py")]
    answer = story.answers[2][0]
    assert (answer.called, answer.block) == (1, 0)
    call = answer.find(messages)
    assert call.name == "Bash"
    assert story.deed_of(2, answer, call).what == "make"


def test_a_call_without_a_result_is_pending() -> None:
    story = story_of(calls("a", "Read", file_path="src/pay.py"))
    assert list(story.pending) == ["a"] and story.deeds_in(0, 1) == []


def test_changes_stand_until_tests_pass() -> None:
    work = [*edit("a", "src/pay.py"), *edit("b", "src/rate.py")]
    assert dict(story_of(*work).changed) == {"src/pay.py": 0, "src/rate.py": 2}
    failed = [*work, *ran("c", "pytest", "=== 1 failed, 2 passed in 0.1s ===")]
    assert list(story_of(*failed).changed) == ["src/pay.py", "src/rate.py"]
    passed = [*failed, *ran("d", "pytest", "=== 3 passed in 0.1s ===")]
    assert dict(story_of(*passed).changed) == {}


def test_the_last_test_command_and_commit_are_known() -> None:
    story = story_of(
        *ran("a", "pytest", "=== 3 passed in 0.1s ==="),
        *ran("b", "git commit -m 'Faster'", "[main 1a2b3c4] Faster"),
        *ran("c", "ls", "src"),
    )
    assert story.last_test is not None and story.last_test.what == "pytest"
    assert story.last_commit is not None and "1a2b3c4" in story.last_commit.outcome
    assert story.last_run == Deed(4, "ran", "ls", "src")


def test_what_the_last_failing_command_said_is_kept_until_one_succeeds() -> None:
    failing = ran("a", "make", "cc pay.c\nerror: no rate\nmake: *** Error 1")
    assert "error: no rate" in story_of(*failing).last_errors
    assert story_of(*failing, *ran("b", "make", "done")).last_errors == ()


def test_reading_on_comes_to_the_same_as_reading_at_once() -> None:
    messages = [user_message("Go."), *edit("a", "src/pay.py"), *ran("b", "make", "error: x")]
    story: Story | None = None
    for at, message in enumerate(messages):
        story = fold_story(story, [message], at)
    assert story is not None
    whole = story_of(*messages)
    assert list(story.deeds) == list(whole.deeds) and list(story.typed) == list(whole.typed)
    assert (story.changed, story.last_run) == (whole.changed, whole.last_run)


def test_deeds_of_earlier_summaries_are_left_out_of_the_new_one() -> None:
    deeds = Tape((Deed(at, "read", f"f{at % 5}.py"),) for at in range(200))
    done = Story(deeds=deeds, done=Tape(range(200)))
    outside = [*done.deeds_in(0, 5), *done.deeds_in(195, 200)]
    assert done.totals(0, 200, (Span(5, 195),)) == DeedTotals.of(outside)


@pytest.mark.parametrize(
    ("said", "failed"),
    [
        ("File does not exist. Note: the working directory is /srv.", True),
        ("Error reading file: File not found: src/no.py", True),
        ("The content of the file has 40000 tokens, which exceeds 25000. Read part of it.", True),
        ("<note>The file has 97 lines and is shorter than the offset.</note>", True),
        ("profile = live", False),
        ("1\tthe key could not be found", False),
        ("A file of two lines\nthat does not exist elsewhere", False),
    ],
)
def test_a_read_that_found_no_file_is_told_as_failed(said: str, failed: bool) -> None:
    story = story_of(calls("a", "Read", file_path="src/no.py"), result("a", said))
    (deed,) = story.deeds_in(0, 2)
    assert deed.what.startswith("src/no.py (failed: ") is failed
