"""What the Responses API accepts as input: an independent judge, for the property tests.

Owns the shape rules of a request's `input` items, as published (the SDK's own
types) or as seen in the API's error texts; a rule is one function, named by its
sentence, that yields one problem per place. Written without Steno's seam code.

`pending_ok`: calls still open at the very end are no problem: nothing but the
same reply and its outputs follows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from tests.support.legal import text_can_be_encoded

Json = Mapping[str, Any]

NAME = re.compile(r"[a-zA-Z0-9_.-]{1,128}")
LONGEST_ID = 64
INPUT_PARTS = frozenset({"input_text", "input_image", "input_file", "input_audio"})
PARTS: Mapping[str, frozenset[str]] = {
    "user": INPUT_PARTS,
    "system": INPUT_PARTS,
    "developer": INPUT_PARTS,
    "assistant": frozenset({"output_text", "refusal"}),
}
OUTPUT_OF = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "computer_call": "computer_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
}
SAYS = {"function_call": "arguments", "custom_tool_call": "input"}
ID_BEGINS = {"function_call": "fc", "custom_tool_call": "ctc", "reasoning": "rs"}


def openai_responses(request: Json, *, pending_ok: bool = True) -> list[str]:
    """The problems of a request body; none means legal."""
    items = request.get("input")
    if not isinstance(items, list) or not items:
        return ["input: must be a non-empty list"]
    return [
        *nothing_is_left_with_the_provider(request, items),
        *every_item_has_a_kind(items),
        *parts_fit_their_role(items),
        *calls_are_well_formed(items),
        *call_ids_are_unique(items),
        *every_call_is_answered(items, pending_ok),
        *every_output_follows_its_call(items),
        *reasoning_is_followed_by_its_reply(items),
        *ids_are_of_their_kind(items),
        *text_can_be_encoded(request),
    ]


def kind_of(item: Json) -> str:
    return str(item.get("type") or "message")


def nothing_is_left_with_the_provider(request: Json, items: Sequence[Json]) -> Iterator[str]:
    if request.get("previous_response_id"):
        yield "previous_response_id: the past is not in the request"
    for i, item in enumerate(items):
        if kind_of(item) == "item_reference":
            yield f"input[{i}]: a reference to an item that is not in the request"


def every_item_has_a_kind(items: Sequence[Json]) -> Iterator[str]:
    for i, item in enumerate(items):
        if kind_of(item) == "message" and item.get("role") not in PARTS:
            yield f"input[{i}]: role {item.get('role')!r} is not one of {', '.join(PARTS)}"


def parts_fit_their_role(items: Sequence[Json]) -> Iterator[str]:
    # "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'."
    for i, item in enumerate(items):
        if kind_of(item) != "message":
            continue
        content = item.get("content")
        if not isinstance(content, str | list) or content == []:
            yield f"input[{i}]: content is neither a string nor a list of some"
        for j, part in enumerate(content if isinstance(content, list) else ()):
            if part.get("type") not in PARTS.get(str(item.get("role")), INPUT_PARTS):
                yield (
                    f"input[{i}].content[{j}]: {item.get('role')} cannot carry {part.get('type')!r}"
                )


def calls_are_well_formed(items: Sequence[Json]) -> Iterator[str]:
    # "Invalid 'input[3].call_id': empty string", "string too long. Expected a string with maximum
    # length 64".
    for i, item in enumerate(items):
        kind = kind_of(item)
        if kind not in OUTPUT_OF and kind not in OUTPUT_OF.values():
            continue
        id = item.get("call_id")
        if not isinstance(id, str) or not 0 < len(id) <= LONGEST_ID:
            yield f"input[{i}]: call_id {id!r} is not a string of 1 to {LONGEST_ID}"
        if kind in SAYS and not isinstance(item.get(SAYS[kind]), str):
            yield f"input[{i}]: {SAYS[kind]} is not a string"
        if kind in SAYS and not NAME.fullmatch(str(item.get("name"))):
            yield f"input[{i}]: name {item.get('name')!r} is no name"
        if kind in ("function_call_output", "custom_tool_call_output") and not isinstance(
            item.get("output"), str | list
        ):
            yield f"input[{i}]: output is neither a string nor a list"


def call_id_of(item: Json) -> object:
    """Return the id of a call, whatever type it has, as something to compare."""
    id = item.get("call_id")
    return id if isinstance(id, str) else repr(id)


def call_ids_are_unique(items: Sequence[Json]) -> Iterator[str]:
    # Within a kind: outputs are told apart by kind and id.
    seen: set[tuple[str, Any]] = set()
    for i, item in enumerate(items):
        name = (kind_of(item), call_id_of(item))
        if name[0] in OUTPUT_OF and name in seen:
            yield f"input[{i}]: call_id {name[1]!r} was used before"
        seen.add(name)


def every_call_is_answered(items: Sequence[Json], pending_ok: bool) -> Iterator[str]:
    # "No tool output found for function call call_…"; for custom tools: "No tool output found for
    # custom tool call".
    ends = len(items)
    while ends and not ends_a_reply(items[ends - 1]):
        ends -= 1
    answered = {(kind_of(item), call_id_of(item)) for item in items}
    for i, item in enumerate(items):
        output = OUTPUT_OF.get(kind_of(item))
        pending = pending_ok and i >= ends
        if output and (output, call_id_of(item)) not in answered and not pending:
            yield f"input[{i}]: no output for the {kind_of(item)}"


def ends_a_reply(item: Json) -> bool:
    """Somebody else speaks: whatever was called before should have been answered."""
    return kind_of(item) == "message" and item.get("role") != "assistant"


def every_output_follows_its_call(items: Sequence[Json]) -> Iterator[str]:
    # "No tool call found for function call output with call_id …".
    waiting: set[tuple[str, Any]] = set()
    for i, item in enumerate(items):
        kind, id = kind_of(item), call_id_of(item)
        if kind in OUTPUT_OF:
            waiting.add((OUTPUT_OF[kind], id))
        elif kind in OUTPUT_OF.values():
            if (kind, id) not in waiting:
                yield f"input[{i}]: no call before this {kind}"
            waiting.discard((kind, id))


def reasoning_is_followed_by_its_reply(items: Sequence[Json]) -> Iterator[str]:
    # "Item 'rs_…' of type 'reasoning' was provided without its required following item."
    for i, item in enumerate(items):
        if kind_of(item) != "reasoning":
            continue
        if not isinstance(item.get("summary"), list):
            yield f"input[{i}]: reasoning without a summary"
        after = items[i + 1] if i + 1 < len(items) else {"role": "user"}
        if ends_a_reply(after) or kind_of(after).endswith("_output"):
            yield f"input[{i}]: reasoning without the item it led to"


def reasoning_led_to_what_follows(items: Sequence[Json]) -> Iterator[str]:
    """Yield reasoning of OpenAI's before words of the caller, which have no id."""
    for item, after in pairwise(items):
        led = str(item.get("id") or "").startswith("rs_") and kind_of(item) == "reasoning"
        if led and kind_of(after) == "message" and not after.get("id"):
            yield f"input: {item['id']!r} before a message that it did not lead to"


