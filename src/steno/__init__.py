"""Steno takes a long-running agent's history down in shorthand, and can read every word back.

    import steno
    result = steno.compact(messages, window=128_000, system=prompt, tools=tools)
    client.messages.create(**result.request, model=…, max_tokens=…)

`compact` is for who keeps no state; `Session` keeps the log, so that everything
can be opened again. `docs/architecture.md` is the map of the rest.
"""

from steno.adapters.wrap import sessions, wrap
from steno.core.ask import Answer, Ask, Limits, Model, NoAnswer, Reply
from steno.core.budget import Budget, Pressure
from steno.core.error import (
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
from steno.core.event import (
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
from steno.core.log import Commit, Edit, Finding, Log, Proposal
from steno.core.message import Call, Media, Message, Opaque, Result, Text, Thinking
from steno.core.meter import Meter, chars_per_four
from steno.core.rung import Rung
from steno.core.span import Span
from steno.core.tail import Entries, Larger, Messages, OfMessages, OfWindow, Share, Tail, Tokens, Turns
from steno.core.view import Item, View
from steno.engine.policy import Policy
from steno.meters import meter_for
from steno.models import Script
from steno.models.breaker import Breakers
from steno.models.patient import Patience, Patient
from steno.models.spend import Spend
from steno.session.asynchronous import AsyncSession
from steno.session.once import Compacted, compact
from steno.session.recall import Found, Hit
from steno.session.redact import Redactor
from steno.session.session import Session
from steno.steps.fold import Fold
from steno.steps.micro import Micro
from steno.steps.offload import Intake, Offload
from steno.steps.prune import Prune
from steno.steps.summarize import OffloadTail, Summarize
from steno.steps.truncate import Truncate

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
    "Patience",
    "Patient",
    "Policy",
    "Pressure",
    "Proposal",
    "Prune",
    "Redactor",
    "Reply",
    "Result",
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
