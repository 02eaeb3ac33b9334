"""How a model that speaks text alone calls tools and answers: a few lines, read strictly.

    any words, kept as notes
    CALL name {"argument": "value"}

    any words, kept as notes
    ANSWER: what was asked
    SOURCES: where it stands, one a line

Owns reading such a text, and saying in words what is wrong with it. What is asked
of a model that got it wrong is the talker's business; whether a source resolves
is the library's.

A session's request as one text, in fixed sections: system, tools, task, memory, history, recent, reply.

What was said comes from the request alone, so what compaction did to it is seen
as it is. Lines that tools returned, and what is told in short, begin with a bar:
nothing in them can begin a section or pretend to be a reply.

A talker over a model that speaks text alone: a request becomes one prompt, a reply is read by a small grammar.

A reply that cannot be read, or that a judge finds wanting, is given back with what
was wrong, so many times and no more; then the one ends the run, the other is let
through. What a request looks like as text is said in
`sections`, what a reply may say in `grammar`.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from steno.core.effects import Ask, NoAnswer
from steno.core.errors import ModelFailed
from steno.core.fence import Fence
from steno.core.model import Complexity, Delta, FinishedTurn, TurnStream, Usage

CALLS_MOST = 4
SOURCES_MOST = 40
REPLY_FORM = f"""\
Reply in one of two ways.
To use tools, one call a line, at most {CALLS_MOST}, the arguments as JSON:
CALL search {{"query": "telling words"}}
To end, when the task is answered or cannot be:
ANSWER: the answer, in a few sentences
SOURCES: where each statement stands, as the tools gave it, one a line
Words before that are kept as your notes."""

_MARK = re.compile(r"^[ \t>*-]*(?P<mark>CALL(?=[ \t])|ANSWER:|SOURCES:)(?:\*\*)?", re.M)
_CALL = re.compile(r"[ \t]+(?P<name>[A-Za-z_][\w.-]{0,63})[ \t]*")
_FENCES = re.compile(r"^[ \t]*```\w*[ \t]*$\n?", re.M)
_BULLET = re.compile(r"^\s*(?:[-*•]|\[?\d{1,2}[.)\]])\s+")
_SOURCE_BREAK = re.compile(r"\n|;\s|,\s+(?=[^\s,:]+:\d|https?://)")
_QUOTED_SOURCE = re.compile(
    r"(?P<source>(?!https?:)[^\s:][^\n:]*:\d{1,9}(?:[-–]\d{1,9})?)(?::\s.*)?"
)
"""A source as a search gives it, with the words that stand there."""


@dataclass(frozen=True)
class ResearchReply:
    """What a reply says."""

    notes: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Names, and arguments as JSON."""
    answer: str | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class InvalidReply:
    """What is wrong with a reply, in words its author can act on."""

    what: str


def parse_reply(text: str) -> ResearchReply | InvalidReply:
    """What a reply says, or what is wrong with it."""
    plain = _FENCES.sub("", text)
    first = _MARK.search(plain)
    if first is None:
        return InvalidReply("there is neither a CALL nor an ANSWER in it")
    notes = plain[: first.start()].strip()
    if first["mark"] == "SOURCES:":
        return InvalidReply("SOURCES stand after an ANSWER")
    if first["mark"] == "ANSWER:":
        return _parse_answer(notes, plain[first.end() :])
    return _parse_calls(notes, plain, first.start())


def _parse_answer(notes: str, rest: str) -> ResearchReply | InvalidReply:
    listed = next((mark for mark in _MARK.finditer(rest) if mark["mark"] == "SOURCES:"), None)
    answer = (rest if listed is None else rest[: listed.start()]).strip()
    if not answer:
        return InvalidReply("the ANSWER is empty")
    rows = "" if listed is None else rest[listed.end() :]
    found = (_parse_source(row) for row in _SOURCE_BREAK.split(rows))
    return ResearchReply(
        notes, (), answer, tuple(dict.fromkeys(source for source in found if source))[:SOURCES_MOST]
    )


def _parse_source(row: str) -> str:
    bare = _BULLET.sub("", row).strip().strip("`<>").strip()
    quoted = _QUOTED_SOURCE.fullmatch(bare)
    if quoted:
        return quoted["source"]
    return bare


