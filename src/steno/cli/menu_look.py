"""Commands to see what there is: the demo, the chat, what the model sees, what was said."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from steno.cli import help_texts
from steno.cli.app import SEE_PANEL, limits_from_options
from steno.cli.options import (
    FAILED,
    ChatModelOption,
    ChatStoreOption,
    JsonOption,
    McpServersOption,
    ModelOption,
    PolicyOption,
    ReserveOption,
    SessionArgument,
    SessionOption,
    SourceArgument,
    WindowOption,
    WriterOption,
    parse_size,
)

commands = typer.Typer()


@commands.command(
    help=help_texts.DEMO,
    short_help="Watch a long session in a small window.",
    rich_help_panel=SEE_PANEL,
)
def demo(
    technique: Annotated[
        str | None,
        typer.Argument(
            metavar="[TECHNIQUE]", help="micro, auto, force or memory; else the whole story."
        ),
    ] = None,
    window: Annotated[
        int, typer.Option(parser=parse_size, metavar="SIZE", help="Tokens that the model holds.")
    ] = 16_000,
    fast: Annotated[bool, typer.Option("--fast", help="Do not wait for eyes to follow.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the numbers alone, as JSON.")
    ] = False,
    model: Annotated[
        str,
        typer.Option(
            "--model", "-m", metavar="MODEL", help="Who writes summaries of a technique that asks."
        ),
    ] = "script:demo",
) -> None:
    if technique is not None:
        _show_technique(technique, model, as_json)
        return
    from steno.cli.demo.replay import prove_replay, replay_story, replay_summary

    replay = replay_story(window)
    proof = prove_replay(replay)
    if as_json:
        import json

        typer.echo(json.dumps(replay_summary(replay, proof), indent=2))
    else:
        from rich.console import Console

        from steno.cli.demo.painter import DemoPainter

        console = Console(highlight=False)
        DemoPainter(console, slow=console.is_terminal and not fast).show(replay, proof)
    if not (proof.holds and replay.fits):
        raise typer.Exit(FAILED)


def _show_technique(name: str, model: str, as_json: bool) -> None:
    from steno.cli.demo.techniques import print_technique, run_technique

    technique = run_technique(name, model)
    if as_json:
        import json

        typer.echo(json.dumps(technique.summary, indent=2))
        return
    from rich.console import Console

    print_technique(Console(highlight=False, markup=False), technique)


@commands.command(
    help=help_texts.CHAT,
    short_help="An agent that never runs out of context.",
    rich_help_panel=SEE_PANEL,
)
def chat(
    model: ChatModelOption = "script:demo",
    session: SessionOption = None,
    resume: Annotated[
        bool, typer.Option("--resume", "-r", help="Go on where the session was left.")
    ] = False,
    db: ChatStoreOption = None,
    root: Annotated[
        str, typer.Option("--root", metavar="FOLDER", help="The folder its tools stay within.")
    ] = ".",
    allow_shell: Annotated[
        bool, typer.Option("--allow-shell", help="Let it run commands.")
    ] = False,
    allow_fetch: Annotated[
        bool, typer.Option("--allow-fetch", help="Let it fetch web pages.")
    ] = False,
    mcp: McpServersOption = (),  # type: ignore[assignment]
    trust: Annotated[
        bool, typer.Option("--trust", help="Do not ask before a tool changes something.")
    ] = False,
    loop: Annotated[
        str, typer.Option("--loop", metavar="NAME", help="react, plan-execute or hybrid.")
    ] = "react",
    window: WindowOption = None,
    policy: PolicyOption = None,
    agent_controlled: Annotated[
        bool, typer.Option("--agent-controlled", help="The agent says when to compact.")
    ] = False,
    writer: WriterOption = None,
    user: Annotated[
        str | None,
        typer.Option(
            "--user", metavar="NAME", help="Whose it is: what holds is told to the next chat."
        ),
    ] = None,
) -> int:
    from steno.cli.chat.app import chat
    from steno.cli.chat.runtime import ChatOptions

    return chat(
        ChatOptions(
            model=model,
            db=db,
            session=session,
            resume=resume,
            loop=loop,
            root=root,
            shell=allow_shell,
            fetch=allow_fetch,
            trust=trust,
            agent_controlled=agent_controlled,
            policy=policy,
            window=window,
            writer=writer,
            mcp=tuple(mcp),
            user=user,
        )
    )


@commands.command(
    help=help_texts.SHOW,
    short_help="What the model sees: a map, and items.",
    rich_help_panel=SEE_PANEL,
)
def show(
    path: SourceArgument,
    name: SessionArgument = None,
    session: SessionOption = None,
    window: WindowOption = None,
    model: ModelOption = None,
    reserve: ReserveOption = None,
    policy: PolicyOption = None,
    every: Annotated[bool, typer.Option("--all", help="List every item.")] = False,
    facts: Annotated[
        bool, typer.Option("--facts", help="Its rules, loops and other facts instead.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.show import show

    if name and session and name != session:
        raise typer.BadParameter(f"{name!r} and --session {session!r} name two sessions")
    told = limits_from_options(window, model, reserve)
    if facts:
        from steno.cli.check import show_facts

        return show_facts(path, name or session, told, policy or "default", as_json=as_json)
    return show(path, name or session, told, policy=policy, every=every, as_json=as_json)


@commands.command(
    "open",
    help=help_texts.OPEN,
    short_help="What was said there, word for word.",
    rich_help_panel=SEE_PANEL,
)
def open_(
    path: SourceArgument,
    place: Annotated[str, typer.Argument(metavar="PLACE", help="17, 17-42 or 17.2.")],
    session: SessionOption = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="The very lines of a file, or the very text of a block.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.open import open_place

    return open_place(path, place, session, raw=raw, as_json=as_json)


@commands.command(
    help=help_texts.LOG,
    short_help="What was said and committed, in order.",
    rich_help_panel=SEE_PANEL,
)
def log(
    path: SourceArgument,
    session: SessionOption = None,
    messages: Annotated[
        bool, typer.Option("--messages", help="Of a session too, a line a message.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.log import log

    return log(path, session, messages=messages, as_json=as_json)


@commands.command(
    help=help_texts.RECALL, short_help="Find what was said, anywhere.", rich_help_panel=SEE_PANEL
)
def recall(
    path: SourceArgument,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="What to look for; '' with a filter lists.")
    ],
    session: SessionOption = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Whose sessions, of a store.")
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option("--mode", metavar="MODE", help="auto, words, exact, regex or meaning."),
    ] = None,
    regex: Annotated[bool, typer.Option("--regex", "-E", help="The same as --mode regex.")] = False,
    exact: Annotated[bool, typer.Option("--exact", "-F", help="The same as --mode exact.")] = False,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind", metavar="KIND", help="Only what states such a fact: decision, error, …"
        ),
    ] = None,
    role: Annotated[
        str | None, typer.Option("--role", metavar="ROLE", help="Only what this role said.")
    ] = None,
    tool: Annotated[
        str | None, typer.Option("--tool", metavar="TOOL", help="Only its calls and results.")
    ] = None,
    touched: Annotated[
        str | None,
        typer.Option("--path", metavar="PATH", help="Only calls that touch it, and their results."),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="2026-11-15, or with a time.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="The same, for the end.")
    ] = None,
    most: Annotated[int, typer.Option("--most", "-n", metavar="N", help="How many messages.")] = 10,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="How long it may take.")
    ] = None,
    minilm: Annotated[
        str | None,
        typer.Option("--minilm", metavar="FOLDER", help="Search by meaning too, with this model."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    from steno.cli.recall import RecallOptions, recall

    if sum((regex, exact, mode is not None)) > 1:
        raise typer.BadParameter("say one of --mode, --regex and --exact")
    how: dict[str, Any] = {
        "mode": "regex" if regex else "exact" if exact else mode,
        "kind": kind,
        "role": role,
    }
    how |= {
        "tool": tool,
        "path": touched,
        "since": since,
        "until": until,
        "most": most,
        "seconds": seconds,
    }
    return recall(RecallOptions(path, query, session, user, how, minilm, as_json))
