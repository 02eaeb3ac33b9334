"""A chat model of our own behind LangChain's real interface, and the agents that the adapters'
tests are about.

Owns who answers (a function of the messages, so a run needs no script to stay in step with it)
and a supervisor with two sub-agents, parallel tools and a tool that asks a person. Every
request that reaches a model is judged by `legal.py` in the words of both providers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentState
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.types import interrupt
from pydantic import Field

from tests.support.legal import anthropic, openai_chat

Answers = Callable[[Sequence[BaseMessage]], AIMessage]

SECRET = "kestrel-4471"
"""Known to a sub-agent alone."""
ROLES = {"human": "user", "ai": "assistant", "system": "system"}
THOUGHT = "plover-9920"
"""Thought, and never said."""


class Spoken(BaseChatModel):
    """Answers by a function of what it is shown; refuses what no provider would take."""

    answers: Any
    requests: list[list[BaseMessage]] = Field(default_factory=list)
    offered: list[Any] = Field(default_factory=list)
    """The tools of each request."""

    @property
    def _llm_type(self) -> str:
        return "spoken"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        self.offered.append(tools)
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self._judge(messages)
        return ChatResult(generations=[ChatGeneration(message=self.answers(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        self._judge(messages)
        whole = self.answers(messages)
        words = whole.content.split(" ") if isinstance(whole.content, str) else [whole.content]
        for at, word in enumerate(words):
            said = f"{word} " if isinstance(word, str) and at + 1 < len(words) else word
            yield ChatGenerationChunk(message=AIMessageChunk(content=said, id=whole.id))
        if whole.tool_calls:
            calls = [
                {"name": c["name"], "args": json.dumps(c["args"]), "id": c["id"], "index": n}
                for n, c in enumerate(whole.tool_calls)
            ]
            yield ChatGenerationChunk(
                message=AIMessageChunk(content="", id=whole.id, tool_call_chunks=calls)
            )

    def _judge(self, messages: list[BaseMessage]) -> None:
        self.requests.append(list(messages))
        problems = judged(messages, pending_ok=False)
        assert problems == [], problems


def words(n: int, of: str = "word") -> str:
    return " ".join(f"{of}{k}" for k in range(n))


def thinking(text: str) -> dict[str, str]:
    return {"type": "thinking", "thinking": text, "signature": "sig"}


class Counter:
    """A new id each time, for calls."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self) -> str:
        self.n += 1
        return f"call-{self.n}"


def calls(
    names: Sequence[str],
    ids: Callable[[], str],
    said: str = "",
    args: Sequence[dict[str, Any]] | None = None,
) -> AIMessage:
    given = args or [{"topic": name} for name in names]
    called = [
        {"name": name, "args": each, "id": ids()} for name, each in zip(names, given, strict=True)
    ]
    return AIMessage(said, tool_calls=called)


class Team(AgentState[Any]):
    """The supervisor's state, with a channel of its own beside the messages."""

    dossier: str


def sub_agent() -> Any:
    """Thinks, knows a secret, and answers without either."""
    answer = AIMessage(
        [thinking(f"The key is {THOUGHT}."), {"type": "text", "text": "Nothing unusual was found."}]
    )
    return create_agent(Spoken(answers=lambda _: answer), system_prompt=f"You know {SECRET}.")


