"""Slash commands: what a user can do with the session in hand, besides talking."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from steno.cli.chat import gauge
from steno.cli.chat.runtime import ChatRuntime
from steno.cli.check import GONE_MARK, MARKS_LEGEND, SEEN_MARK
from steno.cli.describe import plural
from steno.cli.output import NOTE, QUIET, TerminalPage
from steno.core.errors import BadInput, NotHere, StenoError
from steno.core.log import Commit
from steno.core.message import Call
from steno.engine.designs import POLICIES
from steno.facts.ledger import Ledger
from steno.facts.text import SearchableText
from steno.session.place import parse_place

FACTS_MOST = 12
"""Facts of a kind that are listed."""


@dataclass(frozen=True)
class QuitChat:
    """Leave."""


@dataclass(frozen=True)
class RestartChat:
    """Sit down again with something changed: a model, a policy."""

    changes: dict[str, str]


CommandResult = QuitChat | RestartChat | None
SlashCommand = Callable[[TerminalPage, ChatRuntime, str], CommandResult]


def run_slash_command(page: TerminalPage, seat: ChatRuntime, said: str) -> CommandResult:
    """Do what a line that begins with a slash says; what cannot be done is said, and nothing changes."""
    name, _, rest = said.strip().partition(" ")
    if name not in SLASH_COMMANDS:
        near = [each for each in SLASH_COMMANDS if each.startswith(name)]
        if len(near) != 1:
            page.line((f"there is no {name}: /help says what there is", "yellow"))
            return None
        name = near[0]
    try:
        return SLASH_COMMANDS[name][0](page, seat, rest.strip())
    except StenoError as refused:
        page.line((str(refused), "yellow"))
        return None


def compact(page: TerminalPage, seat: ChatRuntime, focus: str) -> CommandResult:
    commit = seat.session.compact(focus)
    if commit is None:
        page.line(("There is nothing to compact: only what is new is left.", QUIET))
    else:
        print_commit(page, seat, commit)
        page.line(("/context shows what is left, /undo takes it back", QUIET), indent=2)
    return None


def print_commit(page: TerminalPage, seat: ChatRuntime, commit: Commit) -> None:
    """A commit, with the boundary that it leaves."""
    boundary = seat.session.view.boundary
    why = {"asked": "as asked", "soft": "soft pressure", "hard": "hard pressure"}.get(
        commit.why, commit.why
    )
    page.line(
        ("compacted", f"bold {NOTE}"),
        (
            f" ({why}): {commit.before:,} → {commit.after:,} tokens; verbatim from {boundary} on",
            NOTE,
        ),
    )


def context(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    gauge.print_context(page, seat)
    return None


def recall(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    if not rest:
        raise BadInput("say what to look for: /recall words, or where: /recall 17-42")
    try:
        parse_place(rest)
        asked = {"positions": rest}
    except BadInput:
        asked = {"query": rest}
    page.paragraph(seat.session.handle(Call(None, "recall", json.dumps(asked))) or "")
    return None


def pin(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    if not rest:
        pins = seat.session.parts.journal.stored_settings.pins
        page.line(
            f"pinned: {', '.join(map(str, pins))}"
            if pins
            else "nothing is pinned: /pin 0, or /pin some words"
        )
        return None
    at = seat.session.pin(int(rest) if rest.isdecimal() else rest)
    page.line(f"pinned: message {at} is never covered")
    return None


def unpin(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    if not rest.isdecimal() or int(rest) not in seat.session.parts.journal.stored_settings.pins:
        pins = ", ".join(map(str, seat.session.parts.journal.stored_settings.pins)) or "none"
        raise NotHere(f"say which: /unpin 17; pinned are {pins}")
    seat.session.unpin(int(rest))
    page.line(f"message {rest} is no longer pinned")
    return None


def facts(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    session = seat.session
    ledger, words = Ledger.of(session.log.messages), SearchableText(session.view.visible_messages)
    loops = [each for each in ledger.open_loops if not each[1].note.startswith("call")]
    errors = [(failed.position, failed.fact) for failed in ledger.errors if failed.overcome is None]
    rows = [
        ("rules", [(at, fact.words) for at, fact in ledger.rules]),
        ("open", [(at, fact.words) for at, fact in loops]),
        ("decisions", [(at, fact.words) for at, fact in ledger.decisions]),
        ("errors", [(at, fact.words) for at, fact in errors]),
        ("files, commands", [(thing.newest[1], thing.words) for thing in ledger.artifacts]),
    ]
    for title, found in rows:
        page.line((f"{title}: {len(found)}", "bold"))
        for at, said in found[-FACTS_MOST:]:
            mark = SEEN_MARK if words.contains(said) else GONE_MARK
            page.line(f"{mark} ", (f"[{at}] ", QUIET), " ".join(said.split()), indent=2)
    page.line((MARKS_LEGEND, QUIET))
    return None


def memory(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    notes = seat.session.notes()
    page.line((f"the agent's own notes: {len(notes)}", "bold"))
    for note in notes:
        page.line(" ".join(str(note).split()), indent=2)
    if not seat.session.parts.journal.user:
        page.line(("Nothing is kept for other chats: start with --user NAME, and it is.", QUIET))
        return None
    known = seat.session.memories(rest)
    page.line(
        (f"kept for {seat.session.parts.journal.user}, from all sessions: {len(known)}", "bold")
    )
    for each in known:
        page.line((f"({each.id}) ", QUIET), " ".join(each.text.split()), indent=2)
    return None


def undo(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    commit = seat.session.undo()
    page.line(
        f"commit {commit.reverts} is taken back: what it covered is seen again, {seat.session.load:,} tokens"
    )
    return None


def model(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    if rest:
        return RestartChat({"model": rest})
    page.line(
        f"{seat.asked.model}, which speaks {seat.model.wire}; /model NAME takes another that does"
    )
    return None


def policy(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    if rest:
        return RestartChat({"policy": rest})
    budget = seat.session.budget
    page.line(
        f"{seat.asked.policy or 'default'}: at {budget.soft:.0%} of {budget.usable:,}, at once at {budget.hard:.0%}"
    )
    page.line((f"/policy takes a TOML file, or one of {', '.join(POLICIES)}", QUIET))
    return None


def export(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    from steno.cli.export import export as exported

    to = rest or f"{seat.session.name}.jsonl"
    exported(str(seat.asked.path), seat.session.name, str(Path(to).expanduser()))
    return None


def help_(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    for name, (_, words, about) in SLASH_COMMANDS.items():
        page.line((f"{name} {words}".ljust(20), "cyan"), about, indent=2)
    page.line(("Alt-Enter, or a backslash at the end: another line.", QUIET), indent=2)
    page.line(("Ctrl-C stops the turn, Ctrl-D leaves.", QUIET), indent=2)
    return None


def quit_(page: TerminalPage, seat: ChatRuntime, rest: str) -> CommandResult:
    return QuitChat()


SLASH_COMMANDS: dict[str, tuple[SlashCommand, str, str]] = {
    "/compact": (compact, "[focus]", "compact now, and keep this above all"),
    "/context": (context, "", "what fills the context, and what the model sees"),
    "/recall": (recall, "words|17-42", "find what was said, or open it"),
    "/pin": (pin, "[17|words]", "never cover this message, or these words"),
    "/unpin": (unpin, "17", "let it be covered again"),
    "/facts": (facts, "", "rules, open loops, decisions, errors, files"),
    "/memory": (memory, "", "what is remembered beside the conversation"),
    "/undo": (undo, "", "take the newest compaction back"),
    "/model": (model, "[name]", "which model, or another one"),
    "/policy": (policy, "[name|file]", "when to compact, or another way"),
    "/export": (export, "[file]", "everything that was said, as JSONL"),
    "/help": (help_, "", "this"),
    "/quit": (quit_, "", "leave; steno chat --resume comes back"),
}


def session_summary(seat: ChatRuntime) -> str:
    return f"{plural(len(seat.session.log.messages), 'message')} in {seat.session.name}"
