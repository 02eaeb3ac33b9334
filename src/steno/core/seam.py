"""Where a view may be cut.

A seam is a place between two items, named by the index of the item after it. Each rule below
returns the seams it allows; a cut is legal where every rule of the provider agrees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from steno.core.item import Item
from steno.core.message import Message, Opaque, Thinking
from steno.core.wire import ProviderRules, Seams

SERVER_CALLS = ("tool_use", "tool_call", "executable_code")
"""Ends of the kinds of calls that a provider runs by itself."""


def find_seams(items: Sequence[Item], terms: ProviderRules) -> Seams:
    """Return the seams on which every rule agrees, and always the two ends."""
    return _agreed_seams(items, terms) | {0, len(items)}


def last_seam(items: Sequence[Item], terms: ProviderRules) -> int:
    """Return the newest seam on which every rule agrees: before it nothing waits for a result."""
    return max(_agreed_seams(items, terms), default=0)


def _agreed_seams(items: Sequence[Item], terms: ProviderRules) -> Seams:
    seams = frozenset(range(len(items) + 1))
    for rule in terms.seams:
        seams &= rule(items)
    return seams


def calls_keep_their_results(items: Sequence[Item]) -> Seams:
    """Allow no cut between a call and its result, nor inside a batch."""
    # Counted: where calls have no ids, all calls of one function in a batch look the same.
    waiting: Counter[str | None] = Counter()
    found = {0}
    for at, item in enumerate(items, start=1):
        for id in item.results:
            waiting[id] -= 1
            if waiting[id] <= 0:
                del waiting[id]
        waiting.update(item.calls)
        if not waiting:
            found.add(at)
    return frozenset(found)


def thinking_stays_signed(items: Sequence[Item]) -> Seams:
    """Allow no cut after which an open turn that began with thinking no longer does.

    A provider checks the thinking of the turn it is about to continue, and of no earlier one.
    """
    start = _open_turn(items)
    inside = range(start + 1, len(items))
    if not any(_thinks(message) for item in items[start:] for message in item.shows):
        return frozenset(range(len(items) + 1))
    return frozenset(range(len(items) + 1)) - {
        at for at in inside if not _begins_thinking(items[at])
    }


def open_turn_is_signed(items: Sequence[Item]) -> bool | None:
    """Return whether the turn that is open at the end begins with thinking; None if empty."""
    for item in items[_open_turn(items) :]:
        if any(message.role == "assistant" for message in item.shows):
            return _begins_thinking(item)
    return None


def held_thinking_stays_with_its_reply(items: Sequence[Item]) -> Seams:
    """Allow no cut between thinking that was held back and the item that shows it."""
    held = {at for at, item in enumerate(items, start=1) if not item.shows and not item.level}
    return frozenset(range(len(items) + 1)) - held


def server_calls_keep_their_results(items: Sequence[Item]) -> Seams:
    """Allow no cut after a call that the provider runs: the reply goes on in the next message."""
    return frozenset({0}) | {
        at for at, item in enumerate(items, start=1) if not _ends_with_server_call(item)
    }


def a_reply_follows_the_system(items: Sequence[Item]) -> Seams:
    """Allow no cut after a system message: it is legal only right before a reply."""
    return frozenset({0}) | {
        at for at, item in enumerate(items, start=1) if not _ends_with_system(item)
    }


def a_reply_keeps_its_reasoning(items: Sequence[Item]) -> Seams:
    """Allow no cut between reasoning and its reply: each is refused without the other."""
    found = set(range(len(items) + 1))
    bound = False
    since = 0
    for at, item in enumerate(items):
        for message in item.shows:
            if message.role != "assistant":
                bound = False
            elif bound:
                # Items in between that show nothing are inside the reply too.
                found -= set(range(since + 1, at + 1))
            bound = bound or _thinks(message)
            since = at
    return frozenset(found)


def hosted_calls_keep_their_outputs(items: Sequence[Item]) -> Seams:
    """Allow no cut between an opaque call and its output, if it has one."""
    found = set(range(len(items) + 1))
    waiting: dict[str, int] = {}
    for at, item in enumerate(items):
        for message in item.shows:
            for block in message.blocks:
                name = _pairing_id(block) if isinstance(block, Opaque) else None
                if name is not None and message.role == "assistant":
                    waiting[name] = at
                elif name is not None and name in waiting:
                    found -= set(range(waiting.pop(name) + 1, at + 1))
    return frozenset(found)


def _pairing_id(block: Opaque) -> str | None:
    if not block.kind.endswith(("_call", "_output", "_request", "_response", "program")):
        return None
    item = msgspec.json.decode(block.text)
    # An approval names its request's own id; any other output shares its call's `call_id`.
    name = item.get("call_id") or item.get("approval_request_id") or item.get("id")
    if isinstance(name, str):
        return name
    return None


def _ends_with_server_call(item: Item) -> bool:
    last = item.shows[-1].blocks[-1:] if item.shows else ()
    # A plain `tool_use` is a Call; what stays opaque, such as `server_tool_use`, is not ours.
    return any(isinstance(block, Opaque) and block.kind.endswith(SERVER_CALLS) for block in last)


def _ends_with_system(item: Item) -> bool:
    return bool(item.shows) and item.shows[-1].role == "system"


def _open_turn(items: Sequence[Item]) -> int:
    """Return the index of the first item after the last words of a user."""
    for at in range(len(items) - 1, -1, -1):
        if any(message.role == "user" and not message.only_results for message in items[at].shows):
            return at + 1
    return 0


def _thinks(message: Message) -> bool:
    return any(isinstance(block, Thinking) for block in message.blocks)


def _begins_thinking(item: Item) -> bool:
    first = next((message for message in item.shows if message.role == "assistant"), None)
    return first is not None and bool(first.blocks) and isinstance(first.blocks[0], Thinking)
