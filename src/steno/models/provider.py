"""An optional library, imported when it is needed; where it is missing, how to get it.

A provider's model, whoever's SDK carries it: one call, and what comes of it.

Owns the two verbs, `answer` and `turn`, and what is the same for all providers:
time, failures in our own words, the plainer second try where a server does not
take a schema. How a provider says things is a form's business (`chat`,
`responses`, `anthropic`); trying again after a failure is another layer's.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, Self

import msgspec

from steno.core.effects import FATAL_ERRORS, Answer, Ask, NoAnswer, Reply
from steno.core.errors import BadInput, ModelFailed
from steno.core.model import Delta, FailureKind, FinishedTurn, StopReason, TurnStream, Usage
from steno.models.errors import ERROR_TEXTS, classify_error, rejects_format


def import_sdk(name: str, extra: str | None = None) -> Any:
    """The module of an extra."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise  # it is there, and something it needs is not
        raise BadInput(
            f"this needs the package {name}: pip install 'steno[{extra or name}]'"
        ) from None


JsonObject = dict[str, Any]


class StreamAssembler(Protocol):
    """A streamed reply that is put together."""

    def feed(self, event: JsonObject) -> Iterable[Delta]: ...
    def complete_reply(self) -> JsonObject | None:
        """What would have come without streaming; None where the stream ended half way."""
        ...


class Codec(Protocol):
    """How one API says an ask and a reply."""

    @property
    def wire(self) -> str: ...
    def ask_request(self, ask: Ask, nicely: bool) -> JsonObject:
        """The request for an ask; `nicely`: with what not every server takes, such as a schema."""
        ...

    def turn_request(self, request: Mapping[str, Any], max_tokens: int | None) -> JsonObject:
        """The request for a streamed turn."""
        ...

    def parse_reply(self, whole: JsonObject) -> tuple[str, FinishedTurn]:
        """The words of a reply, and the turn it is; a reply that cannot be read raises."""
        ...

    def new_stream(self) -> StreamAssembler: ...


class ErrorReply(Exception):
    """An error object that came where a reply should be; read by its body, as an SDK's exception is."""

    def __init__(self, body: Any) -> None:
        super().__init__()
        self.body = body if isinstance(body, Mapping) else {"message": str(body)}
        code = self.body.get("code")
        self.status_code = code if isinstance(code, int) else None


