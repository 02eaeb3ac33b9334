"""What the agent said, shared out over its part of the room.

What a focus names and what it doubted stays whole, each within a room of its own. Then comes the
last thing it said in each request, then what it said between its calls.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from steno.facts.authorship import typed_text
from steno.facts.sentences import sentences
from steno.summary.past import LINE_HEAD, Past, Request
from steno.summary.people_words import LEAST_TEXT
from steno.summary.replies import cut_reply
from steno.summary.words import reply_caps
from steno.summary.worth import focus_share, scorer_for, spoken_length

REPLY_SHARE, REPLY_SHARE_SMALL = 0.60, 0.70
"""Share of what is left then for the closing replies, also in a small room."""
DOUBT_LINES_SHARE = 0.2
"""Share of the room for doubts for those whose messages do not fit whole."""
NARRATION_LOOKED = 4_000
"""Messages among which such words are looked for, the newest."""
NARRATION_MOST = 0.06
"""Share of the room for one of them."""
LEAST_CHARACTERS = 40
"""Characters of such words below which they are told last."""
TELLING_CHARACTERS = 110
"""Characters from which on what the agent said between calls is likely a finding."""


class AgentWords:
    """Chooses what is shown of the agent's words."""

    def __init__(self, past: Past) -> None:
        self.past = past
        self._newest_place: dict[str, int] = {}

    def keep_focused(self, room: float) -> float:
        """Keep whole what the agent said of a focus; of what does not fit, the sentences on it."""
        focus, messages = self.past.draft.focus, self.past.messages
        if not focus:
            return 0.0
        shares: dict[int, float] = {}
        for at in self.past.said_in(self.past.start, self.past.stop):
            shares[at] = focus_share(focus, messages[at].text)
        named: dict[int, list[str]] = {}
        for at in sorted(shares, key=lambda at: (-shares[at], -at)):
            if shares[at] and not self._is_echo(at):
                text = messages[at].text
                parts = (text[start:stop].strip() for start, stop in sentences(text))
                named[at] = [part for part in parts if focus_share(focus, part)]
        return self.keep_first(named, room, room)

    def keep_first(
        self, chosen: Mapping[int, Sequence[str]], whole: float, room: float, mark: str = ""
    ) -> float:
        """Keep messages `whole`, in their order; of the others, tell these sentences in `room`."""
        past = self.past
        used = 0.0
        rest: list[int] = []
        if any(chosen.values()):
            whole *= 1 - DOUBT_LINES_SHARE
        for at in chosen:
            kept = at in past.choice.told or at in past.choice.whole
            if kept or not past.start <= at < past.stop or not past.said_in(at, at + 1):
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
            if not chosen[at]:
                continue
            line = f"[{at}] ASSISTANT{mark}: {' … '.join(chosen[at])}"
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
        closing = [past.said_in(each.start, each.stop)[-1:] for each in reversed(requests)]
        # What was doubted has been kept before.
        kept = past.choice.told.keys() | past.choice.whole
        spoken = [at for last in closing for at in last if at not in kept]
        share = REPLY_SHARE
        if past.is_small:
            share = REPLY_SHARE_SMALL
        spoken = list(self._by_score(at for at in spoken if not self._is_echo(at)))
        texts = {at: past.messages[at].text.strip() for at in spoken}
        sizes = {at: past.words_tokens(at) + LINE_HEAD for at in spoken}
        # A person was asked to agree to a plan: it is a reply, though a tool handed it over.
        plans = {at: text for at, text in past.newest_plan().items() if at not in kept}
        spoken = [*plans, *(at for at in spoken if at not in plans)]
        texts |= plans
        sizes |= {at: past.count(text) + LINE_HEAD for at, text in plans.items()}
        # Between calls the agent mostly says what it does next; what it concluded comes first.
        caps = reply_caps(sizes, room * share)
        used = 0.0
        for at in spoken:
            cap = caps[at]
            if sizes[at] <= cap and self._stays_alone(at):
                past.choice.whole.add(at)
                used += past.tokens(at)
            elif cap:
                tokens = sizes[at] - LINE_HEAD
                text = cut_reply(texts[at], cap, past.count, tokens, answer=self._answer(at))
                mark = ""
                if at in plans:
                    mark = ", with a plan"
                past.choice.told[at] = f"[{at}] ASSISTANT{mark}: {text}"
                used += min(sizes[at], cap)
        return used

    def tell_narration(self, room: float) -> None:
        """Tell what the agent said between its calls, the newest first."""
        past = self.past
        most = int(past.room * NARRATION_MOST)
        for at in self._by_score(self._narration()):
            text = past.messages[at].text.strip()
            tokens = past.words_tokens(at)
            if tokens > most:
                text = cut_reply(text, most, past.count, tokens)
                tokens = past.count(text)
            size = tokens + LINE_HEAD
            if size > room and room < LEAST_TEXT * 3:
                return
            if size > room:
                continue
            past.choice.told[at] = f"[{at}] ASSISTANT: {text}"
            room -= size

    def _narration(self) -> Iterator[int]:
        """Yield where the agent spoke between its calls: findings first, then announcements.

        A sentence that announces the next call tells less than a finding, which takes more words.
        """
        past = self.past
        newest = past.said_in(past.start, past.stop)[-NARRATION_LOOKED:]
        kept = past.choice.told.keys() | past.choice.whole
        announcing: list[int] = []
        short: list[int] = []
        for at in reversed(newest):
            if at in kept or self._is_echo(at):
                continue
            length = spoken_length(past.messages[at].text)
            if length >= TELLING_CHARACTERS:
                yield at
            elif length >= LEAST_CHARACTERS:
                announcing.append(at)
            else:
                short.append(at)
        # A writer tells where the steps led.
        if not past.beside:
            yield from announcing
            yield from short

    def _answer(self, at: int) -> str:
        """Return the next words of a person after a position."""
        past = self.past
        typed = past.typed
        following = bisect_right(typed, at)
        if following == len(typed):
            return ""
        return typed_text(past.messages[typed[following]])

    def _by_score(self, spoken: Iterable[int]) -> Iterable[int]:
        """Return where the agent spoke, by the scorer if there is one."""
        messages = self.past.messages
        scorer = scorer_for(self.past.scoring, messages)
        if scorer is None:
            return spoken
        return sorted(spoken, key=lambda at: -scorer(messages[at].text))

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
