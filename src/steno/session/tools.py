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

from steno.core.error import BadInput, NotHere, StenoError
from steno.core.message import Call, Message
from steno.session import notes, page, wish
from steno.session.place import Place, place_of
from steno.session.recall import Found, Hit

if TYPE_CHECKING:
    from steno.session.held import Held

ANSWER_MOST = 2_000
"""Tokens of one answer."""
Said = msgspec.Meta


class Recall(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Find or open anything said earlier in this conversation, also what is no longer shown. Nothing is ever lost."""

    query: Annotated[str, Said(description="words, an identifier, a path or a quote to look for")] = ""
    positions: Annotated[str, Said(description='open these instead, word for word: "17", "17-42" or "17.2"')] = ""
    start: Annotated[int, Said(ge=0, description="with positions: go on from this character of the first")] = 0
    role: Literal["", "user", "assistant", "tool"] = ""
    notes: Annotated[bool, Said(description="list your own notes instead")] = False
    most: Annotated[int, Said(ge=1, le=20, description="how many hits")] = 5


class Remember(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Write a note to yourself that stays before your eyes however often the conversation is compacted."""

    text: Annotated[str, Said(min_length=1, description="one fact, decision or intention, in a sentence")]


class Forget(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Strike out one of your own notes."""

    id: Annotated[int, Said(ge=0, description="the number of the note")]


class PageIn(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Bring earlier messages back before your eyes, whole, for some turns. Use recall to look something up once."""

    positions: Annotated[str, Said(description='"17" or "17-42"')]
    turns: Annotated[int, Said(ge=1, le=50)] = page.TURNS


class CompressContext(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Compact the conversation to free room: at the end of a step, before a large result, or when you have what you
    need. Recent turns stay; everything else can be recalled. It happens after this round of calls."""

    reason: Annotated[str, Said(min_length=1, pattern=r"\S", description="why now")]
    strategy: Annotated[
        Literal["summarize", "archive"],
        Said(description="summarize tells what happened; archive leaves only computed lines and where to find it"),
    ] = "summarize"
    preserve_markers: Annotated[bool, Said(description="keep what you doubted or corrected word for word")] = True


NAMES: dict[str, type[msgspec.Struct]] = {
    "recall": Recall,
    "remember": Remember,
    "forget": Forget,
    "page_in": PageIn,
    "compress_context": CompressContext,
}


def names(session: Held) -> list[str]:
    """The tools that are offered: to compact only where the agent is the one who decides."""
    return [name for name in NAMES if name != "compress_context" or session.setup.policy.agent_controlled]


def defined(session: Held) -> list[tuple[str, str, dict[str, Any]]]:
    """Name, description and schema of each tool."""
    return [(name, _description(session, name), _schema(NAMES[name])) for name in names(session)]


def definition(name: str) -> tuple[str, dict[str, Any]]:
    """Description and schema of one tool, whatever the session."""
    return " ".join((NAMES[name].__doc__ or "").split()), _schema(NAMES[name])


def _description(session: Held, name: str) -> str:
    said, _ = definition(name)
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
    return msgspec.json.encode({key: value for key, value in inner.items() if key not in ("title", "description")})


def handle(session: Held, call: Call | Mapping[str, Any] | Any) -> str | None:
    """The answer to a call of one of these tools; None for a call of somebody else's."""
    name, arguments = _read(call)
    if name not in names(session):
        return None
    try:
        return answered(session, name, arguments)
    except StenoError as wrong:
        return f"error: {wrong}"


def answered(session: Held, name: str, arguments: str) -> str:
    """The answer of one of these tools; what is wrong with its arguments is raised, with what to do instead."""
    try:
        given = msgspec.json.decode(arguments or "{}", type=NAMES[name])
        return _ANSWERS[name](session, given)
    except (msgspec.DecodeError, UnicodeEncodeError) as wrong:
        takes = ", ".join(NAMES[name].__struct_fields__)
        raise BadInput(f"{wrong}; {name} takes {takes}") from None


def _read(call: Any) -> tuple[str, str]:
    """Name and arguments of a call, in our form or a provider's."""
    if isinstance(call, Call):
        return call.name, call.arguments
    plain = call if isinstance(call, Mapping) else msgspec.to_builtins(call, enc_hook=_dumped)
    if not isinstance(plain, Mapping):
        raise BadInput(f"a call cannot be read from a {type(call).__name__}: hand in the provider's own object")
    function = plain.get("function")
    said = function if isinstance(function, Mapping) else plain
    name = said.get("name")
    if not isinstance(name, str):
        raise BadInput("a call has a name: hand in the provider's own object, or a dict of it")
    arguments = said.get("arguments", said.get("input"))
    return name, arguments if isinstance(arguments, str) else msgspec.json.encode(arguments or {}).decode()


def _dumped(value: Any) -> Any:
    """An SDK's object as plain values."""
    if hasattr(value, "model_dump"):
        return value.model_dump()
    raise BadInput(f"a call cannot be read from a {type(value).__name__}")


def _recalled(session: Held, asked: Recall) -> str:
    if asked.notes:
        return listed(session)
    if asked.positions:
        return opened(session, asked.positions, asked.start)
    if not asked.query.strip():
        raise BadInput("say what to look for: query, or positions to open")
    found = session.recall(asked.query, role=asked.role or None, most=asked.most)
    return told(found, session.view.meter.count)


def listed(session: Held, room: int = ANSWER_MOST) -> str:
    """The notes that stand, the newest as far as there is room, oldest first."""
    lines: list[str] = []
    standing = list(map(str, notes.notes(session)))
    for line in reversed(standing):
        room -= session.view.meter.count(line) + 1
        if room < 0 and lines:
            lines.append(f"{len(standing) - len(lines)} older notes do not fit here: strike out what is done with")
            break
        lines.append(line)
    return "\n".join(reversed(lines)) or "there are no notes"


def told(found: Found, count: Callable[[str], int], room: int = ANSWER_MOST) -> str:
    """What was found, best first, as much as there is room for: where it stands, who said it, and its words."""
    lines: list[str] = []
    for hit in found.hits:
        line = f"[{hit.place}] {_who(hit)}: {hit.snippet}"
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


def _who(hit: Hit) -> str:
    """Who said it; words that a tool gave are marked as such, whoever repeats them."""
    by = f"{hit.role} {hit.tool}".strip()
    return f"{by}, a tool's words" if hit.trust == "tool" and hit.role != "tool" else by


def opened(session: Held, where: str, start: int = 0, room: int = ANSWER_MOST) -> str:
    """What was said at these positions, as much as there is room for, marked with who said it."""
    parts = _parts(session, place_of(where))
    first = parts[0]
    if start and start >= len(first.words):
        raise BadInput(f"[{first.place}] has {len(first.words):,} characters: nothing is left from {start:,} on")
    parts[0] = replace(first, start=start)
    return page.fitted(parts, room, session.view.meter.count)[0]


def _parts(session: Held, place: Place) -> list[page.Part]:
    said: list[Message] = list(session.log.open(place.span))
    begin = place.span.start
    if place.block is None:
        return [page.Part(str(at), message.role, page.words_of(message)) for at, message in enumerate(said, begin)]
    blocks = said[0].blocks
    if place.block >= len(blocks):
        raise NotHere(f"[{begin}.{place.block}] is not there: the message has {len(blocks)} blocks, from 0 on")
    return [page.Part(f"{begin}.{place.block}", said[0].role, page.words_in(blocks[place.block]))]


def _remembered(session: Held, asked: Remember) -> str:
    note = notes.remember(session, asked.text)
    return f"noted as ({note.id})"


def _forgotten(session: Held, asked: Forget) -> str:
    return f"struck out: {notes.forget(session, asked.id)}"


def _paged(session: Held, asked: PageIn) -> str:
    place = place_of(asked.positions)
    session.log.open(place.span)  # refuses what is not there, now and not at the next turn
    wish.wished(session, {"what": "page", "where": asked.positions, "turns": asked.turns})
    return f"[{place.span}] will stand at the end of the conversation for {asked.turns} turns"


def _compressed(session: Held, asked: CompressContext) -> str:
    wish.wished(
        session,
        {
            "what": "compact",
            "strategy": asked.strategy,
            "markers": asked.preserve_markers,
            "reason": asked.reason[:500],
        },
    )
    return "the conversation will be compacted after this round of calls"


_ANSWERS: dict[str, Callable[[Held, Any], str]] = {
    "recall": _recalled,
    "remember": _remembered,
    "forget": _forgotten,
    "page_in": _paged,
    "compress_context": _compressed,
}


def indicator(session: Held) -> str | None:
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
