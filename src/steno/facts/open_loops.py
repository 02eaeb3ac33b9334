"""Open loops: what is asked, left for later or called, and not yet settled.

`read_open_loops` finds what one message opens and closes; `OpenLoops` adds messages up,
one after the other, so that a turn costs what is new in it. A person's request stands
until a reply without calls follows, what a person left for later until people call off. Failing
tests are known by `failures`, tasks that tools keep by `tasks`. What a reply says is still to be
done stands until a reply after work; the question that it ends with is open once a person answers
it in few words. The words of a tool open nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec.structs import replace

from steno.core.message import Call, Message, Result, Value
from steno.facts.authorship import AuthoredText, split_by_author
from steno.facts.fact import Fact, FactAt
from steno.facts.requests import ANSWER, read_requests
from steno.facts.sentences import clip_sentence, cued_sentences, sentences

LATER_MOST, ASKS_MOST = 8, 256
"""What is left for later, and requests without a reply, at most: the newest."""
ENDING = 600
"""Characters from the end of a reply in which its closing question stands."""
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
    if not message.calls:
        spoken = [piece for piece in split_by_author(message) if piece.trust == "assistant"]
        text = "".join(piece.text for piece in spoken).strip()
        note = "thought" if not text or text.startswith(_NO_REPLY) else "reply"
        yield Fact("close", "", "assistant", 0, "", note)
        for piece in (piece for piece in spoken if piece.prose):
            for words, _ in islice(cued_sentences(piece.text, "later"), LATER_MOST):
                yield Fact("open", words, "assistant", piece.block, note="next")
        yield from _closing_question(spoken)
    for at, block in enumerate(message.blocks):
        if isinstance(block, Call):
            yield Fact("open", block.name, "assistant", at, block.id or "", "call")


def _closing_question(spoken: list[AuthoredText]) -> Iterator[Fact]:
    """Yield the question that a reply ends with."""
    for piece in [piece for piece in spoken if piece.prose and piece.text.strip()][-1:]:
        text = piece.text[-ENDING:]
        said = [text[start:stop] for start, stop in sentences(text)][-3:]
        asked = [words for words in said if words.rstrip("*_\"') ").endswith(("?", "？"))]
        for words in asked[-1:]:
            yield Fact("open", clip_sentence(words), "assistant", piece.block, note="offered")


class OpenLoops(Value):
    """What is open after so many messages."""

    asks: tuple[FactAt, ...] = ()
    """Requests without a reply, and what the assistant offered that they answer."""
    offers: tuple[FactAt, ...] = ()
    """The question that the newest reply ends with."""
    answered: tuple[FactAt, ...] = ()
    """Closed by the newest reply, which was none if the assistant goes on at once."""
    replied: int = -1
    later: tuple[FactAt, ...] = ()
    """What a person left for later, the newest; it stands until people call it off."""
    steps: tuple[FactAt, ...] = ()
    """What the newest reply with such words says is still to be done."""
    worked: bool = False
    """Whether anything was called since the newest reply."""
    calls: tuple[FactAt, ...] = ()
    answering: bool = False
    """Whether results have begun to come for the newest calls."""

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
    taken = loops.offers if fact.key == ANSWER else ()
    asks = (*loops.asks, *taken, (at, fact))[-ASKS_MOST:]
    return replace(loops, asks=asks, offers=(), calls=(), answered=(), replied=-1)


def on_offer(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    return replace(loops, offers=((at, fact),))


def on_next(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    together = tuple(step for step in loops.steps if step[0] == at)
    return replace(loops, steps=(*together, (at, fact))[-LATER_MOST:])


def on_later(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    before = tuple(stated for stated in loops.later if stated[1].words != fact.words)
    return replace(loops, later=(*before, (at, fact))[-LATER_MOST:], answered=(), replied=-1)


def on_call_off(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    return OpenLoops(answering=loops.answering)


def on_reply(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    # A reply in two messages is one: what the first part answered is not asked again.
    before = loops.answered if loops.replied == at - 1 else ()
    steps = () if loops.worked else loops.steps
    closed = replace(loops, asks=(), offers=(), calls=(), steps=steps, worked=False)
    return replace(closed, answered=before + loops.asks, replied=at)


def on_thought(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    """Pass over thinking that a provider sends between the words and the calls of a turn."""
    if 0 <= loops.replied == at - 1:
        return replace(loops, replied=at)
    return loops


def on_call(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    """Open a call; if it comes right after a reply, take back what the reply closed."""
    if loops.replied >= 0 and at == loops.replied + 1:
        loops = replace(loops, asks=loops.answered, offers=())
    # Once results have come, a call begins a new batch, and the old one is over.
    calls: tuple[FactAt, ...] = ((at, fact),)
    if not loops.answering:
        calls = (*loops.calls, (at, fact))
    return replace(loops, calls=calls, answering=False, answered=(), replied=-1, worked=True)


def on_result(loops: OpenLoops, at: int, fact: Fact) -> OpenLoops:
    call = next((one for one in loops.calls if one[1].key == fact.key), None)
    left = tuple(one for one in loops.calls if one is not call)
    return replace(loops, calls=left, answering=True)


_HANDLERS = {
    ("open", "ask"): on_ask,
    ("open", "later"): on_later,
    ("open", "next"): on_next,
    ("close", "ask"): on_call_off,
    ("close", "reply"): on_reply,
    ("open", "offered"): on_offer,
    ("close", "thought"): on_thought,
    ("open", "call"): on_call,
    ("close", "call"): on_result,
}
