"""Compare the public names and their signatures with `fixtures/public.json`.

To change one on purpose, write the file anew:

    STENO_PUBLIC=write python -m pytest tests/docs/test_public_names.py
"""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

import steno
from tests.support.paths import ROOT

RECORDED = ROOT / "tests" / "fixtures" / "public.json"
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def signature_of(thing: Any) -> str:
    """Return a signature without the addresses of its defaults, or nothing if there is none."""
    try:
        return ADDRESS.sub("", str(inspect.signature(thing)))
    except (TypeError, ValueError):
        return ""


def names_of(kind: type) -> set[str]:
    """Return the public names that a class of ours defines or inherits from one of ours."""
    return {
        name
        for base in kind.__mro__
        if base.__module__.startswith("steno")
        for name in vars(base)
        if not name.startswith("_")
    }


def signatures_under(name: str, thing: Any) -> dict[str, str]:
    """Return the signature of a public name and, if it is a class, of its public names."""
    found = {name: signature_of(thing)}
    if inspect.isclass(thing):
        for member in sorted(names_of(thing)):
            found[f"{name}.{member}"] = signature_of(getattr(thing, member))
    return found


def test_public_names_and_signatures() -> None:
    signatures: dict[str, str] = {}
    for name in sorted(steno.__all__):
        signatures |= signatures_under(name, getattr(steno, name))
    if os.environ.get("STENO_PUBLIC") == "write":
        RECORDED.write_text(json.dumps(signatures, indent=1) + "\n")
    assert signatures == json.loads(RECORDED.read_text())


def test_few_names_stand_at_the_top_level() -> None:
    """Folders of names stand beside them: `steno.rungs`, `steno.tails`, `steno.checks`, …"""
    public = {name for name in steno.__all__ if not name.startswith("_")}
    folders = {name for name in public if inspect.ismodule(getattr(steno, name))}
    assert folders == {"checks", "errors", "events", "models", "rungs", "tails"}
    assert len(public - folders) <= 27


@pytest.mark.slow
def test_import_costs_little_and_loads_no_optional_library() -> None:
    """A fresh process: the time of its processor, and what it has loaded."""
    program = (
        "import sys, time; start = time.process_time(); import steno; "
        "print(time.process_time() - start, *sorted(sys.modules))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert float(printed[0]) <= 0.12
    optional = {"anthropic", "grpc", "httpx", "langchain", "langgraph", "mcp", "numpy", "openai"}
    assert not optional & set(printed[1:])
    assert "steno.session.session" not in printed


def test_every_public_name_is_there() -> None:
    namespace: dict[str, Any] = {}
    exec("from steno import *", namespace)
    assert set(steno.__all__) <= set(namespace)
    assert dir(steno) == sorted(steno.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Sesion'"):
        steno.Sesion
