"""Tails: how much of the newest history a policy leaves alone."""

from steno.core.tail import (
    Entries,
    Larger,
    Messages,
    OfMessages,
    OfWindow,
    Share,
    Tail,
    Tokens,
    Turns,
)

__all__ = [
    "Entries",
    "Larger",
    "Messages",
    "OfMessages",
    "OfWindow",
    "Share",
    "Tail",
    "Tokens",
    "Turns",
]
