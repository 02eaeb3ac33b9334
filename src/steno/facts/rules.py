"""Rules that stay in force, as messages state them: bans, duties, preferences, limits.

Only the system and what a person typed can lay one down; the words of a tool, a page or
a program cannot, however they are phrased. Which kind of rule a sentence is, `rule_kinds`
says. A rule is the whole statement: if its number or its subject is in the sentence
before, that sentence belongs to it, and a list of bans is one rule with its heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from msgspec.structs import replace as altered

from steno.core.message import Message, user_message
from steno.facts.authorship import AuthoredText, split_by_author
from steno.facts.fact import Fact
from steno.facts.languages import LanguageCues, closest_languages, in_every_language
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.long_sentences import parts_of
from steno.facts.plainly_own import OwnWords
from steno.facts.relayed import relayed_spans
from steno.facts.rule_kinds import (
    AMEND,
    CORRECTS,
    EXCEPT,
    EXTEND,
    PERMIT,
    RESTATE,
    RULE_KINDS,
    WEAK_NOTES,
    blanked,
    classify_sentence,
    kind_in,
)
from steno.facts.sentences import SentenceSpan, sentences
from steno.facts.topics import topic_key

FACTS_MOST = 100
"""Of one message; a longer list of rules is a document, and its head speaks for it."""
SENTENCES_MOST = 400
"""Read of one piece; a longer one is pasted."""
PARTS_MOST = 60_000
"""Characters of one piece that are read of sentences too long to be read at once."""
SENTENCE_MOST = 600
LIST_MOST = 2_000
"""Characters of a ban with the list of what it forbids."""
SENTENCE_LEAST = 3
LEANING_MOST = 100
"""Characters of a rule that may lean on the sentence before it; a longer one says enough."""
LEAD_MOST = 200
"""Characters of a sentence before that is kept with the rule that leans on it."""
SAMPLE = 2_000
"""Characters of a piece by which its language is told."""

UNREAD = "unread"
"""Kind of the fact that a message says more than is read; its words are the first left out."""
_HALVES = lazy_pattern(
    r"[;；]\s*|\s[–—-]+\s"
    rf"|[,，]\s*(?:{in_every_language(lambda cues: cues.rules.joins)})?|\.\s+"
)
_BLANK_LINE = lazy_pattern(r"\n\s*\n")
_HEADING = lazy_pattern(
    rf"(?:(?:^|\s)(?:{in_every_language(lambda cues: cues.rules.headings)})[^.!?\n]{{0,30}}[:：]"
    rf"|^#{{1,6}} (?:[\w'’-]+ ){{0,3}}(?:{in_every_language(lambda cues: cues.rules.headings)}))$",
    re.I,
)
"""A heading whose list items are rules."""
_TITLE = lazy_pattern(r"#{1,6} |(?:[*_]{2}.*[*_]{2}[:：]?|.*[:：])$")
_BAN_HEADING = lazy_pattern(
    r"(?:#{1,6} )?[*_]{0,3}"
    rf"(?:{in_every_language(lambda cues: cues.rules.ban_headings)})[*_:：]{{0,4}}$",
    re.I,
)
"""A heading whose list items say what may not be done."""
_DESCRIBED_COMMAND = lazy_pattern(r"`[^`\n]{1,200}`\s*(?:[–—:：-]|#)\s")
"""An item that says what a command does."""
_ASIDE = lazy_pattern(r"\([^()\n]{0,200}\)")
_EXCEPTS = lazy_pattern(
    rf"(?:{in_every_language(lambda cues: cues.changes.exempts)}"
    rf"|{in_every_language(lambda cues: cues.changes.unless)})"
    r"(?:(?!\w)|(?<=[\u4e00-\u9fff]))[^,;:，；：]*$",
    re.I,
)
"""A sentence that says nothing without the rule before it."""
_ITEM_MARK = lazy_pattern(
    r"[ \t]*+(?:[-*+•–·◦‣]|\(?\d{1,3}[.)、]|\(?[a-zA-Z][.)]|[（(]?[一二三四五六七八九十]+[、）)])"
    r"[ \t]*"
)


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
        return self.note in RULE_KINDS

    def words_in(self, text: str) -> str:
        words = text[self.start : self.stop]
        if self.title:
            return f"{self.title}\n{words.lstrip()}"
        return words


def read_rules(message: Message) -> Iterator[Fact]:
    """Yield the rules that a message lays down, lifts or may change, and whether more came."""
    own = OwnWords(message)
    facts = (fact for fact in _rule_facts(message) if _may_change_rules(own, fact))
    yield from islice(facts, FACTS_MOST)
    more = next(facts, None)
    if more is not None:
        yield Fact(UNREAD, more.words, more.trust, more.block)


def _may_change_rules(own: OwnWords, fact: Fact) -> bool:
    """Tell whether a fact lays down a rule, or lifts one in words that are plainly a person's."""
    if fact.kind != "release" or fact.trust != "person":
        return True
    return own.hold(fact.words)


def states_rule(text: str) -> bool:
    """Tell whether a text, typed by a person, would lay down or lift a rule."""
    # Words that are passed on (`Bob says: never …`) order no less where nobody should give orders.
    passed_on = (text[start:stop] for start, stop in relayed_spans(text))
    facts = (fact for words in (text, *passed_on) for fact in read_rules(user_message(words)))
    # A permission says nothing unless a rule is in force.
    return any(fact.kind != UNREAD and fact.note not in WEAK_NOTES for fact in facts)


