"""The rules in force after so much was said, with their exceptions and their history.

A release lifts only rules that are no wider than itself. A narrower one stands beside the
rule as its exception, both word for word. A correction takes the place of what it
corrects if it says the whole rule anew, and stands beside it if it needs the old words.
In doubt both sentences stay: one too many is cheap, a lost rule is not. A rule that may
correct an older one in like words is told right after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2s
from itertools import islice

import msgspec

from steno.facts.amendments import Amendment, read_amendment
from steno.facts.coverage import Coverage, clauses_of, coverage_of, permission_coverage
from steno.facts.fact import Fact, FactAt
from steno.facts.languages import closest_languages, in_every_language
from steno.facts.rules import (
    AMEND,
    CORRECTS,
    EXCEPT,
    PERMIT,
    RESTATE,
    released_words,
    without_label,
)
from steno.facts.text import flatten
from steno.facts.topics import ONE_ALONE

NEXT, LATER, SOON = 1, 3, 6
"""Messages of a person within which a sentence answers the one before, a correction says what it
corrects, and a bare number is about the newest number."""
SHORT = 4
"""Telling words of a rule that one shared word is enough for."""
NEAR_MOST = 100
"""Characters of a permission that is about the newest rule though it names nothing of it."""
ANSWER_MOST = 5
"""Telling words of such a permission."""
FAR = 1_000_000_000
"""A position at which nothing answers anything."""
EXCEPTION, CORRECTION, ONCE = "exception", "correction", "once"
"""Notes of what stands beside a rule."""
UNUSED, USED = f"{ONCE}, not used yet", f"{ONCE}, used at "
"""Notes of a permission for one time whose use calls would show, and do show at a position."""
CLAUSES_KEPT = 1_024
COMPARED = 128
"""Rules that a new one may replace, the newest: comparing all with all takes too long.

