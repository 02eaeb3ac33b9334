"""Repair broken input when it arrives, from the past only.

Each message is shown with what it needs to be legal after the ones before it. The log keeps the
original; only what is shown is repaired. Nothing looks ahead, so each view extends the last,
message for message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from steno.core.escape import set_in
from steno.core.fence import Fence
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Text, Thinking, Value
from steno.core.open_calls import OpenCalls, PendingCall
from steno.core.tape import GrowingSet
from steno.core.wire import ProviderRules

Patches = dict[int, tuple[Block, ...]]
"""What stands in place of a message's blocks, by their index."""
INTERRUPTED = "[no result: the call was interrupted]"
SILENT_FAILURE = "[the call failed and said nothing]"
LATE_RESULT = "late-result"
OPENING_NOTE = "[the conversation begins with the assistant]"
# Whole pairs and other escapes match as well and stay: an escaped backslash before `ud800`
# must not be taken for a surrogate.
_LONE_SURROGATE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)",
    re.S,
)
_ESCAPE_LENGTH = 6
_LATE_OPENING = re.compile(rf'<steno-[0-9a-f]{{12}} kind="{LATE_RESULT}" at="([0-9]+)\.([0-9]+)"')


class RepairState(Value):
    """What the repair of the next message depends on."""

    open: OpenCalls = msgspec.field(default_factory=OpenCalls)
    used: GrowingSet = msgspec.field(default_factory=GrowingSet)
    held: tuple[Message, ...] = ()
    """Texts that wait until no batch of calls is open."""
    begun: bool = False
    speaking: bool = False
    """The last message shown is the assistant's."""
    thoughts: tuple[Message, ...] = ()
    """Thinking that nothing follows yet; it is shown with its reply, or not at all."""


class Arrival(Value):
    """What is shown for a message: itself at index `main`, if at all, among what Steno adds."""

    shows: tuple[Message, ...]
    main: int | None


class _RepairedBlocks(Value):
    """A message whose blocks are legal each by itself, and the calls that it leaves open."""

    clean: Message
    """As it came, but with text that can be encoded."""
    changes: Patches
    shown: Message
    """With the changes."""
    waiting: OpenCalls
    """Earlier calls that still have no result."""
    strays: list[tuple[int, Result]]
    calls: tuple[PendingCall, ...]
    used: GrowingSet


def repair_message(
    message: Message, position: int, past: RepairState, terms: ProviderRules
) -> tuple[Arrival, RepairState]:
    """Return what is shown for the next message, and the state for the one after."""
    if message.role == "absent":
        # A fence in the list covers it, and a fence is a user message.
        return Arrival((), None), msgspec.structs.replace(past, begun=True, speaking=False)
    repaired = _repair_blocks(message, position, past, terms)
    if terms.combines and is_only_thinking(repaired.shown):
        # Reasoning is refused without the reply it led to, so it waits for that.
        # If anyone else sends thinking, what waited has no reply.
        waits = {"assistant": (*past.thoughts, repaired.shown)}
        thoughts = waits.get(repaired.shown.role, ())
        return Arrival((), None), msgspec.structs.replace(past, thoughts=thoughts)
    shown, last_thoughts = _cut_last_thinking(repaired, terms)
    waiting, held = repaired.waiting, past.held
    before: list[Message] = []
    # Given up now, though results may still come: a later repair of what was already shown
    # would break the provider's cache.
    # Further messages of one reply go on with its batch of calls.
    goes_on = terms.combines and past.speaking and shown.role == "assistant"
    if waiting and shown.blocks and not shown.only_results and not goes_on:
        before += _interrupted_results(waiting, terms)
        waiting = OpenCalls()
    if not waiting and not shown.results:
        before += held
        held = ()
    # If anyone else speaks next, the thinking is not shown at all: no state below keeps it.
    if shown.role == "assistant":
        before += past.thoughts
    held += _strays_as_text(repaired.strays, position)
    waiting = waiting.plus(repaired.calls)
    after: list[Message] = []
    if shown.blocks:
        after.append(shown)
    if not waiting:
        after += held
        held = ()
    roles = [each.role for each in (*before, *after)]
    if terms.user_begins and not past.begun and roles[:1] == ["assistant"]:
        before.insert(0, Message("user", (Text(OPENING_NOTE),), by="steno"))
    shows = (*before, *after)
    begun = past.begun or any(role != "system" for role in roles)
    speaking = past.speaking
    if roles:
        speaking = roles[-1] == "assistant"
    now = RepairState(waiting, repaired.used, held, begun, speaking, last_thoughts)
    if shown.blocks:
        return Arrival(shows, len(before)), now
    return Arrival(shows, None), now


