"""The last resort of every policy: no request is over the window if that can be helped.

`give_room` runs before a ladder is climbed: where system prompt, pins and tail alone leave no
room for what is older, the largest of the newest results shrink, so that no rung has to give up,
and a message that alone is over the window is cut in its middle.
`fit_window` runs after it, on a view that is still over the window: results shrink to their
least, then media, arguments, the assistant's words and what summaries tell, and at last the newest
turns are covered. A message that only the policy pins is cut to half of the window before that,
and further after it.
It needs no model and reads no facts. The fixed part, a caller's pins and the newest words of a
person stay while the window can hold them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import msgspec

from steno.core.budget import Pressure
from steno.core.draft import Draft
from steno.core.item import Item
from steno.core.log import Edit, Proposal
from steno.core.message import Text
from steno.core.summary import Summary
from steno.engine.apply import apply_proposals
from steno.engine.policy import Policy
from steno.rungs.offload import large_blocks, shrink_block
from steno.rungs.truncate import Truncate
from steno.summary.render import HEAD_SECTIONS, render_line, summary_edit
from steno.summary.sections import make_sections
from steno.summary.shorten import (
    large_results,
    pointer,
    shorten_message,
    shorten_results,
    shorten_to_level,
)
from steno.summary.words import cut_words

LABEL = "fit"
LEAST_RESULT = 60
"""Tokens down to which a result shrinks if all of them together do not fit: hardly more than
its fence."""
LEAST_IN_BATCH = 110
"""The same for the newest results of a batch that would leave too little room for the past."""
BLOCK_LEVELS = ((1_000, 900), (200, 300), (60, 60))
"""Tokens above which other blocks shrink, and characters that stay; each pair is tried in turn."""
WORDS_LEVELS = ((400, 200), (120, 60), (70, 20))
"""Tokens above which the assistant's words shrink, and tokens that stay."""
PAST_SHARE = 0.25
"""Share of the room beside the fixed part that the newest results leave for all that is older."""
PASTE_SHARE = 0.5
"""Share of the goal that is left of a message that alone is over the window."""
FENCE_TOKENS = 120
"""Tokens that stand around what is left of a pinned message."""
TRIES = 4
"""How often results shrink further: what a cut text weighs is estimated before."""


def give_room(draft: Draft, policy: Policy) -> Draft:
    """Shrink the largest of the newest results where nothing older would have room beside them."""
    if draft.pressure is not Pressure.HARD or _over_room(draft, draft.cover_room) <= 0:
        return draft
    tail = sum(item.tokens for item in draft.view.items if item.span.start >= draft.tail_start)
    edits, _ = shorten_results(draft, _tail_items(draft), draft.over_tail_load(tail))
    draft = _accept(draft, policy, edits)
    # A message that is over the window by itself, of any sender: a person pasted it.
    keep = int(draft.most * PASTE_SHARE / draft.view.meter.ratio)
    for item in _free_items(draft):
        load = draft.view.meter.load(draft.fixed + item.tokens)
        if item.main is not None and load > draft.budget.usable:
            draft = _accept(draft, policy, _cut_text(draft, item, keep))
    # Many results at once leave too little at the size that one of them is worth.
    beside_fixed = draft.most - draft.view.meter.load(draft.fixed)
    room = max(draft.cover_room, int(beside_fixed * PAST_SHARE))
    return _shrink_results(
        draft, policy, _tail_items, lambda each: _over_room(each, room), LEAST_IN_BATCH
    )


def _over_room(draft: Draft, room: int) -> int:
    """Return by how much the tail is too heavy to leave this room for all that is older."""
    return draft.view.meter.load(draft.untouchable) + room - draft.most


def _tail_items(draft: Draft) -> list[Item]:
    return [item for item in _free_items(draft) if item.span.start >= draft.tail_start]


def _cut_text(draft: Draft, item: Item, keep: int) -> Iterator[Edit]:
    """Yield the edit that leaves so many tokens of what a message says, if it saves any."""
    text, more = draft.view.messages[item.span.start].text, pointer(draft, item.span.start)
    short = cut_words(text, keep, draft.view.meter.count, more=more)
    edit = shorten_message(draft, item, short)
    if edit is not None:
        yield edit


def fit_window(draft: Draft, policy: Policy) -> Draft:
    """Shrink what may shrink until the draft fits the window, then cover the newest turns."""
    steps = (
        _shrink_all_results,
        _shrink_blocks,
        _shrink_words,
        _shrink_stories,
        _halve_pins,
        cover_newest,
        _trim_pins,
    )
    for shrink in steps:
        if draft.over_window <= 0:
            break
        draft = shrink(draft, policy)
    return draft


def _free_items(draft: Draft) -> list[Item]:
    """Return the items that may be shortened in part."""
    return [item for item in draft.view.items if item.span.start not in draft.pins]


def _shrink_all_results(draft: Draft, policy: Policy) -> Draft:
    return _shrink_results(draft, policy, _free_items, lambda each: each.over_window, LEAST_RESULT)


def _shrink_results(
    draft: Draft,
    policy: Policy,
    items: Callable[[Draft], list[Item]],
    excess: Callable[[Draft], int],
    least: int,
) -> Draft:
    """Shrink the results of these items, to `least` tokens at most, until nothing is in excess."""
    for _ in range(TRIES):
        over = excess(draft)
        results = list(large_results(draft, items(draft), least))
        if over <= 0 or not results:
            break
        edits, _ = shorten_to_level(draft, results, over, least)
        if not edits:
            break
        draft = _accept(draft, policy, edits)
    return draft


