"""`POST /fit`: a list in, a list that fits out, for programs in any language.

It does what `steno.fit` does, with the sessions of the proxy: headers say whose list it is and
which session, as for any other request. Nothing is sent upstream.
"""

from __future__ import annotations

from typing import Any

import msgspec

from steno.adapters.fit import find_wire, fit_list
from steno.adapters.recall import answer_recall
from steno.adapters.resent.incoming import SdkFormat
from steno.adapters.resent.sessions import ListSessions
from steno.core.errors import BadInput
from steno.providers import get_wire


class FitRequest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The body of `POST /fit`."""

    messages: list[dict[str, Any]]
    """The whole conversation so far, in a provider's format."""
    model: str = ""
    wire: str | None = None
    """The format of the list, if neither it nor the model's name shows it."""
    system: Any = None
    tools: list[dict[str, Any]] | None = None
    recall: bool = False
    """Whether the answer's `tools` will be sent too."""
    call: dict[str, Any] | None = None
    """A call of such a tool, as the provider gave it: the answer to it is all that is wanted."""


def answer_fit(sessions: ListSessions, raw: bytes, session: str | None) -> dict[str, Any]:
    """Return the answer to `POST /fit`; raise what is wrong with the request."""
    try:
        asked = msgspec.json.decode(raw, type=FitRequest)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as wrong:
        raise BadInput(f"POST /fit: {wrong}") from None
    if asked.wire is None:
        wire = find_wire(asked.messages, asked.tools, asked.model or None)
    else:
        wire = get_wire(asked.wire)
    if asked.call is not None:
        form = SdkFormat(wire)
        found = sessions.checkout(asked.messages, form, name=session, model=asked.model)
        # Held while it answers: a caller without a name hears of its own list alone.
        with found as (thread, _):
            return {"answer": answer_recall(thread.session, asked.call)}
    fitted = fit_list(
        sessions,
        asked.messages,
        wire,
        session=session,
        model=asked.model,
        system=asked.system,
        tools=asked.tools,
        recall=asked.recall,
    )
    return {"messages": list(fitted), "tools": fitted.tools, "tokens": fitted.session.load}
