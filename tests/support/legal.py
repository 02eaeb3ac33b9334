"""What the providers accept: an independent judge of request bodies, for the property tests.

Owns the shape rules of a Chat Completions and of a Messages request, as published or as seen in
the APIs' own error texts; a rule is one function, named by its sentence, that yields one
problem per place. Written without reading Steno's seam code: the two must agree by being right,
not by sharing a mistake.

Does not own: sizes in tokens, prices, model names, what a signature signs, or whether a view is
any good. It sees one request, so it cannot say that an earlier request was different (see the
note on bound thinking at `thinking_is_signed`). Where models differ it is as strict as the
strictest that a history can satisfy, except that a closing assistant message is let through.

`pending_ok` (both functions): the list may stop where its caller stopped. Calls still open at
the very end, answered in part or not at all, are no problem, and a closing assistant message is
the model's last word, not a prefill that the model is asked to go on with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]
Placed = tuple[str, Json]  # a block and where it stands, e.g. "messages[4].content[0]"

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
SERVER_ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")


def openai_chat(request: Json, *, pending_ok: bool = True) -> list[str]:
    """The problems of a Chat Completions request body; none means legal."""
    if broken := list(messages_are_a_list_of_some(request)):
        return broken
    messages: list[Json] = request["messages"]
    return [
        *every_role_is_known(messages, OPENAI_PARTS),
        *content_fits_its_role(messages),
        *names_are_plain(messages),
        *calls_are_well_formed(messages),
        *call_ids_are_short_and_unique(messages),
        *every_call_is_answered_at_once(messages, pending_ok),
        *every_result_follows_its_call(messages),
        *text_can_be_encoded(request),
    ]


def anthropic(request: Json, *, pending_ok: bool = True) -> list[str]:
    """The problems of a Messages request body; none means legal."""
    if broken := list(messages_are_a_list_of_some(request)):
        return broken
    messages: list[Json] = request["messages"]
    if broken := list(every_message_has_content(messages)):
        return broken
    turns = combined(messages)
    blocks = list(everything(messages))
    return [
        *every_role_is_known(messages, ANTHROPIC_BLOCKS),
        *system_stands_between_user_and_assistant(messages),
        *blocks_fit_their_role(messages),
        *text_says_something(request, blocks),
        *tool_use_is_well_formed(blocks),
        *tool_use_ids_are_unique(blocks),
        *every_tool_use_is_answered_next(turns, pending_ok),
        *every_tool_result_answers_the_turn_before(turns),
        *tool_results_come_first(turns),
        *failed_results_say_why(blocks),
        *server_calls_keep_their_results(turns),
        *media_has_a_source(blocks),
        *thinking_is_signed(blocks),
        *thinking_is_not_the_last_block(turns),
        *open_loop_starts_with_its_thinking(request, turns),
        *cache_marks_are_few_and_ordered(request, blocks),
        *prefill_does_not_end_in_space(messages, pending_ok),
        *text_can_be_encoded(request),
    ]


# Both providers


def messages_are_a_list_of_some(request: Json) -> Iterator[str]:
    # OpenAI: "Invalid 'messages': empty array. Expected an array with minimum length 1";
    # Anthropic too answers 400 (probed). Compacting everything away is not a way to fit.
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages: must be a non-empty list"
        return
    for i, message in enumerate(messages):
        if not isinstance(message, Mapping):
            yield f"messages[{i}]: must be an object"


def every_role_is_known(messages: Sequence[Json], known: Mapping[str, object]) -> Iterator[str]:
    for i, message in enumerate(messages):
        if str(message.get("role")) not in known:
            yield f"messages[{i}]: role {message.get('role')!r} is not one of {', '.join(known)}"


def text_can_be_encoded(value: object, place: str = "") -> Iterator[str]:
    # A lone surrogate has no UTF-8 form. Anthropic: "The request body is not valid JSON: no low
    # surrogate in string"; Python clients of either API fail before sending. Cutting a string
    # between the halves of an escaped pair is how compaction makes one.
    if not place and all_encodes(value):
        return
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            yield f"{place}: has a lone surrogate at character {error.start}"
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from text_can_be_encoded(key, f"{place} (key)")
            yield from text_can_be_encoded(
                item, f"{place}.{key}".lstrip(".").encode("ascii", "replace").decode()
            )
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from text_can_be_encoded(item, f"{place}[{i}]")


def all_encodes(value: object) -> bool:
    """Whether a whole request has a UTF-8 form: one look, since nearly every request has."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (TypeError, UnicodeEncodeError):
        return False
    return True


