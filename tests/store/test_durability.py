"""A store on hard days: killed processes, bad disks, two writers at once, an event loop.

The programs that are killed or run out of space are real processes; see
`tests/support/crash_writer.py`.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

import steno
from steno.core.store import Memory, StoredName
from steno.store import file, sqlite
from steno.store.in_process import MemoryStore
from steno.store.sqlite import SQLiteStore
from tests.support import legal
from tests.support.crash_writer import WINDOW, spoken
from tests.support.faulty_store import FaultyStore
from tests.support.paths import ROOT
from tests.support.promises import WHOLE, proves
from tests.support.sample_messages import openai_talk, talk

pytestmark = pytest.mark.slow

SEED = int(os.environ.get("STENO_SEED", "20"))
PROGRAM = ROOT / "tests" / "support" / "crash_writer.py"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(steno.__file__).parent.parent)}
KILLS = 300 if WHOLE else 50
LIVES_MOST = 3
"""Times as many are killed, at most, until enough of them have committed."""
PACE_MOST = 10.0
"""Times as long as at rest, at most, one of them lives."""
GROUPS = (
    (1, "one"),
    (2, "shared"),
    (1, "one"),
    (3, "shared"),
    (2, "apart"),
    (1, "one"),
    (2, "shared"),
)
"""How many write at once, and whether to one session; twelve kills to a file."""
KILLED = -9
Plain = dict[str, Any]


@dataclass
class Nursery:
    """A warm process that forks writers, and ends them when told."""

    program: subprocess.Popen[str]

    def send(self, lives: list[Plain], *, after: float | None, opened: bool = False) -> list[int]:
        """How each of them ended."""
        assert self.program.stdin and self.program.stdout
        print(
            json.dumps({"lives": lives, "after": after, "opened": opened}),
            file=self.program.stdin,
            flush=True,
        )
        ends: list[int] = json.loads(self.program.stdout.readline())
        return ends


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with open_nursery([sys.executable, str(PROGRAM), "nursery"]) as opened:
        yield opened


@contextmanager
def open_nursery(command: list[str]) -> Iterator[Nursery]:
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=ROOT
    ) as program:
        yield Nursery(program)
        assert program.stdin
        program.stdin.close()


@dataclass
class File:
    """A file that writers are killed on, and what each of them had told before it ended."""

    path: Path
    lives: list[Plain] = field(default_factory=list)

    def life(self, session: str, seed: int, most: int = 0) -> Plain:
        writer = f"w{len(self.lives)}"
        out = str(self.path.with_name(f"{self.path.stem}-{writer}.out"))
        self.lives.append(
            {
                "path": str(self.path),
                "session": session,
                "writer": writer,
                "out": out,
                "seed": seed,
                "most": most,
            }
        )
        return self.lives[-1]

    def told(self, life: Plain) -> Counter[str]:
        """How many times it told of each thing; the last number for commits."""
        out = Path(life["out"])
        words = [line.split() for line in out.read_text().splitlines()] if out.exists() else []
        told = Counter(word[0] for word in words)
        told["committed"] = max(
            (int(word[1]) for word in words if word[0] == "committed"), default=0
        )
        return told

    def check(self, session: str) -> None:
        """Assert that all adds that returned are kept once and in order, and at most one more."""
        with steno.Session(self.path, name=session, wire="openai", window=WINDOW) as opened:
            said = _adds(opened)
            lives = [life for life in self.lives if life["session"] == session]
            assert set(said) <= {life["writer"] for life in lives}
            for life in lives:
                told, kept = self.told(life), said[life["writer"]]
                assert kept == list(range(len(kept))), (
                    f"{life['writer']}: lost or doubled in {kept}"
                )
                assert told["said"] <= len(kept) <= told["said"] + 1, (
                    f"{life}: {told}, but {len(kept)} kept"
                )
                assert told["committed"] <= len(opened.log.commits)
            _check_view(opened)


def _adds(session: steno.Session) -> defaultdict[str, list[int]]:
    """Which `add`s of each writer are kept; each is whole, and nobody spoke in between."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    messages = iter(_all(session))
    for message in messages:
        writer, number, part, parts = message["content"].split()[:4]
        assert part == "0", f"{writer} {number} begins with part {part}"
        rest = list(islice(messages, int(parts) - 1))
        assert [message, *rest] == spoken(writer, int(number), int(parts))
        found[writer].append(int(number))
    return found


