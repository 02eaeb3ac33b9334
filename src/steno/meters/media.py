"""Tokens of pictures, documents and sounds, by each provider's rule.

The length of the base64 never counts. What only a URL or an id names counts as one of
a typical size, until a bill tells. A picture whose data does not tell its size counts as
the provider's maximum; its pages and seconds are inferred from bytes by the assumptions
named here. `steno.providers.shared.media_size` reads sizes from the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from steno.core.message import Media

BYTES_PER_PAGE = 60_000
"""Assumed for a document whose pages cannot be counted."""
TYPICAL_PICTURE = (800, 600)
TYPICAL_PAGES = 2
TYPICAL_PAGE_CHARACTERS = 1_800
TYPICAL_SECONDS = 30
"""Assumed for what only a URL or an id names, until a bill tells."""
BYTES_PER_SECOND = 16_000
"""Assumed for sound: 128 kbit/s. Uncompressed sound counts too much, never too little."""
VIDEO_BYTES_PER_SECOND = 50_000
"""Assumed for a video: 400 kbit/s."""
PLAIN_TEXT = 0.26
"""Tokens for each character of a document that is plain text."""
SOUNDS = frozenset({"audio", "input_audio", "sound"})
DOCUMENTS = frozenset({"document", "file", "pdf", "input_file"})

RESPONSES_PAGE = 22


@dataclass(frozen=True, slots=True)
class MediaRule:
    """A provider's tokens for media."""

    picture: Callable[[int, int], int]
    unseen: int
    """A picture whose data does not tell its size."""
    page: int
    second: float
    bare_page: int = 0
    """A page without its text, where that can be counted."""
    text: float = 0.0
    """For each character of the text of a page."""
    video: float = 300.0
    """For each second of a video."""
    low: int | None = None
    """A picture in low detail of any size, if the provider has low detail."""

    def __call__(self, media: Media) -> int:
        # Pages decide over the kind: a PDF may come as a part of another type.
        if media.kind in DOCUMENTS or media.pages:
            return self._document(media)
        if media.kind in SOUNDS:
            return math.ceil(self.second * _second_count(media, BYTES_PER_SECOND))
        if media.kind == "video":
            seconds = _second_count(media, VIDEO_BYTES_PER_SECOND)
            return math.ceil(self.video * max(1.0, seconds))
        if media.detail == "low" and self.low is not None:
            return self.low
        if media.is_unmeasured:
            return self.picture(*TYPICAL_PICTURE)
        if not media.width or not media.height:
            return self.unseen
        return self.picture(media.width, media.height)

    def _document(self, media: Media) -> int:
        if media.is_unmeasured:
            media = TYPICAL_DOCUMENT
        if media.characters is None:
            return self.page * _page_count(media)
        if not media.pages:
            return math.ceil(PLAIN_TEXT * media.characters)
        return self.bare_page * media.pages + math.ceil(self.text * media.characters)


TYPICAL_DOCUMENT = Media(
    "document", pages=TYPICAL_PAGES, characters=TYPICAL_PAGES * TYPICAL_PAGE_CHARACTERS
)


def _page_count(media: Media) -> int:
    if media.pages:
        return media.pages
    if media.size:
        return math.ceil(media.size / BYTES_PER_PAGE)
    return TYPICAL_PAGES


def _second_count(media: Media, rate: int) -> float:
    if media.seconds:
        return media.seconds
    if media.size:
        return media.size / rate
    return TYPICAL_SECONDS


def _shrink(width: float, height: float, edge: float, limit: float) -> tuple[float, float]:
    """Return the size scaled down, never up, until `edge` is at most `limit`."""
    scale = min(1.0, limit / edge)
    return width * scale, height * scale


def _by_area(edge: int, cap: int) -> Callable[[int, int], int]:
    def picture(width: int, height: int) -> int:
        wide, high = _shrink(width, height, max(width, height), edge)
        return min(cap, max(1, math.ceil(wide * high / 750)))

    return picture


