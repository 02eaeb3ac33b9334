"""What a view keeps of the past: people's words, replies, a line for every request."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

import steno
from steno.core.escape import set_in
from steno.facts.text import SearchableText
from steno.summary.render import render_summary
from steno.summary.words import LINE, SENTENCE, typed_caps
from tests.session.test_compact import problems
from tests.support.coding_sessions import exchange
from tests.support.promises import given, hit, hit_rate, proves
from tests.support.sample_messages import openai_talk
from tests.support.summaries import state_of, story_of, summaries_in

Json = dict[str, Any]
TABLE = "| table | rows |\n|---|---|\n| orders | 4,711 |\n\nSo the orders come first."


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def reply(text: str) -> Json:
    return {"role": "assistant", "content": text}


def work(name: str, turns: int, lines: int = 30) -> list[Json]:
    """Files that are read and commands that are run; every result is different."""
    messages: list[Json] = []
    for n in range(turns):
        text = "\n".join(f"{name} row {n}.{k} of the table" for k in range(lines))
        path = f"src/{name}/part_{n}.py"
        messages += exchange(f"{name}{n}", "read", {"path": path}, text)
    return messages


def lived(messages: list[Json], window: int, **options: Any) -> steno.Session:
    """A session that was looked at after every message, and judged after every commit."""
    session = steno.Session(wire="openai", window=window, **options)
    for message in messages:
        session.add(message)
        commits = len(session.log.commits)
        request = session.request()
        if len(session.log.commits) > commits:
            assert problems("openai", request) == []
    return session


def typed_sizes() -> st.SearchStrategy[list[int]]:
    return st.lists(st.sampled_from((2, 5, 12, 40)), min_size=2, max_size=8)


@pytest.mark.slow
@proves("summary.people")
@hit_rate(at_least=0.6, of="something was covered", examples=30)
@given(typed_sizes(), st.integers(2, 6), st.sampled_from((3_000, 6_000)))
def test_people_are_heard_word_for_word(sizes: list[int], turns: int, window: int) -> None:
    """Whatever people typed is seen whole while it is little beside the window."""
    typed = [f"Request {n}: " + f"look at ticket{n} " * size for n, size in enumerate(sizes)]
    messages: list[Json] = []
    for n, text in enumerate(typed):
        messages += [user(text), *work(f"era{n}", turns), reply(f"Ticket {n} is done.")]
    session = lived(messages, window)
    hit(len(session.log.commits))
    if 5 * sum(map(session.view.meter.count, typed)) > session.budget.goal_load:
        return
    words = SearchableText(session.view.visible_messages)
    assert all(words.contains(text) for text in typed)


@proves("summary.people")
def test_a_persons_message_stays_in_its_place_as_it_was() -> None:
    messages = [user("Make the importer faster."), *work("a", 6), reply("It is fast.")]
    messages += [user("Now the exporter.\n\n- keep the format\n- no new files"), *work("b", 30)]
    session = lived(messages, 8_000)
    shown = session.messages()
    assert session.log.commits
    assert [m for m in shown if m in messages and m["role"] == "user"] == [
        messages[0],
        messages[14],
    ]


@proves("summary.people")
@pytest.mark.parametrize("fixed", [5_200, 5_800, 6_000])
def test_a_programs_late_rules_leave_the_task_and_the_request_their_room(fixed: int) -> None:
    """Beside a prompt that fills most of a window, too."""
    rules = " ".join(f"You must never call tool{n} without the flag --safe{n}." for n in range(60))
    asked = "Split the top commit in three: wording, then limits of the reader, then its tests; "
    task = user("Review the reader of tokens on this branch. " * 4 + "Report what is missing.")
    newest = user(asked + "keep each message short, and push nothing.")
    messages = [{"role": "system", "content": "word " * fixed}, task, *work("a", 20)]
    messages += [{"role": "system", "content": rules}, user("Go on."), *work("b", 20), newest]
    session = steno.compact([*messages, *work("c", 12)], wire="openai", window=10_000).session
    shown = SearchableText(session.view.visible_messages)
    assert session.load <= session.budget.usable
    assert [m["content"] for m in (task, newest) if not shown.contains(m["content"])] == []


@pytest.mark.slow
@proves("summary.people")
def test_a_paste_shrinks_in_the_middle_and_keeps_its_beginning_and_its_end() -> None:
    paste = "The build fails:\n" + "\n".join(f"step {n} went well" for n in range(900))
    messages = [user("Make it build."), *work("a", 3), reply("Which error?")]
    messages += [user(f"{paste}\nWhat is wrong there?"), *work("b", 3), reply("The last step.")]
    messages += [user("Go on."), *work("c", 30)]
    session = lived(messages, 8_000)
    (shown,) = [m for m in session.messages() if "The build fails" in str(m)]
    assert "What is wrong there?" in str(shown) and "tokens not shown" in str(shown)
    assert len(str(shown)) < 0.5 * len(paste)


def test_the_oldest_shrink_first_and_never_the_first_nor_the_newest() -> None:
    sizes = dict.fromkeys(range(10), 200)
    caps = typed_caps(sizes, 1_000, newest=9, first=0)
    assert sum(caps.values()) <= 1_000 and caps[0] == caps[9] == 200
    middle = [caps[at] for at in range(1, 9)]
    assert middle == sorted(middle) and middle[0] < middle[-1]
    assert typed_caps(sizes, 5_000, newest=9, first=0) == sizes


def test_a_paste_shrinks_before_any_typed_message_does() -> None:
    sizes = {0: 40, 1: 5_000, 2: 40, 3: 40}
    caps = typed_caps(sizes, 1_000, newest=3, first=0)
    assert caps == {0: 40, 1: 250, 2: 40, 3: 40}


def test_no_message_is_cut_to_spare_a_few_of_its_words() -> None:
    assert typed_caps({0: 816}, 1_260, newest=0, first=0) == {0: 816}
    assert typed_caps({0: 40, 1: 280, 2: 40}, 1_000, newest=2, first=0)[1] == 280
    assert typed_caps({0: 1_600}, 1_260, newest=0, first=0)[0] < 800
    # A file that a program attached to the newest request is a paste, its words are not.
    assert typed_caps({0: 9_000}, 4_000, newest=0, first=0, own={0: 90}) == {0: 1_090}


def test_where_there_is_hardly_any_room_the_newest_keeps_most_of_it() -> None:
    # In a small window the newest request is all there is to keep.
    assert typed_caps({0: 300, 5: 20, 9: 300}, 320, newest=9, first=0)[9] == 300
    caps = typed_caps(dict.fromkeys(range(50), 300), 300, newest=49, first=0)
    assert caps[49] >= 150 and caps[0] >= SENTENCE and max(caps[n] for n in range(1, 49)) <= LINE


@proves("summary.people")
@pytest.mark.parametrize("window", [2_000, 4_000, 8_000])
def test_the_newest_request_stays_whole_around_its_pastes_after_many_requests(window: int) -> None:
    paste = "\n".join(f"row {n} of the ledger, value {n * 3}" for n in range(300))
    messages: list[Json] = []
    for n in range(40):
        order = f"Never change table t{n}; always use pool p{n} and only {n} workers there."
        messages += [user(order), reply(f"Done with {n}. " + "It went well. " * 20)]
    newest = ["First keep the interface.", "Then round the totals.", "Leave the users alone."]
    messages += [user(f"\n```\n{paste}\n```\n".join(newest)), *work("ledger", 12)]
    session = steno.Session(wire="openai", window=window)
    session.add(*messages)
    session.compact()
    view = str(session.messages())
    assert all(sentence in view for sentence in newest)
    assert "pasted text of" in view and "pasted text of 0" not in view


def test_long_statements_without_spaces_leave_the_request_in_its_place() -> None:
    """They may take more tokens than their characters let expect, and more than their room."""
    filler = "word and more " * 300
    pasted = f"<document>{'x y ' * 30_000}</document>"
    asked = [{"type": "text", "text": text} for text in ("Write the release notes.", *[pasted] * 3)]
    said = "部署到生产环境之前请检查所有的测试。" * 20
    messages = [user(f"{filler}\n\nNever touch production."), user(said), *map(user, [filler] * 4)]
    messages += [user("ok"), reply("ok"), {"role": "user", "content": asked}]
    for at in range(2):
        messages += exchange(f"c{at}", "read", {}, "a" * 5_000)
    result = steno.compact(messages, window=4_000, wire="openai")
    shown = str(result.messages)
    assert "Write the release notes." in shown and "Never touch production." in shown
    assert result.commit is not None
    assert not [each.what for each in result.commit.findings if "Error" in each.what]


@proves("summary.replies")
def test_a_large_paste_does_not_empty_the_past() -> None:
    messages = [user("Build the exporter.")]
    for n in range(100):
        rows = f"row {n} of the table is sound. " * 20
        messages += exchange(f"c{n}", "edit", {"path": f"m/f{n}.py"}, rows)
        if n % 4 == 3:
            messages += [reply(f"Conclusion {n}: f{n} leaks."), user(f"Good, part {n}.")]
    session = lived(messages, 16_000)
    log = "\n".join(f"03:{n % 60:02d} worker[{n}] row={n * 13} took={n % 97}ms" for n in range(460))
    commits = len(session.log.commits)
    session.add(user(f"What went wrong?\n{log}"))
    view = str(session.messages())
    assert len(session.log.commits) == commits + 1 and "worker[459]" in view
    assert view.count("Conclusion ") >= 24


@proves("summary.people")
def test_equal_words_are_shown_once() -> None:
    nag = "Please run every test of the whole suite again, and tell me what fails and why it does."
    messages: list[Json] = []
    for n in range(8):
        messages += [user(nag + "  Thanks, as always, and sorry for asking." * 2)]
        messages += [*work(f"e{n}", 6), reply(f"Run {n} passed.")]
    told = str(lived([*messages, user("Go on."), *work("z", 20)], 8_000).messages())
    assert 1 <= told.count(nag) < 8
    assert "the same words as [0]" in told


@pytest.mark.slow
@proves("summary.people")
def test_words_stay_where_their_pictures_have_no_room() -> None:
    def shot(n: int) -> Json:
        source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
        text = f"See screenshot {n}: the button is off by {n} pixels."
        content = [{"type": "image", "source": source}, {"type": "text", "text": text}]
        return {"role": "user", "content": content}

    session = steno.Session(wire="anthropic", window=32_000)
    for n in range(60):
        session.add(shot(n), reply(f"I moved the button by {n} pixels."))
        assert problems("anthropic", session.request()) == []
    shown = str(session.messages())
    assert all(f"off by {n} pixels" in shown for n in range(60))
    assert 0 < shown.count("'image'") < 60


@proves("summary.replies")
def test_the_closing_reply_of_each_request_stays_word_for_word() -> None:
    messages: list[Json] = []
    for n in range(6):
        messages += [user(f"How large is table {n}?"), *work(f"e{n}", 6)]
        messages += [reply(f"Table {n} in full.\n\n{TABLE}")]
    session = lived([*messages, user("Go on."), *work("z", 12)], 12_000)
    words = SearchableText(session.view.visible_messages)
    assert len(session.log.commits) > 1
    assert all(words.contains(f"Table {n} in full.\n\n{TABLE}") for n in range(6))


@pytest.mark.slow
@proves("summary.replies")
def test_what_was_said_between_calls_goes_before_closing_replies() -> None:
    messages = [user("Look through the tables.")]
    for n in range(60):
        called, came = exchange(f"c{n}", "read", {"path": f"src/t{n}.py"}, f"row {n}\n" * 40)
        messages += [called | {"content": f"Now I look at table {n} of the many. " * 3}, came]
    messages += [reply("The orders come first."), user("Why?"), *work("z", 12)]
    told = str(lived(messages, 6_000).messages())
    assert "The orders come first." in told
    assert sum(f"I look at table {n} of" in told for n in range(60)) < 56


@proves("summary.replies")
def test_a_finding_among_announcements_stays_in_a_small_view() -> None:
    messages = [user("Add the targets.")]
    for n in range(40):
        path = f"src/targets_{n % 3}.py"
        call, answer = exchange(f"e{n}", "write", {"path": path, "content": "x = 1\n" * 40}, "ok")
        said = f"Now add the `build_{n}` helper beside target{n}, column{n} and table{n}:"
        messages += [call | {"content": said}, answer]
    found = "The loader drops targets without a name, because `merge_targets` skips empty keys."
    messages[21] |= {"content": f"{found} That is the cause, not the cache of the runner."}
    session = steno.Session(wire="openai", window=4_000)
    session.add(*messages)
    session.request()
    assert found in story_of(session)


def test_a_short_finding_is_told_while_there_is_room() -> None:
    messages = [user("Map the ports.")]
    for n in range(12):
        call, answer = exchange(f"p{n}", "read", {"path": f"src/p{n}.py"}, f"row {n}\n" * 200)
        messages += [call | {"content": f"Gateway {n} uses port {4000 + n}."}, answer]
    session = steno.Session(wire="openai", window=8_000)
    session.add(*messages, *work("z", 4))
    session.compact()
    assert all(f"port {4000 + n}." in str(session.messages()) for n in range(12))


@pytest.mark.parametrize("policy", ["default", "tiers", "thrifty"])
def test_few_words_after_a_constraint_stay_with_it(policy: str) -> None:
    pairs = [("Only use npm.", "vitest and pnpm, my bad"), ("Retry at most 3 times.", "Make it 5.")]
    messages = [user("Build the exporter."), reply("Yes.")]
    for constraint, change in pairs:
        messages += [user(constraint), reply("Noted."), user(change), reply("Changed.")]
    for n in range(130):
        said = f"Vendor {n} is in country {n * 3} and bills the harbour of module {n} in euros."
        messages += [user(said), reply("Seen. " * 20)]
    session = steno.Session(wire="openai", window=8_000, policy=policy)
    for message in messages:
        session.add(message)
        session.request()
    assert session.log.commits
    words = str(session.messages())
    assert all(constraint in words for constraint, _ in pairs)
    assert all(change in words for _, change in pairs)


def test_the_oldest_story_of_a_list_that_comes_back_stays() -> None:
    def reading(name: str, turns: int) -> list[Json]:
        messages = work(name, turns, 20)
        for message in messages[::2]:
            message["content"] = f"Reading {message['tool_calls'][0]['id']}."
        return messages

    messages = [user("Build the exporter."), *reading("a", 21), reply("Socket 77 leaks in f13.")]
    messages += [user("Good. Fix that first."), *reading("b", 30)]
    for turn in "cde":
        messages = steno.compact(messages, window=6_000, policy="tiers", force=True).messages
        assert "Socket 77 leaks in f13." in str(messages)
        messages = [*messages, *reading(turn, 30)]


def eras(count: int) -> list[list[Json]]:
    told: list[list[Json]] = []
    for n in range(count):
        era = [user(f"Project {n}: move the warehouse{n} to the new schema."), *work(f"e{n}", 25)]
        era += [user(f"And its index{n}?"), *work(f"f{n}", 10), reply(f"Warehouse{n} has moved.")]
        told.append(era)
    return told


@pytest.mark.slow
@proves("summary.eras")
def test_ten_eras_through_one_window_each_keep_a_line() -> None:
    session = lived([message for era in eras(10) for message in era], 16_000)
    told = str(session.messages())
    assert len(session.log.commits) > 3
    assert all(f"move the warehouse{n} to" in told for n in range(10))
    assert all(f"Warehouse{n} has moved." in told for n in range(10))


@pytest.mark.slow
@proves("summary.eras")
def test_where_there_are_more_requests_than_lines_several_share_one() -> None:
    messages: list[Json] = []
    for n in range(400):
        messages += [user(f"Please look into ticket TK-{n} of the warehouse."), reply(f"{n}: ok.")]
    session = steno.Session(wire="openai", window=4_000)
    for message in messages:
        session.add(message)
        session.messages()
    story = story_of(session)
    assert "TK-0 " in str(session.messages()) and "TK-399 " in str(session.messages())
    assert " messages): Please look into ticket TK-" in story
    assert {edit.by for commit in session.log.commits for edit in commit.edits} == {"summarize"}


@pytest.mark.slow
@proves("summary.cache")
def test_what_earlier_commits_tell_stays_byte_for_byte() -> None:
    session = steno.Session(wire="openai", window=16_000)
    kept, told, before = 0, 0, list[str]()
    for message in [message for era in eras(4) for message in era]:
        commits = len(session.log.commits)
        session.add(message)
        shown = [str(m) for m in session.messages()]
        if len(session.log.commits) > commits > 0:
            covers = [text for text in before if "<steno-" in text and "STATE" not in text]
            told += len(covers)
            kept += sum(text in shown for text in covers)
        before = shown
    assert len(session.log.commits) > 2 and kept >= 0.8 * told > 10


@proves("summary.state")
def test_constraints_stand_at_the_top_the_note_first_and_the_state_in_the_last_summary() -> None:
    messages = [user("Speed it up. Never touch vendor/legacy."), *work("a", 20), reply("Done.")]
    messages += [user("Go on."), *work("b", 20)]
    session = lived(messages, 6_000)
    summaries = summaries_in(session.view)
    assert len(summaries) > 1
    assert [bool(summary.note) for summary in summaries] == [True] + [False] * (len(summaries) - 1)
    assert [bool(summary.state) for summary in summaries][-1]
    assert not any(summary.state for summary in summaries[:-1])
    top = session.messages()[0]["content"]
    assert top.startswith("<steno-") and "Speed it up. Never touch vendor/legacy. [0]" in top
    assert "Never touch vendor" not in "".join(map(render_summary, summaries))


@proves("summary.state")
@pytest.mark.parametrize("offered", [True, False])
def test_the_note_names_the_tool_that_is_offered_or_says_that_there_is_none(offered: bool) -> None:
    options: dict[str, Any] = {}
    if offered:
        options["tools"] = [{"type": "function", "function": {"name": "recall"}}]
    session = steno.Session(wire="openai", window=6_000, **options)
    session.add(user("Speed it up."), *work("a", 40))
    session.messages()
    note = summaries_in(session.view)[0].note
    assert ("call recall with its positions" in note) is offered
    assert ("you have no tool" in note) is not offered


@proves("view.equipment")
def test_skills_and_instructions_stay_in_their_newest_form() -> None:
    skill = "Base directory for this skill: /srv/skills/pdf\n\n# PDF\n"
    messages = [
        user("# AGENTS.md instructions for /srv\n\nUse tabs in every file."),
        user("Fill in the form."),
        user(skill + "Use the old reader."),
        *work("a", 10),
        user(skill + "Use the new reader."),
        *work("b", 40),
    ]
    told = str(lived(messages, 12_000).messages())
    assert "Use tabs in every file." in told
    assert "Use the new reader." in told and "Use the old reader." not in told


@proves("summary.cache")
def test_asking_again_for_what_is_already_short_changes_nothing() -> None:
    session = steno.Session(wire="openai", window=12_000)
    session.add(user("Speed it up."), *work("a", 60))
    assert session.compact() is not None
    before, load = session.messages(), session.load
    assert session.compact() is None and session.compact() is None
    assert session.messages() == before and session.load == load


@proves("summary.files")
def test_a_file_is_shown_as_it_is_after_its_edits() -> None:
    source = (
        "def total(rows):\n    return sum(rows)\n\n\ndef tax(rows):\n    return total(rows) * VAT"
    )
    edit = {"path": "src/pay.py", "old_string": "sum(rows)", "new_string": "sum(rows, 0)"}
    messages = [user("Fix src/pay.py."), *exchange("r", "read", {"path": "src/pay.py"}, source)]
    messages += [*exchange("e", "edit", edit, "ok"), *work("a", 32)]
    session = lived(messages, 10_000)
    assert session.log.commits and "e" not in [m.get("tool_call_id") for m in session.messages()]
    assert set_in(source.replace("sum(rows)", "sum(rows, 0)")) in state_of(session)
    assert set_in(source) not in state_of(session)


@proves("summary.replies")
def test_every_closing_reply_keeps_a_line_before_newer_ones_get_more() -> None:
    long = "It reads the table twice. " * 40
    messages: list[Json] = []
    for n in range(8):
        messages += [user(f"What about part {n}?"), *work(f"p{n}", 2)]
        messages.append(reply(f"Finding {n}: index {n} is missing. {long}"))
    messages += [user("And the last one?"), *work("end", 12)]
    view = str(lived(messages, 6_000).messages())
    assert all(f"Finding {n}: index {n} is missing." in view for n in range(8))


def test_pasted_logs_shrink_before_anything_else_goes() -> None:
    """Where nothing has to be hidden, what stays in short is enough."""
    messages: list[dict[str, str]] = []
    for number in range(12):
        log = "\n".join(
            f"12:00:{line % 60:02d} INFO worker {number} line {line}" for line in range(300)
        )
        words = f"Look at this log:\n{log}\nWhat is wrong in number {number}?"
        messages.append({"role": "user", "content": words})
        messages.append({"role": "assistant", "content": f"Cause {number} is the lock."})
    session = steno.Session(wire="openai", window=48_000)
    session.add(*messages)
    shown = "\n".join(str(message["content"]) for message in session.messages())
    assert session.log.commits and session.load <= session.budget.usable
    for number in range(12):
        assert f"What is wrong in number {number}?" in shown
        assert f"Cause {number} is the lock." in shown


def test_compacting_again_after_a_small_turn_hides_nothing_more() -> None:
    session = steno.Session(wire="openai", window=4_000)
    session.add(*openai_talk(30))
    session.compact()
    commits, load = len(session.log.commits), session.load
    for number in range(5):
        session.add({"role": "assistant", "content": f"Step {number} is done."})
        session.add({"role": "user", "content": f"Go on {number}."})
        assert session.compact() is None
    assert len(session.log.commits) == commits and session.load > load


def test_the_note_names_a_tool_that_is_offered_since() -> None:
    session = steno.Session(wire="openai", window=4_000)
    session.add(*openai_talk(30))
    session.compact()
    assert "you have no tool to read them" in str(session.messages())
    session.request(tools=session.tools())
    session.add(*openai_talk(30, start=30))
    session.compact()
    shown = str(session.messages())
    assert "you have no tool to read them" not in shown and "call recall" in shown


def test_a_closing_reply_is_shortened_to_whole_sentences() -> None:
    messages: list[Json] = []
    for n in range(30):
        messages += [user(f"Look at table {n}, and say what is in it."), *work(f"t{n}", 1, 8)]
        messages.append(reply(f"Table {n} holds {'the prices of all goods and ' * 12}no more."))
    session = steno.Session(wire="openai", window=4_000, reserve=0, meter=steno.chars_per_four())
    session.add(*messages)
    session.messages()
    told = [line for line in story_of(session).split("\n") if "] ASSISTANT: Table" in line]
    assert told, "the newest of them are told"
    assert [line for line in told if len(line.partition(": ")[2]) < 60] == []


@proves("summary.people")
def test_a_persons_reason_for_rejecting_a_call_is_quoted_not_pinned() -> None:
    """It came in a tool's result: visible as such, never in force."""
    said = "Never use the orders table. Take the archive."
    text = f"The user doesn't want to proceed with this tool use. The user said:\n{said}"
    edit = {"file_path": "src/orders.py", "old_string": "a", "new_string": "b"}
    messages = [user("Count the rows."), *exchange("e1", "edit", edit, text), *work("era", 12)]
    session = lived(messages, 4_000)
    shown = story_of(session)
    assert f"[2] RESULT of edit, which says that the user rejected it: {said}" in shown
    assert "edited src/orders.py (says it was rejected)" in shown
    assert list(session.constraints()) == []