# OpenAI Chat Completions

# Which content parts each role may send. Images: "Image URLs are only allowed for messages with
# role 'user', but this message with role 'tool' contains an image URL"; the rest is the API
# reference.
OPENAI_PARTS: Mapping[str, frozenset[str]] = {
    "system": frozenset({"text"}),
    "developer": frozenset({"text"}),
    "user": frozenset({"text", "image_url", "input_audio", "file"}),
    "assistant": frozenset({"text", "refusal"}),
    "tool": frozenset({"text"}),
    "function": frozenset(),
}
NO_CONTENT_NEEDED = ("tool_calls", "function_call", "refusal", "audio")
MOST_CALLS = 128
LONGEST_ID = 40


def content_fits_its_role(messages: Sequence[Json]) -> Iterator[str]:
    # "Invalid value for 'content': expected a string, got null": said of user and tool messages,
    # and of an assistant that calls nothing. An empty string is accepted everywhere. An empty
    # list was let through for system once; the reference forbids it.
    for i, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        allowed = OPENAI_PARTS.get(str(role), frozenset())
        if content is None:
            if role != "function" and not (
                role == "assistant" and any(message.get(key) for key in NO_CONTENT_NEEDED)
            ):
                yield f"messages[{i}]: content of a {role} message is missing"
        elif isinstance(content, list) and role != "function":
            if not content:
                yield f"messages[{i}]: content is an empty list"
            for j, part in enumerate(content):
                kind = str(part.get("type")) if isinstance(part, Mapping) else type(part).__name__
                if kind not in allowed:
                    yield f"messages[{i}].content[{j}]: a {role} message cannot carry {kind!r}"
                elif kind in ("text", "refusal") and not isinstance(part.get(kind), str):
                    yield f"messages[{i}].content[{j}]: {kind} is not a string"
        elif not isinstance(content, str):
            yield f"messages[{i}]: content of a {role} message is neither a string nor a list"


def names_are_plain(messages: Sequence[Json]) -> Iterator[str]:
    # "Invalid 'messages[1].name': string does not match pattern ... '^[a-zA-Z0-9_-]+$'". Only a
    # function message must have one.
    for i, message in enumerate(messages):
        if ("name" in message or message.get("role") == "function") and not matches(
            NAME, message.get("name")
        ):
            yield f"messages[{i}]: name {message.get('name')!r} is not 1 to 64 of a-z A-Z 0-9 _ -"


def calls_are_well_formed(messages: Sequence[Json]) -> Iterator[str]:
    # "Invalid 'messages[1].tool_calls': empty array", "... array too long. Expected an array with
    # maximum length 128", "Invalid type for 'messages[1].tool_calls': expected an array of
    # objects", "Invalid 'messages[9].tool_calls[0].function.name': string does not match pattern
    # ... '^[a-zA-Z0-9_-]+$'".
    for i, message in enumerate(messages):
        if "tool_calls" in message:
            calls = message["tool_calls"]
            if message.get("role") != "assistant":
                yield f"messages[{i}]: only an assistant message may carry tool_calls"
            if not isinstance(calls, list) or not 1 <= len(calls) <= MOST_CALLS:
                yield f"messages[{i}]: tool_calls is not a list of 1 to {MOST_CALLS}"
        for j, call in enumerate(tool_calls(message)):
            kind = call.get("type")
            body, text = (
                (call.get("custom"), "input")
                if kind == "custom"
                else (call.get("function"), "arguments")
            )
            if kind not in ("function", "custom"):
                yield f"messages[{i}].tool_calls[{j}]: type {kind!r} is neither function nor custom"
            yield from callee_is_named(body, text, f"messages[{i}].tool_calls[{j}]")
        if message.get("function_call") is not None:
            yield from callee_is_named(
                message["function_call"], "arguments", f"messages[{i}].function_call"
            )


