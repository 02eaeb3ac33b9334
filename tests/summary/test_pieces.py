"""Which pieces of files and results are shown again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import steno
from steno.core.message import Message, user_message
from steno.core.tape import Tape
from steno.facts.ledger import Ledger
from steno.summary.candidates import Piece, PieceCandidates
from steno.summary.pieces import choose_pieces, piece_lines
from steno.summary.story import fold_story
from tests.summary.test_files import did, read
from tests.support.coding_sessions import exchange
from tests.support.promises import proves

TASK = user_message("Make the importer faster.")


def words(text: str) -> int:
    return len(text.split())


def body(name: str, lines: int = 10) -> str:
    return "\n".join(f"{name}_{n} = compute {n} of {name}" for n in range(lines))


Choose = Callable[..., list[Piece]]


def chooser(messages: list[Message], *, stop: int | None = None, **options: Any) -> Choose:
    tape = Tape(messages)
    end = len(tape) if stop is None else stop
    story = tape.fold(fold_story)
    candidates = PieceCandidates(Ledger.of(tape), story, tape, end, words, **options)
    return partial(choose_pieces, candidates)


def names(pieces: list[Piece]) -> set[str]:
    return {piece.name for piece in pieces}


MANY = [TASK, *(m for n in range(20) for m in read(body(f"part_{n}"), f"src/part_{n}.py"))]


@proves("summary.files")
def test_the_files_last_touched_come_first() -> None:
    shown = names(chooser(MANY)(400))
    assert shown and shown == {f"src/part_{n}.py" for n in range(20 - len(shown), 20)}


@proves("summary.files")
def test_what_names_something_new_comes_before_more_of_the_same() -> None:
    def code(prefix: str, file: int) -> str:
        return "\n".join(f"{prefix}_{x} = compute {file} {x}, then {x}{file}" for x in "abcdefghij")

    newer = [m for n in range(30) for m in read(code("part", n), f"src/part_{n}.py")]
    shown = names(chooser([TASK, *read(code("other", 30), "src/other.py"), *newer])(1_600))
    assert "src/other.py" in shown and len(shown) < 31
    same = names(chooser([TASK, *read(code("part", 30), "src/other.py"), *newer])(1_600))
    assert "src/other.py" not in same and same


@proves("summary.files")
def test_what_the_newest_calls_speak_of_comes_before_what_is_newer() -> None:
    letters = "abcdefghij"
    old = [m for x in letters for m in read(body(f"load_{x}"), f"src/{x}.py")]
    before = chooser([TASK, *old])(150)
    searched = did("search", "no such lines", query="load_a_1|load_a_2|load_a_3")
    assert "src/a.py" not in names(before)
    assert "src/a.py" in names(chooser([TASK, *old, *searched])(150))


@proves("summary.files")
def test_no_more_is_shown_than_there_is_room_for() -> None:
    for room in (0, 40, 100, 300, 5_000):
        pieces = chooser(MANY)(room)
        assert sum(piece.tokens for piece in pieces) <= room
    assert names(chooser(MANY)(5_000)) == {f"src/part_{n}.py" for n in range(20)}


@proves("summary.focus")
def test_what_a_caller_asks_for_is_found_however_old() -> None:
    old = read(body("quarantine"), "src/old.py")
    many = [m for n in range(60) for m in read(body(f"part_{n}"), f"src/part_{n}.py")]
    messages = [TASK, *old, *many]
    assert "src/old.py" not in names(chooser(messages)(400))
    for focus in ("the quarantine", "Quarantine", "src/old.py", "the OLD one"):
        assert "src/old.py" in names(chooser(messages, focus=focus)(400)), focus
    assert "src/part_7.py" in names(chooser(messages, focus="part_7")(400))


@proves("summary.files")
def test_what_the_newest_turns_show_is_not_shown_again() -> None:
    shown = names(chooser(MANY, stop=len(MANY) - 4)(5_000))
    assert "src/part_17.py" in shown
    assert not {"src/part_18.py", "src/part_19.py"} & shown


@proves("summary.files")
def test_results_of_searches_and_commands_are_shown_cut_and_named() -> None:
    found = did("Grep", "\n".join(f"src/a.py:{n}: total" for n in range(90)), pattern="total")
    (piece,) = chooser([TASK, *found])(1_000)
    assert piece.name.startswith("result of Grep: ") and "total" in piece.name
    assert "tokens not shown" in piece.text and piece.tokens < 100


def test_pieces_stand_under_their_file_in_order_with_gaps_marked() -> None:
    def piece(name: str, order: int, position: int, *edited: int) -> Piece:
        return Piece(name, f"{name} {order}", 2, 0.5, position, edited, order)

    lines = list(
        piece_lines([piece("b", 0, 9), piece("a", 3, 5, 7), piece("a", 0, 5), piece("a", 1, 5)])
    )
    assert lines == [
        "--- a (seen [5], edited [7])",
        " a 0",
        " a 1",
        "⋮",
        " a 3",
        "--- b ([9])",
        " b 0",
    ]
    mixed = list(piece_lines([piece("a", 0, 9), piece("a", 1, 2), piece("a", 3, 2)]))
    assert mixed == ["--- a ([9])", " a 0", "[2]", " a 1", "⋮", " a 3"]


@proves("summary.files")
def test_a_piece_that_means_nothing_by_itself_is_not_shown() -> None:
    text = body("part", 30) + "\n\n}\n\n\n}"
    shown = chooser([TASK, *read(text, "src/part.py")])(5_000)
    assert len(shown) >= 1 and all("part_" in piece.text for piece in shown)
    small = chooser([TASK, *read("rate = 1\nvat = 2", "src/rate.py")])(5_000)
    assert names(small) == {"src/rate.py"}


@proves("summary.files")
@pytest.mark.parametrize("shelves", [20, 400], ids=["a paragraph", "a long line"])
def test_a_file_of_one_line_is_a_piece_like_any_other(shelves: int) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Compare all these texts."}]
    texts = []
    for n in range(30):
        texts.append(" ".join(f"Shelf {s} of room {n} has books." for s in range(shelves)))
        messages += exchange(f"r{n}", "read_file", {"path": f"docs/room_{n}.md"}, texts[-1])

    view = steno.compact(messages, window=8_000, wire="openai").messages

    told = str([message for message in view if message["role"] == "user"])
    assert sum(text[:200] in told for text in texts) >= 8


@proves("summary.files")
def test_a_one_line_output_is_not_repeated() -> None:
    messages = [TASK, *did("Bash", "src is clean", command="git status")]
    assert chooser(messages)(500) == []
    messages += did("Bash", "src/a.py changed\nsrc/b.py changed", command="git status -s")
    assert len(chooser(messages)(500)) == 1


FAILING = "FAILED tests/t.py::test_a\nFAILED tests/t.py::test_b\n2 failed in 1s"
PASSING = "collected 9 items\n9 passed in 1s"


def shell(command: str, said: str) -> list[Message]:
    return did("Bash", said, command=command)


def edited(path: str) -> list[Message]:
    return did("Edit", "ok", file_path=path, old_string="old_total", new_string="total")


def texts(*steps: list[Message], stop: int | None = None) -> str:
    messages = [TASK, *(message for step in steps for message in step)]
    return "\n".join(piece.text for piece in chooser(messages, stop=stop)(5_000))


@proves("summary.files")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (shell("pytest -q tests", FAILING), shell("pytest -q tests", PASSING)),
        (shell("cd /w && pytest tests | tail -5", FAILING), shell("pytest", PASSING)),
        (shell("npm test", FAILING), shell("npx jest --ci", PASSING)),
        (shell("git status", FAILING), shell("git status --short", PASSING)),
        (shell("python3 run.py -v | head", FAILING), shell("cd /w && python run.py", PASSING)),
        (did("get_issue", FAILING, id=7), did("get_issue", PASSING, id=7)),
    ],
)
def test_a_later_answer_takes_the_place_of_an_older(
    older: list[Message], newer: list[Message]
) -> None:
    shown = texts(older, read("rate = 1", "src/rate.py"), newer)
    assert "9 passed" in shown and "FAILED" not in shown
    assert "FAILED" not in texts(older, newer, stop=3)
    assert "FAILED" in texts(older)


@proves("summary.files")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (shell("pytest -q tests/a.py", FAILING), shell("pytest -q tests/b.py", PASSING)),
        (shell("pytest", FAILING), shell("pytest tests/b.py", PASSING)),
        (shell("cd web && npm test", FAILING), shell("cd api && npm test", PASSING)),
        (shell("./bench --size=3", FAILING), shell("./bench --size=4", PASSING)),
        (shell("git show --stat 1a2b", FAILING), shell("git show 1a2b", PASSING)),
        (did("get_issue", FAILING, id=7), did("get_issue", PASSING, id=8)),
    ],
)
def test_an_answer_to_another_question_takes_no_place(
    older: list[Message], newer: list[Message]
) -> None:
    shown = texts(older, newer)
    assert "9 passed" in shown and "FAILED" in shown


@proves("summary.files")
def test_what_was_changed_since_is_not_shown_as_it_was() -> None:
    lines = "old_total = 1\nold_rate = 2\nold_rows = 3"
    hits = "src/pay.py:1:old_total = 1\nsrc/pay.py:2:old_rate = 2\nsrc/pay.py:3:old_rows\n"
    for look in (
        shell("cat src/pay.py", lines),
        shell("grep -n old src/pay.py", lines),
        shell("grep -rn old src", hits + "src/rate.py:1:rate"),
        did("Grep", hits + "src/rate.py:1:rate", pattern="old"),
    ):
        assert "old_total" in texts(look)
        assert "old_total" not in texts(look, edited("/w/src/pay.py"))
    other = texts(shell("grep -rn old src", hits + "src/rate.py:1:rate"), edited("src/pay.py"))
    assert "src/rate.py:1:rate" in other


@proves("summary.files")
def test_an_outdated_state_of_the_tree_is_marked_as_such() -> None:
    status = shell("git status", "modified: src/pay.py\nmodified: src/rate.py")

    def name(*steps: list[Message]) -> str:
        messages = [TASK, *status, *(message for step in steps for message in step)]
        (piece,) = chooser(messages)(500)
        return piece.name

    assert name() == "result of Bash: git status"
    assert name(edited("/w/src/pay.py")).endswith("git status, before files were changed again")


@proves("summary.files")
def test_a_file_from_before_the_tree_was_changed_says_so() -> None:
    steps = [*read(body("rate"), "src/rate.py"), *shell("git checkout main", "Switched to main")]
    lines = list(piece_lines(chooser([TASK, *steps])(500)))
    assert lines[0] == "--- src/rate.py ([1], before the tree was changed [3])"


@proves("summary.files")
def test_a_few_words_of_an_output_are_no_piece() -> None:
    long = shell("./list", body("row", 40))
    assert chooser([TASK, *long])(200) == []
    assert len(chooser([TASK, *long])(2_000)) == 1


@proves("summary.files")
def test_what_a_runner_puts_before_an_output_is_left_out() -> None:
    head = "Chunk ID: 1a2b\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n"
    shown = texts(shell("cat src/pay.py", head + body("pay")), shell("./list", head + body("row")))
    assert "pay_3 = " in shown and "row_3 = " in shown and "Wall time" not in shown
    assert texts(shell("./list", head)) == ""


@proves("summary.files")
def test_a_lone_edit_of_a_file_that_was_never_read_is_no_piece() -> None:
    assert texts(edited("src/pay.py")) == ""


@proves("summary.files")
def test_secrets_in_files_and_results_are_masked() -> None:
    text = "MODE=x\nDB_PASSWORD=hunter2hunter2\nDEBUG=1"
    wrote = did("Write", "ok", file_path="src/.env", content=text)
    for step in (wrote, shell("./show", text)):
        shown = "\n".join(piece_lines(chooser([TASK, *step])(500)))
        assert "MODE=x" in shown and "DB_PASSWORD=[secret]" in shown


@proves("summary.files")
def test_a_file_that_a_command_put_out_is_shown_once() -> None:
    text = body("hook", 12)
    put_out = did("Bash", f"Chunk\nIt says:\n{text}", command="./show hooks/push")
    shown = chooser([TASK, *read(text, "hooks/push"), *put_out])(5_000)
    assert sum(piece.text.count("hook_7 =") for piece in shown) == 1
