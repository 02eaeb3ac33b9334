"""`steno doctor`: what is wrong here and the command that mends it, then what works."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec

from steno.adapters.agent_plugins import is_set_up
from steno.cli.options import JsonOption, argument, exit_code, flag
from steno.cli.output import QUIET, TerminalPage, print_report
from steno.cli.source import is_store, open_store
from steno.core.errors import StenoError, install_extra
from steno.core.store import session_names
from steno.inspector.describe import plural
from steno.providers import PROVIDERS
from steno.store.open import is_address, without_password

State = Literal["good", "absent", "wrong"]
PROBE_SECONDS = 2.0
NAME_MOST = 20
"""Columns of the names; a longer one, such as a path, pushes its line on."""
SMALL_DISK = 100_000_000
"""Free bytes beside a store under which it may soon be unable to grow."""

# A package of each extra that no other extra brings.
EXTRAS = {
    **{
        provider.extra: (provider.sdk, f"clients of {provider.title}")
        for provider in PROVIDERS.values()
        if provider.extra
    },
    "local": ("xllamacpp", "surprisal by a model file"),
    "langchain": ("langchain", "the middleware"),
    "langgraph": ("langgraph", "the supervisor"),
    "mcp": ("mcp", "steno mcp"),
    "proxy": ("starlette", "steno proxy and steno wrap"),
    "gateway": ("grpc", "steno gateway"),
    "agents": ("prompt_toolkit", "steno chat, research and gateway"),
    "chat": ("prompt_toolkit", "a better prompt in steno chat"),
    "redact": ("stdnum", "redact=True"),
    "postgres": ("psycopg", "a store in PostgreSQL"),
    "otel": ("opentelemetry", "spans of requests and compactions"),
    "vectors": ("numpy", "recall by meaning, with an embedder"),
}
AGENTS = ("claude", "codex", "gemini", "opencode", "copilot", "pi", "aider")
HOOKED_AGENTS = {"claude": "claude-code", "codex": "codex"}
ADDRESSES = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL")
SIGNS: dict[State, tuple[str, str]] = {
    "good": ("✓", "green"),
    "absent": ("·", QUIET),
    "wrong": ("✗", "red"),
}


class Diagnosis(msgspec.Struct, frozen=True):
    what: str
    state: State
    says: str
    mend: str = ""
    """The command that mends it."""


def doctor(
    paths: Annotated[list[str] | None, argument("[DB]…", "Stores to look at as well.")] = None,
    live: Annotated[
        bool, flag("--live", "Also run each agent once, against a provider played here.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Say what is wrong with this installation first, then what works; change nothing.

    It looks at Python, extras, stores, the proxy and coding agents. What is wrong (✗) comes with
    the command that mends it; what works (✓) and what is not installed and need not be (·) follow.
    With --live each coding agent that is found runs once through the proxy, with a home and
    settings of its own, against a provider that is played on this machine: that takes up to a
    minute an agent. The exit code is 1 if anything is wrong.

    Examples

      steno doctor                 this installation
      steno doctor --live          do agents work through the proxy?
      steno doctor agent.db        and a store
    """
    diagnoses = [*_python(), *_agents(), *_proxies(os.environ)]
    if live:
        diagnoses += _trials()
    for path in paths or ():
        diagnoses += _store(path)
    extras = list(_extras())
    wrong = [diagnosis for diagnosis in diagnoses if diagnosis.state == "wrong"]
    good = [diagnosis for diagnosis in diagnoses if diagnosis.state != "wrong"]
    report = {"diagnoses": [*diagnoses, *extras], "wrong": len(wrong)}
    print_report(report, as_json, partial(_print, [*wrong, *good, *_in_short(extras)]))
    return exit_code(not wrong)


def _print(diagnoses: list[Diagnosis], page: TerminalPage) -> None:
    if diagnoses[0].state != "wrong":
        page.line(("Nothing is wrong.", "bold green"))
    width = min(NAME_MOST, max(len(diagnosis.what) for diagnosis in diagnoses))
    for diagnosis in diagnoses:
        sign, style = SIGNS[diagnosis.state]
        page.line((sign, style), f" {diagnosis.what:<{width}}  {diagnosis.says}")
        if diagnosis.mend:
            page.quiet(diagnosis.mend, indent=width + 4)


def _in_short(extras: list[Diagnosis]) -> Iterator[Diagnosis]:
    """Return the extras in two lines: those that are installed, and the others."""
    there = [each.what for each in extras if each.state == "good"]
    others = [each.what for each in extras if each.state != "good"]
    if there:
        yield Diagnosis("extras", "good", ", ".join(there))
    if others:
        yield Diagnosis("not installed", "absent", ", ".join(others), install_extra(others[0]))


