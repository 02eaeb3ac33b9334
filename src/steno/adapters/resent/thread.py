"""What goes out for a view: the caller's own objects wherever nothing was edited.

They carry what the caller says this time, a cache mark that has moved for one;
what is encoded from the log would bring old marks back, more than a provider
allows. A message of which some blocks are shown otherwise is told from the
caller's own text too.

A session and how its caller last told it.

Owns the taking in of a list that was laid on the session: what is new is added,
what the caller no longer sends is hidden by an edit that shows nothing, and the
newest message may be told otherwise once. Which session a list belongs to is
decided elsewhere.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from steno.adapters.resent.align import Alignment, align_lists
from steno.adapters.resent.incoming import IncomingMessage
from steno.core import message_key as chain
from steno.core.log import Commit, Edit
from steno.core.message import Block, Message, Patch, Result, Span, Text
from steno.core.seam import find_seams
from steno.core.view import View
from steno.core.wire import Wire
from steno.session.session import Session
from steno.wires import json_text, parse_json

CACHE_MARK = "cache_control"


class RequestRenderer:
    """Remembers what the last request was made of: most of it goes out again."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[Message, bytes, list[Any]]] = {}

    def render(
        self, session: Session, view: View, given: Mapping[int, IncomingMessage]
    ) -> list[Any]:
        """A message that says nothing goes out as it came: what is wrong with it is between caller and provider."""
        shown: list[Any] = []
        used: dict[int, tuple[Message, bytes, list[Any]]] = {}
        messages = list(view.messages)
        for item in view.items:
            position = item.span.start
            if position in given and len(item.span) == 1 and not messages[position].blocks:
                shown.append(given[position].given)
                continue
            for at, message in enumerate(item.shows):
                said = given.get(position) if at == item.main else None
                if said is not None and message is messages[position]:
                    shown.append(said.given)
                elif message.blocks:
                    text = said.text if said is not None and message.patches else b""
                    last = self._last.get(id(message))
                    if last is None or last[0] is not message or last[1] != text:
                        last = (
                            message,
                            text,
                            _encode_message(session.setup.wire, message, messages[position], text),
                        )
                    used[id(message)] = last
                    shown += last[2]
        self._last = used
        return shown


def _encode_message(wire: Wire, message: Message, said: Message, text: bytes) -> list[Any]:
    """A message that is not shown as it was said; told from the text it has now, where it has one."""
    if not text:
        return [without_cache_marks(parse_json(part)) for part in wire.encode(message)]
    raw = text.decode()
    now = wire.decode(parse_json(raw), raw, "a message")
    patches = tuple(sorted(_move_patches(message.patches, said.blocks, now.blocks)))
    return [parse_json(part) for part in wire.encode(msgspec.structs.replace(now, patches=patches))]


def _move_patches(
    patches: Sequence[Patch], said: Sequence[Block], now: Sequence[Block]
) -> Iterator[Patch]:
    """The patches for the blocks that are still there: what lived only on the newest message is gone."""
    for at, blocks in patches:
        to = next((to for to, block in enumerate(now) if block == said[at]), None)
        to = (
            next((to for to, block in enumerate(now) if is_within(block, said[at])), None)
            if to is None
            else to
        )
        if to is not None:
            yield to, blocks


def is_within(block: Block, other: Block) -> bool:
    """A block that says nothing beyond the other."""
    match block, other:
        case Text(text), Text(whole):
            return bool(text.strip()) and text.strip() in whole
        case Result(call), Result(was):
            return call == was and bool(block.text.strip()) and block.text.strip() in other.text
    return block == other


def without_cache_marks(value: Any) -> Any:
    """A message without the cache marks of an earlier call, its blocks' too."""
    if not isinstance(value, dict):
        return value
    kept = {key: each for key, each in value.items() if key != CACHE_MARK}
    if isinstance(kept.get("content"), list):
        kept["content"] = [without_cache_marks(each) for each in kept["content"]]
    return kept


_REMINDER = re.compile(
    r"\s*<(?P<tag>[\w-]*reminder|(?:system|environment)[-_][\w-]+)(?:\s[^<>]*)?>.*?</(?P=tag)>\s*",
    re.S | re.I,
)
"""What a harness puts on its newest message and takes off again; a person's words are not in such a block."""


