"""Cues in German."""

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

_SUBJECT = (
    r"(?:ich|er|sie|es|wir|ihr|man|der|die|das|den|dem|ein|eine|einer|mein\w*|sein\w*|ihre?"
    r"|unser\w*|dies\w*|was|wie|warum|wieso|wer|wo|da|dann|hier|noch|schon|leider|gestern|heute"
    "|nein|ja|kein problem|keine ahnung)"
)
_IMPERATIVE = rf"^(?:bitte |also |und |aber )*(?!{_SUBJECT}\b)"
_NOT = r"(?:nicht|nichts|nie|niemals|kein(?:e|en|em|er|es)?|keinesfalls|keinerlei)"
_LANGUAGE = r"(?:deutsch|englisch|französisch|spanisch|chinesisch|italienisch)"

_RULES = RuleCues(
    asks=pattern(
        r"(?:^|[,;:–—-]\s*)(?:kannst|könntest|kann|soll|sollten|sollte|muss|müssen|was|wie|warum"
        r"|wieso|welche|wo|wer|ist|hast|darf)\b"
    ),
    idle=pattern(
        r"\beigentlich\b[^.;]*\bnicht\b|\bnicht schlecht\b|\bnicht,? dass\b|\bglaube? nicht\b",
        r"\bkein (?:problem|ding)\b|\bkeine (?:ahnung|sorge|eile)\b|\bnoch nie\b|\bimmer noch\b",
        r"\b(?:das|es|er|sie) muss (?:ein|eine|wohl|am)\b",
    ),
    reported=Phrases(
        r"\b(?:er|sie|chef|kunde|doku|readme) (?:sagt|sagte|meint|meinte|schreibt|schrieb)\b"
        r"|\bsteht\b.*:|\blaut\b"
    ),
    once=Phrases(
        r"\b(?:noch (?:nicht|nichts|kein\w*)|erst ?mal|erstmal|vorerst|diesmal|gerade nicht"
        r"|im moment|jetzt nicht|nicht jetzt)\b"
    ),
    lasting=Phrases(
        r"\b(?:ab (?:jetzt|sofort|nun|heute)|von nun an|künftig|in zukunft|zukünftig|immer|niemals"
        r"|nie|stets|grundsätzlich|jedes ?mal)\b"
    ),
    release=Phrases(
        r"\b(?:du|ihr|wir) (?:darfst|dürft|dürfen|kannst|könnt)\b.*\b(?:jetzt|wieder|nun|doch"
        r"|ab (?:jetzt|sofort))\b",
        r"\bvergiss\b.*\b(?:regel|vorgabe|verbot|anweisung|gesagt)",
        r"\b(?:ignorier\w*|streich\w*)\b.*\b(?:regel|vorgabe|verbot|anweisung)",
        r"\b(?:musst|brauchst|müssen|müsst)\b.*\bnicht mehr\b|\bnicht mehr (?:nötig|notwendig"
        r"|erforderlich|verboten)\b",
        r"\b(?:wieder|jetzt|nun) (?:erlaubt|gestattet|in ordnung|ok)\b|\bgilt nicht mehr\b"
        r"|\b(?:verbot|regel|sperre)\b.*\b(?:aufgehoben|vorbei|hinfällig)\b",
    ),
    consent=pattern(
        r"^(?:ok|okay|ja|gut|na gut|klar|schön|in ordnung|einverstanden)[,.!:]? "
        r"(?:dann )?(?:du|ihr|wir)? ?(?:darfst|dürft|kannst|könnt)\b"
    ),
    instead=pattern(r"^(?:bitte )?(?:nimm|benutze?|verwende|nutze?|schreib\w*)\b"),
    language=Phrases(
        r"\b(?:antworte\w*|schreib\w*|sprich|rede|erklär\w*)\b[^.;]*\b(?:auf"
        rf"|in) {_LANGUAGE}\b(?!.*\bbrief\b)",
        r"\b(?:kommentare?|commit\S*|nachrichten|doku\w*|namen|texte|antworten"
        rf"|alles)\b[^.;]*\b(?:auf|in) {_LANGUAGE}\b",
    ),
    output=Phrases(
        r"\bantworte\w* (?:\w+ )?(?:nur|kurz|knapp|ausschließlich|immer|mit|ohne|in)\b"
        r"|\bhalte? (?:dich"
        r"|deine antworten|die antworten)\b|\bfasse? dich\b[^.;]*\b(?:kurz|kürzer|knapp)",
        r"^(?:bitte )?sei (?!so\b|nicht\b|vorsichtig)(?:bitte |immer )?\w+",
        r"\bgib\b[^.;]*\b(?:immer|stets)\b[^.;]*\b(?:aus|an)\b|\bohne erklärung\w*\b|\b(?:duze?"
        r"|sieze?)\b mich|\bdeine antworten\b[^.;]*\b(?:sollen|müssen|sollten)\b",
    ),
    prohibition=Phrases(
        rf"{_IMPERATIVE}[^?]*\b{_NOT}\b",
        r"\b(?:darf|darfst|dürfen|soll|sollst|sollen|sollte)\b[^.;?]*\b(?:nicht|nie|niemals"
        r"|kein\w*)\b",
        r"\bauf keinen fall\b|\bunter keinen umständen\b|\b(?:verboten|untersagt|tabu)\b"
        r"|\b(?:finger|hände) weg\b|\bin ruhe\b|^(?:bitte )?vermeide\b|\bhör auf\b",
        r"\bverzichte\w* auf\b|\bkommt nicht in ?frage\b|\bohne meine?n?\b|\b(?:gehör\w+|komm\w+"
        r"|landen|landet)\b[^.;?]*\b(?:nie|niemals|nicht|kein\w*)\b",
        r"\bich (?:möchte|will|wünsche)\b[^.;?]*\bkein\w*\b",
        r", (?:nie|niemals|nicht) \w+[.!]?$",
        r"\bwir\b[^.;?]*\b(?:nie|niemals)\b[^.;?]*",
        r"\bohne\b[^.;?]* zu (?:ändern|verändern|berühren|brechen|löschen)\b",
    ),
    obligation=Phrases(
        rf"{_IMPERATIVE}[^?]*\b(?:immer|stets|jedes ?mal|grundsätzlich)\b",
        r"\b(?:ab (?:jetzt|sofort|nun)|von nun an|künftig|in zukunft|zukünftig)\b",
        r"^(?:dein\w*|alles|unser\w*)\b[^?]*\b(?:müssen|muss|sollen|soll|sollten|sollte)\b",
        r"^(?:alle|jede[rs]?|sämtliche)\b[^?]*\b(?:müssen|muss|sollen|soll|brauchen|braucht"
        r"|sollten)\b",
        r"\b(?:stell\w* (?:immer )?sicher|achte darauf|sorge? dafür|denk\w* (?:daran|dran)"
        r"|vergiss nicht)\b",
        rf"{_IMPERATIVE}[^?]*\b(?:vor jede[mr]|bevor du|nach jede[mr]|in jede[mr]|bei jede[mr])\b"
        r"|\bimmer,? wenn du\b|\bimmer wenn\b|\bsobald du\b",
        r"\bfrag\w* (?:mich|uns|vorher|erst)\b|\b(?:mir|uns) ist (?:\w+ )?wichtig\b"
        r"|\bes ist (?:\w+ )?(?:wichtig|entscheidend|zwingend|nötig)\b",
        r"\bich (?:will|möchte|erwarte),? dass (?:jede\w*|alle|du|immer|ihr|sämtliche)\b"
        r"|\b(?:dürfen|darf) nur\b|\b(?:muss|müssen|soll|sollen)\b[^.;?]*\bbleiben\b",
        rf"{_IMPERATIVE}[^?]*\b(?:durchgehend|überall|konsequent|vorher)\b",
        r"\b(?:beschränke? dich|halte? dich an|richte dich nach|bleib\w* bei|nimm immer)\b"
        r"|\b(?:pflicht|vorgeschrieben|zwingend|verpflichtend|obligatorisch)\b",
        rf"{_IMPERATIVE}[^?]*\b(?:höchstens|maximal|mindestens|statt)\b|\b(?:du musst|ihr müsst"
        r"|muss (?:immer|stets|unbedingt))\b",
        rf"{_IMPERATIVE}[^?]*\b(?:nur noch|ausschließlich)\b",
    ),
    preference=Phrases(
        r"\bich hätte gerne?\b[^.;?]*\b(?:antwort|immer|alle|jede)|\bich (?:bevorzuge"
        r"|hätte (?:lieber|gerne? immer)|mag lieber|würde lieber|ziehe)\b|\bmir (?:ist|sind|wäre"
        r"|wären)\b[^.;?]*\blieber\b|\bam liebsten\b",
        r"\bwir (?:verwenden|benutzen|nutzen|arbeiten)\b[^.;?]*\b(?:hier|statt|nicht|kein\w*"
        r"|nur)\b",
    ),
    corrects="eigentlich|doch lieber|doch|stattdessen|korrektur|anders",
    corrects_after="nein|ok",
    adds=r"(?:auch|noch)\b",
    joins="und ",
)

