"""What a session used again: whole things that a reader needs, not fragments.

Six measures, read once from the recorded session, without any policy:

- *names*: a path, identifier, hash or address in the arguments of a call, said before;
- *edits*: the old text of an edit, said before in one piece;
- *reads*: three lines in a row that a result repeats, so that they were read again;
- *typed*: what people typed so far, looked for at every tenth request;
- *closing*: the last words of the assistant before a person spoke again, likewise;
- *facts*: those names that only results had said: a summary that leaves them out loses them.

Names, edits, reads and facts count only if they are *distant*: the message that last said them
began more than half a window before. Facts are names seen from another side, so they are not in
totals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from steno.core.message import Message
from steno.lab.text import (
    CHARACTERS_PER_TOKEN,
    argument_values,
    line_runs,
    names_in,
    old_texts,
    plain_lines,
    spoken_text,
    typed_words,
)

Measure = Literal["names", "edits", "reads", "typed", "closing", "facts"]
SUMMED: tuple[Measure, ...] = ("names", "edits", "reads", "typed", "closing")
"""Measures whose uses add up to all uses."""
MEASURES: tuple[Measure, ...] = (*SUMMED, "facts")
HOLDERS_MOST = 64
"""Positions that are kept for one use, the newest."""
EDIT_LEAST = 20
"""Characters of an old text; a shorter one stands anywhere."""
WORDS_MOST = 1_500
"""Characters of a typed message or a closing reply; longer ones are mostly pasted."""
CHECKED_EVERY = 10
"""Requests from one look for typed words and closing replies to the next."""


@dataclass(frozen=True, slots=True)
class RecordedUse:
    """Something that the session used and that an earlier message said."""

    measure: Measure
    text: str
    """What must be visible: a name, or lines without indents and numbers."""
    at: int
    """The position of the message that used it."""
    holders: tuple[int, ...]
    """Positions that said it, oldest first; distance is measured from the last."""
    far: int | None = None
    """Characters from the beginning of its last holder to that of `at`; None: always counts."""

    def counts_in(self, window: int) -> bool:
        return self.far is None or self.far > window * CHARACTERS_PER_TOKEN // 2


def find_uses(
    messages: Sequence[Message], texts: Sequence[str], requests: dict[int, range]
) -> Iterator[tuple[int, RecordedUse]]:
    """Yield what was used, with the position of the request that should have shown it."""
    reader = _UseReader()
    request = None
    for at, message in enumerate(messages):
        if at in requests:
            request = at
            # Before the reply's own words are added: it does not use what it says itself.
            for part in requests[at]:
                yield from ((at, use) for use in reader.call_uses(messages[part], part))
            yield from ((at, use) for use in reader.people_uses(at))
        runs = line_runs(plain_lines(spoken_text(message)))
        if request is not None and message.results:
            # What a result repeats was asked for by the request before it.
            yield from ((request, use) for use in reader.read_uses(runs, at))
        reader.add(message, runs, texts[at])


class _UseReader:
    """What was said so far, and where."""

    def __init__(self) -> None:
        self.begins: list[int] = []
        self.now = 0
        """Characters said so far."""
        self.named: dict[str, list[int]] = {}
        self.runs: dict[str, list[int]] = {}
        self.said: list[str] = []
        self.results: set[int] = set()
        """Positions of messages that hold results alone."""
        self.requests = 0
        self.typed: list[tuple[str, int]] = []
        self.closing: list[tuple[str, int]] = []
        self.reply: tuple[str, int] | None = None

    def call_uses(self, message: Message, at: int) -> Iterator[RecordedUse]:
        for call in message.calls:
            names: set[str] = set()
            for value in argument_values(call.arguments):
                names |= names_in(value)
            # Sorted: a set's order of strings changes from process to process.
            for name in sorted(names & self.named.keys()):
                yield self._use("names", name, at, self.named[name])
                if self.results.issuperset(self.named[name]):
                    yield self._use("facts", name, at, self.named[name])
            for old in old_texts(call):
                text = "\n".join(plain_lines(old))
                if len(text) < EDIT_LEAST:
                    continue
                holder = self._newest_holder(text)
                if holder is not None:
                    yield self._use("edits", text, at, [holder])

    def read_uses(self, runs: Sequence[str], at: int) -> Iterator[RecordedUse]:
        for run in runs:
            if run in self.runs:
                yield self._use("reads", run, at, self.runs[run])

    def people_uses(self, at: int) -> Iterator[RecordedUse]:
        """Yield all typed words and closing replies so far, at every tenth request."""
        self.requests += 1
        if self.requests % CHECKED_EVERY:
            return
        for text, holder in self.typed:
            yield RecordedUse("typed", text, at, (holder,))
        for text, holder in self.closing:
            yield RecordedUse("closing", text, at, (holder,))

    def add(self, message: Message, runs: Sequence[str], text: str) -> None:
        at = len(self.begins)
        _remember(self.runs, set(runs), at)
        _remember(self.named, names_in(text), at)
        if message.results and not message.text:
            self.results.add(at)
        self._add_words(message, at)
        self.said.append("\n".join(plain_lines(text)))
        self.begins.append(self.now)
        self.now += len(text)

    def _add_words(self, message: Message, at: int) -> None:
        words = typed_words(message)
        if words is not None:
            if self.reply is not None:
                _append_words(self.closing, *self.reply)
            self.reply = None
            _append_words(self.typed, words, at)
        if message.role == "assistant" and message.text.strip():
            self.reply = message.text, at

    def _newest_holder(self, text: str) -> int | None:
        holders = (at for at in reversed(range(len(self.said))) if text in self.said[at])
        return next(holders, None)

    def _use(self, measure: Measure, text: str, at: int, holders: list[int]) -> RecordedUse:
        newest = tuple(holders[-HOLDERS_MOST:])
        return RecordedUse(measure, text, at, newest, self.now - self.begins[newest[-1]])


def _append_words(kept: list[tuple[str, int]], words: str, at: int) -> None:
    text = "\n".join(plain_lines(words))
    if text and len(words) <= WORDS_MOST:
        kept.append((text, at))


def _remember(places: dict[str, list[int]], texts: Iterable[str], at: int) -> None:
    for text in texts:
        places.setdefault(text, []).append(at)
