"""Replay real sessions: check the measures, count what each policy keeps usable, and how fast.

The peer is the code that fixed the measures outside this repository, beside the data
(`../probes/replay.py`). Its two baselines must give the same figures here, number for number;
its time is the ratio that is printed.

    python -m bench replay DATA                          everything, three windows
    python -m bench replay DATA --window 32k --every 6   a quick look
    python -m bench replay DATA --split halves           with the two halves of the sessions apart

For a policy whose scorer is a model's surprisal, STENO_SURPRISAL names the model's file
(`examples/surprisal.py`).
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.ground import arguments, tell, verdict, wide
from bench.plain import recorded_sessions
from bench.plot import scatter
from steno.cli.options import parse_size
from steno.core.message import Message
from steno.lab.as_json import mean_row
from steno.lab.bill import ReplaySetting
from steno.lab.policies import BASELINES, policy_names, start_policy
from steno.lab.recorded import RecordedSession
from steno.lab.run import replay_session, score_session
from steno.lab.score import Score, total_score
from steno.lab.uses import MEASURES
from steno.rungs import register_surprisal

WINDOWS = (8_000, 16_000, 32_000)
POLICIES = (
    "none",
    "sliding",
    "masking",
    "ratio",
    "snippets",
    "entries",
    "clairvoyant",
    "truncate",
    "default",
    "session",
)
OURS = ("truncate", "default", "session")
AGENT_POLICIES = ("sliding", "masking", "default", "session")
SHARES = (*MEASURES, "lost")
COSTS = ("sent", "billed", "peak", "over", "commits", "illegal")
BEGIN, END = "<!-- written by python -m bench replay -->", "<!-- until here -->"
PLACES_MOST = 6
SECONDS = 180.0
"""For three policies on all sessions at 32,000 tokens, with two processes."""
GAP_MOST = 0.05
"""Difference between two halves from which on it is a finding of its own."""

Scores = dict[str, list[Score]]
"""Of each policy, in the order of the sessions."""


def main() -> int:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--window", type=parse_size, help="one window instead of three")
    parser.add_argument("--policy", default=",".join(POLICIES), help="policies, with commas")
    parser.add_argument("--every", type=int, default=1, help="only every so many sessions")
    parser.add_argument(
        "--per-project", type=int, help="only so many sessions of a project, of all files"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--split", choices=("halves", "project"), help="show groups of sessions apart"
    )
    parser.add_argument("--plots", metavar="FOLDER", help="where to draw use against cost")
    parser.add_argument(
        "--results", metavar="FILE", help="a page whose tables are replaced, between its marks"
    )
    parser.add_argument("--tables", action="store_true", help="tables alone, no checks, no times")
    asked = parser.parse_args()
    folder = asked.data
    console = wide()
    tell(console, f"{folder.name}/sessions*.jsonl.gz")
    file = folder / "sessions.jsonl.gz"
    told = recorded_sessions(file)[:: asked.every]
    others = [
        recorded
        for path in sorted(folder.glob("sessions_*.jsonl.gz"))
        for recorded in recorded_sessions(path)
    ]
    projects = _projects(folder)
    if asked.per_project:
        told, others = _of_each_project(told + others, projects, asked.per_project), []
    _add_policies(asked.policy.split(","))
    policies = policy_names(asked.policy.split(","))
    missed = []
    if not asked.tables:
        missed = [*_agrees(console, file, told), *_in_time(console, told, asked.jobs)]
    sections = []
    windows = WINDOWS
    if asked.window:
        windows = (asked.window,)
    for window in windows:
        long = long_enough(told, window)
        scores = scored(long, policies, window, asked.jobs)
        means, pooled = _tables(scores)
        tables = {
            "Means by session": means,
            "All uses together, and costs": pooled,
            "Other agents": _agent_rows(long + others, scores, others, window, asked.jobs),
        }
        if asked.split:
            rows = _split_rows(_groups(told, asked.split, projects), scores)
            tables[f"By {asked.split}"] = rows
        _show(console, f"window {window:,}, {len(long)} sessions", tables)
        sections.append(_section(long, scores, tables, window))
        if asked.plots:
            _plot(Path(asked.plots) / f"replay-{window // 1_000}k.svg", scores, window)
    if asked.results:
        page = Path(asked.results)
        page.write_text(_rewritten(page.read_text(encoding="utf-8"), sections), encoding="utf-8")
    if asked.every == 1 and not asked.window and not asked.tables:
        missed += _grows(console, told)
    return verdict(console, missed)


def long_enough(told: list[RecordedSession], window: int) -> list[RecordedSession]:
    """Return the sessions of at least two windows; shorter ones hardly need a policy."""
    return [recorded for recorded in told if recorded.tokens >= 2 * window]


def _add_policies(names: Sequence[str]) -> None:
    """Add the policies of other packages that are asked for, and a scorer, in this process."""
    if model := os.environ.get("STENO_SURPRISAL"):
        from examples.surprisal import Surprisal

        register_surprisal(Surprisal(model))
    if not BASELINES.keys() >= set(names):
        from bench.peers import add_policies

        add_policies()


def scored(told: list[RecordedSession], policies: Sequence[str], window: int, jobs: int) -> Scores:
    found: Scores = {name: [] for name in policies}
    setting = ReplaySetting(window)
    score = partial(score_session, policies=policies, setting=setting)
    with get_context("spawn").Pool(jobs, _add_policies, (policies,)) as pool:
        for scores in pool.imap(score, told):
            for each in scores:
                found[each.policy].append(each)
    return found


# Agreement with the code that fixed the measures


def _agrees(console: Console, file: Path, told: list[RecordedSession]) -> Iterable[str]:
    """Compare both baselines with the peer's, session by session, to the last unit."""
    probe = _probe(file.parent)
    if probe is None:
        console.print("the peer's code is not beside the data: agreement is not checked")
        yield "agreement with the code that fixed the measures, which is not there"
        return
    setting = ReplaySetting(window=32_000)
    long = {recorded.name: recorded for recorded in long_enough(told, setting.window)}
    loaded = {
        name: messages
        for name, messages in probe.load(str(file), 2 * setting.window, 10**6)
        if name in long
    }
    for name, policy in (("sliding", probe.Sliding), ("masking", probe.Masking)):
        start = time.process_time()
        theirs = {
            each: probe.replay(messages, policy(setting.window), setting.window)
            for each, messages in loaded.items()
        }
        theirs_took, start = time.process_time() - start, time.process_time()
        ours = {each: _fresh(recorded, name, setting) for each, recorded in long.items()}
        took = time.process_time() - start
        differing = [each for each, score in ours.items() if _counts(score) != theirs.get(each)]
        total = total_score(ours.values())
        console.print(
            f"{name}, {len(long)} sessions: every count equals the peer's in "
            f"{len(long) - len(differing)}; pooled "
            + ", ".join(f"{key} {total.tally(key).share or 0:.3f}" for key in MEASURES)
            + f", billed {total.billed / 1e6:.2f}M; CPU time {took / theirs_took:.2f} of the peer's"
        )
        if differing:
            yield f"{name}: {len(differing)} sessions differ from the peer's"


