"""Thinking is said to nobody: Steno neither quotes, counts nor finds its words."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import steno
from steno.core.message import Message, Text, Thinking
from steno.engine.designs import POLICIES
from steno.facts.ledger import Ledger, facts_of
from steno.recall.index import SUFFIX
from tests.support.command_line import Run

THOUGHTS = (
    "Hmm, wait, maybe zqxvault is wrong. We decided to use zqxvault because it is faster.",
    "I must never forget zqxvault/core.py. Next, I'll edit zqxvault. TODO: zqxvault.",
    "Error: zqxvault failed. Let me double-check zqxvault again.",
)
WORD = "zqxvault"


def thoughtful_session(
    seed: int, policy: str = "default", path: Path | None = None, *, tag: str = ""
) -> steno.Session:
    random = Random(seed)
    session = steno.Session(path, wire="anthropic", window=4_000, policy=policy)
    for turn in range(40):
        thought = {"type": "thinking", "thinking": random.choice(THOUGHTS), "signature": f"s{turn}"}
        said = {"type": "text", "text": f"Part {turn} lists widgets of kind {turn % 7}. " * 6}
        content = [thought, said]
        if tag:
            said["text"] = f"<{tag}>\n{thought['thinking']}\n</{tag}>\n\n{said['text']}"
            content = [said]
        session.add(
            {"role": "user", "content": f"Look at part {turn} of the report. " * 4},
            {"role": "assistant", "content": content},
        )
    return session


@pytest.mark.parametrize("seed", range(2))
def test_no_fact_holds_words_of_thinking(seed: int) -> None:
    messages = thoughtful_session(seed).log.messages
    assert any(isinstance(block, Thinking) for each in messages for block in each.blocks)
    stated = [fact for message in messages for fact in facts_of(message)]
    assert [fact for fact in stated if WORD in fact.words + fact.key + fact.note] == []
    assert WORD not in str(Ledger.of(messages).constraints)


@pytest.mark.parametrize("tag", ["think", "thinking"])
def test_no_fact_holds_words_of_reasoning_in_tags(tag: str) -> None:
    messages = thoughtful_session(0, tag=tag).log.messages
    assert WORD in str(messages[1].blocks)
    stated = [fact for message in messages for fact in facts_of(message)]
    assert [fact for fact in stated if WORD in fact.words + fact.key + fact.note] == []


def test_tags_after_the_first_words_are_words() -> None:
    for text in ("See <think>a</think>.", "<think> opens it", "<thinking>a</think>"):
        assert Message("assistant", (Text(text),)).text == text
    assert Message("user", (Text("<think>a</think>b"),)).text == "<think>a</think>b"
    assert Message("assistant", (Text("<think>a</think>\n<think>b</think> c"),)).text == "c"


@pytest.mark.parametrize("tag", ["", "think"])
@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_nothing_that_steno_says_holds_words_of_thinking(policy: str, tag: str) -> None:
    session = thoughtful_session(4, policy, tag=tag)
    commit = session.compact()
    assert commit is not None
    ours = [message for message in session.view.visible_messages if message.by != "caller"]
    assert ours
    assert [message for message in ours if WORD in message.text] == []
    assert WORD not in repr(commit)


def test_a_search_does_not_find_thinking() -> None:
    session = thoughtful_session(1)
    assert session.recall(WORD).hits == ()
    assert session.recall("widgets of kind 3").hits


@pytest.mark.parametrize("form", [(), ("--view",)])
def test_an_export_holds_thinking_only_where_it_was_thought(
    form: tuple[str, ...], tmp_path: Path, run: Run
) -> None:
    store, out = tmp_path / "agent.db", tmp_path / "out.jsonl"
    with thoughtful_session(2, path=store) as session:
        assert session.compact() is not None
        session.recall("widgets of kind 3")
    assert run("export", store, *form, "-o", out).code == 0
    lines = out.read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 3
    assert [line for line in lines if WORD in json.dumps(without_thinking(json.loads(line)))] == []
    # Told of the session, thinking is not told either.
    for command in ("log", "show", "check"):
        assert WORD not in run(command, store, "--json").out
    index = Path(f"{store}{SUFFIX}")
    assert index.exists() and WORD.encode() not in index.read_bytes()


def test_the_page_of_a_replay_holds_no_thinking(tmp_path: Path, run: Run) -> None:
    store, page = tmp_path / "agent.db", tmp_path / "page.html"
    thoughtful_session(3, path=store).close()
    options = ("--window", "2k", "-p", "default")
    assert run("replay", store, *options, "--html", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert "widgets of kind" in text
    assert WORD not in text


def without_thinking(value: Any) -> Any:
    """Return JSON without blocks of thinking, which are the reply's own."""
    if isinstance(value, list):
        return [without_thinking(each) for each in value if not is_thinking(each)]
    if isinstance(value, dict):
        return {name: without_thinking(each) for name, each in value.items()}
    return value


def is_thinking(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "thinking"
