"""What the agent used while a draft was made, put back before the draft lands.

A draft is made in the background while the agent goes on, so it cannot know what the agent
needs meanwhile. Before it lands it is held against the messages that came since: the request
that the agent works on, older requests that a person speaks of again, pieces of files that
were edited or asked for again. What the new view would hide of these is put back, in this order,
within a room that the policy states. No model is asked.

Rules and open loops are put back first, without that bound (`kept`). Pieces of files and
results stand under a heading that says they are data: nothing here becomes a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Literal

import msgspec

from steno.checks.kept import restore_rules_and_loops
from steno.core.draft import Draft
from steno.core.errors import BadEdit
from steno.core.log import Edit, Finding, Proposal, PutBack
from steno.core.message import Call, Message, Result, Text, Value
from steno.core.tape import Tape
from steno.facts.artifacts import call_touches, find_identifiers
from steno.facts.changes import argument_texts, text_changes
from steno.facts.ledger import Ledger
from steno.facts.people import person_words, sender
from steno.summary.files import file_pieces, fold_upsets, plain_lines
from steno.summary.render import USED_HEADING, quote_rows, summary_edit
from steno.summary.words import cut_words

LABEL = "used-since"
MESSAGES_MOST = 200
"""Newest messages since the draft began that are read."""
REQUEST_SHARE = 0.5
"""Share of the room for one request."""
REQUESTS_MOST = 4
"""Older requests that are put back because a person spoke of them again."""
VISIBLE_SHARE = 0.7
"""Share of a piece's lines that the view must show for the piece to count as visible."""
TELLING = 4
"""Characters from which on a line counts when texts are compared."""
HEADING_TOKENS = 24
"""Tokens of the heading above what is put back."""
LEAST_ROOM = 40
"""Tokens below which nothing is put back."""

UseKind = Literal["request", "region"]


class Use(Value, frozen=True):
    """Something that the agent used since a draft began, and that the new view would hide."""

    kind: UseKind
    text: str
    """What is put back."""
    title: str
    """The line before it: a file, or who said it."""
    source: int
    """Position of what is put back."""
    used: int
    """Position where it was used."""


def restore_used(before: Draft, drawn: Draft, since: int, room: int) -> Draft:
    """Return the draft with what was used from position `since` on, within so many tokens.

    `before` and `drawn` are the view of now, without and with the edits of the commit.
    """
    ledger = Ledger.of(drawn.view.messages)
    # Again, though the draft had them: a rule may have been laid down while it was drawn.
    ruled = restore_rules_and_loops(before, drawn, ledger)
    if ruled is not None:
        drawn = _accept_or_report(drawn, ruled)
    uses = list(uses_hidden(drawn, ledger, since))
    if not uses:
        return drawn
    return _put_back(drawn, uses, room)


def _accept_or_report(draft: Draft, proposal: Proposal) -> Draft:
    try:
        return draft.accept(proposal)
    except BadEdit as misfit:
        return draft.with_findings((Finding("used_since_is_shown", str(misfit), LABEL),))


# What was used.


def uses_hidden(drawn: Draft, ledger: Ledger, since: int) -> Iterator[Use]:
    """Yield what was used since and is not visible, the most needed first."""
    messages = drawn.view.messages
    # A draft may take long, and what is newest is needed most.
    start = max(since, len(messages) - MESSAGES_MOST)
    new = list(enumerate(messages[start:], start))
    seen = _VisibleText(drawn)
    yield from _hidden_requests(messages, new, since, seen)
    yield from _hidden_regions(messages, new, since, seen, ledger)


class _VisibleText:
    """What a view shows, line by line."""

    def __init__(self, draft: Draft) -> None:
        self._messages = list(draft.view.visible_messages)

    @cached_property
    def lines(self) -> frozenset[str]:
        found: set[str] = set()
        for message in self._messages:
            for text in texts_of(message):
                found.update(line.strip() for line in plain_lines(text)[0])
        return frozenset(found)

    @cached_property
    def text(self) -> str:
        return "\n".join(text for message in self._messages for text in texts_of(message))

    def shows(self, text: str) -> bool:
        """Tell whether most lines of a text are visible."""
        telling = [line.strip() for line in text.split("\n") if len(line.strip()) >= TELLING]
        visible = sum(line in self.lines for line in telling)
        return visible >= VISIBLE_SHARE * len(telling)


def texts_of(message: Message) -> Iterator[str]:
    """Yield the texts of a message, the arguments of calls decoded."""
    for block in message.blocks:
        match block:
            case Text(text):
                yield text
            case Result():
                yield block.text
            case Call():
                yield from argument_texts(block)


def _hidden_requests(
    messages: Sequence[Message], new: Sequence[tuple[int, Message]], since: int, seen: _VisibleText
) -> Iterator[Use]:
    """Yield the request that the agent works on, and those that people speak of again."""
    asked: list[tuple[int, str]] = []
    names: set[str] = set()
    for at, message in new:
        words = person_words(message)
        names.update(find_identifiers(words))
        if words:
            asked.append((at, words))
    count = 0
    # Without new words since, the agent still works on the newest request before the draft.
    worked_on = not asked
    for at in range(since - 1, -1, -1):
        if not worked_on and not names:
            return
        words = person_words(messages[at])
        if not words:
            continue
        mentioned = any(name in words for name in names)
        if (worked_on or mentioned) and words not in seen.text:
            used = len(messages) - 1
            if asked:
                used = asked[-1][0]
            yield Use("request", words, sender(messages[at]), at, used)
            count += 1
        worked_on = False
        if count >= REQUESTS_MOST:
            return


