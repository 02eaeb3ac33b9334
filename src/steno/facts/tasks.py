"""The agent's own list of tasks, in its newest state, finished ones included.

A list that is written whole replaces the one before; single tasks are made and changed by
calls, and known by the number their tool gave them. Whether an open task is an open loop
is the business of `open_loops`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from steno.core.message import Call, Message
from steno.facts.todos import empties_list, first_field, task_number

TASKS_MOST = 64
ARGUMENTS_MOST = 60_000
WORDS_MOST = 300
_WORDS = ("subject", "title", "content", "text", "step", "task", "description", "name")
_STATES = ("status", "state")
_NUMBERS = ("taskId", "task_id", "id", "todoId", "todo_id")


@dataclass(frozen=True, slots=True)
class Task:
    """One task and its state, in the tool's own words."""

    words: str
    state: str
    position: int
    title: str = ""
    """Its name, if the words hold more than that."""


@dataclass(frozen=True)
class TaskList:
    """The tasks so far."""

    tasks: Mapping[str, Task] = field(default_factory=dict)
    """By number, or by words where a list is written whole."""
    pending: Mapping[str | None, tuple[int, str, str]] = field(default_factory=dict)
    """Calls that made a task and have no number yet, with the task's words and title."""


def fold_tasks(before: TaskList | None, messages: Sequence[Message], at: int) -> TaskList:
    """Go on with more messages; a fold for `Tape.fold`."""
    board = before or TaskList()
    for position, message in enumerate(messages, start=at):
        for call in message.calls:
            board = _with_call(board, call, position)
        for result in message.results:
            if result.call in board.pending:
                board = _with_number(board, result.call, result.text)
    return board


def keeps_tasks(call: Call) -> bool:
    """Tell whether a call writes a list of tasks, makes a task or changes one."""
    if empties_list(call):
        return True
    arguments = _arguments(call)
    if arguments is None:
        return False
    if _whole_list(arguments):
        return True
    numbered = bool(first_field(arguments, _NUMBERS)) and "task" in call.name.lower()
    return numbered or ("create" in call.name.lower() and bool(first_field(arguments, _WORDS)))


def _with_call(board: TaskList, call: Call, position: int) -> TaskList:
    if empties_list(call):
        return TaskList()
    arguments = _arguments(call)
    if arguments is None:
        return board
    listed = _whole_list(arguments)
    if listed:
        tasks = {words: Task(words[:WORDS_MOST], state, position) for words, state in listed}
        return TaskList(tasks)
    words, state = first_field(arguments, _WORDS), first_field(arguments, _STATES).lower()
    title = ""
    detail = arguments.get("description")
    if isinstance(detail, str) and detail.strip() and detail.strip() != words:
        title = words
        words = f"{words}: {' '.join(detail.split())}"
    number = first_field(arguments, _NUMBERS)
    if number in board.tasks:
        known = board.tasks[number]
        changed = Task(known.words, state or known.state, position, known.title)
        return TaskList({**board.tasks, number: changed}, board.pending)
    if words and not number and "create" in call.name.lower():
        return TaskList(board.tasks, {**board.pending, call.id: (position, words, title)})
    return board


def _with_number(board: TaskList, call: str | None, text: str) -> TaskList:
    pending = dict(board.pending)
    position, words, title = pending.pop(call)
    # Most tools say the number in their reply; the others count from one.
    number = task_number(text) or str(len(board.tasks) + 1)
    # The call is answered all the same, so it does not stay pending.
    if len(board.tasks) >= TASKS_MOST:
        return TaskList(board.tasks, pending)
    task = Task(words[:WORDS_MOST], "pending", position, title[:WORDS_MOST])
    return TaskList({**board.tasks, number: task}, pending)


def _arguments(call: Call) -> Mapping[str, Any] | None:
    text = call.arguments
    if len(text) > ARGUMENTS_MOST or ('"stat' not in text and "task" not in call.name.lower()):
        return None
    try:
        decoded = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if isinstance(decoded, dict):
        return decoded
    return None


def _whole_list(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the items of a list that is written whole, each with its state."""
    for value in arguments.values():
        if not isinstance(value, list) or not value:
            continue
        rows = [item for item in value[:TASKS_MOST] if isinstance(item, dict)]
        items = [(first_field(row, _WORDS), first_field(row, _STATES).lower()) for row in rows]
        # Lists of other things have words too: only tasks have a state each.
        if items and all(words and state for words, state in items):
            return items
    return []
