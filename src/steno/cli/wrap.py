"""`steno wrap`: run a coding agent through a proxy of its own, and say what that spared."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from steno.cli import options as cli
from steno.cli.output import print_note
from steno.cli.proxy import EventPrinter, ProxyOptions, add_page
from steno.store.open import without_password

FAULTS_SHOWN = 3
"""Faults to print at the end; the log holds all."""


def wrap(
    command: Annotated[
        list[str],
        cli.argument(
            "COMMAND…",
            "claude, codex, gemini, opencode, copilot, pi or any other, with its arguments.",
        ),
    ],
    store: Annotated[
        str | None, cli.option("--store", "DB", "Where the sessions are kept. Default: in memory.")
    ] = None,
    *,
    options: ProxyOptions,
) -> int:
    """Run an agent with a proxy in front of its provider, and stop both together.

    The proxy listens on a free port of this machine; the agent is told its address by variables
    and arguments of this run alone, so nothing in its configuration changes. Options of Steno's
    stand before the command; everything after it is the agent's. Results over 6,000 tokens, copies
    and repeated lines are shortened before they are first sent; the model gets the tool recall,
    which reads them whole. Without
    --limit or --window, requests stay below 200k tokens, or 145k to 160k of agents that compact
    earlier by themselves, if the model's window is under a million. At the end one line on stderr
    says what was left out. Needs the extra `proxy`.

    Examples

      steno wrap claude                                     Claude Code
      steno wrap --store agent.db codex exec "fix the test"
      steno wrap --window 32k -- python my_agent.py  any program with an SDK
    """
    from steno.proxy.launch import LIMIT, limit_for, log_beside, own_upstreams, run_command
    from steno.proxy.run import RunningProxy, new_token

    if shutil.which(command[0]) is None:
        print_note(f"there is no command {command[0]!r} here; is it installed?")
        return cli.NOT_FOUND
    large_limit = None
    if options.limit is None and options.window is None:
        large_limit = LIMIT
        options = replace(options, limit=limit_for(command))
    upstream = [*own_upstreams(command, os.environ), *(options.upstream or [])]
    token = new_token()
    events = EventPrinter(commits=False)
    options = replace(options, upstream=upstream)
    served = options.build(store, token, "local", events, large_limit, own_user=True)
    with log_beside(store) as log, RunningProxy(served) as running:
        page = add_page(served, running.address)
        if sys.stderr.isatty():
            # Before the command has the terminal.
            print_note(f"see it at {page}")
        code = run_command(command, f"{running.address}/{token}", log)
    print_note(*events.faults[:FAULTS_SHOWN])
    if Path(log.name).exists():
        print_note(f"what went wrong is in {log.name}")
    _report(served.stats(), store, code)
    return code


# Whatever follows the command's name is the command's own.
wrap.context_settings = {"allow_interspersed_args": False}  # type: ignore[attr-defined]


def _report(stats: Mapping[str, Any], store: str | None, code: int) -> None:
    from steno.proxy.receipts import figures_line

    if stats["requests"]:
        line = figures_line(stats)
        if store is not None:
            line += f"; steno show {without_password(store)}"
        print_note(line)
    elif code == cli.DONE:
        print_note(
            "no conversation passed; does the agent read its address? "
            "(Gemini CLI does once you have chosen to use a key, by /auth; Copilot CLI if "
            "COPILOT_PROVIDER_BASE_URL names a provider of yours)"
        )
