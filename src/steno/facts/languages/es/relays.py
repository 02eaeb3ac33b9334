"""Spanish cues of words that are passed on."""

from steno.facts.languages.cues import RelayCues, any_of
from steno.facts.languages.phrases import Phrases

_SOURCES = any_of(
    r"docs?|documentación|manual|guía|página|sitio|artículo|correo|mail|e-mail|ticket|foro|hilo",
    r"informe|contrato|extracto|cita|fragmento|carta|jira|wiki|readme|slack|internet|web",
)
_ROLES = "jefe|jefa|cliente|compañer[oa]|equipo|soporte|proveedor|director|directora"

RELAYS = RelayCues(
    says=any_of(
        r"\b(?:dice|dijo|ha dicho|escribió|ha escrito|respondió|ha respondido|contestó|explicó"
        r"|ha explicado|recomienda|recomendó|sugiere|sugirió|pidió|afirma|afirmó|comentó|aconseja"
        r"|aconsejó|preguntó)(?: \S+){0,4}$",
    ),
    handed=any_of(
        r"^(?:aquí está |este es )?(?:el |la |un |una )?(?:mensaje|respuesta|correo|comentario"
        r"|extracto"
        r"|cita|fragmento|texto|opinión) (?:(?:de|del|desde) (?:la |el |mi |un |una |nuestr\w )?"
        rf"(?:{_SOURCES}|{_ROLES})\b|de (?-i:[A-ZÁÉÍÓÚÑ](?![A-ZÁÉÍÓÚÑ]))).{{0,40}}$",
        r"^(?:según|de acuerdo con) (?!yo\b|mí\b|nosotros\b)\S.{0,50}$",
        rf"^(?:(?:tomado|sacado|copiado|pegado) )?(?:del|de la|de los|desde (?:el|la)) (?:\S+ )?"
        rf"(?:{_SOURCES})(?: \S+){{0,3}}$",
    ),
    sources=_SOURCES,
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
