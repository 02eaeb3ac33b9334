"""Messages as a writer gets to read them.

Each message stands under a line that names its position and who spoke, in a fence that nothing
inside can close. These lines begin with a mark made of everything in the fence, so that nothing
inside can pass for another message. Long texts are cut, results first and shortest, and say so.
A message that stays in the view is marked as kept, so that a writer need not repeat it. Which
messages these are, and how they are sent, is decided by `ask`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from steno.core.fence import Fence
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Text, Thinking
from steno.core.repair import encodable_text
from steno.facts.text import excerpt

NO_LIMIT = 10**9
CUTS = (NO_LIMIT, 16_000, 8_000, 4_000, 2_000, 1_000, 500, 250, 120, 60)
"""Characters of a result to send, tried from all of them down."""
TEXT_TIMES = 4
"""How many times longer a typed or spoken text may be than a result."""
KEPT_CUT = 600
"""Characters of a result to send at most if its message stays in the view anyway."""
HEADER_TOKENS = 18
"""Tokens of the line that names a message, at most."""
PROMPT_FENCE_TOKENS = 60
"""Tokens of a fence around what a writer is sent."""

CountTokens = Callable[[str], int]


@dataclass(frozen=True)
class MaterialMessage:
    """One message as it is sent."""

    at: int
    who: str
    text: str
    tokens: int
    kept: str = ""
    """How it stays in the view; empty if it does not."""

    @property
    def header(self) -> str:
        if self.kept:
            return f"[{self.at}] {self.who}, {self.kept}:"
        return f"[{self.at}] {self.who}:"


@dataclass(frozen=True)
class MaterialChunk:
    """Messages that are sent together."""

    messages: tuple[MaterialMessage, ...]

    @property
    def positions(self) -> tuple[int, ...]:
        return tuple(message.at for message in self.messages)

    def __str__(self) -> str:
        words = "\n".join(f"{part.header}\n{part.text}" for part in self.messages)
        # A tool's output may hold lines like our headers; it cannot know the digest of the chunk.
        mark = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        body = "\n".join(f"{mark} {part.header}\n{part.text}" for part in self.messages)
        return str(Fence({"kind": "messages", "mark": mark}, body))


@dataclass(frozen=True)
class Material:
    """Messages with their positions, to be cut into chunks."""

    messages: Sequence[tuple[int, Message]]
    thinking: bool
    count: CountTokens
    kept: Mapping[int, str] = field(default_factory=dict)
    """How messages stay in the view, by position, of those that do."""

    def chunks(self, room: int, most: int) -> tuple[tuple[MaterialChunk, ...], tuple[int, ...]]:
        """Return at most `most` chunks of `room` tokens, and the positions that are left out.

        Messages are left out only if the shortest cut does not fit, the oldest first.
        """
        chunks: list[MaterialChunk] = []
        for cut in CUTS:
            messages = tuple(self._cut_messages(cut))
            estimate = sum(message.tokens for message in messages)
            if cut > CUTS[-1] and estimate > room * most * 1.5:
                continue  # not worth counting
            chunks = _pack_chunks((self._fit(message, room) for message in messages), room)
            if len(chunks) <= most:
                return tuple(chunks), ()
        first = len(chunks) - most
        left_out = (at for chunk in chunks[:first] for at in chunk.positions)
        return tuple(chunks[first:]), tuple(left_out)

    def outline(self, most: int) -> MaterialChunk:
        """Return a chunk with the first words of each message."""
        return MaterialChunk(tuple(self._cut_messages(most)))

    def _cut_messages(self, cut: int) -> Iterator[MaterialMessage]:
        """Yield what each message says, at three characters a token; a copy names the first."""
        results: dict[str, int] = {}
        for at, message in self.messages:
            kept = self.kept.get(at, "")
            # What stays in the view is shown for context only; the writer need not retell it.
            most = cut
            if kept:
                most = min(cut, KEPT_CUT)
            texts: list[str] = []
            for block in message.blocks:
                if isinstance(block, Text) and not self.thinking:
                    block = Text(message.split_reasoning(block.text)[1])
                text = encodable_text(_block_text(block, self.thinking))
                if isinstance(block, Result) and text in results:
                    text = min(text, f"(the same as [{results[text]}])", key=len)
                elif isinstance(block, Result):
                    results[text] = at
                times = 1 if isinstance(block, Result | Call) else TEXT_TIMES
                texts.append(_shorten(text, most * times))
            text = "\n".join(filter(str.strip, texts))
            if text:
                tokens = len(text) // 3 + HEADER_TOKENS
                yield MaterialMessage(at, _speaker(message), text, tokens, kept)

    def _fit(self, message: MaterialMessage, room: int) -> MaterialMessage:
        """Return the message, counted, and cut until it fits."""
        text = message.text
        tokens = self.count(text) + HEADER_TOKENS
        most = len(text)
        while tokens > room and most > 1:
            # Nine tenths: a cut text has other tokens to the character than the whole.
            most = min(most - 1, int(most * room / tokens * 0.9))
            text = _shorten(text, most)
            tokens = self.count(text) + HEADER_TOKENS
        return replace(message, text=text, tokens=tokens)


def _pack_chunks(messages: Iterable[MaterialMessage], room: int) -> list[MaterialChunk]:
    chunks: list[list[MaterialMessage]] = []
    left = 0
    for message in messages:
        if message.tokens > left:
            chunks.append([])
            left = room
        chunks[-1].append(message)
        left -= message.tokens
    return [MaterialChunk(tuple(chunk)) for chunk in chunks]


def _speaker(message: Message) -> str:
    if message.only_results or message.by == "program":
        return "tool"
    return message.role


def _block_text(block: Block, thinking: bool) -> str:
    match block:
        case Text(text):
            return text
        case Thinking(text):
            if thinking:
                return f"(thinks) {text}"
            return ""
        case Call(_, name, arguments):
            return f"(calls {name}) {arguments}"
        case Result(error=error):
            if error:
                return f"(failed) {block.text}"
            return f"(returned) {block.text}"
        case Media(kind) | Opaque(kind):
            return f"({kind})"


def _shorten(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return excerpt(text, most, f"[… {len(text) - most:,} characters left out …]")
