"""One answer to a client that is made of several replies of its provider.

The model calls a tool that the proxy answers itself, and goes on in a further reply. The
client must see one reply without that call. Text passes as it comes; from the first call
on, events wait until the reply ends, because a client may start on a call at once. What
needs no change keeps its bytes. Each API says places, calls and usage in its own way:
one form each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import msgspec

Event = dict[str, Any]
NOT_RUN = "This call was not run, because recall was called beside it. Call again if it is needed."
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")


class OwnCall:
    """A call in a reply: its id, and its arguments if it is one for the proxy."""

    def __init__(self, id: str, name: str, arguments: Any) -> None:
        self.id = id
        self.name = name
        self.arguments = arguments


class ReplyForm(Protocol):
    """How one API says calls, places and what was billed."""

    def call_names(self, event: Event) -> list[Any]:
        """Return the names of the calls that begin with this event."""
        ...

    def calls(self, messages: Sequence[Event]) -> list[OwnCall]:
        """Return the calls of a reply."""
        ...

    def results(self, answers: Sequence[tuple[str, str]]) -> list[Event]:
        """Return the messages that answer calls, by their ids."""
        ...

    def merge(self, bodies: Sequence[Event], own: str) -> Event:
        """Return one reply of several that came whole; calls of `own` and of all but the last
        are left out."""
        ...

    def visible_events(self, event: Event, answer: StagedAnswer) -> Iterator[Event]:
        """Yield what the client gets of an event that cannot pass as it came."""
        ...

    def identity(self, messages: Sequence[Event]) -> str:
        """Return by what a message is known when its client sends it back; empty if by nothing."""
        ...


class StagedAnswer:
    """The events of one answer, over all replies that it is made of."""

    def __init__(self, form: ReplyForm, own: str) -> None:
        self.form = form
        self.own = own
        self.earlier: list[Event] = []
        """Whole items of replies that are over, where an API repeats them at the end."""
        self.spent = 0
        """Tokens that replies which are over have said."""
        self.places: dict[Any, int | None] = {}
        """The client's place of each place of this reply; None if it is not shown."""
        self.next_place = 0
        self.first: Event = {}
        self.number = 0
        self._held: list[tuple[bytes, Event]] = []
        self._hides = False
        self._rest = b""
        self.stage = 0
        """Replies that are over."""

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes of a reply; return those that the client may have now."""
        whole, self._rest = _split_events(self._rest + chunk)
        out = []
        for raw in whole:
            event = _event_of(raw)
            names = self.form.call_names(event)
            self._hides = self._hides or self.own in names
            if self._held or names:
                self._held.append((raw, event))
            else:
                out.append(self._show(raw, event, changed=self.stage > 0))
        return b"".join(out)

    def go_on(self, spent: int) -> None:
        """Forget what waits: the answer goes on with another reply."""
        self._held.clear()
        self._hides = False
        self._rest = b""
        self.places.clear()
        self.spent += spent
        self.stage += 1

    def finish(self) -> bytes:
        """Return what waits, without the calls of our own."""
        changed = self._hides or self.stage > 0
        shown = [self._show(raw, event, changed) for raw, event in self._held]
        return b"".join(shown) + self._rest

    def _show(self, raw: bytes, event: Event, changed: bool) -> bytes:
        self.first = self.first or event
        shown = list(self.form.visible_events(event, self))
        if not changed or not event:
            return raw
        return b"".join(_event_text(raw, one) for one in shown)

    def place(self, at: Any, *, shown: bool = True) -> int | None:
        """Return the client's place for a place of this reply, a new one if it has none."""
        if at not in self.places:
            self.places[at] = None
            if shown:
                self.places[at] = self.next_place
                self.next_place += 1
        return self.places[at]


