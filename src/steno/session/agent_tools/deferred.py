"""What the agent asked for with a tool, done when the next request is made.

A tool only signals: while its call waits for a result nothing may change. A message of Steno's own
reports the outcome, so that the agent reads it on its next turn.
"""

from __future__ import annotations

from typing import Any

import msgspec

from steno.core.effects import FATAL_ERRORS
from steno.core.log import Commit
from steno.core.rung import Rung
from steno.rungs.summarize import Summarize
from steno.rungs.truncate import Truncate
from steno.session.compactor import Compactor
from steno.session.event_log import reason_of
from steno.session.journal import Journal

DEFERRED_KIND = "wish"
"""Kind of a stored record; the word itself is in old stores and stays."""
GRANTED_KIND = "granted"
OUTCOME_KIND = "outcome"


class DeferredRequests:
    """What the agent asked for with a tool and has not got yet."""

    def __init__(self, journal: Journal, compactor: Compactor) -> None:
        self._journal = journal
        self._compactor = compactor

    def pending(self) -> list[dict[str, Any]]:
        """Return the requests that are not done yet."""
        done = {
            number for _, numbers in self._journal.records.of(GRANTED_KIND) for number in numbers
        }
        return [
            request | {"number": record.number}
            for record, request in self._journal.records.of(DEFERRED_KIND)
            # Earlier versions also kept requests for pages.
            if record.number not in done and request["what"] == "compact"
        ]

    def run(self) -> None:
        """Do what was asked for, of several compactions only the last one; report the outcome."""
        requests = self.pending()
        if not requests or self._journal.has_open_call:
            return
        failure: Exception | None = None
        try:
            reasons = dict.fromkeys(str(request.get("reason", "")) for request in requests)
            outcome = self._compact_and_report(requests[-1], "; ".join(filter(None, reasons)))
            if len(requests) > 1:
                outcome += f" Of {len(requests)} requests the last one was done."
        except FATAL_ERRORS:
            raise
        except Exception as failed:  # noqa: BLE001 — reported to the agent, then raised
            failure = failed
            outcome = f"compress_context failed: {reason_of(failed)}. You can ask for it again."
        # Done, also if it failed, or it would be tried at every turn; an interrupt leaves it to do.
        self._journal.records.add(GRANTED_KIND, [request["number"] for request in requests])
        self._journal.say(OUTCOME_KIND, outcome)
        if failure is not None:
            raise failure

    def _compact_and_report(self, request: dict[str, Any], reason: str) -> str:
        before = self._journal.load
        commit = self._compact(request["strategy"], request["markers"], reason)
        usable = self._journal.budget.usable
        if commit is None:
            skipped = self._compactor.skip_reason
            return (
                f"compress_context: not compacted ({skipped}); {before:,} of {usable:,} tokens "
                f"are used. Your reason: {reason}"
            )
        after = self._journal.load
        fill = round(100 * after / usable)
        how = "archived by extraction"
        if request["strategy"] == "archive":
            how = "archived"
        elif any(call.reason == "" and call.by for call in commit.asked):
            how = "summarized"
        elif all(edit.summary is None for edit in commit.edits):
            how = "copies were removed or long results shortened; a summary was not needed"
        report = f"compress_context: {how}; {before:,} → {after:,} of {usable:,} tokens ({fill} %)."
        if self._journal.recall_tool:
            report += " Everything can be read again with recall."
        return f"{report} Your reason: {reason}"

    def _compact(self, strategy: str, markers: bool, reason: str) -> Commit | None:
        """Compact as asked; `archive` asks no model and leaves computed lines and the pointer."""
        archive = strategy == "archive"
        ladder: tuple[Rung, ...] = self._journal.settings.policy.ladder
        if archive:
            # One summary with computed lines alone: an agent that archives wants room now.
            ladder = (Summarize(in_place=False), Truncate())
        if not markers:
            ladder = tuple(without_doubts(rung) for rung in ladder)
        return self._compactor.compact_now(ladder, asks=not archive, reason=reason)


def without_doubts(rung: Rung) -> Rung:
    if isinstance(rung, Summarize):
        return msgspec.structs.replace(rung, doubts=0)
    return rung
