"""The command line: `steno`.

Owns words, options and exit codes; each command's work is in its own module,
imported when it is run, so that help comes at once. A user's mistake is one
line on stderr and exit code 2, never a traceback.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Annotated, Any

import typer

from steno.service.commands import lessons
from steno.service.commands.options import (
    MISTAKE,
    NOT_RIGHT,
    PRICED,
    Called,
    Chosen,
    Database,
    Free,
    Held,
    Html,
    Idle,
    Jobs,
    Json,
    Kept,
    Model,
    Named,
    Out,
    Overwrite,
    Policies,
    Reserve,
    Servers,
    Source,
    Sources,
    Strict,
    Talks,
    Turns,
    Window,
    Wire,
    WithCommits,
    Writes,
    size,
)

SEE, MEASURE, FILES, STORES = "See it", "Measure it", "Transcripts and stores", "Sessions of a store"
AGENTS = "Agents and models"

app = typer.Typer(
    name="steno",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from steno import __version__

        typer.echo(f"steno {__version__}")
        raise typer.Exit


@app.callback(help=lessons.STENO)
def steno(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version and leave.")
    ] = False,
) -> None:
    """Say what holds for every command."""


@app.command(help=lessons.DEMO, short_help="Watch a long session in a small window.", rich_help_panel=SEE)
def demo(
    technique: Annotated[
        str | None, typer.Argument(metavar="[TECHNIQUE]", help="micro, auto, force or memory; else the whole story.")
    ] = None,
    window: Annotated[int, typer.Option(parser=size, metavar="SIZE", help="Tokens that the model holds.")] = 16_000,
    fast: Annotated[bool, typer.Option("--fast", help="Do not wait for eyes to follow.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers alone, as JSON.")] = False,
    model: Annotated[
        str, typer.Option("--model", "-m", metavar="MODEL", help="Who writes summaries of a technique that asks.")
    ] = "script:demo",
) -> None:
    if technique is not None:
        _technique(technique, model, as_json)
        return
    from steno.service.demo import proven, replayed, summary

    replay = replayed(window)
    proof = proven(replay)
    if as_json:
        import json

        typer.echo(json.dumps(summary(replay, proof), indent=2))
    else:
        from rich.console import Console

        from steno.service.paint import Painter

        console = Console(highlight=False)
        Painter(console, slow=console.is_terminal and not fast).show(replay, proof)
    if not (proof.holds and replay.fits):
        raise typer.Exit(NOT_RIGHT)


def _technique(name: str, model: str, as_json: bool) -> None:
    from steno.service.techniques import paint, shown

    technique = shown(name, model)
    if as_json:
        import json

        typer.echo(json.dumps(technique.summary, indent=2))
        return
    from rich.console import Console

    paint(Console(highlight=False, markup=False), technique)


@app.command(help=lessons.CHAT, short_help="Talk to an agent that never runs out of context.", rich_help_panel=SEE)
def chat(
    model: Talks = "script:demo",
    session: Chosen = None,
    resume: Annotated[bool, typer.Option("--resume", "-r", help="Go on where the session was left.")] = False,
    db: Kept = None,
    root: Annotated[str, typer.Option("--root", metavar="FOLDER", help="The folder its tools stay within.")] = ".",
    allow_shell: Annotated[bool, typer.Option("--allow-shell", help="Let it run commands.")] = False,
    allow_fetch: Annotated[bool, typer.Option("--allow-fetch", help="Let it fetch web pages.")] = False,
    mcp: Servers = (),  # type: ignore[assignment]
    trust: Annotated[bool, typer.Option("--trust", help="Do not ask before a tool changes something.")] = False,
    loop: Annotated[str, typer.Option("--loop", metavar="NAME", help="react, plan-execute or hybrid.")] = "react",
    window: Window = None,
    policy: Named = None,
    agent_controlled: Annotated[
        bool, typer.Option("--agent-controlled", help="The agent says when to compact.")
    ] = False,
    writer: Writes = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Whose it is: what holds is told to the next chat.")
    ] = None,
) -> int:
    from steno.service.chat.asked import Asked
    from steno.service.chat.talk import chat

    return chat(
        Asked(
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


@app.command(help=lessons.SHOW, short_help="What the model sees: a map, and items.", rich_help_panel=SEE)
def show(
    path: Source,
    name: Called = None,
    session: Chosen = None,
    window: Window = None,
    model: Model = None,
    reserve: Reserve = None,
    policy: Named = None,
    every: Annotated[bool, typer.Option("--all", help="List every item.")] = False,
    facts: Annotated[bool, typer.Option("--facts", help="Its rules, loops and other facts instead.")] = False,
    as_json: Json = False,
) -> int:
    from steno.service.commands.show import show

    if name and session and name != session:
        raise typer.BadParameter(f"{name!r} and --session {session!r} name two sessions")
    told = _told(window, model, reserve)
    if facts:
        from steno.service.commands.check import facts_of

        return facts_of(path, name or session, told, policy or "default", as_json=as_json)
    return show(path, name or session, told, policy=policy, every=every, as_json=as_json)


@app.command("open", help=lessons.OPEN, short_help="What was said there, word for word.", rich_help_panel=SEE)
def open_(
    path: Source,
    place: Annotated[str, typer.Argument(metavar="PLACE", help="17, 17-42 or 17.2.")],
    session: Chosen = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="The very lines of a file, or the very text of a block.")
    ] = False,
    as_json: Json = False,
) -> int:
    from steno.service.commands.open import open_place

    return open_place(path, place, session, raw=raw, as_json=as_json)


@app.command(help=lessons.LOG, short_help="What was said and committed, in order.", rich_help_panel=SEE)
def log(
    path: Source,
    session: Chosen = None,
    messages: Annotated[bool, typer.Option("--messages", help="Of a session too, a line a message.")] = False,
    as_json: Json = False,
) -> int:
    from steno.service.commands.log import log

    return log(path, session, messages=messages, as_json=as_json)


@app.command(help=lessons.RECALL, short_help="Find what was said, anywhere.", rich_help_panel=SEE)
def recall(
    path: Source,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for; '' with a filter lists.")],
    session: Chosen = None,
    user: Annotated[str | None, typer.Option("--user", metavar="NAME", help="Whose sessions, of a store.")] = None,
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="MODE", help="auto, words, exact, regex or meaning.")
    ] = None,
    regex: Annotated[bool, typer.Option("--regex", "-E", help="The same as --mode regex.")] = False,
    exact: Annotated[bool, typer.Option("--exact", "-F", help="The same as --mode exact.")] = False,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Only what states such a fact: decision, error, …")
    ] = None,
    role: Annotated[str | None, typer.Option("--role", metavar="ROLE", help="Only what this role said.")] = None,
    tool: Annotated[str | None, typer.Option("--tool", metavar="TOOL", help="Only its calls and results.")] = None,
    touched: Annotated[
        str | None, typer.Option("--path", metavar="PATH", help="Only calls that touch it, and their results.")
    ] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="2026-11-15, or with a time.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="The same, for the end.")] = None,
    most: Annotated[int, typer.Option("--most", "-n", metavar="N", help="How many messages.")] = 10,
    seconds: Annotated[float | None, typer.Option("--seconds", help="How long it may take.")] = None,
    minilm: Annotated[
        str | None, typer.Option("--minilm", metavar="FOLDER", help="Search by meaning too, with this model.")
    ] = None,
    as_json: Json = False,
) -> int:
    from steno.service.commands.recall import Asked, recall

    if sum((regex, exact, mode is not None)) > 1:
        raise typer.BadParameter("say one of --mode, --regex and --exact")
    how: dict[str, Any] = {"mode": "regex" if regex else "exact" if exact else mode, "kind": kind, "role": role}
    how |= {"tool": tool, "path": touched, "since": since, "until": until, "most": most, "seconds": seconds}
    return recall(Asked(path, query, session, user, how, minilm, as_json))


@app.command(help=lessons.REPLAY, short_help="What each policy would have kept.", rich_help_panel=MEASURE)
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


@app.command(help=lessons.PRICE, short_help="What a session cost, and would have.", rich_help_panel=MEASURE)
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


@app.command(help=lessons.CHECK, short_help="What must not be forgotten, and is it?", rich_help_panel=MEASURE)
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

    return check(path, session, _told(window, model, reserve), policy or "default", as_json=as_json)


@app.command(help=lessons.PROBE, short_help="What can still be answered?", rich_help_panel=MEASURE)
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

    told = _told(window, model, reserve)
    return probe(Asked(path, session, told, policy or "default", questions, judge, most, least, as_json))


@app.command(help=lessons.COMPACT, short_help="The same transcript, under its budget.", rich_help_panel=FILES)
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

    how = How(_told(window, model, reserve), policy or "default", out, wire, force, strict, overwrite, as_json)
    return compact(path, session, replace(how, focus=focus, writer=writer, redact=redact))


@app.command(help=lessons.EXPORT, short_help="A session as JSONL, or as an archive.", rich_help_panel=FILES)
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


@app.command("import", help=lessons.IMPORT, short_help="Keep a transcript in a store.", rich_help_panel=FILES)
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

    return take(path, db, name, _told(window, model, reserve), wire=wire, as_json=as_json)


@app.command(help=lessons.UNDO, short_help="Take the newest commit down.", rich_help_panel=STORES)
def undo(path: Database, session: Chosen = None, as_json: Json = False) -> int:
    from steno.service.commands.stored import undo

    return undo(path, session, as_json=as_json)


@app.command(help=lessons.FORK, short_help="Go on from an earlier place.", rich_help_panel=STORES)
def fork(
    path: Database,
    at: Annotated[int | None, typer.Option("--at", metavar="N", help="How many messages it begins with.")] = None,
    name: Annotated[str | None, typer.Option("--name", "-n", help="What to call the new session.")] = None,
    session: Chosen = None,
    as_json: Json = False,
) -> int:
    from steno.service.commands.stored import fork

    return fork(path, at, name, session, as_json=as_json)


@app.command(help=lessons.FORGET, short_help="Remove a session for good.", rich_help_panel=STORES)
def forget(
    path: Database,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Which session.")],
    yes: Annotated[bool, typer.Option("--yes", help="It cannot be undone, and I mean it.")] = False,
    as_json: Json = False,
) -> int:
    from steno.service.commands.recall import forget

    return forget(path, session, yes=yes, as_json=as_json)


@app.command(help=lessons.MCP, short_help="The agent's tools, for any MCP host.", rich_help_panel=STORES)
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


@app.command(help=lessons.RESEARCH, short_help="An answer from a folder, with sources.", rich_help_panel=AGENTS)
def research(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")],
    root: Annotated[str, typer.Option("--root", metavar="FOLDER", help="The texts to look into.")] = ".",
    model: Annotated[str, typer.Option("--model", "-m", metavar="NAME", help="Who reads.")] = "script:research",
    window: Window = None,
    web: Annotated[bool, typer.Option("--web", help="Pages of the web may be fetched too.")] = False,
    memory: Annotated[str | None, typer.Option("--memory", metavar="FILE", help="What is known already.")] = None,
    turns: Annotated[int, typer.Option("--turns", min=1, help="Turns at most.")] = 40,
    fallback: Annotated[str, typer.Option(metavar="extract|clip", help="Where no summary is written.")] = "extract",
    no_writer: Annotated[bool, typer.Option("--no-writer", help="Ask nobody for summaries.")] = False,
    as_json: Json = False,
) -> int:
    from steno.service.commands.research import Asked, research

    return research(Asked(question, root, model, web, window, turns, fallback, not no_writer, memory, as_json))


@app.command(help=lessons.GATEWAY, short_help="A model behind one address, by gRPC.", rich_help_panel=AGENTS)
def gateway(
    model: Annotated[str, typer.Option("--model", "-m", metavar="NAME", help="Who answers.")],
    listen: Annotated[str, typer.Option("--listen", metavar="HOST:PORT", help="Where.")] = "127.0.0.1:50051",
    route: Annotated[
        list[str] | None, typer.Option("--route", metavar="COMPLEXITY=NAME", help="Who answers what is so hard.")
    ] = None,
    token_file: Annotated[
        str | None, typer.Option("--token-file", metavar="FILE", help="What callers have to bring.")
    ] = None,
    cert: Annotated[str | None, typer.Option("--cert", metavar="FILE", help="TLS: the certificate.")] = None,
    key: Annotated[str | None, typer.Option("--key", metavar="FILE", help="TLS: its key.")] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Listen beyond this machine without both.")] = False,
    width: Annotated[int, typer.Option("--width", min=1, help="Calls at once.")] = 16,
    queue: Annotated[int, typer.Option("--queue", min=0, help="Calls that may wait; the rest are refused.")] = 64,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="Of one call at most.")] = 120.0,
    message_most: Annotated[int, typer.Option("--message", min=1_024, help="Bytes of one message.")] = 4_194_304,
    metrics: Annotated[
        int | None, typer.Option("--metrics", min=0, metavar="PORT", help="For Prometheus, on this machine.")
    ] = None,
) -> int:
    from steno.service.commands.gateway import Asked, gateway

    return gateway(
        Asked(
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


@app.command(help=lessons.MEMORY, short_help="What is known of a user.", rich_help_panel=STORES)
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


@app.command(help=lessons.REMEMBER, short_help="Learn what lasts from a transcript.", rich_help_panel=STORES)
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


def _told(window: int | None, model: str | None, reserve: int | None) -> Any:
    from steno.session.setup import Told

    return Told(window=window, model=model, reserve=reserve)


def main() -> None:
    """Run the command line; what Steno refuses is said in one line."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 — held to the end, for who closed it
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a bar is no reason to fail where the terminal speaks ASCII
    sys.exit(_run(sys.argv[1:] or ["--help"]))


def _run(words: list[str]) -> int:
    try:
        code = app(words, prog_name="steno", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_stdout()  # who reads has gone, as `head` does
        return NOT_RIGHT
    except UnicodeEncodeError as error:
        typer.echo(f"steno: {error.object!r} is not text", err=True)
        return MISTAKE
    except Exception as error:
        from steno.core.error import StenoError

        if isinstance(error, StenoError):
            said = str(error)
        elif isinstance(error, OSError):  # stdout that takes no more, a file that went away
            _leave_stdout()
            said = error.strerror or str(error)
        elif isinstance(error, typer.BadParameter.__mro__[2]):  # what typer itself refuses
            said = _usage(error)
        else:
            raise
        typer.echo(f"steno: {said}", err=True)
        return MISTAKE
    return int(code or 0)


def _leave_stdout() -> None:
    """What is left in the buffer goes nowhere: Python must not find out again, when it ends, that it cannot."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage(error: Any) -> str:
    """What cannot be read of a command line, and where to look it up."""
    context = getattr(error, "ctx", None)
    said = " ".join(str(error.format_message()).split())
    return f"{said} See: {context.command_path} --help" if context else said
