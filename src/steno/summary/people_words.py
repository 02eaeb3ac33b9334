"""What people sent, shared out over its part of the room.

Whole where it fits, the oldest cut first; where there are too many requests the old ones are
told together, and what people stated in them keeps lines of its own. Owns where a request
begins and ends.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby

from steno.facts.authorship import typed_text
from steno.facts.fact import FactAt
from steno.facts.people import person_words, sender
from steno.facts.standing import PINNED, SHORT
from steno.facts.text import flatten
from steno.summary.constraints_block import pinned
from steno.summary.past import LINE_HEAD, Past, Request
from steno.summary.render import is_small
from steno.summary.shorten import FENCE_TOKENS
from steno.summary.story import fold_statements
from steno.summary.words import (
    LEFT_OUT,
    LINE,
    NEWEST_SHARE,
    NEWEST_WHOLE,
    SHORTEST,
    cut_words,
    first_sentences,
    first_words,
    typed_caps,
)
from steno.summary.worth import focus_share

TYPED_SHARE = 0.40
"""Share of the room for what people sent."""
TALK_SHARE = 0.75
"""The same where nothing was done but talk: there are no files and no deeds to tell."""
TYPED_BESIDE_SHARE = 0.60
"""Share of the room for it, at most, if a writer's lines have taken some of the room."""
GROUPS_SHARE = 0.25
"""Share of the room for people's words that lines for several requests get."""
STATED_SHARE, STATED_SHARE_SMALL = 0.70, 0.90
"""Share of it for what people stated in requests that are told together, also in a small window."""
PICTURES_SHARE = 0.25
"""Share of it for pictures and whatever else came with the words."""
CONSTRAINT_WEIGHT = 2
"""What a constraint adds to the weight of a message: its other sentences may give its numbers."""
OLD, REUSED = -1, -2
"""Stand for requests that are told together, and for those that a reused cover tells."""
CHARACTERS = 4
"""Characters of a token, where counting would cost more than it tells."""
PASTED = "[pasted text of {tokens:,} tokens not shown]"
"""Stands for what a program put into a message that a person typed around it."""
LEAST_TEXT = 10
"""Tokens below which a text is not worth a line."""


