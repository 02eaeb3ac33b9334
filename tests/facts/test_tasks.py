"""The agent's own list of tasks, in its newest state."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steno.core.message import Call, Message, Result, Text
from steno.core.tape import Tape
from steno.facts.tasks import Task, TaskList, fold_tasks


def calls(name: str, id: str = "c", **arguments: Any) -> Message:
    return Message("assistant", (Call(id, name, json.dumps(arguments)),))


def result(text: str, id: str = "c") -> Message:
    return Message("tool", (Result(id, (Text(text),)),))


def done(name: str, id: str = "c", **arguments: Any) -> list[Message]:
    return [calls(name, id, **arguments), result("ok", id)]


def tasks_of(*messages: Message) -> list[Task]:
    return list(Tape(messages).fold(fold_tasks).tasks.values())


def test_a_list_that_is_written_whole_replaces_the_one_before() -> None:
    first = [{"content": "Read", "status": "pending"}, {"content": "Drop", "status": "pending"}]
    second = [
        {"content": "Read", "status": "completed"},
        {"content": "Write", "status": "in_progress"},
    ]
    assert tasks_of(*done("TodoWrite", todos=first), *done("TodoWrite", todos=second)) == [
        Task("Read", "completed", 2),
        Task("Write", "in_progress", 2),
    ]


def test_a_plan_of_steps_is_a_list_as_well() -> None:
    plan = [{"step": "Read", "status": "completed"}, {"step": "Write", "status": "pending"}]
    assert tasks_of(*done("update_plan", plan=plan)) == [
        Task("Read", "completed", 0),
        Task("Write", "pending", 0),
    ]


def test_single_tasks_are_known_by_the_number_their_tool_gives() -> None:
    told = tasks_of(
        calls("TaskCreate", "a", subject="Fix the parser", description="It drops rows."),
        result("Task #7 created successfully", "a"),
        calls("TaskCreate", "b", subject="Write a test"),
        result("Task #8 created successfully", "b"),
        *done("TaskUpdate", "c", taskId="7", status="completed"),
    )
    assert told == [
        Task("Fix the parser: It drops rows.", "completed", 4, "Fix the parser"),
        Task("Write a test", "pending", 2),
    ]


def test_a_task_without_a_result_is_no_task_yet() -> None:
    assert tasks_of(calls("TaskCreate", "a", subject="Fix the parser")) == []


def test_what_is_no_list_of_tasks_is_left_alone() -> None:
    rows = [{"content": "a row"}, {"content": "another"}]
    assert tasks_of(calls("insert", rows=rows)) == []
    assert tasks_of(calls("deploy", status="green", title="web")) == []
    assert tasks_of(Message("assistant", (Call("c", "TodoWrite", '{"todos": [{"stat'),))) == []


def test_reading_on_comes_to_the_same_as_reading_at_once() -> None:
    messages = [
        calls("TaskCreate", "a", subject="Fix"),
        result("Task #1 created", "a"),
        *done("TaskUpdate", "b", taskId="1", status="in_progress"),
    ]
    board: TaskList | None = None
    for at, message in enumerate(messages):
        board = fold_tasks(board, [message], at)
    assert board is not None and list(board.tasks.values()) == tasks_of(*messages)


def test_an_empty_list_clears_the_tasks() -> None:
    first = [{"content": "Read", "status": "pending"}]
    for tool, name in (("TodoWrite", "todos"), ("update_plan", "plan"), ("write_todos", "todos")):
        assert tasks_of(*done(tool, **{name: first}), *done(tool, **{name: []})) == []
    other = done("tag_release", labels=[])
    assert len(tasks_of(*done("TodoWrite", todos=first), *other)) == 1


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("The user doesn't want to proceed with this tool use.", True),
        ("Hook feedback: the tests still fail", True),
        ("failed to parse function arguments: missing field `explanation`", False),
        ("Task not found", False),
    ],
)
def test_a_call_that_was_refused_changes_no_task(said: str, error: bool) -> None:
    made = (
        calls("TaskCreate", "a", subject="Fix the parser"),
        result("Task #1 created successfully: Fix the parser", "a"),
    )
    refused = Message("tool", (Result("b", (Text(said),), error),))
    update = calls("TaskUpdate", "b", taskId="1", status="completed")
    assert tasks_of(*made, update, refused) == [Task("Fix the parser", "pending", 0)]
    assert tasks_of(calls("TaskCreate", "b", subject="Drop the table"), refused) == []
    plan = [{"step": "Read", "status": "completed"}]
    assert tasks_of(calls("update_plan", "b", plan=plan), refused) == []


@pytest.mark.parametrize("state", ["cancelled", "deleted", "skipped"])
def test_a_dropped_task_is_neither_done_nor_open(state: str) -> None:
    todos = [{"content": "Test", "status": "completed"}, {"content": "Move", "status": state}]
    board = Tape(done("todowrite", todos=todos)).fold(fold_tasks)
    assert board.still_open == []
    assert [task.is_done for task in board.tasks.values()] == [True, False]
