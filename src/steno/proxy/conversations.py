"""The sessions behind the requests that pass: what goes upstream, what is kept.

Blocking: the server calls it in threads. A fault of Steno's own never costs a request:
it goes out as it came, and `passed` says why.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from steno.adapters.recall import RECALL, OfferedRecall, is_stored, may_offer, recall_tool
from steno.adapters.resent.incoming import IncomingMessage
from steno.adapters.resent.sessions import ListSessions
from steno.adapters.resent.thread import ResentThread, try_twice
from steno.core.arguments import check_arguments
from steno.core.effects import FATAL_ERRORS
from steno.core.errors import BadInput, DoesNotFit, StoreFailed
from steno.core.events import Failed, Skipped
from steno.core.store import Store
from steno.engine.designs import resolve_policy
from steno.engine.policy import Policy
from steno.meters.catalog import find_model
from steno.providers import get_wire, join_neighbours, json_text
from steno.providers.bill import (
    BILL_KIND,
    SIDE_CALL,
    Bill,
    RequestBill,
    bill_request,
    read_bills,
    sum_bills,
)
from steno.providers.shared.provider_report import read_usage
from steno.providers.shared.request import ConversationRequest, SkippedRequest
from steno.providers.shared.surface import Reply, Surface
from steno.proxy.body import JsonPiece, PieceFormat, RequestBody, piece_text
from steno.proxy.compaction import (
    CompactionAnswer,
    WrongItem,
    compaction_reply,
    edit_of,
    focus_of,
    item_in,
    kind_of,
    note_item,
    open_item,
    without_trigger,
)
from steno.proxy.origin import is_side_call
from steno.proxy.outgoing import Outgoing, UpstreamRefused, are_same, content_of
from steno.proxy.receipts import remember_newest
from steno.proxy.unused_tools import tool_name, unused_tools
from steno.redact import redactor_of
from steno.rungs.arrive import Arrive
from steno.session.event_log import reason_of
from steno.session.options import SessionOptions, complete_options, with_changes
from steno.session.overflow import overflow_of
from steno.session.session import Session
from steno.store.open import open_store_at
from steno.store.sql import SQLStore

BYTES_OF_TOKEN = 4
"""Bytes of a side call that are taken for a token, if its provider reports none."""
MILLION = 1_000_000
"""Tokens of a large window."""
USERS_MOST = 64
"""Users whose sessions are held at the same time."""
WAITING_MOST = 256
"""Side calls whose bills are held for one conversation."""
REPLY_KIND = "reply"
"""Kind of the record that keeps a reply until its client sends it back."""
PATIENT_POLICY = Policy(every_round=())
"""The default, but nothing shrinks before there is pressure: until then all bytes stay."""


class Conversations:
    """Finds the session of each request, and keeps what is said in it."""

    @check_arguments
    def __init__(
        self,
        store: str | os.PathLike[str] | None,
        options: SessionOptions,
        *,
        recall: bool | None = False,
        compacts: bool = False,
        arrive: Arrive | None = None,
        large_limit: int | None = None,
        own: Mapping[str, SessionOptions] | None = None,
        unused: int = 0,
    ) -> None:
        """Keep sessions in `store`.

        recall: offer the model the tool of that name; None does once something left the view.
        compacts: answer requests to compact.
        arrive: how results are shortened before they are first sent. Requests with tools then
            have recall from the first one on: a list of tools that changes later costs the cache.
        large_limit: takes the place of the limit where the window holds a million tokens.
        own: a policy or a limit for agents or models, by a pattern of their names.
        unused: replies without a call of a tool after which its definition is left out; 0: never.
        """
        self._path = store
        options = complete_options(**options)
        self._arrive = arrive
        self._own = own or {}
        options["policy"] = self._policy_for(options["policy"])
        self.say = options["on_event"]
        self.redactor = redactor_of(options["redact"])
        """Takes secrets out of what is kept and sent; None keeps them."""
        self._options = with_changes(options, redact=self.redactor)
        self._recall = recall
        self.compacts = compacts
        self._large_limit = large_limit
        self._unused = unused
        self._users: dict[str, ListSessions] = {}
        self._store: SQLStore | None = None
        """The store as the inspector reads it, whoever's sessions are in it."""
        self._full: set[str] = set()
        """Sessions of which was said that they do not fit."""
        self._waiting: dict[str, list[RequestBill]] = {}
        """Bills of side calls, by the name of a conversation that was not asked yet."""
        self._lock = threading.Lock()

    def sessions_of(self, user: str) -> ListSessions:
        """Return the sessions of a user; those of the user served longest ago are let go.

        An empty name names no one: these requests may be of several people, so that a list joins
        a session only if it begins with all of it, and no session finds another's words.
        """
        with self._lock:
            found = self._users.pop(user, None)
            if found is None:
                found = ListSessions(self._path, self._options, user=user)
            self._users[user] = found
            # Without a store they are nowhere else.
            if self._path is not None and len(self._users) > USERS_MOST:
                self._users.pop(next(iter(self._users))).close()
            return found

    def stores(self) -> list[Store]:
        """Return the stores of all users' sessions; those in memory have one each."""
        with self._lock:
            if self._path is not None and self._store is None:
                self._store = open_store_at(self._path)
            if self._store is not None:
                return [self._store]
            held = list(self._users.values())
        return [store for sessions in held for store in sessions.stores()]

    def close(self) -> None:
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None
            for sessions in self._users.values():
                sessions.close()
            self._users.clear()

    def _policy_for(self, policy: str | os.PathLike[str] | Policy | None) -> Policy:
        """Return a policy that also says how results arrive."""
        chosen = PATIENT_POLICY
        if policy is not None:
            chosen = resolve_policy(policy)
        if self._arrive is not None:
            chosen = chosen.but(every_round=(self._arrive, *chosen.every_round))
        return chosen

    def prepare(
        self,
        surface: Surface,
        path: str,
        raw: bytes,
        name: str | None,
        user: str,
        who: Mapping[str, str] | None = None,
        own: SessionOptions | None = None,
        *,
        by_agent: bool = False,
    ) -> Outgoing:
        """Return what goes upstream for a request: its view, or the request as it came.

        who: what it is billed to.
        own: the policy or limit that it asks for.
        by_agent: whether `name` is an id of the agent's; then its side calls go out as they came.
        """
        came = Outgoing(raw, surface, path, name=name, user=user, who=who or {}, own=own or {})
        try:
            body = RequestBody(raw)
        except BadInput as failure:
            # The provider says best what is wrong with it.
            return replace(came, passed=str(failure))
        try:
            came = replace(came, body=body, model=str(body.get("model") or ""))
            request = surface.request.read(path, body)
            if by_agent and isinstance(request, ConversationRequest) and is_side_call(request):
                who = {**came.who, "kind": SIDE_CALL}
                return replace(came, model=request.model, who=who, is_aside=True)
            if isinstance(request, SkippedRequest):
                self.sessions_of(came.user).say(Skipped(request.reason, 0))
                return replace(came, passed=request.reason)
            if request is None or not request.messages:
                return came
            if any(isinstance(one, JsonPiece) and one.raw[:1] != b"{" for one in request.messages):
                raise BadInput("a message of the list is not a JSON object")
            read = replace(came, request=request, model=request.model)
            return try_twice(lambda: self._with_view(read))
        except (*FATAL_ERRORS, WrongItem):
            # An item of ours that cannot be opened means nothing to the provider either.
            raise
        except Exception as failure:  # noqa: BLE001 — the request must go out all the same
            return replace(came, passed=self._report(user, failure))

    def _with_view(self, came: Outgoing, *, recall: bool = True) -> Outgoing:
        assert came.request is not None and came.body is not None
        body, edit = came.body, None
        if self.compacts:
            edit = edit_of(body)
        request = self._with_past(came.request, came.user)
        form = PieceFormat(get_wire(request.wire))
        sessions = self.sessions_of(came.user)
        tool = offer = None
        may = may_offer(request, came.body)
        may = may and came.surface.may_offer(came.path, came.body, RECALL)
        if recall and self._recall is not False and may:
            tool = recall_tool(form.wire)

        def ready(session: Session) -> frozenset[str]:
            choice = body.get("tool_choice")
            left_out = unused_tools(session, request.tools, choice, self._unused)
            tools = [each for each in request.tools if tool_name(each) not in left_out]
            # First: what is shortened as it is added says how the model can read it.
            session.host.set_preamble(
                request.system, [*tools, *filter(None, [tool])], request.schema
            )
            return left_out

        checkout = sessions.checkout(
            request.messages,
            form,
            name=came.name,
            model=request.model,
            sizes=self._sizes(request.model, came),
            ready=ready,
        )
        with checkout as (thread, incoming):
            if request is came.request:
                most = edit.trigger if edit is not None else math.inf
                thread.require_pressure(incoming, most)
            if edit is not None and thread.session.load > edit.trigger:
                thread.session.compact(edit.focus)
            try:
                view = thread.session.host.prepare_view()
                shown = [each.object for each in thread.send_view(view, incoming)]
            except DoesNotFit as failure:
                shown = _least_to_send(thread, incoming, failure)
            # Once more: a commit that was just made may have left more tools out.
            left_out = ready(thread.session) if self._unused else frozenset()
            bill = self._bill(thread)
            tokens, spared = thread.session.load, thread.session.log.tokens_spared
            if tokens > thread.session.budget.usable:
                self._say_full(sessions, thread.session, request, shown)
            if thread.is_untouched:
                # Also where repair would have changed it: the provider judges what its client said.
                shown = list(request.messages)
            else:
                shown = join_neighbours(thread.session.host.wire, shown)
            # Until something has left the view, there is nothing to recall.
            early = self._recall or (self._arrive is not None and bool(request.tools))
            if tool is not None and (early or thread.session.log.commits):
                own = thread.own_messages
                offer = OfferedRecall(
                    tool, sessions, thread, came.surface, own, is_stored(came.body)
                )
        if offer is not None:
            offer, shown = offer.put_back(shown, form)
        sent = [piece_text(piece) for piece in shown]
        out = replace(came, thread=thread, sent=sent, tokens=tokens, spared=spared, offer=offer)
        out = replace(out, unused=left_out, bill=bill)
        if edit is not None:
            out = replace(out, dropped=("context_management",))
        # Not what was sent last: a request that is sent once more begins with the client's own.
        content = came.body.raw
        changed = offer is not None or edit is not None or left_out
        if changed or not are_same(shown, came.request.messages):
            content = content_of(out, shown)
        return replace(out, content=content)

    def _sizes(self, model: str, came: Outgoing | None = None) -> SessionOptions:
        """Return options for a request's session, where they are not those of all."""
        own = SessionOptions()
        if came is not None:
            names = (came.who.get("agent", ""), model)
            for pattern, options in self._own.items():
                if any(fnmatchcase(name, pattern) for name in names):
                    own = options
            own = came.own or own
        if "policy" in own:
            own = with_changes(own, policy=self._policy_for(own["policy"]))
        return with_changes(self._sizes_of_model(model), **own)

    def _sizes_of_model(self, model: str) -> SessionOptions:
        """Return the window and the limit for a model, where they are not those of the options."""
        limit = self._options["limit"]
        if self._options["window"] is not None or limit is None:
            return {}
        known = find_model(model)
        if known is None:
            # New models are larger than the limit: it does for the window as well.
            return {"window": limit}
        if self._large_limit is not None and known.window >= MILLION:
            return {"limit": self._large_limit}
        return {}

    def _with_past(self, request: ConversationRequest, user: str) -> ConversationRequest:
        """Return a request whose list holds the past that an item of ours stands for."""
        if not self.compacts:
            return request
        whole: list[Any] = []
        opened = False
        for piece in request.messages:
            found = item_in(piece)
            if found is None:
                whole.append(piece)
            else:
                opened = True
                whole = self._open_item(request.wire, whole, *found, user)
        if not opened:
            return request
        return replace(request, messages=whole)

    def _open_item(
        self, name: str, before: Sequence[Any], item: str, rest: Sequence[Any], user: str
    ) -> list[Any]:
        """Return the past that an item stands for, and what a list says beside it."""
        wire = get_wire(name)
        form = PieceFormat(wire)
        past = open_item(self.sessions_of(user), item, form)
        keys = {key for _, key in past}
        # Some clients keep a copy of what people said before the item, or an older item.
        new = []
        for piece in before:
            text = piece.raw.decode()
            if form.key(wire.decode(piece.plain, text, "messages")) not in keys:
                new.append(piece)
        opened = [JsonPiece(text) for text, _ in past]
        return [*opened, *new, *(form.to_object(one, None) for one in rest)]

    def compact(
        self, surface: Surface, path: str, raw: bytes, name: str | None, user: str
    ) -> CompactionAnswer | None:
        """Compact the session of a request that asks for that; None for any other request.

        Raise WrongItem for an item that cannot be opened here.
        """
        try:
            return self._compact(surface, path, RequestBody(raw), name, user)
        except (*FATAL_ERRORS, WrongItem):
            raise
        except Exception as failure:  # noqa: BLE001 — then the provider is asked
            self._report(user, failure)
            return None

    def _compact(
        self, surface: Surface, path: str, body: RequestBody, name: str | None, user: str
    ) -> CompactionAnswer | None:
        """Compact; for an edit only once it is due, and None if nothing came of it."""
        kind, edit = kind_of(path, body), edit_of(body)
        if kind is not None:
            edit = None
        elif edit is None or not edit.pauses:
            return None
        request = surface.request.read(path, body)
        if not isinstance(request, ConversationRequest):
            return None
        request = replace(request, messages=without_trigger(request.messages))
        if not request.messages:
            return None
        request = self._with_past(request, user)
        form = PieceFormat(get_wire(request.wire))
        checkout = self.sessions_of(user).checkout(
            request.messages,
            form,
            name=name,
            model=request.model,
            sizes=self._sizes(request.model),
        )
        with checkout as (thread, _):
            session = thread.session
            session.host.set_preamble(request.system, list(request.tools), request.schema)
            tokens = session.load
            if edit is not None and tokens <= edit.trigger:
                return None
            focus = focus_of(body)
            if edit is not None:
                focus = edit.focus
            commit = session.compact(focus)
            if edit is not None and commit is None:
                return None
            item = note_item(thread)
        kind = kind or "messages"
        reply = compaction_reply(kind, item, request.model, tokens)
        return CompactionAnswer(kind, reply, bool(body.get("stream")), session.name)

    def follow_up(self, sent: Outgoing, reply: Reply) -> Outgoing | None:
        """Return the request that goes on after calls of recall; None if the reply has none."""
        offer = sent.offer and sent.offer.follow_up(reply)
        if offer is None:
            return None
        more = replace(sent, offer=offer)
        shown = [*map(JsonPiece, sent.sent), *offer.tail]
        return replace(more, content=content_of(more, shown))

    def without_recall(self, sent: Outgoing, status: int, body: Any) -> Outgoing | None:
        """Return a request without recall if its answers made this one too long, else None."""
        if overflow_of(UpstreamRefused(status, body)) is None:
            return None
        return try_twice(lambda: self._with_view(sent, recall=False))

    def remember_stages(self, sent: Outgoing, reply: Reply) -> None:
        """Note which calls the client did not see, before it can send its next request."""
        if sent.offer is not None:
            sent.offer.remember(reply)

    def _say_full(
        self,
        sessions: ListSessions,
        session: Session,
        request: ConversationRequest,
        shown: Sequence[Any],
    ) -> None:
        """Say once for each session what fills a window that is too small."""
        if session.name in self._full:
            return
        self._full.add(session.name)
        sizes = {
            "tools": sum(len(json_text(tool)) for tool in request.tools),
            "instructions": len(request.system),
            "messages": sum(len(piece_text(piece)) for piece in shown),
        }
        load, whole = session.load, sum(sizes.values())
        parts = [f"{part} {load * size // whole:,}" for part, size in sizes.items()]
        budget = session.budget
        sessions.say(
            Failed(
                f"requests do not fit: {load:,} tokens ({', '.join(parts)}), and of a window of "
                f"{budget.window:,} {budget.usable:,} are usable; offer fewer tools, shorten the "
                "instructions, or give a larger window if the model has one"
            )
        )

    def _report(self, user: str, failure: Exception) -> str:
        """Say in an event why a request goes out as it came; return what its client may know."""
        reason = reason_of(failure)
        if self.redactor is not None:
            reason = self.redactor.text(reason)
        # A store that fails has no sessions to say it.
        say = getattr(self._users.get(user), "say", self.say)
        say(Failed(f"the whole list was sent: {reason}"))
        return self.told(failure, reason)

    def told(self, failure: Exception, reason: str) -> str:
        """Return what a client hears of a failure: where the store is, is for its operator."""
        if isinstance(failure, StoreFailed):
            return "StoreFailed: the log of the proxy says more"
        if self._path is not None:
            reason = reason.replace(str(self._path), "the store")
        return reason

    def shorten(self, sent: Outgoing, status: int, body: Any) -> Outgoing | None:
        """Return a shorter request if the provider found this one too long, else None."""
        failure = UpstreamRefused(status, body)
        if sent.request is None or overflow_of(failure) is None:
            return None
        if sent.thread is not None:
            with sent.thread.lock:
                if sent.thread.session.host.shrink_after(failure) is None:
                    return None
        return try_twice(lambda: self._with_view(sent))

    def keep(self, sent: Outgoing, reply: Reply, status: int = 200) -> RequestBill:
        """Keep a reply and the bill beside the log; the client's next list brings the message."""
        if status >= 400:
            kind = sent.who.get("kind", "")
            return RequestBill(model=sent.model, shown=sent.tokens, kind=kind)
        shown = sent.tokens
        if sent.is_aside:
            shown = read_usage(reply.usage).sent or len(sent.content) // BYTES_OF_TOKEN
        sessions = self.sessions_of(sent.user)
        who = dict(sent.who)
        if who.get("parent"):
            who["parent"] = str(sessions.stored_name(who["parent"]))
        bill = bill_request(sent.model, reply.usage, shown, sent.spared, **who)
        if sent.is_aside:
            self._bill_aside(sessions, sessions.stored_name(sent.name or ""), bill)
        if sent.thread is None:
            return bill
        # Two replies of a session may end at once, and both are billed.
        with sent.thread.lock:
            self._bill(sent.thread, bill)
        sessions.say(bill.event(sent.session))
        usage: Any = reply.usage
        is_of_view = sent.offer is None or not sent.offer.is_seen_in_usage
        if not (is_of_view and sent.names_caller):
            # It says nothing about the view, or shapes the view of another caller of equal lists.
            usage = None
        sent.thread.learn_reply(reply.report, usage)
        if reply.messages:
            kept: Any = {"messages": reply.messages, "whole": reply.whole, "stop": reply.stop}
            sent.thread.session.host.records.add(REPLY_KIND, kept)
        return bill

    def _bill(self, thread: ResentThread, *new: RequestBill) -> Bill:
        """Bill requests to a session, and return its whole bill; the caller holds the lock."""
        session = thread.session
        if thread.bill is None:
            records = [record for record, _ in session.host.records.of(BILL_KIND)]
            thread.bill = sum_bills(read_bills(records, session.name))
        with self._lock:
            waiting = self._waiting.pop(thread.root, [])
        for bill in (*waiting, *new):
            thread.bill += Bill.of(bill)
            session.host.records.add(BILL_KIND, bill.record(session.name))
        return thread.bill

    def _bill_aside(self, sessions: ListSessions, name: str, bill: RequestBill) -> None:
        """Bill a side call to its conversation, or hold the bill until that begins."""
        thread = sessions.newest_thread(name)
        if thread is not None:
            with thread.lock:
                self._bill(thread, bill)
        elif not sessions.record(name, BILL_KIND, bill.record(name)):
            with self._lock:
                waiting = [*self._waiting.get(name, ()), bill]
                remember_newest(self._waiting, name, waiting[-WAITING_MOST:])
            if len(waiting) > WAITING_MOST:
                reason = f"a bill of {name!r} was left out: {WAITING_MOST} wait for it"
                sessions.say(Failed(reason))


def _least_to_send(
    thread: ResentThread, incoming: Sequence[IncomingMessage], failure: DoesNotFit
) -> list[Any]:
    """Return the smallest list there is, where instructions and tools alone are over the window.

    A provider may refuse that as well; the whole list it would refuse for sure.
    """
    session = thread.session
    # Not with every request: each time the provider has to write its cache again.
    if failure.load - failure.preamble > failure.window // 2:
        session.compact()
    return [each.object for each in thread.send_view(session.host.mark_sent(), incoming)]
