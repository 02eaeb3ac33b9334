"""A policy: when and how to compact, as a value; and policies in TOML files.

A policy has no state. With a model's window it makes a budget. In Python it takes
any rung, check or tail; a file can name the known ones, and no checks. Both are
checked by the same annotations, and an error says the place: `ladder[0].over: expected
a whole number, got text`. The policies of the written designs are in `designs`.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import lru_cache, reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from steno.checks.shape import SHAPE, Check
from steno.core.budget import Budget, Goal, Trigger, default_reserve
from steno.core.constraint import Constraint, as_constraints
from steno.core.decoders import convert
from steno.core.errors import BadInput, BadPolicy
from steno.core.message import Value
from steno.core.model import Complexity
from steno.core.rung import Rung
from steno.core.tail import AnyTail, Share, Tail
from steno.core.view import View
from steno.facts.people import person_words
from steno.rungs.arrive import Arrive
from steno.rungs.clip import Clip
from steno.rungs.fold import Fold
from steno.rungs.offload import Intake, Micro, Offload, OffloadTail
from steno.rungs.prune import Prune
from steno.rungs.summarize import Summarize
from steno.rungs.truncate import Truncate

PinTarget = Literal["first_user", "task"]
"""What a policy can pin: the first user message, or the first of a person if it is not long."""
TASK_SHARE = 2
"""How much of a pinned request the task may be, for each share of the goal: less of a low one."""
Moment = Literal["now", "step", "pause"]
"""When to act on soft pressure: at once, at the end of a step, or when no cache is lost by it."""
Quota = Literal["normal", "fallback", "deny"]
"""State of a caller's quota: enough, short, or used up."""
Persona = Literal["concise", "verbose", "decisive", "deliberative"]
"""How the agent talks and decides."""
DOUBTS, DOUBTS_COMPLEX = 3, 1
"""Kinds of doubt that mark a message: in a task that is not complex, and in one that is."""
PATIENCE: dict[Complexity, float] = {"simple": 0.4, "medium": 0.7, "complex": 0.85, "epic": 1.0}
"""Share of the way from soft to hard on which only a good moment will do."""
TURN_ROOM = 1_000
"""Tokens to leave between soft and the window: a turn with an ordinary result."""
SOFT_LEAST, GOAL_DISTANCE = 0.74, 0.12
"""Soft in a very small window, and how far the goal stays below a soft that was lowered."""
DRAFT_ROOM = 0.10
"""Share between soft and hard in which a writer has time for its draft."""
LARGE_WINDOW = 200_000
"""Usable tokens from which on soft grows as the root of the window."""
QUOTA_DROP = 0.10
"""By how much the limits drop if the quota is short."""
NonNegative = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(gt=0)]
GOAL_MARGIN = 0.01
"""How far over the goal a lowered limit stays at least."""


