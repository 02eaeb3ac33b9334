"""What requests cost, and what was left out of them: the one place that computes it.

A request is priced by what its provider reported; where it reported nothing, the tokens are
Steno's own count as input that no cache had. A session stores each request's bill beside its log.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import msgspec

from steno.core.decoders import json_decoder
from steno.core.events import Billed
from steno.core.message import Value
from steno.core.model import ModelCall, Usage
from steno.core.price import Prices
from steno.core.store import Record
from steno.meters.catalog import known_prices
from steno.providers.shared.provider_report import (
    compaction_rounds,
    read_usage,
    written_for_each,
)

SUB_AGENT = "sub-agent"
SIDE_CALL = "side call"
"""Kind of a request that asks about a conversation and is no part of it, as for a title."""
BILL_KIND = "bill"
"""Kind of the record that holds a request's bill."""
NOT_BILLED = "No usage was reported, so the cost of requests is not known."


class RequestBill(Value, kw_only=True):
    """One request that was answered."""

    model: str = ""
    agent: str = ""
    key: str = ""
    """A digest of the key that its caller signed in with."""
    parent: str = ""
    """Name of the session whose agent began this one."""
    kind: str = ""
    """`sub-agent`, `side call`, or empty for a request of the agent's own conversation."""
    of: str = ""
    """A digest of the name of its session: a fork inherits records, and these are not its own."""
    shown: int = 0
    """Tokens that went out, as Steno counts them."""
    spared: int = 0
    """Tokens that were left out of it."""
    usage: Usage = Usage()
    """What the provider reported, its own compactions included."""
    estimated: bool = False
    """Whether `usage` is Steno's count, or of the input alone: the provider reported no more."""
    spent: float | None = None
    """Dollars by the provider's list prices; None if the model has none."""
    saved: float | None = None
    """What the spared tokens would have cost as cached input, the least there is."""

    def event(self, session: str) -> Billed:
        """Return the event that says so."""
        figures = msgspec.structs.asdict(self)
        del figures["key"], figures["parent"], figures["of"], figures["kind"]
        return Billed(session=session, **figures)

    def record(self, session: str) -> Any:
        """Return what is stored beside the log of this session."""
        return msgspec.to_builtins(msgspec.structs.replace(self, of=digest(session)))


class Bill(Value):
    """What several requests cost together."""

    requests: int = 0
    shown: int = 0
    spared: int = 0
    usage: Usage = Usage()
    estimated: int = 0
    """Requests whose usage is Steno's count."""
    spent: float = 0.0
    """Dollars, those of `compaction` included."""
    saved: float = 0.0
    compaction: float = 0.0
    """Dollars for calls of writers."""
    unpriced: int = 0
    """Requests of models without a known price; their dollars are not in here."""
    side_calls: int = 0
    """Requests beside the conversation, such as one for its title."""

    @classmethod
    def of(cls, request: RequestBill) -> Bill:
        """Return the bill of one request."""
        dollars = (request.spent or 0.0, request.saved or 0.0)
        tokens = (request.shown, request.spared, request.usage)
        counts = (int(request.spent is None), int(request.kind == SIDE_CALL))
        return cls(1, *tokens, int(request.estimated), *dollars, 0.0, *counts)

    def __add__(self, other: Bill) -> Bill:
        figures = map(msgspec.structs.astuple, (self, other))
        return Bill(*map(operator.add, *figures))

    @property
    def whole(self) -> int:
        """Tokens that the requests would have had with nothing left out."""
        return self.shown + self.spared

    @property
    def from_cache(self) -> float:
        """Share of what was sent that the provider read from its cache."""
        return self.usage.cached / max(1, self.usage.sent)

    @property
    def counted(self) -> str:
        """The number of requests, in words."""
        line = f"{self.requests:,} request" + "s" * (self.requests != 1)
        if self.side_calls:
            line += f", {self.side_calls:,} of them side calls"
        return line

    @property
    def words(self) -> str:
        """The bill in a line; dollars that are partly an estimate have a tilde."""
        about = "~" * bool(self.estimated)
        tokens = f"{self.shown:,} of {self.whole:,} shown, {self.from_cache:.0%} from cache"
        line = f"{tokens}, {about}${self.spent:,.4f} spent, ${self.saved:,.4f} spared"
        if self.compaction:
            line += f", ${self.compaction:,.4f} of it on summaries"
        if self.unpriced:
            line += f"; no price is known for {self.unpriced:,} requests"
        return line


_BILLS = json_decoder(RequestBill)


def bill_request(model: str, reported: Any, shown: int, spared: int, **who: str) -> RequestBill:
    """Return the bill of a request; `who` says its agent and key."""
    is_prompt_alone = isinstance(reported, int)
    if is_prompt_alone:
        reported = {"prompt_tokens": reported}
    rounds = [reported, *compaction_rounds(reported)]
    usage = sum(map(read_usage, rounds), Usage())
    estimated = is_prompt_alone or not usage.sent
    if not usage.sent:
        usage = Usage(shown, said=usage.said)
    bill = RequestBill(model=model, shown=shown, spared=spared, usage=usage, estimated=estimated)
    bill = msgspec.structs.replace(bill, **who)
    prices = known_prices(model)
    if prices is None:
        return bill
    spent = prices.usage_cost(usage) + sum(_extra_for_lifetime(prices, each) for each in rounds)
    saved = prices.request_cost(spared, 0)
    return msgspec.structs.replace(bill, spent=round(spent, 6), saved=round(saved, 6))


def _extra_for_lifetime(prices: Prices, usage: Any) -> float:
    """Return what writing to a cache cost beyond its usual price, because it is kept longer."""
    extra = (
        (prices.kept_for(lifetime).write - prices.write) * tokens
        for lifetime, tokens in written_for_each(usage)
    )
    return sum(extra) / 1_000_000


def sum_bills(
    requests: Iterable[RequestBill], calls: Iterable[ModelCall] = (), model: str = ""
) -> Bill:
    """Return what requests and calls of writers cost; `model` prices writers that have none."""
    writers = sum(calls_cost(calls, known_prices(model)))
    return sum(map(Bill.of, requests), Bill(spent=writers, compaction=writers))


def calls_cost(calls: Iterable[ModelCall], otherwise: Prices | None) -> tuple[float, float]:
    """Return the dollars for input and output of writers' calls, each by its own model's prices."""
    paid, output = 0.0, 0.0
    for call in calls:
        prices = known_prices(call.by.rpartition(":")[2]) or otherwise
        if prices is not None and call.made:
            said = prices.reply_cost(call.usage.said)
            paid += prices.usage_cost(call.usage) - said
            output += said
    return paid, output


def read_bills(records: Iterable[Record], session: str) -> tuple[RequestBill, ...]:
    """Return the bills of a session among its records, oldest first, without its parent's."""
    found = (record.text for record in records if record.kind == BILL_KIND)
    bills = (_BILLS.decode(text) for text in found)
    return tuple(bill for bill in bills if bill.of in ("", digest(session)))


def digest(text: str) -> str:
    """Return a short name for a key or a session, which does not show it."""
    return text and blake2b(text.encode(), digest_size=4).hexdigest()
