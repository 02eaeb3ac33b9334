"""`steno constraints`: what holds in a session, whether the model sees it, and changes of it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from steno.cli import options as cli
from steno.cli.facts import FactLists, commit_reports, fact_report, load_for_facts, print_facts
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.source import is_store, open_stored_session
from steno.core.errors import BadInput
from steno.inspector.conversation import LoadedConversation
from steno.session.constraints import retired_constraints
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.store.open import store_path

ACTIONS = "list, add TEXT, edit ID TEXT, retire ID"
LISTED = ("constraints", "earlier_constraints", "open", "earlier_open")


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
    loaded = load_for_facts(path, session, limits, policy, strict=strict)
    facts = fact_report(loaded.log, loaded.view, loaded.standing)
    reports = commit_reports(loaded.log)
    if as_json:
        head = {"session": loaded.name, "messages": len(loaded.log.messages)}
        retired = retired_constraints(loaded.rulings)
        history = {"standing": loaded.standing, "retired": retired, "reports": reports}
        print_json(head | msgspec.to_builtins(facts) | history)
    else:
        _print(loaded, facts, reports, changed)
    if changed or all(row.said for row in facts.constraints):
        return cli.DONE
    return cli.FAILED


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
    loaded: LoadedConversation, facts: FactLists, reports: list[dict[str, Any]], changed: str
) -> None:
    page = TerminalPage()
    page.line((loaded.name, "bold"), loaded.headline)
    if changed:
        page.line((changed, "bold"))
    print_facts(page, facts, LISTED)
    if facts.earlier_constraints:
        page.line(("to let one hold for certain: steno constraints … add TEXT", QUIET))
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
    for state in ("recallable", "not shown"):
        if kept[state]:
            words.append(f"{kept[state]} {state}")
    return ", ".join(words)
