"""How a plot is written down in a provider's words.

A beat is what one side says; each wire turns it into the messages of its own
list. What is said is the story's business.

A long session of our own making: a coding agent hunts a penny through an invoicing program.

It has what real sessions have: rules said once at the start, files read and
read again, parallel calls, failures, a log far larger than the window, a change
of mind, a picture, and a call that nobody ever answered. The plot is told once,
here; what the agent finds is scenery, and how either wire says it is the
script's business.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from steno.cli.demo import scenery
from steno.cli.demo.scenery import MARKETS
from steno.core.errors import UnknownWire


@dataclass(frozen=True)
class ScriptedCall:
    """A call, and what came of it; None where nothing ever came."""

    name: str
    arguments: dict[str, str]
    result: str | None
    error: bool = False


@dataclass(frozen=True)
class UserBeat:
    text: str
    picture: str | None = None


@dataclass(frozen=True)
class AgentBeat:
    text: str
    uses: tuple[ScriptedCall, ...] = ()
    thought: str | None = None


Beat = UserBeat | AgentBeat
MessageDicts = Iterator[dict[str, Any]]


def writer_for(wire: str) -> Callable[[Beat, int], MessageDicts]:
    """Writes the beat of a number; the number makes its ids."""
    writers = {"anthropic": _anthropic_messages, "openai": _openai_messages}
    if wire not in writers:
        raise UnknownWire(f"the story is written for {' and '.join(writers)}, not for {wire!r}")
    return writers[wire]


def tool_definition(wire: str, name: str, about: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """A tool whose arguments are all texts."""
    schema = {
        "type": "object",
        "properties": {key: {"type": "string"} for key in keys},
        "required": [*keys],
    }
    if wire == "anthropic":
        return {"name": name, "description": about, "input_schema": schema}
    return {
        "type": "function",
        "function": {"name": name, "description": about, "parameters": schema},
    }


def _anthropic_messages(beat: Beat, number: int) -> MessageDicts:
    if isinstance(beat, UserBeat):
        picture = {"type": "base64", "media_type": "image/png", "data": beat.picture}
        shown = [{"type": "image", "source": picture}] if beat.picture else []
        yield {
            "role": "user",
            "content": [*shown, {"type": "text", "text": beat.text}] if shown else beat.text,
        }
        return
    content: list[dict[str, Any]] = []
    if beat.thought:
        content.append(
            {"type": "thinking", "thinking": beat.thought, "signature": f"c2lnbmVk{number:04}"}
        )
    if beat.text:
        content.append({"type": "text", "text": beat.text})
    ids = [f"toolu_{number:03}_{at}" for at in range(len(beat.uses))]
    for id, use in zip(ids, beat.uses, strict=True):
        content.append({"type": "tool_use", "id": id, "name": use.name, "input": use.arguments})
    yield {"role": "assistant", "content": content}
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": use.result}
        | ({"is_error": True} if use.error else {})
        for id, use in zip(ids, beat.uses, strict=True)
        if use.result is not None
    ]
    if results:
        yield {"role": "user", "content": results}


def _openai_messages(beat: Beat, number: int) -> MessageDicts:
    if isinstance(beat, UserBeat):
        url = {"url": f"data:image/png;base64,{beat.picture}"}
        shown = [{"type": "image_url", "image_url": url}] if beat.picture else []
        yield {
            "role": "user",
            "content": [*shown, {"type": "text", "text": beat.text}] if shown else beat.text,
        }
        return
    ids = [f"call_{number:03}_{at}" for at in range(len(beat.uses))]
    calls = [
        {
            "id": id,
            "type": "function",
            "function": {"name": use.name, "arguments": json.dumps(use.arguments)},
        }
        for id, use in zip(ids, beat.uses, strict=True)
    ]
    yield {"role": "assistant", "content": beat.text or None} | (
        {"tool_calls": calls} if calls else {}
    )
    for id, use in zip(ids, beat.uses, strict=True):
        if use.result is not None:
            yield {"role": "tool", "tool_call_id": id, "content": use.result}


SYSTEM = (
    "You are a coding agent in the repository of Finch, the invoicing program of a small bookshop chain. "
    "Look before you change, run the tests after each change, and say what you did in a sentence or two."
)
TOOLS = {
    "list_files": ("List the files of the repository.", ("path",)),
    "read_file": ("Read one file.", ("path",)),
    "search": ("Find a word in all files.", ("word",)),
    "edit_file": ("Replace one piece of a file by another.", ("path", "old", "new")),
    "run": ("Run a command in a shell.", ("command",)),
}


def story(wire: str = "anthropic") -> list[dict[str, Any]]:
    """The whole session, as that provider's list of messages; every time the same."""
    write = writer_for(wire)
    return [message for number, beat in enumerate(plot()) for message in write(beat, number)]


