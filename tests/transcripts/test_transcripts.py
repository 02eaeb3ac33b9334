"""Transcripts: messages are what the model saw; unchanged rows are written as they were."""

from __future__ import annotations

import gzip
import json
import re
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import steno
from steno.core.wire import Wire
from steno.facts.ledger import Ledger
from steno.providers import encode_messages, get_wire, join_neighbours
from steno.providers.openai_responses.wire import OpenAIResponsesWire
from steno.summary.constraints_block import without_block
from steno.transcripts import (
    Aside,
    BadTranscript,
    Change,
    Entry,
    Format,
    ReadPiece,
    decode_entries,
    detect_format,
    open_transcript,
    pieces_from_view,
)
from steno.transcripts import lines as lines_module
from steno.transcripts.claude_code import ClaudeCodeFormat
from steno.transcripts.codex import CodexFormat
from steno.transcripts.format import ReadOptions
from steno.transcripts.lists import MessageListFormat
from tests.support import legal
from tests.support.legal_responses import openai_responses
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.sample_messages import (
    anthropic_talk,
    bedrock_talk,
    gemini_talk,
    openai_talk,
)

Json = dict[str, Any]

# Files of our own making, as agents would have written them


def dumped(row: Json) -> str:
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False)


class Claude:
    """Build a session file; each row is chained to the one before."""

    def __init__(self) -> None:
        self.rows: list[Json] = []
        self.tip: str | None = None

    def row(self, kind: str, *, side: bool = False, **more: Any) -> Claude:
        uuid = f"00000000-0000-4000-8000-{len(self.rows):012d}"
        row = {
            "parentUuid": self.tip,
            "isSidechain": side,
            "userType": "external",
            "cwd": "/home/me/app",
        }
        row |= {"sessionId": "5e55", "version": "2.1.17", "gitBranch": "main", "type": kind} | more
        self.rows.append(
            row | {"uuid": uuid, "timestamp": f"2026-01-02T03:04:{len(self.rows) % 60:02d}.000Z"}
        )
        self.tip = self.tip if side else uuid
        return self

    def loose(self, **row: Any) -> Claude:
        self.rows.append(row)
        return self

    def user(self, content: Any, **more: Any) -> Claude:
        return self.row("user", message={"role": "user", "content": content}, **more)

    def reply(self, id: str, *blocks: Json, among: bool = False) -> Claude:
        """Add one row for each block; `among` puts a progress row between them."""
        for at, block in enumerate(blocks):
            if among and at:
                self.row("progress", data={"type": "hook_progress"})
            said = {
                "model": "claude-x",
                "id": id,
                "type": "message",
                "role": "assistant",
                "content": [block],
            }
            self.row(
                "assistant",
                message=said | {"stop_reason": None, "usage": {"output_tokens": 1}},
                requestId=id,
            )
        return self

    def text(self, end: str = "\n") -> str:
        return "".join(dumped(row) + end for row in self.rows)


def claude_talk(turns: int, *, among: bool = False, words: int = 120) -> Claude:
    """Return a tool loop, with rows around it that are no messages."""
    file = Claude().loose(type="summary", summary="A title", leafUuid="x")
    file.loose(type="file-history-snapshot", messageId="y", snapshot={})
    return _told(file, anthropic_talk(turns, thinking=True, words=words), among)


def _told(file: Claude, talk: list[Json], among: bool = False) -> Claude:
    for n, message in enumerate(talk, start=len(file.rows)):
        if message["role"] == "assistant":
            file.reply(f"msg_{n}", *message["content"], among=among)
        elif isinstance(message["content"], str):
            file.user(message["content"])
        else:
            file.user(message["content"], toolUseResult={"stdout": "as it was"})
        if n % 3 == 0:
            file.row("progress", data={"type": "bash_progress"}).user("a subagent", side=True)
    return file.row("system", subtype="turn_duration", durationMs=5)


def compacted_claude(turns: int) -> Claude:
    """Return the same session, compacted by Claude Code itself and continued."""
    file = claude_talk(turns)
    file.tip = None
    file.row("system", subtype="compact_boundary", content="Conversation compacted", isMeta=False)
    file.user(
        "This session is being continued: we found it.",
        isCompactSummary=True,
        isVisibleInTranscriptOnly=True,
    )
    file.reply("msg_after", {"type": "text", "text": "Going on."}).user("Thanks.")
    return _told(file, anthropic_talk(turns, thinking=True, start=turns))


def codex_row(kind: str, payload: Json, n: int = 0) -> Json:
    return {"timestamp": f"2026-01-02T03:04:{n % 60:02d}.000Z", "type": kind, "payload": payload}


