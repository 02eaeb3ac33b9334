"""Fetching a page, where it is allowed: http and https, bounded in time and size, text alone."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from html.parser import HTMLParser
from urllib.parse import urlsplit

from steno.agent.tool import Tool, tool_of
from steno.core.error import BadInput

SECONDS = 20.0
BYTES_MOST = 2_000_000
TEXT = re.compile(r"^(?:text/|application/(?:json|xml|xhtml|javascript|x-yaml))|\+(?:json|xml)\b")
SILENT = frozenset({"script", "style", "noscript", "template", "svg"})


def fetch_tool() -> Tool:
    def fetch_url(url: str) -> str:
        """Fetch a page from the web and give its text."""
        if urlsplit(url).scheme not in ("http", "https"):
            raise BadInput(f"{url!r} is no http or https address")
        return _fetched(url)

    return tool_of(fetch_url, safe=True)


def _fetched(url: str) -> str:
    request = urllib.request.Request(url, headers={"User-Agent": "steno"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            kind = answer.headers.get_content_type()
            charset = answer.headers.get_content_charset() or "utf-8"
            data = answer.read(BYTES_MOST + 1)
            if urlsplit(answer.url).scheme not in ("http", "https"):
                raise BadInput(f"{url!r} leads to {answer.url!r}, which is no web address")
    except urllib.error.HTTPError as error:
        with error:
            raise BadInput(f"{url} answered {error.code} {error.reason}") from None
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise BadInput(f"{url} cannot be fetched: {getattr(error, 'reason', error)}") from None
    if not TEXT.search(kind):
        raise BadInput(f"{url} is {kind}, which is no text")
    text = data[:BYTES_MOST].decode(_known(charset), "replace")
    cut = f"\n[only the first {BYTES_MOST:,} bytes]" if len(data) > BYTES_MOST else ""
    return (_plain(text) if "html" in kind else text) + cut


def _known(charset: str) -> str:
    try:
        "".encode(charset)
    except LookupError:
        return "utf-8"
    return charset


class _Words(HTMLParser):
    """The words of a page, a line each."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in SILENT

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in SILENT and self._silent > 0

    def handle_data(self, data: str) -> None:
        if not self._silent and data.strip():
            self.lines.append(" ".join(data.split()))


def _plain(page: str) -> str:
    words = _Words()
    words.feed(page)
    words.close()
    return "\n".join(words.lines)
