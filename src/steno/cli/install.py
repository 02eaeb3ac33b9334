"""`steno install`: write Steno's plugin for a coding agent, which loads it by its own commands."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from steno.adapters.agent_plugins import AGENTS, PluginHost, is_set_up, plugin_host, plugin_text
from steno.cli.options import argument, flag, option
from steno.cli.output import print_note
from steno.core.errors import BadInput, install_extra
from steno.store.open import is_address

SAID_MOST = 300


def install(
    agent: Annotated[str, argument("AGENT", f"{' or '.join(AGENTS)}.")],
    db: Annotated[str | None, option("--store", "DB", "Where sessions are stored.")] = None,
    remove: Annotated[bool, flag("--remove", "Take the plugin out again.")] = False,
    dry_run: Annotated[bool, flag("--dry-run", "Show what would be done.")] = False,
) -> None:
    """Give a coding agent Steno's plugin, by the agent's own commands.

    Its files go below ~/.steno/plugins and are loaded by `claude plugin install`, `codex plugin
    add` or `pi install`; opencode loads a file from its own folder. Before the agent compacts by
    itself, its session is stored. Afterwards it is handed constraints, open requests and state,
    and the MCP tool recall opens every original. At a start it is offered what earlier sessions
    taught. Codex asks you to trust new hooks. Needs the extra `mcp`.

    Examples

      steno install claude-code --dry-run       what would be done
      steno install codex --store agent.db --dry-run
      steno install claude-code --remove --dry-run
    """
    host = plugin_host(agent)
    if host.settings in host.files and host.settings.exists() and not is_set_up(agent):
        raise BadInput(f"{host.settings} is left as it is: it is not a plugin of Steno's")
    texts: dict[Path, str] = {}
    commands, does, state = host.remove, "delete", "has no"
    if not remove:
        _require_tools(dry_run)
        place = db or str(Path.home() / ".steno" / "agents.db")
        if not is_address(place):
            place = str(Path(place).expanduser().absolute())
        texts = {path: plugin_text(source, place) for path, source in host.files.items()}
        commands, does, state = host.add, "write", "has the"
        if is_set_up(agent):
            # Some agents keep a copy of the files that a second `add` does not renew.
            commands = (*host.remove, *host.add)
    found = {path: path.read_text("utf-8") for path in host.files if path.exists()}
    if found == texts and is_set_up(agent) is not remove:
        sys.stdout.write(f"nothing to change: {agent} {state} plugin\n")
        return
    shown = [f"{does}: {path}" for path in host.files]
    shown += [f"run: {host.program} {command}" for command in commands]
    if dry_run:
        shown.append("--dry-run: nothing was done")
    else:
        _carry_out(host, texts, commands)
        if is_set_up(agent) is remove:
            raise BadInput(f"{host.settings} does not show the change; run `{host.program} plugin`")
    # Printed when all is done: the reader of a pipe may leave at the first line.
    sys.stdout.writelines(f"{line}\n" for line in shown)


def _require_tools(dry_run: bool) -> None:
    if find_spec("mcp") is not None:
        return
    missing = (
        "the package mcp is missing and the tools could not start; "
        f"install it for {sys.executable}: {install_extra('mcp')}"
    )
    if not dry_run:
        raise BadInput(f"nothing was written, because {missing}")
    print_note(missing)


def _carry_out(host: PluginHost, texts: dict[Path, str], commands: Sequence[str]) -> None:
    """Write the files and run the commands; without texts, delete the files at the end."""
    if commands and shutil.which(host.program) is None:
        raise BadInput(
            f"{host.program} is not on the PATH, and its own command loads plugins; "
            "install it first, or start steno where it is found"
        )
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        # The address of a store may hold a password.
        path.touch(0o600)
        path.write_text(text, encoding="utf-8")
    for command in commands:
        _run(f"{host.program} {command}", may_fail=not texts)
    for path in host.files.keys() - texts.keys():
        path.unlink(missing_ok=True)
        with suppress(OSError):
            os.removedirs(path.parent)


def _run(command: str, *, may_fail: bool) -> None:
    try:
        words = shlex.split(command)
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)
    except OSError as failure:
        raise BadInput(f"`{command}` did not run: {failure}") from None
    # What is to be taken out may be out already.
    if done.returncode and not may_fail:
        said = " ".join((done.stderr or done.stdout).decode(errors="replace").split())
        raise BadInput(f"`{command}` failed: {said[:SAID_MOST]}")
