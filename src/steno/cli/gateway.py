"""`steno gateway`: a model behind one address, until somebody stops it.

Owns what is said on the terminal and the end by a signal; what is served, and to
whom, is `steno.gateway.server`'s business.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steno.cli.options import DONE
from steno.cli.research import command_line_model
from steno.core.errors import BadInput
from steno.gateway.server import GatewayServer, serve
from steno.models.gateway import MESSAGE_MOST, TOKEN_VARIABLE

GRACE_SECONDS = 5.0
"""Seconds that calls have to end in, once somebody stops it."""


@dataclass(frozen=True)
class GatewayCommandOptions:
    model: str
    listen: str = "127.0.0.1:50051"
    routes: Sequence[str] = ()
    token_file: str | None = None
    cert: str | None = None
    key: str | None = None
    insecure: bool = False
    width: int = 16
    queue: int = 64
    seconds: float = 120.0
    message_most: int = MESSAGE_MOST
    metrics: int | None = None


def gateway(asked: GatewayCommandOptions) -> int:
    routes = dict(_parse_route(said) for said in asked.routes)
    up = serve(
        command_line_model(asked.model),
        asked.listen,
        routes=routes,
        token=_read_token(asked.token_file),
        cert=asked.cert,
        key=asked.key,
        insecure=asked.insecure,
        width=asked.width,
        queue=asked.queue,
        seconds=asked.seconds,
        message_most=asked.message_most,
        metrics=asked.metrics,
    )
    _announce(up, asked)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()
    up.stop(GRACE_SECONDS)
    return DONE


def _announce(up: GatewayServer, asked: GatewayCommandOptions) -> None:
    scheme = "grpc" if asked.cert is None else "grpcs"
    said = [f"{asked.model} at {scheme}://{up.address}", *(f"  {route}" for route in asked.routes)]
    if up.metrics is not None:
        said.append(f"  metrics at http://127.0.0.1:{up.metrics.port}/metrics")
    sys.stderr.write("\n".join([*said, "  ctrl-c ends it", ""]))
    sys.stderr.flush()


def _parse_route(said: str) -> tuple[str, Any]:
    complexity, equals, model = said.partition("=")
    if not equals or not model:
        raise BadInput(
            f"--route takes COMPLEXITY=MODEL, such as complex=openai:gpt-5, got {said!r}"
        )
    return complexity, command_line_model(model)


def _read_token(path: str | None) -> str | None:
    if path is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        token = Path(path).read_text("utf-8").strip()
    except OSError as error:
        raise BadInput(f"the token file {path!r} cannot be read: {error.strerror}") from None
    if not token:
        raise BadInput(f"the token file {path!r} is empty")
    return token
