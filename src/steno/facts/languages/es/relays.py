"""Spanish cues of words that are passed on."""

from steno.facts.languages.cues import RelayCues, any_of
from steno.facts.languages.phrases import Phrases

_SOURCES = any_of(
    r"docs?|documentación|manual|guía|página|sitio|artículo|correo|mail|e-mail|ticket|foro|hilo",
    r"informe|contrato|extracto|cita|fragmento|carta|jira|wiki|readme|slack|internet|web",
)
_ROLES = "jefe|jefa|cliente|compañer[oa]|equipo|soporte|proveedor|director|directora"
_TEXTS = any_of(
    "artículos?|textos?|mensajes?|correos?|e?-?mails?|párrafos?|cartas?|publicaci(?:ón|ones)|tuits?",
    "tweets?|pasajes?|frases?|comentarios?|citas?|extractos?|fragmentos?|respuestas?|consejos?|poemas?",
    "anuncios?|quejas?|recetas?|opini(?:ón|ones)|transcripción|diálogos?|posts?|reseñas?",
)
_PLACES = any_of(
    "páginas?|sitios?|logs?|registros?|errores|error|documentos?|tickets?|informes?|notas|capturas?",
    "imágenes|imagen|fotos?|contratos?|políticas?|salidas?|cartel|wiki|readme|manual|guía|descripción",
)

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
        r"resum\w+|tradu\w+|mejor\w+|corrig\w+|corrige|reformul\w+|acort\w+|explic\w+|revis\w+|lee|leer",
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
)
