"""What stays of messages that leave the view: what kind, how much, where to open them.

A trace is computed from what was said, and can be read back from its own
words, because a list may come to us that was compacted before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.message import Message, Span, Text
from steno.core.view import View

NAMES_MOST = 8
ASK_MOST = 200
SPAN_MOST = 30_000
"""Messages that one list may say are elsewhere; whoever forges a trace makes us count no more."""
HIDDEN_MOST = 1_000
WEIGHTLESS_MOST = 100
"""Messages of which a trace need not state the weight."""
_COVERS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_TOKENS = re.compile(r"[0-9]{1,12}")
_ROLES = re.compile(r"([0-9]{1,9}) (user|assistant|tool|system|absent)")
_CALLS = re.compile(r"^Calls: (.*)\.$", re.M)
_CALL = re.compile(r"([\w.:/-]{1,64}) ×([0-9]{1,9})")
_ASKED = re.compile(r"^(First|Last) asked \[([0-9]{1,9})\]: (.*)$", re.M)
_NOT_A_NAME = re.compile(r"[^\w.:/-]+")

QuotedRequest = tuple[int, str]


@dataclass(frozen=True)
class CoverText:
    """The computed remains of a span."""

    span: Span
    tokens: int
    roles: tuple[tuple[str, int], ...] = ()
    calls: tuple[tuple[str, int], ...] = ()
    first: QuotedRequest | None = None
    last: QuotedRequest | None = None
    hides: tuple[Span, ...] = ()
    """Other spans of which nothing is shown: this is where it says so."""
    more: str = ""
    """What else is told of it: the sections of a summary."""
    untold: tuple[Span, ...] = ()
    """What no writer has read of it yet, where one has read the rest: an update tells only that and what is new."""

    def __str__(self) -> str:
        roles = ", ".join(f"{count} {role}" for role, count in self.roles)
        counts = f"{len(self.span)} messages ({roles}) of {self.tokens:,} tokens"
        lines = [f"{counts} are not shown; open {self.span} to read them."]
        if self.calls:
            named = ", ".join(f"{name} ×{count}" for name, count in self.calls[:NAMES_MOST])
            more = (
                f", {len(self.calls) - NAMES_MOST} others" if len(self.calls) > NAMES_MOST else ""
            )
            lines.append(f"Calls: {named}{more}.")
        if self.first:
            lines.append(f"First asked [{self.first[0]}]: {self.first[1]}")
        if self.last and self.last != self.first:
            lines.append(f"Last asked [{self.last[0]}]: {self.last[1]}")
        label = {
            "kind": "summary" if self.more else "trace",
            "covers": str(self.span),
            "tokens": str(self.tokens),
        }
        if self.hides:
            label["hides"] = " ".join(map(str, self.hides))
            lines.append(f"Nor are {', '.join(map(str, self.hides))}.")
        if self.untold:
            label["untold"] = " ".join(map(str, self.untold))
        return str(Fence(label, "\n".join(lines) + (f"\n\n{self.more}" if self.more else "")))

    @classmethod
    def parse(cls, text: str) -> CoverText | None:
        """The trace that a text of ours states; None for anything else."""
        fence = Fence.parse(text)
        covers = _COVERS.fullmatch(fence.label.get("covers", "")) if fence else None
        if fence is None or covers is None or not _TOKENS.fullmatch(fence.label.get("tokens", "")):
            return None
        span = Span(int(covers[1]), int(covers[2] or covers[1]) + 1)
        if (
            not 0
            < span.stop - span.start
            <= min(SPAN_MOST, max(WEIGHTLESS_MOST, int(fence.label["tokens"])))
        ):
            return None  # every message weighs something
        head, _, more = fence.body.partition("\n\n")
        asked = {which: (int(at), _clip_request(said)) for which, at, said in _ASKED.findall(head)}
        calls = _CALLS.search(head)
        roles = _parse_counts(_ROLES.findall(fence.body.partition("\n")[0]), swapped=True)
        if sum(count for _, count in roles) != len(span):
            return None  # ours counts what it covers
        return cls(
            span,
            int(fence.label["tokens"]),
            roles,
            _parse_counts(_CALL.findall(calls[1])[:NAMES_MOST]) if calls else (),
            asked.get("First"),
            asked.get("Last", asked.get("First")),
            _parse_spans(fence.label.get("hides", "")),
            more,
            _parse_spans(fence.label.get("untold", "")),
        )

    @classmethod
    def of(cls, view: View, items: Sequence[Item]) -> CoverText:
        """What stays of these neighbouring items."""
        parts = [part for item in items for part in _parts_of(view, item)]
        roles: Counter[str] = Counter()
        calls: Counter[str] = Counter()
        for part in parts:
            roles.update(dict(part.roles))
            calls.update(dict(part.calls))
        return cls(
            Span(items[0].span.start, items[-1].span.stop),
            sum(part.tokens for part in parts),
            tuple(roles.items()),
            tuple(calls.most_common()),
            next((part.first for part in parts if part.first), None),
            next((part.last for part in reversed(parts) if part.last), None),
            _hidden_outside(parts, Span(items[0].span.start, items[-1].span.stop)),
        )


def _hidden_outside(parts: Sequence[CoverText], span: Span) -> tuple[Span, ...]:
    """What the parts said was hidden and lies outside: whoever stands for them must go on saying it."""
    hidden = {each for part in parts for each in part.hides}
    return tuple(sorted((each for each in hidden if not _is_inside(each, span)), key=_span_start))


def _is_inside(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.stop <= outer.stop


def _span_start(span: Span) -> int:
    return span.start


def _parse_spans(label: str) -> tuple[Span, ...]:
    """The spans that a label lists: `0-11 14-20`."""
    found: list[Span] = []
    left = SPAN_MOST
    for part in label.split(" ")[:HIDDEN_MOST]:
        place = _COVERS.fullmatch(part)
        first, last = (int(place[1]), int(place[2] or place[1])) if place else (0, -1)
        if first <= last and last - first < left:
            found.append(Span(first, last + 1))
            left -= last + 1 - first
    return tuple(found)


def _parse_counts(
    pairs: list[tuple[str, str]], *, swapped: bool = False
) -> tuple[tuple[str, int], ...]:
    return tuple((b, int(a)) if swapped else (a, int(b)) for a, b in pairs)


def _parts_of(view: View, item: Item) -> Iterator[CoverText]:
    """A trace for each message; for words that are not here, the trace that stands for them."""
    # What a trace of ours states need not be counted again: a commit costs what is newly covered.
    stated = CoverText.parse(item.shows[0].text) if item.main is None and item.shows else None
    if stated is not None and len(stated.span) == len(item.span):
        yield stated
        return
    for position, message in enumerate(
        view.messages[item.span.start : item.span.stop], start=item.span.start
    ):
        yield _cover_text_of_message(
            message, position, view.meter.overheads.message + sum(view.weights[position])
        )


def _cover_text_of_message(message: Message, position: int, tokens: int) -> CoverText:
    role = "tool" if message.only_results else message.role
    calls = Counter(_NOT_A_NAME.sub("_", call.name)[:64] or "_" for call in message.calls)
    asked = _quote_request(message, position) if role == "user" and message.by == "caller" else None
    return CoverText(
        Span(position, position + 1), tokens, ((role, 1),), tuple(calls.items()), asked, asked
    )


def _quote_request(message: Message, position: int) -> QuotedRequest | None:
    text = " ".join(
        block.text
        for block in message.blocks
        if isinstance(block, Text) and not Fence.parse(block.text)
    )
    said = " ".join(text[: ASK_MOST * 4].split())
    if said:
        return (position, _clip_request(said))
    return None


def _clip_request(said: str) -> str:
    if len(said) <= ASK_MOST:
        return said
    return said[: ASK_MOST - 1] + "…"
