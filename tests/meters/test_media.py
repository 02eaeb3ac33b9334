"""Sizes come from the head of the data, tokens from the provider's rule, never from base64."""

from __future__ import annotations

import base64
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steno.core.message import Media
from steno.providers.anthropic.meter import ANTHROPIC_MEDIA
from steno.providers.gemini.meter import GOOGLE_MEDIA
from steno.providers.meter import meter_for
from steno.providers.openai_chat.meter import OPENAI_MEDIA
from steno.providers.shared.media_size import measure_media


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", b"\0" * 20_000)
        + chunk(b"IEND", b"")
    )


def jpeg(width: int, height: int, preface: int = 0, frame: int = 0xC0) -> bytes:
    segments = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + b"\0" * 9
    while preface > 0:
        body = min(preface, 65_000)
        segments += b"\xff\xe1" + struct.pack(">H", body + 2) + b"\xc0" * body
        preface -= body
    size = b"\xff" + bytes([frame]) + struct.pack(">HBHHB", 17, 8, height, width, 3) + b"\0" * 9
    return (
        b"\xff\xd8"
        + segments
        + b"\xff\xc4"
        + struct.pack(">H", 6)
        + b"\0" * 4
        + size
        + b"\xff\xda"
        + b"\0" * 5_000
    )


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0" * 500


def webp(form: bytes, body: bytes) -> bytes:
    chunk = form + struct.pack("<I", len(body)) + body + b"\0" * 64
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk


WEBPS = {
    "lossy": webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640 | 1 << 14, 480)),
    "lossless": webp(b"VP8L", b"\x2f" + struct.pack("<I", (640 - 1) | (480 - 1) << 14)),
    "extended": webp(
        b"VP8X", b"\0\0\0\0" + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
    ),
}


@pytest.mark.parametrize(
    "data",
    [
        png(640, 480),
        jpeg(640, 480),
        jpeg(640, 480, preface=200_000),
        jpeg(640, 480, frame=0xC2),
        gif(640, 480),
        *WEBPS.values(),
    ],
    ids=["png", "jpeg", "jpeg with a long preface", "progressive jpeg", "gif", *WEBPS],
)
def test_the_size_is_read_from_the_head(data: bytes) -> None:
    for text in (
        b64(data),
        "data:image/any;base64," + b64(data),
        base64.encodebytes(data).decode(),
    ):
        media = measure_media("image", None, text)
        assert (media.width, media.height, media.size) == (640, 480, len(data))


def test_url_safe_base64_is_read_too() -> None:
    data = png(0xFBEF, 0xFFFE)
    assert (
        measure_media("image", "image/png", base64.urlsafe_b64encode(data).decode()).width == 0xFBEF
    )


@pytest.mark.parametrize(
    "data",
    [
        "",
        None,
        "https://example.org/picture.png",
        "not base64 at all! ☃",
        "a",
        b64(png(0, 0)[:40]),
        b64(png(9, 9)[:20]),
        b64(b"\xff\xd8\xff"),
        b64(b"\xff\xd8\xff\xe0\x00\x00" + b"\0" * 90),
        b64(b"RIFF\0\0\0\0WEBPVP8Z" + b"\0" * 40),
        b64(b"GIF89a"),
        "\ud800" * 50,
    ],
)
def test_what_cannot_be_read_stays_unknown(data: str | None) -> None:
    media = measure_media("image", "image/png", data)
    assert (media.kind, media.width, media.height) == ("image", None, None)


@given(
    st.sampled_from([png(8, 8), jpeg(8, 8), gif(8, 8), *WEBPS.values()]),
    st.binary(max_size=40),
    st.integers(0, 60),
)
def test_corrupt_data_never_raises(data: bytes, noise: bytes, at: int) -> None:
    measure_media("image", None, b64(data[:at] + noise + data[at + len(noise) :]))
    measure_media("image", None, b64(data[:at] + noise))


@given(st.text(max_size=200))
def test_any_text_for_data_never_raises(data: str) -> None:
    measure_media("image", "application/pdf", data)


