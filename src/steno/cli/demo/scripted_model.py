"""`script:demo`: a model that needs no key, for a first look at the chat.

It looks around with the file tools, reads a few files and says what it saw. What
it does next is computed from the request alone, so a session that was cut off
goes on the same way. Nothing is random and nothing is called.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from steno.core.message import Call
from steno.models.script import Script, ScriptLine

NAME = "script:demo"
WINDOW = 12_000
FILES_A_ROUND = 4
"""Files that it reads for one task."""
FULL_PERCENT = 60
"""Per cent from which on it compacts by itself, where it may."""
_ID = re.compile(r"demo-(\d+)-(\d+)")
_STEP = re.compile(r'<steno-\w+ kind="step"')
_FILL = re.compile(r"\[Context: .*\((\d+) %\)")
_FILE = re.compile(
    r"[\w./-]+\.(?:py|md|txt|toml|json|jsonl|js|ts|rs|go|c|h|html|css|yml|yaml|cfg|csv|log|sh)$"
)
_QUOTED = re.compile(r"[\"'“`]([^\"'”`]+)[\"'”`]")
HELLO = """\
Hello! I am a scripted model: I need no key, and I do the same thing every time.
Ask me to look around, to search for "a word", to write a file, or to remember something.
I read files, so the context fills up; watch what happens to it, and try /context and /compact.
"""
PLAN = "1. List the files\n2. Read the first of them\n3. Say what stands in them"


def demo_model(window: int | None = None) -> Script:
    """The scripted model of the chat and the demonstrations."""
    return Script(_reply, name=NAME, wire="openai", window=window or WINDOW)


def _reply(request: Mapping[str, Any]) -> ScriptLine:
    said = _RequestState(
        list(request["messages"]), {tool["function"]["name"] for tool in request.get("tools") or ()}
    )
    if "say your plan" in said.asked:
        return PLAN
    if said.planned:
        return _carry_out_plan(said)
    if said.fill >= FULL_PERCENT and "compress_context" in said.tools and said.step == 0:
        wish = {"reason": "a new task begins, and the context is rather full"}
        return ["Before I begin, I make room.\n", said.call("compress_context", wish)]
    for words, does in _REPLIES:
        if re.search(words, said.task, re.I):
            return does(said)
    return _look_around(said)


class _RequestState:
    """What a request says, as far as this model cares."""

    def __init__(self, messages: list[Any], tools: set[str]) -> None:
        self.tools = tools
        self.fill = max((int(fill) for fill in _FILL.findall(_text(messages[-1]))), default=0)
        real = [each for each in messages if not _FILL.match(_text(each))]
        people = [
            at for at, each in enumerate(real) if each["role"] == "user" and not _is_ours(each)
        ]
        self.asked = _text(real[-1]) if real else ""
        later = [
            _text(each) for each in real[people[-1] if people else 0 :] if _STEP.match(_text(each))
        ]
        self.planned = later[-1].splitlines()[1] if later else ""
        self.task = _text(real[people[-1]]) if people else ""
        self.results = [each for each in real if each["role"] == "tool"]
        self.paths = {id: path for each in messages for id, path in _paths_by_call(each)}
        ids = [
            found
            for each in self.results
            if (found := _ID.fullmatch(str(each.get("tool_call_id"))))
        ]
        goes_on = bool(ids) and (not people or people[-1] < len(real) - 1)
        self.round = int(ids[-1][1]) + (not goes_on) if ids else 0
        self.step = int(ids[-1][2]) + 1 if goes_on else 0
        self.last = _text(self.results[-1]) if goes_on else ""

    def call(self, name: str, arguments: dict[str, Any]) -> Call:
        return Call(f"demo-{self.round}-{self.step}", name, json.dumps(arguments))

    @property
    def files(self) -> list[str]:
        """Files that the newest listing names; some others in each round."""
        for result in reversed(self.results):
            found = [line for line in _text(result).splitlines() if _FILE.fullmatch(line)]
            if found:
                first = (self.round * FILES_A_ROUND) % len(found)
                return [*found[first:], *found[:first]]
        return []


def _carry_out_plan(said: _RequestState) -> ScriptLine:
    """A step of its own plan; what it says without a call ends the step."""
    if "List the files" in said.planned and said.step > 0:
        return f"There are {len(said.files)} files to read.\n"
    if "Read the first" in said.planned and said.step > FILES_A_ROUND:
        return "I have read the first of them.\n"
    done = "Say what stands" in said.planned or "All steps are done" in said.planned
    if done:
        return _report_files(said)
    return _look_around(said)


def _look_around(said: _RequestState) -> ScriptLine:
    if said.step == 0:
        return ["I look around first.\n", said.call("list_files", {"depth": 3})]
    if said.step <= FILES_A_ROUND and said.files[said.step - 1 :]:
        path = said.files[said.step - 1]
        return [f"{path} looks interesting.\n", said.call("read_file", {"path": path})]
    return _report_files(said)


def _report_files(said: _RequestState) -> str:
    seen = _file_openings(said)
    if not seen:
        return "I found no text files here. Start me with --root and a folder that has some.\n"
    told = "\n".join(f"- {path}: {words}" for path, words in seen)
    return f"I have read these files:\n{told}\nAsk me for more, and I go on with the next ones.\n"


def _file_openings(said: _RequestState) -> list[tuple[str, str]]:
    """The files that were read in this round, as far as they are still shown, and how they begin."""
    seen: list[tuple[str, str]] = []
    for result in said.results:
        found = _ID.fullmatch(str(result.get("tool_call_id")))
        path = said.paths.get(str(result.get("tool_call_id")))
        if found and int(found[1]) == said.round and path:
            lines = _text(result).splitlines()
            first = (
                lines[0].partition("\t")[2].strip(" \"'#")
                if lines and not _is_ours(result)
                else "(in short by now)"
            )
            seen.append((path, first[:40] or "(it begins with a blank line)"))
    return seen


def _search(said: _RequestState) -> ScriptLine:
    quoted = _QUOTED.search(said.task)
    text = quoted[1] if quoted else said.task.split()[-1]
    if said.step == 0:
        return [f"I search for {text}.\n", said.call("search_files", {"text": text})]
    return f"{len(said.last.splitlines()):,} lines; the first is {said.last.splitlines()[0][:80] if said.last else ''}\n"


def _write(said: _RequestState) -> ScriptLine:
    if said.step == 0:
        text = f"Written by a script, because somebody said:\n{said.task}\n"
        return [
            "I write that down.\n",
            said.call("write_file", {"path": "written-by-steno.txt", "text": text}),
        ]
    return f"Done: {said.last}\n"


def _remember(said: _RequestState) -> ScriptLine:
    if said.step == 0 and "remember" in said.tools:
        note = re.sub(r"(?i)^.*?remember(?: that)?\s*", "", said.task)[:300] or said.task[:300]
        return ["I make a note of it.\n", said.call("remember", {"text": note})]
    return f"It is {said.last}, and stays in view.\n"


def _greet(said: _RequestState) -> ScriptLine:
    return HELLO


_REPLIES = (
    (r"^\W*(?:hello|hi|hey|help|who are you)\b", _greet),
    (r"\bremember\b", _remember),
    (r"\b(?:search|find|grep)\b", _search),
    (r"\b(?:write|create|note down)\b", _write),
)


def _paths_by_call(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Which call read which file."""
    calls = message.get("tool_calls") or ()
    read = [call for call in calls if call["function"]["name"] == "read_file"]
    return [
        (call["id"], str(json.loads(call["function"]["arguments"]).get("path", "")))
        for call in read
    ]


def _is_ours(message: Mapping[str, Any]) -> bool:
    return _text(message).startswith("<steno-")


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or ())
