"""Rules that stay in force: prohibitions, obligations, preferences, output and language rules.

Only the system and what a person typed can lay one down; the words of a tool, a page or
a program cannot, however they are phrased. A sentence counts if it binds what comes
later; a request for this once, a question, a report of another's rule or a quotation
does not. The phrases are in `languages`, one table a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from steno.core.message import Message
from steno.facts.authorship import split_by_author
from steno.facts.fact import Fact, FactAt
from steno.facts.languages import ENGLISH, LANGUAGES, LanguageCues, in_every_language
from steno.facts.sentences import sentences
from steno.facts.topics import ONE_ALONE, topic_key, topic_overlap

FACTS_MOST = 100
"""Of one message; a longer list of rules is a document, and its head speaks for it."""
SENTENCES_MOST = 400
"""Read of one piece; whoever says more has pasted it."""
SENTENCE_MOST = 600
SENTENCE_LEAST = 3
SAMPLE = 2_000
"""Characters of a piece by which its language is told."""

_LIFTED = 0.5
"""A release lifts the rules that share this much of what it is about."""
_RESTATED = 0.75
_CORRECTED = 0.5
"""A correction need share only so much with what it corrects."""
CONSENT = "consent"
"""The note of a release that is one only where there is a rule against just that."""

_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」"
    r"|`[^`\n]{1,400}`"
    r"|(?<![\w'])'[^'\n]{1,200}'(?!\w)"
)
_ADORNED = re.compile(r"\*{1,3}|__|^[^\w\"'“„«「¿¡(`]+")
"""Emphasis, and the emoji or tick that leads a line."""
_NAME = re.compile(r"[\w-]*(?:[./_][\w-]+)+|[a-z]+[A-Z]\w*|[A-Za-z]+\d\w*")
_PLAIN = re.compile(r"[^\W_]+(?:[./_-][^\W_]+)+|[^\W_]*\d[^\W_]*|[^\W\d_]{4,}")
_CORRECTS = re.compile(
    rf"^\W*(?:(?:{in_every_language(lambda cues: cues.rules.corrects_after)})[,.，]\s*)?"
    rf"(?:{in_every_language(lambda cues: cues.rules.corrects)})"
    rf"(?![,:;，：；]?\s*(?:{in_every_language(lambda cues: cues.rules.adds)}))[,:;，：；]?\s*",
    re.I,
)
_HALVES = re.compile(
    r"[;；]\s*|\s[–—-]+\s"
    rf"|[,，]\s*(?:{in_every_language(lambda cues: cues.rules.joins)})?|\.\s+"
)
# The first kind that fits is taken, so the narrow ones stand before the general ones.
_RULE_KINDS = ("language", "output", "prohibition", "obligation", "preference")


def read_rules(message: Message) -> Iterator[Fact]:
    """The rules that a message lays down or lifts, in order."""
    return islice(_rule_facts(message), FACTS_MOST)


@dataclass(frozen=True)
class Rules:
    """The rules after so much was said: the newest wording wins, what was lifted is gone."""

    live: tuple[FactAt, ...] = ()
    """Those in force."""
    changed: tuple[tuple[FactAt, FactAt], ...] = ()
    """Each that was, with what lifted it or took its place; in the order of the changes."""

    def plus(self, stated: Iterable[FactAt]) -> Rules:
        """With what was said since."""
        live, changed = list(self.live), list(self.changed)
        for position, fact in stated:
            if fact.kind not in ("constraint", "release"):
                continue
            if fact.kind == "release":
                lifted = _rules_lifted_by(fact, live)
            else:
                lifted = _rules_replaced_by(fact, live)
            changed += [(live[at], (position, fact)) for at in sorted(lifted)]
            live = [rule for at, rule in enumerate(live) if at not in lifted]
            if fact.kind == "constraint":
                live.append((position, fact))
        return Rules(tuple(live), tuple(changed))


def _rule_facts(message: Message) -> Iterator[Fact]:
    for piece in split_by_author(message):
        if piece.trust not in ("system", "person") or not piece.prose:
            continue
        # By the whole piece: one short sentence may belong to several languages.
        native = _likely_languages(piece.text[:SAMPLE], ENGLISH)[0]
        for start, stop in islice(sentences(piece.text), SENTENCES_MOST):
            if not SENTENCE_LEAST <= stop - start <= SENTENCE_MOST:
                continue
            words = piece.text[start:stop]
            language, note = _classify_sentence(words, native)
            if note is None:
                continue
            if note not in ("release", CONSENT):
                key = topic_key(_CORRECTS.sub("", words), note, language)
                yield Fact("constraint", words, piece.trust, piece.block, key, note)
                continue
            new = _replacement_words(words, language)
            key = topic_key(
                language.rules.consent.sub("", words.removesuffix(new).lower()), note, language
            )
            consent = ""
            if note == CONSENT:
                consent = CONSENT
            yield Fact("release", words, piece.trust, piece.block, key, consent)
            if new:
                kind = _rule_kind(new, language)
                if kind not in _RULE_KINDS:
                    kind = "obligation"
                yield Fact(
                    "constraint",
                    new,
                    piece.trust,
                    piece.block,
                    topic_key(new, kind, language),
                    kind,
                )


def _replacement_words(words: str, language: LanguageCues) -> str:
    """What a release says is to be done in place of what it lifts; nothing where it only lifts."""
    for half in _HALVES.finditer(words):
        if language.rules.instead.search(words[half.end() :].lower()):
            return words[half.end() :]
    return ""


def _classify_sentence(words: str, native: LanguageCues) -> tuple[LanguageCues, str | None]:
    """What a sentence is, in the first language that makes a rule of it."""
    languages = _likely_languages(words, native)
    for language in languages:
        if note := _rule_kind(words, language):
            return language, note
    return languages[0], None


def _likely_languages(text: str, native: LanguageCues) -> list[LanguageCues]:
    """Return the languages that a text may be in, the native one alone if it is among them."""
    for language in LANGUAGES:
        if language.unspaced and language.words.search(text):
            return [language]
    lowered = text.lower()
    scores = {
        language.name: len(language.words.findall(lowered))
        for language in LANGUAGES
        if not language.unspaced
    }
    best = max(scores.values())
    likely = [language for language in LANGUAGES if scores.get(language.name) == best]
    if best and native in likely:
        return [native]
    return likely


def _rule_kind(words: str, language: LanguageCues) -> str | None:
    """Which kind of rule a sentence is, "release" if it lifts one, None if it is neither."""
    # Words in quotation marks are somebody else's.
    said = _without_question(_QUOTED.sub(" … ", _ADORNED.sub("", words.lower())), language)
    if language.rules.reported.found_in(said):
        return None
    # Before the rules: "you no longer have to …" holds the words of one.
    if language.rules.release.found_in(said):
        return "release"
    said = language.rules.idle.sub(" … ", said)
    if language.rules.consent.search(said) and not language.rules.once.found_in(said):
        return CONSENT
    if language.rules.once.found_in(said) and not language.rules.lasting.found_in(said):
        return None
    return next(
        (kind for kind in _RULE_KINDS if getattr(language.rules, kind).found_in(said)), None
    )


def _without_question(sentence: str, language: LanguageCues) -> str:
    """Return what stands before the question in a sentence; all of it if it asks nothing."""
    marked = sentence.rstrip(" )\"'”*_").endswith(("?", "？"))
    if not marked and not sentence.rstrip("。").endswith(language.question_ends):
        return sentence
    question = language.rules.asks.search(sentence)
    if question is None:
        return ""
    return sentence[: question.start()]


def _rules_lifted_by(release: Fact, live: list[FactAt]) -> set[int]:
    """Which rules a release is about: those nearest to it in topic, if any is near enough."""
    whole = release.note == CONSENT
    near = {
        at: topic_overlap(release.key, rule.key, both=whole)
        for at, (_, rule) in enumerate(live)
        if _may_change(release, rule) and (not whole or rule.note == "prohibition")
    }
    best = max(near.values(), default=0.0)
    # A consent may be a mere go-ahead, so it must be about nearly all of a rule.
    enough = _LIFTED
    if whole:
        enough = _RESTATED
    if best >= enough:
        # All that are equally near: to choose one of them would be a guess.
        return {at for at, share in near.items() if share == best}
    return set()


def _rules_replaced_by(fact: Fact, live: list[FactAt]) -> set[int]:
    return {at for at, (_, rule) in enumerate(live) if replaces(fact, rule)}


def replaces(fact: Fact, rule: Fact) -> bool:
    """It says the same anew, or otherwise; two rules about two things both stand."""
    if not _may_change(fact, rule):
        return False
    if fact.key in ONE_ALONE:
        return fact.key == rule.key
    # Two rules about two files may share every word but the names.
    if _names_in(fact.words) != _names_in(rule.words):
        return False
    if fact.note == rule.note == "prohibition":
        # Better said twice than lost: what is forbidden stays so until it is allowed.
        mine, theirs = (
            set(_PLAIN.findall(fact.words.lower())),
            set(_PLAIN.findall(rule.words.lower())),
        )
        return mine <= theirs or theirs <= mine
    enough = _RESTATED
    if fact.note == rule.note and _CORRECTS.match(fact.words):
        enough = _CORRECTED
    return fact.key == rule.key or topic_overlap(fact.key, rule.key, both=True) >= enough


def _names_in(words: str) -> set[str]:
    """Paths and identifiers, which tell one thing from another."""
    return set(_NAME.findall(words))


def _may_change(later: Fact, rule: Fact) -> bool:
    """A person's word does not undo the system's."""
    return later.trust == rule.trust or later.trust == "system"
