"""A graph whose threads stay within their limit, used wherever the graph was.

The graph itself is not changed: its inputs and outputs pass through as they are. Its
thread is compacted before a run if the new messages would not fit the window, and
after each run that leaves it over its limit, also if a stream was closed early or
raised. How that is done is in `history`.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any, Self, Unpack

from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs

from steno.adapters.langgraph.checkpoint import CheckpointSteps, arun_steps, run_steps
from steno.adapters.langgraph.history import HistoryManager, HistoryOptions
from steno.core.errors import BadInput
from steno.core.log import Commit
from steno.core.word_tables import word_tuple
from steno.engine.designs import supervisor
from steno.session.options import takes_options

OWN_MODEL = ("model", "agent")
"""Names that LangChain's and LangGraph's agents give the node of their model."""
TOOLS_NODE = "tools"
SAY_WHEN = (
    "say when to compact: CompactingSupervisor(graph, model=…) or window=…; "
    "or token_limit=500, compaction_ratio=0.5 to compact by size alone"
)
DELEGATED = word_tuple(
    "InputType OutputType get_graph aget_graph get_input_schema get_output_schema "
    "get_input_jsonschema get_output_jsonschema config_schema get_config_jsonschema config_specs "
    "get_name name stream_events"
)
"""Attributes that every Runnable has; the graph's own are the right ones."""


