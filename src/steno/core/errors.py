"""Every exception that Steno raises; a writer that does not answer is a `NoAnswer` instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steno.core.model import FailureKind


class StenoError(Exception):
    """Anything Steno refuses to do."""


class BadInput(StenoError, ValueError):
    """An argument cannot be used."""


def needs_extra(what: str, extra: str) -> BadInput:
    """Return an error that says how to install the packages of an extra."""
    return BadInput(f"{what}: {install_extra(extra)}")


def install_extra(extra: str) -> str:
    # By name also in a clone: pip reads the extras of what is installed.
    return f"pip install 'stenolog[{extra}]'"


class _BadPlace(BadInput):
    """Something that cannot be read, and where it stands."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what


class BadMessage(_BadPlace):
    """A message or block that no wire can read."""


class BadTranscript(_BadPlace):
    """A file that is no transcript, or a line of it that cannot be read."""


class AlreadyThere(BadInput):
    """A session under that name exists."""

    def __init__(self, name: str) -> None:
        super().__init__(f"a session named {name!r} exists already")


class UnknownWire(BadInput):
    """A list whose provider cannot be found out."""


class UnknownModel(BadInput):
    """A model name without a known window."""

    def __init__(self, model: str, close: Sequence[str] = ()) -> None:
        what = f"no window is known for model {model!r}: pass window= with its size in tokens."
        if close:
            what += f" Close names: {', '.join(close)}."
        super().__init__(what)
        self.close = tuple(close)


class BadBudget(BadInput):
    """Limits that contradict each other."""


class BadPolicy(BadInput):
    """A policy with a wrong value."""


class BadEdit(StenoError):
    """An edit that does not fit the view it is for."""


class Stale(StenoError):
    """A commit drafted on commits that are no longer the newest."""

    def __init__(self, base: int, newest: int) -> None:
        super().__init__(
            f"the commit was drafted on {base} commits, the log has {newest}: draft it again"
        )


class StoreFailed(StenoError, OSError):
    """A file that cannot be opened, read or written."""


class NotHere(StenoError, LookupError):
    """A position that this log cannot open."""


class SessionGone(NotHere):
    """A session was deleted while it was open; another one may have its name now."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the session {name!r} was deleted while it was open here: nothing was read or "
            "changed; close it here, and open a session anew"
        )


class ModelFailed(StenoError):
    """A model's call that failed, in our own words: a provider's may quote the prompt or a key."""

    def __init__(
        self,
        what: str,
        kind: FailureKind = "other",
        *,
        wait: float | None = None,
        window: int | None = None,
        sent: int | None = None,
    ) -> None:
        super().__init__(what)
        self.kind: FailureKind = kind
        self.wait = wait
        """Seconds that the provider asks to wait, if it said so."""
        self.window = window
        """The model's true window, if an overflow error named it."""
        self.sent = sent
        """The tokens that the provider counted in the prompt, if an overflow error named them."""


class TooLong(StenoError):
    """A provider refused the agent's own request as too long."""

    def __init__(self, loads: Sequence[int], window: int, *, again: bool) -> None:
        # With `again`, the last load is the one to send now; it was not refused.
        sent = ", then ".join(f"{load:,}" for load in loads[: len(loads) - again])
        if again:
            what = f"the session is compacted to {loads[-1]:,}: send session.request() again"
        else:
            what = (
                "what is left cannot be sent: the window may be smaller still, "
                "or the fixed part too big for it"
            )
        super().__init__(
            f"the provider refused the request as too long at {sent} tokens, by our count; "
            f"the window is now taken to be {window:,}; {what}"
        )
        self.loads = tuple(loads)
        """Tokens, by our count, of each refused request and of the one that can be sent now."""
        self.window = window
        self.again = again
        """Whether the session is compacted and its next request has not been tried."""


class DoesNotFit(StenoError):
    """A request would be over the window: what may not be shortened is too big.

    Raised if system prompt and tools alone are larger than the window; with `strict`, whenever a
    request would be over what is usable of it.
    """

    def __init__(
        self,
        load: int,
        fixed: int,
        goal: int,
        usable: int,
        *,
        window: int,
        preamble: int,
        words: int = 0,
    ) -> None:
        what = "unpin messages, or use a model with a larger window"
        if preamble > usable:
            what = "shorten the prompt, offer fewer tools, or use a model with a larger window"
        elif preamble + words > usable:
            what = "send less at once, or put the text where a tool can read it in parts"
        super().__init__(
            f"the request is {load:,} tokens by our count, and of the window of {window:,} "
            f"{usable:,} are usable: system prompt and tools are {preamble:,}, "
            f"a person's newest words {words:,}; {what}"
        )
        self.load, self.fixed, self.goal, self.usable = load, fixed, goal, usable
        self.window = window
        self.preamble = preamble
        """Tokens of system prompt, tools and the block of constraints."""
        self.words = words
        """Tokens of what a person said last."""
