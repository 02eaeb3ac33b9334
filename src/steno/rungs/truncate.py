"""Truncate: the last rung. The oldest stretch leaves the view, and a trace stays.

The trace quotes the first and the newest request. It needs no model and cannot fail. It covers
no more than the goal demands, from the oldest seam on, and never the tail or a pin.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

import msgspec

from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.item import Item
from steno.core.log import Edit, Proposal
from steno.core.rung import Rung
from steno.core.summary import Summary
from steno.summary.plan import REQUEST_MOST, cover_of
from steno.summary.read_back import earlier_story
from steno.summary.render import HEARSAY_MARK, quoted_requests, summary_edit
from steno.summary.words import first_words

ROWS_MOST = 4
"""Requests that a trace carries on from earlier summaries: the first and the newest."""


class Truncate(Rung, tag="truncate"):
    """Cover the oldest stretches that may be covered, as far as the goal demands."""

    quotes: bool = True
    """Whether the trace quotes the first and the newest request; without, it only counts."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        proposals: list[Proposal] = []
        # Not `draft.done`: the proposals are applied after all of them are made.
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
            # At least one seam further than last time, so that the loop ends.
            chosen = min(max(enough, chosen + 1), len(ends) - 1)
            trace = _trace_of(draft, items[: ends[chosen]], self.quotes)
            if not self.quotes:
                trace = msgspec.structs.replace(trace, first=None, last=None, story="")
            edit = summary_edit(trace, self.label, level=1)
            cost = draft.weigh(edit.shows)
            saved = covered[ends[chosen] - 1] - cost
            if saved >= excess or chosen == len(ends) - 1:
                return edit, saved


def _trace_of(draft: Draft, items: Sequence[Item], quotes: bool) -> Summary:
    """Return the trace of these items, with a few requests that only earlier summaries tell."""
    cover = cover_of(draft.view, items, quotes=quotes)
    carried: list[str] = []
    for item in items:
        if item.summary is not None:
            rows = earlier_story(item.summary, draft.view.is_absent, item.span).split("\n")
            told = [row for row in rows if row.startswith(f"{HEARSAY_MARK} [") and " USER: " in row]
            carried += [first_words(row, REQUEST_MOST) for row in told]
    if not carried:
        return cover
    # The log has no original of these, so this trace is the last place that tells them.
    rows = list(dict.fromkeys([*carried, *quoted_requests(cover)]))
    return msgspec.structs.replace(cover, story="\n".join((*rows[:1], *rows[1:][1 - ROWS_MOST :])))
