"""What a commit covers and no rung has named is put back, while there is room."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

import steno
from steno import Policy, Session
from steno.checks.kept import unreachable_spans
from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.log import Edit, Proposal
from steno.core.message import Span
from steno.engine.policy import DEFAULT_POLICY
from steno.facts.ledger import Ledger
from steno.facts.text import SearchableText
from steno.rungs import Intake, Rung, Summarize, Truncate
from steno.summary.render import render_line
from steno.summary.sections import lines_due
from tests.support.coding_sessions import exchange, line
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.rule_sessions import Ruled, sessions
from tests.support.scripted_models import Reckless
from tests.support.session_cases import Case, cases
from tests.support.summaries import summaries_in

Json = dict[str, Any]
CURT = DEFAULT_POLICY.but(ladder=(Summarize(share=0.0, names=0.0, excerpts=0.0), Truncate()))
"""A summary with room for rules and loops alone, so that most of the goal is left."""
TRACED = DEFAULT_POLICY.but(ladder=(Truncate(),))
ERROR = "ModuleNotFoundError: No module named 'warehouse_export'"
DECISION = "We decided to use SQLite for the queue because it needs no server."


def troubled(turns: int) -> list[Json]:
    """Somebody decides, something fails and stays so, much is read."""
    told: list[Json] = [
        {"role": "user", "content": "Make the export run again."},
        {"role": "assistant", "content": DECISION},
        {"role": "user", "content": "Good, go on."},
        *exchange("f", "bash", {"command": "python export.py"}, f"Exit code 1\n{ERROR}"),
    ]
    for at in range(turns):
        told += exchange(
            f"c{at}", "read", {"path": f"src/part_{at}.py"}, f"row {at} of the table\n" * 20
        )
    return told


def sections_of(held: Session) -> dict[str, list[str]]:
    """What every summary and trace of a session says, section by section."""
    found: dict[str, list[str]] = {}
    for summary in summaries_in(held.view):
        for name, lines in summary.lines().items():
            found.setdefault(name, []).extend(line.text for line in lines)
    return found


@proves("facts.named")
def test_a_summary_without_room_of_its_own_still_names_errors_things_touched_and_decisions() -> (
    None
):
    held = Session(wire="openai", window=12_000, policy=CURT)
    held.add(*troubled(120))
    held.messages()
    said = sections_of(held)

    assert any(ERROR in text and "tool text: " in text for text in said["ERRORS"])
    assert DECISION in said["DECISIONS"]
    assert "read src/part_100.py" in said["ARTIFACTS"]
    assert held.load <= held.log.commits[-1].goal


@proves("facts.named")
def test_what_there_is_no_room_for_goes_by_priority() -> None:
    held = Session(wire="openai", window=6_000, policy=CURT.but(repairs=0.02))
    held.add(*troubled(120))
    held.messages()
    said = sections_of(held)

    assert said["ERRORS"] and said["DECISIONS"] and len(said.get("ARTIFACTS", ())) < 20
    none = Session(wire="openai", window=6_000, policy=CURT.but(repairs=0.0))
    none.add(*troubled(120))
    none.messages()
    assert none.log.commits and not sections_of(none).get("ARTIFACTS")


@pytest.mark.slow
@proves("facts.named")
@hit_rate(at_least=0.6, of="something covered was due", examples=60)
@given(
    sessions(),
    st.sampled_from((3_000, 6_000, 12_000)),
    st.sampled_from((0.0, 0.01, 0.05, 0.3)),
    st.booleans(),
)
def test_what_is_not_named_found_no_room(
    told: Ruled, window: int, share: float, curt: bool
) -> None:
    held = Session(
        wire="openai", window=window, policy=(CURT if curt else TRACED).but(repairs=share)
    )
    held.add(*told.messages)
    before = held.view.raw
    commit = held.compact()
    if commit is None:
        hit(False)
        return
    covered = {
        at
        for item in held.view.items
        if item.main is None
        for at in range(item.span.start, item.span.stop)
    }
    wanted = list(lines_due(Ledger.of(held.log.messages), covered))
    words = SearchableText(held.view.visible_messages)
    unnamed = [line for _, line, said in wanted if not words.contains(said)]
    named = [line for line in wanted if line[1] not in unnamed]
    spent = sum(held.view.meter.count(render_line(line)) + 4 for _, line, _ in named)
    if unnamed:
        # Lines weigh a little less together than one by one, as they were counted.
        cost = held.view.meter.count(render_line(unnamed[0])) + 8 + 3 * len(named)
        no_room = commit.after + cost > commit.goal or spent + cost > int(share * window)
        assert no_room or 2 * (before - held.view.raw) < before - held.view.raw + 2 * (spent + cost)
    hit(wanted)


class Hiding(Rung, frozen=True, tag="hiding"):
    """A rung that hides every other part of the first stretch and says nothing of it."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        first, last = next(draft.stretches(), (0, 0))
        seams = [at for at in range(first + 1, last) if at in draft.seams]
        pairs = list(zip(seams[::2], seams[1::2], strict=False))
        items = draft.view.items
        spans = [Span(items[start].span.start, items[stop].span.start) for start, stop in pairs]
        if not spans:
            return ()
        edits = tuple(Edit(span, (), self.label, level=1) for span in spans)
        return (Proposal(edits, self.label),)


