"""The written designs, each as one policy.

A design uses its own numbers in every window: nothing is fitted to it, and nothing waits.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

from steno.core.errors import BadInput, BadPolicy
from steno.core.rung import Rung
from steno.core.tail import (
    Entries,
    Messages,
    OfMessages,
    OfWindow,
    Share,
)
from steno.engine.policy import Policy
from steno.rungs.fold import Fold
from steno.rungs.offload import Intake, Micro, Offload
from steno.rungs.prune import Prune
from steno.rungs.summarize import Summarize
from steno.rungs.truncate import Truncate

IN_ONE: tuple[Rung, ...] = (Summarize(in_place=False), Truncate())
"""One summary replaces everything that goes."""


def supervisor(token_limit: int = 500, compaction_ratio: float = 0.5) -> Policy:
    """Return design E: over a number of tokens; the oldest share of the messages goes."""
    # Rounded: 1 − 0.8 is 0.19999999999999996.
    stays = OfMessages(round(1 - compaction_ratio, 9))
    return _design(soft=1.0, hard=1.0, goal="tail", trigger="over", limit=token_limit, tail=stays)


def _design(**fields: Any) -> Policy:
    """Return a policy that uses its own numbers in every window and acts at once."""
    written = {"reserve": 0, "moment": "now", "by_window": False}
    return Policy(**{"ladder": IN_ONE, **written, **fields})


POLICIES: dict[str, Policy] = {
    "default": Policy(),
    # The smallest bill: few and deep compactions, and the rest by recall.
    "thrifty": Policy(soft=0.85, goal=0.15, pins=("task",)),
    # The most in view, at a higher bill.
    "roomy": Policy(soft=0.94, goal=0.82, hard=0.97),
    # A: the agent may compact by its tool before 80 %; `but(agent_controlled=True)` leaves it to
    # the agent up to 95 %.
    "agent-controlled": _design(
        soft=0.80,
        hard=0.95,
        goal="tail",
        tail=Messages(6),
        least=4,
        pins=("task",),
        # Its importance is TF-IDF; `likely` keeps what coding sessions come back to.
        ladder=(Summarize(in_place=False, scorer="rarity"), Truncate()),
        compress_tool=True,
    ),
    # B: the task and the last three entries stay.
    "researcher": _design(
        soft=0.60,
        goal="tail",
        trigger="over",
        tail=Entries(3),
        pins=("first_user",),
        window=4_096,
        ladder=(Summarize(max_tokens=300, in_place=False, complexity="simple"), Truncate()),
    ),
    # C.
    "tiers": _design(
        soft=0.85,
        goal=0.60,
        tail=Share(0.5),
        pins=("task",),
        ladder=(
            Prune(),
            Offload(),
            Summarize(max_tokens=600, in_place=False, active=True),
            Fold(),
            Truncate(),
        ),
    ),
    # D: the first user message and the last messages stay.
    "lab": _design(
        soft=0.85,
        goal="tail",
        trigger="over",
        tail=Messages(6),
        pins=("first_user",),
        every_round=(Intake(), Micro()),
    ),
    "supervisor": supervisor(),
    # The design that A compares itself with.
    "deep": _design(soft=0.85, goal="tail", tail=OfWindow(0.10)),
}
"""Policies by name; `docs/designs.md` says what each design calls things."""


def without_shared_prefix(policy: Policy) -> Policy:
    """Return a policy whose writer reads covered messages alone, not the request before."""
    ladder = [
        msgspec.structs.replace(rung, share_prefix=False) if isinstance(rung, Summarize) else rung
        for rung in policy.ladder
    ]
    return policy.but(ladder=tuple(ladder))


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
        return Policy()
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