class Policy(Value):
    """When to compact, how far, by which rungs, and what stays.

    `Policy()` is what a session has without `policy=`.
    """

    soft: float = 0.90
    """Share of the usable window at which a compaction is due."""
    goal: Goal = 0.66
    """Share to come down to, or "tail"."""
    hard: float = 0.95
    """Share at which a compaction cannot wait."""
    every_round: tuple[Rung, ...] = (Intake(),)
    """Rungs that look at new messages, with or without pressure."""
    ladder: tuple[Rung, ...] = (Prune(), OffloadTail(), Summarize(), Fold(), Offload(), Truncate())
    """Rungs under pressure, gentlest first; the last one cannot fail."""
    checks: tuple[Check, ...] = SHAPE
    tail: Tail = Share(0.20)
    """The newest messages, which are left alone."""
    trigger: Trigger = "at"
    least: NonNegative = 0
    """Messages that must be there before a compaction starts, unless pressure is hard."""
    pins: tuple[PinTarget, ...] = ()
    window: Positive | None = None
    """Window to assume if neither `window=` nor `model=` is given."""
    limit: int | None = None
    """Tokens that soft and goal are shares of, if fewer than the window holds."""
    reserve: int | None = None
    """Reserve if `reserve=` is not given; by default an eighth of the window, at most 16,000."""
    moment: Moment = "step"
    """When to act on soft pressure; hard pressure ends the wait for a step."""
    agent_controlled: bool = False
    """The agent compacts by a tool; the system steps in only under hard pressure."""
    compress_tool: bool = False
    """Offer the agent that tool, although the system compacts at `soft` as well."""
    rounds: NonNegative | None = None
    """Rounds of asks that a rung may make, within the engine's limit; 0 asks no model."""
    wait: Annotated[float, msgspec.Meta(ge=0)] = 20.0
    """Seconds to wait for a writer under hard pressure; then a commit lands without one."""
    complexity: Complexity = "medium"
    """How hard the task is; in a complex or epic one every doubt counts, and soft pressure waits
    longer for the end of a step."""
    persona: Persona | None = None
    """How the agent talks; every doubt of a verbose or deliberative one counts."""
    by_window: bool = True
    """Lower soft and goal where the window is small or very large; see `docs/designs.md`."""
    constraints: tuple[str | Constraint, ...] = ()
    """Constraints that every session under this policy is given, beside those of `constraints=`."""

    def __post_init__(self) -> None:
        """Check every field: msgspec checks types when it reads a file, but not here."""
        values = {name: getattr(self, name) for name in _PlainFields.__struct_fields__}
        try:
            convert(values, _PlainFields)
        except msgspec.ValidationError as error:
            raise BadPolicy(_with_value(plain_error(str(error), _HINTS), values)) from None
        try:
            as_constraints(self.constraints)
        except BadInput as error:
            raise BadPolicy(f"constraints: {error}") from None
        _check_all("ladder", self.ladder, Rung, "a rung such as Truncate()")
        _check_all("every_round", self.every_round, Rung, "a rung such as Intake()")
        _check_all("checks", self.checks, Callable, "a function")
        if not isinstance(self.tail, Tail):
            raise BadPolicy(f"tail: expected a tail such as Share(0.2), got {self.tail!r}")
        if not self.ladder:
            raise BadPolicy("ladder: needs at least one rung, or nothing could be compacted")

    @classmethod
    def read(cls, source: str | os.PathLike[str], rungs: Iterable[type[Rung]] = ()) -> Policy:
        """Read a policy from a TOML file or text; it may also name these further `rungs`.

        A text has a line break, or an equals sign and is no name of a file.
        """
        if isinstance(source, str) and ("\n" in source or ("=" in source and not _is_file(source))):
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

    def write(self) -> str:
        """Return what differs from `Policy()` as a TOML text; refuse code of the caller's own."""
        plain = Policy()
        lines = []
        for name in Policy.__struct_fields__:
            value = getattr(self, name)
            if name not in PYTHON_ONLY and value != getattr(plain, name):
                lines.append(f"{name} = {_toml_value(msgspec.to_builtins(value, enc_hook=str))}")
        text = "\n".join(lines) + "\n"
        with suppress(BadPolicy):
            if Policy.read(text) == self:
                return text
        raise BadPolicy("a text cannot say this policy: it has rungs, tails or checks of its own")

    def budget(self, window: int, reserve: int | None = None, *, drafts: bool = False) -> Budget:
        """Return the budget for a window; `reserve` overrides the policy's own.

        If a writer `drafts` in the background, soft may be lower, so that it has time.
        """
        if reserve is None:
            reserve = self.reserve
        if reserve is None:
            reserve = default_reserve(window)
        soft = self.soft
        if self.agent_controlled:
            soft = self.hard
        # As written first: an error has to name the shares that the caller wrote.
        written = Budget(window, reserve, soft, self.goal, self.hard, self.trigger, self.limit)
        if not self.by_window or written.share_base < written.usable:
            return written
        return self._fit_to_window(written, drafts)

    def _fit_to_window(self, written: Budget, drafts: bool) -> Budget:
        """Return a budget with its shares fitted to the window; see `by_window`."""
        soft, goal, usable = written.soft, written.goal, written.usable
        if drafts and not self.agent_controlled:
            soft = min(soft, round(max(self.hard - DRAFT_ROOM, SOFT_LEAST), 6))
        if usable <= LARGE_WINDOW:
            # A turn must fit between soft and the window, or every compaction comes at hard
            # pressure.
            soft = min(soft, round(max(1 - TURN_ROOM / usable, SOFT_LEAST), 6))
            if soft < written.soft and not isinstance(goal, str):
                # Two compactions must not follow closely.
                goal = min(goal, round(soft - GOAL_DISTANCE, 6))
        else:
            # What a turn costs grows with the load; what a compaction costs is shared by the
            # turns between two. Both together are least where the load grows as the root of the
            # window.
            share = math.sqrt(LARGE_WINDOW / usable)
            soft = round(soft * share, 6)
            if not isinstance(goal, str):
                goal = round(goal * share, 6)
        hard = written.hard
        if self.agent_controlled:
            # Steno steps in at one limit only, and that limit is fitted like soft.
            hard = soft
        return msgspec.structs.replace(written, soft=soft, goal=goal, hard=hard)

    @property
    def offers_compression(self) -> bool:
        """Whether the agent has the tool `compress_context` and sees how full its context is."""
        return self.agent_controlled or self.compress_tool

    @property
    def patience(self) -> float:
        """Share of the way from soft to hard on which a step must have ended; then less will do."""
        return PATIENCE[self.complexity]

    @property
    def doubts(self) -> int:
        """Kinds of doubt that mark a message of the assistant, unless a rung says otherwise."""
        talks = self.persona in ("verbose", "deliberative")
        if talks or self.complexity in ("complex", "epic"):
            return DOUBTS_COMPLEX
        return DOUBTS

    def but(self, **changes: Any) -> Policy:
        """Return this policy with some fields changed."""
        return msgspec.structs.replace(self, **changes)

    def with_quota(self, quota: Quota) -> Policy:
        """Return this policy under a quota.

        If the quota is short, compact earlier and keep less tail; if it is used up, ask no model.
        """
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
        """Return a limit that is ten points lower, but stays over the goal."""
        floor = GOAL_MARGIN
        if not isinstance(self.goal, str):
            floor += self.goal
        return min(share, max(round(share - QUOTA_DROP, 6), round(floor, 6)))

    def pinned_positions(self, view: View, most: float) -> frozenset[int]:
        """Return what this policy pins, where it is still shown word for word.

        The request that is being worked on is pinned if it takes at most so many tokens.
        """
        pinned = frozenset(_open_request(view, most))
        if "first_user" in self.pins:
            pinned |= frozenset(_first_user(view))
        if "task" in self.pins:
            if not isinstance(self.goal, str):
                most *= min(1, self.goal * TASK_SHARE)
            pinned |= frozenset(_first_user(view, most))
        return pinned


