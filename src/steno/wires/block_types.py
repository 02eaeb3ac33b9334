"""Every type of block and item that the providers' SDKs know, and what it is to us.

One table a wire. A type that no table names is new: it is sent on as it came, never
cut, reported once, and pinned unless its name says that it is a call or an answer.
`tests/wires/test_block_types.py` fails when an SDK gains a type that is not named here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from steno.core.message import Block, Opaque
from steno.core.state import BlockState

Treatment = Literal["words", "media", "thinking", "call", "result", "server", "state", "restart"]
"""`server`: a call that the provider ran, or its result; `restart`: its own compaction."""

ANTHROPIC_TYPES: Mapping[str, Treatment] = {
    "text": "words",
    "search_result": "words",
    "image": "media",
    "document": "media",
    "thinking": "thinking",
    "redacted_thinking": "thinking",
    "tool_use": "call",
    "tool_result": "result",
    "server_tool_use": "server",
    "mcp_tool_use": "server",
    "web_search_tool_result": "server",
    "web_fetch_tool_result": "server",
    "advisor_tool_result": "server",
    "code_execution_tool_result": "server",
    "bash_code_execution_tool_result": "server",
    "text_editor_code_execution_tool_result": "server",
    "mcp_tool_result": "server",
    # Without it the provider asks the MCP server again, so it sets nothing.
    "mcp_tool_listing": "server",
    "tool_search_tool_result": "state",
    "tool_reference": "state",
    "container_upload": "state",
    "tool_addition": "state",
    "tool_removal": "state",
    # It marks where another model took over inside one reply, and goes with that reply.
    "fallback": "server",
    "browser_state": "words",
    # A system message that holds nothing else: it is for its own turn.
    "output_config": "server",
    "compaction": "restart",
}

CHAT_PARTS: Mapping[str, Treatment] = {
    "text": "words",
    "refusal": "words",
    "image_url": "media",
    "input_audio": "media",
    "file": "media",
    # What the model said aloud, named by its id.
    "audio": "media",
}

RESPONSES_TYPES: Mapping[str, Treatment] = {
    "message": "words",
    "input_text": "words",
    "output_text": "words",
    "text": "words",
    "refusal": "words",
    "summary_text": "words",
    "reasoning_text": "words",
    "input_image": "media",
    "input_file": "media",
    "input_audio": "media",
    "computer_screenshot": "media",
    "encrypted_content": "words",
    "reasoning": "thinking",
    "function_call": "call",
    "custom_tool_call": "call",
    "function_call_output": "result",
    "custom_tool_call_output": "result",
    "file_search_call": "server",
    "web_search_call": "server",
    "computer_call": "server",
    "computer_call_output": "server",
    "image_generation_call": "server",
    "code_interpreter_call": "server",
    "local_shell_call": "server",
    "local_shell_call_output": "server",
    "shell_call": "server",
    "shell_call_output": "server",
    "apply_patch_call": "server",
    "apply_patch_call_output": "server",
    # Without it the provider asks the MCP server again, so it sets nothing.
    "mcp_list_tools": "server",
    "mcp_approval_request": "server",
    "mcp_approval_response": "server",
    "mcp_call": "server",
    "program": "server",
    "program_output": "server",
    "compaction_trigger": "server",
    "item_reference": "server",
    "tool_search_call": "call",
    "tool_search_output": "state",
    "additional_tools": "state",
    "configuration_update": "state",
    "compaction": "restart",
}

GEMINI_PARTS: Mapping[str, Treatment] = {
    "text": "words",
    "empty": "words",
    "inline_data": "media",
    "file_data": "media",
    "thought": "thinking",
    "thought_signature": "thinking",
    "function_call": "call",
    "function_response": "result",
    "executable_code": "server",
    "code_execution_result": "server",
    "tool_call": "server",
    "tool_response": "server",
    # Beside one of the others they say how it is to be read.
    "media_resolution": "media",
    "video_metadata": "media",
    "media_processing": "media",
    "audio_transcription": "media",
    "speech_metadata": "media",
    "part_metadata": "words",
}

BEDROCK_BLOCKS: Mapping[str, Treatment] = {
    "text": "words",
    "guardContent": "words",
    "citationsContent": "words",
    "searchResult": "words",
    "cachePoint": "words",
    "image": "media",
    "document": "media",
    "video": "media",
    "audio": "media",
    "reasoningContent": "thinking",
    "toolUse": "call",
    "toolResult": "result",
    "server_tool_use": "server",
    "toolAddition": "state",
    "toolRemoval": "state",
}

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
