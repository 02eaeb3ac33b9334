"""The built-in tools stay inside their root, within bounds, and say clearly what cannot be done."""

from __future__ import annotations

import os
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from steno import BadInput, Script
from steno.agent import ReactLoop, Tool, ToolFinished, builtin, files
from steno.agent.builtin import builtin_tools
from steno.agent.root import RootFolder
from steno.core.message import Call
from tests.support.promises import proves

SECRET = "the secret outside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with some files, and a secret beside it."""
    inside = tmp_path / "root"
    (inside / "src").mkdir(parents=True)
    (inside / "src" / "a.py").write_text("first\nneedle here\nlast\n", encoding="utf-8")
    (inside / "notes.txt").write_text("one\ntwo\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text(SECRET, encoding="utf-8")
    return inside


def tools_of(root: Path, **allowed: bool) -> dict[str, Tool]:
    return {tool.name: tool for tool in builtin_tools(root, **allowed)}


@proves("tools.offered")
def test_shell_and_web_are_offered_only_where_they_are_allowed(root: Path) -> None:
    plain = tools_of(root)
    assert set(plain) == {"read_file", "write_file", "edit_file", "list_files", "search_files"}
    assert {name for name, tool in plain.items() if tool.safe} == {
        "read_file",
        "list_files",
        "search_files",
    }
    every = tools_of(root, shell=True)
    assert set(every) - set(plain) == {"run_command"}
    assert not every["run_command"].safe
    with pytest.raises(BadInput, match="is no folder"):
        builtin_tools(root / "notes.txt")


@proves("tools.inside")
@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "src/../../secret.txt",
        "/etc/passwd",
        "link.txt",
        "away/secret.txt",
        "a\0b",
        "loop",
        "\udc80" * 3,
        "x" * 5_000,
        "src/" * 2_000 + "a",
    ],
)
def test_no_path_leads_out_of_the_root(root: Path, path: str) -> None:
    (root / "link.txt").symlink_to("../secret.txt")
    (root / "away").symlink_to("..")
    (root / "loop").symlink_to("loop")
    tools = tools_of(root)
    for act in (
        lambda: tools["read_file"].run(path),
        lambda: tools["edit_file"].run(path, "secret", "x"),
        lambda: tools["list_files"].run(path),
        lambda: tools["search_files"].run("secret", path),
    ):
        with pytest.raises(BadInput):
            act()
    if path.isascii() and len(path) < 100:
        with pytest.raises(BadInput):
            tools["write_file"].run(path, "mine")
    assert (root.parent / "secret.txt").read_text("utf-8") == SECRET


@proves("tools.inside")
def test_links_within_the_root_work_and_links_out_of_it_are_not_searched(root: Path) -> None:
    (root / "inner").symlink_to("src")
    (root / "out").symlink_to("..")
    (root / "leak.txt").symlink_to("../secret.txt")
    tools = tools_of(root)
    assert "needle" in tools["read_file"].run("inner/a.py")
    assert "src/a.py:2: needle here" in tools["search_files"].run("needle")
    assert tools["search_files"].run("secret") == "no line holds 'secret'"
    assert "secret.txt" not in tools["list_files"].run(depth=9)


@pytest.mark.slow
@proves("tools.inside")
def test_a_link_swapped_in_while_tools_work_is_never_followed(root: Path) -> None:
    """A folder is a folder and a link out of the root in turns, as fast as it goes.

    What is read is never outside.
    """
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "a.py").write_text(SECRET, encoding="utf-8")
    over = threading.Event()

    src, kept = root / "src", root / "kept"

    def swaps() -> None:
        while not over.is_set():
            with suppress(OSError):  # a tool may have just made a folder of that name
                os.rename(src, kept)
                os.symlink("../outside", src)
            while kept.exists():
                with suppress(OSError):
                    src.unlink() if src.is_symlink() else shutil.rmtree(src, ignore_errors=True)
                    os.rename(kept, src)

    thread = threading.Thread(target=swaps)
    thread.start()
    tools, seen = tools_of(root), 0
    try:
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            for act in (
                lambda: tools["read_file"].run("src/a.py"),
                lambda: tools["search_files"].run("the"),
                lambda: tools["list_files"].run(),
                lambda: tools["write_file"].run("src/mine.txt", "mine"),
            ):
                try:
                    assert SECRET not in act()
                    seen += 1
                except BadInput:
                    continue
    finally:
        over.set()
        thread.join()
    assert seen > 0
    assert sorted(each.name for each in outside.iterdir()) == ["a.py"]


