"""Callers who name nobody: one hears nothing of what another gave, noted or paid.

They share a store, and each list begins with the other's, so that only the rule can part them:
such a list joins a session that holds its own messages, and nothing else.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import steno
from steno.adapters.fit import Fitter
from steno.adapters.frameworks.claude_agent_sdk import with_steno
from steno.adapters.resent import thread as threads
from steno.adapters.resent.incoming import SdkFormat
from steno.adapters.resent.thread import StrangeWords
from steno.core.errors import StoreFailed
from steno.providers import get_wire
from steno.rungs import Summarize, Truncate
from steno.store.open import absolute_place
from steno.store.sql import SQLStore
from tests.adapters.test_wrap import openai as wrapped_openai
from tests.proxy.test_fit import post
from tests.proxy.test_proxy import between
from tests.support.loopback import Heard, Loopback, Say
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk
from tests.support.scripted_writers import Writer, honest, shown, silent, told

SECRET = "Falcon is for sale"
KEY = "AKIA" + "Q3EGRIH4SAMPLE77"
GPT = "gpt-4o"
HELLO = [{"role": "user", "content": "Hello, I need help with my account. " * 3}]
REPLY = {"role": "assistant", "content": "With pleasure: what is it about?"}
MORE = [*HELLO, REPLY, {"role": "user", "content": "The bill."}]


def door(store: Path, **options: Any) -> Fitter:
    return Fitter(store=store, window=8_000, wire="openai", **options)


@proves("wrap.strangers")
def test_who_goes_on_with_an_equal_view_hears_nothing_of_what_another_was_shown_in_short() -> None:
    """Views of two lists can be equal, as results that differ are not in them."""
    talk = openai_talk(40)
    for at in range(2, 40, 2):
        words = talk[at]["content"]
        talk[at] = {**talk[at], "content": words.replace("row", "rows", 3)}
    secret = {**talk[4], "content": talk[4]["content"].replace("rows", "keys", 2)}
    fitter = Fitter(window=4_000, wire="openai")
    theirs = fitter.fit([*talk[:4], secret, *talk[5:]], recall=True)
    theirs.keep()
    mine = fitter.fit(talk, recall=True)
    assert json.dumps(mine) == json.dumps(theirs)
    again = fitter.fit([*mine, {"role": "assistant", "content": "Done."}, MORE[-1]], recall=True)
    assert again.session.name != theirs.session.name
    function = {"name": "recall", "arguments": json.dumps({"query": "keys of the table"})}
    told = again.handle({"id": "r", "type": "function", "function": function})
    assert "keys" not in str(told)


@proves("wrap.strangers")
def test_constraints_of_one_door_reach_no_stranger_at_another(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    ann = door(store, constraints=[f"Never say that {SECRET}."])
    first = ann.fit(HELLO)
    assert SECRET in json.dumps(first)
    # The door itself goes on with its session, after a restart too.
    again = door(store, constraints=[f"Never say that {SECRET}."]).fit(MORE)
    assert again.session.name == first.session.name and SECRET in json.dumps(again)
    other = door(store).fit(MORE)
    assert other == MORE and other.session.name != first.session.name
    third = door(store, constraints=["Be brief."]).fit(MORE)
    assert SECRET not in json.dumps(third) and "Be brief." in json.dumps(third)


def answer(session: steno.Session, tool: str, **arguments: str) -> None:
    session.host.tools.answer(tool, json.dumps(arguments))


BY_HAND: dict[str, Callable[[steno.Session], object]] = {
    "a note": lambda session: answer(session, "remember", text=SECRET),
    "the reason of a compaction": lambda session: answer(
        session, "compress_context", reason=SECRET
    ),
    "a constraint": lambda session: session.set_constraint(SECRET),
    "words of Steno's": lambda session: session.host.say("note", SECRET),
}


@proves("wrap.strangers")
@pytest.mark.parametrize("what", BY_HAND)
@pytest.mark.parametrize("restarts", [False, True])
def test_what_was_added_to_a_session_by_hand_reaches_no_stranger(
    tmp_path: Path, what: str, restarts: bool
) -> None:
    ann = door(tmp_path / "a.db")
    first = ann.fit(HELLO)
    BY_HAND[what](first.session)
    bert = door(tmp_path / "a.db") if restarts else ann
    other = bert.fit(MORE)
    assert other == MORE and other.session.name != first.session.name
    # A second time it is his own session, and not one more.
    assert bert.fit([*MORE, REPLY]).session.name == other.session.name
    # With a name it stays where it was put.
    named = ann.fit(HELLO, session="mine")
    BY_HAND[what](named.session)
    assert SECRET in json.dumps(ann.fit(MORE, session="mine"))


@proves("wrap.strangers")
def test_a_list_that_fits_is_not_shortened_for_what_another_asked(tmp_path: Path) -> None:
    talk = openai_talk(30)
    ann = Fitter(store=tmp_path / "a.db", window=40_000, limit=3_000, wire="openai")
    first = ann.fit(talk)
    assert first.session.log.commits and first != talk
    bert = Fitter(store=tmp_path / "a.db", window=40_000, wire="openai")
    other = bert.fit(talk)
    assert other == talk and other.session.name != first.session.name
    more = [*talk, REPLY]
    assert bert.fit(more) == more and bert.fit(more).session.name == other.session.name
    # Ann, whose list is as long for her as before, goes on with her summary.
    assert ann.fit(more).session.name == first.session.name
    # A name says whose list it is.
    named = ann.fit(talk, session="mine")
    assert named != talk and bert.fit(talk, session="mine") != talk


@proves("wrap.strangers")
@pytest.mark.parametrize("restarts", [False, True])
def test_a_list_that_fits_is_not_shortened_for_anothers_system_prompt(
    tmp_path: Path, restarts: bool
) -> None:
    talk = openai_talk(20)
    ann = door(tmp_path / "a.db")
    first = ann.fit(talk, system="Be brief. " * 2_000)
    assert first.session.log.commits and first != talk
    bert = door(tmp_path / "a.db") if restarts else ann
    other = bert.fit(talk, system="Be brief.")
    assert other == talk and other.session.name != first.session.name
    assert bert.fit(talk, system="Be brief.").session.name == other.session.name
    assert ann.fit(talk, system="Be brief. " * 2_000) == first


@proves("wrap.strangers")
@pytest.mark.parametrize("ratio", [0.7, 1.0, 1.3])
def test_a_list_stays_in_its_session_whatever_its_provider_counts(ratio: float) -> None:
    def counted(heard: Heard) -> Say:
        return Say("noted", sent=int(len(heard.prompt) / 4 * ratio))

    talk: list[Any] = []
    with Loopback(counted) as server, wrapped_openai(server, window=6_000) as client:
        names = set()
        for turn in range(60):
            words = "alpha foo.py beta 42 gamma " * (12 + turn * 7 % 5)
            talk.append({"role": "user", "content": f"step {turn}: {words}"})
            client.chat.completions.create(model=GPT, messages=talk)
            names.add(steno.sessions(client).newest.name)
            talk.append({"role": "assistant", "content": "noted"})
        compacted = steno.sessions(client).newest.log.commits
    assert len(names) == 1 and compacted


@proves("wrap.strangers")
@pytest.mark.parametrize("named", [False, True])
def test_what_a_provider_counted_for_one_caller_of_a_proxy_weighs_nothing_for_another(
    named: bool,
) -> None:
    headers = {"steno-session": "one"} if named else {}
    talk = openai_talk(24)

    def cost(there: Any, messages: list[Any]) -> str:
        asked = there.openai.chat.completions.with_raw_response.create(
            model=GPT, messages=messages, extra_headers=headers
        )
        there.settled()
        return str(asked.headers["steno-cost"].split()[1])

    shown = set()
    for rate in (3, 5):
        with between(lambda heard, rate=rate: Say("ok", sent=len(heard.prompt) // rate)) as there:
            for stop in (9, 17):
                cost(there, talk[:stop])
            shown.add(cost(there, talk[:25]))
            repeated = there.settled()["messages_rewritten"], there.settled()["repeated"]
            assert named or repeated == (0, 0)
    assert len(shown) == (2 if named else 1)


@proves("wrap.strangers")
def test_what_was_sent_before_is_counted_for_named_callers_alone() -> None:
    with between() as there:
        for headers, repeated in (({}, 0), ({}, 0), ({"steno-user": "ann"}, 0)):
            there.openai.chat.completions.create(
                model=GPT, messages=HELLO, extra_headers=dict(headers)
            )
            assert there.settled()["repeated"] == repeated
        there.openai.chat.completions.create(
            model=GPT, messages=HELLO, extra_headers={"steno-user": "ann"}
        )
        assert there.settled()["repeated"] == 1


@proves("wrap.strangers")
def test_a_proxy_of_one_user_serves_no_request_in_anothers_name() -> None:
    with between(settings={"user": "bert"}) as there:
        for name, status in (("ann", 403), ("bert", 200), ("", 200)):
            asked = there.http.post(
                f"{there.address}/v1/chat/completions",
                json={"model": GPT, "messages": HELLO},
                headers={"steno-user": name},
            )
            assert asked.status_code == status
            if status == 200:
                assert asked.headers["steno-session"].startswith("bert:")
        assert all("ann:" not in str(heard.body) for heard in there.provider.heard)
        assert len(there.provider.heard) == 2


@proves("wrap.strangers")
def test_what_one_doors_writer_wrote_goes_out_at_no_other(tmp_path: Path) -> None:
    talk = openai_talk(60)
    writer = Writer(lambda ask: told(facts=[(f"{SECRET}.", [shown(ask.prompt)[-1][0]])]))
    ann = door(tmp_path / "a.db", writer=writer)
    first = ann.fit(talk)
    assert SECRET in json.dumps(first)
    other = door(tmp_path / "a.db").fit(talk)
    assert SECRET not in json.dumps(other) and other.session.name != first.session.name


@proves("wrap.strangers")
@pytest.mark.parametrize("named", [None, "mine"])
def test_a_writer_reads_the_system_prompt_of_a_named_list_alone(named: str | None) -> None:
    policy = steno.Policy(ladder=(Summarize(share_prefix=True), Truncate()))
    writer = Writer(honest, 64_000)
    fitter = Fitter(window=64_000, wire="openai", writer=writer, policy=policy)
    fitted = fitter.fit(openai_talk(12), session=named, system=SECRET)
    fitted.session.compact()
    assert writer.asked
    assert (SECRET in repr(writer.asked)) == (named is not None)


@proves("wrap.strangers")
def test_the_last_step_refuses_what_came_in_after_the_list_was_joined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fitter = Fitter(window=8_000, wire="openai")
    fitter.fit(HELLO)
    apply = threads.ResentThread.apply

    def late(thread: Any, *given: Any, **named: Any) -> None:
        apply(thread, *given, **named)
        thread.session.host.say("note", SECRET)

    monkeypatch.setattr(threads.ResentThread, "apply", late)
    with pytest.raises(StrangeWords, match="beside its list"):
        fitter.fit(MORE)


@proves("wrap.strangers")
def test_a_list_whose_session_another_process_went_on_with_gets_one_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bert = door(tmp_path / "a.db"), door(tmp_path / "a.db")
    first = ann.fit(HELLO)
    apply = threads.ResentThread.apply
    raced: list[str] = []

    def overtaken(thread: Any, *given: Any, **named: Any) -> None:
        apply(thread, *given, **named)
        if not raced:
            raced.append(thread.session.name)
            bert.fit([*MORE, REPLY, {"role": "user", "content": SECRET}])
            thread.session.host.refresh()

    monkeypatch.setattr(threads.ResentThread, "apply", overtaken)
    fitted = ann.fit(MORE)
    assert raced == [first.session.name] != [fitted.session.name]
    assert fitted == MORE


@proves("wrap.strangers")
def test_a_large_list_is_read_while_others_are_served() -> None:
    fitter = Fitter(window=8_000, wire="openai")
    reader = fitter.sessions._reader(SdkFormat(get_wire("openai")))
    begun, done = threading.Event(), threading.Event()
    read = reader.read

    def slow(messages: Any) -> Any:
        if len(messages) > 1:
            begun.set()
            assert done.wait(20)
        return read(messages)

    reader.read = slow  # type: ignore[method-assign]
    with ThreadPoolExecutor(1) as pool:
        large = pool.submit(fitter.fit, MORE)
        assert begun.wait(20)
        assert fitter.fit(HELLO) == HELLO
        done.set()
        assert large.result() == MORE


@proves("wrap.strangers")
def test_a_list_that_is_sent_again_while_it_is_added_begins_no_second_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fitter = Fitter(window=8_000, wire="openai")
    apply = threads.ResentThread.apply
    begun = threading.Event()

    def slow(thread: Any, *given: Any, **named: Any) -> None:
        first = not begun.is_set()
        begun.set()
        time.sleep(0.3 * first)
        apply(thread, *given, **named)

    monkeypatch.setattr(threads.ResentThread, "apply", slow)
    with ThreadPoolExecutor(1) as pool:
        once = pool.submit(fitter.fit, MORE)
        assert begun.wait(20)
        again = fitter.fit([*MORE, REPLY])
        assert again.session.name == once.result().session.name
        assert len(again.session.log.messages) == 4


@proves("wrap.strangers")
def test_no_header_tells_a_stranger_that_somebody_sent_the_same_list() -> None:
    def cost(there: Any, talk: list[Any], **headers: str) -> dict[str, str]:
        asked = there.openai.chat.completions.with_raw_response.create(
            model=GPT, messages=talk, extra_headers=headers
        )
        there.settled()
        return dict(each.split("=") for each in asked.headers["steno-cost"].split())

    with between() as there:
        first, second = cost(there, HELLO), cost(there, HELLO)
        assert first == second and set(first) == {"shown", "whole"}
        name = {"steno-session": "ann"}
        cost(there, HELLO, **name)
        assert float(cost(there, HELLO, **name)["spent"]) > 0


@proves("wrap.strangers")
def test_no_client_is_told_where_the_store_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "private-place.db"

    def fail(*_: Any, **__: Any) -> None:
        raise StoreFailed(f"{store}: the disk is full")

    with between(store=store) as there:
        there.openai.chat.completions.create(model=GPT, messages=HELLO)
        monkeypatch.setattr(SQLStore, "append", fail)
        talk = [{"role": "user", "content": "another talk"}]
        asked = there.openai.chat.completions.with_raw_response.create(model=GPT, messages=talk)
        assert "StoreFailed" in asked.headers["steno-passed"]
        fitted = post(there, {"messages": talk})
        assert fitted.status_code == 400
        told = asked.headers["steno-passed"] + fitted.text
        assert "private-place" not in told and "disk" not in told
        # Its operator reads more.
        assert any("private-place" in getattr(event, "reason", "") for event in there.events)


def begin_raw(store: Path) -> list[Any]:
    """Keep a conversation with secrets in it as it is, and return the list."""
    talk: list[Any] = [{"role": "user", "content": f"My key is {KEY}. Never lose it."}]
    for n in range(40):
        talk.append({"role": "assistant", "content": f"Step {n} with {KEY}: " + "word " * 200})
        talk.append({"role": "user", "content": f"Go on with part {n} by key={KEY}"})
    session = steno.Session(store, name="work", wire="openai", window=8_000)
    session.add(*talk)
    assert KEY in json.dumps(session.request()) and session.log.commits
    session.host.say("note", f"the key is {KEY}")
    session.set_constraint(f"Use {KEY} only.")
    session.close()
    Fitter(store=store, window=8_000, wire="openai").fit(talk)
    return talk


@proves("redact.wrapped")
@pytest.mark.parametrize("way", ["session", "named list", "unnamed list"])
def test_what_was_kept_with_its_secrets_goes_out_without_them(tmp_path: Path, way: str) -> None:
    talk = [*begin_raw(tmp_path / "a.db"), {"role": "assistant", "content": "Done."}]
    if way == "session":
        session = steno.Session(tmp_path / "a.db", name="work", redact=True)
        sent = json.dumps(session.request())
    else:
        fitter = door(tmp_path / "a.db", redact=True)
        fitted = fitter.fit(talk, session="work" if way == "named list" else None)
        sent, session = json.dumps(fitted), fitted.session
    assert "[redacted:" in sent and KEY not in sent
    told = [session.recall("key"), session.open(0), session.constraints, session.log.commits]
    assert KEY not in repr(told) and KEY not in repr(list(session.log.messages))


@proves("redact.wrapped")
def test_notes_and_memories_that_were_kept_with_secrets_are_told_without(tmp_path: Path) -> None:
    def session(name: str, **redact: Any) -> steno.Session:
        return steno.Session(
            tmp_path / "a.db",
            name=name,
            user="ann",
            memory=True,
            wire="openai",
            window=8_000,
            **redact,
        )

    raw = session("work")
    raw.host.say("note", f"the key {KEY} works")
    raw.add({"role": "user", "content": f"Remember that my key is {KEY}."})
    raw.request()
    assert KEY in repr(raw.recall("key works")) and raw.learn()
    raw.close()
    for name in ("work", "new"):
        clean = session(name, redact=True)
        told = [clean.recall("key works"), clean.recall("key works", where="user")]
        assert clean.memories() and told[1].hits
        assert KEY not in repr([told, clean.memories(), clean.request()])
        clean.close()


@proves("redact.wrapped")
def test_a_session_is_clean_only_for_the_redactor_that_saw_all_of_it(tmp_path: Path) -> None:
    def shown(redact: Any) -> str:
        session = steno.Session(tmp_path / "a.db", redact=redact)
        told = json.dumps(session.request()) + str(session.recall("seat"))
        session.close()
        return told

    steno.Session(tmp_path / "a.db", wire="openai", window=8_000, redact=True).close()
    session = steno.Session(tmp_path / "a.db", redact=True)
    session.add({"role": "user", "content": f"Seat S-1234567, key {KEY}."})
    session.close()
    assert "S-1234567" in shown(True)
    assert "S-1234567" not in shown([r"S-\d{7}"])
    # Whoever keeps what is added now as it is, is heard of by the next.
    session = steno.Session(tmp_path / "a.db", redact=False)
    session.add({"role": "assistant", "content": f"Noted: {KEY}"})
    session.close()
    assert KEY in shown(False) and KEY not in shown(True)


@proves("wrap.strangers")
@pytest.mark.parametrize("several", [False, True])
def test_what_one_door_s_writer_wrote_goes_out_at_no_other_door(
    tmp_path: Path, several: bool
) -> None:
    def writer(*facts: str) -> Any:
        one = Writer(lambda ask: told(facts=[(f, [shown(ask.prompt)[-1][0]]) for f in facts]))
        return [one, Writer(silent)] if several else one

    talk, store = openai_talk(60), tmp_path / "a.db"
    assert SECRET in json.dumps(door(store, writer=writer(f"{SECRET}.")).fit(talk))
    assert SECRET not in json.dumps(door(store, writer=writer()).fit(talk))


@proves("wrap.strangers")
def test_what_a_database_s_address_says_is_not_taken_for_a_path() -> None:
    address = "postgresql://me:w@h/d?steno_tenant=acme/x/.."
    assert absolute_place(address) == address
    settings = json.dumps(with_steno(address, user="ann"))
    assert settings.count(address) == settings.count("--user") == 3


@proves("wrap.strangers")
def test_who_names_neither_session_nor_user_opens_no_users_session(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    with steno.Session(store, name="monday", user="ann", window=8_000, wire="openai") as session:
        session.add({"role": "user", "content": SECRET})
    with pytest.raises(steno.BadInput, match="belong to users: say user="):
        steno.Session(store)
    with steno.Session(store, user="ann") as session:
        assert session.open(0)["content"] == SECRET