def _repair_blocks(
    message: Message, position: int, past: RepairState, terms: ProviderRules
) -> _RepairedBlocks:
    """Repair each block by itself: pair results, drop blanks, fill voids, rename calls."""
    clean = encodable_message(message)
    # First, because the two below change results that may have a new id by then.
    changes, waiting, strays = pair_results(clean, past.open)
    if terms.refuses_blank:
        changes |= _drop_blanks(clean, changes, terms)
    if terms.refuses_void:
        changes |= _fill_voids(clean, changes)
    renamed, calls, used = _rename_calls(clean, position, past, terms)
    changes |= renamed
    shown = clean
    if changes:
        shown = clean.with_patches(clean, changes)
    return _RepairedBlocks(clean, changes, shown, waiting, strays, calls, used)


def _cut_last_thinking(
    repaired: _RepairedBlocks, terms: ProviderRules
) -> tuple[Message, tuple[Message, ...]]:
    """Cut off the thinking that a reply ends in: like a message of thinking alone it waits."""
    clean, changes = repaired.clean, repaired.changes
    last = len(clean.blocks)
    while last and isinstance(clean.blocks[last - 1], Thinking):
        last -= 1
    if not terms.combines or clean.role != "assistant" or last in (0, len(clean.blocks)):
        return repaired.shown, ()
    cut = changes | dict.fromkeys(range(last, len(clean.blocks)), ())
    rest = changes | dict.fromkeys(range(last), ())
    return clean.with_patches(clean, cut), (clean.with_patches(clean, rest),)


def is_only_thinking(message: Message) -> bool:
    return bool(message.blocks) and all(isinstance(block, Thinking) for block in message.blocks)


def pair_results(
    message: Message, waiting: OpenCalls
) -> tuple[Patches, OpenCalls, list[tuple[int, Result]]]:
    """Give each result its call, by id or else by order; a result without one is a stray."""
    changes: Patches = {}
    strays: list[tuple[int, Result]] = []
    for at, block in enumerate(message.blocks):
        if not isinstance(block, Result):
            continue
        call, waiting = waiting.answer(block.call)
        if call is None:
            strays.append((at, block))
            changes[at] = ()
        elif call.shown != block.call:
            changes[at] = (msgspec.structs.replace(block, call=call.shown),)
    return changes, waiting, strays


def _rename_calls(
    message: Message, position: int, past: RepairState, terms: ProviderRules
) -> tuple[Patches, tuple[PendingCall, ...], GrowingSet]:
    """Rename calls whose id is missing, taken, or refused by the provider."""
    used = past.used
    batch: set[str] = set()
    changes: Patches = {}
    calls: list[PendingCall] = []
    for at, block in enumerate(message.blocks):
        if not isinstance(block, Call):
            continue
        shown = block.id
        # Some hosts refuse an id that was used before; every provider does in one batch.
        taken = shown is not None and (shown in batch or past.open.shows(shown))
        taken = taken and not terms.repeats_ids
        if shown is not None and not terms.reuses_ids:
            taken = taken or shown in used
        if not shown or taken or (terms.ids and not terms.ids.fullmatch(shown)):
            shown = _new_call_id(position, at, used)
        used = used.plus(shown)
        batch.add(shown)
        calls.append(PendingCall(block.id, shown, block.name))
        if shown != block.id:
            changes[at] = (msgspec.structs.replace(block, id=shown),)
    return changes, tuple(calls), used


