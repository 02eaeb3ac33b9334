"""Every file that was touched is named, in few words."""

from __future__ import annotations

from itertools import count
from typing import Any

import msgspec
import pytest

from steno.core.message import Call, Message, Result, Text, user_message
from steno.core.tape import Tape
from steno.facts.ledger import Ledger
from steno.summary.state import main_root, touched_lines
from steno.summary.story import fold_story
from tests.summary.test_compose import lived, reply, user
from tests.support.coding_sessions import exchange
from tests.support.promises import proves

ROOT = "/home/ana/shop"
NUMBERS = count()


def did(name: str, said: str = "ok", /, **arguments: Any) -> list[Message]:
    call = Call(f"touch{next(NUMBERS)}", name, msgspec.json.encode(arguments).decode())
    return [
        Message("assistant", (call,)),
        Message("tool", (Result(call.id, (Text(said),), False),)),
    ]


def words(text: str) -> int:
    return len(text.split())


def named_files(work: list[Message], named: tuple[str, ...], stop: int, room: int) -> list[str]:
    messages = Tape(work)
    story = messages.fold(fold_story)
    return touched_lines(Ledger.of(messages), story, named, stop, room, words)


WORK = [
    user_message("Move the prices."),
    *did("Read", file_path=f"{ROOT}/cart/total.py"),
    *did("Read", file_path=f"{ROOT}/cart/lines.py"),
    *did("Edit", file_path=f"{ROOT}/prices/table.py", old_string="a", new_string="b"),
    *did("Grep", pattern="price", path=f"{ROOT}/docs"),
    *did("Read", file_path="/home/ana/notes/plan.md"),
    *did("Bash", command="make test"),
]


def test_what_a_shell_fills_in_and_what_git_keeps_are_no_files() -> None:
    work = [
        user_message("Move the prices."),
        *did("Bash", command="cat src/*.py .git/HEAD"),
        *did("Write", file_path=".git/hooks/pre-push", content="make test"),
    ]
    lines = named_files(work, (), len(work), 99)
    assert lines == ["- changed: hooks: pre-push"]


def test_what_was_only_tried_in_vain_is_not_named() -> None:
    refused = '{"message": "Unhandled error: Error: ENOENT: no such file", "code": "failure"}'
    work = [
        user_message("Write the notes."),
        *did("create", refused, path="C:\\w\\.git\\NOTE", file_text="x"),
        *did("Edit", "String not found", file_path="src/a.py", old_string="a", new_string="b"),
        *did("Read", file_path="src/a.py"),
        *did("Edit", "String not found", file_path="src/b.py", old_string="a", new_string="b"),
        *did("Edit", file_path="src/b.py", old_string="a", new_string="c"),
        *did("Read", "File does not exist.", file_path="src/c.py"),
    ]
    assert named_files(work, (), len(work), 99) == ["- changed: src: b.py", "- read: src: a.py"]


MISSING = "cat: config/prod.yaml: No such file or directory"


@pytest.mark.parametrize(
    "said",
    [
        MISSING,
        f"Exit code 1\n{MISSING}",
        f"{MISSING}\n\nCommand exited with code 1",
        f"Chunk ID: f7\nWall time: 0.0 seconds\nProcess exited with code 1\nOutput:\n{MISSING}",
    ],
)
def test_what_a_failed_command_names_as_missing_was_tried_in_vain(said: str) -> None:
    work = [user_message("Find the config."), *did("bash", said, command="cat config/prod.yaml")]
    assert named_files(work, (), len(work), 99) == []
    moved = did("bash", said.replace("config/", ""), command="cd config && cat prod.yaml")
    assert named_files([*work, *moved], (), 9, 99) == []
    again = did("bash", "port: 80", command="cat config/prod.yaml")
    assert named_files([*work, *again], (), 9, 99) == ["- read: config: prod.yaml"]


def test_what_a_person_did_not_allow_is_not_named() -> None:
    work = [
        user_message("Clean up."),
        *did("exec_command", "exec command rejected by user", cmd="rm -rf src/a.py"),
        *did("exec_command", "aborted by user after 1.2s", cmd="sed -i s/a/b/ b.py && cat c.py"),
    ]
    assert named_files(work, (), len(work), 99) == []


def test_what_a_failed_command_reached_is_named() -> None:
    def named(command: str, said: str) -> list[str]:
        work = [user_message("Go."), *did("bash", f"Exit code 1\n{said}", command=command)]
        return named_files(work, (), len(work), 99)

    assert named("cat a.py b.py", "x = 1\ncat: b.py: No such file or directory") == ["- read: a.py"]
    assert named("sed -i s/a/b/ a.py", "sed: can't read a.py: No such file or directory") == []
    both = "sed -i s/a/b/ src/a.py && pytest"
    assert named(both, "FAILED src/a.py::test_it") == ["- changed: src: a.py"]


def test_files_are_named_by_folder_the_changed_ones_first() -> None:
    assert named_files(WORK, (), len(WORK), 99) == [
        f"(most under {ROOT}/)",
        "- changed: prices: table.py",
        "- read: notes: plan.md; cart: lines.py, total.py",
    ]


def test_what_is_named_elsewhere_or_came_later_is_left_out() -> None:
    lines = named_files(WORK, ("edited prices/table.py; see plan.md",), 3, 99)
    assert lines == ["- read: cart: total.py"]


def test_another_file_whose_name_ends_alike_names_no_file() -> None:
    work = [
        user_message("Move the prices."),
        *did("Write", file_path="src/x.py", content="1"),
        *did("Write", file_path="lib/util.py", content="1"),
        *did("Read", file_path="test/util.py"),
        *did("Write", file_path="src/only.py", content="1"),
    ]
    lines = named_files(work, ("read max.py, test/util.py; (see only.py)",), 99, 99)
    assert lines == ["- changed: lib: util.py; src: x.py"]
    # Without its folder a name that two files have names neither.
    lines = named_files(work, ("`util.py` and src/x.py: only.py.",), 99, 99)
    assert lines == ["- changed: lib: util.py", "- read: test: util.py"]


def test_what_does_not_fit_is_left_out_the_oldest_reads_first() -> None:
    lines = named_files(WORK, (), len(WORK), 13)
    assert "table.py" in lines[1] and "plan.md" in lines[2] and "total.py" not in lines[2]
    assert named_files(WORK, (), len(WORK), 0) == []


def test_a_root_is_said_where_most_files_lie_under_it() -> None:
    assert main_root(["/a/b/c/x.py", "/a/b/c/d/y.py", "/z/q.py"]) == "/a/b/c/"
    assert main_root(["/a/b/c/x.py"]) == "" and main_root(["a/x.py", "a/y.py"]) == ""


@proves("summary.files")
def test_a_small_view_names_every_file_that_was_touched() -> None:
    messages: list[dict[str, Any]] = [user("Rename the field everywhere.")]
    names = [f"module_{n}.py" for n in range(20)]
    for n, name in enumerate(names):
        path = f"{ROOT}/part_{n % 3}/{name}"
        messages += exchange(f"c{n}", "read", {"path": path}, "It is long. " * 40)
        messages += [reply("Looked at it. " * 20), user(f"Then the next one, number {n}.")]
    session = lived(messages, 2_600)
    view = "\n".join(str(message) for message in session.messages())
    assert session.log.commits
    assert [name for name in names if name not in view] == []
