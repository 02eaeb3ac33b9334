"""Commands about the sessions of a store: undone, forked, forgotten, served, remembered."""

from __future__ import annotations

from typing import Annotated

import typer

from steno.cli import help_texts
from steno.cli.app import STORES_PANEL
from steno.cli.options import (
    DatabaseArgument,
    JsonOption,
    SessionOption,
    SourceArgument,
)

commands = typer.Typer()


@commands.command(
    help=help_texts.UNDO, short_help="Take the newest commit down.", rich_help_panel=STORES_PANEL
)
def undo(path: DatabaseArgument, session: SessionOption = None, as_json: JsonOption = False) -> int:
    from steno.cli.undo import undo

    return undo(path, session, as_json=as_json)


@commands.command(
    help=help_texts.FORK, short_help="Go on from an earlier place.", rich_help_panel=STORES_PANEL
)
def fork(
    path: DatabaseArgument,
    at: Annotated[
        int | None, typer.Option("--at", metavar="N", help="How many messages it begins with.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", "-n", help="What to call the new session.")
    ] = None,
    session: SessionOption = None,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.undo import fork

    return fork(path, at, name, session, as_json=as_json)


@commands.command(
    help=help_texts.FORGET, short_help="Remove a session for good.", rich_help_panel=STORES_PANEL
)
def forget(
    path: DatabaseArgument,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Which session.")],
    yes: Annotated[bool, typer.Option("--yes", help="It cannot be undone, and I mean it.")] = False,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.recall import forget

    return forget(path, session, yes=yes, as_json=as_json)


@commands.command(
    help=help_texts.MCP,
    short_help="The agent's tools, for any MCP host.",
    rich_help_panel=STORES_PANEL,
)
def mcp(
    path: Annotated[
        str,
        typer.Argument(
            metavar="[DB]", envvar="STENO_DB", help="A store of sessions; it need not be there yet."
        ),
    ],
    session: SessionOption = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Whose sessions.")
    ] = None,
    agent_controlled: Annotated[
        bool, typer.Option("--agent-controlled", help="The agent decides when to compact.")
    ] = False,
    redact: Annotated[
        bool, typer.Option("--redact", help="Take secrets out of what the host writes.")
    ] = False,
) -> int:
    from steno.cli.mcp import serve

    return serve(path, session, user, agent_controlled=agent_controlled, redact=redact)


@commands.command(
    help=help_texts.MEMORY, short_help="What is known of a user.", rich_help_panel=STORES_PANEL
)
def memory(
    path: DatabaseArgument,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WAY]", help="list, add TEXT, edit ID TEXT, delete ID."),
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Whose, where there are several.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.memory import memory

    return memory(path, words or [], user, as_json=as_json)


@commands.command(
    help=help_texts.REMEMBER,
    short_help="Learn what lasts from a transcript.",
    rich_help_panel=STORES_PANEL,
)
def remember(
    path: SourceArgument,
    db: Annotated[
        str | None, typer.Option("--db", metavar="DB", help="The store to keep it in.")
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Whose memories these are.")
    ] = None,
    session: SessionOption = None,
    writer: Annotated[
        str | None,
        typer.Option("--writer", metavar="MODEL", help="Ask this model too: openai:gpt-5-mini, …"),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.memory import RememberOptions, remember

    return remember(RememberOptions(path, db, user, session, writer, as_json))
