"""The program that commands are added to, and what their groups are called."""

from __future__ import annotations

from typing import Any

import typer

SEE_PANEL, MEASURE_PANEL, FILES_PANEL, STORES_PANEL = (
    "See it",
    "Measure it",
    "Transcripts and stores",
    "Sessions of a store",
)
AGENTS_PANEL = "Agents and models"

app = typer.Typer(
    name="steno",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def limits_from_options(window: int | None, model: str | None, reserve: int | None) -> Any:
    from steno.session.settings import StoredSettings

    return StoredSettings(window=window, model=model, reserve=reserve)
