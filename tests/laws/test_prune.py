"""What is true of everything that is pruned: its words are still shown, it opens, and it names
where it went.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import strategies as st

from steno import Log, Message, Policy, Session, View
from steno.core.draft import Draft
from steno.core.fence import Fence
from steno.core.message import Block, Call, Result, Text
from steno.engine.apply import apply_proposals
from steno.lab.text import full_text, plain_lines
from steno.providers import decode_messages, get_wire
from steno.rungs import Offload, Prune, Truncate
from steno.rungs.prune import PruneNote
from steno.tails import Share
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.provider_json import WIRES
from tests.support.repeating_sessions import sessions
from tests.support.session_cases import METER, Case, cases
from tests.support.view_checks import problems

pytestmark = pytest.mark.slow

Json = dict[str, Any]
LINE_LEAST = 24
"""Characters of a line that cannot stand somewhere else by chance."""
POLICY = Policy(ladder=(Prune(), Offload(), Truncate()))
LISTS = st.sampled_from(WIRES).flatmap(lambda wire: st.tuples(st.just(wire), sessions(wire)))
LONG = st.sampled_from(WIRES).flatmap(
    lambda wire: st.tuples(st.just(wire), sessions(wire, least=25))
)


def drafted(wire: str, messages: list[Json], *, pins: frozenset[int] = frozenset()) -> Draft:
    """A draft that nothing but pruning could make fit."""
    log = Log().with_messages(decode_messages(get_wire(wire), messages))
    view = View.of(log, get_wire(wire).terms, METER)
    bare = Draft(view, POLICY.budget(4_000, 0), "hard", base=0, pins=pins)
    draft = bare.begun(Share(0.3))
    return replace(draft, goal=1)


def pruned(draft: Draft) -> Draft:
    after = apply_proposals(Prune().edit(draft, ()), draft, POLICY)
    assert after.findings == ()
    return after


def notes(view: View) -> Iterator[tuple[PruneNote, Block]]:
    """Every note that a view shows, with the block as it was said."""
    for item in view.items:
        for at, _, shown in view.blocks(item):
            for block in shown:
                for text in texts(block):
                    note = PruneNote.parse(text, (item.span.start, at))
                    if note:
                        yield note, view.messages[item.span.start].blocks[at]


def texts(block: Block) -> list[str]:
    match block:
        case Result():
            return [block.text]
        case Call():
            return [
                value for value in json.loads(block.arguments).values() if isinstance(value, str)
            ]
    return []


def shown_at(view: View, place: tuple[int, int]) -> Block:
    return next(shown[0] for at, _, shown in view.blocks(view.at(place[0])) if at == place[1])


def lines(block: Block) -> set[str]:
    """As the measures of replay read them, which know nothing of pruning."""
    message = Message("tool", (block,))
    return {line for line in plain_lines(full_text(message)) if len(line) >= LINE_LEAST}


@proves("prune.words")
@hit_rate(at_least=0.8, of="something was pruned as the same or alike")
@given(LISTS)
def test_every_line_of_what_is_pruned_is_shown_by_the_block_it_names_or_in_its_place(
    said: Any,
) -> None:
    after = pruned(drafted(*said)).view
    alike = False
    for note, block in notes(after):
        named = shown_at(after, note.by)
        assert isinstance(block, Call | Result) and Fence.parse("".join(texts(named)[:1])) is None
        assert note.by > note.place
        if note.how == "same":
            assert named.text == block.text and named.error == block.error
        if note.how != "newer":
            left = lines(Result(None, (Text("\n".join(note.lacks)),)))
            assert lines(block) <= lines(named) | left
            alike = True
    hit(alike)


@proves("prune.newer")
@hit_rate(at_least=0.5, of="something was pruned for what is newer")
@given(LISTS)
def test_what_is_newer_answers_the_same_question_and_did_not_fail(said: Any) -> None:
    after = pruned(drafted(*said)).view
    calls = {call.id: call for message in after.messages for call in message.calls}
    answers = {result.call: result for message in after.messages for result in message.results}
    newer = False
    for note, block in notes(after):
        named = after.messages[note.by[0]].blocks[note.by[1]]
        if note.how != "newer":
            continue
        newer = True
        older = block if isinstance(block, Call) else calls[block.call]
        later = named if isinstance(named, Call) else calls[named.call]
        asked, again = json.loads(older.arguments), json.loads(later.arguments)
        assert not answers[later.id].error
        assert not isinstance(block, Result) or not block.error
        assert (older.name == later.name == "TodoWrite") or asked == again or _written(asked, again)
        newest = [call.id for call in calls.values() if call.name == "TodoWrite"][-1:]
        assert later.name != "TodoWrite" or [later.id] == newest
    hit(newer)


def _written(asked: Json, again: Json) -> bool:
    """A whole read, and a later write of that file."""
    return (
        asked.keys() == {"path"}
        and again.keys() == {"path", "content"}
        and asked["path"] == again["path"]
    )


@proves("prune.kept")
@hit_rate(at_least=0.8, of="something was pruned", examples=100)
@given(LISTS, st.frozensets(st.integers(0, 30), max_size=6))
def test_tail_pins_small_blocks_and_failures_are_not_pruned(
    said: Any, pins: frozenset[int]
) -> None:
    draft = drafted(*said, pins=pins)
    after = pruned(draft).view
    hidden = {note.place: block for note, block in notes(after)}
    hows = {note.place: note.how for note, _ in notes(after)}
    for (position, at), block in hidden.items():
        assert position < draft.tail_start and position not in draft.pins
        assert draft.view.weights[position][at] >= Prune().least
        if isinstance(block, Result):
            assert hows[position, at] == "same" or not block.error
    assert sum(item.tokens for item in after.items) < draft.view.raw or not hidden
    hit(hidden)


@proves("log.open")
@hit_rate(at_least=0.6, of="something pruned was shown", examples=30)
@given(LONG, st.sampled_from((3_000, 5_000, 7_000)))
def test_what_is_pruned_opens_word_for_word_and_every_view_is_legal(said: Any, window: int) -> None:
    wire, messages = said
    session = Session(wire=wire, window=window, reserve=0, policy=POLICY, meter=METER)
    seen = False
    for message in messages:
        session.add(message)
        if message["role"] == "assistant":
            continue
        assert problems(session) == []
        for note, block in notes(session.view):
            seen = True
            assert session.open(f"{note.place[0]}.{note.place[1]}") == block
            whole = block.arguments if isinstance(block, Call) else block.text
            assert note.characters == len(whole)
    assert [session.open(n) for n in range(len(messages))] == messages
    hit(seen)


@proves("log.open")
@hit_rate(at_least=0.3, of="something was pruned")
@given(cases(broken=True, intake=False, fills=(0.5, 0.7, 0.9)))
def test_of_a_broken_conversation_told_twice_no_more_is_refused_than_before(case: Case) -> None:
    policy = case.policy.but(ladder=(Prune(least=1, share=0.5),))
    session = case.session(policy=policy, window=10**6)
    session.add(*case.messages, *case.messages)
    before = problems(session)  # cache marks and ids of a provider's own tools cannot be told twice
    session.compact()

    assert len(problems(session)) <= len(before)
    assert [session.open(n) for n in range(2 * len(case.messages))] == [
        *case.messages,
        *case.messages,
    ]
    hit(any(edit.by == "prune" for commit in session.log.commits for edit in commit.edits))


@proves("prune.words")
@hit_rate(at_least=0.5, of="a note was led on", examples=30)
@given(LONG)
def test_a_note_never_names_what_is_itself_hidden(said: Any) -> None:
    wire, messages = said
    led, before = False, {}
    draft = drafted(wire, messages[:1])
    for end in range(7, len(messages), 6):
        view = draft.view.with_messages(decode_messages(get_wire(wire), messages[end - 6 : end]))
        draft = pruned(replace(draft, view=view, tail_start=end))
        now = {note.place: note for note, _ in notes(draft.view)}
        for place, note in now.items():
            assert (
                note.by not in now
                or len("\n".join((*note.lacks, *now[note.by].lacks))) >= Prune().keep
            )
            led = led or (place in before and before[place].by != note.by)
        before = now
    hit(led)


@proves("prune.resent")
@hit_rate(at_least=0.6, of="a note came back")
@given(LISTS)
def test_a_list_that_came_back_keeps_its_notes(said: Any) -> None:
    wire, messages = said
    session = Session(
        wire=wire, window=6_000, reserve=0, policy=POLICY.but(ladder=(Prune(),)), meter=METER
    )
    session.add(*messages)
    session.compact()
    sent = {note.place: note for note, _ in notes(session.view)}

    again = pruned(drafted(wire, session.messages())).view

    back = {note.place: note for note, _ in notes(again)}
    for place, note in sent.items():
        assert back[place].place == note.place and back[place].characters == note.characters
        assert back[place].by >= note.by
    hit(sent)