An older rule that is said anew in other words stands twice.
"""
_ALIKE = 0.4
"""Share of the words that a correction has in common with the rule that it corrects."""
_SAME_FRAME = 0.5
"""Share of the words from which on two rules may be about the same thing."""
KEPT_MOST = 4_096

_MARKS = re.compile(in_every_language(lambda cues: cues.changes.marks), re.I)
_OVERRULES = re.compile(in_every_language(lambda cues: cues.changes.overrules), re.I)
_COMPARES = re.compile(in_every_language(lambda cues: cues.changes.compares), re.I)
_CONDITION = re.compile(in_every_language(lambda cues: cues.changes.conditions), re.I)
_INSTEAD = re.compile(in_every_language(lambda cues: cues.decisions.instead), re.I)
_NEGATES = re.compile(in_every_language(lambda cues: cues.changes.negates), re.I)
_OPENS_EXCEPTION = re.compile(
    rf"\W*(?:{in_every_language(lambda cues: cues.changes.exempts)})\b", re.I
)
_ONCE = re.compile(in_every_language(lambda cues: cues.changes.once), re.I)
_NODS = re.compile(rf"\W*(?:{in_every_language(lambda cues: cues.changes.nods)})[,.!:，。]", re.I)
_SPELLED_OUT = frozenset(("push", "commit", "merge", "rebase", "install"))
"""What people call as commands do, so that its use is seen."""
_NAME = re.compile(r"[\w-]*(?:[./_][\w-]+)+/?|[\w-]+/|[a-z]+[A-Z]\w*|[A-Za-z]+\d\w*")


@dataclass(frozen=True)
class Rule:
    """A rule in force."""

    at: int
    """Position of the message that states it."""
    fact: Fact
    beside: tuple[FactAt, ...] = ()
    """Its exceptions and corrections that stand beside it, oldest first."""
    history: tuple[FactAt, ...] = ()
    """Its earlier wordings, oldest first."""
    after: FactAt | None = None
    """An older rule in like words that this one may correct."""

    @property
    def id(self) -> str:
        """A short name that is the same however often the log is read."""
        return blake2s(f"{self.at} {self.fact.words}".encode(), digest_size=4).hexdigest()

    @property
    def scope(self) -> Coverage:
        """What the rule is about."""
        return coverage_of(self.fact.words)

    @property
    def stated(self) -> FactAt:
        return self.at, self.fact

    def with_change(self, at: int, fact: Fact, note: str) -> Rule:
        """Return the rule with a sentence beside it that changes a part of it."""
        if note == ONCE and _spelled_out(fact, self.fact):
            note = UNUSED
        change = msgspec.structs.replace(fact, kind="constraint", note=note)
        if any(change.words == held.words for _, held in self.beside):
            return self
        return replace(self, beside=(*self.beside, (at, change)))

    def with_use(self, at: int, touched: Fact) -> Rule:
        """Return the rule with what it permits for one time told as used, if a call does it."""
        if not any(change.note == UNUSED for _, change in self.beside):
            return self
        beside = list(self.beside)
        for number, (said, change) in enumerate(beside):
            if change.note == UNUSED and _is_use(touched, _spelled_out(change, self.fact)):
                used = msgspec.structs.replace(change, note=f"{USED}[{at}]")
                beside[number] = (said, used)
        return replace(self, beside=tuple(beside))


@dataclass(frozen=True)
class Rules:
    """The rules after so much was said."""

    held: tuple[Rule, ...] = ()
    """Those in force, oldest first."""
    changed: tuple[tuple[FactAt, FactAt], ...] = ()
    """Each that was, with what lifted it or took its place; in the order of the changes."""
    unused: bool = False
    """Whether something was permitted for one time and was not seen done."""
    typed: tuple[int, ...] = ()
    """Positions of the newest messages of a person; empty if they are not known."""

    @property
    def live(self) -> tuple[FactAt, ...]:
        """Every sentence in force: each rule, then what stands beside it."""
        return tuple(stated for rule in self.told for stated in (rule.stated, *rule.beside))

    @property
    def told(self) -> tuple[Rule, ...]:
        """Those in force, each right after the older rule that it may correct."""
        order: list[Rule] = []
        for rule in self.held:
            places = [at for at, older in enumerate(order, start=1) if older.stated == rule.after]
            order.insert(max(places, default=len(order)), rule)
        return tuple(order)

    def plus(self, stated: Iterable[FactAt]) -> Rules:
        """With what was said since."""
        rules = self
        for position, fact in stated:
            if fact.kind == "constraint":
                rules = rules._with_rule(position, fact)
            elif fact.kind == "release":
                rules = rules._with_release(position, fact)
            elif rules.unused and fact.kind == "artifact":
                rules = rules._with_use(position, fact)
        return rules

    def with_message(self, position: int) -> Rules:
        """With one more message of a person, whatever it says."""
        return replace(self, typed=(*self.typed, position)[-SOON - 1 :])

    def _messages_since(self, rule: Rule, position: int) -> int:
        """Count the messages of a person since a rule or what stands beside it was stated."""
        newest = max(at for at, _ in (rule.stated, *rule.beside))
        if not self.typed:
            # A reply stands between two of them.
            return (position - newest) // 2
        return sum(at > newest for at in self.typed)

    def _with_use(self, position: int, touched: Fact) -> Rules:
        """Tell of a permission for one time that it was used, if a call shows it."""
        held = tuple(rule.with_use(position, touched) for rule in self.held)
        unused = any(change.note == UNUSED for rule in held for _, change in rule.beside)
        return replace(self, held=held, unused=unused)

    def _with_rule(self, position: int, fact: Fact) -> Rules:
        if fact.note == CORRECTION or permits_part(fact):
            return self._with_beside(position, fact)
        if _OPENS_EXCEPTION.match(fact.words):
            near = _nearest(coverage_of(fact.words), fact, self.held) or tuple(
                rule for rule in self.held[-1:] if self._messages_since(rule, position) <= NEXT
            )
            if near:
                return self._beside(near, position, fact, EXCEPTION)
        if _spares_asking(fact):
            near = _nearest(coverage_of(fact.words), fact, self.held)
            if near:
                return self._beside(near, position, fact, _permission_note(fact))
        old = [rule for rule in self._comparable(fact) if replaces(fact, rule.fact)]
        new = Rule(
            position,
            fact,
            # What was permitted stays so: only the rule itself was said anew.
            tuple(change for rule in old for change in rule.beside if permits_part(change[1])),
            tuple(past for rule in old for past in (*rule.history, rule.stated)),
        )
        changed = [(rule.stated, new.stated) for rule in old]
        kept = tuple(rule for rule in self.held if rule not in old)
        if not old:
            older = _older_in_like_words(fact, kept[-COMPARED:])
            new = replace(new, after=older or self._older_with_value(position, fact))
        return replace(self, held=(*kept, new), changed=(*self.changed, *changed))

    def _comparable(self, fact: Fact) -> Iterator[Rule]:
        """Yield the rules that a new one is compared with: the newest, and its own words."""
        for rule in self.held[:-COMPARED]:
            if rule.fact.words == fact.words:
                yield rule
        yield from self.held[-COMPARED:]

    def _with_beside(self, position: int, fact: Fact) -> Rules:
        """Take over an exception or a correction that an earlier summary told."""
        if not self.held:
            return replace(self, held=(Rule(position, fact),))
        near = _nearest(coverage_of(fact.words), fact, self.held) or self.held[-1:]
        return self._beside(near, position, fact, fact.note)

    def _with_release(self, position: int, fact: Fact) -> Rules:
        if fact.note == AMEND:
            return self._amended(position, fact)
        if fact.note == RESTATE:
            if _NODS.match(fact.words):
                return self
            said_anew = (rule for rule in reversed(self.held) if _says_anew(fact, rule))
            return self._beside(tuple(islice(said_anew, 1)), position, fact, CORRECTION)
        said = permission_coverage(released_words(fact.words))
        near = _nearest(said, fact, self.held)
        if not near:
            return self._about_the_newest(position, fact, said)
        if fact.note in (PERMIT, EXCEPT) and _ONCE.search(fact.words):
            return self._beside(near, position, fact, ONCE)
        all_of_them = coverage_of(" ".join(rule.fact.words for rule in near))
        if said.narrowed or said.beyond(all_of_them) or fact.note == EXCEPT:
            return self._beside(near, position, fact, EXCEPTION)
        if fact.note == PERMIT:
            # A yes to what must be asked for answers the question and leaves the rule.
            answered = tuple(rule for rule in near if _is_answered(rule, fact))
            lifted = tuple(rule for rule in near if rule not in answered)
            return self._lifted(lifted, position, fact)._beside(answered, position, fact, EXCEPTION)
        return self._lifted(near, position, fact)

    def _about_the_newest(self, position: int, fact: Fact, said: Coverage) -> Rules:
        """Relate words that name nothing of any rule to the newest, if they follow it at once."""
        near = tuple(
            rule
            for rule in self.held[-1:]
            if self._messages_since(rule, position) <= NEXT and _may_change(fact, rule.fact)
        )
        if _NODS.match(fact.words):
            return self
        # With words of its own it is about something else.
        answers = len(fact.words) <= NEAR_MOST and coverage_of(fact.words).weight <= ANSWER_MOST
        if fact.note in (EXCEPT, PERMIT) and answers:
            return self._beside(near, position, fact, _permission_note(fact))
        if fact.note == "" and not said.narrowed:
            lifted = tuple(rule for rule in near if not said.beyond(rule.scope))
            return self._lifted(lifted, position, fact)
        return self

    def _amended(self, position: int, fact: Fact) -> Rules:
        """Tell a short correction beside the newest rule that has a value of its kind."""
        said = read_amendment(fact.words)
        if said is None:
            return self
        for rule in self._near_enough(said, position, fact):
            if said.fits(rule.fact.words):
                return self._beside((rule,), position, fact, CORRECTION)
        return self

    def _older_with_value(self, position: int, fact: Fact) -> FactAt | None:
        """Return the newest rule whose value a rule in few words gives anew ("in German now")."""
        said = read_amendment(fact.words)
        if said is None or (fact.note == "prohibition" and not said.given_up):
            return None
        for rule in self._near_enough(said, position, fact):
            if said.is_alike_in(rule.fact.words):
                return rule.stated
        return None

    def _near_enough(self, said: Amendment, position: int, fact: Fact) -> Iterator[Rule]:
        """Yield the rules that a short correction may be about, the newest first."""
        most = NEXT
        if said.is_number:
            most = SOON
        elif said.marked:
            most = LATER
        for rule in reversed(self.held):
            if self._messages_since(rule, position) <= most and _may_change(fact, rule.fact):
                yield rule

    def _beside(self, near: tuple[Rule, ...], position: int, fact: Fact, note: str) -> Rules:
        held = tuple(
            rule.with_change(position, fact, note) if rule in near else rule for rule in self.held
        )
        return replace(self, held=held, unused=self.unused or note == ONCE)

    def _lifted(self, near: tuple[Rule, ...], position: int, fact: Fact) -> Rules:
        changed = [
            (stated, (position, fact)) for rule in near for stated in (rule.stated, *rule.beside)
        ]
        kept = tuple(rule for rule in self.held if rule not in near)
        return replace(self, held=kept, changed=(*self.changed, *changed))


def permits_part(fact: Fact) -> bool:
    """Tell whether a sentence beside a rule permits a part of it, or all of it for one time."""
    return fact.note == EXCEPTION or fact.note.startswith(ONCE)


def _spares_asking(fact: Fact) -> bool:
    """Tell whether a sentence that reads like a ban permits: "you can … without asking"."""
    if fact.note != "prohibition" or not _CONDITION.search(fact.words):
        return False
    permits = closest_languages(fact.words)[0].changes.permits
    return permits.found_in(fact.words.lower()) or _ONCE.search(fact.words) is not None


def _permission_note(fact: Fact) -> str:
    if _ONCE.search(fact.words):
        return ONCE
    return EXCEPTION


def _spelled_out(permission: Fact, rule: Fact) -> frozenset[str]:
    """Return what of a permission commands would name; of the rest no use is seen."""
    told = permission_coverage(permission.words).words | coverage_of(rule.words).words
    verbs = Coverage(_SPELLED_OUT, frozenset())
    return frozenset(word for word in told if "/" in word or "." in word or verbs.covers({word}))


def _is_use(touched: Fact, named: frozenset[str]) -> bool:
    return coverage_of(f"{touched.note} {touched.words}").covers(named)


def _is_answered(rule: Rule, permission: Fact) -> bool:
    """Tell whether a rule asks for the permission that was given, and so goes on."""
    asked = _CONDITION.search(rule.fact.words)
    return asked is not None and not _CONDITION.search(permission.words)


def _nearest(said: Coverage, fact: Fact, held: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Return the rules that a sentence is about: those that share most of its words."""
    shares: list[tuple[float, Rule]] = []
    for rule in held:
        share = 0.0
        if _may_change(fact, rule.fact):
            share = said.shared(rule.scope) + _is_of_one_topic(fact, rule.fact)
        if fact.note not in (PERMIT, EXCEPT) or _is_meant(rule, share):
            shares.append((share, rule))
    best = max((share for share, _ in shares), default=0.0)
    if best < 1:
        return ()
    # All that are equally near: to choose one of them would be a guess.
    near = tuple(rule for share, rule in shares if share == best)
    return _with_rest(said, fact, held, near)


