"""Replaces a thread's messages by a new checkpoint, through the saver's own interface.

The new checkpoint is a child of the newest one: the same state except for one channel,
whose version the saver raises. A node that had seen the old version counts as having
seen the new one, so no node runs because of it. Every earlier checkpoint stays. Tasks
that wait to be resumed belong to their checkpoint's id, so a thread with unfinished
tasks is left alone.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Generic, TypeVar, cast

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    copy_checkpoint,
)
from langgraph.checkpoint.base.id import uuid6

from steno.adapters.flows import arun_flow, run_flow
from steno.core.errors import BadInput

T = TypeVar("T")
Saver = BaseCheckpointSaver[Any]
RUN_METADATA = frozenset({"run_id", "writes"})
"""Metadata that belongs only to the run that wrote the parent."""
VERSION_6, VARIANT = 6, 0b10
"""A checkpoint's id is a UUID whose upper bits are its time, except four for the version."""


@dataclass(frozen=True)
class CheckpointStep(Generic[T]):
    """Something that a saver or a graph does, in both of its forms."""

    blocking: Callable[[], T]
    awaited: Callable[[], Awaitable[T]]


CheckpointSteps = Generator[CheckpointStep[Any], Any, T]


def run_steps(steps: CheckpointSteps[T]) -> T:
    """Run a flow, blocking."""
    return run_flow(steps, lambda step: step.blocking())


async def arun_steps(steps: CheckpointSteps[T]) -> T:
    """Run a flow on the event loop."""
    return await arun_flow(steps, lambda step: step.awaited())


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
) -> CheckpointSteps[RunnableConfig]:
    """Write a thread's messages anew; raise ThreadMoved if its newest checkpoint is not `base`."""
    thread = _thread_config(config)
    found: CheckpointTuple | None = yield CheckpointStep(
        partial(saver.get_tuple, thread), partial(saver.aget_tuple, thread)
    )
    if found is None:
        raise BadInput(
            f"thread {thread['configurable']['thread_id']!r} has no checkpoint in this saver yet"
        )
    if base is not None and found.checkpoint["id"] != base:
        raise ThreadMoved
    if _has_pending_writes(found):
        raise UnfinishedTasks(
            "tasks of this thread have finished in part: "
            "resume the thread, then replace its messages"
        )
    after, versions = _child_checkpoint(found, list(messages), key, saver.get_next_version)
    given = (found.config, after, _metadata(found), versions)
    put: RunnableConfig = yield CheckpointStep(
        partial(saver.put, *given), partial(saver.aput, *given)
    )
    # Savers cannot compare and write in one step, so a run that came between shows only now.
    newest = yield CheckpointStep(
        partial(_newest_id, saver, thread), partial(_anewest_id, saver, thread)
    )
    if newest != after["id"]:
        raise ThreadMoved
    return put


def _thread_config(config: RunnableConfig) -> RunnableConfig:
    """Return the config of the newest checkpoint of the outermost graph."""
    configurable = (config or {}).get("configurable", {})
    if configurable.get("thread_id") is None:
        raise BadInput('say which thread: config={"configurable": {"thread_id": …}}')
    return {"configurable": {"thread_id": configurable["thread_id"], "checkpoint_ns": ""}}


def _has_pending_writes(found: CheckpointTuple) -> bool:
    """Whether the writes of finished tasks wait for others; interrupts write to no channel."""
    return any(
        channel in found.checkpoint["channel_versions"]
        for _, channel, _ in found.pending_writes or ()
    )


def _newest_id(saver: Saver, thread: RunnableConfig) -> str | None:
    return next((each.checkpoint["id"] for each in saver.list(thread, limit=1)), None)


async def _anewest_id(saver: Saver, thread: RunnableConfig) -> str | None:
    async for each in saver.alist(thread, limit=1):
        return each.checkpoint["id"]
    return None


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
        known = ", ".join(sorted(_channels(found))) or "none"
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


def _channels(found: CheckpointTuple) -> Iterator[str]:
    return (
        channel
        for channel in found.checkpoint["channel_versions"]
        if not channel.startswith(("_", "branch:"))
    )


def _metadata(found: CheckpointTuple) -> CheckpointMetadata:
    carried = {key: value for key, value in found.metadata.items() if key not in RUN_METADATA}
    return cast(
        CheckpointMetadata,
        carried | {"source": "update", "step": found.metadata.get("step", -1) + 1},
    )


def _id_after(old: str) -> str:
    """Return an id right after the parent's, so that a run's newer checkpoint is never hidden."""
    try:
        parent = uuid.UUID(old)
    except ValueError:
        return str(uuid6())
    if parent.version != VERSION_6:
        return str(uuid6())
    # Version 6: 48 bits of the time, four of the version, then 12 more bits of the time.
    time = (parent.int >> 80 << 12 | parent.int >> 64 & 0xFFF) + 1
    head = time >> 12 << 80 | VERSION_6 << 76 | (time & 0xFFF) << 64
    return str(uuid.UUID(int=head | VARIANT << 62 | random.getrandbits(62)))
