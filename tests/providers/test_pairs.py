"""What belongs together stays together: shapes that other agent frameworks have rules for.

OpenAI's agents SDK drops a call without its output and the reasoning before it, Strands completes
a batch on Bedrock, OpenHands forgets a batch as a whole and shows one result a call.
"""

from __future__ import annotations

from typing import Any

import pytest

from steno import Policy, Session, compact
from steno.providers.openai_responses.surface import SURFACE
from steno.tails import Tokens
from tests.support.converse_server import bedrock_problems, gemini_problems
from tests.support.legal_responses import openai_responses
from tests.support.promises import proves

Plain = dict[str, Any]
FILLER = "The build went through and the logs were read line by line. " * 30
SEARCHED = {"execution": "server", "status": "completed"}
PAIRS = (
    ("shell_call", "shell_call_output"),
    ("computer_call", "computer_call_output"),
    ("program", "program_output"),
)


def hosted(n: int, call: str, output: str) -> list[Plain]:
    """Return reasoning, a call that is not a function's, and its output, which weigh the same."""
    return [
        {"type": "reasoning", "id": f"rs_{n}", "summary": [], "encrypted_content": "g" * 300},
        {"type": call, "id": f"id_{n}", "call_id": f"c{n}", "action": {"command": [FILLER]}},
        {"type": output, "call_id": f"c{n}", "output": FILLER},
    ]


@proves("view.legal")
@pytest.mark.parametrize(("call", "output"), PAIRS)
def test_a_hosted_call_its_output_and_its_reasoning_come_and_go_together(
    call: str, output: str
) -> None:
    # The output alone fits into one of these tails, the call before it into the other.
    for tail in (500, 1_000):
        session = Session(wire="openai-responses", window=3_000, policy=Policy(tail=Tokens(tail)))
        session.add({"role": "user", "content": "go"})
        for n in range(12):
            session.add(*hosted(n, call, output))
            shown = session.messages()
            calls = [each["call_id"] for each in shown if each.get("type") == call]
            outputs = [each["call_id"] for each in shown if each.get("type") == output]
            reasons = [each["id"] for each in shown if each.get("type") == "reasoning"]
            assert calls == outputs
            assert reasons == [f"rs_{id.removeprefix('c')}" for id in calls]
        assert session.log.commits and len(calls) < 12


ENDED = {"stdout": "two lines", "stderr": "a warning", "outcome": {"type": "exit", "exit_code": 2}}
BUILT_IN: dict[str, tuple[Plain, Plain]] = {
    "shell": ({"action": {"commands": ["make"]}}, {"output": [ENDED]}),
    "apply_patch": (
        {"operation": {"type": "delete_file", "path": "a"}, "status": "completed"},
        {"output": "done", "status": "completed"},
    ),
}


def built_in(tool: str, n: int) -> tuple[Plain, Plain]:
    """Return a call of a tool that the client runs without having defined it, and its output."""
    call, output = BUILT_IN[tool]
    one = {"type": f"{tool}_call", "id": f"id_{n}", "call_id": f"c{n}", **call}
    return one, {"type": f"{tool}_call_output", "call_id": f"c{n}", **output}


@proves("view.legal")
@pytest.mark.parametrize("tool", BUILT_IN)
def test_calls_of_built_in_tools_are_answered_as_those_of_functions(tool: str) -> None:
    go, on = {"role": "user", "content": "go"}, {"role": "user", "content": "go on"}
    call, output = built_in(tool, 0)
    interrupted = compact([go, call, on], wire="openai-responses", window=8_000).messages
    assert interrupted[1] == call and interrupted[2]["type"] == output["type"]
    assert openai_responses({"input": interrupted}, pending_ok=False) == []
    # A window that slid over the call leaves its output.
    late = compact([go, output, on], wire="openai-responses", window=8_000).messages
    assert openai_responses({"input": late}) == []
    assert compact([go, call, output, on], wire="openai-responses", window=8_000).messages == [
        go,
        call,
        output,
        on,
    ]


