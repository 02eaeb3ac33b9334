"""What to do, as a value: limits, rungs in their order, checks, pins and tail.

A policy has no state. Together with a model's window it makes a budget. In
Python any rung, check or tail will do; a policy file names those that are known
(`policyfile`), and the policies of the written designs have names of their own
(`designs`).

A policy as a TOML file: what it may say, and what is wrong with one.

Whatever is wrong is said with its place: ``Expected `int`, got `str` - at
`$.ladder[0].over` ``. Checks are Python's alone, and not in a file.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

import msgspec

from steno.checks.shape import SHAPE, Check
from steno.core.budget import Budget, Goal, Trigger, default_reserve
from steno.core.errors import BadInput, BadPolicy
from steno.core.message import Value
from steno.core.model import Complexity
from steno.core.rung import Rung
from steno.core.tail import AnyTail, Share, Tail
from steno.core.view import View
from steno.rungs.clip import Clip
from steno.rungs.fold import Fold
from steno.rungs.offload import Intake, Micro, Offload, OffloadTail
from steno.rungs.prune import Prune
from steno.rungs.summarize import Summarize
from steno.rungs.truncate import Truncate

PinTarget = Literal["first_user"]
"""What a policy can pin: the first message of a user, which is the task."""
Moment = Literal["now", "step"]
Quota = Literal["normal", "fallback", "deny"]
"""How a caller's quota stands: as it should, short, or used up."""
Persona = Literal["concise", "verbose", "decisive", "deliberative"]
"""How the agent talks and decides."""
DOUBTS, DOUBTS_COMPLEX = 3, 1
"""Kinds of doubt from which on a message is marked: for a task that is not complex, and for one that is."""
QUOTA_DROP = 0.10
"""By which the limits drop where the quota is short."""
NonNegative = Annotated[int, msgspec.Meta(ge=0)]
GOAL_MARGIN = 0.01
"""How far over its goal a limit stays, at the least."""


NUMBER_BOUNDS: tuple[tuple[str, Any, float], ...] = (
    ("least", int, math.inf),
    ("rounds", int, math.inf),
    ("wait", int | float, math.inf),
    ("economy", int, math.inf),
    ("repairs", int | float, 1),
)
"""Numbers that must not be less than 0, nor more than this."""


class Policy(Value, frozen=True):
    soft: float = 0.85
    goal: Goal = 0.52
    hard: float = 0.95
    every_round: tuple[Rung, ...] = (Intake(),)
    """Rungs that look at what is new, pressure or not."""
    ladder: tuple[Rung, ...] = (Prune(), OffloadTail(), Summarize(), Fold(), Offload(), Truncate())
    """Rungs under pressure, gentlest first; the last one cannot fail."""
    checks: tuple[Check, ...] = SHAPE
    tail: Tail = Share()
    """The newest, left alone."""
    trigger: Trigger = "at"
    least: NonNegative = 0
    """Messages there must be before a compaction starts, unless it must; leading system messages do not count."""
    pins: tuple[PinTarget, ...] = ()
    window: int | None = None
    """Where nobody says one."""
    limit: int | None = None
    """Tokens that soft and goal are shares of, where the window holds more."""
    reserve: int | None = None
    """Where nobody says one; without either, an eighth of the window, at most 16,000."""
    moment: Moment = "now"
    """When to act on soft pressure: now, or once a step has ended, at most until it is hard."""
    agent_controlled: bool = False
    """The agent says when to compact, with a tool; of its own the system steps in only where pressure is hard."""
    rounds: NonNegative | None = None
    """Rounds of asks that a rung may make, within what the engine allows; 0 asks nobody."""
    wait: Annotated[float, msgspec.Meta(ge=0)] = 20.0
    """Seconds that hard pressure waits for a writer, where there is one; then it lands without."""
    economy: NonNegative = 0
    """Turns within which a compaction under soft pressure must pay for itself; 0 does not ask."""

    repairs: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    """Of the window, for naming again what no rung has named: names in use, errors, decisions, things touched."""
    probe: bool = False
    """Ask each new view what only the covered part can answer, and keep the figures with the commit."""
    complexity: Complexity = "medium"
    """Of a complex or epic task every doubt counts; a writer is told it, where its rung does not say."""
    persona: Persona | None = None
    """Who is verbose or deliberative doubts aloud for a reason: every doubt counts, whatever the task."""

    def __post_init__(self) -> None:
        """Refuse what a file would be refused for: in Python nobody looks at the types."""
        for name, kind, most in NUMBER_BOUNDS:
            value = getattr(self, name)
            if value is None and name == "rounds":
                continue
            if not isinstance(value, kind) or isinstance(value, bool) or not 0 <= value <= most:
                to = "on" if most == math.inf else f"to {most}"
                raise BadPolicy(f"{name} is a number from 0 {to}, got {value!r} - at `$.{name}`")
        if not self.ladder:
            raise BadPolicy(
                "a ladder has at least one rung, or nothing could be compacted - at `$.ladder`"
            )

    @classmethod
    def read(cls, source: str | os.PathLike[str], rungs: Iterable[type[Rung]] = ()) -> Policy:
        """A policy from TOML: a file, or the text itself; `rungs` are those it may name beside the known ones."""
        from steno.engine.policy import load_policy  # which knows this class

        return load_policy(source, rungs)

    def budget(self, window: int, reserve: int | None = None) -> Budget:
        said = self.reserve if reserve is None else reserve
        kept = default_reserve(window) if said is None else said
        soft = self.hard if self.agent_controlled else self.soft
        return Budget(window, kept, soft, self.goal, self.hard, self.trigger, self.limit)

    @property
    def doubts(self) -> int:
        """In how many ways the assistant must have doubted for its words to be kept, where a rung does not say."""
        thorough = self.complexity in ("complex", "epic") or self.persona in (
            "verbose",
            "deliberative",
        )
        if thorough:
            return DOUBTS_COMPLEX
        return DOUBTS

    def but(self, **changes: Any) -> Policy:
        """This policy, with some of it otherwise."""
        return msgspec.structs.replace(self, **changes)

    def with_quota(self, quota: Quota) -> Policy:
        """This policy under a quota: where that is short, earlier and with less tail; used up, without asks."""
        match quota:
            case "fallback":
                soft = self._lower_limit(self.soft)
                return self.but(
                    soft=soft,
                    hard=max(soft, self._lower_limit(self.hard)),
                    tail=self.tail.shorter(),
                )
            case "deny":
                return self.but(rounds=0)
            case "normal":
                return self
        raise BadInput(f"there is no quota {quota!r}; there are {', '.join(get_args(Quota))}")

    def _lower_limit(self, share: float) -> float:
        """Ten points lower, but not down to the goal."""
        floor = GOAL_MARGIN if isinstance(self.goal, str) else self.goal + GOAL_MARGIN
        return min(share, max(round(share - QUOTA_DROP, 6), round(floor, 6)))

    def pinned_positions(self, view: View) -> frozenset[int]:
        """The positions that this policy pins, where they are shown as they were said."""
        if "first_user" in self.pins:
            return frozenset(_first_user(view))
        return frozenset()


