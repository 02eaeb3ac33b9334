"""Results that are shortened in the view, whole in files that the agent's own tools can read.

A file is written before the commit lands whose view names it, so that a name that the model
reads is never one of nothing. Files are the session's and stay; deleting the folder loses
nothing that the log does not hold.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from steno.core.log import Commit, Log
from steno.core.message import Result
from steno.core.repair import describe_part, encodable_text
from steno.rungs.offload import FILE_ENDING

_UNSAFE = re.compile(r"[^\w.@-]+")


def file_prefix(folder: Path | None, session: str) -> str:
    """Return how the paths of a session's files begin; empty without a folder."""
    if folder is None:
        return ""
    # A session's name may hold anything, a path's separators included.
    name = _UNSAFE.sub("-", session).lstrip(".")
    return str(folder / f"{name}-")


def write_offloaded(prefix: str, commit: Commit, log: Log) -> None:
    """Write every result whole that a commit shows in short."""
    for edit in commit.edits:
        if edit.block is None or not prefix:
            continue
        block = log.messages[edit.span.start].blocks[edit.block]
        if isinstance(block, Result):
            text = encodable_text("\n".join(map(describe_part, block.content)))
            _write(Path(f"{prefix}{edit.place}{FILE_ENDING}"), text)


def _write(path: Path, text: str) -> None:
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Whole or not at all: an agent may read it while it is written.
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)
