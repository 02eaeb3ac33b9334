"""Names of the sessions behind lists: given by a caller, made from an id, or ours.

A list without a name has a session whose name begins with `UNNAMED`, which no caller may give.
"""

from __future__ import annotations

from hashlib import blake2b

from steno.core.errors import BadInput

NAME_MOST = 200
"""Characters of a thread's id that can be a session's name; a longer id is hashed."""
UNNAMED = "unnamed-"
"""How the names begin that we give to sessions whose callers gave none."""


def session_name(thread_id: object) -> str | None:
    """Return the session's name for a thread's id; None for a run without a thread."""
    thread = str(thread_id or "")
    if not thread:
        return None
    if thread.isprintable() and len(thread) <= NAME_MOST:
        return thread
    return f"thread-{blake2b(thread.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


def name_for(user: str, name: str, host: str = "") -> str:
    """Return the name of a user's session in the store; the host's own has no user before it."""
    # Names are those of one user: no user takes another's, or learns that it is taken.
    owner = ""
    if user != host:
        owner = user.replace("%", "%25").replace(":", "%3A")
    if not owner and ":" not in name:
        return name
    return f"{owner}:{name}"


def refuse_our_name(name: str | None) -> None:
    """Raise BadInput for a caller's name that is one of ours."""
    if name is not None and is_unnamed(name):
        raise BadInput(f"a session's name may not begin with {UNNAMED!r}, got {name!r}")


def is_unnamed(root: str) -> bool:
    """Tell whether a session was begun by a list without a name."""
    return root.startswith(UNNAMED)
