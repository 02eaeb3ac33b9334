"""Take secrets out of messages before they are kept or sent.

Owns addresses, card numbers, a caller's own patterns, and what stands in a secret's place;
the room `secrets` finds all other secrets. Redacted are texts, arguments of calls, results
and every value under a key such as `password`. Ids, names of tools, signatures, signed
thinking and media stay, because a provider refuses them otherwise. Check digits of cards and
accounts come from `python-stdnum` (`pip install 'stenolog[redact]'`).
"""

from __future__ import annotations

import importlib
import json
import re
import secrets
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate, chain
from typing import Any

from steno.core.arguments import check_arguments
from steno.core.errors import BadInput, needs_extra
from steno.core.word_tables import words_of
from steno.providers import json_text, parse_json
from steno.redact.visible import visible_text
from steno.secrets import find_named_secrets
from steno.secrets.keys import SecretPattern, SecretPatterns, SecretSpan, key_patterns
from steno.secrets.names import UUID, Named, is_secret_value, what_it_names
from steno.secrets.shapes import is_command, name_of_member, names_of_items

EMAIL = re.compile(
    r"(?<![\w.+-])(?!git@[\w.-]{1,200}[:/])(?:[\w.+-]{1,64}|\"[\w.+ -]{1,64}\")@"
    r"(?![1-4]x\.(?:png|jpe?g|gif|webp|svg)\b)"
    r"(?:(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z\d])|\[[\d.]{7,15}\])"
)
_GAP = "[ \u00a0\u2009\u202f\u3000\u2010-\u2015-]?"
CARD = re.compile(
    rf"[2-6](?<![\d.-].)(?:(?<=2)[2-7]|(?<=[3-6])\d)(?:{_GAP}\d){{11,17}}(?![\d.]?\d)"
)
GROUPED_CARD = re.compile(
    r"[2-6](?<!\d.)(?:(?<=2)[2-7]|(?<=[3-6])\d)\d\d(?:([^\w\n,]{1,3}|_)\d{4}\1\d{4}\1\d{4}|([^\w\n,]{1,3}|_)\d{6}\2\d{5})"
    r"(?!\d)"
)
"""A card as it is printed, with any separator between its groups, always the same one."""
BROKEN_CARD = re.compile(
    r"[2-6](?<!\d.)(?:(?<=2)[2-7]|(?<=[3-6])\d)\d\d(?:(?:[ -]|[ -]?\r?\n[ \t]{0,8})\d{4}){3}(?!\d)"
)
"""A card whose groups stand on two lines."""
IBAN = re.compile(
    r"(?<![A-Z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?!\w)"
)
PHONE = re.compile(r"(?<![\w.+-])(?:\+|00)[1-9]\d{0,2}(?:[ ./-]?\(?\d{1,4}\)?){2,6}(?!\w|\.\d)")
PHONE_DIGITS = range(8, 16)
VALUE_LEAST = 7
"""Least characters of a group that is a secret in a pattern of a caller."""
OUR_KEYS = frozenset(("content", "text", "output", "type", "role"))
"""Keys of every message; they say nothing about their values."""
SECRET_MOST = 500
PLACEHOLDER = re.compile(r"\[redacted:[^\]\s]{1,80}#[0-9a-f]{4}\]")
KEYS_LEFT_ALONE = frozenset(("id", "file_id", "call_id", "tool_call_id", "tool_use_id"))
KEYS_LEFT_ALONE |= {"signature", "encrypted_content", "file_data"}
"""Keys whose values are the provider's own, or bytes."""
CALLS = frozenset(("arguments", "input", "args", "parameters", "tool_call_id"))
"""Keys of a call or its result; `name` beside them is a tool's name, not text."""
BYTES = "data"
SAYS_BYTES = frozenset(("media_type", "mime_type", "mimeType", "format"))
"""Keys beside `data` that show that it holds bytes."""
BASE64 = re.compile(r"[A-Za-z0-9+/=_\s-]*")
MEDIA = ("url", "image_url")
DATA_URL = re.compile(
    r"data:[\w.+-]{1,80}/[\w.+-]{1,80}(?:;[\w.+-]{1,80}=[\w.+-]{1,80}){0,8};base64,[A-Za-z0-9+/=_\s-]*"
)
HOLDS_TEXTS = words_of(
    "text content parts output result response functionResponse function_response toolResult"
)
"""Keys that lead from a message to the texts that are read one after the other."""
TOGETHER = HOLDS_TEXTS | {"system"}
"""Keys under which texts are looked at together, too."""
SIGNED = ("thinking", "redacted_thinking", "reasoning")
FREE = frozenset(("input", "args", "response", "json", "metadata"))
"""Keys of objects in which a program writes what it likes: arguments, results, notes."""
JSON_TEXT = "arguments"
DEPTH_MOST = 64
NUMBER_BITS = 4_096
YEARS = range(1_900, 2_100)
"""Numbers that are no PIN if they are not written as text."""


