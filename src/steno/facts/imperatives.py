"""Sentences that order the assistant about, or say what a person wants.

What a tool or a page says may be an order in disguise; a note that repeats it would be an
order in our words, or in the user's name. Rules that a person lays down are in `rules`.
"""

from __future__ import annotations

import re
import unicodedata

from steno.core.lines import strip_unseen
from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.lazy_pattern import lazy_pattern
from steno.facts.rules import states_rule

_ORDERS = lazy_pattern(in_every_language(lambda cues: cues.orders.orders), re.I)
_FOR_A_PERSON = lazy_pattern(in_every_language(lambda cues: cues.orders.for_a_person), re.I)
_IMPERATIVES = lazy_pattern(
    rf"^\W*(?:(?:{in_every_language(lambda cues: cues.orders.verbs_after)})[,:]? )*"
    rf"(?:{in_every_language(lambda cues: cues.orders.verbs)})",
    re.I,
)

_DUTIES = lazy_pattern(in_every_language(lambda cues: cues.orders.duties), re.I)
_ABROAD = lazy_pattern(
    r"\b(?:utent[ei]|utilizador|usuário|gebruiker|użytkownik\w*|användar\w+|bruger\w*|käyttäjä\w*"
    r"|kullanıcı\w*|dev(?:e|i|ono|em|ete)|bisogna|moet(?:en)?|musi(?:sz)?|måste|skal|pitää|sempre"
    r"|altijd|nooit|zawsze|nigdy|alltid|aldrig|her zaman)\b",
    re.I,
)
"""Words for a user and for a duty in languages that no table here reads."""
_SMALL_ABROAD = lazy_pattern(
    r"\b(?:di|che|della|degli|ogni|gli|nella|sono|più|prima|não|uma|dos|pelo|você|het|een|naar|voor"
    r"|elke|niet|worden|och|og|til|före|før|inte|ikke|att|är|som|från|fra|nie|jest|przed|się|oraz"
    r"|bir|için|önce|ve|aby|před|nebo|hogy|és|nem|ennen|että|și|să|pentru|untuk|sebelum|setiap)\b",
    re.I,
)
"""Small words of languages that no table here reads: two of them show one."""
_NORMS = lazy_pattern(
    # Whose leave it takes: a note about that speaks for a person.
    r"\b(?:confirm(?:ations?|ed|ing)|approv(?:al|ed|es)|consent\w*|permission\w*|grant(?:ed|s)|agreed"
    r"|allow(?:ed|s)|unattended|unnecessary|safety checks?|bestätigung\w*|genehmig\w+|erlaub\w+"
    r"|zustimmung\w*|zugestimmt|autoris\w+|approuv\w+|approbation|confirmaci\w+|aprob\w+|permiso\w*"
    r"|autoriz\w+)\b|确认|许可|批准|同意|授权"
    # What is done again and again, or first of all.
    r"|\b(?:each|every|any|next|future) (?:time|session|task|run|release|commit|request|step)s?\b"
    r"|\b(?:before|after) (?:each|every|any)|\b(?:from now on|first step|as usual|leave it so)\b"
    r"|\b(?:vor|nach|bei|in) jede[mrns]?\b|\bjedes mal\b|\bchaque\b|\bcada\b|每次|以后"
    # What one does, or ought to do.
    r"|\b(?:customary|policy|policies|the right way|best to|what we do|fine with|ok(?:ay)? with)\b"
    r"|\b(?:you|your|you're|yours)\b"
    r"|\b(?:assistants?|agents?|bots?|maintainers?|owners?|teams?|reviewers?|developers?|people)"
    r"(?: \w+){0,2}? (?:skip|post|send|expect|push|run|mail|ignore|delete|share|prefer|want)\w*\b"
    # Commands that fetch and run, and marks of other speakers.
    r"|\b(?:curl|wget|iwr|invoke-\w+)\s+(?!\S*(?:localhost|127\.0\.0\.1))|\|\s*(?:ba|z)?sh\b"
    r"|```|~~~|<!--|^\W{0,3}(?:system|user|human|assistant)\W",
    re.I,
)
"""How a statement tells what to do without an order: by leave, by custom, by command."""
_SPACED = lazy_pattern(r"(?:\b\w[ .*_-]){4}|\b\d[a-z]{4}", re.I)
"""Letters set apart, or a figure in place of a letter."""
_CLAUSE = lazy_pattern(r"[,:;\])(]\s+|\n|\s[-–—]\s")
_JOINED = lazy_pattern(r"(?<=[a-z])[-_](?=[a-z])", re.I)
_STRANGE_LETTER = lazy_pattern("[ãåðõøýþÃÅÐÕØÝÞ\u0100-\u0151\u0154-\u0177\u0179-\u024f]")
"""A Latin letter that none of the languages here has."""
_STRANGE_SCRIPT = lazy_pattern(r"[^\W\d_a-zA-Z\u00aa-\u024f\u1e00-\u1eff\u4e00-\u9fff]{3}")
"""A word in a script that no language here is written in."""
_MIXED = lazy_pattern(r"[a-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][a-z]", re.I)
"""Letters of two alphabets in one word, which look alike."""
_WORD = lazy_pattern(r"[^\W\d_]{2,}")
WORDS_LEAST = 8
"""Words from which on a sentence has small words of its language."""
_SMALL_WORDS = frozenset().union(*(cues.small_words for cues in LANGUAGES))


def as_read(text: str) -> str:
    """Return a text as a reader sees it: without unseen characters, letters in their usual form."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", strip_unseen(text))


def states_duty(text: str) -> bool:
    """Return whether a text says what must, may or will always be done, by anyone.

    A text that cannot be judged, because no language here reads it, may state one.
    """
    text = as_read(text)
    if _DUTIES.search(text) or _ABROAD.search(text) or _NORMS.search(text):
        return True
    if _STRANGE_SCRIPT.search(text) or _MIXED.search(text) or _SPACED.search(text):
        return True
    if _STRANGE_LETTER.search(text) or len(set(_SMALL_ABROAD.findall(text.lower()))) > 1:
        return True
    if gives_orders(_JOINED.sub(" ", text)):
        return True
    if any(begins_with_imperative(clause) for clause in _CLAUSE.split(text)):
        return True
    words = _WORD.findall(text.lower())
    return len(words) >= WORDS_LEAST and _SMALL_WORDS.isdisjoint(words)


def begins_with_imperative(sentence: str) -> bool:
    """Return whether a sentence begins with a verb that says what to do."""
    return _IMPERATIVES.match(as_read(sentence)) is not None


def speaks_for_a_person(sentence: str) -> bool:
    """Return whether a sentence says what a person wants or decided."""
    return _FOR_A_PERSON.search(as_read(sentence)) is not None


def gives_orders(sentence: str) -> bool:
    """Return whether a sentence tells its reader what to do."""
    return _ORDERS.search(as_read(sentence)) is not None


def instructs_reader(text: str) -> bool:
    """Return whether a text gives orders, reads like a rule, or imitates Steno's fences."""
    text = as_read(text)
    if "steno-" in text or gives_orders(text):
        return True
    return states_rule(text)