PROMISES = [
    "Got it - I won't amend commits going forward.",
    "Verstanden. Künftig werde ich vor jedem Push fragen.",
    "Compris. Désormais, je demanderai avant chaque envoi.",
    "Entendido. A partir de ahora, preguntaré antes de cada envío.",
    "明白了，以后我会先问。",
]


@proves("summary.replies")
@pytest.mark.parametrize("promise", PROMISES)
def test_what_the_agent_promised_stays(promise: str) -> None:
    """Said beside a call in the middle of the work, where no closing reply repeats it."""
    messages = [user("Move the importer to the new table."), *work("a", 8)]
    call = exchange("vow", "read", {"path": "src/vow.py"}, "row of the table")
    call[0]["content"] = promise
    shown = lived([*messages, *call, *work("b", 40)], 4_000).messages()
    told = "\n".join(str(message["content"]) for message in shown)
    assert promise.split(" - ")[-1] in told


def test_arguments_of_the_newest_call_leave_room_for_the_past() -> None:
    """A file written in the last call may not take the place of all that came before."""
    rows = "".join(f"value_{n} = {n} * factor\n" for n in range(900))
    messages = [user("Make the importer faster."), *work("a", 30), reply("The cause is the lock.")]
    messages += [user("Write the table."), *work("b", 10)]
    session = steno.Session(wire="openai", window=8_000)
    write = exchange("w", "write_file", {"path": "src/table.py", "content": rows}, "written")
    session.add(*messages, *write)
    shown = str(session.messages())
    assert "The cause is the lock." in shown and "value_0 = 0" in shown
    assert "value_450 = 450" not in shown
    assert problems("openai", session.request()) == []


