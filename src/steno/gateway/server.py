"""A gateway: any model behind one address, by gRPC, for agents that run elsewhere.

Owns the server: where it listens and who may call. It listens on loopback only; beyond that it
demands TLS and a token, unless `insecure` says otherwise. What a call does is in `calls`, how many
run at once in `admission`.
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
from steno.gateway.calls import CallRecord, GatewayCalls
from steno.gateway.client import LOOPBACK, MESSAGE_MOST, check_token, read_pem
from steno.gateway.v1 import INFERENCE, SERVICE, STREAM, messages
from steno.telemetry import Telemetry

SPARE = 8
"""Threads beside those of the gate, for refusals."""
PENDING_MOST = 256
"""Calls that may wait for one of them, to be refused with a reason; gRPC refuses the rest."""


@dataclass(frozen=True)
class GatewayServer:
    """A running gateway."""

    host: str
    port: int
    gate: Gate
    server: Any
    workers: ThreadPoolExecutor

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    def wait(self) -> None:
        self.server.wait_for_termination()

    def stop(self, grace: float | None = None) -> None:
        """Take no more calls; those that run have `grace` seconds to end."""
        self.server.stop(grace).wait()
        self.workers.shutdown(wait=False)


@contextmanager
def serving(model: Any, **how: Any) -> Iterator[GatewayServer]:
    """Serve a model for the length of a `with` block; takes the options of `serve`."""
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
    on_call: Callable[[CallRecord], object] = lambda called: None,
    telemetry: Telemetry | None = None,
) -> GatewayServer:
    """Start a gateway for a model.

    listen: host and port; port 0 lets the system choose one.
    routes: models by complexity, for calls that name one; the others go to `model`.
    token: demanded from every caller.
    cert, key: files for TLS.
    insecure: listen beyond loopback without TLS and a token.
    width: calls that run at once.
    queue: calls that may wait.
    seconds: longest time of a call.
    on_call: function that is called with a record of every call.
    telemetry: makes spans and metrics of calls; None is one with the program's own providers.
    """
    messages()
    host, port = _parse_address(listen)
    wrong = set(routes or ()) - set(get_args(Complexity))
    if wrong:
        raise BadInput(
            f"there is no complexity {min(wrong)!r}; there are {', '.join(get_args(Complexity))}"
        )
    if width < 1 or queue < 0:
        raise BadInput("width is at least 1, and queue at least 0")
    if not seconds > 0:
        raise BadInput("seconds is more than 0")
    check_token(token)
    credentials = _credentials(cert, key)
    if host not in LOOPBACK and not insecure:
        _require_security(host, credentials is not None, token is not None)
    gate = Gate(width, queue)
    telemetry = telemetry or Telemetry()
    calls = GatewayCalls(model, dict(routes or {}), gate, seconds, on_call, telemetry=telemetry)
    # A call that waits in the gate holds a thread just as one that runs.
    server, workers = _server(calls, token, width + queue + SPARE)
    up = GatewayServer(host, 0, gate, server, workers)
    try:
        up = replace(up, port=_bind(server, host, port, credentials))
    # Its threads are open by now.
    except BaseException:
        up.stop()
        raise
    server.start()
    return up


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

    return grpc.ssl_server_credentials([(read_pem(key), read_pem(cert))])


def _server(calls: GatewayCalls, token: str | None, workers: int) -> tuple[Any, ThreadPoolExecutor]:
    import grpc

    pool = ThreadPoolExecutor(workers, thread_name_prefix="steno-gateway")
    interceptors = []
    if token is not None:
        interceptors.append(_token_interceptor(token))
    server = grpc.server(
        pool,
        interceptors=interceptors,
        options=[
            ("grpc.max_receive_message_length", MESSAGE_MOST),
            ("grpc.max_send_message_length", MESSAGE_MOST),
            ("grpc.so_reuseport", 0),  # a second gateway on a port is an error, not a surprise
        ],
        maximum_concurrent_rpcs=workers + PENDING_MOST,
    )
    server.add_generic_rpc_handlers((_handlers(calls),))
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


def _bind(server: Any, host: str, port: int, credentials: Any) -> int:
    place = f"{host}:{port}"
    try:
        if credentials is None:
            return int(server.add_insecure_port(place))
        return int(server.add_secure_port(place, credentials))
    except RuntimeError:
        reason = f"cannot listen at {place}: it is taken, or not an address of this machine"
        if credentials is not None:
            reason += ", or the certificate and its key are no PEM that belong together"
        raise BadInput(reason) from None


def _token_interceptor(token: str) -> Any:
    """Return what checks the token of each call; gRPC's class is imported only here."""
    import grpc

    wanted = f"Bearer {token}".encode()

    def refuse(request: Any, context: Any) -> None:
        abort_call(
            context, Refusal("auth", "the token is missing or wrong", code="UNAUTHENTICATED")
        )

    refusing = grpc.unary_unary_rpc_method_handler(refuse)

    class TokenInterceptor(grpc.ServerInterceptor):  # type: ignore[misc]
        """Admits calls with the token."""

        def intercept_service(self, continuation: Any, details: Any) -> Any:
            given = dict(details.invocation_metadata or ()).get("authorization", "")
            if not isinstance(given, bytes):
                given = str(given).encode()
            # In constant time: the time of a plain comparison tells how much of a guess is right.
            if hmac.compare_digest(given, wanted):
                return continuation(details)
            return refusing

    return TokenInterceptor()
