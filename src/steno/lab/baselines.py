"""Policies to hold Steno against: nothing, the two everybody has, and those of written designs.

Each takes its messages as they come and shows what its rule says, legal or
not; what that loses and costs is what replay measures. All count as the
metric does, four characters to a token.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from steno.core.message import Block, Message, Result, Text, user_message
from steno.lab.request import ReplayPart, ReplayRequest
from steno.lab.text import CHARACTERS_PER_TOKEN, full_text

SOFT, GOAL = 0.85, 0.60
CLEARED = "[cleared]"


class KeepEverything:
    """Shows all there is, however much."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.parts: list[ReplayPart] = []
        self.characters = 0
        self.commits = 0

    def add(self, message: Message) -> None:
        part = ReplayPart.of(message)
        self.parts.append(part)
        self.characters += len(part.text)

    def request(self) -> ReplayRequest:
        before = self.parts
        self.fit()
        if self.parts is not before:
            self.commits += [part.text for part in before] != [part.text for part in self.parts]
        return ReplayRequest(tuple(self.parts))

    def fit(self) -> None:
        """Come down to size, with other parts in the place of those there are."""

    @property
    def size(self) -> int:
        return self.characters // CHARACTERS_PER_TOKEN

    def is_over(self, share: float) -> bool:
        return self.size > share * self.window

    def replace_parts(self, parts: list[ReplayPart]) -> None:
        self.parts = parts
        self.characters = sum(len(part.text) for part in parts)


class SlidingWindow(KeepEverything):
    """Over 85 % of the window: drop the oldest messages down to 60 %."""

    def fit(self) -> None:
        if not self.is_over(SOFT):
            return
        gone = 0
        while gone < len(self.parts) and self.is_over(GOAL):
            self.characters -= len(self.parts[gone].text)
            gone += 1
        self.parts = self.parts[gone:]


class ResultMasking(SlidingWindow):
    """Over 85 %: clear all tool results but the last ten; then slide."""

    kept = 10

    def fit(self) -> None:
        if not self.is_over(SOFT):
            return
        left = self.kept
        shown = []
        for part in reversed(self.parts):
            results = sum(1 for _ in part.message.results)
            shown.append(_clear_results(part, results - left) if results > left else part)
            left = max(0, left - results)
        self.replace_parts(shown[::-1])
        super().fit()


class DropOldestHalf(KeepEverything):
    """Over 85 %: the oldest half of the messages goes, again and again while that is too little."""

    ratio = 0.5

    def fit(self) -> None:
        while self.is_over(SOFT) and len(self.parts) > 1:
            head = [part for part in self.parts[:1] if part.kind == "prompt"]
            said = self.parts[len(head) :]
            self.replace_parts([*head, *said[max(1, int(len(said) * self.ratio)) :]])


class ReplySnippets(KeepEverything):
    """At 80 %: the last six messages stay; of what was between, replies by 100 characters, 500 in all."""

    fill, recent, each, most = 0.80, 6, 100, 500

    def fit(self) -> None:
        if self.size < self.fill * self.window or len(self.parts) < self.recent + 2:
            return
        head = [part for part in self.parts if part.kind == "prompt"]
        said = [part for part in self.parts if part.kind != "prompt"]
        old, recent = said[: -self.recent], said[-self.recent :]
        told = "; ".join(
            " ".join(part.text.split())[: self.each] for part in old if part.kind == "assistant"
        )
        told = told if len(told) <= self.most else told[: self.most] + "..."
        self.replace_parts([*head, _summary_part(f"{len(old)} messages archived. {told}"), *recent])


class ClippedEntries(KeepEverything):
    """Over 60 %: the last three entries stay, the rest is told by the first 200 characters of each."""

    fill, recent, each = 0.60, 3, 200

    def fit(self) -> None:
        if not self.is_over(self.fill):
            return
        head = [part for part in self.parts if part.kind == "prompt"]
        entries = list(_group_entries(part for part in self.parts if part.kind != "prompt"))
        if len(entries) <= self.recent:
            return
        told = "\n".join(
            "\n".join(part.text for part in entry)[: self.each] for entry in entries[: -self.recent]
        )
        kept = [part for entry in entries[-self.recent :] for part in entry]
        self.replace_parts([*head, _summary_part(told), *kept])


def _clear_results(part: ReplayPart, old: int) -> ReplayPart:
    """The part with so many of its results cleared, the oldest first."""
    blocks: list[Block] = []
    for block in part.message.blocks:
        if isinstance(block, Result) and old > 0:
            block, old = msgspec.structs.replace(block, content=(Text(CLEARED),)), old - 1
        blocks.append(block)
    message = msgspec.structs.replace(part.message, blocks=tuple(blocks))
    # What was cleared before stays the same part, so that whoever compares need not look at its words.
    if message == part.message:
        return part
    return ReplayPart(message, full_text(message), part.kind)


def _summary_part(text: str) -> ReplayPart:
    return ReplayPart.of(user_message(text, by="steno"), summary=True)


def _group_entries(parts: Iterable[ReplayPart]) -> Iterable[list[ReplayPart]]:
    """A call with its results, or a message."""
    held: list[ReplayPart] = []
    for part in parts:
        if held and part.kind != "results":
            yield held
            held = []
        held.append(part)
    if held:
        yield held
