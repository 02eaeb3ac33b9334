"""A session as it happened, and what each reply used of what had been said before.

What was used does not depend on any policy: it is read once, and every policy
is asked for the same things. A *need* is a name in the arguments of a call that
an earlier message held; *content* is a line of such arguments that an earlier
message showed. Each is *distant* where the message that last held it began more
than half a window before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from steno.core.message import Message
from steno.replay.words import CHARACTERS, names, shown_lines, text_of, written_lines

What = Literal["need", "content"]
HOLDERS_MOST = 64


@dataclass(frozen=True, slots=True)
class Use:
    """Something that a reply used and that had been said before."""

    what: What
    text: str
    at: int
    """The position of the reply."""
    holders: tuple[int, ...]
    """The positions that held it, oldest first; the last one is what distance is measured from."""
    far: int
    """Characters between the beginning of its last holder and that of the reply."""

    def distant(self, window: int) -> bool:
        return self.far > window * CHARACTERS // 2


@dataclass(frozen=True)
class Tale:
    """A session to be lived through again."""

    name: str
    messages: Sequence[Message]
    times: Sequence[float | None] = ()
    """When each message was written, in seconds, where the transcript says."""
    wire: str = "openai"
    file: str = ""
    """Where it was read from."""
    several: bool = False
    """That file holds other sessions too."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(map(text_of, self.messages))

    @property
    def tokens(self) -> int:
        return sum(map(len, self.texts)) // CHARACTERS

    @cached_property
    def uses(self) -> dict[int, tuple[Use, ...]]:
        """What each reply used, by its position."""
        return dict(_uses(self.messages, self.texts))

    @cached_property
    def places(self) -> tuple[str, ...]:
        """What each message is, for people: "user", "Read result", "Edit call"."""
        called: dict[str | None, str] = {}
        found = []
        for message in self.messages:
            called |= {call.id: call.name for call in message.calls}
            found.append(_place(message, called))
        return tuple(found)

    def idle(self, before: int, now: int) -> float:
        """Seconds between two messages; none where nobody says."""
        if max(before, now) >= len(self.times):
            return 0.0
        first, last = self.times[before], self.times[now]
        return 0.0 if first is None or last is None else max(0.0, last - first)


def _place(message: Message, called: dict[str | None, str]) -> str:
    result = next(message.results, None)
    if result is not None:
        name = called.get(result.call)
        return f"{name} result" if name else "result"
    call = next(message.calls, None)
    return f"{call.name} call" if call else message.role


def _uses(messages: Sequence[Message], texts: Sequence[str]) -> Iterable[tuple[int, tuple[Use, ...]]]:
    named: dict[str, list[int]] = {}
    shown: dict[str, list[int]] = {}
    begins: list[int] = []
    start = 0
    for at, message in enumerate(messages):
        if message.role == "assistant":
            found = tuple(_used(message, at, named, shown, begins, start))
            if found:
                yield at, found
        for line in set(shown_lines(message)):
            shown.setdefault(line, []).append(at)
        for name in names(texts[at]):
            named.setdefault(name, []).append(at)
        begins.append(start)
        start += len(texts[at])


def _used(
    message: Message,
    at: int,
    named: dict[str, list[int]],
    shown: dict[str, list[int]],
    begins: list[int],
    now: int,
) -> Iterable[Use]:
    for call in message.calls:
        for what, wanted, held in (
            ("need", names(call.arguments), named),
            ("content", written_lines(call.arguments), shown),
        ):
            for text in sorted(wanted & held.keys()):
                holders = tuple(held[text][-HOLDERS_MOST:])
                yield Use(what, text, at, holders, now - begins[holders[-1]])  # type: ignore[arg-type]
