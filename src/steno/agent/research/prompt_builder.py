"""The prompt of a researcher's next turn, and the compaction of its history.

System prompt, tools and task are never compacted. Memory is covered first, then the history
but for the newest three entries. The session of a researcher keeps all of it.

A researcher notes what it found before it calls the next tool. Those words are in the
log, so its rungs repeat them in every summary without a model and without wearing off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from steno.agent.research.text_talker import MEMORY_FENCE, render_prompt
from steno.core.budget import Pressure
from steno.core.draft import Draft
from steno.core.effects import Answer, Rounds
from steno.core.errors import StenoError
from steno.core.log import Commit, Proposal
from steno.facts.ledger import Ledger
from steno.rungs.clip import Clip
from steno.rungs.summarize import Summarize
from steno.session.preamble import Preamble
from steno.session.session import Session
from steno.summary.worth import fold_rarity

NO_ROOM = "context overflow after compaction"


class SummarizeNotes(Summarize, tag="summarize-notes"):
    """Summarize, with what the agent noted word for word: what is said nowhere else first."""

    def doubted_at(self, draft: Draft, ledger: Ledger) -> dict[int, list[str]]:
        messages = draft.view.messages
        rarity = messages.fold(fold_rarity)
        notes = [at for at in range(draft.tail_start) if messages[at].role == "assistant"]
        # "Now I read the next file" is said of every file; a finding is said once.
        notes.sort(key=lambda at: (rarity.score(messages[at].text), at), reverse=True)
        doubted = super().doubted_at(draft, ledger)
        for at in notes:
            doubted.setdefault(at, [])
        return doubted


class SummarizeOrClip(Summarize, tag="summarize-or-clip"):
    """Summarize if the writer answered; otherwise keep the first characters of each entry.

    Clipping is there for comparison.
    """

    each: int = 200

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        if any(isinstance(reply, Answer) for replies in rounds for reply in replies):
            return super().edit(draft, rounds)
        return Clip(each=self.each).edit(draft, rounds)


class NoRoom(StenoError):
    """What may not be compacted leaves no room to continue."""

    def __init__(self, load: int, fixed: int, usable: int) -> None:
        super().__init__(f"{load:,} tokens in {usable:,}, {fixed:,} of them system, tools and task")


def compact_under_pressure(session: Session) -> Commit | None:
    """Compact with the session's writer if there is pressure; return the commit, if any."""
    pressure = session.pressure
    if pressure is Pressure.NONE or session.view.mending.open:
        return None
    why: Literal["hard", "soft"] = "soft"
    if pressure is Pressure.HARD:
        why = "hard"
    return session.host.compact_now(why)


def require_room(session: Session, system: Any, tools: list[dict[str, Any]]) -> None:
    """Raise `NoRoom` if the load is over the window, or will stay over the soft limit."""
    if session.pressure is Pressure.NONE:
        return
    meter = session.view.meter
    budget = session.budget
    task = 0
    for item in session.view.items:
        if item.shows and item.shows[0].role == "user":
            task = item.tokens
            break
    fixed = meter.load(Preamble.of(system, tools, meter).tokens + task)
    # A heavy tail is no reason to end: later turns will cover it. The fixed part stays.
    if session.load > budget.usable or fixed > budget.soft_load:
        raise NoRoom(session.load, fixed, budget.usable)


@dataclass(frozen=True)
class PromptBuilder:
    """Builds the prompt of each turn from a session: `Researcher(…).prompt_builder(task)`."""

    session: Session

    def begin(self, task: str, memory: str = "") -> None:
        """Set the task, and what was known before it."""
        self.session.host.add({"role": "user", "content": task})
        if memory.strip():
            self.session.host.say(MEMORY_FENCE, memory)

    def add(self, *messages: Mapping[str, Any]) -> None:
        """Add replies, and results of the tools that they called."""
        self.session.add(*messages)

    def needs_compaction(self) -> bool:
        """Tell whether the load is over the policy's limit, 60 % of the window."""
        return self.session.pressure is not Pressure.NONE

    def compact(self) -> bool:
        """Replace older entries by a summary; return whether all now fits.

        With three entries or fewer there is nothing to replace, and no model is asked.
        """
        compact_under_pressure(self.session)
        return self.session.pressure is Pressure.NONE

    async def acompact(self) -> bool:
        """Do the same without blocking an event loop."""
        return await asyncio.to_thread(self.compact)

    def build(self) -> str:
        """Return the prompt of the next turn."""
        return render_prompt(self.session.request())
