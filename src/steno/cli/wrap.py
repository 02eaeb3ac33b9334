"""`steno wrap`: run a coding agent through a proxy of its own, and say what that spared."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from steno.cli import options as cli
from steno.cli.describe import plural
from steno.cli.output import print_note
from steno.cli.proxy import (
    CompactionOption,
    ReceiptsOption,
    RedactOption,
    ShadowOption,
    UpstreamOption,
    build_proxy,
    session_options,
)
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


def wrap(
    command: Annotated[
        list[str],
        cli.argument(
            "COMMAND…", "claude, codex, gemini, opencode or any other command, with its arguments."
        ),
    ],
    store: Annotated[
        str | None, cli.option("--store", "DB", "Where the sessions are kept. Default: in memory.")
    ] = None,
    upstream: UpstreamOption = None,
    window: cli.WindowOption = None,
    reserve: cli.ReserveOption = None,
    policy: cli.PolicyOption = None,
    writer: cli.WriterOption = None,
    constraint: cli.ConstraintOption = None,
    redact: RedactOption = False,
    receipts: ReceiptsOption = None,
    recall: Annotated[
        bool,
        cli.flag(
            "--recall/--no-recall",
            "Offer the model the tool recall, and answer its calls.",
        ),
    ] = True,
    compaction: CompactionOption = False,
    shadow: ShadowOption = 0,
) -> int:
    """Run an agent with a proxy in front of its provider, and stop both together.

    The proxy listens on a free port of this machine; the agent is told its address by variables
    and arguments of this run alone, so nothing in its configuration changes. Options of Steno's
    stand before the command; everything after it is the agent's. The model gets the tool recall,
    which reads what its view no longer shows. Gemini's requests pass through unread. At the end one
    line on stderr says what was left out. Needs the extra `proxy`.

    Examples

      steno wrap claude                                     Claude Code
      steno wrap --store agent.db codex exec "fix the test"
      steno wrap --window 32k -- python my_agent.py  any program with an SDK
    """
    from steno.proxy.run import RunningProxy, new_token

    if shutil.which(command[0]) is None:
        print_note(f"there is no command {command[0]!r} here; is it installed?")
        return cli.NOT_FOUND
    token = new_token()
    options = session_options(window, reserve, policy, writer, constraint, redact)
    upstreams = [*(upstream or []), GEMINI_UPSTREAM]
    served = build_proxy(
        store, options, upstreams, token, "local", receipts, recall, compaction, shadow
    )
    lead = AGENTS.get(Path(command[0]).name, _by_variables)
    with RunningProxy(served) as running:
        wrapped = lead(command, f"{running.address}/{token}")
        code = _run(wrapped)
    _report(served.stats(), store, code)
    return code


# Whatever follows the command's name is the command's own.
wrap.context_settings = {"allow_interspersed_args": False}  # type: ignore[attr-defined]


def _run(wrapped: WrappedCommand) -> int:
    """Run a command to its end; Ctrl-C is the command's to handle."""
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


def _report(stats: Mapping[str, Any], store: str | None, code: int) -> None:
    requests, spared = stats["requests"], stats["tokens_spared"]
    if not requests:
        if code == cli.DONE:
            print_note("no conversation passed; does the agent read its address?")
        return
    line = f"{plural(requests, 'request')}, {spared:,} tokens left out of them"
    if stats["dollars_billed"]:
        line += f"; billed ${stats['dollars_billed']:,.2f}"
        line += f", spared at least ${stats['dollars_spared']:,.2f}"
    if stats["passed_unchanged"]:
        line += f", {stats['passed_unchanged']} passed unchanged"
    if store is not None:
        line += f"; steno show {store}"
    print_note(line)