def _counts(score: Score) -> dict[str, int]:
    """Return the figures under the peer's names."""
    found = {}
    for measure in MEASURES:
        found[measure] = score.tally(measure).all
        found[f"{measure}_hit"] = score.tally(measure).visible
    for name in ("sent", "billed", "peak", "over"):
        found[name] = getattr(score, name)
    return found


def _fresh(recorded: RecordedSession, policy: str, setting: ReplaySetting) -> Score:
    """Replay the session without caches, so that reading what was used is timed as well."""
    anew = RecordedSession(recorded.name, recorded.messages)
    return replay_session(anew, policy, start_policy(policy, anew, setting), setting)


def _probe(folder: Path) -> ModuleType | None:
    path = folder.parent / "probes" / "replay.py"
    spec = importlib.util.spec_from_file_location("probe", path)
    if not path.exists() or spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Time


def _in_time(console: Console, told: list[RecordedSession], jobs: int) -> Iterable[str]:
    """Replay all sessions under three policies, as the command does."""
    anew = [RecordedSession(each.name, each.messages) for each in long_enough(told, 32_000)]
    start = time.perf_counter()
    scored(anew, ("sliding", "masking", "default"), 32_000, jobs)
    took = time.perf_counter() - start
    console.print(
        f"{len(anew)} sessions × 3 policies at 32k, {jobs} processes: {took:.1f} s (target "
        f"{SECONDS:.0f})"
    )
    if took > SECONDS:
        yield f"{took:.0f} s for three policies"


