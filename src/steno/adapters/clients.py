"""How the client of each SDK is copied, and where its requests pass.

Every SDK has one place that all its calls go through: `post` of OpenAI's and Anthropic's
clients, the API client inside Google's, `_make_api_call` of botocore's. A copy of the
client gets a place of our own there; the client that was passed in stays as it is. No
SDK is imported here.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import json
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from typing import Any, Protocol

from steno.adapters.flows import arun_flow, run_flow
from steno.core.errors import BadInput
from steno.providers.shared.plain_json import get_field
from steno.providers.shared.provider_report import StreamedReport

NO_OPTIONS: Mapping[str, Any] = {}


class Interceptor(Protocol):
    """What stands between a client and its provider."""

    def exchange(
        self, path: str, body: Any, options: Mapping[str, Any]
    ) -> Generator[Any, Any, Any]: ...
    def close(self) -> None: ...


def wrap_post_client(client: Any, interceptor: Interceptor) -> Any:
    """Return a copy of OpenAI's or Anthropic's client with our `post`; so are its own copies."""
    new = client.copy()
    copied, closed = new.copy, new.close

    def copy_client(**changes: Any) -> Any:
        return wrap_post_client(copied(**changes), interceptor)

    def close() -> Any:
        # Copies share the sessions: to close one client closes them for all of its copies.
        interceptor.close()
        return closed()

    new._steno = interceptor
    new.post = _wrap_post(interceptor, new.post)
    # Callers set a timeout for one call by `with_options`; that client must be wrapped too.
    new.copy = new.with_options = copy_client
    new.close = close
    return new


def _wrap_post(interceptor: Interceptor, post: Callable[..., Any]) -> Callable[..., Any]:
    """Return the client's `post` with views in its requests; awaited if the client's is."""

    def blocking_post(path: str, *, body: Any = None, options: Any = None, **rest: Any) -> Any:
        def send(sent: Any) -> Any:
            return post(path, body=sent.body, options=sent.options, **rest)

        return run_flow(interceptor.exchange(path, body, options or {}), send)

    async def async_post(path: str, *, body: Any = None, options: Any = None, **rest: Any) -> Any:
        async def send(sent: Any) -> Any:
            return await post(path, body=sent.body, options=sent.options, **rest)

        return await arun_flow(interceptor.exchange(path, body, options or {}), send)

    if inspect.iscoroutinefunction(post):
        return async_post
    return blocking_post


def wrap_genai_client(client: Any, interceptor: Interceptor) -> Any:
    """Return a copy of Google's client whose models send views."""
    api = _wrapped_api(client._api_client, interceptor)
    kind = type(client)

    class Wrapped(kind):  # type: ignore[misc, valid-type]
        __module__ = kind.__module__

        def close(self) -> None:
            interceptor.close()
            super().close()

        def __del__(self) -> None:
            """Do nothing: the connections belong to the client that was wrapped."""

    Wrapped.__name__ = kind.__name__
    new = Wrapped.__new__(Wrapped)
    new.__dict__.update(client.__dict__)
    # A client closes its connections when it is collected, and the copy goes on using them.
    api._steno_base = client
    new._steno = interceptor
    new._api_client = api
    new._models = type(client._models)(api)
    aio = copy.copy(client._aio)
    aio._api_client = api
    aio._models = type(client._aio._models)(api)
    new._aio = aio
    return new


def _wrapped_api(api: Any, interceptor: Interceptor) -> Any:
    # A copy: the caller's own client stays as it was.
    new = copy.copy(api)

    def request(method: str, path: str, body: Any, http_options: Any = None) -> Any:
        def send(sent: Any) -> Any:
            return api.request(method, path, sent.body, _with_extra(http_options, sent))

        return run_flow(interceptor.exchange(path, body, _extra_of(http_options)), send)

    def request_stream(method: str, path: str, body: Any, http_options: Any = None) -> Any:
        def send(sent: Any) -> Iterator[Any]:
            return _start(
                api.request_streamed(method, path, sent.body, _with_extra(http_options, sent))
            )

        return run_flow(interceptor.exchange(path, body, _extra_of(http_options)), send)

    async def async_request(method: str, path: str, body: Any, http_options: Any = None) -> Any:
        async def send(sent: Any) -> Any:
            return await api.async_request(method, path, sent.body, _with_extra(http_options, sent))

        return await arun_flow(interceptor.exchange(path, body, _extra_of(http_options)), send)

    async def async_stream(method: str, path: str, body: Any, http_options: Any = None) -> Any:
        async def send(sent: Any) -> Any:
            return await api.async_request_streamed(
                method, path, sent.body, _with_extra(http_options, sent)
            )

        return await arun_flow(interceptor.exchange(path, body, _extra_of(http_options)), send)

    new.request, new.request_streamed = request, request_stream
    new.async_request, new.async_request_streamed = async_request, async_stream
    return new


def _extra_of(http_options: Any) -> Mapping[str, Any]:
    """Return the fields that Google's client adds to a body, under the name of other SDKs."""
    extra = getattr(http_options, "extra_body", None)
    if isinstance(http_options, Mapping):
        extra = http_options.get("extra_body")
    if extra is None:
        return NO_OPTIONS
    return {"extra_json": extra}


def _with_extra(http_options: Any, sent: Any) -> Any:
    if "extra_json" not in sent.options:
        return http_options
    extra = {"extra_body": sent.options["extra_json"]}
    if isinstance(http_options, Mapping):
        return {**http_options, **extra}
    return http_options.model_copy(update=extra)


