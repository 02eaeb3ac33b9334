"""Small tables of cues for memory, one a language.

A row is a name and a regular expression; set-in lines continue it. The tables are frozen: a test
fails when one grows. A phrasing that is not in them is a limit, not a new row.

starts: how a clause about oneself begins; leads, fronts, joins, reasons: what stands before it
idle: wishes, opinions, permissions, questions and steps, which begin like a statement on oneself
felt, dated: feelings and plans, and the date or sum of "my …" that makes them worth keeping
lasts, when: states and habits, and the times, sums and names that make an event worth keeping
taste, prefers: likings, and a choice that replaces an earlier one
owns, kin, passing, work: "my … is", relatives by name, things of the moment, words of programming
name, live, job, uses, purpose, is: by what a memory is replaced
remember, forget: orders to do so, and "no longer"; lasting, once: how long a constraint binds
relays, points: words about a text of others, and "this"; orders: verbs of orders to an assistant
empty: words that say nothing about a subject
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from steno.facts.languages import LANGUAGES, Table

Tables = tuple[Table, ...]
Rows = Mapping[str, tuple[str, ...]]

_ENGLISH = r"""
ALSO (?:(?:just|also|recently|finally|already|really|actually|even|still|currently|originally|only
    |first|mostly|now|particularly|especially|kinda|quite|pretty|so|very|a bit|both|all) )*
I_AM (?:i['’]m|i am|i was|we['’]re|we are|we were) ALSO
MONTH (?:jan|feb|march|april|may|june?|july?|aug|sept?|oct|nov|dec)(?:[ru]ary|ust|o?ber|em?ber)?
KIN (?:wife|husband|partner|son|daughter|kids?|mom|mum|mother|dad|father|sister|brother|aunt|uncle
    |cousin|niece|nephew|grand\w+|friend|boss|manager|colleague|coach|mentor|teacher|cat|dog)
