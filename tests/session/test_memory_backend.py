"""A backend gets what leaves the view: once, with its place, without tools' words, for its user."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest

from examples.memory_backend import LeftMessage, feed_backend
from steno import Session
from tests.support.paths import ROOT
from tests.support.promises import proves
from tests.support.word_meter import called, said, session


class Shelf:
    """Keeps messages in a list; what it finds first came first."""

    def __init__(self, fails: bool = False) -> None:
        self.kept: list[LeftMessage] = []
        self.fails = fails

    def add(self, message: LeftMessage) -> None:
        if self.fails:
            raise OSError("secret words")
        self.kept.append(message)

    def search(self, query: str, limit: int) -> list[LeftMessage]:
        return [message for message in self.kept if query in message.text][:limit]


def talked(held: Session) -> Session:
    for n in range(4):
        held.add(*said(6, 60, start=n * 100), *called(2, 60, start=n * 2))
        held.compact()
    return held


@proves("memory.backend")
def test_what_leaves_the_view_is_handed_over_once_and_opens_at_its_place() -> None:
    held, shelf = session("lab", window=100_000, user="ann"), Shelf()
    with feed_backend(held, shelf) as feed:
        talked(held)
        feed.flush()
        places = [message.position for message in shelf.kept]
        assert len(places) > 8 and len(set(places)) == len(places)
        for message in shelf.kept:
            assert message.user == "ann" and message.session == held.name
            assert held.open(message.position)["content"] == message.text
        assert all(message.role != "tool" for message in shelf.kept), "tools' words stay here"
        hit = feed.search(shelf.kept[3].text, 1)
        assert hit == [shelf.kept[3]]


@proves("memory.backend")
def test_the_agents_recall_finds_what_other_sessions_of_its_user_left() -> None:
    shelf = Shelf()
    words = {"ann": "invoice 7 was paid", "bob": "invoice 8 was paid"}
    shelf.kept = [LeftMessage(user, "monday", 4, "user", said) for user, said in words.items()]
    held = session("lab", window=100_000, user="ann")
    call = {"query": "invoice", "where": "user"}
    with feed_backend(held, shelf):
        answer = held._parts.tools.answer("recall", json.dumps(call))
        assert "[4 of session monday, outside memory] user: invoice 7 was paid" in answer
        assert "invoice 8" not in answer
        here = held._parts.tools.answer("recall", json.dumps({"query": "invoice"}))
        assert "invoice" not in here, "the session alone was asked for"
        shelf.kept = cast(Any, None)
        assert "did not answer" in held._parts.tools.answer("recall", json.dumps(call))


@proves("memory.backend")
def test_tool_results_are_handed_over_if_asked_for() -> None:
    held, shelf = session("lab", window=100_000), Shelf()
    with feed_backend(held, shelf, tool_results=True):
        talked(held)
    assert "tool" in {message.role for message in shelf.kept}


@proves("memory.backend")
def test_another_users_messages_are_never_found() -> None:
    shelf = Shelf()
    ann, bob = (session("lab", window=100_000, user=user) for user in ("ann", "bob"))
    with feed_backend(ann, shelf), feed_backend(bob, shelf) as bobs:
        talked(ann)
        talked(bob)
        found = bobs.search("", 1_000)
    assert found and {message.user for message in found} == {"bob"}
    assert {message.user for message in shelf.kept} == {"ann", "bob"}


@proves("memory.backend")
def test_a_backend_that_fails_is_logged_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    held = session("lab", window=100_000)
    with feed_backend(held, Shelf(fails=True)) as feed:
        talked(held)
    assert feed.failed > 8 and len(held.log.commits) == 4
    assert "OSError" in caplog.text and "secret" not in caplog.text


class FakeMem0:
    """As much of Mem0 as the page's backend uses."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(self, messages: Any, *, user_id: str, metadata: Any, infer: bool) -> None:
        assert infer is False and user_id == "ann"
        self.rows.append({"memory": messages[0]["content"], "metadata": metadata})

    def search(self, query: str, *, user_id: str, limit: int) -> dict[str, Any]:
        return {"results": [row for row in self.rows if query in row["memory"]][:limit]}


@proves("memory.backend")
def test_the_backend_for_mem0_on_the_page_keeps_and_finds() -> None:
    page = (ROOT / "docs" / "memory.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {"LeftMessage": LeftMessage}
    exec(re.findall(r"```python\n(class Mem0.*?)```", page, re.S)[0], names)
    held = session("lab", window=100_000, user="ann")
    with feed_backend(held, names["Mem0Backend"](FakeMem0())) as feed:
        talked(held)
        first = feed.search("", 1)[0]
    assert first.user == "ann" and held.open(first.position)["content"] == first.text
