"""Commands about the sessions of a store: undone, forked, forgotten, served, remembered."""

from __future__ import annotations

from typing import Annotated

import typer

from steno.service.commands import lessons
from steno.service.commands.options import (
    Chosen,
    Database,
    Json,
    Source,
)
from steno.service.menu.app import STORES

commands = typer.Typer()


@commands.command(help=lessons.UNDO, short_help="Take the newest commit down.", rich_help_panel=STORES)
def undo(path: Database, session: Chosen = None, as_json: Json = False) -> int:
    from steno.service.commands.stored import undo

    return undo(path, session, as_json=as_json)


@commands.command(help=lessons.FORK, short_help="Go on from an earlier place.", rich_help_panel=STORES)
def fork(
    path: Database,
    at: Annotated[int | None, typer.Option("--at", metavar="N", help="How many messages it begins with.")] = None,
    name: Annotated[str | None, typer.Option("--name", "-n", help="What to call the new session.")] = None,
    session: Chosen = None,
    as_json: Json = False,
) -> int:
    from steno.service.commands.stored import fork

    return fork(path, at, name, session, as_json=as_json)


@commands.command(help=lessons.FORGET, short_help="Remove a session for good.", rich_help_panel=STORES)
def forget(
    path: Database,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Which session.")],
    yes: Annotated[bool, typer.Option("--yes", help="It cannot be undone, and I mean it.")] = False,
    as_json: Json = False,
) -> int:
    from steno.service.commands.recall import forget

    return forget(path, session, yes=yes, as_json=as_json)


@commands.command(help=lessons.MCP, short_help="The agent's tools, for any MCP host.", rich_help_panel=STORES)
def mcp(
    path: Annotated[
        str, typer.Argument(metavar="[DB]", envvar="STENO_DB", help="A store of sessions; it need not be there yet.")
    ],
    session: Chosen = None,
    user: Annotated[str | None, typer.Option("--user", metavar="NAME", help="Whose sessions.")] = None,
    agent_controlled: Annotated[
        bool, typer.Option("--agent-controlled", help="The agent decides when to compact.")
    ] = False,
    redact: Annotated[bool, typer.Option("--redact", help="Take secrets out of what the host writes.")] = False,
) -> int:
    from steno.service.commands.mcp import serve

    return serve(path, session, user, agent_controlled=agent_controlled, redact=redact)


@commands.command(help=lessons.MEMORY, short_help="What is known of a user.", rich_help_panel=STORES)
def memory(
    path: Database,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WAY]", help="list, add TEXT, edit ID TEXT, delete ID.")
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Whose, where there are several.")
    ] = None,
    as_json: Json = False,
) -> int:
    from steno.service.commands.memory import memory

    return memory(path, words or [], user, as_json=as_json)


@commands.command(help=lessons.REMEMBER, short_help="Learn what lasts from a transcript.", rich_help_panel=STORES)
def remember(
    path: Source,
    db: Annotated[str | None, typer.Option("--db", metavar="DB", help="The store to keep it in.")] = None,
    user: Annotated[str | None, typer.Option("--user", metavar="NAME", help="Whose memories these are.")] = None,
    session: Chosen = None,
    writer: Annotated[
        str | None, typer.Option("--writer", metavar="MODEL", help="Ask this model too: openai:gpt-5-mini, …")
    ] = None,
    as_json: Json = False,
) -> int:
    from steno.service.commands.memory import Lesson, remember

    return remember(Lesson(path, db, user, session, writer, as_json))
