"""Requests that providers really accepted, lived through in small windows.

    python -m bench accepted CASSETTES [--windows 2000,8000,32000] [--limit N] [--billed]

CASSETTES is a folder of VCR cassettes (YAML), for instance `tests` of pydantic-ai. Without
pressure each request must go out text for text. Then its messages come one after another
into a session with a small window; every view must pass the SDK's own types, where the
request itself does, and the rules of our judges. Prints counts; the exit code is the number
of failures, 0 if there are none. Needs PyYAML, and the SDKs of the `test` extra.
"""

from __future__ import annotations

import json
import re
import typing
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from bench.ground import arguments
from steno import Session
from steno.core.errors import DoesNotFit, StenoError
from steno.providers import get_wire, json_text
from tests.support import legal, legal_responses
from tests.support.converse_server import bedrock_problems, gemini_problems

Json = dict[str, Any]
PATHS = (
    (re.compile(r"/chat/completions$"), "openai", "messages"),
    (re.compile(r"/v1/messages$"), "anthropic", "messages"),
    (re.compile(r"/responses$"), "openai-responses", "input"),
    (re.compile(r":(streamG|g)enerateContent$"), "gemini", "contents"),
    (re.compile(r"/converse(-stream)?$"), "bedrock", "messages"),
)
PAST_ELSEWHERE = ("previous_response_id", "conversation", "cachedContent")
"""Keys of requests whose past the provider holds: they go out as they are."""

REFUSED_FOR = (
    (r"model_not_found|not_found_error|identifier is invalid|NOT_FOUND", "the model's name"),
    (r"effort level|Web search options|Invalid 'temperature'", "an option of the request"),
    ("tool_use_failed", "what the model wrote"),
    ("rate-limited", "the rate"),
    ("Cannot fetch content", "a file that its host does not give away"),
)


@dataclass(frozen=True)
class Recorded:
    """One request of a cassette, and what came back."""

    name: str
    wire: str
    key: str
    model: str
    body: Json
    status: int
    reply: Any

    @property
    def messages(self) -> list[Json]:
        return self.body[self.key]


def read_requests(folder: Path) -> Iterator[Recorded]:
    """Yield the requests of all cassettes that carry a conversation."""
    for path in sorted(folder.rglob("*.yaml")):
        try:
            cassette = yaml.load(path.read_bytes(), yaml.CSafeLoader)
        except yaml.YAMLError:
            continue
        for interaction in (cassette or {}).get("interactions") or ():
            found = _read_interaction(path.stem, interaction)
            if found is not None:
                yield found


def _read_interaction(name: str, interaction: Json) -> Recorded | None:
    request, response = interaction.get("request") or {}, interaction.get("response") or {}
    address = str(request.get("uri") or "").partition("?")[0]
    for pattern, wire, key in PATHS:
        body = _body(request)
        if not pattern.search(address) or not isinstance(body, dict):
            continue
        if not isinstance(body.get(key), list) or any(body.get(key) for key in PAST_ELSEWHERE):
            return None
        status = int((response.get("status") or {}).get("code") or 0)
        model = str(body.get("model") or unquote(_model_in(address)))
        return Recorded(name, wire, key, model, body, status, _body(response))
    return None


def _model_in(address: str) -> str:
    # With its publisher on Vertex AI, which bills differently.
    found = re.search(r"((?:publishers/google/models/)?[^/:]+)(?::[a-zA-Z]+|/converse.*)$", address)
    return found[1] if found else ""


def _body(part: Json) -> Any:
    if "parsed_body" in part:
        return part["parsed_body"]
    body = part.get("body")
    if isinstance(body, dict):
        body = body.get("string")
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    try:
        return json.loads(body or "")
    except (TypeError, ValueError):
        return body


def make_oracles() -> dict[str, Callable[[list[Json]], None]]:
    """Return for each wire what raises if the SDK's own types do not take a list."""
    import botocore.session
    from anthropic.types.beta import BetaMessageParam
    from botocore.validate import ParamValidator
    from google.genai import types
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.responses import ResponseInputItemParam
    from pydantic import TypeAdapter

    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    shape = service.operation_model("Converse").input_shape.members["messages"]

    def bedrock(messages: list[Json]) -> None:
        report = ParamValidator().validate(messages, shape)
        if report.has_errors():
            raise ValueError(report.generate_report())

    def adapted(kind: Any) -> Callable[[list[Json]], None]:
        adapter = TypeAdapter(typing.List[kind])  # noqa: UP006 — the type is a value here
        return lambda messages: _exhaust(adapter.validate_python(messages))

    return {
        "openai": adapted(ChatCompletionMessageParam),
        "anthropic": adapted(BetaMessageParam),
        "openai-responses": adapted(ResponseInputItemParam),
        "gemini": lambda messages: [types.Content.model_validate(each) for each in messages],
        "bedrock": bedrock,
    }


