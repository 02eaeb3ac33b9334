"""Checks: what a proposal must pass before its edits are accepted."""

from steno.checks.shape import (
    SHAPE,
    Check,
    a_user_begins,
    blocks_keep_their_kind,
    calls_are_answered,
    cuts_fall_on_seams,
    pins_and_tail_stay,
    something_is_left,
    the_load_gets_smaller,
    the_open_turn_stays_signed,
)

__all__ = [
    "SHAPE",
    "Check",
    "a_user_begins",
    "blocks_keep_their_kind",
    "calls_are_answered",
    "cuts_fall_on_seams",
    "pins_and_tail_stay",
    "something_is_left",
    "the_load_gets_smaller",
    "the_open_turn_stays_signed",
]
