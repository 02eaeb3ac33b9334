"""Messages, the blocks they are made of, and spans of positions.

The provider's own JSON is kept beside the blocks that were read from it, because an untouched
message goes out as that exact text: unknown fields, key order, `1e2`.
"""

from __future__ import annotations

import re
from typing import Literal, dataclass_transform

import msgspec

Role = Literal["system", "user", "assistant", "tool", "absent"]
Speaker = Literal["caller", "program", "steno"]
"""Who put a message there. A program may do so under the user's role: an agent with a name, a
hook, a summary. Its words are a tool's."""


# msgspec hands `frozen` on to subclasses; type checkers have to be told.
@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Value(msgspec.Struct, frozen=True):
    """A stored or configured value; never changed in place.

    Values that come in thousands set `gc=False`: they hold no cycles, so the garbage
    collector need not walk them.
    """


class Text(Value, gc=False, tag="text"):
    text: str


class Thinking(Value, gc=False, tag="thinking"):
    """Hidden reasoning; the signature binds it to the provider that wrote it."""

    text: str
    signature: str | None = None


class Media(Value, gc=False, tag="media"):
    """An image, a document or a sound, without its bytes."""

    kind: str
    width: int | None = None
    height: int | None = None
    size: int | None = None
    """Bytes, if known."""
    pages: int | None = None
    detail: str | None = None
    characters: int | None = None
    """Characters of the text in a document, if they can be counted."""
    seconds: float | None = None
    """Length of a sound or a video, if its data says it."""

    @property
    def is_unmeasured(self) -> bool:
        """Whether only a URL or an id names it, so that nothing tells its size."""
        return self == Media(self.kind, detail=self.detail)

    @property
    def description(self) -> str:
        """What it is, in words: `image 800×600`."""
        if self.width and self.height:
            return f"{self.kind} {self.width}×{self.height}"
        if self.pages:
            return f"{self.kind}, {self.pages} pages"
        return self.kind


class Opaque(Value, gc=False, tag="opaque"):
    """A block of an unknown kind: sent on, counted, never cut."""

    kind: str
    text: str = ""


class Call(Value, gc=False, tag="call"):
    id: str | None
    name: str
    arguments: str
    """JSON text, as the model wrote it."""


class Result(Value, gc=False, tag="result"):
    call: str | None
    content: tuple[Text | Media | Opaque, ...]
    error: bool = False

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.content if isinstance(part, Text))


# Some providers have no block for it. Tags after the first words are words.
_REASONING = re.compile(r"(?:\s*<(think|thinking)>.*?</\1>)+\s*", re.S)

Block = Text | Thinking | Media | Opaque | Call | Result
Patch = tuple[int, tuple[Block, ...]]


class Message(Value, gc=False, tag="message"):
    """Role and blocks; with `raw`, the provider's own JSON text."""

    role: Role
    blocks: tuple[Block, ...]
    raw: str | None = None
    patches: tuple[Patch, ...] = ()
    """Blocks of `raw`, by index, that are replaced; `blocks` already has the replacements."""
    by: Speaker = "caller"

    @property
    def calls(self) -> list[Call]:
        return [block for block in self.blocks if isinstance(block, Call)]

    @property
    def results(self) -> list[Result]:
        return [block for block in self.blocks if isinstance(block, Result)]

    @property
    def only_results(self) -> bool:
        return bool(self.blocks) and all(isinstance(block, Result) for block in self.blocks)

    @property
    def text(self) -> str:
        # Most have one text, and this is asked of every message in every commit.
        texts = [block.text for block in self.blocks if isinstance(block, Text)]
        if self.role == "assistant":
            texts = [self.split_reasoning(text)[1] if "<think" in text else text for text in texts]
        if len(texts) == 1:
            return texts[0]
        return "\n".join(texts)

    def split_reasoning(self, text: str) -> tuple[str, str]:
        """Return the reasoning in tags that an assistant's text begins with, and what it says."""
        if self.role != "assistant" or (found := _REASONING.match(text)) is None:
            return "", text
        return found[0], text[found.end() :]

    def with_patches(self, original: Message, changes: dict[int, tuple[Block, ...]]) -> Message:
        """Return this message with some blocks of `original` replaced."""
        # Patches are numbered by the original's blocks, so a later one replaces an earlier one.
        patches = changes
        if self.patches:
            patches = dict(self.patches) | changes
        blocks: list[Block] = []
        for at, block in enumerate(original.blocks):
            blocks.extend(patches.get(at, (block,)))
        return Message(self.role, tuple(blocks), self.raw, tuple(sorted(patches.items())), self.by)


ABSENT = Message("absent", ())
"""Fills a position whose message was already covered when the list came to us."""


def user_message(text: str, *, by: Speaker = "caller") -> Message:
    """Return a user message of one text."""
    return Message("user", (Text(text),), by=by)


class Span(Value, order=True, gc=False):
    """A half-open range of positions."""

    start: int
    stop: int

    def __contains__(self, position: object) -> bool:
        return isinstance(position, int) and self.start <= position < self.stop

    def __len__(self) -> int:
        return max(0, self.stop - self.start)

    def is_within(self, other: Span) -> bool:
        """Return whether every position of this span is in the other."""
        return other.start <= self.start and self.stop <= other.stop

    def __str__(self) -> str:
        """Name both ends, as people and models read a range."""
        if len(self) == 1:
            return str(self.start)
        return f"{self.start}-{self.stop - 1}"
