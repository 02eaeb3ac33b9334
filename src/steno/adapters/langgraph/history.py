"""A thread's history: counted, compacted, and written back as a new checkpoint.

Reads and writes one channel of the outermost graph and no other: what
sub-agents keep in theirs is not looked at. When to do it is the supervisor's
business; how a checkpoint is written is in `checkpoint`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StateSnapshot

from steno.adapters.events import EventRecorder, failure_event
from steno.adapters.langchain_messages import to_json_texts
from steno.adapters.langgraph.checkpoint import (
    CheckpointStep,
    CheckpointSteps,
    Saver,
    ThreadMoved,
    UnfinishedTasks,
    arun_steps,
    replace_messages,
    run_steps,
)
from steno.adapters.resent.langchain_lists import ListTracker, TrackedList
from steno.core.budget import Pressure
from steno.core.effects import FATAL_ERRORS
from steno.core.errors import BadInput, DoesNotFit
from steno.core.events import OnEvent, Skipped, ignore_event
from steno.core.log import Commit
from steno.engine.designs import resolve_policy, supervisor
from steno.engine.policy import Policy
from steno.wires import decode_messages, parse_json
from steno.wires.langchain import LangChainWire

TRIES_MOST = 5
ANY_WINDOW = 1 << 30
"""Where nobody says how much the model holds, only the policy's own limit counts."""
TASKS_WAIT = (
    "tasks of the thread wait to be resumed: its messages stay as they are until they have run"
)
KEPT_WRITING = "others kept writing to the thread"


@dataclass(frozen=True)
class ThreadState:
    """A thread as it stands: its messages, on which checkpoint, and whether tasks of it wait."""

    name: str
    messages: Sequence[BaseMessage]
    checkpoint: str
    waits: bool