class MessagesForm:
    """Anthropic's messages."""

    def call_names(self, event: Event) -> list[Any]:
        block = _inner(event, "content_block")
        return [block.get("name")] * (block.get("type") == "tool_use")

    def calls(self, messages: Sequence[Event]) -> list[OwnCall]:
        return [
            OwnCall(block.get("id", ""), block.get("name", ""), block.get("input"))
            for block in _blocks(messages)
            if block.get("type") == "tool_use"
        ]

    def results(self, answers: Sequence[tuple[str, str]]) -> list[Event]:
        content = [
            {"type": "tool_result", "tool_use_id": id, "content": text} for id, text in answers
        ]
        return [{"role": "user", "content": content}]

    def merge(self, bodies: Sequence[Event], own: str) -> Event:
        *earlier, last = bodies
        content = [
            block for block in _blocks(earlier) if block.get("type") not in ("tool_use", "fallback")
        ]
        content += [block for block in _blocks([last]) if block.get("name") != own]
        merged = last | {"content": content}
        if merged.get("stop_reason") == "tool_use" and not self.calls([merged]):
            merged["stop_reason"] = "end_turn"
        _add_tokens(merged, ("output_tokens",), earlier)
        return merged

    def visible_events(self, event: Event, answer: StagedAnswer) -> Iterator[Event]:
        match event.get("type"):
            case "message_start" if answer.stage:
                return
            case "content_block_start" | "content_block_delta" | "content_block_stop":
                block = _inner(event, "content_block")
                own = block.get("type") == "tool_use" and block.get("name") == answer.own
                place = answer.place(event.get("index"), shown=not own)
                if place is None:
                    return
                answer.earlier += [block] * (block.get("type") == "tool_use")
                event = event | {"index": place}
            case "message_delta":
                delta = _inner(event, "delta")
                if delta.get("stop_reason") == "tool_use" and not answer.earlier:
                    event = event | {"delta": delta | {"stop_reason": "end_turn"}}
                event = _with_tokens(event, ("output_tokens",), answer.spent)
        yield event

    def identity(self, messages: Sequence[Event]) -> str:
        texts, ids = [], []
        for message in messages:
            if message.get("role") != "assistant":
                continue
            content = message.get("content")
            if isinstance(content, str):
                texts.append(content)
            blocks = _blocks([message])
            texts += [block.get("text", "") for block in blocks if block.get("type") == "text"]
            ids = [block.get("id", "") for block in blocks if block.get("type") == "tool_use"]
        return _identity(texts, ids)


class ChatForm:
    """OpenAI's chat completions."""

    def call_names(self, event: Event) -> list[Any]:
        deltas = [_inner(choice, "delta") for choice in _list(event, "choices")]
        return [_function(call) for delta in deltas for call in _list(delta, "tool_calls")]

    def calls(self, messages: Sequence[Event]) -> list[OwnCall]:
        found = []
        for message in messages:
            for call in _list(message, "tool_calls"):
                function = _inner(call, "function")
                found.append(
                    OwnCall(call.get("id", ""), function.get("name", ""), function.get("arguments"))
                )
        return found

    def results(self, answers: Sequence[tuple[str, str]]) -> list[Event]:
        return [{"role": "tool", "tool_call_id": id, "content": text} for id, text in answers]

    def merge(self, bodies: Sequence[Event], own: str) -> Event:
        *earlier, last = bodies
        [choice, *_] = _list(last, "choices") or [{}]
        message = dict(_inner(choice, "message"))
        texts = [_inner(_list(body, "choices")[0], "message").get("content") for body in earlier]
        message["content"] = "".join(filter(None, [*texts, message.get("content")])) or None
        calls = [call for call in _list(message, "tool_calls") if _function(call) != own]
        if calls:
            message["tool_calls"] = calls
        else:
            message.pop("tool_calls", None)
        choice = choice | {"message": message}
        if choice.get("finish_reason") == "tool_calls" and not calls:
            choice["finish_reason"] = "stop"
        merged = last | {"choices": [choice]}
        _add_tokens(merged, ("completion_tokens", "total_tokens"), earlier)
        return merged

    def visible_events(self, event: Event, answer: StagedAnswer) -> Iterator[Event]:
        event = event | {"id": answer.first.get("id")}
        choices = []
        for choice in _list(event, "choices"):
            delta = dict(_inner(choice, "delta"))
            if answer.stage:
                # Clients join the pieces of every field.
                delta.pop("role", None)
            if "tool_calls" in delta:
                delta["tool_calls"] = list(self._shown_calls(delta, answer))
            finish = choice.get("finish_reason")
            if finish == "tool_calls" and not answer.next_place:
                finish = "stop"
            choices.append(choice | {"delta": delta, "finish_reason": finish})
        if choices:
            event["choices"] = choices
        if event.get("usage"):
            event = _with_tokens(event, ("completion_tokens", "total_tokens"), answer.spent)
        yield event

    def _shown_calls(self, delta: Event, answer: StagedAnswer) -> Iterator[Event]:
        for call in _list(delta, "tool_calls"):
            place = answer.place(call.get("index", 0), shown=_function(call) != answer.own)
            if place is not None:
                yield call | {"index": place}

    def identity(self, messages: Sequence[Event]) -> str:
        said = [message for message in messages if message.get("role") == "assistant"]
        texts = []
        for message in said:
            content = message.get("content")
            if isinstance(content, str):
                texts.append(content)
            texts += [block.get("text", "") for block in _blocks([message])]
        return _identity(texts, [call.id for call in self.calls(said[-1:])])


FIRST_EVENTS = ("response.created", "response.in_progress", "response.queued")
CALL_ITEMS = ("function_call", "custom_tool_call")


