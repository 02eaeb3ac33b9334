"""Scripts that call tools are read as the calls that they make."""

from __future__ import annotations

import json
import time
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steno
from steno.core.message import Call, Message, Result, Text
from steno.facts.artifacts import base_of_call, call_touches, command_of_call
from steno.facts.changes import text_changes
from steno.facts.errors import has_failed, open_envelope
from steno.facts.scripted import SCRIPT_MOST, scripted_calls
from steno.facts.tasks import read_task_call

COMMAND = """const r = await tools.exec_command({
  cmd: "make test && git status",
  workdir: '/repo', // where
  yield_time_ms: 10000,
});
text(r.output);
"""
PATCH = r"""const patch = "*** Begin Patch\n*** Update File: src/app.py\n" +
  "@@\n-a = 1\n+a = 2\n*** End Patch";
const r = await tools.apply_patch(patch);
"""
SEVERAL = """const results = await Promise.all([
  tools.exec_command({"cmd": "cat a.py", "workdir": "/repo"}),
  tools.exec_command({cmd: `sed -n '1,9p' b.py`, workdir: "/repo"}),
]);
for (const r of results) text(r.output);
"""
PLAN = """await tools.update_plan({plan: [
  {step: "Read the parser", status: "completed"},
  {step: "Mend " + "it", status: "in_progress"},
]});"""
RUNS = count()


def scripted(script: str) -> Call:
    return Call("c1", "exec", script)


def test_a_command_in_a_script_is_the_command_of_the_call() -> None:
    call = scripted(COMMAND)
    assert command_of_call(call) == "make test && git status"
    assert base_of_call(call) == "/repo"
    (inner,) = scripted_calls(call)
    assert (inner.id, inner.name) == ("c1", "exec_command")
    assert json.loads(inner.arguments)["yield_time_ms"] == 10_000


def test_a_patch_that_a_constant_holds_is_the_change_of_the_call() -> None:
    call = scripted(PATCH)
    assert [(touch.action, touch.key) for touch in call_touches(call)] == [("edited", "src/app.py")]
    (change,) = text_changes(call)
    assert (change.path, change.old, change.new) == ("src/app.py", "a = 1", "a = 2")


def test_several_calls_at_once_are_all_read() -> None:
    call = scripted(SEVERAL)
    assert command_of_call(call) == "cat a.py; sed -n '1,9p' b.py"
    touched = [(touch.action, touch.key) for touch in call_touches(call)]
    assert ("read", "/repo/a.py") in touched
    assert ("read", "/repo/b.py") in touched


def test_a_plan_in_a_script_is_a_list_of_tasks() -> None:
    read = read_task_call(scripted(PLAN))
    assert read is not None
    assert read.items == (("Read the parser", "completed"), ("Mend it", "in_progress"))


def test_what_a_script_computes_is_left_out() -> None:
    script = "const p = make(); await tools.exec_command({cmd: p, workdir: `/a${x}`});"
    (call,) = scripted_calls(scripted(script))
    assert json.loads(call.arguments) == {"cmd": None, "workdir": "/a${x}"}


def test_escapes_are_those_of_the_language() -> None:
    fields = r"sum: 'say \"+', text: '\x41\u{1F600}\uD83D\uDE00\'' + `\n`, raw: String.raw`\n`"
    script = f"await tools.say({{{fields}}})"
    (call,) = scripted_calls(scripted(script))
    assert json.loads(call.arguments) == {
        "sum": 'say "+',
        "text": "A😀😀'\n",
        "raw": "\\n",
    }


def test_other_calls_are_no_scripts() -> None:
    shell = json.dumps({"command": "grep -n 'await tools.exec_command(' notes.md"})
    for call in (
        Call("c1", "bash", shell),
        Call("c1", "exec", "text(JSON.stringify(ALL_TOOLS))"),
        Call("c1", "apply_patch", "*** Begin Patch\n*** Add File: a\n+tools.run()\n*** End Patch"),
        Call("c1", "exec", "await tools.run({})" + " " * SCRIPT_MOST),
    ):
        assert scripted_calls(call) == ()


def test_the_output_of_a_script_is_read_without_what_stands_around_it() -> None:
    head = "Script completed\nWall time 0.3 seconds\nOutput:\n\n"
    assert open_envelope(head + "two lines\nof text").text.strip() == "two lines\nof text"
    boxes = [
        {"chunk_id": "1", "exit_code": 0, "output": "fine"},
        {"chunk_id": "2", "exit_code": 3, "output": "broken"},
    ]
    said = head + "\n".join(json.dumps(box, separators=(",", ":")) for box in boxes) + "\n"
    assert open_envelope(said).text == "fine\nbroken"
    assert has_failed(Result("c1", (Text(said),)))
    assert not has_failed(Result("c1", (Text(said.replace("3", "0")),)))


def test_the_state_of_a_view_names_what_scripts_did() -> None:
    head = "Script completed\nWall time 0.3 seconds\nOutput:\n\n"
    steps = [("tools.exec_command({cmd: 'cat notes.md'})", "a line of notes\n" * 300)] * 12
    steps += [
        (
            "tools.apply_patch('*** Begin Patch\\n*** Add File: src/app.py\\n+a\\n*** End Patch')",
            "",
        ),
        ("tools.exec_command({cmd: 'pytest tests'})", "==== 2 failed, 7 passed in 0.4s ===="),
    ]
    steps += [("tools.exec_command({cmd: 'cat more.md'})", "a line of more\n" * 300)] * 6
    messages = [{"role": "user", "content": "Mend the parser."}]
    # Calls that were read are remembered: each run has its own.
    run = next(RUNS)
    for number, (script, said) in enumerate(steps):
        function = {"name": "exec", "arguments": f"const r = await {script}; text(r.output);"}
        call = {"id": f"c{run}_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append(
            {"role": "tool", "tool_call_id": f"c{run}_{number}", "content": head + said}
        )
    shown = json.dumps(steno.compact(messages, window=6_000, wire="openai").messages)
    assert "changed: src/app.py [25]" in shown
    assert "last test run [27] `pytest tests`: ==== 2 failed" in shown


@given(st.text(st.sampled_from("await tools.x({a:'b\"`\\}]);,+1 \n/*"), max_size=400))
def test_any_script_is_read_without_an_error(script: str) -> None:
    calls = scripted_calls(scripted("await tools.x(" + script))
    assert all(isinstance(call, Call) for call in calls)
    Message("assistant", calls)


@pytest.mark.parametrize(
    "script",
    [
        "await tools.x({a: [" + "'b', \"" * 20_000,
        "await tools.x(" * 10_000,
        "const a = '" * 10_000 + "await tools.x(a)",
        "const a = '" + "b" * 50_000 + "'; await tools.x([" + "a," * 50_000 + "])",
    ],
)
def test_a_long_script_is_read_in_time(script: str) -> None:
    started = time.process_time()
    scripted_calls(scripted(script))
    assert time.process_time() - started < 2.0
