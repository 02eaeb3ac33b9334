"""The demo: a long story told under a small window, and the proof that nothing was lost.

Owns the replay and what is counted and compared; how it looks is paint's
business. It holds Steno the way a program would: a session, its events, and
what can be opened.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from steno import Commit, Committed, Event, Media, Message, Result, Session
from steno.cli.demo.story import opening, story
from steno.core.errors import BadInput

WINDOW_PARTS = ("prompt", "shorthand", "user", "assistant", "results")
"""What a window is made of; the shorthand is Steno's own."""
RULES_POSITION = 0
"""The position at which the user states the rules: pinned, so that it is never covered."""
WINDOW_LEAST = 6_000
"""Below this, single turns of the story do not fit together with the tools."""

Parts = dict[str, int]
Json = dict[str, Any]


@dataclass(frozen=True)
class DemoFrame:
    """One request of the agent: what was new, what pressed, and what was sent."""

    turn: int
    new: tuple[int, int]
    """Positions said since the request before, half-open."""
    said: int
    """Tokens of a request that showed everything."""
    before: Parts
    sent: Parts
    events: tuple[Event, ...]
    shrunk: bool
    """Something had to be covered before it could be sent."""

    @property
    def load(self) -> int:
        return sum(self.sent.values())

    @property
    def commits(self) -> list[Committed]:
        return [event for event in self.events if isinstance(event, Committed)]


@dataclass(frozen=True)
class DemoReplay:
    session: Session
    told: list[Json]
    """The story, as it was handed in."""
    frames: tuple[DemoFrame, ...]

    @property
    def commits(self) -> list[Commit]:
        return list(self.session.log.commits)

    @property
    def total_tokens(self) -> int:
        """Tokens of everything: system prompt, tools, and each message once."""
        view = self.session.view
        return self.session.load - view.raw + sum(item.tokens for item in view.arrivals)

    @property
    def fullest(self) -> DemoFrame:
        return max(self.frames, key=lambda frame: frame.load)

    @property
    def fits(self) -> bool:
        return self.fullest.load <= self.session.budget.usable

    @property
    def first_overflow(self) -> DemoFrame | None:
        """The first request that would not have fitted the window as it was said."""
        return next(
            (frame for frame in self.frames if frame.said > self.session.budget.window), None
        )

    @property
    def hidden_positions(self) -> list[int]:
        """Positions that the model no longer sees as they were said."""
        return [
            at
            for item in self.session.view.items
            if item.is_edited
            for at in range(item.span.start, item.span.stop)
        ]


@dataclass(frozen=True)
class DemoProof:
    """What was opened again, and whether it was what had been said."""

    unequal: tuple[int, ...]
    """Positions that opened as something else; there are none."""
    opened: int
    place: str | None
    """The largest block that was offloaded, e.g. `23.0`."""
    block: Result | None
    block_tokens: int
    block_equal: bool

    @property
    def holds(self) -> bool:
        return not self.unequal and self.block_equal


def replay_story(window: int) -> DemoReplay:
    """The whole story through one session."""
    if window < WINDOW_LEAST:
        raise BadInput(
            f"the story needs a window of at least {WINDOW_LEAST:,} tokens, got {window:,}: try --window {WINDOW_LEAST}"
        )
    events: list[Event] = []
    session = Session(
        wire="anthropic",
        window=window,
        pins=[RULES_POSITION],
        on_event=events.append,
        **opening("anthropic"),
    )
    told = story("anthropic")
    return DemoReplay(session, told, tuple(_frames(session, told, events)))


def _frames(session: Session, told: list[Json], events: list[Event]) -> Iterator[DemoFrame]:
    fixed = session.load
    start = 0
    for turn, stop in enumerate(_requests(told), start=1):
        session.add(*told[start:stop])
        before = _parts_on_arrival(session, events)
        session.request()
        said = fixed + sum(item.tokens for item in session.view.arrivals)
        sent = request_parts(session)
        yield DemoFrame(turn, (start, stop), said, before, sent, tuple(events), before != sent)
        events.clear()
        start = stop
    session.add(*told[start:])


def _requests(told: list[Json]) -> Iterator[int]:
    """How much had been said at each request: the assistant answers there."""
    return (
        at
        for at, message in enumerate(told)
        if message["role"] == "assistant" and told[at - 1]["role"] == "user"
    )


