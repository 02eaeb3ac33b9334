"""The text that a call puts into files, whichever tool carries it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steno.core.message import Call
from steno.facts.changes import TextChange, text_changes

PATCH = """*** Begin Patch
*** Update File: src/pay.py
@@ def total(rows):
 def total(rows):
-    return sum(rows)
+    return sum(rows) * RATE
*** Add File: src/rate.py
+RATE = 1.19
+OLD = 1.16
*** Delete File: src/gone.py
*** End Patch"""


def call(name: str, **arguments: Any) -> Call:
    return Call("c", name, json.dumps(arguments))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Edit", {"file_path": "src/pay.py", "old_string": "a = 1", "new_string": "a = 2"}),
        (
            "str_replace_editor",
            {
                "command": "str_replace",
                "path": "src/pay.py",
                "old_str": "a = 1",
                "new_str": "a = 2",
            },
        ),
        ("edit_file", {"path": "src/pay.py", "oldText": "a = 1", "newText": "a = 2"}),
        (
            "MultiEdit",
            {
                "file_path": "src/pay.py",
                "edits": [{"old_string": "a = 1", "new_string": "a = 2"}],
            },
        ),
        ("edit", {"path": "src/pay.py", "edits": [{"oldText": "a = 1", "newText": "a = 2"}]}),
    ],
)
def test_an_edit_is_read_from_any_tools_arguments(name: str, arguments: dict[str, Any]) -> None:
    assert text_changes(call(name, **arguments)) == (TextChange("src/pay.py", "a = 1", "a = 2"),)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Write", {"file_path": "src/pay.py", "content": "a = 1\n"}),
        ("write_file", {"path": "src/pay.py", "contents": "a = 1\n"}),
        ("create", {"command": "create", "path": "src/pay.py", "file_text": "a = 1\n"}),
    ],
)
def test_a_file_that_is_written_whole_replaces_everything(
    name: str, arguments: dict[str, Any]
) -> None:
    assert text_changes(call(name, **arguments)) == (TextChange("src/pay.py", None, "a = 1\n"),)


def test_a_notebook_cell_is_new_text() -> None:
    made = call("NotebookEdit", notebook_path="a.ipynb", cell_id="3", new_source="x = 1")
    assert text_changes(made) == (TextChange("a.ipynb", "", "x = 1", unplaced=True),)
    put = call("insert_text", path="a.py", insert_line=3, new_str="x = 1")
    assert text_changes(put) == (TextChange("a.py", "", "x = 1"),)


PATCHED = (
    TextChange(
        "src/pay.py",
        "def total(rows):\n    return sum(rows)",
        "def total(rows):\n    return sum(rows) * RATE",
    ),
    TextChange("src/rate.py", None, "RATE = 1.19\nOLD = 1.16"),
)


@pytest.mark.parametrize(
    "made",
    [
        Call("c", "apply_patch", PATCH),
        call("apply_patch", input=PATCH),
        call("apply_patch", patch=PATCH),
        call("shell", command=["apply_patch", PATCH]),
        call("shell", command=["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]),
    ],
    ids=["plain text", "input", "patch", "shell", "heredoc"],
)
def test_a_patch_is_read_as_text_in_json_and_in_a_command(made: Call) -> None:
    assert text_changes(made) == PATCHED


@pytest.mark.parametrize(
    "made",
    [
        call("Read", file_path="src/pay.py"),
        call("bash", command="ls"),
        Call("c", "Edit", "no json"),
        Call("c", "Edit", "[1, 2]"),
        Call("c", "Edit", ""),
        call("Edit", file_path="src/pay.py", old_string="a"),
        call("Edit", file_path="src/pay.py", old_string=1, new_string=2),
    ],
)
def test_what_puts_no_text_into_a_file_changes_nothing(made: Call) -> None:
    assert text_changes(made) == ()
