"""`steno watch`: running sessions of a store, as they fill and are compacted."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.live import Live
from rich.text import Text

from steno.cli.describe import plural
from steno.cli.options import DONE, DatabaseArgument, JsonOption, flag, option
from steno.cli.output import TerminalPage, print_json
from steno.cli.source import load_conversation, open_store
from steno.core.errors import BadInput
from steno.core.log import Log
from steno.core.store import SessionInfo
from steno.meters.catalog import model_prices
from steno.session.settings import StoredSettings

SESSIONS_MOST = 12
NAME_MOST = 26
HEAD = (
    f"{'session':<{NAME_MOST}} {'fill':>5} {'messages':>8} {'commits':>7} {'spared':>12} {'$':>8}"
)


@dataclass(frozen=True)
class WatchedSession:
    """One line of the table."""

    session: str
    fill: int | None
    """Percent of the usable window; None if no window is known."""
    messages: int
    commits: int
    spared: int
    """Tokens that were not sent, in all requests since the first compaction."""
    dollars: float | None
    """What they would have cost as cached input; None if the model has no price."""


def watch(
    path: DatabaseArgument,
    seconds: Annotated[
        float, option("--every", "SECONDS", "Look again after these.", min=0.2)
    ] = 2.0,
    once: Annotated[bool, flag("--once", "Look once, and end.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Watch the newest sessions of a store: how full they are, and what compaction spared.

    A table that renews itself until Ctrl-C; in a pipe, or with --once or --json, it is printed
    once. Spared are the tokens that were not sent, over all replies since the first compaction;
    the dollars are what they would have cost as cached input, the least there is. Behind a proxy
    a reply counts when the agent sends it back, so GET /stats is ahead by the newest.

    Examples

      steno watch agent.db --once
      steno watch agent.db --json
    """
    reader = _SessionReader(path)
    if as_json:
        print_json([asdict(row) for row in reader.rows()])
        return DONE
    if once or not sys.stdout.isatty():
        page = TerminalPage()
        for line in _lines(reader.rows()):
            page.line(line)
        return DONE
    _watch(reader, seconds)
    return DONE


def _watch(reader: _SessionReader, seconds: float) -> None:
    with suppress(KeyboardInterrupt), Live(console=Console(), auto_refresh=False) as live:
        while True:
            live.update(Text("\n".join(_lines(reader.rows()))), refresh=True)
            time.sleep(seconds)


class _SessionReader:
    """Reads the newest sessions, and only those that changed since the last look."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._known: dict[str, tuple[SessionInfo, WatchedSession]] = {}

    def rows(self) -> list[WatchedSession]:
        with open_store(self._path) as store:
            stored = store.sessions()
        rows = []
        for info in list(reversed(stored))[:SESSIONS_MOST]:
            known = self._known.get(info.name)
            if known is None or known[0] != info:
                known = (info, self._read(info))
                self._known[info.name] = known
            rows.append(known[1])
        return rows

    def _read(self, info: SessionInfo) -> WatchedSession:
        loaded = load_conversation(Path(self._path), info.name, StoredSettings())
        fill = None
        if loaded.budget is not None:
            fill = round(100 * loaded.load / loaded.budget.usable)
        spared = tokens_not_sent(loaded.log)
        return WatchedSession(
            info.name,
            fill,
            len(loaded.log.messages),
            len(loaded.log.commits),
            spared,
            _dollars(loaded.settings.model, spared),
        )


def tokens_not_sent(log: Log) -> int:
    """Return the tokens that commits spared, once for each reply that came after them."""
    replies = [at for at, message in enumerate(log.messages) if message.role == "assistant"]
    spared = 0
    for commit in log.live:
        if commit.why == "resent":
            continue
        after = sum(at >= commit.at for at in replies)
        spared += (commit.before - commit.after) * after
    return spared


def _dollars(model: str | None, tokens: int) -> float | None:
    try:
        return round(model_prices(model or "").request_cost(tokens, 0), 4)
    except BadInput:
        return None


def _lines(rows: Sequence[WatchedSession]) -> Iterator[str]:
    yield HEAD
    for row in rows:
        name = row.session
        if len(name) > NAME_MOST:
            name = name[: NAME_MOST - 1] + "…"
        fill = dollars = "-"
        if row.fill is not None:
            fill = f"{row.fill} %"
        if row.dollars is not None:
            dollars = f"{row.dollars:,.2f}"
        counts = f"{row.messages:>8,} {row.commits:>7,} {row.spared:>12,}"
        yield f"{name:<{NAME_MOST}} {fill:>5} {counts} {dollars:>8}"
    if not rows:
        yield f"{plural(0, 'session')} yet"
