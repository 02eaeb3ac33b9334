"""Tables of words, each written as one text instead of a word a line."""

from __future__ import annotations


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text that holds nothing else."""
    return frozenset(text.split())


def word_tuple(text: str, separator: str | None = None) -> tuple[str, ...]:
    """Return the words of a text in order; a separator allows spaces in them."""
    return tuple(text.split(separator))
