"""How rules are changed: permissions, exceptions, corrections, in English."""

from steno.core.words import words_of
from steno.facts.languages.cues import AmendmentCues, RuleChangeCues, any_of
from steno.facts.languages.phrases import Phrases

CHANGES = RuleChangeCues(
    permits=Phrases(
        r"^[\w -]{3,30} may (?:also |still )?be (?!that\b|wrong|because|due|why|related"
        r"|it\b)[\w-]+[.!]*$",
        r"\b(?:is|are|[\w./-]+[’']s|it[’']?s|that[’']?s)(?: (?:now|both|all|also|again|back"
        r"|totally|perfectly|officially|up|wide))* (?:fine|ok|okay|open|yours|editable"
        r"|writable|usable|allowed|available|unlocked|unfrozen|legal|optional|cleared|approved"
        r"|on the (?:menu|table)|good to (?:go|use)|fair game)\b(?! (?:but|because|so|if)\b)",
        r"\byou(?:[’']re| are) (?:good|clear|set|cleared|fine|ok) to\b|\bgo (?:wild|nuts|crazy"
        r"|to town)\b",
        r"\b(?:i[’']?m|we[’']?re|i am|we are) (?:now |totally |perfectly )?(?:fine|ok|okay|good"
        r"|cool|happy) (?:with|for)\b|^happy for you to\b|\bdone with (?:the|that"
        r"|this) [\w-]+ (?:rule|ban|thing|policy|business|limit)\b",
        r"\bno more (?:restrictions?|limits?|bans?|rules?)\b|\bno [\w -]{2,30} (?:needed|necessary"
        r"|required)(?: any ?more| now)?[.!]*$|\b(?:ban|rule"
        r"|restriction)\b[^.;]{0,30}\? (?:gone|dead|history|over|off)\b",
        r"\bdon[’']?t bother (?:with|about)\b|^(?:you can |please )?(?:quit|stop|drop|skip"
        r"|end) (?:with )?the (?!\w+ing\b)[\w -]{3,30}[.!]*$|:\s?(?:now )?optional(?: now)?[.!]*$",
        r"\b(?:can|may) (?:go|run|ship|deploy|happen|be done|start|land) (?:any ?time|whenever"
        r"|any day|at any time|freely)\b|^[\w -]{3,30} (?:any ?time|whenever)[.!]*$"
        r"|^[\w ./-]{3,40} whenever(?: you \w+)?[.!]*$",
        r"\b(?:permission|blessing|consent|leave|clearance) to\b|\b(?:is|are|was|were)(?:n[’']t| "
        r"not) (?:required|needed|necessary|restricted|bound|limited|obliged|obligatory|mandatory"
        r"|forbidden|banned|prohibited|off[- ]limits)\b|\b(?:any ?more|any longer|no longer)\b",
        r"\b(?:lift|drop|waiv|relax|retir|remov|suspend|revok|withdraw|cancel|scrap|scratch|ditch"
        r"|end|rescind|undo)\w*\b[^.;?]*\b(?:ban|rule|restriction|limit|limits|requirement"
        r"|constraint|freeze|embargo|cap|policy)\b|\b(?:ban|rule|restriction|limit|requirement"
        r"|freeze|embargo|cap|policy)\b[^.;?]*\b(?:lifted|dropped|gone|dead|history|over|off|moot"
        r"|suspended|void|waived)\b|\bi (?:take (?:that|it) back|don[’']?t mind|have no "
        r"objections?|no longer (?:mind|care))\b|\bi take back\b|\bdon[’']?t bother \w+ing\b|^no "
        r"more [\w ]+ (?:limit|rule|restriction)s?\b|\bno objections?\b|\bwould be (?:fine|ok"
        r"|okay)\b|\bgo for it\b|\bstop (?:asking|doing)\b",
        r"\byou (?:may|can)(?: now| also| still| then| again)? (?!not\b|never\b|only\b|have\b|see\b"
        r"|look\b|find\b|help\b|imagine\b|tell\b|check\b)\w",
        r"\b(?!i\b|we\b|he\b|she\b|you\b)[\w./*-]+ (?:may|can)(?: now| also| still)? (?:be (?:\w+ed"
        r"|\w+en|\w+er|put|cut|set|read|left|done|made)|go|stay|fail|remain|use|have|exceed|contain"
        r"|skip|ignore|keep|run|be (?:in|on|at|of))\b",
        r"\byou(?:[’']re| are| have)? (?:now |again )?(?:allowed|free|permitted|welcome"
        r"|permission|my (?:ok|okay|blessing|permission)|the green light) to\b"
        r"|(?<!i[’']ll )(?<!i will )\bgo ahead\b|\bfeel free\b|\bhelp yourself\b|\b(?:i"
        r"|we) (?:allow|permit|authori[sz]e|approve|agree)\b|\bby all means\b",
        r"\b(?:is|are|it[’']?s|that[’']?s|would be) (?:now |also |totally |perfectly |absolutely "
        r"|all |back )*(?:fine|ok|okay|allowed|alright|all right|permitted|welcome|acceptable|good"
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
        r"|relax) (?:that|this|it|the|those|these|about)\b",
        r"\b(?:as you (?:like|wish|please|want|see fit)|whenever you (?:like|want)|if you (?:like"
        r"|want|must|wish)|what(?:ever)? you (?:like|want))\b",
        r"\b(?:has|have|is|are) (?:now |been )?(?:ended|over|lifted|gone|dropped|off(?=[.!,]|$)"
        r"|expired|withdrawn|cancell?ed|obsolete|history|finished)\b|\b(?:doesn[’']?t|don[’']?t"
        r"|no longer) (?:applies|apply|hold|count|matter)s?\b",
    ),
    excepts=Phrases(
        r"\b(?:is|are) the exceptions?(?= obviously| here| though|[.!]*$)",
        r"^[\w ./-]{2,40} (?:excepted|excluded|aside|are a different story|is a different story"
        r"|don[’']?t count|doesn[’']?t count)[.!]*$",
        r"\b(?:does(?:n[’']t| not)|do(?:n[’']t| not)) (?:include|apply to|cover|concern"
        r"|count for)\b|^for [\w ./-]{2,30},? no (?:need|limit|rule)s?\b",
        r"^(?:but |and )?not (?:for|in|on|with|during|when) [\w ./'-]+[.!]*$",
        r"^(?:and |but |well,? )?(?:except|exempt|excluding|other than|apart from|besides|unless)\b"
        r"",
        r"\b(?:an?|one|the only) exceptions?\b|\bexempt\b|\bexception (?:is|are|for)\b",
        r"\bthough[.!]?$|\bthat (?:rule|limit|ban)\b|\b(?:longer|shorter|more|less|larger) than "
        r"that\b",
        r"\bthis (?:one|once|time)\b|\bjust (?:this )?once\b",
    ),
    exempts="(?:but |and )?(?:except|excluding|other than|apart from)",
    unless="(?:but |and )?unless",
    apart=r"^\W*(?:but |and )?(?:except|excluding|other than|apart from|unless)\b|\bexceptions?\b"
    r"|^[\w./-]+ (?:is|are) (?:also )?(?:allowed|permitted|exempt)[.!]*$",
    extends=any_of(
        r"^(?:and |but )?(?:this|that|it|the same)(?: rule| ban| limit)? (?:also )?(?:applies|goes"
        r"|holds|counts|is true) (?:also )?(?:to|for|on|in|with) (?!me\b|us\b)",
        r"^(?:and |but )?(?:(?:this|that)(?: rule| ban)? (?:also )?(?:includes|covers)|it also"
        r" (?:includes|covers)|(?:also )?applies (?:also )?to|including)\b",
        r"^(?:and |but )?(?:same (?:goes |applies |holds )?|likewise )(?:for|to|with|on|in)"
        r" (?!me\b|us\b)",
        r"^(?:and )?(?:nor|neither|also not) (?:for|to|on|in|with|at|from|under|during)\b",
        r"^(?:and |but )?not (?:for|to|on|in|with|at|during) [^,;?]+ either[.!]*$",
    ),
    explains=r"\b(?:that[’']?s (?:why|where|how|because|what)|this is why|which is why|so the \w+"
    r" (?:is|was|fails?))\b",
    restates=Phrases(
        r"\b(?:should|must|shall|ought|let[’']?s|make (?:it|that)|instead|rather|from now on"
        r"|from (?:today|here) on|better|becomes?|goes (?:up|down)|changes? to|moves? to|raise"
        r"|lower|increase|switch|replace|not|use|after all|new|(?:has|have|is"
        r"|are) (?:been )?(?:moved|extended|postponed|raised|lowered|changed))\b"
    ),
    joins="or|and|nor",
    nods="ok|okay|yes|yeah|yep|sure|fine|alright|all right|right|good|great|very well"
    r"|(?:please )?go ahead\b[^.,!:]*",
    hence="so|and|but|then|therefore|hence|please|also",
    marks=r"\b(?:actually|instead|rather|from (?:now|here|today) on(?:wards?)?|now|after all"
    r"|correction"
    r"|on second thoughts?|going forward|moving forward|no longer|any ?more|new|update)\b",
    overrules=r"\b(?:i (?:meant|mean|misspoke|was wrong)|mixed (?:\w+ )?up|confused (?:them|the "
    r"two)|changed my mind|change of plans?|correction|scratch that|wait,? no|no,? wait|sorry|my "
    r"mistake|instead(?: of)?|from (?:now|here|today) on|let[’']s (?:use|go with|switch)|has left"
    r"|switch(?:ed|ing)? to|now)\b",
    idioms=any_of(
        r"\b(?:as you (?:like|wish|please|want|see fit)|(?:whenever|wherever|whatever|what|any way"
        r"|if) you (?:like|want|wish|need(?: to)?|must)|feel free(?: to)?|go ahead(?: and)?"
        r"|(?:fine|ok|okay|good|cool) (?:by|with) me|from (?:now|here|today|this point) "
        r"on(?:wards?)?|after all|at any time|any ?more|any longer|no longer|scratch that|scrap "
        r"that|never ?mind|forget (?:about )?(?:what i said|everything i said|it|that)?|(?:is"
        r"|are) yours(?: to)?|be my guest|you have my (?:ok|okay|permission|blessing)|(?:is|are) "
        r"(?:off|over|back on the table)|green light|by all means|i(?:[’']ve| have)? changed my "
        r"mind|you(?:[’']re| are) free to|the ban on|the rule (?:about|on|against|for)"
        r"|drop(?:ped)? the|skip the|lift(?:ed)? the|i take (?:that|it) back|(?:fine|ok|okay|good"
        r"|cool|happy) (?:with|for)|(?:is|are) fair game|freely|actually)\b",
        r"\b(?:(?:have|has|got|give|gave|grant)(?: you)?(?: my| our| full)? (?:permission|approval"
        r"|consent|clearance|go-ahead|blessing)(?: to| for)?|(?:permission|approval) (?:granted"
        r"|given)|without (?:asking(?: me| us)?(?: first)?|(?:my|our|any|explicit) \w+|permission"
        r"|approval)|(?:need not|needn[’']?t|no need to|(?:don[’']?t|do not|no longer|won[’']?t)"
        r" (?:need|have) to|stop) ask(?:ing)?(?: me| us)?(?: for| before)?)\b",
        r"\b(?:(?:is|are|was|were)(?:n[’']?t| not| no longer) (?:necessary|needed|required"
        r"|mandatory|obligatory|a must|(?:restricted|limited|bound|tied) to)|needn[’']?t)\b",
    ),
    points=r"(?<!^)\b(?:it|this|that|these|those|them|ones?)(?=[.!,;]|$| (?:now|too|again|away"
    r"|then|anyway)\b)",
    narrows=any_of(
        r"\b(?:by (?:me|us|you|him|her|them)|your own|my (?!rule|ban|restriction|instruction"
        r"|limit|permission|blessing|ok|consent|approval|earlier|previous|old|first|last|word"
        r"|mind)\w+|their \w+|most (?!of that)|either \w+|approved (?!it|that|this|by)\w+"
        r"|reviewed \w+|team \w+|today|tonight|tomorrow|here|(?:over|up|in|down) there|some \w+"
        r"|both (?!rule|ban|are|fine|ok|of)\w+)\b",
        r"\b(?:before|after|until|till|without|with|per|more|less|most|least|ask|asking|approval"
        r"|permission|consent|confirm|sign-off|for (?:me|us|you|him|her|them)|(?:your|our|his|her"
        r"|its) (?!own\b)\w+|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b",
        r"(?<=\w )(?:you|we|i|they) (?:own|made|wrote|need|\w+ed)\b|(?<=s )(?:that|which|who) \w+"
        r"|(?<!feel )(?<!are )(?<!is )\b(?:used|needed|required|approved|permitted|cleared"
        r"|free) (?!to\b)\w+s\b",
        r"\b(?:this|these|those) (?!(?:rule|ban|limit|restriction|requirement|policy|constraint"
        r"|freeze|instruction)s?\b|(?:is|are|can|may|any|all)\b)\w+",
        r"\b(?:when|while|during|between|inside|outside|within|except|unless|as long as|provided"
        r"|only|just|if|up to|once a|but (?:not|only)|at night|on weekends|for (?:this|that|these"
        r"|those|now)|this (?:one|time|once))\b|\b(?:those|these|them)[.!]*$|^(?:for|in|on|inside"
        r"|under|during|if|when|at|then|once|as soon as|afterwards|until|till|by the time)\b",
    ),
    relatives="which|that|those|whose|where|the ones",
    compares=r"\b(?:more|less|fewer|longer|shorter|over|under|above|below|exceed|beyond|most|least"
    r"|larger|bigger|smaller|later)\b",
    conditions=r"\b(?:ask|asking|approval|permission|consent|unless|until|without (?:my|explicit"
    r"|asking)|confirm|check with|sign-off|go-ahead)\b",
    negates=r"\b(?:not?|never|nothing|nobody|none|without|avoid|stop|\w+n[’']t|don[’']?t|forbidden"
    r"|prohibited|off|away|alone|except|but)\b",
    spares=r"\b(?:do not|don[’']?t|does not|doesn[’']?t|no longer|won[’']?t) (?:need|have) (?:to"
    r"|for)?\b|\b(?:do not|don[’']?t|no longer|won[’']?t) need\b|\bneedn[’']?t\b|\bneed not\b"
    r"|\bno need\b|\b(?:is|are)(?:n[’']?t| not| no longer) (?:needed|necessary|required|mandatory"
    r"|obligatory)\b|\bno longer (?:needed|necessary|required|mandatory)\b|\b(?:isn[’']?t"
    r"|not) (?:obliged|required) to\b|\bunnecessary to\b|\bnot have to\b|\bwon[’']?t be (?:needed"
    r"|necessary|required)\b|\bno reason (?:to|for)\b|\bdon[’']?t bother\b|\bno (?=.*\b(?:needed"
    r"|necessary|required)\b)",
    declines=r"\b(?:not|no longer|never|any ?more|any longer|\w+n[’']t|dont|cannot"
    r"|unnecessary)\b|^(?:please )?(?:skip|drop|leave out|forget about) (?:the |that |\w+ing\b)",
    bans=r"\b(?:rule|ban|restriction|limit|limitation|constraint|polic(?:y|ies)|freeze|embargo"
    r"|cap|prohibition|instruction|requirement|problem|issue|objection|concern)s?\b|\b(?:what"
    r"|everything) i said\b|\b(?:forbid|forbidden|banned|prohibited|off[- ]limits|taboo|avoid\w*"
    r"|refrain\w*|restrict\w*|limited|frozen|locked|blocked|protected|against|mind|object|wrong"
    r"|worry|worried|hesitate|care|appl(?:y|ies)|holds?|counts?|matters?|away|alone|untouched)\b",
    once=r"\b(?:this (?:one|time|once|commit|file|branch|change|package)|just once|for (?:once"
    r"|this one)|one time|(?:just|only|that) (?:the )?one|once(?=[.!]|$)|(?:install|push|delete"
    r"|run|do|use|merge|deploy|add|send) (?:it|that|this|them)(?=[.!,]|$))",
    states=r"\b(?:is|are|was|were|has|have|had|agreed|approved|passed|finished|fixed|said|left"
    r"|decided|talked|checked|cleared|won[’']?t|needs?|because|since)\b",
    subjects=r"(?:(?:the|an?|this|that|all) (?!moment|minute|second|instant|day|week|time|next)"
    r"|because|since|as (?!soon|long|of)|now that|my|our|your|his|her|their|it|there|i|we|he|she"
    r"|they|you|everyone|everybody|everything|no|this|that)\b",
    wide=words_of(
        "let lets the a an and or you your yours i me my we our us it its they them he him she "
        "her this that these those there here where is are was be been being has have had having "
        "do does did done doing to of in on at as by for from with into onto about up so then "
        "than but if though also just please ok okay yes yeah sure fine good great alright right "
        "well now again still already anymore longer more any all every each everything anything "
        "whole entire both either always never ever not no none nothing dont don isn doesn didn "
        "won can could may might must should shall will would need needs needed require required "
        "allowed allow permitted permission free welcome acceptable feel go ahead like wish want "
        "please see fit whenever whatever what which who rule rules ban bans restriction "
        "restrictions requirement requirements limit limits limitation constraint constraints "
        "instruction freeze embargo lifted lift gone over dropped ended end off withdrawn "
        "obsolete cancelled applies apply hold said say forget ignore disregard cancel after all "
        "per today onwards here forward point legal agreed agree use used using get got make "
        "makes keep sure own asking asked bother until whatever yourself himself only before ask "
        "without avoid stop back even plus neither nor banned too least most one's thats it's "
        "that's there's you're i'm s t re ll ve d m than tonight today"
    ),
    loose=words_of("touch directly straight simply ever accidentally blindly"),
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

AMENDS = AmendmentCues(
    fillers=r"(?:can|could|would) (?:we|you)(?: please)?|well|ok(?:ay)?|yeah|right|so|then|and"
    r"|please|just|ah+|oh+|hm+|uh+|um+|er+m?|say",
    opens=any_of(
        r"call it|up it to|more like|(?:let[’']?s )?bump (?:it|that)(?: to|:)|(?:we|you) can do"
        r"|(?:we )?got more|settle on|go for|(?:change|move) to|fine",
        r"no|nope|nah|wait|hold on|hang on|sorry(?! (?:for|about|to)\b)|oops|whoops|pardon"
        r"|actually|rather|better|instead"
        r"|correction|typo|my (?:bad|mistake|fault)|wrong(?: one)?(?=[,.])|(?:scratch|strike) that",
        r"on (?:second thoughts?|reflection)|or(?: rather| better)?|(?:only|at most|at least)"
        r"|i(?:'ve| have)? (?:mean|meant(?: to say)?|misspoke|was wrong|changed my mind)",
        r"i (?:wrote|said|typed|put) \S+(?: \S+)? but (?:i )?(?:wanted|meant|mean)",
        "make (?:it|that|this)|let (?:it|that) be|let's (?:say|do|take|use|go with|make (?:it"
        "|that))|(?:we'll )?go with",
        "(?:let's |please )?(?:change|bump|raise|lower|increase|reduce|cut|move|push|set|switch"
        "|turn|extend|shorten) (?:it|that|this)(?: up| down)? (?:to|into)",
        r"(?:it|that|this)? ?(?:should|must|has to|ought to) (?:be|have been|read)|use|take|read|do"
        r"|try|switch to|i(?:'d| would) (?:say|prefer|rather(?: have)?)|i think|in fact|maybe|edit"
        r"|update|thinking about it|all things considered|from now on|forget (?:about )?\S+",
        r"let me (?:change|correct|fix|rephrase)(?: that| it| myself)?|(?:change|raise|lower|set"
        r"|switch|move) the \w+ (?:up |down )?to|(?:you can |we can )?(?:go|stretch it"
        r"|push it) (?:up |down )?to",
        r"(?:the |a )?new (?:limit|cap|max(?:imum)?|min(?:imum)?|budget|deadline|target|value"
        r"|number|date|name|format|rule)(?: is)?|the (?:limit|cap|max(?:imum)?|budget|deadline"
        r"|number|target) (?:is|should be|will be|goes (?:up |down )?to)(?: now)?|deadline "
        r"(?:moved|changed|extended)(?: to)?|(?:about|regarding|as for|re) (?:the|that) \w+",
    ),
    closes=any_of(
        "it is|as well|is what i meant|instead|actually|rather|sorry|then|please|after all|too"
        "|also|i (?:mean|meant)|my (?:bad|mistake)|i meant to say|that is|max|tops|from now on",
        "(?:is|are|would be|will be|works?|should be)(?: a bit| much)? (?:better|fine|enough"
        "|ok(?:ay)?|safer|preferable|best|plenty|sufficient|nicer)|will do|suffices?|works",
    ),
    swaps="instead|rather|i (?:mean|meant)",
    scales=r"(?:no,? |actually,? |ok(?:ay)?,? |please )*(?:double|halve|triple|quadruple)"
    r" (?:it|that|this)|(?:half|twice|double) (?:that|of that|as (?:much|many|long))",
    denies="not|instead of|rather than|and not|no longer",
    numbers=(
        "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
        "|fifty|sixty|half|a (?:hundred|thousand|dozen|couple)"
    ),
    small=words_of("a an the in to at on of for with from by as under per up about only"),
    talk=words_of(
        "i we he she they you it that this these those there here what why how who when where is "
        "are was were be been am has have had do does did done can could will would may might "
        "must than yes thanks thank nice good great bad cool neat funny awesome perfect "
        "interesting true false correct point idea problem worries worry luck weather ready sure "
        "maybe perhaps yesterday later lol haha see know think guess hope looks look seems seem "
        "fails failed pass passed work worked done never always not much many course way yet "
        "still again hello hi bye nothing nobody everything something anything question "
        "difference matter clue doubt rush it's that's i'm i'll don't can't didn't isn't wasn't "
        "doesn't won't longer more less if because but once same one's wow ha damn looking going "
        "seen got get took takes ran runs lasted gave returned shows showed came went says said"
    ),
)
