"""`steno replay`: what each policy would have kept of what the agent later used, and at what price."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, count
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol

from steno.core.error import BadInput
from steno.meters.prices import prices_of
from steno.replay.bill import Setting
from steno.replay.judge import Tally
from steno.replay.policies import names_of, player
from steno.replay.run import replayed
from steno.replay.score import Score, total
from steno.replay.tale import Origin, Tale
from steno.replay.told import report
from steno.service.commands.options import DONE
from steno.service.commands.out import STDOUT, checked, write
from steno.service.commands.page import QUIET, Page, note, say_json
from steno.service.commands.source import STDIN, given
from steno.service.commands.tales import tales
from steno.service.commands.words import counted

WORTH_PROCESSES = 1_000_000
"""Tokens from which on a second process is worth starting."""
PLACES_MOST = 4
SHARES = f"{'seen':>6} {'recall':>6} {'lost':>6}"
COSTS = f"{'sent':>7} {'billed':>7} {'peak':>8} {'over':>5} {'commits':>7} {'illegal':>7} {'ms':>5}"
MEANS = "Recall: one open away."


@dataclass(frozen=True)
class Asked:
    """What a replay is asked for."""

    paths: list[str]
    session: str | None
    policies: list[str]
    window: int
    reserve: int
    model: str | None
    html: str | None
    overwrite: bool
    jobs: int
    as_json: bool


def replay(asked: Asked) -> int:
    policies = names_of(asked.policies)
    setting = setting_of(asked.window, asked.reserve, asked.model)
    out = None if asked.html is None else _out(asked.html, asked)
    told = list(_tales(asked.paths, asked.session))
    with _bar(len(told) * len(policies)) as bar:
        scores = [score for each in scored(told, policies, setting, asked.jobs, bar) for score in each]
    made = report(told, scores, setting, command=_command(asked), model=asked.model)
    if out is not None:
        from steno.service.report import page

        write([page(made)], out)
        note(f"the page is at {out}")
    if asked.as_json:
        say_json(made)
    else:
        _say(told, [total(s for s in scores if s.policy == policy) for policy in policies], setting, asked)
    return DONE


def _out(html: str, asked: Asked) -> Path:
    """Where the page goes: never over what is read, whatever was said."""
    if html in ("", STDOUT):
        raise BadInput(f"--html takes the name of a file, got {html!r}")
    for path in filter(Path.exists, map(Path, asked.paths)):
        checked(Path(html), source=path, overwrite=True)
    return checked(Path(html), source=None, overwrite=asked.overwrite)


def setting_of(window: int, reserve: int, model: str | None) -> Setting:
    if window <= 0 or not 0 <= reserve < window:
        raise BadInput(f"a window must hold more than its reserve, got {window:,} and {reserve:,}")
    if model is None:
        return Setting(window, reserve)
    dollars = prices_of(model)
    return Setting(window, reserve, dollars.shares, dollars)


def _command(asked: Asked) -> str:
    """What was asked, to be asked again."""
    options = {"--window": str(asked.window), "--policy": ",".join(asked.policies), "--model": asked.model}
    options |= {"--reserve": str(asked.reserve or ""), "--session": asked.session}
    words = [word for option, value in options.items() if value for word in (option, value)]
    return shlex.join(["steno", "replay", *asked.paths, *words])


def _tales(paths: Iterable[str], session: str | None) -> Iterator[Tale]:
    taken: set[str] = set()
    for path in paths:
        with given(path) as file:
            found = tales(file, session)
        for tale in found:
            # Two files may hold sessions of one name; each has its own row.
            names = chain([tale.name], (f"{tale.name} ({n})" for n in count(2)))
            name = next(name for name in names if name not in taken)
            taken.add(name)
            yield replace(tale, name=name, origin=_origin(path, tale))


def _origin(path: str, tale: Tale) -> Origin | None:
    """What came through a pipe cannot be opened again."""
    if tale.origin is None or path == STDIN or Path(path).is_fifo():
        return None
    return replace(tale.origin, file=path)


class Bar(Protocol):
    def __call__(self) -> None: ...


def scored(
    told: Sequence[Tale], policies: Sequence[str], setting: Setting, jobs: int, bar: Bar
) -> Iterator[list[Score]]:
    """The scores of each session, in the order of the sessions."""
    if jobs > 1 and len(told) > 1 and sum(tale.tokens for tale in told) >= WORTH_PROCESSES:
        # Spawned, not forked: whoever imports us may have threads.
        with ProcessPoolExecutor(min(jobs, len(told)), get_context("spawn")) as pool:
            waiting = [pool.submit(played, tale, policies, setting) for tale in told]
            for each in waiting:
                yield each.result()
                for _ in policies:
                    bar()
        return
    for tale in told:
        scores = []
        for policy in policies:
            scores += played(tale, [policy], setting)
            bar()
        yield scores


def played(tale: Tale, policies: Sequence[str], setting: Setting) -> list[Score]:
    """One session under each policy."""
    return [replayed(tale, policy, player(policy, tale, setting), setting) for policy in policies]


@contextmanager
def _bar(steps: int) -> Iterator[Bar]:
    """A bar on stderr, where somebody looks."""
    if not sys.stderr.isatty() or steps < 4:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("replaying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("replaying", total=steps)
        yield lambda: bar.advance(task)


def _say(told: Sequence[Tale], totals: Sequence[Score], setting: Setting, asked: Asked) -> None:
    page = Page()
    tokens, requests = sum(tale.tokens for tale in told), totals[0].requests
    what = f"{counted(len(told), 'session')}, {tokens:,} tokens, {requests:,} requests"
    page.line((what, "bold"), f" in a window of {setting.window:,}")
    page.line()
    page.line((f"{'':<12} {'names used again':^20}   {'lines used again':^20}", QUIET))
    page.line((f"{'policy':<12} {SHARES}   {SHARES}", QUIET))
    for score in totals:
        page.line(f"{score.policy:<12} {_shares(score.of('need'))}   {_shares(score.of('content'))}")
    page.line()
    page.line((f"{'policy':<12} {COSTS}{'     cost' if asked.model else ''}", QUIET))
    for score in totals:
        cost = f" {score.money or 0:>8,.2f}" if asked.model else ""
        page.line(f"{score.policy:<12} {_costs(score)}{cost}")
    page.line()
    _places(page, totals)
    page.line((f"Used again: from more than half a window before. {MEANS}", QUIET))
    page.line(("Tokens are characters / 4. docs/evaluation.md defines it all; --html draws it.", QUIET))


def _shares(tally: Tally) -> str:
    if not tally.all:
        return f"{'–':>6} {'–':>6} {'–':>6}"
    return " ".join(f"{part / tally.all:>6.1%}" for part in (tally.visible, tally.recallable, tally.lost))


def _costs(score: Score) -> str:
    sizes = f"{_short(score.sent):>7} {_short(score.billed):>7} {score.peak:>8,} {score.over:>5,}"
    return f"{sizes} {score.commits:>7,} {score.illegal:>7,} {score.ms_per_turn:>5.1f}"


def _short(tokens: int) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= size:
            return f"{tokens / size:.1f}{letter}"
    return str(tokens)


def _places(page: Page, totals: Sequence[Score]) -> None:
    """Where what a policy missed had last been said."""
    for score in totals:
        missed = {place: tally.all - tally.visible for place, tally in score.places.items()}
        most = sorted(((n, place) for place, n in missed.items() if n), reverse=True)[:PLACES_MOST]
        if most:
            words = ", ".join(f"{place} {n:,}" for n, place in most)
            page.line((f"{score.policy} missed: {words}", QUIET))
