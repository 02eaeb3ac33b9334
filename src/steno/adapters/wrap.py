"""`steno.wrap(client)`: an SDK's client that sends views instead of whole lists.

The wrapped client is a copy of the client, of its own class, with our step in the one
place that all its calls go through (the provider's `client.py`): blocking or not, streamed
or not, raw or parsed. The session of the conversation in the body is found (`resent/`), and
its view goes out instead; everything else is the SDK's.
A reply is not added: the caller sends it again with its next list. It is changed only if the
model called `recall`: that call is answered here (`recall.py`), and the caller never sees it.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, TypeVar, Unpack, cast

from steno.adapters.fit import GivenList
from steno.adapters.flows import arun_flow, run_flow
from steno.adapters.recall import OfferedRecall, is_stored, may_offer
from steno.adapters.resent.incoming import SdkFormat
from steno.adapters.resent.sessions import ListSessions
from steno.adapters.resent.thread import ResentThread
from steno.core.errors import BadBudget, BadInput, UnknownModel
from steno.core.events import Skipped
from steno.engine.policy import Policy
from steno.providers import PROVIDERS, get_wire, to_plain
from steno.providers.cache_marks import CacheUse, with_cache_marks
from steno.providers.provider import Provider
from steno.providers.shared import post_client
from steno.providers.shared.plain_json import JsonView
from steno.providers.shared.post_client import CONTENT, rebuild_reply
from steno.providers.shared.provider_report import reported_usage
from steno.providers.shared.request import (
    PROVIDER_COMPACTS,
    ConversationRequest,
    SkippedRequest,
    asks_provider_to_compact,
    get_value,
)
from steno.redact import Redactor, redact_body
from steno.session.options import SharedOptions, takes_options, with_changes
from steno.session.overflow import overflow_in, overflow_of

C = TypeVar("C")
HEADER = "steno-session"
"""Key of `extra_headers` that names the session of a call; it is not sent."""
GIVEN_FIELDS = frozenset(("model", "modelId", "system", "instructions", "systemInstruction"))
GIVEN_FIELDS |= {"tools", "toolConfig"}
"""Fields of a request that are the program's own words, and go out as they came."""
EXTRA_FIELDS = frozenset(("extra_json", "params"))
"""Options of a call that are sent: what the SDKs call `extra_body` and `extra_query`."""
RAW_HEADER = "x-stainless-raw-response"
"""Header by which the SDKs say, to themselves, that a caller wants the bytes of a reply."""
REFUSALS = (400, 404, 422)
"""How servers say that a model takes no tools."""


@takes_options
def wrap(
    client: C,
    *,
    store: str | os.PathLike[str] | None = None,
    session: str | None = None,
    durable: bool = True,
    policy: str | os.PathLike[str] | Policy | None = None,
    user: str | None = None,
    cache: CacheUse = "given",
    recall: bool = True,
    **shared: Unpack[SharedOptions],
) -> C:
    """Return a client like this one that keeps every conversation within its window.

    >>> client = steno.wrap(OpenAI(), store="agent.db")

    client: an `OpenAI`, `AsyncOpenAI`, `Anthropic` or `AsyncAnthropic`, or of a class made
        from one; Google's `genai.Client`, or botocore's client for `bedrock-runtime`. Each
        call says its model, whose window is used unless `window` is given.
    store: file in which the sessions are found again after a restart.
    session: name of the session that all calls belong to, so that it need not be found.
    durable: wait until every message is on the disk, so that a power cut loses nothing.
    user: whose sessions these are; needed for `memory`.
    recall: offer the model the tool of that name once something has left its view, and answer its
        calls unseen. Not in streams, raw or structured replies, nor for Google and Bedrock.
    """
    provider = _provider_of(client)
    if session is not None and (not session.strip() or not session.isprintable()):
        raise BadInput(f"session= is one line of text, got {session!r}")
    options = with_changes(shared, policy=policy, cache=cache)
    found = ListSessions(store, options, user=user, durable=durable)
    hook = provider.client_hook()
    assert hook is not None
    interceptor = _Interceptor(provider.sdk, found, session, recall)
    return cast(C, hook.wrap_client(client, interceptor))