@pytest.mark.slow
@proves("summary.people")
def test_a_large_system_message_leaves_room_for_the_past() -> None:
    """It is counted like a prompt that is given apart."""
    prompt = "You are an agent. " + "Its handbook has many pages of plain text. " * 850
    messages = [user("Publish failed, the tag still points at 4.38.1. Why?"), *work("a", 60)]
    apart = lived(messages, 16_000, system=prompt)
    inside = lived([{"role": "system", "content": prompt}, *messages], 16_000)
    assert inside.log.commits and apart.log.commits
    assert inside.log.commits[-1].after == pytest.approx(apart.log.commits[-1].after, rel=0.04)


@proves("summary.people")
def test_constraints_of_the_system_prompt_are_not_repeated() -> None:
    constraint = "Never deploy on a Friday."
    messages = [
        {"role": "system", "content": constraint},
        user("Make it fast. Never touch the index."),
    ]
    shown = lived([*messages, *work("a", 60)], 8_000).messages()
    told = "\n".join(str(message["content"]) for message in shown)
    assert told.count(constraint) == 1 and told.count("Never touch the index.") == 2


def test_instructions_that_were_changed_since_are_shown_as_they_stand() -> None:
    old, new = "\n".join(["# Rules", "Indent by tabs."]), "Indent by four blanks."
    messages = [user("Follow AGENTS.md."), *exchange("r", "read", {"path": "/srv/AGENTS.md"}, old)]
    edit = {"path": "/srv/AGENTS.md", "old_string": "Indent by tabs.", "new_string": new}
    messages += [*work("a", 6), *exchange("e", "edit", edit, "updated")]
    shown = lived([*messages, *work("b", 30)], 6_000).messages()
    told = "\n".join(str(message["content"]) for message in shown)
    assert new in told and "\nIndent by tabs." not in told


