"""Cues in English."""

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

_FIRST = (
    r"(?:^|[;:(–—!]\s*|[.]\b|\b(?:please|pls|kindly|again|rule|note|important|reminder|so|ok|okay"
    r"|yes),?:? )(?:please |also |just |always )*"
)
"""Where an order may begin that could as well be told of somebody."""
_AT = (
    r"(?:^|[,;:(–—!]\s*|[.]\b|\s-+\s|\b(?:so|also|please|pls|plus|just|ok|okay|yes|yeah|no|again"
    r"|btw|however|important|note|rule|reminder|kindly|nope|ps)[,:]?\s+)(?:please |also |just "
    "|kindly |do |ever |in general,? )*"
)
_NOT_MINE = r"^(?:(?!\b(?:i|we|it|he|she|they|there|let|lets)\b)[^?])*?"
"""From the start, without anybody who does or did it themselves."""
_MAIN = (
    r"^(?:(?!\b(?:if|because|since|which|where|why|means?|so that|that|fails?|causes?|error"
    r"|issue|bug|test)\b)[^?])*?"
)
"""From the start, in the main clause: what follows a cause or a condition is told, not ordered."""
_NOT = r"(?:do not|don[’']?t|never)"
_STATE = (
    r"(?:worry|mind|bother|think|know|remember|recall|have|see|understand|need|like|care|believe"
    r"|feel|get|hesitate|panic|rush|stress|give up|be (?:afraid|sad|shy|surprised|alarmed|mad)"
    r"|seem|look|work|want|expect|really|even|you|we|i|they|forget|yet|exist|appear|trust|agree)\b"
)
_LANGUAGE = (
    "(?:(?:british|american|us|uk|simple|plain) )?(?:english|french|german|spanish|chinese|mandarin"
    "|italian|portuguese|dutch|japanese|korean|russian|polish|turkish|arabic|hindi|swedish|danish)"
)
_SPEECH = (
    r"(?:answers?|responses?|repl(?:y|ies)|outputs?|explanations?|messages|summaries|code blocks)"
)
_I = (
    r"\b(?:i|we)(?:[’']d| would| do)?(?: (?:really|definitely|generally|usually|strongly|much|also"
    "|actually|still|personally|always|do))*"
)

_ORDER = (
    "(?:ask|use|tell|report|stop|do|don[’']?t|never|always|please|make|write|add|log|raise|return"
    "|skip|warn|let|keep|leave|respond|reply|answer|say|prefer|treat|mark|include|explain|show|give"
    r"|update|notify|wait|check|run|follow|put|assume)\b"
)

_NO_STATE = (
    r"(?:errors?|luck|differences?|output|results?|responses?|signs?|ways?|reasons?|idea|problems?"
    r"|issues?|matter|doubts?|need|one|clue|success|longer|info|more info|changes? (?:needed|here)"
    r"|questions?|thanks|worries|wonder|regrets?|rush|hurry|it|that|this|i|we|you|they|not|but"
    r"|please)\b"
)
"""What follows `no` in a report or an answer."""
_TASK = (
    r"(?:add|write|fix|make|build|create|update|rewrite|refactor|implement|clean|change|use|improve"
    r"|translate|port|migrate|speed|optimi[sz]e|extend|move|rename|replace|log|include|remove"
    r"|simplify|document|test|summari[sz]e)\b"
)
_NUMBER = (
    r"(?:[$€£]?\d[\d.,]*\w*|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty"
    r"|fifty|half|a hundred)"
)
_THING = (
    r"(?:amounts?|prices?|dates?|times?|timestamps?|numbers?|units?|names?|messages?|commits?"
    r"|comments?|docs|answers?|replies|titles?|headings?|distances|temperatures?|figures?|tables?"
    r"|examples?|code|output|variables|columns|identifiers|keys|tests|branches|files|functions"
    r"|classes|measurements|weights|costs|values|tickets|summaries|reports|labels|logs|charts)"
)

_OBJECT = (
    "(?= (?:the|all|any|every|each|this|that|these|those|it|them|your|my|our|its|a|an|both"
    r"|everything|sudo|rm|curl|wget|bash|sh|git|npm|pip|python3?|make|docker|kubectl)\b| [`$~./-])"
)
"""What follows a verb that is a noun in front of other words (`run failed`)."""

_LEAD = (
    r"^(?:(?:please|pls|kindly|ok|okay|also|and|but|so|then|just|again|now|hey|well|btw|always"
    r"|by the way|remember|one (?:more |last )?thing|first|second|third|finally|lastly|yes"
    r"|from now on|going forward)[,:.!]? )*"
    r"(?:(?:for|in|on|at|before|after|when|whenever|if|during|with|once|while|whatever|wherever"
    r"|where|unless|until|till|as|from)\b[^,;:?]{1,70}[,:] )?(?:please |also |just )?"
)
"""Where an order begins, after small words or one adverbial ("When in doubt, …")."""
_VERB = (
    r"(?:add|adjust|aim|align|allow|alter|annotate|anonymi[sz]e|answer|append|apply|ask|assume"
    r"|attach|back|base|batch|begin|bring|build|bump|cache|call|cap|change|check|choose|cite|clean"
    r"|clear|close|code|comment|commit|compare|compile|compress|confirm|consider|consult|contact"
    r"|convert|copy|count|cover|create|cut|declare|define|delete|deliver|deploy|describe|design"
    r"|discuss|display|do(?! (?:you|i|we|they|these|those)\b)|document|download|draft|drop|edit"
    r"|email|emit|encode|encrypt|end|ensure"
    r"|escape|exclude|explain|export|express|extend|extract|fetch|fill|filter|find|finish|fix|flag"
    r"|focus|follow|format|forward|gather|generate|get|give|go|group|handle|hash|hide|highlight"
    r"|hold|implement|import|improve|include|indent|inform|insert|install|integrate|introduce|issue"
    r"|keep|label|leave|limit|link|lint|list|load|lock|log|look|make|mark|mask|match|measure"
    r"|mention|merge|migrate|modify|move|name|note|notify|number|offer|omit|open|optimi[sz]e|order"
    r"|organi[sz]e|output|parse|pass|pay|phrase|pick|pin|place|plan|port|post|prefix|prepare"
    r"|present|preserve|print|prioriti[sz]e|process|produce|propose|provide|publish|pull|push|put"
    r"|query|quote|raise|read|rebase|rebuild|record|redact|reduce|refactor|refer|reference"
    r"|regenerate|reject|release|rely|remove|rename|render|repeat|replace|reply|report|rerun"
    r"|resolve|respond|restart|restore|restrict|retain|retry|return|reuse|review|rewrite|round"
    r"|route|run|save|say|schedule|search|send|separate|set|share|ship|show|sign|simplify|solve"
    r"|sort|speak|specify|speed|spell|spend|split|squash|start|state|stay|stick|stop|store"
    r"|structure|submit|suggest|summari[sz]e|support|sync|tag|take|talk|tell|test|tidy|touch|track"
    r"|train|translate|treat|try|turn|type|update|upgrade|upload|use|validate|verify|wait|warn"
    r"|work|wrap|write)\b"
)
"""Verbs that people open an order with."""
_BOUND = (
    r"(?:at most|at least|no (?:more|less|fewer|longer|later|earlier|bigger|larger) than"
    r"|not more than|a (?:max|min)(?:imum)? of|up to|under|below|less than|fewer than|within)"
)
_UNIT = (
    r"(?:minutes?|hours?|days?|seconds?|calls?|tokens?|dollars?|euros?|attempts?|tries|searches"
    r"|requests?|words?|steps?|turns?|credits?|tool calls?|gpu hours?)\b"
)

