"""Google's `genai.Client`: every call goes through the API client inside it."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from steno.providers.gemini.stream import read_counts
from steno.providers.shared.client import NO_OPTIONS, Interceptor, Learn, watch_events
from steno.providers.shared.plain_json import Json, JsonView, get_field


def is_client(client: Any) -> bool:
    return hasattr(client, "_api_client") and hasattr(client, "_aio")


def wrap_client(client: Any, interceptor: Interceptor) -> Any:
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
    def wrapped(run: Callable[..., Any], call: Callable[..., Any]) -> Callable[..., Any]:
        def request(method: str, path: str, body: Any, http_options: Any = None) -> Any:
            def send(sent: Any) -> Any:
                return call(method, path, sent.body, _with_extra(http_options, sent))

            return run(path, body, _extra_of(http_options), send)

        return request

    run, arun = interceptor.run, interceptor.arun
    # A copy: the caller's own client stays as it was.
    new = copy.copy(api)
    new.request = wrapped(run, api.request)
    new.request_streamed = wrapped(run, lambda *sent: _start(api.request_streamed(*sent)))
    new.async_request = wrapped(arun, api.async_request)
    new.async_request_streamed = wrapped(arun, api.async_request_streamed)
    return new


def _extra_of(http_options: Any) -> JsonView:
    """Return the fields that Google's client adds to a body, under the name of other SDKs."""
    extra = get_field(http_options, "extra_body")
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


def watch_reply(answer: Any, learn: Learn) -> Any:
    if isinstance(answer, Iterator | AsyncIterator):
        return watch_events(answer, learn, _usage_in)
    learn(_usage_in(answer))
    return answer


def _usage_in(event: Any) -> Json:
    """Return what a reply counts: the client gets its JSON as text, in `body`."""
    try:
        return {"usage": read_counts(json.loads(event.body)["usageMetadata"])}
    except (ValueError, AttributeError, TypeError, KeyError):
        return {}
