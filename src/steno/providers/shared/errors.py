"""Classifies what a model's call failed with, whichever SDK raised it.

Owns reading failures: their kind, how long the provider wants to be left alone, and
the true window if an overflow names it. What to do about a failure is decided in `retry`
and `session/overflow`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from steno.core.effects import NoAnswer
from steno.core.errors import ModelFailed
from steno.core.model import FailureKind, Usage
from steno.core.word_tables import word_tuple
from steno.providers.shared.plain_json import JsonView, count_at, get_field

READ_MOST = 4_000
"""Characters of a provider's text that are read: errors come to the point early."""

_N = r"(?P<window>\d[\d,_]*)"
# The first match wins, so patterns that can name the window stand before the general ones.
overflow_patterns = [
    re.compile(pattern, re.I | re.S)
    for pattern in (
        rf"context length is only {_N}",
        rf"with {_N} maximum context length",
        rf"maximum model length of {_N}",
        rf"exceeds the available context size(?: \({_N} tokens\))?",
        rf"exceed context window of {_N}",
        rf"exceeds? the (?:model's )?context (?:window|length)(?: of {_N})?",
        rf"exceeded model token limit:? {_N}",
        rf"tokens in the prompt cannot exceed {_N}",
        r"exceeded max context length by",
        r"prompt too long",
        r"greater than the context length|context window exceeds limit|context length exceeded",
        r"exceed_context_size_error",
        r"request (?:exceeds the maximum size|too large)",
    )
]
"""How servers of open weights and others say that a prompt is too long.

Those of the providers come first: `know_provider` adds them.
"""
_SENT = re.compile(
    r"too long: ([\d,]+) tokens >"
    r"|resulted in ([\d,]+) tokens"
    r"|\(([\d,]+) in (?:the|your) (?:messages|prompt)"
    r"|input token count \(([\d,]+)\)"
    r"|request \(([\d,]+) tokens\) exceeds"
    r"|request contains ([\d,]+) tokens",
    re.I,
)
"""How providers state what they counted in a prompt that is too long."""
COMPACTION_CODE = re.compile(r"compaction_[a-z_]{1,60}")
"""A provider's code for a failure of its own compaction, which says why in plain words."""

ERROR_TEXTS: dict[FailureKind, str] = {
    "timeout": "no answer came in time",
    "busy": "the provider is busy",
    "server": "the provider failed",
    "reset": "the connection broke before the answer was whole",
    "invalid": "what came back cannot be read",
    "refused": "the model refused",
    "overflow": "the prompt is longer than the model's window",
    "cut": "the answer was cut off at its limit",
    "empty": "the answer is empty",
    "auth": "the provider refused the key, or has no right for it to this model",
    "spent": "a limit is used up",
    "other": "the provider refused the request",
}
sdks = set(
    word_tuple(
        "litellm langchain llama ollama mistralai cohere groq together vllm fireworks huggingface"
    )
)
"""Packages whose exceptions carry a provider's text, by the first part of their names."""
KIND_BY_STATUS: dict[int, FailureKind] = {
    408: "timeout",
    429: "busy",
    529: "busy",
    401: "auth",
    402: "auth",
    403: "auth",
}
KIND_BY_CODE: dict[str, FailureKind] = {
    r"^(insufficient_quota|credit_balance_too_low|billing_(error|hard_limit_reached))$": "auth",
    r"rate_limit|overloaded|resource_exhausted|slow_down|throttlingexception": "busy",
    r"serviceunavailableexception|modelnotreadyexception": "busy",
    r"^content_(filter|policy_violation)$": "refused",
    r"^(api|server|internal_server|timeout)_error$": "server",
}
# The order matters: an SDK's timeout is a connection error too, and both are APIErrors.
KIND_BY_CLASS: dict[str, FailureKind] = {
    r"Timeout": "timeout",
    r"Connection|RemoteProtocol|ReadError|WriteError|Network|Transport|Incomplete": "reset",
    r"Validation|Decod": "invalid",
    r"APIError": "server",
}
NOBODY_LISTENS = "nothing answers at the address of the model: is the server running?"
CONNECT_ERRORS = ("ConnectError", "ConnectionRefusedError", "gaierror")
"""Names of errors of the HTTP client, which is an extra, and of the system."""
CAUSES_MOST = 8
NOTHING_USED = Usage()


