"""Names under which sessions are stored.

A session belongs to a user and has the name that its caller gave: it is stored as `USER:NAME`, and
as `NAME` if no user was given. `stored_name` makes that one name, the same at every door, and never
one that another user has. A stored name that is given back is left as it is. A list without a name
has a session whose `NAME` begins with `UNNAMED`.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from uuid import uuid4

from steno.core.errors import NotHere, SessionGone
from steno.core.store import SessionInfo, SessionKey, Store

NAME_MOST = 200
"""Characters of a given name that can be part of a stored one; a longer one is hashed."""
UNNAMED = "unnamed-"
"""How the names begin that we give to sessions whose callers gave none."""
_UNNAMED_ROOT = re.compile(rf"(?:[^:]+:)?{UNNAMED}[^:]*")


def stored_name(user: str, name: str) -> str:
    """Return the name in the store of a user's session; an empty user is no user."""
    if is_stored_form(user, name):
        return name
    if len(name) > NAME_MOST or not name.isprintable():
        digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16)
        name = f":{digest.hexdigest()}"
    elif name.startswith((":", UNNAMED)):
        # One more colon than any name that is stored as it was given, or hashed, begins with.
        name = f":{name}"
    if user or ":" in name:
        return f"{_owner(user)}{name}"
    return name


def is_stored_form(user: str, name: str) -> bool:
    """Tell whether a name is one under which sessions of this user are stored."""
    owner = _owner(user)
    rest = len(name) - len(owner)
    # A fork's name is longer than that of its parent.
    return name.startswith(owner) and 0 < rest <= 2 * NAME_MOST and name.isprintable()


def given_name(stored: str) -> str:
    """Return the name that a caller gave, without the user in front of it."""
    return stored.partition(":")[2] or stored


def unnamed_name(user: str, wire: str) -> str:
    """Return a new name for the session of a list without one."""
    name = f"{UNNAMED}{wire}-{uuid4().hex[:12]}"
    if user:
        return f"{_owner(user)}{name}"
    return name


def is_unnamed(root: str) -> bool:
    """Tell whether a session was begun by a list without a name."""
    return _UNNAMED_ROOT.fullmatch(root) is not None


def find_session(store: Store, user: str | None, name: str) -> tuple[str, SessionInfo | None]:
    """Return the stored name of a session that a caller names, and what is stored of it.

    user: None for whoever may open every session of the store.
    """
    own: str = name
    known = [name]
    if not isinstance(name, SessionKey):
        # Earlier versions stored a session under its name alone.
        if user or not name.startswith(UNNAMED):
            own = stored_name(user or "", name)
        known = [own, name]
    for each in known:
        info = _stored_info(store, each)
        if info is not None and user in (None, info.user):
            return each, info
    # Another user's is named as it is stored, so that whoever asks for it is refused.
    if not user and _stored_info(store, name) is not None:
        own = name
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
