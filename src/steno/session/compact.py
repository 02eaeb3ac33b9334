"""`steno.compact`: a list of messages in, a list that fits out. Stateless.

What was compacted before is recognised when it comes back: calling again on the
result changes nothing while there is no pressure, and updates the earlier edits when
there is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steno.core.arguments import check_arguments
from steno.core.budget import Pressure
from steno.core.constraint import Constraint
from steno.core.effects import DEFAULT_LIMITS, Limits
from steno.core.events import OnEvent, ignore_event
from steno.core.log import Commit, Log
from steno.core.message import Span
from steno.core.meter import Meter
from steno.core.wire import Wire
from steno.engine.designs import resolve_policy
from steno.engine.policy import Policy, Quota
from steno.models.retry import DEFAULT_RETRY, Breakers, RetryPolicy
from steno.models.spend import DEFAULT_SPEND, Spend
from steno.recall.embedders import Embedder
from steno.session.options import Redact, SessionOptions, Writer, document_options
from steno.session.parts import Opening
from steno.session.raw_list import RawList
from steno.session.redact import Redactor, hide_secrets_in_errors, redactor_of
from steno.session.session import Session, open_session
from steno.summary.reimport import reimport_messages
from steno.wires import decode_messages, detect_wire, get_wire, plain_list, to_plain


@dataclass(frozen=True)
class Compacted:
    """The result of `compact`."""

    messages: list[Any]
    """The messages to send, in the provider's format."""
    request: dict[str, Any]
    """Keyword arguments for the provider's client: messages, system and tools."""
    commits: tuple[Commit, ...]
    load: int
    """Tokens of the request."""
    pressure: Pressure
    session: Session

    @property
    def commit(self) -> Commit | None:
        """The newest commit of this call; None if nothing had to be done."""
        if self.commits:
            return self.commits[-1]
        return None

    @property
    def within_window(self) -> bool:
        """Whether it can be sent; whether it reached its goal is `commit.fits`."""
        return self.load <= self.session.budget.usable

    def open(self, where: int | str | Span) -> Any:
        """Return the originals at a place."""
        return self.session.open(where)


@document_options
@check_arguments
def compact(
    messages: Iterable[Any],
    *,
    system: Any = None,
    tools: Any = None,
    pins: Iterable[int] = (),
    force: bool = False,
    wire: str | Wire | None = None,
    window: int | None = None,
    model: str | None = None,
    reserve: int | None = None,
    policy: str | os.PathLike[str] | Policy | None = None,
    quota: Quota = "normal",
    meter: Meter | None = None,
    writer: Writer = None,
    retry: RetryPolicy = DEFAULT_RETRY,
    spend: Spend = DEFAULT_SPEND,
    breakers: Breakers | None = None,
    limits: Limits = DEFAULT_LIMITS,
    on_event: OnEvent = ignore_event,
    strict: bool = False,
    redact: Redact = None,
    clock: Callable[[], float] = time.monotonic,
    embedder: Embedder | None = None,
    constraints: Sequence[str | Constraint] = (),
    agent_name: str = "",
    offload_dir: str | os.PathLike[str] | None = None,
) -> Compacted:
    """Bring a provider's list under its budget, if it is under pressure.

    messages: any provider's list, SDK objects included.
    system: system prompt, in the provider's format.
    tools: definitions of the agent's tools, in the provider's format.
    pins: positions that are never covered.
    force: compact whatever the fill.
    """
    redactor = redactor_of(redact)
    options = SessionOptions(
        window=window,
        model=model,
        reserve=reserve,
        quota=quota,
        meter=meter,
        writer=writer,
        retry=retry,
        spend=spend,
        breakers=breakers,
        limits=limits,
        on_event=on_event,
        strict=strict,
        clock=clock,
        embedder=embedder,
        constraints=constraints,
        agent_name=agent_name,
        offload_dir=offload_dir,
        wire=wire,
        # The list is to be brought down now, wherever the agent's step stands.
        policy=resolve_policy(policy or Policy()).but(moment="now"),
        redact=redactor,
    )
    wire, log = _read_list(messages, redactor, wire, tools, model)
    options = replace(options, wire=wire)
    if system is not None:
        system = to_plain(system, "system")
    if tools is not None:
        tools = to_plain(tools, "tools")
    opening = Opening(log=log, system=system, tools=tools, pins=tuple(pins))
    session = _compact_log(log, options, opening, force=force)
    shown = session.messages()
    return Compacted(
        messages=shown,
        request=session._parts.sending.request_with(shown),
        commits=tuple(commit for commit in session.log.commits if commit.why != "resent"),
        load=session.load,
        pressure=session.pressure,
        session=session,
    )


def _compact_log(log: Log, options: SessionOptions, opening: Opening, *, force: bool) -> Session:
    """Return a session of the log, compacted if it is under pressure or asked for."""
    if force or log.commits:
        session = open_session(options, opening)
        if force:
            session.compact()
        session._parts.compactor.settle_with_writer()
    else:
        session = RawList(log, options, opening).compact()
    # Few results are searched by meaning; a search makes the vectors that it needs.
    session._parts.recall.stop_filling()
    return session


def _read_list(
    messages: Iterable[Any],
    redactor: Redactor | None,
    wire: str | Wire | None,
    tools: Any,
    model: str | None,
) -> tuple[str | Wire, Log]:
    """Return a list's wire and its log, with what was compacted before."""
    with hide_secrets_in_errors(redactor):
        given = plain_list(messages)
        if redactor is not None:
            given = redactor.plain(given)
        if wire is None:
            wire = detect_wire(given, tools, model).name
        reader = wire
        if isinstance(reader, str):
            reader = get_wire(reader)
        return wire, reimport_messages(decode_messages(reader, given))
