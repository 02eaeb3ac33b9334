"""What a chat prints: a run as it happens, and how full the context is."""

from __future__ import annotations

import re

from rich.cells import cell_len

from steno.agent.events import (
    HistoryCompacted,
    ModelRetry,
    RunEnded,
    RunEvent,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from steno.cli.chat.runtime import ChatRuntime
from steno.cli.output import NOTE, QUIET, TerminalPage
from steno.cli.show import print_items, print_window
from steno.cli.window_map import PRESSURE_STYLES, bar_cells
from steno.core.escape import indented
from steno.core.log import Commit
from steno.core.message import Call
from steno.core.model import Delta
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import first_argument, short_count
from steno.inspector.window_map import WindowMap

RESULT_LINES = 3
CALL_CHARACTERS_MOST = 2_000
"""Characters of a call that are shown when the user is asked to allow it."""
GAUGE_CELLS = 20
REASONS = {"asked": "as asked", "soft": "soft pressure", "hard": "hard pressure"}


def print_gauge(page: TerminalPage, runtime: ChatRuntime) -> None:
    """Print the gauge as one line of at most 80 columns."""
    session = runtime.session
    budget, load = session.budget, session.load
    window = WindowMap.of(session.view, load, budget)
    words = "all verbatim"
    if session.view.boundary:
        words = f"verbatim from {session.view.boundary}"
    page.line(
        ("context ", QUIET),
        *bar_cells(page, window, GAUGE_CELLS),
        (f" {load / budget.usable:.0%}", PRESSURE_STYLES[budget.pressure(load)]),
        (f" of {budget.usable:,} · {words}{_cost_text(runtime)}", QUIET),
    )


def _cost_text(runtime: ChatRuntime) -> str:
    usage = runtime.usage
    if not usage.sent:
        return ""
    words = f" · {short_count(usage.sent + usage.said)} spent"
    if usage.cached:
        words += f" · {usage.cached / usage.sent:.0%} cached"
    if runtime.dollars:
        words += f" · ${runtime.dollars:.2f}"
    return words


def print_context(page: TerminalPage, runtime: ChatRuntime, rest: str = "") -> None:
    """Print the page of `/context`: the window, what the model sees in it, the cost."""
    session = runtime.session
    print_window(page, session.view, session.load, session.budget)
    print_items(page, LoadedConversation.of_session(session))
    page.quiet("/recall 17-42 opens any of them")
    print_gauge(page, runtime)
    system = session.log.compaction.usage
    if system.sent:
        words = f"Of category system (summaries): {system.sent:,} sent, {system.said:,} received."
        page.quiet(words)


def print_commit(page: TerminalPage, runtime: ChatRuntime, commit: Commit) -> None:
    """Print a commit with the boundary it leaves."""
    why = REASONS.get(commit.why, commit.why)
    words = f" ({why}): {commit.before:,} → {commit.after:,} tokens"
    boundary = f"; verbatim from {runtime.session.view.boundary} on"
    page.line(("compacted", f"bold {NOTE}"), (words + boundary, NOTE))


class RunDisplay:
    def __init__(self, page: TerminalPage) -> None:
        self.page = page
        self._open = False
        """Whether a line of streamed text has not ended yet."""
        self._word, self._column = "", 0
        """A word that may go on in the next piece, and the column before it."""

    def show_event(self, runtime: ChatRuntime, event: RunEvent) -> None:
        if isinstance(event, Delta):
            self._write_text(event)
            return
        self.end_line()
        match event:
            case ToolStarted(call):
                self.page.line(
                    ("→ ", "cyan"),
                    (call.name, "cyan"),
                    f" {first_argument(call.arguments)}",
                    indent=2,
                )
            case ToolFinished():
                self._show_result(event)
            case HistoryCompacted(commit):
                print_commit(self.page, runtime, commit)
            case ModelRetry(reason, seconds):
                self.page.line((f"{reason}; trying again in {seconds:.1f} s", "yellow"))
            case TurnFinished():
                if event.calls:
                    print_gauge(self.page, runtime)
            case RunEnded(state):
                if state.outcome in ("failed", "limit"):
                    self.page.paragraph((f"{state.outcome}: {state.reason}", "yellow"))

    def end_line(self) -> None:
        """End the line of streamed text, if one is open."""
        if self._open:
            self._place(f"{self._word}\n")
            self._open, self._word = False, ""

    def _write_text(self, delta: Delta) -> None:
        # Thinking is not for the user; it is stored with the reply.
        if delta.thinking or not delta.text:
            return
        words = self.page.printable(delta.text)
        self._open = not words.endswith("\n")
        # Only what ends in white space is known to be a whole word.
        *whole, self._word = re.split(r"(?<=\s)", self._word + words)
        for word in whole:
            self._place(word)
        self.page.console.file.flush()

    def _place(self, word: str) -> None:
        """Write a word; at a terminal, in the next line if it would break at the edge."""
        width = cell_len(word.rstrip())
        edge = self.page.console.is_terminal and self._column + width > self.page.width
        if edge and self._column:
            self.page.console.file.write("\n")
            self._column = 0
        self.page.console.file.write(word)
        self._column += cell_len(word)
        if word.endswith("\n"):
            self._column = 0

    def _show_result(self, finished: ToolFinished) -> None:
        style = QUIET
        if finished.result.error:
            style = "red"
        lines = finished.result.text.splitlines()
        for line in lines[:RESULT_LINES]:
            self.page.line((line.expandtabs(4), style), indent=4)
        if len(lines) > RESULT_LINES:
            self.page.line((f"… {len(lines) - RESULT_LINES:,} more lines", style), indent=4)

    def show_call(self, call: Call) -> None:
        """Show a call that the user is asked to allow: all that it would do, within reason."""
        self.end_line()
        self.page.line((f"The agent wants to run {call.name}:", "bold yellow"))
        self.page.paragraph(indented(_both_ends(call.arguments), "  "), indent=2)


def _both_ends(text: str) -> str:
    """Return a long text without its middle: the part that matters may be at the end."""
    if len(text) <= CALL_CHARACTERS_MOST:
        return text
    half = CALL_CHARACTERS_MOST // 2
    missing = f"[… {len(text) - 2 * half:,} of {len(text):,} characters are not shown …]"
    return f"{text[:half]}\n{missing}\n{text[-half:]}"
