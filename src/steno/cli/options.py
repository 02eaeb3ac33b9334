"""Options that several commands share, their help, exit codes, and how to read a size.

An option that only one command has is declared in that command's own file.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from steno.core.budget import WINDOW_LEAST, check_window
from steno.core.errors import BadBudget

DONE, FAILED, USAGE_ERROR = 0, 1, 2
"""Exit codes: done; done, but the result is not as it should be; cannot be done."""
NOT_FOUND, INTERRUPTED = 127, 130
"""What a shell reports for a command that is not there, and for Ctrl-C."""
_SIZE = re.compile(r"(-?[\d_,]*\.?\d+) ?([kKmM]?)")
_SCALE = {"": 1, "k": 1_000, "m": 1_000_000}


def exit_code(good: bool) -> int:
    """Return the code of a command by whether its result is as it should be."""
    if good:
        return DONE
    return FAILED


def argument(metavar: str, help: str, **more: Any) -> Any:
    """Declare an argument of a command."""
    return typer.Argument(metavar=metavar, help=help, **more)


def option(names: str, metavar: str, help: str, **more: Any) -> Any:
    """Declare an option that takes a value; its names are separated by a space."""
    return typer.Option(*names.split(), metavar=metavar, help=help, **more)


def flag(names: str, help: str, **more: Any) -> Any:
    """Declare an option without a value; its names are separated by a space."""
    return typer.Option(*names.split(), help=help, **more)


class PlainHelp:
    """Help that names no Python types."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            # A flag takes no value, and an argument is named after what it takes.
            if getattr(param, "is_flag", False) or param.param_type_name == "argument":
                param.display_type_rich = lambda ctx: None
        return params


class PlainCommand(PlainHelp, TyperCommand):
    """A command with plain help."""


class PlainGroup(PlainHelp, TyperGroup):
    """A group with plain help."""


def help_text(function: Callable[..., Any]) -> str:
    """Return a function's docstring as help: paragraphs unwrapped, examples line by line."""
    paragraphs = []
    # Rich reads [ as markup.
    for paragraph in (inspect.getdoc(function) or "").replace("[", "\\[").split("\n\n"):
        if not paragraph.startswith("  "):
            paragraph = paragraph.replace("\n", " ")
        paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


def spread_fields(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command an option for each field of a parameter that takes a dataclass."""
    shown: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        kind = parameter.annotation
        if isinstance(kind, type) and is_dataclass(kind):
            groups[parameter.name] = kind
            shown += inspect.signature(kind, eval_str=True).parameters.values()
        else:
            shown.append(parameter)

    @wraps(function)
    def run(**given: Any) -> Any:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        return function(**given)

    named = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in shown]
    run.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    return run


def parse_size(text: str, what: str = "size", least: int = 0) -> int:
    """Read a number of tokens: 32000, 32_000, 32k or 1M."""
    found = _SIZE.fullmatch(str(text).strip())
    if found is None:
        raise typer.BadParameter(f"{text!r} is not a size: use 32000, 32k or 1M")
    number = float(found[1].replace("_", "").replace(",", ""))
    size = int(number * _SCALE[found[2].lower()])
    if size < min(least, 1):
        raise typer.BadParameter(f"a {what} of {size} tokens: the least is {least}")
    return size


def parse_window(text: str) -> int:
    """Read a window; refuse one that holds nothing."""
    size = parse_size(text, "window", WINDOW_LEAST)
    try:
        return check_window(size)
    except BadBudget as refused:
        raise typer.BadParameter(str(refused)) from None


SourceArgument = Annotated[
    str, argument("FILE|DB", "A transcript (- reads stdin), or a store of sessions.")
]
DatabaseArgument = Annotated[str, argument("DB", "A store of sessions.")]
SessionOption = Annotated[
    str | None, option("--session -s", "NAME", "The session, if there are several.")
]
UserOption = Annotated[str | None, option("--user", "NAME", "The user, if there are several.")]
WindowOption = Annotated[
    int | None,
    option(
        "--window -w",
        "SIZE",
        "Tokens that the model's window holds: 32000, 32k.",
        parser=parse_window,
    ),
]
LimitOption = Annotated[
    int | None,
    option(
        "--limit",
        "SIZE",
        "Tokens that a request should stay below, if the window holds more: 120k.",
        parser=parse_window,
    ),
]
ModelOption = Annotated[str | None, option("--model -m", "NAME", "A model whose window is known.")]
ReserveOption = Annotated[
    int | None,
    option(
        "--reserve",
        "SIZE",
        "Tokens kept free for the reply. Default: an eighth of the window, at most 16,000.",
        parser=parse_size,
    ),
]
WireOption = Annotated[
    str | None, option("--wire", "NAME", "The message format, if it cannot be detected: openai, …")
]
PolicyOption = Annotated[
    str | None,
    option("--policy -p", "FILE|NAME", "What to do under pressure: a TOML file, or a name."),
]
WriterOption = Annotated[
    str | None,
    option("--writer", "MODEL", "A model that writes summaries. Default: none is asked."),
]
ConstraintOption = Annotated[
    list[str] | None, option("--constraint", "TEXT", "What always holds; may be repeated.")
]
StrictOption = Annotated[bool, flag("--strict", "Refuse a transcript with a damaged line.")]
JsonOption = Annotated[bool, flag("--json", "Print JSON.")]
OutOption = Annotated[
    str | None, option("--out -o", "OUT", "The file to write; - is stdout.", show_default=False)
]
OverwriteOption = Annotated[bool, flag("--overwrite", "Replace OUT if it exists already.")]
