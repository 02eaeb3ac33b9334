"""What a new user runs first: each command says the same of one file, and counts what was sent."""

from __future__ import annotations

import json
import re
import signal
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import steno
from steno import BadInput, Session
from steno.cli import wrap
from steno.cli.log import log
from steno.cli.replay import COSTS, SHARES
from steno.core.message import Message, Text
from steno.errors import BadBudget
from steno.lab.baselines import SlidingWindow
from steno.lab.run import UseRecord
from steno.proxy.receipts import TOTALS
from tests.cli.test_commands import claude_rows, dumped, session_of
from tests.cli.test_commands import db as db
from tests.cli.test_commands import folder as folder
from tests.support.command_line import Run, refused
from tests.support.promises import proves
from tests.support.sample_messages import anthropic_talk, openai_talk

Json = dict[str, Any]
WHOLE_RESPONSES: dict[str, tuple[Json, str]] = {
    "completion": ({"object": "chat.completion", "choices": []}, "completion.choices[0].message"),
    "choice": ({"finish_reason": "stop", "message": {}}, "choice.message"),
    "gemini": ({"candidates": []}, "response.candidates[0].content"),
    "bedrock": ({"output": {"message": {}}, "stopReason": ""}, "response['output']['message']"),
    "response": ({"object": "response", "output": []}, "*response.output"),
}


@pytest.fixture
def resumed(folder: Path) -> Path:
    """Return a file that its own agent compacted once, with one large result before that."""
    rows = claude_rows(60)
    rows[3]["message"]["content"] = "a long log line\n" * 1_500
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "sessionId": "s"}
    text = "This session is continued: the slow query is in the mill."
    summary = {"role": "user", "content": text}
    told = {"type": "user", "uuid": "s", "isCompactSummary": True, "message": summary}
    later = dumped(claude_rows(60)[1:]).replace('"u-', '"v-').replace('"p-', '"q-')
    path = folder / "resumed.jsonl"
    path.write_text(dumped([*rows, boundary, told]) + later, encoding="utf-8")
    return path


@pytest.mark.slow
@proves("cli.show")
@pytest.mark.parametrize("window", ["4k", "8k"])
def test_show_promises_what_compact_gives(run: Run, resumed: Path, window: str) -> None:
    shown = run("show", resumed.name, "-w", window, "--json").json
    done = run("compact", resumed.name, "-w", window, "-o", "out.jsonl", "--json").json
    assert (done["before"], done["after"]) == (shown["load"], shown["after"]["load"])
    assert done["before"] == run("show", resumed.name, "--json").json["load"], "whatever the window"
    again = run("show", "out.jsonl", "--json").json
    assert again["load"] == done["after"] and again["messages"] == shown["messages"]


@pytest.mark.slow
@proves("cli.compact")
def test_the_command_that_compact_prints_opens_what_was_covered(run: Run, resumed: Path) -> None:
    ran = run("compact", resumed.name, "-w", "4k", "-o", "out.jsonl", "--json")
    assert "compacted this session at line" in ran.err
    assert "--from-compaction" not in ran.err, "compact has no such option"
    rows = resumed.read_text("utf-8").splitlines()
    edits = [edit for commit in ran.json["conversations"][0]["commits"] for edit in commit["edits"]]
    ends = [int(edit["place"].rpartition("-")[2].partition(".")[0]) for edit in edits]
    assert max(ends) > sum('"u-' in row for row in rows), "counted from the first message on"
    newest = ran.json["conversations"][0]["messages"] - 1
    opened = run("open", resumed.name, newest, "--raw", wide=True).out
    assert opened == run("open", "out.jsonl", newest, "--raw", wide=True).out
    # What the agent had hidden is still there, row for row.
    kept = (resumed.parent / "out.jsonl").read_text("utf-8").splitlines()
    assert rows[:100] == kept[:100] and len(kept) < len(rows)


@proves("cli.compact")
def test_a_second_compact_names_an_original_only_if_it_is_there(run: Run, folder: Path) -> None:
    once = folder / "once.jsonl"
    (folder / "said.jsonl").write_text(dumped(openai_talk(24)), encoding="utf-8")
    run("compact", "said.jsonl", "-w", "3k", "-o", "once.jsonl")
    again = run("compact", "once.jsonl", "-w", "2k", "-o", "twice.jsonl", wide=True)
    assert "originals are in the file that this one was made of" in again.out
    once.write_text(once.read_text("utf-8") + dumped(openai_talk(8, start=100)), encoding="utf-8")
    later = run("compact", "once.jsonl", "-w", "2k", "-o", "later.jsonl", wide=True)
    place = later.out.partition("steno open once.jsonl ")[2].split()[0]
    assert run("open", "once.jsonl", place).out


