"""Refuse a misspelt keyword and name the nearest one.

Owns the one decorator that does this. Python's own message names only the wrong
keyword; a function with twenty options should say which one was probably meant.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def check_keywords(function: Callable[P, T]) -> Callable[P, T]:
    """Make an unknown keyword a `TypeError` that names the nearest parameter.

    Works for functions and methods, `__init__` included. The signature stays as it
    is, for `help()`, type checkers and editors.
    """
    known = keyword_names(function)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in known:
                raise TypeError(unknown_keyword(function, name, known))
        return function(*args, **kwargs)

    return checked


def keyword_names(function: Callable[..., object]) -> list[str]:
    """Return the names of all parameters that can be passed by keyword."""
    by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = list(inspect.signature(function).parameters.values())
    names = [parameter.name for parameter in parameters if parameter.kind in by_keyword]
    return [name for name in names if name != "self"]


def unknown_keyword(function: Callable[..., object], name: str, known: list[str]) -> str:
    """Return the message for an unknown keyword: the nearest option, or all of them."""
    called = function.__qualname__.removesuffix(".__init__")
    nearest = difflib.get_close_matches(name, known, n=1)
    if nearest:
        return f"{called}() has no option {name!r}: did you mean {nearest[0]!r}?"
    return f"{called}() has no option {name!r}; there are {', '.join(known)}"
