"""`steno proxy`: a local server in front of a provider, until it is stopped."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from steno.cli import options as cli
from steno.cli.output import print_note
from steno.core.errors import BadInput
from steno.core.events import Committed, Event, Failed
from steno.engine.designs import resolve_policy
from steno.models import resolve_model
from steno.rungs.arrive import Arrive
from steno.session.options import SessionOptions
from steno.store.open import without_password

if TYPE_CHECKING:
    from steno.proxy.server import Proxy

TOKEN_VARIABLE = "STENO_PROXY_TOKEN"
ARRIVE = 6_000
"""Tokens above which a result is cut before it is first sent."""


@dataclass(frozen=True)
class ProxyOptions:
    """Options that `steno proxy` and `steno wrap` share."""

    upstream: Annotated[
        list[str] | None,
        cli.option(
            "--upstream -u",
            "[WHAT=]URL",
            "Where requests go: an address, or one for openai=, anthropic=, gemini=, "
            "model:PATTERN= or /PREFIX=. Default: as the SDKs have it.",
        ),
    ] = None
    window: cli.WindowOption = None
    limit: cli.LimitOption = None
    reserve: cli.ReserveOption = None
    policy: cli.PolicyOption = None
    writer: cli.WriterOption = None
    constraint: cli.ConstraintOption = None
    redact: Annotated[
        bool, cli.flag("--redact", "Take secrets out before anything is kept or sent.")
    ] = False
    receipts: Annotated[
        str | None, cli.option("--receipts", "FILE", "Write one line of JSON for each request.")
    ] = None
    arrive: Annotated[
        int,
        cli.option(
            "--arrive",
            "SIZE",
            "Cut results above this size before they are first sent. Copies and repeated lines "
            "are left out of smaller ones too.",
            parser=cli.parse_size,
        ),
    ] = ARRIVE
    no_arrive: Annotated[
        bool, cli.flag("--no-arrive", "Send results whole until there is pressure.")
    ] = False
    arrive_only: Annotated[
        list[str] | None,
        cli.option(
            "--arrive-only", "TOOL", "Shorten results of these tools alone, by name or mcp__*."
        ),
    ] = None
    arrive_never: Annotated[
        list[str] | None,
        cli.option(
            "--arrive-never", "TOOL", "Never shorten results of this tool, by name or mcp__*."
        ),
    ] = None
    for_: Annotated[
        list[str] | None,
        cli.option(
            "--for",
            "NAME=POLICY|SIZE",
            "A policy or a limit for an agent or a model, by its name or a pattern: *haiku*=60k.",
        ),
    ] = None
    unused_tools: Annotated[
        int,
        cli.option(
            "--unused-tools",
            "N",
            "Leave the definition of a tool out once N replies before a compaction did not call "
            "it.",
            min=0,
        ),
    ] = 0
    recall: Annotated[
        bool | None,
        cli.flag(
            "--recall/--no-recall",
            "Offer the model the tool recall from the first request on, or never. "
            "Default: at once with tools, if results may be shortened; else once something left "
            "its view.",
        ),
    ] = None
    compaction: Annotated[
        bool,
        cli.flag(
            "--compaction", "Answer requests to compact, instead of passing them to the provider."
        ),
    ] = False
    shadow: Annotated[
        int,
        cli.option(
            "--shadow",
            "N",
            "Send every Nth compacted request also as it came, twice; /stats compares.",
            min=0,
        ),
    ] = 0

    def build(
        self,
        path: str | None,
        token: str,
        user: str,
        on_event: EventPrinter,
        large_limit: int | None = None,
        *,
        own_user: bool = False,
    ) -> Proxy:
        """Return a proxy over a store; see `ProxySettings` for the others."""
        # Here, because they raise without the proxy's packages, which are an extra.
        from steno.proxy.conversations import Conversations
        from steno.proxy.receipts import Receipts
        from steno.proxy.server import Proxy, ProxySettings
        from steno.proxy.upstreams import read_upstreams

        upstreams = read_upstreams(self.upstream or [])
        settings = ProxySettings(
            upstreams, token=token, user=user, own_user=own_user, shadow=self.shadow
        )
        conversations = Conversations(
            path,
            self.session_options(on_event),
            recall=self.recall,
            compacts=self.compaction,
            arrive=self._arrival(),
            large_limit=large_limit,
            own=self._own_options(),
            unused=self.unused_tools,
        )
        # Now: a path that is no store is the user's mistake, not a fault in the middle of a run.
        conversations.sessions_of(user)
        return Proxy(settings, conversations, Receipts(self.receipts))

    def session_options(self, on_event: EventPrinter) -> SessionOptions:
        # Here, because OpenTelemetry is slow to import.
        from steno.telemetry import Telemetry

        return SessionOptions(
            window=self.window,
            limit=self.limit,
            reserve=self.reserve,
            policy=self.policy,
            writer=self.writer and resolve_model(self.writer),
            constraints=self.constraint or (),
            redact=self.redact or None,
            on_event=Telemetry(on_event),
        )

    def _arrival(self) -> Arrive | None:
        """Return how results are shortened before they are first sent."""
        if self.no_arrive:
            return None
        only, never = tuple(self.arrive_only or ()), tuple(self.arrive_never or ())
        return Arrive(over=self.arrive, only=only, never=never)

    def _own_options(self) -> dict[str, SessionOptions]:
        """Return the policies and limits of agents and models."""
        own: dict[str, SessionOptions] = {}
        for each in self.for_ or ():
            name, _, value = each.rpartition("=")
            if not name:
                raise BadInput(f"--for {each}: write NAME=POLICY, or NAME=SIZE for a limit")
            if value[:1].isdigit():
                own[name] = {"limit": cli.parse_window(value)}
            else:
                own[name] = {"policy": resolve_policy(value)}
        return own


def proxy(
    path: Annotated[
        str | None,
        cli.argument(
            "[DB]",
            "A store for the sessions; it may not exist yet. Without one they end with the proxy.",
            envvar="STENO_DB",
        ),
    ] = None,
    host: Annotated[str, cli.option("--host", "HOST", "The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, cli.option("--port", "PORT", "0 takes a free one.", min=0)] = 8787,
    *,
    options: ProxyOptions,
    user: Annotated[
        str, cli.option("--user", "NAME", "Whose requests these are. Default: several people's.")
    ] = "",
    no_token: Annotated[
        bool, cli.flag("--no-token", "Take requests without a token (loopback only).")
    ] = False,
) -> None:
    """Keep any agent within its window: an HTTP server between it and its provider.

    Point an agent at the address that is printed, as its SDK's base URL. It speaks OpenAI's chat
    completions and responses, Anthropic's messages and Gemini's contents; every other path passes
    through. Each conversation becomes a session: what goes upstream is its view, what comes back is
    passed on byte for byte. Keys are stored nowhere. If Steno itself fails, the request goes out as
    it came.

    It listens on this machine only. The address holds a random token; STENO_PROXY_TOKEN sets it.
    GET /stats, /metrics and /health say how it does. Needs the extra `proxy`.

    Examples

      steno proxy agent.db  in front of all three providers
      steno proxy agent.db -u https://openrouter.ai/api      in front of another
      steno proxy -w 32k -u model:claude-*=https://api.anthropic.com
    """
    # Here, because it raises without the proxy's packages, which are an extra.
    from steno.inspector.local import is_loopback
    from steno.proxy.run import RunningProxy, new_token

    token = os.environ.get(TOKEN_VARIABLE) or new_token()
    if no_token:
        if not is_loopback(host):
            raise BadInput("--no-token is for this machine alone: listen on 127.0.0.1")
        token = ""
    served = options.build(path, token, user, EventPrinter())
    running = RunningProxy(served, host, port)
    base = running.address
    if token:
        base += f"/{token}"
    _announce(base, path, add_page(served, running.address))
    # The server raises Ctrl-C again when it has stopped; that is how it is meant to end.
    with suppress(KeyboardInterrupt):
        running.run()
    print_note("the proxy has stopped")


def add_page(served: Proxy, address: str) -> str:
    """Let a proxy show its sessions as a page; return where, with a token that no agent gets."""
    from steno.inspector.reader import StoreReader
    from steno.inspector.server import Inspector
    from steno.proxy.run import new_token

    token = new_token()
    reader = StoreReader(served.stores)
    inspector = Inspector(reader, token, print_note)
    inspector.stopping = lambda: served.stopping()
    served.page = inspector
    page = f"{address}/{token}/"
    if sys.stderr.isatty():
        # The title of the terminal, where it stays while other lines scroll by.
        sys.stderr.write(f"\x1b]0;steno {page}\x07")
    return page


def _announce(base: str, path: str | None, page: str) -> None:
    where = "in memory, until it stops"
    if path is not None:
        where = f"in {without_password(path)}"
    lines = [
        f"steno proxy: sessions are kept {where}",
        f"  export ANTHROPIC_BASE_URL={base}",
        f"  export OPENAI_BASE_URL={base}/v1",
        f"  export GOOGLE_GEMINI_BASE_URL={base}",
        f"See the sessions at {page}",
        "Ctrl-C stops it.",
    ]
    sys.stderr.write("\n".join(lines) + "\n")


class EventPrinter:
    """Says on stderr what a person would want to know while it runs; each fault once."""

    def __init__(self, *, commits: bool = True) -> None:
        self._commits = commits
        self.faults: list[str] = []

    def __call__(self, event: Event) -> None:
        if isinstance(event, Committed) and self._commits:
            print_note(f"{event.session}: {event.before:,} → {event.after:,} tokens")
        if not isinstance(event, Failed):
            return
        line = event.reason
        if "UnknownModel" in line:
            line += " (here: --window SIZE)"
        if "cannot be reached" in line:
            line += "; --upstream URL sets another"
        if line not in self.faults:
            self.faults.append(line)
            print_note(line)
