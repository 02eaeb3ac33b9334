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
from hashlib import blake2s
from itertools import islice

import msgspec

from steno.facts.amendments import Amendment, read_amendment
from steno.facts.coverage import (
    Coverage,
    clauses_of,
    coverage_of,
    leaves_out,
    names_part_of,
    permission_coverage,
)
from steno.facts.fact import Fact, FactAt
from steno.facts.languages import closest_languages, in_every_language
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.restatements import gives_another_value, may_change, replaces, says_anew
from steno.facts.rule_kinds import (
    ADDITION,
    AMEND,
    CORRECTION,
    EXCEPT,
    EXCEPTION,
    EXTEND,
    ONCE,
    PERMIT,
    RESTATE,
)
from steno.facts.rules import released_words

NEXT, LATER, SOON = 1, 3, 6
"""Messages of a person within which a sentence answers the one before, a correction says what it
corrects, and a bare number, an exception or an addition is about the newest rule it fits."""
SHORT = 4
"""Telling words of a rule that one shared word is enough for."""
NEAR_MOST = 100
"""Characters of a permission that is about the newest rule though it names nothing of it."""
ANSWER_MOST = 5
"""Telling words of this permission."""
FAR = 1_000_000_000
"""A position at which nothing answers anything."""
UNUSED, USED = f"{ONCE}, not used yet", f"{ONCE}, used at "
"""Notes of a permission for one time whose use calls would show, and do show at a position."""
COMPARED = 128
"""Rules that a new one may replace, the newest: comparing all with all takes too long.

An older rule that is said anew in other words stands twice.
"""

_CONDITION = lazy_pattern(in_every_language(lambda cues: cues.changes.conditions), re.I)
_OPENS_EXCEPTION = lazy_pattern(
    rf"\W*(?:{in_every_language(lambda cues: cues.changes.exempts)})\b", re.I
)
_APART = lazy_pattern(in_every_language(lambda cues: cues.changes.apart), re.I)
_ONCE = lazy_pattern(in_every_language(lambda cues: cues.changes.once), re.I)
_POINTS = lazy_pattern(in_every_language(lambda cues: cues.changes.points), re.I)
_NODS = lazy_pattern(rf"\W*(?:{in_every_language(lambda cues: cues.changes.nods)})[,.!:，。]", re.I)
_BANS = lazy_pattern(in_every_language(lambda cues: cues.changes.bans), re.I)
_SPELLED_OUT = frozenset(("push", "commit", "merge", "rebase", "install"))
"""What people call as commands do, so that its use is seen."""


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
        """Return it with what was said since."""
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
        """Return it with one more message of a person, whatever it says."""
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
        if fact.note in (CORRECTION, ADDITION) or permits_part(fact):
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
            # What was permitted or added stays so: only the rule itself was said anew.
            tuple(change for rule in old for change in rule.beside if change[1].note != CORRECTION),
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
        if fact.note == EXTEND:
            return self._beside(self._newest(position, fact, SOON), position, fact, ADDITION)
        if fact.note in (AMEND, RESTATE):
            meant = self._with_value_like(position, fact) or self._said_anew_by(fact)
            return self._beside(meant, position, fact, CORRECTION)
        said = permission_coverage(released_words(fact.words))
        held = self.held
        if _says_no(fact, said, closest_languages(fact.words)[0].changes.spares):
            # It means a duty, if there is one; who need not do what is forbidden may still not.
            held = tuple(rule for rule in held if rule.fact.note != "prohibition")
        near = _nearest(said, fact, held) or _nearest(said, fact, self.held)
        if not near:
            return self._about_the_newest(position, fact, said, held)
        if fact.note in (PERMIT, EXCEPT) and _ONCE.search(fact.words):
            return self._beside(near, position, fact, ONCE)
        together = " ".join(rule.fact.words for rule in near)
        if fact.note == EXCEPT or said.is_tied_beyond(together):
            return self._beside(near, position, fact, EXCEPTION)
        if said.beyond(coverage_of(together)):
            return self._beside(near, position, fact, EXCEPTION)
        if any(rule.scope.beyond(said) for rule in near):
            # "Fine, delete that one": who means one thing does not lift the ban on all.
            if _only_orders(fact):
                return self._beside(near, position, fact, ONCE)
            if _POINTS.search(fact.words):
                return self._beside(near, position, fact, EXCEPTION)
        in_part = tuple(rule for rule in near if _is_permitted_in_part(rule, fact, said))
        if in_part:
            whole = tuple(rule for rule in near if rule not in in_part)
            return self._lifted(whole, position, fact)._beside(in_part, position, fact, EXCEPTION)
        if fact.note == PERMIT:
            # A yes to what must be asked for answers the question and leaves the rule.
            answered = tuple(rule for rule in near if _is_answered(rule, fact))
            lifted = tuple(rule for rule in near if rule not in answered)
            return self._lifted(lifted, position, fact)._beside(answered, position, fact, EXCEPTION)
        return self._lifted(near, position, fact)

    def _about_the_newest(
        self, position: int, fact: Fact, said: Coverage, held: tuple[Rule, ...]
    ) -> Rules:
        """Relate words that name nothing of any rule to the newest, if they follow it soon."""
        near = tuple(rule for rule in self._newest(position, fact, NEXT) if rule in held[-1:])
        if _APART.search(fact.words):
            near = self._newest(position, fact, SOON)
        if _NODS.match(fact.words):
            return self
        # With words of its own it is about something else.
        answers = len(fact.words) <= NEAR_MOST and coverage_of(fact.words).weight <= ANSWER_MOST
        if fact.note in (EXCEPT, PERMIT) and answers:
            return self._beside(near, position, fact, _permission_note(fact))
        if fact.note == "" and not said.ties:
            lifted = tuple(rule for rule in near if not said.beyond(rule.scope))
            return self._lifted(lifted, position, fact)
        return self

    def _newest(self, position: int, fact: Fact, most: int) -> tuple[Rule, ...]:
        """Return the newest rule that a sentence may change, if it was stated so shortly before."""
        own = [rule for rule in self.held if may_change(fact, rule.fact)]
        return tuple(rule for rule in own[-1:] if self._messages_since(rule, position) <= most)

    def _with_value_like(self, position: int, fact: Fact) -> tuple[Rule, ...]:
        """Return the newest rule that has a value of the kind that a short correction gives."""
        said = read_amendment(fact.words)
        if fact.note != AMEND or said is None:
            return ()
        # "OK, fix it" goes ahead; "OK, 120" gives a value.
        if _NODS.match(fact.words) and not (said.is_number or said.is_language or said.given_up):
            return ()
        near = self._near_enough(said, position, fact)
        return tuple(islice((rule for rule in near if said.fits(rule.fact.words)), 1))

    def _said_anew_by(self, fact: Fact) -> tuple[Rule, ...]:
        """Return the newest rule that a sentence, itself no rule, gives another value."""
        if _NODS.match(fact.words):
            return ()
        return tuple(
            islice((rule for rule in reversed(self.held) if says_anew(fact, rule.fact)), 1)
        )

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
            if self._messages_since(rule, position) <= most and may_change(fact, rule.fact):
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


