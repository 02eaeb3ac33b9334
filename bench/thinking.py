"""Look for words of thinking in everything that Steno says about real sessions.

    python bench/thinking.py [DATA] [--every 1] [--window 24000]

Nothing is planted. Sessions without thinking are passed over. For each block of thinking we take
the words that stand nowhere else in its session. The session is compacted as it grows, and none of
these words may stand in a message of Steno's, in an event, in a commit, in a fact, in a page of
recalled messages, in the index, in the HTML page of a replay or in a file that `steno export`
writes, blocks of thinking apart.
A reply that is still shown keeps its own thinking, as its provider demands. Words that Steno says
of the same session without thinking are its own.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import steno
from ground import tell, verdict, wide
from plain import Row, anthropic, conversations, data_folder
from steno.cli.export import export
from steno.cli.replay import replay as replay_command
from steno.core.message import Thinking
from steno.facts.ledger import facts_of
from steno.session.agent_tools.pages import words_of
from steno.summary.wording import ENGLISH

FILES = ("sessions", "sessions_codex", "compacted")
WORD = re.compile(r"[a-z_][a-z0-9_]{4,}")
OWN_WORDS = frozenset(
    ("trace", "summary", "steno", "reaches", *WORD.findall(" ".join(ENGLISH.values()).lower()))
)
"""Of the marks, headings and findings of Steno; which are needed differs from view to view."""
CHUNK = 40
"""Messages that are added between two requests."""
ASKED_MOST = 60
"""Words of a session that the index is asked for."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?")
    parser.add_argument("--every", type=int, default=1, help="take each so many sessions")
    parser.add_argument("--window", type=int, default=24_000)
    told = parser.parse_args()
    folder = data_folder(told.data)
    console = wide()
    tell(console, folder.name)
    found: Counter[str] = Counter()
    sessions = words = commits = 0
    for name in FILES:
        for number, talk in enumerate(conversations(folder / f"{name}.jsonl.gz")):
            if number % told.every or not any(row.get("thinking") for row in talk.rows):
                continue
            with TemporaryDirectory() as scratch:
                store = Path(scratch) / "agent.db"
                session, said = replay(talk.rows, told.window, store)
                bare = Path(scratch) / "bare.db"
                secret = distinctive_words(session) - scaffold_words(talk.rows, told.window, bare)
                sessions += 1
                words += len(secret)
                commits += len(session.log.commits)
                for kind, word in sorted(set(leaks(session, secret, said, store))):
                    found[kind] += 1
                    console.print(f"  {kind}: {name} {number}: {word}", highlight=False)
                session.close()
    console.print(
        f"{sessions} sessions, {commits} commits, {words} words that only thinking holds; "
        f"found in what Steno says: {found.total()} {dict(found) or ''}"
    )
    return verdict(console, [f"{found.total()} words of thinking"] if found.total() else [])


def leaks(
    session: steno.Session, secret: frozenset[str], said: Sequence[tuple[str, str]], store: Path
) -> Iterator[tuple[str, str]]:
    """Yield each word of thinking that Steno says, and where."""
    files = (("file", line) for line in exported(store))
    for kind, text in (*said, *said_about(session), *files, ("html", replay_page(store))):
        for word in secret.intersection(WORD.findall(text.lower())):
            yield kind, word
    for word in sorted(secret)[:ASKED_MOST]:
        # Other forms of a word are found too; the word itself must not be.
        for hit in session.recall(word, mode="words").hits:
            if word in WORD.findall(hit.snippet.lower()):
                yield "index", word


def replay(
    rows: Sequence[Row], window: int, store: Path
) -> tuple[steno.Session, list[tuple[str, str]]]:
    """Let a session grow and compact; return it, and what was said on the way."""
    given = anthropic(rows)
    events: list[Any] = []
    session = steno.Session(store, wire="anthropic", window=window, on_event=events.append)
    said: list[tuple[str, str]] = []
    for start in range(0, len(given.messages), CHUNK):
        session.add(*given.messages[start : start + CHUNK])
        session.request()
        said += (("view", text) for text in our_words(session))
    session.compact()
    said += (("view", text) for text in our_words(session))
    said += (("event", repr(event)) for event in events)
    return session, said


def exported(store: Path) -> Iterator[str]:
    """Yield the lines of all forms of `steno export`, without blocks of thinking."""
    out = store.with_suffix(".jsonl")
    for view, with_commits in ((False, False), (True, False), (False, True)):
        with redirect_stdout(StringIO()):
            export(str(store), None, str(out), True, view, with_commits, True)
        for line in out.read_text(encoding="utf-8").splitlines():
            yield json.dumps(without_thinking(json.loads(line)), ensure_ascii=False)


def replay_page(store: Path) -> str:
    """Return the page of `steno replay` of a stored session."""
    out = store.with_suffix(".html")
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        replay_command([str(store)], policy="default", html=str(out), jobs=1)
    return out.read_text(encoding="utf-8")


def without_thinking(value: Any) -> Any:
    if isinstance(value, list):
        return [without_thinking(each) for each in value if not is_thinking(each)]
    if isinstance(value, dict):
        return {name: without_thinking(each) for name, each in value.items()}
    return value


def is_thinking(value: Any) -> bool:
    return isinstance(value, dict) and "thinking" in str(value.get("type"))


def our_words(session: steno.Session) -> Iterator[str]:
    """Yield the texts of a view that are Steno's, also those in place of a block."""
    for commit in session.log.commits:
        for edit in commit.edits:
            yield from (message.text for message in edit.shows)
    for message in session.view.visible_messages:
        # Without its thinking: a summary of Steno's, or a message as it was shortened.
        yield words_of(message)


def said_about(session: steno.Session) -> Iterator[tuple[str, str]]:
    for commit in session.log.commits:
        yield "export", repr(commit)
    for message in session.log.messages:
        yield "page", words_of(message)
        for fact in facts_of(message):
            yield "fact", f"{fact.words} {fact.key} {fact.note}"


def distinctive_words(session: steno.Session) -> frozenset[str]:
    """Return the words of thinking that no other block of a session holds, not even as a part."""
    thought: set[str] = set()
    others: list[str] = []
    for message in session.log.messages:
        for block in message.blocks:
            if isinstance(block, Thinking):
                thought.update(WORD.findall(block.text.lower()))
        others.append(words_of(message).lower())
    # A snippet may begin or end within a word.
    other = " ".join(others)
    return frozenset(word for word in thought - OWN_WORDS if word not in other)


def scaffold_words(rows: Sequence[Row], window: int, store: Path) -> set[str]:
    """Return the words that Steno says of the same session without any thinking."""
    bare = [{key: value for key, value in row.items() if key != "thinking"} for row in rows]
    session, outputs = replay(bare, window, store)
    said = [text for _, text in (*outputs, *said_about(session))]
    session.close()
    said += (*exported(store), replay_page(store))
    return {word for text in said for word in WORD.findall(text.lower())}


if __name__ == "__main__":
    sys.exit(main())
