"""What calls touch, in every dialect of tools; the atoms of a text; how rare its words are."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steno.core.message import Call, Message, Text
from steno.facts import artifacts
from steno.facts.artifacts import Artifacts
from steno.facts.fact import Fact
from steno.facts.shell import command_touches, main_programs, only_looks
from steno.facts.vocabulary import KNOWN_TOOLS, KnownTool, canonical_path
from steno.summary.worth import Rarity, term_counts

PATCH = """*** Begin Patch
*** Add File: notes/new.md
+hello
*** Update File: ./src/app.py
@@
-a
+b
*** Update File: src/old.py
*** Move to: src/new.py
*** Delete File: src/gone.py
*** End Patch"""


def call(name: str, arguments: Any) -> Message:
    said = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return Message("assistant", (Text("I will."), Call("c1", name, said)))


def done(name: str, arguments: Any) -> list[tuple[str, str]]:
    """What was done to what, in order."""
    return [(fact.note, fact.key) for fact in artifacts.read_artifacts(call(name, arguments))]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("Read", {"file_path": "/repo/a.py", "limit": 20}, [("read", "/repo/a.py")]),
        ("Write", {"file_path": "/repo/a.py", "content": "x"}, [("written", "/repo/a.py")]),
        (
            "Edit",
            {"file_path": "/repo/./a.py", "old_string": "a", "new_string": "b"},
            [("edited", "/repo/a.py")],
        ),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "a"}]}, [("edited", "a.py")]),
        ("NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "1"}, [("edited", "n.ipynb")]),
        ("Glob", {"pattern": "**/*.py"}, [("searched", "? **/*.py")]),
        (
            "Grep",
            {"pattern": "def main", "path": "src/"},
            [("searched", "? def main in src"), ("searched", "src")],
        ),
        (
            "WebFetch",
            {"url": "https://example.org/a#b", "prompt": "?"},
            [("fetched", "https://example.org/a")],
        ),
        ("WebSearch", {"query": "slow sqlite"}, [("searched", "? slow sqlite")]),
        ("Task", {"description": "Find it", "prompt": "Look"}, [("delegated", "@ Find it")]),
        ("TodoWrite", {"todos": [{"content": "x"}]}, []),
    ],
)
def test_files_touched_by_claude_code_are_read(name, arguments, expected):
    assert done(name, arguments) == expected


def test_files_touched_by_codex_are_read():
    patched = [
        ("created", "notes/new.md"),
        ("edited", "src/app.py"),
        ("moved to src/new.py", "src/old.py"),
        ("created", "src/new.py"),
        ("deleted", "src/gone.py"),
    ]
    assert done("apply_patch", PATCH) == patched
    assert done("apply_patch", {"input": PATCH}) == patched
    run = done(
        "shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"], "workdir": "/w"}
    )
    assert run[0][0] == "ran"
    assert ("edited", "/w/src/app.py") in run
    assert done("exec_command", {"cmd": "sed -n '1,5p' a.py", "workdir": "/w"}) == [
        ("ran", "$ sed -n '1,5p' a.py"),
        ("read", "/w/a.py"),
    ]
    assert done("run_in_terminal", {"cmdline": "cat a.py"})[1] == ("read", "a.py")
    assert done("shell", {"command": ["cat", "my notes.md"]})[1] == ("read", "my notes.md")


@pytest.mark.parametrize(
    ("command", "action"),
    [
        ("view", "read"),
        ("create", "created"),
        ("str_replace", "edited"),
        ("insert", "edited"),
        ("undo_edit", "edited"),
    ],
)
@pytest.mark.parametrize("name", ["str_replace_editor", "str_replace_based_edit_tool"])
def test_an_editor_does_what_its_command_says(name, command, action):
    assert done(name, {"command": command, "path": "/w/a.py"}) == [(action, "/w/a.py")]


def test_files_touched_by_pi_and_openhands_are_read():
    assert done("read", {"path": "a.ts"}) == [("read", "a.ts")]
    assert done("edit", {"path": "a.ts", "oldText": "a", "newText": "b"}) == [("edited", "a.ts")]
    assert done("bash", {"command": "rm a.ts"}) == [("ran", "$ rm a.ts"), ("deleted", "a.ts")]
    assert done("execute_bash", {"command": "ls"}) == [("ran", "$ ls")]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("mcp__disk__read_file", {"path": "a.md"}, [("read", "a.md")]),
        ("deleteFile", {"filePath": "a.md"}, [("deleted", "a.md")]),
        ("create_file", {"filename": "a.md", "content": "x"}, [("created", "a.md")]),
        ("move_file", {"source": "a", "destination": "b"}, [("moved to b", "a"), ("created", "b")]),
        ("copy_file", {"src": "a", "dst": "b"}, [("read", "a"), ("created", "b")]),
        ("get_webpage", {"url": "https://example.org"}, [("fetched", "https://example.org")]),
        ("read_files", {"files": [{"path": "a"}, {"path": "b"}]}, [("read", "a"), ("read", "b")]),
        ("search_replace", {"file_path": "a"}, [("edited", "a")]),
        ("frobnicate", {"path": "routes/$id.tsx"}, [("used", "routes/$id.tsx")]),
        ("send_email", {"to": "a@example.org", "body": "hi"}, []),
        ("read_file", "no object at all", []),
        ("read_file", "[" * 5_000, []),
    ],
)
def test_any_tool_is_read_by_its_names(name, arguments, expected):
    assert done(name, arguments) == expected


def test_a_new_row_makes_a_tool_known():
    taught = KNOWN_TOOLS.plus(KnownTool("stash", "written", ("target_slot",)))

    (made,) = call("stash", {"target_slot": "./box/1"}).calls
    touches = artifacts.call_touches(made, taught)

    assert [(touch.action, touch.key, touch.words) for touch in touches] == [
        ("written", "box/1", "./box/1")
    ]
    assert done("stash", {"target_slot": "./box/1"}) == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat a.txt | head -n 5 > b.txt 2>&1", ["read a.txt", "written b.txt"]),
        ("cd /repo && tail -20 ./log.txt", ["read /repo/log.txt"]),
        ("cd $WHERE && cat a", ["read a"]),
        ("sed -i '' 's/a/b/' x.go y.go", ["edited x.go", "edited y.go"]),
        ("sed -e 's/a/b/' x.go", ["read x.go"]),
        ("perl -pi -e 's/a/b/' x.pl", ["edited x.pl"]),
        ("mkdir -p out && touch out/a", ["created out", "created out/a"]),
        ("rm -rf build dist; rmdir old", ["deleted build", "deleted dist", "deleted old"]),
        ("mv a.py b.py", ["moved a.py", "created b.py"]),
        ("mv a.py b.py lib/", ["moved a.py", "created lib/a.py", "moved b.py", "created lib/b.py"]),
        ("cp a/b.py .", ["read a/b.py", "created b.py"]),
        ("git mv a b && git -C /r rm c", ["moved a", "created b", "deleted /r/c"]),
        ("git checkout -- a.py && git restore b.py", []),
        ("tail -n +2 a.py | head -n 5", ["read a.py"]),
        ("make 2>/dev/null | tee -a 'build log.txt'", ["written build log.txt"]),
        ("cat > a.md <<'END'\nrm -rf /\nEND\nrm b.md", ["written a.md", "deleted b.md"]),
        (
            "curl -sS -o out.json https://example.org/x",
            ["fetched https://example.org/x", "written out.json"],
        ),
        ("sudo env A=1 timeout 5 cat a", ["read a"]),
        ("for f in a b; do cat real.txt; done", ["read real.txt"]),
        ("bash -c 'rm inner.txt'", ["deleted inner.txt"]),
        ("wc -l < in.txt", ["read in.txt"]),
        ("# don't\nrm a", ["deleted a"]),
        ('echo "a > b" && printf "%s" \'x; rm y\'', []),
        ("cat $FILE `pwd`/x {a,b}", []),
        ("grep -rn 'rm x' src", ["searched src"]),
        ("cat 'open", ["read open"]),
    ],
)
def test_a_command_touches_what_its_words_say(command, expected):
    assert [f"{touch.action} {touch.key}" for touch in command_touches(command)] == expected


def test_a_command_is_bounded():
    began = time.process_time()
    for command in (
        "cat " + "a" * 200_000,
        "'" * 100_001,
        "cat <<A\n" * 20_000,
        "((((" * 50_000,
        '"\\' * 50_000,
    ):
        assert len(command_touches(command)) <= 32
    assert time.process_time() - began < 2


def test_a_quote_with_escapes_is_one_word():
    assert command_touches("body=$'it\\'s <here> > there' && cat a.py") == command_touches(
        "cat a.py"
    )


def test_the_gist_of_a_command_leaves_its_wrapping_out():
    assert (
        main_programs("cd /w && make test 2>&1 | tail -5")
        == main_programs("make test")
        == {"make test"}
    )
    assert main_programs("make fmt && make test") == {"make fmt", "make test"}
    assert only_looks("git log -3 | head && cat a") and not only_looks("git push")


def test_the_newest_touch_says_how_a_thing_stands():
    stated = [
        (1, Fact("artifact", "a.py", "assistant", 0, "a.py", "read")),
        (3, Fact("artifact", "b.py", "assistant", 0, "b.py", "created")),
        (5, Fact("artifact", "./a.py", "assistant", 0, "a.py", "edited")),
        (7, Fact("artifact", "b.py", "assistant", 0, "b.py", "moved to c.py")),
        (8, Fact("atom", "b.py", "tool", 0, "b.py")),
    ]

    first, second = Artifacts().plus(stated).things.values()

    assert (first.key, first.actions, first.is_gone) == (
        "a.py",
        (("read", 1), ("edited", 5)),
        False,
    )
    assert (second.newest, second.is_gone, second.to) == (("moved", 7), True, "c.py")


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["read", "edited", "moved to d"]))),
    st.data(),
)
def test_a_fold_may_stop_anywhere(said, data):
    stated = [
        (at, Fact("artifact", key, "assistant", 0, key, note))
        for at, (key, note) in enumerate(said)
    ]
    cut = data.draw(st.integers(0, len(stated)))
    whole, parts = Artifacts().plus(stated), Artifacts().plus(stated[:cut]).plus(stated[cut:])

    assert list(parts.things.items()) == list(whole.things.items())
    assert sum(len(thing.actions) for thing in whole.things.values()) == len(stated)


@pytest.mark.slow
@given(st.text(), st.text())
def test_any_call_can_be_read(name, arguments):
    for said in (
        arguments,
        json.dumps({"path": arguments, "command": arguments, "url": arguments}),
    ):
        assert all(
            fact.key and fact.trust == "assistant"
            for fact in artifacts.read_artifacts(call(name, said))
        )


def test_one_name_for_one_place():
    assert canonical_path("./a//b/../c") == "a/c"
    assert canonical_path("file:///w/a") == canonical_path("//w/a") == "/w/a"
    assert canonical_path("C:\\w\\a.py") == "C:/w/a.py"
    assert canonical_path("a", "/w") == "/w/a" and canonical_path("/a", "/w") == "/a"


# The replay metric's own, kept here as the floor of what we find.
FLOOR = re.compile(
    r"https?://[^\s\"'<>)\]}]+|[A-Za-z0-9_.\-]*(?:/[A-Za-z0-9_.\-]+)+|[A-Za-z_][A-Za-z0-9_]*(?:[._\-:][A-Za-z0-9_]+)+"
    r"|[A-Za-z]+[A-Z][A-Za-z0-9]+|[A-Za-z]*\d[A-Za-z0-9]{5,}|\b\d{4,}\b"
)
SHARDS = st.sampled_from(["https://", "http:/", "foo", "Bar", "12345", *'abXY09_.-:/ h"(é中\n'])


@given(st.lists(SHARDS, max_size=40).map("".join))
def test_no_atom_of_the_metric_is_missed(text):
    floor = {found.strip(".:-") for found in FLOOR.findall(text)}

    assert {found for found in floor if len(found) >= 6} <= set(artifacts.find_identifiers(text))


def test_a_blob_is_no_name_and_costs_no_time():
    began = time.process_time()
    for text in (
        "a" * 40_000 + "-",
        "https://" * 5_000,
        "1" * 40_000,
        "a/" * 20_000,
        "aB" * 20_000,
    ):
        found = artifacts.find_identifiers(text)
        names = [name for name in found if "://" not in name]
        assert all(len(name) <= artifacts.LONGEST for name in names)
    assert time.process_time() - began < 2
    assert "/usr/local/bin" in artifacts.find_identifiers(":".join(["/usr/local/bin"] * 60))


def test_what_all_say_is_worth_nothing_and_what_one_says_is():
    filler = ["Sure, let me look at the file now."] * 8
    rarity = Rarity().plus(
        [*filler, "The deadlock is in SessionPool.acquire: lock order 4711 before 4712."]
    )

    assert rarity.of("deadlock") > rarity.of("look") > 0
    assert rarity.score("The deadlock is in SessionPool.acquire") > 3 * rarity.score(filler[0])
    assert rarity.score("") == 0


def test_rarity_reads_on_and_reads_chinese():
    texts = ["数据库连接失败", "alpha beta", "alpha gamma"]

    assert Rarity().plus(texts[:1]).plus(texts[1:]) == Rarity().plus(texts)
    assert term_counts("连接失败") == {"连接": 1, "接失": 1, "失败": 1}