def _is_meant(rule: Rule, share: float) -> bool:
    """Tell whether a permission may be about a rule: one word of a long rule is chance."""
    if rule.fact.note == "preference":
        return False
    return share >= 2 or rule.scope.weight <= SHORT


def _is_of_one_topic(fact: Fact, rule: Fact) -> bool:
    """Tell whether both are about languages, whose names are all that they share."""
    return "language" in fact.key.split()[:1] and "language" in rule.key.split()[:1]


def _with_rest(
    said: Coverage, fact: Fact, held: tuple[Rule, ...], near: tuple[Rule, ...]
) -> tuple[Rule, ...]:
    """Add rules that cover the rest of a sentence about several ("use pandas and numpy")."""
    rest = Coverage(
        said.beyond(coverage_of(" ".join(rule.fact.words for rule in near))), frozenset()
    )
    if not rest.words:
        return near
    more = tuple(
        rule
        for rule in held
        if rule not in near and _may_change(fact, rule.fact) and not rule.scope.beyond(rest)
    )
    return (*near, *more)


def replaces(fact: Fact, rule: Fact) -> bool:
    """It says the same anew, or otherwise; two rules about two things both stand."""
    if not _may_change(fact, rule) or rule.note in (EXCEPTION, CORRECTION):
        return False
    if fact.key in ONE_ALONE:
        return fact.key == rule.key and not _is_for_less(fact, rule)
    clause, old_clause = _most_alike(fact.words, rule.words)
    new, old = coverage_of(clause), coverage_of(old_clause)
    if not new.all or not old.all:
        return flatten(fact.words).lower() == flatten(rule.words).lower()
    ban = _forbids(fact, clause)
    # What is forbidden stays so until it is allowed, or is said again in full.
    if ban and not old.covers(new.words):
        return False
    gained, lost = new.beyond(old), old.beyond(new)
    if not gained and not lost:
        # What is forbidden stays so until it is allowed, and "ask before a commit" is not "ask
        # before a push", though like verbs cover the same.
        lifts = _forbids(rule, old_clause) and not ban
        return not lifts and new.is_said_by(old) and old.is_said_by(new)
    if ban != _forbids(rule, old_clause):
        return False
    if gained <= new.numbers and lost <= old.numbers and gained and lost:
        return not ban or _COMPARES.search(fact.words) is not None
    # Better said twice than lost.
    return not ban and _corrects(fact, rule, new, old)


