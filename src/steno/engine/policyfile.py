"""A policy as a TOML file: what it may say, and what is wrong with one.

Whatever is wrong is said with its place: ``Expected `int`, got `str` - at
`$.ladder[0].over` ``. Checks are Python's alone, and not in a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from steno.core.error import BadInput, BadPolicy
from steno.core.rung import Rung
from steno.core.tail import AnyTail
from steno.engine.policy import Policy
from steno.steps.clip import Clip
from steno.steps.fold import Fold
from steno.steps.micro import Micro
from steno.steps.offload import Intake, Offload
from steno.steps.prune import Prune
from steno.steps.summarize import OffloadTail, Summarize
from steno.steps.truncate import Truncate

KNOWN: tuple[type[Rung], ...] = (Intake, Micro, Prune, OffloadTail, Offload, Summarize, Fold, Clip, Truncate)
"""The rungs that every file may name."""
PYTHON_ALONE = ("checks",)
WINDOW = 1_000_000
"""To try the shares on, where a file names no window."""
_TYPE = re.compile(r"Invalid value '(?P<said>.*)' - at `\$\.(?P<where>.*)\.type`", re.S)


def read(source: str | os.PathLike[str], rungs: Iterable[type[Rung]] = ()) -> Policy:
    """The policy in a file, or in a text; a text has a line break or an equals sign in it."""
    if isinstance(source, str) and ("\n" in source or "=" in source):
        return _read(source, rungs)
    path = Path(source)
    try:
        return _read(path.read_text(encoding="utf-8"), rungs)
    except FileNotFoundError:
        raise BadPolicy(f"{path}: there is no such file") from None
    except OSError as error:
        raise BadPolicy(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadPolicy(f"{path}: not UTF-8") from None
    except BadInput as error:
        raise BadPolicy(f"{path}: {error}") from None


def _read(text: str, rungs: Iterable[type[Rung]]) -> Policy:
    import tomllib

    kinds = (*KNOWN, *rungs)
    try:
        written = msgspec.convert(tomllib.loads(text), _form(kinds))
    except tomllib.TOMLDecodeError as error:
        raise BadPolicy(f"not TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise BadPolicy(_said(str(error), kinds)) from None
    policy = Policy(**{name: getattr(written, name) for name in written.__struct_fields__})
    policy.budget(policy.window or WINDOW + (policy.reserve or 0))
    return policy


def _form(kinds: tuple[type[Rung], ...]) -> type[msgspec.Struct]:
    """A policy as a file may say it: of rungs and tails those that have names."""
    known: Any = reduce(or_, kinds)
    rungs = tuple[known, ...]
    hints = get_type_hints(Policy, include_extras=True) | {"ladder": rungs, "every_round": rungs, "tail": AnyTail}
    fields: list[tuple[str, Any, Any]] = [
        (field.name, hints[field.name], field.default)
        for field in msgspec.structs.fields(Policy)
        if field.name not in PYTHON_ALONE
    ]
    return msgspec.defstruct("Policy", fields, frozen=True, forbid_unknown_fields=True)


def _said(error: str, kinds: tuple[type[Rung], ...]) -> str:
    """The error with its place, and with the names there are where one is wrong."""
    wrong = _TYPE.fullmatch(error)
    if wrong is None:
        return error if " - at `" in error else f"{error} - at `$`"
    rungs = wrong["where"].startswith(("ladder", "every_round"))
    names = sorted(str(kind.__struct_config__.tag) for kind in (kinds if rungs else AnyTail.__args__))
    what = "rung" if rungs else "tail"
    return f"Unknown {what} '{wrong['said']}', there are {', '.join(names)} - at `$.{wrong['where']}.type`"
