"""Every type of block and item that the providers' SDKs know, and what it is to us.

One table a wire. A type that no table names is new: it is sent on as it came, never
cut, reported once, and pinned unless its name says that it is a call or an answer.
`tests/providers/test_block_types.py` fails when an SDK gains a type that is not named here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from steno.core.message import Block, Opaque
from steno.core.state import BlockState

Treatment = Literal["words", "media", "thinking", "call", "result", "server", "state", "restart"]
"""`server`: a call that the provider ran, or its result; `restart`: its own compaction."""


def _table(**kinds: str) -> Mapping[str, Treatment]:
    """Return what each type is to us, from the types of each treatment."""
    return {name: cast(Treatment, kind) for kind, names in kinds.items() for name in names.split()}


# `mcp_tool_listing`: without it the provider asks the MCP server again, so it sets nothing.
# `fallback` marks where another model took over inside one reply, and goes with that reply.
# `output_config`: a system message that holds nothing else; it is for its own turn.
ANTHROPIC_TYPES = _table(
    words="text search_result browser_state",
    media="image document",
    thinking="thinking redacted_thinking",
    call="tool_use",
    result="tool_result",
    server="server_tool_use mcp_tool_use mcp_tool_result mcp_tool_listing web_search_tool_result "
    "web_fetch_tool_result advisor_tool_result code_execution_tool_result "
    "bash_code_execution_tool_result text_editor_code_execution_tool_result fallback "
    "output_config",
    state="tool_search_tool_result tool_reference container_upload tool_addition tool_removal",
    restart="compaction",
)

# `audio` is what the model said aloud, named by its id.
CHAT_PARTS = _table(words="text refusal", media="image_url input_audio file audio")

# `mcp_list_tools`: without it the provider asks the MCP server again, so it sets nothing.
RESPONSES_TYPES = _table(
    words="message input_text output_text text refusal summary_text reasoning_text "
    "encrypted_content",
    media="input_image input_file input_audio computer_screenshot",
    thinking="reasoning",
    call="function_call custom_tool_call tool_search_call",
    result="function_call_output custom_tool_call_output",
    server="file_search_call web_search_call computer_call computer_call_output "
    "image_generation_call code_interpreter_call local_shell_call local_shell_call_output "
    "shell_call shell_call_output apply_patch_call apply_patch_call_output mcp_list_tools "
    "mcp_approval_request mcp_approval_response mcp_call program program_output "
    "compaction_trigger item_reference",
    state="tool_search_output additional_tools configuration_update",
    restart="compaction",
)

# From `media_resolution` on, and `part_metadata`: beside another part they say how to read it.
GEMINI_PARTS = _table(
    words="text empty part_metadata",
    media="inline_data file_data media_resolution video_metadata media_processing "
    "audio_transcription speech_metadata",
    thinking="thought thought_signature",
    call="function_call",
    result="function_response",
    server="executable_code code_execution_result tool_call tool_response",
)

BEDROCK_BLOCKS = _table(
    words="text guardContent citationsContent searchResult cachePoint",
    media="image document video audio",
    thinking="reasoningContent",
    call="toolUse",
    result="toolResult",
    server="server_tool_use",
    state="toolAddition toolRemoval",
)

TYPES_BY_WIRE = {
    "openai": CHAT_PARTS,
    "anthropic": ANTHROPIC_TYPES,
    "openai-responses": RESPONSES_TYPES,
    "gemini": GEMINI_PARTS,
    "bedrock": BEDROCK_BLOCKS,
}
ANSWERS_AND_CALLS = ("_call", "_use", "_output", "_result", "_request", "_response")
"""Ends of names that say: something was done here. Such a block sets nothing for later."""


def unknown_state(block: Block, known: Mapping[str, Treatment]) -> BlockState | None:
    """Return the state of a block that no table names: it may set something, so it is kept."""
    if not isinstance(block, Opaque) or block.kind in known:
        return None
    if block.kind.endswith(ANSWERS_AND_CALLS):
        return None
    # By its text: the same block again replaces it, and another one does not.
    return BlockState(names=(f"{block.kind}:{block.text}",))


def is_unknown(block: Block, wire: str) -> bool:
    """Return whether a block is of a type that no table of its wire names."""
    known = TYPES_BY_WIRE.get(wire)
    return known is not None and isinstance(block, Opaque) and block.kind not in known
