"""Sentences that order the assistant about, or say what a person wants, in five languages.

What a tool or a page says may be an order in disguise; a note that repeats it
would be one in our words, or worse, in the user's name. Owns the cues of such sentences. Rules that a person
lays down are `constraint`'s business.
"""

from __future__ import annotations

import re

_ORDERS = re.compile(
    "|".join(
        (
            r"\b(?:ignore|disregard|forget|override|bypass|obey)\b(?= (?:all|any|every|the|your|previous|prior"
            r"|earlier|above|these|those|this|that|me|my|whatever|everything)\b)",
            r"\byou (?:must|should|shall|have to|need to|are to|are now|will now|may not|cannot|can[’']t|ought)\b",
            r"\b(?:the )?(?:assistant|agent|model|ai|reader|llm) (?:must|should|shall|has to|needs to|is to|may not"
            r"|is required|is instructed|is told|ought)\b",
            r"^(?:always|never|do not|don[’']t|make sure|be sure|remember to|from now on|important|system|urgent"
            r"|instructions?|attention|please)\b",
            r"\b(?:new|updated|following|hidden|secret) (?:instructions?|orders?|rules?|system prompt|directives?)\b",
            r"\b(?:system prompt|prior instructions|previous instructions|without asking the user)\b",
            r"\b(?:must|should) (?:always|never)\b",
            r"\b(?:ignorier\w*|missachte\w*|vergiss|vergesst)\b (?:alle|die|deine|jede|das|vorherige)",
            r"\b(?:du|ihr) (?:musst|müsst|sollst|sollt|darfst|dürft)\b",
            r"\b(?:der assistent|der agent|das modell) (?:muss|soll|darf)\b",
            r"^(?:immer|nie|niemals|ab jetzt|ab sofort|bitte)\b",
            r"\b(?:ignor\w+|oubli\w+)\b (?:toutes?|tous|les|tes|vos|ce)",
            r"\b(?:tu dois|vous devez|tu ne dois|vous ne devez|l[’']assistant doit|le modèle doit)\b",
            r"^(?:toujours|jamais|ne jamais|désormais|n[’']oublie)\b",
            r"\b(?:ignora|ignore|olvida|olvide)\b (?:todas?|todos|las|los|cualquier|tus)",
            r"\b(?:debes|tienes que|no debes|el asistente debe|el modelo debe)\b",
            r"^(?:siempre|nunca|a partir de ahora)\b",
            r"(?:忽略|无视|忘记)(?:之前|以上|所有|上述|前面|先前|一切)|你(?:必须|应该|应当|不得|需要)"
            r"|(?:助手|模型)(?:必须|应该|应当)"
            r"|从现在(?:起|开始)|务必|切勿",
        )
    ),
    re.I,
)

_FOR_A_PERSON = re.compile(
    r"\b(?:user|customer|client|human|person|owner|operator|developer)s? (?:also |now |then |explicitly |clearly )?"
    r"(?:wants?|wanted|asks?|asked|says?|said|requires?|required|requests?|requested|tells?|told|needs?|needed|demands?"
    r"|demanded|decides?|decided|prefers?|preferred|wish(?:es|ed)?|instruct(?:s|ed)|orders?|ordered|insists?|insisted"
    r"|expects?|expected|allow(?:s|ed)?|approve[sd]?|agree[sd]?|chose|confirm(?:s|ed)?)\b"
    r"|\b(?:by|from|as) the user\b|\bthe user's (?:wish|request|order|instruction|rule|demand)"
    r"|\b(?:nutzer|benutzer|anwender|kunde|nutzerin|benutzerin)\b|\b(?:utilisateur|utilisatrice|client)\b"
    r"|\b(?:usuario|usuaria|cliente)\b|用户|客户",
    re.I,
)


def speaks_for_a_person(sentence: str) -> bool:
    """It says what somebody wants or decided."""
    return _FOR_A_PERSON.search(sentence) is not None


def gives_orders(sentence: str) -> bool:
    return _ORDERS.search(sentence) is not None