def test_pages_of_a_pdf_are_counted_where_they_can_be_seen() -> None:
    page = b"<< /Type /Page /Parent 2 0 R >>\n"
    plain = (
        b"%PDF-1.4\n<< /Type /Pages /Count 3 /Kids [3 0 R 4 0 R 5 0 R] >>\n"
        + page * 2
        + b"<</Type/Page>>"
    )
    linear = b"%PDF-1.7\n<< /Linearized 1 /L 9000 /O 12 /N 41 /T 8000 >>\n" + b"\0" * 900
    packed = b"%PDF-1.7\n<< /Type /ObjStm >> stream\n" + bytes(range(256)) * 40
    assert measure_media("document", "application/pdf", b64(plain)).pages == 3
    assert measure_media("document", None, b64(linear)).pages == 41
    assert measure_media("document", None, b64(packed)).pages is None
    assert measure_media("document", None, b64(packed)).size == len(packed)


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (200, 200, 54),
        (1_000, 1_000, 1_334),
        (1_092, 1_092, 1_590),
        (3_000, 3_000, 1_600),
        (8_000, 100, 41),
        (1, 1, 1),
    ],
)
def test_anthropic_weighs_by_area_after_scaling(width: int, height: int, tokens: int) -> None:
    assert ANTHROPIC_MEDIA(Media("image", width, height)) == tokens


def test_newer_claudes_see_more_and_charge_for_it() -> None:
    large = Media("image", 2_000, 1_500)
    assert meter_for("claude-sonnet-4-5").image(large) == 1_600
    assert meter_for("claude-opus-5").image(large) == 4_000
    assert meter_for("claude-opus-5").image(Media("image", size=9_000)) == 4_784


@pytest.mark.parametrize(
    ("width", "height", "detail", "tokens"),
    [
        (1_024, 1_024, "high", 765),
        (2_048, 4_096, "high", 1_105),
        (4_096, 8_192, "low", 85),
        (512, 512, None, 255),
        (100, 100, "auto", 255),
    ],
)
def test_openai_weighs_by_tiles(width: int, height: int, detail: str | None, tokens: int) -> None:
    assert OPENAI_MEDIA(Media("image", width, height, detail=detail)) == tokens


def test_small_openai_models_have_their_own_prices() -> None:
    square = Media("image", 1_024, 1_024)
    assert meter_for("gpt-4o-mini").image(square) == 2_833 + 4 * 5_667
    assert meter_for("gpt-4.1-mini").image(square) == 1_659
    assert meter_for("gpt-5-mini").image(square) == 1_229
    assert meter_for("gpt-4o").image(square) == 765


def test_data_that_does_not_tell_its_size_weighs_the_most() -> None:
    assert ANTHROPIC_MEDIA(Media("image", size=9_000)) == 1_600
    assert OPENAI_MEDIA(Media("image", size=9_000)) == 85 + 8 * 170
    assert OPENAI_MEDIA(Media("image", size=9_000, detail="low")) == 85
    assert ANTHROPIC_MEDIA(Media("image", size=9_000, detail="low")) == 1_600


def test_what_only_a_url_names_weighs_as_one_of_a_typical_size() -> None:
    for rule in (ANTHROPIC_MEDIA, OPENAI_MEDIA, GOOGLE_MEDIA):
        assert rule(Media("image")) == rule(Media("image", 800, 600))
        document = Media("document", pages=2, characters=3_600)
        assert rule(Media("document")) == rule(document)
        assert rule(Media("audio")) == rule(Media("audio", seconds=30))
        assert rule(Media("video")) == rule(Media("video", seconds=30))
    assert OPENAI_MEDIA(Media("image", detail="low")) == 85


@given(st.integers(1, 20_000), st.integers(1, 20_000))
def test_no_known_size_weighs_more_than_an_unknown_one(width: int, height: int) -> None:
    for rule in (ANTHROPIC_MEDIA, OPENAI_MEDIA):
        assert 1 <= rule(Media("image", width, height)) <= rule(Media("image", size=9_000))


