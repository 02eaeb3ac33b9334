"""The limits of a session."""

from __future__ import annotations

from steno.core.budget import Budget


def test_a_large_prompt_leaves_room_for_the_conversation() -> None:
    budget = Budget(window=32_000, reserve=4_000, soft=0.85, goal=0.62, hard=0.95)
    # A prompt of a usual size changes nothing.
    assert budget.goal_beside(3_000) == budget.goal_load
    # One of 18,000 tokens would leave nothing under 62 %; half of the way to soft is left.
    assert budget.goal_beside(18_000) == 18_000 + int((23_800 - 18_000) * 0.7 * 0.62 / 0.85)
    assert budget.goal_beside(18_000) < budget.soft_load
    assert budget.goal_beside(27_000) < budget.soft_load
