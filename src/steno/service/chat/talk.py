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

from steno.agent.told import Told
from steno.core.error import StenoError
from steno.core.message import Call
from steno.service.chat import gauge
from steno.service.chat.asked import Asked, own_folder
from steno.service.chat.orders import ORDERS, Anew, Quit, obeyed, summary
from steno.service.chat.reader import Reader, reader_for
from steno.service.chat.seat import Seat, seated
from steno.service.chat.show import Show
from steno.service.commands.options import DONE
from steno.service.commands.page import QUIET, Page
from steno.service.commands.words import first_words, role_of

ASK = "Run it? [y]es, [n]o, [a]lways: "
AGAIN = "It may have run already. Run it again? [y/N]: "
SEEN = 2
"""Messages shown when a session is resumed."""


def chat(asked: Asked) -> int:
    """Sit down and talk until the user leaves."""
    return Chat(asked).run()


class Chat:
    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.page = Page()
        self.show = Show(self.page)
        self.seat: Seat | None = None
        self.reader: Reader = reader_for(
            {name: about for name, (_, _, about) in ORDERS.items()}, self._history, self._toolbar
        )
        self._always: set[str] = set()
        self._stopping = False

    @property
    def _history(self) -> Path:
        return self.asked.path.parent / "history" if self.asked.db else own_folder() / "history"

    def run(self) -> int:
        first = True
        while True:
            with seated(self.asked, self._confirm, self._unsure) as self.seat:
                self.asked = self.asked.but(session=self.seat.session.name)
                if first:
                    self._welcome(self.seat)
                    self._taken_up(self.seat)
                first = False
                changed = self._talk(self.seat)
            if changed is None:
                self._farewell()
                return DONE
            self.asked = self._sat_down_again(changed)

    def _sat_down_again(self, changed: Anew) -> Asked:
        """As before with something changed; what cannot be is said, and all stays as it was."""
        wanted = self.asked.but(**changed.changes)
        try:
            with seated(wanted, self._confirm, self._unsure) as seat:
                window = seat.session.budget.window
        except StenoError as refused:
            self.page.line((str(refused), "yellow"))
            return self.asked
        self.page.line(
            f"{', '.join(f'{what} is {value} now' for what, value in changed.changes.items())}; {window:,} tokens fit"
        )
        return wanted

    def _talk(self, seat: Seat) -> Anew | None:
        """Line by line; what has to change, or None to leave."""
        while True:
            try:
                said = self.reader.said()
            except KeyboardInterrupt:
                self.page.line(("Ctrl-D leaves; /help says what else there is.", QUIET))
                continue
            if said is None:
                return None
            if said.startswith("/"):
                done = self._obeyed(seat, said)
                if isinstance(done, Quit):
                    return None
                if isinstance(done, Anew):
                    return done
            elif said.strip():
                self._lived(seat, seat.loop.stream(said, seat.session))

    def _obeyed(self, seat: Seat, said: str) -> Quit | Anew | None:
        try:
            return obeyed(self.page, seat, said)
        except KeyboardInterrupt:
            self.page.line(("stopped", "yellow"))
            return None

    def _lived(self, seat: Seat, told: Iterator[Told]) -> None:
        """Show a run as it goes on; Ctrl-C ends it and nothing else."""
        self._stopping = False
        try:
            with self._noticed(), closing(told) as run:  # type: ignore[type-var]
                for each in run:
                    self.show.told(seat, each)
                    if self._stopping:
                        break
        except KeyboardInterrupt:
            self._stopping = True
            self.page.line()  # the terminal has just written ^C
        except StenoError as refused:
            self.show.ended()
            self.page.whole((str(refused), "yellow"))
        self.show.ended()
        if self._stopping:
            seat.session.refresh()
            self.page.line(("stopped; what was said so far is kept", "yellow"))
        self.page.line(*gauge.line(self.page, seat))

    @contextmanager
    def _noticed(self) -> Iterator[None]:
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
        self.show.asked(call)
        answer = self._answer(ASK)
        if answer.startswith("a"):
            self._always.add(call.name)
        return answer[:1] in ("y", "a")

    def _unsure(self, call: Call) -> bool:
        self.show.asked(call)
        return self._answer(AGAIN).startswith("y")

    def _answer(self, question: str) -> str:
        """An answer in small letters; Ctrl-C says no, and stops the turn."""
        try:
            return (self.reader.answered(question) or "").strip().lower()
        except KeyboardInterrupt:
            self._stopping = True
            return ""

    def _toolbar(self) -> list[tuple[str, str]]:
        if self.seat is None:
            return []
        pieces = gauge.line(self.page, self.seat)
        return [("", each) if isinstance(each, str) else (_style(each[1]), each[0]) for each in pieces]

    def _welcome(self, seat: Seat) -> None:
        page, session = self.page, seat.session
        page.line(("steno chat", "bold"), f" · {seat.asked.model} · session {session.name}")
        page.line((f"in {Path(seat.asked.root).resolve()}; kept in {seat.asked.path}", QUIET))
        page.line(("/help says what you can do, Ctrl-C stops a turn, Ctrl-D leaves.", QUIET))
        messages = session.log.messages
        if messages:
            page.line(f"{len(messages):,} messages so far; the last of them:")
            for message in messages[max(0, len(messages) - SEEN) :]:
                page.line((f"{role_of(message)}: ", QUIET), first_words(message), indent=2)

    def _taken_up(self, seat: Seat) -> None:
        """Go on with a run that was cut off, where that was asked for."""
        if seat.unfinished is None:
            return
        if not seat.asked.resume:
            self.page.line(("The last run was cut off; start with --resume to go on with it.", "yellow"))
            return
        self.page.line(("The last run was cut off: going on with it.", "yellow"))
        self._lived(seat, seat.loop.resume(seat.session))

    def _farewell(self) -> None:
        assert self.seat is not None
        db = f" --db {shlex.quote(self.asked.db)}" if self.asked.db else ""
        self.page.line((f"{summary(self.seat)}. Go on with:", QUIET))
        self.page.whole(
            (f"steno chat --resume --session {shlex.quote(self.asked.session or '')}{db}", "cyan"), indent=2
        )


def _style(rich: str) -> str:
    """A style of rich's, as prompt_toolkit says it."""
    names = {"bright_black": "ansibrightblack", "bold red": "bold ansired"}
    return names.get(rich, f"ansi{rich}" if rich else "")
