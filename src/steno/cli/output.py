"""How commands speak: lines that fit, colour where there is a terminal, JSON where it is asked for.

Nothing is redrawn and nothing wraps, so that a pipe gets what a terminal shows.
What is said is each command's business.

Where an outcome goes: to stdout, or to a file that is whole or not there at all.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

from rich.console import Console
from rich.text import Text

from steno.core.errors import BadInput

StyledText = str | tuple[str, str]
QUIET = "bright_black"
NOTE = "magenta"
WIDEST = 120
TO_ASCII = str.maketrans(
    dict(zip("╎│┃░·→▸◂×✓✗“”─■█–⋮", ":|#/.><<x+!''-##-:", strict=True)) | {"…": "..."}
)
"""For terminals and pipes that cannot say more."""
CONTROL_CHARACTERS = {
    code: "�" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
} | {0x1B: "␛"}
"""What a transcript may hold and a terminal would obey."""


class TerminalPage:
    """A place to print on: stdout, or stderr where stdout is taken."""

    def __init__(self, file: IO[str] | None = None) -> None:
        self.console = Console(file=file or sys.stdout, highlight=False, markup=False, emoji=False)
        self.ascii = not self.console.encoding.startswith("utf")
        self.plain = self.ascii or self.console.no_color or self.console.color_system is None
        self.width = min(WIDEST, self.console.width)

    def line(self, *pieces: StyledText, indent: int = 0) -> None:
        """One line, cut where the page ends."""
        text = self._styled_text(pieces, indent)
        text.truncate(self.width, overflow="crop" if self.ascii else "ellipsis")
        self._print(text)

    def paragraph(self, *pieces: StyledText, indent: int = 0) -> None:
        """A line or several, however long: for words that must not be cut."""
        if self.plain:
            said = "".join(each if isinstance(each, str) else each[0] for each in pieces)
            self.console.file.write(" " * indent + said.translate(CONTROL_CHARACTERS) + "\n")
        else:
            self._print(self._styled_text(pieces, indent))

    def heading(self, words: str) -> None:
        self.line()
        self.line((words, "bold"))

    def printable(self, words: str) -> str:
        words = words.translate(CONTROL_CHARACTERS)
        if self.ascii:
            return words.translate(TO_ASCII)
        return words

    def _styled_text(self, pieces: tuple[StyledText, ...], indent: int) -> Text:
        said = [
            self.printable(each) if isinstance(each, str) else (self.printable(each[0]), each[1])
            for each in pieces
        ]
        text = Text.assemble(" " * indent, *said)
        text.rstrip()
        return text

    def _print(self, text: Text) -> None:
        self.console.print(text, no_wrap=True, crop=False, soft_wrap=True)


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=_ascii_only()) + "\n")


def _ascii_only() -> bool:
    return not (sys.stdout.encoding or "ascii").lower().startswith("utf")


def print_note(words: str) -> None:
    """Something to know that is no failure, where it spoils no output."""
    sys.stderr.write(f"steno: {words}\n")


STDOUT = "-"


def default_output_path(path: Path) -> Path:
    """NAME.compact.EXT for NAME.EXT."""
    packed = ".gz" if path.name.endswith(".gz") else ""
    name = path.name.removesuffix(".gz")
    stem, dot, kind = name.rpartition(".")
    return path.with_name(
        f"{stem}.compact.{kind}{packed}" if stem and dot else f"{name}.compact{packed}"
    )


def check_output_path(out: Path, *, source: Path | None, overwrite: bool) -> Path:
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


def write_output(texts: Iterable[str], out: Path | None, *, like: Path | None = None) -> None:
    """Write everything or nothing; None is stdout. `like` is a file whose permissions are taken over."""
    try:
        _write_whole(texts, out, like)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno is None:  # one of ours, which says itself what is wrong
            raise
        raise BadInput(f"{out or 'stdout'} cannot be written: {error.strerror or error}") from None


def _write_whole(texts: Iterable[str], out: Path | None, like: Path | None) -> None:
    whole = out is not None and (
        out.is_file() or not out.exists()
    )  # a device or a pipe cannot be put in place
    folder = out.parent if out is not None and whole else None
    with NamedTemporaryFile("w+b", dir=folder, prefix=".steno-", delete=False) as spooled:
        try:
            packed = out is not None and out.name.endswith(".gz")
            handle = (
                gzip.GzipFile(fileobj=spooled, mode="wb", filename="", mtime=0)
                if packed
                else spooled
            )
            for text in texts:
                handle.write(text.encode("utf-8", "surrogatepass"))
            if packed:
                handle.close()
            spooled.flush()
            if out is None:
                spooled.seek(0)
                _copy_to_stdout(spooled)
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


def _copy_to_stdout(spooled: IO[bytes]) -> None:
    """To stdout to the byte, whatever its encoding is."""
    sys.stdout.flush()
    shutil.copyfileobj(spooled, sys.stdout.buffer)
    sys.stdout.buffer.flush()
