"""How rules are changed: permissions, exceptions, corrections, in German."""

from steno.core.words import words_of
from steno.facts.languages.cues import AmendmentCues, RuleChangeCues, any_of
from steno.facts.languages.phrases import Phrases

CHANGES = RuleChangeCues(
    permits=Phrases(
        r"\b(?:ist|sind) (?:jetzt |nun |wieder |ab sofort |inzwischen )*(?:freigegeben|offen|drin"
        r"|frei|entsperrt|genehmigt|erlaubt|optional|egal|unkritisch|kein thema)\b",
        r"\b(?:geht|gehen|passt|passen)(?: jetzt| nun| wieder| auch| für mich| mir)+\b"
        r"|\bhab(?:e)? ich nichts (?:mehr )?(?:dagegen)?|\bhat sich erledigt\b"
        r"|\bkannst (?:du )?(?:ruhig|gern\w*|dir sparen|weglassen)\b",
        r"\bkein\w* [\w -]{2,30} (?:mehr )?(?:nötig|notwendig|erforderlich)\b|^lass (?:den|die"
        r"|das) [\w-]+ (?:weg|bleiben|sein)\b|^schluss mit\b|\b(?:freie hand|grünes licht)\b",
        r"^(?:bei |für )[\w -]{3,30} (?:ok|okay|erlaubt|kein problem|egal|jederzeit)[.!]*$"
        r"|^[\w -]{3,30} jederzeit[.!]*$|\b(?:egal|wann du willst|wie du willst)\b",
        r"\bnicht (?:mehr|länger)\b|\b(?:habe|hab) nichts (?:mehr )?dagegen\b"
        r"|\bspricht nichts dagegen\b|\b(?:verbot|regel|sperre|vorgabe|beschränkung|limit|pflicht"
        r"|stopp)\w*\b[^.;?]*\b(?:weg|aufgehoben|vorbei|hinfällig|gestrichen|passé|erledigt"
        r"|entfällt|gelockert)\b|\bich (?:hebe|nehme)\b[^.;?]*\b(?:auf|zurück)\b"
        r"|\bwieder (?:\w+ ){0,2}(?:werden|erlaubt)\b",
        r"\b(?:du|ihr|wir|sie)? ?(?:darfst|dürft|darf|dürfen|kannst|könnt|können)\b"
        r"(?![^.;]*\b(?:nicht|nie|niemals|kein\w*|nur)\b)",
        r"\b(?:ist|sind|wäre|wären|geht|gehen)\b[^.;]*\b(?:erlaubt|gestattet|in ordnung|ok|okay"
        r"|klar|zulässig|möglich|frei|genehmigt|gut so|kein problem|ausgenommen)\b",
        r"\b(?:musst|brauchst|müssen|müsst|muss|brauchen|braucht)\b[^.;]*\bnicht\b|\bnicht (?:nötig"
        r"|notwendig|erforderlich)\b|\bentfällt\b|\bentfallen\b",
        r"\b(?:du hast|ihr habt) (?:meine|die) (?:erlaubnis|genehmigung|freigabe|zustimmung)\b",
        r"\b(?:ich erlaube|ich genehmige|von mir aus|meinetwegen|nur zu|ausnahme|ausnahmsweise"
        r"|einverstanden|vergiss|streich|aufgehoben|vorbei|hinfällig|gilt nicht)\b",
        r"^(?:ok|okay|ja|gut|na gut|klar|schön|in ordnung|einverstanden)[,.!:]? (?:dann"
        r" )?[^\W\d]\w*",
    ),
    excepts=Phrases(
        r"\b(?:gilt|gelten|zählt|zählen|betrifft) (?:das |die regel )?nicht (?:für|bei)\b"
        r"|^[\w -]{3,30} zählen nicht[.!]*$|^(?:aber |nur )?bei (?:den |der |dem "
        r"|reinen? )?[\w -]{3,30} nicht[.!]*$|^für (?:die |den |das )?[\w -]{3,30} (?:gilt"
        r"|gelten)\b[^?]*\bnicht\b",
        r"\b(?:ausnahme|ausnahmen|außer|ausgenommen|ausnahmsweise|bis auf)\b|\bals das\b",
    ),
    exempts=r"(?:aber |und )?(?:außer|ausgenommen|bis auf|mit ausnahme|(?:das |die regel )?gilt "
    r"nicht (?:für|bei)|bei [\w -]{3,30} nicht(?=[.!]*$)|[\w -]{3,30} zählen nicht)",
    unless="(?:aber |und )?es sei denn",
    apart=r"^\W*(?:aber |und )?(?:außer|ausgenommen|bis auf|mit ausnahme|es sei denn)\b"
    r"|\bausnahmen?\b|^[\w./-]+ (?:ist|sind) (?:auch )?(?:erlaubt|gestattet|ausgenommen)[.!]*$",
    extends=any_of(
        r"^(?:und |aber )?(?:das |dies |die regel )?gilt (?:auch|ebenso|genauso) (?:für|bei|auf|in"
        r"|an|am|im)\b",
        r"^(?:und )?(?:dasselbe|das gleiche|gleiches) (?:gilt )?(?:für|bei|auf)\b",
        r"^(?:und )?(?:ebenso ?wenig|auch nicht) (?:auf|in|an|für|bei|mit|am|im)\b",
        r"^einschließlich\b",
        r"^(?:das|dies) schließt (?:auch )?[\w ./-]{2,40} ein[.!]*$",
        r"^(?:und )?(?:auf|in|an|für|bei|mit|am|im) [\w ./-]{2,40} auch nicht[.!]*$",
    ),
    explains=r"\b(?:deshalb|darum|daher|deswegen|leider)\b",
    restates=Phrases(
        r"\b(?:soll\w*|muss|müssen|lieber|stattdessen|besser|ab (?:jetzt|sofort|heute)|künftig|doch"
        r"|nicht|statt|wird|werden|erhöh\w*|senk\w*|änder\w*|neu\w*|jetzt|nimm|nehmen)\b"
    ),
    joins="oder|und|noch|sowie",
    nods="ok|okay|ja|gut|na gut|klar|schön|in ordnung|einverstanden",
    hence="also|und|aber|daher|deshalb|darum|bitte|dann",
    marks=r"\b(?:eigentlich|doch|jetzt|stattdessen|lieber|korrektur|ab (?:jetzt|sofort|heute)"
    r"|künftig|von nun an|in zukunft|neu|nun)\b",
    overrules=r"\b(?:doch(?: lieber)?|stattdessen|korrektur|ich meinte|planänderung|vertan"
    r"|verwechselt|anders überlegt|ab (?:jetzt|sofort|heute)|von nun an|jetzt|künftig|statt)\b",
    idioms=r"\b(?:ab (?:jetzt|sofort|heute|nun)|von nun an|von mir aus|meinetwegen|wie du "
    r"(?:willst|magst|möchtest)|so viel du willst|was du (?:willst|möchtest)|wenn du (?:willst"
    r"|magst|möchtest)|nicht mehr|in ordnung|vergiss (?:die|das)(?: regel)?(?: mit)?|die regel "
    r"(?:zu|über|mit|für)|das verbot (?:von|für|über)|was ich (?:\w+ ){0,3}gesagt habe|jederzeit"
    r"|nach belieben|ach was|passt|ruhig|gern\w*|(?:meine|die) (?:erlaubnis|genehmigung|freigabe"
    r"|zustimmung)|die sperre (?:für|von)|ohne (?:zu fragen|rückfrage\w*|mein\w* \w+|nachzufragen)"
    r"|(?:ist|sind) (?:jetzt |nun |wieder )?freigegeben|mit sofortiger wirkung|nicht (?:mehr "
    r")?(?:zu )?(?:nach)?fragen,? (?:bevor|vor))\b",
    points=r"\b(?:die|den|das|der|dem) (?:da|hier|dort|eine[nrsm]?)\b|\b(?:diese[nrsm]?"
    r"|jene[nrsm]?|ihn|sie|es)(?=[.!,]| \w+e?n[.!]*$|$)",
    narrows=any_of(
        r"(?<!ich )\bmeine?[nrsm]? (?!erlaubnis|genehmigung|freigabe|zustimmung|regel|vorgabe)\w+"
        r"|\b(?:heute|morgen|hier|dort|manche[nrsm]?|einige[nrsm]?|nach|vor|mit|ohne|sobald"
        r"|nachdem|bevor|aber nicht|(?:deine|eure|unsere|seine|ihre)[nrsm]? \w+)\b",
        r"\bdiese[rnsm]? (?!regel|verbot|vorgabe|sperre|\w*schränkung|limit|pflicht)\w+",
        r"\b(?:wenn|falls|während|zwischen|innerhalb|außerhalb|solange|sofern|außer|nur|ausnahme"
        r"|nachts|(?:lösch|nimm|push|installier|änder|mach)\w* (?:die|sie|das|diese)(?=[.!]*$)|am"
        r" wochenende|wochenends|bis zu|für (?:diese\w*|den|die|das))\b"
        r"|^(?:bei|für|im|in|auf|unter|während|innerhalb|dann|danach|später|ab)\b",
    ),
    relatives=r"die|der|das|den|dem|deren|welche\w*|wo",
    compares=r"\b(?:mehr|weniger|über|unter|länger|höchstens|maximal|mindestens|überschreit\w*)\b",
    conditions=r"\b(?:frag\w*|zustimm\w*|zustimmung|genehmigung|erlaubnis|ohne mein\w*|bevor|bis)\b"
    r"",
    negates=r"\b(?:nicht|nichts|nie|niemals|kein\w*|ohne|verboten|tabu|weg|vermeide|außer)\b",
    spares=r"\b(?:musst|müsst|müssen|muss|brauchst|braucht|brauchen)\b[^.;]*?\bnicht(?: mehr"
    r"| länger)?\b|\bnicht (?:mehr |länger )?(?:nötig|notwendig|erforderlich|vonnöten)\b"
    r"|\bunnötig\b|\bkein\w* (?=.*\b(?:nötig|notwendig|erforderlich)\b)",
    declines=r"\b(?:nicht|nie|niemals|kein\w*|entfällt|entfallen|überflüssig)\b",
    bans=r"\b\w*(?:regel|verbot|vorgabe|sperre|beschränkung|limit|grenze|anweisung|stopp)(?:e?n"
    r"|s)?\b|\b(?:verboten|untersagt|tabu|gesperrt|eingefroren|dagegen|gegen|problem|schlimm"
    r"|stört|gilt|gelten|zählt|vermeid\w*|gesagt)\b",
    once=r"\b(?:diese[nrsm]? (?:eine[nrsm]?|mal)|diesmal|ausnahmsweise|einmalig|nur (?:dieses|dies)"
    r"|für (?:diesmal|dieses mal)|nur einmal)\b",
    subjects=r"(?:weil|da|denn|d(?:er|ie|as|en|em|ies\w*)|(?:ein|mein|dein|unser|kein)\w*|ich|wir"
    r"|du|ihr|er|sie|es|man|alles?|jetzt|nun|inzwischen)\b",
    states=r"\b(?:ist|sind|war|waren|hat|haben|wurde|läuft|weil|da|denn)\b",
    wide=words_of(
        "der die das den dem des ein eine einen einem einer eines und oder du dir dich dein "
        "deine ich mich mir wir uns ihr euch er sie es man mein meine unser ist sind war sein "
        "wird werden wurde hat haben habe zu zum zur von vom in im an am auf aus bei mit für vor "
        "nach über unter durch um als wie so da dort hier doch noch schon ja nein ok okay gut "
        "klar bitte also aber auch nur jetzt nun wieder künftig ab sofort heute immer nie "
        "niemals nicht nichts kein keine keinen keinem keiner keines jede jeder jedes jeden "
        "jedem alle alles allen aller darfst dürft darf dürfen kannst könnt kann können musst "
        "muss müssen brauchst braucht brauchen soll sollst sollen erlaubt gestattet ordnung "
        "zulässig möglich frei regel regeln verbot vorgabe sperre beschränkung grenze limit "
        "aufgehoben vorbei hinfällig gilt mehr vergiss gesagt was dass wenn verwende verwenden "
        "benutze benutzen nutze nutzen nimm nehmen lass lassen bleibt bleiben ganz machen mache "
        "mach gehen geht ohne denn weil mal dann damit fass anfassen einverstanden finger weg "
        "hör auf brauche erlaubnis genehmigung freigabe hast habt meine laufen anderes etwas "
        "irgendwas bzw sowie weder auch gelten nötig notwendig erforderlich"
    ),
    loose=words_of("anruhren ruhre ruhr direkt einfach versehentlich jemals"),
    same=(
        words_of("andere andern verandere bearbeite anruhren anfasse modifiziere"),
        words_of("losche loschen entferne"),
        words_of("frage fragen frag"),
        words_of("freigabe freigeben freigib genehmigen genehmigung"),
    ),
    numbers=words_of("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert"),
)

