"""Make a model that answers in plain text one that calls tools.

A request becomes one prompt in fixed sections: system, tools, task, memory, history,
recent, reply. Lines that tools returned, and summaries, begin with a bar, so that
nothing in them can begin a section or pretend to be a reply. A reply is read by a small
grammar:

    any words, kept as notes
    CALL name {"argument": "value"}

    any words, kept as notes
    ANSWER: the answer
    SOURCES: where it stands, one a line

A reply that breaks the grammar, or that the judge rejects, goes back to the model with
what was wrong, a few times. After that, broken grammar ends the run; a rejected reply
is let through. Whether a source resolves is the library's to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from steno.core.effects import Ask, NoAnswer, finish_reply
from steno.core.errors import ModelFailed
from steno.core.fence import Fence
from steno.core.model import Complexity, Delta, FinishedTurn, TurnStream, Usage, close_after

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
"""A source as a search returns it, with the words that stand there."""
_NO_SOURCE = re.compile(r"[-–—(\[]*(?:none|n/a|no sources?)?[)\].]*", re.I)
"""What stands there if an answer rests on no source: the texts do not say it."""


@dataclass(frozen=True)
class ResearchReply:
    """A reply, read by the grammar."""

    notes: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Pairs of a tool's name and its arguments as JSON."""
    answer: str | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class InvalidReply:
    """What is wrong with a reply, in words the model can act on."""

    what: str


def parse_reply(text: str) -> ResearchReply | InvalidReply:
    """Read a reply, or return what is wrong with it."""
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
    answer, rows = rest, ""
    for mark in _MARK.finditer(rest):
        if mark["mark"] == "SOURCES:":
            answer, rows = rest[: mark.start()], rest[mark.end() :]
            break
    if not answer.strip():
        return InvalidReply("the ANSWER is empty")
    found = map(_parse_source, _SOURCE_BREAK.split(rows))
    sources = dict.fromkeys(source for source in found if source)
    return ResearchReply(notes, (), answer.strip(), tuple(sources)[:SOURCES_MOST])


def _parse_source(row: str) -> str:
    bare = _BULLET.sub("", row).strip().strip("`<>").strip()
    quoted = _QUOTED_SOURCE.fullmatch(bare)
    if quoted:
        return quoted["source"]
    if _NO_SOURCE.fullmatch(bare):
        return ""
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
    """Return the JSON of a call's arguments and its end; or what is wrong, and None."""
    line, _, _ = text[at:].partition("\n")
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
    """Return notes and calls in the form that `parse_reply` reads."""
    lines = [f"CALL {name} {arguments}" for name, arguments in calls]
    if notes:
        lines.insert(0, notes)
    return "\n".join(lines)


RECENT_ENTRIES = 3
"""The newest entries, which stand in a section of their own."""
MEMORY_FENCE = "memory"
"""Kind of the fence around memory that is given with a task."""
BAR = "| "
SECTION_ORDER = ("SYSTEM", "TOOLS", "TASK", "MEMORY", "HISTORY", "RECENT", "REPLY")


def render_prompt(request: Mapping[str, Any], recent: int = RECENT_ENTRIES) -> str:
    """Return the prompt of a request in the chat wire's form."""
    parts: dict[str, list[str]] = {name: [] for name in SECTION_ORDER}
    parts["TOOLS"] = [_render_tool(tool["function"]) for tool in request.get("tools") or ()]
    parts["REPLY"] = [REPLY_FORM]
    groups: list[list[str]] = []
    names: dict[str, str] = {}
    for message in request["messages"]:
        role = message["role"]
        text = _content_text(message.get("content"))
        fence = None
        if role == "user":
            fence = Fence.parse(text)
        if role in ("system", "developer"):
            parts["SYSTEM"].append(text)
        elif fence is not None and fence.label.get("kind") == MEMORY_FENCE:
            parts["MEMORY"].append(bar_lines(fence.body))
        elif role == "user" and fence is None and not parts["TASK"]:
            parts["TASK"].append(text)
        elif role == "tool" and groups:
            name = names.get(message.get("tool_call_id", ""), "a tool")
            groups[-1].append(f"RESULT of {name}:\n{bar_lines(text)}")
        else:
            groups.append([_render_entry(message, text, names)])
    entries = ["\n".join(group) for group in groups]
    cut = max(0, len(entries) - recent)
    parts["HISTORY"], parts["RECENT"] = entries[:cut], entries[cut:]
    sections = []
    for name, texts in parts.items():
        if texts:
            sections.append(f"# {name}\n" + "\n\n".join(texts))
    return "\n\n".join(sections)


