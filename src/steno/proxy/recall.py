"""The recall tool, offered to the model and answered by the proxy.

The client never sees a call of it. When the client sends the reply back, the call and its
result are put where they were: the provider then finds its own words, signed thoughts
before their call included, and its cache. This is kept beside the session's log; only its
newest replies are looked through, an older one goes up as the client has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steno.adapters.fit import RECALL
from steno.providers import json_text
from steno.providers.shared.surface import ReplyForm
from steno.proxy.body import JsonPiece, RequestBody
from steno.session.host import SessionHost
from steno.session.session import Session

ROUNDS_MOST = 4
"""Replies of one request in which recall is answered."""
NOT_RUN = "This call was not run, because recall was called beside it. Call again if it is needed."
ENOUGH = "That was the last recall for now: go on with what you have."
REPLIES_MOST = 64
"""Replies of a session in which calls are put back."""
HIDDEN_KIND = "hidden calls"
"""Kind of the record that keeps what a client did not see of a reply."""


@dataclass(frozen=True)
class Stage:
    """A reply that called recall, and the results that were sent with it."""

    messages: Sequence[Any]
    results: Sequence[Any]


def may_offer(body: RequestBody) -> bool:
    """Tell whether the model may be given one more tool in this request."""
    choice = body.get("tool_choice")
    if isinstance(choice, Mapping):
        choice = choice.get("type")
    if choice not in (None, "auto"):
        return False
    if body.get("n") not in (None, 1) or body.get("background"):
        return False
    for piece in body.pieces("tools"):
        tool = piece.plain
        if isinstance(tool, Mapping):
            inner = tool.get("function") or tool
            if isinstance(inner, Mapping) and inner.get("name") == RECALL:
                return False
    return True


def answer_calls(
    session: Session, form: ReplyForm, messages: Sequence[Any], *, last: bool
) -> list[Any]:
    """Return the results for the calls of a reply; empty if none of them is for recall."""
    calls = form.calls(messages)
    if not any(call.name == RECALL for call in calls):
        return []
    answers = []
    for call in calls:
        text = NOT_RUN
        if call.name == RECALL:
            text = session.handle({"name": RECALL, "arguments": call.arguments}) or ""
            if last:
                text += "\n" + ENOUGH
        answers.append((call.id, text))
    return form.results(answers)


def as_sent_back(messages: Sequence[Any], body: RequestBody) -> list[Any]:
    """Return a reply's messages as they may be sent: no empty text, no thoughts left elsewhere."""
    kept = []
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            content = [block for block in content if block != {"type": "text", "text": ""}]
            message = message | {"content": content}
        if body.get("store") is False:
            # The provider knows no item of such a reply by its id.
            if message.get("type") != "reasoning":
                message = {key: value for key, value in message.items() if key != "id"}
            elif not message.get("encrypted_content"):
                continue
        kept.append(message)
    return kept


def remember_hidden(
    host: SessionHost, form: ReplyForm, stages: Sequence[Stage], last: Sequence[Any]
) -> None:
    """Keep what was hidden in a reply, by what its client will send back."""
    texts: dict[str, list[str]] = {}
    if form.by_item:
        hidden: list[Any] = []
        for stage in stages:
            shown = form.visible(stage.messages)
            if shown and hidden:
                texts[form.identity(shown)] = _texts(hidden)
                hidden = []
            hidden += [*stage.messages[len(shown) :], *stage.results]
        if last:
            texts[form.identity(last)] = _texts(hidden)
    else:
        said = [message for stage in stages for message in stage.messages]
        whole = [one for stage in stages for one in (*stage.messages, *stage.results)]
        texts[form.identity([*said, *last])] = _texts([*whole, *last])
    texts.pop("", None)
    host.records.add(HIDDEN_KIND, texts)


def put_hidden_back(host: SessionHost, form: ReplyForm, shown: Sequence[Any]) -> list[Any]:
    """Return a list to send with the calls that its client never saw."""
    replaced: dict[str, list[str]] = {}
    for _, texts in host.records.of(HIDDEN_KIND)[-REPLIES_MOST:]:
        replaced |= texts
    if not replaced:
        return list(shown)
    whole: list[Any] = []
    for piece in shown:
        plain = piece.plain
        hidden = None
        if isinstance(plain, dict) and plain.get("role", "assistant") == "assistant":
            hidden = replaced.get(form.identity([plain]))
        if hidden is None:
            whole.append(piece)
            continue
        whole += [JsonPiece(text.encode()) for text in hidden]
        if form.by_item:
            whole.append(piece)
    return whole


def _texts(messages: Sequence[Any]) -> list[str]:
    return [json_text(message) for message in messages]