def _is_for_less(fact: Fact, rule: Fact) -> bool:
    """Tell whether a rule about a language names more than that: "answer Bob in French"."""
    if not fact.key.startswith("language"):
        return False
    new, old = coverage_of(_MARKS.sub(" ", fact.words)), coverage_of(rule.words)
    return len(new.beyond(old)) > max(1, len(old.beyond(new)))


def _older_in_like_words(fact: Fact, held: tuple[Rule, ...]) -> FactAt | None:
    """Return the newest rule of which a new one seems to change a value, though it may not."""
    for rule in reversed(held):
        if _may_change(fact, rule.fact) and _gives_another_value(fact, rule.fact):
            return rule.stated
    return None


def _gives_another_value(fact: Fact, rule: Fact) -> bool:
    if _is_same_but_for_value(fact.words, rule.words):
        return True
    clause, old_clause = _most_alike(fact.words, rule.words)
    bans = _forbids(fact, clause), _forbids(rule, old_clause)
    if any(bans):
        new, old = coverage_of(clause), coverage_of(old_clause)
        gained, lost = new.beyond(old), old.beyond(new)
        # What is forbidden stays so, whatever else is; but another number may be its new one.
        if gained and lost and gained <= new.numbers and lost <= old.numbers:
            return True
        # It may be ordered now.
        return not all(bans) and not gained and not lost
    pairs = ((clause, old_clause), (fact.words, rule.words))
    return any(_differs_in_value(mine, theirs) for mine, theirs in pairs)