def know_provider(sdk: str, refusals: Sequence[str]) -> None:
    """Read a provider's own words for a prompt that is too long, from its SDK too, from now on."""
    if sdk:
        sdks.add(sdk.partition(".")[0])
    overflow_patterns[:0] = [re.compile(pattern, re.I | re.S) for pattern in refusals]
    # A pattern that can name the window is tried before those that cannot.
    overflow_patterns.sort(key=lambda pattern: "window" not in pattern.groupindex)


def classify_error(failure: BaseException) -> ModelFailed:
    """Return the failure of a provider's call as our own error."""
    if isinstance(failure, ModelFailed):
        return failure
    body, status = _body(failure), _status(failure)
    # Anthropic's code stands beside the general type of its error.
    code = get_field(body.get("details"), "error_code") or getattr(failure, "error_code", None)
    if COMPACTION_CODE.fullmatch(str(code)):
        kind: FailureKind = "other"
        if status is None or status >= 500:
            kind = "busy"
        return ModelFailed(
            f"the provider did not compact: {code}", kind, wait=_retry_after(failure)
        )
    overflow = None
    if status != 429:  # a rate limit may speak of tokens and windows as well
        overflow = find_overflow(_text(failure, body))
    if overflow is not None or status == 413:
        # llama.cpp gives both as numbers of their own, beside the text.
        window = count_at(body, "n_ctx") or _window(overflow)
        sent = count_at(body, "n_prompt_tokens") or _sent(_text(failure, body))
        text = ERROR_TEXTS["overflow"]
        if window is not None:
            text += f" of {window:,} tokens"
        return ModelFailed(text, "overflow", window=window, sent=sent)
    known = _kind(failure, status, body)
    if known is None:
        return ModelFailed(f"the model raised {type(failure).__name__}")
    if known == "reset" and _has_no_connection(failure):
        return ModelFailed(NOBODY_LISTENS, known)
    wait = None
    if known in ("busy", "server"):
        wait = _retry_after(failure)
    text = ERROR_TEXTS[known]
    if status is not None and status >= 400:
        text += f" (status {status})"
    return ModelFailed(text, known, wait=wait)


def no_answer(failure: BaseException, by: str = "", usage: Usage = NOTHING_USED) -> NoAnswer:
    """Return the failure of a provider's call as a reply."""
    error = classify_error(failure)
    return NoAnswer(str(error), error.kind, by, error.wait, usage)


def _has_no_connection(failure: BaseException) -> bool:
    """Tell whether there was no connection at all, as when nothing listens at an address."""
    cause: BaseException | None = failure
    for _ in range(CAUSES_MOST):
        if cause is None:
            return False
        if type(cause).__name__ in CONNECT_ERRORS:
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def is_overflow(failure: BaseException) -> bool:
    """Tell whether a provider says that the prompt was too long.

    Other errors may mention that too. A provider's has a status, a body or a response,
    is raised by an SDK, or names the window.
    """
    if isinstance(failure, ModelFailed):
        return failure.kind == "overflow"
    body, status = _body(failure), _status(failure)
    found = find_overflow(_text(failure, body))
    if found is None or status == 429:
        return False
    if status is not None or body or getattr(failure, "response", None) is not None:
        return True
    modules = (kind.__module__ for kind in type(failure).__mro__)
    # A package of an integration, such as `langchain_openai`, counts by its first part.
    packages = {module.partition(".")[0].partition("_")[0] for module in modules}
    return not packages.isdisjoint(sdks) or _window(found) is not None


