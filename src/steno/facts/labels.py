"""The words that programs and people put over another's text.

A page, a mail or a tool's output in a user's message often has a head instead of a tag: `Search
results:`, a line across the page, `From: … Subject: …`, the marks of a chat template. What stands
under it was not written by the person. `labelled_start` tells where the first of these begins.
In doubt a text is a tool's: a rule that is missed can be said again, a forged one binds.

A mark in disguise is a mark (`disguises`), and a letter that is not seen within a word makes a
machine's text of it.
"""

from __future__ import annotations

import re
from itertools import islice

from steno.facts.disguises import UNSEEN, next_disguise, other_reading_has
from steno.facts.languages.cues import any_of
from steno.facts.lazy_pattern import lazy_pattern

LABEL_MOST = 200
"""Characters of a line that are looked at."""
HEADED_MOST = 60

_UNSEEN_RUN = lazy_pattern(UNSEEN)
_HIDDEN = lazy_pattern(rf"(?<=[A-Za-z<]){UNSEEN}(?=[A-Za-z>])")

_SOURCES = any_of(
    "tools?|functions?|search(?:es)?|web|query|retriev(?:al|ed)|(?:sub-?)?agents?|browser|command",
    "api|mcp|plugin|scraped|fetched|crawled|pages?|web(?:site|page)s?|site|url|assistant|rag",
    "knowledge(?: base)?|external|stdout|stderr|shell|terminal|executions?|file|attached|ocr",
)
_HEARD = any_of(
    "outputs?|results?|responses?|contents?|observations?|findings|hits|matches|context|returned",
    "documents?|snippets?|passages?|excerpts?|chunks?|transcripts?|pages?|web(?:site|page)s?",
    "articles?|sources?|text|data|answers?|repl(?:y|ies)|messages?|reports?|summar(?:y|ies)|files?",
)
_ALONE = any_of(
    "observations?|context|results?|outputs?|pages?|webpages?|documents?|snippets?|passages?",
    "articles?|chunks?|excerpts?|transcripts?|sources?|tool|function|(?:sub-?)?agent|stdout|stderr",
    "url|ocr|content|attachments?|text in the (?:image|picture|screenshot|photo)",
    "suchergebnis(?:se)?|ergebnis(?:se)?|werkzeug\\w*+|kontext|dokumente?|seiteninhalt|webseite",
    "(?:ausgabe|ergebnis(?:se)?|antwort) de[rs] (?:werkzeugs?|tools?|befehls|suche|agenten)",
    "résultats?|contexte|résultats? d[eu] (?:la )?recherche|contenu de la page",
    "(?:sortie|résultats?|réponse) (?:de l['’]|de la |du )(?:outil|commande|agent|recherche)",
    "resultados?|contexto|resultados? de (?:la )?búsqueda|contenido de la página",
    "(?:salida|resultados?|respuesta) de(?:l| la) (?:herramienta|comando|agente|búsqueda)",
    "результат\\w*+(?: поиска)?|контекст|содержимое страницы|вывод инструмента|документ",
    "搜索结果|检索结果|工具输出|工具结果|上下文|网页内容|观察|検索結果|ツールの出力|文脈",
)
_OPENS = r"[\s>*#\[({\"'=_-]*+"
_LABEL = lazy_pattern(
    rf"{_OPENS}(?:(?:here (?:is|are)|this is|the|these are|following|below is) )*+"
    rf"(?:(?:[\w'’.-]++[ \t_-]){{0,2}}?(?:{_SOURCES})(?:[^\W_]|['’.])*+[ \t_-]"
    rf"(?:[\w'’.]++[ \t_-]){{0,2}}?(?:{_HEARD})\b"
    rf"|(?:{_HEARD})[ \t]+(?:from|by|of|for|returned)\b|(?:copied|pasted|quoted|taken|forwarded)"
    r"[ \t]from\b"
    rf"|(?:{_ALONE})(?=[ \t]*+(?:\d+[ \t]*+)?[\])*\"'_]*+[ \t]*+[:：\]]))"
    r"[^:：\]\n]{0,80}[:：\]]",
    re.I,
)
"""How programs label what they pass on; people rarely begin a line so."""
_HEADED = lazy_pattern(
    rf"[\s*#=_(<-]*+(?:(?:{_SOURCES})[ \t_-](?:{_HEARD})|(?:stdout|stderr)(?=[ \t]*+>)"
    r"|(?:page|passage|document|chunk|snippet|result|source|excerpt)"
    r"[ \t]#?\d{1,4}(?:[ \t]?(?:of|/)[ \t]?\d{1,4})?)[\s*#=_)>–—-]*+$",
    re.I,
)
"""The same words alone on a line, as a heading has them."""
_HEADED_ENDS = "*#=_-)>–—"
_TEXTS = any_of(
    "page|website|webpage|site|article|e?mail|message|document|readme|tool|file|log|output|post",
    "comment|ticket|pdf|screenshot|policy|docs?|documentation|wiki|manual|handbook|rule ?book|spec",
    "contract|letter|memo|notice|terms",
)
_SAYS_ELSEWHERE = lazy_pattern(
    r"[^:：\n]{0,60}?\b(?:mail|nachricht|seite|webseite|dokument|kommentar|text|message|courriel"
    r"|page"
    r"|document|article|texte|mensaje|correo|página|documento|artículo|texto)\b[^:：\n]{0,30}?"
    r"\b(?:lautet|sagt|besagt|dit|indique|dice|indica|diz)\b[^:：\n]{0,20}[:：]",
    re.I,
)
_SAYING = ("lautet", "sagt", "dit", "indi", "dice", "diz")
"""Letters of the verbs in that, for a text of plain letters."""
_SAYS = lazy_pattern(
    rf"[\s>*-]*+(?:(?:the|this|that|its|their|a) (?:[\w-]++ ){{0,2}}?(?:{_TEXTS})"
    r" (?:says|said|states|stated|reads|tells (?:me|you|us)|goes)\b"
    rf"|according to (?:the|this|that|its|their) (?:[\w-]++ ){{0,2}}?(?:{_TEXTS})\b)",
    re.I,
)
"""How people relay what a text says."""
_TEMPLATE = lazy_pattern(
    r"[ \t]*+(?:<\|[a-z_]{2,30}\|>|<<SYS>>|\[/?(?:INST|SYSTEM|SYSTEM PROMPT)\]|<!\[CDATA\["
    r"|BEGIN:[A-Z]{5,}|#{1,6} (?:System|Assistant|Human)(?: (?:prompt|message))?:?[ \t]*+$"
    r"|(?:user|human|assistant): |(?:System|Assistant|Human|User|SYSTEM|ASSISTANT|HUMAN|USER"
    r"|DEVELOPER|TOOL)"
    r"(?: (?:prompt|message))?:)"
)
"""Marks of chat templates and of data: whose turn it is is not the person's to say."""
_DIVIDER = lazy_pattern(
    r"[ \t]{0,3}(?:([-=*_~+])\1{2,}+[ \t]*+$|(?:[*_-] ){2,}[*_-][ \t]*+$"
    r"|([-=~+<>#])\2{2,}+[^\n]{0,120}?\2{2,}[ \t]*+$"
    r"|<!--[^\n]{0,160}?-->[ \t]*+$)"
)
"""A line across the page, with words in it or without; what follows was put there."""
_RULED = "-=*_~+<>#"
_WROTE = lazy_pattern(
    r".{0,120}?(?:\b(?:wrote|writes|schrieb|écrit|escribió|escreveu|scritto|schreef|skrev|kirjoitti"
    r"|napisał(?:\(a\)|a)?|napsala?|yazdı|пишет|писала?|написала?)|写道|寫道|のメール"
    r"|님이 작성|كتب)[^:：\n]{0,60}[:：][ \t]*+$"
)
_FILE = lazy_pattern(
    r"[ \t]*+(?:(?:attached )?(?:file(?:name)?|path|attachment)[ \t]*+[:：][ \t]*+|#{1,6} `?)"
    r"[\w./\\-]{1,80}\.[A-Za-z]\w{0,5}`?:?[ \t]*+$"
    r"|[ \t]*+\[\d{1,3}\]:? https?://\S++[ \t]*+$"
    r"|@@ [-+,\d ]{3,40} @@|commit [0-9a-f]{6,40}[ \t]*+$",
    re.I,
)
"""The head of a file, of a numbered source, of a piece of a diff or of a commit."""
_SENDER = any_of(
    "From|Von|De|Da|Van|Od|Från|Fra|Lähettäjä|Feladó|De la|Kimden|Gönderen|Dari|Từ|Người gửi|Από",
    "От кого|От|Отправитель|Від|发件人|寄件者|寄件人|差出人|送信者|보낸 ?사람|보낸이|من|المرسل|از",
    "מאת|प्रेषक|จาก",
)
_HEADER = any_of(
    "Subject|Betreff|Objet|Asunto|Assunto|Oggetto|Onderwerp|Temat|Předmět|Ämne|Emne|Aihe|Tárgy",
    "Subiect|Konu|Perihal|Chủ đề|Θέμα|Тема|主题|主旨|件名|제목|الموضوع|נושא|موضوع|विषय|เรื่อง",
    "To|An|À|Para|A|Aan|Do|Komu|Till|Til|Kime|Кому|收件人|宛先|받는 ?사람|إلى|Cc",
    "Date|Datum|Data|Fecha|Tarih|Дата|日期|日付|날짜|التاريخ",
    "Sent|Gesendet|Envoyé|Enviado|Inviato|Verzonden|Wysłano|Gönderildi|Отправлено|送信日時",
    "보낸 ?날짜",
)
_MAIL = lazy_pattern(
    rf"^[ \t>*]*+(?:(?:{_SENDER})[ \t]?[:：].++\n(?:.++\n){{0,4}}?[ \t>*]*+(?:{_HEADER})"
    rf"|(?:{_HEADER})[ \t]?[:：].++\n[ \t>*]*+(?:{_SENDER}))[ \t]?[:：]",
    re.M,
)
_TOLD = any_of(
    "mensagem|artigo|comentário|messaggio|testo|articolo|commento|bericht|opmerking|tekst van",
    "treść|treści|wiadomość|artykuł|komentarz|zpráva|mesaj\\w*|metni?|yorum\\w*|sayfanın|içeriği",
    "e-posta\\w*|e-?posten|mailet|mailen|beskeden|meldingen|meddelandet?|viesti|üzenet\\w*|poruka",
    "сообщени\\w+|текст|письм\\w+|стать\\w+|комментари\\w+",
    "повідомлення|μήνυμα|κείμενο|הודעה|טקסט|رسالة|الرسالة|نص|النص|مقال|تعليق|संदेश|ข้อความ|pesan",
    "tin nhắn|văn bản",
)
"""What a text is called, in languages whose own rules are not read here."""
_TOLD_UNSPACED = (
    "メール|本文|の内容|記事|ページ|コメント|メッセージ|文書|메시지|메일|본문|내용|기사|페이지|댓글"
)
_WORK_ON = any_of(
    "translate|summari[sz]e|proofread|paraphrase|übersetze|übersetzen|fasse|korrigiere|traduis",
    "traduisez|résume|résumez|corrigez|traduce|resume (?:esto|este|el|la|lo)|traduza|resuma",
    "traduci|riassumi|correggi|vertaal|vat (?:dit|deze|het|de)|przetłumacz|streść|podsumuj|popraw",
    "přelož|shrň|översätt|sammanfatta|oversæt|käännä|fordítsd|переведи(?:те)?|перескажи|резюмируй",
    "переклади|μετάφρασε|תרגם|סכם|ترجم|ترجمي|لخص|لخصي|terjemahkan|ringkas|dịch",
    "(?:[\\w'’]++[ \\t]){0,4}?(?:çevir|özetle)",
)
_WORK_UNSPACED = any_of(
    "(?:请|請|帮我|请帮我)?(?:翻译|翻譯|总结|總結|概括)(?:一下|下面|以下|这|這|成|为)?[^:：，。！？\\n]{0,12}",
    "[^:：、。！？\\n]{0,12}(?:翻訳|要約|校正)(?:して(?:ください)?)?",
    "[^:：.!?\\n]{0,12}(?:번역|요약|교정)(?:해\\s?(?:줘|주세요)?|하세요|하기)?",
)
_PLEASE = (
    "please|bitte|por favor|can you|could you|kannst du|puedes|peux-tu|per favore|proszę|lütfen"
)
_GIVEN = lazy_pattern(
    rf"(?:[\w'’(-]++[ \t]){{0,5}}?(?:{_TOLD})(?:[ \t][\w'’)-]++){{0,4}}[ \t]?[:：]"
    rf"|(?:(?:{_PLEASE}|пожалуйста),? )?(?:{_WORK_ON})(?:[ \t][\w'’-]++){{0,4}}[ \t]?[:：]"
    rf"|(?:(?:{_PLEASE}|пожалуйста),? )?(?:{_WORK_ON})\b[^:：.!?\n]{{0,80}}[:：][ \t]*+$",
    re.I,
)
"""How people hand over a text: by what it is, or by what to do with it."""
_GIVEN_UNSPACED = lazy_pattern(
    rf"[^:：。！？.!?\n]{{0,24}}?(?:{_TOLD_UNSPACED})[^:：。！？.!?\n]{{0,6}}[:：]"
    rf"|(?:{_WORK_UNSPACED})[:：]"
)
"""The same in languages without spaces, and without capital letters."""


