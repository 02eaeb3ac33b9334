"""`steno log`: what was said and committed, in order; or which sessions a store holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from steno.cli.describe import first_words, kind_of, plural, role_of
from steno.cli.options import DONE
from steno.cli.output import NOTE, QUIET, TerminalPage, print_json, print_note
from steno.cli.source import (
    KINDS_WITH_COMMITS,
    LoadedConversation,
    input_file,
    is_store,
    load_conversation,
    open_store,
)
from steno.cli.window_map import KIND_STYLES
from steno.core.log import Commit, Log
from steno.core.store import SessionInfo
from steno.core.view import COMMITS_WITHOUT_PRESSURE
from steno.session.settings import StoredSettings

PLACES_MOST = 4
INDENT = 18
REASONS = {
    "soft": "soft pressure",
    "hard": "hard pressure",
    "asked": "asked for",
    "arrival": "arrived too large",
    "resent": "came compacted",
    "hide": "put away",
    "undo": "undo",
}


def log(path: str, session: str | None, *, messages: bool = False, as_json: bool = False) -> int:
    with input_file(path) as file:
        cards = None if session else _session_cards(file)
        if cards is not None:
            print_json([_card_json(card) for card in cards]) if as_json else _print_cards(
                TerminalPage(), file, cards
            )
            return DONE
        held = load_conversation(file, session, StoredSettings())
    if as_json:
        print_json(_as_json(held))
        return DONE
    for warning in held.warnings:
        print_note(warning)
    page = TerminalPage()
    _print_header(page, held)
    if messages or held.kind not in KINDS_WITH_COMMITS:
        _print_messages(page, held)
    else:
        _print_commits(page, held)
    return DONE


def _session_cards(file: Path) -> list[SessionInfo] | None:
    """The sessions of a store, or the conversations of a file, where they are not one."""
    if is_store(file):
        with open_store(file) as store:
            cards = store.sessions()
        if len(cards) == 1:
            return None
        return cards
    return _conversation_cards(file)


def _conversation_cards(file: Path) -> list[SessionInfo] | None:
    from steno.cli.source import is_archive, iter_conversations
    from steno.transcripts import open_transcript

    if is_archive(file):
        return None
    transcript = open_transcript(file)
    if not transcript.format.many:
        return None
    wire = transcript.format.wire
    cards = [
        SessionInfo(found.name, wire, len(found.entries), 0)
        for found in iter_conversations(transcript)
    ]
    if len(cards) > 1:
        return cards
    return None


def _print_cards(page: TerminalPage, file: Path, cards: list[SessionInfo]) -> None:
    page.line((file.name, "bold"), f" · {plural(len(cards), 'session')}")
    if not cards:
        return
    wide = min(40, max(len("session"), *(len(card.name) for card in cards)))
    page.line(
        (f"  {'session':<{wide}}  {'wire':<16}  {'messages':>8}  {'commits':>7}  from", QUIET)
    )
    for card in cards:
        origin = f"{card.parent} at {card.fork:,}" if card.parent is not None else ""
        name = card.name if len(card.name) <= wide else card.name[: wide - 1] + "…"
        page.line(
            f"  {name:<{wide}}  {card.wire:<16}  {card.messages:>8,}  {card.commits:>7,}  ",
            (origin, QUIET),
        )
    page.line(
        (f"Say --session to see one of them: steno log {file} --session {cards[0].name}", QUIET)
    )


def _card_json(card: SessionInfo) -> dict[str, Any]:
    told = StoredSettings.parse(card.setup)
    return {
        "session": card.name,
        "wire": card.wire,
        "messages": card.messages,
        "commits": card.commits,
        "parent": card.parent,
        "fork": card.fork,
        "window": told.window,
        "model": told.model,
    }


def _print_header(page: TerminalPage, held: LoadedConversation) -> None:
    counts = f"{plural(len(held.log.messages), 'message')} of {held.total_tokens:,} tokens"
    commits = (
        f" · {plural(len(held.log.commits), 'commit')}" if held.kind in KINDS_WITH_COMMITS else ""
    )
    window = f" · window {held.budget.window:,}" if held.budget else ""
    page.line((held.name, "bold"), f" · {held.origin} · {counts}{commits}{window}")


def _print_commits(page: TerminalPage, held: LoadedConversation) -> None:
    if not held.log.commits:
        page.line(("No commit yet: the model sees everything as it was said.", QUIET))
        return
    page.line((f"{'messages':>8}  {'commit':>6}  {'why':<17}  {'tokens':>9} → {'after':<9}", QUIET))
    for commit in held.log.commits:
        _print_commit(page, held.log, commit)


def _print_commit(page: TerminalPage, log: Log, commit: Commit, head: str = "") -> None:
    down = _reverting_commits(log).get(commit.number)
    head = head or f"{commit.at:>8,}  {commit.number:>6}  "
    if commit.reverts is not None:
        page.line((head, NOTE), (f"undo: takes commit {commit.reverts} down", NOTE))
        return
    numbers = f"{commit.before:>9,} → {commit.after:<9,}" if commit.before else ""
    page.line(
        (head, NOTE), (f"{REASONS[commit.why]:<17}  {numbers}", QUIET if down is not None else "")
    )
    for words in _edit_lines(commit):
        page.line((words, QUIET), indent=INDENT)
    if down is not None:
        page.line(
            (f"taken down by commit {down}: what it covered is seen again", QUIET), indent=INDENT
        )
    if not commit.fits and commit.why not in COMMITS_WITHOUT_PRESSURE:
        page.line(
            (f"over its goal of {commit.goal:,}: what is left may not be covered", "yellow"),
            indent=INDENT,
        )
    for finding in commit.findings:
        page.line(
            (f"dropped a proposal of {finding.by} at {finding.place}: {finding.what}", "yellow"),
            indent=INDENT,
        )


def _edit_lines(commit: Commit) -> Iterator[str]:
    """What each rung edited, in the order they ran."""
    for by in dict.fromkeys(edit.by for edit in commit.edits):
        places = [edit.place for edit in commit.edits if edit.by == by]
        yield f"{by} ×{len(places)}: {first_places(places)}"


def first_places(places: list[str]) -> str:
    """As many places as fit a line."""
    more = f" and {len(places) - PLACES_MOST} more" if len(places) > PLACES_MOST else ""
    return ", ".join(places[:PLACES_MOST]) + more


def _reverting_commits(log: Log) -> dict[int, int]:
    return {commit.reverts: commit.number for commit in log.commits if commit.reverts is not None}


def _print_messages(page: TerminalPage, held: LoadedConversation) -> None:
    """A line a message, each commit after the messages that it saw."""
    page.line((f"{'position':>8}  {'role':<9}  {'tokens':>7}  says", QUIET))
    for entry in _in_order(held.log):
        if isinstance(entry, Commit):
            _print_commit(page, held.log, entry, f"{f'── commit {entry.number}':<{INDENT}}")
            continue
        message = held.log.messages[entry]
        style = KIND_STYLES[kind_of(message)][1]
        tokens = held.view.meter.overheads.message + sum(held.view.weights[entry])
        counts = "" if message.role == "absent" else f"{tokens:,}"
        page.line(
            f"{entry:>8}  ",
            (f"{role_of(message):<9}", style),
            f"  {counts:>7}  ",
            first_words(message),
        )


def _in_order(log: Log) -> Iterator[int | Commit]:
    commits = list(log.commits)
    for at in range(len(log.messages)):
        while commits and commits[0].landed <= at:
            yield commits.pop(0)
        yield at
    yield from commits


def _as_json(held: LoadedConversation) -> dict[str, Any]:
    weights = held.view.weights
    return {
        "session": held.name,
        "kind": held.kind,
        "wire": held.wire.name,
        "window": held.budget and held.budget.window,
        "model": held.told.model,
        "tokens": held.total_tokens,
        "messages": [
            {
                "at": at,
                "role": role_of(message),
                "tokens": sum(weights[at]),
                "says": first_words(message),
            }
            for at, message in enumerate(held.log.messages)
        ],
        "commits": commits_json(held.log.commits),
    }


def commits_json(commits: Iterable[Commit]) -> list[dict[str, Any]]:
    return [
        {
            "number": commit.number,
            "at": commit.at,
            "why": commit.why,
            "before": commit.before,
            "after": commit.after,
            "goal": commit.goal,
            "usable": commit.usable,
            "fits": commit.fits,
            "reverts": commit.reverts,
            "edits": [
                {"by": edit.by, "place": edit.place, "level": edit.level} for edit in commit.edits
            ],
            "findings": [
                {"check": each.check, "by": each.by, "place": each.place}
                for each in commit.findings
            ],
        }
        for commit in commits
    ]
