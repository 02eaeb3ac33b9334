"""Events of a run: words, calls, compactions, retries, turns, and its end."""

from __future__ import annotations

from dataclasses import dataclass

from steno.agent.state import RunState
from steno.core.log import Commit
from steno.core.message import Call, Result
from steno.core.model import Delta, Usage


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool is about to be run."""

    call: Call


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool has been run, or refused."""

    call: Call
    result: Result


@dataclass(frozen=True, slots=True)
class HistoryCompacted:
    """A commit landed between two turns."""

    commit: Commit
    agent: str = ""
    """Name of the agent, if the session was told one."""
    iteration: int = 0
    """Turn before which it landed, from 1 on."""


@dataclass(frozen=True, slots=True)
class ModelRetry:
    """The model failed and will be asked again after some seconds."""

    reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """The model has replied and the tools it called have been run."""

    number: int
    text: str
    calls: tuple[Call, ...]
    usage: Usage
    load: int
    usable: int
    state: RunState


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over."""

    state: RunState

    @property
    def text(self) -> str:
        return self.state.text


RunEvent = (
    Delta | ToolStarted | ToolFinished | HistoryCompacted | ModelRetry | TurnFinished | RunEnded
)
