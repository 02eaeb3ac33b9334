"""`script:demo`: a model that needs no key, for a first look at the chat.

It lists files, reads a few and says what it saw. What it does next is computed
from the request alone, so a session that was cut off continues the same way.
Nothing is random and nothing is sent anywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from steno.core.message import Call
from steno.inspector.describe import Json
from steno.models.script import Script, ScriptLine

NAME = "script:demo"
WINDOW = 12_000
FILES_A_ROUND = 4
"""Files that it reads for one task."""
FULL_PERCENT = 60
"""Fill from which on it calls compress_context, if it has that tool."""
_ID = re.compile(r"demo-(\d+)-(\d+)")
_STEP = re.compile(r'<steno-\w+ kind="step"')
_FILL = re.compile(r"\[Context: .*\((\d+) %\)")
_FILE = re.compile(
    r"(?<![\w./-])[\w./-]+\.(?:py|md|txt|toml|json|jsonl|js|ts|rs|go|c|h|html|css|yml|yaml|cfg|csv|log|sh)$"
)
HELLO = """\
Hello! I am a scripted model: I need no key, and I do the same thing every time.
Ask me to look around, to write a file, or to remember something.
I read files, so the context fills up; watch what happens to it, and try /context and /compact.
"""
PLAN = "1. List the files\n2. Read the first of them\n3. Say what is in them"


def demo_model(window: int | None = None) -> Script:
    return Script(_reply, name=NAME, wire="openai", window=window or WINDOW)


def _reply(request: Mapping[str, Any]) -> ScriptLine:
    tools = {tool["function"]["name"] for tool in request.get("tools") or ()}
    state = _RequestState(list(request["messages"]), tools)
    if "say your plan" in state.newest:
        return PLAN
    if state.planned:
        return _carry_out_plan(state)
    if state.fill >= FULL_PERCENT and "compress_context" in state.tools and state.step == 0:
        reason = {"reason": "a new task begins, and the context is rather full"}
        return ["Before I begin, I make room.\n", state.call("compress_context", reason)]
    for pattern, reply in _REPLIES:
        if re.search(pattern, state.task, re.I):
            return reply(state)
    return _look_around(state)


class _RequestState:
    """Where the model is in its script, read from a request.

    A call's id is `demo-ROUND-STEP`: each task of the user is a round, each call
    in it a step. So the newest result tells which step comes next.
    """

    def __init__(self, messages: list[Any], tools: set[str]) -> None:
        self.tools = tools
        self.fill = max((int(fill) for fill in _FILL.findall(_text(messages[-1]))), default=0)
        """Per cent of the window, as the indicator in the last message says."""
        # The indicator of the fill is Steno's, and no part of the conversation.
        real = [message for message in messages if not _FILL.match(_text(message))]
        typed = [at for at, message in enumerate(real) if _is_typed(message)]
        self.newest = ""
        if real:
            self.newest = _text(real[-1])
        self.task = ""
        task_at = 0
        if typed:
            task_at = typed[-1]
            self.task = _text(real[task_at])
        self.planned = ""
        """The step of the plan that is under way."""
        for message in real[task_at:]:
            if _STEP.match(_text(message)):
                self.planned = _text(message).splitlines()[1]
        self.results = [message for message in real if message["role"] == "tool"]
        self.paths = dict(_paths_by_call(messages))
        self.round, self.step, self.last = 0, 0, ""
        found = [_ID.fullmatch(str(result.get("tool_call_id"))) for result in self.results]
        ids = [match for match in found if match]
        if ids:
            newest = ids[-1]
            self.round = int(newest[1])
            if typed and task_at == len(real) - 1:
                # The user spoke after the last result: a new round begins.
                self.round += 1
            else:
                self.step = int(newest[2]) + 1
                self.last = _text(self.results[-1])

    def call(self, name: str, arguments: Json) -> Call:
        return Call(f"demo-{self.round}-{self.step}", name, json.dumps(arguments))

    @property
    def files(self) -> list[str]:
        """Files of the newest listing, starting elsewhere in each round."""
        for result in reversed(self.results):
            found = [line for line in _text(result).splitlines() if _FILE.fullmatch(line)]
            if found:
                first = (self.round * FILES_A_ROUND) % len(found)
                return [*found[first:], *found[:first]]
        return []


def _carry_out_plan(state: _RequestState) -> ScriptLine:
    """Do a step of its own plan; a reply without a call ends the step."""
    if "List the files" in state.planned and state.step > 0:
        return f"There are {len(state.files)} files to read.\n"
    if "Read the first" in state.planned and state.step > FILES_A_ROUND:
        return "I have read the first of them.\n"
    if "Say what is" in state.planned or "All steps are done" in state.planned:
        return _report_files(state)
    return _look_around(state)


def _look_around(state: _RequestState) -> ScriptLine:
    if state.step == 0:
        return ["I look around first.\n", state.call("list_files", {"depth": 3})]
    if state.step <= FILES_A_ROUND and state.files[state.step - 1 :]:
        path = state.files[state.step - 1]
        return [f"{path} looks interesting.\n", state.call("read_file", {"path": path})]
    return _report_files(state)


def _report_files(state: _RequestState) -> str:
    """Name the files read in this round that are still shown, and how they begin."""
    lines = []
    for result in state.results:
        id = str(result.get("tool_call_id"))
        found = _ID.fullmatch(id)
        if found and int(found[1]) == state.round and state.paths.get(id):
            lines.append(f"- {state.paths[id]}: {_file_opening(result)}")
    if not lines:
        return "I found no text files here. Start me with --root and a folder that has some.\n"
    report = "\n".join(lines)
    return f"I have read these files:\n{report}\nAsk me for more, and I go on with the next ones.\n"


def _file_opening(result: Mapping[str, Any]) -> str:
    lines = _text(result).splitlines()
    if not lines or _is_ours(result):
        return "(shortened by now)"
    # read_file numbers its lines: the text follows a tab.
    first = lines[0].partition("\t")[2].strip(" \"'#")
    return first[:40] or "(it begins with a blank line)"


def _write(state: _RequestState) -> ScriptLine:
    if state.step == 0:
        text = f"Written by a script, because the user said:\n{state.task}\n"
        arguments = {"path": "written-by-steno.txt", "text": text}
        return ["I write that down.\n", state.call("write_file", arguments)]
    return f"Done: {state.last}\n"


def _remember(state: _RequestState) -> ScriptLine:
    if state.step == 0 and "remember" in state.tools:
        note = re.sub(r"(?i)^.*?remember(?: that)?\s*", "", state.task)[:300] or state.task[:300]
        return ["I make a note of it.\n", state.call("remember", {"text": note})]
    return f"It is {state.last}, and stays in view.\n"


_REPLIES = (
    (r"^\W*(?:hello|hi|hey|help|who are you)\b", lambda state: HELLO),
    (r"\bremember\b", _remember),
    (r"\b(?:write|create|note down)\b", _write),
)


def _paths_by_call(messages: list[Any]) -> Iterator[tuple[str, str]]:
    """Return the id and the path of each call that reads a file."""
    for message in messages:
        for call in message.get("tool_calls") or ():
            if call["function"]["name"] == "read_file":
                arguments = json.loads(call["function"]["arguments"])
                yield call["id"], str(arguments.get("path", ""))


def _is_typed(message: Mapping[str, Any]) -> bool:
    return message["role"] == "user" and not _is_ours(message)


def _is_ours(message: Mapping[str, Any]) -> bool:
    """Tell whether Steno wrote the message."""
    return _text(message).startswith("<steno-")


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or ())
