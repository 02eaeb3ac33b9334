"""The inspector's server: one page, the JSON that it draws, and what a person may change.

Everything stands behind a token in the path, which no agent is given: an agent must not retire its
own rules. A request must also be of this machine and of our own page (`local.py`).
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import asdict
from importlib.resources import files
from typing import Any

import msgspec

from steno.core.errors import BadInput, NotHere, StenoError, needs_extra
from steno.core.store import user_names
from steno.inspector.actions import Actions
from steno.inspector.conversation import LoadedConversation, message_reader
from steno.inspector.describe import Json
from steno.inspector.local import refusal_of
from steno.inspector.reader import StoreReader, outline
from steno.inspector.replay_page import policies_report, replay_html
from steno.inspector.reports import constraints_report, memories_report, view_report
from steno.inspector.timeline import opened, prompt_texts, timeline
from steno.providers import json_text
from steno.recall.query import Hit, Query
from steno.recall.recall import Recall

try:
    from starlette.concurrency import iterate_in_threadpool
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import RedirectResponse, Response, StreamingResponse
    from starlette.routing import Router
    from starlette.types import ASGIApp, Receive, Scope, Send
except ImportError as failure:
    raise needs_extra("the inspector needs packages", "proxy") from failure

PAGE_RULES = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
"""Rules for the browser: no network but this server, no code but ours, no markup from strings."""
HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
MEDIA_TYPES = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}
FOLDER = "inspect/"
BODY_MOST = 1_000_000
LOOK_SECONDS = 1.0
"""Time between two looks at the stores."""
BEAT_SECONDS = 0.2
"""Time within which an open page notices that the server stops."""
NEWEST = 8
"""Sessions of which bills and constraints are looked at again and again."""
HITS_MOST = 30
SEARCH_SECONDS = 3.0


class Inspector:
    """Answers what stands behind the token, on its own or in a proxy."""

    def __init__(self, reader: StoreReader, token: str, say: Callable[[str], None]) -> None:
        self._reader, self._token = reader, token
        self._actions = Actions(reader, say)
        self.stopping: Callable[[], bool] = lambda: False
        """Tells whether the server is about to stop, so that open streams end."""
        self.app: ASGIApp = Router(default=self._serve)
        self._reads: dict[str, Callable[[Mapping[str, str]], Any]] = {
            "session": lambda asked: timeline(
                self._loaded(asked), _number(asked, "start"), _number(asked, "commits")
            ),
            "view": lambda asked: view_report(self._loaded(asked)),
            "open": lambda asked: opened(self._loaded(asked), _number(asked, "at")),
            "prompt": lambda asked: prompt_texts(self._loaded(asked)),
            "constraints": lambda asked: constraints_report(self._loaded(asked)),
            "memories": lambda asked: memories_report(self._reader.stores()),
            "search": self._search,
            "policies": lambda asked: policies_report(),
        }

    def close(self) -> None:
        """Do nothing: the stores are the caller's."""

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self.answer(Request(scope, receive, send))
        if response is None:
            response = _refused(401, "the address lacks the token: open it as it was printed")
        await response(scope, receive, send)

    async def answer(self, request: Request) -> Response | None:
        """Answer a request; None if its path does not begin with the token."""
        token, _, path = request.scope["path"].removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        client = ""
        if request.client is not None:
            client = request.client.host
        refusal = refusal_of(request.headers, client)
        if refusal is not None:
            return _refused(403, refusal)
        if not path and not request.scope["path"].endswith("/"):
            return RedirectResponse(request.scope["path"] + "/", headers=HEADERS)
        if not path:
            return _asset("index.html")
        name = path.removeprefix(FOLDER)
        try:
            if name == "act" and request.method == "POST":
                return _json(await self._act(request))
            if request.method != "GET":
                return _refused(405, "only GET, and POST to act")
            if name == "events":
                stream = self._events()
                return StreamingResponse(stream, media_type="text/event-stream", headers=HEADERS)
            return await asyncio.to_thread(self._read, name, dict(request.query_params))
        except (NotHere, FileNotFoundError) as failure:
            return _refused(404, str(failure))
        except StenoError as failure:
            return _refused(400, str(failure))

    def _read(self, name: str, asked: Mapping[str, str]) -> Response:
        if name in self._reads:
            return _json(self._reads[name](asked))
        if name == "replay":
            policies, window = asked.get("policies", ""), _number(asked, "window")
            page = replay_html(self._loaded(asked), policies, window)
            return Response(page, media_type="text/html", headers=HEADERS)
        return _asset(name)

    async def _act(self, request: Request) -> Any:
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise BadInput("an action is JSON, and says so in its content type")
        body = bytearray()
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > BODY_MOST:
                    raise BadInput(f"an action is at most {BODY_MOST:,} bytes")
        except ClientDisconnect:
            raise BadInput("the client has gone") from None
        return await asyncio.to_thread(self._actions.act, bytes(body))

    async def _events(self) -> AsyncIterator[bytes]:
        """Send the sessions as they are known at once, then each when it is counted or changes."""
        listed = await asyncio.to_thread(self._reader.infos)
        yield _event("outlines", [outline(info) for _, info in listed])
        sent: Json = {}
        while not self.stopping():
            async for event in iterate_in_threadpool(self._news(sent)):
                yield event
            # A comment: the server notices by it that the page was left.
            yield b": beat\n\n"
            waited = 0.0
            while waited < LOOK_SECONDS and not self.stopping():
                await asyncio.sleep(BEAT_SECONDS)
                waited += BEAT_SECONDS

    def _news(self, sent: Json) -> Iterator[bytes]:
        """Look at each session once; yield what differs from what was sent."""
        listed = self._reader.infos()
        for at, (store, info) in enumerate(listed):
            if self.stopping():
                return
            row = self._reader.row(store, info, newest=at < NEWEST)
            if sent.get(info.name) != row:
                sent[info.name] = row
                yield _event("row", row)
        for name in sent.keys() - {info.name for _, info in listed}:
            del sent[name]
            yield _event("gone", name)

    def _loaded(self, asked: Mapping[str, str]) -> LoadedConversation:
        return self._reader.read(_text(asked, "name"))

    def _search(self, asked: Mapping[str, str]) -> Any:
        """Search all sessions, those of each user by themselves."""
        words = _text(asked, "words")
        hits: list[Hit] = []
        for store in self._reader.stores():
            for user in user_names(store):
                name = store.sessions(user)[0].name
                query = Query.of(words, where="user", most=HITS_MOST, seconds=SEARCH_SECONDS)
                hits += Recall(store, name, message_reader).find(query).hits
        hits.sort(key=lambda hit: -hit.score)
        return [asdict(hit) for hit in hits[:HITS_MOST]]