def supervisor_graph(saver: Any, *, asks: bool = False, size: int = 40, **how: Any) -> Any:
    """A supervisor whose two sub-agents work at once; with `asks`, a person has to agree."""
    ids = Counter()
    researcher, writer = sub_agent(), sub_agent()

    @tool
    def research(topic: str) -> str:
        """Ask the researcher."""
        found = researcher.invoke(
            {"messages": [HumanMessage(f"Research {topic}. Remember {SECRET}.")]}
        )
        return f"{found['messages'][-1].text} {words(size, 'found')}"

    @tool
    def draft(topic: str) -> str:
        """Ask the writer."""
        if asks:
            topic = f"{topic}, {interrupt('May the writer begin?')}"
        found = writer.invoke({"messages": [HumanMessage(f"Draft {topic}. Remember {SECRET}.")]})
        return f"{found['messages'][-1].text} {words(size, 'drafted')} {topic}"

    def answers(messages: Sequence[BaseMessage]) -> AIMessage:
        if isinstance(messages[-1], ToolMessage):
            said = [
                thinking(f"Hidden: {THOUGHT}."),
                {"type": "text", "text": f"Done. {words(size, 'said')}"},
            ]
            return AIMessage(said)
        return calls(["research", "draft"], ids, "Both shall work on it.")

    model = how.pop("model", None) or Spoken(answers=answers)
    return create_agent(
        model,
        [research, draft],
        checkpointer=saver,
        state_schema=Team,
        system_prompt="Lead.",
        **how,
    )


def chat_graph(saver: Any, answers: Answers | None = None, **how: Any) -> Any:
    """One model, no tools."""
    said = answers or (
        lambda messages: AIMessage(f"Answer to {len(messages)}: {words(30, 'reply')}")
    )
    return create_agent(Spoken(answers=said), [], checkpointer=saver, **how)


def on(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


def ask(text: str, **more: Any) -> dict[str, Any]:
    return {"messages": [HumanMessage(text)], **more}


def judged(messages: Sequence[BaseMessage], *, pending_ok: bool = True) -> list[str]:
    """What a provider would have against this list, in the words of either."""
    shown = [message for message in messages if not isinstance(message, SystemMessage)]
    as_chat = openai_chat(
        {"messages": [_chat(message) for message in messages]}, pending_ok=pending_ok
    )
    as_blocks = anthropic(
        {"messages": [_blocks(message) for message in shown]}, pending_ok=pending_ok
    )
    return as_chat + as_blocks


def _chat(message: BaseMessage) -> dict[str, Any]:
    """As a Chat Completions message, which knows no thinking."""
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": str(message.text)}
    plain: dict[str, Any] = {"role": ROLES[message.type], "content": str(message.text)}
    if isinstance(message, AIMessage) and message.tool_calls:
        plain["tool_calls"] = [
            {
                "id": c["id"],
                "type": "function",
                "function": {"name": c["name"], "arguments": json.dumps(c["args"])},
            }
            for c in message.tool_calls
        ]
    return plain


def _blocks(message: BaseMessage) -> dict[str, Any]:
    """As a message of the Messages API."""
    if isinstance(message, ToolMessage):
        result = {
            "type": "tool_result",
            "tool_use_id": message.tool_call_id,
            "content": str(message.text),
        }
        return {
            "role": "user",
            "content": [result | ({"is_error": True} if message.status == "error" else {})],
        }
    content = (
        [{"type": "text", "text": message.content}]
        if isinstance(message.content, str)
        else message.content
    )
    blocks: list[Any] = [block for block in content if block != {"type": "text", "text": ""}]
    if isinstance(message, AIMessage):
        blocks += [
            {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
            for call in message.tool_calls
        ]
    return {"role": "assistant" if isinstance(message, AIMessage) else "user", "content": blocks}


def said(messages: Sequence[BaseMessage]) -> str:
    return "\n".join(str(message.content) for message in messages)


def a_talk(pairs: int, size: int = 30) -> list[BaseMessage]:
    """Ten messages are five pairs; each has its id."""
    talk: list[BaseMessage] = []
    for n in range(pairs):
        talk.append(HumanMessage(f"Question {n}: {words(size, f'q{n}x')}", id=f"h{n}"))
        talk.append(AIMessage(f"Answer {n}: {words(size, f'a{n}x')}", id=f"a{n}"))
    return talk


def led(talk: Sequence[BaseMessage]) -> list[BaseMessage]:
    return [SystemMessage("You lead.", id="s"), *talk]
