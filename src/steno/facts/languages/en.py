"""Cues in English."""

from steno.facts.languages.cues import LanguageCues, any_of, words_of

_FIRST = (
    r"(?:^|[;:(–—!]\s*|[.]\b|\b(?:please|pls|kindly|again|rule|note|important|reminder|so|ok|okay"
    r"|yes),?:? )(?:please |also |just |always )*"
)
"""Where an order may begin that could as well be told of somebody."""
_AT = (
    r"(?:^|[,;:(–—!]\s*|[.]\b|\s-+\s|\b(?:so|also|please|pls|plus|just|ok|okay|yes|yeah|no|again|btw|however"
    r"|important|note|rule|reminder|kindly|nope|ps)[,:]?\s+)(?:please |also |just |kindly |do |ever |in general,? )*"
)
_NOT_MINE = r"^(?:(?!\b(?:i|we|it|he|she|they|there|let|lets)\b)[^?])*?"
"""From the start, without anybody who does or did it themselves."""
_MAIN = r"^(?:(?!\b(?:if|because|since|which|where|why|means?|so that|that|fails?|causes?|error|issue|bug|test)\b)[^?])*?"
"""From the start, in the main clause: what follows a cause or a condition is told, not ordered."""
_NOT = r"(?:do not|don[’']?t|never)"
_STATE = (
    r"(?:worry|mind|bother|think|know|remember|recall|have|see|understand|need|like|care|believe|feel|get|hesitate"
    r"|seem|look|work|want|expect|really|even|you|we|i|they|forget|yet|exist|appear|trust|agree)\b"
)
_LANGUAGE = (
    r"(?:(?:british|american|us|uk|simple|plain) )?(?:english|french|german|spanish|chinese|mandarin|italian"
    r"|portuguese"
    r"|dutch|japanese|korean|russian|polish|turkish|arabic|hindi|swedish|danish)"
)
_SPEECH = (
    r"(?:answers?|responses?|repl(?:y|ies)|outputs?|explanations?|messages|summaries|code blocks)"
)
_I = (
    r"\b(?:i|we)(?:[’']d| would| do)?(?: (?:really|definitely|generally|usually|strongly|much|also|actually"
    r"|still|personally|always|do))*"
)

_ORDER = (
    r"(?:ask|use|tell|report|stop|do|don[’']?t|never|always|please|make|write|add|log|raise|return|skip|warn"
    r"|let|keep|leave|respond|reply|answer|say|prefer"
    r"|treat|mark|include|explain|show|give|update|notify|wait|check|run|follow|put|assume)\b"
)