class HistoryManager:
    """Compacts lists of messages, and replaces a thread's history in a LangGraph checkpointer.

    `policy` (by default: over 500 tokens, the older half) says when and how much; `window`
    or `model` how much fits; `store` is a file in which all that was said can be opened
    again. Further options are those of a `Session`: `writer`, `meter`, `limits`, ….
    """

    def __init__(
        self,
        memory_saver: Saver | None = None,
        *,
        policy: str | os.PathLike[str] | Policy | None = None,
        messages_key: str = "messages",
        on_event: OnEvent = ignore_event,
        **options: Any,
    ) -> None:
        self.memory_saver, self.messages_key = memory_saver, messages_key
        self._say = EventRecorder(on_event)
        self.events = self._say.events
        self._on_event, self._options = on_event, options
        does = supervisor() if policy is None else resolve_policy(policy)
        model = options.get("model")
        sized = (
            {"window": ANY_WINDOW} if does.limit and not (model or options.get("window")) else {}
        )
        wire = LangChainWire().for_model(model or "")
        self._threads = ListTracker(wire, policy=does, on_event=self._say, **options | sized)

    def with_policy(self, policy: str | os.PathLike[str] | Policy) -> HistoryManager:
        """The same under another policy."""
        self.close()
        said: dict[str, Any] = {"messages_key": self.messages_key, "on_event": self._on_event}
        return HistoryManager(self.memory_saver, policy=policy, **said, **self._options)

    def compact_messages(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """The list with its older part told in short, whatever its size; the same list where nothing may go."""
        held = self._threads.track("", messages)
        held.session.compact()
        return held.view

    def replace_thread_history(
        self, config: RunnableConfig, messages: Sequence[BaseMessage]
    ) -> RunnableConfig:
        """Write a thread's messages anew, in a checkpoint after its newest; where that checkpoint is."""
        return run_steps(self._replace(config, messages))

    async def areplace_thread_history(
        self, config: RunnableConfig, messages: Sequence[BaseMessage]
    ) -> RunnableConfig:
        return await arun_steps(self._replace(config, messages))

    def open(self, thread: str, where: int | str) -> Any:
        """What was said there in this thread, word for word, as plain JSON."""
        return self._threads.newest(thread).session.open(where)

    def close(self) -> None:
        """Let go of the store's file; everything is kept already."""
        self._threads.close()

    @property
    def saver(self) -> Saver:
        if self.memory_saver is None:
            raise BadInput("say where the threads are kept: HistoryManager(memory_saver=…)")
        return self.memory_saver

    def _replace(
        self, config: RunnableConfig, messages: Sequence[BaseMessage]
    ) -> CheckpointSteps[RunnableConfig]:
        to_json_texts(messages)  # refuses what is no list of messages before anything is written
        for _ in range(TRIES_MOST):
            try:
                return (
                    yield from replace_messages(self.saver, config, messages, self.messages_key)
                )
            except ThreadMoved:
                continue
        raise BadInput(KEPT_WRITING)

    def compact_before(
        self, graph: Any, config: RunnableConfig, said: Any
    ) -> CheckpointSteps[Commit | None]:
        """Make room before new words are added, where they would not fit otherwise."""
        return self._report_failures(self._compact_thread(graph, config, said))

    def compact_after(self, graph: Any, config: RunnableConfig) -> CheckpointSteps[Commit | None]:
        """Count, and compact if there is pressure."""
        return self._report_failures(self._compact_thread(graph, config, None))

    def _report_failures(
        self, steps: CheckpointSteps[Commit | None]
    ) -> CheckpointSteps[Commit | None]:
        """A compaction that fails is told in an event, and the agent goes on."""
        try:
            return (yield from steps)
        except (*FATAL_ERRORS, DoesNotFit):
            raise
        except Exception as failure:  # noqa: BLE001 — the edge to the agent, which must go on; said in an event
            self._say(failure_event(failure))
            return None

    def _compact_thread(
        self, graph: Any, config: RunnableConfig, said: Any
    ) -> CheckpointSteps[Commit | None]:
        for _ in range(TRIES_MOST):
            state = yield CheckpointStep(
                partial(graph.get_state, config), partial(graph.aget_state, config)
            )
            thread = _thread_state(state, self.messages_key)
            if not thread.messages:
                return None
            held: TrackedList | None = yield CheckpointStep.in_thread(
                partial(self._compact_session, thread, said)
            )
            if held is None:
                return None
            try:
                view = held.view
                yield from replace_messages(
                    self.saver, config, view, self.messages_key, thread.checkpoint
                )
            except ThreadMoved:
                continue
            except UnfinishedTasks:
                self._say(Skipped(TASKS_WAIT, held.session.load))
                return None
            held.mark_written(view)
            return held.session.log.commits[-1]
        self._say(Skipped(KEPT_WRITING, 0))
        return None

    def _compact_session(self, thread: ThreadState, said: Any) -> TrackedList | None:
        """The thread's session, if it has come to show other messages than the thread holds."""
        held = self._threads.track(thread.name, thread.messages)
        session = held.session
        if said is not None:
            # What waits is given up once new words are said, so that this is the time to catch up.
            overdue = thread.waits and session.pressure is not Pressure.NONE
            if not overdue and self._pressure_with(held, said) is not Pressure.HARD:
                return None
            session.compact()
        elif thread.waits:
            if session.pressure is not Pressure.NONE:
                self._say(Skipped(TASKS_WAIT, session.load))
            return None
        else:
            session.settle_with_writer()
            session.messages()
        if held.has_new_commits:
            return held
        return None

    def _pressure_with(self, held: TrackedList, said: Any) -> Pressure:
        """What there will be once this is added."""
        value = (
            said.get(self.messages_key)
            if isinstance(said, dict)
            else getattr(said, self.messages_key, None)
        )
        new = convert_to_messages(value if isinstance(value, list) else [value]) if value else []
        view = held.session.view.with_messages(
            decode_messages(held.session.setup.wire, map(parse_json, to_json_texts(new)))
        )
        return held.session.budget.pressure(view.meter.load(view.raw))


def resumes(said: Any) -> bool:
    """The run goes on from where the thread stopped, instead of beginning with new words."""
    return said is None or isinstance(said, Command)


def _thread_state(state: StateSnapshot, key: str) -> ThreadState:
    where = state.config.get("configurable", {})
    values = (
        state.values if isinstance(state.values, dict) else {key: getattr(state.values, key, ())}
    )
    return ThreadState(
        str(where.get("thread_id", "")),
        list(values.get(key) or ()),
        str(where.get("checkpoint_id", "")),
        bool(state.next or state.tasks),
    )
