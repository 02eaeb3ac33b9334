"""The sessions that are held in memory, and the ways to find that of a list among them.

They are bounded: the session that was used longest ago is let go first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from steno.adapters.resent.align import Alignment, common_length
from steno.adapters.resent.incoming import IncomingList, IncomingReader
from steno.adapters.resent.thread import ResentThread
from steno.session.options import SessionOptions
from steno.store.names import is_unnamed, setup_of

THREADS_MOST = 256
MESSAGES_MOST = 200_000
"""Messages known by key, of all sessions together."""
TRIED_MOST = 8
"""Sessions that one list is compared with."""


@dataclass(frozen=True)
class ArrivedList:
    """A list that has arrived: what it says, and what its caller says of it."""

    reader: IncomingReader
    user: str
    name: str | None
    model: str = ""
    sizes: SessionOptions = field(default_factory=SessionOptions)
    """Window and limit of the session, if they are not those of the options."""
    setup: str = ""
    """Hex digits for what its door asks for, adds and takes out; only if it has no name."""
    messages: IncomingList = ()
    chain: Sequence[bytes] = ()

    @property
    def wire(self) -> str:
        return self.reader.form.wire.name

    @property
    def keys(self) -> list[bytes]:
        return [message.key for message in self.messages]

    @property
    def knows_caller(self) -> bool:
        """Whether it is known whose lists come under this name."""
        return bool(self.name or self.user)

    def may_join(self, root: str) -> bool:
        """Tell whether a list without a name came to the door at which a session was begun."""
        return is_unnamed(root) and setup_of(root) == self.setup

    def align(self, thread: ResentThread) -> Alignment:
        """Compare the list with a session; word for word if its caller is not known."""
        return thread.align(self.messages, strict=not self.knows_caller)

    def is_strange(self, how: Alignment) -> bool:
        """Tell whether nothing of the session may be shown to the caller of this list."""
        if self.knows_caller:
            return how.forks and how.kept == 0
        # Even the common beginning may stay with another person's words in a summary.
        return not how.extends


class ThreadTable:
    """Sessions in memory; not safe for threads, as its owner has a lock for all of it."""

    def __init__(self) -> None:
        self.by_name: dict[str, ResentThread] = {}
        """In the order of use: the first one is the first to be let go."""

    def use(self, thread: ResentThread) -> ResentThread:
        """Hold a session as the one that was used last, and return it."""
        self.by_name.pop(thread.session.name, None)
        self.by_name[thread.session.name] = thread
        messages = sum(len(held.known) for held in self.by_name.values())
        while len(self.by_name) > THREADS_MOST or (
            messages > MESSAGES_MOST and len(self.by_name) > 1
        ):
            oldest = next(iter(self.by_name.values()))
            messages -= len(oldest.known)
            self.drop(oldest)
        return thread

    def drop(self, thread: ResentThread) -> None:
        """Let a session go, and no other of its name."""
        if self.by_name.get(thread.session.name) is thread:
            del self.by_name[thread.session.name]

    def forks_of(self, name: str) -> list[ResentThread]:
        """Return the sessions that began under a name, the one used last first."""
        threads = (thread for thread in reversed(self.by_name.values()) if thread.root == name)
        return list(islice(threads, TRIED_MOST))

    def arriving(self, arrival: ArrivedList) -> list[ResentThread]:
        """Return the sessions to which a list is being added that this one begins with."""
        keys = arrival.keys
        found = []
        for thread in self.by_name.values():
            new = thread.arriving
            if new and arrival.may_join(thread.root) and keys[: len(new)] == new:
                found.append(thread)
        return found

    def similar(self, arrival: ArrivedList) -> list[ResentThread]:
        """Return the sessions that a list without a name may be of, the most similar first."""
        keys = arrival.keys
        held = set(keys)
        ranks: dict[str, tuple[bool, int]] = {}
        for name, thread in reversed(self.by_name.items()):
            if not arrival.may_join(thread.root):
                continue
            same = common_length([known.key for known in thread.known], keys)
            # Its caller may have lost what was before, or a reminder on the newest message.
            ends = (*thread.known[-2:], *(thread.written or ())[-2:])
            newest = any(known.key in held for known in ends)
            if same or newest or len(thread.known) == 1:
                ranks[name] = (newest, same)
        by_end = sorted(ranks, key=ranks.__getitem__, reverse=True)
        by_start = sorted(ranks, key=lambda name: ranks[name][1], reverse=True)
        # In turn: many lists end with "continue", and many begin with "hello".
        ranked = dict.fromkeys(chain.from_iterable(zip(by_end, by_start, strict=True)))
        return [self.by_name[name] for name in islice(ranked, TRIED_MOST)]
