"""A researcher's model that needs no key: a script that answers from its prompt alone.

It splits a question at semicolons, searches for the words of each part, reads around
the best hit, notes the line with most of the words, and in the end quotes the best line
it still sees for each part. As a writer it returns the lines that were noted. It is
deterministic and keeps nothing between two asks.
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
SENTENCE_LINES = 3
"""Lines under a quoted one, at most, that end its sentence."""
BLOCK_MARKS = ("#", "-", "*", "|", ">", "```")
"""What begins another block of a text."""
ENOUGH = 0.5
"""Share of a part's words that a line needs to answer it."""
_SECTION = re.compile(rf"^# ({'|'.join(SECTION_ORDER)})$", re.M)
_HIT = re.compile(rf"^{re.escape(BAR)}({SOURCE.pattern}): ", re.M)
_NOTE = re.compile(
    rf"NOTED: (?P<text>.{{1,600}}?) \((?P<source>{SOURCE.pattern.replace('?P<', '?P<s_')})\)"
)
_HIDDEN_RESULTS = re.compile(r'^\| <steno-.* kind="summary" .*\broles="[^"]*?(\d+) tool\b', re.M)
"""The head of a summary, which counts the results that it stands for."""
_NAME = re.compile(r"(?<=[^\W\d_] )[A-Z][^\W_]+|\b[^\W\d_]+\d[^\W_]*")
"""A word that the answer must name: capitalised within a sentence, or with a digit in it."""
_MESSAGE_HEAD = re.compile(r"^[0-9a-f]{8} \[(\d+)\] \w+(?:, [a-z ]+)?:$")


@dataclass(frozen=True)
class ScriptedModel:
    """Answers by a fixed plan; `name` is its name on the command line."""

    name: str = "script:research"
    window: int | None = None

    def answer(self, ask: Ask) -> Reply:
        if ask.schema:
            text = _write_facts(ask.prompt)
        else:
            text = _next_reply(ask.prompt)
        return Answer(text, self.name, Usage(estimate(ask.prompt), said=estimate(text)))


def _next_reply(prompt: str) -> str:
    sections = split_sections(prompt)
    parts = split_task(sections.get("TASK", ""))
    seen = f"{sections.get('HISTORY', '')}\n\n{sections.get('RECENT', '')}"
    # Searches and reads take turns, so of the hidden calls half are searches, the first included.
    hidden = sum(map(int, _HIDDEN_RESULTS.findall(seen)))
    searched = _count_calls(seen, "search") + (hidden + 1) // 2
    read = _count_calls(seen, "read") + hidden // 2
    last = seen.rpartition("RESULT of ")[2]
    note = ""
    if last.startswith("read") and read:
        note = _note_line(last, parts[min(read, len(parts)) - 1])
    if searched <= read and searched < len(parts):
        query = " ".join(search_words(parts[searched]))
        return f"{note}CALL search {json.dumps({'query': query})}"
    if searched > read:
        # Reads are counted against searches, so a search without a hit needs a read as well.
        source = "nothing was found"
        hit = _HIT.search(last)
        if last.startswith("search") and hit:
            source = hit[1]
        return f"{note}CALL read {json.dumps({'source': source})}"
    return note + _compose_answer(parts, seen, note)


def split_sections(prompt: str) -> dict[str, str]:
    """Return the sections of a prompt by name."""
    pieces = _SECTION.split(prompt)
    return {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def split_task(task: str) -> list[str]:
    """Return the parts of a task; a task without searchable words is one part."""
    parts = [part.strip() for part in re.split(r";|\n", task) if search_words(part)]
    return parts[:PARTS_MOST] or [task]


def _count_calls(seen: str, name: str) -> int:
    """Return how many calls of a tool a prompt shows."""
    return len(re.findall(rf"^CALL {name} ", seen, re.M))


def _note_line(result: str, part: str) -> str:
    best = _best_line(part, list(_iter_passage(result)))
    if best:
        return f"NOTED: {best[1]} ({best[0]})\n"
    return ""


def _compose_answer(parts: list[str], seen: str, note: str) -> str:
    lines = [*_cited_lines(seen), *_cited_lines(note)]
    quotes: list[str] = []
    missing: list[str] = []
    sources: dict[str, None] = {}
    for part in parts:
        best = _best_line(part, lines)
        if best is None:
            missing.append(f" Not found: {part}.")
        else:
            source, text = best
            quotes.append(f"{text} ({source})")
            sources[source] = None
    answer = " ".join(quotes) or "The texts do not say it."
    reply = f"ANSWER: {answer}{''.join(missing)}"
    if sources:
        reply += "\nSOURCES:\n" + "\n".join(sources)
    return reply


def _best_line(part: str, lines: list[tuple[str, str]]) -> tuple[str, str] | None:
    """Return source and text of the line with most words of a part, if it has enough."""
    wanted = set(search_words(part))
    names = {name.lower() for name in _NAME.findall(part)}
    best: tuple[str, str] | None = None
    most = -1.0
    for at, (source, text) in enumerate(lines):
        words = set(search_words(text))
        found: float = _count_shared(wanted, words)
        # A sentence may go on in the next line, which counts less.
        if at + 1 < len(lines):
            found += 0.5 * _count_shared(wanted, set(search_words(lines[at + 1][1])) - words)
        if names <= words and found > most:
            best = (source, _sentence_from(lines, at))
            most = found
    if most >= ENOUGH * len(wanted):
        return best
    return None


def _sentence_from(lines: list[tuple[str, str]], at: int) -> str:
    """Return a line, and the lines right under it up to the end of the sentence."""
    source, text = lines[at]
    path, _, number = source.rpartition(":")
    for step, (below, more) in enumerate(lines[at + 1 : at + 1 + SENTENCE_LINES], start=1):
        goes_on = number.isdigit() and below == f"{path}:{int(number) + step}"
        if not goes_on or more.startswith(BLOCK_MARKS) or text.endswith((".", "!", "?", ":", "|")):
            break
        text = f"{text} {more}"
    return text


def _count_shared(wanted: set[str], words: set[str]) -> int:
    """Return how many of the wanted words are said, in any form: store, stores, stored."""
    return sum(
        any(word.startswith(stem) or stem.startswith(word) for word in words if len(word) > 3)
        or stem in words
        for stem in wanted
    )


def _cited_lines(seen: str) -> list[tuple[str, str]]:
    """Return every line of a prompt that has a source: of passages, and noted ones."""
    lines: list[tuple[str, str]] = []
    for passage in seen.split("RESULT of read:")[1:]:
        lines += _iter_passage(passage)
    lines += [(note["source"], note["text"]) for note in _NOTE.finditer(seen)]
    return lines


def _iter_passage(result: str) -> Iterator[tuple[str, str]]:
    """Yield source and text of each line of a passage, up to the first line without a bar."""
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
    """Return the noted lines as the writer's JSON, each with the position of its message."""
    position: int | None = None
    facts = []
    for row in prompt.splitlines():
        head = _MESSAGE_HEAD.match(row)
        if head:
            position = int(head[1])
        if position is not None:
            facts += [{"text": note[0], "cites": [position]} for note in _NOTE.finditer(row)]
    return json.dumps({"facts": facts})
