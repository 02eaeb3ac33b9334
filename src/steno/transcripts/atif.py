"""Trajectories in Harbor's Agent Trajectory Interchange Format (ATIF), v1.0 to v1.8.

A trajectory is one JSON document; a step is a system prompt, a user's message, or a
turn of the agent with its calls and what came back. It is read as OpenAI chat
messages, so one step may be several: its first entry has the step's text, the others
have none. After a step that says it replaced the context, the model sees what that
step observed and the steps that follow. Trajectories of subagents are asides.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from steno.core.errors import BadTranscript
from steno.core.message import Speaker
from steno.providers.shared.plain_json import json_text, parse_json
from steno.transcripts.format import (
    AS_USUAL,
    Aside,
    Change,
    Entry,
    Json,
    Piece,
    ReadOptions,
    ReadPiece,
    Survey,
)
from steno.transcripts.lines import (
    BLANK,
    ArrayWriter,
    JsonArray,
    OutputLine,
    find_array,
    join_lines,
    read_document,
    strip_separator,
    with_member,
)

VERSION_SIGN = re.compile(r'"schema_version"\s*:\s*"ATIF-v')
ROLES = {"system": "system", "user": "user", "agent": "assistant"}
SOURCES = {"system": "system", "developer": "system", "user": "user", "assistant": "agent"}


class AtifFormat:
    name = "atif"
    wire = "openai"
    many = False

    def recognises(self, head: Sequence[str]) -> bool:
        first = next((line for line in head if line.strip(BLANK)), "")
        return first.lstrip(BLANK).startswith("{") and any(map(VERSION_SIGN.search, head))

    def survey(self, lines: Iterable[str]) -> Survey:
        newest = 0
        for number, (_, step) in enumerate(_steps(lines, "transcript").items, start=1):
            if _replaces_context(step):
                newest = number
        return Survey(newest, unit="step")

    def read(self, lines: Iterable[str], how: ReadOptions = AS_USUAL) -> Iterator[ReadPiece]:
        steps = _steps(lines, how.name)
        yield Aside((steps.head,), part="head")
        for number, (text, step) in enumerate(steps.items, start=1):
            hidden = number < how.survey.covered
            where = f"{how.name}: step {number}"
            said = _read_step(step, number, where)
            if not said or (hidden and not how.mark):
                yield Aside((text,), part="item")
                continue
            for each in said:
                yield Entry(each.message, (text,), "item", each.by, hidden, where=where)
                text = ""
        yield Aside((steps.tail,), part="tail")

    def write(self, pieces: Iterable[Piece]) -> Iterator[str]:
        writer = _StepWriter()
        return join_lines(line for piece in pieces for line in writer.lines(piece))


def _steps(lines: Iterable[str], name: str) -> JsonArray:
    steps = find_array(read_document(lines, name), "steps")
    if steps is None:
        raise BadTranscript(name, "a trajectory must have a list of steps")
    return steps


def _replaces_context(step: Any) -> bool:
    """Tell whether this step is a compaction by the agent: its model sees nothing before it."""
    if not isinstance(step, dict) or not isinstance(extra := step.get("extra"), dict):
        return False
    managed = extra.get("context_management")
    return isinstance(managed, dict) and managed.get("boundary") == "replace"


@dataclass(frozen=True, slots=True)
class _StepMessage:
    """A message of a step: the step's own words, or a result that it observed."""

    message: Json
    result: int | None = None
    """Number of the result in the step's observation; None for the step's own words."""
    by: Speaker = "caller"


def _read_step(step: Any, number: int, where: str) -> list[_StepMessage]:
    """Return the messages of a step, in the order in which the model saw them."""
    if not isinstance(step, dict) or str(step.get("source")) not in ROLES:
        raise BadTranscript(where, f"its source must be one of {', '.join(ROLES)}")
    results = _old_results(step)
    calls = step.get("tool_calls") or []
    if not _are_objects(results) or not _are_objects(calls):
        raise BadTranscript(where, "its calls and results must be lists of objects")
    said = _read_results(results, calls)
    if _replaces_context(step):
        # Only what was observed is sent to the model; the rest is a note for people.
        return [_as_program(each) for each in said if each.message["content"]]
    by: Speaker = "caller"
    if step["source"] == "system" and number > 1:
        by = "program"
    own_words = _StepMessage(_own_words(step, calls), by=by)
    if step["source"] == "system" and said and not step.get("message"):
        return said
    return [own_words, *said]


def _as_program(said: _StepMessage) -> _StepMessage:
    message = {"role": "user", "content": said.message["content"]}
    return _StepMessage(message, said.result, "program")


