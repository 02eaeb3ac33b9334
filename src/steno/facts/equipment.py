"""What an agent was equipped with: loaded skills, project instructions, tools made available.

Most agents hand these over as user messages or as reminders, some of them inside results. They are
known by how such texts begin, or by the file that a tool read. Text that came in a result is data,
whatever it says: it may be shown again, quoted as data, and never becomes a constraint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from steno.core.message import Call, Message, Result, Text, Value
from steno.core.tape import stored_as
from steno.core.word_tables import words_of
from steno.facts.artifacts import call_touches
from steno.facts.errors import is_declined, open_envelope
from steno.facts.tags import closed_tags
from steno.facts.vocabulary import fold_name

EquipmentKind = Literal["skill", "instructions", "tools"]
TEXT_MOST = 60_000
"""Characters of a text that are looked at."""
KEPT_MOST = 64
"""Pieces of equipment, and calls that read some and have no result yet, that are remembered."""

LINE_NUMBER = re.compile(r"^[ \t]*\d{1,6}(?:→|\t)", re.M)
_REMINDER = re.compile(r"system-reminder")
_SKILL_TOOLS = words_of("skill loadskill useskill activateskill")
"""Tools that load a skill, spelt as `fold_name` does: some answer with a notice of one line, and
the text comes next."""
NOTICE_MOST, WAITING_MOST = 200, 8
"""Characters of such a notice, and loads that are waited for."""
_Openings = tuple[tuple[EquipmentKind, re.Pattern[str]], ...]
_OPENINGS: _Openings = (
    ("skill", re.compile(r"\s*Base directory for this skill:? *(?P<name>\S+)", re.I)),
    ("skill", re.compile(r"\s*<skill>\s*(?:<name>)?(?P<name>[^\n<]*)", re.I)),
    ("instructions", re.compile(r"\s*# AGENTS\.md instructions(?: for)? *(?P<name>[^\n]*)", re.I)),
    ("instructions", re.compile(r"\s*<(?:INSTRUCTIONS|user_instructions)>(?P<name>)", re.I)),
    ("instructions", re.compile(r"\s*Contents of (?P<name>\S*(?:CLAUDE|AGENTS)\.md)\b", re.I)),
)
"""How a user message begins that equips the agent."""
_REMINDED: _Openings = (
    *_OPENINGS,
    ("instructions", re.compile(r".{0,600}?\bContents of (?P<name>\S+\.md)\b", re.I | re.S)),
    ("tools", re.compile(r"[^\n]{0,200}?\b(?P<name>tools|skills) are (?:now )?available", re.I)),
)
"""How a reminder begins that does."""
_FILES: _Openings = (
    ("instructions", re.compile(r"(?:^|/)(?:AGENTS|CLAUDE|GEMINI)(?:\.local)?\.md$")),
    ("skill", re.compile(r"(?:^|/)SKILL\.md$")),
)


class Equipment(Value):
    """One thing that the agent was equipped with, as it came in."""

    kind: EquipmentKind
    name: str
    """What tells it from others of its kind: a path, or a title."""
    text: str
    position: int
    from_tool: bool = False
    """Whether it came in a result, so that it is data."""

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name


class SkillTexts(Value):
    """Which messages of the user's role hold the text of a skill that a call has loaded."""

    loading: tuple[str | None, ...] = ()
    """Calls that load a skill and have no result yet."""
    here: str = ""
    """The notice of the skill whose text the message read last holds."""
    coming: tuple[str, ...] = ()
    """The notices of skills whose texts the next messages of the user's role hold."""

    def after(self, message: Message) -> SkillTexts:
        """Return what holds after one more message."""
        if message.role == "assistant":
            calls = (call for call in message.calls if fold_name(call.name) in _SKILL_TOOLS)
            return SkillTexts(tuple(call.id for call in calls)[-WAITING_MOST:])
        coming = list(self.coming)
        answered: set[str | None] = set()
        for block in message.blocks:
            if isinstance(block, Result) and block.call in self.loading:
                answered.add(block.call)
                notice = block.text.strip()
                # A result of several lines is the text itself, and a failed call loads nothing.
                if not (block.error or is_declined(block) or "\n" in notice):
                    coming.append(notice[:NOTICE_MOST])
        loading = tuple(call for call in self.loading if call not in answered)
        here = ""
        if coming and message.role == "user" and not message.only_results:
            here = coming.pop(0)
        return SkillTexts(loading, here, tuple(coming))


