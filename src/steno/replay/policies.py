"""The policies that can be compared, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steno.core.error import BadInput
from steno.engine.designs import POLICIES
from steno.engine.policy import DEFAULT, Policy
from steno.replay.baselines import Entries, Everything, Masking, Ratio, Sliding, Snippets
from steno.replay.bill import Setting
from steno.replay.clairvoyant import Clairvoyant
from steno.replay.request import Player
from steno.replay.steno import Steno
from steno.replay.tale import Tale
from steno.steps.truncate import Truncate

Begin = Callable[[Tale, Setting], Player]
BASELINES: dict[str, Begin] = {
    "none": lambda tale, setting: Everything(setting.window),
    "sliding": lambda tale, setting: Sliding(setting.window),
    "masking": lambda tale, setting: Masking(setting.window),
    "ratio": lambda tale, setting: Ratio(setting.window),
    "snippets": lambda tale, setting: Snippets(setting.window),
    "entries": lambda tale, setting: Entries(setting.window),
    "clairvoyant": lambda tale, setting: Clairvoyant(setting.window, tale),
}
OURS: dict[str, Policy] = {
    **{name: policy.but(limit=None) for name, policy in POLICIES.items()},
    "truncate": DEFAULT.but(goal=0.60, ladder=(Truncate(),)),
}
STANDARD = ("sliding", "masking", "default")
"""Those that are compared when nobody says."""


def names_of(asked: Sequence[str]) -> list[str]:
    """The policies asked for, each known and named once."""
    names = list(dict.fromkeys(name.strip() for name in asked if name.strip())) or list(STANDARD)
    for name in names:
        if name not in OURS and name not in BASELINES:
            raise BadInput(f"there is no policy {name!r}; there are {', '.join((*OURS, *BASELINES))}")
    return names


def player(name: str, tale: Tale, setting: Setting) -> Player:
    """The policy of that name, at the beginning of a session."""
    begin = BASELINES.get(name)
    if begin is not None:
        return begin(tale, setting)
    return Steno(setting.window, OURS[name], tale.wire, setting.reserve)
