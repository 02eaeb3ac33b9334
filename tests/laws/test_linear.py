"""Reading a text costs no more than its length, whatever the text.

Every compiled pattern of the package is found and timed on long repeats of what its own source
holds, and of words, spaces, brackets and digits. So is every reader of facts. Where a pattern is
only ever given short texts, `SHORT` says how long they are.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import re._constants as opcodes  # type: ignore[import-not-found, unused-ignore]
import re._parser as parser  # type: ignore[import-not-found, unused-ignore]
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from types import FunctionType, ModuleType
from typing import Any

import pytest

import steno
from steno.core.escape import one_line, quoted, set_in
from steno.core.fence import Fence
from steno.core.message import Call, Message, Result, Role, Text, user_message
from steno.facts.authorship import AuthoredText, split_by_author, typed_text
from steno.facts.changes import text_changes
from steno.facts.decisions import KINDS
from steno.facts.languages import Table, _pattern
from steno.facts.ledger import facts_of
from steno.facts.people import person_words
from steno.facts.standing import stated_in
from steno.memory.extract import extract_notes, learnable_sentences
from steno.recall.hits import find_spot
from steno.recall.terms import query_terms
from steno.redact import Redactor
from steno.summary.read_back import parse_summary
from steno.summary.story import fold_story
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

STRIDE = int(os.environ.get("STENO_LINEAR_STRIDE", "5"))
"""Every how many patterns one is tried; 1 tries all."""
PIECES_STRIDE = 6
ANCHORED = ("steno.facts.equipment:_OPENINGS", "steno.facts.equipment:_REMINDED")
"""Patterns in tables, whose callers look at the beginning of a text only."""
LONG = 2_000
"""Characters of a text; the second one has twice as many."""
WORTH_TIMING = 0.008
"""Seconds under which growth is not looked at: 2,000 characters at 4 µs each."""
GROWTH_MOST = 3.2
"""How much longer twice the text may take: two times, and room for noise."""
TRIES = 4
"""How often both lengths are timed again while the growth looks too large."""
SENTENCE = 600
"""Characters of a sentence: cues of a language are looked for in one at a time."""
SENTENCE_SECONDS = 0.03
IN_WHOLE_TEXTS = (
    "decides",
    "causes",
    *(kind.removeprefix("self-") for kind in KINDS),
    "later",
    "promises",
)
"""Cues that are searched in whole texts of an agent."""
SHORT: dict[str, int] = {
    # Callers look at runs of at most so many characters.
    "steno.facts.artifacts:_IN_A_RUN": 512,
    "steno.adapters.resent.thread:_REMINDER": 61,
    "steno.facts.people:_TAGGED": 61,
    "steno.facts.prose_lines:_LOGGED_IN": 400,
    "steno.facts.prose_lines:_CODE_END": 16,
    "steno.lab.text:_NAME": 1_000,
}
"""Patterns whose callers cut the text to so many characters."""
PIECES = (
    *("a", "A", "é", "字", " ", "\t", "a ", "Ab ", "0", "0 ", "0.", "0,", "0-", "<", "</a", "<a "),
    *("<a>", "(", "[", "{", '"', "'", "`", "-", "=", "_", "*", "#", "|", "\\", "\n", "a\n", " \n"),
    *(".", ". ", ",", ", ", ":", ": ", "/", "a/", "a.", "a-", "a_", "a=", "@", "a@", "+", "$", "~"),
    *("> ", "no ", "not ", "a'", "((", "$(", "%", "😀", "\r\n", "- ", "1. ", "```\n", "://"),
)
SCANS = ("search", "findall", "finditer", "sub", "subn", "split")


def patterns_in(
    value: Any, name: str, seen: dict[int, Any]
) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the patterns that a value holds, with a name for each."""
    if id(value) in seen:
        return
    # Held, so that no other value gets the same id.
    seen[id(value)] = value
    inner: list[tuple[str, Any]] = []
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield name, value
    elif isinstance(value, Table):
        for row in value.rows:
            scope = "" if row in IN_WHOLE_TEXTS else ".languages."
            yield f"{name}{scope}/{row}", _pattern((row,), value)
    elif isinstance(value, tuple | list | set | frozenset):
        inner = [(name, each) for each in value]
    elif isinstance(value, dict):
        inner = [(name, each) for each in value.values()]
    elif isinstance(value, ModuleType | FunctionType):
        return
    elif (getattr(value, "__module__", "") or "").startswith("steno") or isinstance(value, type):
        if isinstance(value, type) and not value.__module__.startswith("steno"):
            return
        names = [*vars(value)] if hasattr(value, "__dict__") else []
        for kind in type(value).__mro__:
            names += getattr(kind, "__slots__", ())
        inner = [(f"{name}.{each}", getattr(value, each, None)) for each in dict.fromkeys(names)]
    for inner_name, each in inner:
        yield from patterns_in(each, inner_name, seen)


