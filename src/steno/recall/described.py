"""Hits as an agent or a person reads them: where it stands, who said it, and its words.

Hits that say much the same are folded into one: of a file that was read again, the newest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from steno.core.escape import one_line
from steno.recall.query import PROGRAM, Hit

START_LEAST = 2_000
"""Characters into a message from which on a hit says where to start reading."""
HITS = 5
"""Hits of an answer, unless more are asked for."""
WHOLE_HITS, BRIEF_HIT = 2, 120
"""Hits of an answer whose snippets are shown whole, and characters of the others'."""
COPY_SHARE, LOOKED_AT = 0.6, 2
"""Share of equal words from which on two hits are copies, and how many times `most` is sought."""
PATH_PARTS, PATH_MOST = 3, 80
"""Parts and characters of a path that are shown, the last."""


class DescribedHit(NamedTuple):
    """A hit as an answer shows it."""

    place: str
    author: str
    words: str
    stands_for: int
    """Messages that it stands for: itself, and those that say much the same."""

    def __str__(self) -> str:
        return one_line(f"[{self.place}] {self.author}: {self.words}")


def describe_hits(
    hits: Sequence[Hit], most: int, label: Callable[[Hit], str]
) -> list[DescribedHit]:
    """Return at most so many hits, best first: its label, who said it, and its words.

    Mostly the first few answer; the others are shown in a few words, to be opened if not.
    """
    described: list[DescribedHit] = []
    for hit, copies in _fold_copies(hits)[:most]:
        words = hit.snippet
        if len(described) >= WHOLE_HITS and len(words) > BRIEF_HIT:
            words = f"{words[:BRIEF_HIT].rstrip()} …"
        place = label(hit)
        if copies:
            place += f"; much the same at {', '.join(str(copy.position) for copy in copies)}"
        described.append(DescribedHit(place, _author(hit), words, 1 + len(copies)))
    return described


def hit_place(hit: Hit) -> str:
    """Return what to open to read a hit."""
    # A result stands for itself; of a call its result may tell more.
    if hit.pair is not None and hit.pair > hit.position and "." not in hit.place:
        return f"{hit.place}-{hit.pair}"
    return hit.place


def _fold_copies(hits: Sequence[Hit]) -> list[tuple[Hit, list[Hit]]]:
    """Return hits with those that say much the same, each in the place of the best of them.

    The newest is shown: of a file that was read again it is what the file says now.
    """
    folded: list[tuple[Hit, list[Hit]]] = []
    for hit in hits:
        same = next((at for at, (first, _) in enumerate(folded) if _are_copies(first, hit)), None)
        if same is None:
            folded.append((hit, []))
            continue
        first, copies = folded[same]
        if hit.position > first.position:
            first, hit = hit, first
        folded[same] = (first, [*copies, hit])
    return folded


def _are_copies(one: Hit, other: Hit) -> bool:
    """Tell whether two hits show nearly the same words of one tool, about one file if any."""
    source = (one.session, one.tool, one.path)
    # What people and agents say in nearly the same words may differ in the one that counts.
    if not one.tool or source != (other.session, other.tool, other.path):
        return False
    first, second = set(one.snippet.split()), set(other.snippet.split())
    return len(first & second) >= COPY_SHARE * max(len(first), len(second))


def _author(hit: Hit) -> str:
    """Return who said it, and about which file: code alone does not tell.

    A tool's words are marked, also if another message repeats them.
    """
    file = "/".join(hit.path.split("/")[-PATH_PARTS:])[-PATH_MOST:]
    by = " ".join(filter(None, (hit.role, hit.tool, file)))
    if hit.trust == "tool" and hit.role not in ("tool", PROGRAM):
        return f"{by}, a tool's words"
    return by
