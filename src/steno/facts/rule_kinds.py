"""Which kind of rule one sentence is, if it is one: ban, duty, preference, limit, or a change.

A sentence counts if it binds what comes later; a request for this once, a question, a report of
another's rule or a quotation does not. A permission, an exception and a correction in few words
get a weak note: whether they change anything depends on the rules in force, which `rulebook`
adds up. The phrases are in `languages`.
"""

from __future__ import annotations

import re
from functools import cache

from steno.facts.amendments import read_amendment
from steno.facts.coverage import clauses_of
from steno.facts.languages import (
    LANGUAGES,
    LanguageCues,
    closest_languages,
    in_every_language,
    spelled_out,
)
from steno.facts.languages.cues import RuleChangeCues
from steno.facts.languages.phrases import Phrases
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.sentences import SHOUTED

TERSE_MOST = 70
"""Characters of a rule without a verb."""
PERMISSION_MOST = 140
ADDITION_MOST = 70
"""Characters of a sentence that extends a rule to more things."""
CLAUSE_LEAST = 12
"""Characters of a clause that can be a rule by itself."""

PERMIT, EXCEPT, AMEND, RESTATE, EXTEND = "permit", "except", "amend", "restate", "extend"
"""Notes of a release that is one only beside a rule that it fits."""
WEAK_NOTES = (PERMIT, EXCEPT, AMEND, RESTATE, EXTEND)
EXCEPTION, CORRECTION, ADDITION, ONCE = "exception", "correction", "addition", "once"
"""Notes of what stands beside a rule."""

_QUOTED = lazy_pattern(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」"
    r"|`[^`\n]{1,400}`|(?<![\w'])'[^'\n]{1,200}'(?!\w)"
)
_ADORNED = lazy_pattern(r"\*{1,3}|__|^[^\w\"'“„«「¿(`/.$€£]+")
"""Emphasis, and the emoji or tick that leads a line."""
_ASIDE = lazy_pattern(r"^(\w+) (?:\([^()`\n]{1,40}\)|(-{2,3}|[–—]) [^-–—`\n]{1,60} \2) (?=\w)")
"""An aside behind the first word: "Never (ever) …"."""
_CODE_NAME = lazy_pattern(r"`([\w./*+#-]{1,60})`")
"""A name in inline code is the author's own word, not a quotation."""
_FILE_END = lazy_pattern(
    r"(?<=\w)\.(?=(?:py|[cm]?[jt]sx?|json|ya?ml|toml|lock|md|txt|cfg|ini|env|sh|go|rs|java|cpp|html?"
    r"|s?css|sql|xml|csv|gradle|kt|rb|php|conf|log|proto|tf|ipynb)\b)"
)
"""The dot in a file's name."""
_LABEL = lazy_pattern(
    rf"^(?:{in_every_language(lambda cues: cues.rules.labels)})"
    r"(?: (?:update|change|#?\d{1,3}))?\s*(?:[:：]|\s[–—-]\s)\s*(?=\S)",
    re.I,
)
CORRECTS = lazy_pattern(
    rf"^\W*(?:(?:{in_every_language(lambda cues: cues.rules.corrects_after)})[,.，]\s*)?"
    rf"(?:{in_every_language(lambda cues: cues.rules.corrects)})"
    rf"(?![,:;，：；]?\s*(?:{in_every_language(lambda cues: cues.rules.adds)}))\s?[,:;，：；]?\s*",
    re.I,
)
"""The opening of a correction."""
_CAPITAL_LABEL = lazy_pattern(
    r"^\W*(?:NOTE|REMEMBER|DECISION|CONTEXT|ASSUMPTION|DEADLINE|INFO)\b.{0,12}:\s*\S"
)
"""Labels that mean to keep a line only in capitals."""
_SHOUTED_LABEL = lazy_pattern(
    r"^\W*[A-Z][A-Z_-]+(?: [A-Z][A-Z_-]+){0,3}(?: ?#?\d{1,3})?[:：]\s*(?=\S)"
)
_EXTENDS = lazy_pattern(in_every_language(lambda cues: cues.changes.extends))
_FIRST_PERSON = lazy_pattern(in_every_language(lambda cues: cues.rules.first_person))
_LOG_WORDS = (
    r"warn(?:ing)?s?|err(?:or)?s?|info|debug|trace|fatal|panic|notice|hint|log(?:ged|s)?|npm|yarn"
    r"|pnpm|pip|deprecat\w+|fail(?:ed|ure|s)?|pass(?:ed)?|ok|skip(?:ped)?|exit(?:ed)?|status|stderr"
    r"|stdout|exception|test_\w+|redirect\w*"
)
_LEAD_IN = lazy_pattern(
    # What leads to something, who is meant, an aside. A program writes lines like these too: only
    # plain words that no log has are a person's.
    rf"^(?:(?![^)>→\n]{{0,80}}\b(?:{_LOG_WORDS})\b)"
    r"(?:[^\W_][^\W_]*+(?:,?[ '’-][^\W_]++){0,9}\s?(?:-+>|=+>|→)"
    r"|(?:(?:because|since|due to)\b[^`()|.]{3,80})?\((?=[^()]{1,80}\s)[^`()|._:]{3,80}\)(?=\s))"
    r"|@[\w-]+[,:]?(?=\s)"
    r"|(?:fyi|tl;?dr|psa|nb|btw|ps|heads[ -]up)\b[,:;.]?(?=\s)"
    # What others say, before the speaker's own word.
    rf"|.{{3,200}}?[,;，；]\s?(?:{in_every_language(lambda cues: cues.rules.contrasts)})"
    r"(?:(?!\w)|(?<=[\u4e00-\u9fff])),?)\s*(?=\S)",
    re.I,
)
"""What may stand before a rule without being a part of it."""
_QUESTION_END = " ?？)\"'”*_。吗呢"
# The first kind that fits is taken, so the narrow ones stand before the general ones.
RULE_KINDS = ("language", "output", "prohibition", "obligation", "preference")


