"""An API as the proxy sees it: its paths, its replies, and how they say calls.

The model may call a tool that the proxy answers itself, and go on in a further reply; the
client then sees one reply without that call. `Surface` is what differs between APIs there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from steno.core.errors import BadMessage
from steno.core.message import Call, Message, Result, Text
from steno.core.wire import Wire
from steno.providers.shared.plain_json import JsonView, list_at, parse_json
from steno.providers.shared.provider_report import read_usage
from steno.providers.shared.request import RequestForm
from steno.providers.shared.stream import StreamAssembler

Event = dict[str, Any]
Items = Sequence[Event]


@dataclass(frozen=True)
class Upstream:
    """Where requests go unless they are sent elsewhere.

    variable: the one with which the provider's SDKs are pointed elsewhere.
    headers: those that only its clients send.
    paths: parts of paths that only it has.
    cut: the beginning of clients' paths that its address stands for.
    """

    name: str
    variable: str
    url: str
    headers: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    cut: str = ""


@dataclass
class Reply:
    messages: list[Any] = field(default_factory=list)
    usage: Event = field(default_factory=dict)
    stop: str = ""
    whole: bool = False
    """Whether it came to its end."""
    report: Event = field(default_factory=dict)
    """What it says of the provider's own edits and its cache."""

    @property
    def output_tokens(self) -> int:
        """Tokens that it said."""
        return read_usage(self.usage).said


@dataclass
class AnswerPlaces:
    """One answer to a client, over all replies that it is made of."""

    own: str
    """Name of the tool whose calls are not shown."""
    earlier: list[Event] = field(default_factory=list)
    """Whole items of replies that are over, where an API repeats them at the end."""
    spent: int = 0
    """Tokens that replies which are over have said."""
    places: dict[Any, int | None] = field(default_factory=dict)
    """The client's place of each place of this reply; None if it is not shown."""
    ids: dict[Any, Any] = field(default_factory=dict)
    """The newest call at each place of this reply, where a place may hold several."""
    next_place: int = 0
    first: Event = field(default_factory=dict)
    number: int = 0
    stage: int = 0
    """Replies that are over."""

    def place(self, at: Any, *, shown: bool = True) -> int | None:
        """Return the client's place for a place of this reply, a new one if it has none."""
        if at not in self.places:
            self.places[at] = None
            if shown:
                self.places[at] = self.next_place
                self.next_place += 1
        return self.places[at]


