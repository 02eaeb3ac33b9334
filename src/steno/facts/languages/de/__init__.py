"""Every cue of German, put together."""

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
from steno.facts.languages.de.changes import AMENDS, CHANGES
from steno.facts.languages.de.relays import RELAYS
from steno.facts.languages.de.rules import LANGUAGE, RULES
from steno.facts.languages.phrases import Phrases

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
    rules=RULES,
    changes=CHANGES,
    relays=RELAYS,
    amends=AMENDS,
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
        languages=LANGUAGE,
    ),
    text=TextCues(
        chat=(
            (r"nix", "nichts"),
            (r"nich", "nicht"),
            (r"nimmer", "nicht mehr"),
            (r"kannste", "kannst du"),
            (r"darfste", "darfst du"),
            (r"brauchste", "brauchst du"),
            (r"fuer", "für"),
            (r"ueber", "über"),
            (r"koennen", "können"),
            (r"duerfen", "dürfen"),
            (r"muessen", "müssen"),
        ),
        shouted="niemals|nie|immer|bitte|nur|nicht|kein\\w*",
        abbreviations=r"z\. ?B|d\. ?h|u\. ?a|o\. ?ä|bzw|ca|nr|usw|ggf|evtl|inkl|zzgl|str",
        documents=any_of(
            "fehler(?:meldung)?|ausgabe|nachricht|dokument|artikel|rückmeldung|bericht|entwurf",
            "zusammenfassung|mail",
        ),
        logs="fehler|ausgabe",
    ),
    todos=TodoCues(finished="erledigt|fertig", unfinished="offen|in arbeit"),
    requests=RequestCues(
        denies="nein|nee|falsch|moment|warum|wieso",
        complains=r"\b(?:geht|funktioniert|klappt|läuft) (?:immer noch |noch immer "
        r"|leider )?nicht\b|\bimmer noch (?:der|die|das|ein\w*|kaputt|falsch|nicht)\b"
        r"|\bselbe[rn]? fehler\b|\bnicht das,? was ich\b"
        r"|\bich (?:sehe|finde) [^.!?\n]{0,30}\bnicht\b|\bkaputt\b|\bschl[aä]gt fehl\b",
        asks=r"\b(?:bitte|kannst du|können (?:sie|wir)|könntest du"
        r"|ich (?:möchte|will|brauche|hätte gern)|lass uns|wir sollten)\b",
        verbs="mach|zeig|schreib|erstelle|füge|ändere|prüfe|behebe|lösche|erkläre|nutze",
        go="ja(?: bitte| gerne)?|klar|gerne|mach (?:das|weiter)|weiter|genau|passt",
        go_then="bitte|aber",
        nod="genau|passt",
        off=any_of(
            "vergiss es|vergiss das|hat sich erledigt|schon gut|nicht mehr nötig",
            "lass (?:es|gut sein)",
            r"(?:stopp|hör (?:bitte )?auf|abbrechen|brich ab)(?![-.:]\w)",
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
            r"|habe (?:\w+ )?(?:übersehen|vergessen))|mein fehler|du hast recht|sie haben recht)\b",
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
            r"|vielleicht|möglicherweise|es scheint|anscheinend|könnte (?:sein|daran liegen))\b",
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
        causes=StemmedCue(
            stems="ursache|weil|lag |liegt|grund",
            phrases=any_of(
                r"\b(?:ursache|grund)\b[^.?]{0,60}? (?:ist|war|sind|waren)\b|\bursache:",
                r"\b(?:fehler|problem)\w*\b[^.?]{0,40}? (?:lag|liegt) (?:an|am|darin|daran)\b",
                r"\b(?:schlug|schlägt|scheitert\w*|bricht|brach)\b[^.?]{0,60}?\bweil\b",
            ),
        ),
        options=r"\b(?:option|variante|möglichkeit|nummer|vorschlag)",
        concluding=Phrases(
            r"\b(?:weil|deshalb|daher|also|stattdessen|statt|ursache|grund|fehler liegt|fazit)\b",
            r"\b(?:empfehle|vorschlag|schlage|entschieden|entscheidung|option|besser)\b",
            r"\b(?:sollten?|muss|müssen|nie|immer|nicht mehr|nur|entfern\w+|ersetz\w+|behoben)\b",
        ),
    ),
    steps=StepCues(
        done=any_of(
            r"(?:(?:super|perfekt|gut|ok(?:ay)?|ja)[!,.]+ )?(?:alles |das ist |ist )?(?:jetzt "
            r"|nun )?(?:erledigt|fertig|behoben|umgesetzt|implementiert|committet|gepusht|gemergt"
            r"|hinzugefügt|aktualisiert|entfernt|angepasst|geändert|korrigiert|abgeschlossen"
            r"|gelöscht|umbenannt)\b",
            r"alle (?:[\w-]+ ){0,5}(?:laufen|bestehen|bestanden|grün|erledigt|umgesetzt"
            r"|durchgelaufen|abgeschlossen)\b",
            r"(?:ich habe?|(?:der|die|das) [^.!?\n]{3,60} (?:ist|sind|wurden?)) [^.!?\n]{0,80}"
            r"\b(?:erledigt|behoben|umgesetzt|implementiert|committet|gepusht|hinzugefügt"
            r"|aktualisiert|entfernt|angepasst|geändert|korrigiert|gelöscht|umbenannt)\b",
        ),
        undone=r"\bnoch nicht\b|\bkonnten? (?:\w+ ){0,4}nicht\b|\bnicht (?:ganz|vollständig"
        r"|möglich|getestet|fertig|gelaufen)\b|\bteilweise\b|\bschl[aä]gt\b|\bfehlgeschlagen\b"
        r"|\b(?:steht|stehen) noch\b|\bfehl(?:t|en)\b|\boffen\w*\b|\ballerdings\b|\bjedoch\b"
        r"|\bleider\b|\bmusst du\b|\bmüssen sie\b|\baußer\b|\b[1-9]\d* fehler\b",
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
        doing=r"(?:(?:jetzt|nun|zuerst|zunächst|gut)[,.!]? )*(?:ich (?:werde|schaue|prüfe|lese"
        r"|füge|sehe|muss)|schaue ich|prüfe ich|lass(?:t|en sie)? mich)\b",
        looking=r"\b(?:schauen?|ansehen|prüfen?|lesen?|sehen?|suchen?|testen?|starten?|öffnen?)\b",
        promised=StemmedCue(
            stems="künftig|zukünftig|in zukunft|ab jetzt|ab sofort|nicht mehr|nie",
            phrases=r"\b(?:künftig|zukünftig|in zukunft|ab (?:jetzt|sofort)) (?:werde )?ich\b"
            r"|\bich werde\b[^.!?\n]{0,80}\b(?:nicht mehr|nie(?:mals)?|künftig|in zukunft)\b",
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
        remember="merk(?:e)? dir[:,]?(?: dass)?|denk daran,? dass|vergiss nicht,? dass|behalte,? "
        "dass",
        remember_after="bitte",
        forget="vergiss,?(?: dass| was)(?! nicht)|wir (?:nutzen|verwenden)(?=.*nicht mehr)",
        forget_after="bitte",
        unsure_after="wenn|falls|ob",
        unsure="gerade",
        copula=r"\s(?:ist|sind|steht|liegt)\s",
        purpose="für|als",
        life=any_of(
            r"ich (?:\w+ ){0,3}?(?:meistens|normalerweise|gewöhnlich|immer(?! noch)|oft|selten|nie"
            r"|regelmäßig|früher)\b",
            r"ich (?:mag|liebe|hasse|esse|trinke|spiele|sammle|besitze|fahre|lerne|studiere"
            r"|unterrichte|pendle|bevorzuge)\b(?! (?:die idee|das|dein|es|den vorschlag))",
            r"ich bin (?:seit |jetzt |auch )?(?:vegetarier|vegan|verheiratet|schwanger|allergisch"
            r"|rentner|student|lehrer|\d+ jahre)",
            r"(?:mein|unser)\w{0,2} (?:frau|mann|partner|sohn|tochter|kind|mutter|vater|eltern"
            r"|schwester|bruder|oma|opa|hund|katze|freund|chef|nachbar|kolleg)\w*,? (?:\w+ )?"
            r"(?:ist|hat|heißt|war|hatte|mag|wird|arbeitet|wohnt|feiert|heiratet)\b",
            r"mein\w{0,2} lieblings\w+",
            "(?:ich bereite mich auf|ich spare (?:für|auf)|als (?:angehende|leidenschaftliche))",
            r"ich (?:benutze|verwende|nutze) (?-i:[A-Z])\w+ (?:für|um|als|zum|zur|seit|am)\b",
            r"ich \w+ (?:mich )?(?:jede[nrs]? \w+|(?:mon|diens|donners|frei|sams|sonn)tags"
            r"|mittwochs|morgens|abends|wochentags)\b",
            r"(?:ich habe|wir haben) (?:einen?|zwei|drei|\d+) (?:\w+ )?(?:hund|katze|kind|sohn"
            r"|tochter|bruder|schwester|söhne|töchter|brüder)\w*",
            r"ich (?:verdiene|zahle|bezahle|spare|wiege)\b(?=.*\d)",
            r"(?:mein|unser)\w{0,2} (?:frau|mann|partner|sohn|tochter|mutter|vater|schwester|bruder"
            r"|hund|katze|freundin|freund|chef|nachbarin|kollegin) (?-i:[A-ZÄÖÜ][a-zäöü]+)\b",
        ),
        tools="ich (?:benutze|verwende|nutze)",
        taste=r"ich (?:mag|liebe|hasse|bevorzuge)|mein\w{0,2} lieblings",
        events=r"(?:ich (?:habe|hab|bin|war)|(?:habe|hab|bin|war) ich)\b(?! (?:eine frage|ein "
        r"problem|keine ahnung))(?=.*\b(?:\w{0,4}ge\w{3,}|\w{3,}iert|be\w{3,}|ver\w{3,}|in|bei)\b)",
        when=r"\b(?:gestern|heute|vorgestern|neulich|kürzlich|letzte[nrs]? \w+|jede[nrs]? \w+"
        r"|seit \w+|vor (?:\d+|ein\w*|zwei|drei|vier|fünf|sechs) \w+|im (?:januar|februar|märz"
        r"|april|mai|juni|juli|august|september|oktober|november|dezember)|\d+ mal|am \d+\.)",
        asks=r"(?:hast|kannst|könntest|weißt|kennst|würdest|sollte|soll) (?:du|ich)\b"
        r"|(?:können|könnten|haben|wissen) sie\b|(?:wie|wo|wann|warum|welche\w?|gibt es)\b",
        reasons=r"\b(?:weil|denn|da ich)\b",
        never_after=("wenn", "falls", "ob"),
        work=r"datei\w*|fehler\w*|funktion\w*|skripte?|datenbank\w*",
    ),
    memory=MemoryCues(
        task_bound=r"\b(?:diese[rnms]?|heute|vorerst|diesmal)\b",
        stands_here=r"\bhier\b",
        purpose="für",
    ),
    reports=ReportCues(
        speech=words_of("nutzer benutzer möchte will wollte entschieden beschlossen")
    ),
)
