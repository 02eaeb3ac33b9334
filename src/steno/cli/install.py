"""`steno install` and `uninstall`: hooks and tools in a coding agent's own settings.

Owns which files those are and what stands in them. Only entries that are Steno's are
written or taken out; every other line keeps its words. A file is copied before Steno's
entries come in, and one that is not as documented is left alone.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from steno.cli.options import DONE, argument, flag, option
from steno.cli.output import print_note
from steno.core.errors import BadInput, install_extra
from steno.secrets import mask_secrets
from steno.store.open import is_address, without_password

Json = dict[str, Any]
BACKUP_SUFFIX = ".before-steno"
PRE_COMPACT_SECONDS = 60
START_SECONDS = 30
TOML_BEGIN, TOML_END = "# steno: begin", "# steno: end"
_ADDRESS = re.compile(r"postgres(?:ql)?://[^\s\"']+")
NOT_OURS = "it has an MCP server named steno already, which is not this command's"
_TOML_BLOCK = re.compile(
    rf"(?<!\n)\n*+^{TOML_BEGIN}\n\[mcp_servers\.steno\]\ncommand = .*\nargs = .*\n{TOML_END}\n",
    re.M,
)
_OUR_COMMAND = re.compile(r"(?:^|[/\\]|-m )steno(?:\.exe)?'? (?:hook|mcp) ", re.IGNORECASE)


@dataclass(frozen=True)
class FileEdit:
    """A settings file, and how an entry of ours is put in and taken out."""

    path: Path
    add: Callable[[str, str], str]
    """Makes the new text of the old one and the store's path."""
    remove: Callable[[str], str]


def own_command() -> list[str]:
    """Return the words that start this very Steno: an agent's shell may have another PATH."""
    place = None
    if Path(sys.argv[0]).stem == "steno":
        place = shutil.which(sys.argv[0])
    if place is None:
        return [sys.executable, "-m", "steno"]
    return [str(Path(place).absolute())]


def hook_command(db: str) -> str:
    return " ".join(map(_quoted, [*own_command(), "hook", db]))


