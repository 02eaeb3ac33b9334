"""Measure which constraints and facts survive compaction: a kit that others wrote, and a long talk.

    python -m bench conformance [--seeds N] [--budgets 0.3,0.5] [--missing]

*The kit* is `compaction-conformance-kit` (PyPI, 0.8.0), if it is installed. It plants sentences
(safety constraints, limits, facts, a task's state, wishes) in a short talk, has it compacted to
a share of its characters five times over, and looks for their words. Its own compactors run beside
Steno; the best of them look for the labels that the kit sets before its sentences.

*At scale*: 80 sentences of the same five kinds, without labels and in our own words, in a talk of
some 60,000 tokens that goes through a session with a window of 16,000. Between them people chat, or
an agent reads files. A sentence is visible if its values stand in the view, recalled if one search
with a question brings them. No model is asked.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

import steno
from bench.ground import arguments, tell, verdict, wide

CHARACTERS_PER_TOKEN = 4
ROUNDS = 5
WINDOW = 16_000
TALK_TOKENS = 60_000
EACH = 16
"""Sentences of one kind."""
VISIBLE_LEAST = 76
"""Sentences of 80 that must be visible at scale; all must be visible or recalled."""
SHARES = tuple(share / 100 for share in range(100, 28, -2))
"""Shares of a budget to try: the kit counts the characters around messages, Steno does not."""
KIT_LEAST = 0.95
"""Share of the kit's sentences that must survive every round, from a budget of 30 % on."""
KIT_BUDGET = 0.3
POLICY = steno.Policy(
    goal=0.98,
    soft=0.99,
    hard=1.0,
    tail=steno.tails.Share(0.1),
    moment="now",
    by_window=False,
)
KIT = "compaction_kit"

Json = dict[str, Any]
Survival = tuple[float, float, bool]
"""Share that survived one round, all rounds, and whether every round kept to its budget."""


# The kit


class StenoCompactor:
    """Steno behind the kit's protocol."""

    name = "steno"

    def __init__(self) -> None:
        self._shown: dict[str, list[Json]] = {}
        self._most = 0

    def compact(
        self, turns: Sequence[Any], round_num: int = 1, budget_chars: int | None = None
    ) -> Any:
        from compaction_kit import CompactedContext

        messages = self._messages_of(turns)
        # Without a budget the window is that of the first round, as a session's is.
        if round_num == 1:
            self._most = int(len(_as_text(messages)) * KIT_BUDGET)
        most = budget_chars or self._most
        shown = messages
        for share in SHARES:
            tokens = int(most * share) // CHARACTERS_PER_TOKEN
            shown = _compacted(messages, tokens)
            if len(_as_text(shown)) <= most:
                break
        text = _as_text(shown)
        self._shown[text] = shown
        return CompactedContext(text=text, compactor_name=self.name, round_num=round_num)

    def _messages_of(self, turns: Sequence[Any]) -> list[Json]:
        # From the second round on the kit hands back our text as one turn. A caller of
        # Steno hands back the messages, so we look them up.
        if len(turns) == 1 and turns[0].text in self._shown:
            return self._shown[turns[0].text]
        return [{"role": turn.role, "content": turn.text} for turn in turns]


def _compacted(messages: list[Json], tokens: int) -> list[Json]:
    meter = steno.chars_per_four()
    done = steno.compact(
        messages, wire="openai", window=max(64, tokens), reserve=0, policy=POLICY, meter=meter
    )
    return done.messages


def _as_text(messages: Sequence[Json]) -> str:
    return "\n".join(f"[{message['role']}] {message['content']}" for message in messages)


def kit_sessions(seeds: int) -> Iterator[tuple[str, Any, list[Any]]]:
    """Yield the kit's sessions with what is planted in them."""
    from compaction_kit.canaries import seeded_canaries
    from compaction_kit.corpus import build_random_session
    from compaction_kit.generated import build_generated_session
    from compaction_kit.session import build_seeded_session

    yield "seeded", build_seeded_session(), seeded_canaries()
    for seed in range(1, seeds + 1):
        yield "randomized", *build_random_session(seed)
        yield "generated", *build_generated_session(seed)