HELD = "The lock of shard {0} was held by worker {0}. "


@proves("summary.sections")
def test_the_note_stands_once_at_the_head_whatever_stays_as_it_was() -> None:
    """Some covers are left because nothing shorter could stand for them: the first one, too."""
    turns = ((3, 5, 2, 6), (1, 20, 12, 0), (3, 20, 2, 1), (3, 20, 2, 0), (1, 5, 2, 1))
    turns += ((1, 20, 12, 6), (3, 5, 0, 6), (3, 20, 0, 0), (1, 5, 0, 1), (0, 20, 2, 6))
    session = steno.Session(wire="openai", window=3_000)
    session.add(user("Refactor the importer. Never touch production."))
    notes: set[int] = set()
    for part, (reads, lines, replied, asked) in enumerate(turns):
        for message in (
            *work(f"p{part}", reads, lines),
            reply(f"Part {part} is done. " + HELD.format(part) * replied),
            user(f"Now part {part}. " + f"Look at shard {part} and its table. " * asked),
        ):
            session.add(message)
            session.messages()
            told = [item.summary for item in session.view.items if item.summary is not None]
            notes.add(sum(bool(summary.note) for summary in told))
    assert notes == {0, 1}


@proves("summary.people")
@pytest.mark.parametrize("policy", ["default", "tiers", "thrifty", "agent-controlled"])
@pytest.mark.parametrize("window", [2_000, 2_600, 4_000])
def test_where_a_paste_is_left_out_of_a_quote_a_mark_stands(policy: str, window: int) -> None:
    log = "\n".join(f"2026-01-02 10:00:{n:02d} worker {n} took order {n * 37}" for n in range(8))
    first, middle, last = "This comes up.", "Only in the Oslo warehouse.", "Find the cause."
    request = f"{first}\n\n```\n{log}\n```\n\n{middle}\n\n```\n{log}\n```\n\n{last}"
    messages = [user("Look at the importer."), *work("a", 3), reply("I looked."), user(request)]
    for n in range(3):
        messages += [*work(f"b{n}", 5), reply("A part is done."), user(f"Now warehouse {n}.")]
    session = steno.Session(wire="openai", window=window, policy=policy)
    for message in messages:
        session.add(message)
        session.request()
    session.compact()
    view = "\n".join(str(message.get("content")) for message in session.messages())
    if request in view or first not in view:
        return
    quoted = view[view.index(first) :].partition("\n[")[0]
    assert "…" in quoted or "[pasted text of" in quoted


