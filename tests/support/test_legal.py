"""The judge of provider rules, judged: each rule lets one example through and alone refuses
another.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import legal, legal_responses

Messages = list[dict[str, Any]]
Case = tuple[
    str, str, dict[str, Any], dict[str, Any], str
]  # provider, rule, legal, illegal, what it says


def user(content: Any = "go") -> dict[str, Any]:
    return {"role": "user", "content": content}


def said(content: Any = "done", **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def call(call_id: Any = "c1", name: Any = "read", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*ids: Any) -> dict[str, Any]:
    return said(None, tool_calls=[call(i) for i in ids])


def result(call_id: Any = "c1", content: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def text(words: Any = "words", **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def use(call_id: Any = "t1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "read", "input": {}, **more}


def served(call_id: str = "srvtoolu_1") -> dict[str, Any]:
    return {"type": "server_tool_use", "id": call_id, "name": "web_search", "input": {}}


def found(call_id: str = "srvtoolu_1") -> dict[str, Any]:
    return {"type": "web_search_tool_result", "tool_use_id": call_id, "content": []}


def answer(call_id: Any = "t1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "ok", **more}


def thought(signature: Any = "sig", words: Any = "hm") -> dict[str, Any]:
    return {"type": "thinking", "thinking": words, "signature": signature}


def image(**source: Any) -> dict[str, Any]:
    return {"type": "image", "source": source}


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"messages": list(messages), **more}


SYSTEM = {"role": "system", "content": "be brief"}
MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
PNG = image(type="base64", media_type="image/png", data="aGk=")
LOOP = (said([thought(), use()]), user([answer()]))


def openai(rule: str, good: dict[str, Any], bad: dict[str, Any], says: str) -> Case:
    return "openai_chat", rule, good, bad, says


def claude(rule: str, good: dict[str, Any], bad: dict[str, Any], says: str) -> Case:
    return "anthropic", rule, good, bad, says


def openai_cases() -> list[Case]:
    with_part = [text(), {"type": "image_url", "image_url": {"url": "data:,"}}]
    return [
        openai("messages_are_a_list_of_some", body(user()), body(), "non-empty list"),
        openai("messages_are_a_list_of_some", body(user()), {}, "non-empty list"),
        openai("messages_are_a_list_of_some", body(user()), body("go"), "must be an object"),
        openai(
            "every_role_is_known",
            body(SYSTEM, {**SYSTEM, "role": "developer"}),
            body(user() | {"role": "steno"}),
            "'steno'",
        ),
        openai(
            "content_fits_its_role",
            body(said("")),
            body(said(None)),
            "content of a assistant message is missing",
        ),
        openai(
            "content_fits_its_role",
            body(said(None, refusal="no")),
            body(said(None, refusal=None)),
            "is missing",
        ),
        openai(
            "content_fits_its_role",
            body(user("")),
            body(user(None)),
            "content of a user message is missing",
        ),
        openai(
            "content_fits_its_role",
            body(user([text()])),
            body(user([])),
            "content is an empty list",
        ),
        openai(
            "content_fits_its_role",
            body(calls("c1"), result()),
            body(calls("c1"), result(content=None)),
            "is missing",
        ),
        openai(
            "content_fits_its_role",
            body(calls("c1"), result(content=[text()])),
            body(calls("c1"), result(content={})),
            "neither",
        ),
        openai(
            "content_fits_its_role",
            body(user(with_part)),
            body(calls("c1"), result(content=with_part)),
            "cannot carry 'image_url'",
        ),
        openai(
            "content_fits_its_role",
            body(said([text()])),
            body(said([text(None)])),
            "text is not a string",
        ),
        openai(
            "names_are_plain",
            body(user() | {"name": "Ada"}),
            body(user() | {"name": "Ada L."}),
            "name 'Ada L.'",
        ),
        openai(
            "names_are_plain",
            body({"role": "function", "name": "f", "content": "1"}),
            body({"role": "function", "content": "1"}),
            "name None",
        ),
        openai(
            "calls_are_well_formed",
            body(said("hi")),
            body(said("hi", tool_calls=[])),
            "tool_calls is not a list of 1 to 128",
        ),
        openai(
            "calls_are_well_formed",
            body(said("hi")),
            body(said("hi", tool_calls=None)),
            "tool_calls is not a list of 1 to 128",
        ),
        openai(
            "calls_are_well_formed",
            body(calls(*map(str, range(128)))),
            body(calls(*map(str, range(129)))),
            "1 to 128",
        ),
        openai(
            "calls_are_well_formed",
            body(calls("c1")),
            body(user() | {"tool_calls": [call()]}),
            "only an assistant",
        ),
        openai(
            "calls_are_well_formed",
            body(calls("c1")),
            body(said(None, tool_calls=[call() | {"type": "tool"}])),
            "type 'tool'",
        ),
        openai(
            "callee_is_named",
            body(said(None, tool_calls=[call(name="a-B_9")])),
            body(said(None, tool_calls=[call(name="a.b")])),
            "name 'a.b'",
        ),
        openai(
            "callee_is_named",
            body(said(None, tool_calls=[call(name="x" * 64)])),
            body(said(None, tool_calls=[call(name="x" * 65)])),
            "1 to 64",
        ),
        openai(
            "callee_is_named",
            body(said(None, tool_calls=[call(arguments='{"cut')])),
            body(said(None, tool_calls=[call(arguments={})])),
            "arguments is not a string",
        ),
        openai(
            "callee_is_named",
            body(said(None, function_call={"name": "f", "arguments": ""})),
            body(said(None, function_call={"name": "f"})),
            "messages[0].function_call",
        ),
        openai(
            "call_ids_are_short_and_unique",
            body(calls("c" * 40)),
            body(calls("c" * 41)),
            "longer than 40",
        ),
        openai("call_ids_are_short_and_unique", body(calls("c1")), body(calls(None)), "id None"),
        openai("call_ids_are_short_and_unique", body(calls("c1")), body(calls("")), "id ''"),
        openai(
            "call_ids_are_short_and_unique",
            body(calls("c1", "c2")),
            body(calls("c1", "c1")),
            "c1 was used in messages[0]",
        ),
        openai(
            "call_ids_are_short_and_unique",
            body(calls("c1"), result(), calls("c2"), result("c2")),
            body(calls("c1"), result(), calls("c1"), result()),
            "messages[2].tool_calls[0]: id c1 was used in messages[0]",
        ),
        openai(
            "every_call_is_answered_at_once",
            body(calls("c1", "c2"), result("c2"), result("c1"), user()),
            body(calls("c1", "c2"), result("c2"), user()),
            "messages[0]: no result directly after it for c1",
        ),
        openai(
            "every_call_is_answered_at_once",
            body(calls("c1"), result(), said()),
            body(calls("c1"), said()),
            "for c1",
        ),
        openai(
            "every_result_follows_its_call",
            body(calls("c1"), result()),
            body(user(), result()),
            "messages[1]: result for c1 has no call",
        ),
        openai(
            "every_result_follows_its_call",
            body(calls("c1"), result()),
            body(calls("c1"), result(), result()),
            "second result for c1",
        ),
        openai(
            "every_result_follows_its_call",
            body(calls("c1"), result()),
            body(calls("c1"), result(), result(None)),
            "tool_call_id None",
        ),
        openai(
            "every_result_follows_its_call",
            body(calls("c1"), result(), user()),
            body(calls("c1"), result(), user(), result()),
            "messages[3]",
        ),
        openai(
            "text_can_be_encoded",
            body(user("\U0001f600")),
            body(user("cut \ud83d")),
            "messages[0].content: has a lone surrogate at character 4",
        ),
    ]


def shape_cases() -> list[Case]:
    long_id = "call_" + "x" * 60
    return [
        claude("messages_are_a_list_of_some", body(user()), body(), "non-empty list"),
        claude(
            "every_message_has_content",
            body(user(), said("")),
            body(user(), said(""), user()),
            "messages[1]: content is empty",
        ),
        claude(
            "every_message_has_content",
            body(user(), said([])),
            body(user([])),
            "messages[0]: content is empty",
        ),
        claude(
            "every_message_has_content",
            body(user()),
            body(user(None)),
            "neither a string nor a list",
        ),
        claude(
            "every_message_has_content",
            body(user([text()])),
            body(user(["go"])),
            "not a block with a type",
        ),
        claude("every_role_is_known", body(user(), said()), body(user(), result()), "'tool'"),
        claude(
            "system_stands_between_user_and_assistant",
            body(user(), SYSTEM, SYSTEM, said()),
            body(user(), SYSTEM, user()),
            "must precede",
        ),
        claude(
            "system_stands_between_user_and_assistant",
            body(user(), SYSTEM),
            body(user(), said(), SYSTEM, said()),
            "must follow a user",
        ),
        claude(
            "system_stands_between_user_and_assistant",
            body(user(), said([served(), found()]), SYSTEM),
            body(user(), said(), SYSTEM),
            "must follow",
        ),
        claude(
            "system_stands_between_user_and_assistant",
            body(user(), SYSTEM | {"content": [], "output_config": {}}, user()),
            body(user(), SYSTEM, user()),
            "must precede",
        ),
        claude(
            "blocks_fit_their_role",
            body(user([text(), PNG])),
            body(user([text(), thought()]), said()),
            "user message cannot carry 'thinking'",
        ),
        claude(
            "blocks_fit_their_role",
            body(user(), said([served(), found()])),
            body(user([served(), found()])),
            "cannot carry",
        ),
        claude(
            "blocks_fit_their_role",
            body(user(), said([text()])),
            body(user(), said([text(), {"type": "opaque"}])),
            "'opaque'",
        ),
        claude(
            "blocks_fit_their_role",
            body(user(), said([use()]), user([answer(content=[text(), PNG])])),
            body(user(), said([use()]), user([answer(content=[thought()])])),
            "a tool_result cannot carry 'thinking'",
        ),
        claude(
            "text_says_something",
            body(user([text()])),
            body(user([text("")])),
            "messages[0].content[0]: text is empty",
        ),
        claude(
            "text_says_something",
            body(user([text(" x ")])),
            body(user([text(" \n\t")])),
            "text is blank",
        ),
        claude(
            "text_says_something", body(user(" x ")), body(user("  ")), "messages[0]: text is blank"
        ),
        claude(
            "text_says_something",
            body(user([text()])),
            body(user([text(7)])),
            "text is not a string",
        ),
        claude(
            "text_says_something",
            body(user(), system=[text()]),
            body(user(), system=[text("")]),
            "system[0]: text is empty",
        ),
        claude(
            "text_says_something",
            body(user(), said([use()]), user([answer(content="")])),
            body(user(), said([use()]), user([answer(content=[text("")])])),
            "messages[2].content[0].content[0]: text is empty",
        ),
        claude(
            "tool_use_is_well_formed",
            body(user(), said([use(long_id)])),
            body(user(), said([use("functions.read:0")])),
            "'functions.read:0'",
        ),
        claude(
            "tool_use_is_well_formed",
            body(user(), said([served(), found()])),
            body(user(), said([served("s1"), found("s1")])),
            "'s1'",
        ),
        claude(
            "tool_use_is_well_formed",
            body(user(), said([use(name="x" * 200)])),
            body(user(), said([use(name="x" * 201)])),
            "name is not",
        ),
        claude(
            "tool_use_is_well_formed",
            body(user(), said([use(input={"a": 1})])),
            body(user(), said([use(input="{}")])),
            "input is not an object",
        ),
        claude(
            "tool_use_ids_are_unique",
            body(user(), said([use(), use("t2")])),
            body(user(), said([use(), use()])),
            "id t1 was used at messages[1].content[0]",
        ),
        claude(
            "tool_use_ids_are_unique",
            body(user(), said([use()]), user([answer()]), said([use()]), user([answer()])),
            body(user(), said([use()]), said([use()]), user([answer()])),
            "messages[2].content[0]: id t1 was used",
        ),
        claude(
            "media_has_a_source",
            body(user([PNG])),
            body(user([image(type="base64", media_type="image/png")])),
            "source has no data",
        ),
        claude(
            "media_has_a_source",
            body(user([image(type="url", url="https://a.b/c.png")])),
            body(user([image(type="path", path="/c.png")])),
            "no source of a known type",
        ),
        claude(
            "media_has_a_source",
            body(user([PNG])),
            body(user([image(type="base64", media_type="image/bmp", data="aGk=")])),
            "'image/bmp'",
        ),
        claude(
            "media_has_a_source",
            body(user([PNG])),
            body(user([{"type": "document"}])),
            "document has no source",
        ),
        claude(
            "text_can_be_encoded",
            body(user(), said([use(input={"é": "\U0001f600"})])),
            body(user(), said([use(input={"a": "\ude00"})])),
            "input.a: has a lone surrogate",
        ),
        claude(
            "text_can_be_encoded",
            body(user(), said([use()])),
            body(user(), said([use(input={"\ud83d": 1})])),
            "(key): has a lone surrogate",
        ),
    ]


def order_cases() -> list[Case]:
    batch = said([use(), use("t2")])
    return [
        claude(
            "every_tool_use_is_answered_next",
            body(user(), batch, user([answer("t2")]), user([answer()]), said()),
            body(user(), batch, user([answer("t2")]), said()),
            "messages[1]: no tool_result in the next turn for t1",
        ),
        claude(
            "every_tool_use_is_answered_next",
            body(user(), said([use(), text()]), user([answer()])),
            body(user(), said([use()]), user()),
            "for t1",
        ),
        claude(
            "every_tool_use_is_answered_next",
            body(user(), said([use()]), said([use("t2")]), user([answer(), answer("t2")])),
            body(user(), said([use()]), said([use("t2")]), user([answer(), text()])),
            "messages[1]: no tool_result in the next turn for t2",
        ),
        claude(
            "every_tool_result_answers_the_turn_before",
            body(user(), said([use()]), user([answer()])),
            body(user([answer()])),
            "messages[0].content[0]: result for t1 has no call",
        ),
        claude(
            "every_tool_result_answers_the_turn_before",
            body(user(), *LOOP, user()),
            body(user(), *LOOP, said(), user([answer()])),
            "messages[4].content[0]: result for t1",
        ),
        claude(
            "every_tool_result_answers_the_turn_before",
            body(user(), *LOOP),
            body(user(), *LOOP, user([answer()])),
            "second result for t1",
        ),
        claude(
            "tool_results_come_first",
            body(user(), said([use()]), user([answer(), text()])),
            body(user(), said([use()]), user([text(), answer()])),
            "messages[2].content[1]: a tool_result stands after",
        ),
        claude(
            "tool_results_come_first",
            body(user(), said([use()]), user([answer()]), user()),
            body(user(), said([use()]), user("summary"), user([answer()])),
            "messages[3].content[0]",
        ),
        claude(
            "failed_results_say_why",
            body(user(), said([use()]), user([answer(content="")])),
            body(user(), said([use()]), user([answer(content="", is_error=True)])),
            "is_error has no content",
        ),
        claude(
            "failed_results_say_why",
            body(user(), said([use()]), user([answer(content="no", is_error=True)])),
            body(user(), said([use()]), user([answer(content=3)])),
            "neither",
        ),
        claude(
            "server_calls_keep_their_results",
            body(user(), said([served(), found(), text()])),
            body(user(), said([found()])),
            "no server call before it",
        ),
        claude(
            "server_calls_keep_their_results",
            body(user(), said([served(), use()]), user([answer()])),
            body(user(), said([served(), text()]), user(), said()),
            "srvtoolu_1 has lost its result",
        ),
        claude(
            "thinking_is_signed",
            body(user(), said([thought(words=""), text()])),
            body(user(), said([thought(""), text()])),
            "thinking has no signature",
        ),
        claude(
            "thinking_is_signed",
            body(user(), said([thought(), text()])),
            body(user(), said([thought(words=None), text()])),
            "thinking has no text field",
        ),
        claude(
            "thinking_is_signed",
            body(user(), said([{"type": "redacted_thinking", "data": "x"}, text()])),
            body(user(), said([{"type": "redacted_thinking"}, text()])),
            "has no data",
        ),
        claude(
            "thinking_is_not_the_last_block",
            body(user(), said([thought()]), said()),
            body(user(), said([thought()]), user()),
            "messages[1].content[0]: an assistant turn ends in thinking",
        ),
        claude(
            "open_loop_starts_with_its_thinking",
            body(user(), *LOOP),
            body(user(), said([text(), thought(), use()]), user([answer()])),
            "messages[1].content[0]: the open tool loop",
        ),
        claude(
            "open_loop_starts_with_its_thinking",
            body(user(), *LOOP, said([use("t2")]), user([answer("t2")])),
            body(user(), said([use("t2")]), user([answer("t2")]), *LOOP),
            "messages[1].content[0]",
        ),
        claude(
            "open_loop_starts_with_its_thinking",
            body(user(), said([text(), thought(), use()]), user([answer(), text()])),
            body(user(), said([text(), thought(), use()])),
            "does not start",
        ),
        claude(
            "open_loop_starts_with_its_thinking",
            body(user(), said([use()]), user([answer()])),
            body(user(), said([use()]), user([answer()]), thinking={"type": "enabled"}),
            "does not start",
        ),
        claude(
            "open_loop_starts_with_its_thinking",
            body(user(), said([text(), thought(), use()]), thinking={"type": "adaptive"}),
            body(user(), said([text(), thought(), use()]), thinking={"type": "enabled"}),
            "does not start",
        ),
        claude(
            "cache_marks_are_few_and_ordered",
            body(user([text(**MARK)] * 4)),
            body(user([text(**MARK)] * 4), system=[text(**MARK)]),
            "cache mark 5 of at most 4",
        ),
        claude(
            "cache_marks_are_few_and_ordered",
            body(user([text(**MARK)]), system=[text(**HOUR)]),
            body(user([text(**HOUR)]), tools=[MARK]),
            "1h stands after one of 5m",
        ),
        claude(
            "cache_marks_are_few_and_ordered",
            body(user(), said([thought(), text(**MARK)])),
            body(user(), said([thought() | MARK, text()])),
            "thinking cannot carry",
        ),
    ]


TESTED_APART = {"prefill_does_not_end_in_space", "the_model_takes_it"}
"""Rules that need more than a request; they have tests of their own below."""
CASES = [*openai_cases(), *shape_cases(), *order_cases()]
NAMED = [pytest.param(*case, id=f"{case[0]}-{case[1]}-{n}") for n, case in enumerate(CASES)]


def judge(provider: str, request: dict[str, Any], **how: Any) -> list[str]:
    found: list[str] = getattr(legal, provider)(request, **how)
    return found


@pytest.mark.parametrize(("provider", "rule", "good", "bad", "says"), NAMED)
def test_a_rule_lets_the_legal_through_and_refuses_the_illegal(
    provider: str, rule: str, good: dict[str, Any], bad: dict[str, Any], says: str
) -> None:
    assert judge(provider, good) == []
    assert any(says in problem for problem in judge(provider, bad)), judge(provider, bad)


# These two stop the judge before the rules that need what they promise.
GATES = {"messages_are_a_list_of_some", "every_message_has_content"}


@pytest.mark.parametrize(
    ("provider", "rule", "good", "bad", "says"), [p for p in NAMED if p.values[1] not in GATES]
)
def test_what_a_rule_refuses_no_other_rule_refuses(
    provider: str,
    rule: str,
    good: dict[str, Any],
    bad: dict[str, Any],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(legal, rule, lambda *_: iter(()))
    assert judge(provider, bad) == []


def test_every_rule_has_a_case() -> None:
    rules = {
        name
        for name, rule in inspect.getmembers(legal, inspect.isfunction)
        if inspect.signature(rule).return_annotation == "Iterator[str]"
    }
    assert rules == {rule for _, rule, *_ in CASES} | TESTED_APART


@pytest.mark.parametrize(
    ("provider", "messages"),
    [
        ("openai_chat", [user(), calls("c1", "c2")]),
        ("openai_chat", [user(), calls("c1", "c2"), result("c2")]),
        ("anthropic", [user(), said([use(), use("t2")])]),
        ("anthropic", [user(), said([use(), use("t2")]), user([answer("t2")])]),
        ("anthropic", [user(), said([use(), use("t2")]), user([answer("t2")]), SYSTEM]),
    ],
)
def test_calls_may_wait_at_the_end_only_where_allowed(provider: str, messages: Messages) -> None:
    assert judge(provider, body(*messages)) == []
    assert len(judge(provider, body(*messages), pending_ok=False)) == 1


@pytest.mark.parametrize(
    ("provider", "messages"),
    [
        ("openai_chat", [user(), calls("c1", "c2"), result("c2"), user()]),
        ("anthropic", [user(), said([use(), use("t2")]), user([answer("t2"), text()])]),
    ],
)
def test_calls_do_not_wait_once_the_user_goes_on(provider: str, messages: Messages) -> None:
    assert len(judge(provider, body(*messages))) == 1


def test_prefill_does_not_end_in_space() -> None:
    assert judge("anthropic", body(user(), said("Done.\n"))) == []
    assert judge("anthropic", body(user(), said("Done.")), pending_ok=False) == []
    problems = judge("anthropic", body(user(), said("Done.\n")), pending_ok=False)
    assert problems == ["messages[1]: the closing assistant text ends in whitespace"]


KEYS = [
    "role",
    "content",
    "type",
    "text",
    "id",
    "tool_use_id",
    "tool_call_id",
    "tool_calls",
    "function",
    "name",
    "input",
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["user", "assistant", "tool", "text", "tool_use", "", "c1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@pytest.mark.slow
@given(st.lists(JSON, max_size=5), st.booleans())
def test_nonsense_is_a_problem_and_never_a_crash(messages: list[Any], pending_ok: bool) -> None:
    for provider in ("openai_chat", "anthropic"):
        assert all(
            isinstance(p, str)
            for p in judge(provider, {"messages": messages}, pending_ok=pending_ok)
        )


def test_what_a_model_does_not_take_is_told() -> None:
    heard = [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]
    assert list(legal.the_model_takes_it("openai", "gpt-5-mini", heard))
    assert not list(legal.the_model_takes_it("openai", "gpt-4o-audio-preview", heard))
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    said = {"role": "assistant", "content": "42"}
    led = legal_responses.reasoning_led_to_what_follows
    assert list(led([thought, said])) and not list(led([thought, {**said, "id": "msg_1"}]))
