"""What a provider's reply says beside the answer: what it did to the request, and to its cache.

Anthropic lists edits that it applied and blocks that it dropped, and counts the rounds of its own
compaction. A reply is read as an object of the SDK or as its JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from steno.core.events import CacheMissed, Event, ProviderEdited
from steno.core.model import Usage
from steno.providers.shared.plain_json import Json, count_at, get_field, list_at

LIFETIMES_WRITTEN = (
    ("12h", ("input_tokens_details", "cache_write_tokens_details", "ttl_12h_tokens")),
    ("1h", ("cache_creation", "ephemeral_1h_input_tokens")),
    ("30m", ("input_tokens_details", "cache_write_tokens_details", "ttl_30m_tokens")),
    ("5m", ("cache_creation", "ephemeral_5m_input_tokens")),
)
"""Where a usage counts what was written for so long; the longest first."""
REPORT_KEYS = (
    "context_management",
    "input_transformations",
    "diagnostics",
    "prompt_cache_diagnostics",
    "stop_reason",
)
"""Keys of a reply, or of an event of its stream, that say what was done to the request."""
COUNT_KEYS = ("cleared_tool_uses", "cleared_thinking_turns")
NAME_MOST = 80
"""Characters of a name: it comes from outside and goes into a log."""


def written_for_each(usage: Any) -> list[tuple[str, int]]:
    """Return how many tokens the provider wrote to its cache for each lifetime, longest first."""
    counts = [(lifetime, count_at(usage, *path)) for lifetime, path in LIFETIMES_WRITTEN]
    return [each for each in counts if each[1]]


def written_for(usage: Any) -> str | None:
    """Return how long the provider keeps what it wrote to its cache, or None if it wrote none."""
    return next((lifetime for lifetime, _ in written_for_each(usage)), None)


def read_usage(usage: Any) -> Usage:
    """Return what a provider counted, by the names of whichever API reported it."""
    if isinstance(usage, Usage):
        return usage
    sent, said = "input_tokens", "output_tokens"
    if get_field(usage, "prompt_tokens") is not None:
        sent, said = "prompt_tokens", "completion_tokens"
    details = f"{sent}_details"
    if sent == "prompt_tokens" or get_field(usage, details) is not None:
        cached = count_at(usage, details, "cached_tokens")
        written = count_at(usage, details, "cache_write_tokens")
        return Usage(count_at(usage, sent), cached, written, count_at(usage, said))
    # Anthropic leaves what the cache read and wrote out of `input_tokens`.
    cached = count_at(usage, "cache_read_input_tokens")
    written = count_at(usage, "cache_creation_input_tokens")
    return Usage(count_at(usage, sent) + cached + written, cached, written, count_at(usage, said))


def reported_usage(reply: Any) -> Any:
    """Return what a provider counted for a request; None if the reply does not say so."""
    usage = get_field(reply, "usage")
    counts = [get_field(usage, key) for key in ("prompt_tokens", "input_tokens")]
    # A session refuses a count below 0; a server that reports one has not counted.
    if any(isinstance(count, int) and count >= 0 for count in counts):
        return usage
    return None


def compaction_rounds(usage: Any) -> list[Any]:
    """Return what rounds of the provider's own compaction used: its totals leave them out."""
    rounds = list_at(usage, "iterations")
    return [each for each in rounds if get_field(each, "type") == "compaction"]


def events_in(reply: Any) -> Iterator[Event]:
    """Yield what the provider says that it did to the request."""
    for edit in list_at(reply, "context_management", "applied_edits"):
        count = sum(count_at(edit, key) for key in COUNT_KEYS)
        yield ProviderEdited(_name(edit), count, count_at(edit, "cleared_input_tokens"))
    for change in list_at(reply, "input_transformations"):
        yield ProviderEdited(_name(change), 0, 0)
    for each in compaction_rounds(get_field(reply, "usage")):
        yield ProviderEdited("compaction", 0, count_at(each, "input_tokens"))
    missed = get_field(reply, "diagnostics", "cache_miss_reason")
    if missed is not None:
        yield CacheMissed(_name(missed), count_at(missed, "cache_missed_input_tokens"))
    diagnosed = get_field(reply, "prompt_cache_diagnostics")
    if get_field(diagnosed, "type") == "cache_miss":
        reason = str(get_field(diagnosed, "reason") or "")
        yield CacheMissed(reason[:NAME_MOST], count_at(diagnosed, "cache_missed_tokens"))


class StreamedReport:
    """Gathers from the events of a stream what a whole reply says beside its answer."""

    def __init__(self) -> None:
        self.reply: Json = {}

    def see(self, event: Any) -> None:
        """Take an event, as an object of the SDK or as JSON."""
        # Anthropic's first event holds the message and a later one how it stopped, OpenAI's
        # last one the response.
        inner = (get_field(event, key) for key in ("message", "delta", "response"))
        for holder in (event, *inner):
            for key in REPORT_KEYS:
                if get_field(holder, key) is not None:
                    self.reply[key] = get_field(holder, key)
            usage = get_field(holder, "usage")
            if hasattr(usage, "model_dump"):
                usage = usage.model_dump()
            if isinstance(usage, Mapping):
                # Counts that did not change since the start come as null.
                counts = {key: value for key, value in usage.items() if value is not None}
                self.reply["usage"] = self.reply.get("usage", {}) | counts


def _name(value: Any) -> str:
    return str(get_field(value, "type") or "unknown")[:NAME_MOST]
