"""Every option of a session, as one value.

`Session`, `AsyncSession`, `steno.compact`, `steno.wrap` and the adapters take the
same options by name and pass them on as one `SessionOptions`. Each option is
documented here, once; `document_options` copies the text to every function that
takes them. What the options come to (a wire, a meter, a budget) is in `settings`.
"""

from __future__ import annotations

import inspect
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from steno.core.arguments import check_fields
from steno.core.budget import check_window
from steno.core.constraint import Constraint, as_constraints
from steno.core.effects import DEFAULT_LIMITS, Limits, Model
from steno.core.errors import BadInput
from steno.core.events import OnEvent, ignore_event
from steno.core.meter import Meter
from steno.core.wire import Wire
from steno.engine.policy import Policy, Quota
from steno.models.retry import DEFAULT_RETRY, Breakers, RetryPolicy
from steno.models.spend import DEFAULT_SPEND, Spend
from steno.recall.embedders import Embedder
from steno.session.redact import Redactor
from steno.wires.cache_marks import CacheUse

F = TypeVar("F", bound=Callable[..., Any])

Writer = Model | str | Sequence[Model | str] | None
"""A model, its name, or several of either, best first; None for no writer."""
Patterns = Mapping[str, str | re.Pattern[str]] | Iterable[str | re.Pattern[str]]
Redact = Redactor | bool | Patterns | None
"""What takes secrets out of messages; see the option `redact`."""


@dataclass(frozen=True, kw_only=True)
class SessionOptions:
    """What a session is told, apart from where it is kept and what is in it.

    window: size of the model's context window in tokens.
    model: name of the agent's model; gives the window, the wire and the prices if they are known.
    reserve: tokens of the window to keep free for the reply.
    wire: format of the messages: "openai", "openai-responses", "anthropic" or a `Wire`.
    policy: when and how to compact: a `Policy`, the name of a shipped one, or a TOML file. By
        default that of the stored session, `Policy()` for a new one.
    quota: "normal", "fallback" (compact earlier, keep less) or "deny" (ask no model).
    meter: how tokens are counted; by default chosen by model and wire.
    writer: model that writes summaries: an object with `answer(ask)`, a name such as
        "openai:gpt-5-mini", or a list of them, best first. Without one, no model is asked.
    retry: how often and how long a writer is asked again after a failure.
    spend: what all writers of this session together may cost.
    breakers: shared state of writers that are down, to pass to several sessions.
    limits: what one compaction may cost in seconds, asks and tokens.
    on_event: function that is called with every event.
    strict: raise `DoesNotFit` also if a compaction ends over what is usable of the window.
    redact: take secrets out of messages before they are kept: True for the shipped
        patterns, patterns of your own to use beside them, or a `Redactor`. False
        switches it off for a session that was begun with it.
    clock: function that returns seconds, for tests.
    embedder: finds messages by meaning in `recall`; None searches by words only.
    constraints: rules from outside the conversation, as texts or `Constraint` values. They are
        stored with the session and stand at the head of every view until they are retired.
    memory: learn what holds beyond this session, and begin with what earlier sessions of
        the same `user` learned.
    agent_name: name of the agent; every event carries it.
    offload_dir: folder into which a result that is shortened is written whole, so that the
        agent reads it again with its own file tools; the shortened result names the file.
    cache: "managed" gives every request of the session one cache key (OpenAI), or cache marks
        where they pay (Anthropic, Bedrock) unless it has some; "given" adds nothing.
    """

    window: int | None = None
    model: str | None = None
    reserve: int | None = None
    wire: str | Wire | None = None
    policy: str | os.PathLike[str] | Policy | None = None
    quota: Quota = "normal"
    meter: Meter | None = None
    writer: Writer = None
    retry: RetryPolicy = DEFAULT_RETRY
    spend: Spend = DEFAULT_SPEND
    breakers: Breakers | None = None
    limits: Limits = DEFAULT_LIMITS
    on_event: OnEvent = ignore_event
    strict: bool = False
    redact: Redact = None
    clock: Callable[[], float] = time.monotonic
    embedder: Embedder | None = None
    constraints: Sequence[str | Constraint] = ()
    memory: bool = False
    agent_name: str = ""
    offload_dir: str | os.PathLike[str] | None = None
    cache: CacheUse = "given"

    def __post_init__(self) -> None:
        check_fields(self)
        # A meter of the caller's counts in units of its own.
        if self.meter is None and self.window is not None:
            check_window(self.window)
        if self.model is not None:
            _check_line("model", self.model)
        _check_line("agent_name", self.agent_name)
        _check_has("wire", self.wire, "a name or a Wire", "terms", str)
        _check_has("meter", self.meter, "a Meter", "message")
        _check_has("embedder", self.embedder, "an object with `embed`", "embed")
        as_constraints(self.constraints)


def _check_line(name: str, value: str) -> None:
    if not value.isprintable():
        raise BadInput(f"{name}= is one line of text, got {value!r}")


def _check_has(name: str, value: object, expected: str, method: str, *kinds: type) -> None:
    """Refuse what is none of these types and lacks the method; None is allowed."""
    if value is None or isinstance(value, kinds) or hasattr(value, method):
        return
    raise BadInput(f"{name}= takes {expected}, got {type(value).__name__}")


def option_docs() -> dict[str, str]:
    """Return the text of each option, by its name, as it stands in `SessionOptions`."""
    lines = inspect.cleandoc(SessionOptions.__doc__ or "").splitlines()
    docs: dict[str, str] = {}
    name = ""
    for line in lines[2:]:
        if not line.startswith(" "):
            name = line.partition(":")[0]
            docs[name] = line
        else:
            docs[name] += "\n" + line
    return docs


def document_options(function: F) -> F:
    """Append the text of every option that a function takes to its docstring."""
    taken = inspect.signature(function).parameters
    texts = [text for name, text in option_docs().items() if name in taken]
    own = inspect.cleandoc(function.__doc__ or "")
    function.__doc__ = f"{own}\n\nOptions:\n\n" + "\n".join(texts)
    return function
