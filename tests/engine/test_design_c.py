"""The design of ladder, tiers and verification, row by row, through the public API.

`tests/faults/design_c.py` plants a fault for each row and sees its test fail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from steno import Policy, Script, Session, events
from steno.core.draft import Draft
from steno.core.effects import Rounds
from steno.core.item import Item
from steno.core.log import Edit, Proposal
from steno.core.message import Message, Span, Text
from steno.core.rung import Rung
from steno.engine.designs import POLICIES
from steno.facts.ledger import Ledger
from steno.models import Ask
from tests.support.promises import WHOLE, proves

CONSTRAINT = "Never touch the production database."
DECISION = "We decided to keep the parser because the header is the cause."
ERAS = 12


def call(number: int, tool: str, arguments: dict[str, Any], said: str, note: str = "") -> list[Any]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    asked = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": note or None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": said},
    ]


def read(number: int, path: str, lines: int = 30) -> list[Any]:
    said = "".join(f"value {number} in line {line} of {path}\n" for line in range(lines))
    return call(number, "read", {"path": path}, said)


def era(number: int, steps: int = 6) -> list[Any]:
    """A request, some reads, and what came of it."""
    asked = f"Now look at part {number}: why does module_{number}.py fail on empty rows?"
    messages: list[Any] = [{"role": "user", "content": asked}]
    for step in range(steps):
        messages += read(number * 100 + step, f"src/module_{number}_{step}.py")
    said = f"module_{number}.py fails because of the header in row {number}."
    return [*messages, {"role": "assistant", "content": said}]


def worked(session: Session, eras: int = ERAS) -> Session:
    """A session after many requests, compacted whenever it asked to be."""
    session.add({"role": "user", "content": f"Make the importer faster. {CONSTRAINT}"})
    for number in range(eras):
        messages = era(number)
        for at in range(0, len(messages) - 1, 2):
            session.add(*messages[at : at + 2])
            session.messages()
        session.add(messages[-1])
    return session


def pressed(session: Session) -> list[Any]:
    return [commit for commit in session.log.commits if commit.why in ("soft", "hard")]


def block(session: Session) -> str:
    return "\n".join(item.shows[0].text for item in session.view.items if item.level and item.shows)


# C1, C2: the ladder.


@proves("tiers.ladder")
def test_the_gentlest_rung_that_does_comes_first() -> None:
    session = worked(Session(wire="openai", window=8_000, policy="tiers"), 6)
    order = ["prune", "offload", "summarize", "fold", "truncate"]
    rungs = [list(dict.fromkeys(edit.by for edit in commit.edits)) for commit in pressed(session)]
    assert len(rungs) >= 2
    for climbed in rungs:
        assert climbed == sorted(climbed, key=order.index)
    told = {by for climbed in rungs for by in climbed}
    assert "summarize" in told and "truncate" not in told
    copies = Session(wire="openai", window=8_000, policy="tiers")
    copies.add({"role": "user", "content": "Look at the file."})
    for number in range(8):
        copies.add(*call(number, "read", {"path": "src/same.py"}, "a value of the row\n" * 150))
        copies.messages()
    assert [{edit.by for edit in commit.edits} for commit in pressed(copies)] == [{"prune"}]


def plan(done: int) -> dict[str, Any]:
    """A long plan of which so many steps are done."""
    states = ["completed"] * done + ["pending"] * (120 - done)
    steps = [f"Step {at}: move handler {at} to its own file" for at in range(120)]
    todos = [{"content": step, "status": state} for step, state in zip(steps, states, strict=True)]
    return {"todos": todos}


def numbered(words: str) -> str:
    """A file of which the second half says these words."""
    kept = [f"{line}\tvalue_{line} = {line * 7}" for line in range(1, 100)]
    return "\n".join([*kept, *(f"{line}\t{words}_{line} = 1" for line in range(100, 190))])


def hits(first: int) -> str:
    return "\n".join(f"src/part_{at}.py:{at}: rows" for at in range(first, 180))


AGAIN = {
    "duplicate": (
        call(1, "Bash", {"command": "make one"}, numbered("same")),
        call(2, "Bash", {"command": "make two"}, numbered("same")),
    ),
    "retrieval": (
        call(1, "Grep", {"pattern": "rows"}, hits(0)),
        call(2, "Grep", {"pattern": "rows"}, hits(9)),
    ),
    "plan": (
        call(1, "TodoWrite", plan(1), "Updated."),
        call(2, "TodoWrite", plan(2), "Updated."),
    ),
    "file": (
        call(1, "Read", {"file_path": "src/a.py"}, numbered("old")),
        call(2, "Read", {"file_path": "src/a.py"}, numbered("new")),
    ),
}


@proves("prune.until")
@pytest.mark.parametrize("kind", AGAIN)
def test_what_came_again_is_pruned_before_anything_is_summarized(kind: str) -> None:
    session = Session(wire="openai", window=6_000, policy="tiers")
    older, newer = AGAIN[kind]
    session.add({"role": "user", "content": "Look at the rows."}, *older, *newer)
    number = 10
    while not pressed(session) and number < 90:
        session.add(*read(number, f"src/m{number}.py", 6))
        session.messages()
        number += 1
    edits = pressed(session)[0].edits
    assert [(edit.by, edit.span.start) for edit in edits if edit.span.start < 3] in (
        [("prune", 1)],
        [("prune", 2)],
    )
    assert {edit.by for edit in edits} <= {"prune", "offload"}


@proves("prune.until")
@pytest.mark.parametrize("name", ["tiers", "deep"])
def test_of_plans_in_prose_none_counts_as_open_and_the_newest_is_shown(name: str) -> None:
    """The older one stays what the agent said: no word of it is judged to be out of date."""
    session = Session(wire="openai", window=8_000, policy=name)
    plans = (
        "Next steps:\n- Move the parser of the Orsk feed to its own file",
        "Next steps:\n- Cache the header of the Orsk feed on disk",
    )
    session.add({"role": "user", "content": "How do we make the importer faster?"})
    session.add({"role": "assistant", "content": f"{'I looked at it. ' * 60}\n\n{plans[0]}"})
    session.add({"role": "user", "content": "Think again, please."})
    session.add({"role": "assistant", "content": f"{'I looked at it. ' * 60}\n\n{plans[1]}"})
    session.add({"role": "user", "content": "Do that."})
    number = 10
    while len(pressed(session)) < 2:
        session.add(*read(number, f"src/m{number}.py"))
        session.messages()
        number += 1
    shown = "\n".join(str(message["content"]) for message in session.messages())
    assert "Cache the header of the Orsk feed on disk" in shown
    assert "next: Move the parser" not in shown


# C3, C7: 600 tokens, 85 % and 60 %.


def wordy(ask: Ask) -> str:
    places = [int(at) for at in re.findall(r"^[0-9a-f]{8} \[(\d+)\] \w+:$", ask.prompt, re.M)]
    lines = [f"Part {at} was read with care and told at length here. [{at}]" for at in places[:60]]
    return json.dumps({"facts": lines})


@pytest.mark.slow
@proves("tiers.summary")
@pytest.mark.parametrize("writer", [None, Script(wordy)], ids=["computed", "writer"])
def test_a_summary_has_600_tokens_and_tells_decisions_before_paths(writer: Any) -> None:
    session = Session(wire="openai", window=16_000, policy="tiers", writer=writer)
    session.add({"role": "user", "content": f"Make the importer faster. {CONSTRAINT}"})
    session.add({"role": "assistant", "content": DECISION})
    sizes = []
    for number in range(ERAS):
        session.add(*era(number, 8))
        session.messages()
        sizes.append(sum(item.tokens for item in session.view.items if item.level))
    told = block(session)
    assert 300 < max(sizes) <= 600, sizes
    assert f"- Make the importer faster. {CONSTRAINT} [0]" in told
    # Under its heading, or where it was said.
    assert f"{DECISION} [1]" in told or f"[1] ASSISTANT: {DECISION}" in told
    assert told.index(DECISION) < (told + "src/module_").index("src/module_")
    assert not re.search(r"value \d+ in line", told), "tool output that facts tell is dropped"
    if writer is not None:
        assert "was read with care" in told


def boilerplate(number: int) -> str:
    """What a program puts into a session meanwhile."""
    rows = [
        f"You must never use tool {number}-{kind} without approval; always say why it is needed "
        "before you call it; requests of this kind are only granted one at a time."
        for kind in range(40)
    ]
    return "\n\n".join((f"<permissions {number}>", *rows, f"</permissions {number}>"))


@proves("tiers.summary")
def test_a_programs_instructions_take_no_room_of_what_the_user_said() -> None:
    session = Session(wire="openai", window=16_000, policy="tiers")
    session.add({"role": "user", "content": f"Make the importer faster. {CONSTRAINT}"})
    session.add({"role": "assistant", "content": DECISION})
    for number in range(4):
        session.add(*era(number, 8))
        session.add({"role": "system", "content": boilerplate(number)})
        session.messages()
    told = block(session)
    assert len(pressed(session)) > 1
    assert sum(item.tokens for item in session.view.items if item.level) <= 600
    assert f"{CONSTRAINT} [0]" in told and DECISION in told
    assert "USER: Now look at part 0" in told, "what was asked is told as well"
    # They are not the user's, and say so; they have what the user's constraints leave.
    lines = [line for line in told.splitlines() if "You must never use tool" in line]
    assert lines and all(line.startswith("- a system message: ") for line in lines)


@proves("tiers.lands")
def test_it_compacts_at_85_percent_and_lands_at_60(tmp_path: Path) -> None:
    session = worked(Session(wire="openai", window=8_000, policy="tiers"))
    commits = [
        commit
        for commit in pressed(session)
        if any(edit.by == "summarize" for edit in commit.edits)
    ]
    assert len(commits) >= 3
    for commit in commits:
        assert commit.before >= 0.85 * commit.usable
        assert 0.5 < commit.after / commit.usable <= 0.6
    landed = [commit.landed for commit in pressed(session)]
    assert min(after - before for before, after in pairwise(landed)) >= 4


@proves("commit.apart")
@pytest.mark.parametrize(("name", "system"), [("tiers", 6_000), ("default", 5_500)])
def test_commits_are_apart_also_where_little_is_left_beside_the_system_prompt(
    name: str, system: int
) -> None:
    session = Session(wire="openai", window=8_000, policy=name)
    for message in [message for number in range(6) for message in era(number)]:
        session.add(message)
        if message["role"] != "assistant":
            session.request(system="word " * system)
    budget, arrived = session.budget, session.view.arrivals
    apart = budget.usable * (budget.soft - budget.goal) / 2
    commits = pressed(session)
    assert len(commits) > 10
    for one, other in pairwise(commits):
        assert other.before <= other.usable
        new = sum(item.tokens for item in arrived[one.at : other.at])
        assert session.view.meter.load(new) >= int(apart) > 500


# C4, C9, C10: what holds under every named policy.


THINGS = ("parser", "header", "billing", "ledger", "export", "invoice", "mailer", "catalog")


@proves("designs.traces")
@pytest.mark.parametrize("window", [8_000, 16_000] if WHOLE else [8_000])
@pytest.mark.parametrize("name", ["default", "tiers", "deep", "lab", "agent-controlled"])
def test_each_of_eight_eras_keeps_words_of_its_own(name: str, window: int) -> None:
    session = Session(wire="openai", window=window, policy=name)
    session.add({"role": "user", "content": f"Make the importer robust. {CONSTRAINT}"})
    for number, thing in enumerate(THINGS):
        noticed = f"I noticed it on host {thing}-{number}, where the nightly run took long. " * 6
        session.add({"role": "user", "content": f"Next: the {thing} module. {noticed}"})
        for step in range(8):
            session.add(*read(number * 100 + step, f"src/{number}_{step}.py", 60))
            session.messages()
        session.add({"role": "assistant", "content": f"Done. {'It was the same pattern. ' * 9}"})
    shown = " ".join(str(message["content"]) for message in session.messages())
    assert len(pressed(session)) > 1
    assert [
        thing for thing in THINGS if f"the {thing} module" not in shown.replace("…", " module")
    ] == []


@proves("designs.traces")
@pytest.mark.parametrize("name", POLICIES)
def test_constraints_and_hidden_loops_stand_before_all_else_that_is_told(name: str) -> None:
    """Whatever stays in its place before a summary: a greeting, a pin, replies."""
    session = Session(wire="openai", window=8_000, policy=name)
    session.add({"role": "system", "content": "You are an engineer."})
    for number in range(3):
        session.add({"role": "user", "content": f"Hello {number}, what is module {number} for?"})
        session.add({"role": "assistant", "content": f"Module {number} reads rows."})
    session.add({"role": "user", "content": f"Make the importer faster. {CONSTRAINT}"})
    todos = [{"content": "Write the release notes for Orsk", "status": "pending"}]
    session.add(*call(5, "TodoWrite", {"todos": todos}, "Updated."))
    worked(session, 6)
    shown = [str(message["content"]) for message in session.messages()]
    assert pressed(session)
    top = next(at for at, text in enumerate(shown) if CONSTRAINT in text)
    before = [text for text in shown[1:top] if text != "Hello 0, what is module 0 for?"]
    assert before == [], "only a pinned first message may stand before the constraints"
    loop = next((at for at, text in enumerate(shown) if "OPEN (" in text), None)
    assert loop in (None, top)
    assert any("release notes for Orsk" in text for text in shown)


@pytest.mark.slow
@proves("designs.traces")
@pytest.mark.parametrize("name", POLICIES)
def test_any_age_leaves_a_trace_and_constraints_stand_at_the_top_under_every_policy(
    name: str,
) -> None:
    session = worked(Session(wire="openai", window=8_000, policy=name))
    assert len(pressed(session)) >= 3
    shown = [str(message["content"]) for message in session.messages()]
    assert any(CONSTRAINT in text for text in shown[:2]), "the constraint stands at the top"
    assert "Make the importer faster." in " ".join(shown[:2])
    told = re.findall(r"\[(\d+)(?:–(\d+))?\] USER", "\n".join(shown))
    covered = {at for first, last in told for at in range(int(first), int(last or first) + 1)}
    asked = [
        at
        for at, message in enumerate(session.log.messages)
        if message.role == "user" and "Now look at part" in message.text
    ]
    for at in asked:
        words = session.log.messages[at].text
        assert at in covered or any(words in text for text in shown), at
    for commit in pressed(session):
        assert commit.survival.constraints_after >= commit.survival.constraints_before == 1
        assert commit.survival.loops_after >= commit.survival.loops_before


TODO = "TODO: rename the export flag to --out before the release."
STILL = "We still need to tell the Orsk office about the new header."


@proves("designs.traces")
@pytest.mark.parametrize("name", POLICIES)
def test_what_was_left_for_later_survives_and_is_counted(name: str) -> None:
    session = Session(wire="openai", window=8_000, policy=name)
    session.add({"role": "user", "content": f"Look at the importer, please. {TODO}"})
    session.add({"role": "assistant", "content": "The importer reads rows, and I noted the rest."})
    session.add(*era(20, 2), {"role": "user", "content": f"Good. {STILL}"})
    session.add({"role": "assistant", "content": "Yes."})
    for number in range(6):
        messages = era(number)
        for at in range(0, len(messages) - 1, 2):
            session.add(*messages[at : at + 2])
            session.messages()
        session.add(messages[-1])
    shown = "\n".join(str(message["content"]) for message in session.messages())
    assert TODO in shown and STILL in shown
    for commit in pressed(session):
        # A label in capitals is pinned like a constraint, and counted among those.
        assert commit.survival.constraints_after >= commit.survival.constraints_before >= 1
        assert commit.survival.loops_after >= commit.survival.loops_before >= 1
    session.add({"role": "user", "content": "Never mind."})
    assert not [
        fact for _, fact in Ledger.of(session.log.messages).open_loops if fact.words == STILL
    ]


GONE = Message("user", (Text("(gone)"),), by="steno")


class Careless(Rung, frozen=True, tag="careless"):
    """A rung of a caller's own, which hides what people said."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        people = [item for item in draft.view.items if item.main is not None]
        return tuple(
            Proposal((Edit(item.span, (GONE,), self.label),), self.label)
            for item in people
            if draft.may_cover(item) and draft.view.messages[item.span.start].role == "user"
        )


