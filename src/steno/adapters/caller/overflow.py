"""A provider refuses a request as too long: the session is compacted, and its window learned where it is told."""

from __future__ import annotations

from dataclasses import replace

from steno.models.trouble import trouble_of
from steno.session.session import Session


def shrunk(session: Session, failure: Exception) -> int | None:
    """The load that was refused; None where it was no refusal as too long."""
    trouble = trouble_of(failure)
    if trouble.kind != "overflow":
        return None
    load = session.load
    if trouble.window is not None and trouble.window < session.budget.window:
        budget = session.setup.policy.budget(trouble.window, session.told.reserve)
        session.setup = replace(session.setup, budget=budget)
    session.compact()
    return load
