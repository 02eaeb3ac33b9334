"""How people ask, and what they say about themselves, in English."""

from steno.core.words import words_of
from steno.facts.languages.cues import RequestCues, TraitCues, any_of

_ALSO = (
    r"(?:(?:just|also|recently|finally|already|really|actually|even|still|currently|originally"
    r"|previously|first|only|absolutely|particularly|especially|personally|mostly) )*"
)

_FEW = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|several|a couple of|a few)"

_KIN = (
    r"(?:wife|husband|partner|fianc[ée]e?|son|daughter|kids?|child|children|baby|mom|mum|mother|dad"
    r"|father|parents?|sister|brother|sister-in-law|brother-in-law|aunt|uncle|cousin|niece|nephew"
    r"|grand(?:ma|pa|mother|father|parents?)|(?:(?:best|close|old) )?friends?|boss|manager|coworker"
    r"|colleague|mentor|teacher|cat|dog|boyfriend|girlfriend|roommate|neighbou?r|spouse|stepson"
    r"|stepdaughter|instructor|coach|tutor|trainer|therapist|landlord|supervisor|professor)"
)

_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)

_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"

_CLOCK = r"\d{1,2}(?::\d\d)? ?[ap]\.?m\b"

_DATED = rf"(?=.*(?:[$€£]\d|\b{_MONTH} \d|\b20\d\d\b|\d%|{_CLOCK}))"
"""A sum, a share, a date or a time of day stands further on in the sentence."""

_FELT = (
    "(?:worried|stressed|excited|nervous|anxious|proud|happy|glad|concerned|confident|relieved"
    "|thrilled|hesitant|disappointed|accomplished|sad|upset|grateful)"
)