class Sweeping(Rung, frozen=True, tag="sweeping"):
    """A rung of a caller's own, which shows one text for all that may be covered."""

    def edit(self, draft: Draft, rounds: Rounds) -> tuple[Proposal, ...]:
        items = draft.view.items
        return tuple(
            Proposal((Edit(cover(items[first:last]), (GONE,), self.label),), self.label)
            for first, last in draft.stretches()
        )


def cover(items: Sequence[Item]) -> Span:
    return Span(items[0].span.start, items[-1].span.stop)


@proves("designs.traces")
@pytest.mark.parametrize("rung", [Careless(), Sweeping()])
def test_constraints_that_a_rung_drops_are_put_back_word_for_word(rung: Rung) -> None:
    session = Session(window=8_000, policy=Policy(ladder=(rung,), moment="now"))
    session.add({"role": "user", "content": f"Make the importer faster. {CONSTRAINT} {STILL}"})
    session.add({"role": "assistant", "content": "Yes."})
    for number in range(30):
        session.add(*read(number, f"src/{number}.py", 20))
        session.messages()
    shown = "\n".join(str(message["content"]) for message in session.messages())
    assert pressed(session)
    assert CONSTRAINT in shown and STILL in shown
    for commit in pressed(session):
        assert commit.survival.constraints_after == commit.survival.constraints_before == 1
        assert commit.survival.loops_after >= commit.survival.loops_before


