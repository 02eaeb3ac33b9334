"""English cues of words that are passed on."""

from steno.facts.languages.cues import RelayCues, any_of
from steno.facts.languages.phrases import Phrases

_SOURCES = any_of(
    r"docs?|documentation|read ?me|wiki(?:pedia)?|tickets?|jira|slack|teams|discord|confluence"
    r"|notion",
    r"linear|github|gitlab|bitbucket|e-?mails?|mails?|specs?|specification|manual|handbook|runbook",
    r"playbook|guide|guidelines?|policy|pages?|website|site|article|blog|posts?|thread|chat"
    r"|channel",
    r"chatgpt|gpt[\w.-]*|claude|gemini|copilot|cursor|llama|mistral|deepseek|llm|chatbot|bot|ai",
    r"stack ?overflow|reddit|forum|faq|rfc|paper|book|pdf|report|memo|newsletter|changelog",
    r"release notes|tutorial|internet|web|google|twitter|tweet|linkedin|whatsapp|telegram|issue",
    r"pull request|letter|contract|transcript|excerpt|snippet|extract|passage|quotation|handout",
    r"announcement|fwd?|forwarded message|advisory|bulletin|help ?cent(?:er|re)|vendor",
)
_SAYING = any_of(
    "said|says|wrote|writes|answered|replied|responded|responds|told (?:me|us|him|her|them"
    "|everyone",
    "the team)|tells (?:me|us)|asked|asks|explained|explains|stated|claimed|suggests|suggested",
    "recommends|recommended|mentioned|commented|noted|posted|emailed|mailed|messaged|texted"
    "|tweeted",
    "pointed out|insists|insisted|argued|argues|complained|complains|requested|advises|advised"
    "|warns",
    "warned|instructed|proposes|proposed|came back with|got back with|gave me|gives me|sent me",
    "reported|announced|announces|demanded|ordered|declared|reminded|dictated|insisted on",
    "thinks|believes|claims this|sent us|dm['’]?ed|is telling me|is saying|put it|puts it",
)
_NOUN_OR_VERB = "notes|comments|answers|replies|states|claims|mentions|reads|goes(?: like this)?"
"""Said of somebody, or in front of a list."""
_WORDS = any_of(
    "reply|answer|response|comments?|message|e-?mail|feedback|review|suggestion|advice|opinion",
    "post|tweet|statement|quote|quotation|text|dm|proposal|take|recommendation|transcript|thread",
    "excerpt|snippet|extract|passage|words|memo|announcement|ticket|report|letter|request|rant",
)
_ORDERS = "instructions|requirements|guidelines"
"""Words that are a person's own unless it is said whose they are."""
_TEXTS = any_of(
    "articles?|texts?|e-?mails?|messages?|paragraphs?|letters?|posts?|tweets?|passages?|sections?",
    "comments?|sentences?|essays?|poems?|abstracts?|excerpts?|extracts?|quotes?|quotations?"
    "|statements?",
    "answers?|repl(?:y|ies)|responses?|advice|tips?|transcripts?|stor(?:y|ies)|memos?|prompts?",
    "complaints?|announcements?|captions?|headlines?|recipes?|speech|dialogues?|conversations?",
    "chats?|threads?|clauses?|lyrics|blurbs?|bios?|postings?|adverts?|sms|voice ?mails?",
    "newsletters?|press releases?|interviews?|testimonials?|rants?|opinions?|claims?|suggestions?",
    "minutes|questions?|riddles?|jokes?|cover letters?|reviews?|wording",
)
_PLACES = any_of(
    "pages?|web ?pages?|web ?sites?|sites?|docs?|documents?|readme|wiki|manual|handbook|guide"
    "|logs?",
    "errors?|warnings?|issues?|tickets?|reports?|specs?|rfc|pdfs?|screenshots?|images?",
    "pictures?|photos?|slides?|polic(?:y|ies)|contracts?|terms|faq|papers?|books?|notes?|feedback",
    "descriptions?|summar(?:y|ies)|drafts?|translations?|outputs?|traces?|traceback|stack ?trace",
    "signs?|banners?|labels?|form|snippet|block|output|chapter|proposal|guidelines|checklist",
)
_QUALIFIED = (
    r"(?!(?:add|remove|write|update|delete|create|generate|make|keep|use|send|put|include|read|get"
    r"|fetch|extract|parse|print|show|hide|strip|drop|handle|render|store|save|load|import|export"
    r"|translate|summari[sz]e|improve|rewrite|move|copy|take|pull|find|check|verify|ignore|follow"
    r"|avoid|treat|merge|apply|fix|implement|replace|rename|always|never|no|every|each|all|any|as"
    r"|when|if|my|our|your|i|we|you)\b)"
    r"(?:(?!of\b|for\b|in\b|on\b|with\b|to\b|about\b|from\b|by\b|the\b|an?\b)[\w'’#-]+ ){0,3}?"
)
"""Words before a noun that belong to it."""
_NOT_OWN = r"(?!(?:my|our|your|you|me|us|myself|mine|ours|the agent)\b)"
_PEOPLE = any_of(
    "someone|somebody|anonymous|(?:some|an?|another|one) (?:\\w+ )?(?:guy|person|user|friend"
    "|colleague|coworker|stranger|redditor|commenter|customer|client|dev|engineer|reviewer|teacher"
    "|doctor|lawyer|vendor|tester|guest|poster)",
    "my (?:\\w+ )?(?:boss|manager|friend|colleague|coworker|teammate|lead|mentor|teacher|professor"
    "|doctor|lawyer|landlord|mom|mum|dad|mother|father|wife|husband|partner|brother|sister|son"
    "|daughter|client|customer|[\\w-]+-in-law)",
    "teacher|professor|doctor|landlord|lawyer|mom|mum|dad|grandma|grandpa|boss|wife|husband",
)