def callee_is_named(body: object, text: str, place: str) -> Iterator[str]:
    if not isinstance(body, Mapping):
        yield f"{place}: says nothing of what is called"
        return
    if not matches(NAME, body.get("name")):
        yield f"{place}: name {body.get('name')!r} is not 1 to 64 of a-z A-Z 0-9 _ -"
    if not isinstance(
        body.get(text), str
    ):  # a string of JSON, which the API does not parse: cut-off JSON is legal
        yield f"{place}: {text} is not a string"


def call_ids_are_short_and_unique(messages: Sequence[Json]) -> Iterator[str]:
    # "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum
    # length 40". Reuse in a later batch: no refusal by OpenAI itself was found, but hosts that
    # speak this wire (Mistral, DeepSeek) are reported to refuse it, so here an id is used once
    # per request.
    first: dict[str, int] = {}
    for i, message in enumerate(messages):
        for j, call in enumerate(tool_calls(message)):
            place, call_id = f"messages[{i}].tool_calls[{j}]", call.get("id")
            if not isinstance(call_id, str) or not call_id:
                yield f"{place}: id {call_id!r} is not a non-empty string"
            elif len(call_id) > LONGEST_ID:
                yield f"{place}: id {call_id} is longer than {LONGEST_ID}"
            elif call_id in first:
                yield f"{place}: id {call_id} was used in messages[{first[call_id]}]"
            else:
                first[call_id] = i


def every_call_is_answered_at_once(messages: Sequence[Json], pending_ok: bool) -> Iterator[str]:
    # "An assistant message with 'tool_calls' must be followed by tool messages responding to each
    # 'tool_call_id'": the run of tool messages right after it, in any order, with nothing in
    # between.
    for i, message in enumerate(messages):
        end = end_of_results(messages, i + 1)
        answered = {str(messages[k].get("tool_call_id")) for k in range(i + 1, end)}
        missing = [
            str(call.get("id"))
            for call in tool_calls(message)
            if str(call.get("id")) not in answered
        ]
        if missing and not (pending_ok and end == len(messages)):
            yield f"messages[{i}]: no result directly after it for {', '.join(missing)}"


def every_result_follows_its_call(messages: Sequence[Json]) -> Iterator[str]:
    # "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'";
    # "Duplicate value for 'tool_call_id' of 'call_1', in messages[7] and messages[8]".
    called: set[str] = set()
    answered: set[str] = set()
    for i, message in enumerate(messages):
        if message.get("role") != "tool":
            called, answered = (
                {call["id"] for call in tool_calls(message) if isinstance(call.get("id"), str)},
                set(),
            )
            continue
        call_id = message.get("tool_call_id")
        if not isinstance(call_id, str):
            yield f"messages[{i}]: tool_call_id {call_id!r} is not a string"
        elif call_id not in called:
            yield f"messages[{i}]: result for {call_id} has no call before it"
        elif call_id in answered:
            yield f"messages[{i}]: second result for {call_id}"
        else:
            answered.add(call_id)


def tool_calls(message: Json) -> list[Json]:
    calls = message.get("tool_calls")
    return (
        [call if isinstance(call, Mapping) else {} for call in calls]
        if isinstance(calls, list)
        else []
    )


def end_of_results(messages: Sequence[Json], start: int) -> int:
    while start < len(messages) and messages[start].get("role") == "tool":
        start += 1
    return start


