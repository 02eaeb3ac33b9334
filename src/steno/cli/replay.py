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

from steno.cli.describe import plural
from steno.cli.options import DONE
from steno.cli.output import (
    QUIET,
    STDOUT,
    TerminalPage,
    check_output_path,
    print_json,
    print_note,
    write_output,
)
from steno.cli.recorded_sessions import load_recorded_sessions
from steno.cli.source import STDIN, input_file
from steno.core.errors import BadInput
from steno.lab.as_json import replay_report
from steno.lab.bill import ReplaySetting
from steno.lab.judge import Tally
from steno.lab.policies import policy_names, start_policy
from steno.lab.recorded import RecordedSession, SessionOrigin
from steno.lab.run import replay_session
from steno.lab.score import Score, total_score
from steno.meters.catalog import model_prices

WORTH_PROCESSES = 1_000_000
"""Tokens from which on a second process is worth starting."""
PLACES_MOST = 4
SHARES = f"{'seen':>6} {'recall':>6} {'lost':>6}"
COSTS = f"{'sent':>7} {'billed':>7} {'peak':>8} {'over':>5} {'commits':>7} {'illegal':>7} {'ms':>5}"
RECALL_LEGEND = "Recall: one open away."


@dataclass(frozen=True)
class ReplayOptions:
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


def replay(asked: ReplayOptions) -> int:
    policies = policy_names(asked.policies)
    setting = setting_for(asked.window, asked.reserve, asked.model)
    out = None if asked.html is None else _html_path(asked.html, asked)
    told = list(_load_sessions(asked.paths, asked.session))
    with _progress_bar(len(told) * len(policies)) as bar:
        scores = [
            score
            for each in score_sessions(told, policies, setting, asked.jobs, bar)
            for score in each
        ]
    made = replay_report(told, scores, setting, command=_command_line(asked), model=asked.model)
    if out is not None:
        from steno.cli.report import render_page

        write_output([render_page(made)], out)
        print_note(f"the page is at {out}")
    if asked.as_json:
        print_json(made)
    else:
        _print_report(
            told,
            [total_score(s for s in scores if s.policy == policy) for policy in policies],
            setting,
            asked,
        )
    return DONE


def _html_path(html: str, asked: ReplayOptions) -> Path:
    """Where the page goes: never over what is read, whatever was said."""
    if html in ("", STDOUT):
        raise BadInput(f"--html takes the name of a file, got {html!r}")
    for path in filter(Path.exists, map(Path, asked.paths)):
        check_output_path(Path(html), source=path, overwrite=True)
    return check_output_path(Path(html), source=None, overwrite=asked.overwrite)


def setting_for(window: int, reserve: int, model: str | None) -> ReplaySetting:
    if window <= 0 or not 0 <= reserve < window:
        raise BadInput(f"a window must hold more than its reserve, got {window:,} and {reserve:,}")
    if model is None:
        return ReplaySetting(window, reserve)
    dollars = model_prices(model)
    return ReplaySetting(window, reserve, dollars.relative_to_input, dollars)


def _command_line(asked: ReplayOptions) -> str:
    """What was asked, to be asked again."""
    options = {
        "--window": str(asked.window),
        "--policy": ",".join(asked.policies),
        "--model": asked.model,
    }
    options |= {"--reserve": str(asked.reserve or ""), "--session": asked.session}
    words = [word for option, value in options.items() if value for word in (option, value)]
    return shlex.join(["steno", "replay", *asked.paths, *words])


def _load_sessions(paths: Iterable[str], session: str | None) -> Iterator[RecordedSession]:
    taken: set[str] = set()
    for path in paths:
        with input_file(path) as file:
            found = load_recorded_sessions(file, session)
        for tale in found:
            # Two files may hold sessions of one name; each has its own row.
            names = chain([tale.name], (f"{tale.name} ({n})" for n in count(2)))
            name = next(name for name in names if name not in taken)
            taken.add(name)
            yield replace(tale, name=name, origin=_reopenable_origin(path, tale))


def _reopenable_origin(path: str, tale: RecordedSession) -> SessionOrigin | None:
    """What came through a pipe cannot be opened again."""
    if tale.origin is None or path == STDIN or Path(path).is_fifo():
        return None
    return replace(tale.origin, file=path)


