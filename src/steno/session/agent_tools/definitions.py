"""The agent's own tools as a provider sees them: names, arguments, schemas, texts.

Owns the definitions of recall, remember, forget and compress_context, and
how a call is read. Answering a call is `AgentTools`'s.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from steno.core.errors import BadInput
from steno.core.escape import one_line
from steno.core.message import Call
from steno.recall.query import PROGRAM, Found, Hit

ANSWER_MOST = 1_500
"""Tokens of one answer, at most."""
HITS = 6
"""Hits of an answer, unless more are asked for."""
WHOLE_HITS, BRIEF_HIT = 5, 140
"""Hits of an answer whose snippets are shown whole, and characters of the others'."""
COPY_SHARE, LOOKED_AT = 0.6, 2
"""Share of equal words from which on two hits are copies, and how many times `most` is sought."""
PATH_PARTS, PATH_MOST = 3, 80
"""Parts and characters of a path that are shown, the last."""
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
    start: Annotated[
        int, Param(ge=0, description="with positions: go on from this character of the first")
    ] = 0
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
    return " ".join((arguments.__doc__ or "").split()), _schema(arguments)


def _schema(takes: type[msgspec.Struct]) -> dict[str, Any]:
    schema: dict[str, Any] = msgspec.json.decode(_schema_text(takes))
    return schema


@lru_cache
def _schema_text(takes: type[msgspec.Struct]) -> bytes:
    """Return a schema as JSON, made once; decoding it gives each caller a copy to change."""
    inner = msgspec.json.schema(takes)["$defs"][takes.__name__]
    return msgspec.json.encode(
        {key: value for key, value in inner.items() if key not in ("title", "description")}
    )


def parse_call(call: Any) -> tuple[str, str]:
    """Return the name and the JSON arguments of a call, in our form or a provider's."""
    if isinstance(call, Call):
        return call.name, call.arguments
    plain = call
    if not isinstance(call, Mapping):
        plain = msgspec.to_builtins(call, enc_hook=_plain_value)
    if not isinstance(plain, Mapping):
        raise BadInput(
            f"a call cannot be read from a {type(call).__name__}: hand in the provider's own object"
        )
    # OpenAI puts name and arguments into `function`; Anthropic calls the arguments `input`.
    function = plain.get("function")
    if not isinstance(function, Mapping):
        function = plain
    name = function.get("name")
    if not isinstance(name, str):
        raise BadInput("a call has a name: hand in the provider's own object, or a dict of it")
    arguments = function.get("arguments", function.get("input"))
    if not isinstance(arguments, str):
        # A lone surrogate is then refused with the other arguments that cannot be read.
        arguments = json.dumps(arguments or {}, default=msgspec.to_builtins)
    return name, arguments


def _plain_value(value: Any) -> Any:
    """Return an SDK's object as plain values."""
    if hasattr(value, "model_dump"):
        return value.model_dump()
    raise BadInput(f"a call cannot be read from a {type(value).__name__}")


class DescribedHit(NamedTuple):
    """A hit as an answer shows it."""

    place: str
    author: str
    words: str
    stands_for: int
    """Messages that it stands for: itself, and those that say much the same."""

    def __str__(self) -> str:
        return one_line(f"[{self.place}] {self.author}: {self.words}")


def describe_hits(
    hits: Sequence[Hit], most: int, label: Callable[[Hit], str]
) -> list[DescribedHit]:
    """Return at most so many hits, best first: its label, who said it, and its words.

    Mostly the first few answer; the others are shown in a few words, to be opened if not.
    """
    described: list[DescribedHit] = []
    for hit, copies in _fold_copies(hits)[:most]:
        words = hit.snippet
        if len(described) >= WHOLE_HITS and len(words) > BRIEF_HIT:
            words = f"{words[:BRIEF_HIT].rstrip()} …"
        place = label(hit)
        if copies:
            place += f"; much the same at {', '.join(str(copy.position) for copy in copies)}"
        described.append(DescribedHit(place, _author(hit), words, 1 + len(copies)))
    return described


def hit_place(hit: Hit) -> str:
    """Return what to open to read a hit."""
    # A result stands for itself; of a call its result may tell more.
    if hit.pair is not None and hit.pair > hit.position and "." not in hit.place:
        return f"{hit.place}-{hit.pair}"
    return hit.place


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


def _fold_copies(hits: Sequence[Hit]) -> list[tuple[Hit, list[Hit]]]:
    """Return hits with those that say much the same, each in the place of the best of them.

    The newest is shown: of a file that was read again it is what the file says now.
    """
    folded: list[tuple[Hit, list[Hit]]] = []
    for hit in hits:
        same = next((at for at, (first, _) in enumerate(folded) if _are_copies(first, hit)), None)
        if same is None:
            folded.append((hit, []))
            continue
        first, copies = folded[same]
        if hit.position > first.position:
            first, hit = hit, first
        folded[same] = (first, [*copies, hit])
    return folded


def _are_copies(one: Hit, other: Hit) -> bool:
    """Tell whether two hits show nearly the same words of one tool, about one file if any."""
    source = (one.session, one.tool, one.path)
    # What people and agents say in nearly the same words may differ in the one that counts.
    if not one.tool or source != (other.session, other.tool, other.path):
        return False
    first, second = set(one.snippet.split()), set(other.snippet.split())
    return len(first & second) >= COPY_SHARE * max(len(first), len(second))


def _author(hit: Hit) -> str:
    """Return who said it, and about which file: code alone does not tell.

    A tool's words are marked, also if another message repeats them.
    """
    file = "/".join(hit.path.split("/")[-PATH_PARTS:])[-PATH_MOST:]
    by = " ".join(filter(None, (hit.role, hit.tool, file)))
    if hit.trust == "tool" and hit.role not in ("tool", PROGRAM):
        return f"{by}, a tool's words"
    return by
