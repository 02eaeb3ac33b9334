"""`steno inspect`: a page over the sessions of a store, on this machine, until it is stopped."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import suppress
from typing import Annotated

from steno.cli import options as cli
from steno.cli.output import print_note
from steno.cli.source import open_store
from steno.store.open import without_password


def inspect_(
    path: Annotated[str, cli.argument("DB", "A store of sessions.", envvar="STENO_DB")],
    port: Annotated[int, cli.option("--port", "PORT", "0 takes a free one.", min=0)] = 0,
    open_: Annotated[bool, cli.flag("--open", "Open the page in a browser.")] = False,
) -> None:
    """See sessions in a browser: what fills each window, what a commit hid, and why.

    The page shows every session of a store as it grows, what the model saw at any request, each
    original beside what is shown for it, and what another policy would have kept. It can also
    change a session: compact after a preview, undo, put a span back, pin, change constraints.

    It listens on this machine only, behind a random token in its address. Needs the extra `proxy`.

    Examples

      steno inspect agent.db                   then open the address it prints
    """
    # Here, because they raise without the packages of an extra.
    from steno.inspector.reader import StoreReader
    from steno.inspector.server import Inspector
    from steno.proxy.run import RunningProxy, new_token

    token = new_token()
    with open_store(path) as store:
        inspector = Inspector(StoreReader(lambda: [store]), token, print_note)
        running = RunningProxy(inspector, port=port)
        address = f"{running.address}/{token}/"
        where = without_password(path)
        sys.stderr.write(f"steno inspect: {where} is at\n  {address}\nCtrl-C stops it.\n")
        if open_:
            webbrowser.open(address)
        # The server raises Ctrl-C again when it has stopped; that is how it is meant to end.
        with suppress(KeyboardInterrupt):
            running.run()