def _parts_on_arrival(session: Session, events: list[Event]) -> Parts:
    """What the request would be made of if nothing had been covered on arrival."""
    made = request_parts(session)
    for event in events:
        if isinstance(event, Committed):
            edits = session.log.commits[event.number].edits
            short = sum(session.view.meter.block(block) for edit in edits for block in edit.blocks)
            made["shorthand"] -= short
            made["results"] += event.before - event.after + short
    return made


def request_parts(session: Session) -> Parts:
    """What the next request is made of, in tokens."""
    made = dict.fromkeys(WINDOW_PARTS, 0)
    meter = session.view.meter
    for item in session.view.items:
        if item.main is None:
            made["shorthand"] += item.tokens
            continue
        main = item.shows[item.main]
        short = sum(meter.block(block) for _, blocks in main.patches for block in blocks)
        short += sum(meter.message(each) for each in item.shows if each is not main)
        made["shorthand"] += short
        made[part_of(main)] += item.tokens - short
    made["prompt"] = session.load - sum(made.values())
    return made


def part_of(message: Message) -> str:
    if message.role == "tool" or message.only_results:
        return "results"
    if message.role == "assistant":
        return "assistant"
    return "user"


def prove_replay(replay: DemoReplay) -> DemoProof:
    """Open every position and the largest offloaded block, and compare each with the story."""
    session, told = replay.session, replay.told
    unequal = tuple(at for at, message in enumerate(told) if session.open(at) != message)
    place = _largest_offload(replay)
    if place is None:
        return DemoProof(unequal, len(told), None, None, 0, True)
    block = session.open(place)
    at, number = map(int, place.split("."))
    equal = isinstance(block, Result) and block.text == told[at]["content"][number]["content"]
    return DemoProof(unequal, len(told), place, block, session.view.weights[at][number], equal)


def _largest_offload(replay: DemoReplay) -> str | None:
    weights = replay.session.view.weights
    places = [edit for commit in replay.commits for edit in commit.edits if edit.block is not None]
    largest = max(places, key=lambda edit: weights[edit.span.start][edit.block or 0], default=None)
    if largest:
        return largest.place
    return None


def replay_summary(replay: DemoReplay, proof: DemoProof) -> Json:
    """The numbers, for a machine."""
    session, frames = replay.session, replay.frames
    budget = session.budget
    weights = [sum(weights) for weights in session.view.weights]
    return {
        "window": budget.window,
        "usable": budget.usable,
        "goal": budget.goal_load,
        "messages": len(replay.told),
        "requests": len(frames),
        "tokens_said": replay.total_tokens,
        "tokens_sent": sum(frame.load for frame in frames),
        "tokens_sent_without_steno": sum(frame.said for frame in frames),
        "bursts_at_request": replay.first_overflow.turn if replay.first_overflow else None,
        "fullest_load": replay.fullest.load,
        "fits": replay.fits,
        "loads": [frame.load for frame in frames],
        "commits": [_commit_json(commit) for commit in replay.commits],
        "positions_not_shown_as_said": len(replay.hidden_positions),
        "tokens_not_shown_as_said": sum(weights[at] for at in replay.hidden_positions),
        "opened": proof.opened,
        "equal": proof.opened - len(proof.unequal),
        "proven": proof.holds and replay.fits,
    }


def _commit_json(commit: Commit) -> Json:
    return {
        "number": commit.number,
        "why": commit.why,
        "before": commit.before,
        "after": commit.after,
        "fits": commit.fits,
        "edits": [
            {"by": edit.by, "place": edit.place, "level": edit.level} for edit in commit.edits
        ],
    }


def frame_label(messages: Iterable[Message]) -> str:
    """What was new, in a few words: the user's own, or else the calls."""
    new = list(messages)
    spoken = [message for message in new if part_of(message) == "user"]
    if spoken:
        picture = (
            "[picture] " if any(isinstance(block, Media) for block in spoken[-1].blocks) else ""
        )
        return f"user: {picture}{' '.join(spoken[-1].text.split())}"
    calls = [call for message in new for call in message.calls]
    failed = "✗ " if any(result.error for message in new for result in message.results) else ""
    if len(calls) == 1:
        return f"{failed}{calls[0].name} {_first_argument(calls[0].arguments)}"
    names = Counter(call.name for call in calls)
    return failed + ", ".join(
        f"{name} ×{count}" if count > 1 else name for name, count in names.items()
    )


def _first_argument(arguments: str) -> str:
    return str(next(iter(json.loads(arguments).values()), ""))
