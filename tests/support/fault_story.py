"""A day of a writer that may end at any instant, and what must be left of it.

Owns the steps (add, compact, background drafts, fork, import, forget, migrate, recall) and the
check of the file afterwards. Each step is told before and after it is done, so that a kill, a
power loss or a full disk between two words can be judged: what is told as done is there, at most
the step under way is there too, whole, and nothing is there twice.
"""

from __future__ import annotations

import io
import json
import random
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import steno
from steno.cli.store import import_
from steno.core.store import session_names
from steno.store.sqlite import SQLiteStore
from tests.support import crash_writer, legal
from tests.support.crash_writer import WINDOW, spoken
from tests.support.word_meter import WORDS

SHARED = "shared"
"""The session that every writer adds to."""
IMPORTED = 6
OLD_VERSION = (
    "ALTER TABLE session DROP COLUMN seal",
    "ALTER TABLE message DROP COLUMN seal",
    "DROP TABLE memory",
    "DROP INDEX session_user",
    "ALTER TABLE session DROP COLUMN user",
    "ALTER TABLE message DROP COLUMN said",
    "DROP TABLE forgotten",
    "DROP TABLE change",
    "DROP TABLE folded",
    "ALTER TABLE session DROP COLUMN jots",
    "DROP TABLE jot",
    "PRAGMA user_version = 1",
)
Json = dict[str, Any]
Told = list[list[Any]]
"""Lines as `["try" | "did", step, session, …]`."""
STEPS = ("add", "add", "add", "add", "compact", "draft", "fork", "import", "forget", "recall")


def make_old(path: Path) -> None:
    """Make a file of the first version, with a session in it, to be migrated by who opens it."""
    with steno.Session(path, name=SHARED, wire="openai", window=WINDOW) as session:
        session.add(*spoken("old", 0, 3))
    with closing(sqlite3.connect(path)) as db:
        for change in OLD_VERSION:
            db.execute(change)
        db.commit()


def secret(session: str) -> str:
    """A word that is said in one session only, to be looked for when that is forgotten."""
    return f"secret-of-{session}-"


def own_words(session: str, number: int) -> dict[str, str]:
    return {"role": "user", "content": f"{session} {number} {secret(session)} " + "and so on " * 9}


def write_transcript(path: Path, session: str) -> None:
    rows = [json.dumps(own_words(session, number)) for number in range(IMPORTED)]
    path.write_text("\n".join(rows) + "\n")


def write_slowly(ask: Any) -> str:
    time.sleep(0.002)
    return "- went through the steps in order, none failed [0]"


@dataclass
class Story:
    """One writer at work on one file."""

    path: Path
    writer: str
    tell: Callable[[Any], None]
    chance: random.Random
    durable: bool = True
    scratch: Path | None = None
    """Where transcripts to be imported are written; beside the file if None."""
    counts: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    own: list[str] = field(default_factory=list)
    """Sessions that this writer may forget: no fork and no other writer needs them."""

    def live(self, most: int) -> None:
        with steno.Session(
            self.path,
            name=SHARED,
            wire="openai",
            window=WINDOW,
            durable=self.durable,
            writer=steno.Script(write_slowly),
        ) as session:
            self.tell(["did", "open", SHARED])
            done = 0
            while not most or done < most:
                self.step(session, self.chance.choice(STEPS))
                done += 1

    def step(self, session: steno.Session, kind: str) -> None:
        number = self.counts[kind]
        name = f"{self.writer}-{kind}-{number}"
        if kind in ("compact", "draft", "recall", "add"):
            name = SHARED
        if kind == "forget":
            if not self.own:
                return
            name = self.own[0]
        self.tell(["try", kind, name, number])
        getattr(self, f"_{kind}")(session, name, number)
        self.tell(["did", kind, name, number])
        self.counts[kind] += 1

    def _add(self, session: steno.Session, name: str, number: int) -> None:
        session.add(*spoken(self.writer, number, 1 + number % 3))

    def _compact(self, session: steno.Session, name: str, number: int) -> None:
        try:
            session.compact()
        except steno.errors.Stale:  # another writer compacted, twice in a row
            session._parts.journal.refresh()

    def _draft(self, session: steno.Session, name: str, number: int) -> None:
        draft = session.compact_soon()
        # Every other one lands while the next steps are done.
        if number % 2:
            draft.wait()

    def _recall(self, session: steno.Session, name: str, number: int) -> None:
        session.recall("lazy dog")

    def _fork(self, session: steno.Session, name: str, number: int) -> None:
        with session.fork(name=name) as forked:
            forked.add(own_words(name, 0))
            forked.recall("and so on")
        self.own.append(name)

    def _import(self, session: steno.Session, name: str, number: int) -> None:
        transcript = (self.scratch or self.path.parent) / f"{name}.jsonl"
        write_transcript(transcript, name)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            import_(str(transcript), str(self.path), name=name, window=WINDOW)
        transcript.unlink()
        self.own.append(name)

    def _forget(self, session: steno.Session, name: str, number: int) -> None:
        try:
            session._parts.journal.store.delete(name)  # type: ignore[attr-defined]
        except steno.errors.StoreFailed as error:
            # Another writer reads at this moment, so that its words stay in the write-ahead log.
            if "locked" not in str(error):
                raise
            self.tell(["gave up", "forget", name, number])
        self.own.remove(name)


