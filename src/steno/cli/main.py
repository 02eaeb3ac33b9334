"""Start `steno`: find the command, run it, and turn errors into exit codes.

Owns the table of commands and the exit code of a failure. A command is one
function in its own module: its parameters are the options, its docstring is the
help, its return value is the exit code. The module is imported when the command
runs, so `steno --help` and `steno --version` answer at once. A user's mistake
prints one line on stderr and exits with code 2, never with a traceback.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from steno.cli.options import DONE, INTERRUPTED, USAGE_ERROR, WIDE_VARIABLE, flag
from steno.core.escape import visible

SEE = "See it"
MEASURE = "Measure it"
FILES = "Transcripts and stores"
STORES = "Sessions of a store"
AGENTS = "Agents and models"

COMMANDS: dict[str, tuple[str, str, str]] = {
    "demo": ("demo.command:demo", SEE, "Watch a long session in a small window."),
    "chat": ("chat.app:chat", SEE, "An agent that never runs out of context."),
    "show": ("show:show", SEE, "What the model sees: a map, and items."),
    "open": ("open:open_place", SEE, "Original messages, word for word."),
    "log": ("log:log", SEE, "Messages and commits, in order."),
    "recall": ("recall:recall", SEE, "Search everything that was said."),
    "replay": ("replay:replay", MEASURE, "What each policy would have kept."),
    "price": ("price:price", MEASURE, "What a session cost, and would have."),
    "check": ("check:check", MEASURE, "Rules and open loops: still visible?"),
    "probe": ("probe:probe", MEASURE, "What can still be answered?"),
    "compact": ("compact:compact", FILES, "The same transcript, within its budget."),
    "export": ("export:export", FILES, "A session as JSONL, or as an archive."),
    "import": ("import_:import_", FILES, "Store a transcript as a session."),
    "constraints": ("constraints:constraints", STORES, "List or change the rules of a session."),
    "undo": ("undo:undo", STORES, "Revert the newest commit."),
    "fork": ("fork:fork", STORES, "Continue from an earlier position."),
    "store": ("store:store", STORES, "Copy sessions to another store; check."),
    "forget": ("forget:forget", STORES, "Delete a session for good."),
    "mcp": ("mcp:mcp", STORES, "The agent's tools, for any MCP host."),
    "memory": ("memory:memory", STORES, "List or change what is known of a user."),
    "remember": ("remember:remember", STORES, "Learn lasting facts from a transcript."),
    "research": ("research:research", AGENTS, "An answer from a folder, with sources."),
    "wrap": ("wrap:wrap", AGENTS, "Run a coding agent within its window."),
    "proxy": ("proxy:proxy", AGENTS, "In front of a provider, for any agent."),
    "watch": ("watch:watch", AGENTS, "Running sessions: fill, commits, spared."),
    "install": ("install:install", AGENTS, "Hooks and tools for a coding agent."),
    "uninstall": ("install:uninstall", AGENTS, "Take them out again."),
    "hook": ("hook:hook", AGENTS, "What those hooks call."),
    "doctor": ("doctor:doctor", AGENTS, "What is installed, and what is wrong."),
    "gateway": ("gateway:gateway", AGENTS, "Serve a model by gRPC."),
}
"""Module and function of each command, its panel in the help, and its line there."""
EXAMPLE_MOST = 77
"""Columns of an example with the words beside it."""
_EXAMPLE = re.compile(r"^  (\S.*?)(\s{2,}\S.*)?$")


class PlainCommand(TyperCommand):
    """A command whose help names no Python types."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))


def _without_types(params: list[Any]) -> list[Any]:
    for param in params:
        # A flag takes no value, and an argument is named after what it takes.
        if getattr(param, "is_flag", False) or param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None
    return params


class LazyGroup(TyperGroup):
    """A group that lists commands by the table and imports only the one that is run."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            command = _load_command(name)
        return name, command, rest


def _load_command(name: str) -> Any:
    """Import the module of a command and return it as Typer's command."""
    module, _, function_name = COMMANDS[name][0].partition(":")
    function = getattr(import_module(f"steno.cli.{module}"), function_name)
    # Typer makes a plain command, not a group, of an app that has only one.
    alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
    settings = getattr(function, "context_settings", None)
    alone.command(name, cls=PlainCommand, help=_help_text(function), context_settings=settings)(
        function
    )
    return typer.main.get_command(alone)


def _help_text(function: Callable[..., Any]) -> str:
    """Return a function's docstring as help: paragraphs unwrapped, examples coloured."""
    paragraphs = []
    # Rich reads [ as markup, and keeps the line breaks of a paragraph.
    for paragraph in (inspect.getdoc(function) or "").replace("[", "\\[").split("\n\n"):
        if paragraph.startswith("  "):
            lines = paragraph.splitlines()
            paragraphs.append("\n".join(_EXAMPLE.sub(_with_colour, line) for line in lines))
        elif paragraph in ("Examples", "In Python"):
            paragraphs.append(f"[bold]{paragraph}[/bold]")
        else:
            paragraphs.append(paragraph.replace("\n", " "))
    return "\n\n".join(paragraphs)


