"""Shorten a long text to its head and its tail."""

from __future__ import annotations


def excerpt(text: str, most: int, omitted: str) -> str:
    """Return about `most` characters, two thirds from the head; cut at lines if one ends near."""
    if len(text) <= most:
        return text
    head, tail = text[: most * 2 // 3], text[len(text) - most // 3 :]
    # Only in the half at the gap: a long line must not cost most of what is to be kept.
    head_end = head.rfind("\n", len(head) // 2)
    if head_end >= 0:
        head = head[:head_end]
    tail = tail[tail.find("\n", 0, len(tail) // 2 + 1) + 1 :]
    return "\n".join(part for part in (head, omitted, tail) if part)
