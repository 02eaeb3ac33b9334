"""`steno open`: the messages at a place, word for word."""

from __future__ import annotations

import json
import re
import sys
from typing import Annotated, Any

import msgspec

from steno.cli import options as cli
from steno.cli.output import QUIET, StyledText, TerminalPage, print_json, print_note
from steno.cli.source import input_file, load_conversation
from steno.cli.window_map import KIND_STYLES
from steno.core.errors import BadInput
from steno.core.escape import visible
from steno.core.message import Block, Call, Message, Result, Span, Text, Thinking
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import (
    block_text,
    item_role,
    item_words,
    kind_of,
    role_of,
    short_places,
    state_of,
)
from steno.providers import parse_json
from steno.session.agent_tools.pages import words_of
from steno.session.place import Place, parse_place

_NUMBER = re.compile("[0-9]{1,9}")
BLOCK_STYLES = {Thinking: "italic bright_black", Result: "yellow"}


def open_place(
    path: cli.SourceArgument,
    place: Annotated[str, cli.argument("PLACE", "17, 17-42, 17.2 or 17@6000.")],
    session: cli.SessionOption = None,
    raw: Annotated[
        bool, cli.flag("--raw", "The original lines of a file, or the text of a block.")
    ] = False,
    view: Annotated[bool, cli.flag("--view", "What the model sees there now, instead.")] = False,
    strict: cli.StrictOption = False,
    as_json: cli.JsonOption = False,
) -> None:
    """Open the messages at a place, word for word, whatever the model sees of them now.

    PLACE is a position (17), a range that includes both ends (17-42), a block of a message (17.2)
    or a place within a long message: 17@6000 goes on from character 6,000 of it. --json prints the
    provider's own JSON. With --view it shows what stands there in the model's window: the summary
    of a covered message, a shortened result.

    Examples

      steno open agent.db 17-42                     to read
      steno open session.jsonl 17 --json            the provider's JSON
      steno open agent.db 23.0 --raw > result.txt   a result, byte for byte
      steno open agent.db 17@6000                   the rest of a long message
      steno open agent.db 17 --view                 what the model sees of it
    """
    position, _, from_character = place.partition("@")
    where = parse_place(position)
    start = _read_start(from_character, where, raw or view or as_json)
    with input_file(path, strict=strict) as file:
        loaded = load_conversation(file, session)
    print_note(*loaded.warnings)
    messages = loaded.log.open(where.span)
    if view:
        if raw or where.block is not None:
            raise BadInput("--view shows whole messages: leave out --raw and the block")
        _print_shown(loaded, where.span, as_json=as_json)
    elif start:
        _print_rest(loaded, where.span.start, start)
    elif where.block is not None:
        _print_block(where.block_of(messages[0]), where, raw=raw, as_json=as_json)
    elif as_json:
        _print_values(loaded, messages, single=where.single)
    elif raw:
        sys.stdout.write("".join(_original_lines(loaded, where.span)))
    else:
        page = TerminalPage()
        for at, message in enumerate(messages, start=where.span.start):
            if at > where.span.start:
                page.line()
            _print_message(page, loaded, at, message)


def _read_start(written: str, where: Place, other_form: bool) -> int:
    """Return the character from which on a message is opened; 0 for all of it."""
    if not written:
        return 0
    if not _NUMBER.fullmatch(written) or where.block is not None or not where.single or other_form:
        raise BadInput(
            f"@{written} says from which character on one whole message is opened: "
            "17@6000, without --json, --raw or --view"
        )
    return int(written)


def _print_rest(loaded: LoadedConversation, at: int, start: int) -> None:
    words = words_of(loaded.log.messages[at])
    if start >= len(words):
        raise BadInput(f"[{at}] has {len(words):,} characters: nothing is left from {start:,} on")
    page = TerminalPage()
    page.line((f"{at}", "bold"), f"  from character {start:,} of {len(words):,}")
    _print_lines(page, words[start:], "", indent=2)


def _print_values(loaded: LoadedConversation, messages: list[Message], *, single: bool) -> None:
    """Print the provider's JSON: one value for a single position, else a list."""
    values = []
    for message in messages:
        values += [parse_json(text) for text in loaded.wire.encode(message)]
    if single and len(values) == 1:
        print_json(values[0])
    else:
        print_json(values)


