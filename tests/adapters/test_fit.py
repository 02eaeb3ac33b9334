"""`steno.fit`: one call for every framework that hands its list over before each model call."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

import steno
from steno import BadInput
from steno.adapters.fit import FITTERS_MOST, Fitter, Fitters
from steno.adapters.frameworks.hook import FrameworkHook
from steno.adapters.resent.incoming import SdkFormat
from steno.core.errors import NotHere, StoreFailed
from steno.core.events import Failed
from steno.core.store import StoredName, session_names
from steno.providers import get_wire
from steno.store.names import is_unnamed, stored_name, unnamed_name
from steno.store.sqlite import SQLiteStore
from tests.support import legal
from tests.support.promises import proves

Json = dict[str, Any]
CONSTRAINT = "Never touch production."
WINDOW = 8_000


def openai_turn(n: int) -> list[Json]:
    arguments = json.dumps({"path": f"src/part_{n}.py"})
    call = {"id": f"c{n}", "type": "function", "function": {"name": "read", "arguments": arguments}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{n}", "content": f"line of part {n} " * 120},
    ]


def anthropic_turn(n: int) -> list[Json]:
    call = {"type": "tool_use", "id": f"c{n}", "name": "read", "input": {"path": f"part_{n}.py"}}
    result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": f"line of part {n} " * 120}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


TURNS = {"openai": openai_turn, "anthropic": anthropic_turn}
JUDGES = {"openai": legal.openai_chat, "anthropic": legal.anthropic}


@pytest.mark.slow
@proves("fit.story")
@pytest.mark.parametrize("wire", TURNS)
def test_a_loop_of_two_hundred_turns_fits_is_legal_and_keeps_the_constraint(wire: str) -> None:
    fitter = Fitter(window=WINDOW, wire=wire)
    talk: list[Json] = [{"role": "user", "content": f"{CONSTRAINT} Work through the parts."}]
    before: list[Any] = []
    extended = 0
    for n in range(200):
        fitted = fitter.fit(talk, session="story")
        assert fitted.session.load <= WINDOW
        assert JUDGES[wire]({"messages": list(fitted)}) == []
        assert CONSTRAINT in json.dumps(fitted) and fitted[-1] is talk[-1]
        extended += fitted[: len(before)] == before
        before = list(fitted)
        talk += TURNS[wire](n)
    # Between two compactions each request extends the last: the provider's cache holds.
    assert extended > 120
    assert len(fitted.session.log.messages) == len(talk) - 2
    for n in (0, 77, 198):
        assert f"line of part {n} " in json.dumps(fitted.session.open(2 + 2 * n))
    fitter.close()


@proves("fit.identity")
def test_the_same_words_of_two_users_never_meet(tmp_path: Path) -> None:
    talk: list[Json] = [{"role": "user", "content": "Hello, how can you help? " * 20}]
    ann = steno.fit(talk, user="ann", store=tmp_path / "a.db", window=WINDOW)
    bob = steno.fit(talk, user="bob", store=tmp_path / "a.db", window=WINDOW)
    ann.session.add({"role": "user", "content": "My account is DE89."})
    assert ann.session is not bob.session
    assert len(bob.session.log.messages) == 1 and not bob.session.recall("account").hits
    with pytest.raises(steno.StenoError, match="user"):
        bob.session.recall("account", where=[ann.session.name])


@proves("fit.story")
def test_a_restarted_process_finds_the_list_by_its_content(tmp_path: Path) -> None:
    talk: list[Json] = [{"role": "user", "content": f"{CONSTRAINT} Begin."}]
    for n in range(30):
        talk += openai_turn(n)
    first = Fitter(store=tmp_path / "a.db", user="ann", window=WINDOW)
    sent = list(first.fit(talk))
    first.close()
    second = Fitter(store=tmp_path / "a.db", user="ann", window=WINDOW)
    again = second.fit([*talk, {"role": "user", "content": "Go on."}])
    assert again[: len(sent)] == sent and len(again.session.log.messages) == len(talk) + 1
    second.close()


@proves("fit.recall")
def test_recall_is_among_the_tools_once_something_left_the_view() -> None:
    fitter = Fitter(window=WINDOW)
    talk: list[Json] = [{"role": "user", "content": "The parking code is 4711. Begin."}]
    assert fitter.fit(talk, session="s", recall=True).tools == []
    for n in range(40):
        talk += openai_turn(n)
    fitted = fitter.fit(talk, session="s", recall=True)
    assert [tool["function"]["name"] for tool in fitted.tools] == ["recall"]
    assert "recall(" in json.dumps(fitted)
    found = fitted.handle({"name": "recall", "arguments": {"query": "part 3", "role": "tool"}})
    assert found is not None and "line of part 3 " in found
    assert fitted.handle({"name": "read", "arguments": "{}"}) is None
    silent = fitter.fit([*talk], session="other")
    assert silent.tools == [] and "recall(" not in json.dumps(silent)


@proves("fit.story")
def test_a_fitted_list_that_the_caller_keeps_goes_on_in_the_same_session() -> None:
    fitter = Fitter(window=WINDOW)
    talk: list[Json] = [{"role": "user", "content": f"{CONSTRAINT} Begin."}]
    for n in range(60):
        fitted = fitter.fit(talk, session="s")
        talk[:] = fitted
        fitted.keep()
        talk += openai_turn(n)
    assert len(talk) < 60 and fitter.sessions.names == ["s"]
    for n in (0, 30, 58):
        assert openai_turn(n)[1]["content"] in json.dumps(fitter.newest("s").open(2 + 2 * n))


def too_long() -> openai.BadRequestError:
    said = {
        "message": "This model's maximum context length is 4000 tokens.",
        "type": "invalid_request_error",
        "code": "context_length_exceeded",
    }
    request = httpx.Request("POST", "https://api.openai.com/v1/chat/completions")
    response = httpx.Response(400, json={"error": said}, request=request)
    return openai.BadRequestError(said["message"], response=response, body=said)


@proves("fit.overflow")
def test_a_list_that_was_refused_as_too_long_comes_back_shorter() -> None:
    talk: list[Json] = [{"role": "user", "content": f"{CONSTRAINT} Begin."}]
    for n in range(12):
        talk += openai_turn(n)
    fitted = steno.fit(talk, session="s", user="overflow", window=WINDOW)
    shorter = fitted.overflow(too_long())
    assert shorter.session.load < 4_000 and CONSTRAINT in json.dumps(shorter)
    assert legal.openai_chat({"messages": list(shorter)}) == []
    with pytest.raises(KeyError):
        fitted.overflow(KeyError("x"))


def test_on_an_event_loop_it_gives_the_same() -> None:
    talk: list[Json] = [{"role": "user", "content": "Hi"}]
    fitted = asyncio.run(steno.afit(talk, user="loop", window=WINDOW))
    assert fitted == talk and fitted[0] is talk[0]


@pytest.mark.parametrize(
    ("how", "part"),
    [
        ({"window": 0}, "window"),
        ({"window": WINDOW, "wire": "latin"}, "latin"),
        ({"window": WINDOW, "wire": 5}, "wire= takes a name or a Wire, got int"),
        ({"window": WINDOW, "redact": {"a": "["}}, "steno.adapters.fit.Fitter"),
    ],
)
def test_what_is_wrong_is_said(how: Json, part: str) -> None:
    with pytest.raises(steno.StenoError, match=part):
        steno.fit([{"role": "user", "content": "Hi"}], **how)


def test_a_listener_that_is_made_anew_for_each_call_goes_on_in_the_same_session() -> None:
    talk: list[Json] = [{"role": "user", "content": "Work through the parts."}]
    heard: dict[int, list[steno.Event]] = {}
    sessions = []
    for n in range(30):
        heard[n] = []
        fitted = steno.fit(talk, session="heard", window=WINDOW, on_event=heard[n].append)
        sessions.append(fitted.session)
        talk += openai_turn(n)
    assert all(session is sessions[0] for session in sessions)
    assert sessions[0].log.commits
    committed = [n for n, events in heard.items() for event in events if "commit" in event.name]
    assert committed and max(committed) > 5


def test_a_message_that_cannot_be_read_is_named_by_its_place() -> None:
    with pytest.raises(BadInput, match=r"messages\[1\]"):
        steno.fit([{"role": "user", "content": "Hi"}, {"role": "bard"}], window=WINDOW)


@pytest.mark.parametrize(
    ("messages", "how", "part"),
    [
        ([1], {}, r"messages\[0\]"),
        ([{"role": "user", "content": "Hi"}, ["Hi"]], {}, r"messages\[1\]"),
        ([{"role": "user", "content": "Hi"}], {"tools": 3}, "tools="),
    ],
)
def test_what_is_no_list_of_objects_is_refused(messages: list[Any], how: Json, part: str) -> None:
    with pytest.raises(BadInput, match=part):
        steno.fit(messages, window=WINDOW, **how)


def long_talk() -> list[Json]:
    talk: list[Json] = [{"role": "user", "content": f"{CONSTRAINT} Begin."}]
    for n in range(12):
        talk += openai_turn(n)
    return talk


MORE: list[Json] = [
    {"role": "assistant", "content": "Done."},
    {"role": "user", "content": "My locker opens with BERT77."},
]


@proves("fit.identity")
def test_a_list_without_a_name_hears_nothing_of_what_another_caller_added() -> None:
    fitter = Fitter(window=WINDOW)
    ann = fitter.fit(long_talk(), recall=True)
    bert = fitter.fit([*long_talk(), *MORE], recall=True)
    look = {"name": "recall", "arguments": {"query": "BERT77"}}
    assert "BERT77" in (bert.handle(look) or "")
    assert "BERT77" not in (ann.handle(look) or "")
    assert "BERT77" not in json.dumps(ann.overflow(too_long()))
    # A note would stand in the view of whoever sends the same list.
    note = {"name": "remember", "arguments": {"text": "ANN99"}}
    assert ann.handle(note) is None
    assert "ANN99" not in json.dumps(fitter.fit(long_talk()))
    for nobody in ("", None):
        with pytest.raises(steno.NotHere):
            fitter.newest(nobody)  # type: ignore[arg-type]


@proves("fit.identity")
@pytest.mark.parametrize("session", [None, "42"])
def test_what_one_caller_does_to_a_fitted_list_reaches_no_other(session: str | None) -> None:
    fitter = Fitter(window=WINDOW, wire="openai")
    talk: list[Json] = [{"role": "user", "content": "Work through the parts."}]
    for n in range(40):
        talk += openai_turn(n)
    before = fitter.fit(talk, session=session)
    first = [json.dumps(message) for message in before]
    for message in before:
        if message not in talk:
            message["content"] = "The caller is Ann."
    assert [json.dumps(message) for message in fitter.fit(talk, session=session)] == first


@proves("fit.overflow")
def test_a_refused_list_comes_back_shorter_though_its_session_went_on() -> None:
    fitter = Fitter(window=WINDOW, user="ann")
    first = fitter.fit(long_talk(), session="s")
    fitter.fit([*long_talk(), *MORE], session="s")
    shorter = first.overflow(too_long())
    assert shorter.session.load < 4_000 and "BERT77" not in json.dumps(shorter)
    assert legal.openai_chat({"messages": list(shorter)}) == []


def test_a_fitter_that_is_let_go_serves_whoever_still_holds_its_list(tmp_path: Path) -> None:
    fitters = Fitters()

    def fitter_of(user: str) -> Fitter:
        return fitters.get(
            user, lambda: Fitter(store=tmp_path / "a.db", user=user, window=WINDOW, durable=False)
        )

    fitted = fitter_of("ann").fit(long_talk(), session="s", recall=True)
    kept = fitted.session
    for n in range(FITTERS_MOST):
        fitter_of(f"user {n}")
    found = fitted.handle({"name": "recall", "arguments": {"query": "part 3", "role": "tool"}})
    assert found is not None and "line of part 3 " in found
    assert fitted.overflow(too_long()).session.load < 4_000
    # Nobody holds it any more: its file is closed.
    del fitted
    with pytest.raises(StoreFailed, match="closed"):
        kept.add({"role": "user", "content": "Hi"})
    fitters.close()


def test_an_adapter_with_one_user_finds_the_sessions_of_that_user() -> None:
    hook = FrameworkHook("openai", user="ann", session="s", window=WINDOW)
    assert hook._fit(long_talk(), None) is not None
    assert hook.newest("s").log.messages == hook.newest("s", "ann").log.messages


def test_if_steno_fails_an_adapter_sends_the_whole_list_without_its_secrets() -> None:
    def fail(run: object) -> str:
        raise RuntimeError("no session")

    hook = FrameworkHook("openai", session=fail, window=WINDOW, redact=True)
    key = {"role": "user", "content": "The key is " + "AKIA" + "Q3EGRIH4SAMPLE77."}
    *talk, last = hook._fit([*long_talk(), key], None)
    assert talk == long_talk() and isinstance(hook.events[-1], Failed)
    assert "AKIA" not in last["content"] and "[redacted:" in last["content"]


def test_an_adapter_finds_a_session_by_an_id_that_is_too_long_for_a_name() -> None:
    hook = FrameworkHook("openai", session="x" * 400, window=WINDOW)
    assert hook._fit(long_talk(), None) is not None
    assert len(hook.newest("x" * 400).log.messages) == len(long_talk())


@pytest.mark.parametrize("name", [None, ""])
def test_the_newest_session_without_a_name_is_nobodys(name: str | None) -> None:
    fitter = Fitter(window=WINDOW)
    fitter.fit([{"role": "user", "content": "Hello."}])
    with pytest.raises(NotHere, match="found by its content alone"):
        fitter.sessions.newest_of(name, SdkFormat(get_wire("openai")))


@proves("fit.story")
def test_a_list_that_lost_a_stretch_and_changed_its_past_twice_loses_nothing_else() -> None:
    def said(words: str) -> list[Json]:
        asked = {"role": "user", "content": f"Ask {words}."}
        return [asked, {"role": "assistant", "content": f"Answer {words}."}]

    fitter = Fitter(window=WINDOW, wire="openai")
    talk = [message for number in range(8) for message in said(str(number))]
    fitter.fit(talk, session="changing")
    del talk[4:8]
    talk += said("after the gap")
    fitter.fit(talk, session="changing")
    for at in (10, 6):
        talk[at] = {"role": "user", "content": f"Ask otherwise at {at}."}
        talk += said(f"after {at}")
        fitted = fitter.fit(talk, session="changing")
        assert list(fitted) == talk
        held = [message.text for message in fitted.session.log.messages]
        assert [message["content"] for message in talk if message["content"] not in held] == []
    fitter.close()


def test_the_name_of_a_fork_does_not_join_another_list_to_it(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    talk: list[Json] = [{"role": "user", "content": "Begin."}]
    for n in range(6):
        talk += openai_turn(n)
    Fitter(store=store, window=WINDOW).fit(talk, session="x")
    changed = [*talk[:9], {"role": "user", "content": "The code is 4711."}]
    fork = Fitter(store=store, window=WINDOW).fit(changed, session="x").session.name
    assert fork.startswith("x@")

    other: list[Json] = [{"role": "user", "content": "Plant the roses."}]
    sent = Fitter(store=store, window=WINDOW).fit(other, session=fork)
    assert list(sent) == other and not sent.session.recall("code").hits


def test_a_name_in_the_store_follows_from_user_and_given_name_alone() -> None:
    digest = blake2b(("x" * 300).encode(), digest_size=16).hexdigest()
    names = ["work", "c:work", "d::work", "unnamed-1", "e:unnamed-1", "x" * 300]
    names += [f"thread-{digest}", digest, "a\nb", "work@0-00000a"]
    users = ["", "ann", "b", "a:b", "a%3Ab", "a%253Ab", "unnamed-2"]
    stored = {stored_name(user, name): user for user in users for name in names}
    assert len(stored) == len(users) * len(names)
    assert not any(map(is_unnamed, stored))
    assert stored_name("", "work") == "work"
    # A user's stored name that is given back is left as it is, and those that Steno gives are.
    assert all(stored_name(user, name) == name for name, user in stored.items() if user)
    # Without a user it is a name like any other: what is given tells two callers apart.
    given = {*names, *map(str, stored)}
    assert len({stored_name("", name) for name in given}) == len(given)
    assert all(stored_name("", StoredName(name)) == name for name in stored)
    assert all(is_unnamed(unnamed_name(user, "openai")) for user in users)


@pytest.mark.parametrize("name", ["unnamed-1", "ann:1", "x" * 300, "thread-" + "0" * 32])
def test_every_name_is_a_session_of_its_own(tmp_path: Path, name: str) -> None:
    store = tmp_path / "a.db"
    talk: list[Json] = [{"role": "user", "content": "Begin."}]
    for given in ("1", name):
        for n in range(2):
            fitter = Fitter(store=store, user="bob", window=WINDOW)
            said = fitter.fit([*talk, *openai_turn(n)][: 2 * n + 1], session=given).session
        assert len(said.log.messages) == 3
    assert len(session_names(said.host.store)) == 2


def test_one_name_opens_one_session_at_every_door(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    talk: list[Json] = [{"role": "user", "content": "Begin."}, *openai_turn(1)]
    fitter = Fitter(store=store, user="ann", window=WINDOW)
    for given in ("work", "ann:work"):
        assert fitter.fit(talk, session=given).session.name == "ann:work"
        with steno.Session(store, name=given, user="ann") as opened:
            assert len(opened.log.messages) == len(talk)
            assert opened.recall("Begin", where=["work"]).hits
    # A name that Steno gave, and that of a fork, are given back too.
    unnamed = fitter.fit(talk).session.name
    fork = fitter.fit([*talk[:-1], {"role": "user", "content": "No."}], session="work").session.name
    assert fitter.fit(talk, session=unnamed).session.name == unnamed
    assert fitter.fit(talk, session=fork).session.name == "ann:work"
    with steno.Session(store, name="work", user="ann").fork(name="draft") as draft:
        assert draft.name == "ann:draft"
    with steno.Session(store, name="bob:work", wire="openai", window=WINDOW) as nobodys:
        assert nobodys.name == ":bob:work"
    with steno.Session(store, name="work", user="bob", wire="openai", window=WINDOW) as other:
        assert (other.name, len(other.log.messages)) == ("bob:work", 0)
        with steno.Session(store, name="bob:work") as again:
            assert again.name == ":bob:work"
            with steno.Session(store, name=again.host.key) as itself:
                assert itself.host.id == again.host.id
        with pytest.raises(NotHere):
            other.recall("Begin", where=["ann:work"])


@proves("wrap.strangers")
def test_names_that_begin_with_colons_are_sessions_of_their_own(tmp_path: Path) -> None:
    names = ["acme:7", ":acme:7", "::acme:7", ":::acme:7", "acme", ":acme", "carl:work"]
    with steno.Session(
        tmp_path / "a.db", name="work", user="carl", wire="openai", window=WINDOW
    ) as carl:
        carl.add({"role": "user", "content": "Words of carl."})
    for store in (tmp_path / "a.db", None):
        fitter = Fitter(store=store, wire="openai", window=WINDOW)
        for name in names:
            talk: list[Json] = [{"role": "user", "content": f"I am {name}."}]
            for door in (fitter, Fitter(store=store, wire="openai", window=WINDOW)):
                held = door.fit([*talk, *openai_turn(1)], session=name).session.log.messages
                assert [message.text for message in held[:1]] == [f"I am {name}."]
    for name in names:
        with steno.Session(tmp_path / "a.db", name=name) as opened:
            assert opened.log.messages[0].text == f"I am {name}."
            with opened.fork(name="carl:draft") as draft:
                assert draft.name == ":carl:draft"
            opened.host.store.delete(draft.name)


@proves("session.user")
def test_a_user_s_session_opens_for_this_user_or_by_its_stored_name(tmp_path: Path) -> None:
    with steno.Session(
        tmp_path / "a.db", name="work", user="carl", wire="openai", window=WINDOW
    ) as carl:
        carl.add({"role": "user", "content": "Words of carl."})
    with pytest.raises(BadInput, match="belongs to another user"):
        steno.Session(tmp_path / "a.db", name="carl:work", wire="openai", window=WINDOW)
    with steno.Session(tmp_path / "a.db", name=StoredName("carl:work")) as opened:
        assert opened.log.messages[0].text == "Words of carl."


def test_a_first_list_with_a_summary_is_taken_apart_in_a_session_that_is_empty(
    tmp_path: Path,
) -> None:
    talk: list[Json] = [{"role": "user", "content": "Begin."}]
    for n in range(60):
        talk += openai_turn(n)
    view = list(Fitter(window=WINDOW).fit(talk))
    assert len(view) < len(talk)
    store = tmp_path / "a.db"
    with closing(SQLiteStore(store)) as before:
        before.create("ann:work", "openai", user="ann")
    taken = Fitter(store=store, user="ann", window=WINDOW).fit(view, session="work").session
    assert taken.name == "ann:work"
    assert taken.log.live and taken.log.live[0].why == "resent"


def test_a_session_of_an_earlier_version_is_found_by_its_own_user_alone(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    talk: list[Json] = [{"role": "user", "content": "Begin."}]
    with closing(SQLiteStore(store)) as earlier:
        earlier.create("1", "openai", user="bob")
    with steno.Session(store, name="1", user="bob", wire="openai", window=WINDOW) as old:
        old.add(*talk)
    more = [*talk, *openai_turn(1)]
    bob = Fitter(store=store, user="bob", window=WINDOW).fit(more, session="1").session
    ann = Fitter(store=store, user="ann", window=WINDOW).fit(more, session="1").session
    assert (bob.name, ann.name) == ("1", "ann:1")
    assert bob.host.store.sessions()[0].messages == len(more)


def test_one_name_in_two_formats_is_two_sessions(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    talk: list[Json] = [{"role": "user", "content": "Begin."}]
    for wire in ("openai", "anthropic"):
        fitter = Fitter(store=store, wire=wire, window=WINDOW)
        assert fitter.fit(talk, session="1").session.host.wire.name == wire
