"""Try one conversation on one wire at one window, and count what the judge says.

Owns the two ways to try a conversation, and the tally. An exception is a finding and does not end
the run.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import steno
from bench.plain import Given, Json
from steno.core.seam import find_seams
from tests.support import legal, legal_responses

MISCOUNTED = 0.01
"""The share by which a request may weigh otherwise than its session says."""

Judge = Callable[..., list[str]]


@dataclass(frozen=True)
class Tally:
    """Counts by name; failures say where."""

    counts: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    failures: tuple[str, ...] = ()
    avoidable: tuple[str, ...] = ()
    """Requests over the window that need not have been."""
    seconds: float = 0.0
    """In Steno, without the judge."""

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.counts + other.counts,
            self.rules + other.rules,
            self.failures + other.failures,
            self.avoidable + other.avoidable,
            self.seconds + other.seconds,
        )


JUDGES: dict[str, Judge] = {
    "openai": legal.openai_chat,
    "anthropic": legal.anthropic,
    "openai-responses": legal_responses.openai_responses,
}


def once(given: Given, wire: str, window: int, name: str) -> Tally:
    """Send the whole list through `steno.compact`, and its outcome again."""
    trial = _Trial(given, wire, f"{name} {wire} {window} once")
    options: dict[str, Any] = {
        "wire": wire,
        "window": window,
        "system": given.system,
        "on_event": trial.heard,
    }
    result = trial.timed(steno.compact, given.messages, **options)
    if result is None:
        return trial.tally()
    trial.judge(result.request, len(given.messages))
    trial.weigh(result.session, len(given.messages))
    trial.open(result.session)
    again = trial.timed(
        steno.compact, result.messages, **options | {"on_event": trial.heard_failing}
    )
    if again is not None:
        trial.compare(result, again)
    return trial.tally()


def lived(given: Given, wire: str, window: int, name: str) -> Tally:
    """Replay message by message, with a request before every reply and one at the end."""
    trial = _Trial(given, wire, f"{name} {wire} {window} lived")
    session = steno.Session(wire=wire, window=window, system=given.system, on_event=trial.heard)
    for at, message in enumerate([*given.messages, None]):
        if at and (message is None or message["role"] == "assistant"):
            request = trial.timed(session.request, at=at)
            if request is None:
                break
            trial.judge(request, at)
            trial.weigh(session, at)
        if message is not None and trial.timed(_added, session, message, at=at) is None:
            break
    trial.open(session)
    return trial.tally()


def _added(session: steno.Session, message: Json) -> bool:
    session.add(message)
    return True


class _Trial:
    """The state of one trial."""

    def __init__(self, given: Given, wire: str, name: str) -> None:
        self.given, self.wire, self.name = given, wire, name
        self.counts: Counter[str] = Counter()
        self.rules: Counter[str] = Counter()
        self.avoidable: list[str] = []
        self.failures: list[str] = []
        self.seconds = 0.0

    def tally(self) -> Tally:
        return Tally(
            self.counts, self.rules, tuple(self.failures), tuple(self.avoidable), self.seconds
        )

    def heard(self, event: steno.Event) -> None:
        """Raise if a compaction failed, although the agent did not notice."""
        match event:
            case steno.events.Failed():
                self.heard_failing(event)
            case steno.events.Committed(fits=fits, why=why):
                self.counts["commits"] += 1
                self.counts["fits=False"] += not fits and why != "arrival"

    def heard_failing(self, event: steno.Event) -> None:
        if isinstance(event, steno.events.Failed):
            self.fail("exceptions", event.reason)

    def fail(self, kind: str, what: str, at: int | None = None) -> None:
        self.counts[kind] += 1
        place = "" if at is None else f" at message {at}"
        self.failures.append(f"{kind}: {self.name}{place}: {what}")

    def timed(self, do: Callable[..., Any], *args: Any, at: int | None = None, **more: Any) -> Any:
        """Return what a function returns, or None if it raised."""
        began = time.perf_counter()
        try:
            return do(*args, **more)
        except Exception as error:  # noqa: BLE001 — counting what is raised is what this is for
            self.fail("exceptions", f"{type(error).__name__}: {error}", at)
            return None
        finally:
            self.seconds += time.perf_counter() - began

    def judge(self, request: Json, at: int) -> None:
        """A request made of the first `at` messages, against those messages themselves.

        The last list may stop where its caller stopped; one that an assistant answered may not.
        """
        self.counts["requests"] += 1
        judge, whole = JUDGES[self.wire], at == len(self.given.messages)
        found = judge(request, pending_ok=whole)
        # Judging every beginning of a list would be quadratic: it is done where its verdict
        # matters.
        before = judge(self._untouched(at), pending_ok=whole) if whole or found else []
        if before and not found:
            self.counts["mended"] += 1
        if found and not before:
            self.fail("newly illegal", "; ".join(found[:3]), at)
        if found and before:
            self.counts["illegal before"] += 1
            self.rules.update(set(map(_rule, found)))
            self._otherwise(found, before, at)

    def _otherwise(self, found: list[str], before: list[str], at: int) -> None:
        """Tell whether both lists are illegal, but for different reasons."""
        new = [problem for problem in found if _rule(problem) not in set(map(_rule, before))]
        if new:
            self.fail("otherwise", f"{new[0]} (before: {before[0]})", at)

    def _untouched(self, at: int) -> Json:
        system = {} if self.given.system is None else {"system": self.given.system}
        name = "input" if self.wire == "openai-responses" else "messages"
        return {name: self.given.messages[:at]} | system

    def weigh(self, session: steno.Session, at: int) -> None:
        """Count whether the request is over its window, and whether that was avoidable."""
        usable = session.budget.usable
        if session.load <= usable:
            return
        self.counts["over usable"] += 1
        least = _least(session)
        if least <= usable:
            self.counts["avoidable"] += 1
            self.avoidable.append(
                f"{self.name} at message {at}: {session.load:,} of {usable:,}, where "
                f"{least:,} would do"
            )

    def open(self, session: steno.Session) -> None:
        """Open everything that is covered, and compare it."""
        for position in _covered(session.view):
            self.counts["opened"] += 1
            if session.open(position) != self.given.messages[position]:
                self.fail("not opened", "what was opened is not what was said", position)

    def compare(self, first: steno.Compacted, second: steno.Compacted) -> None:
        """Send the outcome again: it must stay legal and, without pressure, unchanged."""
        judge = JUDGES[self.wire]
        if (found := judge(second.request)) and not judge(first.request):
            self.fail("newly illegal", f"compacted again: {found[0]}")
        if first.pressure is not steno.Pressure.NONE:
            return
        if second.messages != first.messages:
            self.fail("changed again", "compacting the outcome changed it without pressure")
        elif abs(second.load - first.load) > MISCOUNTED * first.load:
            self.fail(
                "miscounted", f"{first.load:,} tokens were said, {second.load:,} were counted"
            )


def _covered(view: steno.View) -> Iterator[int]:
    return (
        position
        for item in view.items
        if item.is_edited
        for position in range(item.span.start, item.span.stop)
    )


def _least(session: steno.Session) -> int:
    """Return what the system prompt, one cover and the newest turn weigh."""
    items = list(session.view.items)
    newest = max(at for at in find_seams(items, session.view.terms) if at < len(items))
    head = next(
        (at for at, item in enumerate(items) if any(each.role != "system" for each in item.shows)),
        0,
    )
    traces = (item.tokens for item in items[head:newest] if item.level)
    kept = sum(item.tokens for item in [*items[:head], *items[newest:]]) + max(traces, default=0)
    return session.load - session.view.raw + kept


def _rule(problem: str) -> str:
    """Return a problem without its place and names."""
    what = problem.partition(": ")[2]
    return re.sub(r"(?:\S*[\d_]\S*[, ]*)+", "… ", what).strip()
