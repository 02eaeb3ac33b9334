"""Every input of the corpus, as it is and changed a little: nothing but errors of Steno's.

`make fuzz` goes on from here, for a minute each.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.fuzz.__main__ import CORPUS, corpus_of
from tests.fuzz.mutate import mutate
from tests.fuzz.targets import TARGETS, try_target

CHANGED = 10
"""Changed inputs for each target."""


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_of_the_corpus_breaks_its_target(target: str) -> None:
    corpus = corpus_of(target)
    accepted = sum(try_target(target, data) for data in corpus)
    assert accepted, "a corpus that is all refused proves nothing"
    for number in range(CHANGED):
        chance = Random(number)
        try_target(target, mutate(chance.choice(corpus), corpus, chance))


def test_every_corpus_has_a_target() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} == set(TARGETS)
