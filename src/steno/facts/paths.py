"""One spelling for one place, so that two mentions of a path are equal.

Nothing is looked up: links, letter case and working directories that no call states are
unknown, and two spellings that differ by them stay two.
"""

from __future__ import annotations

import re
from posixpath import normpath

PATH_MOST = 512
PROSE_ENDINGS = (".md", ".markdown", ".txt", ".rst", ".adoc")
_PLAN = re.compile(r"plan|note|design|spec|decision|proposal|rfc|adr|todo|handover|roadmap", re.I)
"""A path of a text that says what is to be done, and why."""
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_WEB = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)


def is_web(said: str) -> bool:
    """Tell whether this is an address rather than a place on disk."""
    return _WEB.match(said) is not None and not said.startswith("file://")


def is_prose(path: str) -> bool:
    """Tell whether a file holds prose, by its name."""
    return path.endswith(PROSE_ENDINGS)


def is_plan(path: str) -> bool:
    """Tell whether a file holds a plan or notes, by its path."""
    return is_prose(path) and _PLAN.search(path) is not None


def is_place(said: str) -> bool:
    """Tell whether this can be kept as a path: short, and one line."""
    return bool(said.strip()) and len(said) <= PATH_MOST and "\n" not in said and "\x00" not in said


def canonical_path(said: str, base: str = "") -> str:
    """Return a path as all mentions of it are compared; an address without its fragment."""
    if is_web(said):
        return said.partition("#")[0]
    path = said.strip().removeprefix("file://")
    # A backslash is a legal character of a POSIX name: beside slashes it stays.
    if _DRIVE.match(path) or ("\\" in path and "/" not in path):
        path = path.replace("\\", "/")
    if base and not path.startswith(("/", "~")) and not _DRIVE.match(path):
        path = f"{base}/{path}"
    path = normpath(path)
    # POSIX gives two leading slashes a meaning of their own, so `normpath` keeps them.
    if path.startswith("//"):
        return path[1:]
    return path


def may_be_one_folder(one: str, other: str) -> bool:
    """Tell whether two commands may work in one folder: not if both say where, and differ."""
    if not one or not other or one == other:
        return True
    return f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")
