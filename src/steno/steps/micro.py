"""Micro: old results shrink as they age, after every round, pressure or not.

It is offload chosen by age instead of size. The structure stays and so does the
original size; the newest messages are left alone. Each round looks only at what
has just become old, so its cost does not grow with the session; what it costs in
cache is another matter, which is why it is not in the default policy.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from steno.core.ask import Rounds
from steno.core.draft import Draft
from steno.core.log import Proposal
from steno.core.message import Result
from steno.core.rung import Rung
from steno.steps.offload import in_short, shrunk

Count = Annotated[int, msgspec.Meta(ge=0)]


class Micro(Rung, frozen=True, tag="micro"):
    """Every round: results behind the newest messages are shown in short."""

    recent: Count = 10
    """Messages that are left alone."""
    over: Count = 200
    """Tokens above which a result shrinks."""
    keep: Count = 500
    """Characters of it that stay."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        stop = len(draft.view.messages) - self.recent
        start = max(0, draft.new - self.recent)
        aged = [draft.view.at(position) for position in range(start, stop) if position not in draft.pins]
        shown = [item for item in aged if item.main is not None]
        old = (each for each in in_short(draft, shown, self.over) if isinstance(each.block, Result))
        edits = ((each, shrunk(each, self.keep, self.label)) for each in old)
        return tuple(Proposal((edit,), self.label) for each, edit in edits if draft.view.weighed(edit) < each.tokens)