def _by_tiles(base: int, tile: int) -> Callable[[int, int], int]:
    def picture(width: int, height: int) -> int:
        # OpenAI scales to fit a square of 2,048, then the shorter edge to 768, and counts tiles.
        wide, high = _shrink(width, height, max(width, height), 2_048)
        wide, high = _shrink(wide, high, min(wide, high), 768)
        return base + tile * math.ceil(wide / 512) * math.ceil(high / 512)

    return picture


def _by_patches(factor: float) -> Callable[[int, int], int]:
    def picture(width: int, height: int) -> int:
        patches = math.ceil(width / 32) * math.ceil(height / 32)
        # The provider scales a picture down to this many patches.
        return math.ceil(min(1_536, patches) * factor)

    return picture


def _by_crops(width: int, height: int) -> int:
    if max(width, height) <= 384:
        return 258
    return 258 * math.ceil(width / 768) * math.ceil(height / 768)


_OPENAI = MediaRule(
    _by_patches(1.0), unseen=1_536, page=1_600, second=10, bare_page=205, text=0.178
)


def _tile_rule(base: int, tile: int) -> MediaRule:
    # At most 2,048 by 768 after scaling: four tiles by two.
    return replace(_OPENAI, picture=_by_tiles(base, tile), unseen=base + 8 * tile, low=base)


def _patch_rule(factor: float) -> MediaRule:
    return replace(_OPENAI, picture=_by_patches(factor), unseen=math.ceil(1_536 * factor))


def _area_rule(edge: int, cap: int) -> MediaRule:
    # A page is sent both as its text and as a picture; a dense one was measured at 3,150.
    return MediaRule(
        _by_area(edge, cap), unseen=cap, page=3_200, second=10, bare_page=1_570, text=0.26
    )


ANTHROPIC_MEDIA = _area_rule(1_568, 1_600)
OPENAI_MEDIA = _tile_rule(85, 170)
NOVA_MEDIA = replace(_area_rule(1_568, 1_600), page=2_570, bare_page=2_570, text=0, video=156)
GOOGLE_MEDIA = MediaRule(
    _by_crops, unseen=258 * 8, page=258, second=32, bare_page=258, video=263 + 32
)

GEMINI_3_PICTURE = 1_120
"""Tokens of any picture at the resolution that Gemini 3 uses unless it is told another."""
_GEMINI_3 = MediaRule(
    lambda width, height: GEMINI_3_PICTURE,
    unseen=GEMINI_3_PICTURE,
    page=560,
    second=25,
    bare_page=560,
    video=66 + 25,
)
_SHARP_CLAUDE = _area_rule(2_576, 4_784)

RULES_BY_MODEL = (
    ("claude-fable", _SHARP_CLAUDE),
    ("claude-opus-4-7", _SHARP_CLAUDE),
    ("claude-opus-4-8", _SHARP_CLAUDE),
    ("claude-opus-5", _SHARP_CLAUDE),
    ("claude-sonnet-5", _SHARP_CLAUDE),
    ("claude-haiku-5", _SHARP_CLAUDE),
    ("gemini-3", _GEMINI_3),
    # The first start that matches is used, so `gpt-5-mini` comes before `gpt-5`.
    ("gpt-4o-mini", _tile_rule(2_833, 5_667)),
    ("gpt-4.1-mini", _patch_rule(1.62)),
    ("gpt-4.1-nano", _patch_rule(2.46)),
    ("gpt-5-mini", _patch_rule(1.2)),
    ("gpt-5-nano", _patch_rule(2.46)),
    ("o4-mini", _patch_rule(1.72)),
    ("gpt-5", _tile_rule(70, 140)),
    ("o1", _tile_rule(75, 150)),
    ("o3", _tile_rule(75, 150)),
)
"""Models with their own rule for pictures, by the start of their name."""


def media_rule_for(model: str, usual: MediaRule, wire: str | None = None) -> MediaRule:
    """Return the rule for a model's media: its own, or its family's usual one."""
    found = usual
    for start, rule in RULES_BY_MODEL:
        if model.startswith(start):
            found = rule
            break
    if wire == "openai-responses":
        # Unlike chat completions, it hardly bills the picture of a page.
        return replace(found, bare_page=RESPONSES_PAGE)
    return found