def opening(wire: str = "anthropic") -> dict[str, Any]:
    """The system prompt and the tools, as a session takes them."""
    return {
        "system": SYSTEM,
        "tools": [tool_definition(wire, name, *about) for name, about in TOOLS.items()],
    }


def plot() -> Iterator[Beat]:
    yield from first_look()
    yield from wrong_track()
    yield from the_log()
    yield from the_cause()
    yield from every_market()
    yield from on_paper()
    yield from closing()


def first_look() -> Iterator[Beat]:
    yield UserBeat(
        "Never touch the production database. Answer in British English. Run the tests after every change, and do "
        "not rename anything in finch/money.py: the tills import it.\n"
        "With that said: some invoices are a penny off their printed total. Please find out why and fix it."
    )
    yield AgentBeat(
        "I'll look around first.",
        (ScriptedCall("list_files", {"path": "."}, scenery.tree()),),
        thought="A penny off smells of rounding. First see where totals are made.",
    )
    named = ("invoice", "money", "discounts", "render")
    yield AgentBeat(
        "These four make the total, so I read them together.",
        tuple(_read_call(f"finch/{n}.py", n) for n in named),
    )
    run = _run_call("pytest -q", scenery.failing("tests/test_invoice.py", 6))
    yield AgentBeat(
        "Now the tests as they stand.",
        (run,),
        thought="Nothing looks wrong by eye. Let it fail first.",
    )
    yield AgentBeat(
        "",
        (
            _read_call("tests/test_invoice.py", "invoice", tests=True),
            _read_call("tests/conftest.py", "conftest"),
        ),
    )
    yield AgentBeat(
        "",
        (
            ScriptedCall(
                "read_file",
                {"path": "docs/rounding.txt"},
                "No such file: docs/rounding.txt",
                error=True,
            ),
        ),
    )
    yield AgentBeat(
        "It is a .md file.",
        (ScriptedCall("read_file", {"path": "docs/rounding.md"}, scenery.ROUNDING),),
    )


def wrong_track() -> Iterator[Beat]:
    yield AgentBeat(
        "I think the cause is in finch/discounts.py: `from_legacy` reads prices as floats. Decimal is safer.",
        (_edit_call("finch/discounts.py", "float(row['price'])", "Decimal(row['price'])"),),
        thought="A float for money is a fault in any case. Whether it is this fault, the tests will say.",
    )
    yield AgentBeat("", (_run_call("pytest -q", scenery.failing("tests/test_invoice.py", 6)),))
    yield AgentBeat(
        "The same six fail.",
        (
            ScriptedCall("search", {"word": "float"}, scenery.grep("float", _paths("finch"))),
            _read_call("tests/test_discounts.py", "dsc"),
        ),
    )
    yield UserBeat(
        "This is what a customer sent us. The lines add up to 47.13, the total says 47.14.",
        scenery.picture(),
    )
    yield AgentBeat(
        "Wait, actually, that rules discounts out: there are none on this invoice. It is the tax, rounded on each "
        "line and then summed. I'm taking my change to discounts.py back.",
        (_edit_call("finch/discounts.py", "Decimal(row['price'])", "float(row['price'])"),),
        thought="Three lines at 5.5 %, each rounded up: that is the penny. So the market is France.",
    )
    yield AgentBeat("", (_run_call("git diff --stat", "[no changes]\n[exit code 0]"),))


