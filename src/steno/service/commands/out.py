"""Where an outcome goes: to stdout, or to a file that is whole or not there at all."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from steno.core.error import BadInput

STDOUT = "-"


def beside(path: Path) -> Path:
    """NAME.compact.EXT for NAME.EXT."""
    packed = ".gz" if path.name.endswith(".gz") else ""
    name = path.name.removesuffix(".gz")
    stem, dot, kind = name.rpartition(".")
    return path.with_name(f"{stem}.compact.{kind}{packed}" if stem and dot else f"{name}.compact{packed}")


def checked(out: Path, *, source: Path | None, overwrite: bool) -> Path:
    """The place to write to, refused before any work is done."""
    if source is not None and out.exists() and out.samefile(source):
        raise BadInput(f"{out} is the input, which is never touched: write to another file")
    if out.is_dir():
        raise BadInput(f"{out} is a directory; name a file in it")
    if out.is_file() and not overwrite:
        raise BadInput(f"{out} is there already: say --overwrite, or another name with -o")
    if not out.parent.is_dir():
        raise BadInput(f"{out} cannot be written: its folder is not there")
    return out


def write(texts: Iterable[str], out: Path | None, *, like: Path | None = None) -> None:
    """Write everything or nothing; None is stdout. `like` is a file whose permissions are taken over."""
    try:
        _write(texts, out, like)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno is None:  # one of ours, which says itself what is wrong
            raise
        raise BadInput(f"{out or 'stdout'} cannot be written: {error.strerror or error}") from None


def _write(texts: Iterable[str], out: Path | None, like: Path | None) -> None:
    whole = out is not None and (out.is_file() or not out.exists())  # a device or a pipe cannot be put in place
    folder = out.parent if out is not None and whole else None
    with NamedTemporaryFile("w+b", dir=folder, prefix=".steno-", delete=False) as spooled:
        try:
            packed = out is not None and out.name.endswith(".gz")
            handle = gzip.GzipFile(fileobj=spooled, mode="wb", filename="", mtime=0) if packed else spooled
            for text in texts:
                handle.write(text.encode("utf-8", "surrogatepass"))
            if packed:
                handle.close()
            spooled.flush()
            if out is None:
                spooled.seek(0)
                _copied(spooled)
                return
            if not whole:
                spooled.seek(0)
                with out.open("wb") as device:
                    shutil.copyfileobj(spooled, device)
                return
            if like is not None:
                shutil.copymode(like, spooled.name)
            os.replace(spooled.name, out)
        finally:
            Path(spooled.name).unlink(missing_ok=True)


def _copied(spooled: IO[bytes]) -> None:
    """To stdout to the byte, whatever its encoding is."""
    sys.stdout.flush()
    shutil.copyfileobj(spooled, sys.stdout.buffer)
    sys.stdout.buffer.flush()
