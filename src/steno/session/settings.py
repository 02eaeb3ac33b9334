"""What the options of a session come to (`Settings`), and what of them is stored."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from steno.core.budget import Budget, check_window, default_reserve
from steno.core.decoders import json_decoder
from steno.core.effects import Limits, Model
from steno.core.errors import BadInput
from steno.core.meter import Meter
from steno.core.wire import Wire
from steno.engine.designs import POLICIES, resolve_policy
from steno.engine.policy import Policy, Quota
from steno.meters import lookup_model
from steno.providers import get_wire, wire_for
from steno.providers.meter import meter_for
from steno.redact import Redactor, redactor_of
from steno.session.options import SessionOptions
from steno.session.preamble import Preamble
from steno.session.writer import Writer

RETIRED = ("repairs", "economy", "probe")
"""Fields of a policy that are gone; what they did no longer happens."""
_RETIRED_IN_LISTS = re.compile(r'\{ type = "provider-compact"[^{}]*\}(?:, )?|\balike = \d+, ')


class StoredSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept with a session, so that it opens again by its name alone."""

    window: int | None = None
    limit: int | None = None
    reserve: int | None = None
    model: str | None = None
    pins: tuple[int, ...] = ()
    learned: int | None = None
    """Window that a provider's refusal taught, if it is smaller than `window`."""
    refused: int | None = None
    """Largest load that was refused as too long."""
    redacted: bool = False
    """Whether secrets are taken out of what is added."""
    clean: str = ""
    """The `setup` of the redactor that took them out of everything, from its first message on."""
    policy: str | None = None
    """Name or TOML text of the policy; empty if only Python can say it."""
    system: Any = None
    """System prompt of the newest request."""
    tools: list[Any] | None = None
    """Tools of the newest request."""
    ratio: float | None = None
    """What the meter learned from reported usage; see `Meter.ratio`."""
    counted_by: str = ""
    """Name of the meter that learned it."""
    heavier: dict[int, float] = {}
    """Media that weigh more than assumed, by what a provider reported; see `View.heavier`."""

    @classmethod
    def parse(cls, text: str) -> StoredSettings:
        return json_decoder(cls).decode(text)

    def __str__(self) -> str:
        return msgspec.json.encode(self).decode()

    def with_changes(self, **given: Any) -> StoredSettings:
        """Return these settings with the values that are not None."""
        return msgspec.structs.replace(
            self, **{key: value for key, value in given.items() if value is not None}
        )

    def for_reopening(self, **given: Any) -> StoredSettings:
        """Return these settings for reopening; another model or window voids what was learned."""
        changed = self.with_changes(**given)
        if (changed.window, changed.model) == (self.window, self.model):
            return changed
        return msgspec.structs.replace(changed, learned=None, refused=None, ratio=None)

    def is_clean_for(self, redact: Redactor | None) -> bool:
        """Tell whether nothing is kept that this redactor would take out."""
        return redact is None or self.clean == redact.setup

    def with_preamble(self, preamble: Preamble, redact: Redactor | None) -> StoredSettings:
        """Return these settings with system prompt and tools, without their secrets."""
        system, tools = preamble.system, preamble.tools
        if redact is not None:
            system, tools = redact.plain(system), redact.plain(tools)
        return self.with_changes(system=system, tools=tools)

    def policy_for(self, given: str | os.PathLike[str] | Policy | None) -> Policy:
        """Return the policy that is given, else the stored one, else the default."""
        if given is None and self.policy:
            if self.policy in POLICIES:
                return POLICIES[self.policy]
            # One field a line; a session of an earlier version may name one that is gone.
            fields = _RETIRED_IN_LISTS.sub("", self.policy).splitlines()
            kept = [field for field in fields if field.partition(" = ")[0] not in RETIRED]
            return Policy.read("\n".join(kept) + "\n")
        return resolve_policy(given)

    def with_learned_ratio(self, meter: Meter) -> Meter:
        """Return a meter with what the same meter learned before; its own ratio wins."""
        if self.ratio is None or meter.ratio != 1.0 or meter.name != self.counted_by:
            return meter
        return replace(meter, ratio=self.ratio)


