"""The command line: `steno`.

Owns words, options and exit codes; each command's work is in its own module,
imported when it is run, so that help comes at once. A user's mistake is one
line on stderr and exit code 2, never a traceback.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from steno.cli import help_texts, menu_agents, menu_files, menu_look, menu_measure, menu_stores
from steno.cli.app import app
from steno.cli.options import (
    FAILED,
    USAGE_ERROR,
)

for group in (menu_look, menu_measure, menu_files, menu_stores, menu_agents):
    app.add_typer(group.commands)


def _print_version(wanted: bool) -> None:
    if wanted:
        from steno import __version__

        typer.echo(f"steno {__version__}")
        raise typer.Exit


@app.callback(help=help_texts.STENO)
def root_command(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Say the version and leave."
        ),
    ] = False,
) -> None:
    """Say what holds for every command."""


def main() -> None:
    """Run the command line; what Steno refuses is said in one line."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 — held to the end, for who closed it
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(
                errors="replace"
            )  # a bar is no reason to fail where the terminal speaks ASCII
    sys.exit(_run(sys.argv[1:] or ["--help"]))


def _run(words: list[str]) -> int:
    try:
        code = app(words, prog_name="steno", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()  # who reads has gone, as `head` does
        return FAILED
    except UnicodeEncodeError as error:
        typer.echo(f"steno: {error.object!r} is not text", err=True)
        return USAGE_ERROR
    except Exception as error:
        from steno.core.errors import StenoError

        if isinstance(error, StenoError):
            said = str(error)
        elif isinstance(error, OSError):  # stdout that takes no more, a file that went away
            _discard_stdout()
            said = error.strerror or str(error)
        elif isinstance(error, typer.BadParameter.__mro__[2]):  # what typer itself refuses
            said = _usage_error_text(error)
        else:
            raise
        typer.echo(f"steno: {said}", err=True)
        return USAGE_ERROR
    return int(code or 0)


def _discard_stdout() -> None:
    """What is left in the buffer goes nowhere: Python must not find out again, when it ends, that it cannot."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage_error_text(error: Any) -> str:
    """What cannot be read of a command line, and where to look it up."""
    context = getattr(error, "ctx", None)
    said = " ".join(str(error.format_message()).split())
    if context:
        return f"{said} See: {context.command_path} --help"
    return said
