"""Steno takes a long-running agent's history down in shorthand, and can read every word back.

    import steno
    result = steno.compact(messages, window=128_000, system=prompt, tools=tools)
    client.messages.create(**result.request, model=…, max_tokens=…)

`compact` is for who keeps no state; `Session` keeps the log, so that everything
can be opened again. `docs/architecture.md` is the map of the rest.
"""

from steno.adapters.wrap import sessions, wrap
from steno.core.budget import Budget, Pressure
from steno.core.effects import Answer, Ask, Limits, Model, NoAnswer, Reply
from steno.core.errors import (
    BadBudget,
    BadEdit,
    BadInput,
    BadMessage,
    BadPolicy,
    DoesNotFit,
    ModelFailed,
    NotHere,
    Stale,
    StenoError,
    StoreFailed,
    TooLong,
    UnknownModel,
    UnknownWire,
)
from steno.core.events import (
    Committed,
    Event,
    Failed,
    Learned,
    Overflow,
    SafetyNet,
    Skipped,
    Started,
    Unpriced,
    Waited,
)
from steno.core.item import Item
from steno.core.log import Commit, Edit, Finding, Log, Proposal
from steno.core.message import Call, Media, Message, Opaque, Result, Span, Text, Thinking
from steno.core.meter import Meter, chars_per_four
from steno.core.rung import Rung
from steno.core.tail import (
    Entries,
    Larger,
    Messages,
    OfMessages,
    OfWindow,
    Share,
    Tail,
    Tokens,
    Turns,
)
from steno.core.view import View
from steno.engine.policy import Policy
from steno.meters import meter_for
from steno.models import Script
from steno.models.retry import Breakers, RetryingWriter, RetryPolicy
from steno.models.spend import Spend
from steno.recall.hits import Found, Hit
from steno.rungs.fold import Fold
from steno.rungs.offload import Intake, Micro, Offload, OffloadTail
from steno.rungs.prune import Prune
from steno.rungs.summarize import Summarize
from steno.rungs.truncate import Truncate
from steno.session.async_session import AsyncSession
from steno.session.compact import Compacted, compact
from steno.session.redact import Redactor
from steno.session.session import Session

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Ask",
    "AsyncSession",
    "BadBudget",
    "BadEdit",
    "BadInput",
    "BadMessage",
    "BadPolicy",
    "Breakers",
    "Budget",
    "Call",
    "Commit",
    "Committed",
    "Compacted",
    "DoesNotFit",
    "Edit",
    "Entries",
    "Event",
    "Failed",
    "Finding",
    "Fold",
    "Found",
    "Hit",
    "Intake",
    "Item",
    "Larger",
    "Learned",
    "Limits",
    "Log",
    "Media",
    "Message",
    "Messages",
    "Meter",
    "Micro",
    "Model",
    "ModelFailed",
    "NoAnswer",
    "NotHere",
    "OfMessages",
    "OfWindow",
    "Offload",
    "OffloadTail",
    "Opaque",
    "Overflow",
    "Policy",
    "Pressure",
    "Proposal",
    "Prune",
    "Redactor",
    "Reply",
    "Result",
    "RetryPolicy",
    "RetryingWriter",
    "Rung",
    "SafetyNet",
    "Script",
    "Session",
    "Share",
    "Skipped",
    "Span",
    "Spend",
    "Stale",
    "Started",
    "StenoError",
    "StoreFailed",
    "Summarize",
    "Tail",
    "Text",
    "Thinking",
    "Tokens",
    "TooLong",
    "Truncate",
    "Turns",
    "UnknownModel",
    "UnknownWire",
    "Unpriced",
    "View",
    "Waited",
    "__version__",
    "chars_per_four",
    "compact",
    "meter_for",
    "sessions",
    "wrap",
]