def _provider_of(client: object) -> Provider:
    """Return a provider that a client is for, by the modules of its classes: none is imported."""
    if hasattr(client, "_steno"):
        raise BadInput("this client is wrapped already")
    homes = {base.__module__.partition(".")[0] for base in type(client).__mro__}
    for provider in PROVIDERS.values():
        hook = provider.client_hook()
        is_named = provider.sdk.partition(".")[0] in homes
        if hook is not None and is_named and hook.is_client(client):
            return provider
    raise BadInput(
        "wrap takes an OpenAI, AsyncOpenAI, Anthropic or AsyncAnthropic client, Google's "
        f"genai.Client or a bedrock-runtime client, got {type(client).__name__}"
    )


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
    options: JsonView
    name: str | None = None
    """The name of the session that the call gave."""
    given: Any = None
    """The body as it came, if it carries a conversation."""
    conversation: ConversationRequest | None = None
    thread: ResentThread | None = None
    """The session whose view is in the body; None if the whole list is."""
    offer: OfferedRecall | None = None
    """The recall tool, if the model is offered it."""
    tokens: tuple[int, int] = (0, 0)
    """Tokens of the view, and those that are left out of it."""


@dataclass(frozen=True)
class _Interceptor:
    """What all copies of a wrapped client share."""

    sdk: str
    sessions: ListSessions
    name: str | None
    recall: bool
    toolless: set[str] = field(default_factory=set)
    """Models that take no tools."""

    def prepare(self, path: str, body: Any, options: JsonView) -> _OutgoingRequest:
        """Return the request to send: with a view, or as it came if that is not possible."""
        name, options = _pop_session_name(options, self.name)
        came = _OutgoingRequest(body, options, name)
        if not isinstance(body, Mapping):
            return came
        request: ConversationRequest | SkippedRequest | None = None
        for provider in PROVIDERS.values():
            if provider.sdk == self.sdk and request is None:
                request = provider.read_request(path, body)
        if isinstance(request, ConversationRequest) and asks_provider_to_compact(body):
            request = SkippedRequest(PROVIDER_COMPACTS, request.key)
        if isinstance(request, SkippedRequest):
            self.sessions.say(Skipped(request.reason, 0))
            return came
        if request is None or not request.messages:
            return came
        if not isinstance(body.get(request.key), list | str):
            # An iterator can be read only once, and was read just now.
            body = {**body, request.key: request.full_list(request.messages)}
        return self._with_view(replace(came, given=body, conversation=request), request)

    def _with_view(
        self, sent: _OutgoingRequest, request: ConversationRequest, *, recall: bool = True
    ) -> _OutgoingRequest:
        """Return a request with the view of now; with the list as it came if that failed."""
        # A model or a budget that cannot work is the program's mistake: to send the whole
        # list instead would hide it call after call.
        report = self.sessions.say.report_failures(
            "the whole list was sent: ", unless=(UnknownModel, BadBudget)
        )
        form, body, offer = SdkFormat(get_wire(request.wire)), sent.given, None
        with report:
            surface = PROVIDERS[request.wire].surface()
            fitted = GivenList(
                self.sessions,
                request.messages,
                form,
                sent.name,
                request.model,
                request.system,
                request.tools,
                request.schema,
                recall=recall and surface is not None and self._may_offer(sent, request),
            ).fit()
            thread, shown = fitted.thread, list(fitted)
            tokens = thread.session.load, thread.session.log.tokens_spared
            if fitted.tools and surface is not None:
                [tool] = fitted.tools
                offer = OfferedRecall(
                    tool, self.sessions, thread, surface, fitted.own, is_stored(body)
                )
                offer, shown = offer.put_back(shown, form)
                body = {**body, "tools": [*request.tools, *fitted.tools]}
            stable, end = _resent_part(request.messages, shown)
            shown = PROVIDERS[request.wire].sdk_messages(shown)
            short = request.with_messages(body, shown)
            if thread.session.host.cache == "managed":
                short = with_cache_marks(
                    request.wire,
                    short,
                    model=request.model,
                    session=thread.session.name,
                    stable=stable,
                    end=end,
                )
            return replace(sent, body=short, thread=thread, offer=offer, tokens=tokens)
        return replace(sent, body=sent.given, thread=None, offer=None)

    def _may_offer(self, sent: _OutgoingRequest, request: ConversationRequest) -> bool:
        """Tell whether recall can be offered, and its calls taken out of the reply."""
        options = sent.options
        if not self.recall or request.model in self.toolless or "post_parser" in options:
            return False
        # Replies of other clients cannot be made anew without the call.
        if PROVIDERS[request.wire].client_hook() is not post_client:
            return False
        if any(key.lower() == RAW_HEADER for key in options.get("headers") or ()):
            return False
        whole = {**sent.given, **(options.get("extra_json") or {})}
        return not get_value(whole, "stream") and may_offer(request, whole)

    def _without_secrets(self, sent: _OutgoingRequest) -> _OutgoingRequest:
        """Return a request without secrets, if they are to be taken out, whatever it is for.

        A field that no reader knows may hold a conversation as well: a count, a batch, a
        prediction. Only what the program itself wrote stays.
        """
        redactor = self.sessions.redactor
        if redactor is None:
            return sent
        as_given = GIVEN_FIELDS
        if sent.thread is not None and sent.conversation is not None:
            # The session has taken them out of its view.
            as_given = as_given | {sent.conversation.key}
        options = dict(sent.options)
        for key in EXTRA_FIELDS & options.keys():
            options[key] = _redact_json(redactor, options[key])
        if CONTENT in options:
            options[CONTENT] = redact_body(options[CONTENT], redactor)
        if not isinstance(sent.body, Mapping):
            return replace(sent, body=_redact_json(redactor, sent.body, "body"), options=options)
        body = {
            key: value if key in as_given else _redact_json(redactor, value, key)
            for key, value in sent.body.items()
        }
        return replace(sent, body=body, options=options)

    def exchange(
        self, path: str, body: Any, options: JsonView
    ) -> Generator[_OutgoingRequest, Any, Any]:
        """Yield the request to send, once more if it was too long; return the answer."""
        sent = self._without_secrets(self.prepare(path, body, options))
        try:
            answer = yield sent
        except Exception as failure:
            again = self.shorten(sent, failure) or self._without_tools(sent, failure)
            if again is None:
                raise
            answer = yield again
            if sent.offer is not None and again.offer is None and again.conversation is not None:
                self.toolless.add(again.conversation.model)
            sent = again
        else:
            shorter = self.shorten(sent, overflow_in(answer))
            if shorter is not None:
                sent = shorter
                answer = yield sent
        if sent.thread is None or sent.conversation is None:
            return answer
        is_of_view = True
        if sent.offer is not None:
            first = answer
            answer = yield from self._answer_recall(sent, sent.offer, answer)
            is_of_view = answer is first and not sent.offer.is_seen_in_usage
        thread, hook = sent.thread, PROVIDERS[sent.conversation.wire].client_hook()
        assert hook is not None
        model, session = sent.conversation.model, thread.session

        def learn(reply: Any) -> None:
            usage = reported_usage(reply)
            # The tokens of more words than the view has say nothing about the view.
            thread.learn_reply(reply, is_of_view and usage)
            with self.sessions.say.report_failures("a bill was not stored: "):
                session.host.bill(model, usage, *sent.tokens)

        return hook.watch_reply(answer, learn)

    def _answer_recall(
        self, sent: _OutgoingRequest, offer: OfferedRecall, answer: Any
    ) -> Generator[_OutgoingRequest, Any, Any]:
        """Yield further requests while replies call recall; return one reply made of all."""
        # A caller of `post` itself may want another class than the SDK's own.
        if not isinstance(answer, Mapping) and not hasattr(answer, "construct"):
            return answer
        bodies: list[Any] = []
        while True:
            bodies.append(to_plain(answer, "the reply"))
            reply = offer.surface.read(bodies[-1])
            more = None
            with self.sessions.say.report_failures("recall was not answered: "):
                more = offer.follow_up(reply)
            if more is None:
                break
            offer = more
            try:
                answer = yield self._with_stages(sent, offer)
            except Exception as failure:
                plain = None
                if overflow_of(failure) is not None:
                    # What was recalled does not fit: the model goes on without it.
                    plain = self._without_recall(sent)
                if plain is None:
                    raise
                return (yield plain)
        if not offer.stages and not offer.is_called(reply):
            return answer
        with self.sessions.say.report_failures():
            offer.remember(reply)
        return rebuild_reply(answer, offer.merge(bodies))

    def _with_stages(self, sent: _OutgoingRequest, offer: OfferedRecall) -> _OutgoingRequest:
        """Return a request that goes on behind the replies that called recall."""
        assert sent.conversation is not None
        key, tail = sent.conversation.key, offer.tail
        if self.sessions.redactor is not None:
            tail = self.sessions.redactor.plain(tail)
        messages = sent.body[key]
        end = len(messages) - len(sent.conversation.trail)
        body = {**sent.body, key: [*messages[:end], *tail, *messages[end:]]}
        if offer.is_over and sent.conversation.tools:
            body["tools"] = body["tools"][:-1]
        elif offer.is_over:
            # Calls in a list without any tool are refused.
            body |= offer.surface.no_call
        return replace(sent, body=body)

    def _without_tools(self, sent: _OutgoingRequest, failure: Exception) -> _OutgoingRequest | None:
        """Return a request without recall if it was the only tool, and may be why it failed."""
        is_refused = getattr(failure, "status_code", None) in REFUSALS
        if not is_refused or sent.conversation is None or sent.conversation.tools:
            return None
        return self._without_recall(sent)

    def _without_recall(self, sent: _OutgoingRequest) -> _OutgoingRequest | None:
        """Return the request without the tool; None if it was not offered."""
        if sent.offer is None:
            return None
        return self._sent_again(sent, recall=False)

    def _sent_again(self, sent: _OutgoingRequest, **how: Any) -> _OutgoingRequest | None:
        """Return a request with the view of now; None if there is none."""
        if sent.conversation is None:
            return None
        again = self._with_view(sent, sent.conversation, **how)
        if again.thread is None:
            return None  # the whole list would be refused again
        return self._without_secrets(again)

    def run(self, path: str, body: Any, options: JsonView, send: Callable[[Any], Any]) -> Any:
        """Exchange a request by a function that sends it."""
        return run_flow(self.exchange(path, body, options), send)

    async def arun(
        self, path: str, body: Any, options: JsonView, send: Callable[[Any], Awaitable[Any]]
    ) -> Any:
        """Exchange a request by a coroutine that sends it."""
        return await arun_flow(self.exchange(path, body, options), send)

    def shorten(self, sent: _OutgoingRequest, failure: Exception | None) -> _OutgoingRequest | None:
        """Return a shorter request if the provider found this one too long, else None."""
        if sent.conversation is None or failure is None or overflow_of(failure) is None:
            return None
        # Without a thread the whole list went out, and there is no session to shrink yet.
        if sent.thread is not None:
            with sent.thread.lock:
                if sent.thread.session.host.shrink_after(failure) is None:
                    return None
        return self._sent_again(sent)

    def close(self) -> None:
        self.sessions.close()


