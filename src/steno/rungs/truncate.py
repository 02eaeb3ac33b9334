"""Truncate: the last rung. The oldest stretch leaves the view, and a trace stays.

It needs no model and cannot fail. It covers no more than the goal demands, from the oldest seam
on, and never the tail or a pin.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.log import Edit, Proposal
from steno.core.rung import Rung
from steno.summary.cover import cover_of
from steno.summary.render import summary_edit


class Truncate(Rung, frozen=True, tag="truncate"):
    """Cover the oldest stretches that may be covered, as far as the goal demands."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        proposals: list[Proposal] = []
        excess = draft.excess
        for first, last in draft.stretches():
            if excess <= 0:
                break
            edit, saved = self._shortest_cover(draft, first, last, excess)
            if saved > 0:
                proposals.append(Proposal((edit,), self.label))
                excess -= saved
        return tuple(proposals)

    def _shortest_cover(self, draft: Draft, first: int, last: int, excess: int) -> tuple[Edit, int]:
        """Return the shortest cover from `first` on that saves `excess` tokens, and its saving.

        If none saves as much, return the cover of the whole stretch.
        """
        items = draft.view.items[first:last]
        covered = list(accumulate(item.tokens for item in items))
        ends = [at - first for at in range(first + 1, last + 1) if at in draft.seams]
        cost = 0
        chosen = -1
        while True:
            # A longer cover may need a longer trace, so look again with what the trace costs.
            enough = bisect_left(ends, excess + cost, key=lambda end: covered[end - 1])
            chosen = min(max(enough, chosen + 1), len(ends) - 1)
            edit = summary_edit(cover_of(draft.view, items[: ends[chosen]]), self.label, level=1)
            cost = draft.weigh(edit.shows)
            saved = covered[ends[chosen] - 1] - cost
            if saved >= excess or chosen == len(ends) - 1:
                return edit, saved
