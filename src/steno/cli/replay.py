"""`steno replay`: what each policy would have kept of what the agent used later, and its cost."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from steno.cli import options as cli
from steno.cli.output import (
    QUIET,
    STDOUT,
    TerminalPage,
    check_output_path,
    print_note,
    print_report,
    without_logins,
    write_output,
)
from steno.cli.source import load_recorded_sessions
from steno.core.errors import BadInput
from steno.core.price import Prices
from steno.inspector.describe import Json, plural, short_count
from steno.inspector.replay_page import is_page, render_page
from steno.lab.as_json import replay_report
from steno.lab.bill import ReplaySetting
from steno.lab.policies import AS_USED, policy_names
from steno.lab.price import REPORTED, CompactionNow, SessionCost, session_cost
from steno.lab.recorded import RecordedSession
from steno.lab.run import score_session
from steno.lab.score import Score, total_score
from steno.lab.uses import MEASURES
from steno.meters import lookup_model
from steno.meters.catalog import model_prices

WINDOW = 32_000
SHARES = (*MEASURES, "lost")
COSTS = ("sent", "billed", "peak", "over", "commits", "illegal", "ms/turn")
ESTIMATED = "The rest: characters / 4 of the messages; prompt and tools are not in the file."

LEGEND = """\
What the agent used again, more than half a window after it was last said, and
how much of it stood in the request: more is better.
  names    names of files, functions, settings, in a line that tells something
  edits    the old text of an edit, whole: else the edit fails
  reads    lines of a file: else it is read again
  typed    what people typed, word for word; looked at in every tenth request
  closing  the agent's last reply to each of them, the same
  facts    those names that only results had said
  lost     of the first five, neither there nor found by a recall: less is better
What a policy of Steno does not show can be recalled; what sliding drops is lost.
A name that stood only in bare lists counts as lost, with the policy `none` too,
which sends all.
What it cost: less is better.
  sent     tokens of all requests       billed  as a prompt cache counts them
  peak     the largest request          over    requests over the window
  illegal  requests that a provider would refuse: a result without its call, or
           the reverse. sliding and masking cut anywhere, as the common ones do;
           if a session was recorded so, none sends illegal requests too
