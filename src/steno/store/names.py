"""Names under which sessions are stored.

A session belongs to a user and has the name that its caller gave: it is stored as `USER:NAME`, and
as `NAME` if no user was given. `stored_name` makes that one name, the same at every door, and never
one that another user has. A `StoredName` is left as it is, and so is a user's `USER:NAME`. Without
a user every string is a given name. A list without a name has one that begins with `UNNAMED`.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from uuid import uuid4

from steno.core.errors import NotHere, SessionGone
from steno.core.store import SessionInfo, Store, StoredName

NAME_MOST = 200
"""Characters of a given name that can be part of a stored one; a longer one is hashed."""
UNNAMED = "unnamed-"
"""How the names begin that we give to sessions whose callers gave none."""
_UNNAMED_ROOT = re.compile(rf"(?:[^:]+:)?{UNNAMED}(?:([0-9a-f]+)\.)?[^:]*")


def stored_name(user: str, name: str) -> StoredName:
    """Return the name in the store of a user's session; an empty user is no user."""
    if isinstance(name, StoredName):
        return name
    owner = _owner(user)
    # A fork's name is longer than that of its parent.
    most = len(owner) + 2 * NAME_MOST
    if user and name.startswith(owner) and len(owner) < len(name) <= most and name.isprintable():
        return StoredName(name)
    if len(name) > NAME_MOST or not name.isprintable():
        digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16)
        name = f":{digest.hexdigest()}"
    elif name.startswith((":", UNNAMED)):
        # One more colon than any name that is stored as it was given, or hashed, begins with.
        name = f":{name}"
    if user or ":" in name:
        return StoredName(f"{owner}{name}")
    return StoredName(str.__str__(name))


def names_in_store(user: str, name: str) -> list[StoredName]:
    """Return the names under which a session may be stored, the one of this version first."""
    own = stored_name(user, name)
    # Earlier versions stored a session under its name alone, and `:a:b` is the `a:b` of no user.
    if name.startswith(":") or name == own:
        return [own]
    return [own, StoredName(str.__str__(name))]


def given_name(stored: str) -> str:
    """Return the name that a caller gave, without the user in front of it."""
    return stored.partition(":")[2] or stored


def unnamed_name(user: str, wire: str, setup: str = "") -> StoredName:
    """Return a new name for the session of a list without one.

    setup: hex digits for what its door adds to lists or takes out of them; none for nothing.
    """
    if setup:
        setup += "."
    name = f"{UNNAMED}{setup}{wire}-{uuid4().hex[:12]}"
    if user:
        return StoredName(f"{_owner(user)}{name}")
    return StoredName(name)


def name_digest(stored: str) -> str:
    """Return what stands for a stored name in a text that leaves the store."""
    return blake2b(stored.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def is_unnamed(root: str) -> bool:
    """Tell whether a session was begun by a list without a name."""
    return _UNNAMED_ROOT.fullmatch(root) is not None


def setup_of(root: str) -> str:
    """Return the hex digits for the door at which a session without a name was begun."""
    found = _UNNAMED_ROOT.fullmatch(root)
    return (found and found[1]) or ""


def find_session(store: Store, user: str, name: str) -> tuple[StoredName, SessionInfo | None]:
    """Return the stored name of a session that a caller names, and what is stored of it."""
    own, *earlier = names_in_store(user, name)
    for known in (own, *earlier):
        info = _stored_info(store, known)
        if info is not None and info.user == user:
            return known, info
        # Another user's is named as it is stored, so that whoever asks for it is refused.
        if info is not None and not user:
            own = known
    return own, _stored_info(store, own)


def require_own(store: Store, user: str, name: str) -> str:
    """Return the stored name of a session of this user; raise NotHere if there is none."""
    found, info = find_session(store, user, name)
    # The same error as for no session at all: another user's names stay secret.
    if info is None or info.user != user:
        raise NotHere(f"no session of this user is named {name!r}")
    return found


def _stored_info(store: Store, name: str) -> SessionInfo | None:
    try:
        return store.session_info(name)
    except SessionGone:
        raise
    except NotHere:
        return None


def _owner(user: str) -> str:
    return user.replace("%", "%25").replace(":", "%3A") + ":"
