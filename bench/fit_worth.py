"""Fit the weights by which pieces of files and results are rated (`steno.summary.worth`).

Each session is cut every few thousand tokens. At a cut the candidates are what Steno would
choose from; a candidate counts as wanted if, within the next window, edits' old
texts stand in it, results repeat three of its lines, or calls use names that it holds. Half of
the sessions choose the weights, the other half score them; then the halves change places.

    python bench/fit_worth.py DATA/sessions.jsonl.gz [more.jsonl.gz …] [--window 32000]
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

import steno
from steno.core.message import Message
from steno.facts.changes import text_changes
from steno.facts.ledger import Ledger
from steno.lab.recorded import agent_of
from steno.summary.candidates import RESULT_CHARACTERS, PieceCandidates
from steno.summary.story import fold_story
from steno.summary.worth import FEATURES, WEIGHTS

Json = dict[str, Any]
_NUMBERED = re.compile(r"^\s*\d+(?:→|\t)")
WANTED_LINES = 0.15
"""Uses for each line of a piece from which on it counts as wanted."""
AHEAD = 1.0
"""Windows after a cut in which uses count."""
LINE_CHARACTERS = 40
"""Characters that count as a line: room is counted in those."""
LINES_LEAST = 5
"""Lines that any piece counts as: one use does not make a single line wanted."""
_NAME = re.compile(r"[A-Za-z_][\w./-]{4,}[A-Za-z0-9_]")
_MARKED = re.compile(r"[_./-]|\d|[a-z][A-Z]")
"""What tells a name in code from a word: two parts, a digit or an inner capital."""


def plain_lines(text: str) -> list[str]:
    return [line for line in (_NUMBERED.sub("", row).strip() for row in text.split("\n")) if line]


def names_in(text: str) -> set[str]:
    return {name for name in _NAME.findall(text) if _MARKED.search(name)}


def load(path: str) -> Iterator[list[Json]]:
    with gzip.open(path, "rt") as file:
        for row in file:
            yield [each for each in json.loads(row)["messages"] if each["role"] != "meta"]


def tokens_of(conversation: list[Json]) -> int:
    """Return about how many tokens a conversation has."""
    characters = 0
    for message in conversation:
        characters += len(message.get("content") or "") + len(message.get("thinking") or "")
        for call in message.get("tool_calls") or []:
            characters += sum(map(len, values_of(call["arguments"])))
    return characters // 4


def as_openai(message: Json) -> Json:
    role = "system" if message["role"] == "developer" else message["role"]
    said: Json = {"role": role, "content": message.get("content") or ""}
    calls = message.get("tool_calls") or []
    if calls:
        said["tool_calls"] = [
            {
                "id": call.get("id") or f"call-{number}",
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"] or "{}"},
            }
            for number, call in enumerate(calls)
        ]
    if role == "tool":
        said["tool_call_id"] = message.get("tool_call_id") or "call-0"
    return said


def rows_of(conversation: list[Json], window: int) -> Iterator[tuple[tuple[float, ...], bool]]:
    """Yield the features of every candidate at every cut, and whether it was wanted later."""
    session = steno.Session(wire="openai", window=10_000_000, meter=steno.chars_per_four())
    session.add(*map(as_openai, conversation))
    messages = session.view.messages
    sizes = [sum(weights) for weights in session.view.weights]
    done, due = 0, window // 2
    for stop in range(len(messages)):
        done += sizes[stop]
        if done < due:
            continue
        due = done + window // 3
        tail, first = 0, stop
        while first > 0 and tail < window * 0.15:
            first -= 1
            tail += sizes[first]
        seen = messages.upto(stop)
        found = PieceCandidates(Ledger.of(seen), seen.fold(fold_story), seen, first, len)
        candidates = [(features.vector(), piece.text) for piece, features in found.rated_files()]
        candidates += [
            (features.vector(), found.result_text(position, answer)[:RESULT_CHARACTERS])
            for position, answer, _, features in found.rated_results()
        ]
        yield from _labelled(candidates, messages, sizes, stop, window)


def _labelled(
    candidates: list[tuple[tuple[float, ...], str]],
    messages: Any,
    sizes: list[int],
    stop: int,
    window: int,
) -> Iterator[tuple[tuple[float, ...], bool]]:
    lines = [plain_lines(text) for _, text in candidates]
    texts = ["\n".join(each) for each in lines]
    runs: dict[tuple[str, ...], int] = {}
    for number, each in enumerate(lines):
        for at in range(len(each) - 2):
            runs.setdefault(tuple(each[at : at + 3]), number)
    uses = [0.0] * len(candidates)
    names = [names_in(text) for text in texts]
    wanted: set[str] = set()
    ahead = 0
    for at in range(stop, len(messages)):
        ahead += sizes[at]
        if ahead > window * AHEAD:
            break
        for number in _used_by(messages[at], texts, runs):
            uses[number] += 1
        for call in messages[at].calls:
            wanted |= names_in("\n".join(values_of(call.arguments)))
    for number, (vector, text) in enumerate(candidates):
        used = uses[number] + len(names[number] & wanted)
        yield vector, used / max(LINES_LEAST, len(text) / LINE_CHARACTERS) > WANTED_LINES


def values_of(arguments: str) -> Iterator[str]:
    """Yield the strings of a call's arguments, decoded; the text where it is no JSON."""
    try:
        left = [json.loads(arguments or "{}")]
    except ValueError:
        left = [arguments]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            left += value.values()
        elif isinstance(value, list):
            left += value


