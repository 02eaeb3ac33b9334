"""A session's request as one text, in fixed sections: system, tools, task, memory, history, recent, reply.

What was said comes from the request alone, so what compaction did to it is seen
as it is. Lines that tools returned, and what is told in short, begin with a bar:
nothing in them can begin a section or pretend to be a reply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steno.agent.researcher.grammar import FORM, spelt
from steno.core.fence import Fence

RECENT = 3
"""Entries that stand apart, the newest."""
MEMORY = "memory"
"""The kind of fence that memory context comes in."""
BAR = "| "
ORDER = ("SYSTEM", "TOOLS", "TASK", "MEMORY", "HISTORY", "RECENT", "REPLY")


def rendered(request: Mapping[str, Any], recent: int = RECENT) -> str:
    """The prompt of a request in the chat wire's form."""
    parts: dict[str, list[str]] = {name: [] for name in ORDER}
    parts["TOOLS"] = [_defined(tool["function"]) for tool in request.get("tools") or ()]
    parts["REPLY"] = [FORM]
    said: list[list[str]] = []
    names: dict[str, str] = {}
    for message in request["messages"]:
        role, text = message["role"], _text(message.get("content"))
        fence = Fence.read(text) if role == "user" else None
        if role in ("system", "developer"):
            parts["SYSTEM"].append(text)
        elif fence is not None and fence.label.get("kind") == MEMORY:
            parts["MEMORY"].append(barred(fence.body))
        elif role == "user" and fence is None and not parts["TASK"]:
            parts["TASK"].append(text)
        elif role == "tool" and said:
            name = names.get(message.get("tool_call_id", ""), "a tool")
            said[-1].append(f"RESULT of {name}:\n{barred(text)}")
        else:
            said.append([_spoken(message, text, names)])
    entries = ["\n".join(entry) for entry in said]
    cut = max(0, len(entries) - recent)
    parts["HISTORY"], parts["RECENT"] = entries[:cut], entries[cut:]
    return "\n\n".join(f"# {name}\n" + "\n\n".join(parts[name]) for name in ORDER if parts[name])


def _spoken(message: Mapping[str, Any], text: str, names: dict[str, str]) -> str:
    if message["role"] != "assistant":
        return barred(text)
    calls = [(call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls") or ()]
    names |= {call["id"]: call["function"]["name"] for call in message.get("tool_calls") or ()}
    return spelt(text, tuple(calls))


def barred(text: str) -> str:
    """Text as material: every line begins with a bar."""
    return "\n".join(f"{BAR}{line}" for line in text.splitlines())


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or () if isinstance(part, Mapping))


def _defined(function: Mapping[str, Any]) -> str:
    schema = function.get("parameters") or {}
    said = ", ".join(_parameters(schema.get("properties") or {}, schema.get("required") or ()))
    return f"{function['name']}({said}): {function.get('description', '')}"


def _parameters(properties: Mapping[str, Any], required: Sequence[str]) -> Iterator[str]:
    for name, how in properties.items():
        otherwise = "" if name in required else f" = {how.get('default')!r}"
        yield f"{name}: {how.get('type', 'any')}{otherwise}"
