"""A model behind a provider's SDK: one call, and its reply, stream or failure.

Owns the two verbs, `answer` and `turn`, and what is the same for all providers: time,
failures in our own words, a plainer second try if a server does not take a schema.
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Protocol, Self, TypedDict, Unpack

import msgspec

from steno.core.effects import FATAL_ERRORS, Answer, Ask, NoAnswer, Reply
from steno.core.errors import BadInput, ModelFailed, needs_extra
from steno.core.model import Delta, FailureKind, FinishedTurn, StopReason, TurnStream
from steno.providers import get_wire
from steno.providers.shared.errors import ERROR_TEXTS, classify_error, no_answer, rejects_format
from steno.providers.shared.plain_json import Json, JsonView
from steno.providers.shared.provider_report import StreamedReport
from steno.providers.shared.stream import ErrorReply, StreamAssembler

MESSAGES_COPIED = 200
"""Most messages that are passed by name, where tracers look: the SDKs take 0.3 ms to copy each."""


def import_sdk(name: str) -> Any:
    """Import an optional package, or raise with the way to install it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise  # the package is there, but one that it needs is not
        raise needs_extra(f"this needs the package {name}", name) from None


class Codec(Protocol):
    """How one API writes a request and a reply."""

    wire: str
    create: str
    """Where the SDK's client has the call."""
    key: str = "messages"
    """Field of a request that holds the messages."""
    named: Sequence[str] = ()
    """Fields that the SDK takes by name, besides the model and the messages."""
    limit_key: str
    """Field of a request that limits the tokens of a reply."""
    least: int = 0
    """The smallest limit that is taken."""
    room: int = 0
    """Tokens for thinking, beside those of the answer."""
    when_asked: Json = {}  # noqa: RUF012
    """Fields of every ask."""
    no_call: Json = {}  # noqa: RUF012
    """Fields that switch off the tools of a request, if its cache survives that."""

    def niceties(self, schema: str | None) -> Json:
        """Return what some servers refuse, as a schema."""

    def turn_request(self, request: JsonView) -> Json:
        """Return the request for a turn with what its stream needs."""

    def parse_reply(self, whole: Json) -> tuple[str, FinishedTurn]:
        """Return the text of a reply, and the turn; raise if it cannot be read."""

    def new_stream(self) -> StreamAssembler: ...


class ModelOptions(TypedDict, total=False):
    """What every model behind an SDK takes; a client of your own has its own key and address."""

    key: str | None
    url: str | None
    client: Any
    window: int | None
    options: JsonView | None
    """Sent with every request."""


