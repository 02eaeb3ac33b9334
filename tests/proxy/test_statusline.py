"""`steno statusline`: one line about the proxy that an agent's requests go through."""

from __future__ import annotations

import pytest

from tests.proxy.test_proxy import ask_claude, between
from tests.support.command_line import Run
from tests.support.loopback import Heard, Say
from tests.support.sample_messages import anthropic_talk


def half_cached(heard: Heard) -> Say:
    tokens = len(heard.prompt) // 4
    return Say("noted", sent=tokens, cached=tokens // 2)


@pytest.mark.slow
def test_it_says_what_the_newest_request_showed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with between(half_cached) as there:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", there.address)
        assert run("statusline", stdin=b"{}").out == ""
        whole = anthropic_talk(60)
        for end in range(21, len(whole) + 1, 20):
            ask_claude(there.claude, whole[:end])
        stats = there.settled()
        line = run("statusline", stdin=b'{"session_id": "s"}').out
        assert line.startswith("Steno: ") and line.count("\n") == 1
        shown, hidden = stats["newest_tokens"], stats["newest_spared"]
        assert f"{shown / 1000:.1f}k of {(shown + hidden) / 1000:.1f}k shown" in line
        assert "50% cached" in line
        assert 0 < stats["newest_compactions"] <= stats["requests"]
        assert f"{stats['newest_compactions']} compaction" in line


@pytest.mark.parametrize("address", ["", "http://127.0.0.1:9/none", "not an address"])
def test_without_a_proxy_it_says_nothing(
    address: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    ran = run("statusline", stdin=b"{}")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