def _parse_calls(notes: str, text: str, start: int) -> ResearchReply | InvalidReply:
    calls: list[tuple[str, str]] = []
    at: int | None = start
    while at is not None:
        mark = _MARK.search(text, at)
        if mark is None:
            break
        if mark["mark"] != "CALL":
            return InvalidReply(
                "it calls tools and answers at once: wait for the results before you answer"
            )
        named = _CALL.match(text, mark.end())
        if named is None:
            return InvalidReply("a CALL names its tool and gives the arguments as JSON")
        arguments, at = _parse_arguments(text, named.end())
        if at is None:
            return InvalidReply(
                f"the arguments of CALL {named['name']} are no JSON object ({arguments})"
            )
        calls.append((named["name"], arguments))
    if len(calls) > CALLS_MOST:
        return InvalidReply(f"it makes {len(calls)} calls; {CALLS_MOST} are the most")
    return ResearchReply(notes, tuple(calls))


def _parse_arguments(text: str, at: int) -> tuple[str, int | None]:
    """JSON of a call's arguments and where it ends; or why it is none, and None."""
    line = text[at : text.find("\n", at) if "\n" in text[at:] else len(text)]
    if not line.strip():
        return "{}", at
    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError) as wrong:
        return getattr(wrong, "msg", "too deep"), None
    if not isinstance(value, dict):
        return f"it is a {type(value).__name__}", None
    return json.dumps(value, ensure_ascii=False), end


def render_calls(notes: str, calls: tuple[tuple[str, str], ...]) -> str:
    """Notes and calls in the very form that `read` reads."""
    return "\n".join(
        [*([notes] if notes else []), *(f"CALL {name} {arguments}" for name, arguments in calls)]
    )


RECENT_ENTRIES = 3
"""Entries that stand apart, the newest."""
MEMORY_FENCE = "memory"
"""The kind of fence that memory context comes in."""
BAR = "| "
SECTION_ORDER = ("SYSTEM", "TOOLS", "TASK", "MEMORY", "HISTORY", "RECENT", "REPLY")


def render_prompt(request: Mapping[str, Any], recent: int = RECENT_ENTRIES) -> str:
    """The prompt of a request in the chat wire's form."""
    parts: dict[str, list[str]] = {name: [] for name in SECTION_ORDER}
    parts["TOOLS"] = [_render_tool(tool["function"]) for tool in request.get("tools") or ()]
    parts["REPLY"] = [REPLY_FORM]
    said: list[list[str]] = []
    names: dict[str, str] = {}
    for message in request["messages"]:
        role, text = message["role"], _content_text(message.get("content"))
        fence = Fence.parse(text) if role == "user" else None
        if role in ("system", "developer"):
            parts["SYSTEM"].append(text)
        elif fence is not None and fence.label.get("kind") == MEMORY_FENCE:
            parts["MEMORY"].append(bar_lines(fence.body))
        elif role == "user" and fence is None and not parts["TASK"]:
            parts["TASK"].append(text)
        elif role == "tool" and said:
            name = names.get(message.get("tool_call_id", ""), "a tool")
            said[-1].append(f"RESULT of {name}:\n{bar_lines(text)}")
        else:
            said.append([_render_entry(message, text, names)])
    entries = ["\n".join(entry) for entry in said]
    cut = max(0, len(entries) - recent)
    parts["HISTORY"], parts["RECENT"] = entries[:cut], entries[cut:]
    return "\n\n".join(
        f"# {name}\n" + "\n\n".join(parts[name]) for name in SECTION_ORDER if parts[name]
    )


def _render_entry(message: Mapping[str, Any], text: str, names: dict[str, str]) -> str:
    if message["role"] != "assistant":
        return bar_lines(text)
    calls = [
        (call["function"]["name"], call["function"]["arguments"])
        for call in message.get("tool_calls") or ()
    ]
    names |= {call["id"]: call["function"]["name"] for call in message.get("tool_calls") or ()}
    return render_calls(text, tuple(calls))


def bar_lines(text: str) -> str:
    """Text as material: every line begins with a bar."""
    return "\n".join(f"{BAR}{line}" for line in text.splitlines())


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        str(part.get("text", "")) for part in content or () if isinstance(part, Mapping)
    )