def labelled_start(text: str, most: int) -> int:
    """Return where words that a program or a mail puts over another's text begin, or the end.

    A place behind `most` need not be found.
    """
    if text.isascii():
        return _seen_start(text, most)
    seen = _UNSEEN_RUN.sub("", text)
    start = _seen_start(seen, most)
    if len(seen) == len(text):
        return start
    starts = [len(text)]
    if start < len(seen):
        shown = (at for at, letter in enumerate(text) if not _UNSEEN_RUN.match(letter))
        # What is not seen before a mark belongs to it.
        starts.append(text.rfind("\n", 0, next(islice(shown, start, None))) + 1)
    if hidden := _HIDDEN.search(text):
        starts.append(text.rfind("\n", 0, hidden.start()) + 1)
    return min(starts)


def _seen_start(text: str, most: int) -> int:
    starts = [len(text)]
    if mail := _MAIL.search(text):
        starts.append(mail.start())
    at = mark = 0
    for line in text.splitlines(keepends=True):
        if at >= most:
            break
        if at > mark:
            mark = next_disguise(text, at)
        head = line[:LABEL_MOST]
        is_marked = at + len(head) > mark or " _" in head or head[0] == "_"
        if _begins_a_text(head) or (is_marked and other_reading_has(_begins_a_text, head)):
            starts.append(at)
            break
        at += len(line)
    return min(starts)


