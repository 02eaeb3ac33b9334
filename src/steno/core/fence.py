"""Steno's own text in a caller's list: fenced, labelled, recognised.

A fence carries a label and a digest of its text. By that Steno recognises its own
text when a caller sends it back, and the text inside cannot close the fence, since
the closing tag repeats the digest, and holds no other fence: its tags are escaped.
The digest proves integrity, not origin: a fence never gives its text more trust than
a tool result has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b

from steno.core.escape import without_fences
from steno.core.message import Value

NOTES_SHOWN_KIND = "notes"
"""Kind of the message that shows an agent's own notes."""
_FENCE = re.compile(
    r"<steno-(?P<digest>[0-9a-f]{12})(?P<label>(?: [a-z]+=\"[^\"<>]*\")*)>\n"
    r"(?P<body>.*)\n</steno-(?P=digest)>",
    re.S,
)
_LABEL = re.compile(r" ([a-z]+)=\"([^\"<>]*)\"")
_OPENING = re.compile(r"(?:\A|\n)(?=<steno-(?P<digest>[0-9a-f]{12})[ >])")
_LINE_END = re.compile(r"\r{0,9}\n|\Z")
_CRLF = re.compile(r"\r{1,9}\n")
"""More than one, where a text passed several programs; few, so that a search takes no time."""


class Fence(Value):
    """A labelled text of Steno."""

    label: dict[str, str]
    body: str

    def __str__(self) -> str:
        label = "".join(f' {key}="{value}"' for key, value in self.label.items())
        # Programs on the way may change line ends.
        body = without_fences(_CRLF.sub("\n", self.body))
        digest = _digest(label, body)
        return f"<steno-{digest}{label}>\n{body}\n</steno-{digest}>"

    @classmethod
    def parse(cls, text: str) -> Fence | None:
        """Return the fence if `text` is exactly one, unchanged but for `\\r\\n`; else None."""
        if not text.startswith("<steno-"):
            return None
        # As it came first: fences of earlier versions may hold `\r\n` of their own.
        for said in (text, _CRLF.sub("\n", text)):
            found = _FENCE.fullmatch(said.strip())
            if found and found["digest"] == _digest(found["label"], found["body"]):
                return cls(dict(_LABEL.findall(found["label"])), found["body"])
        return None


def find_fences(text: str) -> Iterator[tuple[int, int, Fence]]:
    """Yield the whole fences that have their lines to themselves, and where they stand."""
    at = 0
    while opening := _OPENING.search(text, at):
        start, end = opening.end(), f"</steno-{opening['digest']}>"
        # The text inside holds no tag of a fence.
        close = text.find("</steno-", start)
        if close < 0:
            return
        stop = close + len(end)
        fence = None
        if text.startswith(end, close) and _LINE_END.match(text, stop):
            fence = Fence.parse(text[start:stop])
        if fence is None:
            at = start + 1
        else:
            yield start, stop, fence
            at = stop


def _digest(label: str, body: str) -> str:
    text = f"{label}\n{body}".encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=6).hexdigest()
