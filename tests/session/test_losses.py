"""What must not leave a view: the request at work, a list that comes back, pictures' names."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

import steno
from tests.support.coding_sessions import exchange

Json = dict[str, Any]

TRACEBACK = """Traceback (most recent call last):
  File "/srv/app/main.py", line 88, in <module>
    run(load(sys.argv[1]))
ValueError: unexpected token in column 12"""
PASTED = {
    "traceback": TRACEBACK,
    "fence": "```\nfor row in rows:\n    print(row)\n```",
    "diff": "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 2",
    "table": "| id | total |\n|---|---|\n| 7 | 12 |",
    "quotation": "> the totals are off by one\n> since Monday",
}


@pytest.mark.parametrize("text", PASTED.values(), ids=PASTED)
@pytest.mark.parametrize("policy", ["default", "tiers", "lab"])
@pytest.mark.parametrize("window", [1_500, 4_000, 16_000])
def test_the_request_at_work_stays_word_for_word(text: str, policy: str, window: int) -> None:
    session = steno.Session(wire="openai", window=window, policy=policy)
    asked = {"role": "user", "content": text}
    session.add({"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."})
    session.add(asked)
    for number in range(12):
        result = f"def f{number}(): return {number}\n" * (window // 90)
        session.add(*exchange(f"c{number}", "read", {"path": f"m{number}.py"}, result))
        assert asked in session.messages()
        if number % 3 == 2:
            session.compact()
            assert asked in session.messages()


def test_a_request_behind_the_line_of_an_interruption_stays() -> None:
    session = steno.Session(wire="openai", window=4_000)
    asked = {"role": "user", "content": "[Request interrupted by user]\nRename foo to bar."}
    session.add({"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."})
    session.add(asked)
    for number in range(12):
        text = f"def f{number}(): return {number}\n" * 40
        session.add(*exchange(f"c{number}", "read", {"path": f"m{number}.py"}, text))
        assert asked in session.messages()


def test_an_answered_request_may_be_covered() -> None:
    session = steno.Session(wire="openai", window=4_000)
    asked = {"role": "user", "content": TRACEBACK}
    session.add({"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."})
    session.add(asked, {"role": "assistant", "content": "The file has a stray token."})
    for number in range(30):
        session.add({"role": "user", "content": f"And file {number}? " + "It is long. " * 40})
        session.add({"role": "assistant", "content": f"File {number} is fine. " * 20})
        session.messages()
    assert asked not in session.messages()


@pytest.mark.parametrize("leading", [0, 1, 2, 5])
def test_a_compacted_list_added_message_by_message_loses_nothing(leading: int) -> None:
    said: list[Json] = [{"role": "user", "content": "Build the importer in Rust."}]
    for number in range(60):
        said.append({"role": "assistant", "content": f"Answer {number}. " + "bla bli " * 80})
        said.append({"role": "user", "content": f"Question {number}. " + "foo bar " * 60})
    shown = steno.compact(said, window=8_000).messages
    before = [{"role": "system", "content": f"Instruction {at}."} for at in range(leading)]
    session = steno.Session(wire="openai", window=8_000)
    for message in [*before, *shown]:
        session.add(message)
    sent = session.request()["messages"]
    assert [message for message in [*before, *shown] if message not in sent] == []


def test_a_picture_that_leaves_the_view_is_named_with_its_size() -> None:
    session = steno.Session(wire="anthropic", window=8_000)
    for number in range(12):
        words = {"type": "text", "text": f"Here is screen {number}: fix it."}
        session.add({"role": "user", "content": [words, _image()]})
        session.add({"role": "assistant", "content": f"Screen {number} is done."})
        session.messages()
    shown = json.dumps(session.messages(), ensure_ascii=False)
    assert session.log.commits
    for number in range(12):
        assert f"Here is screen {number}" in shown
    told = [line for line in shown.split("\\n") if "USER" in line and "Here is screen" in line]
    assert told and all("with image 800×600" in line for line in told)


def _image() -> Json:
    """Return a block with a picture of 800×600 points."""
    rows = zlib.compress((b"\x00" + bytes(3 * 800)) * 600)
    head = struct.pack(">IIBBBBB", 800, 600, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )
    text = base64.b64encode(data).decode()
    source = {"type": "base64", "media_type": "image/png", "data": text}
    return {"type": "image", "source": source}


def test_a_file_that_could_not_be_read_is_not_said_to_be_read() -> None:
    session = steno.Session(wire="openai", window=4_000)
    session.add({"role": "user", "content": "Look at the plants."})
    failed = "Error: ENOENT: no such file or directory, open 'zinnia/plants.py'"
    session.add(*exchange("a", "read_file", {"path": "zinnia/plants.py"}, failed))
    for number in range(20):
        text = f"row {number} of the table\n" * 60
        session.add(*exchange(f"c{number}", "read_file", {"path": f"src/p{number}.py"}, text))
        session.messages()
    shown = json.dumps(session.messages())
    assert session.log.commits
    for line in shown.split("\\n"):
        if "zinnia/plants.py" in line:
            assert "failed" in line


def test_what_an_undo_shows_again_is_compacted_before_it_is_sent() -> None:
    session = steno.Session(wire="openai", window=4_000, policy=steno.Policy(moment="now"))
    session.add({"role": "user", "content": "Never push to main. Fix the importer."})
    for number in range(40):
        session.add({"role": "assistant", "content": f"Part {number} is sound. " * 30})
        session.add({"role": "user", "content": f"And part {number + 1}?"})
        session.messages()
    while session.load <= session.budget.usable:
        session.undo()
    session.messages()
    assert session.load <= session.budget.usable


def test_what_another_process_shows_again_by_an_undo_is_compacted(tmp_path: Path) -> None:
    options: dict[str, Any] = {"wire": "openai", "window": 4_000}
    with steno.Session(tmp_path / "a.db", name="talk", **options) as session:
        session.add({"role": "user", "content": "Fix the importer."})
        for number in range(40):
            session.add({"role": "assistant", "content": f"Part {number} is sound. " * 30})
            session.add({"role": "user", "content": f"And part {number + 1}?"})
        session.request()
        session.undo()
        assert session.load > session.budget.usable
    with steno.Session(tmp_path / "a.db", name="talk", **options) as session:
        session.messages()
        assert session.load <= session.budget.usable


def test_a_task_that_a_giant_message_cut_is_whole_again_once_there_is_room() -> None:
    steps = (f"Step {n}: read table t{n}, map column c{n} to d{n}, log row {n}." for n in range(40))
    task = f"Rewrite the importer. {' '.join(steps)}"

    def look(n: int) -> list[Json]:
        text = " ".join(f"word{n}_{at}" for at in range(106))
        return exchange(f"c{n}", "read", {"path": f"f{n}.py"}, text)

    session = steno.Session(wire="openai", window=16_000)
    session.add({"role": "user", "content": task})
    for n in range(20):
        session.add(*look(n))
    giant = "\n".join(f"line {n} of the output" for n in range(1_142))
    session.add({"role": "assistant", "content": "All is read."})
    session.add({"role": "user", "content": f"<bash-stdout>{giant}</bash-stdout>"})
    assert all(message["content"] != task for message in session.request()["messages"])

    session.add({"role": "assistant", "content": "I see."}, {"role": "user", "content": "Go on."})
    cut = len(session.log.commits)
    for n in range(20, 60):
        session.add(*look(n))
        shown = session.request()["messages"]
    assert len(session.log.commits) > cut and session.log.commits[-1].fits
    assert {"role": "user", "content": task} in shown
