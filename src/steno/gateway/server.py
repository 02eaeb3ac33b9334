"""The server of a gateway: where it listens, who may call, and what else it answers.

Loopback alone, unless told otherwise; beyond it TLS and a token are demanded.
Health and reflection are there as gRPC's own tools expect them. What a call does
is `calls`' business, how many run at once the gate's.

A gateway: any model of Steno's behind one address, by gRPC, for agents that are elsewhere.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, get_args

from steno.core.errors import BadInput
from steno.core.model import Complexity
from steno.gateway.admission import Gate, Refusal, abort_call
from steno.gateway.calls import GatewayCalls
from steno.gateway.metrics import CallRecord, Metrics
from steno.gateway.v1 import INFERENCE, NEEDS, SERVICE, STREAM, messages
from steno.models.gateway import LOOPBACK, MESSAGE_MOST, check_token

SPARE = 8
"""Threads beside those of the gate: for health, reflection and refusals."""
PENDING_MOST = 256
"""Calls that wait for one of them, to be refused in words; what is over that gRPC itself refuses."""
HEALTH = "/grpc.health.v1.Health/"


@dataclass(frozen=True)
class GatewayServer:
    """A gateway that is up."""

    host: str
    port: int
    gate: Gate
    metrics: Metrics | None
    server: Any
    workers: ThreadPoolExecutor

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    def wait(self) -> None:
        self.server.wait_for_termination()

    def stop(self, grace: float | None = None) -> None:
        """Take no more calls, and let those that run end within the grace."""
        self.server.stop(grace).wait()
        self.workers.shutdown(wait=False)
        if self.metrics is not None:
            self.metrics.close()


@contextmanager
def serving(model: Any, **how: Any) -> Iterator[GatewayServer]:
    """A gateway for as long as it is needed; what `served` takes."""
    up = serve(model, **how)
    try:
        yield up
    finally:
        up.stop()


def serve(
    model: Any,
    listen: str = "127.0.0.1:0",
    *,
    routes: Mapping[str, Any] | None = None,
    token: str | None = None,
    cert: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    insecure: bool = False,
    width: int = 16,
    queue: int = 64,
    seconds: float = 120.0,
    message_most: int = MESSAGE_MOST,
    metrics: int | None = None,
    told: Callable[[CallRecord], object] = lambda called: None,
) -> GatewayServer:
    """Serve a model, and those of the routes; port 0 lets the system choose one, `told` hears of every call."""
    messages()
    host, port = _parse_address(listen)
    wrong = set(routes or ()) - set(get_args(Complexity))
    if wrong:
        raise BadInput(
            f"there is no complexity {min(wrong)!r}; there are {', '.join(get_args(Complexity))}"
        )
    if width < 1 or queue < 0:
        raise BadInput("width is at least 1, and queue at least 0")
    if not seconds > 0 or message_most < 1:
        raise BadInput("seconds and the size of a message are more than 0")
    check_token(token)
    credentials = _credentials(cert, key)
    if host not in LOOPBACK and not insecure:
        _require_security(host, credentials is not None, token is not None)
    gate = Gate(width, queue)
    meter = None if metrics is None else Metrics(gate, metrics)
    calls = GatewayCalls(
        model, dict(routes or {}), gate, seconds, told if meter is None else _tell_all(meter, told)
    )
    server, workers = _server(calls, token, width + queue + SPARE, message_most)
    up = GatewayServer(host, 0, gate, meter, server, workers)
    try:
        up = replace(up, port=_bind(server, host, port, credentials))
    except BaseException:
        up.stop()
        raise
    server.start()
    return up


def _tell_all(*told: Callable[[CallRecord], object]) -> Callable[[CallRecord], object]:
    return lambda called: [each(called) for each in told]


def _parse_address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    if ":" in host and not (host.startswith("[") and host.endswith("]")):
        raise BadInput(
            f"--listen takes an IPv6 address in brackets, such as [::1]:50051, got {listen!r}"
        )
    if not host or not port.isdigit() or int(port) > 65_535:
        raise BadInput(f"--listen takes host:port, such as 127.0.0.1:50051, got {listen!r}")
    return host, int(port)


def _require_security(host: str, tls: bool, token: bool) -> None:
    missing = [
        what
        for what, there in (("TLS (--cert, --key)", tls), ("a token (--token-file)", token))
        if not there
    ]
    if missing:
        raise BadInput(
            f"{host} can be reached from other machines: that takes {' and '.join(missing)}, "
            "or --insecure where the network is yours"
        )


def _credentials(cert: str | os.PathLike[str] | None, key: str | os.PathLike[str] | None) -> Any:
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise BadInput("TLS takes both: a certificate and its key")
    import grpc

    try:
        with open(cert, "rb") as chain, open(key, "rb") as private:
            return grpc.ssl_server_credentials([(private.read(), chain.read())])
    except OSError as error:
        raise BadInput(f"{error.filename} cannot be read: {error.strerror}") from None


def _server(
    calls: GatewayCalls, token: str | None, workers: int, message_most: int
) -> tuple[Any, ThreadPoolExecutor]:
    import grpc

    pool = ThreadPoolExecutor(workers, thread_name_prefix="steno-gateway")
    server = grpc.server(
        pool,
        interceptors=[_token_interceptor(token)] if token is not None else [],
        options=[
            ("grpc.max_receive_message_length", message_most),
            ("grpc.max_send_message_length", message_most),
            ("grpc.so_reuseport", 0),  # a second gateway on a port is an error, not a surprise
        ],
        maximum_concurrent_rpcs=workers + PENDING_MOST,
    )
    server.add_generic_rpc_handlers((_handlers(calls),))
    _add_health_and_reflection(server)
    return server, pool


def _handlers(calls: GatewayCalls) -> Any:
    import grpc

    pb = messages()
    read = pb.InferenceRequest.FromString
    return grpc.method_handlers_generic_handler(
        SERVICE,
        {
            INFERENCE: grpc.unary_unary_rpc_method_handler(
                calls.inference,
                request_deserializer=read,
                response_serializer=pb.InferenceResponse.SerializeToString,
            ),
            STREAM: grpc.unary_stream_rpc_method_handler(
                calls.stream,
                request_deserializer=read,
                response_serializer=pb.StreamInferenceResponse.SerializeToString,
            ),
        },
    )


def _add_health_and_reflection(server: Any) -> None:
    """Health and reflection."""
    try:
        from grpc_health.v1 import health, health_pb2, health_pb2_grpc
        from grpc_reflection.v1alpha import reflection
    except ImportError:
        raise BadInput(NEEDS) from None
    alive = health.HealthServicer()
    for name in ("", SERVICE):
        alive.set(name, health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(alive, server)
    reflection.enable_server_reflection(
        (SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), server
    )


def _bind(server: Any, host: str, port: int, credentials: Any) -> int:
    place = f"{host}:{port}"
    try:
        if credentials is None:
            return int(server.add_insecure_port(place))
        return int(server.add_secure_port(place, credentials))
    except RuntimeError:
        wrong = (
            ""
            if credentials is None
            else ", or the certificate and its key are no PEM that belong together"
        )
        raise BadInput(
            f"{place} cannot be listened at: it is taken, or not this machine's{wrong}"
        ) from None


def _token_interceptor(token: str) -> Any:
    """Who lets callers in; made here, because its class is gRPC's."""
    import grpc

    wanted = f"Bearer {token}".encode()

    def refuse(request: Any, context: Any) -> None:
        abort_call(
            context, Refusal("auth", "the token is missing or wrong", code="UNAUTHENTICATED")
        )

    refusing = grpc.unary_unary_rpc_method_handler(refuse)

    class Door(grpc.ServerInterceptor):  # type: ignore[misc]
        """Lets in whoever brings the token; health is everybody's."""

        def intercept_service(self, continuation: Any, details: Any) -> Any:
            brought = dict(details.invocation_metadata or ()).get("authorization", "")
            said = brought if isinstance(brought, bytes) else str(brought).encode()
            if details.method.startswith(HEALTH) or hmac.compare_digest(said, wanted):
                return continuation(details)
            return refusing

    return Door()


__all__ = ["GatewayServer", "serving"]
