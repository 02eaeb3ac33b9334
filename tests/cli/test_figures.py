"""One session has one figure for each thing, whichever command prints it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steno import Session
from steno.cli.demo.story import opening, story
from tests.cli.test_cli import REPLAYED_ONCE
from tests.cli.test_commands import claude_rows, dumped
from tests.support.command_line import Run
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk

ROOT = Path(__file__).parents[2]
MODEL = "claude-sonnet-5"


@pytest.mark.slow
@proves("cli.show")
def test_every_command_prints_the_same_figures_for_one_session(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "story.db"
    options = {"wire": "anthropic", "window": 17_000, "model": MODEL, **opening()}
    with Session(path, name="story", durable=False, **options) as session:
        for message in story()[:90]:
            session.add(message)
            if message["role"] == "user":
                session.request()
        load, left_out = session.load, session.log.tokens_spared

    shown = run("show", path, "--json").json
    logged = run("log", path, "--json").json
    [followed] = run("log", path, "--follow", "--json").json
    replayed = run("replay", path, "-p", "sliding", "--json").json
    [priced] = run("replay", path, "-p", "sliding", "--price", "-m", MODEL, "--json").json

    said = shown["said"]
    assert left_out > 0 and load == said - left_out
    for told in (shown, logged, followed):
        assert (told["load"], told["said"], told["left_out"]) == (load, said, left_out)
    assert priced["said"] == replayed["sessions"][0]["tokens"] == said

    for words in (("show",), ("log",), ("log", "--follow")):
        out = run(words[0], path, *words[1:], wide=True).out
        assert f"{said:,}" in out and f"{left_out:,}" in out
    out = run("replay", path, "-p", "sliding").out
    estimated = replayed["sessions"][0]["estimated"]
    assert f"{said:,} tokens said" in out and f"by that, {estimated:,} were said" in out

    listed = {item["span"]: item["tokens"] for item in shown["items"]}
    kinds = shown["tokens"]
    assert load == sum(kinds.values()) - kinds["free"] - kinds["reserve"]
    beyond = load - sum(listed.values()) - shown["state_tokens"] - kinds["prompt"]
    assert 0 <= beyond < 600, "the block of constraints and open loops"
    rows = run("show", path, "--all", wide=True).out.splitlines()
    state = [row for row in rows if "where the whole work stands" in row]
    assert len(state) == 1 and f" {shown['state_tokens']:,} " in state[0]
    assert shown["state_tokens"] > max(
        item["tokens"] for item in shown["items"] if item["state"] == "covered"
    )
    messages = [row for row in shown["items"] if row["state"] == "said" and "-" not in row["span"]]
    for row in messages:
        assert logged["messages"][int(row["span"])]["tokens"] == row["tokens"]


@pytest.mark.slow
@proves("cli.show")
@pytest.mark.parametrize("limits", [(), ("-w", "9k"), ("--window", "200k", "--reserve", "2k")])
def test_a_transcript_is_counted_by_its_own_model_in_any_window(
    run: Run, tmp_path: Path, limits: tuple[str, ...]
) -> None:
    path, store, out = (tmp_path / name for name in ("a.jsonl", "a.db", "b.jsonl"))
    path.write_text(dumped(claude_rows(30, MODEL)))
    logged = run("log", path, "--json").json
    said = logged["said"]
    assert said > 6_000 and logged["load"] == said
    shown = run("show", path, *limits, "--json").json
    assert (shown["said"], shown["load"], shown["meter"]) == (said, said, "claude")
    [replayed] = run("replay", path, "-p", "sliding", "--json").json["sessions"]
    assert replayed["tokens"] == said
    compacted = run("compact", path, *limits, "-o", out, "--json").json
    assert compacted["before"] == said
    assert run("store", "import", path, store, *limits).code == 0
    stored = run("show", store, "--json").json
    assert (stored["said"], stored["meter"]) == (said, "claude")


@pytest.mark.slow
@proves("cli.show")
def test_what_is_estimated_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"role": "user", "content": "Find the mill."}]')
    assert "Tokens are estimated by the meter" in run("show", tmp_path / "a.json").out
    legend = run("replay", tmp_path / "a.json", wide=True).out
    assert "These tokens are an estimate, characters / 4" in legend


@proves("cli.show")
@pytest.mark.parametrize("pinned", [False, True])
def test_a_preview_of_an_imported_list_is_what_compact_makes_of_it(
    run: Run, tmp_path: Path, pinned: bool
) -> None:
    """Nothing was shortened as it came: the preview and the compaction begin with that."""
    path, store = tmp_path / "a.json", tmp_path / "a.db"
    talk = openai_talk(20)
    large = {**talk[2], "content": "\n".join(f"row {n} of the table" for n in range(9_000))}
    path.write_text(json.dumps([*talk[:2], large, *talk[3:], *openai_talk(20, start=21)]))
    assert run("store", "import", path, store, "-w", "16k").code == 0
    if pinned:
        assert run("store", "pin", store, "1").code == 0
    seen = run("compact", store, "--preview", "--json").json["commit"]
    made = run("compact", store, "--force", "--json").json["conversations"][0]
    assert [commit["why"] for commit in made["commits"]] == ["arrival", "asked"]
    now = made["commits"][1]
    assert (now["before"], now["after"]) == (seen["before"], seen["after"])


@pytest.mark.slow
def test_the_picture_in_the_readme_shows_the_demos_figures() -> None:
    """Draw it again with `python scripts/make_picture.py`."""
    replay = REPLAYED_ONCE(16_000)
    picture = (ROOT / "docs" / "plots" / "demo.svg").read_text("utf-8")
    assert f"without Steno: on to {replay.total_tokens:,}<" in picture
    assert f">{replay.total_tokens:,} tokens<" in picture
    assert f">{len(replay.frames)} requests<" in picture
    assert replay.first_overflow is not None
    assert f"ends at request {replay.first_overflow.turn}" in picture
    assert f">{replay.frames[-1].load:,} tokens<" in picture
