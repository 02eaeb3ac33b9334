"""Arrive: show a new result without what repeats in it, before it is ever sent.

It looks only at results that no reply has followed yet, so nothing changes that a provider may
have cached. A copy of a result that is still shown whole becomes a pointer to it; under pressure
`prune.show_newest_copies` turns that around. Runs of equal lines, terminal codes, progress bars
and long texts without a blank are folded, and the note says what is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import groupby
from operator import eq

from steno.core.budget import Budget
from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.excerpt import excerpt
from steno.core.fence import Fence
from steno.core.item import Item
from steno.core.log import Edit, Proposal
from steno.core.message import Call, Message, Result, Text, Value
from steno.core.repair import encodable_text
from steno.core.rung import Rung
from steno.core.view import View
from steno.facts.artifacts import call_touches
from steno.facts.errors import has_failed, read_errors
from steno.facts.people import person_words
from steno.rungs.offload import CHARACTERS_PER_TOKEN, Count
from steno.rungs.prune import PruneNote
from steno.rungs.repeated import Place
from steno.summary.shorten import block_label, pointer

BLOB_LEAST, MINIFIED_LEAST = 1_000, 4_000
"""Characters without a blank that are left out: of base64 and the like, and of any others."""
BLOB_ENDS = 200
"""Characters of both ends of it that stay."""
_BLOB = re.compile(
    rf"(?<![\w+/=-])[\w+/=-]{{{BLOB_LEAST},}}|(?<![!-~])[!-~]{{{MINIFIED_LEAST},}}", re.A
)
_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_LETTERS = re.compile(r"[^\W\d_]+")
_NAMES = re.compile(r"\w[\w./-]{3,}")
_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")


class Arrive(Rung, frozen=True, tag="arrive"):
    """Every round: point from a new copy to the result it repeats, and fold what repeats inside.

    What a tool read from a file is not folded or cut: an edit needs its lines as they are.
    """

    least: Count = 200
    """Tokens below which a result is left alone."""
    equal: Count = 5
    """Equal lines in a row that fold."""
    alike: Count = 20
    """Lines in a row that fold if they are equal but for digits."""
    failed: Count = 3_000
    """Tokens up to which a failed result is left alone."""
    over: Count = 0
    """Tokens above which a result shows head, tail, errors and what the newest request names; 0
    for no limit."""
    never: tuple[str, ...] = ()
    """Names of tools, or patterns such as `mcp__db__*`, whose results are left alone."""

    def has_work(self, view: View, new: int, budget: Budget) -> bool:
        return any(True for _ in self._shortened(view, new))

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        proposals: list[Proposal] = []
        for item, at, result, short in self._shortened(draft.view, draft.new):
            position = item.span.start
            if position in draft.pins or item.main is None:
                continue
            text = str(short)
            if isinstance(short, Folded):
                tokens = draft.view.weights[position][at]
                label, _ = block_label("result", f"{position}.{at}", tokens, result.text)
                text = str(Fence(label, short.with_pointer(pointer(draft, position))))
            block = Result(result.call, (Text(encodable_text(text)),), result.error)
            message = Message(item.shows[item.main].role, (block,), by="steno")
            edit = Edit(item.span, (message,), self.label, block=at)
            proposals.append(Proposal((edit,), self.label))
        return tuple(proposals)

    def _shortened(self, view: View, new: int) -> Iterator[tuple[Item, int, Result, Short]]:
        """Yield what to show for new results, as far as no reply has followed them."""
        first = len(view.messages)
        while first > new and view.messages[first - 1].role != "assistant":
            first -= 1
        edited: set[Place] = set()
        for item in view.arrivals[first:]:
            # The cheap test first: most messages are small.
            if item.main is None or max(view.weights[item.span.start], default=0) < self.least:
                continue
            for at, tokens, (block, *_) in view.blocks(item):
                if tokens < self.least or not isinstance(block, Result):
                    continue
                short = self._shorten(view, (item.span.start, at), block, edited)
                if short is not None:
                    edited.add((item.span.start, at))
                    yield item, at, block, short

    def _shorten(
        self, view: View, place: Place, result: Result, edited: set[Place]
    ) -> Short | None:
        tokens, text = view.weights[place[0]][place[1]], result.text
        call = _call_of(view, place[0], result)
        if (
            call is None
            or any(fnmatchcase(call.name, name) for name in self.never)
            or not all(isinstance(part, Text) for part in result.content)
            or Fence.parse(text)
            or (tokens < self.failed and has_failed(result))
        ):
            return None
        by = _whole_copy(view, place, result, edited)
        if by is not None:
            return PruneNote(place, "same", by, tokens, len(text))
        if any(touch.action == "read" for touch in call_touches(call)):
            return None
        folded = fold(text, self.equal, self.alike)
        left = tokens * len(folded.text) // max(1, len(text))
        if self.over and left > self.over:
            return _cut(folded, self.over, _useful_lines(view, result))
        # What saves little is not worth a note, nor a commit.
        if tokens - left < self.least // 2:
            return None
        return folded


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
            match shown:
                case (Result(_, said.content, said.error),) if (position, at) < place and (
                    position,
                    at,
                ) not in edited:
                    return position, at
    return None


class Folded(Value, frozen=True):
    """A text in short, and what was left out of it."""

    text: str
    left_out: tuple[str, ...] = ()

    def with_pointer(self, more: str) -> str:
        """Return the text, what was left out, and how to get it."""
        notes = (", ".join(self.left_out), more)
        return f"{self.text}\n[left out: {'; '.join(filter(None, notes))}]"


Short = PruneNote | Folded


# A round that has work folds the same text again for its edit.
@lru_cache(maxsize=1)
def fold(text: str, equal: int, alike: int) -> Folded:
    """Return a text without terminal codes, progress, long blobs and runs of equal lines."""
    gone: Counter[str] = Counter()
    if "\x1b" in text:
        text, gone["terminal codes"] = _CODES.subn("", text)
    lines = text.split("\n")
    if "\r" in text:
        lines = [_last_state(line, gone) for line in lines]
    if max(map(len, lines)) >= BLOB_LEAST:
        lines = [_shorten_blobs(line, gone) for line in lines]
    lines = _fold_runs(lines, equal, alike, gone)
    left_out = tuple(f"{count:,} {what}" for what, count in gone.items() if count)
    return Folded("\n".join(lines), left_out)


def _last_state(line: str, gone: Counter[str]) -> str:
    """Return a line without states of a progress bar that the same words overwrite."""
    states = line.split("\r")
    words = ["".join(_LETTERS.findall(state)) for state in states]
    kept = [
        state
        for at, state in enumerate(states)
        if at + 1 == len(states) or words[at] != words[at + 1]
    ]
    gone["states of a progress bar"] += len(states) - len(kept)
    return "\r".join(kept)


def _shorten_blobs(line: str, gone: Counter[str]) -> str:
    """Return a line with the middle of its long texts without a blank left out."""
    if len(line) < BLOB_LEAST:
        return line

    def shorten(found: re.Match[str]) -> str:
        blob = found[0]
        count = len(blob) - 2 * BLOB_ENDS
        gone["characters without a blank"] += count
        return f"{blob[:BLOB_ENDS]}[… {count:,} characters …]{blob[-BLOB_ENDS:]}"

    return _BLOB.sub(shorten, line)


def _fold_runs(lines: list[str], equal: int, alike: int, gone: Counter[str]) -> list[str]:
    """Return the lines with runs of them as the first, the last and a count."""
    keys = "\n".join(lines).translate(_WITHOUT_DIGITS).split("\n")
    # The ends of the shortest run first: most texts have none.
    if not any(map(eq, keys, keys[max(0, min(equal, alike) - 1) :])):
        return lines
    shown: list[str] = []
    at = 0
    for _, group in groupby(keys):
        run = lines[at : at + sum(1 for _ in group)]
        at += len(run)
        what, least = "lines equal but for numbers", alike
        if run.count(run[0]) == len(run):
            what, least = "equal lines", equal
        # Rows of numbers are what was asked for; the same words with other numbers repeat.
        elif sum(map(str.isalpha, run[0])) <= sum(map(str.isdigit, run[0])):
            least = len(run) + 1
        if len(run) >= max(least, 3):
            gone[what] += len(run) - 2
            run = [run[0], f"[… {len(run) - 2:,} {what} …]", run[-1]]
        shown += run
    return shown


def _cut(folded: Folded, most: int, useful: list[str]) -> Folded:
    """Return head and tail of a text of about so many tokens, and its useful lines between."""
    keep = most * CHARACTERS_PER_TOKEN * 2 // 3
    ends = excerpt(folded.text, keep, "[…]")
    between = ["[…]"]
    room = keep // 2
    for line in useful:
        room -= len(line) + 1
        if room >= 0 and line not in ends:
            between += [line, "[…]"]
    cut = excerpt(folded.text, keep, "\n".join(between))
    return Folded(cut, (*folded.left_out, f"{len(folded.text) - len(cut):,} more characters"))


def _useful_lines(view: View, result: Result) -> list[str]:
    """Return lines that state errors, then those that name rare words of the newest request."""
    lines = [fact.words for fact in read_errors(Message("user", (result,)))]
    words = {word.lower() for word in _NAMES.findall(person_words(view.messages[view.turn]))}
    said = [(line, line.lower()) for line in result.text.split("\n") if len(line) < BLOB_LEAST]
    named = {word: [line for line, low in said if word in low] for word in words}
    # Words that stand in few lines say most: a common one is no guide.
    for word in sorted(words, key=lambda word: (len(named[word]), word)):
        lines += named[word]
    return list(dict.fromkeys(lines))
