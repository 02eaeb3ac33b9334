"""Replaces a thread's messages by a new checkpoint, through the saver's own interface.

The new checkpoint is a child of the newest one: the same state except for one channel,
whose version the saver raises. A node that had seen the old version counts as having
seen the new one, so no node runs because of it. Every earlier checkpoint stays. Tasks
that wait belong to their checkpoint's id: they are left alone, or moved to the new
checkpoint at the moment in which they are resumed.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    Checkpoint,
    CheckpointTuple,
    copy_checkpoint,
)
from langgraph.checkpoint.base.id import uuid6
from langgraph.types import Command, Interrupt, PregelTask, StateSnapshot

from steno.adapters.flows import arun_flow, run_flow
from steno.core.errors import BadInput

T = TypeVar("T")
Saver = BaseCheckpointSaver[Any]
RUN_METADATA = frozenset({"run_id", "writes"})
"""Metadata that belongs only to the run that wrote the parent."""


@dataclass(frozen=True)
class SaverCall:
    """A call of a saver or a graph; on an event loop its name has an `a` before it."""

    of: Any
    method: str
    given: Sequence[Any]


CheckpointSteps = Generator[SaverCall, Any, T]


def run_steps(steps: CheckpointSteps[T]) -> T:
    """Run a flow, blocking."""
    return run_flow(steps, lambda call: getattr(call.of, call.method)(*call.given))


async def arun_steps(steps: CheckpointSteps[T]) -> T:
    """Run a flow on the event loop."""
    return await arun_flow(steps, lambda call: getattr(call.of, f"a{call.method}")(*call.given))


class ThreadMoved(Exception):
    """Another run has written to the thread meanwhile."""


class UnfinishedTasks(BadInput):
    """Tasks of the thread wait to be resumed, and a new checkpoint would lose them."""


def replace_messages(
    saver: Saver,
    config: RunnableConfig,
    messages: Sequence[BaseMessage],
    key: str,
    base: str | None = None,
    tasks_move: bool = False,
) -> CheckpointSteps[RunnableConfig]:
    """Write a thread's messages anew; raise ThreadMoved if its newest checkpoint is not `base`.

    `tasks_move` says that the caller moves the tasks that wait (`move_tasks`).
    """
    thread = _thread_config(config)
    found: CheckpointTuple | None = yield SaverCall(saver, "get_tuple", [thread])
    if found is None:
        raise BadInput(
            f"thread {thread['configurable']['thread_id']!r} has no checkpoint in this saver yet"
        )
    if base is not None and found.checkpoint["id"] != base:
        raise ThreadMoved
    # Writes of finished tasks, which wait for others; interrupts write to no channel.
    written = {channel for _, channel, _ in found.pending_writes or ()}
    if not tasks_move and not written.isdisjoint(found.checkpoint["channel_versions"]):
        raise UnfinishedTasks(
            "tasks of this thread have finished in part: "
            "resume the thread, then replace its messages"
        )
    after, versions = _child_checkpoint(found, list(messages), key, saver.get_next_version)
    metadata = {name: value for name, value in found.metadata.items() if name not in RUN_METADATA}
    metadata |= {"source": "update", "step": found.metadata.get("step", -1) + 1}
    put: RunnableConfig = yield SaverCall(saver, "put", [found.config, after, metadata, versions])
    # Savers cannot compare and write in one step, so a run that came between shows only now.
    newest: CheckpointTuple = yield SaverCall(saver, "get_tuple", [thread])
    if newest.checkpoint["id"] != after["id"]:
        raise ThreadMoved
    return put


def can_move_tasks(state: StateSnapshot) -> bool:
    """Return whether the tasks that wait can be resumed from another checkpoint.

    A sub-graph keeps its own checkpoints under its task's id, so its tasks cannot. Neither can
    a task that has asked before: the id of its question does not follow from the task alone.
    """
    return all(
        task.state is None and all(each.id == _question_id(task) for each in task.interrupts)
        for task in state.tasks
    )


def move_tasks(
    saver: Saver, graph: Any, state: StateSnapshot, put: RunnableConfig
) -> CheckpointSteps[dict[str, str]]:
    """Give the tasks at a new checkpoint what they wrote and asked at the one before.

    Return the new id of each question by its old one.
    """
    before: CheckpointTuple = yield SaverCall(saver, "get_tuple", [state.config])
    after: StateSnapshot = yield SaverCall(graph, "get_state", [put])
    new = {old.id: task for old, task in zip(state.tasks, after.tasks, strict=True)}
    writes: dict[str, list[tuple[str, Any]]] = {}
    for id, channel, value in before.pending_writes or ():
        task = new.get(id)
        # A write that belongs to no task of this step, for instance of the graph itself.
        to = id if task is None else task.id
        writes.setdefault(to, []).append((channel, _with_new_ids(value, task)))
    for to, moved in writes.items():
        yield SaverCall(saver, "put_writes", [put, moved, to])
    return {_question_id(old): _question_id(new[old.id]) for old in state.tasks}


def resume_with_ids(said: Any, ids: Mapping[str, str]) -> Any:
    """Return a run's input whose answers name the questions by their new ids."""
    if isinstance(said, Command) and isinstance(said.resume, dict):
        answers = {ids.get(id, id): answer for id, answer in said.resume.items()}
        return replace(said, resume=answers)
    return said


