"""What a search is asked for, checked before anything is looked at, and what it finds."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, get_args

import msgspec

from steno.core.decoders import convert
from steno.core.errors import BadInput
from steno.facts.fact import Trust
from steno.facts.kinds import stated_kinds
from steno.recall.rows import Filters

Mode = Literal["auto", "exact", "words", "meaning"]
MatchKind = Literal["words", "exact", "meaning", "filter"]
Role = Literal["system", "user", "assistant", "tool"]
PROGRAM = "program"
"""Role of what an agent's program wrote under the user's name."""
When = datetime | str | float | int | None
"""A time: ISO text, a datetime, seconds since 1970, or None for no limit."""

QUERY_MOST = 10_000
HITS_MOST = 1_000
SECONDS = 2.0
SECONDS_MOST = 600.0

_ALLOWED = {
    "query": f"text of at most {QUERY_MOST:,} characters",
    "mode": f"one of {', '.join(get_args(Mode))}",
    "role": f"one of {', '.join(get_args(Role))}",
    "kind": f"one of {', '.join(stated_kinds())}",
    "tool": "the name of a tool",
    "path": "a file or a folder",
    "where": "'session', 'user' or a list of session names",
    "most": f"a whole number from 1 to {HITS_MOST:,}",
    "seconds": f"a number over 0, at most {SECONDS_MOST:.0f}",
    "since": "a time: 2026-11-15, 2026-11-15T08:30:00Z, a datetime or seconds",
    "until": "a time: 2026-11-15, 2026-11-15T08:30:00Z, a datetime or seconds",
}
_FIELD = re.compile(r"\$\.(\w+)")


class _Options(msgspec.Struct, kw_only=True):
    """The options that msgspec can check; `Session.recall` documents them."""

    query: Annotated[str, msgspec.Meta(max_length=QUERY_MOST)]
    mode: Mode = "auto"
    kind: str | None = None
    role: Role | None = None
    tool: str | None = None
    path: str | None = None
    where: Literal["session", "user"] | Annotated[tuple[str, ...], msgspec.Meta(min_length=1)] = (
        "session"
    )
    most: Annotated[int, msgspec.Meta(ge=1, le=HITS_MOST)] = 10
    seconds: Annotated[float, msgspec.Meta(gt=0, le=SECONDS_MOST)] = SECONDS


@dataclass(frozen=True)
class Query:
    """A search: what to find, where, and within which bounds."""

    query: str
    mode: Mode
    filters: Filters
    where: str | tuple[str, ...]
    most: int
    seconds: float
    seen: frozenset[int] = frozenset()
    """Positions of the session that searches that who asks sees already; others come first."""

    @classmethod
    def of(cls, query: str, *, since: When = None, until: When = None, **options: Any) -> Query:
        """Check the options of `Session.recall`."""
        checked = _check_options(query=query, **options)
        if checked.kind is not None and checked.kind not in stated_kinds():
            raise _refusal("kind", checked.kind)
        for name, value in (("tool", checked.tool), ("path", checked.path)):
            if value is not None and not value.strip("/ "):
                raise BadInput(f"{name}= is empty: leave it out to search everything")
        filters = Filters(
            checked.kind,
            checked.role,
            checked.tool,
            checked.path,
            _timestamp("since", since),
            _timestamp("until", until),
        )
        if not query.strip():
            if not filters:
                raise BadInput("say what to look for: a query, or at least one filter")
            if checked.mode not in ("auto", "words"):
                raise BadInput(f"mode={checked.mode!r} needs a query")
        where = checked.where
        if isinstance(where, tuple):
            where = tuple(dict.fromkeys(where))
        return cls(query, checked.mode, filters, where, checked.most, checked.seconds)


def _check_options(**options: Any) -> _Options:
    try:
        return convert(options, _Options)
    except msgspec.ValidationError as error:
        field = _FIELD.search(str(error))
        assert field is not None
        raise _refusal(field[1], options[field[1]]) from None
    except UnicodeEncodeError as error:
        # Half a character, in what is one of a few words or a number.
        refused = [name for name, value in options.items() if value == error.object]
        raise _refusal(refused[-1], error.object) from None


def _refusal(name: str, value: object) -> BadInput:
    shown = type(value).__name__
    # A number of thousands of digits cannot be shown.
    if isinstance(value, str | float) or (isinstance(value, int) and value.bit_length() < 64):
        shown = repr(value)
    if len(shown) > 80:
        shown = f"{shown[:80]}…"
    return BadInput(f"{name}= is {_ALLOWED[name]}; got {shown}")


def _timestamp(name: str, when: When) -> float | None:
    """Return seconds since 1970; a time without a zone is in this machine's."""
    try:
        if when is None:
            return None
        if isinstance(when, str):
            when = datetime.fromisoformat(when)
        if isinstance(when, datetime):
            return when.timestamp()
        if isinstance(when, int | float) and not isinstance(when, bool) and math.isfinite(when):
            return float(when)
    except (ValueError, OverflowError, OSError):
        # Text that is no time, or a time that this machine cannot count.
        pass
    raise _refusal(name, when)


@dataclass(frozen=True)
class Hit:
    """One message that was found, and where it can be opened."""

    session: str
    position: int
    place: str
    """The message, or the block of it: `17` or `17.2`, as `open` takes it."""
    role: str
    tool: str
    """The tool that was called, or whose result this is; empty for neither."""
    snippet: str
    score: float
    why: tuple[MatchKind, ...]
    """Which ways of looking found it."""
    trust: Trust
    """Who wrote the words, whatever the role they came under."""
    when: float | None
    """When it was kept, in seconds since 1970, if that is known."""
    pair: int | None = None
    """Position of the call that this result answers, or of the result of this call: they are
    one hit, so that five hits are five things."""
    path: str = ""
    """The first file that the call is about, without a leading slash; empty for none."""
    start: int = 0
    """Character of the block at which the snippet begins."""

    @property
    def positions(self) -> tuple[int, ...]:
        """All positions of this hit, in order."""
        if self.pair is None:
            return (self.position,)
        return tuple(sorted((self.position, self.pair)))


@dataclass(frozen=True)
class Found:
    """The hits of a search, best first."""

    hits: tuple[Hit, ...]
    more: int = 0
    """How many further messages were found at least."""
    complete: bool = True
    """False if something in scope was left out; `note` says what."""
    note: str = ""

    def __bool__(self) -> bool:
        return bool(self.hits)
