"""How rules are laid down, in French."""

from steno.facts.languages.cues import RuleCues, any_of, pattern
from steno.facts.languages.phrases import Phrases

_AT = (
    r"(?:^|[,;:(–—]\s*|\b(?:et|mais|donc|aussi|alors|puis|s'il (?:te|vous) plaît|stp|svp"
    r"|merci de)[,:]?\s+)"
)

_NOT_TOLD = (
    r"^(?!je\b|j[’']|il\b|elle\b|on\b|ça\b|le\b|la\b|les\b|l[’']|un\b|une\b|mon\b|ma\b"
    r"|mes\b|nous\b|ce\b|c[’'])"
)

LANGUAGE = (
    r"(?:français|anglais|allemand|espagnol|chinois|italien|portugais|néerlandais|polonais|russe"
    r"|japonais)"
)

_NUMBER = r"(?:\d[\d.,]*|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|vingt|cent)"

_RESOURCE = (
    r"(?:base|instance|environnement|branche|serveur|compte|cluster|région|modèle|bibliothèque"
    r"|dépôt|système|format|devise|encodage|gabarit|réplique)"
)

_DAY = (
    r"(?:(?:le |au |à |pour )?(?:\d[\d.:/h]*|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi"
    r"|dimanche)|demain|minuit|midi|fin de|la fin))"
)

_SETTING = (
    "(?:taille (?:de l[’']échantillon|de police|du lot)|police|public(?: visé| cible)?|ton"
    "|registre|fuseau horaire|devise|encodage|délai d[’']attente|langue de sortie"
    "|format de sortie|longueur maximale)"
)

