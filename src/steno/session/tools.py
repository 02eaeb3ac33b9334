"""The agent's own tools: recall, remember, forget, page_in and, where it decides, compress_context.

Definitions as each provider wants them, the same text between two commits, and
one place that answers their calls. An answer is bounded, cites positions, says
who spoke, and says what more there is; a bad argument is answered with what to
do instead. What a tool finds stays what it was: a tool's words are no rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from steno.core.errors import BadInput, NotHere, StenoError
from steno.core.message import Call, Message
from steno.recall.hits import Found, Hit
from steno.session import deferred, notes, page
from steno.session.place import Place, parse_place

if TYPE_CHECKING:
    from steno.session.agent_tools import AgentTools

ANSWER_MOST = 2_000
"""Tokens of one answer."""
Param = msgspec.Meta


class RecallArguments(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Find or open anything said earlier in this conversation, also what is no longer shown. Nothing is ever lost."""

    query: Annotated[
        str, Param(description="words, an identifier, a path or a quote to look for")
    ] = ""
    positions: Annotated[
        str, Param(description='open these instead, word for word: "17", "17-42" or "17.2"')
    ] = ""
    start: Annotated[
        int, Param(ge=0, description="with positions: go on from this character of the first")
    ] = 0
    role: Literal["", "user", "assistant", "tool"] = ""
    notes: Annotated[bool, Param(description="list your own notes instead")] = False
    most: Annotated[int, Param(ge=1, le=20, description="how many hits")] = 5


