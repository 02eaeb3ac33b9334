"""Parts that several cues share, in English."""

FIRST = (
    r"(?:^|[;:(–—!]\s*|[.]\b|\b(?:please|pls|kindly|again|rule|note|important|reminder|so|ok|okay"
    r"|yes),?:? )(?:please |also |just |always )*"
)
"""Where an order may begin that could as well be a report."""

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
    r"|attach|back|base|batch|begin|bring|build|bump|cache|call|cap|change|check|choose|cite"
    r"|clean|clear|close|code|comment|commit|compare|compile|compress|confirm|consider|consult"
    r"|contact|convert|copy|count|cover|create|cut|declare|define|delete|deliver|deploy|describe"
    r"|design|discuss|display|do(?! (?:you|i|we|they|these|those)\b)|document|download|draft|drop"
    r"|edit|email|emit|encode|encrypt|end|ensure|escape|exclude|explain|export|express|extend"
    r"|extract|fetch|fill|filter|find|finish|fix|flag|focus|follow|format|forward|gather|generate"
    r"|get|give|go|group|handle|hash|hide|highlight|hold|implement|import|improve|include|indent"
    r"|inform|insert|install|integrate|introduce|issue|keep|label|leave|limit|link|lint|list|load"
    r"|lock|log|look|make|mark|mask|match|measure|mention|merge|migrate|modify|move|name|note"
    r"|notify|number|offer|omit|open|optimi[sz]e|order|organi[sz]e|output|parse|pass|pay|phrase"
    r"|pick|pin|place|plan|port|post|prefix|prepare|present|preserve|print|prioriti[sz]e|process"
    r"|produce|propose|provide|publish|pull|push|put|query|quote|raise|read|rebase|rebuild|record"
    r"|redact|reduce|refactor|refer|reference|regenerate|reject|release|rely|remove|rename|render"
    r"|repeat|replace|reply|report|rerun|resolve|respond|restart|restore|restrict|retain|retry"
    r"|return|reuse|review|rewrite|round|route|run|save|say|schedule|search|send|separate|set"
    r"|share|ship|show|sign|simplify|solve|sort|speak|specify|speed|spell|spend|split|squash"
    r"|start|state|stay|stick|stop|store|structure|submit|suggest|summari[sz]e|support|sync|tag"
    r"|take|talk|tell|test|tidy|touch|track|train|translate|treat|try|turn|type|update|upgrade"
    r"|upload|use|validate|verify|wait|warn|work|wrap|write)\b"
)
"""Verbs that people open an order with."""
