"""Cutting words so that what is left can be read: whole sentences, head and tail."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from steno.facts.sentences import sentences

HEAD_SHARE = 0.65
"""Share of what is left for the beginning; the rest is for the end."""
SHORT = 60
"""Tokens below which only the beginning of a text is kept."""
SENTENCE_OVER = 1.6
"""Times the room that a first sentence may take."""
SHORTEST = 24
"""Characters of a beginning at least."""
TEXTS_KEPT = 512
"""Texts whose first sentences are remembered."""


def cut_words(
    text: str, most: int, count: Callable[[str], int], tokens: int | None = None, *, more: str = ""
) -> str:
    """Return a text of at most about `most` tokens: its beginning and its end, in whole
    sentences.

    A caller that has counted the text, without blanks around it, passes its `tokens`, and
    how to get `more`.
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
    if most < SHORT:
        # Too little for a beginning and an end: the first sentence says most.
        return first_sentences(text, max(int(characters), SHORTEST))
    head = _head(text, int(characters * HEAD_SHARE))
    tail = _tail(text, int(characters * (1 - HEAD_SHARE)))
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


def _head(text: str, most: int) -> str:
    part = text[:most]
    for mark in ("\n\n", "\n", ". ", "。", " "):
        at = part.rfind(mark)
        if at > most * 0.6:
            return part[: at + len(mark)].rstrip()
    return part


def _tail(text: str, most: int) -> str:
    if most <= 0:
        return ""
    part = text[-most:]
    for mark in ("\n\n", "\n", ". ", "。", " "):
        at = part.find(mark)
        if 0 <= at < most * 0.4:
            return part[at + len(mark) :].lstrip()
    return part


# Old words are cut to the same length in one commit after another.
@lru_cache(maxsize=TEXTS_KEPT)
def first_sentences(text: str, characters: int) -> str:
    """Return the beginning of a text: whole sentences, or words of one that is far too long."""
    if len(text) <= characters:
        return first_words(text, characters)
    looked = text[: characters * 4]
    ends = [stop for _, stop in sentences(looked)]
    fitting = [stop for stop in ends[:-1] if stop <= characters]
    if fitting:
        return f"{looked[: fitting[-1]].strip()} …"
    if len(ends) > 1 and ends[0] <= characters * SENTENCE_OVER:
        return f"{looked[: ends[0]].strip()} …"
    return first_words(text, characters)


def first_words(text: str, characters: int) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text[: characters * 4].split())
    if len(line) <= characters:
        return line
    return line[: characters - 1].rsplit(" ", 1)[0] + "…"