# Anthropic Messages

# Which blocks each role may send: "`tool_result` blocks can only be in `user` messages"; the rest
# is the API reference, whose union of tags is closed. Server results end in _tool_result and are
# recognised by that. Extend when the API grows; what it must never learn is a name of our own.
ANTHROPIC_BLOCKS: Mapping[str, frozenset[str]] = {
    "user": frozenset(
        {"text", "image", "document", "search_result", "tool_result", "container_upload"}
    ),
    "assistant": frozenset(
        {
            "text",
            "thinking",
            "redacted_thinking",
            "tool_use",
            "server_tool_use",
            "mcp_tool_use",
            "container_upload",
            "compaction",
            "fallback",
        }
    ),
    "system": frozenset({"text", "tool_addition", "tool_removal"}),
}
RESULT_BLOCKS = frozenset({"text", "image", "document", "search_result", "tool_reference"})
THINKING = ("thinking", "redacted_thinking")
SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
SOURCES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "image": {"base64": ("media_type", "data"), "url": ("url",), "file": ("file_id",)},
    "document": {
        "base64": ("media_type", "data"),
        "text": ("media_type", "data"),
        "url": ("url",),
        "file": ("file_id",),
        "content": (),
    },
}
IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
MOST_MARKS = 4


@dataclass(frozen=True)
class Turn:
    """Consecutive messages of one role: the API reads them as one."""

    role: str
    blocks: tuple[Placed, ...]

    @property
    def place(self) -> str:
        return self.blocks[0][0].partition(".")[0] if self.blocks else "messages"

    def of(self, *kinds: str) -> list[Placed]:
        return [(place, block) for place, block in self.blocks if block.get("type") in kinds]


def combined(messages: Sequence[Json]) -> list[Turn]:
    # API reference: consecutive user or assistant turns are combined into a single turn; probed
    # live, both give 200. A system message stands between turns and is none, so what is left of a
    # list after leaving it out reads as the API reads it.
    turns: list[Turn] = []
    for i, message in enumerate(messages):
        role, blocks = str(message.get("role")), tuple(blocks_of(message, i))
        if role == "system":
            continue
        if turns and turns[-1].role == role:
            blocks = turns.pop().blocks + blocks
        turns.append(Turn(role, blocks))
    return turns


def every_message_has_content(messages: Sequence[Json]) -> Iterator[str]:
    # "messages.0: all messages must have non-empty content except for the optional final
    # assistant message". A system message without content is a directive if it carries
    # output_config: the API's own error text grants that form.
    for i, message in enumerate(messages):
        content = message.get("content")
        if is_directive(message):
            continue
        if not isinstance(content, str | list):
            yield f"messages[{i}]: content is neither a string nor a list"
        elif isinstance(content, list) and not all(
            isinstance(b, Mapping) and isinstance(b.get("type"), str) for b in content
        ):
            yield f"messages[{i}]: content holds something that is not a block with a type"
        elif not content and not (message.get("role") == "assistant" and i == len(messages) - 1):
            yield f"messages[{i}]: content is empty"


def system_stands_between_user_and_assistant(messages: Sequence[Json]) -> Iterator[str]:
    # Since Opus 4.8 a system message may stand inside the list: "role 'system' must follow a
    # 'user' message or an 'assistant' message ending in a server tool result" and "must precede
    # an 'assistant' message or end the array". A run of them counts as one. Older models, and
    # Sonnet 5: "role 'system' is not supported on this model".
    for i, message in enumerate(messages):
        if message.get("role") != "system" or is_directive(message):
            continue
        before = next((m for m in reversed(messages[:i]) if m.get("role") != "system"), None)
        after = next((m for m in messages[i + 1 :] if m.get("role") != "system"), None)
        served = (
            before is not None
            and before.get("role") == "assistant"
            and ends_in_server_result(before)
        )
        if before is None or not (before.get("role") == "user" or served):
            yield f"messages[{i}]: a system message must follow a user message"
        if after is not None and after.get("role") != "assistant":
            yield (
                f"messages[{i}]: a system message must precede an assistant message or end the list"
            )