@proves("summary.people")
@pytest.mark.parametrize("policy", ["tiers", "agent-controlled"])
@pytest.mark.parametrize("window", [2_000, 4_000, 8_000])
def test_a_task_longer_than_half_the_goal_keeps_its_end(policy: str, window: int) -> None:
    parts = [f"Part {n}: read the rows of table {n} and write them." for n in range(window // 20)]
    task = "\n\n".join(["Import the orders.", *parts, "At last write a report."])
    session = steno.Session(wire="openai", window=window, policy=policy)
    session.add(user(task))
    for n in range(4):
        session.add(*work(f"b{n}", 5), reply("A part is done."), user(f"Now step {n}."))
        session.compact()
    view = "\n".join(str(message.get("content")) for message in session.messages())
    assert "Import the orders." in view and "write a report." in view
    assert "[0] USER" in view or 'at="0' in view


@proves("summary.people")
@pytest.mark.parametrize("window", [2_000, 4_000])
def test_pinned_words_without_room_are_named_by_their_positions(window: int) -> None:
    messages: list[Json] = []
    for n in range(40):
        order = f"Rule {n}: never touch the table t{n:02d} outside its own job."
        messages += [user(order), reply("Understood. " + "I go on with the work. " * 8)]
    session = steno.Session(wire="openai", window=window)
    session.add(*messages, *work("a", 20))
    session.compact()
    view = "\n".join(str(message.get("content")) for message in session.messages())
    hidden = [n for n in range(40) if f"t{n:02d}" not in view]
    assert hidden and f"- {len(hidden)} more [{2 * hidden[0]}–{2 * hidden[-1]}]" in view
