"""`steno demo lab`: the story's beginning under micro, auto, force and memory, side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Any

from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from steno.cli.demo import scripted_model
from steno.cli.demo.story import check_window, opening, story
from steno.cli.output import NOTE, QUIET, TerminalPage
from steno.cli.show import item_rows, row_span
from steno.core.effects import Ask
from steno.core.errors import BadInput
from steno.core.escape import visible
from steno.core.item import Item
from steno.core.view import View
from steno.engine.designs import POLICIES
from steno.engine.policy import Policy
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import Json, item_words, state_of
from steno.models import resolve_model
from steno.models.script import Script
from steno.session.session import Session
from steno.session.user_memory import MEMORIZED_KIND
from steno.session.writer import AnyWriter
from steno.store.in_process import MemoryStore

WINDOW = 16_000
LARGE_WINDOW = 1_000_000
STORY_MESSAGES = 105
"""Messages of the story that are enough to show every technique."""
FOCUS = "the other markets"
LASTING = "By the way, I prefer short answers. We use PostgreSQL 15 for the importer."
NEXT_DAY = "Good morning. Where were we with the importer?"
COLUMN_LEAST = 30
"""Columns of a terminal below which panels stand in two rows."""
LAB = POLICIES["lab"]
ALL = "lab"

WRITTEN = {
    "PROGRESS": ("Austria, Belgium, Germany, Denmark and Spain are done: 5 of 14. [103]",),
    "DECISIONS": (
        "`base.py` gets one `round_once`, and the markets use it. [33]",
        "The change to discounts.py was taken back: there are no discounts on this invoice. [20]",
    ),
    "FACTS": (
        "The penny is the tax, rounded on each line and then summed. [20]",
        "The nightly log has one error among its noise, at 02:51:07: per-line rounding. [27]",
    ),
    "UNDONE": ("Old invoices are still stored with the wrong total. [37]",),
    "NEXT": ("The other markets one by one, tests after each. [42]",),
}
"""What the script writes of the story. As of any writer, only what its sources say is kept."""
REMEMBERED = (
    {"kind": "preference", "text": "", "quote": "Answer in British English.", "cites": [0]},
    {"kind": "preference", "text": "", "quote": "I prefer short answers.", "cites": [105]},
    {
        "kind": "fact",
        "text": "The tax was rounded on each line and then summed.",
        "quote": "",
        "cites": [20],
    },
)
"""What the script finds worth remembering; what patterns find comes on top."""


@dataclass(frozen=True)
class LabColumn:
    """The conversation under one technique."""

    name: str
    about: str
    session: Session
    note: str = ""
    """What happened, where the numbers do not say it."""
    asked: int = 0
    """Answers of the writer."""

    @property
    def commits(self) -> int:
        """Commits under pressure or asked for."""
        return sum(commit.why != "arrival" for commit in self.session.log.commits)

    def summary(self, window: int) -> Json:
        """Return the numbers that `--json` prints."""
        view, load = self.session.view, self.session.load
        states = {item.span: state_of(item, view) for item in view.items}
        covered = [span for span, state in states.items() if state in ("covered", "hidden")]
        return {
            "technique": self.name,
            "about": self.about,
            "messages": len(view.messages),
            "tokens": load,
            "fits": load <= window,
            "covered": sum(map(len, covered)),
            "in_short": list(states.values()).count("short"),
            "boundary": view.boundary,
            "commits": self.commits,
            "asked": self.asked,
            "note": self.note,
        }


@dataclass(frozen=True)
class Lab:
    """One conversation, as it was said and under each technique."""

    window: int
    writer: str
    said: LabColumn
    columns: tuple[LabColumn, ...]

    @property
    def summary(self) -> Json:
        return {
            "window": self.window,
            "writer": self.writer,
            "messages": len(self.said.session.log.messages),
            "tokens": self.said.session.load,
            "columns": [column.summary(self.window) for column in self.columns],
        }


def run_lab(name: str = ALL, model: str = scripted_model.NAME, window: int = WINDOW) -> Lab:
    """Run all techniques, or the one with this name, on the same conversation."""
    if name not in (ALL, *TECHNIQUES):
        listed = ", ".join((*TECHNIQUES, ALL))
        raise BadInput(f"there is no technique {name!r} to show; there are {listed}")
    check_window(window)
    names = [each for each in TECHNIQUES if name in (each, ALL)]
    with ExitStack() as stack:
        writer: AnyWriter = scripted_writer()
        if model != scripted_model.NAME:
            writer = stack.enter_context(closing(resolve_model(model)))
        columns = [TECHNIQUES[each](writer, window) for each in names]
    said = _session(LARGE_WINDOW, LAB.but(every_round=()))
    said.add(*conversation())
    return Lab(window, model, LabColumn("said", "As it was said.", said), tuple(columns))


def conversation() -> list[Json]:
    """Return what all techniques are shown on."""
    return [*story()[:STORY_MESSAGES], {"role": "user", "content": LASTING}]


def scripted_writer() -> Script:
    """Return a writer that needs no key: it says of the story what was prepared."""
    return Script(_write, name=scripted_model.NAME, window=LARGE_WINDOW)


def _write(ask: Ask) -> str:
    if ask.purpose == "memory":
        return json.dumps({"memories": REMEMBERED})
    parts = []
    for heading, lines in WRITTEN.items():
        parts += [heading, *(f"- {line}" for line in lines)]
    return "\n".join(parts)


def _micro(writer: AnyWriter, window: int) -> LabColumn:
    # Without pressure: in a window that holds everything, only the rungs of every round act.
    session = _session(LARGE_WINDOW)
    _tell(session)
    about = "After every round of tools, old results shrink; the newest stay."
    return LabColumn("micro", about, session, note="No model is asked.")


def _auto(writer: AnyWriter, window: int) -> LabColumn:
    session = _session(window, writer=writer)
    _tell(session)
    about = f"Over {LAB.soft:.0%} of the window the middle is summarized; the newest 6 stay."
    column = LabColumn("auto", about, session, asked=_answers(session))
    if column.commits:
        return column
    note = f"{session.load:,} tokens after micro: never over {LAB.soft:.0%} of this window."
    return replace(column, note=note)


def _force(writer: AnyWriter, window: int) -> LabColumn:
    options: Json = {"store": MemoryStore(), "name": "force", "writer": writer}
    # Told in a window that holds everything, so that nothing but the command covers anything.
    _tell(_session(LARGE_WINDOW, **options))
    session = _session(window, **options)
    session.compact(FOCUS)
    about = f"/compact {FOCUS}: the middle is summarized now, whatever the fill."
    return LabColumn("force", about, session, asked=_answers(session))


def _memory(writer: AnyWriter, window: int) -> LabColumn:
    options: Json = {"store": MemoryStore(), "user": "you", "memory": True, "writer": writer}
    today = _session(LARGE_WINDOW, name="today", **options)
    _tell(today)
    learned = today.learn()
    tomorrow = _session(window, name="tomorrow", **options)
    tomorrow.add({"role": "user", "content": NEXT_DAY})
    tomorrow.messages()
    about = "What holds beyond the session is kept for its user, and offered to the next one."
    note = f"{len(learned)} memories; this is tomorrow's session."
    asked = sum(1 for _ in today.host.records.of(MEMORIZED_KIND))
    return LabColumn("memory", about, tomorrow, note=note, asked=asked)


TECHNIQUES: dict[str, Callable[[AnyWriter, int], LabColumn]] = {
    "micro": _micro,
    "auto": _auto,
    "force": _force,
    "memory": _memory,
}


def _session(window: int, policy: Policy | None = None, **options: Any) -> Session:
    policy = policy or LAB
    return Session(wire="anthropic", window=window, policy=policy, **opening(), **options)


def _tell(session: Session) -> None:
    for message in conversation():
        session.add(message)
        # No request follows an assistant's words, so nothing is compacted there.
        if message["role"] != "assistant":
            # A script answers at once, so waiting for its draft shows the same each time.
            session.host.settle_with_writer()
            session.messages()


def _answers(session: Session) -> int:
    calls = [call for commit in session.log.commits for call in commit.asked]
    return sum(not call.reason for call in calls)


def print_lab(lab: Lab, page: TerminalPage) -> None:
    """Print the columns beside each other, as many as there is room for, and their numbers."""
    console = page.console
    numbers = lab.summary
    head = f"One conversation of {numbers['messages']} messages, {numbers['tokens']:,} tokens; "
    console.print(f"{head}the window holds {lab.window:,}. Summaries: {lab.writer}.")
    columns = lab.columns
    if len(columns) == 1:
        columns = (lab.said, *columns)
    across = len(columns)
    if console.width < COLUMN_LEAST * across:
        across = 2
    for start in range(0, len(columns), across):
        row = columns[start : start + across]
        panels = Table.grid(expand=True)
        for _ in row:
            panels.add_column(ratio=1)
        width = max(20, console.width // len(row) - 4)
        panels.add_row(*(_panel(column, lab.window, width) for column in row))
        console.print(panels)
    for column in lab.columns:
        console.print(Text(f"{column.name:>6}  ", style="bold").append(_sentence(column, lab)))
    console.print(Text("Every original can be opened again, word for word.", style=QUIET))


def _panel(column: LabColumn, window: int, width: int) -> Panel:
    view, load = column.session.view, column.session.load
    rows = item_rows(LoadedConversation.of_session(column.session), every=False)
    lines = [_line(row, view) for row in rows]
    if column.name == "memory":
        # What the next session is offered says more than that it is offered something.
        offered = view.messages[0].text.splitlines()[2:-1]
        lines += [Text(), *map(Text, map(visible, offered))]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    title = f"{column.name}: {load:,} tokens, {load / window:.0%}"
    return Panel(Text("\n", no_wrap=True).join(lines), title=title, title_align="left")


def _line(row: list[Item], view: View) -> Text:
    tokens = sum(item.tokens for item in row)
    line = Text(f"{row_span(row):>7} {tokens:>6,} ", style=QUIET)
    if len(row) > 1:
        return line.append(f"{len(row)} items", style=QUIET)
    item = row[0]
    style = "none"
    if state_of(item, view) in ("covered", "hidden", "short"):
        style = NOTE
    return line.append(visible(item_words(item, view)), style=style)


def _sentence(column: LabColumn, lab: Lab) -> str:
    """Return what a technique did, in numbers."""
    numbers = column.summary(lab.window)
    counts = [f"{numbers['covered']} messages covered, {numbers['in_short']} shortened"]
    if column.name != "memory":
        counts.append(f"word for word from {numbers['boundary']} on")
    if column.asked:
        counts.append(f"answers of the writer: {column.asked}")
    return " ".join(filter(None, (column.about, f"{'; '.join(counts)}.", column.note)))
