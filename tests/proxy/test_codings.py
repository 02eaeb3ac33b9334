"""Compressed request bodies: read, bounded, and passed on where they cannot be read."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Callable

import pytest
import zstandard

from steno.core.errors import BadInput
from steno.proxy.codings import BodyTooLong, plain_body
from tests.proxy.test_proxy import between, sane
from tests.support.sample_messages import anthropic_talk

CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def asked(turns: int) -> bytes:
    body = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": anthropic_talk(turns)}
    return json.dumps(body).encode()


@pytest.mark.slow
@pytest.mark.parametrize("coding", CODINGS)
def test_a_compressed_request_is_read_and_compacted(coding: str) -> None:
    with between(sane) as there:
        for turns in (3, 60):
            answer = there.http.post(
                f"{there.address}/v1/messages",
                content=CODINGS[coding](asked(turns)),
                headers={"content-encoding": coding, "content-type": "application/json"},
            )
            assert answer.json()["content"][0]["text"] == "noted"
        first, second = there.provider.heard
        assert first.raw == asked(3)
        assert "content-encoding" not in first.headers
        assert len(second.prompt) // 4 < 4_000 < len(asked(60)) // 4
        assert there.settled()["passed_unchanged"] == 0


@pytest.mark.slow
def test_without_the_package_it_passes_as_it_came_and_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    packed = CODINGS["zstd"](asked(60))
    with between(sane) as there:
        headers = {"content-encoding": "zstd"}
        there.http.post(f"{there.address}/v1/messages", content=packed, headers=headers)
        [heard] = there.provider.heard
        assert (heard.raw, heard.headers["content-encoding"]) == (packed, "zstd")
        assert "zstd pass unread" in there.events[0].reason


@pytest.mark.slow
def test_a_body_that_becomes_too_long_is_refused() -> None:
    bomb = CODINGS["zstd"](b" " * 2_000_000)
    assert len(bomb) < 1_000
    with between(sane, settings={"body_most": 1_000_000}) as there:
        for coding in ("gzip", "zstd"):
            answer = there.http.post(
                f"{there.address}/v1/messages",
                content=CODINGS[coding](b" " * 2_000_000),
                headers={"content-encoding": coding},
            )
            assert answer.status_code == 413
        assert not there.provider.heard


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd", "br"])
def test_what_is_not_of_its_coding_is_said(coding: str) -> None:
    with pytest.raises(BadInput):
        plain_body(b"{}", coding, 1_000)


@pytest.mark.parametrize("coding", CODINGS)
def test_no_more_than_the_bound_is_unpacked(coding: str) -> None:
    packed = CODINGS[coding](b"a" * 1_000)
    assert plain_body(packed, coding, 1_000) == b"a" * 1_000
    with pytest.raises(BodyTooLong):
        plain_body(packed, coding, 999)


@pytest.mark.parametrize("coding", CODINGS)
def test_a_part_of_a_body_is_not_taken_for_the_whole(coding: str) -> None:
    pack = CODINGS[coding]
    for packed in (pack(b"a" * 5_000)[:-3], pack(b'{"a":') + pack(b"1}"), b""):
        with pytest.raises(BadInput):
            plain_body(packed, coding, 10_000)


def test_a_body_of_two_streams_passes_as_it_came() -> None:
    packed = gzip.compress(asked(3)[:50]) + gzip.compress(asked(3)[50:])
    with between(sane) as there:
        headers = {"content-encoding": "gzip"}
        there.http.post(f"{there.address}/v1/messages", content=packed, headers=headers)
        [heard] = there.provider.heard
        assert (heard.raw, heard.headers["content-encoding"]) == (packed, "gzip")