@proves("tools.bounded")
def test_huge_binary_and_odd_files_are_answered_within_bounds(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tools_of(root)
    monkeypatch.setattr(files, "READ_MOST", 50_000)
    (root / "huge.txt").write_text("row\n" * 100_000, encoding="utf-8")
    shown = tools["read_file"].run("huge.txt")
    assert (
        len(shown) < 50_000
        and "read on from line 2001" in shown
        and "only the first 50,000 bytes" in shown
    )
    assert tools["read_file"].run("huge.txt", start=12_000, lines=3).startswith(" 12000\trow")
    with pytest.raises(BadInput, match="too large to edit"):
        tools["edit_file"].run("huge.txt", "row", "x")
    (root / "wide.txt").write_text("x" * 20_000, encoding="utf-8")
    assert "18,000 more characters" in tools["read_file"].run("wide.txt")
    (root / "binary").write_bytes(b"\x7fELF\0\0" * 100)
    with pytest.raises(BadInput, match="binary data"):
        tools["read_file"].run("binary")
    with pytest.raises(BadInput, match="binary data"):
        tools["edit_file"].run("binary", "ELF", "x")
    os.mkfifo(root / "pipe")
    with pytest.raises(BadInput, match="is no file"):
        tools["read_file"].run("pipe")
    assert "needle" in tools["search_files"].run("needle")
    (root / "empty").write_text("", encoding="utf-8")
    assert tools["read_file"].run("empty") == "[the file is empty]"
    with pytest.raises(BadInput, match="is a folder"):
        tools["read_file"].run("src")
    with pytest.raises(BadInput, match="is not there"):
        tools["read_file"].run("nowhere.txt")
    with pytest.raises(BadInput, match="start is 9"):
        tools["read_file"].run("notes.txt", start=9)


@proves("tools.bounded")
def test_many_files_are_listed_and_searched_within_bounds(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "ENTRIES_MOST", 50)
    monkeypatch.setattr(files, "HITS_MOST", 20)
    for n in range(80):
        (root / f"f{n}.txt").write_text("same\n" * 3, encoding="utf-8")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("same", encoding="utf-8")
    tools = tools_of(root)
    listed = tools["list_files"].run().splitlines()
    assert len(listed) == 51 and listed[-1] == "[more entries: list a folder below]"
    found = tools["search_files"].run("same").splitlines()
    assert len(found) == 21 and found[-1] == "[more than 20 lines: narrow it down]"
    assert ".git/config" not in tools["search_files"].run("same", files="config")
    monkeypatch.setattr(files, "BYTES_MOST", 100)
    assert "too much to look through" in tools["search_files"].run("nothing like it")
    with pytest.raises(BadInput, match="text is empty"):
        tools["search_files"].run("")


@proves("tools.writes")
def test_a_file_is_written_whole_keeps_its_mode_and_is_edited_exactly(root: Path) -> None:
    tools = tools_of(root)
    assert tools["write_file"].run("new/deep/a.txt", "héllo") == "wrote 6 bytes to new/deep/a.txt"
    (root / "run.sh").write_text("echo a\n", encoding="utf-8")
    (root / "run.sh").chmod(0o755)
    assert tools["edit_file"].run("run.sh", "echo a", "echo b") == "replaced 1 in run.sh"
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o755
    (root / "latin.txt").write_bytes(b"caf\xe9 one\r\n")
    tools["edit_file"].run("latin.txt", "one", "two")
    assert (root / "latin.txt").read_bytes() == b"caf\xe9 two\r\n"
    for old, every, part in (
        ("", False, "does not stand"),
        ("no", False, "does not stand"),
        ("o", False, "stands"),
    ):
        with pytest.raises(BadInput, match=part):
            tools["edit_file"].run("notes.txt", old, "x", every)
    assert tools["edit_file"].run("notes.txt", "o", "0", True) == "replaced 2 in notes.txt"
    with pytest.raises(BadInput, match="is a folder"):
        tools["write_file"].run("src", "x")
    with pytest.raises(BadInput, match="no folder"):
        tools["write_file"].run("notes.txt/inner", "x")
    assert not [name for name in os.listdir(root) if name.startswith(".steno-")]


@proves("tools.writes")
def test_calls_of_a_batch_do_not_undo_each_other(root: Path) -> None:
    tools = tools_of(root)
    (root / "list.txt").write_text("".join(f"<{n}>" for n in range(40)), encoding="utf-8")
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda n: tools["edit_file"].run("list.txt", f"<{n}>", f"[{n}]"), range(40)))
        list(pool.map(lambda n: tools["write_file"].run(f"made/here/{n}.txt", str(n)), range(40)))
    assert (root / "list.txt").read_text("utf-8") == "".join(f"[{n}]" for n in range(40))
    assert len(os.listdir(root / "made" / "here")) == 40


