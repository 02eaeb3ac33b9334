"""What the agent said, shared out over its part of the room.

The last thing it said in each request comes first, then what it found out, then what it said
between its calls. What it doubted stays whole within a room of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from steno.facts.authorship import typed_text
from steno.facts.requests import goes_ahead
from steno.summary.caps import REPLIES_FIRST, reply_caps
from steno.summary.conclusions import conclude, numbers_in, telling_texts, without_doing
from steno.summary.past import LINE_HEAD, Past, Request
from steno.summary.people_words import LEAST_TEXT
from steno.summary.scorers import TextScorer, scorer_for

REPLY_SHARE, REPLY_SHARE_SMALL = 0.60, 0.70
"""Share of what is left then for the closing replies, also in a small room."""
REPLY_SHARE_MOST, REPLY_WANTED = 0.85, 48
"""The same where there are many, and the tokens that each of those is to get."""
REPLIES_LOOKED = 3
"""Last things said in a request among which the closing reply is looked for."""
REPLY_MOST = 0.25
"""Share of the room for one closing reply."""
DOUBT_LINES_SHARE = 0.2
"""Share of the room for doubts for those whose messages do not fit whole."""
NARRATION_LOOKED = 4_000
"""Messages among which such words are looked for, the newest."""
NARRATION_LOOKED_SMALL = 100
"""The same where room is short."""
NARRATION_MOST = 0.06
"""Share of the room for one of them."""
LEAST_CHARACTERS = 40
"""Characters of such words below which they say nothing."""
TELLING_CHARACTERS = 110
"""Characters from which on what the agent said between calls is likely a finding."""
ANNOUNCED_SHARE = 0.25
"""Share of the room for such words that shorter ones get: most of those announce a call, and
what it did is told among the deeds."""


class AgentWords:
    """Chooses what is shown of the agent's words."""

    def __init__(self, past: Past) -> None:
        self.past = past
        self._newest_place: dict[str, int] = {}

    def keep_doubts(self, doubted: Mapping[int, Sequence[str]], room: float) -> float:
        """Keep whole what the agent said where it doubted; of what does not fit, tell the doubt."""
        past = self.past
        used = 0.0
        rest: list[int] = []
        whole = room
        if any(doubted.values()):
            whole *= 1 - DOUBT_LINES_SHARE
        for at in doubted:
            if not past.start <= at < past.stop or not past.said_in(at, at + 1):
                continue
            cost = past.words_tokens(at) + LINE_HEAD
            if used + cost > whole:
                rest.append(at)
                continue
            used += cost
            if self._stays_alone(at):
                past.choice.whole.add(at)
            else:
                past.choice.told[at] = f"[{at}] ASSISTANT: {past.messages[at].text.strip()}"
        for at in rest:
            if not doubted[at]:
                continue
            line = f"[{at}] ASSISTANT, in doubt: {' … '.join(doubted[at])}"
            cost = past.count(line) + 1
            if used + cost <= room:
                past.choice.told[at] = line
                used += cost
        return used

    def keep_replies(self, requests: Sequence[Request], room: float) -> float:
        """Keep the last thing the agent said in each request: of all the beginning, of the
        newest more.
        """
        past = self.past
        most = int(past.room * REPLY_MOST)
        # The newest request is not closed yet: what was found out for it stands for its reply.
        replies: list[int | None] = [*self._findings(requests[-1])]
        replies += [self._closing_reply(request) for request in reversed(requests)]
        # What was doubted has been kept before.
        kept = past.choice.told.keys() | past.choice.whole
        spoken = [at for at in dict.fromkeys(replies) if at is not None and at not in kept]
        share = REPLY_SHARE
        if past.is_small:
            share = REPLY_SHARE_SMALL
        spoken = list(self._by_score(at for at in spoken if not self._is_echo(at)))
        texts = {at: past.messages[at].text.strip() for at in spoken}
        sizes = {at: past.words_tokens(at) + LINE_HEAD for at in spoken}
        # Between calls the agent mostly says what it does next; what it concluded comes first.
        room = max(room * share, min(room * REPLY_SHARE_MOST, REPLY_WANTED * len(sizes)))
        caps = reply_caps(sizes, room, most, frozenset(filter(self._is_accepted, spoken)))
        used = 0.0
        for at in spoken:
            cap = caps[at]
            if sizes[at] <= cap and self._stays_alone(at):
                past.choice.whole.add(at)
                used += past.tokens(at)
            elif cap:
                tokens = sizes[at] - LINE_HEAD
                text = conclude(texts[at], cap, past.count, tokens, answer=self._answer(at))
                past.choice.told[at] = f"[{at}] ASSISTANT: {text}"
                used += min(sizes[at], cap)
        return used

    def tell_promises(self, requests: Sequence[Request], room: float) -> float:
        """Tell what the agent promised, the newest first: no other line would hold it to that."""
        past = self.past
        used = 0.0
        # Of a closing reply more is told than what it promises.
        closing = {self._closing_reply(request) for request in requests}
        for at, words in reversed(past.story.promises):
            if not past.said_in(at, at + 1) or at in closing or at in past.choice.told:
                continue
            line = f"[{at}] ASSISTANT: {words}"
            cost = past.count(line) + 1
            if used + cost > room:
                break
            past.choice.told[at] = line
            used += cost
        return used

    def tell_narration(self, room: float) -> None:
        """Tell what the agent said between its calls, the newest first."""
        past = self.past
        most = int(past.room * NARRATION_MOST)
        if past.is_small:
            self._tell_findings(room, most)
            return
        announced = room * ANNOUNCED_SHARE
        for at in self._by_score(self._narration()):
            text, tokens = self._finding(at, most)
            size = tokens + LINE_HEAD
            if size > room and room < LEAST_TEXT * 3:
                return
            if not text or size > room:
                continue
            if self._announces(at):
                announced -= size
                if announced < 0:
                    return
            past.choice.told[at] = f"[{at}] ASSISTANT: {text}"
            room -= size

    def _tell_findings(self, room: float, most: int) -> None:
        """Tell of what the agent said between its calls what says most, where room is short."""
        past = self.past
        places: list[int] = []
        texts: list[str] = []
        sizes: list[int] = []
        for at in self._by_score(self._narration()):
            text, tokens = self._finding(at, most)
            if text:
                places.append(at)
                texts.append(text)
                sizes.append(tokens + LINE_HEAD)
        chosen: Iterable[int] = range(len(texts))
        if self._scorer is None:
            chosen = telling_texts(texts, sizes, room)
        announced = room * ANNOUNCED_SHARE
        for number in chosen:
            at, size = places[number], sizes[number]
            announces = self._announces(at)
            if size > (min(room, announced) if announces else room):
                continue
            past.choice.told[at] = f"[{at}] ASSISTANT: {texts[number]}"
            room -= size
            announced -= size * announces

    def _finding(self, at: int, most: int) -> tuple[str, int]:
        """Return what the agent said beside what it did next, within `most` tokens, and its size.

        The deeds themselves are told in a line of their own.
        """
        past = self.past
        whole = past.messages[at].text.strip()
        text = without_doing(whole)
        if len(text) < LEAST_CHARACTERS:
            return "", 0
        # By its length: to count each of them again in every commit would cost too much.
        tokens = past.words_tokens(at) * len(text) // len(whole)
        if tokens > most:
            text = conclude(text, most, past.count, tokens)
            tokens = past.count(text)
        return text, tokens

    def _narration(self) -> Iterator[int]:
        """Yield where the agent spoke between its calls: findings first, then announcements.

        A sentence that announces the next call tells less than a finding, which takes more words.
        """
        past = self.past
        announcing: list[int] = []
        looked = NARRATION_LOOKED
        if past.is_small:
            # Most of it is left out there, and to find that out takes time.
            looked = NARRATION_LOOKED_SMALL
        newest = past.said_in(past.start, past.stop)[-looked:]
        for at in reversed(newest):
            if at in past.choice.whole or at in past.choice.told:
                continue
            if self._announces(at):
                announcing.append(at)
            elif not self._is_echo(at):
                yield at
        # A writer tells where the steps led.
        if not past.beside:
            yield from (at for at in announcing if not self._is_echo(at))

    def _announces(self, at: int) -> bool:
        """Tell whether what the agent said beside a call is too short for a finding."""
        return len(self.past.messages[at].text) < TELLING_CHARACTERS

    def _findings(self, request: Request) -> list[int]:
        """Return where the agent told what it found out for a request, the newest first.

        As long as it works on a request, the last thing it said only announces the next call.
        """
        past = self.past
        said = past.said_in(request.start, request.stop)
        telling = [at for at in said if not self._announces(at)]
        return telling[: -REPLIES_FIRST - 1 : -1]

    def _closing_reply(self, request: Request) -> int | None:
        past = self.past
        said = past.said_in(request.start, request.stop)
        for at in reversed(said[-REPLIES_LOOKED:]):
            message = past.messages[at]
            # Beside a call it may only announce it; in little room that tells what is next.
            is_next = request.stop == past.stop and past.is_small
            if is_next or not message.calls or without_doing(message.text.strip()):
                return at
        return None

    def _answer(self, at: int) -> str:
        """Return the next words of a person after a position."""
        past = self.past
        typed = past.typed
        following = bisect_right(typed, at)
        if following == len(typed):
            return ""
        return typed_text(past.messages[typed[following]])

    def _is_accepted(self, at: int) -> bool:
        """Tell whether the next words of a person take up what a reply says, offers or asks."""
        answer = self._answer(at)
        return bool(answer) and (goes_ahead(answer) or bool(numbers_in(answer)))

    def _by_score(self, spoken: Iterable[int]) -> Iterable[int]:
        """Return where the agent spoke, what says most first; as it is if use decides."""
        scorer = self._scorer
        if scorer is None:
            return spoken
        return sorted(spoken, key=lambda at: -scorer(self.past.messages[at].text))

    @cached_property
    def _scorer(self) -> TextScorer | None:
        past = self.past
        return scorer_for(past.scoring, past.messages)

    def _is_echo(self, at: int) -> bool:
        """Tell whether the same words were looked at before: once, at their newest place, will do.

        Some agents answer "Done." a hundred times.
        """
        return self._newest_place.setdefault(self.past.messages[at].text.strip(), at) != at

    def _stays_alone(self, at: int) -> bool:
        """Tell whether a reply is a part of its own, so that it can stay in its place."""
        past = self.past
        calls = bool(past.messages[at].calls)
        return at not in past.choice.folded and not calls and at in past.alone
