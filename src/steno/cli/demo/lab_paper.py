"""The lab on paper: panels beside each other in a terminal, columns in a page.

Owns how columns are drawn; what is in them is in `techniques.py`. The page is one file
without a script: words of the conversation are text in it and never markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from steno.cli.demo.techniques import FOCUS, Lab, LabColumn
from steno.cli.describe import first_words, item_words, role_of, state_of
from steno.cli.output import NOTE, QUIET
from steno.core.escape import visible
from steno.core.item import Item
from steno.core.view import View

LINES = 14
"""Lines of a panel."""
COLUMN_LEAST = 30
"""Columns of a terminal below which panels stand in two rows."""
WORDS_MOST = 4_000
"""Characters of a message on the page."""
RUN_WORDS = {"said": "as said", "mended": "as said", "hidden": "not shown", "short": "shortened"}
"""How a run of items of one state is called."""
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem; max-width: 110rem }
.lab { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem }
section { border: 1px solid #8886; border-radius: .4rem; padding: .8rem; min-width: 0 }
h2 { margin: 0 } .tokens { font-size: 1.3rem } .over { color: #c22 } .note { color: #777 }
details { border-left: 3px solid #8886; margin: .2rem 0; padding-left: .5rem }
details.edited { border-color: #a3a } summary { cursor: pointer; overflow: hidden;
white-space: nowrap; text-overflow: ellipsis }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px; max-height: 30rem;
overflow-y: auto }
"""


def print_lab(console: Console, lab: Lab) -> None:
    """Print the columns beside each other, as many as there is room for, and their numbers."""
    said = lab.said.load
    head = f"One conversation of {len(lab.said.view.messages)} messages, {said:,} tokens; "
    console.print(f"{head}the window holds {lab.window:,}. Summaries: {lab.writer}.")
    columns = lab.columns
    if len(columns) == 1:
        columns = (lab.said, *columns)
    for row in _rows_of_panels(columns, console.width):
        panels = Table.grid(expand=True, padding=(0, 0))
        for _ in row:
            panels.add_column(ratio=1)
        width = max(20, console.width // len(row) - 4)
        panels.add_row(*(_panel(column, lab.window, width) for column in row))
        console.print(panels)
    for column in lab.columns:
        console.print(Text(f"{column.name:>6}  ", style="bold").append(_sentence(column, lab)))
    console.print(Text("Every original can be opened again, word for word.", style=QUIET))


def _rows_of_panels(columns: tuple[LabColumn, ...], width: int) -> list[tuple[LabColumn, ...]]:
    if len(columns) <= 2 or width >= COLUMN_LEAST * len(columns):
        return [columns]
    return [columns[:2], columns[2:]]


def _sentence(column: LabColumn, lab: Lab) -> str:
    """Return what a technique did, in numbers."""
    numbers = column.summary(lab.window)
    counts = [f"{numbers['covered']} messages covered, {numbers['in_short']} shortened"]
    if column.name != "memory":
        counts.append(f"word for word from {numbers['boundary']} on")
    if column.asked:
        counts.append(f"answers of the writer: {column.asked}")
    return " ".join(filter(None, (column.about, f"{'; '.join(counts)}.", column.note)))


def _panel(column: LabColumn, window: int, width: int) -> Panel:
    view = column.view
    lines = [_line(items, view, width) for items in _rows(list(view.items), view)]
    if column.name == "memory":
        # What the next session is told says more than that it is told something.
        told = view.messages[0].text.splitlines()[2:-1]
        lines += [Text(), *map(Text, map(visible, told[: LINES - len(lines) - 1]))]
        for line in lines:
            line.truncate(width, overflow="ellipsis")
    text = Text("\n", no_wrap=True).join(lines)
    title = f"{column.name}: {column.load:,} tokens, {column.load / window:.0%}"
    return Panel(text, title=title, title_align="left", height=LINES + 2)


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
    tokens = sum(item.tokens for item in items)
    words, style = _row_words(items, view)
    line = Text(f"{_places(items):>7} {tokens:>6,} ", style=QUIET)
    line.append(visible(words), style=style)
    line.truncate(width, overflow="ellipsis")
    return line


def _places(items: list[Item]) -> str:
    first, last = items[0], items[-1]
    if len(first.span) > 1 or len(items) > 1:
        return f"{first.span.start}-{last.span.stop - 1}"
    return str(first.span.start)


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


def render_lab(lab: Lab) -> str:
    """Return the lab as a page: one column a technique, each message opens."""
    columns = "".join(map("".join, (_column(each, lab) for each in lab.columns)))
    said = lab.said
    about = (
        f"One conversation of {len(said.view.messages)} messages and {said.load:,} tokens under "
        f"four techniques; the model's window holds {lab.window:,}. Focus of force: {FOCUS}. "
        f"Summaries were written by {lab.writer}."
    )
    rules = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Steno: micro, auto, force, memory</title><style>{STYLE}</style></head>"
        f"<body><h1>Micro, auto, force, memory</h1><p>{escape(about)}</p>"
        f'<div class="lab">{columns}</div></body></html>\n'
    )


def _column(column: LabColumn, lab: Lab) -> Iterator[str]:
    over = ""
    if column.load > lab.window:
        over = " over"
    share = f"{column.load:,} tokens, {column.load / lab.window:.0%} of the window"
    yield f'<section><h2>{escape(column.name)}</h2><p class="tokens{over}">{share}</p>'
    yield f'<p class="note">{escape(_sentence(column, lab))}</p>'
    for item in column.view.items:
        words, style = _row_words([item], column.view)
        edited = ""
        if style:
            edited = ' class="edited"'
        text = "\n".join(message.text or first_words(message) for message in item.shows)
        yield (
            f"<details{edited}><summary>{_places([item])} · {escape(visible(words))}</summary>"
            f"<pre>{escape(text[:WORDS_MOST])}</pre></details>"
        )
    yield "</section>"