class PeopleWords:
    """Chooses what is shown of people's words."""

    def __init__(self, past: Past) -> None:
        self.past = past

    @cached_property
    def _typed_room(self) -> float:
        past = self.past
        share = TALK_SHARE
        # In a talk without deeds people's words are nearly all there is to keep.
        if past.first_deed(past.start, past.stop) is not None:
            share = TYPED_SHARE
        # A writer's lines take the place of replies and deeds, not of what people said.
        room = min((past.room + past.beside) * share, past.room * max(share, TYPED_BESIDE_SHARE))
        # Constraints that fill a small window leave less than that, but enough for the request.
        asked = sum(past.words_tokens(at) for at in {*past.typed[:1], *past.typed[-1:]})
        return min(room, max(past.room - past.reserved, min(asked, NEWEST_WHOLE)))

    @cached_property
    def _pinned(self) -> list[FactAt]:
        """The pinned words that have room in their list; the others are statements like any."""
        return [stated for stated, _ in pinned(self.past.ledger, self.past.draft)]

    @cached_property
    def _old_room(self) -> float:
        """The room for requests before the newest: that one says what is to be done."""
        past, room = self.past, self._typed_room
        if not self._hides_newest:
            return room
        newest = past.typed[-1]
        own = past.count(typed_text(past.messages[newest])) + LINE
        return room - min(own, past.words_tokens(newest), room * NEWEST_SHARE)

    @property
    def _hides_newest(self) -> bool:
        return bool(self.past.typed) and self.past.typed[-1] < self.past.stop

    @cached_property
    def _stated_room(self) -> float:
        share = STATED_SHARE
        if is_small(self.past.draft):
            share = STATED_SHARE_SMALL
        return self._old_room * share

    @cached_property
    def requests(self) -> list[Request]:
        """The requests among the parts, oldest first; old ones in groups if there are too many."""
        past = self.past
        typed = past.typed[bisect_left(past.typed, past.start) : bisect_left(past.typed, past.stop)]
        groups = self._groups(typed)
        # What came before anyone spoke belongs to no request, but must be told, too.
        if not typed or typed[0] > past.start:
            groups.insert(0, [past.start])
        ends = [*(group[0] for group in groups[1:]), past.stop]
        spoken = set(typed)
        return [
            Request(group[0], stop, group[0] in spoken, len(group))
            for group, stop in zip(groups, ends, strict=True)
        ]

    def requests_in(self, start: int, stop: int) -> list[Request]:
        """Return the requests with a message between two positions."""
        first = bisect_right(self.requests, start, key=lambda request: request.stop)
        last = bisect_left(self.requests, stop, key=lambda request: request.start)
        return self.requests[first:last]

    def keep_typed(self) -> float:
        """Keep what people sent: whole where it fits its share, the oldest cut first."""
        past = self.past
        told = [
            request
            for request in self.requests
            if request.typed and request.start not in past.reused_positions
        ]
        typed = [request.start for request in told if request.count == 1]
        if not typed:
            return 0.0
        used = self.tell_groups([request for request in told if request.count > 1])
        room = self._typed_room - min(used, self._old_room)
        words = {at: person_words(past.messages[at]) for at in typed}
        sizes = {at: past.words_tokens(at) for at in typed}
        floors: dict[int, int] = {}
        own: dict[int, int] = {}
        # Reading statements costs; where everything fits, no message needs a floor.
        if sum(sizes.values()) > room:
            own = {at: -(-len(typed_text(past.messages[at])) // CHARACTERS) for at in typed}
            floors = {at: tokens for at, (_, _, tokens) in self.statements(typed).items()}
        # A list of a program's may stand before the first words that a person typed.
        first = next((at for at in typed if own.get(at, 1)), typed[0])
        caps = typed_caps(sizes, room, newest=typed[-1], first=first, floors=floors, own=own)
        heavy = self._heavy(sizes, room * PICTURES_SHARE)
        earlier: dict[str, int] = {}
        for at in typed:
            size, cap = sizes[at], caps[at]
            before = earlier.setdefault(words[at], at)
            if before != at and size > LINE * 2:
                copy = f"(the same words as [{before}])"
                past.choice.told[at] = f"[{at}] {sender(past.messages[at])}: {copy}"
                used += LINE
                continue
            whole = size <= cap
            in_place = at not in past.choice.folded or (
                past.in_place and at == typed[0] == past.start
            )
            in_place = in_place and at not in heavy and at in past.alone
            if whole and in_place:
                past.choice.whole.add(at)
                used += past.tokens(at)
                continue
            if before != at and at != typed[-1]:
                # "Go on." a second time tells nothing, and its line would take another's room.
                continue
            text = words[at]
            if not whole:
                text = self._cut(at, text, cap)
            used += past.count(text)
            if in_place and cap >= FENCE_TOKENS:
                past.choice.cut[at] = text
                used += FENCE_TOKENS
            else:
                past.choice.told[at] = f"[{at}] {sender(past.messages[at])}: {text}"
                used += LINE_HEAD
        return used

    def _cut(self, at: int, words: str, cap: int) -> str:
        """Return a message that does not fit; what a person typed in it goes before the rest."""
        own = typed_text(self.past.messages[at]).strip()
        quoted = typed_text(self.past.messages[at], LEFT_OUT).strip()
        if cap < LINE:
            return first_sentences(quoted or words, LINE * 4)
        # The first request is the task, and may say at its end what is to be done.
        cut = cut_words(words, cap, self.past.count, end=at == self.past.typed[0])
        beside = self.past.count(words) - self.past.count(own)
        if not own or own in cut or beside < LINE:
            return cut
        if cap - LINE < self.past.count(own) <= cap:
            return quoted
        pasted = PASTED.format(tokens=beside)
        return f"{cut_words(own, cap - LINE, self.past.count)} {pasted}"

    def _groups(self, typed: list[int]) -> list[list[int]]:
        """Return where people spoke, together what is told in one line.

        Everybody gets a line of their own while those fit; else the newest and the first do.
        """
        past = self.past
        room = self._typed_room
        # Characters will do: counting tokens of every message would cost more than it tells.
        costs = {
            at: LINE_HEAD + min(LINE, len(past.messages[at].text) // CHARACTERS)
            for at in typed
            if at not in past.reused_positions
        }
        fresh = list(costs)
        own = 0
        if sum(costs.values()) > room:
            stated = sum(cost for _, _, cost in self.statements(fresh[1:]).values())
            left = self._old_room * (1 - GROUPS_SHARE) - min(stated, self._stated_room)
            # The newest request is never told with others.
            own = len(fresh) - self._hides_newest
            # From the newest back: those are what the agent is asked about next.
            while own > 1 and left >= costs[fresh[own - 1]]:
                own -= 1
                left -= costs[fresh[own]]
        old = frozenset(fresh[1:own])
        lines = max(1, int(self._old_room * GROUPS_SHARE / (LINE * 2)))
        size = max(1, -(-len(old) // lines))
        groups: list[list[int]] = []
        # A group ends where a reused cover begins: that tells its messages already.
        for place, run in groupby(typed, lambda at: _place(at, old, costs)):
            together = list(run)
            step = len(together)
            if place == OLD:
                step = size
            groups += [together[at : at + step] for at in range(0, len(together), step)]
        return groups

    def statements(self, typed: Sequence[int]) -> dict[int, tuple[int, str, int]]:
        """Return what people stated at positions: weight, words and tokens; a repetition once."""
        past = self.past
        ruled: dict[int, list[str]] = {}
        for at, constraint in self._pinned:
            ruled.setdefault(at, []).append(flatten(constraint.words))
        found: dict[int, tuple[int, str, int]] = {}
        # Pinned words stand together elsewhere; a message that says no more need not be told again.
        seen = set[str]()
        for several in ruled.values():
            seen.update(several)
        stated = past.messages.fold(fold_statements)
        # Few words that follow pinned ones may change them: "Make it 5."
        following = [bisect_right(past.typed, at) for at in ruled]
        leaning = {past.typed[at] for at in following if at < len(past.typed)}
        small = is_small(past.draft)
        for at in reversed(typed):
            statement = stated[at]
            if statement is None or statement.words in seen:
                continue
            seen.add(statement.words)
            weight = statement.weight + CONSTRAINT_WEIGHT * (at in ruled)
            short = len(statement.words) <= SHORT and not small
            if at in leaning and weight < PINNED and short:
                weight = PINNED + CONSTRAINT_WEIGHT
            words = statement.words
            if small:
                words = _without(words, ruled.get(at, ()))
            if words:
                found[at] = (weight, words, len(words) // 4 + LINE_HEAD)
        return found

    def tell_groups(self, groups: Sequence[Request]) -> float:
        """Tell several old requests in one line each, by how each of them begins.

        What people stated in them has lines of its own, the weightiest first. Where a line has no
        room for all of the others, it tells some from the whole stretch.
        """
        past = self.past
        used = self._tell_statements(groups)
        room = min(self._old_room * GROUPS_SHARE, self._old_room - used)
        for group in groups:
            words = self._beginnings(group, room / len(groups))
            if group.start in past.choice.told:
                words.insert(0, past.choice.told[group.start].partition(": ")[2])
            line = f"[{group.start}–{group.stop - 1}] {sender(past.messages[group.start])} "
            line += f"({group.count} messages)"
            if words:
                line += f": {'; '.join(words)}"
            past.choice.told[group.start] = line
            used += past.count(line) + 1
        return used

    def _beginnings(self, group: Request, room: float) -> list[str]:
        """Return how the messages of a group begin that nothing else tells, as many as fit."""
        typed = [at for at in self._typed_in(group) if at not in self.past.choice.told]
        characters = int(room * CHARACTERS)
        most = characters // SHORTEST
        # Statements may have taken more than their room.
        if not typed or most <= 0:
            return []
        messages = [self.past.messages[at] for at in typed[:: -(-len(typed) // most)]]
        length = min(max(characters // len(messages), SHORTEST), LINE * CHARACTERS)
        texts = (flatten(typed_text(message) or person_words(message)) for message in messages)
        return list(dict.fromkeys(first_words(text, length) for text in texts))

    def _typed_in(self, group: Request) -> list[int]:
        typed = self.past.typed
        return typed[bisect_left(typed, group.start) : bisect_left(typed, group.stop)]

    def _tell_statements(self, groups: Sequence[Request]) -> float:
        past = self.past
        room = self._stated_room
        statements = self.statements([at for group in groups for at in self._typed_in(group)])
        used = 0.0
        worth = {
            at: (focus_share(past.draft.focus, words), weight, at)
            for at, (weight, words, _) in statements.items()
        }
        for at in sorted(statements, key=worth.__getitem__, reverse=True):
            _, words, estimate = statements[at]
            # Most do not fit: to count each of them in every commit would cost too much.
            if used + estimate >= room:
                continue
            line = f"[{at}] {sender(past.messages[at])}: {words}"
            used += past.count(line) + 1
            past.choice.told[at] = line
        return used

    def _heavy(self, sizes: Mapping[int, int], room: float) -> set[int]:
        """Return the messages whose pictures and programs' texts do not fit, the oldest."""
        past = self.past
        heavy: set[int] = set()
        for at in reversed(sizes):
            extra = past.tokens(at) - sizes[at] - past.draft.view.meter.overheads.message
            if extra <= room:
                room -= max(0, extra)
            else:
                heavy.add(at)
        return heavy

    def tell_relays(self, room: float) -> float:
        """Tell what people said within results, the newest first: a tool relays it, no more."""
        past = self.past
        used = 0.0
        lines: dict[int, list[str]] = {}
        for at, words in reversed(past.story.relayed):
            hidden = past.start <= at < past.stop and at not in past.reused_positions
            most = int(room - used)
            if not hidden or most < LEAST_TEXT * 2:
                continue
            line = f"[{at}] {cut_words(words, most, past.count)}"
            lines.setdefault(at, []).insert(0, line)
            used += past.count(line)
        past.choice.told |= {at: "\n".join(said) for at, said in lines.items()}
        return used


def _without(words: str, constraints: Iterable[str]) -> str:
    """Return what a person stated beside these constraints."""
    for constraint in constraints:
        words = words.replace(constraint, "")
    return flatten(words)


def _place(at: int, old: Container[int], told: Container[int]) -> int:
    """Return what neighbours must share to be told together; `at` for a line of its own."""
    if at not in told:
        return REUSED
    return OLD if at in old else at
