"""`steno.wrap(client)`: an SDK's client that sends views instead of whole lists.

The wrapped client is a copy of the client, of its own class, with a `post` of its own.
`post` is the SDKs' documented way to any endpoint: all their calls go through it,
blocking or not, streamed or not, raw or parsed. The session of the conversation in the
body is found (`resent/`), and its view goes out instead; everything else is the SDK's.
A reply is neither changed nor added: the caller sends it again with its next list.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar, Unpack, cast

from steno.adapters.flows import arun_flow, run_flow
from steno.adapters.options import SharedOptions, takes_options
from steno.adapters.request import (
    Body,
    ConversationRequest,
    RequestReader,
    SkippedRequest,
    read_anthropic_request,
    read_openai_request,
)
from steno.adapters.resent.incoming import SdkFormat
from steno.adapters.resent.sessions import KeyedStore, ListSessions
from steno.adapters.resent.thread import ResentThread
from steno.core.errors import BadBudget, BadInput, UnknownModel
from steno.core.events import Skipped
from steno.engine.policy import Policy
from steno.session.options import SessionOptions
from steno.session.overflow import overflow_of
from steno.session.redact import Redactor, redactor_of
from steno.session.session import open_session, shrink_after
from steno.wires import get_wire, to_plain

C = TypeVar("C")
HEADER = "steno-session"
"""Key of `extra_headers` that names the session of a call; it is not sent."""
REQUEST_READERS: dict[str, RequestReader] = {
    "openai": read_openai_request,
    "anthropic": read_anthropic_request,
}
ANY_WINDOW = 100_000
"""Window to check the options with, as long as no call has said its model."""
_USAGE_KEYS = ("prompt_tokens", "input_tokens")


@takes_options
def wrap(
    client: C,
    *,
    store: str | os.PathLike[str] | None = None,
    session: str | None = None,
    durable: bool = True,
    policy: str | os.PathLike[str] | Policy | None = None,
    user: str | None = None,
    **shared: Unpack[SharedOptions],
) -> C:
    """Return a client like this one that keeps every conversation within its window.

    >>> client = steno.wrap(OpenAI(), store="agent.db")

    client: an `OpenAI`, `AsyncOpenAI`, `Anthropic` or `AsyncAnthropic`, or of a class made
        from one. Each call says its model, whose window is used unless `window` is given.
    store: file in which the sessions are found again after a restart.
    session: name of the session that all calls belong to, so that it need not be found.
    durable: wait until every message is on the disk, so that a power cut loses nothing.
    user: whose sessions these are; needed for `memory`.
    """
    sdk = _sdk_name(client)
    if session is not None and (not session or not session.isprintable()):
        raise BadInput(f"session= is one line of text, got {session!r}")
    redactor = redactor_of(shared.get("redact"))
    options = replace(SessionOptions(policy=policy, **shared), redact=redactor)
    _check_options(options, user)
    kept = None
    if store is not None:
        kept = KeyedStore(store, durable=durable)
    found = ListSessions(kept, options, user=user)
    return _wrap_client(client, _Interceptor(REQUEST_READERS[sdk], found, session, redactor))


def sessions(client: object) -> ListSessions:
    """Return the sessions behind a wrapped client, with its events."""
    interceptor = getattr(client, "_steno", None)
    if not isinstance(interceptor, _Interceptor):
        raise BadInput("this client is not wrapped: wrap it with steno.wrap(client)")
    return interceptor.sessions


@dataclass(frozen=True)
class _OutgoingRequest:
    """A request on its way."""

    body: Any
    options: Mapping[str, Any]
    conversation: ConversationRequest | None = None
    """What came, if it carries a conversation."""
    thread: ResentThread | None = None
    """The session whose view is in the body; None if the whole list is."""
    name: str | None = None
    """The name of the session that the call gave."""


@dataclass(frozen=True)
class _Interceptor:
    """What all copies of a wrapped client share."""

    read_request: RequestReader
    sessions: ListSessions
    name: str | None
    redact: Redactor | None

    def prepare(self, path: str, body: Any, options: Mapping[str, Any]) -> _OutgoingRequest:
        """Return the request to send: with a view, or as it came if that is not possible."""
        name, options = _pop_session_name(options, self.name)
        if not isinstance(body, Mapping):
            return _OutgoingRequest(body, options)
        request = self.read_request(path, body)
        if isinstance(request, SkippedRequest):
            self.sessions.say(Skipped(request.reason, 0))
            return _OutgoingRequest(self._redact_body(body, request.key), options)
        if request is None or not request.messages:
            return _OutgoingRequest(body, options)
        if not isinstance(body.get(request.key), list | str):
            # An iterator can be read only once, and was read just now.
            body = {**body, request.key: request.full_list(request.messages)}
        return self._with_view(request, body, options, name)

    def _with_view(
        self,
        request: ConversationRequest,
        body: Body,
        options: Mapping[str, Any],
        name: str | None,
    ) -> _OutgoingRequest:
        # A model or a budget that cannot work is the program's mistake: to send the whole
        # list instead would hide it call after call.
        report = self.sessions.say.report_failures(
            "the whole list was sent: ", unless=(UnknownModel, BadBudget)
        )
        form = SdkFormat(get_wire(request.wire))
        with report:
            checkout = self.sessions.checkout(
                request.messages, form, name=name, model=request.model
            )
            with checkout as (thread, incoming):
                shown = thread.messages_to_send(incoming, request.system, request.tools)
            short = request.with_messages(body, shown)
            return _OutgoingRequest(short, options, request, thread, name)
        return _OutgoingRequest(self._redact_body(body, request.key), options, request, None, name)

    def _redact_body(self, body: Body, key: str) -> Body:
        """Return the body without its secrets, if they are to be taken out."""
        if self.redact is None:
            return body
        messages = body[key]
        if not isinstance(messages, str):
            messages = [to_plain(item, f"{key}[{at}]") for at, item in enumerate(messages)]
        return {**body, key: self.redact.plain(messages)}

    def exchange(
        self, path: str, body: Any, options: Mapping[str, Any]
    ) -> Generator[_OutgoingRequest, Any, Any]:
        """Yield the request to send, once more if it was too long; return the answer."""
        sent = self.prepare(path, body, options)
        try:
            answer = yield sent
        except Exception as failure:
            shorter = self.shorten(sent, body, failure)
            if shorter is None:
                raise
            sent = shorter
            answer = yield sent
        self.learn_usage(sent, answer)
        return answer

    def shorten(
        self, sent: _OutgoingRequest, body: Any, failure: Exception
    ) -> _OutgoingRequest | None:
        """Return a shorter request if the provider found this one too long, else None."""
        if sent.conversation is None or overflow_of(failure) is None:
            return None
        # Without a thread the whole list went out, and there is no session to shrink yet.
        if sent.thread is not None:
            with sent.thread.lock:
                if shrink_after(sent.thread.session, failure) is None:
                    return None
        shorter = self._with_view(sent.conversation, body, sent.options, sent.name)
        if shorter.thread is None:
            return None  # the whole list would be refused again
        return shorter

    def learn_usage(self, sent: _OutgoingRequest, answer: Any) -> None:
        """Keep the tokens that the provider counted; a stream has none yet."""
        usage = getattr(answer, "usage", None)
        if sent.thread is not None and any(
            isinstance(getattr(usage, key, None), int) for key in _USAGE_KEYS
        ):
            # It is added with the next list, the first one to hold the reply.
            sent.thread.usage = usage


def _wrap_post(interceptor: _Interceptor, post: Callable[..., Any]) -> Callable[..., Any]:
    """Return the client's `post` with views in its requests; awaited if the client's is."""

    def blocking_post(path: str, *, body: Any = None, options: Any = None, **rest: Any) -> Any:
        def send(sent: _OutgoingRequest) -> Any:
            return post(path, body=sent.body, options=sent.options, **rest)

        return run_flow(interceptor.exchange(path, body, options or {}), send)

    async def async_post(path: str, *, body: Any = None, options: Any = None, **rest: Any) -> Any:
        async def send(sent: _OutgoingRequest) -> Any:
            return await post(path, body=sent.body, options=sent.options, **rest)

        return await arun_flow(interceptor.exchange(path, body, options or {}), send)

    if inspect.iscoroutinefunction(post):
        return async_post
    return blocking_post


def _wrap_client(client: C, interceptor: _Interceptor) -> C:
    """Return a copy of the client with our `post`; so are its own copies."""
    new = cast(Any, client).copy()
    copy, close = new.copy, new.close

    def copied(**changes: Any) -> Any:
        return _wrap_client(copy(**changes), interceptor)

    def closed() -> Any:
        # Copies share the sessions: to close one client closes them for all of its copies.
        interceptor.sessions.close()
        return close()

    new._steno = interceptor
    new.post = _wrap_post(interceptor, new.post)
    # Callers set a timeout for one call by `with_options`; that client must be wrapped too.
    new.copy = new.with_options = copied
    new.close = closed
    return cast(C, new)


def _sdk_name(client: object) -> str:
    """Return the SDK of a client, by the modules of its classes, so that none is imported."""
    if hasattr(client, "_steno"):
        raise BadInput("this client is wrapped already")
    homes = [base.__module__.partition(".")[0] for base in type(client).__mro__]
    found = next((home for home in homes if home in REQUEST_READERS), None)
    if (
        found is None
        or not callable(getattr(client, "post", None))
        or not callable(getattr(client, "copy", None))
    ):
        raise BadInput(
            "wrap takes an OpenAI, AsyncOpenAI, Anthropic or AsyncAnthropic client, "
            f"got {_class_name(client)}"
        )
    return found


def _class_name(client: object) -> str:
    if isinstance(client, type):
        return client.__name__
    return type(client).__name__


def _check_options(options: SessionOptions, user: str | None) -> None:
    """Raise now what would be wrong with the first session."""
    window = options.window or ANY_WINDOW
    open_session(replace(options, wire="openai", window=window), user=user).close()


def _pop_session_name(
    options: Mapping[str, Any], name: str | None
) -> tuple[str | None, Mapping[str, Any]]:
    """Return the name of a call's session, and its options without the header for it."""
    headers = options.get("headers")
    if not isinstance(headers, Mapping):
        return name, options
    kept = {}
    for key, value in headers.items():
        if key.lower() == HEADER:
            name = str(value)
        else:
            kept[key] = value
    return name, {**options, "headers": kept}
