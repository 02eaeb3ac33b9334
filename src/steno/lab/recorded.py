"""A session as it happened, and what it used again of earlier messages.

What was used does not depend on a policy: it is read once (`uses.py`), and every policy is
asked for the same things. One reply may be several messages, as in OpenAI's responses; they
make one request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from steno.core.log import Log
from steno.core.message import Message
from steno.core.model import ModelCall, Usage
from steno.lab.text import CHARACTERS_PER_TOKEN, full_text
from steno.lab.uses import RecordedUse, find_uses

MULTI_MESSAGE_WIRE = "openai-responses"
"""The wire on which neighbouring messages of the assistant are one reply."""
AGENT_TOOLS = {
    "Claude Code": {"Read", "Edit", "MultiEdit", "Write", "Bash", "Grep", "Glob", "Task"},
    "Codex": {"exec_command", "write_stdin", "apply_patch", "shell", "update_plan", "exec"},
    "Copilot": {"bash", "view", "edit", "create", "report_intent", "read_bash", "write_bash"},
    "Gemini CLI": {"run_shell_command", "replace", "read_many_files", "search_file_content"},
    "OpenHands": {"execute_bash", "str_replace_editor", "execute_ipython_cell", "finish"},
    "pi": {"bash", "read", "edit", "write"},
}
"""Tools by the program that has them. Only for grouping figures: a policy must not know them."""
OTHER_AGENT = "other"


@dataclass(frozen=True)
class SessionOrigin:
    """Where `steno open` finds a session."""

    file: str
    session: str | None = None
    """Its name, if the file holds several."""
    positions: Sequence[int] = ()
    """Position to open for each message, if not its index."""

    def position_to_open(self, at: int) -> int:
        return [*self.positions[at : at + 1], at][0]


@dataclass(frozen=True)
class RecordedSession:
    """A session to replay."""

    name: str
    messages: Sequence[Message]
    times: Sequence[float | None] = ()
    """When each message was written, in seconds; None if the transcript does not say."""
    wire: str = "openai"
    origin: SessionOrigin | None = None
    """Where it can be opened; None if it cannot, for example if it came through a pipe."""
    log: Log | None = None
    """Its messages at the positions of `origin`, with the compactions that were made then."""
    system_calls: tuple[ModelCall, ...] = ()
    """Calls of writers that were made for it, if its commits are known."""
    billed: Usage | None = None
    """What providers reported for its requests, if they went through a proxy or `wrap`."""
    counted: int | None = None
    """Tokens of all that was said, if a meter counted them."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(map(full_text, self.messages))

    @property
    def said(self) -> int:
        """Tokens of all that was said: as a meter counted them, else the estimate."""
        return self.counted or self.tokens

    @property
    def tokens(self) -> int:
        """Tokens as every figure of a replay estimates them."""
        return sum(map(len, self.texts)) // CHARACTERS_PER_TOKEN

    @cached_property
    def requests(self) -> dict[int, range]:
        """Positions of each reply, by the first of them; before it a request was made."""
        found: dict[int, range] = {}
        first = -1
        for at, message in enumerate(self.messages):
            if message.role != "assistant":
                first = -1
                continue
            if first < 0 or self.wire != MULTI_MESSAGE_WIRE:
                first = at
            found[first] = range(first, at + 1)
        return found

    @cached_property
    def uses(self) -> dict[int, tuple[RecordedUse, ...]]:
        """What was used, by the position of the request that should have shown it."""
        found: dict[int, list[RecordedUse]] = {}
        for at, use in find_uses(self.messages, self.texts, self.requests):
            found.setdefault(at, []).append(use)
        return {at: tuple(uses) for at, uses in found.items()}

    @cached_property
    def agent(self) -> str:
        """The program that ran the session, as far as the names of its tools tell."""
        return agent_of(Counter(call.name for each in self.messages for call in each.calls))

    @cached_property
    def message_labels(self) -> tuple[str, ...]:
        """A label for each message: "user", "Read result", "Edit call"."""
        called: dict[str | None, str] = {}
        found = []
        for message in self.messages:
            called.update((call.id, call.name) for call in message.calls)
            found.append(_message_label(message, called))
        return tuple(found)

    def idle_seconds(self, before: int, now: int) -> float:
        """Return the seconds between two messages; 0 if a time is not known."""
        if max(before, now) >= len(self.times):
            return 0.0
        first, last = self.times[before], self.times[now]
        if first is None or last is None:
            return 0.0
        return max(0.0, last - first)


def _message_label(message: Message, called: dict[str | None, str]) -> str:
    if message.results:
        return f"{called.get(message.results[0].call) or ''} result".lstrip()
    if message.calls:
        return f"{message.calls[0].name} call"
    return message.role


def agent_of(calls: Mapping[str, int]) -> str:
    """Return the agent whose tools were called most, of the calls by name."""
    best, most = OTHER_AGENT, 0
    for agent, tools in AGENT_TOOLS.items():
        # Agents share names of tools, so the most calls decide and not the first match.
        count = sum(calls.get(tool, 0) for tool in tools)
        if count > most:
            best, most = agent, count
    return best