def blocks_fit_their_role(messages: Sequence[Json]) -> Iterator[str]:
    for i, message in enumerate(messages):
        role = str(message.get("role"))
        allowed = ANTHROPIC_BLOCKS.get(role)
        for place, block in blocks_of(message, i):
            if (
                allowed
                and block["type"] not in allowed
                and not (role == "assistant" and is_server_result(block))
            ):
                yield f"{place}: a {role} message cannot carry {block['type']!r}"
            for inner_place, inner in nested(place, block):
                if inner.get("type") not in RESULT_BLOCKS:
                    yield f"{inner_place}: a tool_result cannot carry {inner.get('type')!r}"


def text_says_something(request: Json, blocks: Sequence[Placed]) -> Iterator[str]:
    # "text content blocks must be non-empty"; "text content blocks must contain non-whitespace
    # text". Holds for system blocks and inside tool results. The closing assistant message may be
    # empty, but not blank.
    system = request.get("system")
    placed = (
        [(f"system[{j}]", b) for j, b in enumerate(system) if isinstance(b, Mapping)]
        if isinstance(system, list)
        else []
    )
    for place, block in [*placed, *blocks]:
        if block.get("type") == "text":
            text = block.get("text")
            if not isinstance(text, str):
                yield f"{place}: text is not a string"
            elif not text.strip():
                yield f"{place}: text is {'blank' if text else 'empty'}"


def tool_use_is_well_formed(blocks: Sequence[Placed]) -> Iterator[str]:
    # "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", "server_tool_use.id: String
    # should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'", "tool_use.input: Input should be a valid
    # dictionary", "tool_use.name: String should have at least 1 character" and "at most 200
    # characters". A definition in tools is held to the narrower NAME; a call in the history is
    # not.
    for place, block in blocks:
        kind = block.get("type")
        if kind not in ("tool_use", *SERVER_CALLS):
            continue
        if not matches(SERVER_ID if kind == "server_tool_use" else ANTHROPIC_ID, block.get("id")):
            yield f"{place}: {kind} id {block.get('id')!r} has the wrong form"
        name = block.get("name")
        if not isinstance(name, str) or not 1 <= len(name) <= 200:
            yield f"{place}: {kind} name is not a string of 1 to 200"
        if not isinstance(block.get("input"), Mapping):
            yield f"{place}: {kind} input is not an object"


def tool_use_ids_are_unique(blocks: Sequence[Placed]) -> Iterator[str]:
    # "messages.43.content.2: `tool_use` ids must be unique": among calls that are not answered
    # yet. An id that comes again after its result was taken (recorded: 200).
    open_at: dict[str, str] = {}
    for place, block in blocks:
        if block.get("type") == "tool_result":
            open_at.pop(str(block.get("tool_use_id")), None)
        if block.get("type") in ("tool_use", *SERVER_CALLS) and isinstance(block.get("id"), str):
            if block["id"] in open_at:
                yield f"{place}: id {block['id']} was used at {open_at[block['id']]}"
            open_at.setdefault(block["id"], place)


def every_tool_use_is_answered_next(turns: Sequence[Turn], pending_ok: bool) -> Iterator[str]:
    # "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each
    # `tool_use` block must have a corresponding `tool_result` block in the next message." Text
    # after a tool_use in its own message is fine (probed on five models: 200).
    for t, turn in enumerate(turns):
        following = turns[t + 1] if t + 1 < len(turns) else Turn("user", ())
        answered = {str(block.get("tool_use_id")) for _, block in following.of("tool_result")}
        missing = [
            str(block.get("id"))
            for _, block in turn.of("tool_use")
            if str(block.get("id")) not in answered
        ]
        pending = t + 2 >= len(turns) and len(following.of("tool_result")) == len(following.blocks)
        if missing and turn.role == "assistant" and not (pending and pending_ok):
            yield f"{turn.place}: no tool_result in the next turn for {', '.join(missing)}"


