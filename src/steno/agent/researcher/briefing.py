"""The researcher's turn: before each request the history is brought down, and whoever writes it up is waited for.

Between turns nothing else happens, so waiting costs nobody anything, and a request
is always made of what the last compaction left. Where not even that fits, the run
is over: `NoRoom` says so with the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steno.agent.turn import Run
from steno.core.ask import run
from steno.core.budget import Pressure
from steno.core.error import StenoError
from steno.core.log import Commit
from steno.session.fixed import Fixed
from steno.session.session import Session

NO_ROOM = "context overflow after compaction"


class NoRoom(StenoError):
    """What may not be compacted leaves no room to go on."""

    def __init__(self, load: int, fixed: int, usable: int) -> None:
        super().__init__(f"{NO_ROOM}: {load:,} tokens in {usable:,}, of which system, tools and task are {fixed:,}")
        self.load, self.fixed, self.usable = load, fixed, usable


@dataclass(frozen=True)
class Briefed(Run):
    """A run whose history is written up before every turn."""

    def request(self) -> dict[str, Any]:
        brought_down(self.session)
        made = self.session.request(system=self.system, tools=self.definitions)
        _refuse_what_cannot_fit(self.session, self.system, self.definitions)
        return made


def brought_down(session: Session) -> Commit | None:
    """Compact where there is pressure, with the session's writer; None where there is nothing to do."""
    pressure = session.pressure
    if pressure is Pressure.NONE or session.view.mending.open:
        return None
    why: Any = "hard" if pressure is Pressure.HARD else "soft"
    writer = session.setup.writer if session.setup.policy.rounds != 0 else None
    return session.redrawn(lambda: session.landed(run(session.begun(why), writer, session.setup.limits)))


def _refuse_what_cannot_fit(session: Session, system: Any, tools: list[dict[str, Any]]) -> None:
    if session.pressure is Pressure.NONE:
        return
    meter, budget = session.view.meter, session.budget
    task = next((item.tokens for item in session.view.items if item.shows and item.shows[0].role == "user"), 0)
    fixed = meter.load(Fixed.of(system, tools, meter).tokens + task)
    # A heavy tail is no reason to end: it moves on. What is fixed does not.
    if session.load > budget.usable or fixed > budget.soft_load:
        raise NoRoom(session.load, fixed, budget.usable)