def _all(session: steno.Session) -> list[Plain]:
    """Everything said, word for word."""
    count = len(session.log.messages)
    found: list[Plain] = session.open(f"0-{count - 1}") if count else []
    return found


def _check_view(session: steno.Session) -> None:
    """The commits fold to a partition, which a provider takes."""
    ends = [0, *(item.span.stop for item in session.view.items)]
    assert [item.span.start for item in session.view.items] == ends[:-1]
    assert ends[-1] == len(session.log.messages)
    if session.log.messages:
        assert legal.openai_chat(session.request()) == []


def _sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@proves("store.survives")
def test_killed_writers_lose_nothing_that_was_said(nursery: Nursery, tmp_path: Path) -> None:
    print(f"STENO_SEED={SEED}")
    chance = random.Random(SEED)
    tally: Counter[str] = Counter()
    file, pace = File(tmp_path / "agent-0.db"), 1.0
    for group in count():
        at = group % len(GROUPS)
        if at == 0:
            file = File(tmp_path / f"agent-{group}.db")
        many, how = GROUPS[at]
        lives = [
            file.life(f"s{n if how == 'apart' else 0}", chance.randrange(1_000))
            for n in range(many)
        ]
        # Some are killed while they open or create the file. On a busy machine all of them
        # live longer, and more of them commit.
        behind = tally["killed"] >= KILLS // 3 and tally["committed"] < tally["killed"] // 5
        pace = min(pace * 1.25, PACE_MOST) if behind else max(1.0, pace / 1.25)
        ends = nursery.send(lives, after=chance.uniform(0, 0.15) * pace, opened=at not in (0, 3))
        assert ends == [KILLED] * many, [Path(life["out"]).read_text()[-300:] for life in lives]
        for session in {life["session"] for life in file.lives}:
            file.check(session)
        if group % 5 == 0:
            assert _sound(file.path)
        told = [file.told(life) for life in lives]
        tally += Counter(
            killed=many, spoke=sum(each["said"] > 0 for each in told), checked=group % 5 == 0
        )
        tally += Counter(
            said=sum(each["said"] for each in told),
            committed=sum(each["committed"] > 0 for each in told),
        )
        enough = tally["spoke"] >= KILLS // 2 and tally["committed"] >= KILLS // 5
        if tally["killed"] >= KILLS * (1 if enough else LIVES_MOST):
            break
    print(dict(tally))
    assert tally["spoke"] >= KILLS // 2
    assert tally["committed"] >= KILLS // 5


@proves("store.survives")
@pytest.mark.parametrize(("writers", "adds"), [(2, 40), (3, 25), *[(4, 2)] * 8])
def test_processes_that_begin_one_session_at_once_all_have_their_say(
    nursery: Nursery, tmp_path: Path, writers: int, adds: int
) -> None:
    file = File(tmp_path / "agent.db")
    lives = [file.life("s0", SEED + n, most=adds) for n in range(writers)]
    ends = nursery.send(lives, after=None)

    assert ends == [0] * writers, [Path(life["out"]).read_text()[-300:] for life in lives]
    assert [file.told(life)["said"] for life in lives] == [adds] * writers
    file.check("s0")
    with steno.Session(file.path) as session:
        assert len(_adds(session)) == writers
        assert [commit.number for commit in session.log.commits] == list(
            range(len(session.log.commits))
        )
        assert adds < 5 or session.log.commits


