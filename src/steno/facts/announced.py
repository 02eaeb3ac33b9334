"""Which messages hold a text that was announced before them, and are not the person's.

"Here is the page:" and then the page as a message of its own; "I'll paste the ticket next."; "Can
you check this email?" without one; "Please paste the log.", says the assistant. The next message
of the user is the text, and so are more that follow it unanswered, unless one opens in the first
person or with a request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace as altered

from steno.core.message import Message, user_message
from steno.facts.authorship import own_words, split_by_author
from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.languages.phrases import Phrases
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.relayed import asks_about_shown_text, begins_as_own, names_text
from steno.facts.sentences import sentences

LOOKED_BACK = 8
"""Messages back in which a text may be announced: it may come in parts, each answered."""
END_MOST = 400
"""Characters at the end of a message that are read for an announcement."""
SENTENCES_READ = 3
POINTED_MOST = 200
"""Characters of a message that points at a text and does not hold it."""
NOD_MOST = 160
"""Characters of an answer that only says that the text may come."""
_SOMETHING = "It begins here."
_BREAKS_OFF = lazy_pattern(
    rf"\W*(?:{in_every_language(lambda cues: cues.relays.breaks_off)})", re.I
)


def with_passed_on(messages: Sequence[Message], before: Sequence[Message]) -> list[Message]:
    """Return messages, those marked as a program's whose text one before them announces."""
    known = list(before)
    for message in messages:
        if _is_passed_on(message, known):
            message = altered(message, by="program")
        known.append(message)
    return known[len(before) :]


def _is_passed_on(message: Message, before: Sequence[Message]) -> bool:
    if message.role != "user" or message.by != "caller" or message.only_results:
        return False
    if not is_awaited(before):
        return False
    return not begins_as_own(message.text) and _BREAKS_OFF.match(message.text) is None


def is_awaited(before: Sequence[Message]) -> bool:
    """Tell whether messages end with one that announces a text, or with a part of it."""
    before = before[-LOOKED_BACK:]
    answer: Message | None = None
    for earlier in reversed(before):
        if earlier.role == "assistant" and not earlier.calls:
            answer = answer or earlier
        elif earlier.role != "user" or earlier.only_results:
            return False
        elif answer is not None and _asks_for_text(answer, earlier):
            return True
        elif earlier.by == "caller":
            return _announces_text(earlier, answer)
        # Parts of a text follow each other until somebody answers; a log has one.
        elif answer is not None or not _has_sentences(earlier):
            return False
    return False


def _asks_for_text(answer: Message, asked: Message) -> bool:
    """Tell whether an assistant ends by asking for a text, or for `it` behind words about one."""
    said = _last_sentences(answer)
    if any(_has_cue(said, language.relays.wants) for language in LANGUAGES):
        return True
    if not any(_has_cue(said, language.relays.wants_it) for language in LANGUAGES):
        return False
    return asked.by != "caller" or names_text("\n".join(_last_sentences(asked)))


def _announces_text(message: Message, answer: Message | None) -> bool:
    """Tell whether the end of a person's message announces a text that is not there."""
    text = message.text.rstrip()
    if text.endswith((":", "：")):
        above = text.rpartition("\n")[0].rstrip()
        return _goes_on_as_own(above) and not _goes_on_as_own(text)
    said = _last_sentences(message)
    for language in LANGUAGES:
        if _has_cue(said, language.relays.sends) or _has_cue(said[-1:], language.relays.comes):
            return True
    # A picture may hold what is pointed at.
    if not said or len(text) > POINTED_MOST or len(message.blocks) > 1:
        return False
    return asks_about_shown_text(said[-1]) and (answer is None or _nods(answer))


def _nods(answer: Message) -> bool:
    """Tell whether an assistant only says that a text may come."""
    if len(answer.text) > NOD_MOST:
        return False
    said = [answer.text.lower()]
    return any(_has_cue(said, language.relays.nods) for language in LANGUAGES)


def _last_sentences(message: Message) -> list[str]:
    end = message.text.rstrip()[-END_MOST:]
    places = list(sentences(end))[-SENTENCES_READ:]
    return [end[start:stop].lower().rstrip(" .!。") for start, stop in places]


def _has_cue(said: Sequence[str], cue: Phrases) -> bool:
    return any(map(cue.found_in, said))


def _goes_on_as_own(text: str) -> bool:
    """Tell whether a sentence behind a text would be the person's."""
    *_, last = split_by_author(user_message(f"{text}\n\n{_SOMETHING}"))
    return last.trust == "person"


def _has_sentences(message: Message) -> bool:
    """Tell whether a message of a program has sentences, as a page has and a log has not."""
    return own_words(user_message(message.text)).strip() != ""
