"""`steno install` and `uninstall`: hooks and tools in a coding agent's own settings.

Owns which files those are and what stands in them. Only entries that are Steno's are
written or taken out; every other line keeps its words. A file is copied before it is
changed, and one that is not as documented is left alone.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from steno.cli.options import DONE
from steno.cli.output import TerminalPage
from steno.core.errors import BadInput

Json = dict[str, Any]
BACKUP_SUFFIX = ".before-steno"
PRE_COMPACT_SECONDS = 60
START_SECONDS = 30
TOML_BEGIN, TOML_END = "# steno: begin", "# steno: end"
_TOML_BLOCK = re.compile(rf"\n*{TOML_BEGIN}\n.*?{TOML_END}\n", re.DOTALL)


@dataclass(frozen=True)
class FileEdit:
    """A settings file, and how an entry of ours is put in and taken out."""

    path: Path
    add: Callable[[str, str], str]
    """Makes the new text of the old one and the store's path."""
    remove: Callable[[str], str]


def hook_command(db: str) -> str:
    return f"steno hook {_quoted(db)}"


def _quoted(text: str) -> str:
    if re.fullmatch(r"[\w@%+=:,./~-]+", text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def _is_ours(entry: Any) -> bool:
    """Whether a group of hooks is one that this command wrote."""
    hooks = entry.get("hooks") if isinstance(entry, dict) else None
    if not isinstance(hooks, list):
        return False
    commands = [one.get("command", "") for one in hooks if isinstance(one, dict)]
    return any(str(command).startswith("steno hook ") for command in commands)


def add_hooks(text: str, db: str) -> str:
    """Return settings with the hooks, in the form that Claude Code and Codex share."""
    settings = _json_object(remove_hooks(text))
    hooks = settings.setdefault("hooks", {})
    for event, seconds in (("PreCompact", PRE_COMPACT_SECONDS), ("SessionStart", START_SECONDS)):
        entry = {"type": "command", "command": hook_command(db), "timeout": seconds}
        hooks.setdefault(event, []).append({"hooks": [entry]})
    return _json_text(settings, text)


def remove_hooks(text: str) -> str:
    settings = _json_object(text)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(one, list) for one in hooks.values()):
        raise BadInput("its hooks are not lists by event")
    for event in list(hooks):
        kept = [entry for entry in hooks[event] if not _is_ours(entry)]
        if len(kept) == len(hooks[event]):
            continue
        hooks[event] = kept
        if not kept:
            del hooks[event]
    if "hooks" in settings and not hooks:
        del settings["hooks"]
    return _json_text(settings, text)


def add_server(text: str, db: str) -> str:
    """Return Claude Code's own file with the MCP server, in the user's scope."""
    settings = _json_object(text)
    servers = settings.setdefault("mcpServers", {})
    if not isinstance(servers, dict):
        raise BadInput("its mcpServers are no object")
    servers["steno"] = {"type": "stdio", "command": "steno", "args": ["mcp", db]}
    return _json_text(settings, text)


def remove_server(text: str) -> str:
    settings = _json_object(text)
    servers = settings.get("mcpServers")
    if isinstance(servers, dict) and servers.get("steno", {}).get("command") == "steno":
        del servers["steno"]
        if not servers:
            del settings["mcpServers"]
    return _json_text(settings, text)


def add_toml_server(text: str, db: str) -> str:
    """Return Codex' configuration with the MCP server, as a block of its own at the end."""
    bare = remove_toml_server(text)
    if "steno" in _toml_object(bare).get("mcp_servers", {}):
        raise BadInput("it has an MCP server named steno already, which is not this command's")
    lines = [
        TOML_BEGIN,
        "[mcp_servers.steno]",
        'command = "steno"',
        f"args = {json.dumps(['mcp', db])}",
        TOML_END,
    ]
    separator = "\n" if bare else ""
    text = bare + separator + "\n".join(lines) + "\n"
    _toml_object(text)
    return text


def remove_toml_server(text: str) -> str:
    _toml_object(text)
    return _TOML_BLOCK.sub("\n", text).lstrip("\n")


def _json_object(text: str) -> Json:
    try:
        value = json.loads(text or "{}")
    except ValueError as failure:
        raise BadInput(f"it is not JSON: {failure}") from None
    if not isinstance(value, dict):
        raise BadInput("it is not a JSON object")
    return value


def _json_text(value: Json, like: str = "") -> str:
    """Return JSON, indented as another text is."""
    found = re.search(r"^([ \t]+)\S", like, re.MULTILINE)
    indent = "  "
    if found is not None:
        indent = found[1]
    return json.dumps(value, indent=indent, ensure_ascii=False) + "\n"


