"""Every file that was touched, by name, in few words: folders once, changed files first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter

from steno.facts.artifacts import Artifact
from steno.facts.paths import is_web
from steno.facts.vocabulary import CHANGES
from steno.summary.activity import is_scratch

NO_FILE = ("$ ", "? ", "@ ")
"""Openings of keys of commands, searches and delegated tasks."""
FILES_MOST = 200
"""Files that are looked at, the last touched."""
ROOT_SHARE = 0.5
"""Share of the files that must lie under a folder for it to be said once for all."""
ROOT_PARTS = 2
"""Folders from which on a common root is worth a mention."""
_SEPARATORS = re.compile(r"[\s,;:`'\"“”]+")
_AROUND = "()[]{}<>.!?*"
_CHANGED = CHANGES | {"copied"}


def touched_lines(
    artifacts: Sequence[Artifact], named: str, stop: int, room: float, count: Callable[[str], int]
) -> list[str]:
    """Return lines that name the files touched before `stop` and not in `named`.

    Changed files come before those that were only read, the last touched first; what does not
    fit into so many tokens is left out.
    """
    files = list(islice(filter(_is_file, reversed(artifacts)), FILES_MOST))
    names = Counter(artifact.key.rpartition("/")[2] for artifact in files)
    words = {word.strip(_AROUND) for word in _SEPARATORS.split(named)}
    changed: list[str] = []
    read: list[str] = []
    for artifact in files:
        name = artifact.key.rpartition("/")[2]
        if artifact.first >= stop or not name:
            continue
        if not words.isdisjoint(_spellings(artifact.key, alone=names[name] == 1)):
            continue
        if _is_changed(artifact):
            changed.append(artifact.key)
        else:
            read.append(artifact.key)
    root = main_root([*changed, *read])
    lines: list[str] = []
    for verb, paths in (("changed", changed), ("read", read)):
        fitting = list(_fitting(paths, root, room, count))
        if fitting:
            lines.append(f"- {verb}: {group_by_folder(fitting, root)}")
            room -= count(lines[-1]) + 1
    if lines and root:
        lines.insert(0, f"(most under {root})")
    return lines


def _spellings(path: str, alone: bool) -> Iterator[str]:
    """Yield how a text may name a path: whole, or by its end with at least one folder.

    Its name without a folder is enough if it stands `alone`: no other file has that name.
    """
    yield path
    while "/" in path:
        path = path.partition("/")[2]
        if alone or "/" in path:
            yield path


def _is_changed(artifact: Artifact) -> bool:
    return not _CHANGED.isdisjoint(map(itemgetter(0), artifact.actions))


def _is_file(artifact: Artifact) -> bool:
    if artifact.key.startswith(NO_FILE) or is_web(artifact.key) or is_scratch(artifact.key):
        return False
    # A shell fills such a name in.
    if "*" in artifact.key:
        return False
    # What version control keeps for itself is no part of the work, unless it was changed.
    if "/.git/" in f"/{artifact.key}":
        return _is_changed(artifact)
    # A folder that was searched is no file; what was searched for is told elsewhere.
    searched = all(action == "searched" for action, _ in artifact.actions)
    return not searched or "." in artifact.key.rpartition("/")[2]


def _fitting(
    paths: Iterable[str], root: str, room: float, count: Callable[[str], int]
) -> Iterator[str]:
    """Yield the first paths whose names and folders fit."""
    folders: set[str] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        room -= count(f", {name}")
        # A folder is said once for all of its files.
        if folder not in folders:
            folders.add(folder)
            room -= count(f"; {_short_folder(folder, root)}:")
        if room < 0:
            return
        yield path


def group_by_folder(paths: Iterable[str], root: str) -> str:
    """Return files by name, those of one folder together: `cli: a.go, b.go; docs: c.md`."""
    groups: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        groups.setdefault(_short_folder(folder, root), []).append(name)
    told: list[str] = []
    for folder, names in groups.items():
        label = f"{folder}: " if folder else ""
        told.append(label + ", ".join(names))
    return "; ".join(told)


def _short_folder(folder: str, root: str) -> str:
    """Return a folder below the root, or the last part of another."""
    if root and f"{folder}/".startswith(root):
        return f"{folder}/"[len(root) :].rstrip("/")
    return folder.rpartition("/")[2]


def main_root(paths: Iterable[str]) -> str:
    """Return the deepest folder that most of several files lie under, with its last slash."""
    under: Counter[str] = Counter()
    files = 0
    for path in paths:
        files += 1
        parts = path.split("/")[:-1]
        under.update("/".join((*parts[:length], "")) for length in range(1, len(parts) + 1))
    # Of most, not of all: one file in a temporary folder would leave no root.
    common = [folder for folder, inside in under.items() if inside > files * ROOT_SHARE]
    root = max(common, key=len, default="")
    if files < 2 or root.count("/") <= ROOT_PARTS:
        return ""
    return root