class ResponsesForm:
    """OpenAI's responses: items, each in its place."""

    def call_names(self, event: Event) -> list[Any]:
        item = _inner(event, "item")
        return [item.get("name")] * (item.get("type") in CALL_ITEMS)

    def calls(self, messages: Sequence[Event]) -> list[OwnCall]:
        return [
            OwnCall(item.get("call_id", ""), item.get("name", ""), item.get("arguments"))
            for item in messages
            if item.get("type") in CALL_ITEMS
        ]

    def results(self, answers: Sequence[tuple[str, str]]) -> list[Event]:
        return [
            {"type": "function_call_output", "call_id": id, "output": text} for id, text in answers
        ]

    def merge(self, bodies: Sequence[Event], own: str) -> Event:
        *earlier, last = bodies
        output = [item for body in earlier for item in self.visible(_list(body, "output"))]
        output += [item for item in _list(last, "output") if item.get("name") != own]
        merged = last | {"output": output}
        _add_tokens(merged, ("output_tokens", "total_tokens"), earlier)
        return merged

    def visible(self, items: Sequence[Event]) -> list[Event]:
        """Return the items of a reply that was gone on from, as the client saw them."""
        shown: list[Event] = []
        for item in items:
            if item.get("type") in CALL_ITEMS:
                break
            shown.append(item)
        return shown

    def visible_events(self, event: Event, answer: StagedAnswer) -> Iterator[Event]:
        kind = str(event.get("type"))
        if answer.stage and kind in FIRST_EVENTS:
            return
        if "output_index" in event:
            own = _inner(event, "item").get("name") == answer.own
            place = answer.place(event["output_index"], shown=not own)
            if place is None:
                return
            event = event | {"output_index": place}
            if kind == "response.output_item.done":
                answer.earlier.append(event["item"])
        elif "output" in _inner(event, "response"):
            response = event["response"] | {"output": list(answer.earlier)}
            if response.get("usage"):
                keys = ("output_tokens", "total_tokens")
                response = _with_tokens(response, keys, answer.spent)
            event = event | {"response": response}
        if "sequence_number" in event:
            event = event | {"sequence_number": answer.number}
            answer.number += 1
        yield event

    def identity(self, messages: Sequence[Event]) -> str:
        for item in messages[:1]:
            if item.get("type") in CALL_ITEMS:
                return str(item.get("call_id") or "")
            if item.get("type") == "reasoning":
                return str(item.get("encrypted_content") or item.get("id") or "")
            if item.get("type", "message") == "message" and item.get("role") == "assistant":
                return _identity([block.get("text", "") for block in _blocks([item])], [])
        return ""


def _split_events(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the whole events of a stream with the blank line after each, and the rest."""
    whole = []
    start = 0
    for blank in _BLANK_LINE.finditer(data):
        whole.append(data[start : blank.end()])
        start = blank.end()
    return whole, data[start:]


def _event_of(raw: bytes) -> Event:
    """Return the JSON of an event; an empty one if it holds none."""
    for line in raw.splitlines():
        if line.startswith(b"data:"):
            try:
                value = msgspec.json.decode(line[5:].strip())
            except (msgspec.DecodeError, UnicodeDecodeError):
                return {}
            if isinstance(value, dict):
                return value
    return {}


def _event_text(raw: bytes, event: Event) -> bytes:
    """Return an event's text with other data."""
    text = b"data: " + msgspec.json.encode(event) + b"\n\n"
    for line in raw.splitlines():
        if line.startswith(b"event:"):
            return line + b"\n" + text
    return text


def _with_tokens(holder: Event, keys: Sequence[str], more: int) -> Event:
    usage = dict(_inner(holder, "usage"))
    for key in keys:
        if isinstance(usage.get(key), int):
            usage[key] += more
    return holder | {"usage": usage}


def _add_tokens(merged: Event, keys: Sequence[str], earlier: Sequence[Event]) -> None:
    """Count what earlier replies said; what was sent is counted once, as it is the same words."""
    spent = sum(said_tokens(_inner(body, "usage")) for body in earlier)
    if isinstance(merged.get("usage"), dict):
        merged["usage"] = _with_tokens(merged, keys, spent)["usage"]


def said_tokens(usage: Event) -> int:
    """Return the tokens that a reply said, by either provider's name."""
    for key in ("output_tokens", "completion_tokens"):
        if isinstance(usage.get(key), int):
            return int(usage[key])
    return 0


def _identity(texts: Sequence[str], ids: Sequence[str]) -> str:
    said = "".join("".join(texts).split())
    if not said and not ids:
        return ""
    return "|".join([said, *ids])


def _function(call: Event) -> Any:
    return _inner(call, "function").get("name")


def _blocks(messages: Sequence[Event]) -> list[Event]:
    return [block for message in messages for block in _list(message, "content")]


def _inner(value: Event, key: str) -> Event:
    inner = value.get(key)
    if isinstance(inner, dict):
        return inner
    return {}


def _list(value: Event, key: str) -> list[Event]:
    inner = value.get(key)
    if isinstance(inner, list):
        return [one for one in inner if isinstance(one, dict)]
    return []
