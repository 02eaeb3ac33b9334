"""Claude Agent SDK: its own client and the agent that it brings, the model on loopback."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

sdk = pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed")

from steno.adapters.frameworks import claude_agent_sdk as adapter
from steno.adapters.frameworks.claude_agent_sdk import with_steno
from tests.frameworks import story
from tests.support.loopback import Heard, Loopback, Reply, Say

PACKAGE = "claude-agent-sdk"
NOT_HERE = {
    "story": "the agent compacts by itself; its prompt exceeds 8k",
    "constraints": "by `steno proxy`",
    "async": "the SDK has no other calls",
    "handoffs, sub-agents": "the agent's own; their transcripts are not read",
    "kill and resume": "its own sessions",
    "too long: shorter": "by `steno proxy`",
    "streams": "by `steno proxy`",
    "Steno fails: sent as it came": "a hook that fails changes nothing",
}

RECALL = "mcp__steno__recall"
SECRET_WORD = "The door code of ann is 4711-ann."


def brain(heard: Heard) -> Reply:
    if "followed by a <summary> block" in heard.prompt:
        return Say("<summary>A book was read.</summary>")
    last = json.dumps(story.items(heard)[-1])
    if story.FIRST_WORDS in last and "tool_result" not in last:
        return Say(calls=((RECALL, {"query": "door code"}),))
    return Say("I have read it.")


async def talk(server: Loopback, folder: Path) -> None:
    options = sdk.ClaudeAgentOptions(
        **with_steno(folder / "a.db"),
        cwd=folder,
        setting_sources=[],
        model="claude-sonnet-4-5",
        env={
            "ANTHROPIC_BASE_URL": server.anthropic,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CONFIG_DIR": str(folder / "config"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )
    async with sdk.ClaudeSDKClient(options) as client:
        parts = [f"Go on. {story.read('ann', part)}" for part in range(12)]
        for words in (f"{story.SPOKEN} {SECRET_WORD}", *parts, "/compact", story.FIRST_WORDS):
            await client.query(words)
            async for _ in client.receive_response():
                pass


def test_recall_opens_what_a_compaction_has_kept_and_handed_over(tmp_path: Path) -> None:
    with Loopback(brain, aside=True) as server:
        asyncio.run(talk(server, tmp_path))
    after, answered = server.heard[-2:]
    # The agent's own summary lost the constraint and the word; the handover has them.
    assert "A book was read." in after.prompt
    assert story.SPOKEN in after.prompt and SECRET_WORD in after.prompt
    assert RECALL in story.tools(after)
    assert SECRET_WORD in json.dumps(story.items(answered)[-1])


def test_the_line_of_the_page_adds_hooks_and_tools() -> None:
    options = story.made_by_the_page(adapter, ClaudeAgentOptions=sdk.ClaudeAgentOptions)
    assert set(json.loads(options.settings)["hooks"]) == {"PreCompact", "SessionStart"}
    assert "steno" in options.mcp_servers
