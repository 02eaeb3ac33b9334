"""What a message or an item is, in a few words: whose, which calls, how it begins."""

from __future__ import annotations

import json

from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Text, Thinking
from steno.core.repair import is_only_thinking
from steno.core.view import View

FIRST_WORDS_MOST = 240
"""Characters that first words may have before a page cuts them."""


def role_of(message: Message) -> str:
    if message.only_results:
        return "tool"
    return message.role


def kind_of(message: Message) -> str:
    """Which part of the window a message belongs to."""
    if message.by == "steno":
        return "shorthand"
    return {"tool": "results", "assistant": "assistant", "system": "prompt"}.get(
        role_of(message), "user"
    )


def is_fence(block: Block) -> bool:
    """It is Steno's own words, in whoever's list."""
    match block:
        case Text(text):
            return Fence.parse(text) is not None
        case Result(_, (Text(text),)):
            return Fence.parse(text) is not None
    return False


def first_words(message: Message) -> str:
    """How it begins; calls by their names, results by what they say."""
    parts = [words for block in message.blocks if (words := _block_words(block))]
    if parts:
        return "  ".join(parts)[:FIRST_WORDS_MOST]
    if message.role == "absent":
        return "(said elsewhere)"
    if any(isinstance(block, Thinking) for block in message.blocks):
        return "(thinking)"
    return "(nothing)"


def _block_words(block: Block) -> str:
    match block:
        case Text(text):
            return _one_line(text)
        case Call(_, name, arguments):
            return f"→ {name} {first_argument(arguments)}".rstrip()
        case Result(_, content, error):
            said = " ".join(filter(None, map(_block_words, content)))
            if error:
                return f"✗ {said}"
            return said
        case Media():
            return media_label(block)
        case Opaque(kind):
            return f"[{kind}]"
        case Thinking():
            return ""


def _one_line(text: str) -> str:
    fence = Fence.parse(text)
    return " ".join((fence.body if fence else text)[: FIRST_WORDS_MOST * 2].split())


def first_argument(arguments: str) -> str:
    try:
        read = json.loads(arguments)
    except ValueError:
        return _one_line(arguments)
    value = next(iter(read.values()), "") if isinstance(read, dict) else read
    return _one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def media_label(media: Media) -> str:
    size = f" {media.width}×{media.height}" if media.width and media.height else ""
    return f"[{media.kind}{size}]"


def state_of(item: Item, view: View) -> str:
    """How an item shows its positions: said, mended, short, covered or hidden."""
    arrived = item is view.arrivals[item.span.start]
    if item.main is None and not arrived:
        if item.shows:
            return "covered"
        return "hidden"
    if not arrived:
        return "short"
    if is_only_thinking(view.messages[item.span.start]):
        return "said"
    mended = item.is_edited or any(message.by == "steno" for message in item.shows)
    if mended:
        return "mended"
    return "said"


def item_role(item: Item, view: View) -> str:
    if state_of(item, view) == "covered":
        return "steno"
    return role_of(view.messages[item.span.start])


def item_words(item: Item, view: View) -> str:
    """What an item shows, or what it covers."""
    said = view.messages[item.span.start]
    match state_of(item, view):
        case "covered":
            return covered_words(item)
        case "hidden":
            return "nothing is shown for it"
        case "short":
            return f"in short, open {short_places(item)}: {first_words(said)}"
        case "mended" if item.shows:
            return f"mended: {first_words(said)}"
        case "mended":
            return f"left out, it says nothing: {first_words(said)}"
    # A reply may come in several messages; its thoughts are shown with the first that says something.
    return first_words(said) + ("" if item.shows else ", shown with what follows")


def short_places(item: Item) -> str:
    """The places of the blocks that are shown in short."""
    patches = item.shows[item.main].patches if item.main is not None else ()
    places = [f"{item.span.start}.{at}" for at, blocks in patches if any(map(_is_short, blocks))]
    return ", ".join(places) or str(item.span)


def _is_short(block: Block) -> bool:
    return is_fence(block) or (isinstance(block, Call) and "<steno-" in block.arguments)


def covered_words(item: Item) -> str:
    """What stands there for a span: how much it was."""
    size = ""
    if item.summary is not None:
        size = f" of {item.summary.tokens:,} tokens"
    return f"a trace of {plural(len(item.span), 'message')}{size}"


def covered_details(item: Item) -> str:
    """What was asked in a span that is covered, and what was called."""
    summary = item.summary
    if summary is None:
        if item.shows:
            return first_words(item.shows[0])
        return ""
    calls = ", ".join(f"{name} ×{count}" for name, count in summary.calls[:3])
    asked = f"“{summary.first[1]}”" if summary.first else ""
    return "; ".join(filter(None, (calls, asked)))


def plural(count: int, noun: str) -> str:
    if count == 1:
        return f"{count:,} {noun}"
    return f"{count:,} {noun}s"