def _open_request(view: View, most: float) -> Iterator[int]:
    """Yield the position of a person's newest message if it has no final reply yet."""
    for item in reversed(view.items):
        if item.main is None:
            continue
        message = item.shows[item.main]
        if message.role == "assistant" and message.text.strip() and not message.calls:
            return
        if message.by == "caller" and person_words(message):
            if item.tokens <= most:
                yield item.span.start
            return


def _first_user(view: View, most: float | None = None) -> Iterator[int]:
    """Yield the position of the first user message, if it is still shown.

    With `most` tokens, of the first that a person sent, if it takes no more.
    """
    for position, message in enumerate(view.messages):
        # The task is among messages that were covered before the list came here.
        if message.role == "absent":
            return
        if message.role != "user" or message.by != "caller" or message.only_results:
            continue
        if most is not None and not person_words(message):
            continue
        item = view.at(position)
        if item.main is not None and (most is None or item.tokens <= most):
            yield position
        return


_OPEN_FIELDS = ("every_round", "ladder", "checks", "tail", "constraints")
"""Fields that may hold code of the caller's, or are checked elsewhere."""
_HINTS = get_type_hints(Policy, include_extras=True)
_PlainFields = msgspec.defstruct(
    "_PlainFields", [(name, hint) for name, hint in _HINTS.items() if name not in _OPEN_FIELDS]
)
"""The other fields, for msgspec to check."""


def _with_value(error: str, values: dict[str, Any]) -> str:
    """Return an error of a field with what the field holds, if it does not say it already."""
    value = repr(values[re.split(r"[:\[]", error, maxsplit=1)[0]])
    if value in error or "none of its words" in error:
        return error
    return f"{error}: {value}"


def _check_all(name: str, values: object, kind: Any, wanted: str) -> None:
    if not isinstance(values, tuple | list):
        raise BadPolicy(f"{name}: expected a tuple, got {values!r}")
    for at, value in enumerate(values):
        if not isinstance(value, kind):
            raise BadPolicy(f"{name}[{at}]: expected {wanted}, got {value!r}")


