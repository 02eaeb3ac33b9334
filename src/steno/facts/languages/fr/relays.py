"""French cues of words that are passed on."""

from steno.facts.languages.cues import RelayCues, any_of
from steno.facts.languages.phrases import Phrases

_SOURCES = any_of(
    r"docs?|documentation|manuel|guide|page|site|article|billet|mail|e-mail|courriel|ticket|forum",
    r"fil|rapport|contrat|extrait|citation|passage|lettre|jira|wiki|readme|slack|internet|web",
)
_ROLES = "chef|cheffe|client|cliente|collègue|équipe|support|fournisseur|directeur|directrice"

RELAYS = RelayCues(
    says=any_of(
        r"(?:^|\s)(?!(?:je|tu|on|nous|vous|ai|as|avons|avez|j[’']ai|l[’']ai|l[’']avons|et|ou)\s)"
        r"[\w.,'’)\"@#-]+ (?:(?:(?:m[’']|nous |te |lui )?a )?(?:dit|écrit|répondu|expliqué|affirmé"
        r"|recommandé|conseillé|suggéré|demandé|précisé|proposé)|disait|écrit|répond|explique"
        r"|affirme"
        r"|recommande|conseille|suggère|précise|indique)(?: \S+){0,4}$",
    ),
    handed=any_of(
        r"^(?:voici |voilà )?(?:le |la |les |l[’']|un |une )?(?:message|réponse|mail|e-mail"
        r"|courriel"
        r"|commentaire|retour|avis|extrait|citation|texte|passage)s? (?:de |du |des |d[’'])"
        r"(?:(?:la |l[’']|ce |cette |notre |mon |ma )?"
        rf"(?:{_SOURCES}|{_ROLES})\b.{{0,40}}|(?-i:[A-ZÀ-Þ](?![A-ZÀ-Þ])).{{0,40}})$",
        r"^(?:d[’']après|selon) (?!moi\b|nous\b)\S.{0,50}$",
        rf"^(?:tiré|copié|repris|extrait) (?:de |du |des |d[’']|depuis )\S.{{0,40}}$"
        rf"|^depuis (?:le |la |l[’'])(?:{_SOURCES})$",
    ),
    sources=_SOURCES,
    machines=Phrases(
        r"\b(?:ci|erreur|logs?|journal|sortie|tests?|build|pipeline|compilateur|linter|console"
        r"|terminal|script|serveur)(?: a)? \w+$",
        r"\bselon (?:\w+ )?(?:ci|logs?|journal|tests?)$",
    ),
    conditions="si|quand|lorsque|dès que|avant que|après que|chaque fois",
    own_heads=r"\bcomme (?:je|on|nous)\b|\b(?:ma|mon|mes|nos|notre) (?:\w+ )?(?:règles?"
    r"|consignes?|réponse|conventions?"
    r"|demande)",
    copied=any_of(
        r"(?:j[’']ai |on a )(?:copié|collé|repris|cité|transféré) (?:ça|ceci|cela|ce texte"
        r"|ce qui suit)"
        r" (?:depuis |de |du |d[’']|sur |dans )\S.{0,60}",
        r"(?:copié|collé|repris|copié-collé|cité|transféré|tiré|extrait) (?:depuis |de |du "
        r"|d[’']|sur )"
        r"\S.{0,60}",
        r"(?:ceci|ça|cela|ce qui suit|le texte qui suit) (?:vient|provient|est (?:tiré|extrait"
        r"|copié|repris))"
        r" (?:de |du |d[’'])\S.{0,60}",
    ),
    copied_stems="copié|collé|repris|cité|transféré|tiré|extrait|vient|provient",
    goes_on="alors|donc|maintenant",
    resumes=any_of(
        "ok|bon|qu[’']en penses|que (?:penses|faut|dois)|peux-tu|pourrais-tu",
        "pouvez-vous|pourriez-vous|est-ce|c[’']est (?:vrai|juste|correct)|ignore|oublie"
        "|(?:corrige|fais",
        "vérifie|résume|traduis|explique|réponds)[ -](?:moi )?(?:ça|cela|le|la|lui|leur)",
    ),
    own_places=r"\b(?:dans|pour) (?:ce|notre|mon) (?:dépôt|repo|projet|code)\b|\bchez nous\b",
)
