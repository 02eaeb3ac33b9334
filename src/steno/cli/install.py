"""`steno install`: put hooks and tools into a coding agent's own settings, or take them out.

Owns which files those are and what stands in them. Only entries that are Steno's are
written or taken out. A file is copied before Steno's entries first come in, and one that
is not as documented is left alone.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from steno.cli.options import DONE, argument, flag, option
from steno.cli.output import print_note, write_output
from steno.core.errors import BadInput, install_extra
from steno.secrets import mask_secrets
from steno.store.open import is_address, without_password

Json = dict[str, Any]
Change = Callable[[str, str | None], str]
"""Makes the new text of a file from the old one and the store's path; None takes ours out."""
BACKUP_SUFFIX = ".before-steno"
HOOK_SECONDS = {"PreCompact": 60, "SessionStart": 30}
TOML_BEGIN, TOML_END = "# steno: begin", "# steno: end"
NOT_OURS = "it has an MCP server named steno already, which is not this command's"
_ADDRESS = re.compile(r"postgres(?:ql)?://[^\s\"']+")
_TOML_BLOCK = re.compile(
    rf"\n*^{TOML_BEGIN}\n\[mcp_servers\.steno\]\ncommand = .*\nargs = .*\n{TOML_END}\n", re.M
)
_OUR_COMMAND = re.compile(r"(?:^|[/\\]|-m )steno(?:\.exe)?'? (?:hook|mcp) ", re.IGNORECASE)


def own_command() -> list[str]:
    """Return the words that start this very Steno: an agent's shell may have another PATH."""
    place = None
    if Path(sys.argv[0]).stem == "steno":
        place = shutil.which(sys.argv[0])
    if place is None:
        return [sys.executable, "-m", "steno"]
    return [str(Path(place).absolute())]


def change_hooks(text: str, db: str | None) -> str:
    """Return settings with our hooks, in the form that Claude Code and Codex share."""
    settings = _json_object(text)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(one, list) for one in hooks.values()):
        raise BadInput("its hooks are not lists by event")
    kept = {event: groups for event in hooks if (groups := _without_ours(hooks[event]))}
    if db is not None:
        command = shlex.join([*own_command(), "hook", db])
        for event, seconds in HOOK_SECONDS.items():
            entry = {"type": "command", "command": command, "timeout": seconds}
            kept.setdefault(event, []).append({"hooks": [entry]})
    settings["hooks"] = kept
    return _json_text(settings, "hooks", text)


def _without_ours(groups: list[Any]) -> list[Any]:
    """Return groups of hooks without our commands; a group that held only ours goes."""
    kept = []
    for group in groups:
        match group:
            case {"hooks": [_, *_] as hooks}:
                others = [hook for hook in hooks if not _OUR_COMMAND.search(_command(hook))]
                if others:
                    kept.append({**group, "hooks": others})
            case _:
                kept.append(group)
    return kept


def _command(hook: Any) -> str:
    match hook:
        case {"command": str(command)}:
            return command
    return ""


def change_server(text: str, db: str | None) -> str:
    """Return Claude Code's own file with the MCP server, in the user's scope."""
    settings = _json_object(text)
    servers = settings.setdefault("mcpServers", {})
    if not isinstance(servers, dict):
        raise BadInput("its mcpServers are no object")
    ours = False
    match servers.get("steno"):
        case {"command": str(command), "args": [*words]}:
            ours = _OUR_COMMAND.search(" ".join(map(str, (command, *words)))) is not None
    if db is not None:
        if "steno" in servers and not ours:
            raise BadInput(NOT_OURS)
        command, *rest = own_command()
        servers["steno"] = {"type": "stdio", "command": command, "args": [*rest, "mcp", db]}
    elif ours:
        del servers["steno"]
    return _json_text(settings, "mcpServers", text)


