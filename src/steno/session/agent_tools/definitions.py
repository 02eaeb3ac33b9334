"""The agent's own tools as a provider sees them: names, arguments, schemas, texts."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec

from steno.core.errors import BadInput
from steno.core.escape import one_line
from steno.core.message import Call
from steno.providers import json_text, to_plain
from steno.providers.shared.plain_json import get_field
from steno.recall.described import HITS, describe_hits
from steno.recall.query import Found, Hit
from steno.summary.words import LEFT_OUT

ANSWER_MOST = 1_500
"""Tokens of one answer, at most."""
ERROR_ENDS = 250
"""Characters of a long error's beginning and of its end, which says what to do instead."""
Param = msgspec.Meta


class RecallArguments(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Find or open anything said earlier in this conversation, also what is no longer shown, and
    in earlier sessions of this user. Nothing is ever lost."""

    query: Annotated[
        str, Param(description="words, an identifier, a path or a quote to look for")
    ] = ""
    positions: Annotated[
        str,
        Param(
            description='page these back in, word for word: "17", "17-42" or "17.2"; '
            "with query, the passage of each that matches best"
        ),
    ] = ""
    start: (
        Annotated[
            int, Param(ge=0, description="with positions: go on from this character of the first")
        ]
        | msgspec.UnsetType
    ) = msgspec.UNSET
    where: Annotated[
        Literal["session", "user"],
        Param(description="with query: user also searches earlier sessions of this user"),
    ] = "session"
    earlier: Annotated[
        str, Param(description="with positions: name of the earlier session to open them in")
    ] = ""
    role: Literal["", "user", "assistant", "tool"] = ""
    notes: Annotated[bool, Param(description="list your own notes instead")] = False
    most: Annotated[int, Param(ge=1, le=20, description="how many hits")] = HITS


class RememberArguments(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Write a note to yourself that stays before your eyes however often the conversation is
    compacted."""

    text: Annotated[
        str, Param(min_length=1, description="one fact, decision or intention, in a sentence")
    ]


class ForgetArguments(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Strike out one of your own notes."""

    id: Annotated[int, Param(ge=0, description="the number of the note")]


class CompressContextArguments(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Compact the conversation to free room: at the end of a step, before a large result, or when
    you have what you need. Recent turns stay; everything else can be recalled. It
    happens after this round of calls; of several, the last one is done."""

    reason: Annotated[str, Param(min_length=1, pattern=r"\S", description="why now")]
    strategy: Annotated[
        Literal["summarize", "archive"],
        Param(
            description="summarize tells what happened; "
            "archive leaves only computed lines and where to find it"
        ),
    ] = "summarize"
    preserve_markers: Annotated[
        bool, Param(description="keep what you doubted or corrected word for word")
    ] = True


TOOL_ARGUMENTS: dict[str, type[msgspec.Struct]] = {
    "recall": RecallArguments,
    "remember": RememberArguments,
    "forget": ForgetArguments,
    "compress_context": CompressContextArguments,
}


def tool_definition(name: str) -> tuple[str, dict[str, Any]]:
    """Return the description and the schema of one tool."""
    arguments = TOOL_ARGUMENTS[name]
    # A copy, which its caller may change.
    return " ".join((arguments.__doc__ or "").split()), deepcopy(_schema(arguments))


@lru_cache
def _schema(takes: type[msgspec.Struct]) -> dict[str, Any]:
    inner = msgspec.json.schema(takes)["$defs"][takes.__name__]
    return {key: value for key, value in inner.items() if key not in ("title", "description")}


def parse_call(call: Any) -> tuple[str, str]:
    """Return the name and the JSON arguments of a call, in our form or a provider's."""
    if isinstance(call, Call):
        return call.name, call.arguments
    # OpenAI puts name and arguments into `function`.
    function = get_field(call, "function") or call
    name = get_field(function, "name")
    if not isinstance(name, str):
        raise BadInput(
            f"a call cannot be read from a {type(call).__name__}: hand in the provider's own object"
        )
    arguments: Any = None
    # Anthropic's and Bedrock's calls have an `input`, Gemini's and LangChain's have `args`.
    for key in ("arguments", "input", "args"):
        if arguments is None:
            arguments = get_field(function, key)
    if not isinstance(arguments, str):
        arguments = json_text(to_plain(arguments or {}, "arguments"))
    return name, arguments


def render_hits(
    found: Found, most: int, count: Callable[[str], int], label: Callable[[Hit], str]
) -> str:
    """Return the answer to a search, as much as fits."""
    room = ANSWER_MOST
    lines: list[str] = []
    more = found.more + len(found.hits)
    for hit in describe_hits(found.hits, most, label):
        line = str(hit)
        room -= count(line) + 1
        if room < 0 and lines:
            break
        lines.append(line)
        more -= hit.stands_for
    if more:
        lines.append(f"{more} more: say it more exactly, or ask for more")
    if found.note:
        lines.append(f"({found.note})")
    return "\n".join(lines) or "nothing was found"


def error_line(wrong: Exception) -> str:
    """Return an error as a model gets it: it may quote arguments of any length in its middle."""
    line = one_line(str(wrong))
    if len(line) <= 2 * ERROR_ENDS:
        return line
    return f"{line[:ERROR_ENDS]}{LEFT_OUT}{line[-ERROR_ENDS:]}"
