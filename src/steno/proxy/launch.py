"""Run another program's command so that its requests go through a proxy.

Owns how each coding agent is given the proxy's address, by variables and arguments of one run,
so that nothing in its configuration changes; and how large its requests should become.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import TextIO

from steno.core.errors import BadInput
from steno.core.word_tables import word_tuple

ENDING = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""Signals by which a process is asked to end; Windows has no SIGHUP."""
Environ = Mapping[str, str]
"""The variables of a process."""
_LOG = logging.getLogger("steno")


@dataclass(frozen=True)
class WrappedCommand:
    """A command with the variables and arguments that lead it through the proxy."""

    arguments: Sequence[str]
    variables: Mapping[str, str]


ADDRESSES = {
    "openai": word_tuple("OPENAI_BASE_URL OPENAI_API_BASE OPENAI_API_ENDPOINT OPENAI_HOST"),
    "anthropic": word_tuple(
        "ANTHROPIC_BASE_URL ANTHROPIC_API_BASE ANTHROPIC_API_ENDPOINT ANTHROPIC_HOST"
    ),
    "gemini": word_tuple("GOOGLE_GEMINI_BASE_URL GEMINI_API_ENDPOINT GOOGLE_HOST"),
}
"""Variables that hold a provider's address: for the SDKs, then for aider, crush and goose."""
VERSION = "/v1"


def own_upstreams(command: Sequence[str], environ: Environ) -> list[str]:
    """Return the providers' addresses that a command would use without the proxy."""
    given = []
    for provider, names in ADDRESSES.items():
        own = next(filter(None, map(environ.get, names)), None)
        if own is not None:
            given.append(f"{provider}={own}")
    own = environ.get(COPILOT_ADDRESS)
    if own and Path(command[0]).name == "copilot":
        given.append(f"{_copilot_provider(environ)}={own}")
    return given


def _by_variables(
    command: Sequence[str], base: str, environ: Environ, *flags: str
) -> WrappedCommand:
    """Point every program that reads its address from the environment at the proxy."""
    variables = {}
    for provider, names in ADDRESSES.items():
        for name in names:
            variables[name] = base
            if provider == "openai" and name != "OPENAI_HOST":
                variables[name] = _with_version(base, environ.get(name))
    return WrappedCommand([command[0], *flags, *command[1:]], variables)


def _with_version(base: str, own: str | None) -> str:
    """Return the proxy's address with an API version, unless the user's own has none."""
    if own and not own.rstrip("/").endswith(VERSION):
        return base
    return base + VERSION


COPILOT_ADDRESS = "COPILOT_PROVIDER_BASE_URL"
COPILOT_WINDOW = "COPILOT_PROVIDER_MAX_PROMPT_TOKENS"


def _copilot(command: Sequence[str], base: str, environ: Environ) -> WrappedCommand:
    """Lead Copilot CLI if its user named a provider; a GitHub login has no address to change."""
    variables = dict(_by_variables(command, base, environ).variables)
    own = environ.get(COPILOT_ADDRESS)
    if own:
        variables[COPILOT_ADDRESS] = base
        if _copilot_provider(environ) == "openai":
            variables[COPILOT_ADDRESS] = _with_version(base, own)
        # It counts its own list, not what was sent, and would compact what Steno has compacted.
        variables[COPILOT_WINDOW] = environ.get(COPILOT_WINDOW) or "1000000"
    return WrappedCommand(command, variables)


def _copilot_provider(environ: Environ) -> str:
    if environ.get("COPILOT_PROVIDER_TYPE") == "anthropic":
        return "anthropic"
    return "openai"


def _pi(command: Sequence[str], base: str, environ: Environ) -> WrappedCommand:
    """Give pi its addresses by an extension of this run; it reads none from variables."""
    extension = str(Path(__file__).with_name("pi.js"))
    return _by_variables(command, base, environ, "--extension", extension)


