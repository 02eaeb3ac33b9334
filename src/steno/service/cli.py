"""The command line: `steno`.

Owns words, options and exit codes; each command's work is in its own module,
imported when it is run, so that help comes at once. A user's mistake is one
line on stderr and exit code 2, never a traceback.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

HELP = """\
Steno takes a long-running agent's history down in shorthand, and can read every word back.

A model's window holds only so many tokens. When an agent's session nears it, Steno shows the oldest part in short: \
large results as head and tail, old turns as a trace. Everything that was ever said is kept, and any of it can be \
opened again, word for word.

[bold]Examples[/bold]

  [cyan]steno demo[/cyan]                  watch a long session live in a small window
  [cyan]steno demo --window 32000[/cyan]   the same in a larger one
  [cyan]steno demo --json[/cyan]           its numbers, for a machine

[bold]In Python[/bold]

  [cyan]import steno[/cyan]
  [cyan]result = steno.compact(messages, window=128_000)[/cyan]   any provider's list
  [cyan]result.messages[/cyan]                                    what to send instead
"""
DEMO = """\
Replay a long session under a small window, turn by turn.

A coding agent hunts a bug in some 130,000 tokens; the model holds 16,000. Each line is one request and shows what \
fills the window; each commit says what it covered. At the end every message is opened again and compared with what \
was said. Needs no key and no network. Exit code 1 if anything did not hold.

[bold]Examples[/bold]

  [cyan]steno demo[/cyan]                         at a pace that eyes can follow
  [cyan]steno demo --fast --window 64000[/cyan]   all at once, in a larger window
  [cyan]steno demo --json[/cyan]                  its numbers, for a machine
"""
USER_ERROR = 2

app = typer.Typer(
    name="steno",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from steno import __version__

        typer.echo(f"steno {__version__}")
        raise typer.Exit


@app.callback(help=HELP)
def steno(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version and leave.")
    ] = False,
) -> None:
    """Say what holds for every command."""


@app.command(help=DEMO)
def demo(
    window: Annotated[int, typer.Option(help="Tokens that the model holds.")] = 16_000,
    fast: Annotated[bool, typer.Option("--fast", help="Do not wait for eyes to follow.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers alone, as JSON.")] = False,
) -> None:
    from steno.service.demo import proven, replayed, summary

    replay = replayed(window)
    proof = proven(replay)
    if as_json:
        import json

        typer.echo(json.dumps(summary(replay, proof), indent=2))
    else:
        from rich.console import Console

        from steno.service.paint import Painter

        console = Console(highlight=False)
        Painter(console, slow=console.is_terminal and not fast).show(replay, proof)
    if not (proof.holds and replay.fits):
        raise typer.Exit(1)


def main() -> None:
    """Run the command line; what Steno refuses is said in one line."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a bar is no reason to fail where the terminal speaks ASCII
    try:
        app()
    except Exception as error:
        from steno.core.error import StenoError

        if not isinstance(error, StenoError):
            raise
        typer.echo(f"steno: {error}", err=True)
        sys.exit(USER_ERROR)
