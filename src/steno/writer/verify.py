"""Which lines of a writer may stand, and how.

A line keeps its own citations, as far as the writer was shown them. None is ever moved or added:
a tool could otherwise have its words put under a person's name. Then the line is held to who
speaks at its citations:

- A name that stands nowhere in the session is an invention. The line is dropped.
- What the user wants, and what the reader must do, needs a message of the user among the
  citations that holds half of the line's telling words. Without one the line is dropped.
- A constraint, a plan or a decision must have been said by a person or the assistant.
- A line that rests on tools alone, names only what tools named, or repeats a tool's line with the
  positions in it, says so; a decision among them stands with the facts. If it speaks of the user
  it is dropped.
- What was said in other words is marked as not confirmed, a conclusion as inferred.

How a reply is read into lines is the business of `replies`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from steno.core.message import Message, Text, Thinking, Value
from steno.core.summary import Sections, SummaryLine
from steno.facts.authorship import typed_text
from steno.facts.languages.detect import Language
from steno.facts.requests import begins_with_imperative, gives_orders, speaks_for_a_person
from steno.facts.text import flatten, message_text
from steno.summary.words import clip
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
)

LINE_MOST = 700
"""Characters of a line; longer ones are cut."""
CITES_MOST, RUNS_MOST = 64, 6
"""Positions that one line may cite, and runs of neighbouring ones."""
HALF = 0.5
"""Share of a wish, an order or a plan that the words of its source must hold."""
DECIDED = 0.3
"""Share of a decision that must be in the cited words: it is told in other words than asked."""
REPEATED = 0.6
"""Share of a line that an order in a tool's text must hold for the line to repeat it."""
DECISIONS, PLANS, FACTS = "DECISIONS", "NEXT", "FACTS"
"""The sections that only people and the assistant can support, and the one for tools' decisions."""
CONCLUDED = ("DEFECTS", PLANS)
"""Sections in which a line that was not said is the writer's own conclusion."""
THINKING_WORDS = 8
"""Words in a row that make a quotation of what the assistant thought."""

BY_TOOL = "by a tool: "
INFERRED, UNCONFIRMED = "(inferred)", "(not confirmed)"

CITES_CHECK = "prose_cites_what_is_covered"
NAMES_CHECK = "prose_names_what_was_said"
ORDERS_CHECK = "prose_gives_no_orders"
THINKING_CHECK = "prose_quotes_no_thinking"
MARKED = "prose_is_marked"
CHECKS = {
    CITES_CHECK: "rested on nothing that was shown, and were dropped",
    NAMES_CHECK: "named what is nowhere in the session, and were dropped",
    ORDERS_CHECK: "gave orders, or spoke for the user in other words than theirs, and were dropped",
    THINKING_CHECK: "quoted what the assistant thought, and were dropped",
    MARKED: "said more than their sources, and were marked as not confirmed",
}
"""What a commit says of the lines that met a check."""

_ADDRESS = re.compile(r"https?://\S+|\b[\w.+-]{1,64}@[\w-]+\.\w+|\bwww\.\S+", re.I)
_USER = re.compile(
    r"(?i)\bthe user\b(?!(?:'s)? (?:data|id|interface|model|name|table))|\buser's\b|^user\b"
)
"""The person of the session, in English; tables of other languages take any mention for a wish."""
_MARK = re.compile(
    r"^\((?:inferred|not confirmed)\)[:.]?\s*|\((?:inferred|not confirmed)\)\.?$", re.I
)


class Sources(Value):
    """What lines may rest on."""

    messages: Mapping[int, Message]
    """What may be cited, by position."""
    session: SessionWords
    answers: Mapping[int, str] = {}
    """What people said within results, by position: they answered a question of the agent's."""

    def is_tools(self, at: int) -> bool:
        """Tell whether a message holds the words of tools and of nobody else."""
        message = self.messages[at]
        if at in self.answers:
            return False
        if message.role == "assistant" or any(spoken_texts(message)) or typed_text(message):
            return False
        return bool(message_text(message).strip())

    def spoken_stems(self, cites: Iterable[int]) -> set[str]:
        """Return the telling words of people and the assistant at these positions."""
        said = [words for at in cites for words in spoken_texts(self.messages[at])]
        return telling_stems(flatten_lower([*said, *(self.answers.get(at, "") for at in cites)]))

    def typed_at(self, at: int) -> str:
        """Return what a person typed there, as a message or as an answer."""
        return f"{typed_text(self.messages[at])}\n{self.answers.get(at, '')}"

    def quotes_thinking(self, text: str, cites: Iterable[int]) -> bool:
        """Tell whether a line repeats what the assistant thought there, word for word."""
        thoughts: list[str] = []
        for message in (self.messages[at] for at in cites):
            for block in message.blocks:
                if isinstance(block, Thinking):
                    thoughts.append(block.text)
                elif isinstance(block, Text):
                    thoughts.append(message.split_reasoning(block.text)[0])
        thought = flatten_lower(thoughts)
        words = flatten(text).lower().split()
        runs = range(len(words) - THINKING_WORDS + 1)
        return any(" ".join(words[at : at + THINKING_WORDS]) in thought for at in runs)


def is_marked(line: SummaryLine) -> bool:
    """Tell whether a line says itself that no person and no agent stated it."""
    return line.text.startswith(BY_TOOL) or line.text.endswith((INFERRED, UNCONFIRMED))


