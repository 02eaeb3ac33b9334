"""What an earlier summary says of words that are not in the log, marked as just that.

Whoever can write a whole message can write one that looks like a summary of ours.
What it says is carried on word for word, because an honest list that comes back
has nothing else; but it is told as an earlier summary's word, never as our own. A
line is our own where the messages it cites are here and say so, in other than a
tool's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steno.core.message import Message
from steno.core.view import Item, View
from steno.ledger.sections import ENDED, LIFTED, PINNED, Line, Sections, read
from steno.ledger.voice import pieces
from steno.ledger.words import flat


def told_by(view: View, item: Item, more: str) -> Sections:
    """The sections that an item states, marked where what it stands for is not here."""
    absent = view.messages[item.span.start].role == "absent"
    return marked(read(more), view.messages) if absent else read(more)


def marked(sections: Sections, messages: Sequence[Message]) -> Sections:
    """The sections of a summary whose sources are not here, each line that nothing here bears marked so."""
    return {name: [_marked(name, line, messages) for line in lines] for name, lines in sections.items()}


def _marked(name: str, line: Line, messages: Sequence[Message]) -> Line:
    ours = line.written or (name in PINNED and _is_borne(line, messages))
    return line if ours else replace(line, hearsay=True)


def _is_borne(line: Line, messages: Sequence[Message]) -> bool:
    if not all(at < len(messages) and messages[at].role != "absent" for at in line.cites):
        return False
    words = line.text.removeprefix(LIFTED).removeprefix(ENDED)
    said = (piece.text for at in line.cites for piece in pieces(messages[at]) if piece.trust != "tool")
    return words in flat(" ".join(said))
