"""An optional library, imported when it is needed; where it is missing, how to get it."""

from __future__ import annotations

import importlib
from typing import Any

from steno.core.error import BadInput


def sdk_of(name: str, extra: str | None = None) -> Any:
    """The module of an extra."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise  # it is there, and something it needs is not
        raise BadInput(f"this needs the package {name}: pip install 'steno[{extra or name}]'") from None
