"""`steno log --follow`: fill, commits and what is left out, from the store alone."""

from __future__ import annotations

from pathlib import Path

import steno
from tests.support.command_line import Run
from tests.support.sample_messages import openai_talk


def test_the_table_says_how_full_sessions_are_and_what_they_leave_out(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "agent.db"
    small = steno.Session(path, name="small", window=8_000)
    small.add({"role": "user", "content": "hello"})
    long = steno.Session(path, name="long", model="gpt-5", window=4_000)
    for message in openai_talk(40):
        long.add(message)
        if message["role"] != "assistant":
            long.request()
    rows = {row["session"]: row for row in run("log", path, "--follow", "--json").json}
    assert rows["small"]["commits"] == rows["small"]["left_out"] == 0
    assert rows["small"]["dollars"] is None
    assert rows["long"]["commits"] == len(long.log.commits) > 0
    assert rows["long"]["left_out"] == long.log.tokens_spared > 0
    assert rows["long"]["dollars"] > 0
    assert 0 < rows["long"]["fill"] <= 100
    shown = run("log", path, "--follow").out
    assert "long" in shown and f"{rows['long']['left_out']:,}" in shown
    # Only a proxy and a wrapped client count requests.
    assert [line.split()[-1] for line in shown.splitlines()] == ["requests", "-", "-"]