KNOWN_RUNGS: tuple[type[Rung], ...] = (
    Arrive,
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
"""Fields that a file cannot set."""
TRIAL_WINDOW = 1_000_000
"""Window to validate the shares with, if a file names none."""
_UNKNOWN_TYPE = re.compile(r"Invalid value '(?P<name>.*)' - at `\$\.(?P<where>.*)\.type`", re.S)


def _is_file(source: str) -> bool:
    return source.endswith(".toml") or os.path.isfile(source)


def _parse_policy(text: str, rungs: Iterable[type[Rung]]) -> Policy:
    import tomllib

    kinds = (*KNOWN_RUNGS, *rungs)
    try:
        plain = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Not TOML, a number of thousands of digits, or lists in lists without end.
        raise BadPolicy(f"not TOML: {error}") from None
    try:
        written = convert(plain, _file_schema(kinds))
    except msgspec.ValidationError as error:
        raise BadPolicy(_explain_error(str(error), kinds)) from None
    policy = Policy(**{name: getattr(written, name) for name in written.__struct_fields__})
    # Made only to be checked: shares that contradict each other are an error of this file.
    policy.budget(policy.window or TRIAL_WINDOW + (policy.reserve or 0))
    return policy


def _toml_value(value: Any) -> str:
    """Return a plain value as TOML writes it; a key without a value is left out."""
    if isinstance(value, dict):
        pairs = (f"{key} = {_toml_value(each)}" for key, each in value.items() if each is not None)
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    # JSON writes texts, numbers and truth values as TOML does.
    return json.dumps(value)


# Each session reads its policy as a file would say it, and to make the schema takes longer.
@lru_cache(maxsize=32)
def _file_schema(kinds: tuple[type[Rung], ...]) -> type[msgspec.Struct]:
    """Return a policy's fields as a file may set them, with the rungs and tails it may name."""
    # Not `Policy` itself: its fields take any rung or tail, which msgspec could not decode.
    known: Any = reduce(or_, kinds)
    rungs = tuple[known, ...]
    hints = _HINTS | {
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
    """Return the error with its place, and the known names if one is wrong."""
    wrong = _UNKNOWN_TYPE.fullmatch(error)
    if wrong is None:
        return plain_error(error, _HINTS, PYTHON_ONLY)
    rungs = wrong["where"].startswith(("ladder", "every_round"))
    what, known = "tail", AnyTail.__args__
    if rungs:
        what, known = "rung", kinds
    names = ", ".join(sorted(str(kind.__struct_config__.tag) for kind in known))
    error = f"{wrong['where']}.type: there is no {what} '{wrong['name']}'; there are {names}"
    if rungs:
        error += ". For a rung of your own, pass its class: Policy.read(path, rungs=(Mine,))"
    return error


TYPE_WORDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "nothing",
    "object": "a table",
    "str": "text",
}
_PLACE = re.compile(r"(?P<words>.*) - at `\$\.?(?P<key>.*)`", re.S)
_TYPES = re.compile(r"`([\w |]+)`")
_UNKNOWN_KEY = re.compile(r"Object contains unknown field `(.*)`", re.S)
_MISSING_KEY = re.compile(r"Object missing required field `(.*)`", re.S)
_UNKNOWN_WORD = re.compile(r"Invalid enum value (.*)", re.S)


def plain_error(error: str, hints: Mapping[str, Any], hidden: Iterable[str] = ()) -> str:
    """Return an error of msgspec's in the words of a file; `hints` are the types of all keys."""
    found = _PLACE.fullmatch(error)
    key, words = "", error
    if found is not None:
        key, words = found["key"], found["words"]
    unknown = _UNKNOWN_KEY.fullmatch(words)
    if unknown is not None:
        return _unknown_key(key, unknown[1], [name for name in hints if name not in set(hidden)])
    missing = _MISSING_KEY.fullmatch(words)
    if missing is not None:
        return f"{key}: the key {missing[1]} is missing"
    wrong = _UNKNOWN_WORD.fullmatch(words)
    if wrong is not None:
        allowed = ", ".join(dict.fromkeys(_words_of(hints.get(key.partition("[")[0]))))
        return f"{key}: {wrong[1]} is none of its words: {allowed}"
    words = _TYPES.sub(lambda kind: _type_words(kind[1]), words)
    words = words.replace("Expected ", "expected ")
    if not key:
        return words
    return f"{key}: {words}"


def _unknown_key(place: str, name: str, keys: list[str]) -> str:
    if place:
        return f"{place}: there is no key {name}"
    near = get_close_matches(name, keys, n=1)
    if near:
        return f"there is no key {name}; did you mean {near[0]}?"
    return f"there is no key {name}; the keys are {', '.join(keys)}"


def _type_words(kinds: str) -> str:
    return " or ".join(TYPE_WORDS.get(kind, kind) for kind in kinds.split(" | "))


def _words_of(hint: Any) -> Iterator[str]:
    """Yield the words that a type allows, however deep they stand in it."""
    if get_origin(hint) is Literal:
        yield from map(str, get_args(hint))
        return
    for part in get_args(hint):
        yield from _words_of(part)
