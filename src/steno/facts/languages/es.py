"""Cues in Spanish."""

from steno.facts.languages.cues import (
    DecisionCues,
    DoubtCues,
    LanguageCues,
    MemoryCues,
    OrderCues,
    ReportCues,
    RequestCues,
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
_LANGUAGE = r"(?:español|inglés|francés|alemán|chino|italiano|castellano)"

_RULES = RuleCues(
    asks=pattern(
        r"¿|(?:^|[,;:–—-]\s*)(?:puedes|podrías|por qué|cómo|qué|cuál|dónde|cuándo|debo)\b"
    ),
    idle=pattern(
        r"\bno (?:pasa nada|te preocupes|importa)\b|\bnunca (?:he|ha|has|hemos|han)\b"
        r"|\bdebe (?:de )?ser (?:un|una)\b|\bsiempre \w+o\b(?<!debo)"
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
    consent=pattern(
        r"^(?:ok|okay|sí|vale|bien|bueno|de acuerdo|está bien)[,.!:]? (?:entonces )?(?:puedes"
        r"|podéis)\b"
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
        r"\b(?:me gustaría|quisiera) que (?:tus|las|los|todas|todos|cada|siempre)\b|\b(?:prefiero"
        r"|preferiría|preferimos)\b|\bme gustan? más\b|\bme gustaría más\b",
        r"\b(?:usamos|utilizamos|trabajamos con)\b[^.;?]*(?:, no\b|\baquí\b|\ben vez de\b"
        r"|\ben lugar de\b)|^aquí (?:usamos|utilizamos|se usa)\b",
    ),
    corrects="en realidad|pensándolo mejor|mejor|más bien|corrección",
    corrects_after="no|ok",
    adds=r"también\b",
    joins="y ",
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
        documents="salida|mensaje|texto|correo|documento|artículo|borrador|resumen|informe|comentarios?",
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
