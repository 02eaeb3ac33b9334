"""The slash commands of the chat: what a user can do with the session besides talking.

To add one, write a function here and name it in `SLASH_COMMANDS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from steno.cli.chat.display import print_commit, print_context
from steno.cli.chat.runtime import ChatRuntime
from steno.cli.constraints import fact_report, print_facts
from steno.cli.output import QUIET, TerminalPage
from steno.core.errors import BadInput, NotHere, StenoError
from steno.core.message import Call
from steno.session.place import parse_place

FACTS_LISTED = ("constraints", "open", "decisions", "unresolved_errors", "artifacts")
FACTS_MOST = 12
"""Facts of a kind that are listed."""
SlashCommand = Callable[[TerminalPage, ChatRuntime, str], None]


def run_slash_command(page: TerminalPage, runtime: ChatRuntime, line: str) -> None:
    """Run the command of a line that begins with a slash; print why if it cannot be done."""
    name, _, rest = line.strip().partition(" ")
    if name not in SLASH_COMMANDS:
        near = [known for known in SLASH_COMMANDS if known.startswith(name)]
        if len(near) != 1:
            page.line((f"there is no {name}: /help lists the commands", "yellow"))
            return
        name = near[0]
    try:
        SLASH_COMMANDS[name][0](page, runtime, rest.strip())
    except StenoError as refused:
        page.line((str(refused), "yellow"))


def compact(page: TerminalPage, runtime: ChatRuntime, focus: str) -> None:
    commit = runtime.session.compact(focus)
    if commit is None:
        reason = runtime.session.host.skip_reason
        page.sentence(f"Not compacted: {reason}.", QUIET)
    else:
        print_commit(page, runtime, commit)
        page.quiet("/context shows what is left, /undo reverts it", indent=2)


def recall(page: TerminalPage, runtime: ChatRuntime, rest: str) -> None:
    if not rest:
        raise BadInput("name what to look for: /recall words, or a place: /recall 17-42")
    try:
        parse_place(rest)
        arguments = {"positions": rest}
    except BadInput:
        arguments = {"query": rest}
    # Through the agent's own tool, so that the user sees what the agent would see.
    page.paragraph(runtime.session.handle(Call(None, "recall", json.dumps(arguments))) or "")


def pin(page: TerminalPage, runtime: ChatRuntime, rest: str) -> None:
    pins = runtime.session.host.settings.pins
    if rest:
        what: int | str = rest
        if rest.isdecimal():
            what = int(rest)
        page.line(f"pinned: message {runtime.session.pin(what)} is never covered")
    elif pins:
        page.line(f"pinned: {', '.join(map(str, pins))}")
    else:
        page.line("nothing is pinned: /pin 0, or /pin some words")


def unpin(page: TerminalPage, runtime: ChatRuntime, rest: str) -> None:
    pins = runtime.session.host.settings.pins
    if not rest.isdecimal() or int(rest) not in pins:
        names = ", ".join(map(str, pins)) or "none"
        raise NotHere(f"name a pinned message: /unpin 17; pinned are {names}")
    runtime.session.unpin(int(rest))
    page.line(f"message {rest} is no longer pinned")


def facts(page: TerminalPage, runtime: ChatRuntime, rest: str) -> None:
    session = runtime.session
    report = fact_report(session.log, session.view, session.constraints())
    print_facts(page, report, FACTS_LISTED, FACTS_MOST)


def memory(page: TerminalPage, runtime: ChatRuntime, rest: str) -> None:
    session = runtime.session
    notes = session.host.tools.notes.standing()
    page.line((f"the agent's own notes: {len(notes)}", "bold"))
    for note in notes:
        page.line(" ".join(str(note).split()), indent=2)
    user = session.host.user
    if not user:
        page.quiet("Nothing is kept for other chats: start with --user NAME to keep it.")
        return
    known = session.memories(rest)
    page.line((f"kept for {user}, from all sessions: {len(known)}", "bold"))
    for found in known:
        page.line((f"({found.id}) ", QUIET), " ".join(found.text.split()), indent=2)


def undo(page: TerminalPage, runtime: ChatRuntime, rest: str) -> None:
    commit = runtime.session.undo()
    load = f"{runtime.session.load:,} tokens"
    page.line(f"commit {commit.reverts} is reverted: what it covered is visible again, {load}")


def help_(page: TerminalPage, runtime: ChatRuntime, rest: str) -> None:
    for name, (_, words, about) in SLASH_COMMANDS.items():
        page.line((f"{name} {words}".ljust(20), "cyan"), about, indent=2)
    page.quiet("A backslash at the end: another line. Ctrl-C stops the turn, Ctrl-D leaves.", 2)


def quit_(page: TerminalPage, runtime: ChatRuntime, rest: str) -> None:
    # As Ctrl-D does.
    raise EOFError


SLASH_COMMANDS: dict[str, tuple[SlashCommand, str, str]] = {
    "/compact": (compact, "[focus]", "compact now, and keep this above all"),
    "/context": (print_context, "", "what fills the context, and what the model sees"),
    "/recall": (recall, "words|17-42", "search the session, or open a place"),
    "/pin": (pin, "[17|words]", "never cover this message, or these words"),
    "/unpin": (unpin, "17", "allow it to be covered again"),
    "/facts": (facts, "", "constraints, open loops, decisions, errors, files"),
    "/memory": (memory, "", "what is remembered beside the conversation"),
    "/undo": (undo, "", "revert the newest compaction"),
    "/help": (help_, "", "list the commands"),
    "/quit": (quit_, "", "leave; steno chat --resume comes back"),
}
"""Function, arguments and description of each command."""
