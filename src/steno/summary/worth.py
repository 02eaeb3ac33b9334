"""How likely a piece of a file or a result is wanted again, and other ways to rate a text.

`likely` is the default: a logistic of a few features that say how recently and how often the file
was used, whether the agent changed it, how long the piece is, how many words it shares with what
people asked for, and how many names with the agent's newest calls. The weights come from a fit of
eleven features on recorded sessions; two pairs were merged by hand, and it was not fitted again.
Newest first instead costs .06 of the names that are used again on projects apart, three features
.03.

The other scorings read the words alone: how rare they are in the session (TF-IDF over the
messages), how little they repeat each other, or how little a model expects them. A score is only
compared with other scores of the same kind. What each buys is in `docs/internals/benchmarks.md`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, get_args

import msgspec

from steno.core.errors import BadPolicy
from steno.core.message import Message, Value
from steno.core.tape import Tape, stored_as
from steno.facts.languages import SMALL_WORDS
from steno.facts.text import SearchableText

AGE_UNIT = 20
"""Messages by which ages are counted."""
SIZE_UNIT = 200
"""Characters by which sizes are counted."""
TASK_WORDS = 6
"""Shared words from which on more make no difference."""
TEXTS_KEPT = 512

_WORD = re.compile(r"[A-Za-z_]{5,}")
Scoring = Literal["likely", "rarity", "entropy", "surprisal"]
"""What texts are worth: by their use, by TF-IDF, by the entropy of their words, by a model."""
TextScorer = Callable[[str], float]
WINDOW_TERMS = 64
"""Terms over which entropy is measured, so that a long text is not worth more by its length."""

_registered: dict[str, TextScorer] = {}
# Latin words of three letters on, names with digits, and pairs of characters where there are no
# spaces.
TERM = re.compile(r"[a-z0-9_à-öø-ÿ]{3,40}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_SPACELESS = "\u3040"
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_FOCUS_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|[^\W\u3040-\u30ff\u3400-\u9fff]+")


class PieceFeatures(Value, gc=False):
    """What is known of a piece when it is chosen or left out."""

    age: int
    """Messages since its file was last touched, or since the result came in."""
    shared: int
    """Words it shares with what people asked for."""
    size: int
    """Its characters: a long piece takes the place of others."""
    changed_file: bool = False
    """Whether the agent wrote or changed its file: what is done is wanted less often."""
    changed: bool = False
    """Whether the agent wrote or changed this very piece."""
    result: bool = False
    """Whether it is what a search, a command or another tool answered."""
    touches: int = 1
    """How often its file was touched; 1 for a result."""
    in_hand: float = 0.0
    """Names of code in it that the newest calls use, each shared among the pieces that have it."""

    def vector(self) -> tuple[float, ...]:
        """Return the features as numbers, in the order of `WEIGHTS`."""
        return (
            1.0,
            math.log1p(self.age / AGE_UNIT),
            float(self.changed_file),
            float(self.changed),
            float(self.result),
            math.log1p(self.touches),
            min(self.shared, TASK_WORDS) / TASK_WORDS,
            math.log1p(self.size / SIZE_UNIT),
            math.log1p(self.in_hand),
        )


WEIGHTS = (0.42, -0.55, -0.86, 0.84, -0.50, 0.14, 0.79, -0.65, 0.70)
"""One for each number of `PieceFeatures.vector`."""


def worth_of(features: PieceFeatures) -> float:
    """Return how likely a piece is wanted again, from 0 to 1."""
    score = sum(weight * value for weight, value in zip(WEIGHTS, features.vector(), strict=True))
    return 1 / (1 + math.exp(-score))


# The pieces of a file that was not touched are rated again in each commit.
@lru_cache(maxsize=TEXTS_KEPT)
def telling_words(text: str) -> frozenset[str]:
    """Return the words of a text that are long enough to tell what it is about."""
    return frozenset(_WORD.findall(text))


def spoken_length(text: str) -> int:
    """Return the characters of a text; a Chinese, Japanese or Korean one says as much as three."""
    if text.isascii():
        return len(text)
    return len(text) + 2 * sum(map(len, _UNSPACED.findall(text)))


@lru_cache(maxsize=TEXTS_KEPT)
def focus_share(focus: str, text: str) -> float:
    """Return the share of a focus's words that a text has, in any case and as parts of names."""
    wanted = focus_words(focus)
    if not wanted:
        return 0.0
    return (len(wanted) - len(words_unsaid(wanted, text))) / len(wanted)


