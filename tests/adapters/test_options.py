"""The options that adapters share are those of a session, by name, type and default."""

from __future__ import annotations

import dataclasses
import inspect
from typing import get_type_hints

import pytest

import steno
from steno.adapters.options import SharedOptions
from steno.session.options import SessionOptions


def test_shared_options_have_the_types_of_a_session() -> None:
    shared, of_session = get_type_hints(SharedOptions), get_type_hints(SessionOptions)

    assert shared == {name: of_session[name] for name in shared}
    # An adapter names these itself: their meaning or their default is its own, or not every one
    # makes the whole request.
    assert of_session.keys() - shared.keys() == {"model", "policy", "wire", "cache"}


def test_an_adapter_shows_every_shared_option_with_its_default() -> None:
    shown = inspect.signature(steno.wrap).parameters
    defaults = {field.name: field.default for field in dataclasses.fields(SessionOptions)}

    for name in SharedOptions.__annotations__:
        assert shown[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert shown[name].default == defaults[name]
        assert f"\n{name}: " in (steno.wrap.__doc__ or "")
    assert all(one.kind is not one.VAR_KEYWORD for one in shown.values())
    with pytest.raises(TypeError, match="did you mean 'window'"):
        steno.wrap(object(), windw=8_000)  # type: ignore[call-arg]
