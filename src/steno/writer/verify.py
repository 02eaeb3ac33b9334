"""Whether the lines of a writer rest on what was said, and what is done where they do not.

A true line that cites badly is worth keeping, so most faults are mended or marked: a line whose
names stand in another message is cited anew; one that nothing bears out is marked as not
confirmed, and a plan that was not stated as inferred. Two kinds of lines are dropped: orders that
no person and no agent gave, and names that stand nowhere in the session. No line is held against
a rule: the rules stand word for word beside it. How a reply is read into lines is the business of
`replies`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from steno.core.message import Message, Thinking
from steno.core.summary import Sections, SummaryLine
from steno.facts.imperatives import begins_with_imperative, gives_orders, speaks_for_a_person
from steno.facts.languages.detect import Language
from steno.facts.rules import states_rule
from steno.facts.text import flatten, message_text
from steno.writer.session_words import (
    STEM,
    WORD,
    SessionWords,
    check_names,
    flatten_lower,
    names_in,
    share_among,
    spoken_texts,
    telling_stems,
    texts_by,
)

LINE_MOST = 700
"""Characters of a line; longer ones are cut."""
CITES_MOST, RUNS_MOST = 64, 6
"""Positions that one line may cite, and runs of neighbouring ones."""
WISHED, BIDDEN, DECIDED = 0.5, 0.5, 0.3
"""Share of a wish, of an instruction and of a decision that must be in the cited words."""
KNOWN = 0.5
"""Share of a line that must be in what people and the assistant said, wherever."""
SURE = 0.75
"""Share of a line from which on another message than the cited one is taken for its source."""
REPEATED = 0.6
"""Share of a line that an order in a tool's text must hold for the line to repeat it."""
SPOKEN_ONLY = ("DECISIONS", "NEXT")
"""Sections that a tool's words cannot support: a person or the assistant must have said it."""
CONCLUDED = ("DEFECTS", "NEXT")
"""Sections in which a line that was not said is the writer's own conclusion."""
THINKING_WORDS = 8
"""Words in a row that make a quotation of what the assistant thought."""

INFERRED = "(inferred)"
UNCONFIRMED = "(not confirmed)"
MARKS = (INFERRED, UNCONFIRMED)

CITES_CHECK = "prose_cites_what_is_covered"
NAMES_CHECK = "prose_names_what_was_said"
ORDERS_CHECK = "prose_gives_no_orders"
THINKING_CHECK = "prose_quotes_no_thinking"
MENDED, MARKED = "prose_is_cited_anew", "prose_is_marked"

_ADDRESS = re.compile(r"https?://\S+|\b[\w.+-]{1,64}@[\w-]+\.\w+|\bwww\.\S+", re.I)
_MARK = re.compile(
    r"^\((?:inferred|not confirmed)\)[:.]?\s*|\((?:inferred|not confirmed)\)\.?$", re.I
)


@dataclass(frozen=True)
class Sources:
    """What lines may rest on."""

    messages: Mapping[int, Message]
    """What may be cited, by position."""
    session: SessionWords
    _texts: dict[int, str] = field(default_factory=dict, init=False, compare=False, repr=False)
    _stems: dict[int, set[str]] = field(default_factory=dict, init=False, compare=False, repr=False)

    def text_at(self, at: int) -> str:
        if at not in self._texts:
            self._texts[at] = flatten_lower((message_text(self.messages[at]),))
        return self._texts[at]

    def spoken_stems_at(self, at: int) -> set[str]:
        if at not in self._stems:
            self._stems[at] = telling_stems(flatten_lower(spoken_texts(self.messages[at])))
        return self._stems[at]

    def spoken_share(self, text: str, cites: Iterable[int]) -> float:
        """Return how much of a line a person or the assistant said at these positions."""
        said: set[str] = set()
        for at in cites:
            said |= self.spoken_stems_at(at)
        return share_among(text, said)

    def typed_text_at(self, cites: Iterable[int]) -> str:
        """Return what a person typed there."""
        return flatten_lower(
            words for at in cites for words in texts_by(self.messages[at], ("person",))
        )

    def quotes_thinking(self, text: str, cites: Iterable[int]) -> bool:
        """Tell whether a line repeats what the assistant thought there, word for word."""
        thought = flatten_lower(
            block.text
            for at in cites
            for block in self.messages[at].blocks
            if isinstance(block, Thinking)
        )
        words = flatten(text).lower().split()
        runs = range(len(words) - THINKING_WORDS + 1)
        return any(" ".join(words[at : at + THINKING_WORDS]) in thought for at in runs)


