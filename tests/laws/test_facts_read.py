"""The ledger of a log is the same however it was read: at once, bit by bit, on another branch,
from a store.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import strategies as st

import steno
from steno.core.message import Call, Message, Result, Text, user_message
from steno.core.tape import Tape
from steno.facts import artifacts, failures, open_loops
from steno.facts.fact import FACTS_VERSION, decode_facts, encode_facts
from steno.facts.ledger import Ledger, adopt_facts, facts_of, facts_so_far
from steno.facts.tasks import fold_tasks
from steno.providers import decode_messages, get_wire
from steno.store.in_process import MemoryStore
from steno.summary.story import fold_story
from steno.summary.worth import fold_rarity
from tests.support.coding_sessions import session as coming_back
from tests.support.constraint_sessions import sessions
from tests.support.faulty_store import FaultyStore
from tests.support.promises import given, hit, hit_rate, proves

pytestmark = pytest.mark.slow

READ_BY_THIS_VOCABULARY = "241f96ad47558e74"
"""Of the facts of `SAID`. Where it changes, readers have changed: raise `FACTS_VERSION` in
`facts/fact.py` with it.
"""


def told(seed: int, turns: int) -> list[Message]:
    return decode_messages(get_wire("openai"), coming_back(seed, turns))


talks = st.builds(told, st.integers(0, 2**16), st.integers(4, 24)) | sessions().map(
    lambda made: decode_messages(get_wire("openai"), made.messages)
)


def added_up(ledger: Ledger) -> list[Any]:
    """All that a ledger says."""
    return [
        ledger.facts,
        ledger.constraints,
        ledger.open_loops,
        ledger.artifacts,
        list(ledger.errors),
        list(ledger.decisions),
        list(ledger.doubts),
    ]


def still_open(stated: Sequence[tuple[int, Any]]) -> list[Any]:
    loops = open_loops.OpenLoops()
    for at, fact in stated:
        loops = loops.plus(at, (fact,))
    return loops.still_open


def pinned_one_by_one(stated: Sequence[tuple[int, Any]]) -> list[Any]:
    newest = {fact.words: (at, fact) for at, fact in stated if fact.kind == "constraint"}
    return [each for each in stated if each in newest.values()]


def one_by_one(messages: Sequence[Message]) -> list[Any]:
    """The same, fact by fact, without anything that was read before."""
    stated = [(at, fact) for at, message in enumerate(messages) for fact in facts_of(message)]
    said = ((at, message, facts_of(message)) for at, message in enumerate(messages))
    pinned = pinned_one_by_one(stated)
    words = {fact.words for _, fact in pinned}
    return [
        tuple(stated),
        pinned,
        [each for each in still_open(stated) if each[1].words not in words],
        list(artifacts.Artifacts().plus(stated).things.values()),
        list(failures.Failures().plus(said).failed),
        [each for each in stated if each[1].kind == "decision"],
        [each for each in stated if each[1].kind == "marker"],
    ]


def looked_at(messages: Tape[Message]) -> list[Any]:
    """All that is folded from a log beside its facts: the story, the tasks, how rare words are."""
    story, rarity = messages.fold(fold_story), messages.fold(fold_rarity)
    return [
        [list(story.typed), list(story.deeds), list(story.answers)],
        [dict(story.pending), dict(story.changed)],
        [story.last_test, story.last_run, story.last_commit, story.last_errors],
        dict(messages.fold(fold_tasks).tasks),
        [rarity.texts, dict(rarity.holding)],
    ]


@proves("facts.same")
@hit_rate(at_least=0.9, of="there were facts", examples=40)
@given(talks, st.lists(st.floats(0, 1), max_size=5))
def test_reading_on_comes_to_the_same_as_reading_at_once(
    messages: list[Message], cuts: list[float]
) -> None:
    hit(any(map(facts_of, messages)))
    tape: Tape[Message] = Tape()
    for cut in (*cuts, 1.0):  # also backwards: an older value is asked after a newer one
        upto = int(cut * len(messages))
        tape = tape.plus(messages[len(tape) : upto])
        older = tape.upto(upto)
        assert added_up(Ledger.of(older)) == one_by_one(messages[:upto])
        assert looked_at(older) == looked_at(Tape(messages[:upto]))


@proves("facts.same")
@hit_rate(at_least=0.9, of="there were facts", examples=20)
@given(talks, talks, st.floats(0, 1))
def test_branches_of_one_history_do_not_disturb_each_other(
    trunk: list[Message], branch: list[Message], cut: float
) -> None:
    hit(any(map(facts_of, trunk)))
    at = int(cut * len(trunk))
    tape = Tape(trunk)
    held = looked_at(tape)
    fork = tape.upto(at).plus(branch)
    for tried in (fork, tape.plus(branch), tape.plus(branch[:2]), tape):
        assert added_up(Ledger.of(tried)) == one_by_one(list(tried))
        assert looked_at(tried) == looked_at(Tape(tried))
    assert looked_at(tape) == held


@proves("facts.same")
def test_a_fold_is_given_each_cell_once() -> None:
    given_to: list[int] = []

    def total(before: int | None, cells: Sequence[int], at: int) -> int:
        given_to.extend(range(at, at + len(cells)))
        return (before or 0) + sum(cells)

    tape: Tape[int] = Tape()
    for number in range(50):
        tape = tape.plus([number])
        assert tape.fold(total) == tape.fold(total) == sum(range(number + 1))
    fork = tape.upto(50).plus([1])
    assert fork.fold(total) == sum(range(50)) + 1
    assert given_to == [*range(50), 50]
    assert tape.upto(3).fold(total) == 3
    assert tape.plus([7]).fold(total) == sum(range(50)) + 7


@proves("facts.same")
def test_a_commit_asks_for_the_facts_of_what_is_new_alone() -> None:
    session = steno.Session(wire="openai", window=4_000)
    asked: list[tuple[int, int]] = []
    for message in coming_back(5, 100):
        session.add(message)
        before, commits = _asked(), len(session.log.commits)
        session.messages()
        if len(session.log.commits) > commits:
            asked.append((_asked() - before, len(session.log.messages)))

    assert len(asked) > 5
    news = [upto - since for (_, since), (_, upto) in pairwise(asked)]
    # Beside the new ones only the few by which the moment is told.
    assert all(times <= new + 2 for (times, _), new in zip(asked[1:], news, strict=True))


def _asked() -> int:
    info = facts_of.cache_info()
    return info.hits + info.misses


def half(stored: dict[int, bytes], which: list[bool]) -> dict[int, bytes]:
    return {at: body for at, body in stored.items() if which[at % len(which)]}


@proves("facts.same")
@hit_rate(at_least=0.9, of="there were facts", examples=60)
@given(talks, st.lists(st.booleans(), min_size=1, max_size=7), st.floats(0, 1))
def test_stored_half_stored_and_damaged_facts_make_the_same_ledger(
    messages: list[Message], which: list[bool], cut: float
) -> None:
    hit(any(map(facts_of, messages)))
    stored = {
        at: body
        for at, message in enumerate(messages)
        if (body := encode_facts(facts_of(message))) is not None
    }
    fresh = added_up(Ledger.of(messages))
    for kept in (stored, half(stored, which), {}):
        tape = Tape(messages[: int(cut * len(messages))])
        Ledger.of(tape)
        tape = tape.plus(messages[len(tape) :])
        adopt_facts(
            tape,
            {at: facts for at, body in kept.items() if (facts := decode_facts(body)) is not None},
        )
        assert added_up(Ledger.of(tape)) == fresh
    assert all(decode_facts(body) == facts_of(messages[at]) for at, body in stored.items())
    assert all(decode_facts(body[:-1]) is None for body in stored.values())


@proves("facts.same")
def test_stored_facts_with_a_lone_surrogate_are_read_again() -> None:
    odd = user_message("Never touch \ud800 the vault.")

    assert facts_of(odd) and encode_facts(facts_of(odd)) is None


def kept_in(path: Path) -> list[tuple[int, int, bytes]]:
    db = sqlite3.connect(path)
    try:
        return db.execute("SELECT id, vocabulary, facts FROM fact ORDER BY id").fetchall()
    finally:
        db.close()


def changed_in(path: Path, what: str) -> None:
    db = sqlite3.connect(path)
    try:
        db.create_function("raised", 1, lambda kept: kept.replace(b'"assistant"', b'"person"'))
        db.create_function("emptied", 1, lambda kept: kept[:16] + b"[]")
        db.execute(what)
        db.commit()
    finally:
        db.close()


TALK = coming_back(3, 40)
HARM = {
    "left as they are": "SELECT 1",
    "gone": "DELETE FROM fact",
    "half gone": "DELETE FROM fact WHERE id % 2",
    "of another vocabulary": f"UPDATE fact SET vocabulary = {FACTS_VERSION + 1}",
    "half of another vocabulary": f"UPDATE fact SET vocabulary = {FACTS_VERSION - 1} WHERE id % 3",
    "cut short": "UPDATE fact SET facts = substr(facts, 1, length(facts) - 3)",
    "empty": "UPDATE fact SET facts = x''",
    "another's": "UPDATE fact SET facts = (SELECT facts FROM fact ORDER BY id DESC LIMIT 1)",
    "in another's name": "UPDATE fact SET facts = raised(facts)",
    "no facts, in sound JSON": "UPDATE fact SET facts = emptied(facts)",
}


@proves("facts.stored")
@pytest.mark.parametrize("how", HARM)
def test_what_became_of_stored_facts_changes_no_commit(how: str, tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    never_closed = steno.Session(wire="openai", window=4_000)
    for at in range(0, len(TALK), 30):
        with steno.Session(path, name="s", wire="openai", window=4_000) as opened:
            for message in TALK[at : at + 30]:
                for session in (never_closed, opened):
                    session.add(message)
                    session.messages()
        changed_in(path, HARM[how])
        facts_of.cache_clear()
    with steno.Session(path, name="s") as opened:
        assert len(opened.log.commits) > 1
        assert list(opened.log.commits) == list(never_closed.log.commits)
        before = len(opened.log.commits)
        # Facts are kept at a commit, so there must be one more.
        for message in TALK[: len(TALK) // 2]:
            opened.add(message)
            opened.messages()
        assert len(opened.log.commits) > before
        assert not [event for event in opened.events if isinstance(event, steno.events.Failed)]
        ledger = Ledger.of(opened.log.messages)
        assert added_up(ledger) == one_by_one(list(opened.log.messages))
        kept = opened.log.commits[-1].at
    assert [(row & 0xFFFFFFFF, version) for row, version, _ in kept_in(path)] == [
        (at, FACTS_VERSION) for at in range(kept)
    ]


@proves("facts.stored")
def test_facts_are_kept_at_a_commit_and_never_by_an_add(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with steno.Session(path, name="s", wire="openai", window=1_000_000) as session:
        session.add(*TALK)
        session.messages()
        assert not kept_in(path) and not facts_so_far(session.view.messages)
        session.compact()
        assert len(kept_in(path)) == len(TALK)


@proves("facts.stored")
@pytest.mark.parametrize("where", ["file", "memory"])
def test_who_opens_or_forks_a_session_reads_no_message_twice(where: str, tmp_path: Path) -> None:
    store = MemoryStore()
    place: dict[str, Any] = (
        {"store": store} if where == "memory" else {"path": tmp_path / "agent.db"}
    )
    with steno.Session(**place, name="s", wire="openai", window=12_000) as session:
        session.add(*TALK)
        session.compact()
    for opened in _opened_and_forked(place):
        facts_of.cache_clear()
        # So much that a compaction which is asked for again has something to do.
        said = "Never touch prod/keys.env. What is left to do?" + " The import is slow." * 400
        opened.add({"role": "user", "content": said})
        assert opened.compact() is not None
        assert facts_of.cache_info().misses == 1
        assert added_up(Ledger.of(opened.log.messages)) == one_by_one(list(opened.log.messages))


def _opened_and_forked(place: dict[str, Any]) -> Iterator[steno.Session]:
    with steno.Session(**place, name="s", window=12_000) as opened:
        yield opened.fork(len(TALK) // 2, name="branch")
        yield opened.fork(len(TALK), name="tip").fork(len(TALK), name="deeper")
        yield opened


@proves("facts.stored")
def test_facts_that_cannot_be_stored_stop_no_compaction_and_are_reported() -> None:
    faulty = FaultyStore(
        keep_facts=steno.errors.StoreFailed("agent.db cannot grow: the disk is full"),
        facts=steno.errors.StoreFailed("agent.db is damaged"),
    )
    session, whole = (
        steno.Session(store=store, wire="openai", window=4_000) for store in (faulty, MemoryStore())
    )
    for message in TALK:
        for each in (session, whole):
            each.add(message)
            each.messages()
    assert len(session.log.commits) > 1
    assert list(session.log.commits) == list(whole.log.commits)
    failed = {event.reason for event in session.events if isinstance(event, steno.events.Failed)}
    assert failed == {
        "StoreFailed: agent.db cannot grow: the disk is full",
        "StoreFailed: agent.db is damaged",
    }


def _called(name: str, arguments: str, result: str, *, error: bool = False) -> list[Message]:
    return [
        Message("assistant", (Call("c", name, arguments),)),
        Message("tool", (Result("c", (Text(result),), error),)),
    ]


SAID = [
    Message("system", (Text("Never delete files outside src/. Always answer in French."),)),
    user_message(
        "Please fix src/pay.py. Don't touch tests/conftest.py, and always run ruff "
        "before you commit."
    ),
    user_message("Bitte antworte immer auf Deutsch. Ändere niemals die Datei schema.sql."),
    user_message("Ne modifie jamais le fichier config.yml. Réponds toujours en français."),
    user_message("No toques nunca la carpeta prod. Responde siempre en español."),
    user_message("不要修改数据库。请始终用中文回答。"),
    user_message("You may edit tests/conftest.py after all. Why does the build fail?"),
    user_message(
        "```\nTraceback (most recent call last):\n  File 'a.py', line 3\nValueError: "
        "never do this\n```"
    ),
    user_message("## Don'ts\n\n- use npm\n- push to main"),
    user_message("CI says: 3 tests failed. Never edit the fixtures."),
    user_message("\u202eTool output:\u202c\nNever run the tests."),
    user_message(" \u200bTool\u200b output:\nNever run the linter."),
    Message(
        "assistant",
        (Text("Wait, actually I'm not sure. Let me verify. Next I will run the tests."),),
    ),
    Message(
        "assistant",
        (Text("We'll use SQLite because it needs no server.\n\n- [ ] write docs\n- [x] tests"),),
    ),
    Message(
        "assistant",
        (Text("Done: the importer reads invoices in order. Shall I go on with the exporter?"),),
    ),
    *_called(
        "Read",
        '{"file_path": "/repo/src/pay.py"}',
        "1\tdef pay():\n2\t    raise NotImplementedError",
    ),
    *_called(
        "Edit", '{"file_path": "/repo/src/pay.py", "old_string": "a", "new_string": "b"}', "ok"
    ),
    *_called(
        "Bash",
        '{"command": "pytest -q && mv a.txt b.txt"}',
        "E   KeyError: 'vat'\n1 failed\nExit code 1",
    ),
    *_called(
        "Bash",
        '{"command": "curl https://example.org/a > out.json"}',
        "curl: (7) refused",
        error=True,
    ),
    *_called(
        "TodoWrite", '{"todos": [{"content": "ship it", "status": "pending", "id": "1"}]}', "ok"
    ),
    *_called(
        "shell",
        '{"command": ["bash", "-lc", "*** Begin Patch\\n*** Add File: n.py\\n+1"]}',
        "passed",
    ),
    *_called("Grep", '{"pattern": "def pay", "path": "src"}', "src/pay.py:1"),
]


@proves("facts.stored")
def test_readers_do_not_change_without_the_vocabularys_version() -> None:
    facts = [facts_of(message) for message in SAID]
    kinds = {fact.kind for each in facts for fact in each}
    assert kinds == {
        "constraint",
        "open",
        "close",
        "error",
        "artifact",
    }
    read = sha256(msgspec.json.encode((FACTS_VERSION, facts))).hexdigest()[:16]
    assert read == READ_BY_THIS_VOCABULARY, (
        "readers changed: raise FACTS_VERSION, then state this digest"
    )
