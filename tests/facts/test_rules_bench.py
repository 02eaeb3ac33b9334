"""The labelled conversations of `bench/labels` are sound, and `bench/rules.py` scores them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from bench import rules as bench

ITEMS = bench.read_items(bench.LABELS / "rules_dev.jsonl")


def conversation(*messages: tuple[str, dict[str, Any] | None]) -> bench.Item:
    """Return an item whose messages each make one statement, or none."""
    told = []
    for text, state in messages:
        states = []
        if state is not None:
            states.append({"words": text} | state)
        told.append({"text": text, "states": states})
    return {"id": "x", "lang": "en", "group": "x", "messages": told, "in_force": [], "gone": []}


def outcomes(item: bench.Item, *states: list[tuple[Any, ...]]) -> dict[str, bool]:
    """Score states made by hand; a measure is right if all its outcomes are."""
    texts = tuple(message["text"] for message in item["messages"])
    held = tuple(tuple(bench.Standing(*each) for each in state) for state in states)
    played = bench.Replay(texts, tuple(range(len(texts))), held, "")
    found: dict[str, bool] = {}
    for outcome in bench.score(item, played):
        found[outcome.measure] = found.get(outcome.measure, True) and outcome.right
    return found


RULE = {"label": "rule"}
BAN = "Never touch production."
PERMIT = "You may touch its replica."
NARROWER = conversation((BAN, RULE), (PERMIT, {"label": "exception", "of": [0]}))
OLD, NEW = "Under 100 words.", "Under 300 words."
CORRECTED = conversation((OLD, RULE), (NEW, {"label": "correction", "of": [0]}))
LIFT = "Production is yours now."
RELEASED = conversation((BAN, RULE), (OLD, RULE), (LIFT, {"label": "release", "of": [0]}))


def test_a_ban_that_a_narrower_permission_lifts_is_counted() -> None:
    lifted = outcomes(NARROWER, [(0, BAN)], [])
    assert (lifted["bans kept"], lifted["exceptions handled"]) == (False, False)
    hidden = outcomes(NARROWER, [(0, BAN)], [(0, BAN)])
    assert (hidden["bans kept"], hidden["exceptions handled"]) == (True, False)
    both = outcomes(NARROWER, [(0, BAN)], [(0, BAN), (1, PERMIT)])
    assert all(both.values())


def test_a_permission_for_once_need_not_be_kept() -> None:
    once = conversation((BAN, RULE), (PERMIT, {"label": "exception", "of": [0], "once": True}))
    assert outcomes(once, [(0, BAN)], [(0, BAN)])["exceptions handled"]
    assert not outcomes(once, [(0, BAN)], [])["exceptions handled"]


def test_a_correction_stands_instead_of_the_old_words() -> None:
    assert all(outcomes(CORRECTED, [(0, OLD)], [(1, NEW)]).values())
    for wrong in ([(0, OLD)], [(0, OLD), (1, NEW)], []):
        assert not outcomes(CORRECTED, [(0, OLD)], wrong)["corrections handled"]
    told_after = outcomes(CORRECTED, [(0, OLD)], [(0, OLD), (1, NEW, (0, OLD))])
    assert (told_after["corrections handled"], told_after["changes applied"]) == (True, False)


def test_a_correction_that_needs_the_old_words_stands_beside_them() -> None:
    short = "Make that 300."
    state = {"label": "correction", "of": [0], "beside": True}
    item = conversation((OLD, RULE), (short, state))
    assert outcomes(item, [(0, OLD)], [(0, OLD), (1, short)])["corrections handled"]
    assert not outcomes(item, [(0, OLD)], [(1, short)])["corrections handled"]


def test_a_release_lifts_its_rule_and_no_other() -> None:
    before = [(0, BAN)], [(0, BAN), (1, OLD)]
    assert all(outcomes(RELEASED, *before, [(1, OLD)]).values())
    assert not outcomes(RELEASED, *before, [(0, BAN), (1, OLD)])["releases handled"]
    # Told with the ban as what changed it, nothing is lost; but it is not applied.
    both = outcomes(RELEASED, *before, [(0, BAN), (2, LIFT, (0, BAN)), (1, OLD)])
    assert (both["releases handled"], both["changes applied"]) == (True, False)
    assert both["rule precision"]
    strayed = outcomes(RELEASED, *before, [])
    assert (strayed["releases handled"], strayed["other rules kept"]) == (False, False)


def test_a_release_of_a_rule_that_was_missed_is_not_handled() -> None:
    assert not outcomes(RELEASED, [], [(1, OLD)], [(1, OLD)])["releases handled"]


def test_a_rule_is_found_with_all_its_words_in_any_number_of_pieces() -> None:
    text = "The cap is $500. Never exceed it."
    item = conversation((text, RULE))
    assert outcomes(item, [(0, "The cap is $500."), (0, "Never exceed it.")])["rule recall"]
    assert not outcomes(item, [(0, "Never exceed it.")])["rule recall"]


def test_what_is_no_rule_or_a_whole_passage_is_false() -> None:
    asked = conversation(("Is it fast?", None))
    found = outcomes(asked, [(0, "Is it fast?")])
    assert found == {"rule precision": False, "no rule, none read": False}
    assert outcomes(asked, []) == {"no rule, none read": True}
    passage = f"{BAN} {'The sun shone on the roofs. ' * 10}".strip()
    item = conversation((passage, RULE | {"words": BAN}))
    assert not outcomes(item, [(0, passage)])["rule precision"]
    assert outcomes(item, [(0, BAN)])["rule precision"]


@pytest.mark.slow
def test_sessions_are_replayed_to_the_request_after_a_compaction() -> None:
    item = conversation(("Never commit to the release branch.", RULE), ("What time is it?", None))
    item["in_force"] = ["Never commit to the release branch.", "Words that nobody typed."]
    played = bench.replay(item)
    assert [[each.words for each in state] for state in played.states] == [
        ["Never commit to the release branch."]
    ] * 2
    visible = [each.right for each in bench.score(item, played) if each.measure.startswith("vis")]
    assert visible == [True, False]


def test_the_set_is_large() -> None:
    count = Counter(item["lang"] for item in ITEMS)
    assert count["en"] >= 200
    assert all(count[language] >= 60 for language in bench.LANGUAGES)
    assert len({item["id"] for item in ITEMS}) == len(ITEMS)


def test_labels_agree_with_the_texts_and_with_what_must_hold_at_the_end() -> None:
    for item in ITEMS:
        statements = bench.statements_of(item)
        live: dict[int, str] = {}
        gone: list[str] = []
        for number, each in enumerate(statements):
            assert each.words in bench.flat(item["messages"][each.message]["text"]), item["id"]
            assert all(statements[at].label == "rule" and at < number for at in each.of)
            assert bool(each.of) == (each.label != "rule"), item["id"]
            if each.label in ("release", "correction") and not each.beside:
                gone += [live.pop(at) for at in each.of]
            if each.label in bench.BINDING and not each.once:
                live[number] = each.words
        assert list(live.values()) == [bench.flat(words) for words in item["in_force"]], item["id"]
        assert gone == [bench.flat(words) for words in item["gone"]], item["id"]
