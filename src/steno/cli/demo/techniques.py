"""`steno demo micro|auto|force|memory`: one technique, before and after, side by side.

Owns how each technique is shown, and its numbers; the conversation is the demo's
story. No model is asked unless one is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from steno.cli.demo import scripted_model
from steno.cli.demo.story import opening, story
from steno.cli.describe import first_words, item_words, role_of, state_of
from steno.cli.output import NOTE, QUIET
from steno.core.errors import BadInput
from steno.core.item import Item
from steno.core.lines import visible
from steno.core.view import View
from steno.engine.policy import Policy
from steno.rungs.offload import Micro
from steno.session.session import Session
from steno.store.memory import MemoryStore

WINDOW = 16_000
LARGE_WINDOW = 1_000_000
STORY_MESSAGES = 60
"""Messages of the story that are enough to show a technique."""
LINES = 14
"""Lines of a panel."""
FOCUS = "the failing test"
LASTING = "By the way, I prefer short answers. We use PostgreSQL 15 for the importer."
NOTES = (
    "The retry loop in the importer is the suspect.",
    "The importer reads 2,000 rows at a time.",
)
NOT_ASKED = "No model was asked: all of it is computed."
RUN_WORDS = {"said": "as said", "mended": "as said", "hidden": "not shown", "short": "shortened"}
"""How a run of items of one state is called."""


@dataclass(frozen=True)
class TechniqueDemo:
    """A technique and the session before and after it."""

    name: str
    about: str
    before: View
    after: View
    loads: tuple[int, int]
    """Tokens before and after."""
    session: Session
    note: str = NOT_ASKED

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers that `--json` prints."""
        covered, shortened = 0, 0
        for item in self.after.items:
            state = state_of(item, self.after)
            if state in ("covered", "hidden"):
                covered += len(item.span)
            if state == "short":
                shortened += 1
        return {
            "technique": self.name,
            "about": self.about,
            "messages": len(self.after.messages),
            "before": self.loads[0],
            "after": self.loads[1],
            "boundary": self.after.boundary,
            "covered": covered,
            "in_short": shortened,
            "note": self.note,
        }


def run_technique(name: str, model: str = scripted_model.NAME) -> TechniqueDemo:
    """Run a technique on the story."""
    if name not in TECHNIQUES:
        raise BadInput(f"there is no technique {name!r} to show; there are {', '.join(TECHNIQUES)}")
    writer: str | None = model
    if model == scripted_model.NAME:
        writer = None
    return TECHNIQUES[name](writer)


def _micro(writer: str | None) -> TechniqueDemo:
    session = _session(LARGE_WINDOW, policy=Policy(every_round=(Micro(),)))
    plain = _session(LARGE_WINDOW)
    for message in story("openai")[:STORY_MESSAGES]:
        session.add(message)
        plain.add(message)
    about = "Micro: after every round of tools, old results shrink to a line; the newest stay."
    loads = (plain.load, session.load)
    return TechniqueDemo("micro", about, plain.view, session.view, loads, session)


def _auto(writer: str | None) -> TechniqueDemo:
    session = _session(WINDOW)
    for message in story("openai"):
        session.add(message)
        # No request follows an assistant's words, so nothing is compacted there.
        if message["role"] == "assistant":
            continue
        before, load, commits = session.view, session.load, len(session.log.commits)
        session.messages()
        if any(commit.why in ("soft", "hard") for commit in session.log.commits[commits:]):
            soft = f"{session.budget.soft:.0%}"
            about = f"Auto: at {soft} of the window Steno compacts by itself, down to its goal."
            loads = (load, session.load)
            return TechniqueDemo("auto", about, before, session.view, loads, session)
    raise BadInput("the story never reached the soft limit")  # pragma: no cover


def _force(writer: str | None) -> TechniqueDemo:
    session = _session(WINDOW * 4, writer=writer)
    session.add(*story("openai")[:STORY_MESSAGES])
    before, load = session.view, session.load
    session.compact(FOCUS)
    about = f"Force: compact now, at any fill (/compact in the chat), and keep above all: {FOCUS}."
    loads = (load, session.load)
    note = _writer_note(writer, session)
    return TechniqueDemo("force", about, before, session.view, loads, session, note)