def _quoted(text: str) -> str:
    if re.fullmatch(r"[\w@%+=:,./~-]+", text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def _is_ours(hook: Any) -> bool:
    """Tell whether a hook is one that this command wrote."""
    return isinstance(hook, dict) and bool(_OUR_COMMAND.search(str(hook.get("command", ""))))


def _without_ours(groups: list[Any]) -> Iterator[Any]:
    """Yield groups of hooks as they are without ours; one that held only ours goes."""
    for group in groups:
        hooks = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(hooks, list) or not any(map(_is_ours, hooks)):
            yield group
        elif kept := [hook for hook in hooks if not _is_ours(hook)]:
            yield {**group, "hooks": kept}


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
        kept = list(_without_ours(hooks[event]))
        if kept == hooks[event]:
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
    if "steno" in servers and not _is_our_server(servers["steno"]):
        raise BadInput(NOT_OURS)
    command, *words = own_command()
    servers["steno"] = {"type": "stdio", "command": command, "args": [*words, "mcp", db]}
    return _json_text(settings, text)


def remove_server(text: str) -> str:
    settings = _json_object(text)
    servers = settings.get("mcpServers")
    if isinstance(servers, dict) and _is_our_server(servers.get("steno")):
        del servers["steno"]
        if not servers:
            del settings["mcpServers"]
    return _json_text(settings, text)


def _is_our_server(entry: Any) -> bool:
    """Tell whether an MCP server is one that this command wrote."""
    if not isinstance(entry, dict) or not isinstance(entry.get("args"), list):
        return False
    words = [entry.get("command"), *entry["args"]]
    return _OUR_COMMAND.search(" ".join(map(str, words))) is not None


def add_toml_server(text: str, db: str) -> str:
    """Return Codex' configuration with the MCP server, as a block of its own at the end."""
    bare = remove_toml_server(text)
    servers = _toml_object(bare).get("mcp_servers", {})
    if not isinstance(servers, dict):
        raise BadInput("its mcp_servers are no table")
    if "steno" in servers:
        raise BadInput(NOT_OURS)
    command, *words = own_command()
    lines = [
        TOML_BEGIN,
        "[mcp_servers.steno]",
        f"command = {json.dumps(command)}",
        f"args = {json.dumps([*words, 'mcp', db])}",
        TOML_END,
    ]
    separator = "\n" if bare else ""
    text = bare + separator + "\n".join(lines) + "\n"
    _toml_object(text)
    return text


def remove_toml_server(text: str) -> str:
    _toml_object(text)
    bare = _TOML_BLOCK.sub("\n", text).lstrip("\n")
    if re.search(rf"^(?:{TOML_BEGIN}|{TOML_END})$", bare, re.M):
        raise BadInput(
            f"what stands between {TOML_BEGIN!r} and {TOML_END!r} is not as Steno wrote it; move "
            "your own lines out of there, or delete the two marks"
        )
    return bare


def _json_object(text: str) -> Json:
    try:
        value = json.loads(
            text or "{}", parse_float=_unchanged_number, object_pairs_hook=_unchanged_object
        )
    except BadInput:
        raise
    except ValueError as failure:
        raise BadInput(f"it is not JSON: {failure}") from None
    if not isinstance(value, dict):
        raise BadInput("it is not a JSON object")
    return value


def _unchanged_number(text: str) -> float:
    """Read a number; refuse one that would be another when it is written again."""
    number = float(text)
    try:
        same = Decimal(text) == Decimal(repr(number))
    except InvalidOperation:
        same = False
    if not same:
        raise BadInput(f"its number {text[:40]} would not stay the same")
    return number


def _unchanged_object(pairs: list[tuple[str, Any]]) -> Json:
    """Read an object; refuse one with a key twice, since only one of them would stay."""
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput(f"it has the key {twice!a} twice in one object")
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
    except ValueError as failure:
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
AgentArgument = Annotated[str, argument("AGENT", f"{' or '.join(AGENT_FILES)}.")]
DryRunOption = Annotated[bool, flag("--dry-run", "Show the changes, and make none.")]


def is_set_up(agent: str) -> bool:
    """Tell whether all entries for an agent are in its settings."""
    for edit in AGENT_FILES[agent]():
        try:
            text = _read(edit.path)
            if not text or edit.remove(text) == _normal(edit, text):
                return False
        except BadInput:
            return False
    return True


def install(
    agent: AgentArgument,
    db: Annotated[str | None, option("--store", "DB", "Where sessions are kept.")] = None,
    dry_run: DryRunOption = False,
) -> int:
    """Put Steno's hooks and tools into a coding agent's settings, beside what is there.

    Before the agent compacts by itself, its session is stored. Afterwards it is handed rules, open
    requests and state as additional context, and the MCP tool recall opens every original. At
    a start it is offered what earlier sessions taught. Doing it twice changes nothing. What
    changes is shown, and each file is copied first, with .before-steno after its name; that
    copy is never written again. A file that is not as documented is left alone. Codex asks you to
    trust new hooks. Needs the extra `mcp`.

    Examples

      steno install claude-code --dry-run       what would change
      steno install codex --store agent.db --dry-run
    """
    _check_agent(agent)
    if find_spec("mcp") is None:
        missing = (
            "the package mcp is missing and the tools could not start; "
            f"install it for {sys.executable}: {install_extra('mcp')}"
        )
        if not dry_run:
            raise BadInput(f"nothing was written, because {missing}")
        print_note(missing)
    place = db or str(_default_folder() / "agents.db")
    if not is_address(place):
        path = Path(place).expanduser().absolute()
        place = str(path)
        if not dry_run:
            path.parent.mkdir(parents=True, exist_ok=True)
    undo = f"undo: steno uninstall {agent}"
    _print_lines(_apply(agent, lambda edit, text: edit.add(text, place), dry_run, undo))
    return DONE


def uninstall(agent: AgentArgument, dry_run: DryRunOption = False) -> int:
    """Take Steno's hooks and tools out of a coding agent's settings; nothing else changes.

    A file that holds nothing else gets its bytes from before the installation back, or goes if
    there was none. The store stays, and so does the copy with .before-steno after its name.

    Examples

      steno uninstall claude-code --dry-run     what would change
    """
    undo = f"undo: steno install {agent}"
    lines = _apply(agent, lambda edit, text: _as_before(edit, edit.remove(text)), dry_run, undo)
    if not dry_run:
        _remove_if_empty(_default_folder())
    _print_lines(lines)
    return DONE


def _print_lines(lines: Iterable[str]) -> None:
    """Print what was done when all of it is: the reader of a pipe may leave at the first line."""
    # Not cut at the terminal's width: these are paths to copy.
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _default_folder() -> Path:
    return Path.home() / ".steno"


def _check_agent(agent: str) -> None:
    if agent not in AGENT_FILES:
        raise BadInput(f"there is no agent {agent!r}; there are {', '.join(AGENT_FILES)}")


def _apply(
    agent: str, change: Callable[[FileEdit, str], str], dry_run: bool, undo: str
) -> list[str]:
    """Make a change of an agent's files; return the lines that say what changed."""
    _check_agent(agent)
    edits = list(AGENT_FILES[agent]())
    # All are tried before the first is written: half an installation is of no use.
    texts = []
    for edit in edits:
        try:
            before = _read(edit.path)
            after = change(edit, before)
            after.encode()
        except UnicodeEncodeError:
            raise BadInput(
                f"{edit.path} is left as it is: a lone surrogate cannot be written as UTF-8"
            ) from None
        except BadInput as failure:
            raise BadInput(f"{edit.path} is left as it is: {failure}") from None
        texts.append((edit, before, after))
    shown: list[str] = []
    says: list[str] = []
    for edit, before, after in texts:
        if _normal(edit, after) == _normal(edit, before) or (not before and _is_empty(after)):
            shown.append(f"nothing to change in {edit.path}")
            continue
        name = str(edit.path)
        lines = difflib.unified_diff(
            before.splitlines(), after.splitlines(), name, name, lineterm=""
        )
        # Settings hold keys and addresses with passwords; a screen is shown to others.
        shown += map(_without_secrets, lines)
        if not dry_run:
            says += _write(edit, before, after)
    if dry_run:
        shown.append("--dry-run: nothing was written")
    if says:
        says.append(undo)
    return shown + says


def _without_secrets(line: str) -> str:
    return mask_secrets(_ADDRESS.sub(lambda found: without_password(found[0]), line))


def _write(edit: FileEdit, before: str, after: str) -> Iterator[str]:
    """Make a change, and say what was done."""
    path, copy = edit.path, _copy_path(edit)
    if _is_empty(after) and not copy.exists():
        path.unlink()
        yield f"removed: {path}"
        _remove_if_empty(path.parent)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # With entries of ours in it, it would not be the file from before.
    copied = path.exists() and not copy.exists() and edit.remove(before) == _normal(edit, before)
    if copied:
        shutil.copy2(path, copy)
    content = after.encode()
    # A copy that is no longer UTF-8 must not stop a change that has begun.
    if copy.exists() and after == copy.read_text(encoding="utf-8", errors="replace"):
        content = copy.read_bytes()
    _replace(path.resolve(), content)
    yield f"written: {path}"
    if copied:
        yield f"  copy from before: {copy}"


def _remove_if_empty(folder: Path) -> None:
    """Remove a folder that an installation made and that nothing else came into."""
    if folder != Path.home():
        with suppress(OSError):
            folder.rmdir()


def _as_before(edit: FileEdit, text: str) -> str:
    """Return the copy of a file if it says the same as a text, else the text."""
    try:
        copy = _read(_copy_path(edit))
        if copy and _content(edit, copy) == _content(edit, text):
            return copy
    except BadInput:
        # The copy is not as it was written; then it is nothing to go back to.
        return text
    return text


def _content(edit: FileEdit, text: str) -> str:
    """Return what a text says, however it is indented."""
    if edit.path.suffix == ".json":
        return _json_text(_json_object(text))
    return text.strip()


def _copy_path(edit: FileEdit) -> Path:
    return edit.path.with_name(edit.path.name + BACKUP_SUFFIX)


def _is_empty(text: str) -> bool:
    return text.strip() in ("", "{}")


def _replace(path: Path, content: bytes) -> None:
    """Write a file in one step, with the rights that it had; an agent may read it just now."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.touch(mode=0o600)
    if path.exists():
        shutil.copymode(path, fresh)
    fresh.write_bytes(content)
    fresh.replace(path)


def _read(path: Path) -> str:
    if not path.exists():
        return ""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BadInput("it is not UTF-8") from None


def _normal(edit: FileEdit, text: str) -> str:
    """Return a text as this command would write it without a change of its own."""
    if edit.path.suffix == ".json" and text:
        return _json_text(_json_object(text), text)
    return text
