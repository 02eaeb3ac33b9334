"""Fill a provider's cache with a session's new request before it is needed.

A commit changes the beginning of the request, so that the next one is read anew. Where
the agent rests after a commit, `Prewarm` has the provider read the request meanwhile:
Anthropic takes a request without a reply, OpenAI's responses a prewarm. It costs what
writing the cache costs, and saves the wait; nothing does it unasked.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from steno.core.errors import BadInput
from steno.providers.shared.model import SdkModel
from steno.session.session import Session

SECONDS = 30.0


class Prewarm:
    """Sends requests that fill a cache.

    model: of `steno.models`: `Anthropic`, or `OpenAI` with `responses=True`.
    calls: how often the provider may be asked in all.
    seconds: how long one call may take.
    """

    def __init__(self, model: Any, *, calls: int = 100, seconds: float = SECONDS) -> None:
        if not isinstance(model, SdkModel):
            raise BadInput(f"Prewarm takes a model of steno.models, got {type(model).__name__}")
        self._model, self._seconds = model, seconds
        self.calls_left = calls
        self._commits: WeakKeyDictionary[Session, int] = WeakKeyDictionary()

    def after_commit(self, session: Session) -> int | None:
        """Fill the cache if the session has a new commit; return how many tokens it then has.

        A commit that is due lands now. An agent's loop does this after each run, before the
        agent rests, if it is given `after_run=Prewarm(model).after_commit`.

        Return None if there is no new commit, or the provider does not say. Anthropic keeps
        only what is marked: open the session with `cache="managed"`.
        """
        if self.calls_left < 1:
            return None
        # Making the request lands a commit that is due.
        request = session.host.prepare_unsent()
        commits = len(session.log.commits)
        if commits == self._commits.get(session, 0):
            return None
        self._commits[session] = commits
        self.calls_left -= 1
        tokens = self._model.warm_cache(request, self._seconds)
        # Only now: until then the provider has no such request in its cache.
        if tokens is not None:
            session.host.mark_sent()
        return tokens
