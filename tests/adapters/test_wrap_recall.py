"""Recall offered by a wrapped client: answered by it, unseen by its caller, back in place later."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic.types import Message
from openai import AsyncOpenAI, BadRequestError, OpenAI
from openai.types.chat import ChatCompletion
from openai.types.responses import Response
from pydantic import BaseModel

import steno
from tests.adapters.test_wrap import CLAUDE, JUDGES, OPENAI, Plain, claude, openai
from tests.support.loopback import Heard, Loopback, Say, Wrong
from tests.support.promises import proves

SMALL: Plain = {"window": 4_000}
WORD = "xylophone"
RECALLS = Say("wait ", calls=(("recall", {"query": "odd word"}),), thinking="which word?")
FOUND = Say(f"it is {WORD}", said=7, number=2)
WELCOME = Say("welcome", number=3)
LOOK: Plain = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


def talk_of(begins: str = "Tell me about gardens.", odd: str = WORD) -> list[Plain]:
    """A long conversation, with an odd word in the middle of a reply."""
    talk = [{"role": "user", "content": begins}]
    for number in range(30):
        words = ["some more of it"] * 60
        if number == 9:
            words[30] = f"the odd word is {odd}"
        talk.append({"role": "assistant", "content": f"Part {number}: " + ", ".join(words)})
        talk.append({"role": "user", "content": f"And part {number + 1}?"})
    return [*talk[:-1], {"role": "user", "content": "Which was the odd word?"}]


TALK = talk_of()


def chat(client: OpenAI, talk: list[Plain], **more: Any) -> Any:
    return client.chat.completions.create(model=OPENAI, messages=talk, **more)


def respond(client: OpenAI, talk: list[Plain], **more: Any) -> Any:
    return client.responses.create(model=OPENAI, input=talk, store=False, **more)


def message(client: Anthropic, talk: list[Plain], **more: Any) -> Any:
    return client.messages.create(model=CLAUDE, max_tokens=99, messages=talk, **more)


def said(reply: Any) -> tuple[str, list[str], int, list[Any]]:
    """A reply's text, the tools it calls, its tokens, and what its caller keeps of it."""
    match reply:
        case ChatCompletion():
            kept = reply.choices[0].message
            calls = [call.function.name for call in kept.tool_calls or ()]
            return kept.content or "", calls, reply.usage.completion_tokens, [kept]
        case Response():
            calls = [item.name for item in reply.output if item.type == "function_call"]
            return reply.output_text, calls, reply.usage.output_tokens, list(reply.output)
        case Message():
            texts = [block.text for block in reply.content if block.type == "text"]
            calls = [block.name for block in reply.content if block.type == "tool_use"]
            kept = {"role": "assistant", "content": reply.content}
            return "".join(texts), calls, reply.usage.output_tokens, [kept]
    raise AssertionError(type(reply))


CALLERS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "chat": (openai, chat),
    "responses": (openai, respond),
    "messages": (claude, message),
}
each_api = pytest.mark.parametrize("api", CALLERS)


def offers(heard: Heard) -> bool:
    return '"recall"' in json.dumps(heard.body.get("tools"))


def are_legal(server: Loopback) -> bool:
    return all(JUDGES[heard.path](heard.body) == [] for heard in server.heard)


@proves("wrap.recall")
@each_api
def test_a_call_of_recall_is_answered_unseen_and_goes_back_with_the_next_list(api: str) -> None:
    made, ask = CALLERS[api]
    with Loopback(RECALLS, FOUND, WELCOME) as server, made(server, **SMALL, user="ann") as client:
        text, calls, tokens, kept = said(ask(client, TALK))
        first, second = server.heard
        assert offers(first) and WORD not in first.prompt
        assert second.prompt.startswith(first.prompt[:-1]) and WORD in second.prompt
        assert (text, calls, tokens) == (f"wait it is {WORD}", [], 17)

        ask(client, [*TALK, *kept, {"role": "user", "content": "thanks"}])
        third = server.heard[-1].prompt
        assert third.count("odd word") == second.prompt.count("odd word")
        assert third.startswith(second.prompt[:-1]) or api == "responses"
        assert are_legal(server)
        failed = [one for one in steno.sessions(client).events if "Failed" in type(one).__name__]
        assert not failed