def every_tool_result_answers_the_turn_before(turns: Sequence[Turn]) -> Iterator[str]:
    # "unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block
    # must have a corresponding `tool_use` block in the previous message."; "each tool_use must
    # have a single result. Found multiple `tool_result` blocks with id: toolu_1".
    for t, turn in enumerate(turns):
        called = {str(block.get("id")) for _, block in turns[t - 1].of("tool_use")} if t else set()
        answered: set[str] = set()
        for place, block in turn.of("tool_result"):
            call_id = str(block.get("tool_use_id"))
            if call_id not in called:
                yield f"{place}: result for {call_id} has no call before it"
            elif call_id in answered:
                yield f"{place}: second result for {call_id}"
            answered.add(call_id)


def tool_results_come_first(turns: Sequence[Turn]) -> Iterator[str]:
    # Tool use guide: the results come first in the content, any text after all of them, else 400.
    # Combining makes it a rule about neighbours too: [user text][user result] breaks it, and a
    # summary put before a result is how compaction does that.
    for turn in turns:
        spoken = False
        for place, block in turn.blocks:
            if block.get("type") != "tool_result":
                spoken = True
            elif spoken:
                yield f"{place}: a tool_result stands after other content of its turn"


def failed_results_say_why(blocks: Sequence[Placed]) -> Iterator[str]:
    # "tool_result: content cannot be empty if `is_error` is true". Without is_error, content may
    # be absent, "" or [].
    for place, block in blocks:
        if block.get("type") == "tool_result":
            content = block.get("content")
            if not isinstance(content, str | list | None):
                yield f"{place}: tool_result content is neither a string nor a list"
            elif block.get("is_error") and not content:
                yield f"{place}: a tool_result with is_error has no content"


def server_calls_keep_their_results(turns: Sequence[Turn]) -> Iterator[str]:
    # "unexpected `tool_use_id` found in `advisor_tool_result` blocks: srvtoolu_1. Each ... must
    # have a corresponding `server_tool_use` block before it."; "... tool use with id ... was
    # found without a corresponding ... result block". In the last assistant turn a call may still
    # be running on the server (pause_turn, or together with a client call).
    called: dict[str, tuple[int, str]] = {}
    answered: set[str] = set()
    last = max((t for t, turn in enumerate(turns) if turn.role == "assistant"), default=0)
    for t, turn in enumerate(turns):
        for place, block in turn.blocks:
            if block.get("type") in SERVER_CALLS:
                called[str(block.get("id"))] = (t, place)
            elif is_server_result(block):
                call_id = str(block.get("tool_use_id"))
                answered.add(call_id)
                if call_id not in called:
                    yield f"{place}: result for {call_id} has no server call before it"
    for call_id, (t, place) in called.items():
        if call_id not in answered and t < last:
            yield f"{place}: server call {call_id} has lost its result"


def media_has_a_source(blocks: Sequence[Placed]) -> Iterator[str]:
    # API reference for image and document sources.
    for place, block in blocks:
        kinds = SOURCES.get(str(block.get("type")))
        if kinds is None:
            continue
        source = block.get("source")
        fields = kinds.get(str(source.get("type"))) if isinstance(source, Mapping) else None
        if fields is None or not isinstance(source, Mapping):
            yield f"{place}: {block['type']} has no source of a known type"
            continue
        for field in fields:
            if not isinstance(source.get(field), str) or not source[field]:
                yield f"{place}: source has no {field}"
        if (
            block["type"] == "image"
            and source["type"] == "base64"
            and source.get("media_type") not in IMAGE_TYPES
        ):
            yield f"{place}: image type {source.get('media_type')!r} is not accepted"


