"""One request of a conversation: sent, sent once more if it was too long, streamed back.

Where the model is offered recall, the answer may be made of several replies; what the
client gets of them is `stages`'s. An upstream's fault stays the upstream's.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import msgspec

from steno.adapters.recall import RECALL
from steno.core.errors import needs_extra
from steno.core.word_tables import words_of
from steno.providers.shared.surface import Reply
from steno.proxy.codings import READABLE_CODINGS
from steno.proxy.conversations import Conversations
from steno.proxy.outgoing import Outgoing
from steno.proxy.replies import READ_MOST, ReplyReader, read_json
from steno.proxy.shadow import AskAgain
from steno.proxy.stages import StagedAnswer
from steno.telemetry import RequestSpan

try:
    import httpx2
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response, StreamingResponse
    from starlette.types import Receive, Scope, Send
except ImportError as failure:
    raise needs_extra("the proxy needs packages", "proxy") from failure

SESSION_HEADER = "steno-session"
USER_HEADER = "steno-user"
AGENT_HEADER = "steno-agent"
PARENT_HEADER = "steno-parent"
"""Name of the session whose agent began this one."""
POLICY_HEADER = "steno-policy"
"""Name of a policy, or tokens that requests should stay below."""
PASSED_HEADER = "steno-passed"
COST_HEADER = "steno-cost"
"""Tokens of this request, and the bill of its session up to the request before."""
VIA_HEADER = "steno-proxy"
"""Names of the proxies that a request has passed."""
BEGUN = b""
"""First chunk of every stream: nothing, asked for before the answer is handed on."""
ERROR_MOST = 1_000_000
"""Bytes of a refusal that are read, to see whether it is one for length."""
# Headers that belong to one connection, not to the message (RFC 9110, 7.6.1).
HOP_HEADERS = words_of(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    "transfer-encoding upgrade"
)
OWN_HEADERS = frozenset(
    {SESSION_HEADER, USER_HEADER, AGENT_HEADER, PARENT_HEADER, POLICY_HEADER, VIA_HEADER}
)
_LOG = logging.getLogger("steno")


class UpstreamAnswer:
    """An upstream's answer, whose beginning may be read before it is passed on."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        self._bytes = aiter(response.stream)
        self._held: list[bytes] = []
        self.status = response.status_code
        self.headers = response.headers

    @property
    def is_stream(self) -> bool:
        return "event-stream" in self.headers.get("content-type", "")

    async def read_start(self, most: int) -> bytes:
        """Return the first bytes; they are passed on all the same."""
        held = 0
        async for chunk in self._bytes:
            self._held.append(chunk)
            held += len(chunk)
            if held > most:
                break
        return b"".join(self._held)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the bytes as they come."""
        try:
            for chunk in self._held:
                yield chunk
            async for chunk in self._bytes:
                yield chunk
        finally:
            await self.close()

    async def close(self) -> None:
        await self._response.aclose()


@dataclass(frozen=True)
class Finished:
    """A request that has its answer."""

    sent: Outgoing
    read: Callable[[], Reply]
    """Reads the reply; that takes time, which its client need not wait for."""
    status: int
    came: int
    """Bytes of the client's request."""
    span: RequestSpan | None = None
    """Its span, if this is the request's last answer and the proxy is traced."""


class Host(Protocol):
    """What an exchange asks of the proxy that began it."""

    running: int
    name: str

    def url_for(self, request: Request, sent: Outgoing, path: str) -> str: ...

    async def send(
        self, request: Request, url: str, content: bytes, headers: list[tuple[bytes, bytes]]
    ) -> UpstreamAnswer: ...

    async def another(
        self, make: Callable[..., Outgoing | None], sent: Outgoing, *given: Any
    ) -> Outgoing | None: ...

    def finish(self, over: Finished, ask: AskAgain | None = None) -> None: ...

    async def without_secrets(self, raw: bytes) -> bytes: ...

    def unreachable(self, url: str, failure: Exception) -> Response: ...


