"""The newest state of files, put together from what was read and what was changed since."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steno.core.message import Call, Message, Result, Text
from steno.core.tape import Tape
from steno.facts.ledger import Ledger
from steno.summary.files import (
    FilePiece,
    file_pieces,
    joined_spellings,
    plain_lines,
    split_lines,
)
from steno.summary.story import fold_story
from tests.support.promises import proves

PAY = """import rates

def total(rows):
    return sum(rows)

def tax(rows):
    return total(rows) * rates.VAT"""


def did(name: str, said: str, *, error: bool = False, **arguments: Any) -> list[Message]:
    """A call and its result."""
    id = f"{name}-{said[:20]}-{len(json.dumps(arguments))}"
    made = Message("assistant", (Call(id, name, json.dumps(arguments)),))
    return [made, Message("tool", (Result(id, (Text(said),), error=error),))]


def pieces_of(*steps: list[Message], path: str = "src/pay.py") -> list[FilePiece]:
    messages = Tape([message for step in steps for message in step])
    found = [each for each in Ledger.of(messages).artifacts if each.key == path]
    return [piece for artifact in found for piece in file_pieces(messages, artifact)]


def read(text: str, path: str = "src/pay.py", **more: Any) -> list[Message]:
    return did("Read", text, file_path=path, **more)


def numbered(text: str, start: int = 1, form: str = "{:>6}→{}") -> str:
    return "\n".join(form.format(*row) for row in enumerate(text.split("\n"), start))


NUMBERED = ["{:>6}→{}", "{}\t{}", "{}: {}", "L{}: {}"]


EDITS: list[list[Message]] = [
    did("Edit", "ok", file_path="src/pay.py", old_string="sum(rows)", new_string="sum(rows, 0)"),
    did(
        "str_replace_editor",
        "ok",
        command="str_replace",
        path="src/pay.py",
        old_str="    return sum(rows)\n",
        new_str="    return sum(rows, 0)\n",
    ),
    did(
        "apply_patch",
        "ok",
        input="*** Begin Patch\n*** Update File: src/pay.py\n@@\n def total(rows):\n"
        "-    return sum(rows)\n+    return sum(rows, 0)\n*** End Patch",
    ),
]


@proves("summary.files")
@pytest.mark.parametrize("edit", EDITS, ids=["edit", "str_replace", "patch"])
@pytest.mark.parametrize("shown", [PAY, *(numbered(PAY, form=form) for form in NUMBERED)])
def test_an_edit_is_applied_to_what_was_read(edit: list[Message], shown: str) -> None:
    (piece,) = pieces_of(read(shown), edit)
    assert piece.text == PAY.replace("sum(rows)", "sum(rows, 0)")
    assert (piece.position, piece.edited, piece.touched) == (0, (2,), 2)


@proves("summary.files")
def test_edits_add_up() -> None:
    more = did(
        "Edit", "ok", file_path="src/pay.py", old_string="sum(rows, 0)", new_string="add(rows)"
    )
    (piece,) = pieces_of(read(PAY), EDITS[0], more)
    assert "add(rows)" in piece.text and "sum(" not in piece.text
    assert piece.edited == (4,) and piece.position == 0


@proves("summary.files")
def test_an_edit_that_failed_is_not_applied() -> None:
    failed = did(
        "Edit",
        "no match",
        error=True,
        file_path="src/pay.py",
        old_string="sum(rows)",
        new_string="oops",
    )
    (piece,) = pieces_of(read(PAY), failed)
    assert piece.text == PAY


@proves("summary.files")
def test_a_newer_read_takes_the_place_of_the_older() -> None:
    newer = PAY.replace("rates.VAT", "rates.GST")
    (piece,) = pieces_of(read(PAY), read(newer))
    assert piece.text == newer and piece.position == 2


@proves("summary.files")
def test_parts_of_a_file_that_were_read_one_after_the_other_both_stay() -> None:
    low = "\n".join(f"low_{n} = {n}" for n in range(6))
    high = "\n".join(f"high_{n} = {n}" for n in range(6))
    texts = [piece.text for piece in pieces_of(read(numbered(low)), read(numbered(high, 90)))]
    assert texts == [low, high]


@proves("summary.files")
def test_a_file_that_was_written_whole_replaces_all_before() -> None:
    written = did("Write", "ok", file_path="src/pay.py", content="a = 1\nb = 2")
    (piece,) = pieces_of(read(PAY), written)
    assert piece.text == "a = 1\nb = 2" and piece.kind == "written"


@proves("summary.files")
@pytest.mark.parametrize("form", ["({}) {}", "{}: {}\r"])
def test_text_that_an_edit_changed_goes_in_whatever_form_it_was_shown(form: str) -> None:
    shown = numbered("\n".join([PAY, *map(str, range(1_000, 1_040))]), form=form)
    assert "return sum(rows)" in pieces_of(read(shown))[0].text
    old = "def total(rows):\n    return sum(rows)"
    edit = did("Edit", "ok", file_path="src/pay.py", old_string=old, new_string="total = sum")
    assert [piece.text for piece in pieces_of(read(shown), edit)] == ["total = sum"]


@proves("summary.files")
def test_text_from_before_an_edit_that_was_never_seen_whole_goes() -> None:
    """The read showed only a part of what the edit replaced."""
    part = "def tax(rows):\n    return total(rows) * rates.VAT"
    whole = f"{part}\n\ndef net(rows):\n    return total(rows)"
    edit = did(
        "Edit", "ok", file_path="src/pay.py", old_string=whole, new_string="from tax import net"
    )
    (piece,) = pieces_of(read(part), edit)
    assert piece.text == "from tax import net" and piece.kind == "edited"


@proves("summary.files")
def test_what_an_editor_shows_after_an_edit_is_newer_than_what_was_read() -> None:
    shown = numbered(PAY.replace("sum(rows)", "sum(rows, 0)"))
    edit = did(
        "Edit",
        f"The file was updated:\n{shown}",
        file_path="src/pay.py",
        old_string="sum(rows)",
        new_string="sum(rows, 0)",
    )
    (piece,) = pieces_of(read(PAY), edit)
    assert piece.text.count("def total") == 1 and "sum(rows, 0)" in piece.text


@proves("summary.files")
def test_a_file_that_is_gone_has_no_text() -> None:
    assert pieces_of(read(PAY), did("Bash", "", command="rm src/pay.py")) == []


@proves("summary.files")
def test_a_notebook_cell_is_shown_as_it_was_written() -> None:
    cell = did(
        "NotebookEdit", "ok", notebook_path="a.ipynb", cell_id="3", new_source="x = 1\ny = 2"
    )
    (piece,) = pieces_of(cell, path="a.ipynb")
    assert piece.text == "x = 1\ny = 2"


@proves("summary.files")
def test_pieces_are_contiguous_and_together_the_file() -> None:
    bodies = [f"def part_{n}(row):\n" + "    row += 1\n" * 9 for n in range(12)]
    text = "\n".join(bodies)
    pieces = [piece for _, _, piece in split_lines(text.split("\n"))]
    assert len(pieces) > 3
    assert all(piece in text for piece in pieces)
    assert all(piece.startswith("def part_") for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert max(piece.count("\n") for piece in pieces) < 48


@proves("summary.files")
def test_a_rest_of_a_few_lines_stays_with_the_piece_before_it() -> None:
    flat = [f"setting_{n} = {n}" for n in range(40)]
    ends = [(first, last) for first, last, _ in split_lines(flat)]
    assert ends == [(0, 12), (12, 24), (24, 40)]


def test_a_tools_line_numbers_are_not_the_files() -> None:
    assert plain_lines(numbered("a\nb\nc")) == (["a", "b", "c"], 1)
    assert plain_lines(numbered("a\nb\nc", 40)) == (["a", "b", "c"], 40)
    assert plain_lines("7\tx\nplain\ntext") == (["7\tx", "plain", "text"], 0)
    own = ["8080: web", "5432: postgres", "443: tls", "80: http"]
    assert plain_lines("\n".join(own)) == (own, 0)
    assert plain_lines("1: a\n2: b\n9: c") == (["a", "b", "c"], 1)
    framed = "<content>\n1: a\n2:\n3: b\n4: c\n</content>"
    assert plain_lines(framed) == (["a", "", "b", "c"], 1)


LONG = [f"def step_{n}(rows):\n    return rows[{n}]\n" for n in range(20)]


def lines_of(first: int, last: int) -> str:
    """Return the numbered lines of some steps, as a partial read shows them."""
    return numbered("\n".join(LONG[first:last]), first * 3 + 1)


@proves("summary.files")
@pytest.mark.parametrize(("before", "after"), [((0, 6), (4, 10)), ((4, 10), (0, 6))])
def test_reads_that_overlap_are_joined(before: tuple[int, int], after: tuple[int, int]) -> None:
    pieces = pieces_of(read(lines_of(*before)), read(lines_of(*after)))
    text = "\n\n".join(piece.text for piece in pieces)
    assert [text.count(f"def step_{n}(") for n in range(10)] == [1] * 10
    orders = [piece.order for piece in pieces]
    assert orders == list(range(len(pieces)))


@proves("summary.files")
def test_a_part_read_again_makes_only_that_part_newer() -> None:
    pieces = pieces_of(read(lines_of(0, 20)), read(lines_of(17, 20)))
    text = "\n\n".join(piece.text for piece in pieces)
    assert text.count("def step_18(") == 1
    assert pieces[0].touched == 0 and pieces[-1].touched == 2


@proves("summary.files")
def test_parts_stand_in_the_order_of_the_file_with_a_gap_between() -> None:
    pieces = pieces_of(read(lines_of(14, 18)), read(lines_of(2, 6)))
    assert "step_2(" in pieces[0].text and "step_17(" in pieces[-1].text
    assert pieces[-1].order > len(pieces) - 1


@proves("summary.files")
def test_lines_changed_between_two_reads_are_shown_once() -> None:
    """A formatter went over the file between two reads of it."""
    newer = lines_of(4, 10).replace("rows[7]", "rows[ 7 ]")
    texts = "\n".join(piece.text for piece in pieces_of(read(lines_of(0, 6)), read(newer)))
    assert texts.count("def step_5(") == 1 and "rows[ 7 ]" in texts


@proves("summary.files")
def test_an_edit_within_a_line_changes_that_line_only() -> None:
    edit = did("Edit", "ok", file_path="src/pay.py", old_string="rows[7]", new_string="rows[70]")
    pieces = pieces_of(read(lines_of(0, 20)), edit)
    assert [piece.edited for piece in pieces if "rows[70]" in piece.text] == [(2,)]
    assert all(not piece.edited for piece in pieces if "rows[70]" not in piece.text)


def pieces_after(*steps: list[Message]) -> list[FilePiece]:
    """Return the pieces of every file as a view shows them."""
    messages = Tape([message for step in steps for message in step])
    upsets = messages.fold(fold_story).upsets
    found: list[FilePiece] = []
    for artifact in joined_spellings(Ledger.of(messages).artifacts):
        if not artifact.is_gone:
            found += file_pieces(messages, artifact, upsets)
    return found


def shell(command: str, said: str = "", **more: Any) -> list[Message]:
    return did("Bash", said, command=command, **more)


HOME = "/w/src/pay.py"
UNSEEN = [
    f"sed -i 's/sum/add/' {HOME}",
    "cd /w && sed -i 's/sum/add/' src/*.py",
    "grep -rl sum src | xargs sed -i s/sum/add/",
    'for f in src/*.py; do sed -i s/sum/add/ "$f"; done',
    "cd /w && git checkout -- src/pay.py",
    "cd /w && git checkout -- src/",
    "patch -p1 < fix.diff",
    "git apply <<'EOF'\n--- a/src/pay.py\n+++ b/src/pay.py\nEOF",
    f"mv /tmp/new.py {HOME}",
    f"cp other.py {HOME}",
    f"rm {HOME}",
    "rm -rf /w/src",
    f"sort {HOME} | tee {HOME}",
    f"generate > {HOME}",
    f"cat > {HOME} <<EOF\nimport $NAME\nEOF",
    f"python3 - <<'EOF'\np = '{HOME}'\nt = open(p).read()\nopen(p, 'w').write(t[1:])\nEOF",
]
SWITCHES = [
    "git -C /w restore .",
    "cd /w && git stash",
    "cd /w && git stash && pytest && git stash pop",
    "git reset --hard HEAD~1",
    "git checkout main",
    "git checkout -b faster main",
    "bash -c 'cd /w && git stash pop'",
]


@proves("summary.files")
@pytest.mark.parametrize("command", UNSEEN)
def test_text_from_before_an_untracked_change_is_not_shown(command: str) -> None:
    assert pieces_after(read(PAY, HOME), shell(command)) == []
    (again,) = pieces_after(read(PAY, HOME), shell(command), read(PAY, HOME, limit=9))
    assert again.position == 4


@proves("summary.files")
@pytest.mark.parametrize("command", SWITCHES)
def test_text_from_before_a_tree_change_is_marked_as_such(command: str) -> None:
    """What was only read is most likely the same; what was edited may have been taken back."""
    (seen,) = pieces_after(read(PAY, HOME), shell(command))
    assert (seen.position, seen.before) == (0, 2)
    edit = did("Edit", "ok", file_path=HOME, old_string="sum(rows)", new_string="sum(rows, 0)")
    assert pieces_after(read(PAY, HOME), edit, shell(command)) == []
    (again,) = pieces_after(read(PAY, HOME), shell(command), read(PAY, HOME, limit=9))
    assert (again.position, again.before) == (4, -1)


@proves("summary.files")
@pytest.mark.parametrize(
    "command",
    [
        "git status && git log -3",
        "git stash list",
        "git checkout -b faster",
        "git add src/pay.py && git commit -m 'rm src/pay.py'",
        "git reset HEAD~1",
        "pytest src > /tmp/out.txt 2>&1",
        "sed -n 1,5p /w/src/other.py",
        "sed -i s/a/b/ /w/src/other.py",
        "cd /elsewhere && git pull",
        "python3 -c 'print(open(\"/w/src/pay.py\").read())' | wc -l",
    ],
)
def test_a_command_that_leaves_a_file_alone_leaves_its_text(command: str) -> None:
    shown = [piece.text for piece in pieces_after(read(PAY, HOME), shell(command))]
    assert PAY in shown


@proves("summary.files")
@pytest.mark.parametrize(
    ("command", "said", "left"),
    [
        ("git pull --rebase", "Already up to date.", True),
        ("cd /w && git pull", "fatal: Could not read from remote repository.", True),
        ("git pull --rebase", "Current branch main is up to date.", True),
        ("git stash && git pull", "No local changes to save\nAlready up to date.", True),
        ("git stash && git pull", "Saved working directory\nAlready up to date.", False),
        ("git stash pop", "Exit code 1\nCONFLICT (content): Merge conflict in pay.py", False),
        ("git stash && make", "Exit code 2\nerror: no rule", False),
    ],
)
def test_a_switch_of_the_tree_that_did_nothing_leaves_it(
    command: str, said: str, left: bool
) -> None:
    (seen,) = pieces_after(read(PAY, HOME), shell(command, said))
    assert (seen.before == -1) is left


@proves("summary.files")
@pytest.mark.parametrize(
    "start", [f"cat > {HOME} <<'EOF'", f"cat <<EOF > {HOME}", f"tee {HOME} <<EOF"]
)
def test_a_here_document_that_is_a_whole_file_is_its_text(start: str) -> None:
    (piece,) = pieces_after(read(PAY, HOME), shell(f"mkdir -p /w\n{start}\nimport money\nEOF\nls"))
    assert (piece.text, piece.position) == ("import money", 2)


@proves("summary.files")
def test_what_is_appended_stands_beside_what_was_read() -> None:
    pieces = pieces_after(read(PAY, HOME), shell(f"cat >> {HOME} <<'EOF'\nVAT = 19\nEOF"))
    assert sorted(piece.text for piece in pieces) == ["VAT = 19", PAY]


@proves("summary.files")
def test_a_message_of_a_commit_is_not_taken_for_the_file_written_after_it() -> None:
    command = (
        f"git commit -m \"$(cat <<'EOF'\nFaster\nEOF\n)\"\ncat > {HOME} <<'EOF'\nimport money\nEOF"
    )
    assert pieces_after(read(PAY, HOME), shell(command)) == []


@proves("summary.files")
def test_a_file_spelt_in_two_ways_is_shown_once_as_it_is_now() -> None:
    (piece,) = pieces_after(read(PAY, HOME), EDITS[0])
    assert piece.text == PAY.replace("sum(rows)", "sum(rows, 0)")
    assert (piece.path, piece.edited) == (HOME, (2,))
    bare = did("Edit", "ok", file_path="pay.py", old_string="sum(rows)", new_string="add(rows)")
    assert "sum(rows)" not in "".join(piece.text for piece in pieces_after(read(PAY, HOME), bare))


@proves("summary.files")
@pytest.mark.parametrize(
    "said",
    [
        "Error: old_string matched 2 times; no changes made",
        "<tool_use_error>String to replace not found in file.</tool_use_error>",
        "No replacement was performed, old_str did not appear verbatim in src/pay.py.",
        "The user doesn't want to proceed with this tool use.",
        '{"success": false, "reason": "old text is not unique"}',
    ],
)
def test_an_edit_that_says_it_failed_is_not_applied(said: str) -> None:
    edit = did("edit_file", said, path=HOME, old_string="sum(rows)", new_string="add(rows)")
    (piece,) = pieces_after(read(PAY, HOME), edit)
    assert (piece.text, piece.edited) == (PAY, ())


@proves("summary.files")
def test_a_patch_that_a_command_could_not_apply_is_not_applied() -> None:
    hunk = "@@\n-    return sum(rows)\n+    return add(rows)"
    patch = f"*** Begin Patch\n*** Update File: src/pay.py\n{hunk}\n*** End Patch"
    said = "apply_patch verification failed: Failed to find expected lines in src/pay.py"
    run = did("exec_command", said, cmd=["apply_patch", patch])
    (piece,) = pieces_of(read(PAY), run)
    assert (piece.text, piece.edited) == (PAY, ())


@proves("summary.files")
def test_an_edit_of_every_place_is_applied_to_every_place() -> None:
    everywhere = did(
        "Edit", "ok", file_path=HOME, old_string="rows", new_string="all_rows", replace_all=True
    )
    (piece,) = pieces_after(read(PAY, HOME), everywhere)
    assert piece.text == PAY.replace("rows", "all_rows")


@proves("summary.files")
def test_an_edit_without_its_text_drops_the_files_text() -> None:
    assert pieces_after(read(PAY, HOME), did("edit_file", "ok", path=HOME, diff="-1 +2")) == []


def test_commands_that_upset_files_are_collected_message_by_message() -> None:
    steps = [read(PAY, HOME), shell("git stash"), shell("git stash pop", "ok"), EDITS[0]]
    messages = [message for step in steps for message in step]
    grown = Tape(messages[:4])
    assert len(grown.fold(fold_story).upsets) == 1
    grown = grown.plus(messages[4:])
    assert list(grown.fold(fold_story).upsets) == list(Tape(messages).fold(fold_story).upsets)


@proves("summary.files")
def test_what_a_command_picks_out_of_files_is_no_piece_of_one() -> None:
    def shown(command: str) -> list[FilePiece]:
        return pieces_of(did("Bash", PAY, command=command))

    assert len(shown("cat src/pay.py | head -50")) == 1
    assert len(shown("sed -n '1,9p' src/pay.py")) == 1
    for picked in ("cat src/pay.py | grep total", "cat src/pay.py src/rate.py", "wc src/pay.py"):
        assert shown(picked) == []


@proves("summary.files")
def test_a_replaced_notebook_cell_drops_its_old_text() -> None:
    made = did("NotebookEdit", "ok", notebook_path="src/pay.py", cell_id="3", new_source="x = 1")
    assert [piece.text for piece in pieces_of(read(PAY), made)] == ["x = 1"]


@proves("summary.files")
def test_a_read_that_shows_other_lines_under_the_same_numbers_ends_what_was_known() -> None:
    changed = PAY.replace("sum(rows)", "fsum(rows)")
    newer = numbered("\n".join(changed.split("\n")[2:5]), start=3)
    shown = "\n".join(piece.text for piece in pieces_of(read(numbered(PAY)), read(newer, offset=3)))
    assert "fsum(rows)" in shown and "rates.VAT" not in shown
    far = numbered("def total(rows):\n    return fsum(rows)\n    # of the cents", start=90)
    shown = "\n".join(piece.text for piece in pieces_of(read(numbered(PAY)), read(far, offset=90)))
    assert "fsum(rows)" in shown and "rates.VAT" in shown
    same = numbered("\n".join(PAY.split("\n")[2:5]), start=3)
    shown = "\n".join(piece.text for piece in pieces_of(read(numbered(PAY)), read(same, offset=3)))
    assert "rates.VAT" in shown
