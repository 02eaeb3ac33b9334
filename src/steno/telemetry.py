"""OpenTelemetry: spans and metrics of what Steno does, by the GenAI semantic conventions.

    from steno.telemetry import Telemetry
    session = steno.Session("agent.db", on_event=Telemetry())

A listener of events; `steno proxy`, `wrap` and `gateway` have it already. Without OpenTelemetry's
API it does nothing; without an SDK that the program sets up, the API does nothing. No span and no
metric carries words of the conversation. What happened becomes a span when it is over, as a child
of the agent's run or of the current span.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from steno.core import events as happened
from steno.core.events import Event, OnEvent, ignore_event
from steno.core.model import Usage
from steno.core.word_tables import word_tuple
from steno.meters.catalog import find_model, known_prices

try:
    from opentelemetry import metrics, propagate, trace
    from opentelemetry.trace import Span, SpanKind, Status, StatusCode
except ImportError:  # the extra `otel` is not installed
    trace = None  # type: ignore[assignment]

HISTOGRAMS = {
    "s": word_tuple(
        "gen_ai.client.operation.duration gen_ai.invoke_agent.duration "
        "gen_ai.execute_tool.duration steno.compaction.duration steno.recall.duration"
    ),
    "{token}": word_tuple(
        "gen_ai.client.token.usage steno.compaction.before steno.compaction.after"
    ),
}
"""Names by unit."""
BOUNDS = {"s": [0.01 * 2**at for at in range(14)], "{token}": [4.0**at for at in range(14)]}
"""Bounds of buckets, as the conventions have them."""
COUNTERS = {"steno.cost": "{USD}", "steno.request.spared": "{token}", "steno.events": "{event}"}
COMMIT_FIGURES = word_tuple("number before after goal fits covered blocks calls")
REQUEST_FIGURES = {
    "session": "gen_ai.conversation.id",
    "user": "user.id",
    "agent": "gen_ai.agent.name",
    "compacted": "gen_ai.conversation.compacted",
    "tokens": "steno.request.tokens",
    "spared": "steno.request.spared",
    "passed": "steno.request.passed",
}
"""Attributes of a request, by what we call them."""
PROVIDER_NAMES = {"google": "gcp.gemini"}
Called = happened.WriterCalled | happened.ModelReplied
NO_RUN: tuple[Any, str, int] = (None, "", 0)


class Telemetry:
    """Makes spans and metrics of events, and passes each event on to another listener."""

    def __init__(
        self, then: OnEvent = ignore_event, *, tracers: Any = None, meters: Any = None
    ) -> None:
        self._then = then
        self._runs: dict[str, tuple[Any, str, int]] = {}
        """The open span, the model and the start of each session's run."""
        self._compactions: dict[str, tuple[Any, int]] = {}
        """The open span and the start of each session's compaction."""
        if trace is None:
            return
        self._tracer = trace.get_tracer("steno", tracer_provider=tracers)
        meter = metrics.get_meter("steno", meter_provider=meters)
        self._histograms = {
            name: meter.create_histogram(
                name, unit, explicit_bucket_boundaries_advisory=BOUNDS[unit]
            )
            for unit, names in HISTOGRAMS.items()
            for name in names
        }
        self._counters = {name: meter.create_counter(name, unit) for name, unit in COUNTERS.items()}

    def __call__(self, event: Event) -> None:
        if trace is not None:
            self._observe(event)
        self._then(event)

    def _observe(self, event: Event) -> None:
        self._counters["steno.events"].add(1, {"event.name": event.name})
        match event:
            case happened.Started():
                span = self._span(event, "compact", {"gen_ai.operation.name": "compact"}, 0)
                self._compactions[event.session] = span, time.time_ns()
            case happened.Committed() if event.session in self._compactions:
                self._compaction(event)
            case happened.WriterCalled():
                self._call(event, event.model, {"steno.purpose": "summary"})
            case happened.ModelReplied():
                _, model, _ = self._runs.get(event.session, NO_RUN)
                self._call(event, model, {"gen_ai.conversation.compacted": event.compacted})
            case happened.Recalled():
                named = {"gen_ai.operation.name": "retrieval"}
                found = named | {"steno.recall.hits": event.hits}
                self._span(event, "retrieval", found, event.seconds).end()
                self._histograms["steno.recall.duration"].record(event.seconds, named)
            case happened.ToolsRan():
                self._tools(event)
            case happened.RunStarted():
                named = _named("invoke_agent", event.model) | _identity(event)
                span = self._tracer.start_span(
                    f"invoke_agent {event.agent}".strip(), attributes=named
                )
                self._runs[event.session] = span, event.model, time.time_ns()
            case happened.RunFinished():
                self._end_run(event)
            case _:
                span, _, _ = self._runs.get(event.session, NO_RUN)
                (span or trace.get_current_span()).add_event(event.name, _identity(event))

    def _compaction(self, event: happened.Committed) -> None:
        span, start = self._compactions.pop(event.session)
        technique = "+".join(event.by)
        shared = {"steno.compaction.why": event.why, "steno.compaction.technique": technique}
        figures = {f"steno.compaction.{name}": getattr(event, name) for name in COMMIT_FIGURES}
        span.set_attributes(shared | figures)
        span.end()
        self._histograms["steno.compaction.duration"].record(_seconds_since(start), shared)
        self._histograms["steno.compaction.before"].record(event.before, shared)
        self._histograms["steno.compaction.after"].record(event.after, shared)

    def _call(self, event: Called, model: str, more: Mapping[str, Any]) -> None:
        """Make the span of a model's call that has just ended."""
        named = _named("chat", model, event.error)
        attributes = {**named, **more, **_usage(event.usage)}
        span = self._span(event, f"chat {model}", attributes, event.seconds, SpanKind.CLIENT)
        self.end_call(span, named, event.seconds, event.usage)

    def end_call(
        self,
        span: Span,
        named: dict[str, Any],
        seconds: float,
        usage: Usage,
        spared: int = 0,
        spent: float | None = None,
    ) -> None:
        """End the span of a model's call and record its metrics; `spent` is what was billed."""
        if "error.type" in named:
            span.set_status(Status(StatusCode.ERROR))
        span.end()
        self._histograms["gen_ai.client.operation.duration"].record(seconds, named)
        for kind, tokens in (("input", usage.sent), ("output", usage.said)):
            labels = named | {"gen_ai.token.type": kind}
            self._histograms["gen_ai.client.token.usage"].record(tokens, labels)
        self._counters["steno.request.spared"].add(spared, named)
        prices = known_prices(named.get("gen_ai.request.model", ""))
        if spent is None and prices is not None:
            spent = prices.usage_cost(usage)
        if spent is not None:
            self._counters["steno.cost"].add(spent, named)

    def _tools(self, event: happened.ToolsRan) -> None:
        for name in event.tools:
            named = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
            batch = {"steno.tool.batch": len(event.tools)}
            self._span(event, f"execute_tool {name}", named | batch, event.seconds).end()
            self._histograms["gen_ai.execute_tool.duration"].record(event.seconds, named)

    def _end_run(self, event: happened.RunFinished) -> None:
        span, model, start = self._runs.pop(event.session, NO_RUN)
        if span is None:
            return
        span.set_attributes({"steno.run.outcome": event.outcome, "steno.run.turns": event.turns})
        named = _named("invoke_agent", model)
        if event.outcome == "failed":
            named["error.type"] = event.outcome
            span.set_status(Status(StatusCode.ERROR))
        span.end()
        self._histograms["gen_ai.invoke_agent.duration"].record(_seconds_since(start), named)

    def _span(
        self, event: Event, title: str, attributes: Any, seconds: float, kind: Any = None
    ) -> Span:
        """Return a span that began so many seconds ago, in the session's run or compaction."""
        parent, _, _ = self._runs.get(event.session, NO_RUN)
        if isinstance(event, happened.WriterCalled):
            parent, _ = self._compactions.get(event.session, (parent, 0))
        return self._tracer.start_span(
            title,
            trace.set_span_in_context(parent) if parent else None,
            kind or SpanKind.INTERNAL,
            attributes={**attributes, **_identity(event)},
            start_time=time.time_ns() - int(seconds * 1e9),
        )

    @contextmanager
    def serve(self, headers: Mapping[str, str]) -> Iterator[RequestSpan | None]:
        """Trace a request that is served here, as a child of its sender's span.

        It is the current span in the block; `RequestSpan.finish` ends it, or a failure in there.
        """
        if trace is None:
            yield None
            return
        span = self._tracer.start_span("chat", propagate.extract(headers), SpanKind.SERVER)
        # Errors are not recorded: their text may quote the conversation.
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            served = RequestSpan(self, span)
            try:
                yield served
            except BaseException as failure:
                served.finish("", Usage(), type(failure).__name__)
                raise


