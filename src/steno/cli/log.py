"""`steno log`: messages and commits in order; for several sessions, the list of them."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec
from rich.console import Console
from rich.live import Live
from rich.text import Text

from steno.cli import options as cli
from steno.cli.output import NOTE, QUIET, TerminalPage, print_json, print_note
from steno.cli.source import input_file, list_sessions, load_conversation, open_store
from steno.cli.window_map import KIND_STYLES
from steno.core.errors import BadInput
from steno.core.log import Commit, Log, Survival
from steno.core.store import SessionInfo, session_names
from steno.inspector.conversation import LoadedConversation, load_stored
from steno.inspector.describe import Json, commits_json, first_words, kind_of, plural, role_of
from steno.inspector.reader import StoreReader, outline
from steno.inspector.reports import (
    REASONS,
    SessionFigures,
    commit_details,
    edited_lines,
    reverting_commit,
)
from steno.providers.bill import NOT_BILLED, SUB_AGENT, Bill
from steno.proxy.origin import names_sub_agent
from steno.store.names import find_session
from steno.store.open import without_password

INDENT = 18
BILLED_BY = ("session", "parent", "agent", "user", "key", "model")
"""What costs are added up by."""
GRADES = {"quiet": QUIET, "warning": "yellow"}
"""Styles of what a commit says, by how grave it is."""
NAME_MOST = 32
FOLLOWED_MOST = 12
"""Sessions that `--follow` shows, the newest."""


def log(
    path: cli.SourceArgument,
    session: cli.SessionOption = None,
    messages: Annotated[
        bool, cli.flag("--messages", "List the messages of a stored session too.")
    ] = False,
    follow: Annotated[
        bool, cli.flag("--follow -f", "Watch the newest sessions of a store until Ctrl-C.")
    ] = False,
    every: Annotated[
        float, cli.option("--every", "SECONDS", "With --follow: look again after these.", min=0.2)
    ] = 2.0,
    bill: Annotated[
        str | None,
        cli.option("--bill", "BY", "Add up costs by session, parent, agent, user, …"),
    ] = None,
    strict: cli.StrictOption = False,
    as_json: cli.JsonOption = False,
) -> None:
    """List messages and commits in order; for a store of several sessions, the sessions.

    A commit says why it was made, how many tokens there were before and after, and what its edits
    cover. Nothing is ever deleted: an undo is a commit too.

    With --follow it shows how full the newest sessions of a store are, how many tokens the next
    request leaves out, and a line for each request of a proxy or wrapped client: what it showed,
    what the provider read from its cache, what it cost and spared. In a pipe, or with --json, it
    looks once. --bill adds that up by session, agent, user, key or model; by parent, the sessions
    of sub-agents count for the one that began them.

    Examples

      steno log agent.db                         its sessions, if several
      steno log agent.db --session research-42   the commits of one
      steno log agent.db --follow                running sessions
      steno log session.jsonl | grep ✗           every failed call in a file
    """
    if follow:
        with open_store(path) as store:
            _follow(StoreReader(lambda: [store], FOLLOWED_MOST), every, as_json=as_json)
        return
    if bill is not None:
        _print_bill(path, bill, as_json=as_json)
        return
    with input_file(path, strict=strict) as file:
        if session is None:
            infos = list(list_sessions(file))
            if len(infos) != 1:
                _print_sessions(file, infos, as_json=as_json)
                return
        loaded = load_conversation(file, session)
    if as_json:
        print_json(_report(loaded))
        return
    print_note(*loaded.warnings)
    page = TerminalPage()
    page.line((loaded.name, "bold"), loaded.headline)
    if messages or loaded.kind != "store":
        _print_messages(page, loaded)
    else:
        _print_commits(page, loaded)


def _print_sessions(file: Path, infos: list[SessionInfo], *, as_json: bool) -> None:
    if as_json:
        print_json(list(map(outline, infos)))
        return
    page = TerminalPage()
    page.line((file.name, "bold"), f" · {plural(len(infos), 'session')}")
    if not infos:
        return
    rows = []
    for info in infos:
        origin = ""
        if info.parent is not None:
            origin = f"{info.parent} at {info.fork:,}"
        elif names_sub_agent(info.name):
            origin = SUB_AGENT
        counts = (f"{info.messages:,}", f"{info.commits:,}")
        rows.append((_short(info.name), info.wire, *counts, (origin, QUIET)))
    page.table(("session", "wire", ">messages", ">commits", "from"), rows, indent=2)
    page.quiet(f"To see one: steno log {without_password(file)} --session {infos[0].name}")


def _short(name: str) -> str:
    if len(name) > NAME_MOST:
        # Names of sub-agents' sessions begin alike.
        half = NAME_MOST // 2
        return f"{name[:half]}…{name[1 - half :]}"
    return name


def _print_bill(path: str, by: str, *, as_json: bool) -> None:
    """Print what the requests of a store cost, added up by what they have in common."""
    if by not in BILLED_BY:
        raise BadInput(f"--bill {by}: there are {', '.join(BILLED_BY)}")
    bills: defaultdict[str, Bill] = defaultdict(Bill)
    with open_store(path) as store:
        stored = session_names(store)
        for info in store.sessions():
            loaded = load_stored(store, info)
            names = {"session": info.name, "user": info.user, "parent": info.name}
            if loaded.parent:
                # Bills of earlier versions name it without its user.
                names["parent"] = loaded.parent
                if loaded.parent not in stored:
                    found = find_session(store, info.user, loaded.parent)
                    names["parent"] = found[0]
            for request in loaded.requests:
                name = names.get(by) or getattr(request, by, "") or "-"
                bills[name] += Bill.of(request)
            summaries = loaded.bill.compaction
            if summaries:
                bills[names.get(by) or "summaries"] += Bill(spent=summaries, compaction=summaries)
    if as_json:
        print_json(bills)
        return
    page = TerminalPage()
    if not bills:
        page.quiet(NOT_BILLED)
    for name, bill in bills.items():
        page.line((f"{_short(name)}: ", "bold"), f"{bill.counted}, {bill.words}")


def _follow(reader: StoreReader, seconds: float, *, as_json: bool) -> None:
    def rows() -> list[SessionFigures]:
        return [SessionFigures.of(loaded) for loaded in reader.newest(FOLLOWED_MOST)]

    if as_json:
        print_json(rows())
        return
    if not sys.stdout.isatty():
        _print_running(TerminalPage(), rows())
        return
    console = Console(highlight=False)
    with suppress(KeyboardInterrupt), Live(console=console, auto_refresh=False) as live:
        while True:
            with console.capture() as drawn:
                _print_running(TerminalPage(console=console), rows())
            live.update(Text.from_ansi(drawn.get()), refresh=True)
            time.sleep(seconds)


def _print_running(page: TerminalPage, rows: Sequence[SessionFigures]) -> None:
    cells = []
    for row in rows:
        fill = "-"
        if row.fill is not None:
            fill = f"{row.fill} %"
        counts = (row.messages, row.commits, row.said, row.left_out)
        # Requests are counted where their usage is reported.
        requests = "-"
        if row.bill.requests:
            requests = f"{row.bill.requests:,}"
        cells.append((_short(row.session), fill, *(f"{count:,}" for count in counts), requests))
    heads = ("session", ">fill", ">messages", ">commits", ">said", ">left out", ">requests")
    page.table(heads, cells)
    for row in rows:
        if row.turns:
            page.line()
            page.line((_short(row.session), "bold"))
            page.line(f"   all  {row.bill.counted}: {row.bill.words}")
        first = row.bill.requests - len(row.turns) + 1
        for number, turn in enumerate(row.turns, first):
            page.quiet(f"{number:>6,}  {Bill.of(turn).words}")


def _print_commits(page: TerminalPage, loaded: LoadedConversation) -> None:
    if not loaded.log.commits:
        page.quiet("No commit yet: the model sees every message as it was said.")
        return
    page.quiet(f"{'messages':>8}  {'commit':>6}  {'why':<17}  {'tokens':>9} → {'after':<9}")
    for commit in loaded.log.commits:
        _print_commit(page, loaded.log, commit, f"{commit.at:>8,}  {commit.number:>6}  ")
    counted = [commit for commit in loaded.log.commits if commit.survival is not None]
    if counted:
        survival = Survival.over(counted)
        shares = []
        before = survival.constraints_before
        if before:
            shares.append(f"constraints {survival.constraints_rate:.0%} of {before:,}")
        if survival.loops_before:
            shares.append(f"open loops {survival.loops_rate:.0%} of {survival.loops_before:,}")
        words = ", ".join(shares) or "there was no constraint and no open loop"
        page.quiet(f"Still shown after {plural(len(counted), 'compaction')}: {words}.")


def _print_commit(page: TerminalPage, log: Log, commit: Commit, head: str) -> None:
    if commit.reverts is not None:
        page.line((head, NOTE), (f"undo: reverts commit {commit.reverts}", NOTE))
        return
    numbers, style = "", ""
    if commit.before:
        numbers = f"{commit.before:>9,} → {commit.after:<9,}"
    if reverting_commit(log, commit) is not None:
        style = QUIET
    page.line((head, NOTE), (f"{REASONS[commit.why]:<17}  {numbers}", style))
    for words in edited_lines((edit.by, edit.place) for edit in commit.edits):
        page.quiet(words, indent=INDENT)
    for words, grade in commit_details(log, commit):
        page.line((words, GRADES[grade]), indent=INDENT)


def _print_messages(page: TerminalPage, loaded: LoadedConversation) -> None:
    """Print one line a message, and each commit after the messages it saw."""
    page.quiet(f"{'position':>8}  {'role':<9}  {'tokens':>7}  says")
    for entry in _in_order(loaded.log):
        if isinstance(entry, Commit):
            head = f"── commit {entry.number}"
            _print_commit(page, loaded.log, entry, f"{head:<{INDENT}}")
            continue
        message = loaded.log.messages[entry]
        count = ""
        if message.role != "absent":
            count = f"{loaded.message_tokens(entry):,}"
        page.line(
            f"{entry:>8}  ",
            (f"{role_of(message):<9}", KIND_STYLES[kind_of(message)][1]),
            f"  {count:>7}  ",
            first_words(message),
        )


def _in_order(log: Log) -> Iterator[int | Commit]:
    """Return positions and commits in the order they were written."""
    commits = list(log.commits)
    for at in range(len(log.messages)):
        # Not its `at`: messages may have come while the commit was drafted.
        while commits and commits[0].landed <= at:
            yield commits.pop(0)
        yield at
    yield from commits


def _report(loaded: LoadedConversation) -> Json:
    commits = loaded.log.commits
    messages = [
        {
            "at": at,
            "role": role_of(message),
            "tokens": loaded.message_tokens(at),
            "says": first_words(message),
        }
        for at, message in enumerate(loaded.log.messages)
    ]
    return {
        "session": loaded.name,
        "kind": loaded.kind,
        "wire": loaded.wire.name,
        "window": loaded.budget and loaded.budget.window,
        "model": loaded.settings.model,
        "load": loaded.load,
        "said": loaded.said,
        "left_out": loaded.left_out,
        "bill": loaded.bill,
        "messages": messages,
        "commits": commits_json(commits),
        "survival": msgspec.structs.asdict(Survival.over(commits)),
    }
