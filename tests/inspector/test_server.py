"""The inspector as a program meets it: figures, refusals, and what it may change."""

from __future__ import annotations

import http.client
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import steno
from steno.inspector.timeline import WORDS_MOST
from tests.inspector.served import TOKEN, TOOLS, Served, inspect, write_session
from tests.support.command_line import Run
from tests.support.postgres import with_tenant

pytestmark = pytest.mark.slow

NAME = "ann:work"
ACTIONS: dict[str, dict[str, Any]] = {
    "compact": {},
    "undo": {},
    "pin": {"at": 3},
    "unpin": {"at": 3},
    "add_constraint": {"text": "Never push."},
    "retire_constraint": {"id": "c1"},
    "fork": {"at": 4},
    "edit_summary": {"at": 3, "text": "Nothing.", "author": "Ann"},
    "forget": {"confirm": NAME},
    "delete_memory": {"user": "ann", "id": "1"},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("inspector") / "agent.db"
    write_session(path, NAME, user="ann")
    write_session(path, "ann:other", turns=4, user="ann")
    return path


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A store that a test may change."""
    write_session(tmp_path / "agent.db", NAME, user="ann")
    return tmp_path / "agent.db"


@pytest.fixture(scope="module")
def served(store: Path) -> Iterator[Served]:
    with inspect(store) as found:
        yield found


def rows_of(served: Served) -> dict[str, Any]:
    """Read the stream of events until every session is counted."""
    connection = http.client.HTTPConnection("127.0.0.1", served.running.port)
    connection.request("GET", f"/{TOKEN}/inspect/events")
    stream, names, rows = connection.getresponse(), None, {}
    while names is None or rows.keys() < names:
        event = stream.readline().decode().removeprefix("event: ").strip()
        if not event or event.startswith(":"):
            continue
        value = json.loads(stream.readline().decode().removeprefix("data: "))
        if event == "outlines":
            names = {row["session"] for row in value}
        elif event == "row":
            rows[value["session"]] = value
    connection.close()
    return rows


def test_its_figures_are_those_of_show_and_log(served: Served, store: Path, run: Run) -> None:
    row = rows_of(served)[NAME]
    shown = run("show", str(store), "--session", NAME, "--json").json
    assert served.read("view", name=NAME) == {key: shown[key] for key in shown if key != "reported"}
    for key in ("load", "said", "left_out", "messages", "commits", "usable", "pressure"):
        assert row[key] == shown[key], key
    logged = run("log", str(store), "--session", NAME, "--json").json
    drawn = served.read("session", name=NAME)
    for mine, theirs in zip(drawn["commits"], logged["commits"], strict=True):
        assert theirs.items() <= mine.items()
    tokens, says = ([each[key] for each in logged["messages"]] for key in ("tokens", "says"))
    # No provider reported anything: raw tokens are tokens.
    assert drawn["ratio"] == 1
    assert list(map(raw_tokens, drawn["columns"]["parts"])) == tokens
    assert [each[:WORDS_MOST] for each in says] == drawn["columns"]["says"]
    assert row["bill"] == logged["bill"] == shown["bill"]
    followed = run("log", str(store), "--follow", "--json").json
    (mine,) = [each for each in followed if each["session"] == NAME]
    assert {key: row[key] for key in mine if key not in ("turns", "bill")}.items() <= mine.items()
    with steno.Session(store, name=NAME, user="ann", wire="openai") as session:
        figures = (session.load, len(session.log.messages), len(session.log.commits))
        assert (row["load"], row["messages"], row["commits"]) == figures


def raw_tokens(parts: list[Any]) -> int:
    return sum(tokens for _, tokens in parts)


def test_the_steps_add_up_to_the_view(served: Served, store: Path) -> None:
    """What the page computes for the newest request is what the model sees."""
    drawn = served.read("session", name=NAME)
    said = [
        {"start": at, "count": 1, "state": "said", "parts": parts}
        for at, parts in enumerate(drawn["columns"]["parts"])
    ]
    items: dict[int, Any] = {}
    known = 0
    for step in drawn["steps"]:
        items |= {each["start"]: each for each in said[known : step["landed"]]}
        known = step["landed"]
        for new in step["items"]:
            for at in range(new["start"], new["start"] + new["count"]):
                items.pop(at, None)
            items[new["start"]] = new
        assert step["raw"] == sum(raw_tokens(item["parts"]) for item in items.values())
    items |= {each["start"]: each for each in said[known:]}
    found = [(at, items[at]["count"], raw_tokens(items[at]["parts"])) for at in sorted(items)]
    fixed = drawn["fixed"]
    with steno.Session(store, name=NAME, user="ann", wire="openai") as session:
        seen = [(item.span.start, len(item.span), item.tokens) for item in session.view.items]
        assert found == seen
        assert fixed["raw"] + sum(tokens for _, _, tokens in found) == session.load
    assert {item["state"] for item in items.values()} >= {"said", "covered"}
    assert fixed["tools"] > 100 and len(fixed["each_tool"]) == 2


def test_a_store_in_postgresql_shows_the_same(
    served: Served, store: Path, postgres: str, run: Run
) -> None:
    address = with_tenant(postgres)
    assert run("store", "copy", str(store), address).code == 0
    with inspect(address) as other:
        for what in ("session", "view", "constraints"):
            assert other.read(what, name=NAME) == served.read(what, name=NAME), what
        here, there = rows_of(served)[NAME], rows_of(other)[NAME]
        assert here | {"id": ""} == there | {"id": ""}
        assert other.act("pin", session=NAME, at=3).status == 200
        assert other.read("view", name=NAME)["pins"] == [3]


def test_only_what_is_new_is_sent_again(served: Served) -> None:
    whole = served.read("session", name=NAME)
    count, commits = len(whole["columns"]["kind"]), len(whole["commits"])
    more = served.read("session", name=NAME, start=count - 2, commits=commits)
    assert len(more["columns"]["kind"]) == 2 and more["commits"] is more["steps"] is None


def test_an_item_is_opened_with_its_originals_and_the_difference(served: Served) -> None:
    drawn = served.read("session", name=NAME)
    start = next(
        item["start"] for item in drawn["steps"][-1]["items"] if item["state"] == "covered"
    )
    found = served.read("open", name=NAME, at=start + 1)
    assert found["state"] == "covered" and found["summary"]
    assert start + 1 in [each["at"] for each in found["originals"]]
    assert {sign for sign, _ in found["diff"]} >= {"-", "+"}


def test_what_stands_before_the_messages_can_be_read(served: Served) -> None:
    found = served.read("prompt", name=NAME)
    assert found["system"].startswith("You are careful.") and found["constraints"] is None
    assert [json.loads(tool) for tool in found["tools"]] == TOOLS


def test_a_search_finds_words_in_every_session(served: Served) -> None:
    hits = served.read("search", words="importer faster")
    assert {hit["session"] for hit in hits} == {NAME, "ann:other"}


def test_the_replay_of_a_session_is_the_page_of_replay(served: Served) -> None:
    query = {"name": NAME, "policies": "default,default@40,sliding", "window": "4000"}
    page = served.ask("inspect/replay", query)
    assert page.status == 200 and b"steno replay" in page.body and b"default@40" in page.body
    assert served.ask("inspect/replay", query | {"policies": "/etc/x.toml"}).status == 400
    assert served.ask("inspect/replay", query | {"policies": "default@99"}).status == 400


@pytest.mark.parametrize("path", ["", "inspect/app.js", "inspect/session?name=work", "inspect/act"])
@pytest.mark.parametrize(
    ("headers", "token", "status"),
    [
        ({}, "wrong", 401),
        ({}, "", 401),
        ({"host": "evil.example"}, TOKEN, 403),
        ({"host": "evil.example:80", "origin": "http://evil.example:80"}, TOKEN, 403),
        ({"origin": "http://evil.example"}, TOKEN, 403),
        ({"origin": "null"}, TOKEN, 403),
        ({"origin": "http://127.0.0.1:1"}, TOKEN, 403),
        ({"sec-fetch-site": "cross-site"}, TOKEN, 403),
        ({"sec-fetch-site": "same-site"}, TOKEN, 403),
    ],
)
def test_strangers_get_nothing(
    served: Served, path: str, headers: dict[str, str], token: str, status: int
) -> None:
    answer = served.ask(path, token=token, headers=headers)
    assert answer.status == status and b"<html" not in answer.body


@pytest.mark.parametrize("action", ACTIONS)
def test_no_action_without_the_token_or_from_another_page(served: Served, action: str) -> None:
    body = {"do": action, "session": NAME, **ACTIONS[action]}
    before = served.read("view", name=NAME)
    refused: list[tuple[dict[str, str], str]] = [
        ({}, "wrong"),
        ({"origin": "http://evil.example"}, TOKEN),
        ({"host": "evil.example"}, TOKEN),
        ({"sec-fetch-site": "cross-site"}, TOKEN),
        ({"content-type": "text/plain"}, TOKEN),
        ({"content-type": "application/x-www-form-urlencoded"}, TOKEN),
    ]
    for headers, token in refused:
        path = "inspect/act"
        answer = served.ask(path, method="POST", body=body, token=token, headers=headers)
        assert answer.status in (400, 401, 403)
    assert served.ask("inspect/act").status == 404
    assert served.read("view", name=NAME) == before and not served.said


def test_the_page_allows_no_inline_code_and_no_other_server(served: Served) -> None:
    page = served.ask("")
    constraints = page.headers["content-security-policy"]
    assert (
        "unsafe" not in constraints
        and "default-src 'none'" in constraints
        and "http" not in constraints
    )
    assert page.headers["referrer-policy"] == "no-referrer"
    assert served.ask("inspect/../server.py").status == 404
    assert served.ask("inspect/%2e%2e/server.py").status == 404


def test_a_preview_changes_nothing_and_compact_does_it(own: Path, run: Run) -> None:
    with inspect(own) as served:
        before = served.read("view", name=NAME)
        seen = served.act("preview", session=NAME, policy="default", depth=30, focus="parse").json
        assert seen["commit"]["after"] < seen["commit"]["before"] == before["load"]
        assert served.read("view", name=NAME) == before and not served.said
        same = ("--preview", "--policy", "default", "--depth", "30", "--focus", "parse", "--json")
        printed = run("compact", str(own), *same).json
        assert printed == seen
        made = served.act("compact", session=NAME, policy="default", depth=30, focus="parse").json
        assert made["commit"]["after"] == served.read("view", name=NAME)["load"]
        assert served.said == [f"compact {NAME}"]
        served.act("undo", session=NAME)
        assert served.read("view", name=NAME)["load"] == before["load"]


def test_every_action_is_what_the_library_does(own: Path) -> None:
    with inspect(own) as served:
        drawn = served.read("session", name=NAME)
        start = next(
            item["start"] for item in drawn["steps"][-1]["items"] if item["state"] == "covered"
        )
        assert served.act("undo", session=NAME, where=str(start)).json["commit"]["why"] == "edit"
        served.act("undo", session=NAME)
        edited = {"at": start, "text": "All of it is done.", "author": "Ann"}
        assert served.act("edit_summary", session=NAME, **edited).status == 200
        assert served.read("open", name=NAME, at=start)["summary"] == "All of it is done."
        assert served.act("pin", session=NAME, at=start).json == start
        assert served.read("view", name=NAME)["pins"] == [start]
        served.act("unpin", session=NAME, at=start)
        served.act("add_constraint", session=NAME, text="Never push to main.")
        constraints = served.read("constraints", name=NAME)["standing"]
        assert [constraint["text"] for constraint in constraints] == ["Never push to main."]
        assert "Never push" in served.read("view", name=NAME)["constraints"]
        served.act("retire_constraint", session=NAME, id=constraints[0]["id"])
        assert served.read("constraints", name=NAME)["standing"] == []
        forked = served.act("fork", session=NAME, at=4, name="another").json
        assert forked == {"session": "ann:another", "messages": 4}
        refused = served.act("forget", session="ann:another", confirm="another")
        assert refused.status == 400 and "type its name" in refused.json["error"]
        assert served.act("forget", session="ann:another", confirm="ann:another").status == 200
        assert served.ask("inspect/session", {"name": "ann:another"}).status == 404


def test_memories_are_listed_edited_and_forgotten(own: Path, run: Run) -> None:
    write_session(own, "hers", turns=2, user="ann")
    assert run("memory", str(own), "add", "We use Postgres.", "--user", "ann").code == 0
    with inspect(own) as served:
        (ann,) = served.read("memories")
        assert [memory["text"] for memory in ann["memories"]] == ["We use Postgres."]
        number = str(ann["memories"][0]["id"])
        served.act("edit_memory", user="ann", id=number, text="We use SQLite.")
        (memory,) = served.read("memories")[0]["memories"]
        assert memory["text"] == "We use SQLite."
        served.act("delete_memory", user="ann", id=str(memory["id"]))
        assert served.read("memories")[0]["memories"] == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"do": "dance", "session": NAME},
        {"do": "pin", "session": NAME},
        {"do": "pin", "x": 1},
        [],
    ],
)
def test_what_is_no_action_is_refused_with_a_reason(served: Served, body: Any) -> None:
    answer = served.ask("inspect/act", method="POST", body=body)
    assert answer.status == 400 and answer.json["error"]


def test_a_session_that_grows_is_read_on(own: Path, run: Run) -> None:
    with inspect(own) as served:
        count = served.read("view", name=NAME)["messages"]
        with steno.Session(own, name=NAME, user="ann", wire="openai") as session:
            session.add({"role": "user", "content": "One thing more."})
            session.compact()
        shown = run("show", str(own), "--session", NAME, "--json").json
        now = served.read("view", name=NAME)
        assert now["messages"] == count + 1
        assert now == {key: shown[key] for key in shown if key != "reported"}
        assert rows_of(served)[NAME]["load"] == shown["load"]


def test_a_proxy_says_where_its_page_is_once_and_in_the_title() -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "steno", "proxy", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        printed = b""
        try:
            while b"Ctrl-C" not in printed:
                printed += os.read(ours, 4_096)
            title = re.search(rb"\x1b\]0;steno (\S+)\x07", printed)
            assert title is not None
            assert printed.count(b"See the sessions at " + title[1]) == 1
        finally:
            process.terminate()
    os.close(ours)
