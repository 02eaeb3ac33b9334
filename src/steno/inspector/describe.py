"""Describe messages, items and commits in the words that commands and pages share."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Commit
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Text, Thinking
from steno.core.repair import is_only_thinking
from steno.core.view import View
from steno.core.word_tables import word_tuple
from steno.summary.render import STATE_HEADINGS

Json = dict[str, Any]
"""A report, or a part of one, as `--json` and the page have it."""
FIRST_WORDS_MOST = 240
"""Characters of a message that `first_words` returns at most."""
TELLING_ARGUMENTS = word_tuple("file_path path command cmd pattern query url")
"""Arguments to show of a call; an agent may write a flag before the file that it is about."""
PLACES_MOST = 4
"""Places that `first_places` names before it counts the rest."""


def role_of(message: Message) -> str:
    """Return the role to show; a user's message of tool results only is `tool`."""
    # Anthropic has no role for tool results: they arrive as a user's message.
    if message.only_results:
        return "tool"
    return message.role


KINDS = {"tool": "results", "assistant": "assistant", "system": "prompt", "steno": "shorthand"}
"""The part of the window that a role counts towards, if it is not the user's."""


def kind_of(message: Message) -> str:
    """Return the part of the window that a message counts towards."""
    if message.by == "steno":
        return KINDS["steno"]
    return KINDS.get(role_of(message), "user")


def is_fence(block: Block) -> bool:
    """Tell whether a block is text that Steno wrote, also in a caller's list."""
    match block:
        case Text(text):
            return Fence.parse(text) is not None
        case Result(_, (Text(text),)):
            return Fence.parse(text) is not None
    return False


def first_words(message: Message) -> str:
    """Return how a message begins: texts, calls by name, results by content."""
    words = "  ".join(filter(None, map(_block_words, message.blocks)))
    if len(words) > FIRST_WORDS_MOST:
        return f"{words[: FIRST_WORDS_MOST - 1]}…"
    if words:
        return words
    if message.role == "absent":
        return "(not in this file)"
    if any(isinstance(block, Thinking) for block in message.blocks):
        return "(thinking)"
    return "(empty)"


def _block_words(block: Block) -> str:
    match block:
        case Text(text):
            return _one_line(text)
        case Call(_, name, arguments):
            return f"→ {name} {first_argument(arguments)}".rstrip()
        case Result(_, content, error):
            words = " ".join(filter(None, map(_block_words, content)))
            if error:
                return f"✗ {words}"
            return words
        case Media():
            return media_label(block)
        case Opaque(kind):
            return f"[{kind}]"
        case Thinking():
            return ""


def _one_line(text: str) -> str:
    fence = Fence.parse(text)
    if fence:
        text = fence.body
    # Cut before splitting: a result may be megabytes long.
    return " ".join(text[: FIRST_WORDS_MOST * 2].split())