@proves("view.legal")
@pytest.mark.parametrize("tool", BUILT_IN)
def test_no_call_of_a_built_in_tool_is_covered_before_its_output(tool: str) -> None:
    session = Session(wire="openai-responses", window=6_000)
    session.add({"role": "user", "content": "Refactor all of it."})
    for n in range(3):
        said = {"role": "assistant", "content": FILLER}
        session.add(said, {"role": "user", "content": f"go on {n} {FILLER}"})
    pairs = [built_in(tool, n) for n in range(4)]
    session.add(*(call for call, _ in pairs))
    session.compact()
    session.add(*(output for _, output in pairs))
    assert session.log.commits
    shown = session.request()["input"]
    assert [each["call_id"] for each in shown if each.get("type") == f"{tool}_call"] == [
        "c0",
        "c1",
        "c2",
        "c3",
    ]
    assert openai_responses({"input": shown}, pending_ok=False) == []


@proves("wire.responses")
def test_a_reply_leaves_its_client_the_calls_that_the_provider_does_not_answer() -> None:
    call, output = built_in("shell", 0)
    other, _ = built_in("apply_patch", 1)
    hosted = call | {"environment": {"type": "container_reference", "container_id": "c"}}
    names = [each.name for each in SURFACE.calls([hosted, output, other])]
    assert names == ["apply_patch"]
    begun = [SURFACE.call_name(item) for item in (hosted, call, other)]
    assert begun == [None, "shell_call", "apply_patch_call"]
    (answer,) = SURFACE.results([("apply_patch:c1", "not run")])
    assert openai_responses({"input": [other, answer]}, pending_ok=False) == []


@proves("view.legal")
@pytest.mark.parametrize("space", ["shell", "custom", "function", "apply_patch"])
def test_a_functions_id_that_looks_like_another_calls_stays_a_functions(space: str) -> None:
    session = Session(wire="openai-responses", window=3_000)
    session.add({"role": "user", "content": "go"})
    for n in range(8):
        id = f"{space}:{n}"
        call = {"type": "function_call", "call_id": id, "name": "shell", "arguments": "{}"}
        session.add(call, {"type": "function_call_output", "call_id": id, "output": FILLER * 4})
        session.add({"role": "user", "content": f"and {n}?"})
    open_call = {"type": "function_call", "call_id": f"{space}:x", "name": "f", "arguments": "{}"}
    session.add(open_call, {"role": "user", "content": "stop"})
    shown = session.messages()
    assert openai_responses({"input": shown}, pending_ok=False) == []
    calls = [each["call_id"] for each in shown if each.get("type") == "function_call"]
    assert session.log.commits and calls and all(id.startswith(f"{space}:") for id in calls)


@proves("view.legal")
def test_a_long_output_of_a_shell_is_shortened_in_its_form() -> None:
    call, output = built_in("shell", 0)
    output["output"] = [ENDED | {"stdout": FILLER * 60}]
    session = Session(wire="openai-responses", window=4_000)
    session.add({"role": "user", "content": "go"}, call, output)
    for n in range(8):
        session.add({"role": "assistant", "content": f"step {n}"})
        session.add({"role": "user", "content": f"and {n}?"})
    shown = [each for each in session.messages() if each.get("type") == output["type"]]
    for each in shown:
        (chunk,) = each["output"]
        assert len(chunk["stdout"]) < 5_000 and chunk["outcome"] == ENDED["outcome"]
    assert shown
    assert "exit code 2" in session.log.messages[2].results[0].text


@proves("view.legal")
def test_a_search_of_the_provider_without_an_id_keeps_its_output() -> None:
    search = [
        {"type": "tool_search_call", "call_id": None, "arguments": {}, **SEARCHED},
        {"type": "tool_search_output", "call_id": None, "tools": [], **SEARCHED},
    ]
    session = Session(wire="openai-responses", window=3_000)
    session.add({"role": "user", "content": "go"}, *search)
    for turn in range(8):
        session.add({"role": "user", "content": f"{turn} {FILLER}"})
        session.add({"role": "assistant", "content": f"done {turn}"})
        kinds = [each.get("type") for each in session.messages()]
        assert kinds.count("tool_search_call") == kinds.count("tool_search_output")
    assert session.log.commits


def use(*ids: str) -> Plain:
    blocks = [{"toolUse": {"toolUseId": id, "name": "read", "input": {}}} for id in ids]
    return {"role": "assistant", "content": blocks}


def results(*ids: str) -> Plain:
    blocks = [{"toolResult": {"toolUseId": id, "content": [{"text": FILLER}]}} for id in ids]
    return {"role": "user", "content": blocks}


def said(role: str, text: str) -> Plain:
    return {"role": role, "content": [{"text": text}]}