def read_told(lines: Iterable[str]) -> Told:
    return [json.loads(line) for line in lines if line.endswith("]")]


def check_file(path: Path, lives: Mapping[str, Told], *, durable: bool = True) -> dict[str, int]:
    """Assert that a file holds what its writers were promised; return what was looked at.

    Without `durable`, what was told as done may be missing; the order still holds.
    """
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    store = SQLiteStore(path, durable=False)
    try:
        kept = {name: _messages(store, name) for name in session_names(store)}
        if SHARED in kept:
            adds = _check_shared(kept[SHARED], lives, durable)
        else:
            adds = 0
            opened = any(["did", "open", SHARED] in told for told in lives.values())
            assert not (opened and durable), "the session is gone"
        known = {SHARED}
        for told in lives.values():
            known |= _check_own(store, kept, told, durable)
        assert set(kept) <= known, f"sessions that nobody made: {set(kept) - known}"
        return {"files": 1, "adds": adds, "sessions": len(kept)}
    finally:
        store.close()


def _messages(store: SQLiteStore, name: str) -> list[Json]:
    """Return everything that was said in a session; assert that its view is legal."""
    with steno.Session(store=store, name=name, meter=WORDS) as session:
        ends = [0, *(item.span.stop for item in session.view.items)]
        assert [item.span.start for item in session.view.items] == ends[:-1]
        assert ends[-1] == len(session.log.messages)
        if not session.log.messages:
            return []
        assert legal.openai_chat({"messages": session._parts.sending.encode(session.view)}) == []
        found: list[Json] = session.open(f"0-{len(session.log.messages) - 1}")
        return found


def _check_shared(messages: list[Json], lives: Mapping[str, Told], durable: bool) -> int:
    """Check that every add is whole, in order and there once; return how many there are."""
    said: defaultdict[str, list[int]] = defaultdict(list)
    rest: list[Json] = []
    for message in messages:
        if not rest:
            writer, number, part, parts = message["content"].split()[:4]
            assert part == "0"
            rest = spoken(writer, int(number), int(parts))
            said[writer].append(int(number))
        assert message == rest.pop(0), "an add was torn"
    assert not rest, "an add was torn"
    assert set(said) <= {*lives, "old"}
    for writer, told in lives.items():
        kept = said[writer]
        assert kept == list(range(len(kept))), f"{writer}: lost or doubled in {kept}"
        assert len(kept) <= _count(told, "try", "add")
        done = _count(told, "did", "add")
        assert len(kept) >= done or not durable, f"{writer}: {done} adds, {len(kept)} are there"
    return sum(map(len, said.values()))


def _count(told: Told, how: str, kind: str) -> int:
    """Count the numbers told of a step; one that is tried again is told again."""
    return len({line[3] for line in told if line[:2] == [how, kind]})


def _check_own(
    store: SQLiteStore, kept: dict[str, list[Json]], told: Told, durable: bool
) -> set[str]:
    """Check forks and imports of one writer, and that what it forgot is gone; return all names."""
    done = {(kind, name) for how, kind, name, *_ in told if how == "did"}
    tried = {(kind, name) for how, kind, name, *_ in told if how == "try"}
    gave_up = {name for how, _, name, *_ in told if how == "gave up"}
    known: set[str] = set()
    for kind, name in sorted(tried):
        if kind not in ("fork", "import"):
            continue
        known.add(name)
        may_be_gone = not durable or (kind, name) not in done or ("forget", name) in tried
        assert name in kept or may_be_gone, f"{name} is gone"
        if ("forget", name) in done and name not in gave_up and durable:
            assert name not in kept, f"{name} is back"
            assert secret(name) not in _bytes_beside(store.path), f"words of {name} are left"
        elif name in kept and kind == "import":
            assert kept[name] == [own_words(name, number) for number in range(IMPORTED)]
        elif name in kept:
            origin = store.session_info(name).fork or 0
            assert kept[name][:origin] == kept[SHARED][:origin]
            added = kept[name][origin:]
            whole = (kind, name) in done and durable
            assert added == [own_words(name, 0)] or (not added and not whole)
    return known


def _bytes_beside(path: Path) -> str:
    """Return the store's file, its index and their side files as text."""
    files = sorted(file for file in path.parent.iterdir() if file.name.startswith(path.name))
    return "".join(file.read_bytes().decode("latin-1") for file in files)


def live_one(life: Json) -> None:
    """Live in a process of the nursery until killed, telling on stdout."""
    path = Path(life["path"])
    story = Story(
        path,
        life["writer"],
        lambda line: crash_writer.tell(json.dumps(line)),
        random.Random(life["seed"]),
        scratch=path.parent / "scratch",
    )
    story.live(life["most"])


if __name__ == "__main__":
    crash_writer.nursery(live_one)
