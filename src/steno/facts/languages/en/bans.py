"""Words of bans, in English."""

from steno.facts.languages.en.frames import AT, FIRST, LEAD, MAIN, NO_STATE, NOT_MINE, VERB
from steno.facts.languages.phrases import Phrases

_NOT = r"(?:do not|don[’']?t|never)"

_STATE = (
    r"(?:worry|mind|bother|think|know|remember|recall|have|see|understand|need|like|care|believe"
    r"|feel|get|hesitate|panic|rush|stress|give up|be (?:afraid|sad|shy|surprised|alarmed|mad)"
    r"|seem|look|work|want|expect|really|even|you|we|i|they|forget|yet|exist|appear|trust|agree)\b"
)

_TASK = (
    r"(?:add|write|fix|make|build|create|update|rewrite|refactor|implement|clean|change|use|improve"
    r"|translate|port|migrate|speed|optimi[sz]e|extend|move|rename|replace|log|include|remove"
    r"|simplify|document|test|summari[sz]e)\b"
)

BANS = Phrases(
    rf"^(?:please |from (?:now|here) on,? |you |we )*no longer (?!{_STATE}|appl|requir|must|hold"
    rf"|count"
    r"|matter|mind|allow|permit|support|an?\b|the\b|\w+(?:ed|en|ary|ory)\b|forbid|off\b|in\b"
    r"|than\b)[a-z]+\b",
    r"\b(?:can|may|must|should|shall) no longer (?!be\b)\w|\b(?:is|are|[’']re) no longer (?:allowed"
    r"|permitted|acceptable|ok|okay|fine|an option)\b|\b(?:is|are)(?:n[’']t| not) (?:allowed"
    r"|permitted|ok"
    r"|okay|fine) (?:any ?more|any longer)\b|\b(?:we|you) (?:do not|don[’']?t)"
    rf" (?!{_STATE})\w+\b[^.;?]*\b(?:any ?more|any longer)[.!]*$",
    rf"{LEAD}{VERB}[^.;?]*\bneither\b[^.;?]*\bnor\b|^(?:please )?neither (?!of\b|is\b|the\b|i\b"
    rf"|you\b"
    r"|we\b|he\b|she\b|it\b)[\w./-]+ nor [\w ./-]+[.!]*$",
    r"^(?!it\b|this\b|that\b)[\w' -]{3,60}? (?:is|are) (?:not|never) to be \w+(?:ed|en|wn|pt|ne"
    r"|ut|id|ld|de|nt|ad|lt|un)\b",
    r"^(?:please )?only [\w-]+(?: [\w-]+)? (?:may|can|is allowed|are allowed|gets? to)\b",
    r"^(?!.*\b(?:issue|error|problem|bug|failure|result|behaviou?r|same|screen|page"
    r"|spinner)s?\b)(?!it\b|this\b|that\b|he\b|she\b|i\b"
    r"|there\b)(?:[a-z][\w-]* ){0,3}(?:[\w-]+ (?:stays|remains)|[\w-]+s (?:stay"
    r"|remain)) (?:inside|within|in|on|at|under|below|above|backward\w*|compatible|private|public"
    r"|free|green|closed|open|local|optional|valid|readable|stable|the way)\b",
    r"^(?:please )?leave\b[^.;?]*\b(?:in place|where (?:it|they)|enabled|disabled|running|out)\b",
    r"^(?:here,? )?we (?:won[’']t|will not|are not|aren[’']t) (?:be )?us(?:e|ing)\b",
    r"^(?!the\b|these\b|those\b|my\b|it\b|this\b)[a-z-]+(?: [a-z-]+)? are (?:never|only) "
    r"\w+(?:ed|en)\b",
    rf"{LEAD}(?:quit|cease|stop|avoid|refrain from|abstain from|lay off) \w+ing\b"
    rf"|{LEAD}hold off\b[^?]*\b(?:until|till|before|on)\b|\bdon[’']?t you (?:dare|ever)\b",
    rf"{LEAD}{VERB} no (?!longer|more than|one\b|problem|matter|need|doubt)\w+",
    rf"{LEAD}{VERB}[^.;?]*\bwithout (?!failing|crashing|knowing|reali[sz]ing|thinking|being"
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
    r"\b(?:is|are) (?:\w+ )?(?:unacceptable|intolerable|inadmissible|out of bounds|not tolerated"
    r"|not welcome|not wanted)\b|\bi (?:will not|won[’']t) (?:stand for|put up with)\b",
    r"^(?:nobody|no one) (?!knows|cares|has|is|was|likes|wants|else|can|could|did|seems|really)"
    r"\w+s\b|\bthere (?:must|should|shall|may|can) (?:be no|never be|not be)\b",
    r"^(?:here,? |in this \w+,? )?we (?:do not|don[’']?t) (?:use|do|write|add|allow|ship|commit"
    r"|deploy|merge|touch|log|mock|call|put|keep|store|hardcode|mix|support|accept|import)\b",
    rf"{AT}(?:do not|don[’']?t|never), ",
    r"\b(?:is|are) (?:off[- ]bounds|none of your business|not your (?:concern|business|job)"
    r"|mine alone|not for you|closed to you|not yours)\b",
    r"^consider [\w ./-]+ (?:final|frozen|fixed|closed|read-only|given|sacred|off[- ]limits)\b",
    rf"^(?:please )?{_TASK}[^.;?]*, but (?:nothing|no \w+|not|never|only|without)\b"
    rf"|[,;–—] (?:just|only) (?:do not"
    r"|don[’']?t) \w+|\bwhile keeping\b",
    r"^(?:as long as|while|during|for as long as)\b[^?]*, (?:only|no|don[’']?t|do not|never|keep"
    r"|stay|leave)\b",
    r"\bi(?:[’']d| would) (?:be|get) (?:very |really |so )?(?:unhappy|upset|annoyed|angry|sad"
    r"|mad) if\b|\bi (?:do not|don[’']?t) care for\b|\bi(?:[’']d| would) hate (?:it if|to see)\b",
    r"^the (?:less|fewer|smaller|shorter)\b[\w ]+,? the better\b",
    r"\bleave (?:it|them|that|this|those|(?:the|my|our) [\w./-]+) (?:alone|untouched|as|in peace"
    r"|be(?=[.!]*$))(?:\b|$)",
    rf"{AT}(?:and |but )?(?:do not|don[’']?t|never) (?:ever )?exceed\b",
    r"\byou(?:[’']re| are) only (?:allowed|permitted|supposed)\b|\b(?:may|can) only (?:be|edit"
    r"|use|touch|change|read|write|run|push|commit|contain|have)\b",
    r"\b(?:may|can) (?:have|contain|use|take|be|last|cost)\b[^.;?]*\b(?:at most|no more than"
    r"|only|up to)\b",
    r"^(?:the |our |my )?(?:contract|licen[sc]e|law|policy|client|company|customer|agreement"
    r"|compliance|gdpr|style guide|security team|legal)\b[^.;?]*\b(?:forbids?|prohibits?|bans?"
    r"|requires?|demands?|insists?|does(?:n[’']t| not) (?:permit|allow))\b",
    r"^until\b[^?]*\b(?:nobody|no one|nothing|no|don[’']?t|never|keep|stay|only|leave)\b",
    r"\b(?:we|you) (?:can[’']?t|cannot|may not|are not to) (?:go (?:over|above|below|beyond)"
    r"|exceed|spend|use|change|touch|modify|add|delete|break|afford)\b",
    r"\b(?:and|but|,|;) (?:please )?(?:leave|keep)\b[^.;]*\b(?:alone|untouched|unchanged"
    r"|intact|as (?:it|they) (?:is|are)|as[- ]is)\b",
    r"\b(?:while )?(?:keeping|leaving|preserving)\b[^.;]*\b(?:unchanged|intact|as[- ]is|stable"
    r"|compatible|the same|untouched|alone)\b",
    r"\b(?:is|are) not to be \w+|\bnot (?:a )?(?:huge |big )?fan of\b",
    rf"(?:{FIRST}|:\s)no (?!{NO_STATE})(?:[\w./-]+ ){{1,4}}(?:until|before|unless|without"
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
    r"\b(?:conversation|word|talk|check|chat|discuss(?:ed|ion)?|clear(?:ed)?|run|go|come|agreed?"
    r"|okay?(?:ed)?|approved?) (?:\w+ ){0,2}(?:with|by|to|through|past|from) me first\b",
    r"\bthe (?:less|fewer|smaller)\b[^.;?]*, the (?:happier|better)\b",
    r"\b(?:is|are) (?:a |an absolute )?(?:no-?go|no-?no|deal ?breaker|mistake we don[’']?t make)",
    rf"{AT}(?:fix|change|edit|update|test|use|touch) [\w ]{{2,30}}, not (?:the )?\w+[.!]*$",
    rf"{NOT_MINE}\b(?:and|but) (?:also |please |just )?{_NOT} (?!{_STATE}|\w+ed\b"
    r"|\w*[^\Ws]s\b)\w",
    rf"{AT}(?:and |but )?{_NOT} (?:ever )?(?!{_STATE}|\w+ed\b|\w*[^\Ws]s\b)\w",
    rf"{MAIN}\b(?:must|should|shall) (?:not|never) (?!have\b|be (?:necessary|needed|a problem"
    r"|hard|difficult)\b)(?<!it should not )(?<!this should not )",
    r"\b(?:mustn[’']t|may never|can never be)\b",
    r"\b(?:we|you) should(?:n[’']?t| not) (?!need|have|be (?:able|hard|too)|expect|see)\w",
    r"\b(?:we|i) (?:do not|don[’']?t) want (?:any|each|every|you|anything|to (?:use|add|change"
    r"|touch|depend|see|have (?!to\b)))\b",
    r"\b(?:you|api|interface|code|tests?|files?|schema|behaviou?r) (?:should|may|can)(?: not"
    "|n[’']t|not) (?:be |change|touch|use|edit|call|break|push|commit)",
    r"\byou(?:[’']re| are) not (?:allowed|permitted|supposed|to)\b|^(?:nothing|none|nobody"
    r"|no one|neither|no)\b[^?]*\b(?:may|must|should|shall|can be|is allowed|are allowed)\b",
    r"^(?:here,? |(?:in|at) (?:this|our) (?:repo|project|team|company),? )?we (?:never"
    r"|don[’']?t ever) (?!\w+ed\b|had"
    r"|got|found|knew|saw|went|did|were|been)\w",
    r"\b(?:out of the question|off the table|no-go|not an option)\b|\bwithout (?:my (?:\w+ "
    r")?(?:approval|permission|consent|okay|knowledge)|prior (?:approval|consent|permission"
    r"|notice)|explicit|asking)\b",
    rf"{FIRST}(?:skip|omit|leave out|spare me|cut) (?:the |all |any )?(?:pleasantries"
    r"|explanations?"
    r"|preamble|intro\w*|summar\w+|disclaimers?|caveats|apolog\w+|small talk|fluff)\b",
    r"\b(?:under|in) no circumstances?\b|\bon no account\b|\bat no (?:point|time)\b",
    r"\b(?:is|are|it[’']s) (?:strictly |absolutely )?(?:forbidden|prohibited|off[- ]limits"
    r"|taboo|verboten|not (?:allowed|permitted|acceptable))\b",
    r"^(?!(?:my|your|his|her|their|i|he|she|they|it|that|this|who)\b)(?!.*\b(?:users?|accounts?|ips?)"
    r"\b)[\w@/+#.'-]+(?: [\w@/+#.'-]+){0,4} (?:is|are) (?:strictly )?banned"
    r"(?: (?:here|in (?:this|our|the) [\w-]+|from (?:this|our|the) [\w-]+))?(?=[.!,;:]|$)",
    rf"{FIRST}no (?:more |new |further |additional |external |third-party |extra )+\w+",
    rf"(?:{FIRST}|\()no (?:[\w.]+[ -]){{0,2}}\w{{3,}}s(?:,? please| left| in\b[^.;]*"
    r"| anywhere)?[.!)]*$|^no (?:\w+ ){1,3}please\b|\bplease no \w+|(?:^|\bpls "
    r"|\bso )no [\w.]+ (?:in|on|at|left|anywhere|inside)\b|^nothing (?:gets|goes)\b"
    r"|\(no [\w-]+ing [\w ]+\)",
    rf"{AT}(?:leave|keep)\b(?! me\b)[^.;]*\b(?:alone|untouched|unchanged|as (?:it )?(?:is|are"
    r"|they are)|intact)\b",
    r"\b(?:stay|keep) (?:away from|out of|clear of)\b|\bhands off\b|\bsteer clear of\b"
    r"|\brefrain from\b",
    rf"{FIRST}(?:try to )?avoid\b|\b(?:we|i)(?:[’']d| would) (?:also )?like to avoid\b",
    rf"{AT}stop \w+ing\b",
    r"\bi (?:\w+ly )?(?:do not|don[’']?t|never) (?:\w+ly )?(?:want|wish)(?: to)? (?!to (?:miss"
    "|risk|lose|forget|have to|overdo|overspend|worry|sound|seem|spend|waste|carry"
    r"|play)\b)(?:any|you|the|travel|to (?:be|include|add|use|see|change|touch|buy)|add|include"
    r"|use|\w+ (?:in|on|for|insurance))\b",
    r"\bi would (?:really )?(?:rather|prefer) not\b|\bi[’']d (?:really )?(?:rather|prefer) not\b",
    r"^(?!if\b|maybe\b)[^?]*?\blet[’']?s (?:not|never) (?:use|add|touch|introduce|change|commit"
    r"|push|deploy|rely|depend|mix|rename|break|import|install|merge|edit|store|log)\b",
    r"\bnothing (?:over|above|below|beyond|more than|longer than)\b|\bbe careful not to\b",
    rf"{AT}(?:always |and )?(?:make sure|ensure|be sure)\b[^.;]*\b(?:not|never|none|nobody"
    r"|don[’']?t|doesn[’']?t|no (?:new|other|external|one))\b",
    r"(?!an?\b|the\b|my\b|our\b|if\b|when\b|th[ia][st]\b|can\b"
    rf"|how\b){NOT_MINE}\bwithout (?:changing|touching|breaking|modifying|altering|adding"
    r"|using|removing|deleting|affecting|introducing|asking)\b",
)
"""What must not be done."""
