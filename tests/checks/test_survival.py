"""A compaction counts the constraints and open loops that the model can read, before and after."""

from __future__ import annotations

import json

import pytest

import steno
from steno.checks.kept import CONSTRAINTS_SURVIVE, LOOPS_SURVIVE, count_survival
from steno.core.log import Edit, Survival
from steno.core.message import Span, user_message
from steno.events import Committed
from steno.facts.ledger import Ledger
from tests.support.command_line import Run, run  # noqa: F401
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk

CONSTRAINTS = "Never push to the release branch. Always sign your commits."
ASKED = "Please also write the changelog for version 4."


def worked(**options: object) -> steno.Session:
    session = steno.Session(wire="openai", window=4_000, name="work", **options)  # type: ignore[arg-type]
    session.add({"role": "user", "content": f"Fix the importer. {CONSTRAINTS} {ASKED}"})
    for message in openai_talk(turns=60):
        session.add(message)
        session.messages()
    return session


@proves("survival.counted")
def test_each_commit_counts_and_an_event_tells_the_rate() -> None:
    session = worked(constraints=["Answer in German."])
    counted = [commit for commit in session.log.commits if commit.survival is not None]
    assert len(counted) > 1
    ledger = Ledger.of(session.log.messages)
    for commit in counted:
        kept = commit.survival
        assert kept is not None
        assert kept.constraints_before == kept.constraints_after == len(ledger.constraints) + 1
        assert kept.loops_after >= kept.loops_before
    events = [event for event in session.events if isinstance(event, Committed)]
    told = [event.survival for event in events if event.survival is not None]
    assert told == [commit.survival for commit in counted]
    total = Survival.over(session.log.commits)
    assert total.constraints_rate == 1.0
    assert (
        total.constraints_before
        == total.constraints_after
        == (len(ledger.constraints) + 1) * len(counted)
    )


@proves("survival.counted")
def test_what_is_no_longer_shown_is_a_finding_that_names_its_position() -> None:
    session = steno.Session(wire="openai", window=100_000)
    session.add({"role": "user", "content": f"Fix the importer. {CONSTRAINTS}"})
    session.add({"role": "user", "content": ASKED})
    session.add({"role": "user", "content": "The tickets are in the tracker."})
    before = session.view
    ledger = Ledger.of(session.log.messages)
    assert len(ledger.constraints) == 2
    nothing = user_message("Two messages are not shown.", by="steno")
    after = before.with_edits([Edit(Span(0, 2), (nothing,), "test", level=1)])
    survival, findings = count_survival(before, after, ledger, given=3)
    assert (survival.constraints_before, survival.constraints_after) == (5, 3)
    assert survival.loops_before > survival.loops_after
    assert [finding.check for finding in findings] == [CONSTRAINTS_SURVIVE, LOOPS_SURVIVE]
    assert findings[0].what == "2 constraints in force are no longer shown: said at 0, 0"
    assert survival.constraints_rate == pytest.approx(3 / 5)
    told = user_message(f"They said: Fix the importer. {CONSTRAINTS} {ASKED}", by="steno")
    kept = before.with_edits([Edit(Span(0, 2), (told,), "test", level=1)])
    assert count_survival(before, kept, ledger, given=0)[1] == ()


@proves("survival.counted")
def test_nothing_to_lose_is_nothing_lost() -> None:
    assert Survival().constraints_rate == Survival.over(()).loops_rate == 1.0


@pytest.mark.slow
@proves("cli.show")
def test_the_log_tells_it(
    run: Run,  # noqa: F811
    tmp_path: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(str(tmp_path))
    worked(path="a.db").close()
    out = run("log", "a.db").out
    assert "constraints shown 3 → 3, open loops" in out
    assert "Still shown after" in out
    assert "constraints 100% of" in out
    told = run("log", "a.db", "--json").json
    assert told["survival"]["constraints_before"] == told["survival"]["constraints_after"] > 0
    assert any(commit["survival"] for commit in told["commits"])


@proves("survival.counted")
@pytest.mark.parametrize("policy", ["thrifty", "researcher", "agent-controlled"])
def test_a_loop_that_only_the_block_at_the_top_shows_stays_when_its_summary_goes(
    policy: str,
) -> None:
    left = "We still need to tell the Oslo office about the header."
    session = steno.Session(wire="openai", window=4_096, policy=policy)
    session.add({"role": "user", "content": f"Make the importer robust. {CONSTRAINTS}"})
    session.add({"role": "assistant", "content": "Yes."})
    session.add({"role": "user", "content": left}, {"role": "assistant", "content": "Later."})
    for number in range(40):
        if number % 5 == 0:
            session.add(
                {"role": "user", "content": f"Please look into part {number} of the importer."}
            )
        lines = 200 if number % 5 in (1, 4) else 40
        rows = [f"{line} v{number}{line}" for line in range(lines)]
        session.add(*tool_turn("Read", f"/src/{number}.py", "\n".join(rows)))
        assert any(left in str(message["content"]) for message in session.messages()), number
    assert len(session.log.commits) > 4


def tool_turn(tool: str, path: str, result: str, **more: str) -> list[dict[str, object]]:
    call = {"name": tool, "arguments": json.dumps({"file_path": path, **more})}
    calls = [{"id": path, "type": "function", "function": call}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": path, "content": result},
    ]


@proves("survival.counted")
def test_lines_that_move_from_the_block_into_a_summary_are_not_weighed_twice() -> None:
    left = "We still need to tell the Oslo office about the header."
    rules = [
        "Never push to the release branch of the importer.",
        "Always sign your commits with the key of the build host.",
        "Only use the compiler gizmo for builds of the importer.",
    ]
    session = steno.Session(wire="openai", window=4_096, policy="researcher")
    task = " ".join(f"fact{number} of it," for number in range(451))
    for words in (f"Make the importer robust. {task}", *rules, left):
        session.add({"role": "user", "content": words}, {"role": "assistant", "content": "Yes."})
    # Arguments and results that bring the load just over the window soon after a commit.
    sizes = "31 60 59 72 9 14 31 66 65 40 74 68 12 32 59 66 37 56 109 23 118 41 115 72 114 68 42 10"
    counts = [int(size) for size in f"{sizes} 68 24".split()]
    for number, (written, shown) in enumerate(zip(counts[::2], counts[1::2], strict=True)):
        if number % 5 == 0:
            session.add(
                {"role": "user", "content": f"Please look into part {number} of the importer."}
            )
        text = "\n".join(f"{line} v{number}{line}" for line in range(written))
        answer = "\n".join(f"{line} w{number}{line}" for line in range(shown))
        session.add(*tool_turn("Edit", f"/s/{number}.py", answer, new_string=text))
        view = " ".join(str(message["content"]) for message in session.messages())
        assert [words for words in (*rules, left) if words not in view] == [], number
