"""Counts a thread's history, compacts it, and writes it back as a new checkpoint.

Reads and writes one channel of the outermost graph and no other: the messages of
sub-agents are not read. When this happens is decided in `supervisor`; how a checkpoint
is written, in `checkpoint`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Unpack

from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StateSnapshot

from steno.adapters.langchain_messages import LangChainFormat, plain_messages
from steno.adapters.langgraph.checkpoint import (
    CheckpointSteps,
    Saver,
    SaverCall,
    ThreadMoved,
    UnfinishedTasks,
    arun_steps,
    can_move_tasks,
    move_tasks,
    replace_messages,
    resume_with_ids,
    run_steps,
)
from steno.adapters.resent.sessions import ListSessions
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


class HistoryOptions(SharedOptions, total=False):
    """What a history manager takes, and a supervisor for the one that it makes.

    messages_key: channel of the graph's state that holds the messages; "messages" by default.
    store: file in which everything that was said can be opened again.
    """

    messages_key: str
    store: str | os.PathLike[str] | None
    model: str | None
    policy: str | os.PathLike[str] | Policy | None
    user: str | None


class HistoryManager:
    """Compacts lists of messages, and replaces a thread's history in a LangGraph checkpointer."""

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
        self.memory_saver = memory_saver
        self.messages_key = options.pop("messages_key", "messages")
        self._store = options.pop("store", None)
        self._user = options.pop("user", None)
        self._form = LangChainFormat(how.get("model"))
        self._options = options
        self._open_sessions()

    @property
    def knows_when(self) -> bool:
        """Whether a window, a model or a policy says when a thread is compacted."""
        says = map(self._options.get, ("model", "window", "policy"))
        return any(given is not None for given in says)

    def use_policy(self, policy: str | os.PathLike[str] | Policy) -> None:
        """Keep the threads by another policy from now on."""
        self.close()
        self._options["policy"] = policy
        self._open_sessions()

    def _open_sessions(self) -> None:
        options: Any = dict(self._options)
        if not self.knows_when:
            options["policy"] = supervisor()
        chosen = resolve_policy(options.get("policy"))
        if chosen.limit and options.get("model") is None:
            options["window"] = options.get("window") or ANY_WINDOW
        self._sized = with_changes(options, policy=chosen)
        self._sessions = ListSessions(
            self._store,
            self._sized,
            user=self._user,
            views_come_back=True,
            calls_name_model=False,
        )
        self.events = self._sessions.events

    def compact_messages(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """Return the list with its older part as a summary, whatever its size."""
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
        return self._sessions.newest_of(thread, self._form).open(where)

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
        plain_messages(messages)  # raises for anything but messages, before one is written
        for _ in range(TRIES_MOST):
            with suppress(ThreadMoved):
                return (
                    yield from replace_messages(self.saver, config, messages, self.messages_key)
                )
        raise BadInput(KEPT_WRITING)

    def prepare_run(self, graph: Any, config: RunnableConfig, said: Any) -> CheckpointSteps[Any]:
        """Make room in a thread for a run, and return the run's input.

        A graph that always ends in a question never rests, so it is compacted when it is resumed.
        Not earlier: the ids of its questions change, and only this input can be made to follow.
        """
        if isinstance(said, Command) and (said.resume is None or said.goto):
            return said
        if said is None or isinstance(said, Command):
            ids: dict[str, str] = {}
            yield from self.compact_thread(graph, config, ids=ids)
            return resume_with_ids(said, ids)
        yield from self.compact_thread(graph, config, said)
        return (yield from self._with_constraints(graph, config, said))

    def _with_constraints(
        self, graph: Any, config: RunnableConfig, said: Any
    ) -> CheckpointSteps[Any]:
        """Return a run's input, with the block of constraints before it if it begins the thread."""
        with Session(**with_changes(self._sized, wire="langchain", user=self._user)) as session:
            head = session.view.head
        if head is None or not isinstance(said, dict) or not said.get(self.messages_key):
            return said
        state: StateSnapshot = yield SaverCall(graph, "get_state", [config])
        if get_field(state.values, self.messages_key):
            return said
        text = self._form.wire.encode(head)[0]
        block = self._form.to_object(parse_json(text), None)
        return {**said, self.messages_key: [block, *_as_list(said[self.messages_key])]}

    def compact_thread(
        self,
        graph: Any,
        config: RunnableConfig,
        said: Any = None,
        ids: dict[str, str] | None = None,
    ) -> CheckpointSteps[Commit | None]:
        """Compact a thread under pressure, or make room for new messages that would not fit.

        If it fails, an event says so and the agent goes on. `ids` is given before tasks that wait
        are resumed, and gets the new ids of their questions.
        """
        with self._sessions.say.report_failures():
            for _ in range(TRIES_MOST):
                with suppress(ThreadMoved):
                    return (yield from self._try_to_compact(graph, config, said, ids))
            self._sessions.say(Skipped(KEPT_WRITING, 0))
        return None

    def _try_to_compact(
        self, graph: Any, config: RunnableConfig, said: Any, ids: dict[str, str] | None
    ) -> CheckpointSteps[Commit | None]:
        state: StateSnapshot = yield SaverCall(graph, "get_state", [config])
        messages = list(get_field(state.values, self.messages_key) or ())
        if not messages:
            return None
        where = state.config["configurable"]
        moves = ids is not None and can_move_tasks(state)
        name = where["thread_id"]
        with self._sessions.checkout(messages, self._form, name=name) as (thread, incoming):
            stays = bool(state.tasks) and said is None and not moves
            due = self._compact_if_due(thread.session, bool(state.tasks), said, stays)
            # Another block of constraints need not wait for pressure, only for tasks under way.
            changed = (due and thread.has_new_commits) or (thread.has_new_constraints and not stays)
            if not changed:
                return None
            shown = thread.shown(incoming)
            landed = thread.has_new_commits
        view = [message.object for message in shown]
        try:
            # It names the checkpoint that was read: what another run added since is not lost.
            put = yield from replace_messages(
                self.saver, config, view, self.messages_key, where["checkpoint_id"], moves
            )
        except UnfinishedTasks:
            self._sessions.say(Skipped(TASKS_WAIT, thread.session.load))
            return None
        if ids is not None:
            ids.update((yield from move_tasks(self.saver, graph, state, put)))
        thread.mark_written(shown)
        if landed:
            return thread.session.log.commits[-1]
        return None

    def _compact_if_due(self, session: Session, waits: bool, said: Any, stays: bool) -> bool:
        """Compact a session under pressure; False if it must stay as it is.

        waits: tasks of the thread wait to be resumed. stays: and this is not their time.
        """
        pressed = session.pressure is not Pressure.NONE
        if stays and pressed:
            self._sessions.say(Skipped(TASKS_WAIT, session.load))
        elif not waits and said is None:
            session.host.settle_with_writer()
            session.messages()
            return True
        # A run with new words gives up the tasks that wait, so now is the time to catch up. Most
        # tasks that ask a person belong to a call, and `messages` waits for its result.
        elif (waits and pressed) or self._pressure_with(session, said) is Pressure.HARD:
            session.compact()
            return True
        return False

    def _pressure_with(self, session: Session, said: Any) -> Pressure:
        """Return the pressure there will be once a run's input is added."""
        new = convert_to_messages(_as_list(get_field(said, self.messages_key) or []))
        view = session.view.with_messages(decode_messages(session.host.wire, plain_messages(new)))
        return session.budget.pressure(view.meter.load(view.raw))


def _as_list(said: Any) -> list[Any]:
    """Return messages as a list; LangGraph also takes one alone."""
    if isinstance(said, list):
        return said
    return [said]
