"""A provider is one folder and one word in the registry; every consumer finds it there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import steno
from steno import providers
from steno.models import resolve_model
from steno.providers.meter import meter_for
from steno.providers.shared import errors

FOLDER = """
import re

from steno.core.message import Message, Text
from steno.core.meter import Overheads
from steno.core.seam import calls_keep_their_results
from steno.core.wire import ProviderRules
from steno.meters.family import ModelFamily
from steno.providers.openai_chat.meter import OPENAI_MEDIA
from steno.providers.provider import Provider
from steno.providers.shared.parts import encode_message

ROLES = {"person": "user", "bot": "assistant"}
OVERHEADS = Overheads(request=3, message=50, call=6, result=0, tools=50, tool=7)


class HarbourWire:
    name = "harbour"
    terms = ProviderRules(seams=(calls_keep_their_results,))

    def for_model(self, model):
        return self

    def decode(self, plain, raw, where):
        return Message(ROLES[plain["from"]], (Text(plain["note"]),), raw)

    def encode(self, message):
        return encode_message(
            message, lambda new: [{"from": "person", "note": new.text}], lambda old, new: old
        )

    def request(self, messages, system, tools):
        return {"notes": messages, "briefing": system}

    def tool(self, name, description, schema):
        return {"name": name}

    def signs(self, plain):
        return "key 'note'" if "note" in plain else None


class HarbourProvider(Provider):
    wire = HarbourWire()
    title = "Harbour"
    example_model = "harbour:tide-1"
    extra, sdk = "harbour", "harbour_sdk"
    whole_responses = (("sheet", "reply.sheet"),)
    families = (ModelFamily(re.compile("tide"), "qwen3", OVERHEADS, OPENAI_MEDIA),)
    refusals = (r"a sheet holds (?P<window>\\d+) words",)

    def open_model(self, name, window):
        import steno

        return steno.Script("Low tide.", name=name, window=window)


PROVIDER = HarbourProvider()
"""
NOTES = [{"from": "person", "note": f"Note {n}: " + "the tide is low. " * 40} for n in range(60)]


@pytest.fixture
def harbour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One folder among the providers', and its name in `FOLDERS`."""
    (tmp_path / "harbour").mkdir()
    (tmp_path / "harbour" / "__init__.py").write_text(FOLDER)
    monkeypatch.setattr(providers, "__path__", [*providers.__path__, str(tmp_path)])
    monkeypatch.setattr(providers, "FOLDERS", (*providers.FOLDERS, "harbour"))
    known, patterns = dict(providers.PROVIDERS), list(errors.overflow_patterns)
    providers.register(import_module("steno.providers.harbour").PROVIDER)
    yield
    providers.PROVIDERS.clear()
    providers.PROVIDERS.update(known)
    errors.overflow_patterns[:] = patterns
    del sys.modules["steno.providers.harbour"]


@pytest.mark.usefixtures("harbour")
def test_a_session_speaks_to_a_new_provider() -> None:
    session = steno.Session(wire="harbour", window=4_000, writer="harbour:tide-1")
    session.add(*NOTES)
    sent = session.request()["notes"]

    assert len(sent) < len(NOTES)
    assert sent[-1] == NOTES[-1]
    assert session.log.commits


@pytest.mark.usefixtures("harbour")
def test_every_consumer_of_the_registry_knows_a_new_provider() -> None:
    from steno.transcripts.lists import wire_name_of

    assert providers.detect_wire(NOTES).name == "harbour"
    assert wire_name_of(NOTES[0]) == "harbour"
    assert resolve_model("harbour:tide-1", window=7).window == 7
    assert meter_for("tide-1").overheads.message == 50
    with pytest.raises(steno.BadInput, match="harbour:tide-1"):
        resolve_model("nonsense")
    with pytest.raises(steno.BadInput, match=r"reply\.sheet"):
        providers.plain_list([{"sheet": 1}])


@pytest.mark.usefixtures("harbour")
def test_a_new_providers_refusal_is_an_overflow_that_names_its_window() -> None:
    class Refused(Exception):
        status_code = 400

    failure: Any = errors.classify_error(Refused("Sorry: a sheet holds 900 words."))
    assert (failure.kind, failure.window) == ("overflow", 900)


COMPATIBLE = """
from steno.providers.openai_chat.wire import OpenAIChatWire
from steno.providers.provider import Provider


class QuayWire(OpenAIChatWire):
    name = "quay"

    def signs(self, plain):
        return "key 'berth'" if "berth" in plain else None


class QuayProvider(Provider):
    wire = QuayWire()
    like = "openai"
    whole_responses = (("berths", "reply.berths[0]"),)
    refusals = (r"a quay holds (?P<window>\\d+) words",)


PROVIDER = QuayProvider()
"""
ERRAND = """
import steno
from steno.providers import detect_wire, plain_list
from steno.providers.shared.errors import classify_error

asked = {"role": "user", "content": "Is it low?", "berth": 3}
call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
called = {"role": "assistant", "content": None, "tool_calls": [call]}
assert detect_wire([asked, called]).name == "quay"
assert detect_wire([called]).name == "openai"
assert detect_wire([{"type": "reasoning"}, {"role": "developer"}]).name == "openai-responses"
session = steno.Session(wire="quay", window=4_000)
session.add(asked, called, {"role": "tool", "tool_call_id": "a", "content": "yes"})
assert session.request()["messages"][0] == asked
refused = {"reply.berths": {"berths": []}, "message": {"stopReason": "", "output": {}}}
for part, whole in refused.items():
    try:
        plain_list([whole])
    except steno.BadInput as error:
        assert part in str(error), error
assert classify_error(Exception("a quay holds 900 words")).window == 900
"""


@pytest.mark.slow
@pytest.mark.parametrize("place", ["first", "last"])
def test_a_provider_is_one_folder_and_one_word_wherever_it_stands(
    tmp_path: Path, place: str
) -> None:
    package = tmp_path / "steno"
    shutil.copytree(Path(steno.__file__).parent, package, ignore=shutil.ignore_patterns("*.pyc"))
    (package / "providers" / "quay").mkdir()
    (package / "providers" / "quay" / "__init__.py").write_text(COMPATIBLE)
    registry = package / "providers" / "__init__.py"
    text = registry.read_text()
    before, after = {"first": ('("openai_chat"', '("quay", "openai_chat"')}.get(
        place, ('"bedrock")', '"bedrock", "quay")')
    )
    assert text.count(before) == 1
    registry.write_text(text.replace(before, after))

    done = subprocess.run(
        [sys.executable, "-c", ERRAND],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_registered_providers_are_those_of_the_folders() -> None:
    names = {import_module(f"steno.providers.{name}").PROVIDER.name for name in providers.FOLDERS}
    assert names == set(providers.PROVIDERS)
