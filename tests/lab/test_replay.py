"""Replay by hand: small sessions whose figures anybody can work out."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from time import process_time

import pytest

from steno import Session
from steno.core.fence import Fence
from steno.core.message import Call, Message, Result, Span, Text, Thinking, user_message
from steno.core.price import Prices
from steno.lab.as_json import TURNS_MOST, replay_report
from steno.lab.bill import ReplaySetting, is_refused_by, shared_characters
from steno.lab.judge import UseFinder, is_bare_list
from steno.lab.ours import StenoPolicy
from steno.lab.policies import STENO_POLICIES, start_policy
from steno.lab.recorded import RecordedSession, RecordedUse
from steno.lab.request import ReplayPart, ReplayPolicy, ReplayRequest
from steno.lab.run import replay_session
from steno.lab.text import argument_lines, full_text, names_in
from tests.support.coding_sessions import anthropic, codex, exchange, responses, session, tale
from tests.support.command_line import Run
from tests.support.promises import proves
from tests.support.sample_messages import TRACED

LINE = "total_amount = invoice.sum(limit=4711)"


def said(role: str, text: str) -> Message:
    return Message(role, (Text(text),))  # type: ignore[arg-type]


def lived(policy: ReplayPolicy, told: RecordedSession) -> ReplayPolicy:
    """The policy, asked before each reply and told everything."""
    for at, message in enumerate(told.messages):
        if at in told.requests:
            policy.request()
        policy.add(message)
    return policy


class Fixed:
    """Shows what it is told to show, request by request."""

    def __init__(self, *requests: ReplayRequest) -> None:
        self.requests = list(requests)
        self.commits = 0

    def add(self, message: Message) -> None:
        pass

    def request(self) -> ReplayRequest:
        return self.requests.pop(0)


@proves("replay.metric")
def test_a_name_and_a_line_that_a_call_repeats_are_used_again() -> None:
    told = tale(
        [
            {"role": "user", "content": "Look at src/app/main.py please"},
            *exchange("a", "read", {"path": "src/app/main.py"}, f"1\t{LINE}\n2\tshort"),
            *exchange("b", "edit", {"path": "src/app/main.py", "old": f"  {LINE}"}, "done"),
        ]
    )
    uses = {(use.what, use.text, use.at, use.holders) for use in told.uses[3]}
    assert uses == {
        ("need", "src/app/main.py", 3, (0, 1)),
        ("need", "invoice.sum", 3, (2,)),
        ("need", "total_amount", 3, (2,)),
        ("content", LINE, 3, (2,)),
    }
    assert [use.text for use in told.uses[1]] == ["src/app/main.py"]
    assert told.message_labels == ("user", "read call", "read result", "edit call", "edit result")


@proves("replay.metric")
def test_distance_is_measured_from_where_the_last_holder_began() -> None:
    use = RecordedUse("need", "x", 9, (1,), far=4_001)
    assert use.is_distant(2_000)
    assert not RecordedUse("need", "x", 9, (1,), far=4_000).is_distant(2_000)


@proves("replay.metric")
def test_names_are_paths_identifiers_hashes_numbers_and_addresses() -> None:
    text = (
        "see https://a.example/x, src/a.py, max_items, readFile, 3f9ac21b07 and 12345; "
        "not the, 123 or ab.c"
    )
    assert names_in(text) == {
        "https://a.example/x,",
        "src/a.py",
        "max_items",
        "readFile",
        "3f9ac21b07",
    }
    assert names_in("1234567.") == {"1234567"}
    assert argument_lines("no json") == argument_lines('["a list"]') == argument_lines("") == set()


@proves("replay.metric")
def test_blocks_of_a_message_are_lines_of_their_own() -> None:
    assert (
        full_text(Message("user", (Text("one"), Result("a", (Text("two"),)), Text("three"))))
        == "one\ntwo\nthree"
    )
    blocks = (Text("said"), Thinking("thought"), Call("a", "read", "{}"), Call("b", "edit", "{}"))
    assert full_text(Message("assistant", blocks)) == "saidthoughtread {}edit {}"


@proves("replay.metric")
def test_a_reply_in_several_items_is_one_request() -> None:
    """Three items each, of which the last one calls: what it uses counts for the request before
    the first.
    """
    chat = [
        {"role": "user", "content": "Look at src/app/main.py please"},
        *exchange("a", "read", {"path": "src/app/main.py"}, LINE),
        *exchange("b", "edit", {"old": LINE}, "done"),
    ]
    told = tale(responses(chat), wire="openai-responses")
    assert list(told.requests.items()) == [(1, range(1, 4)), (5, range(5, 8))]
    assert {(use.text, use.at) for use in told.uses[1]} == {("src/app/main.py", 3)}
    assert {(use.text, use.at, use.holders) for use in told.uses[5] if use.what == "content"} == {
        (LINE, 7, (4,))
    }
    twice = [
        {"type": "function_call", "call_id": id, "name": "read", "arguments": '{"p": "src/b.py"}'}
        for id in "ab"
    ]
    assert not tale(twice, wire="openai-responses").uses, "a reply cannot use what it says itself"
    assert len(tale(chat).requests) == len(tale(anthropic(chat), wire="anthropic").requests) == 2


@proves("replay.summary")
def test_in_a_summary_only_lines_that_cite_count() -> None:
    use = RecordedUse("need", "src/a.py", 5, (1,), 0)
    cited = ReplayPart.of(user_message("edited src/a.py [1]"), summary=True)
    silent = ReplayPart.of(user_message("edited src/a.py"), summary=True)
    assert UseFinder(1_000).update(ReplayRequest([cited])).find(use).visible == 1
    assert UseFinder(1_000).update(ReplayRequest([silent])).find(use).visible == 0
    indexed = ReplayPart.of(user_message("edited src/a.py with sys.argv[1]"), summary=True)
    assert UseFinder(1_000).update(ReplayRequest([indexed])).find(use).visible == 0
    assert (
        UseFinder(1_000)
        .update(ReplayRequest([ReplayPart.of(user_message("edited src/a.py"))]))
        .find(use)
        .visible
        == 1
    )


@proves("replay.summary")
def test_bare_lists_of_names_may_take_a_small_share_of_the_window() -> None:
    listing = "src/a.py, src/b.py, src/c.py, src/d.py [1-9]"
    assert (
        is_bare_list(listing)
        and is_bare_list("src/a.py [3]")
        and is_bare_list("a.b.c, d_e_f, g/h/i [1-9]")
    )
    assert not is_bare_list("edited src/a.py [3]") and not is_bare_list("done [3]")
    assert not is_bare_list("created src/a.py so that the importer reads invoices in order [3]")
    lists = ReplayPart.of(
        user_message("\n".join([listing, listing.replace("src", "lib")])), summary=True
    )
    room = UseFinder(1_000).update(ReplayRequest([lists]))  # 4 % of 4,000 characters holds both
    tight = UseFinder(300).update(ReplayRequest([lists]))  # 48 characters hold one
    for path, seen in (("src/a.py", 1), ("lib/a.py", 0)):
        use = RecordedUse("need", path, 5, (1,), 0)
        assert room.find(use).visible == 1
        assert tight.find(use).visible == seen


@proves("replay.summary")
def test_what_a_shown_pointer_covers_is_one_recall_away() -> None:
    seen = UseFinder(1_000).update(
        ReplayRequest([ReplayPart.of(user_message("nothing of it"))], (Span(3, 6),))
    )
    assert seen.find(RecordedUse("need", "x.py/y", 9, (1, 4), 0)).recallable == 1
    assert seen.find(RecordedUse("need", "x.py/y", 9, (1, 6), 0)).recallable == 0


@proves("replay.summary")
def test_what_counts_is_the_newest_request_alone() -> None:
    """One that goes on, one that dropped the first message, and lists whose room is used up by
    those before.
    """
    one, two = (ReplayPart.of(user_message(f"see src/{name}.py")) for name in ("one", "two"))
    lists = [
        ReplayPart.of(user_message(f"src/{name}/a.py, src/{name}/b.py [1]"), summary=True)
        for name in ("first", "second")
    ]
    seen = UseFinder(250)  # 40 characters of lists: one of them
    uses = {
        name: RecordedUse("need", f"src/{name}", 9, (1,), 0)
        for name in ("one", "two", "first", "second")
    }
    for parts, shown in (
        ([one], {"one"}),
        ([one, two], {"one", "two"}),
        ([two], {"two"}),
        ([lists[0], two], {"first", "two"}),
        ([lists[0], two, lists[1]], {"first", "two"}),
        ([lists[1], two], {"second", "two"}),
    ):
        seen.update(ReplayRequest(parts))
        assert {name for name, use in uses.items() if seen.find(use).visible} == shown
    assert seen.find(uses["one"], [two.message]).visible == 1


@proves("replay.summary")
def test_what_steno_says_of_what_it_covers_is_a_summary() -> None:
    """A trace shows the first question in a line that cites it, and counts all else."""
    asked = {"role": "user", "content": "Keep src/first/asked.py green."}
    told = tale(
        [
            asked,
            *(
                m
                for n in range(30)
                for m in exchange(f"c{n}", "look.at.this", {"n": n}, f"{n} " * 200)
            ),
        ]
    )
    policy = lived(StenoPolicy(2_000, STENO_POLICIES["truncate"]), told)
    shown = policy.request()
    [trace] = [part for part in shown.parts if part.summary]
    assert trace is shown.parts[0] and trace.kind == "shorthand"
    assert "41 messages" in trace.text and "src/first/asked.py" in trace.text
    alone = UseFinder(2_000).update(ReplayRequest([trace]))
    assert alone.find(RecordedUse("need", "src/first/asked.py", 61, (0,), 0)).visible == 1
    assert alone.find(RecordedUse("need", "look.at.this", 61, (1,), 0)).visible == 0


@proves("replay.summary")
def test_pointers_cover_what_fences_say() -> None:
    told = tale(
        [
            {
                "role": "user",
                "content": str(Fence({"kind": "trace", "covers": "0-40"}, "somebody else's")),
            },
            *exchange("a", "read", {}, "x" * 90_000),  # offloaded when it arrives
            *(m for n in range(30) for m in exchange(f"c{n}", "read", {"n": n}, f"{n} " * 200)),
        ]
    )
    policy = StenoPolicy(4_000, TRACED)
    for message in told.messages[:3]:
        policy.add(message)
    assert list(policy.request().pointers) == [Span(2, 3)]
    for message in told.messages[3:]:
        policy.add(message)
    request = policy.request()
    covered = next(item.span for item in policy.session.view.items if item.level)
    assert covered.start == 0 and request.pointers[0] == covered


@proves("replay.summary")
@pytest.mark.parametrize(
    "arguments", ['"<steno- free text"', "<steno- no json", '["<steno-"]', '{"a": "<steno-"}']
)
def test_odd_arguments_that_look_like_a_fence_are_no_pointer(arguments: str) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "run", "arguments": arguments}}
    policy = StenoPolicy(4_000, STENO_POLICIES["default"])
    policy.add(tale([{"role": "assistant", "content": None, "tool_calls": [call]}]).messages[0])
    assert policy.request().pointers == ()


@proves("replay.summary")
def test_free_text_in_short_points_to_where_it_is() -> None:
    """Custom tools take a text, not an object: in short it is a fence all the same."""
    patch = {
        "type": "custom_tool_call",
        "call_id": "a",
        "name": "apply_patch",
        "input": "+ line\n" * 3_000,
    }
    output = {"type": "custom_tool_call_output", "call_id": "a", "output": "done"}
    chat = [m for n in range(30) for m in exchange(f"c{n}", "read", {"n": n}, "x" * 400)]
    told = tale([patch, output, *responses(chat)], wire="openai-responses")
    shown = lived(StenoPolicy(8_000, TRACED, told.wire), told).request()
    assert Span(0, 1) in shown.pointers


@proves("replay.baselines")
def test_the_reserve_is_kept_free() -> None:
    told = tale(session(3, 60))
    setting, tight = ReplaySetting(window=8_000), ReplaySetting(window=8_000, reserve=4_000)
    free = replay_session(told, "default", start_policy("default", told, setting), setting)
    kept = replay_session(told, "default", start_policy("default", told, tight), tight)
    assert kept.peak <= 4_000 < free.peak and kept.commits > free.commits


@proves("replay.billing")
def test_billing_by_hand() -> None:
    """Three requests: all new; one message more; its first message changed."""
    one, two, three = (ReplayPart.of(said("user", letter * 4_000)) for letter in "abc")
    other = ReplayPart.of(said("user", "d" * 4_000))
    requests = (ReplayRequest([one]), ReplayRequest([one, two]), ReplayRequest([other, two, three]))
    told = tale([{"role": "assistant", "content": word} for word in ("a", "b", "c")])
    dollars = Prices(read=0.3, write=3.75)
    score = replay_session(
        told, "fixed", Fixed(*requests), ReplaySetting(window=2_500, dollars=dollars)
    )
    # Sizes are 1000, (8001 // 4) and (12002 // 4); a changed first message leaves nothing cached.
    assert [turn.load for turn in score.turns] == [1_000, 2_000, 3_000]
    assert [turn.billed for turn in score.turns] == [1_250, 100 + 1_250, 3_750]
    assert (score.sent, score.cached, score.billed) == (6_000, 1_000, 6_350)
    assert score.money == pytest.approx((1_000 * 0.3 + 5_000 * 3.75) / 1e6)
    assert (score.peak, score.over) == (3_000, 1)


@proves("replay.billing")
def test_a_pause_longer_than_the_cache_lives_is_paid_for() -> None:
    part = ReplayPart.of(said("user", "a" * 4_000))
    told = tale(
        [{"role": "assistant", "content": word} for word in "abc"], times=(0.0, 300.0, 601.0)
    )
    score = replay_session(told, "fixed", Fixed(*[ReplayRequest([part])] * 3), ReplaySetting())
    assert [turn.billed for turn in score.turns] == [1_250, 100, 1_250]


@proves("replay.billing")
def test_a_prefix_ends_at_the_first_message_that_differs() -> None:
    a, b, c = (ReplayPart.of(said("user", word)) for word in ("one", "three", "fifteen"))
    assert shared_characters((a, b, c), (a, ReplayPart.of(said("user", "three")), c)) == 15
    assert shared_characters((a, b, c), (a, c, b)) == 3
    assert shared_characters((), (a,)) == 0


@proves("replay.baselines")
def test_baselines_do_what_their_rules_say() -> None:
    """A window of 1,000 tokens; messages of 100 tokens each."""
    messages = [{"role": "user", "content": chr(97 + n) * 400} for n in range(9)]
    for name, left in (("none", "abcdefghi"), ("sliding", "defghi"), ("ratio", "efghi")):
        policy = start_policy(name, tale(messages), ReplaySetting(window=1_000))
        for message in tale(messages).messages:
            policy.add(message)
        assert "".join(part.text[0] for part in policy.request().parts) == left, name


@proves("replay.baselines")
def test_masking_clears_all_results_but_the_last_ten() -> None:
    """1,700 tokens in a window of 1,900: with the six oldest results cleared, nothing has to
    slide.
    """
    told = tale(
        [
            m
            for n in range(16)
            for m in exchange(f"c{n}", "read", {"n": n}, "x" * (600 if n < 6 else 300))
        ]
    )
    policy = start_policy("masking", told, ReplaySetting(window=1_900))
    for message in told.messages:
        policy.add(message)
    shown = policy.request().parts
    assert [part.text for part in shown if part.kind == "results"] == ["[cleared]"] * 6 + [
        "x" * 300
    ] * 10
    assert not is_refused_by((part.message for part in shown), "openai")
    assert policy.commits == 1


@proves("replay.baselines")
def test_masking_counts_results_and_not_messages() -> None:
    """Twelve results in one message, with words of the user behind them: the two oldest go, the
    words stay.
    """
    results = tuple(Result(str(n), (Text(str(n) * 400),)) for n in range(10, 22))
    policy = start_policy("masking", tale([]), ReplaySetting(window=2_500))
    policy.add(Message("user", (*results, Text("and now?"))))
    [part] = policy.request().parts
    assert part.text.split("\n") == ["[cleared]"] * 2 + [str(n) * 400 for n in range(12, 22)] + [
        "and now?"
    ]


@proves("replay.baselines")
def test_only_what_changed_counts_as_a_commit() -> None:
    """One message alone fills the window: there is no half of it to drop, and nothing to clear."""
    for name in ("ratio", "masking", "clairvoyant", "entries"):
        policy = start_policy(name, tale([]), ReplaySetting(window=1_000))
        policy.add(said("user", "x" * 3_500))
        shown = policy.request()
        assert policy.commits == (0 if shown.parts else 1), name


@proves("replay.baselines")
def test_the_summaries_of_two_designs_keep_what_they_say_they_keep() -> None:
    told = tale(
        [
            m
            for n in range(12)
            for m in (
                {"role": "user", "content": f"question {n} " + "x" * 200},
                {"role": "assistant", "content": f"answer {n} " + "y" * 200},
            )
        ]
    )
    a, b = (
        start_policy("snippets", told, ReplaySetting(window=1_400)),
        start_policy("entries", told, ReplaySetting(window=1_400)),
    )
    for message in told.messages:
        a.add(message)
        b.add(message)
    first, *recent = a.request().parts
    assert first.summary and len(recent) == 6 and recent[-1].text.startswith("answer 11")
    assert first.text.count("answer") == 5 and len(first.text) < 540 and first.text.endswith("...")
    first, *recent = b.request().parts
    assert first.summary and len(recent) == 3
    assert all(len(line) == 200 for line in first.text.split("\n"))


@proves("replay.baselines")
def test_an_orphan_is_refused_and_a_call_that_still_waits_is_not() -> None:
    call, result = tale(exchange("a", "read", {}, "x")).messages
    other, answer = tale(exchange("b", "read", {}, "x")).messages
    for wire in ("openai", "anthropic", "openai-responses"):
        assert not is_refused_by([call, result], wire)
        assert not is_refused_by([call], wire)
        assert is_refused_by([result], wire)
        assert is_refused_by([call, said("user", "and?")], wire)
        assert is_refused_by([call, result, said("assistant", "so"), answer], wire)
        assert is_refused_by([], wire)
        # One reply in two messages: one batch where the provider takes it as such.
        assert is_refused_by([call, other, result, answer], wire) == (wire == "openai")
        assert is_refused_by([call, other, result], wire) == (wire == "openai")
        assert is_refused_by([call, result, other, said("user", "and?")], wire)
        assert is_refused_by([call, other, result, said("assistant", "so"), answer], wire)


@proves("replay.command")
def test_the_command_says_it_in_a_table_as_json_and_as_a_page(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "agent.jsonl"
    file.write_text(
        "".join(json.dumps(message) + "\n" for message in session(7, 60)), encoding="utf-8"
    )
    told = run(
        "replay", file, "--window", "4k", "-p", "none,sliding,default", "-m", "claude-sonnet-4-5"
    )
    assert told.code == 0
    assert "sliding" in told.out and "money" in told.out and "read result" in told.out
    out = tmp_path / "out.html"
    made = run(
        "replay", file, "--window", "4k", "-p", "none,sliding,default", "--html", out, "--json"
    )
    assert made.code == 0
    assert [score["policy"] for score in made.json["totals"]] == ["none", "sliding", "default"]
    none, sliding, ours = made.json["totals"]
    assert none["content"]["distant"]["visible"] == none["content"]["distant"]["all"] > 0
    assert sliding["content"]["distant"]["lost"] > 0 == ours["content"]["distant"]["lost"]
    page = out.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "sliding" in page
    again = run("replay", file, "--html", out)
    assert again.code == 2 and "--overwrite" in again.err


@proves("replay.command")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-p", "slidng"), "there is no policy 'slidng'"),
        (("-w", "0"), "a window must hold more than its reserve"),
        (("--reserve", "32k"), "a window must hold more than its reserve"),
        (("-m", "gtp-5"), "no price is known for model 'gtp-5'"),
        (("-s", "nobody"), "holds no session 'nobody'"),
        (("--html", "no/such/folder/a.html"), "its folder does not exist"),
        (("--html", "-"), "--html takes the name of a file, got '-'"),
        (("--html", ""), "--html takes the name of a file, got ''"),
    ],
)
def test_a_wrong_question_is_refused_in_one_line(
    run: Run, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    file = tmp_path / "agent.jsonl"
    file.write_text(
        "".join(json.dumps(message) + "\n" for message in session(7, 4)), encoding="utf-8"
    )
    told = run("replay", file, *words)
    assert told.code == 2
    assert said in told.err and told.err.count("\n") == 1


@pytest.mark.slow
@proves("replay.command")
def test_many_sessions_are_shared_among_processes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from steno.cli import replay

    files = []
    for seed in range(3):
        files.append(tmp_path / f"{seed}.jsonl")
        files[-1].write_text(
            "".join(json.dumps(m) + "\n" for m in session(seed, 30)), encoding="utf-8"
        )
    words = ("replay", *files, "-w", "2k", "-p", "sliding,default", "--json")
    alone = run(*words, "-j", "1").json
    monkeypatch.setattr(replay, "WORTH_PROCESSES", 0)
    together = run(*words, "-j", "2").json
    for score in (*alone["totals"], *alone["scores"], *together["totals"], *together["scores"]):
        del score["ms_per_turn"]
    assert together == alone


def jsonl(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def kept(path: Path, **sessions: list[dict[str, object]]) -> Path:
    for name, messages in sessions.items():
        with Session(path, name=name, wire="openai", window=100_000) as made:
            made.add(*messages)
    return path


@proves("replay.command")
def test_the_page_is_never_written_over_what_is_read(run: Run, tmp_path: Path) -> None:
    first, second = (jsonl(tmp_path / f"{n}.jsonl", session(n, 4)) for n in range(2))
    before = second.read_bytes()
    for words in (("--html", second), ("--html", tmp_path / "." / "1.jsonl", "--overwrite")):
        told = run("replay", first, second, *words)
        assert told.code == 2 and "is the input, which is never touched" in told.err
    assert second.read_bytes() == before


@proves("replay.command")
@pytest.mark.parametrize("kind", ["openai", "anthropic", "responses", "codex", "store", "archive"])
def test_sessions_of_any_kind_replay(run: Run, tmp_path: Path, kind: str) -> None:
    """One session, told in every way: the same requests, the same lines used again, nothing
    illegal or lost.
    """
    chat, file = session(7, 60), tmp_path / "agent.jsonl"
    told = {"anthropic": anthropic, "responses": responses, "codex": codex}.get(kind)
    if kind in ("store", "archive"):
        file = kept(tmp_path / "agent.db", agent=chat)
    else:
        jsonl(file, told(chat) if told else chat)
    if kind == "archive":
        assert run("export", file, "--with-commits", "-o", tmp_path / "agent.steno").code == 0
        file = tmp_path / "agent.steno"
        assert "holds no session 'other'" in run("replay", file, "-s", "other").err
    made = run("replay", file, "-w", "4k", "-p", "none,default", "--json").json
    none, ours = made["totals"]
    assert made["sessions"][0]["requests"] == none["requests"] == 61
    assert none["content"]["distant"]["visible"] == none["content"]["distant"]["all"] >= 10
    assert (
        none["illegal"]
        == ours["illegal"]
        == ours["over"]
        == ours["content"]["distant"]["lost"]
        == 0
    )
    assert ours["commits"] > 0


@proves("replay.command")
def test_a_miss_is_opened_by_the_command_that_is_shown(run: Run, tmp_path: Path) -> None:
    """Whatever a session is called on the page and whatever was chosen: it names what `steno
    open` knows.
    """
    rows = [{"id": name, "messages": session(seed, 40)} for seed, name in enumerate("aba")]
    twins, alone = (
        jsonl(tmp_path / "twins.jsonl", rows),
        jsonl(tmp_path / "twins2.jsonl", rows[1:2]),
    )
    store = kept(tmp_path / "kept.db", b=session(4, 40), c=session(5, 40))
    made = run("replay", twins, alone, store, "-w", "2k", "-p", "sliding", "--json").json
    assert [each["name"] for each in made["sessions"]] == ["a", "b", "a (2)", "b (2)", "b (3)", "c"]
    assert [each["session"] for each in made["sessions"]] == ["0", "b", "2", None, "b", "c"]
    [chosen] = run("replay", twins, "-s", "b", "-w", "2k", "-p", "sliding", "--json").json[
        "sessions"
    ]
    assert chosen["session"] == "b", "the file holds others, chosen or not"
    for told, score in zip(made["sessions"], made["scores"], strict=True):
        miss = next(each for each in score["misses"] if each["what"] == "content")
        words = () if told["session"] is None else ("--session", told["session"])
        assert miss["text"] in run("open", told["file"], miss["opens"], *words, wide=True).out
    piped = run("replay", "-", "-w", "2k", "-p", "sliding", "--json", stdin=alone.read_bytes()).json
    assert piped["sessions"][0]["file"] is None
    assert {miss["opens"] for miss in piped["scores"][0]["misses"]} == {None}


@proves("replay.command")
def test_positions_agree_with_open_after_an_agents_own_compaction(run: Run, tmp_path: Path) -> None:
    """Codex compacted in between: what was said before cannot be opened, what came later by its
    new number.
    """
    before, after = codex(session(1, 30)), codex(session(2, 30))[1:]
    shown = responses([{"role": "user", "content": f"in short, {n}"} for n in range(100)])
    payload = {"message": "", "replacement_history": shown}
    boundary = {"timestamp": "2026-01-01T00:00:00Z", "type": "compacted", "payload": payload}
    file = jsonl(tmp_path / "rollout.jsonl", [*before, boundary, *after])
    gone = sum(row["type"] == "response_item" for row in before)
    misses = run("replay", file, "-w", "2k", "-p", "sliding", "--json").json["scores"][0]["misses"]
    assert any(gone - len(shown) <= miss["said"] < gone for miss in misses)
    for miss in misses:
        assert miss["opens"] == (None if miss["said"] < gone else miss["said"] - gone + len(shown))
    last = misses[-1]
    assert last["text"] in run("open", file, last["opens"], wide=True).out


@pytest.mark.slow
@proves("replay.command")
def test_positions_agree_with_open_after_stenos_own_compaction(run: Run, tmp_path: Path) -> None:
    chat = session(1, 40)
    file, short = jsonl(tmp_path / "chat.jsonl", chat), tmp_path / "short.jsonl"
    assert run("compact", file, "-w", "8k", "-o", short).code == 0
    assert len(short.read_text().splitlines()) < len(chat)
    longer = jsonl(
        tmp_path / "longer.jsonl",
        [*map(json.loads, short.read_text().splitlines()), *session(3, 30)[1:]],
    )
    made = run("replay", longer, "-w", "2k", "-p", "sliding", "--json").json
    misses = [miss for miss in made["scores"][0]["misses"] if miss["opens"] is not None]
    assert any(miss["opens"] != miss["said"] for miss in misses)
    for miss in misses:
        assert miss["text"] in run("open", longer, miss["opens"], wide=True).out


@proves("replay.command")
def test_the_command_that_is_stated_can_be_run(run: Run, tmp_path: Path) -> None:
    store = kept(tmp_path / "my agents.db", **{"it's one": session(4, 20)}, other=session(5, 4))
    words = ("-w", "2k", "-p", "none,sliding", "--reserve", "500", "-s", "it's one", "-m", "gpt-5")
    made = run("replay", store, *words, "--json").json
    command = shlex.split(made["command"])
    assert command[0] == "steno" and "--session" in command and "--reserve" in command
    again = run(*command[1:], "--json").json
    for score in (*made["totals"], *made["scores"], *again["totals"], *again["scores"]):
        del score["ms_per_turn"]
    assert again == made


@proves("replay.billing")
def test_billed_is_what_the_model_asks(run: Run, tmp_path: Path) -> None:
    """Without a model by the metric's shares.

    Gpt-5 reads at a tenth, and writes for no more than plain input.
    """
    file = jsonl(tmp_path / "a.jsonl", session(7, 20))
    prices = {}
    for model in (None, "claude-sonnet-4-5", "gpt-5", "deepseek-chat"):
        made = run("replay", file, "-p", "none", *(("-m", model) if model else ()), "--json").json
        [score], prices[model] = made["totals"], made["prices"]
        read, write = (prices[model][key] / prices[model]["input"] for key in ("read", "write"))
        new = score["sent"] - score["cached"]
        assert abs(score["billed"] - (read * score["cached"] + write * new)) <= score["requests"]
    shares = {model: round(each["write"] / each["input"], 3) for model, each in prices.items()}
    assert shares == {None: 1.25, "claude-sonnet-4-5": 1.25, "gpt-5": 1, "deepseek-chat": 1}
    assert [each["lifetime"] for each in prices.values()] == [300, 300, 300, 7_200]


@proves("replay.billing")
def test_a_cache_lives_as_long_as_its_provider_lets_it() -> None:
    part = ReplayPart.of(said("user", "a" * 4_000))
    told = tale([{"role": "assistant", "content": word} for word in "ab"], times=(0.0, 3_600.0))
    for lifetime, cached in ((300.0, 0), (7_200.0, 1_000)):
        dollars = Prices(0.1, 1.0, 1.0, lifetime=lifetime)
        setting = ReplaySetting(prices=dollars.relative_to_input, dollars=dollars)
        score = replay_session(told, "fixed", Fixed(*[ReplayRequest([part])] * 2), setting)
        assert score.cached == cached
        assert score.money == pytest.approx((2_000 - 0.9 * cached) / 1e6)


@proves("report.page")
def test_a_long_session_is_thinned_at_the_same_places_for_every_policy() -> None:
    told = tale(session(7, 1_100, lines=4))
    scores = [
        replay_session(
            told, name, start_policy(name, told, ReplaySetting(2_000)), ReplaySetting(2_000)
        )
        for name in ("none", "sliding")
    ]
    none, sliding = (
        each["turns"]
        for each in replay_report([told], scores, ReplaySetting(2_000), command="", model=None)[
            "scores"
        ]
    )
    assert none["number"] == sliding["number"] == [*range(1, 1_101, 3), 1_101]
    assert none["at"] == sliding["at"] and len(none["at"]) <= TURNS_MOST + 1
    turns = scores[1].turns
    assert [turns[n - 1].load for n in sliding["number"]] == sliding["load"]
    committed = [n for n, turn in enumerate(turns, start=1) if turn.committed]
    assert len(committed) == scores[1].commits > 20
    marked = {sliding["number"][at] for at in sliding["commits"]}
    assert marked == {
        next(number for number in sliding["number"] if number >= n) for n in committed
    }
    assert sum(sliding["made_of_all"].values()) == pytest.approx(scores[1].sent, rel=0.01)


@pytest.mark.slow
@proves("replay.linear")
def test_a_request_that_goes_on_costs_what_is_new_in_it() -> None:
    """Five times the session under `none`, where every request holds all before: that is not
    read anew.
    """
    seconds = []
    for turns in (600, 3_000):
        told = tale(session(7, turns, lines=4))
        assert told.uses and told.message_labels
        start = process_time()
        replay_session(told, "none", start_policy("none", told, ReplaySetting()), ReplaySetting())
        seconds.append(process_time() - start)
    assert seconds[1] < 18 * seconds[0], "twenty-five times, were all of it searched"
