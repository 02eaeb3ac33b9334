"""`steno log`: messages and commits in order; for several sessions, the list of them."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec
from rich.console import Console
from rich.live import Live
from rich.text import Text

from steno.cli import options as cli
from steno.cli.conversation import LoadedConversation
from steno.cli.describe import (
    commits_json,
    first_places,
    first_words,
    kind_of,
    plural,
    role_of,
)
from steno.cli.output import NOTE, QUIET, TerminalPage, print_json, print_note
from steno.cli.source import input_file, list_sessions, load_conversation, open_store
from steno.cli.window_map import KIND_STYLES
from steno.core.log import WITHOUT_PRESSURE, Commit, Log, Survival
from steno.core.store import SessionInfo
from steno.core.word_tables import word_tuple
from steno.meters.catalog import known_prices
from steno.session.settings import StoredSettings
from steno.store.open import without_password

INDENT = 18
NAME_MOST = 40
FOLLOWED_MOST = 12
"""Sessions that `--follow` shows, the newest."""
SESSION_FIELDS = word_tuple("wire messages commits parent fork")
"""Fields of a session that `--json` prints as they are."""
REASONS = {
    "soft": "soft pressure",
    "hard": "hard pressure",
    "asked": "asked for",
    "arrival": "on arrival",
    "resent": "came compacted",
    "hide": "put away",
    "undo": "undo",
}


class FollowedSession(msgspec.Struct, frozen=True):
    """A session that may be running."""

    session: str
    fill: int | None
    """Percent of the usable window; None if no window is known."""
    messages: int
    commits: int
    load: int
    """Tokens of the next request."""
    said: int
    """Tokens of a request that would show everything."""
    left_out: int
    """Tokens that the next request leaves out of that."""
    dollars: float | None
    """What they would cost in that request as cached input; None if the model has no price."""


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
    strict: cli.StrictOption = False,
    as_json: cli.JsonOption = False,
) -> int:
    """List messages and commits in order; for a store of several sessions, the sessions.

    A commit says why it was made, how many tokens there were before and after, and what its edits
    cover. Nothing is ever deleted: an undo is a commit too.

    With --follow it shows how full the newest sessions of a store are, how many tokens the next
    request leaves out, and what they would cost in it as cached input. In a pipe, or with --json,
    it looks once. What requests spared in all is counted by the proxy, in GET /stats.

    Examples

      steno log agent.db                         its sessions, if several
      steno log agent.db --session research-42   the commits of one
      steno log agent.db --follow                running sessions
      steno log session.jsonl | grep ✗           every failed call in a file
    """
    if follow:
        _follow(_SessionReader(path), every, as_json=as_json)
        return cli.DONE
    with input_file(path, strict=strict) as file:
        if session is None:
            infos = list(list_sessions(file))
            if len(infos) != 1:
                _print_sessions(file, infos, as_json=as_json)
                return cli.DONE
        loaded = load_conversation(file, session)
    if as_json:
        print_json(_report(loaded))
        return cli.DONE
    for warning in loaded.warnings:
        print_note(warning)
    page = TerminalPage()
    page.line((loaded.name, "bold"), loaded.headline)
    if messages or loaded.kind != "store":
        _print_messages(page, loaded)
    else:
        _print_commits(page, loaded)
    return cli.DONE


def _print_sessions(file: Path, infos: list[SessionInfo], *, as_json: bool) -> None:
    if as_json:
        listed: list[dict[str, Any]] = []
        for info in infos:
            settings = StoredSettings.parse(info.setup)
            row = {name: getattr(info, name) for name in SESSION_FIELDS}
            limits = {"window": settings.window, "model": settings.model}
            listed.append({"session": info.name} | row | limits)
        print_json(listed)
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
        counts = (f"{info.messages:,}", f"{info.commits:,}")
        rows.append((_short(info.name), info.wire, *counts, (origin, QUIET)))
    page.table(("session", "wire", ">messages", ">commits", "from"), rows, indent=2)
    page.line((f"To see one: steno log {without_password(file)} --session {infos[0].name}", QUIET))


def _short(name: str) -> str:
    if len(name) > NAME_MOST:
        return name[: NAME_MOST - 1] + "…"
    return name


class _SessionReader:
    """Reads the newest sessions, and only those that changed since the last look."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._known: dict[str, tuple[SessionInfo, FollowedSession]] = {}

    def rows(self) -> list[FollowedSession]:
        with open_store(self._path) as store:
            stored = store.sessions()
        rows = []
        for info in list(reversed(stored))[:FOLLOWED_MOST]:
            known = self._known.get(info.name)
            if known is None or known[0] != info:
                known = (info, self._read(info))
                self._known[info.name] = known
            rows.append(known[1])
        return rows

    def _read(self, info: SessionInfo) -> FollowedSession:
        loaded = load_conversation(Path(self._path), info.name)
        fill = None
        if loaded.budget is not None:
            fill = round(100 * loaded.load / loaded.budget.usable)
        dollars, prices = None, known_prices(loaded.settings.model or "")
        if prices is not None:
            dollars = round(prices.request_cost(loaded.left_out, 0), 4)
        counts = (len(loaded.log.messages), len(loaded.log.commits))
        tokens = (loaded.load, loaded.said, loaded.left_out)
        return FollowedSession(info.name, fill, *counts, *tokens, dollars)