def _rule_facts(message: Message) -> Iterator[Fact]:
    pieces = list(split_by_author(message))
    for piece, following in zip_longest(pieces, pieces[1:]):
        if piece.trust not in ("system", "person") or not piece.prose:
            continue
        left_out: list[SentenceSpan] = []
        statements = _whole_statements(piece.text, _places_to_read(piece.text, left_out))
        for said in statements[:-1]:
            yield from _facts_of_statement(said, piece)
        for said in statements[-1:]:
            longer = _with_block(piece, said, following)
            if longer is not piece:
                said = replace(said, stop=len(longer.text))
            yield from _facts_of_statement(said, longer)
        for start, stop in left_out[:1]:
            words = piece.text[start : min(stop, start + SENTENCE_MOST)]
            yield Fact(UNREAD, words, piece.trust, piece.block)


def _places_to_read(text: str, left_out: list[SentenceSpan]) -> Iterator[SentenceSpan]:
    """Yield where sentences and parts of long ones stand; add what is too much to `left_out`."""
    room = PARTS_MOST
    for number, place in enumerate(sentences(text)):
        if number == SENTENCES_MOST:
            left_out.append(place)
            return
        for part, is_own in parts_of(text, *place, SENTENCE_MOST):
            start, stop = part
            if part != place:
                room -= stop - start
                if room < 0:
                    left_out.append((start, place[1]))
                    break
            if is_own:
                yield part
            elif not left_out and _may_rule(text[start:stop]):
                left_out.append(part)


def _may_rule(words: str) -> bool:
    """Tell whether words would be a rule if they were the speaker's own."""
    said = blanked(words)
    return any(kind_in(said, language) for language in closest_languages(words))


def _whole_statements(text: str, places: Iterable[SentenceSpan]) -> list[_Said]:
    """Return the sentences that are rules, each with the sentence that it leans on."""
    # By the whole piece: one short sentence may belong to several languages.
    native = closest_languages(text[:SAMPLE])
    found: list[_Said] = []
    before: tuple[int, int] | None = None
    under_heading = False
    for start, stop in places:
        lead, before = before, (start, stop)
        is_item = _ITEM_MARK.fullmatch(text, _line_start(text, start), start) is not None
        if found and _is_of_ban(found[-1], text, lead, start, is_item):
            before = (start, min(stop, start + LIST_MOST))
            found[-1:] = _with_item(found[-1], text, before[1])
            continue
        words = text[start:stop]
        if is_item and lead is not None and _is_ban_heading(text[lead[0] : lead[1]]):
            # Without its heading an item would order what it forbids.
            language, _ = classify_sentence(words[:SENTENCE_MOST], native)
            before = (start, min(stop, start + LIST_MOST))
            found = [said for said in found if said.start != lead[0]]
            found.append(_Said(lead[0], before[1], language, "prohibition"))
            continue
        if not SENTENCE_LEAST <= stop - start <= SENTENCE_MOST:
            continue
        language, note = classify_sentence(words, native)
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
        if found and lead is not None and _excepts_from(found[-1], text, lead, words):
            found[-1] = replace(found[-1], stop=stop)
            continue
        if is_item and note is not None and _only_describes_command(words, native):
            note = None
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


def _only_describes_command(words: str, native: tuple[LanguageCues, ...]) -> bool:
    """Tell whether an item says what a command does, and not that it may not be used."""
    command = _DESCRIBED_COMMAND.match(words)
    if command is None:
        return False
    _, note = classify_sentence(_ASIDE.sub("", words[command.end() :]), native)
    return note != "prohibition"


def _with_block(piece: AuthoredText, said: _Said, following: AuthoredText | None) -> AuthoredText:
    """Return a piece with the block of code that its last rule announces: "Run this list:".

    Only of the system: what a person puts into a block may be the words of others.
    """
    if following is None or following.trust != "system" or following.prose:
        return piece
    text = piece.text + following.text.rstrip()
    announces = piece.text[said.start :].rstrip().endswith((":", "："))
    if not announces or not said.is_rule or len(text) - said.start > SENTENCE_MOST:
        return piece
    return altered(piece, text=text)


def _goes_on(rule: _Said, text: str, lead: tuple[int, int] | None, stop: int) -> bool:
    """Tell whether a list goes on that a rule opens: "Always run:"."""
    if not rule.is_rule or lead is None or rule.stop != lead[1]:
        return False
    return _opening(rule, text).endswith((":", "：")) and stop - rule.start <= SENTENCE_MOST


def _excepts_from(rule: _Said, text: str, lead: tuple[int, int], words: str) -> bool:
    """Tell whether a sentence right behind a rule says what it does not hold for: "Except …"."""
    if not rule.is_rule or rule.stop != lead[1] or len(words) > LEANING_MOST:
        return False
    if "\n" in text[lead[1] : lead[1] + 2] or not _EXCEPTS.match(words):
        return False
    return len(words) + rule.stop - rule.start <= SENTENCE_MOST


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
    return said.language.rules.leans.found_in(blanked(words))


def _facts_of_statement(said: _Said, piece: AuthoredText) -> Iterator[Fact]:
    words = said.words_in(piece.text)
    language, note = said.language, said.note
    if said.is_rule:
        key = topic_key(CORRECTS.sub("", words), note, language)
        yield Fact("constraint", words, piece.trust, piece.block, key, note)
        return
    new = _replacement_words(words, language)
    about = note
    if kind_in(blanked(words), language) == "language":
        about = "language"
    key = topic_key(words.removesuffix(new), about, language)
    yield Fact("release", words, piece.trust, piece.block, key, note)
    if new and note == "":
        kind = kind_in(blanked(new), language) or "obligation"
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
