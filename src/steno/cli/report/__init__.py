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

CONTENT_SECURITY_RULES = (
    "default-src 'none'",
    "script-src '{script}'",
    "style-src '{style}'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)
"""No network, no code but ours, and no markup made from strings."""


def render_page(report: dict[str, Any]) -> str:
    """What `steno replay --json` prints, as a page to look through."""
    html, style = _read_asset("page.html"), _read_asset("page.css")
    script = _read_asset("charts.js") + _read_asset("page.js")
    rules = "; ".join(CONTENT_SECURITY_RULES).format(script=_digest(script), style=_digest(style))
    filled = {"rules": rules, "style": style, "script": script, "report": _embeddable_json(report)}
    first, *rest = html.split("{{")
    pieces = (each.split("}}", 1) for each in rest)
    return first + "".join(filled[name] + after for name, after in pieces)


def _read_asset(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _embeddable_json(report: dict[str, Any]) -> str:
    """JSON that cannot end its own element: no `<` in it, and nothing but ASCII."""
    text = json.dumps(report, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
