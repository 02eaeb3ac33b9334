"""`steno constraints`: what holds in a session, whether the model sees it, and changes of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated

import msgspec

from steno.cli import options as cli
from steno.cli.output import QUIET, TerminalPage, print_note, print_report
from steno.cli.source import input_file, is_store, load_conversation, open_stored_session
from steno.core.constraint import Constraint
from steno.core.errors import BadInput
from steno.core.log import Log
from steno.core.view import View
from steno.facts.fact import FactAt
from steno.facts.ledger import Ledger
from steno.facts.text import SearchableText
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import Json
from steno.session.constraints import retired_constraints
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.store.open import store_path
from steno.summary.read_back import lines_of_list
from steno.summary.render import format_positions

ACTIONS = "list, add TEXT, edit ID TEXT, retire ID"
LISTED = ("constraints", "earlier_constraints", "open", "earlier_open")
MARKS = {True: "✓", False: "✗"}
MARK_WORDS = {True: "✓ the model sees it word for word", False: "✗ it must be opened"}
"""What the mark of a fact means, by whether the model sees it."""
FACT_TITLES = {
    "constraints": "Constraints in force",
    "earlier_constraints": "Constraints of an earlier part, as a summary in the list says",
    "open": "Open loops",
    "earlier_open": "Open loops of an earlier part, as a summary in the list says",
    "decisions": "Decisions",
    "unresolved_errors": "Errors not overcome",
    "artifacts": "Artifacts",
}
"""Kinds of facts as people read them; an earlier part is listed only if there is one."""


def constraints(
    path: cli.SourceArgument,
    words: Annotated[list[str] | None, cli.argument("[ACTION]", ACTIONS + ".")] = None,
    id: Annotated[str | None, cli.option("--id", "ID", "The id of the constraint to add.")] = None,
    session: cli.SessionOption = None,
    window: cli.WindowOption = None,
    model: cli.ModelOption = None,
    reserve: cli.ReserveOption = None,
    policy: cli.PolicyOption = None,
    strict: cli.StrictOption = False,
    as_json: cli.JsonOption = False,
) -> int:
    """List constraints and open loops, and whether the model sees each; or change constraints.

    Constraints that a person stated are read from the messages, without a model; text from a tool
    never counts. Those that only a summary in the file states are listed apart. With --window, the
    list is of what a compaction would leave. Exit code 1 if one is not visible word for word.

    A stored session can also be given constraints; they stand at the head of everything the model
    sees until they are retired. One that a message states (m12) can be retired or edited too.

    Examples

      steno constraints agent.db                      as it is now
      steno constraints session.jsonl --window 32k    after a compaction
      steno constraints agent.db add "Never touch production." --id prod
      steno constraints agent.db edit prod "Ask before touching production."
      steno constraints agent.db retire prod --json
    """
    action, *rest = words or ["list"]
    if id is not None and action != "add":
        raise BadInput("--id names a constraint that is added: edit and retire take it as a word")
    changed = ""
    if (action, rest) != ("list", []):
        if path == "-" or not is_store(store_path(path)):
            raise BadInput(f"{path} is not a store: only a stored session takes constraints")
        with open_stored_session(path, session) as opened:
            changed = _change(opened, action, rest, id)
    limits = StoredSettings(window=window, model=model, reserve=reserve)
    with input_file(path, strict=strict) as file:
        loaded = load_conversation(file, session, limits).with_policy(policy)
    print_note(*loaded.warnings)
    if window or model:
        loaded = loaded.compacted()
    facts = fact_report(loaded.log, loaded.view, loaded.standing)
    reports = commit_reports(loaded.log)
    report = {
        "session": loaded.name,
        "messages": len(loaded.log.messages),
        **msgspec.structs.asdict(facts),
        "standing": loaded.standing,
        "retired": retired_constraints(loaded.rulings),
        "reports": reports,
    }
    print_report(report, as_json, partial(_print, loaded, facts, reports, changed))
    return cli.exit_code(bool(changed) or all(row.said for row in facts.constraints))


def _change(session: Session, action: str, words: list[str], id: str | None) -> str:
    """Carry out an action and return what was done."""
    match action, words:
        case "add", [_, *_]:
            known = [each.id for each in session.constraints()]
            if id in known:
                raise BadInput(f"there is a constraint {id!r} already: edit it")
            return f"{session.set_constraint(' '.join(words), id).id} is given"
        case "edit", [name, _, *_]:
            session.host.edit_constraint(name, " ".join(words[1:]))
            return f"{name} has new words"
        case "retire", [name]:
            session.retire_constraint(name)
            return f"{name} is retired"
    wrong = " ".join((action, *words))
    raise BadInput(f"constraints takes {ACTIONS}; got {wrong!r}")


def _print(
    loaded: LoadedConversation,
    facts: FactLists,
    reports: list[Json],
    changed: str,
    page: TerminalPage,
) -> None:
    page.line((loaded.name, "bold"), loaded.headline)
    if changed:
        page.line((changed, "bold"))
    print_facts(page, facts, LISTED)
    if facts.earlier_constraints:
        page.quiet("to let one hold for certain: steno constraints … add TEXT")
    covering = [row for row in reports if row["kinds"]]
    if covering:
        page.heading("What commits cover, each mention counted")
    for row in covering:
        kinds = [f"{kind} {_states(kept)}" for kind, kept in row["kinds"].items()]
        words = f"commit {row['commit']}: {'; '.join(kinds)}; {row['lost']} lost"
        page.sentence(words, QUIET, indent=2)


def _states(kept: dict[str, int]) -> str:
    """Return where the facts of one kind ended up; recallable only if there was a tool for it."""
    words = [f"{kept['retained']} visible"]
    for state, word in (("recallable", "recallable"), ("hidden", "not shown")):
        if kept[state]:
            words.append(f"{kept[state]} {word}")
    return ", ".join(words)


class FactRow(msgspec.Struct, frozen=True):
    """A fact, where it was said, and whether a view shows it."""

    at: int | str
    """A position, the id of a constraint, or what a summary cites."""
    words: str
    kind: str
    said: bool
    """Whether the model sees it word for word."""


class FactLists(msgspec.Struct):
    """The facts of a log, as `--json` prints them."""

    constraints: list[FactRow]
    earlier_constraints: list[FactRow]
    open: list[FactRow]
    """Loops that the user cares about; calls without a result are left out."""
    earlier_open: list[FactRow]
    decisions: list[FactRow]
    unresolved_errors: list[FactRow]
    artifacts: list[FactRow]


def fact_report(log: Log, view: View, standing: Iterable[Constraint]) -> FactLists:
    """Read the facts of a log; `standing` are the constraints in force."""
    ledger = Ledger.of(log.messages)
    visible = SearchableText(view.visible_messages)

    def row(stated: FactAt) -> FactRow:
        at, fact = stated
        return FactRow(at, fact.words, fact.note or fact.kind, visible.says(fact.words))

    def summary_lines(section: str) -> list[FactRow]:
        return [
            FactRow(
                format_positions(line.cites), line.text, "unverified", visible.contains(line.text)
            )
            for line in lines_of_list(view, section)
        ]

    unresolved = [(e.position, e.fact) for e in ledger.errors if e.overcome is None]
    loops = [loop for loop in ledger.open_loops if not loop[1].note.startswith("call")]
    return FactLists(
        constraints=[
            FactRow(each.id, each.text, each.source, visible.says(each.text)) for each in standing
        ],
        earlier_constraints=summary_lines("CONSTRAINTS"),
        open=list(map(row, loops)),
        earlier_open=summary_lines("OPEN"),
        decisions=list(map(row, ledger.decisions)),
        unresolved_errors=list(map(row, unresolved)),
        artifacts=[
            FactRow(each.newest[1], each.words, each.newest[0], visible.contains(each.words))
            for each in ledger.artifacts
        ],
    )


def commit_reports(log: Log) -> list[Json]:
    """Return what became of the facts that each commit covers."""
    rows: list[Json] = []
    for commit in log.live:
        if commit.report is None:
            continue
        kinds = {kept.kind: msgspec.structs.asdict(kept) for kept in commit.report.kinds}
        rows.append({"commit": commit.number, "lost": commit.report.lost, "kinds": kinds})
    return rows


def print_facts(
    page: TerminalPage, report: FactLists, names: Sequence[str], most: int | None = None
) -> None:
    """Print facts of these names, the newest of each, and what their marks mean."""
    marks = set()
    for name in names:
        rows: list[FactRow] = getattr(report, name)
        if not rows and name.startswith("earlier"):
            continue
        page.heading(f"{FACT_TITLES[name]}: {len(rows)}")
        for row in rows[-(most or len(rows)) :]:
            mark, words = MARKS[row.said], " ".join(row.words.split())
            marks.add(row.said)
            page.line(f"{mark} ", (f"[{row.at}] ", QUIET), words, indent=2)
    meanings = [meaning for seen, meaning in MARK_WORDS.items() if seen in marks]
    if meanings:
        page.line()
        page.quiet(", ".join(meanings) + ".")
