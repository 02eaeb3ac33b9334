"""Clients of OpenAI's and Anthropic's SDKs, made alike: every call goes through `post`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from steno.providers.shared.client import Interceptor, Learn, watch_events
from steno.providers.shared.plain_json import Json

# Conversations are posted; what other methods send is only redacted.
SENDING = ("post", "put", "patch", "delete", "get_api_list")
CONTENT = "content"
"""Option that holds a body given as bytes, for the interceptor."""


def is_client(client: Any) -> bool:
    return callable(getattr(client, "post", None)) and callable(getattr(client, "copy", None))


def wrap_client(client: Any, interceptor: Interceptor) -> Any:
    """Return a copy of OpenAI's or Anthropic's client that sends by us; so are its own copies."""
    new = client.copy()
    copied, closed = new.copy, new.close

    def copy_client(**changes: Any) -> Any:
        return wrap_client(copied(**changes), interceptor)

    def close() -> Any:
        # Copies share the sessions: to close one client closes them for all of its copies.
        interceptor.close()
        return closed()

    new._steno = interceptor
    for name in SENDING:
        setattr(new, name, _wrap_sending(interceptor, getattr(new, name)))
    # Callers set a timeout for one call by `with_options`; that client must be wrapped too.
    new.copy = new.with_options = copy_client
    new.close = close
    return new


def _wrap_sending(interceptor: Interceptor, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a client's method with views in its requests; awaited if the client's is."""
    run: Callable[..., Any] = interceptor.run
    if inspect.iscoroutinefunction(method):
        run = interceptor.arun

    def wrapped(path: str, *, body: Any = None, options: Any = None, **rest: Any) -> Any:
        given = dict(options or {})
        if rest.get(CONTENT) is not None:
            given[CONTENT] = rest[CONTENT]

        def send(sent: Any) -> Any:
            options = dict(sent.options)
            if CONTENT in options:
                rest[CONTENT] = options.pop(CONTENT)
            return method(path, body=sent.body, options=options, **rest)

        return run(path, body, given, send)

    return wrapped


def watch_reply(answer: Any, learn: Learn) -> Any:
    inner = getattr(answer, "_iterator", None)
    if inner is None:
        learn(answer)
    else:
        # The stream itself is given out: callers know its class.
        answer._iterator = watch_events(inner, learn)
    return answer


def rebuild_reply(answer: Any, body: Json) -> Any:
    """Return a reply of an answer's class that says what a body says."""
    if isinstance(answer, Mapping):
        return body
    rebuilt = type(answer).construct(**body)
    # Not in the body: the SDKs take it from a header.
    rebuilt._request_id = getattr(answer, "_request_id", None)
    return rebuilt
