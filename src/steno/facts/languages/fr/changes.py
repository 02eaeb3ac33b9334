"""How rules are changed: permissions, exceptions, corrections, in French."""

from steno.core.words import words_of
from steno.facts.languages.cues import AmendmentCues, RuleChangeCues, any_of
from steno.facts.languages.phrases import Phrases

CHANGES = RuleChangeCues(
    permits=Phrases(
        r"\b(?:plus|pas) de (?:souci|problème)s?\b|\bcarte blanche\b|\bon (?:lève|oublie"
        r"|abandonne)\b|\bje suis (?:ok|d[’']accord|pour)\b|\b(?:est|sont) (?:maintenant "
        r"|de nouveau |désormais )*(?:ouverte?s?|libres?|disponibles?|débloquée?s?|facultatif"
        r"|optionnel\w*)\b",
        r"\bpeu(?:t|vent) (?:partir|sortir|passer|se faire|être \w+) (?:n[’']importe quand"
        r"|à tout moment|quand)|\bn[’']importe quand[.!]*$|\b(?:peux|pouvez) tutoyer\b",
        r"\bne (?:pose|posent) (?:plus|pas) (?:de |aucun )?problème\b|\bje n[’']ai rien contre\b"
        r"|\b(?:interdiction|règle|restriction|limite|consigne|gel)\w*\b[^.;?]*\b(?:levée?|finie?"
        r"|caduque?|abandonnée?|terminée?|morte?|oubliée?)\b|\bje (?:lève|retire|reviens)\b"
        r"|\bn[’']\w+ plus\b|\bne \w+ plus\b|\blaisse tomber\b|\bpas besoin\b",
        r"\b(?:tu|vous|on) (?:peux|pouvez|peut|as le droit|avez le droit)\b(?![^.;]*\b(?:pas|jamais"
        r"|que)\b)|\bpeu(?:t|vent) (?:maintenant |désormais |aussi )?(?:être|aller|rester|utiliser"
        r"|dépasser|échouer|avoir|contenir)\b",
        r"\b(?:est|sont|c[’']est)\b[^.;]*\b(?:autorisée?s?|permise?s?|acceptée?s?|ok|bon"
        r"|d[’']accord|possibles?|admise?s?|tolérée?s?|bienvenue?s?|exemptée?s?|levée?s?"
        r"|terminée?s?|finie?s?)\b",
        r"\b(?:n[’'](?:as|avez|a|est) (?:pas|plus)|pas|plus) (?:besoin|nécessaire|obligatoire"
        r"|obligée?|la peine)\b|\bne (?:dois|devez|doit) (?:pas|plus) forcément\b|\binutile de\b",
        r"\b(?:tu as|vous avez) (?:la |ma |mon |l[’'])?(?:permission|autorisation|accord|feu "
        r"vert)\b",
        r"\bje (?:t[’']|vous )?autorise\b|\bj[’']accepte\b|\bfeu vert\b|\bvas-y\b|\bexception\b"
        r"|\boublie[zr]?\b|\bn[’']hésite\w* pas à\b|\bne s[’']applique\b",
        r"^(?:ok|okay|oui|bon|bien|très bien|d[’']accord|entendu|c[’']est bon)[,.!:]? (?:alors "
        r")?[^\W\d]\w*",
    ),
    excepts=Phrases(
        r"^hors (?!de\b|sujet)[\w ./-]+[.!]*$|\bne (?:comptent?|concernent?) pas\b",
        r"\bexceptions?\b|^(?:mais )?pas (?:pour|dans|en|sur|avec|pendant) [^,;?]+$"
        r"|\b(?:ça|cela) ne (?:vaut|concerne|s[’']applique) pas\b|^(?:sauf|excepté|hormis|à part)\b"
        r"|\bque (?:ça|cela)\b|\bcette fois\b",
    ),
    exempts="(?:mais |et )?(?:sauf|excepté|hormis|à part|à l[’']exception)",
    unless="(?:mais |et )?à moins",
    apart=r"^\W*(?:mais |et )?(?:sauf|excepté|hormis|à part|à l[’']exception|à moins)\b"
    r"|\bexceptions?\b|^[\w ./-]{2,30} (?:est|sont) (?:aussi )?(?:autorisé|permis)e?s?[.!]*$",
    extends=any_of(
        r"^(?:et |mais )?(?:ça|cela|ceci|la règle) (?:(?:vaut|s[’']applique|compte) (?:aussi"
        r"|également)|concerne (?:aussi|également)|inclut)\b",
        r"^(?:et )?(?:pareil|idem|de même|la même chose) (?:pour|sur|avec|dans)\b|^y compris\b",
        r"^(?:et )?ni (?:sur|à|au|aux|en|dans|pour|avec|les?|la|l[’'])(?!\w)",
        r"^(?:et )?(?:sur|à|au|aux|en|dans|pour|avec|les?) [\w ./’'-]{2,40} non plus[.!]*$",
    ),
    explains=r"\b(?:c[’']est pour (?:ça|cela)|c[’']est pourquoi|voilà pourquoi|du coup)",
    restates=Phrases(
        r"\b(?:doit|doivent|faut|plutôt|désormais|dorénavant|finalement|mieux|pas|au lieu|passe"
        r"|passons|devient|remplace|change|maintenant|nouve\w+|utilise\w*)\b"
    ),
    joins="ou|et|ni",
    nods="ok|okay|oui|bon|bien|très bien|d[’']accord|entendu|c[’']est bon",
    hence="donc|et|mais|alors|du coup|ainsi",
    marks=r"\b(?:en fait|finalement|plutôt|correction|désormais|dorénavant|maintenant"
    r"|à l[’']avenir)\b|à partir de maintenant",
    overrules=r"\b(?:finalement|je voulais dire|correction|changé d[’']avis|trompée?|confondue?s?"
    r"|mélangée?s?|pardon|désormais"
    r"|dorénavant|plutôt(?: que)?|au lieu de|à la place)\b|à partir de maintenant",
    idioms=r"(?:à partir de maintenant|à l[’']avenir|\b(?:comme tu veux|comme vous voulez"
    r"|quand tu veux|autant que tu veux|si tu veux|c[’']est bon|d[’']accord|la règle (?:sur"
    r"|de|des|du|pour)|l[’']interdiction (?:sur|de|des|du)|ce que j[’']ai dit (?:sur"
    r"|à propos de)?|n[’']hésite pas|de nouveau|vas-y|laisse tomber"
    r"|ne pose(?:nt)? plus (?:de |aucun )?problème|sans (?:me |nous |rien )?(?:demander"
    r"|problèmes?|soucis?|hésiter)|ne (?:sont|est) plus (?:obligatoires?|nécessaires?)"
    r"|n[’']est plus (?:obligatoire|nécessaire)|(?:mon|l[’'])(?: )?(?:accord|autorisation)"
    r" pour|plus (?:besoin de|à) (?:me |nous )?demander avant)\b|à nouveau)",
    points=r"\b(?:celui|celle|ceux|celles)\b|\w-l(?:e|a|es)\b|\b(?:l[ae]s? |l[’'])\w+(?:er|ir"
    r"|re)[.!]*$|\b(?:ça|cela)(?=[.!]*$)",
    narrows=any_of(
        r"\b(?:mes|ses|leurs?|ici|aujourd[’']hui|ce soir|quelques|certaine?s|avec|sans|avant"
        r"|mais pas|après|dès|(?:tes|ton|ta|vos|votre|nos|notre) \w+)\b",
        r"\b(?:ce|cet|cette|ces) (?!règle|interdiction|consigne|restriction|limite|contrainte|qu"
        r"|sont|n\b)\w+",
        r"\b(?:si|quand|lorsque|pendant|entre|sauf|seulement|uniquement|exception|jusqu[’']à|à "
        r"condition|\w+-(?:les|la|le)(?=[.!]*$)|tant que|la nuit|le week-end|à l[’']intérieur"
        r"|pour (?:ce|cette|ces))\b|^(?:dans|pour|en|sur|pendant|chez|alors|ensuite|puis)\b",
    ),
    relatives="qui|que|dont|où|ceux|celles",
    compares=r"\b(?:plus|moins|dépass\w*|maximum|minimum|au-dessus|au-dessous|supérieur\w*)\b",
    conditions=r"\b(?:demande\w*|accord|autorisation|permission|sans mon|sans ma|avant que"
    r"|jusqu[’']à)\b",
    negates=r"\b(?:pas|jamais|rien|aucune?|sans|interdit\w*|sauf|évite\w*|plus)\b",
    spares=r"\b(?:pas|plus) (?:besoin|nécessaires?|obligatoires?|obligée?s?|la peine|forcément"
    r"|requise?s?)\b|\bn[’'](?:as|avez) (?:pas|plus) (?:à|l[’']obligation)(?!\w)|\bne (?:dois"
    r"|devez) plus\b|\binutile (?:de|d[’'])",
    declines=r"\bne\b|\bn[’']|\b(?:pas|plus|jamais|inutile)\b",
    bans=r"\b(?:règle|consigne|interdiction|restriction|limite|contrainte|gel|souci|problème)s?\b"
    r"|\bj[’']ai dit\b|\b(?:interdit\w*|contre|hésit\w*|gêne|dérange|applique\w*|vaut|valent"
    r"|évit\w*|grave)\b",
    once=r"\b(?:cette fois|pour une fois|une seule fois|ce commit|cette fois-ci|ce fichier-là"
    r"|exceptionnellement)\b",
    subjects=r"(?:parce que|car|puisque|comme|maintenant que|(?:l[ea] |l[’'])(?!jour|moment"
    r"|instant|fois|semaine|minute)|les|une?(?! fois)|des|mon|ma|mes|notre|nos|ton|votre|je|tu"
    r"|ils?|elles?|on|nous|vous|ça|cela|cet?|cette|ces|tout|tous)\b|[jc][’']",
    states=r"\b(?:est|sont|était|a|ont|parce que|car|puisque)\b",
    wide=words_of(
        "plaît s lieu place le la les un une des du de d l et ou tu te toi ton ta tes vous votre "
        "vos je me moi mon ma mes arrête arrêtez cesse nous notre nos on il elle ils elles ce "
        "cet cette ces ça cela c est sont était être a as ai ont avez avoir à au aux en dans par "
        "pour sur avec sans que qui quoi dont où si bien bon oui non ok okay alors donc mais "
        "aussi encore déjà maintenant désormais finalement plus moins pas ne n jamais rien aucun "
        "aucune toujours tout toute tous toutes chaque peux pouvez peut peuvent dois doit "
        "doivent devez droit autorisé autorisée autorisés autorisées permis permise besoin "
        "nécessaire obligatoire interdit interdite interdiction levée règle règles consigne "
        "contrainte restriction limite oublie ignore dit avant demander demande me faut il y "
        "utilise utiliser utilisez fais faire fait autorise accord d'accord entendu accepté "
        "acceptée acceptées peine fini finie finis terminé terminée permission autorisation "
        "emploie prends s se quand comme ici là évite éviter évitez ainsi ni"
    ),
    loose=words_of("touche toucher touchez directement simplement"),
    same=(
        words_of("modifie modifier touche toucher change changer edite editer"),
        words_of("supprime supprimer efface effacer"),
        words_of("utilise utiliser emploie"),
    ),
    numbers=words_of("deux trois quatre cinq sept huit neuf dix douze quinze vingt cent mille"),
)