class Surface(Protocol):
    """One API that carries a conversation: how it says calls, places and what was billed."""

    wire: Wire
    request: RequestForm
    upstream: Upstream
    account: Upstream | None = None
    """Where requests of a login by account go; their headers tell."""
    new_stream: Callable[[], StreamAssembler]
    usage_key: str = "usage"
    said_keys: Sequence[str]
    """Where a reply's usage counts what the model said."""
    by_item: bool = False
    """Whether a reply is several messages, each sent back by itself."""
    call_types: Sequence[str] = ()
    """Types of the items that are calls, where an item says its type."""
    begun_key: str = ""
    """Field of an event that holds the item which begins."""
    items_key: str = ""
    """Field of a reply that holds its items, if one does."""
    text_key: str = ""
    """Field of an item that holds its words."""
    no_call: Any = {"tool_choice": "none"}  # noqa: RUF012
    """The fields of a request by which no tool may be called."""

    def __init__(self, wire: Wire, request: RequestForm) -> None:
        self.wire, self.request = wire, request

    def may_offer(self, path: str, body: JsonView, own: str) -> bool:
        """Tell whether a request may get one more tool, as far as only this API can say."""
        return True

    def with_tool(self, given: Sequence[Any], tool: Any) -> list[Any]:
        """Return the tools of a request with one more."""
        return [*given, tool]

    def with_text(self, body: Event, text: str) -> Event:
        """Return an empty reply with a text, where an empty one cannot be sent back."""
        if not self.text_key:
            return body
        return self.with_items(body, [{self.text_key: text}])

    def without_open_thoughts(self, body: Event) -> Event:
        """Return a reply without the thoughts that led to its calls, where they are items."""
        return body

    def visible(self, items: Items) -> list[Event]:
        """Return what the client saw of a reply that was gone on from."""
        return [item for item in items if self.call_name(item) is None]

    def read(self, body: Event) -> Reply:
        """Return the reply that a whole body, or a stream put together, holds."""

    def call_names(self, event: Event) -> list[Any]:
        """Return the names of the calls that begin with this event."""
        name = self.call_name(inner_object(event, self.begun_key))
        return [name] * (name is not None)

    def calls(self, messages: Items) -> list[Call]:
        """Return the calls that a reply leaves to its client; what cannot be read has none."""
        readable = list(self._readable(messages))
        answered = {result.call for message in readable for result in message.results}
        calls = [call for message in readable for call in message.calls]
        return [call for call in calls if call.id is None or call.id not in answered]

    def _readable(self, messages: Items) -> Iterator[Message]:
        for message in messages:
            with suppress(BadMessage):
                yield self.wire.decode(message, "", "")

    def results(self, answers: Sequence[tuple[str | None, str]]) -> list[Event]:
        """Return the messages that answer calls, by their ids."""
        results = [Result(id, (Text(text),)) for id, text in answers]
        texts = self.wire.encode(Message("tool", tuple(results)))
        return list(map(parse_json, texts))

    def items(self, body: Event) -> list[Event]:
        """Return the parts of a reply: words, thoughts and calls."""
        return inner_list(body, self.items_key)

    def with_items(self, body: Event, items: Items) -> Event:
        return body | {self.items_key: list(items)}

    def call_name(self, item: Event) -> Any:
        """Return the name of the tool that an item calls; None if it is no call."""
        if item.get("type") in self.call_types:
            return item.get("name")
        return None

    def merge(self, bodies: Items, own: str) -> Event:
        """Return one reply of several that came whole; calls of `own` and of all but the last
        are left out."""
        *earlier, last = bodies
        items = [item for body in earlier for item in self.visible(self.items(body))]
        items += [item for item in self.items(last) if self.call_name(item) != own]
        spent = sum(self.read(body).output_tokens for body in earlier)
        return self.with_tokens(self.with_items(last, items), spent)

    def with_tokens(self, holder: Event, more: int) -> Event:
        """Return a reply, or an event, whose usage counts so many tokens more as said.

        What was sent is counted once, as it is the same words.
        """
        usage = inner_object(holder, self.usage_key)
        if not usage:
            return holder
        counted = dict(usage)
        for key in self.said_keys:
            if isinstance(usage.get(key), int):
                counted[key] += more
        return holder | {self.usage_key: counted}

    def visible_events(self, event: Event, answer: AnswerPlaces) -> Iterator[Event]:
        """Yield what the client gets of an event that cannot pass as it came."""

    def error_event(self, refusal: Any, answer: AnswerPlaces) -> Event:
        """Return the event by which a stream says what a refusal with a bad status says."""
        error = None
        if isinstance(refusal, dict):
            error = refusal.get("error")
        if not isinstance(error, dict):
            said = str(error or refusal or "the provider refused to go on")
            error = {"message": said[:500]}
        # A client knows an error by its type.
        return {"type": "error", "error": {"type": "api_error", **error}}

    def error_text(self, refusal: Any, answer: AnswerPlaces) -> bytes:
        """Return the text of that event, for a stream that its provider refused to go on with."""
        event = self.error_event(refusal, answer)
        return b"event: error\ndata: " + msgspec.json.encode(event) + b"\n\n"

    def identity(self, messages: Items) -> str:
        """Return by what a reply is known when its client sends it back; empty if by nothing.

        That is its words, where blanks do not count, and its last calls.
        """
        said = [one for one in self._readable(messages) if one.role == "assistant"]
        words = "".join(message.text for message in said)
        known = ["".join(words.split())]
        for last in said[-1:]:
            known += self.marks(last)
        if known == [""]:
            return ""
        return "|".join(known)

    def marks(self, message: Message) -> list[str]:
        """Return by what a message is known besides its words."""
        return [call.id or "" for call in message.calls]


def inner_object(value: Event, key: str) -> Event:
    inner = value.get(key)
    if isinstance(inner, dict):
        return inner
    return {}


def inner_list(value: Event, key: str) -> list[Event]:
    return [one for one in list_at(value, key) if isinstance(one, dict)]