def _is_permitted_in_part(rule: Rule, fact: Fact, said: Coverage) -> bool:
    """Tell whether a release leaves out something of a rule, which then stays."""
    if names_part_of(said, rule.fact.words):
        return True
    if rule.fact.note != "prohibition":
        return False
    left_out = leaves_out(said, rule.fact.words)
    if _BANS.search(fact.words):
        # "The ban on npm" need not say what was forbidden to do with it.
        left_out -= {rule.scope.first}
    changes = closest_languages(fact.words)[0].changes
    return bool(left_out) or _says_no(fact, said, rf"{changes.spares}|{changes.declines}")


def _says_no(fact: Fact, said: Coverage, cue: str) -> bool:
    """Tell whether a sentence says no to something by a cue, and neither permits nor lifts."""
    if not said.all or _BANS.search(fact.words) or _CONDITION.search(fact.words):
        return False
    permits = closest_languages(fact.words)[0].changes.permits
    clauses = [clause.lower() for clause in clauses_of(fact.words)]
    denied = [clause for clause in clauses if re.search(cue, clause)]
    return bool(denied) and not any(
        permits.found_in(clause) for clause in clauses if clause not in denied
    )


def _spares_asking(fact: Fact) -> bool:
    """Tell whether a sentence that reads like a ban permits: "you can … without asking"."""
    if fact.note != "prohibition" or not _CONDITION.search(fact.words):
        return False
    permits = closest_languages(fact.words)[0].changes.permits
    return permits.found_in(fact.words.lower()) or _ONCE.search(fact.words) is not None


def _only_orders(fact: Fact) -> bool:
    """Tell whether a sentence nods and orders something, and permits nothing in so many words."""
    nod = _NODS.match(fact.words)
    if nod is None:
        return False
    permits = closest_languages(fact.words)[0].changes.permits
    return not permits.found_in(fact.words[nod.end() :].lower().strip())


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
        if may_change(fact, rule.fact):
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
        if rule not in near and may_change(fact, rule.fact) and not rule.scope.beyond(rest)
    )
    return (*near, *more)


def _older_in_like_words(fact: Fact, held: tuple[Rule, ...]) -> FactAt | None:
    """Return the newest rule whose value a new one seems to change, though it may not."""
    for rule in reversed(held):
        if may_change(fact, rule.fact) and gives_another_value(fact, rule.fact):
            return rule.stated
    return None