def program(name: str, order: Plain, prefix: tuple[str, ...] = ()) -> Plain:
    command = [*prefix, sys.executable, str(PROGRAM), name, json.dumps(order)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    assert done.returncode == 0, done.stderr[-2_000:]
    answer: Plain = json.loads(done.stdout)
    return answer


def own_mounts(script: str) -> tuple[str, ...]:
    """Return the prefix that runs a program with its own mounts; empty if not allowed."""
    for flags in ("-rm", "-m"):
        prefix = ("unshare", flags, "sh", "-c", f'{script} && exec "$@"', "sh")
        if (
            shutil.which("unshare")
            and subprocess.run([*prefix, "true"], capture_output=True).returncode == 0
        ):
            return prefix
    return ()


DISKS = ("a limit on the file", "a small disk")


@proves("store.failures")
@pytest.mark.parametrize("disk", DISKS)
def test_a_full_disk_is_one_error_and_with_room_again_the_session_goes_on(
    disk: str, tmp_path: Path
) -> None:
    prefix = (
        own_mounts(f"mount -t tmpfs -o size=1m steno {tmp_path}") if disk == "a small disk" else ()
    )
    if disk == "a small disk" and not prefix:
        pytest.skip("this system mounts nothing for us; the limit on the file is the proof here")
    told = program("fill", {"folder": str(tmp_path), "limit": 0 if prefix else 300_000}, prefix)

    print(told)
    words = "cannot grow: the disk is full" if prefix else "cannot grow|cannot be read or written"
    assert told["said"] > 5
    assert [name for name, _ in told["errors"] + told["late"]] == ["StoreFailed"] * (
        3 if prefix else 2
    )
    for _, sentence in told["errors"] + told["late"]:
        assert re.search(words, sentence), sentence
    assert told["seen"]
    assert told["kept"]
    assert told["same"]
    assert told["commits"] > 0


@proves("store.failures")
def test_a_disk_mounted_read_only_is_one_error(tmp_path: Path) -> None:
    with steno.Session(tmp_path / "agent.db", name="s", wire="openai", window=WINDOW) as session:
        session.add(*openai_talk(3))
    prefix = own_mounts(
        f"mount --bind {tmp_path} {tmp_path} && mount -o remount,ro,bind {tmp_path}"
    )
    if not prefix:
        pytest.skip(
            "this system mounts nothing for us; the folder without rights is the proof here"
        )
    paths = [str(tmp_path / name) for name in ("agent.db", "new.db")]
    told = program("attempt", {"paths": paths}, prefix)
    assert [error[0] for error in told["errors"]] == ["StoreFailed"] * 2, told
    for _, sentence in told["errors"]:
        assert re.search("read-only|may it be written", sentence), told


@pytest.fixture
def nobodys() -> Iterator[Path]:
    """A folder that whoever runs without rights can reach; pytest's own are their owner's alone."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)
        os.chmod(folder, 0o755)


RIGHTS = {
    "a folder that may not be written, a new file": (0o555, None),
    "a folder that may not be written": (0o555, 0o600),
    "a file that may not be written": (0o755, 0o400),
    "a file that may not be read": (0o755, 0o000),
    "a folder that may not be entered": (0o000, 0o600),
}


@proves("store.failures")
@pytest.mark.parametrize("case", RIGHTS)
def test_without_rights_there_is_one_error_and_nothing_is_lost(
    case: str, nursery: Nursery, nobodys: Path, tmp_path: Path
) -> None:
    folder_mode, file_mode = RIGHTS[case]
    path = nobodys / "agent.db"
    if file_mode is not None:
        with steno.Session(path, name="s", wire="openai", window=WINDOW) as session:
            session.add(*openai_talk(3))
        before = path.read_bytes()
        path.chmod(file_mode)
    if os.geteuid() == 0:
        for each in (nobodys, *nobodys.iterdir()):
            os.chown(each, 65534, 65534)
    nobodys.chmod(folder_mode)
    out = tmp_path / "told"
    assert nursery.send([{"paths": [str(path)], "out": str(out)}], after=None) == [0]
    told = json.loads(out.read_text())
    nobodys.chmod(0o755)

    assert [name for name, _ in told["errors"]] == ["StoreFailed"], told
    assert re.search("permission denied|may it be written|read-only", told["errors"][0][1]), told
    assert str(path) in told["errors"][0][1]
    if file_mode is None:
        assert list(nobodys.iterdir()) == []
        return
    path.chmod(0o600)
    assert path.read_bytes() == before
    with steno.Session(path) as session:
        assert _all(session) == openai_talk(3)


@proves("store.failures")
def test_a_locked_file_is_one_error_and_then_the_session_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "BUSY_SECONDS", 0.2)
    path = tmp_path / "agent.db"
    with (
        steno.Session(path, name="s", wire="openai", window=WINDOW) as session,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
    ):
        session.add(*openai_talk(10))
        other.execute("BEGIN EXCLUSIVE")
        for refused in (
            lambda: session.add(*openai_talk(1, start=10)),
            session.compact,
            lambda: session.pin(0),
        ):
            with pytest.raises(
                steno.errors.StoreFailed, match=r"agent\.db is locked by another process; try again"
            ):
                refused()
        assert _all(session) == openai_talk(10)
        assert session._parts.journal.stored_settings.pins == ()
        with steno.Session(path, name="s") as reader:
            assert _all(reader) == openai_talk(10)
        other.execute("ROLLBACK")
        session.add(*openai_talk(1, start=10))
        assert session.compact() is not None
        shown = session.messages()
    with steno.Session(path) as again:
        assert _all(again) == openai_talk(11)
        assert again.messages() == shown


@proves("store.failures")
def test_a_session_that_was_closed_says_so(tmp_path: Path) -> None:
    with steno.Session(tmp_path / "agent.db", wire="openai", window=WINDOW) as session:
        session.add(*openai_talk(3))
    with pytest.raises(steno.errors.StoreFailed, match="closed"):
        session.add(*openai_talk(1, start=3))

    assert _all(session) == openai_talk(3)


def newer(path: Path) -> None:
    steno.Session(path, wire="openai", window=WINDOW).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")


def somebody_elses(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript("CREATE TABLE theirs (what TEXT); INSERT INTO theirs VALUES ('dear')")


def somebody_elses_with_a_version(path: Path) -> None:
    somebody_elses(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 1")


def under_a_file(path: Path) -> None:
    path.parent.write_text("a file where a folder should be")


STRANGERS: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "a newer version": (
        "agent.db",
        newer,
        r"written by a newer Steno \(version 99, this one knows \d+\): upgrade",
    ),
    "somebody else's": ("agent.db", somebody_elses, "is a SQLite file, but not one of Steno's"),
    "somebody else's with a version": (
        "agent.db",
        somebody_elses_with_a_version,
        "not one of Steno's",
    ),
    "text": (
        "agent.db",
        lambda path: path.write_text("no database, but text\n" * 500),
        "is not a Steno file",
    ),
    "a few bytes": ("agent.db", lambda path: path.write_bytes(b"\x00\x01"), "is not a Steno file"),
    "a folder": ("agent.db", lambda path: path.mkdir(), "is a folder; name a file in it"),
    "a missing folder": ("missing/agent.db", lambda path: None, "its folder is not there"),
    "under a file": ("file/agent.db", under_a_file, "folder"),
    "a name too long": ("n" * 300, lambda path: None, "too long"),
    "a link to itself": ("agent.db", lambda path: path.symlink_to(path), "link|cannot be opened"),
    "no file at all": (
        "agent.db",
        lambda path: path.symlink_to("/dev/full"),
        "is not a Steno file|is no file|cannot (be|grow)",
    ),
}


@proves("store.failures")
@pytest.mark.parametrize("stranger", STRANGERS)
def test_what_is_no_store_of_ours_is_one_error_and_stays_as_it_was(
    stranger: str, tmp_path: Path
) -> None:
    name, make, sentence = STRANGERS[stranger]
    path = tmp_path / name
    make(path)
    before = _folder(tmp_path)
    with pytest.raises(steno.errors.StoreFailed, match=sentence) as raised:
        steno.Session(path, wire="openai", window=WINDOW)

    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)
    assert _folder(tmp_path) == before


def _folder(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, by name."""
    files = {
        file.name: file.read_bytes()
        for file in folder.iterdir()
        if file.is_file() and not file.is_symlink()
    }
    return {**files, **{file.name: b"" for file in folder.iterdir() if file.name not in files}}


DAMAGED = r"is damaged|is not a Steno file|not one of Steno's|written by a newer Steno"


def _tried(path: Path) -> list[Plain] | str:
    """What a session says after damage: all of it, or one clear error."""
    try:
        with steno.Session(path, name="s") as session:
            session.messages()
            return _all(session)
    except steno.errors.StoreFailed as failure:
        return str(failure)


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A file with a session of some two hundred messages and its commits."""
    path = tmp_path / "agent.db"
    with steno.Session(path, name="s", wire="openai", window=WINDOW) as session:
        for n in range(0, 100, 10):
            session.add(*openai_talk(10, start=n, words=120 + n))
            session.messages()
    return path


@proves("store.failures")
@pytest.mark.parametrize(
    "how", ["a page of garbage", "a page of zeros", "a few letters", "cut off"]
)
def test_damage_is_one_error_and_never_other_words(whole: Path, how: str) -> None:
    with steno.Session(whole) as session:
        said = _all(session)
    good = whole.read_bytes()
    pages = range(0, len(good), 4_096)
    errors = 0
    for page in pages:
        bad = bytearray(good)
        match how:
            case "a page of garbage":
                bad[page : page + 4_096] = random.Random(page).randbytes(4_096)
            case "a page of zeros":
                bad[page : page + 4_096] = bytes(4_096)
            case "a few letters":
                bad[page + 2_048 : page + 2_064] = b"OTHER WORDS HERE"
            case "cut off":
                del bad[page + 100 :]
        whole.write_bytes(bad)
        answer = _tried(whole)
        if isinstance(answer, str):
            errors += 1
            assert re.search(DAMAGED, answer), f"page {page // 4_096}: {answer}"
            assert "\n" not in answer
        else:
            assert answer == said, f"page {page // 4_096}: other words, and nobody said so"
        for side in ("-wal", "-shm"):
            whole.with_name(whole.name + side).unlink(missing_ok=True)
    whole.write_bytes(good)

    print(f"{how}: {errors} of {len(pages)} pages told")
    assert errors >= len(pages) // 3
    assert _tried(whole) == said


CHANGED_ROWS = {
    "another user": "UPDATE session SET user = 'bob'",
    "another window": "UPDATE session SET setup = replace(setup, '4000', '4096')",
    "settings that are no JSON": "UPDATE session SET setup = substr(setup, 2)",
    "another name": "UPDATE session SET name = 't'",
    "a fork": "UPDATE session SET fork = 3, parent = id",
    "the body of another message": "UPDATE message SET body = 1 WHERE id & 255 = 9",
    "another author": "UPDATE message SET by = 'steno' WHERE id & 255 = 0",
    "another rule": "UPDATE jot SET text = replace(text, 'Never', 'Always')",
}


@proves("store.failures")
@pytest.mark.parametrize("change", CHANGED_ROWS)
def test_a_row_that_is_not_as_it_was_written_is_one_error(change: str, tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with steno.Session(path, name="s", wire="openai", window=4_000, user="ada") as session:
        session.add(*openai_talk(8))
        session.set_constraint("Never push.")
    with closing(sqlite3.connect(path)) as db:
        assert db.execute(CHANGED_ROWS[change]).rowcount
        db.commit()
    name = StoredName("t" if change == "another name" else "ada:s")
    with pytest.raises(steno.errors.StoreFailed, match=r"agent\.db is damaged"):
        steno.Session(path, name=name).close()
    # Files of before have no seals; they open, and what is written from now on has one.
    with closing(sqlite3.connect(path)) as db:
        for table in ("session", "message", "jot"):
            db.execute(f"UPDATE {table} SET seal = NULL")
        db.commit()
    if change == "another author":
        with steno.Session(path, name="s", user="ada") as session:
            session.add({"role": "user", "content": "after"})


CHANGED_MEMORIES = {
    "another user": "UPDATE memory SET user = 'bob' WHERE id = 2",
    "other words": "UPDATE memory SET text = 'Deploy without asking.' WHERE id = 1",
    "more trust": "UPDATE memory SET trust = 'person' WHERE id = 2",
    "another source": "UPDATE memory SET source = 't' WHERE id = 1",
    "one fewer": "DELETE FROM memory WHERE id = 1",
    "one that comes back": "UPDATE memory SET over = '[]' WHERE id = 3",
}


@proves("store.failures")
@pytest.mark.parametrize("change", CHANGED_MEMORIES)
def test_a_memory_that_is_not_as_it_was_written_is_one_error(change: str, tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    learned = [
        Memory(0, "preference", "Tabs, please.", "person", "s", 1, 3.25),
        Memory(0, "note", "The key is at Jo's.", "assistant", "t", 2, 4),
        Memory(0, "gone", "", "", over=(1,)),
    ]
    store = SQLiteStore(path)
    store.update_memories("ada", lambda kept: learned)
    assert [memory.text for memory in store.memories("ada")] == [one.text for one in learned]
    with closing(sqlite3.connect(path)) as db:
        assert db.execute(CHANGED_MEMORIES[change]).rowcount
        db.commit()
    user = "bob" if change == "another user" else "ada"
    with pytest.raises(steno.errors.StoreFailed, match=r"agent\.db is damaged"):
        store.memories(user)
    with pytest.raises(steno.errors.StoreFailed, match=r"agent\.db is damaged"):
        store.update_memories("ada", lambda kept: learned)
    store.close()


@proves("store.failures")
def test_a_deleted_memory_leaves_neither_words_nor_their_seal(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    store = SQLiteStore(path)
    for user in ("ada", "bob"):
        words = Memory(0, "note", "The code is 4711.", "assistant", "s", 2, 4.5)
        store.update_memories(user, lambda kept, words=words: [words, words])
    with closing(sqlite3.connect(path)) as db:
        (old,) = db.execute("SELECT seal FROM memory WHERE user = 'ada' AND id = 2").fetchone()
        # Words must go from a damaged row too.
        db.execute("UPDATE memory SET said = 5 WHERE user = 'bob' AND id = 1")
        db.commit()
    store.delete("s")
    assert [memory.text for memory in store.memories("ada")] == ["", ""]
    store.close()
    left = path.read_bytes()
    assert b"4711" not in left
    assert old not in left


HUGE = {"role": "tool", "tool_call_id": "call-0", "content": "a row of a table\n" * 9_000}
"""Over what is offloaded when it arrives."""


@proves("store.failures")
def test_saying_it_again_until_it_is_kept_leaves_it_once() -> None:
    """If the message is kept and its offload fails, `add` must not raise."""
    full = steno.errors.StoreFailed("agent.db cannot grow: the disk is full")
    store = FaultyStore(commit=full)
    session = steno.Session(store=store, wire="openai", window=128_000)
    session.add(*openai_talk(1)[:2])
    for attempt in range(2):
        try:
            session.add(HUGE)
            break
        except steno.errors.StoreFailed:
            if attempt == 1:
                store.repair_method("commit")

    assert _all(session) == [*openai_talk(1)[:2], HUGE]


@proves("store.failures")
def test_another_processs_commit_does_not_make_an_add_fail(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with (
        steno.Session(path, name="s", wire="openai", window=128_000) as one,
        steno.Session(path, name="s") as other,
    ):
        one.add(*openai_talk(40), *openai_talk(1, start=40)[:1])
        other._parts.journal.refresh()
        assert one.compact() is not None
        other.add({**HUGE, "tool_call_id": "call-40"})

        assert _all(other)[-1] == {**HUGE, "tool_call_id": "call-40"}
        assert len(_all(other)) == len(openai_talk(40)) + 2


Script = list[tuple[str, Any]]


def script(wire: str, chance: random.Random) -> Script:
    """A day of a session: what is called, and with what."""
    done: Script = []
    for n in range(0, 60, 3):
        done.append(("add", talk(wire, 3, start=n)))
        done += [("messages", [])] * chance.randrange(2)
        done += [(chance.choice(["compact", "undo"]), [])] * (chance.random() < 0.3)
        done += [("pin", [chance.randrange(6)])] * (chance.random() < 0.2)
    return [*done, ("fork", [31]), ("open", ["3-17"]), ("request", [])]


def outcome(work: Callable[..., Any], given: list[Any]) -> Any:
    try:
        return work(*given)
    except steno.StenoError as error:
        return type(error), str(error)


async def awaited(work: Callable[..., Awaitable[Any]], given: list[Any]) -> Any:
    try:
        return await work(*given)
    except steno.StenoError as error:
        return type(error), str(error)


def _shown(answer: Any) -> Any:
    """A fork is compared by what it shows."""
    answer = answer._blocking if isinstance(answer, steno.AsyncSession) else answer
    return (
        (answer.messages(), list(answer.log.commits))
        if isinstance(answer, steno.Session)
        else answer
    )


@proves("session.async")
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_async_sessions_do_what_sessions_do(wire: str, tmp_path: Path) -> None:
    asked = script(wire, random.Random(SEED))

    async def on_a_loop() -> tuple[list[Any], list[steno.Commit], steno.Pressure, int]:
        async with steno.AsyncSession(
            tmp_path / "async.db", name="s", wire=wire, window=WINDOW
        ) as session:
            answers = [
                _shown(await awaited(getattr(session, name), given)) for name, given in asked
            ]
            return answers, list(session.log.commits), session.pressure, session.load

    with steno.Session(tmp_path / "plain.db", name="s", wire=wire, window=WINDOW) as session:
        answers = [_shown(outcome(getattr(session, name), given)) for name, given in asked]
        plain = answers, list(session.log.commits), session.pressure, session.load

    assert asyncio.run(on_a_loop()) == plain
    assert len(plain[1]) > 3


class Dawdling(sqlite.SQLiteStore):
    """A store that answers late, so that a cancelled caller is gone before."""

    chance = random.Random(SEED)

    def append(self, name: str, messages: Any) -> int:
        start = super().append(name, messages)
        time.sleep(self.chance.uniform(0, 0.004))
        return start

    def load(self, name: str, read: Any, **beyond: int) -> Any:
        kept = super().load(name, read, **beyond)
        time.sleep(self.chance.uniform(0, 0.004))
        return kept


@proves("session.async")
@pytest.mark.parametrize("kind", [sqlite.SQLiteStore, Dawdling])
def test_cancelling_an_add_neither_loses_nor_doubles(
    kind: type[sqlite.SQLiteStore], tmp_path: Path
) -> None:
    print(f"STENO_SEED={SEED}")
    chance = random.Random(SEED)
    ends: dict[int, str] = {}

    async def add(session: steno.AsyncSession, number: int) -> None:
        await session.add(*spoken("a", number, 1 + number % 3))
        ends[number] = "returned"

    async def cancelled() -> list[Plain]:
        store = kind(tmp_path / "agent.db")
        async with steno.AsyncSession(
            store=store, name="s", wire="openai", window=WINDOW
        ) as session:
            for number in range(200):
                task = asyncio.create_task(add(session, number))
                ends[number] = "cancelled"
                if number % 4 == 0:
                    await task
                elif number % 5:  # the others are cancelled before they begin
                    await asyncio.sleep(chance.choice((0, chance.uniform(0, 0.02))))
                task.cancel()
            await session.messages()
        store.close()
        return _all(session._blocking)

    held = asyncio.run(cancelled())
    with steno.Session(tmp_path / "agent.db") as again:
        assert _all(again) == held
        kept = _adds(again)["a"]
        _check_view(again)

    tally = Counter(ends.values())
    print(dict(tally), f"{len(kept)} kept")
    assert min(tally["cancelled"], tally["returned"]) >= 20
    assert kept == sorted(set(kept))
    assert len(kept) < 200
    assert {number for number, end in ends.items() if end == "returned"} <= set(kept)


@proves("session.async")
def test_fifty_tasks_say_everything_once(tmp_path: Path) -> None:
    async def speak(session: steno.AsyncSession, writer: int) -> None:
        for number in range(4):
            await session.add(*spoken(f"w{writer}", number, 1 + (writer + number) % 3))
            if number == 2:
                await (session.messages() if writer % 2 else session.compact())

    async def together() -> list[Plain]:
        async with steno.AsyncSession(
            tmp_path / "agent.db", name="s", wire="openai", window=WINDOW
        ) as session:
            await asyncio.gather(*(speak(session, writer) for writer in range(50)))
            return _all(session._blocking)

    held = asyncio.run(together())
    with steno.Session(tmp_path / "agent.db") as again:
        assert _all(again) == held
        said = _adds(again)
        _check_view(again)
        assert len(again.log.commits) > 1
    assert said == {f"w{writer}": [0, 1, 2, 3] for writer in range(50)}


class LoopWatch:
    """Whether the event loop went on while a session worked."""

    def __init__(self) -> None:
        self._beat = threading.Event()
        self.went_on: list[bool] = []

    def hold(self) -> None:
        """Wait for the loop's next step, which never comes if the loop waits for this call."""
        self._beat.clear()
        self.went_on.append(self._beat.wait(10))

    async def during(self, work: Coroutine[Any, Any, Any]) -> None:
        async def beat() -> None:
            while True:
                await asyncio.sleep(0.005)
                self._beat.set()

        heart = asyncio.create_task(beat())
        await work
        heart.cancel()


class HeldDisk(MemoryStore):
    """A disk that takes until the loop went on."""

    watch: LoopWatch

    def append(self, name: str, messages: Any) -> int:
        self.watch.hold()
        return super().append(name, messages)


class HeldThinking(steno.rungs.Truncate, frozen=True, tag="held"):
    """A rung that takes until the loop went on."""

    watch: ClassVar[LoopWatch]

    def edit(self, draft: Any, rounds: Any) -> tuple[steno.core.log.Proposal, ...]:
        self.watch.hold()
        return super().edit(draft, rounds)


@proves("session.async")
@pytest.mark.parametrize("what", ["add", "messages", "compact"])
def test_the_loop_goes_on_while_a_session_works(what: str) -> None:
    HeldThinking.watch = HeldDisk.watch = watch = LoopWatch()

    async def work() -> None:
        policy = steno.Policy(ladder=(HeldThinking(),))
        store = HeldDisk() if what == "add" else MemoryStore()
        async with steno.AsyncSession(
            store=store, wire="openai", window=WINDOW, policy=policy
        ) as session:
            if what == "add":
                return await watch.during(session.add(*openai_talk(3)))
            await session.add(*openai_talk(60))
            return await watch.during(getattr(session, what)())

    asyncio.run(work())
    assert watch.went_on and all(watch.went_on)


@proves("store.failures")
def test_a_damaged_file_is_named_in_the_command_that_recovers_it(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with pytest.raises(file.DamagedFile) as raised, file.file_errors(path):
        raise msgspec.ValidationError
    assert str(raised.value).endswith(f"sqlite3 {path} .recover")


@proves("store.survives")
@pytest.mark.parametrize("opened", ["another session", "fit"])
def test_a_store_opened_twice_in_a_process_loses_nothing_to_another_process(
    tmp_path: Path, opened: str
) -> None:
    path = tmp_path / "a.db"
    other = (
        "import sys, steno\n"
        "with steno.Session(sys.argv[1], name='b', wire='openai', window=8_000) as session:\n"
        "    session.add({'role': 'user', 'content': 'Said there.'})\n"
    )
    with steno.Session(path, name="a", wire="openai", window=WINDOW) as first:
        first.add(openai_talk(1)[0])
        if opened == "fit":
            steno.fit([{"role": "user", "content": "Hello."}], store=path, window=WINDOW)
        else:
            steno.Session(path, name="c", wire="openai", window=WINDOW).close()
        for number in range(2):
            # Its close would end a write-ahead log that no process seems to use.
            command = [sys.executable, "-c", other, str(path)]
            subprocess.run(command, check=True, env=ENVIRONMENT, timeout=60)
            first.add({"role": "user", "content": f"Said after {number}."})
    with closing(SQLiteStore(path)) as store:
        counts = {info.name: info.messages for info in store.sessions()}
    assert (counts["a"], counts["b"]) == (3, 2)
