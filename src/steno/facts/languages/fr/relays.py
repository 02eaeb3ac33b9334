"""French cues of words that are passed on."""

from steno.facts.languages.cues import RelayCues, any_of
from steno.facts.languages.phrases import Phrases

_SOURCES = any_of(
    r"docs?|documentation|manuel|guide|page|site|article|billet|mail|e-mail|courriel|ticket|forum",
    r"fil|rapport|contrat|extrait|citation|passage|lettre|jira|wiki|readme|slack|internet|web",
)
_ROLES = "chef|cheffe|client|cliente|collègue|équipe|support|fournisseur|directeur|directrice"
_TEXTS = any_of(
    "articles?|textes?|messages?|e?-?mails?|courriels?|paragraphes?|lettres?|billets?|tweets?",
    "passages?|phrases?|commentaires?|citations?|extraits?|réponses?|avis|conseils?|poèmes?"
    "|discours",
    "annonces?|plaintes?|recettes?|témoignages?|transcription|dialogues?|posts?",
)
_PLACES = any_of(
    "pages?|sites?|journa(?:l|ux)|logs?|erreurs?|documents?|tickets?|rapports?|notes|captures?"
    "|images?",
    "photos?|contrats?|politique|sorties?|panneau|wiki|readme|manuel|guide|description"
    "|avertissements?",
)

_GIVEN = rf"(?:{_TEXTS}|{_PLACES}|{_SOURCES})"
_A_TEXT = rf"(?:l[’']|(?:le|la|les|une?|ce|cet|cette|ces) )(?:[\w’'-]+ ){{0,3}}?{_GIVEN}\b"

