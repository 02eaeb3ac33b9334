"""Secrets in texts: what one looks like, and a text without them.

What a summary quotes of tools is masked, always: a key that stood once in an old result must
not be told anew with every compaction. The originals stay as they are; to take secrets out of
those is the business of `redact=`. Here are secrets with a form of their own and columns of a
table; `named_secrets.py` has those that a name before them gives away, `json_secrets.py` those
that the shape of JSON does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from steno.core.words import word_tuple, words_of
from steno.facts.json_secrets import json_secrets
from steno.facts.languages.phrases import Phrase
from steno.facts.named_secrets import (
    CHOSEN,
    Named,
    NameSite,
    is_secret_value,
    named_secrets,
    secret_names,
    what_it_names,
)

SecretSpan = tuple[int, int, str]
"""Where a secret stands, and its kind."""
_PRIVATE = r"PRIVATE KEY(?: BLOCK)?-----"
_VENDORS = word_tuple(
    "gsk_ pplx- npm_ xapp- xoxe- xoxe.xox nvapi- csk- tgp_v1_ jina_ doo_v1_ dop_v1_ dor_v1_ "
    "shpat_ shpss_ shpca_ shppa_ sq0atp- sq0csp- lin_api_ ntn_ figd_ PMAK- glsa_ glc_ hvs. hvb. "
    "tskey- sntryu_ phc_ phx_ pat-na1- pat-eu1- ATATT3x ATCTT3x ya29. dckr_pat_ gloas- gldt- "
    "glffct- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- rubygems_ whsec_ sbp_ sb_secret_ "
    "nfp_ vcp_ vck_ pscale_tkn_ pscale_pw_ pscale_oauth_ CLOJARS_ AGE-SECRET-KEY- cfat_ cfut_ "
    "dp.pt. dp.st. dp.sa. xkeysib- xsmtpsib- NRAK- NRJS- dt0c01. dnkey- shippo_live_ shippo_test_ "
    "rdme_ squ_ sqp_ sqa_ tfp_ HRKU- pnu_ pnb_ sm_pat_ sm_aat_ sm_sat_ fio-u- EZAK EZTK FLWSECK "
    "duffel_live_ fc- tvly- sgp_ CFPAT- api_org_ zpka_ xoxd- xoxc- bedrock-api-key- sk.eyJ rpa_ "
    "e2b_ pcsk_ apify_api_ lsv2_pt_ lsv2_sk_ GOCSPX- duffel_test_ tk-us- p8e- sha256~ ico- "
    "pat.na. eyJrIjoi sq0idp- AKCp sl.B sl.u. EAACEdEose0cBA napi_ wandb_v1_ CCIPAT_ CCIPRJ_ bkua_ "
    "bkat_ bkct_ dt0s GR1348941 s-s4t2ud- s-s4t2af- shpua_ ATBB BBDC- hvr. dp.ct. dp.scim. "
    "dp.audit. ctx7sk- tr_prod_ tr_pat_ signkey-prod- snyk_uat. snyk_sat. hcaik_ hcamk_ hcbik_ "
    "xaat- xapt- ory_pat_ ory_st_ ory_at_ CCDB1_ AVNS_ dbtu_ dbtc_ essu_ pdl_live_apikey_ "
    "pdl_sdbx_apikey_ vercel_blob_rw_ bb_live_"
)
"""How keys of services begin; the rest of one has a digit."""
_SHORT_VENDORS = word_tuple(
    "r8_ fw_ re_ rnd_ pul- ops_ dapi LTAI sess- secret_ key- oy2 EAAC EAAG EAAJ cmVmd"
)
"""Beginnings that other names have too: one run of letters and digits must follow."""


def _any_prefix(prefixes: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, prefixes))


_DIGIT_IN_IT = r"(?=[^\s\"'(),;]{0,500}\d)"
_WORD_WITH_DIGIT = r"(?=[^\s\"'(),;]{0,60}\d)(?=[^\s\"'(),;]{0,60}[A-Za-z])"
"""A password of a person: letters and digits."""
_QUOTED_OR_BARE = r"(?:\"([^\"\n$]{4,200})\"|'([^'\n]{4,200})'|([^\s\"'$|;-][^\s\"'|;]{3,200}))"
_MIXED = r"(?=[A-Za-z+/]{0,80}+\d)(?=[a-z\d+/]{0,80}+[A-Z])[A-Za-z0-9+/]"
_BREAKS = r"(?:\s|\\{1,4}+[nrt]?)"
_BREAKS_AND_MARKS = r"(?:\s|\\{1,4}+[nrt]?|[\"'`+,>|#*]|\d{1,5}[:|→\t ]){0,80}+"
_LINE_ENDS = r"={0,2}(?=[ \t]{0,8}(?:[\r\n\\\"'`<]|\Z))"
_BEHIND_A_NAME = rf"[^\n]{{0,80}}\n[^\n]{{0,80}}?{_MIXED}"
_BODY_BEGINS = (
    rf"(?:{_BREAKS_AND_MARKS}"
    rf"(?:[A-Z][A-Za-z-]{{2,20}}: [^\n\\\"']{{1,200}}+{_BREAKS_AND_MARKS}){{0,6}}+"
    rf"{_MIXED}{{16,}}+={{0,2}}|{_BREAKS}{{1,80}}+[A-Za-z0-9+/]{{16,}}+{_LINE_ENDS}"
    rf"|{_BEHIND_A_NAME}{{40,}}+={{0,2}})"
)
"""The first line of a key, maybe behind headers, marks of code, numbers or names of files."""
_BODY_GOES_ON = (
    rf"(?:{_BREAKS_AND_MARKS}{_MIXED}{{16,}}+={{0,2}}"
    r"|[ \t]{0,8}(?:\r?\n|\\{1,4}+n)[ \t>|+#]{0,40}(?=[A-Za-z]{16}|[A-Za-z]{0,15}+[\d+/=])"
    rf"[A-Za-z0-9+/]{{1,}}+{_LINE_ENDS}|{_BEHIND_A_NAME}{{16,}}+{_LINE_ENDS})*+"
)
"""Further lines of a key that was cut off: whatever else follows is none of it."""
KEYS = {
    "private-key": rf"-----BEGIN [A-Z0-9 ]{{0,40}}{_PRIVATE}{_BODY_BEGINS}"
    r"(?:[^-]*+(?:-(?!----(?:BEGIN|END) )[^-]*+)*+"
    rf"-----END [A-Z0-9 ]{{0,40}}{_PRIVATE}|{_BODY_GOES_ON})",
    "putty-key": r"\bPrivate-Lines: \d{1,4}\s{1,4}((?:[A-Za-z0-9+/=]{1,80}\s{1,2}){1,200})",
    "jwt": r"eyJ[\w-]{8,4000}\.[\w-]{8,4000}\.[\w-]+",
    "api-key": r"\b(?:sk-[A-Za-z0-9_-]{20,}|AIza[\w-]{35}|hf_[A-Za-z0-9]{30,}"
    r"|github_pat_\w{22,}|xai-\w{40,})",
    "cloud-key": r"(?<!\w)(?:1//0[\w-]{30,}"
    r"|(?:ABSK|fm[12]_|fo1_|ops_eyJ|glc_eyJ|sntrys_)[\w+/=-]{40,4000})",
    "vendor-key": rf"(?:{_any_prefix(_VENDORS)})(?=[A-Za-z_.-]{{0,200}}\d)[\w.-]{{15,500}}\w=?",
    "short-key": rf"(?:{_any_prefix(_SHORT_VENDORS)})(?=[A-Za-z]{{0,200}}\d)"
    r"[A-Za-z0-9]{20,500}\b",
    "vendor-token": r"(?:AKIA|ASIA)[A-Z0-9]{16}\b|(?:ghp_|gho_|ghu_|ghs_|ghr_)"
    r"[A-Za-z0-9]{30,}|glpat-[\w-]{20,}"
    r"|xox[abeoprs]-[\w-]{10,}|[prs](?:k_live_|k_test_|k_prod_)[A-Za-z0-9]{16,}"
    r"|SG\.[\w-]{16,}\.[\w-]{16,}|pypi-[\w-]{50,}"
    r"|A3-[A-Z0-9]{6}-[A-Z0-9-]{25,40}\b"
    r"|sq0(?:atp|csp)-[\w-]{22,60}|EAAA(?=[A-Za-z_-]{0,60}\d)[\w-]{22,80}\b|v1\.0-[0-9a-f]{24}-[0-9a-f]{100,200}\b|API-[A-Z0-9]{26}\b"
    r"|re_[A-Za-z0-9]{8}_(?=[A-Za-z]{0,30}\d)[A-Za-z0-9]{20,30}\b"
    r"|cio(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}\b|(?:xau|pat|dtn|aio|ddp|ddo)_(?=[A-Za-z]{0,80}\d)[A-Za-z0-9]{28,80}\b"
    r"|access-(?:sandbox|production)-[0-9a-f]{8}-[0-9a-f-]{27}\b"
    r"|4b1d(?=[A-Za-z0-9]{0,38}[G-Zg-z])[A-Za-z0-9]{38}\b",
    "bot-token": r"(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])",
    "atlas-token": r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{20,200}",
    "airtable-token": r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b",
    "azure-secret": r"(?<![\w~.])[\w~.]{3}\dQ~[\w~.-]{31,34}",
    "password-hash": r"\$(?:apr1|2[abxy]|[156y]|argon2i?d?|scrypt)\$[\w./,=+$-]{12,300}",
    "ansible-vault": r"\$ANSIBLE_VAULT;[\d.]{3,5};\w{3,10}[^\s]{0,80}"
    r"((?:(?:\s|\\n){1,80}+[0-9a-f]{8,200}){1,500})",
    "webhook": r"(?i)\bdiscord(?:app)?\.com/api/webhooks/\d{15,22}/([\w-]{40,100})"
    r"|\.webhook\.office\.com/webhookb2/([\w@/-]{40,300})"
    r"|\bhooks\.slack\.com/services/([\w/]{20,200})",
    "bearer": r"(?i)\bbearer[ \t]+(?=[A-Za-z._~+/=-]{0,200}\d)([A-Za-z0-9._~+/=-]{16,})",
    "authorization": r"(?i)\bauthorization[\"']?[ \t]*(?:[:=,][ \t]*[\"']?(?:"
    r"basic[ \t]+([A-Za-z0-9+/=_-]{8,4000})"
    r"|digest[ \t][^\n]{0,1000}?\bresponse=[\"']?([0-9A-Za-z]{8,200})"
    rf"|token[ \t]+{_DIGIT_IN_IT}([\w.~+/=-]{{8,4000}}))"
    r"|[:=][ \t]*[\"']?(?:[a-z][\w-]{1,20}[ \t]+)?(?:token=)?[\"']?"
    rf"{_DIGIT_IN_IT}([A-Za-z0-9._~+/=-]{{20,4000}}))",
    "sql": r"(?i)\bidentified[ \t]+(?:with[ \t]+[\w\"'`]{1,40}[ \t]+)?(?:by|as)[ \t]+"
    r"[\"']([^\s\"'$<>{}]{6,200})[\"']",
    "pgpass": r"(?m)^[\w*.-]{1,80}:(?:5432|5433|6432):[A-Za-z*][\w*-]{0,60}:[A-Za-z*][\w*.-]{0,60}:"
    rf"{_WORD_WITH_DIGIT}([^\s:\"'(),;]{{6,200}})$",
    "login": r"\b(?:curl|wget|http(?=[ \t]))(?:[^\n|;]|\\\r?\n){0,200}?[ \t]"
    r"(?:-[ua][ \t]*|--user[ \t=]+)"
    r"[\"']?[\w.@-]{1,80}:(?!pass(?:word|wd)?\b)([^\s\"'$][^\s\"']{5,200})",
    "said-with-user": r"(?i)\b(?:log ?in(?: with| as|:)|credentials:?|creds:?)[ \t]+[\w.@-]{1,80}"
    rf"[ \t]?[/:][ \t]?{_WORD_WITH_DIGIT}([^\s\"'(),;$<>/]{{6,200}}?)(?=[.!?]?(?:[\s\"'(),;]|\Z))",
    "user-and-secret": r"(?i)(?<!\w)(?:auth|creds|credentials|login)(?:[ \t]*=[ \t]*)?"
    r"\([ \t]*[\"'][^\"'\n]{1,80}[\"'],[ \t]*[\"']"
    rf"{_WORD_WITH_DIGIT}([^\s\"'(),;$<>{{}}/]{{6,200}})[\"'][ \t]*\)",
    "recovery-code": r"(?i)\b(?:recovery|backup)[ _-]code[\"']?[ \t]*[:=][ \t]*[\"'`]?"
    rf"{_WORD_WITH_DIGIT}([\w-]{{8,80}})(?![\w(.])",
    "wifi-key": r"(?i)\bwi-?fi[ _-]key[\"']?[ \t]*[:=][ \t]*[\"'`]?"
    rf"{_WORD_WITH_DIGIT}([^\s\"'`(),;$<>{{}}/]{{8,80}})",
    "key-of-which": r"(?i)\b(?:api|access|secret)[ _-]key[ \t]+\([\w -]{1,40}\)"
    r"[ \t]*[:=][ \t]*[\"'`]?"
    rf"{_WORD_WITH_DIGIT}([^\s\"'`(),;$<>{{}}/]{{8,200}})",
    "flag": r"(?:useradd[^\n|;]{0,80}?[ \t]-p[ \t]+"
    r"|sshpass[ \t]+-p[ \t]*|redis-cli[^\n|;]{0,80}?[ \t]-a[ \t]+"
    r"|mysql(?:dump|admin)?[^\n|;]{0,80}?[ \t]-p(?=[^\s])"
    r"|smbclient[^\n|;]{0,120}?[ \t]-U[ \t]*[\w.\\-]{1,60}%"
    r"|sqlcmd[^\n|;]{0,120}?[ \t]-P[ \t]*|net use[^\n|;]{0,120}?/user:\S{1,60}[ \t]"
    r"|net user[ \t]+\S{1,60}[ \t]+(?=[^\s/]{0,200}\d)"
    r"|net use[ \t]+\S{1,60}[ \t]+\\\\\S{1,120}[ \t](?=[^\s/])"
    r"|(?:docker|podman|az|oc|nerdctl|buildah|skopeo|helm)[^\n|;]{0,40}?[ \t]login"
    r"[^\n|;]{0,120}?[ \t]-p[ \t]*|mongo(?:sh|dump)?[^\n|;]{0,120}?[ \t]-p[ \t]+"
    r"|(?:un)?zip[^\n|;]{0,80}?[ \t]-P[ \t]*|7z[az]?[ \t][^\n|;]{0,80}?[ \t]-p(?=[^\s])"
    r"|openssl[^\n|;]{0,120}?[ \t]-k[ \t]+"
    r"|ldap(?:search|add|modify|whoami)[^\n|;]{0,120}?[ \t]-w[ \t]*"
    r"|htpasswd[ \t]+-[a-zB]{0,4}b[a-zB]{0,4}[ \t]+\S{1,120}[ \t]+\S{1,80}[ \t]+"
    r"|wpa_passphrase[ \t]+\S{1,80}[ \t]+|gh secret set[^\n|;]{0,80}?[ \t](?:--body|-b)[ \t]+"
    r"|ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?(?=[\"'])"
    r"|snmp\w{1,10}[^\n|;]{0,120}?[ \t]-[AX][ \t]+|cmdkey[^\n|;]{0,120}?/pass:"
    r"|mysqladmin[^\n|;]{0,80}?[ \t]password[ \t]+"
    rf"|-pass(?:in|out)?[ \t]+pass:|jdbc:oracle:thin:[\w.-]{{1,60}}/){_QUOTED_OR_BARE}",
    "rare-flag": r"(?:redis-cli[^\n|;]{0,80}?[ \t]--pass[ \t]+"
    r"|(?:ipmitool|mosquitto_\w{3,6}|bcp|isql|tsql)[ \t][^\n|;]{0,120}?[ \t]-P[ \t]*"
    r"|freerdp[^\n|;]{0,200}?[ \t]/p:"
    r"|(?:psexec|evil-winrm|cqlsh|rdesktop)[^\n|;]{0,120}?[ \t]-p[ \t]+"
    r"|(?:winexe|rpcclient|smbmap)[^\n|;]{0,120}?[ \t]-U[ \t]*[\w.\\/-]{1,60}%"
    r"|lftp[^\n|;]{0,80}?[ \t]-u[ \t]*[\w.@-]{1,60},|sp_addlogin[ \t]+N?'[^'\n]{1,80}',[ \t]*N?"
    r"|unrar[ \t]+[a-z][ \t][^\n|;]{0,80}?-p(?=[^\s])"
    rf"|sqlplus[ \t]+(?:-\w[ \t]+)?[\w.]{{1,40}}/(?=[^\s@]{{1,60}}@)){_QUOTED_OR_BARE}",
    "piped": r"\b(?:echo|printf)[ \t]+(?:-\w[ \t]+)?[\"']?(?:[\w.-]{1,40}:)?"
    rf"{_WORD_WITH_DIGIT}([^\s\"'$|;]{{6,200}})[\"']?[ \t]*\|[ \t]*(?:sudo[ \t]+(?:-\w[ \t]+)?)?"
    r"(?:sudo[^\n|;]{0,20}?[ \t]-S|-S\b|kinit\b|chpasswd\b|passwd\b|cryptsetup\b|gpg\b"
    r"|[a-z]{2,10} login\b)",
    "fed": r"(?:--password-stdin|--pass(?:word|phrase)-fd[ =]0|\bchpasswd|\bpasswd|\bkinit"
    r"|\bcryptsetup|\bsudo -S)"
    r"[^\n<]{0,80}<<(?:<[ \t]*[\"']?|[-~]?[ \t]*[\"']?\w{1,20}[\"']?[^\n]{0,80}\n)"
    r"(?:[\w.-]{1,40}:)?([^\s\"'$:]{6,200})",
    "netrc": r"\blogin[ \t]+\S{1,80}[ \t\n]+password[ \t]+(?!\{[\w.]{0,40}\})(\S{6,1000}?)"
    r"(?=(?:(?:\\[nrt])?[\"'`][,;)\]}]{0,3})?(?:\s|\Z))",
    "basic-auth": r"://[^\s/:@\"'<>]{0,80}:(?!(?i:pass(?:word|wd)?|pwd|secret|token)@|\$\{|[{$<*])([^\s/\"'<>]{1,200})@(?=[\w\[%-])",
    "query": r"(?i)[?&#](?:sig|signature|x-(?:amz|goog)-(?:signature|credential|security-token)|key"
    r"|auth|code_verifier|token)=(?=[^\s&]{0,200}\d)([^\s&\"'<>#$`]{16,4000})",
    "cookie": r"(?i)\bcookie[\"']?[ \t]*[:=][ \t]*\[?[ \t]*[\"']?(?=[^\r\n]{16})"
    r"([\w.%-]{1,80}=[^\s;\"']{1,4000}(?:;[ \t]?[\w.%-]{1,80}=[^\s;\"']{1,4000}){0,50})"
    r"|\bcurl[^\n|;]{0,400}?[ \t](?:-b|--cookie)[ \t=]+[\"']?([\w.-]{1,60}=[^\s\"']{16,4000})",
}
"""Secrets with a form of their own; bounded, because texts can be hostile."""
_BEGINS_A_WORD = frozenset(("jwt", "vendor-key", "short-key", "vendor-token", "airtable-token"))
"""Kinds that no letter may stand before. A match is asked: to look behind slows the search."""
_ONE_RUN = _BEGINS_A_WORD | words_of(
    "api-key bot-token atlas-token azure-secret discord github-token gitlab-token mailchimp "
    "pypi-token sendgrid square-oauth stripe telegram-token twilio"
)
"""Kinds that are one long run of letters and digits, ours and those of the library."""
_RUN = re.compile(r"[\w.~:-]{20,}")
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
        """Return whether a text of small letters holds what a match needs."""
        return all(any(map(low.__contains__, need)) for need in self.needs)

    def find_in(self, text: str, *where: int) -> Iterator[SecretSpan]:
        """Yield where secrets of this kind stand, in all of a text or from one place to another."""
        for match in self.pattern.finditer(text, *where):
            start, stop = self._span(match)
            if self.kind in _BEGINS_A_WORD and start and text[start - 1].isalnum():
                continue
            if stop > start:
                yield start, stop, self.kind

    def _span(self, match: re.Match[str]) -> tuple[int, int]:
        """Return the span of the secret: the longest group that can be one, else the match."""
        spans = [match.span(group) for group in range(1, (match.re.groups or 0) + 1)]
        longest = max(spans, key=lambda span: span[1] - span[0], default=(0, 0))
        if longest[1] - longest[0] >= self.least:
            return longest
        return match.span()


def secret_pattern(kind: str, pattern: re.Pattern[str], least: int = 1) -> SecretPattern:
    """Return a pattern with the letters that its matches hold."""
    needs = Phrase(pattern.pattern).needs
    letters = tuple(tuple(map(str.casefold, need)) for need in needs)
    return SecretPattern(kind, pattern, letters, least)


class SecretPatterns:
    """Patterns that are searched together, each only where it may match."""

    def __init__(self, patterns: Iterable[SecretPattern]) -> None:
        known = tuple(patterns)
        self._anywhere = _Cued(each for each in known if each.kind not in _ONE_RUN)
        self._in_runs = _Cued(each for each in known if each.kind in _ONE_RUN)

    def find_in(self, text: str) -> Iterator[SecretSpan]:
        """Yield where secrets of these kinds stand, and of what kind each is."""
        for known in self._anywhere.likely_in(text.casefold()):
            yield from known.find_in(text)
        runs = [found.span() for found in _RUN.finditer(text)]
        letters = " ".join(text[start:stop] for start, stop in runs)
        for known in self._in_runs.likely_in(letters.casefold()):
            for run in runs:
                yield from known.find_in(text, *run)


class _Cued:
    """Patterns by letters that tell where they may match."""

    def __init__(self, patterns: Iterable[SecretPattern]) -> None:
        self._by_cue: dict[str, list[tuple[int, SecretPattern]]] = {}
        for number, known in enumerate(patterns):
            for cue in known.needs[0] if known.needs else ("",):
                self._by_cue.setdefault(cue, []).append((number, known))

    def likely_in(self, low: str) -> list[SecretPattern]:
        """Return the patterns that may match in a text of small letters."""
        cues = filter(low.__contains__, self._by_cue)
        found = dict(each for cue in cues for each in self._by_cue[cue])
        return [known for known in found.values() if known.may_be_in(low)]


KEY_PATTERNS = tuple(secret_pattern(kind, re.compile(source)) for kind, source in KEYS.items())
_OWN = SecretPatterns(KEY_PATTERNS)


def find_named_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield where secrets stand that a name or the head of their column gives away."""
    sites = list(secret_names(text))
    yield from named_secrets(text, sites)
    yield from _column_secrets(text, sites)
    if sites and "insert" in text.lower():
        yield from _inserted_secrets(text)
    yield from json_secrets(text, _find_in_command)


