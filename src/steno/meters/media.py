"""What pictures, documents and sounds weigh, by each provider's rule.

Never by the length of their base64. An unknown picture weighs the provider's
maximum. Pages and seconds that are unknown are inferred from bytes by the
assumptions named here. Reading sizes from data is `steno.wires.media_size`'s business.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from steno.core.message import Media

BYTES_PER_PAGE = 60_000
"""Assumed of a document whose pages cannot be counted."""
PAGES_UNSEEN = 10
"""Assumed of a document of which not even the size is known."""
BYTES_PER_SECOND = 16_000
"""Assumed of sound: 128 kbit/s. Uncompressed sound is overweighed, never underweighed."""
SECONDS_UNSEEN = 300
SOUNDS = frozenset({"audio", "input_audio", "sound"})
DOCUMENTS = frozenset({"document", "file", "pdf", "input_file"})

MediaWeight = Callable[[Media], int]


@dataclass(frozen=True, slots=True)
class MediaRule:
    """A provider's tokens for media."""

    picture: Callable[[int, int], int]
    unseen: int
    """A picture of unknown size."""
    page: int
    second: float
    low: int | None = None
    """A picture in low detail, whatever its size, where there is such a thing."""

    def __call__(self, media: Media) -> int:
        if media.kind in DOCUMENTS or media.pages:
            return self.page * _page_count(media)
        if media.kind in SOUNDS:
            return math.ceil(self.second * _second_count(media))
        if media.detail == "low" and self.low is not None:
            return self.low
        if not media.width or not media.height:
            return self.unseen
        return self.picture(media.width, media.height)


def _page_count(media: Media) -> int:
    if media.pages:
        return media.pages
    if media.size:
        return math.ceil(media.size / BYTES_PER_PAGE)
    return PAGES_UNSEEN


def _second_count(media: Media) -> float:
    if media.size:
        return media.size / BYTES_PER_SECOND
    return SECONDS_UNSEEN


def _shrink(width: float, height: float, edge: float, limit: float) -> tuple[float, float]:
    """Scaled down, never up, until this edge is at most `limit`."""
    scale = min(1.0, limit / edge)
    return width * scale, height * scale


def _by_area(edge: int, cap: int) -> Callable[[int, int], int]:
    def picture(width: int, height: int) -> int:
        wide, high = _shrink(width, height, max(width, height), edge)
        return min(cap, max(1, math.ceil(wide * high / 750)))

    return picture


def _by_tiles(base: int, tile: int) -> Callable[[int, int], int]:
    def picture(width: int, height: int) -> int:
        wide, high = _shrink(width, height, max(width, height), 2_048)
        wide, high = _shrink(wide, high, min(wide, high), 768)
        return base + tile * math.ceil(wide / 512) * math.ceil(high / 512)

    return picture


def _by_patches(factor: float) -> Callable[[int, int], int]:
    def picture(width: int, height: int) -> int:
        patches = math.ceil(width / 32) * math.ceil(height / 32)
        return math.ceil(min(1_536, patches) * factor)

    return picture


def _by_crops(width: int, height: int) -> int:
    if max(width, height) <= 384:
        return 258
    return 258 * math.ceil(width / 768) * math.ceil(height / 768)


def _tile_rule(base: int, tile: int) -> MediaRule:
    # At most 2,048 by 768 after scaling: four tiles by two.
    return MediaRule(_by_tiles(base, tile), unseen=base + 8 * tile, page=1_600, second=10, low=base)


def _patch_rule(factor: float) -> MediaRule:
    return MediaRule(_by_patches(factor), unseen=math.ceil(1_536 * factor), page=1_600, second=10)


def _area_rule(edge: int, cap: int) -> MediaRule:
    # A page is sent both as its text and as a picture; a dense one was measured at 3,150.
    return MediaRule(_by_area(edge, cap), unseen=cap, page=3_200, second=10)


ANTHROPIC_MEDIA = _area_rule(1_568, 1_600)
OPENAI_MEDIA = _tile_rule(85, 170)
GOOGLE_MEDIA = MediaRule(_by_crops, unseen=258 * 8, page=258, second=32)

_SHARP_CLAUDE = _area_rule(2_576, 4_784)

RULES_BY_MODEL = (
    ("claude-fable", _SHARP_CLAUDE),
    ("claude-opus-4-7", _SHARP_CLAUDE),
    ("claude-opus-4-8", _SHARP_CLAUDE),
    ("claude-opus-5", _SHARP_CLAUDE),
    ("claude-sonnet-5", _SHARP_CLAUDE),
    ("claude-haiku-5", _SHARP_CLAUDE),
    ("gpt-4o-mini", _tile_rule(2_833, 5_667)),
    ("gpt-4.1-mini", _patch_rule(1.62)),
    ("gpt-4.1-nano", _patch_rule(2.46)),
    ("gpt-5-mini", _patch_rule(1.62)),
    ("gpt-5-nano", _patch_rule(2.46)),
    ("o4-mini", _patch_rule(1.72)),
    ("gpt-5", _tile_rule(70, 140)),
    ("o1", _tile_rule(75, 150)),
    ("o3", _tile_rule(75, 150)),
)
"""Models whose pictures cost otherwise, by the start of their name."""


def media_rule_for(model: str, usual: MediaWeight) -> MediaWeight:
    """The rule for a model's media, which is its family's usual one unless it is named here."""
    return next((rule for start, rule in RULES_BY_MODEL if model.startswith(start)), usual)
