"""The contract of a wire: what reading and writing a provider's JSON must not change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from steno.core.errors import BadMessage
from steno.core.message import user_message
from steno.core.wire import Wire
from steno.providers import json_text, parse_json

Json = dict[str, Any]


def spellings(message: Json) -> list[str]:
    """Return texts that all mean the message, spelled as different clients would."""
    extra = json.dumps(message | {"x_exact": 0})
    return [
        json.dumps(message),
        json_text(message),
        # Number formats and spaces that are lost if a message is parsed and written again.
        json.dumps(message, indent=1).replace(" 1.5", " 15e-1"),
        json.dumps(dict(reversed(message.items())), separators=(" ,", " : ")),
        extra.replace('"x_exact": 0', '"x_exact": 1e2, "x_big": 1' + "0" * 30),
    ]


def check_identity(wire: Wire, raw: str) -> None:
    """Assert that a message that was not changed is written as the very text that came in."""
    message = wire.decode(json.loads(raw), raw, "messages[0]")
    assert wire.encode(message) == (raw,)


class WireContract:
    """Tests of a wire; subclass it, set `wire`, and list messages of the provider."""

    wire: Wire
    messages: Sequence[Json]
    """A legal conversation in the provider's JSON, with a call and its result if it has any."""
    not_messages: Sequence[Json] = ({}, {"role": "user", "content": 7})
    """Objects that the wire must refuse."""

    def test_an_unchanged_message_is_written_as_it_came(self) -> None:
        for message in self.messages:
            for raw in spellings(message):
                check_identity(self.wire, raw)

    def test_a_result_names_the_call_that_it_answers(self) -> None:
        calls: set[str | None] = set()
        for plain in self.messages:
            raw = json_text(plain)
            message = self.wire.decode(parse_json(raw), raw, "messages[0]")
            calls |= {call.id for call in message.calls}
            for result in message.results:
                assert result.call in calls

    def test_our_own_words_can_be_written_and_read_again(self) -> None:
        for raw in self.wire.encode(user_message("a summary", by="steno")):
            again = self.wire.decode(parse_json(raw), raw, "messages[0]")
            assert again.role == "user"
            assert again.text == "a summary"

    def test_a_message_that_is_none_is_an_error_with_its_place(self) -> None:
        for plain in self.not_messages:
            try:
                self.wire.decode(plain, json.dumps(plain), "messages[4]")
            except BadMessage as error:
                assert "messages[4]" in str(error)
            else:
                raise AssertionError(f"{plain!r} was read as a message")

    def test_a_request_and_a_tool_are_plain_json(self) -> None:
        schema = {"type": "object", "properties": {"path": {"type": "string"}}}
        tool = self.wire.tool("read_file", "Read a file.", schema)
        request = self.wire.request(list(self.messages), "Be brief.", [tool])

        assert "read_file" in json.dumps(tool)
        sent = json.dumps(request)
        assert "Be brief." in sent
        for message in self.messages:
            assert json.dumps(message) in sent

    def test_a_model_keeps_the_wires_name(self) -> None:
        assert self.wire.for_model("some-model").name == self.wire.name