def _find_in_command(text: str) -> Iterator[SecretSpan]:
    yield from _OWN.find_in(text)
    yield from named_secrets(text, secret_names(text))


def mask_secrets(text: str) -> str:
    """Return a text with a mark in place of each secret in it."""
    parts: list[str] = []
    at = 0
    for start, stop, _ in sorted((*_OWN.find_in(text), *find_named_secrets(text))):
        if text[start:stop] == MASK:
            continue
        if start >= at:
            parts += (text[at:start], MASK)
        at = max(at, stop)
    if not parts:
        return text
    return "".join((*parts, text[at:]))


_HEAD_CELL = re.compile(r"[\w \t.*`\"'/-]{0,60}")
_CELL_MARKS = " \t\r\n*`\"'"
_HEAD_NAME = re.compile(r"[\w ./-]+")
_LINE_UNDER_HEAD = re.compile(r"[\s|:+=-]*")
_CELLS = {
    mark: re.compile(
        rf"[ \t]*(\"(?:[^\"\n]|\"\")*\"[ \t]*(?=[{mark}\r\n]|\Z)|[^{mark}\r\n]*)({mark})?"
    )
    for mark in (",", ";", r"\t", r"\|")
}
"""One cell of a row and what ends it, by what stands between cells."""
_COLUMN_VALUE = re.compile(r"[*`\"']*+(\S{4,500}?)[*`\"']{0,4}\s*+")
_NO_VALUE = re.compile(
    r"(?i)(?:not?null|string|varchar|boolean|integer|required|optional)(?:\(\d+\)|\[\])?[.?!]?"
    r"|\$?\{.*\}|<.*>|\[.*\]|\([a-z-]+\)|(?-i:\$[A-Z_]+)|[-:=*.]+"
)
"""A type, or what stands for a value (`${…}`, `<…>`)."""