def _python() -> Iterator[Diagnosis]:
    from steno import __version__

    version = ".".join(map(str, sys.version_info[:3]))
    yield Diagnosis("steno", "good", f"{__version__}, Python {version}")
    if find_spec("splintr") is None:
        says = "no tokenizer is installed, so tokens are estimated"
        yield Diagnosis("tokens", "absent", says, "pip install splintr-rs")
    else:
        yield Diagnosis("tokens", "good", "counted by a tokenizer")


def _extras() -> Iterator[Diagnosis]:
    for extra, (package, use) in EXTRAS.items():
        if _is_installed(package):
            yield Diagnosis(extra, "good", use)
        else:
            yield Diagnosis(extra, "absent", f"not installed: {use}", install_extra(extra))


def _is_installed(package: str) -> bool:
    # A package in a namespace raises if the namespace is not there.
    with suppress(ModuleNotFoundError):
        return find_spec(package) is not None
    return False


def _agents() -> Iterator[Diagnosis]:
    for name in AGENTS:
        found = shutil.which(name) is not None
        if found:
            yield Diagnosis(name, "good", f"found; steno wrap {name} runs it within its window")
        yield from _hooks(name, found)


def _trials() -> Iterator[Diagnosis]:
    """Run each agent that is found once through the proxy."""
    # Here, because it raises without the proxy's packages, which are an extra.
    from steno.cli.trial import try_agent

    for name in filter(shutil.which, AGENTS):
        trial = try_agent(name)
        state: State = "wrong"
        if trial.works:
            state = "good"
        yield Diagnosis(f"{name}, live", state, trial.says)


def _hooks(name: str, found: bool) -> Iterator[Diagnosis]:
    """Look whether an agent's own settings hold the hooks."""
    agent = HOOKED_AGENTS.get(name)
    if agent is None:
        return
    if is_set_up(agent):
        if not found:
            # An editor may start it by another way.
            yield Diagnosis(name, "absent", "not on PATH here; its settings have Steno's hooks")
        yield Diagnosis(agent, "good", "its hooks store sessions and hand them over")
    elif found:
        yield Diagnosis(agent, "absent", "has no hooks of Steno's", f"steno install {agent}")


def _proxies(environ: Mapping[str, str]) -> Iterator[Diagnosis]:
    """Look at the addresses that agents started from here would use."""
    for variable in ADDRESSES:
        address = environ.get(variable)
        if not address:
            continue
        parts = urlsplit(address)
        if parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            yield Diagnosis(variable, "good", f"goes to {parts.hostname}, not through a proxy here")
            continue
        if _answers(f"{parts.scheme}://{parts.netloc}/health"):
            yield Diagnosis(variable, "good", f"a server answers at {parts.netloc}")
        else:
            says = f"points at {parts.netloc}, and nothing answers there"
            mend = f"steno proxy --port {parts.port or 8787}, or: unset {variable}"
            yield Diagnosis(variable, "wrong", says, mend)


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=PROBE_SECONDS).close()
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _store(path: str) -> Iterator[Diagnosis]:
    name, place = without_password(path), Path(path)
    if name != path or is_address(path):
        try:
            with open_store(path) as store:
                yield Diagnosis(name, "good", plural(len(session_names(store)), "session"))
        except StenoError as failure:
            yield Diagnosis(name, "wrong", str(failure))
        return
    if not place.exists():
        says = "there is no such file; the first session that is stored makes it"
        yield Diagnosis(path, "absent", says)
        return
    if not is_store(place):
        says = "is not a store of Steno's"
        yield Diagnosis(path, "wrong", says, f"steno import {path} OTHER.db, if it is a transcript")
        return
    yield from _file_content(path, place)
    free = shutil.disk_usage(place.parent).free
    if free < SMALL_DISK:
        yield Diagnosis(path, "wrong", f"only {free:,} bytes are free on its disk")


def _file_content(path: str, place: Path) -> Iterator[Diagnosis]:
    """Look into a file without opening it as a store, which would change its rights."""
    if place.stat().st_mode & 0o077:
        yield Diagnosis(path, "wrong", "others on this machine can read it", f"chmod 600 {path}")
    connection = sqlite3.connect(f"{place.absolute().as_uri()}?mode=ro", uri=True)
    try:
        [first] = connection.execute("PRAGMA quick_check(1)").fetchone()
        problem = str(first).removeprefix("ok")
        [sessions] = connection.execute("SELECT count(*) FROM session").fetchone()
        [messages] = connection.execute("SELECT count(*) FROM message").fetchone()
    except sqlite3.DatabaseError as failure:
        problem = str(failure)
    finally:
        connection.close()
    if problem:
        mend = f"keep a copy, then: sqlite3 {path} .recover"
        yield Diagnosis(path, "wrong", f"is damaged: {problem}", mend)
        return
    size = f"{plural(sessions, 'session')}, {plural(messages, 'message')}"
    yield Diagnosis(path, "good", f"{size}, {place.stat().st_size:,} bytes, whole")
