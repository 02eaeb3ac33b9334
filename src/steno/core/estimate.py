"""Tokens of a text, guessed without a vocabulary.

Each character becomes one of ten classes, and tokens are the weighted count of
a few patterns of classes: where a word, a number or a run of punctuation starts,
what is too long for one token, what stands alone. Every step runs at the speed of
`bytes.translate` and `bytes.count`. The weights were fitted to o200k_base by
non-negative least squares over prose, code, JSON, logs and Chinese, so no text
weighs less than nothing and a longer one never weighs less than its start.
Exact counting is in `steno.meters`, not here.
"""

from __future__ import annotations

CONTINUATION = bytes(range(0x80, 0xC0))
"""UTF-8 bytes after the first of a character; dropped, so that a byte is a character."""
TWO_BYTE_LETTERS = bytes(range(0xC3, 0xE0))

Patterns = tuple[tuple[bytes, float], ...]


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


def _keeping(letters: bytes) -> bytes:
    return bytes(byte if byte in letters else ord(".") for byte in range(256))


CLASSES = _classes()
STARTS = (
    (_keeping(b"lu"), ((b".l", 0.797), (b".u", 0.85))),
    (_keeping(b"d"), ((b".d", 1.215),)),
    (_keeping(b"p"), ((b".p", 0.77),)),
    (_keeping(b"s"), ((b".ss", 0.894),)),
    # A newline after punctuation joins its token; after anything else it is one of its own.
    (_keeping(b"pn"), ((b".n", 1.221),)),
)
"""Where a run of a class begins: the pattern is counted with all other classes folded into a dot."""
TABS = ((_keeping(b"t"), ((b".t", 1.569),)),)

PATTERNS = (
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
    classes = b"." + data.translate(CLASSES, CONTINUATION)
    tokens = _weighed(classes, PATTERNS)
    for folding, patterns in (*STARTS, *TABS) if "\t" in text else STARTS:
        tokens += _weighed(classes.translate(folding), patterns)
    if not text.isascii():
        letters = len(data) - len(data.translate(None, TWO_BYTE_LETTERS))
        tokens += _weighed(classes, BEYOND_ASCII) + BEYOND_ASCII_LETTER * letters
    return max(1, round(tokens))


def _weighed(classes: bytes, patterns: Patterns) -> float:
    return sum(weight * classes.count(pattern) for pattern, weight in patterns)
