"""Where the requests of an SDK's clients pass.

Every SDK has one place that all its calls go through. A copy of the client gets a place of
our own there; the client that was passed in stays as it is. No SDK is imported here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Protocol

from steno.providers.shared.plain_json import JsonView
from steno.providers.shared.provider_report import StreamedReport

NO_OPTIONS: JsonView = {}
Learn = Callable[[Any], None]


class Interceptor(Protocol):
    """What stands between a client and its provider."""

    def run(self, path: str, body: Any, options: JsonView, send: Callable[[Any], Any]) -> Any:
        """Return the answer to a request; `send` takes what goes out, with `body` and `options`."""

    async def arun(
        self,
        path: str,
        body: Any,
        options: JsonView,
        send: Callable[[Any], Awaitable[Any]],
    ) -> Any: ...

    def close(self) -> None: ...


class ClientHook(Protocol):
    """How the clients of one SDK are wrapped; a module with these functions."""

    def is_client(self, client: Any) -> bool:
        """Tell whether an object of the SDK is a client that can be wrapped."""

    def wrap_client(self, client: Any, interceptor: Interceptor) -> Any:
        """Return a copy of the client whose requests pass the interceptor."""

    def watch_reply(self, answer: Any, learn: Learn) -> Any:
        """Have `learn` called with a reply: now, or at the end of its stream with what that said.

        Its `usage` has the names of OpenAI's or Anthropic's. Return the reply to give to the
        caller, whose stream passes every event as it comes.
        """


def watch_events(
    events: Any, learn: Learn, read: Callable[[Any], Any] = lambda event: event
) -> Any:
    """Return the events of a stream as they come; what they say is learned when they end.

    read: makes an event, as the client has it, one that a report can be read from.
    """
    report = StreamedReport()

    def blocking() -> Iterator[Any]:
        for event in events:
            report.see(read(event))
            yield event
        learn(report.reply)

    async def on_loop() -> AsyncIterator[Any]:
        async for event in events:
            report.see(read(event))
            yield event
        learn(report.reply)

    if isinstance(events, AsyncIterator):
        return on_loop()
    return blocking()
