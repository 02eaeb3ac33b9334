"""Which pieces of files and results are shown again."""

from __future__ import annotations

from typing import Any

from steno.core.message import Message, user_message
from steno.core.tape import Tape
from steno.facts.ledger import Ledger
from steno.summary.pieces import Piece, PieceChooser, group_hits, piece_lines
from steno.summary.story import fold_story
from tests.summary.test_files import did, read
from tests.support.promises import proves

TASK = user_message("Make the importer faster.")


def words(text: str) -> int:
    return len(text.split())


def body(name: str, lines: int = 10) -> str:
    return "\n".join(f"{name}_{n} = compute {n} of {name}" for n in range(lines))


def chooser(messages: list[Message], *, stop: int | None = None, **options: Any) -> PieceChooser:
    tape = Tape(messages)
    end = len(tape) if stop is None else stop
    return PieceChooser(Ledger.of(tape), tape.fold(fold_story), tape, end, words, **options)


def names(pieces: list[Piece]) -> set[str]:
    return {piece.name for piece in pieces}


MANY = [TASK, *(m for n in range(20) for m in read(body(f"part_{n}"), f"src/part_{n}.py"))]


@proves("summary.files")
def test_the_files_last_touched_come_first() -> None:
    shown = names(chooser(MANY).choose(400))
    assert shown and shown == {f"src/part_{n}.py" for n in range(20 - len(shown), 20)}


@proves("summary.files")
def test_no_more_is_shown_than_there_is_room_for() -> None:
    for room in (0, 40, 100, 300, 5_000):
        pieces = chooser(MANY).choose(room)
        assert sum(piece.tokens for piece in pieces) <= room
    assert names(chooser(MANY).choose(5_000)) == {f"src/part_{n}.py" for n in range(20)}


@proves("summary.focus")
def test_what_a_caller_asks_for_is_found_however_old() -> None:
    old = read(body("quarantine"), "src/old.py")
    many = [m for n in range(60) for m in read(body(f"part_{n}"), f"src/part_{n}.py")]
    messages = [TASK, *old, *many]
    assert "src/old.py" not in names(chooser(messages).choose(400))
    asked = chooser(messages, focus="the quarantine").choose(400)
    assert "src/old.py" in names(asked)


@proves("summary.files")
def test_a_file_that_a_person_named_comes_before_newer_ones() -> None:
    asked = user_message("Follow src/notes/plan.rst, please.")
    plan = read(body("step"), "src/notes/plan.rst")
    shown = names(chooser([asked, *plan, *MANY[1:]]).choose(500))
    assert "src/notes/plan.rst" in shown


@proves("summary.files")
def test_what_the_newest_turns_show_is_not_shown_again() -> None:
    shown = names(chooser(MANY, stop=len(MANY) - 4).choose(5_000))
    assert "src/part_17.py" in shown
    assert not {"src/part_18.py", "src/part_19.py"} & shown


@proves("summary.files")
def test_results_of_searches_and_commands_are_shown_cut_and_named() -> None:
    found = did("Grep", "\n".join(f"src/a.py:{n}: total" for n in range(90)), pattern="total")
    (piece,) = chooser([TASK, *found]).choose(1_000)
    assert piece.name.startswith("result of Grep: ") and "total" in piece.name
    assert "tokens not shown" in piece.text and piece.tokens < 100


def test_pieces_stand_under_their_file_in_order_with_gaps_marked() -> None:
    def piece(name: str, order: int, position: int, *edited: int) -> Piece:
        return Piece(name, f"{name} {order}", 2, 0.5, position, edited, order)

    lines = list(
        piece_lines([piece("b", 0, 9), piece("a", 3, 5, 7), piece("a", 0, 5), piece("a", 1, 5)])
    )
    assert lines == ["--- a (seen [5], edited [7])", "a 0", "a 1", "⋮", "a 3", "--- b ([9])", "b 0"]


@proves("summary.files")
def test_a_file_that_a_person_named_is_cut_rather_than_left_out() -> None:
    asked = user_message("Follow src/notes/plan.rst, please.")
    plan = read(body("step", 16), "src/notes/plan.rst")
    listed = [did("Bash", f"src/a_{n}.py\nsrc/b_{n}.py", command=f"ls {n}") for n in range(9)]
    messages = [asked, *plan, *(message for step in listed for message in step)]
    chosen = [piece for piece in chooser(messages).choose(160) if piece.name.endswith("plan.rst")]
    assert len(chosen) == 1 and 0 < chosen[0].tokens <= 40


@proves("summary.files")
def test_a_piece_that_means_nothing_by_itself_is_not_shown() -> None:
    text = body("part", 30) + "\n\n}\n\n\n}"
    shown = chooser([TASK, *read(text, "src/part.py")]).choose(5_000)
    assert len(shown) >= 1 and all("part_" in piece.text for piece in shown)
    small = chooser([TASK, *read("rate = 1\nvat = 2", "src/rate.py")]).choose(5_000)
    assert names(small) == {"src/rate.py"}


@proves("summary.files")
def test_the_path_of_several_hits_is_said_once() -> None:
    found = "src/a.py:3:total\nsrc/a.py:7:total = 1\nsrc/a.py-8-rows\nsrc/b.py:1:total\n--\nend"
    assert group_hits(found) == (
        "src/a.py\n:3:total\n:7:total = 1\n-8-rows\nsrc/b.py:1:total\n--\nend"
    )
    assert group_hits("total: 3\ntotal: 4\ntotal: 5") == "total: 3\ntotal: 4\ntotal: 5"


@proves("summary.files")
def test_a_file_is_not_cut_to_a_few_words() -> None:
    asked = user_message("Follow src/notes/plan.rst, please.")
    messages = [asked, *read(body("step", 11), "src/notes/plan.rst")]
    assert chooser(messages).choose(60) == []


@proves("summary.files")
def test_the_one_line_of_a_command_is_not_told_twice() -> None:
    messages = [TASK, *did("Bash", "src is clean", command="git status")]
    assert chooser(messages).choose(500) == []
    messages += did("Bash", "src/a.py changed\nsrc/b.py changed", command="git status -s")
    assert len(chooser(messages).choose(500)) == 1
