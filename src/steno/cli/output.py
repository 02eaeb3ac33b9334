"""Print lines, JSON and files.

Owns how a line fits the terminal, when there is colour, and that a file is
written whole or not at all. Lines never wrap and nothing is redrawn. A terminal gets
them cut at its width, a pipe gets them whole. What they say is each command's business.
"""

from __future__ import annotations

import filecmp
import gzip
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

import msgspec
from rich.console import Console
from rich.text import Text

from steno.core.errors import BadInput
from steno.core.escape import visible

StyledText = str | tuple[str, str]
"""A text, or a text with a style of rich's."""
QUIET = "bright_black"
NOTE = "magenta"
WIDEST = 120
LINE_MOST = 400
"""Columns at which a line is cut in a pipe: a message in one line may be a megabyte."""
STDOUT = "-"
EXISTS_ALREADY = "{} exists already: add --overwrite, or name another file"
TO_ASCII = str.maketrans(
    dict(zip("╎│┃░·→▶×✓✗“”─■█–⋮", ":|#/.>>x+!''-##-:", strict=True)) | {"…": "..."}
)
"""Replacements for a terminal or pipe that only knows ASCII."""
_LOGIN = re.compile(r"(?<=:/)[^\s:]{0,99}:\S{1,300}(?=@)|(?<=password=)[^\s&]+", re.I)


class PipeConsole(Console):
    """A console for pipes whose reader may leave early."""

    def on_broken_pipe(self) -> None:
        # Rich would exit with 1; `main.py` takes it for what it is.
        raise BrokenPipeError


class TerminalPage:
    """Prints styled lines to stdout, or to another stream or console."""

    def __init__(
        self,
        file: IO[str] | None = None,
        *,
        console: Console | None = None,
        widest: int | None = None,
    ) -> None:
        drawn = console is not None
        if console is None:
            console = PipeConsole(
                file=file or sys.stdout, highlight=False, markup=False, emoji=False
            )
        self.console = console
        self.ascii = not console.encoding.startswith("utf")
        self.plain = self.ascii or console.no_color or console.color_system is None
        self.width = min(widest or WIDEST, console.width)
        self.cut_at = min(widest or LINE_MOST, console.width)
        # A pipe has no width, unless one is stated: COLUMNS, or a page with its own console.
        if not drawn and not console.is_terminal and "COLUMNS" not in os.environ:
            self.cut_at = LINE_MOST

    def line(self, *pieces: StyledText, indent: int = 0) -> None:
        """Print one line; in a terminal it is cut at the width of the page."""
        whole = [(words.replace("\n", "\\n"), style) for words, style in map(_with_style, pieces)]
        text = self._styled_text(tuple(whole), indent)
        # "..." in ASCII is three columns wide, so a cut line ends without it.
        overflow = "ellipsis"
        if self.ascii:
            overflow = "crop"
        text.truncate(self.cut_at, overflow=overflow)  # type: ignore[arg-type]
        self._print(text)

    def quiet(self, words: str, indent: int = 0) -> None:
        """Print one line of a remark."""
        self.line((words, QUIET), indent=indent)

    def paragraph(self, *pieces: StyledText, indent: int = 0) -> None:
        """Print text that must not be cut, however long."""
        if not self.plain:
            self._print(self._styled_text(pieces, indent))
            return
        words = "".join(text for text, _ in map(_with_style, pieces))
        # Written past rich, which would change tabs and trailing blanks.
        self.console.file.write(" " * indent + visible(words) + "\n")

    def sentence(self, words: str, style: str = "", indent: int = 0) -> None:
        """Print a sentence, broken into lines at the width of the page."""
        for line in textwrap.wrap(words, self.width - indent):
            self.line((line, style), indent=indent)

    def table(
        self, heads: Sequence[str], rows: Iterable[Sequence[StyledText]], indent: int = 0
    ) -> None:
        """Print rows under their heads; a column whose head begins with > stands at the right."""
        table = [[(head.removeprefix(">"), QUIET) for head in heads]]
        table += [list(map(_with_style, row)) for row in rows]
        widths = [max(len(words) for words, _ in column) for column in zip(*table, strict=True)]
        for row in table:
            pieces: list[StyledText] = []
            for (words, style), width, head in zip(row, widths, heads, strict=True):
                sign = "<"
                if head.startswith(">"):
                    sign = ">"
                pieces += [(f"{words:{sign}{width}}", style), "  "]
            self.line(*pieces, indent=indent)

    def heading(self, words: str) -> None:
        self.line()
        self.line((words, "bold"))

    def printable(self, words: str) -> str:
        """Return the text as `visible` shows it, in ASCII if the page needs that."""
        words = visible(words)
        if self.ascii:
            return words.translate(TO_ASCII).encode("ascii", "replace").decode()
        return words

    def _styled_text(self, pieces: tuple[StyledText, ...], indent: int) -> Text:
        line = Text(" " * indent)
        for piece in pieces:
            words, style = _with_style(piece)
            line.append(self.printable(words), style or None)
        line.rstrip()
        return line

    def _print(self, text: Text) -> None:
        self.console.print(text, no_wrap=True, crop=False, soft_wrap=True)