def _render_entry(message: Mapping[str, Any], text: str, names: dict[str, str]) -> str:
    if message["role"] != "assistant":
        return bar_lines(text)
    calls = []
    for call in message.get("tool_calls") or ():
        function = call["function"]
        calls.append((function["name"], function["arguments"]))
        names[call["id"]] = function["name"]
    return render_calls(text, tuple(calls))


def bar_lines(text: str) -> str:
    """Return a text with a bar before every line."""
    return "\n".join(f"{BAR}{line}" for line in text.splitlines())


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        str(part.get("text", "")) for part in content or () if isinstance(part, Mapping)
    )


def _render_tool(function: Mapping[str, Any]) -> str:
    schema = function.get("parameters") or {}
    properties = schema.get("properties") or {}
    parameters = ", ".join(_render_parameters(properties, schema.get("required") or ()))
    return f"{function['name']}({parameters}): {function.get('description', '')}"


def _render_parameters(properties: Mapping[str, Any], required: Sequence[str]) -> Iterator[str]:
    for name, schema in properties.items():
        text = f"{name}: {schema.get('type', 'any')}"
        if name not in required:
            text += f" = {schema.get('default')!r}"
        yield text


SHOWN_AGAIN = 1_000
"""Characters of a wrong reply that are shown to the model again."""


ReplyJudge = Callable[[ResearchReply], str | None]
"""Returns what is wrong with a reply, or None."""


@dataclass(frozen=True)
class TextTalker:
    """A chat model over any model that answers in text."""

    model: Any
    """Model that answers in text; it is streamed if it has `stream(ask)`."""
    complexity: Complexity = "complex"
    """How hard a turn is said to be."""
    max_tokens: int = 600
    """Tokens of one reply, unless the turn says how many."""
    repairs: int = 2
    """How often a wrong reply is asked for again."""
    judge: ReplyJudge = lambda reply: None
    """Rejects replies that keep to the grammar."""
    wire: str = "openai"
    """Format of the requests it takes."""

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
        """Take one turn, asking again for a wrong reply.

        The usage counts the words of all replies, and the prompt once.
        """
        prompt = render_prompt(request)
        wrong, extra = "", ""
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
            reply = parse_reply(text)
            if isinstance(reply, InvalidReply):
                wrong = reply.what
            else:
                wrong = self.judge(reply) or ""
                # The last try is let through if it keeps to the grammar, whatever the judge says.
                if not wrong or tried == self.repairs:
                    total = Usage(usage.sent, usage.cached, usage.written, said_tokens)
                    yield _finished_turn(reply, text, prompt, total)
                    return
            extra = (
                f"\n\n# YOUR LAST REPLY\n{bar_lines(text[:SHOWN_AGAIN])}"
                f"\n\n# WHAT WAS WRONG\n{wrong}. Reply anew."
            )
        raise ModelFailed(
            f"the model did not keep to the form, asked {self.repairs + 1} times: {wrong}", "other"
        )


def _stream_reply(model: Any, ask: Ask) -> Generator[Delta, None, tuple[str, Usage]]:
    """Yield the words of a reply as they arrive; return them all, and what they cost."""
    if hasattr(model, "stream"):
        words: list[str] = []
        for piece in close_after(model.stream(ask)):
            if isinstance(piece, FinishedTurn):
                return "".join(words), piece.usage
            words.append(piece.text)
            yield piece
        raise ModelFailed("the stream ended before the message did", "reset")
    reply = finish_reply(model.answer(ask))
    if isinstance(reply, NoAnswer):
        raise ModelFailed(reply.reason, reply.kind, wait=reply.wait)
    yield Delta(reply.text)
    return reply.text, reply.usage


def _finished_turn(reply: ResearchReply, text: str, prompt: str, usage: Usage) -> FinishedTurn:
    if reply.answer is not None:
        return FinishedTurn(({"role": "assistant", "content": text.strip()},), usage, "end")
    # Ids from a digest: the same words give the same ids, and two turns never share one.
    seed = blake2b(f"{prompt}\0{text}".encode("utf-8", "replace"), digest_size=6).hexdigest()
    calls = [
        {
            "id": f"call_{seed}_{at}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for at, (name, arguments) in enumerate(reply.calls)
    ]
    message = {"role": "assistant", "content": reply.notes or None, "tool_calls": calls}
    return FinishedTurn((message,), usage, "calls")