_ADVERBS = "(?:(?:also|just|then|now|once|later|recently|even|still|actually|has|have|had) ){0,2}"
_OWNERS = (
    "today|tomorrow|tonight|here|that|it|let|what|who|there|team|project|repo|company|everyone"
)

_GIVEN = rf"(?:{_TEXTS}|{_PLACES}|{_SOURCES})"
_ONE = r"(?:the|an?|this|that|these|those|his|her|their|its|some|another|[\w.-]+['’]s?)"
"""What stands before a text that is not the person's own."""
_A_TEXT = rf"{_ONE} (?:[\w'’.#-]+ ){{0,3}}?{_GIVEN}\b"
_SOON = (
    r"(?:in (?:the|my|a) (?:next|following|separate|second) (?:message|msg|one|post)"
    r"|next|now|below|here|in a (?:sec\w*|moment|minute|bit)|right away|shortly|first)\b"
)
_WILL = (
    r"(?:\b(?:i|we)(?:['’]ll| will| am| are|['’]m|['’]re|['’]d like to| want to| would like to)"
    r"|\blet me|\blemme|^will|^gonna|^going|^about)"
    r"(?: (?:now|just|also|then|first|next|quickly|going|about|gonna|to)){0,4} "
)
_HAND = r"(?:forward|send|share|show|drop|post|give|attach|upload|copy)"
_HANDING = r"(?:forward|send|shar|show|dropp|post|giv|attach|upload|copy)ing"
_SOME_DAY = (
    r"^(?!.{0,200}\b(?:later|tomorrow|tonight|soon|next week|if|when|once|after|as soon as)\b)"
    r"(?=.{0,200}?"
)
_ASK = (
    r"(?:^|[,;:!] |\bplease |\band |\bso |\bthen |\b(?:can|could|would|will) you )"
    r"(?:(?:please|just|now|kindly|also|simply) ){0,2}(?:go ahead and )?"
    r"(?:paste|send|share|provide|post|attach|upload|copy|drop|forward|show)"
    r"(?: (?:me|us|over|in|here|along|now|(?:or|and) \w+)){0,3} "
)
_NEXT_WORKS = any_of(
    "summari[sz]e|translate|proof-?read|paraphrase|re-?phrase|re-?write|shorten|improve|explain",
    "analy[sz]e|review|read|answer|reply to|check|comment on|correct|look at",
)
_NO_OFFER = r"^(?!.{0,60}\b(?:if|when|once|feel free|you (?:can|could|may)|let me know)\b).{0,200}?"

