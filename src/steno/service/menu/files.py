"""Commands about transcripts: compacted, exported, imported."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from steno.service.commands import lessons
from steno.service.commands.options import (
    Chosen,
    Database,
    Json,
    Model,
    Named,
    Out,
    Overwrite,
    Reserve,
    Source,
    Strict,
    Window,
    Wire,
    WithCommits,
    Writes,
)
from steno.service.menu.app import FILES, limits_told

commands = typer.Typer()


@commands.command(help=lessons.COMPACT, short_help="The same transcript, under its budget.", rich_help_panel=FILES)
def compact(
    path: Source,
    window: Window = None,
    model: Model = None,
    reserve: Reserve = None,
    policy: Named = None,
    out: Out = None,
    overwrite: Overwrite = False,
    force: Annotated[bool, typer.Option("--force", help="Compact it whatever the fill.")] = False,
    strict: Strict = False,
    wire: Wire = None,
    session: Chosen = None,
    focus: Annotated[str, typer.Option("--focus", metavar="WORDS", help="What to keep above all.")] = "",
    writer: Writes = None,
    redact: Annotated[bool, typer.Option("--redact", help="Take secrets out of what is written.")] = False,
    as_json: Json = False,
) -> int:
    from steno.service.commands.compact import How, compact

    how = How(limits_told(window, model, reserve), policy or "default", out, wire, force, strict, overwrite, as_json)
    return compact(path, session, replace(how, focus=focus, writer=writer, redact=redact))


@commands.command(help=lessons.EXPORT, short_help="A session as JSONL, or as an archive.", rich_help_panel=FILES)
def export(
    path: Database,
    session: Chosen = None,
    out: Out = None,
    overwrite: Overwrite = False,
    view: Annotated[bool, typer.Option("--view", help="What the model sees, not everything.")] = False,
    with_commits: WithCommits = False,
    as_json: Json = False,
) -> int:
    from steno.service.commands.transfer import export

    return export(path, session, out, view=view, with_commits=with_commits, overwrite=overwrite, as_json=as_json)


@commands.command("import", help=lessons.IMPORT, short_help="Keep a transcript in a store.", rich_help_panel=FILES)
def import_(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A transcript or an archive (- reads stdin).")],
    db: Annotated[str, typer.Argument(metavar="DB", help="A store; made if it is not there.")],
    name: Annotated[str | None, typer.Option("--name", "-n", help="What to call the session.")] = None,
    window: Window = None,
    model: Model = None,
    reserve: Reserve = None,
    wire: Wire = None,
    as_json: Json = False,
) -> int:
    from steno.service.commands.transfer import take

    return take(path, db, name, limits_told(window, model, reserve), wire=wire, as_json=as_json)
