"""What the assistant says is still to be done, or offers to do.

"Next I'll …", "still to do: …", a list under "Next steps", an unticked box, a
TODO line; and the question a reply ends with, which a person's go-ahead turns
into a step. What it does in the same breath is not announced: beside calls only
words that leave something over count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from steno.ledger.cue import Cues, clipped, line_at, sentence_at
from steno.ledger.fact import Fact
from steno.ledger.sentence import sentences
from steno.ledger.voice import Piece

STEPS_MOST = 8
OFFER = "offer"
"""The key of what is only offered yet."""
BELOW = 2_000
"""Characters under a heading in which its steps stand."""
ENDING = 600
"""Characters from the end of a reply in which its closing question stands."""

_LEFT = Cues.of(
    "next|still|to do|to-do|todo|remaining|left|outstanding|done|open |follow|pending|nächst|noch |offene"
    "|verbleib|étape|reste|faire|restant|paso|pendiente|por hacer|falta|下一步|接下来|待办|剩余|还需要|尚未",
    r"^[ \t]*(?:(?P<head>#{1,6} )|[-*] |\d+[.)] )?[*_]{0,2}(?:"
    r"(?:the )?next steps?|next up|up next|next is|still (?:to do|to be done|open|missing|pending|outstanding"
    r"|left)|to[ -]?dos?(?: list| items)?(?=[*_]{0,2}(?:[:：]|$))"
    r"|remaining(?: (?:items?|tasks?|work|steps?|issues?|todos?|points?))|left to do|what'?s (?:left|next"
    r"|still missing)|outstanding"
    r"|not (?:yet )?done(?: yet)?|open (?:items|points|questions|tasks)|follow[- ]ups?|pending(?: (?:items|tasks"
    r"|work))?"
    r"|nächste schritte|als nächstes|noch (?:offen|zu tun)|offene punkte|verbleibend|prochaines? étapes?"
    r"|reste à faire|à faire|restant"
    r"|próximos? pasos?|pendientes?|queda por hacer|por hacer|faltan?(?=[:：])|下一步|接下来|待办(?:事项)?"
    r"|剩余(?:任务"
    r"|工作)?|还需要做?|尚未完成"
    r")[^\n.:：]{0,40}(?:[:：]|[*_]{2}[:：]?|(?<=[a-zé]) (?:is|are|ist|sind|est|sont|es|son) |[—–]| - |(?(head)$"
    r"|(?!)))",
)
_WILL = Cues.of(
    "next|then|continue with|follow up|tackle|come back|after|later|once |still|yet to|als nächstes|danach|noch"
    "|ensuite|reste|a continuación|luego|después|aún|todavía|接下来|下一步|之后|还",
    r"\b(?:next,? i(?:'ll|’ll| will|'m going to| am going to)|i(?:'ll|’ll| will) (?:next|then|continue with"
    r"|follow up|tackle|come back)"
    r"|(?:after that|afterwards|later|once (?:that|this|it)(?:'s| is) (?:done|merged|in|ready)),? (?:i|we)(?:'ll"
    r"|’ll| will)"
    r"|(?:i|we) (?:still )?(?:have|need) (?:yet )?to (?:still|later)|(?:i|we) still (?:need|have) to"
    r"|still (?:needs|has) to be"
    r"|als nächstes (?:werde|mache|schaue|kümmere) ich|danach werde ich|(?:ich|wir) (?:muss|müssen) noch"
    r"|ensuite,? je (?:vais|ferai)|il (?:me |nous )?reste (?:encore )?à|a continuación,? (?:voy|haré)|(?:luego"
    r"|después) voy a|(?:aún|todavía) (?:falta|queda|hay que))"
    r"|接下来我?(?:会|将|要)|下一步我?(?:会|将|要)|之后我(?:会|将)|还(?:需要|得|要)(?:再)?",
)
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\(?\d{1,2}[.)])[ \t]+(?!\[[xX]\])(?:\[ \][ \t]+)?(\S.*)")
_BOX = re.compile(r"^[ \t]*(?:[-*+]|\d{1,2}[.)]) \[([ xX])\] (\S.*)$", re.M)


def announced(pieces: list[Piece], *, busy: bool) -> Iterator[Fact]:
    """The steps an assistant's message leaves for later; `busy` where it also calls tools."""
    steps: dict[str, int] = {}
    for block, text in _running(pieces).items():
        for words in islice(_steps(text, busy), STEPS_MOST):
            steps.setdefault(words, block)
    for words, block in list(steps.items())[:STEPS_MOST]:
        yield Fact("open", words, "assistant", block, "", "next")


def _running(pieces: list[Piece]) -> dict[int, str]:
    """Each block's prose, with the lone lines between: a heading may look like code and yet head a list."""
    texts: dict[int, str] = {}
    for piece in pieces:
        lone = piece.text.strip().count("\n") == 0 and not piece.text.lstrip().startswith((">", "|", "`", "~"))
        texts[piece.block] = texts.get(piece.block, "") + (piece.text if piece.prose or lone else "\n")
    return texts


def _steps(text: str, busy: bool) -> Iterator[str]:
    for found in _LEFT.matches(text):
        _, end = line_at(text, found.end() - 1)
        if text[found.end() : end].strip(" *_:："):
            start, stop = sentence_at(text, found.end() - 1)
            yield clipped(text[start:stop].lstrip("#*- "))
        else:
            yield from islice(_below(text[end + 1 : end + 1 + BELOW]), STEPS_MOST)
    if not busy:
        yield from (sentence for sentence, _ in _WILL.sentences(text))


def _below(text: str) -> Iterator[str]:
    """What stands under a heading: the items of a list, or a first sentence."""
    listed = False
    for line in text.split("\n"):
        item = _ITEM.match(line)
        if item is not None:
            listed = True
            yield clipped(item[1].strip())
        elif line.strip() and not listed:
            yield from (clipped(line[start:stop]) for start, stop in islice(sentences(line), 1))
            return
        elif line.strip() and line[:1] not in " \t":
            return


def boxes(pieces: list[Piece]) -> Iterator[tuple[str, bool, int]]:
    """Items with a tick box, whether ticked, and their block."""
    for piece in pieces:
        if piece.prose and ("- [" in piece.text or ". [" in piece.text or "* [" in piece.text):
            yield from ((clipped(box[2].strip()), box[1] != " ", piece.block) for box in _BOX.finditer(piece.text))


def offered(pieces: list[Piece]) -> Fact | None:
    """The question a reply ends with."""
    spoken = [piece for piece in pieces if piece.prose and piece.text.strip()]
    if not spoken:
        return None
    last = spoken[-1]
    text = last.text[-ENDING:]
    if "?" not in text and "？" not in text:
        return None
    asked = [text[start:stop] for start, stop in sentences(text)][-3:]
    questions = [words for words in asked if words.rstrip("*_\"') ").endswith(("?", "？"))]
    return Fact("open", clipped(questions[-1]), "assistant", last.block, OFFER, "next") if questions else None
