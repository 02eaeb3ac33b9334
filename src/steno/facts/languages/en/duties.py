"""Words of duties, in English."""

from steno.facts.languages.en.frames import AT, FIRST, LEAD, MAIN, NOT_MINE, NUMBER, VERB
from steno.facts.languages.phrases import Phrases

_ORDER = (
    "(?:ask|use|tell|report|stop|do|don[’']?t|never|always|please|make|write|add|log|raise|return"
    "|skip|warn|let|keep|leave|respond|reply|answer|say|prefer|treat|mark|include|explain|show|give"
    r"|update|notify|wait|check|run|follow|put|assume)\b"
)

_BOUND = (
    r"(?:at most|at least|no (?:more|less|fewer|longer|later|earlier|bigger|larger) than"
    r"|not more than|a (?:max|min)(?:imum)? of|up to|under|below|less than|fewer than|within)"
)

_UNIT = (
    r"(?:minutes?|hours?|days?|seconds?|calls?|tokens?|dollars?|euros?|attempts?|tries|searches"
    r"|requests?|words?|steps?|turns?|credits?|tool calls?|gpu hours?)\b"
)

DUTIES = Phrases(
    r"^(?:please )?(?:keep|limit|restrict|cap|hold) [\w -]{2,40}? (?:to|at) (?:a )?(?:max(?:imum)?"
    r"|at most)(?: of)? \w+",
    r"^(?:please )?(?:send|give|post|ping|mail|message|text|update|brief|remind|notify|tell) (?:me"
    r"|us|the \w+|an? [\w ]+)\b[^?]* (?:every|each) (?:\w+ )?(?:minutes?|hours?|days?"
    r"|mornings?|evenings?|weeks?|steps?|commits?|files?|half hour)\b",
    r"^(?:everything|all \w+|every \w+|each \w+|nothing) (?:goes|passes|runs|comes) (?:through|via"
    r"|with|by) [\w -]+[.!]*$",
    r"^(?:please )?(?:call|name) (?:the|all|every|each|your) [\w -]{2,30} [\w./-]*\w[-_/.\d]"
    r"[\w./-]*[.!]*$",
    r"^(?:every|each) [\w -]{2,30}? (?:goes|lands|belongs) (?:to|in|into|on|under|through)\b"
    r"|^(?:please )?write (?:the |all |your |every )?[\w -]{2,30}? in (?:the )?(?:past|present"
    r"|first|second|third|active|passive|imperative|plain|simple|formal|informal)\b",
    rf"^(?:please )?(?:wait|sleep|pause)(?: for)? (?:at least )?{NUMBER}[\w ]* (?:between|before"
    r" (?:each|every|any)|after (?:each|every|any))\b",
    r"^(?:the |all |any )?(?:[\w-]+ )?(?:questions|notes|drafts|reports|requests|approvals"
    r"|reviews|invoices|tickets|complaints) (?:all |always )?go to \w+[.!]*$",
    r"^(?:please )?(?:send|show|forward|submit|mail|give) (?:the |all |any |your "
    r"|every )?[\w-]+(?: [\w-]+)? to [\w-]+ before (?:\w+ing|you \w+)\b",
    rf"{LEAD}(?:ask|consult|ping|tell|notify|inform|warn|contact|involve) [\w ]{{2,30}} before\b"
    rf"|{LEAD}{VERB}[^.;?]*\b(?:wherever|whenever|if at all|as far as) possible\b",
    r"^(?:the |your |its |our )?(?:tone|style|voice|language|wording|text|layout|design|report"
    r"|summary|answer|reply|email|letter|title|name|api|interface|format|output|code)s? (?:should"
    r"|must|has to|needs to) (?:be|sound|read|look|feel|stay|remain|fit|work|follow|use|start"
    r"|end)\b(?!.*\b(?:but|because|currently|instead it|though)\b)",
    rf"^(?:if|when|whenever|as soon as|once|in case|where|should)\b(?= (?:an?|any\w*|some\w*"
    rf"|in doubt|unsure|you (?!are\b|[’']re\b))\b)[^,?]{{3,60}}, (?:then |please |just "
    rf"|always )?(?:{VERB}|{_ORDER})|^(?:as soon as|in case)\b[^,?]{{3,60}}, {VERB}",
    r"^(?:if|when) (?:in doubt|unsure|anything is \w+|something is \w+)\b[^?]*,",
    r"^(?:please )?(?:write|speak|talk|reply|respond|answer|explain|phrase|report)(?: \w+ly[.!]*$"
    r"| in an? (?:\w+ ){1,2}(?:tone|style|voice|manner|way|format|form|language)\b)",
    rf"\b(?:max|maximum|min|minimum|upper|lower|longest|largest) [\w ]{{2,30}} (?:is|are"
    rf"|:) {NUMBER}|\b(?<!\bi )(?<!\bwe )(?:must|has to|have to|needs to"
    rf"|should)\b[^.;?]*\b(?:in )?{_BOUND} {NUMBER}|\b(?:must|has to|have to"
    rf"|should) be {NUMBER}\b[^.;?]*\bat (?:least|most)\b"
    r"|^the [\w ]+ may have (?:only |up to |at most )?\d",
    rf"{LEAD}stick (?:strictly|closely|only|exactly) to\b|^(?:till|until)\b[^?]*\bonly\b",
    rf"{LEAD}(?:report|send|write|talk) (?:back )?to [\w ]+ (?:every|each)\b"
    r"|^we (?:like|want|keep|prefer) our [\w ]+ (?:\w+)[.!]*$",
    rf"{LEAD}{VERB}[^.;?]*\b(?:before|after|with|on|prior to|upon|per) (?:each|every|any)\b"
    rf"|{LEAD}{VERB}[^.;?]*\b(?:whenever|every time|each time|any ?time)\b",
    rf"^(?:please )?(?:before|after|prior to|upon|with|on) (?:each|every|any|\w+ing (?:an?|any"
    rf"|each|every)\b)[^.;?]*?,? {VERB}|\b(?:every|each) (?:single )?time[.!]*$",
    rf"{LEAD}(?!(?:give|show|tell|send|list|find|get) me\b){VERB}[^.;?]*\b{_BOUND} {NUMBER}"
    rf"|{LEAD}(?:cap|limit|restrict|hold|keep)\b[^.;?]*\b(?:at|to) {NUMBER}\b",
    rf"\byou(?:[’']ve got| have| get)(?: only| just)? (?:a (?:budget|maximum|limit|total|cap) of "
    rf"|up to |at most |exactly )?{NUMBER} (?:[\w-]+ )?{_UNIT}",
    rf"^(?:the |our |my |your )?(?:[\w-]+ )?(?:budget|limit|cap|deadline|timeout|quota|ceiling"
    rf"|maximum|minimum|threshold|bar|allowance)(?: for [\w ]{{2,30}})? (?:is|goes (?:up|down)"
    rf"(?: to)?:?|will be|stays at)(?: now| set to)*:? (?:at (?:most|least) )?{NUMBER}\b",
    r"(?:^|, so |; )(?:it|this|that|they|everything|the \w+) (?:has|have|needs?) to (?:also "
    r"|still )?(?:run (?:on|in|under)|work (?:on|in|with|there|without|offline)|handle|support"
    r"|fit|survive|scale|cope|comply|be (?:able|compatible|accessible|reversible|reproducible"
    r"|idempotent|portable|responsive|readable))\b|\bhas to survive\b",
    r"^(?!the\b|these\b|those\b|my\b|things\b|users\b|some\b|most\b|this\b|it\b"
    r"|his\b)(?:[a-z-]+ ){0,2}[a-z-]+[^\Wsu]s (?:(?:go|live|belong|sit) (?:in|into|at|under|to|on"
    r"|next to|beside|with)|(?:start|begin|end) with|are (?:named|prefixed|indented"
    r"|capitali[sz]ed|signed|squashed))\b",
    rf"{LEAD}(?:put|place|store|save|keep|write|give|report|format) (?:all|new|any|every|each)"
    r" (?!of\b|the\b|this\b|these\b|those\b)[^.;?]{2,50} (?:in|into|under|as|at|with|to"
    rf"|using|inside)\b|{LEAD}(?:cite|quote|spell|indent|abbreviate)(?: \w+)? (?:in|as|using"
    r"|by|with) (?!the\b|this\b|that\b)[\w ]{2,30}[.!]*$",
    r"^deadline: [^?]*\b(?:by|until|before|on)\b",
    r"^use the [\w./+#-]+(?: [\w./+#-]+){0,2} for [a-z-]+[^\Ws]s[.!]*$",
    rf"{LEAD}(?:document|name|mask|redact|anonymi[sz]e|escape|validate|review|route|tag|label"
    r"|prefix|sign|pin|encrypt|cite|type|annotate|squash|date) (?:all|every|each|any) (?!the\b"
    r"|these\b|those\b|of\b|my\b)\w",
    rf"{LEAD}(?:write|do|log|test|document|express|report|answer|implement|build|name|store"
    r"|code|phrase|format|record|type) everything\b(?! (?:you|i|we|else|that|again|up|above"
    r"|below)\b)",
    rf"{LEAD}(?:use|work|look|rely|draw|build|import|read|cite|quote|write|edit|touch|change"
    r"|modify|consider|support|target|commit|push|deploy|install) (?:only|just|solely"
    r"|exclusively|nothing but|purely) (?!that\b|this\b|it\b|one\b|an?\b|me\b)\w",
    r"\bthe only (?:allowed|permitted|acceptable|supported|approved|valid) [\w-]+ (?:is|are)\b"
    r"|\b(?:is|are) the only [\w-]+ (?:that )?(?:you|we) (?:may|can|should)\b"
    r"|\b(?:until|till) further notice\b",
    rf"{LEAD}(?:finish|deliver|submit|complete|hand (?:it |this )?in|be done|wrap up)\b[^.;?]*"
    rf"\b(?:by|before|no later than) (?:{NUMBER}|noon|midnight|monday|tuesday|wednesday"
    r"|thursday|friday|the end of)\b",
    rf"{LEAD}(?:give me|use|write|show|send|return|pick|choose) [^.;?]{{2,40}} (?:rather than"
    r"|instead of|in place of) ",
    r"^[a-z-]+[^\Ws]s (?:should|must|shall|are to) be (?:in|as|with|written|named|kept"
    r"|formatted|sorted)\b",
    r"^(?:please )?(?:explain|talk|speak|write)\b[^.;?]* as you would\b",
    r"\byou(?:[’']re| are) (?:expected|required|obliged|supposed|asked) to\b",
    r"^(?!i\b|we\b|you\b|they\b|the\b|this\b|that\b|these\b|those\b|it\b|my\b|he\b|she\b)(?:new "
    r"|public |all )?[\w-]+(?: [\w-]+){0,2}s (?:need|require|get|must have|carry"
    r"|come with) (?:an? |at least |proper )?[\w-]+(?: [\w-]+){0,3}[.!]*$",
    rf"{FIRST}use (?:fewer|less|no more|at most|at least|more) than\b|{FIRST}use (?:at most|at"
    r" least|no more than|up to)\b|^[\w -]{3,30} (?:is|are) always (?!the\b|a\b|so\b|too\b|wrong"
    r"|broken|slow|inside|on\b|there)[\w-]+[.!]*$",
    r"^(?:design|optimi[sz]e|plan|write|build|code|test) for (?:that|this|it|them|readability"
    r"|mobile|phones|beginners|speed|accessibility)\b",
    r": (?:one|two|three|a single|at most|no more than) [\w ]+ per [\w ]+[.!]*$",
    r"^(?:let[’']s |please )?use (?:the )?(?:port|version|branch|region|model|encoding|timeout"
    r"|table|schema) [\w./-]*\d[\w./-]*(?: instead)?[.!]*$|\bkeep (?:it|them|things) (?:that way"
    r"|like that|so)\b",
    rf"{FIRST}(?:return|work|output|consider|include|accept|cite|touch|edit|use|build|answer"
    r"|reply|deploy|commit|write|install|import|support|keep|read|quote|take|mention)(?: \w+)?"
    r" only\b|\b(?:using|with) only (?:the|what|those|my|your|our|standard|built)\b|\bonly "
    r"(?:using|with the help of)\b",
    r"^only (?:consider|include|use|accept|cite|take|keep|support|touch|work|mention|count"
    r"|allow)\b",
    r"^(?:after|before|with|on|at) (?:each|every|any) [\w ]+, (?!i\b|we\b|it\b|the\b|there\b)\w+",
    r"^(?:ideally|preferably|if (?:at all )?possible|wherever possible|where possible|by "
    r"default)"
    r",? (?:use|keep|avoid|no|always|never|all|everything|write|stick|prefer|with|without)\b",
    r"^(?:what(?:ever|[’']s)?|anything|everything|all)\b[^?]* stays? (?:in|on|where|inside)\b",
    rf"{AT}(?:make sure|ensure|be sure)\b[^.;]*\b(?:everything|nothing|nobody|no one|both|runs?"
    r" (?:there|on|in)|works? (?:on|in|with|offline))\b(?! is up)",
    rf"{FIRST}keep (?:it|this|that|them|everything) (?!up\b|going\b|coming\b|running\b|in\b|as"
    r"\b|on\b|for\b|open\b)\w+[.!]*$|, so keep (?:it|them|those|that)\b",
    rf"{FIRST}put (?:the |your )?(?:conclusion|summary|answer|result|code|most important \w+"
    r"|verdict|recommendation)s? (?:first|last|at the)\b",
    r"\buse (?:the )?(?:oxford comma|imperative mood|present tense|past tense|active voice"
    r"|passive voice|first person|third person|24-hour|iso \d*|sentence case|title case)\b",
    rf"{AT}(?:and |but )?(?:stay|remain) (?:within|inside|under|below|above|away|on|in)\b"
    r"(?! (?:touch|mind|sync|tuned)\b)",
    rf"{NOT_MINE}\b(?:and|but|,|;) (?:please )?(?:keep|limit|hold|cap) (?:it|them|this|that|the"
    rf"|your"
    r"|each)\b[^.;?]*\b(?:under|below|within|at most|to|short|brief|simple|small)\b",
    rf"{FIRST}(?:keep|limit|cap|restrict|hold)\b[^.;?]*\bto (?:at most |about )?{NUMBER}\b",
    rf"{FIRST}keep (?:it|things|everything|this|all of it) (?:simple|short|brief|minimal|clean"
    r"|small|tidy|consistent|private|local|readable|generic)\b",
    rf"{FIRST}(?:check|clear|confirm|coordinate|align|talk|speak|consult|discuss)(?: it)?"
    r"(?: with| to)? [\w ]{2,30} (?:before|first)\b",
    rf"{AT}(?:let me know|tell me|inform me|notify me|warn me|wait for my \w+|get my \w+"
    r"|get (?:approval|permission|sign-off))\b[^.;?]*\b(?:before|first)\b",
    r"\b(?:is|are) (?:an? (?:absolute )?(?:must|requirement|given|hard requirement)"
    r"|paramount|key here|not optional|obligatory|a hard limit)\b",
    r"^(?:please )?(?:always )?(?:cite|show|state|name|explain|document|justify|list) (?:your|all "
    r"your|all|every) (?:\w+ )?(?:sources?|work|reasoning|assumptions?|steps?|references?)[.!]*$",
    r"^(?:please )?(?:speak|talk|write|explain|answer)\b[^.;?]* (?:like|as if|as though) (?:i"
    r"|you|an?)\b",
    r"^(?!.*\b(?:error|bug|issue|crash|problem|failure)\b)(?!it\b|this\b"
    r"|that\b)[\w ]{3,40} (?:happens?|goes?|runs?|comes?|takes? place|are done"
    r"|is done) only (?:on|in|at|via|through|from|after|by|during)\b",
    r"^all (?!i\b|we\b|you\b|that\b|this\b)(?:[\w-]+ ){1,3}(?:are|is) (?:in |always )?(?!green"
    r"|passing|failing|broken|done|fine|good|ok|ready|there|red|gone|working|set|the|now|still|in"
    r"|on|not|very|so|too|great|being)[\w-]+[.!]*$",
    r"^(?:please )?(?:indent|prefix|suffix|encode|sign|format|wrap|round|sort|order|align) "
    r"(?:\w+ )?(?:with|in|as|using|by|to|at)\b[^.;?]{1,40}[.!]*$",
    rf"{FIRST}(?:use|write|pick|choose|take|go with|switch to|stick with) [^.;?]{{2,40}}"
    r"(?:instead of|rather than|in place of) [^.;?]{2,30}[.!]*$",
    r"^(?:let[’']s )?(?:switch|move|change) (?:over )?to [\w.+#-]+ for [\w -]+[.!]*$",
    r"^all (?:[\w-]+ ){1,3}(?:to|via|through|under) [\w./ -]+[.!]*$",
    r"^(?:write|add|create|include|provide) (?:an?|one|at least one|two) [\w -]+ for (?:each"
    r"|every|any|all) (?:new |bug )?[\w-]+(?: [\w-]+)?[.!]*$",
    r"^(?:and |also |but |so )?(?!i\b|we\b|you\b|they\b|he\b|she\b|somebody\b|someone\b|if\b"
    r"|when\b|that\b|which\b|what\b|how\b|why\b|where\b|who\b|there\b|do\b)(?:[\w./`'-]+ ){1,6}"
    r"(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bthey )(?<!\bwho )(?:has|have) to (?:be|stay|keep|work"
    r"|run|use|come|go|remain|pass|fit|support|have|contain|start|end|return|match|live|finish"
    r"|compile|build|stop|cover|include|follow|happen|read|sound|look|handle|survive)\b",
    r"[;,] (?:both|all|each|they|it|everything) (?:has|have|must|needs?) to (?:keep|stay|work"
    r"|remain|be)\b",
    rf"{FIRST}(?:then )?(?:run|test|lint|format|commit|send|add|write|update|check|verify|ask"
    r"|report|log|push|tag|sign|rebuild|regenerate|back up|save|post|show|include|provide"
    r"|document|review|cite|measure|benchmark|notify|tell|note|record|bump|create|keep|give"
    r"|make|call|deploy|clean|attach|consult|inform|ping|wait|pause|stop)\b"
    r"[^.;?]*\b(?:after|before|with|on) (?:each|every|any)\b",
    r"\b(?:i|we) (?:expect|require|insist on)\b[^.;?]*\b(?:with|in|for|after|before|on|per|at)"
    r" (?:each|every|all|any)\b",
    r"\b(?:i|we) (?:want|need) (?:an?|the|to see|one|two|at least)\b[^.;?]*\b(?:with|after|before"
    r"|per) (?:each|every|any)\b",
    rf"{FIRST}(?:send|direct|forward|address|route|report|pass|bring) (?:all|any|every)\b",
    r"^all (?:of )?(?:the |your |our )?(?:[\w-]+ ){1,4}(?:go(?:es)? (?:to|through|via|in|under"
    r"|into)|come from|belongs? (?:to|in))\b",
    r"^(?!if\b|when\b|the\b|it\b|this\b|that\b|these\b|those\b)(?:[\w-]+ ){0,3}[a-z]+s"
    r"(?: to [\w./-]+)? (?:follow|go through|go to|adhere to|conform to|stick to|live in)\b",
    rf"{AT}(?:stop|give up|quit|pause|end|finish) (?:after|at|once you)\b[^.;?]*\b{NUMBER}\b",
    f"{FIRST}(?:work|stay|remain|operate) (?:only )?(?:on|in|within|inside) (?:an?|your own|the"
    r"|its) (?:separate |new |feature )?(?:branch|fork|copy|sandbox|worktree|container)\b",
    r"^(?:let[’']s |we |we[’']ll )?use (?!it\b|this\b|that\b|the\b|an?\b|my\b|these\b|those\b"
    r"|both\b|another\b|different\b|same\b|one\b|your\b|our\b)[\w.+#/`-]+(?: [\w.+#-]+)?"
    r" (?:for|as) (?!now\b|this\b|that\b|it\b|example\b|a\b|an\b)(?:the |our |all )?"
    r"[\w-]+(?: [\w-]+){0,2}(?: instead)?[.!]*$",
    rf"{FIRST}(?:from (?:now|here|today|this point) on(?:wards?)?|as of (?:now|today)),? "
    r"(?!i\b|it\b|we\b|he\b|she\b|they\b)\w",
    r"^(?:and |also )?(?:it|that|this|they|which|both) (?:stays?|remains?|keeps?) (?:off|on"
    r"|closed|out|in|put|there|as (?:it|they) (?:is|are)|that way|like that)[.!]*$",
    r"\bkeep me (?:posted|informed|updated|in the loop)\b",
    rf"{AT}(?:limit|restrict|confine) yourself\b|{AT}treat\b[^.;?]*\bas\b",
    r"\b(?:to the letter|by the book|no exceptions|non-negotiable|at any cost)\b",
    rf"{AT}always (?!\w+ing\b)\w",
    r"(?<!\bthere )(?<!\bit )(?<!\bthis )(?<!\bthat )\b(?:should|must|shall|need to|have to"
    r"|please) always\b",
    rf"{AT}(?:whenever|every time|each time|any time) (?:you|i ask|there)\b",
    rf"{NOT_MINE}\b(?:from (?:now|here|this point) on(?:wards?)?|(?:going"
    r"|moving) forward(?=,(?! i\b)|[.!]?$)|henceforth|at all times|for the rest of (?:this|the"
    "|our)|until further notice|in (?:the )?future,)",
    rf"{NOT_MINE}\b(?<!to )(?:make sure|ensure|be sure|see to it|take care)\b[^.;]*\b(?:all"
    r"|every|each|any|always|before|whenever|remains?|stays?|keeps?|still)\b",
    r"^(?:all|every|each|any|everything|anything|your|our) (?:(?!that\b"
    r"|which\b)[\w/`'-]+ ){0,6}(?:must|should|shall|needs?|has to|have to|ought to)\b",
    rf"{MAIN}\bmust (?!have\b|not\b|be (?:able|off|wrong|missing|broken|related|due|because"
    r"|an?|the|some|something|so|really|thrilled|nice|hard|great)\b|i\b|we\b)\w",
    r"\b(?:refund|payment|result|money|changes?) should (?:be|go|come) [^?]*, not\b",
    r"(?!an?\b|the\b|my\b|our\b|if\b|when\b|since\b|because\b|th[eo]se\b|some\b|th[ia][st]\b"
    rf"|can\b|could\b){NOT_MINE}\bbefore (?:you|each|every|any|committing|pushing|merging"
    r"|considering|submitting|deploying|releasing)\b",
    r"\b(?:style guide|policy|convention|contract|company) (?:bans|forbids|requires|demands)\b"
    r"|\bleave (?:them|it|that|those) out\b|\b(?:in|as) (?:camelcase|snake_case|kebab-case)\b",
    r"\btests? first\b.*\b(?:tdd|always)\b|\btdd\b.*\bonly\b",
    rf"{FIRST}(?:keep|maintain|preserve)\b[^.;]*\b(?:under|below|within|at most|less than"
    r"|no more than|compatib\w+|each|every|short|brief|concise|minimal|to a minimum|consistent"
    r"|camelcase|snake_case|(?:upper|lower) ?case|out of|away from|free of|separate|in sync"
    r"|up to date|in economy|at all times|private|secret|working)\b",
    rf"{AT}remember to (?:always |never |keep |use |run |ask |write |add a)",
    rf"{FIRST}(?:use|write|add|follow|run|include|put|apply|provide)\b[^.;]*\b(?:everywhere"
    "|throughout|at all times|every time|consistently|exclusively|for (?:all|every|each"
    r"|any) \w+|in (?:all|every|each) \w+)\b",
    f"{AT}only (?:ever )?(?:use|suggest|recommend|answer|write|touch|edit|change|modify|work"
    r"|commit|push|output|return|install|run|call|read)\b",
    r"\bplease only (?!show|give|tell|list|look|check|do)\b",
    r"\b(?:ask|check with|consult) (?:me )?(?:first|before)\b|^before (?:you "
    r"|\w+ing\b)[^?]*\b(?:ask|check|tell|confirm|let me know|get my)\b",
    r"\byou (?:need|have|ought) to\b[^.;?]*\b(?:every|each|always|all|any|at all times)\b",
    r"\b(?:i want|i need|i expect|i[’']d like|we want|we need) (?:all|every|each)\b(?! of that)",
    r"(?<!\bi )(?<!\bwe )\b(?:must|has to|have to|needs? to|should) (?:always )?(?:stay|remain"
    r"|be kept|continue to)\b",
    r"\b(?:i[’']d like|i want|i would like|i need) (?:the |your |all |any |every |each "
    "|my )?(?:tone|style|answers?|replies|responses|outputs?|emails|code|tests|comments|docs"
    r"|messages|summaries)\b[^.;?]*\b(?:to|in|as|with|without)\b|\bi (?:expect|require) (?:you"
    r"|all|every|each|that)\b|\bi insist\b",
    r"\b(?:unless|until) i (?:say|tell|ask|approve|confirm|explicitly)\b"
    r"|(?<!have )(?<!got )\b(?:my|prior) (?:approval|permission|consent|sign-off|go-ahead|okay)\b",
    f"{FIRST}(?:limit|restrict|confine|cap) (?:yourself|your|all|every|each|any|the number"
    rf"|\w+s)\b|{FIRST}assume (?:that )?(?:i|we|the (?:reader|user|audience))\b",
    "^(?:this|the|our) (?:project|repo|repository|codebase|team|company) (?:uses|follows"
    r"|requires|forbids|bans|only|never|always)\b",
    r"^(?:here,? |in this (?:repo|project|team),? )?we always (?!\w+ed\b|meet|had|got|get|have"
    r"|went|did)\w|\bwe have a (?:strict )?(?:rule|policy)\b",
    rf"{FIRST}use (?!it\b|this\b|that\b|the (?:first|second|third|other|new"
    r"|old)\b)[^.;?]*(?:, not\b"
    rf"|\bonly\b|\bfor everything\b)|{FIRST}(?:document|test|validate|check) everything\b",
    rf"{FIRST}for (?:every|each|all|any) [^?]*\b(?:add|write|include|use|update|create|run"
    r"|provide)\b",
    rf"{FIRST}stick (?:to|with)\b(?! (?:that|this|it)\b)|\bexclusively[.!]?$"
    rf"|{FIRST}\w+ exclusively\b",
    r"^it(?:[’']s| is) (?:absolutely |very )?(?:essential|crucial|vital|critical|important"
    r"|mandatory|imperative) (?:to me )?(?:that (?:you|the|all|every|we|each|no|nothing)"
    r"|to (?:always|never|keep|use|not))\b|\b(?:is|are) (?:mandatory|compulsory|non-negotiable"
    r"|required for (?:all|every|each))\b",
    r"\btreat\b[^.;?]*\bas (?:read[- ]only|immutable|secret|private|confidential|untrusted"
    r"|the source of truth|frozen)\b|\b(?:is|are) (?:read[- ]only|frozen) (?:for you|until)\b",
    rf"{FIRST}follow (?:the |our |these )?[\w ]*(?:conventions?|style|guidelines?|rules"
    r"|standards?|principles)\b",
    rf"{FIRST}follow (?!up\b|the\b|this\b|these\b|that\b|it\b|me\b|along\b)",
    rf"{FIRST}(?:stick to|adhere to|comply with|respect|obey|conform to)\b(?! up| the (?:plan"
    "|steps|link)| this| these steps)",
    rf"{MAIN}\b(?!this\b|does\b|always\b)(?!things\b)[a-z]{{3,}}s (?:have|need) to be\b",
    r"\bwhen i (?:say|write|ask|type|mention)\b[^?]*(?:,| i mean\b)",
    "^(?:if|when|whenever|unless) (?:you|an?|any|someone|something|in doubt"
    rf"|unsure)\b(?![^,;]*\b(?:done|finished|ready|through)\b)[^?]*?[,;] (?:then )?{_ORDER}",
    f"{FIRST}(?:address|sign|begin|start|end|greet|cite|mention|name|label|tag|prefix|wrap"
    r"|comment|document|test|indent|log|validate|escape|quote|state)\b[^.;?]*\b(?:in|for|with"
    r"|on|at) (?:every|each|all|any)\b",
    rf"{NOT_MINE}\balways[.!]?$|\blet[’']?s (?:always|only)\b",
    r"\bi(?:[’']d like| want| need| expect| would like) you to\b[^.;?]*(?:, not\b"
    r"|\b(?:everything|all|every|each|any|only)\b)",
    rf"{FIRST}write (?:all |your )?(?:commit messages|comments|docs|docstrings|tests|code"
    r"|variable names) (?:in|with|using|as|like)\b",
)
"""What must be done, and how."""
