"""The two calls of a gateway, each put to the model that its complexity is routed to.

Owns how a request becomes an ask or a turn and how what comes becomes a reply.
A model's failure is a status in our own words; no prompt and no answer is ever
logged or quoted. How many run at once is the gate's business.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from steno.core.effects import FATAL_ERRORS, Answer, Ask, NoAnswer, Reply
from steno.core.message import Message, Text
from steno.core.model import Delta, FinishedTurn, StopReason, Usage
from steno.gateway.admission import Gate, Refusal, abort_call, refusal_of
from steno.gateway.metrics import CallRecord
from steno.gateway.v1 import INFERENCE, STREAM, messages
from steno.wires import decode_messages, encode_messages, get_wire

ANSWER_TOKENS = 1_000
ROLES = {1: "user", 2: "assistant"}
COMPLEXITIES = ("unspecified", "simple", "medium", "complex", "epic")
_LOG = logging.getLogger("steno")


@dataclass(frozen=True)
class GatewayCalls:
    """What the server hands its calls to."""

    model: Any
    routes: Mapping[str, Any]
    """Models of certain complexities; the others go to `model`."""
    gate: Gate
    seconds: float = 120.0
    """A call may take, whatever its client allows."""
    told: Callable[[CallRecord], object] = lambda called: None
    clock: Callable[[], float] = time.monotonic

    def inference(self, request: Any, context: Any) -> Any:
        """The whole answer at once."""
        pb = messages()
        with self._call(INFERENCE, request, context) as (ask, model, called):
            if request.messages or not hasattr(model, "answer"):
                text, stop, usage = self._collect(model, request, ask)
            else:
                reply = _ask_model(model, ask)
                if isinstance(reply, NoAnswer):
                    raise refusal_of(reply)
                text, stop, usage = reply.text, "end", reply.usage
            called.usage = usage
            return pb.InferenceResponse(
                text=text,
                finish_reason=_finish_reason(stop),
                usage=_usage_message(usage),
                model=_model_name(model),
            )

    def stream(self, request: Any, context: Any) -> Iterator[Any]:
        """The answer as it is said."""
        pb = messages()
        with self._call(STREAM, request, context) as (ask, model, called):
            for piece in self._pieces(model, request, ask):
                if not context.is_active():
                    return
                if isinstance(piece, str):
                    yield pb.StreamInferenceResponse(text=piece)
                    continue
                stop, called.usage = piece
                yield pb.StreamInferenceResponse(
                    finish_reason=_finish_reason(stop),
                    usage=_usage_message(called.usage),
                    model=_model_name(model),
                )

    @contextmanager
    def _call(
        self, method: str, request: Any, context: Any
    ) -> Iterator[tuple[Ask, Any, CallRecord]]:
        """A place in the gate, and a status for whatever goes wrong in it."""
        complexity = _complexity(request)
        whom = request.context
        called = CallRecord(
            method, complexity, whom.session_id, whom.user_id, tuple(whom.agent_lineage)
        )
        began = self.clock()
        refusal: Refusal | None = None
        try:
            left = context.time_remaining()
            seconds = self.seconds if left is None else min(left, self.seconds)
            with self.gate.admit(seconds, context.is_active):
                ask = _to_ask(request, seconds - (self.clock() - began))
                yield ask, self.routes.get(complexity, self.model), called
        except (*FATAL_ERRORS, SystemExit, KeyboardInterrupt) as failure:
            # Here it would end a worker's thread, and leave the client waiting for its deadline.
            refusal = Refusal(
                "server", f"the gateway's model ended by {type(failure).__name__}", code="INTERNAL"
            )
        except Exception as failure:  # noqa: BLE001 — the edge to a model and to a client: gRPC would send its words on
            refusal = refusal_of(failure)
        finally:
            called.code = called.code if refusal is None else refusal.code
            called.seconds = self.clock() - began
            self._report(called)
        if refusal is not None:
            abort_call(context, refusal)

    def _report(self, called: CallRecord) -> None:
        try:
            self.told(called)
        except Exception as failure:  # noqa: BLE001 — the edge to a listener, who must not cost a good answer
            _LOG.warning("told= raised %s", type(failure).__name__)

    def _collect(self, model: Any, request: Any, ask: Ask) -> tuple[str, StopReason, Usage]:
        words: list[str] = []
        for piece in self._pieces(model, request, ask):
            if not isinstance(piece, str):
                return "".join(words), *piece
            words.append(piece)
        raise Refusal("reset", "the model stopped half way")

    def _pieces(
        self, model: Any, request: Any, ask: Ask
    ) -> Iterator[str | tuple[StopReason, Usage]]:
        """The words of an answer as they come, then why it ended and what it cost."""
        if not hasattr(model, "turn") or (
            ask.schema is not None and not request.messages and hasattr(model, "answer")
        ):
            yield from _in_one_piece(model, request, ask)
            return
        if ask.schema is not None:
            raise Refusal(
                "other",
                "a schema is kept for a prompt alone, no earlier messages",
                code="INVALID_ARGUMENT",
            )
        wire = get_wire(model.wire)
        earlier = [Message(ROLES[said.role], (Text(said.text),)) for said in request.messages]  # type: ignore[arg-type]
        said = encode_messages(wire, [*earlier, Message("user", (Text(ask.prompt),))])
        spoken = False
        stream = model.turn(
            wire.request(said, ask.system, None), max_tokens=ask.max_tokens, seconds=ask.seconds
        )
        try:
            for piece in stream:
                if isinstance(piece, Delta):
                    spoken = spoken or not piece.thinking
                    yield "" if piece.thinking else piece.text
                elif isinstance(piece, FinishedTurn):
                    if not spoken:
                        yield "".join(
                            message.text for message in decode_messages(wire, list(piece.messages))
                        )
                    yield piece.stop, piece.usage
                    return
        finally:
            stream.close()
        raise Refusal("reset", "the model stopped half way")


def _in_one_piece(model: Any, request: Any, ask: Ask) -> Iterator[str | tuple[StopReason, Usage]]:
    if request.messages:
        raise Refusal(
            "other", "this model takes a prompt alone, no earlier messages", code="INVALID_ARGUMENT"
        )
    reply = _ask_model(model, ask)
    if isinstance(reply, NoAnswer):
        raise refusal_of(reply)
    yield reply.text
    yield "end", reply.usage


def _ask_model(model: Any, ask: Ask) -> Reply:
    reply = model.answer(ask)
    if inspect.isawaitable(reply):
        reply = asyncio.run(_await(reply))
    if not isinstance(reply, Answer | NoAnswer):
        raise Refusal("invalid", "the gateway's model gave no reply")
    return reply


async def _await(reply: Any) -> Any:
    return await reply


def _to_ask(request: Any, seconds: float) -> Ask:
    if not request.prompt.strip():
        raise Refusal("other", "there is no prompt", code="INVALID_ARGUMENT")
    if any(said.role not in ROLES for said in request.messages):
        raise Refusal("other", "a message has a role: user or assistant", code="INVALID_ARGUMENT")
    complexity = _complexity(request)
    return Ask(
        request.prompt,
        request.max_tokens or ANSWER_TOKENS,
        request.system or None,
        purpose="gateway",
        seconds=max(0.001, seconds),
        schema=request.schema or None,
        complexity="simple" if complexity == "unspecified" else complexity,  # type: ignore[arg-type]
    )


def _complexity(request: Any) -> str:
    at = request.task_complexity
    if 0 <= at < len(COMPLEXITIES):
        return COMPLEXITIES[at]
    return "unspecified"


def _finish_reason(stop: StopReason) -> int:
    return {"length": 2, "refused": 3}.get(stop, 1)


def _usage_message(usage: Usage) -> Any:
    return messages().Usage(
        sent=usage.sent, cached=usage.cached, written=usage.written, said=usage.said
    )


def _model_name(model: Any) -> str:
    return str(getattr(model, "name", type(model).__name__))
