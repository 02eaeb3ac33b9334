"""A session as it happened, and what each reply used of earlier messages.

What was used does not depend on a policy: it is read once, and every policy is asked for
the same things. A *need* is a name in the arguments of a call that an earlier message
held; *content* is a line of the arguments that an earlier message showed. A use is
*distant* if the message that last held it began more than half a window before. One reply
may be several messages, as in OpenAI's responses; they make one request.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from steno.core.message import Message
from steno.lab.text import CHARACTERS_PER_TOKEN, argument_lines, full_text, message_lines, names_in

UseKind = Literal["need", "content"]
HOLDERS_MOST = 64
"""Positions that are kept for one use, the newest."""
MULTI_MESSAGE_WIRE = "openai-responses"
"""The wire on which neighbouring messages of the assistant are one reply."""


@dataclass(frozen=True, slots=True)
class RecordedUse:
    """Something that a reply used and that an earlier message said."""

    what: UseKind
    text: str
    at: int
    """The position of the message that used it."""
    holders: tuple[int, ...]
    """Positions that said it, oldest first; distance is measured from the last."""
    far: int
    """Characters between the beginning of its last holder and that of the reply."""

    def is_distant(self, window: int) -> bool:
        return self.far > window * CHARACTERS_PER_TOKEN // 2


@dataclass(frozen=True)
class SessionOrigin:
    """Where `steno open` finds a session."""

    file: str
    session: str | None = None
    """Its name, if the file holds several."""
    positions: Sequence[int | None] = ()
    """Position to open for each message, if not its index; None if it cannot be opened."""

    def position_to_open(self, at: int) -> int | None:
        if self.positions:
            return self.positions[at]
        return at


@dataclass(frozen=True)
class RecordedSession:
    """A session to replay."""

    name: str
    messages: Sequence[Message]
    times: Sequence[float | None] = ()
    """When each message was written, in seconds; None if the transcript does not say."""
    wire: str = "openai"
    origin: SessionOrigin | None = None
    """Where it can be opened; None if it cannot, for example if it came through a pipe."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(map(full_text, self.messages))

    @property
    def tokens(self) -> int:
        return sum(map(len, self.texts)) // CHARACTERS_PER_TOKEN

    @cached_property
    def requests(self) -> dict[int, range]:
        """Positions of each reply, by the first of them; before it a request was made."""
        found: dict[int, range] = {}
        first = -1
        for at, message in enumerate(self.messages):
            if message.role != "assistant":
                first = -1
                continue
            if first < 0 or self.wire != MULTI_MESSAGE_WIRE:
                first = at
            found[first] = range(first, at + 1)
        return found

    @cached_property
    def uses(self) -> dict[int, tuple[RecordedUse, ...]]:
        """What each reply used, by the position of its request."""
        return {at: found for at, found in _find_uses(self) if found}

    @cached_property
    def message_labels(self) -> tuple[str, ...]:
        """A label for each message: "user", "Read result", "Edit call"."""
        called: dict[str | None, str] = {}
        found = []
        for message in self.messages:
            called.update((call.id, call.name) for call in message.calls)
            found.append(_message_label(message, called))
        return tuple(found)

    def idle_seconds(self, before: int, now: int) -> float:
        """Return the seconds between two messages; 0 if a time is not known."""
        if max(before, now) >= len(self.times):
            return 0.0
        first, last = self.times[before], self.times[now]
        if first is None or last is None:
            return 0.0
        return max(0.0, last - first)


def _message_label(message: Message, called: dict[str | None, str]) -> str:
    result = next(message.results, None)
    if result is not None:
        name = called.get(result.call)
        if name:
            return f"{name} result"
        return "result"
    call = next(message.calls, None)
    if call:
        return f"{call.name} call"
    return message.role


def _find_uses(recorded: RecordedSession) -> Iterable[tuple[int, tuple[RecordedUse, ...]]]:
    named: dict[str, list[int]] = {}
    shown: dict[str, list[int]] = {}
    begins: list[int] = []
    start = 0
    for at, message in enumerate(recorded.messages):
        # Before the reply's own words are added: it does not use what it says itself.
        if at in recorded.requests:
            uses: list[RecordedUse] = []
            for part in recorded.requests[at]:
                uses += _uses_in(recorded.messages[part], part, named, shown, begins, start)
            yield at, tuple(uses)
        for line in set(message_lines(message)):
            shown.setdefault(line, []).append(at)
        for name in names_in(recorded.texts[at]):
            named.setdefault(name, []).append(at)
        begins.append(start)
        start += len(recorded.texts[at])


def _uses_in(
    message: Message,
    at: int,
    named: dict[str, list[int]],
    shown: dict[str, list[int]],
    begins: list[int],
    now: int,
) -> Iterable[RecordedUse]:
    for call in message.calls:
        for what, wanted, held in (
            ("need", names_in(call.arguments), named),
            ("content", argument_lines(call.arguments), shown),
        ):
            # Sorted: a set's order of strings changes from process to process.
            for text in sorted(wanted & held.keys()):
                holders = tuple(held[text][-HOLDERS_MOST:])
                yield RecordedUse(what, text, at, holders, now - begins[holders[-1]])  # type: ignore[arg-type]
