"""What an agent says, and what addresses it, in English."""

from steno.facts.languages.cues import (
    DecisionCues,
    DoubtCues,
    OrderCues,
    StemmedCue,
    StepCues,
    any_of,
)
from steno.facts.languages.phrases import Phrases

_OBJECT = (
    "(?= (?:the|all|any|every|each|this|that|these|those|it|them|your|my|our|its|a|an|both"
    r"|everything|sudo|rm|curl|wget|bash|sh|git|npm|pip|python3?|make|docker|kubectl)\b| [`$~./-])"
)
"""What follows a verb that is a noun in front of other words (`run failed`)."""

DOUBTS = DoubtCues(
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
            r"\b(?:let me|let's|i(?:'ll| will| should| need to| want to| have to|'d better))(?: "
            r"\w+)? (?:double[- ]check|re-?check|re-?verify|verify|sanity[- ]check|cross[- ]check"
            r"|make sure (?:that|i|we|this|it|my|the)|confirm (?:that|whether|if|this|my|it))\b",
            r"\b(?:just )?to be (?:sure|safe|certain)\b",
            r"\bis (?:that|this) (?:really |actually )?(?:right|correct|true)\?",
        ),
        openings=r"double[- ]checking\b|verifying (?:that|whether|my|this)\b",
    ),
    hedge=StemmedCue(
        stems=any_of(
            "i think|i believe|i suspect|i guess|i assume|i suppose|i imagine|guess|i expect",
            "d assume|my assum|d expect|suspicion|hunch|hypothesis|as far as|i recall",
            "i remember|afaik|iirc|probabl|presumabl|perhaps|maybe|possibly|likely|it seems",
            "it appears|looks like|seem|appear|might be|may be|could be|hopefully",
        ),
        phrases=any_of(
            r"\b(?:i (?:think|believe|suspect|guess|assume|suppose|imagine|expect|would (?:guess"
            r"|assume|expect))|i'd (?:guess|assume|expect)|my (?:guess|suspicion|hunch|hypothesis"
            r"|assumption)|as far as i (?:know|can tell)|if i (?:recall|remember)|afaik|iirc)\b",
            r"\b(?:probably|presumably|perhaps|maybe|possibly|(?:most|very) likely"
            r"|(?:is|are|was) likely|likely (?:because|due|the|a|that|related)"
            r"|it (?:seems|appears|looks like)|seems? (?:to|like|that)|appears? to be"
            r"|(?:this|that|it) (?:might|may|could) be|should hopefully)\b",
        ),
    ),
)