AMENDS = AmendmentCues(
    fillers="sondern|eben|also doch|(?:kannst|könntest) du(?: bitte)?|(?:können|könnten) wir(?:"
    " bitte)?|ok(?:ay)?|ja|gut|na|dann|und|bitte|ah+|oh+|hm+|äh+m?|tja",
    opens=any_of(
        r"nein|nee?|nö|ach|geh(?:t|en)? auf|moment|(?:sorry|entschuldigung|pardon)(?! (?:für"
        r"|wegen|for|about|to)\b)|verzeihung|quatsch|stopp?|halt|doch",
        "eigentlich|lieber|besser|eher|stattdessen|korrektur|tippfehler|falsch|verschrieben"
        "|vertippt",
        "oder(?: doch| lieber| besser| eher)?|sagen wir|ich mein(?:e|te)|mein fehler|höchstens"
        "|mindestens",
        "ich (?:hab(?:e)? mich|hatte mich) (?:vertan|geirrt|vertippt|verschrieben)|anders überlegt"
        "|(?:ich )?hab(?:e)?(?: es)? mir(?: es)? anders überlegt",
        "mach(?:en wir)?(?: es| das| daraus)?|nimm|verwende|nutze|benutze|nehmen wir|(?:es"
        "|das) (?:sind|soll(?:en)?|muss|müssen)(?: sein)?",
        r"(?:änder|setz|stell|erhöh|senk|verschieb)\w*(?: (?:es|das|sie|ihn))?(?: doch)? (?:auf|in"
        r"|zu)",
        "(?:es|das) sollten?|(?:ich )?hab(?:e)? mich (?:vertan|geirrt|vertippt|verschrieben)|nach "
        "reiflicher überlegung|wenn ich(?:'s| es) mir(?: recht)? überlege|ich denke|ich würde "
        "sagen|wechs(?:le|eln wir) (?:zu|auf|ins)|ab (?:jetzt|sofort)|jetzt|künftig|von nun an|bis",
        "(?:das |ein |die )?neue[rsn]? (?:limit|grenze|obergrenze|frist|budget|wert|termin|ziel"
        "|maximum)(?: ist)?|(?:die|das|der) (?:limit|grenze|obergrenze|budget|maximum"
        "|frist) (?:ist|liegt|beträgt)(?: jetzt| nun)?(?: bei)?",
    ),
    closes=any_of(
        "sein|nehmen|machen|setzen|mein(?:te|e) ich|draus|daraus|stattdessen|lieber|doch"
        "|natürlich|bitte|eher|sorry|auch|besser",
        "(?:passt|passen)(?: auch| schon)?|(?:geht|gehen|tun es|tut es|tun's|tut's)(?: auch)?"
        "|reich(?:t|en)(?: auch| aus| völlig)?|genüg(?:t|en)|(?:ist|sind|wär(?:e|en)?)(?: doch"
        "| auch)? (?:besser|genug|ok(?:ay)?|sicherer|in ordnung|mir lieber)",
    ),
    swaps="stattdessen|lieber|mein(?:te|e) ich",
    scales="(?:nein,? |doch,? )?(?:verdopple|halbiere|verdreifache) (?:es|das)|(?:die hälfte|das"
    " doppelte)(?: davon)?",
    denies="nicht|und nicht|statt|anstatt|anstelle von|kein(?:e|en)?",
    numbers="eins?|eine[rsmn]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig"
    "|hundert",
    small=words_of(
        "der die das den dem ein eine einen an am auf in im zu zum zur bei für mit unter "
        "von vom um als pro nur"
    ),
    talk=words_of(
        "ich wir er sie du ihr man mir mich dir was warum wieso wie wer wann wo ist sind war waren "
        "hat habe haben hatte wird wurde kann könnte muss läuft geht als gestern danke schön gut "
        "toll super prima schlecht klar stimmt richtig genau problem idee ahnung wetter fertig "
        "vielleicht später gesehen gemacht nichts alles etwas noch schon sehr so wenn weil aber "
        "heute immer nie nicht passt sieht egal frage hallo tschüss hole bin"
    ),
)
