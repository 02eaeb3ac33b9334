"""What a policy can say about worth: rarity instead of rates, and what a doubt counts."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

import steno
from steno import Policy, Session
from steno.engine.designs import POLICIES, resolve_policy
from steno.errors import BadPolicy
from steno.rungs import Summarize, Truncate, register_surprisal
from steno.summary import worth
from steno.summary.worth import WEIGHTS, PieceFeatures, entropy, worth_of
from steno.tails import Share
from tests.support.coding_sessions import exchange, line
from tests.support.promises import proves
from tests.support.sample_messages import openai_talk
from tests.support.summaries import state_of

Json = dict[str, Any]
COMMON = [
    "everything",
    "went",
    "well",
    "so",
    "far",
    "and",
    "the",
    "next",
    "step",
    "follows",
    "now",
    "without",
    "any",
    "further",
    "trouble",
    "that",
    "would",
    "matter",
]
FILLER = "all fine: "
"""Begins a line in words that every such line has, each time in another order."""
BY_RARITY = (Summarize(scorer="rarity"), Truncate())
DOUBT = "Maybe the lock is held by the importer at that time."


def doubting(doubt: str) -> list[Json]:
    """Much narration, among it an early doubt: more than there is room to tell."""
    told = openai_talk(160)
    for at, message in enumerate(told):
        if message["role"] == "assistant":
            message["content"] = f"Step {at}: the rows are as expected, and I read the next file."
    told.insert(41, {"role": "assistant", "content": doubt})
    return told


def chatty(turns: int) -> list[Json]:
    """Most results say what all say; some older ones say what nobody else does."""
    random = Random(7)
    told: list[Json] = [{"role": "user", "content": "Look through the logs of the warehouse."}]
    for at in range(turns):
        filler = (FILLER + " ".join(random.sample(COMMON, 9)) for _ in range(8))
        telling = turns - 60 <= at < turns - 30
        said = "\n".join((line(random) for _ in range(6)) if telling else filler)
        told += exchange(f"c{at}", "logs", {"page": at}, said)
    return told


@proves("policy.scorer")
def test_by_rarity_informative_lines_stay_and_filler_goes_first() -> None:
    held = Session(wire="openai", window=8_000, policy=Policy(tail=Share(0.1), ladder=BY_RARITY))
    held.add(*chatty(160))
    held.messages()
    rows = state_of(held).split("\n")
    filler, telling = sum(FILLER in row for row in rows), sum("limit=" in row for row in rows)

    # What was said last is filler; of what is shown again, it is a third at most.
    assert held.log.commits and telling > 20
    assert filler < telling / 2


@proves("policy.scorer")
@pytest.mark.parametrize("scorer", ["rarity", "entropy"])
def test_the_policies_of_the_scorers_benchmark_differ_in_the_scorer_alone(scorer: Any) -> None:
    file = Path(__file__).parents[2] / "bench" / "scorers" / f"{scorer}.toml"
    ladder = [
        replace(rung, scorer=scorer) if isinstance(rung, Summarize) else rung
        for rung in Policy().ladder
    ]
    assert resolve_policy(str(file)) == Policy(ladder=tuple(ladder))


ONCE = (
    "The replication slot orders_cdc lags 48 minutes behind on node hermes-7.",
    "Payment retries exhaust the idempotency ledger of quorum shard 12.",
    "Certificate relay.velm.net expires on 3 March; the pager is oncall-kappa.",
    "Index btree_orders_2024 is corrupt since the crash at 04:17.",
    "The topic ledger_v3 has 7 orphaned partitions.",
)
PHRASES = (
    "All right, I will go on with the next part of the work and see what comes of it.",
    "Good, that went well, so I move on to the next one now, and then to what is left.",
    "Okay, let me continue with this and look at the next thing on the list of items.",
)


@proves("policy.scorer")
def test_the_agents_own_policy_keeps_what_was_said_once_before_filler() -> None:
    random = Random(3)
    held = Session(wire="openai", window=4_096, policy="agent-controlled")
    for at in range(100):
        said = f"{random.choice(PHRASES)} ({at})"
        if at % 20 == 10:
            said = ONCE[at // 20]
        held.add({"role": "user", "content": "go on"}, {"role": "assistant", "content": said})
    held.compact()
    shown = str(held.messages())
    assert sum(said in shown for said in ONCE) >= 4


@pytest.mark.slow
@proves("policy.scorer")
@pytest.mark.parametrize("in_place", [True, False])
def test_by_rarity_informative_messages_stay_and_filler_goes_first(in_place: bool) -> None:
    """Also those of the assistant, and however old they are."""
    random = Random(3)

    def shown(scorer: Any) -> str:
        ladder = (Summarize(scorer=scorer, in_place=in_place), Truncate())
        held = Session(window=8_000, policy=Policy(tail=Share(0.1), ladder=ladder))
        held.add({"role": "user", "content": "Look through the logs of the warehouse."})
        for at in range(120):
            words = " ".join(random.sample(COMMON, 10) * 3)
            if 20 <= at < 24:
                words = (
                    f"The deadlock {at} is in SessionPool.acquire of shard-{at}: lock {at * 7919}."
                )
            said = exchange(f"c{at}", "logs", {"page": at}, "line " * 40)
            held.add(said[0] | {"content": words}, *said[1:])
        held.messages()
        assert held.log.commits
        return str(held.messages())

    assert shown("rarity").count("deadlock 2") >= 2
    try:
        register_surprisal(lambda text: -text.count("deadlock"))
        # One of them may fill the end of the room.
        assert shown("surprisal").count("deadlock 2") <= 1
    finally:
        worth._registered.clear()


TELLING = (
    "The cause is the collation of column zq_name in the Orsk replica: it is binary there, so "
    "umlauts sort behind z; the fix is to rebuild index ix_zq_17 on host db-eu-9."
)


@proves("policy.scorer")
@pytest.mark.parametrize("by", ["user", "assistant"])
@pytest.mark.parametrize("name", POLICIES)
def test_a_telling_reply_is_not_crowded_out_by_go_on(name: str, by: str) -> None:
    held = Session(wire="openai", window=4_000, policy=name)
    held.add({"role": "user", "content": "Find out why the export is wrong."})
    for at in range(46):
        for step in range(2):
            held.add(*exchange(f"c{at}.{step}", "read", {"path": f"m{at}_{step}.py"}, "row " * 60))
            held.messages()
        said = f"I read on in module {at}; nothing there so far, so I will look at the next one."
        asked = "go on"
        if at == 3 and by == "assistant":
            said = TELLING
        elif at == 3:
            asked = TELLING
        held.add({"role": "assistant", "content": said}, {"role": "user", "content": asked})
        held.messages()
    shown = "\n".join(str(message["content"]) for message in held.messages())
    assert len(held.log.commits) > 2
    # In 300 to 600 tokens for everything, the reply is there by its beginning.
    whole = name not in ("researcher", "supervisor", "thrifty") or by == "user"
    assert (TELLING if whole else TELLING[:36]) in shown
    if name != "default":
        # Where what people said is told, and does not stay as messages, "go on" is told once.
        told = "\n".join(text for text in shown.split("\n") if text.startswith("["))
        assert told.count("USER: go on") <= 3


@proves("policy.scorer")
def test_other_scorers_are_optional_and_surprisal_needs_a_model() -> None:
    assert entropy("one two three four five six") > entropy("one one one one one one") == 0
    assert entropy("") == 0
    with pytest.raises(BadPolicy, match=r"needs a model: call steno\.rungs\.register_surprisal"):
        Summarize(scorer="surprisal")
    with pytest.raises(
        BadPolicy, match="no scorer 'bogus'; there are likely, rarity, entropy, sur"
    ):
        Summarize(scorer="bogus")  # type: ignore[arg-type]
    read: list[str] = []

    def length(text: str) -> float:
        read.append(text)
        return float(len(text))

    try:
        register_surprisal(length)
        ladder = (Summarize(scorer="surprisal"), Truncate())
        held = Session(window=8_000, policy=Policy(tail=Share(0.1), ladder=ladder))
        held.add(*chatty(100))
        held.messages()
    finally:
        worth._registered.clear()
    assert held.log.commits and any(FILLER in text for text in read)


@proves("policy.scorer")
def test_a_file_names_the_scorer() -> None:
    said = '[[ladder]]\ntype = "summarize"\nscorer = "rarity"\n[[ladder]]\ntype = "truncate"'
    assert Policy.read(said).ladder == (Summarize(scorer="rarity"), Truncate())
    with pytest.raises(BadPolicy, match=r"ladder\[0\]\.scorer: 'luck' is none of its words"):
        Policy.read(said.replace("rarity", "luck"))


@proves("designs.doubts")
@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("", 3),
        ('complexity = "simple"', 3),
        ('complexity = "medium"', 3),
        ('complexity = "complex"', 1),
        ('complexity = "epic"', 1),
        ('complexity = "simple"\npersona = "verbose"', 1),
        ('persona = "deliberative"', 1),
        ('persona = "concise"', 3),
        ('complexity = "epic"\npersona = "decisive"', 1),
    ],
)
def test_the_task_and_the_persona_say_how_many_kinds_of_doubt_count(said: str, kinds: int) -> None:
    policy = Policy.read(said + "\n")
    held = Session(wire="openai", window=6_000, policy=policy)
    held.add(*doubting(DOUBT))

    assert policy.doubts == kinds
    assert (DOUBT in str(held.messages())) == (kinds == 1)


@proves("designs.doubts")
def test_a_rung_that_says_it_outright_is_believed() -> None:
    policy = steno.Policy(complexity="epic", ladder=(Summarize(doubts=3), Truncate()))
    held = Session(wire="openai", window=6_000, policy=policy)
    held.add(*doubting(DOUBT))
    assert DOUBT not in str(held.messages())
    with pytest.raises(BadPolicy, match="complexity: 'huge' is none of its words"):
        Policy.read('complexity = "huge"')


READ = PieceFeatures(
    age=10,
    changed_file=False,
    changed=False,
    result=False,
    touches=1,
    shared=0,
    size=400,
    in_hand=0.0,
)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (READ, replace(READ, age=200)),
        (READ, replace(READ, size=4_000)),
        (READ, replace(READ, changed_file=True)),
        (replace(READ, changed_file=True, changed=True), replace(READ, changed_file=True)),
        (READ, replace(READ, result=True)),
        (replace(READ, shared=6), READ),
        (replace(READ, in_hand=2.0), READ),
    ],
)
def test_pieces_used_again_are_worth_more(better: PieceFeatures, worse: PieceFeatures) -> None:
    assert worth_of(better) > worth_of(worse)
    assert len(WEIGHTS) == len(READ.vector())
