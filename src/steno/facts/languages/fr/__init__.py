"""Every cue of French, put together."""

from steno.core.words import words_of
from steno.facts.languages.cues import (
    DecisionCues,
    DoubtCues,
    LanguageCues,
    MemoryCues,
    OrderCues,
    ReportCues,
    RequestCues,
    StemmedCue,
    StepCues,
    TextCues,
    TodoCues,
    TopicCues,
    TraitCues,
    any_of,
    pattern,
)
from steno.facts.languages.fr.changes import AMENDS, CHANGES
from steno.facts.languages.fr.relays import RELAYS
from steno.facts.languages.fr.rules import LANGUAGE, RULES
from steno.facts.languages.phrases import Phrases

FRENCH = LanguageCues(
    name="French",
    words=pattern(
        r"\b(?:le|la|les|un|une|des|du|de|est|et|pas|ne|tu|je|nous|vous|que|qui|dans|pour|avec|sur"
        "|toujours|jamais|chaque|tous|toutes|tes|ton|ta|sans|en|avant|utilise|utilisez|uniquement"
        r"|réponds|surtout|merci|ici|moi)\b|\b(?:l|d|n|j|qu|s)[’']|[éèêàçù]"
    ),
    empty=words_of(
        "le la les un une des du de et ou ne pas jamais toujours plus rien aucun aucune tu te toi "
        "je me moi nous vous que qui dans pour avec sur en au aux à ce cette ces tes ton ta mes "
        "mon ma est sont peux pouvez maintenant nouveau nouvelle nouvelles nouveaux partir "
        "désormais doit doivent dois faut oublie règle besoin autorisées interdiction chaque tous "
        "toutes préfère sans avant demande demander chaque il elle on s'il plaît"
    ),
    statements=Phrases(
        r"\b(?:préf[èé]r\w+|plutôt|veux|voudrais|doit|doivent|jamais|toujours|seulement|au plus"
        r"|désormais|au lieu de)\b",
        r"\b(?:budget|échéance|date limite|plafond|approbation|responsable|prochaine étape"
        r"|question ouverte|en attente|bloqué)\b",
    ),
    rules=RULES,
    changes=CHANGES,
    relays=RELAYS,
    amends=AMENDS,
    small_words=words_of(
        "le la les un une des du de est et pas ne tu je nous vous que qui dans pour avec sur sans "
        "en au aux ce cette a été sont il elle mais ou par plus car c'est l'on se son sa ses ont "
        "été"
    ),
    topics=TopicCues(length="court|bref", answers="répon", languages=LANGUAGE),
    text=TextCues(
        chat=(
            (r"tjrs|tjs", "toujours"),
            (r"jms", "jamais"),
            (r"t'as", "tu as"),
            (r"t'es", "tu es"),
            (r"c ok", "c'est ok"),
            (r"stp", "s'il te plaît"),
            (r"svp", "s'il vous plaît"),
        ),
        shouted="jamais|toujours|pas",
        abbreviations=r"p\. ?ex|c\.-à-d|env|mme",
        documents="erreur|sortie|texte|courriel|rapport|brouillon|résumé|retour|extrait",
        logs="erreur|sortie",
    ),
    todos=TodoCues(finished="terminé|fait", unfinished="en cours|à faire"),
    requests=RequestCues(
        denies="non|faux|attends|pourquoi|annule",
        complains=r"\b(?:ne )?(?:marche|fonctionne|passe) (?:toujours |encore )?pas\b|\btoujours "
        r"(?:pas|la même|le même|une erreur)\b|\bmême erreur\b|\bpas ce que j[’']ai demandé\b"
        r"|\bje ne (?:vois|trouve) pas\b|\bcassée?s?\b|\béchoue\w*",
        asks=r"\b(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|s'il (?:te|vous) pla[iî]t"
        r"|je (?:veux|voudrais|souhaite)|il faut)\b",
        verbs="corrige|ajoute|crée|montre|écris|vérifie|explique|supprime",
        go="oui|d'accord|vas-y|allez-y|continue[rz]|parfait",
        go_then="mais",
        nod="parfait|d'accord",
        off=any_of(
            "laisse tomber|oublie (?:ça|cela)|plus besoin|c'est tout",
            r"arrêtez?(?: ça| tout)?(?!-\w)",
        ),
        off_after="ah non",
        off_then="et",
        thanks="merci|beaucoup|génial",
        thanking="merci",
    ),
    doubts=DoubtCues(
        correction=StemmedCue(
            stems="tromp|tort|erreur|raison|oublié",
            phrases=r"\b(?:je me suis trompée?|j'avais tort|mon erreur|c'était une erreur"
            r"|tu as raison|vous avez raison|j'ai oublié)\b",
        ),
        reconsideration=StemmedCue(
            stems="attend|en fait|réflexion",
            phrases=r"\b(?:à la réflexion|réflexion faite)\b",
            openings="(?:attends|attendez|en fait)(?=[,.!…—–])",
        ),
        uncertainty=StemmedCue(
            stems="sûr|certain|sais pas",
            phrases=r"\b(?:je ne suis pas (?:\w+ )?(?:sûre?|certaine?)|je ne sais pas)\b",
        ),
        verification=StemmedCue(
            stems="vérif|assurer|être sûr",
            phrases=any_of(
                r"\b(?:je vais|laisse[z]?-moi) (?:\w+ )?(?:vérifier (?:que|si)|revérifier"
                r"|m'assurer)\b",
                r"\bpour être sûre?\b",
            ),
        ),
        hedge=StemmedCue(
            stems=any_of(
                "je pense|je crois|je suppose|probabl|peut-être|sans doute|il semble|apparemment",
                "il se peut",
            ),
            phrases=r"\b(?:je (?:pense|crois|suppose)|probablement|peut-être|sans doute|il semble"
            r"|apparemment|il se peut)\b",
        ),
    ),
    decisions=DecisionCues(
        firm=StemmedCue(
            stems=any_of(
                "décid|choisi|opté|décision|nous utilis|nous gard|nous allons|nous opt|nous va",
                "nous part|on utilis|on gard|on allons|on va|on part|on opt",
            ),
            phrases=r"\b(?:(?:nous avons|j'ai|on a) (?:décidé|choisi|opté)|décision ?: "
            r"|(?:nous|on) (?:utiliserons|utilisera|gardons|garde|va utiliser|allons utiliser"
            r"|part sur|optons pour)\b)",
        ),
        of_a_person=StemmedCue(stems="préfère", phrases=r"\bje préfère\b"),
        with_reason=StemmedCue(
            stems="parce|car|puisqu|afin|pour éviter|plutôt|au lieu",
            phrases=r"\b(?:j'utilise|je vais utiliser|je garde) ",
        ),
        reason=r"\b(?:parce que|car|puisque|afin (?:de|que)|pour éviter)\b|\bparce qu'|\bpuisqu'",
        instead=r"\b(?:plutôt que|au lieu de)\b",
        undecided_after="si",
        concludes=("donc",),
        causes=StemmedCue(
            stems="cause|parce|vient de|venait de|raison",
            phrases=any_of(
                r"\bla (?:cause|raison)\b[^.?]{0,60}? (?:est|était)\b|\bcause :",
                r"\b(?:erreur|problème|échec|bug)\b[^.?]{0,40}? (?:vient|venait) d",
                r"\b(?:échou\w+|plant\w+)\b[^.?]{0,60}?\bparce qu",
            ),
        ),
        options=r"\b(?:option|choix|variante|numéro|solution)",
        concluding=Phrases(
            r"\b(?:parce que|donc|plutôt|au lieu|cause|raison|le problème|conclusion)\b",
            r"\b(?:recommande|propose|suggère|décidé|décision|option|choisi)\b",
            r"\b(?:doit|devrait|faut|jamais|toujours|seulement|supprim\w+|remplac\w+|corrig\w+)\b",
        ),
    ),
    steps=StepCues(
        done=any_of(
            r"(?:(?:parfait|super|bien|ok|oui)[!,. ]+)?(?:voilà,? )?(?:c[’']est |tout est )?(?:fait"
            r"|terminée?s?|corrigée?s?|résolue?s?|ajoutée?s?|commitée?s?|poussée?s?|fusionnée?s?"
            r"|mise?s? à jour|implémentée?s?|supprimée?s?|renommée?s?)(?!\w)",
            r"tou(?:s|tes) les (?:[\w’'-]+ ){0,5}(?:passent|réussis|au vert|terminée?s?"
            r"|appliquée?s?|faite?s?)(?!\w)",
            r"j[’']ai (?:bien |maintenant |donc )?(?:corrigé|ajouté|implémenté|mis à jour|créé"
            r"|supprimé|renommé|commité|poussé|déplacé|remplacé|terminé)(?!\w)",
        ),
        undone=r"\bpas encore\b|\bn[’']ai pas\b|\bne (?:passe|passent|marche|fonctionne)\w* pas\b"
        r"|\béchou\w+|\béchecs?\b|\bpartiel\w*|\breste(?:nt)?\b|\bcependant\b|\btoutefois\b"
        r"|\bmalheureusement\b|\bsauf\b|\bil (?:te |vous )?faut\b|\b[1-9]\d* erreurs?\b",
        heading=StemmedCue(
            stems="étape|reste|faire|restant",
            phrases="prochaines? étapes?|reste à faire|à faire|restant",
        ),
        copulas="est|sont",
        announced=StemmedCue(
            stems="ensuite|reste",
            phrases=r"\b(?:ensuite,? je (?:vais|ferai)|il (?:me |nous )?reste (?:encore )?à)",
        ),
        doing=r"(?:(?:maintenant|d['’]abord|ensuite|bien)[,.!]? )*"
        r"(?:je vais|je dois|laisse[zr]?-moi|voyons)\b",
        looking=r"\b(?:voir|voyons|vérifier|regarder|lire|chercher|examiner|tester|lancer|ouvrir)\b",
        promised=StemmedCue(
            stems="désormais|dorénavant|à l'avenir|à l’avenir|je ne",
            phrases=r"\b(?:désormais|dorénavant|à l['’]avenir),? je\b"
            r"|\bje ne (?:vais|\w+rai) (?:plus|jamais|pas)\b",
        ),
    ),
    orders=OrderCues(
        duties=r"\b(?:doit|doivent|dois|devez|devra|toujours|jamais|interdit|autorisé\w*"
        r"|obligatoire|permis|chacun|sans (?:demander|validation|accord))\b",
        orders=any_of(
            r"\b(?:ignor\w+|oubli\w+)\b (?:toutes?|tous|les|tes|vos|ce)",
            r"\b(?:tu dois|vous devez|tu ne dois|vous ne devez|l[’']assistant doit"
            r"|le modèle doit)\b",
            r"^(?:toujours|jamais|ne jamais|désormais|n[’']oublie)\b",
            r"\bil (?:faut|est (?:nécessaire|obligatoire|impératif))\b",
            r"\bdoi(?:ven)?t être\b",
        ),
        for_a_person=r"\b(?:utilisateur|utilisatrice|client)\b",
        verbs=r"(?:supprime[zr]?|efface[zr]?|envoie|envoyez|exécute[zr]?|lance[zr]?|installe[zr]?"
        r"|télécharge[zr]?|ouvre[zr]?|écris|écrivez|copie[zr]?|désactive[zr]?|transfère"
        r"|transférez|mets|mettez|enlève|enlevez|publie[zr]?)\b",
        verbs_after="puis|ensuite",
    ),
    traits=TraitCues(
        clause_after="et",
        name=r"\bje m[’']appelle\b|\bmon nom est\b",
        self="je (?:travaille (?:chez|comme|à|dans|sur|avec)|vis à|suis (?:un|une))|j[’']habite",
        self_place="travail|habit|vis",
        owners="mon|ma|mes|notre|nos",
        is_words="est",
        states="est|sont|tourne sur",
        passing="pas|encore",
        passing_things=words_of("question problème erreur but idée"),
        use=r"(?:on|nous) (?:utilis\w+|déploy\w+|travaillons avec)|le projet utilise",
        remember="(?:souviens-toi|retiens|n[’']oublie pas|rappelle-toi) (?:bien )?que",
        forget=any_of("oublie (?:que|ce que)", r"(?:on|nous) n[’']utilis\w+ plus"),
        unsure_after="si",
        unsure="pour l[’']instant",
        copula=r"\s(?:est|sont)\s",
        purpose="pour",
        life=any_of(
            r"(?:j[’']aime|j[’']adore|je déteste|je préfère)\b(?! (?:l[’']idée|ça|ton|ta|cette))",
            r"je (?:mange|bois|joue|collectionne|possède|conduis|apprends|étudie|enseigne|cours)\b",
            r"je \w+ (?:toujours(?! pas)|souvent|rarement|jamais|généralement|régulièrement"
            r"|d[’']habitude)\b",
            r"je suis (?:végétarien|végan|marié|enceinte|allergique|retraité|étudiant|prof)",
            r"j[’']ai \d+ ans\b",
            r"(?:mon|ma|mes|notre|nos) (?:femme|mari|fils|fille|enfant|mère|père|parent|sœur|frère"
            r"|chien|chat|ami|chef|voisin|collègue)\w* (?:\w+ )?(?:est|a|ont|s[’']appelle|était"
            r"|avait|aime|travaille|habite|fête)\b",
            "(?:je me prépare (?:à|au|pour)|j[’']économise pour)",
            r"j[’']utilise (?-i:[A-Z])\w+",
            r"je (?:vais|me lève|me couche|fais|nage|travaille|dîne|déjeune)\b(?=.*\b(?:tous les"
            r"|toutes les|chaque|les? (?:lun|mar|mercre|jeu|vendre|same)dis?|le dimanche)\b)",
            r"je ne (?:mange|bois|fume|conduis|parle) (?:pas|jamais)\b",
            r"(?:j[’']ai|nous avons) (?:une?|deux|trois|\d+) (?:\w+ )?(?:chien|chat|enfant|fils"
            r"|fille|frère|sœur)",
            r"je (?:gagne|paie|paye|pèse|dépense)\b(?=.*\d)",
            r"(?:mon|ma|notre) (?:femme|mari|fils|fille|mère|père|sœur|frère|chien|chat|amie?|chef"
            r"|voisine?|collègue),? (?-i:[A-ZÉ][a-zéèêïç]+)\b",
        ),
        tools="j[’']utilise",
        taste="j[’']aime|j[’']adore|je déteste|je préfère",
        events=r"(?:j[’']ai|je suis|je me suis|nous avons|on a) (?:\w+ )?"
        r"\w{2,}(?:ée?s?|is?|us?|it|rt)\b",
        when=r"\b(?:hier|avant-hier|récemment|\w+ derni(?:er|ère)|il y a \w+ \w+|depuis \w+|\d+ "
        r"fois|chaque \w+|tous les \w+|en (?:janvier|février|mars|avril|mai|juin|juillet|août"
        r"|septembre|octobre|novembre|décembre))\b",
        asks=r"(?:tu (?:as|peux|connais|sais)|vous (?:avez|pouvez)|peux-tu|as-tu|pouvez-vous"
        r"|avez-vous|est-ce qu|quels?|quelles?|comment|où|pourquoi|combien)\b",
        reasons=r"\b(?:parce qu(?:e\b|[’'])|puisqu(?:e\b|[’'])|car je\b)",
        never_after=("si", "quand"),
        work="fichiers?|fonctions?|serveurs?|erreurs?",
    ),
    memory=MemoryCues(
        task_bound=r"\b(?:cet|cette|aujourd[’']hui|pour l[’']instant)\b",
        stands_here=r"\bici\b",
        purpose="pour",
    ),
    reports=ReportCues(speech=words_of("utilisateur veut voulait décidé demandé")),
)
