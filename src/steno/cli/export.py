"""`steno export`: write a session of a store as JSONL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from steno.cli import options as cli
from steno.cli.output import (
    QUIET,
    STDOUT,
    TerminalPage,
    check_output_path,
    print_json,
    write_output,
)
from steno.cli.source import load_from_store, open_store
from steno.core.log import Log
from steno.core.message import Message
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import plural
from steno.providers import json_text, parse_json


def export(
    path: cli.DatabaseArgument,
    session: cli.SessionOption = None,
    out: cli.OutOption = None,
    overwrite: cli.OverwriteOption = False,
    view: Annotated[bool, cli.flag("--view", "What the model sees, not everything.")] = False,
    as_json: cli.JsonOption = False,
) -> None:
    """Write a session as JSONL: each message in its provider's own words, one a line.

    Every original message by default; with --view what the model sees instead. To keep a session
    with its commits and limits, copy it to a store of its own: steno store copy.

    Examples

      steno export agent.db > all.jsonl           every message
      steno export agent.db --view -o now.jsonl   what the model sees
    """
    to = None
    if out is not None and out != STDOUT:
        to = check_output_path(Path(out), source=Path(path), overwrite=True)
    with open_store(path) as store:
        loaded = load_from_store(store, session)
    texts = list(_message_texts(loaded, view))
    if as_json and to is None:
        print_json(list(map(parse_json, texts)))
        return
    write_output((text + "\n" for text in texts), to, overwrite=overwrite)
    if as_json:
        print_json({"session": loaded.name, "out": str(to), "messages": len(texts)})
    elif to is not None:
        count = plural(len(texts), "message")
        TerminalPage().line((loaded.name, "bold"), f" · {count} ", (f"written to {to}", QUIET))


def _message_texts(loaded: LoadedConversation, view: bool) -> Iterator[str]:
    """Give one line of JSON for each message."""
    messages: Any = _messages_to_export(loaded.log)
    if view:
        messages = loaded.view.visible_messages
    for message in messages:
        for text in loaded.wire.encode(message):
            # One message a line; any other text keeps its bytes.
            if "\n" in text:
                text = json_text(parse_json(text))
            yield text


def _messages_to_export(log: Log) -> Iterator[Message]:
    """Give every message; for one that was never in this session, the summary that came for it."""
    covers = {}
    for commit in log.commits:
        if commit.why == "resent":
            for edit in commit.edits:
                covers[edit.span.start] = edit.shows
    for at, message in enumerate(log.messages):
        if message.role == "absent":
            yield from covers.get(at, ())
        else:
            yield message
