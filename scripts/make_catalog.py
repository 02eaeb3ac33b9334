"""Generate src/steno/meters/catalog.json from genai-prices.

genai-prices brings Pydantic and an HTTP client, so it is not a dependency: run
this where it is installed, and commit what it writes.

    python -m venv /tmp/prices && /tmp/prices/bin/pip install genai-prices==0.2.1
    /tmp/prices/bin/python scripts/make_catalog.py src/steno/meters/catalog.json
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from genai_prices import data

AS_OF = datetime(2026, 11, 1, 12, tzinfo=UTC)
"""Prices that depend on the date are those of this one."""

PROVIDERS = (
    "anthropic",
    "openai",
    "google",
    "x-ai",
    "mistral",
    "deepseek",
    "moonshotai",
    "zai",
    "zhipuai",
    "minimax",
    "meta",
    "aws",
    "openrouter",
)
"""In this order: where two providers share a name, the first one's facts stand."""
OPENROUTER = (
    "qwen/",
    "meta-llama/",
    "nvidia/",
    "google/gemini-",
    "z-ai/",
    "mistralai/",
    "deepseek/",
)
"""Makers whose own provider states no windows, or not all."""
NOT_FOR_AGENTS = re.compile(
    r"embed|tts|ocr|transcribe|realtime|audio|image|vision|voxtral|sonic|guard|safety|instruct-beta|search|live|titan|"
    r":(?:free|batch|beta|extended|nitro|exacto)|^claude-2|gpt-3\.5|gpt-4-32k|computer-use|-pro-1\.5|-vl-",
    re.IGNORECASE,
)
BEDROCK_ELSEWHERE = re.compile(
    r"^(?:(?:us|eu|apac|au|jp|global|regional)\.)?(?:anthropic|openai|google|mistral|deepseek)\."
)
"""Bedrock's spellings of models whose own provider is listed above."""
PRICES = {
    "input": "input_mtok",
    "cached": "cache_read_mtok",
    "write": "cache_write_mtok",
    "output": "output_mtok",
}


def main(target: Path) -> None:
    providers = {provider.id: provider for provider in data.providers}
    models: list[dict[str, object]] = []
    seen: set[str] = set()
    for name in PROVIDERS:
        for model in sorted(providers[name].models, key=lambda model: model.id):
            own = model.id.lower()
            if (
                model.context_window
                and wanted(name, own)
                and seen.isdisjoint({own, own.rpartition("/")[2]})
            ):
                facts = facts_of(providers[name], model, seen)
                seen |= {own, *facts.get("aliases", ())}
                models.append(facts)
    lines = ",\n".join(json.dumps(model) for model in models)
    source = json.dumps(f"genai-prices {version('genai-prices')}")
    target.write_text(f'{{"source": {source}, "models": [\n{lines}\n]}}\n')


def wanted(provider: str, model: str) -> bool:
    if NOT_FOR_AGENTS.search(model) or (provider == "google" and model.startswith("claude")):
        return False
    if provider == "aws":
        return not BEDROCK_ELSEWHERE.match(model)
    return provider != "openrouter" or model.startswith(OPENROUTER)


def facts_of(provider: Any, model: Any, seen: set[str]) -> dict[str, Any]:
    prices = model.get_prices(AS_OF)
    facts: dict[str, Any] = {
        "name": model.id,
        "provider": provider.id,
        "window": model.context_window,
    }
    for ours, theirs in PRICES.items():
        if (price := getattr(prices, theirs, None)) is not None:
            # Tiered prices start with the base; what long prompts cost more is not in the table.
            facts[ours] = float(getattr(price, "base", price))
    names = {name.lower() for name in literals(model.match) if name[-1].isalnum()}
    own = {
        name
        for name in names
        if provider.find_model(name) is model and not NOT_FOR_AGENTS.search(name)
    }
    if aliases := sorted(own - seen - {model.id.lower()}):
        facts["aliases"] = aliases
    return facts


def literals(clause: Any) -> Iterator[str]:
    """The names a match clause spells out."""
    for field in ("equals", "starts_with"):
        if hasattr(clause, field):
            yield getattr(clause, field)
    for inner in [*getattr(clause, "or_", ()), *getattr(clause, "and_", ())]:
        yield from literals(inner)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