@proves("tools.shell")
def test_a_command_runs_in_the_root_and_says_how_it_ended(root: Path) -> None:
    run = tools_of(root, shell=True)["run_command"].run
    assert run("pwd; echo wrong >&2; exit 3") == f"{root.resolve()}\nwrong\n[exit code 3]"
    assert run("cat") == "[exit code 0]"
    with pytest.raises(BadInput, match="no command"):
        run("  ")


@pytest.mark.slow
@proves("tools.shell")
def test_a_runaway_command_is_stopped_with_all_it_started(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tools_of(root, shell=True)["run_command"].run
    began = time.monotonic()
    assert run("echo first; sleep 60", seconds=0.5) == "first\n[stopped after 0.5 seconds]"
    monkeypatch.setattr(builtin, "FILE_MOST", 2_000_000)
    said = run("yes runaway")
    assert (
        "[stopped after 2,000,000 bytes of output]" in said and len(said) < 2 * builtin.OUTPUT_MOST
    )
    assert "bytes are left out here" in said
    assert run("(sleep 60; touch late) & echo $!; trap '' TERM").endswith("[exit code 0]")
    child = int(run("sleep 60 >/dev/null 2>&1 & echo $!").split()[0])
    assert gone(child)
    assert time.monotonic() - began < 40


def gone(pid: int) -> bool:
    """A process has ended, or only waits for its parent to take note of it."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
@proves("tools.shell")
def test_an_abandoned_command_ends(root: Path) -> None:
    tools = builtin_tools(root, shell=True)
    model = Script(
        [Call("1", "run_command", '{"command": "echo $$ > pid; sleep 60"}')], "well", window=8_000
    )
    told = list(ReactLoop(model, tools, tool_seconds=3.0).stream("go"))
    assert "no result within the time" in next(
        each.result.text for each in told if isinstance(each, ToolFinished)
    )
    assert gone(int((root / "pid").read_text("utf-8")))


def test_commands_get_no_secrets_of_ours(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD"):
        monkeypatch.setenv(name, "hunter2hunter2")
    monkeypatch.setenv("EDITOR_OF_CHOICE", "vi")
    printed = tools_of(root, shell=True)["run_command"].run("env")
    assert "hunter2" not in printed
    assert "EDITOR_OF_CHOICE=vi" in printed and "PATH=" in printed


@proves("tools.inside")
def test_a_root_is_resolved_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    held = RootFolder(".")
    monkeypatch.chdir("/")
    assert held.read("notes.txt", 100) == b"one\ntwo\n"
    assert builtin.builtin_tools(root)
