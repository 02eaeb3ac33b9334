"""A plan, read from a model's words, and the words with which a step is asked for.

What is asked here is Steno's own and goes into the log as such: a plan is the
model's, and repeating it must not make it a person's.
"""

from __future__ import annotations

import re

from steno.agent.state import State, Step

STEPS_MOST = 50
STEP_MOST = 500
_STEP = re.compile(r"^\s*(?:[-*•]|\(?\d{1,3}[.):])\s+(?:\[[ xX]\]\s*)?(?P<text>\S.*)$", re.M)

PLAN = (
    "Before you act, say your plan: a numbered list of at most {most} short steps, one a line, nothing else. "
    "Call no tool yet."
)
STEP = "Step {number} of {many}: {text}\nDo this step now. When it is done, say in a sentence what came of it."
REPLAN = (
    " If what you learnt changes what is left to do, say the steps that are left instead, as a numbered list under "
    "the line PLAN:."
)
ANSWER = "All steps are done. Give the answer to the task now."
_CHANGED = re.compile(r"^\s*PLAN:\s*$(?P<plan>.*)", re.M | re.S)


def steps_of(text: str) -> tuple[Step, ...]:
    """The steps of a plan; a text without a list is one step."""
    found = [match["text"].strip()[:STEP_MOST] for match in _STEP.finditer(text)]
    if not found and text.strip():
        found = [text.strip()[:STEP_MOST]]
    return tuple(Step(step) for step in found[:STEPS_MOST])


def changed(text: str) -> tuple[Step, ...]:
    """The steps that are left, where a reply says that they are others now."""
    found = _CHANGED.search(text)
    return steps_of(found["plan"]) if found else ()


def asked(state: State, *, replans: bool) -> str:
    """How the step is asked for that comes next."""
    step = state.plan[state.at]
    words = STEP.format(number=state.at + 1, many=len(state.plan), text=step.text)
    return words + REPLAN if replans else words
