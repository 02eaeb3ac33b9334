"""Tell where people say something of their own: what they did, have or like, and lasting rules.

A question about a talk mostly asks for what somebody told. A message that only asks ("can you
suggest some films?") often has the same words, and does not answer it.
"""

from __future__ import annotations

import re

TEXT_MOST = 1_000
"""Characters of a text that are read; what is longer was mostly pasted."""

_PAST = (
    "had|was|were|been|became|began|broke|bought|built|brought|came|caught|chose|cut|did|drank|drove"
    "|ate|fell|felt|found|flew|forgot|got|gave|went|gone|grew|heard|held|kept|knew|led|left|lent"
    "|lost|made|met|paid|put|ran|read|rode|said|sang|sat|saw|seen|sent|set|slept|sold|spent|spoke"
    r"|stood|swam|taken|taught|thought|threw|told|took|understood|won|wore|wrote|\w{2,20}ed"
)
_SOON = r"(?: (?:just|also|even|only|already|once|still|always|never|both|\w{2,20}ly)){0,3}"
_HABITS = (
    "work|live|use|own|love|like|prefer|hate|enjoy|play|drive|study|teach|run|have|keep|usually"
    "|always|never"
)
# Each alternative begins with a letter and then looks back for the word's start, because a search
# for one of a few letters is fast, and one for a word's start is not.
_TELLS = re.compile(
    rf"(?:[Ii](?<!\w.)|[Ww]e(?<!\w..))(?:['’](?:ve|d)| have| had)?{_SOON} (?:{_PAST})\b"
    rf"|[Ii](?<!\w.)(?:['’]m| am|['’]ve| have){_SOON}"
    r" (?:\d|an?\b|been\b|from\b|currently\b|using\b|working\b|living\b)"
    rf"|[Ii](?<!\w.) (?:{_HABITS})\b"
    rf"|[Mm]y(?<!\w..) (?:\w{{1,30}} ){{1,3}}(?:is|are|has|{_PAST})\b"
    r"|[Ii]ch(?<!\w...) (?:habe|hatte|war|bin|arbeite|wohne|mag|nutze)\b"
    r"|[Jj](?<!\w.)(?:['’](?:ai|avais|étais|habite|aime|utilise)|e (?:suis|travaille|préfère))\b"
    r"|[Hh]e(?<!\w..) \w{2,20}(?:ado|ido)\b"
    r"|我(?:[^，。？！]{0,12}[了过]|是|有|在|喜欢|住)"
)
_TELLS_LETTERS = (
    *("i ", "i'", "i’", "we ", "we'", "we’", "my "),
    *("ich ", "je ", "j'", "j’", "ado", "ido", "我"),
)
"""Each alternative holds one of these, in small letters."""
_RULE_WORDS = "always|never|please|don't|don’t|from now on|make sure|immer|niemals|toujours|siempre"
_RULES = re.compile(rf"(?:{_RULE_WORDS})\b", re.IGNORECASE)
_RULES_LETTERS = tuple(_RULE_WORDS.split("|"))
_ASKS = re.compile(
    r"(?:and |so |but |also,? |by the way,? )?"
    r"(?:can|could|do|does|did|would|what|how|is|are|was|which|where|when|why|should|have|has) ",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')]{0,4}\s+|\n+|(?<=[。！？])")


def tells_something(text: str) -> bool:
    """Tell whether a sentence says something of the one who wrote it, or sets a rule."""
    text = text[:TEXT_MOST]
    return _may_tell(text) and any(
        _RULES.match(sentence) is not None
        or (_ASKS.match(sentence) is None and _TELLS.search(sentence) is not None)
        for sentence in _SENTENCE_END.split(text)
    )


def _may_tell(text: str) -> bool:
    """Tell whether a text holds letters without which it tells nothing, as most code does."""
    low = text.lower()
    if any(map(low.__contains__, _TELLS_LETTERS)) or any(map(low.__contains__, _RULES_LETTERS)):
        return True
    # Some letters match one of ours if case does not count, and are not made into it by `lower`.
    return not text.isascii() and _RULES.search(text) is not None
