"""Counts are exact with a vocabulary, within a tenth without one, and never raise."""

from __future__ import annotations

import json
import sys
import threading
import time
import warnings
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steno.core.message import Call, Media, Message, Opaque, Result, Text, Thinking
from steno.core.meter import Meter, chars_per_four, estimate
from steno.meters import meter_for, vocabulary
from tests.support.sample_texts import KINDS

# By splintr and by rs-bpe alike; the last by the legacy Claude vocabulary.
EXACT = {
    "prose": (389, 391, 401),
    "python": (454, 451, 476),
    "typescript": (443, 440, 505),
    "json, pretty": (740, 741, 724),
    "json, compact": (938, 934, 952),
    "log": (550, 549, 589),
    "chinese": (1118, 1657, 1507),
}
METERS = (
    "gpt-5",
    "gpt-4",
    "claude-sonnet-5",
    "llama-3.3-70b",
    "qwen3-32b",
    "deepseek-chat",
    "gemini-3.8-flash",
)


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Start without a loaded vocabulary, and forget what a test loads."""
    monkeypatch.setattr(vocabulary, "_loaded", {})
    yield monkeypatch


def off(counted: float, exact: float) -> float:
    return abs(counted / exact - 1)


@pytest.mark.parametrize("kind", KINDS)
def test_vocabularies_count_exactly(kind: str) -> None:
    o200k, cl100k, _ = EXACT[kind]
    assert meter_for("gpt-5").count(KINDS[kind]) == o200k
    assert meter_for("gpt-4").count(KINDS[kind]) == cl100k


@pytest.mark.parametrize("kind", KINDS)
def test_the_estimate_is_within_a_tenth(kind: str) -> None:
    assert off(estimate(KINDS[kind]), EXACT[kind][0]) <= 0.10


@pytest.mark.parametrize("kind", KINDS)
def test_claude_is_within_a_tenth_of_its_reference(kind: str) -> None:
    assert off(meter_for("claude-sonnet-5").count(KINDS[kind]), 1.1 * EXACT[kind][2]) <= 0.10


@pytest.mark.parametrize("kind", KINDS)
def test_claude_is_within_a_tenth_without_a_vocabulary_too(
    kind: str, unloaded: pytest.MonkeyPatch
) -> None:
    unloaded.setitem(sys.modules, "splintr", None)
    assert off(meter_for("claude-sonnet-5").count(KINDS[kind]), 1.1 * EXACT[kind][2]) <= 0.10


def test_the_estimate_beats_four_characters_a_token_on_ids() -> None:
    ids = "\n".join(
        f"{n * 2654435761 % 2**32:08x}-4f{n:02x}-{n * 40503 % 65536:04x}-9c0d" for n in range(1, 60)
    )
    exact = meter_for("gpt-5").count(ids)
    assert off(estimate(ids), exact) < 0.15 < off(len(ids) / 4, exact)


@given(st.text(), st.text())
def test_a_longer_text_never_weighs_less_than_its_start(start: str, rest: str) -> None:
    assert 0 <= estimate(start) <= estimate(start + rest)


ANY_TEXT = st.text(st.characters(codec=None, categories=("L", "N", "P", "S", "Z", "C", "Cs")))


@pytest.mark.parametrize("model", METERS)
@given(text=ANY_TEXT)
def test_counting_never_raises(model: str, text: str) -> None:
    assert meter_for(model).count(text) >= 0


@given(ANY_TEXT)
def test_estimating_never_raises(text: str) -> None:
    assert estimate(text) >= bool(text)
    assert estimate(text + "\ud800") >= 1


@pytest.mark.parametrize("model", METERS)
def test_lone_surrogates_are_counted_and_pairs_are_joined(model: str) -> None:
    count = meter_for(model).count
    assert count("a\ud800b") >= 1
    assert count("\ud83d\ude00") == count("\U0001f600")


@pytest.mark.slow
@pytest.mark.parametrize("unit", [" ", "a", "=", "\n", "汉", "\\", "9"])
def test_a_million_of_one_character_is_counted_in_time(unit: str) -> None:
    text = unit * 1_000_000
    for count in (meter_for("gpt-5").count, meter_for("claude-sonnet-5").count, estimate):
        start = time.perf_counter()
        assert 1 <= count(text) <= 2_500_000
        assert time.perf_counter() - start < 5


def test_an_empty_text_weighs_nothing() -> None:
    assert {meter_for(model).count("") for model in METERS} | {
        estimate(""),
        chars_per_four().count(""),
    } == {0}


@pytest.mark.parametrize(
    ("model", "wire", "name"),
    [
        ("gpt-4o", None, "o200k_base"),
        ("openai/gpt-4.1-mini", None, "o200k_base"),
        ("o3", None, "o200k_base"),
        ("ft:gpt-4o:acme", None, "o200k_base"),
        ("gpt-6-sol", "anthropic", "o200k_base"),
        ("gpt-4-turbo", None, "cl100k_base"),
        ("gpt-3.5-turbo", None, "cl100k_base"),
        ("us.anthropic.claude-sonnet-4-5-v1:0", None, "claude"),
        ("meta-llama/llama-3.1-70b-instruct", None, "llama3"),
        ("deepseek-r1-distill-qwen-32b", None, "qwen3"),
        ("deepseek-v4-pro", None, "deepseek_v3"),
        ("codestral-2508", None, "mistral_v3"),
        ("gemini-3.8-flash", None, "gemma3"),
        ("GLM-5.3", None, "glm4"),
        ("kimi-k3", None, "kimi_k2"),
        ("phi-4", None, "phi4"),
        (None, "anthropic", "claude"),
        (None, "openai", "o200k_base"),
        ("nobody-knows-it", "anthropic", "claude"),
        (None, None, "o200k_base"),
    ],
)
def test_the_family_chooses_the_vocabulary(model: str | None, wire: str | None, name: str) -> None:
    assert meter_for(model, wire).name == name


def test_without_splintr_the_name_says_estimate(unloaded: pytest.MonkeyPatch) -> None:
    unloaded.setitem(sys.modules, "splintr", None)
    for model in METERS:
        assert meter_for(model).name == "estimate"
    assert meter_for("gpt-5").count(KINDS["prose"]) == estimate(KINDS["prose"])


def test_a_vocabulary_that_fails_its_test_is_not_used_and_says_so_once(
    unloaded: pytest.MonkeyPatch,
) -> None:
    unloaded.setitem(vocabulary.TEST_ANSWERS, "o200k_base", (23, 1))
    with pytest.warns(RuntimeWarning, match="o200k_base is not used"):
        assert meter_for("gpt-5").name == "estimate"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert meter_for("gpt-5").name == "estimate"


def test_a_vocabulary_that_is_not_carried_is_estimated(unloaded: pytest.MonkeyPatch) -> None:
    with pytest.warns(RuntimeWarning, match="no-such"):
        assert vocabulary.load_counter("no-such") is None


def test_threads_share_one_loading(unloaded: pytest.MonkeyPatch) -> None:
    loads: list[str] = []
    load = vocabulary._load
    unloaded.setattr(vocabulary, "_load", lambda name: loads.append(name) or load(name))
    threads = [threading.Thread(target=meter_for, args=("gpt-4",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == ["cl100k_base"]


def words() -> Meter:
    plain = chars_per_four()
    return Meter("words", lambda text: len(text.split()), lambda media: 1_000, plain.overheads)


def test_weights_add_up() -> None:
    meter = meter_for("claude-sonnet-5")
    call = Call("c1", "read_file", '{"path": "a.py"}')
    result = Result("c1", (Text("one two"), Media("image", 10, 10), Opaque("ref", "three")))
    message = Message("assistant", (Text("hello"), Thinking("hm"), call, result))

    assert meter.blocks(message) == tuple(map(meter.block, message.blocks))
    assert meter.message(message) == meter.overheads.message + sum(meter.blocks(message))
    assert meter.block(call) == meter.overheads.call + meter.count("read_file") + meter.count(
        '{"path": "a.py"}'
    )
    assert meter.block(result) == meter.overheads.result + sum(map(meter.block, result.content))
    assert meter.block(Thinking("hm", signature="x" * 5_000)) == meter.count("hm")


def test_what_is_fixed_counts_system_and_tools() -> None:
    meter = meter_for("claude-sonnet-5")
    tool = '{"name": "read_file", "description": "Read a file."}'
    assert meter.fixed_tokens(None, ()) == 6
    assert meter.fixed_tokens("Be brief.", ()) == 6 + meter.count("Be brief.")
    assert meter.fixed_tokens(None, (tool, tool)) == 6 + 500 + 2 * (5 + meter.count(tool))


def test_four_characters_a_token_four_a_message_fifty_a_tool() -> None:
    meter = chars_per_four()
    assert meter.message(Message("user", (Text("x" * 400),))) == 104
    assert meter.fixed_tokens("y" * 40, ("",) * 3) == 10 + 150


def test_a_correction_converges_and_leaves_counts_alone() -> None:
    meter = words()
    for _ in range(8):
        meter = meter.with_reported_usage(10_000, 12_500)
    assert meter.ratio == pytest.approx(1.25, abs=0.002)
    assert meter.load(1_000) == pytest.approx(1_250, abs=3)
    assert meter.count("a b c") == 3


@pytest.mark.parametrize(
    ("counted", "reported"), [(0, 500), (-5, 500), (10_000, 0), (10_000, -1), (40, 4_000)]
)
def test_a_report_that_says_nothing_changes_nothing(counted: int, reported: int) -> None:
    assert words().with_reported_usage(counted, reported).ratio == 1.0


@given(st.lists(st.tuples(st.integers(-10, 10**7), st.integers(-10, 10**9)), max_size=30))
def test_the_ratio_stays_in_bounds(reports: list[tuple[int, int]]) -> None:
    meter = words()
    for counted, reported in reports:
        meter = meter.with_reported_usage(counted, reported)
        assert 0.5 <= meter.ratio <= 3.0


def test_a_load_is_rounded_up_but_not_by_floating_point() -> None:
    meter = Meter("words", len, lambda media: 0, chars_per_four().overheads, ratio=1.1)
    assert meter.load(100) == 110
    assert meter.load(101) == 112


WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Return the weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Its name."},
                "unit": {"enum": ["C", "F"]},
                "days": {"type": "array", "items": {"type": "integer"}},
            },
            "required": ["city"],
        },
    },
}


def test_a_tool_of_openais_weighs_its_declaration_and_not_its_json() -> None:
    meter = meter_for("gpt-4o", "openai")
    text = json.dumps(WEATHER)
    shown = (
        "// Return the weather of a city.\ntype get_weather = (_: {\n// Its name.\ncity: string,\n"
        'unit?: "C" | "F",\ndays?: number[],\n}) => any;'
    )

    assert meter.fixed_tokens(None, (text,)) == 3 + 16 - 1 + meter.count(shown)
    # A hosted tool, and what is no JSON, weigh their text.
    for odd in ('{"type": "web_search"}', "[", '"x"'):
        assert meter.fixed_tokens(None, (odd,)) == 3 + 16 - 1 + meter.count(odd)
    # On chat completions the newest models are billed more for having tools at all.
    newer = meter_for("gpt-5", "openai").fixed_tokens(None, (text,))
    assert newer == meter_for("gpt-5", "openai-responses").fixed_tokens(None, (text,)) + 81


def test_a_tool_of_geminis_weighs_what_it_declares() -> None:
    meter = meter_for("gemini-2.5-flash", "gemini")
    function = {"name": "build", "description": "Build it."}
    tool = json.dumps({"functionDeclarations": [function, function]})
    said = json.dumps(function, separators=(",", ":"))

    assert meter.fixed_tokens(None, (tool,)) == 2 * meter.count(said)
    assert meter.message(Message("user", (Text("hello there"),))) == meter.count("hello there")


def test_sealed_blocks_weigh_what_is_inside() -> None:
    gpt, claude = meter_for("gpt-5"), meter_for("claude-sonnet-5")
    item = Opaque(
        "compaction", json.dumps({"type": "compaction", "encrypted_content": "x" * 5_000})
    )
    block = Opaque("compaction", json.dumps({"type": "compaction", "content": "The plan stands."}))

    # Recorded: a compaction of 5,260 characters was billed as about 575 tokens.
    assert 500 < gpt.block(item) < 640
    assert claude.block(block) == 87 + claude.count("The plan stands.")
    # Recorded: reasoning of 9,572 characters was billed as about 1,900 tokens.
    assert 1_600 < gpt.block(Thinking("a short summary", "g" * 9_572)) < 1_900
    assert gpt.block(Thinking("a short summary", "rs_1")) == gpt.count("a short summary")
    assert gpt.block(Opaque("configuration_update", '{"reasoning": {}}')) == 0
    assert claude.block(Opaque("fallback", '{"from": {}}')) == 0
