"""A pattern is compiled when it is first used, and then is one."""

from __future__ import annotations

import re

import pytest

from steno.facts.lazy_pattern import lazy_pattern


def test_nothing_is_compiled_before_it_is_used() -> None:
    broken = lazy_pattern("(")
    with pytest.raises(re.error):
        broken.search("")


def test_it_finds_what_its_pattern_finds() -> None:
    pattern = lazy_pattern(r"\bb(?P<more>\w+)", re.I)
    found = pattern.search("a Bad thing")
    assert found is not None
    assert found["more"] == "ad"
    assert pattern.sub("x", "a Bad thing") == "a x thing"
    assert pattern.search("nothing") is None
