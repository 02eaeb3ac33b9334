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
from steno.core.word_tables import word_tuple
from steno.engine.designs import POLICIES
from steno.inspector.conversation import LoadedConversation, with_depth
from steno.inspector.describe import Json, commits_json, fields_of, state_of
from steno.inspector.reader import StoreReader
from steno.inspector.reports import REASONS
from steno.memory.merge import delete_memory, edit_memory
from steno.providers import get_wire
from steno.redact import Redactor
from steno.session.session import Session
from steno.session.settings import StoredSettings

ON_SESSION = word_tuple(
    "compact undo edit_summary pin unpin add_constraint edit_constraint retire_constraint fork"
)
"""What can be done to an open session."""
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
    with Session(store=store, name=info.key, wire=wire, **options) as session:
        yield session


class Actions:
    """Carries out actions on the sessions of a reader's stores."""

    def __init__(self, reader: StoreReader, say: Callable[[str], None]) -> None:
        self._reader, self._say = reader, say
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
        if action.do not in ON_SESSION:
            known = ", ".join((*ON_SESSION, *self._on_store))
            raise BadInput(f"there is no action {action.do!r}; there are {known}")
        store, info = self._reader.find(action.session)
        self._say(f"{action.do} {info.name}")
        with open_stored(store, info) as session:
            done = _change(session, action)
        self._reader.forget_row(info.name)
        return msgspec.to_builtins(done)

    def _preview(self, action: Action) -> Any:
        loaded = self._reader.read(action.session)
        loaded = loaded.with_policy(_policy_name(action), action.depth)
        return preview_compaction(loaded, action.focus)

    def _forget(self, action: Action) -> Any:
        store, info = self._reader.find(action.session)
        if action.confirm != info.name:
            raise BadInput(f"this deletes {info.name!r} for good: type its name to confirm")
        return msgspec.to_builtins(store.delete(info.key))

    def _change_memory(self, action: Action) -> Any:
        id, now = memory_number(action.id), time.time()
        store = self._store_of(action.user)
        memories = store_of_memories(store)
        if action.do == "delete_memory":
            return memories.update_memories(action.user, lambda kept: delete_memory(kept, id, now))
        text = without_secrets(store, action.user, action.text)
        return memories.update_memories(action.user, lambda kept: edit_memory(kept, id, text, now))

    def _store_of(self, user: str) -> Store:
        for store in self._reader.stores():
            if store.sessions(user):
                return store
        raise BadInput(f"no store here has a user {user!r}")


def memory_number(text: str) -> int:
    # Nine digits fit SQLite's integers with room to spare.
    if not text.isdecimal() or len(text) > 9:
        raise BadInput(f"{text!r} is not the number of a memory: steno memory lists them")
    return int(text)


def without_secrets(store: Store, user: str, text: str) -> str:
    """Return a text as the user's sessions keep it."""
    if any(StoredSettings.parse(info.setup).redacted for info in store.sessions(user)):
        return Redactor().text(text)
    return text


def _position(action: Action) -> int:
    if action.at is None:
        raise BadInput("at= says which position")
    return action.at


def _policy_name(action: Action) -> str | None:
    """Return the policy that is chosen by name; None leaves the session's own."""
    if action.policy and action.policy not in POLICIES:
        raise BadInput(f"the page takes policies by name: {', '.join(POLICIES)}")
    return action.policy or None


def _change(session: Session, action: Action) -> Any:
    match action.do:
        case "compact":
            policy = session.host.settings.policy_for(_policy_name(action))
            # In this process alone.
            session.host.use_policy(with_depth(policy, action.depth))
            return commit_outcome(session.compact(action.focus), session)
        case "undo":
            return commit_outcome(session.undo(action.where or None), session)
        case "edit_summary":
            at, author = _position(action), action.author
            return commit_outcome(
                session.host.edit_summary(at, action.text, author=author), session
            )
        case "pin":
            return session.pin(_position(action))
        case "unpin":
            return session.unpin(_position(action))
        case "add_constraint":
            return session.set_constraint(action.text)
        case "edit_constraint":
            return session.host.edit_constraint(action.id, action.text)
        case "retire_constraint":
            return session.retire_constraint(action.id)
    with session.fork(action.at, name=action.name or None) as forked:
        return {"session": forked.name, "messages": len(forked.log.messages)}


def preview_compaction(loaded: LoadedConversation, focus: str) -> Json:
    """Return what a compaction would do, whatever the fill; it is drawn on a copy."""
    with loaded.copy() as copy:
        return commit_outcome(copy.host.preview(focus), copy)


def commit_outcome(commit: Commit | None, session: Session) -> Json:
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
        facts = fields_of(commit.report, ("retained", "recallable", "hidden", "lost"))
    return {
        "commit": row | {"words": REASONS[commit.why]},
        "covered": covered,
        "stays": stays,
        "facts": facts,
        "summary": commit.summary_text[:TEXT_MOST],
    }
