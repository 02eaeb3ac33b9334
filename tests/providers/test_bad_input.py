"""Bad input gets one clear error that says what and where, and changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import steno
from steno.providers.shared.plain_json import parse_json, parse_json_texts
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk

HI = [{"role": "user", "content": "hi"}]


@pytest.mark.slow
@proves("input.clear")
@pytest.mark.parametrize(
    ("messages", "options", "says"),
    [
        ("hi", {}, "messages= takes a list, got str"),
        (None, {}, "messages= takes a list, got NoneType"),
        ({"role": "user"}, {}, "messages= takes a list, got dict"),
        ([{"role": "user"}], {}, r"messages\[0\]: a user's message needs a content"),
        (
            [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}],
            {"wire": "openai"},
            r"messages\[0\].content: tool_result is a block of Anthropic's",
        ),
        (["hi"], {"wire": "openai"}, r"messages\[0\]: a message must be an object, got str"),
        (
            [object()],
            {"wire": "openai"},
            r"messages\[0\]: a object is neither JSON nor an SDK object",
        ),
        (
            [{"role": "user", "content": b"x"}],
            {"wire": "openai"},
            r"messages\[0\].content: a bytes",
        ),
        (
            [{"role": "user", "content": float("nan")}],
            {"wire": "openai"},
            r"content: nan is not JSON",
        ),
        ([{"role": "user", 3: "x"}], {"wire": "openai"}, "a key is a int"),
        (
            [{"role": "robot", "content": "x"}],
            {"wire": "openai"},
            r"messages\[0\].role: unknown role 'robot'",
        ),
        (
            [{"role": "tool", "content": "x"}],
            {"wire": "anthropic"},
            r"messages\[0\].role: unknown role 'tool'",
        ),
        ([{"content": "x"}], {"wire": "openai"}, "unknown role None"),
        ([{"role": ["user"], "parts": []}], {"wire": "gemini"}, r"unknown role \['user'\]"),
        (
            [{"role": "user", "content": 3}],
            {"wire": "openai"},
            r"messages\[0\].content: must be a string, a list",
        ),
        (
            [{"role": "user", "content": None}],
            {"wire": "anthropic"},
            r"messages\[0\].content: must be a string or a",
        ),
        (
            [{"role": "user", "content": [3]}],
            {"wire": "anthropic"},
            r"messages\[0\].content\[0\]: a block must be",
        ),
        (
            [{"role": "user", "content": [{"type": "text"}]}],
            {"wire": "openai"},
            r"content\[0\].text: must be a string",
        ),
        (
            [{"role": "assistant", "tool_calls": ["x"]}],
            {},
            r"messages\[0\].tool_calls\[0\]: a call must be an object",
        ),
        (
            [{"role": "assistant", "tool_calls": [{"id": "a"}]}],
            {},
            r"tool_calls\[0\].function: must be an object",
        ),
        (
            [
                {"role": "tool", "tool_call_id": "a", "content": "hi"},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]},
            ],
            {},
            "cannot tell whose messages these are: pass wire=. Tried openai: messages",
        ),
        (
            HI,
            {"wire": "cohere"},
            "unknown wire 'cohere'; there are openai, anthropic, openai-responses, .*, bedrock. "
            "If it is a wire of your own, pass wire= again, with the wire itself",
        ),
        (HI, {"wire": "openai", "window": 0}, "window must be positive, got 0"),
        (HI, {"wire": "openai", "window": -5}, "window must be positive, got -5"),
        (
            HI,
            {"wire": "openai", "window": "big"},
            "window= takes a whole number, got str",
        ),
        (HI, {"wire": "openai", "window": None}, "say how much fits: window= in tokens, or model="),
        (
            HI,
            {"wire": "openai", "window": None, "model": "gpt-99-imaginary"},
            "pass window= with its size",
        ),
        (
            HI,
            {"wire": "openai", "reserve": 20_000},
            "reserve must be at least 0 and under the window",
        ),
        (
            HI,
            {"wire": "openai", "policy": steno.Policy(goal=1.2)},
            "0 < goal < soft ≤ hard ≤ 1, got goal 1.2",
        ),
        (HI, {"wire": "openai", "policy": steno.Policy(goal=0.9)}, "0 < goal < soft"),
        (
            HI,
            {"wire": "openai", "system": 7},
            "system must be a string or a list of text blocks, got int",
        ),
        (
            HI,
            {"wire": "openai", "tools": {"a": 1}},
            "tools must be a list of definitions, got dict",
        ),
    ],
)
def test_an_error_says_what_and_where(messages: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(steno.BadInput, match=says):
        steno.compact(messages, **{"window": 10_000} | options)


@proves("input.clear")
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"name": 5}, "name= takes a text, got int"),
        ({"model": 5}, "model= takes a text, got int"),
        ({"model": "gpt\ud800"}, "model= is one line of text, got 'gpt"),
        ({"agent_name": 5}, "agent_name= takes a text, got int"),
        ({"wire": 5}, "wire= takes a name or a Wire, got int"),
        ({"meter": 5}, "meter= takes a Meter, got int"),
        ({"log": 5}, "log= takes a Log, got int"),
        ({"embedder": 5}, "embedder= takes an object with `embed`, got int"),
        ({"durable": "no"}, "durable= takes True or False, got str"),
        ({"memory": "no"}, "memory= takes True or False, got str"),
        (
            {"constraints": {"warehouse": "Never open it."}},
            "constraints= takes a list, each a text or a Constraint, got dict",
        ),
        ({"window": 10**30}, "got a number too large to keep"),
        ({"window": 10**5_000}, "got a number too large to keep"),
        ({"system": "a\ud800"}, "system: .* is half of a surrogate pair and no character"),
        ({"system": 10**4_000}, "system must be a string or a list of text blocks, got int"),
        ({"tools": [{"name": "a\ud800"}]}, "tools: .* is half of a surrogate pair"),
    ],
)
def test_a_wrong_option_of_a_session_is_named(options: dict[str, Any], says: str) -> None:
    with pytest.raises(steno.BadInput, match=says):
        steno.Session(**{"wire": "openai", "window": 10_000} | options)


@proves("input.clear")
@pytest.mark.parametrize(
    ("message", "usage", "says"),
    [
        ({"role": "user", "content": 10**4_000}, None, r"messages\[0\].content: must be a text"),
        (
            {"role": "user", "content": [{"type": "text", "text": 10**4_000}]},
            None,
            r"messages\[0\].content\[0\].text: must be a text, got int",
        ),
        (HI[0], -5, "usage= reports -5 prompt tokens: a count is 0 or more"),
        (HI[0], {"prompt_tokens": -5}, "usage= reports -5 prompt tokens"),
    ],
)
def test_what_would_be_kept_wrongly_is_refused(message: Any, usage: Any, says: str) -> None:
    session = steno.Session(wire="openai", window=10_000)
    with pytest.raises(steno.BadInput, match=says):
        session.add(message, usage=usage)
    assert not session.log.messages


@proves("input.clear")
def test_a_bad_message_leaves_the_session_as_it_was() -> None:
    session = steno.Session(wire="openai", window=10_000)
    session.add(*HI)
    with pytest.raises(steno.errors.BadMessage, match=r"messages\[2\].role"):
        session.add({"role": "assistant", "content": "fine"}, {"role": "robot"})

    assert session.messages() == HI


@proves("wire.types")
def test_unknown_blocks_and_fields_are_carried() -> None:
    said = [{"role": "user", "content": [{"type": "hologram", "data": [1e2]}], "mood": "odd"}]

    for wire in ("openai", "anthropic"):
        assert steno.compact(said, window=10_000, wire=wire).messages == said


@proves("input.hostile")
def test_an_empty_conversation_is_a_conversation() -> None:
    result = steno.compact([], window=10_000, wire="anthropic")

    assert result.messages == [] and result.commit is None


@proves("preamble.overflow")
def test_a_fixed_part_over_what_is_usable_lands_and_says_so() -> None:
    events: list[steno.Event] = []
    large = "rule " * 3_700
    result = steno.compact(openai_talk(20), window=4_000, system=large, on_event=events.append)

    assert result.commit is not None
    assert not result.commit.fits
    assert not result.within_window
    overflow = [event for event in events if isinstance(event, steno.events.Overflow)]
    assert overflow[0].window == 4_000
    assert overflow[0].usable < overflow[0].preamble < overflow[0].window
    with pytest.raises(steno.errors.DoesNotFit, match=r"system prompt and tools are 3,7"):
        steno.compact(openai_talk(20), window=4_000, system=large, strict=True)


@proves("preamble.overflow")
def test_a_fixed_part_over_the_window_is_an_error_with_the_numbers() -> None:
    session = steno.Session(wire="openai", window=4_000, system="rule " * 20_000)
    session.add(*openai_talk(2))

    with pytest.raises(steno.errors.DoesNotFit, match="offer fewer tools") as refused:
        session.request()

    assert refused.value.window == 4_000 < refused.value.preamble
    assert 0 < refused.value.words < 4_000
    session.add({"role": "user", "content": "word " * 9_000})
    with pytest.raises(steno.errors.DoesNotFit):
        session.messages()


@proves("preamble.overflow")
def test_a_refused_system_prompt_or_tool_changes_nothing(tmp_path: Path) -> None:
    long = "rule " * 20_000
    tool = {"type": "function", "function": {"name": "look", "description": long}}
    path = tmp_path / "a.db"
    with steno.Session(path, wire="openai", window=4_000, system="Be brief.") as session:
        session.add(*openai_talk(2))
        before = session.request()
        load = session.load
        for refused in ({"system": long}, {"tools": [tool]}, {"system": "Hi.", "tools": [tool]}):
            with pytest.raises(steno.errors.DoesNotFit, match="offer fewer tools"):
                session.request(**refused)
            assert session.load == load
            assert session.messages() == before["messages"][1:]
        assert session.request() == before
    with steno.Session(path) as again:
        assert again.request() == before


@proves("preamble.overflow")
def test_pinned_words_over_the_window_are_announced_with_what_to_do() -> None:
    events: list[steno.Event] = []
    talk = [*openai_talk(4), {"role": "user", "content": "word " * 9_000}]
    told = {"wire": "openai", "window": 4_000, "on_event": events.append}
    session = steno.Session(**told)
    session.add(*talk)
    session.pin(len(talk) - 1)
    session.messages()

    overflow = [event for event in events if isinstance(event, steno.events.Overflow)]
    assert overflow[-1].words > overflow[-1].window > overflow[-1].preamble
    strict = steno.Session(**told, strict=True)
    strict.add(*talk)
    strict.pin(len(talk) - 1)
    with pytest.raises(steno.errors.DoesNotFit, match="send less at once"):
        strict.messages()


@proves("preamble.overflow")
def test_a_strict_session_asks_no_model_for_what_cannot_fit() -> None:
    class Never:
        def answer(self, ask: steno.models.Ask) -> steno.models.Reply:
            raise AssertionError("asked")

    with pytest.raises(steno.errors.DoesNotFit):
        steno.compact(
            openai_talk(20),
            window=4_000,
            system="rule " * 20_000,
            strict=True,
            writer=Never(),
            force=True,
        )


@proves("preamble.overflow")
def test_what_cannot_fit_is_not_tried_again_before_something_new_is_said() -> None:
    events: list[steno.Event] = []
    session = steno.Session(
        wire="openai", window=4_000, system="rule " * 3_700, on_event=events.append
    )
    session.add(*openai_talk(20))
    session.messages()
    tried = len(events)
    session.messages()
    session.messages()

    assert len(events) == tried


def test_one_odd_text_does_not_change_how_the_others_are_read() -> None:
    texts = ['{"a":1}', r'{"b":"\ud800"}', '{"c":123456789012345678901}', "[]"]
    for some in ([], texts[:1], texts[3:], texts):
        assert parse_json_texts(some) == list(map(parse_json, some))
