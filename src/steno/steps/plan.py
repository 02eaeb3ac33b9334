"""What a summary stands for: the parts of a draft that are hidden, in runs, and what must stand beside it.

Owns telling what stays from what goes once that is chosen, and the edits that
hide; what the summary says is not known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from steno.core.draft import Draft
from steno.core.log import Edit
from steno.core.mend import clean
from steno.core.message import Message, user
from steno.core.span import Span
from steno.core.trace import Trace
from steno.core.view import Item
from steno.ledger.outlook import Outlook
from steno.steps.earlier import Earlier
from steno.steps.excerpts import Part


@dataclass(frozen=True)
class Plan:
    """What is covered, and what of it stays."""

    draft: Draft
    """As it is once `active` is applied."""
    parts: Sequence[Part]
    outlook: Outlook
    limit: int
    """Tokens of the summary."""
    active: tuple[Edit, ...] = ()
    """What shows results of the active sub-task in short."""
    stays: dict[int, tuple[Edit, ...]] = field(default_factory=dict)
    """The parts that are shown, by their index, each with the edits that show it in excerpts."""

    @cached_property
    def hidden(self) -> list[int]:
        """The positions of which nothing is shown."""
        return [at for part in self.gone for at in range(part.span.start, part.span.stop)]

    @property
    def gone(self) -> list[Part]:
        return [part for n, part in enumerate(self.parts) if n not in self.stays]

    @cached_property
    def earlier(self) -> Earlier:
        return Earlier.of(self.draft, (item for part in self.gone for item in part.items))


def runs_of(draft: Draft, parts: Sequence[Part], islands: dict[int, tuple[Edit, ...]]) -> list[list[Item]]:
    """Neighbouring parts of which nothing is shown."""
    runs: list[list[Item]] = []
    end = -1
    for at, part in enumerate(parts):
        if at in islands:
            continue
        if runs and part.first == end:
            runs[-1] += part.items
        else:
            runs.append(list(part.items))
        end = part.last
    return runs


def span_of(run: Sequence[Item]) -> Span:
    return Span(run[0].span.start, run[-1].span.stop)


def level_of(run: Sequence[Item]) -> int:
    return 1 + max(item.level for item in run)


def hiding(run: Sequence[Item]) -> Edit:
    return Edit(span_of(run), (), "summarize", level=level_of(run))


def beginning(draft: Draft, runs: Sequence[Sequence[Item]]) -> Edit | None:
    """Where a user must begin and the first words would be the assistant's, a trace stands before them."""
    first = runs[0]
    spoken = [item for item in draft.view.items if not _system(item)]
    if len(runs) < 2 or not spoken or spoken[0].span.start != first[0].span.start:
        return None
    after = next((item for item in spoken if item.span.start >= first[-1].span.stop and item.shows), None)
    if after is None or after.shows[0].role == "user":
        return None
    return Edit(span_of(first), _traced(draft, first), "summarize", level=level_of(first))


def _traced(draft: Draft, run: Sequence[Item]) -> tuple[Message, ...]:
    # A trace that stands there already is left as it is: the cache holds it.
    if len(run) == 1 and run[0].main is None and run[0].shows:
        return run[0].shows
    return (user(clean(str(Trace.of(draft.view, run))), by="steno"),)


def _system(item: Item) -> bool:
    return all(message.role == "system" for message in item.shows) and bool(item.shows)
