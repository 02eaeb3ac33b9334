"""Run research tasks over a generated corpus within 4,096 tokens.

    python -m bench research                        200 tasks, with a written summary and without
    python -m bench research --tasks 20 --gateway   through a real gateway on loopback

Does it crash, do sources resolve, what is lost? The corpus is files of filler with facts in them,
a sentence each. A task asks for several facts; the scripted model searches, reads and notes one
after the other, and in the end answers from what it still sees. A fact is *lost* if it was read
and is not in the answer. Runs differ only by the seed, and no model is asked but the script.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.ground import arguments
from steno import Writer
from steno.agent import SessionOptions, ToolFinished
from steno.agent.research import FileLibrary, Researcher
from steno.gateway.client import Gateway
from steno.gateway.server import serving
from steno.models import Answer, Ask, NoAnswer
from steno.models.retry import RetryPolicy
from tests.support.scripted_research import ScriptedModel

WINDOW = 4_096
FILES, LINES = 120, 60
KINDS = ("cranes", "lighthouses", "ferries", "granaries", "bridges", "mills")
SYLLABLES = (
    "an",
    "bel",
    "cor",
    "dun",
    "el",
    "fal",
    "gor",
    "hal",
    "is",
    "jor",
    "kel",
    "lor",
    "mar",
    "nor",
    "os",
)
FILLER = [f"{a}{b}" for a in SYLLABLES for b in ("et", "ian", "os", "um", "ard", "ine")]


@dataclass(frozen=True)
class Fact:
    town: str
    kind: str
    file: str
    line: int
    text: str

    @property
    def question(self) -> str:
        return f"How many {self.kind} are in the town of {self.town}?"


def corpus(folder: Path, chance: random.Random) -> list[Fact]:
    """Write files of filler, each with three facts of one town."""
    facts: list[Fact] = []
    for number in range(FILES):
        town = "".join(chance.sample(SYLLABLES, 3)).capitalize() + str(number)
        rows = [
            " ".join(chance.choice(FILLER) for _ in range(chance.randint(6, 16)))
            for _ in range(LINES)
        ]
        for kind in chance.sample(KINDS, 3):
            at = chance.randrange(LINES)
            many, year = chance.randint(2, 900), 1_700 + number
            text = (
                f"In the town of {town} there are {many} {kind}, as the register of {year} has it."
            )
            if not rows[at].startswith("In the town"):
                rows[at] = text
                facts.append(Fact(town, kind, f"n{number:03}.md", at + 1, text))
        (folder / f"n{number:03}.md").write_text("\n".join(rows), encoding="utf-8")
    return facts


class Watched(ScriptedModel):
    """The script, and the largest prompt it was given."""

    largest = 0

    def answer(self, ask: Ask) -> Any:
        Watched.largest = max(Watched.largest, len(ask.prompt) + len(ask.system or ""))
        return super().answer(ask)


class Down:
    """A model that does not answer."""

    name = "down"

    def answer(self, ask: Ask) -> Answer | NoAnswer:
        return NoAnswer("down", "server")


@dataclass
class Tally:
    statuses: Counter[str] = field(default_factory=Counter)
    compactions: int = 0
    compacted: int = 0
    asked: int = 0
    read: int = 0
    told: int = 0
    unresolved: int = 0
    crashes: int = 0
    prompt: int = 0
    seconds: float = 0.0

    def row(self, name: str, tasks: int) -> str:
        statuses = ", ".join(f"{status} {many}" for status, many in sorted(self.statuses.items()))
        lost = self.read - self.told
        share = 100 * lost / max(1, self.read)
        return (
            f"{name:<26} {statuses}; crashes {self.crashes}; sources that do not resolve "
            f"{self.unresolved}; "
            f"compactions {self.compactions} in {self.compacted} of {tasks} tasks; "
            f"facts asked {self.asked}, read {self.read}, lost {lost} ({share:.1f} %); "
            f"largest prompt ≈ {self.prompt / 4:,.0f} tokens; "
            f"{1_000 * self.seconds / tasks:,.0f} ms a task"
        )


def researched(tasks: list[list[Fact]], library: FileLibrary, model: Any, **how: Any) -> Tally:
    tally = Tally()
    Watched.largest = 0
    began = time.monotonic()
    for facts in tasks:
        seen: set[str] = set()
        known = frozenset(fact.text for fact in facts)

        def watch(told: Any, seen: set[str] = seen, known: frozenset[str] = known) -> None:
            if isinstance(told, ToolFinished) and told.call.name == "read":
                seen |= {fact for fact in known if fact in told.result.text}

        researcher = Researcher(
            model,
            library,
            options=SessionOptions(writer=Writer(retry=RetryPolicy(retries=0))),
            **how,
        )
        try:
            found = researcher.run("; ".join(fact.question for fact in facts), on_event=watch)
        except Exception as crash:  # noqa: BLE001 — a crash is what is counted here
            tally.crashes += 1
            print(f"crashed: {type(crash).__name__}: {crash}")
            continue
        tally.statuses[found.status] += 1
        tally.compactions += found.compactions
        tally.compacted += bool(found.compactions)
        tally.asked += len(facts)
        tally.read += len(seen)
        tally.told += sum(text in found.answer for text in seen)
        tally.unresolved += sum(not library.resolves(source) for source in found.sources) + len(
            found.unresolved
        )
    tally.seconds, tally.prompt = time.monotonic() - began, Watched.largest
    return tally


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--gateway", action="store_true", help="through a real gateway on loopback")
    said = parser.parse_args()
    chance = random.Random(said.seed)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as held:
        facts = corpus(Path(folder), chance)
        tasks = [chance.sample(facts, chance.randint(1, 12)) for _ in range(said.tasks)]
        library = FileLibrary.under(folder)
        print(
            f"{said.tasks} tasks, {len(facts)} facts in {FILES} files, {WINDOW:,} tokens, "
            f"seed {said.seed}"
        )
        model: Any = Watched()
        down: Any = Down()
        if said.gateway:
            model = held.enter_context(Gateway(held.enter_context(serving(model)).address))
            down = held.enter_context(Gateway(held.enter_context(serving(down)).address))
        print(researched(tasks, library, model).row("summaries by the writer", said.tasks))
        print(
            researched(tasks, library, model, writer=down).row(
                "writer down, extraction", said.tasks
            )
        )
        print(
            researched(tasks, library, model, writer=down, fallback="clip").row(
                "writer down, 200 each", said.tasks
            )
        )
