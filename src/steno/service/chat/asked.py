"""What a chat is asked for on the command line, and where its things are kept."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steno.core.error import StoreFailed


@dataclass(frozen=True)
class Asked:
    model: str = "script:demo"
    db: str | None = None
    session: str | None = None
    resume: bool = False
    loop: str = "react"
    root: str = "."
    shell: bool = False
    fetch: bool = False
    trust: bool = False
    agent_controlled: bool = False
    policy: str | None = None
    window: int | None = None
    writer: str | None = None
    mcp: tuple[str, ...] = ()
    user: str | None = None
    """Whose chat it is; with a name, what holds beyond it is remembered and told to the next one."""

    def but(self, **changes: Any) -> Asked:
        return replace(self, **changes)

    @property
    def path(self) -> Path:
        return Path(self.db) if self.db else own_folder() / "chat.db"


def own_folder() -> Path:
    """Where a user's programs keep their data, made for the user alone."""
    if os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    folder = base / "steno"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreFailed(f"{folder} cannot be made ({error.strerror}): say --db with a file of your own") from None
    return folder
