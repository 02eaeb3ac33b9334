"""Lists of tasks as tools keep them, whatever the tool is called.

A call may write a whole list (items with words and a state each), make a single task, or
change one, which is known by the number that its tool gave it. `fold_tasks` keeps the list
in its newest state, finished tasks included; a call counts once its result shows that it was
done. Tasks that are neither finished nor dropped are open loops.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from steno.core.message import Call, Message, Result, Value
from steno.core.tape import stored_as
from steno.core.word_tables import word_tuple, words_of
from steno.facts.errors import changed_nothing
from steno.facts.fact import Fact, FactAt
from steno.facts.scripted import scripted_calls
from steno.facts.sentences import clip_sentence
from steno.facts.vocabulary import decode_arguments

TASKS_MOST = 64
CALLS_MOST = 256
"""Calls whose reading is kept: several readers ask for the same one."""
ARGUMENTS_MOST = 60_000
WORDS_MOST = 300
_TITLES = word_tuple("subject title content text step task")
_WORDS = (*_TITLES, "description", "name")
_STATES = word_tuple("status state done completed checked")
_NUMBERS = word_tuple("taskId task_id id todoId todo_id")
_FINISHED = re.compile(
    "completed?|done|finished|closed|resolved|erledigt|fertig|terminé|fait|hecho|completado|已?完成"
)
_DROPPED = re.compile("cancell?ed|deleted|skipped")
_UNFINISHED = re.compile(
    "pending|in[_ -]?progress|to[_-]?do|not[_ -]started|open|doing|active|blocked|running|started"
    "|queued|waiting|failed|offen|in arbeit|en cours|à faire|pendiente|en curso|进行中|待办"
)
_STATE = re.compile("|".join((_FINISHED.pattern, _DROPPED.pattern, _UNFINISHED.pattern)))
_BOOLEANS = {"true": "completed", "false": "pending"}
_KEEPS = re.compile("todo|plan|task", re.I)
_MAKES = re.compile("(?:create|add)[_-]?(?:task|todo)|(?:task|todo)[_-]?(?:create|add)", re.I)
_LISTS = words_of("todo todos task tasks plan items steps todolist todo_list")
_NUMBERED = re.compile(r"\b[Tt](?:ask|odo) #?(\d{1,6})\b")


class Task(Value):
    """One task and its state, in the tool's own words."""

    words: str
    state: str
    position: int
    title: str = ""
    """Its title, if the words hold more than that."""

    @property
    def name(self) -> str:
        return clip_sentence(self.title or self.words)

    @property
    def is_done(self) -> bool:
        return _FINISHED.fullmatch(self.state) is not None

    @property
    def is_dropped(self) -> bool:
        return _DROPPED.fullmatch(self.state) is not None


def plan_in(call: Call) -> str:
    """Return the plan that a call hands to a person as a text; empty if it hands over none."""
    if "plan" not in call.name.lower():
        return ""
    given = decode_arguments(call.arguments)
    if not isinstance(given, dict) or not isinstance(given.get("plan"), str):
        return ""
    return str(given["plan"])


class TaskCall(Value):
    """What a call does to tasks."""

    items: tuple[tuple[str, str], ...] | None = None
    """The whole list, each task with its state; None if the call is about one task."""
    number: str = ""
    """The task that it changes; empty if it makes one."""
    words: str = ""
    state: str = ""
    title: str = ""
    """The task's name, if the words hold more than that."""


class TaskList(Value):
    """The tasks so far."""

    tasks: Mapping[str, Task] = msgspec.field(default_factory=dict)
    """By number, or by words where a list is written whole."""
    pending: Mapping[str | None, tuple[int, TaskCall]] = msgspec.field(default_factory=dict)
    """What calls without a result do to tasks, each with its position, by the call's id."""

    @property
    def still_open(self) -> list[FactAt]:
        """The tasks that are not finished, as facts."""
        return [
            (task.position, Fact("open", task.name, "assistant", note=f"todo {task.state}"))
            for task in self.tasks.values()
            if not (task.is_done or task.is_dropped)
        ]


