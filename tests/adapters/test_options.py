"""The options that adapters share are those of a session, by name, type and default."""

from __future__ import annotations

import inspect
from typing import get_type_hints

import pytest

import steno
from steno.session.options import DEFAULTS, SharedOptions


def test_an_adapter_shows_every_shared_option_with_its_default() -> None:
    shown = inspect.signature(steno.wrap).parameters

    for name in get_type_hints(SharedOptions):
        assert shown[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert shown[name].default == DEFAULTS.get(name)
        assert f"\n{name}: " in (steno.wrap.__doc__ or "")
    assert all(one.kind is not one.VAR_KEYWORD for one in shown.values())
    with pytest.raises(TypeError, match="did you mean 'window'"):
        steno.wrap(object(), windw=8_000)  # type: ignore[call-arg]
