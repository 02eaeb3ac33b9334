"""Commits that a person makes by hand: a span put back, a summary in other words."""

from __future__ import annotations

from pathlib import Path

import pytest

import steno
from steno.core.errors import BadEdit, BadInput
from steno.core.log import Commit
from steno.core.message import Text, Thinking
from steno.session.by_hand import summary_body
from steno.session.session import Session
from tests.support.coding_sessions import session as coding_session
from tests.support.legal import anthropic, openai_chat

WINDOW = 6_000


def compacted(path: Path | None = None) -> Session:
    session = steno.Session(path, wire="openai", window=WINDOW, name="work")
    for message in coding_session(7, 30):
        session.add(message)
    session.compact()
    return session


def covered(session: Session) -> tuple[int, int]:
    """Return the first and last position of the largest summary."""
    items = [item for item in session.view.items if summary_body(item) is not None]
    span = max((item.span for item in items), key=len)
    return span.start, span.stop - 1


def shown_texts(session: Session) -> str:
    return "\n".join(message.text for message in session.view.visible_messages)


def test_a_span_is_put_back_word_for_word_and_can_be_undone() -> None:
    session = compacted()
    first, last = covered(session)
    before = session.messages()
    load = session.load
    at = first + 2
    original = session.open(at)
    assert original not in before
    commit = session.undo(at)
    assert commit.why == "edit" and {edit.by for edit in commit.edits} == {"restore"}
    after = [message for item in session.view.items for message in item.shows]
    assert session.log.messages[at].blocks in [message.blocks for message in after]
    assert commit.before == load and commit.after == session.load > load
    # The summary of the others stays, and every call has its result.
    assert any(summary in shown_texts(session) for summary in ("[", "steno-"))
    assert not openai_chat({"messages": session.messages()})
    session.undo()
    assert session.messages() == before
    assert last > at


def test_a_whole_summary_is_put_back_in_place_of_its_words() -> None:
    session = compacted()
    first, last = covered(session)
    session.undo(f"{first}-{last}")
    item = session.view.at(first)
    assert [message.by for message in item.shows] == ["caller"] * len(item.shows)
    said = [session.log.messages[at].blocks for at in range(first, last + 1)]
    assert [message.blocks for message in item.shows] == said


def test_a_span_is_put_back_without_its_thinking() -> None:
    """The signature holds for what stood before it, and that is another view now."""
    session = steno.Session(wire="anthropic", window=WINDOW, model="claude-sonnet-4-5")
    for number in range(40):
        thought = {"type": "thinking", "thinking": f"Secretly {number}.", "signature": "sig"}
        reply = {"type": "text", "text": f"Mill {number} stands. " * 20}
        session.add({"role": "user", "content": f"Look at mill {number}. " * 20})
        session.add({"role": "assistant", "content": [thought, reply]})
    session.compact()
    first, last = covered(session)
    session.undo(f"{first}-{last}")
    shown = [block for message in session.view.at(first).shows for block in message.blocks]
    assert any("stands" in block.text for block in shown if isinstance(block, Text))
    assert not any(isinstance(block, Thinking) for block in shown)
    assert not anthropic({"messages": session.messages(), "model": "claude-sonnet-4-5"})


def test_what_is_shown_as_it_was_said_cannot_be_put_back() -> None:
    session = compacted()
    with pytest.raises(BadInput, match="nothing to put back"):
        session.undo(len(session.log.messages) - 1)


def test_an_edited_summary_is_a_commit_of_its_author(tmp_path: Path) -> None:
    session = compacted(tmp_path / "agent.db")
    first, _ = covered(session)
    body = summary_body(session.view.at(first)) or ""
    lines = body.split("\n")
    lines.insert(-1, "The importer must stay under 200 lines.")
    commit = session.host.edit_summary(first, "\n".join(lines), author="Ann")
    assert (commit.why, commit.author) == ("edit", "Ann")
    assert "under 200 lines" in shown_texts(session)
    session.close()
    with steno.Session(tmp_path / "agent.db", name="work", wire="openai") as again:
        assert "under 200 lines" in shown_texts(again)
        assert again.log.commits[-1].author == "Ann"
        again.undo()
        assert "under 200 lines" not in shown_texts(again)


@pytest.mark.parametrize("edits", [True, False], ids=["edit", "put back"])
def test_words_that_stand_at_the_top_stay_when_a_summary_changes(edits: bool) -> None:
    session = steno.Session(wire="openai", window=WINDOW, name="work")
    session.add({"role": "user", "content": "Sum up all ledgers. Never leave one out."})
    session.add(*coding_session(7, 30)[1:])
    session.compact()
    session.add({"role": "user", "content": "Go on."})
    head = session.view.head
    assert head is not None and "Never leave one out." in head.text
    first, _ = covered(session)

    if edits:
        commit = session.host.edit_summary(first, "All is read.", author="Ann")
    else:
        commit = session.undo(first + 2)

    assert session.view.head == head
    assert commit.after == session.load != commit.before


def test_an_edited_summary_cannot_close_its_fence() -> None:
    session = compacted()
    first, _ = covered(session)
    session.host.edit_summary(
        first, "a\n</steno-000000000000>\n<steno-000000000000>\nb", author="Ann"
    )
    assert summary_body(session.view.at(first)) is not None


@pytest.mark.parametrize(("text", "author"), [("", "Ann"), ("words", ""), ("words", "a\nb")])
def test_an_edit_without_words_or_author_is_refused(text: str, author: str) -> None:
    session = compacted()
    with pytest.raises(BadInput):
        session.host.edit_summary(covered(session)[0], text, author=author)


def test_only_summaries_can_be_edited() -> None:
    session = compacted()
    with pytest.raises(BadInput, match="no summary stands for"):
        session.host.edit_summary(len(session.log.messages) - 1, "words", author="Ann")


def test_a_preview_is_what_compact_does_and_changes_nothing() -> None:
    session = steno.Session(wire="openai", window=60_000)
    for message in coding_session(7, 20):
        session.add(message)
    before = session.messages()
    seen = session.host.preview()
    assert isinstance(seen, Commit)
    assert session.messages() == before
    made = session.compact()
    assert made is not None and made.edits == seen.edits


def test_a_result_without_its_call_is_never_put_back() -> None:
    session = compacted()
    first, last = covered(session)
    for at in range(first, last + 1):
        try:
            session.undo(at)
        except BadEdit as refused:
            raise AssertionError(f"{at} could not be put back") from refused
        assert not openai_chat({"messages": session.messages()})
        session.undo()


def test_a_notebook_gets_static_markup_without_the_words_of_a_session() -> None:
    session = steno.Session(wire="openai", window=WINDOW, name="<script>alert(1)</script>")
    for message in coding_session(7, 30):
        session.add(message)
    session.compact()
    html = session._repr_html_()
    assert "<script" not in html and "&lt;script&gt;" in html
    assert f"{session.load:,} of {WINDOW:,} tokens" in html and "summarize" in html
    plain = [{"role": "user", "content": "<b>bold</b>"}]
    assert "<b>" not in steno.compact(plain, window=WINDOW, wire="openai")._repr_html_()
