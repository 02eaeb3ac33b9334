"""Counts a thread's history, compacts it, and writes it back as a new checkpoint.

Reads and writes one channel of the outermost graph and no other: the messages of
sub-agents are not read. When this happens is decided in `supervisor`; how a checkpoint
is written, in `checkpoint`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StateSnapshot

from steno.adapters.langchain_messages import (
    LangChainFormat,
    SummaryRole,
    to_json_texts,
)
from steno.adapters.langgraph.checkpoint import (
    CheckpointStep,
    CheckpointSteps,
    Saver,
    ThreadMoved,
    UnfinishedTasks,
    arun_steps,
    can_move_tasks,
    move_tasks,
    replace_messages,
    resume_with_ids,
    run_steps,
)
from steno.adapters.resent.names import session_name
from steno.adapters.resent.render import ShownMessage
from steno.adapters.resent.sessions import open_sessions
from steno.adapters.resent.thread import ResentThread
from steno.core.budget import Pressure
from steno.core.errors import BadInput
from steno.core.events import Skipped
from steno.core.log import Commit
from steno.engine.designs import resolve_policy, supervisor
from steno.engine.policy import Policy
from steno.providers import decode_messages, parse_json
from steno.providers.shared.plain_json import get_field
from steno.session.options import SharedOptions, takes_options, with_changes
from steno.session.session import Session

TRIES_MOST = 5
ANY_WINDOW = 1 << 30
"""Window to assume for a policy with a limit of its own, if none is given."""
TASKS_WAIT = "tasks of the thread wait to be resumed: its messages stay as they are until then"
KEPT_WRITING = "others kept writing to the thread"


@dataclass(frozen=True)
class ThreadState:
    """A thread as it stands now."""

    name: str
    messages: Sequence[BaseMessage]
    checkpoint: str
    """Id of its newest checkpoint."""
    waits: bool
    """Whether tasks wait to be resumed."""
    can_move: bool
    """Whether these tasks can be resumed from a new checkpoint."""


class HistoryOptions(SharedOptions, total=False):
    """What a history manager takes, and a supervisor for the one that it makes.

    messages_key: channel of the graph's state that holds the messages; "messages" by default.
    summary_role: role of the message that tells what was covered, "human" by default; "ai" is for
        models whose lists may begin with the assistant.
    store: file in which everything that was said can be opened again.
    """

    messages_key: str
    summary_role: SummaryRole
    store: str | os.PathLike[str] | None
    model: str | None
    policy: str | os.PathLike[str] | Policy | None
    user: str | None


class HistoryManager:
    """Compacts lists of messages, and replaces a thread's history in a LangGraph checkpointer."""

    knows_when: bool
    """Whether a window, a model or a policy says when a thread is compacted."""

    @takes_options
    def __init__(
        self,
        memory_saver: Saver | None = None,
        **how: Unpack[HistoryOptions],
    ) -> None:
        """Keep threads within a model's window, or compact when asked.

        Pass `window` or `model`, or a `policy`. Without any of them `compact_messages` covers the
        older half, and a supervisor must say when to compact.

        memory_saver: the checkpointer that keeps the threads.
        """
        options: Any = dict(how)
        own = ("messages_key", "summary_role", "store", "policy", "user")
        key, role, store, policy, self._user = (options.pop(name, None) for name in own)
        self._how, self.memory_saver, self.messages_key = how, memory_saver, key or "messages"
        self._form = LangChainFormat(how.get("model"), role or "human")
        sized = how.get("model") is not None or how.get("window") is not None
        self.knows_when = sized or policy is not None
        if policy is None:
            policy = Policy() if sized else supervisor()
        chosen = resolve_policy(policy)
        self._sized = with_changes(options, policy=chosen)
        if chosen.limit and not sized:
            self._sized["window"] = ANY_WINDOW
        self._sessions = open_sessions(self._sized, store, self._user, views_come_back=True)
        self.events = self._sessions.events

    def with_policy(self, policy: str | os.PathLike[str] | Policy) -> HistoryManager:
        """Return the same manager under another policy; this one is closed."""
        self.close()
        how: Any = {**self._how, "policy": policy}
        return HistoryManager(self.memory_saver, **how)

    def compact_messages(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """Return the list with its older part as a summary, whatever its size."""
        if isinstance(messages, str | bytes | dict) or not isinstance(messages, Sequence):
            raise BadInput(
                f"messages must be a list of LangChain messages, got {type(messages).__name__}"
            )
        with self._sessions.checkout(messages, self._form, name=None) as (thread, incoming):
            thread.session.compact()
            return [message.object for message in thread.shown(incoming)]

    def replace_thread_history(
        self, config: RunnableConfig, messages: Sequence[BaseMessage]
    ) -> RunnableConfig:
        """Write a thread's messages anew as a checkpoint; return the config of that checkpoint."""
        return run_steps(self._replace(config, messages))

    async def areplace_thread_history(
        self, config: RunnableConfig, messages: Sequence[BaseMessage]
    ) -> RunnableConfig:
        return await arun_steps(self._replace(config, messages))

    def open(self, thread: str, where: int | str) -> Any:
        """Return what was said at a position of this thread, as plain JSON."""
        return self._sessions.newest_of(session_name(thread), self._form).open(where)

    def close(self) -> None:
        """Close the store's file; everything is kept already."""
        self._sessions.close()

    @property
    def saver(self) -> Saver:
        if self.memory_saver is None:
            raise BadInput("say where the threads are kept: HistoryManager(memory_saver=…)")
        return self.memory_saver

    def _replace(
        self, config: RunnableConfig, messages: Sequence[BaseMessage]
    ) -> CheckpointSteps[RunnableConfig]:
        to_json_texts(messages)  # raises for anything but messages, before one is written
        for _ in range(TRIES_MOST):
            try:
                return (
                    yield from replace_messages(self.saver, config, messages, self.messages_key)
                )
            except ThreadMoved:
                continue
        raise BadInput(KEPT_WRITING)

    def compact_thread(
        self, graph: Any, config: RunnableConfig, said: Any = None
    ) -> CheckpointSteps[Commit | None]:
        """Compact a thread under pressure, or make room for new messages that would not fit."""
        return self._report_failures(self._compact_thread(graph, config, said))

    def begin_with_rules(
        self, graph: Any, config: RunnableConfig, said: Any
    ) -> CheckpointSteps[Any]:
        """Return a run's input, with the block of rules before it if it begins the thread."""
        block = self._rules_block()
        if block is None or not isinstance(said, dict) or not said.get(self.messages_key):
            return said
        state = yield CheckpointStep(
            partial(graph.get_state, config), partial(graph.aget_state, config)
        )
        if _thread_state(state, self.messages_key).messages:
            return said
        new = said[self.messages_key]
        if not isinstance(new, list):
            new = [new]
        return {**said, self.messages_key: [block, *new]}

    def _rules_block(self) -> BaseMessage | None:
        """Return the block of rules that a thread begins with, if constraints are given."""
        with Session(**with_changes(self._sized, wire="langchain", user=self._user)) as session:
            head = session.view.head
            if head is None:
                return None
            text = session.host.wire.encode(head)[0]
            block: BaseMessage = self._form.to_object(parse_json(text), None)
            return block

    def compact_before_resuming(
        self, graph: Any, config: RunnableConfig, said: Any
    ) -> CheckpointSteps[Any]:
        """Compact a thread under pressure whose tasks wait, and return what to resume it with.

        A graph that always ends in a question never rests, so this is its time. Not earlier:
        the ids of the questions change, and only this run's input can be made to follow.
        """
        ids: dict[str, str] = {}
        yield from self._report_failures(self._compact_thread(graph, config, None, ids))
        return resume_with_ids(said, ids)

    def _report_failures(
        self, steps: CheckpointSteps[Commit | None]
    ) -> CheckpointSteps[Commit | None]:
        """Report a compaction that fails as an event: the agent goes on."""
        with self._sessions.say.report_failures():
            return (yield from steps)
        return None

    def _compact_thread(
        self, graph: Any, config: RunnableConfig, said: Any, resumed: dict[str, str] | None = None
    ) -> CheckpointSteps[Commit | None]:
        """Compact a thread if it is due; `resumed`, if given, gets the new ids of its questions."""
        for _ in range(TRIES_MOST):
            state = yield CheckpointStep(
                partial(graph.get_state, config), partial(graph.aget_state, config)
            )
            thread = _thread_state(state, self.messages_key)
            if not thread.messages:
                return None
            moves = resumed is not None and thread.can_move
            compacted = self._compact_session(thread, said, moves)
            if compacted is None:
                return None
            held, shown = compacted
            landed = held.has_new_commits
            try:
                view = [message.object for message in shown]
                # It names the checkpoint that was read: what another run added since is not lost.
                put = yield from replace_messages(
                    self.saver, config, view, self.messages_key, thread.checkpoint, moves
                )
                if resumed is not None:
                    resumed.update((yield from move_tasks(self.saver, graph, state, put)))
            except ThreadMoved:
                continue
            except UnfinishedTasks:
                self._sessions.say(Skipped(TASKS_WAIT, held.session.load))
                return None
            held.mark_written(shown)
            if landed:
                return held.session.log.commits[-1]
            return None
        self._sessions.say(Skipped(KEPT_WRITING, 0))
        return None

    def _compact_session(
        self, state: ThreadState, said: Any, moves: bool
    ) -> tuple[ResentThread, list[ShownMessage]] | None:
        """Return the thread's session if it now shows other messages than the thread holds."""
        checkout = self._sessions.checkout(
            state.messages, self._form, name=session_name(state.name)
        )
        with checkout as (thread, incoming):
            stays = state.waits and said is None and not moves
            due = self._compact_if_due(thread.session, state, said, stays)
            # Another block of rules need not wait for pressure, only for tasks under way.
            if (due and thread.has_new_commits) or (thread.has_new_rules and not stays):
                return thread, thread.shown(incoming)
        return None

    def _compact_if_due(self, session: Session, state: ThreadState, said: Any, stays: bool) -> bool:
        """Compact a session under pressure; False if it must stay as it is."""
        pressed = session.pressure is not Pressure.NONE
        if said is not None:
            # A run with new words gives up the tasks that wait, so now is the time to catch up.
            overdue = state.waits and pressed
            if not overdue and self._pressure_with(session, said) is not Pressure.HARD:
                return False
            session.compact()
        elif stays:
            if pressed:
                self._sessions.say(Skipped(TASKS_WAIT, session.load))
            return False
        elif state.waits:
            # Most tasks that ask a person belong to a call, and `messages` waits for its result.
            if not pressed:
                return False
            session.compact()
        else:
            session.host.settle_with_writer()
            session.messages()
        return True

    def _pressure_with(self, session: Session, said: Any) -> Pressure:
        """Return the pressure there will be once a run's input is added."""
        value = get_field(said, self.messages_key)
        if not value:
            value = []
        elif not isinstance(value, list):
            value = [value]
        new = convert_to_messages(value)
        view = session.view.with_messages(
            decode_messages(session.host.wire, map(parse_json, to_json_texts(new)))
        )
        return session.budget.pressure(view.meter.load(view.raw))


def resumes(said: Any) -> bool:
    """Tell whether a run goes on from where its thread stopped, instead of with new messages."""
    return said is None or isinstance(said, Command)


def answers_tasks(said: Any) -> bool:
    """Tell whether a run resumes the tasks that wait, and does nothing else."""
    if said is None:
        return True
    return isinstance(said, Command) and said.resume is not None and not said.goto


def _thread_state(state: StateSnapshot, key: str) -> ThreadState:
    configurable = state.config.get("configurable", {})
    return ThreadState(
        name=str(configurable.get("thread_id", "")),
        messages=list(get_field(state.values, key) or ()),
        checkpoint=str(configurable.get("checkpoint_id", "")),
        waits=bool(state.next or state.tasks),
        can_move=can_move_tasks(state),
    )
