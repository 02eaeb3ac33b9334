"""Start `steno`: find the command, run it, and turn errors into exit codes.

Owns the table of commands and the exit code of a failure. A command is one
function in its own module: its parameters are the options, its docstring is the
help, its return value is the exit code, none is 0. The module is imported when the command
runs, so `steno --help` and `steno --version` answer at once. A user's mistake
prints one line on stderr and exits with code 2, never with a traceback.
"""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from steno.cli import options as cli
from steno.core.escape import visible

START = "Start here"
READ = "Look closer"
STORES = "Stores"
CONNECT = "Connect an agent"
AGENTS = "Bundled agents"

COMMANDS: dict[str, tuple[str, str, str]] = {
    "wrap": ("wrap:wrap", START, "Run a coding agent within its window."),
    "show": ("show:show", START, "What the model sees: a map, and items."),
    "compact": ("compact:compact", START, "The same transcript, within its budget."),
    "recall": ("recall:recall", START, "Search everything that was said."),
    "replay": ("replay:replay", START, "What each policy would have kept, and cost."),
    "doctor": ("doctor:doctor", START, "What is wrong here, and how to mend it."),
    "inspect": ("inspect_:inspect_", START, "See sessions in a browser, live."),
    "demo": ("demo.command:demo", READ, "Watch a long session in a small window."),
    "open": ("open:open_place", READ, "Original messages, word for word."),
    "log": ("log:log", READ, "Messages and commits in order; --follow watches."),
    "handover": ("handover:handover", READ, "What the next agent or person needs."),
    "constraints": ("constraints:constraints", READ, "List or change constraints; open loops."),
    "probe": ("probe:probe", READ, "Which questions can still be answered?"),
    "store": ("store:app", STORES, "Import, export, undo, pin, edit, fork, forget, copy, check."),
    "import": ("store:import_", "", "The same as steno store import."),
    "export": ("store:export", "", "The same as steno store export."),
    "undo": ("store:undo", "", "The same as steno store undo."),
    "memory": ("memory:memory", STORES, "List, change or learn what is known of a user."),
    "proxy": ("proxy:proxy", CONNECT, "A server in front of a provider, for any agent."),
    "install": ("install:install", CONNECT, "Hooks and tools for a coding agent."),
    "mcp": ("mcp:mcp", CONNECT, "The agent's tools, for any MCP host."),
    "hook": ("hook:hook", "", "What those hooks call."),
    "statusline": ("statusline:statusline", "", "What Claude Code's status line calls."),
    "chat": ("chat.app:chat", AGENTS, "An agent that never runs out of context."),
    "research": ("research:research", AGENTS, "An answer from a folder, with sources."),
    "gateway": ("gateway:gateway", AGENTS, "Serve a model by gRPC."),
}
"""Module and function of each command, its panel in the help (none: hidden), its line there."""
PACKAGES = {"chat": "prompt_toolkit", "research": "prompt_toolkit", "gateway": "grpc"}
"""A package of the extra `agents`; without it, the help does not list the command."""


class LazyGroup(cli.PlainGroup):
    """A group that lists commands by the table and imports only the one that is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            command = load_command(name)
        return name, command, rest


def load_command(name: str) -> Any:
    """Import the module of a command and return it as Typer's command."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    found = getattr(import_module(f"steno.cli.{module}"), attribute)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    # Typer makes a plain command, not a group, of an app that has only one.
    alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
    settings = getattr(found, "context_settings", None)
    declare = alone.command(
        name, cls=cli.PlainCommand, help=cli.help_text(found), context_settings=settings
    )
    declare(cli.spread_fields(found))
    return typer.main.get_command(alone)


def _print_version(wanted: bool) -> None:
    if wanted:
        from steno import __version__

        typer.echo(f"steno {__version__}")
        raise typer.Exit


