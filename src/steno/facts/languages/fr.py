"""Cues in French."""

from steno.facts.languages.cues import (
    DecisionCues,
    DoubtCues,
    LanguageCues,
    MemoryCues,
    OrderCues,
    ReportCues,
    RequestCues,
    RuleChangeCues,
    RuleCues,
    StemmedCue,
    StepCues,
    TextCues,
    TodoCues,
    TopicCues,
    TraitCues,
    any_of,
    pattern,
    words_of,
)
from steno.facts.languages.phrases import Phrases

_AT = (
    r"(?:^|[,;:(–—]\s*|\b(?:et|mais|donc|aussi|alors|puis|s'il (?:te|vous) plaît|stp|svp"
    r"|merci de)[,:]?\s+)"
)
_NOT_TOLD = (
    r"^(?!je\b|j[’']|il\b|elle\b|on\b|ça\b|le\b|la\b|les\b|l[’']|un\b|une\b|mon\b|ma\b"
    r"|mes\b|nous\b|ce\b|c[’'])"
)
_LANGUAGE = (
    r"(?:français|anglais|allemand|espagnol|chinois|italien|portugais|néerlandais|polonais|russe"
    r"|japonais)"
)
_NUMBER = r"(?:\d[\d.,]*|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|vingt|cent)"

