"""Every cue of Spanish, put together."""

from steno.core.words import words_of
from steno.facts.languages.cues import (
    DecisionCues,
    DoubtCues,
    LanguageCues,
    MemoryCues,
    OrderCues,
    ReportCues,
    RequestCues,
    StemmedCue,
    StepCues,
    TextCues,
    TodoCues,
    TopicCues,
    TraitCues,
    any_of,
    pattern,
)
from steno.facts.languages.es.changes import AMENDS, CHANGES
from steno.facts.languages.es.relays import RELAYS
from steno.facts.languages.es.rules import LANGUAGE, RULES
from steno.facts.languages.phrases import Phrases

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
    rules=RULES,
    changes=CHANGES,
    relays=RELAYS,
    amends=AMENDS,
    small_words=words_of(
        "el la los las un una de del es y no que en con por para se sin más ya lo al su pero como "
        "este esta hay ser ha han fue está son sus le les porque o si"
    ),
    topics=TopicCues(
        code="documentación",
        length="breve|corto|largo",
        answers="respuesta|responde",
        languages=LANGUAGE,
    ),
    text=TextCues(
        chat=((r"porfa|porfis|xfa", "por favor"), (r"tmb|tb", "también"), (r"xq|pq", "porque")),
        shouted="nunca|siempre|jamás|no",
        abbreviations=r"p\. ?ej|ee\. ?uu|sr|sra|ud|uds|pág|núm",
        documents="salida|mensaje|texto|correo|documento|artículo|borrador|resumen|informe"
        "|comentarios?",
        logs="salida",
    ),
    todos=TodoCues(finished="hecho|completado", unfinished="pendiente|en curso"),
    requests=RequestCues(
        denies="no|mal|espera|por qué|deshaz",
        complains=r"\b(?:sigue|siguen) (?:sin|fallando|igual|el|la|dando)\b|\b(?:todavía"
        r"|aún) (?:no|falla)\b|\bno (?:funciona|va|sirve)\b|\bmismo error\b"
        r"|\bno es lo que (?:pedí|te pedí)\b"
        r"|\bno (?:veo|encuentro)\b|\b(?:está|están) rot[oa]s?\b|\bfalla(?:n|ron)?\b|\bfalló\b",
        asks=r"\b(?:puedes|podrías|por favor|quiero|quisiera|necesito|hay que|vamos a"
        r"|me gustaría)\b",
        verbs="añade|agrega|crea|arregla|muestra|escribe|revisa|explica|borra|cambia",
        go="sí|si|claro|dale|adelante|vale|de acuerdo|hazlo|sigue",
        go_then="pero",
        nod="vale|claro|de acuerdo",
        off=any_of(
            "olvídalo|olvida eso|déjalo|ya no hace falta|eso es todo",
            r"(?:para|detente|basta)(?!-\w)",
        ),
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
            stems="prefiero|mejor", phrases=r"\bprefiero\b|\bmejor (?:usa|usamos|usar)\b"
        ),
        with_reason=StemmedCue(
            stems="porque|ya que|dado que|para |debido|en lugar|en vez",
            phrases=r"\b(?:voy a usar|uso|elegí) ",
        ),
        reason=r"\b(?:porque|ya que|dado que|para (?:evitar|que)|debido a)\b",
        instead=r"\b(?:en lugar de|en vez de)\b",
        undecided_after="si",
        causes=StemmedCue(
            stems="causa|porque|se debe|se debía|motivo",
            phrases=any_of(
                r"\b(?:la causa|el motivo)\b[^.?]{0,60}? (?:es|era|fue)\b|\bcausa:",
                r"\b(?:error|problema|fallo)\b[^.?]{0,40}? se deb(?:e|ía) a\b",
                r"\b(?:falla\w*|falló|fallaba)\b[^.?]{0,60}?\bporque\b",
            ),
        ),
        options=r"\b(?:opción|variante|alternativa|número)",
        concluding=Phrases(
            r"\b(?:porque|por eso|así que|en lugar|en vez|causa|razón|el problema|conclusión)\b",
            r"\b(?:recomiendo|propongo|sugiero|decidido|decisión|opción|elegido)\b",
            r"\b(?:debe\w*|hay que|nunca|siempre|solo|elimin\w+|reemplaz\w+|corregi\w+)\b",
        ),
    ),
    steps=StepCues(
        done=any_of(
            r"(?:(?:perfecto|genial|vale|bien|sí)[!,. ]+)?(?:ya está |todo )?(?:list[oa]|hech[oa]"
            r"|terminad[oa]|arreglad[oa]|corregid[oa]|añadid[oa]|agregad[oa]|implementad[oa]"
            r"|actualizad[oa]|eliminad[oa]|resuelt[oa]|subid[oa]|completad[oa])s?\b",
            r"tod[oa]s l[oa]s (?:[\w-]+ ){0,5}(?:pasan|hech[oa]s|list[oa]s|en verde|aplicad[oa]s"
            r"|completad[oa]s)\b",
            r"(?:ya )?(?:he (?:corregido|añadido|agregado|arreglado|implementado|actualizado|creado"
            r"|eliminado|subido|terminado|cambiado|movido)|(?:añadí|agregué|arreglé|corregí"
            r"|implementé|actualicé|creé|eliminé|cambié|moví|terminé))(?!\w)",
        ),
        undone=r"\b(?:todavía|aún) no\b|\bno (?:pude|he podido|se pudo|he probado|funciona)\b"
        r"|\bfall[ae]\w*|\bfalló\b|\bparcial\w*|\bfaltan?\b|\bquedan?\b|\bpendientes?\b|\bsin "
        r"embargo\b|\bsalvo\b|\bexcepto\b|\btendrás que\b|\btienes que\b|\b[1-9]\d* errores\b",
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
        doing=r"(?:(?:ahora|primero|luego|bien)[,.!]? )*(?:voy a|déjame|veamos|necesito)\b",
        looking=r"\b(?:ver|veamos|revisar|mirar|leer|buscar|comprobar|probar|ejecutar|abrir)\b",
        promised=StemmedCue(
            stems="a partir de ahora|de ahora en adelante|en adelante|no volveré|nunca",
            phrases=r"\b(?:a partir de ahora|(?:de ahora )?en adelante),? (?:no )?\w+ré\b"
            r"|\bno volveré a\b|\bnunca (?:más )?\w+ré\b",
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
        life=any_of(
            r"(?:no )?me (?:gusta|encanta)n?\b(?! (?:la idea|tu|eso|esa|esto))|odio \w+",
            r"(?:siempre|normalmente|a menudo|rara vez|nunca) \w{2,}o\b|suelo \w+r\b",
            r"soy (?:vegetarian|vegan|alérgic|estudiante|profesor|enfermer|médic|ingenier|jubilad)",
            r"estoy (?:casad|embarazad|aprendiendo|estudiando|ahorrando para|preparándome para)",
            r"tengo (?:\d+ años|(?:una?|dos|tres) (?:perr|gat|hij|herman|coche|casa))",
            r"(?:mis?|nuestr[oa]s?) (?:espos|marido|mujer|hij|madre|padre|herman|perr|gat|amig|jef"
            r"|vecin|abuel)\w* (?:\w+ )?(?:es|está|tiene|se llama|fue|era|trabaja|vive|cumple)\b",
            r"uso (?-i:[A-Z])\w+",
            r"(?:voy|me levanto|me acuesto|corro|nado|trabajo|entreno|desayuno|ceno)\b(?=.*\b(?:"
            r"todos los|todas las|cada|los (?:lunes|martes|miércoles|jueves|viernes|sábados"
            r"|domingos))\b)",
            "no (?:bebo|fumo|conduzco)|no como (?:carne|pescado|gluten|azúcar|lácteos|cerdo|pan"
            "|queso|huevos|mariscos)",
            r"(?:gano|pago|peso|ahorro|gasto)\b(?=.*\d)",
            r"mi (?:espos[oa]|marido|mujer|hij[oa]|madre|padre|herman[oa]|perr[oa]|gat[oa]|amig[oa]"
            r"|jef[ea]|vecin[oa]),? (?-i:[A-ZÁÉÍÓÚ][a-záéíóúñ]+)\b",
        ),
        tools="uso",
        taste="(?:no )?me (?:gusta|encanta)|odio",
        events=r"(?:compré|fui|viajé|adopté|empecé|terminé|gané|perdí|corrí|conocí|visité|me mudé"
        r"|vendí|regalé|pagué|aprendí|leí|participé|asistí|celebré|he \w+[ai]do)\b",
        when=r"\b(?:ayer|anteayer|anoche|recientemente|\w+ pasad[oa]|hace \w+ \w+|desde \w+"
        r"|\d+ veces|cada \w+|todos los \w+|en (?:enero|febrero|marzo|abril|mayo|junio|julio"
        r"|agosto|septiembre|octubre|noviembre|diciembre))\b",
        asks="¿",
        reasons=r"\b(?:porque|ya que|puesto que)\b",
        never_after=("si", "cuando"),
        work="archivos?|funci(?:ón|ones)|servidor|errores",
    ),
    memory=MemoryCues(
        task_bound=r"\b(?:este|esta|estos|hoy|por ahora)\b", stands_here=r"\baquí\b", purpose="para"
    ),
    reports=ReportCues(speech=words_of("usuario quiere quería decidió pidió")),
)