def _with_colour(example: re.Match[str]) -> str:
    command, words = example[1], example[2] or ""
    # A line that a terminal of 80 columns would wrap gets its words above the command.
    if len(example[0]) > EXAMPLE_MOST and words:
        return f"  [dim]{words.strip()}:[/dim]\n  [cyan]{command}[/cyan]"
    return f"  [cyan]{command}[/cyan]{words}"


def _print_version(wanted: bool) -> None:
    if wanted:
        from steno import __version__

        typer.echo(f"steno {__version__}")
        raise typer.Exit


def _print_wide(wanted: bool) -> None:
    if wanted:
        os.environ[WIDE_VARIABLE] = "1"


def root_command(
    version: Annotated[
        bool,
        flag("--version", "Print the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
    wide: Annotated[
        bool,
        flag("--wide", "Do not cut lines at the terminal.", callback=_print_wide, is_eager=True),
    ] = False,
) -> None:
    """Steno keeps a long agent session within the model's window, and keeps every word.

    A model's window holds only so many tokens. When a session nears that limit, Steno shows the
    oldest part in short: people's words and conclusions stay, a summary tells the rest and says
    where to find it, rules are kept word for word. The original messages stay stored; any of them
    can be opened again.

    Examples

      steno demo                                   watch it work
      steno chat                                   talk to an agent
      steno show session.jsonl --window 32000      what fills the window
      steno compact session.jsonl -w 32k -o shorter.jsonl   the same, shorter
      steno open session.jsonl 17-42               original messages
      steno replay session.jsonl --window 32000    which policy keeps what

    FILE is a transcript of Claude Code, Codex or ATIF, or a list of OpenAI's or Anthropic's
    messages, gzipped or not; the format is detected. A damaged line is named and the rest is read;
    with --strict a command refuses the file. DB is a store that steno.Session or steno import
    wrote.

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
app.callback(help=_help_text(root_command))(root_command)
for name, (_, panel, line) in COMMANDS.items():
    # A stand-in for the help; `LazyGroup` loads the real command when it is run.
    app.command(name, short_help=line, rich_help_panel=panel)(lambda: None)


def main() -> None:
    """Run the command line and exit."""
    # Python sets stdout to None if the caller closed it; printing must still work.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # A terminal that only knows ASCII gets question marks instead of a traceback.
            reconfigure(errors="replace")
    sys.exit(_run(sys.argv[1:] or ["--help"]))


def _run(words: list[str]) -> int:
    """Run a command and return its exit code; print an expected error as one line."""
    try:
        code = app(_wide_first(words), prog_name="steno", standalone_mode=False)
        # Now, while a failure can still become an exit code; at exit Python would only report it.
        sys.stdout.flush()
    except KeyboardInterrupt:
        typer.echo("steno: interrupted", err=True)
        return INTERRUPTED
    # The reader of a pipe has gone, as `head` does.
    except BrokenPipeError:
        _discard_stdout()
        return DONE
    except SystemExit as leaving:
        # Typer takes a closed pipe for a failure and exits with 1.
        if not isinstance(leaving.__context__, BrokenPipeError):
            raise
        _discard_stdout()
        return DONE
    except Exception as error:
        text = _error_text(error)
        if text is None:
            raise
        if isinstance(error, OSError) and error.errno is not None:
            # What could not be written must not fail again when Python exits.
            _discard_stdout()
        typer.echo(f"steno: {visible(text)}", err=True)
        return USAGE_ERROR
    return int(code or 0)


def _wide_first(words: list[str]) -> list[str]:
    """Return the words with `--wide` before the command; what follows `--` is another program's."""
    own = words
    if "--" in words:
        own = words[: words.index("--")]
    if "--wide" not in own or own[0] == "wrap":
        return words
    rest = [word for word in own if word != "--wide"]
    return ["--wide", *rest, *words[len(own) :]]


def _error_text(error: Exception) -> str | None:
    """Return the line to print for an error; None for a bug of ours, which needs its traceback."""
    from steno.core.errors import StenoError

    if isinstance(error, StenoError):
        return str(error)
    if isinstance(error, typer.TyperException):
        return _usage_error_text(error)
    if isinstance(error, OSError):
        # A full disk, or a file that was removed meanwhile.
        return error.strerror or str(error)
    if isinstance(error, UnicodeEncodeError):
        return f"{error.object!r} is not valid text"
    return None


def _discard_stdout() -> None:
    # Loaded when needed: it loads rich.
    from steno.cli.output import discard

    discard(sys.stdout)


def _usage_error_text(error: Any) -> str:
    """Return what is wrong with a command line, and where to look it up."""
    context = getattr(error, "ctx", None)
    text = " ".join(str(error.format_message()).split())
    if not context:
        return text
    if not text.endswith("?"):
        text = text.rstrip(".") + "."
    return f"{text} See: {context.command_path} --help"
