"""A disk that fails when told, and the states that a power loss can leave on it.

Owns the Python side of `faulty_disk.c`: compiling and loading it, steering it from a program
that runs under it, and reading its trace. A power loss keeps what was synced. Of what was not
synced since, any write may be there, missing or torn, in any order; of the names that were made,
removed or changed since the last sync of their folder, any first part may be there.
"""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.support.paths import ROOT

SOURCE = ROOT / "tests" / "support" / "faulty_disk.c"
SECTOR = 512
"""Bytes that a disk writes whole or not at all."""


@cache
def compiled(folder: Path) -> Path | None:
    """Return the library to preload; None if there is no compiler, or no LD_PRELOAD."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or os.uname().sysname != "Linux":
        return None
    library = folder / "faulty_disk.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE)]
    built = subprocess.run([*command, "-ldl", "-lpthread"], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return library


class Disk:
    """The faulty disk of this process, which was started under it."""

    def __init__(self, folder: Path, trace: Path | None = None) -> None:
        self._library = ctypes.CDLL(None)
        self._library.disk_fail.argtypes = [ctypes.c_long, ctypes.c_int]
        self._library.disk_seen.restype = ctypes.c_long
        self._library.disk_watch(os.fsencode(folder), os.fsencode(trace or ""))

    def fail(self, nth: int, error: int) -> None:
        """Fail the nth operation from now on, and all after it."""
        self._library.disk_fail(nth, error)

    def heal(self) -> int:
        """Make the disk whole; return how many operations were tried since `fail`."""
        seen: int = self._library.disk_seen()
        self.fail(0, 0)
        return seen

    def mark(self, words: str) -> None:
        """Write down in the trace what was promised by now."""
        self._library.disk_mark(words.encode())


@dataclass(frozen=True)
class Operation:
    kind: str
    path: str
    other: str
    at: int
    data: bytes


def read_trace(path: Path) -> Iterator[Operation]:
    with path.open("rb") as file:
        while head := file.readline():
            kind, name, other, at, _, size = head.decode().rstrip("\n").split("\t")
            yield Operation(kind, name, other, int(at), file.read(int(size)))


@dataclass
class Content:
    """Bytes of one file: those on the disk, and what was done since its last sync."""

    synced: bytes = b""
    pending: list[Operation] = field(default_factory=list)

    def after_loss(self, keep: float, chance: random.Random) -> bytes:
        """Return what is left if each sector of a pending write is kept with this chance."""
        data = bytearray(self.synced)
        for operation in self.pending:
            if operation.kind == "t":
                if chance.random() < keep:
                    _resize(data, operation.at)
                continue
            for start in range(0, len(operation.data), SECTOR):
                if chance.random() < keep:
                    piece = operation.data[start : start + SECTOR]
                    at = operation.at + start
                    _resize(data, max(len(data), at + len(piece)))
                    data[at : at + len(piece)] = piece
        return bytes(data)


def _resize(data: bytearray, size: int) -> None:
    del data[size:]
    data.extend(bytes(size - len(data)))


class PowerLoss:
    """Follows a trace; says at any moment what a power loss would leave."""

    def __init__(self, folder: Path, base: Path | None = None) -> None:
        self.folder = str(folder)
        self.names: dict[str, Content] = {}
        self.synced_names: dict[str, Content] = {}
        self.changes: list[Operation] = []
        """What was done to names since the folder was synced."""
        self.made: dict[int, Content] = {}
        if base is not None:
            for file in base.iterdir():
                self.names[f"{folder}/{file.name}"] = Content(file.read_bytes())
            self.synced_names = dict(self.names)

    def follow(self, operation: Operation) -> None:
        match operation.kind:
            case "c" | "u" | "r":
                if operation.kind == "c":
                    self.made[id(operation)] = Content()
                self.changes.append(operation)
                self._rename(self.names, operation)
            case "s" if operation.path == self.folder:
                self.synced_names = dict(self.names)
                self.changes.clear()
            case "s":
                content = self.names.get(operation.path)
                if content is not None:
                    content.synced = content.after_loss(1, random.Random(0))
                    content.pending.clear()
            case "w" | "t":
                content = self.names.get(operation.path)
                if content is not None:
                    content.pending.append(operation)

    def _rename(self, names: dict[str, Content], operation: Operation) -> None:
        match operation.kind:
            case "c":
                names[operation.path] = self.made[id(operation)]
            case "u":
                names.pop(operation.path, None)
            case "r":
                if operation.path in names:
                    names[operation.other] = names.pop(operation.path)

    def lose(self, into: Path, keep: float, chance: random.Random) -> None:
        """Write the files that are left; `keep` is the chance of each write to be there."""
        into.mkdir()
        names = dict(self.synced_names)
        changes = round(len(self.changes) * keep)
        if 0 < keep < 1:
            changes = chance.randint(0, len(self.changes))
        for change in self.changes[:changes]:
            self._rename(names, change)
        for path, content in names.items():
            # The index of the write-ahead log lies in shared memory; after a loss it is noise.
            left = content.after_loss(keep, chance)
            if path.endswith("-shm"):
                left = chance.randbytes(len(left))
            (into / Path(path).name).write_bytes(left)