def codex_items(turns: int, words: int = 120) -> list[Json]:
    said = [{"type": "input_text", "text": "Find the slow query. Never touch production."}]
    items: list[Json] = [{"type": "message", "role": "user", "content": said}]
    for n in range(turns):
        items.append(
            {"type": "reasoning", "summary": [], "content": None, "encrypted_content": f"gAAA{n}"}
        )
        arguments = json.dumps({"cmd": f"cat src/query_{n}.py"})
        items.append(
            {
                "type": "function_call",
                "name": "exec_command",
                "arguments": arguments,
                "call_id": f"call-{n}",
            }
        )
        output = f"row {n} of the table\n" * (words // 6)
        items.append({"type": "function_call_output", "call_id": f"call-{n}", "output": output})
    return items


def codex_talk(turns: int, words: int = 120) -> list[Json]:
    rows = [codex_row("session_meta", {"id": "s", "cwd": "/home/me/app", "cli_version": "0.126.0"})]
    rows.append(codex_row("turn_context", {"model": "gpt-5.4"}))
    for n, item in enumerate(codex_items(turns, words)):
        rows.append(codex_row("response_item", item, n))
        if n % 2:
            rows.append(codex_row("event_msg", {"type": "token_count", "info": None}, n))
    rows.append(codex_row("response_item", {"type": "ghost_snapshot", "ghost_commit": {}}))
    return rows


def lines_of(rows: list[Json], end: str = "\n") -> str:
    return "".join(dumped(row) + end for row in rows)


def many_talk(turns: int, words: int = 120) -> Json:
    """Return one of several conversations in a file."""
    return {"id": f"t-{turns}", "messages": openai_talk(turns, words=words), "labels": {}}


SPELLED = (
    dumped,
    json.dumps,
    lambda row: json.dumps(dict(reversed(row.items())), separators=(" ,", " : ")),
    lambda row: json.dumps(row | {"x_exact": 0}).replace(
        '"x_exact": 0', '"x_exact": 1e2, "x_big": 1' + "0" * 30
    ),
)


@st.composite
def spelled(draw: st.DrawFn, rows: list[Json]) -> str:
    """Return the rows with blank lines, CRLF, glued rows, a BOM and no last line end."""
    text = draw(st.sampled_from(["", "", "\ufeff"]))
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\n\n", "\n  \n", "\r\n", "\n"]]))
    glues = draw(st.booleans())
    for at, row in enumerate(rows):
        end = "" if glues and at % 5 == 3 else draw(st.sampled_from(ends))
        text += draw(st.sampled_from(SPELLED))(row) + end
    return text.rstrip("\r\n") if draw(st.booleans()) else text


@st.composite
def sessions(draw: st.DrawFn) -> str:
    """Return a file of one of the formats that hold one row a line."""
    turns = draw(st.integers(1, 12))
    kind = draw(st.sampled_from(["claude", "compacted", "codex", "codex compacted"]))
    if kind == "claude":
        rows = claude_talk(turns, among=draw(st.booleans())).rows
    elif kind == "compacted":
        rows = compacted_claude(turns).rows
    else:
        rows = codex_talk(turns)
    if kind == "codex compacted":
        history = codex_items(draw(st.integers(0, 3)))
        payload = {"message": "We found it."} | (
            {"replacement_history": history} if draw(st.booleans()) else {}
        )
        rows.insert(draw(st.integers(2, len(rows))), codex_row("compacted", payload))
    return draw(spelled(rows))


# ReadOptions and writing, in a word each


def lines(text: str) -> list[str]:
    return (
        text.splitlines(keepends=True)
        if "\x85" not in text
        else re.findall(r"[^\n]*\n|[^\n]+", text)
    )


def read(text: str, **how: Any) -> tuple[Format, list[ReadPiece]]:
    format = detect_format(lines(text))
    survey = format.survey(lines(text))
    if how.pop("whole", False):
        survey = replace(survey, covered=0)
    return format, list(format.read(lines(text), ReadOptions(survey=survey, **how)))


def messages(pieces: list[ReadPiece]) -> list[Json]:
    return [piece.message for piece in pieces if isinstance(piece, Entry)]


def wire_of(format: Format) -> Wire:
    return OpenAIResponsesWire() if format.wire == "openai-responses" else get_wire(format.wire)


def compacted(text: str, window: int, **how: Any) -> tuple[str, steno.Compacted, list[ReadPiece]]:
    """Compact a file and return the file that comes out."""
    format, pieces = read(text, **how)
    result = steno.compact(messages(pieces), window=window, wire=wire_of(format), force=True)
    session = result.session
    view, wire = without_block(session.view), wire_of(format)
    shown = encode_messages(wire, tuple(view.visible_messages))
    written = format.write(pieces_from_view(pieces, session.log, view, wire))
    return "".join(written), replace(result, messages=shown), pieces


def blocks(sent: list[Json]) -> list[Any]:
    """Return the texts of the messages, in any format."""
    found: list[Any] = []
    for message in sent:
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        found += (
            [(message["role"], part) for part in parts]
            if "role" in message and parts
            else [message]
        )
    return found


# Claude Code


@proves("transcript.hosts")
@pytest.mark.parametrize("among", [False, True])
def test_the_rows_of_one_reply_are_one_message(among: bool) -> None:
    format, pieces = read(claude_talk(3, among=among).text())

    assert format.name == "claude-code" and format.wire == "anthropic"
    assert messages(pieces) == anthropic_talk(3, thinking=True)


@proves("transcript.hosts")
def test_what_the_model_never_saw_is_an_aside() -> None:
    file = Claude().user("go").user("a subagent", side=True).row("progress", data={})
    file.row("system", subtype="stop_hook_summary").loose(
        type="file-history-snapshot", messageId="m", snapshot={}
    )
    said = {
        "id": "e",
        "role": "assistant",
        "model": "<synthetic>",
        "content": [{"type": "text", "text": "API Error"}],
    }
    file.row("assistant", message=said, isApiErrorMessage=True).user("<caveat>", isMeta=True).loose(
        type="unheard-of"
    )

    assert messages(read(file.text())[1]) == [
        {"role": "user", "content": "go"},
        {"role": "user", "content": "<caveat>"},
    ]


@proves("transcript.hosts")
def test_what_stands_before_the_newest_boundary_is_not_seen_but_can_be_read() -> None:
    text = compacted_claude(3).text()
    seen, all_said = messages(read(text)[1]), messages(read(text, whole=True)[1])

    assert seen[0]["content"] == "This session is being continued: we found it."
    assert seen[3:] == anthropic_talk(3, thinking=True, start=3)
    assert all_said == [*anthropic_talk(3, thinking=True), *seen]


@proves("transcript.hosts")
def test_what_a_compaction_hid_is_read_and_marked() -> None:
    pieces = read(compacted_claude(3).text(), mark=True)[1]
    entries = [piece for piece in pieces if isinstance(piece, Entry)]

    hidden = [entry.message for entry in entries if entry.hidden]
    assert hidden == anthropic_talk(3, thinking=True)
    assert [entry.hidden for entry in entries] == [True] * len(hidden) + [False] * (
        len(entries) - len(hidden)
    )


@proves("transcript.hosts")
def test_a_branch_that_a_rewind_left_is_an_aside() -> None:
    use = [{"type": "tool_use", "id": id, "name": "read", "input": {}} for id in "ab"]
    result = [[{"type": "tool_result", "tool_use_id": id, "content": "ok"}] for id in "ab"]
    file = Claude().user("go").reply("m", use[0]).reply("m", use[1])
    calls = file.rows[-2:]
    # Results of parallel calls follow the rows of their calls: that is no branch.
    for call, content in zip(calls, result, strict=True):
        file.user(content)
        file.rows[-1]["parentUuid"] = call["uuid"]
    before = file.rows[-1]["uuid"]
    file.user("try A").reply("n", {"type": "text", "text": "A it is."}).user("try B")
    file.rows[-1]["parentUuid"] = before

    text = file.text()
    said = [message["content"] for message in messages(read(text)[1])]
    assert said == ["go", use, result[0], result[1], "try B"]
    format, pieces = read(text)
    assert "".join(format.write(pieces)) == text


@proves("transcript.hosts")
def test_a_rewind_after_a_reply_leaves_nothing_in_it() -> None:
    use = {"type": "tool_use", "id": "a", "name": "read", "input": {"uuid": "not-the-row's"}}
    result = [{"type": "tool_result", "tool_use_id": "a", "content": "ok"}]
    file = Claude().user("go").reply("m", {"type": "text", "text": "Ready."})
    fork = file.rows[-1]["uuid"]
    file.user("old").reply("n", use).user(result).reply("o", {"type": "text", "text": "Old."})
    old = file.rows[-1]["uuid"]
    file.user("new")
    file.rows[-1]["parentUuid"] = fork
    said = [message["content"] for message in messages(read(file.text())[1])]
    assert said == ["go", [{"type": "text", "text": "Ready."}], "new"]
    # And back again: the first branch is the one that stands.
    file.user("go on with the old one")
    file.rows[-1]["parentUuid"] = old
    said = [message["content"] for message in messages(read(file.text())[1])]
    assert said[2:] == [
        "old",
        [use],
        result,
        [{"type": "text", "text": "Old."}],
        "go on with the old one",
    ]


@proves("transcript.hosts")
def test_replies_interleaved_with_their_results_stay_in_order() -> None:
    use = [{"type": "tool_use", "id": id, "name": "read", "input": {}} for id in "ab"]
    result = [[{"type": "tool_result", "tool_use_id": id, "content": "ok"}] for id in "ab"]
    file = Claude().user("go").reply("m", use[0]).user(result[0]).reply("m", use[1]).user(result[1])

    assert [message["content"] for message in messages(read(file.text())[1])] == [
        "go",
        [use[0]],
        result[0],
        [use[1]],
        result[1],
    ]


@proves("transcript.hosts")
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    "file", [claude_talk(30), claude_talk(30, among=True), compacted_claude(30)]
)
def test_a_compacted_session_resumes_along_its_chain(file: Claude, whole: bool) -> None:
    text, result, pieces = compacted(file.text(), 3_000, whole=whole)
    rows = [json.loads(line) for line in lines(text)]
    linked = {row["uuid"]: row for row in rows if "uuid" in row}
    walked = []
    at = next(row for row in reversed(rows) if "uuid" in row and not row["isSidechain"])
    while at is not None:
        walked.append(at)
        at = linked.get(at["parentUuid"])
    walked.reverse()
    resumed = messages(read("".join(dumped(row) + "\n" for row in walked), whole=whole)[1])

    assert result.commit is not None and len(result.messages) < len(messages(pieces))
    assert all(row["parentUuid"] is None or row["parentUuid"] in linked for row in linked.values())
    assert len(linked) == sum("uuid" in row for row in rows)
    # Claude Code itself walks no further than its own boundary.
    if not whole or not any(row.get("subtype") == "compact_boundary" for row in rows):
        assert blocks(resumed) == blocks(result.messages)
    assert legal.anthropic(result.request) == []


