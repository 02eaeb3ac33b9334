"""Long talks: what people stated stays visible, small talk and echoes go first."""

from __future__ import annotations

import random
from typing import Any

import pytest

import steno
from steno import Session
from steno.summary.compose import Composer
from steno.summary.past import Past
from steno.summary.people_words import PeopleWords
from steno.summary.shorten import split_parts
from steno.summary.words import first_sentences, typed_caps
from tests.support.promises import proves

WINDOW = 6_000
WORDS = ("harbour", "ledger", "invoice", "ferry", "column", "parser", "branch", "cache", "queue")
PLANNED = "Understood, I carry on as planned."
STATED = {
    "limit": "The budget for the fair is $7,310 in all. Ask before you go over it.",
    "value": "The staging host is kestrel.internal and it runs Postgres 15.",
    "wish": "The user prefers one firm recommendation to a list of options.",
    "state": "Next step is the import of the old ledgers, part 3 of 5.",
    "person": "The approver this week is Odile Marchetti.",
    "marked": "IMPORTANT: the ferry company bills twice in leap years.",
}


def small_talk(draw: random.Random) -> str:
    sentences = [" ".join(draw.choices(WORDS, k=10)).capitalize() + "." for _ in range(3)]
    return " ".join(sentences)


def talk(turns: int = 240) -> list[dict[str, Any]]:
    """A conversation of our own making: six statements in the first half, else small talk."""
    draw = random.Random(3)
    places = dict(zip(range(10, 10 + 12 * len(STATED), 12), STATED.values(), strict=True))
    said: list[dict[str, Any]] = []
    for turn in range(turns):
        said.append({"role": "user", "content": places.get(turn, small_talk(draw))})
        said.append({"role": "assistant", "content": small_talk(draw) if turn % 8 else PLANNED})
    return said


def shown(messages: list[dict[str, Any]]) -> str:
    with Session(wire="openai", window=WINDOW) as session:
        for message in messages:
            session.add(message)
            session.messages()
        assert len(session.log.commits) > 1
        return "\n".join(str(message["content"]) for message in session.messages())


@pytest.mark.slow
@proves("summary.statements")
def test_what_people_stated_stays_word_for_word_in_a_long_talk() -> None:
    text = shown(talk())
    assert [kind for kind, words in STATED.items() if words not in text] == []


@pytest.mark.slow
@proves("summary.statements")
def test_a_repeated_reply_is_shown_once() -> None:
    text = shown(talk())
    told = text.count(f"ASSISTANT: {PLANNED}")
    assert told <= 12


@proves("summary.statements")
def test_messages_that_state_something_shrink_after_the_others() -> None:
    sizes = {0: 50, 1: 60, 2: 60, 3: 60, 4: 50}
    caps = typed_caps(sizes, 190, newest=4, first=0, floors={2: 45})
    assert caps[2] >= 45 > caps[1] and sum(caps.values()) <= 190
    bare = typed_caps(sizes, 190, newest=4, first=0)
    assert bare[2] < 45 and sum(bare.values()) <= 190
    # Where nothing else is left to give, they shrink too.
    tight = typed_caps(sizes, 110, newest=4, first=0, floors={1: 60, 2: 60, 3: 60})
    assert sum(tight.values()) <= 110


def past_of(session: Session, room: float) -> Past:
    draft = session._parts.journal.draft("asked")
    stretches = draft.stretches()
    parts = [part for first, last in stretches for part in split_parts(draft, first, last)]
    return Past(draft, parts, room)


@pytest.fixture
def held() -> Session:
    session = Session(wire="openai", window=WINDOW * 4)
    for message in talk(60):
        more = " And that is all there is to say of it now."
        session.add(message | {"content": message["content"] + more})
    return session


@proves("summary.eras")
def test_requests_beside_an_earlier_summary_stay_separate(held: Session) -> None:
    past = past_of(held, 300)
    past.reused_positions = frozenset(range(20, 31))
    told: set[int] = set()
    for request in PeopleWords(past).requests:
        if request.start not in past.reused_positions:
            told.update(range(request.start, request.stop))
    fresh = {at for at in past.story.typed if at < past.stop} - past.reused_positions
    assert fresh <= told and not told & past.reused_positions


@proves("summary.eras")
def test_old_requests_fold_behind_an_earlier_cover(held: Session) -> None:
    composer = Composer(past_of(held, 1_000))
    composer.past.reused = frozenset({4})
    assert composer._fold_oldest() > 0
    folded = composer.past.choice.folded
    assert folded.start == composer.past.parts[4].span.stop < folded.stop


@proves("summary.eras")
def test_no_message_is_hidden_behind_words_that_take_more_room(held: Session) -> None:
    composer = Composer(past_of(held, 1_000))
    composer.past.choice.whole = set(composer.past.story.typed)
    stays = composer.stays()
    assert set(range(len(composer.past.parts) - 1)) <= stays.keys()


@proves("summary.statements")
def test_constraints_that_fill_a_small_window_leave_people_the_rest_of_it(held: Session) -> None:
    past = past_of(held, 600)
    past.reserved = 450
    people = PeopleWords(past)
    assert people.keep_typed() <= 150 + 2 * 40
    assert any(words in told for words in STATED.values() for told in past.choice.told.values())


@proves("summary.statements")
def test_of_two_values_that_differ_the_later_stands_after_the_earlier() -> None:
    said = talk(30)
    said[21]["content"] = said[41]["content"] = "Noted."
    said[20]["content"] = "The deadline must be 2031-04-02 in every plan."
    said[40]["content"] = "The deadline must be 2031-09-17 in every plan."
    text = str(steno.compact(said, wire="openai", window=600, reserve=0).messages)
    assert 0 < text.rfind("2031-04-02") < text.rfind("2031-09-17")


@proves("summary.statements")
@pytest.mark.parametrize("room", [60, 100, 140, 220])
def test_what_a_person_typed_goes_before_what_a_program_put_around_it(room: int) -> None:
    note = "Each workspace has a folder for notes that other agents read. " * 8
    with Session(wire="openai", window=WINDOW) as session:
        for branch in ("quartz", "basalt", "granite"):
            said = f"<system_instruction>\n{note}\n</system_instruction>\n\nMerge {branch} today."
            session.add({"role": "user", "content": said}, {"role": "assistant", "content": "Ok."})
        session.add({"role": "user", "content": "Go on."})
        past = past_of(session, room)
        PeopleWords(past).keep_typed()
    shown = "\n".join([*past.choice.told.values(), *past.choice.cut.values()])
    assert "Merge quartz today." in shown


def test_a_short_beginning_is_not_all_that_is_shown_of_a_text() -> None:
    said = "My answers:\n1. In the database that the user configured\n2. without the journal"
    assert "In the database" in first_sentences(said * 3, 80)
