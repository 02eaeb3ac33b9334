"""`steno handover`: what another agent or a person needs to take a session over."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from steno.cli import options as cli
from steno.cli.output import STDOUT, check_output_path, write_output
from steno.cli.source import STDIN, input_file, load_conversation
from steno.core.budget import WINDOW_MOST
from steno.session.handover import TOKENS
from steno.session.settings import StoredSettings
from steno.store.in_process import MemoryStore
from steno.store.open import without_password


def handover(
    path: cli.SourceArgument,
    session: cli.SessionOption = None,
    tokens: Annotated[
        int, cli.option("--tokens", "SIZE", "How long it may be: 3k.", parser=cli.parse_window)
    ] = TOKENS,
    to: Annotated[str, cli.option("--to", "NAME", "Who takes over.")] = "agent",
    focus: Annotated[str, cli.option("--focus", "WORDS", "What to keep above all.")] = "",
    out: cli.OutOption = None,
    overwrite: cli.OverwriteOption = False,
) -> None:
    """Write what another agent, a model or a person needs to take a session over, as one text.

    What people said, what was concluded, decided and changed, where the work stands; no model is
    asked, and nothing is changed. Positions in brackets can be opened: steno open FILE|DB 17.

    Examples

      steno handover session.jsonl > handover.md
      steno handover agent.db -s monday --tokens 6k --to "the night shift"
    """
    to_file = None
    if out is not None and out != STDOUT:
        to_file = check_output_path(Path(out), source=Path(path), overwrite=overwrite)
    with input_file(path) as file:
        loaded = load_conversation(file, session)
    store = MemoryStore()
    store.place = without_password(path) * (path != STDIN)
    with loaded.with_limits(StoredSettings(window=WINDOW_MOST)).copy(store=store) as whole:
        text = whole.handover(tokens, to=to, focus=focus)
    write_output([text], to_file, overwrite=overwrite)
