"""How much a rule covers, and how much of it a later sentence takes up.

What a sentence covers is the set of its telling words: names, paths, numbers, nouns and
verbs, without the words that only permit, forbid or join. A permission whose words are
all among those of a rule is as wide as the rule or wider; a word that the rule lacks
makes it narrower. Comparing is one-sided on purpose: `datenbank` is covered by
`testdatenbank`, not the other way round.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache

from steno.facts.languages import (
    LANGUAGES,
    closest_languages,
    in_every_language,
    spelled_out,
    words_in_every_language,
)
from steno.facts.languages.cues import LanguageCues, RuleChangeCues, any_of

KEPT_MOST, PAIRS_MOST = 4_096, 32_768
COMMON_LEAST = 4
"""Letters that two forms of one word share at the least."""
ITEM_MOST = 2
"""Telling words of an item of a list."""
ENDING_MOST = 3
"""Letters of an ending."""

_TOKEN = re.compile(
    r"(?:[\w.*~-]*/)+[\w.*-]*"
    r"|[$€£]?\d+(?:[.,]\d+)*"
    r"|[^\W\d_\u4e00-\u9fff](?:(?![\u4e00-\u9fff])[\w.])*|[\u4e00-\u9fff]"
)
_NUMBER = re.compile(r"[$€£]?\d+(?:[.,]\d+)*")
_ELIDED = re.compile(r"\b(?:[ldnjmtsc]|qu)[’']|[’'](?:s|re|ll|ve|d|m|t)\b")
_ENDINGS = frozenset(
    ("s", "es", "e", "ed", "d", "ing", "en", "n", "r", "t", "st", "te", "ten", "em")
)
"""What may be added to a word that is the stem of another."""
_OTHER_ENDINGS = frozenset(
    (
        *("a", "as", "o", "os", "ar", "ir", "an", "is", "it", "y", "ies", "ied", "ez", "ons"),
        *("ent", "ant", "ando", "endo", "iendo", "ado", "ido", "ada", "ida"),
    )
)
"""What may stand in the place of another ending."""
_AFTER_DOUBLED = frozenset(("ing", "ed"))
_MARKED_NAME = re.compile(r"`([\w.-]+)`|[#@]([\w-]+)")
_CAPITAL_NAME = re.compile(r"(?<=[\w,;)] )([A-Z][\w.]*)")
"""A word with a capital letter that begins no sentence."""
_HAN_NUMBER = frozenset("一二两三四五六七八九十百千")
_CLAUSE = re.compile(r"\s*(?:[;；]|[,，:：](?=\s|[\u4e00-\u9fff])|\s[–—-]\s)\s*")
_JOINT = re.compile(
    rf"(?=[,;，；、/]\s)|\s(?:{in_every_language(lambda cues: cues.changes.joins)})\s"
    rf"|[、及和或与]|\s(?:&|\+)\s",
    re.I,
)
"""Between the items of a list; a comma stays with what follows it."""
_NUMBER_WORDS = words_in_every_language(lambda cues: cues.changes.numbers)
_SAME_VERBS = tuple(group for language in LANGUAGES for group in language.changes.same)


@dataclass(frozen=True)
class Coverage:
    """What a sentence is about."""

    words: frozenset[str]
    numbers: frozenset[str]
    ties: frozenset[str] = frozenset()
    """Words that tie it to a place, a time or a condition (`before`, `with`, `your files`)."""
    first: str = ""
    """The first of the words: the verb of most bans."""

    @cached_property
    def all(self) -> frozenset[str]:
        return self.words | self.numbers

    @cached_property
    def weight(self) -> float:
        return sum(map(_weight, self.all))

    def is_tied_beyond(self, rule: str) -> bool:
        """Tell whether it holds in some cases only, which a rule does not name as its own."""
        if not self.ties:
            return False
        held = [word.strip(".") for word in _TOKEN.findall(rule.lower())]
        words = (word for tie in self.ties for word in _TOKEN.findall(tie))
        return any(not any(_is_inflected(one, word) for one in held) for word in words)

    def beyond(self, rule: Coverage) -> frozenset[str]:
        """Return the words that a rule does not cover."""
        return frozenset(
            word
            for word in self.all - rule.all
            if not any(_covers(held, word) for held in rule.all)
        )

    def is_said_by(self, other: Coverage) -> bool:
        """Tell whether another sentence has all its words, in whatever form of each."""
        return all(map(other.has, self.all))

    def has(self, word: str) -> bool:
        """Tell whether a word is among its words, in whatever form."""
        return any(_is_inflected(held, word) for held in self.all)

    def covers(self, words: Set[str]) -> bool:
        """Tell whether a rule covers all of some words."""
        return all(any(_covers(held, word) for held in self.all) for word in words)

    def shares(self, rule: Coverage, least: float) -> bool:
        """Tell whether so many of its words are about the same things as a rule."""
        spare = self.weight - least
        for word in self.all:
            if spare < 0:
                return False
            if not any(_is_related(held, word) for held in rule.all):
                spare -= _weight(word)
        return spare >= 0

    def shared(self, rule: Coverage) -> float:
        """Return how many of its words are about the same things as a rule."""
        return sum(
            _weight(word) for word in self.all if any(_is_related(held, word) for held in rule.all)
        )


@lru_cache(maxsize=KEPT_MOST)
def coverage_of(words: str) -> Coverage:
    """Return what a rule covers."""
    return _coverage(words)


@lru_cache(maxsize=KEPT_MOST)
def permission_coverage(words: str) -> Coverage:
    """Return what a permission or a release covers, without the reasons given for it."""
    language = closest_languages(words)[0]
    changes = language.changes
    bare = spelled_out(words.lower())
    clauses = [
        re.sub(changes.idioms, " ", clause).strip()
        for clause in _clauses_that_permit(bare, language)
    ]
    # A relative clause or a place after a comma narrows as well as one in front.
    ties = set(_ties_in(re.sub(changes.idioms, " ", bare).strip(), changes.narrows))
    for clause in clauses[1:]:
        ties.update(_ties_in(clause, changes.narrows), _ties_in(clause, _opening_relative(changes)))
    found = _coverage(" ; ".join(clauses), words)
    return Coverage(found.words, found.numbers, frozenset(ties))


def is_narrower(permission: str, rule: str) -> bool:
    """Tell whether a permission covers less than a rule, so that the rule stays."""
    said = permission_coverage(permission)
    return said.is_tied_beyond(rule) or bool(said.beyond(coverage_of(rule)))


def names_part_of(permission: Coverage, rule: str) -> bool:
    """Tell whether a permission names some things of a rule's list and leaves out others."""
    listed = [part for part in map(coverage_of, _listed(rule)) if part.all]
    if len(listed) == 1:
        return False
    # "Commit or push" lists both: there the one verb does not cover the other.
    literal = Coverage(frozenset(filter(coverage_of(rule).has, permission.all)), frozenset())
    free = Coverage(permission.all - literal.all, frozenset())
    missing = [
        [word for word in part.all if not literal.has(word) and not free.covers({word})]
        for part in listed
    ]
    return any(missing) and not all(missing)


