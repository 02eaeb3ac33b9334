"""Secrets leave before anything is kept or sent: keys, tokens, addresses, card numbers, and what a caller adds.

Owns what a secret looks like and what stands in its place. What is redacted is the
words of a message: texts, calls' arguments, results, and whatever stands under a
key that says it is a password. Ids, names of tools, signatures, signed thinking and
media are left as they are, because a provider refuses them otherwise.
Detectors come from `detect-secrets` and `python-stdnum` (`pip install 'steno[redact]'`);
patterns of our own fill in what they lack.
"""

from __future__ import annotations

import importlib
import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

from steno.core.errors import BadInput
from steno.wires import json_text, parse_json

Pattern = tuple[str, re.Pattern[str]]
SecretSpan = tuple[int, int, str]

LIBRARY = (
    "aws",
    "azure_storage_key",
    "basic_auth",
    "discord",
    "github_token",
    "gitlab_token",
    "mailchimp",
    "pypi_token",
    "sendgrid",
    "slack",
    "square_oauth",
    "stripe",
    "telegram_token",
    "twilio",
)
"""Plugins of detect-secrets whose patterns are sure enough to act on; those by entropy or keyword alone are not."""
_PRIVATE = r"PRIVATE KEY(?: BLOCK)?-----"
KEYS = {
    "private-key": rf"(?s)-----BEGIN [A-Z0-9 ]{{0,40}}{_PRIVATE}.*?(?:-----END [A-Z0-9 ]{{0,40}}{_PRIVATE}|\Z)",
    "jwt": r"\beyJ[\w-]{8,4000}\.[\w-]{8,4000}\.[\w-]+",
    "api-key": r"\b(?:sk-[A-Za-z0-9_-]{20,}|AIza[\w-]{35}|hf_[A-Za-z0-9]{30,}|github_pat_\w{22,}|xai-\w{40,})",
    "npm": r"_authToken=[ \t]*(npm_\w{30,}|[A-Fa-f0-9-]{36})",
    "bearer": r"(?i)\bbearer[ \t]+([A-Za-z0-9._~+/=-]{16,})",
    "password": r"(?i)(?:password|passwd|secret|api[_-]?key|auth[_-]?token)\\{0,4}[\"']?[ \t]*[:=][ \t]*"
    r"\\{0,4}[\"']([^\s\"']{8,500}?)\\{0,4}[\"']",
    "variable": r"(?m)^[ \t]*(?:export[ \t]+)?[A-Z0-9_]{0,80}(?:KEY|TOKEN|SECRET|PASSWORD)=[\"']?([^\s\"'$]{8,})",
}
"""What the library lacks, or finds only in part; bounded, because texts can be hostile."""
EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])")
CARD = re.compile(r"(?<![\d.,-])(?:[3-6]|2[2-7])\d(?:[ -]?\d){11,17}(?![\d.]?\d)")
VALUE_LEAST = 8
"""Characters of a group that is a secret; a shorter one is only a prefix of it."""
OUR_KEYS = frozenset(("content", "text", "output", "type", "role"))
"""Keys of every message, which say nothing about what stands under them."""
NAMES_A_SECRET = re.compile(
    r"(?i)(?:password|passwd|passphrase|secret|(?:api|access|private|secret)[_-]?key"
    r"|(?:access|auth|bearer|refresh|session|api|id|secret)[_-]?token|^token)$"
)
"""Keys whose value is a secret, whatever it looks like; not the token of a next page."""
SECRET_MOST = 500
SECRET = re.compile(rf"[^\s\"']{{8,{SECRET_MOST}}}")
"""What can be one, under such a key."""
PLACEHOLDER = re.compile(r"\[redacted:[^\]\s]{1,80}#[0-9a-f]{4}\]")
KEYS_LEFT_ALONE = frozenset(("id", "file_id", "call_id", "tool_call_id", "tool_use_id"))
KEYS_LEFT_ALONE |= {"signature", "encrypted_content", "file_data"}
"""Keys whose values are the provider's, or bytes."""
CALLS = frozenset(("arguments", "input", "args", "parameters", "tool_call_id"))
"""Keys of a call or its result, whose `name` is a tool's, and no words of anybody's."""
BYTES = "data"
SAYS_BYTES = frozenset(("media_type", "mime_type", "mimeType", "format"))
"""Keys beside `data` which say that it holds bytes."""
BASE64 = re.compile(r"[A-Za-z0-9+/=_\s-]*")
MEDIA = ("url", "image_url")
DATA_URL = re.compile(
    r"data:[\w.+-]{1,80}/[\w.+-]{1,80}(?:;[\w.+-]{1,80}=[\w.+-]{1,80}){0,8};base64,[A-Za-z0-9+/=_\s-]*"
)
SIGNED = ("thinking", "redacted_thinking", "reasoning")
JSON_TEXT = "arguments"
DEPTH_MOST = 64


