"""`steno undo` and `steno fork`: take the newest commit down, or go on from an earlier place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from steno.cli.describe import plural
from steno.cli.options import DONE
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.source import open_store, session_card
from steno.session.session import Session
from steno.session.settings import StoredSettings
from steno.wires import get_wire


@contextmanager
def open_stored_session(path: str, name: str | None) -> Iterator[Session]:
    """A session of a store that is there, opened to be changed."""
    with open_store(path) as store:
        card = session_card(store, name)
        wire = get_wire(card.wire).for_model(StoredSettings.parse(card.setup).model or "")
        yield Session(store=store, name=card.name, wire=wire, redact=False)


def undo(path: str, name: str | None, *, as_json: bool = False) -> int:
    with open_stored_session(path, name) as session:
        before = session.load
        commit = session.undo()
        after = session.load
        said = {"session": session.name, "commit": commit.number, "reverts": commit.reverts}
    if as_json:
        print_json(said | {"before": before, "after": after})
        return DONE
    page = TerminalPage()
    page.line(
        (f"commit {commit.reverts} is taken down", "bold"),
        f": {before:,} → {after:,} tokens are shown",
    )
    page.line(
        (f"{said['session']}: commit {commit.number} says so; nothing was deleted", QUIET), indent=2
    )
    return DONE


def fork(
    path: str, at: int | None, new: str | None, name: str | None, *, as_json: bool = False
) -> int:
    with open_stored_session(path, name) as session, session.fork(at, name=new) as forked:
        count, commits = len(forked.log.messages), len(forked.log.commits)
        said = {"session": forked.name, "parent": session.name, "at": count}
        said |= {"messages": count, "commits": commits, "load": forked.load}
    if as_json:
        print_json(said)
        return DONE
    page = TerminalPage()
    inherited = f"{plural(count, 'message')} and {plural(commits, 'commit')}"
    page.line((str(said["session"]), "bold"), f" begins as {said['parent']} at {count:,}")
    page.line((f"it shares {inherited}", QUIET), indent=2)
    page.line(
        ("see it: ", QUIET), (f"steno show {path} --session {said['session']}", "cyan"), indent=2
    )
    return DONE
