"""Secrets in commands, files and results: what one looks like, and a text without them.

What a summary quotes of tools is masked, always: a key that stood once in an old result must
not be told anew with every compaction. The originals stay as they are; to take secrets out of
those is the business of `redact=`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from steno.core.words import word_tuple
from steno.facts.languages.phrases import Phrase

_PRIVATE = r"PRIVATE KEY(?: BLOCK)?-----"
_NAMES = (
    r"password|passwd|pwd(?![ \t]{0,4}[=:][ \t]{0,4}[\"']?[/~])|passwort|kennwort|mot de passe"
    r"|contraseña|senha|пароль|密码|passcode|secret"
)
"""Words for a password; `PWD=/home/…` is a folder."""
_PHRASES = r"pass[ _-]?phrase"
_KEY_NAMES = (
    r"(?:api|access|secret|account|signing|encryption|master|shared[_-]?access)[_-]?key"
    r"(?:[_-]?(?:base|secret))?"
)
_TOKEN_NAMES = (
    r"(?:access|auth|refresh|session|private|id|api|bearer|secret|deploy|security|personal"
    r"|registration)[_-]?token"
)
_ASSIGNS = r"[ \t]*(?:=>|:=|[:=：]|%3[AD])[ \t]*"
_WHICH = r"(?:_(?:BASE|PROD|PRODUCTION|DEV|STAGING|TEST|LIVE|OLD|NEW|PRIMARY|SECONDARY|V?\d{1,3}))?"
"""Which of several keys a variable holds; `_FILE`, `_ID` and `_URL` say that it holds none."""
_SECRET_NAMES = (
    r"(?:(?:[A-Z0-9]{1,40}_){1,6}(?:KEY|PASS|PWD|PAT|CREDENTIALS?|DSN|AUTH)"
    rf"|(?:[A-Z0-9]{{1,40}}_){{0,6}}(?:TOKEN|SECRET|PASSWORD|PASSWD)){_WHICH}"
)
_VENDORS = word_tuple(
    "gsk_ pplx- npm_ xapp- xoxe- xoxe.xox nvapi- csk- tgp_v1_ jina_ doo_v1_ dop_v1_ dor_v1_ "
    "shpat_ shpss_ shpca_ shppa_ sq0atp- sq0csp- lin_api_ ntn_ figd_ PMAK- glsa_ glc_ hvs. hvb. "
    "tskey- sntrys_ sntryu_ phc_ phx_ pat-na1- pat-eu1- ATATT3x ATCTT3x ya29. dckr_pat_ gloas- "
    "gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- rubygems_ whsec_ sbp_ sb_secret_ "
    "nfp_ vcp_ vck_ pscale_tkn_ CLOJARS_ AGE-SECRET-KEY- cfat_ cfut_ dp.pt. dp.st. dp.sa. "
    "xkeysib- xsmtpsib- NRAK- NRJS- dt0c01. dnkey- shippo_live_ shippo_test_ rdme_ squ_ sqp_ sqa_ "
    "tfp_ HRKU- pnu_ pnb_ sm_pat_ sm_aat_ fo1_ fm1_ fm2_ fio-u- EZAK EZTK FLWSECK duffel_live_ "
    "GOCSPX- duffel_test_ tk-us- p8e- sha256~ ico- pat.na. sq0idp- AKCp sl.B sl.u. EAACEdEose0cBA"
)
"""How keys of services begin; the rest of one has a digit."""
_SHORT_VENDORS = word_tuple(
    "r8_ fw_ re_ rnd_ pul- ops_ dapi LTAI sess- secret_ key- oy2 EAAC EAAG EAAJ cmVmd"
)
"""Beginnings that other names have too: one run of letters and digits must follow."""


def _any_prefix(prefixes: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, prefixes))


_LIKE_ONE = r"(?=[^\s\"'(),;]{0,500}[\d!@#%^*+/])"
"""A value that is not a plain word."""
_DIGIT_IN_IT = r"(?=[^\s\"'(),;]{0,500}\d)"
_WORD_WITH_DIGIT = r"(?=[^\s\"'(),;]{0,60}\d)(?=[^\s\"'(),;]{0,60}[A-Za-z])"
"""A password of a person: letters and digits."""
_ANY_NAME = rf"(?:{_NAMES}|{_PHRASES}|{_KEY_NAMES}|token)"
_NO_MEMBER = (
    r"(?!(?:config|settings|process|env|self|this|os|props|args|opts|options|cfg|conf|secrets|vars?"
    r"|local|data|request|req|ctx|state|user|params|page)\.[a-z_])"
)
"""`settings.password` is code."""
_TYPED = (
    r"\][ \t]*=[ \t]*|[ \t]*:[ \t]{0,4}(?:&(?:'static )?)?[A-Za-z][\w.\[\]|]{0,40}[ \t]*=[ \t]*"
    r"|[ \t](?:string|str)[ \t]*=[ \t]*"
)
"""What stands between a name and its value in typed code, or behind a subscript."""
_WRAPPED = (
    r"(?:[brfu@]{1,2}(?=[\"'])|(?:(?:[\w.]{1,40}\.)?(?:Secret(?:Str|Bytes)?|String|str))?\()?"
)
_PROSE = (
    r"[^\"'\n]{0,120}\b(?:password|passwords|passphrase|enter|your|must|please|is|the|at"
    r"|be|to|or|and|characters|field|invalid|wrong)\b"
)
_SHORT_VALUE = r"[^\s\"'(),;$\[\]{}<>&|]"
KEYS = {
    "private-key": rf"(?s)-----BEGIN [A-Z0-9 ]{{0,40}}{_PRIVATE}.*?"
    rf"(?:-----END [A-Z0-9 ]{{0,40}}{_PRIVATE}|\Z)",
    "putty-key": r"\bPrivate-Lines: \d{1,4}\s{1,4}((?:[A-Za-z0-9+/=]{1,80}\s{1,2}){1,200})",
    "jwt": r"(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,4000}\.[\w-]+",
    "api-key": r"\b(?:sk-[A-Za-z0-9_-]{20,}|AIza[\w-]{35}|hf_[A-Za-z0-9]{30,}"
    r"|github_pat_\w{22,}|xai-\w{40,}|1//0[\w-]{30,})",
    "vendor-key": rf"(?<![A-Za-z0-9])(?:(?:{_any_prefix(_VENDORS)})(?=[A-Za-z_.-]{{0,200}}\d)"
    rf"[\w.-]{{16,500}}\w=?|(?:{_any_prefix(_SHORT_VENDORS)})(?=[A-Za-z]{{0,200}}\d)"
    r"[A-Za-z0-9]{20,500}\b)",
    "vendor-token": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\b(?:ghp_|gho_|ghu_|ghs_|ghr_)"
    r"[A-Za-z0-9]{30,}|\bglpat-[\w-]{20,}"
    r"|\bxox[abeoprs]-[\w-]{10,}|\b[prs](?:k_live_|k_test_|k_prod_)[A-Za-z0-9]{16,}"
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bpypi-[\w-]{50,}|(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])"
    r"|\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{20,200}|\bA3-[A-Z0-9]{6}-[A-Z0-9-]{25,40}\b"
    r"|\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b|\bsq0(?:atp|csp)-[\w-]{22,60}|\bEAAA[\w-]{60}\b"
    r"|(?<![\w~.])[\w~.]{3}\dQ~[\w~.-]{31,34}"
    r"|\b4b1d(?=[A-Za-z0-9]{0,38}[G-Zg-z])[A-Za-z0-9]{38}\b",
    "webhook": r"(?i)\bdiscord(?:app)?\.com/api/webhooks/\d{15,22}/([\w-]{40,100})"
    r"|\.webhook\.office\.com/webhookb2/([\w@/-]{40,300})"
    r"|\bhooks\.slack\.com/services/([\w/]{20,200})",
    "npm": r"(?<![A-Za-z0-9])_(?:authToken|auth|password)[= \t][ \t]*[\"']?"
    r"(?=[\w+/-]{0,200}\d)([\w+/=-]{16,200})",
    "bearer": r"(?i)\bbearer[ \t]+([A-Za-z0-9._~+/=-]{16,})",
    "basic": r"(?i)\bauthorization[\"']?[ \t]*[:=][ \t]*[\"']?basic[ \t]+([A-Za-z0-9+/=_-]{8,})",
    "authorization": r"(?i)\bauthorization[\"']?[ \t]*[:=][ \t]*[\"']?(?:[a-z][\w-]{1,20}[ \t]+)?"
    rf"(?:token=)?[\"']?{_DIGIT_IN_IT}([A-Za-z0-9._~+/=-]{{20,4000}})",
    "header": r"(?i)(?<![\w-])(?:authorization[\"']?[ \t]*:[ \t]*[\"']?token[ \t]"
    r"|(?:x-[\w-]{1,30}|private|job|deploy)-token[\"']?[ \t]*:)"
    rf"[ \t]*[\"']?{_DIGIT_IN_IT}([\w.~+/=-]{{8,4000}})",
    "password": rf"(?i)(?:{_NAMES}|\bpw|{_KEY_NAMES}|auth[_-]?token)"
    rf"\\{{0,4}}[\"']?(?:{_ASSIGNS}|{_TYPED}){_WRAPPED}"
    rf"(?:\[[ \t]{{0,8}}(?=[\"'][^\s\"']{{0,500}}\d))?"
    rf"\\{{0,4}}(?:\"\"\"|[\"'])(?:([^\s\"']{{8,500}}?)|{_WORD_WITH_DIGIT}([^\s\"'\\$<>{{}}]{{6,7}}))"
    r"\\{0,4}[\"']",
    "words": rf"(?i)(?:{_NAMES}|\bpw|{_PHRASES})"
    rf"(?:=(?=[\"'])|{_ASSIGNS}(?=[\"'][^\"'\n]{{0,80}}\d))"
    rf"[\"'](?!{_PROSE})([^\s\"'<>${{}}]{{1,40}}(?: [^\s\"'<>${{}}]{{1,40}}){{1,5}})[\"']",
    "by-call": rf"(?i)(?:set|with)_?(?:{_NAMES}|{_PHRASES}|{_KEY_NAMES})\([ \t]*[\"']{_LIKE_ONE}"
    r"([^\s\"'$<>{}]{8,500})[\"']",
    "private": rf"(?i)private[_-]?key[\"']?{_ASSIGNS}[\"']?{_DIGIT_IN_IT}"
    r"(?![~./])([A-Za-z0-9+/_-]{20,4000}={0,2})(?![\w.]*[(\[.])",
    "block": rf"(?i)(?:{_NAMES}|{_PHRASES}|{_KEY_NAMES}|token)[ \t]*:[ \t]*[|>][+-]?[ \t]*\r?\n"
    rf"[ \t]{{1,40}}{_DIGIT_IN_IT}([^\s\"'$<>{{}}]{{8,500}})",
    "sql": r"(?i)\bidentified[ \t]+(?:with[ \t]+[\w\"'`]{1,40}[ \t]+)?(?:by|as)[ \t]+"
    r"[\"']([^\s\"'$<>{}]{6,200})[\"']",
    "pgpass": r"(?m)^[\w*.-]{1,80}:(?:5432|5433|6432):[A-Za-z*][\w*-]{0,60}:[A-Za-z*][\w*.-]{0,60}:"
    rf"{_WORD_WITH_DIGIT}([^\s:\"'(),;]{{6,200}})$",
    "quoted": rf"(?i)[\"'](?:pass|auth)\\{{0,4}}[\"']{_ASSIGNS}\\{{0,4}}[\"']{_DIGIT_IN_IT}"
    r"([^\s\"'\\]{12,4000})\\{0,4}[\"']",
    "named-token": rf"(?i){_TOKEN_NAMES}\\{{0,4}}[\"']?{_ASSIGNS}\\{{0,4}}[\"']?{_DIGIT_IN_IT}"
    r"([^\s\"'(),;$\[\]{}<>&|\\]{16,4000})(?![\w.]*[(\[])",
    # Without quotation marks a value must look like one: `password = input()` is code.
    "assigned": rf"(?i)(?:{_NAMES}|\bpw|{_PHRASES}|{_KEY_NAMES}"
    rf"|(?:auth|access|api|secret)[_-]?token){_ASSIGNS}{_NO_MEMBER}(?:"
    rf"{_LIKE_ONE}({_SHORT_VALUE}{{8,4000}})|{_WORD_WITH_DIGIT}({_SHORT_VALUE}{{6,7}})"
    r"(?![^\s\"';&|,]))(?![\w.]*[(\[])",
    "token": rf"(?i)(?<![\w-])token{_ASSIGNS}[\"']?(?=[a-z_-]{{0,200}}\d)(?=\d{{0,200}}[a-z_-])"
    r"([\w~+/=-]{20,500})(?![\w.]*[(\[.])",
    "variable": rf"(?<![\w-])[A-Z0-9_]{{0,80}}(?:KEY|TOKEN|SECRET|PASSWORD){_WHICH}=[\"']?"
    rf"(?:([^\s\"'$&|;]{{8,}})"
    rf"|{_WORD_WITH_DIGIT}([^\s\"'$&|;(){{}}<>]{{6,7}})(?![^\s\"'&|;]))",
    # With blanks, as in PowerShell, a Makefile, a Dockerfile or a table of settings.
    "setting": rf"(?<![\w-])(?:{_SECRET_NAMES})[\"'\]}}]{{0,2}}[ \t]*(?::=|=>|\?=|[=:]|,)"
    rf"[ \t]*[\"']?{_DIGIT_IN_IT}([^\s\"'$&|;,(){{}}/.~][^\s\"'$&|;,(){{}}]{{7,500}})",
    "set": rf"(?i)\b(?:setx|env|set|setenv|export)[ \t]+(?:-\w+[ \t]+){{0,3}}(?:{_SECRET_NAMES})"
    rf"[ \t]+[\"']?{_DIGIT_IN_IT}([^\s\"'$&|;]{{8,500}})",
    "pair": r"(?i)\b(?:name|key)[\"']?[ \t]*[:=][ \t]*[\"']?[\w.-]{0,40}?"
    rf"{_ANY_NAME}[\w.-]{{0,10}}[\"']?(?:,\s{{0,20}}|\s{{1,20}})"
    rf"[\"']?value[\"']?[ \t]*[:=][ \t]*[\"']?{_DIGIT_IN_IT}([^\s\"'$<>{{}}]{{6,500}})",
    "option": r"(?i)--[\w-]{0,24}(?:password|passwd|pass|token|secret|api-key)[ \t=]+[\"']?"
    rf"(?:{_LIKE_ONE}([^\s\"'$-][^\s\"'$]{{7,200}})"
    rf"|{_WORD_WITH_DIGIT}([^\s\"'$<-][^\s\"'$]{{5,6}}))",
    "login": r"\b(?:curl|wget|http(?=[ \t]))(?:[^\n|;]|\\\r?\n){0,200}?[ \t]"
    r"(?:-[ua][ \t]*|--user[ \t=]+)"
    r"[\"']?[\w.@-]{1,80}:([^\s\"'$]{6,200})",
    # As people say it, and as tools take it that have no name for it.
    "said": rf"(?i)(?<![a-z])(?:(?:{_NAMES}|{_PHRASES}|api[ _-]?key|token)"
    r"(?:[ \t]+(?:for|of)(?:[ \t]+[\w'./@-]{1,40}){1,3}?)?"
    r"(?:[ \t]+(?:is|ist|lautet|est|es|é)(?:[ \t]*:)?[ \t]+"
    r"|[ \t]+(?:(?:has been|was)[ \t]+)?(?:set|changed|reset)[ \t]+to[ \t]+"
    r"|[ \t]*[是为][:：]?[ \t]*)"
    rf"|(?:set|changed?|reset|updated?)[ \t]+(?:[\w']{{1,20}}[ \t]+){{0,3}}?(?:{_NAMES}|{_PHRASES})"
    r"[ \t]+to[ \t]+"
    rf"|(?:use|using|with|enter|try|type|new)[ \t]+(?:(?:the|my|this)[ \t]+)?(?:{_NAMES}"
    rf"|{_PHRASES})[ \t]+"
    r"|\bpw[ \t]+)"
    r"[\"']?(?![^\s\"']{0,500}/|(?:base64|sha|md5|argon2|bcrypt|utf)[\w-]{0,4}(?!\S))"
    rf"(?:{_DIGIT_IN_IT}([^\s\"'(),;$<>]{{8,500}})"
    rf"|{_WORD_WITH_DIGIT}([^\s\"'(),;$<>./]{{6,7}})(?![^\s\"'),;.!?]))",
    "said-before": r"(?i)\b(?:use|using|with|set)[ \t]+[\"'`]?"
    rf"{_WORD_WITH_DIGIT}([^\s\"'`(),;$<>/]{{6,200}})[\"'`]?[ \t]+as[ \t]+(?:[a-z]{{1,12}}[ \t]+)"
    rf"{{0,2}}?(?:{_NAMES}|{_PHRASES})",
    "pass": rf"(?<![\w-])(?:pass|Pass)[ \t]?[:=][ \t]?{_WORD_WITH_DIGIT}"
    r"([^\s\"'(),;$<>_/.]{6,200})(?![^\s,;])|\b(?:log|Log) ?in (?:with|as) [\w.@-]{1,80} ?/ ?"
    rf"{_WORD_WITH_DIGIT}([^\s\"'(),;$<>/.]{{6,200}})",
    "cell": rf"(?i)\|[ \t]*[*`]{{0,2}}(?:{_NAMES}|{_PHRASES}|{_KEY_NAMES}|token)[*`]{{0,2}}[ \t]*\|"
    rf"[ \t]*[*`]{{0,2}}{_DIGIT_IN_IT}([^\s|`()]{{6,500}})[*`]{{0,2}}[ \t]*\|",
    "row": rf"(?im)^[ \t]*(?:[a-z0-9]{{1,40}}_){{0,4}}{_ANY_NAME}[ \t]+\|[ \t]*"
    rf"{_DIGIT_IN_IT}([^\s|()]{{6,500}})[ \t]*$",
    "below": rf"(?i)(?<![\w-])(?:{_NAMES}|{_PHRASES}|{_KEY_NAMES}|token)"
    rf"\**[ \t]*[:：]\**[ \t]*\r?\n[ \t]*{_DIGIT_IN_IT}"
    r"([^\s\"'(),;$<>\[\]{}:/|]{8,500})[ \t]*(?:\r?\n|\Z)",
    "flag": r"\b(?:sshpass[ \t]+-p[ \t]*|redis-cli[^\n|;]{0,80}?[ \t]-a[ \t]+"
    r"|mysql(?:dump|admin)?[^\n|;]{0,80}?[ \t]-p"
    r"|smbclient[^\n|;]{0,120}?[ \t]-U[ \t]*[\w.\\-]{1,60}%"
    r"|sqlcmd[^\n|;]{0,120}?[ \t]-P[ \t]*|net use[^\n|;]{0,120}?/user:\S{1,60}[ \t]"
    r"|(?:docker|podman|az|oc|nerdctl|buildah|skopeo"
    r"|helm)[^\n|;]{0,40}?[ \t]login[^\n|;]{0,120}?[ \t]-p[ \t]*"
    r"|-pass(?:in|out)[ \t]+pass:|\bjdbc:oracle:thin:[\w.-]{1,60}/)[\"']?([^\s\"'$@]{4,200})",
    "netrc": r"\blogin[ \t]+\S{1,80}[ \t\n]+password[ \t]+(\S{6,200})",
    "element": r"(?i)<[\w:.-]{0,40}(?:password|passwd|secret|token|api_?key)>([^<>\s]{6,500})</"
    rf"|\bname=[\"'][\w.-]{{0,40}}{_ANY_NAME}[\"']>{_DIGIT_IN_IT}([^<>\s]{{6,500}})</",
    "basic-auth": r"://[^\s/:@\"'<>]{0,80}:([^\s/\"'<>]{1,200})@(?=[\w\[%-])",
    "query": r"(?i)[?&](?:sig|signature|x-(?:amz|goog)-(?:signature|credential|security-token)|key"
    rf"|auth|code_verifier|client_secret|{_TOKEN_NAMES}"
    rf"|token)=(?=[^\s&]{{0,200}}\d)([^\s&\"'<>#$`]{{16,4000}})",
    "cookie": r"(?i)\bcookie[\"']?[ \t]*:[ \t]*\[?[ \t]*[\"']?(?=[^\r\n]{16})"
    r"([\w.%-]{1,80}=[^\s;\"']{1,4000}(?:;[ \t]?[\w.%-]{1,80}=[^\s;\"']{1,4000}){0,50})"
    r"|\bcurl[^\n|;]{0,400}?[ \t](?:-b|--cookie)[ \t=]+[\"']?([\w.-]{1,60}=[^\s\"']{16,4000})",
}
"""What the library lacks or finds only in part; bounded, because texts can be hostile."""
MASK = "[secret]"


class SecretPattern(NamedTuple):
    """How secrets of one kind look, and letters, in small ones, that each of them holds."""

    kind: str
    pattern: re.Pattern[str]
    needs: tuple[tuple[str, ...], ...] = ()
    """Of every one of these a text has one or another part, or it holds no such secret."""
    least: int = 1
    """Least characters of a group that is the secret; a shorter one is only its prefix."""

    def may_be_in(self, low: str) -> bool:
        return all(any(map(low.__contains__, need)) for need in self.needs)


def _pattern_of(kind: str, source: str) -> SecretPattern:
    needs = Phrase(source).needs
    letters = tuple(tuple(map(str.casefold, need)) for need in needs)
    return SecretPattern(kind, re.compile(source), letters)


KEY_PATTERNS = tuple(_pattern_of(kind, source) for kind, source in KEYS.items())
_CUES = frozenset(
    part
    for known in KEY_PATTERNS
    for part in max(known.needs, key=lambda need: min(map(len, need)))
)
"""A text without any of these, in small letters, holds no secret."""
_CODE = re.compile(r"[(\[{<>]|[A-Za-z_]\w*\.[A-Za-z_]|(?i:none|null|true|false|undefined)\Z|\$")
"""How a value begins, or what it holds, that is a name in code."""


def mask_secrets(text: str) -> str:
    """Return a text with a mark in place of each secret in it."""
    low = text.casefold()
    if not any(map(low.__contains__, _CUES)):
        return text
    for known in KEY_PATTERNS:
        if not known.may_be_in(low):
            continue
        text, found = known.pattern.subn(_mask, text)
        if found:
            low = text.casefold()
    return text


def _mask(found: re.Match[str]) -> str:
    value = next((group for group in found.groups() if group), None)
    if value is None:
        return MASK
    is_name = _CODE.match(value) or "(" in value
    if value == MASK or (is_name and not value.startswith("eyJ")):
        return found[0]
    return found[0].replace(value, MASK)


_COLUMN_NAME = re.compile(
    rf"(?i)[\s*`\"']*(?:[^\W_]{{1,40}}[ _-]){{0,4}}"
    rf"(?:{_NAMES}|{_PHRASES}|(?:api|access|secret|private"
    r"|account|signing|encryption|master)[ _-]?key|(?:api|auth)?token)[\s*`\"']*"
)
"""Head of a column whose values are secrets."""
_COLUMN_STEMS = (
    *("pass", "secret", "key", "token", "pwd", "kennwort", "mot de", "contraseña", "senha"),
    *("пароль", "密码"),
)
"""One of these stands in every head of a column of secrets, in small letters."""
_HEAD_CELL = re.compile(r"[\w \t.*`\"'/-]{0,60}")
_LINE_UNDER_HEAD = re.compile(r"[\s|:+=-]*")
_CELLS = {
    mark: re.compile(
        rf"[ \t]*(\"(?:[^\"\n]|\"\")*\"[ \t]*(?=[{mark}\r\n]|\Z)|[^{mark}\r\n]*)({mark})?"
    )
    for mark in (",", ";", r"\t", r"\|")
}
"""One cell of a row and what ends it, by what stands between cells."""
_COLUMN_VALUE = re.compile(r"[*`\"']*+(\S{6,500}?)[*`\"']{0,4}\s*+")
_COLUMN_TOKEN = re.compile(rf"(?=.*(?:\d|[a-z][A-Z])){_COLUMN_VALUE.pattern}")
"""Below `token` words may stand, too."""
_NO_VALUE = re.compile(
    r"(?i)(?:not?null|string|varchar|boolean|integer|required|optional)(?:\(\d+\)|\[\])?[.?!]?"
    r"|\$?\{.*\}|<.*>|\[.*\]|\([a-z-]+\)|(?-i:\$[A-Z_]+)"
)
"""A type, or what stands for a value (`${…}`, `<…>`)."""


def column_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Yield where values stand that only the head of their column names, in CSV or a table."""
    cells: re.Pattern[str] | None = None
    width = 0
    columns: dict[int, re.Pattern[str]] = {}
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        if cells is not None:
            row = _row(line, cells)
            if len(row) == width:
                for column, values in columns.items():
                    value = values.fullmatch(line, *row[column])
                    if value is not None and not _NO_VALUE.fullmatch(value[1]):
                        yield start + value.start(1), start + value.end(1)
                continue
            if _LINE_UNDER_HEAD.fullmatch(line) and line.strip():
                continue
        cells, width, columns = _head(line)


def _row(line: str, cells: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return where the cells of a line stand."""
    found: list[tuple[int, int]] = []
    for cell in cells.finditer(line):
        found.append(cell.span(1))
        if cell[2] is None:
            break
    return found


def _head(line: str) -> tuple[re.Pattern[str] | None, int, dict[int, re.Pattern[str]]]:
    """Return how a line parts its cells, how many they are, and what those below a name hold."""
    if not any(map(line.lower().__contains__, _COLUMN_STEMS)):
        return None, 0, {}
    for cells in _CELLS.values():
        row = _row(line, cells)
        named = [span for span in row if line[slice(*span)].strip()]
        if len(named) < 2 or not all(_HEAD_CELL.fullmatch(line, *span) for span in row):
            continue
        names = ((at, _COLUMN_NAME.fullmatch(line, *span)) for at, span in enumerate(row))
        columns = {
            at: _COLUMN_TOKEN if "token" in name[0].lower() else _COLUMN_VALUE
            for at, name in names
            if name is not None
        }
        if columns:
            return cells, len(row), columns
    return None, 0, {}