def _print_shown(loaded: LoadedConversation, span: Span, *, as_json: bool) -> None:
    """Print the items of the view that show or cover a span."""
    items = [
        item
        for item in loaded.view.items
        if item.span.start < span.stop and span.start < item.span.stop
    ]
    if as_json:
        shown = [message for item in items for message in item.shows]
        _print_values(loaded, shown, single=False)
        return
    page = TerminalPage()
    for item in items:
        words = f"  {item_role(item, loaded.view)}  {loaded.view.meter.load(item.tokens):,} tokens"
        page.line((str(item.span), "bold"), words)
        if not item.shows:
            page.quiet(item_words(item, loaded.view), indent=2)
        for message in item.shows:
            for block in message.blocks:
                _print_body(page, block, indent=2)


def _original_lines(loaded: LoadedConversation, span: Span) -> list[str]:
    """Return the lines of a file as they are in it; for a store, the text that it keeps."""
    lines: list[str] = []
    for at in range(span.start, span.stop):
        lines += loaded.texts.get(at) or loaded.wire.encode(loaded.log.messages[at])
    return [line.removesuffix("\n") + "\n" for line in lines]


def _print_block(block: Block, place: Place, *, raw: bool, as_json: bool) -> None:
    if as_json:
        print_json(msgspec.to_builtins(block))
        return
    if raw:
        sys.stdout.write(block_text(block))
        # In a pipe the output is the text and nothing else.
        if sys.stdout.isatty():
            sys.stdout.write("\n")
        return
    page = TerminalPage()
    page.line((f"{place.span}.{place.block}", "bold"), f"  {_block_name(block)}")
    _print_body(page, block, indent=0)


def _block_name(block: Block) -> str:
    return type(block).__name__.lower()


def _print_message(
    page: TerminalPage, loaded: LoadedConversation, at: int, message: Message
) -> None:
    style = KIND_STYLES[kind_of(message)][1]
    page.line(
        (f"{at}", "bold"),
        (f"  {role_of(message)}", f"bold {style}"),
        (f"  {loaded.message_tokens(at):,} tokens", QUIET),
        (_visibility(loaded, at), QUIET),
    )
    for number, block in enumerate(message.blocks):
        if len(message.blocks) > 1 or not isinstance(block, Text):
            page.line(*_block_title(f"{at}.{number}", block), indent=2)
        _print_body(page, block, indent=2)


def _visibility(loaded: LoadedConversation, at: int) -> str:
    """Return what the model sees of a position, if that is not all of it."""
    item = loaded.view.at(at)
    match state_of(item, loaded.view):
        case "covered":
            return f"  the model sees a summary of {item.span}"
        case "short":
            return f"  the model sees {short_places(item)} shortened"
        case "hidden":
            return "  the model does not see it"
    return ""


def _block_title(place: str, block: Block) -> list[StyledText]:
    if isinstance(block, Call):
        id = block.id or ""
        return [(f"{place} ", QUIET), ("→ ", "cyan"), (block.name, "bold cyan"), (f"  {id}", QUIET)]
    if isinstance(block, Result):
        title: list[StyledText] = [(f"{place} result ", QUIET)]
        if block.error:
            title.append(("✗ failed  ", "red"))
        if block.call:
            title.append((f"of {block.call}", QUIET))
        return title
    return [(f"{place} {_block_name(block)}", QUIET)]


def _print_body(page: TerminalPage, block: Block, indent: int) -> None:
    style = BLOCK_STYLES.get(type(block), "")
    text = block_text(block)
    if isinstance(block, Call):
        text = _readable_arguments(text)
    _print_lines(page, text, style, indent)


def _print_lines(page: TerminalPage, text: str, style: str, indent: int) -> None:
    for line in visible(text).split("\n"):
        page.paragraph((line, style), indent=indent * bool(line))


def _readable_arguments(arguments: str) -> str:
    """Return arguments one a line, so that a file in one of them can be read."""
    try:
        values: Any = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    if not isinstance(values, dict):
        return arguments
    lines = []
    for key, value in values.items():
        if not isinstance(value, str):
            value = json.dumps(value, ensure_ascii=False)
        if "\n" in value:
            value = "\n" + value
        lines.append(f"{key}: {value}")
    return "\n".join(lines)