class CompactingSupervisor(Runnable[Any, Any]):
    """`CompactingSupervisor(graph)`, used wherever the graph was."""

    @takes_options
    def __init__(
        self,
        agent: Any,
        history_manager: HistoryManager | None = None,
        token_limit: int | None = None,
        compaction_ratio: float | None = None,
        **how: Unpack[HistoryOptions],
    ) -> None:
        """Keep the threads of a graph within their limit.

        agent: a compiled graph with a checkpointer.
        history_manager: keeps the threads in its own checkpointer; the options below are then
            its own, and must be passed to it.
        model, window: the agent's model or its window: a thread is kept within it by the default
            policy, or by `policy`.
        token_limit: instead, tokens of a thread over which it is compacted, whatever the window;
            500 if only the ratio is given.
        compaction_ratio: share of the messages, the oldest, that this compaction covers; 0.5 if
            only the limit is given.

        `stream` yields `{"type": "token", "content": …}` and, if the thread was compacted, one
        `{"type": "compaction", …}` if a history manager, a limit or a ratio is passed, as in the
        design; else, or with `stream_mode`, the graph's own chunks.
        """
        numbers = {"token_limit": token_limit, "compaction_ratio": compaction_ratio}
        given: dict[str, Any] = {name: n for name, n in numbers.items() if n is not None}
        policy = how.get("policy")
        if policy is not None and given:
            raise BadInput("say a policy, or a token_limit and a compaction_ratio, not both")
        if given:
            policy = how["policy"] = supervisor(**given)
        self.agent, self._tokens = agent, bool(given) or history_manager is not None
        if history_manager is None:
            history_manager = HistoryManager(**how)
        else:
            for name, value in how.items():
                if name != "policy" and value is not None:
                    raise BadInput(f"pass {name}= to the HistoryManager")
            if policy is not None:
                history_manager.use_policy(policy)
        if not history_manager.knows_when:
            raise BadInput(SAY_WHEN)
        if history_manager.memory_saver is None:
            saver = getattr(agent, "checkpointer", None)
            if saver is None or isinstance(saver, bool):
                raise BadInput(
                    "the graph has no checkpointer: compile it with one, or pass history_manager="
                )
            history_manager.memory_saver = saver
        key = history_manager.messages_key
        if key not in getattr(agent, "channels", (key,)):
            # Nothing of it would ever be compacted.
            raise BadInput(f"the graph's state has no {key!r}: pass messages_key=, its own name")
        self.history_manager = history_manager

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        input = run_steps(self._before(input, config))
        try:
            return self.agent.invoke(input, config, **kwargs)
        finally:
            run_steps(self._after(config))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        input = await arun_steps(self._before(input, config))
        try:
            return await self.agent.ainvoke(input, config, **kwargs)
        finally:
            await arun_steps(self._after(config))

    def stream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Any]:
        tokens = self._tokens and "stream_mode" not in kwargs
        mode = {"stream_mode": "messages"} if tokens else {}
        input = run_steps(self._before(input, config))
        try:
            for chunk in self.agent.stream(input, config, **kwargs, **mode):
                yield from self._token_chunks(chunk) if tokens else (chunk,)
        finally:
            commit = run_steps(self._after(config))
        # Not in the `finally`: a generator that is being closed must not yield.
        if tokens and commit is not None:
            yield _compaction_chunk(commit)

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        tokens = self._tokens and "stream_mode" not in kwargs
        mode = {"stream_mode": "messages"} if tokens else {}
        input = await arun_steps(self._before(input, config))
        try:
            async with aclosing(self.agent.astream(input, config, **kwargs, **mode)) as chunks:
                async for chunk in chunks:
                    for each in self._token_chunks(chunk) if tokens else (chunk,):
                        yield each
        finally:
            commit = await arun_steps(self._after(config))
        if tokens and commit is not None:
            yield _compaction_chunk(commit)

    def astream_events(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Any:
        """Yield the graph's events; after version "v3" a thread is compacted with the next run."""
        if kwargs.get("version") == "v3":
            return self.agent.astream_events(input, config, **kwargs)
        # The events tell the graph's own chunks, also if `stream` gives tokens.
        own = copy.copy(self)
        own._tokens = False
        return Runnable.astream_events(own, input, config, **kwargs)

    def with_config(self, config: RunnableConfig | None = None, **kwargs: Any) -> Self:
        other = copy.copy(self)
        other.agent = self.agent.with_config(config, **kwargs)
        return other

    def __getattribute__(self, name: str) -> Any:
        if name in DELEGATED:
            return getattr(self.agent, name)
        return super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        if name == "agent":  # while a copy is being made
            raise AttributeError(name)
        return getattr(self.agent, name)

    def _before(self, said: Any, config: RunnableConfig | None) -> CheckpointSteps[Any]:
        """Make room in the run's thread, unless the run goes on from an earlier place."""
        where = self._thread_config(config)
        if where is None or "checkpoint_id" in where["configurable"]:
            return said
        return (yield from self.history_manager.prepare_run(self.agent, where, said))

    def _after(self, config: RunnableConfig | None) -> CheckpointSteps[Commit | None]:
        """Compact the run's thread if it is over its limit."""
        where = self._thread_config(config)
        if where is None:
            return None
        # Not the checkpoint that the run began with.
        where["configurable"].pop("checkpoint_id", None)
        return (yield from self.history_manager.compact_thread(self.agent, where))

    def _token_chunks(self, chunk: Any) -> Iterator[dict[str, Any]]:
        """Yield the text of the graph's own model, without its thinking and without tools."""
        below: Any = ()
        if isinstance(chunk, dict):  # version="v2"
            below, chunk = chunk["ns"], chunk["data"]
        elif isinstance(chunk[0], tuple):  # subgraphs=True names the sub-graph first
            below, chunk = chunk
        message, metadata = chunk
        if below or not _speaks(self.agent, metadata.get("langgraph_node", "")):
            return
        if isinstance(message, AIMessage) and message.text:
            yield {"type": "token", "content": str(message.text)}

    def _thread_config(self, config: RunnableConfig | None) -> RunnableConfig | None:
        """Return the run's config if it has a thread of its own; a sub-graph's is its parent's."""
        merged = merge_configs(getattr(self.agent, "config", None), config)
        configurable = merged.get("configurable", {})
        if configurable.get("thread_id") is None or configurable.get("checkpoint_ns"):
            return None
        return merged


def _speaks(agent: Any, node: str) -> bool:
    """Tell whether a node speaks to the user: others may ask a model of their own meanwhile."""
    for own in OWN_MODEL:
        if own in getattr(agent, "nodes", ()):
            return node == own
    return node != TOOLS_NODE


def _compaction_chunk(commit: Commit) -> dict[str, Any]:
    covered = sum(len(edit.span) for edit in commit.edits if edit.block is None)
    return {
        "type": "compaction",
        "before": commit.before,
        "after": commit.after,
        "covered": covered,
        "fits": commit.fits,
    }