class Redactor:
    """Takes secrets out; the same secret gets the same placeholder from the same redactor.

    `patterns` are regular expressions of the caller's own, or a mapping from a name to one; where one has a group,
    the group is the secret. `key` makes placeholders the same in every process that has it; without one they hold as
    long as the redactor does. A placeholder tells 16 bits of a keyed hash, which gives no secret away.
    """

    def __init__(
        self,
        patterns: Mapping[str, str | re.Pattern[str]] | Iterable[str | re.Pattern[str]] = (),
        *,
        keys: bool = True,
        emails: bool = True,
        cards: bool = True,
        key: bytes | None = None,
    ) -> None:
        own = (
            patterns
            if isinstance(patterns, Mapping)
            else {f"own-{n}": each for n, each in enumerate(_each(patterns), 1)}
        )
        self._patterns = [(name, _compile(name, each)) for name, each in own.items()]
        self._patterns += _keys() if keys else ()
        self._patterns += [("email", EMAIL)] if emails else []
        self._valid = _library("stdnum.luhn").is_valid if cards else None
        self._key = (
            secrets.token_bytes(16) if key is None else blake2b(key, digest_size=16).digest()
        )
        self._names_secrets = keys
        self._word = lru_cache(1_000)(self.text)  # of keys, which are few and come again and again

    def text(self, text: str) -> str:
        """The text with placeholders in place of its secrets."""
        found = sorted(self._find_secrets(text))
        if not found:
            return text
        parts: list[str] = []
        at = 0
        for start, stop, kind in found:
            if start >= at:
                parts += (text[at:start], self._placeholder(kind, text[start:stop]))
                at = stop
            elif stop > at:  # two overlap: what is left of the second goes too
                at = stop
        return "".join((*parts, text[at:]))

    def _find_secrets(self, text: str) -> Iterator[SecretSpan]:
        for kind, pattern in self._patterns:
            for match in pattern.finditer(text):
                start, stop = _span(match)
                if stop > start and not PLACEHOLDER.fullmatch(text, start, stop):
                    yield start, stop, kind
        if self._valid is not None:
            for match in CARD.finditer(text):
                digits = re.sub(r"\D", "", match[0])
                if 13 <= len(digits) <= 19 and len(set(digits)) > 1 and self._valid(digits):
                    yield *match.span(), "card"

    def _placeholder(self, kind: str, value: str) -> str:
        said = value.encode("utf-8", "surrogatepass")
        return f"[redacted:{kind}#{blake2b(said, digest_size=2, key=self._key).hexdigest()}]"

    def plain(self, value: Any, depth: int = 0, key: str = "") -> Any:
        """A message as plain JSON, with every word of it redacted; the very value where there is no secret in it."""
        if isinstance(value, str):
            return self._under(key, value)
        if depth > DEPTH_MOST:
            return self._deep(value)
        if isinstance(value, list):
            new = [self.plain(each, depth + 1, key) for each in value]
            if all(a is b for a, b in zip(new, value, strict=True)):
                return value
            return new
        if isinstance(value, dict):
            return self._object(value, depth)
        return value

    def _under(self, key: str, value: str) -> str:
        """A text that stands under a key, which may say that it is a secret."""
        new = self.text(value)
        if new != value or not key or len(value) > SECRET_MOST:
            return new
        if key in OUR_KEYS:
            return value
        if self._names_secrets and NAMES_A_SECRET.search(key) and SECRET.fullmatch(value):
            if PLACEHOLDER.fullmatch(value):
                return value
            return self._placeholder("password", value)
        # A pattern may want to see both: `seat: 17`, `seat="17"`.
        for before, after in ((f'{key}="', '"'), (f"{key}: ", "")):
            for start, stop, kind in self._find_secrets(before + value + after):
                if start >= len(before) and stop <= len(before) + len(value):
                    cut = slice(start - len(before), stop - len(before))
                    return (
                        value[: cut.start] + self._placeholder(kind, value[cut]) + value[cut.stop :]
                    )
        return value

    def _deep(self, value: Any) -> Any:
        """What is nested too deep to be walked through, read as the text it is."""
        said = json_text(value)
        new = self.text(said)
        if new == said:
            return value
        return new

    def _object(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        if value.get("type") in SIGNED:
            return value
        left = KEYS_LEFT_ALONE | {"name"} if CALLS & value.keys() else KEYS_LEFT_ALONE
        left = left | {BYTES} if _holds_bytes(value) else left
        pairs = (
            (key, each if key in left and isinstance(each, str) else self._member(key, each, depth))
            for key, each in value.items()
        )
        new = {self._word(key): each for key, each in pairs}
        if _same(new, value):
            return value
        return new

    def _member(self, key: str, value: Any, depth: int) -> Any:
        if key in ("input", "args") and isinstance(value, dict):
            return self.free(value, depth)
        if key == JSON_TEXT and isinstance(value, str):
            return self._json(value)
        if key in MEDIA and isinstance(value, str) and DATA_URL.fullmatch(value):
            return value
        return self.plain(value, depth + 1, key)

    def _json(self, text: str) -> str:
        """Arguments told as JSON text: JSON again, or as it was."""
        try:
            read = parse_json(text)
        except (json.JSONDecodeError, RecursionError):
            return self.text(text)
        new = self.free(read)
        if new is read and not self._shadows(text):
            return text
        return json_text(new)

    def _shadows(self, text: str) -> bool:
        """A key that is said twice hides a secret: only the last of them is what a reader gets."""
        hidden = False

        def met(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            nonlocal hidden
            last = dict(pairs)
            if len(last) < len(pairs):
                hidden = hidden or any(self.free({key: each}) != {key: each} for key, each in pairs)
            return last

        json.loads(text, object_pairs_hook=met)
        return hidden

    def free(self, value: Any, depth: int = 0, key: str = "") -> Any:
        """What a tool is given: any key may hold a secret, and be one; a number may be a card's."""
        if isinstance(value, str):
            return self._under(key, value)
        if isinstance(value, int) and not isinstance(value, bool):
            said = str(value)
            new = self._under(key, said)
            if new == said:
                return value
            return new
        if depth > DEPTH_MOST and isinstance(value, list | dict):
            return self._deep(value)
        if isinstance(value, list):
            listed = [self.free(each, depth + 1, key) for each in value]
            if all(a is b for a, b in zip(listed, value, strict=True)):
                return value
            return listed
        if isinstance(value, dict):
            made = {
                self._word(name): self.free(each, depth + 1, name) for name, each in value.items()
            }
            if _same(made, value):
                return value
            return made
        return value


def _same(new: dict[str, Any], value: dict[str, Any]) -> bool:
    return len(new) == len(value) and all(
        key in new and new[key] is each for key, each in value.items()
    )


def _holds_bytes(value: dict[str, Any]) -> bool:
    """Its `data` is bytes, and says so."""
    data, kind = value.get(BYTES), value.get("type")
    told = kind == "base64" or (kind != "text" and bool(SAYS_BYTES & value.keys()))
    return told and isinstance(data, str) and BASE64.fullmatch(data) is not None


def redactor_of(said: Any) -> Redactor | None:
    """From what `redact=` takes: nothing, True, a redactor, or patterns to add to what is known."""
    if said is None or said is False:
        return None
    if said is True:
        return Redactor()
    if isinstance(said, Redactor):
        return said
    return Redactor(said)


@contextmanager
def hide_secrets_in_errors(redactor: Redactor | None) -> Iterator[None]:
    """What is refused in here quotes no secret of what was handed in."""
    try:
        yield
    except BadInput as refused:
        if redactor is None:
            raise
        refused.args = tuple(redactor.plain(list(refused.args)))
        vars(refused).update(redactor.plain(vars(refused)))
        raise refused from None


def _each(patterns: Any) -> Iterable[Any]:
    if isinstance(patterns, str | bytes | re.Pattern) or not isinstance(patterns, Iterable):
        raise BadInput(
            f"redact= takes True, a Redactor, or a list of patterns, got {type(patterns).__name__}"
        )
    return patterns


def _compile(name: str, pattern: Any) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as wrong:
        raise BadInput(f"the pattern {name} is no regular expression: {wrong}") from wrong
    if not isinstance(compiled.pattern, str):
        raise BadInput(f"the pattern {name} is for bytes; patterns are for text")
    return compiled


def _span(match: re.Match[str]) -> tuple[int, int]:
    """Of the secret: the longest group that can be one, else all of it."""
    spans = [match.span(group) for group in range(1, (match.re.groups or 0) + 1)]
    longest = max(spans, key=lambda span: span[1] - span[0], default=(0, 0))
    if longest[1] - longest[0] >= VALUE_LEAST:
        return longest
    return match.span()


@cache
def _keys() -> tuple[Pattern, ...]:
    own = [(kind, re.compile(pattern)) for kind, pattern in KEYS.items()]
    return (*own, *(found for plugin in LIBRARY for found in _plugin(plugin)))


def _plugin(name: str) -> Iterator[Pattern]:
    module = _library(f"detect_secrets.plugins.{name}")
    for detector in vars(module).values():
        if isinstance(detector, type) and detector.__module__ == module.__name__:
            for pattern in getattr(detector, "denylist", ()):
                yield name.replace("_", "-"), pattern


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise BadInput("redaction needs its detectors: pip install 'steno[redact]'") from missing
