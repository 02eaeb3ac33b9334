"""What stays of messages that leave the view: how many, their kinds, where to open them.

Owns the computed head of a summary. Its sections are chosen elsewhere (`sections`, `fit`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from steno.core.item import Item
from steno.core.message import Message, Span
from steno.core.summary import QuotedRequest, Summary
from steno.core.view import View
from steno.facts.authorship import typed_text
from steno.summary.wording import fold_languages, wording_of

CALLS_MOST = 8
"""Tools that a summary counts calls of, the most called."""
REQUEST_MOST = 200
"""Characters of a request that a summary quotes."""
_NOT_A_NAME = re.compile(r"[^\w.:/-]+")


def cover_of(view: View, items: Sequence[Item], *, quotes: bool = True) -> Summary:
    """Return the summary of these neighbouring items, without sections.

    Without `quotes` no request is quoted, and so no reader of facts is needed.
    """
    span = Span(items[0].span.start, items[-1].span.stop)
    tokens = 0
    roles: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    hidden: set[Span] = set()
    language = ""
    for item in items:
        for part in _parts_of(view, item):
            tokens += part.tokens
            roles.update(dict(part.roles))
            calls.update(dict(part.calls))
            hidden.update(part.hides)
            language = language or part.language
    # By all messages, not only these: one summary in another language would read oddly.
    if quotes:
        language = wording_of(view.messages.fold(fold_languages))
    return Summary(
        span,
        tokens,
        tuple(roles.items()),
        tuple(calls.most_common(CALLS_MOST)),
        next(_requests(view, items, quotes), None),
        next(_requests(view, items, quotes, newest_first=True), None),
        tuple(sorted(other for other in hidden if not other.is_within(span))),
        language=language,
    )


def _standing_summary(item: Item) -> Summary | None:
    """Return the summary that stands for all messages of an item."""
    # A summary that came back in a list may also stand for messages that are not in this log.
    if item.summary is not None and len(item.summary.span) == len(item.span):
        return item.summary
    return None


def _requests(
    view: View, items: Sequence[Item], quotes: bool, *, newest_first: bool = False
) -> Iterator[QuotedRequest]:
    """Yield what people asked for; only the first and the last are told, so few are read."""
    step = 1
    if newest_first:
        step = -1
    for item in items[::step]:
        quoted: Iterable[QuotedRequest | None] = ()
        if summary := _standing_summary(item):
            quoted = (summary.first, summary.last)[::step]
        elif quotes:
            positions = range(item.span.start, item.span.stop)[::step]
            quoted = (_quote_request(view.messages[at], at) for at in positions)
        yield from filter(None, quoted)


def _parts_of(view: View, item: Item) -> Iterator[Summary]:
    """Yield a summary for each message of an item, or the one that already stands for them."""
    # What a summary counted need not be counted again: a commit costs what is newly covered.
    if summary := _standing_summary(item):
        yield summary
        return
    for position in range(item.span.start, item.span.stop):
        tokens = view.meter.overheads.message + sum(view.weights[position])
        yield _cover_of_message(view.messages[position], position, tokens)


def _cover_of_message(message: Message, position: int, tokens: int) -> Summary:
    role = "tool" if message.only_results else message.role
    calls = Counter(_NOT_A_NAME.sub("_", call.name)[:64] or "_" for call in message.calls)
    return Summary(Span(position, position + 1), tokens, ((role, 1),), tuple(calls.items()))


def _quote_request(message: Message, position: int) -> QuotedRequest | None:
    if message.only_results:
        return None
    # Only what a person wrote: under a name of theirs, a pasted page would speak for them.
    words = " ".join(typed_text(message)[: REQUEST_MOST * 4].split())
    if not words:
        return None
    return position, clip_request(words)


def clip_request(words: str) -> str:
    """Return the first characters of a request, as a summary quotes them."""
    if len(words) <= REQUEST_MOST:
        return words
    return words[: REQUEST_MOST - 1] + "…"