def _old_results(step: Json) -> Any:
    observation = step.get("observation")
    if isinstance(observation, dict):
        return observation.get("results") or []
    return []


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _own_words(step: Json, calls: list[Json]) -> Json:
    message: Json = {"role": ROLES[step["source"]], "content": _read_content(step.get("message"))}
    if step.get("reasoning_content"):
        message["reasoning_content"] = step["reasoning_content"]
    if calls:
        # The API itself answers with null where the model only calls.
        message["content"] = message["content"] or None
        message["tool_calls"] = [_read_call(call) for call in calls]
    return message


def _read_call(call: Json) -> Json:
    arguments = call.get("arguments")
    function = {"name": call.get("function_name"), "arguments": json_text(arguments)}
    return {"id": call.get("tool_call_id"), "type": "function", "function": function}


def _read_results(results: list[Json], calls: list[Json]) -> list[_StepMessage]:
    """Return the results as messages; what answers no call is the program's words."""
    linked = [result.get("source_call_id") for result in results]
    ids = [call.get("tool_call_id") for call in calls]
    unanswered = [id for id in ids if id not in linked]
    unlinked = [result for result in results if _is_unlinked(result)]
    said: list[_StepMessage] = []
    # Some agents log several calls and one result of all of them: the last call gets it.
    while unlinked and len(unanswered) > len(unlinked):
        said.append(_StepMessage(_tool_message(unanswered.pop(0), ""), -1))
    for at, result in enumerate(results):
        call = result.get("source_call_id")
        content = _read_content(result.get("content"))
        if _is_unlinked(result) and unanswered:
            call = unanswered.pop(0)
        if call:
            said.append(_StepMessage(_tool_message(call, content), at))
        elif content:
            said.append(_as_program(_StepMessage({"content": content}, at)))
    return said


def _is_unlinked(result: Json) -> bool:
    return bool(result.get("content")) and not result.get("source_call_id")


def _tool_message(call: Any, content: Any) -> Json:
    return {"role": "tool", "tool_call_id": call, "content": content}


def _read_content(content: Any) -> Any:
    if isinstance(content, list):
        return [_read_part(part) for part in content]
    return content or ""


def _read_part(part: Any) -> Any:
    """Return a part of a content in chat's words; what chat has no word for stays as it is."""
    if not isinstance(part, dict) or part.get("type") != "image":
        return part
    source = part.get("source")
    if isinstance(source, dict):
        image = {"url": source.get("path"), "media_type": source.get("media_type")}
        return {"type": "image_url", "image_url": image}
    return part


def _write_content(content: Any) -> Any:
    if isinstance(content, list):
        return [_write_part(part) for part in content]
    return content or ""


def _write_part(part: Any) -> Any:
    if not isinstance(part, dict) or part.get("type") != "image_url":
        return part
    image = part.get("image_url")
    if not isinstance(image, dict):
        return part
    path = image.get("url")
    media_type = image.get("media_type") or mimetypes.guess_type(str(path))[0]
    return {"type": "image", "source": {"media_type": media_type, "path": path}}


@dataclass
class _FileStep:
    """A step as the file has it, and whether a message of it was changed."""

    text: str
    changed: bool = False
    seen: int = 0

    def __post_init__(self) -> None:
        self.step: Json = parse_json(strip_separator(self.text))
        number = self.step.get("step_id")
        if not isinstance(number, int):
            number = 0
        self.said = _read_step(self.step, number, "step")


@dataclass
class _WrittenStep:
    """A step to write."""

    source: _FileStep | None = None
    """The step of the file that it is, or that it changes."""
    said: list[_StepMessage] = field(default_factory=list)
    timestamp: str | None = None

    @property
    def is_agents(self) -> bool:
        return bool(self.said) and self.said[0].message["role"] == "assistant"

    def to_json(self) -> Json:
        step: Json = {}
        own = next((each.message for each in self.said if _is_own(each)), None)
        if self.source and self._keeps_source(own):
            step = dict(self.source.step)
            step.pop("observation", None)
        # The old step must not bring back what the message has lost.
        if own is not None:
            step.pop("reasoning_content", None)
            step.pop("tool_calls", None)
        if self.timestamp and "timestamp" not in step:
            step["timestamp"] = self.timestamp
        if own is None:
            # What a program observed must not become a user's words.
            step = dict[str, Any](source="system", message="") | step
        else:
            words: Json = {
                "source": SOURCES[own["role"]],
                "message": _write_content(own.get("content")),
            }
            step = step | words | _agent_words(own, self.source)
        results = self._results()
        if results or own is None:
            step["observation"] = {"results": results}
        return step

    def _keeps_source(self, own: Json | None) -> bool:
        """Tell whether the step of the file is still the same step, so that its other keys hold."""
        assert self.source
        if own is None:
            return not any(map(_is_own, self.source.said))
        return bool(SOURCES[own["role"]] == self.source.step["source"])

    def _results(self) -> list[Json]:
        old: list[Json] = []
        read: set[int | None] = set()
        if self.source:
            old = _old_results(self.source.step)
            read = {each.result for each in self.source.said}
        # References to subagents and the like are no messages; they stay.
        results = [result for at, result in enumerate(old) if at not in read]
        for each in self.said:
            if _is_own(each):
                continue
            result: Json = {}
            if each.result is not None and each.result >= 0 and self.source:
                result = dict(old[each.result])
            if each.message["role"] == "tool":
                result["source_call_id"] = each.message["tool_call_id"]
            results.append(result | {"content": _write_content(each.message["content"])})
        return results