def _resent_part(given: Sequence[Any], shown: Sequence[Any]) -> tuple[int, int]:
    """Return how many messages are as given from the first on, and where the newest one ends."""
    pairs = takewhile(lambda pair: pair[0] is pair[1], zip(given, shown, strict=False))
    same = len(list(pairs))
    for end in range(len(shown), 0, -1):
        # What stands after the caller's newest message is a reminder of ours.
        if shown[end - 1] is given[-1]:
            return same, end
    return same, len(shown)


def _redact_json(redactor: Redactor, value: Any, key: str = "") -> Any:
    """Return a field of a request without secrets; what is no JSON stays as it is."""
    return redactor.plain(_as_json(redactor, value, key), key=key)


def _as_json(redactor: Redactor, value: Any, key: str = "") -> Any:
    """Return a value with the objects of the SDKs as JSON; an iterator can be read once alone."""
    if key == "body" and (isinstance(value, bytes | bytearray) or hasattr(value, "read")):
        # Bedrock takes JSON of a model as bytes, at any depth, or from a file, which is refused.
        return redact_body(value, redactor)
    if isinstance(value, Mapping):
        return {name: _as_json(redactor, each, name) for name, each in value.items()}
    if isinstance(value, list | tuple | Iterator):
        return [_as_json(redactor, each) for each in value]
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return to_plain(value, "body")
    return value


def _pop_session_name(options: JsonView, name: str | None) -> tuple[str | None, JsonView]:
    """Return the name of a call's session, and its options without the header for it."""
    headers = options.get("headers")
    if not isinstance(headers, Mapping):
        return name, options
    kept = {}
    for key, value in headers.items():
        if key.lower() == HEADER:
            # An SDK's word for no header, or an empty one, names nothing.
            if isinstance(value, str) and value.strip():
                name = value
        else:
            kept[key] = value
    return name, {**options, "headers": kept}
