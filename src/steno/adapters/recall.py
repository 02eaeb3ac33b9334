"""The recall tool, offered to a model in a request and answered before its caller sees the call.

For where requests pass: the proxy and wrapped clients. When the caller sends the reply back, the
call and its result are put where they were: the provider then finds its own words, signed
thoughts before their call included, and its cache. This is kept beside the session's log; only
its newest replies are looked through, an older one goes up as the caller has it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from steno.adapters.resent.incoming import ListFormat
from steno.adapters.resent.sessions import ListSessions
from steno.adapters.resent.thread import ResentThread
from steno.core.wire import Wire
from steno.providers import json_text, parse_json
from steno.providers.shared.plain_json import get_field
from steno.providers.shared.request import Body, ConversationRequest, get_value
from steno.providers.shared.surface import Reply, Surface
from steno.session.agent_tools.definitions import parse_call, tool_definition
from steno.session.session import Session

RECALL = "recall"
ROUNDS_MOST = 4
"""Replies of one request in which recall is answered."""
CALL_STOPS = ("tool_use", "tool_calls", "completed", "STOP")
"""How a reply stops that waits for the results of its calls."""
NOT_RUN = "This call was not run, because recall was called beside it. Call again if it is needed."
TOO_MANY = "This call was not run: too much was recalled at once. Go on with what you have."
NO_ANSWER = "[no answer: the model only searched its history]"
CALLS_MOST = 3
"""Calls of one reply that are answered."""
ANSWERS_SHARE = 4
"""Recall ends once the answers to one request take this part of the usable window: a quarter."""
ENOUGH = "That was the last recall for now: go on with what you have."
REPLIES_MOST = 64
"""Replies of a session in which calls are put back."""
HIDDEN_KIND = "hidden calls"
"""Kind of the record that keeps what a caller did not see of a reply."""


def recall_tool(wire: Wire) -> Any:
    """Return the tool as a provider wants it defined."""
    return wire.tool(RECALL, *tool_definition(RECALL))


def answer_recall(session: Session, call: Any) -> str | None:
    """Answer a call of `recall`; None for another tool, ours included: only this one is offered."""
    if parse_call(call)[0] != RECALL:
        return None
    return session.handle(call)


def may_offer(request: ConversationRequest, body: Body) -> bool:
    """Tell whether the model may be given one more tool in this request."""
    choice = get_value(body, "tool_choice")
    if not isinstance(choice, str):
        choice = get_field(choice, "type")
    if choice not in (None, "auto") or get_value(body, "n") not in (None, 1):
        return False
    if any(get_value(body, key) for key in ("background", "functions", "response_format")):
        return False
    # The words around a call would join those that must have the form.
    if request.schema or get_field(get_value(body, "text"), "format"):
        return False
    names = (get_field(get_field(tool, "function") or tool, "name") for tool in request.tools)
    return RECALL not in names


def is_stored(body: Body) -> bool:
    """Tell whether the provider keeps the reply to a request."""
    return get_value(body, "store") is not False


@dataclass(frozen=True)
class Stage:
    """A reply that called recall, and the results that were sent with it."""

    messages: Sequence[Any]
    results: Sequence[Any]


@dataclass(frozen=True)
class OfferedRecall:
    """The tool in one request, and the calls of it that were answered so far."""

    tool: Any
    sessions: ListSessions
    thread: ResentThread
    surface: Surface
    own: int | None
    """Messages of the session that are in the caller's list, if nothing else is the caller's."""
    is_stored: bool
    """Whether the provider keeps the reply, and knows its items by their ids."""
    stages: Sequence[Stage] = ()
    """Replies to this request that called it."""
    put_in: bool = False
    """Whether calls of earlier replies were put back into the request."""

    @property
    def is_seen_in_usage(self) -> bool:
        """Whether the provider counts more words than the view has."""
        return self.put_in or bool(self.stages)

    @property
    def tail(self) -> list[Any]:
        """What goes out behind the list: replies that called recall, and its answers."""
        return [one for stage in self.stages for one in (*stage.messages, *stage.results)]

    @property
    def is_over(self) -> bool:
        """Whether the model has to answer now, without a further recall."""
        return len(self.stages) == ROUNDS_MOST

    def merge(self, bodies: Sequence[Any]) -> Any:
        """Return the one reply that the caller gets; an empty one could not be sent back."""
        if self.own is not None:
            # The calls do not come back, and a thought is refused without what it led to.
            bodies = [*map(self.surface.without_open_thoughts, bodies[:-1]), bodies[-1]]
        merged = self.surface.merge(bodies, RECALL)
        if self.surface.read(merged).messages:
            return merged
        return self.surface.with_text(merged, NO_ANSWER)

    def is_called(self, reply: Reply) -> bool:
        return any(call.name == RECALL for call in self.surface.calls(reply.messages))

    def follow_up(self, reply: Reply) -> OfferedRecall | None:
        """Return the offer with the calls of a reply answered; None if it calls no recall."""
        if reply.stop not in CALL_STOPS or self.is_over or not self.is_called(reply):
            return None
        answers = []
        asked = 0
        count, budget = self.thread.session.view.meter.count, self.thread.session.budget
        results = [result for stage in self.stages for result in stage.results]
        room = budget.usable // ANSWERS_SHARE - sum(map(count, _texts(results)))
        with self.thread.lock:
            session = self.sessions.session_of_list(self.thread, self.own)
            for call in self.surface.calls(reply.messages):
                text = NOT_RUN
                asked += call.name == RECALL
                if call.name == RECALL and (asked > CALLS_MOST or room <= 0):
                    text = TOO_MANY
                elif call.name == RECALL:
                    text = session.handle({"name": RECALL, "arguments": call.arguments}) or ""
                    if len(self.stages) == ROUNDS_MOST - 1:
                        text += "\n" + ENOUGH
                    room -= count(text)
                answers.append((call.id, text))
        stage = Stage(self._as_sent_back(reply.messages), self.surface.results(answers))
        return replace(self, stages=(*self.stages, stage))

    def _as_sent_back(self, messages: Sequence[Any]) -> list[Any]:
        """Return a reply's messages as they may be sent: no empty text, no item left elsewhere."""
        kept = []
        # No client can send half a character, which arguments may hold.
        for message in json.loads(
            json.dumps(messages, ensure_ascii=False).encode(errors="replace")
        ):
            content = message.get("content")
            if isinstance(content, list):
                content = [block for block in content if block != {"type": "text", "text": ""}]
                message = message | {"content": content}
            if not self.is_stored:
                # The provider knows no item of such a reply by its id.
                if message.get("type") != "reasoning":
                    message = {key: value for key, value in message.items() if key != "id"}
                elif not message.get("encrypted_content"):
                    continue
            kept.append(message)
        return kept

    def remember(self, last: Reply) -> None:
        """Keep what was hidden in a reply, by what its caller will send back."""
        # Another caller may send the same reply back, and must not get the calls of this one.
        if not self.stages or self.own is not None:
            return
        if not self.surface.by_item:
            said = [message for stage in self.stages for message in stage.messages]
            self._keep([*said, *last.messages], [*self.tail, *last.messages])
            return
        hidden: list[Any] = []
        for stage in self.stages:
            shown = self.surface.visible(stage.messages)
            if shown:
                self._keep(shown, hidden)
                hidden = []
            hidden += [*stage.messages[len(shown) :], *stage.results]
        self._keep(last.messages, hidden)

    def _keep(self, messages: Sequence[Any], hidden: Sequence[Any]) -> None:
        identity = self.surface.identity(messages)
        if identity:
            self.thread.session.host.records.add(HIDDEN_KIND, {identity: _texts(hidden)})

    def put_back(
        self, shown: Sequence[Any], objects: ListFormat
    ) -> tuple[OfferedRecall, list[Any]]:
        """Return a list to send with the calls that its caller never saw, and the offer beside it.

        Each call goes back once, also if several replies say the same; those that do not fit
        stay away, the oldest first.
        """
        session = self.thread.session
        waiting: dict[str, list[list[str]]] = {}
        if self.own is None:
            for _, record in reversed(session.host.records.of(HIDDEN_KIND)[-REPLIES_MOST:]):
                for identity, texts in record.items():
                    waiting.setdefault(identity, []).append(texts)
        if not waiting:
            return self, list(shown)
        found: dict[int, list[str]] = {}
        for at, message in enumerate(shown):
            # An item that is no message has no role.
            if get_field(message, "role") in (None, "assistant", "model"):
                text = objects.to_text(message, f"messages[{at}]")
                same = waiting.get(self.surface.identity([parse_json(text.decode())]))
                if same:
                    found[at] = same.pop()
        room = session.budget.share_base - session.load
        fitting: dict[int, list[str]] = {}
        for at, texts in reversed(found.items()):
            room -= sum(map(session.view.meter.count, texts))
            if room < 0:
                break
            fitting[at] = texts
        whole: list[Any] = []
        for at, message in enumerate(shown):
            for hidden in fitting.get(at, ()):
                whole.append(objects.to_object(parse_json(hidden), message))
            if self.surface.by_item or at not in fitting:
                whole.append(message)
        return replace(self, put_in=bool(fitting)), whole


def _texts(messages: Sequence[Any]) -> list[str]:
    return [json_text(message) for message in messages]
