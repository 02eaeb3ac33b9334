"""A session and the list that its caller keeps of it.

Owns taking a list in: adding what is new, and hiding what the caller no longer
sends. Which session a list belongs to is decided in `sessions`; what the list looks
like when it goes out is `render`'s.
"""

from __future__ import annotations

import math
import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple, TypeVar

from steno.adapters.resent.align import Alignment, align_lists
from steno.adapters.resent.incoming import IncomingList, IncomingMessage, IncomingReader, chain_keys
from steno.adapters.resent.render import ListRenderer, ShownMessage
from steno.core.errors import StenoError
from steno.core.log import COMPACTS, Commit, Edit, Log
from steno.core.message import Message, Result, Span, Text
from steno.core.seam import find_seams
from steno.core.view import View
from steno.facts.tags import closed_tags, without_tags
from steno.providers import json_text, neighbour_groups, parse_json
from steno.providers.bill import Bill
from steno.providers.shared.provider_report import events_in
from steno.session.session import Session
from steno.summary.constraints_block import constraints_block_at

_REMINDER = re.compile(r"[\w-]*reminder|(?:system|environment)[-_][\w-]+")
"""A block that a harness puts on its newest message and takes off again; no person writes one."""

Summaries = dict[int, tuple[Span, Message]]
FittedT = TypeVar("FittedT")


class StrangeWords(StenoError):
    """A view holds words that its caller has neither sent nor named."""


def try_twice(fit: Callable[[], FittedT]) -> FittedT:
    """Return what a list comes to; once more if others went on with its session meanwhile."""
    try:
        return fit()
    except StrangeWords:
        return fit()


class KnownMessage(NamedTuple):
    """One message of a caller's list, and the positions of the log that it stands for."""

    key: bytes
    start: int
    stop: int
    logged: bool = True
    """Whether it is the message said at `start`; False for one that Steno wrote over a span."""


