"""Steno's own policies, replayed through a real session."""

from __future__ import annotations

import re
from collections.abc import Sequence

from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Log
from steno.core.message import Block, Call, Media, Message, Result, Span, Text
from steno.core.meter import Meter, Overheads
from steno.core.view import View
from steno.engine.policy import Policy
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayPart, ReplayRequest
from steno.lab.text import CHARACTERS_PER_TOKEN
from steno.providers import encode_messages, get_wire, parse_json
from steno.session.session import Session

_PLACE = re.compile(r"(\d+)(?:-(\d+))?(?:\.\d+)?")


def metric_meter() -> Meter:
    """Return a meter that counts as the metric does: four characters to a token, no overhead."""
    return Meter("replay", _count_tokens, _media_tokens, Overheads(0, 0, 0, 0, 0, 0))


def _count_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _media_tokens(media: Media) -> int:
    return 0  # the metric counts text only


class ShownItems:
    """Makes requests of views; the same item gives the same parts."""

    def __init__(self) -> None:
        self._shown: dict[int, tuple[Item, tuple[ReplayPart, ...], tuple[Span, ...]]] = {}

    def request(self, view: View) -> ReplayRequest:
        parts: list[ReplayPart] = []
        pointers: list[Span] = []
        shown: dict[int, tuple[Item, tuple[ReplayPart, ...], tuple[Span, ...]]] = {}
        for item in view.items:
            held = self._shown.get(item.span.start)
            # The same parts for the same item: bill and judge compare parts by identity.
            if held is None or held[0] is not item:
                held = (item, tuple(_item_parts(item)), tuple(_item_pointers(item)))
            shown[item.span.start] = held
            parts += held[1]
            pointers += held[2]
        self._shown = shown
        return ReplayRequest(tuple(parts), tuple(pointers))


class StenoPolicy:
    """A session under a policy, used as an agent's loop would use it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._items = ShownItems()

    @classmethod
    def bare(
        cls,
        window: int,
        policy: Policy,
        wire: str = "openai",
        reserve: int = 0,
        log: Log | None = None,
    ) -> StenoPolicy:
        """Return a policy under the terms of the other policies: their meter, and their reserve."""
        session = Session(
            wire=wire, window=window, reserve=reserve, policy=policy, meter=metric_meter(), log=log
        )
        return cls(session)

    @property
    def commits(self) -> int:
        return len(self.session.log.commits)

    def add(self, message: Message) -> None:
        host = self.session.host
        # A position is what the other policies know a message by.
        host.add(*encode_messages(host.wire, [message]))

    def request(self) -> ReplayRequest:
        self.session.host.settle()
        return self.current_request()

    def current_request(self) -> ReplayRequest:
        """Return what the view shows now, without compacting."""
        return self._items.request(self.session.view)


class AsItWas:
    """The session's own requests, with the compactions that were made then."""

    def __init__(self, recorded: RecordedSession) -> None:
        self._log = recorded.log or Log().with_messages(recorded.messages)
        self._positions = [at for at, _ in enumerate(recorded.messages)]
        if recorded.origin is not None and recorded.log is not None:
            self._positions = list(recorded.origin.positions)
        self._added = 0
        self._view = View.of(Log(), get_wire(recorded.wire).terms, metric_meter())
        self._items = ShownItems()
        self.commits = 0

    def add(self, message: Message) -> None:
        self._added += 1

    def request(self) -> ReplayRequest:
        at = self._positions[self._added]
        self._view = self._view.with_messages(self._log.messages[len(self._view.messages) : at])
        landed = sum(commit.landed <= at for commit in self._log.commits)
        if landed > self.commits:
            self.commits = landed
            self._view = self._view.fold(Log(self._view.messages, self._log.commits.upto(landed)))
        return self._items.request(self._view)


def _item_parts(item: Item) -> list[ReplayPart]:
    """Return the parts an item shows; messages that Steno wrote over others are summaries."""
    parts = []
    for message in item.shows:
        if message.blocks:
            summary = item.level > 0 and message.by == "steno"
            parts.append(ReplayPart.of(message, summary=summary))
    return parts


def _item_pointers(item: Item) -> list[Span]:
    """Return the spans that the item's own fences say how to open."""
    found = []
    for message in item.shows:
        for text in _fence_texts(_steno_blocks(message)):
            fence = Fence.parse(text)
            place = fence and _PLACE.fullmatch(
                fence.label.get("covers") or fence.label.get("at", "")
            )
            if place:
                found.append(Span(int(place[1]), int(place[2] or place[1]) + 1))
    if item.summary is not None:
        found += item.summary.hides
    return found


def _steno_blocks(message: Message) -> Sequence[Block]:
    """Return the blocks that Steno wrote; a fence of others points to nothing here."""
    if message.by == "steno":
        return message.blocks
    return [block for _, blocks in message.patches for block in blocks]


def _fence_texts(blocks: Sequence[Block]) -> list[str]:
    texts = []
    for block in blocks:
        match block:
            case Text(text):
                texts.append(text)
            case Result(_, content):
                texts += [part.text for part in content if isinstance(part, Text)]
            # A shortened argument has its fence inside the JSON.
            case Call(_, _, arguments) if "<steno-" in arguments:
                texts += _strings(arguments)
    return texts


def _strings(arguments: str) -> list[str]:
    """Return the strings in the arguments of a call: an object, or one string."""
    try:
        read = parse_json(arguments)
    except (ValueError, RecursionError):
        return []
    if isinstance(read, str):
        return [read]
    if not isinstance(read, dict):
        return []
    return [value for value in read.values() if isinstance(value, str)]
