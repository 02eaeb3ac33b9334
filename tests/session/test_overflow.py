"""A provider refuses a request as too long: the session learns, compacts and goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

import steno
from steno.core.errors import ModelFailed
from steno.session.overflow import overflow_of
from tests.support.loopback import Heard, Loopback, Reply, Say, Wrong
from tests.support.promises import proves
from tests.support.sample_messages import anthropic_talk, openai_talk
from tests.support.writer_sessions import ASKS

Refusal = Callable[[int, int], Wrong]
"""How a provider refuses so many tokens under such a window."""

OPENAI: dict[str, Refusal] = {
    "openai": lambda sent, window: Wrong(
        400,
        f"This model's maximum context length is {window} tokens. "
        f"However, your messages resulted in {sent} tokens. "
        "Please reduce the length of the messages.",
        "context_length_exceeded",
    ),
    "openai, no numbers": lambda sent, window: Wrong(
        400, "Your input exceeds the context window of this model.", "context_length_exceeded"
    ),
    "llama.cpp": lambda sent, window: Wrong(
        400,
        f"request ({sent} tokens) exceeds the available context size ({window} tokens), "
        "try increasing it",
        "exceed_context_size_error",
        more={"n_prompt_tokens": sent, "n_ctx": window},
    ),
    "gemini": lambda sent, window: Wrong(
        400,
        f"The input token count ({sent}) exceeds the maximum number of tokens allowed ({window}).",
    ),
}
ANTHROPIC: dict[str, Refusal] = {
    "anthropic": lambda sent, window: Wrong(
        400, f"prompt is too long: {sent} tokens > {window} maximum"
    ),
    "anthropic, with the reply": lambda sent, window: Wrong(
        400,
        f"input length and `max_tokens` exceed context limit: {sent} + 1000 > {window}, "
        "decrease input length",
    ),
}
TRUE = 6_000


def narrow(refusal: Refusal, window: int = TRUE) -> Callable[[Heard], Reply]:
    """A provider with a window of its own, which counts a token for four characters."""

    def brain(heard: Heard) -> Reply:
        sent = len(json.dumps(heard.body["messages"])) // 4
        return refusal(sent, window) if sent > window - 500 else Say("done", sent=sent)

    return brain


Send = Callable[[dict[str, Any]], Any]


@contextmanager
def narrowly(
    refusal: Refusal | Wrong, window: int = TRUE, wire: str = "openai"
) -> Iterator[tuple[Loopback, Send]]:
    """Return a provider that refuses, and how its own SDK sends a request to it."""
    brain = (lambda heard: refusal) if isinstance(refusal, Wrong) else narrow(refusal, window)
    with Loopback(brain) as server:
        if wire == "openai":
            with openai.OpenAI(api_key="none", base_url=server.openai, max_retries=0) as chat:
                yield (
                    server,
                    lambda request: chat.chat.completions.create(model="gpt-test", **request),
                )
        else:
            with anthropic.Anthropic(
                api_key="none", base_url=server.anthropic, max_retries=0
            ) as client:
                yield (
                    server,
                    lambda request: client.messages.create(model="c", max_tokens=100, **request),
                )


CASES = [("openai", name, refusal) for name, refusal in OPENAI.items()]
CASES += [("anthropic", name, refusal) for name, refusal in ANTHROPIC.items()]


@proves("overflow.again")
@pytest.mark.parametrize(("wire", "name", "refusal"), CASES, ids=[case[1] for case in CASES])
def test_a_call_that_is_too_long_is_compacted_and_sent_once_more(
    wire: str, name: str, refusal: Refusal
) -> None:
    held = steno.Session(wire=wire, window=100_000)
    held.add(*(openai_talk(60) if wire == "openai" else anthropic_talk(60)))
    before = held.load
    with narrowly(refusal, wire=wire) as (server, send):
        reply = held.call(send)

    assert "done" in reply.to_json() and len(server.heard) == 2
    (learned,) = (event for event in held.events if isinstance(event, steno.events.Learned))
    assert learned.before == 100_000 and learned.load == before
    assert learned.told is ("no numbers" not in name)
    assert (
        held.budget.window
        == learned.window
        == (TRUE if learned.told else learned.window)
        < before / 0.75
    )
    (commit,) = held.log.commits
    assert commit.why == "hard" and held.load <= held.budget.usable
    assert held.open(0) and len(held.log.messages) == 121  # everything can still be opened


@pytest.mark.slow
@proves("overflow.learned")
def test_what_was_learned_is_kept_and_another_window_makes_it_void(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with (
        narrowly(OPENAI["openai"]) as (_, send),
        steno.Session(path, wire="openai", window=100_000) as held,
    ):
        held.add(*openai_talk(60))
        held.call(send)
    with steno.Session(path) as again:
        assert again.budget.window == TRUE
        fork = again.fork()
        assert fork.budget.window == TRUE
    with (
        steno.Session(path, name="session", window=100_000) as same,
        steno.Session(path, name="session") as beside,
    ):
        assert same.budget.window == beside.budget.window == TRUE
    with steno.Session(path, name="session", window=50_000) as other:
        assert other.budget.window == 50_000


@proves("overflow.learned")
def test_other_holders_of_the_session_learn_it_too(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with (
        steno.Session(path, wire="openai", window=100_000, reserve=16_000) as one,
        steno.Session(path) as two,
    ):
        one.add(*openai_talk(60))
        one._parts.compactor.learn_window(TRUE, None)
        two._parts.journal.refresh()
        assert two.budget == one.budget and two.budget.window == TRUE
        assert two.budget.reserve == TRUE // 8  # what was to be kept free is more than there is
        two.messages()
        assert two.load <= two.budget.usable


@proves("overflow.again")
def test_a_second_refusal_is_raised_with_what_was_tried() -> None:
    held = steno.Session(wire="openai", window=100_000)
    held.add(*openai_talk(60))
    with (
        narrowly(OPENAI["openai"](90_000, 50)) as (server, send),
        pytest.raises(steno.errors.TooLong) as raised,
    ):
        held.call(send)

    assert len(server.heard) == 2 and not raised.value.again
    first, second = raised.value.loads
    assert first > second > 0 and f"{first:,}, then {second:,} tokens" in str(raised.value)
    assert isinstance(raised.value.__cause__, openai.BadRequestError)


@proves("overflow.again")
def test_right_after_a_commit_it_is_compacted_all_the_same() -> None:
    held = steno.Session(wire="openai", window=20_000)
    held.add(*openai_talk(140))
    held.compact()
    with narrowly(OPENAI["openai, no numbers"], 3_000) as (_, send):
        held.call(send)

    assert [commit.why for commit in held.log.commits] == ["asked", "hard"]


@proves("overflow.again")
def test_every_other_failure_is_the_callers() -> None:
    held = steno.Session(wire="openai", window=100_000)
    held.add(*openai_talk(60))
    busy = Wrong(429, "Request too large for tokens per min (TPM): limit 10, requested 20")
    with narrowly(busy) as (_, send), pytest.raises(openai.RateLimitError):
        held.call(send)
    with pytest.raises(ZeroDivisionError), held.guard():
        1 / 0
    with pytest.raises(KeyboardInterrupt), held.guard():
        raise KeyboardInterrupt

    assert held.budget.window == 100_000 and not held.log.commits


class Uploads(Exception):
    """A tool's own failure, which has a status too."""

    status_code = 413


