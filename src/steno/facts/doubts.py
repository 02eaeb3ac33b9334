"""Where the assistant doubts: five kinds of epistemic markers.

Hedge, reconsideration, uncertainty, self-verification, correction. A marker is
the speaker doubting, not the word: "check the file", "wait for the build", and
whatever stands in code or quotation marks do not count. The words kept are the
sentence that is doubted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from steno.core.message import Message
from steno.facts.authorship import split_by_author
from steno.facts.fact import Fact
from steno.facts.sentences import Cues

DOUBTS_MOST = 32
"""Kept of one message."""

DOUBT_KINDS = ("hedge", "reconsideration", "uncertainty", "self-verification", "correction")

_CUES: tuple[tuple[str, str, str], ...] = (
    (
        "correction",
        "mistake|my bad|my error|my earlier|error|typo|misread|misunder|misinterpret|overlooked|misspoke"
        "|incorrect|wrong|i should|shouldn't have"
        "|corrected|re right|are right|ly right|not right|apologi|correction:|oops|not correct|backwards|i forgot"
        "|i missed|falsch|geirrt|fehler|recht|übersehen|vergessen|tromp|tort|erreur"
        "|raison|oublié|equivoc|equivoqu|razón|olvidó|vertan|错|误|你说得对|我忘了|我漏了|更正",
        r"\bi (?:was|am) (?:wrong|mistaken|incorrect)\b|\bmy (?:mistake|bad|error|earlier (?:claim|assumption"
        r"|statement|analysis) was)\b"
        r"|\bi(?:'ve| have)? (?:made (?:a |an )?(?:mistake|error|typo)|misread|misunderst\w+|misinterpreted"
        r"|overlooked|misspoke|mistakenly|incorrectly|wrongly)\b"
        r"|\bi should(?: not|n't)? have\b|\bi stand corrected\b|\byou(?:'re| are) (?:absolutely |completely "
        r"|totally )?right\b|\bi apologi[sz]e\b|\bcorrection:|\boops\b"
        r"|\bthat (?:was|is) (?:wrong|incorrect|not (?:right|correct))\b|\bi had (?:it|this|that) (?:backwards"
        r"|wrong)\b|\bi (?:forgot|missed)\b"
        r"|\b(?:ich (?:lag falsch|habe mich (?:da )?(?:geirrt|vertan)|hatte unrecht|habe (?:\w+ )?(?:übersehen"
        r"|vergessen))|mein fehler|du hast recht|sie haben recht)\b"
        r"|\b(?:je me suis trompée?|j'avais tort|mon erreur|c'était une erreur|tu as raison|vous avez raison"
        r"|j'ai oublié)\b"
        r"|\b(?:me equivoqué|estaba equivocad[oa]|mi error|fue un error|tienes razón|tiene razón|se me olvidó)\b"
        r"|我(?:弄|搞)?错了|我的错|抱歉.{0,4}[错误]|你说得对|我忘了|我漏了|更正",
    ),
    (
        "reconsideration",
        "wait|hold on|hm|actually|second thought|reflection|reconsider|rethink|re-think|step back|think again"
        "|differently|revisit|scratch that|thinking about|think of it"
        "|alternatively|betrachtung|überlegt|andererseits|moment|doch nicht|warte|eigentlich|attend|en fait"
        "|réflexion|espera"
        "|en realidad|pensándolo|等|不对|其实|再想想|重新考虑|换个思路",
        r"\b(?P<start>(?:no[,.]? |but |oh[,.]? |ah[,.]? |well[,.]? |hmm+[,.]? |or )?(?:wait|hold on|hmm+|hm"
        r"|actually)(?=[,.!…—–:]| —| –| -|\s*$| actually)|alternatively,"
        r"|(?:moment(?: mal)?|warte(?: mal)?|eigentlich|doch nicht|attends|attendez|en fait|espera|un momento"
        r"|en realidad)(?=[,.!…—–]))"
        r"|\bon (?:second thoughts?|reflection)\b|\b(?:let me|i(?:'ll| should| need to| have to)) (?:reconsider"
        r"|rethink|re-think|step back|think (?:again|about this differently)|revisit)\b"
        r"|\bscratch that\b|\bthinking about (?:it|this) (?:more|again)\b|\bcome to think of it\b"
        r"|\bbei näherer betrachtung\b|\bnochmal überlegt\b|\b(?:à la réflexion|réflexion faite)\b"
        r"|\bpensándolo (?:bien|mejor)\b"
        r"|(?:等等|等一下|不对)[，,。！!…]|其实[，,]|再想想|重新考虑|换个思路",
    ),
    (
        "uncertainty",
        "sure|certain|confident|clear|obvious|hard to|don't|do not|can't|cannot|couldn't|i wonder|no idea"
        "|to be seen|puzzl|confus|sicher|unklar|weiß nicht|keine ahnung|sûr|sais pas|segur|no sé|claro"
        "|不确定|不太确定|不清楚|不知道|说不准",
        r"\b(?:i'm|i am|i'm still|we're|i was) (?:not (?:\w+ )?(?:sure|certain|confident|clear)|unsure|uncertain"
        r"|confused|puzzled)\b|\b(?:it's|it is|this is|that's) (?:not (?:\w+ )?(?:clear|obvious)|unclear"
        r"|hard to (?:say|tell)|puzzling)\b"
        r"|\bi (?:don't|do not) (?:know|understand|see) (?:if|whether|why|how|what|where|yet|for sure)\b"
        r"|\bi (?:can't|cannot|couldn't) (?:tell|say|determine|verify|confirm|be sure)\b|\b(?P<start>(?:not sure"
        r"|unsure|unclear) (?:if|whether|why|how|what|where|about|yet)\b)"
        r"|\bi wonder (?:if|whether|why|how)\b|\bi have no idea\b|\bremains (?:unclear|to be seen)\b"
        r"|\b(?:ich bin (?:mir )?(?:nicht (?:ganz )?|un)sicher|unklar ist|ich weiß nicht|keine ahnung)\b"
        r"|\b(?:je ne suis pas (?:\w+ )?(?:sûre?|certaine?)|je ne sais pas)\b"
        r"|\b(?:no estoy (?:\w+ )?segur[oa]|no sé (?:si|por|cómo|qué)|no (?:está|queda) claro)\b|不(?:太)?确定"
        r"|不清楚|我不知道|说不准",
    ),
    (
        "self-verification",
        "check|verif|vérif|make sure|confirm|to be s|to be c|correct?|right?|true?|prüf|sicherheit|assurer|être sûr"
        "|comprobar|asegurarme|estar segur|再确认|再检查|核实|确认一下|验证一下",
        r"\b(?:let me|let's|i(?:'ll| will| should| need to| want to| have to"
        r"|'d better))(?: \w+)? (?:double[- ]check|re-?check|re-?verify|verify|sanity[- ]check|cross[- ]check"
        r"|make sure (?:that|i|we|this|it|my|the)|confirm (?:that|whether|if|this|my|it))\b"
        r"|\b(?P<start>double[- ]checking|verifying (?:that|whether|my|this))\b|\b(?:just )?to be (?:sure|safe"
        r"|certain)\b|\bis (?:that|this) (?:really |actually )?(?:right|correct|true)\?"
        r"|\b(?:lass mich (?:\w+ ){0,2}(?:überprüfen|nachprüfen|verifizieren)|ich (?:prüfe"
        r"|überprüfe) (?:das )?(?:nochmals?|noch einmal)|zur sicherheit|sicherheitshalber)\b"
        r"|\b(?:je vais|laisse[z]?-moi) (?:\w+ )?(?:vérifier (?:que|si)|revérifier|m'assurer)\b"
        r"|\bpour être sûre?\b|\b(?:voy a|déjame|permíteme) (?:\w+ )?(?:verificar (?:que|si)|comprobar (?:que|si)"
        r"|asegurarme)\b|\bpara estar segur[oa]\b"
        r"|再确认|再检查一[下遍]|核实一?下|确认一下|验证一下",
    ),
    (
        "hedge",
        "i think|i believe|i suspect|i guess|i assume|i suppose|i imagine|guess|i expect|d assume|my assum"
        "|d expect|suspicion|hunch|hypothesis|as far as|i recall|i remember|afaik|iirc|probabl|presumabl|perhaps"
        "|maybe|possibly"
        "|likely|it seems|it appears|looks like|seem|appear|might be|may be|could be|hopefully|glaube|denke"
        "|vermut|nehme an|wahrscheinlich|vielleicht|möglicherweise|scheint|anscheinend|könnte|je pense|je crois"
        "|je suppose|peut-être|sans doute|il semble|apparemment|il se peut|creo que|pienso que|supongo|sospecho"
        "|quizá|tal vez|posiblemente|parece|我觉得|我认为|我猜|我估计|可能是|也许|大概|或许|应该是|似乎|好像"
        "|看起来",
        r"\b(?:i (?:think|believe|suspect|guess|assume|suppose|imagine|expect|would (?:guess|assume|expect))"
        r"|i'd (?:guess|assume|expect)|my (?:guess|suspicion|hunch|hypothesis|assumption)|as far as i (?:know"
        r"|can tell)|if i (?:recall|remember)|afaik|iirc)\b"
        r"|\b(?:probably|presumably|perhaps|maybe|possibly|(?:most|very) likely|(?:is|are|was) likely"
        r"|likely (?:because|due|the|a|that|related)|it (?:seems|appears|looks like)|seems? (?:to|like|that)"
        r"|appears? to be|(?:this|that|it) (?:might|may|could) be|should hopefully)\b"
        r"|\b(?:ich (?:glaube|denke|vermute|nehme an)|vermutlich|wahrscheinlich|vielleicht|möglicherweise"
        r"|es scheint|anscheinend|könnte (?:sein|daran liegen))\b"
        r"|\b(?:je (?:pense|crois|suppose)|probablement|peut-être|sans doute|il semble|apparemment|il se peut)\b"
        r"|\b(?:(?:creo|pienso|supongo|sospecho) que|probablemente|quizás?|tal vez|posiblemente|parece que"
        r"|al parecer)\b"
        r"|我(?:觉得|认为|猜|估计)|可能是|也许|大概|或许|应该是|似乎|好像|看起来",
    ),
)
"""Each kind with stems, one of which any cue of it holds, and its cues; `start` counts only where a clause begins."""

_MARKS = tuple((kind, Cues.of(stems, cues)) for kind, stems, cues in _CUES)
_BEGINS = re.compile(r"(?:^|[.!?…—–:;,(\n。！？]|[.!?]\s?[)\"”]?)[\s*_#>-]*$")


def read_doubts(message: Message) -> Iterator[Fact]:
    """The markers of an assistant's message, in text and thinking, one per kind and sentence."""
    if message.role != "assistant":
        return
    kept = 0
    for piece in split_by_author(message):
        if piece.trust != "assistant" or not piece.prose:
            continue
        for kind, sentence, cue in _find_doubts(piece.text):
            yield Fact("marker", sentence, "assistant", piece.block, cue, kind)
            kept += 1
            if kept == DOUBTS_MOST:
                return


def _find_doubts(text: str) -> Iterator[tuple[str, str, str]]:
    for kind, cues in _MARKS:
        for sentence, found in cues.sentences(text):
            if not found.groupdict().get("start") or _begins_clause(text, found.start()):
                yield kind, sentence, found[0].lower()


def _begins_clause(text: str, at: int) -> bool:
    """Whether a clause begins here."""
    return _BEGINS.search(text, max(0, at - 8), at) is not None


def doubt_kinds(facts: Iterable[Fact]) -> set[str]:
    """Which of the five kinds these facts hold."""
    return {fact.note for fact in facts if fact.kind == "marker"}