AMENDS = AmendmentCues(
    fillers="(?:peux|pourrais)-tu|on (?:peut|pourrait)|(?:peut|pourrait)-on|ok(?:ay)?|oui|bon|bien"
    "|alors|et|ah+|oh+|hm+|euh+|enfin",
    opens=any_of(
        r"non|nan|attends|(?:pardon|désolée?)(?! (?:pour|de)\b)|oups|en fait|plutôt|finalement"
        r"|correction|erreur|coquille",
        "faute de frappe|ou(?: plutôt| alors| mieux)?|je (?:voulais|veux) dire|je me suis trompée?"
        "|j'ai changé d'avis|mon erreur|au (?:plus|moins)|réflexion faite|à la réflexion|tout "
        "(?:compte fait|bien réfléchi)|je (?:pense|crois|dirais)(?: que)?|jusqu'à|désormais"
        "|maintenant|à partir de maintenant|faire|prendre|mettre|ça (?:devrait|doit) être",
        "(?:la |une )?nouvelle (?:limite|échéance|valeur)|nouveau (?:plafond|budget|maximum|délai)"
        "|(?:la|le) (?:limite|plafond|budget|maximum) (?:est|sera|passe)(?: maintenant| désormais)?"
        "(?: d[eu]| à)?",
        "disons|mets(?:-en| plutôt)?|mettons|mieux vaut|ce sera|que ce soit|c'est|prends|prenons",
        "(?:passe|passons|change|monte|baisse|descends|augmente)(?:z)?(?:-le|-la| ça| le| la)?"
        "(?: à| en| pour| aux?)|à la place",
    ),
    closes=any_of(
        "ça (?:va|ira)(?: aussi)?|plutôt|pardon|finalement|à la place|je (?:voulais|veux) dire"
        "|désolée?|en fait|alors|aussi",
        "suffit|suffisent|(?:est|sont|serait|seraient|c'est) (?:mieux|assez|préférable|bien)|s'il"
        " (?:te|vous) plaît|stp|svp|désormais|maintenant"
        "|(?:ira|iront|va|vont)(?: aussi| bien)?|vaut mieux|maximum",
    ),
    swaps="plutôt|à la place|je (?:voulais|veux) dire",
    scales="(?:non,? )?(?:double|triple)(?:-le|-la| ça)|(?:le double|la moitié)",
    denies="pas|et pas|et non|au lieu d[eu]|plutôt que",
    numbers="une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|quinze|vingt|cent|mille",
    small=words_of(
        "celle celui celles ceux "
        "le la les un une des du de au aux à en dans sur pour par avec sous l' d'"
    ),
    talk=words_of(
        "je j'ai tu il elle on nous vous ils ça ce cela qui que quoi pourquoi comment où quand est "
        "sont était avait a ai ont été fait va vais peut joli bien bravo merci super bon mauvais "
        "idée problème vrai faux hier aujourd'hui pleut temps prêt peut-être encore toujours "
        "jamais rien tout pas plus moins si mais vu lu marche bonjour salut vraiment très"
    ),
)