def leaves_out(permission: Coverage, ban: str) -> frozenset[str]:
    """Return the words of a ban that a permission neither says nor covers.

    However a list is written, a permission for one item does not cover the others.
    """
    scope = coverage_of(ban)
    literal = Coverage(frozenset(filter(scope.has, permission.all)), frozenset())
    free = permission.all - literal.all
    loose = closest_languages(ban)[0].changes.loose
    return frozenset(
        word
        for word in scope.all - loose
        if not literal.has(word) and not any(_is_kind_of(word, said) for said in free)
    )


def _is_kind_of(word: str, said: str) -> bool:
    # "read/write" is no folder of "read".
    return _covers(word, said) and ("/" in said or "/" not in word)


def _listed(rule: str) -> list[str]:
    """Return the pieces of a rule between the words and marks that join the items of a list."""
    pieces: list[str] = []
    for piece in _JOINT.split(rule):
        # After a comma a longer piece says why, and is no item.
        if pieces and piece.startswith(",") and coverage_of(piece).weight > ITEM_MOST:
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return pieces


def clauses_of(words: str) -> list[str]:
    """Return the clauses of a sentence, as far as marks part them."""
    return [clause for clause in _CLAUSE.split(words) if clause]


def _opens_narrowing(clause: str, changes: RuleChangeCues) -> bool:
    cues = any_of(changes.narrows or "(?!)", _opening_relative(changes))
    return re.match(cues, clause) is not None