_LIFE = any_of(
    rf"i {_ALSO}(?:usually|always|often|typically|normally|generally|regularly|tend to|used to"
    r"|mainly|rarely|never)\b(?! (?:be able|want))",
    rf"i {_ALSO}(?:loved?|liked?|enjoy(?:ed)?|prefer(?:red)?|hated?|dislike|can[’']t stand|adore)\b"
    r"(?! (?:the )?(?:idea|suggestion|sound|look of|concept|plan|option|recommendation)"
    r"|,? (?:that|this|your|how|it|those|these|them|what)\b"
    r"| to (?:know|learn|hear|see|get|try|start)| the (?:\w+ )?idea| both| all)",
    rf"i(?:[’']m| am) {_ALSO}(?:into|a (?:big |huge )?fan of|passionate about|obsessed with)\b",
    r"my (?:all-time )?favou?rites? (?:\w+ ){0,3}(?:is|are|was|were)\b",
    r"i[’']d rather\b",
    r"i(?:[’']ve| have) (?:also |really |actually |mostly )?been (?:also |really |to )?"
    r"(?!thinking|meaning|trying|looking|wondering|considering|planning|having|hearing|told|hoping"
    r"|wanting|struggling|noticing|seeing|reading (?:that|about)|researching|doing some research"
    r"|debating|feeling|a bit)\w+",
    r"i (?:also |still |currently |only |already )*(?:have|own|play|speak|drive|live|work|teach"
    r"|study|collect|volunteer|commute|attend|grow|wake up|go to|run|make|wear)\b"
    r" (?!to\b|a (?:question|problem|few|good|feeling|doubt|better|quick|couple of questions)"
    r"|some (?:questions|time|ideas|buffer)|any|been|no idea|enough|time|sure|more|the following"
    r"|questions|an idea|it|this|that|with you)",
    r"i don[’']t (?:eat|drink|own|speak|drive|smoke|use|have (?:a|much|kids|any experience))\b",
    r"i(?:[’']m| am) (?:also |currently |already |actually |now )*(?:\d+[ -]"
    r"|working (?:as|at|in|full)|studying|married|single|vegetarian|vegan|pregnant|retired|living"
    r"|based|originally from|reading|training for|attending|taking (?!a (?:look|break)))",
    r"i(?:[’']m| am) (?:also |currently |still |now )*(?:(?:working on|building|restoring"
    r"|renovating|knitting|sewing|painting|writing|planning) (?:an?|my|our|some more) "
    r"(?!bit\b|few\b|little\b)"
    r"|planning to (?:visit|move|travel|help|attend|host|adopt|buy|marry|retire|run|start)\b)",
    r"i(?:[’']m| am) (?:also |currently |still |now )*(?:(?:preparing|saving(?: up)?|applying)"
    r" for (?:an?|my|our|the)|aiming (?:for|to)|allergic to|learning (?!more|about|how))\b",
    r"my upcoming (?:\w+[ -]){1,4}(?:on|in|at|this|next)\b",
    r"as an? (?!result|matter|bonus|follow|quick|first|starting|next|reference|reminder|side"
    r"|last|backup|general|user\b|test\b)(?:\w+[ -]){0,5}?\w+, (?:i\b|my\b)",
    r"we(?:[’']re| are) (?:currently|still|now) (?!trying|thinking|looking|having|getting"
    r"|seeing|experiencing|facing|using|running)\w+ing\b",
    r"i(?:[’']m| am) [a-z]\w+, an? (?!bit\b|few\b|little\b)\w+",
    r"i(?:[’']ve| have) never (?!heard|thought|realized|noticed|considered|seen that)\w+",
    r"i was (?:born|diagnosed|raised|promoted|hired)\b",
    rf"(?:my|our) {_KIN}(?:,? [a-z]\w+)?,? (?:who[’']?s? |just |recently |also |always |really )*"
    r"(?!suggested|recommended|and i\b)(?:is|was|has|had|have|are|got|gave|bought|\w{3,}ed"
    r"|\w{3,}s)\b",
    r"my (?:\w+[ -]){1,4}(?:is|are|was|were|has|have|costs?|reached|starts?|ends?|runs?|takes?)\b"
    r"(?=.*[\d$€£])",
    rf"(?:my|our) {_KIN},? (?-i:[A-Z][a-z]+)\b(?! (?:and i|suggested|recommended)\b)",
    rf"(?:my|our) {_KIN}, (?:he|she|they)[’'](?:s|re|ve)\b",
    r"(?:my|our) (?:\w[\w’'-]* ){0,5}\w[\w’'-]*, which "
    r"(?:i (?!know|think|believe|guess|hope|heard|want|need)"
    r"|(?:(?:currently|now|already) )?ha(?:s|ve)\b"
    r"|is (?:usually|currently|always|an? )|was an? |used to)",
    r"my (?:previous|former|current|old|last|first) (?:job|role|position|company|employer) "
    r"(?:as|at|in|is|was)\b",
    r"my favou?rite (?:\w+[ -]){0,2}(?-i:[A-Z][a-z])",
    rf"i {_ALSO}(?:earn|pay|spend|save|owe|weigh)\b(?=.*\d)",
    rf"i {_ALSO}use (?!(?:it|this|that|these|those|them|your|to|both|any|the)\b)|i already use\b",
    r"i(?:[’']ve| have) started (?!to notice|noticing|seeing|getting|looking|thinking)\w+ing\b",
    r"the (?:\w+ ){1,3}i (?:just |recently )?(?:attended|bought|got|saw|adopted|visited|ordered) "
    r"(?:\w+ ){0,4}?(?:was|is|were|are)\b",
    r"i(?:[’']m| am) in (?:the )?(?-i:(?=[A-Z][a-z]|\d{5}))",
    r"where i (?:work|live|volunteer|stud(?:y|i)|teach|grew|worked|lived)",
    r"my (?:\w+[ -]){1,3}has been (?:helping|keeping|giving|making) me\b",
    r"i(?:[’']m| am) (?-i:[A-Z][a-z]+ [A-Z][a-z]+)\b",
    rf"i(?:[’']m| am) (?:\w+ ){{0,3}}?{_FELT}(?: \w+){{0,3}}? (?:about|that|of|after|for|with"
    rf"|because)\b{_DATED}",
    r"i(?:[’']m| am) trying to (?!decide|figure|understand|determine|calculate|find|choose|learn"
    rf"|see|write|solve)\w+ (?:my|our)\b{_DATED}",
)

