"""Where the requests of the `anthropic` SDK keep a conversation.

Messages, the beta ones too, however they are called: `create`, `parse` and
`stream` all post the same body.
"""

from __future__ import annotations

from steno.adapters.caller.asked import Asked, Body, Left, given, listed, words


def surface(path: str, body: Body) -> Asked | Left | None:
    if path.partition("?")[0] != "/v1/messages":
        return None
    said = listed(given(body, "messages"))
    system = words(given(body, "system") or "")
    model = str(body.get("model") or "")
    return Asked("anthropic", model, "messages", (), said, (), system, listed(given(body, "tools")))