def _is_own(said: _StepMessage) -> bool:
    return said.result is None and said.message["role"] != "tool"


def _agent_words(message: Json, source: _FileStep | None) -> Json:
    words: Json = {}
    if message["role"] != "assistant":
        return words
    if message.get("reasoning_content"):
        words["reasoning_content"] = message["reasoning_content"]
    old = {}
    if source:
        calls = source.step.get("tool_calls") or ()
        old = {str(call.get("tool_call_id")): call for call in calls}
    if message.get("tool_calls"):
        words["tool_calls"] = [
            old.get(str(call["id"]), {}) | _write_call(call) for call in message["tool_calls"]
        ]
    return words


def _write_call(call: Json) -> Json:
    function = call["function"]
    try:
        arguments = parse_json(function["arguments"])
    except ValueError:
        arguments = None
    # The format wants an object, and a model may write anything.
    if not isinstance(arguments, dict):
        arguments = {"arguments": function["arguments"]}
    return {"tool_call_id": call["id"], "function_name": function["name"], "arguments": arguments}


class _StepWriter:
    """Gather messages into steps, number them, and write those that changed anew."""

    def __init__(self) -> None:
        self._array = ArrayWriter()
        self._numbers = count(1)
        self._changed = False
        self._read: _FileStep | None = None
        self._open: _WrittenStep | None = None

    def lines(self, piece: Piece) -> Iterator[OutputLine]:
        """Yield the lines of the steps that this piece completes."""
        match piece:
            case Entry(message):
                source, said = self._origin(piece)
                yield from self._add(_StepMessage(message, said.result), source)
            case Change(messages, instead):
                yield from self._change(messages, instead)
            case Aside((text,), "item"):
                yield from self._close()
                yield self._keep(text)
            case Aside(lines):
                yield from self._close()
                yield from map(OutputLine, lines)

    def _origin(self, entry: Entry) -> tuple[_FileStep, _StepMessage]:
        """Return the step that an entry is of, and what it is there."""
        if entry.lines[0]:
            self._read = _FileStep(entry.lines[0])
        source = self._read
        assert source
        source.seen += 1
        return source, source.said[source.seen - 1]

    def _change(
        self, messages: tuple[Json, ...], instead: tuple[Entry, ...]
    ) -> Iterator[OutputLine]:
        self._changed = True
        origins = [self._origin(entry) for entry in instead]
        for source, _ in origins:
            source.changed = True
        timestamp = None
        if origins:
            timestamp = origins[-1][0].step.get("timestamp")
            source, said = origins[0]
            # The step itself must stay, or the steps before it would be seen again.
            boundary = said is source.said[0] and _replaces_context(source.step)
            if boundary and not messages:
                yield from self._close()
                self._open = _WrittenStep(source)
            elif boundary or len(messages) == len(instead) == 1:
                yield from self._add(_StepMessage(messages[0], said.result), source)
                messages = messages[1:]
        for message in messages:
            yield from self._add(_StepMessage(message), None, timestamp)

    def _add(
        self, said: _StepMessage, source: _FileStep | None, timestamp: str | None = None
    ) -> Iterator[OutputLine]:
        step = self._open
        if step is not None:
            same = said.result is not None and source is step.source
            if same or (said.message["role"] == "tool" and step.is_agents):
                if step.source and source is not step.source:
                    step.source.changed = True
                step.said.append(said)
                return
        yield from self._close()
        self._open = _WrittenStep(source, [said], timestamp)

    def _close(self) -> Iterator[OutputLine]:
        step, self._open = self._open, None
        if step is None:
            return
        if step.source and not step.source.changed:
            yield self._keep(step.source.text)
        else:
            number = {"step_id": next(self._numbers)}
            # Twice: the first gives the key its place, the second its value.
            yield OutputLine(self._array.add(json_text(number | step.to_json() | number)))

    def _keep(self, text: str) -> OutputLine:
        """Return a step of the file with the number that it has now, if any step changed."""
        number = str(next(self._numbers))
        if self._changed:
            text = with_member(text, "step_id", number)
        return OutputLine(self._array.keep(text))
