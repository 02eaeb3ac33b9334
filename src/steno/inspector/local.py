"""Whether a request is of this machine, and of our own page or no page at all."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def refusal_of(headers: Mapping[str, str], client: str) -> str | None:
    """Return why a request is refused whatever it asks for; None if it may be answered.

    Another site's page may name this server, under its own name too (DNS rebinding): the browser
    tells by `Host`, `Origin` and `Sec-Fetch-Site`.
    """
    host = headers.get("host", "")
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        name = ""
    if not is_loopback(name) or not is_loopback(client):
        return "the inspector answers this machine only: Host must be loopback"
    origin = headers.get("origin", f"http://{host}")
    site = headers.get("sec-fetch-site", "none")
    if origin != f"http://{host}" or site not in ("none", "same-origin"):
        return "the inspector answers its own page only"
    return None
