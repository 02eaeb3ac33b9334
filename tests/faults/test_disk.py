"""A disk that loses power, is full or fails, at any operation: what was done is there.

The programs run on a disk that can fail and that writes down every write and every sync
(`tests/support/faulty_disk.py`). For moments of that trace the files are made as a power loss
could leave them: everything unsynced gone, all of it there, or torn and out of order. SQLite's
guarantees are checked here, not believed. `STENO_DISK_FAULTS=all` tries every moment.
"""

from __future__ import annotations

import errno
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.store.test_durability import ENVIRONMENT
from tests.support.fault_story import Told, check_file, make_old
from tests.support.faulty_disk import Operation, PowerLoss, compiled, read_trace
from tests.support.paths import ROOT
from tests.support.promises import proves

WANTED = os.environ.get("STENO_DISK_FAULTS", "10")
"""Moments of each story, or all."""
STORIES = ("an old file", "durable", "not durable")
SEED = int(os.environ.get("STENO_SEED", "20"))
LEFT = (0.0, 1.0, 0.5, 0.9)
"""Chances of an unsynced sector to be there."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = compiled(tmp_path_factory.mktemp("disk"))
    if built is None:
        pytest.skip("needs Linux and a C compiler")
    return built


def run_on_faulty_disk(library: Path, program: str, order: dict[str, Any]) -> dict[str, Any]:
    environment = {**ENVIRONMENT, "LD_PRELOAD": str(library)}
    command = [sys.executable, "-m", "tests.support.faulty_runs", program, json.dumps(order)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=1_800
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def moments(operations: list[Operation], chance: random.Random) -> set[int]:
    """Choose after which operations the power fails."""
    changes = [at for at, operation in enumerate(operations) if operation.kind != "m"]
    if WANTED == "all":
        return set(changes)
    return set(chance.sample(changes, min(int(WANTED), len(changes))))


@pytest.mark.slow
@proves("store.survives")
@pytest.mark.parametrize("story", STORIES if WANTED == "all" else STORIES[:1])
def test_what_was_done_outlives_a_power_loss(story: str, library: Path, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    folder, base, trace = (tmp_path / name for name in ("disk", "base", "trace"))
    base.mkdir()
    if story == "an old file":
        make_old(base / "agent.db")
    shutil.copytree(base, folder)
    durable = story != "not durable"
    order = {"folder": str(folder), "seed": SEED, "durable": durable, "steps": 40}
    run_on_faulty_disk(library, "record", order | {"trace": str(trace)})
    tally: Counter[str] = Counter()
    for state, told in states(trace, folder, base, tmp_path, chance):
        tally["states"] += 1
        if (state / "agent.db").exists():
            tally.update(check_file(state / "agent.db", {"w0": told}, durable=durable))
        elif durable:
            assert ["did", "open", "shared"] not in told, "the file is gone"
        shutil.rmtree(state)
    print(story, dict(tally))
    assert tally["files"] > tally["states"] // 2


@pytest.mark.slow
@proves("tools.writes")
def test_a_file_that_is_replaced_is_the_old_or_the_new_one(library: Path, tmp_path: Path) -> None:
    folder, base, trace = (tmp_path / name for name in ("disk", "base", "trace"))
    base.mkdir()
    for name in ("exported", "written"):
        (base / name).write_text("old\n" * 100)
    shutil.copytree(base, folder)
    order = {"folder": str(folder), "trace": str(trace), "store": str(tmp_path / "agent.db")}
    run_on_faulty_disk(library, "replace", order)
    finished = {name: (folder / name).read_bytes() for name in ("exported", "written")}
    seen = set()
    for state, _ in states(trace, folder, base, tmp_path, random.Random(SEED)):
        for name, new in finished.items():
            left = (state / name).read_bytes()
            assert left in (b"old\n" * 100, new), f"{name} is torn: {left[:100]!r}"
            seen.add((name, left == new))
    assert WANTED != "all" or len(seen) == 4


THINGS = (
    "add compact fork import forget recall open migrate pin export write_tool".split()  # noqa: SIM905
)
REFUSALS = {
    "full": (
        errno.ENOSPC,
        "the disk is full|[Nn]o space left|space on the disk|answered with an error",
    ),
    "read-only": (errno.EROFS, "answered with an error|[Rr]ead-only|cannot be opened"),
    "broken": (errno.EIO, "answered with an error|[Ii]nput/output error|cannot be opened"),
}


@pytest.mark.slow
@proves("store.failures")
@pytest.mark.parametrize("kind", REFUSALS if WANTED == "all" else ["full"])
def test_a_disk_that_refuses_is_one_error_and_the_next_add_is_durable(
    kind: str, library: Path, tmp_path: Path
) -> None:
    code, sentence = REFUSALS[kind]
    stride = 1 if WANTED == "all" else 23
    order = {"folder": str(tmp_path), "things": THINGS, "code": code, "stride": stride}
    report = run_on_faulty_disk(library, "refuse", order)
    for thing in THINGS:
        print(kind, thing, report[thing])
        assert report[thing]["refused"], f"{thing} was never refused"
        for error in report[thing]["errors"]:
            assert re.search(sentence, error), error


def states(
    trace: Path, folder: Path, base: Path, into: Path, chance: random.Random
) -> Iterator[tuple[Path, Told]]:
    """Give what power losses leave, each with what was told before them."""
    operations = list(read_trace(trace))
    chosen = moments(operations, chance)
    loss = PowerLoss(folder, base)
    told: Told = []
    for at, operation in enumerate(operations):
        if operation.kind == "m":
            told.append(json.loads(operation.path))
            continue
        loss.follow(operation)
        if at not in chosen:
            continue
        for number, keep in enumerate(LEFT):
            state = into / f"{at}-{number}"
            loss.lose(state, keep, chance)
            yield state, list(told)