@pytest.mark.slow
@proves("facts.pointed")
@hit_rate(at_least=0.4, of="a rung hid something without a word", examples=80)
@given(
    cases(broken=False, reckless=False, fills=(0.2, 0.35, 0.5)),
    st.sampled_from((Hiding(), Reckless("hides the beginning"))),
)
def test_whatever_a_rung_hides_is_pointed_to_or_found(case: Case, rung: Rung) -> None:
    held = case.filled(policy=case.policy.but(ladder=(rung, Truncate())))
    commit = held.compact()
    hit(commit and any(not edit.shows and edit.block is None for edit in commit.edits))
    for each in held.log.commits[-1:]:
        found = any(finding.check == "what_is_hidden_is_pointed_to" for finding in each.findings)
        assert found == bool(unreachable_spans(held.view))


@proves("facts.pointed")
def test_what_was_hidden_without_a_word_can_be_found_from_the_next_trace() -> None:
    held = Session(wire="openai", window=6_000, policy=Policy(ladder=(Hiding(), Truncate())))
    held.add(*troubled(60))
    held.messages()
    hidden = [item for item in held.view.items if item.level and not item.shows]
    traces = summaries_in(held.view)

    assert hidden and {item.span for item in hidden} <= {
        span for trace in traces for span in trace.hides
    }


@proves("facts.named")
def test_a_name_that_the_tail_mentions_is_seen_also_where_its_result_is_shown_in_short() -> None:
    random = Random(4)
    name = "src/warehouse/nightly_export_4711.py"
    told: list[Json] = [{"role": "user", "content": "Make the export run again."}]
    told += exchange("a", "read", {"path": "notes.md"}, f"the culprit may be {name}")
    for at in range(30):
        told += exchange(
            f"c{at}", "read", {"path": f"src/part_{at}.py"}, f"row {at} of the table\n" * 20
        )
    told += [{"role": "assistant", "content": "Now the log."}]
    log = [line(random) for _ in range(300)]
    log.insert(150, f"called from {name} at midnight")
    told += exchange("z", "bash", {"command": "cat export.log"}, "\n".join(log))
    policy = DEFAULT_POLICY.but(
        every_round=(Intake(over=100_000),), ladder=(steno.rungs.Offload(keep=200), *CURT.ladder)
    )
    held = Session(wire="openai", window=6_000, policy=policy)
    held.add(*told)
    shown = held.messages()

    assert name not in str(shown[-1]["content"]) and held.view.items[-1].is_edited
    assert any(name in text for text in sections_of(held)["FACTS"])
    without = Session(wire="openai", window=6_000, policy=policy.but(repairs=0.0))
    without.add(*told)
    without.messages()
    assert any(
        finding.check == "names_in_use_are_seen" for finding in without.log.commits[-1].findings
    )