def _exhaust(value: Any) -> Any:
    """Read what the SDK's types validate only when it is read."""
    if isinstance(value, dict):
        return {key: _exhaust(inner) for key, inner in value.items()}
    if isinstance(value, str | bytes | int | float | bool) or value is None:
        return value
    return [_exhaust(inner) for inner in value]


JUDGES: dict[str, Callable[[Json], typing.Iterable[str]]] = {
    "openai": legal.openai_chat,
    "anthropic": legal.anthropic,
    "openai-responses": legal_responses.openai_responses,
    "gemini": gemini_problems,
    "bedrock": bedrock_problems,
}


def passes(check: Callable[[], Any]) -> str | None:
    """Return why a check fails, or None."""
    try:
        check()
    except Exception as problem:  # noqa: BLE001 — an oracle's failure is a value here
        return f"{type(problem).__name__}: {str(problem)[:300]}"
    return None


def live_through(recorded: Recorded, window: int, oracle: Callable[[list[Json]], Any]) -> list[str]:
    """Return what was wrong with the views of a session that these messages came into."""
    judge = JUDGES[recorded.wire]

    def judged(messages: list[Json]) -> list[str]:
        return list(judge({recorded.key: json.loads(json_text(messages))}))

    types_pass = passes(lambda: oracle(recorded.messages)) is None
    wrong = []
    wire = get_wire(recorded.wire).for_model(recorded.model)
    with Session(wire=wire, window=window) as session:
        for at, message in enumerate(recorded.messages):
            session.add(message)
            # Between a call and its result nothing is sent.
            if session._parts.journal.has_open_call:
                continue
            shown = session.messages()
            said = recorded.messages[: at + 1]
            new = set(judged(shown)) if not judged(said) else set()
            wrong += [f"rule: {problem}" for problem in sorted(new)]
            if types_pass and (why := passes(lambda shown=shown: oracle(shown))):
                wrong.append(f"type: {why}")
    return wrong


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("cassettes", type=Path)
    parser.add_argument("--windows", default="2000,8000,32000")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--billed", action="store_true", help="compare counts with bills instead")
    given = parser.parse_args()
    if given.billed:
        # Here, because it reads the requests as this module does.
        from bench.billed import print_errors

        print_errors(given.cassettes)
        return 0
    counts: Counter[str] = Counter()
    failures: list[str] = []
    oracles = make_oracles()
    for at, recorded in enumerate(read_requests(given.cassettes)):
        if recorded.status != 200:
            counts[f"{recorded.wire} refused"] += 1
            if problems := _problems(recorded):
                counts[f"{recorded.wire} refused, and a rule knows why"] += 1
                print(f"{recorded.name}: refused, and a rule knows why: {problems[0]}")
                continue
            about = _refused_for(recorded)
            counts[f"refused, not for the list but for {about}"] += 1
            continue
        if given.limit is not None and at >= given.limit:
            break
        counts[f"{recorded.wire} accepted"] += 1
        counts[f"{recorded.wire} accepted, and a rule is against it"] += bool(_problems(recorded))
        try:
            if not _is_unchanged(recorded):
                failures.append(f"{recorded.name}: not text for text")
            for window in map(int, given.windows.split(",")):
                wrong = live_through(recorded, window, oracles[recorded.wire])
                place = f"{recorded.name} {recorded.wire} at {window}"
                failures += [f"{place}: {each}" for each in wrong]
                counts[f"{recorded.wire} views at {window}"] += len(recorded.messages)
        except DoesNotFit:
            # The system prompt alone is larger than the window, and that was told.
            counts[f"{recorded.wire} told as too large"] += 1
        except StenoError as error:
            failures.append(f"{recorded.name} {recorded.wire}: {type(error).__name__} {error}")
    for name, count in sorted(counts.items()):
        print(f"{name:32} {count:6}")
    for failure in failures[:40]:
        print(failure)
    print(f"{len(failures)} failures")
    return min(len(failures), 255)


def _refused_for(recorded: Recorded) -> str:
    """Return what a refusal is about that no rule of a list can know."""
    said = json.dumps(recorded.reply)
    for written, about in REFUSED_FOR:
        if re.search(written, said):
            return about
    return "an unknown reason"


def _problems(recorded: Recorded) -> list[str]:
    """Return what our rules find wrong with a request as it was sent."""
    problems = list(JUDGES[recorded.wire](recorded.body))
    problems += legal.the_model_takes_it(recorded.wire, recorded.model, recorded.messages)
    if recorded.wire == "openai-responses":
        problems += legal_responses.reasoning_led_to_what_follows(recorded.messages)
        problems += legal_responses.calls_are_answered_before_words(
            recorded.model, recorded.messages
        )
    return problems


def _is_unchanged(recorded: Recorded) -> bool:
    with Session(wire=recorded.wire, model=recorded.model, window=10_000_000) as session:
        session.add(*recorded.messages)
        return json_text(session.request()[recorded.key]) == json_text(recorded.messages)
