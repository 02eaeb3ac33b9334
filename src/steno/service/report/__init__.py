"""The page of a replay: one file that needs nothing else, neither network nor server.

Owns how the report's JSON, the style and the script become one document, and what
that document may do: run this one script, nothing else. Words of a session are
data here and text there; they never become markup. What is shown is `page.js`'s.
"""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any

RULES = (
    "default-src 'none'",
    "script-src '{script}'",
    "style-src '{style}'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)
"""No network, no code but ours, and no markup made from strings."""


def page(report: dict[str, Any]) -> str:
    """What `steno replay --json` prints, as a page to look through."""
    html, style = _part("page.html"), _part("page.css")
    script = _part("charts.js") + _part("page.js")
    rules = "; ".join(RULES).format(script=_digest(script), style=_digest(style))
    filled = {"rules": rules, "style": style, "script": script, "report": _data(report)}
    first, *rest = html.split("{{")
    pieces = (each.split("}}", 1) for each in rest)
    return first + "".join(filled[name] + after for name, after in pieces)


def _part(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _data(report: dict[str, Any]) -> str:
    """JSON that cannot end its own element: no `<` in it, and nothing but ASCII."""
    text = json.dumps(report, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