@proves("cli.compact")
def test_a_large_result_without_pressure_stays(run: Run, folder: Path) -> None:
    talk = openai_talk(2)
    talk[2]["content"] = "a line of a log\n" * 1_000
    (folder / "large.jsonl").write_text(dumped(talk), encoding="utf-8")
    shown = run("show", "large.jsonl", "-w", "16k", "--json").json
    done = run("compact", "large.jsonl", "-w", "16k", "-o", "out.jsonl", "--json").json
    assert shown["pressure"] == "none"
    assert done["before"] == done["after"] == shown["load"] == shown["after"]["load"]
    assert (folder / "out.jsonl").read_bytes() == (folder / "large.jsonl").read_bytes()


@pytest.mark.slow
@proves("cli.show")
def test_what_the_provider_counted_is_shared_out_among_the_parts(run: Run, db: Path) -> None:
    with session_of(db) as session:
        for question in openai_talk(1)[:1] * 4:
            session.messages()
            session.add(question, usage=session.load * 2 // 3)
        assert session.view.meter.ratio < 0.9
        load = session.load
    told = run("show", db.name, "--policy", "default", "--json").json
    assert told["load"] == load
    assert min(told["tokens"].values()) >= 0, "no part of a window is less than nothing"
    filled = sum(told["tokens"].values()) - told["tokens"]["free"] - told["tokens"]["reserve"]
    assert filled == load
    assert (
        abs(sum(item["tokens"] for item in told["items"]) + told["state_tokens"] - load)
        <= len(told["items"]) + 20
    )
    # The session counts with what it learned; a compaction of it lands where `show` says.
    done = run("compact", db.name, "--json").json
    assert done["after"] == told["after"]["load"]


@pytest.mark.slow
@proves("cli.show")
def test_a_compacted_session_is_priced_as_it_was_sent(run: Run, db: Path) -> None:
    told = run("replay", "--price", db.name, "-m", "gpt-5", "-w", "8k", "--json").json[0]
    rows = told["rows"]
    sent = {row["name"]: row["sent"] for row in rows}
    (db.parent / "whole.jsonl").write_text(dumped(openai_talk(80)), encoding="utf-8")
    rows = run("replay", "--price", "whole.jsonl", "-m", "gpt-5", "-w", "8k", "--json").json[0][
        "rows"
    ]
    whole = {row["name"]: row["sent"] for row in rows}
    assert sent["as it was"] < 0.7 * whole["as it was"] and sent["sliding"] == whole["sliding"]
    with session_of(db) as session:
        requests = sum(message.role == "assistant" for message in session.log.messages)
        assert told["now"] is None or told["now"]["before"] < 1.5 * session.load
    assert sent["as it was"] < 8_000 * requests


@pytest.mark.slow
@proves("cli.show")
def test_what_the_model_sees_at_a_place_can_be_opened(run: Run, db: Path) -> None:
    original = run("open", db.name, 5, wide=True).out
    seen = run("open", db.name, 5, "--view", wide=True).out
    assert 'kind="summary"' in seen and 'kind="summary"' not in original
    with session_of(db) as session:
        newest = len(session.log.messages) - 1
        shown = [text.text for text in session.view.at(5).shows]
    (value,) = run("open", db.name, 5, "--view", "--json").json
    assert value["content"] == shown[0]
    assert run("open", db.name, newest, "--view", "--json").json == [
        run("open", db.name, newest, "--json").json
    ]
    refused(run("open", db.name, "5.0", "--view"), "--view shows whole messages")


@proves("cli.errors")
def test_a_model_without_a_price_names_near_ones(run: Run, folder: Path) -> None:
    refused(run("replay", "openai.jsonl", "--price", "-m", "claude-sonet-4-5"), "claude-sonnet-4-5")


@proves("cli.show")
def test_lines_are_cut_at_the_width_that_is_stated(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "Find the slow query in the mill. " * 5
    (folder / "long.jsonl").write_text(dumped([{"role": "user", "content": long}]))
    assert long.strip() not in run("log", "long.jsonl").out
    monkeypatch.setenv("COLUMNS", "400")
    log("long.jsonl")
    assert long.strip() in capsys.readouterr().out


@proves("input.clear")
def test_a_place_beyond_the_end_is_told_with_their_number(run: Run, folder: Path) -> None:
    refused(run("open", "openai.jsonl", 161), "holds 161 messages from 0 on")
    (folder / "one.jsonl").write_text(dumped(openai_talk(1)[:1]))
    refused(run("open", "one.jsonl", 7), "holds 1 message from 0 on")
    assert run("open", "openai.jsonl", 160).code == 0


@proves("replay.baselines")
def test_a_sliding_window_keeps_the_newest_message_however_large() -> None:
    policy = SlidingWindow(1_000)
    for role, text in (("user", "go"), ("assistant", "yes"), ("user", "x" * 9_000)):
        policy.add(Message(role, (Text(text),)))
    (kept,) = policy.request().parts
    assert "x" * 9_000 in kept.text


@proves("replay.command")
def test_ctrl_c_ends_a_replay(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "long.jsonl").write_text(dumped(openai_talk(200)))
    true, requests = UseRecord.record, count()

    def pressed(own: UseRecord, *told: Any) -> None:
        true(own, *told)
        if next(requests) == 20:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(UseRecord, "record", pressed)
    # A shell that runs tests in the background has it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        ran = run("replay", "long.jsonl", "-w", "4k")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (ran.code, ran.out, ran.err) == (130, "", "steno: interrupted\n")
    assert next(requests) == 21


@proves("cli.errors")
def test_an_unknown_format_names_the_line(run: Run, folder: Path) -> None:
    (folder / "notes.txt").write_text("\nhello\n")
    refused(run("show", "notes.txt"), "notes.txt: give messages", "line 2 is not JSON")
    (folder / "rows.jsonl").write_text(json.dumps({"when": 1, "what": "x", "k" * 400: 2}))
    told = run("compact", "rows.jsonl", "-w", "8k")
    refused(told, "line 1 is an object with when, what")
    assert len(told.err) < 250


@proves("cli.errors")
def test_a_number_out_of_range_is_refused(run: Run, folder: Path) -> None:
    refused(
        run("probe", "x.json", "--least", "7"),
        "'--least': Input should be less than or equal to 1.",
    )
    refused(
        run("research", "x", "--turns", "0"),
        "'--turns': Input should be greater than or equal to 1.",
    )


@pytest.mark.slow
@proves("replay.command")
def test_replay_says_its_unit_and_who_keeps_room_for_the_reply(run: Run, folder: Path) -> None:
    told = run("replay", "openai.jsonl", "-w", "4k", "-p", "sliding").out
    assert "characters / 4" in told and "--reserve" in told
    for column in (*SHARES, *COSTS):
        if column not in ("commits", "ms/turn"):
            assert re.search(
                rf"^  {column}  |  {column}  ", told.partition("more is better")[2], re.M
            )
    assert "docs/" not in told, "an installed user has no such folder"
    row = "session counts and keeps room for the reply as steno compact does"
    assert row not in told, "it speaks of a row that is not there"
    assert row in run("replay", "openai.jsonl", "-w", "4k", "-p", "sliding,session").out


@proves("cli.errors")
@pytest.mark.parametrize("command", ["show", "compact", "constraints", "demo"])
def test_a_window_that_holds_nothing_is_refused(run: Run, folder: Path, command: str) -> None:
    words = ["openai.jsonl"] * (command != "demo")
    refused(run(command, *words, "-w", "10"), "a window of 10 tokens: did you mean 10k?")
    for opened in (steno.Session, lambda window: steno.compact([], window=window)):
        with pytest.raises(BadBudget, match=r"did you mean 10k\? The least is 100$"):
            opened(window=10)


@proves("cli.compact")
def test_what_compact_writes_is_private(run: Run, folder: Path) -> None:
    (folder / "openai.jsonl").chmod(0o644)
    run("compact", "openai.jsonl", "-w", "4k", "-o", "shorter.jsonl")
    assert (folder / "shorter.jsonl").stat().st_mode & 0o777 == 0o600


@proves("cli.compact")
def test_a_transcript_never_fills_a_terminal(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    talk = (folder / "openai.jsonl").read_bytes()
    refused(run("compact", "-", "-w", "4k", stdin=talk), "add -o shorter.jsonl")
    told = run("compact", "openai.jsonl", "-w", "4k").out
    assert "written to" in told and '"role"' not in told


@proves("check.command")
def test_check_explains_only_marks_that_are_there(run: Run, folder: Path) -> None:
    (folder / "hello.jsonl").write_text('{"role": "assistant", "content": "Hello."}\n')
    assert "✓" not in run("constraints", "hello.jsonl").out
    told = run("constraints", "openai.jsonl", "-w", "4k").out
    assert "✓ the model sees it word for word." in told and "✗" not in told


@proves("check.command")
def test_check_leaves_out_commits_without_facts(run: Run, folder: Path) -> None:
    with Session(folder / "plain.db", window=8_000, wire="openai") as session:
        for number in range(12):
            role = ("user", "assistant")[number % 2]
            session.add({"role": role, "content": f"the sea was calm on day {number}. " * 20})
        session.compact()
        assert session.log.live
    told = run("constraints", "plain.db").out
    assert "commit 0" not in told and "What commits cover" not in told


@proves("input.clear")
@pytest.mark.parametrize("name", WHOLE_RESPONSES)
def test_a_whole_response_says_which_part_to_pass(name: str) -> None:
    response, part = WHOLE_RESPONSES[name]
    with Session(window=8_000, wire="openai") as session:
        for given in (response, [anthropic_talk(1)[0]]):
            with pytest.raises(BadInput) as refusal:
                session.add(given)
            if given is response:
                assert part in str(refusal.value)
            else:
                assert "one by one, *messages" in str(refusal.value)
        assert not session.log.messages


@proves("cli.show")
def test_small_words_are_right(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows: list[Json] = [{"role": "system", "content": "Be brief."}]
    for number in range(10):
        rows.append({"role": "user", "content": f"{number} is a number. " * 60})
        rows.append({"role": "assistant", "content": f"So it is, {number}. " * 60})
    Path("talk.jsonl").write_text(dumped(rows), encoding="utf-8")
    Path("bad.jsonl").write_text(dumped(rows[:2]) + "{bad\n" + dumped(rows[2:]), encoding="utf-8")

    shown = run("show", "talk.jsonl").out
    assert "    Tools are not in the file" in shown
    refused(run("open", "talk.jsonl", "20-10"), "the range 20-10 is reversed: say 10-20")
    refused(run("compct", "talk.jsonl"), "Did you mean 'compact'? See")
    refused(run("compact", "bad.jsonl", "-w", "4k", "--strict"), "bad.jsonl:3: ", " at column 2\n")
    assert run("compact", "talk.jsonl", "-w", "4k", "-o", "out.jsonl").code == 0
    again = run("compact", "out.jsonl", "-w", "8k", "-o", "same.jsonl").out
    assert "21 messages unchanged" in again and "of them were compacted before" in again
    assert run("import", "talk.jsonl", "talk.db", "-w", "4k").code == 0
    assert run("compact", "talk.db").code == 0
    assert "constraints 100% of 0" not in run("log", "talk.db").out
    assert "Claude Code or Codex" in run("--help").out


@proves("cli.errors")
@pytest.mark.parametrize("command", [("log",), ("show",), ("log", "--follow"), ("constraints",)])
def test_a_database_that_cannot_be_reached_is_named_without_its_password(
    run: Run, command: tuple[str, ...]
) -> None:
    pytest.importorskip("psycopg")
    ran = run(command[0], "postgresql://ann:s3cret@127.0.0.1:1/agents", *command[1:])
    refused(ran, "127.0.0.1", "agents", "cannot be reached")
    assert "s3cret" not in ran.err


@proves("cli.errors")
def test_a_hint_shows_no_password(capsys: pytest.CaptureFixture[str]) -> None:
    wrap._report(dict.fromkeys(TOTALS, 1), "postgresql://ann:s3cret@db.example/agents", 0)
    told = capsys.readouterr().err
    assert "steno show postgresql://db.example/agents" in told and "s3cret" not in told


@proves("input.clear")
def test_a_session_without_a_window_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    for given in ({}, {"model": "no-such-model"}):
        with pytest.raises(steno.StenoError):
            steno.Session(path, **given)
        assert list(tmp_path.iterdir()) == []
    with steno.Session(path, window=8_000) as session:
        session.add({"role": "user", "content": "Go."})
    with steno.Session(path) as session:
        assert session.budget.window == 8_000
