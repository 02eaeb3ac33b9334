"""The few words of a hit that show why it was found, and who wrote them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from steno.core.message import Call, Message, Text, Thinking
from steno.ledger.fact import Trust
from steno.ledger.voice import pieces
from steno.store.terms import asked, of_name

LENGTH = 280
BEFORE = 80
"""Characters that are shown ahead of what was found."""
PLACES_MOST = 200
_NAME = re.compile(r"\w+")
_LOWEST: tuple[Trust, ...] = ("tool", "assistant", "person", "system")


@dataclass(frozen=True)
class Spot:
    """Where in a text something was found."""

    start: int
    stop: int
    text: str
    shift: int = 0
    """Where in its block the text begins."""


def spot_of_words(text: str, query: str) -> Spot:
    """The very words of a query; or the stretch that holds most of them."""
    said = text.lower().find(query.lower().strip()) if query.strip() else -1
    if said >= 0:
        return Spot(said, said + len(query.strip()), text)
    wanted = set(asked(query))
    names = _NAME.finditer(text) if wanted else ()
    places = [(found.start(), term) for found in names for term in of_name(found[0]) if term in wanted][:PLACES_MOST]
    if not places:
        return Spot(0, min(len(text), LENGTH), text)
    best, start = 0, places[0][0]
    for at, (begin, _) in enumerate(places):
        held = {term for place, term in places[at:] if place < begin + LENGTH - BEFORE}
        if len(held) > best:
            best, start = len(held), begin
    return Spot(start, min(len(text), start + LENGTH - BEFORE), text)


def snippet(spot: Spot) -> str:
    """One line around what was found; dots where it was cut."""
    start = max(0, min(spot.start - BEFORE, len(spot.text) - LENGTH))
    stop = min(len(spot.text), start + LENGTH)
    said = " ".join(spot.text[start:stop].split())
    return ("… " if start else "") + said + (" …" if stop < len(spot.text) else "")


def trust_of(message: Message, block: int, spot: Spot) -> Trust:
    """The least trusted author of the words that are shown."""
    found = message.blocks[block] if block < len(message.blocks) else None
    if isinstance(found, Call):
        return "assistant"
    if message.role == "assistant" and isinstance(found, Text | Thinking) and "<steno-" not in found.text:
        return "assistant" if message.by == "caller" else "tool"  # only our own fences are not its words
    start, stop = spot.shift + max(0, spot.start - BEFORE), spot.shift + spot.start + LENGTH
    authors: set[Trust] = set()
    at = 0
    for piece in pieces(message):
        if piece.block == block:
            if at < stop and at + len(piece.text) > start:
                authors.add(piece.trust)
            at += len(piece.text)
    return next((trust for trust in _LOWEST if trust in authors), "tool")