@proves("overflow.again")
@pytest.mark.parametrize(
    "foreign",
    [
        ValueError("my template: the prompt is too long for the header line"),
        Uploads("the upload failed"),
    ],
)
def test_another_error_that_only_sounds_like_it_is_the_callers(
    foreign: Exception,
) -> None:
    held = steno.Session(wire="openai", window=100_000)
    held.add(*openai_talk(60))
    sent: list[Any] = []

    def fails(request: dict[str, Any]) -> None:
        sent.append(request)
        raise foreign

    with pytest.raises(type(foreign)):
        held.call(fails)
    with pytest.raises(type(foreign)), held.guard():
        raise foreign
    assert len(sent) == 1 and held.budget.window == 100_000 and not held.log.commits


@pytest.mark.slow
@proves("overflow.guard")
def test_refusals_without_numbers_stop_shrinking_the_window_and_say_so(tmp_path: Path) -> None:
    with steno.Session(tmp_path / "a.db", wire="openai", window=100_000) as held:
        held.add(*openai_talk(400))
        first = held.load
        again = []
        for _ in range(12):
            with pytest.raises(steno.errors.TooLong) as raised, held.guard():
                raise ModelFailed("too long", "overflow")
            again.append(raised.value.again)

        assert held.budget.window >= first // 4
        assert again[0] and not again[-1] and "cannot be sent" in str(raised.value)
    with (
        steno.Session(tmp_path / "a.db") as opened,
        pytest.raises(steno.errors.TooLong),
        opened.guard(),
    ):
        raise ModelFailed("too long", "overflow")
    assert opened.budget.window >= first // 4
    with (
        steno.Session(tmp_path / "a.db") as told,
        pytest.raises(steno.errors.TooLong),
        told.guard(),
    ):
        raise ModelFailed("too long", "overflow", window=2_000)
    assert told.budget.window == 2_000


