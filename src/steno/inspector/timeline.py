"""A session over time: every message, every commit, and what each commit changed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from steno.core.item import Item
from steno.core.log import Log
from steno.core.message import Block, Call, Message, Result, Span
from steno.core.model import Usage
from steno.core.state import CarriedState
from steno.core.tape import Tape
from steno.core.view import View
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import (
    Json,
    block_text,
    commits_json,
    first_words,
    item_words,
    kind_of,
    state_of,
    state_tokens,
)
from steno.inspector.reports import REASONS, commit_details, tool_names
from steno.inspector.window_map import item_parts
from steno.meters.catalog import known_prices
from steno.providers import json_text
from steno.providers.bill import calls_cost
from steno.session.by_hand import summary_body
from steno.session.preamble import Preamble, tool_name

WORDS_MOST = 120
"""Characters of a message in the timeline."""
OPENED_MOST = 200_000
"""Characters of a text that are sent; the page says how many more there are."""
COMPARED_MOST = 2_000
"""Lines up to which two texts are compared; beyond, they are only shown side by side."""


def timeline(loaded: LoadedConversation, start: int = 0, known: int = 0) -> Json:
    """Return the messages from a position on in columns, and the commits beyond those known."""
    messages = loaded.log.messages[start:]
    arrivals = loaded.view.arrivals[start:]
    report: Json = {
        "start": start,
        "columns": {
            "kind": list(map(kind_of, messages)),
            "tool": tool_names(loaded.log.messages)[start:],
            "parts": [item_parts(item, loaded.view) for item in arrivals],
            "says": [first_words(message)[:WORDS_MOST] for message in messages],
        },
        "ratio": loaded.view.meter.ratio,
        "fixed": fixed_parts(loaded),
        "steps": None,
        "commits": None,
    }
    # A new commit may revert an old one, so all of them are sent again then.
    if known < len(loaded.log.commits) or not start:
        report["steps"] = steps(loaded)
        report["commits"] = commit_rows(loaded)
    return report


def fixed_parts(loaded: LoadedConversation) -> Json:
    """Return what stands before the messages: raw tokens of all of it, and tokens of each tool."""
    meter, settings, head = loaded.view.meter, loaded.settings, 0
    if loaded.view.head is not None:
        head = meter.message(loaded.view.head)
    tools = settings.tools or []
    return {
        "raw": Preamble.of(settings.system, settings.tools, meter).tokens + head,
        "head": head,
        "tools": loaded.tool_tokens(tools),
        "each_tool": [
            {"name": tool_name(tool) or "tool", "tokens": loaded.tool_tokens([tool])}
            for tool in tools
        ],
    }


def prompt_texts(loaded: LoadedConversation) -> Json:
    """Return the words of what stands before the messages, a text for each tool."""
    settings, head = loaded.settings, loaded.view.head
    system = settings.system
    if system is not None and not isinstance(system, str):
        system = json_text(system)
    return {
        "system": system,
        "tools": [json_text(tool) for tool in settings.tools or []],
        "constraints": head and head.text,
    }


def steps(loaded: LoadedConversation) -> list[Json]:
    """Return for each commit which items it put into the view, in the order they landed."""
    view, made = loaded.view, []
    log = Log()
    items: Tape[Item] = Tape()
    for commit in loaded.log.commits:
        landed = commit.landed
        items = items.plus(view.arrivals[len(log.messages) : landed])
        log = Log(view.messages.upto(landed), log.commits).with_commit(commit)
        carried = view.carried
        if carried.restart is not None and carried.restart >= landed:
            carried = CarriedState()
        # As counted once: counting a long session again for each commit would take seconds.
        then = replace(
            view,
            messages=log.messages,
            arrivals=view.arrivals.upto(landed),
            weights=view.weights.upto(landed),
            items=items,
            head=None,
            head_since=0,
            carried=carried,
        )
        if commit.reverts is None:
            now = then.with_commit(log.commits[-1])
        else:
            now = then.fold(log)
        made.append({"landed": landed, "raw": now.raw, "items": _changed(items, now)})
        items = now.items
    return made


def _changed(before: Iterable[Item], now: View) -> list[Json]:
    """Return the items that are new, with their raw tokens by kind.

    `stand` is how many tokens say where the whole work stands: only the newest summary does.
    """
    known = {item.span.start: item for item in before}
    return [
        {
            "start": item.span.start,
            "count": len(item.span),
            "state": state_of(item, now),
            "stand": state_tokens(item, now),
            "parts": item_parts(item, now),
        }
        for item in now.items
        if known.get(item.span.start) is not item
    ]


def commit_rows(loaded: LoadedConversation) -> list[Json]:
    """Return the commits with why, what and how, in words."""
    rows = commits_json(loaded.log.commits)
    prices = known_prices(loaded.settings.model or "")
    for row, commit in zip(rows, loaded.log.commits, strict=True):
        usage = sum((call.usage for call in commit.asked), Usage())
        row["landed"] = commit.landed
        row["words"] = REASONS[commit.why]
        row["details"] = list(commit_details(loaded.log, commit))
        row["asked"] = {"calls": len(commit.asked), "sent": usage.sent, "said": usage.said}
        row["asked"]["dollars"] = sum(calls_cost(commit.asked, prices))
    return rows


def opened(loaded: LoadedConversation, at: int) -> Json:
    """Return the item that a position belongs to: originals beside what is shown for them."""
    loaded.log.open(Span(at, at + 1))
    item = loaded.view.at(at)
    start, stop = item.span.start, item.span.stop
    first, last = start, stop
    # A summary may cover thousands of messages: the one that was asked for, and its neighbours.
    if len(item.span) > 1:
        first, last = max(start, at - 1), min(stop, at + 2)
    originals = [_message(loaded.log.messages[n], n) for n in range(first, last)]
    shown = [_message(message, start) for message in item.shows]
    return {
        "at": at,
        "span": str(item.span),
        "first": start,
        "count": len(item.span),
        "state": state_of(item, loaded.view),
        "words": item_words(item, loaded.view),
        "tokens": loaded.view.meter.load(item.tokens),
        "said_tokens": sum(map(loaded.message_tokens, range(start, stop))),
        "pinned": at in loaded.settings.pins,
        "summary": summary_body(item),
        "originals": originals,
        "shown": shown,
        "diff": _difference(originals, shown),
    }


def _message(message: Message, at: int) -> Json:
    blocks = [_block(block) for block in message.blocks]
    return {"at": at, "role": message.role, "kind": kind_of(message), "blocks": blocks}


def _block(block: Block) -> Json:
    kind = type(block).__name__.lower()
    text = block_text(block)
    row: Json = {"kind": kind, "text": text[:OPENED_MOST]}
    if len(text) > OPENED_MOST:
        row["more"] = len(text) - OPENED_MOST
    if isinstance(block, Call):
        row["name"] = block.name
    if isinstance(block, Result):
        row["error"] = bool(block.error)
    return row


def _difference(originals: list[Json], shown: list[Json]) -> list[Any] | None:
    """Return runs of lines with their sign; None if equal or too long to compare."""
    before, after = _lines(originals), _lines(shown)
    if before == after or max(len(before), len(after)) > COMPARED_MOST:
        return None
    runs = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
        if tag == "equal":
            runs.append(["=", before[a:b]])
        else:
            runs += [["-", before[a:b]], ["+", after[c:d]]]
    return [run for run in runs if run[1]]


def _lines(messages: list[Json]) -> list[str]:
    return [
        line for each in messages for block in each["blocks"] for line in block["text"].split("\n")
    ]