def _column_secrets(text: str, sites: Iterable[NameSite]) -> Iterator[SecretSpan]:
    """Yield where values stand that only the head of their column names, in CSV or a table."""
    done = 0
    for site in sites:
        if site.start < done:
            continue
        start = text.rfind("\n", done, site.start) + 1 or done
        done = _line_end(text, site.start)
        head = _head(text[start:done])
        if head is None:
            continue
        for row_start, line in _lines_from(text, done):
            row = _row(line, head.cells)
            if len(row) == head.width:
                for column, names in head.columns.items():
                    value = _COLUMN_VALUE.fullmatch(line, *row[column])
                    if value is not None and _is_secret_cell(value[1], names):
                        yield row_start + value.start(1), row_start + value.end(1), names.value
            elif not _LINE_UNDER_HEAD.fullmatch(line) or not line.strip():
                break
            done = row_start + len(line)


_INSERT = re.compile(
    r"(?i)\binsert\s{1,20}into\s{1,20}[\w.\"`\[\]]{1,120}\s{0,20}\(([^()]{1,2000})\)\s{0,20}values\s{0,40}"
)
_INSERTED_ROW = re.compile(
    r"\s{0,80}\(((?:[^()'\"]|\([^()]{0,200}\)|'(?:[^'\\]|''|\\.)*+'|\"[^\"]*+\")*+)\)\s{0,20}(,?)"
)
_INSERTED_CELL = re.compile(r"(?:[^,'\"(]|\([^()]*+\)|'(?:[^'\\]|''|\\.)*+'|\"[^\"]*+\")*+")
_SQL_TEXT = re.compile(r"\s*(?:\w{1,40}\(\s*)?[NEn]?(?:'((?:[^'\\]|''|\\.)*+)'|\"([^\"]*+)\")")