def _is_same_but_for_value(words: str, old_words: str) -> bool:
    """Tell whether a sentence says that it corrects another, and only one value differs."""
    bare = CORRECTS.sub("", _MARKS.sub(" ", words)).lower().strip(" .!").split()
    old = old_words.lower().strip(" .!").split()
    if len(bare) != len(old) or len(bare) == len(words.split()):
        return False
    return sum(mine != theirs for mine, theirs in zip(bare, old, strict=True)) == 1


def _differs_in_value(words: str, old_words: str) -> bool:
    """Tell whether two statements share a frame in which one of them names something else."""
    new, old = coverage_of(words), coverage_of(old_words)
    # "Tabs, not spaces" loses no word of the old rule: it names what it gives up.
    if not new.beyond(old) or not (old.beyond(new) or _NEGATES.search(words)):
        return False
    if new.numbers and old.numbers and _is_same_frame(new, old):
        return True
    return new.shared(old) >= _SAME_FRAME * min(new.weight, old.weight)


def _is_same_frame(new: Coverage, old: Coverage) -> bool:
    """Tell whether all words of one are among those of the other, numbers apart."""
    mine, theirs = Coverage(new.words, frozenset()), Coverage(old.words, frozenset())
    if not mine.words or not theirs.words:
        return False
    return not mine.beyond(theirs) or not theirs.beyond(mine)


