"""`steno open`: what was said at a place, word for word.

Readable in a terminal and in a pipe; `--json` is the provider's own JSON, `--raw`
the very lines of a file, or the very text of a block.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec

from steno.cli.describe import kind_of, media_label, plural, role_of, short_places, state_of
from steno.cli.options import DONE
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.source import LoadedConversation, input_file, load_conversation
from steno.cli.window_map import KIND_STYLES
from steno.core.errors import NotHere
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Span, Text, Thinking
from steno.session.place import Place, parse_place
from steno.session.settings import StoredSettings
from steno.wires import parse_json


def open_place(
    path: str, where: str, session: str | None, *, raw: bool = False, as_json: bool = False
) -> int:
    place = parse_place(where)
    with input_file(path) as file:
        held = load_conversation(file, session, StoredSettings())
    found = held.log.open(place.span)
    if place.block is not None:
        _print_block(_block_at(found[0], place), place, raw=raw, as_json=as_json)
    elif as_json:
        values = [value for message in found for value in _provider_values(held, message)]
        print_json(values[0] if place.single and len(values) == 1 else values)
    elif raw:
        sys.stdout.write("".join(_original_lines(held, place.span)))
    else:
        page = TerminalPage()
        for at, message in enumerate(found, start=place.span.start):
            _print_message(page, held, at, message, last=at == place.span.stop - 1)
    return DONE


def _block_at(message: Message, place: Place) -> Block:
    at = place.block or 0
    if at >= len(message.blocks):
        count = plural(len(message.blocks), "block")
        raise NotHere(f"{place.span}.{at} is not there: the message has {count}, from 0 on")
    return message.blocks[at]


def _provider_values(held: LoadedConversation, message: Message) -> list[Any]:
    return [parse_json(text) for text in held.wire.encode(message)]


def _original_lines(held: LoadedConversation, span: Span) -> list[str]:
    """The lines of a file as they stand in it; of a store, the text that was kept."""
    lines: list[str] = []
    for at in range(span.start, span.stop):
        lines += held.texts.get(at) or [
            text + "\n" for text in held.wire.encode(held.log.messages[at])
        ]
    return [line if line.endswith("\n") else line + "\n" for line in lines]


def _print_block(block: Block, place: Place, *, raw: bool, as_json: bool) -> None:
    if as_json:
        print_json(msgspec.to_builtins(block))
    elif raw:
        # To the letter: nothing is added where nobody looks.
        sys.stdout.write(block_text(block) + ("\n" if sys.stdout.isatty() else ""))
    else:
        page = TerminalPage()
        page.line((f"{place.span}.{place.block}", "bold"), f"  {block_name(block)}")
        _print_body(page, block, indent=0)


def block_name(block: Block) -> str:
    return type(block).__name__.lower()


def block_text(block: Block) -> str:
    match block:
        case Text(text) | Thinking(text) | Opaque(_, text):
            return text
        case Call(_, _, arguments):
            return arguments
        case Result():
            return "\n".join(
                media_label(part) if isinstance(part, Media) else part.text
                for part in block.content
            )
        case Media():
            return media_label(block)


def _print_message(
    page: TerminalPage, held: LoadedConversation, at: int, message: Message, *, last: bool
) -> None:
    style = KIND_STYLES[kind_of(message)][1]
    tokens = sum(held.view.weights[at]) + held.view.meter.overheads.message
    head = (
        (f"{at}", "bold"),
        (f"  {role_of(message)}", f"bold {style}"),
        (f"  {tokens:,} tokens", QUIET),
    )
    page.line(*head, (_visibility(held, at), QUIET))
    for number, block in enumerate(message.blocks):
        if len(message.blocks) > 1 or not isinstance(block, Text):
            page.line(*_block_title(f"{at}.{number}", block), indent=2)
        _print_body(page, block, indent=2)
    if not last:
        page.line()


def _visibility(held: LoadedConversation, at: int) -> str:
    """What the model sees of it now, where that is not the whole."""
    item = held.view.at(at)
    match state_of(item, held.view):
        case "covered":
            return f"  the model sees a trace of {item.span}"
        case "short":
            return f"  the model sees {short_places(item)} in short"
        case "hidden":
            return "  the model does not see it"
    return ""


def _block_title(place: str, block: Block) -> list[str | tuple[str, str]]:
    match block:
        case Call(id, name):
            return [
                (f"{place} ", QUIET),
                ("→ ", "cyan"),
                (name, "bold cyan"),
                (f"  {id or ''}", QUIET),
            ]
        case Result(call, _, error):
            failed = ("✗ failed  ", "red") if error else ""
            return [(f"{place} result ", QUIET), failed, (f"of {call}" if call else "", QUIET)]
    return [(f"{place} {block_name(block)}", QUIET)]


def _print_body(page: TerminalPage, block: Block, indent: int) -> None:
    style = {Thinking: "italic bright_black", Result: "yellow"}.get(type(block), "")
    text = _pretty_arguments(block.arguments) if isinstance(block, Call) else block_text(block)
    for line in text.split("\n"):
        page.paragraph((line, style), indent=indent if line else 0)


def _pretty_arguments(arguments: str) -> str:
    """Arguments a line each, so that a file in one of them can be read."""
    try:
        read = json.loads(arguments)
    except ValueError:
        return arguments
    if not isinstance(read, dict):
        return arguments
    said = (
        (key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for key, value in read.items()
    )
    return "\n".join(f"{key}: " + ("\n" + value if "\n" in value else value) for key, value in said)
