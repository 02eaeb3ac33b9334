"""Spanish cues of words that are passed on."""

from steno.facts.languages.cues import RelayCues, any_of
from steno.facts.languages.phrases import Phrases

_SOURCES = any_of(
    r"docs?|documentación|manual|guía|página|sitio|artículo|correo|mail|e-mail|ticket|foro|hilo",
    r"informe|contrato|extracto|cita|fragmento|carta|jira|wiki|readme|slack|internet|web",
)
_ROLES = "jefe|jefa|cliente|compañer[oa]|equipo|soporte|proveedor|director|directora"
_TEXTS = any_of(
    "artículos?|textos?|mensajes?|correos?|e?-?mails?|párrafos?|cartas?|publicaci(?:ón|ones)"
    "|tuits?",
    "tweets?|pasajes?|frases?|comentarios?|citas?|extractos?|fragmentos?|respuestas?|consejos?"
    "|poemas?",
    "anuncios?|quejas?|recetas?|opini(?:ón|ones)|transcripción|diálogos?|posts?|reseñas?",
)
_PLACES = any_of(
    "páginas?|sitios?|logs?|registros?|errores|error|documentos?|tickets?|informes?|notas"
    "|capturas?",
    "imágenes|imagen|fotos?|contratos?|políticas?|salidas?|cartel|wiki|readme|manual|guía"
    "|descripción",
)

_GIVEN = rf"(?:{_TEXTS}|{_PLACES}|{_SOURCES})"
_A_TEXT = rf"(?:el|la|los|las|una?|est[ea]|estos|estas) (?:[\w-]+ ){{0,3}}?{_GIVEN}\b"

