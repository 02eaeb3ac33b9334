"""A proxy of one run serves the user who began it, and no other of the machine."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from steno.proxy.peer import TABLES, is_own_process
from tests.proxy.test_proxy import between

OTHER = 65_534
pytestmark = pytest.mark.skipif(not TABLES[0].exists(), reason="the system does not say it")


@contextmanager
def connected(host: str, port: int, user: int | None, sends: bytes = b"") -> Iterator[int]:
    """Yield the answering end of a pipe from a process that connects to an address."""
    # Here: what it imports may be closed to others.
    target = socket.getaddrinfo(host, port)[0][-1][:2]
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            if user is not None:
                os.setuid(user)
            with socket.create_connection(target) as line:
                line.sendall(sends)
                os.write(write, line.recv(100))
        finally:
            os._exit(0)
    os.close(write)
    try:
        yield read
    finally:
        os.close(read)
        os.waitpid(child, 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("user", [None, OTHER])
def test_the_kernel_says_whose_a_connection_is(host: str, user: int | None) -> None:
    if user is not None and os.getuid() != 0:
        pytest.skip("only root can be somebody else")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:
        port = server.getsockname()[1]
        server.settimeout(20)
        with connected(host, port, user):
            line, client = server.accept()
            assert is_own_process(client[:2], port) == (user is None)
            line.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize("own_user", [True, False])
def test_another_user_who_has_the_token_is_not_served(own_user: bool) -> None:
    asked = b"GET /secret/stats HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    with between(settings={"own_user": own_user}) as there:
        assert there.http.get(f"{there.address}/stats").status_code == 200
        address = urlsplit(there.address)
        with connected(address.hostname or "", address.port or 0, OTHER, asked) as answer:
            status = os.read(answer, 100).split()[1]
    assert status == (b"403" if own_user else b"200")


def test_a_connection_that_nothing_names_is_not_refused() -> None:
    assert sys.platform == "linux" and is_own_process(("192.0.2.1", 9), 9)
