"""Tokens of pictures, documents and sounds, by a provider's rule.

The length of the base64 never counts. A picture whose data does not tell its size counts as
the provider's maximum; pages and seconds are inferred from bytes by the assumptions named here.
`steno.providers.shared.media_size` reads sizes from the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

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
        if media.kind == "document" or media.pages:
            return self._document(media)
        if media.kind == "audio":
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
            return self.page * (media.pages or math.ceil((media.size or 1) / BYTES_PER_PAGE))
        if not media.pages:
            return math.ceil(PLAIN_TEXT * media.characters)
        return self.bare_page * media.pages + math.ceil(self.text * media.characters)


TYPICAL_DOCUMENT = Media(
    "document", pages=TYPICAL_PAGES, characters=TYPICAL_PAGES * TYPICAL_PAGE_CHARACTERS
)


def _second_count(media: Media, rate: int) -> float:
    size = media.size or TYPICAL_SECONDS * rate
    return media.seconds or size / rate


def shrink(width: float, height: float, edge: float, limit: float) -> tuple[float, float]:
    """Return the size scaled down, never up, until `edge` is at most `limit`."""
    scale = min(1.0, limit / edge)
    return width * scale, height * scale
