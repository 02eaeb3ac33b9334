"""Words of a choice for the whole work: a tool, a form, a date, a value, in English.

A choice is a rule because nothing is done when it is made; it holds for what comes after.
"""

from steno.facts.languages.en.frames import LANGUAGE, NUMBER
from steno.facts.languages.phrases import Phrases

_POLITE = r"^(?:please )?(?:just |also )?"

_POINTS = (
    r"(?!it\b|this\b|that\b|these\b|those\b|the\b|an?\b|my\b|your\b|our\b|his\b|her\b|their\b"
    r"|both\b|another\b|different\b|other\b|one\b|any\b|some\b|what|all\b|more\b|cases?\b|of\b"
    r"|for\b|option\b|same\b|plan\b|each\b|either\b|which|\d+[.!]*$)"
)
"""Not before a word that points at something of this step."""

_RESOURCE = (
    r"(?:system|language|style|format|cluster|database|db|branch|account|environment|env|server"
    r"|librar(?:y|ies)|instance|endpoint|region|bucket|template|profile|repo|repository|compiler"
    r"|client|currency|convention|notation|encoding|font|palette|theme|calendar|dataset|network"
    r"|queue|tone|spelling|units?|toolchain|registry|mirror|figures|data|replica|tenant)"
)

_DAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|noon|midnight|tomorrow|tonight|week|month|year"
    r"|[’']?\d[\d:./]*)"
)

_FORM = (
    f"(?:{LANGUAGE}|pdf|docx?|word|csv|tsv|json|yaml|toml|xml|html|markdown|excel|xlsx|latex|svg"
    "|png|plain text|bullet points|bullets|prose|(?:an? )?(?:numbered |bulleted )?(?:tables?"
    "|lists?|csv|pdf|spreadsheet))"
)

_SETTING = (
    r"(?:time-?outs?|(?:sample|font|batch|page|chunk) size|font|colou?r (?:scheme|theme)|(?:target "
    r")?audience|tone|register|reading level|word (?:count|limit)|page limit|budget|currency|units?"
    r"|time ?zone|encoding|licen[cs]e|line length|default language|output (?:format|language)"
    r"|target (?:version|platform|language)|max(?:imum)? [\w ]{2,20}|min(?:imum)? [\w ]{2,20})"
)

