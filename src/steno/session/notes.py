"""The agent's own notes: a scratchpad beside the log, shown within a cap of its own.

A note is jotted down and stays until it is forgotten, whatever is compacted. It
is shown where the call that made it no longer is: in one message of Steno's at
the end, made anew only when that has to change.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steno.core.errors import BadInput
from steno.core.fence import Fence
from steno.core.message import Call

if TYPE_CHECKING:
    from steno.session.agent_tools import AgentTools

NOTE_KIND = "note"
NOTES_SHOWN_KIND = "notes"
NOTE_MOST = 2_000
"""Characters of one note."""
SHARE = 0.05
"""Of the usable window, for all that are shown."""
SCRATCH = "scratch"


@dataclass(frozen=True)
class AgentNote:
    id: int
    text: str
    kind: str = SCRATCH
    at: int = 0
    """How many messages there were when it was written."""

    def __str__(self) -> str:
        return f"({self.id}) {self.text}"


def write_note(session: AgentTools, text: str, kind: str = SCRATCH) -> AgentNote:
    """Write a note."""
    if not text.strip():
        raise BadInput("there is nothing to remember in an empty text")
    if len(text) > NOTE_MOST:
        raise BadInput(
            f"a note has at most {NOTE_MOST:,} characters, this one has {len(text):,}: say it shorter"
        )
    jot = session.record(NOTE_KIND, {"text": text.strip(), "kind": kind})
    return AgentNote(jot.number, text.strip(), kind, jot.at)


def strike_note(session: AgentTools, id: int) -> AgentNote:
    """Strike a note out; the log keeps what was said."""
    known = {note.id: note for note in standing_notes(session)}
    if id not in known:
        raise BadInput(f"there is no note {id}; there are {', '.join(map(str, known)) or 'none'}")
    session.record(NOTE_KIND, {"forget": id})
    return known[id]


def standing_notes(session: AgentTools, kind: str | None = None) -> list[AgentNote]:
    """The notes that stand, oldest first."""
    found: dict[int, AgentNote] = {}
    for jot, value in session.records(NOTE_KIND):
        if "forget" in value:
            found.pop(value["forget"], None)
        else:
            found[jot.number] = AgentNote(
                jot.number, value["text"], value.get("kind", SCRATCH), jot.at
            )
    return [note for note in found.values() if kind is None or note.kind == kind]


def show_notes(session: AgentTools) -> None:
    """See to it that every note of the scratchpad can be read in the view, and no forgotten one is."""
    standing = standing_notes(session, SCRATCH)
    if not standing and not session.records(NOTE_KIND):
        return
    block = _shown_block(session)
    text = _text(session, standing)
    if block is None:
        if text and not _all_visible(session, standing):
            session.say(NOTES_SHOWN_KIND, text)
    elif block[1] != text and not _states_exactly(session, block[1], standing):
        session.hide(block[0])
        if text:
            session.say(NOTES_SHOWN_KIND, text)


def _shown_block(session: AgentTools) -> tuple[int, str] | None:
    """The message that shows notes now, and what it says."""
    for item in reversed(session.view.items):
        if item.main is None or item.shows[item.main].by != "steno":
            continue
        fence = Fence.parse(item.shows[item.main].text)
        if fence is not None and fence.label.get("kind") == NOTES_SHOWN_KIND:
            return item.span.start, fence.body
    return None


def _states_exactly(session: AgentTools, body: str, standing: list[AgentNote]) -> bool:
    """What the block says stands, and what it does not say can be read elsewhere."""
    said, lines = body.splitlines(), {_line(note) for note in standing}
    stale = [line for line in said if line.startswith("(") and line not in lines]
    # What the cap leaves out is told by nobody: only what would be shown has to be.
    wanted = _text(session, standing).splitlines()
    return not stale and _all_visible(
        session, [n for n in standing if _line(n) in wanted and _line(n) not in said]
    )


def _all_visible(session: AgentTools, standing: list[AgentNote]) -> bool:
    """The calls that wrote these notes are still seen as they were said."""
    return all(_visible(session, note) for note in standing)


def _visible(session: AgentTools, note: AgentNote) -> bool:
    """The call that says it stands in the newest turn of that time; a note that a program wrote stands nowhere."""
    at = note.at - 1
    while at >= 0 and session.log.messages[at].role == "assistant":
        item = session.view.at(at)
        if not item.is_edited and any(
            _is_call_writing(call, note.text) for call in session.log.messages[at].calls
        ):
            return True
        at -= 1
    return False


def _is_call_writing(call: Call, text: str) -> bool:
    return call.name == "remember" and (
        json.dumps(text)[1:-1] in call.arguments or text in call.arguments
    )


def _line(note: AgentNote) -> str:
    return " ".join(str(note).split())


def _text(session: AgentTools, standing: list[AgentNote]) -> str:
    """The newest notes that fit, oldest first."""
    room = int(session.budget.usable * SHARE)
    lines: list[str] = []
    for note in reversed(standing):
        line = _line(note)
        room -= session.view.meter.count(line) + 1
        if room < 0:
            lines.append(
                f"[{len(standing) - len(lines)} older notes are not shown: recall with notes=true]"
            )
            break
        lines.append(line)
    if lines:
        return "\n".join(["Your own notes:", *reversed(lines)])
    return ""
