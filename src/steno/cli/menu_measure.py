"""Commands to measure: what a policy keeps, what it costs, what must not be forgotten, what can be answered."""

from __future__ import annotations

from typing import Annotated

import typer

from steno.cli import help_texts
from steno.cli.app import MEASURE_PANEL, limits_from_options
from steno.cli.options import (
    PRICED_MODEL_OPTION,
    HtmlOption,
    IdleOption,
    JobsOption,
    JsonOption,
    ModelOption,
    OverwriteOption,
    PoliciesOption,
    PolicyOption,
    ReplayReserveOption,
    ReplayWindowOption,
    ReserveOption,
    SessionOption,
    SourceArgument,
    SourcesArgument,
    TurnsOption,
    WindowOption,
)

commands = typer.Typer()


@commands.command(
    help=help_texts.REPLAY,
    short_help="What each policy would have kept.",
    rich_help_panel=MEASURE_PANEL,
)
def replay(
    paths: SourcesArgument,
    window: ReplayWindowOption = 32_000,
    policy: PoliciesOption = "sliding,masking,default",
    model: Annotated[str | None, PRICED_MODEL_OPTION] = None,
    reserve: ReplayReserveOption = 0,
    session: SessionOption = None,
    html: HtmlOption = None,
    overwrite: OverwriteOption = False,
    jobs: JobsOption = 2,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.replay import ReplayOptions, replay

    return replay(
        ReplayOptions(
            paths,
            session,
            policy.split(","),
            window,
            reserve,
            model,
            html,
            overwrite,
            jobs,
            as_json,
        )
    )


@commands.command(
    help=help_texts.PRICE,
    short_help="What a session cost, and would have.",
    rich_help_panel=MEASURE_PANEL,
)
def price(
    path: SourceArgument,
    model: Annotated[str, PRICED_MODEL_OPTION],
    window: WindowOption = None,
    turns: TurnsOption = 50,
    idle: IdleOption = 0.0,
    session: SessionOption = None,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.price import PriceOptions, price

    return price(PriceOptions(path, session, model, window, turns, idle, as_json))


@commands.command(
    help=help_texts.CHECK,
    short_help="What must not be forgotten, and is it?",
    rich_help_panel=MEASURE_PANEL,
)
def check(
    path: SourceArgument,
    session: SessionOption = None,
    window: WindowOption = None,
    model: ModelOption = None,
    reserve: ReserveOption = None,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.check import check

    return check(
        path,
        session,
        limits_from_options(window, model, reserve),
        policy or "default",
        as_json=as_json,
    )


@commands.command(
    help=help_texts.PROBE, short_help="What can still be answered?", rich_help_panel=MEASURE_PANEL
)
def probe(
    path: SourceArgument,
    session: SessionOption = None,
    questions: Annotated[
        str | None,
        typer.Option(
            "--questions", "-q", metavar="FILE", help="Questions with known answers, as JSONL."
        ),
    ] = None,
    window: WindowOption = None,
    model: ModelOption = None,
    reserve: ReserveOption = None,
    policy: PolicyOption = None,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge", metavar="MODEL", help="Who decides: openai:gpt-5-mini, http://…#name."
        ),
    ] = None,
    most: Annotated[
        int, typer.Option("--most", "-n", min=1, max=100, help="Messages that one recall brings.")
    ] = 5,
    least: Annotated[
        float,
        typer.Option(
            "--least", min=0, max=1, metavar="SHARE", help="Exit code 1 if fewer are answered."
        ),
    ] = 0.0,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.probe import ProbeOptions, probe

    told = limits_from_options(window, model, reserve)
    return probe(
        ProbeOptions(
            path, session, told, policy or "default", questions, judge, most, least, as_json
        )
    )
