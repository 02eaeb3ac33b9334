"""The first lines of a file as JSON objects, for formats to recognise themselves by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steno.core.error import BadTranscript
from steno.transcript.lines import rows
from steno.transcript.piece import Json


def values(head: Sequence[str]) -> Iterator[tuple[int, Json]]:
    """The objects of the first lines and their line numbers, up to the first that is none."""
    try:
        for row in rows(head, "", strict=False):
            if isinstance(row.value, dict):
                yield row.number, row.value
    except BadTranscript:
        return
