"""All that messages show, as one text that is searched word for word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from steno.core.message import Call, Message, Opaque, Result, Text

_WORD = re.compile(r"\w+")
SEARCHES_LEAST = 64
"""Searches in a text after which its words are put into a set."""


def in_own_words(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages that are shown as their speaker wrote them, not as Steno did."""
    return (message for message in messages if message.by != "steno" and not message.patches)


class SearchableText:
    """The text of some messages, joined when it is first searched."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._messages = tuple(messages)
        self._held: dict[str, bool] = {}

    @cached_property
    def text(self) -> str:
        return " ".join(
            flatten(words) for message in self._messages for words in _block_texts(message)
        )

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self.text))

    def contains(self, words: str) -> bool:
        if words not in self._held:  # the same file is touched again and again
            self._held[words] = self._may_hold(words) and flatten(words) in self.text
        return self._held[words]

    def _may_hold(self, words: str) -> bool:
        """Tell whether the words between the first and the last are there; those are whole."""
        # For a few searches the words are not worth their while.
        if len(self._held) < SEARCHES_LEAST:
            return True
        return self._words.issuperset(_WORD.findall(words)[1:-1])


def flatten(words: str) -> str:
    """Return the words with single spaces, without line ends."""
    return " ".join(words.split())


def message_text(message: Message) -> str:
    """Return all text of a message."""
    return "\n".join(_block_texts(message))


def _block_texts(message: Message) -> Iterator[str]:
    for block in message.blocks:
        match block:
            # Thinking is not said: it is neither shown nor counted.
            case Text(text) | Opaque(_, text):
                yield text
            case Result():
                yield block.text
            case Call(_, name, arguments):
                yield f"{name} {arguments}"
