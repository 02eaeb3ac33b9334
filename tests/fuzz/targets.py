"""What is fuzzed: one function for each kind of input that Steno reads from outside.

A target takes bytes. It may refuse them with an error of Steno's; anything else that is raised
is a finding. What it accepts must keep the promise that its docstring names.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import steno
from steno.adapters.mcp import McpSessions
from steno.cli.source import is_store, load_conversation
from steno.core.model import Delta, FinishedTurn
from steno.engine.policy import _toml_value
from steno.gateway.admission import Gate
from steno.gateway.calls import GatewayCalls
from steno.gateway.client import _read_piece
from steno.gateway.v1 import messages as gateway_messages
from steno.providers import get_wire
from steno.redact import Redactor
from steno.session.agent_tools.definitions import TOOL_ARGUMENTS
from steno.session.settings import StoredSettings
from steno.store.sqlite import SQLiteStore
from steno.transcripts import decode_entries, open_transcript
from steno.transcripts.format import Entry
from tests.support import legal, legal_responses
from tests.support.sample_messages import openai_talk
from tests.support.word_meter import WORDS

WINDOW = 4_000
SEARCH_SECONDS = 0.05
SEARCH_ARGUMENTS = {
    "query",
    "mode",
    "kind",
    "role",
    "tool",
    "path",
    "since",
    "until",
    "where",
    "most",
}
HOSTILE_TEXT = "a" * 5_000 + "!\n" + "(" * 500 + "\u202e\ufeff é e\u0301 ß 😀\x00 " + "0" * 4_000
SECRET = "ghp_" + "w0rd5T4k3nF0rT35t1ngPurp0s3sOnly12"[:36].ljust(36, "7")
SHAPE = re.compile(
    "no result directly|no tool_result in the next|no output for|no call before|second result|"
    "was used|not by the user|after other content|lone surrogate|"
    "ends in thinking"
)
"""Problems that a view may not have, whatever was added. What a single field may hold is the
caller's: Steno passes it on, word for word."""
LEGAL: dict[str, Callable[..., list[str]]] = {
    "openai": legal.openai_chat,
    "anthropic": legal.anthropic,
    "openai-responses": legal_responses.openai_responses,
    "langchain": lambda request: [],
}


class Refused(Exception):
    """The input was refused with an error of Steno's."""


def assert_legal(wire: str, request: Any) -> None:
    found = [problem for problem in LEGAL[wire](request) if SHAPE.search(problem)]
    # Calls that the provider's server runs are opaque to Steno.
    problems = [problem for problem in found if "srvtoolu" not in problem]
    assert not problems, problems


def fuzz_wires(data: bytes) -> None:
    """Whatever was added, every view is legal for its provider, before and after a compaction."""
    given = as_json(data)
    if not isinstance(given, dict) or not isinstance(given.get("messages"), list):
        raise Refused
    wire = str(given.get("wire"))
    if wire not in LEGAL:
        raise Refused
    session = steno.Session(wire=wire, window=WINDOW, meter=WORDS)
    session.add(*given["messages"])
    assert_legal(wire, session.request())
    session.compact()
    assert_legal(wire, session.request())


def fuzz_transcripts(data: bytes) -> None:
    """A file that is read is written back to the byte, and its conversation compacts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        if not is_store(path):
            loaded = load_conversation(path, None, StoredSettings(window=WINDOW))
            session = steno.Session(log=loaded.log, wire=loaded.wire, window=WINDOW)
            session.compact()
        transcript = open_transcript(path)
        text = "".join(transcript.format.write(transcript))
        assert text.encode("utf-8", "surrogatepass") == data
        entries = [piece for piece in transcript if isinstance(piece, Entry)]
        decode_entries(get_wire(transcript.format.wire), entries)


def fuzz_fences(data: bytes) -> None:
    """Steno's own text, sent back changed: the list is legal, and settles."""
    messages = as_json(data)
    result = steno.compact(messages, window=WINDOW, wire="openai", meter=WORDS)
    assert_legal("openai", result.request)
    again = steno.compact(result.messages, window=WINDOW, wire="openai", meter=WORDS)
    assert_legal("openai", again.request)
    if again.session.pressure is steno.Pressure.NONE:
        settled = steno.compact(again.messages, window=WINDOW, wire="openai", meter=WORDS)
        assert settled.messages == again.messages


