"""Counting tokens, and an estimate that needs no vocabulary.

Counts are raw and additive: a message is its overhead and the sum of its blocks, so a view is
counted by adding what is new. Reported usage only moves `ratio`, which scales a finished sum into
a load; nothing stored has to be counted again.

The estimate maps each character to one of ten classes and counts a few patterns of classes: where
a word, a number or a run of punctuation starts, what is too long for one token, what is a token
by itself. Every step runs at the speed of `bytes.translate` and `bytes.count`. The weights were
fitted to o200k_base by non-negative least squares over prose, code, JSON, logs and Chinese. As no
weight is negative, a longer text never counts less than its beginning.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import add

import msgspec

from steno.core.message import Block, Call, Media, Message, Opaque, Result, Text, Thinking, Value

RATIO_BOUNDS = (0.5, 3.0)
WEIGHT_OF_NEWEST = 0.5
"""How far one report moves the ratio."""
LEAST_CALIBRATION_TOKENS = 200
"""Raw tokens; a report of a smaller request says more about overheads than about words."""
CLOSED = re.compile(r',?(?<!\s)\s*+"additionalProperties":\s*+false')
"""Nearly every object of a reply's schema says so; providers do not bill it."""
SLACK = 1e-9
"""Keeps 100 × 1.1 = 110.00000000000001 from being rounded up to 111."""

METER_PROBES = (
    "The reviewers hadn't noticed: three of 1,024 requests took 17.25 seconds.\n\n",
    "def _total(self, rows):\n        return sum(row[0] for row in rows if row)  # {}",
    "3f9aQz81+/== https://example.com/a_b-c?d=%20E&f=GHIJ",
    "Überprüfung 检查 проверка 🙂",
)
"""Texts whose counts are the mark of a meter: prose, code, an id and an address, other scripts."""


class Overheads(Value):
    """Tokens besides the words."""

    request: int
    message: int
    call: int
    result: int
    tools: int
    """Once, if any tool is defined."""
    tool: int
    """For each tool, besides its definition's text."""
    tool_texts: bool = True
    """Whether the definitions' texts are counted."""
    system: int = 0
    """Once, if there is a system prompt beside the messages."""
    argument: int = 0
    """For each argument of a call."""
    schema: int | None = None
    """Around the schema of a reply; None if the provider does not bill that."""


@dataclass(frozen=True, slots=True)
class Meter:
    """Counts tokens; `name` says how."""

    name: str
    count: Callable[[str], int]
    """Tokens of a text; never raises, lone surrogates included. A block is cut to whole tokens."""
    image: Callable[[Media], int]
    """Tokens of a media block by the provider's rule."""
    overheads: Overheads
    ratio: float = 1.0
    """Learned from reported usage; a load is raw × ratio."""
    sealed: Callable[[Block, Callable[[str], int]], int | None] | None = None
    """Tokens of a block that the provider does not bill by its text; None for all others."""
    definition: Callable[[str, Callable[[str], int]], int] | None = None
    """Tokens of a tool's definition, if the provider does not bill its JSON."""
    signatures: Callable[[Message], tuple[int, ...]] | None = None
    """Tokens that the provider bills for the signatures on a message's blocks, for each block."""
    lapses: Callable[[Message, tuple[int, ...]], tuple[int, ...]] | None = None
    """Tokens of a message's blocks once the user has spoken again, from those until then."""

    def block(self, block: Block) -> int:
        """Return the raw tokens of one block, with its overhead."""
        if self.sealed is not None and isinstance(block, Opaque | Thinking):
            billed = self.sealed(block, self.count)
            if billed is not None:
                return int(billed)
        match block:
            case Text(text=text) | Thinking(text=text) | Opaque(text=text):
                tokens = self.count(text)
            case Media():
                tokens = self.image(block)
            case Call(name=name, arguments=arguments):
                tokens = self.overheads.call + self.count(name) + self.count(arguments)
                if self.overheads.argument:
                    tokens += self.overheads.argument * _argument_count(arguments)
            case Result(content=content):
                tokens = self.overheads.result + sum(map(self.block, content))
        # A caller's `count` may return a float, or a number of another library.
        return int(tokens)

    def assumed_tokens(self, block: Block) -> int:
        """Return how many of a block's tokens are assumed: those of media of unknown size."""
        if isinstance(block, Media) and block.is_unmeasured:
            return self.image(block)
        if isinstance(block, Result):
            return sum(map(self.assumed_tokens, block.content))
        return 0

    def blocks(self, message: Message) -> tuple[int, ...]:
        """Return the raw tokens of each block."""
        weights = tuple(map(self.block, message.blocks))
        if self.signatures is None:
            return weights
        return tuple(map(add, weights, self.signatures(message)))

    def message(self, message: Message) -> int:
        """Return the raw tokens of a message: its overhead and its blocks."""
        return self.overheads.message + sum(self.blocks(message))

    def fixed_tokens(self, system: str | None, tools: Sequence[str], schema: str = "") -> int:
        """Return the raw tokens that no edit can shrink; tools and schema are JSON texts."""
        tokens = self.overheads.request
        if system:
            tokens += self.overheads.system + self.count(system)
        if tools:
            tokens += self.overheads.tools
        for tool in tools:
            tokens += self.overheads.tool
            if self.definition is not None:
                tokens += self.definition(tool, self.count)
            elif self.overheads.tool_texts:
                tokens += self.count(tool)
        if schema and self.overheads.schema is not None:
            tokens += self.overheads.schema + self.count(CLOSED.sub("", schema))
        return tokens

    def load(self, raw: int) -> int:
        """Return the tokens that the provider should count for a raw sum, rounded up."""
        return math.ceil(raw * self.ratio - SLACK)

    def with_reported_usage(self, counted: int, reported: int) -> Meter:
        """Return the meter with its ratio moved towards what the provider reported."""
        if reported <= 0 or counted < LEAST_CALIBRATION_TOKENS:
            return self
        low, high = RATIO_BOUNDS
        # Bounded before it is smoothed, so that one absurd report cannot outweigh later ones.
        seen = min(max(reported / counted, low), high)
        return replace(self, ratio=self.ratio + WEIGHT_OF_NEWEST * (seen - self.ratio))


