"""Cues in Spanish."""

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
    r"(?:^|[,;:(–—]\s*|\b(?:y|pero|así que|también|además|luego"
    r"|por favor)[,:]?\s+)(?:por favor,? )?"
)
_NOT_TOLD = (
    r"^(?!yo\b|él\b|ella\b|el\b|la\b|los\b|las\b|un\b|una\b|mi\b|mis\b|su\b|nosotros\b|esto\b|eso\b"
    r"|se\b|siempre \w+o\b|nunca (?:he|ha|hemos|han)\b)"
)
_STATE = (
    "(?:sé|se|tengo|tenemos|recuerdo|hay|es|está|son|puedo|podemos|funciona|me|te preocupes|importa"
    r"|pasa|entiendo|creo|quiero|hace falta|veo|estoy|era|lo sé)\b"
)
_LANGUAGE = (
    r"(?:español|inglés|francés|alemán|chino|italiano|castellano|portugués|neerlandés|polaco|ruso"
    r"|japonés|catalán)"
)
_NUMBER = (
    r"(?:\d[\d.,]*|una?|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|veinte|cien)"
)

_RULES = RuleCues(
    asks=pattern(
        r"¿|(?:^|[,;:–—-]\s*)(?:puedes|podrías|por qué|cómo|qué|cuál|dónde|cuándo|debo)\b"
    ),
    idle=Phrases(
        r"\bsiempre (?:me|nos|te|le|lo) \w+|\bsolo (?:pasa|ocurre|falla|sucede)\b",
        r"\b(?:es[ao]|est[ao]|ese|este) (?:debe|tiene que) ser\b|\b(?:nunca|siempre) (?:me|lo|la"
        r"|te) \w+o\b",
        r"\bno (?:pasa nada|te preocupes|importa)\b|\bnunca (?:he|ha|has|hemos|han)\b"
        r"|\bdebe (?:de )?ser (?:un|una)\b|\bsiempre \w+o\b(?<!debo)",
    ),
    reported=Phrases(
        r"\b(?:documentación|jefe|cliente|él|ella|readme) (?:dice|dijo|escribió|pide)\b|\bsegún\b"
    ),
    once=Phrases(
        r"\b(?:todavía|aún|por ahora|de momento|por el momento|esta vez|primero)\b"
        r"|\bno\b[^.;]*\bahora\b(?<!partir de ahora)"
    ),
    lasting=Phrases(
        r"(?:a partir de ahora|de ahora en adelante|en adelante|en el futuro|\bsiempre\b|\bnunca\b"
        r"|\bcada vez\b|bajo ning[uú]n)"
    ),
    release=Phrases(
        r"\bpuedes volver a\b|\bya (?:puedes|se puede|está permitido|podéis)\b|\b(?:puedes"
        r"|podéis)\b.*\b(?:ahora|de nuevo|otra vez)\b|\bahora (?:sí )?(?:puedes|podéis|se puede)\b",
        r"\b(?:olvida|olvídate|ignora)\b.*\b(?:regla|norma|restricción|prohibición|lo que dije)\b",
        r"\bya no (?:hace falta|es necesario|tienes que|necesitas|está prohibido|se aplica"
        r"|debes)\b",
        r"\bvuelven? a estar permitid|\b(?:de nuevo|otra vez|ahora) permitid"
        r"|\bprohibición\b.*\blevantada\b",
    ),
    instead=pattern(r"^(?:usa|utiliza|emplea|prefiere|escribe)\b"),
    language=Phrases(
        rf"\b(?:responde|contesta|habla|escribe todo|continúa)\b[^.;]*\ben {_LANGUAGE}\b",
        r"\b(?:comentarios?|mensajes?|commits?|documentación|nombres|textos|respuestas"
        rf"|todo)\b[^.;]*\ben {_LANGUAGE}\b",
    ),
    output=Phrases(
        r"\b(?:mantén|mantener|limita|haz)\b[^.;]*\b(?:tus|las) respuestas\b|\bresponde (?:solo"
        r"|sólo|únicamente|siempre|brevemente|con|sin)\b|\bsé (?:más )?(?:breve|conciso|claro"
        r"|directo|sincero|honesto|preciso)\b|\btrátame\b|\btutéame\b",
        r"\bda siempre\b|\bsin explicaci(?:ón|ones)\b|\btus respuestas\b[^.;]*\bdeben\b",
    ),
    prohibition=Phrases(
        r"^(?:solo|sólo|solamente|únicamente) [\w ]{2,30} (?:puede|pueden|podrá)\b"
        r"|^[^?;]*\bpero no (?:los?|las?|el|l[oa]s)\b",
        r"\bno está (?:permitid|autorizad|bien vist)\w*|\bno es (?:negociable|aceptable"
        r"|admisible)\b"
        r"|\by en ningún otro (?:sitio|lugar)\b|\by (?:nada|nadie) más[.!]*$|\babstente de\b"
        r"|\bdeja\w*\b[^.;]*\b(?:tal cual|como (?:está|están)|intact\w+|en paz|tranquil\w+)\b",
        r"\bte (?:prohíbo|prohibo)\b|^(?:absolutamente|estrictamente) (?:ning\w+|nada|no|nunca)\b"
        r"|\bsin [\w-]+ (?:nuev[oa]s?|extern[oa]s?|adicionales|de terceros)\b|\bes inaceptable\b"
        r"|^ning[uú]n[oa]? [^?]{3,60}$",
        r"\bno es asunto tuyo\b|\bno te (?:incumbe|concierne)\b|\bno debe (?:haber|cambiar|pasar)\b"
        r"|\bmientras\b[^?]*, (?:no|solo|nada)\b",
        r"\b(?:las )?manos fuera\b|\bno se (?:debe|deben|puede|pueden|toca|tocan|borra|borran"
        r"|cambia"
        r"|modifica|edita|negocia|discute|supera|superan)\b|\bno (?:puede|pueden|podrá)\b"
        r"|\bpuede[ns]?\b[^.;?]*\b(?:como máximo|solo|sólo|únicamente)\b",
        r"^(?:queda |está )?prohibid[oa]s?\b|\bno hagas\b|\bno l[oae]s? \w+(?:s|n)\b|\bno te \w+s\b"
        r"|\bno (?:añadas|uses|toques|borres|cambies|edites|modifiques|instales|despliegues"
        r"|escribas)\b",
        r"\bnada (?:sale|se mueve|cambia|debe|puede)\b|^(?:ning[uú]n[oa]?|cero) [\w-]+(?: "
        r"[\w-]+){0,4}"
        r"[.!]*$|\bno (?:acepto|admito|tolero|permito)\b|\bni (?:tocar|hablar)\b",
        r"\bpuedes \w+ ?(?:todo|cualquier \w+)?\b[^.;?]*\b(?:todo|cualquier\w*)?[^.;?]*\b(?:menos"
        r"|excepto|salvo)\b",
        r"^(?!yo\b|se\b)[^,;?]{3,60} (?:está|están|es|son|queda|quedan|sigue|siguen) "
        r"(?:congelad[oa]s?"
        r"|intocables?|sagrad[oa]s?|bloquead[oa]s?|tabú|cerrad[oa]s?|apagad[oa]s?|desactivad[oa]s?"
        r"|prohibid[oa]s?|fuera de (?:límites|discusión)|intact[oa]s?)[.!]*$",
        r"\bcuanto menos\b[^.;?]*\bmejor\b|\bmant(?:én|ente) (?:lejos|alejado|fuera)\b|\baléjate\b"
        r"|\bsin (?:nuev[oa]s|introducir|agregar|tocar|crear|usar|alterar)\b|\bsin que yo\b"
        r"|\bnadie (?:más que|salvo|excepto|aparte)\b|\bnada (?:más|aparte) (?:que|de)\b",
        rf"{_AT}no (?!{_STATE})\w+(?:s|n)\b",
        rf"{_AT}nunca \w",
        r"\bno (?:debes?|deben|debéis|se debe|se puede|se permite|está permitido)\b"
        r"|\bbajo ning[uú]n (?:concepto|caso)\b|\ben ning[uú]n caso\b",
        rf"{_AT}nada de \w|\b(?:está|queda) (?:totalmente )?prohibido\b|\bprohibido\b|{_AT}evit(?:a"
        rf"|ar|e|en)\b|{_AT}deja de \w+r(?:te|se|me|lo)?\b",
        r"^(?:ningun[oa]?|ningún|nada|nadie)\b[^?]*\b(?:debe|puede|tiene que|ha de|deben|pueden)\b"
        r"|\bsin mi\b|\bni hablar\b",
        r"\bten cuidado de no\b|\bni se te ocurra\b|\b(?:nunca|jamás) \w+(?:amos|emos|imos)\b"
        r"|\bsin (?:preguntar|avisar|consultar)",
        r"\bno quiero\b|\bdeja\b[^.;]*\b(?:en paz|como está|intact)|\bsin (?:modificar|cambiar"
        r"|tocar|romper|añadir)\b",
    ),
    obligation=Phrases(
        r"^en caso de (?:duda|problema|error)\b|^(?:si|cuando|en cuanto) (?:algo|alguien|un\w*"
        r"|tengas"
        r"|no estás|hay)\b[^,?]{3,60}, ?\w+",
        r"^(?:escribe|habla|responde|redacta|explica)\w* (?:siempre )?(?:en (?:un )?(?:tono|estilo"
        r"|lenguaje)"
        r"|de (?:forma|manera)|con (?:un )?tono|\w+mente)\b",
        r"^(?:el|la|tu) (?:tono|estilo|idioma|texto|informe|título|respuesta"
        r"|diseño)\b[^?]{0,30}\b(?:debe"
        r"|tendrá|será|ha de|tiene que)\b|^usa (?:frases|oraciones|palabras|párrafos|títulos) "
        r"\w+s[.!]*$",
        r"^(?:por favor,? )?(?!muestra|muéstra|dime|dame|enséña|es\b|hay\b|está|fue|era|falla|quier"
        r"|tengo|queda|funciona|pasa|yo\b|él\b|se\b|la\b|lo\b)\w{3,}[aeé] (?:solo|sólo|solamente"
        r"|únicamente|exclusivamente) \w",
        rf"{_NOT_TOLD}[^?]*\b(?:como (?:máximo|mucho|mínimo)|no más de|al menos|menos de|más de"
        rf"|hasta|máximo) {_NUMBER}\b",
        r"^(?:antes|después) de (?:cada|cualquier|todo|toda)\b[^?]*, ?\w+|^(?!yo\b|se\b|siempre "
        r"\w+o\b)"
        r"\w+[^?]*\b(?:antes de|después de|tras) (?:cada|cualquier|todo|toda)\b",
        rf"^(?:escribe|redacta) (?:la|el|los|las|tus|toda|todo|todos|todas)\b[^.;]*\ben "
        rf"{_LANGUAGE}\b",
        r"^(?:toda|todo|cada)\b[^?]*\b(?:requiere|exige|necesita|lleva)n?\b",
        r"\bse quedan?(?: (?:como|en|igual|dentro|fuera|así)\b|[.!]*$)|\bse (?:conservan?"
        r"|mantienen?)\b"
        r"|\bse espera que\b|\b(?:es|son|van) siempre (?:en|a|con)\b|\bes (?:necesario|preciso) "
        r"que\b",
        r"^(?:usa|utiliza) (?:el |la |los )?(?:puerto|versión|rama|modelo) [\w./-]*\d[\w./-]*[.!]*$"
        r"",
        r"\b(?:solo|sólo|solamente) (?:cuentan|valen|cuenta|vale|sirven)\b|^antes "
        r"de\b[^?]*\b(?:pregunta"
        r"|pide|habla|consulta)\w*\b|\bmant[eé]n\b[^.;?]*\b(?:cort|simpl|pequeñ|breve|limpi|intact"
        r"|por debajo|bajo)\w*",
        r"\b(?:avísame|dime)\b[^.;?]*\bantes\b|\bquédate (?:dentro|en|por debajo)\b|\bcita "
        r"(?:siempre"
        r" )?(?:tus|las) fuentes\b|^(?:usa|utiliza|elige|escribe)\b[^.;?]{2,40}\ben (?:vez|lugar) "
        r"de\b",
        r"^(?:por favor,? )?(?:tienes|tiene|tenéis) que (?:pedir|preguntar|usar|mantener|avisar"
        r"|consultar|seguir|respetar|documentar|probar|incluir)\b",
        r"^(?!yo\b|él\b|ella\b|si\b|cuando\b|esto\b|eso\b)(?:[\w./'-]+ ){1,5}(?:debe|deben|tiene "
        r"que"
        r"|tienen que|ha de|han de|necesita|necesitan)\b(?! (?:de )?(?:ser|haber) (?:un|una)\b)",
        r"^(?:todas|todos|cada)\b[^?]*\b(?:van|va|pasan|pasa|se|llevan|lleva|llegan)\b",
        r"^(?:por favor,? )?(?:usa|utiliza|usemos|usamos|emplea) (?!esto\b|eso\b|el\b|la\b|los\b"
        r"|las\b"
        r"|un\b|una\b|este\b|esta\b|lo\b)[\w.+#-]+(?: [\w.+#-]+)? (?:para|como) [\w -]+[.!]*$",
        r"\b(?:pide|pídeme|pregunta|consulta|avisa|pregúntale)\b[^.;?]*\bantes de\b",
        r"^(?:él |ella |eso |se )?(?:queda|sigue|permanece)n? (?:apagad|cerrad|igual|así"
        r"|desactiv)\w*",
        rf"\b(?:para|detente|termina)\b[^.;?]*\b(?:después de|tras|a los)\b[^.;?]*\b{_NUMBER}\b"
        r"|\bmantenme (?:al tanto|informad)|\b(?:trata|trátalo|trátala|considera)\b[^.;?]*\bcomo\b",
        r"\b(?:exijo|espero|quiero|necesito) (?:un|una)\b[^.;?]*\b(?:cada|todos|todas)\b"
        r"|\btrabaja (?:solo )?en (?:una|tu) (?:rama|copia)\b|\bal pie de la letra\b",
        rf"{_NOT_TOLD}[^?]*\bsiempre\b",
        r"(?:a partir de ahora|de ahora en adelante|\ben adelante\b|en el futuro,)",
        r"^(?:todos|todas|cada|todo|toda|tu|tus|nuestr\w+)\b[^?]*\b(?:deben?|debería|deberán?"
        r"|tienen? que|necesitan?)\b",
        rf"{_AT}(?:asegúrate|asegurate|asegúrese|procura|recuerda siempre|recuerda que debes"
        r"|cuida)\b|\bhay que\b",
        rf"{_NOT_TOLD}[^?]*\b(?:antes de cada|después de cada|cada vez que)\b",
        r"\b(?:quiero|necesito|espero) que (?:cada|todos|todas|siempre|todo)\b"
        r"|\btienen? que (?:seguir|quedar"
        r"|ser|estar|mantener)|\bes (?:\w+ )?(?:importante|esencial|imprescindible|obligatorio)\b",
        r"\b(?:pregúntame|consúltame|avísame)\b[^.;?]*\bantes\b|^antes de\b[^?]*\b(?:pregúntame"
        "|consulta|avísame|comprueba)",
        rf"{_NOT_TOLD}(?:usa|utiliza|trabaja|escribe|emplea)\b[^?]*\b(?:solo|sólo|solamente"
        r"|en todo)\b|\b(?:deben?|debería) (?:seguir|permanecer|quedar)\b",
        r"\b(?:limítate|cíñete|respeta|sigue (?:las|los|la|el|nuestr))\b|\bobligatori[oa]s?\b"
        r"|\bcomo (?:máximo|mucho)\b|^(?:cada|todos|todas)\b[^?]*\btienen? que\b",
        rf"{_NOT_TOLD}[^?]*\ben (?:vez|lugar) de\b",
        r"\b(?:tienes que|debes) siempre\b|\bdebes\b",
        rf"{_NOT_TOLD}[^?]*\b(?:únicamente|exclusivamente)\b",
    ),
    preference=Phrases(
        r"^(?:el|la) (?:usuario|usuaria|cliente|clienta) (?:prefiere|quiere|odia|desea|no quiere"
        r"|exige"
        r"|espera)\b|^al? (?:usuario|cliente) (?:no )?le gusta\b",
        r"^(?:odio|detesto|no soporto|no me gustan?) (?:los|las|el|la)?\b|^me gustan? (?:los|las"
        r"|mis"
        r"|tus|que)\b(?! idea)",
        r"\b(?:me gustaría|quisiera) que (?:tus|las|los|todas|todos|cada|siempre)\b|\b(?:prefiero"
        r"|preferiría|preferimos)\b|\bme gustan? más\b|\bme gustaría más\b",
        r"\b(?:usamos|utilizamos|trabajamos con)\b[^.;?]*(?:, no\b|\baquí\b|\ben vez de\b"
        r"|\ben lugar de\b)|^aquí (?:usamos|utilizamos|se usa)\b",
    ),
    corrects="en realidad|pensándolo mejor|mejor|más bien|corrección|me equivoqué|quise "
    "decir[^:,]{0,30}:"
    r"|al final|perdón|cambio de planes?|he cambiado de (?:idea|opinión)|cambié de (?:idea|opinión)"
    r"",
    corrects_after="no|ok|ah",
    adds=r"también\b",
    joins="y ",
    labels=any_of(
        "reglas?|normas?|restricci(?:ón|ones)|requisitos?|hechos?|datos?|importante|condici(?:ón"
        "|ones)",
        "convenci(?:ón|ones)|límites?|preferencias?|recordatorio|principio|política|presupuesto"
        "|plazo",
        "decisión|supuesto|obligación|prohibición|directri(?:z|ces)|pauta",
    ),
    first_person=r"\b(?:yo|mi|mis|nosotros|nuestr\w+|nos)\b",
    headings="(?:reglas|normas|restricciones|convenciones|directrices|pautas)",
    terse=Phrases(
        r"^(?!gracias|nada|sí|no\b)[\w-]+(?: [\w-]+)? sin [\w -]+[.!]*$|^todo en "
        r"(?!orden)[\w.+#-]+[.!]*$",
        r"^mejor [\w -]+ que [\w -]+[.!]*$|^(?:los |las |unos )?\w+s [\w -]+, por favor[.!]*$",
        r"^[\w.+#-]+(?: [\w-]+)? (?:para|en) (?:todas?|todos?|cada)(?: las| los)? [\w -]+[.!]*$",
        r"^(?:todas?|todos?) (?:las |los )?[\w-]+ (?:a|para|vía|por) [\w./ -]+[.!]*$",
        r"^(?:por favor,? )?(?:solo|sólo|solamente|únicamente|exclusivamente) (?!si\b|cuando\b"
        r"|quería"
        r"|una cosa|un momento|eso|el\b|la\b|digo|para|fallan?\b|funciona|queda|hay"
        r"|pasa)[\w./+#-]+(?: [\w./+#,-]+){0,7}[.!]*$",
        r"^(?!es\b|yo\b|se\b|eso\b)(?:[\w./+#-]+ ){1,6}(?:solo|sólo|solamente|únicamente|nada más"
        r"|exclusivamente)[.!]*$",
        r"^(?!no|sí|vale|ok|bien|gracias|pero)[\w`./+#-]+(?: [\w-]+){0,3}, (?:no|nunca) (?!sé"
        r"|todavía"
        r"|ahora|eso|es\b|hay|funciona|ese\b|esa\b)[\w`./+#-]+(?: [\w-]+){0,2}[.!]*$",
        r"^[\w.+#-]+ (?:en (?:vez|lugar) de|antes que) [\w.+#-]+(?: [\w-]+)?[.!]*$",
        r"^(?:nada de|sin) (?!duda|problema|embargo)[\w.+#-]+(?: [\w.+#-]+){0,5}[.!]*$",
        rf"^(?:máximo|mínimo|máx\.?|mín\.?|como (?:máximo|mucho|mínimo)|al menos|por lo menos|no "
        rf"más de"
        rf"|no menos de|menos de|más de|hasta|nunca más de) {_NUMBER}\b",
        rf"^{_NUMBER} [\w -]+ (?:como (?:máximo|mínimo|mucho)|máximo|mínimo|por [\w ]+|para cada"
        r" [\w ]+|en cada [\w ]+)[.!]*$",
        r"^(?:todos |todas )?(?:los |las )?[\w-]+(?: [\w-]+)?,? (?:siempre )?en (?!realidad|fin"
        r"|serio"
        r"|general|cuanto|el\b|la\b)[\w-]+(?: [\w-]+){0,2}(?:,? (?:siempre|por favor))?[.!]*$",
        r"^(?!yo\b|se\b)(?:[\w-]+ ){1,4}(?:siempre|en todas partes|por defecto|en todo el "
        r"\w+)[.!]*$",
        r"^(?!gracias)(?:una?|dos|tres) [\w-]+ (?:por|para|en) (?:cada|todas?(?: las)?|todos?(?: "
        r"los)?)"
        r" [\w ]+[.!]*$",
        r"^(?:estrictamente )?(?:acceso )?(?:de )?(?:s[oó]lo lectura|sin conexión|biblioteca "
        r"estándar)[.!]*$",
    ),
    leans=Phrases(
        r"^(?:y |pero |así que )*(?:esto|eso|él|ella|ellos|ambos|ambas|est[oa]s|es[oa]s|nada ahí)\b"
        r"",
        r"\b(?:no|nunca|jamás|y) (?:l[oae]s?) \w+|\w{3,}(?:lo|la|los|las)(?= (?:como|sin|siempre)\b"
        r"|[.,!]|$)"
        r"(?<!sola)(?<!solo)(?<!escala)(?<!regla)(?<!reglas)|\b(?:ahí|allí|eso|esto|ello)\b",
        r"\b(?:super\w+|exced\w+|sobrepas\w+|pases)\b",
    ),
    told=Phrases(
        r"\b(?:siempre|nunca) (?:\w+ )?\w+(?:íamos|ábamos|ía|aba|ían|aban|ó|aron|ieron)\b",
        r"^(?:ayer|la semana pasada|el año pasado|en aquel entonces)\b",
        r"\b(?:antes (?:no )?(?:nos|me|se|podíamos|teníamos)|al parecer|aparentemente|quizás? "
        r"(?:deber|podr)\w*"
        r"|tal vez (?:deber|podr)\w*|algún día|no estoy segur[oa])\b",
        r"^si (?:no |nunca |siempre )?\w+(?:áramos|éramos|iéramos|ara|iera|aras|ieras|aran|ieran)\b"
        r"|^(?:imagina|supongamos|supón)\b|\bsería (?:bueno|genial|ideal) (?:que|si)\b|\b(?:dejaban"
        r"|podíamos|debíamos|teníamos que)\b",
    ),
)

