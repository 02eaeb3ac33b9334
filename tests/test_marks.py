"""What is left out of `make test-fast` is marked as slow."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_no_test_starts_python_unless_it_is_marked_as_slow() -> None:
    with pytest.raises(RuntimeError, match="mark it slow"):
        subprocess.run([sys.executable, "-V"], check=True)


@pytest.mark.slow
def test_one_that_is_marked_may() -> None:
    subprocess.run([sys.executable, "-V"], check=True)