class Redactor:
    """Takes secrets out; the same secret gets the same placeholder from the same redactor.

    `patterns` are regular expressions of your own, or a mapping from a name to one; if one
    has a group, the group is the secret. `key` makes placeholders the same in every process
    that has it; without one they hold as long as the redactor. A placeholder shows 16 bits
    of a keyed hash, which gives no secret away.
    """

    def __init__(
        self,
        patterns: Mapping[str, str | re.Pattern[str]] | Iterable[str | re.Pattern[str]] = (),
        *,
        keys: bool = True,
        emails: bool = True,
        cards: bool = True,
        ibans: bool = False,
        phones: bool = False,
        key: bytes | None = None,
    ) -> None:
        known = list(_own_patterns(patterns))
        own = [(each.kind, str(each.source)) for each in known]
        switches = (keys, emails, cards, ibans, phones)
        self.setup = blake2b(repr((own, switches)).encode(), digest_size=6).hexdigest()
        """What tells it from a redactor that takes out something else."""
        if keys:
            known += key_patterns()
        if emails:
            known.append(SecretPattern("email", EMAIL, ("@",)))
        self._patterns = SecretPatterns(known)
        self._is_card = None
        if cards:
            self._is_card = _library("stdnum.luhn").is_valid
        self._is_iban = None
        if ibans:
            self._is_iban = _library("stdnum.iban").is_valid
        self._phones = phones
        if key is None:
            self._key = secrets.token_bytes(16)
        else:
            self._key = blake2b(key, digest_size=16).digest()
        self._names_secrets = keys
        # Keys of objects are few and come again in every message.
        self._word = lru_cache(1_000)(self.text)

    @check_arguments
    def text(self, text: str) -> str:
        """Return the text with placeholders in place of its secrets."""
        return self._replace(text, self._find_secrets(text))

    def _replace(self, text: str, found: Iterable[SecretSpan]) -> str:
        parts: list[str] = []
        at = 0
        for start, stop, kind in sorted(found):
            if start >= at:
                parts += (text[at:start], self._placeholder(kind, text[start:stop]))
                at = stop
            elif stop > at:
                # Two overlap: the rest of the second goes too.
                at = stop
        if not parts:
            return text
        return "".join((*parts, text[at:]))

    def _find_secrets(self, text: str) -> Iterator[SecretSpan]:
        seen, places = visible_text(text)
        for start, stop, kind in self._find_visible(seen):
            if places is not None:
                start, stop = places.span(start, stop)
            yield start, stop, kind
        if places is not None:
            # What is not seen may stand between two words as well as within one.
            yield from self._find_visible(text)

    def _find_visible(self, text: str) -> Iterator[SecretSpan]:
        found = self._patterns.find_in(text)
        if self._names_secrets:
            found = chain(found, find_named_secrets(text))
        for start, stop, kind in found:
            if not PLACEHOLDER.fullmatch(text, start, stop):
                yield start, stop, kind
        yield from self._find_numbers(text)

    def _find_numbers(self, text: str) -> Iterator[SecretSpan]:
        if self._is_card is not None:
            cards = (pattern.finditer(text) for pattern in (CARD, GROUPED_CARD, BROKEN_CARD))
            for match in chain.from_iterable(cards):
                digits = "".join(filter(str.isdecimal, match[0]))
                if (
                    not 13 <= len(digits) <= 19
                    or len(set(digits)) == 1
                    or match[0].count("\n") > 1
                    or not self._is_card(digits)
                ):
                    continue
                around = slice(max(match.start() - 36, 0), match.end() + 36)
                if match[0] not in " ".join(UUID.findall(text[around])):
                    yield *match.span(), "card"
        if self._is_iban is not None:
            for match in IBAN.finditer(text):
                if self._is_iban(match[0].replace("-", "")):
                    yield *match.span(), "iban"
        if self._phones:
            for match in PHONE.finditer(text):
                if sum(map(str.isdigit, match[0])) in PHONE_DIGITS:
                    yield *match.span(), "phone"

    def _placeholder(self, kind: str, value: str) -> str:
        raw = value.encode("utf-8", "surrogatepass")
        return f"[redacted:{kind}#{blake2b(raw, digest_size=2, key=self._key).hexdigest()}]"

    def plain(self, value: Any, depth: int = 0, key: str = "") -> Any:
        """Return a message as plain JSON without secrets; the very same value if it has none."""
        if isinstance(value, str):
            return self._under(key, value)
        if depth > DEPTH_MOST:
            return self._deep(value)
        if isinstance(value, list):
            if depth == 0 and key in TOGETHER:
                return self.plain({key: value})[key]
            new = [self.plain(each, depth + 1, key) for each in value]
            if all(a is b for a, b in zip(new, value, strict=True)):
                return value
            return new
        if isinstance(value, dict):
            return self._object(value, depth, key)
        return value

    def _under(self, key: str, value: str) -> str:
        """Return a text without secrets; its key may say that all of it is one."""
        new = self.text(value)
        if new != value or not key or len(value) > SECRET_MOST:
            return new
        if key in OUR_KEYS:
            return value
        if self._names_secrets and not PLACEHOLDER.fullmatch(value):
            names = what_it_names(key)
            if names is Named.TOKEN:
                names = Named.KEY
            if names is not None and is_secret_value(value, names, in_marks=True):
                return self._placeholder(names.value, value)
        # A pattern may need key and value together: `seat: 17`, `seat="17"`.
        for before, after in ((f'{key}="', '"'), (f"{key}: ", "")):
            for start, stop, kind in self._find_secrets(before + value + after):
                if start >= len(before) and stop <= len(before) + len(value):
                    cut = slice(start - len(before), stop - len(before))
                    return (
                        value[: cut.start] + self._placeholder(kind, value[cut]) + value[cut.stop :]
                    )
        return value

    def _deep(self, value: Any) -> Any:
        """Redact what is nested too deep to walk through as one text."""
        text = json_text(value)
        new = self.text(text)
        if new == text:
            return value
        return new

    def _object(self, value: dict[str, Any], depth: int, under: str) -> dict[str, Any]:
        if value.get("type") in SIGNED and _is_signed(value):
            return value
        left_alone = KEYS_LEFT_ALONE
        if CALLS & value.keys():
            left_alone = left_alone | {"name"}
        if _holds_bytes(value):
            left_alone = left_alone | {BYTES}
        new = {}
        for key, member in value.items():
            if key not in left_alone or not isinstance(member, str):
                # What lies in such a list is looked at with it.
                together = key in TOGETHER and under not in TOGETHER
                if together:
                    member = self._together(member, "\n")
                member = self._member(key, member, depth)
                if together:
                    member = self._together(self._together(member, " "), "")
            new[self._word(key)] = member
        if _same(new, value):
            return value
        return new

    def _member(self, key: str, value: Any, depth: int) -> Any:
        if key in FREE and isinstance(value, dict):
            return self.free(value, depth)
        if key == JSON_TEXT and isinstance(value, str):
            return self._json(value)
        if key in MEDIA and isinstance(value, str) and DATA_URL.fullmatch(value):
            return value
        return self.plain(value, depth + 1, key)

    def _together(self, value: Any, gap: str) -> Any:
        """Redact what shows only if texts of one message are read one after the other."""
        texts: list[str] = []

        def collect(text: str) -> str:
            texts.append(text)
            return text

        _map_texts(value, collect)
        if len(texts) < 2:
            return value
        clean = self._redact_joined(texts, gap)
        if clean == texts:
            return value
        left = iter(clean)
        return _map_texts(value, lambda _: next(left))

    def _redact_joined(self, texts: list[str], gap: str) -> list[str]:
        """Redact texts as one; a secret in two of them gets a placeholder in each."""
        joined = gap.join(texts)
        starts = list(accumulate((len(text) + len(gap) for text in texts), initial=0))
        found: list[list[SecretSpan]] = [[] for _ in texts]
        for start, stop, kind in self._find_secrets(joined):
            # A placeholder was the whole secret: what follows it in the next text is none.
            if PLACEHOLDER.match(joined, start):
                continue
            first = bisect_right(starts, start) - 1
            for at in range(first, len(texts)):
                begin, end = max(start - starts[at], 0), min(stop - starts[at], len(texts[at]))
                # Between the ends of a key in two texts may stand a third.
                is_key = kind == "private-key" and at > first
                if begin >= end or (is_key and not BASE64.fullmatch(texts[at], begin, end)):
                    break
                found[at].append((begin, end, kind))
        return [self._replace(*each) for each in zip(texts, found, strict=True)]

    def _json(self, text: str) -> str:
        """Redact arguments that are JSON text; they stay JSON, or as they were."""
        try:
            read = parse_json(text)
            new = self.free(read)
            if new is read and not self._shadows(text):
                return text
            return json_text(new)
        except (ValueError, RecursionError):
            # No JSON, or nested so deeply that reading or writing it gives up on the way.
            return self.text(text)

    def _shadows(self, text: str) -> bool:
        """Return whether a key that stands twice hides a secret: parsing keeps only the last."""
        hidden = False

        def keep_last(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            nonlocal hidden
            last = dict(pairs)
            if len(last) < len(pairs):
                hidden = hidden or any(self.free({key: each}) != {key: each} for key, each in pairs)
            return last

        # Numbers as texts: one of thousands of digits is refused otherwise.
        json.loads(text, object_pairs_hook=keep_last, parse_int=str)
        return hidden

    def free(self, value: Any, depth: int = 0, key: str = "") -> Any:
        """Redact arguments of a tool: any key may hold or be a secret, a number may be a card."""
        if isinstance(value, str):
            return self._under(key, value)
        if isinstance(value, int) and not isinstance(value, bool):
            # Python refuses to write a number of thousands of digits; none of them is a card.
            if value.bit_length() > NUMBER_BITS:
                return value
            digits = str(value)
            if value in YEARS and what_it_names(key) is Named.PIN:
                return value
            new = self._under(key, digits)
            if new == digits:
                return value
            return new
        if depth > DEPTH_MOST and isinstance(value, list | dict):
            return self._deep(value)
        if isinstance(value, list):
            listed = [
                self.free(each, depth + 1, word)
                for each, word in zip(value, names_of_items(value, key), strict=True)
            ]
            if is_command(listed):
                listed = self._redact_joined(listed, " ")
            if all(a is b for a, b in zip(listed, value, strict=True)):
                return value
            return listed
        if isinstance(value, dict):
            made = {
                self._word(name): self.free(each, depth + 1, name_of_member(value, name, key))
                for name, each in value.items()
            }
            if _same(made, value):
                return value
            return made
        return value


def _map_texts(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:
    """Return the content of a message with each of its texts changed; blank ones do not count."""
    if isinstance(value, str) and not value.isspace() and value:
        return change(value)
    if depth > DEPTH_MOST:
        return value
    if isinstance(value, list):
        return [_map_texts(each, change, depth + 1) for each in value]
    if isinstance(value, dict) and not (value.get("type") in SIGNED and _is_signed(value)):
        return {
            key: _map_texts(each, change, depth + 1) if key in HOLDS_TEXTS else each
            for key, each in value.items()
        }
    return value


def _is_signed(value: dict[str, Any]) -> bool:
    """Return whether a provider would refuse this thinking if it was changed."""
    return any(value.get(key) for key in ("signature", "data", "encrypted_content"))


def _same(new: dict[str, Any], value: dict[str, Any]) -> bool:
    return len(new) == len(value) and all(
        key in new and new[key] is each for key, each in value.items()
    )


def _holds_bytes(value: dict[str, Any]) -> bool:
    """Return whether its `data` is bytes, and another key says so."""
    data, kind = value.get(BYTES), value.get("type")
    if not isinstance(data, str) or kind == "text":
        return False
    if kind != "base64" and not SAYS_BYTES & value.keys():
        return False
    return BASE64.fullmatch(data) is not None


def _own_patterns(patterns: Any) -> Iterator[SecretPattern]:
    """Compile a caller's own patterns; those without a name are numbered."""
    if isinstance(patterns, str | bytes | re.Pattern) or not isinstance(patterns, Iterable):
        raise BadInput(
            f"redact= takes True, a Redactor, or a list of patterns, got {type(patterns).__name__}"
        )
    if not isinstance(patterns, Mapping):
        patterns = {f"own-{number}": pattern for number, pattern in enumerate(patterns, 1)}
    for name, pattern in patterns.items():
        yield SecretPattern(name, _compile(name, pattern), least=VALUE_LEAST)


def _compile(name: str, pattern: Any) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as wrong:
        raise BadInput(f"the pattern {name} is no regular expression: {wrong}") from wrong
    if not isinstance(compiled.pattern, str):
        raise BadInput(f"the pattern {name} is for bytes; patterns are for text")
    return compiled


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise needs_extra(
            "check digits of cards and accounts need python-stdnum", "redact"
        ) from missing
