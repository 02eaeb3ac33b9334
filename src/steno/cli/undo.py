"""`steno undo`: revert the newest commit of a session."""

from __future__ import annotations

from steno.cli.options import DONE, DatabaseArgument, JsonOption, SessionOption
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.source import open_stored_session


def undo(path: DatabaseArgument, session: SessionOption = None, as_json: JsonOption = False) -> int:
    """Revert the newest commit of a session: the model sees again what it covered.

    Nothing is deleted. The undo is a commit of its own, and the next undo reverts the commit
    before.

    Examples

      steno undo agent.db                         the only session
      steno undo agent.db --session research-42   one of several
    """
    with open_stored_session(path, session) as opened:
        name = opened.name
        before = opened.load
        commit = opened.undo()
        after = opened.load
    if as_json:
        report = {"session": name, "commit": commit.number, "reverts": commit.reverts}
        print_json(report | {"before": before, "after": after})
        return DONE
    page = TerminalPage()
    page.line((f"commit {commit.reverts} is reverted", "bold"), f": {before:,} → {after:,} tokens")
    page.line((f"{name}: commit {commit.number} records it; nothing was deleted", QUIET), indent=2)
    return DONE
