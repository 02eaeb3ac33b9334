"""Whether what is covered is still named, and what is put back where it is not.

A name that the newest turns mention and that what is covered states is seen: the
tail is never covered, so it is seen there by definition, unless a result of the
tail is shown in short. Of what is covered, errors that were not overcome, decisions
and things touched are either seen in their own words or named by a line that cites
where they stand. And whatever is hidden is pointed to by something that is shown.

What fails is put back into the newest place that stands for what is covered: a
pointer always, the rest in that order while there is room under the goal and
within the policy's share. What can only be opened then is counted in the
commit's report; a pointer or a name that found no room is a finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from steno.checks.facts import newest_cover, positions_pointed_to, told_anew
from steno.core.draft import Draft
from steno.core.log import Finding, Proposal
from steno.core.span import Span
from steno.core.trace import Trace
from steno.core.view import View
from steno.ledger.hearsay import told_by
from steno.ledger.ledger import Ledger
from steno.ledger.said import names_in
from steno.ledger.sections import Line, Sections, due, read
from steno.ledger.words import Words, flat

LINES_MOST = 200
HEADING = 3
"""Tokens of a section's name."""
NAMES_A_LINE = 8


def repaired(before: Draft, draft: Draft, ledger: Ledger, most: int) -> Proposal | None:
    """What names again what nothing shown names, within `most` tokens and the goal; None if nothing is to do."""
    place = newest_cover(draft.view)
    if place is None:
        return None
    trace = Trace.read(place.shows[0].text) or Trace.of(draft.view, [place])
    hides = (*trace.hides, *unpointed(draft.view))
    sections = told_by(draft.view, place, trace.more)
    added = _within(draft, _unnamed(draft, ledger), sections, min(most, _room(before, draft)))
    if len(hides) == len(trace.hides) and not added:
        return None
    whole = {name: [*sections.get(name, []), *added.get(name, [])] for name in (*sections, *added)}
    by = next((edit.by for edit in draft.edits if edit.span == place.span), "repairs")
    return Proposal((told_anew(replace(trace, hides=hides), place, whole, by),), by)


def _room(before: Draft, draft: Draft) -> int:
    """Raw tokens that the goal leaves, at most half of what was saved."""
    left = int(draft.goal / draft.view.meter.ratio) - draft.fixed - draft.view.raw
    return min(left, (before.view.raw - draft.view.raw) // 2)


def _within(draft: Draft, lines: Iterator[tuple[str, Line]], said: Sections, room: int) -> Sections:
    """As many of the lines, in their order, as there is room for."""
    added: Sections = {}
    if room <= 0:
        return added
    for taken, (name, line) in enumerate(lines):
        new = name not in said and name not in added
        room -= draft.view.meter.count(str(line)) + 1 + (HEADING if new else 0)
        if room < 0 or taken == LINES_MOST:
            break
        added.setdefault(name, []).append(line)
    return added


def _unnamed(draft: Draft, ledger: Ledger) -> Iterator[tuple[str, Line]]:
    """The lines that would name what nothing shown names, the dearest first."""
    words = Words(draft.view.shown)
    cited = _cited(draft.view)
    yield from (("FACTS", line) for line in _unseen_names(draft, words))
    for section, line, said in due(ledger, _covered(draft.view)):
        if not words.hold(said) and not cited.get(section, set()) & set(line.cites):
            yield section, line


def names_unseen(draft: Draft) -> tuple[Finding, ...]:
    """Names that the newest turns mention, what is covered states, and nothing shows, if any."""
    lines = list(_unseen_names(draft, Words(draft.view.shown)))
    if not lines:
        return ()
    at = sorted({position for line in lines for position in line.cites})
    what = f"names that the newest turns mention can only be opened: {at[0]} and {len(at) - 1} more places"
    return (Finding("names_in_use_are_seen", what, "repairs"),)


def unfindable(draft: Draft) -> tuple[Finding, ...]:
    """What is hidden and nothing shown points to, if anything."""
    spans = unpointed(draft.view)
    if not spans:
        return ()
    what = f"nothing shown says how to open {spans[0]} and {len(spans) - 1} more spans"
    return (Finding("what_is_hidden_is_pointed_to", what, "repairs"),)


def _unseen_names(draft: Draft, words: Words) -> Iterator[Line]:
    short = [item for item in draft.view.items if item.span.start >= draft.tail and item.edited]
    if not short:
        return
    covered = _covered(draft.view)
    stated = {name for at in covered for name, _ in names_in(draft.view.messages[at])}
    for item in short:
        at = item.span.start
        names = [name for name, _ in names_in(draft.view.messages[at]) if name in stated and not words.hold(name)]
        stated.difference_update(names)
        for start in range(0, len(names), NAMES_A_LINE):
            yield Line(", ".join(map(flat, names[start : start + NAMES_A_LINE])), (at,))


def _cited(view: View) -> dict[str, set[int]]:
    """Which positions the lines of each section cite, in everything shown."""
    found: dict[str, set[int]] = {}
    for item in view.items:
        trace = Trace.read(item.shows[0].text) if item.main is None and len(item.shows) == 1 else None
        for name, lines in (read(trace.more) if trace else {}).items():
            found.setdefault(name, set()).update(at for line in lines for at in line.cites)
    return found


def _covered(view: View) -> set[int]:
    return {
        at for item in view.items if item.main is None and item.level for at in range(item.span.start, item.span.stop)
    }


def unpointed(view: View) -> list[Span]:
    """What is hidden and nothing shown says how to open."""
    pointed = positions_pointed_to(view)
    hidden = (item.span for item in view.items if item.main is None and item.level)
    return [span for span in hidden if not pointed.issuperset(range(span.start, span.stop))]
