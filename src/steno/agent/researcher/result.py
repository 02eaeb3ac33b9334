"""What a researcher comes back with: an answer or what there is of one, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from steno.agent.researcher.library import ADDRESS, SOURCE, Library, words_of
from steno.core.message import Call, Result, Value
from steno.core.model import Usage
from steno.session.session import Session

Status = Literal["SUCCESS", "PARTIAL", "FAILED"]
FOUND_MOST = 12
LINE_MOST = 240
_PLACE = re.compile(rf"{SOURCE.pattern}(?=$|: )")
"""Where a passage begins, or a line that was found."""


class Research(Value, frozen=True):
    status: Status
    answer: str
    """What was asked; where it is not answered, what was found so far."""
    sources: tuple[str, ...] = ()
    """Each resolves: path:line, path:first-last, or an address."""
    reason: str = ""
    """Why it is no success."""
    used_web: bool = False
    turns: int = 0
    compactions: int = 0
    usage: Usage = Usage()
    unresolved: tuple[str, ...] = ()
    """Sources that were named and do not resolve; they are not among the others."""

    def __str__(self) -> str:
        head = self.status if not self.reason else f"{self.status}: {self.reason}"
        listed = "\n".join(f"- {source}" for source in self.sources)
        return "\n".join([head, *([self.answer] if self.answer else []), *(["Sources:", listed] if listed else [])])


def went_to_web(session: Session, library: Library) -> bool:
    """Whether a tool that goes to the web gave a result."""
    return any(call.name in library.web and not result.error for call, result in _answered(session))


def returned(session: Session, source: str) -> bool:
    """Whether what a source names lies in what the tools of this run returned."""
    if ADDRESS.fullmatch(source):
        return any(not result.error and result.text.startswith(f"{source}\n") for _, result in _answered(session))
    named = SOURCE.fullmatch(source)
    if named is None:
        return any(source in result.text for _, result in _answered(session) if not result.error)
    lines = range(int(named["first"]), int(named["last"] or named["first"]) + 1)
    for _, result in _answered(session):
        for row in () if result.error else result.text.splitlines():
            seen = _PLACE.match(row)
            if seen and seen["path"] == named["path"]:
                shown = range(int(seen["first"]), int(seen["last"] or seen["first"]) + 1)
                if lines[0] <= shown[-1] and shown[0] <= lines[-1]:
                    return True
    return False


def found_so_far(session: Session, library: Library, task: str) -> tuple[str, tuple[str, ...]]:
    """Of each passage that was read the line nearest to the task, and where it stands."""
    wanted = set(words_of(task))
    found: dict[str, tuple[int, str]] = {}
    for call, result in _answered(session):
        best = None if result.error or call.name == "search" else _nearest(result.text, wanted)
        if best is not None and library.resolves(best[1]):
            found.setdefault(best[1], (best[0], best[2]))
    best_first = sorted(found.items(), key=lambda each: -each[1][0])[:FOUND_MOST]
    told = "\n".join(f"- {text} ({source})" for source, (_, text) in best_first)
    return told, tuple(source for source, _ in best_first)


def _nearest(passage: str, wanted: set[str]) -> tuple[int, str, str] | None:
    """The line of a passage that says most of what is wanted: how much, its source, its words."""
    head, _, rest = passage.partition("\n")
    place = SOURCE.fullmatch(head.strip())
    rows: Iterator[tuple[str, str]]
    if place is not None:
        split = (row.partition("\t") for row in rest.splitlines())
        rows = ((f"{place['path']}:{number}", text) for number, tab, text in split if tab and number.isdigit())
    elif ADDRESS.fullmatch(head.strip()):
        rows = ((head.strip(), row) for row in rest.splitlines())
    else:
        return None
    ranked = [(len(wanted & set(words_of(text))), source, text.strip()[:LINE_MOST]) for source, text in rows]
    return max(ranked, key=lambda row: row[0], default=None)


def _answered(session: Session) -> Iterator[tuple[Call, Result]]:
    calls: dict[str | None, Call] = {}
    for message in session.log.messages:
        for block in message.blocks:
            if isinstance(block, Call):
                calls[block.id] = block
            elif isinstance(block, Result) and block.call in calls:
                yield calls[block.call], block