def change_toml_server(text: str, db: str | None) -> str:
    """Return Codex' configuration with the MCP server, as a block of its own at the end."""
    bare = _TOML_BLOCK.sub("\n", text).lstrip("\n")
    if TOML_BEGIN in bare or TOML_END in bare:
        raise BadInput(
            f"what stands between {TOML_BEGIN!r} and {TOML_END!r} is not as Steno wrote it; move "
            "your own lines out of there, or delete the two marks"
        )
    servers = tomllib.loads(bare).get("mcp_servers", {})
    if db is None:
        return bare
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
    return bare + "\n" * bool(bare) + "\n".join(lines) + "\n"


def _json_object(text: str) -> Json:
    value = json.loads(text or "{}")
    if not isinstance(value, dict):
        raise BadInput("it is not a JSON object")
    return value


def _json_text(value: Json, part: str, like: str) -> str:
    """Return JSON, indented as another text is; without a part that is empty."""
    if not value[part]:
        del value[part]
    indents = re.findall(r"^([ \t]+)\S", like, re.MULTILINE)
    return json.dumps(value, indent=[*indents, "  "][0], ensure_ascii=False) + "\n"


def agent_files(agent: str) -> dict[Path, Change]:
    """Return the settings files of an agent, and how each is changed."""
    if agent == "claude-code":
        own = os.environ.get("CLAUDE_CONFIG_DIR")
        home = Path(own or Path.home() / ".claude")
        state = Path(own or Path.home()) / ".claude.json"
        return {home / "settings.json": change_hooks, state: change_server}
    if agent == "codex":
        home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
        return {home / "hooks.json": change_hooks, home / "config.toml": change_toml_server}
    raise BadInput(f"there is no agent {agent!r}; there are {', '.join(AGENTS)}")


AGENTS = ("claude-code", "codex")


def is_set_up(agent: str) -> bool:
    """Tell whether all entries for an agent are in its settings."""
    try:
        return all(
            _content(path, text := _read(path)) != _content(path, change(text, None))
            for path, change in agent_files(agent).items()
        )
    except (BadInput, ValueError):
        return False


def _read(path: Path) -> str:
    if not path.exists():
        return ""
    return path.read_text(encoding="utf-8")


def _content(path: Path, text: str) -> Json:
    """Return what a text says, however it is indented."""
    if path.suffix == ".json":
        return _json_object(text)
    return tomllib.loads(text)


def install(
    agent: Annotated[str, argument("AGENT", f"{' or '.join(AGENTS)}.")],
    db: Annotated[str | None, option("--store", "DB", "Where sessions are stored.")] = None,
    remove: Annotated[bool, flag("--remove", "Take the hooks and tools out again.")] = False,
    dry_run: Annotated[bool, flag("--dry-run", "Show the changes, and make none.")] = False,
) -> int:
    """Put Steno's hooks and tools into a coding agent's settings, beside what is there.

    Before the agent compacts by itself, its session is stored. Afterwards it is handed
    constraints, open requests and state as additional context, and the MCP tool recall opens every
    original. At a start it is offered what earlier sessions taught. Doing it twice changes
    nothing.

    What changes is shown, and each file is copied first, with .before-steno after its name; a file
    that is not as documented is left alone. --remove takes out Steno's entries and nothing else;
    the store stays. Codex asks you to trust new hooks. Needs the extra `mcp`.

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
            before = _read(path)
            after = change(before, place)
            after.encode()
            same = _content(path, before) == _content(path, after)
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
        clean = _content(path, change(before, None)) == _content(path, before)
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
    return DONE


def _without_secrets(line: str) -> str:
    return mask_secrets(_ADDRESS.sub(lambda found: without_password(found[0]), line))


def _write(path: Path, text: str, *, copies: bool) -> list[str]:
    """Write a file, or remove one that only an installation made; say what was done."""
    copy = path.with_name(path.name + BACKUP_SUFFIX)
    if not _content(path, text) and not copy.exists():
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
