"""How rules are changed: permissions, exceptions, corrections, in Spanish."""

from steno.core.words import words_of
from steno.facts.languages.cues import AmendmentCues, RuleChangeCues, any_of
from steno.facts.languages.phrases import Phrases

CHANGES = RuleChangeCues(
    permits=Phrases(
        r"\bsin problemas?[.!]*$|\bno hay (?:problema|inconveniente)\b|\bvía libre\b|\b(?:está"
        r"|están) (?:ya |ahora )?(?:abiert|disponible|desbloquead|libr)\w*|\bme parece bien\b"
        r"|\bvuelve\w* a (?:estar|ser)\b",
        r"\bpueden? (?:salir|ir|pasar|hacerse|desplegarse) (?:cualquier día|en cualquier momento"
        r"|cuando)\b|\b(?:lo|todo lo) que quieras\b|^(?:para|en|con"
        r"|dentro del?) [\w ./-]{2,30} vale[.!]*$",
        r"\bse (?:permite|permiten|levanta|levantan|anula|acabó|acaba|admite|admiten)\b|\bno me "
        r"opongo\b|\b(?:prohibición|regla|norma|restricción|límite)\w*\b[^.;?]*\b(?:levantad"
        r"|anulad|terminad|eliminad|olvidad)\w*|\bno tengo (?:inconveniente|problema)\b|\bya no\b"
        r"|\btambién valen?\b|\b(?:olvídalo|retiro|(?<!\bme )levanto|anulo)\b|\bvalen? también\b",
        r"(?<!no )(?<!solo )(?<!sólo )(?<!solamente )\b(?:puedes|podéis|puede|pueden|se puede"
        r"|se pueden|podemos)\b(?![^.;]*\b(?:no|nunca|solo|sólo)\b)",
        r"\b(?:está|están|es|son|queda|quedan)\b[^.;]*\b(?:permitid[oa]s?|autorizad[oa]s?|bien|ok"
        r"|aceptad[oa]s?|aceptables?|posibles?|libres?|exent[oa]s?|levantad[oa]s?|terminad[oa]s?)\b"
        r"",
        r"\b(?:no|ya no) (?:hace falta|es necesario|es obligatorio|tienes que|necesitas|hay que"
        r"|tienen que|necesitan?|se aplica|debes)\b",
        r"\b(?:te doy|tienes|con) (?:mi )?(?:permiso|autorización|visto bueno)\b|\bte (?:autorizo"
        r"|permito|dejo)\b|(?<!en )\badelante\b|\bexcepción\b|\bexcepciones\b|\bolvida(?:te)?\b"
        r"|\bsiéntete libre\b|\bluz verde\b",
        r"^(?:ok|okay|sí|vale|bien|bueno|de acuerdo|está bien)[,.!:]? (?:entonces )?[^\W\d]\w*",
    ),
    excepts=Phrases(
        r"^[\w ./-]{2,30} (?:no cuentan?|quedan? fuera)[.!]*$|\bno (?:se )?aplica[n]? a\b",
        r"\bexcepci(?:ón|ones)\b|^(?:pero )?(?:para|en|con|durante) [^,;?]+ no[.!]*$"
        r"|\b(?:eso|esto) no (?:vale|se aplica|cuenta)\b|^(?:salvo|excepto|menos)\b|\bque eso\b"
        r"|\b(?:por )?esta vez\b",
    ),
    exempts="(?:pero |y )?(?:salvo|excepto|a excepción|aparte de)",
    unless="(?:pero |y )?a menos",
    apart=r"^\W*(?:pero |y )?(?:salvo|excepto|a excepción|aparte de|a menos)\b|\bexcepci(?:ón"
    r"|ones)\b|^[\w ./-]{2,30} (?:está|están) (?:también )?(?:permitid|autorizad)[oa]s?[.!]*$",
    extends=any_of(
        r"^(?:y |pero )?(?:eso |esto |la regla )?también (?:se aplica|vale|aplica|incluye) (?:a|al"
        r"|para|en|el|la|los|las|[\w./-]+[.!]*$)",
        r"^(?:y |pero )?(?:eso|esto|la regla) (?:(?:se aplica|vale|aplica) también|incluye)\b",
        r"^(?:y )?lo mismo (?:vale |se aplica )?(?:para|con|en|a)\b|^inclu(?:id[oa]s?|yendo)\b",
        r"^(?:y )?(?:ni|tampoco) (?:a|al|en|con|para|sobre)\b",
    ),
    explains=r"\b(?:por eso|así que el|así que la)\b",
    restates=Phrases(
        r"\b(?:debe|deben|tiene|tienen|mejor|ahora|en adelante|en (?:vez|lugar)|pasa|sube|baja"
        r"|cambia|no|nuev\w+|usa|usemos|sea|sean|finalmente|al final)\b"
    ),
    joins="[oueiy]|ni",
    nods="ok|okay|sí|vale|bien|bueno|de acuerdo|está bien",
    hence="así que|y|pero|por tanto|por eso|entonces",
    marks=r"\b(?:en realidad|mejor|más bien|corrección|ahora|al final|a partir de ahora|de ahora en"
    r" adelante|en adelante)\b",
    overrules=r"\b(?:me equivoqué|(?:me |los |las )?confundí|quise decir|corrección|cambi(?:ado"
    r"|é) de (?:idea|opinión)|al final|perdón|a partir de ahora|de ahora en adelante"
    r"|en (?:vez|lugar) de|mejor|más bien|ahora)\b",
    idioms=r"\b(?:a partir de ahora|de ahora en adelante|en adelante|como quieras|cuando quieras"
    r"|lo que quieras|si quieres|de nuevo|otra vez|olvida(?:te)?(?: de)?(?: lo)?|te doy permiso "
    r"para|tienes permiso para|la regla (?:sobre|de)|la prohibición (?:sobre|de)|lo que dije "
    r"(?:sobre|de)|está bien|de acuerdo|adelante|sin (?:problemas?|preguntar\w*|pedir\w*(?: "
    r"permiso)?|consultar\w*)|olvídalo|ya no (?:es|son) (?:obligatori|necesari)[oa]s?|se levantan?"
    r"|(?:(?<=preguntes )|(?<=preguntarme )|(?<=preguntar ))antes)\b",
    points=r"\b(?:est|es|aquel)[eao]s?(?=[.!,]|$)|\b\w+(?:ar|er|ir|[ae])l[oa]s?(?=[.!,]|$)"
    r"|\bl[oa]s? (?:puedes|podéis|puede)\b",
    narrows=any_of(
        r"\b(?:mis|unas|unos|algun[oa]s?|hoy|aquí|ahí|por ahora|de momento|(?:una|dos|tres) ve(?:z"
        r"|ces)|con|sin|antes|pero no|después|tras|(?:tus?|sus?|nuestr[oa]s?) \w+)\b",
        r"\b(?:est|es)(?:e|a|os|as) (?!regla|norma|restricci|prohibici|límite|permitid|bien\b"
        r"|ya\b)\w+",
        r"\b(?:si|cuando|mientras|durante|entre|dentro|fuera|salvo|excepto|excepción|hasta"
        r"|siempre que|por la noche|(?:bórra|úsa|instála|cámbia|quíta|elimína)l[oa]s?(?=[.!]*$)"
        r"|los fines de semana|para (?:este|esta|estos|estas)|en (?:este|esta))\b|^(?:en|para|con"
        r"|dentro|durante|entonces|luego)\b",
    ),
    relatives=r"que|cuy\w+|donde|los que|las que",
    compares=r"\b(?:más|menos|superar?|superes|exced\w*|máximo|mínimo|encima|debajo)\b",
    conditions=r"\b(?:pregunt\w*|pregúnt\w*|permiso|aprobación|consult\w*|sin mi|hasta que"
    r"|avis\w*)\b",
    negates=r"\b(?:no|nunca|jamás|nada|ningun\w*|ningún|sin|prohibid\w*|evit\w*|salvo|menos)\b",
    spares=r"\bno (?:hace falta|es (?:necesario|obligatorio|preciso)|tienes que|tenéis que"
    r"|tienen que|necesitas?|necesitan|hay que|debes)\b|\bsin necesidad de\b|\bno hay necesidad\b",
    declines=r"\b(?:no|nunca|tampoco)\b",
    bans=r"\b(?:regla|norma|restricción|prohibición|límite|limitación|instrucción|problema"
    r"|inconveniente)"
    r"(?:e?s)?\b|\blo que dije\b|\b(?:prohibid\w*|opongo|importa|molesta|aplican?|evit\w*|vale)\b",
    once=r"\b(?:esta vez|por una vez|solo esta|sólo esta|este commit|una sola vez)\b",
    subjects=r"(?:porque|ya|como|pues|el (?!día|momento|instante)|l[ao]s?|un|una(?! vez)|mi|mis|tu"
    r"|nuestr[oa]s?|yo|nosotros|él|ell[oa]s?|ella|se|est?[eao]s?|todo|todos|hemos|h[ae]n?|está"
    r"|están|terminó)\b",
    states=r"\b(?:es|está|son|están|era|ha|han|porque|pues|ya que|terminó)\b",
    wide=words_of(
        "lugar vez el la los las lo un una unos unas de del y o e u tú tu tus te ti usted yo me mí "
        "mi mis nos deja dejes parar nosotros nuestro nuestra se su sus él ella ellos ellas este "
        "esta estos estas ese esa eso esto es son era está están ser estar ha han he hay a al en "
        "por para con sin que quien qué si sí no ok okay vale bien bueno acuerdo pero también "
        "además aún ya ahora nuevo vez otra siempre nunca jamás nada ningún ninguna ninguno nadie "
        "todo toda todos todas cada cualquier puedes podéis puede pueden podemos debes debe deben "
        "tienes tiene tienen tener necesita necesitas necesario permiso permitido permitida "
        "permitidos permitidas autorizado falta hace hacer haz hagas regla norma restricción "
        "prohibición prohibido límite olvida ignora dije aplica antes como cuando favor queda "
        "quedan levantada levantado levantadas sobre más menos usa usar uses utiliza utilizar "
        "evita evitar evites así ni quiero doy dar aquí ahí muy entonces hecho libre"
    ),
    loose=words_of("toca tocar toques directamente simplemente"),
    same=(
        words_of(
            "modifica modificar modifiques cambia cambiar cambies toca tocar toques edita editar"
        ),
        words_of("borra borrar borres elimina eliminar"),
        words_of("pregunta preguntar preguntame"),
    ),
    numbers=words_of(
        "dos tres cuatro cinco seis siete ocho nueve diez doce quince veinte cien mil"
    ),
)

