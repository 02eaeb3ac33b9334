"""Killed at any instant of any step, alone or among others: what was done is there, once.

`STENO_KILLS=1000` for a full run. The steps and the check are in `tests/support/fault_story.py`.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.store.test_durability import KILLED, open_nursery
from tests.support.fault_story import STEPS, Told, check_file, make_old, read_told
from tests.support.promises import proves

KILLS = int(os.environ.get("STENO_KILLS", "20"))
SEED = int(os.environ.get("STENO_SEED", "20"))
KILLS_PER_FILE = 12
LONGEST = 0.25
"""Seconds that a writer lives at most."""
OPENING = 0.04
"""The same while nobody has opened the file yet, so that opening and migrating are hit."""
FIRST_LIVES = 3
"""Lives on a file that nobody waits for to open it."""
WAYS = {*STEPS, "open", "migrate"}
WHOLE = 500
"""Kills from which on the test goes on until each of these ways was hit."""


def told_by(life: dict[str, Any]) -> Told:
    out = Path(life["out"])
    if not out.exists():
        return []
    lines = out.read_text().splitlines()
    assert not any(line.startswith("died") for line in lines), lines[-1]
    return read_told(lines)


def killed_within(life: dict[str, Any], opening: str) -> str:
    """Return the step that a writer was killed in; empty if it was between two or not yet born."""
    told = told_by(life)
    if told and told[-1][0] == "try":
        return str(told[-1][1])
    # A writer's output is there before it opens the file, and it speaks after that.
    if not told and Path(life["out"]).exists():
        return opening
    return ""


def enough(hit: Counter[str]) -> bool:
    return hit.total() >= KILLS and (KILLS < WHOLE or set(hit) == WAYS)


@pytest.mark.slow
@proves("store.survives")
def test_a_writer_killed_in_any_step_leaves_what_was_done_and_nothing_twice(
    tmp_path: Path,
) -> None:
    print(f"STENO_SEED={SEED}")
    chance = random.Random(SEED)
    tally: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    with open_nursery([sys.executable, "-m", "tests.support.fault_story"]) as nursery:
        while not enough(hit):
            folder = tmp_path / str(tally["files"])
            (folder / "scratch").mkdir(parents=True)
            path = folder / "agent.db"
            opening = "open"
            if tally["files"] % 2:
                make_old(path)
                opening = "migrate"
            tally["files"] += 1
            lives: list[dict[str, Any]] = []
            while len(lives) < KILLS_PER_FILE and not enough(hit):
                together = [
                    {
                        "path": str(path),
                        "writer": f"w{len(lives) + number}",
                        "out": str(folder / f"w{len(lives) + number}.out"),
                        "seed": chance.randrange(10**6),
                        "most": 0,
                    }
                    for number in range(chance.choice((1, 1, 2, 3)))
                ]
                lives += together
                # Some are killed while they create or migrate the file.
                opened = len(lives) > FIRST_LIVES
                longest = LONGEST if opened else OPENING
                ends = nursery.send(together, after=chance.uniform(0, longest), opened=opened)
                assert ends == [KILLED] * len(together), [told_by(life) for life in together]
                tally["kills"] += len(together)
                if len(together) > 1:
                    tally["kills among several writers"] += len(together)
                told = {life["writer"]: told_by(life) for life in lives}
                hit.update(filter(None, (killed_within(life, opening) for life in together)))
                opening = "open"  # the check migrates it
                if path.exists():
                    tally["checks"] += 1
                    tally["adds"] = tally["adds"] + check_file(path, told).get("adds", 0)
    print(dict(tally), "killed within:", dict(hit))