class ResentThread:
    def __init__(self, session: Session, keys: Sequence[bytes] = ()) -> None:
        """`keys` are those of the first messages as the caller says them, where that is known."""
        self.session = session
        self.lock = threading.RLock()
        """Held from the taking in of a list until what to send for it is made: nobody's words come between."""
        self.model = session.told.model
        self.live: list[int] = []
        """The positions that are in the caller's list, in order."""
        self.keys: list[bytes] = []
        self.usage: Any = None
        """What the provider reported for the last request."""
        self.marks: list[tuple[bytes, bytes]] = []
        """Chain and message keys under which it is found."""
        self.tip = chain.EMPTY_CHAIN
        """The chain key before its newest message."""
        self._otherwise = False
        self._redacted: set[int] = set()
        self._painter = RequestRenderer()
        self.catch_up(keys)

    def catch_up(self, keys: Sequence[bytes] = ()) -> None:
        """Take in what others have said to the session."""
        gone = _dropped_positions(self.session)
        start = self.live[-1] + 1 if self.live else 0
        for position in range(start, len(self.session.log.messages)):
            message = self.session.log.messages[position]
            if message.by == "caller" and message.role != "absent" and position not in gone:
                self.live.append(position)
                at = len(self.live) - 1
                self.keys.append(keys[at] if at < len(keys) else chain.message_key(message))
                if (
                    self.session.setup.redact is not None
                ):  # whether it was redacted is not kept: as it is kept is safe
                    self._redacted.add(position)

    def align(self, said: Sequence[IncomingMessage]) -> Alignment:
        """How a list lies on what the caller told before."""
        return align_lists(
            self.keys, [each.key for each in said], lambda at: self._replaces(said[at])
        )

    def _replaces(self, said: IncomingMessage) -> bool:
        if self._otherwise or not self.live:
            return False
        plain = self.session.clean(parse_json(said.text.decode()))
        new = self.session.setup.wire.decode(plain, json_text(plain), "the newest message")
        return differs_by_reminders(new, self.session.log.messages[self.live[-1]])

    def take_in(self, said: Sequence[IncomingMessage], how: Alignment) -> None:
        """Add what is new, and hide what is gone."""
        self.live = self.live[: how.kept] + self.live[how.resumes :]
        self.keys = self.keys[: how.kept] + self.keys[how.resumes :]
        if how.replaced:
            self._otherwise = True
            self.keys[-1] = said[how.old - 1].key
        new = said[how.old :]
        if new:
            self.session.add(*(parse_json(each.text.decode()) for each in new), usage=self.usage)
            self.usage = None
            end = len(self.session.log.messages)
            self.live += range(end - len(new), end)
            self.keys += [each.key for each in new]
            self._note_redactions(new, end - len(new))
            self._otherwise = False
        self._hide_gaps()

    def _note_redactions(self, new: Sequence[IncomingMessage], start: int) -> None:
        """What is kept without its secrets is sent as it is kept."""
        if self.session.setup.redact is not None:
            messages = self.session.log.messages
            self._redacted |= {
                at
                for at, each in enumerate(new, start)
                if chain.message_key(messages[at]) != each.key
            }

    def _hide_gaps(self) -> None:
        """The caller does not send these any more: nothing is shown of them, as far as seams allow."""
        if self.live and self.live[-1] + 1 == len(self.live):
            return
        view = self.session.view
        starts = {item.span.start: at for at, item in enumerate(view.items)} | {
            len(view.messages): len(view.items)
        }
        allowed = find_seams(view.items, view.terms)
        edits = []
        for before, after in pairwise((-1, *self.live)):
            if all(message.by == "steno" for message in view.messages[before + 1 : after]):
                continue  # what Steno said is in no caller's list
            first = next(
                (starts[p] for p in range(before + 1, after) if starts.get(p) in allowed), None
            )
            last = next(
                (
                    starts[p]
                    for p in range(after, before, -1)
                    if _may_begin(view, starts.get(p), allowed)
                ),
                None,
            )
            if first is None or last is None or first >= last:
                continue
            covered = view.items[first:last]
            if any(message.blocks for item in covered for message in item.shows):
                span = Span(covered[0].span.start, covered[-1].span.stop)
                edits.append(Edit(span, (), "resent", level=1))
        if edits:
            self._land(edits)

    def _land(self, edits: Sequence[Edit]) -> None:
        session = self.session
        load = session.load
        after = load - session.view.raw + session.view.with_edits(edits).raw
        log = session.log
        commit = Commit(
            len(log.commits), len(log.messages), "resent", tuple(edits), load, after, after
        )
        session.land_outcome(commit)

    def messages_to_send(
        self, said: Sequence[IncomingMessage], system: str, tools: Sequence[Any]
    ) -> list[Any]:
        """What to send instead of this list."""
        self.session.set_preamble(system, list(tools))
        self.session.wait_for_draft()
        view = self.session.view_to_send()
        given = dict(zip(self.live, said, strict=True))
        for position in self._redacted:
            given.pop(position, None)
        return self._painter.render(self.session, view, given)


def _may_begin(view: View, at: int | None, allowed: frozenset[int]) -> bool:
    """A place where the view may go on, even as its beginning."""
    if at is None or at not in allowed:
        return False
    if not view.terms.user_begins or at == len(view.items):
        return True
    shows = view.items[at].shows
    return bool(shows) and shows[0].role == "user" and not shows[0].only_results


def _dropped_positions(session: Session) -> set[int]:
    """Positions that a caller had stopped sending."""
    edits = (edit for commit in session.log.live if commit.why == "resent" for edit in commit.edits)
    return {
        position
        for edit in edits
        if not edit.shows
        for position in range(edit.span.start, edit.span.stop)
    }


def differs_by_reminders(new: Message, old: Message) -> bool:
    """The same message without a reminder that was put on it: nothing else is gone, and nothing is new."""
    if new.role != old.role or not new.blocks:
        return False
    left, was = (
        [bare for block in each.blocks if (bare := _without_reminders(block)) is not None]
        for each in (new, old)
    )
    return bool(left) and left == was and _reminders(new) <= _reminders(old)


def _reminders(message: Message) -> set[str]:
    said = (block.text for block in message.blocks if isinstance(block, Text | Result))
    return {found[0].strip() for text in said for found in _REMINDER.finditer(text)}


def _without_reminders(block: Block) -> object:
    """What a block says without reminders; None where it says nothing else."""
    match block:
        case Text(text):
            return _REMINDER.sub("", text).strip() or None
        case Result(call):
            rest = tuple(part for part in block.content if not isinstance(part, Text))
            return call, block.error, _REMINDER.sub("", block.text).strip(), rest
    return block