_EVENTS = any_of(
    rf"(?:i|we) {_ALSO}"
    r"(?!wanted|needed|asked|wondered|hoped|noticed|realized|decided|thought|expected|assumed"
    r"|guessed|heard|meant|mentioned|forgot|had (?:to|trouble|issues|a question)|tried to|figured"
    r"|came across|calculated|computed|derived|verified|defined|got a question|used (?:it|this)"
    r"|supposed)(?:\w{2,}ed|remember \w+ing|went|got|bought|made|took|ran|met|saw|had|did|spent"
    r"|began|wrote|read|won|lost|sold|gave|found|grew|built|came|drove|flew|ate|taught|caught"
    r"|sent|left|paid|put|set|hit|swam|rode|sang|became|chose|quit|kept|brought|fell|wore|hung"
    r"|drew|lent|held|threw|slept|led)\b",
    r"i(?:[’']ve| have) (?:(?:also|just|recently|already|even|actually|only|never|always|finally"
    r"|now|since) )*(?!heard|noticed|found|decided|managed|realized|considered|thought|tried to"
    r"|seen that|read (?:that|about)|been|got to|had (?:issues|trouble|problems)|learned|wanted"
    r"|wondered|mentioned|made sure|used up|fixed|updated|pushed|added|changed|run|tested"
    r"|implemented|created|set up|attached|provided|included|come across|covered (?!an?\b)"
    r"|calculated|computed|derived|verified|defined|got a question)(?:\w{2,}ed|got"
    r"|had|read|seen|made|taken|built|bought|done|gone|written|won|spent|grown|met|worn|given"
    r"|sold|lost|known|lived|ridden|flown|eaten|kept|drawn)\b",
    rf"i {_ALSO}(?:decided|had) to\b{_DATED}",
    r"(?:and|,) (?:also |just )?recently (?:started|joined|bought|began|moved|got|took up)\b",
)

_WHEN = any_of(
    r"\b(?:today|yesterday|recently|lately|ago|last \w+|finally|just|birthday|wedding|anniversary"
    r"|holidays?|christmas|thanksgiving|easter|before(?=[,.;!]|$)"
    r"|this (?:morning|week|weekend|month|year|summer|winter|spring|fall)"
    rf"|(?:in|on|since|until|by|around|from|between|mid|early|late)[ -]?(?:the )?(?:{_MONTH}\b"
    rf"|{_WEEKDAY}\b|\d{{1,2}}(?:st|nd|rd|th)\b|\d{{4}}\b|mid-)|{_MONTH} \d+|every \w+|\d+ times"
    r"|(?:once|twice|times) a (?:day|week|month|year)"
    rf"|for (?:the past |almost |over |about )?(?:{_FEW}|an?) (?:\w+ )?"
    r"(?:days?|weeks?|months?|years?|hours?|minutes?))\b",
    r"[$€£]\d|\d%",
    r"\b(?:january|february|april|june|july|august|september|october|november|december)\b",
    rf"\bon week(?:days|ends)\b|\bstarting (?:in )?{_MONTH}\b",
    rf"\b\d{{1,2}}/\d{{1,2}}\b|\b{_CLOCK}",
    r"\b(?:i|we)(?:[’']ve| have)? (?:\w+ ){1,5}?\d[\d,]* (?:\w+ ){0,2}\w{3,}s\b|\bso far\b",
    r"\bwith (?-i:[A-Z][a-z]+)\b|\b(?-i:[A-Z][a-z]+)[’']s (?:place|house|party|home)\b",
    r"\b(?:from|in|at) (?:my|our) (?:garden|yard|kitchen|house|home|apartment|flat|office)\b",
)

