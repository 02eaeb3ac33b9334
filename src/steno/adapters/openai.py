"""Where the requests of the `openai` SDK keep a conversation.

Chat completions and responses, however they are called: `create`, `parse` and
`stream` all post the same body. A response that builds on one the provider
keeps is left alone, because its past is not here.
"""

from __future__ import annotations

from steno.adapters.request import (
    Body,
    ConversationRequest,
    SkippedRequest,
    as_list,
    get_value,
    split_system,
    system_text,
)


def read_request(path: str, body: Body) -> ConversationRequest | SkippedRequest | None:
    match path.partition("?")[0]:
        case "/chat/completions":
            return _conversation_request(
                body, "openai", "messages", as_list(get_value(body, "messages")), ""
            )
        case "/responses":
            held = next(
                (key for key in ("previous_response_id", "conversation") if get_value(body, key)),
                None,
            )
            if held is not None:
                return SkippedRequest(
                    f"{held} leaves the past with the provider: the request goes out as it is",
                    "input",
                )
            said = get_value(body, "input")
            items = [{"role": "user", "content": said}] if isinstance(said, str) else as_list(said)
            return _conversation_request(
                body,
                "openai-responses",
                "input",
                items,
                system_text(get_value(body, "instructions") or ""),
            )
    return None


def _conversation_request(
    body: Body, wire: str, key: str, messages: list[object], system: str
) -> ConversationRequest:
    head, said, trail = split_system(messages)
    around = system_text(system, *head, *trail)
    return ConversationRequest(
        wire,
        str(body.get("model") or ""),
        key,
        head,
        said,
        trail,
        around,
        as_list(get_value(body, "tools")),
    )
