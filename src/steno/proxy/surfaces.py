"""The providers' paths that carry a conversation.

Each is found by the end of its path, so that a prefix (a provider's name, an API version)
may stand before it.
"""

from __future__ import annotations

from steno.providers import PROVIDERS
from steno.providers.shared.surface import Surface

SURFACES = tuple(
    surface for provider in PROVIDERS.values() if (surface := provider.surface()) is not None
)


def find_surface(method: str, path: str) -> Surface | None:
    """Return the API of a request, or None if it carries no conversation."""
    if method != "POST":
        return None
    for surface in SURFACES:
        if surface.request.is_at(path):
            return surface
    return None
