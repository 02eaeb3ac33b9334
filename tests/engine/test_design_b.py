"""The researcher design, row by row, through the public API.

`tests/faults/design_b.py` plants a fault for each row and sees its test fail.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from pathlib import Path
from typing import Any

import grpc
import pytest

from steno import Script, Session, Writer
from steno.agent import HistoryCompacted, SessionOptions
from steno.agent.research import FileLibrary, PromptBuilder, Researcher
from steno.agent.research.researcher import SYSTEM
from steno.core.effects import ask_model_async
from steno.core.events import Committed
from steno.core.model import FinishedTurn, aturn
from steno.facts.ledger import Ledger
from steno.gateway.client import Caller, Gateway
from steno.gateway.server import serving
from steno.gateway.v1 import INFERENCE, SERVICE, gateway_pb2
from steno.models import Ask, NoAnswer
from steno.models.retry import RetryPolicy
from tests.support.paths import ROOT
from tests.support.promises import proves
from tests.support.scripted_research import ScriptedModel

AT_ONCE = SessionOptions(writer=Writer(retry=RetryPolicy(retries=0)))
RESEARCH_PAGE = (ROOT / "docs/internals/researcher-tests.md").read_text(encoding="utf-8")
TASK = "Find the count of rows. Keep it short."
TOWNS = ("Velm", "Orsk", "Tarn", "Quill", "Brae", "Lund", "Ness", "Holt", "Dyke", "Fenn")
TOPICS = "; ".join(
    f"How many cranes has the harbour of {town}?" for town in (*TOWNS, "Ruhn", "Sark")
)


def library(folder: Path) -> FileLibrary:
    """A folder of files with long lines, a fact in the middle of each."""
    for at, town in enumerate((*TOWNS, "Ruhn", "Sark")):
        lines = [f"{town} line {row}: " + f"water and stone {at + row} " * 5 for row in range(60)]
        lines[30] = f"The harbour of {town} has {10 + 3 * at} cranes, says the port's register."
        (folder / f"{town.lower()}.md").write_text("\n".join(lines))
    return FileLibrary.under(folder)


def call(number: int, tool: str, arguments: dict[str, Any], said: str, note: str) -> list[Any]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    asked = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": note, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": said},
    ]


def entry(number: int, words: int = 100) -> list[Any]:
    said = f"f{number}:1-9\n" + " ".join(f"row{number}x{k}" for k in range(words))
    return call(number, "read", {"source": f"f{number}"}, said, f"Noted before {number}.")


def begun(
    folder: Path, entries: int = 6, *, model: Any = None, memory: str = "", **options: Any
) -> PromptBuilder:
    """A task that is under way, with so many entries."""
    held = {"options": AT_ONCE, "writes": model is not None, **options}
    researcher = Researcher(model or Script(), FileLibrary.under(folder), **held)
    builder = researcher.prompt_builder(TASK, memory)
    for number in range(entries):
        builder.add(*entry(number))
    return builder


def block(session: Session) -> str:
    """The text that stands for what is covered."""
    return "\n".join(item.shows[0].text for item in session.view.items if item.level and item.shows)


def block_tokens(session: Session) -> int:
    return sum(item.tokens for item in session.view.items if item.level)


# B1: 60 %, three entries, 300 tokens.


@pytest.mark.slow
@proves("researcher.block")
@pytest.mark.parametrize("writes", [True, False], ids=["writer", "computed"])
def test_the_whole_block_stays_within_300_tokens_and_tells_a_note_once(
    writes: bool, tmp_path: Path
) -> None:
    held: list[Session] = []
    sizes: list[int] = []

    class Watched(Researcher):
        def session(self) -> Session:
            held.append(super().session())
            return held[-1]

    def watch(event: Any) -> None:
        if isinstance(event, HistoryCompacted):
            sizes.append(block_tokens(held[0]))
            told = re.findall(r"The harbour of \w+ has \d+ cranes", block(held[0]))
            assert len(told) == len(set(told)) >= min(3, len(sizes))

    texts = library(tmp_path)
    texts.characters = 2_400
    found = Watched(ScriptedModel(), texts, writes=writes).run(TOPICS, on_event=watch)
    assert found.status == "SUCCESS" and len(sizes) >= 2
    assert max(sizes) <= 300, sizes


@pytest.mark.slow
@proves("researcher.block")
def test_a_task_of_25_turns_is_compacted_twice_at_most(tmp_path: Path) -> None:
    found = Researcher(ScriptedModel(), library(tmp_path)).run(TOPICS)
    assert (found.status, found.turns) == ("SUCCESS", 25)
    assert 1 <= found.compactions <= 2


@proves("researcher.block")
def test_a_prompt_names_no_tool_that_the_researcher_does_not_have(tmp_path: Path) -> None:
    builder = begun(tmp_path, 8)
    assert builder.compact()
    prompt = builder.build()
    tools = set(re.findall(r"^(\w+)\(", prompt.partition("# TOOLS")[2], re.M))
    assert tools == {"search", "read"}
    assert set(re.findall(r"\b(\w+)\(positions=", prompt)) <= tools


@proves("researcher.builder")
def test_compaction_is_needed_over_60_percent_and_says_whether_it_fits(tmp_path: Path) -> None:
    writer = Script(json.dumps({"facts": []}))
    few = begun(tmp_path, 3, model=writer)
    few.add(*call(9, "read", {"source": "x"}, "word " * 1_200, "A long one."))
    assert few.needs_compaction() == (few.session.load > 0.6 * 4_096) is True
    builder = begun(tmp_path, 2, model=writer)
    assert not builder.needs_compaction() and builder.compact() and not builder.session.log.commits
    for number in range(2, 7):
        builder.add(*entry(number))
    assert builder.needs_compaction()
    assert asyncio.run(builder.acompact()) and not builder.needs_compaction()
    assert writer.asked[-1].complexity == "simple"
    recent = builder.build().partition("# RECENT")[2]
    assert [n for n in range(7) if f"row{n}x0 " in recent] == [4, 5, 6]


# B2: what is never compacted, and memory.


@proves("researcher.memory")
def test_memory_is_told_in_the_summary_and_its_section_goes(tmp_path: Path) -> None:
    builder = begun(tmp_path, memory="Ada prefers metric units.")
    assert builder.compact()
    prompt = builder.build()
    assert "# MEMORY" not in prompt and "Ada prefers metric units." in block(builder.session)
    assert prompt.count("Ada prefers metric units.") == 1
    assert prompt.startswith(f"# SYSTEM\n{SYSTEM}")
    assert prompt.partition("# TASK\n")[2].startswith(TASK)
    assert "read(source: string)" in prompt


# B3: the gateway.


@proves("gateway.answer")
def test_the_gateway_answers_on_an_event_loop_and_to_any_grpc_client() -> None:
    model = Script("All went well.", "It went\nwell.", "A stub asks.")

    async def ask(gateway: Gateway) -> tuple[Any, list[Any]]:
        asked = Ask("How did it go?", max_tokens=300, complexity="simple")
        said = await ask_model_async(gateway, asked)
        request = {"messages": [{"role": "user", "content": "And again?"}]}
        return said, [piece async for piece in aturn(gateway, request)]

    with serving(model) as up, Gateway(up.address, caller=Caller("s-17")) as gateway:
        said, pieces = asyncio.run(ask(gateway))
        with grpc.insecure_channel(up.address) as channel:
            inference = channel.unary_unary(
                f"/{SERVICE}/{INFERENCE}",
                request_serializer=gateway_pb2.InferenceRequest.SerializeToString,
                response_deserializer=gateway_pb2.InferenceResponse.FromString,
            )
            request = gateway_pb2.InferenceRequest(prompt="Who asks?", max_tokens=20)
            answer = inference(request, timeout=20)
    asked = model.asked[0]
    assert (said.text, asked.max_tokens, asked.complexity) == ("All went well.", 300, "simple")
    assert [piece.text for piece in pieces[:-1]] == ["It went\n", "well."]
    assert isinstance(pieces[-1], FinishedTurn)
    assert answer.text == "A stub asks."


# B4: what the summary keeps.


@proves("researcher.keeps")
def test_the_summary_keeps_decisions_failures_and_names_and_no_raw_output(tmp_path: Path) -> None:
    builder = begun(tmp_path, 0)
    decision = "We decided to count by file because the index is stale."
    builder.add(*call(1, "read", {"source": "a.md"}, "Error: no such file a.md", decision))
    builder.add(*call(2, "read", {"source": "b.md"}, "DUMP " * 150, "It is in src/rows.py then."))
    for number in range(3, 8):
        builder.add(*entry(number))
    assert builder.compact()
    told = block(builder.session)
    assert decision in told and "src/rows.py" in told
    assert "DUMP" not in told and "row3x" not in told
    # What failed, and why, in words that the next prompt holds.
    assert "a.md" in told and "no such file" in told
    assert "no such file" in str(builder.session.request())
    # Another file was read since: that does not settle that a.md could not be.
    (failed,) = Ledger.of(builder.session.log.messages).errors
    assert failed.overcome is None
    builder.add(*call(9, "read", {"source": "a.md"}, "a.md:1-2\n1\tfour rows", "There it is."))
    (failed,) = Ledger.of(builder.session.log.messages).errors
    assert failed.overcome is not None


@proves("researcher.keeps")
def test_failed_calls_are_told_although_every_call_has_a_note(tmp_path: Path) -> None:
    builder = begun(tmp_path, 0)
    for number in range(14):
        result = f"pier{number}.md:1-2\n1\t{'cranes ' * 150}"
        if number in (1, 2):
            result = f"Error: 'pier{number}.md' is not there"
        note = f"I note that pier {number} has {number} cranes (pier{number}.md:4)."
        builder.add(*call(number, "read", {"source": f"pier{number}.md"}, result, note))
    assert builder.compact()
    told = block(builder.session)
    assert "'pier1.md' is not there" in told and "'pier2.md' is not there" in told
    assert "I note that pier 9 has 9 cranes" in told


# B5, B6, B7: without a writer, without room, without anything to do.


@proves("researcher.fallback")
def test_without_the_gateway_200_characters_of_each_entry_stay(tmp_path: Path) -> None:
    broken = Script(lambda ask: NoAnswer("down", "server"))
    builder = begun(tmp_path, model=broken, fallback="clip")
    assert builder.compact() and len(broken.asked) == 1
    rows = re.findall(r"^- (.*) \[\d+\]$", block(builder.session), re.M)
    assert [len(row) for row in rows] == [200] * 3
    extracted = begun(tmp_path, model=broken)
    assert extracted.compact() and "Noted before 1." in block(extracted.session)


OVERFLOW = "context overflow after compaction: "


@proves("researcher.outcomes")
@pytest.mark.parametrize(
    ("options", "model", "status", "reason"),
    [
        ({}, ScriptedModel(), "SUCCESS", ""),
        ({"window": 500}, ScriptedModel(), "PARTIAL", OVERFLOW),
        ({"retry": RetryPolicy(retries=0)}, Script(NoAnswer("gone", "server")), "FAILED", "gone"),
        ({"task": TOPICS * 20}, ScriptedModel(), "PARTIAL", OVERFLOW),
        (
            {"system": "x y " * 5_000},
            ScriptedModel(),
            "PARTIAL",
            "context overflow after compaction: ",
        ),
    ],
    ids=["success", "partial", "failed", "task", "system"],
)
def test_a_run_ends_in_one_of_three_ways(
    options: dict[str, Any], model: Any, status: str, reason: str, tmp_path: Path
) -> None:
    task = options.pop("task", TOPICS)
    found = Researcher(model, library(tmp_path), options=AT_ONCE, **options).run(task)
    assert found.status == status
    assert found.reason.startswith(reason) and bool(found.reason) == bool(reason)
    if status == "PARTIAL":
        numbers = r"[\d,]+ tokens in [\d,]+, [\d,]+ of them system, tools and"
        if "system" in options:
            numbers = r"is [\d,]+ tokens .* [\d,]+ are usable: system prompt and tools are [\d,]+"
        assert re.search(numbers, found.reason)


@proves("researcher.compacts")
def test_with_three_entries_no_model_is_asked(tmp_path: Path) -> None:
    writer = Script()
    builder = begun(tmp_path, 0, model=writer)
    for number in range(3):
        builder.add(*entry(number, 200))
    assert builder.needs_compaction() and not builder.compact()
    assert not writer.asked and not list(builder.session.log.commits)


# B8: the design's tests, and its line in the log.


@proves("researcher.tests")
def test_each_test_of_the_design_has_one_of_ours() -> None:
    rows = re.findall(r"^\| `(test_\w+)` \| `(test_\w+)` \|$", RESEARCH_PAGE, re.M)
    written = "\n".join(
        (ROOT / "tests" / name).read_text(encoding="utf-8")
        for name in ("agent/test_research.py", "gateway/test_gateway.py")
    )
    assert len({theirs for theirs, _ in rows}) == 17
    missing = [ours for _, ours in rows if f"def {ours}(" not in written]
    assert not missing


@proves("researcher.log")
def test_a_compaction_says_for_which_agent_and_in_which_turn(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[Any] = []
    options = SessionOptions(agent_name="reader-7", on_event=told.append)
    runs: list[Any] = []
    with caplog.at_level(logging.INFO, "steno"):
        texts = library(tmp_path)
        Researcher(ScriptedModel(), texts, options=options).run(TOPICS, on_event=runs.append)
    (first, *_) = [event for event in told if isinstance(event, Committed)]
    (seen, *_) = [event for event in runs if isinstance(event, HistoryCompacted)]
    assert (first.agent, first.iteration) == (seen.agent, seen.iteration)
    assert first.agent == "reader-7" and 3 < first.iteration < 25
    assert f"(agent reader-7, iteration {first.iteration})" in caplog.text