@dataclass
class Exchange:
    """One request on its way, and its answer on the way back."""

    proxy: Host
    work: Conversations
    request: Request
    path: str
    came: int
    """Bytes of the client's request."""
    span: RequestSpan | None
    ended: bool = False

    async def run(self, sent: Outgoing) -> Response:
        self.proxy.running += 1
        answer: UpstreamAnswer | None = None
        try:
            sent, answer = await self._send_fitting(sent, self.work.shorten)
            stream = self._chunks
            is_plain = answer.headers.get("content-encoding", "identity") == "identity"
            if sent.offer is not None and answer.status < 400 and is_plain:
                if not answer.is_stream:
                    return await self._join_replies(sent, answer)
                stream = self._join_streams
        except httpx2.RequestError as failure:
            self._over(sent, Reply, 502)
            url = self.proxy.url_for(self.request, sent, self.path)
            return self.proxy.unreachable(url, failure)
        except BaseException:
            self._end()
            if answer is not None:
                await answer.close()
            raise
        chunks = stream(sent, answer)
        # Begun here: a generator that was not has no end either, if none of it is asked for.
        await anext(chunks)
        return stream_back(answer, chunks, _own_headers(sent))

    async def _ask_again(self, sent: Outgoing) -> Reply:
        """Send the request as it came, and read the reply; a refusal shows no next action."""
        assert sent.body is not None
        content = await self.proxy.without_secrets(sent.body.raw)
        answer = await self._send(replace(sent, content=content))
        if answer.status >= 400:
            await answer.close()
            raise httpx2.ReadError(f"the whole list was refused: {answer.status}")
        reader = ReplyReader(sent.surface, answer.headers)
        async for chunk in answer.chunks():
            reader.feed(chunk)
        return reader.finish()

    async def _send_fitting(
        self, sent: Outgoing, shorter: Callable[..., Outgoing | None], *, joined: bool = False
    ) -> tuple[Outgoing, UpstreamAnswer]:
        """Send a request; if it is refused and a shorter one can be made, send that."""
        answer = await self._send(sent)
        if answer.status < 400:
            return sent, answer
        try:
            refusal = read_json(await answer.read_start(ERROR_MOST), answer.headers)
            other = await self.proxy.another(shorter, sent, answer.status, refusal)
        except BaseException:
            await answer.close()
            raise
        if other is None:
            return sent, answer
        await answer.close()
        return other, await self._send(other, joined=joined)

    async def _go_on(self, more: Outgoing) -> tuple[Outgoing, UpstreamAnswer]:
        """Send what was recalled; if that is too long, the model goes on without it."""
        return await self._send_fitting(more, self.work.without_recall, joined=True)

    async def _send(self, sent: Outgoing, *, joined: bool = False) -> UpstreamAnswer:
        codings: Sequence[str] = READABLE_CODINGS
        if joined or sent.offer is not None:
            codings = ()
        headers = request_headers(self.request, self.proxy.name)
        named = {b"accept-encoding": _wanted_codings(headers, codings)}
        if self.span is not None:
            # The proxy's own span, in place of the client's.
            named |= {key.encode(): value.encode() for key, value in self.span.headers().items()}
        headers = [*(pair for pair in headers if pair[0] not in named), *named.items()]
        url = self.proxy.url_for(self.request, sent, self.path)
        return await self.proxy.send(self.request, url, sent.content, headers)

    async def _chunks(self, sent: Outgoing, answer: UpstreamAnswer) -> AsyncGenerator[bytes, None]:
        reader = ReplyReader(sent.surface, answer.headers)
        try:
            yield BEGUN
            async for chunk in answer.chunks():
                yield chunk
                reader.feed(chunk)
        except httpx2.TransportError as failure:
            # Raised on: the server then breaks the client's connection off as well.
            _LOG.warning("the upstream broke off: %s", type(failure).__name__)
            raise
        finally:
            read: Callable[[], Reply] = Reply
            if answer.status < 400:
                read = reader.finish
            self._over(sent, read, answer.status)

    async def _join_streams(
        self, sent: Outgoing, answer: UpstreamAnswer
    ) -> AsyncGenerator[bytes, None]:
        """Yield one stream, of as many replies as it takes."""
        staged = StagedAnswer(sent.surface, RECALL)
        reader = ReplyReader(sent.surface, answer.headers)
        remembered: ReplyReader | None = None
        try:
            yield BEGUN
            while True:
                async for chunk in answer.chunks():
                    reader.feed(chunk)
                    if reader.whole and remembered is not reader:
                        await self.proxy.another(self.work.remember_stages, sent, reader.finish())
                        remembered = reader
                    shown = staged.feed(chunk)
                    if shown:
                        yield shown
                reply = reader.finish()
                more = await self.proxy.another(self.work.follow_up, sent, reply)
                if more is None:
                    break
                self.proxy.finish(Finished(sent, reader.finish, answer.status, self.came))
                staged.go_on(reply.output_tokens)
                reader = ReplyReader(sent.surface, answer.headers)
                sent, answer = await self._go_on(more)
                if answer.status >= 400 or not answer.is_stream:
                    refusal = read_json(await answer.read_start(ERROR_MOST), answer.headers)
                    await answer.close()
                    yield sent.surface.error_text(refusal, staged)
                    return
            if rest := staged.finish():
                yield rest
        except httpx2.TransportError as failure:
            _LOG.warning("the upstream broke off: %s", type(failure).__name__)
            raise
        finally:
            self._over(sent, reader.finish, answer.status)

    async def _join_replies(self, sent: Outgoing, answer: UpstreamAnswer) -> Response:
        """Return one reply, of as many as it takes."""
        bodies = []
        offer = sent.offer
        assert offer is not None
        while True:
            raw = await answer.read_start(READ_MOST)
            reader = ReplyReader(sent.surface, answer.headers)
            reader.feed(raw)
            reply = reader.finish()
            body = read_json(raw, answer.headers)
            if answer.status >= 400 or not isinstance(body, dict):
                break
            bodies.append(body)
            more = await self.proxy.another(self.work.follow_up, sent, reply)
            if more is None:
                break
            self.proxy.finish(Finished(sent, reader.finish, answer.status, self.came))
            await answer.close()
            offer = more.offer or offer
            sent, answer = await self._go_on(more)
        await self.proxy.another(self.work.remember_stages, sent, reply)
        self._over(sent, reader.finish, answer.status)
        as_it_came = not offer.stages and not offer.is_called(reply)
        if answer.status >= 400 or not bodies or as_it_came:
            return stream_back(answer, answer.chunks(), _own_headers(sent))
        await answer.close()
        merged = msgspec.json.encode(offer.merge(bodies))
        return stream_back(answer, _once(merged), _own_headers(sent), length=len(merged))

    def _end(self) -> None:
        """Count the request as no longer on its way, once."""
        if not self.ended:
            self.ended = True
            self.proxy.running -= 1

    def _over(self, sent: Outgoing, read: Callable[[], Reply], status: int) -> None:
        # In this order: between the two, a proxy with work to do would count as idle.
        self.proxy.finish(Finished(sent, read, status, self.came, self.span), self._ask_again)
        self._end()