def _first_user(view: View) -> Iterator[int]:
    """Where the first user spoke, if that is still to be seen."""
    for position, message in enumerate(view.messages):
        if message.role == "absent":
            return
        if message.role == "user" and message.by == "caller" and not message.only_results:
            if view.at(position).main is not None:
                yield position
            return


DEFAULT_POLICY = Policy(moment="step", repairs=0.05)


KNOWN_RUNGS: tuple[type[Rung], ...] = (
    Intake,
    Micro,
    Prune,
    OffloadTail,
    Offload,
    Summarize,
    Fold,
    Clip,
    Truncate,
)
"""The rungs that every file may name."""
PYTHON_ONLY = ("checks",)
TRIAL_WINDOW = 1_000_000
"""To try the shares on, where a file names no window."""
_UNKNOWN_TYPE = re.compile(r"Invalid value '(?P<said>.*)' - at `\$\.(?P<where>.*)\.type`", re.S)


def load_policy(source: str | os.PathLike[str], rungs: Iterable[type[Rung]] = ()) -> Policy:
    """The policy in a file, or in a text; a text has a line break or an equals sign in it."""
    if isinstance(source, str) and ("\n" in source or "=" in source):
        return _parse_policy(source, rungs)
    path = Path(source)
    try:
        return _parse_policy(path.read_text(encoding="utf-8"), rungs)
    except FileNotFoundError:
        raise BadPolicy(f"{path}: there is no such file") from None
    except OSError as error:
        raise BadPolicy(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadPolicy(f"{path}: not UTF-8") from None
    except BadInput as error:
        raise BadPolicy(f"{path}: {error}") from None


def _parse_policy(text: str, rungs: Iterable[type[Rung]]) -> Policy:
    import tomllib

    kinds = (*KNOWN_RUNGS, *rungs)
    try:
        written = msgspec.convert(tomllib.loads(text), _file_schema(kinds))
    except tomllib.TOMLDecodeError as error:
        raise BadPolicy(f"not TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise BadPolicy(_explain_error(str(error), kinds)) from None
    policy = Policy(**{name: getattr(written, name) for name in written.__struct_fields__})
    policy.budget(policy.window or TRIAL_WINDOW + (policy.reserve or 0))
    return policy


def _file_schema(kinds: tuple[type[Rung], ...]) -> type[msgspec.Struct]:
    """A policy as a file may say it: of rungs and tails those that have names."""
    known: Any = reduce(or_, kinds)
    rungs = tuple[known, ...]
    hints = get_type_hints(Policy, include_extras=True) | {
        "ladder": rungs,
        "every_round": rungs,
        "tail": AnyTail,
    }
    fields: list[tuple[str, Any, Any]] = [
        (field.name, hints[field.name], field.default)
        for field in msgspec.structs.fields(Policy)
        if field.name not in PYTHON_ONLY
    ]
    return msgspec.defstruct("Policy", fields, frozen=True, forbid_unknown_fields=True)


def _explain_error(error: str, kinds: tuple[type[Rung], ...]) -> str:
    """The error with its place, and with the names there are where one is wrong."""
    wrong = _UNKNOWN_TYPE.fullmatch(error)
    if wrong is None:
        if " - at `" in error:
            return error
        return f"{error} - at `$`"
    rungs = wrong["where"].startswith(("ladder", "every_round"))
    names = sorted(
        str(kind.__struct_config__.tag) for kind in (kinds if rungs else AnyTail.__args__)
    )
    what = "rung" if rungs else "tail"
    return f"Unknown {what} '{wrong['said']}', there are {', '.join(names)} - at `$.{wrong['where']}.type`"