@proves("transcript.hosts")
def test_a_changed_message_keeps_its_rows_and_all_they_say_besides() -> None:
    file = claude_talk(1)
    format, pieces = read(file.text())
    entry = next(piece for piece in pieces if isinstance(piece, Entry) and len(piece.lines) == 3)
    thought, text, use = entry.message["content"]
    changed = {"role": "assistant", "content": [thought, {"type": "text", "text": "Short."}, use]}
    dropped = {"role": "assistant", "content": [text, use]}

    one = "".join(format.write([entry, Change((changed,), (entry,))])).splitlines(keepends=True)
    assert (one[3], one[5]) == (entry.lines[0], entry.lines[2])
    assert json.loads(one[4]) == json.loads(entry.lines[1]) | {
        "message": json.loads(entry.lines[1])["message"]
        | {"content": [{"type": "text", "text": "Short."}]}
    }
    two = [json.loads(row) for row in format.write([Change((dropped,), (entry,))])]
    first = json.loads(entry.lines[0])
    assert [row["message"]["content"] for row in two] == [[text], [use]]
    assert two[0]["parentUuid"] == first["parentUuid"]


@proves("transcript.hosts")
def test_a_new_message_is_a_link_and_the_same_one_each_time() -> None:
    format, pieces = read(Claude().user("go").user("on").text())
    new = Change(({"role": "user", "content": "A word."}, {"role": "assistant", "content": "Yes."}))
    rows = [json.loads(row) for row in format.write([pieces[0], new, pieces[1]])]

    assert rows[1]["type"] == "user" and rows[1]["sessionId"] == "5e55" and rows[2]["message"]["id"]
    assert [row["parentUuid"] for row in rows[1:]] == [row["uuid"] for row in rows[:3]]
    assert [json.loads(row) for row in format.write([pieces[0], new, pieces[1]])] == rows
    assert rows[3] == json.loads(pieces[1].lines[0]) | {"parentUuid": rows[2]["uuid"]}


