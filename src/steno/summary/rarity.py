"""How much a text says that others do not: TF-IDF over a log's messages.

One of the ways to say what a text is worth (`scorers`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, sqrt

from steno.core.message import Message
from steno.facts.text import SearchableText

# Latin words of three letters on, names with digits, and pairs of characters where there are no
# spaces.
TERM = re.compile(r"[a-z0-9_à-öø-ÿ]{3,40}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_SPACELESS = "\u3040"


def term_counts(text: str) -> Counter[str]:
    """Return how often each term stands in a text."""
    counted = Counter(TERM.findall(text.lower()))
    for run in [term for term in counted if term[0] >= _SPACELESS]:
        times = counted.pop(run)
        for at in range(max(1, len(run) - 1)):
            counted[run[at : at + 2]] += times
    return counted


@dataclass(frozen=True, slots=True)
class Rarity:
    """In how many of the texts read so far each term stands: a left fold, so that reading on
    costs what is new.
    """

    texts: int = 0
    holding: Mapping[str, int] = field(default_factory=dict)

    def plus(self, texts: Iterable[str]) -> Rarity:
        """Return it with more texts read."""
        holding = Counter(self.holding)
        read = self.texts
        for text in texts:
            holding.update(term_counts(text).keys())
            read += 1
        return Rarity(read, dict(holding))

    def of(self, term: str) -> float:
        """Return 0 for what every text says, and the more, the fewer say it."""
        return log((1 + self.texts) / (1 + self.holding.get(term, 0)))

    def score(self, text: str) -> float:
        """Return how much a text says that others do not.

        Long texts count for more, but not by their length.
        """
        counted = term_counts(text)
        if not counted:
            return 0.0
        return sum((1 + log(times)) * self.of(term) for term, times in counted.items()) / sqrt(
            len(counted)
        )


def fold_rarity(before: Rarity | None, messages: Sequence[Message], at: int) -> Rarity:
    """Go on with more messages; a fold for `Tape.fold`."""
    return (before or Rarity()).plus(SearchableText((message,)).text for message in messages)
