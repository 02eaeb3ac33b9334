"""Score whether people's constraints, and what changed them, are still read after a compaction.

    python -m bench constraints [FILE ...] [--busy] [--show] [--real DATA]

Each labelled conversation is typed into a session with a window of 4,000 tokens and goes on for
sixty turns, of idle talk or (`--busy`) of turns that state something each. Then it is compacted.
Steno lifts nothing, so what counts is what the model can read:

- constraints visible: the labelled words stand in the request, word for word;
- stale constraints: a constraint is visible, and the words that changed it are not;
- changes after constraints: of those that are visible, the ones whose change stands below them;
- constraints pinned: `constraints()` lists them; others are visible while their messages have room;
- pinned and labelled: of what it lists, what is labelled as a constraint or a change.

Targets are for idle talk. `labels/README.md` explains the labels. Show no set that is held out.
`--real` counts in labelled messages of real sessions instead: see `bench/real_constraints.py`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.ground import arguments, tell, wide
from bench.real_constraints import count_in_real_messages
from steno import Session

LABELS = Path(__file__).resolve().parent / "labels"
SETS = ("constraints_held_out", "constraints_chat", "constraints_new")  # scored if no file is named
LANGUAGES = ("en", "de", "fr", "es", "zh")
WINDOW, TURNS = 4_000, 60
IDLE = "Look at part {0} of the report. "
BUSY = "Before we go on, part {0} needs {0} items by Tuesday, not more. "
# Said first: the first message is never covered, and a fold of several shows the first one's words.
SMALL_TALK = ("Hello, shall we begin?", "Good morning to you too.")
STALE = "stale constraints"
MEASURES = (
    "constraints visible",
    STALE,
    "changes after constraints",
    "constraints pinned",
    "pinned and labelled",
)
VISIBLE_LEAST, STALE_MOST = 0.93, 0.0

Item = dict[str, Any]
Outcome = tuple[str, bool, str]  # a measure, whether it is true, the words
Rows = dict[str, dict[str, Counter[bool]]]  # how often a measure is true, by its language


@dataclass(frozen=True)
class Labels:
    """What a conversation must still say at its end."""

    constraints: list[str]
    changes: list[tuple[str, str]]  # a constraint, and the words that changed it
    all: list[str]  # every labelled statement, those for one time included


def labels_of(item: Item) -> Labels:
    if "rules" in item:
        constraints = [flat(words) for words in item["rules"]]
        changes = [(flat(each["of"]), flat(each["by"])) for each in item["changes"]]
        return Labels(constraints, changes, [*constraints, *(by for _, by in changes)])
    said = [state for message in item["messages"] for state in message["states"]]
    words = [flat(state["words"]) for state in said]
    changes = [
        (words[number], words[at])
        for at, state in enumerate(said)
        if not state.get("once")  # a permission for one time need not be kept
        for number in state.get("of", ())
    ]
    return Labels([flat(each) for each in item["in_force"]], changes, words)


def replay(item: Item, busy: bool) -> tuple[str, list[str]]:
    """Return what the model reads at the end, and the sentences that are pinned."""
    session = Session(wire="openai", window=WINDOW)
    for typed in SMALL_TALK:
        add_turn(session, typed, "Yes, I am ready.")
    for message in item["messages"]:
        add_turn(session, message["text"], "Understood.")
    for number in range(TURNS):
        asked = BUSY if busy else IDLE
        about = f"It is about store {number}. " * 10
        add_turn(session, asked.format(number) + about, f"Part {number} lists widgets. " * 20)
    if session.compact() is None:
        raise RuntimeError(f"{item['id']}: nothing was compacted, so the view shows nothing")
    request = flat(" ".join(visible_texts(session.request()["messages"])))
    return request, [flat(constraint.text) for constraint in session.constraints()]


def add_turn(session: Session, typed: str, answered: str) -> None:
    session.add({"role": "user", "content": typed}, {"role": "assistant", "content": answered})


def visible_texts(messages: Sequence[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        content = message["content"]
        parts = [{"text": content}] if isinstance(content, str) else content
        yield from (part.get("text", "") for part in parts)


def flat(text: str) -> str:
    return " ".join(text.split())


def score(item: Item, busy: bool) -> Iterator[Outcome]:
    """Yield every outcome of one conversation."""
    labels = labels_of(item)
    request, pinned = replay(item, busy)
    for constraint in labels.constraints:
        yield "constraints visible", constraint in request, constraint
        yield "constraints pinned", any(shares(constraint, words) for words in pinned), constraint
    for constraint, change in labels.changes:
        # A change may repeat the words of its constraint, and does not stand for it there.
        at = request.replace(change, " " * len(change)).find(constraint)
        last = request.rfind(change)
        if at < 0:
            yield STALE, False, constraint
            continue
        yield STALE, last < 0, f"{constraint} → {change}"
        yield "changes after constraints", last > at, f"{constraint} → {change}"
    for words in pinned:
        known = any(shares(each, words) for each in labels.all)
        yield "pinned and labelled", known, words


def shares(label: str, words: str) -> bool:
    return label in words or words in label


def measure(items: Sequence[Item], *, busy: bool = False, show: bool = False) -> Rows:
    """Replay and score conversations; count outcomes by measure and language."""
    rows: Rows = {name: {} for name in MEASURES}
    for item in items:
        for name, true, words in score(item, busy):
            rows[name].setdefault(item["lang"], Counter())[true] += 1
            if show and true == (name == STALE):
                print(f"  {name}: {item['id']} ({item['group']}) {words}")
    return rows


def table(rows: Rows) -> Iterator[str]:
    """Yield one line a measure: all languages, then each."""
    yield f"{'':<26}" + "".join(f"{name:>16}" for name in ("all", *LANGUAGES))
    for name, by_language in rows.items():
        whole: Counter[bool] = sum(by_language.values(), Counter())
        cells = [whole, *(by_language.get(each, Counter()) for each in LANGUAGES)]
        yield f"{name:<26}" + "".join(f"{share(counts):>16}" for counts in cells)


def rate(by_language: dict[str, Counter[bool]]) -> float:
    counts: Counter[bool] = sum(by_language.values(), Counter())
    return counts[True] / (counts.total() or 1)


def share(counts: Counter[bool]) -> str:
    return f"{rate({'': counts}):.3f} {counts[True]}/{counts.total()}"


def main() -> int:
    parser = arguments(__doc__)
    default = [LABELS / f"{name}.jsonl" for name in SETS]
    parser.add_argument("files", nargs="*", type=Path, default=default)
    parser.add_argument("--busy", action="store_true", help="let later turns state something")
    parser.add_argument("--show", action="store_true", help="print what failed")
    parser.add_argument("--real", type=Path, metavar="DATA", help="a folder of recorded talk")
    told = parser.parse_args()
    if told.real is not None:
        return count_in_real_messages(told.real, show=told.show)
    tell(wide(), ", ".join(file.name for file in told.files))
    missed = []
    for file in told.files:
        items = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        print(f"{file.name}, {len(items)} conversations")
        rows = measure(items, busy=told.busy, show=told.show)
        print(*table(rows), sep="\n")
        if rate(rows["constraints visible"]) < VISIBLE_LEAST or rate(rows[STALE]) > STALE_MOST:
            missed.append(file.name)
    print(f"missed: {', '.join(missed)}" if missed else "every target is met")
    return int(bool(missed) and not told.busy)
