"""The two calls of a gateway, each put to the model that its complexity is routed to.

Owns how a request becomes an ask or a turn, and how the answer becomes a reply. A
model's failure becomes a status in our own words; no prompt and no answer is ever
logged or quoted. How many calls run at once is decided in `admission`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from steno.core.effects import FATAL_ERRORS, Answer, Ask, NoAnswer, finish_reply
from steno.core.message import Message, Role, Text
from steno.core.model import Complexity, Delta, FinishedTurn, TurnStream, Usage, close_after
from steno.gateway.admission import Gate, Refusal, abort_call, refusal_of, wrong_request
from steno.gateway.v1 import INFERENCE, STREAM, messages
from steno.providers import decode_messages, encode_messages, get_wire
from steno.telemetry import RequestSpan, Telemetry

ANSWER_TOKENS = 1_000
ROLES: dict[int, Role] = {1: "user", 2: "assistant"}
COMPLEXITIES = ("unspecified", "simple", "medium", "complex", "epic")
_LOG = logging.getLogger("steno")


@dataclass
class CallRecord:
    """One call when it is over: its caller, its end and its cost, but none of its text."""

    method: str
    complexity: str
    session: str = ""
    user: str = ""
    agents: tuple[str, ...] = ()
    code: str = "OK"
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class GatewayCalls:
    """Answers the calls that the server receives."""

    model: Any
    routes: Mapping[str, Any]
    """Models by complexity; a call of any other goes to `model`."""
    gate: Gate
    seconds: float = 120.0
    """Longest time of a call, whatever its client allows."""
    on_call: Callable[[CallRecord], object] = lambda called: None
    clock: Callable[[], float] = time.monotonic
    telemetry: Telemetry = field(default_factory=Telemetry)

    def inference(self, request: Any, context: Any) -> Any:
        """Return the whole answer at once."""
        with self._call(INFERENCE, request, context) as (ask, model, called):
            *said, end = _pieces(model, request, ask, whole=True)
            assert isinstance(end, FinishedTurn)
            called.usage = end.usage
            text = "".join(piece.text for piece in said if isinstance(piece, Delta))
            return messages().InferenceResponse(text=text, **_end(end, model))

    def stream(self, request: Any, context: Any) -> Iterator[Any]:
        """Stream the answer."""
        response = messages().StreamInferenceResponse
        with (
            self._call(STREAM, request, context) as (ask, model, called),
            _ending_after(self.seconds, context.cancel),
        ):
            for piece in _pieces(model, request, ask, whole=False):
                if not context.is_active():
                    break
                if isinstance(piece, FinishedTurn):
                    called.usage = piece.usage
                    yield response(**_end(piece, model))
                else:
                    yield response(text=piece.text)

    @contextmanager
    def _call(
        self, method: str, request: Any, context: Any
    ) -> Iterator[tuple[Ask, Any, CallRecord]]:
        """Hold a place in the gate, and turn what goes wrong into a status."""
        metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
        with self.telemetry.serve(metadata) as span:
            yield from self._admitted_call(method, request, context, span)

    def _admitted_call(
        self, method: str, request: Any, context: Any, span: RequestSpan | None
    ) -> Iterator[tuple[Ask, Any, CallRecord]]:
        complexity = _complexity(request)
        model = self.routes.get(complexity, self.model)
        caller = request.context
        called = CallRecord(
            method, complexity, caller.session_id, caller.user_id, tuple(caller.agent_lineage)
        )
        began = self.clock()
        refusal: Refusal | None = None
        try:
            seconds = self.seconds
            left = context.time_remaining()
            if left is not None:
                seconds = min(left, seconds)
            with self.gate.admit(seconds, context.is_active):
                ask = _to_ask(request, seconds - (self.clock() - began))
                yield ask, model, called
        except (*FATAL_ERRORS, SystemExit, KeyboardInterrupt) as failure:
            # Here it would end a worker's thread, and leave the client waiting for its deadline.
            refusal = Refusal(
                "server", f"the gateway's model ended by {type(failure).__name__}", code="INTERNAL"
            )
        except Exception as failure:  # noqa: BLE001 — gRPC would send its text to the client
            refusal = refusal_of(failure)
        finally:
            if refusal is not None:
                called.code = refusal.code
            called.seconds = self.clock() - began
            if span is not None:
                error = called.code if refusal is not None else ""
                name = _model_name(model)
                span.finish(name, called.usage, error, session=called.session, user=called.user)
            self._report(called)
        if refusal is not None:
            # Last, because it raises: by now the place is free and the call is counted.
            abort_call(context, refusal)

    def _report(self, called: CallRecord) -> None:
        try:
            self.on_call(called)
        except Exception as failure:  # noqa: BLE001 — a listener must not cost a good answer
            _LOG.warning("on_call= raised %s", type(failure).__name__)


def _pieces(model: Any, request: Any, ask: Ask, *, whole: bool) -> TurnStream:
    """Yield the words of an answer as they come, then its end; `whole` wants them at once."""
    takes_asks, takes_turns = hasattr(model, "answer"), hasattr(model, "turn")
    # Only an ask can carry a schema, so a prompt with one is not streamed.
    at_once = whole or ask.schema is not None or not takes_turns
    if takes_asks and at_once and not request.messages:
        reply = _ask_model(model, ask)
        yield Delta(reply.text)
        yield FinishedTurn((), reply.usage)
        return
    if not takes_turns:
        raise wrong_request("this model takes a prompt alone, no earlier messages")
    if ask.schema is not None:
        raise wrong_request("a schema is kept for a prompt alone, no earlier messages")
    wire = get_wire(model.wire)
    earlier = [Message(ROLES[given.role], (Text(given.text),)) for given in request.messages]
    said = encode_messages(wire, [*earlier, Message("user", (Text(ask.prompt),))])
    turn = wire.request(said, ask.system, None)
    spoken = False
    for piece in close_after(model.turn(turn, max_tokens=ask.max_tokens, seconds=ask.seconds)):
        if isinstance(piece, FinishedTurn):
            # A model may stream no text and say it all in the finished turn.
            if not spoken:
                decoded = decode_messages(wire, list(piece.messages))
                yield Delta("".join(message.text for message in decoded))
            yield piece
            return
        if piece.thinking:
            yield Delta("")  # no text, but a chance to see that the client is gone
        else:
            spoken = True
            yield piece
    raise Refusal("reset", "the model stopped half way")


@contextmanager
def _ending_after(seconds: float, end: Callable[[], object]) -> Iterator[None]:
    """End a stream that takes too long: a send sleeps in gRPC until its client reads."""
    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _ask_model(model: Any, ask: Ask) -> Answer:
    reply = finish_reply(model.answer(ask))
    if isinstance(reply, NoAnswer):
        raise refusal_of(reply)
    if not isinstance(reply, Answer):
        raise Refusal("invalid", "the gateway's model gave no reply")
    return reply


def _to_ask(request: Any, seconds: float) -> Ask:
    if not request.prompt.strip():
        raise wrong_request("there is no prompt")
    if any(message.role not in ROLES for message in request.messages):
        raise wrong_request("a message has a role: user or assistant")
    complexity = _complexity(request)
    if complexity == "unspecified":
        complexity = "simple"
    return Ask(
        request.prompt,
        request.max_tokens or ANSWER_TOKENS,
        request.system or None,
        purpose="gateway",
        seconds=max(0.001, seconds),
        schema=request.schema or None,
        complexity=cast(Complexity, complexity),
    )


def _complexity(request: Any) -> str:
    at = request.task_complexity
    if 0 <= at < len(COMPLEXITIES):
        return COMPLEXITIES[at]
    return "unspecified"


def _end(turn: FinishedTurn, model: Any) -> dict[str, Any]:
    """Return what a reply says of its end: why, at what cost, by whom."""
    used = turn.usage
    return {
        "finish_reason": {"length": 2, "refused": 3}.get(turn.stop, 1),
        "usage": messages().Usage(
            sent=used.sent, cached=used.cached, written=used.written, said=used.said
        ),
        "model": _model_name(model),
    }


def _model_name(model: Any) -> str:
    return str(getattr(model, "name", type(model).__name__))
