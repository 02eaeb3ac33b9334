"""What is true of searching: whatever was said is found again where it was said, in this log and
no other.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from steno import Session
from steno.recall.chunks import searchable_text
from steno.recall.terms import valid_text
from steno.store.memory import MemoryStore
from tests.support.conversations import conversations
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.provider_json import Written

pytestmark = pytest.mark.slow

LENGTH = 80
EVERY = 1_000

WIRES = ("openai", "anthropic")


def said(session: Session) -> list[tuple[int, str]]:
    """Positions, and what can be found at each."""
    return [
        (at, valid_text(searchable_text(block)))
        for at, message in enumerate(session.log.messages)
        for block in message.blocks
        if message.role != "absent"
    ]


def quote(text: str, at: float) -> str:
    start = int(at * max(0, len(text) - LENGTH))
    return text[start : start + LENGTH].strip()


@st.composite
def talks(draw: Any) -> tuple[str, Written]:
    wire = draw(st.sampled_from(WIRES))
    return wire, draw(conversations(wire, broken=True))


@proves("recall.law")
@hit_rate(at_least=0.9, of="there were words to look for")
@given(talks(), st.floats(0, 1), st.floats(0, 0.999))
def test_any_words_that_were_said_are_found_where_they_were_said(
    talk: tuple[str, Written], within: float, which: float
) -> None:
    wire, written = talk
    with Session(wire=wire, window=1_000_000) as session:
        session.add(*written)
        texts = [(at, wanted) for at, text in said(session) if (wanted := quote(text, within))]
        hit(texts)
        if not texts:
            return
        position, wanted = texts[int(which * len(texts))]

        found = session.recall(wanted, mode="exact", most=EVERY, seconds=60)

        assert position in {each.position for each in found.hits}
        assert all(each.position < len(session.log.messages) for each in found.hits)
        folded = wanted.lower() if wanted == wanted.lower() else wanted
        holds = {
            at
            for at, text in said(session)
            if folded in (text.lower() if folded == wanted.lower() else text)
        }
        assert {each.position for each in found.hits} <= holds | {position}


@proves("recall.users")
@hit_rate(at_least=0.9, of="both had words to look for")
@given(talks(), talks(), st.integers(0, 1_000))
def test_no_search_shows_another_users_session(
    first: tuple[str, Written], second: tuple[str, Written], which: int
) -> None:
    store = MemoryStore()
    owners = {"ann": first, "bob": second}
    sessions = {}
    for user, (wire, written) in owners.items():
        sessions[user] = Session(
            store=store, wire=wire, window=1_000_000, name=f"of {user}", user=user
        )
        sessions[user].add(*written)
    texts = [text for session in sessions.values() for _, text in said(session) if text.strip()]
    hit(texts)
    for user, session in sessions.items():
        for query in texts[which % max(1, len(texts)) :][:3]:
            found = session.recall(
                query[:LENGTH] if query[:LENGTH].strip() else "word", where="user", seconds=60
            )
            assert {each.session for each in found.hits} <= {f"of {user}"}
        session.close()
    store.close()
