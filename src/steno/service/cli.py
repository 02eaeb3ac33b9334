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

from steno.service.commands import lessons
from steno.service.commands.options import (
    MISTAKE,
    NOT_RIGHT,
)
from steno.service.menu import agents, files, look, measure, stores
from steno.service.menu.app import app

for group in (look, measure, files, stores, agents):
    app.add_typer(group.commands)


def _version(wanted: bool) -> None:
    if wanted:
        from steno import __version__

        typer.echo(f"steno {__version__}")
        raise typer.Exit


@app.callback(help=lessons.STENO)
def steno(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version and leave.")
    ] = False,
) -> None:
    """Say what holds for every command."""


def main() -> None:
    """Run the command line; what Steno refuses is said in one line."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 — held to the end, for who closed it
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a bar is no reason to fail where the terminal speaks ASCII
    sys.exit(_run(sys.argv[1:] or ["--help"]))


def _run(words: list[str]) -> int:
    try:
        code = app(words, prog_name="steno", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_stdout()  # who reads has gone, as `head` does
        return NOT_RIGHT
    except UnicodeEncodeError as error:
        typer.echo(f"steno: {error.object!r} is not text", err=True)
        return MISTAKE
    except Exception as error:
        from steno.core.error import StenoError

        if isinstance(error, StenoError):
            said = str(error)
        elif isinstance(error, OSError):  # stdout that takes no more, a file that went away
            _leave_stdout()
            said = error.strerror or str(error)
        elif isinstance(error, typer.BadParameter.__mro__[2]):  # what typer itself refuses
            said = _usage(error)
        else:
            raise
        typer.echo(f"steno: {said}", err=True)
        return MISTAKE
    return int(code or 0)


def _leave_stdout() -> None:
    """What is left in the buffer goes nowhere: Python must not find out again, when it ends, that it cannot."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage(error: Any) -> str:
    """What cannot be read of a command line, and where to look it up."""
    context = getattr(error, "ctx", None)
    said = " ".join(str(error.format_message()).split())
    return f"{said} See: {context.command_path} --help" if context else said
