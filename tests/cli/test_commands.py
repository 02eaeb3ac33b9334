"""Every command does what its help says, to files and stores, in a terminal and in a pipe."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steno
from steno import Session
from steno.cli import main
from steno.cli.demo.story import opening, story
from steno.cli.options import parse_size
from steno.cli.store import import_
from steno.cli.window_map import cells_of
from steno.inspector.describe import first_argument
from steno.inspector.window_map import KIND_WORDS, WindowMap
from steno.proxy.run import RunningProxy
from tests.support import legal
from tests.support.command_line import Run, refused
from tests.support.loopback import Loopback, Say
from tests.support.promises import proves
from tests.support.sample_messages import anthropic_talk, openai_talk
from tests.support.scripted_models import Broken

Json = dict[str, Any]
CALL = [sys.executable, "-c", "from steno.cli.main import main; main()"]
CALLS = [
    sys.executable,
    "-c",
    """import sys
from steno.cli.main import main
for line in sys.argv[1:]:
    sys.argv = ["steno", *line.split()]
    try:
        main()
    except SystemExit as left:
        print(f"[exit code {left.code or 0}]")
""",
]
"""Several commands in one process: starting it takes longer than what it does."""
ENV = os.environ | {
    "PYTHONPATH": str(Path(steno.__file__).parents[1]),
    "COLUMNS": "80",
    "NO_COLOR": "",
}
WINDOW = "8k"


def dumped(rows: list[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def claude_rows(turns: int, model: str = "claude-x") -> list[Json]:
    """Return a session as Claude Code writes it: one row a block, with other rows between."""
    rows: list[Json] = [{"type": "summary", "summary": "A title", "leafUuid": "x"}]
    parent: str | None = None
    for n, message in enumerate(anthropic_talk(turns)):
        blocks = message["content"]
        parts = (
            [blocks]
            if isinstance(blocks, str) or message["role"] == "user"
            else [[block] for block in blocks]
        )
        for at, content in enumerate(parts):
            said: Json = {"role": message["role"], "content": content}
            if message["role"] == "assistant":
                said = {"id": f"msg_{n}", "model": model, "type": "message"} | said
            uuid = f"u-{n}-{at}"
            row = {
                "parentUuid": parent,
                "isSidechain": False,
                "sessionId": "s",
                "type": message["role"],
            }
            rows.append(
                row | {"message": said, "uuid": uuid, "timestamp": "2026-01-02T03:04:05.000Z"}
            )
            parent = uuid
        rows.append({"type": "progress", "sessionId": "s", "uuid": f"p-{n}", "data": {}})
    return rows


def codex_rows(turns: int) -> list[Json]:
    rows: list[Json] = [{"timestamp": "t", "type": "session_meta", "payload": {"id": "s"}}]
    first = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "Find the slow query."}],
    }
    items: list[Json] = [first]
    for n in range(turns):
        call = {
            "type": "function_call",
            "name": "exec",
            "arguments": f'{{"cmd":"cat {n}"}}',
            "call_id": f"c{n}",
        }
        items += [
            call,
            {"type": "function_call_output", "call_id": f"c{n}", "output": f"row {n} of it\n" * 20},
        ]
    return rows + [{"timestamp": "t", "type": "response_item", "payload": item} for item in items]


def many_rows(*turns: int) -> list[Json]:
    return [{"id": f"t-{count}", "messages": openai_talk(count)} for count in turns]


FILES: dict[str, Callable[[], str]] = {
    "claude.jsonl": lambda: dumped(claude_rows(80)),
    "codex.jsonl": lambda: dumped(codex_rows(120)),
    "openai.jsonl": lambda: dumped(openai_talk(80)),
    "openai.json": lambda: json.dumps(openai_talk(80), indent=2),
    "anthropic.json": lambda: json.dumps({"model": "claude-x", "messages": anthropic_talk(80)}),
    "many.jsonl": lambda: dumped(many_rows(80, 3, 60)),
}
ONE = [name for name in FILES if name != "many.jsonl"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text(), encoding="utf-8")
    return tmp_path


@pytest.fixture
def db(folder: Path) -> Path:
    """Return a store with one session that was compacted a few times and has a pin."""
    path = folder / "agent.db"
    with Session(path, name="one", wire="openai", window=8_000, pins=[0], durable=False) as session:
        talk = openai_talk(80)
        for at in range(0, 144, 8):
            session.add(*talk[at : at + 8])
            session.messages()
        # So much that the compaction which is asked for has something to do.
        session.add(*talk[144:])
        session.compact()
        assert len(session.log.commits) > 2
    return path


@pytest.fixture
def several(db: Path) -> Path:
    with Session(db, name="two", wire="anthropic", window=32_000, durable=False) as session:
        session.add(*anthropic_talk(5))
    with Session(db, name="one", durable=False) as session:
        session.fork(30, name="branch").close()
    return db


def session_of(path: Path, name: str = "one") -> Session:
    return Session(path, name=name, durable=False)


# compact


@pytest.mark.slow
@proves("cli.compact")
@pytest.mark.parametrize("name", FILES)
def test_a_transcript_comes_back_in_its_format_and_fits(run: Run, folder: Path, name: str) -> None:
    before = (folder / name).read_bytes()
    ran = run("compact", name, "--window", WINDOW, "-o", "out.x")
    assert ran.code == 0 and ran.err == ""
    assert " → " in ran.out and "fit" in ran.out and "written to out.x" in ran.out
    assert (folder / name).read_bytes() == before
    assert len((folder / "out.x").read_bytes()) < len(before)
    again = run("compact", "out.x", "--window", WINDOW, "-o", "again.x", "--json").json
    first = run("compact", name, "--window", WINDOW, "-o", "twice.x", "--json").json
    assert again["format"] == first["format"] and again["fits"]
    assert [each["commits"] for each in again["conversations"]] == [
        [] for _ in again["conversations"]
    ]
    assert (
        (folder / "again.x").read_bytes()
        == (folder / "out.x").read_bytes()
        == (folder / "twice.x").read_bytes()
    )


@proves("cli.compact")
@pytest.mark.parametrize("name", ["openai.jsonl", "openai.json"])
def test_what_comes_out_is_legal_and_its_untouched_messages_are_untouched(
    run: Run, folder: Path, name: str
) -> None:
    run("compact", name, "-w", WINDOW, "-o", "out")
    text = (folder / "out").read_text()
    messages = (
        json.loads(text)
        if name.endswith("json")
        else [json.loads(line) for line in text.splitlines()]
    )
    assert legal.openai_chat({"messages": messages}) == []
    assert messages[-5:] == openai_talk(80)[-5:]


@proves("cli.compact")
@pytest.mark.parametrize("name", FILES)
def test_without_pressure_a_file_comes_back_to_the_byte(run: Run, folder: Path, name: str) -> None:
    ran = run("compact", name, "--window", "1M", wide=True)
    assert ran.code == 0 and ran.out.encode() == (folder / name).read_bytes()
    assert "no pressure" in ran.err or "0 compacted" in ran.err
    assert "written to stdout" in ran.err


@proves("cli.compact")
def test_what_is_left_unchanged_under_pressure_says_why(run: Run, folder: Path) -> None:
    few = [{"role": "user", "content": "Find the slow query. " * 1_100}]
    (folder / "few.jsonl").write_text(dumped(few))
    (folder / "few.toml").write_text("soft = 0.65\ngoal = 0.5\nhard = 0.99\nleast = 4\n")
    arguments = ("few.jsonl", "-w", "8k", "-p", "few.toml")
    shown = run("compact", *arguments, "-o", "out.jsonl").out
    assert "1 message unchanged: under 4 messages" in shown and "--force" not in shown
    told = run("compact", *arguments, "-o", "json.jsonl", "--json").json
    assert told["conversations"][0]["skipped"] == "under 4 messages"
    assert "would leave it as it is: under 4 messages" in run("show", *arguments).out


@proves("cli.compact")
def test_a_session_that_was_just_compacted_says_how_much_must_come_first(
    run: Run, folder: Path
) -> None:
    with Session(folder / "close.db", name="s", wire="openai", window=8_000) as session:
        session.add(*openai_talk(25))
    policy = 'soft = 0.3\ngoal = 0.05\nhard = 0.99\ntail = {type = "messages", n = 30}\n'
    (folder / "close.toml").write_text(policy)
    assert "→" in run("compact", "close.db", "-p", "close.toml").out
    shown = " ".join(run("compact", "close.db", "-p", "close.toml").out.split())
    assert "new tokens since the last commit; --force compacts anyway" in shown


@proves("cli.compact")
def test_it_reads_stdin_and_writes_stdout(run: Run, folder: Path) -> None:
    said = (folder / "openai.jsonl").read_bytes()
    ran = run("compact", "-", "-w", WINDOW, stdin=said, wide=True)
    run("compact", "openai.jsonl", "-w", WINDOW, "-o", "out.jsonl")
    assert ran.out == (folder / "out.jsonl").read_text()
    refused(run("compact", "-", "-w", WINDOW, stdin=b'{"role": "user"'), "stdin")


@pytest.mark.slow
@proves("cli.compact")
def test_a_packed_file_comes_back_packed(run: Run, folder: Path) -> None:
    (folder / "a.jsonl.gz").write_bytes(gzip.compress((folder / "claude.jsonl").read_bytes()))
    told = run("compact", "a.jsonl.gz", "-w", WINDOW, "--json").json
    assert told["out"] == "a.compact.jsonl.gz" and told["format"] == "claude-code"
    run("compact", "claude.jsonl", "-w", WINDOW, "-o", "plain")
    assert (
        gzip.decompress((folder / "a.compact.jsonl.gz").read_bytes())
        == (folder / "plain").read_bytes()
    )


@proves("cli.compact")
def test_what_was_covered_opens_in_the_input_under_the_same_place(run: Run, folder: Path) -> None:
    told = run("compact", "openai.jsonl", "-w", WINDOW, "-o", "out.jsonl", "--json").json
    edits = told["conversations"][0]["commits"][-1]["edits"]
    edit = next(edit for edit in edits if "-" in edit["place"])
    start, end = map(int, edit["place"].split("-"))
    assert (
        run("open", "openai.jsonl", edit["place"], "--json").json
        == openai_talk(80)[start : end + 1]
    )
    told_why = "this file or list was compacted before; open it in the original"
    refused(run("open", "out.jsonl", edit["place"]), told_why)
    kept = told["conversations"][0]["boundary"]
    assert run("open", "out.jsonl", kept, "--json").json == openai_talk(80)[kept]


@proves("cli.compact")
def test_what_does_not_fit_is_written_and_says_so(run: Run, folder: Path) -> None:
    # Of a long message head and tail are shown; a system prompt is never shortened.
    said = [{"role": "system", "content": "word " * 1_850}, {"role": "user", "content": "Go on."}]
    (folder / "big.json").write_text(json.dumps(said))
    ran = run("compact", "big.json", "--wire", "openai", "-w", "2k", "-o", "out.json")
    assert ran.code == 1 and "does not fit" in ran.out and (folder / "out.json").exists()
    strict = run("compact", "big.json", "-w", "2k", "--strict", "-o", "strict.json")
    assert (
        strict.code == 1
        and "nothing was written" in strict.err
        and not (folder / "strict.json").exists()
    )


@proves("cli.compact")
def test_force_compacts_at_any_fill(run: Run, folder: Path) -> None:
    told = run("compact", "openai.jsonl", "-w", "200k", "--force", "-o", "out", "--json").json
    assert told["after"] < told["before"] / 1.9
    assert told["conversations"][0]["commits"][0]["why"] == "asked"


@pytest.mark.slow
@proves("cli.compact")
def test_a_writer_writes_with_a_focus(run: Run, folder: Path) -> None:
    with Loopback(
        lambda heard: Say(json.dumps({"facts": [{"text": "The log was read.", "cites": [2]}]}))
    ) as server:
        name = f"{server.openai}#small"
        ran = run(
            *("compact", "openai.jsonl", "-w", WINDOW, "-o", "out.jsonl", "--json"),
            *("--writer", name, "--focus", "the slow query"),
        )
    assert server.heard and all("the slow query" in heard.prompt for heard in server.heard)
    assert ran.code == 0 and {heard.body["model"] for heard in server.heard} == {"small"}
    refused(run("compact", "openai.jsonl", "-w", WINDOW, "--writer", "nobody"), "openai:gpt-5-mini")


@pytest.mark.slow
@proves("cli.compact")
@pytest.mark.parametrize("window", [WINDOW, "200k"])
def test_secrets_are_taken_out_of_what_is_written(run: Run, folder: Path, window: str) -> None:
    secret = "AKIA" + "Q3EGRIH4SAMPLE77"
    said = [*openai_talk(80), {"role": "user", "content": f"use {secret}"}]
    (folder / "open.jsonl").write_text(dumped(said))
    (folder / "open.json").write_text(json.dumps(said, indent=2))
    for name in ("open.jsonl", "open.json"):
        assert run("compact", name, "-w", window, "--redact", "-o", f"out-{name}").code == 0
        text = (folder / f"out-{name}").read_text()
        assert (
            secret not in text
            and "[redacted:aws#" in text
            and secret in (folder / name).read_text()
        )
    assert run("compact", "openai.jsonl", "-w", "200k", "--redact", "-o", "same").code == 0
    assert (folder / "same").read_bytes() == (folder / "openai.jsonl").read_bytes()


@proves("cli.compact")
def test_output_can_be_written_to_a_device(run: Run, folder: Path) -> None:
    ran = run("compact", "openai.jsonl", "-w", WINDOW, "-o", os.devnull)
    assert ran.code == 0 and f"written to {os.devnull}" in ran.out
    assert not Path(os.devnull).is_file() and list(Path(os.devnull).parent.glob(".steno-*")) == []


@proves("cli.compact")
def test_the_model_that_a_file_names_counts(run: Run, folder: Path) -> None:
    (folder / "named.jsonl").write_text(dumped(claude_rows(3, model="claude-sonnet-4-5-20250929")))
    told = run("compact", "named.jsonl", "-o", "out", "--json").json
    assert told["conversations"][0]["window"] >= 200_000
    refused(run("compact", "openai.jsonl", "-o", "other"), "--window 32k", "--model")
    refused(run("compact", "openai.jsonl", "--model", "gpt-4oo"), "--window", "gpt-4o")


@proves("cli.compact")
def test_a_session_is_compacted_in_its_store(run: Run, db: Path) -> None:
    again = run("compact", db.name, "--force")
    assert again.code == 0 and "little was said since the last compaction" in again.out
    with session_of(db) as session:
        commits = len(session.log.commits)
        session.add(*openai_talk(20)[1:])
    ran = run("compact", db.name, "--force")
    assert ran.code == 0 and "steno open agent.db" in ran.out
    assert len(session_of(db).log.commits) == commits + 1
    assert session_of(db).log.commits[-1].why == "asked"
    refused(run("compact", db.name, "-w", WINDOW), "its own limits")
    refused(run("compact", db.name, "--redact"), "is for a transcript")


# show


@proves("cli.show")
@pytest.mark.parametrize("name", ONE)
def test_a_file_is_shown_now_and_compacted_and_not_changed(
    run: Run, folder: Path, name: str
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ran = run("show", name, "--window", WINDOW)
    assert ran.code == 0
    for words in (
        "does not fit",
        "After steno compact",
        "no pressure",
        "verbatim from",
        "a summary of",
        "╎ goal",
    ):
        assert words in ran.out
    for words in (
        "tool results",
        "agent",
        "Steno's shorthand",
        "kept for the reply",
        "hard",
        "soft",
    ):
        assert words in ran.out
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@proves("cli.show")
def test_without_a_window_it_shows_what_there_is(run: Run, folder: Path) -> None:
    ran = run("show", "openai.jsonl")
    assert "Add --window" in ran.out and "goal" not in ran.out
    assert "items, as said" in ran.out and "Find the slow query" in ran.out
    assert len(run("show", "openai.jsonl", "--all").out.splitlines()) > 161


@pytest.mark.slow
@proves("cli.show")
def test_a_session_is_shown_without_touching_it(run: Run, db: Path) -> None:
    before = db.read_bytes()
    ran = run("show", db.name)
    assert "pinned: Find the slow query" in ran.out and "a summary of" in ran.out
    told = run("show", db.name, "--json").json
    session = session_of(db)
    assert told["load"] == session.load and told["boundary"] == session.view.boundary
    assert [item["span"] for item in told["items"]] == [
        str(item.span) for item in session.view.items
    ]
    session.close()
    assert db.read_bytes() == before


@pytest.mark.slow
@proves("cli.show")
def test_a_session_or_conversation_is_chosen_by_name_or_number(run: Run, several: Path) -> None:
    assert run("show", several.name, "-s", "two", "--json").json["wire"] == "anthropic"
    assert run("show", several.name, "--session", "branch", "--json").json["messages"] == 30
    assert run("show", "many.jsonl", "-s", "t-3", "--json").json["messages"] == 7
    assert run("show", "many.jsonl", "-s", "2", "--json").json["name"] == "t-60"
    refused(run("show", several.name), "3 sessions", "--session", "one, two, branch")
    told = run("show", several.name, "-s", "nobody")
    refused(told, "no session is named 'nobody'", "one, two, branch")
    refused(run("show", "many.jsonl"), "--session", "t-80, t-3, t-60")
    refused(run("show", "many.jsonl", "-s", "t-4"), "t-80, t-3, t-60")


@proves("cli.show")
@pytest.mark.parametrize("count", [10, 97, 400])
def test_the_cells_of_the_map_weigh_what_the_window_holds(db: Path, count: int) -> None:
    session = session_of(db)
    window = WindowMap.of(session.view, session.load, session.budget)
    assert window.load == session.load and min(tokens for _, tokens in window.parts) >= 0
    assert sum(window.totals.values()) == session.budget.window
    cells = cells_of(window, count)
    assert len(cells) == count and set(cells) <= set(KIND_WORDS) and "shorthand" in cells
    for kind in ("results", "free", "reserve"):
        assert (
            abs(cells.count(kind) / count - window.totals[kind] / window.extent) < 0.02 + 2 / count
        )


@pytest.mark.slow
@proves("cli.show")
def test_pictures_thoughts_mended_and_shortened_messages_have_words_of_their_own(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "story.db"
    # A window in which the story ends with a shortened message in view.
    with Session(
        path, wire="anthropic", window=17_000, pins=[0], durable=False, **opening()
    ) as session:
        for message in story():
            if message["role"] == "assistant":
                session.request()
            session.add(message)
        count = len(session.log.messages)
    every = run("show", path, "--all").out
    for words in (
        "pinned: Never touch",
        "shortened, open",
        "a summary of",
        "read_file ×",
        "verbatim from",
    ):
        assert words in every
    said = run("log", path, "--messages").out
    for words in ("[image 640×480]", "✗ ", "on arrival", "intake ×1", "── commit 0"):
        assert words in said
    opened = run("open", path, f"0-{count - 1}", wide=True).out
    for words in (
        "result of toolu_",
        "✗ failed",
        "the model sees a summary of",
        "shortened",
        "media",
    ):
        assert words in opened
    items = run("show", path, "--json").json["items"]
    assert {"covered", "short", "said"} <= {item["state"] for item in items}


@proves("cli.show")
def test_an_unanswered_call_is_shown_repaired(run: Run, folder: Path) -> None:
    (folder / "cut.jsonl").write_text(
        dumped([*openai_talk(3)[:-1], {"role": "user", "content": "Go on."}])
    )
    assert "repaired: Go on." in run("show", "cut.jsonl").out
    thought = {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}
    rows = codex_rows(3)
    rows.insert(2, {"timestamp": "t", "type": "response_item", "payload": thought})
    (folder / "thinks.jsonl").write_text(dumped(rows))
    assert "(thinking), shown with the next message" in run("show", "thinks.jsonl").out


@proves("cli.compact")
def test_reasoning_that_waits_for_its_reply_is_not_called_compacted(run: Run, folder: Path) -> None:
    thought = {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}
    rows = codex_rows(6)
    for at in range(len(rows) - 2, 1, -2):
        rows.insert(at, {"timestamp": "t", "type": "response_item", "payload": thought})
    (folder / "thinks.jsonl").write_text(dumped(rows))
    ran = run("compact", "thinks.jsonl", "-w", "200k", "-o", "out.jsonl", wide=True)
    assert "unchanged" in ran.out + ran.err and "compacted before" not in ran.out + ran.err


# open


def test_a_long_message_opens_from_the_place_of_a_hit(run: Run, folder: Path) -> None:
    words = (
        f"{'A line of the plan. ' * 150}Restart the harbour gateway at noon.{' And so on.' * 50}"
    )
    (folder / "plan.jsonl").write_text(json.dumps({"role": "user", "content": words}) + "\n")
    found = run("recall", "plan.jsonl", "harbour gateway").out
    place = found.rpartition("steno open plan.jsonl ")[2].split()[0]
    position, _, start = place.partition("@")
    assert position == "0" and int(start) > 2_000
    opened = " ".join(run("open", "plan.jsonl", place, wide=True).out.split())
    assert "Restart the harbour gateway at noon." in opened
    assert opened.startswith(f"0 from character {int(start):,} of {len(words):,}")
    for wrong in ("0-1@5", "0.0@5", "0@x", f"0@{len(words)}", f"0@{'9' * 5_000}"):
        refused(run("open", "plan.jsonl", wrong), "character")


@pytest.mark.slow
@proves("cli.show")
@pytest.mark.parametrize("name", ["openai.jsonl", "openai.json", "agent.db"])
def test_every_place_opens_as_it_was_said(run: Run, db: Path, name: str) -> None:
    talk = openai_talk(80)
    assert run("open", name, "3", "--json").json == talk[3]
    assert run("open", name, "17-42", "--json").json == talk[17:43]
    assert run("open", name, "2.0", "--raw", wide=True).out == talk[2]["content"]
    assert run("open", name, "2.0", "--json").json["content"] == [
        {"type": "text", "text": talk[2]["content"]}
    ]


@proves("cli.show")
def test_it_is_readable(run: Run, db: Path) -> None:
    ran = run("open", db.name, "1-2")
    tokens, span = ran.out.split("  ")[2].split()[0], ran.out.split()[10]
    assert ran.out.splitlines()[:6] == [
        f"1  assistant  {tokens} tokens  the model sees a summary of {span}",
        "  1.0 text",
        "  Reading file 0.",
        "  1.1 → read_file  call-0",
        "  path: src/query_0.py",
        "",
    ]
    assert "2.0 result of call-0" in ran.out and "  row 0 of the table" in ran.out


@pytest.mark.slow
@proves("cli.show")
def test_raw_is_the_very_lines_of_a_file(run: Run, folder: Path) -> None:
    lines = (folder / "claude.jsonl").read_text().splitlines(keepends=True)
    assert run("open", "claude.jsonl", "0", "--raw", wide=True).out == lines[1]
    assert run("open", "claude.jsonl", "1", "--raw", wide=True).out == "".join(lines[3:5])


@proves("cli.show")
def test_what_a_terminal_would_obey_is_shown_not_sent(run: Run, folder: Path) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J done"
    (folder / "evil.jsonl").write_text(dumped([{"role": "user", "content": evil}]))
    assert "\\u001b[2J done" in run("open", "evil.jsonl", "0").out
    assert "\\u001b[2J done" in run("log", "evil.jsonl").out
    assert run("open", "evil.jsonl", "0", "--json").json["content"] == evil


@proves("cli.show")
@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("999", "holds 161"),
        ("5-3", "is reversed"),
        ("2.7", "1 block"),
        ("x", "no place"),
        ("-1", "No such option"),
    ],
)
def test_a_place_that_is_not_there_says_what_is(run: Run, db: Path, place: str, words: str) -> None:
    refused(run("open", db.name, place), words)


# log, undo, fork


@pytest.mark.slow
@proves("cli.show")
def test_commits_are_listed_in_order_with_their_reasons(run: Run, db: Path) -> None:
    run("store", "undo", db.name)
    ran = run("log", db.name)
    session = session_of(db)
    for commit in session.log.commits[:-1]:
        assert f"{commit.before:,} → {commit.after:,}" in ran.out
    newest = len(session.log.commits) - 1
    assert (
        f"undo: reverts commit {newest - 1}" in ran.out
        and f"reverted by commit {newest}" in ran.out
    )
    assert "161 messages" in ran.out and "asked for" in ran.out
    assert re.search(r"summarize ×\d+: 1-\d+", ran.out)
    told = run("log", db.name, "--json").json
    assert [commit["why"] for commit in told["commits"]] == [
        commit.why for commit in session.log.commits
    ]
    assert len(told["messages"]) == 161


@proves("cli.show")
def test_a_finding_without_a_place_is_a_note_and_no_dropped_proposal(
    run: Run, folder: Path
) -> None:
    policy = steno.Policy(ladder=(Broken(),))
    with Session(folder / "b.db", name="s", wire="openai", window=6_000, policy=policy) as session:
        session.add(*openai_talk(60))
        session.messages()
        (finding,) = session.log.commits[-1].findings
    assert not finding.place
    shown = run("log", "b.db").out
    assert f"note of {finding.by}: landed without reading facts" in shown
    assert "dropped a proposal" not in shown


@proves("cli.show")
def test_sessions_are_listed_where_there_are_several(run: Run, several: Path) -> None:
    ran = run("log", several.name)
    assert "3 sessions" in ran.out and "one at 30" in ran.out
    told = run("log", several.name, "--json").json
    assert [(each["session"], each["parent"], each["fork"]) for each in told] == [
        ("one", None, None),
        ("two", None, None),
        ("branch", "one", 30),
    ]
    assert "t-3 " in run("log", "many.jsonl").out
    refused(run("log", several.name, "--session", "nobody"), "nobody")


@pytest.mark.slow
@proves("cli.show")
def test_messages_are_a_line_each(run: Run, several: Path) -> None:
    lines = run("log", "claude.jsonl").out.splitlines()
    assert len(lines) == 2 + 161 and "→ read_file src/query_0.py" in lines[3]
    both = run("log", several.name, "-s", "one", "--messages").out
    assert (
        both.index("→ read_file src/query_0.py")
        < both.index("summarize ×")
        < both.index("src/query_79.py")
    )


@proves("cli.show")
def test_undo_takes_the_newest_commit_down(run: Run, db: Path) -> None:
    count = len(session_of(db).log.commits)
    before = run("show", db.name, "--json").json["load"]
    told = run("store", "undo", db.name, "--json").json
    assert (told["reverts"], told["commit"], told["before"]) == (count - 1, count, before)
    assert run("show", db.name, "--json").json["load"] == told["after"] > before
    while session_of(db).log.live:
        assert "is reverted" in run("store", "undo", db.name).out
    refused(run("store", "undo", db.name), "nothing to undo")


@proves("cli.show")
def test_a_message_is_pinned_and_a_summary_written_again(run: Run, db: Path) -> None:
    words = openai_talk(80)[5]["content"]
    assert "[5] is pinned" in run("store", "pin", db.name, "5").out
    assert run("show", db.name, "--json").json["pins"] == [0, 5]
    assert run("store", "pin", db.name, "5", "--remove", "--json").json["pinned"] is False
    assert run("show", db.name, "--json").json["pins"] == [0]
    told = run("store", "edit", db.name, "5", "All of it went well. [5]", "--json").json
    assert "All of it went well." in str(session_of(db).messages())
    assert told["after"] == run("show", db.name, "--json").json["load"]
    again = run("store", "edit", db.name, "5", "-", stdin=b"Written from a file. [5]")
    assert "is written again" in again.out
    assert run("store", "undo", db.name).code == 0
    assert "All of it went well." in str(session_of(db).messages())
    assert run("open", db.name, "5", "--json").json["content"] == words
    refused(run("store", "pin", db.name, "999"), "999")
    refused(run("store", "edit", db.name, "160", "No."), "160")


@pytest.mark.slow
@proves("cli.show")
def test_a_fork_begins_where_it_is_told(run: Run, db: Path) -> None:
    assert (
        "what-if begins as one at 40"
        in run("store", "fork", db.name, "--at", "40", "--name", "what-if").out
    )
    assert run("open", db.name, "39", "-s", "what-if", "--json").json == openai_talk(80)[39]
    refused(run("open", db.name, "40", "-s", "what-if"), "holds 40 messages")
    assert run("store", "fork", db.name, "-s", "one", "--json").json["messages"] == 161
    refused(
        run("store", "fork", db.name, "--at", "40", "--name", "what-if", "-s", "one"),
        "exists already",
    )
    refused(run("store", "fork", db.name, "--at", "9999", "-s", "one"), "9999")


# export, import


@pytest.mark.slow
@proves("store.copied")
def test_everything_or_the_view_is_exported(run: Run, db: Path) -> None:
    everything = [json.loads(line) for line in run("export", db.name, wide=True).out.splitlines()]
    assert everything == openai_talk(80) == run("export", db.name, "--json").json
    written = run("export", db.name, "--view", "-o", "view.jsonl", "--json").json["messages"]
    view = [json.loads(line) for line in (db.parent / "view.jsonl").read_text().splitlines()]
    assert written == len(view) < 161
    session = session_of(db)
    assert view == session.messages() and legal.openai_chat({"messages": view}) == []


@pytest.mark.slow
@proves("store.copied")
@pytest.mark.parametrize("name", ["one", "two"])
def test_a_copied_session_is_the_same_in_its_own_store(run: Run, several: Path, name: str) -> None:
    assert run("store", "copy", several.name, "new.db", "-s", name).code == 0
    one, back = session_of(several, name), session_of(several.parent / "new.db", name)
    assert (back.log.messages, back.log.commits) == (one.log.messages, one.log.commits)
    assert (back._parts.journal.stored_settings, back._parts.settings.wire, back.load) == (
        one._parts.journal.stored_settings,
        one._parts.settings.wire,
        one.load,
    )
    assert back.messages() == one.messages()


def test_a_transcript_that_has_grown_is_imported_again(run: Run, folder: Path) -> None:
    talk = openai_talk(20)
    (folder / "grown.jsonl").write_text(dumped(talk[:20]))
    run("import", "grown.jsonl", "new.db", "-w", "32k")
    (folder / "grown.jsonl").write_text(dumped(talk))
    [told] = run("import", "grown.jsonl", "new.db", "-w", "32k", "--json").json["sessions"]
    assert told["stored_before"] and told["messages"] == len(talk)


@pytest.mark.parametrize("name", ["", "two\nlines"])
def test_a_session_is_not_imported_under_a_name_that_no_line_can_show(
    run: Run, folder: Path, name: str
) -> None:
    (folder / "talk.jsonl").write_text(dumped(openai_talk(4)))
    ran = run("import", "talk.jsonl", "new.db", "-w", "32k", "--name", name)
    assert ran.code == 2 and "one line of text" in ran.err
    assert run("import", "talk.jsonl", "new.db", "-w", "32k", "--name", "talk").code == 0
    assert run("log", "new.db", "--json").json["session"] == "talk"


@pytest.mark.slow
@proves("store.copied")
@pytest.mark.parametrize("name", FILES)
def test_a_transcript_becomes_a_session_and_comes_out_again(
    run: Run, folder: Path, name: str
) -> None:
    ran = run("import", name, "new.db", "--window", "32k")
    assert ran.code == 0 and "stored in new.db" in ran.out
    for told in (
        [run("log", "new.db", "--json").json]
        if name in ONE
        else run("log", "new.db", "--json").json
    ):
        out = run("export", "new.db", "-s", told["session"], wide=True).out
        (folder / "out.jsonl").write_text(out)
        count = told["messages"] if isinstance(told["messages"], int) else len(told["messages"])
        assert len(out.splitlines()) == count > 6
        assert (
            run("open", "out.jsonl", "0-5", "--json").json
            == run(
                "open", name, "0-5", "--json", *(() if name in ONE else ("-s", told["session"]))
            ).json
        )


@pytest.mark.slow
@proves("store.copied")
def test_a_compacted_file_becomes_a_session_that_says_what_is_elsewhere(
    run: Run, folder: Path
) -> None:
    run("compact", "openai.jsonl", "-w", WINDOW, "-o", "short.jsonl")
    run("import", "short.jsonl", "new.db", "-w", WINDOW)
    assert run("export", "new.db", wide=True).out == dumped_compact(folder / "short.jsonl")
    assert run("show", "new.db", "--json").json["messages"] == 161
    run("store", "copy", "new.db", "other.db")
    assert run("show", "other.db").out == run("show", "new.db").out


def dumped_compact(path: Path) -> str:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return "".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows
    )


@pytest.mark.slow
@proves("store.copied")
def test_nothing_is_written_over_and_no_store_is_half_made(run: Run, db: Path) -> None:
    refused(run("export", db.name, "-o", "openai.jsonl"), "--overwrite")
    refused(run("export", db.name, "-o", db.name, "--overwrite"), "never touched")
    refused(run("import", "openai.jsonl", "new.db"), "--window")
    refused(
        run("import", "codex.jsonl", db.name, "-w", WINDOW, "--name", "one"),
        "'one' already",
        "--name",
    )
    refused(run("import", "openai.jsonl", "claude.jsonl", "-w", WINDOW), "not a store")
    refused(run("import", db.name, "new.db"), "store already")
    assert not (db.parent / "new.db").exists()
    assert run("export", db.name, "-o", "openai.jsonl", "--overwrite").code == 0
    again = run("import", "openai.json", db.name, "-w", WINDOW, "--name", "one")
    assert again.code == 0 and "stored before" in again.out
    refused(run("replay", "openai.jsonl", "--html", "codex.jsonl"), "--overwrite")


# errors and JSON


BAD: dict[str, tuple[bytes | None, str]] = {
    "missing.jsonl": (None, "no such file"),
    "empty.jsonl": (b"", "empty"),
    "binary.jsonl": (bytes(range(256)) * 9, "binary"),
    "latin.jsonl": ('{"role": "user", "content": "é"}\n'.encode("latin-1"), "not UTF-8"),
    "unknown.jsonl": (b'{"a": 1}\n{"b": 2}\n', "no known format"),
    "prose.txt": (b"Dear diary\n", "no known format"),
    "cut.json": (b'[{"role": "user", "content": "hi"}, {"role": "ass', "cut off"),
    "cut_object.json": (b'{\n"messages": [\n{"role": "user",\n', "after line 3, column 16"),
    "cut_line.jsonl": (b'{"role": "user", "content": "Find the', "cut off"),
    "silent.json": (b'[{"role": "user"}]', "needs a content"),
}


READING = (
    "show FILE",
    "open FILE 0",
    "log FILE",
    "recall FILE mill",
    "replay FILE",
    "replay FILE --price -m gpt-5",
    "constraints FILE",
    "probe FILE -w 8k",
    "probe --handover FILE",
    "compact FILE -w 8k -o out",
    "import FILE new.db -w 8k",
)
"""Commands that read a transcript."""


@proves("cli.errors")
def test_a_damaged_line_is_named_and_the_rest_is_read(run: Run, folder: Path) -> None:
    line = b'{"role": "user", "content": "Find the mill."}\n'
    (folder / "broken.jsonl").write_bytes(line + b'{"role": \n' * 9 + line)
    shown = run("show", "broken.jsonl")
    assert "2 messages" in shown.out
    assert "broken.jsonl:2: not JSON" in shown.err
    assert "and 4 more lines that cannot be read" in shown.err
    for command in READING:
        words = command.replace("FILE", "broken.jsonl").split()
        refused(run(*words, "--strict"), "broken.jsonl:2: not JSON")
        assert "broken.jsonl:2: not JSON" in run(*words).err
    # Claude Code writes a reply as several rows; a line between two of them is told too.
    rows = [json.dumps(row) for row in claude_rows(2)]
    reply = next(row for row in rows if '"assistant"' in row)
    between = [reply, '{"type": "assi', reply]
    (folder / "split.jsonl").write_text("\n".join([rows[0], *between]) + "\n")
    assert "split.jsonl:3: not JSON" in run("show", "split.jsonl").err


@pytest.mark.slow
@proves("cli.errors")
def test_what_an_agent_compacted_itself_can_be_opened_and_found(run: Run, folder: Path) -> None:
    rows = claude_rows(4)
    before = len([row for row in rows if row["type"] in ("user", "assistant")])
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "sessionId": "5e55"}
    summary = {"role": "user", "content": "This session is continued: the mill is found."}
    told = {"type": "user", "uuid": "s", "isCompactSummary": True, "message": summary}
    (folder / "claude.jsonl").write_text(dumped([*rows, boundary, told]))

    for words in (["show", "claude.jsonl"], ["recall", "claude.jsonl", "slow query"]):
        assert f"compacted this session at line {len(rows) + 1}" in run(*words).err
    opened = run("open", "claude.jsonl", "0", wide=True).out
    assert "Find the slow query" in opened and "the model does not see it" in opened
    found = run("recall", "claude.jsonl", "slow query", "--json").json
    assert found["hits"][0]["position"] == 0
    run("import", "claude.jsonl", "agent.db", "-w", "32k")
    assert "came compacted" in run("log", "agent.db").out
    assert f"{before} messages" not in run("show", "agent.db").out


@proves("cli.errors")
def test_times_of_a_transcript_are_kept(run: Run, folder: Path) -> None:
    line = '{{"timestamp": "2026-0{}-02T03:04:00Z", "type": "response_item", "payload": {}}}\n'
    item = '{"type": "message", "role": "user", "content": "Find the mill."}'
    (folder / "codex.jsonl").write_text(line.format(1, item) + line.format(3, item))
    run("import", "codex.jsonl", "agent.db", "-w", "32k")
    for place in ("codex.jsonl", "agent.db"):
        found = run("recall", place, "mill", "--since", "2026-02-01", "--json").json
        assert [hit["position"] for hit in found["hits"]] == [1], place
    refused(run("recall", "openai.jsonl", "mill", "--since", "2026-02-01"), "has no times")


@pytest.mark.slow
@proves("cli.errors")
@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("show", ""),
        ("log", ""),
        ("constraints", ""),
        ("replay", "--html out"),
        ("open", "0"),
        ("recall", "mill"),
        ("probe", "-w 8k"),
        ("replay", "--price -m gpt-5"),
        ("compact", "-w 8k -o out"),
        ("import", "new.db -w 8k"),
    ],
)
def test_a_bad_file_is_one_line(run: Run, tmp_path: Path, command: str, more: str) -> None:
    for name, (content, words) in BAD.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        out = [str(tmp_path / word) if word in ("out", "new.db") else word for word in more.split()]
        refused(run(command, path, *out), words, name)
        assert {file.name for file in tmp_path.iterdir()} <= set(BAD)


@proves("cli.errors")
@pytest.mark.parametrize("command", ["show", "compact -w 8k -o -", "log", "import new.db -w 8k"])
def test_a_result_without_a_call_is_told(run: Run, folder: Path, command: str) -> None:
    orphan = {"role": "tool", "tool_call_id": "gone", "content": "12 rows"}
    talk = [{"role": "user", "content": "Find the mill."}, orphan]
    (folder / "orphan.json").write_text(json.dumps(talk))
    name, *more = command.split()
    ran = run(name, "orphan.json", *more, wide=True)
    assert ran.code == 0 and "1 tool result without a call, at 1.0" in ran.err
    assert "without a call" not in run("show", "openai.json").err


@proves("cli.errors")
@pytest.mark.parametrize("command", ["show", "open", "log", "store undo", "store fork", "export"])
def test_a_store_that_is_not_there_is_not_made(run: Run, folder: Path, command: str) -> None:
    more = ["0"] if command == "open" else []
    words = command.split()
    refused(run(*words, "agent.db", *more), "no such file")
    assert not (folder / "agent.db").exists()
    refused(run(*words, str(folder), *more), "directory")


@proves("cli.errors")
@pytest.mark.parametrize("command", ["store undo", "store fork", "export"])
def test_a_transcript_is_no_store(run: Run, folder: Path, command: str) -> None:
    refused(run(*command.split(), "openai.jsonl"), "not a store", "steno store import")


@proves("cli.errors")
def test_a_store_is_told_by_its_content(run: Run, db: Path, folder: Path) -> None:
    (folder / "session.jsonl").write_bytes(db.read_bytes())
    (folder / "file.db").write_text(FILES["openai.jsonl"]())
    assert run("show", "session.jsonl", "--json").json["kind"] == "store"
    assert run("show", "file.db", "--json").json["kind"] == "messages-jsonl"
    other = sqlite3.connect(folder / "other.db")
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.commit()
    other.close()
    before = (folder / "other.db").read_bytes()
    refused(run("show", "other.db"), "not one of Steno's")
    assert (folder / "other.db").read_bytes() == before
    with Session(folder / "fresh.db", name="x", wire="openai", window=8_000, durable=False):
        pass
    assert run("log", "fresh.db").code == 0 and "No commit yet" in run("log", "fresh.db").out


@proves("cli.errors")
@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("compact", "openai.jsonl", "-w", "0"), "a window of 0 tokens: the least is 100"),
        (("show", "openai.jsonl", "-w", "-3"), "a window of -3 tokens: the least is 100"),
        (("compact", "openai.jsonl", "-w", "lots"), "32k"),
        (("compact", "openai.jsonl", "-w", "8k", "--reserve", "9k"), "reserve"),
        (("compact", "openai.jsonl", "-w", "8k", "--wire", "pigeon"), "pigeon"),
        (("compact", "openai.jsonl", "-w", "8k", "-o", "claude.jsonl"), "--overwrite"),
        (
            ("compact", "openai.jsonl", "-w", "8k", "-o", "openai.jsonl", "--overwrite"),
            "never touched",
        ),
        (("compact", "openai.jsonl", "-w", "8k", "-o", "nowhere/out"), "folder does not exist"),
        (("compact", "openai.jsonl", "-w", "8k", "-o", "."), "directory"),
        (("compact", "openai.jsonl", "-w", "8k", "-o", "-", "--json"), "stdout"),
        (("compact", "openai.jsonl", "-w", "8k", "--session", "x"), "--session"),
        (("show",), "FILE|DB"),
        (("open", "openai.jsonl"), "PLACE"),
        (("log", "openai.jsonl", "--colour"), "steno log --help"),
        (("compcat", "openai.jsonl"), "compcat"),
        (("install", "foo"), "there is no agent 'foo'"),
    ],
)
def test_a_mistake_is_one_line(run: Run, folder: Path, words: tuple[str, ...], what: str) -> None:
    before = sorted(path.name for path in folder.iterdir())
    refused(run(*words), what)
    assert sorted(path.name for path in folder.iterdir()) == before


@proves("cli.errors")
def test_a_last_line_that_is_cut_off_is_told_and_kept(run: Run, folder: Path) -> None:
    text = FILES["openai.jsonl"]() + '{"role": "user", "con'
    (folder / "cut.jsonl").write_text(text)
    ran = run("compact", "cut.jsonl", "-w", WINDOW, "-o", "out.jsonl")
    assert ran.code == 0 and "cut off" in ran.err
    assert (folder / "out.jsonl").read_text().endswith('{"role": "user", "con')
    refused(
        run("compact", "cut.jsonl", "-w", WINDOW, "-o", "out2.jsonl", "--strict"), "cut.jsonl:162"
    )


@pytest.mark.slow
@proves("cli.errors")
@pytest.mark.parametrize(
    "words",
    [
        ("show", "agent.db"),
        ("show", "claude.jsonl", "-w", "8k"),
        ("open", "agent.db", "3"),
        ("log", "agent.db"),
        ("log", "many.jsonl"),
        ("compact", "many.jsonl", "-w", "8k", "-o", "out"),
        ("compact", "agent.db", "--force"),
        ("export", "agent.db"),
        ("export", "agent.db", "-o", "out"),
        ("import", "openai.jsonl", "new.db", "-w", "8k"),
        ("store", "fork", "agent.db", "--at", "3"),
        ("store", "undo", "agent.db"),
    ],
)
def test_json_is_json_alone(run: Run, db: Path, words: tuple[str, ...]) -> None:
    ran = run(*words, "--json")
    assert ran.code == 0 and ran.err == "" and ran.json


@proves("cli.errors")
@pytest.mark.parametrize(
    ("said", "tokens"),
    [
        ("32000", 32_000),
        ("32_000", 32_000),
        ("32,000", 32_000),
        ("32k", 32_000),
        ("1.5M", 1_500_000),
    ],
)
def test_sizes_are_said_as_people_say_them(said: str, tokens: int) -> None:
    assert parse_size(said) == tokens


@pytest.mark.parametrize(
    "command",
    ["show", "open", "log", "compact", "store export", "store import", "store undo", "store fork"],
)
def test_each_command_teaches_with_examples(run: Run, command: str) -> None:
    ran = run(*command.split(), "--help")
    examples = [line for line in ran.out.splitlines() if line.startswith(f"   steno {command} ")]
    assert ran.code == 0 and "Examples" in ran.out and len(examples) >= 2 and "--json" in ran.out
    lines = ran.out.splitlines()
    assert lines[lines.index(examples[-1]) + 1].strip() == ""  # none of them wraps


# real processes


@pytest.mark.slow
@proves("cli.compact")
def test_in_a_terminal_it_writes_beside_the_input_in_colour(folder: Path) -> None:
    def in_terminal(*lines: str) -> str:
        ours, theirs = pty.openpty()
        env = ENV | {"TERM": "xterm-256color"}
        with subprocess.Popen([*CALLS, *lines], stdout=theirs, stderr=theirs, env=env) as process:
            os.close(theirs)
            said = b""
            while chunk := _read(ours):
                said += chunk
            process.wait()
        os.close(ours)
        return said.decode()

    # Run again it makes the same file; another file in that place is not replaced.
    (folder / "claude.compact.jsonl").write_text("mine")
    compact = f"compact openai.jsonl -w {WINDOW}"
    another = f"compact claude.jsonl -w {WINDOW}"
    shown = in_terminal(compact, compact, another, f"show openai.jsonl -w {WINDOW}")
    assert shown.count("written to openai.compact.jsonl") == 2
    assert "claude.compact.jsonl exists already" in shown
    assert (folder / "claude.compact.jsonl").read_text() == "mine"
    assert "\x1b[33m■" in shown and "RRRR" not in shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # how a terminal says that the other side has gone
        return b""


@pytest.mark.slow
@proves("cli.errors")
def test_a_pipe_that_closes_early_is_no_failure_of_ours(folder: Path) -> None:
    (folder / "long.jsonl").write_text(dumped(openai_talk(600)))
    process = subprocess.Popen(
        [*CALL, "log", "long.jsonl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert b"Traceback" not in (said := process.stderr.read()) and b"Broken" not in said
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.slow
@proves("cli.errors")
@pytest.mark.parametrize("options", ["compact -w 900k", "show --json", "show --all"])
def test_nor_for_any_way_of_printing(
    folder: Path,
    options: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """In this process: what is left of a pipe's end is what a command does with it."""
    (folder / "long.jsonl").write_text(dumped(openai_talk(600)))
    reader, writer = os.pipe()

    def read_a_little() -> None:
        os.read(reader, 10)
        os.close(reader)

    leaves = threading.Thread(target=read_a_little)
    leaves.start()
    monkeypatch.setattr(sys, "argv", ["steno", *options.split(), "long.jsonl"])
    with os.fdopen(writer, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        with pytest.raises(SystemExit) as left:
            main.main()
    leaves.join()
    assert not left.value.code
    said = capfd.readouterr().err
    assert "Traceback" not in said and "Broken" not in said


@proves("cli.errors")
def test_a_remark_that_nobody_reads_stops_no_work(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "torn.jsonl").write_text(dumped(openai_talk(4)) + '{"role": "user", "cont\n')
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", buffering=1) as unread:
        monkeypatch.setattr(sys, "stderr", unread)
        import_("torn.jsonl", "agent.db", name="torn", window=8_000)
    with steno.Session("agent.db", name="torn") as session:
        assert len(session.log.messages) == len(openai_talk(4))


@pytest.mark.slow
@proves("cli.errors")
def test_a_terminal_that_speaks_ascii_gets_ascii(folder: Path) -> None:
    env = ENV | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    lines = (f"show claude.jsonl -w {WINDOW}", "log claude.jsonl", "open claude.jsonl 1 --json")
    ran = subprocess.run([*CALLS, *lines], capture_output=True, env=env)
    assert ran.stdout.count(b"[exit code 0]") == 3
    assert ran.stdout.isascii() and ran.stderr == b""


@proves("cli.errors")
def test_a_probe_that_asked_nothing_meets_no_share(run: Run, folder: Path) -> None:
    (folder / "short.jsonl").write_text('{"role": "user", "content": "Hello."}\n')
    ran = run("probe", "short.jsonl", "-w", "8k", "--least", "0.9", wide=True)
    assert ran.code == 1 and "nothing was asked" in ran.err
    assert run("probe", "short.jsonl", "-w", "8k", wide=True).code == 0


@proves("cli.errors")
def test_a_policy_of_ones_own_is_replayed(run: Run, folder: Path) -> None:
    (folder / "mine.toml").write_text("soft = 0.7\ngoal = 0.4\n")
    ran = run("replay", "openai.jsonl", "-w", "8k", "-p", "sliding,mine.toml", "--json")
    assert ran.json["limits"] == {
        "sliding": {"soft": 0.85, "goal": 0.6},
        "mine.toml": {"soft": 0.7, "goal": 0.4},
    }
    refused(run("replay", "openai.jsonl", "-p", "other.toml"), "other.toml")


@pytest.mark.parametrize("name", sorted(main.COMMANDS))
def test_help_says_what_an_option_takes_and_wraps_no_example(run: Run, name: str) -> None:
    printed = run(name, "--help", wide=True).out
    options = [line for line in printed.splitlines() if "--help" not in line]
    assert not any("<bool>" in line for line in options)
    examples = printed.partition(" Examples ")[2].partition("╭─")[0]
    for line in filter(str.strip, examples.splitlines()):
        assert line.startswith("   "), line


def test_a_proxy_that_everybody_can_reach_needs_a_token(run: Run) -> None:
    refused(run("proxy", "--no-token", "--host", "0.0.0.0"), "--no-token")


def test_a_proxy_says_that_it_has_stopped(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(running: RunningProxy) -> None:
        running._socket.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(RunningProxy, "run", interrupt)
    stopped = run("proxy", "-w", "8k", "--port", "0")
    assert stopped.code == 0 and stopped.err.endswith(
        "Ctrl-C stops it.\nsteno: the proxy has stopped\n"
    )


@proves("cli.errors")
def test_a_proxy_refuses_what_it_could_not_do_before_it_starts(run: Run, tmp_path: Path) -> None:
    nowhere = tmp_path / "none" / "receipts.jsonl"
    refused(run("proxy", "-w", "8k", "--receipts", nowhere), "cannot write receipts", str(nowhere))
    refused(run("proxy", "-w", "8k", "--arrive", "-1"), "--arrive", "the least is 0")


@proves("cli.errors")
@pytest.mark.parametrize("most", ["-1", "0", "1001"])
def test_a_search_refuses_a_count_in_the_words_that_were_given(
    run: Run, folder: Path, most: str
) -> None:
    refused(run("recall", "openai.jsonl", "mill", "--most", most), "--most", "should be")


def test_an_address_can_be_connected_to_as_soon_as_it_is_known() -> None:
    class Nothing:
        app, stopping, close = None, None, None

    running = RunningProxy(Nothing())  # type: ignore[arg-type]
    socket.create_connection(("127.0.0.1", running.port), timeout=5).close()
    running._socket.close()


def test_a_proxy_says_which_upstream_it_cannot_read(run: Run) -> None:
    refused(run("proxy", "-u", "nobody=http://x"), "nobody=http://x")


@proves("cli.errors")
def test_a_search_of_many_sessions_is_complete_or_says_how_far_it_is(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(5):
        with Session(tmp_path / "a.db", name=f"s{n}", window=8_000, durable=False) as session:
            session.add({"role": "user", "content": f"The mill of {n} is by the river."})
    monkeypatch.setattr("steno.cli.recall.FILL_SECONDS", 0.0)
    asked = run("recall", tmp_path / "a.db", "mill", "--json")
    assert asked.err == "steno: indexing 5 sessions, once\n"
    assert asked.json["complete"] and len(asked.json["hits"]) == 5
    assert run("recall", tmp_path / "a.db", "mill").err == ""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"replace_all": false, "file_path": "a.py", "old_string": "x"}', "a.py"),
        ('{"timeout": 9, "command": "make"}', "make"),
        ('{"deep": true, "topic": "mills"}', "mills"),
        ('{"n": 3}', "3"),
        ("{}", ""),
        ("not json", "not json"),
    ],
)
def test_a_call_is_told_by_the_argument_that_says_most(arguments: str, told: str) -> None:
    assert first_argument(arguments) == told


