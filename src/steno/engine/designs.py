"""The written designs, each as one policy.

`docs/designs.md` says what each design calls things and where we differ. The rungs
of all designs are in two tables here; the limits of each are in its function.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from steno.core.errors import BadInput, BadPolicy
from steno.core.rung import Rung
from steno.core.tail import Entries, Messages, OfMessages, OfWindow, Share
from steno.engine.policy import DEFAULT_POLICY, Policy
from steno.rungs.fold import Fold
from steno.rungs.offload import Intake, Micro, Offload
from steno.rungs.prune import Prune
from steno.rungs.summarize import Summarize
from steno.rungs.truncate import Truncate

INTAKE_ONLY: tuple[Rung, ...] = (Intake(),)
SUMMARIZE_OR_TRUNCATE: tuple[Rung, ...] = (Summarize(in_place=False), Truncate())
"""A summary alone replaces what goes, told in one."""

EVERY_ROUND: dict[str, tuple[Rung, ...]] = {
    "agent-controlled": INTAKE_ONLY,
    "researcher": INTAKE_ONLY,
    "tiers": INTAKE_ONLY,
    "lab": (Intake(), Micro()),
    "supervisor": INTAKE_ONLY,
    "deep": INTAKE_ONLY,
}
"""Rungs that each design runs every round."""

LADDERS: dict[str, tuple[Rung, ...]] = {
    "agent-controlled": SUMMARIZE_OR_TRUNCATE,
    "researcher": (Summarize(max_tokens=300, in_place=False), Truncate()),
    "tiers": (
        Prune(),
        Offload(),
        Summarize(max_tokens=600, in_place=False, active=True),
        Fold(),
        Truncate(),
    ),
    "lab": SUMMARIZE_OR_TRUNCATE,
    "supervisor": SUMMARIZE_OR_TRUNCATE,
    "deep": SUMMARIZE_OR_TRUNCATE,
}
"""Rungs that each design climbs under pressure."""


def _design(name: str, **numbers: Any) -> Policy:
    return Policy(every_round=EVERY_ROUND[name], ladder=LADDERS[name], reserve=0).but(**numbers)


def agent_controlled() -> Policy:
    """Return design A: at 80 %, from 4 messages on; the last 3 pairs of messages stay.

    The agent may compact by its tool before. `but(agent_controlled=True)` leaves it to the
    agent up to 95 %.
    """
    return _design(
        "agent-controlled",
        soft=0.80,
        hard=0.95,
        goal="tail",
        tail=Messages(6),
        least=4,
        compress_tool=True,
    )


def researcher() -> Policy:
    """Return design B: over 60 % of 4,096 tokens; the task and the last 3 entries stay."""
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
    """Return design C: at 85 %, down to 60 %."""
    return _design("tiers", soft=0.85, goal=0.60, tail=Share(0.5))


def lab() -> Policy:
    """Return design D: over a threshold; the first user message and the last messages stay."""
    return _design(
        "lab", soft=0.85, goal="tail", trigger="over", tail=Messages(6), pins=("first_user",)
    )


def supervisor(token_limit: int = 500, compaction_ratio: float = 0.5) -> Policy:
    """Return design E: over a number of tokens; the oldest share of the messages goes."""
    # Rounded: 1 − 0.8 is 0.19999999999999996.
    kept = OfMessages(round(1 - compaction_ratio, 9))
    return _design(
        "supervisor", soft=1.0, hard=1.0, goal="tail", trigger="over", limit=token_limit, tail=kept
    )


def deep() -> Policy:
    """Return the deep design: at 85 %, a tenth of the window stays.

    A result over 20,000 tokens never comes in whole.
    """
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
"""Policies by name."""


def stored_policy(policy: Policy) -> str | None:
    """Return the name of a policy, or its text; None if it has code of the caller's own."""
    for name, known in POLICIES.items():
        if policy == known:
            return name
    try:
        return policy.write()
    except BadPolicy:
        return None


def resolve_policy(policy: str | os.PathLike[str] | Policy | None) -> Policy:
    """Return a policy by itself, by its name, or from a file; None is the default policy."""
    if policy is None:
        return DEFAULT_POLICY
    if isinstance(policy, Policy):
        return policy
    if not isinstance(policy, str | os.PathLike):
        raise BadInput(f"policy= takes a Policy, a name or a file, got {type(policy).__name__}")
    if isinstance(policy, str) and policy in POLICIES:
        return POLICIES[policy]
    if not os.path.exists(policy):
        name = os.fspath(policy)
        if name.endswith(".toml"):
            raise BadInput(f"{name}: there is no such file")
        raise BadInput(
            f"there is no policy {name!r}: name a TOML file, or one of {', '.join(POLICIES)}."
            + nearest_name(name, POLICIES)
        )
    return Policy.read(Path(policy))


def nearest_name(name: str, known: Iterable[str]) -> str:
    """Return the question whether a known name was meant; empty if none is near."""
    near = get_close_matches(name, list(known), 1)
    if near:
        return f" Did you mean {near[0]!r}?"
    return ""
