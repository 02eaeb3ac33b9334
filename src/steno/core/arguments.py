"""Refuse arguments that a public function cannot take, before it does anything.

Owns the one decorator that does this. A misspelt keyword is refused with the nearest one:
Python's own message names only the wrong keyword, and a function with twenty options should
say which one was probably meant. A value that is not of its parameter's type is refused with
what the parameter takes. What only a protocol or `Any` describes is checked where it is used.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import os
import typing
from collections import abc
from collections.abc import Callable
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from steno.core.errors import BadInput

P = ParamSpec("P")
T = TypeVar("T")

NUMBER_BITS_MOST = 63
"""A larger number fits into no store, and cannot even be shown."""
QUOTED_MOST = 40
"""Characters of a wrong value that an error quotes."""
_UNIONS = (Union, UnionType)
_MANY = (abc.Iterable, abc.Sequence, abc.Collection, list, tuple)
_NAMES: dict[object, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    bytes: "bytes",
    os.PathLike: "a path",
    abc.Callable: "a function",
    abc.Mapping: "a mapping",
}


def check_keywords(function: Callable[P, T]) -> Callable[P, T]:
    """Make an unknown keyword a `TypeError` that names the nearest parameter.

    Works for functions and methods, `__init__` included. The signature stays as it
    is, for `help()`, type checkers and editors.
    """
    known = keyword_names(function)

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in known:
                raise TypeError(unknown_keyword(function, name, known))
        return function(*args, **kwargs)

    return run


def check_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """Make a value of another type than its parameter's `BadInput`; check keywords too."""
    order = list(inspect.signature(function).parameters)

    @functools.cache
    def types() -> dict[str, Any]:
        # When it is first called: until then a module may name what it has not defined yet.
        return _checkable_types(function, order)

    @check_keywords
    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        given = dict(zip(order, args, strict=False)) | kwargs
        for name, kind in types().items():
            if name in given:
                _check(f"{_call_name(function)}(): {name}=", given[name], kind)
        return function(*args, **kwargs)

    return run


def check_fields(value: Any) -> None:
    """Refuse a dataclass whose fields are not of their types; call it in `__post_init__`."""
    kind_of_value: Any = type(value)
    for name, kind in _field_types(kind_of_value).items():
        _check(f"{name}=", getattr(value, name), kind)


def keyword_names(function: Callable[..., object]) -> list[str]:
    """Return the names of all parameters that can be passed by keyword."""
    by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = list(inspect.signature(function).parameters.values())
    names = [parameter.name for parameter in parameters if parameter.kind in by_keyword]
    return [name for name in names if name != "self"]


def unknown_keyword(function: Callable[..., object], name: str, known: list[str]) -> str:
    """Return the message for an unknown keyword: the nearest option, or all of them."""
    name_called = _call_name(function)
    nearest = difflib.get_close_matches(name, known, n=1)
    if nearest:
        return f"{name_called}() has no option {name!r}: did you mean {nearest[0]!r}?"
    return f"{name_called}() has no option {name!r}; there are {', '.join(known)}"


def _call_name(function: Callable[..., object]) -> str:
    return function.__qualname__.removesuffix(".__init__")


def _checkable_types(function: Callable[..., object], order: list[str]) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters
    hints = get_type_hints(function)
    single = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name: hints[name]
        for name in order
        if name in hints and parameters[name].kind not in single and not _is_open(hints[name])
    }


@functools.cache
def _field_types(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]
    return {name: hints[name] for name in names if not _is_open(hints[name])}


def _is_open(kind: Any) -> bool:
    """Tell whether a type says nothing that can be checked."""
    if get_origin(kind) in _UNIONS:
        return any(map(_is_open, get_args(kind)))
    return kind is Any or isinstance(kind, TypeVar) or getattr(kind, "_is_protocol", False)


def _check(where: str, value: object, kind: Any) -> None:
    if _fits(value, kind):
        return
    got = _describe_value(value)
    chosen = any(get_origin(one) is Literal for one in (kind, *get_args(kind)))
    if isinstance(value, str) and chosen:
        # Where a few words can be chosen from, the wrong one says what was meant.
        got = repr(value[:QUOTED_MOST])
    raise BadInput(f"{where} takes {_describe(kind)}, got {got}")


def _describe_value(value: object) -> str:
    """Say in words what was passed."""
    if isinstance(value, int) and value.bit_length() > NUMBER_BITS_MOST:
        return "a number too large to keep"
    kind = type(value).__name__
    if isinstance(value, list | tuple) and value:
        return f"{kind} of {', '.join(sorted({type(one).__name__ for one in value}))}"
    return kind


def _fits(value: object, kind: Any) -> bool:
    origin = get_origin(kind)
    if origin in _UNIONS:
        return any(_fits(value, one) for one in get_args(kind))
    if _is_open(kind):
        return True
    if kind in (None, NoneType):
        return value is None
    if typing.is_typeddict(kind):
        return isinstance(value, dict) and all(isinstance(key, str) for key in value)
    if origin is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if kind is int:
        return _is_number(value, int)
    if kind is float:
        # A number that is not one compares with nothing.
        return _is_number(value, int | float) and value == value
    if origin in _MANY:
        return _fits_many(value, origin, get_args(kind))
    if origin is abc.Mapping and isinstance(value, abc.Mapping):
        keys, values = get_args(kind)
        return all(_fits(key, keys) and _fits(one, values) for key, one in value.items())
    return isinstance(value, origin or kind)


def _is_number(value: object, kind: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, kind):
        return False
    return not isinstance(value, int) or value.bit_length() <= NUMBER_BITS_MOST


def _fits_many(value: object, origin: Any, of: tuple[Any, ...]) -> bool:
    if not isinstance(value, origin) or isinstance(value, str | bytes | abc.Mapping):
        return False
    # What can be read only once is left to its reader.
    if not isinstance(value, abc.Sequence):
        return True
    return all(_fits(one, of[0]) for one in value)


def _describe(kind: Any) -> str:
    """Say in words what a parameter takes."""
    kinds = list(get_args(kind)) if get_origin(kind) in _UNIONS else [kind]
    names: list[str] = []
    for one in kinds:
        origin = get_origin(one)
        if one is NoneType or (one is str and any(get_origin(o) is os.PathLike for o in kinds)):
            continue
        if origin is Literal:
            names += map(repr, get_args(one))
        elif origin in _MANY:
            names.append(_describe_list(get_args(one)[0]))
        else:
            names.append(_NAMES.get(origin or one) or f"a {(origin or one).__name__}")
    return " or ".join(dict.fromkeys(names))


def _describe_list(of: Any) -> str:
    if _is_open(of):
        return "a list"
    return f"a list, each {_describe(of)}"
