"""Parts that several cues share, in English."""

FIRST = (
    r"(?:^|[;:(–—!]\s*|[.]\b|\b(?:please|pls|kindly|again|rule|note|important|reminder|so|ok|okay"
    r"|yes),?:? )(?:please |also |just |always )*"
)
"""Where an order may begin that could as well be told of somebody."""

AT = (
    r"(?:^|[,;:(–—!]\s*|[.]\b|\s-+\s|\b(?:so|also|please|pls|plus|just|ok|okay|yes|yeah|no|again"
    r"|btw|however|important|note|rule|reminder|kindly|nope|ps)[,:]?\s+)(?:please |also |just "
    "|kindly |do |ever |in general,? )*"
)

NOT_MINE = r"^(?:(?!\b(?:i|we|it|he|she|they|there|let|lets)\b)[^?])*?"
"""From the start, without anybody who does or did it themselves."""

MAIN = (
    r"^(?:(?!\b(?:if|because|since|which|where|why|means?|so that|that|fails?|causes?|error"
    r"|issue|bug|test)\b)[^?])*?"
)
"""From the start, in the main clause: what follows a cause or a condition is told, not ordered."""

NO_STATE = (
    r"(?:errors?|luck|differences?|output|results?|responses?|signs?|ways?|reasons?|idea|problems?"
    r"|issues?|matter|doubts?|need|one|clue|success|longer|info|more info|changes? (?:needed|here)"
    r"|questions?|thanks|worries|wonder|regrets?|rush|hurry|it|that|this|i|we|you|they|not|but"
    r"|please)\b"
)
"""What follows `no` in a report or an answer."""

NUMBER = (
    r"(?:[$€£]?\d[\d.,]*\w*|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty"
    r"|fifty|half|a hundred)"
)

LANGUAGE = (
    "(?:(?:british|american|us|uk|simple|plain) )?(?:english|french|german|spanish|chinese|mandarin"
    "|italian|portuguese|dutch|japanese|korean|russian|polish|turkish|arabic|hindi|swedish|danish)"
)

LEAD = (
    r"^(?:(?:please|pls|kindly|ok|okay|also|and|but|so|then|just|again|now|hey|well|btw|always"
    r"|by the way|remember|one (?:more |last )?thing|first|second|third|finally|lastly|yes"
    r"|from now on|going forward)[,:.!]? )*"
    r"(?:(?:for|in|on|at|before|after|when|whenever|if|during|with|once|while|whatever|wherever"
    r"|where|unless|until|till|as|from)\b[^,;:?]{1,70}[,:] )?(?:please |also |just )?"
)
"""Where an order begins, after small words or one adverbial ("When in doubt, …")."""

VERB = (
    r"(?:add|adjust|aim|align|allow|alter|annotate|anonymi[sz]e|answer|append|apply|ask|assume"
    r"|attach|back|base|batch|begin|bring|build|bump|cache|call|cap|change|check|choose|cite|clean"
    r"|clear|close|code|comment|commit|compare|compile|compress|confirm|consider|consult|contact"
    r"|convert|copy|count|cover|create|cut|declare|define|delete|deliver|deploy|describe|design"
    r"|discuss|display|do(?! (?:you|i|we|they|these|those)\b)|document|download|draft|drop|edit"
    r"|email|emit|encode|encrypt|end|ensure"
    r"|escape|exclude|explain|export|express|extend|extract|fetch|fill|filter|find|finish|fix|flag"
    r"|focus|follow|format|forward|gather|generate|get|give|go|group|handle|hash|hide|highlight"
    r"|hold|implement|import|improve|include|indent|inform|insert|install|integrate|introduce|issue"
    r"|keep|label|leave|limit|link|lint|list|load|lock|log|look|make|mark|mask|match|measure"
    r"|mention|merge|migrate|modify|move|name|note|notify|number|offer|omit|open|optimi[sz]e|order"
    r"|organi[sz]e|output|parse|pass|pay|phrase|pick|pin|place|plan|port|post|prefix|prepare"
    r"|present|preserve|print|prioriti[sz]e|process|produce|propose|provide|publish|pull|push|put"
    r"|query|quote|raise|read|rebase|rebuild|record|redact|reduce|refactor|refer|reference"
    r"|regenerate|reject|release|rely|remove|rename|render|repeat|replace|reply|report|rerun"
    r"|resolve|respond|restart|restore|restrict|retain|retry|return|reuse|review|rewrite|round"
    r"|route|run|save|say|schedule|search|send|separate|set|share|ship|show|sign|simplify|solve"
    r"|sort|speak|specify|speed|spell|spend|split|squash|start|state|stay|stick|stop|store"
    r"|structure|submit|suggest|summari[sz]e|support|sync|tag|take|talk|tell|test|tidy|touch|track"
    r"|train|translate|treat|try|turn|type|update|upgrade|upload|use|validate|verify|wait|warn"
    r"|work|wrap|write)\b"
)
"""Verbs that people open an order with."""
