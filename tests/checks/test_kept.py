"""What a commit covers is told, or something shown says where it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from steno import Policy, Session, chars_per_four
from steno.checks.kept import unreachable_spans
from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.log import Edit, Proposal
from steno.core.message import Span
from steno.rungs import Rung, Summarize, Truncate
from tests.support.coding_sessions import exchange
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.scripted_models import Reckless
from tests.support.session_cases import Case, cases
from tests.support.summaries import state_of, story_of, summaries_in

Json = dict[str, Any]
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


@proves("facts.named")
@pytest.mark.parametrize("in_place", [True, False])
def test_errors_that_stand_decisions_and_things_touched_are_told(in_place: bool) -> None:
    policy = Policy(ladder=(Summarize(in_place=in_place), Truncate()))
    held = Session(wire="openai", window=12_000, policy=policy)
    listed = exchange("l", "bash", {"command": "make clean"}, "removed build/")
    held.add(*troubled(120), *listed)
    held.messages()
    told = str(held.messages())

    assert f"not seen resolved [4] `python export.py`: {ERROR}" in state_of(held)
    assert DECISION in told
    covered = max(item.span.stop for item in held.view.items if item.level)
    newest = max(at for at in range(120) if f"src/part_{at}.py" in str(held.log.messages[:covered]))
    assert f"src/part_{newest}.py" in story_of(held) + state_of(held)
    assert held.load <= held.log.commits[-1].goal


@proves("facts.named")
def test_what_a_person_said_comes_before_what_was_touched_where_there_is_little_room() -> None:
    held = Session(wire="openai", window=3_000, policy=Policy())
    held.add(*troubled(120))
    held.messages()
    told = str(held.messages())

    assert "Make the export run again." in told and "Good, go on." in told
    assert ERROR in state_of(held)
    assert sum(f"src/part_{n}.py" in told for n in range(100)) < 20


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
@hit_rate(at_least=0.4, of="a rung hid something without a word", examples=200)
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
    held.add(*troubled(60), {"role": "assistant", "content": "It runs again."})
    held.messages()
    hidden = [item for item in held.view.items if item.level and not item.shows]
    traces = summaries_in(held.view)

    assert hidden and {item.span for item in hidden} <= {
        span for trace in traces for span in trace.hides
    }


def test_pinned_words_take_a_twentieth_of_the_window_and_the_newest_stay() -> None:
    verbs = ("deploy", "rename", "delete", "push", "rewrite", "format", "move")
    limits = (
        "without asking Ada about it before you begin",
        "on a Friday or while the night build is running",
        "unless the whole suite of tests passed on both machines",
    )
    constraints = [f"Never {verbs[at % 7]} module_{at} {limits[at % 3]}." for at in range(160)]
    held = Session(wire="openai", window=2_000, meter=chars_per_four())
    for constraint in constraints:
        held.add(
            {"role": "user", "content": constraint},
            {"role": "assistant", "content": "I will." * 30},
        )
    held.add({"role": "user", "content": "Go on."})
    held.messages()
    held.compact()
    commit = held.log.commits[-1]
    told = next(each["content"] for each in held.messages() if "RULES" in each["content"])
    listed = told.partition("RULES")[2].partition("\n\n")[0]

    assert "module_154 " in listed and "module_0 " not in listed
    # A twentieth of the window, and no less than the newest few.
    assert 3 <= listed.count("Never ") <= 8
    assert held.load <= commit.goal
    assert "pinned_words_have_room" in {finding.check for finding in commit.findings}


def test_a_finding_says_once_that_a_message_says_more_than_is_read_for_constraints() -> None:
    text = "\n".join(f"Never touch file_{at}.py." for at in range(120))
    held = Session(wire="openai", window=8_000, meter=chars_per_four())
    held.add({"role": "user", "content": text}, *troubled(20))
    held.compact()
    held.add(*troubled(10))
    held.compact()
    findings = [finding for commit in held.log.commits for finding in commit.findings]

    assert [each.place for each in findings if each.check == "constraints_are_read"] == ["0"]
