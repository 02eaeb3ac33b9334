"""What became of the things a person asked for, as far as the log shows it.

A reply that calls nothing answers the requests before it; whether they are done, the log
does not show. They wait if it ends with a question, and something is left if it announces
a step, or if a task or a failing test that came up since is still open. The person has the
last word: thanks end the waiting, a mere go-ahead or complaint takes the request up again.
Who goes on to something else has not answered the question, so that request still waits.
`open_loops` calls these functions as messages come.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from steno.facts.languages import in_every_language
from steno.facts.requests import asks_something

GOALS_MOST = 64
"""Requests whose state is kept, the newest."""
OPEN, ANSWERED, WAITING, LEFT, OFF = "open", "answered", "waiting", "left", "off"

_COMPLAINS = re.compile(in_every_language(lambda cues: cues.requests.complains), re.I)


@dataclass(frozen=True, slots=True)
class Goal:
    """A message of a person that asks for something, and what became of it."""

    at: int
    state: str = OPEN
    by: int = -1
    """Position of the message that settled it."""
    worked: bool = False
    """Whether anything was called for it."""


Goals = tuple[Goal, ...]


def with_request(goals: Goals, at: int, words: str, goes_ahead: bool) -> Goals:
    """Open a request, or take the newest up again if these words only agree or complain."""
    if goals and goals[-1].at == at:
        return goals
    newest = goals[-1] if goals else None
    if newest is not None and newest.state != OPEN:
        waits = newest.state in (WAITING, LEFT)
        if (goes_ahead and waits) or _complains(words):
            return (*goals[:-1], replace(newest, state=OPEN, by=-1))
    return (*goals, Goal(at))[-GOALS_MOST:]


def _complains(words: str) -> bool:
    """Tell whether words say of the last request that it is not done, and ask for nothing else."""
    return _COMPLAINS.search(words) is not None and not asks_something(words)


def with_reply(goals: Goals, at: int, worked: bool, unsettled: int) -> Goals:
    """Settle what is open; something is left if a thing from `unsettled` on stands open."""
    return tuple(
        _settled(goal, at, worked, unsettled) if goal.state == OPEN else goal for goal in goals
    )


def _settled(goal: Goal, at: int, worked: bool, unsettled: int) -> Goal:
    state = ANSWERED
    if unsettled >= goal.at:
        state = LEFT
    return replace(goal, state=state, by=at, worked=goal.worked or worked)


def with_ending(goals: Goals, at: int, state: str) -> Goals:
    """Say how the reply at a position ends: it asks back, or leaves something for later."""
    return tuple(
        replace(goal, state=state) if goal.by == at and goal.state in (ANSWERED, LEFT) else goal
        for goal in goals
    )


def without_reply(goals: Goals, at: int) -> Goals:
    """Open again what the words at a position seemed to settle."""
    return tuple(
        replace(goal, state=OPEN, by=-1) if goal.by == at and goal.state != OFF else goal
        for goal in goals
    )


def with_thanks(goals: Goals) -> Goals:
    """Settle what waits for an answer: the person is content."""
    return tuple(replace(goal, state=ANSWERED) if goal.state == WAITING else goal for goal in goals)


def called_off(goals: Goals, at: int) -> Goals:
    """End what is open or waits for an answer."""
    return tuple(
        replace(goal, state=OFF, by=at) if goal.state in (OPEN, WAITING) else goal for goal in goals
    )
