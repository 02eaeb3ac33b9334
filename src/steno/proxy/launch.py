"""Run another program's command so that its requests go through a proxy.

Owns how each coding agent is given the proxy's address: variables and arguments of one run,
so that nothing in its configuration changes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steno.core.errors import BadInput


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
    }
    return WrappedCommand(command, variables)


def _codex(command: Sequence[str], base: str) -> WrappedCommand:
    """Give Codex its address for this run; it no longer reads it from a variable."""
    setting = f"openai_base_url={json.dumps(base + '/v1')}"
    arguments = [command[0], "-c", setting, *command[1:]]
    return WrappedCommand(arguments, _by_variables(command, base).variables)


def _gemini(command: Sequence[str], base: str) -> WrappedCommand:
    variables = {"GOOGLE_GEMINI_BASE_URL": f"{base}/gemini"}
    return WrappedCommand(command, variables)


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
    "claude": _by_variables,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
}
GEMINI_UPSTREAM = "/gemini=https://generativelanguage.googleapis.com"


def run_command(command: Sequence[str], base: str) -> int:
    """Run a command with its requests led to the proxy at `base`; return its exit code."""
    lead = AGENTS.get(Path(command[0]).name, _by_variables)
    wrapped = lead(command, base)
    # A handler, not "ignore": the command would inherit that, and not hear Ctrl-C either.
    before = signal.signal(signal.SIGINT, _leave_to_the_command)
    try:
        environ = {**os.environ, **wrapped.variables}
        code = subprocess.Popen(list(wrapped.arguments), env=environ).wait()
    except OSError as failure:
        raise BadInput(f"{wrapped.arguments[0]} cannot be run: {failure.strerror}") from None
    finally:
        signal.signal(signal.SIGINT, before)
    if code < 0:
        # As a shell reports the end by a signal.
        return 128 - code
    return code


def _leave_to_the_command(number: int, frame: object) -> None:
    """Do nothing: the terminal tells the command as well, and it decides."""