These tokens are an estimate, characters / 4, so that figures of all providers can
be compared; all of the window may be filled (--reserve).
--html FILE draws all this as a page.""".splitlines()
"""What the columns mean."""


def replay(
    paths: Annotated[list[str], cli.argument("FILE|DB…", "Transcripts, or stores of sessions.")],
    window: cli.WindowOption = None,
    policy: Annotated[
        str, cli.option("--policy -p", "A,B,C", "The policies to compare.")
    ] = "sliding,masking,default",
    model: Annotated[
        str | None, cli.option("--model -m", "NAME", "A model whose prices are known.")
    ] = None,
    reserve: Annotated[
        int,
        cli.option("--reserve", "SIZE", "Tokens kept free for the reply.", parser=cli.parse_size),
    ] = 0,
    session: cli.SessionOption = None,
    price: Annotated[
        bool,
        cli.flag("--price", "What each session cost, would have, and whether compacting pays."),
    ] = False,
    turns: Annotated[int, cli.option("--turns", "N", "With --price: turns to come.", min=1)] = 50,
    idle: Annotated[
        float, cli.option("--idle", "MINUTES", "With --price: time since the last request.", min=0)
    ] = 0.0,
    html: Annotated[
        str | None,
        cli.option("--html", "OUT", "Write a page; it replaces an older page of replay."),
    ] = None,
    overwrite: cli.OverwriteOption = False,
    strict: cli.StrictOption = False,
    as_json: cli.JsonOption = False,
) -> None:
    """Replay sessions under each policy: what could the agent still use, and what did it cost?

    Of what the agent used again from long before, it counts what each policy's requests still held
    whole, and bills them as a prompt cache does, in a window of 32,000 tokens unless --window names
    another: choose less than the session holds. No model is asked. The table explains its columns.

    A policy is one of Steno's (default, thrifty, roomy, truncate; session: as Session() gives it),
    of a written design (agent-controlled, researcher, tiers, lab, supervisor, deep; snippets and
    entries are the summaries of two), a common one (none, sliding, last-tokens, masking, masking-3,
    masking-30, ratio, clearing as a provider does it), clairvoyant, which knows what is used later,
    or a policy's file.

    With --price it says what each session cost as the provider reported it, with and without a
    prompt cache and under the policies, and what a compaction now would save in turns to come.

    Examples

      steno replay session.jsonl --window 32k      sliding, masking and ours
      steno replay *.jsonl -p none,mine.toml --html o.html
      steno replay agent.db -m claude-sonnet-5 --json
      steno replay session.jsonl --price -m claude-sonnet-5 --idle 10
    """
    policies = policy_names(policy.split(","))
    if price:
        loaded = load_recorded_sessions(paths, session, strict=strict, usage=True)
        _price(loaded, policies, model, window, reserve, turns, idle, as_json=as_json)
        return
    out = None
    if html is not None:
        out = _html_path(html, paths, overwrite=overwrite)
    setting = ReplaySetting.of(window or WINDOW, reserve, model_prices(model) if model else None)
    sessions = list(load_recorded_sessions(paths, session, strict=strict))
    scores = [score for each in sessions for score in score_session(each, policies, setting)]
    # The command that makes this report again.
    command = without_logins(shlex.join(("steno", *sys.argv[1:])))
    report = replay_report(sessions, scores, setting, command=command, model=model)
    if out is not None:
        write_output([render_page(report)], out)
        print_note(f"the page is at {out}")
    draw = partial(_print_report, report, scores, policies, model is not None)
    print_report(report, as_json, draw)


def _price(
    sessions: Iterable[RecordedSession],
    policies: Sequence[str],
    model: str | None,
    window: int | None,
    reserve: int,
    turns: int,
    idle: float,
    *,
    as_json: bool,
) -> None:
    """Print what each session cost, and would have cost under the policies."""
    if model is None:
        raise BadInput("--price needs --model, a model whose prices are known")
    prices = model_prices(model)
    setting = ReplaySetting.of(window or lookup_model(model).window, reserve, prices)
    costs = [
        session_cost(each, each.billed, policies, setting, model, prices, turns, 60 * idle)
        for each in sessions
    ]

    def draw(page: TerminalPage) -> None:
        for cost in costs:
            _print_cost(page, cost, prices, turns)

    print_report(costs, as_json, draw)


def _html_path(html: str, paths: list[str], *, overwrite: bool) -> Path:
    """Return where the page goes; never over an input, even with --overwrite."""
    if html in ("", STDOUT):
        raise BadInput(f"--html takes the name of a file, got {html!r}")
    for path in filter(Path.exists, map(Path, paths)):
        check_output_path(Path(html), source=path, overwrite=True)
    # A page of ours can be made again from the same sessions; no other file is replaced.
    known = Path(html).is_file() and is_page(Path(html))
    return check_output_path(Path(html), source=None, overwrite=overwrite or known)


def _print_report(
    report: Json,
    scores: Sequence[Score],
    policies: Sequence[str],
    priced: bool,
    page: TerminalPage,
) -> None:
    totals = [total_score(score for score in scores if score.policy == name) for name in policies]
    _print_shares(page, report)
    _print_costs(page, totals, priced=priced)
    for line in LEGEND:
        page.quiet(line)
    if AS_USED in report["policies"]:
        page.quiet("session counts and keeps room for the reply as steno compact does.")


def _print_shares(page: TerminalPage, report: Json) -> None:
    """Print what could still be used, as means by session with intervals, then by agent."""
    sessions, totals = report["sessions"], report["totals"]
    tokens = sum(session["tokens"] for session in sessions)
    requests = sum(session["requests"] for session in sessions)
    title = f"{plural(len(sessions), 'session')}, {tokens:,} tokens said, {requests:,} requests"
    page.line((title, "bold"), f" in a window of {report['window']:,}")
    note = " ± half the 95 % interval" * (len(sessions) > 1)
    page.line("Percent that could still be used, mean by session", (note, QUIET))
    page.line()
    heads = [f">{name}" for name in SHARES]
    rows = [(row["policy"], *_share_cells(row["means"])) for row in totals]
    page.table(("policy", *heads), rows)
    page.line()
    estimated = sum(session["estimated"] for session in sessions)
    if estimated != tokens:
        page.quiet(f"Tokens below are characters / 4: by that, {estimated:,} were said.")
    if len({session["agent"] for session in sessions}) < 2:
        return
    rows = []
    for row in report["agents"]:
        agent = f"{row['agent']}, {plural(row['sessions'], 'session')}"
        rows.append((agent, row["policy"], *_share_cells(row["means"])))
    page.table(("agent", "policy", *heads), rows)
    page.line()


def _share_cells(means: Json) -> Iterator[str]:
    for name in SHARES:
        found = means[name]
        words = "–"
        if found is not None:
            words = f"{100 * found['mean']:.0f}"
            if found["sessions"] > 1:
                words += f" ±{50 * (found['high'] - found['low']):.0f}"
        yield words


def _print_costs(page: TerminalPage, totals: Sequence[Score], *, priced: bool) -> None:
    rows = []
    for score in totals:
        counts = (f"{n:,}" for n in (score.peak, score.over, score.commits, score.illegal))
        tokens = (short_count(score.sent), short_count(score.billed))
        row = (score.policy, *tokens, *counts, f"{score.ms_per_turn:.1f}")
        if priced:
            row = (*row, f"{score.money or 0:,.2f}")
        rows.append(row)
    heads = ["policy", *(f">{name}" for name in COSTS), ">money"]
    page.table(heads[: len(rows[0])], rows)
    page.line()


def _print_cost(page: TerminalPage, cost: SessionCost, prices: Prices, turns: int) -> None:
    """Print what a session cost, and whether compacting it now pays."""
    count = plural(cost.requests, "request")
    page.line((cost.session, "bold"), f" · {count}, {cost.said:,} tokens said")
    read, write, output = map(_dollars, (prices.read, prices.write, prices.output))
    words = f"{cost.model}, {cost.window:,} tokens; a million of them: "
    page.quiet(f"{words}{read} cached, {write} new, {output} out")
    page.line()
    rows = []
    for row in (*cost.rows, *filter(None, (cost.system,))):
        cached = f"{row.cached / max(1, row.sent):.0%}"
        paid = (_dollars(row.input), _dollars(row.output), _dollars(row.input + row.output))
        rows.append((row.name, f"{row.sent:,}", cached, *paid))
    page.table(("", ">sent", ">cached", ">input", ">output", ">total"), rows)
    if cost.rows[0].name == REPORTED:
        page.quiet(ESTIMATED)
    page.line()
    page.sentence(_payoff_words(cost.now, turns))
    page.line()


def _payoff_words(now: CompactionNow | None, turns: int) -> str:
    if now is None:
        return "There is nothing to compact."
    first = f"Compacting now, {now.before:,} to {now.after:,} tokens,"
    if now.turns is None:
        return f"{first} never pays, and no other depth that was tried does."
    after = f"from turn {now.turns:,.0f} on"
    if now.turns <= 1:
        after = "at once"
    result, others = "saved", "saves more"
    if now.saved < 0:
        result, others = "lost", "loses less"
    amount = f"over {turns} turns {_dollars(abs(now.saved))} {result}"
    return f"{first} pays {after}; {amount}. No other depth that was tried {others}."


def _dollars(amount: float) -> str:
    if amount >= 0.10 or not amount:
        return f"${amount:,.2f}"
    return f"${amount:,.4f}"