_RULES = RuleCues(
    asks=pattern(
        r"(?:^|[,;:–—-]\s*|\b(?:and|but|so|or|btw|question)\b,?\s+)(?:can|could|would|will|do|does"
        "|did|is|are|should|shall|must|have|has|isn[’']t|aren[’']t|don[’']t|doesn[’']t|didn[’']t"
        "|can[’']t|couldn[’']t|wouldn[’']t|shouldn[’']t|what|which|why|how|where|when|who|any"
        r"|am)\b"
    ),
    idle=Phrases(
        r"\bnever ?mind\b",
        r"\b(?:do not|don[’']?t|no need to) (?:worry|bother|mind|hesitate|get me wrong"
        r"|sweat)\b[^.,;]*",
        r"\b(?:have|has|had|[’']ve|(?<!let)[’']s) (?:\w+ )?(?:never|always)\b",
        r"\b(?:i|he|she|they|it|who|which|that|[’']m|am|is|are|was|were|can) (?:never|always)\b",
        r"\bas always\b|\balways (?:looking|on the lookout|wanted|been)\b",
        r"\bmust-\w+",
        r"\b(?:it|he|she|they|that|this|there|i|you) must (?:have|be)\b",
        r"\bno (?:\w+ ){1,4}(?:needed|necessary|required)\b",
        r"\bno (?:problem|worries|idea|thanks|wonder|doubt|rush|longer)\b|\(no more [^)]*\)",
        r"\bi (?:did not|didn[’']?t|don[’']?t|never|always|had to|forgot to)\b(?! (?:want|like"
        r"|wish|accept))[^.;,]*",
        r"\b(?:don[’']?t|do not|never) (?:break|forget|lose|miss)\b",
        r"\b(?:it|this|that|there) (?:can|could|might) only (?:be|have|mean)\b",
        r"\bit has to be (?:an?|the|some|something|because|due|related|that)\b",
        r"\b(?:which|that|ones|what|as|like|since|because) (?:i|we) prefer\b"
        r"|\b(?:i|we) can only\b",
    ),
    reported=Phrases(
        r"\b(?!i\b|we\b|you\b|any\w+\b)\w+ (?:said|says|wrote|writes|stated|states|told me|claims"
        "|claimed|recommends|recommended|suggests|suggested|mentioned|mentions|thinks|requested"
        r"|complains|wants me)\b",
        r"\b(?:docs?|documentation|readme|spec|article|guide|error|linter|compiler|message|page"
        r"|policy|manual)s? (?:say|claim|mention|tell)\b",
        r"\baccording to\b|^given that\b",
    ),
    once=Phrases(
        r"\b(?:yet|right now|for now|for the moment|this time|for a (?:second|sec|moment|bit)"
        r"|just now|until tomorrow|tonight)\b",
        r"^(?:ok|okay|good|great|alright|and|so|but)?,? ?(?:now|first)\b,?|\bgo ahead\b"
        r"|\band then (?:go|do|merge|commit|push|continue|run)\b",
        r"\b(?:do not|don[’']?t)\b[^.;]*\bnow\b|\bleave (?:it|this|that|them)\b",
        r"\bdon[’']?t \w+ the (?:new|old|other|last|first|second|third|previous|current) (?:one"
        r"|ones|column|row|line|paragraph|part|option)\b",
        r"\b(?:when|once|after|if) you(?:[’']re| are) (?:done|finished|ready|through)\b",
        r"\b(?:don[’']?t|do not) (?:\w+ )?(?:it|that|this|these|those)\b(?: (?:up|out|down|back|off"
        r"|here|there))?(?=[.,;!)]|$| but\b| and\b| because\b)",
        r"\bdon[’']?t (?:\w+ )?anything(?=,? (?:but|and|just)\b)",
        r"\bbefore you (?:start|begin|go on|go|continue|proceed|leave)(?=[.!,]|$)|\bwait a "
        r"(?:moment"
        r"|minute|sec(?:ond)?)\b|\bprefer to\b[^.;?]*\b(?:tomorrow|later|tonight|myself)\b",
    ),
    lasting=Phrases(
        r"\b(?:until|unless|as long as|alone|untouched|exceed|go over|that way)\b",
        r"\b(?:from (?:now|here|this point) on(?:wards?)?|going forward|moving forward|henceforth"
        "|at all times|at any time|for the rest of (?:this|the|our)|until further notice"
        r"|in (?:the )?future|always|never|every time|each time|whenever)\b|^(?:if|when) (?:an?|any"
        r"|someone|you)\b",
    ),
    release=Phrases(
        r"\byou (?:may|can|are (?:now )?(?:allowed|free|permitted|welcome) "
        r"to)\b.{0,80}\b(?:(?<!for )(?<!right )now|again|after all|from (?:now|here) on)\b",
        r"\b(?:now|from (?:now|here) on),? you (?:may|can|are allowed)\b",
        r"\b(?:forget|ignore|disregard|drop|scrap|cancel|lift|withdraw|skip) (?:about )?(?:what i "
        r"said|everything i said|(?:the|my|that|this|those|these) (?:\w+ ){0,3}(?:rules?"
        "|instructions?|restrictions?|ban|requirements?|constraints?|preferences?|limits?"
        "|guidelines?))",
        r"\b(?:you|we) (?:no longer|don[’']?t|do not) (?:need|have) to\b.*(?:any ?more|(?<!for )now"
        r"|again)\b|\b(?:you|we) no longer (?:need|have) to\b",
        r"\bno need to\b.*\b(?:any ?more|again|from now)\b",
        r"\bno longer (?:applies|apply|needed|necessary|required|forbidden|banned|prohibited|off[- "
        r"]limits|mandatory|taboo|a rule"
        r"|in force"
        r"|holds)\b",
        r"\b(?:ban|rule|restriction|requirement|limit|constraint|freeze|embargo)s?\b.*\b(?:is|are"
        "|was|has been|have been) (?:now )?(?:lifted|gone|off|over|dropped|withdrawn|obsolete"
        r"|cancell?ed)\b",
        r"\b(?:it[’']?s|it is|that[’']?s|is|are) (?:now |again )?(?:fine|ok|okay|allowed|alright"
        r"|permitted|welcome)\b.{0,80}\b(?:again|(?<!for )(?<!right )now|after all)\b",
        r"\b(?:is|are) (?:now|again) (?:allowed|permitted|fine|ok|okay)\b",
    ),
    instead=pattern(
        r"^(?:please |just |always )*(?:use|prefer|write|stick to|switch to|go with)\b"
    ),
    language=Phrases(
        r"\b(?:answer|reply|respond|speak|talk|communicate|converse|continue|write everything"
        rf"|write all)\b[^.;]*\bin {_LANGUAGE}\b",
        r"\b(?:comments?|commits?|docs|documentation|docstrings?|messages?|names|everything|text"
        rf"|labels|answers?|replies|it)\b[^.;]*\b(?:in|be|use) {_LANGUAGE}\b",
        r"\buse (?:the )?(?:british|american|us|uk|canadian|australian) (?:english|spelling)\b",
        rf"\b(?:{_LANGUAGE} only|only (?:in )?{_LANGUAGE}|switch to {_LANGUAGE})\b",
    ),
    output=Phrases(
        r"\b(?:keep|make|limit|format|write|structure|start|end|begin|put)\b[^.;]*\b(?:your|all"
        rf"|every|each) (?:\w+ )?{_SPEECH}\b",
        rf"\b(?:your|all|every|each) {_SPEECH}\b[^.;]*\b(?:should|must|need to|have to|to be)\b",
        f"{_FIRST}(?:answer|reply|respond)(?: me)? (?:only|just|always|with|in|using|briefly"
        r"|concisely|shortly|tersely)\b",
        rf"\bbe (?:\w+ )?\w+ with me\b|{_FIRST}be (?:more |always )?(?!careful|sure|right|back|able"
        r"|there|my|a\b)\w+(?: when\b| in\b|[.!]?$)",
        rf"{_AT}be (?:more )?(?:concise|brief|terse|short|succinct|direct|formal|polite|precise)\b",
        rf"{_AT}(?:format|render|write|give|print|show|output) (?:all|every|each|any)\b",
        rf"{_FIRST}(?:act|behave|respond|talk|speak|write|answer) (?:as|like) (?:if "
        r"|though )?(?:an?|my|you|i)\b",
        f"{_AT}use (?:bullet points?|bullets|markdown|plain text|tables|numbered lists|metric"
        r"|imperial|metric units|si units|iso dates|headings)\b",
        f"{_AT}(?:always )(?:cite|format|include|provide|highlight|mention|specify|give|report|show"
        r"|quote|use structured)\b",
        r"^all (?:\w+ ){1,2}(?:should|must) be in\b",
        rf"^{_SPEECH} (?:should|must|need to|have to|shall)\b|\b(?:no (?:longer|more) than|at most"
        r"|under|within|fewer than|less than|maximum of) (?:\w+ ){1,2}(?:sentences?|words|lines"
        r"|paragraphs?|bullets?|characters)\b(?=.*\b(?:answers?|repl|respon|messages|explan))",
        r"\b(?:call me|address me|refer to me)\b",
    ),
    prohibition=Phrases(
        r"^(?:please )?only [\w-]+(?: [\w-]+)? (?:may|can|is allowed|are allowed|gets? to)\b",
        r"^(?!.*\b(?:issue|error|problem|bug|failure|result|behaviou?r|same|screen|page"
        r"|spinner)s?\b)"
        r"(?!it\b|this\b|that\b|he\b|she\b|i\b|there\b)(?:[a-z][\w-]* ){0,3}(?:[\w-]+ (?:stays"
        r"|remains)|[\w-]+s (?:stay|remain)) "
        r"(?:inside|within|in|on|at|under|below|above|backward\w*|compatible|private|public|free"
        r"|green"
        r"|closed|open|local|optional|valid|readable|stable|the way)\b",
        r"^(?:please )?leave\b[^.;?]*\b(?:in place|where (?:it|they)|enabled|disabled|running"
        r"|out)\b",
        r"^(?:here,? )?we (?:won[’']t|will not|are not|aren[’']t) (?:be )?us(?:e|ing)\b",
        r"^(?!the\b|these\b|those\b|my\b|it\b|this\b)[a-z-]+(?: [a-z-]+)? are (?:never|only) "
        r"\w+(?:ed|en)\b",
        rf"{_LEAD}(?:quit|cease|stop|avoid|refrain from|abstain from|lay off) \w+ing\b"
        rf"|{_LEAD}hold off\b[^?]*\b(?:until|till|before|on)\b|\bdon[’']?t you (?:dare|ever)\b",
        rf"{_LEAD}{_VERB} no (?!longer|more than|one\b|problem|matter|need|doubt)\w+",
        rf"{_LEAD}{_VERB}[^.;?]*\bwithout (?!failing|crashing|knowing|reali[sz]ing|thinking|being"
        r"|getting|having|issue|problem|error|the cache)(?:\w+ing\b|(?:any|new|external|extra"
        r"|additional|third-party)\b)",
        r"\b(?:is|are|it[’']s|that[’']s)(?:n[’']t| not) (?:ok|okay|fine|acceptable|alright) (?:to"
        r"|for)\b|\bthere(?:[’']s| is| are)? (?:to|shall|must|should|will) be no\b"
        r"|\band (?:nowhere|nothing|nobody|no one) else[.!]*$|\b(?:is|are) not (?:negotiable"
        r"|up for (?:discussion|debate|negotiation)|open (?:for|to) (?:discussion|debate))\b",
        r"^(?!.*\b(?:issue|error|problem|bug|failure|result|behaviou?r|same)s?\b)(?!it\b|this\b"
        r"|that\b)[^,;?]{3,60} (?:stays?|remains?|is to stay|are to stay) (?:exactly |just )?(?:as "
        r"(?:it|they|is)\b|unchanged|untouched|un[a-z]+ed\b|where (?:it|they)|in place|put\b)",
        r"^(?:consider|regard) [^.;?]{2,50} (?:locked|immutable|confidential|private|sealed"
        r"|untouchable|stable|frozen|off[- ]limits)\b",
        r"^i (?:hereby |strictly )?(?:forbid|prohibit|ban|veto|rule out)\b|^(?:absolutely|strictly"
        r"|definitely) (?:no|never|not|nothing)\b",
        r"^(?!i\b|we\b|it\b|he\b|she\b|they\b|this\b|that\b|the\b)[\w-]+(?: [\w-]+){0,2} never"
        r" (?:go|leave|belong|end up|get|enter|touch|appear|change|use|contain|live)s?\b",
        r"\b(?:may|can|must|should)\b[^.;?]*\b(?:no|not) (?:more|longer|later|less|fewer) than\b",
        r"^you (?:may|can) (?:only )?use any\b[^.;?]*\b(?:as long as|provided|if it|unless)\b",
        r"\b(?:is|are) (?:\w+ )?(?:unacceptable|intolerable|inadmissible|out of bounds|not "
        r"tolerated"
        r"|not welcome|not wanted)\b|\bi (?:will not|won[’']t) (?:stand for|put up with)\b",
        r"^(?:nobody|no one) (?!knows|cares|has|is|was|likes|wants|else|can|could|did|seems|really)"
        r"\w+s\b|\bthere (?:must|should|shall|may|can) (?:be no|never be|not be)\b",
        r"^(?:here,? |in this \w+,? )?we (?:do not|don[’']?t) (?:use|do|write|add|allow|ship|commit"
        r"|deploy|merge|touch|log|mock|call|put|keep|store|hardcode|mix|support|accept|import)\b",
        rf"{_AT}(?:do not|don[’']?t|never), ",
        r"\b(?:is|are) (?:off[- ]bounds|none of your business|not your (?:concern|business|job)"
        r"|mine alone|not for you|closed to you|not yours)\b",
        r"^consider [\w ./-]+ (?:final|frozen|fixed|closed|read-only|given|sacred|off[- ]limits)\b",
        rf"^(?:please )?{_TASK}[^.;?]*, but (?:nothing|no \w+|not|never|only|without)\b|[,;–—] "
        rf"(?:just|only) (?:do not"
        r"|don[’']?t)"
        r" \w+|\bwhile keeping\b",
        r"^(?:as long as|while|during|for as long as)\b[^?]*, (?:only|no|don[’']?t|do not|never"
        r"|keep"
        r"|stay|leave)\b",
        r"\bi(?:[’']d| would) (?:be|get) (?:very |really |so )?(?:unhappy|upset|annoyed|angry|sad"
        r"|mad)"
        r" if\b|\bi (?:do not|don[’']?t) care for\b|\bi(?:[’']d| would) hate (?:it if|to see)\b",
        r"^the (?:less|fewer|smaller|shorter)\b[\w ]+,? the better\b",
        r"\bleave (?:it|them|that|this|those) (?:alone|untouched|as|in peace|be)\b",
        rf"{_AT}(?:and |but )?(?:do not|don[’']?t|never) (?:ever )?exceed\b",
        r"\byou(?:[’']re| are) only (?:allowed|permitted|supposed)\b|\b(?:may|can) only (?:be|edit"
        r"|use|touch|change|read|write|run|push|commit|contain|have)\b",
        r"\b(?:may|can) (?:have|contain|use|take|be|last|cost)\b[^.;?]*\b(?:at most|no more than"
        r"|only|up to)\b",
        r"^(?:the |our |my )?(?:contract|licen[sc]e|law|policy|client|company|customer|agreement"
        r"|compliance|gdpr"
        r"|style guide|security team|legal)\b[^.;?]*\b(?:forbids?|prohibits?|bans?|requires?"
        r"|demands?|insists?|does(?:n[’']t| not) (?:permit|allow))\b",
        r"^until\b[^?]*\b(?:nobody|no one|nothing|no|don[’']?t|never|keep|stay|only|leave)\b",
        r"\b(?:we|you) (?:can[’']?t|cannot|may not|are not to) (?:go (?:over|above|below|beyond)"
        r"|exceed|spend|use|change|touch|modify|add|delete|break|afford)\b",
        r"\b(?:and|but|,|;) (?:please )?(?:leave|keep)\b[^.;]*\b(?:alone|untouched|unchanged"
        r"|intact|as (?:it|they) (?:is|are)|as[- ]is)\b",
        r"\b(?:while )?(?:keeping|leaving|preserving)\b[^.;]*\b(?:unchanged|intact|as[- ]is|stable"
        r"|compatible|the same|untouched|alone)\b",
        r"\b(?:is|are) not to be \w+|\bnot (?:a )?(?:huge |big )?fan of\b",
        rf"(?:{_FIRST}|:\s)no (?!{_NO_STATE})(?:[\w./-]+ ){{1,4}}(?:until|before|unless|without"
        r"|from|outside|inside|in|on|to|for|after|beyond)\b",
        r"\b(?:i|we) (?:won[’']?t|will not|can[’']?t|cannot|do not|don[’']?t) (?:accept|tolerate"
        r"|allow|permit)\b(?! me\b)",
        r"\b(?:keep|stay) (?:off|out)\b(?= (?:it|the|of|my|our|this|that)\b)",
        r"^(?:in there |here )?(?:nothing|none of (?:it|this|that|them))(?: in (?:there|here)| else"
        r")? (?:leaves|may|must|ships|moves|(?:is|are) to|can (?:be )?(?:chang|leav|mov|go))\w*\b",
        r"^(?:nobody|no one|none) (?:but|except|other than|besides) (?:me|us|the)\b",
        r"\b(?:using|with|from|on) nothing (?:but|other than|except|beyond)\b",
        r"\b(?:can|may|are free to) (?:\w+ )?(?:change|touch|edit|use|modify|do|delete|move|read"
        r"|alter|take) (?:anything|everything|all|whatever|any \w+)\b[^.;?]*\b(?:except|but|apart"
        r"|save|other than|besides)\b",
        r"^(?:please )?(?:everything|anything|all \w+)\b[^.;?]* (?:except|but|apart from)\b[^.;?]*"
        r"(?:is|are) (?:fine|ok|okay|allowed|yours|fair game)\b",
        r"^(?!apparently\b|it\b|i\b)[^,;?]{3,60} (?:is|are|stays?|remains?) (?:sacred|frozen|final"
        r"|untouchable|off[- ]limits|set in stone|locked|sacrosanct|taboo|holy|not negotiable"
        r"|not up for \w+|not to be \w+|here to stay|for humans)(?: for you)?[.!]*$",
        r"\b(?:conversation|word|talk|check|chat|discuss(?:ed|ion)?|clear(?:ed)?|run|go|come"
        r"|agreed?"
        r"|okay?(?:ed)?|approved?) (?:\w+ ){0,2}(?:with|by|to|through|past|from) me first\b",
        r"\bthe (?:less|fewer|smaller)\b[^.;?]*, the (?:happier|better)\b",
        r"\b(?:is|are) (?:a |an absolute )?(?:no-?go|no-?no|deal ?breaker|mistake we don[’']?t "
        r"make)",
        rf"{_AT}(?:fix|change|edit|update|test|use|touch) [\w ]{{2,30}}, not (?:the )?\w+[.!]*$",
        rf"{_NOT_MINE}\b(?:and|but) (?:also |please |just )?{_NOT} (?!{_STATE}|\w+ed\b"
        r"|\w*[^\Ws]s\b)\w",
        rf"{_AT}(?:and |but )?{_NOT} (?:ever )?(?!{_STATE}|\w+ed\b|\w*[^\Ws]s\b)\w",
        rf"{_MAIN}\b(?:must|should|shall) (?:not|never) (?!have\b|be (?:necessary|needed|a problem"
        r"|hard|difficult)\b)(?<!it should not )(?<!this should not )",
        r"\b(?:mustn[’']t|may never|can never be)\b",
        r"\b(?:we|you) should(?:n[’']?t| not) (?!need|have|be (?:able|hard|too)|expect|see)\w",
        r"\b(?:we|i) (?:do not|don[’']?t) want (?:any|each|every|you|anything|to (?:use|add|change"
        r"|touch|depend|see|have (?!to\b)))\b",
        r"\b(?:you|api|interface|code|tests?|files?|schema|behaviou?r) (?:should|may|can)(?: not"
        "|n[’']t|not) (?:be |change|touch|use|edit|call|break|push|commit)",
        r"\byou(?:[’']re| are) not (?:allowed|permitted|supposed|to)\b|^(?:nothing|none|nobody"
        r"|no one|neither|no)\b[^?]*\b(?:may|must|should|shall|can be|is allowed|are allowed)\b",
        r"^(?:here,? |in this (?:repo|project|team),? )?we (?:never|don[’']?t ever) (?!\w+ed\b|had"
        r"|got|found|knew|saw|went|did|were|been)\w",
        r"\b(?:out of the question|off the table|no-go|not an option)\b|\bwithout (?:my (?:\w+ "
        r")?(?:approval|permission|consent|okay|knowledge)|prior (?:approval|consent|permission"
        r"|notice)|explicit|asking)\b",
        rf"{_FIRST}(?:skip|omit|leave out|spare me|cut) (?:the |all |any )?(?:pleasantries"
        r"|explanations?"
        r"|preamble|intro\w*|summar\w+|disclaimers?|caveats|apolog\w+|small talk|fluff)\b",
        r"\b(?:under|in) no circumstances?\b|\bon no account\b|\bat no (?:point|time)\b",
        r"\b(?:is|are|it[’']s) (?:strictly |absolutely )?(?:forbidden|prohibited|off[- ]limits"
        r"|taboo|not (?:allowed|permitted|acceptable))\b",
        rf"{_FIRST}no (?:more |new |further |additional |external |third-party |extra )+\w+",
        rf"(?:{_FIRST}|\()no (?:[\w.]+[ -]){{0,2}}\w{{3,}}s(?:,? please| left| in\b[^.;]*"
        r"| anywhere)?[.!)]*$|^no (?:\w+ ){1,3}please\b|\bplease no \w+|(?:^|\bpls "
        r"|\bso )no [\w.]+ (?:in|on|at|left|anywhere|inside)\b|^nothing (?:gets|goes)\b"
        r"|\(no [\w-]+ing [\w ]+\)",
        rf"{_AT}(?:leave|keep)\b[^.;]*\b(?:alone|untouched|unchanged|as (?:it )?(?:is|are"
        r"|they are)|intact)\b",
        r"\b(?:stay|keep) (?:away from|out of|clear of)\b|\bhands off\b|\bsteer clear of\b"
        r"|\brefrain from\b",
        rf"{_FIRST}(?:try to )?avoid\b|\b(?:we|i)(?:[’']d| would) (?:also )?like to avoid\b",
        rf"{_AT}stop \w+ing\b",
        r"\bi (?:\w+ly )?(?:do not|don[’']?t|never) (?:\w+ly )?(?:want|wish)(?: to)? (?!to (?:miss"
        "|risk|lose|forget|have to|overdo|overspend|worry|sound|seem|spend|waste|carry"
        r"|play)\b)(?:any|you|the|travel|to (?:be|include|add|use|see|change|touch|buy)|add|include"
        r"|use|\w+ (?:in|on|for|insurance))\b",
        r"\bi would (?:really )?(?:rather|prefer) not\b|\bi[’']d (?:really )?(?:rather"
        r"|prefer) not\b",
        r"^(?!if\b|maybe\b)[^?]*?\blet[’']?s (?:not|never) (?:use|add|touch|introduce|change|commit"
        r"|push|deploy|rely|depend|mix|rename|break|import|install|merge|edit|store|log)\b",
        r"\bnothing (?:over|above|below|beyond|more than|longer than)\b"
        r"|\bbe careful not to\b",
        rf"{_AT}(?:always |and )?(?:make sure|ensure|be sure)\b[^.;]*\b(?:not|never|none|nobody"
        r"|don[’']?t|doesn[’']?t|no (?:new|other|external|one))\b",
        r"(?!an?\b|the\b|my\b|our\b|if\b|when\b|th[ia][st]\b|can\b"
        rf"|how\b){_NOT_MINE}\bwithout (?:changing|touching|breaking|modifying|altering|adding"
        r"|using|removing|deleting|affecting|introducing|asking)\b",
    ),
    obligation=Phrases(
        rf"{_LEAD}(?:ask|consult|ping|tell|notify|inform|warn|contact|involve) [\w ]{{2,30}} "
        rf"before\b"
        rf"|{_LEAD}{_VERB}[^.;?]*\b(?:wherever|whenever|if at all|as far as) possible\b",
        r"^(?:the |your |its |our )?(?:tone|style|voice|language|wording|text|layout|design|report"
        r"|summary|answer|reply|email|letter|title|name|api|interface|format|output|code)s? "
        r"(?:should"
        r"|must|has to|needs to) (?:be|sound|read|look|feel|stay|remain|fit|work|follow|use|start"
        r"|end)\b(?!.*\b(?:but|because|currently|instead it|though)\b)",
        rf"^(?:if|when|whenever|as soon as|once|in case|where|should)\b(?= (?:an?|any\w*|some\w*"
        rf"|in "
        rf"doubt|unsure|you (?!are\b|[’']re\b))\b)[^,?]{{3,60}}, (?:then |please |just |always )?"
        rf"(?:{_VERB}|{_ORDER})|^(?:as soon as|in case)\b[^,?]{{3,60}}, {_VERB}",
        r"^(?:if|when) (?:in doubt|unsure|anything is \w+|something is \w+)\b[^?]*,",
        r"^(?:please )?(?:write|speak|talk|reply|respond|answer|explain|phrase|report)(?: "
        r"\w+ly[.!]*$"
        r"| in an? (?:\w+ ){1,2}(?:tone|style|voice|manner|way|format|form|language)\b)",
        rf"\b(?:max|maximum|min|minimum|upper|lower|longest|largest) [\w ]{{2,30}} (?:is|are|:) "
        rf"{_NUMBER}|\b(?<!\bi )(?<!\bwe )(?:must|has to|have to|needs to|should)\b[^.;?]*\b(?:in "
        rf")?{_BOUND} "
        rf"{_NUMBER}"
        rf"|\b(?:must|has to|have to|should) be {_NUMBER}\b[^.;?]*\bat (?:least|most)\b"
        r"|^the [\w ]+ may have (?:only |up to |at most )?\d",
        rf"{_LEAD}stick (?:strictly|closely|only|exactly) to\b|^(?:till|until)\b[^?]*\bonly\b",
        rf"{_LEAD}(?:report|send|write|talk) (?:back )?to [\w ]+ (?:every|each)\b"
        r"|^we (?:like|want|keep|prefer) our [\w ]+ (?:\w+)[.!]*$",
        rf"{_LEAD}{_VERB}[^.;?]*\b(?:before|after|with|on|prior to|upon|per) (?:each|every|any)\b"
        rf"|{_LEAD}{_VERB}[^.;?]*\b(?:whenever|every time|each time|any ?time)\b",
        rf"^(?:please )?(?:before|after|prior to|upon|with|on) (?:each|every|any|\w+ing (?:an?|any"
        rf"|each|every)\b)[^.;?]*?,? {_VERB}|\b(?:every|each) (?:single )?time[.!]*$",
        rf"{_LEAD}(?!(?:give|show|tell|send|list|find|get) me\b){_VERB}[^.;?]*\b{_BOUND} {_NUMBER}"
        rf"|{_LEAD}(?:cap|limit|restrict|hold|keep)\b[^.;?]*\b(?:at|to) {_NUMBER}\b",
        rf"\byou(?:[’']ve got| have| get)(?: only| just)? (?:a (?:budget|maximum|limit|total|cap) "
        rf"of "
        rf"|up to |at most |exactly )?{_NUMBER} (?:[\w-]+ )?{_UNIT}",
        rf"^(?:the |our |my |your )?(?:[\w-]+ )?(?:budget|limit|cap|deadline|timeout|quota|ceiling"
        rf"|maximum|minimum|threshold|bar|allowance)(?: for [\w ]{{2,30}})? (?:is|goes (?:up|down)"
        rf"(?: to)?:?|will be|stays at)(?: now| set to)*:? (?:at (?:most|least) )?{_NUMBER}\b",
        r"(?:^|, so |; )(?:it|this|that|they|everything|the \w+) (?:has|have|needs?) to (?:also "
        r"|still )?(?:run (?:on|in|under)|work (?:on|in|with|there|without|offline)|handle|support"
        r"|fit|survive|scale|cope|comply|be (?:able|compatible|accessible|reversible|reproducible"
        r"|idempotent|portable|responsive|readable))\b|\bhas to survive\b",
        r"^(?!the\b|these\b|those\b|my\b|things\b|users\b|some\b|most\b|this\b|it\b"
        r"|his\b)(?:[a-z-]+ )"
        r"{0,2}[a-z-]+[^\Wsu]s (?:(?:go|live|belong|sit) (?:in|into|at|under|to|on|next to|beside"
        r"|with)|(?:start|begin|end) with|are (?:named|prefixed|indented|capitali[sz]ed|signed"
        r"|squashed))\b",
        rf"{_LEAD}(?:put|place|store|save|keep|write|give|report|format) (?:all|new|any|every|each)"
        r" (?!of\b|the\b|this\b|these\b|those\b)[^.;?]{2,50} (?:in|into|under|as|at|with|to"
        rf"|using|inside)\b|{_LEAD}(?:cite|quote|spell|indent|abbreviate)(?: \w+)? (?:in|as|using"
        r"|by|with) (?!the\b|this\b|that\b)[\w ]{2,30}[.!]*$",
        r"^deadline: [^?]*\b(?:by|until|before|on)\b",
        r"^use the [\w./+#-]+(?: [\w./+#-]+){0,2} for [a-z-]+[^\Ws]s[.!]*$",
        rf"{_LEAD}(?:document|name|mask|redact|anonymi[sz]e|escape|validate|review|route|tag|label"
        r"|prefix|sign|pin|encrypt|cite|type|annotate|squash|date) (?:all|every|each|any) (?!the\b"
        r"|these\b|those\b|of\b|my\b)\w",
        rf"{_LEAD}(?:write|do|log|test|document|express|report|answer|implement|build|name|store"
        r"|code|phrase|format|record|type) everything\b(?! (?:you|i|we|else|that|again|up|above"
        r"|below)\b)",
        rf"{_LEAD}(?:use|work|look|rely|draw|build|import|read|cite|quote|write|edit|touch|change"
        r"|modify|consider|support|target|commit|push|deploy|install) (?:only|just|solely"
        r"|exclusively|nothing but|purely) (?!that\b|this\b|it\b|one\b|an?\b|me\b)\w",
        r"\bthe only (?:allowed|permitted|acceptable|supported|approved|valid) [\w-]+ (?:is|are)\b"
        r"|\b(?:is|are) the only [\w-]+ (?:that )?(?:you|we) (?:may|can|should)\b"
        r"|\b(?:until|till) further notice\b",
        rf"{_LEAD}(?:finish|deliver|submit|complete|hand (?:it |this )?in|be done|wrap up)\b[^.;?]*"
        rf"\b(?:by|before|no later than) (?:{_NUMBER}|noon|midnight|monday|tuesday|wednesday"
        r"|thursday|friday|the end of)\b",
        rf"{_LEAD}(?:give me|use|write|show|send|return|pick|choose) [^.;?]{{2,40}} (?:rather than"
        r"|instead of|in place of) ",
        r"^[a-z-]+[^\Ws]s (?:should|must|shall|are to) be (?:in|as|with|written|named|kept"
        r"|formatted|sorted)\b",
        r"^(?:please )?(?:explain|talk|speak|write)\b[^.;?]* as you would\b",
        r"\byou(?:[’']re| are) (?:expected|required|obliged|supposed|asked) to\b",
        r"^(?!i\b|we\b|you\b|they\b|the\b|this\b|that\b|these\b|those\b|it\b|my\b|he\b"
        r"|she\b)(?:new "
        r"|public |all )?[\w-]+(?: [\w-]+){0,2}s (?:need|require|get|must have|carry|come with)"
        r" (?:an? |at least |proper )?[\w-]+(?: [\w-]+){0,3}[.!]*$",
        rf"{_FIRST}use (?:fewer|less|no more|at most|at least|more) than\b|{_FIRST}use (?:at most"
        rf"|at"
        r" least|no more than|up to)\b|^[\w -]{3,30} (?:is|are) always (?!the\b|a\b|so\b|too\b"
        r"|wrong|broken|slow|inside|on\b|there)[\w-]+[.!]*$",
        r"^(?:design|optimi[sz]e|plan|write|build|code|test) for (?:that|this|it|them|readability"
        r"|mobile|phones|beginners|speed|accessibility)\b",
        r": (?:one|two|three|a single|at most|no more than) [\w ]+ per [\w ]+[.!]*$",
        r"^(?:let[’']s |please )?use (?:the )?(?:port|version|branch|region|model|encoding|timeout"
        r"|table"
        r"|schema) [\w./-]*\d[\w./-]*(?: instead)?[.!]*$|\bkeep (?:it|them|things) (?:that way"
        r"|like that"
        r"|so)\b",
        rf"{_FIRST}(?:return|work|output|consider|include|accept|cite|touch|edit|use|build|answer"
        r"|reply|deploy|commit|write|install|import|support|keep|read|quote|take|mention)(?: \w+)?"
        r" only\b|\b(?:using|with) only (?:the|what|those|my|your|our|standard|built)\b|\bonly "
        r"(?:using|with the help of)\b",
        r"^only (?:consider|include|use|accept|cite|take|keep|support|touch|work|mention|count"
        r"|allow)\b",
        r"^(?:after|before|with|on|at) (?:each|every|any) [\w ]+, (?!i\b|we\b|it\b|the\b"
        r"|there\b)\w+",
        r"^(?:ideally|preferably|if (?:at all )?possible|wherever possible|where possible|by "
        r"default)"
        r",? (?:use|keep|avoid|no|always|never|all|everything|write|stick|prefer|with|without)\b",
        r"^(?:what(?:ever|[’']s)?|anything|everything|all)\b[^?]* stays? (?:in|on|where|inside)\b",
        rf"{_AT}(?:make sure|ensure|be sure)\b[^.;]*\b(?:everything|nothing|nobody|no one|both"
        rf"|runs?"
        r" (?:there|on|in)|works? (?:on|in|with|offline))\b(?! is up)",
        rf"{_FIRST}keep (?:it|this|that|them|everything) (?!up\b|going\b|coming\b|running\b|in\b|as"
        r"\b|on\b|for\b|open\b)\w+[.!]*$|, so keep (?:it|them|those|that)\b",
        rf"{_FIRST}put (?:the |your )?(?:conclusion|summary|answer|result|code|most important \w+"
        r"|verdict|recommendation)s? (?:first|last|at the)\b",
        r"\buse (?:the )?(?:oxford comma|imperative mood|present tense|past tense|active voice"
        r"|passive voice|first person|third person|24-hour|iso \d*|sentence case|title case)\b",
        rf"{_AT}(?:and |but )?(?:stay|remain) (?:within|inside|under|below|above|away|on|in)\b"
        r"(?! (?:touch|mind|sync|tuned)\b)",
        rf"{_NOT_MINE}\b(?:and|but|,|;) (?:please )?(?:keep|limit|hold|cap) (?:it|them|this|that"
        rf"|the|your"
        r"|each)\b"
        r"[^.;?]*\b(?:under|below|within|at most|to|short|brief|simple|small)\b",
        rf"{_FIRST}(?:keep|limit|cap|restrict|hold)\b[^.;?]*\bto (?:at most |about )?{_NUMBER}\b",
        rf"{_FIRST}keep (?:it|things|everything|this|all of it) (?:simple|short|brief|minimal|clean"
        r"|small|tidy|consistent|private|local|readable|generic)\b",
        rf"{_FIRST}(?:check|clear|confirm|coordinate|align|talk|speak|consult|discuss)(?: it)?"
        r"(?: with| to)? [\w ]{2,30} (?:before|first)\b",
        rf"{_AT}(?:let me know|tell me|inform me|notify me|warn me|wait for my \w+|get my \w+"
        r"|get (?:approval|permission|sign-off))\b[^.;?]*\b(?:before|first)\b",
        r"\b(?:is|are) (?:an? (?:absolute )?(?:must|requirement|given|hard requirement)"
        r"|paramount|key here|not optional|obligatory|a hard limit)\b",
        r"^(?:please )?(?:always )?(?:cite|show|state|name|explain|document|justify|list) (?:your"
        r"|all"
        r" your|all|every) (?:\w+ )?(?:sources?|work|reasoning|assumptions?|steps?"
        r"|references?)[.!]*$",
        r"^(?:please )?(?:speak|talk|write|explain|answer)\b[^.;?]* (?:like|as if|as though) (?:i"
        r"|you|an?)\b",
        r"^(?!.*\b(?:error|bug|issue|crash|problem|failure)\b)(?!it\b|this\b|that\b)[\w ]{3,40}"
        r" (?:happens?|goes?|runs?|comes?|takes? place|are done|is done) only (?:on|in|at|via"
        r"|through"
        r"|from|after|by|during)\b",
        r"^all (?!i\b|we\b|you\b|that\b|this\b)(?:[\w-]+ ){1,3}(?:are|is) (?:in |always )?(?!green"
        r"|passing|failing|broken|done|fine"
        r"|good"
        r"|ok|ready|there|red|gone|working|set|the|now|still|in|on|not|very|so|too|great|being)"
        r"[\w-]+[.!]*$",
        r"^(?:please )?(?:indent|prefix|suffix|encode|sign|format|wrap|round|sort|order|align) "
        r"(?:\w+ )?(?:with|in|as|using|by|to|at)\b[^.;?]{1,40}[.!]*$",
        rf"{_FIRST}(?:use|write|pick|choose|take|go with|switch to|stick with) [^.;?]{{2,40}}"
        r"(?:instead of|rather than|in place of) [^.;?]{2,30}[.!]*$",
        r"^(?:let[’']s )?(?:switch|move|change) (?:over )?to [\w.+#-]+ for [\w -]+[.!]*$",
        r"^all (?:[\w-]+ ){1,3}(?:to|via|through|under) [\w./ -]+[.!]*$",
        r"^(?:write|add|create|include|provide) (?:an?|one|at least one|two) [\w -]+ for (?:each"
        r"|every"
        r"|any|all) (?:new |bug )?[\w-]+(?: [\w-]+)?[.!]*$",
        r"^(?:and |also |but |so )?(?!i\b|we\b|you\b|they\b|he\b|she\b|somebody\b|someone\b|if\b"
        r"|when\b|that\b|which\b|what\b|how\b|why\b|where\b|who\b|there\b|do\b)(?:[\w./`'-]+ ){1,6}"
        r"(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bthey )(?<!\bwho )(?:has|have) to (?:be|stay|keep|work"
        r"|run|use|come|go|remain|pass|fit|support|have|contain|start|end|return|match|live|finish"
        r"|compile|build|stop|cover|include|follow|happen|read|sound|look|handle|survive)\b",
        r"[;,] (?:both|all|each|they|it|everything) (?:has|have|must|needs?) to (?:keep|stay|work"
        r"|remain|be)\b",
        rf"{_FIRST}(?:then )?(?:run|test|lint|format|commit|send|add|write|update|check|verify|ask"
        r"|report|log|push|tag|sign|rebuild|regenerate|back up|save|post|show|include|provide"
        r"|document|review|cite|measure|benchmark|notify|tell|note|record|bump|create|keep|give"
        r"|make|call|deploy|clean|attach|consult|inform|ping|wait|pause|stop)\b"
        r"[^.;?]*\b(?:after|before|with|on) (?:each|every|any)\b",
        r"\b(?:i|we) (?:expect|require|insist on)\b[^.;?]*\b(?:with|in|for|after|before|on|per|at)"
        r" (?:each|every|all|any)\b",
        r"\b(?:i|we) (?:want|need) (?:an?|the|to see|one|two|at least)\b[^.;?]*\b(?:with|after"
        r"|before"
        r"|per) (?:each|every|any)\b",
        rf"{_FIRST}(?:send|direct|forward|address|route|report|pass|bring) (?:all|any|every)\b",
        r"^all (?:of )?(?:the |your |our )?(?:[\w-]+ ){1,4}(?:go(?:es)? (?:to|through|via|in|under"
        r"|into)|come from|belongs? (?:to|in))\b",
        r"^(?!if\b|when\b|the\b|it\b|this\b|that\b|these\b|those\b)(?:[\w-]+ ){0,3}[a-z]+s"
        r"(?: to [\w./-]+)? (?:follow|go through|go to|adhere to|conform to|stick to|live in)\b",
        rf"{_AT}(?:stop|give up|quit|pause|end|finish) (?:after|at|once you)\b[^.;?]*"
        rf"\b{_NUMBER}\b",
        rf"{_FIRST}(?:work|stay|remain|operate) (?:only )?(?:on|in|within|inside) (?:an?|your own"
        rf"|the"
        r"|its) (?:separate |new |feature )?(?:branch|fork|copy|sandbox|worktree|container)\b",
        r"^(?:let[’']s |we |we[’']ll )?use (?!it\b|this\b|that\b|the\b|an?\b|my\b|these\b|those\b"
        r"|both\b|another\b|different\b|same\b|one\b|your\b|our\b)[\w.+#/`-]+(?: [\w.+#-]+)?"
        r" (?:for|as) (?!now\b|this\b|that\b|it\b|example\b|a\b|an\b)(?:the |our |all )?"
        r"[\w-]+(?: [\w-]+){0,2}(?: instead)?[.!]*$",
        rf"{_FIRST}(?:from (?:now|here|today|this point) on(?:wards?)?|as of (?:now|today)),? "
        r"(?!i\b|it\b|we\b|he\b|she\b|they\b)\w",
        r"^(?:and |also )?(?:it|that|this|they|which|both) (?:stays?|remains?|keeps?) (?:off|on"
        r"|closed|out|in|put|there|as (?:it|they) (?:is|are)|that way|like that)[.!]*$",
        r"\bkeep me (?:posted|informed|updated|in the loop)\b",
        rf"{_AT}(?:limit|restrict|confine) yourself\b|{_AT}treat\b[^.;?]*\bas\b",
        r"\b(?:to the letter|by the book|no exceptions|non-negotiable|at any cost)\b",
        rf"{_AT}always (?!\w+ing\b)\w",
        r"(?<!\bthere )(?<!\bit )(?<!\bthis )(?<!\bthat )\b(?:should|must|shall|need to|have to"
        r"|please) always\b",
        rf"{_AT}(?:whenever|every time|each time|any time) (?:you|i ask|there)\b",
        rf"{_NOT_MINE}\b(?:from (?:now|here|this point) on(?:wards?)?|(?:going"
        r"|moving) forward(?=,(?! i\b)|[.!]?$)|henceforth|at all times|for the rest of (?:this|the"
        "|our)|until further notice|in (?:the )?future,)",
        rf"{_NOT_MINE}\b(?<!to )(?:make sure|ensure|be sure|see to it|take care)\b[^.;]*\b(?:all"
        r"|every|each|any|always|before|whenever|remains?|stays?|keeps?|still)\b",
        r"^(?:all|every|each|any|everything|anything|your|our) (?:(?!that\b"
        r"|which\b)[\w/`'-]+ ){0,6}(?:must|should|shall|needs?|has to|have to|ought to)\b",
        rf"{_MAIN}\bmust (?!have\b|not\b|be (?:able|off|wrong|missing|broken|related|due|because"
        r"|an?|the|some|something|so|really|thrilled|nice|hard|great)\b|i\b|we\b)\w",
        r"\b(?:refund|payment|result|money|changes?) should (?:be|go|come) [^?]*, not\b",
        r"(?!an?\b|the\b|my\b|our\b|if\b|when\b|since\b|because\b|th[eo]se\b|some\b|th[ia][st]\b"
        rf"|can\b|could\b){_NOT_MINE}\bbefore (?:you|each|every|any|committing|pushing|merging"
        r"|considering|submitting|deploying|releasing)\b",
        r"\b(?:style guide|policy|convention|contract|company) (?:bans|forbids|requires|demands)\b"
        r"|\bleave (?:them|it|that|those) out\b|\b(?:in|as) (?:camelcase|snake_case|kebab-case)\b",
        r"\btests? first\b.*\b(?:tdd|always)\b|\btdd\b.*\bonly\b",
        rf"{_FIRST}(?:keep|maintain|preserve)\b[^.;]*\b(?:under|below|within|at most|less than"
        r"|no more than|compatib\w+|each|every|short|brief|concise|minimal|to a minimum|consistent"
        r"|camelcase|snake_case|(?:upper|lower) ?case"
        "|out of|away from|free of|separate|in sync|up to date|in economy|at all times|private"
        r"|secret|working)\b",
        rf"{_AT}remember to (?:always |never |keep |use |run |ask |write |add a)",
        rf"{_FIRST}(?:use|write|add|follow|run|include|put|apply|provide)\b[^.;]*\b(?:everywhere"
        "|throughout|at all times|every time|consistently|exclusively|for (?:all|every|each"
        r"|any) \w+|in (?:all|every|each) \w+)\b",
        f"{_AT}only (?:ever )?(?:use|suggest|recommend|answer|write|touch|edit|change|modify|work"
        r"|commit|push|output|return|install|run|call|read)\b",
        r"\bplease only (?!show|give|tell|list|look|check|do)\b",
        r"\b(?:ask|check with|consult) (?:me )?(?:first|before)\b|^before (?:you "
        r"|\w+ing\b)[^?]*\b(?:ask|check|tell|confirm|let me know|get my)\b",
        r"\byou (?:need|have|ought) to\b[^.;?]*\b(?:every|each|always|all|any|at all times)\b",
        r"\b(?:i want|i need|i expect|i[’']d like|we want|we need) (?:all|every"
        r"|each)\b(?! of that)",
        r"(?<!\bi )(?<!\bwe )\b(?:must|has to|have to|needs? to|should) (?:always )?(?:stay|remain"
        r"|be kept|continue to)\b",
        r"\b(?:i[’']d like|i want|i would like|i need) (?:the |your |all |any |every |each "
        "|my )?(?:tone|style|answers?|replies|responses|outputs?|emails|code|tests|comments|docs"
        r"|messages|summaries)\b[^.;?]*\b(?:to|in|as|with|without)\b|\bi (?:expect|require) (?:you"
        r"|all|every|each|that)\b|\bi insist\b",
        r"\b(?:unless|until) i (?:say|tell|ask|approve|confirm|explicitly)\b|(?<!have )(?<!got "
        r")\b(?:my"
        r"|prior) (?:approval|permission|consent|sign-off|go-ahead|okay)\b",
        f"{_FIRST}(?:limit|restrict|confine|cap) (?:yourself|your|all|every|each|any|the number"
        rf"|\w+s)\b|{_FIRST}assume (?:that )?(?:i|we|the (?:reader|user|audience))\b",
        "^(?:this|the|our) (?:project|repo|repository|codebase|team|company) (?:uses|follows"
        r"|requires|forbids|bans|only|never|always)\b",
        r"^(?:here,? |in this (?:repo|project|team),? )?we always (?!\w+ed\b|meet|had|got|get|have"
        r"|went|did)\w|\bwe have a (?:strict )?(?:rule|policy)\b",
        rf"{_FIRST}use (?!it\b|this\b|that\b|the (?:first|second|third|other|new"
        r"|old)\b)[^.;?]*(?:, not\b"
        rf"|\bonly\b|\bfor everything\b)|{_FIRST}(?:document|test|validate|check) everything\b",
        rf"{_FIRST}for (?:every|each|all|any) [^?]*\b(?:add|write|include|use|update|create|run"
        r"|provide)\b",
        rf"{_FIRST}stick (?:to|with)\b(?! (?:that|this|it)\b)|\bexclusively[.!]?$"
        rf"|{_FIRST}\w+ exclusively\b",
        "^it(?:[’']s| is) (?:absolutely |very )?(?:essential|crucial|vital|critical|important"
        r"|mandatory|imperative) (?:to me )?(?:that (?:you|the|all|every|we|each|no|nothing)|to "
        r"(?:always"
        r"|never|keep|use|not))\b|\b(?:is|are) (?:mandatory|compulsory|non-negotiable"
        r"|required for (?:all|every|each))\b",
        r"\btreat\b[^.;?]*\bas (?:read[- ]only|immutable|secret|private|confidential|untrusted"
        r"|the source of truth|frozen)\b|\b(?:is|are) (?:read[- ]only|frozen) (?:for you|until)\b",
        rf"{_FIRST}follow (?:the |our |these )?[\w ]*(?:conventions?|style|guidelines?|rules"
        r"|standards?|principles)\b",
        rf"{_FIRST}follow (?!up\b|the\b|this\b|these\b|that\b|it\b|me\b|along\b)",
        rf"{_FIRST}(?:stick to|adhere to|comply with|respect|obey|conform to)\b(?! up| the (?:plan"
        "|steps|link)| this| these steps)",
        rf"{_MAIN}\b(?!this\b|does\b|always\b)(?!things\b)[a-z]{{3,}}s (?:have|need) to be\b",
        r"\bwhen i (?:say|write|ask|type|mention)\b[^?]*(?:,| i mean\b)",
        "^(?:if|when|whenever|unless) (?:you|an?|any|someone|something|in doubt"
        rf"|unsure)\b(?![^,;]*\b(?:done|finished|ready|through)\b)[^?]*?[,;] (?:then )?{_ORDER}",
        f"{_FIRST}(?:address|sign|begin|start|end|greet|cite|mention|name|label|tag|prefix|wrap"
        r"|comment|document|test|indent|log|validate|escape|quote|state)\b[^.;?]*\b(?:in|for|with"
        r"|on|at) (?:every|each|all|any)\b",
        rf"{_NOT_MINE}\balways[.!]?$|\blet[’']?s (?:always|only)\b",
        r"\bi(?:[’']d like| want| need| expect| would like) you to\b[^.;?]*(?:, not\b"
        r"|\b(?:everything|all|every|each|any|only)\b)",
        rf"{_FIRST}write (?:all |your )?(?:commit messages|comments|docs|docstrings|tests|code"
        r"|variable names) (?:in|with|using|as|like)\b",
    ),
    preference=Phrases(
        r"^i(?:[’']d like| want| would like) (?:\w+er|short|long|more|less|fewer|concise|brief"
        r"|plain"
        r"|simple|small|detailed) [\w ]+[.!]*$",
        r"^user (?:is|has|cannot|does)\b",
        r"\b(?:partial to|(?:big |huge )?fan of)\b[^.;?]*(?:\bover\b|, so (?:write|use|keep|do|make"
        r"|please|stick|give)\b)|^my preferred\b"
        r"[^.;?]* (?:is|are)\b",
        r"^(?:user|client|customer|boss|team|stakeholder)s? (?:wants?|never wants?|likes?|hates?"
        r"|needs? (?:everything|all)|prefers?)\b",
        r"^(?:the )?(?:user|client|customer) (?:strongly |always )?(?:prefers?|likes|hates|dislikes"
        r"|insists on|does(?: not|n[’']?t) (?:like|want)|never wants|wants all|expects)\b",
        r"^(?:here,? )?we (?:\w+ly |always |tend to )?(?:go with|use|pick|choose|stick (?:to|with)"
        r"|favou?r)\b[^?]*\b(?:instead of|rather than|over|here)\b",
        rf"{_I} prefer\b(?! not to say)(?! a more\b)(?! (?:it|them|that) because\b)",
        r"\b(?:i|we)(?:[’']d| would) (?:\w+ )?rather\b",
        r"\bmy preferences? (?:is|are|would be|:)|\bi (?:would|[’']d)? ?only want\b"
        r"|\bi would only\b",
        r"\bi(?:[’']d like| want| would like) you to (?:(?:always|never|not|only)\b"
        r"|[^.;?]*\b(?:rather than|instead of)\b)",
        rf"{_FIRST}(?:prefer|favou?r)\b|^\w+ over \w+[.!]?$",
        r"\b(?:i|we)(?:[’']d| would) like to stick (?:to|with)\b",
        "^(?:here,? )?we (?:only )?(?:use|follow|write|run|deploy with"
        r"|stick to)\b[^?]*(?:,? not \w|\binstead of\b|\brather than\b|\bhere\b|\bonly\b)",
        r"\bi(?:[’']d| would) (?:really )?(?:appreciate|love|like) it if you\b(?! could\b)",
        r"\b(?:i[’']m|i am|we[’']re) (?:\w+ )?(?:allergic|vegetarian|vegan|colou?r-?blind|dyslexic"
        r"|lactose|celiac|diabetic)\b",
        r"\bi only (?:eat|drink|use|buy|fly|wear|read|watch|work)\b",
        r"\bmy (?:budget|limit|maximum|upper limit) is\b|\bi (?:hate|can[’']t stand"
        r"|dislike)\b[^.;?]*(?:, so|, don|, please|, never)",
        r"\bi like\b[^.;?]*\b(?:better|more) than\b|\bi like\b[^.;?]*\bas little as possible\b",
    ),
    corrects=any_of(
        "actually|on second thoughts?|correction|change of plans?|instead|scratch that|rather",
        "wait,? no|no wait|i meant[^:,]{0,30}:|i changed my mind|i was wrong|my mistake",
        "sorry|update|strike that|let me correct that|i misspoke",
    ),
    corrects_after="no|wait|ok|okay|sorry|hm+|oops",
    adds=r"(?:please )?also\b",
    joins="and ",
    labels=any_of(
        "(?:hard |house |team |project |ground |golden )?rules?|constraints?|requirements?|facts?",
        "guidelines?|important|polic(?:y|ies)|preferences?|conventions?|limits?|must|never|always",
        "do not|restrictions?|conditions?|non-negotiable|standing orders?|reminder|principle",
        "keep in mind|budget|invariant|remember|user (?:preference|rule)",
    ),
    first_person=r"\b(?:i|my|we|our|us)\b",
    headings=(
        "(?:ground |house |project |team |coding )?(?:rules|constraints|conventions"
        "|guidelines|restrictions|policies|preferences)"
    ),
    terse=Phrases(
        r"^i (?:really )?love (?!the\b|these\b|those\b|your\b|this\b|all\b|my\b|both\b)[\w-]+ "
        r"[\w-]+s[.!]*$|^[\w.+# -]{2,20} \d[\d.]*\+[.!]*$",
        r"^(?:simple|short|clean|small|clear|concise|plain|brief|readable|long|detailed|honest) "
        r"[\w-]+(?: [\w-]+)?(?:,? (?:please|only|always))?[.!]*$",
        rf"^(?:a |an )?(?:max|min)imum of {_NUMBER}\b|\b\d+ [\w ]+ (?:max|min|tops)[.!]*$"
        rf"|^between {_NUMBER} and {_NUMBER}\b|^not before\b|^not after\b",
        r"^no [\w ]+ (?:longer|larger|bigger|more|older|smaller|higher|shorter|wider|deeper) than\b"
        r"",
        rf"^(?:in )?{_LANGUAGE}(?:,? please)?[.!]*$|^{_SPEECH} in {_LANGUAGE}",
        r"^[\w.+# -]{2,30} \d[\d.]* (?:or|and) (?:newer|higher|later|above|older|lower|up|more|less"
        r"|below|fewer)[.!]*$",
        r"^i (?:really |generally )?(?:like|love|want) (?:my|your) [\w ]+ (?:in|to be|with|without"
        r"|as|short|small|long|simple|plain)\b",
        r"^i (?:really |absolutely |just )?(?:hate|dislike|can[’']?t stand|do not like"
        r"|don[’']?t (?:really )?like) (?!it\b|this\b|that\b|the\b|how\b|when\b|to\b|my\b|him\b"
        r"|her\b|you\b|a\b|an\b|being\b)[\w-]+(?: [\w-]+){0,5}[.!]*$",
        r"^(?:please )?only (?!the\b|this\b|that\b|one\b|if\b|when\b|then\b|for\b|a\b|an\b|in\b"
        r"|because\b|problem|thing|issue|show|me\b|two\b|i\b|it\b|after\b|once\b|since\b)"
        r"[\w./+#-]+(?: [\w./+#-]+){0,5}[.!]*$",
        r"^(?!read\b|just\b|if\b|yes\b|no\b|i\b|it\b|this\b|that\b|the\b|is\b|for\b)"
        r"(?:[\w./+#-]+ ){1,5}only(?:,? please)?[.!]*$",
        r"^(?:please,? )?(?!yes|no\b|sorry|well|hm|ok|sure|probably|maybe|of course|actually|still"
        r"|why|yeah|nope|but|and|so\b|if\b|it\b|that\b|this\b|i\b|right|thanks|nice|good)"
        r"[\w`./+#-]+(?: [\w-]+){0,3}, (?:not|never|no) (?!yet|sure|really|now|that|this|it\b|too"
        r"|very|just|working|at all|only|problem|worries)[\w`./+#-]+(?: [\w-]+){0,2}[.!]*$",
        r"^(?!thanks?\b|same\b|good\b|ditto\b|sorry\b|what\b|how\b|why\b|as\b|and\b|this\b|it\b"
        r"|that\b|is\b|are\b|ready\b|also\b|\w+ing\b)(?:[\w-]+ ){1,3}(?:for|in|on|with) (?:all"
        r"|every"
        r"|each) [\w-]+(?: [\w-]+)?[.!]*$",
        r"^(?!i\b|it\b|we\b|you\b|this\b|that\b|is\b|are\b)(?:[\w-]+ ){1,4}(?:throughout"
        r"|everywhere|across the board|at all times|by default|wherever possible)[.!]*$",
        rf"^(?:please )?(?:max(?:imum|\.)?|min(?:imum|\.)?|at (?:most|least)|(?:no|not) (?:more"
        rf"|less"
        rf"|fewer|longer|later) than|up to|under|below|less than|fewer than|never (?:more|less) "
        rf"than"
        rf"|within)(?: of)? {_NUMBER}\b",
        rf"^(?:only |exactly |just )?{_NUMBER} (?:[\w-]+ ){{1,3}}(?:per|for each|for every|an?) "
        r"[\w ]+[.!]*$",
        r"^(?:[\w-]+ ){1,3}(?:max(?:imum)?|min(?:imum)?|at most|at least|tops)[.!]*$",
        rf"^(?:[\w-]+ ){{1,4}}(?:under|below|within|at most|at least|no more than) {_NUMBER}\b",
        r"^zero (?!idea|clue|chance)[\w-]+(?: [\w-]+){0,3}[.!]*$",
        rf"^no (?!{_NO_STATE}|way|wait|comment|dice|pressure|prob)[\w.+#'-]+"
        r"(?: [\w.+#'-]+){0,3}(?:, please|, ever|, period)?[.!]*$",
        rf"^(?:all |the |any |your )?(?:[\w-]+ )?{_THING} (?:in|as|with|without|first|at) "
        r"(?:[\w'-]+ ){0,3}[\w'-]+(?:,? please|,? always)?[.!]*$",
        r"^everything (?:in|on|with|via) (?!the\b|order\b|this\b)[\w.+#-]+[.!]*$"
        r"|^(?:code )?(?:samples|snippets|headings|captions|titles|quotes|bullets|paragraphs"
        r"|sentences|lists) (?:in|as|with|without) [\w ,-]+[.!]*$|^[\w -]{3,40} only (?:before"
        r"|after"
        r"|between|on|in|at) [\w: ]+(?:, please)?[.!]*$",
        r"^all (?:[\w-]+ ){1,3}(?:in|as|with|via|through) (?!the\b|this\b)(?:[\w-]+ ){0,2}"
        r"(?!fail|pass|are\b|is\b)[\w-]+[.!]*$",
        r"^(?!i\b|it\b|let\b|what\b|use\b)[\w.+#-]+(?: [\w.+#-]+)? (?:instead of|rather than"
        r"|over|before) [\w.+#-]+(?: [\w.+#-]+)?(?:,? please|,? always)?[.!]*$",
        r"^(?:strictly |absolutely )?(?:read[- ]only|offline|dry[- ]run|stdlib|metric|utf-8"
        r"|lower ?case|upper ?case|snake_case|camelcase)(?: access| mode| units)?(?:,? "
        r"please)?[.!]*$",
    ),
    leans=Phrases(
        r"^(?:and |but |so |please )*(?:it|that|this|they|these|those|both|he|she|neither|nothing"
        r"(?: else)? (?:in|on|under) (?:it|there|here|them)|none of)\b(?![’'])",
        r"\b(?<!\bat )(?:it|them|that|this|there|those|these|that way|the (?:one|ones"
        r"|former"
        r"|latter|same))(?=[.,;!)]|$| (?:on|off|up|down|out|over|to|as|is|are|has|without|for|until"
        r"|unless|in|before|alone|without|ever|with)\b)",
        r"\b(?:its|their) \w+|\b(?:below|above|over|under|within) (?:that|it)\b",
        r"\b(?:exceed|go (?:over|above|beyond|past)|surpass|overspend|overrun|stay (?:under|within"
        r"|below))(?=[.,;!]|$| (?:without|unless|this|that|it)\b)",
    ),
    told=Phrases(
        r"^i must (?:say|admit|confess)\b|\bmust have (?:\w+ed|been|gone|had)\b|^(?:he|she|they) "
        r"(?:always|never|only|just|often)\b|^(?!you\b)[^?]*\btakes (?:at least|at most|about|up to"
        r"|more than|less than)\b",
        r"\b(?:silly me|it was (?:painful|hard|fun)|back then|at my (?:last|old|previous) \w+"
        r"|(?:i|we|they|he|she|it) used to|that[’']s why it (?:broke|fails?|failed)|in the old days"
        r"|but last (?:week|month|time))\b"
        r"|^(?:yesterday|last (?:week|month|year"
        r"|night|time))\b",
        r"^(?:imagine|suppose|assuming|say you|what if|it would be (?:nice|great|cool) if"
        r"|if (?:we|i|you|they) (?:never|always|only|had|were|could|did|didn)\w*)\b",
        r"\b(?:maybe|perhaps|possibly) (?:we|you|i) (?:should|could|need|must|ought)\b|\b(?:one "
        r"day|some ?day)\b"
        r"|\bi wonder\b|\bapparently\b|\bi think we (?:should|might|could)\b",
        r"\bi(?:[’']m| am) not (?:really |quite |so )?(?:sure|certain)(?: yet| though| about it)?"
        r"[.!]*$|\bshould (?:not|never"
        r"|always)? ?have (?:\w+ed|been|done|gone|seen|known|had)\b",
        r"^(?:back then|in the past|previously|originally|before that|once upon)\b",
        r"\b(?:weren[’']?t|wasn[’']?t|were|was) (?:not )?(?:allowed|supposed|permitted|required)\b",
    ),
)

