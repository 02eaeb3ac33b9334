"""Cues in German."""

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

_SUBJECT = (
    r"(?:ich|er|sie|es|wir|ihr|man|der|die|das|den|dem|ein|eine|einer|mein\w*|sein\w*|ihre?"
    r"|unser\w*|dies\w*|was|wie|warum|wieso|wer|wo|da|dann|hier|noch|schon|leider|gestern|heute"
    "|nein|ja|kein problem|keine ahnung)"
)
_IMPERATIVE = rf"^(?:bitte |also |und |aber )*(?!{_SUBJECT}\b)"
_NOT = r"(?:nicht|nichts|nie|niemals|kein(?:e|en|em|er|es)?|keinesfalls|keinerlei)"
_LANGUAGE = (
    r"(?:deutsch|englisch|französisch|spanisch|chinesisch|italienisch|portugiesisch|niederländisch"
    r"|polnisch|russisch|japanisch|türkisch)"
)
_NUMBER = (
    r"(?:\d[\d.,]*|ein(?:e[nrms]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig"
    r"|hundert)"
)

_RULES = RuleCues(
    asks=pattern(
        r"(?:^|[,;:–—-]\s*)(?:kannst|könntest|kann|soll|sollten|sollte|muss|müssen|was|wie|warum"
        r"|wieso|welche|wo|wer|ist|hast|darf)\b"
    ),
    idle=Phrases(
        r"\bnichts dagegen\b|\bnichts einzuwenden\b",
        r"\beigentlich\b[^.;]*\bnicht\b|\bnicht schlecht\b|(?<!möchte )(?<!will )\bnicht,? dass\b"
        r"|\bglaube? nicht\b",
        r"\bmach dir keine \w+|\bvergiss nicht\b|\bkeine (?:angst|umstände|fehler)\b",
        r"\bkein (?:problem|ding)\b|\bkeine (?:ahnung|sorge|eile)\b|\bnoch nie\b|\bimmer noch\b",
        r"\b(?:das|es|er|sie|dies) kann nur\b|\b(?:das|es|er|sie) muss (?:ein|eine|wohl|am|der|die"
        r"|das|an)\b",
    ),
    reported=Phrases(
        r"\b(?:er|sie|chef|kunde|doku|readme) (?:sagt|sagte|meint|meinte|schreibt|schrieb)\b"
        r"|\bsteht\b.*:|\blaut\b|, (?:sagt|sagte|meint|meinte|schreibt|heißt es)\b"
    ),
    once=Phrases(
        r"\b(?:noch (?:nicht|nichts|kein\w*)|erst ?mal|erstmal|vorerst|diesmal|gerade nicht"
        r"|im moment|jetzt nicht|nicht jetzt|bevor du (?:anfängst|loslegst|weitermachst"
        r"|startest))\b"
    ),
    lasting=Phrases(
        r"\b(?:ab (?:jetzt|sofort|nun|heute)|von nun an|künftig|in zukunft|zukünftig|immer|niemals"
        r"|nie|stets|grundsätzlich|jedes ?mal)\b"
    ),
    release=Phrases(
        r"\b(?:darfst|dürft|kannst|könnt) (?:du|ihr)\b.*\b(?:jetzt|wieder|nun|doch|ab (?:jetzt"
        r"|sofort))\b|\b(?:du|ihr|wir) (?:darfst|dürft|dürfen|kannst|könnt)\b.*\b(?:jetzt|wieder"
        r"|nun|doch|ab (?:jetzt|sofort))\b",
        r"\bvergiss\b.*\b(?:regel|vorgabe|verbot|anweisung|gesagt)",
        r"\b(?:ignorier\w*|streich\w*)\b.*\b(?:regel|vorgabe|verbot|anweisung)",
        r"\b(?:musst|brauchst|müssen|müsst)\b.*\bnicht mehr\b|\bnicht mehr (?:nötig|notwendig"
        r"|erforderlich|verboten)\b",
        r"\b(?:wieder|jetzt|nun) (?:erlaubt|gestattet|in ordnung|ok)\b|\bgilt nicht mehr\b"
        r"|\b(?:verbot|regel|sperre)\b.*\b(?:aufgehoben|vorbei|hinfällig)\b",
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
        r"^nur \w+(?: \w+)? (?:darf|dürfen|kann|können)\b|^(?!es\b|das\b|er\b|sie\b"
        r"|ich\b)[^,;?]{3,40}"
        r" (?:bleibt|bleiben) (?!stehen|hängen|aus\b|leer|weiß|schwarz|gleich)\w+",
        r"^(?:bitte )?(?:unterlass|spar dir|verkneif|stopp|hör auf|lass (?:es|das) (?:sein"
        r"|bleiben))"
        r"|^(?:bitte )?lass\w*\b[^.;?]*\b(?:wie (?:er|sie|es) (?:ist|sind)|unverändert|so|stehen"
        r"|unberührt|unangetastet)\b",
        r"\b(?:ist|sind) (?:hier )?(?:nicht|keinesfalls|nie) (?:gestattet|erlaubt|zulässig"
        r"|gewünscht"
        r"|gewollt|vorgesehen|verhandelbar|akzeptabel)\b|\bsteht fest\b|\bsteht nicht zur"
        r" (?:debatte|diskussion|disposition)\b|\bin stein gemeißelt\b|\bdaran wird nichts\b",
        r"\bmehr als [^?]* (?:darf|soll|sollte|dürfen|sollen)\b[^?]*\bnicht\b|\bsonst nirgend\w*"
        r"|\bund (?:sonst )?(?:nirgends|niemand|nichts)(?: sonst)?[.!]*$",
        r"\bich (?:verbiete|untersage)\b|^(?:absolut|strikt|definitiv) (?:kein\w*|nicht|nie"
        r"|nichts)\b"
        r"|\bich (?:will|möchte|dulde) (?:hier )?(?:nie|nichts|kein\w*|nicht)\b",
        r"\bgeht dich nichts an\b|\bist nicht deine sache\b|^niemand (?:außer|darf|fasst|merged)\b"
        r"|\bes darf kein\w*\b|\bsolange\b[^?]*\b(?:nur|kein\w*|nicht)\b",
        r"\bwir (?!haben|hatten|wissen|können|sind|sehen|brauchen|finden|verstehen|müssen|waren)\w+"
        r" (?:nie|niemals|kein\w*|nichts)\b",
        r"\b(?:darf|dürfen|kann|können)\b[^.;?]*\b(?:höchstens|maximal|nur|nicht mehr als)\b",
        r"^[^;?]{3,60} (?:bleibt|bleiben),? (?:wie (?:er|sie|es) (?:ist|sind)|unverändert|tabu)\b",
        r"\bes wird (?:nichts|nie|kein\w*)\b|\bwird nicht (?:gerüttelt|angerührt|angefasst|geändert"
        r"|gelöscht|diskutiert|verhandelt)\b|\bohne dass ich\b|\b(?:nichts|niemand|keiner) "
        r"(?:darf|verlässt|kommt|geht|wird|außer)\b",
        r"\bich (?:akzeptiere|dulde|erlaube|toleriere) (?:kein\w*|nicht)\b",
        r"^(?!ich\b|es\b|wir\b)[^,;?]{3,60} (?:ist|sind|bleibt|bleiben) (?:tabu|heilig|eingefroren"
        r"|unantastbar|fix|gesperrt|unverändert|verboten|aus|an|zu|so|wie (?:er|sie|es) (?:ist"
        r"|sind))"
        r"[.!]*$",
        r"\b(?:darfst|kannst) (?:alles|jede\w*|alle)\b[^.;?]*\b(?:außer|bis auf|nur nicht"
        r"|ausgenommen)\b|\balles (?:außer|bis auf)\b",
        r"\bje weniger\b[^.;?]*\bdesto\b|\b(?:bleib|halt dich|lass die finger) (?:weg )?(?:von"
        r"|aus|fern)\b|\bnichts als\b|\bohne\b[^.;?]*\bhinzuzufügen\b|\bohne (?:neue|externe"
        r"|fremde|weitere|zusätzliche) \w+",
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
        r"^im zweifel\b|^(?:wenn|falls|sobald) (?:etwas|du|ein\w*|jemand)\b[^,?]{3,60}, \w+",
        r"^(?:bitte )?(?:schreib|antwort|sprich|formulier|erklär|rede)\w*(?: mir)? (?:bitte "
        r")?(?:immer )?"
        r"(?!mir\b|den\b|die\b|das\b|ein\w*|dem\b|es\b|an\b|auf\b|zu\b)\w+(?:lich|isch|ig|los|klar"
        r"|kurz"
        r"|knapp|locker|einfach|sachlich)\w*[.!]*$",
        r"^(?:der|die|das|dein\w*) (?:ton|stil|sprache|text|bericht|antwort|titel|name|entwurf"
        r"|layout)"
        r"\w* (?:soll|sollte|muss|hat)\w*\b",
        r"^(?:zu|in|an|auf|für) jede[rnms]?\b[^?]* (?:gehört|gehören|kommt|braucht|steht)\b",
        r"^(?:bitte )?(?!zeig|gib mir|sag|schau|schick|kann|könnte|hat|hab|ist\b|sind|geht|fehlt"
        r"|war"
        r"|bleibt|gibt|läuft|wird|funktion|jetzt|dann|"
        rf"{_SUBJECT}\b)\w{{3,}} (?:\w+ )?(?:nur|ausschließlich|lediglich) \w",
        rf"^(?:bitte )?(?!{_SUBJECT}\b)\w+[^.;?]*\b(?:höchstens|maximal|mindestens|nicht mehr als"
        rf"|unter|bis zu|weniger als) {_NUMBER}\b(?=[^?]*$)(?<!gibt)",
        r"^(?:bitte )?(?:\w+)(?: mich| mir| dich)?(?: \w+){0,3},? (?:bevor|ehe|sobald|immer wenn) "
        r"du\b",
        r"\bbleib(?:t|en) (?:bestehen|erhalten|drin|dabei|unangetastet|stehen)\b|\b(?:brauchen"
        r"|braucht|"
        r"benötigen|benötigt) (?:immer |stets )?(?:ein\w*|mindestens|zwei|drei|tests"
        r"|dokumentation)\b"
        r"|\b(?:ist|sind) immer (?:in|auf|mit|zu)\b|\bich erwarte\b",
        r"^(?:bitte )?(?:verwende|benutze?|nutze?|nimm) (?:den |die |das )?(?:port|version|branch"
        r"|zweig"
        r"|modell)? ?[\w.+#-]+(?: statt [\w.+#-]+)?[.!]*$",
        r"^(?:für|bei|vor|nach|in|zu) jede[nrsm]?\b[^?]*\b\w+en[.!]*$",
        r"^[^?]*\b(?:immer|stets|nur|jede[nrsm]?)\b[^?]*\b(?:angeben|verwenden|nutzen|schreiben"
        r"|beachten|einhalten|nennen|prüfen|testen|dokumentieren|zitieren|ausgeben)[.!]*$",
        r"^(?:bitte )?(?:schreib|formulier|gib|halt|formatier|wähl|nenn)\w* (?:\w+ )?(?:kurze?"
        r"|knappe?"
        r"|einfache?|klare?|kleine?|lange?|sprechende)\b|^formatiere? [\w -]+ als\b",
        r"^(?:der|die|das|alle|jede[rs]?) (?:[\w./-]+ ){1,4}(?:soll|sollen|sollte"
        r"|sollten)\b[^?]*\b(?:sein"
        r"|bleiben|laufen|heißen|haben|enthalten|funktionieren|verwenden|nutzen|stehen)\b",
        r"^(?:bitte )?(?:frag|sprich|klär|kläre?)\b[^.;?]*\b(?:vorher|zuerst|bevor|erst)\b"
        r"|\bsag mir bescheid\b|\bbleib (?:unter|in|innerhalb|bei|darunter|drunter|dabei|darin)\b",
        r"\b(?:ist|sind) (?:ein muss|pflicht|vorgeschrieben|zwingend)\b|\bhalte?\b[^.;?]*\b(?:unter"
        r"|kurz|einfach|klein|knapp)\b|\bzitiere? (?:immer )?(?:deine|alle|die) quellen\b",
        r"^(?!ich\b|wir\b|er\b|sie\b|man\b|wenn\b)(?:[\w./-]+ ){1,5}(?:muss|müssen)\b[^?]*\b(?:sein"
        r"|bleiben|laufen|heißen|haben|enthalten|funktionieren|bestehen|passen|liegen|verwenden"
        r"|nutzen|benutzen|unter|über|auf|stehen|kommen)\b",
        r"^(?:alle|sämtliche|jede[rs]?)\b[^?]*\b(?:gehen|geht|kommen|kommt|laufen|landen|stehen"
        r"|bekommt|erhält|erhalten)\b",
        r"^(?:bitte )?(?:benutze?|verwende|nutze?|nimm|wir nehmen|wir verwenden|wir benutzen)"
        r" (?!das\b|den\b|die\b|es\b|dies\w*|diese\w*)[\w.+#-]+(?: [\w.+#-]+)? (?:als|für) "
        r"[\w -]+(?:, nicht [\w.+#-]+| statt [\w.+#-]+)?[.!]*$",
        r"^nur \w+[^,;?]*\b(?:zählen|gelten|zählt|gilt|erlaubt|zulässig)\b",
        r"^(?:der|die|das|er|sie|es) bleib(?:t|en) (?:aus|an|zu|offen|so|wie|da|dort|unverändert"
        r"|drin"
        r"|draußen)\b",
        r"\bverwende\w* nur\b|\bnutze?\w* nur\b|\bbenutze?\w* nur\b|\bnimm nur\b"
        r"|\barbeite (?:nur )?(?:auf|in)\b|\bbehandle?\b[^.;?]*\bals\b",
        r"\bich (?:erwarte|verlange|brauche|will|möchte) (?:ein\w*|zu)\b[^.;?]*\b(?:jede\w*"
        r"|alle\w*)",
        r"\b(?:hör auf|stopp|brich ab)\b[^.;?]*\bnach\b[^.;?]*\d|\bhalte? mich auf dem laufenden\b",
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
        r"\b(?:ist|sind|wäre|wären) mir\b[^.;?]*\blieber\b|\bmir sind\b[^.;?]*\blieber\b",
        r"^(?:der|die) (?:nutzer|benutzer|kunde|anwender|user)(?:in)? (?:bevorzugt|mag|möchte|will"
        r"|hasst|wünscht|erwartet|legt wert)\b",
        r"\bich (?:mag|hasse|liebe) (?:kein\w*|keine|\w+(?:e|en) )\b[^?]*$|\bich (?:mag|hasse) "
        r"[\w-]+(?: [\w-]+){0,4}[.!]*$|\bich kann [\w -]+ nicht (?:leiden|ausstehen)\b",
        r"\bwir (?:nehmen|verwenden|benutzen|nutzen|setzen)\b[^.;?]*\b(?:statt|nicht|hier)\b",
        r"\bich hätte gerne?\b[^.;?]*\b(?:antwort|immer|alle|jede)|\bich (?:bevorzuge"
        r"|hätte (?:lieber|gerne? immer)|mag lieber|würde lieber|ziehe)\b|\bmir (?:ist|sind|wäre"
        r"|wären)\b[^.;?]*\blieber\b|\bam liebsten\b",
        r"\bwir (?:verwenden|benutzen|nutzen|arbeiten)\b[^.;?]*\b(?:hier|statt|nicht|kein\w*"
        r"|nur)\b",
    ),
    corrects="eigentlich|doch lieber|doch|stattdessen|korrektur|anders|nein, doch|ich "
    "meinte[^:,]{0,30}:"
    r"|ich habe mich vertan|mein fehler|sorry|entschuldigung|moment|planänderung",
    corrects_after="nein|ok",
    adds=r"(?:auch|noch)\b",
    joins="und ",
    labels=any_of(
        "regeln?|vorgaben?|anforderung(?:en)?|fakt(?:en)?|richtlinien?|wichtig|bedingung(?:en)?",
        "einschränkung(?:en)?|konvention(?:en)?|grenzen?|limits?|vorliebe|merke|grundsatz|frist",
        "budget|grenzwerte?|obergrenze|annahme|entscheidung|pflicht|verbot|constraint|hinweis an "
        "dich",
    ),
    first_person=r"\b(?:ich|mein\w*|wir|unser\w*|uns)\b",
    headings=(
        "(?:spiel|projekt|haus)?(?:regeln|vorgaben|konventionen|richtlinien|einschränkungen"
        "|grundsätze)"
    ),
    terse=Phrases(
        r"^(?!was|wie|danke|das|es|ich)[\w-]+(?: [\w-]+)? ohne [\w -]+[.!]*$|^alles (?:in|auf|mit) "
        r"(?!ordnung|einem|der|den)[\w.+#-]+[.!]*$",
        r"^(?:lieber|besser) [\w -]+ als [\w -]+[.!]*$",
        r"^(?:bitte )?nur (?!so|wenn|die\b|der\b|das\b|ein|noch|kurz|mal|zu\b|weil|ich|dass|eine)"
        r"(?!\w+ (?:tests?|fehler|mal)\b)[\w./+#-]+(?: [\w./+#,-]+){0,6}(?<!fehl)[.!]*$",
        r"^(?:alle|sämtliche) [\w-]+(?: [\w-]+)? (?:an|nach|über|via|unter) [\w./ -]+[.!]*$",
        r"^(?!ich|das|es|ist|die\b|der\b)(?:[\w./+#-]+ ){1,4}(?:nur|only|ausschließlich)[.!]*$",
        r"^(?!nein|ja|ok|gut|klar|danke)[\w`./+#-]+(?: [\w-]+)?(?:, (?:nicht|kein\w*|nie)| statt"
        r"| anstatt| anstelle von) (?!so|jetzt|mehr|wahr)[\w`./+#-]+(?: [\w-]+)?[.!]*$",
        r"^kein(?:e|en|em|er|es|erlei)? (?!problem|ahnung|sorge|eile|ding|idee|angst|wunder|zeit"
        r"|lust)"
        r"[\w.+#-]+(?: [\w.+#-]+){0,4}[.!]*$",
        rf"^(?:bitte )?(?:max(?:imal|\.)?|min(?:destens|\.)?|höchstens|wenigstens|nicht (?:mehr"
        rf"|weniger|länger|später) als|bis zu|unter|weniger als|mehr als) {_NUMBER}\b",
        rf"^(?:[\w-]+ ){{1,4}}(?:unter|maximal|höchstens|mindestens|bis) {_NUMBER}\b",
        rf"^{_NUMBER} [\w-]+(?: [\w-]+)? (?:pro|je|für jede\w*) [\w ]+[.!]*$",
        r"^(?!ich|es|das|wir|ist)(?:[\w-]+ ){1,4}(?:immer|stets|durchgehend|überall|grundsätzlich"
        r"|durchweg)(?: in| auf| mit| als)?(?: [\w-]+){0,3}[.!]*$",
        r"^(?:alle |sämtliche )[\w-]+(?: [\w-]+)? (?:in|auf|als|mit) [\w -]+[.!]*$",
        r"^[\w-]+(?: [\w-]+)? (?:in|auf|als) (?:euro|dollar|franken|utc|deutsch|englisch"
        r"|großbuch\w*"
        r"|kleinbuch\w*|snake_case|camelcase|markdown|json|präsens|\w+form)\b[^?]*[.!]*$",
        r"^(?:null|keinerlei) (?!bock|ahnung)[\w-]+[.!]*$|^(?:strikt |streng )?(?:nur lesen"
        r"|schreibgeschützt|nur lesend|offline|nur lesezugriff)[.!]*$",
        r"^(?!was|wie|danke|das|es)(?:[\w-]+ ){1,3}für (?:alle|jede[nrsm]?) [\w -]+[.!]*$",
    ),
    leans=Phrases(
        r"^(?:und |aber |also |bitte )*(?:der|die|das|er|sie|es|beide|dieser?|diese[sn]?|dort|darin"
        r"|daran|davon|dabei)\b(?! \w+ (?:muss|darf|soll|ist|sind|bleibt)\b)",
        r"\b(?:es|ihn|sie|ihm|daran|darin|davon|darüber|darunter|dort|das|dies|dem"
        r"|solche)(?=[.,;!)]|$| "
        r"(?:nicht"
        r"|nie|niemals|ohne|aus|an|so|bleibt|ab|als|wie)\b)",
        r"\b(?:überschreit\w+|überzieh\w+)\b",
    ),
    told=Phrases(
        r"^(?:früher|damals|gestern|letzte\w? (?:woche|monat|jahr|mal)|leider)\b",
        r"\b(?:braucht|dauert) (?:immer|mindestens|etwa|rund|ungefähr|gut)?\b[^?]*\b(?:sekunden?"
        r"|minuten?|stunden?)\b",
        r"\bbraucht immer\b[^?]* zum \w+en\b",
        r"\b(?:anscheinend|angeblich|durften|mussten|sollten wir vielleicht|vielleicht sollten"
        r"|eines tages|ich bin (?:mir )?nicht sicher)\b",
        r"^(?:wenn|falls) (?:wir|ich|du|man)\b[^?]*\b(?:würde\w*|wäre\w*|hätte\w*|könnte\w*)\b"
        r"|^(?:stell dir vor|angenommen)\b|\bes wäre (?:schön|gut|toll)\b",
    ),
)

