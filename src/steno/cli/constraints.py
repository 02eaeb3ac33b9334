"""`steno constraints`: list the rules of a session, or change those it was given."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from steno.cli.facts import EARLIER_RULES
from steno.cli.options import DONE, DatabaseArgument, JsonOption, SessionOption, argument, option
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.source import open_stored_session
from steno.core.constraint import Constraint
from steno.core.errors import BadInput
from steno.session.session import Session
from steno.summary.read_back import lines_of_list

ACTIONS = "list, add TEXT, edit ID TEXT, retire ID"


def constraints(
    path: DatabaseArgument,
    words: Annotated[list[str] | None, argument("[ACTION]", ACTIONS + ".")] = None,
    id: Annotated[str | None, option("--id", "ID", "The id of the rule to add.")] = None,
    session: SessionOption = None,
    as_json: JsonOption = False,
) -> int:
    """List the rules that hold in a session, or change those it was given from outside.

    Given rules stand at the head of everything the model sees, until they are retired here or by
    the program. Rules that a person said in the conversation are listed with their position (m12)
    and can be retired or edited too; the message itself stays as it is. Nothing is overwritten:
    the history of a rule is kept.

    Examples

      steno constraints agent.db                              the only session
      steno constraints agent.db add "Never touch production." --id production
      steno constraints agent.db edit production "Ask before touching it."
      steno constraints agent.db retire production --json
      steno constraints agent.db retire m12                   a rule of message 12
    """
    action, *rest = words or ["list"]
    with open_stored_session(path, session) as opened:
        name = opened.name
        changed = _change(opened, action, rest, id)
        listed = opened.constraints()
        retired = opened.host.retired_constraints()
        earlier = [line.text for line in lines_of_list(opened.view, "CONSTRAINTS")]
    if as_json:
        report = {
            "session": name,
            "constraints": _as_json(listed),
            "retired": _as_json(retired),
            "unverified": earlier,
        }
        print_json(report)
    else:
        _print_constraints(listed, changed, earlier)
    return DONE


def _change(session: Session, action: str, words: list[str], id: str | None) -> str:
    """Carry out an action and return what was done."""
    if id is not None and action != "add":
        raise BadInput("--id names a rule that is added: edit and retire take it as a word")
    match action, words:
        case "list", []:
            return ""
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


def _as_json(listed: list[Constraint]) -> Any:
    return msgspec.to_builtins(listed)


def _print_constraints(listed: list[Constraint], changed: str, earlier: list[str]) -> None:
    page = TerminalPage()
    if changed:
        page.line((changed, "bold"))
    if not listed:
        page.line(("No rules are in force.", QUIET))
    for each in listed:
        page.line((f"{each.id} ", "bold"), " ".join(each.text.split()))
        page.line((_about(each), QUIET), indent=4)
    if earlier:
        page.heading(EARLIER_RULES)
    for text in earlier:
        page.line(text, indent=2)
    if earlier:
        page.line(("to let one hold for certain: steno constraints … add TEXT", QUIET), indent=2)


def _about(constraint: Constraint) -> str:
    """Return where a rule comes from, and how often it changed."""
    words = "given"
    if constraint.position is not None:
        words = f"said at {constraint.position}"
    if len(constraint.history) > 1:
        words += f" · changed {len(constraint.history) - 1}×"
    return words
