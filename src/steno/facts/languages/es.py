"""Cues in Spanish."""

from steno.facts.languages.cues import LanguageCues, any_of, words_of

_AT = r"(?:^|[,;:(–—]\s*|\b(?:y|pero|así que|también|además|luego|por favor)[,:]?\s+)(?:por favor,? )?"
_NOT_TOLD = (
    r"^(?!yo\b|él\b|ella\b|el\b|la\b|los\b|las\b|un\b|una\b|mi\b|mis\b|su\b|nosotros\b|esto\b|eso\b|se\b"
    r"|siempre \w+o\b|nunca (?:he|ha|hemos|han)\b)"
)
_STATE = (
    r"(?:sé|se|tengo|tenemos|recuerdo|hay|es|está|son|puedo|podemos|funciona|me|te preocupes|importa|pasa"
    r"|entiendo|creo|quiero|hace falta|veo|estoy|era|lo sé)\b"
)
_LANGUAGE = r"(?:español|inglés|francés|alemán|chino|italiano|castellano)"

SPANISH = LanguageCues(
    name="es",
    words=any_of(
        r"\b(?:el|la|los|las|un|una|de|del|es|y|no|que|en|con|por|para|siempre|nunca|cada|todos|todas|tus|tu|se"
        r"|antes|favor|sin|más|solo|nada|ya|a|prefiero|evita|si|te|lo|me|le|al|su|ni|pero|como|este|esta|hay|ser)\b"
        r"|[ñáéíóú¿¡]"
    ),
    asks=any_of(r"¿|(?:^|[,;:–—-]\s*)(?:puedes|podrías|por qué|cómo|qué|cuál|dónde|cuándo|debo)\b"),
    idle=any_of(
        r"\bno (?:pasa nada|te preocupes|importa)\b|\bnunca (?:he|ha|has|hemos|han)\b|\bdebe (?:de )?ser (?:un"
        r"|una)\b|\bsiempre \w+o\b(?<!debo)"
    ),
    reported=any_of(
        r"\b(?:documentación|jefe|cliente|él|ella|readme) (?:dice|dijo|escribió|pide)\b|\bsegún\b"
    ),
    once=any_of(
        r"\b(?:todavía|aún|por ahora|de momento|por el momento|esta vez|primero)\b"
        r"|\bno\b[^.;]*\bahora\b(?<!partir de ahora)"
    ),
    lasting=any_of(
        r"(?:a partir de ahora|de ahora en adelante|en adelante|en el futuro|\bsiempre\b|\bnunca\b|\bcada vez\b"
        r"|bajo ning[uú]n)"
    ),
    release=any_of(
        r"\bpuedes volver a\b|\bya (?:puedes|se puede|está permitido|podéis)\b|\b(?:puedes"
        r"|podéis)\b.*\b(?:ahora|de nuevo|otra vez)\b|\bahora (?:sí )?(?:puedes|podéis|se puede)\b",
        r"\b(?:olvida|olvídate|ignora)\b.*\b(?:regla|norma|restricción|prohibición|lo que dije)\b",
        r"\bya no (?:hace falta|es necesario|tienes que|necesitas|está prohibido|se aplica|debes)\b",
        r"\bvuelven? a estar permitid|\b(?:de nuevo|otra vez|ahora) permitid|\bprohibición\b.*\blevantada\b",
    ),
    consent=any_of(
        r"^(?:ok|okay|sí|vale|bien|bueno|de acuerdo|está bien)[,.!:]? (?:entonces )?(?:puedes|podéis)\b"
    ),
    instead=any_of(r"^(?:usa|utiliza|emplea|prefiere|escribe)\b"),
    language=any_of(
        rf"\b(?:responde|contesta|habla|escribe todo|continúa)\b[^.;]*\ben {_LANGUAGE}\b",
        r"\b(?:comentarios?|mensajes?|commits?|documentación|nombres|textos|respuestas"
        rf"|todo)\b[^.;]*\ben {_LANGUAGE}\b",
    ),
    output=any_of(
        r"\b(?:mantén|mantener|limita|haz)\b[^.;]*\b(?:tus|las) respuestas\b|\bresponde (?:solo|sólo|únicamente"
        r"|siempre|brevemente|con|sin)\b|\bsé (?:más )?(?:breve|conciso|claro|directo|sincero|honesto"
        r"|preciso)\b|\btrátame\b|\btutéame\b",
        r"\bda siempre\b|\bsin explicaci(?:ón|ones)\b|\btus respuestas\b[^.;]*\bdeben\b",
    ),
    prohibition=any_of(
        rf"{_AT}no (?!{_STATE})\w+(?:s|n)\b",
        rf"{_AT}nunca \w",
        r"\bno (?:debes?|deben|debéis|se debe|se puede|se permite|está permitido)\b"
        r"|\bbajo ning[uú]n (?:concepto|caso)\b|\ben ning[uú]n caso\b",
        rf"{_AT}nada de \w|\b(?:está|queda) (?:totalmente )?prohibido\b|\bprohibido\b|{_AT}evit(?:a|ar|e|en)\b"
        rf"|{_AT}deja de \w+r(?:te|se|me|lo)?\b",
        r"^(?:ningun[oa]?|ningún|nada|nadie)\b[^?]*\b(?:debe|puede|tiene que|ha de|deben|pueden)\b|\bsin mi\b"
        r"|\bni hablar\b",
        r"\bten cuidado de no\b|\bni se te ocurra\b|\b(?:nunca|jamás) \w+(?:amos|emos|imos)\b"
        r"|\bsin (?:preguntar|avisar|consultar)",
        r"\bno quiero\b|\bdeja\b[^.;]*\b(?:en paz|como está|intact)|\bsin (?:modificar|cambiar|tocar|romper"
        r"|añadir)\b",
    ),
    obligation=any_of(
        rf"{_NOT_TOLD}[^?]*\bsiempre\b",
        r"(?:a partir de ahora|de ahora en adelante|\ben adelante\b|en el futuro,)",
        r"^(?:todos|todas|cada|todo|toda|tu|tus|nuestr\w+)\b[^?]*\b(?:deben?|debería|deberán?|tienen? que"
        r"|necesitan?)\b",
        rf"{_AT}(?:asegúrate|asegurate|asegúrese|procura|recuerda siempre|recuerda que debes|cuida)\b|\bhay que\b",
        rf"{_NOT_TOLD}[^?]*\b(?:antes de cada|después de cada|cada vez que)\b",
        r"\b(?:quiero|necesito|espero) que (?:cada|todos|todas|siempre|todo)\b|\btienen? que (?:seguir|quedar"
        r"|ser|estar|mantener)|\bes (?:\w+ )?(?:importante|esencial|imprescindible|obligatorio)\b",
        r"\b(?:pregúntame|consúltame|avísame)\b[^.;?]*\bantes\b|^antes de\b[^?]*\b(?:pregúntame|consulta"
        r"|avísame|comprueba)",
        rf"{_NOT_TOLD}(?:usa|utiliza|trabaja|escribe|emplea)\b[^?]*\b(?:solo|sólo|solamente|en todo)\b"
        r"|\b(?:deben?|debería) (?:seguir|permanecer|quedar)\b",
        r"\b(?:limítate|cíñete|respeta|sigue (?:las|los|la|el|nuestr))\b|\bobligatori[oa]s?\b|\bcomo (?:máximo"
        r"|mucho)\b|^(?:cada|todos|todas)\b[^?]*\btienen? que\b",
        rf"{_NOT_TOLD}[^?]*\ben (?:vez|lugar) de\b",
        r"\b(?:tienes que|debes) siempre\b|\bdebes\b",
        rf"{_NOT_TOLD}[^?]*\b(?:únicamente|exclusivamente)\b",
    ),
    preference=any_of(
        r"\b(?:me gustaría|quisiera) que (?:tus|las|los|todas|todos|cada|siempre)\b|\b(?:prefiero|preferiría"
        r"|preferimos)\b|\bme gustan? más\b|\bme gustaría más\b",
        r"\b(?:usamos|utilizamos|trabajamos con)\b[^.;?]*(?:, no\b|\baquí\b|\ben vez de\b|\ben lugar de\b)"
        r"|^aquí (?:usamos|utilizamos|se usa)\b",
    ),
    empty=words_of(
        "el la los las un una unos unas de del y o no nunca siempre que en con por para a al se tu tus te me mi "
        "mis su sus lo es son está están puedes ya ahora favor nada nuevo nueva nuevos nuevas partir debe deben "
        "debes hay cada todos todas regla olvida falta hace permitidas vuelven estar prefiero sin antes bajo "
        "ningún concepto preguntes pregúntame más"
    ),
)
