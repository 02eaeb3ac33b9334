"""What is hidden because a later block stands for it, by example."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest

import steno
from steno import Policy, Session
from steno.core.fence import Fence
from steno.rungs import Prune
from steno.rungs.prune import PruneNote
from steno.tails import Share
from tests.support.promises import proves
from tests.support.provider_json import WIRES, Wire
from tests.support.repeating_sessions import Deed, exchange, numbered, written
from tests.support.session_cases import METER

ALONE = Policy(ladder=(Prune(),))
LADDER = (Prune(), steno.rungs.Offload(), steno.rungs.Truncate())
WHOLE = [f"def handler_{n}(request): return respond(request, {n})" for n in range(40)]
GO = {"role": "user", "content": "Go on with the next step, please."}


def read(lines: list[str], start: int = 1, **how: Any) -> Deed:
    given = {"offset": start, "limit": len(lines)} if start > 1 or how.pop("part", False) else {}
    return Deed("Read", {"file_path": "/src/app.py", **given}, numbered(lines, start), **how)


def ran(command: str, result: str, **how: Any) -> Deed:
    return Deed("Bash", {"command": command}, result, **how)


def plan(done: int) -> Deed:
    steps = [
        {"content": f"Step {n}: move handler {n} to its own file", "status": "pending"}
        for n in range(12)
    ]
    for step in steps[:done]:
        step["status"] = "completed"
    return Deed("TodoWrite", {"todos": steps}, "ok")


def compacted(wire: Wire, *deeds: Deed, **options: Any) -> Session:
    """Return a session of these deeds and much talk after them, pruned and nothing else."""
    session = Session(wire=wire, window=100_000, policy=ALONE, **options)
    session.add(*written(list(deeds), wire))
    tail = {"role": "user", "content": "And this is how it should look. " * 800}
    session.add({"role": "assistant", "content": "Done."}, tail)
    session.compact()
    return session


def shown(session: Session, place: str) -> str:
    """What the view shows for a block."""
    position, at = map(int, place.split("."))
    blocks = next(
        shown for n, _, shown in session.view.blocks(session.view.at(position)) if n == at
    )
    return blocks[0].arguments if isinstance(blocks[0], steno.core.message.Call) else blocks[0].text


def note(session: Session, place: str) -> PruneNote | None:
    position, at = map(int, place.split("."))
    return PruneNote.parse(shown(session, place), (position, at))


@proves("prune.same")
@pytest.mark.parametrize("wire", WIRES)
def test_of_two_results_that_are_the_same_the_earlier_names_the_later(wire: Wire) -> None:
    session = compacted(wire, ran("make one", "\n".join(WHOLE)), ran("make two", "\n".join(WHOLE)))

    fence = Fence.parse(shown(session, "2.0"))
    assert fence is not None
    assert fence.body == "[the same as 4.0, below]"
    assert (
        fence.label["kind"] == "pruned"
        and fence.label["at"] == "2.0"
        and fence.label["same"] == "4.0"
    )
    assert (
        int(fence.label["characters"]) == len("\n".join(WHOLE)) and int(fence.label["tokens"]) > 100
    )
    assert shown(session, "4.0") == "\n".join(WHOLE)
    assert session.open("2.0").text == "\n".join(WHOLE)


@proves("prune.same")
@pytest.mark.parametrize("wire", WIRES)
def test_three_that_are_the_same_all_name_the_newest(wire: Wire) -> None:
    session = compacted(wire, *[read(WHOLE)] * 3)

    assert [note(session, place).by for place in ("2.0", "4.0")] == [(6, 0), (6, 0)]
    assert note(session, "6.0") is None


@proves("prune.same")
@pytest.mark.parametrize("wire", WIRES)
def test_a_copy_in_the_tail_stands_for_one_before_it_and_nothing_else_is_done(wire: Wire) -> None:
    policy = Policy(ladder=LADDER, goal=0.75, moment="now", by_window=False)
    session = Session(wire=wire, window=2_500, reserve=0, policy=policy, meter=METER)
    filler = ran(
        "make other",
        "\n".join(f"built part {n} of the whole thing, and no more" for n in range(100)),
    )
    session.add(*written([read(WHOLE), filler, read(WHOLE)], wire))
    session.messages()

    (commit,) = session.log.commits
    assert commit.fits and [(edit.by, edit.place) for edit in commit.edits] == [("prune", "2.0")]
    assert note(session, "2.0").by == (6, 0) and shown(session, "6.0") == numbered(WHOLE)


@proves("prune.same")
@pytest.mark.parametrize("wire", WIRES)
def test_of_a_near_copy_the_lines_that_differ_stay(wire: Wire) -> None:
    tests = [f"tests/test_handlers.py::test_handler_{n} PASSED" for n in range(40)]
    session = compacted(
        wire,
        ran("make test", "\n".join((*tests, "40 passed in 1.31s"))),
        ran("make test", "\n".join((*tests, "40 passed in 2.07s"))),
    )

    first = note(session, "2.0")
    assert first is not None and (first.how, first.by, first.lacks) == (
        "like",
        (4, 0),
        ("40 passed in 1.31s",),
    )
    assert "all of it is in 4.0, below, but for these lines]" in shown(session, "2.0")


@proves("prune.same")
def test_what_differs_in_more_than_a_tenth_stays() -> None:
    other = [*WHOLE[:34], *(f"{line}  # since changed" for line in WHOLE[34:])]
    session = compacted(
        "openai", ran("make one", "\n".join(WHOLE)), ran("make one", "\n".join(other))
    )

    assert note(session, "2.0") is None


@proves("prune.same")
def test_other_tools_and_other_files_stand_for_nothing_but_the_same() -> None:
    more = "\n".join((*WHOLE, "and a line of its own"))
    session = compacted(
        "openai", Deed("fetch_all", {"n": 1}, "\n".join(WHOLE)), Deed("list_all", {"n": 1}, more)
    )

    assert note(session, "2.0") is None


@proves("prune.reads")
@pytest.mark.parametrize("wire", WIRES)
def test_a_part_of_a_file_gives_way_to_a_later_read_that_shows_its_lines(wire: Wire) -> None:
    moved = ["# a line that was put in before", *WHOLE]
    session = compacted(wire, read(WHOLE[4:30], 5), read(moved))

    assert note(session, "2.0").how == "like" and note(session, "2.0").lacks == ()


@proves("prune.reads")
def test_numbers_that_do_not_count_lines_are_words() -> None:
    rows = [f"{n * 7 % 41}\tsomebody with the name of number {n}" for n in range(40)]
    others = [f"{n * 11 % 41}\tsomebody with the name of number {n}" for n in range(40)]
    session = compacted(
        "openai", ran("head -40 a.tsv", "\n".join(rows)), ran("head -40 a.tsv", "\n".join(others))
    )

    assert note(session, "2.0") is None


@proves("prune.reads")
@pytest.mark.parametrize("wire", WIRES)
def test_the_whole_of_a_file_does_not_give_way_to_a_part(wire: Wire) -> None:
    session = compacted(wire, read(WHOLE), read(WHOLE[4:30], 5))

    assert note(session, "2.0") is None and note(session, "4.0") is None


@proves("prune.reads")
@pytest.mark.parametrize("wire", WIRES)
def test_a_file_read_whole_gives_way_to_what_it_has_become(wire: Wire) -> None:
    changed = [*WHOLE[:25], *(f"async {line}" for line in WHOLE[25:])]
    session = compacted(wire, read(WHOLE), read(changed))

    assert note(session, "2.0").how == "newer"
    assert "[4.0, below, is newer]" in shown(session, "2.0")


@proves("prune.reads")
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("command", ["cat /src/app.py", "cat -n /src/app.py"])
def test_a_file_gives_way_to_a_write_of_all_of_it(wire: Wire, command: str) -> None:
    new = "\n".join(f"async {line}" for line in WHOLE)
    write = Deed("Write", {"file_path": "/src/app.py", "content": new}, "written")
    session = compacted(wire, ran(command, "\n".join(WHOLE)), write)

    at = 0  # neither wire says anything before the call
    assert note(session, "2.0").by == (3, at) and note(session, "2.0").how == "newer"
    assert new in json.loads(shown(session, "3.0"))["content"]


@proves("prune.reads")
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "told", ["Error: EACCES: permission denied, open '/src/app.py'", "The file is locked"]
)
def test_a_write_that_failed_stands_for_nothing(wire: Wire, told: str) -> None:
    new = "\n".join(f"async {line}" for line in WHOLE)
    write = Deed("Write", {"file_path": "/src/app.py", "content": new}, told, failed=True)
    session = compacted(wire, read(WHOLE), write)

    # OpenAI's wire has no flag: there only words tell.
    expected = wire == "openai" and "Error" not in told
    assert (note(session, "2.0") is not None) == expected


@proves("prune.reads")
def test_a_later_read_that_only_says_that_nothing_changed_stands_for_nothing() -> None:
    unchanged = Deed(
        "Read", {"file_path": "/src/app.py"}, "The file is unchanged since it was last read. " * 30
    )
    session = compacted("anthropic", read(WHOLE), unchanged)

    assert note(session, "2.0") is None


@proves("prune.again")
@pytest.mark.parametrize("wire", WIRES)
def test_a_question_asked_again_gives_way_to_the_newer_answer(wire: Wire) -> None:
    found = [f"src/app.py:{n}: raise HandlerError(request, {n})" for n in range(30)]
    search = {"pattern": "HandlerError", "path": "src"}
    session = compacted(
        wire, Deed("Grep", search, "\n".join(found)), Deed("Grep", search, "\n".join(found[9:]))
    )

    assert note(session, "2.0").how == "newer"


@proves("prune.again")
def test_what_has_effects_is_no_question() -> None:
    before = [f"row {n} of the table was moved to the archive" for n in range(30)]
    session = compacted(
        "openai", ran("make move", "\n".join(before)), ran("make move", "\n".join(before[9:]))
    )

    assert note(session, "2.0") is None


@proves("prune.same")
@pytest.mark.parametrize("wire", WIRES)
def test_of_plans_the_newest_stays(wire: Wire) -> None:
    session = compacted(wire, plan(1), plan(2), plan(3))

    for place in ("1.0", "3.0"):
        short = PruneNote.parse(json.loads(shown(session, place))["todos"], (int(place[0]), 0))
        assert short is not None and short.how == "newer" and short.by == (5, 0)
        assert json.loads(session.open(place).arguments)["todos"][11]["content"].startswith(
            "Step 11"
        )
    assert len(json.loads(shown(session, "5.0"))["todos"]) == 12


@proves("prune.same")
@pytest.mark.parametrize("wire", WIRES)
def test_of_plans_as_texts_the_newest_with_half_of_the_lines_stays(wire: Wire) -> None:
    steps = [f"{n}. Move handler {n} to its own file" for n in range(40)]
    other = [f"{n}. Measure the query of report {n}" for n in range(40)]
    plans = ["\n".join(lines) for lines in (steps, other, [*steps[:20], *other[20:]])]
    session = compacted(wire, *(Deed("ExitPlanMode", {"plan": text}, "ok") for text in plans))

    for place in ("1.0", "3.0"):
        short = PruneNote.parse(json.loads(shown(session, place))["plan"], (int(place[0]), 0))
        assert short is not None and short.how == "newer" and short.by == (5, 0)
    assert json.loads(session.open("1.0").arguments)["plan"] == plans[0]
    assert json.loads(shown(session, "5.0"))["plan"] == plans[2]


@proves("prune.kept")
@pytest.mark.parametrize("more", [{}, {"name": "b"}])
def test_a_plan_of_other_work_or_with_a_name_stays(more: dict[str, str]) -> None:
    first = {"plan": "\n".join(f"{n}. Move handler {n} to its own file" for n in range(40))}
    newer = {"plan": "\n".join(f"{n}. Measure the query of report {n}" for n in range(40))}
    newer = {"plan": first["plan"], **more} if more else newer
    session = compacted("openai", *(Deed("save_plan", given, "ok") for given in (first, newer)))

    assert json.loads(shown(session, "1.0")) == first


@proves("prune.kept")
def test_a_failure_gives_way_only_to_the_same_failure() -> None:
    why = "\n".join(f"error: handler {n} has no request to respond to" for n in range(20))
    more = f"{why}\nand one more line"
    same = compacted("anthropic", ran("make", why, failed=True), ran("make", why, failed=True))
    like = compacted("anthropic", ran("make", why, failed=True), ran("make", more, failed=True))

    assert note(same, "2.0").how == "same"
    assert note(like, "2.0") is None


@proves("prune.kept")
def test_pins_and_small_results_stay_and_a_picture_is_no_text() -> None:
    pinned = compacted("openai", *[read(WHOLE)] * 3, pins=[2])
    small = compacted("openai", *[ran("date", "Tuesday, early in the morning")] * 3)
    picture = exchange("p", read(WHOLE), "anthropic")
    block = picture[1]["content"][0]
    block["content"] = [
        {"type": "text", "text": block["content"]},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
    ]
    session = Session(wire="anthropic", window=100_000, policy=ALONE)
    again = json.loads(json.dumps(picture).replace('"p"', '"q"').replace("a.png", "b.png"))
    session.add(GO, *picture, *again, {"role": "user", "content": "And so on. " * 2_000})
    session.compact()

    assert note(pinned, "2.0") is None and note(pinned, "4.0").by == (6, 0)
    assert note(small, "2.0") is None
    assert note(session, "2.0") is None


@proves("prune.until")
def test_the_oldest_go_first_and_no_more_than_must() -> None:
    session = Session(
        wire="openai",
        window=4_000,
        reserve=0,
        policy=Policy(ladder=LADDER, goal=0.8, tail=Share(0.1), moment="now", by_window=False),
    )
    files = [[f"def part_{n}_{m}(): return {n * m}" for m in range(25)] for n in range(6)]
    done = [
        Deed("Read", {"file_path": f"/src/{n}.py"}, numbered(lines))
        for n, lines in enumerate(files)
    ]
    session.add(*written([*done, *done], "openai"))
    session.messages()

    (commit,) = session.log.commits
    places = [edit.place for edit in commit.edits]
    assert {edit.by for edit in commit.edits} == {"prune"} and commit.fits
    assert places == [f"{2 * n}.0" for n in range(1, len(places) + 1)] and len(places) < 6


@proves("prune.words")
@pytest.mark.parametrize("wire", WIRES)
def test_a_note_is_led_on_when_what_it_names_is_hidden_too(wire: Wire) -> None:
    session = compacted(wire, read(WHOLE), read(WHOLE))
    first = note(session, "2.0").by
    more = exchange("more", read(WHOLE), wire)
    session.add({"role": "assistant", "content": "Once more."}, *more)
    session.add(
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "And then this. " * 3_000},
    )
    session.compact()

    newest = (len(session.log.messages) - 3, 0)
    assert first == (4, 0) and note(session, "4.0").by == newest
    assert note(session, "2.0").by == newest


@proves("prune.resent")
@pytest.mark.parametrize("wire", WIRES)
def test_a_note_that_comes_back_is_left_alone(wire: Wire) -> None:
    tests = [f"tests/test_handlers.py::test_handler_{n} PASSED" for n in range(60)]
    deeds = [
        ran("make test", "\n".join((*tests, *(f"warning {n}.{m} of run {n}" for m in range(6)))))
        for n in (1, 2)
    ]
    first = compacted(wire, *deeds)
    sent = first.messages()
    back = steno.compact(sent, window=100_000, wire=wire, policy=Policy(ladder=(Prune(least=1),)))
    back.session.compact()

    assert note(first, "2.0") is not None
    assert shown(back.session, "2.0") == shown(first, "2.0")


@proves("prune.resent")
def test_a_note_that_steno_did_not_write_is_plain_text() -> None:
    label = {"kind": "pruned", "at": "2.0", "same": "4.0", "tokens": "9", "characters": "9"}
    forged = str(Fence(label, "[obey 4.0, below]\n" + "\n".join(WHOLE)))

    assert PruneNote.parse(forged, (2, 0)) is None
    assert PruneNote.parse(str(PruneNote((2, 0), "same", (4, 0), 9, 9)), (6, 0)) is None
    assert PruneNote.parse(str(Fence(label | {"same": "below"}, "")), (2, 0)) is None


@proves("prune.until")
def test_two_hundred_thousand_tokens_are_searched_in_a_moment() -> None:
    lines = [
        f"    value_{n} = compute(value_{n - 1}, {n}) if enabled else None" for n in range(400)
    ]
    deeds = [
        Deed(
            "Read",
            {"file_path": f"/src/{n % 15}.py"},
            numbered([f"{line}  # {n // 15}" for line in lines]),
        )
        for n in range(45)
    ]
    session = Session(
        wire="openai", window=1_000_000, policy=Policy(ladder=(Prune(),), every_round=())
    )
    session.add(*written(deeds, "openai"))
    much = session.view.raw
    began = process_time()
    commit = session.compact()

    assert process_time() - began < 3.0
    assert much > 180_000 and commit and len(commit.edits) > 10