@lru_cache(maxsize=CALLS_MOST)
def read_task_call(call: Call) -> TaskCall | None:
    """Return what a call does to tasks; None if nothing."""
    if inner := scripted_calls(call):
        return next(filter(None, map(read_task_call, inner)), None)
    # Decoding is dear and few calls hold a list, so plain searches come first.
    stated = any(f'"{state}"' in call.arguments for state in _STATES)
    keeps = _KEEPS.search(call.name) is not None
    if len(call.arguments) > ARGUMENTS_MOST or not (stated or keeps):
        return None
    arguments = decode_arguments(call.arguments)
    if not isinstance(arguments, dict):
        return None
    items = _whole_list(arguments)
    if items or (items is not None and keeps):
        return TaskCall(items)
    number = _first_field(arguments, _NUMBERS)
    title, detail = _first_field(arguments, _TITLES), _first_field(arguments, ("description",))
    if number and keeps:
        if "complete" in call.name.lower():
            return TaskCall(None, number, title, "completed")
        return TaskCall(None, number, title, _state(arguments))
    if (title or detail) and _MAKES.search(call.name):
        if not title or not detail or title == detail:
            return TaskCall(None, "", title or detail, "pending")
        return TaskCall(None, "", f"{title}: {' '.join(detail.split())}", "pending", title)
    return None


def _whole_list(arguments: Mapping[str, Any]) -> tuple[tuple[str, str], ...] | None:
    """Return the items of a list that is written whole, each with its state."""
    for name, value in arguments.items():
        if value == [] and len(arguments) == 1 and name.lower() in _LISTS:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            continue
        items = [(_first_field(item, _WORDS), _state(item)) for item in value[:TASKS_MOST]]
        # Lists of other things have words too: only tasks have a state each.
        known = [_STATE.fullmatch(state) for _, state in items]
        if items and all(known) and all(words for words, _ in items):
            return tuple(items)
    return None


def _state(item: Mapping[str, Any]) -> str:
    state = _first_field(item, _STATES).lower()
    return _BOOLEANS.get(state, state)


def _first_field(item: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the first of these fields that holds something, as text."""
    for name in names:
        value = item.get(name)
        if isinstance(value, str | int) and str(value).strip():
            return str(value).strip()
    return ""


def keeps_tasks(call: Call) -> bool:
    """Tell whether a call writes a list of tasks, makes a task or changes one."""
    return read_task_call(call) is not None


@stored_as("tasks", 3)
def fold_tasks(before: TaskList | None, messages: Sequence[Message], at: int) -> TaskList:
    """Go on with more messages; a fold for `Tape.fold`."""
    board = before or TaskList()
    for position, message in enumerate(messages, start=at):
        for result in message.results:
            if result.call in board.pending:
                board = _with_result(board, result)
        for call in message.calls:
            read = read_task_call(call)
            if read is not None:
                pending = {**board.pending, call.id: (position, read)}
                board = TaskList(board.tasks, dict(list(pending.items())[-TASKS_MOST:]))
    return board


def _with_result(board: TaskList, result: Result) -> TaskList:
    """Do what a call asked for, unless its result does not show that it was done."""
    pending = dict(board.pending)
    position, read = pending.pop(result.call)
    tasks = dict(board.tasks)
    if changed_nothing(result):
        return TaskList(tasks, pending)
    if read.items is not None:
        tasks = {words: Task(words[:WORDS_MOST], state, position) for words, state in read.items}
    elif not read.number and len(tasks) < TASKS_MOST:
        made = Task(read.words[:WORDS_MOST], read.state, position, read.title[:WORDS_MOST])
        # Most tools say the number in their reply; the others count from one.
        found = _NUMBERED.search(result.text, 0, 200)
        number = str(len(tasks) + 1)
        if found is not None and "created" in result.text[:200]:
            number = found[1]
        tasks[number] = made
    elif read.state and (known := tasks.get(read.number)):
        tasks[read.number] = Task(known.words, read.state, position, known.title)
    return TaskList(tasks, pending)
