"""How a run looks while it goes on: words as they come, calls, what came of them, compactions."""

from __future__ import annotations

from steno.agent.events import (
    HistoryCompacted,
    ModelRetry,
    RunEnded,
    RunEvent,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from steno.cli.chat import gauge
from steno.cli.chat.runtime import ChatRuntime
from steno.cli.chat.slash_commands import print_commit
from steno.cli.describe import first_argument
from steno.cli.output import CONTROL_CHARACTERS, QUIET, TerminalPage
from steno.core.message import Call
from steno.core.model import Delta

RESULT_LINES = 3
CALL_CHARACTERS_MOST = 2_000
"""Characters of a call that are shown to who is asked about it."""


class RunDisplay:
    """Prints what a run tells."""

    def __init__(self, page: TerminalPage) -> None:
        self.page = page
        self._open = False
        """A line of words is not ended yet."""

    def show_event(self, seat: ChatRuntime, told: RunEvent) -> None:
        if isinstance(told, Delta):
            self._write_words(told)
            return
        self.end_line()
        match told:
            case ToolStarted(call):
                self.page.line(
                    ("→ ", "cyan"),
                    (call.name, "cyan"),
                    f" {first_argument(call.arguments)}",
                    indent=2,
                )
            case ToolFinished():
                self._show_result(told)
            case HistoryCompacted(commit):
                print_commit(self.page, seat, commit)
            case ModelRetry(reason, seconds):
                self.page.line((f"{reason}; trying again in {seconds:.1f} s", "yellow"))
            case TurnFinished():
                if told.calls:
                    self.page.line(*gauge.gauge_line(self.page, seat))
            case RunEnded(state):
                if state.outcome in ("failed", "limit"):
                    self.page.paragraph((f"{state.outcome}: {state.reason}", "yellow"))

    def end_line(self) -> None:
        """End the line of words, where one is open."""
        if self._open:
            self.page.console.file.write("\n")
            self._open = False

    def _write_words(self, delta: Delta) -> None:
        if delta.thinking or not delta.text:
            return
        words = self.page.printable(delta.text)
        self.page.console.file.write(words)
        self.page.console.file.flush()
        self._open = not words.endswith("\n")

    def _show_result(self, ran: ToolFinished) -> None:
        style = "red" if ran.result.error else QUIET
        lines = ran.result.text.splitlines()
        for line in lines[:RESULT_LINES]:
            self.page.line((line.expandtabs(4), style), indent=4)
        if len(lines) > RESULT_LINES:
            self.page.line((f"… {len(lines) - RESULT_LINES:,} more lines", style), indent=4)

    def show_call(self, call: Call) -> None:
        """A call that is asked about: all that it would do, within reason."""
        self.end_line()
        self.page.line((f"The agent wants to run {call.name}:", "bold yellow"))
        self.page.paragraph(_both_ends(call.arguments).translate(CONTROL_CHARACTERS), indent=2)


def _both_ends(text: str) -> str:
    """A long call says how long it is: what matters may stand at its end."""
    half = CALL_CHARACTERS_MOST // 2
    if len(text) <= CALL_CHARACTERS_MOST:
        return text
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} of {len(text):,} characters are not shown …]\n{text[-half:]}"