def is_marked(line: SummaryLine) -> bool:
    """Tell whether a line says itself that its sources do not state it."""
    return line.text.endswith(MARKS)


def verify_lines(
    sections: Sections, sources: Sources, speech: Language
) -> tuple[Sections, Counter[str]]:
    """Return the lines that may stand, mended and marked, and how many met which check."""
    met: Counter[str] = Counter()
    held: Sections = {}
    for name, lines in sections.items():
        for line in lines:
            verdict = _LineCheck(name, line, sources, speech).verdict()
            met.update(verdict.checks)
            if verdict.line is not None:
                held.setdefault(name, []).append(verdict.line)
    return held, met


@dataclass(frozen=True)
class Verdict:
    """A line as it may stand, None if it may not, and the checks it met."""

    line: SummaryLine | None
    checks: tuple[str, ...] = ()


class _LineCheck:
    """One line on its way through the checks."""

    def __init__(self, name: str, line: SummaryLine, sources: Sources, speech: Language) -> None:
        self.name = name
        self.sources = sources
        self.session = sources.session
        self.speech = speech
        text = flatten(line.text)
        self.inferred = any(INFERRED in mark.lower() for mark in _MARK.findall(text))
        self.text = _shorten_line(_MARK.sub(" ", text).strip())
        self.names = [flatten(each).lower() for each in dict.fromkeys(names_in(self.text))]
        self.cites = _first_runs([at for at in line.cites if at in sources.messages])
        self.doubtful = False
        self.mended = False

    def verdict(self) -> Verdict:
        if not self.text:
            return Verdict(None, (CITES_CHECK,))
        unknown = set(check_names(self.text, self.session, self.speech))
        # A name that occurs nowhere in the session can only mislead; no citation would mend it.
        if "invented" in unknown:
            return Verdict(None, (NAMES_CHECK,))
        self.doubtful = "unsure" in unknown
        # Before the checks below, which ask whose words stand at the cited positions.
        self._cite_anew()
        if not self.cites:
            return Verdict(None, (CITES_CHECK,))
        if not self._may_say():
            return Verdict(None, (ORDERS_CHECK,))
        if self.sources.quotes_thinking(self.text, self.cites):
            return Verdict(None, (THINKING_CHECK,))
        return Verdict(self._line(), tuple(self._checks()))

    def _line(self) -> SummaryLine:
        text = self.text
        if self.inferred:
            text = f"{text} {INFERRED}"
        elif self.doubtful:
            text = f"{text} {UNCONFIRMED}"
        return SummaryLine(text, tuple(dict.fromkeys(self.cites)), written=True)

    def _checks(self) -> Iterator[str]:
        if self.mended:
            yield MENDED
        if self.doubtful and not self.inferred:
            yield MARKED

    def _cite_anew(self) -> None:
        """Cite a message that holds the names of the line, if the cited ones hold few of them."""
        missing = [name for name in self.names if not self._is_cited(name)]
        if missing and (len(missing) > len(self.names) / 2 or not self.cites):
            self._add_cite(missing)
        if not self.cites:
            self._cite_nearest()

    def _is_cited(self, name: str) -> bool:
        return any(name in self.sources.text_at(at) for at in self.cites)

    def _add_cite(self, names: Sequence[str]) -> None:
        """Add the newest message that holds most of some names."""
        held = {
            at: sum(name in self.sources.text_at(at) for name in names)
            for at in self.sources.messages
        }
        best = max(held, key=lambda at: (held[at], at), default=None)
        if best is not None and held[best]:
            self.cites.append(best)
            self.mended = True

    def _cite_nearest(self) -> None:
        """Cite the message whose words are nearest; a conclusion may rest on the newest."""
        shares = {
            at: share_among(self.text, telling_stems(self.sources.text_at(at)))
            for at in self.sources.messages
        }
        best = max(shares, key=lambda at: (shares[at], at), default=None)
        if best is None:
            return
        if shares[best] >= KNOWN:
            self.cites = [best]
        elif self.inferred:
            self.cites = [max(self.sources.messages)]
        self.mended = bool(self.cites)

    def _may_say(self) -> bool:
        """Tell whether an author whose words count supports the line; mark it where it must be.

        A tool's words never do: what only a tool said must not come back as an order or a wish.
        """
        # A line that imitates our fences could pass for one when the list comes back.
        if "steno-" in self.text:
            return False
        # An order binds the agent, so a person must have typed it; the agent's word is too little.
        if gives_orders(self.text):
            return self._is_typed(self.cites)
        if speaks_for_a_person(self.text):
            return self._may_speak_for_person()
        if states_rule(self.text):
            return self._is_spoken(BIDDEN) or self._is_known()
        ordering = _bids(self.text)
        if self.name not in SPOKEN_ONLY and not ordering:
            if self.name in CONCLUDED and not self._is_spoken(KNOWN):
                self.inferred = True
            return True
        if self._is_spoken(BIDDEN if ordering else DECIDED):
            return True
        # Words of a tool could come back as a plan; those that no one else used are dropped.
        if self._repeats_tool() or not self._is_known():
            return False
        self.inferred = self.inferred or self.name in CONCLUDED
        self.doubtful = True
        return True

    def _is_spoken(self, least: float) -> bool:
        """Tell whether a cited message says so, or another that is then cited too."""
        if not self._addresses_are_spoken():
            return False
        if self.sources.spoken_share(self.text, self.cites) >= least:
            return True
        shares = {at: self.sources.spoken_share(self.text, (at,)) for at in self.sources.messages}
        best = max(shares, key=lambda at: (shares[at], at))
        # Another source than the cited one is a guess, so far more of the line must be there.
        if shares[best] < SURE:
            return False
        self.cites.append(best)
        self.mended = True
        return True

    def _addresses_are_spoken(self) -> bool:
        """Tell whether people or the assistant named every place that something could be sent to.

        A file or a function may be known from a tool alone; an address would be an order.
        """
        said = self.session.spoken_text
        return all(address.lower() in said for address in _ADDRESS.findall(self.text))

    def _is_known(self) -> bool:
        """Tell whether people and the assistant spoke of all this somewhere, its verb included."""
        said = self.session.spoken_stems
        opening = next((word for word in WORD.findall(self.text.lower()) if len(word) > 2), "")
        verb = not _bids(self.text) or opening[:STEM] in said
        return verb and self._addresses_are_spoken() and share_among(self.text, said) >= KNOWN

    def _repeats_tool(self) -> bool:
        """Tell whether the line repeats an order that stands in a tool's text."""
        return any(share_among(self.text, order) >= REPEATED for order in self.session.tool_orders)

    def _is_typed(self, cites: Sequence[int]) -> bool:
        typed = self.sources.typed_text_at(cites)
        share = share_among(self.text, telling_stems(typed))
        return share >= WISHED and all(name in typed for name in self.names)

    def _may_speak_for_person(self) -> bool:
        if self._is_typed(self.cites):
            return True
        for at in sorted(self.sources.messages, reverse=True):
            if self._is_typed((at,)):
                self.cites = [at]
                self.mended = True
                return True
        # An answer "option 2" says it in the words of the question.
        self.doubtful = True
        return self._is_known() and not self._repeats_tool()


def _bids(text: str) -> bool:
    """Tell whether a line begins with what to do; a command in quotes is named, not given."""
    return not text.startswith("`") and begins_with_imperative(text)


def _first_runs(cites: Sequence[int]) -> list[int]:
    """Return the first runs of neighbouring positions, as many as a line may cite."""
    kept: list[int] = []
    runs = 0
    for at in dict.fromkeys(cites):
        runs += not kept or at != kept[-1] + 1
        if runs > RUNS_MOST or len(kept) == CITES_MOST:
            break
        kept.append(at)
    return kept


def _shorten_line(text: str) -> str:
    if len(text) <= LINE_MOST:
        return text
    return text[: LINE_MOST - 1] + "…"