@proves("summary.active")
def test_the_active_sub_task_is_not_summarized() -> None:
    session = Session(wire="openai", window=8_000, policy="tiers")
    session.add(*era(0), *era(1), *era(2))
    loop = "Please add a test for the empty row as well."
    session.add({"role": "user", "content": loop})
    start = len(session.log.messages) - 1
    number = 900
    while len(pressed(session)) < 2:
        session.add(*read(number, f"src/active_{number}.py", 16))
        session.messages()
        number += 1
    covered = [item.span.stop for item in session.view.items if item.level]
    assert covered and max(covered) <= start
    assert any(loop in str(message["content"]) for message in session.messages())


# C6: the tiers, and the agent's way through them.


@pytest.mark.slow
@proves("tiers.recall")
def test_the_agents_recall_reaches_every_tier_and_the_users_earlier_sessions(
    tmp_path: Path,
) -> None:
    path = tmp_path / "agent.db"
    with Session(path, name="spring", user="ada", wire="openai", window=8_000) as first:
        first.add({"role": "user", "content": "We chose the zeppelin protocol for Orsk."})
    with Session(path, name="other", user="bob", wire="openai", window=8_000) as foreign:
        foreign.add({"role": "user", "content": "The zeppelin of Bob is secret."})
    with Session(path, name="now", user="ada", policy="tiers", wire="openai", window=8_000) as own:
        worked(own)

        def ask(**arguments: Any) -> str:
            named = {"name": "recall", "arguments": json.dumps(arguments)}
            return str(own.handle({"id": "r", "type": "function", "function": named}))

        assert ask(query="zeppelin") == "nothing was found"
        found = ask(query="zeppelin", where="user")
        assert found.startswith("[0 of session ada:spring, archive] user: ") and "Bob" not in found
        assert "zeppelin protocol for Orsk" in ask(positions="0", earlier="spring")
        assert "error: no session of this user" in ask(positions="0", earlier="other")
        # By age: the newest compaction covered some of it for the first time, the rest is older.
        assert re.match(r"\[\d+, archive\] ", ask(query="header in row 0"))
        newest = max(edit.span.stop for edit in pressed(own)[-1].edits if edit.level) - 1
        aged = max(edit.span.stop for edit in pressed(own)[-2].edits if edit.level) - 1
        assert own.view.at(aged).level == own.view.at(newest).level > 2, "one summary, rewritten"
        said = own.log.messages[aged + 1 : newest + 1]
        quotes = [one.text[:80] for one in said if one.role == "assistant" and one.text]
        assert any(re.search(r"\[[\d.-]+, recall\] ", ask(query=quote)) for quote in quotes)
        # What is in view is listed too, after what is not.
        assert re.search(r"^\[\d+\] ", ask(query=f"header in row {ERAS - 1}"), re.MULTILINE)
    with Session(wire="openai", window=8_000) as nobody:
        nobody.add({"role": "user", "content": "Hello."})
        wide = {"name": "recall", "arguments": '{"query": "x", "where": "user"}'}
        answer = nobody.handle({"id": "r", "type": "function", "function": wide})
        assert answer is not None and answer.startswith("error: this session has no user")


# C8, C9: stored first, and asked afterwards.


@proves("log.open")
def test_everything_is_stored_before_anything_shrinks(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    seen: list[int] = []

    def check(event: Any) -> None:
        if isinstance(event, events.Committed):
            with Session(path, name="s") as reader:
                kept = [message.text for message in reader.log.messages]
            assert kept == [message.text for message in session.log.messages]
            results = [str(message.blocks) for message in session.log.messages]
            with Session(path, name="s") as reader:
                assert [str(message.blocks) for message in reader.log.messages] == results
            seen.append(event.number)

    with Session(path, name="s", wire="openai", window=8_000, policy="tiers") as session:
        worked(session, 4)
        for commit in pressed(session):
            check(events.Committed.of(commit, 0))
    assert seen
