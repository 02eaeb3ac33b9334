"""Render the page of a replay: one file that needs neither network nor server.

Its rules let the browser run this one script, nothing else. Words of a session are JSON here and
text nodes in the page (`page/replay.js`); they never become markup.
"""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from steno.core.errors import BadInput
from steno.engine.designs import POLICIES
from steno.inspector.conversation import LoadedConversation, record_session
from steno.inspector.describe import Json
from steno.lab.as_json import replay_report
from steno.lab.bill import ReplaySetting
from steno.lab.policies import BASELINES, STANDARD_POLICIES, policy_names
from steno.lab.run import score_session
from steno.meters.catalog import known_prices

CONTENT_SECURITY_RULES = (
    "default-src 'none'",
    "script-src '{script}'",
    "style-src '{style}'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)
"""Rules for the browser: no network, no code but ours, no markup made from strings."""
PAGE_MARK = b'<meta name="generator" content="steno replay">'
MARK_WITHIN = 2_000
"""Bytes from the start of a page within which its mark stands."""
WINDOW = 32_000
"""Window to assume if the session names none."""


def render_page(report: Json) -> str:
    """Return the report of `steno replay --json` as a page."""
    html, style = _read_asset("replay.html"), _read_asset("page.css")
    # Modules share their names in the inspector by `export`; here they are one script.
    shared = _read_asset("dom.js").replace("\nexport ", "\n")
    script = '"use strict";\n' + shared + _read_asset("charts.js") + _read_asset("replay.js")
    rules = "; ".join(CONTENT_SECURITY_RULES).format(script=_digest(script), style=_digest(style))
    values = {"rules": rules, "style": style, "script": script, "report": _embeddable_json(report)}
    # Filled in one pass: a value that holds {{…}} itself must not be filled again.
    first, *rest = html.split("{{")
    page = first
    for piece in rest:
        name, after = piece.split("}}", 1)
        page += values[name] + after
    return page


def is_page(path: Path) -> bool:
    """Tell whether a file is a page that was rendered here."""
    with path.open("rb") as file:
        return PAGE_MARK in file.read(MARK_WITHIN)


def _read_asset(name: str) -> str:
    return (files("steno.inspector") / "page" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return the hash by which the page's rules allow a script or a style."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _embeddable_json(report: Json) -> str:
    """Return JSON that cannot end its own element: ASCII without any `<`."""
    text = json.dumps(report, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def replay_html(loaded: LoadedConversation, policies: str, window: int) -> str:
    """Return the page of a replay of this session under policies; window 0 is its own."""
    names = policy_names(policies.split(","))
    if any("/" in name or name.endswith(".toml") for name in names):
        raise BadInput("the page takes policies by name: steno replay reads their files")
    if not window:
        window = WINDOW
        if loaded.budget is not None:
            window = loaded.budget.window
    prices = known_prices(loaded.settings.model or "")
    setting = ReplaySetting.of(window, 0, prices)
    recorded = record_session(loaded, "DB", loaded.name)
    scores = score_session(recorded, names, setting)
    command = f"steno replay DB --session {loaded.name} --window {window} -p {','.join(names)}"
    model = loaded.settings.model
    if prices is None:
        model = None
    report = replay_report([recorded], scores, setting, command=command, model=model)
    return render_page(report)


def policies_report() -> dict[str, list[str]]:
    """Return the names that can be compared: those of Steno, the others, and the usual choice."""
    return {
        "own": list(POLICIES),
        "others": [name for name in BASELINES if name not in POLICIES],
        "standard": list(STANDARD_POLICIES),
    }
