"""Run `steno` in this process and hold what it printed."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from steno.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in a pipe of 80 columns; every line of it fits."""

    def ran(*words: object, stdin: bytes | None = None, wide: bool = False) -> Ran:
        monkeypatch.setattr(sys, "argv", ["steno", *map(str, words)])
        monkeypatch.setenv("COLUMNS", "80")
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            main.main()
        said = capsys.readouterr()
        assert "\x1b" not in said.out + said.err and "Traceback" not in said.err
        if not wide and "--json" not in words:
            assert max(map(len, said.out.splitlines()), default=0) <= 80
        return Ran(int(left.value.code or 0), said.out, said.err)

    return ran


def refused(ran: Ran, *words: str) -> None:
    """One line on stderr, exit code 2, and nothing said elsewhere."""
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("steno: ") and ran.err.count("\n") == 1
    for word in words:
        assert word in ran.err