@proves("wrap.recall")
@each_api
def test_until_something_left_the_view_nothing_is_offered(api: str) -> None:
    made, ask = CALLERS[api]
    with Loopback(WELCOME) as server, made(server, **SMALL) as client:
        ask(client, TALK[:1])
        assert "tools" not in server.heard[0].body


@proves("wrap.recall")
def test_other_calls_reach_the_caller_and_a_model_that_only_recalls_is_stopped() -> None:
    both = Say(calls=(("look", {}), ("recall", {"query": "odd"})))
    look = Say(calls=(("look", {}),), number=2)
    with Loopback(both, look) as server, openai(server, **SMALL) as client:
        reply = chat(client, TALK, tools=[LOOK])
        assert said(reply)[1] == ["look"] and reply.choices[0].finish_reason == "tool_calls"
        assert "not run" in server.heard[1].prompt
    numbers = count()
    only = Loopback(lambda heard: replace(RECALLS, number=next(numbers)))
    with only as server, openai(server, **SMALL) as client:
        reply = chat(client, TALK)
        assert len(server.heard) == 5 and "last recall" in server.heard[-1].prompt
        assert said(reply)[1] == [] and reply.choices[0].finish_reason == "stop"


@proves("wrap.recall")
def test_an_async_client_answers_as_well() -> None:
    async def ask(server: Loopback) -> Any:
        wrapped = steno.wrap(AsyncOpenAI(api_key="any", base_url=server.openai), window=4_000)
        async with wrapped as client:
            return await client.chat.completions.create(model=OPENAI, messages=TALK)  # type: ignore[arg-type]

    with Loopback(RECALLS, FOUND) as server:
        assert said(asyncio.run(ask(server)))[:2] == (f"wait it is {WORD}", [])


@proves("wrap.recall")
@each_api
def test_callers_without_a_name_stay_apart(api: str) -> None:
    made, ask = CALLERS[api]

    def answer(heard: Heard) -> Say:
        if "thanks" in heard.prompt:
            return WELCOME
        if len(server.heard) == 1:
            # Another caller has the same list, and goes on while this one's answer is under way.
            more = {"role": "user", "content": "The odd word is now swordfish. thanks"}
            ask(client, [*TALK, {"role": "assistant", "content": "Hm."}, more])
            return RECALLS
        return FOUND

    with Loopback(answer) as server, made(server, **SMALL) as client:
        kept = said(ask(client, TALK))[3]
        assert "swordfish" not in server.heard[-1].prompt and WORD in server.heard[-1].prompt
        # Nobody gets the call of another: whose reply comes back is not known.
        ask(client, [*TALK, *kept, {"role": "user", "content": "thanks"}])
        last = server.heard[-1].prompt
        assert "call_1_0" not in last and "toolu_1_0" not in last


@proves("wrap.recall")
def test_one_user_reads_nothing_of_another() -> None:
    with Loopback(WELCOME, RECALLS, FOUND) as server:
        with openai(server, **SMALL, user="ann") as client:
            chat(client, talk_of("Hi.", "swordfish"))
        with openai(server, **SMALL, user="bert") as client:
            chat(client, TALK)
        assert "swordfish" not in server.heard[-1].prompt and WORD in server.heard[-1].prompt


class Answer(BaseModel):
    word: str


def _stream(client: OpenAI) -> Any:
    return list(chat(client, TALK, stream=True))


def _parse(client: OpenAI) -> Any:
    return client.chat.completions.parse(model=OPENAI, messages=TALK, response_format=Answer)  # type: ignore[arg-type]


WITHOUT: dict[str, Callable[[OpenAI], Any]] = {
    "stream": _stream,
    "parse": _parse,
    "raw": lambda client: client.chat.completions.with_raw_response.create(
        model=OPENAI,
        messages=TALK,  # type: ignore[arg-type]
    ),
    "choice": lambda client: chat(client, TALK, tools=[LOOK], tool_choice="required"),
    "extra": lambda client: chat(client, TALK, extra_body={"tool_choice": "none"}),
    "n": lambda client: chat(client, TALK, n=2),
    "json": lambda client: chat(client, TALK, response_format={"type": "json_object"}),
}


