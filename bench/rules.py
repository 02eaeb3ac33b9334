"""Score how rules are found, released, corrected and kept beside their exceptions.

    python bench/rules.py [FILE] [--show]

The labelled conversations are in `labels/rules_dev.jsonl` unless a file is named;
`labels/README.md` says what the labels mean. Each conversation is typed into a `Session`. After
every message we read which statements the session holds in force, then we add more turns, compact,
and read the request. A set that is held out is scored once, without `--show`.

A change is handled if the old rule is gone, or if the new words are told right after it as what
changed it. `changes applied` counts only those where the old rule is gone.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steno import Session
from steno.facts.ledger import Ledger

LABELS = Path(__file__).resolve().parent / "labels"
LANGUAGES = ("en", "de", "fr", "es", "zh")
WINDOW = 4_000
FILLER_TURNS = 60
"""Enough of them that short typed messages do not stay in the view by themselves."""
SMALL_TALK = ("Hello, shall we begin?", "Good morning to you too.")
SURPLUS_MOST = 200
"""Characters that a rule may hold beside the labelled words; else it is a passage, not a rule."""
BINDING = ("rule", "correction", "exception")
TARGETS = {"rule precision": 0.95, "rule recall": 0.93, "changes handled": 0.95}

Item = dict[str, Any]


@dataclass(frozen=True)
class Standing:
    """Words that a session holds in force, and the position of the message that said them."""

    at: int
    words: str
    beside: tuple[int, str] = (-1, "")
    """The rule that it is told with, as what excepts or corrects it."""


@dataclass(frozen=True)
class Statement:
    """A labelled statement of a conversation."""

    message: int
    words: str
    label: str
    of: tuple[int, ...] = ()
    """The statements that a release, correction or exception is about."""
    once: bool = False
    beside: bool = False
    """A correction that says nothing without what it corrects."""


@dataclass(frozen=True)
class Replay:
    """What a session held in force after each message, and what the model read at the end."""

    texts: tuple[str, ...]
    positions: tuple[int, ...]
    states: tuple[tuple[Standing, ...], ...]
    request: str


@dataclass(frozen=True)
class Outcome:
    measure: str
    right: bool
    why: str = ""


def in_force(session: Session) -> tuple[Standing, ...]:
    """Return what a session holds in force, oldest first.

    Exceptions and corrections that stand beside a rule are statements of their own here. A wording
    that is only told as history is not in force.
    """
    found: list[Standing] = []
    for rule in Ledger.of(session.log.messages).rulebook.told:
        words = flat(rule.fact.words)
        older = Standing.beside
        if rule.after is not None:
            older = rule.after[0], flat(rule.after[1].words)
        found.append(Standing(rule.at, words, older))
        found += (Standing(at, flat(fact.words), (rule.at, words)) for at, fact in rule.beside)
    return tuple(found)


def flat(text: str) -> str:
    return " ".join(text.split())


def replay(item: Item) -> Replay:
    """Type a conversation into a session, then go on, compact, and read the request."""
    session = Session(wire="openai", window=WINDOW)
    positions: list[int] = []
    states: list[tuple[Standing, ...]] = []
    # Small talk first: the first message of a session is never covered, and a fold of several
    # messages shows the words of its first.
    for typed in SMALL_TALK:
        add_turn(session, typed, "Yes, I am ready.")
    for message in item["messages"]:
        positions.append(len(session.log.messages))
        add_turn(session, message["text"], "Understood.")
        states.append(in_force(session))
    for number in range(FILLER_TURNS):
        asked = f"Look at part {number} of the report. " + f"It is about store {number}. " * 10
        add_turn(session, asked, f"Part {number} lists widgets. " * 20)
    if session.compact() is None:
        raise RuntimeError(f"{item['id']}: nothing was compacted, so the view shows nothing")
    request = flat(" ".join(visible_texts(session.request()["messages"])))
    texts = tuple(flat(message["text"]) for message in item["messages"])
    return Replay(texts, tuple(positions), tuple(states), request)


def add_turn(session: Session, typed: str, answered: str) -> None:
    session.add({"role": "user", "content": typed}, {"role": "assistant", "content": answered})


def visible_texts(messages: Sequence[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        content = message["content"]
        if isinstance(content, str):
            yield content
            continue
        for part in content:
            yield part.get("text", "")


def statements_of(item: Item) -> list[Statement]:
    found: list[Statement] = []
    for number, message in enumerate(item["messages"]):
        for state in message["states"]:
            found.append(
                Statement(
                    number,
                    flat(state["words"]),
                    state["label"],
                    tuple(state.get("of", ())),
                    state.get("once", False),
                    state.get("beside", False),
                )
            )
    return found


def place_of(words: str, text: str) -> range:
    """Return where words stand in a text; nowhere is an empty range."""
    start = text.find(words)
    if start < 0:
        return range(0)
    return range(start, start + len(words))


def is_covered(statement: Statement, played: Replay, state: Sequence[Standing]) -> bool:
    """Tell whether every word of a statement is in force, in one piece or in several."""
    text = played.texts[statement.message]
    wanted = {at for at in place_of(statement.words, text) if text[at].isalnum()}
    for standing in state:
        if standing.at == played.positions[statement.message]:
            wanted.difference_update(place_of(standing.words, text))
    return not wanted


def is_touched(statement: Statement, played: Replay, state: Sequence[Standing]) -> bool:
    return any(overlap(statement, standing, played) for standing in state)


def overlap(statement: Statement, standing: Standing, played: Replay) -> int:
    """Return how many characters a statement and what stands in force share."""
    if standing.at != played.positions[statement.message]:
        return 0
    text = played.texts[statement.message]
    labelled = place_of(statement.words, text)
    return len(set(labelled).intersection(place_of(standing.words, text)))


def score(item: Item, played: Replay) -> Iterator[Outcome]:
    """Yield every outcome of one conversation."""
    statements = statements_of(item)
    yield from score_precision(statements, played)
    for number in range(len(played.texts)):
        before: tuple[Standing, ...] = ()
        if number:
            before = played.states[number - 1]
        after = played.states[number]
        said = [each for each in statements if each.message == number]
        meant = {target for each in said for target in each.of}
        held = {
            at: each
            for at, each in enumerate(statements)
            if is_in_force(each, number, before, played)
        }
        lost = [at for at, each in held.items() if not is_covered(each, played, after)]
        strayed = [statements[at].words for at in lost if at not in meant]
        if before:
            yield Outcome("other rules kept", not strayed, "; ".join(strayed))
        if not said:
            taken = [each.words for each in after if each.at == played.positions[number]]
            yield Outcome("no rule, none read", not taken)
        for each in said:
            targets = [statements[at] for at in each.of]
            yield from score_statement(each, targets, played, before, after, not strayed)
    # Word for word in what the model reads, whatever the session calls a rule.
    for words in item["in_force"]:
        yield Outcome("visible after compaction", flat(words) in played.request, words)


def is_in_force(
    statement: Statement, number: int, state: Sequence[Standing], played: Replay
) -> bool:
    if statement.message >= number or statement.label not in BINDING:
        return False
    return is_covered(statement, played, state)


def score_precision(statements: Sequence[Statement], played: Replay) -> Iterator[Outcome]:
    """Judge each statement that was ever in force once: is it a rule, and not much more?"""
    for standing in dict.fromkeys(each for state in played.states for each in state):
        shared = {each: overlap(each, standing, played) for each in statements}
        labels = {each.label for each, common in shared.items() if common}
        if "release" in labels and standing.beside != Standing.beside:
            # Told with the rule that it lifts: no rule, and not called one.
            continue
        surplus = len(standing.words) - sum(shared.values())
        if "rule" in labels and surplus <= SURPLUS_MOST:
            yield Outcome("rule precision", True)
        # Corrections and exceptions have measures of their own.
        elif not labels.intersection(BINDING) or surplus > SURPLUS_MOST:
            yield Outcome("rule precision", False, standing.words)


def score_statement(
    said: Statement,
    targets: Sequence[Statement],
    played: Replay,
    before: Sequence[Standing],
    after: Sequence[Standing],
    others_kept: bool,
) -> Iterator[Outcome]:
    """Yield what became of one statement and of the rules that it is about."""
    stands = is_covered(said, played, after)
    if said.label == "rule":
        yield Outcome("rule recall", stands, said.words)
        return
    known = all(is_covered(each, played, before) for each in targets)
    kept = all(is_covered(each, played, after) for each in targets)
    gone = not any(is_touched(each, played, after) for each in targets)
    why = f"{' + '.join(each.words for each in targets)} → {said.words}"
    if not known:
        why = f"(rule missed before) {why}"
    if said.label == "exception":
        yield Outcome("bans kept", kept or not known, why)
        yield Outcome("exceptions handled", known and kept and (stands or said.once), why)
        return
    linked = kept and all(is_told_with(said, each, played, after) for each in targets)
    if said.label == "release":
        applied = known and gone and others_kept
        right = applied or (known and linked and others_kept)
        yield Outcome("releases handled", right, why)
    else:
        settled = gone
        if said.beside:
            settled = kept
        applied = known and stands and settled and others_kept
        right = applied or (known and stands and linked and others_kept)
        yield Outcome("corrections handled", right, why)
    yield Outcome("changes applied", applied)
    yield Outcome("changes handled", right, why)


def is_told_with(
    change: Statement, rule: Statement, played: Replay, state: Sequence[Standing]
) -> bool:
    """Tell whether a change is told right after its rule, as what changed it."""
    return any(
        overlap(change, standing, played) and overlap(rule, Standing(*standing.beside), played)
        for standing in state
        if standing.beside[0] >= 0
    )


def is_right(outcomes: Sequence[Outcome]) -> bool:
    return all(outcome.right for outcome in outcomes)


def table(rows: dict[str, dict[str, Counter[bool]]]) -> Iterator[str]:
    """Yield one line a measure: all languages, then each."""
    yield f"{'':<26}" + "".join(f"{name:>16}" for name in ("all", *LANGUAGES))
    for measure, by_language in rows.items():
        whole: Counter[bool] = Counter()
        for counts in by_language.values():
            whole.update(counts)
        cells = [whole, *(by_language.get(name, Counter()) for name in LANGUAGES)]
        yield f"{measure:<26}" + "".join(f"{share(counts):>16}" for counts in cells)


def share(counts: Counter[bool]) -> str:
    total = counts.total()
    if not total:
        return "–"
    return f"{counts[True] / total:.3f} {counts[True]}/{total}"


def read_items(path: Path) -> list[Item]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def measure(items: Sequence[Item], *, show: bool = False) -> dict[str, dict[str, Counter[bool]]]:
    """Replay and score conversations; count right and wrong by measure and language."""
    rows: dict[str, dict[str, Counter[bool]]] = {}
    for item in items:
        outcomes = list(score(item, replay(item)))
        outcomes.append(Outcome("conversations all right", is_right(outcomes)))
        for outcome in outcomes:
            by_language = rows.setdefault(outcome.measure, {})
            by_language.setdefault(item["lang"], Counter())[outcome.right] += 1
            if show and not outcome.right and outcome.why:
                print(f"  {outcome.measure}: {item['id']} ({item['group']}) {outcome.why}")
    return dict(sorted(rows.items()))


def missed_targets(rows: dict[str, dict[str, Counter[bool]]]) -> Iterator[str]:
    for name, wanted in TARGETS.items():
        counts: Counter[bool] = sum(rows[name].values(), Counter())
        if counts[True] < wanted * counts.total():
            yield f"{name} {share(counts)}, wanted {wanted}"
    lifted = sum(counts[False] for counts in rows.get("bans kept", {}).values())
    if lifted:
        yield f"bans lifted by a narrower permission: {lifted}, wanted 0"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, default=LABELS / "rules_dev.jsonl")
    parser.add_argument("--show", action="store_true", help="print what failed")
    told = parser.parse_args()
    items = read_items(told.file)
    print(f"bench/rules.py; {told.file.name}, {len(items)} conversations")
    print(f"Python {platform.python_version()}, {platform.machine()}")
    rows = measure(items, show=told.show)
    for line in table(rows):
        print(line)
    missed = list(missed_targets(rows))
    for target in missed:
        print(f"missed: {target}")
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main())
