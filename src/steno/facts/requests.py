"""What a person asks for: questions, requests, go-aheads, and taking them back.

Whatever a person says to an agent wants something of it, unless it only
thanks or calls off. Of a long message the sentences that ask are kept, else
its first. Only words that a person typed count; a pasted log asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from steno.core.message import Message, Text
from steno.facts.authorship import AuthoredText
from steno.facts.fact import Fact
from steno.facts.sentences import clip_sentence, sentences

ASKS_MOST = 4
"""Sentences kept of one message."""
ASKED_MOST = 400
"""Characters kept of one message, beyond its first asking sentence."""
SHORT = 120
"""Characters up to which a message can be a mere go-ahead or thanks."""
GO = "go"
"""The key of a go-ahead: it takes up what was offered."""
NOD = "nod"
"""The key of mere approval: it takes up what was offered, and asks for nothing where nothing was."""

_ASKS = re.compile(
    r"[?？]\W*$|[吗呢]\W*$"
    r"|\b(?:can|could|would|will) (?:you|we|i|it)\b|\bplease\b|\blet'?s\b|\bi(?:'d| would) (?:like|prefer|love"
    r"|want)\b"
    r"|\b(?:i|we) (?:want|need|wish)\b|\bwe should\b|\byou (?:should|need to|must)\b|\bhelp me\b|\bi wonder\b"
    r"|\b(?:bitte|kannst du|können (?:sie|wir)|könntest du|ich (?:möchte|will|brauche|hätte gern)|lass uns"
    r"|wir sollten)\b"
    r"|\b(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|s'il (?:te|vous) pla[iî]t|je (?:veux|voudrais|souhaite)"
    r"|il faut)\b"
    r"|\b(?:puedes|podrías|por favor|quiero|quisiera|necesito|hay que|vamos a|me gustaría)\b"
    r"|请|帮我|能不能|可以.{0,6}吗|我想|我要|需要|麻烦"
    r"|^\W*(?:add|address|adjust|apply|build|bump|change|check|clean|clear|commit|compare|continue|convert|create"
    r"|debug|delete"
    r"|deploy|describe|do|document|draft|explain|extend|extract|find|finish|fix|generate|give|go|handle|implement"
    r"|improve"
    r"|install|integrate|investigate|keep|list|look|make|merge|migrate|move|now|open|optimi[sz]e|port|print|push"
    r"|put|read"
    r"|rebase|refactor|remove|rename|replace|report|restart|revert|review|rewrite|run|search|send|set|show"
    r"|simplify|split"
    r"|start|summari[sz]e|switch|tell|test|translate|try|undo|update|upgrade|use|validate|verify|write)\b"
    r"|^\W*(?:mach|zeig|schreib|erstelle|füge|ändere|prüfe|behebe|lösche|erkläre|nutze|corrige|ajoute|crée|montre"
    r"|écris|vérifie"
    r"|explique|supprime|añade|agrega|crea|arregla|muestra|escribe|revisa|explica|borra|cambia)\b",
    re.I,
)
_GO = re.compile(
    r"(?:\W*(?:ok(?:ay)?|yes|yeah|yep|yup|y|sure|please(?: do)?|go(?: ahead| for it| on)?|do (?:it|that|so|both"
    r"|all)|proceed|continue"
    r"|absolutely|definitely|exactly|correct|right|agreed|sounds good|lgtm|looks good|perfect|great|good"
    r"|let'?s (?:go|do (?:it|that|this))"
    r"|(?:let'?s (?:do|try|take|go with) )?(?:option |number |#)?\d{1,2}|both|all(?: of them)?|the (?:first"
    r"|second|third|last)(?: one)?"
    r"|ja(?: bitte| gerne)?|klar|gerne|mach (?:das|weiter)|weiter|genau|passt|oui|d'accord|vas-y|allez-y"
    r"|continue[rz]?|parfait"
    r"|sí|si|claro|dale|adelante|vale|de acuerdo|hazlo|sigue|好的?|可以|继续|是的?|行|对|嗯"
    r"|没问题)(?![\w-]))+(?=\W*$|\s*[,.;:!—–，。]|\s+(?:please|do|go|let'?s|and|but|bitte|aber|mais|pero)\b)",
    re.I,
)
_NOD = re.compile(
    r"(?:\W*(?:ok(?:ay)?|great|good|perfect|nice|exactly|correct|right|agreed|sounds good|lgtm|looks good|genau"
    r"|passt|parfait"
    r"|d'accord|vale|claro|de acuerdo|好的?|对|嗯|是的?)(?![\w-]))+\W*",
    re.I,
)
_OFF = re.compile(
    r"\W*(?:(?:oh|ok(?:ay)?|actually|no|hm+|ah|wait|sorry|ach|nein|ah non|no)[,.!\s]+)*"
    r"(?:never ?mind|nvm|forget (?:about )?(?:it|that|this)|scrap (?:it|that)|cancel (?:it|that|this)|drop (?:it"
    r"|that)"
    r"|don'?t bother|no longer needed|not needed any ?more|leave it(?: there)?|that'?s (?:all|it)(?: for now"
    r"| then)?|(?:we'?re|i'?m|all) done"
    r"|vergiss es|vergiss das|hat sich erledigt|schon gut|nicht mehr nötig|lass (?:es|gut sein)|laisse tomber"
    r"|oublie (?:ça|cela)"
    r"|plus besoin|c'est tout|olvídalo|olvida eso|déjalo|ya no hace falta|eso es todo|算了|不用了|没事了|别管了"
    r"|当我没说)"
    r"(?=\W*$|\s*[,.;!:—–-]|\s+(?:and|then|und|et|y)\b|[，。！])",
    re.I,
)
_THANKS = re.compile(
    r"(?:\W*(?:thanks?|thank you|thx|ty|cheers|danke(?: dir| schön)?|merci|gracias|谢谢|感谢|so much|a lot"
    r"|very much|vielen|viel|beaucoup|muchas"
    r"|great|nice|cool|awesome|amazing|excellent|perfect|good(?: job| work)?|well done|wow|super|toll|prima"
    r"|génial|genial|done|all good"
    r"|it works?(?: now)?|works(?: now)?|that works|works great|everything works|you(?: are|'re) (?:great"
    r"|a monster|awesome|the best)"
    r"|bye|goodbye|good night|太好了|很好|fertig|that'?s (?:all|it|great|perfect)|looks? (?:great|good)|haha|lol"
    r"|man|mate|now)(?!\w))+\W*",
    re.I,
)
_THANKING = re.compile(
    r"thank|thx|\bty\b|cheers|danke|merci|gracias|谢|感谢|\bdone\b|fertig|\bbye\b|that'?s (?:all|it)\b",
    re.I,
)
_COMMAND = re.compile(r"<command-name>(/[\w:.-]{1,80})</command-name>")


def read_requests(message: Message, pieces: list[AuthoredText]) -> Iterator[Fact]:
    """What a person asks in this message, or takes back."""
    own = [
        piece for piece in pieces if piece.trust == "person" and piece.prose and piece.text.strip()
    ]
    whole = "".join(piece.text for piece in own).strip() if own else ""
    if not own:
        yield from _slash_commands(message)
        return
    if len(whole) <= SHORT and _THANKS.fullmatch(whole) and not _GO.fullmatch(whole):
        if _THANKING.search(whole):
            yield Fact("close", whole, "person", own[0].block, note="ask")
        return
    off = _OFF.match(whole)
    if off is not None:
        yield Fact("close", off[0].strip(), "person", own[0].block, note="ask")
        if len(whole) - off.end() < len(off[0]) and len(whole) <= SHORT:
            return
    for words, block in _asking_sentences(own):
        yield Fact("open", words, "person", block, _consent_kind(whole), "ask")


def _consent_kind(whole: str) -> str:
    if len(whole) > SHORT or not _GO.match(whole):
        return ""
    if _NOD.fullmatch(whole):
        return NOD
    return GO


def _asking_sentences(own: list[AuthoredText]) -> list[tuple[str, int]]:
    """The sentences that ask, bounded; without any, the first that says something."""
    said = [
        (piece.text[start:stop], piece.block)
        for piece in own
        for start, stop in sentences(piece.text)
        if any(letter.isalnum() for letter in piece.text[start:stop])
    ]
    asking = [
        (clip_sentence(words), block)
        for words, block in said
        if _ASKS.search(words) and not _OFF.fullmatch(words)
    ]
    kept: list[tuple[str, int]] = []
    for words, block in asking or [(clip_sentence(words), block) for words, block in said[:1]]:
        if kept and (
            len(kept) == ASKS_MOST or sum(len(one) for one, _ in kept) + len(words) > ASKED_MOST
        ):
            break
        kept.append((words, block))
    return kept


def _slash_commands(message: Message) -> Iterator[Fact]:
    """A slash command that a person typed; its program wrote the tags, and what the command stands for."""
    for at, block in enumerate(message.blocks):
        # A program's own commands (`/exit`) put the name first and want no answer.
        if isinstance(block, Text) and block.text.lstrip().startswith("<command-message>"):
            found = _COMMAND.search(block.text)
            if found is not None:
                yield Fact("open", found[1], "person", at, "", "ask")