def _grows(console: Console, told: list[RecordedSession]) -> Iterable[str]:
    """Time sessions joined up to a million tokens: time must grow as they do."""
    times = []
    for size in (250_000, 500_000, 1_000_000):
        joined = _joined(told, size)
        start = time.process_time()
        score = _fresh(joined, "default", ReplaySetting(window=32_000))
        took = time.process_time() - start
        times.append(took / joined.tokens)
        console.print(
            f"one session of {joined.tokens:,} tokens: {took:.1f} s, "
            f"{1e6 * took / joined.tokens:.1f} µs a token"
        )
        if score.over or score.illegal:
            yield (
                f"{joined.tokens:,} tokens: {score.over} requests over the window, "
                f"{score.illegal} illegal"
            )
    if times[-1] > 1.5 * times[0]:
        yield f"a token of a million costs {times[-1] / times[0]:.1f} times one of a quarter of it"


def _joined(told: list[RecordedSession], size: int) -> RecordedSession:
    messages: list[Message] = []
    tokens = 0
    for recorded in told:
        if tokens >= size:
            break
        messages += recorded.messages
        tokens += recorded.tokens
    return RecordedSession("joined", tuple(messages))


# Tables


Rows = list[list[str]]
"""A heading, then rows of cells."""


def _tables(scores: Scores) -> tuple[Rows, Rows]:
    """Return means by session with intervals; and shares of all uses together, with costs."""
    means: Rows = [["policy", *SHARES]]
    pooled: Rows = [["policy", *(f"{name}, pooled" for name in MEASURES), *COSTS, "ms/turn"]]
    for name, own in scores.items():
        means.append([name, *_mean_cells(mean_row(own))])
        total = total_score(own)
        shares = [f"{total.tally(measure).share or 0:.2f}" for measure in MEASURES]
        pooled.append([name, *shares, *_cost_cells(total), f"{total.ms_per_turn:.2f}"])
    return means, pooled


def _mean_cells(means: dict[str, Any]) -> list[str]:
    cells = []
    for name in SHARES:
        found = means[name]
        cell = "–"
        if found:
            cell = f"{found['mean']:.2f} ({found['low']:.2f}–{found['high']:.2f})"
        cells.append(cell)
    return cells


def _cost_cells(score: Score) -> list[str]:
    millions = [f"{score.sent / 1e6:.1f}M", f"{score.billed / 1e6:.2f}M"]
    return millions + [f"{getattr(score, name):,}" for name in COSTS[2:]]


def _agent_rows(
    told: list[RecordedSession],
    scores: Scores,
    others: list[RecordedSession],
    window: int,
    jobs: int,
) -> Rows:
    """Return means of the rare agents; their sessions are few, so short ones count too."""
    policies = [name for name in AGENT_POLICIES if name in scores]
    more = scored(others, policies, window, jobs)
    agents = {recorded.name: recorded.agent for recorded in told}
    rows: Rows = [["agent", "policy", *SHARES, "billed"]]
    rare = {recorded.agent for recorded in others}
    for agent, count in Counter(agents.values()).most_common():
        for name in policies if agent in rare else ():
            own = [s for s in scores[name] + more[name] if agents[s.session or ""] == agent]
            billed = f"{total_score(own).billed / 1e6:.2f}M"
            rows.append([f"{agent} ({count})", name, *_mean_cells(mean_row(own)), billed])
    return rows


def _show(console: Console, title: str, tables: dict[str, Rows]) -> None:
    for name, (head, *rows) in tables.items():
        table = Table(title=f"{title}: {name.lower()}", title_justify="left")
        for at, column in enumerate(head):
            table.add_column(column, justify="right" if at else "left")
        for row in rows:
            table.add_row(*row)
        console.print(table)


# Halves and projects


