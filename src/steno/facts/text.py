"""All that messages show, as one text that is searched word for word; head and tail of a text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from steno.core.message import Call, Message, Opaque, Result, Text

TERMINAL_CODES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|\x08"
)
"""What sets colours, moves the cursor or names the window."""
_WORD = re.compile(r"\w+")
_WHOLE_WORD = re.compile(r"\W(\w+)(?=\W)")
SEARCHES_LEAST = 256
"""Searches in a text from which on putting its words into a set is worth it."""


def without_codes(text: str) -> str:
    """Return what a program put out as a person sees it, without colours."""
    if "\x1b" not in text and "\b" not in text:
        return text
    return TERMINAL_CODES.sub("", text)


def in_own_words(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages that are shown as their speaker wrote them, not as Steno did."""
    return (message for message in messages if message.by != "steno" and not message.patches)


class SearchableText:
    """The text of some messages, joined when it is first searched."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._messages = tuple(messages)

    @cached_property
    def text(self) -> str:
        return " ".join(
            flatten(words) for message in self._messages for words in _block_texts(message)
        )

    def contains(self, words: str) -> bool:
        return flatten(words) in self.text

    def says(self, words: str) -> bool:
        """Tell whether it contains every line of some words: a heading may stand apart."""
        return all(self.contains(line) for line in words.split("\n"))

    def said_among(self, several: Collection[str]) -> set[str]:
        """Return which of several words it says."""
        lines = self.contained({line for words in several for line in words.split("\n")})
        return {words for words in several if lines.issuperset(words.split("\n"))}

    def contained(self, several: Collection[str]) -> set[str]:
        """Return which of several words it contains."""
        if len(several) < SEARCHES_LEAST:
            return set(filter(self.contains, several))
        # Of so many most lack a word that stands whole in them: no letter can come before or after.
        tokens = set(_WORD.findall(self.text))
        return {
            words
            for words in several
            if tokens.issuperset(_WHOLE_WORD.findall(words.strip())) and self.contains(words)
        }


def flatten(words: str) -> str:
    """Return the words with single spaces, without line ends."""
    return " ".join(words.split())


def small_letters(text: str) -> str:
    """Return a text in small letters, with each at its place."""
    low = text.lower()
    # A few letters change their length; then places in the two texts would differ.
    return low if len(low) == len(text) else text


def message_text(message: Message) -> str:
    """Return all text of a message."""
    return "\n".join(_block_texts(message))


def _block_texts(message: Message) -> Iterator[str]:
    for block in message.blocks:
        match block:
            # Thinking is not said: it is neither shown nor counted.
            case Text(text):
                yield message.split_reasoning(text)[1]
            case Opaque(_, text):
                yield text
            case Result():
                yield block.text
            case Call(_, name, arguments):
                yield f"{name} {arguments}"


def excerpt(text: str, most: int, omitted: str) -> str:
    """Return about `most` characters, two thirds from the head; cut at lines if one ends near."""
    if len(text) <= most:
        return text
    head, tail = text[: most * 2 // 3], text[len(text) - most // 3 :]
    # Only in the half at the gap: a long line must not cost most of what is to be kept.
    head_end = head.rfind("\n", len(head) // 2)
    if head_end >= 0:
        head = head[:head_end]
    tail = tail[tail.find("\n", 0, len(tail) // 2 + 1) + 1 :]
    return "\n".join(part for part in (head, omitted, tail) if part)
