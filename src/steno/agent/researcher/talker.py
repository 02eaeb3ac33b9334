"""A talker over a model that speaks text alone: a request becomes one prompt, a reply is read by a small grammar.

A reply that cannot be read, or that a judge finds wanting, is given back with what
was wrong, so many times and no more; then the one ends the run, the other is let
through. What a request looks like as text is said in
`sections`, what a reply may say in `grammar`.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from steno.agent.researcher.grammar import Said, Wrong, read
from steno.agent.researcher.sections import barred, rendered
from steno.core.ask import Ask, NoAnswer
from steno.core.error import ModelFailed
from steno.core.model import Complexity, Delta, Spoken, Stream, Usage

SHOWN_AGAIN = 1_000
"""Characters of a reply that are shown again to its author."""
Judge = Callable[[Said], str | None]
"""What is wrong with what was said; None where nothing is."""


@dataclass(frozen=True)
class TextTalker:
    """Makes any model that answers in text one that calls tools."""

    model: Any
    complexity: Complexity = "complex"
    max_tokens: int = 600
    repairs: int = 2
    judge: Judge = lambda said: None
    wire: str = "openai"

    @property
    def name(self) -> str:
        return str(getattr(self.model, "name", type(self.model).__name__))

    @property
    def window(self) -> int | None:
        return getattr(self.model, "window", None)

    def turn(
        self, request: Mapping[str, Any], *, max_tokens: int | None = None, seconds: float | None = None
    ) -> Stream:
        """One turn, repaired where it must be; its cost is that of all tries but for prompts that were sent again."""
        prompt, wrong, extra = rendered(request), "", ""
        said_tokens = 0
        for tried in range(self.repairs + 1):
            ask = Ask(prompt + extra, max_tokens or self.max_tokens, None, "turn", seconds, None, self.complexity)
            text, usage = yield from _told(self.model, ask)
            said_tokens += usage.said
            said = read(text)
            wrong = said.what if isinstance(said, Wrong) else self.judge(said) or ""
            # What a judge finds is a wish: at the last, what keeps to the form is let through.
            if isinstance(said, Said) and (not wrong or tried == self.repairs):
                yield _spoken(said, text, prompt, Usage(usage.sent, usage.cached, usage.written, said_tokens))
                return
            extra = f"\n\n# YOUR LAST REPLY\n{barred(text[:SHOWN_AGAIN])}\n\n# WHAT WAS WRONG\n{wrong}. Reply anew."
        raise ModelFailed(f"the model did not keep to the form, asked {self.repairs + 1} times: {wrong}", "other")


def _told(model: Any, ask: Ask) -> Generator[Delta, None, tuple[str, Usage]]:
    """The words of a reply, as they come, and what they cost."""
    if hasattr(model, "stream"):
        words: list[str] = []
        for piece in _closing(model.stream(ask)):
            if isinstance(piece, Spoken):
                return "".join(words), piece.usage
            words.append(piece.text)
            yield piece
        raise ModelFailed("the stream ended before the message did", "reset")
    reply = model.answer(ask)
    if inspect.isawaitable(reply):
        reply = asyncio.run(_awaited(reply))
    if isinstance(reply, NoAnswer):
        raise ModelFailed(reply.reason, reply.kind, wait=reply.wait)
    yield Delta(reply.text)
    return reply.text, reply.usage


async def _awaited(reply: Any) -> Any:
    return await reply


def _closing(stream: Stream) -> Iterator[Delta | Spoken]:
    """The stream, closed with whoever reads it."""
    try:
        yield from stream
    finally:
        close = getattr(stream, "close", None)
        if close is not None:
            close()


def _spoken(said: Said, text: str, prompt: str, usage: Usage) -> Spoken:
    if said.answer is not None:
        return Spoken(({"role": "assistant", "content": text.strip()},), usage, "end")
    seed = blake2b(f"{prompt}\0{text}".encode("utf-8", "replace"), digest_size=6).hexdigest()
    calls = [
        {"id": f"call_{seed}_{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for at, (name, arguments) in enumerate(said.calls)
    ]
    return Spoken(({"role": "assistant", "content": said.notes or None, "tool_calls": calls},), usage, "calls")
