"""`steno compact`: a transcript comes back under its budget, in the format it came in.

The input is never touched; what was covered stays there, under the same
positions. A store's session is compacted in its store, where it can be undone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steno.core.ask import Model
from steno.core.budget import Budget, Pressure
from steno.core.error import BadInput, DoesNotFit
from steno.core.log import Commit
from steno.core.view import APART
from steno.engine.designs import policy_of
from steno.service.commands.file import Conversation, each
from steno.service.commands.log import commits_json, few
from steno.service.commands.options import DONE, NOT_RIGHT
from steno.service.commands.out import STDOUT, beside, checked, write
from steno.service.commands.page import NOTE, QUIET, Page, note, say_json
from steno.service.commands.progress import watched
from steno.service.commands.secrets import redacted
from steno.service.commands.source import STDIN, card_in, given, is_store, limits, store_at, window_of
from steno.service.commands.words import counted
from steno.session.session import Session
from steno.session.setup import Told, writer_of
from steno.transcript import Piece, Transcript, opened, shown
from steno.wire import chosen


@dataclass(frozen=True)
class How:
    """What was asked for."""

    told: Told
    policy: str = "default"
    """Its name, or its file."""
    out: str | None = None
    wire: str | None = None
    force: bool = False
    strict: bool = False
    overwrite: bool = False
    as_json: bool = False
    focus: str = ""
    writer: Any = None
    """Its name, or the model itself."""
    redact: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of one conversation."""

    name: str
    messages: int
    before: int
    after: int
    boundary: int
    budget: Budget
    commits: tuple[Commit, ...]
    warnings: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        return self.after <= self.budget.usable


def compact(path: str, session: str | None, how: How) -> int:
    with given(path) as file, _writing(how.writer) as writer:
        how = replace(how, writer=writer)
        if is_store(file):
            return _stored(file, session, how)
        if session is not None:
            raise BadInput("--session is for a store; of a transcript, every conversation is compacted")
        return _filed(file, path, how)


@contextmanager
def _writing(name: str | None) -> Iterator[Model | None]:
    """The writer, made once for all conversations, and let go of at the end."""
    writer = None if name is None else writer_of(name)
    try:
        yield writer
    finally:
        if callable(close := getattr(writer, "close", None)):
            close()


def _filed(file: Path, path: str, how: How) -> int:
    out = _out(file, path, how)
    with redacted(file) if how.redact else nullcontext(file) as clean:
        return _written(file, opened(clean, strict=how.strict), path, out, how)


def _written(file: Path, transcript: Transcript, path: str, out: Path | None, how: How) -> int:
    outcomes: list[Outcome] = []
    pieces = _pieces(transcript, how, outcomes)
    try:
        write(transcript.format.write(pieces), out, like=file)
    except DoesNotFit as failure:
        note(f"nothing was written: {failure}")
        return NOT_RIGHT
    for outcome in outcomes:
        for warning in outcome.warnings:
            note(warning)
    if how.as_json:
        say_json(_json(transcript.format.name, path, out, outcomes))
    else:
        page = Page(sys.stderr if out is None else None)
        _told(page, outcomes, path)
        page.line((f"written to {out}" if out else "written to stdout", QUIET), indent=2)
    return DONE if all(outcome.fits for outcome in outcomes) else NOT_RIGHT


def _out(file: Path, path: str, how: How) -> Path | None:
    """Where the transcript goes; None is stdout."""
    piped = how.out == STDOUT or (how.out is None and (path == STDIN or not (sys.stdout.isatty() or how.as_json)))
    if piped and how.as_json:
        raise BadInput("the transcript and --json both want stdout: name a file with -o")
    if piped:
        return None
    out = beside(file) if how.out is None else Path(how.out)
    return checked(out, source=None if path == STDIN else file, overwrite=how.overwrite)


def _pieces(transcript: Transcript, how: How, outcomes: list[Outcome]) -> Iterator[Piece]:
    """The pieces of each conversation as its session shows it; what was done is noted on the way."""
    for conversation in each(transcript, watched(transcript, transcript.path), whole=True):
        session, before, done = compacted(conversation, transcript, how)
        outcomes.append(_outcome(conversation.name, session, before, done, conversation.warnings))
        # Nothing was done: then nothing changes either, not even what a request would have mended.
        same = conversation.pieces
        yield from shown(same, session.log, session.view, session.setup.wire) if done else same


def compacted(
    conversation: Conversation, transcript: Transcript, how: How
) -> tuple[Session, int, tuple[Commit, ...]]:
    """A session of a conversation, brought under its budget; the load before, and the commits it took."""
    told = conversation.told(how.told)
    if told.window is None and told.model is None and policy_of(how.policy).window is None:
        raise BadInput("say how much fits: --window 32k, or --model with a known name; the file names no known model")
    if told.window is None and told.model is not None:
        window_of(told.model)
    wire = chosen(how.wire or transcript.format.wire).for_model(told.model or "")
    log = conversation.log(wire)
    session = Session(
        wire=wire,
        log=log,
        policy=policy_of(how.policy).but(moment="now"),
        strict=how.strict,
        writer=how.writer,
        **limits(told),
    )
    return _landed(session, len(log.commits), how)