def root_command(
    version: Annotated[
        bool,
        cli.flag(
            "--version", "Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Steno keeps a long agent session within the model's window, and keeps every word.

    A model's window holds only so many tokens. When a session nears that limit, Steno shows the
    oldest part in short: people's words and conclusions stay, a summary covers the rest and says
    where to find it, constraints stay word for word. The original messages stay stored; any of
    them can be opened again.

    Examples

      steno wrap claude                          Claude Code, within its window
      steno show session.jsonl --window 32000    what fills the window
      steno compact session.jsonl -w 32k -o shorter.jsonl
      steno recall session.jsonl "slow query"    search what was said
      steno replay session.jsonl -w 32k          which policy keeps what
      steno doctor                               is anything wrong here?
      steno demo                                 watch it work

    FILE is a transcript of Claude Code or Codex, or a list of OpenAI's or Anthropic's
    messages, gzipped or not; the format is detected. A damaged line is named and the rest is read;
    with --strict a command refuses the file. DB is a store that steno.Session or steno store
    import wrote. Lines are cut at the width of the terminal; COLUMNS=400 before a command widens
    it.

    In Python

      import steno
      result = steno.compact(messages, window=128_000)   any provider's list
      result.messages                                    what to send instead
    """


app = typer.Typer(
    name="steno",
    cls=LazyGroup,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.callback(help=cli.help_text(root_command))(root_command)
for name, (_, panel, line) in COMMANDS.items():
    hidden = not panel or (name in PACKAGES and find_spec(PACKAGES[name]) is None)
    # A stand-in for the help; `LazyGroup` loads the real command when it is run.
    app.command(name, short_help=line, rich_help_panel=panel, hidden=hidden)(lambda: None)


def main() -> None:
    # Python sets stdout to None if the caller closed it; printing must still work.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # A terminal that only knows ASCII gets question marks instead of a traceback.
            reconfigure(errors="replace")
    warnings.showwarning = _print_warning
    sys.exit(_run(sys.argv[1:] or ["--help"]))


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    from steno.cli.output import print_note

    print_note(str(message))


def _run(words: list[str]) -> int:
    """Run a command and return its exit code; print an expected error as one line."""
    try:
        code = app(words, prog_name="steno", standalone_mode=False)
        # Now, while a failure can still become an exit code; at exit Python would only report it.
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = cli.INTERRUPTED
    except (BrokenPipeError, SystemExit) as leaving:
        # The reader of a pipe has gone, as `head` does. Typer takes that for a failure, exit 1.
        if not any(isinstance(each, BrokenPipeError) for each in (leaving, leaving.__context__)):
            raise
        # Loaded when needed: it loads rich.
        from steno.cli.output import discard

        discard(sys.stdout)
        return cli.DONE
    except Exception as error:
        text = _error_text(error)
        if text is None:
            raise
        from steno.cli.output import discard, without_logins

        if isinstance(error, OSError) and error.errno is not None:
            # What could not be written must not fail again when Python exits.
            discard(sys.stdout)
        typer.echo(f"steno: {visible(without_logins(text))}", err=True)
        return cli.USAGE_ERROR
    # Typer makes an exit of Ctrl-C, without a word.
    if code == cli.INTERRUPTED:
        typer.echo("steno: interrupted", err=True)
    return int(code or 0)


def _error_text(error: Exception) -> str | None:
    """Return the line to print for an error; None for a bug of ours, which needs its traceback."""
    from steno.core.errors import StenoError

    if isinstance(error, StenoError):
        return str(error)
    if isinstance(error, typer.TyperException):
        return _usage_error_text(error)
    if isinstance(error, OSError):
        # A full disk, or a file that is not there.
        words = error.strerror or str(error)
        if error.filename is None:
            return words
        return f"{error.filename}: {words}"
    if isinstance(error, UnicodeEncodeError):
        return f"{error.object!r} is not valid text"
    return None


def _usage_error_text(error: Any) -> str:
    """Return what is wrong with a command line, and where to look it up."""
    context = getattr(error, "ctx", None)
    text = " ".join(str(error.format_message()).split())
    if not context:
        return text
    if not text.endswith("?"):
        text = text.rstrip(".") + "."
    return f"{text} See: {context.command_path} --help"


if __name__ == "__main__":
    main()