_RULES = RuleCues(
    asks=pattern(
        r"(?:^|[,;:–—-]\s*)(?:est-ce|peux-tu|pouvez-vous|pourrais-tu|pourquoi|comment|que veut"
        r"|qu[’']est|quel\w*|où|quand|dois-je|faut-il)\b"
    ),
    idle=Phrases(
        r"\bil faut que (?:je|j[’']|nous)\b|\b(?:ça|ce|cela) doit être\b|\b(?:je|j[’']) dois\b",
        r"\bn[’']oublie(?:z)? pas\b(?! de toujours)|\bje ne [^.;,]*\bjamais\b|\bpas mal\b",
        r"\bpas de (?:problème|souci)s?\b|\bne t[’']inquiète pas\b|\bn[’']hésite\w* pas\b"
        r"|\bn[’'](?:ai|as|a|avons|ont) jamais\b|\b(?:ça|il|ce) doit être (?:un|une)\b",
    ),
    reported=Phrases(
        r"\b(?:doc|documentation|chef|client|elle|il|readme) (?:dit|disait|écrit|a dit|a écrit"
        r"|demande)\b|\bselon\b"
    ),
    once=Phrases(
        r"\b(?:pour (?:l[’']instant|le moment)|d[’']abord|pas encore|tout de suite|cette fois)\b"
        r"|\bne\b[^.;]*\bmaintenant\b(?<!partir de maintenant)"
    ),
    lasting=Phrases(
        "(?:à partir de maintenant|désormais|dorénavant|à l[’']avenir|toujours|jamais|chaque fois"
        "|à chaque|en aucun cas)"
    ),
    release=Phrases(
        r"\b(?:tu|vous) (?:peux|pouvez|as le droit|avez le droit)\b.*\b(?:maintenant|de nouveau"
        r"|à nouveau|désormais|finalement)\b",
        r"\boubli\w*\b.*\b(?:règle|consigne|interdiction|que j[’']ai dit)|\bignore\w*\b.*\b(?:règle"
        r"|consigne|interdiction)\b",
        r"\bn[’'](?:as|avez) plus (?:à|l[’']obligation)(?!\w)",
        r"\bn[’'](?:as|avez) plus besoin\b|\bplus (?:besoin|nécessaire|obligatoire|interdit)\b"
        r"|\btu ne dois plus\b|\btu n[’']es plus obligé\b",
        r"\b(?:sont|est) (?:de nouveau|à nouveau|maintenant|désormais) (?:autorisée?s?"
        r"|permise?s?)\b|\binterdiction\b.*\blevée\b|\bne s[’']applique plus\b",
    ),
    instead=pattern(r"^(?:utilise[rz]?|emploie|employez|prends|prenez|préfère|écris)\b"),
    language=Phrases(
        r"\b(?:réponds|répondez|répondre|parle|parlez|parle-moi|écris tout"
        rf"|continue)\b[^.;]*\ben {_LANGUAGE}\b",
        r"\b(?:commentaires?|messages? de commit|commits?|documentation|noms|textes|réponses"
        rf"|tout)\b[^.;]*\ben {_LANGUAGE}\b",
    ),
    output=Phrases(
        r"\b(?:garde|gardez|limite|fais)\b[^.;]*\b(?:tes|vos|les) réponses\b"
        r"|\bréponds? (?:uniquement|seulement|toujours|brièvement|avec|sans|par)\b|\b(?:sois|soyez"
        r"|reste|restez) (?:plus )?(?:direct|honnête|clair|précis|bref|concis|poli|simple)\b"
        r"|\b(?:tutoie|vouvoie)\b",
        r"\bdonne toujours\b|\bsans explications?\b|\b(?:tes|vos) réponses\b[^.;]*\bdoivent\b",
    ),
    prohibition=Phrases(
        r"^seule?s? [\w’' -]{2,30} (?:peu(?:t|vent)|a le droit|ont le droit)\b"
        r"|^[^?;]*\bmais pas (?:les?|la|l[’']|aux?|ceux|celles)(?!\w)",
        r"\blaisse[rz]?\b[^.;]*\b(?:tel(?:le)?s? quel(?:le)?s?|intacte?s?|en l[’']état|en paix"
        r"|comme (?:il|elle|ils|elles|c[’'])\w*)\b|\bcesse[rz]? de\b|\babstiens-toi\b"
        r"|\bn[’']est pas (?:permis|autorisée?|acceptable|négociable|admise?)\b|\bgarde-toi de\b",
        r"^les \w+(?: [\w’'-]+){0,4} ne se \w+ent (?:pas|jamais)[.!]*$|\bet nulle part ailleurs\b"
        r"|\bni plus ni moins\b|\bet (?:rien|personne) d[’']autre[.!]*$",
        r"\bje (?:t[’']|vous )?interdis\b|^(?:absolument|strictement) (?:aucune?|pas|rien|jamais)\b"
        r"|\bsans (?:nouvel(?:le)?s?|autres?|aucune?) \w+|\best (?:inacceptable|exclue?"
        r"|proscrite?)\b",
        r"\bne te (?:regarde|concerne)(?:nt)? pas\b|\bce n[’']est pas (?:ton affaire|à toi)\b"
        r"|\btant que\b[^?]*\b(?:pas|rien|seulement|uniquement)\b",
        r"\bbas les pattes\b|\bpas touche\b|\bne se (?:touche|modifie|négocie|change)\w* pas\b"
        r"|\bpeu(?:t|vent)\b[^.;?]*\b(?:au (?:plus|maximum)|uniquement|seulement)\b",
        r"\b(?:on|nous) n[’']\w+ (?:pas|jamais|rien|aucune?)\b|\brien ne (?:sort|quitte|bouge"
        r"|change"
        r"|part|doit|peut)\b|^prohibé|^défense\b|^interdiction\b|^interdit\b",
        r"\bpeux tout \w+ (?:sauf|excepté|à part|hormis)\b|\btout (?:\w+ )?(?:sauf|hormis|à part"
        r"|excepté)\b",
        r"^(?!je\b|il\b|ça\b)[^,;?]{3,60} (?:est|sont|reste|restent) (?:figée?s?|gelée?s?|sacrée?s?"
        r"|intouchables?|taboue?s?|verrouillée?s?|désactivée?s?|inchangée?s?|hors limites?|en "
        r"l[’']état"
        r"|tel(?:le)?s? quel(?:le)?s?|interdite?s?)[.!]*$",
        r"^(?:aucune?|zéro) [\w-]+(?: [\w’'-]+){0,9}[.!]*$|\bje n[’']accepte\b|\bje refuse\b"
        r"|\bpas touche\b|\bmoins tu\b[^.;?]*\bmieux\b|\brien d[’']autre que\b",
        r"\bsans (?:aucune?|ajouter|introduire|nouvelles?|toucher|créer|supprimer)\b|\bpersonne "
        r"(?:d[’']autre|sauf|à part)\b",
        rf"{_AT}(?:ne |n[’'])\w+[^.;?]*\b(?:pas|jamais|rien|aucune?|plus)\b",
        r", (?:jamais|pas) \w+[.!]?$",
        rf"{_AT}ne (?:jamais|pas|plus|rien)\b",
        r"\bil ne faut (?:pas|jamais|surtout pas)\b|\bne (?:dois|doit|doivent|devez|peut"
        r"|peuvent)\b[^.;?]*\b(?:pas|jamais|aucun|rien)\b|\ben aucun cas\b|\bsous aucun prétexte\b",
        rf"{_AT}(?:pas|plus) d[e’']\s?\w+|\b(?:interdiction|interdit|défense) d[e’']"
        rf"|\best (?:strictement )?interdit|{_AT}évite[rz]?\b|{_AT}arrête[rz]?\b d",
        r"\b(?:on|nous) ne \w+ (?:jamais|pas)\b|\bmerci de ne (?:pas|plus|jamais)\b"
        r"|\bsurtout\b[^.;?]*\b(?:pas|jamais|aucune?|rien)\b",
        r"^(?:aucune?|rien|personne)\b[^?]*\bne (?:doit|peut|doivent|peuvent)\b|\bpas question\b"
        r"|\bhors de question\b|\bsans (?:mon|ma|me demander)\b",
        r"\bfais attention à ne\b|\bje ne (?:veux|souhaite) (?:pas|plus|aucun)\b"
        r"|\blaisse\b[^.;]*\btranquille\b|\bsans (?:modifier|changer|toucher|casser|ajouter)\b",
    ),
    obligation=Phrases(
        r"^en cas de (?:doute|problème|question|besoin)\b|^(?:si|quand|dès que) (?:tu|quelque|un\w*"
        r"|quelqu)\b[^,?]{3,60}, ?(?!je\b|il\b|on\b|ça\b)\w+",
        r"^(?:écris|parle|réponds|rédige|explique)\w*(?:-moi)? (?:toujours )?(?:sur un ton|de "
        r"(?:façon"
        r"|manière)|dans un style|\w+ment)\b",
        r"^(?:le|la|ton|ta) (?:ton|style|langue|texte|rapport|titre|réponse|mise en "
        r"page)\b[^?]{0,30}"
        r"(?:doit|devra|fait|fera|sera)\b",
        r"\b(?:tiens-t[’']en|tenez-vous-en|borne-toi|contente-toi|cantonne-toi|en restant)(?!\w)"
        r"|^(?:toute?s?|tous|chaque)\b[^?]*\b(?:nécessite|requiert|exige|réclame|a "
        r"besoin)(?:nt)?\b",
        rf"^(?:écris|rédige)[rz]? (?:la|le|les|tes|vos|nos|toute?s?|tous)\b[^.;]*\ben "
        rf"{_LANGUAGE}\b",
        rf"{_NOT_TOLD}[^?]*\b(?:au (?:plus|moins|maximum|minimum)|pas plus de|moins de|plus de"
        rf"|jusqu[’']à|maximum|sous) {_NUMBER}\b(?<!plus de une)",
        r"^(?:avant|après) (?:chaque|toute?|tout|chacun\w*)\b[^?]*, ?\w+|\bà chaque fois\b"
        r"|^(?:\w+)(?:-moi|-nous)?\b[^?]*\b(?:avant|après|à|lors de) (?:chaque|toute?)\b",
        r"\breste(?:nt)? (?:en place|inchangée?s?|tel|là|en l[’']état|à jour|privée?s?)\b|\b(?:tu "
        r"es censé"
        r"|on attend de toi)\b|\best toujours en\b|\bsont toujours en\b",
        r"^utilise[rz]? (?:plutôt )?(?:le |la |les )?(?:port|version|branche|modèle) "
        r"[\w./-]*\d[\w./-]*[.!]*$"
        r"",
        r"\bseule?s? (?:les |ceux|celles)?[^.;?]*\bcompte(?:nt)?\b"
        r"|\bgarde[rz]?\b[^.;?]*\b(?:courte?s?"
        r"|simples?|petite?s?|brèves?|propres?|intacte?s?|sous|en dessous)\b",
        r"\b(?:préviens|avertis|dis)-moi\b[^.;?]*\bavant\b|\breste[rz]? (?:dans|sous|en dessous)\b"
        r"|\bcite (?:toujours )?(?:tes|les) sources\b",
        r"^(?:utilise|prends|choisis|écris)\w*\b[^.;?]{2,40}\b(?:au lieu d|plutôt qu|à la place d)",
        r"\bil faut (?:que|toujours|demander|utiliser|garder|respecter|éviter|un|une|tout)\b",
        r"^(?!je\b|tu\b|il\b|elle\b|on\b|ça\b|si\b)(?:[\w./’'-]+ ){1,5}(?:doit|doivent)\b(?! être "
        r"(?:un|une|cassé|lié)\b)",
        r"^(?:toutes|tous|chaque)\b[^?]*\b(?:vont|va|passent|passe|sont|est|restent|arrivent)\b(?! "
        r"pas\b)",
        r"^(?:s[’']il te plaît,? )?(?:utilise[rz]?|prends|prenons|emploie|on (?:prend|utilise)) "
        r"(?!ça\b|le\b|la\b|les\b|ce\b|cette\b|un\b|une\b|l[’'])[\w.+#-]+(?: [\w.+#-]+)? (?:pour"
        r"|comme) [\w’' -]+[.!]*$",
        r"^(?:elle|il|ça|cela|ils|elles) (?:reste|restent) \w+[.!]*$",
        rf"\b(?:arrête(?:-toi)?|stoppe)\b[^.;?]*\baprès\b[^.;?]*\b{_NUMBER}\b|\btiens-moi (?:au"
        r" courant|informé)|\b(?:traite|considère)\b[^.;?]*\bcomme\b",
        r"\bj[’'](?:attends|exige)\b[^.;?]*\b(?:chaque|tous|toutes|tout)\b|\btravaille (?:sur|dans)"
        r" (?:une|ta|ton) (?:branche|copie|fork)\b",
        r"\b(?:demande|demandez|préviens|avertis|consulte)(?:-moi| [A-Z]?\w+)? avant (?:de|chaque"
        r"|toute?)\b",
        rf"{_NOT_TOLD}[^?]*\btoujours\b",
        r"(?:à partir de maintenant|\bdésormais\b|\bdorénavant\b|à l[’']avenir,)",
        r"^(?:tous|toutes|chaque|tout|toute|ton|ta|tes|votre|vos|notre|nos)\b[^?]*\b(?:doit|doivent"
        r"|devra|devront|devrait|devraient|faut)\b",
        rf"{_AT}(?:assure-toi|assurez-vous|veille[zr]? à|fais en sorte"
        r"|n[’']oublie pas de toujours|pense à)\b",
        rf"{_NOT_TOLD}[^?]*\b(?:avant chaque|après chaque|(?:à )?chaque fois que)\b",
        r"\bje (?:veux|souhaite|voudrais) que (?:chaque|tous|toutes|tout|tu)\b|\b(?:doit"
        r"|doivent) (?:toujours )?rester\b|\bil est (?:\w+ )?(?:important|essentiel|impératif"
        r"|obligatoire)\b",
        r"\bdemande(?:z)?[- ]moi\b[^.;?]*\bavant\b|^avant de\b[^?]*\b(?:demande|vérifie|préviens)"
        r"|\b(?:partout|systématiquement)\b",
        r"\b(?:limite-toi|tiens-toi|respecte[zr]?|suis (?:les|la|nos)|conforme-toi)\b"
        r"|\bobligatoires?\b|\bau (?:maximum|plus)\b",
        rf"{_AT}(?:ne |n[’'])\w+ que\b|{_NOT_TOLD}[^?]*\bseulement\b"
        rf"|{_NOT_TOLD}[^?]*\bplutôt que\b",
        r"\b(?:tu dois|vous devez|il faut (?:toujours|que tu))\b",
        rf"{_NOT_TOLD}[^?]*\b(?:uniquement|exclusivement)\b",
    ),
    preference=Phrases(
        r"^(?:l[’']|le |la )(?:utilisateur|utilisatrice|client|cliente|usager) (?:préfère|aime"
        r"|déteste"
        r"|veut|souhaite|n[’']aime pas|exige)\b",
        r"\bje (?:déteste|n[’']aime pas|hais) (?:les|des|le|la)\b|\bj[’']aime (?:les|des|que|bien "
        r"les)\b",
        r"\b(?:j[’']aimerais|je voudrais|je souhaiterais) que (?:tes|vos|les|toutes|tous|chaque"
        r"|tu)\b|\bje (?:préfère|préférerais|préfèrerais)\b|\bj[’'](?:aime|aimerais) mieux\b",
        r"\b(?:on|nous) (?:utilise|utilisons|travaille|travaillons)\b[^.;?]*(?:\bici\b|, pas\b"
        r"|\bplutôt\b|\bau lieu\b)|^ici,? (?:on|nous) (?:utilis|travaill)",
    ),
    corrects="en fait|finalement|plutôt|correction|je voulais dire[^:,]{0,30}:|j[’']ai changé "
    "d[’']avis"
    r"|je me suis trompée?|pardon|désolée?|changement de plan",
    corrects_after="non|ok|ah",
    adds=r"aussi\b",
    joins="et ",
    labels=any_of(
        "règles?|contraintes?|exigences?|faits?|consignes?|importante?|conditions?|conventions?",
        "limites?|préférences?|rappel|principe|politique|budget|échéance|décision|hypothèse",
        "obligation|interdiction|note bien|à retenir|directives?|restrictions?",
    ),
    first_person=r"\b(?:je|mon|ma|mes|nous|notre|nos|on)\b|\bj[’']",
    headings="(?:règles|contraintes|consignes|conventions|directives|restrictions)",
    terse=Phrases(
        r"^(?!merci|rien|oui|non)[\w’'-]+(?: [\w’'-]+)? sans [\w’' -]+[.!]*$|^tout en "
        r"(?!cours)[\w.+#-]+[.!]*$",
        r"^(?:plutôt|mieux vaut) (?:des |les |un |une )?[\w’' -]+ qu[e’'][\w’' -]+[.!]*$",
        r"^(?:des|les|de|une?|mes|tes) [\w’' -]+, (?:s[’']il (?:te|vous) plaît|stp|svp|merci) "
        r"?[.!]*$",
        r"^[\w.+#-]+(?: [\w-]+)? (?:pour|dans|sur) (?:toutes?|tous|chaque)(?: les)? [\w -]+[.!]*$",
        r"^(?:toutes?|tous) (?:les )?[\w-]+ (?:à|chez|via|par) [\w./ -]+[.!]*$",
        r"^(?:uniquement|seulement|rien que|exclusivement) (?!si\b|quand\b|pour ça)[\w./+#’'-]+"
        r"(?: [\w./+#’'-]+){0,6}",
        r"^(?!je\b|c[’']est|il\b|ça\b)(?:[\w./+#’'-]+ ){1,6}(?:uniquement|seulement|seule?s?|only"
        r"|exclusivement)(?:,? s[’']il te plaît)? ?[.!]*$",
        r"^(?!non|oui|ok|bon|merci|mais)[\w`./+#’'-]+(?: [\w’'-]+){0,3}, (?:pas|jamais|et non) "
        r"(?!encore"
        r"|sûr|maintenant|ça|mal|grave|ce\b|cette\b|celui|celle)[\w`./+#’'-]+(?: [\w-]+){0,2} "
        r"?[.!]*$",
        r"^[\w.+#-]+ (?:plutôt que|au lieu de|à la place de) [\w.+#-]+(?: [\w-]+)? ?[.!]*$",
        r"^(?:pas|plus|jamais|point) d[e’']\s?(?!problème|souci|quoi|réponse|erreur)[\w.+#’'-]+"
        r"(?: [\w.+#’'-]+){0,5} ?[.!]*$",
        rf"^(?:au (?:maximum|minimum|plus|moins)|max(?:imum|\.)?|min(?:imum|\.)?|(?:pas|jamais) "
        rf"plus de"
        rf"|pas moins de|moins de|plus de|jusqu[’']à) {_NUMBER}\b",
        rf"^{_NUMBER} [\w’' -]+ (?:au (?:maximum|minimum|plus|moins)|max|minimum|maximum|par"
        r" [\w ]+|pour chaque [\w ]+) ?[.!]*$",
        r"^(?!merci)(?:une?|des|deux|trois) [\w-]+ (?:pour|par|dans|à) (?:chaque|toutes?(?: les)?"
        r"|tous"
        r"(?: les)?) [\w ]+(?:, (?:toujours|partout|sans exception))?[.!]*$",
        r"^(?:(?:toutes?|tous) )?(?:les |des )?[\w-]+(?:,| toujours)? (?:en|au) (?!cours|fait|moins"
        r"|début|panne)[\w’'-]+(?: [\w’'-]+){0,2}(?:,? (?:toujours|partout|s[’']il te plaît))? "
        r"?[.!]*$",
        r"^(?!je\b|il\b)(?:[\w’'-]+ ){1,4}(?:partout|toujours|systématiquement|par défaut) ?[.!]*$",
        r"^(?:strictement )?(?:lecture seule|hors[- ]ligne|bibliothèque standard)(?: \w+)? ?[.!]*$",
    ),
    leans=Phrases(
        r"^(?:et |mais |donc )*(?:il|elle|ils|elles|ça|cela|celui-ci|celle-ci|les deux|rien "
        r"là)\b(?! faut"
        r"| ne faut| est (?:interdit|obligatoire|important|essentiel|impératif|nécessaire))",
        r"\b(?:n[e’'] ?)?(?:l[ea’']|les|l[’']|y|en)(?= (?:dépasse|dépassez|touche|modifie|active"
        r"|change"
        r"|supprime|utilise|lance|efface)\w*\b)",
        r"\b(?:la|le|les|l[’'])(?:-| )?(?=\w+ (?:jamais|pas)\b)|\w+-(?:le|la|les|y)\b"
        r"|\b(?:dedans|là-dedans|dessus|cela|ça)\b|\bdépass\w+\b",
    ),
    told=Phrases(
        r"^(?:à l[’']époque|autrefois|avant,|hier|la semaine dernière|l[’']an dernier)(?!\w)",
        r"^(?:montre|donne|dis|affiche|envoie)[rz]?-(?:moi|nous)\b[^?]*\b(?:seulement"
        r"|uniquement)\b",
        r"\b(?:drôle d[’']histoire|apparemment"
        r"|on n[’']avait pas le droit|peut-être (?:qu|devr)|un jour|je ne suis pas sûre?)\b",
        r"^si (?:on|je|tu|nous|vous)\b[^?]*(?:\w+(?:ais|ait|ions|iez|aient))\b|^(?:imagine"
        r"|supposons"
        r"|admettons)\b|\bce serait (?:bien|super|cool) (?:si|que)\b|\b(?:devions|devait|fallait"
        r"|pouvait|pouvions)\b",
    ),
)

