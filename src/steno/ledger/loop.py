"""Open loops: what is asked, planned, announced, called or failing, and not yet settled.

`read` says what one message opens and closes; `Loops` adds messages up, one
after the other, so that a turn costs what is new in it. A person's ask stands
until a reply without calls follows; a to-do item until its list says otherwise;
a failing test until a run of it passes. A tool's words open nothing: that a
test fails is computed, in the words of the assistant's own command.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from msgspec.structs import replace as altered

from steno.core.message import Call, Message, Result, Text
from steno.ledger import testrun, todo
from steno.ledger.announced import OFFER, announced, boxes, offered
from steno.ledger.asking import GO, NOD, asked
from steno.ledger.fact import Fact
from steno.ledger.voice import Piece, pieces

FACTS_MOST = 256
"""What one message may open and close."""

Stated = tuple[int, Fact]

_NO_REPLY = ("No response requested", "API Error", "[Request interrupted", "(no content)")
"""What programs write in an assistant's place when it said nothing."""


def read(message: Message) -> Iterator[Fact]:
    """What a message opens and closes, in order."""
    return islice(_read(message), FACTS_MOST)


def _read(message: Message) -> Iterator[Fact]:
    for at, block in enumerate(message.blocks):
        if isinstance(block, Result):
            yield _returned(block, at)
    if message.role == "user" and message.by == "caller":
        yield from asked(message, list(pieces(message)))
    elif message.role == "assistant":
        yield from _told(message)


def _returned(result: Result, at: int) -> Fact:
    text = result.text
    number = todo.number_of(text)
    state = f"task {number}" if number else testrun.ended(text)
    return Fact("close", "", "tool", at, result.call or "", f"call {state}".strip())


def _told(message: Message) -> Iterator[Fact]:
    said = [piece for piece in pieces(message) if piece.trust == "assistant"]
    # Thinking is not said to anybody.
    spoken = [piece for piece in said if isinstance(message.blocks[piece.block], Text)]
    busy = any(True for _ in message.calls)
    if not busy:
        yield Fact("close", "", "assistant", 0, "", "reply" if _is_reply(spoken) else "thought")
    yield from _ticked(spoken)
    yield from announced(spoken, busy=busy)
    offer = None if busy else offered(spoken)
    if offer is not None:
        yield offer
    for at, block in enumerate(message.blocks):
        if isinstance(block, Call):
            command = testrun.command_of(block)
            note = "call test" if command else "call"
            yield Fact("open", command or block.name, "assistant", at, block.id or "", note)
            yield from todo.listed(block, at)


def _is_reply(spoken: list[Piece]) -> bool:
    text = "".join(piece.text for piece in spoken).strip()
    return bool(text) and not text.startswith(_NO_REPLY)


def _ticked(spoken: list[Piece]) -> Iterator[Fact]:
    found = list(boxes(spoken))
    if found:
        yield Fact("close", "", "assistant", found[0][2], "", "box")
    for words, done, block in found:
        if not done:
            yield Fact("open", words, "assistant", block, words[:80], "box")


@dataclass(frozen=True)
class Loops:
    """What is open after so many messages."""

    asks: tuple[Stated, ...] = ()
    answered: tuple[Stated, ...] = ()
    """Closed by the newest reply, which was none if the assistant goes on at once."""
    replied: int = -1
    steps: tuple[Stated, ...] = ()
    offers: tuple[Stated, ...] = ()
    items: tuple[Stated, ...] = ()
    boxes: tuple[Stated, ...] = ()
    tasks: tuple[Stated, ...] = ()
    """Open tasks; the key is the call that made one until its tool has given a number."""
    calls: tuple[Stated, ...] = ()
    answering: bool = False
    """Whether results have begun to come for the newest calls."""
    worked: bool = False
    """Whether anything was called since the newest reply."""
    tests: tuple[Stated, ...] = ()

    @property
    def standing(self) -> list[Stated]:
        """All that is open, in the order in which it was said."""
        groups = (self.asks, self.steps, self.items, self.boxes, self.tasks, self.tests, self.calls)
        return sorted((stated for group in groups for stated in group), key=_position)

    def plus(self, position: int, facts: Iterable[Fact]) -> Loops:
        """With what one more message says."""
        loops = self
        for fact in facts:
            if fact.kind in ("open", "close"):
                loops = _RULES[fact.kind, fact.note.partition(" ")[0]](loops, position, fact)
        return loops


def standing(stated: Iterable[Stated]) -> list[Stated]:
    """What is still open in the end, in order."""
    loops = Loops()
    for position, fact in stated:
        loops = loops.plus(position, (fact,))
    return loops.standing


def an_ask_stands(loops: Loops, at: int, fact: Fact) -> Loops:
    """Calls left without a result are mended by then; what was offered is taken up by a go-ahead only."""
    taken = loops.offers if fact.key in (GO, NOD) else ()
    asks = loops.asks if fact.key == NOD and not taken else (*loops.asks, (at, fact))
    return replace(loops, asks=asks, steps=loops.steps + taken, offers=(), calls=(), answered=(), replied=-1)


