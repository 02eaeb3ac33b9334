"""`steno export`: write a session of a store as JSONL, or as an archive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from steno.cli.archive import archive_lines
from steno.cli.conversation import LoadedConversation
from steno.cli.describe import plural
from steno.cli.options import (
    DONE,
    DatabaseArgument,
    JsonOption,
    OutOption,
    OverwriteOption,
    SessionOption,
    flag,
)
from steno.cli.output import (
    QUIET,
    STDOUT,
    TerminalPage,
    check_output_path,
    print_json,
    write_output,
)
from steno.cli.source import load_from_store, open_store
from steno.core.errors import BadInput
from steno.core.log import Log
from steno.core.message import Message
from steno.providers import json_text, parse_json


def export(
    path: DatabaseArgument,
    session: SessionOption = None,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
    view: Annotated[bool, flag("--view", "What the model sees, not everything.")] = False,
    with_commits: Annotated[
        bool, flag("--with-commits", "An archive: messages, commits and limits.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Write a session as JSONL: each message in its provider's own words, one a line.

    Every original message by default; with --view what the model sees instead; with
    --with-commits an archive, from which steno import restores the session exactly: messages,
    commits and limits.

    Examples

      steno export agent.db > all.jsonl                     every message
      steno export agent.db --view -o now.jsonl             what the model sees
      steno export agent.db --with-commits -o agent.steno   an archive
    """
    if view and with_commits:
        raise BadInput(
            "--view is what the model sees, --with-commits is everything: use only one of them"
        )
    to = None
    if out is not None and out != STDOUT:
        to = check_output_path(Path(out), source=Path(path), overwrite=True)
    with open_store(path) as store:
        loaded = load_from_store(store, session)
    written = len(loaded.log.messages)
    if with_commits:
        if as_json and to is None:
            raise BadInput("an archive is lines: name a file with -o, or leave out --json")
        write_output(archive_lines(loaded), to, overwrite=overwrite)
    elif as_json and to is None:
        print_json([parse_json(text) for text in _message_texts(loaded, view)])
    else:
        texts = list(_message_texts(loaded, view))
        write_output((text + "\n" for text in texts), to, overwrite=overwrite)
        written = len(texts)
    if to is not None:
        _print_export(loaded, to, written, with_commits=with_commits, as_json=as_json)
    return DONE


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


def _print_export(
    loaded: LoadedConversation, to: Path, messages: int, *, with_commits: bool, as_json: bool
) -> None:
    commits = len(loaded.log.commits)
    if as_json:
        report = {"session": loaded.name, "out": str(to), "archive": with_commits}
        print_json(report | {"messages": messages, "commits": commits})
        return
    words = plural(messages, "message")
    if with_commits:
        words += f" and {plural(commits, 'commit')}"
    TerminalPage().line((loaded.name, "bold"), f" · {words} ", (f"written to {to}", QUIET))
