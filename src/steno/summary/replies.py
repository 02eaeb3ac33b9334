"""What is shown of a reply of which only a part fits: its two ends, in whole sentences.

Choosing sentences that conclude something showed no more of what readers were asked. A person
may answer a reply by number ("2", "1 and 3"); then the items that the answer names are kept too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from steno.facts.decisions import chosen_number
from steno.summary.words import SHORT, SHORTEST, first_sentences, first_words, head_end, tail_start

GAP = " … "
GAP_TOKENS = 2
HEAD_SHARE = 0.5
"""Share of what is shown for the beginning; the rest is for the end."""
REPLIES_KEPT = 512
"""Cuts that are remembered: a reply is shown in many commits, in several lengths."""
ANSWER_LOOKED = 400
"""Characters of an answer in which numbers are looked for."""
SHORT_ANSWER = 60
"""Characters of an answer that may choose by a number anywhere in it."""

_NUMBER = re.compile(r"(?<![\w.])\d{1,2}(?![\w:/])")
_PICKED = re.compile(r"(?<![\w.])\d{1,2}(?=[.!]?\s*$|\s?[,&+]|\s(?:and|or|und|oder|et|ou|y|o)\s\d)")
"""A number at the end of an answer, or before another one."""
_ITEM = re.compile(r"^[ \t]*\W{0,3}(\d{1,2}|[a-dA-D])[.)].*", re.M)

Span = tuple[int, int]


def cut_reply(
    text: str,
    most: int,
    count: Callable[[str], int],
    tokens: int | None = None,
    *,
    answer: str = "",
) -> str:
    """Return a reply within `most` tokens; items that its `answer` chooses come first."""
    text = text.strip()
    if tokens is None:
        tokens = count(text)
    if not text or tokens <= most:
        return text
    return _cut(text, most, tokens, numbers_in(answer))


@lru_cache(maxsize=REPLIES_KEPT)
def numbers_in(answer: str) -> frozenset[str]:
    """Return the numbers or letters of what was offered or asked that a person answers with."""
    looked = answer[:ANSWER_LOOKED]
    chosen = chosen_number(looked)
    if chosen:
        return frozenset((chosen, *_NUMBER.findall(looked)))
    # "do 1, 2 and 5": short, and no number says how many of something there are.
    if len(answer) <= SHORT_ANSWER and _PICKED.search(looked):
        return frozenset(_NUMBER.findall(looked))
    return frozenset()


@lru_cache(maxsize=REPLIES_KEPT)
def _cut(text: str, most: int, tokens: int, named: frozenset[str]) -> str:
    room = max(SHORTEST, int(len(text) * (most - GAP_TOKENS) / tokens))
    items = list(items_within(text, named, room))
    if not items and most < SHORT:
        # Too little for a beginning and an end: the first sentences say most.
        return first_sentences(text, room)
    left = room - sum(stop - start for start, stop in items)
    spans = [*items]
    if left >= SHORTEST * 2:
        head = head_end(text, int(left * HEAD_SHARE))
        spans += [(0, head), (tail_start(text, int(left * (1 - HEAD_SHARE))), len(text))]
    return _joined(text, spans) or first_words(text, room)


def items_within(text: str, named: frozenset[str], room: int) -> Iterator[Span]:
    """Yield the items of the last list that an answer names, as far as there is room."""
    if not named:
        return
    newest: dict[str, Span] = {}
    for item in _ITEM.finditer(text):
        if item[1].lower() in named:
            newest[item[1].lower()] = item.span()
    for start, stop in newest.values():
        stop = min(stop, start + room)
        room -= stop - start
        if stop > start:
            yield start, stop


def _joined(text: str, spans: list[Span]) -> str:
    """Return parts of a text in their order, with a mark wherever something is left out."""
    shown = ""
    after = 0
    for start, stop in sorted(spans):
        if stop <= after:
            continue
        if text[after:start].strip():
            shown = f"{shown.rstrip()}{GAP}" if shown else ""
        else:
            start = after
        shown += text[start:stop]
        after = stop
    if text[after:].strip():
        shown += GAP
    return shown.strip()
