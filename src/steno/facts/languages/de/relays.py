"""German cues of words that are passed on."""

from steno.facts.languages.cues import RelayCues, any_of
from steno.facts.languages.phrases import Phrases

_SOURCES = any_of(
    r"doku|dokumentation|handbuch|leitfaden|richtlinien?|seite|webseite|website|artikel|beitrag"
    r"|mail",
    r"e-mail|ticket|chat|forum|anleitung|bericht|vertrag|protokoll|auszug|zitat|schreiben|brief"
    r"|jira",
    r"wiki|readme|slack|netz|internet",
)
_TEXTS = any_of(
    r"[\w-]*(?:artikel|text|nachricht|e-?mail|mail|absatz|brief|beitrag|kommentar|aufsatz|gedicht",
    r"zitat|antwort|rückmeldung|ankündigung|passage|abschnitt|rezension|beschwerde|mitteilung)s?",
    r"sätze?|satz|tipps?|ratschl(?:ag|äge)|geschichte|absätze|briefe|kommentare|nachrichten|rezept",
)
_PLACES = any_of(
    r"(?:web)?seite|website|logs?|protokoll|fehler\w*|\w*meldung|dokument|ticket|bericht|notizen",
    r"screenshot|bild|foto|vertrag|richtlinie|ausgabe|schild|wiki|readme|anleitung|beschreibung",
)

_GIVEN = rf"(?:{_TEXTS}|{_PLACES}|{_SOURCES})"
_A_TEXT = rf"(?:de[rnms]|die|das|eine?[nmr]?|diese[nrs]?) (?:[\w-]+ ){{0,3}}?{_GIVEN}\b"

