"""Commands to measure: what a policy keeps, what it costs, what must not be forgotten, what can be answered."""

from __future__ import annotations

from typing import Annotated

import typer

from steno.service.commands import lessons
from steno.service.commands.options import (
    PRICED,
    Chosen,
    Free,
    Held,
    Html,
    Idle,
    Jobs,
    Json,
    Model,
    Named,
    Overwrite,
    Policies,
    Reserve,
    Source,
    Sources,
    Turns,
    Window,
)
from steno.service.menu.app import MEASURE, limits_told

commands = typer.Typer()


@commands.command(help=lessons.REPLAY, short_help="What each policy would have kept.", rich_help_panel=MEASURE)
def replay(
    paths: Sources,
    window: Held = 32_000,
    policy: Policies = "sliding,masking,default",
    model: Annotated[str | None, PRICED] = None,
    reserve: Free = 0,
    session: Chosen = None,
    html: Html = None,
    overwrite: Overwrite = False,
    jobs: Jobs = 2,
    as_json: Json = False,
) -> int:
    from steno.service.commands.replay import Asked, replay

    return replay(Asked(paths, session, policy.split(","), window, reserve, model, html, overwrite, jobs, as_json))


@commands.command(help=lessons.PRICE, short_help="What a session cost, and would have.", rich_help_panel=MEASURE)
def price(
    path: Source,
    model: Annotated[str, PRICED],
    window: Window = None,
    turns: Turns = 50,
    idle: Idle = 0.0,
    session: Chosen = None,
    as_json: Json = False,
) -> int:
    from steno.service.commands.price import Asked, price

    return price(Asked(path, session, model, window, turns, idle, as_json))


@commands.command(help=lessons.CHECK, short_help="What must not be forgotten, and is it?", rich_help_panel=MEASURE)
def check(
    path: Source,
    session: Chosen = None,
    window: Window = None,
    model: Model = None,
    reserve: Reserve = None,
    policy: Named = None,
    as_json: Json = False,
) -> int:
    from steno.service.commands.check import check

    return check(path, session, limits_told(window, model, reserve), policy or "default", as_json=as_json)


@commands.command(help=lessons.PROBE, short_help="What can still be answered?", rich_help_panel=MEASURE)
def probe(
    path: Source,
    session: Chosen = None,
    questions: Annotated[
        str | None, typer.Option("--questions", "-q", metavar="FILE", help="Questions with known answers, as JSONL.")
    ] = None,
    window: Window = None,
    model: Model = None,
    reserve: Reserve = None,
    policy: Named = None,
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="MODEL", help="Who decides: openai:gpt-5-mini, http://…#name.")
    ] = None,
    most: Annotated[int, typer.Option("--most", "-n", min=1, max=100, help="Messages that one recall brings.")] = 5,
    least: Annotated[
        float, typer.Option("--least", min=0, max=1, metavar="SHARE", help="Exit code 1 if fewer are answered.")
    ] = 0.0,
    as_json: Json = False,
) -> int:
    from steno.service.commands.probe import Asked, probe

    told = limits_told(window, model, reserve)
    return probe(Asked(path, session, told, policy or "default", questions, judge, most, least, as_json))