class EquipmentSoFar(Value):
    """The newest form of all equipment, and calls that read some and have no result yet."""

    newest: Mapping[tuple[str, str], Equipment]
    pending: Mapping[str | None, tuple[EquipmentKind, str]]
    skills: SkillTexts = SkillTexts()


@stored_as("equipment", 5)
def fold_equipment(
    before: EquipmentSoFar | None, messages: Sequence[Message], at: int
) -> EquipmentSoFar:
    """Go on with more messages; a fold for `Tape.fold`."""
    before = before or EquipmentSoFar({}, {})
    newest, pending, skills = dict(before.newest), dict(before.pending), before.skills
    for position, message in enumerate(messages, start=at):
        pending |= {call.id: read for call in message.calls if (read := _equipment_read(call))}
        skills = skills.after(message)
        for found in _equipment_in(message, position, pending, skills.here):
            # Taken out and put back, so that the order is that of the newest form.
            newest.pop(found.key, None)
            newest[found.key] = found
    newest = dict(list(newest.items())[-KEPT_MOST:])
    return EquipmentSoFar(newest, dict(list(pending.items())[-KEPT_MOST:]), skills)


def _equipment_read(call: Call) -> tuple[EquipmentKind, str] | None:
    """Return which equipment a call reads from a file, if it does."""
    for touch in call_touches(call):
        for kind, file in _FILES:
            if touch.action == "read" and file.search(touch.key):
                return kind, touch.key
    return None


def _equipment_in(
    message: Message,
    position: int,
    pending: dict[str | None, tuple[EquipmentKind, str]],
    skill: str,
) -> Iterator[Equipment]:
    if message.by == "steno" or message.role not in ("user", "tool"):
        return
    for block in message.blocks:
        found: list[tuple[EquipmentKind, str, str]] = []
        if isinstance(block, Result) and block.call in pending:
            kind, name = pending.pop(block.call)
            # The file alone, without line numbers and what a host added.
            body, _, _ = open_envelope(block.text).text[:TEXT_MOST].partition("<system-reminder>")
            text = LINE_NUMBER.sub("", body).strip("\n")
            # One line is an error, or says that the file has not changed.
            if not block.error and "\n" in text:
                found.append((kind, name, text))
        elif isinstance(block, Text) and message.role == "user":
            opened = _opening_of(block.text, _OPENINGS)
            if skill and not opened:
                opened = [("skill", skill.rpartition(": ")[2], block.text[:TEXT_MOST])]
            found += opened
        if isinstance(block, Result | Text) and "<system-reminder>" in block.text:
            for reminder in closed_tags(block.text[:TEXT_MOST], _REMINDER):
                found += _opening_of(reminder.inner.strip(), _REMINDED)
        from_tool = message.role == "tool" or isinstance(block, Result)
        for kind, name, text in found:
            yield Equipment(kind, name, text, position, from_tool)


def _opening_of(text: str, openings: _Openings) -> list[tuple[EquipmentKind, str, str]]:
    """Return what a text that begins like equipment is, if it does."""
    for kind, opening in openings:
        match = opening.match(text)
        if match is not None:
            return [(kind, match["name"].strip(), text[:TEXT_MOST])]
    return []


def equips(message: Message) -> bool:
    """Tell whether a message of the user's role does nothing but equip the agent."""
    if message.role != "user" or message.by == "steno":
        return False
    return bool(_opening_of(message.text, _OPENINGS))
