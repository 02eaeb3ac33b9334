"""What other policies would have kept of a session, and at what cost; the session stays as it is.

The answer is the page of `steno replay`, so that both say the same in the same words.
"""

from __future__ import annotations

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
