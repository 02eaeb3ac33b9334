"""How Amazon counts the tokens of its own models, Nova; Claude's are Anthropic's to count."""

from __future__ import annotations

import re
from dataclasses import replace

import msgspec

from steno.meters.family import ModelFamily
from steno.providers.anthropic.meter import CLAUDE_OVERHEADS, area_rule

NOVA_OVERHEADS = msgspec.structs.replace(CLAUDE_OVERHEADS, request=-3, tools=365, schema=None)
"""The first message of a request to Amazon's Nova costs its words alone."""
NOVA_2_OVERHEADS = msgspec.structs.replace(NOVA_OVERHEADS, tools=850)
NOVA_MEDIA = replace(area_rule(1_568, 1_600), page=2_570, bare_page=2_570, text=0, video=156)
FAMILIES = (
    ModelFamily(re.compile(r"\bnova-2"), "o200k_base", NOVA_2_OVERHEADS, NOVA_MEDIA),
    ModelFamily(re.compile(r"\bnova\b"), "o200k_base", NOVA_OVERHEADS, NOVA_MEDIA),
)