CHOICES = Phrases(
    rf"{_POLITE}use {_POINTS}[\w.+#/-]+(?: [\w.+#/-]+){{0,2}}[.!]*$",
    rf"{_POLITE}(?:use|take|target) (?:the|our|my) (?!same\b|other\b|new\b|old\b|following\b"
    rf"|latest\b|first\b|second\b)(?:[\w.+#/-]+ ){{1,3}}{_RESOURCE}(?: for [\w ]{{2,30}})?[.!]*$",
    rf"{_POLITE}(?:work|stay|operate|build|branch) (?:on|in|from|off|against) (?:the|our"
    rf"|my) (?:[\w.+#/-]+ ){{1,2}}{_RESOURCE}[.!]*$",
    rf"{_POLITE}(?:write|build|implement|code|host|run|do|develop|containeri[sz]e"
    rf"|store) (?:everything|all of it|(?:all )?the (?:tests|app|api|site|frontend|backend|server"
    rf"|docs)) (?:with|in|on|using|via|through|under) {_POINTS}(?!production\b|order\b|mind\b"
    rf"|watch\b|parallel\b)[\w.+#-]+"
    r"(?: [\w.+#-]+)?(?: instead)?[.!]*$",
    rf"{_POLITE}(?:write|build|implement|code|host) (?:it|this) (?:with|in|on|using) {_POINTS}"
    r"(?!production\b|order\b|mind\b|parallel\b)[\w.+#-]+[.!]*$",
    r"^(?:here,? )?we(?:[’']re| are)? (?:only )?(?:target(?:ing)?|support(?:ing)?|require|on"
    r"|standardi[sz]ed? on|stuck on|bound to) (?:[\w.+#-]+ ){1,2}v?\d[\w.]*(?: (?:and|or) (?:up"
    r"|newer|later|above))?(?: from now on| now)?[.!]*$",
    r"^the (?:project|repo|app|server|service|codebase|backend|frontend|library) (?:runs on|targets"
    r"|requires|supports|is on) (?:[\w.+#-]+ ){1,2}v?\d[\w.]*(?: only)?[.!]*$",
    rf"{_POLITE}(?:pin|lock|freeze|hold) [\w.+#/-]+ (?:to|at) (?:version )?v?\d",
    rf"^(?:let[’']?s|we[’']ll|we will) (?:go with|stick (?:with|to)|stay (?:with|on)|use) {_POINTS}"
    rf"(?!{_DAY}\b)[\w.+#/-]+(?: [\w.+#/-]+){{0,2}}[.!]*$",
    r"^(?!it\b|this\b|that\b|he\b|she\b|there\b|what\b|much\b|more\b)[\w' -]{3,60}? (?:is|are) to "
    r"be (?:\w+ly )?(?!found\b|expected\b|seen\b)\w+(?:ed|en|wn|pt|ne|ut|id|ld|de|nt|ad|lt|un)\b",
    r"^(?:the |our |my |your )?(?:[\w-]+ ){0,2}(?:deadline|due date|cut-?off|(?:launch|release"
    r"|delivery|submission|target|closing|cut-?off) (?:date|day))(?: for [\w ]{2,30})? (?:is|stays"
    r"|falls on|will be|moves to|moved to|has (?:been )?moved to)(?: now| still)?(?: on| at| by)?"
    rf" (?:next |this |the |end of |last )*{_DAY}",
    r"^(?!i\b|it\b|this\b|you\b|we\b|he\b|she\b)[\w' -]{3,40} (?:is|are) (?:strictly |now |also "
    rf")?(?:limited|capped|restricted) (?:to|at) (?!the\b){NUMBER}?[\w$€£]",
    r"^(?:the|your|each|every|our|my) [\w' -]{2,30} (?:should|must|has to|needs to|is to|ought to)"
    r" (?:have|contain|last|take|reach|cost|be|use|run) (?:about |exactly |around |roughly |only )?"
    r"[$€£]?\d",
    rf"^(?:i(?:[’']d| would) (?:like|prefer)|i (?:want|need)|we need|deliver|return|output|export)"
    rf" (?:it|(?:the |your |my )?[\w -]{{2,30}}?) (?:as|in|to) {_FORM}(?: format| file| form)?"
    r"(?:,? please)?[.!]*$",
    rf"^{_SETTING}: (?!\S+ error|none|todo|tbd|unknown)\S[^?]{{0,40}}$|^(?:the |our )?{_SETTING}"
    rf" (?:is|stays|will be)"
    r" (?:now |still )?[$€£]?\d|^[a-z-]+[^\Wsu]s are due (?:on|by|every|before)\b"
    r"|^(?:font|sample|batch|page|chunk) size \d+\w*[.!]*$",
    r"^the (?:tone|style|register|voice|default language|(?:target )?audience|reading level) (?:is"
    r"|stays|remains) (?!not\b|too\b|very\b|a bit\b|so\b|off\b|wrong\b|good\b|great\b|fine\b"
    r"|perfect\b|important\b|the\b)[\w-]+(?: [\w-]+)?(?: after all)?[.!]*$",
    r"^deadline: (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d)",
    rf"(?:^|\band |, )(?:please )?(?:keep|hold|maintain) [\w -]{{2,30}} (?:above|over|at or above"
    rf"|under|below) {NUMBER}",
    rf"{_POLITE}(?:refer to|address|sign|spell|title) (?!me\b)(?:the |all |my |our |your |every )?"
    r"[\w' -]{2,30} (?:as|to|with) \S",
    rf"{_POLITE}sign off (?:as|with)\b|{_POLITE}only (?:look|search|scan|query|analy[sz]e|go|reply"
    r"|book|quote|translate)\b|^(?:look|search|scan|query)\b[^.;?]*\bonly[.!]*$",
    rf"{_POLITE}(?:send|forward|mail) (?:all )?(?!me\b|the\b|this\b)[a-z-]+[^\Wsu]s to"
    rf" [\w.@+-]+[.!]*$",
    r"^(?!it\b|this\b|that\b|he\b|she\b|they\b|i\b)[\w -]{3,30} (?:is|are) never (?:before|after|on"
    r"|at|over|above|below|under|later|earlier)\b|^(?:every|each) [\w -]{2,30} gets (?:an?|its|at"
    r" least|one|two)\b",
)
"""What is chosen once and holds from then on."""
