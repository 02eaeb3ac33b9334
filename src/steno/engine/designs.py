"""The written designs, each as one policy: their numbers, in our words.

What each design calls what, and what we do otherwise, is in `docs/designs.md`.
Which rungs a design climbs stands in one table, apart from its limits.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from steno.core.errors import BadInput
from steno.core.rung import Rung
from steno.core.tail import Entries, Messages, OfMessages, OfWindow
from steno.engine.policy import DEFAULT_POLICY, Policy
from steno.rungs.fold import Fold
from steno.rungs.offload import Intake, Micro, Offload
from steno.rungs.prune import Prune
from steno.rungs.summarize import Summarize
from steno.rungs.truncate import Truncate

INTAKE_ONLY: tuple[Rung, ...] = (Intake(),)
SUMMARIZE_OR_TRUNCATE: tuple[Rung, ...] = (Summarize(excerpts=0.0), Truncate())
"""A summary stands for what goes, and nothing else does."""

EVERY_ROUND: dict[str, tuple[Rung, ...]] = {
    "agent-controlled": INTAKE_ONLY,
    "researcher": INTAKE_ONLY,
    "tiers": INTAKE_ONLY,
    "lab": (Intake(), Micro()),
    "supervisor": INTAKE_ONLY,
    "deep": INTAKE_ONLY,
}
"""What each design runs every round."""

LADDERS: dict[str, tuple[Rung, ...]] = {
    "agent-controlled": SUMMARIZE_OR_TRUNCATE,
    "researcher": (Summarize(max_tokens=300, excerpts=0.0, prose=300), Truncate()),
    "tiers": (
        Prune(),
        Offload(),
        Summarize(max_tokens=600, excerpts=0.0, active=True),
        Fold(),
        Truncate(),
    ),
    "lab": SUMMARIZE_OR_TRUNCATE,
    "supervisor": SUMMARIZE_OR_TRUNCATE,
    "deep": SUMMARIZE_OR_TRUNCATE,
}
"""What each design climbs under pressure."""


def _design(name: str, **numbers: Any) -> Policy:
    return Policy(every_round=EVERY_ROUND[name], ladder=LADDERS[name], reserve=0).but(**numbers)


def agent_controlled() -> Policy:
    """A: at 80 %, with 4 messages or more; the last 3 turns in pairs stay, which is 6 messages."""
    return _design("agent-controlled", soft=0.80, hard=0.95, goal="tail", tail=Messages(6), least=4)


def researcher() -> Policy:
    """B: over 60 % of 4,096 tokens; the task and the last 3 entries stay."""
    return _design(
        "researcher",
        soft=0.60,
        goal="tail",
        trigger="over",
        tail=Entries(3),
        pins=("first_user",),
        window=4_096,
    )


def tiers() -> Policy:
    """C: at 85 %, down to 60 %."""
    return _design("tiers", soft=0.85, goal=0.60)


def lab() -> Policy:
    """D: over a threshold; the first user message and the last messages stay."""
    return _design(
        "lab", soft=0.85, goal="tail", trigger="over", tail=Messages(6), pins=("first_user",)
    )


def supervisor(token_limit: int = 500, compaction_ratio: float = 0.5) -> Policy:
    """E: over so many tokens; so large a part of the messages goes, the oldest first."""
    kept = OfMessages(round(1 - compaction_ratio, 9))
    return _design(
        "supervisor", soft=1.0, hard=1.0, goal="tail", trigger="over", limit=token_limit, tail=kept
    )


def deep() -> Policy:
    """At 85 %; a tenth of the window stays, and a result over 20,000 tokens never comes in whole."""
    return _design("deep", soft=0.85, goal="tail", tail=OfWindow(0.10))


POLICIES: dict[str, Policy] = {
    "default": DEFAULT_POLICY,
    "agent-controlled": agent_controlled(),
    "researcher": researcher(),
    "tiers": tiers(),
    "lab": lab(),
    "supervisor": supervisor(),
    "deep": deep(),
}
"""Every policy that has a name."""


def resolve_policy(said: str | os.PathLike[str] | Policy) -> Policy:
    """The policy that is meant: itself, one with a name, or one in a file."""
    if isinstance(said, Policy):
        return said
    if not isinstance(said, str | os.PathLike):
        raise BadInput(f"policy= takes a Policy, a name or a file, got {type(said).__name__}")
    if isinstance(said, str) and said in POLICIES:
        return POLICIES[said]
    if not os.path.exists(said):
        raise BadInput(
            f"there is no policy {os.fspath(said)!r}: name a TOML file, or one of {', '.join(POLICIES)}"
        )
    return Policy.read(Path(said))
