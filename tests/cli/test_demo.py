"""The demo's story is legal and always the same, and what the demo says about it is true."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from steno import BadInput, Session
from steno.cli.demo import command, techniques
from steno.cli.demo import replay as demo
from steno.cli.demo.command import WIDTH, DemoPainter
from steno.cli.demo.story import WINDOW_LEAST, opening, story
from steno.cli.demo.techniques import print_lab
from steno.cli.output import TerminalPage
from steno.engine.designs import POLICIES
from tests.cli.test_cli import REPLAYED_ONCE
from tests.support import legal
from tests.support.command_line import Run
from tests.support.loopback import Loopback, Say
from tests.support.promises import proves


@pytest.fixture(scope="module")
def replay() -> demo.DemoReplay:
    return REPLAYED_ONCE(16_000)


def painted(replay: demo.DemoReplay, **options: Any) -> list[str]:
    file = io.TextIOWrapper(io.BytesIO(), encoding=options.pop("encoding", "utf-8"), newline="")
    page = TerminalPage(console=Console(file=file, highlight=False, **options), widest=WIDTH)
    DemoPainter(page).show(replay)
    file.seek(0)
    return file.read().splitlines()


def test_the_story_is_legal_except_for_the_unanswered_call() -> None:
    problems = legal.anthropic({"messages": story(), **opening()})
    assert len(problems) == 1
    assert "no tool_result" in problems[0]


@pytest.mark.slow
@pytest.mark.parametrize("window", [8_000, 16_000, 64_000])
def test_every_request_of_the_story_is_legal_and_fits(window: int) -> None:
    session = Session(wire="anthropic", window=window, **opening())
    requests = 0
    for message in story():
        if message["role"] == "assistant":
            assert legal.anthropic(session.request()) == []
            assert session.load <= session.budget.usable
            requests += 1
        session.add(message)
    assert requests > 120


def test_the_story_is_told_the_same_every_time() -> None:
    assert json.dumps(story()) == json.dumps(story())


def blocks(kind: str) -> list[dict[str, Any]]:
    contents = [message["content"] for message in story() if isinstance(message["content"], list)]
    return [block for content in contents for block in content if block["type"] == kind]


def test_the_story_has_what_real_sessions_have() -> None:
    told = json.dumps(story(), ensure_ascii=False)
    for sign in (
        "Never touch the production database",
        "British English",
        "image/png",
        "Wait, actually",
        "[exit code 1]",
    ):
        assert sign in told
    batches = [
        sum(block["type"] == "tool_use" for block in message["content"])
        for message in story()
        if message["role"] == "assistant"
    ]
    assert max(batches) >= 4


def test_no_two_files_of_the_project_are_the_same() -> None:
    results = {block["tool_use_id"]: block["content"] for block in blocks("tool_result")}
    files: dict[str, set[str]] = {}
    for call in blocks("tool_use"):
        if call["name"] == "read_file":
            files.setdefault(call["input"]["path"], set()).add(results[call["id"]])
    texts = [text for versions in files.values() for text in versions]
    assert len(files) > 30
    assert len(set(texts)) == len(texts)


@pytest.mark.slow
def test_the_numbers_agree_with_each_other(replay: demo.DemoReplay) -> None:
    told = demo.replay_summary(replay)
    assert told["messages"] == told["equal"] == len(story())
    assert told["requests"] == len(told["loads"])
    assert told["tokens_sent"] == sum(told["loads"]) < told["tokens_sent_without_steno"]
    assert (
        told["fullest_load"]
        == max(told["loads"])
        <= told["usable"]
        < told["window"]
        < told["tokens_said"]
    )
    assert [commit["number"] for commit in told["commits"]] == list(range(len(told["commits"])))
    assert all(commit["after"] < commit["before"] for commit in told["commits"])
    assert 0 < told["tokens_not_shown_as_said"] < told["tokens_said"]
    assert told["fits"] and told["proven"]


@pytest.mark.slow
def test_each_bar_is_made_of_what_the_request_weighs(replay: demo.DemoReplay) -> None:
    for frame in replay.frames:
        assert min(frame.sent.values()) >= 0 and min(frame.before.values()) >= 0
        assert sum(frame.before.values()) >= frame.load
    newest = demo.request_parts(replay.session)
    assert sum(newest.values()) == replay.session.load


@pytest.mark.slow
def test_what_was_said_is_really_compared(replay: demo.DemoReplay) -> None:
    changed = [
        *replay.messages[:5],
        {"role": "user", "content": "something else"},
        *replay.messages[6:],
    ]
    lied = demo.DemoReplay(replay.session, changed, replay.frames)
    assert lied.unequal == [5]
    assert not lied.holds


@pytest.mark.parametrize("width", [80, 200])
def test_it_reads_in_80_columns(replay: demo.DemoReplay, width: int) -> None:
    lines = painted(replay, width=width)
    assert max(map(len, lines)) == 80
    assert not any("\x1b" in line or line != line.rstrip() for line in lines)
    assert not any("head and tail" in line for line in lines), "what stands there are excerpts"


def test_the_demo_is_not_cut_in_a_pipe(
    replay: demo.DemoReplay, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(command, "replay_story", lambda window: replay)
    command.demo()
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) > 80
    assert not any(line.endswith("…") for line in lines if len(line) < 240)


def test_it_keeps_what_its_first_lines_promise(replay: demo.DemoReplay) -> None:
    lines = painted(replay, width=80)
    text = "\n".join(lines)
    bars = [line for line in lines if (line[:4].strip().isdecimal() and "░" in line) or "▶" in line]
    assert len(bars) == len(replay.frames)
    for commit in replay.session.log.commits:
        assert f"commit {commit.number}  " in text
        assert f"{commit.before:,} → {commit.after:,} tokens" in text
    for words in (
        "Without Steno",
        "repaired",
        "pinned: Never touch",
        "a summary of",
        "<steno-",
    ):
        assert words in text
    assert f"✓ {len(replay.messages)} of {len(replay.messages)} messages open word for word" in text
    assert f"✓ {len(replay.frames)} of {len(replay.frames)} requests fit" in text
    assert "steno.compact(messages" in text
    assert text.count("\n    “") == text.count("”\n") == 1  # the quote is closed


def test_colour_takes_the_place_of_letters(replay: demo.DemoReplay) -> None:
    lines = painted(replay, width=80, force_terminal=True, color_system="standard")
    assert any("\x1b[33m█" in line for line in lines)
    assert not any("RRRR" in line for line in lines)


def test_a_pipe_that_speaks_ascii_gets_ascii(replay: demo.DemoReplay) -> None:
    lines = painted(replay, width=80, encoding="ascii")
    assert any("|#.////  I'll look around" in line and ":" in line for line in lines)
    assert max(map(len, lines)) <= 80


@pytest.mark.slow
def test_a_window_that_holds_everything_needs_no_trace() -> None:
    roomy = demo.replay_story(400_000)
    assert roomy.first_overflow is None
    assert [commit.why for commit in roomy.session.log.commits] == ["arrival"]
    assert "Without Steno" not in "\n".join(painted(roomy, width=80))


@pytest.mark.slow
def test_a_window_too_small_for_the_story_says_which_would_do() -> None:
    with pytest.raises(BadInput, match=f"at least {WINDOW_LEAST:,}"):
        demo.replay_story(WINDOW_LEAST - 1)
    assert demo.replay_story(WINDOW_LEAST).fits


@pytest.fixture(scope="module")
def lab() -> techniques.Lab:
    return techniques.run_lab()


@pytest.mark.slow
@proves("demo.techniques")
def test_four_techniques_stand_side_by_side_on_one_conversation() -> None:
    # Run anew, not taken from a fixture: planted faults call this test, too.
    lab = techniques.run_lab()
    assert [column.name for column in lab.columns] == ["micro", "auto", "force", "memory"]
    told = {column.name: column.summary(lab.window) for column in lab.columns}
    said = len(techniques.conversation())
    assert {told[name]["messages"] for name in ("micro", "auto", "force")} == {said}
    assert lab.said.session.load > lab.window, "without any of them it would not fit"
    assert told["micro"]["in_short"] > 20 and told["micro"]["asked"] == 0
    assert told["auto"]["tokens"] < told["micro"]["tokens"] and told["auto"]["commits"] > 0
    assert told["force"]["commits"] == 1 and told["force"]["covered"] > told["auto"]["covered"]
    assert all(told[name]["asked"] > 0 for name in ("auto", "force", "memory"))
    # Shrinking old results alone does not bring it within the window.
    assert [name for name in told if not told[name]["fits"]] == ["micro"]
    for column in lab.columns[1:3]:
        assert column.session._parts.settings.policy == POLICIES["lab"]
        # Written by the script, and checked against the story like any writer's line.
        assert "gets one `round_once`, and the markets use it. [33]" in json.dumps(
            column.session.messages()
        )
    offer = json.dumps(lab.columns[3].session.messages())
    assert "I prefer short answers." in offer and "We use PostgreSQL 15" in offer


@pytest.mark.slow
@proves("demo.techniques")
def test_window_and_model_of_the_lab_are_obeyed(run: Run) -> None:
    roomy = techniques.run_lab("auto", window=64_000).columns[0]
    assert roomy.commits == 0 and "never over 85%" in roomy.note
    forced = techniques.run_lab("force", window=6_000).columns[0]
    assert forced.commits == 1 and forced.session.load < 6_000
    written = "FACTS\n- The tax is rounded on each line and then summed. [20]"
    with Loopback(lambda heard: Say(written)) as server:
        ran = run("demo", "force", "--model", f"{server.openai}#tiny", "--json")
        assert any("It is the tax, rounded on each line" in heard.prompt for heard in server.heard)
    assert ran.code == 0, ran.err
    assert ran.json["writer"].endswith("#tiny") and ran.json["columns"][0]["asked"] > 0


@pytest.mark.slow
@proves("demo.techniques")
@pytest.mark.parametrize("width", [80, 140])
def test_the_lab_is_printed_in_two_rows_or_one(lab: techniques.Lab, width: int) -> None:
    file = io.StringIO()
    print_lab(lab, TerminalPage(console=Console(file=file, width=width, highlight=False)))
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    titles = [line for line in lines if line.startswith("╭")]
    assert len(titles) == (1 if width == 140 else 2)
    for name in ("micro", "auto", "force", "memory"):
        assert any(f" {name}: " in title for title in titles)


@proves("demo.techniques")
def test_the_demos_options_say_what_they_are_for(run: Run) -> None:
    for given, words in (
        (("magic",), "micro, auto, force, memory, lab"),
        (("lab", "--window", "500"), "at least 6,000"),
        (("--model", "openai:gpt-5"), "steno demo lab"),
    ):
        ran = run("demo", *given)
        assert ran.code == 2 and words in ran.err