def the_log() -> Iterator[Beat]:
    yield UserBeat(
        "The nightly run prints warnings too. Is it the same fault? See logs/nightly.log."
    )
    log = ScriptedCall("read_file", {"path": "logs/nightly.log"}, scenery.nightly(800))
    yield AgentBeat("", (log,), thought="It may be long. I look for what is not INFO.")
    yield AgentBeat(
        "Yes. Among the noise there is one error, at 02:51:07: “drift of 0.01 after 3 lines: per-line rounding in "
        "vat/fr”. So France it is, and probably every market that copied it."
    )
    yield UserBeat("Good find. Go on, France first, then the others.")


def the_cause() -> Iterator[Beat]:
    yield AgentBeat(
        "",
        (
            _read_call("finch/vat/base.py", "base"),
            _read_call("finch/vat/fr.py", "fr"),
            _read_call("finch/vat/de.py", "de"),
        ),
    )
    yield AgentBeat(
        "",
        (
            ScriptedCall(
                "search", {"word": "round_each"}, scenery.grep("round_each", _paths("finch/vat"))
            ),
        ),
    )
    yield AgentBeat(
        "`base.py` gets one `round_once`; the markets will use it.",
        (
            _edit_call(
                "finch/vat/base.py",
                "def round_each(",
                "def round_once(self, total, market):\n    ...\n\ndef round_each(",
            ),
        ),
    )
    yield AgentBeat(
        "",
        (_run_call("pytest -q tests/test_invoice.py", scenery.passing(["tests/test_invoice.py"])),),
    )
    yield AgentBeat(
        "Old invoices are stored with the wrong total. I'll recompute them.",
        (_run_call("scripts/backfill.sh", None),),
    )
    yield UserBeat("Stop! That script talks to the production database. You know the rule.")
    yield AgentBeat(
        "You're right, and I'm sorry: “never touch the production database”. The call was interrupted before it "
        "wrote; I won't run it again. I only read the script, to be sure.",
        (ScriptedCall("read_file", {"path": "scripts/backfill.sh"}, scenery.BACKFILL),),
    )
    yield AgentBeat(
        "It opens its connection after a ten-second wait, so nothing was written. I go on with the code alone."
    )
    yield UserBeat("Fine. Now the other markets, one by one, tests after each.")


def every_market() -> Iterator[Beat]:
    for at, code in enumerate(MARKETS):
        country = MARKETS[code][0]
        path, test = f"finch/vat/{code}.py", f"tests/vat/test_{code}.py"
        reads = (_read_call(path, code), _read_call(test, code, tests=True))
        if at % 3 == 1:
            yield AgentBeat(
                f"Next is {country}: module and tests together.", reads, _doubt(country, at)
            )
        else:
            yield AgentBeat(f"Next is {country}.", reads[:1], _doubt(country, at))
            yield AgentBeat("", reads[1:])
        yield AgentBeat(
            "",
            (_run_call(f"pytest -q {test}", scenery.failing(test, 6 + at % 5)),),
            f"Its tests first: {test}.",
        )
        yield AgentBeat(
            f"{country} rounds each line as well.",
            (_edit_call(path, "round_each(part.net * rate)", "part.net * rate"),),
        )
        if at % 4 == 2:
            yield AgentBeat(
                "",
                (
                    ScriptedCall(
                        "edit_file",
                        _edit_arguments(path),
                        f"{path}: the old text occurs twice",
                        error=True,
                    ),
                ),
            )
            yield AgentBeat(
                "It occurs twice; I name the function too.",
                (_edit_call(path, "def line_tax", "def line_tax"),),
            )
        yield AgentBeat("", (_run_call(f"pytest -v {test}", scenery.passing_each(test)),))
        yield AgentBeat("", (_run_call(f"git diff {path}", scenery.diff(path, code)),))
        if at % 5 == 4:
            yield AgentBeat(f"{country} is done: {at + 1} of {len(MARKETS)}.")
            yield UserBeat(("Thanks, carry on.", "How many are left? Carry on, please.")[at % 2])


