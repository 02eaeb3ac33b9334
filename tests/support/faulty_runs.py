"""Programs that run on a faulty disk; see `faulty_disk.py`.

python -m tests.support.faulty_runs record ORDER   live a story, writing down what is done
python -m tests.support.faulty_runs replace ORDER  write over files
python -m tests.support.faulty_runs refuse ORDER   do one thing, refused at every operation
"""

from __future__ import annotations

import errno
import io
import json
import random
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import steno
from steno.agent.root import RootFolder
from steno.cli.store import export
from tests.support.crash_writer import WINDOW
from tests.support.fault_story import SHARED, STEPS, Story, Told, check_file, make_old
from tests.support.faulty_disk import Disk

Json = dict[str, Any]
OLD = b"what was there before\n" * 50


def record(order: Json) -> Json:
    folder = Path(order["folder"])
    disk = Disk(folder, Path(order["trace"]))
    with tempfile.TemporaryDirectory() as scratch:
        story = Story(
            folder / "agent.db",
            "w0",
            lambda line: disk.mark(json.dumps(line)),
            random.Random(order["seed"]),
            durable=order["durable"],
            scratch=Path(scratch),
        )
        story.live(order["steps"])
    return {}


def replace(order: Json) -> Json:
    """Write over files that are there, as an export and as an agent's tool."""
    with steno.Session(name="s", wire="openai", window=WINDOW, store=order["store"]) as session:
        session.add({"role": "user", "content": "new\n" * 2_000})
    folder = Path(order["folder"])
    Disk(folder, Path(order["trace"]))
    with redirect_stdout(io.StringIO()):
        export(order["store"], out=str(folder / "exported"), overwrite=True)
    RootFolder(folder).write("written", b"new\n" * 2_000)
    return {}


@dataclass
class Refusal:
    """One thing done on a disk that fails from the nth operation on."""

    disk: Disk
    folder: Path
    nth: int
    code: int
    scratch: Path
    """Files that are not on the faulty disk."""
    operations: int = 0
    error: str | None = None

    @property
    def path(self) -> Path:
        return self.folder / "agent.db"

    def do(self, thing: str) -> None:
        if thing in STEPS:
            self.step(thing)
        else:
            getattr(self, thing)()

    def attempt(self, work: Callable[[], object]) -> None:
        """Do it; an error must be Steno's, in one line."""
        self.disk.fail(self.nth, self.code)
        try:
            work()
        except steno.StenoError as error:
            assert "\n" not in str(error), error
            self.error = f"{type(error).__name__}: {error}".replace(str(self.folder), "")
        finally:
            self.operations = self.disk.heal()

    def step(self, kind: str) -> None:
        """Refuse a step of a story; then all is as told, and the next add is durable."""
        told: Told = []
        story = Story(self.path, "w0", told.append, random.Random(0), scratch=self.scratch)
        with steno.Session(self.path, name=SHARED, wire="openai", window=WINDOW) as session:
            told.append(["did", "open", SHARED])
            for before in ("add", "add", "add", "import", "fork", "add"):
                story.step(session, before)
            self.attempt(lambda: story.step(session, kind))
            shown = session.view
            assert len(shown.messages) == len(session.log.messages)
            self.next_is_durable(story, session)
            shown_now = session.messages()
        with steno.Session(self.path, name=SHARED) as again:
            assert again.messages() == shown_now
        check_file(self.path, {"w0": told})

    def next_is_durable(self, story: Story, session: steno.Session) -> None:
        story.step(session, "add")
        number = story.counts["add"] - 1
        with closing(sqlite3.connect(self.path)) as other:
            (newest,) = other.execute("SELECT text FROM body ORDER BY id DESC LIMIT 1").fetchone()
        assert f" {number} " in newest, newest

    def open(self) -> None:
        self.attempt(lambda: steno.Session(self.path, wire="openai", window=WINDOW).close())
        self.step_after_opening()

    def migrate(self) -> None:
        make_old(self.path)
        self.attempt(lambda: steno.Session(self.path).close())
        self.step_after_opening()

    def step_after_opening(self) -> None:
        with steno.Session(self.path, name=SHARED, wire="openai", window=WINDOW) as session:
            session.add({"role": "user", "content": "after"})
        with steno.Session(self.path, name=SHARED) as session:
            assert session.open(len(session.log.messages) - 1)["content"] == "after"

    def pin(self) -> None:
        with steno.Session(self.path, wire="openai", window=WINDOW) as session:
            session.add({"role": "user", "content": "first"})
            self.attempt(lambda: session.pin(0))
            pins = session._parts.journal.stored_settings.pins
            assert pins == (() if self.error else (0,))
        with steno.Session(self.path) as session:
            assert session._parts.journal.stored_settings.pins == pins

    def export(self) -> None:
        with steno.Session(self.path, name="s", wire="openai", window=WINDOW) as session:
            session.add({"role": "user", "content": "first"})
        out = self.folder / "out.jsonl"
        out.write_bytes(OLD)
        with redirect_stdout(io.StringIO()):
            self.attempt(lambda: export(str(self.path), out=str(out), overwrite=True))
        assert (out.read_bytes() == OLD) is bool(self.error)
        self.nothing_else_is_left(out)

    def write_tool(self) -> None:
        out = self.folder / "out.txt"
        out.write_bytes(OLD)
        self.attempt(lambda: RootFolder(self.folder).write("out.txt", b"new\n" * 5_000))
        assert (out.read_bytes() == OLD) is bool(self.error)
        self.nothing_else_is_left(out)

    def nothing_else_is_left(self, out: Path) -> None:
        if self.error and self.code != errno.ENOSPC:
            return  # this disk refuses to remove files, too
        left = {file.name for file in self.folder.iterdir()} - {out.name}
        assert left <= {"agent.db", "agent.db-wal", "agent.db-shm"}, left


def refuse(order: Json) -> Json:
    """Do things again and again; each time the disk fails some operations later."""
    whole, faulty = (Path(order["folder"]) / name for name in ("whole", "faulty"))
    whole.mkdir()
    disk = Disk(faulty)
    report: Json = {}
    for thing in order["things"]:
        refused, errors, nth = 0, set(), 1
        while True:
            folder = faulty / str(nth)
            folder.mkdir(parents=True)
            refusal = Refusal(disk, folder, nth, order["code"], whole)
            try:
                refusal.do(thing)
            except Exception as error:
                what = f"{thing} refused from operation {nth} on: {refusal.error}"
                raise AssertionError(what) from error
            shutil.rmtree(folder)
            if refusal.error is not None:
                refused += 1
                errors.add(refusal.error)
            if refusal.operations < nth:
                assert refusal.error is None
                break
            nth += order["stride"]
        report[thing] = {"refused": refused, "errors": sorted(errors)}
    return report


if __name__ == "__main__":
    programs = {"record": record, "replace": replace, "refuse": refuse}
    print(json.dumps(programs[sys.argv[1]](json.loads(sys.argv[2]))))
