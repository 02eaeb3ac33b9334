"""What became of the things a person asked for, as far as the log shows it.

A reply that calls nothing answers the requests before it. They wait if it ends with a
question, and something is left if it announces a step, or if a task or a failing test that
came up since is still open. A request is done if something was called for it and the reply
opens by saying that it is done, says nowhere that a part is not, and the next words of the
person do not deny it; what a tool says makes nothing done. The person has the last word:
thanks end the waiting, a mere go-ahead or complaint takes the request up again.
Who goes on to something else has not answered the question, so that request still waits.
`open_loops` calls these functions as messages come.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from steno.core.message import Value
from steno.facts.fact import Fact
from steno.facts.languages import in_every_language
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.requests import DENIAL, asks_something, complains, only_goes_ahead

GOALS_MOST = 64
"""Requests whose state is kept, the newest."""
OPENING = 240
"""Characters of a reply in which it says that the work is done."""
OPEN, ANSWERED, WAITING, LEFT, OFF = "open", "answered", "waiting", "left", "off"
DONE = "done"
_SETTLED = (ANSWERED, DONE, LEFT)

_DONE = lazy_pattern(rf"\W*(?:{in_every_language(lambda cues: cues.steps.done)})", re.I)
_UNDONE = lazy_pattern(in_every_language(lambda cues: cues.steps.undone), re.I)


class Goal(Value, frozen=True, gc=False):
    """A message of a person that asks for something, and what became of it."""

    at: int
    state: str = OPEN
    by: int = -1
    """Position of the message that settled it."""
    worked: bool = False
    """Whether anything was called for it."""


Goals = tuple[Goal, ...]


def with_request(goals: Goals, at: int, fact: Fact) -> Goals:
    """Open a request, or take the newest up again if its words only agree or complain."""
    if goals and goals[-1].at == at:
        return goals
    newest = goals[-1] if goals else None
    if newest is not None and newest.state == DONE and fact.key == DENIAL:
        newest = replace(newest, state=ANSWERED)
        goals = (*goals[:-1], newest)
    if newest is not None and newest.state != OPEN:
        waits = newest.state in (WAITING, LEFT)
        if (waits and only_goes_ahead(fact.words)) or _only_complains(fact.words):
            return (*goals[:-1], replace(newest, state=OPEN, by=-1))
    return (*goals, Goal(at))[-GOALS_MOST:]


def _only_complains(words: str) -> bool:
    """Tell whether words say of the last request that it is not done, and ask for nothing else."""
    return complains(words) and not asks_something(words)


def says_done(reply: str) -> bool:
    """Tell whether a reply opens by saying that the work is done, and nowhere takes it back."""
    return _DONE.match(reply[:OPENING]) is not None and _UNDONE.search(reply) is None


def with_reply(goals: Goals, at: int, *, worked: bool, done: bool, unsettled: int) -> Goals:
    """Settle what is open; something is left if a thing from `unsettled` on stands open."""
    settled: list[Goal] = []
    for goal in goals:
        if goal.state == OPEN:
            goal = replace(goal, state=ANSWERED, by=at, worked=goal.worked or worked)
            if unsettled >= goal.at:
                goal = replace(goal, state=LEFT)
            elif done and goal.worked:
                goal = replace(goal, state=DONE)
        settled.append(goal)
    return tuple(settled)


def with_ending(goals: Goals, at: int, state: str) -> Goals:
    """Say how the reply at a position ends: it asks back, or leaves something for later."""
    return tuple(
        replace(goal, state=state) if goal.by == at and goal.state in _SETTLED else goal
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
