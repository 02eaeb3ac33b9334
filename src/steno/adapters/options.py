"""The options of `Session` that every adapter takes, written once.

An adapter takes them as `**shared: Unpack[SharedOptions]`: a type checker and an editor
know each by name and type. `takes_options` writes them out in the function's signature for
`help()`, for a misspelt name and for the docstring, with the defaults that a session has.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any, TypedDict, TypeVar, cast

from steno.core.arguments import check_arguments
from steno.core.constraint import Constraint
from steno.core.effects import Limits
from steno.core.events import OnEvent
from steno.core.meter import Meter
from steno.engine.policy import Quota
from steno.models.retry import Breakers, RetryPolicy
from steno.models.spend import Spend
from steno.recall.embedders import Embedder
from steno.session.options import Redact, SessionOptions, Writer, document_options

F = TypeVar("F", bound=Callable[..., Any])


class SharedOptions(TypedDict, total=False):
    """Options that go to the session as they are; `SessionOptions` says what each does."""

    window: int | None
    reserve: int | None
    quota: Quota
    meter: Meter | None
    writer: Writer
    retry: RetryPolicy
    spend: Spend
    breakers: Breakers | None
    limits: Limits
    on_event: OnEvent
    strict: bool
    redact: Redact
    clock: Callable[[], float]
    embedder: Embedder | None
    constraints: Sequence[str | Constraint]
    memory: bool
    agent_name: str
    offload_dir: str | os.PathLike[str] | None


def takes_options(function: F) -> F:
    """Show and document the shared options in place of `**shared`; refuse unknown ones."""
    signature = inspect.signature(function)
    shown = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    for field in dataclasses.fields(SessionOptions):
        if field.name in SharedOptions.__annotations__:
            option = inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=field.type,
            )
            shown.append(option)
    function.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    return cast(F, document_options(check_arguments(function)))