@proves("wrap.recall")
@pytest.mark.parametrize("how", [*WITHOUT, "recall=False"])
def test_where_calls_cannot_be_answered_no_tool_is_offered_and_none_is_named(how: str) -> None:
    ask = WITHOUT.get(how, lambda client: chat(client, TALK))
    asked = Loopback(Say('{"word": "none"}'))
    with asked as server, openai(server, **SMALL, recall=how in WITHOUT) as client:
        ask(client)
        [heard] = server.heard
        assert "<steno-" in heard.prompt and "recall" not in heard.prompt
        assert not offers(heard)


@proves("wrap.recall")
def test_a_model_that_takes_no_tools_is_asked_without_and_later_too() -> None:
    refusal = Wrong(400, "gpt-5 does not support tools")
    with Loopback(refusal, WELCOME, WELCOME) as server, openai(server, **SMALL) as client:
        for _ in range(2):
            assert said(chat(client, TALK))[0] == "welcome"
        assert [offers(heard) for heard in server.heard] == [True, False, False]
    with Loopback(refusal, refusal, WELCOME) as server, openai(server, **SMALL) as client:
        with pytest.raises(BadRequestError):
            chat(client, TALK)
        # It was refused without tools as well, so that they were not the reason.
        chat(client, TALK)
        assert [offers(heard) for heard in server.heard] == [True, False, True]


@proves("wrap.recall")
def test_what_is_too_long_with_its_answer_is_asked_without() -> None:
    long = Wrong(400, "maximum context length is 4000 tokens", "context_length_exceeded")
    with Loopback(RECALLS, long, WELCOME) as server, openai(server, **SMALL) as client:
        assert said(chat(client, TALK))[:2] == ("welcome", [])
        assert [offers(heard) for heard in server.heard] == [True, True, False]


@proves("wrap.recall")
def test_a_secret_beside_a_call_of_recall_goes_out_with_neither_request() -> None:
    key = "sk-proj-" + "a1B2c3D4" * 6
    tells = replace(RECALLS, text=f"the key is {key} ")
    options = {**SMALL, "redact": True, "user": "ann"}
    with Loopback(tells, FOUND, WELCOME) as server, openai(server, **options) as client:
        text, _, _, kept = said(chat(client, TALK))
        assert key in text
        chat(client, [*TALK, *kept, {"role": "user", "content": "thanks"}])
        assert len(server.heard) == 3
        assert all(key not in heard.prompt for heard in server.heard)


@proves("wrap.recall")
@each_api
def test_a_hidden_call_goes_back_once_though_several_replies_say_the_same(api: str) -> None:
    made, ask = CALLERS[api]
    done = [Say("Done.", number=number) for number in (2, 3, 4)]
    recalls = replace(RECALLS, text="", thinking="")
    with Loopback(recalls, *done) as server, made(server, **SMALL, user="ann") as client:
        talk = list(TALK)
        for _ in range(3):
            talk += [*said(ask(client, talk))[3], {"role": "user", "content": "next"}]
        ids = [part for part in server.heard[-1].prompt.split('"') if part.endswith("_1_0")]
        # The call and its result.
        assert len(ids) == 2 and are_legal(server)


@proves("wrap.recall")
@each_api
def test_hidden_calls_that_no_longer_fit_are_left_out_the_oldest_first(api: str) -> None:
    made, ask = CALLERS[api]
    numbers = count()

    def answer(heard: Heard) -> Say:
        number = next(numbers)
        if number % 2:
            return Say(f"found {number}", number=number)
        pages = (("recall", {"positions": f"{number + 1}-{number + 6}"}),)
        return Say("", calls=pages, number=number)

    with Loopback(answer) as server, made(server, window=9_000, user="ann") as client:
        talk = list(TALK)
        for _ in range(9):
            talk += [*said(ask(client, talk))[3], {"role": "user", "content": "next"}]
        heard = server.heard[-2]
        ids = {part for part in heard.prompt.split('"') if part.startswith(("call_", "toolu_"))}
        back = [number for number in range(0, 16, 2) if any(f"_{number}_0" in id for id in ids)]
        assert 0 < len(back) < 8 and back == list(range(16 - 2 * len(back), 16, 2))
        assert len(heard.raw) < 9_000 * 4 and are_legal(server)