def focus_words(focus: str) -> list[str]:
    """Return the words of a focus that say what it is about, each once."""
    return sorted({*_FOCUS_WORD.findall(focus.lower())} - SMALL_WORDS)


def words_unsaid(wanted: Iterable[str], text: str) -> list[str]:
    """Return the words that a text lacks."""
    text = text.lower()
    words = frozenset(re.findall(r"[^\W_]+", text))
    # A number or an initial within a longer word says nothing; a part of a name does.
    return [word for word in wanted if word not in words and not (len(word) > 1 and word in text)]


def register_surprisal(scorer: TextScorer) -> None:
    """Let policies use `scorer="surprisal"`: a function that rates a text, the higher the more.

    `examples/surprisal.py` has one that asks a model in a file.
    """
    _registered["surprisal"] = scorer


def require_scorer(scoring: Scoring) -> None:
    """Refuse a scorer that is not there, or that needs a model as long as none is registered."""
    known = get_args(Scoring)
    if scoring not in known:
        raise BadPolicy(f"there is no scorer {scoring!r}; there are {', '.join(known)}")
    if scoring == "surprisal" and scoring not in _registered:
        raise BadPolicy(
            "scorer = 'surprisal' needs a model: call steno.rungs.register_surprisal first, "
            "for instance with the one of examples/surprisal.py"
        )


def scorer_for(scoring: Scoring, messages: Tape[Message]) -> TextScorer | None:
    """Return what rates a text of this session; None if its use does."""
    match scoring:
        case "likely":
            return None
        case "rarity":
            return messages.fold(fold_rarity).score
        case "entropy":
            return entropy
    return _registered[scoring]


def entropy(text: str) -> float:
    """Return the bits that one of the text's terms says, at the median of its windows."""
    terms = TERM.findall(text.lower())
    if not terms:
        return 0.0
    windows = [
        _entropy_of(terms[at : at + WINDOW_TERMS]) for at in range(0, len(terms), WINDOW_TERMS)
    ]
    return sorted(windows)[len(windows) // 2]


def _entropy_of(terms: list[str]) -> float:
    shares = [times / len(terms) for times in Counter(terms).values()]
    return -sum(share * math.log2(share) for share in shares)


def term_counts(text: str) -> Counter[str]:
    """Return how often each term stands in a text."""
    counted = Counter(TERM.findall(text.lower()))
    for run in [term for term in counted if term[0] >= _SPACELESS]:
        times = counted.pop(run)
        for at in range(max(1, len(run) - 1)):
            counted[run[at : at + 2]] += times
    return counted


class Rarity(Value):
    """In how many of the texts read so far each term stands: a left fold, so that reading on
    costs what is new.
    """

    texts: int = 0
    holding: Mapping[str, int] = msgspec.field(default_factory=dict)

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
        return math.log((1 + self.texts) / (1 + self.holding.get(term, 0)))

    def score(self, text: str) -> float:
        """Return how much a text says that others do not.

        Long texts count for more, but not by their length.
        """
        counted = term_counts(text)
        if not counted:
            return 0.0
        said = sum((1 + math.log(times)) * self.of(term) for term, times in counted.items())
        return said / math.sqrt(len(counted))


@stored_as("rarity", 1)
def fold_rarity(before: Rarity | None, messages: Sequence[Message], at: int) -> Rarity:
    """Go on with more messages; a fold for `Tape.fold`."""
    return (before or Rarity()).plus(SearchableText((message,)).text for message in messages)