def _used_by(message: Message, texts: list[str], runs: dict[tuple[str, ...], int]) -> Iterator[int]:
    for call in message.calls:
        for change in text_changes(call):
            old = "\n".join(plain_lines(change.old or ""))
            if len(old) < 20:
                continue
            for number, text in enumerate(texts):
                if old in text:
                    yield from [number] * (4 + old.count("\n"))
                    break
    for result in message.results:
        each = plain_lines(result.text)
        for at in range(len(each) - 2):
            number = runs.get(tuple(each[at : at + 3]))
            if number is not None:
                yield number


def fit(x: Any, y: Any, steps: int = 800, penalty: float = 1e-3) -> Any:
    """Return the weights of a logistic regression, by gradient descent."""
    weights = np.zeros(x.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-(x @ weights)))
        weights -= 0.5 * (x.T @ (chance - y) / len(y) + penalty * weights)
    return weights


def ranked_well(scores: Any, y: Any) -> float:
    """Return how often a wanted candidate is rated above an unwanted one (AUC)."""
    order = np.argsort(scores)
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(len(scores))
    wanted = y.sum()
    if not wanted or wanted == len(y):
        return float("nan")
    return float((ranks[y == 1].sum() - wanted * (wanted - 1) / 2) / (wanted * (len(y) - wanted)))


def by_agent(scores: Any, y: Any, of: Any, agents: list[str]) -> str:
    """Return the mean AUC of the sessions of each agent."""
    found: dict[str, list[float]] = {}
    for number in np.unique(of):
        own = of == number
        found.setdefault(agents[number], []).append(ranked_well(scores[own], y[own]))
    return ", ".join(
        f"by session {np.nanmean(rates):.3f} ({agent}, {len(rates)})"
        for agent, rates in sorted(found.items())
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("data", nargs="+")
    parser.add_argument("--window", type=int, default=32_000)
    given = parser.parse_args()
    vectors: list[tuple[float, ...]] = []
    wanted: list[bool] = []
    sessions: list[int] = []
    agents: list[str] = []
    number = 0
    for path in given.data:
        for conversation in load(path):
            if tokens_of(conversation) < given.window * 2:
                continue  # nothing in it is used again after a compaction
            for vector, used in rows_of(conversation, given.window):
                vectors.append(vector)
                wanted.append(used)
                sessions.append(number)
            calls = Counter(
                call["name"] for each in conversation for call in each.get("tool_calls") or []
            )
            agents.append(agent_of(calls))
            number += 1
    x, y, of = np.array(vectors), np.array(wanted, dtype=float), np.array(sessions)
    print(f"{number} sessions, {len(y):,} candidates, {y.mean():.3f} wanted")
    for half in (0, 1):
        chosen = of % 2 == half
        weights = fit(x[chosen], y[chosen])
        print(
            f"fitted on half {half}: AUC {ranked_well(x[chosen] @ weights, y[chosen]):.3f} there, "
            f"{ranked_well(x[~chosen] @ weights, y[~chosen]):.3f} on the other half, there "
            f"{by_agent(x[~chosen] @ weights, y[~chosen], of[~chosen], agents)}; "
            f"weights {dict(zip(FEATURES, np.round(weights, 2), strict=True))}"
        )
    now = np.array(WEIGHTS)
    print(f"the weights in use: AUC {ranked_well(x @ now, y):.3f}")
    print("fitted on all:", tuple(float(each) for each in np.round(fit(x, y), 2)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
