"""Cues in German."""

from steno.facts.languages.cues import LanguageCues, any_of, words_of

_SUBJECT = (
    r"(?:ich|er|sie|es|wir|ihr|man|der|die|das|den|dem|ein|eine|einer|mein\w*|sein\w*|ihre?|unser\w*|dies\w*"
    r"|was|wie|warum|wieso|wer|wo|da|dann|hier|noch|schon|leider|gestern|heute|nein|ja|kein problem"
    r"|keine ahnung)"
)
_IMPERATIVE = rf"^(?:bitte |also |und |aber )*(?!{_SUBJECT}\b)"
_NOT = r"(?:nicht|nichts|nie|niemals|kein(?:e|en|em|er|es)?|keinesfalls|keinerlei)"
_LANGUAGE = r"(?:deutsch|englisch|französisch|spanisch|chinesisch|italienisch)"

GERMAN = LanguageCues(
    name="de",
    words=any_of(
        r"\b(?:der|die|das|den|dem|des|ein|eine|einen|ist|nicht|und|bitte|du|ich|wir|auf|im|mit|zu|zum|kein\w*"
        r"|immer|nie|niemals|jede\w*|alle|ab|deine?|mir|mich"
        r"|ohne|bevor|vor|wenn|fasse?|frage?|nutze|verwende|schreib\w*|benutze|finger|dich|dass|sind|aus|nur"
        r"|halte|antworte|lieber)\b|[äöüß]"
    ),
    asks=any_of(
        r"(?:^|[,;:–—-]\s*)(?:kannst|könntest|kann|soll|sollten|sollte|muss|müssen|was|wie|warum|wieso|welche"
        r"|wo|wer|ist|hast|darf)\b"
    ),
    idle=any_of(
        r"\beigentlich\b[^.;]*\bnicht\b",
        r"\bnicht schlecht\b|\bnicht,? dass\b|\bglaube? nicht\b",
        r"\bkein (?:problem|ding)\b|\bkeine (?:ahnung|sorge|eile)\b",
        r"\bnoch nie\b",
        r"\bimmer noch\b",
        r"\b(?:das|es|er|sie) muss (?:ein|eine|wohl|am)\b",
    ),
    reported=any_of(
        r"\b(?:er|sie|chef|kunde|doku|readme) (?:sagt|sagte|meint|meinte|schreibt|schrieb)\b|\bsteht\b.*:|\blaut\b"
    ),
    once=any_of(
        r"\b(?:noch (?:nicht|nichts|kein\w*)|erst ?mal|erstmal|vorerst|diesmal|gerade nicht|im moment"
        r"|jetzt nicht|nicht jetzt)\b"
    ),
    lasting=any_of(
        r"\b(?:ab (?:jetzt|sofort|nun|heute)|von nun an|künftig|in zukunft|zukünftig|immer|niemals|nie|stets"
        r"|grundsätzlich|jedes ?mal)\b"
    ),
    release=any_of(
        r"\b(?:du|ihr|wir) (?:darfst|dürft|dürfen|kannst|könnt)\b.*\b(?:jetzt|wieder|nun|doch|ab (?:jetzt|sofort))\b",
        r"\bvergiss\b.*\b(?:regel|vorgabe|verbot|anweisung|gesagt)",
        r"\b(?:ignorier\w*|streich\w*)\b.*\b(?:regel|vorgabe|verbot|anweisung)",
        r"\b(?:musst|brauchst|müssen|müsst)\b.*\bnicht mehr\b|\bnicht mehr (?:nötig|notwendig|erforderlich"
        r"|verboten)\b",
        r"\b(?:wieder|jetzt|nun) (?:erlaubt|gestattet|in ordnung|ok)\b|\bgilt nicht mehr\b|\b(?:verbot|regel"
        r"|sperre)\b.*\b(?:aufgehoben|vorbei|hinfällig)\b",
    ),
    consent=any_of(
        r"^(?:ok|okay|ja|gut|na gut|klar|schön|in ordnung|einverstanden)[,.!:]? "
        r"(?:dann )?(?:du|ihr|wir)? ?(?:darfst|dürft|kannst|könnt)\b"
    ),
    instead=any_of(r"^(?:bitte )?(?:nimm|benutze?|verwende|nutze?|schreib\w*)\b"),
    language=any_of(
        rf"\b(?:antworte\w*|schreib\w*|sprich|rede|erklär\w*)\b[^.;]*\b(?:auf|in) {_LANGUAGE}\b(?!.*\bbrief\b)",
        r"\b(?:kommentare?|commit\S*|nachrichten|doku\w*|namen|texte|antworten|alles)\b[^.;]*\b(?:auf"
        rf"|in) {_LANGUAGE}\b",
    ),
    output=any_of(
        r"\bantworte\w* (?:\w+ )?(?:nur|kurz|knapp|ausschließlich|immer|mit|ohne|in)\b|\bhalte? (?:dich"
        r"|deine antworten|die antworten)\b|\bfasse? dich\b[^.;]*\b(?:kurz|kürzer|knapp)",
        r"^(?:bitte )?sei (?!so\b|nicht\b|vorsichtig)(?:bitte |immer )?\w+",
        r"\bgib\b[^.;]*\b(?:immer|stets)\b[^.;]*\b(?:aus|an)\b|\bohne erklärung\w*\b|\b(?:duze?|sieze?)\b mich"
        r"|\bdeine antworten\b[^.;]*\b(?:sollen|müssen|sollten)\b",
    ),
    prohibition=any_of(
        rf"{_IMPERATIVE}[^?]*\b{_NOT}\b",
        r"\b(?:darf|darfst|dürfen|soll|sollst|sollen|sollte)\b[^.;?]*\b(?:nicht|nie|niemals|kein\w*)\b",
        r"\bauf keinen fall\b|\bunter keinen umständen\b|\b(?:verboten|untersagt|tabu)\b|\b(?:finger"
        r"|hände) weg\b|\bin ruhe\b|^(?:bitte )?vermeide\b|\bhör auf\b",
        r"\bverzichte\w* auf\b|\bkommt nicht in ?frage\b|\bohne meine?n?\b|\b(?:gehör\w+|komm\w+|landen"
        r"|landet)\b[^.;?]*\b(?:nie|niemals|nicht|kein\w*)\b",
        r"\bich (?:möchte|will|wünsche)\b[^.;?]*\bkein\w*\b",
        r", (?:nie|niemals|nicht) \w+[.!]?$",
        r"\bwir\b[^.;?]*\b(?:nie|niemals)\b[^.;?]*",
        r"\bohne\b[^.;?]* zu (?:ändern|verändern|berühren|brechen|löschen)\b",
    ),
    obligation=any_of(
        rf"{_IMPERATIVE}[^?]*\b(?:immer|stets|jedes ?mal|grundsätzlich)\b",
        r"\b(?:ab (?:jetzt|sofort|nun)|von nun an|künftig|in zukunft|zukünftig)\b",
        r"^(?:dein\w*|alles|unser\w*)\b[^?]*\b(?:müssen|muss|sollen|soll|sollten|sollte)\b",
        r"^(?:alle|jede[rs]?|sämtliche)\b[^?]*\b(?:müssen|muss|sollen|soll|brauchen|braucht|sollten)\b",
        r"\b(?:stell\w* (?:immer )?sicher|achte darauf|sorge? dafür|denk\w* (?:daran|dran)|vergiss nicht)\b",
        rf"{_IMPERATIVE}[^?]*\b(?:vor jede[mr]|bevor du|nach jede[mr]|in jede[mr]|bei jede[mr])\b"
        r"|\bimmer,? wenn du\b|\bimmer wenn\b"
        r"|\bsobald du\b",
        r"\bfrag\w* (?:mich|uns|vorher|erst)\b|\b(?:mir|uns) ist (?:\w+ )?wichtig\b"
        r"|\bes ist (?:\w+ )?(?:wichtig|entscheidend|zwingend|nötig)\b",
        r"\bich (?:will|möchte|erwarte),? dass (?:jede\w*|alle|du|immer|ihr|sämtliche)\b|\b(?:dürfen"
        r"|darf) nur\b|\b(?:muss|müssen|soll|sollen)\b[^.;?]*\bbleiben\b",
        rf"{_IMPERATIVE}[^?]*\b(?:durchgehend|überall|konsequent|vorher)\b",
        r"\b(?:beschränke? dich|halte? dich an|richte dich nach|bleib\w* bei|nimm immer)\b|\b(?:pflicht"
        r"|vorgeschrieben|zwingend|verpflichtend|obligatorisch)\b",
        rf"{_IMPERATIVE}[^?]*\b(?:höchstens|maximal|mindestens|statt)\b|\b(?:du musst|ihr müsst|muss (?:immer"
        r"|stets|unbedingt))\b",
        rf"{_IMPERATIVE}[^?]*\b(?:nur noch|ausschließlich)\b",
    ),
    preference=any_of(
        r"\bich hätte gerne?\b[^.;?]*\b(?:antwort|immer|alle|jede)|\bich (?:bevorzuge|hätte (?:lieber"
        r"|gerne? immer)|mag lieber|würde lieber|ziehe)\b|\bmir (?:ist|sind|wäre|wären)\b[^.;?]*\blieber\b"
        r"|\bam liebsten\b",
        r"\bwir (?:verwenden|benutzen|nutzen|arbeiten)\b[^.;?]*\b(?:hier|statt|nicht|kein\w*|nur)\b",
    ),
    empty=words_of(
        "der die das den dem des ein eine einen einem einer und oder nicht nichts nie niemals kein keine keinen "
        "keiner immer stets bitte du ich wir mir mich dir auf an im in mit zu zum zur von vor ab jetzt sofort nun "
        "wieder darfst darf dürfen muss musst müssen soll sollst sollen kannst kann ist sind erlaubt verboten "
        "regel vergiss mehr neue neuen neuer alle jede jeden jedem jeder lass ruhe wenn dass deine deinen sich "
        "hier statt lieber bevorzuge fragst frage fragen bevor"
    ),
)
