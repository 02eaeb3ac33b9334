"""A model behind a gateway, over gRPC: asks, and turns in plain words.

Owns the client of `steno.gateway.v1`: a channel, who is calling, and what a
status means. What fails is raised as it came, as a `ModelFailed` of its kind;
nothing is tried again here. Tools cannot go over this protocol: a text that
calls them is its reader's business.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from steno.core.effects import Answer, Ask
from steno.core.errors import BadInput, ModelFailed
from steno.core.model import (
    Complexity,
    Delta,
    FailureKind,
    FinishedTurn,
    StopReason,
    TurnStream,
    Usage,
)
from steno.gateway.v1 import INFERENCE, SERVICE, STREAM, messages
from steno.models.errors import ERROR_TEXTS

TOKEN_VARIABLE = "STENO_GATEWAY_TOKEN"
MESSAGE_MOST = 4_194_304
"""Bytes of one message, either way."""
TURN_TOKENS = 1_000
LOOPBACK = ("localhost", "127.0.0.1", "[::1]", "::1")
STATUS_TROUBLES: dict[str, FailureKind] = {
    "DEADLINE_EXCEEDED": "timeout",
    "CANCELLED": "reset",
    "UNAVAILABLE": "reset",
    "RESOURCE_EXHAUSTED": "busy",
    "UNAUTHENTICATED": "auth",
    "PERMISSION_DENIED": "auth",
    "INVALID_ARGUMENT": "other",
    "OUT_OF_RANGE": "cut",
    "FAILED_PRECONDITION": "refused",
    "INTERNAL": "server",
    "UNKNOWN": "server",
    "DATA_LOSS": "invalid",
    "UNIMPLEMENTED": "other",
}
"""What a status means where the gateway does not say it more exactly."""
FINISH_STOPS: dict[int, StopReason] = {1: "end", 2: "length", 3: "refused"}


@dataclass(frozen=True)
class Caller:
    """For whom a call is made."""

    session: str = ""
    user: str = ""
    agents: tuple[str, ...] = ()
    """Those it goes through, the outermost first."""


@dataclass(frozen=True)
class Gateway:
    """`Gateway("localhost:50051")`; safe to share between threads, and closed with `with` or `close`."""

    address: str
    token: str | None = field(default=None, repr=False)
    tls: bool | str | os.PathLike[str] = False
    """True, or a file with the certificates to trust."""
    caller: Caller = Caller()
    complexity: Complexity = "complex"
    """Of turns; an ask says its own."""
    window: int | None = None
    message_most: int = MESSAGE_MOST
    seconds: float | None = 120.0
    """For a call that says none of its own."""
    wire: str = "openai"
    channel: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        messages()
        host, _, port = self.address.rpartition(":")
        if not host or not port.isdigit():
            raise BadInput(f"a gateway's address is host:port, got {self.address!r}")
        check_token(self.token)
        if self.message_most < 1 or (self.seconds is not None and self.seconds <= 0):
            raise BadInput("message_most= and seconds= are more than 0")
        if self.token is not None and not self.tls and host not in LOOPBACK:
            raise BadInput(
                "a token goes in the clear to this machine alone: say grpcs://, or tls=True"
            )
        if self.channel is None:
            object.__setattr__(self, "channel", self._open_channel())

    def _open_channel(self) -> Any:
        import grpc

        options = [
            ("grpc.max_send_message_length", self.message_most),
            ("grpc.max_receive_message_length", self.message_most),
            ("grpc.enable_retries", 0),  # trying again is another layer's
        ]
        if not self.tls:
            return grpc.insecure_channel(self.address, options)
        return grpc.secure_channel(
            self.address, grpc.ssl_channel_credentials(_certificates(self.tls)), options
        )

    @property
    def name(self) -> str:
        return f"{'grpcs' if self.tls else 'grpc'}://{self.address}"

    def for_caller(self, **who: Any) -> Gateway:
        """The same gateway, called for somebody else: session, user, agents."""
        return replace(self, caller=replace(self.caller, **who))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *gone: object) -> None:
        self.close()

    def close(self) -> None:
        self.channel.close()

    def answer(self, ask: Ask) -> Answer:
        """The answer to an ask; whatever keeps it from coming is raised."""
        pb = messages()
        call = self.channel.unary_unary(
            f"/{SERVICE}/{INFERENCE}",
            request_serializer=pb.InferenceRequest.SerializeToString,
            response_deserializer=pb.InferenceResponse.FromString,
        )
        said = self._invoke(lambda: call(self._ask_request(ask), **self._call_options(ask.seconds)))
        _check_complete(said.text, FINISH_STOPS.get(said.finish_reason, "end"))
        return Answer(said.text, said.model or self.name, _usage(said.usage))

    def stream(self, ask: Ask, before: Sequence[tuple[str, str]] = ()) -> TurnStream:
        """The same as it is said, then the whole of it; `before` is what was said earlier, by whom."""
        pb = messages()
        call = self.channel.unary_stream(
            f"/{SERVICE}/{STREAM}",
            request_serializer=pb.InferenceRequest.SerializeToString,
            response_deserializer=pb.StreamInferenceResponse.FromString,
        )
        pieces = self._invoke(
            lambda: call(self._ask_request(ask, before), **self._call_options(ask.seconds))
        )
        words: list[str] = []
        try:
            while (piece := self._invoke(lambda: next(pieces, None))) is not None:
                if piece.text:
                    words.append(piece.text)
                    yield Delta(piece.text)
                if piece.finish_reason:
                    said = {"role": "assistant", "content": "".join(words)}
                    yield FinishedTurn(
                        (said,) if words else (),
                        _usage(piece.usage),
                        FINISH_STOPS[piece.finish_reason],
                    )
                    return
        finally:
            pieces.cancel()
        raise ModelFailed(ERROR_TEXTS["reset"], "reset")

    def turn(
        self,
        request: Mapping[str, Any],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> TurnStream:
        """A turn in words alone; a request with tools is refused, because they cannot be said here."""
        if request.get("tools"):
            raise BadInput(
                "a gateway speaks text alone: hand tools to steno.agent.research.TextTalker, which spells them out"
            )
        system, said = _system_and_texts(request)
        if not said or said[-1][0] != "user":
            raise BadInput("a turn answers a user: the last message must be one's")
        ask = Ask(
            said[-1][1],
            max_tokens or TURN_TOKENS,
            system or None,
            "turn",
            seconds,
            None,
            self.complexity,
        )
        return self.stream(ask, said[:-1])

    def _ask_request(self, ask: Ask, before: Sequence[tuple[str, str]] = ()) -> Any:
        if ask.after is not None:
            raise ModelFailed(
                "a gateway cannot go on from another request: ask it without share_prefix", "other"
            )
        if not 0 < ask.max_tokens < 2**31:
            raise BadInput(f"max_tokens is from 1 to {2**31 - 1}, got {ask.max_tokens}")
        pb = messages()
        roles = {"user": pb.ROLE_USER, "assistant": pb.ROLE_ASSISTANT}
        return pb.InferenceRequest(
            context=pb.SessionContext(
                session_id=self.caller.session,
                user_id=self.caller.user,
                agent_lineage=self.caller.agents,
            ),
            system=_valid_utf8(ask.system or ""),
            messages=[
                pb.Message(role=roles[role], text=_valid_utf8(text)) for role, text in before
            ],
            prompt=_valid_utf8(ask.prompt),
            task_complexity=pb.TaskComplexity.Value(f"TASK_COMPLEXITY_{ask.complexity.upper()}"),
            max_tokens=ask.max_tokens,
            schema=ask.schema or "",
        )

    def _call_options(self, seconds: float | None) -> dict[str, Any]:
        sent = (("authorization", f"Bearer {self.token}"),) if self.token else ()
        return {
            "timeout": self.seconds if seconds is None else max(0.001, seconds),
            "metadata": sent,
        }

    def _invoke(self, call: Any) -> Any:
        import grpc

        failed: ModelFailed
        try:
            return call()
        except grpc.RpcError as error:
            failed = error_from_status(error)
        except ValueError as error:
            if "closed" not in str(error).lower():
                raise
            failed = ModelFailed("the gateway's client is closed", "other")
        raise failed  # out here: a foreign gateway's own words may quote the prompt


def check_token(token: str | None) -> None:
    """A token goes in a header: visible ASCII, and not nothing."""
    if token is not None and (not token or not all("!" <= letter <= "~" for letter in token)):
        raise BadInput("a token is one or more visible ASCII characters, without spaces")


def error_from_status(error: Any) -> ModelFailed:
    """What a failed call means, in our own words and with its status."""
    status = error.code().name
    told = {
        key: value for key, value in (error.trailing_metadata() or ()) if isinstance(value, str)
    }
    kind = _trouble_kind(status, told.get("steno-trouble", ""), error.details() or "")
    wait = _number(told.get("retry-after-ms"))
    window = _number(told.get("steno-window"))
    said = "the gateway refused the token" if status == "UNAUTHENTICATED" else ERROR_TEXTS[kind]
    return ModelFailed(
        f"{said} ({status})", kind, wait=None if wait is None else wait / 1_000, window=window
    )


def _trouble_kind(status: str, told: str, details: str) -> FailureKind:
    if told in ERROR_TEXTS:
        return told
    if status == "RESOURCE_EXHAUSTED" and "larger than max" in details:
        return "overflow"
    return STATUS_TROUBLES.get(status, "other")


def _number(text: str | None) -> int | None:
    if text is not None and text.isdigit():
        return int(text)
    return None


def _check_complete(text: str, stop: StopReason) -> None:
    """Raise where an answer falls short of one."""
    trouble: FailureKind | None = (
        "refused" if stop == "refused" else "cut" if stop == "length" else None
    )
    trouble = trouble or (None if text.strip() else "empty")
    if trouble is not None:
        raise ModelFailed(ERROR_TEXTS[trouble], trouble)


def _usage(usage: Any) -> Usage:
    return Usage(usage.sent, usage.cached, usage.written, usage.said)


def _certificates(tls: bool | str | os.PathLike[str]) -> bytes | None:
    if isinstance(tls, bool):
        return None
    try:
        with open(tls, "rb") as file:
            return file.read()
    except OSError as error:
        raise BadInput(
            f"the certificates {os.fspath(tls)!r} cannot be read: {error.strerror}"
        ) from None


def _valid_utf8(text: str) -> str:
    """Text as UTF-8 can say it: a lone surrogate is no reason to fail."""
    return text.encode("utf-8", "replace").decode()


def _system_and_texts(request: Mapping[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    """System prompt and messages of a chat request, as words."""
    system: list[str] = []
    said: list[tuple[str, str]] = []
    for message in request.get("messages") or ():
        role, text = str(message.get("role")), "\n".join(_texts(message.get("content")))
        if role in ("system", "developer"):
            system.append(text)
        elif role in ("user", "assistant"):
            said.append((role, text))
        else:
            raise BadInput(
                f"a gateway speaks text alone: a message of role {role!r} cannot be said"
            )
    return "\n\n".join(system), said


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict) or part.get("type") != "text":
            raise BadInput("a gateway speaks text alone: pictures and files cannot be said")
        yield str(part.get("text", ""))
