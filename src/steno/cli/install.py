"""`steno install`: put hooks and tools into a coding agent's own settings, or take them out.

Owns the files: what changes is shown, a file is copied before Steno's entries first come in,
and one that is not as documented is left alone.
"""

from __future__ import annotations

import difflib
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from steno.adapters.agent_settings import AGENTS, agent_files, read_settings, settings_in
from steno.cli.options import argument, flag, option
from steno.cli.output import print_note, write_output
from steno.core.errors import BadInput, install_extra
from steno.secrets import mask_secrets
from steno.store.open import is_address, without_password

BACKUP_SUFFIX = ".before-steno"
_ADDRESS = re.compile(r"postgres(?:ql)?://[^\s\"']+")


def install(
    agent: Annotated[str, argument("AGENT", f"{' or '.join(AGENTS)}.")],
    db: Annotated[str | None, option("--store", "DB", "Where sessions are stored.")] = None,
    remove: Annotated[bool, flag("--remove", "Take the hooks and tools out again.")] = False,
    dry_run: Annotated[bool, flag("--dry-run", "Show the changes, and make none.")] = False,
) -> None:
    """Put Steno's hooks and tools into a coding agent's settings, beside what is there.

    For opencode and pi that is one file, a plugin.

    Before the agent compacts by itself, its session is stored. Afterwards it is handed
    constraints, open requests and state, and the MCP tool recall opens every original. At a start
    it is offered what earlier sessions taught. What changes is shown, and each file is copied
    first, with .before-steno after its name; a file that is not as documented is left alone. Codex
    asks you to trust new hooks. Needs the extra `mcp`.

    Examples

      steno install claude-code --dry-run       what would change
      steno install codex --store agent.db --dry-run
      steno install claude-code --remove --dry-run
    """
    files = agent_files(agent)
    if not remove and find_spec("mcp") is None:
        missing = (
            "the package mcp is missing and the tools could not start; "
            f"install it for {sys.executable}: {install_extra('mcp')}"
        )
        if not dry_run:
            raise BadInput(f"nothing was written, because {missing}")
        print_note(missing)
    place: str | None = None
    if not remove:
        place = db or str(Path.home() / ".steno" / "agents.db")
        if not is_address(place):
            place = str(Path(place).expanduser().absolute())
    shown: list[str] = []
    written: list[tuple[Path, str, bool]] = []
    # All are tried before the first is written: half an installation is of no use.
    for path, change in files.items():
        try:
            before = read_settings(path)
            after = change(before, place)
            after.encode()
            same = settings_in(path, before) == settings_in(path, after)
        except (BadInput, ValueError) as failure:
            raise BadInput(f"{path} is left as it is: {failure}") from None
        if same:
            shown.append(f"nothing to change in {path}")
            continue
        name = str(path)
        lines = difflib.unified_diff(
            before.splitlines(), after.splitlines(), name, name, lineterm=""
        )
        # Settings hold keys and addresses with passwords; a screen is shown to others.
        shown += map(_without_secrets, lines)
        # With entries of ours in it, it would not be the file from before.
        clean = settings_in(path, change(before, None)) == settings_in(path, before)
        written.append((path, after, clean))
    if dry_run:
        shown.append("--dry-run: nothing was written")
    else:
        if place is not None and not is_address(place):
            Path(place).parent.mkdir(parents=True, exist_ok=True)
        for path, after, clean in written:
            shown += _write(path, after, copies=clean)
    # Printed when all is done, uncut: the reader of a pipe may leave at the first line.
    sys.stdout.writelines(f"{line}\n" for line in shown)


def _without_secrets(line: str) -> str:
    return mask_secrets(_ADDRESS.sub(lambda found: without_password(found[0]), line))


def _write(path: Path, text: str, *, copies: bool) -> list[str]:
    """Write a file, or remove one that only an installation made; say what was done."""
    copy = path.with_name(path.name + BACKUP_SUFFIX)
    if not settings_in(path, text) and not copy.exists():
        path.unlink()
        return [f"removed: {path}"]
    says = [f"written: {path}"]
    path.parent.mkdir(parents=True, exist_ok=True)
    if copies and path.exists() and not copy.exists():
        shutil.copy2(path, copy)
        says.append(f"  copy from before: {copy}")
    # Behind a link, and with the rights that it had.
    target = path.resolve()
    target.touch(0o600)
    mode = target.stat().st_mode
    write_output([text], target)
    target.chmod(mode)
    return says
