"""What is pinned and where it was said, and what is known of users, for the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from steno.core.store import Records, Store, user_names
from steno.inspector.describe import first_words
from steno.inspector.reader import StoredConversation
from steno.memory.merge import live_memories
from steno.session.constraints import retired_constraints


def rules_report(found: StoredConversation) -> dict[str, Any]:
    """Return the rules in force with where they were said, those retired, and what is pinned."""
    loaded = found.loaded
    pins = [{"at": at, "says": first_words(loaded.log.messages[at])} for at in loaded.settings.pins]
    return {
        "standing": msgspec.to_builtins(loaded.standing),
        "retired": msgspec.to_builtins(retired_constraints(loaded.rulings)),
        "pins": pins,
    }


def memories_report(stores: Iterable[Store]) -> list[dict[str, Any]]:
    """Return what is known of each user from all sessions."""
    users = []
    for store in stores:
        if not isinstance(store, Records):
            continue
        for user in filter(None, user_names(store)):
            known = live_memories(store.memories(user))
            users.append({"user": user, "memories": msgspec.to_builtins(known)})
    return users
