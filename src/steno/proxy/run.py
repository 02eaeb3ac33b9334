"""Runs a proxy: in this thread until a signal stops it, or in a thread of its own."""

from __future__ import annotations

import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Protocol

from steno.core.errors import BadInput, needs_extra

try:
    import uvicorn
    from starlette.types import ASGIApp
except ImportError as failure:
    raise needs_extra("the proxy needs packages", "proxy") from failure

GRACE_SECONDS = 10
"""Time that running streams get to end after a stop."""
START_SECONDS = 60.0
"""Time to start in a thread; a busy machine may need some of it to load the server."""
TOKEN_BYTES = 16
SWITCH_SECONDS = 0.0005
"""Time after which a thread at work lets streams go on; Python's default is ten times that."""


def new_token() -> str:
    """Return a random token, of letters that a path can hold."""
    return secrets.token_urlsafe(TOKEN_BYTES)


class Served(Protocol):
    """What can be run: a proxy, or an inspector."""

    app: ASGIApp
    stopping: Callable[[], bool]

    def close(self) -> None: ...


class RunningProxy:
    """A proxy that listens; its socket is open from the beginning, so its port is known."""

    def __init__(self, proxy: Served, host: str = "127.0.0.1", port: int = 0) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # asyncio sends small pieces at once only over a socket that is known to be TCP; over any
        # other the first piece after the headers waits 40 ms for the client's acknowledgement.
        self._socket = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
            # A client that reads the address can connect before the server has started.
            self._socket.listen()
        except OSError as failure:
            self._socket.close()
            raise BadInput(f"cannot listen on {host}:{port}: {failure.strerror}") from None
        except OverflowError:
            self._socket.close()
            raise BadInput(f"there is no port {port}: the last is 65535") from None
        self.proxy = proxy
        self.port = int(self._socket.getsockname()[1])
        self.host = host
        self._server = uvicorn.Server(
            uvicorn.Config(
                proxy.app,
                # An upstream that breaks off is our own line in the log, not a traceback.
                log_level="critical",
                access_log=False,
                # Each costs a request something, and no path here uses either.
                proxy_headers=False,
                ws="none",
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        proxy.stopping = lambda: self._server.should_exit
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        host = self.host
        if ":" in host:
            host = f"[{host}]"
        return f"http://{host}:{self.port}"

    def run(self) -> None:
        """Serve in this thread until Ctrl-C or a service manager's signal."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            self._server.run(sockets=[self._socket])
        finally:
            sys.setswitchinterval(before)
            # The server closes them, but not if Ctrl-C comes before it has started.
            self._socket.close()
            self.proxy.close()

    def __enter__(self) -> RunningProxy:
        self._thread = threading.Thread(target=self.run, name="steno-proxy", daemon=True)
        self._thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._server.started:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise BadInput("the proxy did not start")
            time.sleep(0.005)
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
        self._socket.close()