def first_argument(arguments: str) -> str:
    """Return the argument that tells most of a call, else the first text, on one line."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return _one_line(arguments)
    if isinstance(value, dict):
        told = [value[name] for name in TELLING_ARGUMENTS if name in value]
        texts = [each for each in value.values() if isinstance(each, str)]
        value = next(iter((*told, *texts, *value.values())), "")
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False)
    return _one_line(value)


def media_label(media: Media) -> str:
    if media.width and media.height:
        return f"[{media.kind} {media.width}×{media.height}]"
    return f"[{media.kind}]"


def block_text(block: Block) -> str:
    """Return the text of a block; of a picture, what it is."""
    match block:
        case Text(text) | Thinking(text) | Opaque(_, text):
            return text
        case Call(_, _, arguments):
            return arguments
        case Result(_, content):
            return "\n".join(map(block_text, content))
        case Media():
            return media_label(block)


def state_of(item: Item, view: View) -> str:
    """Return how an item shows its positions: said, mended, short, covered or hidden."""
    arrived = view.is_arrival(item)
    if item.main is None and not arrived:
        if item.shows:
            return "covered"
        return "hidden"
    if not arrived:
        return "short"
    if is_only_thinking(view.messages[item.span.start]):
        return "said"
    if item.is_edited or any(message.by == "steno" for message in item.shows):
        return "mended"
    return "said"


def item_role(item: Item, view: View) -> str:
    if state_of(item, view) == "covered":
        return "steno"
    return role_of(view.messages[item.span.start])


def item_words(item: Item, view: View) -> str:
    """Return what an item shows, or what it covers."""
    words = first_words(view.messages[item.span.start])
    match state_of(item, view):
        case "covered":
            return _covered_words(item)
        case "hidden":
            return "hidden"
        case "short":
            return f"shortened, open {short_places(item)}: {words}"
        case "mended" if item.shows:
            return f"repaired: {words}"
        case "mended":
            return f"left out, it is empty: {words}"
    if not item.shows:
        # A reply may arrive as several messages; its thinking is sent with the first that has text.
        return f"{words}, shown with the next message"
    return words


def short_places(item: Item) -> str:
    """Return the places of the blocks that are shortened."""
    if item.main is None:
        return str(item.span)
    places = [
        f"{item.span.start}.{at}"
        for at, blocks in item.shows[item.main].patches
        if any(map(_is_shortened, blocks))
    ]
    return ", ".join(places) or str(item.span)


def _is_shortened(block: Block) -> bool:
    return is_fence(block) or (isinstance(block, Call) and "<steno-" in block.arguments)


def _covered_words(item: Item) -> str:
    count = plural(len(item.span), "message")
    said = sum(message.by == "caller" for message in item.shows)
    if item.summary is None and said:
        return f"{plural(said, 'message')} of {len(item.span)} put back by hand"
    if item.summary is None:
        return f"a summary of {count}"
    return f"a summary of {count}, {item.summary.tokens:,} tokens"


def state_tokens(item: Item, view: View) -> int:
    """Count the tokens of the state in a summary; only the newest summary has it."""
    lines = [line for message in item.shows for line in message.text.split("\n")]
    begins = [at for at, line in enumerate(lines) if line in STATE_HEADINGS]
    if item.summary is None or not begins:
        return 0
    # Without the last line, which closes the summary.
    return view.meter.load(view.meter.count("\n".join(lines[begins[0] : -1])))


def head_tokens(view: View) -> int:
    """Count the tokens of the block of constraints at the head of a view."""
    if view.head is None:
        return 0
    return view.meter.load(view.meter.message(view.head))


def first_places(places: list[str]) -> str:
    """Return as many places as fit a line, and how many more there are."""
    words = ", ".join(places[:PLACES_MOST])
    if len(places) > PLACES_MOST:
        words += f" and {len(places) - PLACES_MOST} more"
    return words


COMMIT_FIELDS = word_tuple("number at why reason author before after goal usable fits reverts")
"""Fields of a commit that `--json` prints as they are."""


def commits_json(commits: Iterable[Commit]) -> list[Json]:
    """Return commits as `--json` prints them."""
    rows = []
    for commit in commits:
        row = fields_of(commit, COMMIT_FIELDS)
        # By the names of the fields: a store has older names for some.
        row["survival"] = commit.survival and msgspec.structs.asdict(commit.survival)
        row["edits"] = [fields_of(edit, ("by", "place", "level")) for edit in commit.edits]
        findings = commit.findings
        row["findings"] = [fields_of(each, ("check", "by", "place")) for each in findings]
        rows.append(row)
    return rows


def fields_of(value: Any, names: Iterable[str]) -> Json:
    """Return some fields of a value by their names, as plain values."""
    return {name: msgspec.to_builtins(getattr(value, name)) for name in names}


def plural(count: int, noun: str, several: str | None = None) -> str:
    """Return a count with its noun: 1 message, 2 messages."""
    if count == 1:
        return f"{count:,} {noun}"
    return f"{count:,} {several or noun + 's'}"


def short_count(tokens: int) -> str:
    """Return a count in at most six characters: 950, 12.3k, 1.5M."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 1_000_000:
        return f"{tokens / 1_000:.1f}k"
    return f"{tokens / 1_000_000:.1f}M"
