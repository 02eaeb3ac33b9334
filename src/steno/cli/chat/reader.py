"""Read what a user types: a line or several, and answers to a question.

At a terminal prompt_toolkit gives editing, completion and history; in a pipe, or
without that package, lines are read as they come. `None` means the input ended.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steno.core.errors import install_extra

PROMPT = "› "
CONTINUATION = "… "


def reader_for(commands: Mapping[str, str], history: Path) -> PlainReader:
    """Return the best reader for this terminal or pipe."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return PlainReader()
    try:
        return PromptReader(commands, history)
    except ModuleNotFoundError:
        sys.stderr.write(f"steno: for history and completion: {install_extra('chat')}\n")
        return PlainReader()


class PlainReader:
    """Reads plain lines; a backslash at the end continues on the next line."""

    def read_line(self) -> str | None:
        """Return what the user types next; None at the end. Ctrl-C raises KeyboardInterrupt."""
        lines: list[str] = []
        while True:
            prompt = PROMPT
            if lines:
                prompt = CONTINUATION
            line = self.ask(prompt)
            if line is None:
                return "\n".join(lines) or None
            if not line.endswith("\\"):
                return "\n".join([*lines, line])
            lines.append(line[:-1])

    def ask(self, question: str) -> str | None:
        """Ask a question and return the answer; None at the end."""
        sys.stdout.write(question)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            # Echo the input, so that the output of a pipe reads like a terminal's.
            sys.stdout.write(line.removesuffix("\n") + "\n")
        if line:
            return line.rstrip("\n")
        return None


class PromptReader(PlainReader):
    """Edits lines with history and completion."""

    def __init__(self, commands: Mapping[str, str], history: Path) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import FileHistory

        self._session: Any = PromptSession(
            history=FileHistory(_create_private_file(history)),
            # As a sentence: a command is only one at the beginning of a line.
            completer=WordCompleter(list(commands), meta_dict=dict(commands), sentence=True),
            complete_while_typing=True,
            multiline=False,
            reserve_space_for_menu=4,
        )

    def ask(self, question: str) -> str | None:
        try:
            return str(self._session.prompt(question))
        except EOFError:
            return None


def _create_private_file(path: Path) -> str:
    """Create a file that only its owner can read, and return its path."""
    os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    # The mode above counts only for a new file.
    os.chmod(path, 0o600)
    return str(path)
