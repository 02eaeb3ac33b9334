"""`steno store`: copy sessions between stores, and check what a store keeps."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import Annotated

from steno.cli.describe import plural
from steno.cli.options import DONE, FAILED, JsonOption, argument, option
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.source import open_store, refuse_other_file
from steno.core.errors import BadInput
from steno.store.open import open_store_at, without_password
from steno.store.upkeep import Checked, Copied, check_store, copy_store

ACTIONS = {"copy": 2, "check": 1}
"""What can be done, and with how many stores."""


def store(
    action: Annotated[str, argument("copy|check", "What to do.")],
    places: Annotated[list[str], argument("DB…", "A file, or a postgresql:// address.")],
    session: Annotated[list[str] | None, option("--session -s", "NAME", "Copy only this.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Copy sessions from one store to another, or check what a store keeps.

    A copy is proved: each message, commit, record and memory is hashed in both stores. Copying
    again changes nothing. A check reads everything: the exit code is 1 if anything is damaged or
    belongs to no session.

    Examples

      steno store check agent.db
      steno store copy agent.db copy.db
    """
    if action not in ACTIONS:
        raise BadInput(f"steno store copies or checks: use copy or check, not {action!r}")
    if len(places) != ACTIONS[action]:
        raise BadInput(f"steno store {action} takes {plural(ACTIONS[action], 'store')}")
    if action == "copy":
        return _copy(places[0], places[1], session or [], as_json=as_json)
    return _check(places[0], as_json=as_json)


def _copy(source: str, target: str, names: list[str], *, as_json: bool) -> int:
    refuse_other_file(target)
    with open_store(source) as here:
        for name in names:
            here.session_info(name)
        with closing(open_store_at(target)) as there:
            copied = copy_store(here, there, names)
    if as_json:
        print_json(asdict(copied))
        return DONE
    page = TerminalPage()
    page.line((f"copied to {without_password(target)}", "bold"), f": {_sizes(copied)}")
    page.line(("every one of them has the same hash in both stores", QUIET), indent=2)
    if copied.there_before:
        words = f"{plural(len(copied.there_before), 'session')} there before, and equal"
        page.line((words, QUIET), indent=2)
    return DONE


def _check(place: str, *, as_json: bool) -> int:
    with open_store(place) as opened:
        checked = check_store(opened)
    code = DONE
    if checked.damaged or checked.orphans:
        code = FAILED
    if as_json:
        print_json(asdict(checked))
        return code
    page = TerminalPage()
    words = f": {_sizes(checked)}, {checked.bytes:,} bytes"
    page.line((without_password(place), "bold"), words)
    for damage in checked.damaged:
        page.line((f"damaged: {damage}", "red"), indent=2)
    if checked.orphans:
        page.line((f"{plural(checked.orphans, 'row')} of no session", "red"), indent=2)
    if checked.missing:
        page.line((f"note: {checked.missing}", QUIET), indent=2)
    if code == DONE:
        page.line(("whole: every hash and seal is right, no row is left over", QUIET), indent=2)
    return code


def _sizes(found: Copied | Checked) -> str:
    return ", ".join(
        (
            plural(found.sessions, "session"),
            plural(found.messages, "message"),
            plural(found.commits, "commit"),
            plural(found.records, "record"),
            f"{found.memories} memories",
        )
    )
