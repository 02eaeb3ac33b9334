"""The written designs, each as one policy: their numbers, in our words.

What each design calls what, and what we do otherwise, is in `docs/designs.md`.
Which rungs a design climbs stands in one table, apart from its limits.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from steno.core.error import BadInput
from steno.core.rung import Rung
from steno.core.tail import Entries, Messages, OfMessages, OfWindow
from steno.engine.policy import DEFAULT, Policy
from steno.steps.fold import Fold
from steno.steps.micro import Micro
from steno.steps.offload import Intake, Offload
from steno.steps.prune import Prune
from steno.steps.summarize import Summarize
from steno.steps.truncate import Truncate

ARRIVING: tuple[Rung, ...] = (Intake(),)
TOLD: tuple[Rung, ...] = (Summarize(excerpts=0.0), Truncate())
"""A summary stands for what goes, and nothing else does."""

ROUNDS: dict[str, tuple[Rung, ...]] = {
    "agent-controlled": ARRIVING,
    "researcher": ARRIVING,
    "tiers": ARRIVING,
    "lab": (Intake(), Micro()),
    "supervisor": ARRIVING,
    "deep": ARRIVING,
}
"""What each design runs every round."""

LADDERS: dict[str, tuple[Rung, ...]] = {
    "agent-controlled": TOLD,
    "researcher": (Summarize(max_tokens=300, excerpts=0.0, prose=300), Truncate()),
    "tiers": (Prune(), Offload(), Summarize(max_tokens=600, excerpts=0.0, active=True), Fold(), Truncate()),
    "lab": TOLD,
    "supervisor": TOLD,
    "deep": TOLD,
}
"""What each design climbs under pressure."""


def _design(name: str, **numbers: Any) -> Policy:
    return Policy(every_round=ROUNDS[name], ladder=LADDERS[name], reserve=0).but(**numbers)


def agent_controlled() -> Policy:
    """A: at 80 %, with 4 messages or more; the last 3 turns in pairs stay, which is 6 messages."""
    return _design("agent-controlled", soft=0.80, hard=0.95, goal="tail", tail=Messages(6), least=4)


def researcher() -> Policy:
    """B: over 60 % of 4,096 tokens; the task and the last 3 entries stay."""
    return _design(
        "researcher", soft=0.60, goal="tail", trigger="over", tail=Entries(3), pins=("first_user",), window=4_096
    )


def tiers() -> Policy:
    """C: at 85 %, down to 60 %."""
    return _design("tiers", soft=0.85, goal=0.60)


def lab() -> Policy:
    """D: over a threshold; the first user message and the last messages stay."""
    return _design("lab", soft=0.85, goal="tail", trigger="over", tail=Messages(6), pins=("first_user",))


def supervisor(token_limit: int = 500, compaction_ratio: float = 0.5) -> Policy:
    """E: over so many tokens; so large a part of the messages goes, the oldest first."""
    kept = OfMessages(round(1 - compaction_ratio, 9))
    return _design("supervisor", soft=1.0, hard=1.0, goal="tail", trigger="over", limit=token_limit, tail=kept)


def deep() -> Policy:
    """At 85 %; a tenth of the window stays, and a result over 20,000 tokens never comes in whole."""
    return _design("deep", soft=0.85, goal="tail", tail=OfWindow(0.10))


POLICIES: dict[str, Policy] = {
    "default": DEFAULT,
    "agent-controlled": agent_controlled(),
    "researcher": researcher(),
    "tiers": tiers(),
    "lab": lab(),
    "supervisor": supervisor(),
    "deep": deep(),
}
"""Every policy that has a name."""


def policy_of(said: str | os.PathLike[str] | Policy) -> Policy:
    """The policy that is meant: itself, one with a name, or one in a file."""
    if isinstance(said, Policy):
        return said
    if not isinstance(said, str | os.PathLike):
        raise BadInput(f"policy= takes a Policy, a name or a file, got {type(said).__name__}")
    if isinstance(said, str) and said in POLICIES:
        return POLICIES[said]
    if not os.path.exists(said):
        raise BadInput(f"there is no policy {os.fspath(said)!r}: name a TOML file, or one of {', '.join(POLICIES)}")
    return Policy.read(Path(said))