def _opening_relative(changes: RuleChangeCues) -> str:
    return rf"^(?:{changes.relatives})\b"


def _ties_in(text: str, cues: str) -> Iterator[str]:
    if cues:
        yield from (found[0] for found in re.finditer(cues, text))


def _has_cue(cue: str, text: str) -> bool:
    return bool(cue) and re.search(cue, text) is not None


def _clauses_that_permit(words: str, language: LanguageCues) -> list[str]:
    """Leave out clauses that only say why: they state something and permit nothing."""
    clauses = clauses_of(words)
    changes = language.changes
    cues = changes.permits, changes.excepts, language.rules.release
    kept: list[str] = []
    for clause in clauses:
        permits = any(cue.found_in(clause) for cue in cues)
        if permits or _opens_narrowing(clause, changes) or not _says_why(clause, changes):
            kept.append(clause)
    return kept or clauses


def _says_why(clause: str, changes: RuleChangeCues) -> bool:
    """Tell whether a clause states something; one that opens in another way is a condition."""
    if not _has_cue(changes.states, clause):
        return False
    bare = re.sub(rf"^(?:{changes.hence})\b ?", "", clause)
    return re.match(rf"(?:{changes.subjects})|[\w-]+ {changes.states}", bare) is not None


def _coverage(words: str, said: str = "") -> Coverage:
    """Return what words cover; their capital letters are those of what was `said`."""
    language = closest_languages(words)[0]
    text = _ELIDED.sub(" ", spelled_out(words.lower()))
    # Without spaces a token is one character, so wide phrases must go before.
    if language.unspaced:
        text = _without_phrases(text, language.changes.wide)
    names = _names_in(said or words, language)
    # In the order in which they are said.
    found: dict[str, None] = {}
    numbers: set[str] = set()
    for token in _TOKEN.findall(text):
        bare = token.strip(".*~-")
        if _NUMBER.fullmatch(bare) or bare in _NUMBER_WORDS or bare in _HAN_NUMBER:
            numbers.add(bare)
        elif language.changes.wide.issuperset(filter(None, bare.split("/"))):
            continue
        elif "/" in bare:
            found[bare] = None
        elif bare in names:
            # A capital letter tells the comparisons below that it has no other form.
            found[bare.capitalize()] = None
        else:
            found[_plain_letters(bare)] = None
    return Coverage(frozenset(found), frozenset(numbers), first=next(iter(found), ""))


def _names_in(words: str, language: LanguageCues) -> set[str]:
    """Return the words of a sentence that are names, in small letters."""
    names = {found[1] or found[2] for found in _MARKED_NAME.finditer(words)}
    # In German every noun has a capital letter.
    if language.name != "German":
        names.update(found[1] for found in _CAPITAL_NAME.finditer(words))
    return {name.strip(".").lower() for name in names}


def _without_phrases(text: str, phrases: frozenset[str]) -> str:
    """Blank phrases of a language without spaces, the longest first."""
    for phrase in sorted(phrases, key=len, reverse=True):
        text = text.replace(phrase, " ")
    return text


def _plain_letters(word: str) -> str:
    """Return a word without accents, and a German participle without its `ge`."""
    if "\u4e00" <= word[0] <= "\u9fff":
        return word
    split = unicodedata.normalize("NFD", word)
    plain = "".join(letter for letter in split if not unicodedata.combining(letter))
    # Long words only: `gehen` and `gelb` are no participles.
    if len(plain) > 6 and plain.startswith("ge") and plain.endswith(("t", "en")):
        return plain[2:]
    return plain


