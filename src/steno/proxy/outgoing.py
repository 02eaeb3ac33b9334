"""A request on its way upstream: what goes out, and whose it is.

Owns the value that passes from the session's side to the network's, and its body. It is made in
`conversations`, sent in `exchange`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any

from steno.adapters.recall import OfferedRecall
from steno.adapters.resent.thread import ResentThread
from steno.providers.bill import Bill
from steno.providers.shared.request import ConversationRequest
from steno.providers.shared.surface import Surface
from steno.proxy.body import RequestBody, piece_text
from steno.proxy.unused_tools import tool_name
from steno.session.options import SessionOptions


class UpstreamRefused(Exception):
    """A provider's error, in the form in which SDKs raise one."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(str(body)[:4_000])
        self.status_code = status
        self.body = body


@dataclass(frozen=True)
class Outgoing:
    """A request on its way."""

    content: bytes
    surface: Surface
    path: str = ""
    """Its path and query, as they came."""
    model: str = ""
    request: ConversationRequest | None = None
    body: RequestBody | None = None
    name: str | None = None
    user: str = ""
    thread: ResentThread | None = None
    """The session whose view this is; None if it is the request as it came."""
    sent: Sequence[bytes] = ()
    """The messages that go out."""
    tokens: int = 0
    """Tokens of the view, with system prompt and tools."""
    spared: int = 0
    """Tokens that the view leaves out."""
    bill: Bill = field(default_factory=Bill)
    """What its session cost before."""
    who: Mapping[str, str] = field(default_factory=dict)
    """The agent, the key and the parent that it is billed to."""
    is_aside: bool = False
    """Whether it is a side call of the agent's."""
    own: SessionOptions = field(default_factory=SessionOptions)
    """The policy or limit that it asks for."""
    offer: OfferedRecall | None = None
    """The recall tool, if the model is offered it."""
    unused: frozenset[str] = frozenset()
    """Names of tools that are left out of it."""
    dropped: Sequence[str] = ()
    """Fields that are done here and not asked of the provider."""
    passed: str = ""
    """Why it goes out as it came, if that was not meant."""

    @property
    def hidden(self) -> int:
        """Messages that came and do not go as they came."""
        if self.request is None:
            return 0
        went = set(self.sent)
        return sum(piece_text(piece) not in went for piece in self.request.messages)

    @property
    def names_caller(self) -> bool:
        """Whether it says whose it is, or which session it means."""
        return bool(self.name or self.user)

    @property
    def session(self) -> str:
        if self.thread is None:
            return ""
        return str(self.thread.session.name)


def content_of(sent: Outgoing, shown: Sequence[Any]) -> bytes:
    """Return the body that carries these messages, and the recall tool if it is offered."""
    assert sent.request is not None and sent.body is not None
    lists = {sent.request.key: sent.request.full_list(shown)}
    came = sent.body.pieces("tools")
    given = [tool for tool in came if tool_name(tool.plain) not in sent.unused]
    if sent.unused:
        lists["tools"] = given
    if sent.offer is not None and not (sent.offer.is_over and given):
        lists["tools"] = sent.offer.surface.with_tool(given, sent.offer.tool)
        if sent.offer.is_over:
            # Calls in a list without any tool are refused.
            lists |= sent.offer.surface.no_call
    return sent.body.with_lists(lists, sent.dropped)


def are_same(shown: Sequence[Any], came: Sequence[Any]) -> bool:
    """Tell whether these are the client's own messages, all of them."""
    return len(shown) == len(came) and all(map(is_, shown, came))
