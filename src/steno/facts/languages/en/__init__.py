"""Every cue of English, put together."""

from steno.core.words import words_of
from steno.facts.languages.cues import (
    LanguageCues,
    MemoryCues,
    ReportCues,
    TextCues,
    TodoCues,
    TopicCues,
    any_of,
    pattern,
)
from steno.facts.languages.en.agent import DECISIONS, DOUBTS, ORDERS, STEPS
from steno.facts.languages.en.changes import AMENDS, CHANGES
from steno.facts.languages.en.frames import LANGUAGE
from steno.facts.languages.en.people import REQUESTS, TRAITS
from steno.facts.languages.en.relays import RELAYS
from steno.facts.languages.en.rules import RULES
from steno.facts.languages.phrases import Phrases

ENGLISH = LanguageCues(
    name="English",
    words=pattern(
        r"\b(?:the|and|you|is|it|to|of|not|don[’']?t|with|for|this|that|please|never|always|my|are"
        "|be|should|must|when|all|every|each|no|we|from|on|use|keep|only|can|i[’']?[dm]?|a|an|in|if"
        "|me|your|or|but|do|by|so|at|as|any|have|has|was|will|would|before|after|ask|them|they"
        r"|there|what|which|make|run)\b"
    ),
    empty=words_of(
        "the and you your with for this that these those please never always not don dont must "
        "should shall may can could would will from now here point going forward when whenever "
        "every each all any anything everything time times are was were has have had been being "
        "its into onto about what said say rule rules instruction restriction ban requirement "
        "constraint preference forget ignore disregard longer need needs again after fine okay "
        "allowed lifted gone make sure ensure keep leave alone stay away prefer rather than like "
        "want under no circumstances stop avoid only just also then ever new more over both here "
        "there our out use before ask me my it is be to of in on at as an a i we do or if so up"
    ),
    statements=Phrases(
        r"\b(?:prefers?|(?:would|[’']d) rather|(?:user|i|we) wants?|user[’']s"
        r"|needs? to (?:be|stay|remain))\b",
        r"\b(?:must|never|always|only|do not|don[’']t|from now on|instead of)\b",
        r"\b(?:budget|deadline|due (?:on|by)|at most|no more than|up to|limit(?:ed)? (?:is|to)"
        r"|cap(?:ped)? (?:is|at|of)|ceiling|approval|until)\b",
        r"\b(?:current(?:ly)? (?:task|step|goal|branch|state)|next step|(?:open|pending) question"
        r"|awaiting|waiting (?:for|on)|blocked (?:by|on)|steps? \d|phase \d|(?:is|are) failing"
        r"|based on|owner|owns|responsible for|codename|in charge|scheduled)\b",
        r"^if\b[^?]*,\s*(?:then )?(?:stop|ask|tell|escalate|wait|report|use|call|refuse|abort)\b",
    ),
    rules=RULES,
    changes=CHANGES,
    relays=RELAYS,
    amends=AMENDS,
    small_words=words_of(
        "the and you is it to of not don't with for this that my are be should must when all we "
        "from on can an if your or but do by so at as have has was were will would they there "
        "what which i a in been which it's its"
    ),
    topics=TopicCues(
        code=r"comment|docstring|docs?\b|documentation|commit",
        length=r"short|brief|concise|terse|long|detail|sentence|words?\b|length",
        answers="answers?|repl(?:y|ies)|responses?|yourself",
        languages=LANGUAGE,
    ),
    text=TextCues(
        chat=(
            (r"u(?= (?:can|may|could|should|must|need|don))", "you"),
            (r"ur", "your"),
            (r"pls|plz|plss", "please"),
            (r"tho", "though"),
            (r"w/o", "without"),
            (r"dont|do'nt|dnt", "don't"),
            (r"doesnt", "doesn't"),
            (r"isnt", "isn't"),
            (r"arent", "aren't"),
            (r"cant", "can't"),
            (r"wont", "won't"),
            (r"shouldnt", "shouldn't"),
            (r"mustnt", "mustn't"),
            (r"teh", "the"),
            (r"alwyas|allways|alway", "always"),
            (r"nver|nevr", "never"),
            (r"cuz|coz|bc", "because"),
            (r"gonna", "going to"),
            (r"lets", "let's"),
        ),
        shouted="never|always|please|do not|don['’]?t|only|no",
        abbreviations=r"e\.?g|i\.?e|etc|vs|cf|approx|mr|mrs|ms|dr|prof|no|fig|al|inc|st",
        documents=any_of(
            "feedback|plan|output|logs?|errors?|stack ?trace|review|comments?|e-?mail|text|article",
            "essay|document|transcript|messages?|code|diff|story|draft|summary|paragraph|passage",
            "abstract|letter|report|issue|ticket|spec(?:ification)?|readme|scenario|idea|response",
            "answer|post|quote|excerpt|chapter|poem|lyrics|script|resume|cv|conversation",
            "description|warning|content|snippet|function|query|schema|thoughts",
        ),
        logs="code|log|error|output|diff|trace|snippet|function|query|schema",
    ),
    todos=TodoCues(
        finished="completed?|done|finished|closed|cancell?ed|deleted|skipped|resolved|true",
        unfinished=any_of(
            "pending|in[_ -]?progress|to[_-]?do|not[_ -]started|open|doing|active|blocked|running",
            "started|queued|waiting|failed|false",
        ),
    ),
    requests=REQUESTS,
    doubts=DOUBTS,
    decisions=DECISIONS,
    steps=STEPS,
    orders=ORDERS,
    traits=TRAITS,
    memory=MemoryCues(
        task_bound=any_of(
            r"\b(?:this|that|these|those|the current) (?:pr|pull request|task|file|files|function"
            r"|class|method|test|tests|branch|commit|change|changes|session|conversation|chat|time"
            r"|ticket|bug|issue|script|page|answer|question|step|part|line|one)\b",
            r"\b(?:here|today|tonight|for now|right now|just once|yet)\b",
        ),
        stands_here=r"^(?:here,? )?we\b",
        purpose="for",
        alternatives=(
            frozenset({"tabs", "spaces"}),
            frozenset({"short", "brief", "concise", "terse", "long", "detailed", "verbose"}),
            frozenset({"dark", "light"}),
            frozenset({"metric", "imperial"}),
            frozenset({"british", "american"}),
            frozenset({"tea", "coffee"}),
            frozenset({"single", "double"}),
            frozenset({"vim", "emacs", "nano"}),
            frozenset({"npm", "yarn", "pnpm", "bun"}),
            frozenset({"pip", "poetry", "uv", "pdm"}),
            frozenset({"unittest", "pytest"}),
        ),
    ),
    reports=ReportCues(
        speech=words_of(
            "user users person assistant asked asks asking wants wanted wish wishes said says told "
            "tells decided decides decision requested requests request prefers preferred approved "
            "approves allowed confirmed agreed chose insisted expects ordered instructed required "
            "requires needs needed has had did does been was were will would next then now first "
            "because instead"
        ),
        joining=words_of(
            "a an and at based built by co cross de down end fast first fly follow for full half "
            "hand hard high in level like line long low multi new non of off old on one only open "
            "or order out over own per post pre re read real run running second self set short "
            "side single so step sub the third through time to two type up user well wide word "
            "write"
        ),
        openers=words_of(
            "a all and another any both each either everything he here however i if it many most "
            "neither no nobody none nothing one only others our she so some that the their there "
            "these they this those user assistant we what which you analysis attempts bug bugs "
            "build builds calls change changes checks code command commands data details error "
            "errors failure failures file files findings fix fixes issue issues lines logs "
            "messages names numbers options output parts progress questions reading reason results "
            "rows run runs steps task tasks test testing tests values work"
        ),
    ),
)