def on_paper() -> Iterator[Beat]:
    yield AgentBeat("All fourteen markets are changed, and their tests pass.")
    yield UserBeat(
        "Before you finish, see that the printed pages agree as well. Six markets are enough."
    )
    for at, code in enumerate(("fr", "de", "it", "pl", "se", "gb")):
        thought = f"The page for {code} may round by itself. Look at what it prints, not at what it should."
        path = f"finch/pages/{code}.html"
        page = ScriptedCall("read_file", {"path": path}, scenery.template(code, 5 + 2 * at))
        command = f"python -m finch.render --market {code} --text"
        yield AgentBeat(f"The page for {MARKETS[code][0]}.", (page,), thought)
        yield AgentBeat("", (_run_call(command, scenery.printout(code, 12 + 4 * at)),))
    yield AgentBeat("All six add up to the penny.")
    yield UserBeat("Then one last run of everything.")


def closing() -> Iterator[Beat]:
    full = _run_call("pytest -q", scenery.passing(_paths("tests")))
    yield AgentBeat(
        "", (full,), thought="Everything at once, then look for whoever still rounds each line."
    )
    yield AgentBeat(
        "",
        (
            ScriptedCall(
                "search",
                {"word": "round_each"},
                "finch/vat/base.py:61:def round_each(value: Money) -> Money:",
            ),
        ),
    )
    yield AgentBeat(
        "Nobody calls `round_each` any more; I leave it, since nobody asked me to remove it."
    )
    yield UserBeat(
        "Lovely. Sum it up for the changelog, please. And remind me: which rules did I give you?"
    )
    yield AgentBeat(
        "Tax is now rounded once for each invoice instead of once for each line, in all fourteen markets; printed "
        "totals match their lines to the penny. Your rules: never touch the production database, British English, "
        "tests after every change, and no renaming in finch/money.py."
    )


def _read_call(path: str, name: str, *, tests: bool = False) -> ScriptedCall:
    title = f"VAT for {MARKETS[name][0]}" if name in MARKETS else f"What Finch knows about {name}"
    size = scenery.Dice(path).upto(7)
    text = (
        scenery.tests(name, 36 + 6 * size)
        if tests
        else scenery.module(name, title, 4 + size, 10 + 2 * size)
    )
    return ScriptedCall("read_file", {"path": path}, text)


def _run_call(command: str, result: str | None) -> ScriptedCall:
    return ScriptedCall(
        "run", {"command": command}, result, error=result is not None and "exit code 1" in result
    )


def _edit_call(path: str, old: str, new: str) -> ScriptedCall:
    return ScriptedCall(
        "edit_file", {"path": path, "old": old, "new": new}, f"{path}: 1 piece replaced"
    )


def _edit_arguments(path: str) -> dict[str, str]:
    return {"path": path, "old": "return total", "new": "return self.round_once(total)"}


def _doubt(country: str, at: int) -> str:
    return (
        f"Does {country} allow rounding by invoice? I'm not sure; let me verify it in its tests.",
        f"{country} has a reduced rate of {tuple(MARKETS.values())[at][2]} %, so mixed baskets can go wrong.",
        f"Same shape as the one before, I think. Still, read {country} before changing it.",
    )[at % 3]


def _paths(under: str) -> list[str]:
    return [
        path
        for path in scenery.tree().splitlines()
        if path.startswith(under) and path.endswith(".py")
    ]
