"""Replay the story through a session as any program would, and prove that nothing was lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from steno import Event, Session
from steno.cli.demo.story import check_window, opening, story
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import Json, commits_json
from steno.inspector.window_map import WindowMap

WINDOW_PARTS = ("prompt", "shorthand", "user", "assistant", "results")
"""What a window is made of, in the order of the bar; the shorthand is Steno's own text."""
CONSTRAINTS_POSITION = 0
"""Position of the user's constraints; pinned, so that they are never covered."""

Parts = dict[str, int]


@dataclass(frozen=True)
class DemoFrame:
    """One request of the agent."""

    turn: int
    new: range
    """Positions of the messages since the last request."""
    said: int
    """Tokens of a request that shows everything."""
    before: Parts
    """What the request would have been made of without a compaction before it."""
    sent: Parts
    """What the request is made of."""
    events: tuple[Event, ...]

    @property
    def load(self) -> int:
        return sum(self.sent.values())


@dataclass(frozen=True)
class DemoReplay:
    """A story that was told to a session."""

    session: Session
    messages: list[Json]
    """The story as it was added."""
    frames: tuple[DemoFrame, ...]

    @property
    def total_tokens(self) -> int:
        """Tokens of a request that would show everything, as `steno show` counts them."""
        return LoadedConversation.of_session(self.session).said

    @property
    def fullest(self) -> DemoFrame:
        return max(self.frames, key=lambda frame: frame.load)

    @property
    def fits(self) -> bool:
        return self.fullest.load <= self.session.budget.usable

    @property
    def first_overflow(self) -> DemoFrame | None:
        """The first request that would not have fitted the window without Steno."""
        for frame in self.frames:
            if frame.said > self.session.budget.window:
                return frame
        return None

    @cached_property
    def unequal(self) -> list[int]:
        """Positions that do not open as they were said."""
        return [at for at, said in enumerate(self.messages) if self.session.open(at) != said]

    @property
    def holds(self) -> bool:
        """Whether every message can be read back and every request fitted."""
        return self.fits and not self.unequal

    @property
    def hidden_positions(self) -> list[int]:
        """Positions that the model no longer sees as they were said."""
        positions: list[int] = []
        for item in self.session.view.items:
            if item.is_edited:
                positions += range(item.span.start, item.span.stop)
        return positions


def replay_story(window: int) -> DemoReplay:
    """Tell the whole story to one session."""
    check_window(window)
    events: list[Event] = []
    session = Session(
        wire="anthropic",
        window=window,
        pins=[CONSTRAINTS_POSITION],
        on_event=events.append,
        **opening(),
    )
    messages = story()
    return DemoReplay(session, messages, tuple(_frames(session, messages, events)))


def _frames(session: Session, messages: list[Json], events: list[Event]) -> Iterator[DemoFrame]:
    # Before the first message: system prompt and tools alone.
    preamble = session.load
    start = 0
    for turn, stop in enumerate(_requests(messages), start=1):
        session.add(*messages[start:stop])
        before = request_parts(session)
        session.request()
        said = preamble + sum(item.tokens for item in session.view.arrivals)
        sent = request_parts(session)
        yield DemoFrame(turn, range(start, stop), said, before, sent, tuple(events))
        events.clear()
        start = stop
    # The agent's last words: no request follows them.
    session.add(*messages[start:])


def _requests(messages: list[Json]) -> Iterator[int]:
    """Return how many messages there were at each request: the assistant answers there."""
    for at, message in enumerate(messages):
        # Results are a user's messages at Anthropic, so a reply to results counts as well.
        if message["role"] == "assistant" and messages[at - 1]["role"] == "user":
            yield at


def request_parts(session: Session) -> Parts:
    """Return what the next request is made of, in tokens."""
    totals = WindowMap.of(session.view, session.load, session.budget).totals
    return {kind: totals[kind] for kind in WINDOW_PARTS}


def replay_summary(replay: DemoReplay) -> Json:
    """Return the numbers that `--json` prints."""
    session, frames = replay.session, replay.frames
    budget = session.budget
    first = replay.first_overflow
    weights = session.view.weights
    return {
        "window": budget.window,
        "usable": budget.usable,
        "goal": budget.goal_load,
        "messages": len(replay.messages),
        "requests": len(frames),
        "tokens_said": replay.total_tokens,
        "tokens_sent": sum(frame.load for frame in frames),
        "tokens_sent_without_steno": sum(frame.said for frame in frames),
        "bursts_at_request": first and first.turn,
        "fullest_load": replay.fullest.load,
        "fits": replay.fits,
        "loads": [frame.load for frame in frames],
        "commits": commits_json(session.log.commits),
        "positions_not_shown_as_said": len(replay.hidden_positions),
        "tokens_not_shown_as_said": sum(sum(weights[at]) for at in replay.hidden_positions),
        "equal": len(replay.messages) - len(replay.unequal),
        "proven": replay.holds,
    }
