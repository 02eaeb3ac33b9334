"""Commands that run agents and serve models."""

from __future__ import annotations

from typing import Annotated

import typer

from steno.cli import help_texts
from steno.cli.app import AGENTS_PANEL
from steno.cli.options import (
    JsonOption,
    WindowOption,
)

commands = typer.Typer()


@commands.command(
    help=help_texts.RESEARCH,
    short_help="An answer from a folder, with sources.",
    rich_help_panel=AGENTS_PANEL,
)
def research(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")],
    root: Annotated[
        str, typer.Option("--root", metavar="FOLDER", help="The texts to look into.")
    ] = ".",
    model: Annotated[
        str, typer.Option("--model", "-m", metavar="NAME", help="Who reads.")
    ] = "script:research",
    window: WindowOption = None,
    web: Annotated[
        bool, typer.Option("--web", help="Pages of the web may be fetched too.")
    ] = False,
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="FILE", help="What is known already.")
    ] = None,
    turns: Annotated[int, typer.Option("--turns", min=1, help="Turns at most.")] = 40,
    fallback: Annotated[
        str, typer.Option(metavar="extract|clip", help="Where no summary is written.")
    ] = "extract",
    no_writer: Annotated[
        bool, typer.Option("--no-writer", help="Ask nobody for summaries.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.research import ResearchCommandOptions, research

    return research(
        ResearchCommandOptions(
            question, root, model, web, window, turns, fallback, not no_writer, memory, as_json
        )
    )


@commands.command(
    help=help_texts.GATEWAY,
    short_help="A model behind one address, by gRPC.",
    rich_help_panel=AGENTS_PANEL,
)
def gateway(
    model: Annotated[str, typer.Option("--model", "-m", metavar="NAME", help="Who answers.")],
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where.")
    ] = "127.0.0.1:50051",
    route: Annotated[
        list[str] | None,
        typer.Option("--route", metavar="COMPLEXITY=NAME", help="Who answers what is so hard."),
    ] = None,
    token_file: Annotated[
        str | None, typer.Option("--token-file", metavar="FILE", help="What callers have to bring.")
    ] = None,
    cert: Annotated[
        str | None, typer.Option("--cert", metavar="FILE", help="TLS: the certificate.")
    ] = None,
    key: Annotated[str | None, typer.Option("--key", metavar="FILE", help="TLS: its key.")] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen beyond this machine without both.")
    ] = False,
    width: Annotated[int, typer.Option("--width", min=1, help="Calls at once.")] = 16,
    queue: Annotated[
        int, typer.Option("--queue", min=0, help="Calls that may wait; the rest are refused.")
    ] = 64,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="Of one call at most.")
    ] = 120.0,
    message_most: Annotated[
        int, typer.Option("--message", min=1_024, help="Bytes of one message.")
    ] = 4_194_304,
    metrics: Annotated[
        int | None,
        typer.Option("--metrics", min=0, metavar="PORT", help="For Prometheus, on this machine."),
    ] = None,
) -> int:
    from steno.cli.gateway import GatewayCommandOptions, gateway

    return gateway(
        GatewayCommandOptions(
            model,
            listen,
            route or (),
            token_file,
            cert,
            key,
            insecure,
            width,
            queue,
            seconds,
            message_most,
            metrics,
        )
    )
