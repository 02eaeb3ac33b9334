"""Every option of a session, written down once.

`Session`, `AsyncSession`, `steno.compact`, `steno.wrap` and the adapters take them by name, as
`**options: Unpack[…]`: an editor and a type checker know each by its name and type.
"""

from __future__ import annotations

import inspect
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict, TypeVar, Unpack, cast, get_args, get_type_hints

from steno.core.arguments import check_arguments
from steno.core.budget import check_window
from steno.core.constraint import Constraint, as_constraints
from steno.core.errors import BadInput
from steno.core.events import OnEvent, ignore_event
from steno.core.log import Log
from steno.core.meter import Meter
from steno.core.store import Store
from steno.core.wire import Wire
from steno.engine.policy import Policy, Quota
from steno.providers.cache_marks import CacheUse
from steno.recall.embedders import Embedder
from steno.redact import Redactor
from steno.session.writer import AnyWriter

F = TypeVar("F", bound=Callable[..., Any])

Patterns = Mapping[str, str | re.Pattern[str]] | Iterable[str | re.Pattern[str]]
Redact = Redactor | bool | Patterns | None
"""What takes secrets out of messages; see the option `redact`."""


class CompactOptions(TypedDict, total=False):
    """What `steno.compact`, sessions and adapters take.

    window: size of the model's context window in tokens.
    limit: tokens that a request should stay below, if the window holds more.
    reserve: tokens of the window to keep free for the reply.
    quota: "normal", "fallback" (compact earlier, keep less) or "deny" (ask no model).
    meter: how tokens are counted; by default chosen by model and wire.
    writer: model that writes summaries: an object with `answer(ask)`, a name such as
        "openai:gpt-5-mini", or a list of them, best first; or a `Writer`, which also says how
        often it is asked again and what it may cost. Without one, no model is asked.
    on_event: function that is called with every event.
    strict: raise `DoesNotFit` also if a compaction ends over what is usable of the window.
    redact: take secrets out of messages before they are kept: True for the shipped
        patterns, patterns of your own to use beside them, or a `Redactor`. False
        switches it off for a session that was begun with it.
    clock: function that returns seconds, for tests.
    embedder: finds messages by meaning in `recall`; None searches by words only.
    constraints: what holds from outside the conversation, as texts or `Constraint` values. They are
        stored with the session and stand at the head of every view until they are retired.
    agent_name: name of the agent; every event carries it.
    """

    window: int | None
    limit: int | None
    reserve: int | None
    quota: Quota
    meter: Meter | None
    writer: AnyWriter
    on_event: OnEvent
    strict: bool
    redact: Redact
    clock: Callable[[], float]
    embedder: Embedder | None
    constraints: Sequence[str | Constraint]
    agent_name: str


class SharedOptions(CompactOptions, total=False):
    """What sessions and adapters take.

    memory: learn what holds beyond this session, and begin with what earlier sessions of
        the same `user` learned.
    """

    memory: bool


class SessionOptions(SharedOptions, total=False):
    """What a session takes.

    model: name of the agent's model; gives the window, the wire and the prices if they are known.
    wire: format of the messages: "openai", "openai-responses", "anthropic" or a `Wire`.
    policy: when and how to compact: a `Policy`, the name of a shipped one, or a TOML file. By
        default that of the stored session, `Policy()` for a new one.
    cache: "managed" gives every request of the session one cache key (OpenAI), or cache marks
        where they pay (Anthropic, Bedrock) unless it has some; "given" adds nothing.
    name: name of the session; may be left out if the file holds only one.
    store: a `Store`, or a path, in place of `path`.
    durable: wait until every message is on the disk, so that a power cut loses nothing.
    user: whose session this is; needed for `memory`. It is then stored as `USER:NAME`.
    log: messages and commits that a new session begins with.
    system: system prompt, in the provider's format.
    tools: definitions of the agent's tools, in the provider's format.
    pins: positions that are never covered.
    """

    model: str | None
    wire: str | Wire | None
    policy: str | os.PathLike[str] | Policy | None
    cache: CacheUse
    name: str | None
    store: Store | str | os.PathLike[str] | None
    durable: bool
    user: str | None
    log: Log | None
    system: Any
    tools: Any
    pins: Iterable[int]