def _hidden_regions(
    messages: Tape[Message],
    new: Sequence[tuple[int, Message]],
    since: int,
    seen: _VisibleText,
    ledger: Ledger,
) -> Iterator[Use]:
    """Yield pieces of files that were edited since, or asked for again and not shown again."""
    asked_again: list[Use] = []
    upsets = messages.fold(fold_upsets)
    for key, touched in _touched_files(new).items():
        artifact = ledger.artifacts_by_key.get(key)
        # A deleted file has no newest text, and an old one would look like its present state.
        if artifact is None or artifact.is_gone:
            continue
        for piece in file_pieces(messages, artifact, upsets):
            if seen.shows(piece.text):
                continue
            use = Use("region", piece.text, piece.words, piece.position, touched.used)
            if _holds_any(piece.text, touched.written):
                yield use
            elif touched.is_read and piece.position < since:
                asked_again.append(use)
    yield from asked_again


class _TouchedFile(msgspec.Struct):
    """What was done to a file since a draft began."""

    used: int
    """Where it was touched last."""
    is_read: bool = False
    written: list[str] = msgspec.field(default_factory=list)
    """Texts that edits put there."""


def _touched_files(new: Sequence[tuple[int, Message]]) -> dict[str, _TouchedFile]:
    """Return what was done to each file, the last touched first."""
    files: dict[str, _TouchedFile] = {}
    for at, message in reversed(new):
        for call in message.calls:
            for touch in call_touches(call):
                file = files.setdefault(touch.key, _TouchedFile(at))
                file.is_read = file.is_read or touch.action == "read"
            for change in text_changes(call):
                files.setdefault(change.path, _TouchedFile(at)).written.append(change.new)
    return files


def _holds_any(piece: str, texts: Sequence[str]) -> bool:
    """Tell whether a piece holds a telling line of one of these texts."""
    lines = {line.strip() for line in piece.split("\n")}
    return any(
        line.strip() in lines
        for text in texts
        for line in text.split("\n")
        if len(line.strip()) >= TELLING
    ) or any(text.strip() and text in piece for text in texts)


# Where it is put.


class _Room(msgspec.Struct):
    """Tokens for what is put back."""

    draft: Draft
    left: int
    rows: list[str] = msgspec.field(default_factory=list)
    """People's words, for the story."""
    pieces: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Texts of files and tools by title, for the state."""
    put_back: list[PutBack] = msgspec.field(default_factory=list)
    refused: int = 0

    @property
    def count(self) -> Callable[[str], int]:
        return self.draft.view.meter.count

    def take(self, use: Use, most: int) -> None:
        """Put a use back if it fits its room."""
        text, title = use.text, f"--- {use.title} [{use.source}]"
        if use.kind == "request":
            title = f"[{use.source}] {use.title}:"
            text = cut_words(text, most, self.count)
        cost = self.count(text) + 1
        if title not in self.pieces:
            cost += self.count(title)
        if cost > min(self.left, most):
            self.refused += 1
            return
        if use.kind == "request":
            self.rows.append(quote_rows(f"{title} {text}", 1))
        elif text not in self.pieces.get(title, ()):
            self.pieces.setdefault(title, []).append(quote_rows(text))
        self.left -= cost
        self.put_back.append(PutBack(use.kind, use.source, use.used, cost))


def _put_back(drawn: Draft, uses: Sequence[Use], room: int) -> Draft:
    """Return the draft with as much of this as there is room for, in its newest summary."""
    place = _newest_summary(drawn.edits)
    shared = _Room(drawn, room - HEADING_TOKENS)
    if place is None or place.summary is None or shared.left < LEAST_ROOM:
        shared.refused = len(uses)
        return _report(drawn, shared)
    for use in uses:
        most = shared.left
        if use.kind == "request":
            most = int(room * REQUEST_SHARE)
        shared.take(use, most)
    if not shared.put_back:
        return _report(drawn, shared)
    summary = place.summary
    story = "\n".join(part for part in (summary.story, *shared.rows) if part)
    parts = [summary.state]
    if shared.pieces:
        lines = [line for title, texts in shared.pieces.items() for line in (title, *texts)]
        parts.append("\n".join((USED_HEADING, *lines)))
    state = "\n\n".join(part for part in parts if part)
    longer = msgspec.structs.replace(summary, story=story, state=state)
    edit = summary_edit(longer, place.by, place.level, place.span)
    return _report(_accept_or_report(drawn, Proposal((edit,), LABEL)), shared)


def _newest_summary(edits: Sequence[Edit]) -> Edit | None:
    """Return the edit of this commit that shows its newest summary."""
    covers = [edit for edit in edits if edit.block is None and edit.summary is not None]
    return max(covers, key=lambda edit: edit.span.start, default=None)


def _report(draft: Draft, shared: _Room) -> Draft:
    """Return the draft that tells what was put back, and how much found no room."""
    draft = draft.with_restored(tuple(shared.put_back))
    if not shared.refused:
        return draft
    what = f"{shared.refused} things used since the draft began are not shown: there is no room"
    return draft.with_findings((Finding("used_since_is_shown", what, LABEL),))
