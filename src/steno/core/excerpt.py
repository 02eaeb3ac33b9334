"""Shorten a long text to its head and its tail."""

from __future__ import annotations


def excerpt(text: str, most: int, omitted: str) -> str:
    """Return about `most` characters, two thirds from the head; cut at lines if one ends near."""
    if len(text) <= most:
        return text
    head = _to_line_end(text[: most * 2 // 3])
    tail = _from_line_start(text[len(text) - most // 3 :])
    return "\n".join(part for part in (head, omitted, tail) if part)


def _to_line_end(text: str) -> str:
    # Only in the second half: a long line must not cost most of what is to be kept.
    cut = text.rfind("\n", len(text) // 2)
    if cut < 0:
        return text
    return text[:cut]


def _from_line_start(text: str) -> str:
    cut = text.find("\n", 0, len(text) // 2 + 1)
    if cut < 0:
        return text
    return text[cut + 1 :]
