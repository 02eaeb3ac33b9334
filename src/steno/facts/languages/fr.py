"""Cues in French."""

from steno.facts.languages.cues import LanguageCues, any_of, words_of

_AT = r"(?:^|[,;:(–—]\s*|\b(?:et|mais|donc|aussi|alors|puis|s'il (?:te|vous) plaît|stp|svp|merci de)[,:]?\s+)"
_NOT_TOLD = r"^(?!je\b|j[’']|il\b|elle\b|on\b|ça\b|le\b|la\b|les\b|l[’']|un\b|une\b|mon\b|ma\b|mes\b|nous\b|ce\b|c[’'])"
_LANGUAGE = r"(?:français|anglais|allemand|espagnol|chinois|italien)"

FRENCH = LanguageCues(
    name="fr",
    words=any_of(
        r"\b(?:le|la|les|un|une|des|du|de|est|et|pas|ne|tu|je|nous|vous|que|qui|dans|pour|avec|sur|toujours"
        r"|jamais|chaque|tous|toutes|tes|ton|ta|sans|en|avant|utilise|utilisez|uniquement|réponds|surtout|merci"
        r"|ici|moi)\b"
        r"|\b(?:l|d|n|j|qu|s)[’']|[éèêàçù]"
    ),
    asks=any_of(
        r"(?:^|[,;:–—-]\s*)(?:est-ce|peux-tu|pouvez-vous|pourrais-tu|pourquoi|comment|que veut|qu[’']est"
        r"|quel\w*|où|quand|dois-je|faut-il)\b"
    ),
    idle=any_of(
        r"\bpas de (?:problème|souci)s?\b|\bne t[’']inquiète pas\b|\bn[’']hésite\w* pas\b|\bn[’'](?:ai|as|a"
        r"|avons|ont) jamais\b|\b(?:ça|il|ce) doit être (?:un|une)\b"
    ),
    reported=any_of(
        r"\b(?:doc|documentation|chef|client|elle|il|readme) (?:dit|disait|écrit|a dit|a écrit|demande)\b|\bselon\b"
    ),
    once=any_of(
        r"\b(?:pour (?:l[’']instant|le moment)|d[’']abord|pas encore|tout de suite|cette fois)\b"
        r"|\bne\b[^.;]*\bmaintenant\b(?<!partir de maintenant)"
    ),
    lasting=any_of(
        r"(?:à partir de maintenant|désormais|dorénavant|à l[’']avenir|toujours|jamais|chaque fois|à chaque"
        r"|en aucun cas)"
    ),
    release=any_of(
        r"\b(?:tu|vous) (?:peux|pouvez|as le droit|avez le droit)\b.*\b(?:maintenant|de nouveau|à nouveau"
        r"|désormais|finalement)\b",
        r"\boubli\w*\b.*\b(?:règle|consigne|interdiction|que j[’']ai dit)|\bignore\w*\b.*\b(?:règle|consigne"
        r"|interdiction)\b",
        r"\bn[’'](?:as|avez) plus besoin\b|\bplus (?:besoin|nécessaire|obligatoire|interdit)\b"
        r"|\btu ne dois plus\b|\btu n[’']es plus obligé\b",
        r"\b(?:sont|est) (?:de nouveau|à nouveau|maintenant|désormais) (?:autorisée?s?|permise?s?)\b"
        r"|\binterdiction\b.*\blevée\b|\bne s[’']applique plus\b",
    ),
    consent=any_of(
        r"^(?:ok|okay|oui|bon|bien|très bien|d[’']accord|entendu|c[’']est bon)[,.!:]? "
        r"(?:alors )?(?:tu peux|vous pouvez|tu as le droit|vous avez le droit)\b"
    ),
    instead=any_of(r"^(?:utilise[rz]?|emploie|employez|prends|prenez|préfère|écris)\b"),
    language=any_of(
        rf"\b(?:réponds|répondez|répondre|parle|parlez|parle-moi|écris tout|continue)\b[^.;]*\ben {_LANGUAGE}\b",
        r"\b(?:commentaires?|messages? de commit|commits?|documentation|noms|textes|réponses"
        rf"|tout)\b[^.;]*\ben {_LANGUAGE}\b",
    ),
    output=any_of(
        r"\b(?:garde|gardez|limite|fais)\b[^.;]*\b(?:tes|vos|les) réponses\b|\bréponds? (?:uniquement|seulement"
        r"|toujours|brièvement|avec|sans|par)\b|\b(?:sois|soyez|reste|restez) (?:plus )?(?:direct|honnête|clair"
        r"|précis|bref|concis|poli"
        r"|simple)\b|\b(?:tutoie|vouvoie)\b",
        r"\bdonne toujours\b|\bsans explications?\b|\b(?:tes|vos) réponses\b[^.;]*\bdoivent\b",
    ),
    prohibition=any_of(
        rf"{_AT}(?:ne |n[’'])\w+[^.;?]*\b(?:pas|jamais|rien|aucune?|plus)\b",
        r", (?:jamais|pas) \w+[.!]?$",
        rf"{_AT}ne (?:jamais|pas|plus|rien)\b",
        r"\bil ne faut (?:pas|jamais|surtout pas)\b|\bne (?:dois|doit|doivent|devez|peut"
        r"|peuvent)\b[^.;?]*\b(?:pas|jamais|aucun|rien)\b|\ben aucun cas\b|\bsous aucun prétexte\b",
        rf"{_AT}(?:pas|plus) d[e’']\s?\w+|\b(?:interdiction|interdit|défense) d[e’']"
        rf"|\best (?:strictement )?interdit|{_AT}évite[rz]?\b|{_AT}arrête[rz]?\b d",
        r"\b(?:on|nous) ne \w+ (?:jamais|pas)\b|\bmerci de ne (?:pas|plus|jamais)\b|\bsurtout\b[^.;?]*\b(?:pas"
        r"|jamais|aucune?|rien)\b",
        r"^(?:aucune?|rien|personne)\b[^?]*\bne (?:doit|peut|doivent|peuvent)\b|\bpas question\b"
        r"|\bhors de question\b|\bsans (?:mon|ma|me demander)\b",
        r"\bfais attention à ne\b|\bje ne (?:veux|souhaite) (?:pas|plus|aucun)\b|\blaisse\b[^.;]*\btranquille\b"
        r"|\bsans (?:modifier|changer|toucher|casser|ajouter)\b",
    ),
    obligation=any_of(
        rf"{_NOT_TOLD}[^?]*\btoujours\b",
        r"(?:à partir de maintenant|\bdésormais\b|\bdorénavant\b|à l[’']avenir,)",
        r"^(?:tous|toutes|chaque|tout|toute|ton|ta|tes|votre|vos|notre|nos)\b[^?]*\b(?:doit|doivent|devra"
        r"|devront|devrait|devraient|faut)\b",
        rf"{_AT}(?:assure-toi|assurez-vous|veille[zr]? à|fais en sorte|n[’']oublie pas de toujours|pense à)\b",
        rf"{_NOT_TOLD}[^?]*\b(?:avant chaque|après chaque|(?:à )?chaque fois que)\b",
        r"\bje (?:veux|souhaite|voudrais) que (?:chaque|tous|toutes|tout|tu)\b|\b(?:doit"
        r"|doivent) (?:toujours )?rester\b|\bil est (?:\w+ )?(?:important|essentiel|impératif|obligatoire)\b",
        r"\bdemande(?:z)?[- ]moi\b[^.;?]*\bavant\b|^avant de\b[^?]*\b(?:demande|vérifie|préviens)|\b(?:partout"
        r"|systématiquement)\b",
        r"\b(?:limite-toi|tiens-toi|respecte[zr]?|suis (?:les|la|nos)|conforme-toi)\b|\bobligatoires?\b"
        r"|\bau (?:maximum|plus)\b",
        rf"{_AT}(?:ne |n[’'])\w+ que\b|{_NOT_TOLD}[^?]*\bseulement\b|{_NOT_TOLD}[^?]*\bplutôt que\b",
        r"\b(?:tu dois|vous devez|il faut (?:toujours|que tu))\b",
        rf"{_NOT_TOLD}[^?]*\b(?:uniquement|exclusivement)\b",
    ),
    preference=any_of(
        r"\b(?:j[’']aimerais|je voudrais|je souhaiterais) que (?:tes|vos|les|toutes|tous|chaque|tu)\b"
        r"|\bje (?:préfère|préférerais|préfèrerais)\b|\bj[’'](?:aime|aimerais) mieux\b",
        r"\b(?:on|nous) (?:utilise|utilisons|travaille|travaillons)\b[^.;?]*(?:\bici\b|, pas\b|\bplutôt\b"
        r"|\bau lieu\b)|^ici,? (?:on|nous) (?:utilis|travaill)",
    ),
    empty=words_of(
        "le la les un une des du de et ou ne pas jamais toujours plus rien aucun aucune tu te toi je me moi nous "
        "vous que qui dans pour avec sur en au aux à ce cette ces tes ton ta mes mon ma est sont peux pouvez "
        "maintenant nouveau nouvelle nouvelles nouveaux partir désormais doit doivent dois faut oublie règle "
        "besoin autorisées interdiction chaque tous toutes préfère sans avant demande demander chaque il elle on "
        "s'il plaît"
    ),
)
