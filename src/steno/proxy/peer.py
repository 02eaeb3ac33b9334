"""Whose process is at the other end of a connection on this machine, where the kernel says it."""

from __future__ import annotations

import os
import sys
from ipaddress import ip_address
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""Linux's own; other systems have no file that says it."""
ROOT, NOBODY = 0, -1


def is_own_process(client: tuple[str, int], port: int) -> bool:
    """Tell whether a client of a local port runs as this user, or as root.

    True as well where nothing says whose it is.
    """
    user = _user_of(client, port)
    return user in (None, ROOT) or user == os.getuid()


def _user_of(client: tuple[str, int], port: int) -> int | None:
    """Return the user of the process that holds a connection from an address to a local port."""
    # Each word of 32 bits stands in the order of the processor.
    packed = ip_address(client[0]).packed
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    host = "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
    there, here = f"{host}:{client[1]:04X}", f":{port:04X}"
    for table in filter(Path.exists, TABLES):
        for row in table.read_text().splitlines()[1:]:
            _, local, remote, _, _, _, _, user, _, inode, *_ = row.split()
            if local == there and remote.endswith(here):
                # Once its process has closed it, a connection has no inode, and says root.
                return int(user) if inode != "0" else NOBODY
    return None
