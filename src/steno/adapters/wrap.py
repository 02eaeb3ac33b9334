"""`steno.wrap(client)`: an SDK's client that sends views instead of whole lists.

The wrapped client is a copy of the client, of its own class, with a `post` of its
own: the SDKs' documented way to any endpoint, through which all their calls go,
blocking or not, streamed or not, raw or parsed. The conversation in the body is laid on its session, and what
that shows goes out in its place; everything else is the SDK's. What comes back is
not touched, and not added either: the caller sends it again.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from steno.adapters import anthropic, openai
from steno.adapters.flows import arun_flow, run_flow
from steno.adapters.request import Body, ConversationRequest, RequestReader, SkippedRequest
from steno.adapters.resent.incoming import SdkFormat
from steno.adapters.resent.sessions import KeyedStore, ListSessions
from steno.adapters.resent.thread import ResentThread
from steno.core.errors import BadBudget, BadInput, UnknownModel
from steno.core.events import OnEvent, Skipped, ignore_event
from steno.session.options import SessionOptions
from steno.session.overflow import overflow_of, shrink_after
from steno.session.redact import Redactor, redactor_of
from steno.session.settings import Settings, StoredSettings
from steno.wires import get_wire, to_plain

C = TypeVar("C")
HEADER = "steno-session"
"""In `extra_headers`: the name of the session, for this call; it is not sent."""
REQUEST_READERS: dict[str, RequestReader] = {
    "openai": openai.read_request,
    "anthropic": anthropic.read_request,
}
_USAGE_KEYS = ("prompt_tokens", "input_tokens")


def wrap(
    client: C,
    *,
    window: int | None = None,
    store: str | os.PathLike[str] | None = None,
    session: str | None = None,
    durable: bool = True,
    on_event: OnEvent = ignore_event,
    redact: Any = None,
    **options: Any,
) -> C:
    """A client like this one that keeps every conversation within its window.

    `client` is an `OpenAI`, `AsyncOpenAI`, `Anthropic` or `AsyncAnthropic`, or of a class made from one. The window
    is that of the model each call names, or `window` tokens. `store` is a file in which the sessions are found again
    after a restart; `session` names the one that all calls belong to, where it need not be found. `redact` takes
    secrets out of messages before they are kept or sent. Further options are those of a `Session`: `policy`,
    `reserve`, `quota`, `writer`, `limits`, `meter`, `strict`.

    >>> client = steno.wrap(OpenAI(), store="agent.db")
    """
    kind = _sdk_name(client)
    _check_options(window, options)
    if session is not None and (not session or not session.isprintable()):
        raise BadInput(f"session= is one line of text, got {session!r}")
    kept = None if store is None else KeyedStore(store, durable=durable)
    redactor = redactor_of(redact)
    found = ListSessions(
        kept, on_event, gaps_by_content=True, window=window, redact=redactor, **options
    )
    return _wrap_client(client, _Interceptor(REQUEST_READERS[kind], found, session, redactor))


def sessions(client: object) -> ListSessions:
    """The sessions behind a wrapped client: its events, and each session to open, undo or pin in."""
    desk = getattr(client, "_steno", None)
    if not isinstance(desk, _Interceptor):
        raise BadInput("this client is not wrapped: wrap it with steno.wrap(client)")
    return desk.sessions


@dataclass(frozen=True)
class _OutgoingRequest:
    """A request on its way."""

    body: Any
    options: Mapping[str, Any]
    asked: ConversationRequest | None = None
    thread: ResentThread | None = None
    name: str | None = None


@dataclass(frozen=True)
class _Interceptor:
    """What all copies of a wrapped client share."""

    surface: RequestReader
    sessions: ListSessions
    name: str | None
    redact: Redactor | None

    def prepare(self, path: str, body: Any, options: Mapping[str, Any]) -> _OutgoingRequest:
        """The request as it goes out; as it came where it carries no conversation, or where anything failed."""
        name, options = _pop_session_name(options, self.name)
        asked = self.surface(path, body) if isinstance(body, Mapping) else None
        if isinstance(asked, SkippedRequest):
            self.sessions.say(Skipped(asked.reason, 0))
            return _OutgoingRequest(self._redact_body(body, asked.key), options)
        if not isinstance(asked, ConversationRequest) or not asked.said:
            return _OutgoingRequest(body, options)
        # A list that could be read only once was read just now.
        whole = (
            body
            if isinstance(body.get(asked.key), list | str)
            else {**body, asked.key: asked.full_list(asked.said)}
        )
        return self._with_view(asked, whole, options, name)

    def _with_view(
        self, asked: ConversationRequest, body: Body, options: Mapping[str, Any], name: str | None
    ) -> _OutgoingRequest:
        report = self.sessions.say.report_failures(
            "the whole list was sent: ", unless=(UnknownModel, BadBudget), redact=self.redact
        )
        form = SdkFormat(get_wire(asked.wire))
        with report:
            checkout = self.sessions.checkout(asked.said, form, name=name, model=asked.model)
            with checkout as (thread, incoming):
                shown = thread.messages_to_send(incoming, asked.system, asked.tools)
            return _OutgoingRequest(asked.with_messages(body, shown), options, asked, thread, name)
        return _OutgoingRequest(self._redact_body(body, asked.key), options, asked, None, name)

    def _redact_body(self, body: Body, key: str) -> Body:
        """The body as it came, but for its secrets, where they are to be taken out."""
        if self.redact is None:
            return body
        said = body[key]
        whole = (
            said
            if isinstance(said, str)
            else [to_plain(each, f"{key}[{at}]") for at, each in enumerate(said)]
        )
        return {**body, key: self.redact.plain(whole)}

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
        """The request made shorter, where the provider found it too long; None for every other failure."""
        if sent.asked is None or overflow_of(failure) is None:
            return None
        if sent.thread is not None:
            with sent.thread.lock:
                if shrink_after(sent.thread.session, failure) is None:
                    return None
        shorter = self._with_view(sent.asked, body, sent.options, sent.name)
        if shorter.thread is None:
            return None
        return shorter  # the whole list again would be refused again

    def learn_usage(self, sent: _OutgoingRequest, answer: Any) -> None:
        """Learn from what the provider counted; a stream is left alone."""
        usage = getattr(answer, "usage", None)
        if sent.thread is not None and any(
            isinstance(getattr(usage, key, None), int) for key in _USAGE_KEYS
        ):
            sent.thread.usage = usage


def _wrap_post(desk: _Interceptor, post: Callable[..., Any]) -> Callable[..., Any]:
    """Return the client's `post` with views in its requests; awaited if the client's is."""

    def blocking_post(path: str, *, body: Any = None, options: Any = None, **rest: Any) -> Any:
        def send(sent: _OutgoingRequest) -> Any:
            return post(path, body=sent.body, options=sent.options, **rest)

        return run_flow(desk.exchange(path, body, options or {}), send)

    async def async_post(path: str, *, body: Any = None, options: Any = None, **rest: Any) -> Any:
        async def send(sent: _OutgoingRequest) -> Any:
            return await post(path, body=sent.body, options=sent.options, **rest)

        return await arun_flow(desk.exchange(path, body, options or {}), send)

    if inspect.iscoroutinefunction(post):
        return async_post
    return blocking_post


def _wrap_client(client: C, desk: _Interceptor) -> C:
    """A copy of the client with our `post`, which its copies get too; all share one connection pool."""
    new = cast(Any, client).copy()
    copy, close = new.copy, new.close

    def copied(**changes: Any) -> Any:
        return _wrap_client(copy(**changes), desk)

    def closed() -> Any:
        desk.sessions.close()
        return close()

    new._steno = desk
    new.post = _wrap_post(desk, new.post)
    new.copy = new.with_options = copied
    new.close = closed
    return cast(C, new)


def _sdk_name(client: object) -> str:
    """Whose client it is, told by the classes it is made from: no SDK is imported."""
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
            f"wrap takes an OpenAI, AsyncOpenAI, Anthropic or AsyncAnthropic client, got {_class_name(client)}"
        )
    return found


def _class_name(client: object) -> str:
    if isinstance(client, type):
        return client.__name__
    return type(client).__name__


def _check_options(window: int | None, options: Mapping[str, Any]) -> None:
    """Say now what would be wrong with the first session."""
    wrong = next(
        (key for key in ("wire", "model", "system", "tools", "name") if key in options), None
    )
    if wrong is not None:
        raise BadInput(f"{wrong}= is said by each call, not to wrap()")
    told = StoredSettings(
        window=100_000 if window is None else window, reserve=options.get("reserve")
    )
    Settings.of(SessionOptions(wire="openai", **options), told)


def _pop_session_name(
    options: Mapping[str, Any], name: str | None
) -> tuple[str | None, Mapping[str, Any]]:
    """The session that a call names, and its options without that."""
    headers = options.get("headers")
    if not isinstance(headers, Mapping):
        return name, options
    said = next((value for key, value in headers.items() if key.lower() == HEADER), None)
    if said is None:
        return name, options
    kept = {key: value for key, value in headers.items() if key.lower() != HEADER}
    return str(said), {**options, "headers": kept}
