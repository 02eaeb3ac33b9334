"""Writers for the tests of prose: real models behind the real interface, each with one habit.

Owns how a prompt is read by whoever answers it: which positions it shows, in
whose words, and which notes. No type of Steno's is imitated here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from steno.models import Answer, Ask, NoAnswer, Reply
from steno.writer.prompt import REPLY_SECTIONS

KEYS = tuple(key for key, _, _ in REPLY_SECTIONS)
_MARK = re.compile(r'kind="messages" mark="([0-9a-f]{8})"')


def shown(prompt: str) -> list[tuple[int, str]]:
    """The positions that a prompt shows, and who speaks there."""
    return [(at, who) for at, who, _ in _headers(prompt)]


def kept(prompt: str) -> dict[int, str]:
    """How messages that a prompt shows stay in their place, by position, of those that do."""
    return {at: stays for at, _, stays in _headers(prompt) if stays.startswith("kept")}


def _headers(prompt: str) -> list[tuple[int, str, str]]:
    mark = _MARK.search(prompt)
    if mark is None:
        return []
    rows = re.findall(rf"^{mark[1]} \[(\d+)\] (\w+)(?:, ((?:kept|quoted).*))?:$", prompt, re.M)
    return [(int(at), who, stays) for at, who, stays in rows]


def cited(prompt: str) -> list[int]:
    """The positions that the notes of a prompt rest on."""
    return [int(at) for at in re.findall(r"^\d+\. .* \[(\d+)", prompt, re.M)]


def told(**sections: list[tuple[str, list[int]]]) -> str:
    """A reply in the form that was asked for."""
    lines = {
        key: [f"{text} {cites}" if cites else text for text, cites in sections.get(key, [])]
        for key in KEYS
    }
    return json.dumps(lines | {"gone": []}, ensure_ascii=False)


@dataclass
class Writer:
    """Answers each ask by a function of it, and remembers what it was asked."""

    says: Callable[[Ask], str | Reply]
    window: int | None = 8_192
    asked: list[Ask] = field(default_factory=list)

    def answer(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        said = self.says(ask)
        return Answer(said, by="a writer") if isinstance(said, str) else said


def honest(ask: Ask) -> str:
    """One true line of the first and of the last message it is shown, or of the notes that are
    to be merged.
    """
    places = [at for at, _ in shown(ask.prompt)] or cited(ask.prompt)
    return told(
        requests=[("The work went on from one file to the next.", [places[0]])],
        facts=[("What is shown was looked at in turn.", [places[-1]])],
    )


def silent(ask: Ask) -> Reply:
    return NoAnswer("overloaded", "busy")


def always(text: str) -> Callable[[Ask], str]:
    return lambda ask: text


def lines_of(more: dict[str, list[Any]]) -> list[Any]:
    """A writer's lines among the sections of a summary."""
    return [line for lines in more.values() for line in lines if line.written]
