"""The chat, through a pseudo-terminal and in a pipe; an MCP server's tools."""

from __future__ import annotations

import io
import json
import stat
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

import steno
from steno import Script
from steno.agent import HistoryCompacted, ReactLoop, SessionOptions, ToolFinished
from steno.cli.chat.display import RunDisplay
from steno.cli.chat.runtime import ChatOptions, open_session
from steno.cli.demo import scripted_model
from steno.cli.output import TerminalPage
from steno.core.message import Call
from steno.core.model import Delta
from steno.models.retry import RetryPolicy
from tests.support.command_line import Run
from tests.support.loopback import Heard, Loopback, Say
from tests.support.promises import proves
from tests.support.terminal import CTRL_C, CTRL_D, Terminal

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with something to read."""
    root = tmp_path / "shop"
    root.mkdir()
    for n in range(6):
        lines = "\n".join(
            f"row {k} of part {n}: {k * n} pieces, stored in hall {k % 7}" for k in range(60)
        )
        (root / f"part{n}.txt").write_text(lines, encoding="utf-8")
    return root


Piped = Callable[..., str]


@pytest.fixture
def piped(run: Run, monkeypatch: pytest.MonkeyPatch) -> Piped:
    """A chat whose input and output are pipes."""

    def chat(*words: str, said: str, home: Path, code: int = 0) -> str:
        for name in ("XDG_DATA_HOME", "HOME"):
            monkeypatch.setenv(name, str(home))
        ran = run("chat", *words, stdin=said.encode(), wide=True)
        assert ran.code == code, ran.err
        return ran.out + ran.err

    return chat


@proves("chat.pipe")
def test_in_a_pipe_a_chat_looks_around_asks_first_compacts_and_takes_back(
    folder: Path, tmp_path: Path, piped: Piped
) -> None:
    typed = "hello\nlook around\nwrite a file\nn\nwrite a file\ny\n"
    said = "/compact\n" + typed + "/compact\n/context\n/undo\n/pin 0\n/unpin 0\n/quit\n"
    out = piped(
        "--root",
        str(folder),
        "--db",
        str(tmp_path / "a.db"),
        "--window",
        "16k",
        said=said,
        home=tmp_path,
    )
    assert "I am a scripted model" in out and "→ read_file part0.txt" in out
    assert out.count("The agent wants to run write_file:") == 2
    assert "the user did not allow this call" in out
    assert (folder / "written-by-steno.txt").exists()
    assert "Not compacted: nothing to compact: everything is system prompt, pinned" in out
    assert "compacted (as asked)" in out and "verbatim from" in out
    assert "── verbatim from" in out
    assert "commit 0 is reverted" in out and "message 0 is never covered" in out
    for part in (
        "prompt, tools",
        "user",
        "agent",
        "tool results",
        "Steno's shorthand",
    ):
        assert part in out
    assert "--resume --session chat-" in out


@proves("chat.pipe")
def test_a_small_window_compacts_by_itself_and_the_chat_says_so(
    folder: Path, tmp_path: Path, piped: Piped
) -> None:
    said = "look around\n/context\n"
    out = piped(
        "--root",
        str(folder),
        "--db",
        str(tmp_path / "a.db"),
        "--window",
        "6k",
        said=said,
        home=tmp_path,
    )
    assert "compacted (soft pressure)" in out or "compacted (hard pressure)" in out
    assert "verbatim from" in out


@proves("chat.pipe")
@pytest.mark.parametrize("loop", ["plan-execute", "hybrid"])
def test_a_chat_can_plan_first(loop: str, folder: Path, tmp_path: Path, piped: Piped) -> None:
    out = piped(
        "--root",
        str(folder),
        "--db",
        str(tmp_path / "a.db"),
        "--loop",
        loop,
        said="look\n",
        home=tmp_path,
    )
    assert "1. List the files" in out and "There are 6 files to read." in out
    assert out.count("→ read_file") == 4 and out.count("- part0.txt: row 0 of part 0") >= 1


@proves("agent.loops")
def test_a_compaction_is_told_before_the_words_that_follow_it(folder: Path) -> None:
    from steno.agent.builtin import builtin_tools

    loop = ReactLoop(scripted_model.demo_model(6_000), builtin_tools(folder))
    session = loop.session()
    told_of: list[int] = []
    for task in ("look around",) * 3:
        for told in loop.stream(task, session):
            if isinstance(told, HistoryCompacted):
                told_of.append(told.commit.number)
            if isinstance(told, Delta):
                assert told_of == [commit.number for commit in session.log.commits]
    assert told_of


@proves("chat.commands")
def test_every_slash_command_answers_and_a_wrong_one_says_what_to_do(
    folder: Path, tmp_path: Path, piped: Piped
) -> None:
    lines = [
        "Never touch the folder prod.",
        "remember that the hall is full",
        "/facts",
        "/memory",
        "/recall 0",
        "/recall",
        "/recall folder prod",
        "/pin",
        "/pin Ask before you delete.",
        "/unpin 77",
        "/nonsense",
        "/undo",
        "/help",
        "one line \\",
        "and another",
        "/quit",
    ]
    out = piped(
        "--root",
        str(folder),
        "--db",
        str(tmp_path / "a.db"),
        said="\n".join(lines) + "\n",
        home=tmp_path,
    )
    assert "✓ [m0] Never touch the folder prod." in out
    assert "the agent's own notes: 1" in out and "start with --user NAME" in out
    assert "[0] user: Never touch the folder prod." in out
    assert out.count("[0] user: Never touch the folder prod.") == 2  # opened, and found
    assert (
        "name what to look for" in out
        and "nothing is pinned" in out
        and "name a pinned message: /unpin 17" in out
    )
    assert (
        "there is no /nonsense" in out
        and "there is nothing to undo" in out
        and "/compact [focus]" in out
    )
    with steno.Session(tmp_path / "a.db") as session:
        users = [message.text for message in session.log.messages if message.role == "user"]
        assert "one line \nand another" in users


@proves("cli.errors")
@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--model", "nobody:x"], "script:demo, which needs no key"),
        (["--loop", "circle"], "there is no loop 'circle'"),
        (["--root", "/no/such/folder"], "is no folder"),
        (["--resume"], "has no session to resume"),
        (["--model", "http://127.0.0.1:9/v1#tiny"], "add --window"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_two(
    words: list[str], part: str, tmp_path: Path, piped: Piped
) -> None:
    out = piped(*words, "--db", str(tmp_path / "a.db"), said="", home=tmp_path, code=2)
    assert part in out and "Traceback" not in out


@proves("chat.terminal")
def test_at_a_terminal_words_stream_a_tool_is_asked_about_and_the_gauge_is_there(
    folder: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with Terminal("chat", "--root", str(folder), "--session", "s", home=home) as chat:
        chat.ready()
        chat.say("look around")
        chat.wait("→ list_files", "→ read_file part0.txt", "Ask me for more", "all verbatim")
        chat.ready()
        chat.say("write a file")
        chat.wait("Run it?")
        chat.say("always")
        chat.wait("Done: wrote")
        chat.ready()
        chat.say("write a file again")
        assert "Run it?" not in chat.wait("again", "Done: wrote")
        chat.ready()
        chat.say("/compact")
        chat.wait("compacted (as asked)", "verbatim from")
        chat.ready()
        chat.say("/context")
        shown = chat.wait("Steno's shorthand", "── verbatim from")
        assert "tool results" in shown
        chat.ready()
        chat.say("/undo")
        chat.wait("is reverted")
        chat.ready()
        chat.say("several\\")
        chat.wait("…")
        chat.say("lines")
        chat.wait("Ask me for more", "context ")
        chat.ready()
        chat.type(CTRL_C)
        chat.wait("Ctrl-D leaves")
        chat.ready()
        chat.type(CTRL_D)
        chat.wait("Go on with:")
        assert chat.ended() == 0
    history = home / "steno" / "history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600 and "look around" in history.read_text(
        "utf-8"
    )
    database = home / "steno" / "chat.db"
    assert stat.S_IMODE(database.stat().st_mode) == 0o600
    with steno.Session(database, name="s") as session:
        asked = [one.text for one in session.log.messages if one.role == "user"]
    assert asked == ["look around", "write a file", "write a file again", "several\nlines"]


@proves("chat.stops")
def test_ctrl_c_stops_the_turn_keeps_its_words_and_not_the_session(
    folder: Path, tmp_path: Path
) -> None:
    with Loopback(
        Say("one two three four five " * 200, pause=0.05), Say("I am still here")
    ) as server:
        words = [
            "chat",
            "--root",
            str(folder),
            "--db",
            str(tmp_path / "a.db"),
            "--window",
            "32k",
            "--session",
            "s",
        ]
        with Terminal(*words, "--model", f"{server.openai}#slow", home=tmp_path) as chat:
            chat.ready()
            chat.say("talk")
            chat.wait("one two")
            chat.type(CTRL_C)
            chat.wait("stopped; what was said so far is kept")
            chat.ready()
            chat.say("and now?")
            chat.wait("I am still here", "context ")
            chat.ready()
            chat.type(CTRL_D)
            assert chat.ended() == 0
    with steno.Session(tmp_path / "a.db", name="s") as session:
        said = [message["content"] for message in session.messages()]
        assert said[0] == "talk" and said[1].startswith("one two") and said[1].endswith("[stopped]")
        assert said[2:] == ["and now?", "I am still here"]


@proves("chat.resume")
def test_a_chat_killed_while_a_call_is_in_flight_asks_about_it_when_it_is_resumed(
    folder: Path, tmp_path: Path
) -> None:
    """The command creates a file when it starts, so that the kill comes while it runs."""
    began, ran = folder / "began", folder / "ran"
    command = f"echo x >> {ran}; touch {began}; sleep 5"

    def brain(heard: Heard) -> Say:
        if "look before you do it again" in heard.prompt:
            return Say("I looked: it ran.")
        return Say("", calls=(("run_command", {"command": command}),))

    with Loopback(brain) as server:
        words = [
            "chat",
            "--root",
            str(folder),
            "--db",
            str(tmp_path / "a.db"),
            "--window",
            "32k",
            "--allow-shell",
        ]
        words += ["--model", f"{server.openai}#m"]
        with Terminal(*words, "--session", "s", home=tmp_path) as chat:
            chat.ready()
            chat.say("run it")
            chat.wait("Run it?")
            chat.say("y")
            chat.wait("→ run_command")
            while not began.exists():
                time.sleep(0.02)
            chat.kill()
        with Terminal(*words, "--resume", home=tmp_path) as chat:
            chat.wait("The last run was cut off", "It may have run already")
            chat.say("n")
            chat.wait("I looked: it ran.")
            chat.ready()
            chat.type(CTRL_D)
            assert chat.ended() == 0
    assert ran.read_text("utf-8") == "x\n"


@proves("chat.demo_model")
def test_the_model_without_a_key_does_the_same_every_time_and_ends(folder: Path) -> None:
    from steno.agent.builtin import builtin_tools

    def told(**options: object) -> list[str]:
        loop = ReactLoop(
            scripted_model.demo_model(12_000),
            builtin_tools(folder),
            options=SessionOptions(**options),
        )
        session = loop.session()
        texts = []
        for task in (
            "look around",
            "and more",
            "remember the milk",
            "hello",
        ):
            texts += [each.text for each in loop.run(task, session)]
        return texts

    assert told() == told()
    controlled = ReactLoop(
        scripted_model.demo_model(12_000),
        builtin_tools(folder),
        options=SessionOptions(policy=steno.Policy(agent_controlled=True)),
    )
    session = controlled.session()
    names = []
    for task in ("look around",) * 4:
        names += [
            each.call.name
            for each in controlled.stream(task, session)
            if isinstance(each, ToolFinished)
        ]
    assert "compress_context" in names


def test_a_constraint_given_to_a_chat_stands_at_the_head_of_its_request(tmp_path: Path) -> None:
    ban = "Never write to the warehouse."
    options = ChatOptions(db=str(tmp_path / "chat.db"), session="s", constraint=(ban,))
    with open_session(options, Script("hello", window=64_000)) as chat:
        chat.add({"role": "user", "content": "hello"})
        assert ban in str(chat.request()["messages"][0])


@proves("chat.commands")
def test_another_model_that_holds_less_makes_the_window_smaller_and_the_chat_says_so(
    tmp_path: Path,
) -> None:
    path = tmp_path / "chat.db"
    first = ChatOptions(db=str(path), session="s", window=64_000)
    with open_session(first, Script("hello", window=64_000)) as session:
        assert session.budget.window == 64_000
    later = replace(first, window=None)
    with open_session(later, Script("hello", window=16_000)) as session:
        assert session.budget.window == 16_000
    with open_session(later, Script("hello", window=200_000)) as session:
        assert session.budget.window == 16_000


@proves("chat.terminal")
def test_a_long_call_is_asked_about_with_both_its_ends_and_its_length(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = "echo begin; " + "true; " * 2_000 + "rm -rf the-end"
    RunDisplay(TerminalPage()).show_call(Call("c", "run_command", json.dumps({"command": command})))
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "echo begin" in shown
        and "rm -rf the-end" in shown
        and f"of {len(command) + 15:,} characters" in shown
    )


@pytest.mark.parametrize("size", [1, 3, 7, 200])
def test_streamed_words_break_at_the_edge_and_not_inside(size: int) -> None:
    said = "The harbour of Velm has twelve cranes.\n\n  - one is old\n"
    said += "And so on, and so on, 中文字 too."
    file = io.StringIO()
    display = RunDisplay(TerminalPage(console=Console(file=file, width=20, force_terminal=True)))
    for at in range(0, len(said), size):
        display.show_event(None, Delta(said[at : at + size]))
    display.end_line()
    shown = file.getvalue()
    assert max(cell_len(line.rstrip()) for line in shown.split("\n")) <= 20
    assert shown.split() == said.split()
    assert "\n\n  - one is old\nAnd so on, and so" in shown


@proves("chat.pipe")
def test_a_piped_turn_without_an_answer_fails_and_says_that_nothing_listens(
    tmp_path: Path, piped: Piped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RetryPolicy, "delay_before_retry", lambda *_: 0.0)
    with Loopback() as server:
        gone = server.openai
    model = ["-m", f"{gone}#m", "-w", "8k", "--db", str(tmp_path / "a.db")]
    out = piped(*model, said="hello\n", home=tmp_path, code=1)
    assert "nothing answers at the address of the model" in out and "broke" not in out
