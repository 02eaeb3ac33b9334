"""Decisions, and the reasons given for them.

"We'll use SQLite because …", "decided to …", "going with X instead of Y since …",
from a person or the assistant. What an agent is about to do by the way ("I'll use
grep") decides nothing; it counts only with a reason or an alternative beside it.
A question, a condition or somebody else's wish decides nothing either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from steno.core.message import Message
from steno.facts.authorship import split_by_author
from steno.facts.fact import Fact, Trust
from steno.facts.sentences import Cues

DECISIONS_MOST = 16
"""Kept of one message."""
LEAD_MOST = 20
"""Characters before a choice in a sentence that is about it."""

_FIRM = Cues.of(
    "decid|agreed|settl|opted|opting|conclud|chosen|picked|decision|ing with|went with|go with|stick with|we'll"
    "|we’ll|we will|we're going|we are going"
    "|wir haben uns|habe mich|entsch|wir nehmen|wir verwenden|wir nutzen|wir bleiben|wir setzen|décid|choisi|opté"
    "|décision|nous utilis|nous gard|nous allons|nous opt|nous va|nous part|on utilis|on gard|on allons"
    "|on va|on part|on opt"
    "|elegido|optado|decisión|usaremos|utilizaremos|vamos a|决定|采用|改用|我们",
    r"\b(?:(?:we|i)(?: have|'ve|’ve)?(?: both| all| now| finally)? (?:decided|agreed (?:to|on)|settled on|opted"
    r"|concluded that we)\b"
    r"|(?:we|i)(?:'ve|’ve| have) (?:chosen|picked)\b|decided (?:to|on|against|not to)\b|decision: (?!whether|if)"
    r"|(?:the|my|our|final) decision (?:is|was) (?:to|that)\b"
    r"|(?:i'm|i am|we're|we are)? ?(?:going|sticking) with (?!you\b)|(?:we|i) went with\b|(?:let'?s|we'?ll"
    r"|we will|i'?ll|i will) (?:go|stick) with\b"
    r"|opting (?:for|to)\b|settling on\b|we(?:'ll|’ll| will|'re going to"
    r"| are going to)(?: just| only)? (?:use"
    r"|keep|drop|switch to|adopt|skip|stay|store|target|support|defer|not)\b"
    r"|wir haben uns (?:für|gegen|dazu|darauf)|ich habe mich (?:für|gegen|dazu)|entschieden|entscheidung: "
    r"|wir (?:nehmen|verwenden|nutzen|bleiben bei|setzen auf)\b"
    r"|(?:nous avons|j'ai|on a) (?:décidé|choisi|opté)|décision ?: |(?:nous|on) (?:utiliserons|utilisera|gardons"
    r"|garde|va utiliser|allons utiliser|part sur|optons pour)\b"
    r"|(?:hemos|he) (?:decidido|elegido|optado)|decidimos|decidí|decisión: |usaremos|utilizaremos|vamos a (?:usar"
    r"|utilizar|quedarnos con)\b)"
    r"|(?:我们|我)?(?:决定|最终采用|改用)|我们(?:会|将|就)?(?:用|使用|选择?|采用)",
)
_OF_A_PERSON = Cues.of(
    "let's|lets|option|i'd|i would|id |should|don't|dont|ich würde|lass uns|wir sollten|préfère|prefiero|mejor"
    "|倾向|喜欢|就用",
    r"\blet'?s (?:do|try|use|keep|drop|stick|switch|adopt|skip|avoid|remove|not|defer|postpone|leave|take option"
    r"|implement|call it|move to)\b|\boption \(?(?:\d|[a-c]\b)"
    r"|\b(?:i'?d|i would) (?:prefer|rather|go with|keep|say we)\b|\b(?:we|you) should (?:use|keep|drop|switch"
    r"|go with|not)\b|\bwe don'?t (?:need|want) to\b"
    r"|\b(?:ich würde|lass uns|wir sollten) .{0,40}(?:nehmen|verwenden|lassen|bleiben|nutzen)\b|\bje préfère\b"
    r"|\bprefiero\b|\bmejor (?:usa|usamos|usar)\b|我(?:更)?(?:倾向|喜欢)|就用",
)
_WITH_MORE = Cues.of(
    "because|since|so that|given that|due to| as |to avoid|in order|instead|rather|over |in favo|weil|da |denn"
    "|damit|wegen|statt|anstelle|anstatt|parce|car|puisqu|afin|pour éviter|plutôt|au lieu"
    "|porque|ya que|dado que|para |debido|en lugar|en vez|因为|由于|以便|为了|避免|而不是|代替",
    r"\b(?:i(?:'ll|’ll| will| am going to|'m going to)(?: just| simply)? (?:use|keep|store|put|make|stay|switch"
    r"|avoid|skip|drop|defer|postpone|reuse|rely|leave|treat|not)"
    r"|let'?s (?:use|keep|switch|avoid|skip|drop|not)|(?:i |we )?(?:used(?! (?:as|by|to|in|for|when)\b)|chose"
    r"|picked|kept|switched to|preferred)"
    r"|choosing|keeping"
    r"|ich (?:nehme|verwende|nutze|lasse)|j'utilise|je vais utiliser|je garde|voy a usar|uso|elegí) |我(?:会"
    r"|将)?(?:使用|用|保留)",
)
_REASON = re.compile(
    r"(?:\b(?:because|since(?! (?:the )?(?:last|\d|yesterday|then|v\d))|so that|given that|due to|as (?:it|this"
    r"|that|we|they) (?:is|are|has|have|would|does|don't|can|needs?)|to avoid|in order to"
    r"|weil|da (?:es|wir|das|die|der|sie)|denn|damit|wegen|parce que|car|puisque|afin (?:de|que)|pour éviter"
    r"|porque|ya que|dado que|para (?:evitar|que)|debido a)\b"
    r"|\bparce qu'|\bpuisqu'|因为|由于|以便|为了|避免).*",
    re.I | re.S,
)
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|over (?=[A-Z`])|in favou?r of|statt|anstelle|anstatt|plutôt que|au lieu de"
    r"|en lugar de|en vez de)\b|而不是|代替",
    re.I,
)
_NOT_DECIDED = re.compile(
    r"[?？]\W*$|^\W*(?:if|whether|when|should|shall|could|would|do you|wenn|falls|ob|si|the user|the reviewer"
    r"|they|maybe|perhaps|如果|是否)\b"
    r"|\b(?:not (?:yet )?decided|haven'?t decided|undecided|could go with|would go with|might go with|(?:is|are"
    r"|was|were) (?:asking|using|keeping))\b|还没决定",
    re.I,
)


def read_decisions(message: Message) -> Iterator[Fact]:
    """The decisions that a person or the assistant states in a message."""
    kept = 0
    for piece in split_by_author(message):
        if piece.trust not in ("person", "assistant") or not piece.prose:
            continue
        for sentence, reason in _decision_sentences(piece.text, piece.trust):
            yield Fact("decision", sentence, piece.trust, piece.block, "", reason)
            kept += 1
            if kept == DECISIONS_MOST:
                return


def _decision_sentences(text: str, trust: Trust) -> Iterator[tuple[str, str]]:
    said: set[str] = set()
    for cues in (_FIRM, _OF_A_PERSON if trust == "person" else _WITH_MORE):
        for sentence, found in cues.sentences(text):
            if sentence in said or _NOT_DECIDED.search(sentence):
                continue
            reason = _REASON.search(sentence)
            if cues is _WITH_MORE and not (
                _states_choice(sentence, found[0]) and (reason or _INSTEAD.search(sentence))
            ):
                continue
            said.add(sentence)
            yield sentence, reason[0].strip() if reason and reason.start() else ""


def _states_choice(sentence: str, cue: str) -> bool:
    """Whether the sentence is about the choice, or draws it as a conclusion, and does not only mention one."""
    before = sentence[: sentence.lower().find(cue.lower())].lower()
    return len(before) <= LEAD_MOST or before.rstrip().endswith(
        ("so", "therefore", "thus", "hence", "also", "donc", "所以")
    )
