"""Arrive: show a new result without what repeats in it, before it is ever sent.

It looks only at results that no reply has followed yet, so nothing changes that a provider may
have cached. A copy of a result that is still shown whole becomes a pointer to it; under pressure
`prune.show_newest_copies` turns that around. Runs of equal lines, terminal codes, progress bars
and base64 are folded, and the note says what is left out and how to read it. Lines that differ
in a number are data, and stay.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import groupby

from steno.core.budget import Budget
from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Edit, Proposal
from steno.core.message import Call, Message, Result, Text
from steno.core.repair import encodable_text
from steno.core.rung import Rung
from steno.core.view import View
from steno.facts.artifacts import call_touches
from steno.facts.errors import has_failed, read_errors
from steno.facts.people import person_words
from steno.facts.text import TERMINAL_CODES, excerpt
from steno.rungs.offload import CHARACTERS_PER_TOKEN, Count
from steno.rungs.prune import PruneNote
from steno.rungs.repeated import Place
from steno.summary.shorten import block_label, pointer

BLOB_LEAST, BLOB_ENDS = 1_000, 200
"""Characters without a blank that are left out, and those of both ends that stay."""
_BLOB = re.compile(rf"(?<![\w+/=-])[\w+/=-]{{{BLOB_LEAST},}}", re.A)
"""Base64 and the like."""
_NAMES = re.compile(r"\w[\w./-]{3,}")
_WITHOUT_NUMBERS = str.maketrans("", "", "0123456789. #=>█▉▊▋▌▍▎▏━╸╺")
"""What numbers and progress bars are written with."""


class Arrive(Rung, tag="arrive"):
    """Every round: point from a new copy to the result it repeats, and fold what repeats inside.

    What a tool read from a file is not folded or cut: an edit needs its lines as they are. Nor is
    anything if the model has no tool to read the original.
    """

    least: Count = 200
    """Tokens below which a result is left alone."""
    equal: Count = 5
    """Equal lines in a row that fold."""
    failed: Count = 3_000
    """Tokens up to which a failed result is left alone."""
    over: Count = 0
    """Tokens above which a result shows head, tail, errors and what the newest request names; 0
    for no limit."""
    only: tuple[str, ...] = ()
    """Names of tools, or patterns such as `mcp__web__*`, whose results may be shortened; none for
    all."""
    never: tuple[str, ...] = ()
    """Names of tools, or patterns, whose results are left alone."""

    def has_work(self, view: View, new: int, budget: Budget) -> bool:
        return any(True for _ in self._results(view, new))

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        proposals: list[Proposal] = []
        edited: set[Place] = set()
        for item, at, result in self._results(draft.view, draft.new):
            place = (item.span.start, at)
            text = self._shorten(draft, place, result, edited)
            if text is None or item.main is None or item.span.start in draft.pins:
                continue
            edited.add(place)
            block = Result(result.call, (Text(encodable_text(text)),), result.error)
            message = Message(item.shows[item.main].role, (block,), by="steno")
            edit = Edit(item.span, (message,), self.label, block=at)
            proposals.append(Proposal((edit,), self.label))
        return tuple(proposals)

    def _results(self, view: View, new: int) -> Iterator[tuple[Item, int, Result]]:
        """Yield new results that may be shortened, as far as no reply has followed them."""
        first = len(view.messages)
        while first > new and view.messages[first - 1].role != "assistant":
            first -= 1
        for item in view.arrivals[first:]:
            # The cheap test first: most messages are small.
            if item.main is None or max(view.weights[item.span.start], default=0) < self.least:
                continue
            for at, tokens, (block, *_) in view.blocks(item):
                if tokens < self.least or not isinstance(block, Result):
                    continue
                is_text = all(isinstance(part, Text) for part in block.content)
                if is_text and not (tokens < self.failed and has_failed(block)):
                    yield item, at, block

    def _shorten(
        self, draft: Draft, place: Place, result: Result, edited: set[Place]
    ) -> str | None:
        """Return what to show for a result; None if that is the result itself."""
        position, at = place
        view, said = draft.view, result.text
        call = _call_of(view, position, result)
        if call is None or not self._may_touch(call.name) or Fence.parse(said):
            return None
        tokens = view.weights[position][at]
        by = _whole_copy(view, place, result, edited)
        if by is not None:
            return str(PruneNote(place, "same", by, tokens, len(said)))
        if not draft.recall_tool or any(touch.action == "read" for touch in call_touches(call)):
            return None
        text, left_out = fold(said, self.equal)
        left = tokens * len(text) // max(1, len(said))
        if self.over and left > self.over:
            keep = self.over * CHARACTERS_PER_TOKEN * 2 // 3
            short = _cut(text, keep, _useful_lines(view, result))
            left_out.append(f"{len(text) - len(short):,} more characters")
            text = short
        elif tokens - left < self.least // 2:
            # What saves little is not worth a note, nor a commit.
            return None
        label, _ = block_label("result", f"{position}.{at}", tokens, said)
        note = f"[left out: {', '.join(left_out)}; {pointer(draft, position)}]"
        return str(Fence(label, f"{text}\n{note}"))

    def _may_touch(self, tool: str) -> bool:
        if self.only and not any(fnmatchcase(tool, name) for name in self.only):
            return False
        return not any(fnmatchcase(tool, name) for name in self.never)


def _call_of(view: View, position: int, result: Result) -> Call | None:
    """Return the call that a new result answers: one of the newest message that calls."""
    while position > 0:
        position -= 1
        calls = view.messages[position].calls
        if calls:
            return next((call for call in calls if call.id == result.call), None)
    return None


def _whole_copy(view: View, place: Place, said: Result, edited: set[Place]) -> Place | None:
    """Return the newest place before this one where the same words are shown whole."""
    tokens = view.weights[place[0]][place[1]]
    # The same words have the same weight: a cheap look at all before a close one at few.
    near = [at for at, weights in enumerate(view.weights[: place[0] + 1]) if tokens in weights]
    for position in reversed(near):
        item = view.at(position)
        if item.main is None or not item.tokens:
            continue
        for at, _, shown in view.blocks(item):
            other = (position, at)
            match shown:
                case (Result(_, said.content, said.error),) if other < place:
                    if other not in edited:
                        return other
    return None


def fold(text: str, equal: int) -> tuple[str, list[str]]:
    """Return a text without terminal codes, progress, base64 and runs of equal lines.

    The second value says what was left out.
    """
    gone: Counter[str] = Counter()
    if "\x1b" in text:
        text, gone["terminal codes"] = TERMINAL_CODES.subn("", text)
    lines = text.split("\n")
    if "\r" in text:
        lines = [_last_state(line, gone) for line in lines]
    if max(map(len, lines)) >= BLOB_LEAST:
        lines = [_shorten_blobs(line, gone) for line in lines]
    lines = _fold_equal(lines, equal, gone)
    return "\n".join(lines), [f"{count:,} {what}" for what, count in gone.items() if count]


def _last_state(line: str, gone: Counter[str]) -> str:
    """Return a line without states of a progress bar that the same words overwrite."""
    states = line.split("\r")
    keys = line.translate(_WITHOUT_NUMBERS).split("\r")
    kept: list[str] = []
    for at, state in enumerate(states[:-1]):
        # Nothing overwrites a line that ends with a carriage return.
        if keys[at] != keys[at + 1] or not states[at + 1]:
            kept.append(state)
    gone["states of a progress bar"] += len(states) - 1 - len(kept)
    return "\r".join((*kept, states[-1]))


def _shorten_blobs(line: str, gone: Counter[str]) -> str:
    """Return a line with the middle of its long texts without a blank left out."""

    def shorten(found: re.Match[str]) -> str:
        blob = found[0]
        count = len(blob) - 2 * BLOB_ENDS
        gone["characters without a blank"] += count
        return f"{blob[:BLOB_ENDS]}[… {count:,} characters …]{blob[-BLOB_ENDS:]}"

    return _BLOB.sub(shorten, line)


def _fold_equal(lines: list[str], equal: int, gone: Counter[str]) -> list[str]:
    """Return the lines with a run of equal ones as the first and a count."""
    shown: list[str] = []
    for line, run in groupby(lines):
        count = len(list(run))
        if count < max(equal, 3):
            shown += [line] * count
            continue
        gone["equal lines"] += count - 1
        shown += [line, f"[… {count - 1:,} more equal lines …]"]
    return shown


def _cut(text: str, keep: int, useful: Iterable[str]) -> str:
    """Return head and tail of a text, and its useful lines between them."""
    ends = excerpt(text, keep, "[…]")
    between, room = "[…]", keep // 2
    for line in useful:
        room -= len(line) + 1
        if room < 0:
            break
        if line not in ends and line not in between:
            between += f"\n{line}\n[…]"
    return excerpt(text, keep, between)


def _useful_lines(view: View, result: Result) -> Iterator[str]:
    """Yield lines that state errors, then those that name rare words of the newest request."""
    yield from (fact.words for fact in read_errors(Message("user", (result,))))
    said = result.text.lower()
    words = sorted(set(_NAMES.findall(person_words(view.messages[view.turn]).lower())))
    counts = {word: said.count(word) for word in words}
    # Words that stand in few lines say most: a common one is no guide.
    for word in sorted(filter(counts.get, words), key=counts.__getitem__):
        for line in result.text.split("\n"):
            if len(line) < BLOB_LEAST and word in line.lower():
                yield line