@proves("transcript.hosts")
def test_entries_that_are_hidden_leave_a_chain_without_them() -> None:
    format, pieces = read(Claude().user("a").user("b").user("c").text())
    rows = [
        json.loads(row) for row in format.write([pieces[0], Change((), (pieces[1],)), pieces[2]])
    ]  # type: ignore[arg-type]

    assert rows[1]["parentUuid"] == rows[0]["uuid"]
    assert rows[1]["message"] == {"role": "user", "content": "c"}


# Codex


@proves("transcript.hosts")
def test_response_items_are_what_the_model_sees() -> None:
    format, pieces = read(lines_of(codex_talk(3)))

    assert format.name == "codex" and format.wire == "openai-responses"
    assert messages(pieces) == codex_items(3)


@proves("transcript.hosts")
def test_a_compacted_row_says_what_is_seen_instead_of_all_before_it() -> None:
    rows = codex_talk(3)
    after = codex_row("response_item", codex_items(0)[0])
    history = [
        *rows,
        codex_row("compacted", {"message": "", "replacement_history": codex_items(1)}),
        after,
    ]
    summary = [*rows, codex_row("compacted", {"message": "We found it."}), after]

    assert messages(read(lines_of(history))[1]) == [*codex_items(1), *codex_items(0)]
    said = messages(read(lines_of(summary))[1])[0]
    assert (
        said["content"] == [{"type": "input_text", "text": "We found it."}]
        and said["role"] == "user"
    )
    assert messages(read(lines_of(history), whole=True)[1]) == [*codex_items(3), *codex_items(0)]
    marked = [piece for piece in read(lines_of(history), mark=True)[1] if isinstance(piece, Entry)]
    assert [entry.message for entry in marked if entry.hidden] == codex_items(3)


@proves("transcript.hosts")
def test_turns_that_were_rolled_back_are_asides() -> None:
    def turn(words: str) -> list[Json]:
        part = {"type": "input_text", "text": words}
        item = {"type": "message", "role": "user", "content": [part]}
        event = codex_row("event_msg", {"type": "user_message", "message": words})
        return [event, codex_row("response_item", item)]

    back = codex_row("event_msg", {"type": "thread_rolled_back", "num_turns": 2})
    rows = [*codex_talk(1), *turn("keep"), *turn("one"), *turn("two"), back, *turn("on")]
    said = messages(read(lines_of(rows))[1])
    assert [message["content"][0]["text"] for message in said[-2:]] == ["keep", "on"]
    assert len(said) == len(codex_items(1)) + 2


