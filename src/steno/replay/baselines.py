"""Policies to hold Steno against: nothing, the two everybody has, and those of written designs.

Each takes its messages as they come and shows what its rule says, legal or
not; what that loses and costs is what replay measures. All count as the
metric does, four characters to a token.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from steno.core.message import Message, Result, Text, user
from steno.replay.request import Part, Request
from steno.replay.words import CHARACTERS, text_of

SOFT, GOAL = 0.85, 0.60
CLEARED = "[cleared]"


class Everything:
    """Shows all there is, however much."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.parts: list[Part] = []
        self.characters = 0
        self.commits = 0

    def add(self, message: Message) -> None:
        part = Part.of(message)
        self.parts.append(part)
        self.characters += len(part.text)

    def request(self) -> Request:
        if self.fit():
            self.commits += 1
        return Request(tuple(self.parts))

    def fit(self) -> bool:
        """Come down to size; says whether anything was changed."""
        return False

    @property
    def size(self) -> int:
        return self.characters // CHARACTERS

    def over(self, share: float) -> bool:
        return self.size > share * self.window

    def replace(self, parts: list[Part]) -> None:
        self.parts = parts
        self.characters = sum(len(part.text) for part in parts)


class Sliding(Everything):
    """Over 85 % of the window: drop the oldest messages down to 60 %."""

    def fit(self) -> bool:
        if not self.over(SOFT):
            return False
        gone = 0
        while gone < len(self.parts) and self.over(GOAL):
            self.characters -= len(self.parts[gone].text)
            gone += 1
        self.parts = self.parts[gone:]
        return True


class Masking(Sliding):
    """Over 85 %: clear all tool results but the last ten; then slide."""

    kept = 10

    def fit(self) -> bool:
        if not self.over(SOFT):
            return False
        results = [at for at, part in enumerate(self.parts) if part.kind == "results"]
        old = set(results[: -self.kept])
        self.replace([_cleared(part) if at in old else part for at, part in enumerate(self.parts)])
        super().fit()
        return True


class Ratio(Everything):
    """Over 85 %: the oldest half of the messages goes, again and again while that is too little."""

    ratio = 0.5

    def fit(self) -> bool:
        if not self.over(SOFT):
            return False
        while self.over(SOFT) and len(self.parts) > 1:
            head = [part for part in self.parts[:1] if part.kind == "prompt"]
            said = self.parts[len(head) :]
            self.replace([*head, *said[max(1, int(len(said) * self.ratio)) :]])
        return True


class Snippets(Everything):
    """At 80 %: the last six messages stay; of what was between, replies by 100 characters, 500 in all."""

    fill, recent, each, most = 0.80, 6, 100, 500

    def fit(self) -> bool:
        if self.size < self.fill * self.window or len(self.parts) < self.recent + 2:
            return False
        head = [part for part in self.parts if part.kind == "prompt"]
        said = [part for part in self.parts if part.kind != "prompt"]
        old, recent = said[: -self.recent], said[-self.recent :]
        told = "; ".join(" ".join(part.text.split())[: self.each] for part in old if part.kind == "assistant")
        told = told if len(told) <= self.most else told[: self.most] + "..."
        self.replace([*head, _summary(f"{len(old)} messages archived. {told}"), *recent])
        return True


class Entries(Everything):
    """Over 60 %: the last three entries stay, the rest is told by the first 200 characters of each."""

    fill, recent, each = 0.60, 3, 200

    def fit(self) -> bool:
        if not self.over(self.fill):
            return False
        head = [part for part in self.parts if part.kind == "prompt"]
        entries = list(_entries(part for part in self.parts if part.kind != "prompt"))
        if len(entries) <= self.recent:
            return False
        told = "\n".join("\n".join(part.text for part in entry)[: self.each] for entry in entries[: -self.recent])
        kept = [part for entry in entries[-self.recent :] for part in entry]
        self.replace([*head, _summary(told), *kept])
        return True


def _cleared(part: Part) -> Part:
    if part.text == CLEARED:
        return part
    blocks = tuple(
        msgspec.structs.replace(block, content=(Text(CLEARED if not at else ""),))
        if isinstance(block, Result)
        else block
        for at, block in enumerate(part.message.blocks)
    )
    message = msgspec.structs.replace(part.message, blocks=blocks)
    return Part(message, text_of(message), part.kind)


def _summary(text: str) -> Part:
    return Part.of(user(text, by="steno"), summary=True)


def _entries(parts: Iterable[Part]) -> Iterable[list[Part]]:
    """A call with its results, or a message."""
    held: list[Part] = []
    for part in parts:
        if held and part.kind != "results":
            yield held
            held = []
        held.append(part)
    if held:
        yield held