class ResentThread:
    """A session, the caller's own list of it, and the list that was written back, if one was."""

    def __init__(
        self,
        session: Session,
        reader: IncomingReader,
        root: str,
        keys: Sequence[bytes] = (),
        known: Sequence[KnownMessage] = (),
    ) -> None:
        """Begin with the session's messages, and what is known of the caller's list.

        `keys` are those of the first messages; `known` says also where each of them stands.
        """
        self.session = session
        self.root = root
        """The name under which the session was begun, before its caller changed the past."""
        self.lock = threading.RLock()
        """Held from taking a list in until the list to send is made, so that none comes between."""
        self.model = session.host.settings.model
        self.known = list(known)
        """The caller's list as it is if nothing is written back."""
        self.written: list[KnownMessage] | None = None
        """The list as a view that was written back to the caller, if one was."""
        self.commits_written = 0
        """Commits that the caller's list shows already."""
        self._constraints_written: str | None = None
        """Text of the block of constraints in the list that was written back."""
        self.usage: Any = None
        """What the provider reported for the last request."""
        self.bill: Bill | None = None
        """What its requests cost so far, once that was added up."""
        self.arriving: list[bytes] = []
        """Keys of the list that is being added, while it is."""
        self.is_apart = False
        """Whether it holds more than messages, so that no list without a name joins it."""
        self.too_short_for = b""
        """End of the chain of a list that fits whole, and was shortened here for another one."""
        self._reader = reader
        self._renderer = ListRenderer(reader.form)
        self._current: list[KnownMessage] = []
        self._lead = 0
        """System messages at the head of the list that stand in place of those in the log."""
        self._reminder_gone = False
        self._redacted: set[int] = set()
        self._sent = False
        self._own = False
        self._compared = 0
        self._sent_itself = False
        """Whether the caller sent the list that was written, not Steno alone."""
        if known and session.host.redactor is not None:
            self._redacted.update(range(known[-1].stop))
        self.catch_up(keys)

    @property
    def has_new_commits(self) -> bool:
        """Whether commits have landed that the caller's list does not show yet."""
        return len(self.session.log.commits) > self.commits_written

    @property
    def has_new_constraints(self) -> bool:
        """Whether the caller's list begins with another block of constraints than the view."""
        return self._constraints_written != self._constraints

    @property
    def _constraints(self) -> str | None:
        """Text of the block of constraints in the view."""
        return getattr(self.session.view.head, "text", None)

    def catch_up(self, keys: Sequence[bytes] = ()) -> None:
        """Take in what another process has added to the session."""
        summaries, dropped = _edits_of_caller(self.session.log)
        start = 0
        if self.known:
            start = self.known[-1].stop
        messages = self.session.log.messages
        for position in range(start, len(messages)):
            message = messages[position]
            if position in summaries:
                span, shown = summaries[position]
                key = self._reader.form.key(shown)
                self.known.append(KnownMessage(key, span.start, span.stop, logged=False))
            if not _is_of_caller(message) or position in dropped:
                continue
            key = self._reader.form.key(message)
            if len(self.known) < len(keys):
                key = keys[len(self.known)]
            self.known.append(KnownMessage(key, position, position + 1))
            if self.session.host.redactor is not None:
                # The store does not say which messages had secrets: none is sent as it came.
                self._redacted.add(position)

    @property
    def own_messages(self) -> int | None:
        """How many messages the caller has sent, if it is not known whose the others would be."""
        if self._own:
            return len(self.session.log.messages)
        return None

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The positions of the log that the caller's list stands for, neighbours as one."""
        spans: list[tuple[int, int]] = []
        for known in self._current:
            start = known.start
            if spans and spans[-1][1] == start:
                start, _ = spans.pop()
            if start < known.stop:
                spans.append((start, known.stop))
        return spans

    def texts_at(self, spans: Sequence[tuple[int, int]]) -> list[tuple[bytes, bytes]]:
        """Return text and key of what a list said that stood for these positions."""
        wire, messages = self.session.host.wire, self.session.log.messages
        keys = {known.start: known.key for known in self.known}
        texts = []
        summaries, _ = _edits_of_caller(self.session.log)
        for at in (at for start, stop in spans for at in range(start, stop)):
            message = messages[at]
            if at in summaries:
                _, message = summaries[at]
            elif not _is_of_caller(message):
                continue
            text = wire.encode(message)[0].encode()
            key = keys.get(at) or self._reader.form.key(message)
            self._reader.remember_key(text, key)
            texts.append((text, key))
        return texts

    def align(self, incoming: IncomingList, *, strict: bool) -> Alignment:
        """Compare a list with the caller's own, and with the one that was written back.

        `strict` allows for no lost stretch, and for no reminder that was taken off.
        """
        best = self._align(self.known, incoming, strict)
        # Two strangers may have equal views of different words.
        if self.written is None or (strict and not self._sent_itself):
            return best
        how = self._align(self.written, incoming, strict)
        if not strict:
            how = self._align_after_lead(self.written, incoming) or how
        # Where a fork would begin among messages that no log holds, there is nothing to begin with.
        if how.rank <= best.rank or (how.forks and (strict or self._is_absent_at(how.kept))):
            return best
        return replace(how, written=True)

    def _align_after_lead(
        self, written: Sequence[KnownMessage], incoming: IncomingList
    ) -> Alignment | None:
        """Compare what follows the system messages at the head of both lists, if those differ."""
        messages, wire = self.session.log.messages, self.session.host.wire
        old = self._lead or sum(
            1
            for _ in takewhile(
                lambda known: known.logged and messages[known.start].role == "system", written
            )
        )
        texts = ((message.plain, message.text.decode()) for message in incoming)
        roles = (wire.decode(plain, text, "a message").role for plain, text in texts)
        new = sum(1 for _ in takewhile("system".__eq__, roles))
        if [known.key for known in written[:old]] == [each.key for each in incoming[:new]]:
            return None
        how = self._align(written[old:], incoming[new:], strict=False)
        if how.forks and not how.kept:
            return None
        kept, resumes, known = how.kept + old, how.resumes + old, how.known + old
        return replace(how, kept=kept, resumes=resumes, known=known, lead=(old, new))

    def _is_absent_at(self, number: int) -> bool:
        """Tell whether a message of the written list stands amid messages that no log holds."""
        at = (self.written or ())[number].start
        around = self.session.log.messages[max(0, at - 1) : at + 1]
        return len(around) == 2 and all(message.role == "absent" for message in around)

    def begin_in(self, parent: ResentThread, kept: Sequence[KnownMessage]) -> None:
        """Go on from a place in the list that was written back for the parent of this fork.

        No later commit of the parent is carried over: it may tell or cite what was not said here.
        """
        messages, key_of = self.session.log.messages, self._reader.form.key
        # What was shown otherwise there is not what was said.
        self.written = [
            known._replace(logged=known.logged and key_of(messages[known.start]) == known.key)
            for known in kept
        ]
        self._sent_itself, self._lead = True, parent._lead
        self.commits_written = len(self.session.log.commits)
        self._constraints_written = parent._constraints_written

    def _align(
        self, known: Sequence[KnownMessage], incoming: IncomingList, strict: bool
    ) -> Alignment:
        def replaces(at: int) -> bool:
            return not strict and self._lost_reminder(known[-1], incoming[at])

        keys = [message.key for message in incoming]
        return align_lists([message.key for message in known], keys, replaces, gaps=not strict)

    def _lost_reminder(self, newest: KnownMessage, incoming: IncomingMessage) -> bool:
        if self._reminder_gone or not newest.logged:
            return False
        plain = self.session.host.clean(incoming.plain)
        new = self.session.host.wire.decode(plain, json_text(plain), "the newest message")
        return differs_by_reminders(new, self.session.log.messages[newest.start])

    def apply(self, incoming: IncomingList, how: Alignment, *, own: bool = False) -> None:
        """Add what is new in a list, and hide what is gone from it.

        `own` says that only the list's own messages may go out: its caller is not known.
        """
        self._own = own
        basis = self.known
        if how.written and self.written is not None:
            basis = self.written
        else:
            self._lead = 0
        if how.lead is not None:
            basis, how = self._with_lead(basis, incoming, how, *how.lead)
        dropped = basis[how.kept : how.resumes]
        self._current = basis[: how.kept] + basis[how.resumes :]
        if how.replaced:
            self._reminder_gone = True
            self._current[-1] = self._current[-1]._replace(key=incoming[how.old - 1].key)
        new = self._add(incoming[how.old :])
        self._current = self._current + new
        if how.written:
            self.written = self._current
            gone = {at for message in dropped for at in range(message.start, message.stop)}
            self.known = [message for message in self.known if message.start not in gone] + new
        else:
            # The caller sent its own list, so it does not use what was written back.
            self.known, self.written = self._current, None
            self._constraints_written = None
        self._hide_gaps()

    def _with_lead(
        self,
        basis: Sequence[KnownMessage],
        incoming: IncomingList,
        how: Alignment,
        old: int,
        new: int,
    ) -> tuple[list[KnownMessage], Alignment]:
        """Put the list's own system messages at the head of what is known; they are not stored."""
        stop = max((known.stop for known in basis[:old]), default=0)
        lead = [
            KnownMessage(message.key, stop * bool(at), stop, logged=False)
            for at, message in enumerate(incoming[:new])
        ]
        self._lead, more = new, new - old
        kept, resumes, known = how.kept + more, how.resumes + more, how.known + more
        how = replace(how, kept=kept, resumes=resumes, known=known, lead=None)
        return [*lead, *basis[old:]], how

    def _add(self, new: IncomingList) -> list[KnownMessage]:
        if not new:
            return []
        usage = self.usage
        # The usage on a reply is that of our view only if one was sent since the last list.
        if usage is None and self._sent:
            usage = self._reader.form.usage(new[0].given)
        self.session.host.add(*(message.plain for message in new), usage=usage)
        self.usage = None
        self._sent = False
        self._reminder_gone = False
        messages = self.session.log.messages
        start = len(messages) - len(new)
        if self.session.host.redactor is not None:
            # What is kept without its secrets is sent as it is kept.
            for position, message in enumerate(new, start):
                if self._reader.form.key(messages[position]) != message.key:
                    self._redacted.add(position)
        return [KnownMessage(message.key, at, at + 1) for at, message in enumerate(new, start)]

    def begin_with(
        self, incoming: IncomingList, messages: Sequence[Message], log: Log, *, written: bool
    ) -> None:
        """Take in the list whose messages `log` was made of: the session began with it.

        `written` says that it is a view that was written back to the caller.
        """
        # By identity: two messages may say the same.
        places = {id(message): (at, at + 1, True) for at, message in enumerate(log.messages)}
        for commit in log.commits:
            for edit in commit.edits:
                for message in edit.shows:
                    places[id(message)] = (edit.span.start, edit.span.stop, False)
        begun: list[KnownMessage] = []
        stop = 0
        for arrived, message in zip(incoming, messages, strict=True):
            # What an earlier repair added stands for no position, and is added again.
            place = places.get(id(message), (stop, stop, False))
            stop = place[1]
            begun.append(KnownMessage(arrived.key, *place))
        if not written:
            self.known = begun
            return
        self.written, self._sent_itself = begun, True
        self.commits_written = len(log.commits)
        block = constraints_block_at(messages)
        if block is not None:
            self._constraints_written = messages[block].text

    def assume_written(self) -> None:
        """Expect that the caller's list is the session's view, as another process left it."""
        self._lead = 0
        self.mark_written(self._renderer.render(self.session.host.wire, self.session.view, {}))

    def mark_written(self, shown: Sequence[ShownMessage]) -> None:
        """Note that the caller's list is now what was shown, as its provider wants it joined."""
        left = list(shown)
        self.written = []
        groups = neighbour_groups(self.session.host.wire, [each.object for each in shown])
        for joined, count in groups:
            self.written += self._known_in(joined, left[:count])
            del left[:count]
        self._sent_itself = [each.key for each in self.written] == [
            each.key for each in self._current
        ]
        self.commits_written = len(self.session.log.commits)
        self._constraints_written = self._constraints

    def _known_in(self, joined: Any, members: Sequence[ShownMessage]) -> Iterator[KnownMessage]:
        """Yield what is known of a message that was shown, or was joined of several."""
        read = self._reader.read([joined])
        left = [(self._reader.read([each.object])[0].key, each) for each in members]
        for piece, after in zip(read, [*read[1:], None], strict=True):
            (_, first), *left = left or [(b"", members[-1])]
            last, logged = first, first.logged
            # Words of two messages side by side come back as one.
            while left and (after is None or left[0][0] != after.key):
                (_, last), *left = left
                logged = False
            yield KnownMessage(piece.key, first.start, last.stop, logged)

    def _hide_gaps(self) -> None:
        """Show nothing of what the caller no longer sends, as far as seams allow."""
        gaps: list[Span] = []
        stop = 0
        for message in self._current:
            if stop < message.start:
                gaps.append(Span(stop, message.start))
            stop = message.stop
        if not gaps:
            return
        # A background draft, or another process, may land at the same moment.
        if self.session.host.land_edits(lambda: self._draw_gaps(gaps)) is not None:
            self.commits_written += 1  # what it hides is not in the list

    def _draw_gaps(self, gaps: Sequence[Span]) -> Commit | None:
        """Return the commit that hides these spans, if anything of them is shown."""
        session = self.session
        with session.host.lock:
            view, load = session.view, session.load
            base, at = len(session.log.commits), len(session.log.messages)
        seams = find_seams(view.items, view.terms)
        edits = []
        for gap in gaps:
            if all(message.by == "steno" for message in view.messages[gap.start : gap.stop]):
                continue  # Steno's own messages are in no caller's list.
            first = bisect_left(view.items, gap.start, key=lambda item: item.span.start)
            stop = bisect_right(view.items, gap.stop, key=lambda item: item.span.stop)
            cuts = [at for at in range(first, stop + 1) if at in seams]
            ends = [at for at in cuts if _may_go_on(view, at)]
            if not ends:
                continue
            covered = view.items[cuts[0] : ends[-1]]
            if any(message.blocks for item in covered for message in item.shows):
                span = Span(covered[0].span.start, covered[-1].span.stop)
                edits.append(Edit(span, (), "resent", level=1))
        if not edits:
            return None
        after = load - view.raw + view.with_edits(edits).raw
        return Commit(base, at, "resent", tuple(edits), load, after, after)

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was edited, added or taken out, so that the caller's list is the view."""
        log = self.session.log
        return (
            not any(commit.edits for commit in log.live)
            and not self._redacted
            and self.session.view.head is None
            and len(log.messages) == len(self._current)
        )

    def learn_reply(self, reply: Any, usage: Any) -> None:
        """Emit what the provider did to the last request, and keep the tokens that it counted."""
        edited = self.session.host.hear_provider(list(events_in(reply)))
        # What a provider counted after it changed the request says nothing about our view.
        if usage and not edited:
            # It is added with the next list, the first one to hold the reply.
            self.usage = usage
        self.session.host.learn_from_reply(reply)

    def messages_to_send(
        self, incoming: IncomingList, system: str, tools: Sequence[Any], schema: str = ""
    ) -> list[ShownMessage]:
        """Return the messages to send in place of this list, with what each stands for."""
        if self._lead and not self._current[0].stop:
            # It stands for nothing that is in the log, so it is counted here.
            lead = (message.text.decode() for message in incoming[: self._lead])
            system = "\n".join((system, *lead))
        self.session.host.set_preamble(system, list(tools), schema)
        self.require_pressure(incoming)
        return self.send_view(self.session.host.prepare_view(), incoming)

    def require_pressure(self, incoming: IncomingList, most: float = math.inf) -> None:
        """Raise StrangeWords if only another caller's list can have made the session compact.

        That is so if all that a list without a name says takes no more than a compaction leaves,
        and its caller asked for no less than `most` tokens. Not if it merely fits: what a token
        weighs is learned, and a list must not leave its session for that.
        """
        session = self.session
        compacted = any(commit.why in COMPACTS for commit in session.log.live)
        if not (self._own and compacted) or session.host.policy.offers_compression:
            return
        whole = sum(item.tokens for item in session.view.arrivals)
        load = (
            session.load
            + session.view.meter.load(whole)
            - session.view.meter.load(session.view.raw)
        )
        if load <= min(session.budget.goal_load, most):
            self.too_short_for = chain_keys(incoming)[-1]
            raise StrangeWords("the list fits, and the session was compacted for another one")

    def send_view(self, view: View, incoming: IncomingList) -> list[ShownMessage]:
        """Return what shows a view of the session, to send in place of this list."""
        if self._own:
            try:
                self.require_own(view, incoming)
            except StrangeWords:
                # Another process went on with it: a second try begins another session.
                self.is_apart = True
                raise
        shown = self._render(view, incoming)
        self._sent = True
        indicator = self.session.host.tools.indicator_message()
        if indicator is not None:
            end = len(self.session.log.messages)
            for text in self.session.host.wire.encode(indicator):
                made = self._reader.form.to_object(parse_json(text), None)
                shown.append(ShownMessage(made, end, end, logged=False))
        return shown

    def require_own(self, view: View, incoming: IncomingList) -> None:
        """Raise StrangeWords unless a view is made of the messages of this list alone."""
        if self.session.host.holds_more():
            raise StrangeWords("the session holds words that were added beside its list")
        own: set[int] = set()
        messages = self.session.log.messages
        for at, (known, message) in enumerate(zip(self._current, incoming, strict=True)):
            own.update(range(known.start, known.stop))
            # What was compared before is compared by the keys of the list.
            if at < self._compared or not known.logged or known.start in self._redacted:
                continue
            if self._reader.form.key(messages[known.start]) != message.key:
                raise StrangeWords(f"messages[{at}] is not what the session holds in its place")
        self._compared = len(self._current)
        for item in view.items:
            shown = range(item.span.start, item.span.stop)
            if not own.issuperset(at for at in shown if _is_of_caller(messages[at])):
                raise StrangeWords("the session holds messages that are not in this list")

    def shown(self, incoming: IncomingList) -> list[ShownMessage]:
        """Return what the session shows now, in the caller's objects."""
        return self._render(self.session.view, incoming)

    def _render(self, view: View, incoming: IncomingList) -> list[ShownMessage]:
        given = {}
        for known, message in zip(self._current, incoming, strict=True):
            if known.logged and known.start not in self._redacted:
                given[known.start] = message
        shown = self._renderer.render(self.session.host.wire, view, given)
        if not self._lead:
            return shown
        lead = zip(self._current[: self._lead], incoming, strict=False)
        stop = self._current[0].stop
        return [
            *(ShownMessage(new.given, known.start, known.stop, False) for known, new in lead),
            *(each for each in shown if each.start == each.stop or each.stop > stop),
        ]


