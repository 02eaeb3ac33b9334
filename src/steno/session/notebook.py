"""A session in a notebook, as static HTML: its window and newest commits, all words escaped."""

from __future__ import annotations

from html import escape

from steno.core.log import Commit
from steno.core.message import Message
from steno.session.journal import Journal

COLOURS = {
    "prompt, tools": "#3f74d6",
    "Steno's shorthand": "#b944b0",
    "user": "#3c9a4c",
    "agent": "#35a7b8",
    "tool results": "#dcae2a",
}
COMMITS_MOST = 5


def session_html(journal: Journal, words: str) -> str:
    """Return a bar of the window by kind, a line of figures, and the newest commits."""
    meter, window = journal.view.meter, max(journal.budget.window, journal.load)
    tokens = dict.fromkeys(COLOURS, 0)
    for item in journal.view.items:
        for message in item.shows:
            tokens[_kind(message)] += meter.load(meter.message(message))
    tokens["prompt, tools"] += max(0, journal.load - sum(tokens.values()))
    bars, legend = "", ""
    for kind, count in tokens.items():
        share = 100 * count / window
        bars += f'<span style="width:{share:.2f}%;background:{COLOURS[kind]}"></span>'
        legend += f'<span style="color:{COLOURS[kind]}">■</span> {kind} {count:,} &nbsp; '
    bar = "display:flex;height:14px;max-width:640px;background:#8882;border-radius:3px"
    rows = "".join(map(_commit_row, journal.log.commits[-COMMITS_MOST:]))
    return (
        f'<div><code>{escape(words)}</code><div style="{bar};overflow:hidden">{bars}</div>'
        f"<small>{legend}</small><table>{rows}</table></div>"
    )


def _kind(message: Message) -> str:
    if message.by == "steno":
        return "Steno's shorthand"
    if message.only_results or message.role == "tool":
        return "tool results"
    return {"assistant": "agent", "system": "prompt, tools"}.get(message.role, "user")


def _commit_row(commit: Commit) -> str:
    by = ", ".join(dict.fromkeys(edit.by for edit in commit.edits))
    cells = (f"commit {commit.number}", commit.why, f"{commit.before:,} → {commit.after:,}", by)
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
