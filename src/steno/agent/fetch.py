"""A tool that fetches text from the web: http and https, bounded in time and size.

A page can tell a model to fetch `http://localhost/…` or an address of the company's network.
So only public addresses are reached, also behind a redirect, and the address that was checked
is the one that is connected to. `private=True` allows the others.
"""

from __future__ import annotations

import html
import http.client
import ipaddress
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from steno.agent.tools import Tool, is_abandoned, tool_of
from steno.core.errors import BadInput

SECONDS = 20.0
BYTES_MOST = 2_000_000
TEXT_TYPE = re.compile(
    r"^(?:text/|application/(?:json|xml|xhtml|javascript|x-yaml))|\+(?:json|xml)\b"
)
_TAG_NAME = re.compile(r"/?[a-zA-Z][a-zA-Z0-9]*")
HIDDEN_TAGS = frozenset({"script", "style", "noscript", "template", "svg"})
"""Tags whose text is not shown."""
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
CHUNK = 65_536
"""Bytes that are read at once."""


def fetch_tool(*, private: bool = False) -> Tool:
    """Return a tool that fetches a page; with `private`, also from this machine and its network."""

    def fetch_url(url: str) -> str:
        """Fetch a page from the web and give its text."""
        _require_web_url(url)
        return _fetch(url, private)

    # Not safe: an address can carry data to the server that answers there.
    return tool_of(fetch_url)


def _require_web_url(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadInput(f"{url[:200]!r} is no address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"{url[:200]!r} is no http or https address")


def _is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        # An IPv4 address may be written inside: mapped, 6to4, or behind a translator.
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            ip = inner
    return ip.is_global and not ip.is_multicast


def _connect_to_public(
    address: tuple[str, int], timeout: Any = None, source_address: Any = None
) -> socket.socket:
    """Connect to a host only if it has public addresses alone; raise OSError otherwise."""
    host, port = address
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(place[4][0]) for place in found))
    if host not in _proxies() and not all(map(_is_public, addresses)):
        raise OSError(f"{host} is on this machine or its network, which is not allowed")
    problem: OSError = OSError(f"{host} has no address")
    for each in addresses:
        try:
            # By the address: a second look-up could give another one.
            return socket.create_connection((each, port), timeout, source_address)
        except OSError as error:
            problem = error
    raise problem


def _proxies() -> set[str]:
    """Return the hosts of the user's own proxies, which may stand in the local network."""
    return {urlsplit(proxy).hostname or "" for proxy in urllib.request.getproxies().values()}


class _PublicHTTP(http.client.HTTPConnection):
    def connect(self) -> None:
        self._create_connection = _connect_to_public
        super().connect()


class _PublicHTTPS(http.client.HTTPSConnection):
    def connect(self) -> None:
        self._create_connection = _connect_to_public
        super().connect()


class _PublicHTTPHandler(urllib.request.HTTPHandler):
    def http_open(self, req: Any) -> Any:
        return self.do_open(_PublicHTTP, req)


class _PublicHTTPSHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: Any) -> Any:
        return self.do_open(_PublicHTTPS, req, context=ssl.create_default_context())


class _WebOnlyRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects to anything but http and https."""

    def redirect_request(
        self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str
    ) -> Any:
        _require_web_url(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(private: bool) -> urllib.request.OpenerDirector:
    """Return an opener for http and https only: no files, no FTP."""
    opener = urllib.request.OpenerDirector()
    web: tuple[urllib.request.BaseHandler, ...] = (_PublicHTTPHandler(), _PublicHTTPSHandler())
    if private:
        web = (urllib.request.HTTPHandler(), urllib.request.HTTPSHandler())
    for handler in (
        urllib.request.ProxyHandler(),
        *web,
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _WebOnlyRedirects(),
    ):
        opener.add_handler(handler)
    return opener


def _fetch(url: str, private: bool) -> str:
    until = time.monotonic() + SECONDS
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "steno"})
        with _opener(private).open(request, timeout=SECONDS) as answer:
            kind = answer.headers.get_content_type()
            charset = answer.headers.get_content_charset() or "utf-8"
            is_text = TEXT_TYPE.search(kind) is not None
            data = b""
            if is_text:
                data = _read_body(answer, until)
    except urllib.error.HTTPError as error:
        with error:
            raise BadInput(f"{url} answered {error.code} {error.reason}") from None
    except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or str(error) or type(error).__name__
        raise BadInput(f"{url} cannot be fetched: {reason}") from None
    if not is_text:
        raise BadInput(f"{url} is {kind}, which is no text")
    text = data[:BYTES_MOST].decode(_usable_charset(charset), "replace")
    if "html" in kind:
        text = _html_to_text(text)
    if len(data) > BYTES_MOST:
        text += f"\n[only the first {BYTES_MOST:,} bytes]"
    return text


def _read_body(answer: Any, until: float) -> bytes:
    """Read the body up to the limit; raise TimeoutError if all of it takes too long."""
    # The opener's timeout counts for each read: a server that drips would never reach it.
    data = bytearray()
    while len(data) <= BYTES_MOST and (more := answer.read1(CHUNK)):
        data += more
        if time.monotonic() > until or is_abandoned():
            raise TimeoutError(f"it took longer than {SECONDS:g} seconds")
    return bytes(data)


def _usable_charset(charset: str) -> str:
    try:
        "".encode(charset)
    except LookupError:
        return "utf-8"
    return charset


def _html_to_text(page: str) -> str:
    """Return the words of a page, a line each."""
    # One pass of splits: a hostile page must not cost more than its length.
    lines: list[str] = []
    hidden_by = ""
    for part in f">{page}".split("<"):
        end = ">"
        if part.startswith("!--") or hidden_by == "!--":
            end = "-->"
        tag, closed, text = part.partition(end)
        hidden_by = _hiding_tag(tag, hidden_by, bool(closed))
        if not hidden_by and text.strip():
            lines.append(" ".join(html.unescape(text).split()))
    return "\n".join(lines)


def _hiding_tag(tag: str, hidden_by: str, closed: bool) -> str:
    """Return what hides the words after a tag: a comment, a script, or mostly nothing."""
    if hidden_by == "!--" or tag.startswith("!--"):
        if closed:
            return ""
        return "!--"
    found = _TAG_NAME.match(tag)
    name = ""
    if found:
        name = found[0].lower()
    if hidden_by:
        if name == f"/{hidden_by}":
            return ""
        return hidden_by
    if name in HIDDEN_TAGS and not tag.endswith("/"):
        return name
    return ""
