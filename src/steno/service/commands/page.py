"""How commands speak: lines that fit, colour where there is a terminal, JSON where it is asked for.

Nothing is redrawn and nothing wraps, so that a pipe gets what a terminal shows.
What is said is each command's business.
"""

from __future__ import annotations

import json
import sys
from typing import IO, Any

from rich.console import Console
from rich.text import Text

Piece = str | tuple[str, str]
QUIET = "bright_black"
NOTE = "magenta"
WIDEST = 120
ASCII = str.maketrans(dict(zip("╎│┃░·→▸◂×✓✗“”─■█–⋮", ":|#/.><<x+!''-##-:", strict=True)) | {"…": "..."})
"""For terminals and pipes that cannot say more."""
CONTROL = {code: "�" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"} | {0x1B: "␛"}
"""What a transcript may hold and a terminal would obey."""


class Page:
    """A place to print on: stdout, or stderr where stdout is taken."""

    def __init__(self, file: IO[str] | None = None) -> None:
        self.console = Console(file=file or sys.stdout, highlight=False, markup=False, emoji=False)
        self.ascii = not self.console.encoding.startswith("utf")
        self.plain = self.ascii or self.console.no_color or self.console.color_system is None
        self.width = min(WIDEST, self.console.width)

    def line(self, *pieces: Piece, indent: int = 0) -> None:
        """One line, cut where the page ends."""
        text = self._text(pieces, indent)
        text.truncate(self.width, overflow="crop" if self.ascii else "ellipsis")
        self._print(text)

    def whole(self, *pieces: Piece, indent: int = 0) -> None:
        """A line or several, however long: for words that must not be cut."""
        if self.plain:
            said = "".join(each if isinstance(each, str) else each[0] for each in pieces)
            self.console.file.write(" " * indent + said.translate(CONTROL) + "\n")
        else:
            self._print(self._text(pieces, indent))

    def heading(self, words: str) -> None:
        self.line()
        self.line((words, "bold"))

    def spelt(self, words: str) -> str:
        words = words.translate(CONTROL)
        return words.translate(ASCII) if self.ascii else words

    def _text(self, pieces: tuple[Piece, ...], indent: int) -> Text:
        said = [self.spelt(each) if isinstance(each, str) else (self.spelt(each[0]), each[1]) for each in pieces]
        text = Text.assemble(" " * indent, *said)
        text.rstrip()
        return text

    def _print(self, text: Text) -> None:
        self.console.print(text, no_wrap=True, crop=False, soft_wrap=True)


def say_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=_ascii_only()) + "\n")


def _ascii_only() -> bool:
    return not (sys.stdout.encoding or "ascii").lower().startswith("utf")


def note(words: str) -> None:
    """Something to know that is no failure, where it spoils no output."""
    sys.stderr.write(f"steno: {words}\n")
