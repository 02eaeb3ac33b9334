"""`steno fork`: start a session from an earlier position of another."""

from __future__ import annotations

from typing import Annotated

from steno.cli.describe import plural
from steno.cli.options import DONE, DatabaseArgument, JsonOption, SessionOption, option
from steno.cli.output import QUIET, TerminalPage, print_json
from steno.cli.source import open_stored_session


def fork(
    path: DatabaseArgument,
    at: Annotated[int | None, option("--at", "N", "How many messages it begins with.")] = None,
    name: Annotated[str | None, option("--name -n", "NAME", "The name of the new session.")] = None,
    session: SessionOption = None,
    as_json: JsonOption = False,
) -> int:
    """Start a session as another's log up to a position, without copying it.

    Neither session changes the other. The fork shows what the original showed at that position.

    Examples

      steno fork agent.db -s research-42 --at 120      with a generated name
      steno fork agent.db -s research-42 --at 120 --name what-if
    """
    with open_stored_session(path, session) as parent, parent.fork(at, name=name) as forked:
        parent_name, new_name = parent.name, forked.name
        count, commits = len(forked.log.messages), len(forked.log.commits)
        load = forked.load
    if as_json:
        report = {"session": new_name, "parent": parent_name, "at": count, "messages": count}
        print_json(report | {"commits": commits, "load": load})
        return DONE
    page = TerminalPage()
    page.line((str(new_name), "bold"), f" begins as {parent_name} at {count:,}")
    shared = f"{plural(count, 'message')} and {plural(commits, 'commit')}"
    page.line((f"it shares {shared}", QUIET), indent=2)
    page.line(("see it: ", QUIET), (f"steno show {path} --session {new_name}", "cyan"), indent=2)
    return DONE