def fuzz_policies(data: bytes) -> None:
    """A policy that is read compacts a session, and is read again as it was written."""
    data = toml_of(data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.toml"
        path.write_bytes(data)
        policy = steno.Policy.read(path)
    assert steno.Policy.read(policy.write() or "\n") == policy
    session = steno.Session(wire="openai", window=WINDOW, policy=policy, meter=WORDS)
    session.add(*openai_talk(20))
    assert_legal("openai", session.request())


def toml_of(data: bytes) -> bytes:
    """Return an object of JSON as TOML, because JSON is changed by its structure."""
    try:
        fields = json.loads(data)
        return "\n".join(f"{key} = {_toml_value(fields[key])}" for key in fields).encode()
    except (ValueError, TypeError, RecursionError):
        return data


def fuzz_redaction(data: bytes) -> None:
    """A token on a line of its own is gone, whatever stands around it."""
    redactor = redacting()
    text = data.decode("utf-8", "replace")
    clean = redactor.text(f"{text}\n{SECRET}\n{text}")
    assert SECRET not in clean
    value = {"role": "tool", "content": f"{text}\n{SECRET}\n", "more": as_json_or_text(data)}
    assert SECRET not in repr(redactor.plain(value))
    assert SECRET not in repr(redactor.free(value))


@cache
def redacting() -> Redactor:
    return Redactor()


def fuzz_mcp(data: bytes) -> None:
    """A call is answered or refused; it changes no message of the store."""
    given = as_json(data)
    if not isinstance(given, dict) or str(given.get("tool")) not in TOOL_ARGUMENTS:
        raise Refused
    if not isinstance(given.get("arguments"), dict):
        raise Refused
    sessions, before = served_sessions()
    try:
        answer = sessions.answer(str(given["tool"]), given["arguments"])
        assert isinstance(answer, str)
        assert len(answer) < 50_000
    except UnicodeEncodeError as refusal:  # the server answers this too
        raise Refused from refusal
    finally:
        with steno.Session(served_path(), name="monday", user="ada") as session:
            assert session.open(f"0-{len(session.log.messages) - 1}") == before


@cache
def served_path() -> Path:
    path = Path(tempfile.mkdtemp()) / "agent.db"
    for name, user in (("monday", "ada"), ("tuesday", "ada"), ("other", "bob")):
        with steno.Session(path, name=name, wire="openai", window=8_000, user=user) as session:
            session.add(*openai_talk(3))
    return path


@cache
def served_sessions() -> tuple[McpSessions, list[Any]]:
    path = served_path()
    with steno.Session(path, name="monday", user="ada") as session:
        before = session.open(f"0-{len(session.log.messages) - 1}")
    served = McpSessions(
        lambda: SQLiteStore(path, durable=False), user="ada", agent_controlled=True
    )
    return served, before


def fuzz_recall(data: bytes) -> None:
    """A search is answered or refused in bounded time, and tells nothing of another user's."""
    given = as_json(data)
    if not isinstance(given, dict) or not given.keys() <= SEARCH_ARGUMENTS:
        raise Refused
    given = {**given, "seconds": SEARCH_SECONDS}
    try:
        found = searched_session().recall(**given)
    except TypeError:
        # Without a query Python itself refuses the call.
        assert "query" not in given
        raise Refused from None
    for hit in found.hits:
        assert hit.session in ("ada:monday", "ada:tuesday"), hit.session
        assert len(hit.snippet) < 5_000
    str(found)


@cache
def searched_session() -> steno.Session:
    store = SQLiteStore(served_path(), durable=False)
    session = steno.Session(store=store, name="monday", user="ada")
    session.add({"role": "user", "content": HOSTILE_TEXT})
    return session


class Aborted(Exception):
    """A call ended with a status."""


class Context:
    """What gRPC gives to a call."""

    def is_active(self) -> bool:
        return True

    def cancel(self) -> None:
        raise AssertionError("a call was cut off")

    def time_remaining(self) -> float | None:
        return None

    def invocation_metadata(self) -> None:
        return None

    def set_trailing_metadata(self, metadata: Any) -> None:
        for key, value in metadata:
            assert key.isascii() and value.isascii()

    def abort(self, code: Any, details: str) -> None:
        assert code.name in ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"), f"{code}: {details}"
        raise Aborted


def fuzz_gateway(data: bytes) -> None:
    """A request is answered or refused as invalid; a reply of any bytes is a turn."""
    from google.protobuf.message import DecodeError

    pb = gateway_messages()
    calls = GatewayCalls(steno.Script(lambda ask: "fine", window=WINDOW), {}, Gate(2, 2))
    try:
        request = pb.InferenceRequest.FromString(data)
        calls.inference(request, Context())
        list(calls.stream(request, Context()))
    except (DecodeError, Aborted) as refusal:
        raise Refused from refusal
    finally:
        try:
            last = pb.StreamInferenceResponse.FromString(data)
        except DecodeError:
            last = None
        if last is not None:
            for part in _read_piece(last, ["text"]):
                assert isinstance(part, Delta | FinishedTurn)


def fuzz_store(data: bytes) -> None:
    """A file with changed bytes reads as it was written, or is one clear error."""
    patches = as_json(data)
    if not isinstance(patches, list):
        raise Refused
    files, said = written_store()
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(patched(content, name, patches))
        for name, words in said.items():
            try:
                assert read_session(Path(folder) / "agent.db", name) == words, (
                    f"other words: {name}"
                )
            except steno.errors.StoreFailed as failure:
                assert "\n" not in str(failure)
                raise


def patched(content: bytes, name: str, patches: list[Any]) -> bytes:
    """Apply those of the patches, [file, where, bytes in hex], that can be."""
    changed = bytearray(content)
    for patch in patches:
        try:
            file, at, new = patch
            if file == name:
                at = int(at) % len(content)
                new = bytes.fromhex(new)
                if not new:
                    del changed[at:]
                changed[at : at + len(new)] = new
        except (TypeError, ValueError, OverflowError):
            raise Refused from None
    return bytes(changed)


def read_session(path: Path, name: str) -> Any:
    store = SQLiteStore(path, durable=False)
    try:
        info = store.session_info(name)
        with steno.Session(store=store, name=name, user=info.user) as session:
            shown = session.messages()
            count = len(session.log.messages)
            return session.open(f"0-{count - 1}"), shown, info.user, session.budget.window
    finally:
        store.close()


@cache
def written_store() -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the files of a store that was not closed, and what its sessions say."""
    folder = Path(tempfile.mkdtemp())
    path = folder / "agent.db"
    with steno.Session(path, name="first", wire="openai", window=WINDOW, user="ada") as session:
        session.add(*openai_talk(12))
        session.compact()
        session.fork(5, name="forked").close()
    store = SQLiteStore(path)
    with steno.Session(store=store, name="second", wire="openai", window=WINDOW) as session:
        session.add(*openai_talk(2))
        copies = {name: (folder / name).read_bytes() for name in ("agent.db", "agent.db-wal")}
    store.close()
    whole = Path(tempfile.mkdtemp())
    for name, content in copies.items():
        (whole / name).write_bytes(content)
    said = {}
    for name in ("ada:first", "ada:forked", "second"):
        said[name] = read_session(whole / "agent.db", name)
    shutil.rmtree(folder)
    shutil.rmtree(whole)
    return copies, said


def as_json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise Refused from None


def as_json_or_text(data: bytes) -> Any:
    try:
        return as_json(data)
    except Refused:
        return data.decode("utf-8", "replace")


TARGETS: dict[str, Callable[[bytes], None]] = {
    name.removeprefix("fuzz_"): target
    for name, target in list(globals().items())
    if name.startswith("fuzz_")
}


def try_target(name: str, data: bytes) -> bool:
    """Run a target; return whether it accepted the input."""
    try:
        TARGETS[name](data)
    except (Refused, steno.StenoError):
        return False
    return True
