"""Options that several commands share, each worded once, and how a size is said."""

from __future__ import annotations

import re
from typing import Annotated

import typer

DONE, NOT_RIGHT, MISTAKE = 0, 1, 2
"""Exit codes: done; done, but something is not right; what was asked cannot be done."""
_SIZE = re.compile(r"(-?[\d_,]*\.?\d+) ?([kKmM]?)")
_SCALE = {"": 1, "k": 1_000, "m": 1_000_000}


def size(text: str) -> int:
    """Tokens, as people say them: 32000, 32_000, 32k, 1M."""
    found = _SIZE.fullmatch(str(text).strip())
    if found is None:
        raise typer.BadParameter(f"{text!r} is no size: say 32000, 32k or 1M")
    return int(float(found[1].replace("_", "").replace(",", "")) * _SCALE[found[2].lower()])


Source = Annotated[
    str, typer.Argument(metavar="FILE|DB", help="A transcript (- reads stdin), or a store of sessions.")
]
Database = Annotated[str, typer.Argument(metavar="DB", help="A store of sessions.")]
Chosen = Annotated[
    str | None,
    typer.Option("--session", "-s", metavar="NAME", help="Which session, where there are several."),
]
Window = Annotated[
    int | None,
    typer.Option("--window", "-w", parser=size, metavar="SIZE", help="Tokens the model holds: 32000, 32k."),
]
Model = Annotated[str | None, typer.Option("--model", "-m", metavar="NAME", help="A model whose window is known.")]
Reserve = Annotated[
    int | None,
    typer.Option(
        "--reserve",
        parser=size,
        metavar="SIZE",
        help="Tokens kept free for the reply. Default: an eighth of the window, at most 16,000.",
    ),
]
Wire = Annotated[
    str | None, typer.Option("--wire", metavar="NAME", help="Whose messages these are, if it cannot be told.")
]
Named = Annotated[
    str | None,
    typer.Option("--policy", "-p", metavar="FILE|NAME", help="What to do under pressure: a TOML file, or a name."),
]
Json = Annotated[bool, typer.Option("--json", help="Say it as JSON.")]
Out = Annotated[
    str | None, typer.Option("--out", "-o", metavar="OUT", help="Where to write it; - is stdout.", show_default=False)
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Write over OUT if it is there.")]
Sources = Annotated[list[str], typer.Argument(metavar="FILE|DB…", help="Transcripts, or stores of sessions.")]
Held = Annotated[int, typer.Option("--window", "-w", parser=size, metavar="SIZE", help="Tokens the model holds.")]
Policies = Annotated[str, typer.Option("--policy", "-p", metavar="A,B,C", help="Which policies to compare.")]
PRICED = typer.Option("--model", "-m", metavar="NAME", help="A model whose prices are known.")
Free = Annotated[int, typer.Option("--reserve", parser=size, metavar="SIZE", help="Kept free for the reply.")]
Html = Annotated[
    str | None, typer.Option("--html", metavar="OUT", help="Draw it, as one page that needs nothing else.")
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes, for many sessions.")]
Turns = Annotated[int, typer.Option("--turns", min=1, help="Turns to come, for what pays.")]
Idle = Annotated[
    float, typer.Option("--idle", min=0, metavar="MINUTES", help="Since the last request: a cache does not last.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Write nothing if it does not fit, or is cut off.")]
WithCommits = Annotated[bool, typer.Option("--with-commits", help="An archive: messages, commits and limits.")]
Called = Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which session; the same as --session.")]
Talks = Annotated[
    str,
    typer.Option("--model", "-m", metavar="MODEL", help="script:demo, openai:…, anthropic:…, http://host/v1#model."),
]
Writes = Annotated[
    str | None, typer.Option("--writer", metavar="MODEL", help="Who writes summaries; else nobody is asked.")
]
Kept = Annotated[
    str | None, typer.Option("--db", metavar="DB", help="Where sessions are kept. Default: in your data folder.")
]
Servers = Annotated[
    list[str], typer.Option("--mcp", metavar="COMMAND", help="An MCP server whose tools it may use; may be repeated.")
]
