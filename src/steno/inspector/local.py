"""Whether a request is of this machine, and of our own page or no page at all."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping

_HOST = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([a-zA-Z0-9.-]+))(?::\d{1,5})?")


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_this_machine(host: str) -> bool:
    """Tell whether a `Host` header names this machine, and says nothing else."""
    found = _HOST.fullmatch(host)
    return found is not None and is_loopback((found[1] or found[2]).lower())


def refusal_of(headers: Mapping[str, str], client: str) -> str | None:
    """Return why a request of another machine or site (DNS rebinding) is refused, or None."""
    host = headers.get("host", "")
    if not names_this_machine(host) or not is_loopback(client):
        return "the inspector answers this machine only: Host must be loopback"
    origin = headers.get("origin", f"http://{host}")
    site = headers.get("sec-fetch-site", "none")
    if origin != f"http://{host}" or site not in ("none", "same-origin"):
        return "the inspector answers its own page only"
    return None
