"""The conversation: read a line, obey it or let the agent act on it, show what happens, and again.

Ctrl-C stops a turn, and what was said so far is kept; Ctrl-D leaves. Everything
is in the file when it happens, so there is nothing to save.
"""

from __future__ import annotations

import shlex
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from steno.agent.events import RunEvent
from steno.cli.chat import gauge
from steno.cli.chat.display import RunDisplay
from steno.cli.chat.reader import LineReader, reader_for
from steno.cli.chat.runtime import ChatOptions, ChatRuntime, open_chat, user_data_folder
from steno.cli.chat.slash_commands import (
    SLASH_COMMANDS,
    QuitChat,
    RestartChat,
    run_slash_command,
    session_summary,
)
from steno.cli.describe import first_words, role_of
from steno.cli.options import DONE
from steno.cli.output import QUIET, TerminalPage
from steno.core.errors import StenoError
from steno.core.message import Call

CONFIRM_QUESTION = "Run it? [y]es, [n]o, [a]lways: "
RERUN_QUESTION = "It may have run already. Run it again? [y/N]: "
RESUMED_MESSAGES = 2
"""Messages shown when a session is resumed."""


def chat(asked: ChatOptions) -> int:
    """Sit down and talk until the user leaves."""
    return ChatApp(asked).run()


class ChatApp:
    def __init__(self, asked: ChatOptions) -> None:
        self.asked = asked
        self.page = TerminalPage()
        self.show = RunDisplay(self.page)
        self.seat: ChatRuntime | None = None
        self.reader: LineReader = reader_for(
            {name: about for name, (_, _, about) in SLASH_COMMANDS.items()},
            self._history_file,
            self._toolbar,
        )
        self._always: set[str] = set()
        self._stopping = False

    @property
    def _history_file(self) -> Path:
        if self.asked.db:
            return self.asked.path.parent / "history"
        return user_data_folder() / "history"

    def run(self) -> int:
        first = True
        while True:
            with open_chat(self.asked, self._confirm, self._confirm_rerun) as self.seat:
                self.asked = self.asked.with_changes(session=self.seat.session.name)
                if first:
                    self._welcome(self.seat)
                    self._resume_run(self.seat)
                first = False
                changed = self._converse(self.seat)
            if changed is None:
                self._farewell()
                return DONE
            self.asked = self._restart(changed)

    def _restart(self, changed: RestartChat) -> ChatOptions:
        """As before with something changed; what cannot be is said, and all stays as it was."""
        wanted = self.asked.with_changes(**changed.changes)
        try:
            with open_chat(wanted, self._confirm, self._confirm_rerun) as seat:
                window = seat.session.budget.window
        except StenoError as refused:
            self.page.line((str(refused), "yellow"))
            return self.asked
        self.page.line(
            f"{', '.join(f'{what} is {value} now' for what, value in changed.changes.items())}; {window:,} tokens fit"
        )
        return wanted

    def _converse(self, seat: ChatRuntime) -> RestartChat | None:
        """Line by line; what has to change, or None to leave."""
        while True:
            try:
                said = self.reader.read_line()
            except KeyboardInterrupt:
                self.page.line(("Ctrl-D leaves; /help says what else there is.", QUIET))
                continue
            if said is None:
                return None
            if said.startswith("/"):
                done = self._run_command(seat, said)
                if isinstance(done, QuitChat):
                    return None
                if isinstance(done, RestartChat):
                    return done
            elif said.strip():
                self._show_run(seat, seat.loop.stream(said, seat.session))

    def _run_command(self, seat: ChatRuntime, said: str) -> QuitChat | RestartChat | None:
        try:
            return run_slash_command(self.page, seat, said)
        except KeyboardInterrupt:
            self.page.line(("stopped", "yellow"))
            return None

    def _show_run(self, seat: ChatRuntime, told: Iterator[RunEvent]) -> None:
        """Show a run as it goes on; Ctrl-C ends it and nothing else."""
        self._stopping = False
        try:
            with self._catch_interrupt(), closing(told) as run:  # type: ignore[type-var]
                for each in run:
                    self.show.show_event(seat, each)
                    if self._stopping:
                        break
        except KeyboardInterrupt:
            self._stopping = True
            self.page.line()  # the terminal has just written ^C
        except StenoError as refused:
            self.show.end_line()
            self.page.paragraph((str(refused), "yellow"))
        self.show.end_line()
        if self._stopping:
            seat.session.parts.journal.refresh()
            self.page.line(("stopped; what was said so far is kept", "yellow"))
        self.page.line(*gauge.gauge_line(self.page, seat))

    @contextmanager
    def _catch_interrupt(self) -> Iterator[None]:
        """Remember Ctrl-C beside raising it: raised at an unlucky moment, Python only writes it down."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def interrupted(*_: object) -> None:
            self._stopping = True
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGINT, interrupted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _confirm(self, call: Call) -> bool:
        if call.name in self._always:
            return True
        self.show.show_call(call)
        answer = self._ask(CONFIRM_QUESTION)
        if answer.startswith("a"):
            self._always.add(call.name)
        return answer[:1] in ("y", "a")

    def _confirm_rerun(self, call: Call) -> bool:
        self.show.show_call(call)
        return self._ask(RERUN_QUESTION).startswith("y")

    def _ask(self, question: str) -> str:
        """An answer in small letters; Ctrl-C says no, and stops the turn."""
        try:
            return (self.reader.ask(question) or "").strip().lower()
        except KeyboardInterrupt:
            self._stopping = True
            return ""

    def _toolbar(self) -> list[tuple[str, str]]:
        if self.seat is None:
            return []
        pieces = gauge.gauge_line(self.page, self.seat)
        return [
            ("", each) if isinstance(each, str) else (_prompt_style(each[1]), each[0])
            for each in pieces
        ]

    def _welcome(self, seat: ChatRuntime) -> None:
        page, session = self.page, seat.session
        page.line(("steno chat", "bold"), f" · {seat.asked.model} · session {session.name}")
        page.line((f"in {Path(seat.asked.root).resolve()}; kept in {seat.asked.path}", QUIET))
        page.line(("/help says what you can do, Ctrl-C stops a turn, Ctrl-D leaves.", QUIET))
        messages = session.log.messages
        if messages:
            page.line(f"{len(messages):,} messages so far; the last of them:")
            for message in messages[max(0, len(messages) - RESUMED_MESSAGES) :]:
                page.line((f"{role_of(message)}: ", QUIET), first_words(message), indent=2)

    def _resume_run(self, seat: ChatRuntime) -> None:
        """Go on with a run that was cut off, where that was asked for."""
        if seat.unfinished_run is None:
            return
        if not seat.asked.resume:
            self.page.line(
                ("The last run was cut off; start with --resume to go on with it.", "yellow")
            )
            return
        self.page.line(("The last run was cut off: going on with it.", "yellow"))
        self._show_run(seat, seat.loop.resume(seat.session))

    def _farewell(self) -> None:
        assert self.seat is not None
        db = f" --db {shlex.quote(self.asked.db)}" if self.asked.db else ""
        self.page.line((f"{session_summary(self.seat)}. Go on with:", QUIET))
        self.page.paragraph(
            (f"steno chat --resume --session {shlex.quote(self.asked.session or '')}{db}", "cyan"),
            indent=2,
        )


def _prompt_style(rich: str) -> str:
    """A style of rich's, as prompt_toolkit says it."""
    names = {"bright_black": "ansibrightblack", "bold red": "bold ansired"}
    return names.get(rich, f"ansi{rich}" if rich else "")
