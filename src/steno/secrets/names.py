"""Secrets that their names give away: `db_pass=…`, `--token …`, `the password is …`.

Three questions in turn: does a word name a secret (`token_count` does not), does something tie
it to a value (`=`, `is`, a cell of a table), and does the value look like one (`<your-token>`
does not)? The kind of a name decides how much a value must show. Repetitions in patterns are
bounded, because texts can be hostile; large patterns are compiled when they are first needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from steno.core.word_tables import word_tuple, words_of
from steno.secrets.keys import compiled, stand_in


class Named(Enum):
    """What a name promises."""

    PASSWORD = "password"
    """A value that a person may have chosen: also a word, if it stands in quotation marks."""
    SECRET = "secret"
    """A password, or the name of an object that holds one: `kubernetes-prod-v2`."""
    PASS = "pass"
    """A password, or a test that passed."""
    KEY = "key"
    """A value that a machine made: it has a digit, and is no chain of words."""
    TOKEN = "token"
    """Maybe a word of a text, maybe a key: only what looks random counts."""
    WEAK = "credential"
    """As a token, and an identifier (UUID) is none."""
    PIN = "pin"
    """Four to eight digits."""
    CVV = "cvv"
    """Three or four digits."""


CHOSEN = (Named.PASSWORD, Named.SECRET)
"""Names of what a person may have chosen."""
_FOREIGN = word_tuple(
    "mot de passe|contraseña|contrasena|senha|kennwort|wachtwoord|hasło|haslo|lösenord|adgangskode"
    "|salasana|heslo|parola|şifre|sifre|jelszó|clave|пароль|密码|密碼|口令|パスワード|비밀번호"
    "|كلمة المرور|كلمة السر|סיסמה|mật khẩu|κωδικός|kata sandi",
    "|",
)
_STEMS = (
    *word_tuple("pass pwd secret token key cred auth psk psw pw pin otp cvv cvc dsn pat"),
    *word_tuple("verification code|security code|confirmation code|access code|login code", "|"),
    *word_tuple("sms code|mfa code|2fa code|one-time code|pass phrase", "|"),
    *_FOREIGN,
)
"""What every name of a secret holds, in small letters."""
_ASCII_STEMS = tuple(filter(str.isascii, _STEMS))
_WHOLE_STEMS = words_of("pw pin otp cvv cvc dsn pat")
"""Stems that are too short to count within a longer word."""
_NAME_SIGNS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_NAME_REST = re.compile(r"[A-Za-z0-9_-]{0,60}")
NAME_MOST = 60
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WHICH = words_of(
    "base prod production dev staging test live old new primary secondary backup value val plain "
    "plaintext raw default current confirm confirmation repeat again literal env str string text"
)
"""Which of several secrets a name means; `_FILE`, `_ID`, `_hash` say that it holds none."""
_PASSWORD = (
    r"\w*(?:password|passwd|passphrase|passcode|passwort|passord|kennwort|wachtwoord|contrasena)"
    r"|\w*pwd|psw|pswd|passw|pword|senha|haslo|heslo|salasana|adgangskode|parola|sifre"
    r"|pw|psk|(?:db|ssh|user|my|root|smtp|mail|ftp|key|store|require|master|wifi|auth|admin"
    r"|bind|http|login|vault|sudo|become|pg|sql|mysql|redis|mongo|ldap|proxy|sa)(?:pass|pw)"
)
_KEY_OF = word_tuple(
    "api access secret private account signing encryption encrypt decrypt master shared auth app "
    "application service admin storage deploy hmac aes jwt crypto webhook ingest license client "
    "subscription server root session maps write consumer"
)
_KEY = rf"\w*(?:{'|'.join(_KEY_OF)})key"
_QUALIFIED_KEY = rf"(?i)\b(?:{'|'.join(_KEY_OF)}) \Z"
_TOKEN_OF = words_of(
    "access auth refresh session private id api bearer secret deploy security personal registration"
    " github gitlab slack npm bot vault pypi discord telegram csrf xsrf gh plex oauth jwt user"
)
_NO_TOKEN = words_of(
    "public page next max min start end eos bos pad mask unk special num per total input output "
    "prompt completion cancellation cancel prev first last sep cls stop continuation sync image "
    "lookahead design syntax lexer speaker begin request action idempotency"
)
_PIN_SIZES = {Named.PIN: range(4, 9), Named.CVV: range(3, 5)}
_CODES = words_of("verification security confirmation access login sms mfa fa time otp auth pin")
_TURNS = words_of("first second third two single multi")
"""Which pass of a program over its input a name means."""
_SCREAMING = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


@lru_cache(4_096)
def what_it_names(name: str) -> Named | None:
    """Return what kind of secret a name promises, None if it names something else."""
    words = [part.lower() for part in _PARTS.findall(name)]
    while len(words) > 1 and (words[-1] in _WHICH or words[-1].isdigit()):
        words.pop()
    before, last = ["", "", *words][-2:]
    if name.lower() in _FOREIGN or (before, last) in (("pass", "phrase"), ("pass", "word")):
        return Named.PASSWORD
    if last in ("pin", "otp", "totp") or (last == "code" and before in _CODES):
        return Named.PIN
    if last in ("cvv", "cvc"):
        return Named.CVV
    if last == "pass" and before in _TURNS:
        return None
    if last in ("pass", "secret") and not before:
        return Named(last)
    if last == "pass" or last.endswith("secret") or compiled(_PASSWORD).fullmatch(last):
        return Named.PASSWORD
    if last.endswith("key"):
        return _kind_of_key(name, before, last)
    if last.endswith("token"):
        return _kind_of_token(before, last)
    if last in ("credential", "credentials", "creds", "cred", "auth"):
        return Named.WEAK
    if last in ("pat", "dsn") and _SCREAMING.fullmatch(name):
        return Named.WEAK
    return None


def _kind_of_key(name: str, before: str, last: str) -> Named | None:
    if compiled(_KEY).fullmatch(last) or (last == "key" and before in _KEY_OF):
        return Named.KEY
    if last == "key" and before != "public" and _SCREAMING.fullmatch(name):
        return Named.WEAK
    return None


def _kind_of_token(before: str, last: str) -> Named | None:
    if before in _NO_TOKEN:
        return None
    if last == "token" and before not in _TOKEN_OF:
        return Named.TOKEN
    if last.removesuffix("token") in _TOKEN_OF | {""}:
        return Named.KEY
    return None


class NameSite(NamedTuple):
    """Where the name of a secret stands, and what it promises."""

    start: int
    stop: int
    name: str
    names: Named


def secret_names(text: str) -> Iterator[NameSite]:
    """Yield where names of secrets stand, from the first to the last."""
    low = text.lower()
    if len(low) != len(text):
        # The only letter that is longer in small.
        low = text.replace("İ", "i").lower()
    done = 0
    for start, _, stem in sorted(_stems_in(low)):
        if start < done:
            continue
        stop = start + len(stem)
        if stem.isascii():
            start, stop = _whole_name(text, start, stop, done)
        done = stop
        name = text[start:stop]
        names = what_it_names(name)
        # A word before it says what it is for: `API key`.
        if name.lower() == "key" and compiled(_QUALIFIED_KEY).search(
            text, max(start - 14, 0), start
        ):
            names = Named.KEY
        if names is not None:
            yield NameSite(start, stop, name, names)


def _stems_in(low: str) -> Iterator[tuple[int, int, str]]:
    """Yield where stems stand, in an order that puts the longer of two first."""
    stems = _STEMS
    if low.isascii():
        stems = _ASCII_STEMS
    for stem in stems:
        at = low.find(stem)
        while at >= 0:
            stop = at + len(stem)
            if stem not in _WHOLE_STEMS or not low[stop : stop + 1].isalpha():
                yield at, -len(stem), stem
            at = low.find(stem, stop)


def _whole_name(text: str, start: int, stop: int, least: int) -> tuple[int, int]:
    """Return where the identifier begins and ends that holds a stem."""
    least = max(least, start - NAME_MOST)
    while start > least and text[start - 1] in _NAME_SIGNS:
        start -= 1
    rest = _NAME_REST.match(text, stop)
    if rest is not None:
        stop = rest.end()
    return start, stop


_LINK = r"""(?x)
    (?P<marked> \\{0,4}["'`] )? [\])}*_]{0,3}
    (?:
      (?P<pair> (?: ,\s{0,20} | [ \t][^<>\n]{0,80}?[ \t] | \s{1,20} )
        ["']? [Vv]al(?:ue)? ["']? [ \t]{0,4} [:=] [ \t]{0,4}
        | </\w{1,20}> \s{0,40} <[Vv]alue> \s{0,40} )
    | (?P<typed> [ \t]{0,8} : [ \t]{0,4} (?: &(?:'static[ ])? )? [A-Za-z][\w.\[\]|?!]{0,40}
        [ \t]{0,8} = (?!=) [ \t]{0,8}
        | [ \t](?:string|str|As[ ]String)[ \t]{0,8} = [ \t]{0,8} )
    | (?P<same> [ \t]{0,8} [!=]==? [ \t]{0,8} )
    | (?P<within> [ \t]{0,8} [:=] (?:
        (?: \s{0,40} \{ [^{}]{0,120}? (?<![\w-]) ["']? (?:value|val|data|plaintext) ["']?
          [ \t]{0,4} [:=] ){1,3} [ \t]{0,8}
        | [ \t]{0,4} \r?\n [ \t]{1,40} (?:value|val|plaintext) [ \t]{0,4} : [ \t]{1,8} ) )
    | (?P<block> [ \t]{0,8} : [ \t]{0,8} [|>][+-]? [ \t]{0,8} \r?\n [ \t]{1,40} )
    | (?P<below> [ \t]{0,8} [:：][*_]{0,3} [ \t]{0,8} \r?\n [ \t]{0,40} )
    | (?P<arrow> [ \t]{0,20} (?: -> | → ) [ \t]{0,20} )
    | (?P<set> [ \t]{0,20} (?:=> | :{1,3}=|\?\??=|\|\|=|[.+]= | <- | [:=：] | %3[AaDd] )
        [*_]{0,3} [ \t]{0,20} (?: !!str [ \t]{1,4} )? (?: \\?\r?\n [ \t]{0,40} (?=["'(]) )? )
    | (?P<or> [ \t]{0,8} (?: \|\| | \?\? | \?: | \bor\b ) [ \t]{0,8} )
    | (?P<comma> [ \t]{0,8} , [ \t]{0,8} )
    | (?P<cell> [ \t]{0,80} \| [ \t]{0,80} )
    | (?P<element> [ \t]{0,4} > )
    | (?P<call> \( [ \t]{0,8} )
    | (?P<said>
        (?: [ \t]{1,4} (?:for|of|to|on|at|für|von|pour|de|para|voor|per)
            (?: [ \t]{1,4} [\w'./@-]{1,40} ){1,3}? )?
        (?: [ \t]{1,4} (?:is|ist|lautet|est|es|é|è|jest|är|er|je|este|это) [ \t]{0,4} :? [ \t]{1,4}
          (?: now [ \t]{1,4} )?
          | [ \t]{0,4} [是为為は] [:：]? [ \t]{0,4}
          | [ \t]{1,4} (?: (?:has[ ]been|was|is) [ \t]{1,4} )?
            (?:set|changed|reset|updated) [ \t]{1,4} to [ \t]{1,4}
          | [ \t]{1,4} to [ \t]{1,4}
          | [ \t]{0,4} [:：] [ \t]{0,4}
          | [ \t]{1,4} [-–—] [ \t]{1,4} ) )
    | (?P<blank> [ \t]{1,40} )
    )"""
"""What ties a name to its value."""
_QUOTED = r"""(?x)
    [*_]{0,3}
    (?: [brfuBRFU@]{1,2}(?=["'])
      | (?P<open> (?: (?:[\w.]{1,40}\.)? (?:Secret(?:Str|Bytes)?|String|str|PASSWORD|Password) )?
          \( \s{0,40} ) )?
    (?P<list> [\[{] \s{0,40} )?
    (?: " (?!"") (?P<double> (?: [^"\\\n] | \\. ){1,4000} ) "
      | ' (?!'') (?P<single> (?: [^'\\\n] | \\. ){1,4000} ) '
      | \\{0,4} (?P<mark> \"{3} | '{3} | ["'`] ) (?P<inner> [^\n]{1,4000}? ) \\{0,4} (?P=mark)
      | \[\[ (?P<lua> [^\]\n]{1,500} ) \]\]
      | %?[qQ] (?: \( (?P<perl> [^)\n]{1,500} ) \) | \{ (?P<ruby> [^}\n]{1,500} ) \} )
      | [“„«] (?P<curly> [^”“»\n]{1,500} ) [”“»] )"""
_INSIDE = word_tuple("double single inner lua perl ruby curly")
_PIECE = r"""(?: [brfu]{1,2}(?=["']) )? (["']) ([^"'\n]{1,200}) \1 (?! [ \t]{0,8} [:=] )"""
_MORE = {
    "": rf"(?x) (?: \s{{0,80}}+ (?: \+|\.{{1,2}}|&|~|\\ ) \s{{0,80}}+ | [ \t]{{0,8}} ) {_PIECE}",
    "open": rf"(?x) \s{{0,80}}+ (?: \+ \s{{0,80}}+ )? {_PIECE}",
    "list": rf"(?x) \s{{0,80}} , \s{{0,80}} {_PIECE}",
}
"""A further piece of a text, as in `"ab" + "cd"`; within parentheses lines do not count."""
_BARE_SIGN = r"""(?: [^\s"'`,;|<>()\[\]{}&\\\u3000-\u9fff\uac00-\ud7af]
    | &(?!&|[\w.%-]{1,40}=) | \\(?![nrtbfux"'\\/]) )"""
_BARE = rf"""(?x)
    (?P<bold> [*_]{{1,3}} )? (?P<value> {_BARE_SIGN}{{3,200}}+ ) (?! [(\[] | \{{\w )"""
_BARE_REST = rf"(?x) {_BARE_SIGN}*+"
"""What is left of a long value that looks like a secret at its beginning."""
_UNCLOSED = rf"""(?x)
    [\[(]? \\{{0,4}} (?P<mark> \"{{3}} | '{{3}} | ["'`] ) (?! [+.,;:%/-] )
    (?: (?P<line> {_BARE_SIGN}{{6,4000}}+ )
        (?: (?<=…) | (?<=\.{{3}}) | (?= [ \t]{{0,8}} \r?\n ) )
      | (?P<rest> [^"'`\n]{{6,4000}}+ ) \Z )"""
"""A value in marks that was cut off: the end of the line or of the text closes it."""
_ATTRIBUTES = re.compile(r"[ \t\n][^<>]{0,200}>")
_ELEMENT = r"\s{0,80}(?:<!\[CDATA\[\s{0,80}+)?([^<>\s]{6,500}?)\s{0,80}(?:\]\]>\s{0,80})?</"
_BEGINS_CELL = re.compile(r"(?:\A|[\n|])[ \t*`_]*\Z")
_CELL = r"[*`]{0,2}(?=[^\s|]{0,500}\d)([^\s|`()]{6,500})[*`]{0,2}[ \t]*(?:\||\r?\n|\Z)"
_LINE = r"([^\s\"'(),;$<>\[\]{}:/|][^\s\"'(),;<>\[\]{}:/|]{7,499})[ \t]*(?:\r?\n|\Z)"
_HANDED_OVER = (
    r"(?i)(?:\b(?:setx?|env|setenv|export|define|def|setq|arg|login[ \t]+\S{1,80})[ \t\n]+"
    r"(?:-\w+[ \t]+){0,3}[$(]?|(?<![\w-])(?:use|using|with|enter|try|type|new|and"
    r"|user(?:name)?[ \t]+\S{1,40})[ \t]+"
    r"(?:(?:the|my|this)[ \t]+)?(?:[a-z]{1,20}[ \t]+)?)\Z"
)
"""What stands before a name if only blanks part it from its value."""
SAID_MOST, PAIR_MOST = 120, 300
_PAIR_BEFORE = (
    r"(?<!\w)[Vv]al(?:ue)?[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']([^\"'\n]{4,200})[\"']"
    r"[ \t]{0,4},?\s{0,40}[\"']?(?:name|key|Name|Key)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']\Z"
)
"""A value that stands before the name beside it: `{"value": …, "name": "db_pass"}`."""
_SAID_BEFORE = (
    r"(?i)(?:\b(?P<use>use|using|with|set)[ \t]+)?[\"'`#]?(?<![\w-])"
    r"(?P<value>[^\s\"'`(),;$<>#/*]{6,60})"
    r"[\"'`]?[ \t]+(?:is|as)[ \t]+(?:(?:the|my|our|a)[ \t]+)?(?:[a-z]{1,20}[ \t]+)?\Z"
)
_HAS_BOTH = re.compile(r"(?=\D*\d)(?=[\W\d_]*[^\W\d_])")
_ENCODED = re.compile(r"[\w+/.-]+={0,2}")
_MARK = re.compile(r"[!@#%^*$?]")
_DIGIT_OR_MARK = re.compile(r"[\d!@#%^*$?]")
_DIGIT = re.compile(r"\d")
_RUNS = re.compile(r"\d+|[A-Z]?[a-z]+|[A-Z]+")
SHOWS_ENOUGH = 80
"""Characters that show whether a value is random."""
UUID = re.compile(r"(?i)(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LEFT_OUT = re.compile(r"[xX]{4}|\*{3}|\.{3}|…")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.Z+-]+")
_MEMBER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+")
_VARIABLE = re.compile(r"[a-z]+(?:_[a-z]+)+_?\d{0,2}|[a-z]+(?:[A-Z][a-z]+)+\d?")
_PHRASE_LINE = re.compile(r"[a-z]{3,10}(?: [a-z]{3,10}){3,7}(?=[ \t]*(?:\r?\n|\Z))")
"""Words that are all of a line: a phrase, if none of them stands in sentences."""
_PHRASE = re.compile(r"[^\s\"'<>${}]{1,40}(?: [^\s\"'<>${}]{1,40}){1,5}")

Spans = list[tuple[int, int]]


def named_secrets(text: str, sites: Iterable[NameSite]) -> Iterator[tuple[int, int, str]]:
    """Yield where values stand that a name before them says are secrets, and of what kind."""
    done = 0
    for site in sites:
        if site.start < done:
            continue
        for start, stop in (*_value_before(text, site), *_values_of(text, site)):
            yield start, stop, site.names.value
            done = stop


def _value_before(text: str, site: NameSite) -> Iterator[tuple[int, int]]:
    """Yield where a value stands before its name: `… is the password`."""
    before = text[max(site.start - 1, 0) : site.start]
    if before in ('"', "'"):
        pair = compiled(_PAIR_BEFORE).search(text, max(site.start - PAIR_MOST, 0), site.start)
        if pair is not None and is_secret_value(pair[1], site.names, in_marks=True):
            yield pair.span(1)
    if site.names not in CHOSEN or not before.isspace():
        return
    said = compiled(_SAID_BEFORE).search(text, max(site.start - SAID_MOST, 0), site.start)
    if said is None or not _HAS_BOTH.match(said["value"]) or "/" in said["value"]:
        return
    if said["use"] or looks_random(said["value"]):
        yield said.span("value")


def _values_of(text: str, site: NameSite) -> Spans:
    """Return where the value of a name stands; it may come in pieces."""
    if text[max(site.start - 1, 0) : site.start] == "<":
        attributes = _ATTRIBUTES.match(text, site.stop)
        if attributes is not None:
            return _read_one(_ELEMENT, text, site, attributes.end())
    tied = compiled(_LINK).match(text, site.stop)
    if tied is None or tied.lastgroup is None:
        return []
    link = tied.lastgroup
    if link == "marked" or (site.names is Named.PASS and not _assigns_pass(site, tied)):
        return []
    if link == "element":
        return _read_one(_ELEMENT, text, site, tied.end())
    if link == "below":
        return _read_one(_LINE, text, site, tied.end())
    if link == "cell":
        if not _BEGINS_CELL.search(text, max(site.start - 20, 0), site.start):
            return []
        return _read_one(_CELL, text, site, tied.end())
    return _read_value(text, site, link, tied.end())


def _read_one(source: str, text: str, site: NameSite, at: int) -> Spans:
    """Return where the group of a pattern stands, if it matches at a place and is a secret."""
    found = compiled(source).match(text, at)
    if found is None or not is_secret_value(found[1], site.names, in_marks=False):
        return []
    return [found.span(1)]


def _read_value(text: str, site: NameSite, link: str, at: int) -> Spans:
    """Return where a value stands that is written behind its link, in marks or bare."""
    unclosed = compiled(_UNCLOSED).match(text, at)
    if unclosed is not None:
        return _cut_off(site, link, unclosed)
    quoted = compiled(_QUOTED).match(text, at)
    if quoted is not None:
        return _quoted_pieces(text, site, link, quoted)
    if link in ("same", "or", "call", "typed"):
        return []
    if link == "set" and site.names in CHOSEN:
        phrase = _PHRASE_LINE.match(text, at)
        if phrase is not None and not stand_in("prose").search(phrase[0]):
            return [phrase.span()]
    bare = compiled(_BARE).match(text, at)
    if bare is None:
        return []
    value = bare["value"].rstrip(".:…")
    if bare["bold"]:
        value = value.rstrip("*_")
    if not is_secret_value(value, site.names, in_marks=False):
        return []
    if link in ("said", "blank", "comma", "arrow") and not _is_said(text, site, link, value):
        return []
    if link == "set" and not site.name.isupper() and _VARIABLE.fullmatch(value):
        return []
    start, stop = bare.start("value"), bare.start("value") + len(value)
    rest = compiled(_BARE_REST).match(text, bare.end())
    if rest is not None and rest[0]:
        stop = rest.end()
    return [(start, stop)]


def _assigns_pass(site: NameSite, tied: re.Match[str]) -> bool:
    """Return whether `pass` is a name: `PASS: test_a` reports a test, `all pass → x` is prose."""
    if tied.lastgroup == "set":
        sign = tied[0].strip()[-1:]
        return sign == "=" or (sign == ":" and not site.name.isupper())
    return tied.lastgroup in ("typed", "pair", "same", "comma")


def _is_said(text: str, site: NameSite, link: str, value: str) -> bool:
    """Return whether a value that no sign ties to its name looks like a secret."""
    if site.names in _PIN_SIZES:
        return link == "said"
    if not _HAS_BOTH.match(value) and not (_MARK.search(value) and link != "blank"):
        return False
    if "/" in value or stand_in("hash_name").fullmatch(value) or value[0] == "-":
        return False
    if link == "comma":
        is_random = looks_random(value) or site.name.isupper()
        return is_random and _ENCODED.fullmatch(value) is not None
    if link != "blank" or site.name[0] == "-":
        return link != "said" or bool(_DIGIT.search(value))
    if looks_random(value) or text[site.stop] == "\t":
        return True
    if site.name.lower() in ("pw", "requirepass", "rootpw"):
        return True
    before = max(site.start - 60, 0)
    return compiled(_HANDED_OVER).search(text, before, site.start) is not None


def _quoted_pieces(text: str, site: NameSite, link: str, quoted: re.Match[str]) -> Spans:
    """Return where the pieces of a value in marks stand: `"ab" + "cd"` has two."""
    pieces = [quoted.span(next(name for name in _INSIDE if quoted[name]))]
    around = next((name for name in ("list", "open") if quoted[name]), "")
    more = compiled(_MORE[around])
    following = more.match(text, quoted.end())
    while following is not None:
        pieces.append(following.span(2))
        following = more.match(text, following.end())
    value = "".join(text[slice(*piece)] for piece in pieces)
    is_key = quoted["list"] and text[quoted.end() : quoted.end() + 1] == ":"
    is_code = quoted["mark"] == "`" and (" " in value or "\t" in value)
    if is_key or is_code or value[0] in "),;:]}":
        return []
    if not is_secret_value(value, site.names, in_marks=True):
        return []
    if link not in ("set", "pair", "within", "typed", "block") and not _DIGIT_OR_MARK.search(value):
        return []
    return pieces


def _cut_off(site: NameSite, link: str, unclosed: re.Match[str]) -> Spans:
    """Return where a value stands whose closing mark is missing, if it is a secret."""
    group = "line" if unclosed["line"] else "rest"
    value = unclosed[group].rstrip("\\ \t.…")
    if not is_secret_value(value, site.names, in_marks=True):
        return []
    is_assigned = group == "rest" and link in ("set", "pair", "within")
    if not is_assigned and not _DIGIT_OR_MARK.search(value):
        return []
    start = unclosed.start(group)
    return [(start, start + len(value))]


def looks_random(value: str) -> bool:
    """Return whether letters and digits are mixed as only a machine mixes them."""
    value = value[:SHOWS_ENOUGH]
    runs = _RUNS.findall(value)
    digits = sum(map(len, filter(str.isdigit, runs)))
    letters = sum(map(len, runs)) - digits
    return len(runs) >= 5 and len(runs) * 6 >= len(value) and digits >= 2 and letters >= 2


def is_secret_value(value: str, names: Named, *, in_marks: bool) -> bool:
    """Return whether a value looks like what its name promises."""
    size = len(value)
    if names in _PIN_SIZES:
        return value.isdecimal() and size in _PIN_SIZES[names]
    if size < 6 or stand_in("other").match(value) or _LEFT_OUT.search(value):
        return False
    if " " in value or "\t" in value:
        is_phrase = _PHRASE.fullmatch(value) and not stand_in("prose").search(value)
        return names in CHOSEN and in_marks and bool(is_phrase)
    has_both = _HAS_BOTH.match(value) is not None
    if (size < 8 and not has_both) or _is_example(value, in_marks):
        return False
    if not in_marks and _MEMBER.fullmatch(value):
        return False
    if names is Named.PASS and not in_marks:
        return has_both and not any(sign in value for sign in "_/.")
    if names is Named.SECRET and stand_in("object").fullmatch(value):
        return False
    if names in (Named.PASSWORD, Named.SECRET, Named.PASS):
        return in_marks or _DIGIT_OR_MARK.search(value) is not None
    if names is Named.KEY:
        is_made = _DIGIT.search(value) or _has_random_case(value)
        return bool(is_made) and not stand_in("chain").fullmatch(value)
    if names is Named.WEAK and UUID.fullmatch(value):
        return False
    return size >= 12 and looks_random(value) and not _TIME.fullmatch(value)


def _has_random_case(value: str) -> bool:
    """Return whether letters alone look random: long, and their case changes all the time."""
    value = value[:SHOWS_ENOUGH]
    return len(value) >= 20 and len(_RUNS.findall(value)) * 4 >= len(value)


def _is_example(value: str, in_marks: bool) -> bool:
    """Return whether a value is made of words that stand in examples: `your_api_key_here`."""
    # Without marks it may be a variable: `password2`.
    stop = len(value) - (not in_marks and value[-1].isdigit())
    if stand_in("examples").fullmatch(value, 0, stop):
        return True
    return stand_in("example").search(value) is not None and not _DIGIT.search(value)