class SdkModel:
    """A model behind a provider's SDK; safe to share between threads."""

    def __init__(
        self,
        name: str,
        form: Codec,
        open_client: Callable[[str | None, str | None], Any],
        **how: Unpack[ModelOptions],
    ) -> None:
        if not name:
            raise BadInput(f"{type(self).__name__} needs the name of a model")
        unknown = sorted(how.keys() - ModelOptions.__annotations__.keys())
        if unknown:
            raise TypeError(f"{type(self).__name__} has no option {', '.join(unknown)}")
        self.name, self.window, client = name, how.get("window"), how.get("client")
        self._form, self._options = form, dict(how.get("options") or {})
        self._owned = client is None
        if client is None:
            client = open_client(how.get("key"), how.get("url"))
        if hasattr(client, "with_options"):
            # Without the retries of OpenAI's and Anthropic's: `retry` has pauses and limits.
            client = client.with_options(max_retries=0)
        self._client = client
        self._takes_niceties = True

    def _plain_reply(self, reply: Any) -> Json:
        """Return a reply, or an event of a stream, as JSON; raise if it is an error."""
        if not hasattr(reply, "to_dict"):
            raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
        plain: Json = reply.to_dict(mode="json", warnings=False)
        # Some servers send an error with status 200, and then the SDK raises nothing.
        if plain.get("error"):
            raise ErrorReply(plain["error"])
        return plain

    @property
    def wire(self) -> str:
        return self._form.wire

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *gone: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; a client that was passed in stays open for its owner."""
        if self._owned:
            self._client.close()

    def answer(self, ask: Ask) -> Reply:
        """Return the reply to an ask; a provider's failure is `NoAnswer`, never an exception."""
        began = time.monotonic()
        plain = nice = self._ask_request(ask)
        if self._takes_niceties and ask.after is None:
            # Before a prefix that is shared with the agent's request, they would change it.
            nice = plain | self._form.niceties(ask.schema)
        reply, plainer = self._try_answer(nice, ask.seconds)
        if not plainer or nice == plain:
            return reply
        left = ask.seconds
        if left is not None:
            left -= time.monotonic() - began
            if left <= 0:
                return reply
        second, _ = self._try_answer(plain, left)
        if isinstance(second, Answer):
            self._takes_niceties = False  # this server never takes them: do not try again
        # Both calls were made and may have cost something: report both.
        return msgspec.structs.replace(second, tried=(*reply.calls, *second.calls))

    def _ask_request(self, ask: Ask) -> Json:
        form, prompt = self._form, {"role": "user", "content": ask.prompt}
        request = get_wire(form.wire).request([prompt], ask.system, None)
        if ask.after is not None:
            request = request_with_message(ask.after, form.key, prompt)
            if request.get("tools"):
                # The tools themselves stand in the prefix that the provider has cached.
                request |= form.no_call
        return request | self._limit(ask.max_tokens + form.room) | form.when_asked

    def _limit(self, tokens: int) -> Json:
        return {self._form.limit_key: max(self._form.least, tokens)}

    def _try_answer(self, request: Json, seconds: float | None) -> tuple[Reply, bool]:
        """Return a reply, and whether a plainer request may do better."""
        try:
            whole = self._plain_reply(self._call(request | self._options, False, seconds))
            text, turn = self._form.parse_reply(whole)
        except FATAL_ERRORS:
            raise
        except Exception as failure:  # noqa: BLE001 — an SDK's failure is a value from here on
            return no_answer(failure, self.name), rejects_format(failure)
        kind = shortcoming(text, turn.stop)
        if kind is None:
            return Answer(text, self.name, turn.usage), False
        return NoAnswer(ERROR_TEXTS[kind], kind, self.name, usage=turn.usage), False

    def turn(
        self,
        request: JsonView,
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> TurnStream:
        """Stream a turn; closing the stream early stops the model."""
        failed: ModelFailed
        try:
            asked = self._form.turn_request(request)
            if max_tokens is not None:
                asked |= self._limit(max_tokens)
            yield from self._stream_turn(asked | self._options, seconds)
        except FATAL_ERRORS:
            raise
        except Exception as failure:  # noqa: BLE001 — the edge to an SDK
            failed = classify_error(failure)
        else:
            return
        # Out here, so that the SDK's exception, with request and key, is not its context.
        raise failed

    def _stream_turn(self, asked: Json, seconds: float | None) -> Iterator[Delta | FinishedTurn]:
        until = math.inf
        if seconds is not None:
            until = time.monotonic() + seconds
        assembling, report = self._form.new_stream(), StreamedReport()
        stream = self._call(asked, True, seconds)
        try:
            for event in stream:
                # The SDK's timeout is for one read; a stream that trickles would never reach it.
                if time.monotonic() > until:
                    raise ModelFailed(ERROR_TEXTS["timeout"], "timeout")
                plain = self._plain_reply(event)
                report.see(plain)
                yield from assembling.feed(plain)
        finally:
            stream.close()
        whole = assembling.complete_reply()
        if whole is None:
            raise ModelFailed(ERROR_TEXTS["reset"], "reset")
        turn = self._form.parse_reply(whole)[1]
        yield replace(turn, report=report.reply)

    def _call(self, request: Json, stream: bool, seconds: float | None) -> Any:
        """Make the SDK's call; return the reply, or its stream."""
        body: Json = {"model": self.name} | request
        named = {key: body.pop(key) for key in ("model", self._form.key, *self._form.named)}
        if seconds is not None:
            named["timeout"] = seconds
        if len(named[self._form.key]) > MESSAGES_COPIED:
            body[self._form.key], named[self._form.key] = named[self._form.key], []
        # `extra_body` also takes a key that this version of the SDK does not know.
        return attrgetter(self._form.create)(self._client)(**named, stream=stream, extra_body=body)


def shortcoming(text: str, stop: StopReason) -> FailureKind | None:
    """Return why a reply is no answer to an ask; None if it is one."""
    if stop == "refused":
        return "refused"
    if stop == "length":
        return "cut"
    if not text.strip():
        if stop == "calls":
            return "invalid"
        return "empty"
    return None


def request_with_message(after: str, key: str, message: Json) -> Json:
    """Return the agent's own request with one more message at its end."""
    request = msgspec.json.decode(after)
    if not isinstance(request, dict) or not isinstance(request.get(key), list):
        raise BadInput(f"an ask goes on from a request with a list of {key}")
    return request | {key: [*request[key], message]}
