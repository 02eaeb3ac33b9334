"""Rungs: the techniques that a policy's ladder is made of."""

from steno.core.rung import Rung
from steno.rungs.arrive import Arrive
from steno.rungs.clip import Clip
from steno.rungs.fold import Fold
from steno.rungs.offload import Intake, Micro, Offload, OffloadTail
from steno.rungs.prune import Prune
from steno.rungs.summarize import Summarize
from steno.rungs.truncate import Truncate
from steno.summary.worth import register_surprisal

__all__ = [
    "Arrive",
    "Clip",
    "Fold",
    "Intake",
    "Micro",
    "Offload",
    "OffloadTail",
    "Prune",
    "Rung",
    "Summarize",
    "Truncate",
    "register_surprisal",
]