def _says_anew(fact: Fact, rule: Rule) -> bool:
    """Tell whether a sentence that is no rule by itself gives another value of a rule."""
    new = coverage_of(fact.words)
    least = _SAME_FRAME * max(new.weight, rule.scope.weight)
    if not _may_change(fact, rule.fact) or not new.shares(rule.scope, least):
        return False
    return _gives_another_value(fact, rule.fact)


@lru_cache(maxsize=KEPT_MOST)
def _most_alike(new: str, old: str) -> tuple[str, str]:
    """Return the clauses of two rules that share most, without the words of a correction."""
    mine, theirs = _unmarked_clauses(new), _bare_clauses(old)
    if len(mine) == len(theirs) == 1:
        return mine[0], theirs[0]
    pairs = [(one, other) for one in mine for other in theirs]
    return max(pairs, key=lambda pair: coverage_of(pair[0]).shared(coverage_of(pair[1])))


# Every new rule is compared with many.
@lru_cache(maxsize=CLAUSES_KEPT)
def _bare_clauses(words: str) -> list[str]:
    return clauses_of(CORRECTS.sub("", without_label(words))) or [words]


@lru_cache(maxsize=CLAUSES_KEPT)
def _unmarked_clauses(words: str) -> list[str]:
    return [_MARKS.sub(" ", clause) for clause in _bare_clauses(words)]


@lru_cache(maxsize=CLAUSES_KEPT)
def _is_one_clause(words: str) -> bool:
    return len(clauses_of(words)) == 1


def _corrects(fact: Fact, rule: Fact, new: Coverage, old: Coverage) -> bool:
    """Tell whether a rule gives another value in the same words, and says so."""
    alike = new.shared(old) / max(new.weight, old.weight)
    if alike < _ALIKE:
        return False
    values = Coverage(old.beyond(new), frozenset())
    if values.words and not values.beyond(coverage_of(fact.words)):
        # The old value is named beside the new one: "…, not MySQL", "Dana has left".
        return True
    if _OVERRULES.search(fact.words) or _is_named_as_old(fact.words, old):
        return True
    # Two rules about two files may share every word but the names.
    same_names = set(_NAME.findall(fact.words)) == set(_NAME.findall(rule.words))
    return CORRECTS.match(fact.words) is not None and same_names


def _is_named_as_old(words: str, old: Coverage) -> bool:
    """Tell whether a rule says what it replaces: "use pnpm instead of npm"."""
    found = _INSTEAD.search(words)
    if found is None:
        return False
    given_up = coverage_of(words[found.end() :])
    return bool(given_up.words) and not given_up.beyond(old)


def _forbids(fact: Fact, clause: str) -> bool:
    """Tell whether a clause of a rule is a ban: the `not` may stand in another clause."""
    if fact.note != "prohibition":
        return False
    return _is_one_clause(fact.words) or _NEGATES.search(clause) is not None


def _may_change(later: Fact, rule: Fact) -> bool:
    """A person's word does not undo the system's."""
    return later.trust == rule.trust or later.trust == "system"
