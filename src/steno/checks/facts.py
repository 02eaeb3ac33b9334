"""Whether what a view must still say is said, on the words that will be sent.

Rules in force and open loops are kept word for word: what no rung has kept is
put back, in the newest place that stands for what is covered. Where a rule that
was lifted or replaced is still seen, so is what changed it. Every other fact of
what is newly covered is retained, recallable or lost, and the commit says how
many. The facts of the view are looked for once, as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from steno.core.draft import Draft
from steno.core.log import Edit, Finding, Kept, Proposal, Report
from steno.core.mend import clean
from steno.core.message import user
from steno.core.trace import Trace
from steno.core.view import Item, View
from steno.ledger import constraint
from steno.ledger.constraint import Rules
from steno.ledger.hearsay import told_by
from steno.ledger.ledger import Ledger, Stated
from steno.ledger.sections import (
    ENDED,
    LIFTED,
    MOST,
    PINNED,
    Line,
    Sections,
    in_force,
    read,
    spelt,
    still_open,
    told,
    told_of_change,
)
from steno.ledger.words import Words, untouched

STANDING = ("constraint", "open")
COUNTED = ("constraint", "open", "decision", "error", "artifact", "marker")


def pinned(before: Draft, draft: Draft, ledger: Ledger) -> Proposal | None:
    """What puts back the rules in force and the open loops that the view no longer says; None if it says them all."""
    place = newest_cover(draft.view)
    if place is None:
        return None
    words = Words(untouched(draft.view.shown))
    said, came = _told_in(draft.view), _told_in(before.view, absent=True)
    known = {line.text for lines in said.values() for line in lines}
    loops = still_open(ledger)
    rules = Rules().plus(sorted({*_came(before.view), *ledger.rulings}, key=_position))
    live = [*rules.live, *ledger.constraints]
    missing = {
        "CONSTRAINTS": _missing(ledger.constraints, words, known)
        + _gone(in_force(_elsewhere(came["CONSTRAINTS"]), ledger), known)
        + list(_changes(rules.changed, live, Words(draft.view.shown), words, known)),
        "OPEN": _missing(loops, words, known) + _gone(_elsewhere(came["OPEN"]), known),
    }
    if not any(missing.values()):
        return None
    trace = Trace.read(place.shows[0].text) or Trace.of(draft.view, [place])
    sections = told_by(draft.view, place, trace.more)
    added = {name: _capped(name, sections.get(name, []), missing[name]) for name in PINNED}
    if added == {name: sections.get(name, []) for name in PINNED}:
        return None
    by = next((edit.by for edit in draft.edits if edit.span == place.span), "pinned")
    return Proposal((told_anew(trace, place, sections | added, by),), by)


def newest_cover(view: View) -> Item | None:
    """The newest place that stands for what is covered, in our words."""
    return next((item for item in reversed(view.items) if _stands(item)), None)


def _told_in(view: View, *, absent: bool = False) -> Sections:
    """The rules and loops that our own words state; `absent` asks only for those whose source is not in the log."""
    found: Sections = {name: [] for name in PINNED}
    for item in view.items:
        if not _stands(item) or (absent and view.messages[item.span.start].role != "absent"):
            continue
        trace = Trace.read(item.shows[0].text)
        sections = told_by(view, item, trace.more) if trace else {}
        for name in PINNED:
            found[name] += sections.get(name, [])
    return found


def _came(view: View) -> Iterator[Stated]:
    """The rules that words of ours state of messages which are not in the log: they may be changed in it."""
    for item in view.items:
        if not _stands(item) or view.messages[item.span.start].role != "absent":
            continue
        trace = Trace.read(item.shows[0].text)
        sections = read(trace.more) if trace else {}
        told = [(line.cites[0], line.text) for name in ("CONSTRAINTS", "GOAL") for line in sections.get(name, [])]
        told += [asked for asked in (trace.first, trace.last) if asked] if trace else []
        for at, text in told:
            if not text.startswith((LIFTED, ENDED)):
                yield from ((at, fact) for fact in constraint.read(user(text)) if fact.kind == "constraint")


def _changes(
    changed: Iterable[tuple[Stated, Stated]], live: list[Stated], seen: Words, words: Words, known: set[str]
) -> Iterator[Line]:
    """What changed each rule that is no longer in force and still seen, where nothing says so."""
    said: set[str] = set()
    for (_, rule), by in changed:
        if by in live or not (rule.words in said or seen.hold(rule.words)):
            continue
        line = told_of_change(by)
        if not (words.hold(by[1].words) or line.text in known or by[1].words in said):
            said.add(by[1].words)
            yield line


def _elsewhere(lines: list[Line]) -> list[Line]:
    """Those that rest on nothing here: of all others the ledger knows what stands."""
    return [line for line in lines if line.hearsay]


def _gone(lines: list[Line], known: set[str]) -> list[Line]:
    return [line for line in lines if line.text not in known]


def _capped(name: str, said: list[Line], missing: list[Line]) -> list[Line]:
    """Both together, the newest beyond a cap; the others are named by their positions alone."""
    most = MOST.get(name, len(said) + len(missing))
    lines = [*said, *missing]
    if len(lines) <= most or not missing:
        return lines
    lines.sort(key=_newest)
    more = [at for line in lines[:-most] for at in line.cites]
    return [*lines[-most:], Line(f"{len(more)} more", tuple(range(min(more), max(more) + 1)))]


def _position(stated: Stated) -> int:
    return stated[0]


def _newest(line: Line) -> int:
    return max(line.cites, default=-1)


def _stands(item: Item) -> bool:
    """It stands for messages that are not shown, in our words."""
    return (
        item.main is None and item.level > 0 and len(item.shows) == 1 and Trace.read(item.shows[0].text) is not None
    )


def _missing(stated: Iterable[Stated], words: Words, known: set[str]) -> list[Line]:
    lines = (told(each) for each in stated if not words.hold(each[1].words))
    return [line for line in lines if line.text not in known]


def told_anew(trace: Trace, place: Item, sections: Sections, by: str) -> Edit:
    """What stands for some messages, with other sections."""
    told = replace(trace, span=place.span, more=spelt(sections))
    return Edit(place.span, (user(clean(str(told)), by="steno"),), by, level=place.level)


def report(before: View, after: View, ledger: Ledger) -> Report | None:
    """What became of the facts of every message that is shown otherwise than before."""
    was = {item.span.start: item for item in before.items}
    changed = [item for item in after.items if was.get(item.span.start) is not item]
    if not changed:
        return None
    words, pointed = Words(after.shown), positions_pointed_to(after)
    counts: dict[str, list[int]] = {}
    for position, fact in _facts(changed, ledger):
        state = 0 if words.hold(fact.words) else 1 if position in pointed else 2
        counts.setdefault(fact.kind, [0, 0, 0])[state] += 1
    return Report(tuple(Kept(kind, *counts[kind]) for kind in COUNTED if kind in counts))


def _facts(items: Iterable[Item], ledger: Ledger) -> Iterator[Stated]:
    """What these items state; of rules and loops those that stand."""
    standing = [*ledger.constraints, *still_open(ledger)]
    inside = {at for item in items for at in range(item.span.start, item.span.stop)}
    yield from (each for each in standing if each[0] in inside)
    for position in sorted(inside):
        for fact in ledger.at(position):
            if fact.kind in COUNTED and fact.kind not in STANDING and fact.words:
                yield position, fact


def beyond(ledger: Ledger) -> tuple[Finding, ...]:
    """Open loops that are too many to be told, if so."""
    open_loops = len(still_open(ledger))
    if open_loops <= MOST["OPEN"]:
        return ()
    what = f"of {open_loops} open loops {open_loops - MOST['OPEN']} are only named by their positions"
    return (Finding("open_loops_are_told", what, "pinned"),)


def positions_pointed_to(view: View) -> set[int]:
    """The positions that something shown says how to open."""
    found: set[int] = set()
    for item in view.items:
        if item.main is not None:
            found.add(item.span.start)  # it is there, whole or with a note of its own
            continue
        trace = Trace.read(item.shows[0].text) if item.shows else None
        if trace is not None:
            for span in (item.span, *trace.hides):
                found.update(range(span.start, span.stop))
    return found
