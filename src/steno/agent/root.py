"""One folder that tools cannot leave, through paths or links.

A path is resolved, links included, and has to lie under the root. It is then opened
folder by folder without following links, so that a link that was put there in between
is refused.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from steno.core.errors import BadInput

BINARY_PROBE = 8_192
"""Bytes that are looked at to tell whether a file is text."""


class RootFolder:
    """A folder, and what may be done in it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).resolve()
        if not self.path.is_dir():
            raise BadInput(f"the root {os.fspath(path)!r} is no folder")

    def resolve(self, path: str) -> Path:
        """Return the place that a path names; raise BadInput if it is not under the root."""
        if "\0" in path:
            raise BadInput("a path has no null characters")
        try:
            place = (self.path / path).resolve()
            place.exists()
        except (OSError, RuntimeError, ValueError):
            # A loop of links, a name that is too long, half a character.
            raise BadInput(f"{path[:200]!r} cannot be followed to a place: check it") from None
        if place != self.path and self.path not in place.parents:
            raise BadInput(f"{path!r} lies outside the root: only paths under it can be used")
        return place

    def relative_name(self, place: Path) -> str:
        """Return the path of a place relative to the root, as a model writes it."""
        return place.relative_to(self.path).as_posix()

    @contextmanager
    def open_folder(self, place: Path, *, make: bool = False) -> Iterator[int]:
        """Open a folder without following links; `make` creates what is missing."""
        held = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in place.relative_to(self.path).parts:
                if make:
                    with suppress(FileExistsError):  # another call may make it at this very moment
                        os.mkdir(part, dir_fd=held)
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=held)
                os.close(held)
                held = inner
            yield held
        finally:
            os.close(held)

    def walk(self, place: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
        """Walk the folders under a place as `os.walk` does, without following links."""
        with self.open_folder(place) as held:
            for folder, folders, files, _ in os.fwalk(".", dir_fd=held):
                yield place / folder, folders, files

    def read(self, path: str, most: int) -> bytes:
        """Return the bytes of a file: at most `most`, and one more if there are more."""
        place = self._resolve_file(path)
        with os_errors_as_bad_input(path), self.open_folder(place.parent) as held:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # do not wait for a pipe
            with open(os.open(place.name, flags, dir_fd=held), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise BadInput(f"{path!r} is no file")
                return file.read(most + 1)

    def _resolve_file(self, path: str) -> Path:
        place = self.resolve(path)
        if place == self.path or place.is_dir():
            raise BadInput(f"{path!r} is a folder")
        return place

    def write(self, path: str, data: bytes) -> None:
        """Write a file whole or not at all."""
        place = self._resolve_file(path)
        with os_errors_as_bad_input(path), self.open_folder(place.parent, make=True) as held:
            fresh = f".steno-{secrets.token_hex(8)}.new"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with open(os.open(fresh, flags, 0o666, dir_fd=held), "wb") as file:
                try:
                    file.write(data)
                    file.flush()
                    mode = _existing_mode(place.name, held)
                    if mode is not None:
                        os.fchmod(file.fileno(), mode)
                    # Or a power loss could leave an empty file in place of the old one.
                    os.fsync(file.fileno())
                    os.replace(fresh, place.name, src_dir_fd=held, dst_dir_fd=held)
                # Also on Ctrl-C: no half-written file stays in the user's folder.
                except BaseException:
                    os.unlink(fresh, dir_fd=held)
                    raise


@contextmanager
def os_errors_as_bad_input(path: str) -> Iterator[None]:
    """Turn an OSError about a path into a BadInput in words a model can act on."""
    try:
        yield
    except OSError as error:
        why = {
            errno.ENOENT: "is not there",
            errno.EISDIR: "is a folder",
            errno.ENOTDIR: "goes through something that is no folder",
            errno.EACCES: "may not be touched",
            errno.ELOOP: "goes through a link that leads elsewhere",
            errno.ENXIO: "is no file",
            errno.ENAMETOOLONG: "is too long for a name",
        }.get(error.errno or 0, f"cannot be used ({error.strerror})")
        raise BadInput(f"{path!r} {why}") from None


def decode_text(data: bytes, path: str) -> str:
    """Return the text of a file; raise BadInput if it is binary."""
    if b"\0" in data[:BINARY_PROBE]:
        raise BadInput(f"{path!r} is no text: it holds binary data")
    return data.decode("utf-8", "replace")


def _existing_mode(name: str, held: int) -> int | None:
    """Return the mode of a file that exists; a new one keeps what the umask gives."""
    try:
        return os.stat(name, dir_fd=held, follow_symlinks=False).st_mode & 0o777
    except FileNotFoundError:
        return None
