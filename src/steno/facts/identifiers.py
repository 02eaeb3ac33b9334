"""Identifiers: paths, names, hashes, long numbers and addresses in a text.

They are the smallest things that a text can be held to. An identifier has at least six
characters, without the dots, colons and dashes at its ends; names in quotes count where
a person or the assistant speaks. How rare one is, `summary.worth` computes.
"""

from __future__ import annotations

import re

LEAST = 6
LONGEST = 512
"""What runs on for longer is a blob, not a name."""
EDGES = ".:-"
_RUN = re.compile(r"[A-Za-z0-9_./:\-]{6,}")
# An address may stand inside of another, or begin where a name already ran into it.
_ADDRESS = re.compile(r"(?=(https?://[^\s\"'<>)\]}]{1,1024}))")
_IN_A_RUN = re.compile(
    r"[A-Za-z0-9_.\-]*+(?:/[A-Za-z0-9_.\-]+)+|[A-Za-z_][A-Za-z0-9_]*(?:[._\-:][A-Za-z0-9_]+)+"
    r"|[A-Za-z]+[A-Z][A-Za-z0-9]+|[A-Za-z]*\d[A-Za-z0-9]{5,}|\b\d{4,}\b"
)
_QUOTED = re.compile(
    r"`([^`\n]{2,60})`|\"([^\"\n]{2,60})\"|“([^”\n]{2,60})”|„([^“\n]{2,60})“|«\s?([^»\n]{2,60})»"
    r"|「([^」\n]{2,60})」"
)
_QUOTES = '`"“„«「'


def find_identifiers(text: str) -> list[str]:
    """Return the names in a text, each once, as they first stand there, addresses last."""
    found: dict[str, None] = {}
    # An identifier lies inside one run of its characters, and most runs come back many times.
    for run in dict.fromkeys(_RUN.findall(text)):
        # A plain word, as most runs are: the cheap test comes before the pattern.
        if run.isalpha() and run[1:].islower():
            continue
        # Read below: an address may hold characters at which a run ends.
        if run.startswith(("https://", "http://")):
            continue
        for part in (run,) if len(run) <= LONGEST else _split_run(run):
            for atom in _IN_A_RUN.findall(part):
                bare = atom.strip(EDGES)
                if len(bare) >= LEAST:
                    found[bare] = None
    if "://" in text:
        found |= dict.fromkeys(each.strip(EDGES) for each in _ADDRESS.findall(text))
    return list(found)


def _split_run(run: str) -> list[str]:
    """Return the names in a run too long for one, as in a search path."""
    return [part for part in run.split(":") if LEAST <= len(part) <= LONGEST]


class NameRuns:
    """The runs of name characters in a text, each once: quicker to search than the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._runs = "\n".join(dict.fromkeys(_RUN.findall(text)))

    def contains(self, name: str) -> bool:
        """Tell whether the text holds a name, also as part of a longer one."""
        # What is made of the characters of a run, and is long enough for one, stands inside of one.
        return name in (self._runs if _RUN.fullmatch(name) else self._text)


def quoted_names(prose: str) -> list[str]:
    """Return the names that stand in quotes."""
    if not any(mark in prose for mark in _QUOTES):
        return []
    names = ("".join(found).strip() for found in _QUOTED.findall(prose))
    return [name for name in dict.fromkeys(names) if any(letter.isalpha() for letter in name)]