def _is_of_caller(message: Message) -> bool:
    """Tell whether a message stands in its caller's list."""
    return message.by != "steno" and message.role != "absent"


def _may_go_on(view: View, at: int) -> bool:
    """Tell whether a view may go on with this item, even as its beginning."""
    # Some providers want a user's words first; results of calls are no beginning.
    if not view.terms.user_begins or at == len(view.items):
        return True
    shows = view.items[at].shows
    return bool(shows) and shows[0].role == "user" and not shows[0].only_results


def _edits_of_caller(log: Log) -> tuple[Summaries, set[int]]:
    """Return the summaries that the caller's list began with, by start, and what it dropped."""
    summaries: Summaries = {}
    dropped: set[int] = set()
    edits = [edit for commit in log.live if commit.why == "resent" for edit in commit.edits]
    for edit in edits:
        if edit.shows:
            summaries[edit.span.start] = (edit.span, edit.shows[0])
        else:
            dropped.update(range(edit.span.start, edit.span.stop))
    return summaries, dropped


def differs_by_reminders(new: Message, old: Message) -> bool:
    """Tell whether a message came back without its reminder, and with no other change."""
    if new.role != old.role:
        return False
    said, reminders = _split_reminders(new)
    before, reminders_before = _split_reminders(old)
    # Only taken off: a reminder that was not there before is something new.
    return bool(said) and said == before and reminders <= reminders_before


def _split_reminders(message: Message) -> tuple[list[object], set[str]]:
    """Return what the blocks of a message say beside reminders, and the reminders."""
    said: list[object] = []
    reminders: set[str] = set()
    for block in message.blocks:
        if not isinstance(block, Text | Result):
            said.append(block)
            continue
        text = block.text
        reminders |= {text[tag.start : tag.stop] for tag in closed_tags(text, _REMINDER)}
        bare = without_tags(text, _REMINDER).strip()
        if isinstance(block, Result):
            rest = tuple(part for part in block.content if not isinstance(part, Text))
            said.append((block.call, block.error, bare, rest))
        elif bare:
            said.append(bare)
    return said, reminders