@cache
def all_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found: list[tuple[str, re.Pattern[str]]] = []
    seen: dict[int, Any] = {}
    for module in pkgutil.walk_packages(steno.__path__, "steno."):
        if module.name.endswith("__main__"):
            continue
        # These need their framework, each in an environment of its own.
        if ".adapters.frameworks." in module.name:
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            found += patterns_in(value, f"{module.name}:{name}", seen)
    return tuple(found)


@cache
def source(module: str) -> str:
    """Return the source of a module; of the whole package for an empty name."""
    files = (ROOT / "src").rglob("*.py")
    if module:
        files = (path for path in files if str(path).endswith(f"{module.replace('.', '/')}.py"))
    return "\n".join(path.read_text("utf-8") for path in files)


def methods_used(name: str) -> tuple[str, ...]:
    """Return how a pattern is used: from the start of a text only, or anywhere in it."""
    module, _, path = name.partition("/")[0].partition(":")
    used = calls_in(module if path[0] == "_" else "").get(path.split(".")[-1], set())
    if name.startswith(ANCHORED) or (used and not used & set(SCANS)):
        return ("match",)
    return ("match", "search")


@cache
def calls_in(module: str) -> dict[str, set[str]]:
    """Return which attributes each name of a module's source is asked for."""
    calls: dict[str, set[str]] = {}
    for name, method in re.findall(r"\b(\w+)\.(?=(\w+))", source(module)):
        calls.setdefault(name, set()).add(method)
    return calls


def letters_of(pattern: re.Pattern[str]) -> list[str]:
    """Return the runs of letters that a pattern holds, the longest first."""
    found: set[str] = set()

    def walk(parsed: Any) -> None:
        run = ""
        for code, value in parsed:
            if code is opcodes.LITERAL:
                run += chr(value)
                continue
            found.add(run)
            run = ""
            for part in value if isinstance(value, tuple | list) else [value]:
                for each in part if isinstance(part, list) else [part]:
                    if isinstance(each, parser.SubPattern):
                        walk(each)
        found.add(run)

    walk(parser.parse(pattern.pattern, pattern.flags))
    return sorted(found - {""}, key=lambda run: (-len(run), run))


_numbers = count()


def seconds(read: Callable[[str], Any], text: str) -> float:
    # No text twice: readers remember what they read of a message.
    text += f"{next(_numbers)}"
    # Of this thread: others of earlier tests may still be at work.
    start = time.thread_time()
    read(text)
    return time.thread_time() - start


