"""Steno's own text in a caller's list: fenced, labelled, recognised.

A fence carries a label and a digest of its text. By that Steno recognises its own
text when a caller sends it back, and the text inside cannot close the fence, since
the closing tag repeats the digest, and holds no other fence: its tags are escaped.
The digest proves integrity, not origin: a fence never gives its text more trust than
a tool result has.
"""

from __future__ import annotations

import re
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


class Fence(Value):
    """A labelled text of Steno."""

    label: dict[str, str]
    body: str

    def __str__(self) -> str:
        label = "".join(f' {key}="{value}"' for key, value in self.label.items())
        body = without_fences(self.body)
        digest = _digest(label, body)
        return f"<steno-{digest}{label}>\n{body}\n</steno-{digest}>"

    @classmethod
    def parse(cls, text: str) -> Fence | None:
        """Return the fence if `text` is exactly one, unchanged; else None."""
        if not text.startswith("<steno-"):
            return None
        found = _FENCE.fullmatch(text.strip())
        if found is None or found["digest"] != _digest(found["label"], found["body"]):
            return None
        return cls(dict(_LABEL.findall(found["label"])), found["body"])


def _digest(label: str, body: str) -> str:
    text = f"{label}\n{body}".encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=6).hexdigest()
