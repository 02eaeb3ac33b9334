"""A gateway's figures for Prometheus: calls by outcome, seconds, tokens, load.

No text of a call is kept or shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from steno.core.errors import BadInput, needs_extra
from steno.core.model import Usage
from steno.gateway.admission import Gate

BUCKETS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


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


class Metrics:
    """Counts calls, and serves the figures on a port of this machine."""

    def __init__(self, gate: Gate, port: int, host: str = "127.0.0.1") -> None:
        try:
            import prometheus_client as prometheus
        except ImportError:
            raise needs_extra("metrics need a package", "gateway") from None
        # The registry of the process would refuse the figures of a second gateway.
        self.registry = prometheus.CollectorRegistry()
        own: dict[str, Any] = {"registry": self.registry}
        self._calls = prometheus.Counter(
            "steno_gateway_calls",
            "Calls, by how they ended",
            ["method", "complexity", "code"],
            **own,
        )
        self._seconds = prometheus.Histogram(
            "steno_gateway_seconds", "Seconds of a call", ["method"], buckets=BUCKETS, **own
        )
        self._tokens = prometheus.Counter(
            "steno_gateway_tokens", "Tokens, sent and said", ["which"], **own
        )
        running = prometheus.Gauge("steno_gateway_running", "Calls that run now", **own)
        waiting = prometheus.Gauge("steno_gateway_waiting", "Calls that wait for a place", **own)
        running.set_function(lambda: gate.running)
        waiting.set_function(lambda: gate.waiting)
        try:
            self._server, self._thread = prometheus.start_http_server(
                port, host, registry=self.registry
            )
        except OSError as error:
            raise BadInput(f"metrics cannot be had at {host}:{port}: {error.strerror}") from None
        self.port = self._server.server_port

    def __call__(self, called: CallRecord) -> None:
        # Session and user are no labels: each value of a label is a series of its own.
        self._calls.labels(called.method, called.complexity, called.code).inc()
        self._seconds.labels(called.method).observe(called.seconds)
        self._tokens.labels("sent").inc(called.usage.sent)
        self._tokens.labels("said").inc(called.usage.said)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
