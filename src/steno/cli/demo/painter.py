"""How the demo looks: bars, events, the map of the view and the proof, in 80 columns.

Lines are printed one after another and never redrawn, so that a pipe shows what
a terminal shows. Where there is no colour, letters say what a bar is made of.
What is counted and compared is the demo's business.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from rich.console import Console
from rich.text import Text

from steno import Budget, Commit, Committed, Edit, Item, Overflow, Session
from steno.cli.demo.replay import (
    RULES_POSITION,
    WINDOW_PARTS,
    DemoFrame,
    DemoProof,
    DemoReplay,
    Parts,
    frame_label,
)
from steno.cli.window_map import limit_marks

StyledText = str | tuple[str, str]

WIDTH = 80
BAR = 32
PART_STYLES = {
    "prompt": ("P", "bright_black", "prompt, tools"),
    "shorthand": ("S", "magenta", "Steno's shorthand"),
    "user": ("U", "green", "user"),
    "assistant": ("A", "cyan", "agent"),
    "results": ("R", "yellow", "tool results"),
}
NOTE = "magenta"
QUIET = "bright_black"
TO_ASCII = str.maketrans(dict(zip("╎│┃░·→▶×✓✗“–⋮", ":|#/.>>x+!'-:", strict=True)) | {"…": "..."})
"""For terminals and pipes that cannot say more."""
PACE, PAUSE = 0.04, 0.15
PLACES_MOST = 4
SNIPPET = (
    "import steno",
    "result = steno.compact(messages, window=128_000)    # any provider's list",
    "client.messages.create(**result.request, model=…, max_tokens=…)",
)


class DemoPainter:
    """Prints a replay; `slow` keeps to a pace that eyes can follow."""

    def __init__(self, console: Console, *, slow: bool) -> None:
        self.console = console
        self.slow = slow
        self.ascii = not console.encoding.startswith("utf")
        self.plain = self.ascii or console.no_color or console.color_system is None

    def show(self, replay: DemoReplay, proof: DemoProof) -> None:
        self.intro(replay)
        for frame in replay.frames:
            self.frame(frame, replay)
        self.map(replay)
        self.proof(replay, proof)
        self.numbers(replay)
        self.closing()

    def line(self, *pieces: StyledText, indent: int = 0) -> None:
        said = [
            self.printable(each) if isinstance(each, str) else (self.printable(each[0]), each[1])
            for each in pieces
        ]
        text = Text.assemble(" " * indent, *said)
        text.rstrip()
        text.truncate(min(WIDTH, self.console.width), overflow="crop" if self.ascii else "ellipsis")
        self.console.print(text, no_wrap=True, crop=False, soft_wrap=True)

    def printable(self, words: str) -> str:
        if self.ascii:
            return words.translate(TO_ASCII).encode("ascii", "replace").decode()
        return words

    def heading(self, words: str) -> None:
        self.line()
        self.line((words, "bold"))
        self.wait(PAUSE * 2)

    def wait(self, seconds: float) -> None:
        if self.slow:
            time.sleep(seconds)

    def intro(self, replay: DemoReplay) -> None:
        budget = replay.session.budget
        self.line(
            (
                f"An agent says {replay.total_tokens:,} tokens to a model that holds {budget.window:,}.",
                "bold",
            )
        )
        self.line(
            f"It hunts a bug in {len(replay.frames)} requests: a story of our own, no key, no network. When the"
        )
        self.line("load passes soft, Steno brings it down to goal: it shows the oldest part in")
        self.line("shorthand. It deletes nothing; at the end every word is opened and compared.")
        self.line()
        self.line("Each line is one request; the bar is what fills the window:")
        self.line(*self._legend(), indent=2)
        self.line(*_limit_pieces(budget), indent=2)
        self.line("Messages are numbered from 0: 1-40 is a span of them, 8.0 the first block of 8.")
        self.line()
        self.line((f"   #  tokens  {'the window':<{BAR}}  what was new", QUIET))
        self.wait(PAUSE * 5)

    def _legend(self) -> Iterator[StyledText]:
        for kind in WINDOW_PARTS:
            letter, style, words = PART_STYLES[kind]
            yield (letter if self.plain else "█", style)
            yield f" {words}   "

    def frame(self, frame: DemoFrame, replay: DemoReplay) -> None:
        session = replay.session
        new = frame_label(session.log.messages[slice(*frame.new)])
        self.bar(f"{frame.turn:>4}", frame.before, session.budget, new)
        for position in range(*frame.new):
            if _has_repair(session, position):
                self.note(
                    "mended",
                    f"the call before {position} was never answered: a result saying so is shown",
                )
        if frame is replay.first_overflow:
            self.line(
                (
                    f"      Without Steno the session ends here: {frame.said:,} tokens do not fit.",
                    "bold red",
                )
            )
        for event in frame.events:
            if isinstance(event, Committed):
                self.commit(session.log.commits[event.number], event)
            if isinstance(event, Overflow):
                self.note("", f"over its goal: {event.fixed:,} tokens are too new to be covered")
        if frame.shrunk:
            self.bar("   →", frame.sent, session.budget, "what the model is shown instead")
        self.wait(PAUSE if frame.commits else PACE)

    def bar(self, head: str, parts: Parts, budget: Budget, words: str) -> None:
        style = {"u": "green", "✗": "red"}.get(words[:1], QUIET)
        self.line(
            f"{head} {sum(parts.values()):>7,}  ", *self._cells(parts, budget), (" " + words, style)
        )

    def _cells(self, parts: Parts, budget: Budget) -> Iterator[StyledText]:
        """A bar as long as the window: what fills it, then the marks that are still ahead."""
        filled, done = 0, 0
        for kind in WINDOW_PARTS:
            filled += parts[kind]
            upto = min(BAR, round(filled * BAR / budget.window))
            letter, style, _ = PART_STYLES[kind]
            yield ((letter if self.plain else "█") * (upto - done), style)
            done = upto
        yield ("".join(_empty_bar(budget)[done:]), QUIET)
        yield ("▶" if filled > budget.window else " ", "red")

    def commit(self, commit: Commit, event: Committed) -> None:
        why = "too large to take in" if event.why == "arrival" else f"{event.why} pressure"
        self.note(f"commit {event.number}", f"{why}: {event.before:,} → {event.after:,} tokens")
        for by, edits in groupby(
            sorted(commit.edits, key=lambda edit: edit.by), key=lambda edit: edit.by
        ):
            self.note("", _rung_summary(by, list(edits), event.boundary))

    def note(self, name: str, words: str) -> None:
        self.line((f"      {name + '  ' if name else '  '}", f"bold {NOTE}"), (words, NOTE))

    def map(self, replay: DemoReplay) -> None:
        session = replay.session
        count = len(replay.told)
        self.heading(
            f"What the model sees at the end: {session.load:,} tokens for {count} messages"
        )
        self.line(("     span  level  tokens  shows", QUIET))
        for items in _runs(list(session.view.items)):
            span = (
                str(items[0].span)
                if len(items) == 1
                else f"{items[0].span.start}-{items[-1].span.stop - 1}"
            )
            tokens = sum(item.tokens for item in items)
            words, style = _items_text(session, items)
            self.line(f"{span:>9}  {items[0].level:>5}  {tokens:>6,}  ", (words, style))
        trace = next(
            (item for item in session.view.items if item.main is None and item.shows), None
        )
        if trace is not None:
            self.heading("The trace, as the model reads it")
            for line in trace.shows[0].text.splitlines():
                self.line((line, NOTE), indent=2)

    def proof(self, replay: DemoReplay, proof: DemoProof) -> None:
        session, told = replay.session, replay.told
        self.heading("Can every word be read back?")
        spoken = (at for at in replay.hidden_positions if len(session.log.messages[at].text) > 80)
        said = next(spoken, None)
        if said is not None:
            self.show_opening(
                str(said), f"what the agent said, behind the trace {session.view.at(said).span}:"
            )
            self.line((f"“{session.log.messages[said].text}", "cyan"), indent=4)
        if proof.block is not None:
            lines = proof.block.text.splitlines()
            at = next((at for at, line in enumerate(lines) if "ERROR" in line), len(lines) // 2)
            size = f"{proof.block_tokens:,} tokens"
            self.show_opening(
                f'"{proof.place}"', f"a result of {size}, whole; its line {at + 1:,}:"
            )
            self.line((lines[at].strip(), "yellow"), indent=4)
        equal = proof.opened - len(proof.unequal)
        self.line()
        self.verdict(
            proof.holds, f"{equal} of {len(told)} messages open word for word as they were said;"
        )
        self.line(
            f"{len(replay.hidden_positions)} of them the model no longer sees as they were said",
            indent=4,
        )
        fitting = sum(frame.load <= session.budget.usable for frame in replay.frames)
        requests = f"{fitting} of {len(replay.frames)} requests"
        self.verdict(replay.fits, f"{requests} fit the window of {session.budget.window:,};")
        self.line(
            f"the fullest held {replay.fullest.load:,} of {session.budget.usable:,} usable tokens",
            indent=4,
        )

    def show_opening(self, where: str, words: str) -> None:
        self.line(("session.open(", QUIET), where, (")  ", QUIET), words, indent=2)

    def verdict(self, holds: bool, words: str) -> None:
        self.line(("✓ ", "bold green") if holds else ("✗ ", "bold red"), words, indent=2)

    def numbers(self, replay: DemoReplay) -> None:
        by = Counter(edit.by for commit in replay.commits for edit in commit.edits)
        edits = ", ".join(f"{name} ×{count}" for name, count in by.most_common())
        sent, whole = (
            sum(frame.load for frame in replay.frames),
            sum(frame.said for frame in replay.frames),
        )
        self.heading("In numbers")
        for name, words in (
            ("said", f"{replay.total_tokens:,} tokens in {len(replay.told)} messages"),
            (
                "commits",
                f"{len(replay.commits)} ({edits or 'nothing pressed: try a smaller --window'})",
            ),
            ("sent", f"{sent:,} tokens in all requests; everything each time: {whole:,}"),
        ):
            self.line((f"{name:>9}  ", QUIET), words)

    def closing(self) -> None:
        self.heading("Try it on your own list")
        for line in SNIPPET:
            self.line((line, "cyan"), indent=2)


def _limit_pieces(budget: Budget) -> Iterator[StyledText]:
    for glyph, name, load in limit_marks(budget):
        yield f"{glyph} {name} {int(load):,}   "
    yield f"░ {budget.reserve:,} kept free for the reply"


def _empty_bar(budget: Budget) -> list[str]:
    """The bar of an empty window."""
    per_cell = budget.window / BAR
    cells = ["·" if at * per_cell < budget.usable else "░" for at in range(BAR)]
    for glyph, _, load in limit_marks(budget):
        cells[min(BAR - 1, int(load / per_cell))] = glyph
    return cells


def _has_repair(session: Session, position: int) -> bool:
    return any(message.by == "steno" for message in session.view.arrivals[position].shows)


def _rung_summary(by: str, edits: list[Edit], boundary: int) -> str:
    """What a rung did, in a line."""
    covers = [edit.place for edit in edits if edit.block is None]
    blocks = [edit.place for edit in edits if edit.block is not None]
    more = f" and {len(blocks) - PLACES_MOST} more" if len(blocks) > PLACES_MOST else ""
    short = f"{', '.join(blocks[:PLACES_MOST])}{more}"
    if by == "truncate":
        return f"truncate: a trace now stands for {', '.join(covers)}; from {boundary} on all is verbatim"
    if by == "summarize" and covers:
        excerpts = f", excerpts for {short}" if blocks else ""
        return f"summarize: a summary in {covers[-1]}{excerpts}; from {boundary} on all is verbatim"
    words = {"summarize": "excerpts", "offload-tail": "excerpts", "prune": "newer copies"}.get(
        by, "head and tail"
    )
    return f"{by}: {words} stand for {short}"


def _runs(items: list[Item]) -> Iterator[list[Item]]:
    """Neighbours that are shown as said, together; what is edited or pinned, alone."""
    run: list[Item] = []
    for item in items:
        alone = item.is_edited or RULES_POSITION in item.span
        if run and alone:
            yield run
            run = []
        run.append(item)
        if alone:
            yield run
            run = []
    if run:
        yield run


def _items_text(session: Session, items: list[Item]) -> tuple[str, str]:
    first = items[0]
    if RULES_POSITION in first.span:
        return f"pinned: {' '.join(session.log.messages[RULES_POSITION].text.split())}", "green"
    if first.main is None:
        return f"a trace of {len(first.span)} messages; open {first.span} to read them", NOTE
    if first.is_edited:
        places = ", ".join(f"{first.span.start}.{at}" for at, _ in first.shows[first.main].patches)
        return f"a result in short; open {places} to read it whole", NOTE
    return f"{len(items)} message{'s' if len(items) > 1 else ''} as said", ""
