"""Options that several commands share, each worded once, and how a size is said."""

from __future__ import annotations

import re
from typing import Annotated

import typer

DONE, FAILED, USAGE_ERROR = 0, 1, 2
"""Exit codes: done; done, but something is not right; what was asked cannot be done."""
_SIZE = re.compile(r"(-?[\d_,]*\.?\d+) ?([kKmM]?)")
_SCALE = {"": 1, "k": 1_000, "m": 1_000_000}


def parse_size(text: str) -> int:
    """Tokens, as people say them: 32000, 32_000, 32k, 1M."""
    found = _SIZE.fullmatch(str(text).strip())
    if found is None:
        raise typer.BadParameter(f"{text!r} is no size: say 32000, 32k or 1M")
    return int(float(found[1].replace("_", "").replace(",", "")) * _SCALE[found[2].lower()])


SourceArgument = Annotated[
    str,
    typer.Argument(metavar="FILE|DB", help="A transcript (- reads stdin), or a store of sessions."),
]
DatabaseArgument = Annotated[str, typer.Argument(metavar="DB", help="A store of sessions.")]
SessionOption = Annotated[
    str | None,
    typer.Option("--session", "-s", metavar="NAME", help="Which session, where there are several."),
]
WindowOption = Annotated[
    int | None,
    typer.Option(
        "--window",
        "-w",
        parser=parse_size,
        metavar="SIZE",
        help="Tokens the model holds: 32000, 32k.",
    ),
]
ModelOption = Annotated[
    str | None, typer.Option("--model", "-m", metavar="NAME", help="A model whose window is known.")
]
ReserveOption = Annotated[
    int | None,
    typer.Option(
        "--reserve",
        parser=parse_size,
        metavar="SIZE",
        help="Tokens kept free for the reply. Default: an eighth of the window, at most 16,000.",
    ),
]
WireOption = Annotated[
    str | None,
    typer.Option("--wire", metavar="NAME", help="Whose messages these are, if it cannot be told."),
]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        "--policy",
        "-p",
        metavar="FILE|NAME",
        help="What to do under pressure: a TOML file, or a name.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Say it as JSON.")]
OutOption = Annotated[
    str | None,
    typer.Option(
        "--out", "-o", metavar="OUT", help="Where to write it; - is stdout.", show_default=False
    ),
]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Write over OUT if it is there.")
]
SourcesArgument = Annotated[
    list[str], typer.Argument(metavar="FILE|DB…", help="Transcripts, or stores of sessions.")
]
ReplayWindowOption = Annotated[
    int,
    typer.Option(
        "--window", "-w", parser=parse_size, metavar="SIZE", help="Tokens the model holds."
    ),
]
PoliciesOption = Annotated[
    str, typer.Option("--policy", "-p", metavar="A,B,C", help="Which policies to compare.")
]
PRICED_MODEL_OPTION = typer.Option(
    "--model", "-m", metavar="NAME", help="A model whose prices are known."
)
ReplayReserveOption = Annotated[
    int,
    typer.Option("--reserve", parser=parse_size, metavar="SIZE", help="Kept free for the reply."),
]
HtmlOption = Annotated[
    str | None,
    typer.Option("--html", metavar="OUT", help="Draw it, as one page that needs nothing else."),
]
JobsOption = Annotated[
    int, typer.Option("--jobs", "-j", min=1, help="Processes, for many sessions.")
]
TurnsOption = Annotated[int, typer.Option("--turns", min=1, help="Turns to come, for what pays.")]
IdleOption = Annotated[
    float,
    typer.Option(
        "--idle", min=0, metavar="MINUTES", help="Since the last request: a cache does not last."
    ),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Write nothing if it does not fit, or is cut off.")
]
WithCommitsOption = Annotated[
    bool, typer.Option("--with-commits", help="An archive: messages, commits and limits.")
]
SessionArgument = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="Which session; the same as --session.")
]
ChatModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="script:demo, openai:…, anthropic:…, http://host/v1#model.",
    ),
]
WriterOption = Annotated[
    str | None,
    typer.Option("--writer", metavar="MODEL", help="Who writes summaries; else nobody is asked."),
]
ChatStoreOption = Annotated[
    str | None,
    typer.Option(
        "--db", metavar="DB", help="Where sessions are kept. Default: in your data folder."
    ),
]
McpServersOption = Annotated[
    list[str],
    typer.Option(
        "--mcp", metavar="COMMAND", help="An MCP server whose tools it may use; may be repeated."
    ),
]
