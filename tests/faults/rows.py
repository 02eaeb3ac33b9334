"""A planted fault in a row of the requirements: what breaks, and the test that must notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

Patch = pytest.MonkeyPatch


@dataclass(frozen=True)
class Planted:
    """A fault, and the test of a row that must notice it."""

    row: str
    test: Callable[..., Any]
    plant: Callable[[Patch], None]
    given: dict[str, Any]

    def __str__(self) -> str:
        return self.plant.__name__


def plant(
    faults: list[Planted], row: str, test: Callable[..., Any], **given: Any
) -> Callable[[Any], Any]:
    """Say which test of which row must fail under a fault, and with which arguments it is run."""

    def listed(fault: Callable[[Patch], None]) -> Callable[[Patch], None]:
        faults.append(Planted(row, test, fault, given))
        return fault

    return listed
