"""Errors with the calls they came from, and whether they were overcome.

A left fold over messages and the errors read from them: a result is joined with
its call by id, or by order where there is none. A later call about the same
thing that succeeds overcomes an error. How an error line looks is `error`'s
business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from steno.core.message import Call, Message, Result
from steno.ledger.artifact import command_of, touched
from steno.ledger.command import gist, may_find_nothing, only_looks
from steno.ledger.error import DECLINED, SAID
from steno.ledger.fact import Fact
from steno.ledger.vocabulary import KNOWN, Touch, Vocabulary

PENDING_MOST = 256
WORDS_MOST = 300
_CHANGES = ("edited", "written", "created")
_LOOKS = ("read", "searched", "fetched", "delegated")

Said = tuple[int, Message, Sequence[Fact]]
"""A position, the message that stands there, and its facts."""


@dataclass(frozen=True, slots=True)
class Called:
    """A call, as far as an error needs it."""

    id: str | None
    tool: str
    words: str
    """Its command, or what it touched."""
    about: frozenset[str]
    """Two calls about the same are two tries at one thing."""
    looks: bool
    """Whether it shows what others wrote, so that an error in it need not be one of its own."""
    may_find_nothing: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """An error, where it stands, the call that met it, and the position that overcame it."""

    position: int
    fact: Fact
    call: Called | None = None
    overcome: int | None = None

    @property
    def exit(self) -> int | None:
        word, _, code = self.fact.note.partition(";")[0].partition(" ")
        return int(code) if word == "exit" else None

    @property
    def cause(self) -> str:
        return self.fact.note.partition("; cause: ")[2]


@dataclass(frozen=True, slots=True)
class Failures:
    """What has failed so far, oldest first; reading on costs what is new."""

    failed: tuple[Failed, ...] = ()
    pending: tuple[Called, ...] = ()

    def plus(self, said: Iterable[Said], vocabulary: Vocabulary = KNOWN) -> Failures:
        """With later messages, in order."""
        failed, pending = list(self.failed), list(self.pending)
        for position, message, facts in said:
            errors = [fact for fact in facts if fact.kind == "error"]
            for at, block in enumerate(message.blocks):
                if isinstance(block, Call):
                    pending.append(_called(block, vocabulary))
                    del pending[:-PENDING_MOST]
                elif isinstance(block, Result):
                    answered = _which(pending, block.call)
                    call = None if answered is None else pending.pop(answered)
                    told = [fact for fact in errors if fact.block == at]
                    own = [fact for fact in told if _is_its_own(fact, call)]
                    failed += [Failed(position, fact, call) for fact in own]
                    if call and not own and not any(fact.note == DECLINED for fact in told):
                        for met in _overcome(failed, call):
                            failed[met] = replace(failed[met], overcome=position)
                else:
                    failed += [Failed(position, fact) for fact in errors if fact.block == at]
        return Failures(tuple(failed), tuple(pending))


def standing(said: Iterable[Said], vocabulary: Vocabulary = KNOWN) -> list[Failed]:
    """Each error, with its call, overcome or not."""
    return list(Failures().plus(said, vocabulary).failed)


def _called(call: Call, vocabulary: Vocabulary) -> Called:
    command = command_of(call, vocabulary)
    if command:
        looks = only_looks(command)
        return Called(call.id, call.name, command[:WORDS_MOST], gist(command), looks, may_find_nothing(command))
    things = touched(call, vocabulary)
    looks = vocabulary.tool(call.name).action in _LOOKS
    about = frozenset(_thing(touch) for touch in things) or frozenset((call.name,))
    return Called(call.id, call.name, things[0].words if things else "", about, looks)


def _thing(touch: Touch) -> str:
    return f"{'changed' if touch.action in _CHANGES else touch.action} {touch.key}"


def _which(pending: Sequence[Called], id: str | None) -> int | None:
    """Which of the pending calls a result answers."""
    return next((at for at, call in enumerate(pending) if id is None or call.id == id), None)


def _is_its_own(fact: Fact, call: Called | None) -> bool:
    """Whether the call failed, rather than showed a text about failing or found nothing."""
    if call is None or fact.note == DECLINED:
        return fact.note != DECLINED
    if fact.note == SAID and call.looks:
        return False
    bare = not fact.words or fact.words.lower().startswith(("exit code", "command exited", "process exited"))
    return not (bare and call.may_find_nothing and fact.note == "exit 1")


def _overcome(failed: Sequence[Failed], call: Called) -> list[int]:
    """Which errors a call that succeeded leaves behind."""
    return [
        at
        for at, failure in enumerate(failed)
        if failure.overcome is None and failure.call and failure.call.about <= call.about
    ]
