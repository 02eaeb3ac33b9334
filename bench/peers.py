"""What other libraries' compactions keep of the demo's session, beside ours.

    python -m bench peers                                 those that are installed here
    python -m bench peers --policy none,sliding,langchain,default --window 16k

The session is the one that `steno demo` plays. A peer is run as its package is, with its own rule
of what goes; it compacts where a request passes 85 % of the window, down to about half. Where it
asks a model for a summary, a stub copies what people typed and what the agent said last, up to
1,000 tokens: a real model may do better or worse. `cliff` is there if its package is
(`pip install --no-deps cliffcompaction==0.1.0`, see bench/cliff.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

from rich.table import Table

import bench.cliff
from bench.ground import arguments, wide
from steno.cli.demo.story import story
from steno.cli.options import parse_size
from steno.core.message import Message
from steno.lab.baselines import SOFT, KeepEverything
from steno.lab.bill import ReplaySetting
from steno.lab.policies import BASELINES, policy_names
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayPart, ReplayRequest
from steno.lab.run import score_session
from steno.lab.score import Score
from steno.lab.text import CHARACTERS_PER_TOKEN
from steno.lab.uses import Measure
from steno.providers import decode_messages, encode_messages, get_wire

WINDOW = 16_000
KEEP = 0.5
"""Share of the window that a peer keeps verbatim, where that is its option."""
SUMMARY_TOKENS = 1_000
OURS = ("none", "sliding", "masking", "default", "thrifty")
"""Policies that are always here."""
SHOWN: tuple[Measure, ...] = ("typed", "names", "reads")
PACKAGES = {"langchain": "langchain", bench.cliff.NAME: "cliffcompaction"}
"""Policies of other libraries, and the package that each needs."""


def copied_summary(people: Sequence[str], last: str) -> str:
    """Return what the stub writes: people's messages, newest kept, and the last reply."""
    most = SUMMARY_TOKENS * CHARACTERS_PER_TOKEN
    lines = [f"- {words}" for words in people if words]
    return ("\n".join(lines)[-most:] + f"\n\nLast: {last}")[-most:]


class Peer(KeepEverything):
    """Holds a list in a library's form, and lets the library change it before each request."""

    wire = get_wire("openai")

    def __init__(self, window: int) -> None:
        super().__init__(window)
        self.shown: list[Any] = []
        self._parts: dict[int, tuple[Any, ReplayPart]] = {}
        """By the identity of a message in the library's form, which is held so that it stays."""

    def add(self, message: Message) -> None:
        super().add(message)
        # Without the provider's own JSON, which would be passed on as it is.
        plain = Message(message.role, message.blocks)
        for encoded in encode_messages(self.wire, [plain]):
            given = self.convert(encoded)
            self.shown.append(given)
            self._parts[id(given)] = (given, self.parts[-1])

    def convert(self, encoded: dict[str, Any]) -> Any:
        """Return a message in the library's form."""
        return encoded

    def reduce(self) -> None:
        """Let the library change `shown`, if its rule says so."""
        raise NotImplementedError

    def text_of(self, message: Any) -> str:
        """Return the text of a message that the library made."""
        raise NotImplementedError

    def request(self) -> ReplayRequest:
        before = list(map(id, self.shown))
        self.reduce()
        self.commits += list(map(id, self.shown)) != before
        parts: list[ReplayPart] = []
        for message in self.shown:
            if id(message) not in self._parts:
                made = {"role": "user", "content": self.text_of(message)}
                (decoded,) = decode_messages(self.wire, [made])
                self._parts[id(message)] = (message, ReplayPart.of(decoded, summary=True))
            part = self._parts[id(message)][1]
            if not parts or parts[-1] is not part:
                parts.append(part)
        return ReplayRequest(tuple(parts))


class LangChain(Peer):
    """LangChain's `SummarizationMiddleware`, by its hook before a model call."""

    def __init__(self, window: int) -> None:
        super().__init__(window)
        from langchain.agents.middleware import SummarizationMiddleware
        from langchain_core.language_models import FakeListChatModel
        from langchain_core.runnables import RunnableLambda

        self._middleware = SummarizationMiddleware(
            FakeListChatModel(responses=["unused"]),
            trigger=("tokens", int(SOFT * window)),
            keep=("tokens", int(KEEP * window)),
            token_counter=lambda messages: sum(map(_langchain_size, messages)),
            summarizer=RunnableLambda(self._summarize),
        )

    @staticmethod
    def _summarize(messages: Sequence[Any]) -> str:
        people = [message.text for message in messages if message.type == "human"]
        said = [message.text for message in messages if message.type == "ai" and message.text]
        return copied_summary(people, said[-1] if said else "")

    def convert(self, encoded: dict[str, Any]) -> Any:
        from langchain_core.messages import convert_to_messages

        (message,) = convert_to_messages([encoded])
        return message

    def reduce(self) -> None:
        changed = self._middleware.before_model({"messages": self.shown}, None)
        if changed is not None:
            # The first one removes all that were there.
            self.shown = list(changed["messages"][1:])

    def text_of(self, message: Any) -> str:
        return str(message.text)


def _langchain_size(message: Any) -> int:
    calls = getattr(message, "tool_calls", ())
    characters = len(message.text) + sum(len(str(call["args"])) for call in calls)
    return characters // CHARACTERS_PER_TOKEN


PEERS: dict[str, Callable[[int], Peer]] = {"langchain": LangChain}
for name, peer in PEERS.items():
    BASELINES[name] = lambda recorded, setting, peer=peer: peer(setting.window)  # type: ignore[misc]


def installed() -> list[str]:
    """Return the policies that can be run here."""
    return [*OURS, *(name for name, package in PACKAGES.items() if find_spec(package))]


def demo_session() -> RecordedSession:
    """Return the session of `steno demo`."""
    messages = tuple(decode_messages(get_wire("anthropic"), story()))
    return RecordedSession("demo", messages, wire="anthropic")


def compare(policies: Sequence[str], window: int = WINDOW) -> list[Score]:
    """Replay the demo's session under each policy."""
    return score_session(demo_session(), policies, ReplaySetting(window=window))


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--policy", default=",".join(installed()), help="policies, with commas")
    parser.add_argument("--window", type=parse_size, default=WINDOW)
    told = parser.parse_args()
    table = Table("policy", "largest", "over", "sent", *SHOWN, "lost")
    for score in compare(policy_names(told.policy.split(",")), told.window):
        table.add_row(*row_of(score))
    wide().print(table)
    missing = [name for name, package in PACKAGES.items() if find_spec(package) is None]
    if missing:
        wide().print(f"not installed here: {', '.join(missing)}")
    return 0


def row_of(score: Score) -> tuple[str, ...]:
    """Return a policy's figures as the table and the README show them."""
    uses = score.all_uses
    return (
        score.policy,
        f"{score.peak:,}",
        str(score.over),
        f"{score.sent:,}",
        *(percent(score.tally(measure).share) for measure in SHOWN),
        percent(uses.lost / uses.all),
    )


def percent(share: float | None) -> str:
    if share is None:
        return "–"
    return f"{share:.0%}".replace("%", " %")


if __name__ == "__main__":
    raise SystemExit(main())
