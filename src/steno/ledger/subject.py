"""What a call's result is about: files, a question, a plan.

Two results about one subject can be compared, and the later may stand for the
earlier. Whether it does is `repeat`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from steno.core.message import Call, Value
from steno.ledger.artifact import command_of, touched
from steno.ledger.command import only_looks
from steno.ledger.todo import listed
from steno.ledger.vocabulary import COMMANDS, KNOWN, PATHS, Vocabulary, folded, named

CONTENTS = ("content", "contents", "filetext", "filecontent", "newcontent", "text", "body", "code")
"""Arguments that hold what a file will hold."""
ASIDE = (*PATHS, *COMMANDS, "encoding", "description", "explanation", "reason", "timeout")
"""Arguments that leave a read whole."""
_LOOKS = ("read", "searched", "fetched")
_SHOWS_WHOLE = re.compile(r"\s*(?:cat|bat|nl)(?:\s+-\w+)*\s+[^\s|;&<>*?$`]+\s*")
_PLANS = re.compile(r"todo|plan|task", re.I)


class Subject(Value, frozen=True, gc=False):
    """What a call, and so its result, is about."""

    tool: str
    files: frozenset[str] = frozenset()
    """Those it shows lines of."""
    whole: str = ""
    """The one file that it shows from beginning to end, or that its call writes so."""
    writes: str = ""
    """What the call writes there."""
    question: str = ""
    """Who asks this again gets the newer answer."""
    plan: bool = False
    """The call states a whole list of things to do."""

    @property
    def of_result(self) -> Subject:
        """What the result is about: of a call that writes, not what was written."""
        return Subject(self.tool) if self.writes else self


def subject(call: Call, vocabulary: Vocabulary = KNOWN) -> Subject:
    """What the result of a call will be about."""
    touches = touched(call, vocabulary)
    files = frozenset(touch.key for touch in touches if touch.action == "read")
    command = command_of(call, vocabulary)
    arguments = _arguments(call)
    if command:
        whole = len(files) == 1 and _SHOWS_WHOLE.fullmatch(command) is not None
        return Subject(call.name, files, min(files) if whole else "", question=_question(command, arguments))
    written = [touch.key for touch in touches if touch.action in ("written", "created")]
    content = named(arguments, CONTENTS)
    if len(touches) == len(written) == len(content) == 1:
        return Subject(call.name, whole=written[0], writes=content[0])
    given = {name for name, value in arguments.items() if value is not None}
    whole = len(files) == len(touches) == 1 and given <= set(ASIDE)
    asks = any(touch.action in _LOOKS for touch in touches)
    question = f"{call.name} {call.arguments}" if asks else ""
    return Subject(call.name, files, min(files) if whole else "", question=question, plan=_is_plan(call))


def _question(command: str, arguments: Mapping[str, object]) -> str:
    """A command that changes nothing, and where it runs."""
    where = " ".join(named(arguments, ("workdir", "cwd", "workingdirectory", "workingdir"))[:1])
    return f"$ {where} {command}" if only_looks(command) else ""


def _is_plan(call: Call) -> bool:
    if not _PLANS.search(call.name):
        return False
    return any(fact.kind == "close" and fact.note == "todo" for fact in listed(call, 0))


def _arguments(call: Call) -> dict[str, object]:
    try:
        read = msgspec.json.decode(call.arguments or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}
    return {folded(name): value for name, value in read.items()} if isinstance(read, dict) else {}