@proves("overflow.guard")
def test_a_guarded_call_that_is_too_long_says_to_send_again() -> None:
    held = steno.Session(wire="openai", window=100_000)
    held.add(*openai_talk(60))
    with narrowly(OPENAI["llama.cpp"]) as (_, send):
        tries = 0
        while True:
            try:
                tries += 1
                with held.guard():
                    reply = send(held.request())
                break
            except steno.errors.TooLong as refused:
                assert refused.again and "send session.request() again" in str(refused)
                assert refused.loads[1] == held.load <= held.budget.usable

    assert tries == 2 and reply.choices[0].message.content == "done"


@proves("overflow.again")
def test_on_an_event_loop_it_is_the_same() -> None:
    async def told() -> None:
        async with (
            openai.AsyncOpenAI(api_key="none", base_url=server.openai, max_retries=0) as client,
            steno.AsyncSession(wire="openai", window=100_000) as held,
        ):
            await held.add(*openai_talk(60))
            create = client.chat.completions.create
            reply = await held.call(lambda request: create(model="gpt-test", **request))
            assert reply.choices[0].message.content == "done" and held.budget.window == TRUE

            with pytest.raises(steno.errors.TooLong, match="again"):
                async with held.guard():
                    raise ModelFailed("too long", "overflow", window=2_000)
            assert held.budget.window == 2_000 and held.load <= held.budget.usable

    with Loopback(narrow(OPENAI["openai"])) as server:
        asyncio.run(told())


@proves("overflow.again")
def test_a_writer_writes_what_a_refusal_makes_necessary() -> None:
    held = steno.Session(
        wire="openai",
        window=100_000,
        policy=ASKS,
        writer=steno.Script(lambda ask: "the short of it"),
    )
    held.add(*openai_talk(60))
    with narrowly(OPENAI["openai"]) as (server, send):
        held.call(send)

    assert "the short of it" in server.heard[1].prompt and held.log.commits[-1].asked


class GeminiError(Exception):
    """As the SDK of Gemini raises it: a code, a status, and the error object as it came."""

    def __init__(self, code: int, message: str, status: str) -> None:
        super().__init__(f"{code} {status}. {message}")
        self.code, self.status, self.message = code, status, message
        self.details = {"error": {"code": code, "message": message, "status": status}}


@proves("overflow.known")
def test_the_words_of_gemini_are_known_wherever_they_were_wrapped() -> None:
    said = "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."
    failure = GeminiError(400, said, "INVALID_ARGUMENT")
    wrapped = RuntimeError("the framework failed")
    wrapped.__cause__ = failure

    for each in (failure, wrapped):
        trouble = overflow_of(each)
        assert trouble is not None and trouble.window == 1_048_576
        assert trouble.sent == 1_200_293
    assert overflow_of(GeminiError(429, "Quota exceeded", "RESOURCE_EXHAUSTED")) is None


def test_a_reply_that_ended_with_the_window_is_not_counted_in_what_was_sent() -> None:
    session = steno.Session(window=20_000, wire="anthropic")
    session.add({"role": "user", "content": "Tell me all of it."})
    session.messages()
    ended = {"role": "assistant", "content": "As far as I know. " * 6_000}
    assert not session.budget.window < 20_000
    session.add({**ended, "stop_reason": "model_context_window_exceeded"})
    assert session.budget.window < 20_000
