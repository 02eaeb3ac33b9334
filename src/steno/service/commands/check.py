"""`steno check`: what must not be forgotten, and whether the model still sees it."""

from __future__ import annotations

from typing import Any

from steno.engine.designs import policy_of
from steno.ledger.ledger import Ledger, Stated
from steno.ledger.words import Words
from steno.service.commands.options import DONE, NOT_RIGHT
from steno.service.commands.page import QUIET, Page, note, say_json
from steno.service.commands.show import compacted
from steno.service.commands.source import Held, given, source
from steno.service.commands.words import counted
from steno.session.setup import Told

SAID, GONE = "✓", "✗"
MEANS = f"{SAID} the model sees it word for word, {GONE} it can only be opened."


def check(path: str, session: str | None, told: Told, policy: str, *, as_json: bool = False) -> int:
    """Say what must be seen; the exit code says whether every rule is."""
    held = _held(path, session, told, policy)
    ledger, words = Ledger.of(held.log.messages), Words(held.view.shown)
    made = _made(held, ledger, words) | {"counts": _counts(ledger)}
    if as_json:
        say_json(made)
    else:
        _say(held, made)
    return DONE if all(row["said"] for row in made["rules"]) else NOT_RIGHT


def facts_of(path: str, session: str | None, told: Told, policy: str, *, as_json: bool = False) -> int:
    """Every fact that is known, kind by kind, with its place and whether it is seen."""
    held = _held(path, session, told, policy)
    ledger, words = Ledger.of(held.log.messages), Words(held.view.shown)
    made = _made(held, ledger, words)
    made["decisions"] = [_row(each, words) for each in ledger.decisions]
    made["errors"] = [_row((failed.position, failed.fact), words) for failed in ledger.errors]
    made["doubts"] = [_row(each, words) for each in ledger.markers]
    made["artifacts"] = [
        {"at": thing.newest[1], "words": thing.words, "kind": thing.newest[0], "said": words.hold(thing.words)}
        for thing in ledger.touched
    ]
    if as_json:
        say_json(made)
        return DONE
    page = Page()
    page.line((held.name, "bold"), f" · {held.origin} · {counted(made['messages'], 'message')}")
    for title in ("rules", "open", "decisions", "errors", "doubts", "artifacts"):
        _list(page, title, made[title])
    page.line()
    page.line((MEANS, QUIET))
    return DONE


def _held(path: str, session: str | None, told: Told, policy: str) -> Held:
    with given(path) as file:
        now = source(file, session, told).under(policy_of(policy))
    for warning in now.warnings:
        note(warning)
    return compacted(now) if told.window or told.model else now


def _made(held: Held, ledger: Ledger, words: Words) -> dict[str, Any]:
    return {
        "name": held.name,
        "messages": len(held.log.messages),
        "rules": [_row(each, words) for each in ledger.constraints],
        "open": [_row(each, words) for each in ledger.loops if not each[1].note.startswith("call")],
        "reports": [_report(commit) for commit in held.log.live if commit.report],
    }


def _row(stated: Stated, words: Words) -> dict[str, Any]:
    at, fact = stated
    return {"at": at, "words": fact.words, "kind": fact.note or fact.kind, "said": words.hold(fact.words)}


def _counts(ledger: Ledger) -> dict[str, int]:
    open_errors = sum(failed.overcome is None for failed in ledger.errors)
    return {
        "decisions": len(ledger.decisions),
        "errors": len(ledger.errors),
        "errors not overcome": open_errors,
        "artifacts": len(ledger.touched),
        "doubts": len(ledger.markers),
    }


def _report(commit: Any) -> dict[str, Any]:
    report = commit.report
    kinds = {
        kept.kind: {"retained": kept.retained, "recallable": kept.recallable, "lost": kept.lost}
        for kept in report.kinds
    }
    return {"commit": commit.number, "lost": report.lost, "kinds": kinds}


def _say(held: Held, made: dict[str, Any]) -> None:
    page = Page()
    page.line((held.name, "bold"), f" · {held.origin} · {counted(made['messages'], 'message')}")
    _list(page, "Rules in force", made["rules"])
    _list(page, "Open loops", made["open"])
    page.heading("Also known")
    page.line(", ".join(f"{count:,} {name}" for name, count in made["counts"].items()), indent=2)
    for report in made["reports"]:
        told = ", ".join(
            f"{kind} {kept['retained']} said, {kept['recallable']} to be opened"
            for kind, kept in report["kinds"].items()
        )
        page.line((f"commit {report['commit']}: {told}; {report['lost']} lost", QUIET), indent=2)
    page.line()
    page.line((MEANS, QUIET))


def _list(page: Page, title: str, rows: list[dict[str, Any]]) -> None:
    page.heading(f"{title.capitalize()}: {len(rows)}")
    for row in rows:
        mark, words = SAID if row["said"] else GONE, " ".join(row["words"].split())
        page.line(f"{mark} ", (f"[{row['at']}] ", QUIET), words, indent=2)
