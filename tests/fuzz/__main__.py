"""Fuzz for a while: `python -m tests.fuzz [--seconds 60] [target …]`.

Each target gets changed inputs of its corpus. A finding is made smaller, printed, and written
into the corpus, where the suite replays it until it is mended and ever after.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from random import Random

from tests.fuzz.mutate import mutate
from tests.fuzz.targets import TARGETS, try_target

CORPUS = Path(__file__).parent / "corpus"
SLOW_SECONDS = 5.0
"""CPU time that no input may take."""
SHRINK_SECONDS = 30.0


def corpus_of(target: str) -> list[bytes]:
    return [file.read_bytes() for file in sorted((CORPUS / target).iterdir())]


def fuzz(target: str, seconds: float, seed: int) -> tuple[Counter[str], bytes | None]:
    """Fuzz one target; return what happened, and a small input that fails, if one was found."""
    corpus = corpus_of(target)
    tally: Counter[str] = Counter()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        chance = Random(seed)
        data = mutate(chance.choice(corpus), corpus, chance)
        tally["inputs"] += 1
        failure = failure_of(target, data, tally)
        if failure is not None:
            print(f"{target}: seed {seed}")
            traceback.print_exception(failure)
            return tally, smaller(target, data, type(failure))
        seed += 1
    return tally, None


def failure_of(target: str, data: bytes, tally: Counter[str]) -> Exception | None:
    began = time.process_time()
    try:
        tally["accepted"] += try_target(target, data)
        assert time.process_time() - began < SLOW_SECONDS, "too slow"
    except Exception as failure:  # noqa: BLE001 — any exception is a finding
        return failure
    return None


def smaller(target: str, data: bytes, kind: type[Exception]) -> bytes:
    """Return as few of the bytes as fail in the same way."""
    until = time.monotonic() + SHRINK_SECONDS
    size = len(data) // 2
    while size and time.monotonic() < until:
        for start in range(0, len(data), size):
            less = data[:start] + data[start + size :]
            if isinstance(failure_of(target, less, Counter()), kind):
                data = less
                break
        else:
            size //= 2
    return data


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()) * 1_000_000)
    given = parser.parse_args()
    found = 0
    for target in given.targets or TARGETS:
        tally, failed = fuzz(target, given.seconds, given.seed)
        print(f"{target}: {tally['inputs']:,} inputs, {tally['accepted']:,} accepted", flush=True)
        if failed is not None:
            found += 1
            name = blake2b(failed, digest_size=6).hexdigest()
            (CORPUS / target / f"found-{name}").write_bytes(failed)
            print(f"{target}: FAILED, see corpus/{target}/found-{name}", flush=True)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
