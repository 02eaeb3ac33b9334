"""What the laws ask of a session's view: legal, the same from scratch, which positions are
pinned.
"""

from __future__ import annotations

from steno import Log, Session, View
from steno.providers import decode_messages
from tests.support import legal
from tests.support.session_cases import Case

JUDGES = {"openai": legal.openai_chat, "anthropic": legal.anthropic}


def problems(session: Session) -> list[str]:
    """What the provider would refuse.

    Where nothing but blanks was said there is nothing to send.
    """
    request = session.request()
    if session._parts.settings.wire.terms.binds_thinking:
        # Models that bind thinking to its prefix think adaptively, which lifts the rule on how a
        # loop starts.
        request["thinking"] = {"type": "adaptive"}
    if not any(item.shows for item in session.view.arrivals):
        return []
    return JUDGES[session._parts.settings.wire.name](request)


def from_scratch(session: Session) -> View:
    said = decode_messages(
        session._parts.settings.wire, [session.open(p) for p in range(len(session.log.messages))]
    )
    log = Log().with_messages(said)
    for commit in session.log.commits:
        log = log.with_commit(commit)
    return View.of(log, session._parts.settings.wire.terms, session._parts.settings.meter)


def pins_of(case: Case) -> set[int]:
    """What was pinned, and the system messages a list begins with."""
    roles = [message["role"] for message in case.messages]
    head = next((n for n, role in enumerate(roles) if role != "system"), len(roles))
    return set(range(head)) | case.pins