def thinking_is_signed(blocks: Sequence[Placed]) -> Iterator[str]:
    # "thinking.thinking: Field required"; the reference requires the signature, and data on a
    # redacted block. The text may be empty (display omitted): the signature carries the
    # reasoning. Not checkable here: "Invalid `signature` in `thinking` block" (any change to the
    # block), and, from Fable 5.1 and Opus 5.5 on, "The block is bound to a different
    # conversation": any change to system, tools or messages BEFORE a block voids it.
    for place, block in blocks:
        if block.get("type") == "thinking":
            if not isinstance(block.get("thinking"), str):
                yield f"{place}: thinking has no text field"
            if not isinstance(block.get("signature"), str) or not block["signature"]:
                yield f"{place}: thinking has no signature"
        elif block.get("type") == "redacted_thinking" and (
            not isinstance(block.get("data"), str) or not block["data"]
        ):
            yield f"{place}: redacted_thinking has no data"


def thinking_is_not_the_last_block(turns: Sequence[Turn]) -> Iterator[str]:
    # "The final block in an assistant message cannot be `thinking`." Reports agree for the last
    # assistant turn; one probe saw an earlier turn pass, Bedrock refuses it there as well. The
    # strict reading: in no turn.
    for turn in turns:
        if turn.role == "assistant" and turn.blocks and turn.blocks[-1][1].get("type") in THINKING:
            yield f"{turn.blocks[-1][0]}: an assistant turn ends in thinking"


def open_loop_starts_with_its_thinking(request: Json, turns: Sequence[Turn]) -> Iterator[str]:
    # "Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is enabled, a
    # final `assistant` message must start with a thinking block (preceeding the lastmost set of
    # `tool_use` and `tool_result` blocks)." The loop is what the assistant did since the user
    # last said something else than results; only its first turn is held to it. Adaptive thinking
    # lifts the rule. If the request does not say, thinking anywhere in the loop is taken as proof
    # that it is on.
    thinking = request.get("thinking")
    mode = thinking.get("type") if isinstance(thinking, Mapping) else None
    loop = open_loop(turns)
    if not loop or mode in ("adaptive", "disabled"):
        return
    starts = loop[0].blocks[0][1].get("type") in THINKING
    if not starts and (mode == "enabled" or any(turn.of(*THINKING) for turn in loop)):
        yield f"{loop[0].blocks[0][0]}: the open tool loop does not start with thinking"


def open_loop(turns: Sequence[Turn]) -> list[Turn]:
    """The assistant turns of the tool loop that the next request goes on with, if the list ends
    in one.
    """
    closing = turns[-1]
    if closing.role == "assistant" and not closing.of("tool_use"):
        return []
    loop: list[Turn] = []
    for turn in reversed(turns):
        if turn.role == "user" and len(turn.of("tool_result")) < len(turn.blocks):
            break
        if turn.role == "assistant" and turn.blocks:
            loop.append(turn)
    return loop[::-1]


def cache_marks_are_few_and_ordered(request: Json, blocks: Sequence[Placed]) -> Iterator[str]:
    # "A maximum of 4 blocks with cache_control may be provided. Found 5.";
    # "thinking.cache_control: Extra inputs are not permitted"; "a ttl='1h' cache_control block
    # must not come after a ttl='5m' cache_control block", in the order tools, system, messages.
    placed = [
        (f"{key}[{j}]", item)
        for key in ("tools", "system")
        for j, item in enumerate(listed(request.get(key)))
    ]
    marks = [(place, block) for place, block in [*placed, *blocks] if block.get("cache_control")]
    if len(marks) > MOST_MARKS:
        yield f"{marks[MOST_MARKS][0]}: cache mark {MOST_MARKS + 1} of at most {MOST_MARKS}"
    short = False
    for place, block in marks:
        if block.get("type") in THINKING:
            yield f"{place}: thinking cannot carry a cache mark"
        ttl = (
            block["cache_control"].get("ttl", "5m")
            if isinstance(block["cache_control"], Mapping)
            else None
        )
        if ttl == "1h" and short:
            yield f"{place}: a cache mark of 1h stands after one of 5m"
        short = short or ttl == "5m"