RELAYS = RelayCues(
    says=Phrases(
        r"(?:^|\s)(?!(?:je|tu|on|nous|vous|ai|as|avons|avez|j[’']ai|l[’']ai|l[’']avons|et|ou)\s)"
        r"[\w.,'’)\"@#-]+ (?:(?:(?:m[’']|nous |te |lui )?a )?(?:dit|écrit|répondu|expliqué|affirmé"
        r"|recommandé|conseillé|suggéré|demandé|précisé|proposé)|disait|écrit|répond|explique"
        r"|affirme"
        r"|recommande|conseille|suggère|précise|indique)(?: \S+){0,4}$",
    ),
    handed=Phrases(
        rf"^(?:\S+ ){{0,2}}?(?:{_TEXTS}|{_PLACES}) (?:affiche|montre|contient|indique)$",
        r"^(?:voici |voilà )?(?:le |la |l[’']|les |un |une )?(?:message|compte[- ]rendu"
        r"|procès-verbal"
        r"|notes|transcription|trace|texte|journal|commentaire|description) (?:de |du |d[’']"
        r"|des |sur )"
        r"(?!moi\b|nous\b)\S.{0,40}$|^message transféré$|^(?:compte[- ]rendu|procès-verbal"
        r"|transcription|paroles)$",
        r"^(?:quelqu[’']un|une? (?:ami|amie|collègue|cliente?|utilisateur|type|inconnu)|mon (?:chef"
        r"|ami|collègue|patron|médecin|mari|père|frère)|ma (?:cheffe|collègue|femme|mère|sœur)"
        r")"
        r"(?: (?:sur|dans|de|du|chez) \S.{0,30})?$",
        r"^(?:reçu|trouvé|lu|vu)e?s? (?:ça |ceci )?(?:par|via|sur|dans|de|du|chez) \S.{0,40}$",
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
    texts=_TEXTS,
    places=_PLACES,
    these="(?:ce|cet|cette|ces) ",
    shows=r"(?:voici|voilà|c[’']est) (?!mon\b|ma\b|mes\b|nos\b|notre\b)(?:l[’'])?",
    below="ce qui suit|ci-dessous|le texte suivant",
    these_stems="ce |cet |cette |ces |dessous|suivant",
    works=any_of(
        r"résum\w+|tradui\w+|amélior\w+|corrig\w+|reformul\w+|raccourci\w+|expliqu\w+|relis|relire"
        r"|lis|lire|répon\w+|vérifi\w+|réécri\w+|reçu|évalu\w+|comment\w+",
    ),
    heads="citation|extrait|poème|lettre|paragraphe|devoirs?|recette|article|original|sous-titres"
    "|notes de version",
    reads=any_of(
        r"répon\w+ à (?:ceci|ça|ce)|que dois-je répondre|qu[’']en penses-tu|est-ce vrai",
        r"résum\w+|tradui\w+|reformul\w+|raccourci\w+|que (?:dit|signifie|veut dire|raconte)",
        r"corrig\w+ (?:la grammaire|l[’']orthographe)|relis",
    ),
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
    orders=r"(?:ne pas|jamais|toujours|tu dois|vous devez)\b",
    judged=r"\b(?:cette phrase|ceci|ce texte) (?:est|sonne).{0,30}(?:correct\w*|juste"
    r"|vrai\w*|bien) ?\?$",
    breaks_off=r"(?:attends|en fait|finalement|au fait|désolée?)\b|non[,.!]",
    sends=Phrases(
        r"^(?!.{0,200}\b(?:plus tard|demain|quand|si|dès)\b)(?:.{0,80}\b)?je (?:vais )?(?:te "
        r"|vous |t[’'])?"
        r"(?:coll|envo|transm|partag|copi|transf|montr|donn|mett?)\w* (?:(?:maintenant|ici|là) )?"
        rf"{_A_TEXT}",
        rf"\bprochain message (?:est|sera|contient) {_A_TEXT}",
        r"^(?:tradui|résum|corrig|reli|vérifi|expliqu)\w* (?:le|mon) prochain message",
    ),
    comes=Phrases(
        r"^(?:alors,? |donc,? |ok,? )?(?:voici|voilà|maintenant|ensuite|ci-dessous) (?:vient )?"
        rf"{_A_TEXT}(?: [\w’'-]+){{0,5}}$",
        rf"^(?:l[’']|le |la |les )?{_GIVEN}(?: [\w’'-]+){{0,3}}? (?:ci-dessous|suit|arrive)$",
    ),
    wants=Phrases(
        r"^(?!.{0,60}\b(?:si|quand|lorsque|n[’']hésit\w+)\b)(?:.{0,80}\b)?(?:coll|envo[iy]"
        r"|partag|copi|montr"
        r"|donn|fourni|transm)\w*(?:-moi|-nous)? (?:(?:moi|ici|simplement) ){0,2}"
        rf"(?:l[’']|(?:le|la|les|ton|ta|tes|votre|vos|une?) )(?:[\w’'-]+ ){{0,3}}?(?!politique"
        rf"|notes){_GIVEN}\b",
    ),
    wants_it=Phrases(
        r"\b(?:coll|envo[iy]|partag|copi|transm)\w*-(?:le|la|les)\b|\b(?:coll"
        r"|envo[iy])\w*(?:-moi)? (?:la suite"
        r"|le reste|la partie suivante)",
    ),
    nods=Phrases(
        r"^\W*(?:bien sûr|d[’']accord|oui|ok|avec plaisir|volontiers|vas-y|allez-y|certainement"
        r"|parfait"
        r"|envoie|colle)\b",
    ),
    talk="merci|bonjour|salut|ok|super|bien|parfait|oui|non|peux-tu|pourrais-tu|maintenant|ensuite"
    "|aussi|et|mais",
    pointers="ceci|cela|ça|ce(?:t|tte|s)? texte|ci-dessous|ci-dessus|voici|suivante?s?|ici",
    own_leads="au fait|note|important|d[’']ailleurs|aussi|et|mais|ok|bonjour|salut|merci|oui|non",
    asks="peux-tu|pourrais-tu|as-tu",
    of_text="répon\\w*|signifie|veut dire|dit|correcte?|vraie?|fausse|faux|sonne|tradui\\w*|langue"
    "|ton|mots?",
    states=r"(?!(?:c['’]est|ce|ceci|cela|ça|voici|il y|qui|que)\b)(?:[\w'’-]+ ){1,4}(?:est|sont"
    "|marche|marchent|passe|passent|fonctionne)",
    quotes="dit|écrit|texte|mots?|ligne|phrase|titre",
    changes="correction|non(?=,)|attends|oublie ça|pour (?:le|la|les)|la règle",
)