def _asset(name: str) -> Response:
    kind = MEDIA_TYPES.get(name.rpartition(".")[2])
    # The names are those of our own folder: nothing else can be asked for.
    found = {each.name: each for each in (files("steno.inspector") / "page").iterdir()}
    if kind is None or name not in found:
        return _refused(404, "there is no such page")
    headers = HEADERS | {"content-security-policy": PAGE_RULES}
    return Response(found[name].read_bytes(), media_type=kind, headers=headers)


def _json(value: Any) -> Response:
    return Response(_encode(value), media_type="application/json", headers=HEADERS)


def _refused(status: int, reason: str) -> Response:
    return Response(json_text({"error": reason}), status, HEADERS, "application/json")


def _event(name: str, value: Any) -> bytes:
    return f"event: {name}\ndata: {_encode(value)}\n\n".encode()


def _encode(value: Any) -> str:
    """Return JSON; a transcript may hold lone surrogates, which only plain values may have."""
    return json_text(msgspec.to_builtins(value, str_keys=True))


def _text(asked: Mapping[str, str], name: str) -> str:
    if not asked.get(name):
        raise BadInput(f"{name}= is missing")
    return asked[name]


def _number(asked: Mapping[str, str], name: str) -> int:
    given = asked.get(name, "0")
    if not given.isdecimal() or len(given) > 9:
        raise BadInput(f"{name}= is a number, got {given!r}")
    return int(given)