def _weight(word: str) -> float:
    # One Chinese character is half a word.
    if "\u4e00" <= word[0] <= "\u9fff":
        return 0.5
    return 1.0


# Every rule is compared with every other, word by word, and in both directions.
@lru_cache(maxsize=PAIRS_MOST)
def _covers(held: str, word: str) -> bool:
    """Tell whether a word of a rule covers a word of what was said later."""
    if "/" in held or "/" in word:
        return _is_under(held, word)
    # Who may delete this backup may not delete backups.
    if held in (word + "s", word + "es"):
        return False
    if _is_form_of(held, word):
        return True
    # A compound is a kind of its last part: who may use databases may use test databases.
    return len(word) >= COMMON_LEAST and any(
        _is_form_of(part, word) for part in _parts_of(held, word)
    )


@lru_cache(maxsize=PAIRS_MOST)
def _is_related(held: str, word: str) -> bool:
    """Tell whether two words may be about one thing: near enough to look closer."""
    if _covers(held, word) or _covers(word, held):
        return True
    small = held.islower() and word.islower() and held.isalpha() and word.isalpha()
    return small and held[:1] == word[:1] and _have_one_stem(held, word)


def _is_under(path: str, folder: str) -> bool:
    inner, outer = path.strip("/"), folder.strip("/")
    return inner == outer or inner.startswith(outer + "/")


def _parts_of(compound: str, word: str) -> list[str]:
    parts: list[str] = []
    if "_" in compound or "." in compound:
        parts = compound.replace(".", "_").split("_")
    stem = word[: max(len(word) - ENDING_MOST, COMMON_LEAST)]
    at = compound.find(stem, 1)
    if at > 0 and compound.isalpha():
        parts.append(compound[at:])
    return parts


def _is_form_of(one: str, other: str) -> bool:
    """Tell whether two words are forms of one word, or verbs that cover the same."""
    if _is_inflected(one, other):
        return True
    groups = _verb_groups(one)
    return bool(groups) and not groups.isdisjoint(_verb_groups(other))


def _is_inflected(one: str, other: str) -> bool:
    """Tell whether two words are forms of one word: they differ in an ending at most.

    A name has no forms: table_1 is not table_2, and Christian is not Christina.
    """
    if one.lower() == other.lower():
        return True
    if not (one.isalpha() and other.isalpha() and one.islower() and other.islower()):
        return False
    stem = one[: _shared_letters(one, other)]
    if len(stem) < COMMON_LEAST - 1:
        return False
    rests = sorted((one[len(stem) :], other[len(stem) :]), key=len)
    if not rests[0]:
        # "run" and "running": the last letter is said twice.
        doubled = rests[1][:1] == stem[-1:] and rests[1][1:] in _AFTER_DOUBLED
        return doubled or rests[1] in _ENDINGS
    return all(rest in _ENDINGS or rest in _OTHER_ENDINGS for rest in rests)


def _shared_letters(one: str, other: str) -> int:
    """Return how many letters two words have in common from their beginning."""
    shared = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        shared += 1
    return shared


def _have_one_stem(one: str, other: str) -> bool:
    common = _shared_letters(one, other)
    left = max(len(one), len(other)) - common
    if common >= COMMON_LEAST and left <= ENDING_MOST:
        return True
    if common > COMMON_LEAST and left <= 2 * ENDING_MOST:
        return True
    return one == other + "s" or other == one + "s"


@lru_cache(maxsize=KEPT_MOST)
def _verb_groups(word: str) -> frozenset[int]:
    """Return the numbers of the groups of like verbs that hold a word."""
    return frozenset(n for n, group in enumerate(_SAME_VERBS) if _in_group(word, group))


def _in_group(word: str, group: frozenset[str]) -> bool:
    return word in group or any(
        word.startswith(stem[:-1]) and len(word) - len(stem) <= ENDING_MOST
        for stem in group
        if len(stem) > COMMON_LEAST
    )
