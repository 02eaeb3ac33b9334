"""A summary as a value: which messages it covers, what it counts of them, and its lines."""

from __future__ import annotations

from steno.core.message import Span, Value

UNNAMED = ""
"""Name of a section without a heading: lines that no later summary carries on."""
QuotedRequest = tuple[int, str]
"""A position, and what the user asked there, cut to its first words."""


class SummaryLine(Value, gc=False, omit_defaults=True):
    """One line of a section, and the positions it rests on."""

    text: str
    cites: tuple[int, ...]
    written: bool = False
    """Written by a model; every other line is computed."""
    hearsay: bool = False
    """Taken from an earlier summary, about messages that are not in the log."""


Sections = dict[str, list[SummaryLine]]
"""Lines by the name of their section, while a summary is being made."""


class Section(Value, gc=False, omit_defaults=True):
    """A heading and its lines."""

    name: str
    lines: tuple[SummaryLine, ...] = ()
    more: SummaryLine | None = None
    """Says how many lines were left out, and where they are."""


class Summary(Value, gc=False, omit_defaults=True, rename={"constraints_apart": "rules_apart"}):
    """What stands for a span; without sections it is a bare trace."""

    span: Span
    tokens: int
    """Tokens of what it covers, as it was said."""
    roles: tuple[tuple[str, int], ...] = ()
    """How many messages of each role it covers."""
    calls: tuple[tuple[str, int], ...] = ()
    """The tools called most, each with the number of its calls."""
    first: QuotedRequest | None = None
    last: QuotedRequest | None = None
    hides: tuple[Span, ...] = ()
    """Other spans that show nothing: this summary says how to open them."""
    untold: tuple[Span, ...] = ()
    """Spans that no writer has read yet, if one has read the rest; an update asks about these."""
    sections: tuple[Section, ...] = ()
    note: str = ""
    """What tells the model that it reads a shortened history, in the first summary of a view."""
    story: str = ""
    """What was said and done there: people's words, replies, a line of deeds for each stretch."""
    constraints_apart: bool = False
    """Whether its constraints stand in the block at the head of the view, not in its own text."""
    language: str = ""
    """Language of its headings and notes, by its English name; empty for English."""
    state: str = ""
    """Where the work stands, and the newest state of files, in the last summary of a view."""

    def lines(self) -> Sections:
        """Return the lines of every named section, without the counts of what was left out."""
        return {
            section.name: list(section.lines)
            for section in self.sections
            if section.name != UNNAMED and section.lines
        }