_CHANGES = RuleChangeCues(
    permits=Phrases(
        r"\bse (?:permite|permiten|levanta|levantan|anula|acabó|acaba|admite|admiten)\b|\bno me "
        r"opongo\b"
        r"|\b(?:prohibición|regla|norma|restricción|límite)\w*\b[^.;?]*\b(?:levantad|anulad"
        r"|terminad"
        r"|eliminad|olvidad)\w*|\bno tengo (?:inconveniente|problema)\b|\bya no\b|\btambién "
        r"valen?\b"
        r"|\b(?:olvídalo|retiro|levanto|anulo)\b|\bvalen? también\b",
        r"(?<!no )\b(?:puedes|podéis|puede|pueden|se puede|se pueden|podemos)\b(?![^.;]*\b(?:no"
        r"|nunca|solo"
        r"|sólo)\b)",
        r"\b(?:está|están|es|son|queda|quedan)\b[^.;]*\b(?:permitid[oa]s?|autorizad[oa]s?|bien|ok"
        r"|aceptad[oa]s?|aceptables?|posibles?|libres?|exent[oa]s?|levantad[oa]s?|terminad[oa]s?)\b"
        r"",
        r"\b(?:no|ya no) (?:hace falta|es necesario|es obligatorio|tienes que|necesitas|hay que"
        r"|tienen"
        r" que|necesitan?|se aplica|debes)\b",
        r"\b(?:te doy|tienes|con) (?:mi )?(?:permiso|autorización|visto bueno)\b|\bte (?:autorizo"
        r"|permito|dejo)\b|(?<!en "
        r")\badelante\b"
        r"|\bexcepción\b|\bexcepciones\b|\bolvida(?:te)?\b|\bsiéntete libre\b|\bluz verde\b",
        r"^(?:ok|okay|sí|vale|bien|bueno|de acuerdo|está bien)[,.!:]? (?:entonces )?\w+",
    ),
    excepts=Phrases(
        r"\bexcepci(?:ón|ones)\b|^(?:salvo|excepto|menos)\b|\bque eso\b|\b(?:por )?esta vez\b",
    ),
    explains=r"\b(?:por eso|así que el|así que la)\b",
    amends=Phrases(
        r"^(?:no,? |ok,? |ah,? |perdón,? |espera,? |bueno,? )*(?:digamos|quise decir|quiero decir"
        r"|mejor"
        r"|más bien|pon(?:gamos)?|que sean?|corrección:?|en realidad|son|era|al final)\b.{1,40}$",
        rf"^(?:no,? |ok,? |ah,? |perdón,? |espera,? )*(?:el |la )?{_NUMBER}(?: \w+){{0,3}}(?: "
        rf"(?:basta"
        r"|bastan|está bien|es suficiente))?(?:,? (?:mejor|entonces|en realidad))?[.!]*$",
        r"^(?=.*\b(?:no|perdón|espera|mejor|más bien|digamos|pon|que sean?|también"
        r"|finalmente)\b)[^?]*"
        r"(?<![\w.])[$€£]?\d[\d.,]*\b[^?]*$|\b(?:quise decir|me refería a)\b.{1,30}$",
        r"^(?:no|perdón|espera|mejor|en realidad|al final)\b[,:]? [^?]{1,40}$",
        r"\b(?:basta|bastan|es suficiente|son suficientes|es mejor)\b[^?]{0,20}$"
        r"|^[^?,]{1,30} (?:mejor|en realidad|más bien)[.!]*$",
    ),
    restates=Phrases(
        r"\b(?:debe|deben|tiene|tienen|mejor|ahora|en adelante|en (?:vez|lugar)|pasa|sube|baja"
        r"|cambia"
        r"|no|nuev\w+|usa|usemos|sea|sean|finalmente|al final)\b",
    ),
    nods="ok|okay|sí|vale|bien|bueno|de acuerdo|está bien",
    hence="así que|y|pero|por tanto|por eso|entonces",
    marks=any_of(
        r"\b(?:en realidad|mejor|más bien|corrección|ahora|al final|a partir de ahora|de ahora en"
        r" adelante|en adelante)\b"
    ),
    overrules=any_of(
        r"\b(?:me equivoqué|quise decir|corrección|cambi(?:ado|é) de (?:idea|opinión)|al final"
        r"|perdón"
        r"|a partir de ahora|de ahora en adelante|en (?:vez|lugar) de|mejor|más bien|ahora)\b"
    ),
    idioms=any_of(
        r"\b(?:a partir de ahora|de ahora en adelante|en adelante|como quieras|cuando quieras|lo "
        r"que"
        r" quieras|si quieres|de nuevo|otra vez|olvida(?:te)?(?: de)?(?: lo)?|te doy permiso para"
        r"|tienes"
        r" permiso para|la regla (?:sobre|de)|la prohibición (?:sobre|de)|lo que dije (?:sobre|de)"
        r"|está bien|de acuerdo|adelante)\b",
    ),
    narrows=any_of(
        r"\b(?:si|cuando|mientras|durante|entre|dentro|fuera|salvo|excepto|excepción|hasta|siempre "
        r"que"
        r"|por la noche|los fines de semana|para (?:este|esta|estos|estas)|en (?:este|esta))\b"
        r"|^(?:en|para|con|dentro|durante|que|cuy\w+|donde|los que|las que)\b",
    ),
    compares=r"\b(?:más|menos|superar?|superes|exced\w*|máximo|mínimo|encima|debajo)\b",
    conditions=r"\b(?:pregunt\w*|pregúnt\w*|permiso|aprobación|consult\w*|sin mi|hasta que"
    r"|avis\w*)\b",
    negates=r"\b(?:no|nunca|jamás|nada|ningun\w*|ningún|sin|prohibid\w*|evit\w*|salvo|menos)\b",
    once=r"\b(?:esta vez|por una vez|solo esta|sólo esta|este commit|una sola vez)\b",
    states=r"\b(?:es|está|son|están|era|ha|han|porque|pues|ya que|terminó)\b",
    wide=words_of(
        "el la los las lo un una unos unas de del y o e u tú tu tus te ti usted yo me mí mi mis "
        "nos "
        "nosotros nuestro nuestra se su sus él ella ellos ellas este esta estos estas ese esa eso "
        "esto "
        "es son era está están ser estar ha han he hay a al en por para con sin que quien qué si "
        "sí no "
        "ok okay vale bien bueno acuerdo pero también además aún ya ahora nuevo vez otra siempre "
        "nunca "
        "jamás nada ningún ninguna ninguno nadie todo toda todos todas cada cualquier puedes "
        "podéis "
        "puede pueden podemos debes debe deben tienes tiene tienen tener necesita necesitas "
        "necesario "
        "permiso permitido permitida permitidos permitidas autorizado falta hace hacer haz hagas "
        "regla "
        "norma restricción prohibición prohibido límite olvida ignora dije aplica antes como "
        "cuando "
        "queda quedan levantada levantado levantadas sobre más menos usa usar uses utiliza "
        "utilizar quiero doy dar aquí ahí muy entonces hecho libre"
    ),
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

SPANISH = LanguageCues(
    name="Spanish",
    words=pattern(
        r"\b(?:el|la|los|las|un|una|de|del|es|y|no|que|en|con|por|para|siempre|nunca|cada|todos"
        "|todas|tus|tu|se|antes|favor|sin|más|solo|nada|ya|a|prefiero|evita|si|te|lo|me|le|al|su|ni"
        r"|pero|como|este|esta|hay|ser)\b|[ñáéíóú¿¡]"
    ),
    empty=words_of(
        "el la los las un una unos unas de del y o no nunca siempre que en con por para a al se tu "
        "tus te me mi mis su sus lo es son está están puedes ya ahora favor nada nuevo nueva "
        "nuevos nuevas partir debe deben debes hay cada todos todas regla olvida falta hace "
        "permitidas vuelven estar prefiero sin antes bajo ningún concepto preguntes pregúntame más"
    ),
    statements=Phrases(
        r"\b(?:prefier\w+|preferir\w+|quiero|quiere|debe|deben|nunca|siempre|solo|sólo|como máximo"
        r"|a partir de ahora|en lugar de)\b",
        r"\b(?:presupuesto|plazo|fecha límite|tope|aprobación|responsable|siguiente paso"
        r"|próximo paso|pregunta abierta|a la espera|bloquead\w+)\b",
    ),
    rules=_RULES,
    changes=_CHANGES,
    small_words=words_of(
        "el la los las un una de del es y no que en con por para se sin más ya lo al su pero como "
        "este esta hay ser ha han fue está son sus le les porque o si"
    ),
    topics=TopicCues(
        code="documentación",
        length="breve|corto|largo",
        answers="respuesta|responde",
    ),
    text=TextCues(
        abbreviations=r"p\. ?ej|ee\. ?uu|sr|sra|ud|uds|pág|núm",
        documents="salida|mensaje|texto|correo|documento|artículo|borrador|resumen|informe"
        "|comentarios?",
        logs="salida",
    ),
    todos=TodoCues(finished="hecho|completado", unfinished="pendiente|en curso"),
    requests=RequestCues(
        asks=r"\b(?:puedes|podrías|por favor|quiero|quisiera|necesito|hay que|vamos a"
        r"|me gustaría)\b",
        verbs="añade|agrega|crea|arregla|muestra|escribe|revisa|explica|borra|cambia",
        go="sí|si|claro|dale|adelante|vale|de acuerdo|hazlo|sigue",
        go_then="pero",
        nod="vale|claro|de acuerdo",
        off="olvídalo|olvida eso|déjalo|ya no hace falta|eso es todo",
        off_after="no",
        off_then="y",
        thanks="gracias|muchas|genial",
        thanking="gracias",
    ),
    doubts=DoubtCues(
        correction=StemmedCue(
            stems="equivoc|equivoqu|razón|olvidó|error",
            phrases=r"\b(?:me equivoqué|estaba equivocad[oa]|mi error|fue un error|tienes razón"
            r"|tiene razón|se me olvidó)\b",
        ),
        reconsideration=StemmedCue(
            stems="espera|en realidad|pensándolo|un momento",
            phrases=r"\bpensándolo (?:bien|mejor)\b",
            openings="(?:espera|un momento|en realidad)(?=[,.!…—–])",
        ),
        uncertainty=StemmedCue(
            stems="segur|no sé|claro",
            phrases=r"\b(?:no estoy (?:\w+ )?segur[oa]|no sé (?:si|por|cómo|qué)"
            r"|no (?:está|queda) claro)\b",
        ),
        verification=StemmedCue(
            stems="verif|comprobar|asegurarme|estar segur",
            phrases=any_of(
                r"\b(?:voy a|déjame|permíteme) (?:\w+ )?(?:verificar (?:que|si)"
                r"|comprobar (?:que|si)|asegurarme)\b",
                r"\bpara estar segur[oa]\b",
            ),
        ),
        hedge=StemmedCue(
            stems="creo que|pienso que|supongo|sospecho|probabl|quizá|tal vez|posiblemente|parece",
            phrases=r"\b(?:(?:creo|pienso|supongo|sospecho) que|probablemente|quizás?|tal vez"
            r"|posiblemente|parece que|al parecer)\b",
        ),
    ),
    decisions=DecisionCues(
        firm=StemmedCue(
            stems="decid|elegido|optado|decisión|usaremos|utilizaremos|vamos a",
            phrases=r"\b(?:(?:hemos|he) (?:decidido|elegido|optado)|decidimos|decidí|decisión: "
            r"|usaremos|utilizaremos|vamos a (?:usar|utilizar|quedarnos con)\b)",
        ),
        of_a_person=StemmedCue(
            stems="prefiero|mejor",
            phrases=r"\bprefiero\b|\bmejor (?:usa|usamos|usar)\b",
        ),
        with_reason=StemmedCue(
            stems="porque|ya que|dado que|para |debido|en lugar|en vez",
            phrases=r"\b(?:voy a usar|uso|elegí) ",
        ),
        reason=r"\b(?:porque|ya que|dado que|para (?:evitar|que)|debido a)\b",
        instead=r"\b(?:en lugar de|en vez de)\b",
        undecided_after="si",
    ),
    steps=StepCues(
        heading=StemmedCue(
            stems="paso|pendiente|por hacer|falta",
            phrases="próximos? pasos?|pendientes?|queda por hacer|por hacer|faltan?(?=[:：])",
        ),
        copulas="es|son",
        announced=StemmedCue(
            stems="a continuación|luego|después|aún|todavía",
            phrases=r"\b(?:a continuación,? (?:voy|haré)|(?:luego|después) voy a"
            r"|(?:aún|todavía) (?:falta|queda|hay que))",
        ),
    ),
    orders=OrderCues(
        duties=r"\b(?:debe[ns]?|debes|deberá\w*|siempre|nunca|jamás|prohibid[oa]s?|permitid[oa]s?"
        r"|obligatori[oa]s?|autorizad[oa]s?|todos|sin (?:preguntar|aprobación|permiso))\b",
        orders=any_of(
            r"\b(?:ignora|ignore|olvida|olvide)\b (?:todas?|todos|las|los|cualquier|tus)",
            r"\b(?:debes|tienes que|no debes|el asistente debe|el modelo debe)\b",
            r"^(?:siempre|nunca|a partir de ahora)\b|\bhay que\b",
            r"\bes (?:necesario|obligatorio|imprescindible)\b|\bdeben? (?:\w+[aei]rse|ser)\b",
        ),
        for_a_person=r"\b(?:usuario|usuaria|cliente)\b",
        verbs=r"(?:borr[ae]|elimin[ae]|envía|envíe|ejecut[ae]|instal[ae]|descarg[ae]|abre|escribe"
        r"|copia|desactiva|transfiere|lanza|sube|publica|quita|suprime)\b",
        verbs_after="luego|ahora",
    ),
    traits=TraitCues(
        clause_after="y",
        name=r"\bme llamo\b|\bmi nombre es\b",
        self="trabajo (?:en|como|para|con)|vivo en|soy (?:un|una)",
        self_place="trabajo|vivo",
        owners="mis?|nuestr[oa]s?",
        is_words="es",
        states="es|son|está en|corre en",
        passing="no",
        passing_things=words_of("pregunta problema error objetivo"),
        use="usamos|utilizamos|desplegamos|el proyecto usa",
        remember="(?:recuerda|ten en cuenta|no olvides) que",
        forget="olvida que|ya no usamos",
        unsure_after="si",
        copula=r"\s(?:es|son|está|están)\s",
        purpose="para|como",
    ),
    memory=MemoryCues(
        task_bound=r"\b(?:este|esta|estos|hoy|por ahora)\b",
        stands_here=r"\baquí\b",
        purpose="para",
    ),
    reports=ReportCues(speech=words_of("usuario quiere quería decidió pidió")),
)
