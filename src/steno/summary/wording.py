"""The fixed words of a summary in five languages: headings, notes, openings of state lines.

`wording.json` holds one table a language, all with the same keys. A summary as a value holds the
English words; its text is in the language in which people wrote in the session. A text that comes
back is read by the headings of every language. The words of a line itself are never translated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from steno.core.message import Message
from steno.core.tape import stored_as
from steno.core.word_tables import word_tuple
from steno.facts.authorship import typed_text
from steno.facts.languages.detect import guess_language

SAMPLE = 4_000
"""Characters of what people typed by which the language of a session is told, the first."""
MOST = 0.75
"""Share of them that must be in one language; a mixed session is told in English."""
STATE_KEYS = word_tuple(
    "changed_tested changed_committed changed last_test last_command last_commit not_resolved "
    "pull_request branch earlier_commits tasks_done tasks_waiting task"
)
"""Openings of lines about where the work stands."""
NOTE_KEYS = word_tuple("note note_positions note_at note_shows data no_tool tool")
"""Sentences of what tells a model that it reads a shortened history."""
HEADING_KEYS = word_tuple("state equipment file_list pieces used")
"""Headings of what was true when a summary was made; it is not read back."""
LINE_KEYS = word_tuple("remembered todo_begun todo_waiting retired edited")
"""Openings of lines about memories, open loops, and constraints retired or edited from outside."""

WORDINGS: Mapping[str, Mapping[str, str]] = msgspec.json.decode(
    Path(__file__).with_name("wording.json").read_bytes(), type=dict[str, dict[str, str]]
)
"""By the name of a language; the empty one is English, and stands for every other language."""
ENGLISH = WORDINGS[""]


@stored_as("languages", 2)
def fold_languages(
    typed: Mapping[str, int] | None, messages: Sequence[Message], at: int
) -> Mapping[str, int]:
    """Fold how many characters people typed in each language, of those that came first."""
    counts = Counter(typed or {})
    for message in messages:
        # Once told, the language of a session stays: what stands in its view must not change.
        if counts.total() >= SAMPLE:
            break
        if message.role == "user" and message.by == "caller":
            text = typed_text(message)[:SAMPLE]
            counts[guess_language(text).name] += len(text)
    return counts


def wording_of(typed: Mapping[str, int]) -> str:
    """Return the language of a session's wording: one in which people wrote most of the time."""
    certain = {name: count for name, count in typed.items() if name}
    for name, count in certain.items():
        if name in WORDINGS and count >= MOST * sum(certain.values()):
            return name
    return ""


def in_every_wording(key: str) -> Iterator[str]:
    """Yield the words of a key in all languages."""
    return (table[key] for table in WORDINGS.values())


def translate_headings(text: str, language: str) -> str:
    """Return a text with our headings and openings of state lines in another language."""
    if not language:
        return text
    headings = {ENGLISH[key]: WORDINGS[language][key] for key in HEADING_KEYS}
    rows = text.split("\n")
    under = ""
    for number, row in enumerate(rows):
        if row in headings:
            under = row
            rows[number] = headings[row]
        elif under == ENGLISH["state"]:
            rows[number] = _swap_words(row, STATE_KEYS, "", language)
    return "\n".join(rows)


def translate_line(text: str, language: str) -> str:
    """Return the text of a line with its opening in another language."""
    if found := _pattern("more").fullmatch(text):
        return WORDINGS[language]["more"].format_map(found.groupdict())
    return _swap_words(text, LINE_KEYS, "", language)


def original_line(text: str) -> str:
    """Return the text of a line in any language with its opening in English."""
    for language in WORDINGS:
        if found := _pattern("more", language).fullmatch(text):
            return ENGLISH["more"].format_map(found.groupdict())
        if language:
            text = _swap_words(text, LINE_KEYS, language, "")
    return text


def _swap_words(text: str, keys: Sequence[str], source: str, target: str) -> str:
    for key in keys:
        found = _pattern(key, source).match(text)
        if found is not None:
            return WORDINGS[target][key].format_map(found.groupdict()) + text[found.end() :]
    return text


def translate_note(note: str, language: str) -> str:
    """Return what tells a model that it reads a shortened history in another language."""
    if not language:
        return note
    for key in NOTE_KEYS:
        found = _pattern(key).search(note)
        if found is not None:
            told = WORDINGS[language][key].format_map(found.groupdict())
            note = note[: found.start()] + told + note[found.end() :]
    return note


@cache
def _pattern(key: str, language: str = "") -> re.Pattern[str]:
    """Return a pattern of the words of a key, in which names stand for themselves."""
    source = re.escape(WORDINGS[language][key])
    source = source.replace(r"\{count\}", "(?P<count>[0-9]+)")
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", source))