def measure_kit(console: Console, seeds: int, budgets: Sequence[float], missing: bool) -> list[str]:
    """Print what survives under each compactor, and return the targets that were missed."""
    from compaction_kit.adapters import ProgressiveSummaryCompactor
    from compaction_kit.compactors import LossyTruncationCompactor, UpdateAwareChecklistCompactor
    from compaction_kit.runner import run_conformance

    makers: tuple[Callable[[], Any], ...] = (
        StenoCompactor,
        UpdateAwareChecklistCompactor,
        ProgressiveSummaryCompactor,
        LossyTruncationCompactor,
    )
    table = Table(title=f"the kit, {seeds} seeds, {ROUNDS} rounds", title_justify="left")
    for column in ("budget", "sessions", "compactor", "round 1", f"round {ROUNDS}", "in budget"):
        table.add_column(column)
    missed: list[str] = []
    for budget in budgets:
        found: dict[tuple[str, str], list[Survival]] = {}
        for kind, session, planted in kit_sessions(seeds):
            for make in makers:
                run = run_conformance(
                    session, make(), rounds=ROUNDS, canaries=planted, budget_fraction=budget
                )
                kept = [sum(each.survived.values()) / len(each.survived) for each in run.rounds]
                within = all(each.within_budget for each in run.rounds)
                found.setdefault((kind, make.__name__), []).append((kept[0], kept[-1], within))
                if missing and make is StenoCompactor:
                    lost = [id for id, held in run.rounds[-1].survived.items() if not held]
                    console.print(f"{budget:.0%} {kind}: lost {', '.join(lost) or 'nothing'}")
        for (kind, name), rows in found.items():
            first = sum(row[0] for row in rows) / len(rows)
            last = sum(row[1] for row in rows) / len(rows)
            within = all(row[2] for row in rows)
            if name == StenoCompactor.__name__ and budget >= KIT_BUDGET and last < KIT_LEAST:
                missed.append(f"kit, {kind} at {budget:.0%}: {last:.2f}, wanted {KIT_LEAST}")
            table.add_row(
                f"{budget:.0%}",
                kind,
                name,
                f"{first:.2f}",
                f"{last:.2f}",
                "yes" if within else "no",
            )
        table.add_section()
    console.print(table)
    return missed


# At scale


@dataclass(frozen=True)
class Planted:
    """A sentence whose values nobody can guess."""

    kind: str
    text: str
    values: tuple[str, ...]
    question: str


WORDS = (
    *("harbour", "ledger", "invoice", "ferry", "column", "parser", "branch", "token", "cache"),
    *("queue", "worker", "index", "shard", "panel", "digest", "route", "broker", "replica"),
)
NAMES = "Ada Bruno Carla Dario Edith Fabio Greta Hugo Ines Jonas Klara Luca Marta Nils Olga Pia"


def planted_sentences(draw: random.Random) -> list[Planted]:
    """Return 80 sentences, 16 of each kind, in an order of their own."""
    found: list[Planted] = []
    for number, first in enumerate(NAMES.split()):
        code = f"{draw.choice('QXZKV')}{draw.choice('LRTMN')}-{draw.randrange(1_000, 9_999)}"
        person = f"{first} {draw.choice('BDFGKLM')}{draw.choice('aeiou')}rvell{number}"
        thing = f"{draw.choice(WORDS)} {draw.choice(WORDS)} {number}"
        sum_ = f"${draw.randrange(2_000, 99_000):,}"
        day = f"2031-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}"
        found += (
            Planted(
                "constraint",
                f"Never show the {thing} key {code} to anybody but {person}.",
                (code, person),
                f"Which {thing} key must never be shown?",
            ),
            Planted(
                "limit",
                f"The {thing} budget is {sum_} in all. Ask {person} before you go over it.",
                (sum_, person),
                f"What is the {thing} budget?",
            ),
            Planted(
                "fact",
                f"The {thing} archive moves to host {code.lower()}.internal on {day}.",
                (f"{code.lower()}.internal", day),
                f"Where does the {thing} archive move, and when?",
            ),
            Planted(
                "state",
                f"The {thing} import is at step {number + 2} of 40; ticket {code} is still open.",
                (f"step {number + 2} of 40", code),
                f"At which step is the {thing} import?",
            ),
            Planted(
                "wish",
                f"I prefer {thing} reports as tables, signed {person}.",
                (f"{thing} reports as tables", person),
                f"How should {thing} reports look?",
            ),
        )
    draw.shuffle(found)
    return found


