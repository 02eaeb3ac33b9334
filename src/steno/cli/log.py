"""`steno log`: messages and commits in order; for several sessions, the list of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from steno.cli.archive import is_archive
from steno.cli.conversation import KINDS_WITH_COMMITS, LoadedConversation
from steno.cli.describe import (
    answers_json,
    commits_json,
    first_places,
    first_words,
    kind_of,
    plural,
    role_of,
)
from steno.cli.options import DONE, JsonOption, SessionOption, SourceArgument, StrictOption, flag
from steno.cli.output import NOTE, QUIET, TerminalPage, print_json, print_note
from steno.cli.source import input_file, is_store, iter_conversations, load_conversation, open_store
from steno.cli.window_map import KIND_STYLES
from steno.core.log import WITHOUT_PRESSURE, Commit, Log, Probe, Survival
from steno.core.store import SessionInfo
from steno.session.settings import StoredSettings
from steno.transcripts import open_transcript

INDENT = 18
NAME_MOST = 40
REASONS = {
    "soft": "soft pressure",
    "hard": "hard pressure",
    "asked": "asked for",
    "arrival": "arrived too large",
    "resent": "came compacted",
    "hide": "put away",
    "undo": "undo",
}


def log(
    path: SourceArgument,
    session: SessionOption = None,
    messages: Annotated[
        bool, flag("--messages", "List the messages of a stored session too.")
    ] = False,
    strict: StrictOption = False,
    as_json: JsonOption = False,
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
            infos = _session_infos(file)
            if len(infos) != 1:
                _print_sessions(file, infos, as_json=as_json)
                return DONE
        loaded = load_conversation(file, session, StoredSettings())
    if as_json:
        print_json(_as_json(loaded))
        return DONE
    for warning in loaded.warnings:
        print_note(warning)
    page = TerminalPage()
    _print_header(page, loaded)
    if messages or loaded.kind not in KINDS_WITH_COMMITS:
        _print_messages(page, loaded)
    else:
        _print_commits(page, loaded)
    return DONE


def _session_infos(file: Path) -> list[SessionInfo]:
    """Return the sessions of a store, or the conversations of a file."""
    if is_store(file):
        with open_store(file) as store:
            return store.sessions()
    # A stand-in: a single conversation is not listed.
    only = [SessionInfo(file.name, "", 0, 0)]
    if is_archive(file):
        return only
    transcript = open_transcript(file)
    if not transcript.format.many:
        return only
    wire = transcript.format.wire
    infos = []
    for conversation in iter_conversations(transcript):
        infos.append(SessionInfo(conversation.name, wire, len(conversation.entries), 0))
    return infos or only


def _print_sessions(file: Path, infos: list[SessionInfo], *, as_json: bool) -> None:
    if as_json:
        print_json([_session_json(info) for info in infos])
        return
    page = TerminalPage()
    page.line((file.name, "bold"), f" · {plural(len(infos), 'session')}")
    if not infos:
        return
    wide = min(NAME_MOST, max(len("session"), *(len(info.name) for info in infos)))
    head = f"  {'session':<{wide}}  {'wire':<16}  {'messages':>8}  {'commits':>7}  from"
    page.line((head, QUIET))
    for info in infos:
        origin = ""
        if info.parent is not None:
            origin = f"{info.parent} at {info.fork:,}"
        name = info.name
        if len(name) > wide:
            name = name[: wide - 1] + "…"
        page.line(
            f"  {name:<{wide}}  {info.wire:<16}  {info.messages:>8,}  {info.commits:>7,}  ",
            (origin, QUIET),
        )
    page.line((f"To see one: steno log {file} --session {infos[0].name}", QUIET))


def _session_json(info: SessionInfo) -> dict[str, Any]:
    settings = StoredSettings.parse(info.setup)
    return {
        "session": info.name,
        "wire": info.wire,
        "messages": info.messages,
        "commits": info.commits,
        "parent": info.parent,
        "fork": info.fork,
        "window": settings.window,
        "model": settings.model,
    }


def _print_header(page: TerminalPage, loaded: LoadedConversation) -> None:
    count = plural(len(loaded.log.messages), "message")
    parts = [loaded.origin, f"{count} of {loaded.total_tokens:,} tokens"]
    if loaded.kind in KINDS_WITH_COMMITS:
        parts.append(plural(len(loaded.log.commits), "commit"))
    if loaded.budget is not None:
        parts.append(f"window {loaded.budget.window:,}")
    page.line((loaded.name, "bold"), *(f" · {part}" for part in parts))


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
            shares.append(f"rules {survival.rules_rate:.0%} of {survival.rules_before:,}")
        if survival.loops_before:
            shares.append(f"open loops {survival.loops_rate:.0%} of {survival.loops_before:,}")
        words = f"Still shown after {plural(len(counted), 'compaction')}: "
        page.line((f"{words}{', '.join(shares) or 'there was no rule and no open loop'}.", QUIET))
    probe = Probe.over(loaded.log.commits)
    if probe.asked:
        shown = probe.visible / probe.asked
        words = f"Answered: {probe.rate:.0%} of {probe.asked:,} questions, {shown:.0%} unsearched."
        page.line((words, QUIET))


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
    if commit.reason:
        page.line((f"the agent's reason: {commit.reason}", QUIET), indent=INDENT)
    for words in _edit_lines(commit):
        page.line((words, QUIET), indent=INDENT)
    if reverted_by is not None:
        words = f"reverted by commit {reverted_by}: what it covered is visible again"
        page.line((words, QUIET), indent=INDENT)
    if not commit.fits and commit.why not in WITHOUT_PRESSURE:
        words = f"over its goal of {commit.goal:,}: the rest may not be covered"
        page.line((words, "yellow"), indent=INDENT)
    if commit.restored:
        tokens = sum(each.tokens for each in commit.restored)
        count = plural(len(commit.restored), "thing")
        words = f"put back {count} ({tokens:,} tokens) used while it was drafted"
        page.line((words, QUIET), indent=INDENT)
    if commit.survival is not None:
        kept = commit.survival
        rules = f"rules shown {kept.rules_before:,} → {kept.rules_after:,}"
        loops = f"open loops {kept.loops_before:,} → {kept.loops_after:,}"
        page.line((f"{rules}, {loops}", QUIET), indent=INDENT)
    if commit.probe is not None and commit.probe.asked:
        probe = commit.probe
        searched = f", {probe.recalled:,} more by a search" if probe.recalled else ""
        words = f"answers {probe.visible:,} of {probe.asked:,} questions{searched}"
        page.line((words, QUIET), indent=INDENT)
    for finding in commit.findings:
        # Only a proposal has a place; other findings are about the view or the writer's text.
        words = f"note of {finding.by}: {finding.what}"
        if finding.place:
            words = f"dropped a proposal of {finding.by} at {finding.place}: {finding.what}"
        page.line((words, "yellow"), indent=INDENT)


def _edit_lines(commit: Commit) -> Iterator[str]:
    """Say what each rung edited, in the order the rungs ran."""
    places: dict[str, list[str]] = {}
    for edit in commit.edits:
        places.setdefault(edit.by, []).append(edit.place)
    for by, edited in places.items():
        yield f"{by} ×{len(edited)}: {first_places(edited)}"


def _reverting_commit(log: Log, commit: Commit) -> int | None:
    for other in log.commits:
        if other.reverts == commit.number:
            return other.number
    return None


def _print_messages(page: TerminalPage, loaded: LoadedConversation) -> None:
    """Print one line a message, and each commit after the messages it saw."""
    view = loaded.view
    page.line((f"{'position':>8}  {'role':<9}  {'tokens':>7}  says", QUIET))
    for entry in _in_order(loaded.log):
        if isinstance(entry, Commit):
            head = f"── commit {entry.number}"
            _print_commit(page, loaded.log, entry, f"{head:<{INDENT}}")
            continue
        message = loaded.log.messages[entry]
        count = ""
        if message.role != "absent":
            count = f"{view.meter.overheads.message + sum(view.weights[entry]):,}"
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


def _as_json(loaded: LoadedConversation) -> dict[str, Any]:
    window = None
    if loaded.budget is not None:
        window = loaded.budget.window
    messages = [
        {
            "at": at,
            "role": role_of(message),
            "tokens": sum(loaded.view.weights[at]),
            "says": first_words(message),
        }
        for at, message in enumerate(loaded.log.messages)
    ]
    return {
        "session": loaded.name,
        "kind": loaded.kind,
        "wire": loaded.wire.name,
        "window": window,
        "model": loaded.settings.model,
        "tokens": loaded.total_tokens,
        "messages": messages,
        "commits": commits_json(loaded.log.commits),
        "survival": msgspec.to_builtins(Survival.over(loaded.log.commits)),
        "answers": answers_json(Probe.over(loaded.log.commits)),
    }