Languages = tuple[LanguageCues, ...]


def classify_sentence(words: str, native: Languages) -> tuple[LanguageCues, str | None]:
    """Return what a sentence is, in the first language that makes a rule of it."""
    languages = _likely_languages(words, native)
    weak: tuple[LanguageCues, str | None] = (languages[0], None)
    for language in languages:
        note = _rule_kind(words, language)
        if note is None:
            continue
        if note not in WEAK_NOTES:
            return language, note
        if weak[1] is None:
            weak = language, note
    return weak


def _likely_languages(text: str, native: Languages) -> Languages:
    """Return the languages that a text may be in, the native ones alone if it may be in one."""
    likely = closest_languages(text)
    both = tuple(language for language in likely if language in native)
    return both or likely


def without_label(words: str) -> str:
    """Return a rule without the label before it, which many rules may share."""
    for label in (_SHOUTED_LABEL, _LABEL):
        found = label.match(words)
        if found is not None:
            return words[found.end() :]
    return words


def blanked(words: str) -> str:
    """Return a sentence in lower case, without what it quotes: those are another's words."""
    # A dot in a name ends no sentence.
    if "!" in words:
        words = SHOUTED.sub(lambda word: word[0].rstrip("!"), words)
    if "  " in words or "\t" in words or "\n" in words:
        words = " ".join(words.split())
    if "(" in words or "-" in words or "–" in words or "—" in words:
        words = _ASIDE.sub(r"\1 ", words)
    named = _CODE_NAME.sub(lambda name: name[1].replace(".", "_"), _ADORNED.sub("", words.lower()))
    if "." in named[:-1]:
        named = _FILE_END.sub("_", named)
    return spelled_out(_QUOTED.sub(" … ", named))