def _with_new_ids(value: Any, task: PregelTask | None) -> Any:
    """Return what a task wrote; its questions get the id that follows from the task's own."""
    if task is None or not isinstance(value, tuple | list):
        return value
    questions = [each for each in value if isinstance(each, Interrupt)]
    if not questions or len(questions) < len(value):
        return value
    return tuple(replace(each, id=_question_id(task)) for each in questions)


def _question_id(task: PregelTask) -> str:
    return Interrupt.from_ns(None, f"{task.name}:{task.id}").id


def _thread_config(config: RunnableConfig) -> RunnableConfig:
    """Return the config of the newest checkpoint of the outermost graph."""
    configurable = (config or {}).get("configurable", {})
    if configurable.get("thread_id") is None:
        raise BadInput('say which thread: config={"configurable": {"thread_id": …}}')
    return {"configurable": {"thread_id": configurable["thread_id"], "checkpoint_ns": ""}}


def _child_checkpoint(
    found: CheckpointTuple,
    messages: list[BaseMessage],
    key: str,
    next_version: Callable[[Any, Any], Any],
) -> tuple[Checkpoint, dict[str, Any]]:
    """Return the checkpoint after `found` that differs in one channel, and its version."""
    after = copy_checkpoint(found.checkpoint)
    old = after["channel_versions"].get(key)
    if old is None:
        known = ", ".join(sorted(after["channel_values"])) or "none"
        raise BadInput(f"the thread has no channel {key!r}: say messages_key=; there are {known}")
    # As LangGraph counts: above the versions of all channels, not of this one alone.
    new = next_version(max(after["channel_versions"].values()), None)
    after["channel_values"][key] = messages
    after["channel_versions"][key] = new
    for seen in after["versions_seen"].values():
        if seen.get(key) == old:
            seen[key] = new
    if after["updated_channels"] is not None:
        after["updated_channels"] = sorted({*after["updated_channels"], key})
    after["id"] = _id_after(found.checkpoint["id"])
    after["ts"] = datetime.now(UTC).isoformat()
    return after, {key: new}


def _id_after(old: str) -> str:
    """Return an id right after the parent's, so that a run's newer checkpoint is never hidden."""
    # LangGraph's ids begin with their time, to 100 nanoseconds, and end with 48 random bits.
    try:
        return str(uuid.UUID(int=uuid.UUID(old).int + 1 + random.getrandbits(40)))
    except ValueError:  # another saver's id
        return str(uuid6())