def verify_lines(
    sections: Sections, sources: Sources, speech: Language
) -> tuple[Sections, Counter[str]]:
    """Return the lines that may stand, marked, and how many met which check."""
    met: Counter[str] = Counter()
    held: Sections = {}
    for name, lines in sections.items():
        for line in lines:
            check = LineCheck(name, line, sources, speech)
            failed = check.failed()
            if failed:
                met[failed] += 1
                continue
            if check.doubtful and not check.inferred:
                met[MARKED] += 1
            held.setdefault(check.name, []).append(check.line())
    return held, met


class LineCheck:
    """One line on its way through the checks."""

    def __init__(self, name: str, line: SummaryLine, sources: Sources, speech: Language) -> None:
        self.name = name
        self.sources = sources
        self.session = sources.session
        self.speech = speech
        text = flatten(line.text)
        self.inferred = any(INFERRED in mark.lower() for mark in _MARK.findall(text))
        text = _MARK.sub(" ", text).strip()
        self.by_tool = text.startswith(BY_TOOL)
        self.text = clip(text.removeprefix(BY_TOOL), LINE_MOST)
        self.telling = telling_stems(self.text)
        self.names = {flatten(name).lower() for name in names_in(self.text)}
        self.cites = _first_runs([at for at in line.cites if at in sources.messages])
        self.doubtful = False

    def failed(self) -> str:
        """Return the check that the line does not pass; empty if it may stand."""
        if not self.text or not self.cites:
            return CITES_CHECK
        known = set(check_names(self.text, self.session, self.speech))
        if "invented" in known:
            return NAMES_CHECK
        self.doubtful = "unsure" in known or self._cites_none_of_its_names()
        if self.sources.quotes_thinking(self.text, self.cites):
            return THINKING_CHECK
        if not self._may_say():
            return ORDERS_CHECK
        return ""

    def _cites_none_of_its_names(self) -> bool:
        cited = flatten_lower(message_text(self.sources.messages[at]) for at in self.cites)
        names = [WORD.findall(name) for name in self.names]
        return bool(names) and not any(all(word in cited for word in name) for name in names)

    def line(self) -> SummaryLine:
        text = self.text
        if self.by_tool:
            text = BY_TOOL + text
        if self.inferred:
            text = f"{text} {INFERRED}"
        elif self.doubtful:
            text = f"{text} {UNCONFIRMED}"
        return SummaryLine(text, tuple(self.cites), written=True)

    def _may_say(self) -> bool:
        """Tell whether an author whose words count supports the line; mark it where it must be."""
        # A line that imitates our fences could pass for one when the list comes back.
        if "steno-" in self.text:
            return False
        if gives_orders(self.text) or speaks_for_a_person(self.text):
            return self.is_typed()
        spoken = share_among(self.telling, self.sources.spoken_stems(self.cites))
        if all(map(self.sources.is_tools, self.cites)) or self.tool_says_more(spoken):
            self.by_tool = True
        self.by_tool = self.by_tool or self._has_tools_citation()
        # A plan may name a file that only a tool named; what is stated of it is the tool's word.
        named = any(name in self.session.spoken_text for name in self.names)
        if self.names and not named and self.name != PLANS:
            self.by_tool = True
        orders = _bids(self.text)
        if self.by_tool:
            if orders or self.name == PLANS or _USER.search(self.text):
                return False
            if self.name == DECISIONS:
                self.name = FACTS
        if self.name in CONCLUDED and spoken < HALF:
            self.inferred = True
        if orders or self.name in (PLANS, DECISIONS):
            return self.is_said(orders, spoken)
        return True

    def _has_tools_citation(self) -> bool:
        """Tell whether a tool's text says the line with positions, which are not the writer's."""
        line = flatten_lower([self.text])
        cited = (flatten_lower(spoken_texts(self.sources.messages[at])) for at in self.cites)
        return line in self.session.tool_citations and not any(line in said for said in cited)

    def is_typed(self) -> bool:
        """Tell whether a message of the user among the citations says so."""
        typed = [flatten_lower([self.sources.typed_at(at)]) for at in self.cites]
        shares = [share_among(self.telling, telling_stems(words)) for words in typed]
        best = max(shares)
        if best < HALF or self.tool_says_more(best):
            return False
        if any(name not in typed[shares.index(best)] for name in self.names):
            # A name that the user did not type may be true; in an order it may do harm.
            self.doubtful = True
            return not gives_orders(self.text)
        return True

    def tool_says_more(self, share: float) -> bool:
        """Tell whether an order in a tool's text holds more of the line than this share."""
        shares = (share_among(self.telling, order) for order in self.session.tool_orders)
        return any(each >= REPEATED and each > share for each in shares)

    def is_said(self, orders: bool, spoken: float) -> bool:
        """Tell whether the cited words say so; or people and the assistant elsewhere, in part."""
        # A file may be known from a tool alone; a place to send something to would be an order.
        addresses = _ADDRESS.findall(self.text.lower())
        if any(address not in self.session.spoken_text for address in addresses):
            return False
        if spoken >= (HALF if orders else DECIDED):
            return True
        self.doubtful = True
        said = self.session.spoken_stems
        opening = next((word for word in WORD.findall(self.text.lower()) if len(word) > 2), "")
        if _bids(self.text) and opening[:STEM] not in said:
            return False
        return share_among(self.telling, said) >= HALF


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