starts (?:(?:i|we)(?=['’ ])|my |our |as an? |call me |(?:the|this) (?:project|repo|app) uses\b)
leads (?:and|but|so|also|plus|well|yeah|yes|no|ok(?:ay)?|hi|hello|hey|oh|btw|fyi|though|that)\s
fronts (?:in|on|at|last|after|during|every|this|speaking of) (?:[\w’'-]+ ){1,6}?
joins (?:and|but|so|because|since|['’]cause|which|while|where|that|as(?= i(?:['’]| a)m\b)) (?:\w+ )?
reasons (?:since|because|['’]cause|as|which|where|given that|considering(?: that)?)\s
idle (?:i|we)(?:['’]ll|['’]d(?! rather)| will| would| can| could| should| might| may| must)\b
idle (?:i|we) (?:(?:do|did)(?: not|n['’]t) )?ALSO(?:need|want|wish|hope|think|guess|suppose|believe
    |feel|wonder|understand|know|see|mean|agree|appreciate|look|found|hear|notice|realize|thought|ask
    |assume|expect|figure|forgot|plan|tried to|try to|came across|sure|got it|used? (?:it|this|that)
    |approve|allow|permit|authorize|grant|consent|had (?:trouble|issues|no))(?:s|d|ed)?\b
idle I_AM(?:not |un)?(?:looking|thinking|wondering|hoping|considering|interested|curious|sure|ready
    |sorry|aware|afraid|confused|stuck|told|able|seeing|getting|having|facing|using|aiming|open|torn
    |here|done|fine|good|trying to (?:decide|figure|understand|find|verify|learn|calculate|solve))\b
idle (?:i|we)(?:['’]ve| have) ALSO(?:been )?ALSO(?:thinking|meaning|trying|looking|wondering|hoping
    |considering|planning|having|hearing|told|wanting|heard|noticed|seen|found|decided|realized
    |thought|checked|added|fixed|updated|pushed|changed|tested|implemented|created|set up|attached
    |provided|included|defined|to|no|some|enough|any)\b
idle i (?:really |also )?(?:like|love) (?:the (?:\w+ )?(?:idea|suggestion|sound|look|plan|option)
    |that|this|your|how|it|these|those|them|to (?:know|learn|hear|see))
idle (?:i|we) (?:have|had|got) (?:a (?:\w+ )?(?:question|problem|few|lot|good|feeling)|questions)
felt I_AM(?:trying|glad|happy|excited|worried|concerned|stressed|nervous|proud|going to|feeling)\b
dated ^(?=.*\b(?:my|our)\b).*(?:[$€£]\d|\d ?%|\bMONTH \d|\b20\d\d\b|\b(?:last \w+|ago|birthday)\b
    |\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b)
lasts (?:i|we) ALSO(?:usually|always|often|typically|normally|generally|regularly|tend to|used to
    |mainly|rarely|never|have|own|play|speak|drive|live|work|teach|study|collect|run|volunteer
    |commute|attend|grow|wake|wear|keep|use|come from|eat|drink|pay|earn|weigh)\b
lasts (?:i|we) (?:don['’]t|do not) (?:eat|drink|own|speak|drive|smoke|use|have|work|live)\b
lasts I_AM(?:an? (?!bit|little|few)|into|\d+|from|based|living|working|studying|married|single
    |vegetarian|vegan|pregnant|retired|allergic|learning|passionate|obsessed|building|writing
    |training|preparing|saving|born|raised|diagnosed|promoted|hired|(?-i:[A-Z]))
lasts as an? (?!result|matter|bonus|last|first|side|test|quick|next|general|starting|user)
lasts (?:i|we)(?:['’]ve| have) ALSO(?:been \w+ing|never|always|owned|lived|worked|known)\b
when \b(?:today|yesterday|recently|lately|ago|last \w+|finally|birthday|wedding|anniversary|easter
    |christmas|thanksgiving|this (?:morning|week|weekend|month|year|summer|winter|spring|fall)
    |every \w+|(?:once|twice|times) a \w+|so far|before|(?:mon|tues|wednes|thurs|fri|satur|sun)days?
    |MONTH|for (?:\w+ ){1,3}(?:days?|weeks?|months?|years?|hours?))\b|[$€£]?\d
when (?<=[a-z,] )(?-i:[A-Z][a-z]+)|\b(?:from|in|at|for|with|to|of) (?:my|our) \w
taste i (?:don['’]t |do not )?ALSO(?:loved?|liked?|enjoy(?:ed)?|prefer|hated?|dislike)\b
taste my (?:[\w-]+ )?favou?rite|i['’]d rather|fan of\b
prefers \bprefer|\brather\b|\bfavou?rite\b
owns (?:my|our) [\w’'.+-]+(?: [\w’'.+-]+){0,4}?,? (?:who['’]s |\w+ly |just |always )?
    (?:is|are|was|were|has|have|runs|lives?|costs?|starts|works?|loves?|likes?|comes)\b
    (?! (?:not|still|now|broken|failing|down|slow|wrong|done|ready|too|very|so|being|to|that|how)\b)
kin \b(?:my|our) (?:\w+ )?KIN,? (?-i:[A-Z])|(?:my|our) KIN, (?:he|she)\b
passing \b(?:question|problem|issue|guess|point|concern|idea|goal|plan|task|mistake|bug|test|build
    |code|error|change|pr|understanding|impression|hope|result|output|answer|request|branch)s?\b
work `|_\w|[a-z-]{2}/(?:[a-z]| )|[a-z]{2}\.[a-z]|\w\(\)|\b(?:commits?|branch|pull request|pr|repo\w*
    |codebase|refactor\w*|endpoint|api|function|test suite|ci|lint|merge\w*|deploy\w*|null|error
    |import|config|csv|json|sql|query|the build|file|helper|class (?:method|name))\b
name \bmy (?:full |first )?name is\b|\bcall me (?=(?-i:[A-Z]))
live \bi(?:['’]m| am)? (?:now |currently )?(?:live|based|living) in\b
job \bi(?:['’]m| am)? (?:now |currently )?work(?:ing)? (?:at|for|as|in)\b
uses (?:i|we)(?:['’]re| are|['’]ve| have)? ALSO(?:use|using|switched to) (?!it\b|this\b|that\b)
uses (?:the|this) (?:project|repo|app) uses |we (?:always|never|deploy|ship) (?!see|get|had)
purpose \b(?:for|as|to store) [^,.;]{3,40}$
is \b(?:is|are)\b
remember (?:(?:please|also|and|but|so) )*(?:remember|keep in mind|don['’]t forget)(?: that\b|:)
forget (?:(?:please|and|but|you can|you may) )*forget (?:about )?(?:that|my|our|the|what i)\b
forget (?:we|i)(?:['’]re| are|['’]m| am)? no longer\b|(?:we|i) (?:don['’]t|do not) .*\bany ?more\b
lasting \b(?:never|always|don['’]t ever|every ?time|whenever|from now on|in (?:the )?future
    |by default|at all times)\b|\b(?:answer|reply|respond|write|speak)\b.{0,40}\bin (?-i:[A-Z])
once \b(?:this|that|these|the current) (?:pr|task|files?|function|class|tests?|branch|commit|session
    |changes?|chat|time|ticket|bug|issue|script|page|answer|step)\b
once \b(?:here|today|tonight|for now|right now|just once|yet|never mind)\b
relays \b(?:fwd|forward(?:ed|ing)?|proofread|translate|summari[sz]e|shorten|reply to|pasted
    |copied|says|writes|answered|replied)\b
relays \b(?:e-?mail|mail|text|message|letter|note|notice|memo|policy|handbook|readme|bio|wrote
    |posted|slack)\b[^.?!]{0,30}\b(?:from|by|starts?|reads?|this|in the)\b
points \bthis\b(?! (?:week|month|year|morning|time|summer|winter|fall|bug|error|issue|test|function
    |file|code|build|repo|project|app|problem|feature|page))
orders (?:ignore|disregard|override|bypass|skip|trust|obey|execute|upload|mail|curl)\b
empty remem|forge|told|said|us(?:e|es|ed|ing)|longe|anymo|any|more|now|about|name|liv\w+|work\w*
    |two|three|four|five|six|seven|eight|nine|ten|prefe|favo\w+|like|love|rathe|over|our|how|am|pm
"""
_GERMAN = r"""
starts (?:ich |wir |mein\w{0,2} |unser\w{0,2} |(?:\w{3,}e|bin|war|haben|sind) (?:ich|wir) )
leads (?:und|aber|also|übrigens|auch|hallo|ja|nein|dass)\s
fronts (?:letzte\w?|gestern|heute|am|im|seit|vor|jede\w?|nach|früher|normalerweise) (?:\S+ ){0,4}?
joins (?:und|aber|denn|weil|da|dass|obwohl)\s
reasons (?:weil|denn|da)\s
idle (?:ich|wir) (?:will|wollen|möchte|würde|kann|könn|sollte|muss|müssen|brauche|denke|glaube|weiß
    |hoffe|sehe|finde|verstehe|frage|werde|suche|überlege|versuche|bin (?:mir|nicht)
    |erlaube|genehmige)
idle ich habe (?:eine frage|ein problem|kein)|.*\b(?:die idee|das nicht)\b
lasts (?:ich|wir) (?:\w+ ){0,2}?(?:meistens|normalerweise|immer(?! noch)|oft|selten|nie|regelmäßig
    |früher|täglich)\b
lasts (?:ich|wir) (?:esse|trinke|spiele|sammle|besitze|fahre|lerne|studiere|unterrichte|pendle|wohne
    |lebe|arbeite|komme aus|habe (?:ein|zwei|drei|\d))
lasts ich bin (?:\w+ )?(?:vegetari|vegan|verheiratet|allergisch|rentner|student|lehrer|ein\w? |\d)
when \b(?:gestern|heute|neulich|kürzlich|letzte\w? \w+|jede\w? \w+|seit \w+|morgens|abends
    |vor \w+ (?:tage|woche|monat|jahr)\w*|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?)\b|\d
taste ich (?:mag|liebe|hasse|bevorzuge)\b|mein\w{0,2} lieblings
prefers \bbevorzug|\blieber\b|\blieblings
owns (?:mein|unser)\w{0,2} [\w-]+(?: [\w-]+){0,3}? (?:ist|sind|hat|heißt|war|wohnt|arbeitet|mag
    |läuft|kostet|steht)\b(?! (?:nicht|noch|kaputt|gerade|rot)\b)
kin \bmeine? (?:frau|mann|sohn|tochter|mutter|vater|schwester|bruder|hund|katze) (?-i:[A-ZÄÖÜ]\w+)
passing \b(?:frage|problem|fehler|ziel|idee|vermutung|tests?|build|code)\b
work \b(?:datei|fehler|funktion|skript|datenbank|code|commit|branch|test)\w*\b
name \b(?:mein name ist|ich hei(?:ß|ss)e|nenn mich)\b
live \bich (?:wohne|lebe) (?:jetzt )?in\b
job \bich arbeite (?:jetzt )?(?:bei|als|in|für)\b
uses (?:ich|wir) (?:nutze|verwende|benutze)n? (?!das\b|es\b|dies)
purpose \b(?:für|als|zum|zur) [^,.;]{3,40}$
is \b(?:ist|sind|steht|liegt)\b
remember (?:bitte )?(?:merke? dir[:,]?(?: dass)?|(?:denk daran|vergiss nicht),? dass)\b
forget (?:bitte )?vergiss,?(?: dass| was| mein\w*)\b(?! nicht)|(?:ich|wir) \w+ .*\bnicht mehr\b
lasting \b(?:immer|nie|niemals|stets|ab (?:jetzt|sofort)|künftig|in zukunft|jedes mal|generell)\b
once \b(?:diese[rnms]?|heute|vorerst|diesmal|gerade|hier)\b
relays \b(?:übersetze?|kürze|korrigiere|weitergeleitet|schreibt|schrieb|sagt|meint)\b|\bfass\w*\s
relays \b(?:mail|nachricht|brief|zettel|notiz|schreiben) (?:vom|von|der|des|aus)\b
points \b(?:dies\w*|folgende\w*)\b
empty wohne|nutze|verwe|benut|bevor|liebe|merk|vergi|mehr|gesag|heiße|arbei|ohne|für|dass
"""
_FRENCH = r"""
starts (?:je |j[’']|nous |on |mon |ma |mes |notre |nos )
leads (?:et|mais|donc|alors|aussi|bonjour|salut|oui|d[’']ailleurs|que)\s
fronts (?:la|le|en|depuis|hier|cette|chaque|il y a) ?(?:[\w’'-]+ ){0,4}?
joins (?:et|mais|car|parce qu(?:e |[’'])|puisqu(?:e |[’'])) ?
reasons (?:car |parce qu(?:e |[’'])|puisqu(?:e |[’']))
idle (?:je (?:ne )?|j[’']|nous |on )(?:veux|voudrais|souhaite|peux|pourrais|dois|devrais|pense|crois
    |espère|sais|vois|cherche|comprends|essaie|aimerais|ai (?:une question|un problème|besoin)
    |autorise|approuve|permets)
idle j[’']aime (?:bien )?(?:l[’']idée|ça|ton|ta|cette)
lasts je \w+ (?:toujours|souvent|rarement|jamais|généralement|régulièrement|d[’']habitude)
lasts je (?:ne )?(?:mange|bois|joue|collectionne|possède|conduis|apprends|étudie|enseigne|vis|gagne
    |travaille|parle|fume|paie|paye|pèse)\b|j[’']habite|j[’']ai (?:une?|deux|trois|\d)
lasts je suis (?:une?|végé|végan|marié|allergique|retraité|étudiant|prof)
when \b(?:hier|récemment|\w+ derni(?:er|ère)|il y a \w+ \w+|depuis \w+|chaque \w+
    |tou(?:s|tes) les \w+|en (?:janvier|février|mars|avril|mai|juin|juillet|août))\b|\d
taste j[’'](?:aime|adore)\b|je (?:déteste|préfère)\b
prefers \bpréf[èé]r|\bplutôt\b
owns (?:mon|ma|mes|notre|nos) [\w-]+(?: [\w-]+){0,3}? (?:est|sont|a|ont|s[’']appelle|était|habite
    |travaille|aime|tourne)\b(?! (?:pas|encore|cassé)\b)
passing \b(?:question|problème|erreur|but|idée|tests?|code)\b
work \b(?:fichiers?|fonctions?|serveurs?|erreurs?|code|branche|commit)\b
name \bje m[’']appelle\b|\bmon nom est\b
live \bj[’']habite\b|\bje vis (?:à|en|au)\b
job \bje travaille (?:chez|comme|à|pour)\b
uses (?:j[’']|je |on |nous )utilis\w+ (?!ça\b|cela\b)
purpose \b(?:pour|comme) [^,.;]{3,40}$
is \b(?:est|sont)\b
remember (?:(?:souviens|rappelle)-toi|retiens|n[’']oublie pas) (?:bien )?qu(?:e\b|[’'])
forget oublie (?:que|ce que|mon|ma|mes)\b|(?:je|on|nous) (?:ne |n[’'])\w+ plus\b
lasting \b(?:toujours(?! pas)|jamais|désormais|dorénavant|à chaque fois|à l[’']avenir)\b
once \b(?:ce (?:fichier|test|commit)|cette (?:fois|tâche)|aujourd[’']hui|pour l[’']instant)\b
relays \b(?:traduis|résume|raccourcis|corrige|transféré|écrit|dit que)\b
relays \b(?:message|mail|courriel|note|lettre|affiche) (?:du|de|des|d[’'])
points \b(?:ceci|ça|suivante?)\b
empty retie|oubli|utili|habit|trava|préfè|aime|appel|plus|que|dit
"""
_SPANISH = r"""
starts (?:no |siempre |nunca |normalmente )?(?:yo |me [a-z]|mi |mis |nuestr[oa]s? |(?:tengo|soy
    |estoy|vivo|trabajo|uso|voy|corro|como|bebo|fumo|conduzco|prefiero|odio|gano|pago|suelo|fui|he|hemos
    |usamos|utilizamos|\w{3,}[éí])\b)
leads (?:y|pero|entonces|también|hola|sí|además|que)\s
fronts (?:la|el|los|en|desde|ayer|cada|hace) ?(?:\w+ ){0,4}?
joins (?:y|pero|porque|ya que|puesto que)\s
reasons (?:porque|ya que|puesto que)\s
idle (?:no )?(?:yo )?(?:me gusta(?:ría)?n? (?:la idea|tu|eso|esto|saber)|me pregunto|me parece
    |tengo (?:una pregunta|un problema|que)|estoy (?:buscando|tratando|segur|intentando))
lasts (?:siempre|normalmente|nunca|suelo) |(?:no )?(?:tengo|soy|vivo|trabajo|uso|gano|pago)\b
lasts no (?:como|bebo|fumo|conduzco)\b|estoy (?:casad|embarazad|aprendiendo|estudiando|ahorrando)
when \b(?:ayer|anoche|recientemente|\w+ pasad[oa]|hace \w+ \w+|desde \w+|cada \w+
    |tod[oa]s l[oa]s \w+|en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto))\b|\d
taste (?:no )?me (?:gusta|encanta)n?\b|odio\b|prefiero\b|mi \w+ favorit
prefers \bprefier|\bfavorit
owns (?:mis?|nuestr[oa]s?) \w+(?: \w+){0,3}? (?:es|son|está en|tiene|se llama|fue|trabaja|vive)\b
kin \bmi (?:espos[oa]|hij[oa]|madre|padre|herman[oa]|perr[oa]|gat[oa]|amig[oa]),? (?-i:[A-Z]\w+)
passing \b(?:pregunta|problema|error|objetivo|código)\b
work \b(?:archivos?|funci(?:ón|ones)|servidor|errores|código|rama)\b
name \bme llamo\b|\bmi nombre es\b
live \bvivo en\b
job \btrabajo (?:en|como|para)\b
uses (?:uso|usamos|utilizamos) (?!eso\b|esto\b)
purpose \b(?:para|como) [^,.;]{3,40}$
is \b(?:es|son|está|están)\b
remember (?:por favor,? )?(?:recuerda|ten en cuenta|no olvides) que\b
forget (?:por favor,? )?olvida (?:que|lo que|mi)\b|ya no \w+
lasting \b(?:siempre|nunca|jamás|a partir de ahora|de ahora en adelante|cada vez)\b
once \b(?:est[ea] (?:archivo|vez|tarea|commit)|hoy|por ahora)\b
relays \b(?:traduce|resume|acorta|corrige|reenviado|escribió|dice)\b
relays \b(?:correo|mensaje|nota|carta|aviso) del?\b
points \b(?:esto|siguiente)\b
empty recue|olvid|usamo|utili|prefi|gusta|encan|llamo|traba|vivo|dicho|más
"""
_CHINESE = r"""
starts 我们?
leads 另外|对了|而且|但是?|所以|还有|你好
fronts 昨天|今天|前天|上周|上个月|去年|最近|每天
reasons 因为|由于
idle 我们?(?:想|要|觉得|认为|希望|需要|打算|能|可以|应该|会|知道|不知道|试|问|看了|看到)
idle 我.{0,2}喜欢(?:这|你|那)|我最喜欢.*什么
lasts 我(?:平时|通常|一般|经常|总是|从不|很少|每|住在|来自|是(?:一名|一个|个|素食)|对.{1,8}过敏)
lasts 我(?:有|养了).{0,3}(?:猫|狗|孩子|儿子|女儿)|我在.{1,12}工作|我不(?:吃|喝|抽)|我(?:今年)?\d+岁
when 昨天|今天|前天|上周|上个月|去年|最近|每[天周月年]|\d+月
taste 我(?:很|非常|最|更|也|不)?(?:喜欢|爱吃|讨厌)
prefers 更喜欢|最喜欢|宁愿
owns 我们?的?[^，。？！,.?!是]{1,12}(?:是|叫|住在)
passing 问题|意思|想法|目标|代码
work 文件|代码|函数|服务器|数据库|报错
name 我(?:叫|的名字(?:是|叫))|叫我
live 我住在
job 我在.{1,12}工作
uses 我们?(?:现在|一直)?(?:用|使用|采用)(?!了|这|它)
is [在是]
remember (?:请|要)?记住[：:，,]?|请记得
forget 请?(?:忘记|忘掉)|我们?不再(?:用|使用|住)
lasting 永远|总是|始终|从不|每次|以后|今后|从现在(?:开始|起)|一律|务必
once 这(?:个|次|里|份)|今天|暂时|本次
points 这[段封句条]
relays 翻译|总结一下|缩短|转发|通知|他说|她说|写道|邮件
"""


def _parse(table: str) -> Rows:
    """Return the rows of a table by their name; rows in capitals are parts of later ones."""
    parts: dict[str, str] = {}
    rows: dict[str, tuple[str, ...]] = {}
    for line in re.sub(r"\n {4}", "", table.strip("\n")).split("\n"):
        name, _, source = line.partition(" ")
        for part, stands_for in parts.items():
            source = source.replace(part, stands_for)
        if name.isupper():
            parts[name] = source
        else:
            rows[name] = (*rows.get(name, ()), source)
    return rows


CUES: Mapping[str, Rows] = {
    "English": _parse(_ENGLISH),
    "German": _parse(_GERMAN),
    "French": _parse(_FRENCH),
    "Spanish": _parse(_SPANISH),
    "Chinese": _parse(_CHINESE),
}


@lru_cache(maxsize=512)
def memory_cue(name: str, tables: Tables = LANGUAGES) -> re.Pattern[str]:
    """Return one pattern for the rows of this name in these languages."""
    rows = [row for table in tables for row in CUES[table.name].get(name, ())]
    return re.compile("|".join(rows) or "(?!)", re.I)