def _rule_kind(words: str, language: LanguageCues) -> str | None:
    """Return the kind of rule of a sentence, "" if it lifts one, a weak one if it may change it."""
    kind = _kind_of_whole(words, language)
    lead_in = _LEAD_IN.match(words)
    if kind not in (None, RESTATE) or lead_in is None:
        return kind
    rest = words[lead_in.end() :]
    own = _kind_of_whole(rest, language)
    # What follows may as well go on telling: it must say that it holds for good.
    if own in RULE_KINDS and _binds(rest.lower(), language):
        return own
    return kind


def _binds(said: str, language: LanguageCues) -> bool:
    rules = language.rules
    return rules.lasting.found_in(said) or re.match(rules.forbids, said) is not None


def _kind_of_whole(words: str, language: LanguageCues) -> str | None:
    whole = blanked(words)
    said = _without_question(whole, language)
    if not said and language.rules.polite.match(whole):
        # "Can we make that 60?" asks, and corrects.
        return _amendment_kind(whole)
    kind = _kind_of_words(words, said, said == whole, language)
    if kind in (None, AMEND):
        return kind
    # Last, because few sentences get so far.
    rules = language.rules
    if rules.reported.found_in(said) or rules.told.found_in(said):
        return None
    return kind


def _amendment_kind(said: str) -> str | None:
    """Return the note of a correction that gives another number or language, and says so."""
    amended = read_amendment(said)
    if amended is not None and amended.marked and (amended.is_number or amended.is_language):
        return AMEND
    return None


def _kind_of_words(words: str, said: str, asks_nothing: bool, language: LanguageCues) -> str | None:
    rules, changes = language.rules, language.changes
    if _CAPITAL_LABEL.match(words):
        return "obligation"
    if label := _LABEL.match(said):
        return kind_in(said[label.end() :], language) or "obligation"
    # Before the rules: "you no longer have to …" holds the words of one.
    if rules.release.found_in(said):
        return ""
    if _permits(said, language):
        if changes.excepts.found_in(said):
            return EXCEPT
        return PERMIT
    terse = asks_nothing and len(said) <= TERSE_MOST
    said = rules.idle.blanked_in(said)
    kind = _kind_of_form(said, terse, language)
    if kind is not None and rules.once.found_in(said) and not rules.lasting.found_in(said):
        return _amendment_kind(said)
    return kind


def _kind_of_form(said: str, terse: bool, language: LanguageCues) -> str | None:
    rules, changes = language.rules, language.changes
    opening = _opening_marks(changes.marks)
    forms = said, CORRECTS.sub("", said), opening.sub("", said), _without_regrets(said, changes)
    for form in dict.fromkeys(forms):
        if kind := kind_in(form, language):
            return kind
        if terse and rules.terse.found_in(form):
            return "obligation"
    return _weak_kind(said, language)


def _without_regrets(said: str, changes: RuleChangeCues) -> str:
    """Return a sentence without the clause after it that says that the old one was a mistake."""
    clauses = clauses_of(said)
    while len(clauses) > 1 and re.search(changes.overrules, clauses[-1]):
        clauses.pop()
    return ", ".join(clauses)


def _weak_kind(said: str, language: LanguageCues) -> str | None:
    """Return the kind of rule that one clause makes of a sentence, or how it may change another."""
    changes = language.changes
    if len(said) <= ADDITION_MOST and _EXTENDS.match(said):
        return EXTEND
    if changes.excepts.found_in(said):
        return EXCEPT
    if kind := _kind_of_clause(said, language):
        return kind
    if read_amendment(said) is not None:
        return AMEND
    if len(said) <= PERMISSION_MOST and changes.restates.found_in(said):
        return RESTATE
    return None


def _kind_of_clause(said: str, language: LanguageCues) -> str | None:
    """Return the kind of rule of a main clause, if a reason stands before or after it."""
    clauses = clauses_of(said)
    # "No, not that file" answers; it lays down nothing.
    if len(clauses) == 1 or re.match(rf"(?:{language.rules.corrects_after})\b", said):
        return None
    if len(said) > PERMISSION_MOST or _FIRST_PERSON.search(said):
        return None
    for clause in clauses:
        bare = re.sub(rf"^(?:{language.changes.hence})\b ?", "", clause)
        if len(bare) >= CLAUSE_LEAST and (kind := kind_in(bare, language)):
            return kind
    return None


