"""Steno as a plugin of a coding agent: the plugin's files, and the agent's commands that load it.

Only the agent changes its own settings. Writing the files and running the commands is the business
of `steno install`.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steno.core.errors import BadInput

AGENTS = ("claude-code", "codex", "opencode", "pi")
LOCAL_USER = "local"
"""Whose sessions those of this machine's agents are."""
MARKETPLACE = "stenolog"
PLUGIN = f"steno@{MARKETPLACE}"
RUNS = 'steno {} \\"${{STENO_DB:-$HOME/.steno/agents.db}}\\"'
"""How the plugins start Steno, inside a string of JSON or JavaScript."""


@dataclass(frozen=True)
class PluginHost:
    """An agent that loads plugins."""

    program: str
    settings: Path
    """Where the agent writes down which plugins it loads."""
    mark: str
    """What stands there if Steno's is one of them."""
    files: dict[Path, Path]
    """Where each file of the plugin goes, and the one that it is made from."""
    add: Sequence[str] = ()
    remove: Sequence[str] = ()
    """Its own commands, without the program's name; none if it loads a folder."""


def plugin_host(agent: str) -> PluginHost:
    """Return how an agent is given its plugin."""
    folder = Path.home() / ".steno" / "plugins" / agent
    quoted = shlex.quote(str(folder))
    if agent == "claude-code":
        return PluginHost(
            "claude",
            settings=_home("CLAUDE_CONFIG_DIR", ".claude") / "settings.json",
            mark=f'"{PLUGIN}": true',
            files=_files(folder, ".claude-plugin", "claude-code"),
            add=(f"plugin marketplace add {quoted}", f"plugin install {PLUGIN}"),
            remove=(f"plugin uninstall {PLUGIN}", f"plugin marketplace remove {MARKETPLACE}"),
        )
    if agent == "codex":
        return PluginHost(
            "codex",
            settings=_home("CODEX_HOME", ".codex") / "config.toml",
            mark=f'[plugins."{PLUGIN}"]',
            files=_files(folder, ".claude-plugin", "claude-code"),
            add=(f"plugin marketplace add {quoted}", f"plugin add {PLUGIN}"),
            remove=(f"plugin remove {PLUGIN}", f"plugin marketplace remove {MARKETPLACE}"),
        )
    if agent == "pi":
        return PluginHost(
            "pi",
            settings=_home("PI_CODING_AGENT_DIR", ".pi/agent") / "settings.json",
            mark=".steno/plugins/pi/pi",
            files=_files(folder, "pi"),
            add=(f"install {quoted}/pi",),
            remove=(f"remove {quoted}/pi",),
        )
    if agent == "opencode":
        # It has a command that adds a plugin, and none that takes one out.
        place = _home("XDG_CONFIG_HOME", ".config") / "opencode" / "plugins" / "steno.js"
        return PluginHost(
            "opencode",
            settings=place,
            mark="StenoPlugin",
            files={place: _sources() / "opencode" / "index.js"},
        )
    raise BadInput(f"there is no agent {agent!r}; there are {', '.join(AGENTS)}")


def _home(variable: str, otherwise: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / otherwise)


def _sources() -> Path:
    # In a wheel they are in the package, in a clone beside its sources.
    places = [Path(__file__).parents[up] / "plugins" for up in (1, 3)]
    [folder, *_] = [place for place in places if place.is_dir()]
    return folder


def _files(folder: Path, *parts: str) -> dict[Path, Path]:
    """Return the files of some folders of `plugins`, by their places below another folder."""
    sources = _sources()
    found = [path for part in parts for path in sorted((sources / part).rglob("*"))]
    return {folder / path.relative_to(sources): path for path in found if path.is_file()}


def plugin_text(source: Path, db: str) -> str:
    """Return a file of a plugin that starts this very Steno, with this store."""
    text = source.read_text(encoding="utf-8")
    for verb in ("hook", "mcp"):
        command = shlex.join([*own_command(), verb, db])
        text = text.replace(RUNS.format(verb), json.dumps(command)[1:-1])
    return text


def own_command() -> list[str]:
    """Return the words that start this very Steno: an agent's shell may have another PATH."""
    place = None
    if Path(sys.argv[0]).stem == "steno":
        place = shutil.which(sys.argv[0])
    if place is None:
        return [sys.executable, "-m", "steno"]
    return [str(Path(place).absolute())]


def is_set_up(agent: str) -> bool:
    """Tell whether an agent's settings name Steno's plugin."""
    host = plugin_host(agent)
    return host.settings.is_file() and host.mark in host.settings.read_text("utf-8", "replace")
