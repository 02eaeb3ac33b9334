"""Pages: originals brought back before the agent's eyes, for a while.

A page is Steno's own message at the end of the log, bounded by the room there
is. It goes again by an edit that shows nothing: after so many turns, or when it
is released. What a page shows has no more trust than it had.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from steno.core.error import BadInput
from steno.core.message import Call, Message, Opaque, Result, Text, Thinking
from steno.core.span import Span
from steno.session.place import place_of

if TYPE_CHECKING:
    from steno.session.held import Held

KIND = "page"
TURNS = 5
"""Turns that a page stays for, where nobody says."""
ROOM = 0.5
"""Of what is free under the point where pressure begins, for one page."""
LEAST = 200
"""Tokens below which a page is not worth showing."""


def page_in(session: Held, where: int | str | Span, turns: int | None = TURNS) -> int:
    """Show what was said there once more, at the end, as far as there is room; gives the page's own position."""
    span = place_of(where).span
    said = session.log.open(span)
    if turns is not None and turns < 1:
        raise BadInput(f"a page stays for 1 turn or more, or with turns=None until it is released; got {turns}")
    room = room_for_page(session)
    if room < LEAST:
        raise BadInput(f"there is no room for a page: {session.load:,} tokens of {session.budget.usable:,} are used")
    body, shown = page_of(said, span.start, room, session.view.meter.count)
    position = session.say(KIND, body)
    session.jot(KIND, {"at": position, "shows": [span.start, shown], "turns": turns})
    return position


def room_for_page(session: Held) -> int:
    return int((session.budget.soft_load - session.load) * ROOM)


def page_of(messages: Sequence[Message], start: int, room: int, count: Callable[[str], int]) -> tuple[str, int]:
    """As many messages as there is room for, each with its position; and where the page ends."""
    lines: list[str] = []
    left = room - 30
    for position, message in enumerate(messages, start=start):
        line = f"[{position}] {message.role}: {_indented(words_of(message))}"
        cost = count(line) + 2
        if cost > left:
            more = f"[{position}–{start + len(messages) - 1}] did not fit: recall them by position"
            short = line[: max(0, left) * 2]
            while short and (cost := count(short)) > left:  # some characters are several tokens
                short = short[: len(short) * max(0, left) // cost]
            return "\n".join([*lines, *([f"{short} […]"] if not lines else []), more]), position + (not lines)
        lines.append(line)
        left -= cost
    return "\n".join(lines), start + len(messages)


def _indented(words: str) -> str:
    """Only a message's own first line begins at the margin: what it quotes cannot pass for another's."""
    return words.replace("\n", "\n    ")


def words_of(message: Message) -> str:
    """What a message says, in plain words; thinking is not repeated."""
    return "\n".join(filter(None, map(_words, message.blocks)))


def _words(block: object) -> str:
    match block:
        case Text(text):
            return text
        case Call(_, name, arguments):
            return f"calls {name} {arguments}"
        case Result():
            return f"result: {block.text}"
        case Opaque(kind, text):
            return text or f"[{kind}]"
        case Thinking():
            return ""
    return f"[{getattr(block, 'kind', 'media')}]"


def release(session: Held, *positions: int) -> None:
    """Take pages away before their time; all of them, where none is named."""
    held = pages(session)
    chosen = positions or tuple(held)
    wrong = [position for position in chosen if position not in held]
    if wrong:
        raise BadInput(f"there is no page at {wrong[0]}; there are {', '.join(map(str, held)) or 'none'}")
    if chosen:
        session.hide(*chosen)


def pages(session: Held) -> dict[int, int | None]:
    """The pages that are shown now, by position, each with the turns it stays for."""
    marks = {mark["at"]: mark["turns"] for _, mark in session.jots(KIND)}
    return {at: turns for at, turns in marks.items() if _shown(session, at)}


def _shown(session: Held, at: int) -> bool:
    return at < len(session.log.messages) and session.view.at(at).main is not None


def overdue(session: Held) -> list[int]:
    """The pages whose turns are over."""
    return [at for at, turns in pages(session).items() if turns is not None and _turns_since(session, at) >= turns]


def _turns_since(session: Held, at: int) -> int:
    return sum(message.role == "assistant" for message in session.log.messages[at:])