@dataclass(frozen=True)
class Settings:
    """What the options of a session come to."""

    options: SessionOptions
    """The options as they were given, with the defaults of the others."""
    wire: Wire
    meter: Meter
    budget: Budget
    policy: Policy
    """The policy in force: `base_policy` under `quota`."""
    base_policy: Policy
    quota: Quota
    writer: Model | None
    limits: Limits
    """What one compaction may cost."""
    redact: Redactor | None
    """What takes secrets out of messages before they are kept."""

    @property
    def asks(self) -> bool:
        """Whether there is a writer and the policy lets it be asked."""
        return _asks(self.writer, self.policy)

    def clock(self) -> float:
        """Return seconds, from a point of no meaning on."""
        return self.options["clock"]()

    def with_policy(self, base_policy: Policy, quota: Quota, stored: StoredSettings) -> Settings:
        """Return these settings with another policy, as it is under a quota."""
        if (base_policy, quota) == (self.base_policy, self.quota):
            return self
        policy = base_policy.with_quota(quota)
        drafts = _asks(self.writer, policy)
        budget = budget_of(policy, self.budget.window, stored, drafts=drafts)
        return replace(self, policy=policy, base_policy=base_policy, quota=quota, budget=budget)

    def with_budget_of(self, stored: StoredSettings) -> Settings:
        """Return these settings with the budget of the window that was learned."""
        budget = budget_of(self.policy, self.budget.window, stored, drafts=self.asks)
        return replace(self, budget=budget)

    @classmethod
    def of(cls, options: SessionOptions, stored: StoredSettings) -> Settings:
        """Return what all options and the stored settings come to."""
        base_policy = stored.policy_for(options["policy"])
        policy = base_policy.with_quota(options["quota"])
        given = Writer.of(options["writer"])
        writer = given.open()
        meter = options["meter"]
        window = window_for(stored, policy, meter)
        wire = options["wire"] or wire_for(stored.model)
        if isinstance(wire, str):
            wire = get_wire(wire).for_model(stored.model or "")
        return cls(
            options=options,
            wire=wire,
            meter=stored.with_learned_ratio(meter or meter_for(stored.model, wire.name)),
            budget=budget_of(policy, window, stored, drafts=_asks(writer, policy)),
            policy=policy,
            base_policy=base_policy,
            quota=options["quota"],
            writer=writer,
            limits=given.bounds,
            redact=redactor_of(options["redact"]),
        )


def _asks(writer: Model | None, policy: Policy) -> bool:
    return writer is not None and policy.rounds != 0


def budget_of(policy: Policy, window: int, stored: StoredSettings, *, drafts: bool) -> Budget:
    """Return the limits under a window, or under the smaller one that was learned."""
    if stored.limit is not None:
        policy = policy.but(limit=stored.limit)
    if stored.learned is None or stored.learned >= window:
        return policy.budget(window, stored.reserve, drafts=drafts)
    reserve = stored.reserve
    if reserve is None:
        reserve = policy.reserve
    # A reserve of a larger window may be more than the true window holds.
    if reserve is None or reserve > stored.learned // 2:
        reserve = default_reserve(stored.learned)
    return policy.budget(stored.learned, reserve, drafts=drafts)


def window_for(stored: StoredSettings, policy: Policy, meter: Meter | None) -> int:
    """Return the window that is given or known by the model; raise if there is none."""
    if stored.window is not None:
        return stored.window
    if stored.model is not None:
        return lookup_model(stored.model).window
    if policy.window is not None:
        # A meter of the caller's counts in units of its own.
        if meter is None:
            check_window(policy.window)
        return policy.window
    raise BadInput("say how much fits: window= in tokens, or model= with a known name")
