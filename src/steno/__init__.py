"""Steno takes a long-running agent's history down in shorthand, and can read every word back.

    import steno
    result = steno.compact(messages, window=128_000, system=prompt, tools=tools)
    client.messages.create(**result.request, model=…, max_tokens=…)

`compact` is stateless; `Session` keeps the log, so that everything can be opened again. Policies
are made of `steno.rungs`, `steno.tails` and `steno.checks`; `docs/architecture.md` is the map.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steno import checks, errors, events, models, rungs, tails
    from steno.adapters.compact import Compacted, compact
    from steno.adapters.fit import afit, fit
    from steno.adapters.wrap import sessions, wrap
    from steno.core.budget import Budget, Pressure
    from steno.core.constraint import Constraint
    from steno.core.errors import BadInput, NotHere, StenoError
    from steno.core.events import Event
    from steno.core.log import Commit, Log
    from steno.core.message import Message
    from steno.core.meter import Meter, chars_per_four
    from steno.core.view import View
    from steno.engine.policy import Policy
    from steno.models import RetryPolicy, Script
    from steno.providers.meter import meter_for
    from steno.redact import Redactor
    from steno.session.async_session import AsyncSession
    from steno.session.session import Session
    from steno.session.writer import Writer

__version__ = "0.1.0"

__all__ = [
    "AsyncSession",
    "BadInput",
    "Budget",
    "Commit",
    "Compacted",
    "Constraint",
    "Event",
    "Log",
    "Message",
    "Meter",
    "NotHere",
    "Policy",
    "Pressure",
    "Redactor",
    "RetryPolicy",
    "Script",
    "Session",
    "StenoError",
    "View",
    "Writer",
    "__version__",
    "afit",
    "chars_per_four",
    "checks",
    "compact",
    "errors",
    "events",
    "fit",
    "meter_for",
    "models",
    "rungs",
    "sessions",
    "tails",
    "wrap",
]

# A name is imported when it is first used, so that `import steno` alone costs next to nothing.
_MODULES = {
    "steno.adapters.fit": ("afit", "fit"),
    "steno.adapters.wrap": ("sessions", "wrap"),
    "steno.core.budget": ("Budget", "Pressure"),
    "steno.core.constraint": ("Constraint",),
    "steno.core.errors": ("BadInput", "NotHere", "StenoError"),
    "steno.core.events": ("Event",),
    "steno.core.log": ("Commit", "Log"),
    "steno.core.message": ("Message",),
    "steno.core.meter": ("Meter", "chars_per_four"),
    "steno.core.view": ("View",),
    "steno.engine.policy": ("Policy",),
    "steno.providers.meter": ("meter_for",),
    "steno.models": ("RetryPolicy", "Script"),
    "steno.session.async_session": ("AsyncSession",),
    "steno.adapters.compact": ("Compacted", "compact"),
    "steno.redact": ("Redactor",),
    "steno.session.session": ("Session",),
    "steno.session.writer": ("Writer",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name on its first use."""
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in __all__:
        value = import_module(f"steno.{name}")
    else:
        raise AttributeError(f"module 'steno' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
