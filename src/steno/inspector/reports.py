"""What a view and a session come to in figures: the JSON of `show` and `log`, and of the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from steno.core.log import WITHOUT_PRESSURE, Commit, Log
from steno.core.message import Message
from steno.core.store import Records, Store, user_names
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import (
    Json,
    first_places,
    first_words,
    item_role,
    item_words,
    state_of,
    state_tokens,
)
from steno.inspector.window_map import WindowMap
from steno.memory.merge import live_memories
from steno.meters.catalog import known_prices
from steno.providers.bill import Bill, RequestBill
from steno.session.constraints import retired_constraints

REASONS = {
    "soft": "soft pressure",
    "hard": "hard pressure",
    "asked": "asked for",
    "arrival": "on arrival",
    "resent": "came compacted",
    "hide": "put away",
    "undo": "undo",
    "edit": "by hand",
}
"""Why a commit was made, in words."""
TURNS_MOST = 8
"""Newest requests of a session whose bills are listed."""


class SessionFigures(msgspec.Struct, frozen=True):
    """How full a session is, and what its next request leaves out."""

    session: str
    fill: int | None
    """Percent of the usable window; None if no window is known."""
    messages: int
    commits: int
    load: int
    """Tokens of the next request."""
    said: int
    """Tokens of a request that would show everything."""
    left_out: int
    """Tokens that the next request leaves out of that."""
    dollars: float | None
    """What they would cost in that request as cached input; None if the model has no price."""
    bill: Bill
    """What its requests showed, left out and cost, if their usage was reported."""
    turns: tuple[RequestBill, ...]
    """The newest of them."""

    @classmethod
    def of(cls, loaded: LoadedConversation) -> SessionFigures:
        fill = None
        if loaded.budget is not None:
            fill = round(100 * loaded.load / loaded.budget.usable)
        dollars, prices = None, known_prices(loaded.settings.model or "")
        if prices is not None:
            dollars = round(prices.request_cost(loaded.left_out, 0), 4)
        counts = (len(loaded.log.messages), len(loaded.log.commits))
        tokens = (loaded.load, loaded.said, loaded.left_out)
        turns = loaded.requests[-TURNS_MOST:]
        return cls(loaded.name, fill, *counts, *tokens, dollars, loaded.bill, turns)


def view_report(shown: LoadedConversation) -> Json:
    """Return what `steno show --json` prints of a view."""
    view, budget = shown.view, shown.budget
    # Without a window the keys stay, so that a script can rely on them.
    limits: Json = dict.fromkeys(("window", "usable", "goal", "pressure", "fits"))
    if budget is not None:
        limits = {
            "window": budget.window,
            "usable": budget.usable,
            "goal": budget.goal_load,
            "pressure": str(budget.pressure(shown.load)),
            "fits": shown.load <= budget.usable,
        }
    items = [
        {
            "span": str(item.span),
            "level": item.level,
            "role": item_role(item, view),
            "tokens": view.meter.load(item.tokens) - state_tokens(item, view),
            "state": state_of(item, view),
            "shows": item_words(item, view),
        }
        for item in view.items
    ]
    state = sum(state_tokens(item, view) for item in view.items)
    return {
        "name": shown.name,
        "kind": shown.kind,
        "wire": shown.wire.name,
        "meter": view.meter.name,
        "messages": len(shown.log.messages),
        "commits": len(shown.log.commits),
        "load": shown.load,
        "said": shown.said,
        "left_out": shown.left_out,
        "tools": shown.tool_figures,
        "parent": shown.parent,
        "bill": shown.bill,
        **limits,
        "boundary": view.boundary,
        "pins": list(shown.settings.pins),
        "tokens": WindowMap.of(view, shown.load, budget).totals,
        "constraints": view.head and view.head.text,
        "state_tokens": state,
        "items": items,
        "warnings": list(shown.warnings),
    }


def edited_lines(edits: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Say for each technique how many places it edited, and the first of them."""
    places: dict[str, list[str]] = {}
    for by, place in edits:
        places.setdefault(by, []).append(place)
    for by, edited in places.items():
        yield f"{by} ×{len(edited)}: {first_places(edited)}"


def commit_details(log: Log, commit: Commit) -> Iterator[tuple[str, str]]:
    """Say in a line each why a commit was made and what came of it, and how grave that is."""
    if commit.reason:
        yield f"the agent's reason: {commit.reason}", "quiet"
    if commit.author:
        yield f"made by {commit.author}", "quiet"
    reverted_by = reverting_commit(log, commit)
    if reverted_by is not None:
        yield f"reverted by commit {reverted_by}: what it covered is visible again", "quiet"
    if not commit.fits and commit.why not in WITHOUT_PRESSURE:
        yield f"over its goal of {commit.goal:,}: the rest may not be covered", "warning"
    if commit.survival is not None:
        kept = commit.survival
        before, after = kept.constraints_before, kept.constraints_after
        constraints = f"constraints shown {before:,} → {after:,}"
        yield f"{constraints}, open loops {kept.loops_before:,} → {kept.loops_after:,}", "quiet"
    for finding in commit.findings:
        # Only a proposal has a place; other findings are about the view or the writer's text.
        words = f"note of {finding.by}: {finding.what}"
        if finding.place:
            words = f"dropped a proposal of {finding.by} at {finding.place}: {finding.what}"
        yield words, "warning"


def reverting_commit(log: Log, commit: Commit) -> int | None:
    """Return the number of the commit that reverts this one."""
    return next((each.number for each in log.commits if each.reverts == commit.number), None)


def constraints_report(loaded: LoadedConversation) -> Json:
    """Return the constraints in force and where they were said, those retired, what is pinned."""
    messages = loaded.log.messages
    return {
        "standing": msgspec.to_builtins(loaded.standing),
        "retired": msgspec.to_builtins(retired_constraints(loaded.rulings)),
        "pins": [{"at": at, "says": first_words(messages[at])} for at in loaded.settings.pins],
    }


def memories_report(stores: Iterable[Store]) -> list[Json]:
    """Return what is known of each user from all sessions."""
    users = []
    for store in stores:
        if not isinstance(store, Records):
            continue
        for user in filter(None, user_names(store)):
            known = live_memories(store.memories(user))
            users.append({"user": user, "memories": msgspec.to_builtins(known)})
    return users


def tool_names(messages: Iterable[Message]) -> list[str]:
    """Return the tool that each message calls or answers."""
    called: dict[str | None, str] = {}
    found = []
    for message in messages:
        called |= {call.id: call.name for call in message.calls}
        names = [call.name for call in message.calls]
        names += [called.get(result.call, "") for result in message.results]
        found.append(next(filter(None, names), ""))
    return found