def _memory(writer: str | None) -> TechniqueDemo:
    options = {"store": MemoryStore(), "user": "you", "memory": True, "writer": writer}
    today = _session(WINDOW * 4, name="today", **options)
    today.add(*story("openai")[:STORY_MESSAGES], {"role": "user", "content": LASTING})
    for note in NOTES:
        today.parts.tools.notes.write(note)
    today.learn()
    tomorrow = _session(WINDOW * 4, name="tomorrow", **options)
    tomorrow.add({"role": "user", "content": "Good morning. Where were we with the importer?"})
    tomorrow.messages()
    about = (
        "Memory: what holds beyond a session (lasting wishes, facts, decisions, the agent's notes) "
        "is kept for its user, and shown to the next session before its first message. On the left "
        "today's session, on the right tomorrow's."
    )
    shown = tomorrow.view.messages[0].text.partition("\n")[2].rpartition("\n")[0]
    note = f"Tomorrow's session begins with:\n{shown}\n{_writer_note(writer, today)}"
    loads = (today.load, tomorrow.load)
    return TechniqueDemo("memory", about, today.view, tomorrow.view, loads, tomorrow, note)


TECHNIQUES: dict[str, Callable[[str | None], TechniqueDemo]] = {
    "micro": _micro,
    "auto": _auto,
    "force": _force,
    "memory": _memory,
}


def _session(window: int, **options: Any) -> Session:
    return Session(wire="openai", window=window, **opening("openai"), **options)


def _writer_note(writer: str | None, session: Session) -> str:
    if writer is None:
        return NOT_ASKED
    calls = [call for commit in session.log.commits for call in commit.asked]
    answered = sum(not call.reason for call in calls)
    return f"{writer} was asked {len(calls)} times and answered {answered}; the rest is computed."


def print_technique(console: Console, technique: TechniqueDemo) -> None:
    """Print two panels beside each other, and the numbers below."""
    console.print(Text(technique.about, style="bold"))
    before, after = technique.loads
    panels = Table.grid(expand=True, padding=(0, 0))
    panels.add_column(ratio=1)
    panels.add_column(ratio=1)
    panels.add_row(
        _panel("before", technique.before, before, console),
        _panel("after", technique.after, after, console),
    )
    console.print(panels)
    numbers = technique.summary
    covered = f"{numbers['covered']} messages covered, {numbers['in_short']} shortened"
    console.print(
        f"{before:,} → {after:,} tokens ({1 - after / before:.0%} less): {covered}; "
        f"the model sees everything word for word from {numbers['boundary']} on."
    )
    console.print(
        Text(f"{technique.note} Every original can be opened again, word for word.", style=QUIET)
    )


def _panel(title: str, view: View, load: int, console: Console) -> Panel:
    rows = _rows(list(view.items), view)
    width = max(20, console.width // 2 - 4)
    text = Text("\n", no_wrap=True).join(_line(items, view, width) for items in rows)
    return Panel(text, title=f"{title}: {load:,} tokens", title_align="left", height=LINES + 2)


def _rows(items: list[Item], view: View) -> list[list[Item]]:
    """Group neighbours of one state; if there are too many rows, fold those in the middle."""
    rows: list[list[Item]] = []
    for item in items:
        state = state_of(item, view)
        if rows and state in RUN_WORDS and state == state_of(rows[-1][-1], view):
            rows[-1].append(item)
        else:
            rows.append([item])
    if len(rows) <= LINES:
        return rows
    half = LINES // 2
    rest = len(rows) - (LINES - half - 1)
    middle = [item for row in rows[half:rest] for item in row]
    return [*rows[:half], middle, *rows[rest:]]


def _line(items: list[Item], view: View, width: int) -> Text:
    first, last = items[0], items[-1]
    span = str(first.span.start)
    if len(first.span) > 1 or len(items) > 1:
        span = f"{first.span.start}-{last.span.stop - 1}"
    tokens = sum(item.tokens for item in items)
    words, style = _row_words(items, view)
    line = Text(f"{span:>7} {tokens:>6,} ", style=QUIET)
    line.append(visible(words), style=style)
    line.truncate(width, overflow="ellipsis")
    return line


def _row_words(items: list[Item], view: View) -> tuple[str, str]:
    """Return what a row shows, and its style."""
    first = items[0]
    states = {state_of(item, view) for item in items}
    style = NOTE
    if states <= {"said", "mended"}:
        style = ""
    if len(items) > 1:
        words = "some shortened"
        if len(states) == 1:
            words = RUN_WORDS[state_of(first, view)]
        return f"{len(items)} messages, {words}", style
    message = view.messages[first.span.start]
    if states == {"covered"}:
        return " ".join(first.shows[0].text.partition("\n")[2].split()), style
    if states == {"hidden"}:
        return "not shown", style
    if message.by == "steno":
        return f"steno: {first_words(message)}", style
    return f"{role_of(message)}: {item_words(first, view)}", style