def _start(stream: Iterator[Any]) -> Iterator[Any]:
    """Return a stream whose first piece has come: a refusal is raised now, not by the reader."""
    first = list(itertools.islice(stream, 1))
    return itertools.chain(first, stream)


def wrap_botocore_client(client: Any, interceptor: Interceptor) -> Any:
    """Return a copy of botocore's client for bedrock-runtime that sends views."""
    # Not `copy`: this class looks up every attribute that it does not have in its events.
    new = object.__new__(type(client))
    new.__dict__.update(client.__dict__)
    call, close = client._make_api_call, client.close

    def make_api_call(operation: str, params: Any) -> Any:
        def send(sent: Any) -> Any:
            return call(operation, sent.body)

        return run_flow(interceptor.exchange(operation, params, NO_OPTIONS), send)

    def close_client() -> None:
        interceptor.close()
        close()

    new._steno = interceptor
    new._make_api_call = make_api_call
    new.close = close_client
    return new


WRAPPERS: dict[str, Callable[[Any, Interceptor], Any]] = {
    "openai": wrap_post_client,
    "anthropic": wrap_post_client,
    "google": wrap_genai_client,
    "botocore": wrap_botocore_client,
}


def sdk_of(client: object) -> str:
    """Return the SDK of a client, by the modules of its classes, so that none is imported."""
    if hasattr(client, "_steno"):
        raise BadInput("this client is wrapped already")
    homes = [base.__module__.partition(".")[0] for base in type(client).__mro__]
    found = next((home for home in homes if home in WRAPPERS), None)
    if found is None or isinstance(client, type) or not _is_wrappable(client, found):
        raise BadInput(
            "wrap takes an OpenAI, AsyncOpenAI, Anthropic or AsyncAnthropic client, Google's "
            f"genai.Client or a bedrock-runtime client, got {_class_name(client)}"
        )
    return found


def _is_wrappable(client: Any, sdk: str) -> bool:
    if sdk == "google":
        return hasattr(client, "_api_client") and hasattr(client, "_aio")
    if sdk == "botocore":
        return callable(getattr(client, "converse", None))
    return callable(getattr(client, "post", None)) and callable(getattr(client, "copy", None))


def _class_name(client: object) -> str:
    if isinstance(client, type):
        return client.__name__
    return type(client).__name__


def watch_reply(answer: Any, learn: Callable[[Any], None]) -> Any:
    """Have `learn` called with a reply: now, or at the end of its stream with what that said.

    Return the reply to give to the caller, whose stream passes every event as it comes.
    """
    events = answer
    if isinstance(answer, Mapping):
        events = answer.get("stream")
    inner = getattr(events, "_iterator", None)
    if inner is not None:
        # The stream of OpenAI's and Anthropic's SDKs, which is given out as it is.
        events._iterator = _watch(inner, learn)
    elif hasattr(events, "_parse_event"):
        _watch_event_stream(events, learn)
    elif isinstance(events, Iterator | AsyncIterator):
        return _watch(events, learn)
    else:
        learn(answer)
    return answer


def _watch(events: Any, learn: Callable[[Any], None]) -> Any:
    """Return the events of a stream as they come; what they say is learned when they end."""
    report = StreamedReport()

    def blocking() -> Iterator[Any]:
        for event in events:
            report.see(_event_json(event))
            yield event
        learn(report.reply)

    async def on_loop() -> AsyncIterator[Any]:
        async for event in events:
            report.see(_event_json(event))
            yield event
        learn(report.reply)

    if isinstance(events, AsyncIterator):
        return on_loop()
    return blocking()


def _watch_event_stream(stream: Any, learn: Callable[[Any], None]) -> None:
    """Watch botocore's stream, whose last events are how it stopped and the usage."""
    parse = stream._parse_event
    stopped: dict[str, Any] = {}

    def parse_event(event: Any) -> Any:
        parsed = parse(event)
        if isinstance(parsed, Mapping):
            stopped.update(parsed.get("messageStop") or {})
            if "metadata" in parsed:
                learn(stopped | parsed["metadata"])
        return parsed

    stream._parse_event = parse_event


def _event_json(event: Any) -> Any:
    """Return an event of Google's client, which comes as text, with its usage under our key."""
    body = getattr(event, "body", None)
    if not isinstance(body, str):
        return event
    return {"usage": _gemini_counts(body)}


def reported_usage(answer: Any) -> Any:
    """Return what the provider counted for a request; None if the answer does not say so."""
    body = getattr(answer, "body", None)
    if isinstance(body, str):
        return _gemini_usage(_gemini_counts(body))
    usage = getattr(answer, "usage", None)
    if isinstance(answer, Mapping):
        usage = answer.get("usage")
    for key in ("prompt_tokens", "input_tokens"):
        count = get_field(usage, key)
        # A session refuses a count below 0; a server that reports one has not counted.
        if isinstance(count, int) and count >= 0:
            return usage
    return _bedrock_usage(usage) or _gemini_usage(usage)


def _bedrock_usage(usage: Any) -> int | None:
    if not isinstance(usage, Mapping) or not isinstance(usage.get("inputTokens"), int):
        return None
    # As with Anthropic, what the cache read and wrote is counted beside the rest.
    keys = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    return sum(usage.get(key) or 0 for key in keys)


def _gemini_counts(body: str) -> Any:
    try:
        return json.loads(body).get("usageMetadata")
    except (ValueError, AttributeError):
        return None


def _gemini_usage(usage: Any) -> int | None:
    count = get_field(usage, "promptTokenCount")
    if isinstance(count, int):
        return count
    return None