@cache
def _opening_marks(marks: str) -> re.Pattern[str]:
    return re.compile(rf"^(?:{marks})[,，:：]?\s*")


def _permits(said: str, language: LanguageCues) -> bool:
    """Tell whether a sentence permits something, and no other clause of it binds."""
    permits = language.changes.permits
    if not permits.found_in(said):
        return False
    # "Du musst nicht" spares, though a `nicht` after a verb forbids.
    if language.rules.prohibition.found_in(re.sub(language.changes.spares, " ", said)):
        return False
    # People permit in short sentences; a long one mentions what can be done.
    if len(said) > PERMISSION_MOST or re.search(language.changes.explains, said):
        return False
    others = [clause for clause in clauses_of(said) if not permits.found_in(clause)]
    return not any(kind_in(clause, language) for clause in others)


def kind_in(said: str, language: LanguageCues) -> str | None:
    """Return the kind of rule of blanked words, if they have a verb."""
    if not _phrases_of_all_kinds(language.name).found_in(said):
        return None
    for kind in RULE_KINDS:
        if getattr(language.rules, kind).found_in(said):
            return kind
    return None


@cache
def _phrases_of_all_kinds(name: str) -> Phrases:
    """Return the phrases of rules in one language: most sentences hold none of them."""
    rules = next(language.rules for language in LANGUAGES if language.name == name)
    return Phrases(*(cue for kind in RULE_KINDS for cue in getattr(rules, kind).sources))


def _without_question(sentence: str, language: LanguageCues) -> str:
    """Return what stands before the question in a sentence; all of it if it asks nothing."""
    marked = sentence.rstrip(" )\"'”*_").endswith(("?", "？"))
    if not marked and not sentence.rstrip("。").endswith(language.question_ends):
        return sentence
    if order := _polite_order(sentence, language):
        return order
    if order := _agreed_order(sentence, language):
        return order
    if language.unspaced:
        # Its particle stands at the end, so the whole last clause asks.
        before = sentence[: max(sentence.rfind("，"), sentence.rfind("；"), 0)]
    else:
        question = language.rules.asks.search(sentence)
        if question is None:
            return ""
        before = sentence[: question.start()]
    if re.match(rf"(?:{language.traits.unsure_after})(?![^\W\u4e00-\u9fff])", before):
        # A condition belongs to what is asked.
        return ""
    return before


def _agreed_order(question: str, language: LanguageCues) -> str:
    """Return what stands before a word to be nodded at ("never …, ok?"); nothing if all asks."""
    rules = language.rules
    bare = question.rstrip(" ?？)\"'”*_。")
    nod = re.search(
        r"(?:\s?[,，–—-]\s*|(?P<joined>\s))"
        rf"¿?(?:{rules.agreed}|(?P<asks>{rules.confirmed}))$",
        bare,
    )
    if nod is None:
        return ""
    order = bare[: nod.start()]
    # "You always run them, right?" asks whether it is so, "Is it never ok?" too.
    if (nod["asks"] or nod["joined"]) and not _opens_as_order(order, language):
        return ""
    return order


def _opens_as_order(said: str, language: LanguageCues) -> bool:
    first = said.split(None, 1)[:1]
    rules = language.rules
    return re.match(rules.forbids, said) is not None or any(map(rules.lasting.found_in, first))


def _polite_order(question: str, language: LanguageCues) -> str:
    """Return what a question orders for good ("could you always …?"); nothing if it asks."""
    rules = language.rules
    asked = rules.polite.match(question)
    if asked is None:
        return ""
    order = question[asked.end() :].rstrip(_QUESTION_END)
    limits = asked["limit"] is not None and re.search(r"\d", order) is not None
    # "Can you …, or only …?" leaves the answer open.
    if re.search(rf"[,，] ?(?:{rules.or_else})\b", order):
        return ""
    if limits or rules.lasting.found_in(question):
        return order
    return ""
