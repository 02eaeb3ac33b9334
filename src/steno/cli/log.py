"""`steno log`: messages and commits in order; for several sessions, the list of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

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
from steno.cli.source import input_file, list_sessions, load_conversation
from steno.cli.window_map import KIND_STYLES
from steno.core.log import WITHOUT_PRESSURE, Commit, Log, Survival
from steno.core.store import SessionInfo
from steno.core.word_tables import word_tuple
from steno.session.settings import StoredSettings
from steno.store.open import without_password

INDENT = 18
NAME_MOST = 40
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


def log(
    path: cli.SourceArgument,
    session: cli.SessionOption = None,
    messages: Annotated[
        bool, cli.flag("--messages", "List the messages of a stored session too.")
    ] = False,
    strict: cli.StrictOption = False,
    as_json: cli.JsonOption = False,
) -> int:
    """List messages and commits in order; for a store of several sessions, the sessions.

    A commit says why it was made, how many tokens there were before and after, and what its edits
    cover. Nothing is ever deleted: an undo is a commit too.

    Examples

      steno log agent.db                         its sessions, if several
      steno log agent.db --session research-42   the commits of one
      steno log session.jsonl | grep ✗           every failed call in a file
    """
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
