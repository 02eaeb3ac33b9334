"""Spans and metrics, as OpenTelemetry's own in-memory exporters get them."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import SpanKind, StatusCode

from scripts import make_trace
from scripts.make_trace import Observed
from steno import Script, Session, telemetry
from steno.agent import ReactLoop
from steno.core.effects import Ask
from steno.core.errors import ModelFailed
from steno.core.model import Usage
from steno.gateway.client import Gateway
from steno.gateway.server import serving
from tests.proxy.test_proxy import ask_claude, between
from tests.support.loopback import Wrong
from tests.support.paths import ROOT
from tests.support.sample_messages import openai_talk

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE, SENDER = PARENT.split("-")[1:3]
PROMETHEUS = re.compile(r"\b((?:gen_ai|steno)_[a-z_]+?)(?:_(?:bucket|sum|count))?(?=[{\[])")


@pytest.fixture(scope="module")
def observed() -> Observed:
    return make_trace.run_session()


def spans_named(observed: Observed, start: str) -> list[Any]:
    return [span for span in observed.spans if span.name.startswith(start)]


def test_the_page_shows_the_trace_of_a_session_with_a_compaction() -> None:
    assert make_trace.page() == make_trace.PAGE.read_text("utf-8"), "run scripts/make_trace.py"


def test_one_trace_has_the_run_its_turns_and_the_writers_calls_in_their_compaction(
    observed: Observed,
) -> None:
    (run,) = spans_named(observed, "invoke_agent reader")
    (compaction,) = spans_named(observed, "compact")
    assert {span.context.trace_id for span in observed.spans} == {run.context.trace_id}
    writers = spans_named(observed, "chat gpt-5-mini")
    assert writers and all(
        span.parent.span_id == compaction.context.span_id and span.kind is SpanKind.CLIENT
        for span in writers
    )
    figures = compaction.attributes
    assert figures["steno.compaction.before"] > figures["steno.compaction.after"] > 0
    assert figures["steno.compaction.technique"] == "offload-tail+summarize"
    for span in observed.spans:
        assert span.attributes["gen_ai.conversation.id"] == "ann:nightly-import"
        assert span.attributes["user.id"] == "ann"
        assert span.attributes["gen_ai.agent.name"] == "reader"


def test_every_metric_that_we_name_has_points_and_costs_are_those_of_the_prices(
    observed: Observed,
) -> None:
    points = observed.points()
    named = {name for names in telemetry.HISTOGRAMS.values() for name in names}
    assert set(points) == named | set(telemetry.COUNTERS)
    assert sum(point.count for point in points["steno.compaction.duration"]) == 1
    assert sum(point.value for point in points["steno.cost"]) > 0
    kinds = {point.attributes["gen_ai.token.type"] for point in points["gen_ai.client.token.usage"]}
    assert kinds == {"input", "output"}


def test_no_word_of_the_conversation_is_in_a_span_or_a_metric(observed: Observed) -> None:
    said = [span.to_json() for span in observed.spans]
    said += [str(points) for points in observed.points().values()]
    for word in ("unusual", "eight files", "row 7", "hold rows"):
        assert word not in " ".join(said)


def test_a_model_that_fails_is_an_error_of_its_span() -> None:
    observed = Observed()
    model = Script(ModelFailed("no key", "auth"), wire="openai", window=8_000)
    session = Session(wire="openai", window=8_000, on_event=observed.listener)
    with session:
        list(ReactLoop(model).run("Try it.", session))
    (call,) = spans_named(observed, "chat")
    (run,) = spans_named(observed, "invoke_agent")
    assert call.attributes["error.type"] == "auth"
    assert call.status.status_code is run.status.status_code is StatusCode.ERROR


def test_what_is_skipped_is_an_event_and_the_next_listener_gets_all() -> None:
    heard: list[Any] = []
    observed = Observed()
    observed.listener._then = heard.append
    with Session(wire="openai", window=8_000, on_event=observed.listener, user="ann") as session:
        session.add(*openai_talk(4))
        session.compact()
        session.recall("slow query")
    assert [event.user for event in heard] == ["ann"] * len(heard) and heard
    counted = {point.attributes["event.name"] for point in observed.points()["steno.events"]}
    assert counted == {event.name for event in heard}


def test_without_opentelemetry_everything_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "trace", None)
    heard: list[Any] = []
    listener = telemetry.Telemetry(heard.append)
    with Session(wire="openai", window=4_000, on_event=listener) as session:
        session.add(*openai_talk(60))
        session.request()
    assert heard and telemetry.context_headers() == {}
    with listener.serve({}) as span:
        assert span is None


def test_a_proxied_request_continues_its_senders_trace_upstream() -> None:
    observed = Observed()
    with between(telemetry=observed.listener) as sut:
        ask_claude(
            sut.claude, [{"role": "user", "content": "Hi."}], extra_headers={"traceparent": PARENT}
        )
        sut.settled()
        (span,) = spans_named(observed, "chat")
        sent = sut.provider.heard[0].headers["traceparent"]
    assert sent == f"00-{TRACE}-{span.context.span_id:016x}-01"
    assert f"{span.parent.span_id:016x}" == SENDER
    assert span.attributes["gen_ai.provider.name"] == "anthropic"
    assert span.attributes["gen_ai.usage.input_tokens"] > 0
    assert span.attributes["gen_ai.conversation.id"]


def test_a_refused_request_is_an_error_and_a_compaction_is_inside_its_request() -> None:
    observed = Observed()
    talk = [{"role": "user", "content": f"Part {n}. " + "More of it. " * 400} for n in range(1)]
    for n in range(40):
        talk.append({"role": "assistant", "content": f"Seen {n}. " + "Fine. " * 400})
        talk.append({"role": "user", "content": f"Part {n}. " + "More of it. " * 400})
    refusal = Wrong(401, "who are you?")
    listener = observed.listener
    with between(refusal, on_event=listener, telemetry=listener) as sut:
        with pytest.raises(Exception, match="who are you"):
            ask_claude(sut.claude, talk)
        sut.settled()
    (span,) = spans_named(observed, "chat")
    (compaction,) = spans_named(observed, "compact")
    assert span.attributes["error.type"] == "401"
    assert span.status.status_code is StatusCode.ERROR
    assert compaction.parent.span_id == span.context.span_id
    assert "who are you" not in span.to_json()


def test_a_request_refused_here_ends_its_span_and_its_bill_is_counted() -> None:
    observed = Observed()
    with between(telemetry=observed.listener) as sut:
        asked = {"steno-policy": "no such policy"}
        with pytest.raises(Exception, match="400"):
            ask_claude(sut.claude, [{"role": "user", "content": "Hi."}], extra_headers=asked)
    (span,) = spans_named(observed, "chat")
    assert span.attributes["error.type"] == "BadInput"
    with observed.listener.serve({}) as served:
        assert served is not None
        served.finish("claude-sonnet-4-5", Usage(1_000), spent=1.25, spared=700)
    # The provider's surcharge for a cache that lives longer is in the bill, not in the usage.
    points = observed.points()
    assert sum(point.value for point in points["steno.cost"]) == 1.25
    assert sum(point.value for point in points["steno.request.spared"]) == 700


def test_a_gateway_continues_its_callers_trace() -> None:
    observed = Observed()
    caller = TracerProvider().get_tracer("caller")
    with (
        serving(Script("in short", name="gpt-5"), telemetry=observed.listener) as up,
        caller.start_as_current_span("caller") as outer,
    ):
        client = Gateway(up.address)
        client.answer(Ask("tell me"))
        client.close()
    (span,) = spans_named(observed, "chat gpt-5")
    assert span.parent.span_id == outer.get_span_context().span_id
    assert span.kind is SpanKind.SERVER


def prometheus_names() -> set[str]:
    """Return our metrics as an exporter for Prometheus names them."""
    names = {name.replace(".", "_") + "_seconds" for name in telemetry.HISTOGRAMS["s"]}
    names |= {name.replace(".", "_") for name in telemetry.HISTOGRAMS["{token}"]}
    return names | {name.replace(".", "_") + "_total" for name in telemetry.COUNTERS}


def test_the_dashboard_and_the_alerts_name_our_metrics() -> None:
    dashboard = json.loads((ROOT / "deploy/grafana/steno.json").read_text("utf-8"))
    shown = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    alerts = (ROOT / "deploy/prometheus/alerts.yaml").read_text("utf-8")
    queries = [line for line in alerts.splitlines() if "expr:" in line]
    used = {name for query in shown + queries for name in PROMETHEUS.findall(query)}
    assert used - prometheus_names() == set()
    assert prometheus_names() - {n for query in shown for n in PROMETHEUS.findall(query)} == set()
    page = (ROOT / "docs/internals/telemetry.md").read_text("utf-8")
    listed = {name for names in telemetry.HISTOGRAMS.values() for name in names}
    assert {name for name in listed | set(telemetry.COUNTERS) if f"\n{name} " not in page} == set()


def test_events_are_logged_under_steno(caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.DEBUG, "steno"),
        Session(wire="openai", window=8_000) as session,
    ):
        session.add({"role": "user", "content": "Hi."})
        session.recall("hi")
    assert any("recall.searched" in record.getMessage() for record in caplog.records)