def long_talk(planted: Sequence[Planted], draw: random.Random, *, works: bool) -> list[Json]:
    """Return a talk with the sentences spread over it; in between chat, or files that are read."""
    room = TALK_TOKENS * CHARACTERS_PER_TOKEN // len(planted)
    messages: list[Json] = [{"role": "system", "content": "You are a careful assistant."}]
    for number, each in enumerate(planted):
        used = 0
        while used < room:
            if works:
                added = _read(f"c{number}_{used}", draw)
            else:
                added = [_said("user", draw, 3), _said("assistant", draw, 4)]
            messages += added
            used += sum(len(message["content"]) for message in added)
        messages.append({"role": "user", "content": each.text})
        messages.append({"role": "assistant", "content": "Noted."})
    return messages


def _read(id: str, draw: random.Random) -> list[Json]:
    path = f"src/{draw.choice(WORDS)}_{id}.py"
    function = {"name": "read_file", "arguments": f'{{"path": "{path}"}}'}
    call = {"id": id, "type": "function", "function": function}
    result = {"role": "tool", "tool_call_id": id, "content": _said("tool", draw, 20)["content"]}
    return [{"role": "assistant", "content": "Let me look.", "tool_calls": [call]}, result]


def _said(role: str, draw: random.Random, count: int) -> Json:
    lines = [" ".join(draw.choices(WORDS, k=10)).capitalize() + "." for _ in range(count)]
    return {"role": role, "content": " ".join(lines)}


def measure_scale(console: Console, seeds: int, missing: bool) -> list[str]:
    """Print what is visible and recalled, and return the targets that were missed."""
    table = Table(title=f"80 sentences, {TALK_TOKENS:,} tokens through {WINDOW:,}")
    kinds = ("constraint", "limit", "fact", "state", "wish")
    for column in ("talk", "seed", "visible", "recalled", *kinds, "tokens shown"):
        table.add_column(column, justify="right")
    missed: list[str] = []
    for works in (False, True):
        for seed in range(1, seeds + 1):
            name = "work" if works else "chat"
            draw = random.Random(seed)
            planted = planted_sentences(draw)
            lost, recalled, shown = _lost(planted, long_talk(planted, draw, works=works))
            visible = len(planted) - len(lost)
            by_kind = [sum(each.kind == kind for each in lost) for kind in kinds]
            cells = [f"{EACH - gone}/{EACH}" for gone in by_kind]
            table.add_row(name, str(seed), str(visible), str(recalled), *cells, f"{shown:,}")
            if visible < VISIBLE_LEAST:
                missed.append(f"{name} {seed}: {visible} of 80 visible, wanted {VISIBLE_LEAST}")
            if visible + recalled < len(planted):
                missed.append(f"{name} {seed}: {visible + recalled} of 80 visible or recalled")
            if missing:
                for each in lost:
                    console.print(f"{name} {seed}: {each.text}")
    console.print(table)
    return missed


def _lost(planted: Sequence[Planted], messages: Sequence[Json]) -> tuple[list[Planted], int, int]:
    """Return what the view does not show, how much of it one search brings, and its size."""
    with steno.Session(wire="openai", window=WINDOW) as session:
        for message in messages:
            session.add(message)
            if message["role"] != "tool":
                session.messages()
        view = "\n".join(str(message["content"]) for message in session.messages())
        lost = [each for each in planted if not _holds(view, each)]
        recalled = 0
        for each in lost:
            hits = session.recall(each.question).hits
            recalled += any(_holds(str(hit), each) for hit in hits)
        return lost, recalled, len(view) // CHARACTERS_PER_TOKEN


def _holds(text: str, planted: Planted) -> bool:
    return all(value in text for value in planted.values)


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--budgets", default="0.2,0.3,0.5", help="shares of the kit's characters")
    parser.add_argument("--missing", action="store_true", help="list what is lost")
    given = parser.parse_args()
    console = wide()
    tell(console, "made here", ("compaction-conformance-kit",))
    missed = measure_scale(console, given.seeds, given.missing)
    if importlib.util.find_spec(KIT) is None:
        console.print("the kit is not installed: pip install compaction-conformance-kit==0.8.0")
    else:
        budgets = [float(share) for share in given.budgets.split(",")]
        missed += measure_kit(console, given.seeds, budgets, given.missing)
    return verdict(console, missed)
