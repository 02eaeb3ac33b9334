"""What the knobs of a policy buy on real sessions: scorers, patience, and limits by the window.

    python bench/knobs.py scorers DATA --every 8                 TF-IDF, entropy, use
    python bench/knobs.py scorers DATA --every 22 --model M.gguf with a local model's surprisal
    python bench/knobs.py patience DATA                          commits at hard pressure
    python bench/knobs.py windows DATA --every 8                 limits in small windows
    python bench/knobs.py prices                                 limits in large windows

Each table has the measures of replay (shares of what was used later and was still visible), the
commits, how many of them came at hard pressure, and the CPU seconds of the policy.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path

from rich.table import Table

from ground import wide
from plain import data_folder, recorded_sessions
from steno.core.price import Prices
from steno.engine.policy import Policy
from steno.lab.bill import ReplaySetting
from steno.lab.ours import StenoPolicy
from steno.lab.recorded import RecordedSession
from steno.lab.run import replay_session
from steno.lab.score import Score, total_score
from steno.lab.uses import MEASURES
from steno.models import Surprisal
from steno.rungs import Summarize, register_surprisal

HEADINGS = ("policy", *MEASURES, "billed", "commits", "hard", "jumps", "over", "CPU s")
SMALL_WINDOWS = (4_000, 8_000, 16_000)
LARGE_WINDOWS = (200_000, 1_000_000, 2_000_000)
TURNS, TURN_TOKENS = 4_000, 1_000
"""A long session: so many turns, each of so many tokens."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", choices=("scorers", "patience", "windows", "prices"))
    parser.add_argument("data", nargs="?")
    parser.add_argument("--every", type=int, default=1, help="only every so many sessions")
    parser.add_argument("--window", type=int, default=32_000)
    parser.add_argument("--model", help="a GGUF file, for surprisal")
    asked = parser.parse_args()
    if asked.table == "prices":
        price_windows()
        return
    file = data_folder(asked.data) / "sessions.jsonl.gz"
    told = recorded_sessions(file)[:: asked.every]
    match asked.table:
        case "scorers":
            compare(told, asked.window, scorers(asked.model))
        case "patience":
            kinds = ("simple", "medium", "complex", "epic")
            compare(told, asked.window, {kind: Policy(complexity=kind) for kind in kinds})
        case "windows":
            for window in SMALL_WINDOWS:
                compare(told, window, limits_of(window))


def scorers(model: str | None) -> dict[str, Policy]:
    names = ["likely", "rarity", "entropy"]
    if model is not None:
        register_surprisal(Surprisal(Path(model)))
        names.append("surprisal")
    return {name: _scored_by(name) for name in names}


def _scored_by(name: str) -> Policy:
    ladder = [
        Summarize(scorer=name) if isinstance(rung, Summarize) else rung  # type: ignore[arg-type]
        for rung in Policy().ladder
    ]
    return Policy(ladder=tuple(ladder))


def limits_of(window: int) -> dict[str, Policy]:
    """Return the default's limits in this window, and the same shares as in any other."""
    plain = Policy(by_window=False)
    return {"by the window": Policy(), "as written": plain}


def compare(told: list[RecordedSession], window: int, policies: Mapping[str, Policy]) -> None:
    """Print what each policy keeps in a window, and what it costs."""
    long = [recorded for recorded in told if recorded.tokens >= 2 * window]
    table = Table(*HEADINGS, title=f"window {window:,}, {len(long)} sessions")
    for name, policy in policies.items():
        table.add_row(name, *row_of(long, window, policy))
    wide().print(table)


def row_of(told: list[RecordedSession], window: int, policy: Policy) -> list[str]:
    start = time.process_time()
    setting = ReplaySetting(window, window // 8)
    scores: list[Score] = []
    hard = jumps = 0
    for recorded in told:
        player = WatchedPolicy(StenoPolicy.bare(window, policy, recorded.wire, window // 8).session)
        scores.append(replay_session(recorded, "ours", player, setting))
        hard += player.hard
        jumps += player.jumps
    total = total_score(scores)
    shares = [f"{total.tally(measure).share or 0:.3f}" for measure in MEASURES]
    seconds = time.process_time() - start
    counts = (total.commits, hard, jumps, total.over)
    return [*shares, f"{total.billed / 1e6:.2f}M", *map(str, counts), f"{seconds:.0f}"]


class WatchedPolicy(StenoPolicy):
    """Counts the commits at hard pressure, and those that no soft pressure came before."""

    hard = 0
    jumps = 0
    _warned = False

    def request(self):  # type: ignore[no-untyped-def]
        pressure = self.session.pressure
        known = self.commits
        request = super().request()
        new = [commit for commit in self.session.log.commits[known:] if commit.why == "hard"]
        self.hard += len(new)
        self.jumps += len(new) * (not self._warned)
        self._warned = pressure == "soft" and self.commits == known
        return request


def price_windows() -> None:
    """Print what a long session costs under limits by the window, and as written."""
    prices = Prices(read=0.1, write=1.25, output=0.0, input=1.0)
    table = Table("window", "limits", "soft", "goal", "dollars a thousand turns", "commits")
    for window in LARGE_WINDOWS:
        for name, policy in limits_of(window).items():
            budget = policy.budget(window)
            dollars, commits = session_cost(budget.soft_load, budget.goal_load, prices)
            shares = (f"{budget.soft:.0%}", f"{budget.goal:.0%}")
            table.add_row(f"{window:,}", name, *shares, f"{dollars:.2f}", str(commits))
    wide().print(table)


def session_cost(soft: float, goal: float, prices: Prices) -> tuple[float, int]:
    """Return dollars a thousand turns, at a dollar a million new tokens, and the commits."""
    load, dollars, commits = goal, 0.0, 0
    for _ in range(TURNS):
        dollars += prices.request_cost(int(load), TURN_TOKENS)
        load += TURN_TOKENS
        if load >= soft:
            commits += 1
            load = goal
            # All that stays is written to the cache anew.
            dollars += prices.request_cost(0, int(goal))
    return dollars / TURNS * 1_000, commits


if __name__ == "__main__":
    main()
