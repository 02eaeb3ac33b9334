"""What a question tells about its answer besides its words: whose words they were."""

from __future__ import annotations

import re

_TOLD = (
    "said|told|mentioned|recommended|suggested|gave|provided|listed|explained|described|created|"
    "wrote|shared|advised|showed|proposed|made|used|found"
)
_ABOUT_REPLIES = re.compile(
    rf"\byou (?:\w{{1,30}} ){{0,2}}?(?:{_TOLD})\b"
    r"|\b(?:did|had|have) you\b"
    r"|\byour (?:answer|advice|suggestion|recommendation|list|reply|response)"
    r"|\b(?:previous|earlier|last|past) (?:chat|conversation|discussion|session)"
    r"|\b(?:hast du|haben sie|hattest du) (?:\w{1,30} ){0,8}?(?:gesagt|empfohlen|vorgeschlagen)"
    r"|\b(?:tu as|vous avez|as-tu|avez-vous) (?:dit|recommandé|proposé|suggéré)"
    r"|\b(?:dijiste|recomendaste|sugeriste|propusiste)\b"
    r"|你(?:之前|上次)?(?:说|推荐|建议|提到)",
    re.IGNORECASE,
)
"""A question to an assistant about what it said, not about what it was told."""


def asks_about_replies(question: str) -> bool:
    """Tell whether a question is about what an assistant answered."""
    return _ABOUT_REPLIES.search(question) is not None
