"""Hold background drafts against what the agent used while they were made.

Real sessions are replayed with a writer that answers late: a draft begins under soft pressure,
and lands after so many more messages. For each landing, what the agent used is looked for in
what the new view shows of the time before the draft began: once for uses while the draft was
made, once for uses in the messages after it landed.

    names     paths, identifiers, hashes in the decoded arguments of calls that were said before;
              seen if a line of the view holds one and says more than a list of names
    edits     the old text of an edit that was said before in one piece; seen if it stands there
              in one piece, before or after the edit
    requests  what a person typed last before the draft began; seen word for word

The measures are written anew here, so that they do not share a mistake with what they measure.

    python bench/drafts.py [DATA] [--window 32000] [--sessions 20] [--late 12]
"""

from __future__ import annotations

import argparse
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

import steno
from fit_worth import as_openai, load, plain_lines
from plain import data_folder
from steno.core.view import View
from steno.facts.people import person_words
from steno.session import compaction
from steno.session.journal import Journal
from steno.session.landing import restore_in_commit

Json = dict[str, Any]
SHARE = 0.05
"""Share of the goal for what is put back: that of the default policy."""
AFTER = 30
"""Messages after a landing whose uses are counted."""
_NAME = re.compile(
    r"https?://[^\s\"'<>)\]}]+|[A-Za-z0-9_.\-]*(?:/[A-Za-z0-9_.\-]+)+"
    r"|[A-Za-z_][A-Za-z0-9_]*(?:[._\-:][A-Za-z0-9_]+)+|[A-Za-z]+[A-Z][A-Za-z0-9]+"
    r"|[A-Za-z]*\d[A-Za-z0-9]{5,}|\b\d{4,}\b"
)


class LateWriter:
    """A writer that answers when it is told to, with nothing to add."""

    name = "late"

    def __init__(self) -> None:
        self.asked, self.let = threading.Event(), threading.Event()

    def answer(self, ask: steno.models.Ask) -> steno.models.Reply:
        self.asked.set()
        self.let.wait(60)
        return steno.models.Answer('{"sections": {}}', self.name)


def strings(value: object) -> Iterator[str]:
    """Yield the texts in a decoded value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def call_texts(said: str) -> Iterator[str]:
    """Yield the texts in a call's arguments, decoded."""
    try:
        yield from strings(msgspec.json.decode(said))
    except msgspec.DecodeError:
        yield said


def arguments(message: Json) -> Iterator[Any]:
    for call in message.get("tool_calls") or []:
        said = call["function"]["arguments"]
        try:
            yield msgspec.json.decode(said)
        except msgspec.DecodeError:
            yield said


def words(message: Json) -> str:
    texts = [message.get("content") or "", *strings(list(arguments(message)))]
    return "\n".join(plain_lines("\n".join(texts)))


def names(text: str) -> set[str]:
    found = {name.strip(".:-") for name in _NAME.findall(text)}
    return {name for name in found if len(name) >= 6}


def tells(line: str) -> bool:
    """Tell whether a line says something: not a bare list of names."""
    parts = [part.strip(" -*•[]0123456789–") for part in line.split(",")]
    return not (len(parts) >= 3 and sum(" " not in part for part in parts) > 0.8 * len(parts))


def edits(message: Json) -> Iterator[tuple[str, str]]:
    """Yield old and new text of the edits in a message."""
    for given in arguments(message):
        if not isinstance(given, dict):
            continue
        listed = given.get("edits")
        for edit in [given, *(listed if isinstance(listed, list) else [])]:
            if isinstance(edit, dict) and isinstance(edit.get("old_string"), str):
                old, new = edit["old_string"], str(edit.get("new_string") or "")
                yield "\n".join(plain_lines(old)), "\n".join(plain_lines(new))


class Past:
    """What a view shows of the time before a draft began."""

    def __init__(self, view: View, at: int) -> None:
        texts: list[str] = []
        for item in view.items:
            if item.span.start < at:
                for message in item.shows:
                    texts.append(message.text)
                    texts += [result.text for result in message.results]
                    texts += [text for call in message.calls for text in call_texts(call.arguments)]
        self.lines = plain_lines("\n".join(texts))
        self.text = "\n".join(self.lines)
        self.telling = "\n".join(line for line in self.lines if tells(line))