def _toml_object(text: str) -> Json:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as failure:
        raise BadInput(f"it is not TOML: {failure}") from None


def _claude_files() -> Iterator[FileEdit]:
    home = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    state = Path.home() / ".claude.json"
    if "CLAUDE_CONFIG_DIR" in os.environ:
        state = home / ".claude.json"
    yield FileEdit(home / "settings.json", add_hooks, remove_hooks)
    yield FileEdit(state, add_server, remove_server)


def _codex_files() -> Iterator[FileEdit]:
    home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    yield FileEdit(home / "hooks.json", add_hooks, remove_hooks)
    yield FileEdit(home / "config.toml", add_toml_server, remove_toml_server)


AGENT_FILES: dict[str, Callable[[], Iterator[FileEdit]]] = {
    "claude-code": _claude_files,
    "codex": _codex_files,
}
AgentArgument = Annotated[str, typer.Argument(metavar="AGENT", help=f"{' or '.join(AGENT_FILES)}.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show the changes, and make none.")]


def is_set_up(agent: str) -> bool:
    """Whether all entries for an agent are in its settings."""
    for edit in AGENT_FILES[agent]():
        text = _read(edit.path)
        try:
            if not text or edit.remove(text) == _normal(edit, text):
                return False
        except BadInput:
            return False
    return True


def install(
    agent: AgentArgument,
    db: Annotated[
        str | None,
        typer.Option("--store", metavar="DB", help="Where sessions are kept."),
    ] = None,
    dry_run: DryRunOption = False,
) -> int:
    """Put Steno's hooks and tools into a coding agent's settings, beside what is there.

    Before the agent compacts by itself, its session is stored. Afterwards it is handed rules, open
    requests and state as additional context, and the MCP tool recall opens every original. At
    a start it is offered what earlier sessions taught. Doing it twice changes nothing. What
    changes is shown, and each file is copied first, with .before-steno after its name; a
    file that is not as documented is left alone. Codex asks you to trust new hooks. Needs
    pip install 'steno[mcp]'.

    Examples

      steno install claude-code --dry-run       what would change
      steno install codex --store agent.db --dry-run
    """
    place = str(Path(db or Path.home() / ".steno" / "agents.db").expanduser().absolute())
    if not dry_run:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
    return _apply(agent, lambda edit, text: edit.add(text, place), dry_run)


def uninstall(agent: AgentArgument, dry_run: DryRunOption = False) -> int:
    """Take Steno's hooks and tools out of a coding agent's settings; nothing else changes.

    The store stays.

    Examples

      steno uninstall claude-code --dry-run     what would change
    """
    return _apply(agent, lambda edit, text: edit.remove(text), dry_run)


def _apply(agent: str, change: Callable[[FileEdit, str], str], dry_run: bool) -> int:
    if agent not in AGENT_FILES:
        raise BadInput(f"{agent!r} is none of {', '.join(AGENT_FILES)}")
    edits = list(AGENT_FILES[agent]())
    # All are tried before the first is written: half an installation helps nobody.
    texts = []
    for edit in edits:
        before = _read(edit.path)
        try:
            texts.append((edit, before, change(edit, before)))
        except BadInput as failure:
            raise BadInput(f"{edit.path} is left as it is: {failure}") from None
    page = TerminalPage()
    for edit, before, after in texts:
        _show_and_write(page, edit, before, after, dry_run)
    return DONE


def _show_and_write(
    page: TerminalPage, edit: FileEdit, before: str, after: str, dry_run: bool
) -> None:
    if after == _normal(edit, before) or (not before and after in ("{}\n", "")):
        page.line(f"nothing to change in {edit.path}")
        return
    name = str(edit.path)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm="")
    sys.stdout.write("\n".join(lines) + "\n")
    if dry_run:
        return
    edit.path.parent.mkdir(parents=True, exist_ok=True)
    if before:
        shutil.copy2(edit.path, edit.path.with_name(edit.path.name + BACKUP_SUFFIX))
    _replace(edit.path.resolve(), after)


def _replace(path: Path, text: str) -> None:
    """Write a file in one step, with the rights that it had; an agent may read it just now."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.touch(mode=0o600)
    if path.exists():
        shutil.copymode(path, fresh)
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def _read(path: Path) -> str:
    if not path.exists():
        return ""
    return path.read_text(encoding="utf-8")


def _normal(edit: FileEdit, text: str) -> str:
    """Return a text as this command would write it without a change of its own."""
    if edit.path.suffix == ".json" and text:
        return _json_text(_json_object(text), text)
    return text
