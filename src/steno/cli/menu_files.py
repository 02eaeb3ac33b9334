"""Commands about transcripts: compacted, exported, imported."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from steno.cli import help_texts
from steno.cli.app import FILES_PANEL, limits_from_options
from steno.cli.options import (
    DatabaseArgument,
    JsonOption,
    ModelOption,
    OutOption,
    OverwriteOption,
    PolicyOption,
    ReserveOption,
    SessionOption,
    SourceArgument,
    StrictOption,
    WindowOption,
    WireOption,
    WithCommitsOption,
    WriterOption,
)

commands = typer.Typer()


@commands.command(
    help=help_texts.COMPACT,
    short_help="The same transcript, under its budget.",
    rich_help_panel=FILES_PANEL,
)
def compact(
    path: SourceArgument,
    window: WindowOption = None,
    model: ModelOption = None,
    reserve: ReserveOption = None,
    policy: PolicyOption = None,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
    force: Annotated[bool, typer.Option("--force", help="Compact it whatever the fill.")] = False,
    strict: StrictOption = False,
    wire: WireOption = None,
    session: SessionOption = None,
    focus: Annotated[
        str, typer.Option("--focus", metavar="WORDS", help="What to keep above all.")
    ] = "",
    writer: WriterOption = None,
    redact: Annotated[
        bool, typer.Option("--redact", help="Take secrets out of what is written.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.compact import CompactOptions, compact

    how = CompactOptions(
        limits_from_options(window, model, reserve),
        policy or "default",
        out,
        wire,
        force,
        strict,
        overwrite,
        as_json,
    )
    return compact(path, session, replace(how, focus=focus, writer=writer, redact=redact))


@commands.command(
    help=help_texts.EXPORT,
    short_help="A session as JSONL, or as an archive.",
    rich_help_panel=FILES_PANEL,
)
def export(
    path: DatabaseArgument,
    session: SessionOption = None,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
    view: Annotated[
        bool, typer.Option("--view", help="What the model sees, not everything.")
    ] = False,
    with_commits: WithCommitsOption = False,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.export import export

    return export(
        path,
        session,
        out,
        view=view,
        with_commits=with_commits,
        overwrite=overwrite,
        as_json=as_json,
    )


@commands.command(
    "import",
    help=help_texts.IMPORT,
    short_help="Keep a transcript in a store.",
    rich_help_panel=FILES_PANEL,
)
def import_(
    path: Annotated[
        str, typer.Argument(metavar="FILE", help="A transcript or an archive (- reads stdin).")
    ],
    db: Annotated[str, typer.Argument(metavar="DB", help="A store; made if it is not there.")],
    name: Annotated[
        str | None, typer.Option("--name", "-n", help="What to call the session.")
    ] = None,
    window: WindowOption = None,
    model: ModelOption = None,
    reserve: ReserveOption = None,
    wire: WireOption = None,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.export import import_sessions

    return import_sessions(
        path, db, name, limits_from_options(window, model, reserve), wire=wire, as_json=as_json
    )