@proves("view.legal")
@pytest.mark.parametrize(
    "broken",
    [
        [results("a"), said("assistant", "read"), said("user", "go on")],
        [said("user", "go"), use("a"), said("user", "stop")],
        [said("user", "go"), use("a", "b"), results("a"), said("assistant", "hm")],
        [said("user", "go"), use("a"), results("a", "a"), said("assistant", "hm")],
        [said("user", "go"), use("a"), results("a"), results("a"), said("assistant", "hm")],
    ],
    ids=["begins with a result", "interrupted", "half a batch", "twice", "late again"],
)
def test_a_broken_history_on_bedrock_goes_out_in_pairs(broken: list[Plain]) -> None:
    session = Session(wire="bedrock", window=6_000)
    session.add(*broken)
    for turn in range(6):
        session.add(said("user", f"{turn} {FILLER}"), use(f"t{turn}"), results(f"t{turn}"))
        session.add(said("assistant", f"done {turn}"))
        session.add(said("user", "next"))
        assert list(bedrock_problems(session.request())) == []
        session.add(said("assistant", "yes"))
    assert session.log.commits


def gemini_step(turn: int, ids: bool, missing: set[int], names: tuple[str, str]) -> list[Plain]:
    """Return a turn of two calls; if one stays unanswered, the user goes on."""
    own = [{"name": names[n]} | ({"id": f"c{turn}-{n}"} if ids else {}) for n in (0, 1)]
    calls: list[Plain] = [{"functionCall": one | {"args": {}}} for one in own]
    calls[0]["thoughtSignature"] = "c2ln"
    results = [
        {"functionResponse": own[n] | {"response": {"result": FILLER}}} for n in {0, 1} - missing
    ]
    answers = [{"role": "user", "parts": results}] if results else []
    words = [{"role": "user", "parts": [{"text": f"Stopped. Go on with {turn}."}]}]
    return [{"role": "model", "parts": calls}, *answers, *(words if missing else [])]


@proves("view.legal")
@pytest.mark.parametrize("names", [("read", "read"), ("read", "grep")], ids=["same", "two"])
@pytest.mark.parametrize("missing", [{0}, {1}, {0, 1}], ids=["first", "second", "both"])
@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no ids"])
def test_half_a_batch_on_gemini_goes_out_in_one_content_or_not_at_all(
    ids: bool, missing: set[int], names: tuple[str, str]
) -> None:
    session = Session(wire="gemini", window=6_000)
    session.add({"role": "user", "parts": [{"text": "go"}]})
    for turn in range(24):
        session.add(*gemini_step(turn, ids, missing if turn % 4 == 3 else set(), names))
        assert list(gemini_problems(session.request())) == []
    assert session.log.commits


@proves("repair.late")
def test_a_call_of_gemini_is_answered_right_after_its_turn() -> None:
    call = {"functionCall": {"name": "read", "args": {}}, "thoughtSignature": "c2ln"}
    said = [("user", {"text": "go"}), ("model", call), ("model", {"text": "oops"})]
    session = Session(wire="gemini", window=6_000)
    session.add(*({"role": role, "parts": [part]} for role, part in said))
    session.add({"role": "user", "parts": [{"text": "go on"}]})

    contents = session.request()["contents"]
    assert list(gemini_problems({"contents": contents})) == []
    assert contents[1]["parts"] == [call, {"text": "oops"}]


@pytest.mark.parametrize(
    "said", ["words, a, b", "a, words, b", "a | words, b"], ids=["before", "between", "in two"]
)
def test_results_come_before_what_a_person_says_with_them(said: str) -> None:
    def element(name: str) -> dict[str, Any]:
        if name == "words":
            return {"type": "text", "text": "and go on"}
        return {"type": "tool_result", "tool_use_id": name, "content": "done"}

    calls = [{"type": "tool_use", "id": name, "name": "read", "input": {}} for name in "ab"]
    turns = [list(map(element, turn.split(", "))) for turn in said.split(" | ")]
    talk = [{"role": "user", "content": "go"}, {"role": "assistant", "content": calls}]
    talk += [{"role": "user", "content": turn} for turn in turns]

    sent = compact(talk, window=8_000, wire="anthropic").request["messages"]

    answers = [each.get("tool_use_id") for turn in sent[2:] for each in turn["content"]]
    assert answers == ["a", "b", None]


