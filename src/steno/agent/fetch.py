"""A tool that fetches text from the web: http and https, bounded in time and size."""

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
"""Tags whose text is not shown."""
CHUNK = 65_536
"""Bytes that are read at once."""


def fetch_tool() -> Tool:
    """Return a tool that fetches a page."""

    def fetch_url(url: str) -> str:
        """Fetch a page from the web and give its text."""
        _require_web_url(url)
        return _fetch(url)

    # Not safe: an address can carry data to the server that answers there.
    return tool_of(fetch_url)


def _require_web_url(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadInput(f"{url[:200]!r} is no address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"{url[:200]!r} is no http or https address")


class _WebOnlyRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects to anything but http and https."""

    def redirect_request(
        self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str
    ) -> Any:
        _require_web_url(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener for http and https only: no files, no FTP."""
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