_ASKED_OF_TEXT = (
    "(?:(?:please|can you|could you|now) )?(?:translate|summari[sz]e|sum up|proof-?read|shorten"
    "|rephrase|paraphrase)"
)
"""A request for work that only a text can have."""
RELAYS = RelayCues(
    says=Phrases(
        r"(?:^|\s)(?!(?:i|we|you|to|not|never|always|please|must|should|can|could|will|would|may"
        r"|let"
        r"|lets|and|or|i['’]ve|we['’]ve|it|this|that|which|what)\s)"
        rf"[\w.,'’)\"@#-]+ {_ADVERBS}(?:{_SAYING})\b(?: \S+){{0,6}}$",
        r"(?:^|\s)(?:they|people|folks|\w+s) (?:also |both |all )?"
        r"(?:say|state|recommend|suggest|mention|claim|advise|explain)(?: \S+){0,4}$",
        r"(?:^|\s)(?:he|she|chatgpt|gpt[\w.-]*|claude|gemini|copilot|(?:an?|the|this|that|my|their"
        r"|its|his|her)"
        rf" (?:[\w-]+ ){{0,3}}?[\w-]+) (?:{_NOUN_OR_VERB})$",
        r"^(?:he|she|they|\w+) (?:was|were|is) (?:all )?like$",
        r"^(?:quoting|to quote|in the words of|citing|as quoted (?:from|by)) \S.{0,60}$",
    ),
    handed=Phrases(
        r"^(?:\w+ )?(?:an?|the|this|that|another|my|their|its|his|her) (?:[\w-]+ ){1,4}?(?:shows"
        r"|prints"
        r"|displays|reports|outputs|contains|has this|wants(?: this)?|demands|expects|requires)$",
        r"^(?:written|printed|found|seen|spotted|quoted|received|posted|displayed|shown|heard"
        r"|stated"
        rf"|scribbled|pinned)(?: \w+)? (?:on|in|at|by|from|under|over|to"
        rf"|via) {_NOT_OWN}\S.{{0,60}}$",
        r"^(?:on|in|at) (?:the|an?) .{1,40} (?:it|that) (?:says|said|reads)$",
        r"^this (?:(?:just|only|also) )?(?:came|landed|arrived|popped up|showed up|appeared"
        r"|turned up"
        r"|was (?:in|on|at|sent|posted|attached|stuck))\b.{0,60}$",
        r"^(?:here(?:['’]s| is| are) |this is )?(?:the |an? )?(?:[\w'’-]+ ){0,3}?(?:rules"
        r"|notification|plan"
        r"|notice|list|checklist|steps|conventions|demands|orders|copy|text|contents?|wording|rule"
        rf" ?book) (?:from|by|of) (?!each\b|every\b){_NOT_OWN}(?:the|an?|their|his|her|upstream"
        rf"|product|(?-i:[A-Z]))\b.{{0,50}}$",
        rf"^(?:the |an? )?(?:[\w-]+ ){{0,3}}?(?!(?:{_OWNERS}|project|repo)['’])[\w.@-]+['’]s? "
        r"(?:(?!my|our)[\w-]+ ){0,3}?(?:rules?|terms|plan|policy|requirements|wishes|demands"
        r"|checklist"
        r"|conditions|conventions|team (?:requires|wants|says))\b.{0,40}$",
        r"^(?:got|received|sent) (?:this|it|the following) (?:\w+ )?from our (?!docs|wiki|rules"
        r"|guide|repo"
        r"|code|policy|notes)\S.{0,40}$",
        r"^(?:i|we) (?:just )?(?:got|received) (?:this|it"
        r"|the following)(?: \w+)? from our (?!docs|wiki"
        r"|rules|guide|repo|code|policy|notes)\S.{0,40}$",
        # Kinds of messages and records that are nothing but a text.
        r"^(?:(?:the|this|that|an?|their|his|her|its|here(?:['’]s| is)(?: the| an?)?) )?"
        r"(?:(?:full|whole|old|new|latest|first|last|current|actual|exact|following) )?"
        r"(?:(?:commit|error|forwarded|slack|whatsapp|chat|voice|discord|teams|telegram|exception"
        r"|warning) message|(?:meeting|stand-?up|call|interview|lecture|retro|sprint|planning"
        r"|kickoff"
        r"|workshop|sync|session|therapy|handover) (?:notes|minutes|transcript|summary|protocol)"
        r"|(?:job|product|pr|ticket|issue|bug|task|feature|mr|pull request) (?:posting|ad|advert"
        r"|description|report|body|text|comment)|(?:slack|discord|teams|email|mail|reddit|twitter"
        r"|forum|chat) (?:thread|log|history|conversation|exchange)|user story|stack ?trace"
        r"|traceback|(?:system|original) prompt|lyrics|voice ?mail|transcript|press release"
        r"|(?:linter|compiler|test|build|ci|shell|terminal|program|script|server|git) output"
        r"|ocr(?: text)?)(?: (?:of|from|by|in|on|for|with)\b.{0,40}| is| was| reads)?$",
        rf"^(?:here(?:['’]s| is| are) |this is )?(?:the |an? )?{_QUALIFIED}"
        rf"(?:{_TEXTS}|{_PLACES}|ocr) (?:of|from|by|via) {_NOT_OWN}\S.{{0,40}}$",
        rf"^(?:the|an?|this|that) {_QUALIFIED}(?:{_TEXTS}|signs?|banners?|labels?|comment|notice)"
        rf" (?:in|on|at) {_NOT_OWN}\S.{{0,40}}$",
        rf"^(?:the|an?) {_QUALIFIED}(?:{_TEXTS}|{_PLACES}) (?:is|was|reads|i (?:got|found|saw|have"
        rf"|received)|we (?:got|found|received)|(?:he|she|they) (?:wrote|sent|left|posted))"
        rf"(?: (?:online|back|this|today|yesterday|on|in|from|here)\b.{{0,30}})?$",
        rf"^(?:their|his|her) {_QUALIFIED}(?:{_TEXTS}|{_PLACES}|rules?|requirements)$",
        r"^(?=.{0,70}['’])(?:.{0,60}?\s)?[\w.@-]+['’]s? (?:(?!my|our)\w+ ){0,2}"
        rf"(?:{_TEXTS}|minutes|notes)"
        r"(?: (?:was|is|were))?$",
        rf"^(?:{_PEOPLE})(?: (?:on|in|from|at|over at|via) {_NOT_OWN}\S.{{0,30}})?$",
        r"^(?:(?:i|we|just) ){0,2}(?:found|saw|heard|noticed|came across|stumbled on|got|received)"
        r" (?:this|these|the following)(?: \S+){0,3}$",
        r"^(?:(?:i|we|just) ){0,2}(?:got|received|found|saw|heard|read)(?: (?:this|it|these"
        rf"|the following|that|an? \w+))?(?: \w+)? (?:from|via|in|on|at|by"
        rf"|over) {_NOT_OWN}\S.{{0,40}}$",
        rf"^(?=.{{0,70}}['’])(?:.{{0,60}}?\s)?(?!(?:{_OWNERS})['’])[\w.@-]+['’]s? "
        rf"(?:(?!my|our)\w+ ){{0,2}}(?:{_WORDS}|{_ORDERS})"
        r"(?: (?:on|in|about|from|to|of|for|regarding|re|was|is)\b.{0,40})?$",
        rf"^(?:here(?:['’]s| is| are) |this is |below is |see )?(?:the |a |an |some )?(?:\w+ )?"
        rf"(?:{_WORDS}|{_ORDERS})(?: (?:i|we) (?:got|received))? (?:from|by) "
        r"(?!me\b|us\b|my\b|our\b|myself\b|users\b|customers\b|clients\b|bots\b)\S.{0,40}$",
        r"^(?:(?:straight|directly|taken|quoted|cited|copied|pasted|lifted) )?(?:from|via) "
        r"(?:(?:the|this|that|their|its|his|her|a|an|one of the) )?(?:(?!my\b|our\b"
        r"|now\b)[\w.'’#-]+ )"
        rf"{{0,3}}?(?:{_SOURCES})(?: \S+){{0,3}}$",
        r"^(?:as )?per (?:(?:the|this|that|their|its|his|her) (?:[\w.'’#-]+ ){0,3}?"
        rf"(?:{_SOURCES})(?: \S+){{0,3}}|docs|documentation|readme|spec)$",
        r"^(?:here(?:['’]s| is| are) |this is )?(?:the |a |some )?(?:reviewer|client|customer"
        r"|vendor"
        r"|support|manager|boss|pm|qa|cto|ceo|designer|maintainer|upstream|colleague|coworker"
        r"|teammate"
        r"|chatgpt|gpt[\w.-]*|claude|gemini|copilot|llm|ai|slack|teams|jira|github|gitlab|linear"
        rf"|discord|reddit|stack ?overflow|twitter)(?:['’]s)? (?:\w+ )?(?:{_WORDS}|{_ORDERS})$",
        r"^according to (?!me\b|us\b|my\b|our\b)\S.{0,60}$|^(?:begin )?forwarded message$",
    ),
    sources=_SOURCES,
    texts=_TEXTS,
    places=_PLACES,
    these=r"(?:this|these|the following|the \w+ below|one of these) ",
    shows=r"(?:and |so |ok,? |now )?(?:here(?:['’]s| is| are| comes?)|this is|below is) "
    r"(?!my\b|our\b|what (?:i|we)\b|how\b)",
    below=r"(?:the following|below|i (?:answer|reply|respond|say|write back)"
    r"|(?:with|on|of|about|is) this)\b",
    these_stems="this|these |following|below|should i ",
    works=any_of(
        "summari[sz]e|tl;?dr|translate|proof-?read|paraphrase|re-?phrase|re-?word|re-?write"
        "|shorten",
        "condense|simplify|improve|polish|edit|correct|explain|interpret|analy[sz]e|critique"
        "|review",
        "read|reply to|respond to|answer|check|fact-?check|verify|comment on|evaluate|rate|grade",
        "outline|extract|classify|clean up|(?:have|take) a look|look at|got|received|get|found"
        "|came across|grammar|spelling",
    ),
    heads=any_of(
        r"(?:\w+ ){1,2}(?:text|comment|message|entry|question|clause|memo|quote|excerpt|transcript"
        r"|letter|e-?mail|post|tweet|article|description|posting|announcement|poem|caption|notice"
        r"|advert|complaint|riddle|testimonial|voice ?mail)(?: #?\d{1,4})?",
        r"(?:release|patch|lecture|class|therapy|handover|reading) notes|fortune cookie",
        "quote|excerpt|extract|passage|transcript|subtitles|dialog(?:ue)?|lyrics|poem|riddle|joke",
        "homework|essay|letter|tweet|article|abstract|paragraph|memo|obituary|headline|original",
    ),
    reads=any_of(
        r"(?:reply|respond|answer) to (?:this|the following)|out of this\b|what should i (?:answer"
        r"|reply|respond|say|write back)",
        r"(?:turn|convert|make|change|put|format|rewrite) (?:this|the following) (?:in)?to\b",
        r"(?:extract|pull|get|list|find|count) .{1,30} (?:from|in|out of) (?:this|the following)",
        r"(?:summary|translation|version|analysis|explanation|gist) of (?:this|the following)",
        r"(?:agree with|thoughts on|think of|think about|opinion on) this\b|is this (?:true|legit"
        r"|accurate|a scam|scam|spam|phishing|real|fake|satire)",
        r"(?:classify|categori[sz]e|tag|label|transcribe|decipher) this",
        "summari[sz]e|tl;?dr|translate|proof-?read|paraphrase|re-?phrase|re-?word|shorten|condense",
        r"what (?:does|do|is|are)\b.{0,40}\b(?:say|saying|mean|about|tell)|make .{1,20} sound",
        "(?:check|fix|correct) (?:the|my|any) (?:grammar|spelling|typos|wording)|sounds? (?:more"
        "|less)",
    ),
    machines=Phrases(
        r"\b(?:ci|errors?|(?:error|log) messages?|logs?|outputs?|tests?|builds?|pipelines?|jobs?"
        r"|compiler|linter|console|terminal|traceback|command|script|server|warning|git)"
        r"(?: (?:now|also|still|just))? (?!is$|was$|reads$)\w+(?: me)?$",
        r"\baccording to (?:the )?(?:ci|errors?|logs?|tests?)$",
    ),
    conditions="if|when|whenever|once|after|before|unless|until|every time|each time|as soon as"
    "|in case|should|always|never|do not|don['’]t",
    own_heads=r"^(?:in|for|about|with) (?:your|all|any|every|each|our|my) .{1,40}$"
    r"|^(?:in|for) \w+s$|^your [\w ]{1,20}$|\b(?:format|style|length|language|tone)$|"
    r"\b(?:my|our) (?:\w+ ){0,2}(?:rules?|policy|policies|guidelines?|conventions?"
    r"|standards?"
    r"|style ?guide|process|answer|reply|response|request|requirements|instructions|feedback)\b",
    copied=any_of(
        r"(?:(?:i|we)(?:['’]ve| have)? (?:just )?(?:copied|pasted|copied and pasted|copy-?pasted"
        r"|quoted|forwarded|lifted) (?:this|that|it|these|the following|the rest|everything"
        r"|all this"
        r"|the (?:text|passage|part|message|section|list)(?: (?:below|above))?)"
        r"|(?:copied|pasted|copied and pasted|copy-?pasted|quoted|forwarded|lifted|taken)"
        r"(?: (?:this|verbatim|straight|directly|word for word))?) (?:here )?"
        r"(?:(?:straight|directly|verbatim) )?(?:from|off|out of) \S.{0,60}",
        r"(?:i|we) (?:got|took|grabbed|found) (?:this|that|it|these) (?:from|on|in) (?:the )?"
        rf"(?:\S+ ){{0,3}}?(?:{_SOURCES})",
        r"(?:this|that|it|these|the following|what follows|everything below|the (?:text|passage"
        r"|list)"
        r" (?:below|above)) (?:is|was|are|were|comes|came)(?: (?:all|taken|copied|pasted|quoted"
        r"|straight|directly|an? (?:excerpt|quote|extract|copy|snippet))){0,2} from "
        rf"(?!my\b|our\b)(?:\S+ ){{0,4}}?(?:{_SOURCES})(?: \S+){{0,3}}",
        r"(?:what follows|below|the following|here) (?:is|are) (?!my\b|our\b|how\b|what i\b"
        r"|what we\b)"
        rf"(?:[\w.'’@-]+ ){{0,4}}?(?:{_WORDS})(?: .{{0,60}})?",
        r"(?:what follows|below|the following|here) (?:is|are) (?!my\b|our\b)(?:[\w.'’@-]+ ){0,4}?"
        rf"(?:{_ORDERS}) (?:from|by|of) .{{1,60}}",
    ),
    copied_stems="copied|pasted|quoted|forwarded|lifted|taken|got |took |grabbed|found |follow"
    "|below"
    "|is from|are from|was from|comes from|came from|here is|here are",
    goes_on="so|now|then",
    resumes=any_of(
        "ok(?:ay)?|anyway|anyhow|that said|given (?:this|that)|based on|with that|thoughts",
        "(?:can|could|would|will|do|did|should) (?:you|i|we)|what (?:do|should|would|is|are)"
        "|how (?:do",
        "should|would|can)|is (?:that|this|it|he|she)|are (?:they|these|those)|does (?:that|this"
        "|it)",
        "why|which (?:of|one|should|do|is|are|would)|let['’]s"
        "|let me|help me|tell me|show me|explain to me"
        "|here(?:['’]s| is| are) (?:my|our|what (?:i|we))\\b",
        "(?:fix|implement|do|apply|address|check|summari[sz]e|translate|answer|reply|respond"
        "|follow",
        "use|review|explain|look (?:at|into)|handle|take|turn|write|draft|read|analy[sz]e"
        "|compare|add",
        "make|verify|rewrite|reproduce|investigate|act on|work on)(?: \\w+){0,3}? (?:this|that"
        "|it|these",
        "those|him|her|them|the above)",
    ),
    own_places=r"\b(?:in|for) (?:this|our|my) (?:repo(?:sitory)?|project|codebase|app|branch"
    r"|session)\b"
    r"|\bour (?:repo(?:sitory)?|project|codebase|app)\b",
    orders="(?:never|always|do not|don't|don’t|dont|you must|you should|you have to|must not)\\b",
    may_head=any_of(
        r"(?:(?:the|this|an?) )?(?:[\w-]+ ){0,3}?(?:pop-?ups?|tool-?tip|modal|toast|notification",
        "footer|signature|poster|leaflet|flyer|sticker|billboard|menu|auto-?reply|out of office",
        "bounce|receipt|invoice|brochure|doc|packaging)",
        r"the (?:[\w-]+ ){0,2}plan",
        r"(?:grok|perplexity|deepseek|llm|sub-?agent|worker|auditor)(?: \d{1,2})?",
        "(?:model|llm|agent|worker|sub-?task|console) (?:output|result|report|reply|response)",
    ),
    shown=any_of(
        r"(?:got|gets?|found|saw|seen|received|sent|sends|sign|says?|means?|answers?|reads?|copied"
        r"|came across|with|(?:looks?|something|goes|reads|begins|starts|opens|ends) like|about"
        r"|check|rate|of|to|at) this"
        r"(?: (?:in|on|from|round|around|to|by|at|today|yesterday|for|and|back)\b.{0,60})?[.?!]?$",
        r"\b(?:this|these|that|the following|the next|the|an?) (?:[\w'’-]+ ){0,2}?(?:sentences?"
        r"|words"
        r"|paragraphs?|clauses?|passages?|quotes?|captions?|slogan)[.?!]?$",
        r"\b(?:this|these|the following|the next|the) (?:[\w'’-]+ ){0,2}?(?:essay|poem)[.?!]?$",
        r"(?:sum up|shorten|spot|find|count|put|convert|explain|translate|analy[sz]e) .{0,30}"
        r"(?:the following|below)\b.{0,40}$",
        r"^(?:below is|below are) (?:the|an?|my) .{1,40}$",
        r"^(?:see|see also|find) (?:the|an?|my) .{1,40} (?:below|attached|here|enclosed)$",
        r"\b(?:says?|said|reads|wrote|writes|shows|contains|prints|returned|decided|begins|ends"
        r"|goes)"
        r"(?: (?:this|that|like this|as follows|with the words|back))?$",
    ),
    own_works="do|fix|implement|keep|remember|change|refactor|follow|respect|make sure|add|remove"
    "|run"
    "|use|write|create|build|update|clean|rename|move|delete|never|always|don['’]?t|do not"
    "|let['’]s"
    r"|see(?! .{0,60}\b(?:below|attached|here)\b)",
    shown_above=any_of(
        r"[\^↑←—–~]+ ?\S.{0,80}$|-- ?(?-i:[A-Z])\S.{0,60}$",
        r"\(?(?:this|that|it|the above)(?:['’]s| is| was| comes| came) (?:from|the (?:whole|full"
        r"|entire)"
        r"|all (?:he|she|they|it)|(?:what|how) (?!i\b|we\b).{1,40} (?:says?|said|wrote|writes"
        r"|reads?|sent|texted|mailed|emailed|told|posted|prints|puts?)\b).{0,80}$",
        r".{0,40}\b(?:wrote|said|says|posted|sent|texted|told me) (?:this|that|it)(?: today"
        r"| yesterday)?\W{0,3}$",
        r".{0,40}\b(?:wrote|posted|sent|texted) (?:this|that|it) (?:to (?:me|us|him|her|them|all"
        r"|every\w+)|in|on|at)\b.{0,40}$",
        rf"{_ASKED_OF_TEXT} (?:this|that|it|the above)"
        r"(?: (?:(?:in)?to|for|please|now|in (?:one|two|a few|your|\d))\b.{0,40})?\W{0,3}$",
        rf"{_ASKED_OF_TEXT} (?:this|that) (?:text|sentence|clause|paragraph|passage|quote)"
        r"\b.{0,40}$",
        r"(?:(?:please|can you|could you|now) )?(?:explain|rewrite) (?:this|that|the above)"
        r"(?: (?:to me|for me|more|less|politely|formally|please)\b.{0,40})?\W{0,3}$",
        rf"(?:{_ASKED_OF_TEXT}|explain|rewrite) the above\b.{{0,60}}$",
        r".{0,60}\b(?:is|are|does|do|did) (?:this|that|the above)(?: (?!sense\b"
        r"|work\b)[\w-]+){0,3}?"
        r" (?:mean|want|say|clause|sentence|text|legal|enforceable|true|legit|accurate|phishing"
        r"|spam"
        r"|a scam)\b.{0,30}\?$",
        r"how (?:do|should|would|can) i (?:respond|reply|answer)(?: to (?:this|that|it|him|her"
        r"|them))?\W{0,3}$",
        r"(?:how many|which|what) (?:words|tense|language|tone|mistakes) (?:is|are|was|were|does|do"
        r"|did|has|have) (?:this|that|it|these|they|there|used|in)\b.{0,40}$",
    ),
    may_show_above=any_of(
        r"\(?(?:this|that|it)(?:['’]s| is| was) (?:what|how) (?!i\b|we\b).{1,80}$",
        rf"(?:{_ASKED_OF_TEXT}|(?:(?:please|can you|could you|now) )?(?:explain|rewrite))"
        r" (?:this|that|it)\b.{0,60}$",
    ),
    judged=any_of(
        rf"^(?:is|are|was|does|do|did|which|what|that['’]s) (?!you\b).{{0,40}}\b(?:{_TEXTS}"
        rf"|{_SOURCES})"
        r"\b(?!.{0,60}\b(?:can|could|would|should|do) (?:you|i|we)\b).{0,40}\?$",
        r"\b(?:which|what|how many) (?:tense|words|mistakes|errors|typos|letters"
        r"|language)\b.{0,40}\?$",
        r"\b(?:is|are) (?:this|these|the following)\b.{0,40}\b(?:correct|right|true|false|ok(?:ay)?"
        r"|grammatical\w*|clear|polite|idiomatic)\?$",
        r"\bdoes (?:this|it)(?: sentence| text)? sound (?:ok(?:ay)?|right|good|natural|polite)\?$",
    ),
    breaks_off=r"(?:actually|wait|hold on|never ?mind|scratch that|sorry|hm+|oh|btw|by the way"
    r"|one (?:more )?thing)\b|(?:no|nope|stop)[,.!]",
    sends=Phrases(
        r"\b(?:what|(?:the|an?) [\w -]{1,30}) (?:i|we)(?:['’]m| am|['’]ll| will|['’]re| are)?"
        r" (?:(?:about|going) to )?(?:send|sending|paste|pasting|post|posting)\b(?! you yesterday)",
        rf"\b(?:on|about|of) (?:the|my) (?:next|following) {_GIVEN}\b",
        rf"^(?:the )?(?:next|following) (?:block|part) (?:is|has) (?:the|an?) {_GIVEN}\b",
        rf"\b{_GIVEN}(?:['’]s| is| are) (?:coming|attached|next|on (?:its|the) way)\b",
        r"\b(?:show|tell) you what (?!i\b|we\b).{1,40}\b(?:wrote|said|sent|posted|answered)$",
        r"^(?:one|a|just a) (?:sec|second|moment|minute)$",
        rf"{_SOME_DAY}{_WILL}(?:paste|pasting|{_HAND}|{_HANDING})\b(?: you| over| here| in| now"
        rf"| next){{0,2}} {_A_TEXT})(?=.{{0,200}}?(?:\bpast(?:e|ing)\b|\byou\b|\b{_SOON}))",
        rf"{_SOME_DAY}^(?:pasting|{_HANDING})(?: you| over| here| in| now){{0,2}} {_A_TEXT})"
        rf"(?=.{{0,200}}?(?:\bpasting\b|\byou\b|\b{_SOON}))",
        rf"{_SOME_DAY}{_WILL}(?:paste|{_HAND}) (?:you )?(?:it|that|this) (?:over )?{_SOON})",
        r"\b(?:the|my|this)? ?(?:next|following) (?:message|msg|one|post|prompt)s? (?:is|are|will"
        rf" be|has|have|contains?|holds?|=) {_A_TEXT}",
        rf"^(?:please |(?:can|could) you )?(?:{_NEXT_WORKS})(?: \w+)? (?:the|my) (?:next|following)"
        r" (?:message|msg|post|text)\b",
    ),
    comes=Phrases(
        r"^(?:and |so |ok,? |now,? |next,? ){0,2}(?:here(?:['’]s| is| are| comes?)|here goes"
        r"|below (?:is|are|comes?)|now comes?|next(?: up)?(?: is| comes?|:)|the following is) "
        rf"(?:{_A_TEXT})(?: [\w'’#-]+){{0,5}}$",
        rf"^(?:(?:this|that) is|here you go,?) {_A_TEXT}$",
        rf"^(?:(?:the|an?|its|their) )?(?:[\w'’-]+ ){{0,3}}?{_GIVEN}(?: [\w'’-]+){{0,3}}? (?:below"
        r"|follows?|incoming|coming(?: up| next)?|comes next|is next|to follow)$",
        r"^(?:this is|here(?:['’]s| is)) what (?!i\b|we\b|you\b|my\b|our\b)[\w.'’@ -]{1,40} "
        rf"(?:{_SAYING})(?: \w+){{0,2}}$",
    ),
    wants=Phrases(
        rf"{_NO_OFFER}{_ASK}(?:the |its |their |your )?(?:contents?|files?|wording|what .{{1,30}}"
        r" (?:prints|says|shows|printed|said))\b",
        r"\bpaste (?:it|that|this)\b",
        r"^(?:[\w'’]+[,!] )?(?:what(?:['’]s| is| was| are| were)|which) (?:the |your |their |it )?"
        rf"(?:[\w'’-]+ ){{0,3}}?(?:{_GIVEN}|sentence|wording|words)\b(?: (?:is it|of|from|in"
        rf"|should i"
        rf" (?:{_NEXT_WORKS})|you|do you want me to|that)\b.{{0,60}})?\??$",
        r"\bwhat (?:exactly )?(?:does|did|do) .{1,40}\b(?:say|read|print|show|contain|state)\b",
        r"\b(?:can|could) you (?:add|include|enter|type) (?:it|the \w+)\b",
        rf"{_NO_OFFER}{_ASK}(?:{_ONE}|your|any|more)? ?(?:[\w'’.-]+ ){{0,4}}?"
        rf"(?!guidelines|polic|notes|prompt|checklist){_GIVEN}\b",
    ),
    wants_it=Phrases(
        rf"{_NO_OFFER}{_ASK}(?:it|that|this|them|away|(?:the |its )?(?:rest|text|contents?"
        r"|(?:next|other|second|third|last|remaining) (?:part|piece|one|half)s?))\b",
        r"^(?:(?:ok|okay|sure|great|got it),? )?(?:i['’]m )?(?:waiting for|ready for|go on with)"
        r" (?:it|the (?:rest|next|other|text))\b",
    ),
    nods=Phrases(
        r"^\W*(?:sure|ok(?:ay)?|of course|yes|yep|yeah|go ahead|great|happy|gladly|please|send"
        r"|paste"
        r"|ready|alright|all right|certainly|absolutely|i don['’]t see|i can['’]t see"
        r"|there is no)\b",
    ),
    talk=r"thanks?|thank you|thx|hi|hello|hey|ok(?:ay)?|great|good|nice|perfect|cool|fine|sure|yes"
    r"|no|looks? good|lgtm|well done|sounds good|(?:can|could|would|will) you|let['’]?s|now|next"
    r"|then|also|and|but|so|go ahead|that (?:helps|works|worked|['’]s (?:all|it|great|fine))",
    pointers="(?:this|(?<!of )(?:these|those))(?! (?:week|month|year|morning|evening|time|project"
    "|repo|summer|weekend|spring|fall|winter|afternoon|is my|is our|done|finished|ready"
    "|fail(?:s|ing)?|work(?:s|ing)?|happen(?:s|ing)?|crash(?:es|ing)?|break(?:s|ing)?|do(?=[?])|bug|function|test"
    r"|feature|branch)\b)|(?<=of )(?:these|those)(?! \w+s\b)"
    r"|that(?=[?.!]|$|['’]s (?:in|from|on|what)\b)|below|above|attached"
    "|the following|the next (?:text|one|part|message|paragraph)|(?:used|said|written|stated|meant"
    "|going on) here|like so",
    own_leads="by the way|btw|also|remember|please remember|note|please note|fyi|and|but|so|well|oh"
    "|ok(?:ay)?|hi|hello|hey|thanks|yes|no|actually|one more thing|important|just so you know"
    "|for the record|ps|quick note|keep in mind|about me|as for me|first|second|now",
    asks="(?:can|could|would|will) you|do you (?:have|know)|any (?:ideas|suggestions|tips)",
    of_text="respond|reply|answer|means?|meant|agree|says?|said|wrote|writ\\w+|sounds?|translat\\w+"
    "|phrase|language|tone|grammar|correct|true|false|legit|scam|spam|phishing|fake|words?|wrong"
    "|wants?|(?:is|does|was|can|could|should|would) (?:it|he|she|they)|it[?]?$",
    states=r"(?!(?:it|this|that|these|those|here|there|they|what|which|who|it['’]s|that['’]s)\b)"
    r"(?:[\w'’.-]+ ){1,4}(?:is|are|isn['’]t|aren['’]t|was|were|looks?|pass(?:es|ed)?|works?|fails?"
    r"|failed|runs?|builds?)|(?:[\w-]+ ){0,3}[\w-]+['’]s (?:over|done|green|up|down|back|fixed"
    "|merged|live|gone)",
    things="(?:\\w{1,30} )?(?:pages?|forms?|buttons?|views?|screens?|parsers?|modules?|endpoints?"
    "|handlers?|bugs?|scripts?)",
    quotes="says|said|reads|wrote|writes|text|words?|line|sentence|phrase|string|slogan|title|name"
    "|caption|quote|message",
    changes="scratch that|correction|change|about (?:the|that|my|our)|as for|both|all|(?:the|that)"
    " (?:rule|ban|limit|deadline|restriction)|deadline|no(?=,)|wait|update",
)
