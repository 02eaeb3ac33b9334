"""The proxy's server: takes a request, sends it upstream, streams the answer back.

Everything that carries no conversation passes as it is. A conversation goes out as its
session's view. What comes back is passed on as it arrives, byte for byte, and read on
the way. The token is the first part of the path, so that any client can give it with the
address, and the provider's key stays in its own header, which is stored nowhere.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from steno.core.arguments import check_fields
from steno.core.errors import BadInput, StenoError, needs_extra
from steno.core.events import Failed
from steno.core.log import WITHOUT_PRESSURE
from steno.engine.designs import POLICIES
from steno.inspector.local import names_this_machine
from steno.providers import json_text
from steno.providers.bill import digest
from steno.providers.shared.surface import Reply
from steno.proxy.codings import BodyTooLong, plain_body
from steno.proxy.conversations import Conversations
from steno.proxy.exchange import (
    AGENT_HEADER,
    OWN_HEADERS,
    PARENT_HEADER,
    POLICY_HEADER,
    SESSION_HEADER,
    USER_HEADER,
    VIA_HEADER,
    Exchange,
    Finished,
    UpstreamAnswer,
    error_answer,
    request_headers,
    stream_back,
)
from steno.proxy.fit import answer_fit
from steno.proxy.origin import read_origin
from steno.proxy.outgoing import Outgoing
from steno.proxy.peer import is_own_process
from steno.proxy.receipts import Receipt, Receipts
from steno.proxy.shadow import AskAgain, ShadowRuns
from steno.proxy.surfaces import find_surface
from steno.proxy.upstreams import Upstreams, provider_of
from steno.redact import hide_secrets_in_errors, redact_body
from steno.redact.address import redact_path, redact_query
from steno.session.options import SessionOptions
from steno.telemetry import Telemetry

try:
    import httpx2
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import JSONResponse, PlainTextResponse, Response
    from starlette.routing import Router
    from starlette.types import ASGIApp, Receive, Scope, Send
except ImportError as failure:
    raise needs_extra("the proxy needs packages", "proxy") from failure

OPENAPI = Path(__file__).with_name("openapi.json")
BODY_MOST = 64_000_000
PATH_MOST = 16_000
CONNECT_SECONDS = 10.0
READ_SECONDS = 600.0
"""Time without a byte after which an upstream counts as gone; models may think for minutes."""

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
GAUGES = ("running", "newest_tokens", "newest_spared", "newest_compactions")
"""Figures that also fall."""
THREADS = 64
"""Requests that are read and fitted at the same time, those that wait for a session included."""
PLACES = 1_000
"""Connections to upstreams at the same time."""
KEY_HEADERS = ("x-api-key", "api-key", "x-goog-api-key", "authorization")
"""Where a request holds the key that its caller signs in with."""
_LOG = logging.getLogger("steno")


@dataclass(frozen=True)
class ProxySettings:
    """What a proxy is told."""

    upstreams: Upstreams
    token: str = ""
    """First part of every path, if not empty."""
    user: str = ""
    """Whose requests these are if they name no user; empty if several people may send them."""
    own_user: bool = False
    """Serve only processes of the user that runs the proxy, where the system says whose they are:
    an agent may have its address, token and all, among its arguments, which others can list."""
    body_most: int = BODY_MOST
    read_seconds: float = READ_SECONDS
    shadow: int = 0
    """Of the requests that go out as a view, every nth is also sent as it came; 0 for none."""

    def __post_init__(self) -> None:
        check_fields(self)


class Page(Protocol):
    """What answers requests that begin with its own token."""

    async def answer(self, request: Request) -> Response | None: ...


class Proxy:
    """Serves one application."""

    def __init__(
        self,
        settings: ProxySettings,
        conversations: Conversations,
        receipts: Receipts | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        self.settings = settings
        self._telemetry = telemetry or Telemetry()
        self.page: Page | None = None
        """The inspector over the sessions that pass; it has a token of its own."""
        self._conversations = conversations
        self._redactor = conversations.redactor
        self.stores, self.close = conversations.stores, conversations.close
        """The stores of the sessions that pass, and what closes the sessions."""
        self.receipts = receipts or Receipts()
        self._shadow = ShadowRuns(settings.shadow)
        self.stopping: Callable[[], bool] = lambda: False
        self.name = uuid4().hex
        """Names it among the proxies that a request passes: its own must not come back."""
        self.running = 0
        """Requests that are on their way now."""
        self._transport: httpx2.AsyncHTTPTransport | None = None
        self._timeout = httpx2.Timeout(
            CONNECT_SECONDS, read=settings.read_seconds, write=CONNECT_SECONDS * 6
        ).as_dict()
        self._background: set[asyncio.Task[None]] = set()
        self.app: ASGIApp = Router(default=self._answer, lifespan=self._lifespan)

    @property
    def busy(self) -> bool:
        """Whether anything is on its way, or not yet kept."""
        return self.running > 0 or bool(self._background)

    @asynccontextmanager
    async def _lifespan(self, app: Router) -> AsyncIterator[None]:
        # Requests that wait for a large one must not take the threads of all others.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        # No client over it: a client keeps cookies, and would send one caller's with the next
        # one's request. Nor does the environment's own proxy count: it may be this one.
        self._transport = httpx2.AsyncHTTPTransport(
            limits=httpx2.Limits(max_connections=PLACES, max_keepalive_connections=100),
            trust_env=False,
        )
        async with self._transport:
            yield
            # What is still under way may send, and may begin more.
            while self._background:
                await asyncio.wait(self._background)
        await asyncio.to_thread(self.close)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        response: Response
        if scope["method"] not in METHODS:
            response = error_answer(405, f"the proxy forwards {', '.join(METHODS)} only")
        elif request.headers.get("upgrade", "").lower() == "websocket":
            # Codex then goes on by HTTP at once; after any other status it tries for seconds.
            response = error_answer(426, "the proxy speaks HTTP only, no WebSocket")
        else:
            shown = None
            if self.page is not None:
                shown = await self.page.answer(request)
            response = shown or await self._serve(request)
        await response(scope, receive, send)

    async def _serve(self, request: Request) -> Response:
        # As it came: a decoded path would be another one upstream.
        path = request.scope["raw_path"].decode("latin-1")
        refusal = self._refusal(request, path)
        if refusal is not None:
            return refusal
        if path == "/health":
            return JSONResponse({"ok": True})
        if self.name in request.headers.get(VIA_HEADER, ""):
            return error_answer(508, "this proxy's upstream is the proxy itself")
        if self.settings.token:
            token, _, rest = path.removeprefix("/").partition("/")
            if not hmac.compare_digest(token.encode(), self.settings.token.encode()):
                return error_answer(
                    401, "the address lacks the proxy's token: http://HOST:PORT/TOKEN"
                )
            path = f"/{rest}"
        if path == "/stats":
            return JSONResponse(self.stats())
        if path == "/metrics":
            return PlainTextResponse(self._metrics())
        if path == "/openapi.json":
            return Response(OPENAPI.read_bytes(), media_type="application/json")
        for header in OWN_HEADERS:
            given = request.headers.get(header, "")
            if not (given.isascii() and given.isprintable()):
                return error_answer(400, f"{header} must be one line of plain ASCII characters")
        try:
            raw = await self._read_body(request)
        except ClientDisconnect:
            return Response(status_code=400)
        if raw is None:
            return self._too_long()
        return await self._forward(request, redact_path(path, self._redactor), raw)

    def _caller(self, request: Request) -> tuple[str, str | None]:
        """Return whose request it is, and the name that it gives its session."""
        user = self.settings.user or request.headers.get(USER_HEADER, "")
        name = request.headers.get(SESSION_HEADER)
        if user and not name:
            # Only of a known user: who else learns an agent's id must not find its words.
            name = read_origin(request.headers).name
        return user, name or None

    def _billed_to(self, request: Request) -> dict[str, str]:
        """Return the agent, the key and the parent that a request is billed to."""
        agent = request.headers.get(AGENT_HEADER) or request.headers.get("user-agent", "")
        key = next(filter(None, map(request.headers.get, KEY_HEADERS)), "")
        origin = read_origin(request.headers)
        parent = request.headers.get(PARENT_HEADER) or origin.parent
        return {
            "agent": agent.partition("/")[0],
            # A digest: the key itself is stored nowhere.
            "key": digest(key),
            "parent": parent,
            "kind": origin.kind,
        }

    async def _fit(self, request: Request, raw: bytes) -> Response:
        user, name = self._caller(request)
        work = self._conversations
        try:
            with hide_secrets_in_errors(self._redactor):
                sessions = work.sessions_of(user)
                answer = await asyncio.to_thread(answer_fit, sessions, raw, name)
        except StenoError as failure:
            self._say(str(failure))
            return error_answer(400, work.told(failure, str(failure)))
        return Response(json_text(answer), media_type="application/json")

    def _refusal(self, request: Request, path: str) -> Response | None:
        """Return why a request is not served, whatever it asks for; None if it may be."""
        if not path.startswith("/"):
            return error_answer(400, "the path must begin with /")
        if max(len(path), len(request.url.query)) > PATH_MOST:
            return error_answer(414, f"path or query is longer than {PATH_MOST:,} characters")
        if _climbs(path):
            return error_answer(400, "the path must not climb: . and .. are no parts of it")
        for header in (USER_HEADER, SESSION_HEADER):
            if len(request.headers.getlist(header)) > 1:
                return error_answer(
                    400, f"{header} is given more than once: say whose request it is"
                )
        own, named = self.settings.user, request.headers.get(USER_HEADER)
        if own and named not in (None, "", own):
            return error_answer(403, f"{USER_HEADER} names another user than the proxy's own")
        if self.settings.own_user and request.client is not None:
            port = request.scope["server"][1]
            if not is_own_process(request.client, port):
                return error_answer(403, "this proxy serves the user who runs it, and no other")
        if not self.settings.token and not _is_of_this_machine(request):
            return error_answer(
                403, "without a token only this machine is served: Host and Origin must be loopback"
            )
        return None

    async def _read_body(self, request: Request) -> bytes | None:
        """Return the body, or None if it is too long."""
        declared = request.headers.get("content-length", "0")
        if declared.isdigit() and int(declared) > self.settings.body_most:
            return None
        kept = bytearray()
        async for chunk in request.stream():
            kept += chunk
            if len(kept) > self.settings.body_most:
                return None
        return bytes(kept)

    async def _forward(self, request: Request, path: str, raw: bytes) -> Response:
        if path == "/fit" and request.method == "POST":
            return await self._fit(request, raw)
        # A request to compact alone is one of the same API.
        surface = find_surface(request.method, path.removesuffix("/compact"))
        if "content-encoding" in request.headers and (surface or self._redactor):
            try:
                request, raw = await self._without_coding(request, raw)
            except BodyTooLong:
                return self._too_long()
        if surface is None:
            return await self._pass(request, path, raw)
        user, name = self._caller(request)
        work = self._conversations
        try:
            if work.compacts:
                done = await asyncio.to_thread(work.compact, surface, path, raw, name, user)
                if done is not None:
                    kind, content = done.body()
                    headers = {SESSION_HEADER: done.session}
                    return Response(content, media_type=kind, headers=headers)
            if path.endswith("/compact"):
                return await self._pass(request, path, raw)
            target = path
            if request.url.query:
                target += f"?{request.url.query}"
            with self._telemetry.serve(request.headers) as span:
                by_agent = bool(name) and not request.headers.get(SESSION_HEADER)
                make = partial(work.prepare, surface, target, raw, name, user, by_agent=by_agent)
                who, own = self._billed_to(request), _own_options(request)
                sent = await asyncio.to_thread(make, who, own)
                sent = replace(sent, content=await self.without_secrets(sent.content))
        except BadInput as failure:
            return error_answer(400, str(failure))
        exchange = Exchange(self, work, request, path, len(raw), span)
        return await exchange.run(sent)

    def _too_long(self) -> Response:
        return error_answer(413, f"the body is longer than {self.settings.body_most:,} bytes")

    async def _without_coding(self, request: Request, raw: bytes) -> tuple[Request, bytes]:
        """Return a request and its body without their coding; as they came if it is not known."""
        coding = request.headers["content-encoding"]
        try:
            raw = await asyncio.to_thread(plain_body, raw, coding, self.settings.body_most)
        except BadInput as failure:
            self._say(str(failure))
            return request, raw
        kept = [pair for pair in request.headers.raw if pair[0] != b"content-encoding"]
        return Request({**request.scope, "headers": kept}), raw

    async def without_secrets(self, raw: bytes) -> bytes:
        if self._redactor is None:
            return raw
        return await asyncio.to_thread(redact_body, raw, self._redactor)

    async def _pass(self, request: Request, path: str, raw: bytes) -> Response:
        """Send a request as it is, and stream its answer back."""
        url = self.settings.upstreams.choose(path, provider_of(path, request.headers), "")
        try:
            raw = await self.without_secrets(raw)
        except BadInput as failure:
            return error_answer(400, str(failure))
        try:
            answer = await self.send(request, url, raw, request_headers(request, self.name))
        except httpx2.RequestError as failure:
            return self.unreachable(url, failure)
        return stream_back(answer, answer.chunks())

    def unreachable(self, url: str, failure: Exception) -> Response:
        """Tell the client and the listener that an address gives no answer."""
        parts = urlsplit(url)
        address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        reason = f"{address} cannot be reached: {str(failure) or type(failure).__name__}"
        self._say(reason)
        return error_answer(502, reason)

    def _say(self, reason: str) -> None:
        # A listener that fails must not cost the client its answer.
        with suppress(Exception):
            self._conversations.say(Failed(reason))

    async def send(
        self, request: Request, url: str, content: bytes, headers: list[tuple[bytes, bytes]]
    ) -> UpstreamAnswer:
        assert self._transport is not None
        if request.url.query:
            url += "?" + redact_query(request.url.query, self._redactor)
        outgoing = httpx2.Request(
            request.method,
            url,
            headers=headers,
            content=content or None,
            extensions={"timeout": self._timeout},
        )
        # A client over the transport would do this; the caller's own header comes first.
        if outgoing.url.userinfo and "authorization" not in outgoing.headers:
            auth = httpx2.BasicAuth(outgoing.url.username, outgoing.url.password)
            outgoing = next(auth.auth_flow(outgoing))
        return UpstreamAnswer(await self._transport.handle_async_request(outgoing))

    def url_for(self, request: Request, sent: Outgoing, path: str) -> str:
        provider = provider_of(path, request.headers, sent.surface)
        return self.settings.upstreams.choose(path, provider, sent.model)

    async def another(
        self, make: Callable[..., Outgoing | None], sent: Outgoing, *given: Any
    ) -> Outgoing | None:
        """Return a further request without secrets; None if there is none or it cannot be made."""
        try:
            more = await asyncio.to_thread(make, sent, *given)
            if more is not None:
                more = replace(more, content=await self.without_secrets(more.content))
            return more
        except Exception as failure:  # noqa: BLE001 — then the client gets what there is
            _LOG.warning("%s failed: %s", make.__name__, type(failure).__name__)
            return None

    def finish(self, over: Finished, ask: AskAgain | None = None) -> None:
        """Keep a reply and write the receipt, after the client has its answer.

        With `ask` the request is sent again as it came, if it is its turn.
        """
        task = asyncio.create_task(self._finish(over, ask))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _finish(self, over: Finished, ask: AskAgain | None) -> None:
        reply = await asyncio.to_thread(self._keep, over)
        if ask is None or over.status >= 400 or not self._shadow.takes(over.sent, reply):
            return
        try:
            self.receipts.count(**await self._shadow.run(ask, over.sent, reply))
        except (httpx2.HTTPError, BadInput) as failure:
            _LOG.warning("a shadow run failed: %s: %s", type(failure).__name__, failure)

    def _keep(self, over: Finished) -> Reply:
        sent, reply = over.sent, Reply()
        kept, rewritten = 0, 0
        can_open = hidden = compactions = 0
        try:
            reply = over.read()
            bill = self._conversations.keep(sent, reply, over.status)
            if sent.thread is not None:
                kept, rewritten = self.receipts.compare(sent.session, sent.sent)
                log = sent.thread.session.log
                can_open, hidden = len(log.messages), sent.hidden
                compactions = sum(commit.why not in WITHOUT_PRESSURE for commit in log.live)
            if over.span is not None:
                over.span.finish(
                    sent.model,
                    bill.usage,
                    str(over.status) if over.status >= 400 else "",
                    bill.spent,
                    session=sent.session,
                    user=sent.user,
                    compacted=hidden > 0,
                    tokens=sent.tokens,
                    spared=bill.spared,
                    passed=sent.passed,
                )
            self.receipts.add(
                Receipt(
                    session=sent.session,
                    status=over.status,
                    came=over.came,
                    went=len(sent.content),
                    messages=len(sent.sent),
                    bill=bill,
                    kept=kept,
                    rewritten=rewritten,
                    can_open=can_open,
                    hidden=hidden,
                    compactions=compactions,
                    passed=sent.passed,
                    digest=sha256(sent.content).hexdigest() if sent.names_caller else "",
                )
            )
        except Exception as failure:  # noqa: BLE001 — the client has its answer already
            _LOG.warning("a reply was not kept: %s", type(failure).__name__)
        return reply

    def stats(self) -> dict[str, Any]:
        """Return what passed since the start."""
        totals: dict[str, Any] = dict(self.receipts.totals)
        totals["running"] = self.running
        totals["bytes_spared"] = totals["bytes_came"] - totals["bytes_went"]
        return totals

    def _metrics(self) -> str:
        """Return the figures in Prometheus' text form."""
        lines = []
        for key, value in self.stats().items():
            kind = "gauge" if key in GAUGES else "counter"
            lines += [f"# TYPE steno_proxy_{key} {kind}", f"steno_proxy_{key} {value}"]
        return "\n".join(lines) + "\n"


def _own_options(request: Request) -> SessionOptions:
    """Return the policy, or the limit in tokens, that a request asks for; raise BadInput."""
    asked = request.headers.get(POLICY_HEADER, "")
    if not asked:
        return {}
    if asked.isdigit() and 0 < len(asked.lstrip("0")) < 13:
        return {"limit": int(asked)}
    # A name alone: a path would read files of this machine.
    if asked not in POLICIES:
        raise BadInput(f"{POLICY_HEADER} is a number of tokens or one of {', '.join(POLICIES)}")
    return {"policy": asked}


def _is_of_this_machine(request: Request) -> bool:
    """Tell whether a request was meant for this machine, and by no other site's page."""
    host = request.headers.get("host", "")
    scheme, _, origin = request.headers.get("origin", f"http://{host}").partition("://")
    if scheme not in ("http", "https"):
        return False
    return names_this_machine(host) and names_this_machine(origin)


def _climbs(path: str) -> bool:
    """Tell whether a path leads out of where it begins, however it is written."""
    parts = re.split(r"[/\\]", unquote(unquote(path)))
    return any(part in (".", "..") for part in parts)
