"""Where the requests of the `openai` SDK keep a conversation.

Chat completions and responses, however they are called: `create`, `parse` and
`stream` all post the same body. A response that builds on one the provider
keeps is left alone, because its past is not here.
"""

from __future__ import annotations

from steno.adapters.caller.asked import Asked, Body, Left, given, listed, split, words


def surface(path: str, body: Body) -> Asked | Left | None:
    match path.partition("?")[0]:
        case "/chat/completions":
            return _asked(body, "openai", "messages", listed(given(body, "messages")), "")
        case "/responses":
            held = next((key for key in ("previous_response_id", "conversation") if given(body, key)), None)
            if held is not None:
                return Left(f"{held} leaves the past with the provider: the request goes out as it is", "input")
            said = given(body, "input")
            items = [{"role": "user", "content": said}] if isinstance(said, str) else listed(said)
            return _asked(body, "openai-responses", "input", items, words(given(body, "instructions") or ""))
    return None


def _asked(body: Body, wire: str, key: str, messages: list[object], system: str) -> Asked:
    head, said, trail = split(messages)
    around = words(system, *head, *trail)
    return Asked(wire, str(body.get("model") or ""), key, head, said, trail, around, listed(given(body, "tools")))