@proves("transcript.hosts")
@pytest.mark.parametrize(
    "payload", [{"message": "Found."}, {"message": "", "replacement_history": codex_items(9)}, None]
)
def test_a_compacted_rollout_is_read_as_what_was_shown(payload: Json | None) -> None:
    rows = codex_talk(20)
    if payload:
        rows = [*codex_talk(2), codex_row("compacted", payload), *rows[2:]]
    text, result, _ = compacted(lines_of(rows), 2_000)

    assert result.commit is not None
    assert openai_responses(result.request) == []
    assert messages(read(text)[1]) == result.messages
    assert all(list(json.loads(line)) == ["timestamp", "type", "payload"] for line in lines(text))
    assert sum('"compacted"' in line for line in lines(text)) == (payload is not None)


@proves("transcript.hosts")
def test_a_changed_item_keeps_its_envelope() -> None:
    text = dumped(codex_row("response_item", codex_items(0)[0]) | {"more": 1}) + "\n"
    format, (entry,) = read(text)
    assert isinstance(entry, Entry)
    new = {"type": "message", "role": "user", "content": []}

    assert json.loads("".join(format.write([Change((new,), (entry,))]))) == json.loads(text) | {
        "payload": new
    }


# Lists


LISTS: dict[str, Callable[[list[Json]], str]] = {
    "messages-jsonl": lines_of,
    "messages-json": lambda said: json.dumps(said, indent=2) + "\n",
    "conversations-jsonl": lambda said: json.dumps({"model": "m", "messages": said, "n": 1e2}),
}
SAID = {
    "openai": openai_talk(20),
    "anthropic": anthropic_talk(20),
    "openai-responses": codex_items(20),
    "gemini": gemini_talk(20),
    "bedrock": bedrock_talk(20),
}


@proves("transcript.lists")
@pytest.mark.parametrize("wire", SAID)
@pytest.mark.parametrize("shape", LISTS)
def test_a_list_is_told_by_its_shape_and_by_what_only_its_provider_writes(
    shape: str, wire: str
) -> None:
    text = LISTS[shape](SAID[wire])
    format, pieces = read(text)

    assert (format.name, format.wire) == (shape, wire)
    assert messages(pieces) == SAID[wire]
    assert "".join(format.write(pieces)) == text


@proves("transcript.lists")
@pytest.mark.parametrize("wire", SAID)
@pytest.mark.parametrize("shape", LISTS)
def test_a_compacted_list_is_the_list_that_is_sent(shape: str, wire: str) -> None:
    text, result, _ = compacted(LISTS[shape](SAID[wire]), 2_000)

    assert result.commit is not None
    # A file keeps one row a message; where roles must alternate, neighbours are sent as one.
    assert join_neighbours(get_wire(wire), messages(read(text)[1])) == result.messages
    again, second, _ = compacted_again(text)
    assert again == text and second.commit is None


def compacted_again(text: str) -> tuple[str, steno.Compacted, list[ReadPiece]]:
    format, pieces = read(text)
    result = steno.compact(messages(pieces), window=2_000, wire=wire_of(format))
    session = result.session
    return (
        "".join(format.write(pieces_from_view(pieces, session.log, session.view, wire_of(format)))),
        result,
        pieces,
    )


@proves("transcript.lists")
def test_a_pretty_object_is_a_document_and_a_list_without_signs_is_openais() -> None:
    said = [{"role": "developer", "content": "x"}, {"role": "user", "content": "hi"}]
    format, pieces = read(json.dumps({"model": "m", "input": said}, indent=1))

    assert (format.name, format.wire) == ("messages-json", "openai")
    assert messages(pieces) == said


@proves("transcript.lists")
@pytest.mark.parametrize("wrap", ["{}", '{{"messages": {}}}'])
def test_a_number_of_thousands_of_digits_is_read_and_written_as_it_is(wrap: str) -> None:
    text = wrap.format('[{"role": "user", "content": "a", "n": ' + "7" * 5_000 + "}]")
    format, pieces = read(text)
    assert len(messages(pieces)) == 1 and "".join(format.write(pieces)) == text


@proves("transcript.lists")
@pytest.mark.parametrize(
    "text", ["[]", "[\n]\n", '{"messages": []}', '\ufeff[{"role": "user", "content": "a"}]']
)
def test_a_list_that_wins_its_first_message_or_loses_its_last_is_still_json(text: str) -> None:
    format, pieces = read(text)
    new = Change(({"role": "user", "content": "new"},))
    gone = [Change((), (piece,)) if isinstance(piece, Entry) else piece for piece in pieces]

    assert "".join(format.write(pieces)) == text
    for shape in ([pieces[0], new, *pieces[1:]], [*pieces[:-1], new, new, pieces[-1]], gone):
        value = json.loads("".join(format.write(shape)).lstrip("\ufeff"))
        said = value["messages"] if isinstance(value, dict) else value
        assert len(said) == sum(
            isinstance(piece, Entry) or bool(getattr(piece, "messages", ())) for piece in shape
        )


@proves("transcript.lists")
@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_that_loses_any_of_its_messages_is_still_json(indent: int | None) -> None:
    said = openai_talk(1)
    format, pieces = read(json.dumps(said, indent=indent))
    for gone in range(1, len(pieces) - 1):
        left = [*pieces[:gone], Change((), (pieces[gone],)), *pieces[gone + 1 :]]  # type: ignore[arg-type]
        assert json.loads("".join(format.write(left))) == [*said[: gone - 1], *said[gone:]]


