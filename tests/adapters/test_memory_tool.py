"""The memory tool says what the provider's own local tool says, and forgets nothing."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic.tools import BetaLocalFilesystemMemoryTool, ToolError
from hypothesis import strategies as st

from steno import Session
from steno.adapters.memory_tool import FILES_MOST, MemoryFiles, MemoryToolError, sdk_memory_tool
from tests.support.loopback import Garbage, Heard, Loopback
from tests.support.promises import given, proves

Plain = dict[str, Any]
PATHS = st.sampled_from(
    [
        "/memories",
        "/memories/a.md",
        "/memories/b/c.md",
        "/memories/b",
        "/memories/b/.h",
        "/etc/x",
        "/memories/../x",
    ]
)
TEXTS = st.sampled_from(["", "one\n", "one\ntwo\none", "café\r\ntwo", "x" * 3_000])
WORDS = st.sampled_from(["one", "two", "absent", "x", "e\nt"])
COMMANDS = st.one_of(
    st.fixed_dictionaries({"command": st.just("view"), "path": PATHS}),
    st.fixed_dictionaries(
        {
            "command": st.just("view"),
            "path": PATHS,
            "view_range": st.sampled_from([[1, 2], [2, -1], [0, 9]]),
        }
    ),
    st.fixed_dictionaries({"command": st.just("create"), "path": PATHS, "file_text": TEXTS}),
    st.fixed_dictionaries(
        {"command": st.just("str_replace"), "path": PATHS, "old_str": WORDS, "new_str": TEXTS}
    ),
    st.fixed_dictionaries(
        {
            "command": st.just("insert"),
            "path": PATHS,
            "insert_line": st.integers(-1, 4),
            "insert_text": TEXTS,
        }
    ),
    st.fixed_dictionaries({"command": st.just("delete"), "path": PATHS}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": PATHS, "new_path": PATHS}),
)
DIRECTORY = re.compile(r"^[\d.]+[BKMG]\t(?=.*(/|/memories|/memories/b)$)", re.M)
"""The size of a directory: a file system's own, and ours is that of its files."""


def plain(text: str) -> str:
    return DIRECTORY.sub("", text)


@pytest.mark.slow
@proves("memory.tool")
@given(st.lists(COMMANDS, min_size=4, max_size=14))
def test_it_says_what_the_local_tool_of_the_sdk_says(commands: list[Plain]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Session(wire="anthropic", window=9_000) as session,
    ):
        files, local = MemoryFiles(session), BetaLocalFilesystemMemoryTool(folder)
        for command in commands:
            try:
                wanted = plain(str(local.call(command)))
            except ToolError as error:
                wanted = f"error: {error}"
            except OSError:
                wanted = "error"  # the local tool lets a file for a directory through
            try:
                said = plain(files.call(command))
            except MemoryToolError as error:
                said = f"error: {error}"
            assert said.startswith(wanted) if wanted == "error" else said == wanted, command


def test_files_outlive_the_process_and_every_version_stays_in_the_store(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with Session(path, name="memories", wire="anthropic", window=9_000) as session:
        files = MemoryFiles(session)
        files.call({"command": "create", "path": "/memories/plan.md", "file_text": "draft"})
        files.call({"command": "create", "path": "/memories/key.md", "file_text": "k"})
        files.call({"command": "delete", "path": "/memories/plan.md"})
    with Session(path, name="memories", wire="anthropic", window=9_000) as session:
        files = MemoryFiles(session)
        assert list(files.paths()) == ["/memories", "/memories/key.md"]
        kept = json.dumps([value for _, value in session._parts.journal.records.of("memory_file")])
        assert "draft" in kept
        block = files.result({"command": "view", "path": "/memories/plan.md"}, "t1")
        assert block["is_error"] and "does not exist" in block["content"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ({"command": "burn"}, "Unknown command"),
        ({"command": "view"}, "do not fit"),
        ({"command": "view", "path": 5}, "do not fit"),
        ({"command": "view", "path": "/memories/d/f", "view_range": {1: 1, 2: 2}}, "do not fit"),
        ({"command": "create", "path": "/memories/a", "file_text": {"a": 1}}, "do not fit"),
        (
            {
                "command": "insert",
                "path": "/memories/d/f",
                "insert_line": 0,
                "insert_text": 5,
            },
            "do not fit",
        ),
        ({"command": "view", "path": "/memoriesX"}, "must start with"),
        ({"command": "create", "path": "/memories/a", "file_text": "x" * 1_000_001}, "at most"),
        ({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/d/e"}, "itself"),
        ({"command": "create", "path": "/memories/new", "file_text": "x"}, "at most"),
    ],
)
def test_what_cannot_be_done_is_said_to_the_model(command: Plain, said: str) -> None:
    with Session(wire="anthropic", window=9_000) as session:
        files = MemoryFiles(session)
        files.call({"command": "create", "path": "/memories/d/f", "file_text": "x"})
        if "new" in str(command.get("path")):
            many = {f"/memories/n{n}": "" for n in range(FILES_MOST)}
            session._parts.journal.records.add("memory_file", {"now": many, "gone": []})
        before = files.paths()
        with pytest.raises(MemoryToolError, match=said):
            files.call(command)
        assert files.paths() == before


def test_a_secret_that_is_taken_out_is_not_in_the_snippet_either() -> None:
    secret = "AKIAQ3EGRIH4SAMPLE77"
    with Session(wire="anthropic", window=9_000, redact=True) as session:
        files = MemoryFiles(session)
        files.call({"command": "create", "path": "/memories/a", "file_text": "one\ntwo"})
        said = files.call(
            {
                "command": "str_replace",
                "path": "/memories/a",
                "old_str": "two",
                "new_str": f"key {secret}",
            }
        )
    assert "1\tone" in said and "2\tkey " in said
    assert secret not in said


@pytest.mark.slow
def test_the_sdks_own_runner_drives_it() -> None:
    def brain(heard: Heard) -> Garbage:
        first = len(server.heard) == 1
        use = {
            "type": "tool_use",
            "id": "t1",
            "name": "memory",
            "input": {"command": "create", "path": "/memories/a.md", "file_text": "tea"},
        }
        content = [use] if first else [{"type": "text", "text": "kept"}]
        stop = "tool_use" if first else "end_turn"
        reply = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-5",
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 20, "output_tokens": 3},
        }
        return Garbage(json.dumps(reply))

    with (
        Loopback(brain) as server,
        Session(wire="anthropic", window=9_000) as session,
        Anthropic(api_key="any", base_url=server.anthropic, max_retries=0) as client,
    ):
        files = MemoryFiles(session)
        runner = client.beta.messages.tool_runner(
            model="claude-opus-5",
            max_tokens=99,
            messages=[{"role": "user", "content": "Remember that I like tea."}],
            tools=[sdk_memory_tool(files)],
        )
        runner.until_done()
        assert files.paths()["/memories/a.md"] == "tea"
        assert server.heard[0].body["tools"] == [files.definition]
        answered = server.heard[1].body["messages"][-1]["content"][0]
        assert "created successfully" in json.dumps(answered)
