"""`steno gateway`: serve a model by gRPC until it is stopped."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Annotated

from steno.cli.options import flag, option
from steno.core.errors import BadInput
from steno.gateway.client import TOKEN_VARIABLE
from steno.gateway.server import serve
from steno.models import resolve_model

GRACE_SECONDS = 5.0
"""Time that running calls get to end after a stop."""
WAIT_SECONDS = 0.1
"""Time between two looks whether a signal came."""


def gateway(
    model: Annotated[str, option("--model -m", "NAME", "The model that answers.")],
    listen: Annotated[
        str, option("--listen", "HOST:PORT", "The address to listen on.")
    ] = "127.0.0.1:50051",
    route: Annotated[
        list[str] | None,
        option("--route", "COMPLEXITY=NAME", "Another model for calls of a complexity."),
    ] = None,
    token_file: Annotated[
        str | None, option("--token-file", "FILE", "The token that callers must send.")
    ] = None,
    cert: Annotated[str | None, option("--cert", "FILE", "TLS: the certificate.")] = None,
    key: Annotated[str | None, option("--key", "FILE", "TLS: its key.")] = None,
    insecure: Annotated[
        bool, flag("--insecure", "Listen beyond this machine without TLS and token.")
    ] = False,
    width: Annotated[int, option("--width", "N", "Calls at the same time.", min=1)] = 16,
    seconds: Annotated[
        float, option("--seconds", "SECONDS", "Time for one call at most.", min=0.1)
    ] = 120.0,
) -> None:
    """Serve a model by gRPC, whole answers or streamed, for agents on other machines.

    It listens on this machine only; for other machines, TLS and a token are required. Calls over
    --width wait in a queue; when 64 wait, more are refused with a time to come back. The protocol
    is steno/gateway/v1/gateway.proto. The token is in --token-file or in STENO_GATEWAY_TOKEN.

    Examples

      steno gateway --model openai:gpt-5-mini --route complex=openai:gpt-5
      steno gateway -m http://localhost:11434/v1#qwen3 --listen 127.0.0.1:50051
      steno gateway -m openai:gpt-5 --listen 0.0.0.0:443 --cert c.pem --key k.pem
    """
    routes = {}
    for text in route or ():
        complexity, _, name = text.partition("=")
        if not name:
            raise BadInput(
                f"--route takes COMPLEXITY=MODEL, like complex=openai:gpt-5, got {text!r}"
            )
        routes[complexity] = resolve_model(name)
    server = serve(
        resolve_model(model),
        listen,
        routes=routes,
        token=_read_token(token_file),
        cert=cert,
        key=key,
        insecure=insecure,
        width=width,
        seconds=seconds,
    )
    scheme = "grpc"
    if cert is not None:
        scheme = "grpcs"
    lines = [f"{model} at {scheme}://{server.address}", *(route or ()), "Ctrl-C stops it"]
    sys.stderr.write("\n  ".join(lines) + "\n")
    # Flushed at once: a program that starts the gateway waits for this line.
    sys.stderr.flush()
    wait_for_signal()
    server.stop(GRACE_SECONDS)


def wait_for_signal() -> None:
    """Wait for Ctrl-C or a service manager; both end it the same way, with a grace for calls."""
    # Not a `threading.Event`: a handler runs in this thread, and would wait for ever for the
    # lock that `Event.wait` holds at that moment.
    heard: list[int] = []
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda at, _: heard.append(at)) for number in signals]
    while not heard:
        time.sleep(WAIT_SECONDS)
    for number, handler in zip(signals, before, strict=True):
        signal.signal(number, handler)


def _read_token(path: str | None) -> str | None:
    if path is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    token = Path(path).read_text("utf-8").strip()
    if not token:
        raise BadInput(f"the token file {path!r} is empty")
    return token