@proves("wrap.recall")
@each_api
def test_a_count_of_words_that_the_view_lacks_teaches_nothing(api: str) -> None:
    made, ask = CALLERS[api]
    replies = [replace(RECALLS, thinking=""), replace(FOUND, sent=90_000)]
    replies += [replace(WELCOME, sent=90_000, number=number) for number in (4, 5)]
    with Loopback(*replies) as server, made(server, **SMALL, user="ann", session="a") as client:
        talk = list(TALK)
        for _ in range(3):
            talk += [*said(ask(client, talk))[3], {"role": "user", "content": "thanks"}]
        assert len(server.heard[-1].raw) > len(server.heard[0].raw)


@proves("wrap.recall")
@each_api
def test_a_call_with_half_a_character_is_answered_with_what_is_wrong(api: str) -> None:
    made, ask = CALLERS[api]
    broken = Say("", calls=(("recall", {"query": "odd \ud800"}),))
    with Loopback(broken, FOUND) as server, made(server, **SMALL, user="ann") as client:
        assert said(ask(client, TALK))[0] == f"it is {WORD}"
        assert "error: " in server.heard[1].prompt and are_legal(server)


@proves("wrap.recall")
@each_api
def test_a_model_that_only_recalls_must_answer_in_the_end(api: str) -> None:
    made, ask = CALLERS[api]
    numbers = count()

    def answer(heard: Heard) -> Say:
        if "thanks" in heard.prompt:
            return WELCOME
        return replace(RECALLS, text="", thinking="", number=next(numbers))

    with Loopback(answer) as server, made(server, **SMALL) as client:
        text, calls, _, kept = said(ask(client, TALK))
        choices = [heard.body.get("tool_choice") for heard in server.heard]
        none = {"type": "none"} if api == "messages" else "none"
        assert choices == [None, None, None, None, none]
        assert calls == [] and ("only searched" in text or api == "responses")
        ask(client, [*TALK, *kept, {"role": "user", "content": "thanks"}])
        assert are_legal(server)
    if api == "chat":
        with Loopback(answer) as server, made(server, **SMALL) as client:
            ask(client, TALK, tools=[LOOK])
            # The caller's own tools may still be called.
            assert [offers(heard) for heard in server.heard] == [True] * 4 + [False]
            assert server.heard[-1].body["tools"] == [LOOK]


@proves("wrap.recall")
@each_api
def test_what_is_recalled_at_once_is_bounded(api: str) -> None:
    made, ask = CALLERS[api]
    numbers = count()
    pages = tuple(("recall", {"positions": f"{1 + at * 5}-{6 + at * 5}"}) for at in range(10))

    def answer(heard: Heard) -> Say:
        return Say("", calls=pages, number=next(numbers))

    with Loopback(answer) as server, made(server, window=30_000) as client:
        ask(client, TALK * 6)
        assert server.heard[1].prompt.count("not run") == 7
        grown = (len(server.heard[-1].raw) - len(server.heard[0].raw)) // 4
        assert 30_000 // 8 < grown < 30_000 // 2 and are_legal(server)


@proves("wrap.recall")
def test_a_caller_without_a_name_gets_no_thought_whose_call_it_will_not_get() -> None:
    recalls = replace(RECALLS, text="")
    found = replace(FOUND, thinking="so that is it")
    for who, thoughts in (({}, 1), ({"user": "ann"}, 2)):
        with Loopback(recalls, found, WELCOME) as server, openai(server, **SMALL, **who) as client:
            kept = said(respond(client, TALK))[3]
            assert [item.type for item in kept] == ["reasoning"] * thoughts + ["message"]
            respond(client, [*TALK, *kept, {"role": "user", "content": "thanks"}])
            assert are_legal(server)