def chars_per_four() -> Meter:
    """Return the plain estimate: a token for four characters, 4 a message, 50 a tool."""
    overheads = Overheads(0, message=4, call=0, result=0, tools=0, tool=50, tool_texts=False)
    return Meter("chars/4", _quarter_of_length, _flat_media, overheads)


def _argument_count(arguments: str) -> int:
    try:
        return len(msgspec.json.decode(arguments, type=dict[str, msgspec.Raw]))
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return 0


def _quarter_of_length(text: str) -> int:
    return len(text) // 4


def _flat_media(media: Media) -> int:
    """Return the tokens of one picture for each page: this estimate knows no provider."""
    return 1_600 * max(1, media.pages or 1)


CONTINUATION = bytes(range(0x80, 0xC0))
"""UTF-8 bytes after the first of a character; dropped, so that a byte is a character."""
TWO_BYTE_LETTERS = bytes(range(0xC3, 0xE0))

WeightedPatterns = tuple[tuple[bytes, float], ...]


def _classes() -> bytes:
    """Return a class for each first byte: lower, upper, digit, CJK, Indic, other, …"""
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
    # A newline after punctuation joins its token; after anything else it is a token itself.
    (_mask_except(b"pn"), ((b".n", 1.221),)),
)
"""Starts of runs: the pattern is counted with all other classes folded into a dot."""
TAB_STARTS = ((_mask_except(b"t"), ((b".t", 1.569),)),)

CLASS_PATTERNS = (
    (b"lsl", 0.152),
    (b"lu", 0.935),
    (b"uu", 0.423),
    # `count` does not overlap its matches: a run of sixteen letters counts twice here.
    (b"llllllll", 0.628),
    (b"ddd", 0.648),
    (b"ppp", 0.333),
    # A number does not take the space before it into its token; punctuation often does not.
    (b"sd", 0.394),
    (b"sp", 0.499),
    # Base64 and ids: few tokens hold both a capital and a digit.
    (b"ud", 2.1),
)
# Set by hand between two kinds of text: technical Chinese takes 0.7 tokens a character,
# a story 0.81.
BEYOND_ASCII = ((b"c", 0.78), (b"i", 0.5), (b"o", 0.755))
BEYOND_ASCII_LETTER = 0.2
"""For each letter beyond ASCII: words with them are cut into more tokens than English ones."""


def estimate(text: str) -> int:
    """Return the tokens of a text by o200k_base, within about a tenth; 0 only if it is empty."""
    if not text:
        return 0
    data = text.encode("utf-8", "surrogatepass")
    # The dot in front lets a run at the very beginning match as a start.
    classes = b"." + data.translate(BYTE_CLASSES, CONTINUATION)
    tokens = _weigh_patterns(classes, CLASS_PATTERNS)
    starts: tuple[tuple[bytes, WeightedPatterns], ...] = RUN_STARTS
    # Each folding copies the text, and few texts have tabs.
    if "\t" in text:
        starts += TAB_STARTS
    for folding, patterns in starts:
        tokens += _weigh_patterns(classes.translate(folding), patterns)
    if not text.isascii():
        letters = len(data) - len(data.translate(None, TWO_BYTE_LETTERS))
        tokens += _weigh_patterns(classes, BEYOND_ASCII) + BEYOND_ASCII_LETTER * letters
    return max(1, round(tokens))


def _weigh_patterns(classes: bytes, patterns: WeightedPatterns) -> float:
    return sum(weight * classes.count(pattern) for pattern, weight in patterns)


def probe_counts(count: Callable[[str], int]) -> list[int]:
    """Return what tells a meter from others of its name, and from itself once it was changed."""
    return [count(text) for text in METER_PROBES]
