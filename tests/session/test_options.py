"""Every option is a named, typed, documented parameter, and a misspelt one is refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import steno
from steno.core.arguments import check_arguments
from steno.session.options import DEFAULTS, OPTION_TYPES, option_docs
from steno.session.writer import _known_window

OPTION_NAMES = list(OPTION_TYPES)
OF_SESSIONS = {"memory", "cache", "name", "store", "durable", "user", "log"}
"""Options that `compact` does not take: it keeps no session, and makes no request to be cached."""
TAKERS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "Session": (steno.Session, steno.Session.__init__),
    "AsyncSession": (steno.AsyncSession, steno.AsyncSession.__init__),
    "compact": (steno.compact, steno.compact),
}


def call_compact(**given: Any) -> Any:
    return steno.compact([{"role": "user", "content": "hello"}], **given)


@pytest.mark.parametrize(
    ("call", "name"),
    [(steno.Session, "Session"), (steno.AsyncSession, "AsyncSession"), (call_compact, "compact")],
)
@pytest.mark.parametrize(
    ("misspelt", "meant"), [("windw", "window"), ("writers", "writer"), ("policies", "policy")]
)
def test_misspelt_option_names_the_nearest(
    call: Callable[..., Any], name: str, misspelt: str, meant: str
) -> None:
    words = rf"{name}\(\) has no option '{misspelt}': did you mean '{meant}'"
    with pytest.raises(TypeError, match=words):
        call(window=9_000, wire="openai", **{misspelt: 3})


def test_option_that_is_near_to_none_lists_them_all() -> None:
    with pytest.raises(TypeError, match=r"'colour'; there are .*window.*memory.*policy"):
        steno.Session(colour="red")  # type: ignore[call-arg]


def test_misspelt_option_of_a_search_names_the_nearest() -> None:
    session = steno.Session(wire="openai", window=9_000)
    with pytest.raises(TypeError, match="did you mean 'seconds'"):
        session.recall("x", second=3)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", list(TAKERS))
def test_no_option_hides_in_a_catch_all(name: str) -> None:
    parameters = inspect.signature(TAKERS[name][0]).parameters
    for parameter in parameters.values():
        assert parameter.kind is not inspect.Parameter.VAR_KEYWORD
        assert parameter.kind is not inspect.Parameter.VAR_POSITIONAL
        assert parameter.annotation is not inspect.Parameter.empty
    missing = set(OPTION_NAMES) - set(parameters)
    assert missing == (OF_SESSIONS if name == "compact" else set())


@pytest.mark.parametrize("name", list(TAKERS))
def test_every_parameter_is_documented(name: str) -> None:
    call, documented = TAKERS[name]
    text = documented.__doc__ or ""
    if name == "AsyncSession":
        text += steno.Session.__init__.__doc__ or ""
    for parameter in inspect.signature(call).parameters:
        assert f"\n{parameter}: " in text, parameter


def test_defaults_are_those_of_the_value() -> None:
    for call, _ in TAKERS.values():
        for name, parameter in inspect.signature(call).parameters.items():
            if name in OPTION_TYPES:
                assert parameter.default is DEFAULTS.get(name), name


def test_every_option_has_its_text() -> None:
    assert sorted(option_docs()) == sorted(OPTION_NAMES)


def test_checked_function_keeps_its_signature() -> None:
    def greet(name: str, *, loud: bool = False) -> str:
        """Greet."""
        return name.upper() if loud else name

    checked = check_arguments(greet)
    assert inspect.signature(checked) == inspect.signature(greet)
    assert checked.__doc__ == "Greet."
    assert checked("ann", loud=True) == "ANN"


@pytest.mark.parametrize(
    ("writer", "window"),
    [
        ("gemini:gemini-2.5-flash", 1_048_576),
        ("http://localhost:8080/v1#gemini-2.5-flash", None),
    ],
)
def test_a_writer_has_the_window_of_a_model_that_its_provider_runs(
    writer: str, window: int | None
) -> None:
    assert _known_window(writer) == window
