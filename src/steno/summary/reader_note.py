"""What tells a model that it reads a shortened history, and how to get more of it."""

from __future__ import annotations

from steno.core.draft import Draft
from steno.summary.render import NOTE_OPENING
from steno.summary.story import fold_story
from steno.summary.wording import ENGLISH

SMALL_WINDOW = 2_000
"""Usable tokens below which the note is short, and where the work stands has no fence of its
own."""
TOOL_NOTE = ENGLISH["data"]
"""Stands once for all outcomes that stories and states quote."""


def is_small(draft: Draft) -> bool:
    """Tell whether a window is so small that every word around what is told counts."""
    return draft.budget.usable < SMALL_WINDOW


def reader_note(draft: Draft, *, short: bool = False) -> str:
    """Return what tells a model that it reads a shortened history, and how to get more."""
    if short or is_small(draft):
        return _short_note(draft)
    more = ENGLISH["no_tool"]
    if draft.recall_tool:
        example = f'{draft.recall_tool}(positions="24-61")'
        more = ENGLISH["tool"].format(name=draft.recall_tool, call=example)
    return f"{NOTE_OPENING}{ENGLISH['note_positions']} {TOOL_NOTE} {more}"


def _short_note(draft: Draft) -> str:
    """Return the note for little room: no more than the model needs to read on."""
    note = NOTE_OPENING + ENGLISH["note_at"]
    if draft.recall_tool:
        call = f'{draft.recall_tool}(positions="3-9")'
        note = NOTE_OPENING + ENGLISH["note_shows"].format(call=call)
    messages = draft.view.messages
    if messages.fold(fold_story).done:
        note += f" {TOOL_NOTE}"
    return note