def _new_call_id(position: int, at: int, used: GrowingSet) -> str:
    # Made from the place, so that a view built again has the same ids.
    name = f"call_{position}_{at}"
    while name in used:
        name += "_"
    return name


def _drop_blanks(message: Message, changes: Patches, terms: ProviderRules) -> Patches:
    """Drop blank text, in results too; a failed result that is left empty gets a note."""
    gone: Patches = {}
    for at, block in enumerate(message.blocks):
        shown = changes.get(at, (block,))
        if _is_blank(block, terms):
            gone[at] = ()
        elif shown and isinstance(result := shown[0], Result):
            content = tuple(part for part in result.content if not _is_blank(part, terms))
            if not content and result.error:
                content = (Text(SILENT_FAILURE),)
            if content != result.content:
                gone[at] = (msgspec.structs.replace(result, content=content),)
    return gone


def _fill_voids(message: Message, changes: Patches) -> Patches:
    """Give results without content an empty text."""
    void: Patches = {}
    for at, block in enumerate(message.blocks):
        for result in changes.get(at, (block,)):
            if isinstance(result, Result) and not result.content:
                void[at] = (msgspec.structs.replace(result, content=(Text(""),)),)
    return void


def _is_blank(part: Block, terms: ProviderRules) -> bool:
    if not isinstance(part, Text):
        return False
    if terms.takes_spaces:
        return not part.text
    return not part.text.strip()


def _interrupted_results(waiting: Iterable[PendingCall], terms: ProviderRules) -> list[Message]:
    """Return results for calls that got none, in one message if the provider combines them."""
    results = tuple(Result(call.shown, (Text(INTERRUPTED),), error=True) for call in waiting)
    if terms.combines:
        return [Message("tool", results, by="steno")]
    return [Message("tool", (result,), by="steno") for result in results]


def _strays_as_text(strays: Sequence[tuple[int, Result]], position: int) -> tuple[Message, ...]:
    """Return stray results as fenced text, labelled as the words of a tool."""
    texts = []
    for at, result in strays:
        label = {"kind": LATE_RESULT, "at": f"{position}.{at}"}
        body = set_in("\n".join(describe_part(part) for part in result.content))
        texts.append(Message("user", (Text(str(Fence(label, body))),), by="steno"))
    return tuple(texts)


def is_late_result(message: Message) -> bool:
    """Return whether this is a result that came too late, shown as text, whole or in short."""
    if message.by != "steno" or message.role != "user" or len(message.blocks) != 1:
        return False
    block = message.blocks[0]
    # Not parsed, as we made it ourselves: a digest of a large text costs time at every look.
    return isinstance(block, Text) and _LATE_OPENING.match(block.text) is not None


def late_source(text: str) -> tuple[int, int]:
    """Return the position and the block of a late result, by the text that shows it."""
    opening = _LATE_OPENING.match(text)
    assert opening is not None
    return int(opening[1]), int(opening[2])


def describe_part(part: Text | Media | Opaque) -> str:
    """Return a part of a result as text."""
    match part:
        case Text(text):
            return text
        case Media(kind) | Opaque(kind):
            return f"[{kind}]"


def encodable_message(message: Message) -> Message:
    """Return the message without lone surrogates, which UTF-8 cannot encode."""
    raw = message.raw
    # In JSON text a lone surrogate is an escape; almost every message ends here.
    if raw is not None and not ("\\ud" in raw or "\\uD" in raw):
        return message
    blocks = tuple(_encodable_block(block) for block in message.blocks)
    if raw is not None:
        raw = _LONE_SURROGATE.sub(_replace_lone_escape, raw)
    if blocks == message.blocks and raw == message.raw:
        return message
    return msgspec.structs.replace(message, blocks=blocks, raw=raw)


def _replace_lone_escape(found: re.Match[str]) -> str:
    # A whole pair is twice as long.
    if len(found[0]) == _ESCAPE_LENGTH and found[0][1:3].lower() == "ud":
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
    """Return the text with surrogate pairs joined and lone surrogates replaced."""
    if text.isascii():
        return text
    # Through UTF-16, where two halves that belong together become one character.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
