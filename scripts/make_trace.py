"""Draw the trace of one agent session with a compaction, from OpenTelemetry's own exporter.

    python scripts/make_trace.py             write docs/internals/telemetry.md
    python scripts/make_trace.py --check     say whether it is out of date

The agent is scripted: it reads eight files in a window of 8,000 tokens, looks one thing up and
answers. Durations are left out of the drawing, since they differ with each run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from steno import Script, Session, Writer
from steno.agent import ReactLoop
from steno.core.effects import Limits
from steno.core.message import Call
from steno.telemetry import Telemetry

PAGE = Path(__file__).parent.parent / "docs" / "internals" / "telemetry.md"
BEGIN, END = "<!-- trace -->\n", "<!-- /trace -->\n"
SHOWN = {
    "compact": ("why", "technique", "before", "after", "calls"),
    "retrieval": ("hits",),
}
FILES = 8


class Observed:
    """A listener, and what it gave to OpenTelemetry's exporters."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.reader = InMemoryMetricReader()
        tracers = TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.listener = Telemetry(tracers=tracers, meters=MeterProvider([self.reader]))

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()

    def points(self) -> dict[str, list[Any]]:
        """Return the data points of each metric that has any."""
        data = self.reader.get_metrics_data()
        found: dict[str, list[Any]] = {}
        for resource in data.resource_metrics if data else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    found[metric.name] = list(metric.data.data_points)
        return found


def read_file(number: int) -> str:
    """Return a file."""
    return "\n".join(f"row {row} of file {number}: nothing unusual here" for row in range(120))


def run_session() -> Observed:
    """Run the scripted agent once."""
    observed = Observed()
    calls = [
        [f"Reading {n}.", Call(f"c{n}", "read_file", f'{{"number": {n}}}')] for n in range(FILES)
    ]
    look = ["Looking it up.", Call("r", "recall", '{"query": "row 7 of file 2"}')]
    model = Script(*calls, look, "All eight files are fine.", name="gpt-5", wire="openai")
    session = Session(
        name="nightly-import",
        user="ann",
        agent_name="reader",
        window=8_000,
        reserve=1_000,
        wire="openai",
        # One call after the other, so that each drawing has the same order.
        writer=Writer(Script("The files hold rows.", name="gpt-5-mini"), limits=Limits(width=1)),
        on_event=observed.listener,
    )
    with session:
        for _ in ReactLoop(model, [read_file]).run("Read the eight files.", session):
            pass
    return observed


def draw(spans: tuple[ReadableSpan, ...]) -> str:
    """Return the spans as a tree, in the order in which they began."""
    ids = {span.context.span_id for span in spans if span.context}
    roots = [span for span in spans if span.parent is None or span.parent.span_id not in ids]
    lines: list[str] = []

    def add(span: ReadableSpan, depth: int) -> None:
        lines.append("   " * depth + describe(span))
        assert span.context is not None
        below = [
            each for each in spans if each.parent and each.parent.span_id == span.context.span_id
        ]
        for each in sorted(below, key=lambda each: each.start_time or 0):
            add(each, depth + 1)

    for root in roots:
        add(root, 0)
    return "\n".join(lines)


def describe(span: ReadableSpan) -> str:
    """Return one line for a span: its name and the figures that stay the same."""
    attributes = dict(span.attributes or {})
    figures = []
    for kind, names in SHOWN.items():
        if span.name == kind:
            place = {"compact": "steno.compaction", "retrieval": "steno.recall"}[kind]
            figures = [f"{name}={attributes[f'{place}.{name}']}" for name in names]
    if span.name.startswith("chat"):
        sent = attributes["gen_ai.usage.input_tokens"]
        figures = [f"in={sent}", f"out={attributes['gen_ai.usage.output_tokens']}"]
        if attributes.get("gen_ai.conversation.compacted"):
            figures.append("compacted")
    if span.name.startswith("invoke_agent"):
        names = {"session": "gen_ai.conversation.id", "user": "user.id"}
        names |= {name: f"steno.run.{name}" for name in ("turns", "outcome")}
        figures = [f"{short}={attributes[name]}" for short, name in names.items()]
    return " ".join([span.name, *figures])


def parts(text: str) -> Iterator[str]:
    """Yield a page before and after its drawing."""
    yield text[: text.index(BEGIN) + len(BEGIN)]
    yield text[text.index(END) :]


def page() -> str:
    """Return the page with a new drawing."""
    before, after = parts(PAGE.read_text(encoding="utf-8"))
    return f"{before}\n```text\n{draw(run_session().spans)}\n```\n\n{after}"


def main() -> int:
    made = page()
    if "--check" in sys.argv:
        return int(made != PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