def relays(line: str) -> bool:
    """Tell whether a line says what some text says."""
    # Most lines begin with another letter, and this is asked of every line.
    if line.lstrip(" \t>*-")[:1] not in "TtAaIi":
        return False
    return _SAYS.match(line[:LABEL_MOST]) is not None


def _hands_over(head: str) -> bool:
    """Tell whether a line with a colon announces a text that follows."""
    if _GIVEN.match(head.lstrip()):
        return True
    if head.isascii():
        low = head.lower()
        return any(map(low.__contains__, _SAYING)) and _SAYS_ELSEWHERE.match(head) is not None
    return bool(_GIVEN_UNSPACED.match(head.lstrip()) or _SAYS_ELSEWHERE.match(head))


def _begins_a_text(head: str) -> bool:
    """Tell whether a line stands over a text of others; each search is for what it needs."""
    first = head.lstrip()[:1]
    if first in _RULED and _DIVIDER.match(head):
        return True
    has_colon = ":" in head or "：" in head
    if (has_colon or "]" in head) and _LABEL.match(head):
        return True
    last = head.rstrip()
    # A quotation whose every line is marked ends where the marks do.
    ends_in_colon = first != ">" and last.endswith((":", "："))
    if ends_in_colon and (_WROTE.match(head) or relays(head)):
        return True
    if has_colon and _hands_over(head):
        return True
    if first in "<[#BSAHUDTuha" and _TEMPLATE.match(head):
        return True
    if first in "#[@FfPpAaCc" and _FILE.match(head):
        return True
    # Most lines of code end with another mark.
    if len(last) >= HEADED_MOST or not (last[-1:].isalnum() or last[-1:] in _HEADED_ENDS):
        return False
    return _HEADED.match(last) is not None
