"""How a run looks while it goes on: words as they come, calls, what came of them, compactions."""

from __future__ import annotations

from steno.agent.told import Compacted, Ended, Failing, Ran, Running, Told, TurnTaken
from steno.core.message import Call
from steno.core.model import Delta
from steno.service.chat import gauge
from steno.service.chat.orders import landed
from steno.service.chat.seat import Seat
from steno.service.commands.page import CONTROL, QUIET, Page
from steno.service.commands.words import first_argument

RESULT_LINES = 3
ASKED_MOST = 2_000
"""Characters of a call that are shown to who is asked about it."""


class Show:
    """Prints what a run tells."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._open = False
        """A line of words is not ended yet."""

    def told(self, seat: Seat, told: Told) -> None:
        if isinstance(told, Delta):
            self._words(told)
            return
        self.ended()
        match told:
            case Running(call):
                self.page.line(("→ ", "cyan"), (call.name, "cyan"), f" {first_argument(call.arguments)}", indent=2)
            case Ran():
                self._ran(told)
            case Compacted(commit):
                landed(self.page, seat, commit)
            case Failing(reason, seconds):
                self.page.line((f"{reason}; trying again in {seconds:.1f} s", "yellow"))
            case TurnTaken():
                if told.calls:
                    self.page.line(*gauge.line(self.page, seat))
            case Ended(state):
                if state.outcome in ("failed", "limit"):
                    self.page.whole((f"{state.outcome}: {state.reason}", "yellow"))

    def ended(self) -> None:
        """End the line of words, where one is open."""
        if self._open:
            self.page.console.file.write("\n")
            self._open = False

    def _words(self, delta: Delta) -> None:
        if delta.thinking or not delta.text:
            return
        words = self.page.spelt(delta.text)
        self.page.console.file.write(words)
        self.page.console.file.flush()
        self._open = not words.endswith("\n")

    def _ran(self, ran: Ran) -> None:
        style = "red" if ran.result.error else QUIET
        lines = ran.result.text.splitlines()
        for line in lines[:RESULT_LINES]:
            self.page.line((line.expandtabs(4), style), indent=4)
        if len(lines) > RESULT_LINES:
            self.page.line((f"… {len(lines) - RESULT_LINES:,} more lines", style), indent=4)

    def asked(self, call: Call) -> None:
        """A call that is asked about: all that it would do, within reason."""
        self.ended()
        self.page.line((f"The agent wants to run {call.name}:", "bold yellow"))
        self.page.whole(_both_ends(call.arguments).translate(CONTROL), indent=2)


def _both_ends(text: str) -> str:
    """A long call says how long it is: what matters may stand at its end."""
    half = ASKED_MOST // 2
    if len(text) <= ASKED_MOST:
        return text
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} of {len(text):,} characters are not shown …]\n{text[-half:]}"
