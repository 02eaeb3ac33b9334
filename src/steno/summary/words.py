"""Cut words so that what is left can be read, and share a room out among texts.

A cut text keeps whole sentences, head and tail. `typed_caps` and `reply_caps` say how many tokens
each text may have.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from steno.facts.sentences import sentences

HEAD_SHARE = 0.65
"""Share of what is left for the beginning; the rest is for the end."""
SHORT = 60
"""Tokens below which only the beginning of a text is kept."""
LEAST_FILLED, SENTENCE_OVER = 0.4, 1.6
"""Shares of the room that the first sentences of a text take, at least and at most."""
SHORTEST = 24
"""Characters of a beginning at least."""
LEFT_OUT = " […] "
"""Stands in a quote for what a program put into a person's message."""
TEXTS_KEPT = 512
"""Texts whose first sentences are remembered."""


def cut_words(
    text: str,
    most: int,
    count: Callable[[str], int],
    tokens: int | None = None,
    *,
    more: str = "",
    end: bool = False,
) -> str:
    """Return a text of about `most` tokens: its beginning and its end, in whole sentences.

    A caller that has counted the text, without blanks around it, passes its `tokens`, and
    how to get `more`. With `end` it has an end however short it is.
    """
    text = text.strip()
    if tokens is None:
        tokens = count(text)
    if tokens <= most:
        return text
    own = without_reminder(text)
    if own != text:
        text, tokens = own, count(own)
        if tokens <= most:
            return text
    characters = len(text) * max(most - 8, 1) / max(tokens, 1)
    if most < SHORT and not end:
        # Too little for a beginning and an end: the first sentence says most.
        return first_sentences(text, max(int(characters), SHORTEST))
    head = text[: head_end(text, int(characters * HEAD_SHARE))].rstrip()
    tail = text[tail_start(text, int(characters * (1 - HEAD_SHARE))) :].lstrip()
    gone = tokens - count(head) - count(tail)
    if more:
        more = f"; {more}"
    return f"{head}\n[… {gone:,} tokens not shown{more} …]\n{tail}".rstrip()


def without_reminder(text: str) -> str:
    """Return a text without what a harness adds to every result: it tells nothing of this one."""
    body = text.rstrip()
    own, opening, _ = body.rpartition("<system-reminder>")
    if not opening or not body.endswith("</system-reminder>"):
        return text
    return own.rstrip() or text


def head_end(text: str, most: int) -> int:
    """Return where the beginning of a text ends, at a break within so many characters."""
    for mark in ("\n\n", "\n", ". ", "。", " "):
        at = text.rfind(mark, 0, most)
        if at > most * 0.6:
            return at + len(mark)
    return most


def tail_start(text: str, most: int) -> int:
    """Return where the end of a text begins, at a break within so many characters."""
    first = len(text) - most
    for mark in ("\n\n", "\n", ". ", "。", " "):
        at = text.find(mark, first, first + int(most * 0.4))
        if at >= 0:
            return at + len(mark)
    return first


# Old words are cut to the same length in one commit after another.
@lru_cache(maxsize=TEXTS_KEPT)
def first_sentences(text: str, characters: int) -> str:
    """Return the beginning of a text: whole sentences, or words of one that is far too long."""
    if len(text) <= characters:
        return first_words(text, characters)
    looked = text[: characters * 4]
    ends = [stop for _, stop in sentences(looked)]
    # A short beginning alone ("My answers:") would leave most of the room unused.
    least = characters * LEAST_FILLED
    fitting = [stop for stop in ends[:-1] if least <= stop <= characters]
    if fitting:
        return f"{looked[: fitting[-1]].strip()} …"
    if len(ends) > 1 and least <= ends[0] <= characters * SENTENCE_OVER:
        return f"{looked[: ends[0]].strip()} …"
    return first_words(text, characters)


def clip(text: str, most: int) -> str:
    """Return the first characters of a text, with a mark if there are more."""
    if len(text) <= most:
        return text
    return text[: most - 1] + "…"


def first_words(text: str, characters: int) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text[: characters * 4].split())
    if len(line) <= characters:
        return line
    return line[: characters - 1].rsplit(" ", 1)[0] + "…"


NEWEST_SHARE = 0.60
"""Share of that for the newest request, and for the first: they shrink last."""
NEWEST_WHOLE = 400
"""Tokens up to which the newest request may take all of it."""
PASTE_SHARE = 0.25
"""Share of that for any other message: beyond it a paste is cut in the middle."""
REPLY_STUB = 24
"""Tokens below which a part of a closing reply says nothing: it is left out."""
SENTENCE = 30
"""Tokens down to which a message shrinks before older ones are told together."""
LINE = 20
"""Tokens of a request that is told with others."""
CUT_LEAST = 8
"""Tokens that a cut of what people sent saves."""
NEARLY_WHOLE = 0.85
"""Share of a message from which on it is shown whole, if there is room at all: a gap in what is to
be done costs a reader more than it saves."""


def typed_caps(
    sizes: dict[int, int],
    room: float,
    *,
    newest: int,
    first: int,
    floors: Mapping[int, int] | None = None,
    own: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """Share a room out among messages: pastes are cut first, then the oldest messages.

    `floors` are tokens down to which messages that state something shrink before all others do,
    `own` those that a person typed: the rest is a command's text, or a file that was attached.
    """
    typed = own or sizes
    caps = {at: min(size, int(room * PASTE_SHARE)) for at, size in sizes.items()}
    for at in (first, newest):
        most = min(room * NEWEST_SHARE, typed[at] + room * PASTE_SHARE)
        # A request of a few sentences is never cut in a small window: it is what is to be done.
        if at == newest:
            most = max(most, min(room, NEWEST_WHOLE))
        caps[at] = min(sizes[at], int(most))
    for at, size in sizes.items():
        if caps[at] >= size * NEARLY_WHOLE:
            caps[at] = size
    total = sum(caps.values())
    kept = floors or {}
    steps = [(SENTENCE * 4, kept), (SENTENCE, kept), (LINE, kept)]
    for least, floor in (*steps, (LINE, {}), (0, kept), (0, {})):
        for at in sorted(caps):
            if total <= room:
                return caps
            if at in (newest, first):
                continue
            cap = min(caps[at], max(least, floor.get(at, 0)))
            # To leave out the last two words of a message saves nothing.
            if not least or caps[at] - cap >= CUT_LEAST:
                total -= caps[at] - cap
                caps[at] = cap
    caps[first] = min(caps[first], max(SENTENCE, int(room - caps[newest])))
    return caps


def reply_caps(sizes: Mapping[int, int], room: float) -> dict[int, int]:
    """Share a room out among replies, the most wanted first: none shrinks for a longer one."""
    # What would be a stub is left out, so that the others say something: the least wanted first.
    # A reply that is short by itself is no stub.
    least = float(min(REPLY_STUB, max(sizes.values(), default=0)))
    told = list(sizes)
    # The fewer are told, the more each gets.
    left_out = bisect_left(
        range(len(told) - 1),
        least,
        key=lambda few: level_of([sizes[at] for at in told[: len(told) - few]], room),
    )
    told = told[: len(told) - left_out]
    level = level_of([sizes[at] for at in told], room)
    return dict.fromkeys(sizes, 0) | {at: min(sizes[at], int(level)) for at in told}


def level_of(sizes: Sequence[int], room: float) -> float:
    """Return the most that one of several may take so that all together fit a room."""
    waiting = len(sizes)
    for size in sorted(sizes):
        if size * waiting > room:
            return room / waiting
        room -= size
        waiting -= 1
    return float(max(sizes, default=0))