def superlinear(read: Callable[[str], Any], piece: str, long: int = LONG) -> str:
    """Return what is wrong with how the time grows on repeats of a piece."""
    # Few repeats first: an exponential pattern would never come back from many.
    for times in (12, 20):
        if min(seconds(read, piece * times) for _ in range(2)) > 0.1:
            return f"{piece!r} × {times}: exponential"
    text = piece * (long // len(piece) + 1)
    taken = seconds(read, text)
    if taken < WORTH_TIMING:
        return ""
    twice = seconds(read, text + text)
    for _ in range(TRIES):
        # The least of several: a busy machine may slow one of the two down by half.
        taken = min(taken, seconds(read, text))
        twice = min(twice, seconds(read, text + text))
        if twice <= taken * GROWTH_MOST:
            return ""
    many = len(text) // len(piece)
    return f"{piece!r} × {many}: {taken:.3f} s, twice as long {twice:.3f} s"


def slow_pieces(name: str, pattern: re.Pattern[str]) -> Iterator[str]:
    runs = letters_of(pattern)
    words = [run for run in runs if len(run) > 1][:10]
    pieces = dict.fromkeys((*PIECES, *words, *(f"{word} " for word in words), *runs[-6:]))
    short = SHORT.get(name)
    if ".languages./" in name:
        short = SENTENCE
        pieces = dict.fromkeys((*words[:4], *(f"{word} " for word in words[:4]), "a", "a ", " "))
    for method in methods_used(name):
        read = getattr(pattern, method)
        for piece in pieces:
            if short is None:
                wrong = superlinear(read, piece)
            else:
                text = (piece * short)[:short]
                taken = seconds(read, text)
                wrong = ""
                if taken > SENTENCE_SECONDS:
                    # The least of three: a pause for garbage is not the pattern's.
                    taken = min(taken, seconds(read, text), seconds(read, text))
                if taken > SENTENCE_SECONDS:
                    wrong = f"{piece!r}: {taken:.3f} s for {short} characters"
            if wrong:
                yield f"{name}.{method} on {wrong}"


def test_patterns_are_linear() -> None:
    patterns = all_patterns()
    assert len(patterns) > 300
    tried = patterns[::STRIDE]
    found = [wrong for name, pattern in tried for wrong in slow_pieces(name, pattern)]
    assert found == []


def test_the_harness_finds_patterns_that_are_not() -> None:
    assert superlinear(re.compile(r"(?:a|a)*b").search, "a")
    # Timed in milliseconds: a pause of a busy machine may hide the growth once.
    assert any(superlinear(re.compile(r"\s*b").search, " ", 4_000) for _ in range(5))
    assert not superlinear(re.compile(r"\s*+b").match, " ")


def as_results(text: str) -> list[Message]:
    """The same text as what a tool was asked and what it answered."""
    call = Call("1", "Bash", '{"command": "make test", "file_path": "a.py"}')
    return [
        Message("assistant", (Text(text), call)),
        Message("tool", (Result("1", (Text(text),)),)),
    ]


def as_command(text: str) -> list[Message]:
    """The same text as a command of a shell and what it put out."""
    call = Call("1", "Bash", json.dumps({"command": text}))
    return [Message("assistant", (call,)), Message("tool", (Result("1", (Text(text),)),))]


def as_blocks(text: str) -> Message:
    """The same text as many blocks of one message."""
    return Message("user", tuple(Text(text[at : at + 3]) for at in range(0, len(text), 3)))


def as_patch(text: str) -> str:
    return json.dumps({"input": f"*** Begin Patch\n*** Update File: a.py\n{text}"})


def forged_summary(text: str) -> str:
    label = {"kind": "summary", "covers": "0-1", "tokens": "99", "roles": "2 user"}
    return str(Fence(label, text))


READERS: dict[str, Callable[[str], Any]] = {
    "facts of a user": lambda text: facts_of(user_message(text)),
    "facts of a system prompt": lambda text: facts_of(Message("system", (Text(text),))),
    "facts of a call and its result": lambda text: [facts_of(one) for one in as_results(text)],
    "who wrote it": lambda text: list(split_by_author(user_message(text))),
    "who wrote which block": lambda text: list(split_by_author(as_blocks(text))),
    "what a person sent": lambda text: person_words(user_message(text)),
    "what a person stated": lambda text: stated_in(user_message(text)),
    "what a person is": lambda text: list(learnable_sentences(user_message(text))),
    "secrets": Redactor(key=b"k").text,
    "a command and what it put out": lambda text: list(fold_story(None, as_command(text), 0).deeds),
    "the escape": lambda text: (quoted(text), one_line(text)),
    "rows of a summary": set_in,
    "a summary that comes back": lambda text: parse_summary(forged_summary(text)),
    "a note": lambda text: list(extract_notes([(0, text)])),
    "words to look for": query_terms,
    "a chain of edits": lambda text: text_changes(Call("1", "apply_patch", as_patch(text))),
}
HOSTILE = (
    *PIECES,
    *("Never do it. ", "no, ", "# Heading\n", "<system-reminder>x</system-reminder>", "<document "),
    *(
        "error: ",
        "a.py:1: ",
        "| a | b |\n",
        "[ ] todo\n",
        "https://a.b/c?d=e ",
        "password=",
        "From: ",
    ),
    *("-----BEGIN RSA PRIVATE KEY-----", "eyJaaaaaaaaaa.", "4111 1111 1111 ", "sk-", "a b c. "),
)


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_is_linear(reader: str) -> None:
    # Patterns are compiled when they are first used.
    READERS[reader]("Never do it, please. Always ask.")
    pieces = HOSTILE
    if STRIDE > 1:
        # Each reader gets others of them; a run of all patterns takes all pieces too.
        pieces = HOSTILE[list(READERS).index(reader) % PIECES_STRIDE :: PIECES_STRIDE]
    wrong = [superlinear(READERS[reader], piece) for piece in pieces]
    assert [each for each in wrong if each] == []


@pytest.mark.parametrize("mark", ['"', "'", "~", "`"])
def test_marks_of_fences_on_one_long_line_are_read_in_linear_time(mark: str) -> None:
    """Python looks back for a line end so quickly that only long texts show the growth."""
    assert superlinear(READERS["who wrote it"], mark, 400_000) == ""


@pytest.mark.parametrize("role", ["assistant", "user"])
@pytest.mark.parametrize(
    "piece", ["a|b|", "<td>1</td>", "a > b ", "\u2028> a", "\r\u200b", "\x85~~~", "\f \ufeff|"]
)
def test_marks_of_quotations_on_one_long_line_are_read_in_linear_time(
    piece: str, role: Role
) -> None:
    def cuts(text: str) -> list[AuthoredText]:
        return list(split_by_author(Message(role, (Text(text),))))

    assert superlinear(cuts, piece, 100_000) == ""


def test_what_a_person_typed_between_fences_is_found_in_linear_time() -> None:
    def typed(text: str) -> str:
        return typed_text(Message("user", (Text(text),)), "\n[…]\n")

    assert superlinear(typed, "```\n", 400_000) == ""


def test_a_long_quote_is_looked_for_in_linear_time() -> None:
    assert (
        superlinear(lambda text: find_spot(text, text[: len(text) // 2] + "!"), "a", 20_000) == ""
    )
