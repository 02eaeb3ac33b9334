"""The settings of coding agents: where they are, and what Steno's hooks and tools add to them.

Only entries that are Steno's come in or go out. Text in, text out: reading and writing the
files is the business of `steno install`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from steno.core.errors import BadInput

Json = dict[str, Any]
Change = Callable[[str, str | None], str]
"""Makes the new text of a file from the old one and the store's path; None takes ours out."""
HOOK_SECONDS = {"PreCompact": 60, "SessionStart": 30}
TOML_BEGIN, TOML_END = "# steno: begin", "# steno: end"
NOT_OURS = "it has an MCP server named steno already, which is not this command's"
PLUGIN_MARK = 'spawn("steno", ["hook"'
PLUGIN_STORE = 'join(homedir(), ".steno", "agents.db")'
_TOML_BLOCK = re.compile(
    rf"(?:(?<!\n)\n+)?^{TOML_BEGIN}\n\[mcp_servers\.steno\]\ncommand = .*\nargs = .*\n{TOML_END}\n",
    re.M,
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


def change_plugin(agent: str, text: str, db: str | None) -> str:
    """Return the file that an agent loads as a plugin of Steno's."""
    if text and PLUGIN_MARK not in text:
        raise BadInput("it is not a plugin of Steno's")
    if db is None:
        return ""
    # In a wheel they are in the package, in a clone beside its sources.
    places = [Path(__file__).parents[up] / "plugins" for up in (1, 3)]
    [folder, *_] = [place for place in places if place.is_dir()]
    code = (folder / agent / "index.js").read_text(encoding="utf-8")
    return code.replace(PLUGIN_STORE, json.dumps(db))


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
    if agent == "opencode":
        home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "opencode"
        return {home / "plugins" / "steno.js": partial(change_plugin, agent)}
    if agent == "pi":
        home = Path(os.environ.get("PI_CODING_AGENT_DIR") or Path.home() / ".pi" / "agent")
        return {home / "extensions" / "steno.js": partial(change_plugin, agent)}
    raise BadInput(f"there is no agent {agent!r}; there are {', '.join(AGENTS)}")


AGENTS = ("claude-code", "codex", "opencode", "pi")


def is_set_up(agent: str) -> bool:
    """Tell whether all entries for an agent are in its settings."""
    try:
        return all(
            settings_in(path, text := read_settings(path)) != settings_in(path, change(text, None))
            for path, change in agent_files(agent).items()
        )
    except (BadInput, ValueError):
        return False


def read_settings(path: Path) -> str:
    if not path.exists():
        return ""
    return path.read_text(encoding="utf-8")


def settings_in(path: Path, text: str) -> Json:
    """Return what a text says, however it is indented."""
    if path.suffix == ".json":
        return _json_object(text)
    if path.suffix == ".js":
        return dict.fromkeys(filter(None, [text]))
    return tomllib.loads(text)