def calling_off_closes(loops: Loops, at: int, fact: Fact) -> Loops:
    return replace(loops, asks=(), steps=(), offers=(), calls=(), answered=(), replied=-1)


def a_reply_answers(loops: Loops, at: int, fact: Fact) -> Loops:
    """Announced steps outlive a reply before which nothing was done."""
    done = tuple(step for step in loops.steps if loops.worked or step[1].key == OFFER)
    before = loops.answered if loops.replied == at - 1 else ()
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


def a_thought_answers_nothing(loops: Loops, at: int, fact: Fact) -> Loops:
    """Some providers send it as a message of its own, between the words and the calls of one turn."""
    return replace(loops, replied=at) if 0 <= loops.replied == at - 1 else loops


def a_step_replaces_older_ones(loops: Loops, at: int, fact: Fact) -> Loops:
    if fact.key == OFFER:
        return replace(loops, offers=((at, fact),))
    same = tuple(step for step in loops.steps if step[0] == at)
    return replace(loops, steps=(*same, (at, fact)))


def a_call_waits(loops: Loops, at: int, fact: Fact) -> Loops:
    """An assistant that calls right after its words had not replied."""
    if loops.replied >= 0 and at == loops.replied + 1:
        asks = tuple(one for one in loops.answered if one[1].trust == "person")
        steps = tuple(one for one in loops.answered if one[1].trust != "person")
        loops = replace(loops, asks=asks, steps=steps, offers=())
    waiting = () if loops.answering else loops.calls
    calls = (*waiting, (at, fact))
    return replace(loops, calls=calls, answering=False, worked=True, answered=(), replied=-1)


def a_result_ends_its_call(loops: Loops, at: int, fact: Fact) -> Loops:
    call = next((one for one in loops.calls if one[1].key == fact.key), None)
    state, _, number = fact.note.removeprefix("call").strip().partition(" ")
    loops = replace(loops, calls=tuple(one for one in loops.calls if one is not call), answering=True)
    if state == "task":
        return _numbered(loops, fact.key, number)
    if call is None or not state or call[1].note != "call test":
        return loops
    run = call[1].words
    tests = tuple(one for one in loops.tests if not testrun.stands_for(run, one[1].words))
    failing = ((call[0], altered(call[1], key=run, note="test")),) if state == "failed" else ()
    return replace(loops, tests=tests + failing)


def _numbered(loops: Loops, key: str, number: str) -> Loops:
    tasks = tuple((at, altered(task, key=number) if task.key == key else task) for at, task in loops.tasks)
    return replace(loops, tasks=tasks)


def a_list_replaces_the_older(loops: Loops, at: int, fact: Fact) -> Loops:
    # Calls of one message may each hold a part of the list.
    return replace(loops, items=tuple(one for one in loops.items if one[0] == at))


def an_item_stands(loops: Loops, at: int, fact: Fact) -> Loops:
    return replace(loops, items=(*loops.items, (at, fact)))


def boxes_replace_the_older(loops: Loops, at: int, fact: Fact) -> Loops:
    return replace(loops, boxes=())


def a_box_stands(loops: Loops, at: int, fact: Fact) -> Loops:
    return replace(loops, boxes=(*loops.boxes, (at, altered(fact, note="todo"))))


def a_task_is_made_or_changed(loops: Loops, at: int, fact: Fact) -> Loops:
    note = fact.note.replace("task", "todo")
    known = any(task.key == fact.key for _, task in loops.tasks)
    if not known and fact.note == "task pending":
        return replace(loops, tasks=(*loops.tasks, (at, altered(fact, note=note))))
    tasks = tuple(
        (when, altered(task, note=note, words=fact.words or task.words) if task.key == fact.key else task)
        for when, task in loops.tasks
    )
    return replace(loops, tasks=tasks)


def a_task_ends(loops: Loops, at: int, fact: Fact) -> Loops:
    return replace(loops, tasks=tuple(one for one in loops.tasks if one[1].key != fact.key))


def _position(stated: Stated) -> int:
    return stated[0]


_RULES = {
    ("open", "ask"): an_ask_stands,
    ("close", "ask"): calling_off_closes,
    ("close", "reply"): a_reply_answers,
    ("close", "thought"): a_thought_answers_nothing,
    ("open", "next"): a_step_replaces_older_ones,
    ("open", "call"): a_call_waits,
    ("close", "call"): a_result_ends_its_call,
    ("close", "todo"): a_list_replaces_the_older,
    ("open", "todo"): an_item_stands,
    ("close", "box"): boxes_replace_the_older,
    ("open", "box"): a_box_stands,
    ("open", "task"): a_task_is_made_or_changed,
    ("close", "task"): a_task_ends,
}
