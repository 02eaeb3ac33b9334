"""Rules that stay in force, as messages state them: bans, duties, preferences, limits.

Only the system and what a person typed can lay one down; the words of a tool, a page or
a program cannot, however they are phrased. A sentence counts if it binds what comes
later; a request for this once, a question, a report of another's rule or a quotation
does not. A rule is the whole statement: if its number or its subject is in the sentence
before, that sentence belongs to it. The phrases are in `languages`, one table a language.

A permission, an exception and a correction in few words are read here too. Whether they
change anything depends on the rules in force, which `rulebook` adds up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from steno.core.message import Message, user_message
from steno.facts.amendments import read_amendment
from steno.facts.authorship import AuthoredText, split_by_author
from steno.facts.coverage import clauses_of
from steno.facts.fact import Fact
from steno.facts.languages import (
    LANGUAGES,
    LanguageCues,
    closest_languages,
    in_every_language,
    spelled_out,
)
from steno.facts.languages.cues import RuleChangeCues
from steno.facts.languages.phrases import Phrases
from steno.facts.sentences import SentenceSpan, sentences
from steno.facts.topics import topic_key

FACTS_MOST = 100
"""Of one message; a longer list of rules is a document, and its head speaks for it."""
SENTENCES_MOST = 400
"""Read of one piece; a longer one is pasted."""
SENTENCE_MOST = 600
LIST_MOST = 2_000
"""Characters of a ban with the list of what it forbids."""
SENTENCE_LEAST = 3
TERSE_MOST = 70
"""Characters of a rule without a verb."""
PERMISSION_MOST = 140
ADDITION_MOST = 70
"""Characters of a sentence that extends a rule to more things."""
CLAUSE_LEAST = 12
"""Characters of a clause that can be a rule by itself."""
LEANING_MOST = 100
"""Characters of a rule that may lean on the sentence before it; a longer one says enough."""
LEAD_MOST = 200
"""Characters of a sentence before that is kept with the rule that leans on it."""
SAMPLE = 2_000
"""Characters of a piece by which its language is told."""

UNREAD = "unread"
"""Kind of the fact that a message says more than is read; its words are the first left out."""
PERMIT, EXCEPT, AMEND, RESTATE, EXTEND = "permit", "except", "amend", "restate", "extend"
"""Notes of a release that is one only beside a rule that it fits."""
WEAK_NOTES = (PERMIT, EXCEPT, AMEND, RESTATE, EXTEND)
EXCEPTION, CORRECTION, ADDITION, ONCE = "exception", "correction", "addition", "once"
"""Notes of what stands beside a rule."""

_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」"
    r"|`[^`\n]{1,400}`|(?<![\w'])'[^'\n]{1,200}'(?!\w)"
)
_ADORNED = re.compile(r"\*{1,3}|__|^[^\w\"'“„«「¿(`/.$€£]+")
"""Emphasis, and the emoji or tick that leads a line."""
_CODE_NAME = re.compile(r"`([\w./*+#-]{1,60})`")
"""A name in inline code is the author's own word, not a quotation."""
_LABEL = re.compile(
    rf"^(?:{in_every_language(lambda cues: cues.rules.labels)})"
    r"(?: (?:update|change|#?\d{1,3}))?\s*(?:[:：]|\s[–—-]\s)\s*(?=\S)",
    re.I,
)
CORRECTS = re.compile(
    rf"^\W*(?:(?:{in_every_language(lambda cues: cues.rules.corrects_after)})[,.，]\s*)?"
    rf"(?:{in_every_language(lambda cues: cues.rules.corrects)})"
    rf"(?![,:;，：；]?\s*(?:{in_every_language(lambda cues: cues.rules.adds)}))\s?[,:;，：；]?\s*",
    re.I,
)
"""The opening of a correction."""
_HALVES = re.compile(
    r"[;；]\s*|\s[–—-]+\s"
    rf"|[,，]\s*(?:{in_every_language(lambda cues: cues.rules.joins)})?|\.\s+"
)
_CAPITAL_LABEL = re.compile(
    r"^\W*(?:NOTE|REMEMBER|DECISION|CONTEXT|ASSUMPTION|DEADLINE|INFO)\b.{0,12}:\s*\S"
)
"""Labels that mean to keep a line only in capitals."""
_SHOUTED_LABEL = re.compile(
    r"^\W*[A-Z][A-Z_-]+(?: [A-Z][A-Z_-]+){0,3}(?: ?#?\d{1,3})?[:：]\s*(?=\S)"
)
_EXTENDS = re.compile(in_every_language(lambda cues: cues.changes.extends))
_FIRST_PERSON = re.compile(in_every_language(lambda cues: cues.rules.first_person))
_BLANK_LINE = re.compile(r"\n\s*\n")
_WORDS_IN_LINE = re.compile(r"[^\S\n]*\S[^\n]*")
_HEADING = re.compile(
    rf"(?:(?:^|\s)(?:{in_every_language(lambda cues: cues.rules.headings)})[^.!?\n]{{0,30}}[:：]"
    rf"|^#{{1,6}} (?:[\w'’-]+ ){{0,3}}(?:{in_every_language(lambda cues: cues.rules.headings)}))$",
    re.I,
)
"""A heading whose list items are rules."""
_TITLE = re.compile(r"#{1,6} |(?:[*_]{2}.*[*_]{2}[:：]?|.*[:：])$")
_BAN_HEADING = re.compile(
    r"(?:#{1,6} )?[*_]{0,3}"
    rf"(?:{in_every_language(lambda cues: cues.rules.ban_headings)})[*_:：]{{0,4}}$",
    re.I,
)
"""A heading whose list items say what may not be done."""
_LOG_WORDS = (
    r"warn(?:ing)?s?|err(?:or)?s?|info|debug|trace|fatal|panic|notice|hint|log(?:ged|s)?|npm|yarn"
    r"|pnpm|pip|deprecat\w+|fail(?:ed|ure|s)?|pass(?:ed)?|ok|skip(?:ped)?|exit(?:ed)?|status|stderr"
    r"|stdout|exception|test_\w+|redirect\w*"
)
_LEAD_IN = re.compile(
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
_REPORT_OPENING = re.compile(r"(.{2,80}?)\s?[:：](?=\s|$|[^\x00-\x7f])", re.S)
"""What may say whose words follow: "Bob said: …"."""
_OWN_WORD = re.compile(
    rf"\W*(?:{in_every_language(lambda cues: cues.rules.contrasts)}"
    rf"|{in_every_language(lambda cues: cues.rules.own_asks)})"
    r"(?:(?!\w)|(?<=[\u4e00-\u9fff]))",
    re.I,
)
"""How a person goes on after somebody else's words."""
_DESCRIBED_COMMAND = re.compile(r"`[^`\n]{1,200}`\s*(?:[–—:：-]|#)\s")
"""An item that says what a command does."""
_QUESTION_END = " ?？)\"'”*_。吗呢"
_ITEM_MARK = re.compile(
    r"[ \t]*+(?:[-*+•–·◦‣]|\(?\d{1,3}[.)、]|\(?[a-zA-Z][.)]|[（(]?[一二三四五六七八九十]+[、）)])"
    r"[ \t]*"
)
# The first kind that fits is taken, so the narrow ones stand before the general ones.
_RULE_KINDS = ("language", "output", "prohibition", "obligation", "preference")


Languages = tuple[LanguageCues, ...]


@dataclass(frozen=True)
class _Said:
    """A sentence of a piece that lays down or changes a rule."""

    start: int
    stop: int
    language: LanguageCues
    note: str
    title: str = ""
    """Heading of a list of bans that is too long for one rule; each part is said under it."""

    @property
    def is_rule(self) -> bool:
        return self.note in _RULE_KINDS

    def words_in(self, text: str) -> str:
        words = text[self.start : self.stop]
        if self.title:
            return f"{self.title}\n{words.lstrip()}"
        return words


def read_rules(message: Message) -> Iterator[Fact]:
    """The rules that a message lays down, lifts or may change, in order, and whether more came."""
    facts = _rule_facts(message)
    yield from islice(facts, FACTS_MOST)
    more = next(facts, None)
    if more is not None:
        yield Fact(UNREAD, more.words, more.trust, more.block)


def states_rule(text: str) -> bool:
    """Tell whether a text, typed by a person, would lay down or lift a rule."""
    facts = read_rules(user_message(text))
    # A permission says nothing unless a rule is in force.
    return any(fact.kind != UNREAD and fact.note not in WEAK_NOTES for fact in facts)


def _rule_facts(message: Message) -> Iterator[Fact]:
    for piece in split_by_author(message):
        if piece.trust not in ("system", "person") or not piece.prose:
            continue
        places = iter(sentences(piece.text))
        for said in _whole_statements(piece.text, islice(places, SENTENCES_MOST)):
            yield from _facts_of_statement(said, piece)
        for start, stop in islice(places, 1):
            words = piece.text[start : min(stop, start + SENTENCE_MOST)]
            yield Fact(UNREAD, words, piece.trust, piece.block)


def _whole_statements(text: str, places: Iterable[SentenceSpan]) -> list[_Said]:
    """Return the sentences that are rules, each with the sentence that it leans on."""
    # By the whole piece: one short sentence may belong to several languages.
    native = closest_languages(text[:SAMPLE])
    found: list[_Said] = []
    before: tuple[int, int] | None = None
    under_heading = False
    reported_to = 0
    for start, stop in places:
        lead, before = before, (start, stop)
        if start < reported_to and not _OWN_WORD.match(text, start, stop):
            continue
        reported_to = _report_end(text, start, stop, native)
        is_item = _ITEM_MARK.fullmatch(text, _line_start(text, start), start) is not None
        if found and _is_of_ban(found[-1], text, lead, start, is_item):
            before = (start, min(stop, start + LIST_MOST))
            found[-1:] = _with_item(found[-1], text, before[1])
            continue
        words = text[start:stop]
        if is_item and lead is not None and _is_ban_heading(text[lead[0] : lead[1]]):
            # Without its heading an item would order what it forbids.
            language, _ = _classify_sentence(words[:SENTENCE_MOST], native)
            before = (start, min(stop, start + LIST_MOST))
            found = [said for said in found if said.start != lead[0]]
            found.append(_Said(lead[0], before[1], language, "prohibition"))
            continue
        if not SENTENCE_LEAST <= stop - start <= SENTENCE_MOST:
            continue
        language, note = _classify_sentence(words, native)
        if is_item and note is None and found and _goes_on(found[-1], text, lead, stop):
            found[-1] = replace(found[-1], stop=stop)
            continue
        is_rule_by_place = (
            under_heading
            and is_item
            and not words.endswith(("?", "？", ":"))
            and not _DESCRIBED_COMMAND.match(words)
        )
        if is_rule_by_place and note in (None, AMEND, RESTATE, EXTEND):
            note = "obligation"
        under_heading = (under_heading and is_item) or _HEADING.search(words) is not None
        if note is None:
            continue
        said = _Said(start, stop, language, note)
        if lead is None or not _leans_on(words, text[lead[0] : start], said):
            found.append(said)
        elif said.is_rule and found and found[-1].is_rule and found[-1].stop == lead[1]:
            found[-1] = replace(found[-1], stop=stop)
        else:
            found.append(replace(said, start=lead[0]))
    return found


def _report_end(text: str, start: int, stop: int, native: Languages) -> int:
    """Return where the words of somebody else end that a sentence opens; 0 if it opens none."""
    opening = _REPORT_OPENING.match(text, start, stop)
    if opening is None:
        return 0
    said = _blanked(opening[1])
    if not any(language.rules.reported.found_in(said) for language in native):
        return 0
    if any(language.rules.shown.found_in(said) for language in native):
        return 0
    end = _WORDS_IN_LINE.match(text, opening.end()) or _BLANK_LINE.search(text, stop)
    return end.end() if end else len(text)


def _goes_on(rule: _Said, text: str, lead: tuple[int, int] | None, stop: int) -> bool:
    """Tell whether a list goes on that a rule opens: "Always run:"."""
    if not rule.is_rule or lead is None or rule.stop != lead[1]:
        return False
    return _opening(rule, text).endswith((":", "：")) and stop - rule.start <= SENTENCE_MOST


def _is_of_ban(
    rule: _Said, text: str, lead: tuple[int, int] | None, start: int, is_item: bool
) -> bool:
    """Tell whether a sentence belongs to the list under a ban: read alone it would order it."""
    if rule.note != "prohibition" or lead is None or rule.stop != lead[1]:
        return False
    if _TITLE.match(_opening(rule, text)) is None:
        return False
    if is_item:
        return True
    # More of the last item: in its line, or in a line that is set in.
    has_item = rule.title or "\n" in text[rule.start : rule.stop]
    if not has_item:
        return False
    return _line_start(text, start) < lead[1] or _indent(text, start) > _indent(text, rule.start)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _indent(text: str, at: int) -> int:
    line = text[_line_start(text, at) : at + 1]
    return len(line) - len(line.lstrip())


def _with_item(rule: _Said, text: str, stop: int) -> list[_Said]:
    """Return a rule with one more item of its list, in two parts if it is too long for one."""
    if stop - rule.start <= LIST_MOST:
        return [replace(rule, stop=stop)]
    # Read alone, the item would order what the heading forbids.
    return [rule, replace(rule, start=rule.stop, stop=stop, title=_opening(rule, text))]


def _opening(rule: _Said, text: str) -> str:
    return rule.words_in(text).partition("\n")[0].rstrip()


def _is_ban_heading(words: str) -> bool:
    return _TITLE.match(words) is not None and _BAN_HEADING.match(words) is not None


def _leans_on(words: str, lead: str, said: _Said) -> bool:
    """Tell whether a rule says little without the sentence before it."""
    if len(lead) > LEAD_MOST or _BLANK_LINE.search(lead):
        return False
    # "The logs? Sure, delete those." permits what it asks about; a rule follows from no question.
    if lead.rstrip().endswith(("?", "？")) == said.is_rule:
        return False
    if not said.is_rule and said.note not in (PERMIT, EXCEPT):
        return False
    if len(words) > LEANING_MOST or said.note == "preference":
        return False
    return said.language.rules.leans.found_in(_blanked(words))


def _facts_of_statement(said: _Said, piece: AuthoredText) -> Iterator[Fact]:
    words = said.words_in(piece.text)
    language, note = said.language, said.note
    if said.is_rule:
        key = topic_key(CORRECTS.sub("", words), note, language)
        yield Fact("constraint", words, piece.trust, piece.block, key, note)
        return
    new = _replacement_words(words, language)
    about = note
    if _kind_in(_blanked(words), language) == "language":
        about = "language"
    key = topic_key(words.removesuffix(new), about, language)
    yield Fact("release", words, piece.trust, piece.block, key, note)
    if new and note == "":
        kind = _kind_in(_blanked(new), language) or "obligation"
        key = topic_key(new, kind, language)
        yield Fact("constraint", new, piece.trust, piece.block, key, kind)


def released_words(words: str) -> str:
    """Return the words of a release that say what it lifts."""
    return words.removesuffix(_replacement_words(words, closest_languages(words)[0]))


def _replacement_words(words: str, language: LanguageCues) -> str:
    """What a release says is to be done in place of what it lifts; nothing where it only lifts."""
    nod = re.compile(language.changes.nods, re.I)
    for half in _HALVES.finditer(words):
        # "OK, use sudo" puts nothing in place of anything.
        if nod.fullmatch(words, 0, half.start()):
            continue
        if language.rules.instead.search(words[half.end() :].lower()):
            return words[half.end() :]
    return ""


def _classify_sentence(words: str, native: Languages) -> tuple[LanguageCues, str | None]:
    """What a sentence is, in the first language that makes a rule of it."""
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


def _blanked(words: str) -> str:
    """Return a sentence in lower case, without what it quotes: those are another's words."""
    # A dot in a name ends no sentence.
    named = _CODE_NAME.sub(lambda name: name[1].replace(".", "_"), _ADORNED.sub("", words.lower()))
    return spelled_out(_QUOTED.sub(" … ", named))


def _rule_kind(words: str, language: LanguageCues) -> str | None:
    """Which kind of rule a sentence is, "" if it lifts one, a weak note if it may change one."""
    kind = _kind_of_whole(words, language)
    lead_in = _LEAD_IN.match(words)
    if kind not in (None, RESTATE) or lead_in is None:
        return kind
    rest = words[lead_in.end() :]
    own = _kind_of_whole(rest, language)
    # What follows may as well go on telling: it must say that it holds for good.
    if own in _RULE_KINDS and _binds(rest.lower(), language):
        return own
    return kind


def _binds(said: str, language: LanguageCues) -> bool:
    rules = language.rules
    return rules.lasting.found_in(said) or re.match(rules.forbids, said) is not None


def _kind_of_whole(words: str, language: LanguageCues) -> str | None:
    whole = _blanked(words)
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
        return _kind_in(said[label.end() :], language) or "obligation"
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
        if kind := _kind_in(form, language):
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
    """Which kind of rule a sentence is by one clause of it, or how it may change another."""
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
    """Which kind of rule a main clause is, if a reason stands before or after it."""
    clauses = clauses_of(said)
    # "No, not that file" answers; it lays down nothing.
    if len(clauses) == 1 or re.match(rf"(?:{language.rules.corrects_after})\b", said):
        return None
    if len(said) > PERMISSION_MOST or _FIRST_PERSON.search(said):
        return None
    for clause in clauses:
        bare = re.sub(rf"^(?:{language.changes.hence})\b ?", "", clause)
        if len(bare) >= CLAUSE_LEAST and (kind := _kind_in(bare, language)):
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
    return not any(_kind_in(clause, language) for clause in others)


def _kind_in(said: str, language: LanguageCues) -> str | None:
    """Which kind of rule blanked words are, if they have a verb."""
    if not _phrases_of_all_kinds(language.name).found_in(said):
        return None
    for kind in _RULE_KINDS:
        if getattr(language.rules, kind).found_in(said):
            return kind
    return None


@cache
def _phrases_of_all_kinds(name: str) -> Phrases:
    """Return the phrases of rules in one language: most sentences hold none of them."""
    rules = next(language.rules for language in LANGUAGES if language.name == name)
    return Phrases(*(cue for kind in _RULE_KINDS for cue in getattr(rules, kind).sources))


def _without_question(sentence: str, language: LanguageCues) -> str:
    """Return what stands before the question in a sentence; all of it if it asks nothing."""
    marked = sentence.rstrip(" )\"'”*_").endswith(("?", "？"))
    if not marked and not sentence.rstrip("。").endswith(language.question_ends):
        return sentence
    if order := _polite_order(sentence, language):
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