def _claude(command: Sequence[str], base: str, environ: Environ) -> WrappedCommand:
    """Give Claude Code a status line for this run, unless its user has one."""
    given = [argument.partition("=")[0] for argument in command]
    home = Path(environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    project = Path(".claude")
    files = (home / "settings.json", project / "settings.json", project / "settings.local.json")
    if "--settings" in given or any(map(_has_status_line, files)):
        return _by_variables(command, base, environ)
    shown = shlex.join([sys.executable, "-m", "steno", "statusline"])
    settings = {"statusLine": {"type": "command", "command": shown}}
    return _by_variables(command, base, environ, "--settings", json.dumps(settings))


def _has_status_line(path: Path) -> bool:
    try:
        return '"statusLine"' in path.read_text(encoding="utf-8")
    except OSError:
        return False


def _codex(command: Sequence[str], base: str, environ: Environ) -> WrappedCommand:
    """Give Codex its address for this run; it no longer reads it from a variable."""
    setting = f"openai_base_url={json.dumps(base + '/v1')}"
    return _by_variables(command, base, environ, "-c", setting)


def _opencode(command: Sequence[str], base: str, environ: Environ) -> WrappedCommand:
    """Give opencode its addresses as configuration of this run, beside the user's own."""
    try:
        own = json.loads(environ.get(OPENCODE_CONFIG) or "{}")
        for provider, version in OPENCODE_VERSIONS.items():
            providers = own.setdefault("provider", {})
            settings = providers.setdefault(provider, {})
            options = settings.setdefault("options", {})
            options["baseURL"] = base + version
    except (ValueError, AttributeError, TypeError):
        raise BadInput(
            f"{OPENCODE_CONFIG} is not a configuration of opencode: correct it"
        ) from None
    variables = _by_variables(command, base, environ).variables
    return WrappedCommand(command, {**variables, OPENCODE_CONFIG: json.dumps(own)})


OPENCODE_CONFIG = "OPENCODE_CONFIG_CONTENT"
OPENCODE_VERSIONS = {"anthropic": "/v1", "openai": "/v1", "google": "/v1beta"}
"""Versions of the APIs in the addresses that opencode's providers take."""

AGENTS: dict[str, Callable[[Sequence[str], str, Environ], WrappedCommand]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _by_variables,
    "opencode": _opencode,
    "copilot": _copilot,
    "pi": _pi,
    "aider": _by_variables,
    "crush": _by_variables,
    "goose": _by_variables,
}
LIMITS = dict.fromkeys(("claude", "opencode", "pi"), 160_000)
LIMITS |= dict.fromkeys(("copilot", "crush", "goose"), 145_000)
"""Tokens that an agent's requests should stay below: a turn under where it compacts by itself.

For models whose window is under a million tokens; above, LIMIT holds. Of 200,000 tokens opencode
was seen to compact at 168,000, Copilot CLI below 145,000, Claude Code 2.1.326 not before a refusal.
Where pi, crush and goose do was not measured: theirs are cautious.
"""
LIMIT = 200_000
"""The same for other agents (Codex compacts at 245,000): above it, prices of some models rise."""


def limit_for(command: Sequence[str]) -> int:
    """Return the tokens that requests of this command should stay below."""
    return LIMITS.get(Path(command[0]).name, LIMIT)


def run_command(command: Sequence[str], base: str, log: TextIO) -> int:
    """Run a command with its requests led to the proxy at `base`; return its exit code.

    The terminal is the command's: what this process prints meanwhile goes to `log`.
    """
    lead = AGENTS.get(Path(command[0]).name, _by_variables)
    wrapped = lead(command, base, os.environ)
    environ = {**os.environ, **wrapped.variables}
    arguments = list(wrapped.arguments)
    with _printing_to(log) as (out, err), _passing_signals() as pass_to:
        try:
            child = subprocess.Popen(arguments, env=environ, stdout=out, stderr=err)
        except OSError as failure:
            raise BadInput(f"{arguments[0]} cannot be run: {failure.strerror}") from None
        pass_to(child)
        code = child.wait()
    if code < 0:
        # As a shell reports the end by a signal.
        return 128 - code
    return code


@contextmanager
def log_beside(store: str | None) -> Iterator[TextIO]:
    """Open a file beside the store, or among temporary files; it stays if it is written to."""
    folder = None
    if store is not None and "://" not in store:
        folder = Path(store).absolute().parent
    number, name = mkstemp(".log", "steno-wrap-", folder)
    os.close(number)
    try:
        with open(name, "a", encoding="utf-8") as log:
            yield log
    finally:
        if not os.path.getsize(name):
            os.unlink(name)


@contextmanager
def _printing_to(log: TextIO) -> Iterator[list[int]]:
    """Send whatever this process prints to a file; yield its own output and error output."""
    sys.stdout.flush()
    sys.stderr.flush()
    own = [os.dup(1), os.dup(2)]
    warnings = logging.StreamHandler(log)
    warnings.setLevel(logging.WARNING)
    _LOG.addHandler(warnings)
    try:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        with redirect_stdout(log), redirect_stderr(log):
            yield own
    finally:
        _LOG.removeHandler(warnings)
        log.flush()
        for number, kept in enumerate(own, 1):
            os.dup2(kept, number)
            os.close(kept)


@contextmanager
def _passing_signals() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Let a command decide when both end: it hears what asks this process to; Steno waits for it.

    Yield what says which command; it also hears what came before.
    """
    children: list[subprocess.Popen[bytes]] = []
    heard: list[int] = []

    def hear(number: int, frame: object) -> None:
        # The terminal tells the command of Ctrl-C as well.
        if number == signal.SIGINT:
            return
        heard.append(number)
        for child in children:
            child.send_signal(number)

    def pass_to(child: subprocess.Popen[bytes]) -> None:
        children.append(child)
        for number in heard:
            child.send_signal(number)

    # Handlers, not "ignore": the command would inherit that. What `nohup` ignores stays so.
    ending = [each for each in ENDING if signal.getsignal(each) != signal.SIG_IGN]
    before = {number: signal.signal(number, hear) for number in ending}
    try:
        yield pass_to
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
