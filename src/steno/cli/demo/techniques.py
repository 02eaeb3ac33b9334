"""`steno demo micro|auto|force|memory`: one technique on one conversation, before and after, side by side.

Owns which technique is shown how, and the numbers; the conversation is the
demo's story. Nothing is asked of a model unless one is named.
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
from steno.cli.output import CONTROL_CHARACTERS, NOTE, QUIET
from steno.core.errors import BadInput
from steno.core.item import Item
from steno.core.view import View
from steno.engine.policy import Policy
from steno.rungs.offload import Micro
from steno.session.session import Session
from steno.store.memory import MemoryStore

WINDOW = 16_000
STORY_MESSAGES = 60
"""Messages of the story that are enough to show a technique."""
LARGE_WINDOW = 1_000_000
LINES = 14
FOCUS = "the failing test"
LASTING = "By the way, I prefer short answers. We use PostgreSQL 15 for the importer."
NOTES = (
    "The retry loop in the importer is the suspect.",
    "The importer reads 2,000 rows at a time.",
)


@dataclass(frozen=True)
class TechniqueDemo:
    """A technique at work: what it is, and the session before and after it."""

    name: str
    about: str
    before: View
    after: View
    loads: tuple[int, int]
    session: Session
    note: str = ""

    @property
    def summary(self) -> dict[str, Any]:
        return {
            "technique": self.name,
            "about": self.about,
            "messages": len(self.after.messages),
            "before": self.loads[0],
            "after": self.loads[1],
            "boundary": self.after.boundary,
            "covered": sum(
                len(i.span)
                for i in self.after.items
                if state_of(i, self.after) in ("covered", "hidden")
            ),
            "in_short": sum(state_of(item, self.after) == "short" for item in self.after.items),
            "note": self.note,
        }


def run_technique(name: str, model: str = scripted_model.NAME) -> TechniqueDemo:
    """Let a technique work on the story."""
    if name not in TECHNIQUES:
        raise BadInput(f"there is no technique {name!r} to show; there are {', '.join(TECHNIQUES)}")
    return TECHNIQUES[name](None if model == scripted_model.NAME else model)


def _micro(writer: str | None) -> TechniqueDemo:
    policy = Policy(every_round=(Micro(),))
    session, plain = _session(LARGE_WINDOW, policy=policy), _session(LARGE_WINDOW)
    for message in story("openai")[:STORY_MESSAGES]:
        session.add(message)
        plain.add(message)
    about = "Micro: after every round of tools, old results shrink to a line; the newest stay as they are."
    return TechniqueDemo(
        "micro",
        about,
        plain.view,
        session.view,
        (plain.load, session.load),
        session,
        _writer_note(None),
    )


def _auto(writer: str | None) -> TechniqueDemo:
    session = _session(WINDOW)
    for message in story("openai"):
        session.add(message)
        if message["role"] == "assistant":
            continue
        before, load, commits = session.view, session.load, len(session.log.commits)
        session.messages()
        if any(commit.why in ("soft", "hard") for commit in session.log.commits[commits:]):
            about = f"Auto: at {session.budget.soft:.0%} of the window Steno compacts by itself, down to its goal."
            return TechniqueDemo(
                "auto",
                about,
                before,
                session.view,
                (load, session.load),
                session,
                _writer_note(None),
            )
    raise BadInput("the story never pressed")  # pragma: no cover — it is some 130,000 tokens long


def _force(writer: str | None) -> TechniqueDemo:
    session = _session(WINDOW * 4, writer=writer)
    session.add(*story("openai")[:STORY_MESSAGES])
    before, load = session.view, session.load
    session.compact(FOCUS)
    about = (
        f"Force: compact now, whatever the fill (/compact in the chat), above all keeping: {FOCUS}."
    )
    return TechniqueDemo(
        "force",
        about,
        before,
        session.view,
        (load, session.load),
        session,
        _writer_note(writer, session),
    )


def _memory(writer: str | None) -> TechniqueDemo:
    store = MemoryStore()
    whose = {"store": store, "user": "you", "memory": True, "writer": writer}
    today = _session(WINDOW * 4, name="today", **whose)
    today.add(*story("openai")[:STORY_MESSAGES], {"role": "user", "content": LASTING})
    for note in NOTES:
        today.write_note(note)
    today.learn()
    tomorrow = _session(WINDOW * 4, name="tomorrow", **whose)
    tomorrow.add({"role": "user", "content": "Good morning. Where were we with the importer?"})
    tomorrow.messages()
    about = (
        "Memory: what holds beyond a session (lasting wishes, facts, decisions, the agent's notes) is kept for its "
        "user, and told to the next one before its first words. On the left today's session, on the right tomorrow's."
    )
    told = tomorrow.view.messages[0].text.partition("\n")[2].rpartition("\n")[0]
    note = f"Tomorrow's session is told:\n{told}\n{_writer_note(writer, today)}"
    return TechniqueDemo(
        "memory", about, today.view, tomorrow.view, (today.load, tomorrow.load), tomorrow, note
    )


TECHNIQUES: dict[str, Callable[[str | None], TechniqueDemo]] = {
    "micro": _micro,
    "auto": _auto,
    "force": _force,
    "memory": _memory,
}


def _session(window: int, **options: Any) -> Session:
    return Session(wire="openai", window=window, **opening("openai"), **options)


def _writer_note(writer: str | None, session: Session | None = None) -> str:
    calls = (
        [call for commit in session.log.commits for call in commit.asked]
        if session is not None
        else []
    )
    if writer is None or session is None:
        return "No model was asked: all of it is computed."
    answered = sum(not call.reason for call in calls)
    return f"{writer} was asked {len(calls)} times and answered {answered}; the rest is computed."


def print_technique(console: Console, technique: TechniqueDemo) -> None:
    """Two panels beside each other, or one above the other where there is no room."""
    console.print(Text(technique.about, style="bold"))
    panels = [
        _panel("before", technique.before, technique.loads[0], console),
        _panel("after", technique.after, technique.loads[1], console),
    ]
    beside = Table.grid(expand=True, padding=(0, 0))
    beside.add_column(ratio=1)
    beside.add_column(ratio=1)
    beside.add_row(*panels)
    console.print(beside)
    numbers = technique.summary
    saved = 1 - technique.loads[1] / technique.loads[0]
    covered = f"{numbers['covered']} messages covered, {numbers['in_short']} in short"
    console.print(
        f"{numbers['before']:,} → {numbers['after']:,} tokens ({saved:.0%} less): {covered}; "
        f"the model sees everything word for word from {numbers['boundary']} on."
    )
    console.print(
        Text(f"{technique.note} Everything can be opened again, word for word.", style=QUIET)
    )


def _panel(title: str, view: View, load: int, console: Console) -> Panel:
    rows = _rows(list(view.items), view)
    width = max(20, console.width // 2 - 4)
    text = Text("\n", no_wrap=True).join(_line(items, view, width) for items in rows)
    return Panel(text, title=f"{title}: {load:,} tokens", title_align="left", height=LINES + 2)


def _rows(items: list[Item], view: View) -> list[list[Item]]:
    """Neighbours of one state together, and of those as many as there is room for, both ends first."""
    rows: list[list[Item]] = []
    for item in items:
        state = state_of(item, view)
        if (
            rows
            and state == state_of(rows[-1][-1], view)
            and state in ("said", "hidden", "short", "mended")
        ):
            rows[-1].append(item)
        else:
            rows.append([item])
    if len(rows) <= LINES:
        return rows
    half = LINES // 2
    middle = [item for row in rows[half : len(rows) - (LINES - half - 1)] for item in row]
    return [*rows[:half], middle, *rows[len(rows) - (LINES - half - 1) :]]


def _line(items: list[Item], view: View, width: int) -> Text:
    first, last = items[0], items[-1]
    span = (
        f"{first.span.start}-{last.span.stop - 1}"
        if len(first.span) > 1 or len(items) > 1
        else str(first.span.start)
    )
    tokens = sum(item.tokens for item in items)
    states = {state_of(item, view) for item in items}
    if len(items) > 1:
        said = {
            frozenset({"said"}): "as said",
            frozenset({"hidden"}): "not shown",
            frozenset({"short"}): "in short",
        }
        words = f"{len(items)} messages, {said.get(frozenset(states), 'some in short')}"
    elif states == {"covered"}:
        words = " ".join(first.shows[0].text.partition("\n")[2].split())
    elif states == {"hidden"}:
        words = "not shown"
    elif view.messages[first.span.start].by == "steno":
        words = f"steno: {first_words(view.messages[first.span.start])}"
    else:
        words = f"{role_of(view.messages[first.span.start])}: {item_words(first, view)}"
    line = Text(f"{span:>7} {tokens:>6,} ", style=QUIET)
    line.append(
        words.translate(CONTROL_CHARACTERS), style="" if states <= {"said", "mended"} else NOTE
    )
    line.truncate(width, overflow="ellipsis")
    return line
