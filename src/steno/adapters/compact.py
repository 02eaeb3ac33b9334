"""`steno.compact`: a list of messages in, a list that fits out. Stateless.

What was compacted before is recognised when it comes back: calling again on the
result changes nothing while there is no pressure, and updates the earlier edits when
there is. A caller that sends the whole list each turn uses `steno.fit`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Unpack

from steno.core.budget import Pressure
from steno.core.log import Commit
from steno.core.message import Span
from steno.core.wire import Wire
from steno.engine.designs import resolve_policy
from steno.engine.policy import Policy
from steno.providers import decode_messages, detect_wire, get_wire, plain_list, to_plain
from steno.redact import hide_secrets_in_errors, redactor_of
from steno.rungs.arrive import Arrive
from steno.session.options import CompactOptions, complete_options, takes_options, with_changes
from steno.session.session import Session
from steno.summary.reimport import reimport_messages, split_all


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

    def _repr_html_(self) -> str:
        """Return a picture of what is sent, for a notebook."""
        return self.session._repr_html_()

    def open(self, where: int | str | Span) -> Any:
        """Return the originals at a place."""
        return self.session.open(where)


@takes_options
def compact(
    messages: Iterable[Any],
    *,
    system: Any = None,
    tools: Any = None,
    pins: Iterable[int] = (),
    force: bool = False,
    model: str | None = None,
    wire: str | Wire | None = None,
    policy: str | os.PathLike[str] | Policy | None = None,
    **options: Unpack[CompactOptions],
) -> Compacted:
    """Bring a provider's list under its budget, if it is under pressure.

    messages: any provider's list, SDK objects included.
    force: compact whatever the fill.
    """
    chosen = complete_options(**with_changes(options, model=model, wire=wire, policy=policy))
    once = resolve_policy(policy)
    replaced = bool(chosen["constraints"] or once.constraints)
    redactor = redactor_of(chosen["redact"])
    with hide_secrets_in_errors(redactor):
        given = plain_list(messages)
        if redactor is not None:
            given = redactor.plain(given)
        if wire is None:
            wire = detect_wire(given, tools, model).name
        reader = wire
        if isinstance(reader, str):
            reader = get_wire(reader)
        # With what was compacted before.
        log = reimport_messages(
            split_all(decode_messages(reader, given), reader), replaced=replaced
        )
    system, tools = to_plain(system, "system"), to_plain(tools, "tools")
    # Brought down now, wherever the agent's step stands. No result is shortened as it arrives: one
    # that is new in this list was sent before in the next one, and came whole there.
    every_round = tuple(rung for rung in once.every_round if not isinstance(rung, Arrive))
    chosen = with_changes(
        chosen,
        redact=redactor,
        wire=wire,
        policy=once.but(moment="now", every_round=every_round),
        system=system,
        tools=tools,
        pins=tuple(pins),
    )
    session = Session(**with_changes(chosen, log=log))
    if force:
        session.compact()
    session.host.settle_with_writer()
    # Few results are searched by meaning; a search makes the vectors that it needs.
    session.host.stop_filling()
    shown = session.messages()
    return Compacted(
        messages=shown,
        request=session.host.wire.request(shown, system, tools),
        commits=tuple(commit for commit in session.log.commits if commit.why != "resent"),
        load=session.load,
        pressure=session.pressure,
        session=session,
    )
