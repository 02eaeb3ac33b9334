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
    "sent us|dm['’]?ed|is telling me|is saying|put it|puts it",
)
_NOUN_OR_VERB = "notes|comments|answers|replies|states|claims|mentions|reads|goes(?: like this)?"
"""Said of somebody, or in front of a list."""
_WORDS = any_of(
    "reply|answer|response|comments?|message|e-?mail|feedback|review|suggestion|advice|opinion",
    "post|tweet|statement|quote|quotation|text|dm|proposal|take|recommendation|transcript|thread",
    "excerpt|snippet|extract|passage|words|memo|announcement|ticket|report|letter|request|rant",
    "instructions|requirements|guidelines",
)
_ADVERBS = "(?:(?:also|just|then|now|once|later|recently|even|still|actually|has|have|had) ){0,2}"
_OWNERS = (
    "today|tomorrow|tonight|here|that|it|let|what|who|there|team|project|repo|company|everyone"
)

RELAYS = RelayCues(
    says=any_of(
        r"(?:^|\s)(?!(?:i|we|you|to|not|never|always|please|must|should|can|could|will|would|may"
        r"|let"
        r"|lets|and|or|i['’]ve|we['’]ve|it|this|that|which|what)\s)"
        rf"[\w.,'’)\"@#-]+ {_ADVERBS}(?:{_SAYING})\b(?: \S+){{0,6}}$",
        r"(?:^|\s)(?:they|people|folks|\w+s) (?:also |both |all )?"
        r"(?:say|state|recommend|suggest|mention|claim|advise|explain)(?: \S+){0,4}$",
        r"(?:^|\s)(?:he|she|chatgpt|gpt[\w.-]*|claude|gemini|copilot|(?:an?|the|this|that|my|their"
        r"|its|his|her)"
        rf" (?:[\w-]+ ){{0,3}}?[\w-]+) (?:{_NOUN_OR_VERB})$",
        r"^(?:quoting|to quote|in the words of|citing|as quoted (?:from|by)) \S.{0,60}$",
    ),
    handed=any_of(
        rf"(?:^|\s)(?!(?:{_OWNERS})['’])[\w.@-]+['’]s? (?:(?!my|our)\w+ ){{0,2}}(?:{_WORDS})"
        r"(?: (?:on|in|about|from|to|of|for|regarding|re|was|is)\b.{0,40})?$",
        rf"^(?:here(?:['’]s| is| are) |this is |below is |see )?(?:the |a |an |some )?(?:\w+ )?"
        rf"(?:{_WORDS})(?: (?:i|we) (?:got|received))? (?:from|by) "
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
        rf"|discord|reddit|stack ?overflow|twitter)(?:['’]s)? (?:\w+ )?(?:{_WORDS})$",
        r"^according to (?!me\b|us\b|my\b|our\b)\S.{0,60}$|^(?:begin )?forwarded message$",
    ),
    sources=_SOURCES,
    machines=Phrases(
        r"\b(?:ci|errors?|(?:error|log) messages?|logs?|outputs?|tests?|builds?|pipelines?|jobs?"
        r"|compiler|linter|console|terminal|traceback|command|script|server|warning|git)"
        r"(?: (?:now|also|still|just))? \w+(?: me)?$",
        r"\baccording to (?:the )?(?:ci|errors?|logs?|tests?)$",
    ),
    conditions="if|when|whenever|once|after|before|unless|until|every time|each time|as soon as"
    "|in case|should|always|never|do not|don['’]t",
    own_heads=r"\b(?:my|our) (?:\w+ ){0,2}(?:rules?|policy|policies|guidelines?|conventions?"
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
