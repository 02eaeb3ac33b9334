"""Replay real sessions: check the metric, measure what each policy keeps, and how fast.

The peer is the metric as it was fixed outside this repository, beside the data
(`../probes/replay.py`). Its two baselines must give the same figures here; its time is the ratio
that is printed.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from rich.console import Console
from rich.table import Table

from ground import tell, verdict, wide
from plain import data_folder
from plot import scatter
from steno.cli.recorded_sessions import load_recorded_sessions
from steno.cli.replay import score_sessions
from steno.core.message import Message
from steno.lab.bill import ReplaySetting
from steno.lab.policies import start_policy
from steno.lab.recorded import RecordedSession
from steno.lab.run import replay_session
from steno.lab.score import Score, total_score

WINDOWS = (16_000, 32_000, 64_000)
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
)
OURS = ("truncate", "default")
COLUMNS = (
    *("policy", "needs seen", "recallable", "lost", "content seen", "recallable", "lost"),
    *("sent", "billed", "peak", "over", "commits", "illegal"),
)
BEGIN, END = "<!-- written by bench/replay.py -->", "<!-- until here -->"
PLACES_MOST = 6
SECONDS = 120.0
COMPARED = 40


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?")
    parser.add_argument("--plots", metavar="FOLDER", help="where to draw survival against money")
    parser.add_argument(
        "--results", metavar="FILE", help="a page whose tables are written anew, between its marks"
    )
    asked = parser.parse_args()
    folder = data_folder(asked.data)
    console = wide()
    tell(console, f"{folder.name}/sessions.jsonl.gz")
    told = load_recorded_sessions(folder / "sessions.jsonl.gz", None)
    missed = [*_agrees(console, folder, told), *_in_time(console, told)]
    sections = []
    for window in WINDOWS:
        scores = _table(console, told, window)
        sections.append(_section(told, scores, window))
        if asked.plots:
            _plot(Path(asked.plots) / f"survival-{window // 1_000}k.svg", scores, window)
    if asked.results:
        page = Path(asked.results)
        page.write_text(_rewritten(page.read_text(encoding="utf-8"), sections), encoding="utf-8")
    missed += _grows(console, told)
    return verdict(console, missed)


def _agrees(console: Console, folder: Path, told: list[RecordedSession]) -> Iterable[str]:
    """Compare with the two baselines of the metric's own code."""
    probe = _probe(folder)
    if probe is None:
        console.print("the metric's own code is not beside the data: agreement is not checked")
        yield "agreement with the metric's own code, which is not there"
        return
    setting = ReplaySetting(window=32_000)
    long = [tale for tale in told if tale.tokens >= 2 * setting.window][:COMPARED]
    loaded = probe.load(str(folder / "sessions.jsonl.gz"), 2 * setting.window, COMPARED)
    for name, policy in (("sliding", probe.Sliding), ("masking", probe.Masking)):
        start = time.perf_counter()
        found = [
            probe.replay(messages, policy(setting.window), setting.window) for _, messages in loaded
        ]
        theirs, start = time.perf_counter() - start, time.perf_counter()
        ours = total_score(_fresh(tale, name, setting) for tale in long)
        mine = time.perf_counter() - start
        pairs = {
            "needs": (ours.tally("need").visible / ours.tally("need").all, _share(found, "needs")),
            "content": (
                ours.tally("content").visible / ours.tally("content").all,
                _share(found, "content"),
            ),
            "sent": (ours.sent / 1e6, sum(each["sent"] for each in found) / 1e6),
            "billed": (ours.billed / 1e6, sum(each["billed"] for each in found) / 1e6),
        }
        said = ", ".join(f"{key} {one:.3f} / {other:.3f}" for key, (one, other) in pairs.items())
        console.print(
            f"{name}, {len(long)} sessions: ours / the metric's own: {said}; time "
            f"{mine / theirs:.2f} of its"
        )
        yield from (
            f"{name}: {key} differs"
            for key, (one, other) in pairs.items()
            if round(one, 2) != round(other, 2)
        )


def _fresh(tale: RecordedSession, policy: str, setting: ReplaySetting) -> Score:
    """Return the session without caches, so that reading what was used is timed as well."""
    anew = RecordedSession(tale.name, tale.messages)
    return replay_session(anew, policy, start_policy(policy, anew, setting), setting)


def _share(found: list[dict[str, int]], key: str) -> float:
    return sum(each[f"{key}_hit"] for each in found) / max(1, sum(each[key] for each in found))