DEFAULTS: SessionOptions = {
    "quota": "normal",
    "on_event": ignore_event,
    "strict": False,
    "clock": time.monotonic,
    "constraints": (),
    "agent_name": "",
    "memory": False,
    "cache": "given",
    "durable": True,
    "pins": (),
}
"""Defaults of the options; that of any other is None."""
OPTION_TYPES: dict[str, Any] = get_type_hints(SessionOptions)


def with_changes(options: CompactOptions, **changes: Unpack[SessionOptions]) -> SessionOptions:
    """Return options with some others, or in place of some."""
    return cast(SessionOptions, {**options, **changes})


def _check_values(options: SessionOptions) -> None:
    """Refuse values that are of the right type and still wrong."""
    # A meter of the caller's counts in units of its own.
    window, meter = options["window"], options["meter"]
    if meter is None and window is not None:
        check_window(window)
    if options["model"] is not None:
        _check_line("model", options["model"])
    _check_line("agent_name", options["agent_name"])
    _check_has("wire", options["wire"], "a name or a Wire", "terms", str)
    _check_has("meter", meter, "a Meter", "message")
    _check_has("embedder", options["embedder"], "an object with `embed`", "embed")
    as_constraints(options["constraints"])


def _check_line(name: str, value: str) -> None:
    if not value.isprintable():
        raise BadInput(f"{name}= is one line of text, got {value!r}")


def _check_has(name: str, value: object, expected: str, method: str, *kinds: type) -> None:
    """Refuse what is none of these types and lacks the method; None is allowed."""
    if value is None or isinstance(value, kinds) or hasattr(value, method):
        return
    raise BadInput(f"{name}= takes {expected}, got {type(value).__name__}")


def option_docs(taken: Any = CompactOptions) -> dict[str, str]:
    """Return the text of each option, by its name; a class of options may have texts of its own."""
    docs: dict[str, str] = {}
    for kind in (CompactOptions, SharedOptions, SessionOptions, taken):
        name = ""
        for line in inspect.cleandoc(kind.__doc__ or "").splitlines()[2:]:
            if not line.startswith(" "):
                name = line.partition(":")[0]
                docs[name] = line
            else:
                docs[name] += "\n" + line
    return docs


def takes_options(function: F) -> F:
    """Spell out the options of `**options: Unpack[…]`, document them, and check all arguments."""
    signature = inspect.signature(function)
    shown = []
    taken: Any = CompactOptions
    for parameter in signature.parameters.values():
        if parameter.kind is not parameter.VAR_KEYWORD:
            shown.append(parameter)
            continue
        taken = get_args(get_type_hints(function)[parameter.name])[0]
        for name, annotation in get_type_hints(taken).items():
            kind, default = inspect.Parameter.KEYWORD_ONLY, DEFAULTS.get(name)
            shown.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
            function.__annotations__[name] = annotation
        del function.__annotations__[parameter.name]
    function.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    names = {parameter.name for parameter in shown}
    texts = [text for name, text in option_docs(taken).items() if name in names]
    own = inspect.cleandoc(function.__doc__ or "")
    function.__doc__ = f"{own}\n\nOptions:\n\n" + "\n".join(texts)
    return cast(F, check_arguments(function))


def _complete(**options: Unpack[SessionOptions]) -> SessionOptions:
    """Return all options, those that were given and the defaults of the others; check them."""
    complete = cast(SessionOptions, dict.fromkeys(OPTION_TYPES) | DEFAULTS | options)
    _check_values(complete)
    return complete


_complete.__qualname__ = "SessionOptions"  # errors name it
complete_options = takes_options(_complete)
