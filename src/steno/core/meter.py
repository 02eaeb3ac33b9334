"""What things weigh, in tokens.

A meter is a value: how to count a text, how to count an image, and what a
provider adds around the words. Counts are raw and additive: a message weighs
its overhead and the sum of its blocks, so a view is metered by adding what is
new. What a provider reports only moves `ratio`, which scales a finished sum
into a load; no weight that was stored has to be counted again. Vocabularies and
the choice of a meter for a model are in `steno.meters`, not here.

Tokens of a text, guessed without a vocabulary.

Each character becomes one of ten classes, and tokens are the weighted count of
a few patterns of classes: where a word, a number or a run of punctuation starts,
what is too long for one token, what stands alone. Every step runs at the speed of
`bytes.translate` and `bytes.count`. The weights were fitted to o200k_base by
non-negative least squares over prose, code, JSON, logs and Chinese, so no text
weighs less than nothing and a longer one never weighs less than its start.
Exact counting is in `steno.meters`, not here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from steno.core.message import Block, Call, Media, Message, Opaque, Result, Text, Thinking, Value

RATIO_BOUNDS = (0.5, 3.0)
WEIGHT_OF_NEWEST = 0.5
LEAST_CALIBRATION_TOKENS = 200
"""Raw tokens under which a report says more about overheads than about words."""
SLACK = 1e-9
"""Keeps 100 × 1.1 = 110.00000000000001 from being rounded up to 111."""


class Overheads(Value, frozen=True):
    """Tokens besides the words."""

    request: int
    message: int
    call: int
    result: int
    tools: int
    """Once, where any tool is defined."""
    tool: int
    """For each tool, besides its definition's text."""


@dataclass(frozen=True, slots=True)
class Meter:
    """Counts tokens; `name` says how."""

    name: str
    count: Callable[[str], int]
    """Tokens of a text; never raises, lone surrogates included."""
    image: Callable[[Media], int]
    """Tokens of a media block by the provider's rule."""
    overheads: Overheads
    ratio: float = 1.0
    """Learnt from reported usage; a load is raw × ratio."""

    def block(self, block: Block) -> int:
        """The raw weight of one block, its overhead included."""
        match block:
            case Text(text=text) | Thinking(text=text) | Opaque(text=text):
                return self.count(text)
            case Media():
                return self.image(block)
            case Call(name=name, arguments=arguments):
                return self.overheads.call + self.count(name) + self.count(arguments)
            case Result(content=content):
                return self.overheads.result + sum(map(self.block, content))

    def blocks(self, message: Message) -> tuple[int, ...]:
        """One raw weight for each block."""
        return tuple(map(self.block, message.blocks))

    def message(self, message: Message) -> int:
        """The raw weight of a message: its overhead and its blocks."""
        return self.overheads.message + sum(map(self.block, message.blocks))

    def fixed_tokens(self, system: str | None, tools: Sequence[str]) -> int:
        """The raw weight of what no edit can shrink; tools are given as JSON texts."""
        weight = self.overheads.request + (self.count(system) if system else 0)
        if tools:
            weight += self.overheads.tools + sum(
                self.overheads.tool + self.count(tool) for tool in tools
            )
        return weight

    def load(self, raw: int) -> int:
        """What a raw sum is expected to be at the provider, rounded up."""
        return math.ceil(raw * self.ratio - SLACK)

    def with_reported_usage(self, counted: int, reported: int) -> Meter:
        """This meter with its ratio moved towards what the provider reported for a request counted raw."""
        if reported <= 0 or counted < LEAST_CALIBRATION_TOKENS:
            return self
        low, high = RATIO_BOUNDS
        # Bounded before it is smoothed: one absurd report cannot outweigh the sane ones after it.
        seen = min(max(reported / counted, low), high)
        return replace(self, ratio=self.ratio + WEIGHT_OF_NEWEST * (seen - self.ratio))


def chars_per_four() -> Meter:
    """The plain estimate: a token for four characters, 4 a message, 50 a tool."""
    overheads = Overheads(request=0, message=4, call=0, result=0, tools=0, tool=50)
    return Meter("chars/4", _quarter_of_length, _flat_media, overheads)