class Provider:
    """A model behind a provider's SDK; safe to share between threads."""

    def __init__(
        self,
        name: str,
        form: Codec,
        client: Any,
        *,
        owned: bool,
        window: int | None,
        options: Mapping[str, Any] | None,
    ) -> None:
        if not name:
            raise BadInput(f"{type(self).__name__} needs the name of a model")
        self.name, self.window = name, window
        self._form, self._options, self._owned = form, dict(options or {}), owned
        self._client = client.with_options(max_retries=0)  # trying again is another layer's
        self._takes_niceties = True

    @property
    def wire(self) -> str:
        """Whose messages it speaks."""
        return self._form.wire

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *gone: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections; an SDK client that was handed in stays its owner's."""
        if self._owned:
            self._client.close()

    def answer(self, ask: Ask) -> Reply:
        """The reply to an ask; a provider's failure is no answer, never an exception."""
        began = time.monotonic()
        plain, nice = (
            self._form.ask_request(ask, False),
            self._form.ask_request(ask, self._takes_niceties),
        )
        reply, plainer = self._try_answer(nice, ask.seconds)
        if not plainer or nice == plain:
            return reply
        left = None if ask.seconds is None else ask.seconds - (time.monotonic() - began)
        if left is not None and left <= 0:
            return reply
        second, _ = self._try_answer(plain, left)
        if isinstance(second, Answer):
            self._takes_niceties = False  # this server does without: not asked for again
        return msgspec.structs.replace(second, tried=(*reply.calls, *second.calls))

    def _try_answer(self, request: JsonObject, seconds: float | None) -> tuple[Reply, bool]:
        """A reply, and whether a plainer request may do better."""
        try:
            text, spoken = self._form.parse_reply(
                _json_from(self._call(request | self._options, False, seconds))
            )
        except FATAL_ERRORS:
            raise
        except Exception as failure:  # noqa: BLE001 — the edge to somebody else's SDK: its failure is a value from here on
            trouble = classify_error(failure)
            return NoAnswer(str(trouble), trouble.kind, self.name, trouble.wait), rejects_format(
                failure
            )
        return self._reply(text, spoken), False

    def _reply(self, text: str, spoken: FinishedTurn) -> Reply:
        trouble = _trouble_with(text, spoken.stop)
        if trouble is None:
            return Answer(text, self.name, spoken.usage)
        return NoAnswer(ERROR_TEXTS[trouble], trouble, self.name, usage=spoken.usage)

    def turn(
        self,
        request: Mapping[str, Any],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> TurnStream:
        """Say a whole turn, as a stream; closing it early stops the model."""
        failed: ModelFailed
        try:
            asked = self._form.turn_request(request, max_tokens) | self._options
            yield from self._stream_turn(asked, seconds)
        except FATAL_ERRORS:
            raise
        except Exception as failure:  # noqa: BLE001 — the edge to somebody else's SDK
            failed = classify_error(failure)
        else:
            return
        raise failed  # out here, so that it does not carry the SDK's exception, with request and key, as its context

    def _stream_turn(
        self, asked: JsonObject, seconds: float | None
    ) -> Iterator[Delta | FinishedTurn]:
        until = None if seconds is None else time.monotonic() + seconds
        assembling = self._form.new_stream()
        stream = self._call(asked, True, seconds)
        try:
            for event in stream:
                if until is not None and time.monotonic() > until:
                    raise ModelFailed(ERROR_TEXTS["timeout"], "timeout")
                yield from assembling.feed(_json_from(event))
        finally:
            stream.close()
        whole = assembling.complete_reply()
        if whole is None:
            raise ModelFailed(ERROR_TEXTS["reset"], "reset")
        yield self._form.parse_reply(whole)[1]

    def _call(self, request: JsonObject, stream: bool, seconds: float | None) -> Any:
        """The SDK's own call: a reply, or its stream."""
        raise NotImplementedError

    def _create(
        self,
        create: Callable[..., Any],
        said: str,
        request: JsonObject,
        stream: bool,
        seconds: float | None,
    ) -> Any:
        """What an SDK's `create` gives; all it need not know by name goes as it is."""
        rest = {key: value for key, value in request.items() if key not in (said, "model")}
        wait = {} if seconds is None else {"timeout": seconds}
        name = request.get("model", self.name)
        return create(model=name, **{said: request[said]}, stream=stream, extra_body=rest, **wait)


def _json_from(said: Any) -> JsonObject:
    """What an SDK hands out, as the JSON that came; an error that came with a good status raises."""
    if not hasattr(said, "to_dict"):
        raise ModelFailed(ERROR_TEXTS["invalid"], "invalid")
    plain: JsonObject = said.to_dict(mode="json", warnings=False)
    if plain.get("error"):
        raise ErrorReply(plain["error"])
    return plain


def _trouble_with(text: str, stop: StopReason) -> FailureKind | None:
    if stop == "refused":
        return "refused"
    if stop == "length":
        return "cut"
    if not text.strip():
        if stop == "calls":
            return "invalid"
        return "empty"
    return None


def token_count(usage: Any, *path: str) -> int:
    """A number somewhere in what a provider reports; 0 where it is not."""
    for key in path:
        usage = usage.get(key) if isinstance(usage, Mapping) else None
    if isinstance(usage, int) and not isinstance(usage, bool) and usage > 0:
        return usage
    return 0


def openai_usage(usage: Any, sent: str, said: str) -> Usage:
    """Of both of OpenAI's APIs, which name the two sides differently."""
    details = f"{sent}_details"
    return Usage(
        token_count(usage, sent),
        token_count(usage, details, "cached_tokens"),
        token_count(usage, details, "cache_write_tokens"),
        token_count(usage, said),
    )


def request_with_message(after: str, key: str, message: JsonObject) -> JsonObject:
    """The agent's own request with one more message at its end."""
    request = msgspec.json.decode(after)
    if not isinstance(request, dict) or not isinstance(request.get(key), list):
        raise BadInput(f"an ask goes on from a request with a list of {key}")
    return request | {key: [*request[key], message]}


def is_json(text: str) -> bool:
    """Whether a call's arguments are whole."""
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False
    return True