_CHANGES = RuleChangeCues(
    permits=Phrases(
        r"\bnicht (?:mehr|länger)\b|\b(?:habe|hab) nichts dagegen\b|\bspricht nichts dagegen\b"
        r"|\b(?:verbot|regel|sperre|vorgabe|beschränkung|limit|pflicht|stopp)\w*\b[^.;?]*"
        r"\b(?:weg|aufgehoben|vorbei|hinfällig|gestrichen|passé|erledigt|entfällt|gelockert)\b"
        r"|\bich (?:hebe|nehme)\b[^.;?]*\b(?:auf|zurück)\b|\bwieder (?:\w+ ){0,2}(?:werden"
        r"|erlaubt)\b",
        r"\b(?:du|ihr|wir|sie)? ?(?:darfst|dürft|darf|dürfen|kannst|könnt|können)\b"
        r"(?![^.;]*\b(?:nicht|nie|niemals|kein\w*|nur)\b)",
        r"\b(?:ist|sind|wäre|wären|geht|gehen)\b[^.;]*\b(?:erlaubt|gestattet|in ordnung|ok|okay"
        r"|klar"
        r"|zulässig|möglich|frei|genehmigt|gut so|kein problem|ausgenommen)\b",
        r"\b(?:musst|brauchst|müssen|müsst|muss|brauchen|braucht)\b[^.;]*\bnicht\b|\bnicht (?:nötig"
        r"|notwendig|erforderlich)\b|\bentfällt\b|\bentfallen\b",
        r"\b(?:du hast|ihr habt) (?:meine|die) (?:erlaubnis|genehmigung|freigabe|zustimmung)\b",
        r"\b(?:ich erlaube|ich genehmige|von mir aus|meinetwegen|nur zu|ausnahme|ausnahmsweise"
        r"|einverstanden|vergiss|streich|aufgehoben|vorbei|hinfällig|gilt nicht)\b",
        r"^(?:ok|okay|ja|gut|na gut|klar|schön|in ordnung|einverstanden)[,.!:]? (?:dann )?\w+",
    ),
    excepts=Phrases(
        r"\b(?:ausnahme|ausnahmen|außer|ausgenommen|ausnahmsweise|bis auf)\b|\bals das\b",
    ),
    explains=r"\b(?:deshalb|darum|daher|deswegen|leider)\b",
    amends=Phrases(
        r"^(?:nein,? |ok,? |moment,? |sorry,? |ach,? |entschuldigung,? |äh,? |doch,? )*(?:sagen wir"
        r"|ich meinte|ich meine|mach(?:en wir)? (?:daraus|das|es)|lieber|besser|doch (?:lieber"
        r"|eher)?"
        r"|eher|korrektur:?|es sind|das sind|nimm|ändere? das (?:auf|in))\b.{1,40}$",
        rf"^(?:nein,? |ok,? |moment,? |sorry,? |entschuldigung,? |doch,? )*(?:der |die |das "
        rf")?{_NUMBER}"
        r"(?: \w+){0,3}[.!]*$",
        r"^(?=.*\b(?:nein|quatsch|moment|sorry|doch|lieber|besser|eher|natürlich|falsch|ach|auch"
        r"|sagen"
        r"|meinte)\b)[^?]*(?<![\w.])[$€£]?\d[\d.,]*\b[^?]*$|\bich (?:meinte|meine)\b.{1,30}$",
        r"^(?:nein|moment|sorry|doch|eigentlich|entschuldigung|pardon)\b[,:]? [^?]{1,40}$",
        r"^[\w-]+(?: [\w-]+){0,2} (?:ist|sind|wäre) (?:doch )?(?:besser|lieber|genug)\b[^?]{0,20}$"
        r"|\b(?:reichen|reicht|genügt|genügen)(?: \w+)?[.!]*$",
    ),
    restates=Phrases(
        r"\b(?:soll\w*|muss|müssen|lieber|stattdessen|besser|ab (?:jetzt|sofort|heute)|künftig|doch"
        r"|nicht|statt|wird|werden|erhöh\w*|senk\w*|änder\w*|neu\w*|jetzt|nimm|nehmen)\b",
    ),
    nods="ok|okay|ja|gut|na gut|klar|schön|in ordnung|einverstanden",
    hence="also|und|aber|daher|deshalb|darum|bitte|dann",
    marks=any_of(
        r"\b(?:eigentlich|doch|jetzt|stattdessen|lieber|korrektur|ab (?:jetzt|sofort|heute)|künftig"
        r"|von nun an|in zukunft|neu|nun)\b"
    ),
    overrules=any_of(
        r"\b(?:doch(?: lieber)?|stattdessen|korrektur|ich meinte|planänderung|vertan|anders "
        r"überlegt"
        r"|ab (?:jetzt|sofort|heute)|von nun an|jetzt|künftig|statt)\b"
    ),
    idioms=any_of(
        r"\b(?:ab (?:jetzt|sofort|heute|nun)|von nun an|von mir aus|meinetwegen|wie du (?:willst"
        r"|magst|möchtest)|so viel du willst|was du (?:willst|möchtest)|wenn du (?:willst|magst"
        r"|möchtest)|nicht mehr|in ordnung|vergiss (?:die|das)|die regel (?:zu|über|mit|für)"
        r"|das verbot (?:von|für|über)|was ich (?:\w+ ){0,3}gesagt habe|jederzeit|nach belieben)\b",
    ),
    narrows=any_of(
        r"\b(?:wenn|falls|während|zwischen|innerhalb|außerhalb|solange|sofern|außer|nur|ausnahme"
        r"|nachts|am wochenende|wochenends|bis zu|für (?:diese\w*|den|die|das))\b"
        r"|^(?:bei|für|im|in|auf|unter|während|innerhalb|die|der|das|den|dem|deren|welche\w*|wo)\b",
    ),
    compares=r"\b(?:mehr|weniger|über|unter|länger|höchstens|maximal|mindestens|überschreit\w*)\b",
    conditions=r"\b(?:frag\w*|zustimm\w*|zustimmung|genehmigung|erlaubnis|ohne mein\w*|bevor|bis)\b"
    r"",
    negates=r"\b(?:nicht|nichts|nie|niemals|kein\w*|ohne|verboten|tabu|weg|vermeide|außer)\b",
    once=r"\b(?:diese[nrsm]? (?:eine[nrsm]?|mal)|diesmal|ausnahmsweise|einmalig|nur (?:dieses|dies)"
    r"|für (?:diesmal|dieses mal)|nur einmal)\b",
    states=r"\b(?:ist|sind|war|waren|hat|haben|wurde|läuft|weil|da|denn)\b",
    wide=words_of(
        "der die das den dem des ein eine einen einem einer eines und oder du dir dich dein deine "
        "ich "
        "mich mir wir uns ihr euch er sie es man mein meine unser ist sind war sein wird werden "
        "wurde "
        "hat haben habe zu zum zur von vom in im an am auf aus bei mit für vor nach über unter "
        "durch "
        "um als wie so da dort hier doch noch schon ja nein ok okay gut klar bitte also aber auch "
        "nur "
        "jetzt nun wieder künftig ab sofort heute immer nie niemals nicht nichts kein keine keinen "
        "keinem keiner keines jede jeder jedes jeden jedem alle alles allen aller darfst dürft "
        "darf "
        "dürfen kannst könnt kann können musst muss müssen brauchst braucht brauchen soll sollst "
        "sollen erlaubt gestattet ordnung zulässig möglich frei regel regeln verbot vorgabe sperre "
        "beschränkung grenze limit aufgehoben vorbei hinfällig gilt mehr vergiss gesagt was dass "
        "wenn "
        "verwende verwenden benutze benutzen nutze nutzen nimm nehmen lass lassen bleibt bleiben "
        "ganz "
        "machen mache mach gehen geht ohne denn weil mal dann damit fass anfassen einverstanden "
        "finger weg brauche erlaubnis genehmigung freigabe hast habt meine laufen anderes etwas "
        "irgendwas gelten freigegeben"
    ),
    same=(
        words_of("andere andern verandere bearbeite anruhren anfasse modifiziere"),
        words_of("losche loschen entferne"),
        words_of("frage fragen frag"),
    ),
    numbers=words_of("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert"),
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
    changes=_CHANGES,
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
        duties=r"\b(?:muss|müssen|musst|soll\w*|darf\w*|dürfen|immer|nie(?:mals)?|stets|verboten"
        r"|erlaubt|pflicht|jeder|alle mitarbeiter\w*|ohne (?:rückfrage|freigabe))\b",
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
