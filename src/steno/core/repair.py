"""What arrives broken is mended on arrival, from the past only.

Each message is shown with what it needs to be legal after the ones before it:
a call that something else follows gets a synthetic result, a result nobody
waits for is shown as text, reused and null ids are renamed, what is blank or
cannot be encoded is left out or replaced. The log keeps what was said; only
what is shown is mended. Because nothing looks ahead, each view extends the
last, message for message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec

from steno.core.fence import Fence
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Text, Thinking
from steno.core.tape import GrowingSet
from steno.core.wire import ProviderRules

INTERRUPTED = "[no result: the call was interrupted]"
SILENT_FAILURE = "[the call failed and said nothing]"
OPENING_NOTE = "[the conversation begins with the assistant]"
_LONE_SURROGATE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)",
    re.S,
)
_ESCAPE_LENGTH = 6


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call that has no result yet."""

    said: str | None
    shown: str
    name: str


@dataclass(frozen=True, slots=True)
class RepairState:
    """What of the past decides how the next message is shown."""

    open: tuple[PendingCall, ...] = ()
    used: GrowingSet[str] = field(default_factory=GrowingSet)
    held: tuple[Message, ...] = ()
    """Texts that wait until no batch is open."""
    begun: bool = False
    speaking: bool = False
    """The last message shown is the assistant's."""
    thoughts: tuple[Message, ...] = ()
    """Thinking that nothing follows yet: it is shown with what it leads to, or not at all."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """How a message is shown: itself at index `main`, if at all, among what Steno adds."""

    shows: tuple[Message, ...]
    main: int | None


def repair_message(
    message: Message, position: int, past: RepairState, terms: ProviderRules
) -> tuple[Arrival, RepairState]:
    """How the next message is shown, and what it leaves for the one after."""
    if message.role == "absent":  # what stands for it is a fence, which speaks as the user
        return Arrival((), None), replace(past, begun=True, speaking=False)
    clean = encodable_message(message)
    changes, waiting, strays = _pair_results(clean, past.open)
    changes |= _drop_blanks(clean, changes) if terms.refuses_blank else {}
    changes |= _fill_voids(clean, changes) if terms.refuses_void else {}
    renamed, calls, used = _rename_calls(clean, position, past.used, terms)
    shown = clean.with_patches(clean, changes | renamed) if changes or renamed else clean
    if terms.combines and is_only_thinking(shown):
        return Arrival((), None), replace(past, thoughts=(*past.thoughts, shown))
    before: list[Message] = []
    if waiting and _says_more_than_results(shown) and not _continues_reply(shown, past, terms):
        before += _interrupted_results(waiting, terms)
        waiting = ()
    told = past.held
    if not waiting and not any(shown.results):
        before += told
        told = ()
    before += past.thoughts if shown.role == "assistant" else ()
    main = (shown,) if shown.blocks else ()
    told += _strays_as_text(strays, position)
    waiting += calls
    after, held = ((), told) if waiting else (told, ())
    if terms.user_begins and not past.begun and _assistant_first((*before, *main, *after)):
        before.insert(0, Message("user", (Text(OPENING_NOTE),), by="steno"))
    shows = (*before, *main, *after)
    now = RepairState(
        waiting,
        used,
        held,
        past.begun or _begins_conversation(shows),
        _assistant_spoke_last(shows, past.speaking),
    )
    return Arrival(shows, len(before) if main else None), now


def is_only_thinking(message: Message) -> bool:
    return bool(message.blocks) and all(isinstance(block, Thinking) for block in message.blocks)


def _says_more_than_results(message: Message) -> bool:
    """Something other than results is said."""
    return any(not isinstance(block, Result) for block in message.blocks)


def _continues_reply(message: Message, past: RepairState, terms: ProviderRules) -> bool:
    """One reply in several messages: its calls are still one batch."""
    return terms.combines and past.speaking and message.role == "assistant"


def _assistant_first(shows: Sequence[Message]) -> bool:
    return bool(shows) and shows[0].role == "assistant"


def _begins_conversation(shows: Sequence[Message]) -> bool:
    return any(message.role != "system" for message in shows)


def _assistant_spoke_last(shows: Sequence[Message], before: bool) -> bool:
    if shows:
        return shows[-1].role == "assistant"
    return before


def _pair_results(
    message: Message, waiting: tuple[PendingCall, ...]
) -> tuple[dict[int, tuple[Block, ...]], tuple[PendingCall, ...], list[tuple[int, Result]]]:
    """Give each result its call: by id, else by order; what finds none is a stray."""
    changes: dict[int, tuple[Block, ...]] = {}
    left = list(waiting)
    strays: list[tuple[int, Result]] = []
    for at, block in enumerate(message.blocks):
        if not isinstance(block, Result):
            continue
        call = _call_of(block, left)
        if call is None:
            strays.append((at, block))
            changes[at] = ()
            continue
        left.remove(call)
        if call.shown != block.call:
            changes[at] = (replace_call(block, call.shown),)
    return changes, tuple(left), strays


def _call_of(result: Result, waiting: Sequence[PendingCall]) -> PendingCall | None:
    for call in waiting:
        if call.said == result.call:
            return call
    if waiting and not result.call:
        return waiting[0]
    return None


def replace_call(result: Result, call: str) -> Result:
    return msgspec.structs.replace(result, call=call)


def _rename_calls(
    message: Message, position: int, used: GrowingSet[str], terms: ProviderRules
) -> tuple[dict[int, tuple[Block, ...]], tuple[PendingCall, ...], GrowingSet[str]]:
    """Rename calls whose id is missing, taken, or of a form that the provider refuses."""
    changes: dict[int, tuple[Block, ...]] = {}
    calls: list[PendingCall] = []
    for at, block in enumerate(message.blocks):
        if not isinstance(block, Call):
            continue
        fine = (
            block.id
            and block.id not in used
            and (terms.ids is None or terms.ids.fullmatch(block.id))
        )
        shown = block.id if block.id and fine else _new_call_id(position, at, used)
        used = used.plus(shown)
        calls.append(PendingCall(block.id, shown, block.name))
        if shown != block.id:
            changes[at] = (msgspec.structs.replace(block, id=shown),)
    return changes, tuple(calls), used


def _new_call_id(position: int, at: int, used: GrowingSet[str]) -> str:
    name = f"call_{position}_{at}"
    while name in used:
        name += "_"
    return name


def _drop_blanks(
    message: Message, changes: dict[int, tuple[Block, ...]]
) -> dict[int, tuple[Block, ...]]:
    """Blank text, outside results and inside, is not shown to a provider that refuses it; a failure says so."""
    gone: dict[int, tuple[Block, ...]] = {}
    for at, block in enumerate(message.blocks):
        shown = changes.get(at, (block,))
        if isinstance(block, Text) and not block.text.strip():
            gone[at] = ()
        elif shown and isinstance(result := shown[0], Result):
            content = tuple(part for part in result.content if not _is_blank(part))
            content = content or ((Text(SILENT_FAILURE),) if result.error else ())
            if content != result.content:
                gone[at] = (msgspec.structs.replace(result, content=content),)
    return gone


def _fill_voids(
    message: Message, changes: dict[int, tuple[Block, ...]]
) -> dict[int, tuple[Block, ...]]:
    """A result that came without content is shown with an empty text."""
    void: dict[int, tuple[Block, ...]] = {}
    for at, block in enumerate(message.blocks):
        for result in changes.get(at, (block,)):
            if isinstance(result, Result) and not result.content:
                void[at] = (msgspec.structs.replace(result, content=(Text(""),)),)
    return void


def _is_blank(part: Block) -> bool:
    return isinstance(part, Text) and not part.text.strip()


def _interrupted_results(waiting: Sequence[PendingCall], terms: ProviderRules) -> list[Message]:
    """Results for calls that got none: in one message where the provider takes a batch so, else one each."""
    results = tuple(Result(call.shown, (Text(INTERRUPTED),), error=True) for call in waiting)
    each = (results,) if terms.combines else tuple((result,) for result in results)
    return [Message("tool", blocks, by="steno") for blocks in each]


def _strays_as_text(strays: Sequence[tuple[int, Result]], position: int) -> tuple[Message, ...]:
    """A result without a waiting call is told, as what it is: the words of a tool."""
    told = []
    for at, result in strays:
        label = {"kind": "late-result", "at": f"{position}.{at}"}
        body = "\n".join(describe_part(part) for part in result.content)
        told.append(Message("user", (Text(str(Fence(label, body))),), by="steno"))
    return tuple(told)


def describe_part(part: Text | Media | Opaque) -> str:
    """A part of a result in words."""
    match part:
        case Text(text):
            return text
        case Media(kind):
            return f"[{kind}]"
        case Opaque(kind):
            return f"[{kind}]"


def encodable_message(message: Message) -> Message:
    """The message without lone surrogates, which no provider can be sent."""
    raw = message.raw
    if raw is not None and not ("\\ud" in raw or "\\uD" in raw):
        return message
    blocks = tuple(_encodable_block(block) for block in message.blocks)
    if raw is not None:
        raw = _LONE_SURROGATE.sub(_replace_lone_escape, raw)
    if blocks == message.blocks and raw == message.raw:
        return message
    return msgspec.structs.replace(message, blocks=blocks, raw=raw)


def _replace_lone_escape(found: re.Match[str]) -> str:
    lone = len(found[0]) == _ESCAPE_LENGTH and found[0][1:3].lower() == "ud"
    if lone:
        return "\\ufffd"
    return found[0]


def _encodable_block(block: Block) -> Block:
    match block:
        case Text(text):
            return Text(encodable_text(text))
        case Thinking(text, signature):
            return Thinking(encodable_text(text), signature)
        case Call(id, name, arguments):
            return Call(
                None if id is None else encodable_text(id),
                encodable_text(name),
                encodable_text(_LONE_SURROGATE.sub(_replace_lone_escape, arguments)),
            )
        case Result(call, content, error):
            cleaned = tuple(
                Text(encodable_text(part.text)) if isinstance(part, Text) else part
                for part in content
            )
            return Result(None if call is None else encodable_text(call), cleaned, error)
        case Opaque(kind, text):
            return Opaque(kind, _LONE_SURROGATE.sub(_replace_lone_escape, encodable_text(text)))
        case Media():
            return block


def encodable_text(text: str) -> str:
    """The text with U+FFFD for what UTF-8 cannot say."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
