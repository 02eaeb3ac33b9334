"""Names under which the sessions of lists are stored.

A session belongs to a user and has the name that its caller gave. `stored_name` makes one name of
both, always the same one, and never one that another user or another given name has. A list
without a name has a session whose name begins with `UNNAMED`.
"""

from __future__ import annotations

from hashlib import blake2b

NAME_MOST = 200
"""Characters of a given name that can be part of a stored one; a longer one is hashed."""
UNNAMED = "unnamed-"
"""How the names begin that we give to sessions whose callers gave none."""


def session_name(thread_id: object) -> str | None:
    """Return the name that a thread's id gives; None for a run without a thread."""
    if thread_id is None:
        return None
    return str(thread_id) or None


def stored_name(user: str, name: str) -> str:
    """Return the name in the store of a user's session; an empty user is no user."""
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
    """Tell whether a given name looks like one that `stored_name` makes for this user."""
    return name.startswith((_owner(user), UNNAMED))


def is_unnamed(root: str) -> bool:
    """Tell whether a session was begun by a list without a name."""
    return root.startswith(UNNAMED)


def _owner(user: str) -> str:
    return user.replace("%", "%25").replace(":", "%3A") + ":"
