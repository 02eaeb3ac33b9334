"""How far our counts are from what providers billed, by provider and by what is in a request.

    python -m bench accepted CASSETTES --billed

Requests are split into two halves
by a hash of their cassette's name: the numbers in `steno.meters` were fitted on half 0, so half 1
is what counts. Prints for each kind the median error, its quartiles, and of how many requests.
Requests with tools that the provider runs are left out: their bill includes what those read.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import quantiles
from typing import Any

from bench.accepted import Recorded, read_requests
from steno.core.log import Log
from steno.core.view import View
from steno.providers import PROVIDERS, get_wire, json_text
from steno.providers.meter import meter_for
from steno.providers.shared.request import ConversationRequest
from steno.session.preamble import Preamble

MEDIA = re.compile(
    r'"(image|image_url|input_image|document|inline_?[dD]ata|file_?[dD]ata|video|'
    r'input_audio|file|input_file)":? ?'
)
NOT_SEEN = re.compile(r'"(url|image_url|file_url|file_id|file_?[uU]ri|uri)": ?"(?!data:)')
HOSTS = {"openai": "gpt|^o\\d|chatgpt", "openai-responses": "gpt|^o\\d"}
"""Models that OpenAI itself serves: other hosts count by other vocabularies."""


def billed(recorded: Recorded) -> int | None:
    """Return the tokens that the provider billed for the prompt."""
    reply = recorded.reply
    if not isinstance(reply, dict):
        return None
    usage = reply.get("usage") or reply.get("usageMetadata") or {}
    # A request that the provider compacted is billed for other words than were sent.
    rounds = usage.get("iterations") or ()
    if len(rounds) > 1 or any(each.get("type") != "message" for each in rounds):
        return None
    for key in ("prompt_tokens", "promptTokenCount"):
        if usage.get(key):
            return usage[key]
    keys = ("input_tokens", "inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    if recorded.wire == "anthropic":
        keys += ("cache_read_input_tokens", "cache_creation_input_tokens")
    return sum(usage.get(key) or 0 for key in keys) or None


PATHS = {
    "openai": "/chat/completions",
    "openai-responses": "/responses",
    "anthropic": "/v1/messages",
    "gemini": "/models/{model}:generateContent",
    "bedrock": "Converse",
}


def read(recorded: Recorded) -> ConversationRequest | None:
    """Return a request as `wrap` reads it; None for one that it sends on as it is."""
    path = PATHS[recorded.wire].format(model=recorded.model)
    body = recorded.body | {"model": recorded.model, "modelId": recorded.model}
    request = PROVIDERS[recorded.wire].read_request(path, body)
    if not isinstance(request, ConversationRequest):
        return None
    tools = [tool for tool in request.tools if "cachePoint" not in tool]
    return replace(request, tools=tools)


def kind_of(recorded: Recorded, tools: Sequence[Any]) -> str | None:
    said = json.dumps(recorded.messages)
    if any(not _is_ours(tool) for tool in tools) or recorded.body.get("mcp_servers"):
        return None
    if MEDIA.search(said):
        # What only an address or an id names cannot be measured: the larger is assumed.
        return "media, not seen" if NOT_SEEN.search(said) else "media"
    if '"compaction"' in said:
        return "compaction"
    if re.search(r'"(reasoning|thinking|reasoningContent)"|"thought', said):
        return "reasoning"
    # Claude is told how to think in some 28 tokens, which no list of messages shows.
    if '"thinking"' in json.dumps(recorded.body):
        return "thinking"
    if re.search(
        r'"(response_format|responseSchema|responseJsonSchema|output_?[cC]onfig)"',
        json.dumps(recorded.body),
    ) or (recorded.body.get("text") or {}).get("format"):
        return "schema"
    if re.search(r'"(function_call|tool_calls|tool_use|functionCall|toolUse)"', said):
        return "calls"
    return "tools" if tools or '"additional_tools"' in said else "text"


def _is_ours(tool: Any) -> bool:
    if not isinstance(tool, dict):
        return False
    keys = ("function", "input_schema", "toolSpec", "functionDeclarations", "parameters")
    return any(key in tool for key in keys) or tool.get("type") == "function"


def counted(recorded: Recorded, request: ConversationRequest) -> int:
    wire = get_wire(recorded.wire).for_model(recorded.model)
    meter = meter_for(recorded.model, recorded.wire)
    read = [wire.decode(plain, json_text(plain), "a message") for plain in request.messages]
    view = View.of(Log().with_messages(read), wire.terms, meter)
    preamble = Preamble.of(
        request.system, list(request.tools) or None, meter, schema=request.schema
    )
    return view.raw + preamble.tokens


def print_errors(cassettes: Path) -> None:
    """Print how far the counts are from the bills, by provider and kind."""
    errors: dict[tuple[str, str], tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for recorded in read_requests(cassettes):
        tokens = billed(recorded)
        request = read(recorded)
        if request is None:
            continue
        kind = kind_of(recorded, request.tools)
        ours = re.search(HOSTS.get(recorded.wire, ""), recorded.model)
        if recorded.status != 200 or not tokens or kind is None or not ours:
            continue
        half = zlib.crc32(recorded.name.encode()) % 2
        error = counted(recorded, request) / tokens - 1
        errors[recorded.wire, kind][half].append(error)
    print(f"{'wire':18} {'kind':16} {'half 0':>32} {'half 1':>32}")
    for (wire, kind), halves in sorted(errors.items()):
        print(f"{wire:18} {kind:16} {_told(halves[0]):>32} {_told(halves[1]):>32}")


def _told(errors: list[float]) -> str:
    if len(errors) < 2:
        return " ".join(f"{error:+.1%} of 1" for error in errors) or "-"
    lower, middle, upper = quantiles(errors, n=4, method="inclusive")
    return f"{middle:+.1%} ({lower:+.1%} to {upper:+.1%}) of {len(errors)}"