AMENDS = AmendmentCues(
    fillers="¿?(?:puedes|podrías|podemos|podríamos)|ok(?:ay)?|sí|vale|bueno|bien|pues|entonces|y"
    "|ah+|oh+|eh+|hm+",
    opens=any_of(
        r"no|espera|(?:perd[oó]na?|disculpa|lo siento)(?! (?:por|la|el)\b)|ups|uy|en realidad"
        r"|mejor(?: dicho)?|más bien|corrección",
        "error|errata|me equivoqué|me he equivocado|qu(?:is[eo]|ería) decir|quiero decir|digo"
        "|digamos|al final|finalmente|o(?: mejor| más bien)?|como (?:máximo|mínimo)",
        "he cambiado de (?:idea|opinión)|cambié de (?:idea|opinión)|mi error|pensándolo (?:bien"
        "|mejor)|bien pensado|(?:yo )?(?:creo|diría)(?: que)?|hasta|ahora|a partir de ahora"
        "|de ahora en adelante|hacer|poner|tomar|pasa(?:r|mos)? al?|sube(?:lo)? a|baja(?:lo)? a",
        "(?:el )?nuevo (?:límite|tope|presupuesto|máximo|plazo|valor)|el (?:límite|tope"
        "|presupuesto|máximo|plazo) (?:ahora )?(?:es|será|pasa a)(?: ahora)?(?: de)?",
        "que sean?|pon(?:le|lo|gamos)?|dej[ae]mos(?:lo)?(?: en)?|déjalo en|usa|toma|(?:súbe|bája"
        "|cámbia|pása|múeve|muéve)(?:lo|la) (?:a|por|hasta)|deber?ía ser|(?:es|son|era)",
    ),
    closes=any_of(
        "mejor|quise decir|quiero decir|en su lugar|en cambio|perdón|entonces|también|al final"
        "|en realidad|más bien|máximo",
        "bastan?|(?:es|son|está|están|sería|serían) (?:mejor|mejores|suficientes?|bien"
        "|preferible)|por favor|ahora|sobran?|valen?",
    ),
    swaps="mejor|en su lugar|quise decir",
    scales="(?:no,? )?(?:dóblalo|duplícalo|redúcelo a la mitad)|el doble|la mitad",
    denies="no|y no|en (?:vez|lugar) de",
    numbers="un[ao]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|quince|veinte|cien|mil",
    small=words_of(
        "el la los las un una unos unas de del a al en para por con sin sobre bajo solo"
    ),
    talk=words_of(
        "yo tú él ella nosotros ellos me te se lo qué que quién por qué cómo cuándo dónde es son "
        "era "
        "está están fue he ha han había hace hago hay tengo tiene puedo puede gracias bonito bueno "
        "malo genial perfecto bien mal idea problema verdad ayer hoy tiempo listo quizás tal vez "
        "todavía siempre nunca nada todo más menos si pero visto vi sé creo hola adiós muy funciona"
    ),
)
