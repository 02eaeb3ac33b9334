"""Open loops: what is asked, announced or called, and not yet settled.

`read_open_loops` finds what one message opens and closes; `OpenLoops` adds messages up,
one after the other, so that a turn costs what is new in it. A person's request stands
until a reply without calls follows, what a person left for later until people call off. Failing
tests are known by `failures`, the tasks that tools keep by `tasks`. Next steps are what
the assistant says it leaves for later, and the question a reply ends with, which a go-ahead turns
into a step. The words of a tool open nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice

from msgspec.structs import replace

from steno.core.message import Call, Message, Result, Value
from steno.facts.authorship import AuthoredText, split_by_author
from steno.facts.fact import Fact, FactAt
from steno.facts.languages import Table, closest_languages, rows_pattern
from steno.facts.requests import GO, NOD, read_requests
from steno.facts.sentences import clip_sentence, cued_sentences, line_at, sentence_at, sentences
from steno.facts.text import small_letters

STEPS_MOST = 8
LATER_MOST, ASKS_MOST = 8, 256
"""What people left for later, and their requests without a reply, at most: the newest."""
OFFER = "offer"
"""The key of what is only offered yet."""
BELOW = 2_000
"""Characters under a heading in which its steps stand."""
ENDING = 600
"""Characters from the end of a reply in which its closing question stands."""

_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\(?\d{1,2}[.)])[ \t]+(?!\[[xX]\])(?:\[ \][ \t]+)?(\S.*)")


@cache
def _headings(table: Table) -> re.Pattern[str]:
    """Return what a line begins with that is a heading over what is left to do, or begins so."""
    # The line break before it is found fast, and nothing that was read is tried again.
    return re.compile(
        r"\n[ \t]*+(?:(?P<head>#{1,6} )|[-*] |\d+[.)] )?+[*_]{0,2}+"
        rf"(?:{rows_pattern('steps', table)})"
        r"[^\n.:：]{0,40}(?:[:：]|[*_]{2}[:：]?|(?<=[a-zé]) (?:is|are|ist|sind|est|sont|es|son) "
        r"|[—–]| - |(?(head)$|(?!)))",
        re.M,
    )


def find_next_steps(pieces: list[AuthoredText], *, busy: bool) -> Iterator[Fact]:
    """Yield the steps an assistant's message leaves for later; `busy` where it also calls tools."""
    steps: dict[str, int] = {}
    for block, text in _prose_by_block(pieces).items():
        for words in islice(_steps(text, busy), STEPS_MOST):
            steps.setdefault(words, block)
    for words, block in list(steps.items())[:STEPS_MOST]:
        yield Fact("open", words, "assistant", block, "", "next")


def _prose_by_block(pieces: list[AuthoredText]) -> dict[int, str]:
    """Return the prose of each block, with single lines between: a heading may look like code."""
    texts: dict[int, str] = {}
    for piece in pieces:
        single = "\n" not in piece.text.strip()
        quoted = piece.text.lstrip().startswith((">", "|", "`", "~"))
        text = "\n"
        if piece.prose or (single and not quoted):
            text = piece.text
        texts[piece.block] = texts.get(piece.block, "") + text
    return texts


def _steps(text: str, busy: bool) -> Iterator[str]:
    for at in _heading_ends(text):
        _, end = line_at(text, at - 1)
        if text[at:end].strip(" *_:："):
            start, stop = sentence_at(text, at - 1)
            yield clip_sentence(text[start:stop].lstrip("#*- "))
        else:
            yield from islice(_items_under_heading(text[end + 1 : end + 1 + BELOW]), STEPS_MOST)
    # What it announces beside a call it does right now.
    if not busy:
        yield from (sentence for sentence, _ in cued_sentences(text, "later"))


def _heading_ends(text: str) -> list[int]:
    """Return where the headings of a text end, in order; a line has one at most."""
    lines = f"\n{small_letters(text)}"
    ends: dict[int, int] = {}
    for table in closest_languages(text):
        for found in _headings(table).finditer(lines):
            ends.setdefault(found.start(), found.end() - 1)
    return [ends[start] for start in sorted(ends)]


def _items_under_heading(text: str) -> Iterator[str]:
    """Yield what stands under a heading: the items of a list, or a first sentence."""
    listed = False
    for line in text.split("\n"):
        item = _ITEM.match(line)
        if item is not None:
            listed = True
            yield clip_sentence(item[1].strip())
        elif line.strip() and not listed:
            yield from (
                clip_sentence(line[start:stop]) for start, stop in islice(sentences(line), 1)
            )
            return
        elif line.strip() and line[:1] not in " \t":
            return


def closing_question(pieces: list[AuthoredText]) -> Fact | None:
    """Return the question a reply ends with."""
    spoken = [piece for piece in pieces if piece.prose and piece.text.strip()]
    if not spoken:
        return None
    last = spoken[-1]
    text = last.text[-ENDING:]
    if "?" not in text and "？" not in text:
        return None
    asked = [text[start:stop] for start, stop in sentences(text)][-3:]
    questions = [words for words in asked if words.rstrip("*_\"') ").endswith(("?", "？"))]
    if questions:
        return Fact("open", clip_sentence(questions[-1]), "assistant", last.block, OFFER, "next")
    return None


FACTS_MOST = 256
"""What one message may open and close."""

_NO_REPLY = ("No response requested", "API Error", "[Request interrupted", "(no content)")
"""What programs write in an assistant's place when it said nothing."""