_CHANGES = RuleChangeCues(
    permits=Phrases(
        r"\b(?:permission|blessing|consent|leave|clearance) to\b|\b(?:is|are|was|were)(?:n[’']t| "
        r"not)"
        r" (?:required|needed|necessary|restricted|bound|limited|obliged|obligatory|mandatory"
        r"|forbidden|banned|prohibited|off[- ]limits)\b|\b(?:any ?more|any longer|no longer)\b",
        r"\b(?:lift|drop|waiv|relax|retir|remov|suspend|revok|withdraw|cancel|scrap|scratch|ditch"
        r"|end"
        r"|rescind|undo)\w*\b[^.;?]*\b(?:ban|rule|restriction|limit|limits|requirement|constraint"
        r"|freeze|embargo|cap|policy)\b|\b(?:ban|rule|restriction|limit|requirement|freeze|embargo"
        r"|cap"
        r"|policy)\b[^.;?]*\b(?:lifted|dropped|gone|dead|history|over|off|moot|suspended|void"
        r"|waived)"
        r"\b|\bi (?:take (?:that|it) back|don[’']?t mind|have no objections?|no longer (?:mind"
        r"|care))\b"
        r"|\bno objections?\b|\bwould be (?:fine|ok|okay)\b|\bgo for it\b|\bstop (?:asking"
        r"|doing)\b",
        r"\byou (?:may|can)(?: now| also| still| then| again)? (?!not\b|never\b|only\b|have\b|see\b"
        r"|look\b|find\b|help\b|imagine\b|tell\b|check\b)\w",
        r"\b(?!i\b|we\b|he\b|she\b|you\b)[\w./*-]+ (?:may|can)(?: now| also| still)? (?:be (?:\w+ed"
        r"|\w+en|\w+er|put|cut|set|read|left|done|made)|go|stay|fail|remain|use|have|exceed|contain"
        r"|skip|ignore|keep|run|be (?:in|on|at|of))\b",
        r"\byou(?:[’']re| are| have)? (?:now |again )?(?:allowed|free|permitted|welcome|permission"
        r"|my (?:ok|okay|blessing|permission)|the green light) to\b|(?<!i[’']ll )(?<!i will )\bgo "
        r"ahead\b|\bfeel free\b"
        r"|\bhelp yourself\b|\b(?:i|we) (?:allow|permit|authori[sz]e|approve|agree)\b|\bby all "
        r"means\b",
        r"\b(?:is|are|it[’']?s|that[’']?s|would be) (?:now |also |totally |perfectly |absolutely "
        r"|all "
        r"|back )*(?:fine|ok|okay|allowed|alright|all right|permitted|welcome|acceptable|good"
        r"|possible again|yours|exempt(?:ed)?|excluded|excused|open|fair game|on the table)\b",
        r"\b(?!i\b|we\b)(?:you|they|[\w./*-]+s?) (?:do not|don[’']?t|does not|doesn[’']?t"
        r"|needn[’']?t"
        r"|no longer|need not|won[’']?t) (?:need|have|require|apply|be|get)\b|\bneedn[’']t\b"
        r"|\bno (?:need|reason) (?:to|for)\b|\bis(?:n[’']t| not) (?:needed|necessary|required)\b",
        r"^(?:ok|okay|yes|yeah|yep|sure|fine|alright|all right|right|good|great|very well|then)"
        r"[,.!:]? (?:then )?(?:use|push|create|delete|deploy|install|add|change|edit|touch|merge"
        r"|run"
        r"|commit|write|call|go|do|send|open|restart|modify|remove|search|fetch|download|cite)\b",
        r"\b(?:scratch|scrap|forget|skip|drop|ignore|never mind|nevermind|leave out|lift|waive"
        r"|relax)"
        r" (?:that|this|it|the|those|these|about)\b",
        r"\b(?:as you (?:like|wish|please|want|see fit)|whenever you (?:like|want)|if you (?:like"
        r"|want"
        r"|must|wish)|what(?:ever)? you (?:like|want))\b",
        r"\b(?:has|have|is|are) (?:now |been )?(?:ended|over|lifted|gone|dropped|off(?=[.!,]|$)"
        r"|expired"
        r"|withdrawn|cancell?ed|obsolete|history|finished)\b|\b(?:doesn[’']?t|don[’']?t|no longer)"
        r" (?:applies|apply|hold|count|matter)s?\b",
    ),
    excepts=Phrases(
        r"^(?:and |but |well,? )?(?:except|exempt|excluding|other than|apart from|besides|unless)\b"
        r"",
        r"\b(?:an?|one|the only) exceptions?\b|\bexempt\b|\bexception (?:is|are|for)\b",
        r"\bthough[.!]?$|\bthat (?:rule|limit|ban)\b|\b(?:longer|shorter|more|less|larger) than "
        r"that\b",
        r"\bthis (?:one|once"
        r"|time)\b|\bjust (?:this )?once\b",
    ),
    explains=r"\b(?:that[’']?s (?:why|where|how|because|what)|this is why|which is why|so the \w+"
    r" (?:is|was|fails?))\b",
    amends=Phrases(
        r"^(?:no,? |ok(?:ay)?,? |wait,? |sorry,? |oops,? |hm+,? |well,? |actually,? )*(?:make "
        r"(?:that"
        r"|it)|i (?:meant|mean)|let[’']?s (?:say|make (?:it|that))|or (?:rather|better)|rather|say"
        r"|better|correction:?|change "
        r"(?:that"
        r"|it) to|raise (?:that|it) to|lower (?:that|it) to|double (?:that|it)|i meant to say"
        r"|that should be|should be)\b.{1,40}$",
        rf"^(?:no,? |ok(?:ay)?,? |wait,? |sorry,? |oops,? |actually,? )*{_NUMBER}(?: \w+){{0,3}}"
        r"(?: (?:is|are|will do|would be|should be|works|suffices?)\b.{0,20})?"
        r"(?:,? (?:then|actually|instead|rather|now|not \S+))?[.!]*$",
        r"^[\w-]+(?: [\w-]+){0,3} (?:is|are|would be|works) (?:better|fine|enough|preferable)"
        r"(?:,? (?:actually|instead|then|after all|too))?[.!]*$",
        r"^(?:no|wait|sorry|oops|actually|rather|instead|on second thoughts?)\b[,:]? "
        r"[^?]{1,40}$|^[^?,]{1,40}, (?:actually|rather|instead|i meant|sorry)[.!]*$",
        r"^[^?,]{1,30} (?:actually|instead|after all|i meant)[.!]*$",
        r"\bi (?:meant|mean|said|wanted)\b.{1,30}$|\bmake (?:it|that)\b.{1,20}$",
        r"^(?=.*\b(?:no|not|wait|oops|sorry|rather|actually|better|instead|make|say|change"
        r"|hm+|nah|okay too|fine too|enough)\b)[^?]*(?<![\w.])[$€£]?\d[\d.,]*\b[^?]*$",
    ),
    restates=Phrases(
        r"\b(?:should|must|shall|ought|let[’']?s|make (?:it|that)|instead|rather|from now on"
        r"|from (?:today|here) on|better|becomes?|goes (?:up|down)|changes? to|moves? to|raise"
        r"|lower"
        r"|increase|switch|replace|not|use|after all|new|(?:has|have|is|are) (?:been )?(?:moved"
        r"|extended"
        r"|postponed|raised|lowered|changed))\b",
    ),
    nods="ok|okay|yes|yeah|yep|sure|fine|alright|all right|right|good|great|very well",
    hence="so|and|but|then|therefore|hence|please|also",
    marks=any_of(
        r"\b(?:actually|instead|rather|from (?:now|here|today) on(?:wards?)?|now|after all"
        r"|correction"
        r"|on second thoughts?|going forward|moving forward|no longer|any ?more|new|update)\b"
    ),
    overrules=any_of(
        r"\b(?:i (?:meant|mean|misspoke|was wrong)|changed my mind|change of plans?|correction"
        r"|scratch that|wait,? no|no,? wait|sorry|my mistake|instead(?: of)?|from (?:now|here"
        r"|today) on|let[’']s (?:use|go with|switch)|has left|switch(?:ed|ing)? to|now)\b"
    ),
    idioms=any_of(
        r"\b(?:as you (?:like|wish|please|want|see fit)|(?:whenever|wherever|whatever|what|any way"
        r"|if) you (?:like|want|wish|need(?: to)?|must)|feel free(?: to)?|go ahead(?: and)?|by me"
        r"|with me|from (?:now|here|today|this point) on(?:wards?)?|after all|at any time"
        r"|any ?more|any longer|no longer|scratch that|scrap that|never ?mind|forget (?:about )?"
        r"(?:what i said|everything i said|it|that)?|(?:is|are) yours(?: to)?|be my guest|"
        r"you have my (?:ok|okay|permission|blessing)|(?:is|are) (?:off|over|back on the table)"
        r"|green light|by all means|i(?:[’']ve| have)? changed my mind|you(?:[’']re| are) free to"
        r"|the ban on|the rule (?:about|on|against|for)|drop(?:ped)? the|skip the|lift(?:ed)? "
        r"the)\b",
    ),
    narrows=any_of(
        r"\b(?:when|while|during|between|inside|outside|within|except|unless|as long as|provided"
        r"|only|just|if|up to|once a|but (?:not|only)|at night|on weekends|for (?:this|that|these"
        r"|those|now)|this (?:one|time|once))\b|^(?:for|in|on|inside|under|during|if|when|at|which"
        r"|that|those|whose|where|the ones)\b",
    ),
    compares=r"\b(?:more|less|fewer|longer|shorter|over|under|above|below|exceed|beyond|most|least"
    r"|larger|bigger|smaller|later)\b",
    conditions=r"\b(?:ask|asking|approval|permission|consent|unless|until|without (?:my|explicit"
    r"|asking)|confirm|check with|sign-off|go-ahead)\b",
    negates=r"\b(?:not?|never|nothing|nobody|none|without|avoid|stop|\w+n[’']t|don[’']?t|forbidden"
    r"|prohibited|off|away|alone|except|but)\b",
    once=r"\b(?:this (?:one|time|once|commit|file|branch|change|package)|just once|for (?:once"
    r"|this one)|one time|(?:install|push|delete|run|do|use|merge|deploy|add|send) (?:it|that|this"
    r"|them)(?=[.!,]|$))",
    states=r"\b(?:is|are|was|were|has|have|had|agreed|approved|passed|finished|fixed|said|left"
    r"|decided|talked|checked|cleared|won[’']?t|needs?|because|since)\b",
    wide=words_of(
        "let lets the a an and or you your yours i me my we our us it its they them he him she her "
        "this that these "
        "those there here where is are was be been being has have had having do does did done "
        "doing "
        "to of in on at as by for from with into onto about up so then than but if though also "
        "just "
        "please ok okay yes yeah sure fine good great alright right well now again still already "
        "anymore longer more any all every each everything anything whole entire both either "
        "always "
        "never ever not no none nothing dont don isn doesn didn won can could may might must "
        "should "
        "shall will would need needs needed require required allowed allow permitted permission "
        "free welcome acceptable feel go ahead like wish want please see fit whenever whatever "
        "what "
        "which who rule rules ban bans restriction restrictions requirement requirements limit "
        "limits "
        "limitation constraint constraints instruction freeze embargo lifted lift gone over "
        "dropped "
        "ended end off withdrawn obsolete cancelled applies apply hold said say forget ignore "
        "disregard cancel after all per today onwards "
        "here forward point legal agreed agree use used using get got make makes keep sure own "
        "asking asked until whatever yourself himself new only before ask without avoid stop back "
        "least most least one's thats it's that's there's you're i'm s t re ll ve d m than "
        "agents team approved cleared tonight today monday tuesday wednesday thursday"
    ),
    same=(
        words_of("touch change modify edit alter work write update adjust"),
        words_of("use using usage add install bring"),
        words_of("delete remove erase drop"),
        words_of("commit push merge land go"),
        words_of("call query contact write reach"),
        words_of("function method"),
    ),
    numbers=words_of(
        "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty "
        "forty fifty sixty hundred thousand million half double"
    ),
)

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
    rules=_RULES,
    changes=_CHANGES,
    small_words=words_of(
        "the and you is it to of not don't with for this that my are be should must when all we "
        "from on can an if your or but do by so at as have has was were will would they there "
        "what which i a in been which it's its"
    ),
    topics=TopicCues(
        code=r"comment|docstring|docs?\b|documentation|commit",
        length=r"short|brief|concise|terse|long|detail|sentence|words?\b|length",
        answers="answers?|repl(?:y|ies)|responses?|yourself",
    ),
    text=TextCues(
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
    requests=RequestCues(
        asks=any_of(
            r"\b(?:can|could|would|will) (?:you|we|i|it)\b|\bplease\b|\blet'?s\b",
            r"\bi(?:'d| would) (?:like|prefer|love|want)\b|\b(?:i|we) (?:want|need|wish)\b",
            r"\bwe should\b|\byou (?:should|need to|must)\b|\bhelp me\b|\bi wonder\b",
        ),
        verbs=any_of(
            "add|address|adjust|apply|build|bump|change|check|clean|clear|commit|compare|continue",
            "convert|create|debug|delete|deploy|describe|do|document|draft|explain|extend|extract",
            "find|finish|fix|generate|give|go|handle|implement|improve|install|integrate",
            "investigate|keep|list|look|make|merge|migrate|move|now|open|optimi[sz]e|port|print",
            "push|put|read|rebase|refactor|remove|rename|replace|report|restart|revert|review",
            "rewrite|run|search|send|set|show|simplify|split|start|summari[sz]e|switch|tell|test",
            "translate|try|undo|update|upgrade|use|validate|verify|write",
        ),
        go=any_of(
            "ok(?:ay)?|yes|yeah|yep|yup|y|sure|please(?: do)?|go(?: ahead| for it| on)?",
            "do (?:it|that|so|both|all)|proceed|continue|absolutely|definitely|exactly|correct"
            "|right",
            "agreed|sounds good|lgtm|looks good|perfect|great|good",
            "let'?s (?:go|do (?:it|that|this))",
            r"(?:let'?s (?:do|try|take|go with) )?(?:option |number |#)?\d{1,2}",
            "both|all(?: of them)?|the (?:first|second|third|last)(?: one)?",
        ),
        go_then="please|do|go|let'?s|and|but",
        nod=any_of(
            "ok(?:ay)?|great|good|perfect|nice|exactly|correct|right|agreed|sounds good|lgtm",
            "looks good",
        ),
        off=any_of(
            "never ?mind|nvm|forget (?:about )?(?:it|that|this)|scrap (?:it|that)",
            "cancel (?:it|that|this)|drop (?:it|that)|don'?t bother|no longer needed",
            "not needed any ?more|leave it(?: there)?|that'?s (?:all|it)(?: for now| then)?",
            "(?:we'?re|i'?m|all) done",
        ),
        off_after="oh|ok(?:ay)?|actually|no|hm+|ah|wait|sorry",
        off_then="and|then",
        thanks=any_of(
            "thanks?|thank you|thx|ty|cheers|so much|a lot|very much|great|nice|cool|awesome"
            "|amazing",
            "excellent|perfect|good(?: job| work)?|well done|wow|super|done|all good",
            "it works?(?: now)?|works(?: now)?|that works|works great|everything works",
            "you(?: are|'re) (?:great|a monster|awesome|the best)",
            "bye|goodbye|good night|that'?s (?:all|it|great|perfect)|looks? (?:great|good)",
            "haha|lol|man|mate|now",
        ),
        thanking=r"thank|thx|\bty\b|cheers|\bdone\b|\bbye\b|that'?s (?:all|it)\b",
    ),
    doubts=DoubtCues(
        correction=StemmedCue(
            stems=any_of(
                "mistake|my bad|my error|my earlier|error|typo|misread|misunder|misinterpret",
                "overlooked|misspoke|incorrect|wrong|i should|shouldn't have|corrected|re right",
                "are right|ly right|not right|apologi|correction:|oops|not correct|backwards",
                "i forgot|i missed",
            ),
            phrases=any_of(
                r"\bi (?:was|am) (?:wrong|mistaken|incorrect)\b",
                r"\bmy (?:mistake|bad|error|earlier (?:claim|assumption|statement|analysis) was)\b",
                r"\bi(?:'ve| have)? (?:made (?:a |an )?(?:mistake|error|typo)|misread|misunderst\w+"
                r"|misinterpreted|overlooked|misspoke|mistakenly|incorrectly|wrongly)\b",
                r"\bi should(?: not|n't)? have\b",
                r"\bi stand corrected\b",
                r"\byou(?:'re| are) (?:absolutely |completely |totally )?right\b",
                r"\bi apologi[sz]e\b",
                r"\bcorrection:",
                r"\boops\b",
                r"\bthat (?:was|is) (?:wrong|incorrect|not (?:right|correct))\b",
                r"\bi had (?:it|this|that) (?:backwards|wrong)\b",
                r"\bi (?:forgot|missed)\b",
            ),
        ),
        reconsideration=StemmedCue(
            stems=any_of(
                "wait|hold on|hm|actually|second thought|reflection|reconsider|rethink|re-think",
                "step back|think again|differently|revisit|scratch that|thinking about|think of it",
                "alternatively",
            ),
            phrases=any_of(
                r"\bon (?:second thoughts?|reflection)\b",
                r"\b(?:let me|i(?:'ll| should| need to| have to)) (?:reconsider|rethink|re-think"
                r"|step back|think (?:again|about this differently)|revisit)\b",
                r"\bscratch that\b",
                r"\bthinking about (?:it|this) (?:more|again)\b",
                r"\bcome to think of it\b",
            ),
            openings=any_of(
                r"(?:no[,.]? |but |oh[,.]? |ah[,.]? |well[,.]? |hmm+[,.]? |or )?"
                r"(?:wait|hold on|hmm+|hm|actually)(?=[,.!…—–:]| —| –| -|\s*$| actually)",
                "alternatively,",
            ),
        ),
        uncertainty=StemmedCue(
            stems=any_of(
                "sure|certain|confident|clear|obvious|hard to|don't|do not|can't|cannot|couldn't",
                "i wonder|no idea|to be seen|puzzl|confus",
            ),
            phrases=any_of(
                r"\b(?:i'm|i am|i'm still|we're|i was) (?:not (?:\w+ )?(?:sure|certain|confident"
                r"|clear)|unsure|uncertain|confused|puzzled)\b",
                r"\b(?:it's|it is|this is|that's) (?:not (?:\w+ )?(?:clear|obvious)|unclear"
                r"|hard to (?:say|tell)|puzzling)\b",
                r"\bi (?:don't|do not) (?:know|understand|see)"
                r" (?:if|whether|why|how|what|where|yet|for sure)\b",
                r"\bi (?:can't|cannot|couldn't) (?:tell|say|determine|verify|confirm|be sure)\b",
                r"\bi wonder (?:if|whether|why|how)\b",
                r"\bi have no idea\b",
                r"\bremains (?:unclear|to be seen)\b",
            ),
            openings=r"(?:not sure|unsure|unclear) (?:if|whether|why|how|what|where|about|yet)\b",
        ),
        verification=StemmedCue(
            stems="check|verif|make sure|confirm|to be s|to be c|correct?|right?|true?",
            phrases=any_of(
                r"\b(?:let me|let's|i(?:'ll| will| should| need to| want to| have to|'d better))"
                r"(?: \w+)? (?:double[- ]check|re-?check|re-?verify|verify|sanity[- ]check"
                r"|cross[- ]check|make sure (?:that|i|we|this|it|my|the)"
                r"|confirm (?:that|whether|if|this|my|it))\b",
                r"\b(?:just )?to be (?:sure|safe|certain)\b",
                r"\bis (?:that|this) (?:really |actually )?(?:right|correct|true)\?",
            ),
            openings=any_of(
                r"double[- ]checking\b|verifying (?:that|whether|my|this)\b",
            ),
        ),
        hedge=StemmedCue(
            stems=any_of(
                "i think|i believe|i suspect|i guess|i assume|i suppose|i imagine|guess|i expect",
                "d assume|my assum|d expect|suspicion|hunch|hypothesis|as far as|i recall",
                "i remember|afaik|iirc|probabl|presumabl|perhaps|maybe|possibly|likely|it seems",
                "it appears|looks like|seem|appear|might be|may be|could be|hopefully",
            ),
            phrases=any_of(
                r"\b(?:i (?:think|believe|suspect|guess|assume|suppose|imagine|expect"
                r"|would (?:guess|assume|expect))|i'd (?:guess|assume|expect)"
                r"|my (?:guess|suspicion|hunch|hypothesis|assumption)"
                r"|as far as i (?:know|can tell)|if i (?:recall|remember)|afaik|iirc)\b",
                r"\b(?:probably|presumably|perhaps|maybe|possibly|(?:most|very) likely"
                r"|(?:is|are|was) likely|likely (?:because|due|the|a|that|related)"
                r"|it (?:seems|appears|looks like)|seems? (?:to|like|that)|appears? to be"
                r"|(?:this|that|it) (?:might|may|could) be|should hopefully)\b",
            ),
        ),
    ),
    decisions=DecisionCues(
        firm=StemmedCue(
            stems=any_of(
                "decid|agreed|settl|opted|opting|conclud|chosen|picked|decision|ing with|went with",
                "go with|stick with|we'll|we’ll|we will|we're going|we are going",
            ),
            phrases=r"\b(?:"
            r"(?:we|i)(?: have|'ve|’ve)?(?: both| all| now| finally)? "
            r"(?:decided|agreed (?:to|on)|settled on|opted|concluded that we)\b"
            r"|(?:we|i)(?:'ve|’ve| have) (?:chosen|picked)\b"
            r"|decided (?:to|on|against|not to)\b"
            r"|decision: (?!whether|if)"
            r"|(?:the|my|our|final) decision (?:is|was) (?:to|that)\b"
            r"|(?:i'm|i am|we're|we are)? ?(?:going|sticking) with (?!you\b)"
            r"|(?:we|i) went with\b"
            r"|(?:let'?s|we'?ll|we will|i'?ll|i will) (?:go|stick) with\b"
            r"|opting (?:for|to)\b"
            r"|settling on\b"
            r"|we(?:'ll|’ll| will|'re going to| are going to)(?: just| only)? "
            r"(?:use|keep|drop|switch to|adopt|skip|stay|store|target|support|defer|not)\b"
            r")",
        ),
        of_a_person=StemmedCue(
            stems="let's|lets|option|i'd|i would|id |should|don't|dont",
            phrases=any_of(
                r"\blet'?s (?:do|try|use|keep|drop|stick|switch|adopt|skip|avoid|remove|not|defer"
                r"|postpone|leave|take option|implement|call it|move to)\b",
                r"\boption \(?(?:\d|[a-c]\b)",
                r"\b(?:i'?d|i would) (?:prefer|rather|go with|keep|say we)\b",
                r"\b(?:we|you) should (?:use|keep|drop|switch|go with|not)\b",
                r"\bwe don'?t (?:need|want) to\b",
            ),
        ),
        with_reason=StemmedCue(
            stems=any_of(
                "because|since|so that|given that|due to| as |to avoid|in order|instead|rather",
                "over |in favo",
            ),
            phrases=r"\b(?:"
            r"i(?:'ll|’ll| will| am going to|'m going to)(?: just| simply)? (?:use|keep|store|put"
            r"|make|stay|switch|avoid|skip|drop|defer|postpone|reuse|rely|leave|treat|not)"
            r"|let'?s (?:use|keep|switch|avoid|skip|drop|not)"
            r"|(?:i |we )?(?:used(?! (?:as|by|to|in|for|when)\b)|chose|picked|kept|switched to"
            r"|preferred)"
            r"|choosing|keeping"
            r") ",
        ),
        reason=(
            r"\b(?:because|since(?! (?:the )?(?:last|\d|yesterday|then|v\d))|so that|given that"
            r"|due to|as (?:it|this|that|we|they) (?:is|are|has|have|would|does|don't|can|needs?)"
            r"|to avoid|in order to)\b"
        ),
        instead=r"\b(?:instead of|rather than|over (?=[A-Z`])|in favou?r of)\b",
        undecided_after=any_of(
            "if|whether|when|should|shall|could|would|do you|the user|the reviewer|they|maybe",
            "perhaps",
        ),
        undecided=r"\b(?:not (?:yet )?decided|haven'?t decided|undecided|could go with"
        r"|would go with|might go with|(?:is|are|was|were) (?:asking|using|keeping))\b",
        concludes=("so", "therefore", "thus", "hence", "also"),
    ),
    steps=StepCues(
        heading=StemmedCue(
            stems="next|still|to do|to-do|todo|remaining|left|outstanding|done|open |follow"
            "|pending",
            phrases=any_of(
                "(?:the )?next steps?|next up|up next|next is",
                "still (?:to do|to be done|open|missing|pending|outstanding|left)",
                "to[ -]?dos?(?: list| items)?(?=[*_]{0,2}(?:[:：]|$))",
                "remaining(?: (?:items?|tasks?|work|steps?|issues?|todos?|points?))|left to do",
                "what'?s (?:left|next|still missing)|outstanding|not (?:yet )?done(?: yet)?",
                "open (?:items|points|questions|tasks)|follow[- ]ups?",
                "pending(?: (?:items|tasks|work))?",
            ),
        ),
        copulas="is|are",
        announced=StemmedCue(
            stems=any_of(
                "next|then|continue with|follow up|tackle|come back|after|later|once |still",
                "yet to",
            ),
            phrases=r"\b(?:"
            r"next,? i(?:'ll|’ll| will|'m going to| am going to)"
            r"|i(?:'ll|’ll| will) (?:next|then|continue with|follow up|tackle|come back)"
            r"|(?:after that|afterwards|later"
            r"|once (?:that|this|it)(?:'s| is) (?:done|merged|in|ready)),? (?:i|we)(?:'ll|’ll"
            r"| will)"
            r"|(?:i|we) (?:still )?(?:have|need) (?:yet )?to (?:still|later)"
            r"|(?:i|we) still (?:need|have) to"
            r"|still (?:needs|has) to be"
            r")",
        ),
    ),
    orders=OrderCues(
        duties=any_of(
            r"\b(?:must|shall|should|ought|(?:has|have|had|needs?|needed) to|always|never)\b",
            r"\b(?:is|are|was|were|been|be|being|gets?) (?:now |also |always |not |strictly )*"
            r"(?:to be|required|obliged|supposed|expected|allowed|permitted|forbidden|prohibited"
            r"|mandatory|approved|authori[sz]ed|cleared|exempt|welcome) ?",
            r"\b(?:everyone|everybody|anyone|anybody|nobody|no one|whoever)\b",
            r"\b(?:permission|approval|authori[sz]ation|polic(?:y|ies)|no need to|from now on"
            r"|without (?:asking|review|approval|confirmation|consent))\b",
            r"\b(?:may|can) (?:now |safely |also )*be (?:skipped|ignored|deleted|disabled|sent"
            r"|shared|bypassed|pushed|run|mailed)\b",
        ),
        orders=any_of(
            r"\b(?:ignore|disregard|forget|override|bypass|obey)\b(?= (?:all|any|every|the|your"
            r"|previous|prior|earlier|above|these|those|this|that|me|my|whatever|everything)\b)",
            r"\byou (?:must|should|shall|have to|need to|are to|are now|will now|may not|cannot"
            r"|can[’']t|ought)\b",
            r"\b(?:the )?(?:assistant|agent|model|ai|reader|llm) (?:must|should|shall|has to"
            r"|needs to|is to|may not|is required|is instructed|is told|ought)\b",
            r"^(?:always|never|do not|don[’']t|make sure|be sure|remember to|from now on|important"
            r"|system|urgent|instructions?|attention|please)\b",
            r"\b(?:new|updated|following|hidden|secret) (?:instructions?|orders?|rules?"
            r"|system prompt|directives?)\b",
            r"\b(?:system prompt|prior instructions|previous instructions"
            r"|without asking the user)\b",
            r"\b(?:must|should) (?:always|never)\b",
            r"\bit (?:is|was|has been) (?:now |hereby |absolutely )?(?:required|necessary"
            r"|mandatory|imperative|essential|compulsory|ordered|demanded) (?:that|to|for)\b",
        ),
        for_a_person=any_of(
            r"\b(?:user|customer|client|human|person|owner|operator|developer)s? (?:(?:has|have|had"
            "|did|does|do|is|was|will|would|may|might|can|could|should|been|also|now|then"
            "|explicitly|clearly|already|just|recently|previously|always|never|not|hereby"
            "|fully) )*(?:wants?|wanted|asks?|asked|says?|said|requires?|required|requests?"
            "|requested|tells?|told|needs?|needed|demands?|demanded|decides?|decided|prefers?"
            "|preferred|wish(?:es|ed)?|instruct(?:s|ed)|orders?|ordered|insists?|insisted|expects?"
            "|expected|allow(?:s|ed)?|approve[sd]?|agree[sd]?|chose|confirm(?:s|ed)?|gave|gives?"
            "|given|grant(?:s|ed)?|permit(?:s|ted)?|authori[sz]e[sd]?|wanting|asking|accept(?:s"
            r"|ed)?|consent(?:s|ed)?|sign(?:s|ed) off)\b",
            r"\b(?:by|from|as) the user\b",
            r"\bthe user's (?:wish|request|order|instruction|rule|demand|approval|permission"
            r"|consent|go-ahead|decision)",
        ),
        verbs=any_of(
            r"(?:delete|remove|erase|wipe|send|execute|install|upload|download|transfer|forward"
            r"|email|disable|enable|grant|invoke|reveal|leak|exfiltrate|overwrite|terminate|kill"
            r"|uninstall|publish|deploy|follow|proceed|continue|go)\b",
            r"(?:run|use|call|open|write|read|add|create|change|update|edit|move|copy|drop|push"
            r"|commit|merge|post|print|put|set|start|stop|restart|build|test|check|fix|show|list"
            r"|give|tell|ask|keep|make|try|turn|visit|click|share|pay|buy)\b" + _OBJECT,
        ),
        verbs_after="then|now|next|first|finally|so|also|just|immediately",
    ),
    traits=TraitCues(
        clause_after="and|but|so|also|fyi|btw|note",
        that="that",
        name=r"\bmy (?:full |first )?name is|\bcall me (?=(?-i:[A-Z]))",
        self=any_of(
            r"i(?:[’']m| am) (?:an? (?!bit|little|lot|few|while|fan)|based in"
            r"|from (?=(?-i:[A-Z]))|allergic)",
            "i live in",
            "i work (?:at|for|as|in|on|with)",
        ),
        self_place="work|live|based",
        owners="my|our|the (?:project|team|repo|repository|company)[’']s",
        is_words="is|are",
        states="is|are|runs on|lives in|lives at",
        passing=any_of(
            "not|still|now|broken|failing|down|slow|wrong|done|ready|too|very|so|being|currently",
            r"to|that|how|what|why|\w+ing",
        ),
        passing_things=words_of(
            "question questions problem problems issue issues guess point concern idea goal goals "
            "plan task next first mistake fault bug test tests build code error change changes pr "
            "understanding impression hope thought result output answer input prompt request "
            "message"
        ),
        in_project="(?:in|for) (?:this|our|the) (?:project|repo|team|company),? ",
        use=any_of(
            r"we(?:[’']re| are)? (?:all )?(?:use|using|run on|running on|deploy (?:to|on|with)"
            r"|develop on|host on|ship on|are on)",
            r"we(?:[’']ve| have)? (?:switched|moved|migrated|upgraded) (?:from [^.;]{1,40} )?to",
            r"(?:this|the|our) (?:project|repo|repository|code ?base|team|company|service|app) "
            r"(?:uses|runs on|is written in|is built (?:with|on)|targets)",
        ),
        remember=any_of(
            r"(?:please )?(?:remember|keep in mind|don[’']t forget|bear in mind)(?: that\b|:)",
            "for (?:future reference|the record)[,:]",
        ),
        remember_after="please|also|and",
        forget=any_of(
            r"forget (?:about )?(?:that\b|what i (?:said|told you)(?: about)?|my|our|the)",
            "don[’']t remember|stop remembering",
        ),
        forget_after="please|and|but|you can|you may",
        ended=any_of(
            r"(?:we|i)(?:[’']re| are|[’']m| am)? (?:no longer|not) "
            r"(?:use|using|prefer|work|live|run|deploy)\w*",
            r"we (?:don[’']t|do not) use(?=.*\bany ?more\b)",
        ),
        ended_after="and|but|so",
        unsure_after="if|whether|when|unless|should|could|would|suppose|imagine|maybe|perhaps",
        unsure=r"for example|e\.g\.|let[’']s say|right now|at the moment|for now|currently trying",
        copula=r"\s(?:is|are|runs on|lives in)\s",
        purpose="for|as|to store",
        empty=words_of(
            "remem forge told said use using used uses longe anymo any more now that what about "
            "name live work"
        ),
    ),
    memory=MemoryCues(
        task_bound=any_of(
            r"\b(?:this|that|these|those|the current) (?:pr|pull request|task|file|files|function"
            r"|class|method|test|tests|branch|commit|change|changes|session|conversation|chat|time"
            r"|ticket|bug|issue|script|page|answer|question|step|part|line|one)\b",
            r"\b(?:here|today|tonight|for now|right now|just once|yet)\b",
        ),
        stands_here=r"^(?:here,? )?we\b",
        purpose="for",
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
