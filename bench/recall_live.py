"""Ask the agent's questions of the agent's own tool, in sessions that were really compacted.

    python -m bench recall_live DATA [--window N]

`python -m bench recall --only agent` says which questions, and takes it that an agent sees the last
64,000 characters. Here a session keeps each conversation within a window, turn by turn, under
`default`; when the agent is about to use something again, its own `recall` is asked. Counted is
whether the view shows the gold whole, and if not, whether the lines of the answer cite it. Tokens
are those of a whole answer. Constants were chosen on `choose` and are reported on `report`.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import steno
from bench.ground import arguments
from bench.recall import Asked, Json, agents_questions

WINDOW = 32_000
CITED = re.compile(r"\[(\d+)(?:-(\d+))?[.,\]]")


@dataclass
class Live:
    """How often the view or the tool has the gold."""

    asked: int = 0
    shown: int = 0
    first: int = 0
    any5: int = 0
    any20: int = 0
    tokens: list[int] = field(default_factory=list)

    def count(self, gold: frozenset[int], shown: frozenset[int], answer: str) -> None:
        self.asked += 1
        self.tokens.append(len(answer) // 4)
        if gold & shown:
            self.shown += 1
            return
        hits = [bool(gold & places) for places in cited_places(answer)]
        self.first += any(hits[:1])
        self.any5 += any(hits[:5])
        self.any20 += any(hits[:20])

    def line(self, name: str) -> str:
        hidden = max(1, self.asked - self.shown)
        middle = sorted(self.tokens)[len(self.tokens) // 2]
        return (
            f"{name:<20} {self.asked:4}  shown {self.shown / self.asked:.3f}  of {hidden:3} others"
            f" any@1 {self.first / hidden:.3f}  any@5 {self.any5 / hidden:.3f}"
            f"  any@20 {self.any20 / hidden:.3f}  answer {middle:5}"
            f"  shown or found {(self.shown + self.any20) / self.asked:.3f}"
        )


def cited_places(answer: str) -> list[set[int]]:
    """Return the positions that each line of an answer cites."""
    places: list[set[int]] = []
    for line in answer.splitlines():
        cited = CITED.match(line)
        if cited is not None:
            first, last = int(cited[1]), int(cited[2] or cited[1])
            places.append(set(range(first, last + 1)))
    return places


def ask_live(
    questions: Sequence[Asked], messages: Sequence[Json], window: int, tallies: dict[str, Live]
) -> None:
    """Let a session live through its messages, and ask each question when it was asked."""
    added = 0
    with steno.Session(wire="openai", window=window) as session:
        session.tools()
        for asked in sorted(questions, key=lambda each: each.before):
            for message in messages[added : asked.before]:
                if message["role"] == "assistant":
                    session.messages()
                session.add(message)
            added = max(added, min(asked.before, len(messages)))
            session.messages()
            arguments = json.dumps({"query": asked.text})
            call = {"function": {"name": "recall", "arguments": arguments}}
            whole = [item for item in session.view.items if not item.is_edited]
            shown = frozenset(item.span.start for item in whole)
            answer = str(session.handle(call))
            for name in (asked.half, f"{asked.half}: {asked.kind}"):
                tallies[name].count(asked.gold, shown, answer)


def main() -> int:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--window", type=int, default=WINDOW)
    given = parser.parse_args()
    sessions: dict[str, list[Asked]] = defaultdict(list)
    messages: dict[str, list[Json]] = {}
    for asked, plain in agents_questions(given.data / "sessions.jsonl.gz"):
        sessions[asked.session].append(asked)
        messages[asked.session] = plain
    tallies: dict[str, Live] = defaultdict(Live)
    for name, questions in sessions.items():
        ask_live(questions, messages[name], given.window, tallies)
    for name in sorted(tallies):
        print(tallies[name].line(name))
    return 0
