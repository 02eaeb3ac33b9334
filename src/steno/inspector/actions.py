"""What a person may do to a session from the page.

Each action is the same call that the library and the command line have. An action is said to the
operator before it is tried, so that the log has those that fail too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from steno.core.decoders import json_decoder
from steno.core.errors import BadInput
from steno.core.log import Commit
from steno.core.store import SessionInfo, Store, store_of_memories
from steno.engine.designs import POLICIES, resolve_policy
from steno.engine.policy import Policy
from steno.inspector.describe import commits_json, state_of
from steno.inspector.reader import StoreReader
from steno.inspector.reports import REASONS
from steno.memory.merge import delete_memory, edit_memory
from steno.providers import get_wire
from steno.redact import Redactor
from steno.session.session import Session
from steno.session.settings import StoredSettings

TEXT_MOST = 20_000
"""Characters of a previewed summary that are sent."""


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An action as the page sends it."""

    do: str
    session: str = ""
    at: int | None = None
    where: str = ""
    text: str = ""
    author: str = ""
    id: str = ""
    name: str = ""
    user: str = ""
    policy: str = ""
    depth: int | None = None
    """Percent of the usable window to go down to."""
    focus: str = ""
    confirm: str = ""
    """The name of the session to forget, typed again."""


@contextmanager
def open_stored(store: Store, info: SessionInfo, **options: Any) -> Iterator[Session]:
    """Open a session of a store, to change it; the store stays open."""
    settings = StoredSettings.parse(info.setup)
    wire = get_wire(info.wire).for_model(settings.model or "")
    # What a session takes out by itself is not typed into it by a person.
    options["redact"] = settings.redacted
    with Session(store=store, name=info.name, wire=wire, **options) as session:
        yield session


class Actions:
    """Carries out actions on the sessions of a reader's stores."""

    def __init__(self, reader: StoreReader, say: Callable[[str], None]) -> None:
        self._reader, self._say = reader, say
        self._on_session: dict[str, Callable[[Session, Action], Any]] = {
            "compact": _compact,
            "undo": _undo,
            "edit_summary": _edit_summary,
            "pin": lambda session, action: session.pin(_position(action)),
            "unpin": lambda session, action: session.unpin(_position(action)),
            "add_constraint": lambda session, action: session.set_constraint(action.text),
            "edit_constraint": lambda session, action: session.host.edit_constraint(
                action.id, action.text
            ),
            "retire_constraint": lambda session, action: session.retire_constraint(action.id),
            "fork": _fork,
        }
        self._on_store = {
            "preview": self._preview,
            "forget": self._forget,
            "edit_memory": self._change_memory,
            "delete_memory": self._change_memory,
        }

    def act(self, body: bytes) -> Any:
        """Carry out an action and return what came of it."""
        try:
            action = json_decoder(Action).decode(body)
        except msgspec.DecodeError as failure:
            raise BadInput(f"this is no action: {failure}") from None
        if action.do in self._on_store:
            # A preview changes nothing.
            if action.do != "preview":
                self._say(f"{action.do} {action.session or action.user}")
            return self._on_store[action.do](action)
        if action.do not in self._on_session:
            known = ", ".join((*self._on_session, *self._on_store))
            raise BadInput(f"there is no action {action.do!r}; there are {known}")
        store, info = self._reader.find(action.session)
        self._say(f"{action.do} {info.name}")
        with open_stored(store, info) as session:
            done = self._on_session[action.do](session, action)
        self._reader.forget_row(info.name)
        return msgspec.to_builtins(done)

    def _preview(self, action: Action) -> Any:
        """Return what a compaction would do, on a copy."""
        loaded = self._reader.read(action.session).loaded
        with loaded.open(constraints=loaded.given, meter=loaded.view.meter) as copy:
            use_policy(copy, action.policy, action.depth)
            return commit_outcome(copy.host.preview(action.focus), copy)

    def _forget(self, action: Action) -> Any:
        store, info = self._reader.find(action.session)
        if action.confirm != info.name:
            raise BadInput(f"this deletes {info.name!r} for good: type its name to confirm")
        return msgspec.to_builtins(store.delete(info.key))

    def _change_memory(self, action: Action) -> Any:
        if not action.id.isdecimal() or len(action.id) > 18:
            raise BadInput(f"{action.id!r} is not the number of a memory")
        id, now = int(action.id), time.time()
        store = self._store_of(action.user)
        memories = store_of_memories(store)
        if action.do == "delete_memory":
            return memories.update_memories(action.user, lambda kept: delete_memory(kept, id, now))
        text = action.text
        if any(StoredSettings.parse(info.setup).redacted for info in store.sessions(action.user)):
            text = Redactor().text(text)
        return memories.update_memories(action.user, lambda kept: edit_memory(kept, id, text, now))

    def _store_of(self, user: str) -> Store:
        for store in self._reader.stores():
            if store.sessions(user):
                return store
        raise BadInput(f"no store here has a user {user!r}")


def _position(action: Action) -> int:
    if action.at is None:
        raise BadInput("at= says which position")
    return action.at


def use_policy(session: Session, policy: str, depth: int | None) -> None:
    """Let an open session use a policy of this name, down to a share, in this process alone."""
    chosen = session.host.policy
    if policy:
        if policy not in POLICIES:
            raise BadInput(f"the page takes policies by name: {', '.join(POLICIES)}")
        chosen = resolve_policy(policy)
    session.host.use_policy(with_depth(chosen, depth))


def with_depth(policy: Policy, depth: int | None) -> Policy:
    """Return a policy that goes down to this percent of the usable window; None leaves it."""
    if depth is None:
        return policy
    return policy.but(goal=depth / 100)


def _compact(session: Session, action: Action) -> dict[str, Any]:
    use_policy(session, action.policy, action.depth)
    return commit_outcome(session.compact(action.focus), session)


def commit_outcome(commit: Commit | None, session: Session) -> dict[str, Any]:
    """Return what a commit does or would do, with the words of its summaries."""
    if commit is None:
        return {"commit": None, "reason": session.host.skip_reason}
    row = commits_json([commit])[0]
    covering = [edit.span for edit in commit.edits if edit.block is None]
    covered, view = sum(map(len, covering)), session.view
    stays = 0
    for item in view.items:
        goes = any(item.span.is_within(span) for span in covering)
        stays += len(item.span) * (not goes and state_of(item, view) not in ("covered", "hidden"))
    facts = None
    if commit.report is not None:
        facts = {
            name: getattr(commit.report, name)
            for name in ("retained", "recallable", "hidden", "lost")
        }
    return {
        "commit": row | {"words": REASONS[commit.why]},
        "covered": covered,
        "stays": stays,
        "facts": facts,
        "summary": commit.summary_text[:TEXT_MOST],
    }


def _undo(session: Session, action: Action) -> dict[str, Any]:
    return commit_outcome(session.undo(action.where or None), session)


def _edit_summary(session: Session, action: Action) -> dict[str, Any]:
    commit = session.host.edit_summary(_position(action), action.text, author=action.author)
    return commit_outcome(commit, session)


def _fork(session: Session, action: Action) -> dict[str, Any]:
    with session.fork(action.at, name=action.name or None) as forked:
        return {"session": forked.name, "messages": len(forked.log.messages)}
