"""`steno research`: a question, a folder, an answer with its sources.

Owns the words on the terminal: progress on stderr, the result on stdout. The work
is the researcher's.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import msgspec
import typer

from steno.agent.events import HistoryCompacted, ModelRetry, RunEvent, ToolStarted
from steno.agent.research import FileLibrary, Research, Researcher, ScriptedModel
from steno.agent.research.researcher import Fallback
from steno.agent.state import RunLimits
from steno.cli.options import DONE, FAILED
from steno.core.errors import BadInput
from steno.models import resolve_model

SCRIPTED_MODEL = "script:research"
ARGUMENT_MOST = 70


@dataclass(frozen=True)
class ResearchCommandOptions:
    question: str
    root: str
    model: str = SCRIPTED_MODEL
    web: bool = False
    window: int | None = None
    turns: int = 40
    fallback: str = "extract"
    writes: bool = True
    memory: str | None = None
    as_json: bool = False


def command_line_model(said: str) -> Any:
    """The model that a name means on the command line; a scripted one needs no key."""
    if said == SCRIPTED_MODEL:
        return ScriptedModel()
    if said.startswith("script:"):
        raise BadInput(f"there is no script {said!r}; there is {SCRIPTED_MODEL}")
    return resolve_model(said)


def research(asked: ResearchCommandOptions) -> int:
    if asked.fallback not in get_args(Fallback):
        raise BadInput(
            f"there is no fallback {asked.fallback!r}; there are {', '.join(get_args(Fallback))}"
        )
    with ExitStack() as held:
        model = command_line_model(asked.model)
        if hasattr(model, "close"):
            held.callback(model.close)
        researcher = Researcher(
            model,
            FileLibrary.under(asked.root, web=asked.web),
            window=asked.window,
            limits=RunLimits(turns=asked.turns),
            fallback=asked.fallback,  # type: ignore[arg-type]
            writes=asked.writes,
        )
        found = researcher.run(asked.question, _read_memory(asked.memory), told=_print_progress)
    typer.echo(msgspec.json.encode(found).decode() if asked.as_json else _research_text(found))
    if found.status == "SUCCESS":
        return DONE
    return FAILED


def _read_memory(path: str | None) -> str:
    if path is None:
        return ""
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError as error:
        raise BadInput(f"the memory {path!r} cannot be read: {error.strerror}") from None


def _print_progress(told: RunEvent) -> None:
    """One line on stderr for what takes time."""
    match told:
        case ToolStarted(call):
            said = f"{call.name} {_short_arguments(call.arguments)}"
        case HistoryCompacted(commit):
            said = f"compacted: {commit.before:,} → {commit.after:,} tokens"
        case ModelRetry(reason, seconds):
            said = f"{reason}; asked again in {seconds:g} s"
        case _:
            return
    sys.stderr.write(f"  {said}\n")


def _short_arguments(arguments: str) -> str:
    try:
        values = msgspec.json.decode(arguments, type=dict[str, Any]).values()
    except msgspec.DecodeError:
        return arguments[:ARGUMENT_MOST]
    said = ", ".join(map(str, values))
    if len(said) <= ARGUMENT_MOST:
        return said
    return f"{said[:ARGUMENT_MOST]} …"


def _research_text(found: Research) -> str:
    web = "with the web" if found.used_web else "without the web"
    spent = f"{found.turns} turns, {found.compactions} compactions, {found.usage.sent:,} tokens sent, {web}"
    return f"{found}\n[{spent}]"
