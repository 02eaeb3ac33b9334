"""Secrets with a form of their own: keys, tokens, hashes, passwords in commands and addresses.

The forms are data: `vendors.toml` has keys of services, `forms.toml` all others. To look for a few
letters is quick, to search a pattern is slow. So each form has cues, and a text without one of
them is not searched. Patterns are compiled when they are first needed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from steno.core.message import Value
from steno.core.word_tables import word_tuple

SecretSpan = tuple[int, int, str]
"""Where a secret begins and ends, and its kind."""
RUN_LEAST = 20
"""Characters of a run of letters and digits that may be a key."""
_RUN = re.compile(rf"[\w.~:-]{{{RUN_LEAST},}}")
_ESCAPE = re.compile(r"(?:\\[nrt]|\\u[\da-fA-F]{4}|%[\da-fA-F]{2}|\x1b\[[\d;]{0,20}m)\Z")
"""One character, written as several: what follows it begins a word."""


class SecretPattern(Value):
    """How secrets of one kind look."""

    kind: str
    source: str | re.Pattern[str]
    """If it has groups, the longest of them is the secret."""
    cues: tuple[str, ...] = ("",)
    """Parts of a text in lower case: each match holds one or another of them."""
    least: int = 1
    """Least characters of a group that is the secret; if none has them, the match is."""
    in_runs: bool = False
    """Search only long runs of letters and digits; cues are then in their own case."""
    begins_word: bool = False
    """Skip a match with a letter or digit before it: a pattern that looks behind is slower."""

    def find_in(self, text: str, *where: int) -> Iterator[SecretSpan]:
        """Yield where secrets of this kind stand, in a text or from one place to another."""
        for match in compiled(self.source).finditer(text, *where):
            if self.begins_word and _is_in_word(text, match.start()):
                continue
            spans = [match.span(group) for group in range(1, match.re.groups + 1)]
            start, stop = max(spans, key=lambda span: span[1] - span[0], default=(0, 0))
            if stop - start < self.least:
                start, stop = match.span()
            if stop > start:
                yield start, stop, self.kind


def _is_in_word(text: str, at: int) -> bool:
    """Return whether a letter or digit stands before a place, other than the end of an escape.

    Keys are of plain letters, and in Chinese no space stands before one.
    """
    last = text[max(at - 1, 0) : at]
    return last.isascii() and last.isalnum() and not _ESCAPE.search(text[max(at - 23, 0) : at])


class SecretPatterns:
    """Patterns that are searched together, each only where it may match."""

    def __init__(self, patterns: Iterable[SecretPattern]) -> None:
        known = tuple(patterns)
        self._anywhere = [each for each in known if not each.in_runs]
        self._in_runs = [each for each in known if each.in_runs]
        self._cues = sorted({cue for each in self._anywhere for cue in each.cues})
        self._run_cues = sorted({cue for each in self._in_runs for cue in each.cues})

    def find_in(self, text: str) -> Iterator[SecretSpan]:
        """Yield where secrets of these kinds stand, and of what kind each is."""
        low = text.casefold()
        present = frozenset(cue for cue in self._cues if cue in low)
        for known in self._anywhere:
            if not present.isdisjoint(known.cues):
                yield from known.find_in(text)
        # A run stands within one word, and most words are short.
        long = " ".join(word for word in text.split() if len(word) >= RUN_LEAST)
        present = frozenset(cue for cue in self._run_cues if cue in long)
        if not present:
            return
        runs = [found.span() for found in _RUN.finditer(text)]
        for known in self._in_runs:
            if not present.isdisjoint(known.cues):
                for run in runs:
                    yield from known.find_in(text, *run)


def find_keys(text: str) -> Iterator[SecretSpan]:
    """Yield where secrets with a form of their own stand, and of what kind each is."""
    return _all_patterns().find_in(text)


@cache
def _all_patterns() -> SecretPatterns:
    return SecretPatterns(key_patterns())


@cache
def key_patterns() -> tuple[SecretPattern, ...]:
    """Return the patterns of all secrets with a form of their own."""
    return (*_forms(), *_vendor_keys())


def _forms() -> Iterator[SecretPattern]:
    data = _read("forms.toml")
    parts: dict[str, str] = {}
    for name, part in data["parts"].items():
        parts[name] = _filled(part, parts)
    for kind, form in data["forms"].items():
        source = "(?x)" + _filled(form["pattern"], parts)
        yield SecretPattern(kind, source, tuple(form["cues"]), in_runs=form.get("in_runs", False))
    for names, option in data["options"].items():
        source = rf"(?:{names})[\w.]{{0,10}}[ \t](?:[^\n|;]{{0,120}}?[ \t])?{option}"
        source += f"(?x:{parts['value']})"
        yield SecretPattern("flag", source, word_tuple(names, "|"))


def _vendor_keys() -> Iterator[SecretPattern]:
    for key in _read("vendors.toml")["keys"]:
        begins = word_tuple(key["begin"])
        # Keys are of plain letters: what ends one may be a letter of another script.
        source = f"(?a:(?:{'|'.join(map(re.escape, begins))}){key['rest']})"
        inside = key.get("inside", False)
        yield SecretPattern(key["kind"], source, begins, in_runs=True, begins_word=not inside)


@cache
def stand_in(name: str) -> re.Pattern[str]:
    """Return a pattern of what stands where a secret could: a variable, a type, an example."""
    return re.compile(_read("forms.toml")["stand_ins"][name])


@cache
def compiled(source: str | re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first needed: all together take 80 ms."""
    return re.compile(source)


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))


def _filled(pattern: str, parts: dict[str, str]) -> str:
    """Return a pattern with parts in place of their names."""
    for name, part in parts.items():
        pattern = pattern.replace(f"{{{name}}}", part)
    return pattern
