"""Measure what redaction costs for 10,000 tokens: `python bench/redact.py`.

The texts are generated here.
"""

from __future__ import annotations

import os
import platform
import statistics
import time

import steno

LOG = (
    "2031-05-04T10:11:12Z worker-7 INFO orders scanned 1,024 rows in 37 ms "
    "path=/srv/app/query_17.sql id=9f8e7d6c\n"
)
CODE = (
    "def total(rows: list[Row], *, skip: int = 0) -> int:\n    return "
    "sum(row.price for row in rows[skip:])\n"
)
PROSE = "The migration ran on Tuesday; nobody noticed until the nightly report came out empty. "


def main() -> None:
    print("python bench/redact.py")
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"{platform.machine()}; processor ms, median of 9"
    )
    redactor, meter = steno.Redactor(), steno.meter_for("gpt-5", "openai")
    for name, piece in (("log", LOG), ("code", CODE), ("prose", PROSE)):
        text = piece * (10_000 // meter.count(piece))
        times = []
        for _ in range(9):
            began = time.process_time()
            redactor.text(text)
            times.append((time.process_time() - began) * 1000)
        print(
            f"{name}: {meter.count(text):,} tokens, {len(text):,} characters: "
            f"{statistics.median(times):.1f} ms"
        )


if __name__ == "__main__":
    main()