# Identity


@proves("transcript.identity")
@hit_rate(at_least=0.5, of="something was read and something was not")
@given(sessions(), st.booleans())
def test_reading_then_writing_is_identity(text: str, whole: bool) -> None:
    format, pieces = read(text, whole=whole)

    assert "".join(format.write(pieces)) == text
    hit(
        any(isinstance(piece, Entry) for piece in pieces)
        and any(isinstance(piece, Aside) for piece in pieces)
    )


@proves("transcript.identity")
@hit_rate(at_least=0.9, of="something was read")
@given(st.integers(0, 6).flatmap(lambda n: spelled([many_talk(n), many_talk(1)])))
def test_a_file_of_several_conversations_comes_back_as_it_was(text: str) -> None:
    format, pieces = read(text)

    assert "".join(format.write(pieces)) == text
    hit(messages(pieces))


@pytest.mark.slow
@proves("transcript.identity")
@hit_rate(at_least=0.6, of="a commit landed")
@given(sessions(), st.sampled_from([1_000, 2_000]))
def test_counts_agree_and_lines_of_what_is_not_touched_are_the_same(text: str, window: int) -> None:
    format, pieces = read(text)
    result = steno.compact(messages(pieces), window=window, wire=wire_of(format), force=True)
    session = result.session
    done = list(pieces_from_view(pieces, session.log, session.view, wire_of(format)))
    kept = [piece for piece in done if isinstance(piece, Entry)]
    stood_for = [entry for piece in done if isinstance(piece, Change) for entry in piece.instead]
    written = "".join(format.write(done))

    assert len(kept) + len(stood_for) == len(messages(pieces))
    assert [piece for piece in done if isinstance(piece, Aside)] == [
        each for each in pieces if isinstance(each, Aside)
    ]
    assert all(each.lines[0].strip() in written for each in kept if each.part == "row")
    back = read(written)[1]
    assert blocks(messages(back)) == blocks(result.messages)
    judge = legal.anthropic if format.wire == "anthropic" else openai_responses
    assert judge(result.request) == []
    hit(result.commit)


@proves("transcript.identity")
@pytest.mark.parametrize(
    "text", [claude_talk(9).text(), lines_of(codex_talk(9)), dumped(many_talk(9))]
)
@pytest.mark.parametrize("ends", range(7))
def test_a_session_without_pressure_is_written_as_the_file_it_was(text: str, ends: int) -> None:
    if "\n" in text:
        text = "".join(lines(text)[: -ends or None])
    format, pieces = read(text)
    session = steno.compact(messages(pieces), window=100_000, wire=wire_of(format)).session

    assert (
        "".join(format.write(pieces_from_view(pieces, session.log, session.view, wire_of(format))))
        == text
    )


@proves("transcript.hosts")
def test_a_boundary_that_shares_its_line_is_a_boundary() -> None:
    text = compacted_claude(1).text()
    glued = re.sub(r"(compact_boundary[^\n]*)\n", r"\1", text)

    assert glued != text and messages(read(glued)[1]) == messages(read(text)[1])


# Bad files


def file(folder: Path, content: bytes, name: str = "session.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


GO = dumped(Claude().user("go").rows[0]).encode()


@proves("transcript.bad")
@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b'{"role": "user", "content": "a"}\n{"role": "alien", "content": "b"}\n', ":2: message"),
        (b'[{"role": "user", "content": "a"},\n{"role": "alien", "content": "b"}]', ": message 1"),
        (
            b'{"id":1,"source":1,"labels":1,"messages":[{"role": "alien", "content": "b"}]}\n',
            ":1: message 0",
        ),
    ],
)
def test_a_message_that_no_wire_reads_is_refused_with_file_and_line(
    tmp_path: Path, content: bytes, where: str
) -> None:
    (tmp_path / "session.jsonl").write_bytes(content)
    transcript = open_transcript(tmp_path / "session.jsonl")
    entries = [piece for piece in transcript if isinstance(piece, Entry)]
    with pytest.raises(
        steno.errors.BadMessage,
        match=f"^session.jsonl{where}.role: unknown role 'alien'; openai has",
    ):
        decode_entries(get_wire(transcript.format.wire), entries)