def _groups(told: list[RecordedSession], by: str, projects: dict[str, str]) -> dict[str, set[str]]:
    """Return the names of the sessions of each half or project; every second one is of a half."""
    groups: dict[str, set[str]] = {}
    for at, recorded in enumerate(told):
        group = ("even half", "odd half")[at % 2]
        if by == "project":
            group = projects[recorded.name]
        groups.setdefault(group, set()).add(recorded.name)
    return groups


def _of_each_project(
    told: list[RecordedSession], projects: dict[str, str], most: int
) -> list[RecordedSession]:
    """Return the first sessions of each project, so that none counts for more than another."""
    taken: Counter[str] = Counter()
    found = []
    for recorded in long_enough(told, max(WINDOWS)):
        taken[projects[recorded.name]] += 1
        if taken[projects[recorded.name]] <= most:
            found.append(recorded)
    return found


def _split_rows(groups: dict[str, set[str]], scores: Scores) -> Rows:
    """Return groups of sessions apart, and where their means differ by more than a little."""
    rows: Rows = [["sessions", "policy", *SHARES, "billed"]]
    for name, scored_all in scores.items():
        means = []
        for group, names in groups.items():
            own = [score for score in scored_all if score.session in names]
            means.append(mean_row(own))
            billed = f"{total_score(own).billed / 1e6:.2f}M"
            rows.append([f"{group} ({len(own)})", name, *_mean_cells(means[-1]), billed])
        rows.append(["difference", name, *_gap_cells(means), ""])
    return rows


def _gap_cells(means: list[dict[str, Any]]) -> list[str]:
    """Return the largest difference between groups, marked if it is a finding."""
    cells = []
    for name in SHARES:
        values = [each[name]["mean"] for each in means if each[name]]
        gap = max(values, default=0.0) - min(values, default=0.0)
        cell = f"{gap:.2f}"
        if gap > GAP_MOST:
            cell += " !"
        cells.append(cell)
    return cells


def _projects(folder: Path) -> dict[str, str]:
    """Return the project of each session, by its name."""
    found = {}
    for file in sorted(folder.glob("sessions*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            rows = map(json.loads, lines)
            found |= {str(row["id"]): str(row.get("source", "unknown")) for row in rows}
    return found


# The page of results


def _plot(path: Path, scores: Scores, window: int) -> None:
    dots = []
    for name, own in scores.items():
        means = mean_row(own)
        shares = [means[measure]["mean"] for measure in MEASURES if means[measure]]
        billed = total_score(own).billed / 1e6
        dots.append((name, billed, sum(shares) / max(1, len(shares))))
    title = f"What could still be used, against what it cost, at {window:,} tokens"
    drawn = scatter(title, "tokens billed, millions", "mean of the five measures", dots, OURS)
    path.write_text(drawn, encoding="utf-8")


def _section(
    told: list[RecordedSession], scores: Scores, tables: dict[str, Rows], window: int
) -> str:
    """Return one window as a section of the page of results."""
    plot = (
        f"![What could still be used against what it cost](../plots/replay-{window // 1_000}k.svg)"
    )
    wanted = Counter(
        use.measure
        for recorded in told
        for uses in recorded.uses.values()
        for use in uses
        if use.counts_in(window)
    )
    counted = ", ".join(f"{name} {wanted[name]:,}" for name in MEASURES)
    said = [f"- {len(told)} sessions; uses that count: {counted}."]
    for name in OURS:
        if name in scores:
            said.append(f"- What `{name}` did not show was last said in: {_places(scores[name])}.")
    parts = [f"### {window:,} tokens", plot]
    for name, rows in tables.items():
        parts += [f"{name}:", _markdown(rows)]
    return "\n\n".join([*parts, "\n".join(said)])


def _markdown(rows: Rows) -> str:
    head, *body = rows
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {' | '.join(row)} |" for row in body]
    return "\n".join(lines)


def _places(scores: list[Score]) -> str:
    missed = Counter[str]()
    for place, tally in total_score(scores).places.items():
        missed[place] = tally.all - tally.visible
    return ", ".join(f"{place} {count:,}" for place, count in missed.most_common(PLACES_MOST))


def _rewritten(page: str, sections: Iterable[str]) -> str:
    """Return the page with new tables and the old text around them."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"the page has no {BEGIN} … {END} to write between")
    return f"{before}{begin}\n\n" + "\n\n".join(sections) + f"\n\n{end}{after}"