GERMAN = LanguageCues(
    name="German",
    words=pattern(
        r"\b(?:der|die|das|den|dem|des|ein|eine|einen|ist|nicht|und|bitte|du|ich|wir|auf|im|mit|zu"
        r"|zum|kein\w*|immer|nie|niemals|jede\w*|alle|ab|deine?|mir|mich|ohne|bevor|vor|wenn|fasse?"
        r"|frage?|nutze|verwende|schreib\w*|benutze|finger|dich|dass|sind|aus|nur|halte|antworte"
        r"|lieber)\b|[äöüß]"
    ),
    empty=words_of(
        "der die das den dem des ein eine einen einem einer und oder nicht nichts nie niemals kein "
        "keine keinen keiner immer stets bitte du ich wir mir mich dir auf an im in mit zu zum zur "
        "von vor ab jetzt sofort nun wieder darfst darf dürfen muss musst müssen soll sollst "
        "sollen kannst kann ist sind erlaubt verboten regel vergiss mehr neue neuen neuer alle "
        "jede jeden jedem jeder lass ruhe wenn dass deine deinen sich hier statt lieber bevorzuge "
        "fragst frage fragen bevor"
    ),
    statements=Phrases(
        r"\b(?:bevorzug\w+|lieber|möchte[nst]?|will|wollen|muss|müssen|nie|niemals|immer|nur"
        r"|nicht mehr als|höchstens|ab jetzt|statt)\b",
        r"\b(?:budget|frist|stichtag|bis zum|obergrenze|freigabe|zuständig|verantwortlich"
        r"|nächster schritt|offene frage|wartet auf|blockiert|derzeit)\b",
    ),
    rules=_RULES,
    capitalizes_nouns=True,
    small_words=words_of(
        "der die das den dem des ein eine einen einem einer ist nicht und du ich wir auf im mit zu "
        "zum zur kein keine wenn dass sind aus nur von für wird wurde wurden auch noch es er sie "
        "war hat haben bei nach über vor"
    ),
    topics=TopicCues(
        code="kommentar|dokumentation",
        length="kurz|knapp|ausführlich",
        answers="antwort|dich",
    ),
    text=TextCues(
        abbreviations=r"z\. ?B|d\. ?h|u\. ?a|o\. ?ä|bzw|ca|nr|usw|ggf|evtl|inkl|zzgl|str",
        documents=any_of(
            "fehler(?:meldung)?|ausgabe|nachricht|dokument|artikel|rückmeldung|bericht|entwurf",
            "zusammenfassung|mail",
        ),
        logs="fehler|ausgabe",
    ),
    todos=TodoCues(finished="erledigt|fertig", unfinished="offen|in arbeit"),
    requests=RequestCues(
        asks=r"\b(?:bitte|kannst du|können (?:sie|wir)|könntest du"
        r"|ich (?:möchte|will|brauche|hätte gern)|lass uns|wir sollten)\b",
        verbs="mach|zeig|schreib|erstelle|füge|ändere|prüfe|behebe|lösche|erkläre|nutze",
        go="ja(?: bitte| gerne)?|klar|gerne|mach (?:das|weiter)|weiter|genau|passt",
        go_then="bitte|aber",
        nod="genau|passt",
        off=any_of(
            "vergiss es|vergiss das|hat sich erledigt|schon gut|nicht mehr nötig",
            "lass (?:es|gut sein)",
        ),
        off_after="ach|nein",
        off_then="und",
        thanks="danke(?: dir| schön)?|vielen|viel|toll|prima|fertig",
        thanking="danke|fertig",
    ),
    doubts=DoubtCues(
        correction=StemmedCue(
            stems="falsch|geirrt|fehler|recht|übersehen|vergessen|vertan",
            phrases=r"\b(?:ich (?:lag falsch|habe mich (?:da )?(?:geirrt|vertan)|hatte unrecht"
            r"|habe (?:\w+ )?(?:übersehen|vergessen))|mein fehler|du hast recht"
            r"|sie haben recht)\b",
        ),
        reconsideration=StemmedCue(
            stems="betrachtung|überlegt|andererseits|moment|doch nicht|warte|eigentlich",
            phrases=r"\bbei näherer betrachtung\b|\bnochmal überlegt\b",
            openings="(?:moment(?: mal)?|warte(?: mal)?|eigentlich|doch nicht)(?=[,.!…—–])",
        ),
        uncertainty=StemmedCue(
            stems="sicher|unklar|weiß nicht|keine ahnung",
            phrases=r"\b(?:ich bin (?:mir )?(?:nicht (?:ganz )?|un)sicher|unklar ist"
            r"|ich weiß nicht|keine ahnung)\b",
        ),
        verification=StemmedCue(
            stems="prüf|sicherheit|verif",
            phrases=r"\b(?:lass mich (?:\w+ ){0,2}(?:überprüfen|nachprüfen|verifizieren)"
            r"|ich (?:prüfe|überprüfe) (?:das )?(?:nochmals?|noch einmal)|zur sicherheit"
            r"|sicherheitshalber)\b",
        ),
        hedge=StemmedCue(
            stems=any_of(
                "glaube|denke|vermut|nehme an|wahrscheinlich|vielleicht|möglicherweise|scheint",
                "anscheinend|könnte",
            ),
            phrases=r"\b(?:ich (?:glaube|denke|vermute|nehme an)|vermutlich|wahrscheinlich"
            r"|vielleicht|möglicherweise|es scheint|anscheinend"
            r"|könnte (?:sein|daran liegen))\b",
        ),
    ),
    decisions=DecisionCues(
        firm=StemmedCue(
            stems=any_of(
                "wir haben uns|habe mich|entsch|wir nehmen|wir verwenden|wir nutzen|wir bleiben",
                "wir setzen",
            ),
            phrases=r"\b(?:wir haben uns (?:für|gegen|dazu|darauf)"
            r"|ich habe mich (?:für|gegen|dazu)|entschieden|entscheidung: "
            r"|wir (?:nehmen|verwenden|nutzen|bleiben bei|setzen auf)\b)",
        ),
        of_a_person=StemmedCue(
            stems="ich würde|lass uns|wir sollten",
            phrases=r"\b(?:ich würde|lass uns|wir sollten) .{0,40}"
            r"(?:nehmen|verwenden|lassen|bleiben|nutzen)\b",
        ),
        with_reason=StemmedCue(
            stems="weil|da |denn|damit|wegen|statt|anstelle|anstatt",
            phrases=r"\bich (?:nehme|verwende|nutze|lasse) ",
        ),
        reason=r"\b(?:weil|da (?:es|wir|das|die|der|sie)|denn|damit|wegen)\b",
        instead=r"\b(?:statt|anstelle|anstatt)\b",
        undecided_after="wenn|falls|ob",
    ),
    steps=StepCues(
        heading=StemmedCue(
            stems="nächst|noch |offene|verbleib",
            phrases="nächste schritte|als nächstes|noch (?:offen|zu tun)|offene punkte|verbleibend",
        ),
        copulas="ist|sind",
        announced=StemmedCue(
            stems="als nächstes|danach|noch",
            phrases=r"\b(?:als nächstes (?:werde|mache|schaue|kümmere) ich|danach werde ich"
            r"|(?:ich|wir) (?:muss|müssen) noch)",
        ),
    ),
    orders=OrderCues(
        orders=any_of(
            r"\b(?:ignorier\w*|missachte\w*|vergiss|vergesst)\b"
            r" (?:alle|die|deine|jede|das|vorherige)",
            r"\b(?:du|ihr) (?:musst|müsst|sollst|sollt|darfst|dürft)\b",
            r"\b(?:der assistent|der agent|das modell) (?:muss|soll|darf)\b",
            r"^(?:immer|nie|niemals|ab jetzt|ab sofort|bitte)\b",
            r"\bes (?:ist|wird) (?:erforderlich|nötig|notwendig|zwingend|verlangt)\b",
            r"\b(?:ist|sind) (?:sofort )?zu \w+en\b",
        ),
        for_a_person=r"\b(?:nutzer|benutzer|anwender|kunde|nutzerin|benutzerin)\b",
        verbs=r"(?:führe?|lösche?|sende?|schicke?|entferne?|installiere|starte|öffne|schreibe?"
        r"|kopiere|lade|überweise?|ändere|ignoriere|deaktiviere|beende|verwende|benutze|gib|nimm"
        r"|rufe?|setze?|stelle?|leite|veröffentliche|überschreibe)\b",
        verbs_after="dann|jetzt|sofort",
    ),
    traits=TraitCues(
        clause_after="und",
        name=r"\b(?:mein name ist|ich hei(?:ß|ss)e|nenn mich)\b",
        self="ich (?:arbeite (?:bei|als|in|an|mit)|wohne in|lebe in|komme aus)",
        self_place="arbeit|wohn|leb",
        owners=r"mein\w{0,2}|unser\w{0,2}",
        is_words="ist",
        states="ist|sind|läuft auf|liegt in|heißt",
        passing="nicht|noch|kaputt",
        passing_things=words_of("frage problem fehler ziel idee"),
        use=any_of(
            "wir (?:nutzen|verwenden|benutzen|deployen|setzen auf|arbeiten mit)",
            "das projekt (?:nutzt|verwendet|läuft auf)",
        ),
        remember=any_of(
            "merk(?:e)? dir[:,]?(?: dass)?|denk daran,? dass|vergiss nicht,? dass|behalte,? dass",
        ),
        remember_after="bitte",
        forget=any_of(
            "vergiss,?(?: dass| was)(?! nicht)|wir (?:nutzen|verwenden)(?=.*nicht mehr)",
        ),
        forget_after="bitte",
        unsure_after="wenn|falls|ob",
        unsure="gerade",
        copula=r"\s(?:ist|sind|steht|liegt)\s",
        purpose="für|als",
    ),
    memory=MemoryCues(
        task_bound=r"\b(?:diese[rnms]?|heute|vorerst|diesmal)\b",
        stands_here=r"\bhier\b",
        purpose="für",
    ),
    reports=ReportCues(
        speech=words_of("nutzer benutzer möchte will wollte entschieden beschlossen"),
    ),
)