RULES = RuleCues(
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
        r"|demande)\b|\bselon\b",
        # Before a colon, whoever it is.
        r"\b(?!je\b|tu\b|on\b|nous\b|vous\b)\w+ (?:dit|a dit|écrit|a écrit)(?: \w+){0,2}$",
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
        r"\b(?:plus|pas) de (?:souci|problème)s? (?:pour|avec) \w",
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
        rf"|continue)\b[^.;]*\ben {LANGUAGE}\b",
        r"\b(?:commentaires?|messages? de commit|commits?|documentation|noms|textes|réponses"
        rf"|tout)\b[^.;]*\ben {LANGUAGE}\b",
    ),
    output=Phrases(
        r"\b(?:garde|gardez|limite|fais)\b[^.;]*\b(?:tes|vos|les) réponses\b"
        r"|\bréponds? (?:uniquement|seulement|toujours|brièvement|avec|sans|par)\b|\b(?:sois|soyez"
        r"|reste|restez) (?:plus )?(?:direct|honnête|clair|précis|bref|concis|poli|simple)\b"
        r"|\b(?:tutoie|vouvoie)\b",
        r"\bdonne toujours\b|\bsans explications?\b|\b(?:tes|vos) réponses\b[^.;]*\bdoivent\b",
    ),
    prohibition=Phrases(
        r"\bn[’']est plus (?:autorisée?|permise?|possible)\b",
        r"^(?:on|nous|tu|vous) (?:ne |n[’'])(?!as\b|a\b|avez|avons|es\b|est\b|êtes|dois|devez"
        r"|sais|savons|ai\b)\w+ plus\b(?! (?:besoin|de\b|que\b|\w+ que\b))",
        rf"{_AT}(?:ne |n[’'])\w+[^.;?]*\bni\b[^.;?]*\bni\b|^ni [\w./-]+ ni [\w ./-]+[.!]*$",
        r"^(?:ne )?(?:touche|pousse|modifie|supprime|efface|change|utilise|installe|ajoute"
        r"|merge)\w* pas\b|^pas touche\b",
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
        r"|change|part|doit|peut)\b|^prohibé|^défense\b|^interdiction\b|^interdit\b",
        r"\bpeux tout \w+ (?:sauf|excepté|à part|hormis)\b|\btout (?:\w+ )?(?:sauf|hormis|à part"
        r"|excepté)\b",
        r"^(?!je\b|il\b|ça\b)[^,;?]{3,60} (?:est|sont|reste|restent) (?:figée?s?|gelée?s?"
        r"|sacrée?s?|intouchables?|taboue?s?|verrouillée?s?|désactivée?s?|inchangée?s?"
        r"|hors limites?|en l[’']état|tel(?:le)?s? quel(?:le)?s?|interdite?s?)[.!]*$",
        r"^(?:aucune?|zéro) [\w-]+(?: [\w’'-]+){0,9}[.!]*$|\bje n[’']accepte\b|\bje refuse\b"
        r"|\bpas touche\b|\bmoins tu\b[^.;?]*\bmieux\b|\brien d[’']autre que\b",
        r"\bsans (?:aucune?|ajouter|introduire|nouvelles?|toucher|créer|supprimer)\b|\bpersonne "
        r"(?:d[’']autre|sauf|à part)\b",
        rf"{_AT}(?:ne |n[’'])\w+[^.;?]*\b(?:pas|jamais|rien|aucune?|plus)\b",
        r", (?:jamais|pas) \w+[.!]?$",
        rf"{_AT}ne (?:jamais|pas|plus|rien)\b",
        r"\bil ne faut (?:pas|plus|jamais|surtout pas)\b|\bne (?:dois|doit|doivent|devez|peut"
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
        r"^(?:s[’']il te plaît |merci de )?(?:envoie|donne|fais|préviens|tiens)\w*-?(?:moi"
        r"|nous)?\b[^?]*\b(?:toutes les (?:\w+ )?(?:heures?|minutes?|semaines?)"
        r"|chaque (?:heure|jour|matin|soir|semaine|étape)|tous les (?:\w+ )?jours)\b",
        r"^tout(?:es)?(?: [\w-]+)? (?:passe|passent|doit passer) par [\w -]+[.!]*$|^il (?:me"
        r"|nous) faut (?:toujours )?une? [\w -]+ par [\w -]+[.!]*$",
        rf"^(?:s[’']il te plaît,? )?(?:utilise|prends|emploie|travaille sur"
        rf"|travaille dans)[rsz]? (?:toujours )?(?:la|le|l[’']|notre|mon"
        rf"|ma) ?{_RESOURCE}(?: (?:de |d[’'])?[\w./+#-]+){{0,3}}(?: pour [\w ]{{2,30}})?[.!]*$",
        r"^(?:utilise|prends|emploie)[rsz]? (?!ça\b|le\b|la\b|les\b|ce\b|cette\b|ces\b|un\b|une\b"
        r"|l[’']|mon\b|ma\b|plutôt\b|\d)[\w.+#-]+(?: [\w.+#-]+)?[.!]*$",
        r"^(?:écris|code|développe|exécute|lance|fais|construis|héberge)[rsz]?(?:-le|-la)? ?(?:tout"
        r"|les tests|le code|l[’']api)?"
        r" (?:en|dans|avec|sur|sous) (?!le\b|la\b|les\b|un\b|une\b|ce)[\w.+#-]+[.!]*$",
        r"^(?:on|nous) (?:cible|ciblons|supporte|reste sur|restons sur|part sur|partons sur|prend"
        r"|prenons|vise|visons) (?!le\b|la\b|les\b|un\b|une\b|ça\b)[\w.+#-]+(?: v?\d[\w.]*)?[.!]*$"
        r"|^rest(?:e|ons|ez) (?:sur|avec|en) (?!place|ligne|contact)[\w’' .-]{2,30}[.!]*$",
        r"^(?!c[’']|il\b|ça\b)[\w’' -]{3,60}? (?:est|sont) (?:toujours )?à (?!l[’']|la\b"
        r"|jour)\w+(?:er|ir|re)\b",
        f"^(?:la |l[’']|notre |le |ma )?(?:date (?:limite|butoir|de (?:livraison|sortie|rendu))"
        f"|échéance|délai|deadline|remise) (?:est|sera|reste|passe|tombe)(?: fixée?| désormais"
        f"| maintenant| toujours)* {_DAY}",
        rf"^(?:le|la|l[’']|notre|mon|ma) ?(?:[\w-]+ )?(?:budget|plafond|limite|maximum|minimum"
        rf"|délai|seuil|quota)(?: d[’']\w+)? (?:est|sera|reste)(?: désormais| maintenant)?(?: de"
        rf"| à| fixée? à)? {_NUMBER}\b",
        r"^(?!je\b|il\b|ça\b|c[’'])[\w’' -]{3,40} (?:est|sont) (?:strictement )?(?:limitée?s?"
        r"|plafonnée?s?|restreinte?s?) à\b",
        r"^je (?:veux|voudrais|souhaite|préférerais|désire) (?:le |la |les |l[’']|tes |un "
        r"|une )?[\w -]{2,30} (?:en|au format|sous forme de) (?:pdf|docx?|word|csv|json|yaml|xml"
        r"|html|markdown|excel|tableau|liste|puces|texte brut"
        f"|{LANGUAGE})[.!]*$",
        rf"^{_SETTING} ?: \S[^?]{{0,40}}$|^le (?:ton|style|registre) (?:est|reste) (?!trop|pas|bon"
        rf"|bien|très)\w+[.!]*$",
        rf"^limite[rz]? (?:chaque|toute?s?|tous|les|tes|vos|le|la)\b[^.;?]* à {_NUMBER}\b",
        r"^arrondis(?:sez)? à\b|^je suis (?:végétarien|végan|végétalien|allergique)\w*|^[\w’' "
        r"-]{3,40}, pas (?:plus|davantage|moins)[.!]*$|^(?:les |tous les )?\w+s (?:uniquement"
        r"|seulement) (?:le|la|en|à|au|les|sur)\b|^(?:réponds|présente|écris)\w* (?:avec|par|sous "
        r"forme de|en) (?:des |une )?(?:puces|listes?|tableaux?|phrases)",
        r"^(?:donne|affiche|indique|exprime|écris|note|formate|arrondis|présente|nomme)[rsz]? "
        r"(?:tous les|toutes les|chaque|les) \w+ (?:en|hors|sans|avec|sous|comme|à)\b",
        r"^indente[rz]? (?:avec|en|à)\b|^(?:envoie|transmets|soumets|montre|adresse"
        r"|donne)\w* (?:chaque|toute?s? les?|tous les)\b[^?]* à \w+",
        rf"^attend\w* (?:au moins )?{_NUMBER} \w+ (?:entre|avant chaque|après chaque)\b"
        r"|^(?:les|toutes les|mes) (?:questions|brouillons|demandes|factures|rapports) vont à\b",
        r"^en cas de (?:doute|problème|question|besoin)\b|^(?:si|quand|dès que) (?:tu|quelque|un\w*"
        r"|quelqu)\b[^,?]{3,60}, ?(?!je\b|il\b|on\b|ça\b)\w+",
        r"^(?:écris|parle|réponds|rédige|explique)\w*(?:-moi)? (?:toujours )?(?:sur un ton"
        r"|de (?:façon|manière)|dans un style|\w+ment)\b",
        r"^(?:le|la|ton|ta) (?:ton|style|langue|texte|rapport|titre|réponse"
        r"|mise en page)\b[^?]{0,30}(?:doit|devra|fait|fera|sera)\b",
        r"\b(?:tiens-t[’']en|tenez-vous-en|borne-toi|contente-toi|cantonne-toi|en restant)(?!\w)"
        r"|^(?:toute?s?|tous|chaque)\b[^?]*\b(?:nécessite|requiert|exige|réclame|a "
        r"besoin)(?:nt)?\b",
        rf"^(?:écris|rédige)[rz]? (?:la|le|les|tes|vos|nos|toute?s?|tous)\b[^.;]*\ben {LANGUAGE}\b",
        rf"{_NOT_TOLD}[^?]*\b(?:au (?:plus|moins|maximum|minimum)|pas plus de|moins de|plus de"
        rf"|jusqu[’']à|maximum|sous) {_NUMBER}\b(?<!plus de une)",
        r"^(?:avant|après) (?:chaque|toute?|tout|chacun\w*)\b[^?]*, ?\w+|\bà chaque fois\b"
        r"|^(?:\w+)(?:-moi|-nous)?\b[^?]*\b(?:avant|après|à|lors de) (?:chaque|toute?)\b",
        r"\breste(?:nt)? (?:en place|inchangée?s?|tel|là|en l[’']état|à jour|privée?s?)\b"
        r"|\b(?:tu es censé|on attend de toi)\b|\best toujours en\b|\bsont toujours en\b",
        r"^utilise[rz]? (?:plutôt )?(?:le |la |les )?(?:port|version|branche"
        r"|modèle) [\w./-]*\d[\w./-]*[.!]*$",
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
        r"\bje (?:veux|souhaite|voudrais) que (?:chaque|tous|toutes|tout|tu)\b|\b(?:doit|doivent) "
        r"(?:toujours )?rester\b|\bil est (?:\w+ )?(?:important|essentiel|impératif|obligatoire)\b",
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
        r"|déteste|veut|souhaite|n[’']aime pas|exige)\b",
        r"\bje (?:déteste|n[’']aime pas|hais) (?:les|des|le|la)\b|\bj[’']aime (?:les|des|que|bien "
        r"les)\b",
        r"\b(?:j[’']aimerais|je voudrais|je souhaiterais) que (?:tes|vos|les|toutes|tous|chaque"
        r"|tu)\b|\bje (?:préfère|préférerais|préfèrerais)\b|\bj[’'](?:aime|aimerais) mieux\b",
        r"\b(?:on|nous) (?:utilise|utilisons|travaille|travaillons)\b[^.;?]*(?:\bici\b|, pas\b"
        r"|\bplutôt\b|\bau lieu\b)|^ici,? (?:on|nous) (?:utilis|travaill)",
    ),
    corrects="en fait|finalement|plutôt|correction|je voulais dire[^:,]{0,30}:"
    "|j[’']ai changé d[’']avis|je me suis trompée?|pardon|désolée?|changement de plan",
    corrects_after="non|ok|ah",
    adds=r"aussi\b",
    joins="et ",
    labels=any_of(
        "règles?|contraintes?|exigences?|faits?|consignes?|importante?|conditions?|conventions?",
        "limites?|préférences?|rappel|principe|politique|budget|échéance|décision|hypothèse",
        "obligation|interdiction|note bien|à retenir|directives?|restrictions?",
    ),
    first_person=r"\b(?:je|mon|ma|mes|nous|notre|nos|on)\b|\bj[’']",
    contrasts="mais|cependant|toutefois|pourtant",
    own_asks=r"s[’']il (?:te|vous) pla[iî]t|stp|svp|merci de|veuillez"
    r"|(?:je (?:veux|voudrais|souhaite)|j[’']aimerais|on veut|nous voulons) que (?:tu|vous)",
    forbids=r"(?:merci de )?n(?:e |[’'])",
    ban_headings="interdits?|interdictions?|à (?:ne pas faire|éviter)|ne (?:pas|jamais)(?: faire"
    "| toucher| modifier)?|jamais|pas touche",
    headings="(?:règles|contraintes|consignes|conventions|directives|restrictions)",
    terse=Phrases(
        r"^(?:on (?:est|tourne|travaille) (?:sur|en|avec)|on (?:utilise|cible|vise)"
        r"|nous sommes (?:sur|en)) [\w.+#-]+ \d[\w.]*[.!]*$",
        r"^(?:les |des )?[\w -]{2,30} ?: ?(?:\w+ [\w-]+,? (?:max(?:imum)?|au plus|au maximum"
        r"|pas plus)|(?:max(?:imum|\.)?|au plus) \w+ [\w-]+)[.!]*$",
        r"^rien sans [\w -]+[.!]*$|^(?:les|tous les|toutes les) [\w -]{2,30} en (?:pdf|json|csv"
        r"|markdown|html|docx|xml|yaml)[.!]*$",
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
        r"^(?!non|oui|ok|bon|merci|mais)[\w`./+#’'-]+(?: [\w’'-]+){0,3}, (?:pas|jamais"
        r"|et non) (?!encore|sûr|maintenant|ça|mal|grave|ce\b|cette\b|celui"
        r"|celle)[\w`./+#’'-]+(?: [\w-]+){0,2} ?[.!]*$",
        r"^[\w.+#-]+ (?:plutôt que|au lieu de|à la place de) [\w.+#-]+(?: [\w-]+)? ?[.!]*$",
        r"^(?:pas|plus|jamais|point) d[e’']\s?(?!problème|souci|quoi|réponse|erreur)[\w.+#’'-]+"
        r"(?: [\w.+#’'-]+){0,5} ?[.!]*$",
        rf"^(?:au (?:maximum|minimum|plus|moins)|max(?:imum|\.)?|min(?:imum|\.)?|(?:pas"
        rf"|jamais) plus de|pas moins de|moins de|plus de|jusqu[’']à) {_NUMBER}\b",
        rf"^{_NUMBER} [\w’' -]+ (?:au (?:maximum|minimum|plus|moins)|max|minimum|maximum|par"
        r" [\w ]+|pour chaque [\w ]+) ?[.!]*$",
        r"^(?!merci)(?:une?|des|deux|trois) [\w-]+ (?:pour|par|dans|à) (?:chaque|toutes?(?: les)?"
        r"|tous(?: les)?) [\w ]+(?:, (?:toujours|partout|sans exception))?[.!]*$",
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
        r"|change|supprime|utilise|lance|efface)\w*\b)",
        r"\b(?:la|le|les|l[’'])(?:-| )?(?=\w+ (?:jamais|pas)\b)|\w+-(?:le|la|les|y)\b"
        r"|\b(?:dedans|là-dedans|dessus|cela|ça)\b|\bdépass\w+\b",
    ),
    or_else="ou",
    agreed=r"ok|compris|c[’']est compris|c[’']est clair|d[’']accord|entendu",
    polite=pattern(
        r"^(?:s[’']il te plaît,? )?(?:peux-tu|on (?:peut|pourrait)|tu (?:peux|pourrais)|pourrais-tu"
        r"|pouvez-vous|pourriez-vous|peut-on|pourrait-on|est-ce que tu (?:peux|pourrais))"
        r" (?:s[’']il te plaît )?(?P<limit>(?=garder|limiter|rester|tenir))?"
    ),
    told=Phrases(
        r"^(?:à l[’']époque|autrefois|avant,|hier|la semaine dernière|l[’']an dernier)(?!\w)",
        r"^(?:montre|donne|dis|affiche|envoie)[rz]?-(?:moi|nous)\b[^?]*\b(?:seulement"
        r"|uniquement)\b",
        r"\b(?:drôle d[’']histoire|apparemment"
        r"|on n[’']avait pas le droit|peut-être (?:qu|devr)|un jour|je ne suis pas sûre?)\b",
        r"^si (?:on|je|tu|nous|vous)\b[^?]*(?:\w+(?:ais|ait|ions|iez|aient))\b|^(?:imagine"
        r"|supposons|admettons)\b|\bce serait (?:bien|super|cool) (?:si|que)\b|\b(?:devions"
        r"|devait|fallait|pouvait|pouvions)\b",
    ),
)
