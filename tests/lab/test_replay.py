"""Replay by hand: small sessions whose figures anybody can work out."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from time import process_time

import pytest

from steno import Session
from steno.core.fence import Fence
from steno.core.message import Call, Message, Result, Span, Text, Thinking, user_message
from steno.core.price import Prices
from steno.lab.as_json import TURNS_MOST, replay_report
from steno.lab.bill import MessageOrder, ReplaySetting, shared_characters
from steno.lab.judge import Tally, UseFinder, mean_loss, mean_visible
from steno.lab.ours import StenoPolicy
from steno.lab.policies import STENO_POLICIES, start_policy
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayPart, ReplayPolicy, ReplayRequest
from steno.lab.run import replay_session
from steno.lab.text import full_text, line_runs, names_in, old_texts, tells_something
from steno.lab.uses import MEASURES, Measure, RecordedUse
from steno.providers import encode_messages, get_wire
from tests.support.coding_sessions import (
    anthropic,
    codex,
    exchange,
    responses,
    returning_session,
    session,
    tale,
)
from tests.support.command_line import Run
from tests.support.promises import proves
from tests.support.sample_messages import TRACED

LINE = "total_amount = invoice.sum(limit=4711)"


def is_refused_by(messages: Iterable[Message], wire: str) -> bool:
    """Tell whether a provider would refuse a list of messages."""
    order = MessageOrder.for_wire(wire)
    for message in messages:
        order = order.then(message)
    return order.is_refused


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


def used(told: RecordedSession, measure: str) -> list[RecordedUse]:
    """What a session used again by one measure, near or far, in order."""
    return [use for uses in told.uses.values() for use in uses if use.measure == measure]


def finds(parts: list[str], measure: Measure, text: str) -> bool:
    """Whether a request of these messages shows something."""
    request = ReplayRequest([ReplayPart.of(user_message(part)) for part in parts])
    return UseFinder().update(request).find(RecordedUse(measure, text, 9, (1,))).visible == 1


FILE = """\
1\tdef total(invoice):
2\t    amount = invoice.sum(limit=4711)
3\t    return round(amount, invoice.digits)
4\t"""


@proves("replay.metric")
def test_names_edits_and_reads_are_used_again() -> None:
    old = "    amount = invoice.sum(limit=4711)\n    return round(amount, invoice.digits)"
    told = tale(
        [
            {"role": "user", "content": "Look at src/app/main.py please"},
            *exchange("a", "read", {"path": "src/app/main.py"}, FILE),
            *exchange("b", "edit", {"path": "src/app/main.py", "old_string": old}, "done"),
            *exchange("c", "read", {"path": "src/app/main.py"}, FILE),
        ]
    )
    names = {(use.text, use.at, use.holders) for use in used(told, "names")}
    assert names == {
        ("src/app/main.py", 1, (0,)),
        ("src/app/main.py", 3, (0, 1)),
        ("invoice.sum", 3, (2,)),
        ("invoice.digits", 3, (2,)),
        ("src/app/main.py", 5, (0, 1, 3)),
    }
    [edit] = used(told, "edits")
    plain = "amount = invoice.sum(limit=4711)\nreturn round(amount, invoice.digits)"
    assert (edit.text, edit.at, edit.holders) == (plain, 3, (2,))
    [read] = used(told, "reads")
    assert (read.text, read.at, read.holders) == (f"def total(invoice):\n{plain}", 6, (2,))
    assert read in told.uses[5], "the request before the read should have shown it"
    labels = ("user", "read call", "read result", "edit call", "edit result")
    assert told.message_labels[:5] == labels


@proves("replay.metric")
def test_an_edit_must_have_stood_somewhere_in_one_piece() -> None:
    """Lines of two messages, a text that nobody said, and one too short to mean anything."""
    told = tale(
        [
            {"role": "user", "content": "first_line = of_the_file(here)"},
            {"role": "user", "content": "second_line = of_the_file(there)"},
            *exchange(
                "a",
                "edit",
                {"old_string": "first_line = of_the_file(here)\nsecond_line = of_the_file(there)"},
                "done",
            ),
            *exchange("b", "edit", {"old_string": "never_said = by_anybody(at_all)"}, "done"),
            *exchange("c", "edit", {"old_string": "first_line ="}, "done"),
        ]
    )
    assert used(told, "edits") == []


@proves("replay.metric")
def test_old_texts_of_every_kind_of_edit_are_read() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@ def total\n kept before\n-taken away\n"
        "+put there\n kept after\n@@\n-other\n*** End Patch"
    )
    several = {"edits": [{"old_string": "one"}, {"old_string": "two"}, "no edit"]}
    for arguments, olds in (
        (json.dumps({"old_string": "one", "new_string": "two"}), ["one"]),
        (json.dumps(several), ["one", "two"]),
        (patch, ["kept before\ntaken away\nkept after", "other"]),
        (json.dumps({"input": patch}), ["kept before\ntaken away\nkept after", "other"]),
        ("no json", []),
        ('["a list"]', []),
        ("", []),
    ):
        assert [old for old in old_texts(Call("a", "edit", arguments)) if old] == olds


@proves("replay.metric")
def test_typed_words_and_closing_replies_are_looked_for_at_every_tenth_request() -> None:
    typed = "Keep   the tests green.\n\n<system-reminder>never typed</system-reminder>"
    told = tale(
        [
            {"role": "user", "content": typed},
            *[m for n in range(8) for m in exchange(f"c{n}", "run", {"n": n}, "done")],
            {"role": "assistant", "content": "All green now."},
            {"role": "user", "content": "<command-name>/clear</command-name>"},
            {"role": "user", "content": "Now the docs."},
            {"role": "user", "content": "<surroundings>\n<day>Monday</day>\n</surroundings>"},
            {"role": "user", "content": "pasted " * 300},
            {"role": "assistant", "content": "They are written."},
        ]
    )
    last = max(told.requests)
    assert [(use.text, use.at, use.holders) for use in used(told, "typed")] == [
        ("Keep   the tests green.", last, (0,)),
        ("Now the docs.", last, (19,)),
    ]
    assert [(use.text, use.holders) for use in used(told, "closing")] == [("All green now.", (17,))]
    assert all(use.counts_in(10**9) for use in told.uses[last])


@proves("replay.metric")
def test_distance_is_measured_from_where_the_last_holder_began() -> None:
    use = RecordedUse("names", "x", 9, (1,), far=4_001)
    assert use.counts_in(2_000)
    assert not RecordedUse("names", "x", 9, (1,), far=4_000).counts_in(2_000)


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


def test_data_without_a_break_is_no_name_and_is_passed_over() -> None:
    # Every place of it was tried as the beginning of a name: 60 KB took minutes.
    assert names_in("a" * 60_000 + " src/parser.py") == {"src/parser.py"}
    assert names_in("/a" * 30_000 + " snake_case_name") == {"snake_case_name"}
    assert names_in("__a a_ _a.b aB a_b. aaBbCc1 12ab.cdef_") == {"aaBbCc1", "ab.cdef_"}


@proves("replay.metric")
def test_arguments_are_decoded_before_names_are_read() -> None:
    """In JSON a line break is an escape, and `\\tconfigDisplay` was never a name."""
    chat = [
        {"role": "user", "content": "set configDisplay in src/app.ts"},
        *exchange("a", "edit", {"list": [{"to": "\tconfigDisplay\nsrc/app.ts"}], "n": 7}, "done"),
    ]
    assert [use.text for use in used(tale(chat), "names")] == ["configDisplay", "src/app.ts"]
    assert full_text(tale(chat).messages[1]) == "\n\nedit \tconfigDisplay\nsrc/app.ts"


@proves("replay.metric")
def test_blocks_of_a_message_are_lines_of_their_own() -> None:
    said = Message("user", (Text("one"), Result("a", (Text("two"),)), Text("three")))
    assert full_text(said) == "one\ntwo\nthree\n"
    blocks = (Text("said"), Thinking("thought"), Call("a", "read", "{}"), Call("b", "edit", "x y"))
    assert full_text(Message("assistant", blocks)) == "said\nthought\nread \nedit x y"


@proves("replay.metric")
def test_a_reply_in_several_items_is_one_request() -> None:
    """Three items each, of which the last one calls: what it uses counts for the request before
    the first.
    """
    chat = [
        {"role": "user", "content": "Look at src/app/main.py please"},
        *exchange("a", "read", {"path": "src/app/main.py"}, LINE),
        *exchange("b", "edit", {"old_string": LINE}, "done"),
    ]
    told = tale(responses(chat), wire="openai-responses")
    assert list(told.requests.items()) == [(1, range(1, 4)), (5, range(5, 8))]
    assert {(use.text, use.at) for use in told.uses[1]} == {("src/app/main.py", 3)}
    [edit] = used(told, "edits")
    assert edit in told.uses[5] and (edit.text, edit.at, edit.holders) == (LINE, 7, (4,))
    twice = [
        {"type": "function_call", "call_id": id, "name": "read", "arguments": '{"p": "src/b.py"}'}
        for id in "ab"
    ]
    assert not tale(twice, wire="openai-responses").uses, "a reply cannot use what it says itself"
    assert len(tale(chat).requests) == len(tale(anthropic(chat), wire="anthropic").requests) == 2


@proves("replay.metric")
def test_a_session_tells_its_agent_by_its_tools() -> None:
    for tools, agent in (
        (("Read", "Edit", "mcp__linear__get"), "Claude Code"),
        (("exec_command", "apply_patch"), "Codex"),
        (("bash", "view", "edit"), "Copilot"),
        (("bash", "read", "edit"), "pi"),
        (("look_around",), "other"),
        ((), "other"),
    ):
        calls = [m for n, tool in enumerate(tools) for m in exchange(f"c{n}", tool, {}, "")]
        assert tale(calls).agent == agent


@proves("replay.whole")
def test_a_name_counts_in_a_line_that_tells_something() -> None:
    listing = "src/a.py, src/b.py, src/c.py, src/d.py [1–9]"
    assert not tells_something(listing) and not tells_something("- max_items, readFile, 3f9ac21b")
    for line in ("edited src/a.py [3]", "src/a.py, src/b.py", "first, the file, then its tests"):
        assert tells_something(line)
    assert not finds([listing], "names", "src/a.py")
    assert finds([listing, "edited src/a.py twice"], "names", "src/a.py")


@proves("replay.whole")
def test_an_edit_counts_where_it_stands_in_one_piece() -> None:
    text = "amount = invoice.sum(limit=4711)\nreturn round(amount)"
    numbered = "7\t    amount = invoice.sum(limit=4711)\n8\t\n9\t    return round(amount)"
    assert finds(["before", numbered], "edits", text), "indents, numbers, blank lines aside"
    first, second = text.split("\n")
    assert not finds([first, second], "edits", text), "strewn over two messages"
    assert not finds([f"{first}\n…\n{second}"], "edits", text), "something left out between"


@proves("replay.whole")
def test_a_read_was_not_needed_if_its_three_lines_stand_together() -> None:
    lines = [f"    row_{n} = table.read(number={n})" for n in range(5)]
    run = "\n".join(line.strip() for line in lines[1:4])
    assert line_runs([line.strip() for line in lines])[1] == run
    assert finds(["\n".join(lines)], "reads", run)
    assert not finds(["\n".join(lines[:3]), "\n".join(lines[3:])], "reads", run)
    assert line_runs(["{", "}", "};"]) == [], "too short to mean anything"


@proves("replay.whole")
def test_what_a_shown_pointer_covers_is_one_recall_away() -> None:
    shown = [ReplayPart.of(user_message("nothing of it"))]
    seen = UseFinder().update(ReplayRequest(shown, (Span(3, 6),)))
    assert seen.find(RecordedUse("names", "x.py/y", 9, (1, 4))).recallable == 1
    assert seen.find(RecordedUse("names", "x.py/y", 9, (1, 6))).recallable == 0


@proves("replay.whole")
def test_what_counts_is_the_newest_request_alone() -> None:
    """One that goes on, one that dropped the first message, and one that came back."""
    rows = {
        name: [f"    {name}_{n} = table.read({n})" for n in range(3)] for name in ("one", "two")
    }
    parts = {name: ReplayPart.of(user_message("\n".join(lines))) for name, lines in rows.items()}
    seen = UseFinder()
    for shown in (["one"], ["one", "two"], ["two"], ["two", "one"], ["two", "one", "two"], []):
        seen.update(ReplayRequest([parts[name] for name in shown]))
        for name, lines in rows.items():
            run = "\n".join(line.strip() for line in lines)
            for measure, text in (("reads", run), ("edits", run), ("names", f"{name}_1")):
                use = RecordedUse(measure, text, 9, (1,))  # type: ignore[arg-type]
                assert seen.find(use).visible == (name in shown)


@proves("replay.means")
def test_a_mean_counts_each_session_once_and_has_an_interval() -> None:
    found = mean_visible([Tally(1_000, 1_000), Tally(4, 1), Tally(2, 0), Tally()])
    assert found is not None, "two uses are chance, and no use is no share"
    assert (found.mean, found.count) == (0.625, 2)
    assert (found.low, found.high) == (0.25, 1.0), "either session alone may be drawn"
    few = mean_visible([Tally(2, 1)])
    assert few is not None and (few.mean, few.low, few.high, few.count) == (0.5, 0.5, 0.5, 1)
    assert mean_visible([Tally(), Tally()]) is None
    many = [Tally(10, hits) for hits in (2, 3, 4, 5, 6, 7, 8)]
    wide = mean_visible(many)
    narrow = mean_visible(many * 9)
    assert wide is not None and narrow is not None
    assert wide.low < narrow.low < 0.5 < narrow.high < wide.high
    assert mean_visible(many) == wide, "the seed is fixed"
    lost = mean_loss([Tally(4, 1, 2)])
    assert lost is not None and lost.mean == 0.25


@proves("replay.whole")
def test_what_steno_says_of_what_it_covers_is_a_summary() -> None:
    """A trace shows the first question in a line, and counts all else."""
    asked = {"role": "user", "content": "Keep src/first/asked.py green."}
    told = tale(
        [
            asked,
            {"role": "assistant", "content": "I will."},
            *(
                m
                for n in range(30)
                for m in exchange(f"c{n}", "look.at.this", {"n": n}, f"{n} " * 200)
            ),
        ]
    )
    policy = lived(StenoPolicy.bare(2_000, STENO_POLICIES["truncate"]), told)
    shown = policy.request()
    [trace] = [part for part in shown.parts if part.kind == "shorthand"]
    assert trace is shown.parts[0]
    assert "24 assistant, 23 tool" in trace.text and "src/first/asked.py" in trace.text
    alone = UseFinder().update(ReplayRequest([trace]))
    assert alone.find(RecordedUse("names", "src/first/asked.py", 61, (0,))).visible == 1
    assert alone.find(RecordedUse("names", "look.at.this", 61, (1,))).visible == 0


@proves("replay.whole")
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
    policy = StenoPolicy.bare(4_000, TRACED)
    for message in told.messages[:3]:
        policy.add(message)
    assert list(policy.request().pointers) == [Span(2, 3)]
    for message in told.messages[3:]:
        policy.add(message)
    request = policy.request()
    covered = next(item.span for item in policy.session.view.items if item.level)
    assert covered.start == 0 and request.pointers[0] == covered


@proves("replay.whole")
@pytest.mark.parametrize(
    "arguments", ['"<steno- free text"', "<steno- no json", '["<steno-"]', '{"a": "<steno-"}']
)
def test_odd_arguments_that_look_like_a_fence_are_no_pointer(arguments: str) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "run", "arguments": arguments}}
    policy = StenoPolicy.bare(4_000, STENO_POLICIES["default"])
    policy.add(tale([{"role": "assistant", "content": None, "tool_calls": [call]}]).messages[0])
    assert policy.request().pointers == ()


@proves("replay.whole")
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
    shown = lived(StenoPolicy.bare(8_000, TRACED, told.wire), told).request()
    assert Span(0, 1) in shown.pointers


@pytest.mark.slow
@proves("replay.baselines")
def test_the_reserve_is_kept_free() -> None:
    told = tale(returning_session(3, 60))
    setting, tight = ReplaySetting(window=8_000), ReplaySetting(window=8_000, reserve=4_000)
    free = replay_session(told, "default", start_policy("default", told, setting), setting)
    kept = replay_session(told, "default", start_policy("default", told, tight), tight)
    assert kept.peak <= 4_000 < free.peak and kept.commits > free.commits


@pytest.mark.slow
@proves("replay.baselines")
def test_steno_is_replayed_as_a_user_gets_it() -> None:
    """`session` has the reserve and the meter of `Session(window=…)`, `default` has neither."""
    told = tale(returning_session(3, 90))
    setting = ReplaySetting(window=8_000)
    policy = start_policy("session", told, setting)
    assert isinstance(policy, StenoPolicy)
    with Session(wire="openai", window=8_000) as alone:
        assert policy.session._parts.settings.meter.name == alone._parts.settings.meter.name
        assert policy.session.budget == alone.budget
        for at, message in enumerate(told.messages):
            if at in told.requests:
                shown = [part.message for part in policy.request().parts]
                alone.messages()
                assert shown == [m for m in alone.view.visible_messages if m.blocks]
            policy.add(message)
            alone.add(*encode_messages(get_wire("openai"), [message]))
    assert policy.commits == len(alone.log.commits) > 0


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
    # Each message is 4,000 letters and a line break; a changed first one leaves nothing cached.
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
    assert shared_characters((a, b, c), (a, ReplayPart.of(said("user", "three")), c)) == 18
    assert shared_characters((a, b, c), (a, c, b)) == 4, "with a line break after each"
    assert shared_characters((), (a,)) == 0


@proves("replay.baselines")
def test_baselines_do_what_their_rules_say() -> None:
    """A window of 1,000 tokens; messages of 100 tokens each."""
    messages = [{"role": "user", "content": chr(97 + n) * 399} for n in range(9)]
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
    assert [part.text.strip() for part in shown if part.kind == "results"] == ["[cleared]"] * 6 + [
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
    recorded = tale([{"role": "user", "content": "x" * 3_500}])
    for name in ("ratio", "masking", "clairvoyant", "entries"):
        policy = start_policy(name, recorded, ReplaySetting(window=1_000))
        policy.add(recorded.messages[0])
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
    assert (
        first.kind == "shorthand" and len(recent) == 6 and recent[-1].text.startswith("answer 11")
    )
    assert (
        first.text.count("answer") == 5 and len(first.text) < 540 and first.text.endswith("...\n")
    )
    first, *recent = b.request().parts
    assert first.kind == "shorthand" and len(recent) == 3
    assert all(len(line) == 200 for line in first.text.strip().split("\n"))


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


@pytest.mark.slow
@proves("replay.command")
def test_the_command_says_it_in_a_table_as_json_and_as_a_page(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "agent.jsonl"
    file.write_text(
        "".join(json.dumps(message) + "\n" for message in returning_session(7, 60)),
        encoding="utf-8",
    )
    told = run(
        "replay", file, "--window", "4k", "-p", "none,sliding,default", "-m", "claude-sonnet-4-5"
    )
    assert told.code == 0
    assert "sliding" in told.out and "money" in told.out
    out = tmp_path / "out.html"
    made = run(
        "replay", file, "--window", "4k", "-p", "none,sliding,default", "--html", out, "--json"
    )
    assert made.code == 0
    assert [score["policy"] for score in made.json["totals"]] == ["none", "sliding", "default"]
    none, sliding, ours = made.json["totals"]
    for measure, tally in none["uses"].items():
        assert tally["visible"] == tally["all"] > 0, measure
    assert sliding["all_uses"]["lost"] > 0 == ours["all_uses"]["lost"]
    page = out.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "sliding" in page
    # A page of ours is replaced; a file that is none is not.
    assert run("replay", file, "--html", out).code == 0
    other = tmp_path / "notes.html"
    other.write_text("mine")
    refused = run("replay", file, "--html", other)
    assert refused.code == 2 and "--overwrite" in refused.err
    assert "it replaces an" in run("replay", "--help").out
    # Why `none` loses names, and why baselines are refused.
    assert "counts as lost, with the policy `none` too" in told.out and "cut anywhere" in told.out


@pytest.mark.slow
@proves("replay.means")
def test_sessions_of_several_agents_are_also_shown_apart(run: Run, tmp_path: Path) -> None:
    renamed = json.loads(json.dumps(returning_session(8, 60)).replace('"read"', '"exec_command"'))
    files = (
        jsonl(tmp_path / "one.jsonl", returning_session(7, 60)),
        jsonl(tmp_path / "two.jsonl", renamed),
    )
    told = run("replay", *files, "-w", "4k", "-p", "sliding,default").out
    assert "pi, 1 session" in told and "Codex, 1 session" in told and "±" in told
    made = run("replay", *files, "-w", "4k", "-p", "sliding,default", "--json").json
    assert [session["agent"] for session in made["sessions"]] == ["pi", "Codex"]
    rows = {(row["agent"], row["policy"]): row["means"] for row in made["agents"]}
    for total in made["totals"]:
        for measure in MEASURES:
            apart = [rows[agent, total["policy"]][measure]["mean"] for agent in ("pi", "Codex")]
            mean = total["means"][measure]
            assert mean["mean"] == pytest.approx(sum(apart) / 2, abs=1e-5)
            assert (mean["low"], mean["high"]) == pytest.approx((min(apart), max(apart)), abs=1e-5)
    alone = run("replay", files[0], "-w", "4k", "-p", "sliding").out
    assert "pi, 1 session" not in alone and "±" not in alone


@proves("replay.command")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-p", "slidng"), "Did you mean 'sliding'?"),
        (("-w", "10"), "a window of 10 tokens: did you mean 10k?"),
        (("-w", "0"), "a window of 0 tokens: the least is 100"),
        (("--reserve", "32k"), "a window must hold more than its reserve"),
        (("-m", "gtp-5"), "no price is known for model 'gtp-5'"),
        (("-m", "nosuch"), "name it as its provider does"),
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
        "".join(json.dumps(message) + "\n" for message in returning_session(7, 4)), encoding="utf-8"
    )
    told = run("replay", file, *words)
    assert told.code == 2
    assert said in told.err and told.err.count("\n") == 1


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
    first, second = (jsonl(tmp_path / f"{n}.jsonl", returning_session(n, 4)) for n in range(2))
    before = second.read_bytes()
    for words in (("--html", second), ("--html", tmp_path / "." / "1.jsonl", "--overwrite")):
        told = run("replay", first, second, *words)
        assert told.code == 2 and "is the input, which is never touched" in told.err
    assert second.read_bytes() == before


@pytest.mark.slow
@proves("replay.command")
@pytest.mark.parametrize("kind", ["openai", "anthropic", "responses", "codex", "store"])
def test_sessions_of_any_kind_replay(run: Run, tmp_path: Path, kind: str) -> None:
    """One session, told in every way: the same requests, the same lines used again, nothing
    illegal or lost.
    """
    chat, file = returning_session(7, 60), tmp_path / "agent.jsonl"
    told = {"anthropic": anthropic, "responses": responses, "codex": codex}.get(kind)
    if kind == "store":
        file = kept(tmp_path / "agent.db", agent=chat)
    else:
        jsonl(file, told(chat) if told else chat)
    made = run("replay", file, "-w", "4k", "-p", "none,default", "--json").json
    none, ours = made["totals"]
    assert made["sessions"][0]["requests"] == none["requests"] == 61
    for measure, tally in none["uses"].items():
        assert tally["visible"] == tally["all"] >= 5, measure
    assert none["illegal"] == ours["illegal"] == ours["over"] == ours["all_uses"]["lost"] == 0
    assert ours["commits"] > 0


@pytest.mark.slow
@proves("replay.command")
def test_a_miss_is_opened_by_the_command_that_is_shown(run: Run, tmp_path: Path) -> None:
    """Whatever a session is called on the page and whatever was chosen: it names what `steno
    open` knows.
    """
    rows = [
        {"id": name, "messages": returning_session(seed, 40)} for seed, name in enumerate("aba")
    ]
    twins, alone = (
        jsonl(tmp_path / "twins.jsonl", rows),
        jsonl(tmp_path / "twins2.jsonl", rows[1:2]),
    )
    store = kept(tmp_path / "kept.db", b=returning_session(4, 40), c=returning_session(5, 40))
    made = run("replay", twins, alone, store, "-w", "2k", "-p", "sliding", "--json").json
    assert [each["name"] for each in made["sessions"]] == ["a", "b", "a (2)", "b (2)", "b (3)", "c"]
    assert [each["session"] for each in made["sessions"]] == ["0", "b", "2", None, "b", "c"]
    [chosen] = run("replay", twins, "-s", "b", "-w", "2k", "-p", "sliding", "--json").json[
        "sessions"
    ]
    assert chosen["session"] == "b", "the file holds others, chosen or not"
    for told, score in zip(made["sessions"], made["scores"], strict=True):
        miss = next(each for each in score["misses"] if each["measure"] == "names")
        words = () if told["session"] is None else ("--session", told["session"])
        assert miss["text"] in run("open", told["file"], miss["opens"], *words, wide=True).out
    piped = run("replay", "-", "-w", "2k", "-p", "sliding", "--json", stdin=alone.read_bytes()).json
    assert piped["sessions"][0]["file"] is None
    assert {miss["opens"] for miss in piped["scores"][0]["misses"]} == {None}


@proves("replay.command")
def test_positions_agree_with_open_after_an_agents_own_compaction(run: Run, tmp_path: Path) -> None:
    """Codex compacted in between: what was said before keeps its number, what came later is
    counted after the history that the compaction wrote.
    """
    before, after = codex(returning_session(1, 30)), codex(returning_session(2, 30))[1:]
    shown = responses([{"role": "user", "content": f"in short, {n}"} for n in range(100)])
    payload = {"message": "", "replacement_history": shown}
    boundary = {"timestamp": "2026-01-01T00:00:00Z", "type": "compacted", "payload": payload}
    file = jsonl(tmp_path / "rollout.jsonl", [*before, boundary, *after])
    gone = sum(row["type"] == "response_item" for row in before)
    misses = run("replay", file, "-w", "2k", "-p", "sliding", "--json").json["scores"][0]["misses"]
    assert any(gone - len(shown) <= miss["said"] < gone for miss in misses)
    for miss in misses:
        assert miss["opens"] == miss["said"] + (len(shown) if miss["said"] >= gone else 0)
    for miss in (misses[0], misses[-1]):
        assert miss["text"].split("\n")[0] in run("open", file, miss["opens"], wide=True).out


@pytest.mark.slow
@proves("replay.command")
def test_positions_agree_with_open_after_stenos_own_compaction(run: Run, tmp_path: Path) -> None:
    chat = returning_session(1, 40)
    file, short = jsonl(tmp_path / "chat.jsonl", chat), tmp_path / "short.jsonl"
    assert run("compact", file, "-w", "8k", "-o", short).code == 0
    assert len(short.read_text().splitlines()) < len(chat)
    longer = jsonl(
        tmp_path / "longer.jsonl",
        [*map(json.loads, short.read_text().splitlines()), *returning_session(3, 30)[1:]],
    )
    made = run("replay", longer, "-w", "2k", "-p", "sliding", "--json").json
    misses = [miss for miss in made["scores"][0]["misses"] if miss["opens"] is not None]
    assert any(miss["opens"] != miss["said"] for miss in misses)
    for miss in misses:
        assert miss["text"].split("\n")[0] in run("open", longer, miss["opens"], wide=True).out


@proves("replay.command")
def test_the_command_that_is_stated_can_be_run(run: Run, tmp_path: Path) -> None:
    store = kept(
        tmp_path / "my agents.db",
        **{"it's one": returning_session(4, 20)},
        other=returning_session(5, 4),
    )
    words = ("-w", "2k", "-p", "none,sliding", "--reserve", "500", "-s", "it's one", "-m", "gpt-5")
    made = run("replay", store, *words, "--json").json
    command = shlex.split(made["command"])
    assert command[0] == "steno" and "-s" in command and "--reserve" in command
    again = run(*command[1:]).json
    for score in (*made["totals"], *made["scores"], *again["totals"], *again["scores"]):
        del score["ms_per_turn"]
    assert again == made


@proves("replay.billing")
def test_billed_is_what_the_model_asks(run: Run, tmp_path: Path) -> None:
    """Without a model by the metric's shares.

    Gpt-5 reads at a tenth, and writes for no more than plain input.
    """
    file = jsonl(tmp_path / "a.jsonl", returning_session(7, 20))
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


@pytest.mark.slow
@proves("report.page")
def test_a_long_session_is_thinned_at_the_same_places_for_every_policy() -> None:
    told = tale(returning_session(7, 1_100, lines=4))
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
    for turns in (400, 2_000):
        told = tale(session(7, turns, lines=4))
        assert told.uses and told.message_labels
        taken = []
        for _ in range(3):
            start = process_time()
            policy = start_policy("none", told, ReplaySetting())
            replay_session(told, "none", policy, ReplaySetting())
            taken.append(process_time() - start)
        # The least of three: the short one takes so little that a pause would show.
        seconds.append(min(taken))
    assert seconds[1] < 18 * seconds[0], "twenty-five times, were all of it searched"


def test_masking_and_clearing_keep_so_many_results_and_last_tokens_a_share() -> None:
    said = [user_message("start")]
    for n in range(40):
        call = Call(f"c{n}", "read", "{}")
        said += [
            Message("assistant", (call,)),
            Message("tool", (Result(f"c{n}", (Text(f"row {n} " * 60),)),)),
        ]
    told = tale([])
    left = {}
    for name in ("masking-3", "masking", "masking-30", "clearing", "last-tokens"):
        policy = start_policy(name, told, ReplaySetting(window=3_000))
        for message in said:
            policy.add(message)
        shown = policy.request()
        left[name] = sum("row" in part.text for part in shown.parts), len(shown.parts)
    assert left["masking-3"] == left["clearing"] == (3, 81)
    assert left["masking"] == (10, 81)
    # Thirty results do not fit: the oldest messages go.
    assert left["masking-30"][0] < 30
    assert left["last-tokens"][0] * 105 <= 0.60 * 3_000 < (left["last-tokens"][0] + 2) * 105
