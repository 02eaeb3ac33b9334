"""Programs that come to grief, for `tests/store/test_durability.py`: killed, out of space, without
rights.

Owns what has to happen in a process of its own because it ends it or binds it.
Each subcommand reads its orders as JSON and answers with JSON:

    crash_writer.py nursery        for a line on stdin, start writers, kill them, print a line
    crash_writer.py fill ORDER     says more until the disk is full, frees some space, goes on
    crash_writer.py attempt ORDER  opens files, and says what came of it

A nursery forks its writers from a process that is warm already: a life is short. One that has
`paths` attempts these, without rights.
What a writer's file must hold afterwards is the tests' business.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import steno

WINDOW = 4_000
"""Small, so that there is always something to compact."""
WORDS = "the quick brown fox jumps over the lazy dog and is stored before it is shrunk; "
NOBODY = 65534
PATIENCE = 30.0
Json = dict[str, Any]


def spoken(writer: str, number: int, parts: int) -> list[Json]:
    """What one `add` is given: a message, or a call with its results.

    Each says who, which and what part.
    """
    texts = [
        f"{writer} {number} {part} {parts} {WORDS * (1 + number % 7)}" for part in range(parts)
    ]
    if parts == 1:
        return [{"role": "user", "content": texts[0]}]
    calls = [
        {
            "id": f"{writer}-{number}-{part}",
            "type": "function",
            "function": {"name": "look", "arguments": "{}"},
        }
        for part in range(1, parts)
    ]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": text}
        for call, text in zip(calls, texts[1:], strict=True)
    ]
    return [{"role": "assistant", "content": texts[0], "tool_calls": calls}, *results]


def live(life: Json) -> None:
    """Say more, compact now and then, undo sometimes.

    Tell of each thing only after it has returned.
    """
    chance = random.Random(life["seed"])
    with steno.Session(life["path"], name=life["session"], wire="openai", window=WINDOW) as session:
        tell("opened")
        for number in range(life["most"]) if life["most"] else count():
            session.add(*spoken(life["writer"], number, chance.choice((1, 1, 2, 3))))
            tell(f"said {number} of {len(session.log.messages)}")
            if number % 5 == 4:
                shrink(session, undo=chance.random() < 0.2)
            elif number % 3 == 2:
                session.messages()
                tell(f"committed {len(session.log.commits)}")


def shrink(session: steno.Session, *, undo: bool) -> None:
    try:
        session.compact()
        if undo and session.log.live:
            session.undo()
    except steno.errors.Stale:  # somebody else compacted, and then somebody else again
        session._parts.journal.refresh()
    tell(f"committed {len(session.log.commits)}")


def tell(line: str) -> None:
    """One write to the system, so that a kill cannot take back what was told."""
    os.write(1, f"{line}\n".encode())


def nursery(live: Callable[[Json], None] = live) -> None:
    warm()
    for line in sys.stdin:
        order = json.loads(line)
        born = [born_to(life, live) for life in order["lives"]]
        if order["opened"]:
            wait_until_opened(order["lives"], born)
        if order["after"] is not None:
            time.sleep(order["after"])
            for pid in born:
                os.kill(pid, signal.SIGKILL)
        print(
            json.dumps([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in born]),
            flush=True,
        )


def born_to(life: Json, live: Callable[[Json], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        out = os.open(life["out"], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.dup2(out, 1)
        os.dup2(out, 2)
        if "paths" in life:
            give_up_rights()
            tell(json.dumps(attempt(life)))
        else:
            live(life)
        code = 0
    except BaseException as error:  # noqa: BLE001 — told to the test; nothing of the parent's may run on here
        tell(f"died of {type(error).__name__}: {error}")
    finally:
        os._exit(code)


def wait_until_opened(lives: list[Json], born: list[int]) -> None:
    """Until each has a word to say, or is no more."""
    until = time.monotonic() + PATIENCE
    for life, pid in zip(lives, born, strict=True):
        out = Path(life["out"])
        while not (out.exists() and out.stat().st_size) and time.monotonic() < until:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break
            time.sleep(0.001)


def warm() -> None:
    """Load what is loaded when first needed, before anybody is forked or loses their rights."""
    with steno.Session(wire="openai", window=WINDOW) as session:
        session.add(*spoken("warm", 0, 3))
        session.messages()


def fill(order: Json) -> Json:
    """Say more until it fails, fail again, make room, say the same again.

    And read all of it anew.
    """
    warm()
    path = Path(order["folder"]) / "agent.db"
    session = steno.Session(path, name="s", wire="openai", window=WINDOW)
    tighten(path.parent, order["limit"])
    errors: list[list[str]] = []
    said = 0
    while not errors and said < 10_000:
        errors += refused(lambda: session.add(*noise(said)))
        said += not errors
    errors += refused(lambda: session.add(*noise(said)))
    late = refused(
        lambda: steno.Session(path.with_name("new.db"), wire="openai", window=WINDOW).add(*noise(0))
    )
    seen = session.open(f"0-{2 * said - 1}") == [
        message for number in range(said) for message in noise(number)
    ]
    loosen(path.parent, order["limit"])
    for number in range(said, said + 3):
        session.add(*noise(number))
    session.compact()
    shown = session.messages()
    session.close()
    return {
        "said": said,
        "errors": errors,
        "late": late,
        "seen": seen,
        **read_anew(path, said + 3, shown),
    }


def tighten(folder: Path, limit: int) -> None:
    """Little space from now on: for each file, or on the whole disk."""
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    else:
        (folder / "ballast").write_bytes(bytes(300_000))


def loosen(folder: Path, limit: int) -> None:
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    else:
        (folder / "ballast").unlink()


def read_anew(path: Path, said: int, shown: list[Any]) -> Json:
    """Whether all that was said is there once, and seen as it was."""
    whole = [message for number in range(said) for message in noise(number)]
    with steno.Session(path, name="s") as again:
        kept = again.open(f"0-{len(again.log.messages) - 1}") == whole
        return {"kept": kept, "same": again.messages() == shown, "commits": len(again.log.commits)}


def noise(number: int) -> list[Json]:
    """Two messages that no other number says, some pages long."""
    chance = random.Random(number)
    return [
        {"role": role, "content": chance.randbytes(3_000).hex()} for role in ("user", "assistant")
    ]


def refused(work: Callable[[], object]) -> list[list[str]]:
    """What was raised, by name and in words; nothing where it worked."""
    try:
        work()
    except Exception as error:  # noqa: BLE001 — whatever it is, the test judges it
        return [[type(error).__name__, str(error)]]
    return []


def give_up_rights() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def attempt(order: Json) -> Json:
    """Open files and say one thing more in each."""
    errors: list[list[str]] = []
    for path in order["paths"]:
        errors += refused(partial(_say_one_more, path))
    return {"errors": errors}


def _say_one_more(path: str) -> None:
    with steno.Session(path, name="s", wire="openai", window=WINDOW) as session:
        session.add({"role": "user", "content": "one more"})


if __name__ == "__main__":
    if sys.argv[1] == "nursery":
        nursery()
    else:
        print(json.dumps({"fill": fill, "attempt": attempt}[sys.argv[1]](json.loads(sys.argv[2]))))
