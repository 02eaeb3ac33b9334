"""To-do lists as tools keep them, whatever the tool is called.

A list is read from any call whose arguments hold items with words and a state; single
tasks are read from calls that create or change one. A newer list replaces the older; a
task is known by the number its tool gave it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from steno.core.message import Call
from steno.core.words import words_of
from steno.facts.fact import Fact
from steno.facts.languages import in_every_language
from steno.facts.sentences import clip_sentence
from steno.facts.vocabulary import decode_arguments

ITEMS_MOST = 64
ARGUMENTS_MOST = 60_000

_WORDS = ("content", "text", "step", "task", "title", "subject", "description", "name")
_STATES = ("status", "state", "done", "completed", "checked")
_FINISHED = re.compile(in_every_language(lambda cues: cues.todos.finished))
_UNFINISHED = re.compile(in_every_language(lambda cues: cues.todos.unfinished))
_MAKES = frozenset(
    ("taskcreate", "createtask", "addtask", "todoadd", "addtodo", "todocreate", "createtodo")
)
_CHANGES = words_of(
    "taskupdate updatetask todoupdate updatetodo taskcomplete completetask taskstop"
)
_LISTS = ("todo", "plan", "task")
_EMPTY = re.compile(
    r'\s*\{\s*"(?:todos?|tasks?|plan|items|steps|todo_?list)"\s*:\s*\[\s*\]\s*\}\s*', re.I
)
"""The arguments of a call that leaves nothing to do."""
_NUMBERED = re.compile(r"\b[Tt](?:ask|odo) #?(\d{1,6})\b")
_NOT_A_LETTER = re.compile(r"[^a-z]+")

Json = Mapping[str, Any]


def read_todos(call: Call, block: int) -> Iterator[Fact]:
    """Yield what a call says about things to be done."""
    arguments = _parse_arguments(call)
    if arguments is None:
        return
    name = _NOT_A_LETTER.sub("", call.name.lower())
    if name in _MAKES:
        words = first_field(arguments, _WORDS)
        if words:
            yield Fact(
                "open", clip_sentence(words), "assistant", block, call.id or "", "task pending"
            )
    elif name in _CHANGES:
        yield from _task_facts(arguments, block, done="complete" in name)
    elif empties_list(call):
        yield Fact("close", "", "assistant", block, "", "todo")
    else:
        yield from _item_facts(arguments, block)


def task_number(text: str) -> str:
    """Return the number under which a tool says it keeps a task."""
    found = _NUMBERED.search(text, 0, 200)
    if found and "created" in text[:200]:
        return found[1]
    return ""


def _parse_arguments(call: Call) -> Json | None:
    # Decoding is dear and few calls hold a list, so plain searches come first.
    text = call.arguments
    stated = any(f'"{state}"' in text for state in _STATES)
    if len(text) > ARGUMENTS_MOST or not (
        stated or "task" in call.name.lower() or empties_list(call)
    ):
        return None
    read = decode_arguments(text)
    if isinstance(read, dict):
        return read
    return None


def _task_facts(arguments: Json, block: int, *, done: bool) -> Iterator[Fact]:
    number = first_field(arguments, ("taskId", "task_id", "id", "todoId", "todo_id"))
    state = "completed" if done else _state(arguments)
    words = clip_sentence(first_field(arguments, ("subject", "title", "content")))
    if number and _FINISHED.fullmatch(state):
        yield Fact("close", words, "assistant", block, number, "task")
    elif number and (state or words):
        yield Fact("open", words, "assistant", block, number, f"task {state}".strip())


def empties_list(call: Call) -> bool:
    """Tell whether a call writes a list of things to do with nothing in it."""
    name = call.name.lower()
    return _EMPTY.fullmatch(call.arguments) is not None and any(kind in name for kind in _LISTS)


def _item_facts(arguments: Json, block: int) -> Iterator[Fact]:
    for value in arguments.values():
        if not isinstance(value, list) or not value:
            continue
        items = [
            (first_field(item, _WORDS), _state(item))
            for item in value[:ITEMS_MOST]
            if isinstance(item, dict)
        ]
        # One item of another form, and it is a list of something else.
        if len(items) < len(value[:ITEMS_MOST]) or not all(
            words and _is_state(state) for words, state in items
        ):
            continue
        yield Fact("close", "", "assistant", block, "", "todo")
        for words, state in items:
            if not _FINISHED.fullmatch(state):
                yield Fact(
                    "open", clip_sentence(words), "assistant", block, words[:80], f"todo {state}"
                )
        return


def _is_state(state: str) -> bool:
    return bool(_FINISHED.fullmatch(state) or _UNFINISHED.fullmatch(state))


def _state(item: Json) -> str:
    return first_field(item, _STATES).lower()


def first_field(item: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the first of these fields that holds something, as text."""
    for name in names:
        value = item.get(name)
        if isinstance(value, str | int) and str(value).strip():
            return str(value).strip()
    return ""