def prefill_does_not_end_in_space(messages: Sequence[Json], pending_ok: bool) -> Iterator[str]:
    # "messages: final assistant content cannot end with trailing whitespace". From Opus 4.6 on a
    # closing assistant message is refused altogether ("This model does not support assistant
    # message prefill"); that is the caller's to know, it depends on the model.
    blocks = list(blocks_of(messages[-1], len(messages) - 1))
    if pending_ok or messages[-1].get("role") != "assistant" or not blocks:
        return
    place, block = blocks[-1]
    text = block.get("text")
    if block["type"] == "text" and isinstance(text, str) and text != text.rstrip():
        yield f"{place}: the closing assistant text ends in whitespace"


def blocks_of(message: Json, i: int) -> Iterator[Placed]:
    content = message.get("content")
    if isinstance(content, str):
        if content:
            yield f"messages[{i}]", {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from ((f"messages[{i}].content[{j}]", block) for j, block in enumerate(content))


def nested(place: str, block: Json) -> Iterator[Placed]:
    if block.get("type") == "tool_result":
        yield from (
            (f"{place}.content[{k}]", inner) for k, inner in enumerate(listed(block.get("content")))
        )


def everything(messages: Sequence[Json]) -> Iterator[Placed]:
    """Every block, those inside tool results included."""
    for i, message in enumerate(messages):
        for place, block in blocks_of(message, i):
            yield place, block
            yield from nested(place, block)


def listed(value: object) -> list[Json]:
    return (
        [item if isinstance(item, Mapping) else {} for item in value]
        if isinstance(value, list)
        else []
    )


def is_directive(message: Json) -> bool:
    return (
        message.get("role") == "system"
        and not message.get("content")
        and "output_config" in message
    )


def is_server_result(block: Json) -> bool:
    return str(block.get("type")).endswith("_tool_result")


def ends_in_server_result(message: Json) -> bool:
    blocks = [block for _, block in blocks_of(message, 0)]
    return bool(blocks) and is_server_result(blocks[-1])


def matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


NOT_TAKEN: Sequence[tuple[str, str, str]] = (
    ("anthropic|bedrock", "claude", r'"(video|audio|input_audio)"'),
    ("openai", r"^(?!.*(audio|gemini|voxtral)).*", '"input_audio"'),
    ("openai", "^o1-mini", r'"role": "(system|developer)"'),
    # "This model doesn't support the s3Uri field. Remove s3Uri and try again."
    ("bedrock", "claude", r'"image": {[^{}]*"source": {"s3Location"'),
    # "#/messages/2/content/0: extraneous key [toolResult] is not permitted".
    ("bedrock", "nova-2", r'"toolResult"[^\]]*"(document|video)"[^\]]*"s3Location"'),
    # "The file type you uploaded is not supported. Please try again with a pdf".
    ("openai-responses", "", r'"file_url": "[^"]*\.(mp3|wav)"|"file_data": "data:audio/[^;"]*'),
)
"""What models refuse, whatever the rest of a request: wire, model, and how it is written."""


def the_model_takes_it(wire: str, model: str, messages: Sequence[Json]) -> Iterator[str]:
    """Yield what a model does not take of a list that is legal otherwise."""
    said = json.dumps(messages)
    for wires, models, written in NOT_TAKEN:
        found = re.search(written, said)
        if re.fullmatch(wires, wire) and re.search(models, model) and found:
            yield f"messages: {model} takes no {found[0]}"
    if wire == "bedrock" and "claude" in model:
        # "messages.2.content.2.document.source.type: Field required"; in a result it is taken.
        for block in (block for message in messages for block in message["content"]):
            if "s3Location" in block.get("document", {}).get("source", {}):
                yield f"messages: {model} takes no document from S3 beside its results"