def _shrink_blocks(draft: Draft, policy: Policy) -> Draft:
    """Shrink media and the arguments of calls, the largest first."""
    for over, keep in BLOCK_LEVELS:
        blocks = large_blocks(draft, _free_items(draft), over)
        excess = draft.over_window
        edits: list[Edit] = []
        for block in sorted(blocks, key=lambda each: -each.tokens):
            if excess <= 0:
                break
            edit = shrink_block(block, keep, LABEL)
            gain = block.tokens - draft.view.weigh_edit(edit)
            if gain > 0:
                excess -= gain
                edits.append(edit)
        draft = _accept(draft, policy, edits)
        if draft.over_window <= 0:
            break
    return draft


def _shrink_words(draft: Draft, policy: Policy) -> Draft:
    """Shrink what the assistant and programs said, the longest first."""
    for over, keep in WORDS_LEVELS:
        for item in sorted(_free_items(draft), key=lambda item: -item.tokens):
            if draft.over_window <= 0:
                return draft
            if item.main is None or item.tokens <= over:
                continue
            message = item.shows[item.main]
            by_person = message.role == "user" and message.by == "caller"
            if not by_person and any(isinstance(block, Text) for block in message.blocks):
                draft = _accept(draft, policy, _cut_text(draft, item, keep))
    return draft


def _shrink_stories(draft: Draft, policy: Policy) -> Draft:
    """Tell less of what is covered: the oldest rows go, but the first, then the oldest lines."""
    for item in draft.view.items:
        excess = draft.over_window
        if excess <= 0:
            break
        if item.summary is None or item.main is not None or item.span.start in draft.pins:
            continue
        shorter = _shorter_summary(item.summary, excess, draft.view.meter.count)
        draft = _accept(draft, policy, [summary_edit(shorter, LABEL, item.level, item.span)])
    return draft


def _shorter_summary(summary: Summary, excess: int, count: Callable[[str], int]) -> Summary:
    rows = summary.story.split("\n")
    while len(rows) > 1 and excess > 0:
        excess -= count(rows.pop(1))
    sections = summary.lines()
    # Constraints stay longest, the newest of them at last.
    for name in sorted(sections, key=lambda name: name in HEAD_SECTIONS):
        while sections[name] and excess > 0:
            excess -= count(render_line(sections[name].pop(0)))
    told = make_sections(sections)
    return msgspec.structs.replace(summary, story="\n".join(rows), note="", sections=told)


def _halve_pins(draft: Draft, policy: Policy) -> Draft:
    """Shorten what the policy pins to half of the window, so that newest turns fit beside it."""
    half = int(draft.budget.usable / 2 / draft.view.meter.ratio)
    return shorten_pins(draft, policy, lambda _: half)


def _trim_pins(draft: Draft, policy: Policy) -> Draft:
    """Shorten what the policy pins as far as the window demands."""
    over = draft.over_window + FENCE_TOKENS
    return shorten_pins(draft, policy, lambda tokens: max(tokens - over, LEAST_RESULT))


def shorten_pins(draft: Draft, policy: Policy, keep: Callable[[int], int]) -> Draft:
    pins = draft.pins - draft.policy_pins
    free = replace(draft, pins=pins, tail_start=max(draft.tail_start, draft.end))
    for position in draft.policy_pins:
        item = draft.view.at(position)
        free = _accept(free, policy, _cut_text(draft, item, keep(item.tokens)))
    return replace(free, pins=draft.pins, tail_start=draft.tail_start)


def cover_newest(draft: Draft, policy: Policy) -> Draft:
    """Cover the newest turns but a person's newest words; if that is not enough, all there is."""
    words = newest_words(draft)
    pins = draft.pins
    if words is not None:
        pins |= {words}
    budget = msgspec.structs.replace(draft.budget, goal=draft.budget.soft / 2, limit=None)
    # Everything may be covered now, covers of this draft included, as far as the window demands.
    ground = replace(
        draft,
        tail_start=max(draft.tail_start, draft.end),
        pins=pins,
        budget=budget,
        goal=draft.budget.usable,
    )
    turns = replace(ground, pins=pins | frozenset(range(draft.tail_start)))
    for free, rung in ((turns, Truncate()), (ground, Truncate()), (ground, Truncate(quotes=False))):
        covers = [edit for proposal in rung.edit(free, ()) for edit in proposal.edits]
        after = _accept(free, policy, covers)
        if after.over_window <= 0:
            break
    return replace(
        after, tail_start=draft.tail_start, pins=draft.pins, budget=draft.budget, goal=draft.goal
    )


def newest_words(draft: Draft) -> int | None:
    """Return the position of what a person said last, if it is shown as a message."""
    for item in reversed(draft.view.items):
        if item.main is None:
            continue
        message = item.shows[item.main]
        if message.role == "user" and message.by == "caller" and not message.only_results:
            return item.span.start
    return None


def _accept(draft: Draft, policy: Policy, edits: Iterable[Edit]) -> Draft:
    """Return the draft with each of these edits that passes the checks."""
    ours = [msgspec.structs.replace(edit, by=LABEL) for edit in edits]
    return apply_proposals(tuple(Proposal((edit,), LABEL) for edit in ours), draft, policy)
