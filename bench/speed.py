"""Measure how long things take, against a named peer in the same run.

Five questions: what one more message and its pressure cost in a long history, how fast a big
commit folds, how long `steno.compact` takes, what a request costs, and whether commits get slower
as a session grows. Every figure is a median after a warm-up, with its minimum and its 95th
percentile. Vocabularies are loaded before the clock starts.

    python -m bench speed
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from statistics import median, quantiles

import msgspec
from langchain_core.messages.utils import count_tokens_approximately
from rich.table import Table

import steno
from bench.ground import arguments, tell, verdict, wide
from bench.plain import Json
from bench.talk import SPEAKERS, TOKENS, Said, calls, langchain, talk, texts
from steno.summary.plan import cover_of
from steno.summary.render import summary_edit

MODELS = {"openai": "gpt-4o", "anthropic": "claude-sonnet-4-5"}
LONG, SHORT = 400_000, 50_000
ROOMY = 10_000_000
"""A window that puts no history here under pressure."""
ADDED, ROUNDS = 40, 3
RATIO_MOST, GROWTH_MOST = 1 / 10, 1.3
FOLDED, EDITS, FOLD_MOST = 5_100, 2_500, 0.030
"""Slightly over 5,000 messages, so that 2,500 results lie outside the tail."""
COMPACTED, WINDOW, COMPACT_MOST = 200_000, 128_000, 0.3
WARM, REPEATED = 3, 20
WARM_COMPACTED, COMPACTIONS = 1, 6
"""A compaction of words that nobody has read takes long enough to be timed a few times only."""
LIVED, SMALL = 1_000, 32_000
"""Messages of a session that lives through many commits, and its window."""
EARLY_MOST, LIVED_MOST = 0.040, 1.2
"""What an early commit may take, and how much more a late one."""


@dataclass(frozen=True)
class Times:
    """Seconds that one thing took, run by run."""

    each: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.each)

    def __str__(self) -> str:
        p95 = quantiles(self.each, n=20)[-1]
        return " / ".join(f"{1_000 * number:.3f}" for number in (min(self.each), self.median, p95))


@dataclass(frozen=True)
class Report:
    """Rows of the table, and the targets that were missed."""

    table: Table
    missed: list[str]

    def row(
        self, what: str, times: Times, note: str = "", target: str = "", *, met: bool = True
    ) -> None:
        colour = "green" if met else "red"
        self.table.add_row(what, str(times), note, f"[{colour}]{target}[/]" if target else "")
        if not met:
            self.missed.append(f"{what}: {target}, but {1_000 * times.median:.3f} ms; {note}")


def main() -> int:
    arguments(__doc__).parse_args()
    console = wide()
    tell(
        console,
        f"the standard library's own sources, in messages of {TOKENS} tokens",
        ("langchain-core",),
    )
    table = Table(title="min / median / p95 in milliseconds", title_justify="left")
    for head in ("what", "ms", "note", "target"):
        table.add_column(head)
    report = Report(table, [])
    source = texts(steno.meter_for(MODELS["openai"]).count)
    said = list(islice(talk(source), LONG // TOKENS + ADDED))
    read = list(islice(calls(source), FOLDED))
    for wire in SPEAKERS:
        _adding(report, said, wire)
        _folding(report, read, wire)
        _compacting(report, said[: COMPACTED // TOKENS], wire)
        _requesting(report, said[: LONG // TOKENS], wire)
        _living(report, list(islice(talk(source), LIVED)), wire)
        table.add_section()
    console.print(table)
    return verdict(console, report.missed)


def _session(said: list[Said], wire: str, policy: steno.Policy | None = None) -> steno.Session:
    meter = steno.meter_for(MODELS[wire])
    session = steno.Session(wire=wire, window=ROOMY, meter=meter, policy=policy or steno.Policy())
    session.add(*map(SPEAKERS[wire], said))
    return session


def _adding(report: Report, said: list[Said], wire: str) -> None:
    """One more message and its pressure, beside one count of the same history by the peer.

    Each is timed on its own, both with warm caches: in turns, the peer's walk over the history
    would leave the processor's caches cold for us, the colder the longer the history. That
    number stands beside, untargeted.
    """
    history = list(map(langchain, said[: LONG // TOKENS]))
    peer = _repeated(count_tokens_approximately, history)
    long, short = _added(said, wire, LONG), _added(said, wire, SHORT)
    cold = _added(said, wire, LONG, between=lambda: count_tokens_approximately(history))
    ratio, growth = long.median / peer.median, long.median / short.median
    report.row(f"LangChain count_tokens_approximately, {LONG:,} tokens", peer, "the peer")
    report.row(f"{wire}: add + pressure at {SHORT:,} tokens", short)
    report.row(
        f"{wire}: add + pressure at {LONG:,} tokens",
        long,
        f"1/{1 / ratio:.1f} of the peer, {growth:.2f} × that at {SHORT:,}",
        f"≤ 1/{1 / RATIO_MOST:.0f} of the peer, ≤ {GROWTH_MOST} ×",
        met=ratio <= RATIO_MOST and growth <= GROWTH_MOST,
    )
    report.row(
        f"{wire}: the same, in turns with the peer",
        cold,
        f"1/{peer.median / cold.median:.1f} of the peer",
    )


def _added(said: list[Said], wire: str, tokens: int, between: Callable[[], object] = int) -> Times:
    """Add messages one by one to a history."""
    start = tokens // TOKENS
    took: list[float] = []
    for _ in range(ROUNDS):
        session = _session(said[:start], wire)
        for each in said[start : start + ADDED]:
            message = SPEAKERS[wire](each.anew())
            between()
            took.append(_seconds(_add, session, message))
    return Times(tuple(took))


def _add(session: steno.Session, message: Json) -> steno.Pressure:
    session.add(message)
    return session.pressure


def _folding(report: Report, read: list[Said], wire: str) -> None:
    """A commit of many edits, such as the rungs make, on a view of many messages.

    Drafted, so weighed before.
    """
    policy = steno.Policy(ladder=(steno.rungs.Offload(over=300),), tail=steno.tails.Share(0.01))
    session = _session(read, wire, policy)
    view = session.view
    offloaded = session.compact()
    if offloaded is None or len(offloaded.edits) < EDITS:
        report.missed.append(
            f"{wire}: fewer than {EDITS:,} results were offloaded, so nothing was folded"
        )
        return
    for kind, edits in (("block", offloaded.edits[:EDITS]), ("span", tuple(_traces(view)))):
        landed = steno.Commit(
            0, len(view.messages), "asked", edits, meter=view.meter.name, landed=len(view.messages)
        )
        fold = _repeated(view.with_commit, landed)
        anew = _repeated(view.with_commit, msgspec.structs.replace(landed, meter="another"))
        report.row(
            f"{wire}: {len(edits):,} {kind} edits over {len(view.messages):,} messages fold",
            fold,
            f"{1_000 * anew.median:.0f} ms where all {sum(map(view.weigh_edit, edits)):,} "
            "tokens are counted anew",
            f"≤ {1_000 * FOLD_MOST:.0f} ms",
            met=fold.median <= FOLD_MOST,
        )


def _traces(view: steno.View) -> Iterator[steno.core.log.Edit]:
    """Return each call and its result as the cover that truncation would leave."""
    for at in range(0, 2 * EDITS, 2):
        edit = summary_edit(cover_of(view, view.items[at : at + 2]), "truncate", level=1)
        yield msgspec.structs.replace(edit, tokens=view.weigh_edit(edit))


def _compacting(report: Report, said: list[Said], wire: str) -> None:
    meter = steno.meter_for(MODELS[wire])
    clock = _Clock(meter.count)
    whole = _compacted(said, wire, meter)
    timed = _compacted(said, wire, replace(meter, count=clock))
    share = clock.spent / (WARM_COMPACTED + COMPACTIONS) / timed.median
    result = _compact(list(map(SPEAKERS[wire], said)), wire, meter)
    report.row(
        f"{wire}: compact {COMPACTED:,} tokens, window {WINDOW:,}",
        whole,
        f"{share:.0%} of it is tokenizing; to {result.load:,} tokens",
        f"≤ {1_000 * COMPACT_MOST:.0f} ms",
        met=whole.median <= COMPACT_MOST and bool(result.commits),
    )


def _compacted(said: list[Said], wire: str, meter: steno.Meter) -> Times:
    """Compact the whole list again and again, each time in words never counted before."""
    took: list[float] = []
    for _ in range(WARM_COMPACTED + COMPACTIONS):
        messages = [SPEAKERS[wire](each.anew()) for each in said]
        took.append(_seconds(_compact, messages, wire, meter))
    return Times(tuple(took[WARM_COMPACTED:]))


def _compact(messages: list[Json], wire: str, meter: steno.Meter) -> steno.Compacted:
    return steno.compact(messages, window=WINDOW, wire=wire, meter=meter)


def _requesting(report: Report, said: list[Said], wire: str) -> None:
    """Time one request with nothing to land, and one with a compaction."""
    session = _session(said, wire)
    report.row(f"{wire}: request() at {LONG:,} tokens, no pressure", _repeated(session.request))
    landing = _compacted(said, wire, steno.meter_for(MODELS[wire]))
    report.row(
        f"{wire}: compact {LONG:,} tokens, window {WINDOW:,}", landing, "its request included"
    )


def _living(report: Report, said: list[Said], wire: str) -> None:
    """Time commit after commit in a small window: early ones beside late ones."""
    session = steno.Session(wire=wire, window=SMALL, meter=steno.meter_for(MODELS[wire]))
    took: list[float] = []
    for each in said:
        session.add(SPEAKERS[wire](each.anew()))
        commits = len(session.log.commits)
        spent = _seconds(session.messages)
        if len(session.log.commits) > commits:
            took.append(spent)
    few = max(2, len(took) // 5)
    early, late = Times(tuple(took[1 : few + 1])), Times(tuple(took[-few:]))
    growth = late.median / early.median
    report.row(
        f"{wire}: a commit of the first {few} at {SMALL:,}",
        early,
        f"of {len(took)} commits",
        f"≤ {1_000 * EARLY_MOST:.0f} ms",
        met=early.median <= EARLY_MOST,
    )
    report.row(
        f"{wire}: a commit of the last {few}",
        late,
        f"{growth:.2f} × an early one, after {len(said) * TOKENS:,} tokens",
        f"≤ {LIVED_MOST} ×",
        met=growth <= LIVED_MOST,
    )


class _Clock:
    """A meter's count function that records how long it took."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self.spent = 0.0

    def __call__(self, text: str) -> int:
        began = time.perf_counter()
        try:
            return self._count(text)
        finally:
            self.spent += time.perf_counter() - began


def _repeated(do: Callable[..., object], *args: object) -> Times:
    for _ in range(WARM):
        do(*args)
    return Times(tuple(_seconds(do, *args) for _ in range(REPEATED)))


def _seconds(do: Callable[..., object], *args: object) -> float:
    """Return how long a call took, garbage collection included."""
    began = time.perf_counter()
    do(*args)
    return time.perf_counter() - began
