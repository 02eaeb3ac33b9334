"""Compare our summaries with those that vendors wrote: how many touched files does each name?

For every real compaction in the data, we summarize everything before it in no more characters than
the vendor took. A file counts as touched if a call names it, and as named if its path, or the part
of it that the summary uses for paths, is in the text.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import steno
from ground import tell, verdict, wide
from plain import Row, data_folder, openai
from steno.core.tail import Messages

PATHS = ("file_path", "path", "notebook_path", "filename")
WINDOW = 4_000_000


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?")
    folder = data_folder(parser.parse_args().data)
    console = wide()
    tell(console, f"{folder.name}/compacted.jsonl.gz")
    files = ours = theirs = compactions = longer = 0
    missing: list[str] = []
    for name, before, summary in _compactions(folder / "compacted.jsonl.gz"):
        paths = _touched(before)
        if not paths:
            continue
        told = _told(before, len(summary))
        compactions += 1
        longer += len(told) > len(summary)
        files += len(paths)
        ours += sum(path in told for path in paths)
        theirs += sum(path in summary or path.rpartition("/")[2] in summary for path in paths)
        missing += [f"{name}: {path}" for path in sorted(paths) if path not in told]
    console.print(f"{compactions} compactions, {files} files touched before them")
    console.print(f"named by the vendor's summary: {theirs / files:.1%} (by its name alone counts)")
    console.print(f"named by ours: {ours / files:.1%}; ours was longer {longer} times")
    for each in missing[:8]:
        console.print(f"  not named: {each}", highlight=False)
    missed = [f"{files - ours} files are not named"] if ours < files else []
    return verdict(
        console, missed + ([f"{longer} summaries are longer than the vendor's"] if longer else [])
    )


def _compactions(path: Path) -> Iterator[tuple[str, list[Row], str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            read = json.loads(line)
            start = 0
            for at, row in enumerate(read["messages"]):
                if (row.get("meta") or {}).get("kind") == "compact_summary" and row["content"]:
                    yield f"{read['id']}@{at}", read["messages"][start:at], row["content"]
                    start = at


def _touched(rows: list[Row]) -> set[str]:
    found = set()
    for row in rows:
        for call in row.get("tool_calls") or ():
            try:
                read: Any = json.loads(call["arguments"])
            except ValueError:
                continue
            if isinstance(read, dict):
                found |= {
                    read[key]
                    for key in PATHS
                    if isinstance(read.get(key), str) and "/" in read[key]
                }
    return found


def _told(rows: list[Row], characters: int) -> str:
    """Return our summary of these rows within so many characters."""
    limit = characters // 4
    while True:
        ladder = (steno.rungs.Summarize(share=1.0, max_tokens=limit, in_place=False),)
        policy = steno.Policy(
            goal="tail", tail=Messages(1), ladder=ladder, every_round=(), reserve=0
        )
        session = steno.Session(wire="openai", window=WINDOW, policy=policy)
        session.add(*openai(rows).messages, {"role": "user", "content": "Go on."})
        session.compact()
        told = "\n".join(item.shows[0].text for item in session.view.items if item.summary)
        if len(told) <= characters or limit < 50:
            return told
        limit = int(limit * 0.9)


if __name__ == "__main__":
    sys.exit(main())
