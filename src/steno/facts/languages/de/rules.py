"""How rules are laid down, in German."""

from steno.facts.languages.cues import RuleCues, any_of, pattern
from steno.facts.languages.phrases import Phrases

_SUBJECT = (
    r"(?:ich|er|sie|es|wir|ihr|man|der|die|das|den|dem|ein|eine|einer|mein\w*|sein\w*|ihre?"
    r"|unser\w*|dies\w*|was|wie|warum|wieso|wer|wo|da|dann|hier|noch|schon|leider|gestern|heute"
    "|nein|ja|kein problem|keine ahnung)"
)

_IMPERATIVE = rf"^(?:bitte |also |und |aber )*(?!{_SUBJECT}\b)"

_NOT = (
    r"(?:nicht|nichts|nie|niemals|niemand(?:e[nm])?|kein(?:e|en|em|er|es)?|keinesfalls|keinerlei)"
)

LANGUAGE = (
    r"(?:deutsch|englisch|französisch|spanisch|chinesisch|italienisch|portugiesisch|niederländisch"
    r"|polnisch|russisch|japanisch|türkisch)"
)

_NUMBER = (
    r"(?:\d[\d.,]*|ein(?:e[nrms]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig"
    r"|hundert)"
)

_RESOURCE = (
    r"(?:datenbank|instanz|umgebung|branch|zweig|server|konto|account|cluster|region|vorlage"
    r"|bibliothek|registry|schnittstelle|system|format|währung|kodierung|replik)"
)

_DAY = (
    r"(?:(?:am |der |den |dem )?(?:\d[\d.:/]*|(?:nächste\w* |diese\w* )?(?:montag|dienstag|mittwoch"
    r"|donnerstag|freitag|samstag|sonntag)|morgen|mitternacht|ende (?:der|des)|mittag))"
)

_SETTING = (
    r"(?:stichproben?(?:größe|umfang)?|schriftgröße|schriftart|zielgruppe|tonfall|ton|zeitlimit"
    r"|timeout|wortzahl|sprache der ausgabe|zeitzone|währung|zeilenlänge|ausgabeformat"
    r"|maximale \w+|minimale \w+|obergrenze|untergrenze)"
)

