"""What other policies would have kept of a session, and at what cost; the session stays as it is.

The answer is the page of `steno replay`, so that both say the same in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping

from steno.core.errors import BadInput
from steno.engine.designs import POLICIES
from steno.inspector.conversation import LoadedConversation, record_session
from steno.inspector.replay_page import render_page
from steno.lab.as_json import replay_report
from steno.lab.bill import ReplaySetting
from steno.lab.policies import BASELINES, STANDARD_POLICIES, policy_names
from steno.lab.run import score_session
from steno.meters.catalog import known_prices

WINDOW = 32_000
"""Window to assume if the session names none."""


def replay_html(loaded: LoadedConversation, asked: Mapping[str, str]) -> str:
    """Return the page of a replay of this session under the policies asked for."""
    names = policy_names(asked.get("policies", "").split(","))
    if any("/" in name or name.endswith(".toml") for name in names):
        raise BadInput("the page takes policies by name: steno replay reads their files")
    window = WINDOW
    if loaded.budget is not None:
        window = loaded.budget.window
    given = asked.get("window", "")
    if given:
        window = _parse_tokens(given)
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


def _parse_tokens(given: str) -> int:
    scale = {"k": 1_000, "m": 1_000_000}.get(given[-1:].lower(), 1)
    digits = given.lower().removesuffix("k").removesuffix("m")
    if not digits.isdecimal() or len(digits) > 9:
        raise BadInput(f"{given!r} is not a size: use 32000, 32k or 1M")
    return int(digits) * scale
