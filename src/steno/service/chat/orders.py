"""Slash commands: what a user can do with the session in hand, besides talking."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from steno.core.error import BadInput, NotHere, StenoError
from steno.core.log import Commit
from steno.core.message import Call
from steno.engine.designs import POLICIES
from steno.ledger.ledger import Ledger
from steno.ledger.words import Words
from steno.service.chat import gauge
from steno.service.chat.seat import Seat
from steno.service.commands.check import GONE, MEANS, SAID
from steno.service.commands.page import NOTE, QUIET, Page
from steno.service.commands.words import counted
from steno.session.place import place_of

FACTS_MOST = 12
"""Facts of a kind that are listed."""


@dataclass(frozen=True)
class Quit:
    """Leave."""


@dataclass(frozen=True)
class Anew:
    """Sit down again with something changed: a model, a policy."""

    changes: dict[str, str]


Done = Quit | Anew | None
Order = Callable[[Page, Seat, str], Done]


def obeyed(page: Page, seat: Seat, said: str) -> Done:
    """Do what a line that begins with a slash says; what cannot be done is said, and nothing changes."""
    name, _, rest = said.strip().partition(" ")
    if name not in ORDERS:
        near = [each for each in ORDERS if each.startswith(name)]
        if len(near) != 1:
            page.line((f"there is no {name}: /help says what there is", "yellow"))
            return None
        name = near[0]
    try:
        return ORDERS[name][0](page, seat, rest.strip())
    except StenoError as refused:
        page.line((str(refused), "yellow"))
        return None


def compact(page: Page, seat: Seat, focus: str) -> Done:
    commit = seat.session.compact(focus)
    if commit is None:
        page.line(("There is nothing to compact: only what is new is left.", QUIET))
    else:
        landed(page, seat, commit)
        page.line(("/context shows what is left, /undo takes it back", QUIET), indent=2)
    return None


def landed(page: Page, seat: Seat, commit: Commit) -> None:
    """A commit, with the boundary that it leaves."""
    boundary = seat.session.view.boundary
    why = {"asked": "as asked", "soft": "soft pressure", "hard": "hard pressure"}.get(commit.why, commit.why)
    page.line(
        ("compacted", f"bold {NOTE}"),
        (f" ({why}): {commit.before:,} → {commit.after:,} tokens; verbatim from {boundary} on", NOTE),
    )


def context(page: Page, seat: Seat, rest: str) -> Done:
    gauge.context(page, seat)
    return None


def recall(page: Page, seat: Seat, rest: str) -> Done:
    if not rest:
        raise BadInput("say what to look for: /recall words, or where: /recall 17-42")
    try:
        place_of(rest)
        asked = {"positions": rest}
    except BadInput:
        asked = {"query": rest}
    page.whole(seat.session.handle(Call(None, "recall", json.dumps(asked))) or "")
    return None


def pin(page: Page, seat: Seat, rest: str) -> Done:
    if not rest:
        pins = seat.session.told.pins
        page.line(f"pinned: {', '.join(map(str, pins))}" if pins else "nothing is pinned: /pin 0, or /pin some words")
        return None
    at = seat.session.pin(int(rest) if rest.isdecimal() else rest)
    page.line(f"pinned: message {at} is never covered")
    return None


def unpin(page: Page, seat: Seat, rest: str) -> Done:
    if not rest.isdecimal() or int(rest) not in seat.session.told.pins:
        pins = ", ".join(map(str, seat.session.told.pins)) or "none"
        raise NotHere(f"say which: /unpin 17; pinned are {pins}")
    seat.session.unpin(int(rest))
    page.line(f"message {rest} is no longer pinned")
    return None


def facts(page: Page, seat: Seat, rest: str) -> Done:
    session = seat.session
    ledger, words = Ledger.of(session.log.messages), Words(session.view.shown)
    loops = [each for each in ledger.loops if not each[1].note.startswith("call")]
    errors = [(failed.position, failed.fact) for failed in ledger.errors if failed.overcome is None]
    rows = [
        ("rules", [(at, fact.words) for at, fact in ledger.constraints]),
        ("open", [(at, fact.words) for at, fact in loops]),
        ("decisions", [(at, fact.words) for at, fact in ledger.decisions]),
        ("errors", [(at, fact.words) for at, fact in errors]),
        ("files, commands", [(thing.newest[1], thing.words) for thing in ledger.touched]),
    ]
    for title, found in rows:
        page.line((f"{title}: {len(found)}", "bold"))
        for at, said in found[-FACTS_MOST:]:
            mark = SAID if words.hold(said) else GONE
            page.line(f"{mark} ", (f"[{at}] ", QUIET), " ".join(said.split()), indent=2)
    page.line((MEANS, QUIET))
    return None


def memory(page: Page, seat: Seat, rest: str) -> Done:
    notes = seat.session.notes()
    page.line((f"the agent's own notes: {len(notes)}", "bold"))
    for note in notes:
        page.line(" ".join(str(note).split()), indent=2)
    if not seat.session.user:
        page.line(("Nothing is kept for other chats: start with --user NAME, and it is.", QUIET))
        return None
    known = seat.session.memories(rest)
    page.line((f"kept for {seat.session.user}, from all sessions: {len(known)}", "bold"))
    for each in known:
        page.line((f"({each.id}) ", QUIET), " ".join(each.text.split()), indent=2)
    return None


def undo(page: Page, seat: Seat, rest: str) -> Done:
    commit = seat.session.undo()
    page.line(f"commit {commit.reverts} is taken back: what it covered is seen again, {seat.session.load:,} tokens")
    return None


def model(page: Page, seat: Seat, rest: str) -> Done:
    if rest:
        return Anew({"model": rest})
    page.line(f"{seat.asked.model}, which speaks {seat.model.wire}; /model NAME takes another that does")
    return None


def policy(page: Page, seat: Seat, rest: str) -> Done:
    if rest:
        return Anew({"policy": rest})
    budget = seat.session.budget
    page.line(
        f"{seat.asked.policy or 'default'}: at {budget.soft:.0%} of {budget.usable:,}, at once at {budget.hard:.0%}"
    )
    page.line((f"/policy takes a TOML file, or one of {', '.join(POLICIES)}", QUIET))
    return None


def export(page: Page, seat: Seat, rest: str) -> Done:
    from steno.service.commands.transfer import export as exported

    to = rest or f"{seat.session.name}.jsonl"
    exported(str(seat.asked.path), seat.session.name, str(Path(to).expanduser()))
    return None


def help_(page: Page, seat: Seat, rest: str) -> Done:
    for name, (_, words, about) in ORDERS.items():
        page.line((f"{name} {words}".ljust(20), "cyan"), about, indent=2)
    page.line(("Alt-Enter, or a backslash at the end: another line.", QUIET), indent=2)
    page.line(("Ctrl-C stops the turn, Ctrl-D leaves.", QUIET), indent=2)
    return None


def leave(page: Page, seat: Seat, rest: str) -> Done:
    return Quit()


ORDERS: dict[str, tuple[Order, str, str]] = {
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
    "/quit": (leave, "", "leave; steno chat --resume comes back"),
}


def summary(seat: Seat) -> str:
    return f"{counted(len(seat.session.log.messages), 'message')} in {seat.session.name}"
