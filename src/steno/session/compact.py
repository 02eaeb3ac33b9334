"""Compaction as a function: a list goes in, a list that fits comes out.

For who keeps no session. What was compacted before is recognised when it comes
back, so that calling again on the outcome changes nothing while there is no
pressure, and updates the earlier edits when there is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from steno.core.budget import Pressure
from steno.core.log import Commit
from steno.core.message import Span
from steno.core.reimport import reimport_messages
from steno.core.wire import Wire
from steno.engine.designs import resolve_policy
from steno.engine.policy import DEFAULT_POLICY
from steno.session.redact import hide_secrets_in_errors, redactor_of
from steno.session.session import Session
from steno.wires import decode_messages, detect_wire, get_wire, plain_list


@dataclass(frozen=True)
class Compacted:
    """What came out, and what was done."""

    messages: list[Any]
    """For the provider, in its own words."""
    request: dict[str, Any]
    """Keyword arguments for the provider's client: messages, system and tools."""
    commits: tuple[Commit, ...]
    load: int
    """Tokens of the request."""
    pressure: Pressure
    session: Session

    @property
    def commit(self) -> Commit | None:
        """The newest commit of this call, with its numbers; None if nothing had to be done."""
        if self.commits:
            return self.commits[-1]
        return None

    @property
    def within_window(self) -> bool:
        """It can be sent; whether it came down to its goal is `commit.fits`."""
        return self.load <= self.session.budget.usable

    def open(self, where: int | str | Span) -> Any:
        """What was said there, word for word."""
        return self.session.open(where)


def compact(
    messages: Iterable[Any],
    *,
    window: int | None = None,
    model: str | None = None,
    system: Any = None,
    tools: Any = None,
    wire: str | Wire | None = None,
    pins: Iterable[int] = (),
    force: bool = False,
    **options: Any,
) -> Compacted:
    """Bring a provider's list under its budget, if it is under pressure.

    `messages` is any provider's list, SDK objects included; `window` is the model's
    size in tokens, or `model` a name whose window is known. `force` compacts
    whatever the fill, `strict=True` raises where the outcome is over the window.
    `policy` is a value, a name or a TOML file. Further options: `reserve`, `quota`,
    `meter`, `writer`, `patience`, `spend`, `limits`, `on_event`, `redact`.
    """
    options["redact"] = redactor = redactor_of(options.get("redact"))
    with hide_secrets_in_errors(redactor):
        given = plain_list(messages) if redactor is None else redactor.plain(plain_list(messages))
        way = wire if wire is not None else detect_wire(given, tools).name
        log = reimport_messages(
            decode_messages(get_wire(way) if isinstance(way, str) else way, given)
        )
    # Who hands in a list wants it brought down now, wherever it stops.
    options["policy"] = resolve_policy(options.get("policy", DEFAULT_POLICY)).but(moment="now")
    session = Session(
        wire=way,
        window=window,
        model=model,
        system=system,
        tools=tools,
        pins=pins,
        log=log,
        **options,
    )
    if force:
        session.compact()
    session.settle_with_writer()
    shown = session.messages()
    done = tuple(commit for commit in session.log.commits if commit.why != "resent")
    return Compacted(
        shown, session.request_with(shown), done, session.load, session.pressure, session
    )
