"""The agent's own notes, kept beside the log and shown within a cap.

Once the call that wrote a note is no longer shown, one message of Steno's own at the end shows it;
that message is replaced only when its text has to change.
"""

from __future__ import annotations

import json

from steno.core.errors import BadInput
from steno.core.escape import one_line
from steno.core.fence import NOTES_SHOWN_KIND, Fence
from steno.core.message import Call, Value
from steno.session.journal import Journal

NOTE_KIND = "note"
NOTE_MOST = 2_000
"""Characters of one note."""
SHARE = 0.05
"""Share of the usable window for all notes that are shown."""


class AgentNote(Value):
    """One note, by its number."""

    id: int
    text: str
    at: int = 0
    """Number of messages in the log when it was written."""
    by: str = ""
    """Who wrote it, if not the session's own agent."""

    def __str__(self) -> str:
        author = ""
        if self.by:
            author = f" (by {self.by})"
        return f"({self.id}){author} {one_line(self.text)}"


class Notes:
    """The notes of one session: written, struck out, shown."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.author = ""
        """Who writes, if not the session's own agent; what they write stays in this session."""

    def write(self, text: str) -> AgentNote:
        """Write a note."""
        text = text.strip()
        if not text:
            raise BadInput("there is nothing to remember in an empty text")
        if len(text) > NOTE_MOST:
            raise BadInput(
                f"a note has at most {NOTE_MOST:,} characters, this one has {len(text):,}: "
                "say it shorter"
            )
        value = {"text": text}
        if self.author:
            value["by"] = self.author
        record = self._journal.records.add(NOTE_KIND, value)
        return AgentNote(record.number, text, record.at, self.author)

    def strike(self, id: int) -> AgentNote:
        """Strike a note out and return it; the log keeps the call that wrote it."""
        known = {note.id: note for note in self.standing()}
        if id not in known:
            listed = ", ".join(map(str, known)) or "none"
            raise BadInput(f"there is no note {id}; there are {listed}")
        self._journal.records.add(NOTE_KIND, {"forget": id})
        return known[id]

    def standing(self) -> list[AgentNote]:
        """Return the notes that are not struck out, oldest first."""
        notes: dict[int, AgentNote] = {}
        for record, value in self._journal.records.of(NOTE_KIND):
            if "forget" in value:
                notes.pop(value["forget"], None)
                continue
            by = value.get("by", "")
            notes[record.number] = AgentNote(record.number, value["text"], record.at, by)
        return list(notes.values())

    def show(self) -> None:
        """Make every note readable in the view, and no struck one."""
        standing = self.standing()
        if not standing and not self._journal.records.known(NOTE_KIND):
            return
        shown = self._shown_block()
        text = self._text(standing)
        if shown is None:
            if text and not all(map(self._is_visible, standing)):
                self._journal.say(NOTES_SHOWN_KIND, text)
            return
        position, body = shown
        if body == text or self._states_exactly(body, standing):
            return
        self._journal.hide(position)
        if text:
            self._journal.say(NOTES_SHOWN_KIND, text)

    def show_if_room(self) -> None:
        """Make the notes readable, unless the request would be over the usable window."""
        journal = self._journal
        message = journal.own_message(NOTES_SHOWN_KIND, self._text(self.standing()))
        meter = journal.view.meter
        raw = journal.fixed_tokens + journal.view.raw + meter.message(message)
        if meter.load(raw) <= journal.budget.usable:
            self.show()

    def _shown_block(self) -> tuple[int, str] | None:
        """Return the position and text of the message that shows the notes now."""
        for item in reversed(self._journal.view.items):
            if item.main is None or item.shows[item.main].by != "steno":
                continue
            fence = Fence.parse(item.shows[item.main].text)
            if fence is not None and fence.label.get("kind") == NOTES_SHOWN_KIND:
                return item.span.start, fence.body
        return None

    def _states_exactly(self, body: str, standing: list[AgentNote]) -> bool:
        """Return whether the block shows no struck note and misses none that must be shown."""
        shown = body.splitlines()
        lines = {str(note) for note in standing}
        for line in shown:
            if line.startswith("(") and line not in lines:
                return False
        # Notes beyond the cap are shown nowhere; only those within it can be missing.
        wanted = self._text(standing).splitlines()
        missing = [note for note in standing if str(note) in wanted and str(note) not in shown]
        return all(map(self._is_visible, missing))

    def _is_visible(self, note: AgentNote) -> bool:
        """Return whether the call that wrote a note is shown unedited; a program's has no call."""
        messages = self._journal.log.messages
        position = note.at - 1
        while position >= 0 and messages[position].role == "assistant":
            if not self._journal.view.at(position).is_edited:
                for call in messages[position].calls:
                    if _is_call_writing(call, note.text):
                        return True
            position -= 1
        return False

    def _text(self, standing: list[AgentNote]) -> str:
        """Return the newest notes that fit, oldest first; empty if there are none."""
        more = "are not shown"
        if self._journal.recall_tool:
            more += ": recall with notes=true"
        room = int(self._journal.budget.usable * SHARE)
        lines = self.lines_within(standing, room, f"[{{}} older notes {more}]")
        if not lines:
            return ""
        return "\n".join(["Your own notes:", *lines])

    def lines_within(
        self, notes: list[AgentNote], room: int, rest: str, least: int = 0
    ) -> list[str]:
        """Return the newest notes that fit, oldest first; `rest` counts those that do not."""
        lines: list[str] = []
        # The newest fit first: what an agent noted last is what it works with.
        for line in map(str, reversed(notes)):
            room -= self._journal.view.meter.count(line) + 1
            if room < 0 and len(lines) >= least:
                lines.append(rest.format(len(notes) - len(lines)))
                break
            lines.append(line)
        return lines[::-1]


def _is_call_writing(call: Call, text: str) -> bool:
    spellings = (text, json.dumps(text)[1:-1])
    return call.name == "remember" and any(words in call.arguments for words in spellings)
