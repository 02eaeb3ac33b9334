"""A model behind a gateway, over gRPC: asks, and turns in plain text.

Owns the client of `steno.gateway.v1`: a channel, the caller's identity, and what a
status means. A failure is raised as a `ModelFailed` of its kind; nothing is tried
again here. On an event loop a session and `aturn` call it in a thread. Tools cannot go
over this protocol: `steno.agent.research.TextTalker` spells them out as text.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, cast, get_args

from steno.core.effects import Answer, Ask
from steno.core.errors import BadInput, ModelFailed
from steno.core.message import Text, Thinking
from steno.core.model import (
    Complexity,
    Delta,
    FailureKind,
    FinishedTurn,
    StopReason,
    TurnStream,
    Usage,
)
from steno.core.repair import encodable_text
from steno.gateway.v1 import INFERENCE, SERVICE, STREAM, messages
from steno.providers import decode_messages, get_wire
from steno.providers.shared.errors import ERROR_TEXTS
from steno.providers.shared.model import shortcoming

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
    "OUT_OF_RANGE": "cut",
    "FAILED_PRECONDITION": "refused",
    "INTERNAL": "server",
    "UNKNOWN": "server",
    "DATA_LOSS": "invalid",
}
"""The kind of a failure by its status, if the gateway names none; "other" for the rest."""
FINISH_STOPS: dict[int, StopReason] = {1: "end", 2: "length", 3: "refused"}


@dataclass(frozen=True)
class Caller:
    """The session, user and agents that a call is made for."""

    session: str = ""
    user: str = ""
    agents: tuple[str, ...] = ()
    """The agents that the call goes through, the outermost first."""


@dataclass(frozen=True)
class Gateway:
    """A gateway's model, `Gateway("localhost:50051")`; safe to share between threads."""

    address: str
    token: str | None = field(default=None, repr=False)
    tls: bool | str | os.PathLike[str] = False
    """True, or a file with the certificates to trust."""
    caller: Caller = Caller()
    complexity: Complexity = "complex"
    """Complexity of turns; an ask has its own."""
    window: int | None = None
    seconds: float | None = 120.0
    """Timeout of a call that has none of its own."""
    wire: str = "openai"
    channel: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Raises now, not at the first call, if gRPC or the generated code is missing.
        messages()
        host, _, port = self.address.rpartition(":")
        if not host or not port.isdigit():
            raise BadInput(f"a gateway's address is host:port, got {self.address!r}")
        check_token(self.token)
        if self.seconds is not None and self.seconds <= 0:
            raise BadInput("seconds= is more than 0")
        if self.token is not None and not self.tls and host not in LOOPBACK:
            raise BadInput(
                "a token goes in the clear to this machine alone: say grpcs://, or tls=True"
            )
        object.__setattr__(self, "channel", self._open_channel())

    def _open_channel(self) -> Any:
        import grpc

        options = [
            ("grpc.max_send_message_length", MESSAGE_MOST),
            ("grpc.max_receive_message_length", MESSAGE_MOST),
            ("grpc.enable_retries", 0),  # `retry` does that, within a spend
        ]
        if not self.tls:
            return grpc.insecure_channel(self.address, options=options)
        roots = None
        if not isinstance(self.tls, bool):
            roots = read_pem(self.tls)
        credentials = grpc.ssl_channel_credentials(roots)
        return grpc.secure_channel(self.address, credentials, options=options)

    @property
    def name(self) -> str:
        if self.tls:
            return f"grpcs://{self.address}"
        return f"grpc://{self.address}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *gone: object) -> None:
        self.close()

    def close(self) -> None:
        self.channel.close()

    def answer(self, ask: Ask) -> Answer:
        """Return the answer to an ask, or raise `ModelFailed`."""
        said = self._call(self.channel.unary_unary, INFERENCE, ask)
        kind = shortcoming(said.text, FINISH_STOPS.get(said.finish_reason, "end"))
        if kind is not None:
            raise ModelFailed(ERROR_TEXTS[kind], kind)
        return Answer(said.text, said.model or self.name, _usage(said.usage))

    def stream(self, ask: Ask, before: Sequence[tuple[str, str]] = ()) -> TurnStream:
        """Stream the answer to an ask; `before` are the earlier messages, as role and text."""
        pieces = self._call(self.channel.unary_stream, STREAM, ask, before)
        said: list[str] = []
        try:
            while (piece := self._invoke(lambda: next(pieces, None))) is not None:
                yield from _read_piece(piece, said)
                if piece.finish_reason:
                    return
        finally:
            # A caller that stops reading must also stop the model at the other end.
            pieces.cancel()
        raise ModelFailed(ERROR_TEXTS["reset"], "reset")

    def turn(
        self,
        request: Mapping[str, Any],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> TurnStream:
        """Stream a turn of text; a request with tools is refused, as the protocol has none."""
        if request.get("tools"):
            raise BadInput(
                "a gateway takes text alone: pass tools to steno.agent.research.TextTalker, "
                "which spells them out"
            )
        system, texts = _system_and_texts(request)
        if not texts or texts[-1][0] != "user":
            raise BadInput("a turn answers a user: the last message must be the user's")
        ask = Ask(
            texts[-1][1],
            max_tokens=max_tokens or TURN_TOKENS,
            system=system or None,
            purpose="turn",
            seconds=seconds,
            complexity=self.complexity,
        )
        return self.stream(ask, texts[:-1])

    def _ask_request(self, ask: Ask, before: Sequence[tuple[str, str]]) -> Any:
        if ask.after is not None:
            raise ModelFailed(
                "a gateway cannot continue another request: use a policy without share_prefix",
                "other",
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
            system=encodable_text(ask.system or ""),
            messages=[
                pb.Message(role=roles[role], text=encodable_text(text)) for role, text in before
            ],
            prompt=encodable_text(ask.prompt),
            task_complexity=pb.TaskComplexity.Value(f"TASK_COMPLEXITY_{ask.complexity.upper()}"),
            max_tokens=ask.max_tokens,
            schema=ask.schema or "",
        )

    def _call(
        self, open_call: Any, name: str, ask: Ask, before: Sequence[tuple[str, str]] = ()
    ) -> Any:
        """Call a method of the service, whole or streamed, by a method of the channel."""
        from steno.telemetry import context_headers  # OpenTelemetry is slow to import

        pb = messages()
        method = open_call(
            f"/{SERVICE}/{name}",
            request_serializer=pb.InferenceRequest.SerializeToString,
            response_deserializer=getattr(pb, f"{name}Response").FromString,
        )
        request = self._ask_request(ask, before)
        seconds = self.seconds
        if ask.seconds is not None:
            seconds = max(0.001, ask.seconds)
        headers = context_headers()
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        metadata = tuple(headers.items())
        return self._invoke(lambda: method(request, timeout=seconds, metadata=metadata))

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
        # Out here, without gRPC's error as its context: the gateway's text may quote the prompt.
        raise failed


def check_token(token: str | None) -> None:
    """Raise unless a token can go in a header: visible ASCII, at least one character."""
    if token is not None and (not token or not all("!" <= letter <= "~" for letter in token)):
        raise BadInput("a token is one or more visible ASCII characters, without spaces")


def error_from_status(error: Any) -> ModelFailed:
    """Return what a failed call means, in our own words and with its status."""
    status = error.code().name
    metadata = dict(error.trailing_metadata() or ())
    kind = _failure_kind(status, metadata.get("steno-trouble"), error.details() or "")
    text = ERROR_TEXTS[kind]
    if status == "UNAUTHENTICATED":
        text = "the gateway refused the token"
    failed = ModelFailed(f"{text} ({status})", kind, window=_number(metadata.get("steno-window")))
    milliseconds = _number(metadata.get("retry-after-ms"))
    if milliseconds is not None:
        failed.wait = milliseconds / 1_000
    return failed


def _failure_kind(status: str, named: str | bytes | None, details: str) -> FailureKind:
    if named in get_args(FailureKind):
        return cast(FailureKind, named)
    # gRPC refuses a message over its size by the status of a busy server; a retry is no help.
    if status == "RESOURCE_EXHAUSTED" and "larger than max" in details:
        return "overflow"
    return STATUS_TROUBLES.get(status, "other")


def _number(text: str | bytes | None) -> int | None:
    if isinstance(text, str) and text.isdigit():
        return int(text)
    return None


def _read_piece(piece: Any, said: list[str]) -> TurnStream:
    """Yield what a piece of a stream says; `said` are the words so far."""
    if piece.text:
        said.append(piece.text)
        yield Delta(piece.text)
    if piece.finish_reason:
        replies = []
        if said:
            replies.append({"role": "assistant", "content": "".join(said)})
        # A newer gateway may know other reasons.
        stop = FINISH_STOPS.get(piece.finish_reason, "end")
        yield FinishedTurn(tuple(replies), _usage(piece.usage), stop)


def _usage(usage: Any) -> Usage:
    return Usage(usage.sent, usage.cached, usage.written, usage.said)


def read_pem(path: str | os.PathLike[str]) -> bytes:
    """Return a file of certificates or keys."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise BadInput(f"{os.fspath(path)!r} cannot be read: {error.strerror}") from None


def _system_and_texts(request: Mapping[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    """Return the system prompt and the messages of a chat request as text."""
    system: list[str] = []
    texts: list[tuple[str, str]] = []
    for message in decode_messages(get_wire("openai"), list(request.get("messages") or ())):
        if not all(isinstance(block, Text | Thinking) for block in message.blocks):
            raise BadInput("a gateway takes text alone: no calls, results, pictures or files")
        if message.role == "system":
            system.append(message.text)
        else:
            texts.append((message.role, message.text))
    return "\n\n".join(system), texts
