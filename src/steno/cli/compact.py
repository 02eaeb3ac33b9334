"""A transcript without its secrets: the same file, to the byte where there are none.

Which words are secrets is `session/redact.py`'s business.

`steno compact`: a transcript comes back under its budget, in the format it came in.

The input is never touched; what was covered stays there, under the same
positions. A store's session is compacted in its store, where it can be undone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from steno.cli.describe import plural
from steno.cli.log import commits_json, first_places
from steno.cli.options import DONE, FAILED
from steno.cli.output import (
    NOTE,
    QUIET,
    STDOUT,
    TerminalPage,
    check_output_path,
    default_output_path,
    print_json,
    print_note,
    write_output,
)
from steno.cli.source import (
    STDIN,
    TranscriptConversation,
    input_file,
    is_store,
    iter_conversations,
    known_window,
    limit_options,
    open_store,
    session_card,
    show_progress,
)
from steno.core.budget import Budget, Pressure
from steno.core.effects import Model
from steno.core.errors import BadInput, DoesNotFit
from steno.core.log import Commit
from steno.core.view import COMMITS_WITHOUT_PRESSURE
from steno.engine.designs import resolve_policy
from steno.session.redact import Redactor
from steno.session.session import Session
from steno.session.settings import StoredSettings, writer_of
from steno.transcripts import Piece, Transcript, open_lines, open_transcript, pieces_from_view
from steno.wires import get_wire, json_text, parse_json


@contextmanager
def redacted_copy(file: Path) -> Iterator[Path]:
    """A copy of the file, of the same name, that is gone afterwards."""
    text = "".join(open_lines(file))
    with TemporaryDirectory(prefix="steno-") as folder:
        clean = Path(folder, file.name.removesuffix(".gz"))
        clean.write_text(
            _redact_text(text, Redactor()), encoding="utf-8", errors="surrogatepass", newline=""
        )
        yield clean


def _redact_text(text: str, redactor: Redactor) -> str:
    """As one JSON value, as lines of JSON, or else as the text it is."""
    whole = _redact_json(text, redactor)
    if whole is not None:
        return whole
    if not text.lstrip().startswith("{"):
        return redactor.text(text)
    lines = text.splitlines(keepends=True)
    return "".join(
        redactor.text(line) if (clean := _redact_json(line, redactor)) is None else clean
        for line in lines
    )


def _redact_json(text: str, redactor: Redactor) -> str | None:
    try:
        value = parse_json(text)
    except json.JSONDecodeError:
        return None
    new = redactor.plain(value)
    if new is value:
        return text
    return json_text(new) + "\n" * text.endswith("\n")


@dataclass(frozen=True)
class CompactOptions:
    """What was asked for."""

    told: StoredSettings
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
class ConversationOutcome:
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


def compact(path: str, session: str | None, how: CompactOptions) -> int:
    with input_file(path) as file, _open_writer(how.writer) as writer:
        how = replace(how, writer=writer)
        if is_store(file):
            return _compact_in_store(file, session, how)
        if session is not None:
            raise BadInput(
                "--session is for a store; of a transcript, every conversation is compacted"
            )
        return _compact_file(file, path, how)


@contextmanager
def _open_writer(name: str | None) -> Iterator[Model | None]:
    """The writer, made once for all conversations, and let go of at the end."""
    writer = None if name is None else writer_of(name)
    try:
        yield writer
    finally:
        if callable(close := getattr(writer, "close", None)):
            close()


def _compact_file(file: Path, path: str, how: CompactOptions) -> int:
    out = _output_path(file, path, how)
    with redacted_copy(file) if how.redact else nullcontext(file) as clean:
        return _write_transcript(file, open_transcript(clean, strict=how.strict), path, out, how)


def _write_transcript(
    file: Path, transcript: Transcript, path: str, out: Path | None, how: CompactOptions
) -> int:
    outcomes: list[ConversationOutcome] = []
    pieces = _output_pieces(transcript, how, outcomes)
    try:
        write_output(transcript.format.write(pieces), out, like=file)
    except DoesNotFit as failure:
        print_note(f"nothing was written: {failure}")
        return FAILED
    for outcome in outcomes:
        for warning in outcome.warnings:
            print_note(warning)
    if how.as_json:
        print_json(_as_json(transcript.format.name, path, out, outcomes))
    else:
        page = TerminalPage(sys.stderr if out is None else None)
        _print_outcomes(page, outcomes, path)
        page.line((f"written to {out}" if out else "written to stdout", QUIET), indent=2)
    if all(outcome.fits for outcome in outcomes):
        return DONE
    return FAILED


def _output_path(file: Path, path: str, how: CompactOptions) -> Path | None:
    """Where the transcript goes; None is stdout."""
    piped = how.out == STDOUT or (
        how.out is None and (path == STDIN or not (sys.stdout.isatty() or how.as_json))
    )
    if piped and how.as_json:
        raise BadInput("the transcript and --json both want stdout: name a file with -o")
    if piped:
        return None
    out = default_output_path(file) if how.out is None else Path(how.out)
    return check_output_path(out, source=None if path == STDIN else file, overwrite=how.overwrite)


def _output_pieces(
    transcript: Transcript, how: CompactOptions, outcomes: list[ConversationOutcome]
) -> Iterator[Piece]:
    """The pieces of each conversation as its session shows it; what was done is noted on the way."""
    for conversation in iter_conversations(
        transcript, show_progress(transcript, transcript.path), whole=True
    ):
        session, before, done = compact_conversation(conversation, transcript, how)
        outcomes.append(
            _outcome_of(conversation.name, session, before, done, conversation.warnings)
        )
        # Nothing was done: then nothing changes either, not even what a request would have mended.
        same = conversation.pieces
        yield from (
            pieces_from_view(same, session.log, session.view, session.parts.settings.wire)
            if done
            else same
        )


def compact_conversation(
    conversation: TranscriptConversation, transcript: Transcript, how: CompactOptions
) -> tuple[Session, int, tuple[Commit, ...]]:
    """A session of a conversation, brought under its budget; the load before, and the commits it took."""
    told = conversation.settings_over(how.told)
    if told.window is None and told.model is None and resolve_policy(how.policy).window is None:
        raise BadInput(
            "say how much fits: --window 32k, or --model with a known name; the file names no known model"
        )
    if told.window is None and told.model is not None:
        known_window(told.model)
    wire = get_wire(how.wire or transcript.format.wire).for_model(told.model or "")
    log = conversation.to_log(wire)
    session = Session(
        wire=wire,
        log=log,
        policy=resolve_policy(how.policy).but(moment="now"),
        strict=how.strict,
        writer=how.writer,
        **limit_options(told),
    )
    return _land(session, len(log.commits), how)


def _land(
    session: Session, known: int, how: CompactOptions
) -> tuple[Session, int, tuple[Commit, ...]]:
    """Land what pressure demands, or what was asked for."""
    if how.force or (how.focus and session.pressure is not Pressure.NONE):
        session.compact(how.focus)
    session.parts.compactor.settle_with_writer()
    session.messages()
    done = tuple(session.log.commits[known:])
    return session, done[0].before if done else session.load, done


def _outcome_of(
    name: str, session: Session, before: int, done: tuple[Commit, ...], warnings: tuple[str, ...]
) -> ConversationOutcome:
    count, boundary = len(session.log.messages), session.view.boundary
    return ConversationOutcome(
        name, count, before, session.load, boundary, session.budget, done, warnings
    )


def _compact_in_store(file: Path, name: str | None, how: CompactOptions) -> int:
    if how.out or how.wire or how.told != StoredSettings():
        raise BadInput(
            "a store's session has its own limits and wire, and stays in it: leave -o, --window … out"
        )
    if how.redact:
        raise BadInput(
            "what a store keeps stays as it was said: --redact is for a transcript, redact= for a session"
        )
    with open_store(file) as store:
        card = session_card(store, name)
        told = StoredSettings.parse(card.setup)
        wire = get_wire(card.wire).for_model(told.model or "")
        session = Session(
            store=store,
            name=card.name,
            wire=wire,
            policy=resolve_policy(how.policy).but(moment="now"),
            strict=how.strict,
            writer=how.writer,
            redact=told.redacted,
        )
        outcome = _outcome_of(card.name, *_land(session, len(session.log.commits), how), ())
    if how.as_json:
        print_json(_as_json("store", str(file), file, [outcome]))
    else:
        _print_outcomes(
            TerminalPage(), [outcome], f"{file} --session {card.name}" if name else str(file)
        )
    if outcome.fits:
        return DONE
    return FAILED


def _print_outcomes(page: TerminalPage, outcomes: list[ConversationOutcome], path: str) -> None:
    if len(outcomes) == 1:
        _print_outcome(page, outcomes[0], path)
        return
    for outcome in outcomes:
        style = "" if outcome.fits else "red"
        done = "" if outcome.commits else "  as it was"
        words = f"{outcome.before:>10,} → {outcome.after:>9,} tokens{done}"
        page.line(
            f"  {outcome.name[:30]:<30}  ", words, ("" if outcome.fits else "  does not fit", style)
        )
    before, after = (sum(getattr(each, at) for each in outcomes) for at in ("before", "after"))
    fitting = sum(outcome.fits for outcome in outcomes)
    touched = sum(bool(outcome.commits) for outcome in outcomes)
    total = f"{plural(len(outcomes), 'conversation')}, {touched} compacted: {before:,} → {after:,} tokens; "
    page.line(
        (total, "bold"),
        (f"{fitting} of {len(outcomes)} fit", "green" if fitting == len(outcomes) else "red"),
    )


def _print_outcome(page: TerminalPage, outcome: ConversationOutcome, path: str) -> None:
    budget = outcome.budget
    verdict = ("fits", "bold green") if outcome.fits else ("does not fit", "bold red")
    sizes = f"{budget.window:,} ({budget.usable:,} usable)"
    if not outcome.commits:
        page.line((f"{outcome.after:,} tokens", "bold"), f" in a window of {sizes}: ", verdict)
        why = "no pressure" if outcome.fits else "nothing may be covered"
        hint = "; --force compacts it anyway" if outcome.fits else ""
        page.line(
            (f"{why}: {plural(outcome.messages, 'message')} as they were{hint}", QUIET), indent=2
        )
        return
    page.line(
        (f"{outcome.before:,} → {outcome.after:,} tokens", "bold"),
        f" in a window of {sizes}: ",
        verdict,
    )
    edits = [edit for commit in outcome.commits for edit in commit.edits]
    covers = [edit.place for edit in edits if edit.block is None]
    short = [edit.place for edit in edits if edit.block is not None]
    if covers:
        page.line(
            ("covered   ", NOTE), first_places(covers), (": a trace stands for it", QUIET), indent=2
        )
    if short:
        page.line(("in short  ", NOTE), first_places(short), (": head and tail", QUIET), indent=2)
    page.line(("verbatim  ", NOTE), f"from {outcome.boundary} on", indent=2)
    for commit in outcome.commits:
        if not commit.fits and commit.why not in COMMITS_WITHOUT_PRESSURE:
            words = f"over its goal of {commit.goal:,}: the rest is too new, or may not be covered"
            page.line((words, "yellow"), indent=2)
    page.line(
        ("nothing is lost: ", QUIET), (f"steno open {path} {(covers + short)[0]}", "cyan"), indent=2
    )


def _as_json(
    format: str, path: str, out: Path | None, outcomes: list[ConversationOutcome]
) -> dict[str, Any]:
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