def _with_style(piece: StyledText) -> tuple[str, str]:
    if isinstance(piece, str):
        return piece, ""
    return piece


def print_json(report: Any) -> None:
    """Print a command's report, a value of msgspec's or plain values, as JSON."""
    encoding = sys.stdout.encoding or "ascii"
    ascii_only = not encoding.lower().startswith("utf")
    text = json.dumps(msgspec.to_builtins(report), indent=2, ensure_ascii=ascii_only)
    # What is escaped stands within texts, where JSON reads it back.
    sys.stdout.write(visible(text) + "\n")


def print_report(report: Any, as_json: bool, draw: Callable[[TerminalPage], object]) -> None:
    """Print a command's report: as JSON, or as lines that `draw` prints."""
    if as_json:
        print_json(report)
    else:
        draw(TerminalPage())


def print_done(report: Any, as_json: bool, done: str, *notes: str) -> None:
    """Print what a command did: as JSON, or in bold with remarks below it."""

    def draw(page: TerminalPage) -> None:
        page.line((done, "bold"))
        for note in filter(None, notes):
            page.quiet(note, indent=2)

    print_report(report, as_json, draw)


def without_logins(text: str) -> str:
    """Return a text that quotes the words of a command, without the logins of addresses in it."""
    return _LOGIN.sub("…", text)


def print_note(*remarks: str) -> None:
    """Print remarks on stderr, a line each, where they do not get into the output."""
    try:
        for words in remarks:
            sys.stderr.write(f"steno: {visible(without_logins(words))}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        # A remark that is not read must not end the work under way.
        discard(sys.stderr)


def discard(stream: IO[str]) -> None:
    """Send the rest of a stream nowhere.

    Python flushes it at exit, and would report the same failure again.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def default_output_path(path: Path) -> Path:
    """Return NAME.compact.EXT for NAME.EXT."""
    packed = ".gz" * path.name.endswith(".gz")
    plain = path.with_name(path.name.removesuffix(".gz"))
    return path.with_name(f"{plain.stem}.compact{plain.suffix}{packed}")


def check_output_path(out: Path, *, source: Path | None, overwrite: bool) -> Path:
    """Return the path to write to; raise before any work is done if it cannot be used."""
    if source is not None and out.exists() and out.samefile(source):
        raise BadInput(f"{out} is the input, which is never touched: write to another file")
    if out.is_dir():
        raise BadInput(f"{out} is a directory; name a file in it")
    if out.is_file() and not overwrite:
        raise BadInput(EXISTS_ALREADY.format(out))
    if not out.parent.is_dir():
        raise BadInput(f"{out} cannot be written: its folder does not exist")
    return out


def write_output(texts: Iterable[str], out: Path | None, *, overwrite: bool = True) -> None:
    """Write everything or nothing; None is stdout. A file is for its owner alone, mode 600.

    Without `overwrite` a file that is there already may only be what would be written, as when a
    command is run again.
    """
    try:
        _write_whole(texts, out, overwrite=overwrite)
    except BrokenPipeError:
        # The reader of a pipe has gone, like `head`; main.py ends quietly.
        raise
    except OSError as error:
        # Steno's own errors have no number and already say what is wrong.
        if error.errno is None:
            raise
        raise BadInput(f"{out or 'stdout'} cannot be written: {error.strerror or error}") from None


def _write_whole(texts: Iterable[str], out: Path | None, *, overwrite: bool) -> None:
    # Only a regular file can be replaced in one step; a device or a pipe is copied to.
    replaces = out is not None and (out.is_file() or not out.exists())
    folder = None
    if out is not None and replaces:
        # Next to the target, because a rename cannot cross file systems.
        folder = out.parent
    # For stdout too: if a later conversation fails, nothing was written.
    with NamedTemporaryFile("w+b", dir=folder, prefix=".steno-", delete=False) as spooled:
        try:
            _write_texts(texts, spooled, packed=out is not None and out.name.endswith(".gz"))
            spooled.flush()
            if out is not None and replaces:
                if not overwrite and out.exists() and not filecmp.cmp(spooled.name, out, False):
                    raise BadInput(EXISTS_ALREADY.format(out))
                # Or a power loss could leave an empty file in place of the old one.
                os.fsync(spooled.fileno())
                os.replace(spooled.name, out)
                return
            spooled.seek(0)
            if out is None:
                # The bytes as they are, whatever the encoding of stdout is.
                sys.stdout.flush()
                shutil.copyfileobj(spooled, sys.stdout.buffer)
                sys.stdout.buffer.flush()
                return
            with out.open("wb") as device:
                shutil.copyfileobj(spooled, device)
        finally:
            # After a rename it is not there any more.
            Path(spooled.name).unlink(missing_ok=True)


def _write_texts(texts: Iterable[str], file: IO[bytes], *, packed: bool) -> None:
    handle = file
    if packed:
        # Without name and time, so that the same content gives the same bytes.
        handle = gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0)  # type: ignore[assignment]
    for text in texts:
        # A lone surrogate in a transcript goes out as it came in.
        handle.write(text.encode("utf-8", "surrogatepass"))
    if packed:
        # Writes the end of the gzip stream; the file below stays open.
        handle.close()
