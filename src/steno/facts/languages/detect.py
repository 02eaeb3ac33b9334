"""Which language a text is in, if that is certain.

By script first; languages of Latin script by their small words, which are in each
language's table. A text whose language is not certain has no name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from steno.core.message import Message, Value
from steno.core.word_tables import words_of
from steno.facts.authorship import split_by_author
from steno.facts.languages import LANGUAGES, closest_language

SAMPLE = 20_000
"""Characters that are looked at."""
UNITS_LEAST = 8
"""Words, or characters of a script without spaces, under which nothing is sure."""
CLEAR = 0.7
"""Of the units in one script, from which on a text is in it."""
SMALL_LEAST = 4
GUESSED_BY = 2
"""Small words by which a sentence or two are told."""
SMALL_SHARE = 0.15
"""Of the words, that a language's small words make up at the least."""
AHEAD = 1.8
"""Times more small words than the next language has."""

FOREIGN_MOST = 0.04
"""Of the words, with letters that a language does not write: Portuguese is not Spanish."""
_NEIGHBOURS = {
    "Italian": words_of(
        "a ai al alla alle anche che chi ci come con da dal dalla dei del della delle di dopo dove "
        "e è fai fare favore gli ha hai ho i il in io la le lo loro ma me mi mia mio ne nel nella "
        "no non o ogni per perché più poi prima quando questa questo se sei sempre senza si solo "
        "sono su sua sul sulla suo te ti tu tutti tutto un una uno va "
    ),
    "Portuguese": words_of(
        "a ao aos as até com como da das de depois do dos e ela ele em é está eu faça favor foi há "
        "isso já mais mas me meu minha muito na nas nem no nos não nunca o os ou para pela pelo "
        "por porque quando que se sem sempre ser seu sobre sua são só também tem todos tudo um "
        "uma você "
    ),
}
"""Small words of languages without a table, which share many with Spanish and French."""
_LETTERS = {"Spanish": "áéíóúüñ", "French": "àâæçéèêëîïôœùûüÿ", "German": "äöüßéà"}

# A Latin word within a path, a dotted name or inline code belongs to no language.
_UNIT = re.compile(
    r"(?P<Han>[\u4e00-\u9fff])|(?P<Kana>[\u3040-\u30ff])|(?P<Hangul>[\uac00-\ud7a3])"
    r"|(?P<Cyrillic>[\u0400-\u04ff]+)|(?P<Arabic>[\u0600-\u06ff]+)|(?P<Greek>[\u0370-\u03ff]+)"
    r"|(?P<Hebrew>[\u0590-\u05ff]+)|(?P<Devanagari>[\u0900-\u097f]+)|(?P<Thai>[\u0e00-\u0e7f]+)"
    r"|(?<![\w./`-])(?P<Latin>[A-Za-z\u00c0-\u024f]+(?:['’][a-z]+)?)(?![\w/`]|[.-]\w)"
)
_OF_A_SCRIPT = {"Kana": "Japanese", "Hangul": "Korean", "Han": "Chinese"}
_SMALL_WORDS = {cues.name: cues.small_words for cues in LANGUAGES if cues.small_words}


class Language(Value):
    """A language as far as it is known; empty words where it is not."""

    name: str = ""
    script: str = ""

    def differs(self, other: Language) -> bool:
        """Tell whether both are known, and not the same."""
        if self.script and other.script and self.script != other.script:
            # Japanese is written in both.
            return {self.script, other.script} != {"Han", "Kana"}
        return bool(self.name and other.name and self.name != other.name)

    def __str__(self) -> str:
        return self.name or "the language of the conversation"


def detect_language(text: str) -> Language:
    """Return the language of a text, as far as it is sure."""
    units = list(_units(text[:SAMPLE]))
    scripts = Counter(script for script, _ in units)
    if len(units) < UNITS_LEAST:
        return Language()
    if scripts["Kana"] > len(units) * 0.1:  # Japanese is written in both
        return Language("Japanese", "Kana")
    script, most = scripts.most_common(1)[0]
    if most < CLEAR * len(units):
        return Language()
    if script != "Latin":
        return Language(_OF_A_SCRIPT.get(script, ""), script)
    return Language(
        _latin_language([word.lower() for kind, word in units if kind == "Latin"]), script
    )


def language_of_user(messages: Iterable[Message]) -> Language:
    """Return the language of what people typed, the newest of it."""
    typed: list[str] = []
    left = SAMPLE
    for message in messages:
        if message.role != "user":
            continue
        for piece in split_by_author(message):
            if piece.trust == "person" and piece.prose:
                typed.append(piece.text[:left])
                left -= len(piece.text)
        if left <= 0:
            break
    return guess_language("\n".join(typed))


def guess_language(text: str) -> Language:
    """Return the language of a text, also of one sentence: the one that knows its small words."""
    sure = detect_language(text)
    likely = closest_language(text)
    if sure.name or likely is None:
        return sure
    if not likely.small_words:
        return Language(likely.name, "Han")
    known = likely.small_words
    words = [word.lower() for kind, word in _units(text[:SAMPLE]) if kind == "Latin"]
    if sum(word in known for word in words) < GUESSED_BY or not _may_be_in(likely.name, words):
        return sure
    return Language(likely.name, "Latin")


def _units(text: str) -> Iterator[tuple[str, str]]:
    for found in _UNIT.finditer(text):
        assert found.lastgroup is not None
        yield found.lastgroup, found[0].replace("’", "'")


def _latin_language(words: list[str]) -> str:
    scores = sorted(
        ((sum(word in small for word in words), name) for name, small in _SMALL_WORDS.items()),
        reverse=True,
    )
    (best, name), (second, _) = scores[:2]
    sure = best >= max(SMALL_LEAST, SMALL_SHARE * len(words)) and best >= AHEAD * second
    if sure and _may_be_in(name, words):
        return name
    return ""


def _may_be_in(name: str, words: list[str]) -> bool:
    """Tell whether a language writes the letters, and knows more words than its neighbours."""
    own = _LETTERS.get(name, "")
    foreign = sum(any(letter > "z" and letter not in own for letter in word) for word in words)
    if foreign > FOREIGN_MOST * len(words):
        return False
    small = sum(word in _SMALL_WORDS[name] for word in words)
    return all(
        sum(word in neighbour for word in words) < small for neighbour in _NEIGHBOURS.values()
    )
