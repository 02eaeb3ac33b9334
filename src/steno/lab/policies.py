"""The policies that can be compared, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steno.core.errors import BadInput
from steno.engine.designs import POLICIES, nearest_name, resolve_policy
from steno.engine.policy import Policy
from steno.lab.baselines import (
    GOAL,
    ClippedEntries,
    DropOldestHalf,
    KeepEverything,
    Oracle,
    ReplySnippets,
    ResultMasking,
    SlidingWindow,
)
from steno.lab.bill import ReplaySetting
from steno.lab.ours import StenoPolicy
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayPolicy
from steno.rungs.truncate import Truncate
from steno.session.session import Session

PolicyFactory = Callable[[RecordedSession, ReplaySetting], ReplayPolicy]
BASELINES: dict[str, PolicyFactory] = {
    "none": lambda recorded, setting: KeepEverything(setting.window),
    "sliding": lambda recorded, setting: SlidingWindow(setting.window),
    "last-tokens": lambda recorded, setting: SlidingWindow(setting.window, GOAL),
    "masking": lambda recorded, setting: ResultMasking(setting.window),
    "masking-3": lambda recorded, setting: ResultMasking(setting.window, 3),
    "masking-30": lambda recorded, setting: ResultMasking(setting.window, 30),
    # As Anthropic's `clear_tool_uses` does: three results stay, and nothing else goes.
    "clearing": lambda recorded, setting: ResultMasking(setting.window, 3, slides=False),
    "ratio": lambda recorded, setting: DropOldestHalf(setting.window),
    "snippets": lambda recorded, setting: ReplySnippets(setting.window),
    "entries": lambda recorded, setting: ClippedEntries(setting.window),
    "clairvoyant": lambda recorded, setting: Oracle(setting.window, recorded),
}
STENO_POLICIES: dict[str, Policy] = {
    # All policies are compared in one window, so a design's own limit is left out.
    **{name: policy.but(limit=None) for name, policy in POLICIES.items()},
    "truncate": Policy(goal=0.60, ladder=(Truncate(),)),
}
POLICY_FILE = ".toml"
DEPTH = "@"
"""Stands between the name of a policy and the percent of the usable window to go down to."""
AS_USED = "session"
"""Steno exactly as `Session(window=…)` gives it: the default policy, own reserve, own meter."""
STANDARD_POLICIES = ("sliding", "masking", "default")
"""Policies to compare if none is named."""


def policy_names(asked: Sequence[str]) -> list[str]:
    """Return the policies asked for, each once, or the standard ones; raise if one is unknown.

    A name that ends in .toml is the file of a policy; `default@50` is one that goes down to 50 %.
    """
    names = list(dict.fromkeys(name.strip() for name in asked if name.strip()))
    known = (*STENO_POLICIES, AS_USED, *BASELINES)
    for name in names:
        if name.endswith(POLICY_FILE):
            resolve_policy(name)
        elif name.partition(DEPTH)[0] not in known or not _is_depth(name):
            raise BadInput(
                f"there is no policy {name!r}; there are {', '.join(known)}, or a file mine.toml."
                + nearest_name(name, known)
            )
    return names or list(STANDARD_POLICIES)


def start_policy(name: str, recorded: RecordedSession, setting: ReplaySetting) -> ReplayPolicy:
    """Return the policy of a name, at the beginning of a session."""
    begin = BASELINES.get(name)
    if begin is not None:
        return begin(recorded, setting)
    if name == AS_USED:
        return StenoPolicy(Session(wire=recorded.wire, window=setting.window))
    policy = policy_of(name)
    if policy is None:
        raise BadInput(f"there is no policy {name!r} in this process")
    return StenoPolicy.bare(setting.window, policy, recorded.wire, setting.reserve)


def _is_depth(name: str) -> bool:
    """Tell whether what stands behind a name, if anything, is a depth that its policy takes."""
    base, sign, percent = name.partition(DEPTH)
    if not sign:
        return True
    return base in STENO_POLICIES and percent.isdecimal() and 5 <= int(percent[:3]) <= 85


def policy_of(name: str) -> Policy | None:
    """Return the policy of Steno's behind a name or a file; None for a baseline."""
    base, sign, percent = name.partition(DEPTH)
    if sign and base in STENO_POLICIES:
        return STENO_POLICIES[base].but(goal=int(percent) / 100)
    if name == AS_USED:
        return Policy()
    if name.endswith(POLICY_FILE):
        return resolve_policy(name).but(limit=None)
    return STENO_POLICIES.get(name)