def _follow(reader: _SessionReader, seconds: float, *, as_json: bool) -> None:
    if as_json:
        print_json(reader.rows())
        return
    if not sys.stdout.isatty():
        _print_running(TerminalPage(), reader.rows())
        return
    console = Console(highlight=False)
    with suppress(KeyboardInterrupt), Live(console=console, auto_refresh=False) as live:
        while True:
            with console.capture() as drawn:
                _print_running(TerminalPage(console=console), reader.rows())
            live.update(Text.from_ansi(drawn.get()), refresh=True)
            time.sleep(seconds)


def _print_running(page: TerminalPage, rows: Sequence[FollowedSession]) -> None:
    cells = []
    for row in rows:
        fill, dollars = "-", "-"
        if row.fill is not None:
            fill = f"{row.fill} %"
        if row.dollars is not None:
            dollars = f"{row.dollars:,.2f}"
        counts = (row.messages, row.commits, row.said, row.left_out)
        cells.append((_short(row.session), fill, *(f"{count:,}" for count in counts), dollars))
    heads = ("session", ">fill", ">messages", ">commits", ">said", ">left out", ">$ a request")
    page.table(heads, cells)


def _print_commits(page: TerminalPage, loaded: LoadedConversation) -> None:
    if not loaded.log.commits:
        page.line(("No commit yet: the model sees every message as it was said.", QUIET))
        return
    page.line((f"{'messages':>8}  {'commit':>6}  {'why':<17}  {'tokens':>9} → {'after':<9}", QUIET))
    for commit in loaded.log.commits:
        _print_commit(page, loaded.log, commit, f"{commit.at:>8,}  {commit.number:>6}  ")
    counted = [commit for commit in loaded.log.commits if commit.survival is not None]
    if counted:
        survival = Survival.over(counted)
        shares = []
        if survival.rules_before:
            shares.append(f"constraints {survival.rules_rate:.0%} of {survival.rules_before:,}")
        if survival.loops_before:
            shares.append(f"open loops {survival.loops_rate:.0%} of {survival.loops_before:,}")
        words = ", ".join(shares) or "there was no constraint and no open loop"
        page.line((f"Still shown after {plural(len(counted), 'compaction')}: {words}.", QUIET))


def _print_commit(page: TerminalPage, log: Log, commit: Commit, head: str) -> None:
    if commit.reverts is not None:
        page.line((head, NOTE), (f"undo: reverts commit {commit.reverts}", NOTE))
        return
    reverted_by = _reverting_commit(log, commit)
    numbers, style = "", ""
    if commit.before:
        numbers = f"{commit.before:>9,} → {commit.after:<9,}"
    if reverted_by is not None:
        style = QUIET
    page.line((head, NOTE), (f"{REASONS[commit.why]:<17}  {numbers}", style))
    for words, colour in _details(commit, reverted_by):
        page.line((words, colour), indent=INDENT)


def _details(commit: Commit, reverted_by: int | None) -> Iterator[tuple[str, str]]:
    """Say in a line each what a commit did and what became of it, with a style."""
    if commit.reason:
        yield f"the agent's reason: {commit.reason}", QUIET
    places: dict[str, list[str]] = {}
    for edit in commit.edits:
        places.setdefault(edit.by, []).append(edit.place)
    for by, edited in places.items():
        yield f"{by} ×{len(edited)}: {first_places(edited)}", QUIET
    if reverted_by is not None:
        yield f"reverted by commit {reverted_by}: what it covered is visible again", QUIET
    if not commit.fits and commit.why not in WITHOUT_PRESSURE:
        yield f"over its goal of {commit.goal:,}: the rest may not be covered", "yellow"
    if commit.survival is not None:
        kept = commit.survival
        rules = f"constraints shown {kept.rules_before:,} → {kept.rules_after:,}"
        yield f"{rules}, open loops {kept.loops_before:,} → {kept.loops_after:,}", QUIET
    for finding in commit.findings:
        # Only a proposal has a place; other findings are about the view or the writer's text.
        words = f"note of {finding.by}: {finding.what}"
        if finding.place:
            words = f"dropped a proposal of {finding.by} at {finding.place}: {finding.what}"
        yield words, "yellow"


def _reverting_commit(log: Log, commit: Commit) -> int | None:
    for other in log.commits:
        if other.reverts == commit.number:
            return other.number
    return None


def _print_messages(page: TerminalPage, loaded: LoadedConversation) -> None:
    """Print one line a message, and each commit after the messages it saw."""
    page.line((f"{'position':>8}  {'role':<9}  {'tokens':>7}  says", QUIET))
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


def _report(loaded: LoadedConversation) -> dict[str, Any]:
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
        "messages": messages,
        "commits": commits_json(commits),
        "survival": Survival.over(commits),
    }