class RememberArguments(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Write a note to yourself that stays before your eyes however often the conversation is compacted."""

    text: Annotated[
        str, Param(min_length=1, description="one fact, decision or intention, in a sentence")
    ]


class ForgetArguments(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Strike out one of your own notes."""

    id: Annotated[int, Param(ge=0, description="the number of the note")]


class PageInArguments(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Bring earlier messages back before your eyes, whole, for some turns. Use recall to look something up once."""

    positions: Annotated[str, Param(description='"17" or "17-42"')]
    turns: Annotated[int, Param(ge=1, le=50)] = page.TURNS


class CompressContextArguments(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Compact the conversation to free room: at the end of a step, before a large result, or when you have what you
    need. Recent turns stay; everything else can be recalled. It happens after this round of calls."""

    reason: Annotated[str, Param(min_length=1, pattern=r"\S", description="why now")]
    strategy: Annotated[
        Literal["summarize", "archive"],
        Param(
            description="summarize tells what happened; archive leaves only computed lines and where to find it"
        ),
    ] = "summarize"
    preserve_markers: Annotated[
        bool, Param(description="keep what you doubted or corrected word for word")
    ] = True


TOOL_ARGUMENTS: dict[str, type[msgspec.Struct]] = {
    "recall": RecallArguments,
    "remember": RememberArguments,
    "forget": ForgetArguments,
    "page_in": PageInArguments,
    "compress_context": CompressContextArguments,
}


def tool_names(session: AgentTools) -> list[str]:
    """The tools that are offered: to compact only where the agent is the one who decides."""
    return [
        name
        for name in TOOL_ARGUMENTS
        if name != "compress_context" or session.setup.policy.agent_controlled
    ]


def tool_definitions(session: AgentTools) -> list[tuple[str, str, dict[str, Any]]]:
    """Name, description and schema of each tool."""
    return [
        (name, _description(session, name), _schema(TOOL_ARGUMENTS[name]))
        for name in tool_names(session)
    ]


def tool_definition(name: str) -> tuple[str, dict[str, Any]]:
    """Description and schema of one tool, whatever the session."""
    return " ".join((TOOL_ARGUMENTS[name].__doc__ or "").split()), _schema(TOOL_ARGUMENTS[name])


def _description(session: AgentTools, name: str) -> str:
    said, _ = tool_definition(name)
    if name != "compress_context":
        return said
    commits = [commit for commit in session.log.commits if commit.why in ("soft", "hard", "asked")]
    if not commits:
        return said
    # As of the last commit and not of now, so that the text stays the same between two.
    fill = round(100 * commits[-1].after / max(1, commits[-1].usable))
    return f"{said} After the last time the context was {fill} % full."


def _schema(takes: type[msgspec.Struct]) -> dict[str, Any]:
    schema: dict[str, Any] = msgspec.json.decode(_schema_text(takes))
    return schema


@lru_cache
def _schema_text(takes: type[msgspec.Struct]) -> bytes:
    """Made once, because every request says it; kept as text, so that nobody changes it."""
    inner = msgspec.json.schema(takes)["$defs"][takes.__name__]
    return msgspec.json.encode(
        {key: value for key, value in inner.items() if key not in ("title", "description")}
    )


def handle_call(session: AgentTools, call: Call | Mapping[str, Any] | Any) -> str | None:
    """The answer to a call of one of these tools; None for a call of somebody else's."""
    name, arguments = _parse_call(call)
    if name not in tool_names(session):
        return None
    try:
        return answer_call(session, name, arguments)
    except StenoError as wrong:
        return f"error: {wrong}"


def answer_call(session: AgentTools, name: str, arguments: str) -> str:
    """The answer of one of these tools; what is wrong with its arguments is raised, with what to do instead."""
    try:
        given = msgspec.json.decode(arguments or "{}", type=TOOL_ARGUMENTS[name])
        return _ANSWERS[name](session, given)
    except (msgspec.DecodeError, UnicodeEncodeError) as wrong:
        takes = ", ".join(TOOL_ARGUMENTS[name].__struct_fields__)
        raise BadInput(f"{wrong}; {name} takes {takes}") from None


def _parse_call(call: Any) -> tuple[str, str]:
    """Name and arguments of a call, in our form or a provider's."""
    if isinstance(call, Call):
        return call.name, call.arguments
    plain = call if isinstance(call, Mapping) else msgspec.to_builtins(call, enc_hook=_plain_value)
    if not isinstance(plain, Mapping):
        raise BadInput(
            f"a call cannot be read from a {type(call).__name__}: hand in the provider's own object"
        )
    function = plain.get("function")
    said = function if isinstance(function, Mapping) else plain
    name = said.get("name")
    if not isinstance(name, str):
        raise BadInput("a call has a name: hand in the provider's own object, or a dict of it")
    arguments = said.get("arguments", said.get("input"))
    return name, arguments if isinstance(arguments, str) else msgspec.json.encode(
        arguments or {}
    ).decode()


def _plain_value(value: Any) -> Any:
    """An SDK's object as plain values."""
    if hasattr(value, "model_dump"):
        return value.model_dump()
    raise BadInput(f"a call cannot be read from a {type(value).__name__}")


def _answer_recall(session: AgentTools, asked: RecallArguments) -> str:
    if asked.notes:
        return list_notes(session)
    if asked.positions:
        return open_positions(session, asked.positions, asked.start)
    if not asked.query.strip():
        raise BadInput("say what to look for: query, or positions to open")
    found = session.recall(asked.query, role=asked.role or None, most=asked.most)
    return render_hits(found, session.view.meter.count)


def list_notes(session: AgentTools, room: int = ANSWER_MOST) -> str:
    """The notes that stand, the newest as far as there is room, oldest first."""
    lines: list[str] = []
    standing = list(map(str, notes.standing_notes(session)))
    for line in reversed(standing):
        room -= session.view.meter.count(line) + 1
        if room < 0 and lines:
            lines.append(
                f"{len(standing) - len(lines)} older notes do not fit here: strike out what is done with"
            )
            break
        lines.append(line)
    return "\n".join(reversed(lines)) or "there are no notes"


def render_hits(found: Found, count: Callable[[str], int], room: int = ANSWER_MOST) -> str:
    """What was found, best first, as much as there is room for: where it stands, who said it, and its words."""
    lines: list[str] = []
    for hit in found.hits:
        line = f"[{hit.place}] {_author(hit)}: {hit.snippet}"
        room -= count(line) + 1
        if room < 0 and lines:
            break
        lines.append(line)
    more = found.more + len(found.hits) - len(lines)
    if more:
        lines.append(f"{more} more: say it more exactly, or ask for more")
    if found.note:
        lines.append(f"({found.note})")
    return "\n".join(lines) or "nothing was found"


def _author(hit: Hit) -> str:
    """Who said it; words that a tool gave are marked as such, whoever repeats them."""
    by = f"{hit.role} {hit.tool}".strip()
    if hit.trust == "tool" and hit.role != "tool":
        return f"{by}, a tool's words"
    return by


def open_positions(session: AgentTools, where: str, start: int = 0, room: int = ANSWER_MOST) -> str:
    """What was said at these positions, as much as there is room for, marked with who said it."""
    parts = _page_parts(session, parse_place(where))
    first = parts[0]
    if start and start >= len(first.words):
        raise BadInput(
            f"[{first.place}] has {len(first.words):,} characters: nothing is left from {start:,} on"
        )
    parts[0] = replace(first, start=start)
    return page.fit_parts(parts, room, session.view.meter.count)[0]


def _page_parts(session: AgentTools, place: Place) -> list[page.PagePart]:
    said: list[Message] = list(session.log.open(place.span))
    begin = place.span.start
    if place.block is None:
        return [
            page.PagePart(str(at), message.role, page.words_of(message))
            for at, message in enumerate(said, begin)
        ]
    blocks = said[0].blocks
    if place.block >= len(blocks):
        raise NotHere(
            f"[{begin}.{place.block}] is not there: the message has {len(blocks)} blocks, from 0 on"
        )
    return [
        page.PagePart(f"{begin}.{place.block}", said[0].role, page.block_words(blocks[place.block]))
    ]


def _answer_remember(session: AgentTools, asked: RememberArguments) -> str:
    note = notes.write_note(session, asked.text)
    return f"noted as ({note.id})"


def _answer_forget(session: AgentTools, asked: ForgetArguments) -> str:
    return f"struck out: {notes.strike_note(session, asked.id)}"


def _answer_page_in(session: AgentTools, asked: PageInArguments) -> str:
    place = parse_place(asked.positions)
    session.log.open(place.span)  # refuses what is not there, now and not at the next turn
    deferred.defer(session, {"what": "page", "where": asked.positions, "turns": asked.turns})
    return f"[{place.span}] will stand at the end of the conversation for {asked.turns} turns"


def _answer_compress(session: AgentTools, asked: CompressContextArguments) -> str:
    deferred.defer(
        session,
        {
            "what": "compact",
            "strategy": asked.strategy,
            "markers": asked.preserve_markers,
            "reason": asked.reason[:500],
        },
    )
    return "the conversation will be compacted after this round of calls"


_ANSWERS: dict[str, Callable[[AgentTools, Any], str]] = {
    "recall": _answer_recall,
    "remember": _answer_remember,
    "forget": _answer_forget,
    "page_in": _answer_page_in,
    "compress_context": _answer_compress,
}


def fill_indicator(session: AgentTools) -> str | None:
    """How full the context is, for the agent that decides itself when to compact."""
    if not session.setup.policy.agent_controlled:
        return None
    load, usable = session.load, session.budget.usable
    fill = round(100 * load / usable)
    guide = (
        "compact now with compress_context"
        if load >= usable * session.budget.hard * 0.9
        else "use compress_context at the end of a step or before a large result"
    )
    return f"[Context: {load:,} / {usable:,} tokens ({fill} %); {guide}]"
