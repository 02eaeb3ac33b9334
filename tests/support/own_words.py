"""Callers who share a proxy, each with words of its own: for laws about whose words go out.

Every message holds a mark that no other message has, so that a request says by itself whose words
it is made of. `run_history` lives a seeded history; `run_lists` sends recorded lists in turns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from random import Random
from typing import Any

import steno
from steno.providers.shared.surface import Reply
from steno.proxy.conversations import Conversations
from steno.proxy.outgoing import Outgoing
from steno.proxy.surfaces import SURFACES
from steno.session.options import SessionOptions

Json = dict[str, Any]

GREETING: list[Json] = [
    {"role": "user", "content": "start"},
    {"role": "assistant", "content": "Welcome to the bank. How can I help you? " * 8},
]
FILLER = ("The rows of the table are plain. ", "Never push to main. ", "TODO: look again. ")
MARK = re.compile(r"⟦\d+\.\d+⟧")
IDENTITIES: tuple[tuple[str, str | None], ...] = (
    ("", None),
    ("", None),
    ("", None),
    ("", "chat-1"),
    ("ann", None),
    ("ann", "chat-1"),
    ("bob", "chat-1"),
)
"""User and session name that callers give; who gives neither is known by its list alone."""


def marks_in(value: object) -> set[str]:
    """Return the marks in a text, or in a list as JSON."""
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False)
    return set(MARK.findall(value))


@dataclass
class Caller:
    """A caller, the list it keeps, and everything it ever sent or was answered."""

    number: int
    user: str
    name: str | None
    messages: list[Json] = field(default_factory=list)
    ever: set[str] = field(default_factory=set)
    said: int = 0

    @property
    def is_known(self) -> bool:
        return bool(self.user or self.name)

    def message(self, role: str, words: str) -> Json:
        """Return a new message with a mark of its own."""
        self.said += 1
        return {"role": role, "content": f"{words} ⟦{self.number}.{self.said}⟧"}


def may_see(caller: Caller, callers: Sequence[Caller]) -> set[str]:
    """Return the marks that may go out for a caller: of its list, or of all that it named."""
    allowed = marks_in(caller.messages)
    for other in callers:
        if caller.is_known and (other.user, other.name) == (caller.user, caller.name):
            allowed |= other.ever
    return allowed


def send(proxy: Conversations, caller: Caller) -> Outgoing:
    """Send a caller's list through a proxy; return what goes out."""
    body = {"model": "gpt-5", "messages": caller.messages}
    raw = json.dumps(body, ensure_ascii=False).encode()
    caller.ever |= marks_in(caller.messages)
    return proxy.prepare(SURFACES[0], "", raw, caller.name, caller.user)


def check(caller: Caller, callers: Sequence[Caller], out: Outgoing) -> bool:
    """Check a request that goes out; return whether anything in it was compacted."""
    strange = marks_in(out.content.decode()) - may_see(caller, callers)
    assert not strange, (caller.user, caller.name, sorted(strange))
    if out.thread is None:
        assert marks_in(out.content.decode()) == marks_in(caller.messages)
        return False
    session = out.thread.session
    held = marks_in("\n".join(str(message.blocks) for message in session.log.messages))
    # A system prompt is no message of the log, and goes out as it is.
    lost = marks_in(caller.messages) - held - marks_in(out.content.decode())
    assert not lost, (caller.user, caller.name, sorted(lost))
    return bool(session.log.commits)


def run_history(seed: int, steps: int = 14, window: int = 1_500) -> bool:
    """Live a history of several callers; return whether one of them was compacted."""
    dice = Random(seed)
    identities = dice.sample(IDENTITIES, dice.randint(2, 4))
    callers = [Caller(number, *who) for number, who in enumerate(identities)]
    compacted = False
    options = SessionOptions(window=window)
    with closing(Conversations(None, options, recall=dice.choice((False, None)))) as proxy:
        for _ in range(steps):
            caller = dice.choice(callers)
            _say_more(caller, dice)
            out = send(proxy, caller)
            compacted |= check(caller, callers, out)
            if dice.random() < 0.6:
                reply = caller.message("assistant", dice.choice(FILLER))
                caller.ever |= marks_in(reply)
                proxy.keep(out, Reply([reply]))
                if dice.random() < 0.8:
                    caller.messages.append(reply)
    return compacted


def _say_more(caller: Caller, dice: Random) -> None:
    """Change a caller's list as clients do: add, begin anew, lose a stretch, edit the past."""
    said = caller.messages
    if not said and dice.random() < 0.7:
        said += GREETING
    deed = dice.random()
    if deed < 0.08:
        said[:] = GREETING
    elif deed < 0.16 and len(said) > 4:
        start = dice.randrange(1, len(said) - 2)
        del said[start : start + dice.randint(1, 3)]
    elif deed < 0.24 and len(said) > 2:
        said[dice.randrange(len(said))] = caller.message("user", "I meant something else.")
    for _ in range(dice.randint(1, 3)):
        said.append(caller.message("user", dice.choice(FILLER) * dice.choice((1, 4, 40))))
        if dice.random() < 0.5:
            said.append(caller.message("assistant", dice.choice(FILLER) * dice.choice((1, 20))))
    if said[-1]["role"] == "assistant":
        said.append(caller.message("user", "Go on."))


def run_lists(lists: Sequence[Sequence[Json]], window: int, seed: int = 0) -> bool:
    """Send marked lists of strangers in turns, in growing pieces; return whether one shrank."""
    dice = Random(seed)
    callers = [Caller(number, "", None) for number in range(len(lists))]
    compacted = False
    with closing(Conversations(None, SessionOptions(window=window))) as proxy:
        waiting = [number for number, messages in enumerate(lists) if messages]
        while waiting:
            number = dice.choice(waiting)
            caller, whole = callers[number], lists[number]
            more = len(caller.messages) + dice.randint(1, max(2, len(whole) // 6))
            caller.messages = list(whole[:more])
            compacted |= check(caller, callers, send(proxy, caller))
            if more >= len(whole):
                waiting.remove(number)
    return compacted


def marked(number: int, messages: Sequence[Json]) -> Iterator[Json]:
    """Yield recorded messages, each with a mark of its own behind its words."""
    for at, message in enumerate(messages):
        words = message.get("content")
        if isinstance(words, str) and words:
            message = message | {"content": f"{words} ⟦{number}.{at}⟧"}
        yield message


def returns_whole(messages: Sequence[Json], more: Sequence[Json], window: int, door: str) -> bool:
    """Send a compacted list back with new messages; return whether there was one.

    All that came is shown, or in the log that the answer can open, or in a summary of it.
    """
    first = steno.compact(list(messages), window=window, wire="openai")
    sent = [*first.messages, *more]
    if door == "compact":
        result = steno.compact(sent, window=window, wire="openai")
        session, shown = result.session, result.messages
    else:
        session = steno.Session(wire="openai", window=window)
        batches = [sent] if door == "at once" else [[message] for message in sent]
        for batch in batches:
            session.add(*batch)
        shown = session.messages()
    held = [str(message.blocks) for message in session.log.messages]
    held += [
        message.text
        for commit in session.log.commits
        for edit in commit.edits
        for message in edit.shows
    ]
    lost = marks_in(sent) - marks_in(shown) - marks_in("\n".join(held))
    assert not lost, sorted(lost)
    return any(commit.edits for commit in first.commits)
