"""Clients of OpenAI's and Anthropic's SDKs, made alike: every call goes through `post`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from steno.providers.shared.client import Interceptor, Learn, watch_events
from steno.providers.shared.plain_json import Json


def is_client(client: Any) -> bool:
    return callable(getattr(client, "post", None)) and callable(getattr(client, "copy", None))


def wrap_client(client: Any, interceptor: Interceptor) -> Any:
    """Return a copy of OpenAI's or Anthropic's client with our `post`; so are its own copies."""
    new = client.copy()
    copied, closed = new.copy, new.close

    def copy_client(**changes: Any) -> Any:
        return wrap_client(copied(**changes), interceptor)

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
    run: Callable[..., Any] = interceptor.run
    if inspect.iscoroutinefunction(post):
        run = interceptor.arun

    def wrapped(path: str, *, body: Any = None, options: Any = None, **rest: Any) -> Any:
        def send(sent: Any) -> Any:
            return post(path, body=sent.body, options=sent.options, **rest)

        return run(path, body, options or {}, send)

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
