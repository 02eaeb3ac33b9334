"""What a search is asked for, checked before anything is looked at: a mistake says what may be said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from steno.core.errors import BadInput
from steno.facts.kinds import stated_kinds
from steno.recall.search import Filters

Mode = Literal["auto", "exact", "regex", "words", "meaning"]
MODES: tuple[str, ...] = get_args(Mode)
FACT_KINDS = stated_kinds()
ROLES = ("system", "user", "assistant", "tool")
QUERY_MOST = 10_000
HITS_MOST = 1_000
SECONDS = 2.0
SECONDS_MOST = 600.0

_KNOWN = ("mode", "kind", "role", "tool", "path", "since", "until", "where", "most", "seconds")

When = datetime | str | float | int | None


@dataclass(frozen=True)
class Query:
    query: str
    mode: str
    filters: Filters
    where: str | tuple[str, ...]
    most: int
    seconds: float

    @classmethod
    def of(
        cls,
        query: str,
        *,
        mode: str = "auto",
        kind: str | None = None,
        role: str | None = None,
        tool: str | None = None,
        path: str | None = None,
        since: When = None,
        until: When = None,
        where: str | Sequence[str] = "session",
        most: int = 10,
        seconds: float = SECONDS,
    ) -> Query:
        _text("query", query)
        if len(query) > QUERY_MOST:
            raise BadInput(f"query= has at most {QUERY_MOST:,} characters, got {len(query):,}")
        _one_of("mode", mode, MODES)
        for name, value, known in (("kind", kind, FACT_KINDS), ("role", role, ROLES)):
            if value is not None:
                _one_of(name, value, known)
        for name, value in (("tool", tool), ("path", path)):
            if value is not None and not _text(name, value).strip("/ "):
                raise BadInput(f"{name}= is empty: leave it out to look at all")
        filters = Filters(
            kind, role, tool, path, _timestamp("since", since), _timestamp("until", until)
        )
        if not query.strip() and not filters:
            raise BadInput("say what to look for: a query, or at least one filter")
        if not query.strip() and mode not in ("auto", "words"):
            raise BadInput(f"mode={mode!r} needs a query")
        return cls(query, mode, filters, _where(where), _most(most), _seconds(seconds))


def parse_query(query: str, how: dict[str, Any]) -> Query:
    unknown = how.keys() - _KNOWN
    if unknown:
        raise BadInput(
            f"unknown option {min(unknown)!r} for a search; there are {', '.join(_KNOWN)}"
        )
    return Query.of(query, **how)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{name}= takes a text, got {type(value).__name__}")
    return value


def _one_of(name: str, value: Any, known: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in known:
        raise BadInput(f"{name}= is one of {', '.join(known)}; got {value!r}")


def _where(where: Any) -> str | tuple[str, ...]:
    if isinstance(where, str):
        _one_of("where", where, ("session", "user"))
        return where
    if (
        not isinstance(where, list | tuple)
        or not where
        or not all(isinstance(name, str) for name in where)
    ):
        raise BadInput(f"where= is 'session', 'user' or a list of session names; got {where!r}")
    return tuple(dict.fromkeys(where))


def _most(most: Any) -> int:
    if not isinstance(most, int) or isinstance(most, bool) or not 1 <= most <= HITS_MOST:
        raise BadInput(f"most= is a whole number from 1 to {HITS_MOST:,}; got {most!r}")
    return most


def _seconds(seconds: Any) -> float:
    if (
        not isinstance(seconds, int | float)
        or isinstance(seconds, bool)
        or not 0 < seconds <= SECONDS_MOST
    ):
        raise BadInput(f"seconds= is a number over 0, at most {SECONDS_MOST:.0f}; got {seconds!r}")
    return float(seconds)


def _timestamp(name: str, when: When) -> float | None:
    """Seconds since 1970; a time without a zone is this machine's."""
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
        pass
    raise BadInput(
        f"{name}= is a time: 2026-11-15, 2026-11-15T08:30:00Z, a datetime or seconds; got {when!r}"
    )
