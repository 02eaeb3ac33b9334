"""How rules are laid down, in Spanish."""

from steno.facts.languages.cues import RuleCues, any_of, pattern
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

LANGUAGE = (
    r"(?:español|inglés|francés|alemán|chino|italiano|castellano|portugués|neerlandés|polaco|ruso"
    r"|japonés|catalán)"
)

_NUMBER = (
    r"(?:\d[\d.,]*|una?|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|veinte|cien)"
)

_RESOURCE = (
    r"(?:base|instancia|entorno|rama|servidor|cuenta|clúster|cluster|región|plantilla|biblioteca"
    r"|repositorio|sistema|formato|moneda|codificación|réplica)"
)

_DAY = (
    r"(?:(?:el |al |a |para )?(?:\d[\d.:/]*|(?:próximo )?(?:lunes|martes|miércoles|jueves|viernes"
    r"|sábado|domingo)|mañana|medianoche|mediodía|fin(?:ales)? de))"
)

_SETTING = (
    r"(?:tamaño de (?:la muestra|letra|fuente|lote)|fuente|público(?: objetivo)?|tono|registro"
    r"|zona horaria|moneda|codificación|tiempo de espera|idioma de salida|formato de salida"
    r"|longitud máxima)"
)

RULES = RuleCues(
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
        r"\b(?:documentación|jefe|cliente|él|ella|readme) (?:dice|dijo|escribió|pide)\b|\bsegún\b",
        # Before a colon, whoever it is.
        r"\b(?:dice|dijo|escribió)(?: \w+){0,2}$",
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
        rf"\b(?:responde|contesta|habla|escribe todo|continúa)\b[^.;]*\ben {LANGUAGE}\b",
        r"\b(?:comentarios?|mensajes?|commits?|documentación|nombres|textos|respuestas"
        rf"|todo)\b[^.;]*\ben {LANGUAGE}\b",
    ),
    output=Phrases(
        r"\b(?:mantén|mantener|limita|haz)\b[^.;]*\b(?:tus|las) respuestas\b|\bresponde (?:solo"
        r"|sólo|únicamente|siempre|brevemente|con|sin)\b|\bsé (?:más )?(?:breve|conciso|claro"
        r"|directo|sincero|honesto|preciso)\b|\btrátame\b|\btutéame\b",
        r"\bda siempre\b|\bsin explicaci(?:ón|ones)\b|\btus respuestas\b[^.;]*\bdeben\b",
    ),
    prohibition=Phrases(
        r"\bya no (?:puedes|podéis|se puede|se pueden|está permitid\w*|se permite|se usan?)\b",
        r"^(?:nosotros )?ya no (?!ten|neces|pod|sab|est|som)\w+(?:amos|emos|imos)\b"
        r"|^ni [\w./-]+(?: [\w./-]+)? ni [\w ./-]+[.!]*$",
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
        r"|cambia|modifica|edita|negocia|discute|supera|superan)\b|\bno (?:puede|pueden|podrá)\b"
        r"|\bpuede[ns]?\b[^.;?]*\b(?:como máximo|solo|sólo|únicamente)\b",
        r"^(?:queda |está )?prohibid[oa]s?\b|\bno hagas\b|\bno l[oae]s? \w+(?:s|n)\b|\bno te \w+s\b"
        r"|\bno (?:añadas|uses|toques|borres|cambies|edites|modifiques|instales|despliegues"
        r"|escribas)\b",
        r"\bnada (?:sale|se mueve|cambia|debe|puede)\b|^(?:ning[uú]n[oa]?|cero) [\w-]+(?: "
        r"[\w-]+){0,4}[.!]*$|\bno (?:acepto|admito|tolero|permito)\b|\bni (?:tocar|hablar)\b",
        r"\bpuedes \w+ ?(?:todo|cualquier \w+)?\b[^.;?]*\b(?:todo|cualquier\w*)?[^.;?]*\b(?:menos"
        r"|excepto|salvo)\b",
        r"^(?!yo\b|se\b)[^,;?]{3,60} (?:está|están|es|son|queda|quedan|sigue|siguen) "
        r"(?:congelad[oa]s?|intocables?|sagrad[oa]s?|bloquead[oa]s?|tabú|cerrad[oa]s?|apagad[oa]s?"
        r"|desactivad[oa]s?|prohibid[oa]s?|fuera de (?:límites|discusión)|intact[oa]s?)[.!]*$",
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
        r"^(?:por favor,? )?(?:mánda|envía|da|haz|pása|avísa|infórma)\w*\b[^?]*\bcada (?:\w+ "
        r")?(?:hora|horas|minutos?|días?|mañana|noche|semana|paso)\b",
        r"^tod[oa]s?(?: [\w-]+)? (?:pasan?|va|van) por [\w -]+[.!]*$"
        r"|^cada [\w -]{2,30} con su [\w -]+[.!]*$",
        rf"^(?:por favor,? )?(?:usa|utiliza|emplea|trabaja en|trabaja con) (?:siempre )?(?:la|el"
        rf"|nuestra|nuestro|mi) {_RESOURCE}"
        r"(?: (?:de )?[\w./+#-]+){0,3}(?: para [\w ]{2,30})?[.!]*$",
        r"^(?:usa|utiliza|emplea) (?!esto\b|eso\b|el\b|la\b|los\b|las\b|un\b|una\b|este\b|esta\b"
        r"|lo\b|mejor\b|\d)[\w.+#-]+(?: [\w.+#-]+)?[.!]*$",
        r"^(?:escrib|program|desarroll|ejecut|haz|lanz|aloj|corr)\w* ?(?:todo|las pruebas|los tests"
        r"|el código|la api)?"
        r" (?:en|con|sobre) (?!el\b|la\b|los\b|las\b|un\b|una\b|est)[\w.+#-]+[.!]*$",
        r"^(?:apuntamos a|soportamos|nos quedamos (?:en|con)|seguimos con|sigamos con|vamos con"
        r"|usaremos|usamos|quédate (?:en|con)|sigue con) (?!el\b|la\b|los\b|esto\b"
        r"|eso\b)[\w.+#-]+(?: [\w.+#-]+)?[.!]*$",
        r"^(?:los|las) [\w ]{3,40}? (?:no )?se (?:indican|expresan|escriben|dan|muestran"
        r"|mencionan|citan|envían|redondean|guardan|nombran|firman|redactan)\b",
        rf"^(?:la |el |nuestr\w+ |mi )?(?:fecha (?:límite|de entrega|tope|de lanzamiento)|plazo"
        rf"|entrega|deadline) (?:es|será|sigue siendo|pasa|cae|queda)(?: ahora| para)* {_DAY}",
        rf"^(?:el|la|nuestro|nuestra|mi) (?:[\w-]+ )?(?:presupuesto|tope|límite|máximo|mínimo|plazo"
        rf"|umbral|cuota|tiempo de"
        rf" espera) (?:es|será|sigue siendo|queda en)(?: ahora)?(?: de)? {_NUMBER}\b",
        r"^(?!yo\b|eso\b|esto\b)[\w -]{3,40} (?:está|están|queda|quedan) (?:limitad|restringid"
        r"|topad)[oa]s? a\b",
        r"^(?:quiero|quisiera|necesito|me gustaría|prefiero) (?:el |la |los |las |tus |un "
        r"|una )?[\w -]{2,30} (?:en|como|en formato) (?:pdf|docx?|word|csv|json|yaml|xml|html"
        r"|markdown|excel|tabla|lista|viñetas|texto plano"
        f"|{LANGUAGE})[.!]*$",
        rf"^{_SETTING}: \S[^?]{{0,40}}$|^el (?:tono|estilo|registro) (?:es|sigue siendo) (?!muy"
        rf"|bueno|demasiado|malo)\w+[.!]*$",
        r"^(?:por favor,? )?(?:trata|tutea|trátal[oa]s|dirígete)\w*\b[^.;?]* de (?:usted|tú)\b",
        r"^redondea\w* a\b|^soy (?:vegetarian|vegan|alérgic|celíac)\w*|^[\w -]{3,40}, (?:no"
        r"|nada) más[.!]*$|^(?:las |los )?\w+s (?:solo|sólo|únicamente) (?:por|en|a|los|de|con)\b"
        r"|^(?:responde|contesta|presenta|escribe)\w* (?:con|en|usando) (?:viñetas|listas?"
        r"|tablas?|frases)",
        r"^(?:da|muestra|indica|expresa|escribe|anota|formatea|redondea|presenta"
        r"|nombra) (?:todos los|todas las|cada|los|las) \w+ (?:en|sin|con|bajo|como|a)\b",
        r"^(?:sangra|indenta)\w* con\b|^(?:manda|envía|pasa|entrega|somete|muestra)\w* (?:cada"
        r"|todos los|todas las)\b[^?]* a \w+",
        rf"^espera (?:al menos )?{_NUMBER} \w+ (?:entre|antes de cada|después de cada)\b"
        r"|^(?:solo|sólo|solamente|únicamente) (?:puedes|debes|podéis|usa|toca|modifica|edita)\b"
        r"|^(?:las|mis) (?:preguntas|solicitudes|facturas) van a\b",
        r"^en caso de (?:duda|problema|error)\b|^(?:si|cuando|en cuanto) (?:algo|alguien|un\w*"
        r"|tengas|no estás|hay)\b[^,?]{3,60}, ?\w+",
        r"^(?:escribe|habla|responde|redacta|explica)\w* (?:siempre )?(?:en (?:un )?(?:tono"
        r"|estilo|lenguaje)|de (?:forma|manera)|con (?:un )?tono|\w+mente)\b",
        r"^(?:el|la|tu) (?:tono|estilo|idioma|texto|informe|título|respuesta"
        r"|diseño)\b[^?]{0,30}\b(?:debe|tendrá|será|ha de|tiene que)\b|^usa (?:frases|oraciones"
        r"|palabras|párrafos|títulos) \w+s[.!]*$",
        r"^(?:por favor,? )?(?!muestra|muéstra|dime|dame|enséña|es\b|hay\b|está|fue|era|falla|quier"
        r"|tengo|queda|funciona|pasa|yo\b|él\b|se\b|la\b|lo\b)\w{3,}[aeé] (?:solo|sólo|solamente"
        r"|únicamente|exclusivamente) \w",
        rf"{_NOT_TOLD}[^?]*\b(?:como (?:máximo|mucho|mínimo)|no más de|al menos|menos de|más de"
        rf"|hasta|máximo) {_NUMBER}\b",
        r"^(?:antes|después) de (?:cada|cualquier|todo|toda)\b[^?]*, ?\w+|^(?!yo\b|se\b"
        r"|siempre \w+o\b)\w+[^?]*\b(?:antes de|después de|tras) (?:cada|cualquier|todo|toda)\b",
        rf"^(?:escribe|redacta) (?:la|el|los|las|tus|toda|todo|todos|todas)\b[^.;]*\ben "
        rf"{LANGUAGE}\b",
        r"^(?:toda|todo|cada)\b[^?]*\b(?:requiere|exige|necesita|lleva)n?\b",
        r"\bse quedan?(?: (?:como|en|igual|dentro|fuera|así)\b|[.!]*$)|\bse (?:conservan?"
        r"|mantienen?)\b|\bse espera que\b|\b(?:es|son|van) siempre (?:en|a|con)\b"
        r"|\bes (?:necesario|preciso) que\b",
        r"^(?:usa|utiliza) (?:el |la |los )?(?:puerto|versión|rama|modelo) [\w./-]*\d[\w./-]*[.!]*$"
        r"",
        r"\b(?:solo|sólo|solamente) (?:cuentan|valen|cuenta|vale|sirven)\b"
        r"|^antes de\b[^?]*\b(?:pregunta|pide|habla|consulta)\w*\b|\bmant[eé]n\b[^.;?]*\b(?:cort"
        r"|simpl|pequeñ|breve|limpi|intact|por debajo|bajo)\w*",
        r"\b(?:avísame|dime)\b[^.;?]*\bantes\b|\bquédate (?:dentro|en|por debajo)\b"
        r"|\bcita (?:siempre )?(?:tus|las) fuentes\b|^(?:usa|utiliza|elige"
        r"|escribe)\b[^.;?]{2,40}\ben (?:vez|lugar) de\b",
        r"^(?:por favor,? )?(?:tienes|tiene|tenéis) que (?:pedir|preguntar|usar|mantener|avisar"
        r"|consultar|seguir|respetar|documentar|probar|incluir)\b",
        r"^(?!yo\b|él\b|ella\b|si\b|cuando\b|esto\b|eso\b)(?:[\w./'-]+ ){1,5}(?:debe|deben|tiene "
        r"que|tienen que|ha de|han de|necesita|necesitan)\b(?! (?:de )?(?:ser|haber) (?:un|una)\b)",
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
        r"|exige|espera)\b|^al? (?:usuario|cliente) (?:no )?le gusta\b",
        r"^(?:odio|detesto|no soporto|no me gustan?) (?:los|las|el|la)?\b|^me gustan? (?:los|las"
        r"|mis|tus|que)\b(?! idea)",
        r"\b(?:me gustaría|quisiera) que (?:tus|las|los|todas|todos|cada|siempre)\b|\b(?:prefiero"
        r"|preferiría|preferimos)\b|\bme gustan? más\b|\bme gustaría más\b",
        r"\b(?:usamos|utilizamos|trabajamos con)\b[^.;?]*(?:, no\b|\baquí\b|\ben vez de\b"
        r"|\ben lugar de\b)|^aquí (?:usamos|utilizamos|se usa)\b",
    ),
    corrects="en realidad|pensándolo mejor|mejor|más bien|corrección|me equivoqué"
    "|quise decir[^:,]{0,30}:|al final|perdón|cambio de planes?|he cambiado de (?:idea|opinión)"
    "|cambié de (?:idea|opinión)",
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
    contrasts="pero|sin embargo|aun así|no obstante",
    own_asks="por favor|(?:quiero|queremos|necesito|me gustaría|espero) que",
    forbids=r"(?:por favor,? )?no \w+s\b|prohibido\b",
    ban_headings="prohibido|prohibiciones|(?:qué )?no (?:hacer|tocar|usar|modificar)|nunca|a evitar"
    "|evitar",
    headings="(?:reglas|normas|restricciones|convenciones|directrices|pautas)",
    terse=Phrases(
        r"^(?:estamos (?:en|con)|usamos|trabajamos con|apuntamos a) [\w.+#-]+ \d[\w.]*[.!]*$"
        r"|^nada sin [\w -]+[.!]*$",
        r"^(?:los |las )?[\w -]{2,30}: ?(?:\w+ [\w-]+,? (?:máximo|como (?:mucho|máximo)|no más)"
        r"|(?:máx(?:imo|\.)?|como mucho) \w+ [\w-]+)[.!]*$",
        r"^(?!gracias|nada|sí|no\b)[\w-]+(?: [\w-]+)? sin [\w -]+[.!]*$|^todo en "
        r"(?!orden)[\w.+#-]+[.!]*$",
        r"^mejor [\w -]+ que [\w -]+[.!]*$|^(?:los |las |unos )?\w+s [\w -]+, por favor[.!]*$",
        r"^[\w.+#-]+(?: [\w-]+)? (?:para|en) (?:todas?|todos?|cada)(?: las| los)? [\w -]+[.!]*$",
        r"^(?:todas?|todos?) (?:las |los )?[\w-]+ (?:a|para|vía|por) [\w./ -]+[.!]*$",
        r"^(?:por favor,? )?(?:solo|sólo|solamente|únicamente|exclusivamente) (?!si\b|cuando\b"
        r"|quería|una cosa|un momento|eso|el\b|la\b|digo|para|fallan?\b|funciona|queda|hay"
        r"|pasa)[\w./+#-]+(?: [\w./+#,-]+){0,7}[.!]*$",
        r"^(?!es\b|yo\b|se\b|eso\b)(?:[\w./+#-]+ ){1,6}(?:solo|sólo|solamente|únicamente|nada más"
        r"|exclusivamente)[.!]*$",
        r"^(?!no|sí|vale|ok|bien|gracias|pero)[\w`./+#-]+(?: [\w-]+){0,3}, (?:no|nunca) (?!sé"
        r"|todavía|ahora|eso|es\b|hay|funciona|ese\b|esa\b)[\w`./+#-]+(?: [\w-]+){0,2}[.!]*$",
        r"^[\w.+#-]+ (?:en (?:vez|lugar) de|antes que) [\w.+#-]+(?: [\w-]+)?[.!]*$",
        r"^(?:nada de|sin) (?!duda|problema|embargo)[\w.+#-]+(?: [\w.+#-]+){0,5}[.!]*$",
        rf"^(?:máximo|mínimo|máx\.?|mín\.?|como (?:máximo|mucho|mínimo)|al menos|por lo menos"
        rf"|no más de|no menos de|menos de|más de|hasta|nunca más de) {_NUMBER}\b",
        rf"^{_NUMBER} [\w -]+ (?:como (?:máximo|mínimo|mucho)|máximo|mínimo|por [\w ]+|para cada"
        r" [\w ]+|en cada [\w ]+)[.!]*$",
        r"^(?:todos |todas )?(?:los |las )?[\w-]+(?: [\w-]+)?,? (?:siempre )?en (?!realidad|fin"
        r"|serio"
        r"|general|cuanto|el\b|la\b)[\w-]+(?: [\w-]+){0,2}(?:,? (?:siempre|por favor))?[.!]*$",
        r"^(?!yo\b|se\b)(?:[\w-]+ ){1,4}(?:siempre|en todas partes|por defecto|en todo el "
        r"\w+)[.!]*$",
        r"^(?!gracias)(?:una?|dos|tres) [\w-]+ (?:por|para|en) (?:cada|todas?(?: las)?"
        r"|todos?(?: los)?) [\w ]+[.!]*$",
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
    or_else="o",
    agreed=r"ok|entendido|vale|de acuerdo|está claro|claro",
    confirmed="sí|verdad",
    polite=pattern(
        r"^¿?(?:por favor,? )?(?:puedes|podrías|podríais|podemos|podríamos|puede) (?:por favor"
        r" )?(?P<limit>(?=mantener|limitar|dejar|quedarte))?"
    ),
    told=Phrases(
        r"\b(?:siempre|nunca) (?:\w+ )?\w+(?:íamos|ábamos|ía|aba|ían|aban|ó|aron|ieron)\b",
        r"^(?:ayer|la semana pasada|el año pasado|en aquel entonces)\b",
        r"\b(?:antes (?:no )?(?:nos|me|se|podíamos|teníamos)|al parecer|aparentemente"
        r"|quizás? (?:deber|podr)\w*|tal vez (?:deber|podr)\w*|algún día|no estoy segur[oa])\b",
        r"^si (?:no |nunca |siempre )?\w+(?:áramos|éramos|iéramos|ara|iera|aras|ieras|aran|ieran)\b"
        r"|^(?:imagina|supongamos|supón)\b|\bsería (?:bueno|genial|ideal) (?:que|si)\b|\b(?:dejaban"
        r"|podíamos|debíamos|teníamos que)\b",
    ),
)
