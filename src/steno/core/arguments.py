"""Refuse wrong arguments of a public function before it does anything.

A misspelt keyword is refused with the nearest one, a value of another type with what its
parameter takes. What only a protocol or `Any` describes is checked where it is used.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import os
from collections import abc
from collections.abc import Callable
from dataclasses import fields
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from steno.core.errors import BadInput

P = ParamSpec("P")
T = TypeVar("T")

NUMBER_BITS_MOST = 63
"""A larger number fits into no store, and cannot even be shown."""
QUOTED_MOST = 40
"""Characters of a wrong value that an error quotes."""
_LISTS = (abc.Iterable, abc.Sequence, abc.Collection, list, tuple)
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


_type_hints: Callable[[Any], dict[str, Any]] = functools.cache(get_type_hints)


def check_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """Make a value of another type than its parameter's `BadInput`; check keywords too."""
    return check_keywords(function, types=True)


def check_keywords(function: Callable[P, T], *, types: bool = False) -> Callable[P, T]:
    """Make an unknown keyword a `TypeError` that names the nearest parameter."""
    order = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    known = [name for name in order if name != "self"]
    call = function.__qualname__.removesuffix(".__init__") + "()"

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in known:
                raise TypeError(f"{call} has no option {name!r}{_hint(name, known)}")
        if types:
            for name, value in (dict(zip(order, args, strict=False)) | kwargs).items():
                # Read when it is called: a module may name what it has not defined yet.
                _check(f"{call}: {name}=", value, _type_hints(function).get(name, Any))
        return function(*args, **kwargs)

    return run


def check_fields(value: Any) -> None:
    """Refuse a dataclass whose fields are not of their types; call it in `__post_init__`."""
    for field in fields(value):
        _check(f"{field.name}=", getattr(value, field.name), _type_hints(type(value))[field.name])


def _hint(name: str, known: list[str]) -> str:
    """Return the nearest option, or all of them, for the end of an error."""
    for nearest in difflib.get_close_matches(name, known, n=1):
        return f": did you mean {nearest!r}?"
    return f"; there are {', '.join(known)}"


def _check(where: str, value: object, kind: Any) -> None:
    if not _fits(value, kind):
        raise BadInput(f"{where} takes {_describe(kind)}, got {_describe_value(value, kind)}")


def _fits(value: object, kind: Any) -> bool:
    origin, of = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in of)
    if _is_open(kind):
        return True
    if is_typeddict(kind):
        return isinstance(value, dict) and all(isinstance(key, str) for key in value)
    if origin is Literal:
        return isinstance(value, str) and value in of
    if kind in (int, float) and isinstance(value, int):
        return not isinstance(value, bool) and value.bit_length() <= NUMBER_BITS_MOST
    if not isinstance(value, origin or kind):
        return False
    if isinstance(value, float):
        return not math.isnan(value)
    if origin in _LISTS:
        if isinstance(value, str | bytes | abc.Mapping):
            return False
        # What can be read only once is left to its reader.
        return not isinstance(value, abc.Sequence) or all(_fits(one, of[0]) for one in value)
    if origin is abc.Mapping and isinstance(value, abc.Mapping):
        return all(_fits(key, of[0]) and _fits(one, of[1]) for key, one in value.items())
    return True


def _is_open(kind: Any) -> bool:
    """Tell whether a type says nothing that can be checked."""
    return kind is Any or isinstance(kind, TypeVar) or getattr(kind, "_is_protocol", False)


def _describe(kind: Any) -> str:
    """Say in words what a parameter takes."""
    names: list[str] = []
    kinds = (kind,)
    if get_origin(kind) in (Union, UnionType):
        kinds = get_args(kind)
    for one in kinds:
        origin, of = get_origin(one), get_args(one)
        if origin is Literal:
            names += map(repr, of)
        elif origin in _LISTS:
            names.append("a list")
            if not _is_open(of[0]):
                names[-1] += f", each {_describe(of[0])}"
        elif one is not NoneType:
            names.append(_NAMES.get(origin or one) or f"a {(origin or one).__name__}")
    if "a path" in names and "a text" in names:
        names.remove("a text")
    return " or ".join(dict.fromkeys(names))


def _describe_value(value: object, kind: Any) -> str:
    """Say in words what was passed; of a wrong word among a few, the word itself."""
    words = any(get_origin(one) is Literal for one in (kind, *get_args(kind)))
    if words and isinstance(value, str):
        return repr(value[:QUOTED_MOST])
    if isinstance(value, int) and value.bit_length() > NUMBER_BITS_MOST:
        return "a number too large to keep"
    name = type(value).__name__
    if isinstance(value, list | tuple) and value:
        return f"{name} of {', '.join(sorted({type(one).__name__ for one in value}))}"
    return name
