"""How a provider is told what to keep in its cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class CacheStyle:
    """A key in the request, or marks behind what is to be cached.

    key: field of the request that names the conversation's cache; empty where marks are used.
    mark: key of a mark.
    new: value of a new mark.
    apart: whether a mark is a block of its own, behind the block that it marks.
    models: parts of the names of models that take marks, if not all do.
    """

    key: str = ""
    mark: str = ""
    new: Mapping[str, Any] = field(default_factory=dict)
    apart: bool = False
    models: tuple[str, ...] = ()


KEYED = CacheStyle(key="prompt_cache_key")
