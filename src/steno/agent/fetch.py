"""Fetching a page, where it is allowed: http and https, bounded in time and size, text alone."""

from __future__ import annotations

import html
import http.client
import re
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


CHUNK = 65_536


def fetch_tool() -> Tool:
    def fetch_url(url: str) -> str:
        """Fetch a page from the web and give its text."""
        _require_web_url(url)
        return _fetch(url)

    # Not safe: what an address says goes out to whoever answers there.
    return tool_of(fetch_url)


def _require_web_url(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadInput(f"{url[:200]!r} is no address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"{url[:200]!r} is no http or https address")


class _WebOnlyRedirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only from the web to the web."""

    def redirect_request(
        self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str
    ) -> Any:
        _require_web_url(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> urllib.request.OpenerDirector:
    """Knows the web and nothing else: no files, no FTP."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _WebOnlyRedirects(),
    ):
        opener.add_handler(handler)
    return opener


def _fetch(url: str) -> str:
    until = time.monotonic() + SECONDS
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "steno"})
        with _opener().open(request, timeout=SECONDS) as answer:
            kind = answer.headers.get_content_type()
            charset = answer.headers.get_content_charset() or "utf-8"
            data = _read_body(answer, until) if TEXT_TYPE.search(kind) else b""
    except urllib.error.HTTPError as error:
        with error:
            raise BadInput(f"{url} answered {error.code} {error.reason}") from None
    except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
        raise BadInput(
            f"{url} cannot be fetched: {getattr(error, 'reason', None) or _error_text(error)}"
        ) from None
    if not TEXT_TYPE.search(kind):
        raise BadInput(f"{url} is {kind}, which is no text")
    text = data[:BYTES_MOST].decode(_usable_charset(charset), "replace")
    cut = f"\n[only the first {BYTES_MOST:,} bytes]" if len(data) > BYTES_MOST else ""
    return (_html_to_text(text) if "html" in kind else text) + cut


def _read_body(answer: Any, until: float) -> bytes:
    """As much as is wanted, within the time for all of it: a server that drips is not waited for."""
    data = bytearray()
    while len(data) <= BYTES_MOST and (more := answer.read1(CHUNK)):
        data += more
        if time.monotonic() > until or is_abandoned():
            raise TimeoutError(f"it took longer than {SECONDS:g} seconds")
    return bytes(data)


def _error_text(error: Exception) -> str:
    return str(error) or type(error).__name__


def _usable_charset(charset: str) -> str:
    try:
        "".encode(charset)
    except LookupError:
        return "utf-8"
    return charset


def _html_to_text(page: str) -> str:
    """The words of a page, a line each; one pass, because a page may be made to hurt whoever parses it."""
    lines: list[str] = []
    silent = ""
    for part in f">{page}".split("<"):
        tag, closed, text = part.partition(
            "-->" if part.startswith("!--") or silent == "!--" else ">"
        )
        silent = _hiding_tag(tag, silent, bool(closed))
        if not silent and text.strip():
            lines.append(" ".join(html.unescape(text).split()))
    return "\n".join(lines)


def _hiding_tag(tag: str, silent: str, closed: bool) -> str:
    """What keeps the words after a tag from being said: a comment, a script; nothing, mostly."""
    if silent == "!--" or tag.startswith("!--"):
        if closed:
            return ""
        return "!--"
    name = _TAG_NAME.match(tag)
    called = name[0].lower() if name else ""
    if silent:
        if called == f"/{silent}":
            return ""
        return silent
    if called in HIDDEN_TAGS and not tag.endswith("/"):
        return called
    return ""
