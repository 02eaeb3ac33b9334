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
    "sent us|dm['’]?ed|is telling me|is saying|put it|puts it",
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
    "comments?|sentences?|essays?|poems?|abstracts?|excerpts?|extracts?|quotes?|quotations?|statements?",
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
        "summari[sz]e|tl;?dr|translate|proof-?read|paraphrase|re-?phrase|re-?word|re-?write|shorten",
        "condense|simplify|improve|polish|edit|correct|explain|interpret|analy[sz]e|critique|review",
        "read|reply to|respond to|answer|check|fact-?check|verify|comment on|evaluate|rate|grade",
        "outline|extract|classify|clean up|got|received|get|found|came across|grammar|spelling",
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
        "why|which (?:of|one|should|do|is|are|would)|ignore|forget|disregard|let['’]s"
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
)