def _inserted_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield where values stand that SQL puts into the column of a secret."""
    for insert in _INSERT.finditer(text):
        names = [_column_kind(cell) for cell in insert[1].split(",")]
        at = insert.end()
        while any(names):
            row = _INSERTED_ROW.match(text, at)
            if row is None:
                break
            at = row.end()
            cells = [cell for cell in _INSERTED_CELL.finditer(text, *row.span(1)) if cell[0]]
            for kind, cell in zip(names, cells, strict=False):
                value = _SQL_TEXT.match(text, *cell.span())
                if kind in (None, Named.PASS) or value is None or value.lastindex is None:
                    continue
                if _is_secret_cell(value[value.lastindex], kind):
                    yield *value.span(value.lastindex), kind.value
            if not row[2]:
                break


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _lines_from(text: str, at: int) -> Iterator[tuple[int, str]]:
    while at < len(text):
        stop = _line_end(text, at)
        yield at, text[at:stop]
        at = stop


def _row(line: str, cells: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return where the cells of a line stand."""
    found: list[tuple[int, int]] = []
    for cell in cells.finditer(line):
        found.append(cell.span(1))
        if cell[2] is None:
            break
    return found


def _is_secret_cell(value: str, names: Named) -> bool:
    if names in CHOSEN:
        return len(value) >= 6 and not _NO_VALUE.fullmatch(value)
    if names is Named.TOKEN:
        names = Named.KEY
    return is_secret_value(value, names, in_marks=True)


class _Head(NamedTuple):
    """How a table parts its cells, how many a row has, and which columns hold secrets."""

    cells: re.Pattern[str]
    width: int
    columns: Mapping[int, Named]


def _head(line: str) -> _Head | None:
    """Return what the head of a table says, None if a line is no head or names no secret."""
    for mark, cells in _CELLS.items():
        # Python's lists are no CSV.
        if mark == "," and "'" in line:
            continue
        row = _row(line, cells)
        named = [span for span in row if line[slice(*span)].strip(_CELL_MARKS)]
        if len(named) < 2 or not all(_HEAD_CELL.fullmatch(line, *span) for span in row):
            continue
        heads = ((at, _column_kind(line[slice(*span)])) for at, span in enumerate(row))
        columns = {at: names for at, names in heads if names not in (None, Named.PASS)}
        if columns:
            return _Head(cells, len(row), columns)
    return None


def _column_kind(cell: str) -> Named | None:
    name = cell.strip(_CELL_MARKS)
    if not _HEAD_NAME.fullmatch(name):
        return None
    return what_it_names(name) or what_it_names(name.replace(" ", "_"))