ENGLISH = LanguageCues(
    name="en",
    words=any_of(
        r"\b(?:the|and|you|is|it|to|of|not|don[’']?t|with|for|this|that|please|never|always|my|are|be|should"
        r"|must|when|all"
        r"|every|each|no|we|from|on|use|keep|only|can|i[’']?[dm]?|a|an|in|if|me|your|or|but|do|by|so|at|as|any|have|has|was"
        r"|will|would|before|after|ask|them|they|there|what|which|make|run)\b"
    ),
    asks=any_of(
        r"(?:^|[,;:–—-]\s*|\b(?:and|but|so|or|btw|question)\b,?\s+)(?:can|could|would|will|do|does|did|is|are"
        r"|should|shall|must"
        r"|have|has|isn[’']t|aren[’']t|don[’']t|doesn[’']t|didn[’']t|can[’']t|couldn[’']t|wouldn[’']t"
        r"|shouldn[’']t|what|which"
        r"|why|how|where|when|who|any|am)\b"
    ),
    idle=any_of(
        r"\bnever ?mind\b",
        r"\b(?:do not|don[’']?t|no need to) (?:worry|bother|mind|hesitate|get me wrong|sweat)\b[^.,;]*",
        r"\b(?:have|has|had|[’']ve|(?<!let)[’']s) (?:\w+ )?(?:never|always)\b",
        r"\b(?:i|he|she|they|it|who|which|that|[’']m|am|is|are|was|were|can) (?:never|always)\b",
        r"\bas always\b|\balways (?:looking|on the lookout|wanted|been)\b",
        r"\bmust-\w+",
        r"\b(?:it|he|she|they|that|this|there|i|you) must (?:have|be)\b",
        r"\bno (?:\w+ ){1,4}(?:needed|necessary|required)\b",
        r"\bno (?:problem|worries|idea|thanks|wonder|doubt|rush|longer)\b",
        r"\b(?:which|that|ones|what|as|like) (?:i|we) prefer\b",
    ),
    reported=any_of(
        r"\b(?!i\b|we\b|you\b|any\w+\b)\w+ (?:said|says|wrote|writes|stated|states|told me|claims|claimed|recommends"
        r"|recommended|suggests"
        r"|suggested|mentioned|mentions|thinks|requested|complains|wants me)\b",
        r"\b(?:docs?|documentation|readme|spec|article|guide|error|linter|compiler|message|page|policy"
        r"|manual)s? (?:say|claim|mention|tell)\b",
        r"\baccording to\b|^given that\b",
    ),
    once=any_of(
        r"\b(?:yet|right now|for now|for the moment|this time|for a (?:second|sec|moment|bit)|just now"
        r"|until tomorrow|tonight)\b",
        r"^(?:ok|okay|good|great|alright|and|so|but)?,? ?(?:now|first)\b,?|\bgo ahead\b|\band then (?:go|do"
        r"|merge|commit|push|continue|run)\b",
        r"\b(?:do not|don[’']?t)\b[^.;]*\bnow\b|\bleave (?:it|this|that|them)\b",
        r"\bdon[’']?t \w+ the (?:new|old|other|last|first|second|third|previous|current) (?:one|ones|column|row"
        r"|line|paragraph|part|option)\b",
        r"\b(?:when|once|after|if) you(?:[’']re| are) (?:done|finished|ready|through)\b",
        r"\b(?:don[’']?t|do not) (?:\w+ )?(?:it|that|this|these|those)\b(?: (?:up|out|down|back|off|here"
        r"|there))?(?=[.,;!)]|$| but\b| and\b| because\b)",
        r"\bdon[’']?t (?:\w+ )?anything(?=[.,;!)]|$| but\b| and\b| just\b)",
    ),
    lasting=any_of(
        r"\b(?:from (?:now|here|this point) on(?:wards?)?|going forward|moving forward|henceforth|at all times"
        r"|at any time"
        r"|for the rest of (?:this|the|our)|until further notice|in (?:the )?future|always|never|every time"
        r"|each time|whenever)\b|^(?:if|when) (?:an?|any|someone|you)\b"
    ),
    release=any_of(
        r"\byou (?:may|can|are (?:now )?(?:allowed|free|permitted"
        r"|welcome) to)\b.{0,80}\b(?:(?<!for )(?<!right )now|again|after all|from (?:now|here) on)\b",
        r"\b(?:now|from (?:now|here) on),? you (?:may|can|are allowed)\b",
        r"\b(?:forget|ignore|disregard|drop|scrap|cancel|lift|withdraw|skip) (?:about )?(?:what i said"
        r"|everything i said|(?:the|my|that|this|those|these)"
        r" (?:\w+ ){0,3}(?:rules?|instructions?|restrictions?|ban|requirements?|constraints?|preferences?"
        r"|limits?|guidelines?))",
        r"\b(?:you|we) (?:no longer|don[’']?t|do not) (?:need|have) to\b.*(?:any ?more|(?<!for )now|again)\b"
        r"|\b(?:you|we) no longer (?:need|have) to\b",
        r"\bno need to\b.*\b(?:any ?more|again|from now)\b",
        r"\bno longer (?:applies|apply|needed|necessary|required|forbidden|a rule|in force|holds)\b",
        r"\b(?:ban|rule|restriction|requirement|limit|constraint|freeze|embargo)s?\b.*\b(?:is|are|was|has been"
        r"|have been) (?:now )?(?:lifted|gone|off|over"
        r"|dropped|withdrawn|obsolete|cancell?ed)\b",
        r"\b(?:it[’']?s|it is|that[’']?s|is|are) (?:now |again )?(?:fine|ok|okay|allowed|alright|permitted"
        r"|welcome)\b.{0,80}\b(?:again|(?<!for )(?<!right )now|after all)\b",
        r"\b(?:is|are) (?:now|again) (?:allowed|permitted|fine|ok|okay)\b",
    ),
    consent=any_of(
        r"^(?:ok|okay|yes|yeah|yep|sure|fine|alright|all right|right|good|great|very well)[,.!:]? "
        r"(?:then )?you (?:may|can|are allowed to)\b"
    ),
    instead=any_of(r"^(?:please |just |always )*(?:use|prefer|write|stick to|switch to|go with)\b"),
    language=any_of(
        r"\b(?:answer|reply|respond|speak|talk|communicate|converse|continue|write everything"
        rf"|write all)\b[^.;]*\bin {_LANGUAGE}\b",
        r"\b(?:comments?|commits?|docs|documentation|docstrings?|messages?|names|everything|text|labels"
        rf"|answers?|replies|it)\b[^.;]*\b(?:in|be|use) {_LANGUAGE}\b",
        r"\buse (?:the )?(?:british|american|us|uk|canadian|australian) (?:english|spelling)\b",
        rf"\b(?:{_LANGUAGE} only|only (?:in )?{_LANGUAGE}|switch to {_LANGUAGE})\b",
    ),
    output=any_of(
        r"\b(?:keep|make|limit|format|write|structure|start|end|begin|put)\b[^.;]*\b(?:your|all|every"
        rf"|each) (?:\w+ )?{_SPEECH}\b",
        rf"\b(?:your|all|every|each) {_SPEECH}\b[^.;]*\b(?:should|must|need to|have to|to be)\b",
        rf"{_FIRST}(?:answer|reply|respond)(?: me)? (?:only|just|always|with|in|using|briefly|concisely|shortly"
        r"|tersely)\b",
        rf"\bbe (?:\w+ )?\w+ with me\b|{_FIRST}be (?:more |always )?(?!careful|sure|right|back|able|there|my"
        r"|a\b)\w+(?: when\b| in\b|[.!]?$)",
        rf"{_AT}be (?:more )?(?:concise|brief|terse|short|succinct|direct|formal|polite|precise)\b",
        rf"{_AT}(?:format|render|write|give|print|show|output) (?:all|every|each|any)\b",
        rf"{_FIRST}(?:act|behave|respond|talk|speak|write|answer) (?:as|like) (?:if |though )?(?:an?|my|you|i)\b",
        rf"{_AT}use (?:bullet points?|bullets|markdown|plain text|tables|numbered lists|metric|imperial"
        r"|metric units|si units|iso dates|headings)\b",
        rf"{_AT}(?:always )(?:cite|format|include|provide|highlight|mention|specify|give|report|show|quote"
        r"|use structured)\b",
        r"^all (?:\w+ ){1,2}(?:should|must) be in\b",
        rf"^{_SPEECH} (?:should|must|need to|have to|shall)\b|\b(?:no (?:longer|more) than|at most|under|within"
        rf"|fewer than|less than|maximum of) (?:\w+ ){{1,2}}(?:sentences?|words|lines|paragraphs?|bullets?"
        r"|characters)\b(?=.*\b(?:answers?|repl|respon|messages|explan))",
        r"\b(?:call me|address me|refer to me)\b",
    ),
    prohibition=any_of(
        rf"{_NOT_MINE}\b(?:and|but) (?:also |please |just )?{_NOT} (?!{_STATE}|\w+ed\b|\w*[^\Ws]s\b)\w",
        rf"{_AT}(?:and |but )?{_NOT} (?:ever )?(?!{_STATE}|\w+ed\b|\w*[^\Ws]s\b)\w",
        rf"{_MAIN}\b(?:must|should|shall) (?:not|never) (?!have\b|be (?:necessary|needed|a problem|hard"
        r"|difficult)\b)(?<!it should not )(?<!this should not )",
        r"\b(?:mustn[’']t|may never|can never be)\b",
        r"\b(?:we|you) should(?:n[’']?t| not) (?!need|have|be (?:able|hard|too)|expect|see)\w",
        r"\b(?:we|i) (?:do not|don[’']?t) want (?:any|each|every|you|anything|to (?:use|add|change|touch|depend"
        r"|see|have (?!to\b)))\b",
        r"\b(?:you|api|interface|code|tests?|files?|schema|behaviou?r) (?:should|may|can)(?: not|n[’']t"
        r"|not) (?:be |change|touch|use|edit|call|break|push|commit)",
        r"\byou(?:[’']re| are) not (?:allowed|permitted|supposed|to)\b|^(?:nothing|none|nobody|no one|neither"
        r"|no)\b[^?]*\b(?:may|must|should|shall|can be|is allowed|are allowed)\b",
        r"^(?:here,? |in this (?:repo|project|team),? )?we (?:never|don[’']?t ever) (?!\w+ed\b|had|got|found"
        r"|knew|saw|went|did|were|been)\w",
        r"\b(?:out of the question|off the table|no-go|not an option)\b|\bwithout (?:my (?:\w+ )?(?:approval"
        r"|permission|consent|okay|knowledge)|prior|explicit|asking)\b",
        rf"{_FIRST}(?:skip|omit|leave out|spare me|cut) (?:the |all |any )?(?:pleasantries|explanations?"
        r"|preamble|intro\w*|summar\w+|disclaimers?|caveats|apolog\w+|small talk|fluff)\b",
        r"\b(?:under|in) no circumstances?\b|\bon no account\b|\bat no (?:point|time)\b",
        r"\b(?:is|are|it[’']s) (?:strictly |absolutely )?(?:forbidden|prohibited|off[- ]limits|taboo"
        r"|not (?:allowed|permitted|acceptable))\b",
        rf"{_FIRST}no (?:more |new |further |additional |external |third-party |extra )+\w+",
        rf"(?:{_FIRST}|\()no (?:[\w.]+[ -]){{0,2}}\w{{3,}}s(?:,? please| left| in\b[^.;]*| anywhere)?[.!)]*$"
        rf"|^no (?:\w+ ){{1,3}}please\b|\bplease no \w+|(?:^|\bpls |\bso )no [\w.]+ (?:in|on|at|left|anywhere"
        r"|inside)\b|^nothing (?:gets|goes)\b|\(no [\w-]+ing [\w ]+\)",
        rf"{_AT}(?:leave|keep)\b[^.;]*\b(?:alone|untouched|unchanged|as (?:it )?(?:is|are|they are)|intact)\b",
        r"\b(?:stay|keep) (?:away from|out of|clear of)\b|\bhands off\b|\bsteer clear of\b|\brefrain from\b",
        rf"{_FIRST}(?:try to )?avoid\b|\b(?:we|i)(?:[’']d| would) (?:also )?like to avoid\b",
        rf"{_AT}stop \w+ing\b",
        r"\bi (?:\w+ly )?(?:do not|don[’']?t|never) (?:\w+ly )?(?:want|wish)(?: to)? (?!to (?:miss|risk|lose"
        r"|forget|have to|overdo"
        r"|overspend|worry|sound|seem|spend|waste|carry|play)\b)"
        r"(?:any|you|the|travel|to (?:be|include|add|use|see|change|touch|buy)|add|include|use|\w+ (?:in|on|for"
        r"|insurance))\b",
        r"\bi would (?:really )?(?:rather|prefer) not\b|\bi[’']d (?:really )?(?:rather|prefer) not\b",
        r"\blet[’']?s (?:not|never)\b|\bnothing (?:over|above|below|beyond|more than|longer than)\b"
        r"|\bbe careful not to\b",
        rf"{_NOT_MINE}\b(?<!to )(?:make sure|ensure|be sure)\b[^.;]*\b(?:not|never|don[’']?t|doesn[’']?t|no)\b",
        rf"(?!an?\b|the\b|my\b|our\b|if\b|when\b|th[ia][st]\b|can\b|how\b){_NOT_MINE}\bwithout (?:changing"
        r"|touching|breaking|modifying|altering|adding"
        r"|using|removing|deleting|affecting|introducing|asking)\b",
    ),
    obligation=any_of(
        rf"{_AT}always (?!\w+ing\b)\w",
        r"(?<!\bthere )(?<!\bit )(?<!\bthis )(?<!\bthat )\b(?:should|must|shall|need to|have to|please) always\b",
        rf"{_AT}(?:whenever|every time|each time|any time) (?:you|i ask|there)\b",
        rf"{_NOT_MINE}\b(?:from (?:now|here|this point) on(?:wards?)?|(?:going|moving) forward(?=,(?! i\b)"
        r"|[.!]?$)|henceforth"
        r"|at all times|for the rest of (?:this|the|our)|until further notice|in (?:the )?future,)",
        rf"{_NOT_MINE}\b(?<!to )(?:make sure|ensure|be sure|see to it|take care)\b[^.;]*\b(?:all|every|each|any"
        r"|always|before|whenever|remains?|stays?|keeps?|still)\b",
        r"^(?:all|every|each|any|everything|anything|your|our) (?:(?!that\b|which\b)[\w/`'-]+ ){0,6}(?:must"
        r"|should|shall|needs?|has to|have to|ought to)\b",
        rf"{_MAIN}\bmust (?!have\b|not\b|be (?:able|off|wrong|missing|broken|related|due|because|an?|the|some"
        r"|something|so|really|thrilled|nice|hard|great)\b|i\b|we\b)\w",
        r"\b(?:refund|payment|result|money|changes?) should (?:be|go|come) [^?]*, not\b",
        r"(?!an?\b|the\b|my\b|our\b|if\b|when\b|since\b|because\b|th[eo]se\b|some\b|th[ia][st]\b|can\b"
        rf"|could\b){_NOT_MINE}\bbefore (?:you|each|every|any|committing|pushing|merging|considering|submitting"
        r"|deploying|releasing)\b",
        r"\btests? first\b.*\b(?:tdd|always)\b|\btdd\b.*\bonly\b",
        rf"{_FIRST}(?:keep|maintain|preserve)\b[^.;]*\b(?:under|below|within|at most|less than|no more than"
        r"|compatib\w+|each|every|short|brief|concise|minimal"
        r"|to a minimum|consistent|out of|away from|free of|separate|in sync|up to date|in economy|at all times"
        r"|private|secret|working)\b",
        rf"{_AT}remember to (?:always |never |keep |use |run |ask |write |add a)",
        rf"{_FIRST}(?:use|write|add|follow|run|include|put|apply|provide)\b[^.;]*\b(?:everywhere|throughout"
        r"|at all times|every time|consistently|exclusively"
        r"|for (?:all|every|each|any) \w+|in (?:all|every|each) \w+)\b",
        rf"{_AT}only (?:ever )?(?:use|suggest|recommend|answer|write|touch|edit|change|modify|work|commit|push|output"
        r"|return|install|run|call|read)\b",
        r"\bplease only (?!show|give|tell|list|look|check|do)\b",
        r"\b(?:ask|check with|consult) (?:me )?(?:first|before)\b|^before (?:you |\w+ing\b)[^?]*\b(?:ask|check"
        r"|tell|confirm|let me know|get my)\b",
        r"\byou (?:need|have|ought) to\b[^.;?]*\b(?:every|each|always|all|any|at all times)\b",
        r"\b(?:i want|i need|i expect|i[’']d like|we want|we need) (?:all|every|each)\b(?! of that)",
        r"(?<!\bi )(?<!\bwe )\b(?:must|has to|have to|needs? to|should) (?:always )?(?:stay|remain|be kept"
        r"|continue to)\b",
        r"\b(?:i[’']d like|i want|i would like|i need) (?:the |your |all |any |every |each |my )?(?:tone|style"
        r"|answers?|replies|responses|outputs?|emails|code|tests|comments|docs|messages"
        r"|summaries)\b[^.;?]*\b(?:to|in|as|with|without)\b|\bi (?:expect|require) (?:you|all|every|each"
        r"|that)\b|\bi insist\b",
        r"\b(?:unless|until) i (?:say|tell|ask|approve|confirm|explicitly)\b|\b(?:my|prior) (?:approval"
        r"|permission|consent|sign-off|go-ahead|okay)\b",
        rf"{_FIRST}(?:limit|restrict|confine|cap) (?:yourself|your|all|every|each|any|the number|\w+s)\b"
        rf"|{_FIRST}assume (?:that )?(?:i|we|the (?:reader|user|audience))\b",
        r"^(?:this|the|our) (?:project|repo|repository|codebase|team|company) (?:uses|follows|requires|forbids"
        r"|bans|only|never|always)\b",
        r"^(?:here,? |in this (?:repo|project|team),? )?we always (?!\w+ed\b|meet|had|got|get|have|went|did)\w"
        r"|\bwe have a (?:strict )?(?:rule|policy)\b",
        rf"{_FIRST}use (?!it\b|this\b|that\b|the (?:first|second|third|other|new|old)\b)[^.;?]*(?:, not\b"
        rf"|\bonly\b|\bfor everything\b)|{_FIRST}(?:document|test|validate|check) everything\b",
        rf"{_FIRST}for (?:every|each|all|any) [^?]*\b(?:add|write|include|use|update|create|run|provide)\b",
        rf"{_FIRST}stick (?:to|with)\b(?! (?:that|this|it)\b)|\bexclusively[.!]?$|{_FIRST}\w+ exclusively\b",
        r"^it(?:[’']s| is) (?:absolutely |very )?(?:essential|crucial|vital|critical|important|mandatory"
        r"|imperative) (?:that|to)\b|\b(?:is|are) (?:mandatory|compulsory|non-negotiable|required for (?:all"
        r"|every|each))\b",
        r"\btreat\b[^.;?]*\bas (?:read[- ]only|immutable|secret|private|confidential|untrusted"
        r"|the source of truth|frozen)\b|\b(?:is|are) (?:read[- ]only|frozen) (?:for you|until)\b",
        rf"{_FIRST}follow (?:the |our |these )?[\w ]*(?:conventions?|style|guidelines?|rules|standards?"
        r"|principles)\b",
        rf"{_FIRST}follow (?!up\b|the\b|this\b|these\b|that\b|it\b|me\b|along\b)",
        rf"{_FIRST}(?:stick to|adhere to|comply with|respect|obey|conform to)\b(?! up| the (?:plan|steps"
        r"|link)| this| these steps)",
        rf"{_MAIN}\b(?!this\b|does\b|always\b)[a-z]{{3,}}s (?:have|need) to be\b",
        r"\bwhen i (?:say|write|ask|type|mention)\b[^?]*(?:,| i mean\b)",
        r"^(?:if|when|whenever|unless) (?:you|an?|any|someone|something|in doubt|unsure)\b(?![^,;]*\b(?:done"
        rf"|finished|ready|through)\b)[^?]*?[,;] (?:then )?{_ORDER}",
        rf"{_FIRST}(?:address|sign|begin|start|end|greet|cite|mention|name|label|tag|prefix|wrap|comment"
        r"|document|test|indent|log|validate|escape|quote|state)\b"
        r"[^.;?]*\b(?:in|for|with|on|at) (?:every|each|all|any)\b",
        rf"{_NOT_MINE}\balways[.!]?$|\blet[’']?s (?:always|only)\b",
        r"\bi(?:[’']d like| want| need| expect| would like) you to\b[^.;?]*(?:, not\b|\b(?:everything|all|every"
        r"|each|any|only)\b)",
        rf"{_FIRST}write (?:all |your )?(?:commit messages|comments|docs|docstrings|tests|code"
        r"|variable names) (?:in|with|using|as|like)\b",
    ),
    preference=any_of(
        rf"{_I} prefer\b(?! not to say)(?! a more\b)",
        r"\b(?:i|we)(?:[’']d| would) (?:\w+ )?rather\b",
        r"\bmy preferences? (?:is|are|would be|:)|\bi (?:would|[’']d)? ?only want\b|\bi would only\b",
        r"\bi(?:[’']d like| want| would like) you to (?:(?:always|never|not|only)\b|[^.;?]*\b(?:rather than"
        r"|instead of)\b)",
        rf"{_FIRST}(?:prefer|favou?r)\b|^\w+ over \w+[.!]?$",
        r"\b(?:i|we)(?:[’']d| would) like to stick (?:to|with)\b",
        r"^(?:here,? )?we (?:only )?(?:use|follow|write|run|deploy with|stick to)\b[^?]*(?:,? not \w"
        r"|\binstead of\b|\brather than\b|\bhere\b|\bonly\b)",
        r"\bi(?:[’']d| would) (?:really )?(?:appreciate|love|like) it if you\b(?! could\b)",
        r"\b(?:i[’']m|i am|we[’']re) (?:\w+ )?(?:allergic|vegetarian|vegan|colou?r-?blind|dyslexic|lactose"
        r"|celiac|diabetic)\b",
        r"\bi only (?:eat|drink|use|buy|fly|wear|read|watch|work)\b",
        r"\bmy (?:budget|limit|maximum|upper limit) is\b|\bi (?:hate|can[’']t stand|dislike)\b[^.;?]*(?:, so"
        r"|, don|, please|, never)",
        r"\bi like\b[^.;?]*\b(?:better|more) than\b|\bi like\b[^.;?]*\bas little as possible\b",
    ),
    empty=words_of(
        "the and you your with for this that these those please never always not don dont must should shall may "
        "can could would will from now here point going forward when whenever every each all any anything "
        "everything time times are was were has have had been being its into onto about what said say rule rules "
        "instruction restriction ban requirement constraint preference forget ignore disregard longer need needs "
        "again after fine okay allowed lifted gone make sure ensure keep leave alone stay away prefer rather than "
        "like want under no circumstances stop avoid only just also then ever new more over both here there our "
        "out use before ask me my it is be to of in on at as an a i we do or if so up"
    ),
)
