"""`steno undo` and `steno fork`: take the newest commit down, or go on from an earlier place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from steno.service.commands.options import DONE
from steno.service.commands.page import QUIET, Page, say_json
from steno.service.commands.source import card_in, store_at
from steno.service.commands.words import counted
from steno.session.session import Session
from steno.session.setup import Told
from steno.wire import chosen


@contextmanager
def session_in(path: str, name: str | None) -> Iterator[Session]:
    """A session of a store that is there, opened to be changed."""
    with store_at(path) as store:
        card = card_in(store, name)
        wire = chosen(card.wire).for_model(Told.read(card.setup).model or "")
        yield Session(store=store, name=card.name, wire=wire, redact=False)


def undo(path: str, name: str | None, *, as_json: bool = False) -> int:
    with session_in(path, name) as session:
        before = session.load
        commit = session.undo()
        after = session.load
        said = {"session": session.name, "commit": commit.number, "reverts": commit.reverts}
    if as_json:
        say_json(said | {"before": before, "after": after})
        return DONE
    page = Page()
    page.line((f"commit {commit.reverts} is taken down", "bold"), f": {before:,} → {after:,} tokens are shown")
    page.line((f"{said['session']}: commit {commit.number} says so; nothing was deleted", QUIET), indent=2)
    return DONE


def fork(path: str, at: int | None, new: str | None, name: str | None, *, as_json: bool = False) -> int:
    with session_in(path, name) as session, session.fork(at, name=new) as forked:
        count, commits = len(forked.log.messages), len(forked.log.commits)
        said = {"session": forked.name, "parent": session.name, "at": count}
        said |= {"messages": count, "commits": commits, "load": forked.load}
    if as_json:
        say_json(said)
        return DONE
    page = Page()
    inherited = f"{counted(count, 'message')} and {counted(commits, 'commit')}"
    page.line((str(said["session"]), "bold"), f" begins as {said['parent']} at {count:,}")
    page.line((f"it shares {inherited}", QUIET), indent=2)
    page.line(("see it: ", QUIET), (f"steno show {path} --session {said['session']}", "cyan"), indent=2)
    return DONE
