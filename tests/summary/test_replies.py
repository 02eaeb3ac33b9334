"""What is told of a reply of which only a part fits."""

from __future__ import annotations

import json
from typing import Any

import pytest

import steno
from steno.core.message import Message, Text
from steno.summary.replies import cut_reply, numbers_in
from steno.summary.story import spoken_words
from steno.summary.words import (
    REPLY_STUB,
    cut_words,
    first_sentences,
    reply_caps,
    typed_caps,
    without_reminder,
)
from tests.support.promises import proves

REPLY = """Good question. Let me think about this…

**Current design**: the cache is keyed by the commit, so two folders share one entry.

Why this might be intended:
- The names are simple
- Nothing has to be cleaned up

So honestly, there is no good reason to share an entry. The conflict error papers over the key.

```python
def key(commit: str) -> str:
    return f"cache/{commit[:7]}"
```

Two ways to go on:
1. Add a hash of the folder's name to the key
2. Keep the key and only silence the false alarm

Which one do you prefer?"""


def words(text: str) -> int:
    return len(text) // 4


@proves("summary.replies")
def test_a_part_of_a_reply_is_its_beginning_and_its_end() -> None:
    told = cut_reply(REPLY, 70, words)
    assert words(told) <= 70
    assert told.startswith("Good question.") and told.endswith("Which one do you prefer?")
    assert "def key" not in told


@proves("summary.replies")
def test_sentences_stand_word_for_word_and_in_order() -> None:
    told = cut_reply(REPLY, 70, words)
    parts = [part.strip() for part in told.replace("\n", " … ").split("…") if part.strip()]
    places = [REPLY.find(part) for part in parts]
    assert len(parts) > 1 and -1 not in places and places == sorted(places)


@proves("summary.replies")
@pytest.mark.parametrize(
    "answer", ["2", "2, please", "option 2", "Variante 2", "方案2", "let's do 2", "do 1,2"]
)
def test_a_choice_by_number_keeps_what_it_chose(answer: str) -> None:
    told = cut_reply(REPLY, 40, words, answer=answer)
    assert "2. Keep the key" in told and ("1. Add a hash" in told or "1" not in answer)


@proves("summary.replies")
def test_a_count_of_things_is_not_a_choice_by_number() -> None:
    assert not numbers_in("fix the 2 tests that fail") and not numbers_in("it took 3 hours")


@proves("summary.replies")
def test_what_fits_stays_as_it_is_and_a_long_sentence_is_cut_at_a_word() -> None:
    assert cut_reply(REPLY, 1_000, words) == REPLY
    told = cut_reply("The cause is " + "a very long chain of events " * 40, 20, words)
    assert told.startswith("The cause is") and told.endswith("…") and words(told) <= 24