RELAYS = RelayCues(
    says=Phrases(
        r"(?:^|\s)(?!(?:ich|wir|du|ihr|und|oder)\s)[\w.,'’)\"@#-]+ (?:sagt|sagte|meint|meinte"
        r"|schreibt"
        r"|schrieb|antwortet|antwortete|erwiderte|erklärt|erklärte|behauptet|behauptete|empfiehlt"
        r"|empfahl|fragte|schlug|schlägt|erwähnte|rät|riet|fordert|forderte|verlangt|verlangte"
        r"|kommentierte|notierte)(?: \S+){0,4}$",
        r"(?:^|\s)(?!(?:ich|wir)\s)\S+ hat(?: \S+){0,3} (?:gesagt|geschrieben|geantwortet|gemeint"
        r"|erklärt|gefragt|empfohlen|geschickt)$",
        r"\bsteht (?:\S+ ){0,2}(?:im|in|auf|am|bei|unter) \S.{0,40}$|^(?:im|in|auf"
        r"|am) .{1,40} steht"
        r"(?: folgendes)?$|\b(?:dort|da) steht$|\bheißt es(?: \S+){0,4}$",
    ),
    handed=Phrases(
        rf"^(?:\S+ ){{0,2}}?(?:{_TEXTS}|{_PLACES}) (?:zeigt|meldet|lautet|enthält|besagt)$",
        r"^(?:hier (?:ist|sind|kommt) )?(?:(?:die|der|das|eine?|seine"
        r"|ihre) )?(?:[\w-]+(?:-nachricht"
        r"|meldung|notizen|protokoll|mitschrift|transkript|-?verlauf)"
        r"|weitergeleitete (?:nachricht|e?-?mail)"
        r"|(?:protokoll|notizen|mitschrift|transkript|abschrift|kommentar|nachricht|text|zitat)"
        r" (?:vom|von|aus|im|auf|zum|zur|der|des|bei)(?! mir| uns| dich| dir)\b.{1,40})$",
        r"^(?:jemand|irgendwer|(?:ein|eine) (?:kolleg|freund|nutzer|kund|bekannt)\w*|mein (?:chef"
        r"|freund|kollege|vermieter|lehrer|arzt|mann|vater|bruder)|meine (?:chefin|freundin"
        r"|kollegin"
        r"|frau|mutter|schwester))(?: (?:auf|in|bei|von|aus|im) \S.{0,30})?$",
        r"^(?:(?:gerade|eben|das|dies) ){0,2}(?:per|über|via|von|aus|auf|bei) \S.{0,30}"
        r" (?:bekommen|erhalten|gefunden|empfangen|gelesen)$",
        r"^(?:hier (?:ist )?)?(?:die |eine |der |ein |das )?(?:nachricht|antwort|mail|e-mail"
        r"|kommentar"
        r"|rückmeldung|feedback|zitat|auszug|ausschnitt|beitrag|text|stellungnahme|vorschlag"
        r"|anfrage)"
        rf" (?:von|vom|aus)(?: (?:dem|der|den|einem|einer|unserem|unserer|meinem|meiner))?"
        rf" (?:(?-i:[A-ZÄÖÜ](?![A-ZÄÖÜ]))|\S*(?:{_SOURCES})).{{0,40}}$",
        rf"^(?:direkt )?aus (?:dem|der|den|unserem|unserer|ihrem|ihrer|einem|einer) (?:\S+ )?"
        rf"(?:{_SOURCES})\w*(?: \S+){{0,3}}$",
        r"^(?:laut|gemäß) (?!mir\b|uns\b|und\b)\S.{0,50}$",
    ),
    sources=_SOURCES,
    texts=_TEXTS,
    places=_PLACES,
    these=r"(?:diese[nmrs]?|folgende[nmrs]?) ",
    shows=r"(?:hier (?:ist|sind|kommt)|das ist) (?!mein|unser)",
    below="folgendes|das folgende|unten",
    these_stems="diese|folgende|unten",
    works=any_of(
        r"fass\w*|übersetz\w*|verbesser\w*|korrigier\w*|(?:um)?formulier\w*|(?:um)?schreib\w*"
        r"|kürz\w*",
        r"erklär\w*|prüf\w*|lies|les\w*|antwort\w*|beantwort\w*|bewert\w*"
        r"|\S.{0,60}(?:umformulier\w*"
        r"|zusammenfass\w*|übersetz\w*|korrigier\w*|verbesser\w*|kürz\w*|bekommen|erhalten)",
    ),
    heads="zitat|auszug|gedicht|brief|rätsel|witz|hausaufgaben?|rezept|artikel|absatz|original"
    "|untertitel|versionshinweise",
    reads=any_of(
        r"(?:antwort\w*|reagier\w*) (?:auf|darauf)|was soll ich (?:antworten|schreiben|sagen)",
        r"(?:stimmst du|was hältst du von|was meinst du zu) (?:dem |der )?folgende|ist (?:das"
        r"|folgendes) wahr",
        r"übersetz\w*|fass\w* .{0,40}zusammen|kürz\w*|(?:um)?formulier\w*|was (?:steht|bedeutet"
        r"|sagt)",
        r"(?:prüf|korrigier)\w* (?:die )?(?:grammatik|rechtschreibung)",
    ),
    machines=Phrases(
        r"\b(?:ci|\w*fehler|\w*meldung|logs?|\w*ausgabe|tests?|build|pipeline|compiler|linter"
        r"|konsole"
        r"|terminal|warnung|skript|server)(?: jetzt| auch)? \w+$",
        r"\blaut (?:\w+ )?(?:ci|\w*meldung|logs?|tests?)$",
    ),
    conditions="wenn|falls|sobald|bevor|nachdem|immer wenn|solange",
    own_heads=r"\bwie (?:ich|wir)\b|\b(?:mein|unser)\w{0,2} (?:\w+ )?(?:regeln?|vorgaben?"
    r"|antwort|richtlinien?"
    r"|anforderungen)",
    copied=any_of(
        r"(?:das|dies(?:es)?|es|folgendes|den text) (?:habe|hab) ich (?:\S+ ){0,6}"
        r"(?:kopiert|eingefügt|übernommen|entnommen)",
        r"(?:ich )?(?:habe|hab) (?:das|dies|es|folgendes) (?:\S+ ){0,6}(?:kopiert|eingefügt"
        r"|übernommen)",
        r"(?:kopiert|eingefügt|übernommen|zitiert|weitergeleitet) (?:aus|von|vom) \S.{0,60}",
        r"(?:das|dies|folgendes|der text|das folgende|es) (?:ist|stammt|kommt|kam) (?:\S+ )?"
        rf"(?:aus|von|vom) (?:\S+ ){{0,3}}?(?:{_SOURCES})\w*",
    ),
    copied_stems="kopiert|eingefügt|übernommen|entnommen|zitiert|weitergeleitet|stammt|folgende",
    goes_on="also|so|nun|jetzt",
    resumes=any_of(
        "ok(?:ay)?|dazu|was (?:meinst|hältst|denkst|soll)|kannst du|könntest du",
        "würdest du|ist das|stimmt das|soll ich|ignorier\\w*|vergiss|(?:mach|setz|prüf|fass"
        "|übersetz",
        "erklär|beantwort|les|lies|schau)\\w* (?:mir |dir )?(?:das|es|dies|ihm|ihr)",
    ),
    own_places=r"\b(?:in|für) (?:diese[mns]|unsere[mnrs]?|meine[mnrs]?) (?:repo|projekt|code"
    r"|app)\w*"
    r"|\bbei uns\b",
    orders=r"(?:niemals|immer|du (?:musst|sollst|darfst)|auf keinen fall)\b",
    judged=r"\bist (?:dieser satz|das|folgendes).{0,30} (?:richtig|korrekt|wahr|verständlich)\?$",
    breaks_off=r"(?:moment|warte|stopp|sorry|ach|übrigens|doch nicht)\b|nein[,.!]",
    sends=Phrases(
        r"^(?!.{0,200}\b(?:später|morgen|wenn|sobald|falls)\b)(?:.{0,80}\b)?(?:ich"
        r"|wir) (?:schick|send"
        r"|kopier|poste?|zeig|geb|füg|leit|teil|werd)\w* (?:(?:dir|euch|ihnen|jetzt|gleich|nun|mal"
        rf"|hier|kurz|noch) ){{0,3}}{_A_TEXT}",
        rf"\bnächste nachricht (?:ist|sind|enthält|wird) {_A_TEXT}",
        r"^(?:bitte )?(?:übersetz|fass|prüf|korrigier|lies"
        r"|beantwort)\w* (?:mir )?(?:bitte )?(?:die|meine)"
        r" nächste nachricht",
    ),
    comes=Phrases(
        r"^(?:so,? |also,? |ok,? )?(?:hier (?:ist|sind|kommt|kommen)|(?:jetzt|nun|gleich"
        r"|als nächstes"
        rf"|unten|danach) (?:kommt|kommen|folgt|steht)|es folgt) {_A_TEXT}(?: [\w-]+){{0,5}}$",
        rf"^(?:(?:der|die|das) )?{_GIVEN}(?: [\w-]+){{0,3}}? (?:unten|folgt|kommt|kommt gleich)$",
    ),
    wants=Phrases(
        r"^(?!.{0,60}\b(?:wenn|falls|sobald|gern auch)\b)(?:.{0,80}\b)?(?:füge?|schick|sende?"
        r"|teil|zeig|poste?"
        r"|kopier|gib)\w* (?:(?:mir|uns|bitte|doch|einfach|mal|hier) ){0,3}"
        rf"(?:de[rnm]|die|das|deine?[nrm]?|eine?[nrm]?) (?:[\w-]+ ){{0,3}}?(?!richtlinie"
        rf"|notizen){_GIVEN}\b",
        r"\b(?:kannst|könntest) du (?:mir )?(?:bitte )?(?:de[rnm]|die|das"
        r"|deine?[nrm]?) (?:[\w-]+ ){0,3}?"
        rf"(?!richtlinie|notizen){_GIVEN}\b.{{0,40}}\b(?:schicken|einfügen|senden|zeigen|teilen"
        rf"|posten)",
    ),
    wants_it=Phrases(
        r"\b(?:füge?|schick|sende?|poste?|kopier)\w* (?:(?:sie|ihn|es|mir|bitte|einfach"
        r"|hier) ){1,3}"
        r"(?:rein|ein|her|rüber|hier|den rest|den nächsten teil)?",
        r"\b(?:den rest|den nächsten teil|den zweiten teil)\b",
    ),
    nods=Phrases(
        r"^\W*(?:klar|gerne?|natürlich|ja|ok(?:ay)?|sicher|selbstverständlich|alles klar|schick"
        r"|her damit"
        r"|nur zu|los|bitte)\b",
    ),
    talk=r"danke\w*|hallo|hi|hey|ok(?:ay)?|super|gut|prima|passt|ja|nein|kannst du|könntest du"
    "|lass uns|jetzt|dann|auch|und|aber",
    pointers="das hier|dies(?:e[rsnm]?)?|folgende[nmrs]?|unten|oben|hier|das(?=[?.!]|$)",
    own_leads="übrigens|merke?(?: dir)?|wichtig|hinweis|außerdem|und|aber|also|ok(?:ay)?|hallo|hi"
    "|danke|ja|nein",
    asks="kannst du|könntest du|hast du",
    of_text="antwort\\w*|bedeutet|heißt|meint|stimmt|richtig|falsch|wahr|echt|klingt|übersetz\\w*"
    "|sprache|ton|wort|worte|wörter",
    states=r"(?!(?:es|das|dies|hier|da|was|wer)\b (?:ist|sind|war|waren)\b)(?:[\w-]+ ){1,4}(?:ist"
    "|sind|war|waren|läuft|laufen|klappt|funktioniert)",
    quotes="sagt|sagte|steht|text|wort|worten|zeile|satz|titel",
    changes="korrektur|nein(?=,)|moment|streich das|zu (?:de[rmn]|die)|beide|alle|die regel",
)
