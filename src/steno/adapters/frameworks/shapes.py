"""Messages of frameworks that have classes of their own, in OpenAI's format and back.

An adapter says what its classes hold by two functions over `MessageParts`. Messages that stay in
view go out as the framework's own objects; only what Steno wrote or shortened is built.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class CallMade:
    """A call as a model makes it."""

    id: str
    name: str
    arguments: Any
    """JSON text, or the values; as text in what is built."""

    @property
    def values(self) -> Any:
        """The arguments as values; the text itself if a model wrote no JSON."""
        try:
            return json.loads(self.arguments or "{}")
        except ValueError:
            return self.arguments


@dataclass(frozen=True)
class Attached:
    """Something beside words, with the framework's own object for it."""

    url: str
    """Where it is, or what it holds, as text: it is found again by that."""
    own: Any
    kind: str = "image"
    """"image", "thinking", "opaque" for what only the framework reads, or any other for a file."""


@dataclass(frozen=True)
class MessageParts:
    """What one message of OpenAI's format says; a framework's message may hold several."""

    role: str
    parts: Sequence[str | Attached] = ()
    calls: Sequence[CallMade] = ()
    answers: str = ""
    """Id of the call that this is the result of."""
    tool: str = ""
    """Name of the tool that gave the result."""

    @property
    def text(self) -> str:
        return "\n".join(part for part in self.parts if isinstance(part, str))

    def built(self, text: Callable[[str], Any] = str) -> list[Any]:
        """Return the framework's own object for each part; `text` makes one of words."""
        found = []
        for part in self.parts:
            if isinstance(part, Attached):
                found.append(part.own)
            elif part:
                found.append(text(part))
        return found


class Written:
    """A list of a framework's messages as JSON, and the way back to its own objects."""

    def __init__(
        self,
        given: Sequence[Any],
        write: Callable[[Any], list[Json]],
        build: Callable[[Json], Any],
    ) -> None:
        self._build = build
        self.messages: list[Json] = []
        self._own: dict[int, tuple[Any, list[int]]] = {}
        for message in given:
            written = write(message)
            self.messages += written
            places = [id(plain) for plain in written]
            self._own |= dict.fromkeys(places, (message, places))

    def back(self, shown: Sequence[Any]) -> list[Any]:
        """Return a view in the framework's classes."""
        stay = {id(plain) for plain in shown}
        found: list[Any] = []
        for plain in shown:
            message, places = self._own.get(id(plain), (None, []))
            if not places or not stay.issuperset(places):
                found.append(self._build(plain))
            elif places[0] == id(plain):
                found.append(message)
        return found


class Translation(Written):
    """A list of a framework's messages, written in OpenAI's format."""

    def __init__(
        self,
        given: Sequence[Any],
        read: Callable[[Any], Iterable[MessageParts]],
        build: Callable[[MessageParts], Any],
    ) -> None:
        self._media: dict[str, Attached] = {}
        self._thoughts: dict[str, list[Attached]] = {}
        self._tools: dict[str, str] = {}
        super().__init__(
            given,
            lambda message: [self._as_json(piece) for piece in read(message)],
            lambda plain: build(self._piece(plain)),
        )

    def _as_json(self, piece: MessageParts) -> Json:
        plain: Json = {"role": piece.role, "content": piece.text}
        media = [part for part in piece.parts if isinstance(part, Attached)]
        thoughts = [part for part in media if part.kind == "thinking"]
        if len(media) > len(thoughts):
            plain["content"] = [self._part(part) for part in piece.parts if part not in thoughts]
        if thoughts:
            thought = "\n".join(part.url for part in thoughts)
            plain["reasoning_content"] = thought
            self._thoughts[thought] = thoughts
        if piece.calls:
            plain["tool_calls"] = []
        for call in piece.calls:
            self._tools[call.id] = call.name
            said = call.arguments
            if not isinstance(said, str):
                said = json.dumps(said or {})
            function = {"name": call.name, "arguments": said}
            plain["tool_calls"].append({"id": call.id, "type": "function", "function": function})
        if piece.answers:
            plain["tool_call_id"] = piece.answers
        return plain

    def _part(self, part: str | Attached) -> Json:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        self._media[part.url] = part
        if part.kind == "image":
            return {"type": "image_url", "image_url": {"url": part.url}}
        if part.kind == "opaque":
            return {"type": "opaque", "url": part.url}
        return {"type": "file", "file": {"file_data": part.url}}

    def _piece(self, plain: Json) -> MessageParts:
        content = plain.get("content") or []
        if isinstance(content, str):
            content = [{"text": content}]
        answers = plain.get("tool_call_id", "")
        parts: list[str | Attached] = []
        parts += self._thoughts.get(plain.get("reasoning_content", ""), [])
        for part in content:
            held = part.get("image_url") or part.get("file") or part
            url = str(held.get("url") or held.get("file_data") or "")
            parts.append(self._media.get(url) or part.get("text", ""))
        calls = []
        for call in plain.get("tool_calls") or ():
            function = call["function"]
            calls.append(CallMade(call["id"], function["name"], function["arguments"]))
        return MessageParts(plain["role"], parts, calls, answers, self._tools.get(answers, ""))
