"""How Anthropic counts tokens: Claude's words, overheads, pictures and sealed blocks.

The factors were fitted to what real sessions of a coding agent were billed from one request to
the next.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

import msgspec

from steno.core.message import Block, Message, Opaque, Value
from steno.core.meter import Overheads, estimate
from steno.core.word_tables import word_tuple
from steno.meters.family import ModelFamily, decoded_object, thinking_lapses
from steno.meters.media import MediaRule, shrink
from steno.meters.vocabulary import TokenCounter, load_counter

CLAUDE_OVERHEADS = Overheads(
    request=4, message=3, call=20, result=19, tools=310, tool=5, argument=13, schema=149
)
"""Fitted: a request of one message costs 7, a call with its result 45, an argument 13."""
CLAUDE_4_5_OVERHEADS = msgspec.structs.replace(CLAUDE_OVERHEADS, tools=500)
"""Having tools at all costs more on the models of 2025 than before and after."""
NEWER_CLAUDE = re.compile(r"claude-(opus-4[-.][7-9]|[a-z]+-[5-9])")
"""Models with the vocabulary that came with Opus 4.7."""
OLDER_CLAUDE = re.compile(r"claude-(3|(opus|sonnet)-4(-[01]|-2025|$)|(sonnet|haiku)-4-5)")
"""Models that are not shown their thinking again once the user has spoken; Opus 4.5 is."""
AROUND_SUMMARY = 87
"""Tokens that Anthropic puts around the text of its compaction."""
UNSEEN = ("fallback", "cachePoint", "output_config")
"""Blocks that are not shown to the model."""
CJK_BYTES = bytes([*range(0xE3, 0xEE), 0xEF])
"""First UTF-8 bytes of kana, Han, Hangul and full-width forms."""
CODE_MARKS = b"_-/.()=<>*#`$"
"""Characters of code and paths, which Claude joins to words less often."""


class TokenFactors(Value):
    """Tokens to count for each token and each character of a kind."""

    token: float
    mark: float
    cjk: float = 0.0


OVER_CL100K = TokenFactors(token=1.0, mark=0.67)
OVER_ESTIMATE = TokenFactors(token=1.09, mark=0.6, cjk=0.3)
NEWER = 1.2
"""Tokens of the vocabulary since Opus 4.7 for each token of the one before."""


def claude_counter(count: TokenCounter, factors: TokenFactors, times: float = 1.0) -> TokenCounter:
    """Return a counter of Claude's tokens from one by another vocabulary."""

    def count_claude(text: str) -> int:
        if not text:
            return 0
        data = text.encode("utf-8", "surrogatepass")
        tokens = factors.token * count(text)
        if factors.cjk and not text.isascii():
            tokens += factors.cjk * _count_bytes(data, CJK_BYTES)
        tokens += factors.mark * _count_bytes(data, CODE_MARKS)
        # Rounded down: the full stop of a single sentence costs nothing more.
        return max(1, int(tokens * times))

    return count_claude


def _count_bytes(data: bytes, kinds: bytes) -> int:
    return len(data) - len(data.translate(None, kinds))


@dataclass(frozen=True)
class ClaudeFamily(ModelFamily):
    def for_model(self, place: str, name: str) -> ModelFamily:
        family = super().for_model(place, name)
        if OLDER_CLAUDE.search(name):
            return replace(family, lapses=older_claude_lapses)
        return family

    def counter(self, name: str) -> tuple[str, TokenCounter]:
        times = 1.0
        if NEWER_CLAUDE.search(name):
            times = NEWER
        exact = load_counter(self.vocabulary)
        if exact:
            return "claude", claude_counter(exact, OVER_CL100K, times)
        return "estimate", claude_counter(estimate, OVER_ESTIMATE, times)


def claude_block(block: Block, count: TokenCounter) -> int | None:
    """Return Anthropic's tokens of a block that is not billed by its text; None for others."""
    if not isinstance(block, Opaque):
        return None
    if block.kind == "compaction":
        return AROUND_SUMMARY + count(str(decoded_object(block.text).get("content") or ""))
    if block.kind in UNSEEN:
        return 0
    return None


def claude_lapses(message: Message, weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return Anthropic's tokens after the turn: some messages are no longer shown to Claude."""
    if message.role != "system" or message.raw is None or "clear_at" not in message.raw:
        return weights
    if decoded_object(message.raw).get("clear_at") == "next_user_message":
        return (0,) * len(weights)
    return weights


def older_claude_lapses(message: Message, weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return the same for models that are not shown their thinking of earlier turns."""
    return thinking_lapses(message, claude_lapses(message, weights))


def area_rule(edge: int, cap: int) -> MediaRule:
    """Return the rule of a provider that scales a picture to an edge and counts its area."""

    def picture(width: int, height: int) -> int:
        wide, high = shrink(width, height, max(width, height), edge)
        return min(cap, max(1, math.ceil(wide * high / 750)))

    # A page is sent both as its text and as a picture; a dense one was measured at 3,150.
    return MediaRule(picture, unseen=cap, page=3_200, second=10, bare_page=1_570, text=0.26)


ANTHROPIC_MEDIA = area_rule(1_568, 1_600)
_SHARP_CLAUDE = area_rule(2_576, 4_784)
SHARP_MODELS = word_tuple(
    "claude-fable claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-sonnet-5 claude-haiku-5"
)
"""Models that see pictures at a higher resolution, by the start of their name."""


def _family(names: str, overheads: Overheads) -> ModelFamily:
    return ClaudeFamily(
        re.compile(names),
        # Not o200k: outside English, cl100k cuts words much like Claude's legacy vocabulary.
        "cl100k_base",
        overheads,
        ANTHROPIC_MEDIA,
        sealed=claude_block,
        lapses=claude_lapses,
        media_by_name=[(start, _SHARP_CLAUDE) for start in SHARP_MODELS],
    )


CLAUDE_FAMILY = _family(r"claude", CLAUDE_OVERHEADS)
FAMILIES = (_family(r"claude-[a-z]+-4[-.][56]\b", CLAUDE_4_5_OVERHEADS), CLAUDE_FAMILY)