_CHANGES = RuleChangeCues(
    permits=Phrases(
        r"\bne (?:pose|posent) (?:plus|pas) (?:de |aucun )?problème\b|\bje n[’']ai rien contre\b"
        r"|\b(?:interdiction|règle|restriction|limite|consigne|gel)\w*\b[^.;?]*\b(?:levée?|finie?"
        r"|caduque?|abandonnée?|terminée?|morte?|oubliée?)\b|\bje (?:lève|retire|reviens)\b"
        r"|\bn[’']\w+ plus\b|\bne \w+ plus\b|\blaisse tomber\b|\bpas besoin\b",
        r"\b(?:tu|vous|on) (?:peux|pouvez|peut|as le droit|avez le droit)\b(?![^.;]*\b(?:pas|jamais"
        r"|que)\b)|\bpeu(?:t|vent) (?:maintenant |désormais |aussi )?(?:être|aller|rester|utiliser"
        r"|dépasser|échouer|avoir|contenir)\b",
        r"\b(?:est|sont|c[’']est)\b[^.;]*\b(?:autorisée?s?|permise?s?|acceptée?s?|ok|bon"
        r"|d[’']accord"
        r"|possibles?|admise?s?|tolérée?s?|bienvenue?s?|exemptée?s?|levée?s?|terminée?s?"
        r"|finie?s?)\b",
        r"\b(?:n[’'](?:as|avez|a|est) (?:pas|plus)|pas|plus) (?:besoin|nécessaire|obligatoire"
        r"|obligée?"
        r"|la peine)\b|\bne (?:dois|devez|doit) (?:pas|plus) forcément\b|\binutile de\b",
        r"\b(?:tu as|vous avez) (?:la |ma |mon |l[’'])?(?:permission|autorisation|accord|feu "
        r"vert)\b",
        r"\bje (?:t[’']|vous )?autorise\b|\bj[’']accepte\b|\bfeu vert\b|\bvas-y\b|\bexception\b"
        r"|\boublie[zr]?\b|\bn[’']hésite\w* pas à\b|\bne s[’']applique\b",
        r"^(?:ok|okay|oui|bon|bien|très bien|d[’']accord|entendu|c[’']est bon)[,.!:]? (?:alors "
        r")?\w+",
    ),
    excepts=Phrases(
        r"\bexceptions?\b|^(?:sauf|excepté|hormis|à part)\b|\bque (?:ça|cela)\b|\bcette fois\b",
    ),
    explains=r"\b(?:c[’']est pour (?:ça|cela)|c[’']est pourquoi|voilà pourquoi|du coup)",
    amends=Phrases(
        r"^(?:non,? |ok,? |ah,? |pardon,? |désolée?,? |attends,? |euh,? )*(?:disons|je voulais dire"
        r"|je veux dire|plutôt|mets(?:-en| plutôt)?|mettons|correction ?:?|en fait|finalement"
        r"|mieux vaut|c[’']est)\b.{1,40}$",
        rf"^(?:non,? |ok,? |ah,? |pardon,? |désolée?,? |attends,? )*(?:le |la )?{_NUMBER}(?: "
        rf"\w+){{0,3}}"
        r"(?: (?:suffit|suffisent|ira|iront))?(?:,? (?:plutôt|finalement|alors|en fait))? ?[.!]*$",
        r"^(?=.*\b(?:non|pardon|attends|plutôt|mieux|disons|mets|finalement|enfin|aussi"
        r"|pas)\b)[^?]*"
        r"(?<![\w.])[$€£]?\d[\d.,]*\b[^?]*$|\bje (?:voulais dire|veux dire|pensais à)\b.{1,30}$",
        r"^(?:non|pardon|désolée?|attends|plutôt|en fait|finalement)\b[,:]? [^?]{1,40}$",
        r"\b(?:suffit|suffisent|est mieux|sont mieux|vaut mieux)\b[^?]{0,20}$"
        r"|^[^?,]{1,30} (?:finalement|plutôt|en fait) ?[.!]*$",
    ),
    restates=Phrases(
        r"\b(?:doit|doivent|faut|plutôt|désormais|dorénavant|finalement|mieux|pas|au lieu|passe"
        r"|passons"
        r"|devient|remplace|change|maintenant|nouve\w+|utilise\w*)\b",
    ),
    nods="ok|okay|oui|bon|bien|très bien|d[’']accord|entendu|c[’']est bon",
    hence="donc|et|mais|alors|du coup|ainsi",
    marks=any_of(
        r"\b(?:en fait|finalement|plutôt|correction|désormais|dorénavant|maintenant|à "
        r"l[’']avenir)\b"
        r"|à partir de maintenant"
    ),
    overrules=any_of(
        r"\b(?:finalement|je voulais dire|correction|changé d[’']avis|trompée?|pardon|désormais"
        r"|dorénavant|plutôt(?: que)?|au lieu de|à la place)\b|à partir de maintenant"
    ),
    idioms=any_of(
        r"(?:à partir de maintenant|à l[’']avenir|\b(?:comme tu veux|comme vous voulez|quand tu "
        r"veux"
        r"|autant que tu veux|si tu veux|c[’']est bon|d[’']accord|la règle (?:sur|de|des|du|pour)"
        r"|l[’']interdiction (?:sur|de|des|du)|ce que j[’']ai dit (?:sur|à propos de)?|n[’']hésite "
        r"pas"
        r"|de nouveau|vas-y)\b|à nouveau)",
    ),
    narrows=any_of(
        r"\b(?:si|quand|lorsque|pendant|entre|sauf|seulement|uniquement|exception|jusqu[’']à"
        r"|à condition|tant que|la nuit|le week-end|à l[’']intérieur|pour (?:ce|cette|ces))\b"
        r"|^(?:dans|pour|en|sur|pendant|chez|qui|que|dont|où|ceux|celles)\b",
    ),
    compares=r"\b(?:plus|moins|dépass\w*|maximum|minimum|au-dessus|au-dessous|supérieur\w*)\b",
    conditions=r"\b(?:demande\w*|accord|autorisation|permission|sans mon|sans ma|avant que"
    r"|jusqu[’']à)\b",
    negates=r"\b(?:pas|jamais|rien|aucune?|sans|interdit\w*|sauf|évite\w*|plus)\b",
    once=r"\b(?:cette fois|pour une fois|une seule fois|ce commit|cette fois-ci|ce fichier-là"
    r"|exceptionnellement)\b",
    states=r"\b(?:est|sont|était|a|ont|parce que|car|puisque)\b",
    wide=words_of(
        "le la les un une des du de d l et ou tu te toi ton ta tes vous votre vos je me moi mon ma "
        "mes "
        "nous notre nos on il elle ils elles ce cet cette ces ça cela c est sont était être a as "
        "ai ont "
        "avez avoir à au aux en dans par pour sur avec sans que qui quoi dont où si bien bon oui "
        "non ok "
        "okay alors donc mais aussi encore déjà maintenant désormais nouveau finalement plus moins "
        "pas "
        "ne n jamais rien aucun aucune toujours tout toute tous toutes chaque peux pouvez peut "
        "peuvent "
        "dois doit doivent devez droit autorisé autorisée autorisés autorisées permis permise "
        "besoin "
        "nécessaire obligatoire interdit interdite interdiction levée règle règles consigne "
        "contrainte "
        "restriction limite oublie ignore dit avant demander demande me faut il y utilise utiliser "
        "utilisez fais faire fait autorise accord d'accord entendu accepté acceptée acceptées "
        "peine fini finie finis terminé terminée permission autorisation emploie prends s se quand "
        "comme "
        "ici là nouveaux nouvelles"
    ),
    same=(
        words_of("modifie modifier touche toucher change changer edite editer"),
        words_of("supprime supprimer efface effacer"),
        words_of("utilise utiliser emploie"),
    ),
    numbers=words_of("deux trois quatre cinq sept huit neuf dix douze quinze vingt cent mille"),
)

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
    rules=_RULES,
    changes=_CHANGES,
    small_words=words_of(
        "le la les un une des du de est et pas ne tu je nous vous que qui dans pour avec sur sans "
        "en au aux ce cette a été sont il elle mais ou par plus car c'est l'on se son sa ses ont "
        "été"
    ),
    topics=TopicCues(length="court|bref", answers="répon"),
    text=TextCues(
        abbreviations=r"p\. ?ex|c\.-à-d|env|mme",
        documents="erreur|sortie|texte|courriel|rapport|brouillon|résumé|retour|extrait",
        logs="erreur|sortie",
    ),
    todos=TodoCues(finished="terminé|fait", unfinished="en cours|à faire"),
    requests=RequestCues(
        asks=r"\b(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|s'il (?:te|vous) pla[iî]t"
        r"|je (?:veux|voudrais|souhaite)|il faut)\b",
        verbs="corrige|ajoute|crée|montre|écris|vérifie|explique|supprime",
        go="oui|d'accord|vas-y|allez-y|continue[rz]|parfait",
        go_then="mais",
        nod="parfait|d'accord",
        off="laisse tomber|oublie (?:ça|cela)|plus besoin|c'est tout",
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
        reason=any_of(
            r"\b(?:parce que|car|puisque|afin (?:de|que)|pour éviter)\b|\bparce qu'|\bpuisqu'",
        ),
        instead=r"\b(?:plutôt que|au lieu de)\b",
        undecided_after="si",
        concludes=("donc",),
    ),
    steps=StepCues(
        heading=StemmedCue(
            stems="étape|reste|faire|restant",
            phrases="prochaines? étapes?|reste à faire|à faire|restant",
        ),
        copulas="est|sont",
        announced=StemmedCue(
            stems="ensuite|reste",
            phrases=r"\b(?:ensuite,? je (?:vais|ferai)|il (?:me |nous )?reste (?:encore )?à)",
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
        self=any_of(
            "je (?:travaille (?:chez|comme|à|dans|sur|avec)|vis à|suis (?:un|une))|j[’']habite",
        ),
        self_place="travail|habit|vis",
        owners="mon|ma|mes|notre|nos",
        is_words="est",
        states="est|sont|tourne sur",
        passing="pas|encore",
        passing_things=words_of("question problème erreur but idée"),
        use=any_of(
            r"(?:on|nous) (?:utilis\w+|déploy\w+|travaillons avec)|le projet utilise",
        ),
        remember="(?:souviens-toi|retiens|n[’']oublie pas|rappelle-toi) (?:bien )?que",
        forget=any_of("oublie (?:que|ce que)", r"(?:on|nous) n[’']utilis\w+ plus"),
        unsure_after="si",
        unsure="pour l[’']instant",
        copula=r"\s(?:est|sont)\s",
        purpose="pour",
    ),
    memory=MemoryCues(
        task_bound=r"\b(?:cet|cette|aujourd[’']hui|pour l[’']instant)\b",
        stands_here=r"\bici\b",
        purpose="pour",
    ),
    reports=ReportCues(speech=words_of("utilisateur veut voulait décidé demandé")),
)