@pytest.mark.slow
@proves("cli.show")
def test_the_summary_that_has_the_state_of_the_work_says_so(run: Run, folder: Path) -> None:
    talk = anthropic_talk(80)
    edit = {"file_path": "src/mill.py", "old_string": "a = 1", "new_string": "a = 2"}
    talk[20]["content"][0]["content"] = "a = 1\n" * 30
    talk[21]["content"][1] |= {"name": "Edit", "input": edit}
    (folder / "work.json").write_text(json.dumps(talk))
    shown = run("show", "work.json", "-w", "8k", "--json").json["after"]
    summaries = [item["shows"] for item in shown["items"] if item["state"] == "covered"]
    assert shown["state_tokens"] > 0
    run("compact", "work.json", "-w", "8k", "-o", "short.json")
    again = run("show", "short.json", "--json").json
    assert [item["shows"] for item in again["items"] if item["state"] == "covered"] == summaries
    assert again["state_tokens"] == shown["state_tokens"]
    assert run("show", "short.json").out.count("where the whole work stands") == 1
    rows = run("show", "short.json", "--all").out.partition("shows\n")[2].rstrip("\n").split("\n")
    assert all(map(str.strip, rows))


def test_a_session_is_named_without_its_user_if_no_other_user_has_the_name(
    tmp_path: Path, run: Run
) -> None:
    db = tmp_path / "agent.db"
    for user, name in (("ann", "work"), ("ann", "talk"), ("bob", "talk"), (None, "a:b")):
        with steno.Session(db, name=name, user=user, wire="openai", window=8_000) as session:
            session.add({"role": "user", "content": f"The heron of {user}."})
    for given, stored in (("work", "ann:work"), ("bob:talk", "bob:talk"), ("a:b", ":a:b")):
        assert run("show", db, "-s", given, "--json").json["name"] == stored
    assert run("recall", db, "heron", "-s", "work", "--json").json["hits"][0]["position"] == 0
    refused(run("show", db, "-s", "talk"), "2 users have a session 'talk'", "ann:talk, bob:talk")
    refused(run("show", db, "-s", "other"), "no session is named 'other'")
    assert run("memory", db, "learn", "--user", "bob", "--session", "talk").code == 0
    hits = run("recall", db, "heron", "-s", "talk", "--user", "bob", "--json").json["hits"]
    assert hits[0]["session"] == "bob:talk"
    # What cannot be undone takes the name as it is stored.
    refused(run("store", "forget", db, "work", "--yes"), "to delete 'ann:work', say so")
    assert "ann:work is deleted" in run("store", "forget", db, "ann:work", "--yes").out


def test_a_name_of_any_length_is_found_again_by_commands(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "a.db"
    for length, user in ((341, None), (341, "ann"), (2_000, None)):
        given = f"{user}-" + "n" * length
        with Session(path, name=given, user=user, wire="openai", window=8_000) as session:
            session.add({"role": "user", "content": f"Words of {given[:4]} {length}."})
        with Session(path, name=given, user=user) as again:
            assert len(again.log.messages) == 1
        shown = run("show", path, "--session", given, "--all").out
        assert f"Words of {given[:4]} {length}." in shown


def test_a_pipe_without_a_writer_is_no_store_and_is_not_waited_for(
    tmp_path: Path, run: Run
) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused(run("store", "check", tmp_path / "pipe"), "is a pipe, and a store is a file")
