"""Looking for many words at once finds what looking for each finds."""

from __future__ import annotations

from random import Random

from steno.core.message import user_message
from steno.facts.text import SEARCHES_LEAST, SearchableText


def test_many_words_are_found_as_each_alone_is() -> None:
    random = Random(7)

    def words(most: int) -> str:
        return "".join(random.choices("ab.7 \n-é字", k=random.randint(1, most)))

    several = {words(7) for _ in range(4 * SEARCHES_LEAST)}
    text = SearchableText(user_message(words(60)) for _ in range(9))
    assert len(several) > SEARCHES_LEAST
    assert text.contained(several) == set(filter(text.contains, several)) != set()
    assert text.said_among(several) == set(filter(text.says, several))
