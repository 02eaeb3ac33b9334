"""A session and how its caller last told it.

Owns the taking in of a list that was laid on the session: what is new is added,
what the caller no longer sends is hidden by an edit that shows nothing, and the
newest message may be told otherwise once. Which session a list belongs to is
decided elsewhere.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from steno.adapters.caller.aligned import Aligned, aligned
from steno.adapters.caller.heard import Said
from steno.adapters.caller.shown import Painter
from steno.core import chain
from steno.core.log import Commit, Edit
from steno.core.message import Block, Message, Result, Text
from steno.core.seam import seams
from steno.core.span import Span
from steno.core.view import View
from steno.session.session import Session
from steno.wire import text_of, value_of

_REMINDER = re.compile(
    r"\s*<(?P<tag>[\w-]*reminder|(?:system|environment)[-_][\w-]+)(?:\s[^<>]*)?>.*?</(?P=tag)>\s*", re.S | re.I
)
"""What a harness puts on its newest message and takes off again; a person's words are not in such a block."""


class Thread:
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
        self.tip = chain.START
        """The chain key before its newest message."""
        self._otherwise = False
        self._redacted: set[int] = set()
        self._painter = Painter()
        self.catch_up(keys)

    def catch_up(self, keys: Sequence[bytes] = ()) -> None:
        """Take in what others have said to the session."""
        gone = _gone(self.session)
        start = self.live[-1] + 1 if self.live else 0
        for position in range(start, len(self.session.log.messages)):
            message = self.session.log.messages[position]
            if message.by == "caller" and message.role != "absent" and position not in gone:
                self.live.append(position)
                at = len(self.live) - 1
                self.keys.append(keys[at] if at < len(keys) else chain.key(message))
                if (
                    self.session.setup.redact is not None
                ):  # whether it was redacted is not kept: as it is kept is safe
                    self._redacted.add(position)

    def laid(self, said: Sequence[Said]) -> Aligned:
        """How a list lies on what the caller told before."""
        return aligned(self.keys, [each.key for each in said], lambda at: self._replaces(said[at]))

    def _replaces(self, said: Said) -> bool:
        if self._otherwise or not self.live:
            return False
        plain = self.session.clean(value_of(said.text.decode()))
        new = self.session.setup.wire.decode(plain, text_of(plain), "the newest message")
        return says_less(new, self.session.log.messages[self.live[-1]])

    def take(self, said: Sequence[Said], how: Aligned) -> None:
        """Add what is new, and hide what is gone."""
        self.live = self.live[: how.kept] + self.live[how.resumes :]
        self.keys = self.keys[: how.kept] + self.keys[how.resumes :]
        if how.replaced:
            self._otherwise = True
            self.keys[-1] = said[how.old - 1].key
        new = said[how.old :]
        if new:
            self.session.add(*(value_of(each.text.decode()) for each in new), usage=self.usage)
            self.usage = None
            end = len(self.session.log.messages)
            self.live += range(end - len(new), end)
            self.keys += [each.key for each in new]
            self._note_redacted(new, end - len(new))
            self._otherwise = False
        self._hide()

    def _note_redacted(self, new: Sequence[Said], start: int) -> None:
        """What is kept without its secrets is sent as it is kept."""
        if self.session.setup.redact is not None:
            messages = self.session.log.messages
            self._redacted |= {at for at, each in enumerate(new, start) if chain.key(messages[at]) != each.key}

    def _hide(self) -> None:
        """The caller does not send these any more: nothing is shown of them, as far as seams allow."""
        if self.live and self.live[-1] + 1 == len(self.live):
            return
        view = self.session.view
        starts = {item.span.start: at for at, item in enumerate(view.items)} | {len(view.messages): len(view.items)}
        allowed = seams(view.items, view.terms)
        edits = []
        for before, after in pairwise((-1, *self.live)):
            if all(message.by == "steno" for message in view.messages[before + 1 : after]):
                continue  # what Steno said is in no caller's list
            first = next((starts[p] for p in range(before + 1, after) if starts.get(p) in allowed), None)
            last = next((starts[p] for p in range(after, before, -1) if _begins(view, starts.get(p), allowed)), None)
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
        after = load - session.view.raw + session.view.edited(edits).raw
        log = session.log
        commit = Commit(len(log.commits), len(log.messages), "resent", tuple(edits), load, after, after)
        session.landed(commit)

    def shown(self, said: Sequence[Said], system: str, tools: Sequence[Any]) -> list[Any]:
        """What to send instead of this list."""
        self.session.fix(system, list(tools))
        self.session.heed()
        view = self.session.due()
        given = dict(zip(self.live, said, strict=True))
        for position in self._redacted:
            given.pop(position, None)
        return self._painter.painted(self.session, view, given)


def _begins(view: View, at: int | None, allowed: frozenset[int]) -> bool:
    """A place where the view may go on, even as its beginning."""
    if at is None or at not in allowed:
        return False
    if not view.terms.user_begins or at == len(view.items):
        return True
    shows = view.items[at].shows
    return bool(shows) and shows[0].role == "user" and not shows[0].only_results


def _gone(session: Session) -> set[int]:
    """Positions that a caller had stopped sending."""
    edits = (edit for commit in session.log.live if commit.why == "resent" for edit in commit.edits)
    return {position for edit in edits if not edit.shows for position in range(edit.span.start, edit.span.stop)}


def says_less(new: Message, old: Message) -> bool:
    """The same message without a reminder that was put on it: nothing else is gone, and nothing is new."""
    if new.role != old.role or not new.blocks:
        return False
    left, was = ([bare for block in each.blocks if (bare := _unreminded(block)) is not None] for each in (new, old))
    return bool(left) and left == was and _reminders(new) <= _reminders(old)


def _reminders(message: Message) -> set[str]:
    said = (block.text for block in message.blocks if isinstance(block, Text | Result))
    return {found[0].strip() for text in said for found in _REMINDER.finditer(text)}


def _unreminded(block: Block) -> object:
    """What a block says without reminders; None where it says nothing else."""
    match block:
        case Text(text):
            return _REMINDER.sub("", text).strip() or None
        case Result(call):
            rest = tuple(part for part in block.content if not isinstance(part, Text))
            return call, block.error, _REMINDER.sub("", block.text).strip(), rest
    return block
