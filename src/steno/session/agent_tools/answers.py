"""What an agent can do with its own session: search, open, note, compact.

An answer is bounded, cites positions, names who spoke and says what more there is; a bad argument
is answered with what to do instead. A tool's words that are found do not become a constraint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from steno.core.decoders import json_decoder
from steno.core.errors import BadInput, SessionGone, StenoError
from steno.core.escape import one_line, visible
from steno.core.log import COMPACTS, Log
from steno.core.message import Message, Span, user_message
from steno.core.tape import Tape
from steno.facts.authorship import typed_text
from steno.providers import encode_messages
from steno.recall.described import LOOKED_AT, START_LEAST, hit_place
from steno.recall.query import PROGRAM, Hit, Query
from steno.redact import hide_secrets_in_errors
from steno.session.agent_tools.deferred import DEFERRED_KIND, DeferredRequests
from steno.session.agent_tools.definitions import (
    ANSWER_MOST,
    TOOL_ARGUMENTS,
    CompressContextArguments,
    ForgetArguments,
    RecallArguments,
    RememberArguments,
    error_line,
    parse_call,
    render_hits,
    tool_definition,
)
from steno.session.agent_tools.notes import NOTE_KIND, Notes
from steno.session.agent_tools.pages import (
    LINE_ROOM,
    PagePart,
    block_words,
    fit_parts,
    fits_whole,
    words_of,
)
from steno.session.compactor import Compactor
from steno.session.journal import Journal
from steno.session.place import Place, parse_place
from steno.session.recall import SessionRecall
from steno.store.names import require_own

PASSAGE = 300
"""Tokens of a message that are opened around what is looked for in it."""
OPENED, PAGE_MOST, READ_ON = 400, 500, 500
"""Tokens of a long message that is opened without looking for anything, of one that is shown whole
or of several together, and of the rest of one."""
COMPACT_SOON = 0.9
"""Share of the hard limit from which on the indicator says to compact now."""


class AgentTools:
    """The tools of one session's agent, with its notes."""

    def __init__(self, journal: Journal, compactor: Compactor, recall: SessionRecall) -> None:
        self._journal = journal
        self._recall = recall
        self.notes = Notes(journal)
        self.deferred = DeferredRequests(journal, compactor)
        self.search_outside: Callable[[str, int], list[str]] | None = None
        """Finds lines in a memory backend, for a search beyond this session."""
        self._sought = ""
        self._found: frozenset[int] = frozenset()
        """What the last search of this session looked for, and the positions it found."""

    def names(self) -> list[str]:
        """Return the tools on offer; `compress_context` only if the agent decides."""
        names = list(TOOL_ARGUMENTS)
        if not self._journal.settings.policy.offers_compression:
            names.remove("compress_context")
        return names

    def definitions(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Return name, description and schema of each tool; the same between two commits."""
        # From now on notes may name these tools: the caller is about to send them.
        self._journal.hands_out_tools = True
        return [self._definition(name) for name in self.names()]

    def compress_definition(self) -> dict[str, Any]:
        """Return `compress_context` as its provider wants it defined; {} if it is not on offer."""
        if "compress_context" not in self.names():
            return {}
        return self._journal.settings.wire.tool(*self._definition("compress_context"))

    def _definition(self, name: str) -> tuple[str, str, dict[str, Any]]:
        description, schema = tool_definition(name)
        if name == "compress_context":
            description += self.last_fill()
        return name, description, schema

    def last_fill(self) -> str:
        """Return a sentence on the fill after the last compaction."""
        # Not the fill of now: a text that changes between two commits would lose the cache.
        for commit in reversed(self._journal.log.commits):
            if commit.why in COMPACTS:
                fill = round(100 * commit.after / max(1, commit.usable))
                return f" After the last time the context was {fill} % full."
        return ""

    def indicator(self) -> str | None:
        """Return a line on how full the context is; None unless the agent decides to compact."""
        if not self._journal.settings.policy.offers_compression:
            return None
        load, budget = self._journal.load, self._journal.budget
        fill = round(100 * load / budget.usable)
        words = f"Context: {load:,} / {budget.usable:,} tokens ({fill} %)"
        # A tool that the model does not have must not be named.
        if not self._journal.offers("compress_context"):
            return f"[{words}]"
        guide = "use compress_context at the end of a step or before a large result"
        if load >= budget.usable * budget.hard * COMPACT_SOON:
            guide = "compact now with compress_context"
        return f"[{words}; {guide}]"

    def with_indicator(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return a request that ends with the line on how full the context is, if there is one."""
        message = self.indicator_message()
        if message is None:
            return request
        key = "messages"
        if "input" in request:
            key = "input"
        wire = self._journal.settings.wire
        return request | {key: [*request[key], *encode_messages(wire, [message])]}

    def indicator_message(self) -> Message | None:
        """Return the line on how full the context is as a message, to send and not to keep."""
        # At the very end: it changes every turn, and a cache holds what stands before.
        line = self.indicator()
        if line is None:
            return None
        return user_message(line, by="steno")

    def handle(self, call: Any) -> str | None:
        """Answer a call of one of these tools; return None for a call of another tool."""
        name, arguments = parse_call(call)
        if name not in self.names():
            return None
        try:
            return self.answer(name, arguments)
        # The model made the mistake and can mend it; raised here it would end the agent's run.
        except SessionGone:
            raise
        except StenoError as wrong:
            return f"error: {error_line(wrong)}"

    def answer(self, name: str, arguments: str) -> str:
        """Answer a call; raise what is wrong with its arguments, with what to do instead."""
        with hide_secrets_in_errors(self._journal.settings.redact):
            try:
                asked = json_decoder(TOOL_ARGUMENTS[name]).decode(arguments or "{}")
                # It may quote the arguments.
                answer: str = self._journal.clean(visible(self._answer(asked)))
            except (msgspec.DecodeError, UnicodeEncodeError) as wrong:
                takes = ", ".join(TOOL_ARGUMENTS[name].__struct_fields__)
                raise BadInput(f"{wrong}; {name} takes {takes}") from None
        return answer

    def _answer(self, arguments: object) -> str:
        match arguments:
            case RecallArguments():
                return self._answer_recall(arguments)
            case RememberArguments(text):
                return f"noted as ({self.notes.write(text).id})"
            case ForgetArguments(number):
                return f"struck out: {self.notes.strike(number)}"
            case CompressContextArguments(reason, strategy, markers):
                wanted = {"what": "compact", "strategy": strategy, "markers": markers}
                self._journal.records.add(DEFERRED_KIND, wanted | {"reason": reason[:500]})
                return "the conversation will be compacted after this round of calls"
        raise TypeError(f"no tool takes {arguments!r}")

    def _answer_recall(self, asked: RecallArguments) -> str:
        if asked.notes:
            return self.list_notes()
        if asked.positions:
            return self._open(asked)
        if not asked.query.strip():
            raise BadInput("say what to look for: query, or positions to open")
        if asked.where == "user":
            self._require_user()
        most = asked.most * LOOKED_AT
        query = Query.of(asked.query, role=asked.role or None, most=most, where=asked.where)
        # The model sees these whole.
        seen = (item.span.start for item in self._journal.view.items if not item.is_edited)
        query = replace(query, seen=frozenset(seen))
        count = self._journal.view.meter.count
        found = self._recall.find(query)
        self._sought = asked.query
        self._found = frozenset(
            hit.position for hit in found.hits if hit.session == self._journal.name
        )
        answer = render_hits(found, asked.most, count, self._label)
        if asked.where == "user" and self.search_outside is not None:
            outside = self.search_outside(asked.query, asked.most)
            answer = "\n".join([answer, *map(one_line, outside)])
        return answer

    def _label(self, hit: Hit) -> str:
        """Return where a hit stands: its position and tier, or the earlier session it is of."""
        place = hit_place(hit)
        if hit.start >= START_LEAST:
            # It counts in the message that holds the words, not in the call or result beside it.
            place = f"{hit.place} start {hit.start}"
        if hit.session != self._journal.name:
            return f"{place} of session {hit.session}, archive"
        if not self._journal.view.at(hit.position).level:
            return place
        if hit.position < aged_until(self._journal.log):
            return f"{place}, archive"
        return f"{place}, recall"

    def _require_user(self) -> str:
        """Return the session's user; without one it is not known whose other sessions are."""
        user = self._journal.user
        if not user:
            raise BadInput("this session has no user: only the session itself can be searched")
        return user

    def list_notes(self) -> str:
        """Return the newest notes that fit, oldest first."""
        rest = "{} older notes do not fit here: strike out what is done with"
        lines = self.notes.lines_within(self.notes.standing(), ANSWER_MOST, rest, least=1)
        return "\n".join(lines) or "there are no notes"

    def _open(self, asked: RecallArguments) -> str:
        """Open messages from their beginning, or at what the query or the last search found."""
        place = parse_place(asked.positions)
        parts = self._page_parts(place, self._log_of(asked.earlier))
        query = asked.query.strip()
        is_found = any(position in place.span for position in self._found)
        # A start that is given, 0 too, says where to open them.
        if not query and is_found and not asked.earlier and asked.start is msgspec.UNSET:
            query = self._sought
        count = self._journal.view.meter.count
        first = parts[0]
        # What fits a page is shown whole, whatever was looked for in it.
        if not asked.start and fits_whole(parts, PAGE_MOST, count):
            return fit_parts(parts, PAGE_MOST, count, PAGE_MOST)
        if asked.start and asked.start >= len(first.words):
            raise BadInput(
                f"[{first.place}] has {len(first.words):,} characters: "
                f"nothing is left from {asked.start:,} on"
            )
        if asked.start:
            parts[0] = replace(first, start=asked.start)
            return fit_parts(parts, READ_ON, count, READ_ON)
        if not query:
            return fit_parts(parts, PAGE_MOST, count, OPENED)
        # Most sessions are never searched, and need not load what does.
        from steno.recall.hits import find_spot

        # The words that are looked for must stand in the share of each.
        level = min(PASSAGE, PAGE_MOST // len(parts))
        for at, part in enumerate(parts):
            whole = len(part.words)
            length = max(1, level - LINE_ROOM) * whole // max(1, count(part.words))
            spot = find_spot(part.words, query).start - length // 4
            parts[at] = replace(part, start=max(0, min(spot, whole - length)))
        return fit_parts(parts, PAGE_MOST, count, PASSAGE)

    def _log_of(self, session: str) -> Log:
        journal = self._journal
        if session in ("", journal.name):
            journal.stored.require_session()
            return journal.log
        info = journal.store.session_info(require_own(journal.store, self._require_user(), session))
        return Log(Tape(journal.store.load(info.key, journal.reader_for(info)).messages))

    def _page_parts(self, place: Place, log: Log) -> list[PagePart]:
        first = place.span.start
        # A range may go beyond the end: an agent does not know how long its session is.
        stop = min(place.span.stop, len(log.messages)) if first < len(log.messages) else first + 1
        messages = list(log.open(Span(first, stop)))
        if place.block is None:
            return [
                PagePart(str(position), _speaker(message), words_of(message))
                for position, message in enumerate(messages, first)
            ]
        words = block_words(place.block_of(messages[0]))
        return [PagePart(f"{first}.{place.block}", messages[0].role, words)]

    def catch_up(self) -> None:
        """Do between turns what waits until no call is open: requests, notes."""
        journal = self._journal
        # A provider refuses anything between a call and its result.
        if journal.has_open_call or not journal.records.known(DEFERRED_KIND, NOTE_KIND):
            return
        journal.guard(self.deferred.run)
        journal.guard(self.notes.show)

    def show_covered_notes(self) -> None:
        """Show notes that a compaction covered after `catch_up`, in the same request."""
        journal = self._journal
        if not journal.has_open_call and journal.records.known(NOTE_KIND):
            journal.guard(self.notes.show_if_room)


def _speaker(message: Message) -> str:
    """Return who speaks in a message, as a hit of a search says it."""
    if message.only_results:
        return "tool"
    if message.role == "user" and message.by == "caller" and not typed_text(message):
        return PROGRAM
    return message.role


def aged_until(log: Log) -> int:
    """Return the position before which everything covered is archive."""
    # What the newest compaction covered for the first time is in the tier `recall`; what was
    # covered before it is older, however often its summary was written again.
    compactions = [commit for commit in log.live if commit.why in COMPACTS]
    covered = (edit.span.stop for commit in compactions[:-1] for edit in commit.edits if edit.level)
    return max(covered, default=0)