def _render_tool(function: Mapping[str, Any]) -> str:
    schema = function.get("parameters") or {}
    said = ", ".join(
        _render_parameters(schema.get("properties") or {}, schema.get("required") or ())
    )
    return f"{function['name']}({said}): {function.get('description', '')}"


def _render_parameters(properties: Mapping[str, Any], required: Sequence[str]) -> Iterator[str]:
    for name, how in properties.items():
        otherwise = "" if name in required else f" = {how.get('default')!r}"
        yield f"{name}: {how.get('type', 'any')}{otherwise}"


SHOWN_AGAIN = 1_000
"""Characters of a reply that are shown again to its author."""
ReplyJudge = Callable[[ResearchReply], str | None]
"""What is wrong with what was said; None where nothing is."""


@dataclass(frozen=True)
class TextTalker:
    """Makes any model that answers in text one that calls tools."""

    model: Any
    complexity: Complexity = "complex"
    max_tokens: int = 600
    repairs: int = 2
    judge: ReplyJudge = lambda said: None
    wire: str = "openai"

    @property
    def name(self) -> str:
        return str(getattr(self.model, "name", type(self.model).__name__))

    @property
    def window(self) -> int | None:
        return getattr(self.model, "window", None)

    def turn(
        self,
        request: Mapping[str, Any],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> TurnStream:
        """One turn, repaired where it must be; its cost is that of all tries but for prompts that were sent again."""
        prompt, wrong, extra = render_prompt(request), "", ""
        said_tokens = 0
        for tried in range(self.repairs + 1):
            ask = Ask(
                prompt + extra,
                max_tokens or self.max_tokens,
                None,
                "turn",
                seconds,
                None,
                self.complexity,
            )
            text, usage = yield from _stream_reply(self.model, ask)
            said_tokens += usage.said
            said = parse_reply(text)
            wrong = said.what if isinstance(said, InvalidReply) else self.judge(said) or ""
            # What a judge finds is a wish: at the last, what keeps to the form is let through.
            if isinstance(said, ResearchReply) and (not wrong or tried == self.repairs):
                yield _spoken_from(
                    said, text, prompt, Usage(usage.sent, usage.cached, usage.written, said_tokens)
                )
                return
            extra = f"\n\n# YOUR LAST REPLY\n{bar_lines(text[:SHOWN_AGAIN])}\n\n# WHAT WAS WRONG\n{wrong}. Reply anew."
        raise ModelFailed(
            f"the model did not keep to the form, asked {self.repairs + 1} times: {wrong}", "other"
        )


def _stream_reply(model: Any, ask: Ask) -> Generator[Delta, None, tuple[str, Usage]]:
    """The words of a reply, as they come, and what they cost."""
    if hasattr(model, "stream"):
        words: list[str] = []
        for piece in _close_after(model.stream(ask)):
            if isinstance(piece, FinishedTurn):
                return "".join(words), piece.usage
            words.append(piece.text)
            yield piece
        raise ModelFailed("the stream ended before the message did", "reset")
    reply = model.answer(ask)
    if inspect.isawaitable(reply):
        reply = asyncio.run(_await_reply(reply))
    if isinstance(reply, NoAnswer):
        raise ModelFailed(reply.reason, reply.kind, wait=reply.wait)
    yield Delta(reply.text)
    return reply.text, reply.usage


async def _await_reply(reply: Any) -> Any:
    return await reply


def _close_after(stream: TurnStream) -> Iterator[Delta | FinishedTurn]:
    """The stream, closed with whoever reads it."""
    try:
        yield from stream
    finally:
        close = getattr(stream, "close", None)
        if close is not None:
            close()


def _spoken_from(said: ResearchReply, text: str, prompt: str, usage: Usage) -> FinishedTurn:
    if said.answer is not None:
        return FinishedTurn(({"role": "assistant", "content": text.strip()},), usage, "end")
    seed = blake2b(f"{prompt}\0{text}".encode("utf-8", "replace"), digest_size=6).hexdigest()
    calls = [
        {
            "id": f"call_{seed}_{at}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for at, (name, arguments) in enumerate(said.calls)
    ]
    return FinishedTurn(
        ({"role": "assistant", "content": said.notes or None, "tool_calls": calls},), usage, "calls"
    )
