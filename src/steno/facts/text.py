"""All that messages show, as one text to be searched: is it still said, word for word?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from steno.core.message import Call, Message, Opaque, Result, Text, Thinking


def in_own_words(messages: Iterable[Message]) -> Iterator[Message]:
    """Those in their speaker's own words: what stands in ours has only a tool's trust when it comes back."""
    return (message for message in messages if message.by == "caller" and not message.patches)


class SearchableText:
    """What some messages say."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._messages = tuple(messages)
        self._held: dict[str, bool] = {}

    @cached_property
    def text(self) -> str:
        return " ".join(
            flatten(words) for message in self._messages for words in _block_texts(message)
        )

    def contains(self, words: str) -> bool:
        if words not in self._held:  # the same file is touched again and again
            self._held[words] = flatten(words) in self.text
        return self._held[words]


def flatten(words: str) -> str:
    """The words alone: where a line ends is not theirs."""
    return " ".join(words.split())


def message_text(message: Message) -> str:
    """All that a message says, as one text."""
    return "\n".join(_block_texts(message))


def _block_texts(message: Message) -> Iterator[str]:
    for block in message.blocks:
        match block:
            case Text(text) | Thinking(text) | Opaque(_, text):
                yield text
            case Result():
                yield block.text
            case Call(_, name, arguments):
                yield f"{name} {arguments}"
