"""Who wrote which words of a message.

A role says through which door a text came in, not who wrote it: most of what
arrives as "user" in a coding session is reminders, command output, old
summaries and pasted documents. `pieces` cuts a message's text into stretches
of one author each; put together again they are the text. In doubt a stretch is
the machine's, because trust may be lost here but never gained. What the
words mean is for the readers of each kind of fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from steno.core.message import Message, Result, Text, Thinking
from steno.ledger.fact import Trust
from steno.ledger.pasted import document_starts, stretches

_AUTHOR: dict[str, Trust] = {"system": "system", "user": "person", "assistant": "assistant"}
"""Every other role speaks for a tool."""

_FENCE = re.compile(r"<steno-(?P<digest>[0-9a-f]{12})\b[^<>\n]*>")
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w.:-]{2,60})(?:\s[^<>\n]{0,400})?>")

_SPOKEN = re.compile(
    r"command-args|user[_-](?:query|request|message|prompt)|query|request|question|prompt|task|goal|instructions?|rules?"
    r"|constraints?|requirements|guidelines|preferences|important|(?:output_)?format|style|tone",
    re.I,
)
"""Tags that people, or their editor, put around their own words."""

_SWALLOWS = re.compile(r"system[_-]reminder|(?:local-command|bash)-std(?:out|err)|task-notification|tool[_-]results?")
"""Tags of programs that may come without their end."""

_MADE_WHOLE = (
    "This session is being continued from a previous conversation",
    "Caveat: The messages below were generated",
    "[Request interrupted by user",
    "Base directory for this skill:",
    "Operation stopped by hook",
    "Stop hook feedback",
    "Another language model started to solve this problem",
    "# AGENTS.md instructions for",
    "# Context from my IDE setup",
    "Your tool call was malformed",
    "API Error",
    "The user sent the following message:",
    "PreToolUse:",
    "PostToolUse:",
    "UserPromptSubmit hook",
    "SessionStart hook",
    "Unknown slash command",
    "Launching skill:",
    "Here is a summary of the conversation so far",
    "EXECUTION RESULT of",
    "OBSERVATION:",
    "Observation:",
)
"""How agents' own programs begin what they send under the user's name."""

_TEMPLATE = ("\n    ", "\n\t")
"""A text that begins on its second line, set in, was cut out of a program's source."""

_MADE_LINE = re.compile(
    r"^[ \t]*(?:\[(?:Request interrupted|Image|image|Pasted text|Tool result|tool_result|Attachment)[^\]\n]*\]"
    r"|Invoke the [\w:-]+ skill\b.*|ARGUMENTS: .*"
    r"|If you need specific details from before exiting plan mode.*)[ \t]*$",
    re.M,
)
TAGS_MOST = 2_000
CUTS_KEPT = 64


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a message's text by one author."""

    text: str
    trust: Trust
    block: int
    prose: bool
    """Sentences, as opposed to code, tables, quotes and logs."""


def pieces(message: Message) -> Iterator[Piece]:
    """A message's text, cut by author, in order; what a call says is not text."""
    author = _AUTHOR.get(message.role, "tool") if message.by == "caller" else "tool"
    for at, block in enumerate(message.blocks):
        match block:
            case Text(text):
                for said, trust, prose in _cut(text, author):
                    yield Piece(said, trust, at, prose)
            case Thinking(text):
                yield Piece(text, author, at, prose=True)
            case Result():
                yield Piece(block.text, "tool", at, prose=False)
            case _:
                pass


Cut = tuple[str, Trust, bool]


# Each reader of facts asks for the pieces of the same message in turn.
@lru_cache(maxsize=CUTS_KEPT)
def _cut(text: str, author: Trust) -> tuple[Cut, ...]:
    if author == "tool":
        return ((text, "tool", False),)
    if author == "person" and (text.lstrip().startswith(_MADE_WHOLE) or text.startswith(_TEMPLATE)):
        return ((text, "tool", True),)
    return tuple(_joined(_by_author(text, author)))


def _by_author(text: str, author: Trust) -> Iterator[Cut]:
    typed = author == "person"
    left = len(text)
    pasted = False
    for said, spoken in _outside_tags(text) if typed else _outside_fences(text):
        left -= len(said)
        body = document_starts(said, left) if typed and spoken and not pasted else len(said)
        if not spoken or pasted:
            yield said, "tool", pasted
            continue
        for part, owned, prose in stretches(said[:body], pasting=typed):
            yield part, author if owned else "tool", prose
        # A document, once begun, goes on behind the tags that stand in it.
        pasted = body < len(said)
        yield said[body:], "tool", True


def _joined(cuts: Iterator[Cut]) -> Iterator[Cut]:
    """Neighbours of one author and one nature become one; nothing stays empty."""
    held: list[str] = []
    nature: tuple[Trust, bool] = ("tool", False)
    for said, trust, prose in cuts:
        if held and nature != (trust, prose):
            yield "".join(held), *nature
            held = []
        if said:
            held.append(said)
            nature = (trust, prose)
    if held:
        yield "".join(held), *nature


def _outside_fences(text: str) -> Iterator[tuple[str, bool]]:
    """What Steno said earlier is ours whatever role it comes back under, even if it was changed on the way."""
    start = 0
    while found := _FENCE.search(text, start) if "<steno-" in text else None:
        closing = f"</steno-{found['digest']}>"
        end = text.find(closing, found.end())
        stop = len(text) if end < 0 else end + len(closing)
        yield text[start : found.start()], True
        yield text[found.start() : stop], False
        start = stop
    yield text[start:], True


def _outside_tags(text: str) -> Iterator[tuple[str, bool]]:
    """Tagged stretches are a program's, unless the tag is one that people put around their own words."""
    for said, spoken in _outside_fences(text):
        if not spoken:
            yield said, False
            continue
        start = 0
        for begin, stop in _tagged(said) if "<" in said else ():
            yield from _outside_lines(said[start:begin])
            yield said[begin:stop], False
            start = stop
        yield from _outside_lines(said[start:])


def _tagged(text: str) -> Iterator[tuple[int, int]]:
    """Where a program's stretches begin and end; of people's own tags, only the tag."""
    at = 0
    for _ in range(TAGS_MOST):
        found = _TAG.search(text, at)
        if found is None:
            return
        at = found.end()
        if _SPOKEN.fullmatch(found["name"]):
            yield found.span()
        elif not found["end"]:
            closing = f"</{found['name']}>"
            # To the last: what a program quotes may hold its own closing tag, and must not get out by it.
            end = text.rfind(closing, at)
            if end >= 0:
                at = end + len(closing)
                yield found.start(), at
            elif _SWALLOWS.fullmatch(found["name"]):
                yield found.start(), len(text)
                return
    yield at, len(text)


def _outside_lines(text: str) -> Iterator[tuple[str, bool]]:
    start = 0
    for found in _MADE_LINE.finditer(text):
        yield text[start : found.start()], True
        yield found[0], False
        start = found.end()
    yield text[start:], True
