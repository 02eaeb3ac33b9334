"""A request's JSON body, in pieces that keep the bytes they came in.

A proxy must not change what it does not have to. The body is cut into its fields, and
the conversation into its messages; each stays as it was written. A view replaces single
pieces, and the rest goes upstream byte for byte, with fields that are unknown here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from steno.adapters.resent.incoming import SdkFormat, without_cache_marks
from steno.core.errors import BadInput
from steno.core.repair import encodable_text
from steno.providers import json_text, parse_json
from steno.providers.shared.plain_json import get_field

LIST_KEYS = ("messages", "input", "contents")
"""Fields that hold the conversation, by API."""


def _field(key: str) -> Any:
    """Return a property that reads a field of a message; None if it has none of that name."""
    return property(lambda piece: get_field(piece.plain, key))


class JsonPiece:
    """One message of a request, as the bytes that came."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    @cached_property
    def plain(self) -> Any:
        return parse_json(self.raw.decode())

    role = _field("role")
    content = _field("content")
    text = _field("text")
    tools = _field("tools")


class RequestBody(Mapping[str, Any]):
    """The fields of a JSON object; messages are pieces, other fields are read when asked for."""

    def __init__(self, raw: bytes) -> None:
        """Read a body; raise BadInput if it is no JSON object."""
        try:
            raw.decode()
            try:
                self._fields = _fields_of(raw)
            except msgspec.MsgspecError:
                # Half of a surrogate pair: no provider accepts it, and the session repairs it too.
                raw = encodable_text(json.dumps(json.loads(raw), ensure_ascii=False)).encode()
                self._fields = _fields_of(raw)
        except (ValueError, msgspec.MsgspecError, RecursionError):
            raise BadInput("the body is not a JSON object that can be read") from None
        self.raw = raw

    def __getitem__(self, key: str) -> Any:
        if key in LIST_KEYS and bytes(self._fields[key])[:1] == b"[":
            return self.pieces(key)
        return self.plain(key)

    def plain(self, key: str) -> Any:
        """Return the value of a field."""
        return parse_json(bytes(self._fields[key]).decode())

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def pieces(self, key: str) -> list[JsonPiece]:
        """Return what a list of this name holds; nothing if there is no list."""
        raw = bytes(self._fields.get(key, b""))
        if raw[:1] != b"[":
            return []
        try:
            split = msgspec.json.decode(raw, type=list[msgspec.Raw])
        except msgspec.MsgspecError:
            raise BadInput("the list of messages is not JSON") from None
        return [JsonPiece(bytes(one)) for one in split]

    def with_lists(self, lists: Mapping[str, Any], dropped: Sequence[str] = ()) -> bytes:
        """Return the body with these lists, or other values, in its fields; the rest as it came.

        Fields of the names `dropped` are left out.
        """
        kept = {key: raw for key, raw in self._fields.items() if key not in dropped}
        changed = {}
        for key, pieces in lists.items():
            if not isinstance(pieces, list):
                changed[key] = msgspec.Raw(piece_text(pieces))
                continue
            texts = (piece_text(piece) for piece in pieces)
            changed[key] = msgspec.Raw(b"[" + b",".join(texts) + b"]")
        return msgspec.json.encode({**kept, **changed})


def _fields_of(raw: bytes) -> dict[str, msgspec.Raw]:
    return msgspec.json.decode(raw, type=dict[str, msgspec.Raw])


def piece_text(piece: Any) -> bytes:
    """Return the JSON text of a message: the bytes that came, or new ones for a new message."""
    if isinstance(piece, JsonPiece):
        return piece.raw
    return json_text(piece).encode()


class PieceFormat(SdkFormat):
    """Messages as pieces of a body."""

    def to_text(self, message: Any, where: str) -> bytes:
        return piece_text(message)

    def to_object(self, value: Any, original: Any | None) -> JsonPiece:
        if original is None:
            value = without_cache_marks(value)
        return JsonPiece(json_text(value).encode())