def test_documents_weigh_by_the_page_and_sounds_by_the_second() -> None:
    assert ANTHROPIC_MEDIA(Media("document", pages=4)) == 4 * ANTHROPIC_MEDIA(
        Media("document", pages=1)
    )
    assert ANTHROPIC_MEDIA(Media("document", size=600_000)) == ANTHROPIC_MEDIA(
        Media("document", pages=10)
    )
    assert OPENAI_MEDIA(Media("audio", size=16_000 * 60)) == 600
    assert GOOGLE_MEDIA(Media("audio", size=16_000 * 60)) == 1_920
    assert GOOGLE_MEDIA(Media("image", 300, 300)) == 258
    assert GOOGLE_MEDIA(Media("image", 1_500, 700)) == 516


@pytest.mark.slow
def test_a_picture_never_weighs_what_its_base64_would() -> None:
    data = b64(png(100, 100) + b"\0" * 3_000_000)
    for model in ("gpt-5", "claude-sonnet-5", "gemini-3.8-flash", "llama-3.3-70b"):
        assert meter_for(model).block(measure_media("image", "image/png", data)) < 1_200


def pdf(*texts: bytes) -> bytes:
    """Return a PDF with one page for each text, half of them packed."""
    pages = b""
    for at, text in enumerate(texts):
        content = b"BT /F1 12 Tf (" + text + b") Tj ET"
        if at % 2:
            content = zlib.compress(content)
        pages += b"<< /Type /Page >>\nstream\n" + content + b"\nendstream\n"
    return b"%PDF-1.4\n" + pages


def test_a_pdf_weighs_its_pages_and_what_they_say() -> None:
    media = measure_media("document", None, b64(pdf(b"words " * 100, b"more words " * 100)))
    assert (media.pages, media.characters) == (2, 1_700)
    assert meter_for("gpt-4o", "openai").block(media) == 2 * 205 + 303
    assert meter_for("gpt-4o", "openai-responses").block(media) == 2 * 22 + 303
    assert meter_for("claude-opus-5", "anthropic").block(media) == 2 * 1_570 + 442
    assert meter_for("gemini-2.5-pro", "gemini").block(media) == 2 * 258
    # Where no text can be read, as in a scan, the most that a page was billed is assumed.
    scan = measure_media("document", "application/pdf", b64(b"%PDF-1.4 /Type /Page "))
    assert scan.characters is None and ANTHROPIC_MEDIA(scan) == 3_200


def test_a_plain_text_weighs_its_characters() -> None:
    media = measure_media("document", "text/plain", b64("Grüße. ".encode() * 400))
    assert media.characters == media.size == 3_600
    assert ANTHROPIC_MEDIA(media) == 936
    assert measure_media("document", None, b64(b"PK\x03\x04\0\0" * 90)).characters is None


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("audio", b"RIFF" + b"\0" * 24 + struct.pack("<I", 8_000) + b"\0" * 79_968),
        ("audio", b"ID3\x04\0\0\0\0\0\x0a" + b"\0" * 10 + b"\xff\xfb\x90" + b"\0" * 159_997),
        ("video", b"\0" * 99 + b"mvhd" + b"\0" * 12 + struct.pack(">II", 600, 6_000) + b"\0" * 80),
        ("video", b"mvhd\1" + b"\0" * 19 + struct.pack(">IQ", 600, 6_000) + b"\0" * 80),
    ],
    ids=["wav", "mp3", "mp4", "mp4 with long times"],
)
def test_the_length_of_a_recording_is_read_from_its_data(kind: str, data: bytes) -> None:
    media = measure_media(kind, None, b64(data))
    assert media.seconds == 10.0
    per_second = {"audio": 32, "video": 295}[kind]
    assert GOOGLE_MEDIA(media) == 10 * per_second
    for cut in (4, 8, 12, 30, 40):
        assert measure_media(kind, None, b64(data[:cut])).seconds is None or cut > 20


def test_a_video_of_unknown_length_is_not_one_picture() -> None:
    assert GOOGLE_MEDIA(Media("video")) == 30 * 295
    assert GOOGLE_MEDIA(Media("video", size=5_000_000)) == 100 * 295
