"""Whose words go out, and whether a returning list loses any: generated and recorded sessions.

    python -m bench own_words [DATA] [--histories 10000] [--window 16000] [--skip-data]

Generated histories are those of `tests/laws/test_whose_words.py`. Recorded sessions are sent by
strangers in turns, three at a time, and each is compacted and sent back at every door. Prints the
counts; fails at the first request that holds words of another caller, or list that loses some.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from bench.plain import conversations, data_folder, files, openai
from steno.errors import DoesNotFit
from tests.laws.test_whose_words import DOORS, returning_lists
from tests.support.own_words import marked, returns_whole, run_history, run_lists

NEW = 6
"""Newest messages of a recorded session that come after its list was compacted."""


def main() -> int:
    options = _options()
    compacted = sum(run_history(seed) for seed in range(options.histories))
    print(
        f"{options.histories:,} generated histories, {compacted:,} with a compaction: all own words"
    )
    seeds = range(options.histories)
    returned = sum(returns_whole(*returning_lists(seed), DOORS[seed % 3]) for seed in seeds)
    print(f"{options.histories:,} generated lists, {returned:,} of them compacted: nothing lost")
    if options.skip_data:
        return 0
    sent = shrunk = back = 0
    lists = _recorded(options.data)
    while together := list(islice(lists, 3)):
        sent += len(together)
        shrunk += run_lists(together, options.window)
        for messages in together:
            split = max(1, len(messages) - NEW)
            for door in DOORS:
                # A system prompt may be larger than the window.
                with suppress(DoesNotFit):
                    back += returns_whole(messages[:split], messages[split:], options.window, door)
    print(f"{sent:,} recorded sessions in turns, {shrunk:,} groups compacted: all own words")
    print(f"{3 * sent:,} returns of them, {back:,} compacted: nothing lost")
    return 0


def _recorded(data: str | None) -> Iterator[list[dict[str, Any]]]:
    number = 0
    for file in files(data_folder(data)):
        for talk in conversations(file):
            number += 1
            yield list(marked(number, openai(talk.rows).messages))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?")
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--window", type=int, default=16_000)
    parser.add_argument("--skip-data", action="store_true")
    return parser.parse_args()