class Advance(Protocol):
    def __call__(self) -> None: ...


def score_sessions(
    told: Sequence[RecordedSession],
    policies: Sequence[str],
    setting: ReplaySetting,
    jobs: int,
    bar: Advance,
) -> Iterator[list[Score]]:
    """The scores of each session, in the order of the sessions."""
    if jobs > 1 and len(told) > 1 and sum(tale.tokens for tale in told) >= WORTH_PROCESSES:
        # Spawned, not forked: whoever imports us may have threads.
        with ProcessPoolExecutor(min(jobs, len(told)), get_context("spawn")) as pool:
            waiting = [pool.submit(score_session, tale, policies, setting) for tale in told]
            for each in waiting:
                yield each.result()
                for _ in policies:
                    bar()
        return
    for tale in told:
        scores = []
        for policy in policies:
            scores += score_session(tale, [policy], setting)
            bar()
        yield scores


def score_session(
    tale: RecordedSession, policies: Sequence[str], setting: ReplaySetting
) -> list[Score]:
    """One session under each policy."""
    return [
        replay_session(tale, policy, start_policy(policy, tale, setting), setting)
        for policy in policies
    ]


@contextmanager
def _progress_bar(steps: int) -> Iterator[Advance]:
    """A bar on stderr, where somebody looks."""
    if not sys.stderr.isatty() or steps < 4:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("replaying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("replaying", total=steps)
        yield lambda: bar.advance(task)


def _print_report(
    told: Sequence[RecordedSession],
    totals: Sequence[Score],
    setting: ReplaySetting,
    asked: ReplayOptions,
) -> None:
    page = TerminalPage()
    tokens, requests = sum(tale.tokens for tale in told), totals[0].requests
    what = f"{plural(len(told), 'session')}, {tokens:,} tokens, {requests:,} requests"
    page.line((what, "bold"), f" in a window of {setting.window:,}")
    page.line()
    page.line((f"{'':<12} {'names used again':^20}   {'lines used again':^20}", QUIET))
    page.line((f"{'policy':<12} {SHARES}   {SHARES}", QUIET))
    for score in totals:
        page.line(
            f"{score.policy:<12} {_share_columns(score.tally('need'))}   {_share_columns(score.tally('content'))}"
        )
    page.line()
    page.line((f"{'policy':<12} {COSTS}{'     cost' if asked.model else ''}", QUIET))
    for score in totals:
        cost = f" {score.money or 0:>8,.2f}" if asked.model else ""
        page.line(f"{score.policy:<12} {_cost_columns(score)}{cost}")
    page.line()
    _print_missing_places(page, totals)
    page.line((f"Used again: from more than half a window before. {RECALL_LEGEND}", QUIET))
    page.line(
        ("Tokens are characters / 4. docs/evaluation.md defines it all; --html draws it.", QUIET)
    )


def _share_columns(tally: Tally) -> str:
    if not tally.all:
        return f"{'–':>6} {'–':>6} {'–':>6}"
    return " ".join(
        f"{part / tally.all:>6.1%}" for part in (tally.visible, tally.recallable, tally.lost)
    )


def _cost_columns(score: Score) -> str:
    sizes = f"{_short_count(score.sent):>7} {_short_count(score.billed):>7} {score.peak:>8,} {score.over:>5,}"
    return f"{sizes} {score.commits:>7,} {score.illegal:>7,} {score.ms_per_turn:>5.1f}"


def _short_count(tokens: int) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= size:
            return f"{tokens / size:.1f}{letter}"
    return str(tokens)


def _print_missing_places(page: TerminalPage, totals: Sequence[Score]) -> None:
    """Where what a policy missed had last been said."""
    for score in totals:
        missed = {place: tally.all - tally.visible for place, tally in score.places.items()}
        most = sorted(((n, place) for place, n in missed.items() if n), reverse=True)[:PLACES_MOST]
        if most:
            words = ", ".join(f"{place} {n:,}" for n, place in most)
            page.line((f"{score.policy} missed: {words}", QUIET))
