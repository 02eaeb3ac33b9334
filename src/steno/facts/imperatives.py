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
            r"\b(?:ignore|disregard|forget|override|bypass|obey)\b(?= (?:all|any|every|the|your"
            r"|previous|prior"
            r"|earlier|above|these|those|this|that|me|my|whatever|everything)\b)",
            r"\byou (?:must|should|shall|have to|need to|are to|are now|will now|may not|cannot"
            r"|can[’']t|ought)\b",
            r"\b(?:the )?(?:assistant|agent|model|ai|reader|llm) (?:must|should|shall|has to"
            r"|needs to|is to|may not"
            r"|is required|is instructed|is told|ought)\b",
            r"^(?:always|never|do not|don[’']t|make sure|be sure|remember to|from now on|important"
            r"|system|urgent"
            r"|instructions?|attention|please)\b",
            r"\b(?:new|updated|following|hidden|secret) (?:instructions?|orders?|rules?"
            r"|system prompt|directives?)\b",
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
            r"|从现在(?:起|开始)|务必|切勿|必须|应当立即|需要立即",
            r"\bit (?:is|was|has been) (?:now |hereby |absolutely )?(?:required|necessary"
            r"|mandatory|imperative|essential"
            r"|compulsory|ordered|demanded) (?:that|to|for)\b",
            r"\bes (?:ist|wird) (?:erforderlich|nötig|notwendig|zwingend|verlangt)\b|\b(?:ist"
            r"|sind) (?:sofort )?zu \w+en\b",
            r"\bil (?:faut|est (?:nécessaire|obligatoire|impératif))\b|\bdoi(?:ven)?t être\b",
            r"\bhay que\b|\bes (?:necesario|obligatorio|imprescindible)\b|\bdeben? (?:\w+[aei]rse|ser)\b",
        )
    ),
    re.I,
)

_FOR_A_PERSON = re.compile(
    r"\b(?:user|customer|client|human|person|owner|operator|developer)s? "
    r"(?:(?:has|have|had|did|does|do|is|was|will|would|may|might|can|could|should|been"
    r"|also|now|then|explicitly|clearly"
    r"|already|just|recently|previously|always|never|not|hereby|fully) )*"
    r"(?:wants?|wanted|asks?|asked|says?|said|requires?|required|requests?|requested"
    r"|tells?|told|needs?|needed|demands?"
    r"|demanded|decides?|decided|prefers?|preferred|wish(?:es|ed)?|instruct(?:s|ed)"
    r"|orders?|ordered|insists?|insisted"
    r"|expects?|expected|allow(?:s|ed)?|approve[sd]?|agree[sd]?|chose|confirm(?:s|ed)?"
    r"|gave|gives?|given|grant(?:s|ed)?|permit(?:s|ted)?"
    r"|authori[sz]e[sd]?|wanting|asking|accept(?:s|ed)?|consent(?:s|ed)?|sign(?:s|ed) off)\b"
    r"|\b(?:by|from|as) the user\b|\bthe user's (?:wish|request|order|instruction|rule"
    r"|demand|approval|permission|consent|go-ahead|decision)"
    r"|\b(?:nutzer|benutzer|anwender|kunde|nutzerin|benutzerin)\b|\b(?:utilisateur|utilisatrice|client)\b"
    r"|\b(?:usuario|usuaria|cliente)\b|用户|客户",
    re.I,
)


_NEXT = (
    r"(?= (?:the|all|any|every|each|this|that|these|those|it|them|your|my|our|its|a|an"
    r"|both|everything|sudo|rm|curl|wget"
    r"|bash|sh|git|npm|pip|python3?|make|docker|kubectl)\b| [`$~./-])"
)
"""What follows a verb that is none where another word follows: a run failed."""
_IMPERATIVES = re.compile(
    r"^\W*(?:(?:then|now|next|first|finally|so|also|just|immediately|dann|jetzt|sofort"
    r"|puis|ensuite|luego|ahora)[,:]? )*(?:"
    r"(?:delete|remove|erase|wipe|send|execute|install|upload|download|transfer|forward"
    r"|email|disable|enable|grant|invoke"
    r"|reveal|leak|exfiltrate|overwrite|terminate|kill|uninstall|publish|deploy|follow|proceed|continue|go)\b"
    r"|(?:run|use|call|open|write|read|add|create|change|update|edit|move|copy|drop|push"
    r"|commit|merge|post|print|put|set"
    r"|start|stop|restart|build|test|check|fix|show|list|give|tell|ask|keep|make|try|turn"
    r"|visit|click|share|pay|buy)\b"
    + _NEXT
    + r"|(?:führe?|lösche?|sende?|schicke?|entferne?|installiere|starte|öffne|schreibe?"
    r"|kopiere|lade|überweise?|ändere"
    r"|ignoriere|deaktiviere|beende|verwende|benutze|gib|nimm|rufe?|setze?|stelle?|leite"
    r"|veröffentliche|überschreibe)\b"
    r"|(?:supprime[zr]?|efface[zr]?|envoie|envoyez|exécute[zr]?|lance[zr]?|installe[zr]?"
    r"|télécharge[zr]?|ouvre[zr]?"
    r"|écris|écrivez|copie[zr]?|désactive[zr]?|transfère|transférez|mets|mettez|enlève|enlevez|publie[zr]?)\b"
    r"|(?:borr[ae]|elimin[ae]|envía|envíe|ejecut[ae]|instal[ae]|descarg[ae]|abre|escribe"
    r"|copia|desactiva|transfiere"
    r"|lanza|sube|publica|quita|suprime)\b"
    r"|(?:请|立即|马上|立刻)|(?:删除|执行|发送|运行|安装|上传|下载|清空|关闭|停止|打开|移除|转账|公开)(?!了|过|成功|失败|后|的"
    r"|命令已)"
    r")",
    re.I,
)


def begins_with_imperative(sentence: str) -> bool:
    """It begins like an order: with a verb that says what to do."""
    return _IMPERATIVES.match(sentence) is not None


def speaks_for_a_person(sentence: str) -> bool:
    """It says what somebody wants or decided."""
    return _FOR_A_PERSON.search(sentence) is not None


def gives_orders(sentence: str) -> bool:
    return _ORDERS.search(sentence) is not None
