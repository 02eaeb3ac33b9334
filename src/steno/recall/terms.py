"""The terms that a text is found by, made here so that SQLite need not understand language.

A word becomes its stem. A name is found whole and by its parts (`snake_case`, `camelCase`,
the parts of a path); Chinese, Japanese and Korean, written without spaces, by pairs of
characters. How often a term occurs in a text is a term of its own (`2·word`), so that ranking
needs nothing but lists of rows. Change `VERSION` with any of this, or with the texts that get
vectors: an index of another version is built anew.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, pairwise

VERSION = 6
TERM_MOST = 64
"""Letters of a term; a longer one is data, and is found by its beginning."""
OFTEN = (2, 3, 5)
"""A term that occurs this often gets another term that says so."""
STEMS_KEPT = 65_536

_NAME = re.compile(r"\w+")
_ASCII_GAPS = {at: " " for at in range(128) if not _NAME.match(chr(at))}
_JOINED = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z_0-9]+|[0-9]+")
# Kana, Han and Hangul.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
_RUN = re.compile(f"[{_UNSPACED}]+")
_HAS_RUN = re.compile(f"[{_UNSPACED}]")
_LONE = re.compile("[\ud800-\udfff]")
_VOWEL = re.compile("[aeiouy]")

_STOP = """
a about after again all also am an and any are as at be because been before being between both
but by can could did do does doing done each for from had has have having he her here hers him
his how i if in into is it its itself just me more most my myself no nor not now of off on once
only or other our ours out over own same she should so some such than that the their theirs them
then there these they this those through to too under until up us very was we were what when
where which while who whom why will with would you your yours many much one ones s t ve re d ll
m don didn doesn isn wasn
"""
# Only words that mean nothing in English: "die", "war", "hat" or "son" may be what is asked for.
_STOP_ELSEWHERE = """
der das den dem des ein eine einen einem einer und oder ist sind wird werden wurde haben habe ich
du wir ihr mein meine unser unsere im am zu mit von bei für auf nach wer wie wo wann warum welche
welcher
le la les un une du de et ou est sont dans que qui quoi quand où pourquoi comment quelle quel mon
ma mes notre nos je tu nous vous il elle
el los las una unos es en por para qué quién cuándo dónde adónde cómo cuál mi mis nuestro nuestra
nuestras yo tú se del al su sus
"""
STOP = frozenset((_STOP + _STOP_ELSEWHERE).split())
"""Words that do not tell what a question is about."""
_ASKING = """
remind remember wonder recall previous previously conversation chat discussion discuss mention said
told tell talk ask asked follow looking going back confirm specific specifically total different
provide list order throughout summary brought aspect question know think currently recently based
across include
gesagt besprochen gesprochen erwähnt gemacht erinnere dit parlé discuté mentionné fait rappelle
dicho dijimos hablamos hablado mencionado hicimos recuerda
"""
_IRREGULAR = """
bring:brought build:built buy:bought catch:caught choose:chose,chosen come:came do:did,done
draw:drew,drawn drink:drank,drunk drive:drove,driven eat:ate,eaten fall:fell,fallen feel:felt
find:found fly:flew,flown forget:forgot,forgotten get:got,gotten give:gave,given go:went,gone
grow:grew,grown hear:heard hold:held keep:kept know:knew,known leave:left lend:lent lose:lost
make:made meet:met pay:paid ride:rode,ridden ring:rang,rung rise:rose,risen run:ran say:said
see:saw,seen sell:sold send:sent sing:sang,sung sit:sat sleep:slept speak:spoke,spoken spend:spent
stand:stood steal:stole,stolen swim:swam,swum take:took,taken teach:taught tell:told think:thought
throw:threw,thrown understand:understood wear:wore,worn win:won write:wrote,written
child:children person:people man:men woman:women
"""
# "How old was I?" is answered by "I just turned 32". Words of a question, and of its answers.
_RELATED = """
old age older: age old year turned born birthday
cost spend price pay money expensive: cost spent paid price bought dollars
long duration: hours minutes weeks months days years
attend participate event: attended participated volunteered went joined event
buy purchase got acquire: bought got purchased ordered picked
movie film: movie film watched cinema theater series
music concert song band: music concert band album song festival live
instrument: guitar piano violin drums keyboard
book novel: book novel reading author finished
art artwork: art museum gallery exhibition painting
museum gallery: museum gallery exhibition exhibit tour
charity fundraiser: charity donated raised volunteered fundraiser
sport: game match tennis soccer basketball football race
exercise workout fitness gym: workout gym yoga run exercise training class
hike: hike trail mile park
run race marathon: race marathon 5k run training
bike bicycle cycling: bike cycling ride
trip travel vacation holiday: trip flight hotel visited traveled vacation
travel visit: visited trip went traveled
flight airline fly: flight flew airline airport
hotel accommodation stay: hotel airbnb stayed hostel booked
car vehicle: car drive vehicle
commute: commute drive bus train work
clothes outfit: shirt jacket dress jeans boots shoes sweater
jewelry: necklace ring earrings bracelet
shoes sneakers: shoes sneakers boots
furniture: couch table chair desk bookshelf mattress dresser
kitchen appliance: fryer toaster oven blender mixer microwave
device gadget: phone laptop tablet watch camera
phone smartphone: phone iphone android samsung
computer laptop: laptop computer macbook
photography photo: camera photos lens pictures
plant garden: plant garden tomatoes herbs flowers
pet: dog cat puppy kitten
family relative: mom dad sister brother cousin parents
sibling: brother sister
parent: mom dad mother father parents
kid child: kids son daughter baby
wedding married: wedding married bride ceremony
birthday party: birthday party celebrated gift
gift present: gift bought present birthday
doctor medical health: doctor appointment clinic diagnosed physician hospital
dentist: dentist appointment
medicine medication: medication prescribed pills
illness sick: sick flu cold fever
job career work position role occupation: job work company hired started promoted
degree graduate college university: degree graduated university college school
class course: class course workshop lessons enrolled
meal dinner lunch breakfast food eat: dinner lunch restaurant cooked ate food
cook recipe: cooked made recipe dish baked
bake cake: baked cake cookies bread
restaurant: restaurant ate dinner food
drink cocktail: cocktail coffee wine drink
home house apartment: house apartment moved home
move relocate: moved apartment house
repair fix: fixed repaired replaced
social media: instagram facebook tiktok twitter youtube followers
magazine newspaper subscription: subscription magazine subscribe
language: spanish french language learning
sleep wake bed: sleep wake bed woke
bank budget save: budget saved bank
sell: sold market earned
earn income salary: earned salary income made
lend borrow: lent borrowed loan
win award prize: won award prize first
hobby: collection collecting painting hobby
collect collection: collection collect rare
church religious: church service mass
start begin began: started began since
finish complete: finished completed done
"""


def valid_text(text: str) -> str:
    """Replace half characters, which UTF-8, and so SQLite, cannot hold."""
    if text.isascii():
        return text
    return _LONE.sub("�", text)


def terms_of(text: str) -> list[str]:
    """Return every term of a text, as often as it occurs."""
    return list(_each_term(text))


def _each_term(text: str) -> Iterator[str]:
    return chain.from_iterable(map(name_terms, _names_in(text)))


def _names_in(text: str) -> list[str]:
    """Return the runs of letters, digits and underscores in a text."""
    if text.isascii():
        # The same as the pattern finds, in less than half the time.
        return text.translate(_ASCII_GAPS).split()
    return _NAME.findall(text)


def index_terms(text: str, call: str = "") -> tuple[str, int]:
    """Return the terms to index for a text, and how many terms it has.

    A result is found by the words of its call too. They count for its size, or "Done." would
    rank before every result that says something.
    """
    counts = Counter(_each_term(text))
    called = terms_of(call)
    often = [
        f"{times}·{term}"
        for term, count in counts.items()
        if count > 1
        for times in OFTEN
        if count >= times
    ]
    terms = dict.fromkeys([*counts, *called])
    return " ".join([*terms, *often]), counts.total() + len(called)


def query_terms(query: str) -> list[str]:
    """Return the terms of a query, each once; without stop words if any others are left."""
    names = _NAME.findall(valid_text(query))
    # In capitals it is a name: US, IT, LA.
    content = [
        name for name in names if name.lower() not in STOP or (name.isupper() and len(name) > 1)
    ]
    terms: list[str] = []
    for name in content or names:
        terms += _without_run_ends(name_terms(name))
    return list(dict.fromkeys(terms))


def related_terms(terms: Iterable[str]) -> list[str]:
    """Return the terms that what answers a question often holds, each once."""
    return list(dict.fromkeys(found for term in terms for found in _ANSWERS.get(term, ())))


def _without_run_ends(terms: tuple[str, ...]) -> Iterator[str]:
    """Leave out the last character of a run; the pair before it ends with it already."""
    for before, term in pairwise(("", *terms)):
        is_run_end = len(term) == 1 and len(before) == 2 and before.endswith(term)
        if not (is_run_end and is_unspaced(term)):
            yield term


def is_unspaced(text: str) -> bool:
    """Tell whether a text begins in a script without spaces between words."""
    return _HAS_RUN.match(text) is not None


# Most names of a text were seen before, so this saves most of the stemming.
@lru_cache(maxsize=STEMS_KEPT)
def name_terms(name: str) -> tuple[str, ...]:
    """Return the terms of one run of letters, digits and underscores."""
    if _HAS_RUN.search(name):
        return tuple(_mixed_terms(name))
    if name.islower() and "_" not in name:
        return (stem(name[:TERM_MOST]),)
    stripped = name.strip("_")
    if not stripped:
        return ()
    parts: list[str] = []
    for joined in _JOINED.findall(name):
        parts += _HUMP.findall(joined) or [joined]
    whole = _term(stripped)
    if len(parts) < 2:
        return (whole,)
    return (whole, *(_term(part) for part in parts))


def _term(part: str) -> str:
    return stem(part.lower()[:TERM_MOST])


def _mixed_terms(name: str) -> Iterator[str]:
    """Yield pairs of characters, and the last one alone.

    So each character begins a term, and a single one is found by its prefix.
    """
    start = 0
    for run in _RUN.finditer(name):
        if run.start() > start:
            yield from name_terms(name[start : run.start()])
        text = run[0]
        for at in range(len(text) - 1):
            yield text[at : at + 2]
        yield text[-1]
        start = run.end()
    if start < len(name):
        yield from name_terms(name[start:])


def stem(word: str) -> str:
    """Return an English word without its ending; other words mostly stay as they are."""
    return _REGULAR.get(word) or _without_ending(word)


def _without_ending(word: str) -> str:
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    word = _singular(word)
    for ending in ("ingly", "edly", "ing", "ed", "ly"):
        left = word[: -len(ending)]
        if len(word) > 4 and word.endswith(ending) and len(left) > 2 and _VOWEL.search(left):
            word = left
            # running, stopped: the consonant was doubled for the ending.
            if len(left) > 3 and left[-1] == left[-2] and left[-1] not in "lsz":
                word = left[:-1]
            break
    if len(word) > 3 and word[-1] == "e":
        return word[:-1]
    if len(word) > 3 and word[-1] == "y":
        return word[:-1] + "i"
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    if word[-1] == "s" and word[-2] not in "us":
        return word[:-1]
    return word


def _regular_stems() -> dict[str, str]:
    """Return the stem of each irregular form."""
    stems: dict[str, str] = {}
    for entry in _IRREGULAR.split():
        word, forms = entry.split(":")
        stems |= dict.fromkeys(forms.split(","), _without_ending(word))
    return stems


def _answer_terms() -> dict[str, tuple[str, ...]]:
    """Return the terms of answers, by the terms of questions."""
    answers: dict[str, tuple[str, ...]] = {}
    for line in _RELATED.strip().splitlines():
        asked, said = line.split(":")
        terms = tuple(map(stem, said.split()))
        answers |= {term: answers.get(term, ()) + terms for term in map(stem, asked.split())}
    return answers


_REGULAR = _regular_stems()
_ANSWERS = _answer_terms()
ASKING = frozenset(map(stem, _ASKING.split()))
"""Stems of words that belong to the asking more than to what is asked for."""