def read_open_loops(message: Message) -> Iterator[Fact]:
    """Return what a message opens and closes, in order."""
    return islice(_loop_facts(message), FACTS_MOST)


def _loop_facts(message: Message) -> Iterator[Fact]:
    for at, block in enumerate(message.blocks):
        if isinstance(block, Result):
            yield Fact("close", "", "tool", at, block.call or "", "call")
    if message.role == "user" and message.by == "caller":
        yield from read_requests(message, list(split_by_author(message)))
    elif message.role == "assistant":
        yield from _message_facts(message)


def _message_facts(message: Message) -> Iterator[Fact]:
    spoken = [piece for piece in split_by_author(message) if piece.trust == "assistant"]
    busy = bool(message.calls)
    if not busy:
        text = "".join(piece.text for piece in spoken).strip()
        note = "thought" if not text or text.startswith(_NO_REPLY) else "reply"
        yield Fact("close", "", "assistant", 0, "", note)
    yield from find_next_steps(spoken, busy=busy)
    if not busy:
        offer = closing_question(spoken)
        if offer is not None:
            yield offer
    for at, block in enumerate(message.blocks):
        if isinstance(block, Call):
            yield Fact("open", block.name, "assistant", at, block.id or "", "call")


class OpenLoops(Value, frozen=True):
    """What is open after so many messages."""

    asks: tuple[FactAt, ...] = ()
    answered: tuple[FactAt, ...] = ()
    """Closed by the newest reply, which was none if the assistant goes on at once."""
    replied: int = -1
    later: tuple[FactAt, ...] = ()
    """What a person left for later, the newest; it stands until people call it off."""
    steps: tuple[FactAt, ...] = ()
    offers: tuple[FactAt, ...] = ()
    calls: tuple[FactAt, ...] = ()
    answering: bool = False
    """Whether results have begun to come for the newest calls."""
    worked: bool = False
    """Whether anything was called since the newest reply."""

    @property
    def still_open(self) -> list[FactAt]:
        """All that is open, in the order in which it was said."""
        groups = (self.asks, self.later, self.steps, self.calls)
        return sorted((stated for group in groups for stated in group), key=lambda each: each[0])

    def plus(self, position: int, facts: Iterable[Fact]) -> OpenLoops:
        """Return it with what one more message says."""
        loops = self
        for fact in facts:
            if fact.kind in ("open", "close"):
                loops = _HANDLERS[fact.kind, fact.note](loops, position, fact)
        return loops


def on_ask(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    """Open a request; only a go-ahead takes up what was offered."""
    taken: tuple[FactAt, ...] = ()
    if fact.key in (GO, NOD):
        taken = loops.offers
    asks = loops.asks
    if taken or fact.key != NOD:
        asks = (*asks, (at, fact))[-ASKS_MOST:]
    return replace(
        loops,
        asks=asks,
        steps=loops.steps + taken,
        offers=(),
        calls=(),
        answered=(),
        replied=-1,
    )


def on_later(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    before = tuple(stated for stated in loops.later if stated[1].words != fact.words)
    return replace(loops, later=(*before, (at, fact))[-LATER_MOST:], answered=(), replied=-1)


def on_call_off(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    return replace(loops, asks=(), later=(), steps=(), offers=(), calls=(), answered=(), replied=-1)


def on_reply(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    """Close announced steps, unless nothing was done before the reply."""
    done = tuple(step for step in loops.steps if loops.worked or step[1].key == OFFER)
    # A reply in two messages is one: what the first part answered is not asked again.
    before: tuple[FactAt, ...] = ()
    if loops.replied == at - 1:
        before = loops.answered
    return replace(
        loops,
        asks=(),
        answered=before + loops.asks + done,
        replied=at,
        steps=tuple(step for step in loops.steps if step not in done),
        offers=(),
        calls=(),
        worked=False,
    )


def on_thought(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    """Pass over thinking that a provider sends between the words and the calls of a turn."""
    if 0 <= loops.replied == at - 1:
        return replace(loops, replied=at)
    return loops


def on_step(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    if fact.key == OFFER:
        return replace(loops, offers=((at, fact),))
    # A newer plan takes the place of the older one.
    same = tuple(step for step in loops.steps if step[0] == at)
    return replace(loops, steps=(*same, (at, fact)))


def on_call(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    """Open a call; if it comes right after a reply, take back what the reply closed."""
    if loops.replied >= 0 and at == loops.replied + 1:
        asks = tuple(one for one in loops.answered if one[1].trust == "person")
        steps = tuple(one for one in loops.answered if one[1].trust != "person")
        loops = replace(loops, asks=asks, steps=steps, offers=())
    # Once results have come, a call begins a new batch, and the old one is over.
    calls: tuple[FactAt, ...] = ((at, fact),)
    if not loops.answering:
        calls = (*loops.calls, (at, fact))
    return replace(loops, calls=calls, answering=False, worked=True, answered=(), replied=-1)


def on_result(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    call = next((one for one in loops.calls if one[1].key == fact.key), None)
    left = tuple(one for one in loops.calls if one is not call)
    return replace(loops, calls=left, answering=True)


_HANDLERS = {
    ("open", "ask"): on_ask,
    ("open", "later"): on_later,
    ("close", "ask"): on_call_off,
    ("close", "reply"): on_reply,
    ("close", "thought"): on_thought,
    ("open", "next"): on_step,
    ("open", "call"): on_call,
    ("close", "call"): on_result,
}