def _landed(session: Session, known: int, how: How) -> tuple[Session, int, tuple[Commit, ...]]:
    """Land what pressure demands, or what was asked for."""
    if how.force or (how.focus and session.pressure is not Pressure.NONE):
        session.compact(how.focus)
    session.written()
    session.messages()
    done = tuple(session.log.commits[known:])
    return session, done[0].before if done else session.load, done


def _outcome(
    name: str, session: Session, before: int, done: tuple[Commit, ...], warnings: tuple[str, ...]
) -> Outcome:
    count, boundary = len(session.log.messages), session.view.boundary
    return Outcome(name, count, before, session.load, boundary, session.budget, done, warnings)


def _stored(file: Path, name: str | None, how: How) -> int:
    if how.out or how.wire or how.told != Told():
        raise BadInput("a store's session has its own limits and wire, and stays in it: leave -o, --window … out")
    if how.redact:
        raise BadInput("what a store keeps stays as it was said: --redact is for a transcript, redact= for a session")
    with store_at(file) as store:
        card = card_in(store, name)
        told = Told.read(card.setup)
        wire = chosen(card.wire).for_model(told.model or "")
        session = Session(
            store=store,
            name=card.name,
            wire=wire,
            policy=policy_of(how.policy).but(moment="now"),
            strict=how.strict,
            writer=how.writer,
            redact=told.redacted,
        )
        outcome = _outcome(card.name, *_landed(session, len(session.log.commits), how), ())
    if how.as_json:
        say_json(_json("store", str(file), file, [outcome]))
    else:
        _told(Page(), [outcome], f"{file} --session {card.name}" if name else str(file))
    return DONE if outcome.fits else NOT_RIGHT


def _told(page: Page, outcomes: list[Outcome], path: str) -> None:
    if len(outcomes) == 1:
        _one(page, outcomes[0], path)
        return
    for outcome in outcomes:
        style = "" if outcome.fits else "red"
        done = "" if outcome.commits else "  as it was"
        words = f"{outcome.before:>10,} → {outcome.after:>9,} tokens{done}"
        page.line(f"  {outcome.name[:30]:<30}  ", words, ("" if outcome.fits else "  does not fit", style))
    before, after = (sum(getattr(each, at) for each in outcomes) for at in ("before", "after"))
    fitting = sum(outcome.fits for outcome in outcomes)
    touched = sum(bool(outcome.commits) for outcome in outcomes)
    total = f"{counted(len(outcomes), 'conversation')}, {touched} compacted: {before:,} → {after:,} tokens; "
    page.line((total, "bold"), (f"{fitting} of {len(outcomes)} fit", "green" if fitting == len(outcomes) else "red"))


def _one(page: Page, outcome: Outcome, path: str) -> None:
    budget = outcome.budget
    verdict = ("fits", "bold green") if outcome.fits else ("does not fit", "bold red")
    sizes = f"{budget.window:,} ({budget.usable:,} usable)"
    if not outcome.commits:
        page.line((f"{outcome.after:,} tokens", "bold"), f" in a window of {sizes}: ", verdict)
        why = "no pressure" if outcome.fits else "nothing may be covered"
        hint = "; --force compacts it anyway" if outcome.fits else ""
        page.line((f"{why}: {counted(outcome.messages, 'message')} as they were{hint}", QUIET), indent=2)
        return
    page.line((f"{outcome.before:,} → {outcome.after:,} tokens", "bold"), f" in a window of {sizes}: ", verdict)
    edits = [edit for commit in outcome.commits for edit in commit.edits]
    covers = [edit.place for edit in edits if edit.block is None]
    short = [edit.place for edit in edits if edit.block is not None]
    if covers:
        page.line(("covered   ", NOTE), few(covers), (": a trace stands for it", QUIET), indent=2)
    if short:
        page.line(("in short  ", NOTE), few(short), (": head and tail", QUIET), indent=2)
    page.line(("verbatim  ", NOTE), f"from {outcome.boundary} on", indent=2)
    for commit in outcome.commits:
        if not commit.fits and commit.why not in APART:
            words = f"over its goal of {commit.goal:,}: the rest is too new, or may not be covered"
            page.line((words, "yellow"), indent=2)
    page.line(("nothing is lost: ", QUIET), (f"steno open {path} {(covers + short)[0]}", "cyan"), indent=2)


def _json(format: str, path: str, out: Path | None, outcomes: list[Outcome]) -> dict[str, Any]:
    return {
        "file": path,
        "format": format,
        "out": str(out) if out else None,
        "before": sum(outcome.before for outcome in outcomes),
        "after": sum(outcome.after for outcome in outcomes),
        "fits": all(outcome.fits for outcome in outcomes),
        "conversations": [
            {
                "name": outcome.name,
                "messages": outcome.messages,
                "window": outcome.budget.window,
                "usable": outcome.budget.usable,
                "goal": outcome.budget.goal_load,
                "before": outcome.before,
                "after": outcome.after,
                "fits": outcome.fits,
                "boundary": outcome.boundary,
                "commits": commits_json(outcome.commits),
            }
            for outcome in outcomes
        ],
        "warnings": [warning for outcome in outcomes for warning in outcome.warnings],
    }
