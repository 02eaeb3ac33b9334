"""Replay by hand: small sessions whose figures anybody can work out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coming_back import exchange, session, tale
from promise import proves
from steno.core.message import Message, Text, user
from steno.core.price import Prices
from steno.core.span import Span
from steno.replay.judge import Seen, is_bare
from steno.replay.legal import refused
from steno.replay.policies import player
from steno.replay.request import Part, Request
from steno.replay.run import Setting, replayed, shared
from steno.replay.tale import Use
from steno.replay.words import names, written_lines
from test_commands import Run, run  # noqa: F401 — a fixture

LINE = "total_amount = invoice.sum(limit=4711)"


def said(role: str, text: str) -> Message:
    return Message(role, (Text(text),))  # type: ignore[arg-type]


class Fixed:
    """Shows what it is told to show, request by request."""

    def __init__(self, *requests: Request) -> None:
        self.requests = list(requests)
        self.commits = 0

    def add(self, message: Message) -> None:
        pass

    def request(self) -> Request:
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
    assert told.places == ("user", "read call", "read result", "edit call", "edit result")


@proves("replay.metric")
def test_distance_is_measured_from_where_the_last_holder_began() -> None:
    use = Use("need", "x", 9, (1,), far=4_001)
    assert use.distant(2_000)
    assert not Use("need", "x", 9, (1,), far=4_000).distant(2_000)


@proves("replay.metric")
def test_names_are_paths_identifiers_hashes_numbers_and_addresses() -> None:
    text = "see https://a.example/x, src/a.py, max_items, readFile, 3f9ac21b07 and 12345; not the, 123 or ab.c"
    assert names(text) == {"https://a.example/x,", "src/a.py", "max_items", "readFile", "3f9ac21b07"}
    assert names("1234567.") == {"1234567"}
    assert written_lines("no json") == written_lines('["a list"]') == written_lines("") == set()


@proves("replay.summary")
def test_in_a_summary_only_lines_that_cite_count() -> None:
    use = Use("need", "src/a.py", 5, (1,), 0)
    cited = Part.of(user("edited src/a.py [1]"), summary=True)
    silent = Part.of(user("edited src/a.py"), summary=True)
    assert Seen.of(Request([cited]), 1_000).tally(use).visible == 1
    assert Seen.of(Request([silent]), 1_000).tally(use).visible == 0
    assert Seen.of(Request([Part.of(user("edited src/a.py"))]), 1_000).tally(use).visible == 1


@proves("replay.summary")
def test_bare_lists_of_names_may_take_a_small_share_of_the_window() -> None:
    listing = "src/a.py, src/b.py, src/c.py, src/d.py [1-9]"
    assert is_bare(listing)
    assert not is_bare("created src/a.py so that the importer reads invoices in order [3]")
    lists = Part.of(user("\n".join([listing, listing.replace("src", "lib")])), summary=True)
    room = Seen.of(Request([lists]), 1_000)  # 4 % of 4,000 characters holds both
    tight = Seen.of(Request([lists]), 300)  # 48 characters hold one
    for path, seen in (("src/a.py", 1), ("lib/a.py", 0)):
        use = Use("need", path, 5, (1,), 0)
        assert room.tally(use).visible == 1
        assert tight.tally(use).visible == seen


@proves("replay.summary")
def test_what_a_shown_pointer_covers_is_one_recall_away() -> None:
    seen = Seen("nothing of it", (Span(3, 6),))
    assert seen.tally(Use("need", "x.py/y", 9, (1, 4), 0)).recallable == 1
    assert seen.tally(Use("need", "x.py/y", 9, (1, 6), 0)).recallable == 0


@proves("replay.billing")
def test_billing_by_hand() -> None:
    """Three requests: all new; one message more; its first message changed."""
    one, two, three = (Part.of(said("user", letter * 4_000)) for letter in "abc")
    other = Part.of(said("user", "d" * 4_000))
    requests = (Request([one]), Request([one, two]), Request([other, two, three]))
    told = tale([{"role": "assistant", "content": word} for word in ("a", "b", "c")])
    dollars = Prices(read=0.3, write=3.75)
    score = replayed(told, "fixed", Fixed(*requests), Setting(window=2_500, dollars=dollars))
    # Sizes are 1000, (8001 // 4) and (12002 // 4); a changed first message leaves nothing cached.
    assert [turn.load for turn in score.turns] == [1_000, 2_000, 3_000]
    assert [turn.billed for turn in score.turns] == [1_250, 100 + 1_250, 3_750]
    assert (score.sent, score.cached, score.billed) == (6_000, 1_000, 6_350)
    assert score.money == pytest.approx((1_000 * 0.3 + 5_000 * 3.75) / 1e6)
    assert (score.peak, score.over) == (3_000, 1)


@proves("replay.billing")
def test_a_pause_longer_than_the_cache_lives_is_paid_for() -> None:
    part = Part.of(said("user", "a" * 4_000))
    told = tale([{"role": "assistant", "content": word} for word in "abc"], times=(0.0, 300.0, 601.0))
    score = replayed(told, "fixed", Fixed(*[Request([part])] * 3), Setting())
    assert [turn.billed for turn in score.turns] == [1_250, 100, 1_250]


@proves("replay.billing")
def test_a_prefix_ends_at_the_first_message_that_differs() -> None:
    a, b, c = (Part.of(said("user", word)) for word in ("one", "three", "fifteen"))
    assert shared((a, b, c), (a, Part.of(said("user", "three")), c)) == 15
    assert shared((a, b, c), (a, c, b)) == 3
    assert shared((), (a,)) == 0


@proves("replay.baselines")
def test_baselines_do_what_their_rules_say() -> None:
    """A window of 1,000 tokens; messages of 100 tokens each."""
    messages = [{"role": "user", "content": chr(97 + n) * 400} for n in range(9)]
    for name, left in (("none", "abcdefghi"), ("sliding", "defghi"), ("ratio", "efghi")):
        policy = player(name, tale(messages), Setting(window=1_000))
        for message in tale(messages).messages:
            policy.add(message)
        assert "".join(part.text[0] for part in policy.request().parts) == left, name


@proves("replay.baselines")
def test_masking_clears_all_results_but_the_last_ten() -> None:
    """1,700 tokens in a window of 1,900: with the six oldest results cleared, nothing has to slide."""
    told = tale([m for n in range(16) for m in exchange(f"c{n}", "read", {"n": n}, "x" * (600 if n < 6 else 300))])
    policy = player("masking", told, Setting(window=1_900))
    for message in told.messages:
        policy.add(message)
    shown = policy.request().parts
    assert [part.text for part in shown if part.kind == "results"] == ["[cleared]"] * 6 + ["x" * 300] * 10
    assert not refused(part.message for part in shown)
    assert policy.commits == 1


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
    a, b = player("snippets", told, Setting(window=1_400)), player("entries", told, Setting(window=1_400))
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
    assert not refused([call, result])
    assert not refused([call])
    assert refused([result])
    assert refused([call, said("user", "and?")])
    assert refused([])


@proves("replay.command")
def test_the_command_says_it_in_a_table_as_json_and_as_a_page(run: Run, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "agent.jsonl"
    file.write_text("".join(json.dumps(message) + "\n" for message in session(7, 60)), encoding="utf-8")
    told = run("replay", file, "--window", "4k", "-p", "none,sliding,default", "-m", "claude-sonnet-4-5")
    assert told.code == 0
    assert "sliding" in told.out and "cost" in told.out and "read result" in told.out
    out = tmp_path / "out.html"
    made = run("replay", file, "--window", "4k", "-p", "none,sliding,default", "--html", out, "--json")
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
        (("--html", "no/such/folder/a.html"), "its folder is not there"),
    ],
)
def test_a_wrong_question_is_refused_in_one_line(run: Run, tmp_path: Path, words: tuple[str, ...], said: str) -> None:  # noqa: F811
    file = tmp_path / "agent.jsonl"
    file.write_text("".join(json.dumps(message) + "\n" for message in session(7, 4)), encoding="utf-8")
    told = run("replay", file, *words)
    assert told.code == 2
    assert said in told.err and told.err.count("\n") == 1


@proves("replay.command")
def test_many_sessions_are_shared_among_processes(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    from steno.service.commands import replay

    files = []
    for seed in range(3):
        files.append(tmp_path / f"{seed}.jsonl")
        files[-1].write_text("".join(json.dumps(m) + "\n" for m in session(seed, 30)), encoding="utf-8")
    words = ("replay", *files, "-w", "2k", "-p", "sliding,default", "--json")
    alone = run(*words, "-j", "1").json
    monkeypatch.setattr(replay, "WORTH_PROCESSES", 0)
    together = run(*words, "-j", "2").json
    for score in (*alone["totals"], *alone["scores"], *together["totals"], *together["scores"]):
        del score["ms_per_turn"]
    assert together == alone
