"""What a summary stands for: the parts of a draft that it hides, and those that stay beside it.

Owns the plan and the edits that hide. What the summary says is decided by `fit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from steno.core.draft import Draft
from steno.core.item import Item
from steno.core.log import Edit
from steno.core.message import Span
from steno.summary.cover import cover_of
from steno.summary.previous import PreviousSummaries
from steno.summary.render import summary_edit
from steno.summary.shorten import ViewPart
from steno.summary.worth import LogWorth

LABEL = "summarize"


@dataclass(frozen=True)
class SummaryPlan:
    """What is covered, and what of it stays."""

    draft: Draft
    """The draft with the edits of `active` applied."""
    parts: Sequence[ViewPart]
    worth: LogWorth
    limit: int
    """Tokens of the summary."""
    active: tuple[Edit, ...] = ()
    """Edits that shorten results of the active sub-task."""
    stays: dict[int, tuple[Edit, ...]] = field(default_factory=dict)
    """Parts that stay, by their index, each with the edits that show it in excerpts."""

    @cached_property
    def hidden_positions(self) -> list[int]:
        """Return the positions that show nothing."""
        return [at for part in self.hidden_parts for at in range(part.span.start, part.span.stop)]

    @property
    def hidden_parts(self) -> list[ViewPart]:
        return [part for n, part in enumerate(self.parts) if n not in self.stays]

    @cached_property
    def previous(self) -> PreviousSummaries:
        """Return what the summaries among the hidden parts say."""
        items = [item for part in self.hidden_parts for item in part.items]
        return PreviousSummaries.of(self.draft.view, items)

    def hidden_runs(self) -> list[list[Item]]:
        """Return the items of hidden parts, neighbours together."""
        runs: list[list[Item]] = []
        end = -1
        for part in self.hidden_parts:
            if runs and part.first == end:
                runs[-1] += part.items
            else:
                runs.append(list(part.items))
            end = part.last
        return runs


def run_span(run: Sequence[Item]) -> Span:
    """Return the positions of neighbouring items."""
    return Span(run[0].span.start, run[-1].span.stop)


def run_level(run: Sequence[Item]) -> int:
    """Return the level of what stands for these items: one above the highest of them."""
    return 1 + max(item.level for item in run)


def hide_run(run: Sequence[Item]) -> Edit:
    """Return the edit that shows nothing for these items."""
    return Edit(run_span(run), (), LABEL, level=run_level(run))


def opening_trace(draft: Draft, runs: Sequence[Sequence[Item]]) -> Edit | None:
    """Return a trace for the first run if the assistant would speak first without it.

    Some providers demand that a user begins.
    """
    first = runs[0]
    spoken = [item for item in draft.view.items if not _is_system(item)]
    if len(runs) < 2 or not spoken or spoken[0].span.start != first[0].span.start:
        return None
    after = next(
        (item for item in spoken if item.span.start >= first[-1].span.stop and item.shows), None
    )
    if after is None or after.shows[0].role == "user":
        return None
    if len(first) == 1 and first[0].main is None and first[0].shows:
        # A trace that stands there already stays as it is, because the provider's cache holds it.
        shows, summary = first[0].shows, first[0].summary
        return Edit(run_span(first), shows, LABEL, level=run_level(first), summary=summary)
    return summary_edit(cover_of(draft.view, first), LABEL, run_level(first))


def _is_system(item: Item) -> bool:
    return bool(item.shows) and all(message.role == "system" for message in item.shows)