def count_uses(
    past: Past, before: str, used: Sequence[Json], results: str, counts: Counter[str]
) -> None:
    """Add what these messages used of what was said before, and what of it is seen.

    A name also counts as seen if a result says it that came while the draft was made.
    """
    known = names(before)
    for message in used:
        said = "\n".join(strings(list(arguments(message))))
        for name in names(said) & known:
            counts["names"] += 1
            counts["names seen"] += name in past.telling or name in results
        for old, new in edits(message):
            if len(old) >= 20 and old in before:
                counts["edits"] += 1
                counts["edits seen"] += old in past.text or (len(new) >= 20 and new in past.text)


class Drawn:
    """Keeps each draft as it was before what was used since was put back."""

    def __init__(self) -> None:
        self.view: View | None = None

    def restore(self, journal: Journal, commit: steno.Commit, share: float) -> steno.Commit:
        self.view = journal.view.with_edits(commit.edits)
        return restore_in_commit(journal, commit, share)


def replay(messages: list[Json], window: int, late: int, share: float) -> dict[str, Counter[str]]:
    """Replay a session with a late writer; count uses in each draft as drawn and as landed."""
    drawn = Drawn()
    compaction.restore_in_commit = drawn.restore
    counts = {"as drawn": Counter[str](), "as landed": Counter[str]()}
    writer = LateWriter()
    policy = steno.Policy(repairs=share, moment="now", wait=0.0)
    session = steno.Session(wire="openai", window=window, writer=writer, policy=policy)
    position = 0
    while position < len(messages):
        session.add(messages[position])
        position += 1
        draft = session._parts.compactor.background_draft
        session.messages()
        begun = session._parts.compactor.background_draft
        if begun is None or begun is draft or begun.done:
            continue
        while not writer.asked.wait(0.01) and not begun.done:
            pass
        meanwhile = messages[position : position + late]
        session.add(*meanwhile)
        position += len(meanwhile)
        drawn.view = None
        writer.let.set()
        commit = begun.wait(60)
        writer.asked.clear()
        writer.let.clear()
        if commit is None or drawn.view is None:
            continue
        before = "\n".join(words(message) for message in messages[: commit.at])
        since = messages[commit.at : commit.landed]
        results = "\n".join(words(message) for message in since if message["role"] == "tool")
        for view, found in zip((drawn.view, session.view), counts.values(), strict=True):
            past = Past(view, commit.at)
            found["drafts"] += 1
            found["tokens"] += sum(
                item.tokens for item in view.items if item.span.start < commit.at
            )
            count_uses(past, before, since, results, found)
            later: Counter[str] = Counter()
            after = messages[commit.landed : commit.landed + AFTER]
            count_uses(past, before, after, results, later)
            found.update({f"later {key}": number for key, number in later.items()})
            count_requests(session, past, commit.at, found)
    return counts


def count_requests(session: steno.Session, past: Past, at: int, counts: Counter[str]) -> None:
    for message in reversed(session.log.messages[:at]):
        typed = person_words(message)
        if typed:
            counts["requests"] += 1
            counts["requests seen"] += "\n".join(plain_lines(typed)) in past.text
            return


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?")
    parser.add_argument("--window", type=int, default=32_000)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--late", type=int, default=12, help="messages until the writer answers")
    parser.add_argument("--share", type=float, default=SHARE, help="of the goal, for repairs")
    asked = parser.parse_args()
    file = data_folder(asked.data) / "sessions.jsonl.gz"
    chosen: list[list[Json]] = []
    for raw in load(str(file)):
        messages = [as_openai(message) for message in raw]
        if sum(len(words(message)) for message in messages) // 4 >= 2 * asked.window:
            chosen.append(messages)
    chosen = list(islice(chosen[:: max(1, len(chosen) // asked.sessions)], asked.sessions))
    print(f"{len(chosen)} sessions, window {asked.window:,}, {asked.late} messages late")
    totals = {"as drawn": Counter[str](), "as landed": Counter[str]()}
    for messages in chosen:
        for title, counts in replay(messages, asked.window, asked.late, asked.share).items():
            totals[title].update(counts)
    for title, total in totals.items():
        print_totals(title, total)
    return 0


def print_totals(title: str, total: Counter[str]) -> None:
    kinds = ("names", "edits", "requests", "later names", "later edits")
    shares = [
        f"{kind} {total[f'{kind} seen'] / max(1, total[kind]):.3f} of {total[kind]}"
        for kind in kinds
    ]
    size = total["tokens"] / max(1, total["drafts"])
    print(f"{title}: {total['drafts']} drafts of {size:,.0f} tokens · {' · '.join(shares)}")


if __name__ == "__main__":
    raise SystemExit(main())