def _quarter_of_length(text: str) -> int:
    return -(-len(text) // 4)


def _flat_media(media: Media) -> int:
    """A picture-sized weight, by the page where there are pages: this estimate knows no provider."""
    return 1_600 * max(1, media.pages or 1)


CONTINUATION = bytes(range(0x80, 0xC0))
"""UTF-8 bytes after the first of a character; dropped, so that a byte is a character."""
TWO_BYTE_LETTERS = bytes(range(0xC3, 0xE0))

WeightedPatterns = tuple[tuple[bytes, float], ...]


def _classes() -> bytes:
    """A class for each first byte: its letter is the initial of lower, upper, digit, CJK, Indic, other …"""
    table = bytearray(b"p" * 256)
    for first, last, letter in (
        (0x30, 0x39, "d"),
        (0x41, 0x5A, "u"),
        (0x61, 0x7A, "l"),
        (0xC0, 0xFF, "o"),
        # Latin with accents, Greek, Cyrillic, Hebrew and Arabic make words as ASCII letters do.
        (0xC3, 0xDF, "l"),
        (0xE0, 0xE1, "i"),
        (0xE3, 0xED, "c"),
        (0xEF, 0xEF, "c"),
    ):
        table[first : last + 1] = letter.encode() * (last + 1 - first)
    for character, letter in {" ": "s", "\t": "t", "\n": "n", "\r": "n"}.items():
        table[ord(character)] = ord(letter)
    return bytes(table)


def _mask_except(letters: bytes) -> bytes:
    return bytes(byte if byte in letters else ord(".") for byte in range(256))


BYTE_CLASSES = _classes()
RUN_STARTS = (
    (_mask_except(b"lu"), ((b".l", 0.797), (b".u", 0.85))),
    (_mask_except(b"d"), ((b".d", 1.215),)),
    (_mask_except(b"p"), ((b".p", 0.77),)),
    (_mask_except(b"s"), ((b".ss", 0.894),)),
    # A newline after punctuation joins its token; after anything else it is one of its own.
    (_mask_except(b"pn"), ((b".n", 1.221),)),
)
"""Where a run of a class begins: the pattern is counted with all other classes folded into a dot."""
TAB_STARTS = ((_mask_except(b"t"), ((b".t", 1.569),)),)

CLASS_PATTERNS = (
    (b"lsl", 0.152),
    (b"lu", 0.935),
    (b"uu", 0.423),
    (b"llllllll", 0.628),
    (b"ddd", 0.648),
    (b"ppp", 0.333),
    # A number does not take the space before it into its token, and often neither does punctuation.
    (b"sd", 0.394),
    (b"sp", 0.499),
    # Base64 and ids: few tokens hold both a capital and a digit.
    (b"ud", 2.1),
)
# Not fitted but set between registers: technical Chinese takes 0.7 tokens a character, a story 0.81.
BEYOND_ASCII = ((b"c", 0.78), (b"i", 0.5), (b"o", 0.755))
BEYOND_ASCII_LETTER = 0.2
"""Besides its place in a word: such words are cut into more tokens than English ones."""


def estimate(text: str) -> int:
    """Tokens of a text by o200k_base, give or take a tenth; at least one where there is a character."""
    if not text:
        return 0
    data = text.encode("utf-8", "surrogatepass")
    classes = b"." + data.translate(BYTE_CLASSES, CONTINUATION)
    tokens = _weigh_patterns(classes, CLASS_PATTERNS)
    for folding, patterns in (*RUN_STARTS, *TAB_STARTS) if "\t" in text else RUN_STARTS:
        tokens += _weigh_patterns(classes.translate(folding), patterns)
    if not text.isascii():
        letters = len(data) - len(data.translate(None, TWO_BYTE_LETTERS))
        tokens += _weigh_patterns(classes, BEYOND_ASCII) + BEYOND_ASCII_LETTER * letters
    return max(1, round(tokens))


def _weigh_patterns(classes: bytes, patterns: WeightedPatterns) -> float:
    return sum(weight * classes.count(pattern) for pattern, weight in patterns)
