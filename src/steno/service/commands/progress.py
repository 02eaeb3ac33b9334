"""A bar on stderr for work that takes its time, where somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from steno.transcript import Read

WORTH_A_BAR = 5_000_000
"""Bytes of a file that takes more than a moment."""


def watched(pieces: Iterable[Read], path: Path) -> Iterator[Read]:
    """The pieces; how far they are is shown for a large file, in a terminal."""
    size = path.stat().st_size
    packed = path.name.endswith(".gz")
    if not sys.stderr.isatty() or size * (5 if packed else 1) < WORTH_A_BAR:
        yield from pieces
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        # How large a packed file is inside is not known before its end.
        task = bar.add_task(f"reading {path.name}", total=None if packed else size)
        done = 0
        for count, piece in enumerate(pieces):
            done += sum(map(len, piece.lines))
            if count % 64 == 0:
                bar.update(task, completed=done)
            yield piece