def rejects_format(failure: BaseException) -> bool:
    """Tell whether a server refused the form of the request, so that a plainer one may do."""
    if _status(failure) not in (400, 404, 422, 501):
        return False
    return classify_error(failure).kind in ("other", "server")


def _kind(failure: BaseException, status: int | None, body: JsonView) -> FailureKind | None:
    words = [*map(body.get, ("code", "type", "status")), getattr(failure, "code", None)]
    codes = [word.lower() for word in words if isinstance(word, str)]
    # A general `type` may stand beside a telling `code`: the word that we know decides.
    known = (_kind_in(KIND_BY_CODE, code) for code in codes)
    by_code = next((kind for kind in known if kind is not None), None)
    failed = status is not None and status >= 400
    # A code is more exact than a status, except for a server's general "I failed".
    if by_code is not None and not (failed and by_code == "server"):
        return by_code
    if status in KIND_BY_STATUS:
        return KIND_BY_STATUS[status]
    if status is not None and failed:
        return "server" if status >= 500 else "other"
    return _kind_in(KIND_BY_CLASS, " ".join(kind.__name__ for kind in type(failure).__mro__))


def _kind_in(table: Mapping[str, FailureKind], text: str) -> FailureKind | None:
    return next((kind for pattern, kind in table.items() if re.search(pattern, text)), None)


def _status(failure: BaseException) -> int | None:
    """Return the status of an error (Gemini's is its `code`), or of the response in it."""
    for holder in (failure, getattr(failure, "response", None)):
        for key in ("status_code", "code", "status"):
            status = getattr(holder, key, None)
            if isinstance(status, int) and not isinstance(status, bool):
                return status
    # botocore's: its response is a dict.
    return count_at(failure, "response", "ResponseMetadata", "HTTPStatusCode") or None


def _body(failure: BaseException) -> JsonView:
    """Return the innermost error object of the response."""
    body = getattr(failure, "body", None) or getattr(failure, "details", None)
    response = getattr(failure, "response", None)
    if body is None and isinstance(response, Mapping):
        said = response.get("Error") or {}
        return {"code": said.get("Code"), "message": said.get("Message")}
    if isinstance(body, Mapping):
        body = body.get("error", body)
    if isinstance(body, Mapping):
        return body
    return {}


def _text(failure: BaseException, body: JsonView) -> str:
    words = [*map(body.get, ("code", "type", "message")), str(failure)]
    return " ".join(str(word)[:READ_MOST] for word in words if word)


def find_overflow(text: str) -> re.Match[str] | None:
    """Return where a text says that a prompt is too long, in the words of any provider."""
    matches = (pattern.search(text) for pattern in overflow_patterns)
    return next((found for found in matches if found), None)


def _window(found: re.Match[str] | None) -> int | None:
    if found is None or not found.groupdict().get("window"):
        return None
    return int(re.sub(r"[,_]", "", found["window"])) or None


def _sent(text: str) -> int | None:
    """Return the tokens that a refusal says the prompt has."""
    found = _SENT.search(text)
    if found is None:
        return None
    # One alternative of the pattern matched, so one group holds the number.
    return int(found[found.lastindex or 0].replace(",", ""))


def _retry_after(failure: BaseException) -> float | None:
    """Return the seconds until the provider wants to be asked again, from its headers."""
    response = getattr(failure, "response", None)
    headers = getattr(response, "headers", None) or getattr(failure, "headers", None)
    if not isinstance(headers, Mapping):
        return None
    values = {str(key).lower(): str(value) for key, value in headers.items()}
    for key, parts in (("retry-after-ms", 1_000), ("retry-after", 1)):
        # A date, which some servers give, is no number: then our own pauses apply.
        with suppress(ValueError):
            seconds = float(values.get(key, "")) / parts
            if math.isfinite(seconds) and seconds >= 0:
                return seconds
    return None
