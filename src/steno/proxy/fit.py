"""`POST /fit`: a list in, a list that fits out, for programs in any language.

It does what `steno.fit` does, with the sessions of the proxy: headers say whose list it is and
which session, as for any other request. Nothing is sent upstream.
"""

from __future__ import annotations

from typing import Any

import msgspec

from steno.adapters.fit import GivenList, find_wire, system_text
from steno.adapters.recall import answer_recall
from steno.adapters.resent.sessions import ListSessions
from steno.core.decoders import json_decoder
from steno.core.errors import BadInput
from steno.providers import join_neighbours
from steno.providers.cache_marks import with_moved_marks
from steno.proxy.body import JsonPiece, PieceFormat


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


_REQUEST = json_decoder(FitRequest)


def answer_fit(sessions: ListSessions, raw: bytes, session: str | None) -> dict[str, Any]:
    """Return the answer to `POST /fit`; raise what is wrong with the request."""
    try:
        asked = _REQUEST.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as wrong:
        raise BadInput(f"POST /fit: {wrong}") from None
    wire = find_wire(asked.messages, asked.tools, asked.model or None, asked.wire)
    given = GivenList(
        sessions,
        asked.messages,
        # As every other list of the proxy: both may be of one session.
        PieceFormat(wire),
        session,
        asked.model,
        system_text(asked.system),
        asked.tools or (),
        recall=asked.recall,
    )
    if asked.call is not None:
        with given.checkout() as (thread, _):
            own = sessions.session_of_list(thread, thread.own_messages)
            return {"answer": answer_recall(own, asked.call)}
    fitted = given.fit()
    plain = [one.plain if isinstance(one, JsonPiece) else one for one in fitted]
    shown = with_moved_marks(wire.name, asked.messages, join_neighbours(wire, plain))
    return {"messages": shown, "tools": fitted.tools, "tokens": fitted.session.load}