def calls_are_answered_before_words(model: str, items: Sequence[Json]) -> Iterator[str]:
    """Yield calls that words follow before their outputs do, on models that refuse that.

    "No tool output found for tool call call-a."
    """
    if "deepseek" not in model:
        return
    open_calls: list[str] = []
    for item in items:
        if kind_of(item) == "function_call":
            open_calls.append(str(item.get("call_id")))
        elif kind_of(item) == "function_call_output":
            open_calls = [call for call in open_calls if call != item.get("call_id")]
        elif open_calls:
            yield f"input: words after {open_calls[0]!r}, before its output"
            return


def ids_are_of_their_kind(items: Sequence[Json]) -> Iterator[str]:
    # "Invalid 'input[2].id': 'call_…'. Expected an ID that begins with 'fc'."
    for i, item in enumerate(items):
        begins = ID_BEGINS.get(kind_of(item))
        if begins and item.get("id") and not str(item["id"]).startswith(begins):
            yield f"input[{i}]: id {item['id']!r} does not begin with {begins}"


def replies_keep_their_reasoning(items: Sequence[Json], given: Sequence[Json]) -> list[str]:
    """What stood in a reply that began with reasoning still does: both are there, or neither.

    "Item 'fc_…' of type 'function_call' was provided without its required 'reasoning' item:
    'rs_…'."
    """
    shown = {str(item["id"]) for item in items if item.get("id")}
    problems = []
    owner: str | None = None
    for item in given:
        if kind_of(item) == "reasoning":
            owner = item.get("id")
        elif ends_a_reply(item) or kind_of(item).endswith("_output"):
            owner = None
        elif owner and item.get("id") in shown and owner not in shown:
            problems.append(f"{item['id']} without its reasoning {owner}")
    return problems
