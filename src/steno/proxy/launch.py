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

_LOG = logging.getLogger("steno")


@dataclass(frozen=True)
class WrappedCommand:
    """A command with the variables and arguments that lead it through the proxy."""

    arguments: Sequence[str]
    variables: Mapping[str, str]


def _by_variables(command: Sequence[str], base: str) -> WrappedCommand:
    """Point every SDK that reads its address from the environment at the proxy."""
    variables = {
        "ANTHROPIC_BASE_URL": base,
        "OPENAI_BASE_URL": f"{base}/v1",
        "OPENAI_API_BASE": f"{base}/v1",
        "GOOGLE_GEMINI_BASE_URL": base,
    }
    return WrappedCommand(command, variables)


def _claude(command: Sequence[str], base: str) -> WrappedCommand:
    """Give Claude Code a status line for this run, unless its user has one."""
    variables = _by_variables(command, base).variables
    if "--settings" in command or any(map(_has_status_line, _claude_settings())):
        return WrappedCommand(command, variables)
    shown = shlex.join([sys.executable, "-m", "steno", "statusline"])
    settings = {"statusLine": {"type": "command", "command": shown}}
    return WrappedCommand([command[0], "--settings", json.dumps(settings), *command[1:]], variables)


def _claude_settings() -> list[Path]:
    home = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    project = Path(".claude")
    return [home / "settings.json", project / "settings.json", project / "settings.local.json"]


def _has_status_line(path: Path) -> bool:
    try:
        return '"statusLine"' in path.read_text(encoding="utf-8")
    except OSError:
        return False


def _codex(command: Sequence[str], base: str) -> WrappedCommand:
    """Give Codex its address for this run; it no longer reads it from a variable."""
    setting = f"openai_base_url={json.dumps(base + '/v1')}"
    arguments = [command[0], "-c", setting, *command[1:]]
    return WrappedCommand(arguments, _by_variables(command, base).variables)


def _opencode(command: Sequence[str], base: str) -> WrappedCommand:
    """Give opencode its addresses as configuration of this run, beside the user's own."""
    providers = {
        "anthropic": {"options": {"baseURL": f"{base}/v1"}},
        "openai": {"options": {"baseURL": f"{base}/v1"}},
    }
    given = json.dumps({"provider": providers})
    variables = {**_by_variables(command, base).variables, "OPENCODE_CONFIG_CONTENT": given}
    return WrappedCommand(command, variables)


AGENTS: dict[str, Callable[[Sequence[str], str], WrappedCommand]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _by_variables,
    "opencode": _opencode,
}
LIMITS = {"claude": 160_000, "opencode": 160_000}
"""Tokens that an agent's requests should stay below: a turn under where it compacts by itself.

For models whose window is under a million tokens; above, LIMIT holds.
opencode does at 168,000 of 200,000 tokens; Claude Code 2.1.326 was not seen to before a refusal.
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
    wrapped = lead(command, base)
    # A handler, not "ignore": the command would inherit that, and not hear Ctrl-C either.
    before = signal.signal(signal.SIGINT, _leave_to_the_command)
    try:
        environ = {**os.environ, **wrapped.variables}
        with _printing_to(log) as (out, err):
            arguments = list(wrapped.arguments)
            code = subprocess.Popen(arguments, env=environ, stdout=out, stderr=err).wait()
    except OSError as failure:
        raise BadInput(f"{wrapped.arguments[0]} cannot be run: {failure.strerror}") from None
    finally:
        signal.signal(signal.SIGINT, before)
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


def _leave_to_the_command(number: int, frame: object) -> None:
    """Do nothing: the terminal tells the command as well, and it decides."""