def _probe(folder: Path) -> ModuleType | None:
    path = folder.parent / "probes" / "replay.py"
    spec = importlib.util.spec_from_file_location("probe", path)
    if not path.exists() or spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _in_time(console: Console, told: list[RecordedSession]) -> Iterable[str]:
    """Replay all sessions under three policies, as the command does."""
    anew = [RecordedSession(tale.name, tale.messages) for tale in told]
    start = time.perf_counter()
    list(
        score_sessions(
            anew, ("sliding", "masking", "default"), ReplaySetting(window=32_000), 2, lambda: None
        )
    )
    took = time.perf_counter() - start
    console.print(
        f"{len(told)} sessions × 3 policies at 32k, 2 processes: {took:.1f} s (target "
        f"{SECONDS:.0f})"
    )
    if took > SECONDS:
        yield f"{took:.0f} s for three policies"


def _plot(path: Path, scores: list[Score], window: int) -> None:
    dots = [(each.policy, each.billed / 1e6, each.tally("content").share or 0.0) for each in scores]
    title = f"What was used again and still seen, against what it cost, at {window:,} tokens"
    drawn = scatter(title, "tokens billed, millions", "distant lines seen", dots, OURS)
    path.write_text(drawn, encoding="utf-8")


def _table(console: Console, told: list[RecordedSession], window: int) -> list[Score]:
    table = Table(
        title=f"window {window:,}, {len(told)} sessions: distant uses", title_justify="left"
    )
    for name in (*COLUMNS, "ms a turn"):
        table.add_column(name, justify="left" if name == "policy" else "right")
    scores = []
    for name in POLICIES:
        score = total_score(
            replay_session(
                t, name, start_policy(name, t, ReplaySetting(window)), ReplaySetting(window)
            )
            for t in told
        )
        scores.append(score)
        table.add_row(name, *_row(score), f"{score.ms_per_turn:.2f}")
    console.print(table)
    return scores


def _row(score: Score) -> list[str]:
    tallies = [score.tally(what) for what in ("need", "content")]
    shares = [
        f"{part / max(1, tally.all):.3f}"
        for tally in tallies
        for part in (tally.visible, tally.recallable, tally.lost)
    ]
    sizes = [
        f"{score.sent / 1e6:.1f}M",
        f"{score.billed / 1e6:.2f}M",
        f"{score.peak:,}",
        f"{score.over:,}",
    ]
    return [*shares, *sizes, f"{score.commits:,}", f"{score.illegal:,}"]


def _section(told: list[RecordedSession], scores: list[Score], window: int) -> str:
    """Return one window as a section of the page of results."""
    plot = f"![What was still seen against what it cost](plots/survival-{window // 1_000}k.svg)"
    rows = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    names = {"default": "**default**"}
    rows += [
        f"| {' | '.join([names.get(each.policy, each.policy), *_row(each)])} |" for each in scores
    ]
    wanted = Counter(
        tale.message_labels[use.holders[-1]]
        for tale in told
        for uses in tale.uses.values()
        for use in uses
        if use.what == "content" and use.is_distant(window)
    )
    said = [f"- Of {wanted.total():,} distant lines, last said in: {_most(wanted)}."]
    for score in scores:
        if score.policy in OURS:
            missed = Counter(
                {place: tally.all - tally.visible for place, tally in score.places.items()}
            )
            said.append(f"- What `{score.policy}` does not show was last said in: {_most(missed)}.")
    return "\n\n".join([f"### {window:,} tokens", plot, "\n".join(rows), "\n".join(said)])


def _most(places: Counter[str]) -> str:
    return ", ".join(f"{place} {count:,}" for place, count in places.most_common(PLACES_MOST))


def _rewritten(page: str, sections: list[str]) -> str:
    """Return the page with new tables and the old text around them."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"the page has no {BEGIN} … {END} to write between")
    return f"{before}{begin}\n\n" + "\n\n".join(sections) + f"\n\n{end}{after}"


def _grows(console: Console, told: list[RecordedSession]) -> Iterable[str]:
    """Time sessions joined up to a million tokens: time must grow as they do."""
    times = []
    for size in (250_000, 500_000, 1_000_000):
        tale = _joined(told, size)
        start = time.perf_counter()
        score = _fresh(tale, "default", ReplaySetting(window=32_000))
        took = time.perf_counter() - start
        times.append(took / tale.tokens)
        console.print(
            f"one session of {tale.tokens:,} tokens: {took:.1f} s, "
            f"{1e6 * took / tale.tokens:.1f} µs a token"
        )
        if score.over or score.illegal:
            yield (
                f"{tale.tokens:,} tokens: {score.over} requests over the window, "
                f"{score.illegal} illegal"
            )
    if times[-1] > 1.5 * times[0]:
        yield f"a token of a million costs {times[-1] / times[0]:.1f} times one of a quarter of it"


def _joined(told: list[RecordedSession], size: int) -> RecordedSession:
    messages: list[Message] = []
    tokens = 0
    for tale in told:
        if tokens >= size:
            break
        messages += tale.messages
        tokens += tale.tokens
    return RecordedSession("joined", tuple(messages))


if __name__ == "__main__":
    sys.exit(main())
