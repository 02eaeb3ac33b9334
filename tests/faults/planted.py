"""A planted fault: what breaks, and the law that must notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.promises import hurried

Patch = pytest.MonkeyPatch
SEEDED_EXAMPLES = 30
"""First, for a fault with a seed of its own."""


@dataclass(frozen=True)
class Fault:
    plant: Callable[[Patch], None]
    law: Callable[..., None]
    raises: tuple[type[BaseException], ...]
    seed: int | None = None
    """Draws examples that show the fault soon; without one it is found late."""

    def __str__(self) -> str:
        return self.plant.__name__

    def must_be_caught(self, examples: int) -> None:
        """Run the law, or the plain test, while the fault is planted: it has to fail."""
        with pytest.raises(self.raises):
            if not hasattr(self.law, "anew"):
                self.law()
                return
            if self.seed is not None:
                hurried(self.law, SEEDED_EXAMPLES, self.seed)
            hurried(self.law, examples)


class Faults(list[Fault]):
    """The faults of a module, each listed by the decorator above it."""

    def caught_by(
        self, law: Callable[..., None], *raises: type[BaseException], seed: int | None = None
    ) -> Callable[[Any], Any]:
        """Name the law that must fail, and what else than an assertion may say so."""

        def listed(plant: Callable[[Patch], None]) -> Callable[[Patch], None]:
            self.append(Fault(plant, law, (AssertionError, *raises), seed))
            return plant

        return listed