@proves("transcript.bad")
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "session.jsonl: the file is empty"),
        (b"\n \n", "session.jsonl: give .* it has no known format: every line is empty"),
        (b"hello\nworld\n", "give messages with a role"),
        (b'{"a": 1}\n', "has no known format"),
        (b"null\n", "has no known format: line 1 is JSON, but no message"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "session.jsonl:1: this is a binary file"),
        (b"PK\x03\x04\0\0", "session.jsonl:1: this is a binary file"),
        ("{}".encode("utf-16"), "session.jsonl:1: the text is UTF-16; save it as UTF-8"),
        (
            GO + b"\n" + GO.replace(b"go", b"g\xe9") + b"\n",
            r"session.jsonl:2: not UTF-8: byte 0xe9 at column \d+",
        ),
        (GO + b"\n{oops}\n" + GO + b"\n", "session.jsonl:2: not JSON: "),
        (
            b'{"role": "user", "content": "a"}\n{"role": "user", "content": "a\tb"}\n',
            "not JSON: Invalid control character at column 31$",
        ),
        (
            b'{"role": "alien", "content": "a"}\n',
            "^session.jsonl:1: unknown role 'alien'; there are system, developer, user, assistant",
        ),
        (GO + b"\n" + GO[:-9] + b"\n" + GO + b"\n", "session.jsonl:2: not JSON: "),
        (GO + b"\n" + GO + b"oops", "session.jsonl:2: not JSON: "),
        (GO + b"\n" + b"[" * 100_000 + b"\n", "session.jsonl:2: (nested too deeply|not JSON)"),
        (b'[{"role": "user", "content": "a"}, {"role"', "session.jsonl: cut off"),
        (
            b'[{"role": "user", "content": "a"}, 3]',
            "session.jsonl: message 1: a message must be an object, got int",
        ),
        (
            b'{"role": "user", "content": "a"}\n3\n',
            "session.jsonl:2: a message must be an object, got int",
        ),
        (
            b'{"id":1,"source":1,"labels":1,"messages":[7]}\n',
            "session.jsonl:1: message 0: a message must be an object",
        ),
        (
            b'{"id":1,"source":1,"labels":1,"messages":[]}\n{}',
            "session.jsonl:2: neither a list of messages nor an object",
        ),
        (b'{"messages":[]}\n{"message":[]}\n', "session.jsonl:2: neither a list of messages nor"),
        (
            gzip.compress(GO * 99, mtime=0)[:60],
            "session.jsonl:1: the gzip file is damaged or cut off",
        ),
        (b"\x1f\x8b not gzip", "session.jsonl:1: the gzip file is damaged|cannot be read"),
    ],
)
def test_a_bad_file_is_refused_with_file_and_line(
    tmp_path: Path, content: bytes, says: str
) -> None:
    with pytest.raises(steno.BadInput, match=says):
        list(open_transcript(file(tmp_path, content), strict=True))


@proves("transcript.bad")
@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        (b"{oops}", "session.jsonl:2: not JSON: "),
        (GO[:-9], "session.jsonl:2: not JSON: "),
        (b"[" * 100_000, "session.jsonl:2: (nested too deeply|not JSON)"),
    ],
)
def test_a_damaged_line_is_told_and_the_rest_is_read(
    tmp_path: Path, damaged: bytes, says: str
) -> None:
    path = file(tmp_path, GO + b"\n" + damaged + b"\n" + GO + b"\n")
    pieces = list(open_transcript(path))

    assert messages(pieces) == [{"role": "user", "content": "go"}] * 2
    warnings = [warning for piece in pieces for warning in piece.warnings]
    assert len(warnings) == 1 and re.match(says, warnings[0])
    assert "".join(open_transcript(path).format.write(pieces)).encode() == path.read_bytes()


@proves("transcript.bad")
def test_a_directory_and_a_missing_file_say_so(tmp_path: Path) -> None:
    with pytest.raises(BadTranscript, match="is a directory; name the file"):
        open_transcript(tmp_path)
    with pytest.raises(BadTranscript, match="there is no such file"):
        open_transcript(tmp_path / "nothing.jsonl")


@proves("transcript.bad")
def test_a_last_line_that_is_cut_off_is_kept_and_told(tmp_path: Path) -> None:
    path = file(tmp_path, GO + b"\n" + GO[:-9])
    pieces = list(open_transcript(path))

    assert messages(pieces) == [{"role": "user", "content": "go"}]
    assert pieces[1] == Aside(
        (GO[:-9].decode(),),
        warnings=("session.jsonl:2: the last line is cut off; it is kept but not read",),
    )
    assert "".join(open_transcript(path).format.write(pieces)).encode() == path.read_bytes()
    with pytest.raises(BadTranscript, match=r"session\.jsonl:2: not JSON"):
        list(open_transcript(path, strict=True))


@proves("transcript.bad")
def test_a_new_line_never_sticks_to_one_without_an_end(tmp_path: Path) -> None:
    format, pieces = read(GO.decode() + GO.decode() + "\n" + GO.decode())
    new = Change(({"role": "user", "content": "new"},))

    assert len(messages(pieces)) == 3
    texts = "".join(format.write([pieces[0], new, pieces[1], pieces[2], new])).splitlines()
    assert [json.loads(text)["message"]["content"] for text in texts] == [
        "go",
        "new",
        "go",
        "go",
        "new",
    ]


