"""Which user messages a person sent, and which a program put there.

Most agents hand reminders, command output and loaded instructions to the model as
user messages. Those have known openings or stand in tags. Everything else was sent
by a person: typed or pasted. A person's words may also come within a result: the reason
for a rejected call, the answer to a question. This is about what stays visible, not about
trust: whose words may lay down a constraint is decided by `authorship`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from steno.core.fence import Fence
from steno.core.message import Block, Call, Media, Message, Result, Text
from steno.core.word_tables import word_tuple, words_of
from steno.facts.artifacts import command_of_call
from steno.facts.authorship import typed_text
from steno.facts.changes import decode_arguments
from steno.facts.errors import is_declined
from steno.facts.shell import only_looks
from steno.facts.tags import closed_tags, without_tags
from steno.facts.vocabulary import KNOWN_TOOLS, fold_name

MESSAGES_MOST = 8_192
"""Messages whose words are held ready."""

_TAGGED = re.compile(
    r"system-reminder|task-notification|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+"
    r"|environment_context|user_instructions|turn_aborted|subagent_notification"
)
_ANY_TAG = re.compile(r"[a-z][\w-]*")
_ARGUMENTS = re.compile(r"command-args")
_REASON = re.compile(
    r"(?:user (?:said|wrote|replied|answered)|feedback|reason|comment)\s*:\s*(?:<feedback>)?\s*",
    re.I,
)
"""What stands before the words of a person who rejects a call."""
REASON_WITHIN = 600
"""Characters of a result in which it stands."""
_ASKING = word_tuple(
    "askuserquestion requestuserinput askuser askfollowupquestion question askquestions "
    "vscodeaskquestions"
)
"""Tools by which known agents put a question to a person, spelt as `fold_name` does. Any other may
ask anyone, and answer for anyone, whatever its name says."""
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ASKS_PEOPLE = words_of("user human clarify elicit")
"""Words in the names of other tools that may have asked a person."""
_OPENINGS = re.compile(
    r"\s*(?:Base directory for this skill|Caveat: |\[Request interrupted[^\n]*\Z|\[image\]\s*\Z"
    r"|This session is being continued|# AGENTS\.md instructions|<skill>|<INSTRUCTIONS>)",
    re.I,
)

_PROGRAM_SAYS = re.compile(r"API Error: [45]\d\d\b[^\n]{0,300}\Z|No response requested\.\Z")
"""What stands in place of a reply that did not come, or was not wanted."""


@lru_cache(maxsize=MESSAGES_MOST)
def person_words(message: Message) -> str:
    """Return what was sent as the user, typed or pasted; empty for texts that programs insert.

    A picture alone has no words, and is sent all the same.
    """
    if message.role != "user" or message.by == "steno":
        return ""
    texts = [block.text for block in message.blocks if isinstance(block, Text)]
    words = [_words_in(text) for text in texts if Fence.parse(text) is None]
    said = "\n".join(text for text in words if text)
    if said or not any(isinstance(block, Media) for block in message.blocks):
        return said
    return "(no words)"


def agent_words(message: Message) -> str:
    """Return what the assistant said; empty for what its program says in its name."""
    text = message.text.strip()
    return "" if _PROGRAM_SAYS.match(text) else text


MEDIA_NAMED = 4
"""Pictures of one message that are named."""
PASTED = "USER, pasted"
"""Who sent a message in which a person says nothing."""


def sender(message: Message) -> str:
    """Return how a line about a user's message names who sent it, and what came with it."""
    name = "USER"
    if message.by == "program":
        name = "PROGRAM"
    elif not typed_text(message):
        name = PASTED
    media = media_in(message.blocks)
    if media:
        return f"{name}, with {media}"
    return name


def media_in(blocks: Sequence[Block]) -> str:
    """Return what pictures, documents and sounds stand among blocks, in words."""
    found = [block.description for block in blocks if isinstance(block, Media)]
    if len(found) > MEDIA_NAMED:
        found[MEDIA_NAMED:] = [f"{len(found) - MEDIA_NAMED} more"]
    return " and ".join(found)


def _words_in(text: str) -> str:
    if _OPENINGS.match(text):
        return ""
    if "<" not in text:
        return text.strip()
    arguments = "\n".join(tag.inner.strip() for tag in closed_tags(text, _ARGUMENTS))
    left = without_tags(text, _TAGGED).strip()
    # Also behind a tag that no list knows.
    if _OPENINGS.match(without_tags(left, _ANY_TAG)):
        left = ""
    return "\n".join(part for part in (arguments, left) if part)


def relayed_words(call: Call, result: Result) -> str:
    """Return what a person said within a result, and who says so; empty if nothing.

    A tool relays it, so it is visible and never a constraint, and the row says that the result
    says so: a tool may print anything. What only shows texts of others relays nothing, unless its
    result is flagged.
    """
    if is_declined(result):
        marker = _REASON.search(result.text, 0, REASON_WITHIN)
        if marker is None or (_shows_texts(call) and not result.error):
            return ""
        words = result.text[marker.end() :].replace("</feedback>", "").strip()
        return words and f"RESULT of {call.name}, which says that the user rejected it: {words}"
    if result.error or '"question' not in call.arguments:
        return ""
    words = _with_question(call, result.text.strip())
    if fold_name(call.name) in _ASKING:
        return f"USER, answering {call.name}: {words}"
    if not _ASKS_PEOPLE.isdisjoint(map(str.lower, _NAME_WORD.findall(call.name))):
        return f"RESULT of {call.name}, which says that the user answered: {words}"
    return ""


def _with_question(call: Call, answer: str) -> str:
    """Return an answer with what it leaves out: the question, and what a chosen option means."""
    asked = list(_objects_in(decode_arguments(call)))
    questions = [str(each["question"]) for each in asked if "question" in each]
    unsaid = [question for question in questions if question not in answer]
    meant: list[str] = []
    for option in asked:
        label, meaning = option.get("label"), option.get("description")
        if meaning and f'"{label}"' in answer:
            meant.append(f"({label}: {meaning})")
    return " ".join((*unsaid, answer, *meant))


def _objects_in(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the objects of a JSON value, the outer first."""
    if isinstance(value, Mapping):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _objects_in(inner)


def _shows_texts(call: Call) -> bool:
    command = command_of_call(call)
    if command:
        return only_looks(command)
    return KNOWN_TOOLS.tool(call.name).action in ("read", "searched", "fetched", "delegated")
