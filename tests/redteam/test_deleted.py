"""A session that is deleted while it is open reaches no other session of its name."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import steno
from steno.adapters.mcp import McpSessions
from steno.adapters.resent.incoming import IncomingReader, SdkFormat
from steno.adapters.resent.sessions import ListSessions
from steno.adapters.resent.thread import ResentThread
from steno.adapters.resent.thread_table import ThreadTable
from steno.core.errors import AlreadyThere
from steno.core.log import Commit, Edit
from steno.core.message import Span
from steno.core.store import SessionInfo, Store
from steno.errors import BadEdit, NotHere, SessionGone, StoreFailed
from steno.providers import get_wire
from steno.providers.shared.surface import Reply
from steno.proxy.body import PieceFormat
from steno.proxy.compaction import MARK, WrongItem, note_item, open_item
from steno.proxy.conversations import Conversations
from steno.proxy.outgoing import Outgoing
from steno.proxy.surfaces import SURFACES
from steno.session import stored_session
from steno.session.options import SessionOptions
from steno.store.in_process import MemoryStore
from steno.store.keyed import KeyedStore
from steno.store.sqlite import SQLiteStore
from steno.testing.stores import read_message, user_messages
from tests.support.promises import proves

WINDOW = 8_000
RECALL = {"name": "recall", "arguments": '{"query": "swordfish"}'}
OPEN = {"name": "recall", "arguments": '{"positions": "0"}'}
REMEMBER = {"name": "remember", "arguments": '{"text": "Ann was here."}'}
USES: dict[str, Callable[[steno.Session], object]] = {
    "add": lambda session: session.add(said("Never trust Bob.")),
    "messages": lambda session: session.messages(),
    "request": lambda session: session.request(),
    "call": lambda session: session.call(lambda request: request),
    "compact": lambda session: session.compact(),
    "compact_soon": lambda session: session.compact_soon(),
    "undo": lambda session: session.undo(),
    "fork": lambda session: session.fork(1),
    "open": lambda session: session.open(0),
    "pin": lambda session: session.pin(0),
    "pin a text": lambda session: session.pin("Obey Ann."),
    "unpin": lambda session: session.unpin(0),
    "recall": lambda session: session.recall("swordfish"),
    "recall of the user's": lambda session: session.recall("swordfish", where="user"),
    "handle recall": lambda session: session.handle(RECALL),
    "handle positions": lambda session: session.handle(OPEN),
    "handle remember": lambda session: session.handle(REMEMBER),
    "constraints": lambda session: session.constraints(),
    "set_constraint": lambda session: session.set_constraint("Obey Ann."),
    "memories": lambda session: session.memories(),
    "learn": lambda session: session.learn(),
}


def said(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def open_as(store: Store, user: str, **options: Any) -> steno.Session:
    # As an earlier version stored it: two users may have had the name one after the other.
    with suppress(AlreadyThere):
        store.create("chat", "openai", user=user)
    return steno.Session(
        store=store, name="chat", wire="openai", window=WINDOW, user=user, memory=True, **options
    )


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "memory":
        return MemoryStore()
    return SQLiteStore(tmp_path / "a.db", durable=False)


@proves("session.user")
@pytest.mark.parametrize("replaced", [False, True])
def test_a_handle_of_a_deleted_session_reads_and_changes_nothing(
    store: Store, replaced: bool
) -> None:
    ann = open_as(store, "ann")
    ann.add(said("I am Ann. Never touch the heron table."))
    ann._parts.journal.land(Commit(0, 1, "asked", (Edit(Span(0, 1), (), "prune"),)))
    store.delete("chat")
    if replaced:
        bob = open_as(store, "bob")
        bob.add(said("My code is swordfish."), said("Never tell Ann."), said("Go on."))
        before = bob.messages()
    for use in USES.values():
        with pytest.raises(SessionGone, match="deleted while it was open"):
            use(ann)
    ann.close()

    if replaced:
        bob._parts.journal.refresh()
        assert bob.messages() == before
        assert [constraint.text for constraint in bob.constraints()] == ["Never tell Ann."]
    assert [info.name for info in store.sessions()] == ["chat"] * replaced


@proves("session.user")
def test_where_nothing_was_committed_undo_says_that_the_session_is_gone(store: Store) -> None:
    ann = open_as(store, "ann")
    ann.add(said("I am Ann."))
    with pytest.raises(BadEdit):
        ann.undo()
    store.delete("chat")
    with pytest.raises(SessionGone):
        ann.undo()


@proves("session.user")
def test_a_session_that_is_gone_can_be_closed_and_closes_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_session, "KEPT_LEAST", 1)
    path = tmp_path / "a.db"
    ann = steno.Session(path, name="chat", wire="openai", window=WINDOW)
    ann.add(said("one"))
    with closing(SQLiteStore(path)) as store:
        store.delete("chat")
    ann.close()

    with pytest.raises(StoreFailed, match="was closed"):
        ann.add(said("two"))


@proves("session.user")
def test_nothing_is_learned_of_a_session_that_was_deleted(store: Store) -> None:
    ann = open_as(store, "ann")
    ann.add(said("I am Ann. Always answer in French."))
    store.delete("chat")
    ann.close()

    with closing(open_as(store, "ann")) as again:
        assert again.memories() == []


@proves("session.user")
def test_an_async_handle_and_one_of_a_fork_are_told_too(store: Store) -> None:
    async def run() -> None:
        async with steno.AsyncSession(store=store, name="chat", wire="openai", window=9_000) as ann:
            await ann.add(said("one"), said("two"))
            fork = await ann.fork(1, name="other")
            store.delete("other")
            store.create("other", "openai")
            with pytest.raises(SessionGone, match="'other'"):
                await fork.add(said("three"))
            store.delete("other")
            store.delete("chat")
            store.create("chat", "openai")
            with pytest.raises(SessionGone, match="'chat'"):
                await ann.messages()

    asyncio.run(run())
    assert store.session_info("chat").messages == 0


@proves("session.user")
def test_a_draft_in_the_background_lands_in_no_other_session(store: Store) -> None:
    ann = open_as(store, "ann")
    ann.add(*(said(f"word {n} " * 40) for n in range(30)))
    with ann._parts.journal.lock:
        draft = ann.compact_soon()
        store.delete("chat")
        store.create("chat", "openai")
        store.append("chat", ann.log.messages)
    draft.wait()

    with pytest.raises(SessionGone):
        ann.messages()
    assert store.session_info("chat").commits == 0


@proves("session.user")
def test_the_sessions_of_mcp_are_those_that_were_found(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with steno.Session(path, name="chat", wire="openai", window=WINDOW, user="ann") as session:
        session.add(said("one"))
    served = McpSessions(lambda: SQLiteStore(path), user="ann")
    with closing(served), closing(SQLiteStore(path)) as store:
        found = served._resolve_name(store, "chat")
        store.delete("ann:chat")
        store.create("ann:chat", "openai", user="bob")

        with pytest.raises(SessionGone):
            steno.Session(store=store, name=found, redact=False)


def ask_proxy(proxy: Conversations, user: str, *talk: dict[str, str]) -> Outgoing:
    body = {"model": "gpt-5", "messages": talk}
    return proxy.prepare(SURFACES[0], "", json.dumps(body).encode(), "chat", user)


@proves("session.user")
def test_a_list_goes_on_in_a_new_session_after_its_own_was_deleted(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    talk = [said("one"), {"role": "assistant", "content": "noted"}, said("two")]
    with closing(Conversations(path, SessionOptions(window=WINDOW))) as proxy:
        first = ask_proxy(proxy, "ann", talk[0])
        with closing(SQLiteStore(path)) as store:
            store.delete("ann:chat")
        # A reply to what was asked before comes too late to be kept.
        with pytest.raises(SessionGone):
            proxy.keep(first, Reply([talk[1]]))
        sent = ask_proxy(proxy, "ann", *talk)
        with closing(SQLiteStore(path)) as store:
            kept = store.load("ann:chat", read_message).messages
            store.delete("ann:chat")
            store.create("ann:chat", "openai", user="bob")
            store.append("ann:chat", user_messages("swordfish"))
        refused = ask_proxy(proxy, "ann", *talk, said("three"))

    assert not sent.passed
    assert [message.text for message in kept] == ["one", "noted", "two"]
    assert "belongs to another user" in refused.passed
    assert "swordfish" not in refused.content.decode()


@proves("session.user")
def test_an_item_opens_the_session_that_it_was_made_of(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    form = PieceFormat(get_wire("openai"))
    with closing(Conversations(path, SessionOptions(window=WINDOW), compacts=True)) as proxy:
        made = ask_proxy(proxy, "ann", said("one"), said("two"))
        assert made.thread is not None
        item = note_item(made.thread)
        assert len(open_item(proxy.sessions_of("ann"), item, form)) == 2
        # As earlier versions wrote it: by the session's number, which counts those of all users.
        host, token = made.thread.session.host, item.rpartition(".")[2]
        assert f".{host.id}." not in item
        assert len(open_item(proxy.sessions_of("ann"), f"{MARK}{host.id}.{token}", form)) == 2
        with closing(SQLiteStore(path)) as store:
            store.delete("ann:chat")
        for _ in range(2):
            with pytest.raises(WrongItem):
                open_item(proxy.sessions_of("ann"), item, form)
            # Another talk under the same name, first not there and then there.
            ask_proxy(proxy, "ann", said("swordfish"), said("heron"))


@proves("session.user")
@pytest.mark.parametrize("later", [0, 8])
def test_an_item_stands_for_the_same_messages_after_the_list_lost_some(
    tmp_path: Path, later: int
) -> None:
    form = PieceFormat(get_wire("openai"))
    talk = [said(f"word {n}") for n in range(10)]
    with closing(
        Conversations(tmp_path / "a.db", SessionOptions(window=WINDOW), compacts=True)
    ) as proxy:
        made = ask_proxy(proxy, "ann", *talk)
        item = note_item(made.thread)
        # The client no longer sends four of them, and goes on.
        shorter = [*talk[:2], *talk[6:], *(said(f"later {n}") for n in range(later + 1))]
        assert ask_proxy(proxy, "ann", *shorter).thread is made.thread
        past = open_item(proxy.sessions_of("ann"), item, form)
        assert [json.loads(text) for text, _ in past] == talk
        # And an item of the shorter list stands for no message that was lost before it was made.
        newer = note_item(made.thread)
        past = open_item(proxy.sessions_of("ann"), newer, form)
        assert [json.loads(text) for text, _ in past] == shorter


@proves("session.user")
def test_who_lets_a_session_go_leaves_a_newer_one_of_its_name() -> None:
    table, reader = ThreadTable(), IncomingReader(SdkFormat(get_wire("openai")))
    old, new = (
        table.use(
            ResentThread(steno.Session(name="chat", wire="openai", window=WINDOW), reader, "chat")
        )
        for _ in range(2)
    )
    table.drop(old)
    assert table.by_name == {"chat": new}
    table.drop(new)
    assert table.by_name == {}


@proves("session.user")
def test_a_session_that_is_replaced_while_a_list_is_looked_for_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = PieceFormat(get_wire("openai"))
    may_open = ListSessions._may_open
    with closing(KeyedStore(tmp_path / "a.db")) as store:

        def replace_behind(self: ListSessions, info: SessionInfo, arrival: Any) -> bool:
            store.delete("chat")
            store.create("chat", "openai", user="bob")
            return may_open(self, info, arrival)

        store.create("chat", "openai")
        monkeypatch.setattr(ListSessions, "_may_open", replace_behind)
        with pytest.raises(NotHere):
            ListSessions(tmp_path / "a.db", SessionOptions(window=WINDOW)).newest_of("chat", form)