DECISIONS = DecisionCues(
    firm=StemmedCue(
        stems=any_of(
            "decid|agreed|settl|opted|opting|conclud|chosen|picked|decision|ing with|went with",
            "go with|stick with|we'll|we’ll|we will|we're going|we are going",
        ),
        phrases=r"\b(?:(?:we|i)(?: have|'ve|’ve)?(?: both| all| now| finally)? (?:decided"
        r"|agreed (?:to|on)|settled on|opted|concluded that we)\b|(?:we|i)(?:'ve|’ve"
        r"| have) (?:chosen|picked)\b|decided (?:to|on|against|not to)\b|decision: (?!whether|if)"
        r"|(?:the|my|our|final) decision (?:is|was) (?:to|that)\b|(?:i'm|i am|we're"
        r"|we are)? ?(?:going|sticking) with (?!you\b)|(?:we|i) went with\b|(?:let'?s|we'?ll"
        r"|we will|i'?ll|i will) (?:go|stick) with\b|opting (?:for|to)\b|settling on\b|we(?:'ll"
        r"|’ll| will|'re going to| are going to)(?: just| only)? (?:use|keep|drop|switch to|adopt"
        r"|skip|stay|store|target|support|defer|not)\b)",
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
        phrases=r"\b(?:i(?:'ll|’ll| will| am going to|'m going to)(?: just| simply)? (?:use|keep"
        r"|store|put|make|stay|switch|avoid|skip|drop|defer|postpone|reuse|rely|leave|treat|not)"
        r"|let'?s (?:use|keep|switch|avoid|skip|drop|not)|(?:i |we )?(?:used(?! (?:as|by|to|in"
        r"|for|when)\b)|chose|picked|kept|switched to|preferred)|choosing|keeping) ",
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
    causes=StemmedCue(
        stems="cause|because|due to|turns out|turned out|culprit|reason",
        phrases=any_of(
            r"\b(?:root|real|actual|underlying) cause\b[^.?]{0,60}?(?: is| was|:)",
            r"\bthe (?:cause|culprit|reason)\b[^.?]{0,60}? (?:is|was)(?! (?:not )?(?:clear"
            r"|unknown|unclear)\b)",
            r"\b(?:failed|fails|failing|broke|breaks|crashe[sd]|hangs|hung|happened|happens"
            r"|failure|error|bug|regression)\b[^.?]{0,60}? (?:because|due to)\b",
            r"\b(?:turns|turned) out (?:that|to be|the)\b|\b(?:was|is|were) caused by\b",
        ),
    ),
    options=r"\b(?:option|choice|variant|alternative|number|plan|approach)",
    concluding=Phrases(
        r"^(?:so|thus|hence)\b",
        r"\b(?:because|therefore|instead|rather than|root cause|turns out|conclu\w+|lean)\b",
        r"\b(?:the|this|real|actual) (?:problem|issue|bug|cause|reason|fix|answer|catch)\b",
        r"\bno (?:good )?(?:reason|need)\b",
        r"\b(?:recommend\w*|propos\w+|suggest\w*|prefer\w*|decid\w+|agreed|chosen?|option)\b",
        r"\b(?:should|must|never|always|won['’]t|cannot|can['’]t|no longer|only)\b",
        r"\b(?:drop|remove|replace|keep|defer|skip|revert|fix|avoid|fail)(?:e?s|e?d|ing)?\b",
    ),
)

STEPS = StepCues(
    done=any_of(
        r"(?:(?:great|perfect|excellent|ok(?:ay)?|yes|good|alright)[!,.]+ )?(?:(?:all|it[’']?s"
        r"|that[’']?s|everything(?: is| was)?) )?(?:now )?(?:done|fixed|finished|completed"
        r"|implemented|committed|(?:force[- ])?pushed|merged|deployed|released|published|updated"
        r"|applied|addressed|resolved|reverted|removed|renamed|deleted|added|created|moved"
        r"|replaced|refactored|rewritten|installed|cleaned up|rebased)(?=[.!:,;—–]|$| (?:and|in"
        r"|as|the|it|both|all|to|an?|this|that|your|successfully|from|with|\d+)\b| [`*–—-])"
        r"(?! (?:the |an? )?[\w -]{0,30}\b(?:task|plan|todo|worktree|draft|skeleton|stub)\b)",
        r"(?:(?:great|perfect|excellent|ok(?:ay)?|yes|good|alright)[!,.]+ )?all (?:[\w-]+ ){0,6}"
        r"(?:pass(?:es|ed|ing)?|done|clean|green|completed?|implemented|fixed|addressed|applied"
        r"|committed|updated|resolved|in place)\b",
        r"(?:the )?(?:commit|push|merge|release|deploy(?:ment)?|migration) (?:was |is |has )?"
        r"(?:created |been )?(?:successful(?:ly)?|succeeded|completed?|done)\b",
        r"i(?:[’']ve| have)?(?: now| just| also)?(?: successfully)? (?:fixed|added|implemented"
        r"|updated|created|removed|renamed|committed|pushed|moved|refactored|replaced|rewritten"
        r"|rewrote|written|wrote|changed|deleted|reverted|merged|applied|addressed|resolved"
        r"|completed|finished)\b",
        r"(?:the|your) [\w`./ -]{3,60} (?:(?:has|have)(?: now| all)? been|(?:is|are) now) (?:done"
        r"|fixed|implemented|added|updated|created|removed|renamed|committed|pushed|moved"
        r"|replaced|merged|completed?|in place)\b|successfully \w+ed\b",
    ),
    undone=any_of(
        r"\b(?:could(?:n[’']?t| not)|can[’']?t|cannot|unable to|not (?:yet|fully|able|complete\w*"
        r"|finished|tested|verified|done|run|fixed|been)|(?:did|was|were)(?:n[’']t| not) (?:run"
        r"|test\w*|finish\w*|commit\w*|push\w*|able)|partial(?:ly)?|skipped|blocked|except"
        r"|however|unfortunately|to-?dos?|left (?:to do|for later)|instead of what)\b",
        r"\bstill (?:fail\w*|broken|need\w*|open|to do|missing|to be|left|to go)\b|\b(?:remaining"
        r"|outstanding|open) (?:work|steps?|tasks?|issues?|items?|failures?|errors?|questions?)\b"
        r"|\b(?:you|we)(?:[’']ll| will)? (?:still )?(?:need|have) to\b|\bneeds? (?:your|manual"
        r"|to be)\b|\b[1-9]\d* (?:\w+ )?(?:fail\w*|errors?)\b|\bpre-?existing\b|\bwip\b",
    ),
    heading=StemmedCue(
        stems="next|still|to do|to-do|todo|remaining|left|outstanding|done|open |follow|pending",
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
            "next|then|continue with|follow up|tackle|come back|after|later|once |still", "yet to"
        ),
        phrases=r"\b(?:next,? i(?:'ll|’ll| will|'m going to| am going to)|i(?:'ll|’ll"
        r"| will) (?:next|then|continue with|follow up|tackle|come back)|(?:after that|afterwards"
        r"|later|once (?:that|this|it)(?:'s| is) (?:done|merged|in|ready)),? (?:i|we)(?:'ll|’ll"
        r"| will)|(?:i|we) (?:still )?(?:have|need) (?:yet )?to (?:still|later)|(?:i"
        r"|we) still (?:need|have) to|still (?:needs|has) to be)",
    ),
    doing=r"(?:(?:now|next|first|then|also|good|great|perfect|okay|ok)[,.!]? )*"
    r"(?:let me|let['’]s|i(?:['’]ll| will|['’]m going to|(?: just)? need to)"
    r" (?!not|never|no longer)|i (?:now )?have (?:everything|(?:the|all the|a) (?:\w+ )?(?:picture"
    r"|understanding|context|overview|information))"
    r"|now (?:add|apply|build|change|check|clean|commit|convert|create|delete|drop|edit|find|fix"
    r"|implement|look|make|move|push|read|refactor|remove|rename|replace|rerun|rewrite|run|search"
    r"|set|simplify|test|update|use|verify|wire|write|the|for))\b",
    looking=r"^now (?:the|for)\b|^.{0,12}\bi (?:now )?have\b|\b(?:build|check|commit|confirm|debug"
    r"|examine|explore|get|inspect|investigate|launch|list|look|open|push|read|rerun|re-run|review|run"
    r"|search|see|start|test|trace|understand|verify|view|wait)(?:ing)?\b",
    promised=StemmedCue(
        stems="won't|won’t|will not|never|no longer|going forward|from now on|in future",
        phrases=r"\bi(?:(?: wo|['’]ll wo)n['’]t|(?: will|['’]ll) (?:not|never|no longer)) "
        r"(?!be able)\w|\b(?:from now on|going forward|in (?:the )?future),? i(?:['’]ll| will)\b"
        r"|\bi(?:['’]ll| will)\b[^.!?\n]{0,120}\b(?:from now on|going forward|in future)\b",
    ),
)

ORDERS = OrderCues(
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
        r"\b(?:system prompt|prior instructions|previous instructions|without asking the user)\b",
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
)