REQUESTS = RequestCues(
    denies=r"no|nope|nah|wrong|wait|hm+|undo|revert|why",
    complains=r"\bstill (?:fails?|failing|broken|not|wrong|the same|there|crash\w*|an? error"
    r"|doesn[’']?t|don[’']?t|see|get)\b|\b(?:does|did)(?:n[’']?t| not) (?:work|help|fix)\b"
    r"|\bnot (?:fixed|done|working|what i (?:asked|meant|wanted))\b|\bsame (?:error"
    r"|problem|issue)\b|^\W*(?:no|nope),? (?:it|that|this) (?:is|fails|crashes|breaks)\b"
    r"|\bi (?:don[’']?t|do not|can[’']?t|cannot) (?:see|find)\b|\b(?:it|that|this)(?:[’']s| is) not"
    r" \w+ed\b|\b(?:ci|tests?|build|lint|pipeline|it) (?:is |are |now |also |just )*(?:fail(?:s|ed"
    r"|ing)?|broke\w*|crash\w*)\b|\b(?:has|is|are|you) (?:now )?(?:broke|broken)\b",
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
        "do (?:it|that|so|both|all)|proceed|continue|absolutely|definitely|exactly|correct|right",
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
        # `stop.sh` and `stop-loss` are names.
        r"(?:stop|abort|halt)(?: it| that| this| now)?(?![-.:]\w)",
    ),
    off_after="oh|ok(?:ay)?|actually|no|hm+|ah|wait|sorry",
    off_then="and|then",
    thanks=any_of(
        "thanks?|thank you|thx|ty|cheers|so much|a lot|very much|great|nice|cool|awesome|amazing",
        "excellent|perfect|good(?: job| work)?|well done|wow|super|done|all good",
        "it works?(?: now)?|works(?: now)?|that works|works great|everything works",
        "you(?: are|'re) (?:great|a monster|awesome|the best)",
        "bye|goodbye|good night|that'?s (?:all|it|great|perfect)|looks? (?:great|good)",
        "haha|lol|man|mate|now",
    ),
    thanking=r"thank|thx|\bty\b|cheers|\bdone\b|\bbye\b|that'?s (?:all|it)\b",
)

TRAITS = TraitCues(
    clause_after="and|but|so|also|fyi|btw|note",
    that="that",
    name=(
        # "Which file has the line My name is Ann" names words, not the person.
        r"(?<!\bline )(?<!\btext )(?<!\bstring )(?<!\bphrase )(?<!\bsentence )"
        r"\bmy (?:full |first )?name is|\bcall me (?=(?-i:[A-Z]))"
    ),
    self=any_of(
        r"i(?:[’']m| am) (?:an? (?!bit|little|lot|few|while|fan)|based in"
        r"|from (?=(?-i:[A-Z]))|allergic)",
        "i live in",
        "i work (?:at|for|as|in|on|with)",
        r"i(?:[’']m| am) (?-i:[A-Z][a-z]+), an? (?!bit\b|few\b|little\b)\w+",
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
        "understanding impression hope thought result output answer input prompt request message"
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
    unsure_after="if|whether|when|once|unless|should|could|would|suppose|imagine|maybe|perhaps",
    unsure=r"for example|e\.g\.|let[’']s say|right now|at the moment|for now|currently trying",
    copula=r"\s(?:is|are|runs on|lives in)\s",
    purpose="for|as|to store",
    empty=words_of(
        "remem forge told said use using used uses longe anymo any more now that what about "
        "name live work two three four five six seven eight nine ten"
    ),
    life=_LIFE,
    taste=any_of(
        rf"i {_ALSO}(?:loved?|liked?|enjoy|prefer|hate|dislike|adore)",
        r"my favou?rite|i[’']d rather",
    ),
    tools=rf"i {_ALSO}use\b",
    events=_EVENTS,
    when=_WHEN,
    asks=r"(?:can|could|would|should|do|does|did|is|are|was|were|have|has|may|what|which|how"
    r"|where|when|why|who|any|will (?:you|it|i|we|they|he|she|this|that|these|those|the|there|my)"
    r")\b",
    reasons=r"\b(?:since|because|considering(?: that)?|given that)\b|[’']cause\b"
    r"|, (?:which|where)\b",
    never_after=(
        *("think", "thought", "if", "when", "whether", "should", "do", "did", "can", "could"),
        *("would", "what", "how", "why", "until", "as soon as"),
    ),
    work=r"(?:commit(?! to\b)|branch|pull request|pr|repo|repository|codebase|refactor|endpoint|api"
    r"|stack trace|function|test suite|ci|lint|merge|deploy|null|exception|import|typescript|config"
    r"|csv|json|sql|query|(?<!zip )(?<!dress )code|(?:the|a|my|our|this) build|builds? fail\w*"
    r"|(?:abstract|base|parent|child|data|helper) class|class (?:method|name|diagram|hierarchy)"
    r"|(?:the|this|new|add(?:ed)? an?|wrote an?|create[ds]? an?) class)",
)
