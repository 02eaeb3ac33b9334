"""A planted fault: what breaks, and the law that must notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

Patch = pytest.MonkeyPatch


@dataclass(frozen=True)
class Fault:
    plant: Callable[[Patch], None]
    law: Callable[..., None]
    raises: tuple[type[BaseException], ...]
    seed: int | None = None
    """Draws examples that show the fault soon; without one it is found late."""

    def __str__(self) -> str:
        return self.plant.__name__
