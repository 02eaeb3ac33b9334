"""Reading what a user types: a line or several, and answers to a question.

At a terminal prompt_toolkit edits, completes and remembers; in a pipe, or
without it, lines are read as they come. `None` means that nobody says anything
any more.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

PROMPT = "› "
CONTINUATION = "… "
Toolbar = Callable[[], Any]
"""Gives prompt_toolkit's formatted text."""


class LineReader(Protocol):
    def read_line(self) -> str | None:
        """What the user says next; None at the end. Ctrl-C raises KeyboardInterrupt."""
        ...

    def ask(self, question: str) -> str | None:
        """A short answer."""
        ...


def reader_for(orders: Mapping[str, str], history: Path | None, toolbar: Toolbar) -> LineReader:
    """The best reader that there is for where stdin comes from."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return PlainReader()
    try:
        return PromptReader(orders, history, toolbar)
    except ModuleNotFoundError:
        sys.stderr.write("steno: for history and completion: pip install 'steno[chat]'\n")
        return PlainReader()


class PlainReader:
    """Lines as they come; a backslash at the end goes on in the next."""

    def read_line(self) -> str | None:
        lines: list[str] = []
        while True:
            line = self.ask(CONTINUATION if lines else PROMPT)
            if line is None:
                if lines:
                    return "\n".join(lines)
                return None
            if not line.endswith("\\"):
                return "\n".join([*lines, line])
            lines.append(line[:-1])

    def ask(self, question: str) -> str | None:
        sys.stdout.write(question)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            sys.stdout.write(
                line if line.endswith("\n") else f"{line}\n"
            )  # what a terminal would have shown
        if line:
            return line.rstrip("\n")
        return None


class PromptReader:
    """An editor for the line: history, completion, several lines, and the gauge below."""

    def __init__(self, orders: Mapping[str, str], history: Path | None, toolbar: Toolbar) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import FileHistory, InMemoryHistory

        kept = InMemoryHistory() if history is None else FileHistory(_create_private_file(history))
        self._session: Any = PromptSession(
            history=kept,
            completer=_completer(orders),
            complete_while_typing=True,
            multiline=False,
            key_bindings=_key_bindings(),
            bottom_toolbar=toolbar,
            prompt_continuation=CONTINUATION,
            reserve_space_for_menu=4,
            style=_toolbar_style(),
        )

    def read_line(self) -> str | None:
        try:
            said: str = self._session.prompt(PROMPT)
        except EOFError:
            return None
        return said

    def ask(self, question: str) -> str | None:
        from prompt_toolkit import prompt

        try:
            said: str = prompt(question)
        except EOFError:
            return None
        return said


def _create_private_file(path: Path) -> str:
    """A file that is its owner's alone, from its first byte on."""
    os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    os.chmod(path, 0o600)
    return str(path)


def _toolbar_style() -> Any:
    from prompt_toolkit.styles import Style

    return Style.from_dict({"bottom-toolbar": "noreverse"})


def _key_bindings() -> Any:
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("escape", "enter")
    def _(event: Any) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("enter")
    def _(event: Any) -> None:
        buffer = event.current_buffer
        if buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    return keys


def _completer(orders: Mapping[str, str]) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class Orders(Completer):
        def get_completions(self, document: Any, complete_event: Any) -> Iterable[Any]:
            typed = document.text_before_cursor
            if typed.startswith("/") and " " not in typed:
                for name, about in orders.items():
                    if name.startswith(typed):
                        yield Completion(name, start_position=-len(typed), display_meta=about)

    return Orders()