class RequestSpan:
    """A request on its way, until it has its answer."""

    def __init__(self, telemetry: Telemetry, span: Span) -> None:
        self._telemetry, self._span, self._start = telemetry, span, time.time_ns()

    def headers(self) -> dict[str, str]:
        """Return the headers that name this span to the next server."""
        return context_headers(trace.set_span_in_context(self._span))

    def finish(
        self,
        model: str,
        usage: Usage,
        error: str = "",
        spent: float | None = None,
        **figures: Any,
    ) -> None:
        """End the span and count the request; called once."""
        named = _named("chat", model, error)
        more = {REQUEST_FIGURES[name]: value for name, value in figures.items() if value}
        self._span.update_name(f"chat {model}".strip())
        self._span.set_attributes(named | _usage(usage) | more)
        seconds, spared = _seconds_since(self._start), figures.get("spared", 0)
        self._telemetry.end_call(self._span, named, seconds, usage, spared, spent)


def context_headers(context: Any = None) -> dict[str, str]:
    """Return the headers that name the current span, or that of a context, to a server."""
    carrier: dict[str, str] = {}
    if trace is not None:
        propagate.inject(carrier, context)
    return carrier


def _named(operation: str, model: str, error: str = "") -> dict[str, Any]:
    """Return operation, provider, model and error, as the conventions name them."""
    provider, known = "unknown", find_model(model)
    if known is not None:
        provider = known.provider
    named = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": PROVIDER_NAMES.get(provider, provider),
        "gen_ai.request.model": model,
        "error.type": error,
    }
    return {name: value for name, value in named.items() if value}


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "gen_ai.usage.input_tokens": usage.sent,
        "gen_ai.usage.output_tokens": usage.said,
        "gen_ai.usage.cache_read.input_tokens": usage.cached,
        "gen_ai.usage.cache_creation.input_tokens": usage.written,
    }


def _identity(event: Event) -> dict[str, str]:
    names = {name: getattr(event, name) for name in ("session", "user", "agent")}
    return {REQUEST_FIGURES[name]: value for name, value in names.items() if value}


def _seconds_since(start: int) -> float:
    return (time.time_ns() - start) / 1e9