RELAYS = RelayCues(
    says=Phrases(
        r"\b(?:dice|dijo|ha dicho|escribió|ha escrito|respondió|ha respondido|contestó|explicó"
        r"|ha explicado|recomienda|recomendó|sugiere|sugirió|pidió|afirma|afirmó|comentó|aconseja"
        r"|aconsejó|preguntó)(?: \S+){0,4}$",
    ),
    handed=Phrases(
        rf"^(?:\S+ ){{0,2}}?(?:{_TEXTS}|{_PLACES}) (?:muestra|contiene|indica)$",
        r"^(?:aquí está |este es )?(?:el |la |las |los |un |una )?(?:mensaje|acta|minuta|notas"
        r"|transcripción|traza|texto|registro|comentario|descripción|correo) (?:de|del|en|sobre) "
        r"(?!mí\b|nosotros\b)\S.{0,40}$|^mensaje reenviado$|^(?:acta|minuta|transcripción|letra)$",
        r"^(?:alguien|una? (?:amig[oa]|colega|cliente|usuari[oa]|tipo|desconocid[oa])|mi (?:jef[ea]"
        r"|amig[oa]|colega|médic[oa]|marido|mujer|madre|padre|herman[oa]))"
        r"(?: (?:en|de|del|por) \S.{0,30})?$",
        r"^(?:recibido|encontrado|leído|visto|recibí|encontré) (?:esto )?(?:por|en|de|del"
        r"|vía) \S.{0,40}$",
        r"^(?:aquí está |este es )?(?:el |la |un |una )?(?:mensaje|respuesta|correo|comentario"
        r"|extracto"
        r"|cita|fragmento|texto|opinión) (?:(?:de|del|desde) (?:la |el |mi |un |una |nuestr\w )?"
        rf"(?:{_SOURCES}|{_ROLES})\b|de (?-i:[A-ZÁÉÍÓÚÑ](?![A-ZÁÉÍÓÚÑ]))).{{0,40}}$",
        r"^(?:según|de acuerdo con) (?!yo\b|mí\b|nosotros\b)\S.{0,50}$",
        rf"^(?:(?:tomado|sacado|copiado|pegado) )?(?:del|de la|de los|desde (?:el|la)) (?:\S+ )?"
        rf"(?:{_SOURCES})(?: \S+){{0,3}}$",
    ),
    sources=_SOURCES,
    texts=_TEXTS,
    places=_PLACES,
    these="(?:est[ea]|estos|estas) ",
    shows=r"(?:aquí (?:está|están|va|tienes)|est[ae] es) (?!mi\b|mis\b|nuestr)",
    below="lo siguiente|abajo|a continuación",
    these_stems="este |esta |estos |estas |siguiente|abajo|continuación",
    works=any_of(
        r"resum\w+|tradu\w+|mejor\w+|corrig\w+|corrige|reformul\w+|acort\w+|explic\w+|revis\w+"
        r"|lee|leer",
        r"respond\w+|contest\w+|reescrib\w+|recib\w+|evalú\w+|coment\w+",
    ),
    heads="cita|extracto|poema|carta|párrafo|deberes|receta|artículo|original|subtítulos"
    "|notas de (?:la )?versión",
    reads=any_of(
        r"respond\w+ a (?:esto|lo siguiente)|qué (?:respondo|contesto|opinas de)|es (?:verdad"
        r"|cierto) (?:esto|lo siguiente)",
        r"resum\w+|tradu\w+|reformul\w+|acort\w+|qué (?:dice|significa|quiere decir|pone)",
        r"corrig\w+ (?:la )?(?:gramática|ortografía)",
    ),
    machines=Phrases(
        r"\b(?:ci|error|logs?|registro|salida|tests?|pruebas?|build|pipeline|compilador|linter"
        r"|consola"
        r"|terminal|script|servidor)(?: ahora)? \w+$",
        r"\bsegún (?:\w+ )?(?:ci|logs?|registro|tests?|pruebas?)$",
    ),
    conditions="si|cuando|cada vez|en cuanto|antes de que|después de que",
    own_heads=r"\b(?:mis?|nuestr\w{1,2}) (?:\w+ )?(?:reglas?|normas?|respuesta|convenciones"
    r"|petición)",
    copied=any_of(
        r"(?:he |hemos |lo he )(?:copiado|pegado|citado|sacado|reenviado) (?:esto|eso|lo siguiente"
        r"|este texto) (?:de|del|desde) \S.{0,60}",
        r"(?:copié|pegué) (?:esto|eso|lo siguiente|este texto) (?:de|del|desde) \S.{0,60}",
        r"(?:copiado|pegado|citado|sacado|reenviado|tomado) (?:de|del|desde) \S.{0,60}",
        rf"(?:esto|eso|lo siguiente|lo que sigue) (?:es|viene|sale|proviene) (?:de|del) (?:la "
        rf"|los )?"
        rf"(?:\S+ )?(?:{_SOURCES})",
    ),
    copied_stems="copiad|copié|pegad|pegué|citad|sacad|reenviad|tomad|viene|sale|proviene"
    "|esto es|eso es|siguiente es",
    goes_on="entonces|así que|ahora",
    resumes=any_of(
        "ok|bueno|bien|qué (?:opinas|te parece|piensas|hago)|puedes|podrías",
        "podéis|es (?:verdad|correcto|cierto)|ignora|olvida|(?:haz|arregla|corrige|resume"
        "|traduce|revisa",
        "comprueba|explica|contesta|responde)(?:me|le|lo|la|les)? ?(?:eso|esto)?",
    ),
    own_places=r"\b(?:en|para) (?:este|nuestro|mi) (?:repo(?:sitorio)?|proyecto|código)\b",
    orders=r"(?:nunca|siempre|jamás|no debes|debes|hay que)\b",
    judged=r"\b(?:es correct[oa]|está bien) est[ea] (?:frase|texto|mensaje).{0,20}\?$",
    breaks_off=r"(?:espera|en realidad|por cierto|perdón|mejor)\b|no[,.!]",
    sends=Phrases(
        r"^(?!.{0,200}\b(?:más tarde|mañana|luego|cuando|si)\b)(?:.{0,80}\b)?(?:(?:te|os"
        r"|le) (?:voy a )?"
        r"|voy a )(?:peg|envi|envío|mand|pas|compart|copi|reenv|muestr|mostr|dej)\w* (?:(?:ahora"
        r"|aquí) )?"
        rf"{_A_TEXT}",
        rf"\b(?:siguiente|próximo) mensaje (?:es|será|contiene|trae) {_A_TEXT}",
        r"^(?:tradu|resum|corrig|revis|explic)\w* (?:el|mi) (?:siguiente|próximo) mensaje",
    ),
    comes=Phrases(
        r"^(?:bueno,? |pues,? |ok,? )?(?:aquí (?:está|están|va|van|tienes)|ahora (?:viene|va)"
        r"|a continuación"
        rf"(?: viene)?|abajo está) {_A_TEXT}(?: [\w-]+){{0,5}}$",
        rf"^(?:el |la |los |las )?{_GIVEN}(?: [\w-]+){{0,3}}? (?:abajo|a continuación|sigue)$",
    ),
    wants=Phrases(
        r"^(?!.{0,60}\b(?:si|cuando|puedes)\b)(?:.{0,80}\b)?(?:pega|pégame|envía|envíame|manda"
        r"|mándame|comparte"
        r"|compárteme|copia|muéstrame|pásame|proporciona|adjunta)(?: (?:aquí|por favor|me)){0,2} "
        rf"(?:el|la|los|las|tu|tus|una?) (?:[\w-]+ ){{0,3}}?(?!política|notas){_GIVEN}\b",
        r"\b(?:puedes|podrías) (?:pegar|enviar|mandar|compartir|copiar|mostrar|pasar"
        r"|adjuntar)(?:me)? "
        rf"(?:el|la|los|las|tu|tus|una?) (?:[\w-]+ ){{0,3}}?(?!política|notas){_GIVEN}\b",
    ),
    wants_it=Phrases(
        r"\b(?:pégal|envíal|mándal|pásal|compártel)[oa]s?\b|\b(?:envía|manda"
        r"|pega)(?:me)? (?:el resto"
        r"|la siguiente parte)",
    ),
    nods=Phrases(
        r"^\W*(?:claro|por supuesto|sí|ok|vale|adelante|con gusto|encantad[oa]|perfecto|envía"
        r"|pega)\b",
    ),
    talk="gracias|hola|ok|vale|bien|perfecto|sí|no|puedes|podrías|ahora|luego|también|y|pero",
    pointers="est[oea]s?|es[oea]|abajo|arriba|siguientes?|aquí",
    own_leads="por cierto|recuerda|nota|importante|además|y|pero|ok|hola|gracias|sí|no",
    asks="puedes|podrías|tienes",
    of_text="respond\\w*|contest\\w*|significa|dice|correct[oa]|verdad|cierto|fals[oa]|suena"
    "|traduc\\w*|idioma|tono|palabras?",
    states=r"(?!(?:es[ot]|est[oe]|aquí|qué|quién)\b)(?:[\w-]+ ){1,4}(?:es|son|está|están|funciona"
    "|funcionan|pasan?)",
    quotes="dice|dijo|texto|palabras?|línea|frase|título",
    changes="corrección|no(?=,)|espera|olvida eso|sobre (?:el|la|los|las)|la regla",
)
