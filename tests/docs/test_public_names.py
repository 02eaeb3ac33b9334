"""The public names and their signatures are what `fixtures/public.json` says.

Whoever changes one on purpose writes the file anew:

    STENO_PUBLIC=write python -m pytest tests/docs/test_public_names.py
"""

from __future__ import annotations

import inspect
import json
import os
from typing import Any

import steno
from tests.support.paths import ROOT

RECORDED = ROOT / "tests" / "fixtures" / "public.json"


def _signature(thing: Any) -> str:
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""


def _described(name: str, thing: Any) -> dict[str, str]:
    if not inspect.isclass(thing):
        return {name: _signature(thing)}
    found = {name: _signature(thing)}
    for each in sorted(vars_of(thing)):
        found[f"{name}.{each}"] = _signature(getattr(thing, each))
    return found


def vars_of(kind: type) -> set[str]:
    """Return the public names that a class of ours defines or inherits from one of ours."""
    return {
        name
        for base in kind.__mro__
        if base.__module__.startswith("steno")
        for name in vars(base)
        if not name.startswith("_")
    }


def test_public_names_and_signatures() -> None:
    described: dict[str, str] = {}
    for name in sorted(steno.__all__):
        described |= _described(name, getattr(steno, name))
    if os.environ.get("STENO_PUBLIC") == "write":
        RECORDED.write_text(json.dumps(described, indent=1) + "\n")
    assert described == json.loads(RECORDED.read_text())