def batch(wire: str, at: int) -> list[Plain]:
    """Return a reply that thinks and calls one to four tools, and the results."""
    ids = [f"c{at}-{n}" for n in range(at % 4 + 1)]
    if wire == "bedrock":
        thought = {"reasoningText": {"text": f"Hm {at}.", "signature": f"s{at}"}}
        reply = use(*ids)
        reply["content"].insert(0, {"reasoningContent": thought})
        return [reply, results(*ids)]
    if wire == "openai":
        asked = [
            {"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}}
            for id in ids
        ]
        reply = {"role": "assistant", "content": None, "tool_calls": asked}
        return [reply, *({"role": "tool", "tool_call_id": id, "content": FILLER} for id in ids)]
    calls = [{"type": "tool_use", "id": id, "name": "read", "input": {}} for id in ids]
    thought = {"type": "thinking", "thinking": f"Hm {at}.", "signature": f"s{at}"}
    answers = [{"type": "tool_result", "tool_use_id": id, "content": FILLER} for id in ids]
    reply = {"role": "assistant", "content": [thought, *calls]}
    return [reply, {"role": "user", "content": answers}]


def ids_in(message: Plain) -> tuple[list[str], list[str]]:
    """Return the ids of a message's calls, and of its results."""
    calls = [each["id"] for each in message.get("tool_calls") or ()]
    answers = [message["tool_call_id"]] if message["role"] == "tool" else []
    blocks = message.get("content")
    for block in blocks if isinstance(blocks, list) else ():
        if "toolUse" in block:
            calls.append(block["toolUse"]["toolUseId"])
        if "toolResult" in block:
            answers.append(block["toolResult"]["toolUseId"])
        if block.get("type") == "tool_use":
            calls.append(block["id"])
        if block.get("type") == "tool_result":
            answers.append(block["tool_use_id"])
    return calls, answers


@proves("view.legal")
@pytest.mark.parametrize("wire", ["openai", "anthropic", "bedrock"])
def test_a_batch_its_thought_and_its_results_come_and_go_as_a_whole(wire: str) -> None:
    """OpenHands calls these properties of a view: batches, matching and unique results.

    It also keeps a whole loop of calls that began with a thought. Claude asks for less: a
    thought stays with the calls of its own reply, so that a long loop can be compacted.
    """
    session = Session(wire=wire, window=5_000)
    sizes: dict[str, int] = {}
    replies: list[Plain] = []
    for at in range(24):
        if at % 5 == 0:
            text: Any = f"{at}: go on."
            session.add(
                {"role": "user", "content": [{"text": text}] if wire == "bedrock" else text}
            )
        reply, *rest = batch(wire, at)
        sizes |= dict.fromkeys(ids_in(reply)[0], at % 4 + 1)
        replies.append(reply)
        session.add(reply, *rest)
        shown = session.messages()
        asked = [ids_in(message)[0] for message in shown]
        answered = [id for message in shown for id in ids_in(message)[1]]
        assert [id for ids in asked for id in ids] == answered
        assert len(answered) == len(set(answered))
        assert all(len(ids) == sizes[ids[0]] for ids in asked if ids)
        thoughts = [message for message in shown if ids_in(message)[0]]
        assert all(message in replies for message in thoughts)
    assert session.log.commits and len(answered) < len(sizes)


@proves("view.legal")
def test_reasoning_stays_with_the_message_that_it_led_to_and_equal_words_stay_two() -> None:
    """As OpenAI's agents SDK holds it for a history of which only a part is compacted."""
    session = Session(wire="openai-responses", window=3_000)
    for at in range(16):
        reason = {
            "type": "reasoning",
            "id": f"rs_{at}",
            "summary": [],
            "encrypted_content": "g" * 300,
        }
        words = [{"type": "output_text", "text": f"{at} {FILLER}", "annotations": []}]
        reply = {"type": "message", "id": f"msg_{at}", "role": "assistant", "status": "completed"}
        said_twice = {"role": "user", "content": "Go on."}
        session.add(said_twice, said_twice, reason, reply | {"content": words})
        shown = session.messages()
        reasons = [each["id"][3:] for each in shown if each.get("type") == "reasoning"]
        messages = [each["id"][4:] for each in shown if str(each.get("id")).startswith("msg_")]
        assert reasons == messages
        assert said_twice in shown[-4:-2]
    assert session.log.commits and len(messages) < 16
