"""Entries that an earlier `steno install` wrote into agents' settings, before there were plugins.

Only Steno's own entries are found. A file that cannot be read as it should be is left alone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from steno.adapters.agent_plugins import plugin_host

_PLACES = {
    "claude-code": ("settings.json", ".claude.json", "../.claude.json"),
    "codex": ("hooks.json", "config.toml"),
    "pi": ("extensions/steno.js",),
}
_COMMAND = re.compile(
    r"(?:[^&|;]*(?:[/\\]|-m ))?steno(?:\.exe)?'? (?:hook|mcp) [^&|;]*", re.IGNORECASE
)
_TOML_BLOCK = re.compile(
    r"(?:(?<!\n)\n+)?^# steno: begin\n\[mcp_servers\.steno\]\n"
    r"command = .*\nargs = .*\n# steno: end\n",
    re.M,
)
_EXTENSION = 'spawn("steno", ["hook"'


def old_entries(agent: str) -> dict[Path, str]:
    """Return the files of an agent that hold such entries, with their texts without them."""
    found = {}
    for place in _PLACES.get(agent, ()):
        path = Path(os.path.normpath(plugin_host(agent).settings.parent / place))
        try:
            text = path.read_text("utf-8")
            bare = _without_ours(path, text)
        except (OSError, ValueError, RecursionError):
            continue
        if bare != text:
            found[path] = bare
    return found


def take_out(entries: dict[Path, str]) -> None:
    """Write the files without the entries; one that held nothing else goes."""
    for path, text in entries.items():
        if not text:
            path.unlink()
            continue
        # A full disk leaves the old file whole; a link stays a link.
        place = path.resolve()
        fresh = place.with_name(f"{place.name}.steno")
        try:
            fresh.write_text(text, encoding="utf-8")
            shutil.copymode(place, fresh)
            os.replace(fresh, place)
        finally:
            fresh.unlink(missing_ok=True)


def _without_ours(path: Path, text: str) -> str:
    if path.suffix == ".js":
        return "" if _EXTENSION in text else text
    if path.suffix == ".toml":
        return _TOML_BLOCK.sub("\n", text).lstrip("\n")
    settings = json.loads(text)
    bare = _bare(settings)
    if bare == settings:
        return text
    indents = re.findall(r"^([ \t]+)\S", text, re.M)
    return json.dumps(bare or {}, indent=[*indents, "  "][0], ensure_ascii=False) + "\n"


def _bare(value: Any, name: str = "") -> Any:
    """Return a value without our hooks and servers; None if it held nothing else."""
    match value:
        case {"command": str(command)}:
            words = [command, *map(str, value.get("args") or ())]
            # A server of another name is the user's own.
            if "args" in value and name != "steno":
                return value
            return None if _COMMAND.fullmatch(" ".join(words)) else value
        case dict():
            pairs = [(key, each, _bare(each, key)) for key, each in value.items()]
            kept: Any = {key: bare for key, each, bare in pairs if bare is not None or each is None}
        case list():
            kept = [bare for each in value if (bare := _bare(each)) is not None or each is None]
        case _:
            return value
    return None if value and not kept else kept
