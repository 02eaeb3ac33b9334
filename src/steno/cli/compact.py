"""`steno compact`: bring a transcript or a stored session within its budget."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec

from steno.cli import options as cli
from steno.cli.output import (
    NOTE,
    QUIET,
    STDOUT,
    TerminalPage,
    check_output_path,
    default_output_path,
    print_json,
    print_note,
    print_report,
    write_output,
)
from steno.cli.source import (
    STDIN,
    chosen_session,
    input_file,
    is_store,
    iter_conversations,
    load_conversation,
    open_store,
)
from steno.core.budget import Pressure
from steno.core.effects import Model
from steno.core.errors import BadInput, DoesNotFit
from steno.core.log import WITHOUT_PRESSURE, Commit, Edit
from steno.engine.compact import (
    ALL_DROPPED,
    NOTHING_TO_COMPACT,
    NOTHING_TO_GAIN,
    reason_to_wait,
)
from steno.inspector.actions import open_stored, preview_compaction
from steno.inspector.conversation import commits_since, orphan_notes, with_depth
from steno.inspector.describe import Json, commits_json, first_places, plural
from steno.inspector.reports import edited_lines
from steno.providers import json_text, parse_json
from steno.redact import Redactor
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.session.writer import writer_of
from steno.store.open import without_password
from steno.summary.constraints_block import without_block
from steno.transcripts import Entry, Piece, ReadPiece, Transcript, open_transcript, pieces_from_view


@dataclass(frozen=True)
class CompactArguments:
    """How conversations are compacted, one after another."""

    window: cli.WindowOption = None
    model: cli.ModelOption = None
    limit: cli.LimitOption = None
    reserve: cli.ReserveOption = None
    policy: cli.PolicyOption = None
    force: Annotated[bool, cli.flag("--force", "Compact it even without pressure.")] = False
    strict: Annotated[
        bool, cli.flag("--strict", "Write nothing if it does not fit, or a line is damaged.")
    ] = False
    wire: cli.WireOption = None
    focus: Annotated[str, cli.option("--focus", "WORDS", "What to keep above all.")] = ""
    depth: Annotated[
        int | None,
        cli.option("--depth", "PERCENT", "Go down to this share, not the policy's.", min=5, max=85),
    ] = None
    writer: cli.WriterOption = None
    redact: Annotated[bool, cli.flag("--redact", "Remove secrets from what is written.")] = False

    @property
    def limits(self) -> StoredSettings:
        return StoredSettings(
            window=self.window, limit=self.limit, model=self.model, reserve=self.reserve
        )

    def open_writer(self) -> AbstractContextManager[Model | None]:
        """Give the model that writes summaries, if one is named."""
        if self.writer is None:
            return nullcontext()
        opened: Any = writer_of(self.writer)
        return closing(opened)


def compact(
    path: cli.SourceArgument,
    *,
    options: CompactArguments,
    out: cli.OutOption = None,
    overwrite: cli.OverwriteOption = False,
    session: cli.SessionOption = None,
    preview: Annotated[
        bool, cli.flag("--preview", "Say what it would do, without a writer; change nothing.")
    ] = False,
    as_json: cli.JsonOption = False,
) -> int:
    """Bring a transcript within its budget, and write it in the format it came in.

    Only under pressure: from 90 % of the usable window on, down to 66 %, or as --policy says: a
    TOML file, or a name (default, thrifty, roomy; agent-controlled, researcher, tiers, lab,
    supervisor, deep). The input is never touched, and opens every original. The output goes to
    OUT; in a pipe to stdout; otherwise to NAME.compact.EXT beside the input. Without --window or
    --model, the model that the file names sets the window. A session of a store is compacted in
    the store, and can be undone. No model is asked without --writer. Exit code 1 if it does
    not fit.

    Examples

      steno compact session.jsonl -w 32k -o shorter.jsonl   the same, shorter
      steno compact - -w 32k < a.json > b.json        in a pipe
      steno compact session.jsonl -w 32k -p tiers     by another policy
      steno compact agent.db --session a --force      a session of a store, now
      steno compact a.jsonl -w 32k --redact           without its secrets
      steno compact agent.db --preview --depth 30    what would go, and stay
    """
    with input_file(path, strict=options.strict) as file:
        if preview:
            now = load_conversation(file, session, options.limits)
            now.require_budget()
            now = now.with_policy(options.policy, options.depth)
            outcome = preview_compaction(now, options.focus)
            print_report(outcome, as_json, partial(_print_preview, outcome))
            return cli.DONE
        if not is_store(file):
            if session is not None:
                raise BadInput(
                    "--session is for a store; in a transcript every conversation is compacted"
                )
            # Without a writer the work costs nothing, and may turn out what is there already.
            may_be_there = overwrite or not options.writer
            to = _output_path(file, path, out, overwrite=may_be_there, as_json=as_json)
            return _compact_file(file, path, to, options, overwrite=overwrite, as_json=as_json)
        if out or options.wire or options.limits != StoredSettings():
            raise BadInput(
                "a stored session has its own limits and wire, and stays in its store: "
                "leave out --out, --wire, --window, --limit, --model, --reserve"
            )
        if options.redact:
            raise BadInput(
                "--redact is for a transcript: a store keeps messages as they were said. "
                "Use redact= when the session is created"
            )
        return _compact_in_store(file, session, options, as_json=as_json)


def _print_preview(outcome: Json, page: TerminalPage) -> None:
    """Print what a compaction would do, whatever the fill."""
    commit = outcome["commit"]
    if commit is None:
        page.sentence(f"Nothing would be compacted: {outcome['reason']}", "bold")
        return
    tokens = f"{commit['before']:,} → {commit['after']:,} tokens"
    page.line((tokens, "bold"), ", nothing is changed")
    for words in edited_lines((edit["by"], edit["place"]) for edit in commit["edits"]):
        page.quiet(words, indent=2)
    goes = plural(outcome["covered"], "message")
    words = f"{goes} would go into summaries, {outcome['stays']:,} would stay as said"
    page.quiet(words, indent=2)


class Outcome(msgspec.Struct, frozen=True):
    name: str
    messages: int
    covered: int
    """Messages that the view does not show as they were said."""
    window: int
    usable: int
    goal: int
    before: int
    after: int
    fits: bool
    boundary: int
    commits: list[Json]
    edits: tuple[Edit, ...]
    original: str
    """The first place that was edited and whose original is here; empty if there is none."""
    warnings: tuple[str, ...] = ()
    skipped: str | None = None
    """Why there is no commit; None if there is one."""
    force_helps: bool = False
    """Whether `--force` may compact what was left as it is."""


def _make_commits(
    session: Session,
    options: CompactArguments,
    name: str,
    known: int,
    warnings: tuple[str, ...] = (),
) -> Outcome:
    """Make the commits that pressure or the user asks for, after the first `known`."""
    # A focus alone is no order to compact: without pressure it changes nothing.
    if options.force or (options.focus and session.pressure is not Pressure.NONE):
        session.compact(options.focus)
    session.host.settle_with_writer()
    session.messages()
    commits = commits_since(session, known)
    before, after = session.load, session.load
    if len(session.log.commits) > known:
        before = session.log.commits[known].before
    reason, force_helps = "", False
    if not commits:
        after = before
        reason = session.host.skip_reason
        force_helps = not options.force and _force_helps(session, reason)
    budget = session.budget
    return Outcome(
        name,
        len(session.log.messages),
        sum(
            len(item.span)
            for item in session.view.items
            # What is held back for its reply, as reasoning is, shows nothing by itself.
            if item.is_edited and not session.view.is_arrival(item)
        ),
        budget.window,
        budget.usable,
        budget.goal_load,
        before,
        after,
        after <= budget.usable,
        session.view.boundary,
        commits_json(commits),
        tuple(edit for commit in commits for edit in commit.edits),
        _first_original(session, commits),
        warnings,
        reason or None,
        force_helps,
    )


def _first_original(session: Session, commits: tuple[Commit, ...]) -> str:
    """Return the first edited place that can be opened here, whole messages first."""
    edits = [edit for commit in commits for edit in commit.edits]
    for edit in sorted(edits, key=lambda edit: edit.block is not None):
        positions = range(edit.span.start, edit.span.stop)
        here = [at for at in positions if session.log.messages[at].role != "absent"]
        if len(here) == len(positions):
            return edit.place
        if here:
            return str(here[-1])
    return ""


def _force_helps(session: Session, reason: str) -> bool:
    """Return whether a compaction that is asked for is not held back by the same reason."""
    if reason.startswith((NOTHING_TO_COMPACT, NOTHING_TO_GAIN, ALL_DROPPED)):
        return False
    return reason_to_wait(session.host.draft("asked"), session.host.policy) is None


def _output_path(
    file: Path, path: str, out: str | None, *, overwrite: bool, as_json: bool
) -> Path | None:
    """Return where the transcript goes; None is stdout."""
    to_stdout = out == STDOUT
    if out is None:
        to_stdout = path == STDIN or not (sys.stdout.isatty() or as_json)
    if to_stdout and out is None and sys.stdout.isatty():
        raise BadInput("the whole transcript would fill this terminal: add -o shorter.jsonl")
    if to_stdout and as_json:
        raise BadInput("the transcript and --json both need stdout: name a file with -o")
    if to_stdout:
        return None
    target = default_output_path(file)
    if out is not None:
        target = Path(out)
    source = None
    # What came by stdin is in a copy of ours, which is no input to protect.
    if path != STDIN:
        source = file
    return check_output_path(target, source=source, overwrite=overwrite)


def _redact_pieces(pieces: Iterable[ReadPiece]) -> Iterator[ReadPiece]:
    """Give the pieces of a transcript without secrets; text without any keeps its bytes."""
    redactor = Redactor()
    for piece in pieces:
        lines = tuple(_redact_line(line, redactor) for line in piece.lines)
        if isinstance(piece, Entry):
            yield replace(piece, lines=lines, message=redactor.plain(piece.message))
        else:
            yield replace(piece, lines=lines)


def _redact_line(line: str, redactor: Redactor) -> str:
    try:
        value = parse_json(line)
    except (ValueError, RecursionError):
        # A part of a value that has line breaks of its own.
        return redactor.text(line)
    clean = redactor.plain(value)
    if clean is value:
        return line
    return json_text(clean) + "\n" * line.endswith("\n")


def _compact_file(
    file: Path,
    path: str,
    out: Path | None,
    options: CompactArguments,
    *,
    overwrite: bool,
    as_json: bool,
) -> int:
    transcript = open_transcript(file, past="mark")
    # Filled while the output is written, so that only one conversation is held at a time.
    outcomes: list[Outcome] = []
    try:
        with options.open_writer() as writer:
            pieces = _output_pieces(transcript, options, writer, outcomes)
            write_output(transcript.format.write(pieces), out, overwrite=overwrite)
    except DoesNotFit as failure:
        print_note(f"nothing was written: {failure}")
        return cli.FAILED
    for outcome in outcomes:
        print_note(*outcome.warnings)
    if as_json:
        print_json(_report(transcript.format.name, path, out, outcomes))
    else:
        # Stdout may be the transcript.
        page = TerminalPage()
        if out is None:
            page = TerminalPage(sys.stderr)
        _print_outcomes(outcomes, path, page)
        page.quiet(f"written to {out or 'stdout'}", indent=2)
    return cli.exit_code(all(outcome.fits for outcome in outcomes))


def _output_pieces(
    transcript: Transcript, options: CompactArguments, writer: Model | None, outcomes: list[Outcome]
) -> Iterator[Piece]:
    """Compact one conversation after another and give its pieces; add to `outcomes` on the way."""
    pieces: Iterable[ReadPiece] = transcript
    if options.redact:
        pieces = _redact_pieces(pieces)
    for conversation in iter_conversations(transcript, pieces):
        loaded = conversation.load(transcript, options.limits, options.wire)
        loaded = loaded.with_policy(options.policy, options.depth)
        loaded.require_budget()
        session = loaded.open(strict=options.strict, writer=writer)
        warnings = (*loaded.damage, *loaded.survey, *orphan_notes(session.view))
        known = len(loaded.log.commits)
        outcome = _make_commits(session, options, loaded.name, known, warnings)
        if outcome.commits:
            written = without_block(session.view)
            after = replace(loaded, log=session.log).load_of(written)
            fits = after <= outcome.usable
            outcomes.append(msgspec.structs.replace(outcome, after=after, fits=fits))
            yield from pieces_from_view(
                conversation.pieces, session.log, written, session.host.wire
            )
        else:
            outcomes.append(outcome)
            # Without a commit the file keeps its bytes; a request would have been repaired.
            yield from conversation.pieces


def _compact_in_store(
    file: Path, name: str | None, options: CompactArguments, *, as_json: bool
) -> int:
    with options.open_writer() as writer, open_store(file) as store:
        info = chosen_session(store, name)
        with open_stored(store, info, strict=options.strict, writer=writer) as session:
            policy = session.host.settings.policy_for(options.policy)
            # Only for this command: what the agent goes on with stays as it is.
            session.host.use_policy(with_depth(policy, options.depth).but(moment="now"))
            outcome = _make_commits(session, options, info.name, len(session.log.commits))
    place, path = without_password(file), str(file)
    if name:
        path += f" --session {info.name}"
    report = _report("store", place, Path(place), [outcome])
    print_report(report, as_json, partial(_print_outcomes, [outcome], path))
    return cli.exit_code(outcome.fits)


def _print_outcomes(outcomes: list[Outcome], path: str, page: TerminalPage) -> None:
    if len(outcomes) == 1:
        _print_outcome(page, outcomes[0], path)
        return
    rows = []
    for each in outcomes:
        tokens = (f"{each.before:,}", f"{each.after:,}")
        problem = ("does not fit" * (not each.fits), "red")
        rows.append((each.name[:30], *tokens, problem, each.skipped or ""))
    page.table(("conversation", ">before", ">after", "", "unchanged, because"), rows, indent=2)
    before = sum(outcome.before for outcome in outcomes)
    after = sum(outcome.after for outcome in outcomes)
    fitting = sum(outcome.fits for outcome in outcomes)
    compacted = sum(not outcome.skipped for outcome in outcomes)
    page.line(
        (f"{plural(len(outcomes), 'conversation')}, {compacted} compacted: ", "bold"),
        (f"{before:,} → {after:,} tokens; ", "bold"),
        f"{fitting} of {len(outcomes)} fit",
    )


def _print_outcome(page: TerminalPage, outcome: Outcome, path: str) -> None:
    window = f" in a window of {outcome.window:,} ({outcome.usable:,} usable): "
    verdict = ("does not fit", "bold red")
    if outcome.fits:
        verdict = ("fits", "bold green")
    if outcome.skipped:
        page.line((f"{outcome.after:,} tokens", "bold"), window, verdict)
        words = f"{plural(outcome.messages, 'message')} unchanged: {outcome.skipped}"
        if outcome.force_helps:
            words += "; --force compacts anyway"
        page.sentence(words, QUIET, indent=2)
        if outcome.covered:
            page.quiet(f"{outcome.covered:,} of them were compacted before", indent=2)
        return
    page.line((f"{outcome.before:,} → {outcome.after:,} tokens", "bold"), window, verdict)
    covering = [edit.span for edit in outcome.edits if edit.block is None]
    covered = [edit.place for edit in outcome.edits if edit.block is None]
    # What was shortened first may be covered in the end.
    shortened = [
        edit.place
        for edit in outcome.edits
        if edit.block is not None and not any(map(edit.span.is_within, covering))
    ]
    if covered:
        summary = (": a summary stands for it", QUIET)
        page.line(("covered    ", NOTE), first_places(covered), summary, indent=2)
    if shortened:
        page.line(("shortened  ", NOTE), first_places(shortened), indent=2)
    page.line(("verbatim   ", NOTE), f"from {outcome.boundary} on", indent=2)
    for commit in outcome.commits:
        if not commit["fits"] and commit["why"] not in WITHOUT_PRESSURE:
            goal = f"{commit['goal']:,}"
            words = f"over its goal of {goal}: the rest is too new, or may not be covered"
            page.line((words, "yellow"), indent=2)
    if outcome.original:
        command = f"steno open {without_password(path)} {outcome.original}"
        page.line(("to read an original: ", QUIET), (command, "cyan"), indent=2)
    else:
        page.quiet("originals are in the file that this one was made of", indent=2)


def _report(format: str, path: str, out: Path | None, outcomes: list[Outcome]) -> Json:
    return {
        "file": path,
        "format": format,
        "out": out and str(out),
        "before": sum(outcome.before for outcome in outcomes),
        "after": sum(outcome.after for outcome in outcomes),
        "fits": all(outcome.fits for outcome in outcomes),
        "conversations": [msgspec.structs.replace(outcome, edits=()) for outcome in outcomes],
        "warnings": [warning for outcome in outcomes for warning in outcome.warnings],
    }
