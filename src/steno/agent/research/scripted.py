"""A researcher's model that needs no key: it follows a plan, and everything it says is in its prompt.

It takes a question apart at its semicolons, searches for the words of each part,
reads around the best hit, notes the line that says most, and in the end quotes
the best line it still sees for each part. As a writer it tells which lines it had
noted. Nothing is random and nothing is kept between two asks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from steno.agent.research.library import SOURCE, search_words
from steno.agent.research.text_talker import BAR, SECTION_ORDER
from steno.core.effects import Answer, Ask, Reply
from steno.core.meter import estimate
from steno.core.model import Usage

PARTS_MOST = 16
ENOUGH = 0.5
"""Of a part's words that a line has to say to answer it."""
_SECTION = re.compile(rf"^# ({'|'.join(SECTION_ORDER)})$", re.M)
_HIT = re.compile(rf"^{re.escape(BAR)}({SOURCE.pattern}): ", re.M)
_NOTE = re.compile(
    rf"NOTED: (?P<text>.+?) \((?P<source>{SOURCE.pattern.replace('?P<', '?P<s_')})\)"
)
_CALL_COUNTS = re.compile(r"^\| Calls: (.*)\.$", re.M)
_NAME = re.compile(r"(?<=[^\W\d_] )[A-Z][^\W_]+|\b[^\W\d_]+\d[^\W_]*")
"""A word without which a line is about something else: capitalised within a sentence, or with a number in it."""
_MESSAGE_HEAD = re.compile(r"^[0-9a-f]{8} \[(\d+)\] \w+:$")


@dataclass(frozen=True)
class ScriptedModel:
    """Answers as its plan says; `name` is what the command line calls it."""

    name: str = "script:research"
    window: int | None = None

    def answer(self, ask: Ask) -> Reply:
        said = _write_facts(ask.prompt) if ask.schema else _next_reply(ask.prompt)
        return Answer(said, self.name, Usage(estimate(ask.prompt), said=estimate(said)))


def _next_reply(prompt: str) -> str:
    told = split_sections(prompt)
    parts = split_task(told.get("TASK", ""))
    seen = f"{told.get('HISTORY', '')}\n\n{told.get('RECENT', '')}"
    searched, read = _count_calls(seen, "search"), _count_calls(seen, "read")
    last = seen.rpartition("RESULT of ")[2]
    note = (
        _note_line(last, parts[min(read, len(parts)) - 1])
        if last.startswith("read") and read
        else ""
    )
    if searched <= read and searched < len(parts):
        return f"{note}CALL search {json.dumps({'query': ' '.join(search_words(parts[searched]))})}"
    hit = _HIT.search(last) if last.startswith("search") else None
    if searched > read:
        # A search that found nothing is followed by no passage: what is read instead is empty, and says so.
        return f"{note}CALL read {json.dumps({'source': hit[1] if hit else 'nothing was found'})}"
    return note + _compose_answer(parts, seen, note)


def split_sections(prompt: str) -> dict[str, str]:
    """A prompt's sections by their names."""
    pieces = _SECTION.split(prompt)
    return {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def split_task(task: str) -> list[str]:
    """What a task asks, one thing each."""
    return [part.strip() for part in re.split(r";|\n", task) if search_words(part)][
        :PARTS_MOST
    ] or [task]


def _count_calls(seen: str, name: str) -> int:
    """How often a tool was called, those calls included that are told in short."""
    counted = sum(
        int(many)
        for row in _CALL_COUNTS.findall(seen)
        for many in re.findall(rf"\b{name} ×(\d+)", row)
    )
    return counted + len(re.findall(rf"^CALL {name} ", seen, re.M))


def _note_line(result: str, part: str) -> str:
    best = _best_line(part, _passage_lines(result))
    if best:
        return f"NOTED: {best[1]} ({best[0]})\n"
    return ""


def _compose_answer(parts: list[str], seen: str, note: str) -> str:
    lines = [*_cited_lines(seen), *_cited_lines(note)]
    found = [_best_line(part, lines) for part in parts]
    said = [f"{best[1]} ({best[0]})" for best in found if best]
    missing = [part for part, best in zip(parts, found, strict=True) if not best]
    told = " ".join(said) or "The texts do not say it."
    told += "".join(f" Not found: {part}." for part in missing)
    sources = "\n".join(dict.fromkeys(best[0] for best in found if best))
    return f"ANSWER: {told}" + (f"\nSOURCES:\n{sources}" if sources else "")


def _best_line(part: str, lines: list[tuple[str, str]]) -> tuple[str, str] | None:
    """The line that says most of a part: its source, and its words."""
    wanted = set(search_words(part))
    names = {name.lower() for name in _NAME.findall(part)}
    ranked = [
        (len(wanted & said), source, text)
        for source, text in lines
        if names <= (said := set(search_words(text)))
    ]
    most = max(ranked, key=lambda row: row[0], default=None)
    if most and most[0] >= ENOUGH * len(wanted):
        return (most[1], most[2])
    return None


def _cited_lines(seen: str) -> list[tuple[str, str]]:
    """Every line with a source that a prompt shows: of passages, and noted ones."""
    passages = (
        line for piece in seen.split("RESULT of read:")[1:] for line in _passage_lines(piece)
    )
    return [*passages, *((note["source"], note["text"]) for note in _NOTE.finditer(seen))]


def _passage_lines(result: str) -> list[tuple[str, str]]:
    return list(_iter_passage(result))


def _iter_passage(result: str) -> Iterator[tuple[str, str]]:
    path = ""
    for row in result.splitlines():
        if not row.startswith(BAR):
            if path:
                return
            continue
        bare = row.removeprefix(BAR)
        head = SOURCE.fullmatch(bare)
        number, tab, text = bare.partition("\t")
        if head is not None:
            path = head["path"]
        elif path and tab and number.isdigit() and text.strip():
            yield f"{path}:{number}", text.strip()


def _write_facts(prompt: str) -> str:
    """What a writer is asked for: the lines that were noted, each with the message it stands in."""
    at, facts = None, []
    for row in prompt.splitlines():
        marked = _MESSAGE_HEAD.match(row)
        at = int(marked[1]) if marked else at
        facts += [
            {"text": found[0], "cites": [at]} for found in _NOTE.finditer(row) if at is not None
        ]
    return json.dumps({"facts": facts})