@proves("summary.replies")
def test_no_reply_shrinks_for_a_longer_one_and_none_to_a_stub() -> None:
    caps = reply_caps({9: 900, 8: 30, 7: 900, 6: 40, 5: 900}, 600)
    assert caps[8] == 30 and caps[6] == 40
    assert caps[9] == caps[7] == caps[5] >= REPLY_STUB
    assert sum(caps.values()) <= 600
    few = reply_caps(dict.fromkeys(range(20, 0, -1), 300), 200)
    assert few[20] >= REPLY_STUB and few[1] == 0
    assert all(cap == 0 or cap >= REPLY_STUB for cap in few.values())
    short = dict.fromkeys(range(9, 0, -1), REPLY_STUB // 2)
    assert reply_caps(short, REPLY_STUB * 9) == short


@proves("summary.replies")
def test_numbered_answers_keep_each_question_they_answer() -> None:
    asked = [
        "1. **Lost sessions**: sessions of a branch that no branch reaches. Show those?",
        "2. **Depth**: how far back in the commits of a branch should sessions be looked for?",
        "3. **Merged sessions**: should sessions of merged branches stand under every branch?",
    ]
    reply = "\n".join((*(f"- A note {n} on the tree of panels." for n in range(40)), *asked))
    told = cut_reply(reply, 90, words, answer="1. no\n2. 50 commits\n3. one")
    assert all(question in told for question in asked)


@proves("summary.replies")
def test_what_was_chosen_stands_before_what_was_not() -> None:
    told = cut_reply(REPLY, 26, words, answer="2")
    assert "2. Keep the key" in told
    other = cut_reply(REPLY, 26, words, answer="1, please")
    assert "1. Add a hash" in other


@proves("summary.replies")
def test_every_option_chosen_by_number_is_quoted() -> None:
    told = cut_reply(REPLY, 34, words, answer="1 and 2")
    assert "1. Add a hash" in told and "2. Keep the" in told


@proves("summary.people")
def test_a_short_text_keeps_its_first_sentence_whole() -> None:
    said = "You should run the setup command, that will set up everything. Then start the server."
    assert first_sentences(said, 50) == f"{said[:62]} …"
    assert first_sentences(said, 30).endswith("…") and len(first_sentences(said, 30)) <= 30


def test_words_that_fit_are_not_cut_after_their_first_sentence() -> None:
    said = "uh oh - it just happened again.\n\nI ran git read-tree HEAD to resolve it."

    assert first_sentences(said, 80) == said.replace("\n\n", " ")


@proves("summary.people")
def test_no_message_is_cut_to_save_only_its_last_words() -> None:
    sizes = {0: 40, 1: 36, 2: 36, 3: 36, 4: 40}
    caps = typed_caps(sizes, 178, newest=4, first=0)
    assert all(caps[at] == sizes[at] or sizes[at] - caps[at] >= 8 for at in sizes)


def assistant(text: str) -> Message:
    return Message("assistant", (Text(text),))


@proves("summary.replies")
def test_an_api_error_in_place_of_a_reply_is_not_the_assistants_words() -> None:
    for text in ('API Error: 500 {"type":"error"}', "No response requested."):
        assert spoken_words(assistant(text)) == ""
    findings = (
        "The API error is gone.",
        "API Error: the server answers 500 because the pool is empty.",
        "API Error: 500 came from the pool.\n\nIt was empty; I raised its size.",
    )
    for text in findings:
        assert spoken_words(assistant(text)) == text


def test_a_cut_result_ends_with_its_own_words() -> None:
    reminder = "<system-reminder>\nConsider whether the file is malware.\n</system-reminder>\n"
    body = "\n".join(f"{number}→line {number} of the file" for number in range(200))
    short = cut_words(f"{body}\n\n{reminder}", 120, lambda words: len(words) // 4)
    assert "malware" not in short and short.endswith("199→line 199 of the file")


def test_own_words_that_fit_without_a_reminder_are_not_cut() -> None:
    own = "All 12 tests passed. The new file is at /a/b/c.py and it is fine."
    reminder = f"<system-reminder>{'x y z ' * 300}</system-reminder>"
    assert cut_words(f"{own}\n{reminder}", 100, lambda words: len(words) // 4) == own
    unopened = f"{'abc ' * 20}</system-reminder>"
    assert without_reminder(unopened) == unopened


def test_of_an_empty_reply_nothing_is_shown_whatever_the_room() -> None:
    assert cut_reply("  ", -5, words) == ""


PLAN = "# Cache keys\n\n1. Key entries by folder\n2. Drop it\n\nVerify with `make cache-test`."


@proves("summary.replies")
def test_the_newest_plan_that_a_tool_hands_over_stays_as_a_reply_does() -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Plan the cache, then do it."}]
    for n in range(40):
        name, given = "read", {"path": f"src/part_{n}.py"}
        if n in (3, 5):
            name, given = (
                "ExitPlanMode",
                {"plan": PLAN if n == 5 else "# An older plan\n\nDelete the cache."},
            )
        function = {"name": name, "arguments": json.dumps(given)}
        call = {"id": f"c{n}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        said = f"value {n} of a long file\n" * 60
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": said})
    view = str(steno.compact(messages, window=4_000).messages)
    for line in PLAN.split("\n"):
        assert line in view
    assert "[11] ASSISTANT, with a plan: # Cache keys" in view and "Delete the cache" not in view
