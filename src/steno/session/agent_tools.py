"""What an agent can do with the session it lives in: its tools, its notes, its pages, its wishes.

The work of each is a module of its own (`tools`, `notes`, `page`, `wish`); here
they are put into one hand, with what they are made of: Steno's own words in the
log, and lines beside it.
"""

from __future__ import annotations

import json
from typing import Any

from steno.core.errors import BadInput
from steno.core.fence import Fence
from steno.core.log import Commit, Edit, Proposal
from steno.core.message import Span, user_message
from steno.core.repair import encodable_text
from steno.core.store import Record
from steno.engine.policy import Quota
from steno.session import deferred, notes, page, tools
from steno.session.notes import AgentNote
from steno.session.searchable import SearchableSession


class AgentTools(SearchableSession):
    def tools(self) -> list[dict[str, Any]]:
        """The agent's own tools, as its provider wants them defined; the same text until the next commit."""
        return [self.setup.wire.tool(*each) for each in tools.tool_definitions(self)]

    def handle(self, call: Any) -> str | None:
        """Answer a call of one of these tools: the text of its result; None for anybody else's call."""
        return tools.handle_call(self, call)

    def indicator(self) -> str | None:
        """A line that says how full the context is, where the agent decides when to compact; else None."""
        return tools.fill_indicator(self)

    def page_in(self, where: int | str | Span, turns: int | None = page.TURNS) -> int:
        """Show what was said there once more, at the end, for some turns; gives the position of the page."""
        return page.page_in(self, where, turns)

    def release(self, *positions: int) -> None:
        """Take pages away before their time; all of them, where none is named."""
        page.release(self, *positions)

    def remember(self, text: str) -> AgentNote:
        """Write a note that stays in view, within a cap, however often the session is compacted."""
        return notes.write_note(self, text)

    def forget(self, id: int) -> AgentNote:
        """Strike a note out."""
        return notes.strike_note(self, id)

    def notes(self) -> list[AgentNote]:
        return notes.standing_notes(self)

    def catch_up(self) -> None:
        """Grant wishes, turn old pages, show notes again: what waits until no call is open."""
        if self.view.mending.open or not any(
            self.records(kind) for kind in (deferred.DEFERRED_KIND, page.PAGE_KIND, notes.NOTE_KIND)
        ):
            return
        self._run_guarded(lambda: deferred.run_deferred(self))
        self._run_guarded(self._hide_overdue_pages)
        self._run_guarded(lambda: notes.show_notes(self))

    def _hide_overdue_pages(self) -> None:
        old = page.overdue_pages(self)
        if old:
            self.hide(*old)

    def say(self, kind: str, text: str) -> int:
        """Steno's own words, fenced, at the end of the log, where no call is waiting; gives their position."""
        with self._lock:
            self.refresh()
            if self.view.mending.open:
                raise BadInput(
                    "a call is waiting for its result: add the result before Steno speaks"
                )
            self._append(
                [
                    user_message(
                        encodable_text(str(Fence({"kind": self.clean(kind)}, self.clean(text)))),
                        by="steno",
                    )
                ]
            )
            return len(self.log.messages) - 1

    def hide(self, *positions: int) -> Commit:
        """Show nothing any more where Steno itself spoke; what a caller said is not hidden this way."""
        with self._lock:
            return self.retry_stale(lambda: self._land_hiding(positions))

    def _land_hiding(self, positions: tuple[int, ...]) -> Commit:
        draft = self._draft("hide")
        spans = [Span(position, position + 1) for position in positions]
        if any(self.log.open(span)[0].by != "steno" for span in spans):
            raise BadInput("only what Steno itself said can be hidden: compact covers the rest")
        self._land_commit(
            draft.accept(Proposal(tuple(Edit(span, (), "hide") for span in spans), "hide")).commit()
        )
        return self.log.commits[-1]

    def record(self, kind: str, value: Any) -> Record:
        """Keep a line beside the log for good: a note, a mark of a run; any JSON value."""
        kept = value if self.setup.redact is None else self.setup.redact.free(value)
        return self._shelf.store.record(self._shelf.name, self.clean(kind), json.dumps(kept))

    def records(self, kind: str | None = None) -> list[tuple[Record, Any]]:
        """The lines beside the log, oldest first, each with its value."""
        with self._lock:
            for jot in self._shelf.store.records(self._shelf.name, self._jotted):
                self._jots.setdefault(jot.kind, []).append((jot, json.loads(jot.text)))
                self._jotted = jot.number + 1
            if kind is not None:
                return list(self._jots.get(self.clean(kind), ()))
            return sorted(
                (each for kept in self._jots.values() for each in kept), key=_record_number
            )

    def apply_quota(self, quota: Quota) -> None:
        """From now on, as the policy says for this quota."""
        with self._lock:
            self.with_quota(quota)

    def brace(self, tokens: int) -> None:
        """So much is about to come in: where that would press hard, compact now, while the step's end is near."""
        with self._lock:
            self.brace_for(tokens)


def _record_number(jotted: tuple[Record, Any]) -> int:
    return jotted[0].number
