"""How rules are laid down, in English."""

from steno.facts.languages.cues import RuleCues, any_of, pattern
from steno.facts.languages.en.bans import BANS
from steno.facts.languages.en.choices import CHOICES
from steno.facts.languages.en.duties import DUTIES
from steno.facts.languages.en.frames import AT, FIRST, LANGUAGE, NO_STATE, NUMBER
from steno.facts.languages.phrases import Phrases

_SPEECH = (
    r"(?:answers?|responses?|repl(?:y|ies)|outputs?|explanations?|messages|summaries|code blocks)"
)

_I = (
    r"\b(?:i|we)(?:[’']d| would| do)?(?: (?:really|definitely|generally|usually|strongly|much|also"
    "|actually|still|personally|always|now|do))*"
)

_THING = (
    r"(?:amounts?|prices?|dates?|times?|timestamps?|numbers?|units?|names?|messages?|commits?"
    r"|comments?|docs|answers?|replies|titles?|headings?|distances|temperatures?|figures?|tables?"
    r"|examples?|code|output|variables|columns|identifiers|keys|tests|branches|files|functions"
    r"|classes|measurements|weights|costs|values|tickets|summaries|reports|labels|logs|charts)"
)

RULES = RuleCues(
    asks=pattern(
        r"(?:^|[,;:–—-]\s*|\b(?:and|but|so|or|btw|question)\b,?\s+)(?:can|could|would|will|do|does"
        "|did|is|are|should|shall|must|have|has|isn[’']t|aren[’']t|don[’']t|doesn[’']t|didn[’']t"
        "|can[’']t|couldn[’']t|wouldn[’']t|shouldn[’']t|what|which|why|how|where|when|who|any"
        r"|am)\b"
    ),
    idle=Phrases(
        r"\bnever ?mind\b",
        r"^i(?:[’']ll| will) (?:book|take|choose|buy|pay)\b[^.;]*|\bi think i(?:[’']d"
        r"| would) (?:rather|prefer)\b[^.;,]*",
        r"\b(?:do not|don[’']?t|no need to) (?:worry|bother|mind|hesitate|get me wrong"
        r"|sweat)\b[^.,;]*",
        r"\b(?:have|has|had|[’']ve|(?<!let)[’']s) (?:\w+ )?(?:never|always)\b",
        r"\b(?:i|he|she|they|it|who|which|that|[’']m|am|is|are|was|were|can) (?:never|always)\b",
        r"\bas always\b|\balways (?:looking|on the lookout|wanted|been)\b",
        r"\bmust-\w+",
        r"\b(?:it|he|she|they|that|this|i|you) must (?:have|be)\b"
        rf"|\bthere must (?:have\b|be\b(?! no (?!{NO_STATE})))",
        r"\bno (?:\w+ ){1,4}(?:needed|necessary|required)\b",
        r"\bno (?:problem|worries|idea|thanks|wonder|doubt|rush)\b|(?<!^)(?<!you )(?<!we "
        r")(?<!please )(?<!on )(?<!on, )(?<!can )(?<!may )(?<!must )(?<!should )\bno longer(?! "
        r"than| allowed| permitted| acceptable| ok| fine| an option)\b|\(no more [^)]*\)",
        r"\bi (?:did not|didn[’']?t|don[’']?t|never|always|had to|forgot to)\b(?! (?:want|like"
        r"|wish|accept))[^.;,]*",
        r"\b(?:don[’']?t|do not|never) (?:break|forget|lose|miss)\b",
        r"\b(?:it|this|that|there) (?:can|could|might) only (?:be|have|mean)\b",
        r"\bit has to be (?:an?|the|some|something|because|due|related|that)\b",
        r"\b(?:which|that|ones|what|as|like|since|because) (?:i|we) prefer\b|\b(?:i|we) can only\b",
    ),
    reported=Phrases(
        r"\b(?!i\b|we\b|you\b|any\w+\b|be\b|been\b)\w+ (?:said|says|wrote|writes|stated|states"
        r"|told (?:me|us|them|everyone)|used to (?:say|tell|insist|claim)"
        r"|claims|claimed|recommends|recommended|suggests|suggested|mentioned|mentions"
        r"|thinks|requested|complains|insists|insisted|advises|advised|wants me)\b",
        r"\b(?:docs?|documentation|readme|spec|article|guide|error|linter|compiler|message|page"
        r"|policy|manual)s? (?:say|claim|mention|tell)\b",
        r"\baccording to\b|^given that\b",
    ),
    once=Phrases(
        r"^(?:ok,? |okay,? |alright,? |great,? )?let[’']?s go\b",
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
        r"\bnever ?mind (?:about )?(?:what i said|my|the|that) [\w -]*\b(?:about|rule|ban|limit)\b",
        r"\bno more (?:restrictions|limits|bans|rules) (?:on|for|about)\b",
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
        r"\bno longer (?:applies|apply|needed|necessary|required|forbidden|banned|prohibited"
        r"|off[- ]limits|mandatory|taboo|a rule|in force|holds)\b",
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
        rf"|write all)\b[^.;]*\bin {LANGUAGE}\b|^(?:please )?(?:write|draft|prepare|keep|do) (?:the"
        rf"|your|my|all|our) [\w -]{{2,30}} in {LANGUAGE}[.!]*$",
        r"\b(?:comments?|commits?|docs|documentation|docstrings?|messages?|names|everything|text"
        rf"|labels|answers?|replies|it)\b[^.;]*\b(?:in|be|use) {LANGUAGE}\b",
        r"\buse (?:the )?(?:british|american|us|uk|canadian|australian) (?:english|spelling)\b",
        rf"\b(?:{LANGUAGE} only|only (?:in )?{LANGUAGE}|switch to {LANGUAGE})\b",
    ),
    output=Phrases(
        r"\b(?:keep|make|limit|format|write|structure|start|end|begin|put)\b[^.;]*\b(?:your|all"
        rf"|every|each) (?:\w+ )?{_SPEECH}\b",
        rf"\b(?:your|all|every|each) {_SPEECH}\b[^.;]*\b(?:should|must|need to|have to|to be)\b",
        f"{FIRST}(?:answer|reply|respond)(?: me)? (?:only|just|always|with|in|using|briefly"
        r"|concisely|shortly|tersely)\b",
        rf"\bbe (?:\w+ )?\w+ with me\b|{FIRST}be (?:more |always )?(?!careful|sure|right|back|able"
        r"|there|my|a\b)\w+(?: when\b| in\b|[.!]?$)",
        rf"{AT}be (?:more )?(?:concise|brief|terse|short|succinct|direct|formal|polite|precise)\b",
        rf"{AT}(?:format|render|write|give|print|show|output) (?:all|every|each|any)\b",
        rf"{FIRST}(?:act|behave|respond|talk|speak|write|answer) (?:as|like) (?:if "
        r"|though )?(?:an?|my|you|i)\b",
        f"{AT}use (?:bullet points?|bullets|markdown|plain text|tables|numbered lists|metric"
        r"|imperial|metric units|si units|iso dates|headings)\b",
        f"{AT}(?:always )(?:cite|format|include|provide|highlight|mention|specify|give|report|show"
        r"|quote|use structured)\b",
        r"^all (?:\w+ ){1,2}(?:should|must) be in\b",
        rf"^{_SPEECH} (?:should|must|need to|have to|shall)\b|\b(?:no (?:longer|more) than|at most"
        r"|under|within|fewer than|less than|maximum of) (?:\w+ ){1,2}(?:sentences?|words|lines"
        r"|paragraphs?|bullets?|characters)\b(?=.*\b(?:answers?|repl|respon|messages|explan))",
        r"\b(?:call me|address me|refer to me)\b",
    ),
    prohibition=BANS,
    obligation=Phrases(*DUTIES.sources, *CHOICES.sources),
    preference=Phrases(
        r"^i(?:[’']d like| want| would like) (?:\w+er|short|long|more|less|fewer|concise|brief"
        r"|plain|simple|small|detailed) [\w ]+[.!]*$",
        r"^user (?:is|has|cannot|does)\b",
        r"\b(?:partial to|(?:big |huge )?fan of)\b[^.;?]*(?:\bover\b|, so (?:write|use|keep|do"
        r"|make|please|stick|give)\b)|^my preferred\b[^.;?]* (?:is|are)\b",
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
        rf"{FIRST}(?:prefer|favou?r)\b|^\w+ over \w+[.!]?$",
        r"\b(?:i|we)(?:[’']d| would) like to stick (?:to|with)\b",
        "^(?:here,? )?we (?:only )?(?:use|follow|write|run|deploy with"
        r"|stick to)\b[^?]*(?:,? not \w|\binstead of\b|\brather than\b|\bhere\b|\bonly\b)",
        r"\bi(?:[’']d| would) (?:really )?(?:appreciate|love|like) it if you\b(?! could\b)",
        r"^it(?:[’']d| would) (?:be (?:\w+ )?(?:great|nice|good|cool|best|helpful)|help) if you "
        r"(?:always|never|only) (?!had|got|saw|were)\w",
        r"\b(?:i[’']m|i am|we[’']re) (?:\w+ )?(?:allergic|vegetarian|vegan|colou?r-?blind|dyslexic"
        r"|lactose|celiac|diabetic)\b",
        r"\bi only (?:eat|drink|use|buy|fly|wear|read|watch|work)\b",
        r"\bmy (?:budget|limit|maximum|upper limit) is\b|\bi (?:hate|can[’']t stand"
        r"|dislike)\b[^.;?]*(?:, so|, don|, please|, never)",
        r"\bi like\b[^.;?]*\b(?:better|more) than\b|\bi like\b[^.;?]*\bas little as possible\b",
    ),
    corrects=any_of(
        "actually|on second thoughts?|correction|change of plans?|instead|scratch that|rather",
        "wait,? no|no wait|i meant[^:,]{0,30}:|(?:i(?:[’']ve| have)? )?changed my mind|i was wrong"
        "|my mistake",
        "sorry|update|strike that|let me correct that|i misspoke",
    ),
    corrects_after="no|wait|ok|okay|sorry|hm+|oops",
    adds=r"(?:please )?also\b",
    joins="and ",
    labels=any_of(
        "(?:(?:hard|house|team|project|ground|golden|safety|security|user|key|core|critical|style"
        "|coding|strict) )?(?:rules?|constraints?|requirements?|polic(?:y|ies)|preferences?)",
        "facts?|guidelines?|important|conventions?|limits?|must|never|always",
        "do not|restrictions?|conditions?|non-negotiable|standing orders?|reminder|principle",
        "keep in mind|budget|invariant|remember",
    ),
    first_person=r"\b(?:i|my|we|our|us)\b",
    contrasts="but|yet|however|still|nevertheless|even so",
    own_asks=r"please|(?:i|we) (?:want|need|expect|would like) you to|(?:i|we)[’']d like you to",
    forbids=r"(?:please )?(?:do not|don[’']?t|avoid|stop)\b",
    ban_headings=r"(?:the )?(?:do[’']?s? and )?don[’']?ts?|never(?: ever)?|do not|no[- ]?gos?"
    r"|off[- ]limits|hands off|forbidden|prohibited|not allowed|avoid|(?:please )?(?:don[’']?t|do"
    r" not|never) (?:do|touch|change|edit|use|break|modify)(?: this| these| the following)?"
    r"|(?:what|things|files|places)?(?: you)?(?: must| should| may)? ?not(?: to)? (?:do|touch"
    r"|change|edit|use|break|modify)",
    headings=(
        "(?:ground |house |project |team |coding )?(?:rules|constraints|conventions"
        "|guidelines|restrictions|policies|preferences)"
    ),
    terse=Phrases(
        r"^(?:max(?:imum)? )?(?:line (?:length|width)|timeouts?|indent(?:ation)?|font size"
        r"|page size|batch size)[:=]? ?\d\w*(?: [\w-]+)?[.!]*$",
        r"^(?!i\b|it\b|this\b|that\b|we\b|the last\b)(?:[\w-]+ ){0,4}[\w-]+:? (?:max(?:imum|\.)?"
        r"|min(?:imum|\.)?)(?: of)? [$€£]?\d[\d.,]*\w*(?: [\w-]+){0,3}[.!]*$",
        rf"^(?!i\b|it\b|we\b)[\w -]{{2,30}}: {NUMBER} [\w-]+(?: [\w-]+)?,? (?:no more"
        r"|not more|no less|max(?:imum)?|tops|at most|at least|each)[.!]*$",
        r"^(?!i\b|it\b|he\b|she\b|they\b|this\b|that\b|these\b|those\b|some\b)(?:all |the |your "
        r"|our )?[\w-]+s (?:come|go out|are delivered|ship) as (?:an? )?[\w-]+(?: files?)?[.!]*$",
        r"^we(?:[’']re| are)? (?:on|run|target|write|ship|support|build for|use) (?:on |with "
        r"|for )?[\w.+#-]+ (?:\d[\w.]*|english|spelling)(?:\+| and up)?[.!]*$",
        r"^(?!i\b|it\b|yes\b|why\b|ok\b)[\w-]+s? not [\w-]+[.!]*$",
        r"^i (?:really )?love (?!the\b|these\b|those\b|your\b|this\b|all\b|my\b|both\b)[\w-]+ "
        r"[\w-]+s[.!]*$|^[\w.+# -]{2,20} \d[\d.]*\+[.!]*$",
        r"^(?:simple|short|clean|small|clear|concise|plain|brief|readable|long|detailed|honest) "
        r"[\w-]+(?: [\w-]+)?(?:,? (?:please|only|always))?[.!]*$",
        rf"^(?:a |an )?(?:max|min)imum of {NUMBER}\b|\b\d+ [\w ]+ (?:max|min|tops)[.!]*$"
        rf"|^between {NUMBER} and {NUMBER}\b|^not before\b|^not after\b",
        r"^no [\w ]+ (?:longer|larger|bigger|more|older|smaller|higher|shorter|wider|deeper) than\b"
        r"",
        rf"^(?:in )?{LANGUAGE}(?:,? please)?[.!]*$|^{_SPEECH} in {LANGUAGE}",
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
        r"|every|each) [\w-]+(?: [\w-]+)?[.!]*$",
        r"^(?!i\b|it\b|we\b|you\b|this\b|that\b|is\b|are\b)(?:[\w-]+ ){1,4}(?:throughout"
        r"|everywhere|across the board|at all times|by default|wherever possible)[.!]*$",
        rf"^(?:please )?(?:max(?:imum|\.)?|min(?:imum|\.)?|at (?:most|least)|(?:no|not) (?:more"
        rf"|less|fewer|longer|later) than|up to|under|below|less than|fewer than|never (?:more"
        rf"|less) than|within)(?: of)? {NUMBER}\b",
        rf"^(?:only |exactly |just )?{NUMBER} (?:[\w-]+ ){{1,3}}(?:per|for each|for every|an?) "
        r"[\w ]+[.!]*$",
        r"^(?:[\w-]+ ){1,3}(?:max(?:imum)?|min(?:imum)?|at most|at least|tops)[.!]*$",
        rf"^(?:[\w-]+ ){{1,4}}(?:under|below|within|at most|at least|no more than) {NUMBER}\b",
        r"^zero (?!idea|clue|chance)[\w-]+(?: [\w-]+){0,3}[.!]*$",
        rf"^no (?!{NO_STATE}|way|wait|comment|dice|pressure|prob)[\w.+#'-]+"
        r"(?: [\w.+#'-]+){0,3}(?:, please|, ever|, period)?[.!]*$",
        rf"^(?:all |the |any |your )?(?:[\w-]+ )?{_THING} (?:in|as|with|without|first|at) "
        r"(?:[\w'-]+ ){0,3}[\w'-]+(?:,? please|,? always)?[.!]*$",
        r"^everything (?:in|on|with|via) (?!the\b|order\b|this\b)[\w.+#-]+[.!]*$"
        r"|^(?:code )?(?:samples|snippets|headings|captions|titles|quotes|bullets|paragraphs"
        r"|sentences|lists) (?:in|as|with|without) [\w ,-]+[.!]*$|^[\w -]{3,40} only (?:before"
        r"|after|between|on|in|at) [\w: ]+(?:, please)?[.!]*$",
        r"^all (?:[\w-]+ ){1,3}(?:in|as|with|via|through) (?!the\b|this\b)(?:[\w-]+ ){0,2}"
        r"(?!fail|pass|are\b|is\b)[\w-]+[.!]*$",
        r"^(?!i\b|it\b|let\b|what\b|use\b)[\w.+#-]+(?: [\w.+#-]+)? (?:instead of|rather than"
        r"|over|before) [\w.+#-]+(?: [\w.+#-]+)?(?:,? please|,? always)?[.!]*$",
        "^(?:strictly |absolutely )?(?:read[- ]only|offline|dry[- ]run|stdlib|metric|utf-8|lower "
        "?case|upper ?case|snake_case|camelcase)(?: access| mode| units)?(?:,? please)?[.!]*$",
    ),
    leans=Phrases(
        r"^(?:and |but |so |please )*(?:it|that|this|they|these|those|both|he|she|neither|nothing"
        r"(?: else)? (?:in|on|under) (?:it|there|here|them)|none of)\b(?![’'])",
        r"\b(?<!\bat )(?:it|them|that|this|there|those|these|that way|the (?:one|ones|former"
        r"|latter|same))(?=[.,;!)]|$| (?:on|off|up|down|out|over|to|as|is|are|has|without|for"
        r"|until|unless|in|before|alone|without|ever|with)\b)",
        r"\b(?:its|their) \w+|\b(?:below|above|over|under|within) (?:that|it)\b",
        r"\b(?:exceed|go (?:over|above|beyond|past)|surpass|overspend|overrun|stay (?:under|within"
        r"|below))(?=[.,;!]|$| (?:without|unless|this|that|it)\b)",
    ),
    or_else="or",
    agreed="ok(?:ay)?|understood|got (?:it|that)|(?:is that )?clear|al(?:l ?)?right|agreed|deal",
    confirmed="right|yeah|yes",
    polite=pattern(
        r"^(?:please,? |so,? |and )?(?:can|could|would|will) (?:you|we) (?:please |kindly |try to"
        r" )?(?P<limit>(?=keep|limit|cap|hold|stay|restrict|leave))?"
    ),
    told=Phrases(
        r"\bwhich is why (?:i|we)\b|\bor something like\b|^i definitely prefer the\b",
        r"^if (?:there(?:[’']?s| is) any\b|you don[’']?t have\b)|\bi don[’']?t know\b|\bi[’']?m "
        r"(?:wondering|comfortable)\b|\bi(?:[’']d| would) appreciate\b(?! it if you (?:didn[’']?t"
        r"|did not|never|always|only)\b)|\bi must insist\b",
        r"^i must (?:say|admit|confess)\b|\bmust have (?:\w+ed|been|gone|had)\b|^(?:he|she|they) "
        r"(?:always|never|only|just|often)\b|^(?!you\b)[^?]*\btakes (?:at least|at most|about|up to"
        r"|more than|less than)\b",
        r"\b(?:silly me|it was (?:painful|hard|fun)|back then|at my (?:last|old|previous) \w+|(?:i"
        r"|we|they|he|she|it) used to|that[’']s why it (?:broke|fails?|failed)|in the old days"
        r"|but last (?:week|month|time))\b|^(?:yesterday|last (?:week|month|year|night|time))\b",
        r"^(?:imagine|suppose|assuming|say you|what if"
        r"|it would be (?:nice|great|cool) if(?! you (?:always|never|only) (?!had|got|saw|were))"
        r"|if (?:we|i|you|they) (?:never|always|only|had|were|could|did|didn)\w*)\b",
        r"\b(?:maybe|perhaps|possibly) (?:we|you|i) (?:should|could|need|must|ought)\b|\b(?:one "
        r"day|some ?day)\b|\bi wonder\b|\bapparently\b|\bi think we (?:should|might|could)\b",
        r"\bi(?:[’']m| am) not (?:really |quite |so )?(?:sure|certain)(?: yet| though| about it)?"
        r"[.!]*$|\bshould (?:not|never"
        r"|always)? ?have (?:\w+ed|been|done|gone|seen|known|had)\b",
        r"^(?:back then|in the past|previously|originally|before that|once upon)\b",
        r"\b(?:weren[’']?t|wasn[’']?t|were|was) (?:not )?(?:allowed|supposed|permitted|required)\b",
    ),
)