async def _once(content: bytes) -> AsyncGenerator[bytes, None]:
    yield content


class PassedOn(StreamingResponse):
    """Passes an upstream's answer on, and ends it also if the client leaves before its start."""

    def __init__(self, answer: UpstreamAnswer, chunks: AsyncGenerator[bytes, None]) -> None:
        super().__init__(chunks, status_code=answer.status)
        self._answer = answer
        self._chunks = chunks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._chunks.aclose()
            await self._answer.close()


def _own_headers(sent: Outgoing) -> dict[str, str]:
    extra = {}
    if sent.session:
        extra[SESSION_HEADER] = sent.session
        cost = f"shown={sent.tokens} whole={sent.tokens + sent.spared}"
        if sent.names_caller:
            cost += (
                f" cached={sent.bill.from_cache:.2f} spent={sent.bill.spent:.4f} "
                f"spared={sent.bill.saved:.4f}"
            )
        # Without a name the sums would tell whether somebody else sent the same list.
        extra[COST_HEADER] = cost
    if sent.passed:
        extra[PASSED_HEADER] = sent.passed
    return extra


def stream_back(
    answer: UpstreamAnswer,
    chunks: AsyncGenerator[bytes, None],
    extra: Mapping[str, str] | None = None,
    *,
    length: int | None = None,
) -> Response:
    """Return an answer that passes an upstream's bytes on; `length` if they are others."""
    response = PassedOn(answer, chunks)
    kept = [
        (key.lower(), value)
        for key, value in answer.headers.raw
        if key.decode("latin-1").lower() not in HOP_HEADERS
    ]
    if length is not None or answer.is_stream:
        # Of a stream more or less may go on than came.
        kept = [pair for pair in kept if pair[0] != b"content-length"]
    if length is not None:
        kept.append((b"content-length", str(length).encode()))
    for key, text in (extra or {}).items():
        # One line of plain characters.
        line = re.sub(r"[^\x20-\x7e]+", " ", text)[:200].strip()
        kept.append((key.encode(), line.encode()))
    response.raw_headers = kept
    return response


def request_headers(request: Request, proxy: str) -> list[tuple[bytes, bytes]]:
    """Return the headers to send on: all but those of the connection and our own.

    `proxy` is added to the names of the proxies that the request has passed.
    """
    named = request.headers.get("connection", "")
    dropped = HOP_HEADERS | OWN_HEADERS | {"host", "content-length"}
    dropped = dropped | {name.strip().lower() for name in named.split(",")}
    kept = [pair for pair in request.headers.raw if pair[0].decode("latin-1") not in dropped]
    passed = [*filter(None, [request.headers.get(VIA_HEADER)]), proxy]
    return [*kept, (VIA_HEADER.encode(), ",".join(passed).encode())]


def _wanted_codings(headers: list[tuple[bytes, bytes]], codings: Sequence[str]) -> bytes:
    """Return the codings to ask for: these alone, of those that the client takes."""
    given = b",".join(value for key, value in headers if key == b"accept-encoding").decode()
    asked = [one.strip() for one in given.split(",")]
    wanted = [one for one in asked if one.partition(";")[0] in codings]
    return (", ".join(wanted) or "identity").encode()


def error_answer(status: int, message: str) -> JSONResponse:
    """Return an error in the form that both providers' SDKs read."""
    body = {"type": "error", "error": {"type": "steno_proxy", "message": message}}
    return JSONResponse(body, status_code=status)
