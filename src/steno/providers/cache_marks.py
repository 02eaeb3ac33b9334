"""Marks in a request that tell a provider what to keep in its cache.

Anthropic and Bedrock cache up to a mark, OpenAI finds a conversation's cache by a key, and
Gemini needs neither. A mark pays where the next requests begin alike: at the end of the
system prompt, before the first thing that a commit changed, and at the end of the list.
Anthropic allows four marks in a request; three are placed, and none where the caller
placed some.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Literal

from steno.providers import PROVIDERS
from steno.providers.provider import CacheStyle
from steno.providers.shared.plain_json import Json, JsonView, get_field, list_at

CacheUse = Literal["given", "managed"]
"""Whether a request's marks are the caller's alone, or are placed where there are none."""


def cache_key(session: str) -> str:
    """Return the key of a session's cache; it does not show the session's name."""
    return "steno-" + blake2b(session.encode("utf-8", "replace"), digest_size=16).hexdigest()


def cache_mark_keys() -> set[str]:
    """Return the keys by which requests of any provider mark what to cache."""
    return {provider.cache.mark for provider in PROVIDERS.values()} - {""}


def with_cache_marks(
    wire: str, request: JsonView, *, model: str, session: str, stable: int, end: int
) -> JsonView:
    """Return a request with a cache key or marks; the same one if it has some already.

    stable: how many of its messages, from the first, no commit has changed.
    end: how many of them will be sent again: a reminder after them is another each time.
    """
    style = _style(wire)
    if style.key:
        if isinstance(request.get(style.key), str):
            return request
        return {**request, style.key: cache_key(session)}
    messages = request.get("messages")
    if not style.mark or not isinstance(messages, list) or _has_marks(style, request):
        return request
    if style.models and not any(name in model.lower() for name in style.models):
        return request
    marked = list(messages)
    for last in {stable, end}:
        # The last user's message: a reply may end with what takes no mark.
        before = [at for at in range(min(last, len(marked))) if _is_user(marked[at])]
        for at in before[-1:]:
            if _mark_of(style, marked[at]) is None:
                marked[at] = _mark_end(style, marked[at])
    return {**request, **_marked_preamble(style, request), "messages": marked}


def with_moved_marks(wire: str, given: Sequence[Any], shown: Sequence[Any]) -> list[Any]:
    """Return a list in which a mark that was covered stands on what covers it.

    given: the caller's messages; shown: what goes out instead.
    """
    style, moved = _style(wire), list(shown)
    if not style.mark:
        return moved
    lost = [mark for message in given if (mark := _mark_of(style, message)) is not None]
    if len(lost) <= sum(_mark_of(style, message) is not None for message in shown):
        return moved
    originals = {id(message) for message in given}
    new = [at for at in range(len(moved)) if id(moved[at]) not in originals and _is_user(moved[at])]
    for at in new[-1:]:
        moved[at] = _mark_end(style, moved[at], lost[0])
    return moved


def _style(wire: str) -> CacheStyle:
    if wire not in PROVIDERS:
        return CacheStyle()
    return PROVIDERS[wire].cache


def _has_marks(style: CacheStyle, request: JsonView) -> bool:
    contents = [get_field(message, "content") for message in request["messages"]]
    configured = get_field(request, "toolConfig", "tools")
    parts = [*map(request.get, ("system", "tools")), configured, *contents]
    # Some SDKs put an object of their own where the caller gave no mark.
    if isinstance(request.get(style.mark), Mapping):
        return True
    return any(True for part in parts for _ in _marks_in(style, part))


def _mark_of(style: CacheStyle, message: Any) -> Any:
    """Return the first mark of a message, with the lifetime that it has."""
    return next(_marks_in(style, get_field(message, "content")), None)


def _marks_in(style: CacheStyle, content: Any) -> Iterator[Any]:
    """Yield the marks of blocks, and of those that a result or a document holds."""
    lists = [content]
    while lists:
        for block in list_at(lists.pop()):
            mark = get_field(block, style.mark)
            if isinstance(mark, Mapping):
                yield mark
            held = (block, get_field(block, "source"))
            lists += [get_field(each, "content") for each in held]


def _is_user(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "user"


def _mark_end(style: CacheStyle, message: Json, mark: Any = None) -> Json:
    """Return a message with a mark at its end; the same one if it takes none."""
    content = _with_mark(style, message.get("content"), mark)
    if content is None:
        return message
    return {**message, "content": content}


def _with_mark(style: CacheStyle, content: Any, mark: Any = None) -> list[Any] | None:
    if not style.apart and isinstance(content, str):
        content = [{"type": "text", "text": content}]
    # An empty text takes no mark, and neither does an object of the SDK that is not ours to change.
    if not isinstance(content, list) or not content or not isinstance(content[-1], dict):
        return None
    if not content[-1].get("text", True):
        return None
    new = {style.mark: mark or dict(style.new)}
    if style.apart:
        return [*content, new]
    return [*content[:-1], {**content[-1], **new}]


def _marked_preamble(style: CacheStyle, request: JsonView) -> Json:
    """Return the system prompt with a mark, or else the tools, which stand before it."""
    system = _with_mark(style, request.get("system"))
    if system is not None:
        return {"system": system}
    tools = list_at(request, "tools")
    # A tool that is loaded later is not part of what the provider keeps, and takes no mark.
    end = len(tools)
    while end and get_field(tools[end - 1], "defer_loading"):
        end -= 1
    marked = _with_mark(style, tools[:end])
    if marked is None:
        return {}
    return {"tools": marked + tools[end:]}