RULES = RuleCues(
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
        r"|\bsteht\b.*:|\blaut\b|, (?:sagt|sagte|meint|meinte|schreibt|heißt es)\b",
        # Before a colon, whoever it is.
        r"\b(?!ich\b|wir\b|du\b)\w+ (?:sagt|sagte|meint|meinte|schreibt|schrieb)(?: \w+){0,2}$",
    ),
    once=Phrases(
        r"\b(?:noch (?:nicht|nichts|kein\w*)|erst ?mal|erstmal|vorerst|diesmal|gerade nicht|im "
        r"moment|jetzt nicht|nicht jetzt|bevor du (?:anfängst|loslegst|weitermachst|startest))\b"
    ),
    lasting=Phrases(
        r"\b(?:ab (?:jetzt|sofort|nun|heute)|von nun an|künftig|in zukunft|zukünftig|immer|niemals"
        r"|nie|stets|grundsätzlich|jedes ?mal)\b"
    ),
    release=Phrases(
        r"\bkein\w* [\w -]{2,30} mehr (?:nötig|notwendig|erforderlich)\b"
        r"|^gegen [\w -]{2,30} hab(?:e)? ich nichts mehr\b",
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
        rf"|in) {LANGUAGE}\b(?!.*\bbrief\b)",
        r"\b(?:kommentare?|commit\S*|nachrichten|doku\w*|namen|texte|antworten"
        rf"|alles)\b[^.;]*\b(?:auf|in) {LANGUAGE}\b",
    ),
    output=Phrases(
        r"\bantworte\w* (?:\w+ )?(?:nur|kurz|knapp|ausschließlich|immer|mit|ohne|in)\b|\bhalte? "
        r"(?:dich|deine antworten|die antworten)\b|\bfasse? dich\b[^.;]*\b(?:kurz|kürzer|knapp)",
        r"^(?:bitte )?sei (?!so\b|nicht\b|vorsichtig)(?:bitte |immer )?\w+",
        r"\bgib\b[^.;]*\b(?:immer|stets)\b[^.;]*\b(?:aus|an)\b|\bohne erklärung\w*\b|\b(?:duze?"
        r"|sieze?)\b mich|\bdeine antworten\b[^.;]*\b(?:sollen|müssen|sollten)\b",
    ),
    prohibition=Phrases(
        r"\bnicht mehr (?:erlaubt|gestattet|zulässig)\b",
        r"^(?:wir|du|ihr) (?!muss|müss|brauch|hab|sind|seid|bist|wiss|könn"
        r"|kann)\w+\b[^.;?]*\bnicht mehr\b",
        r"^(?:bitte )?weder [\w./ -]+ noch [\w./ -]+en[.!]*$",
        rf"{_IMPERATIVE}[^?]*\bweder\b[^?]*\bnoch\b",
        r"^nur \w+(?: \w+)? (?:darf|dürfen|kann|können)\b|^(?!es\b|das\b|er\b|sie\b"
        r"|ich\b)[^,;?]{3,40}"
        r" (?:bleibt|bleiben) (?!stehen|hängen|aus\b|leer|weiß|schwarz|gleich)\w+",
        r"^(?:bitte )?lass\w* (?:bitte )?(?:die|deine) finger (?:weg )?(?:von|vom)\b",
        r"^(?:bitte )?(?:unterlass|spar dir|verkneif|stopp|hör auf|lass (?:es|das) (?:sein"
        r"|bleiben))|^(?:bitte )?lass\w*\b[^.;?]*\b(?:wie (?:er|sie|es) (?:ist|sind)|unverändert"
        r"|so|stehen|unberührt|unangetastet)\b",
        r"\b(?:ist|sind) (?:hier )?(?:nicht|keinesfalls|nie) (?:gestattet|erlaubt|zulässig"
        r"|gewünscht|gewollt|vorgesehen|verhandelbar|akzeptabel)\b|\bsteht fest\b|\bsteht nicht "
        r"zur (?:debatte|diskussion|disposition)\b|\bin stein gemeißelt\b|\bdaran wird nichts\b",
        r"\bmehr als [^?]* (?:darf|soll|sollte|dürfen|sollen)\b[^?]*\bnicht\b|\bsonst nirgend\w*"
        r"|\bund (?:sonst )?(?:nirgends|niemand|nichts)(?: sonst)?[.!]*$",
        r"\bich (?:verbiete|untersage)\b|^(?:absolut|strikt|definitiv) (?:kein\w*|nicht|nie"
        r"|nichts)\b|\bich (?:will|möchte|dulde) (?:hier )?(?:nie|nichts|kein\w*|nicht)\b",
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
        r"^(?!ich\b|es\b|wir\b)[^,;?]{3,60} (?:ist|sind|bleibt|bleiben) (?:tabu|heilig"
        r"|eingefroren|unantastbar|fix|gesperrt|unverändert|verboten|aus|an|zu|so|wie (?:er|sie"
        r"|es) (?:ist|sind))[.!]*$",
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
        r"^(?:bitte )?(?:schick|sende?|gib|melde?|informier|benachrichtig"
        r"|berichte?)\w*\b[^?]*\b(?:stündlich|täglich|wöchentlich|jede[nrsm]? (?:\w+ )?(?:stunde"
        r"|tag|woche|minute|morgen|abend|schritt)|alle (?:\w+ )?(?:minuten|stunden|tage|wochen))\b",
        r"^(?:alles|jede[rs]? [\w-]+|alle [\w-]+) (?:geht|gehen|läuft|laufen) (?:durch|über"
        r"|via) [\w -]+[.!]*$|^(?:bitte )?vor [\w äöüß-]{3,40} bescheid (?:geben|sagen)\b",
        r"^(?!ich\b|es\b|das\b|er\b|wir\b)(?:alle |die )?[\w-]+ (?:kommen|gehen|werden) (?:nur "
        r"|immer )?als [\w-]+(?: geliefert| verschickt| raus)?[.!]*$",
        rf"^(?:bitte )?(?:nimm|nutze?|benutze?|verwende)(?: bitte)?(?: für [\w ]{{2,20}})? "
        rf"(?:immer )?(?:den|die|das|unsere?n?|meine?n?) [\w.+#-]*(?: [\w.+#-]+)?{_RESOURCE}(?: "
        rf"\w+)?(?: für [\w ]{{2,30}})?[.!]*$",
        rf"^(?:bitte )?arbeite (?:auf|in|mit|gegen) (?:dem|der|unserem"
        rf"|unserer) [\w.+#-]*(?: [\w.+#-]+)?{_RESOURCE}(?: [\w./-]+)?[.!]*$",
        r"^(?:bitte )?(?:schreib|bau|implementier|führe?|mach|entwickl|host)\w* (?:es|alles"
        r"|die tests|den code|die api|das frontend|das backend) (?:in|mit|auf|über|per) (?!dem\b"
        r"|der\b|einem\b|einer\b|ordnung)[\w.+#-]+(?: [\w.+#-]+)?(?: aus)?[.!]*$",
        r"^wir (?:zielen auf|unterstützen|setzen auf|nehmen|bleiben bei|sind auf) (?!das\b|den\b"
        r"|die\b|es\b|uns\b|an\b|mit\b)[\w.+#-]+(?: v?\d[\w.]*)?[.!]*$"
        r"|^lass uns bei [\w.+# -]{2,30} bleiben[.!]*$",
        r"^(?!das\b|es\b|dies)[\w -]{3,60}? (?:ist|sind) (?:stets |immer |nur )?[\w -]{0,30}?"
        r"(?:anzu\w+en|zu (?!sehen|finden|erwarten|spät|früh|hören|tun)\w+en|auszu\w+en"
        r"|einzu\w+en)[.!]*$",
        rf"^(?:der|die|das|unser\w*|mein\w*)? ?(?:abgabe\w*|frist|stichtag|deadline|liefertermin"
        rf"|einsendeschluss)"
        rf" (?:ist|liegt|fällt|bleibt|wird)(?: auf| bei| jetzt| nun| doch| erst)* {_DAY}",
        rf"^(?:der|die|das|unser\w*|mein\w*)? ?(?:[\w-]+ )?(?:\w*budget|\w*limit|obergrenze"
        rf"|untergrenze|höchst\w+|maximal\w+|mindest\w+|timeout|zeitlimit|grenze) (?:ist|beträgt"
        rf"|liegt bei|bleibt bei|sind)(?: jetzt| nun| auf)* {_NUMBER}\b",
        r"^(?!ich\b|es\b|das\b|wir\b)[\w -]{3,40} (?:ist|sind) auf [\w .,€$-]{1,30} (?:begrenzt"
        r"|beschränkt|limitiert|gedeckelt)[.!]*$",
        r"^ich (?:hätte|möchte|will|brauche|wünsche mir) (?:gerne? )?(?:den|die|das|alle|es"
        r"|deine?n?) ?[\w -]{0,30}?(?:gerne? |lieber )?(?:als|in|im|auf) (?:pdf|docx?|word|csv"
        r"|json|yaml|xml|html|markdown|excel|tabelle|liste"
        f"|stichpunkten?|fließtext|{LANGUAGE})(?:-format|-datei)?[.!]*$",
        rf"^{_SETTING}: \S[^?]{{0,40}}$|^der (?:ton|stil|tonfall) (?:ist|bleibt) (?!gut|zu|sehr"
        rf"|nicht|falsch|ok)"
        r"\w+[.!]*$",
        r"^(?:bitte )?(?:such|schau|sieh|geh|lies|frag|durchsuch)\w* nur\b"
        r"|^(?:bitte )?runde\w* auf\b|^(?:bitte )?(?:immer )?auf [\w -]{2,20} runden[.!]*$"
        r"|^(?:bitte )?in [\w-]+ antworten[.!]*$|^(?:alles )?(?:per|mit) (?:du|sie)[.!]*$"
        r"|^ich bin (?:vegetarier|veganer|allergi)\w*",
        r"^[\w -]{3,40}, (?:mehr|länger|weniger) nicht[.!]*$|^[\w -]{3,50}, nicht (?:mehr|länger"
        r"|später)[.!]*$"
        r"|^[\w-]+(?:angaben|zeiten|beträge|namen|preise)? (?:im|als|in) [\w-]+-format[.!]*$",
        r"^(?:bitte )?(?:nutze?|benutze?|verwende|nimm) für (?:die |den |das |alle )?\w+ (?:doch "
        r"|immer |bitte )?[\w.+#-]+[.!]*$",
        r"^(?:bitte )?(?:sprich|red|nenn)\w* (?:mich|uns|kunden|die kunden|alle)\b"
        r"|^(?:bitte )?(?:duze?|sieze?)\b|^(?:bitte )?alle (?:\w+ ){1,5}(?:angeben|schreiben"
        r"|formatieren|benennen|ausgeben|runden|kennzeichnen|speichern|dokumentieren)[.!]*$",
        r"^(?:bitte )?rücke?\b[^.;?]*\bein[.!]*$|^(?:\w+ )?(?:rückfragen|fragen|entwürfe|berichte"
        r"|rechnungen|tickets|freigaben|anträge)\b[^?]{0,20} (?:gehen|geht) (?:immer |nur )?an\b",
        rf"^(?:bitte )?(?:wart|pausier)\w* {_NUMBER} \w+ (?:zwischen|vor jede|nach jede)\w*",
        r"^im zweifel\b|^(?:wenn|falls|sobald) (?:etwas|du|ein\w*|jemand)\b[^,?]{3,60}, \w+",
        r"^(?:bitte )?(?:schreib|antwort|sprich|formulier|erklär|rede)\w*(?: mir)? (?:bitte "
        r")?(?:immer )?(?!mir\b|den\b|die\b|das\b|ein\w*|dem\b|es\b|an\b|auf\b|zu\b)\w+(?:lich"
        r"|isch|ig|los|klar|kurz|knapp|locker|einfach|sachlich)\w*[.!]*$",
        r"^(?:der|die|das|dein\w*) (?:ton|stil|sprache|text|bericht|antwort|titel|name|entwurf"
        r"|layout)\w* (?:soll|sollte|muss|hat)\w*\b",
        r"^(?:zu|in|an|auf|für) jede[rnms]?\b[^?]* (?:gehört|gehören|kommt|braucht|steht)\b",
        r"^(?:bitte )?(?!zeig|gib mir|sag|schau|schick|kann|könnte|hat|hab|ist\b|sind|geht|fehlt"
        r"|war|bleibt|gibt|läuft|wird|funktion|jetzt|dann|"
        rf"{_SUBJECT}\b)\w{{3,}} (?:\w+ )?(?:nur|ausschließlich|lediglich) \w",
        rf"^(?:bitte )?(?!{_SUBJECT}\b)\w+[^.;?]*\b(?:höchstens|maximal|mindestens|nicht mehr als"
        rf"|unter|bis zu|weniger als) {_NUMBER}\b(?=[^?]*$)(?<!gibt)",
        r"^(?:bitte )?(?:\w+)(?: mich| mir| dich)?(?: \w+){0,3},? (?:bevor|ehe|sobald|immer wenn) "
        r"du\b",
        r"\bbleib(?:t|en) (?:bestehen|erhalten|drin|dabei|unangetastet|stehen)\b|\b(?:brauchen"
        r"|braucht|benötigen|benötigt) (?:immer |stets )?(?:ein\w*|mindestens|zwei|drei|tests"
        r"|dokumentation)\b|\b(?:ist|sind) immer (?:in|auf|mit|zu)\b|\bich erwarte\b",
        r"^(?:bitte )?(?:verwende|benutze?|nutze?|nimm) (?:den |die |das )?(?:port|version|branch"
        r"|zweig|modell)? ?[\w.+#-]+(?: statt [\w.+#-]+)?[.!]*$",
        r"^(?:für|bei|vor|nach|in|zu) jede[nrsm]?\b[^?]*\b\w+en[.!]*$",
        r"^[^?]*\b(?:immer|stets|nur|jede[nrsm]?)\b[^?]*\b(?:angeben|verwenden|nutzen|schreiben"
        r"|beachten|einhalten|nennen|prüfen|testen|dokumentieren|zitieren|ausgeben)[.!]*$",
        r"^(?:bitte )?(?:schreib|formulier|gib|halt|formatier|wähl|nenn)\w* (?:\w+ )?(?:kurze?"
        r"|knappe?|einfache?|klare?|kleine?|lange?|sprechende)\b|^formatiere? [\w -]+ als\b",
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
        r"|drin|draußen)\b",
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
    "meinte[^:,]{0,30}:|ich habe mich vertan|mein fehler|sorry|entschuldigung|moment|planänderung",
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
    contrasts="aber|doch|jedoch|trotzdem|dennoch",
    own_asks="bitte|ich (?:will|möchte|erwarte|hätte gerne?)|wir (?:wollen|möchten|erwarten)",
    forbids=r"(?:bitte )?(?:kein\w*|nichts?)\b|\w+ (?:\w+ )?(?:nicht|nichts|kein\w*)\b",
    ban_headings="verboten|verbote|tabus?|finger weg|no-?gos?|nicht erlaubt|niemals|auf keinen fall"
    "|(?:was |das )?(?:du )?nicht (?:tun|anfassen|ändern|machen|darfst)|zu vermeiden",
    headings=(
        "(?:spiel|projekt|haus)?(?:regeln|vorgaben|konventionen|richtlinien|einschränkungen"
        "|grundsätze)"
    ),
    terse=Phrases(
        r"^(?:wir (?:sind|laufen|arbeiten) (?:auf|mit)|bei uns (?:gilt|läuft)|wir (?:nutzen"
        r"|verwenden|benutzen|fahren)) [\w.+#-]+ \d[\w.]*[.!]*$",
        r"^ohne [\w -]{2,30} kein\w* [\w-]+[.!]*$|^(?:bitte )?nichts an [\w./-]+[.!]*$",
        r"^(?!ich\b|es\b|das\b)[\w -]{2,30}: (?:max(?:imal|\.)?|höchstens|mindestens"
        r"|min\.) ?\w+ [\w-]+[.!]*$",
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
        r"|lust)[\w.+#-]+(?: [\w.+#-]+){0,4}[.!]*$",
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
        r"|solche)(?=[.,;!)]|$| (?:nicht|nie|niemals|ohne|aus|an|so|bleibt|ab|als|wie)\b)",
        r"\b(?:überschreit\w+|überzieh\w+)\b",
    ),
    or_else="oder",
    agreed=r"ok(?:ay)?|verstanden|klar|alles klar|einverstanden",
    confirmed="ja|oder",
    polite=pattern(
        r"^(?:bitte,? )?(?:kannst|könntest|würdest|können|könnten) (?:du|wir|sie|ihr) (?:bitte"
        r" )?(?P<limit>(?=.*(?:halten|begrenzen|bleiben|beschränken)))?"
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
