"""Make a long conversation with tool calls, of any size, from the standard library's sources.

Messages have about 500 tokens, text and tool results mixed, in each wire's format and in
LangChain's. What is timed is generated anew each time, so that nothing is counted from a cache.
"""

from __future__ import annotations

import json
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from bench.plain import Json

TOKENS = 500
CALL_TOKENS = 40
"""About what a call weighs; its message's text is that much shorter."""


@dataclass(frozen=True)
class Said:
    """One message of the conversation, before any provider's format."""

    role: str
    text: str
    call: str | None = None

    def anew(self) -> Said:
        """Return the same in words that were never counted."""
        return Said(self.role, f"{self.text}\n# {next(_ANEW)}", self.call)


_ANEW = count()


def talk(texts: Iterator[str]) -> Iterator[Said]:
    """Yield requests, calls, results and answers in turn."""
    for turn in count():
        call = f"call_{turn}"
        yield Said("user", next(texts))
        yield Said("assistant", next(texts)[: -4 * CALL_TOKENS], call)
        yield Said("tool", next(texts), call)
        yield Said("assistant", next(texts))


def calls(texts: Iterator[str]) -> Iterator[Said]:
    """Yield short calls and their results in turn."""
    for turn in count():
        yield Said("assistant", "Next.", f"call_{turn}")
        yield Said("tool", next(texts), f"call_{turn}")


def texts(weigh: Callable[[str], int]) -> Iterator[str]:
    """Neighbouring lines of the library's modules, about TOKENS tokens at a time.

    From the start again at the end.
    """
    for lap in count():
        for text in _library(weigh):
            yield f"# {lap}\n{text}" if lap else text


def _library(weigh: Callable[[str], int]) -> Iterator[str]:
    for file in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" in file.parts:
            continue
        held: list[str] = []
        weight = 0
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            held.append(line)
            weight += weigh(line) + 1
            if weight >= TOKENS:
                yield "\n".join(held)
                held, weight = [], 0


def openai(said: Said) -> Json:
    if said.role == "tool":
        return {"role": "tool", "tool_call_id": said.call, "content": said.text}
    message: Json = {"role": said.role, "content": said.text}
    if said.call:
        function = {"name": "read_file", "arguments": json.dumps(_arguments(said.call))}
        message["tool_calls"] = [{"id": said.call, "type": "function", "function": function}]
    return message


def anthropic(said: Said) -> Json:
    if said.role == "tool":
        result = {"type": "tool_result", "tool_use_id": said.call, "content": said.text}
        return {"role": "user", "content": [result]}
    if not said.call:
        return {"role": said.role, "content": said.text}
    call = {
        "type": "tool_use",
        "id": said.call,
        "name": "read_file",
        "input": _arguments(said.call),
    }
    return {"role": said.role, "content": [{"type": "text", "text": said.text}, call]}


def langchain(said: Said) -> BaseMessage:
    if said.role == "user":
        return HumanMessage(said.text)
    if said.role == "tool":
        return ToolMessage(said.text, tool_call_id=str(said.call))
    calls = (
        [{"name": "read_file", "args": _arguments(said.call), "id": said.call}] if said.call else []
    )
    return AIMessage(said.text, tool_calls=calls)


def _arguments(call: str) -> Json:
    return {"path": f"src/{call}.py", "offset": 0, "limit": 200}


SPEAKERS: dict[str, Callable[[Said], Json]] = {"openai": openai, "anthropic": anthropic}
"""By the name of the wire."""