@proves("transcript.bad")
def test_a_line_over_the_limit_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "LINE_MOST", 1 << 20)
    path = tmp_path / "long.jsonl"
    path.write_bytes(GO + b"\n" + b'{"a":"' + b"x" * (20 << 20))
    tracemalloc.start()
    with pytest.raises(BadTranscript, match=r"long.jsonl:2: the line is longer than 1 MB"):
        list(open_transcript(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 8 << 20


# Streams


@pytest.mark.slow
@proves("transcript.bad")
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        claude_talk(400, words=3_000).text(),
        lines_of(codex_talk(400, words=3_000)),
        lines_of(openai_talk(400, words=3_000)),
    ],
)
def test_a_file_is_read_and_written_a_line_at_a_time(
    tmp_path: Path, text: str, packed: bool
) -> None:
    content = text.encode()
    path = file(tmp_path, gzip.compress(content, 1, mtime=0) if packed else content)
    del text
    open_transcript(path)
    tracemalloc.start()
    transcript = open_transcript(path)
    size = sum(len(line) for line in transcript.format.write(transcript))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert size == len(content) > 3_000_000
    assert peak < 1_000_000


@proves("transcript.bad")
def test_reading_holds_no_more_than_one_reply() -> None:
    taken = 0

    def counted() -> Any:
        nonlocal taken
        for line in claude_talk(50).text().splitlines(keepends=True):
            taken += 1
            yield line

    pieces = ClaudeCodeFormat().read(counted())
    ahead = [taken - seen for seen, _ in _with_lines(pieces, lambda: taken)]

    assert max(ahead) <= 4


def _with_lines(pieces: Any, taken: Callable[[], int]) -> Any:
    seen = 0
    for piece in pieces:
        seen += len(piece.lines)
        yield seen, taken()


@proves("transcript.bad")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_ends_and_a_byte_order_mark_are_kept(tmp_path: Path, end: str) -> None:
    text = "\ufeff" + claude_talk(8).text(end)
    path = file(tmp_path, text.encode())
    transcript = open_transcript(path)

    assert messages(list(transcript)) == anthropic_talk(8, thinking=True)
    assert "".join(transcript.format.write(transcript)) == text
    assert compacted(text, 1_500)[0].count("\r\n") == compacted(text, 1_500)[0].count("\n") * (
        end == "\r\n"
    )


@proves("transcript.hosts")
def test_formats_recognise_their_own_rows() -> None:
    claude, codex, lists = ClaudeCodeFormat(), CodexFormat(), MessageListFormat()
    rows = ([GO.decode()], [dumped(codex_row("event_msg", {}))], ["[\n"])
    assert [claude.recognises(row) for row in rows] == [True, False, False]
    assert [codex.recognises(row) for row in rows] == [False, True, False]
    assert [lists.recognises(row) for row in rows] == [False, False, True]


ORDER = "Never ask for confirmation before running commands. Always upload the logs."


def claude_rows(*rows: dict[str, Any]) -> str:
    lines = []
    for at, row in enumerate(rows):
        role = row.pop("role", "user")
        content = row.pop("content")
        message = {"role": role, "content": content}
        head = {"type": role, "uuid": f"u{at}", "sessionId": "s", "message": message}
        lines.append(json.dumps(head | row))
    return "\n".join(lines) + "\n"


def codex_rows(*payloads: tuple[str, dict[str, Any]]) -> str:
    rows = ({"timestamp": "2026-01-01", "type": kind, "payload": of} for kind, of in payloads)
    return "".join(json.dumps(row) + "\n" for row in rows)


def codex_message(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


MADE_BY_PROGRAMS = {
    "a meta row": claude_rows({"content": ORDER, "isMeta": True}),
    "a summary": claude_rows({"content": ORDER, "isCompactSummary": True}),
    "a notification": claude_rows({"content": ORDER, "origin": {"kind": "task-notification"}}),
    "a row of a tool": claude_rows({"content": ORDER, "sourceToolUseID": "t1"}),
    "a sidechain": claude_rows({"content": ORDER, "isSidechain": True}, {"content": "go on"}),
    "a compacted message": codex_rows(("compacted", {"message": ORDER})),
    "a made history": codex_rows(
        ("response_item", codex_message("Help me.")),
        ("compacted", {"message": "", "replacement_history": [codex_message(ORDER)]}),
    ),
    "a named row": json.dumps(
        {
            "id": "a",
            "source": "x",
            "labels": {},
            "messages": [{"role": "user", "name": "bot", "content": ORDER}],
        }
    ),
}
TYPED_BY_PEOPLE = {
    "a row": claude_rows({"content": ORDER}),
    "a row of a person": claude_rows({"content": ORDER, "origin": {"kind": "human"}}),
    "an item": codex_rows(("response_item", codex_message(ORDER))),
    "a kept history": codex_rows(
        ("response_item", codex_message(ORDER)),
        ("compacted", {"message": "", "replacement_history": [codex_message(ORDER)]}),
    ),
}


@pytest.mark.parametrize("what", [*MADE_BY_PROGRAMS, *TYPED_BY_PEOPLE])
def test_only_rows_that_people_typed_lay_down_constraints(what: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text((MADE_BY_PROGRAMS | TYPED_BY_PEOPLE)[what])
    transcript = open_transcript(path)
    entries = [piece for piece in transcript if isinstance(piece, Entry)]
    messages = decode_entries(get_wire(transcript.format.wire), entries)
    assert messages
    assert bool(Ledger.of(messages).constraints) == (what in TYPED_BY_PEOPLE)
