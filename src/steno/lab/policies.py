"""The policies that can be compared, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steno.core.errors import BadInput
from steno.engine.designs import POLICIES
from steno.engine.policy import DEFAULT_POLICY, Policy
from steno.lab.baselines import (
    ClippedEntries,
    DropOldestHalf,
    KeepEverything,
    ReplySnippets,
    ResultMasking,
    SlidingWindow,
)
from steno.lab.bill import ReplaySetting
from steno.lab.oracle import Oracle
from steno.lab.ours import StenoPolicy
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayPolicy
from steno.rungs.truncate import Truncate

PolicyFactory = Callable[[RecordedSession, ReplaySetting], ReplayPolicy]
BASELINES: dict[str, PolicyFactory] = {
    "none": lambda tale, setting: KeepEverything(setting.window),
    "sliding": lambda tale, setting: SlidingWindow(setting.window),
    "masking": lambda tale, setting: ResultMasking(setting.window),
    "ratio": lambda tale, setting: DropOldestHalf(setting.window),
    "snippets": lambda tale, setting: ReplySnippets(setting.window),
    "entries": lambda tale, setting: ClippedEntries(setting.window),
    "clairvoyant": lambda tale, setting: Oracle(setting.window, tale),
}
STENO_POLICIES: dict[str, Policy] = {
    **{name: policy.but(limit=None) for name, policy in POLICIES.items()},
    "truncate": DEFAULT_POLICY.but(goal=0.60, ladder=(Truncate(),)),
}
STANDARD_POLICIES = ("sliding", "masking", "default")
"""Those that are compared when nobody says."""


def policy_names(asked: Sequence[str]) -> list[str]:
    """The policies asked for, each known and named once."""
    names = list(dict.fromkeys(name.strip() for name in asked if name.strip())) or list(
        STANDARD_POLICIES
    )
    for name in names:
        if name not in STENO_POLICIES and name not in BASELINES:
            raise BadInput(
                f"there is no policy {name!r}; there are {', '.join((*STENO_POLICIES, *BASELINES))}"
            )
    return names


def start_policy(name: str, tale: RecordedSession, setting: ReplaySetting) -> ReplayPolicy:
    """The policy of that name, at the beginning of a session."""
    begin = BASELINES.get(name)
    if begin is not None:
        return begin(tale, setting)
    return StenoPolicy(setting.window, STENO_POLICIES[name], tale.wire, setting.reserve)
